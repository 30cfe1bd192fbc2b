package db_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// reports collects what a database tells of itself.
type reports struct {
	mutex sync.Mutex
	told  []string
}

func (r *reports) add(err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.told = append(r.told, fmt.Sprint(err))
}

func (r *reports) count() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return len(r.told)
}

// openNotes opens a database with a table of notes, and enough of them to fill many pages of the file.
func openNotes(t *testing.T, dir string, o db.Options) *db.DB {
	t.Helper()
	o.Dir = dir
	d := opened(t, o)
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, d, `CREATE TABLE IF NOT EXISTS notes (text TEXT NOT NULL)`)
	for range 50 {
		if err := writeNote(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the file grows", func() bool {
		info, err := os.Stat(filepath.Join(dir, db.FileName))
		return err == nil && info.Size() > 300_000
	})
	if err := d.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

func writeNote(ctx context.Context, d *db.DB) error {
	return d.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(`INSERT INTO notes (text) VALUES ($1)`, strings.Repeat("note ", 2000))
		return err
	})
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for start := time.Now(); !holds(); <-time.After(10 * time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal(what + ": not within 10 seconds")
		}
	}
}

func wantUnready(t *testing.T, d *db.DB, reason string) {
	t.Helper()
	err := d.Ready(t.Context())
	if unready, ok := errors.AsType[*db.Unready](err); !ok || unready.Reason != reason {
		t.Errorf("not ready because of %v, want %s", err, reason)
	}
}

const lostReason = "The database file is gone, or was replaced or cut short."

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsAcknowledgedThatIsNotInTheInstallationsFile(t *testing.T) {
	t.Parallel()
	for what, fault := range map[string]func(t *testing.T, dir, file string){
		"directory removed": func(t *testing.T, dir, _ string) { must(t, os.RemoveAll(dir)) },
		"directory replaced": func(t *testing.T, dir, _ string) {
			must(t, os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o700))
		},
		"file removed": func(t *testing.T, _, file string) { must(t, os.Remove(file)) },
		"file replaced by a copy": func(t *testing.T, _, file string) {
			content, err := os.ReadFile(file)
			must(t, err, os.WriteFile(file+".copy", content, 0o600), os.Rename(file+".copy", file))
		},
		"file emptied":   func(t *testing.T, _, file string) { must(t, os.Truncate(file, 0)) },
		"file cut short": func(t *testing.T, _, file string) { must(t, os.Truncate(file, 100_000)) },
		"file overwritten with another database": func(t *testing.T, _, file string) {
			other := t.TempDir()
			d := openNotes(t, other, db.Options{})
			must(t, d.Close())
			content, err := os.ReadFile(filepath.Join(other, db.FileName))
			must(t, err)
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteAt(content, 0)
			must(t, err, f.Close())
		},
		"file overwritten with something else": func(t *testing.T, _, file string) {
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteAt(bytes.Repeat([]byte("x"), 4096), 0)
			must(t, err, f.Close())
		},
		"write-ahead log removed": func(t *testing.T, _, file string) { must(t, os.Remove(file+"-wal")) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			var told reports
			d := openNotes(t, dir, db.Options{Exclusive: true, Report: told.add})
			fault(t, dir, filepath.Join(dir, db.FileName))
			for range 3 {
				if err := writeNote(t.Context(), d); !errors.Is(err, db.ErrUnavailable) && !errors.Is(err, db.ErrDamaged) {
					t.Errorf("a write: %v", err)
				}
			}
			eventually(t, "it is noticed", func() bool { return told.count() > 0 })
			if err := d.Ping(t.Context()); !errors.Is(err, db.ErrUnavailable) {
				t.Errorf("a read: %v", err)
			}
			wantUnready(t, d, lostReason)
			if n := told.count(); n > 2 { // that it is lost, and perhaps that it is damaged
				t.Errorf("told %d times: %q", n, told.told)
			}
		})
	}
}

// awaitCheckpoint waits until nothing is being moved into the file from its log: a copy of half of that is damaged.
func awaitCheckpoint(t *testing.T, file string) {
	t.Helper()
	var before []byte
	eventually(t, "the file stays as it is", func() bool {
		<-time.After(200 * time.Millisecond)
		now, err := os.ReadFile(file)
		must(t, err)
		same := bytes.Equal(before, now)
		before = now
		return same
	})
}

