package db

import (
	"fmt"
	"strings"
)

// Table is a table that a migration has made.
type Table struct {
	Name    string
	Columns []Column
}

// Column is a column of a table. Its Type is "text", "bigint", "boolean" or "bytes", or what the engine calls any
// other.
type Column struct{ Name, Type string }

// ColumnNames returns the names of the columns, in their order.
func (t Table) ColumnNames() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// Tables returns the tables that migrations have made, those of a newer binary too, in that order, and the
// schema's version, which is 0 if there is none. What an operator keeps beside them is not listed.
func (tx *Tx) Tables() (tables []Table, version int64, err error) {
	found, err := tx.columns()
	if err != nil {
		return nil, 0, err
	}
	if _, ok := found["schema_migrations"]; !ok {
		return nil, 0, nil
	}
	err = tx.Query(`SELECT version, made_tables FROM schema_migrations ORDER BY version`, func(r *Row) error {
		version = r.Int()
		for name := range strings.FieldsSeq(r.Text()) {
			if columns, ok := found[name]; ok {
				tables = append(tables, Table{name, columns})
				delete(found, name)
			}
		}
		return nil
	})
	return tables, version, err
}

// columns returns the columns of every table, an operator's too.
func (tx *Tx) columns() (map[string][]Column, error) {
	dialect := tx.db.engine.dialect()
	found := map[string][]Column{}
	err := tx.Query(dialect.listColumns, func(r *Row) error {
		table := r.Text()
		column := Column{Name: r.Text(), Type: strings.ToLower(r.Text())}
		if column.Type == strings.ToLower(dialect.bytes) {
			column.Type = "bytes"
		}
		found[table] = append(found[table], column)
		return nil
	})
	return found, err
}

// LockMode is how LockTables locks.
type LockMode string

// What others may still do with the tables: all but change their definition, only read, or nothing.
const (
	LockDefinition LockMode = "ACCESS SHARE"
	lockMigrations LockMode = "SHARE ROW EXCLUSIVE"
	LockEverything LockMode = "ACCESS EXCLUSIVE"
)

// LockTables locks the tables until the transaction ends. On SQLite a transaction needs no more than it has.
func (tx *Tx) LockTables(tables []Table, mode LockMode) error {
	format := tx.db.engine.dialect().lockTables
	if format == "" || len(tables) == 0 {
		return nil
	}
	_, err := tx.Exec(fmt.Sprintf(format, quoteTables(tables), mode))
	return err
}

// RefuseServers returns ErrLocked if a server uses the database. After the tables were locked, none that starts later
// gets at them.
func (tx *Tx) RefuseServers() error { return tx.conn.refuseServers(tx.ctx) }

// DropTables drops the tables, which may refer to each other, and forgets which migrations were run.
func (tx *Tx) DropTables(tables []Table) error {
	if _, err := tx.Exec("DROP TABLE IF EXISTS schema_migrations"); err != nil {
		return err
	}
	return tx.conn.dropTables(tx.ctx, tables)
}

// LiftTimeLimits lifts the time limits of PostgreSQL's statements for the transaction: they are meant for a server's
// short ones.
func (tx *Tx) LiftTimeLimits() error { return tx.conn.liftTimeLimits(tx.ctx) }

// LiftForeignKeys lets rows come in any order until check is called, which returns ErrForeignKey if one
// refers to a row that did not come. On SQLite this takes WriteAlone.
func (tx *Tx) LiftForeignKeys(tables []Table) (check func() error, err error) {
	return tx.conn.liftForeignKeys(tx.ctx, tables)
}

// InsertRows stores the rows that next returns, until it returns nil. An error of next ends it, and is returned.
func (tx *Tx) InsertRows(table string, columns []string, next func() ([]any, error)) error {
	return tx.conn.insertRows(tx.ctx, table, columns, next)
}

// Quote returns a name as it stands in SQL, whatever its letters.
func Quote(name string) string { return `"` + name + `"` }

// QuoteAll returns the names with commas between them.
func QuoteAll(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }

func quoteTables(tables []Table) string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.Name
	}
	return QuoteAll(names)
}
