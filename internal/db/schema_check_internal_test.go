package db

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write columns_before_checksums.txt")

// LastWithoutChecksums is the last version of the schema that a binary has made without storing checksums.
const LastWithoutChecksums = 19

// The columns are those that the migrations make, version by version.
func TestColumnsOfVersionsWithoutChecksumsAreTheMigrations(t *testing.T) {
	t.Parallel()
	d, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	var text strings.Builder
	before := map[string][]string{}
	for version := int64(1); version <= LastWithoutChecksums; version++ {
		var tables []Table
		err := d.Write(t.Context(), func(tx *Tx) error {
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
		if err := os.WriteFile("columns_before_checksums.txt", []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text.String() != columnsBeforeChecksums {
		t.Errorf("migrations of before were changed; they make\n%s", text.String())
	}
	for version, want := range map[int64]bool{5: true, LastWithoutChecksums: true, LastWithoutChecksums + 1: false} {
		if _, known := columnsOf(version); known != want {
			t.Errorf("version %d is known: %v", version, known)
		}
	}
}
