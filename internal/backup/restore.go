package backup

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"

	"penstock/internal/blob"
	"penstock/internal/db"
)

// ErrNotEmpty means that the database that a backup was to be restored to holds data.
var ErrNotEmpty = errors.New("the database is not empty")

// ErrNoPlace means that a backup includes logs and artifacts, and that there is nowhere to put them.
var ErrNoPlace = errors.New("the backup includes logs and artifacts, for which there is no place")

// Restore makes the database hold what a backup holds, whichever engine that was taken on, and migrates
// it to the schema that this binary works with. It reads the backup, which open opens again each time,
// once to verify it and once or more to load it, in one transaction: after an error the database is as
// it was. Nothing else should use the database meanwhile (see db.Options.Exclusive).
//
// Returns ErrBadFile, with what is wrong, ErrNotEmpty if the database has rows and replace is false, db.ErrLocked if a
// server uses the database, db.ErrNewerSchema if the backup is ahead of this binary, ErrForeignKey and ErrUnique if the
// backup's rows contradict each other, ErrNoPlace if the backup includes logs and artifacts, and the errors of open and
// of its reader.
func Restore(ctx context.Context, d *db.DB, open func() (io.ReadCloser, error), replace bool) (Summary, error) {
	return RestoreWithBlobs(ctx, d, open, func() (blob.Store, error) { return nil, ErrNoPlace }, replace)
}

// RestoreWithBlobs does as Restore does. If the backup includes logs and artifacts, it stores them first, in the store
// that openBlobs then opens, and reads the backup once more for them. What else that store has stays there. If they
// cannot all be stored, the database is not touched.
//
// Returns the errors of Restore, of openBlobs and of the store.
func RestoreWithBlobs(ctx context.Context, d *db.DB, open func() (io.ReadCloser, error), openBlobs func() (blob.Store,
	error), replace bool) (Summary, error) {
	read := func(use func(*fileReader) error) error {
		file, err := open()
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		b, err := newFileReader(ctx, file)
		if err != nil {
			return err
		}
		return use(b)
	}
	var s Summary
	verify := func(b *fileReader) error {
		err := b.skipAll()
		s = b.summary
		return err
	}
	if err := read(verify); err != nil {
		return Summary{}, err
	}
	blobs := s.Blobs
	if blobs != nil {
		if err := restoreBlobs(ctx, d, s.Schema, read, openBlobs, replace); err != nil {
			return Summary{}, err
		}
	}
	load := func(tx *db.Tx) error {
		if err := tx.LiftTimeLimits(); err != nil {
			return err
		}
		return read(func(b *fileReader) error {
			err := loadBackup(tx, b, replace)
			s = b.summary
			return err
		})
	}
	err := d.WriteAlone(ctx, load)
	if err != nil && blobs != nil {
		err = fmt.Errorf("its logs and artifacts are in their place, but the database is as it was: %w", err)
	}
	if err != nil {
		return Summary{}, err
	}
	s.Blobs = blobs
	return s, nil
}

// restoreBlobs stores the logs and artifacts of a backup, unless it is known already that the database cannot take the
// rest.
func restoreBlobs(ctx context.Context, d *db.DB, schema int64, read func(func(*fileReader) error) error,
	openBlobs func() (blob.Store, error), replace bool) error {
	if err := checkSchema(schema); err != nil {
		return err
	}
	if !replace {
		if err := d.Read(ctx, func(tx *db.Tx) error {
			tables, _, err := tx.Tables()
			if err != nil {
				return err
			}
			return refuseRows(tx, tables)
		}); err != nil {
			return err
		}
	}
	store, err := openBlobs()
	if err != nil {
		return err
	}
	return read(func(b *fileReader) error {
		if err := b.skipTables(); err != nil {
			return err
		}
		for {
			more, err := b.nextBlob()
			if err != nil || !more {
				return err
			}
			if _, err := store.Put(ctx, b.blob.Blob, b, b.blob.Size); err != nil {
				return err
			}
		}
	})
}

func checkSchema(schema int64) error {
	if schema > db.Latest() {
		return fmt.Errorf("the backup's schema is version %d: %w", schema, db.ErrNewerSchema)
	}
	return nil
}

func loadBackup(tx *db.Tx, b *fileReader, replace bool) error {
	if err := checkSchema(b.summary.Schema); err != nil {
		return err
	}
	if err := clearTables(tx, replace); err != nil {
		return err
	}
	if _, err := tx.MigrateTo(b.summary.Schema); err != nil {
		return err
	}
	tables, _, err := tx.Tables()
	if err != nil {
		return err
	}
	checkKeys, err := tx.LiftForeignKeys(tables)
	if err != nil {
		return err
	}
	if err := loadTables(tx, tables, b); err != nil {
		return err
	}
	if err := checkKeys(); err != nil {
		return err
	}
	if _, err := tx.MigrateTo(db.Latest()); err != nil {
		return err
	}
	return endSessions(tx)
}

