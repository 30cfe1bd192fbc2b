package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"
)

// ErrNotEmpty means that the database that a backup was to be restored to holds data.
var ErrNotEmpty = errors.New("the database is not empty")

// Restore makes the database hold what a backup holds, whichever engine that was taken on, and migrates
// it to the schema that this binary works with. It reads the backup, which open opens each time anew,
// once to verify it and once or more to load it, in one transaction: after an error the database is as
// it was. Nothing else should use the database meanwhile (see Options.Exclusive).
//
// Returns ErrBadBackup, with what is wrong, ErrNotEmpty if the database has rows and replace is false,
// ErrNewerSchema if the backup is ahead of this binary, ErrForeignKey and ErrUnique if
// the backup's rows contradict each other, and the errors of open and of its reader.
func (d *DB) Restore(ctx context.Context, open func() (io.ReadCloser, error), replace bool) (Summary, error) {
	read := func(use func(*backupReader) error) error {
		file, err := open()
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		b, err := newBackupReader(ctx, file)
		if err != nil {
			return err
		}
		return use(b)
	}
	if err := read((*backupReader).skipAll); err != nil {
		return Summary{}, err
	}
	var s Summary
	load := func(tx *Tx) error {
		if err := tx.unhurried(); err != nil {
			return err
		}
		return read(func(b *backupReader) error {
			err := tx.restore(b, replace)
			s = b.summary
			return err
		})
	}
	write := d.Write
	if d.lite != nil {
		write = d.liteRestore
	}
	if err := write(ctx, load); err != nil {
		return Summary{}, err
	}
	return s, nil
}

// restoreCache is how much of the database SQLite holds in memory while it loads: with its usual 2 MB, rows
// that do not come in the order of every index are several times slower.
const restoreCache = "PRAGMA cache_size=-65536" // KiB

// liteRestore is Write for a transaction that changes everything. It has a connection of its own: the
// writer would keep the statements, and run all again with other writes that came with it.
func (d *DB) liteRestore(ctx context.Context, fn func(*Tx) error) error {
	var path string
	err := d.ReadOne(ctx, func(tx *Tx) error {
		_, err := tx.One("SELECT file FROM pragma_database_list WHERE name = 'main'", func(r *Row) { path = r.Text() })
		return err
	})
	if err != nil {
		return err
	}
	conn, err := openLiteConn(path)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, classifyLite(err))
	}
	defer func() { _ = conn.Close() }() // undoes what was not committed
	tx := &Tx{ctx: ctx, db: d, lite: conn}
	// Deferred, foreign keys let tables and rows come in any order.
	if err := tx.execAll([]string{restoreCache, "BEGIN IMMEDIATE", "PRAGMA defer_foreign_keys=ON"}); err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return err
	}
	if _, err := tx.Exec("COMMIT"); err != nil {
		return err
	}
	select {
	case d.lite.dirty <- struct{}{}:
	default:
	}
	return nil
}

func (tx *Tx) restore(b *backupReader, replace bool) error {
	if b.summary.Schema > Latest() {
		return fmt.Errorf("the backup's schema is version %d: %w", b.summary.Schema, ErrNewerSchema)
	}
	if err := tx.clear(replace); err != nil {
		return err
	}
	if _, err := tx.MigrateTo(b.summary.Schema); err != nil {
		return err
	}
	tables, _, err := tx.tables()
	if err != nil {
		return err
	}
	checkKeys, err := tx.liftForeignKeys(tables)
	if err != nil {
		return err
	}
	if err := tx.loadAll(tables, b); err != nil {
		return err
	}
	if err := checkKeys(); err != nil {
		return err
	}
	_, err = tx.MigrateTo(Latest())
	return err
}

// clear drops our tables, whichever schema they are of, so that it can be made anew in the backup's version.
func (tx *Tx) clear(replace bool) error {
	tables, _, err := tx.tables()
	if err != nil {
		return err
	}
	if err := tx.lock(tables, "ACCESS EXCLUSIVE"); err != nil {
		return err
	}
	if !replace {
		if err := tx.refuseRows(tables); err != nil {
			return err
		}
	}
	drop := []string{"DROP TABLE IF EXISTS schema_migrations"}
	switch {
	case tx.lite != nil:
		for _, t := range slices.Backward(tables) {
			drop = append(drop, "DROP TABLE "+quote(t.name))
		}
	case len(tables) > 0:
		// At once, since they refer to each other. Without CASCADE, so that what an operator has made to
		// depend on them is not dropped unasked.
		drop = append(drop, "DROP TABLE "+quoteTables(tables))
	}
	return tx.execAll(drop)
}

