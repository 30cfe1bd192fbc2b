package db_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

var update = flag.Bool("update", false, "write columns_before_checksums.txt")

// lastWithoutChecksums is the last version of the schema that a binary has made without storing checksums.
const lastWithoutChecksums = 19

// The columns are those that the migrations make, version by version.
func TestColumnsOfVersionsWithoutChecksumsAreTheMigrations(t *testing.T) {
	t.Parallel()
	const file = "columns_before_checksums.txt"
	d, err := db.Open(t.Context(), db.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	var text strings.Builder
	before := map[string][]string{}
	for version := int64(1); version <= lastWithoutChecksums; version++ {
		var tables []db.Table
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.MigrateTo(version); err != nil {
				return err
			}
			var err error
			tables, _, err = tx.Tables()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			added := slices.DeleteFunc(table.ColumnNames(), func(name string) bool { return slices.Contains(before[table.Name], name) })
			if len(added) > 0 {
				fmt.Fprintf(&text, "%d %s %s\n", version, table.Name, strings.Join(added, " "))
			}
			before[table.Name] = table.ColumnNames()
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text.String() != string(stored) {
		t.Errorf("migrations of before were changed; they make\n%s", text.String())
	}
}

// A database of before checksums gets them if its tables are those of its version, and none is changed by a refusal.
func TestADatabaseThatOtherMigrationsMadeIsRefused(t *testing.T) {
	t.Parallel()
	const withoutChecksums = `ALTER TABLE schema_migrations DROP COLUMN checksum`
	const oneColumnMore = `ALTER TABLE users ADD COLUMN shoe_size BIGINT`
	for name, c := range map[string]struct {
		version int64
		change  []string
		refuse  string // part of why; "": not at all
	}{
		"as it was made":    {lastWithoutChecksums, nil, ""},
		"without checksums": {lastWithoutChecksums, []string{withoutChecksums}, ""},
		"one column more":   {lastWithoutChecksums, []string{withoutChecksums, oneColumnMore}, "its table users has other columns"},
		"a table missing":   {lastWithoutChecksums, []string{withoutChecksums, `DROP TABLE setup_links`}, "its table setup_links is missing"},
		"an operator's own": {lastWithoutChecksums, []string{withoutChecksums, `CREATE TABLE notes (id BIGINT)`}, ""},
		"an own column":     {lastWithoutChecksums, []string{oneColumnMore}, ""},
		"another name":      {lastWithoutChecksums, []string{`UPDATE schema_migrations SET name = '0003_other' WHERE version = 3`}, "its migration 3 is 0003_other"},
		"another text":      {lastWithoutChecksums, []string{`UPDATE schema_migrations SET checksum = 'other' WHERE version = 3`}, "its migration 0003_access had another text"},
		"of long before":    {5, []string{withoutChecksums, oneColumnMore}, "its table users has other columns"},
		"of later binaries": {lastWithoutChecksums + 1, []string{`UPDATE schema_migrations SET checksum = ''`, oneColumnMore}, ""},
	} {
		for _, engine := range []string{"sqlite", "postgres"} {
			t.Run(name+" "+engine, func(t *testing.T) {
				t.Parallel()
				d := databaseOfVersion(t, engine, c.version)
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