// endSessions ends what agents and jobs of the time of the backup could do: they know nothing of the rows that are
// there now. Agents register again; those that do not come back are lost, and their jobs with them: no server is waited
// for that heard them. The keys that jobs were identified with are made again too: where the backup is restored, there
// may be no key to decrypt them.
func endSessions(tx *db.Tx) error {
	for _, statement := range []string{
		`UPDATE agents SET session_hash = NULL WHERE session_hash IS NOT NULL`,
		`UPDATE job_runs SET token_hash = NULL WHERE token_hash IS NOT NULL`,
		`DELETE FROM oidc_keys`,
		`DELETE FROM nodes`,
	} {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// clearTables drops our tables, whichever schema they are of, so that it can be created in the backup's version.
func clearTables(tx *db.Tx, replace bool) error {
	tables, _, err := tx.Tables()
	if err != nil {
		return err
	}
	if err := tx.LockTables(tables, db.LockEverything); err != nil {
		return err
	}
	// One may have started since the database was opened, while the backup was verified.
	if err := tx.RefuseServers(); err != nil {
		return err
	}
	if !replace {
		if err := refuseRows(tx, tables); err != nil {
			return err
		}
	}
	return tx.DropTables(tables)
}

func refuseRows(tx *db.Tx, tables []db.Table) error {
	for _, t := range tables {
		found, err := tx.One("SELECT 1 FROM "+db.Quote(t.Name)+" LIMIT 1", func(*db.Row) {})
		if err != nil {
			return err
		}
		if found {
			return fmt.Errorf("%w: table %s has rows", ErrNotEmpty, t.Name)
		}
	}
	return nil
}

// loadTables stores the rows of the backup, whose tables must be the given ones.
func loadTables(tx *db.Tx, tables []db.Table, b *fileReader) error {
	for {
		more, err := b.nextTable()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		i := slices.IndexFunc(tables, func(t db.Table) bool { return t.Name == b.table.Table })
		if i < 0 || !sameColumns(b.table.Columns, tables[i].ColumnNames()) {
			return fmt.Errorf("%w: its table %s is not the one of schema version %d", ErrBadFile, b.table.Table,
				b.summary.Schema)
		}
		if err := loadTable(tx, tables[i], b); err != nil {
			return fmt.Errorf("table %s: %w", b.table.Table, err)
		}
	}
	for _, t := range tables {
		want, ok := b.summary.Rows[t.Name]
		if !ok {
			return fmt.Errorf("%w: table %s is missing", ErrBadFile, t.Name)
		}
		var stored int64
		if _, err := tx.One("SELECT count(*) FROM "+db.Quote(t.Name), func(r *db.Row) { stored = r.Int() }); err != nil {
			return err
		}
		if stored != want {
			return fmt.Errorf("table %s has %d rows instead of %d", t.Name, stored, want)
		}
	}
	return nil
}

func loadTable(tx *db.Tx, t db.Table, b *fileReader) error {
	columns := make([]db.Column, len(b.table.Columns))
	for i, name := range b.table.Columns {
		columns[i] = t.Columns[slices.IndexFunc(t.Columns, func(c db.Column) bool { return c.Name == name })]
	}
	return tx.InsertRows(t.Name, b.table.Columns, func() ([]any, error) {
		row, err := b.nextRow()
		if err != nil {
			return nil, err
		}
		for i, value := range row {
			if row[i], err = toColumn(value, columns[i]); err != nil {
				return nil, fmt.Errorf("%w: line %d: %w", ErrBadFile, b.lines, err)
			}
		}
		return row, nil
	})
}

// toColumn returns a value of a file as the column holds it.
func toColumn(value any, c db.Column) (any, error) {
	valid := value == nil
	switch v := value.(type) {
	case string:
		if c.Type == "bytes" {
			bytes, err := base64.StdEncoding.DecodeString(v)
			if err != nil {
				return nil, fmt.Errorf("column %s: %w", c.Name, err)
			}
			return bytes, nil
		}
		valid = c.Type == "text"
	case int64:
		valid = c.Type == "bigint"
	case bool:
		valid = c.Type == "boolean"
	}
	if !valid {
		return nil, fmt.Errorf("column %s is not a %s", c.Name, c.Type)
	}
	return value, nil
}

func sameColumns(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
