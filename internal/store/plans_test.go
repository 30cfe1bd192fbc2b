package store

import (
	"strings"
	"testing"

	"penstock/internal/db"
)

// migrated returns an empty SQLite database.
func migrated(t *testing.T) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), db.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// explained returns how SQLite would run a statement.
func explained(t *testing.T, d *db.DB, sql string, a arguments) string {
	t.Helper()
	var steps []string
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		return tx.Query(`EXPLAIN QUERY PLAN `+sql, func(r *db.Row) error {
			r.Skip(3)
			steps = append(steps, r.Text())
			return nil
		}, a.values...)
	})
	if err != nil {
		t.Errorf("%v in %s", err, sql)
	}
	return strings.Join(steps, "\n")
}
