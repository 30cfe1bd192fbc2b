package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
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

// A write's function runs once, whatever becomes of the writes that share its transaction.
func TestAWriteThatFailsHalfwayMakesNoOtherRunAgain(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	refused := errors.New("refused")
	var runs [60]atomic.Int64
	var all sync.WaitGroup
	for i := range runs {
		all.Go(func() {
			err := d.Write(t.Context(), func(tx *db.Tx) error {
				runs[i].Add(1)
				if _, err := tx.Exec(insertUser, fmt.Sprint(i), fmt.Sprint(i)); err != nil {
					return err
				}
				content := []byte("content")
				if _, err := tx.Exec(`UPDATE users SET name = $2 WHERE id = $1`, fmt.Sprint(i), &content); err != nil {
					return err
				}
				clear(content)
				if i%5 == 0 {
					return refused
				}
				return nil
			})
			if (i%5 == 0) != errors.Is(err, refused) || i%5 != 0 && err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		})
	}
	all.Wait()
	for i := range runs {
		if n := runs[i].Load(); n != 1 {
			t.Errorf("write %d was run %d times", i, n)
		}
	}
	if n := number(t, d, `SELECT count(*) FROM users WHERE CAST(name AS TEXT) = 'content'`); n != 48 {
		t.Errorf("%d users are stored as they were written, want 48", n)
	}
}

func TestAPanicInAWriteKeepsItsStack(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	stack := func() (stack string) {
		defer func() {
			_ = recover()
			stack = string(debug.Stack())
		}()
		_ = d.Write(t.Context(), panicInAWrite)
		return ""
	}()
	if !strings.Contains(stack, "panicInAWrite") {
		t.Errorf("the stack does not show who panicked:\n%s", stack)
	}
}

func panicInAWrite(*db.Tx) error { panic("write") }

func TestAWriteThatEndsItsGoroutineDoesNotEndTheWriter(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			_ = d.Write(t.Context(), func(tx *db.Tx) error {
				if _, err := tx.Exec(insertUser, "1", "a"); err != nil {
					t.Error(err)
				}
				runtime.Goexit() // as t.Fatal does
				return nil
			})
		})
	}
	all.Wait()
	testkit.Exec(t, d, insertUser, "1", "a")
	if n := countUsers(t, d); n != 1 {
		t.Errorf("%d users are stored", n)
	}
}

func TestNoWriteReturnsWhileItsFunctionRuns(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), testkit.NewDatabase(t, "sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	running, closing, returned := make(chan struct{}), make(chan struct{}), atomic.Bool{}
	all.Go(func() {
		err := d.Write(t.Context(), func(*db.Tx) error {
			close(running)
			await(closing)
			if returned.Load() {
				t.Error("the write has returned already")
			}
			return nil
		})
		returned.Store(true)
		if err != nil {
			t.Error(err)
		}
	})
	<-running
	close(closing)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	if err := d.Write(t.Context(), func(*db.Tx) error { return nil }); !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("a write to a closed database: %v", err)
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

func number(t testing.TB, d *db.DB, sql string) (n int64) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		_, err := tx.One(sql, func(r *db.Row) { n = r.Int() })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
