package db_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/db"
)

func lengthOfLog(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, db.FileName+"-wal"))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestTheLogIsLongerThanItHasToBe checks that commits of a server write over what is in the write-ahead log, and that the room in it hurts nobody who
// reads the log after a crash.
func TestTheLogIsLongerThanItHasToBe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openNotes(t, dir, db.Options{Exclusive: true})
	grown, last := 0, lengthOfLog(t, dir)
	if last < 1<<20 {
		t.Errorf("the log has %d bytes", last)
	}
	const more = 1000 // of which each takes more than 12 KB of the log, unless the log begins anew
	for range more {
		if err := writeNote(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		if now := lengthOfLog(t, dir); now != last {
			grown++
			last = now
		}
	}
	if grown > 40 {
		t.Errorf("%d of %d commits made the log longer", grown, more)
	}
	crashed := t.TempDir()
	for _, name := range []string{db.FileName, db.FileName + "-wal"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(crashed, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n := number(t, opened(t, db.Options{Dir: crashed}), `SELECT count(*) FROM notes`); n != 50+more {
		t.Errorf("%d of %d notes are in a copy of the files", n, 50+more)
	}
}

// TestTheLogBecomesShortAgain lets the write-ahead log grow behind a slow reader, such as a backup, and expects that the room is given back.
func TestTheLogBecomesShortAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openNotes(t, dir, db.Options{Exclusive: true})
	const limit = 64 << 20
	if err := d.Read(t.Context(), func(tx *db.Tx) error {
		if err := tx.Query(`SELECT count(*) FROM notes`, func(*db.Row) error { return nil }); err != nil {
			return err
		}
		for lengthOfLog(t, dir) < limit+16<<20 {
			if err := d.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(`INSERT INTO notes (text) VALUES ($1)`, strings.Repeat("note ", 400_000))
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the log becomes short", func() bool {
		if err := writeNote(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		return lengthOfLog(t, dir) <= limit+1<<20
	})
}
