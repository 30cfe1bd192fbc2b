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
	testkit.Exec(t, server, `CREATE TABLE notes (n BIGINT NOT NULL)`)
	testkit.Exec(t, server, `INSERT INTO notes (n) VALUES (0)`)
	loaded := 0
	note := func(read func(func(*db.Tx) error) error) (n int64) {
		t.Helper()
		err := read(func(tx *db.Tx) (err error) {
			n, err = db.Remembered(tx, "note", func() (n int64, err error) {
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
		testkit.Exec(t, by, `UPDATE notes SET n = `+strconv.FormatInt(i, 10))
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
	read := func(key string, bytes int) {
		t.Helper()
		err := d.ReadOne(t.Context(), func(tx *db.Tx) error {
			_, err := db.Remembered(tx, key, func() (text string, err error) {
				loaded++
				_, err = tx.One(`SELECT hex(zeroblob($1))`, func(r *db.Row) { text = r.Text() }, bytes/2)
				return text, err
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for bytes, n := range map[int]int{0: 10_000 * readers(), 100_000: 50 * readers()} {
		loaded = 0
		for range 2 {
			for i := range n {
				read(strconv.Itoa(bytes)+" "+strconv.Itoa(i), bytes)
			}
		}
		if loaded != 2*n {
			t.Errorf("of %d results of %d bytes, %d were remembered", n, bytes, 2*n-loaded)
		}
	}
	loaded = 0
	for range readers() * 2 {
		read("too large", 2<<20)
	}
	if loaded != readers()*2 {
		t.Error("one result that takes most of the memory was remembered")
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
