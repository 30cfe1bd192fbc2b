package db

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ErrOtherSchema means that the database was made by other migrations than this binary has under the same numbers.
var ErrOtherSchema = errors.New("the database was made by another version of penstock, before 0.1.0 or between two " +
	"releases, " +
	"and cannot be upgraded; nothing was changed: use the penstock that made it, or start with an empty database")

// Columns of the versions that binaries made without storing checksums, one line for each table that a version made or
// added columns to.
//
//go:embed columns_before_checksums.txt
var columnsBeforeChecksums string

// checksums returns the SHA-256 of the migrations' texts.
var checksums = sync.OnceValue(func() []string {
	migrations := Migrations()
	sums := make([]string, len(migrations))
	for i, m := range migrations {
		sum := sha256.Sum256([]byte(m.Source))
		sums[i] = hex.EncodeToString(sum[:])
	}
	return sums
})

// checkMigrations returns ErrOtherSchema unless the database's migrations are this binary's, and how many of them have
// no checksum. Those were run by a binary that stored none: the tables are compared instead. The database must not be
// ahead of this binary.
func (tx *Tx) checkMigrations() (missing int, err error) {
	hasChecksums, err := tx.hasChecksums()
	if err != nil {
		return 0, err
	}
	checksum := "''"
	if hasChecksums {
		checksum = "checksum"
	}
	migrations, sums := Migrations(), checksums()
	var version int64
	var different error
	err = tx.Query("SELECT version, name, "+checksum+" FROM schema_migrations ORDER BY version", func(r *Row) error {
		version++
		number, name, stored := r.Int(), r.Text(), r.Text()
		switch {
		case different != nil:
		case number != version || name != migrations[version-1].Name:
			different = fmt.Errorf("its migration %d is %s", number, name)
		case stored == "":
			missing++
		case stored != sums[version-1]:
			different = fmt.Errorf("its migration %s had another text", name)
		}
		return nil //nolint:nilerr // it is returned once all rows are read
	})
	if err == nil && different == nil && missing > 0 {
		different, err = tx.compareTables(version)
	}
	if different != nil {
		err = fmt.Errorf("%w (schema version %d: %w)", ErrOtherSchema, version, different)
	}
	return missing, err
}

func (tx *Tx) hasChecksums() (bool, error) {
	return tx.One(tx.db.engine.dialect().hasColumn, func(*Row) {}, "schema_migrations", "checksum")
}

// storeChecksums stores the checksums of migrations that have none.
func (tx *Tx) storeChecksums() error {
	has, err := tx.hasChecksums()
	if err == nil && !has {
		_, err = tx.Exec("ALTER TABLE schema_migrations ADD COLUMN checksum TEXT NOT NULL DEFAULT ''")
	}
	for i, sum := range checksums() {
		if err == nil {
			_, err = tx.Exec("UPDATE schema_migrations SET checksum = $1 WHERE version = $2 AND checksum = ''", sum, i+1)
		}
	}
	return err
}

// compareTables returns what is different in the tables of the database from those of a version of the schema; nil if
// nothing is, or if all binaries that made this version have stored checksums.
func (tx *Tx) compareTables(version int64) (different, err error) {
	want, known := columnsOf(version)
	if !known {
		return nil, nil
	}
	tables, _, err := tx.Tables()
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		if !slices.Equal(slices.Sorted(slices.Values(table.ColumnNames())), slices.Sorted(slices.Values(want[table.Name]))) {
			return fmt.Errorf("its table %s has other columns", table.Name), nil
		}
		delete(want, table.Name)
	}
	for name := range want {
		return fmt.Errorf("its table %s is missing", name), nil
	}
	return nil, nil
}

// columnsOf returns the columns of the tables of a version of the schema, if there are databases of it without
// checksums.
func columnsOf(version int64) (columns map[string][]string, known bool) {
	columns = map[string][]string{}
	for line := range strings.Lines(columnsBeforeChecksums) {
		words := strings.Fields(line)
		since, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil {
			panic(err)
		}
		if since <= version {
			columns[words[1]] = append(columns[words[1]], words[2:]...)
		}
		known = known || since >= version
	}
	return columns, known
}