func (tx *Tx) refuseRows(tables []table) error {
	for _, t := range tables {
		found, err := tx.One("SELECT 1 FROM "+quote(t.name)+" LIMIT 1", func(*Row) {})
		if err != nil {
			return err
		}
		if found {
			return fmt.Errorf("%w: table %s has rows", ErrNotEmpty, t.name)
		}
	}
	return nil
}

// loadAll stores the rows of the backup, whose tables must be the given ones.
func (tx *Tx) loadAll(tables []table, b *backupReader) error {
	for {
		more, err := b.nextTable()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		i := slices.IndexFunc(tables, func(t table) bool { return t.name == b.table.Table })
		if i < 0 || !sameColumns(b.table.Columns, tables[i].columnNames()) {
			return fmt.Errorf("%w: its table %s is not the one of schema version %d", ErrBadBackup, b.table.Table, b.summary.Schema)
		}
		if err := tx.load(tables[i], b); err != nil {
			return fmt.Errorf("table %s: %w", b.table.Table, err)
		}
	}
	for _, t := range tables {
		want, ok := b.summary.Rows[t.name]
		if !ok {
			return fmt.Errorf("%w: table %s is missing", ErrBadBackup, t.name)
		}
		var stored int64
		if _, err := tx.One("SELECT count(*) FROM "+quote(t.name), func(r *Row) { stored = r.Int() }); err != nil {
			return err
		}
		if stored != want {
			return fmt.Errorf("table %s has %d rows instead of %d", t.name, stored, want)
		}
	}
	return nil
}

func (tx *Tx) load(t table, b *backupReader) error {
	columns := b.table.Columns
	kinds := make([]string, len(columns))
	for i, name := range columns {
		kinds[i] = t.columns[slices.IndexFunc(t.columns, func(c column) bool { return c.name == name })].kind
	}
	var failed error
	next := func() (row []any, err error) {
		row, failed = b.nextRow()
		for i, value := range row {
			if !isKind(value, kinds[i]) {
				failed = fmt.Errorf("%w: line %d: column %s is not a %s", ErrBadBackup, b.lines, columns[i], kinds[i])
			}
		}
		return row, failed
	}
	if tx.pg != nil {
		err := tx.pg.(*transaction).copyFrom(tx.ctx, t.name, columns, pgx.CopyFromFunc(next))
		if failed != nil {
			return failed
		}
		return classifyPostgres(err)
	}
	insert := "INSERT INTO " + quote(t.name) + " (" + quoteAll(columns) + ") VALUES (" + InList(1, len(columns)) + ")"
	for {
		row, err := next()
		if err != nil || row == nil {
			return err
		}
		if _, err := tx.Exec(insert, row...); err != nil {
			return err
		}
	}
}

func isKind(value any, kind string) bool {
	switch value.(type) {
	case nil:
		return true
	case string:
		return kind == "text"
	case int64:
		return kind == "bigint"
	default:
		return kind == "boolean"
	}
}

// liftForeignKeys lets rows come in any order until check is called, which returns ErrForeignKey if one
// refers to a row that did not come.
//
// On PostgreSQL the keys are dropped and made again: not all can be deferred, one check of a whole table
// is far faster than one a row, and checks that wait for the commit would refuse later migrations.
func (tx *Tx) liftForeignKeys(tables []table) (check func() error, err error) {
	if tx.lite != nil {
		return func() error { return tx.liteForeignKeys(tables) }, nil
	}
	var drop, add []string
	err = tx.Query(`SELECT c.relname, k.conname, pg_get_constraintdef(k.oid) FROM pg_constraint k
		JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE k.contype = 'f' AND n.nspname = current_schema() ORDER BY k.oid`, func(r *Row) error {
		name, key, definition := r.Text(), r.Text(), r.Text()
		if slices.ContainsFunc(tables, func(t table) bool { return t.name == name }) {
			alter := "ALTER TABLE " + quote(name)
			drop = append(drop, alter+" DROP CONSTRAINT "+quote(key))
			add = append(add, alter+" ADD CONSTRAINT "+quote(key)+" "+definition)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	// A migration that updates rows which this transaction has stored, and alters their table next, would
	// be refused for the checks that are to come at the commit.
	add = append(add, "SET CONSTRAINTS ALL IMMEDIATE")
	return func() error { return tx.execAll(add) }, tx.execAll(drop)
}

func (tx *Tx) liteForeignKeys(tables []table) error {
	for _, t := range tables {
		err := tx.Query(`SELECT parent FROM pragma_foreign_key_check($1)`, func(r *Row) error {
			return fmt.Errorf("%w: a row of table %s refers to a row of %s that is not there", ErrForeignKey, t.name, r.Text())
		}, t.name)
		if err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) execAll(statements []string) error {
	for _, sql := range statements {
		if _, err := tx.Exec(sql); err != nil {
			return err
		}
	}
	return nil
}

func sameColumns(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
