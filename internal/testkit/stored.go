package testkit

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/backup"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Exec runs a statement, for what no operation does.
func Exec(t testing.TB, d *db.DB, sql string, args ...any) (changed int64) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *db.Tx) (err error) {
		changed, err = tx.Exec(sql, args...)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return changed
}

// Change is Exec for a statement that must change a row.
func Change(t testing.TB, d *db.DB, sql string, args ...any) {
	t.Helper()
	if Exec(t, d, sql, args...) == 0 {
		t.Fatalf("%s changed nothing", sql)
	}
}

// Rows returns every row of the database, after its table's name, in order.
func Rows(t testing.TB, d *db.DB) (rows []string) {
	t.Helper()
	var file bytes.Buffer
	if _, err := backup.Write(t.Context(), d, &file); err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	table := ""
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range lines[1 : len(lines)-1] { // between the header and the checksum
		if name, found := strings.CutPrefix(line, `{"table":"`); found {
			table, _, _ = strings.Cut(name, `"`)
		} else {
			rows = append(rows, table+" "+line)
		}
	}
	slices.Sort(rows)
	return rows
}

// ReadOne runs a statement that must yield a row, and reads it.
func ReadOne(t testing.TB, d *db.DB, sql string, read func(*db.Row), args ...any) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		found, err := tx.One(sql, read, args...)
		if err == nil && !found {
			t.Fatalf("%s: no row", sql)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Eventually waits until something holds, and fails with what is there instead if it does not within half a minute.
func Eventually(t testing.TB, holds func() bool, instead func() string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); {
		if time.Now().After(deadline) {
			t.Fatal(instead())
		}
		<-time.After(20 * time.Millisecond)
	}
}

// JobEvents returns what happened to jobs: the events of the first, then those of the next one.
func JobEvents(t testing.TB, d *db.DB, jobs ...string) (events []*domain.JobEventView) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		pages, err := store.EventsOfJobs().Read(store.Tx{Tx: tx}, store.Viewer{}, jobs, store.Range{Limit: math.MaxInt})
		events = slices.Concat(pages...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return events
}
