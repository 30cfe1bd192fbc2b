package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// SQLite ends a transaction by itself when the disk is full. The write that did it fails; those that shared its transaction
// are stored, and stored once.
func TestAFullDiskFailsTheWriteThatFillsItAndNoOther(t *testing.T) {
	t.Parallel()
	d := opened(t, testkit.NewDatabase(t, "sqlite"))
	testkit.Exec(t, d, `CREATE TABLE notes (text TEXT NOT NULL)`)
	testkit.Exec(t, d, fmt.Sprint(`PRAGMA max_page_count = `, number(t, d, `SELECT page_count FROM pragma_page_count`)+20))
	const rounds = 20
	for range rounds {
		var all sync.WaitGroup
		started, filling, following := make(chan struct{}), make(chan struct{}), make(chan struct{})
		first := sync.OnceFunc(func() { // let the others come into the same transaction, one after the other
			close(started)
			await(following)
		})
		insert := func(sql string) error {
			return d.Write(t.Context(), func(tx *db.Tx) error {
				first()
				_, err := tx.Exec(sql)
				return err
			})
		}
		all.Go(func() {
			if err := insert(`INSERT INTO notes VALUES ('first')`); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			<-started
			close(filling)
			if err := insert(`INSERT INTO notes VALUES (hex(zeroblob(200000)))`); !errors.Is(err, db.ErrUnavailable) {
				t.Errorf("a write that fills the disk: %v", err)
			}
		})
		all.Go(func() {
			await(filling)
			close(following)
			if err := insert(`INSERT INTO notes VALUES ('last')`); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
	}
	for _, text := range []string{"first", "last"} {
		if n := number(t, d, `SELECT count(*) FROM notes WHERE text = '`+text+`'`); n != rounds {
			t.Errorf("%s is stored %d times, want %d", text, n, rounds)
		}
	}
}

// await waits until somebody is about to do something, and gives them time for it.
func await(about <-chan struct{}) {
	<-about
	for range 1000 {
		runtime.Gosched()
	}
}

// readers is more than there are connections that read.
func readers() int { return 2*runtime.GOMAXPROCS(0) + 8 }

const selectThree = `SELECT n FROM (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3) x`

func TestAPanicWhileRowsAreReadHurtsNoLaterReader(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		read := func(each func(*db.Row) error) error {
			return d.Read(t.Context(), func(tx *db.Tx) error { return tx.Query(selectThree, each) })
		}
		for range readers() {
			func() {
				defer func() { _ = recover() }()
				_ = read(func(*db.Row) error { panic("read") })
			}()
		}
		for range readers() {
			n := 0
			if err := read(func(*db.Row) error { n++; return nil }); err != nil || n != 3 {
				t.Fatalf("%d rows, %v", n, err)
			}
		}
	})
}

func TestAReadIsBrokenOffWhenNobodyWaitsForIt(t *testing.T) {
	t.Parallel()
	d := opened(t, testkit.NewDatabase(t, "sqlite"))
	for range readers() {
		ctx, cancel := context.WithCancel(t.Context())
		err := d.Read(ctx, func(tx *db.Tx) error {
			return tx.Query(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 2`, func(*db.Row) error {
				cancel() // there is no second row, but SQLite looks for it for ever
				return nil
			})
		})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("an endless read: %v", err)
		}
	}
	for range readers() {
		n := 0
		if err := d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.Query(selectThree, func(*db.Row) error { n++; return nil })
		}); err != nil || n != 3 {
			t.Errorf("%d rows afterwards, %v", n, err)
		}
	}
}

func TestNobodyElseMayReadTheFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	d := opened(t, db.Options{Dir: dir})
	testkit.Exec(t, d, `CREATE TABLE notes (text TEXT NOT NULL)`)
	files, err := filepath.Glob(filepath.Join(dir, db.FileName+"*"))
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
}

func opened(t *testing.T, o db.Options) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}
