package db_test

import (
	"errors"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// A database of before checksums gets them if its tables are those of its version, and none is changed by a refusal.
func TestADatabaseThatOtherMigrationsMadeIsRefused(t *testing.T) {
	t.Parallel()
	const withoutChecksums = `ALTER TABLE schema_migrations DROP COLUMN checksum`
	for name, c := range map[string]struct {
		change []string
		refuse string // part of why; "": not at all
	}{
		"as it was made":    {nil, ""},
		"without checksums": {[]string{withoutChecksums}, ""},
		"one column more":   {[]string{withoutChecksums, `ALTER TABLE users ADD COLUMN shoe_size BIGINT`}, "its table users has other columns"},
		"a table missing":   {[]string{withoutChecksums, `DROP TABLE setup_links`}, "its table setup_links is missing"},
		"an operator's own": {[]string{withoutChecksums, `CREATE TABLE notes (id BIGINT)`}, ""},
		"an own column":     {[]string{`ALTER TABLE users ADD COLUMN shoe_size BIGINT`}, ""},
		"another name":      {[]string{`UPDATE schema_migrations SET name = '0003_other' WHERE version = 3`}, "its migration 3 is 0003_other"},
		"another text":      {[]string{`UPDATE schema_migrations SET checksum = 'other' WHERE version = 3`}, "its migration 0003_access had another text"},
	} {
		for _, engine := range []string{"sqlite", "postgres"} {
			t.Run(name+" "+engine, func(t *testing.T) {
				t.Parallel()
				d := databaseOfVersion(t, engine, db.LastWithoutChecksums)
				for _, sql := range c.change {
					testkit.Exec(t, d, sql)
				}
				before := readSchema(t, d)
				_, err := d.Migrate(t.Context())
				if c.refuse == "" {
					if err != nil || d.CheckSchema(t.Context()) != nil || checksumsMissing(t, d) {
						t.Errorf("migrated: %v, then %v", err, d.CheckSchema(t.Context()))
					}
					return
				}
				if !errors.Is(err, db.ErrOtherSchema) || !strings.Contains(err.Error(), c.refuse) {
					t.Errorf("error %v", err)
				}
				if err := d.CheckSchema(t.Context()); !errors.Is(err, db.ErrOtherSchema) {
					t.Errorf("checked: %v", err)
				}
				if after := readSchema(t, d); after != before {
					t.Errorf("the schema is\n%s\nwas\n%s", after, before)
				}
			})
		}
	}
}

// databaseOfVersion opens a database with an earlier version of the schema.
func databaseOfVersion(t *testing.T, engine string, version int64) *db.DB {
	t.Helper()
	d := testkit.OpenDB(t, engine)
	err := d.WriteAlone(t.Context(), func(tx *db.Tx) error {
		tables, _, err := tx.Tables()
		if err == nil {
			err = tx.DropTables(tables)
		}
		if err == nil {
			_, err = tx.MigrateTo(version)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func checksumsMissing(t *testing.T, d *db.DB) (missing bool) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) (err error) {
		missing, err = tx.One(`SELECT 1 FROM schema_migrations WHERE checksum = ''`, func(*db.Row) {})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return missing
}

// readSchema returns the tables with their columns, and which migrations were run.
func readSchema(t *testing.T, d *db.DB) string {
	t.Helper()
	var text strings.Builder
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		tables, _, err := tx.Tables()
		if err != nil {
			return err
		}
		for _, table := range tables {
			text.WriteString(table.Name + ": " + strings.Join(table.ColumnNames(), " ") + "\n")
		}
		return tx.Query(`SELECT name FROM schema_migrations ORDER BY version`, func(r *db.Row) error {
			text.WriteString(r.Text() + "\n")
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}
