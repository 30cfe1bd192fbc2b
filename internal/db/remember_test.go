package db_test

import (
	"strconv"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// What is remembered is never older than what was committed, by whichever connection or process.
func TestWhatIsRememberedIsForgottenWhenAnythingChanges(t *testing.T) {
	t.Parallel()
	options := testkit.NewDatabase(t, "sqlite")
	server, command := opened(t, options), opened(t, options)
	exec(t, server, `CREATE TABLE notes (n BIGINT NOT NULL)`)
	exec(t, server, `INSERT INTO notes (n) VALUES (0)`)
	loaded := 0
	note := func(read func(func(*db.Tx) error) error) (n int64) {
		t.Helper()
		err := read(func(tx *db.Tx) (err error) {
			n, err = db.Remembered(tx, "note", func(int64) int { return 1 }, func() (n int64, err error) {
				loaded++
				_, err = tx.One(`SELECT n FROM notes`, func(r *db.Row) { n = r.Int() })
				return n, err
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	reads := map[string]func(func(*db.Tx) error) error{
		"Read":    func(fn func(*db.Tx) error) error { return server.Read(t.Context(), fn) },
		"ReadOne": func(fn func(*db.Tx) error) error { return server.ReadOne(t.Context(), fn) },
		"Write":   func(fn func(*db.Tx) error) error { return server.Write(t.Context(), fn) },
	}
	for i := int64(1); i <= 20; i++ {
		by := server
		if i%2 == 0 {
			by = command
		}
		exec(t, by, `UPDATE notes SET n = `+strconv.FormatInt(i, 10))
		for name, read := range reads {
			for range 10 { // more than there are connections that remember
				if got := note(read); got != i {
					t.Fatalf("%s returned %d after %d was stored", name, got, i)
				}
			}
		}
	}
	before := loaded
	for range 100 {
		note(reads["ReadOne"])
	}
	if loaded-before > 10 {
		t.Errorf("loaded %d times although nothing changed", loaded-before)
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	t.Parallel()
	d := opened(t, testkit.NewDatabase(t, "sqlite"))
	loaded := 0
	for i := range 30_000 {
		err := d.ReadOne(t.Context(), func(tx *db.Tx) error {
			_, err := db.Remembered(tx, strconv.Itoa(i%15_000), func(int) int { return 1 }, func() (int, error) { loaded++; return i, nil })
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if loaded < 15_000 {
		t.Errorf("%d results were loaded", loaded)
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