// A server is killed, and its database is opened again without its write-ahead log, as by who copies only the database.
func TestALostWriteAheadLogIsNoticed(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		fault func(t *testing.T, log string)
		want  int
	}{
		"it is there": {func(*testing.T, string) {}, 0},
		"removed":     {func(t *testing.T, log string) { must(t, os.Remove(log)) }, 1},
		"emptied":     {func(t *testing.T, log string) { must(t, os.Truncate(log, 0)) }, 1},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir, killed := t.TempDir(), t.TempDir()
			must(t, openNotes(t, dir, db.Options{}).Close())
			d := openNotes(t, dir, db.Options{Exclusive: true})
			must(t, writeNote(t.Context(), d))
			awaitCheckpoint(t, filepath.Join(dir, db.FileName))
			must(t, os.CopyFS(killed, os.DirFS(dir)))
			must(t, os.Remove(filepath.Join(killed, "penstock.lock")))
			c.fault(t, filepath.Join(killed, db.FileName+"-wal"))
			must(t, openNotes(t, killed, db.Options{}).Close()) // a command of an operator, which nobody reads a log of
			for range 2 {                                       // it is told once
				var told reports
				again := openNotes(t, killed, db.Options{Exclusive: true, Report: told.add})
				if n := told.count(); n != c.want || n > 0 && !strings.Contains(told.told[0], "-wal is gone") {
					t.Errorf("told %q", told.told)
				}
				must(t, again.Close())
				c.want = 0
			}
		})
	}
}

func TestADirectoryThatComesBackIsServedAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	d := openNotes(t, dir, db.Options{})
	before := number(t, d, `SELECT count(*) FROM notes`)
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := writeNote(t.Context(), d); !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("a write: %v", err)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.Ping(t.Context()), d.Ready(t.Context())); err != nil {
		t.Error(err)
	}
	if after := number(t, d, `SELECT count(*) FROM notes`); after != before {
		t.Errorf("a write that was refused is stored: there were %d notes, and are %d", before, after)
	}
	if err := writeNote(t.Context(), d); err != nil {
		t.Error(err)
	}
}

func TestADirectoryThatHeldAnotherDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	other := t.TempDir()
	if err := openNotes(t, other, db.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	for what, fault := range map[string]func(file string) error{
		"missing": os.Remove,
		"emptied": func(file string) error { return os.Truncate(file, 0) },
		"exchanged": func(file string) error {
			content, err := os.ReadFile(filepath.Join(other, db.FileName))
			return errors.Join(err, os.WriteFile(file, content, 0o600))
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := openNotes(t, dir, db.Options{}).Close(); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, db.FileName)
			if err := fault(file); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Stat(file)
			_, err := db.Open(t.Context(), db.Options{Dir: dir})
			if !errors.Is(err, db.ErrOtherDatabase) || !strings.Contains(err.Error(), "penstock restore") {
				t.Errorf("error %v", err)
			}
			if after, _ := os.Stat(file); (before == nil) != (after == nil) {
				t.Error("the refusal has left a file")
			}
			// A restore may go on, and so may whoever removes the marker.
			d := opened(t, db.Options{Dir: dir, Anew: true, Exclusive: true})
			if err := d.WriteAlone(t.Context(), func(tx *db.Tx) error {
				_, err := tx.MigrateTo(db.Latest())
				return err
			}); err != nil {
				t.Error(err)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			opened(t, db.Options{Dir: dir})
		})
	}
}

func TestADatabaseThatNothingWasMadeInIsRemovedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, err := db.Open(t.Context(), db.Options{Dir: dir, Anew: true, Exclusive: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "penstock.[di]*")); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestDamageIsFoundAtTheStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := openNotes(t, dir, db.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, db.FileName), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for page := int64(100); page < 110; page++ {
		if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, 4096), page*4096); err != nil {
			t.Fatal(err)
		}
	}
	_ = f.Close()
	var told reports
	d := opened(t, db.Options{Dir: dir, Exclusive: true, Report: told.add})
	eventually(t, "the damage is found", func() bool { return told.count() == 1 })
	wantUnready(t, d, "The database is damaged.")
}

// However many wait, and whoever holds the database, a write waits ten seconds.
func TestAQueuedWriteDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := openNotes(t, dir, db.Options{})
	other := opened(t, db.Options{Dir: dir})
	holding, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = other.Write(t.Context(), func(*db.Tx) error {
			close(holding)
			<-release
			return nil
		})
	})
	<-holding
	start := time.Now()
	var writers sync.WaitGroup
	for range 6 {
		writers.Go(func() {
			if err := writeNote(t.Context(), d); !errors.Is(err, db.ErrOverloaded) {
				t.Errorf("error %v", err)
			}
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("a write waited %s", took)
			}
		})
	}
	writers.Wait()
	close(release)
	wg.Wait()
	if err := writeNote(t.Context(), d); err != nil {
		t.Error(err)
	}
}

func TestAServerWhoseConnectionsAreTakenIsReady(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		release := make(chan struct{})
		var holding, wg sync.WaitGroup
		for range d.Readers() {
			holding.Add(1)
			wg.Go(func() {
				_ = d.Read(t.Context(), func(*db.Tx) error {
					holding.Done()
					<-release
					return nil
				})
			})
		}
		holding.Wait()
		if err := d.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		close(release)
		wg.Wait()
	})
}

func TestADatabaseThatOnlyReadsIsNotReady(t *testing.T) {
	t.Parallel()
	o := testkit.NewDatabase(t, "postgres")
	testkit.Exec(t, opened(t, o), `DO $$ BEGIN EXECUTE 'ALTER DATABASE "' || current_database() || '" SET default_transaction_read_only = on'; END $$`)
	wantUnready(t, opened(t, o), "The database can only be read.")
}
