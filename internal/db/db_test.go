package db_test

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

func TestParametersKeepTheirMeaningOutOfOrder(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		err := d.Read(t.Context(), func(tx *db.Tx) error {
			for range 2 {
				_, err := tx.One(`SELECT CAST($2 AS TEXT), CAST($1 AS TEXT), CAST($2 AS TEXT)`, func(r *db.Row) {
					if got := r.Text() + r.Text() + r.Text(); got != "bab" {
						t.Errorf("got %s", got)
					}
				}, "a", "b")
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

const insertUser = `INSERT INTO users (id, email, email_key, name, name_key, created_at) VALUES ($1, $2, $2, $2, $2, 0)`

func countUsers(t *testing.T, d *db.DB) (n int64) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		_, err := tx.One(`SELECT count(*) FROM users`, func(r *db.Row) { n = r.Int() })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAFailedWriteLeavesNothingAndItsNeighboursEverything(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		refused := errors.New("refused")
		var wg sync.WaitGroup
		for i := range 90 {
			wg.Go(func() {
				defer func() {
					if p := recover(); (p != nil) != (i%3 == 2) {
						t.Errorf("write %d: recovered %v", i, p)
					}
				}()
				err := d.Write(t.Context(), func(tx *db.Tx) error {
					if _, err := tx.Exec(insertUser, fmt.Sprint(i), fmt.Sprint(i)); err != nil {
						return err
					}
					switch i % 3 {
					case 1:
						return refused
					case 2:
						panic("write")
					}
					return nil
				})
				if i%3 == 1 && !errors.Is(err, refused) || i%3 == 0 && err != nil {
					t.Errorf("write %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		if n := countUsers(t, d); n != 30 {
			t.Errorf("%d users are stored, want 30", n)
		}
	})
}

func TestAStatementForLaterIsSeenByTheNextAndFailsTheWriteIfItFails(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		var seen int64
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			if err := tx.Later(insertUser, "1", "a"); err != nil {
				return err
			}
			if _, err := tx.One(`SELECT count(*) FROM users`, func(r *db.Row) { seen = r.Int() }); err != nil {
				return err
			}
			return tx.Later(insertUser, "2", "b")
		})
		if err != nil || seen != 1 || countUsers(t, d) != 2 {
			t.Errorf("%v; %d users were seen, %d are stored", err, seen, countUsers(t, d))
		}
		for name, end := range map[string]func(*db.Tx) error{
			"commit": func(*db.Tx) error { return nil },
			"query":  func(tx *db.Tx) error { return tx.Query(`SELECT 1`, func(*db.Row) error { return nil }) },
			"exec":   func(tx *db.Tx) error { _, err := tx.Exec(insertUser, "4", "d"); return err },
			"later":  func(tx *db.Tx) error { return tx.Later(insertUser, "4", "d") },
		} {
			err := d.Write(t.Context(), func(tx *db.Tx) error {
				for _, id := range []string{"3", "1"} {
					if err := tx.Later(insertUser, id, "e-mail of "+id); err != nil {
						return err
					}
				}
				return end(tx)
			})
			// It must not be taken for a violation by the statement that it was sent with.
			if err == nil || errors.Is(err, db.ErrUnique) || errors.Is(err, db.ErrUnavailable) || countUsers(t, d) != 2 {
				t.Errorf("a user who exists, then %s: %v; %d users are stored", name, err, countUsers(t, d))
			}
		}
		if err := d.Write(t.Context(), func(*db.Tx) error { return nil }); err != nil {
			t.Error("a write of nothing:", err)
		}
	})
}

func TestAWriteThatIgnoresAFailureIsNotTakenForStored(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.Exec(insertUser, "1", "a"); err != nil {
				return err
			}
			_, _ = tx.Exec(insertUser, "1", "b")
			return nil
		})
		if stored := countUsers(t, d) == 1; stored != (err == nil) {
			t.Errorf("%v; it is stored: %v", err, stored)
		}
		if err := d.Read(t.Context(), func(tx *db.Tx) error {
			_ = tx.Query(`SELECT no_such_column FROM users`, func(*db.Row) error { return nil })
			return nil
		}); err != nil {
			t.Error("a read that lives with a failure:", err)
		}
	})
}

func TestReadsOfSeveralStatementsSeeOneState(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		var counts []int64
		err := d.Read(t.Context(), func(tx *db.Tx) error {
			for i := range 3 {
				if _, err := tx.One(`SELECT count(*) FROM users`, func(r *db.Row) { counts = append(counts, r.Int()) }); err != nil {
					return err
				}
				testkit.Exec(t, d, insertUser, fmt.Sprint(i), fmt.Sprint(i))
			}
			return nil
		})
		if err != nil || !slices.Equal(counts, []int64{0, 0, 0}) {
			t.Errorf("%v, %v", counts, err)
		}
	})
}

func TestReadStatementRunsOneStatementOnceAndRefusesOthers(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		query := func(tx *db.Tx) error { return tx.Query(`SELECT 1`, func(*db.Row) error { return nil }) }
		for name, second := range map[string]func(*db.Tx) error{
			"query": query,
			"exec":  func(tx *db.Tx) error { _, err := tx.Exec(insertUser, "1", "a"); return err },
			"later": func(tx *db.Tx) error { return tx.Later(insertUser, "1", "a") },
		} {
			runs := 0
			err := d.ReadStatement(t.Context(), func(tx *db.Tx) error {
				runs++
				if err := query(tx); err != nil {
					return err
				}
				return second(tx)
			})
			if !errors.Is(err, db.ErrSecondStatement) || runs != 1 {
				t.Errorf("%s: %v; run %d times", name, err, runs)
			}
		}
		if err := d.ReadStatement(t.Context(), query); err != nil || countUsers(t, d) != 0 {
			t.Error(err)
		}
	})
}

// A deferred foreign key is checked at the commit: the write that broke it is refused, those that were
// to be committed with it are not.
func TestAWriteThatFailsAtItsCommitDoesNotTakeOthersAlong(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				err := d.Write(t.Context(), func(tx *db.Tx) error {
					if i%4 != 0 {
						_, err := tx.Exec(insertUser, fmt.Sprint(i), fmt.Sprint(i))
						return err
					}
					_, err := tx.Exec(`INSERT INTO organizations (id, slug, name, name_key, created_at, plan, billing_anchor, cluster_writes,
						maintainers_can_destroy_cache_registries, members_can_create_pipelines, default_cluster_id, allowed_api_ip_addresses,
						revoke_inactive_tokens_after_days, audit_retention_days)
						VALUES ($1, $1, $1, $1, 0, 'monthly', '2026-01-01', 'members', TRUE, TRUE, 'no such cluster', '', 0, 0)`, fmt.Sprint(i))
					return err
				})
				if broken := i%4 == 0; errors.Is(err, db.ErrForeignKey) != broken || !broken && err != nil {
					t.Errorf("write %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		if n := countUsers(t, d); n != 30 {
			t.Errorf("%d users are stored, want 30", n)
		}
	})
}

func TestUniqueViolationIsToldApart(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		insert := func(id, email string) error {
			return d.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(insertUser, id, email)
				return err
			})
		}
		if err := insert("1", "a"); err != nil {
			t.Fatal(err)
		}
		if err := insert("2", "a"); !errors.Is(err, db.ErrUnique) {
			t.Errorf("the same e-mail again: %v", err)
		}
		if err := insert("1", "b"); !errors.Is(err, db.ErrUnique) {
			t.Errorf("the same id again: %v", err)
		}
	})
}

func TestMigratingTwiceChangesNothingAndANewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		if steps, err := d.Migrate(t.Context()); steps != 0 || err != nil {
			t.Errorf("migrating again: %d steps, %v", steps, err)
		}
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(`INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, 'from the future', 0)`, db.Latest()+1)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Migrate(t.Context()); !errors.Is(err, db.ErrNewerSchema) {
			t.Errorf("migrating a newer schema: %v", err)
		}
		if err := d.CheckSchema(t.Context()); !errors.Is(err, db.ErrNewerSchema) {
			t.Errorf("using a newer schema: %v", err)
		}
	})
}

func TestTextComparesByBytes(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			for _, name := range []string{"b", "a", "B", "é", "_", "Z"} {
				if _, err := tx.Exec(insertUser, name, name); err != nil {
					return err
				}
			}
			var got string
			err := tx.Query(`SELECT name FROM users ORDER BY name`, func(r *db.Row) error {
				got += r.Text()
				return nil
			})
			if got != "BZ_abé" {
				t.Errorf("sorted as %s", got)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestASecondExclusiveUserIsRefused(t *testing.T) {
	t.Parallel()
	options := testkit.NewDatabase(t, "sqlite")
	options.Exclusive = true
	first, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Open(t.Context(), options); !errors.Is(err, db.ErrLocked) {
		t.Errorf("opening it a second time: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestASlowMigrationIsNotTimedOut(t *testing.T) {
	t.Parallel()
	options := testkit.NewDatabase(t, "postgres")
	patient, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = patient.Close() }()
	options.URL += "&statement_timeout=200ms"
	hasty, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = hasty.Close() }()
	locked := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := patient.Write(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.Exec(`LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE`); err != nil {
				return err
			}
			close(locked)
			_, err := tx.Exec(`SELECT pg_sleep(1)`)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-locked
	if _, err := hasty.Migrate(t.Context()); err != nil {
		t.Errorf("a slow migration: %v", err)
	}
	wg.Wait()
}

func TestBytesKeepEveryValue(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		makeBlobs(t, d)
		every := make([]byte, 256)
		for i := range every {
			every[i] = byte(i)
		}
		type digest []byte
		values := map[string]any{
			"none": nil, "nil": []byte(nil), "empty": []byte{}, "nul": []byte("a\x00b"), "not UTF-8": []byte{0xff, 0xc3},
			"every": every, "named": digest("named"), "large": bytes.Repeat(every, 4096),
		}
		rows := [][]any{{"copied", every}, {"copied empty", []byte{}}, {"copied none", nil}}
		if err := d.Write(t.Context(), func(tx *db.Tx) error {
			for name, value := range values {
				if _, err := tx.Exec(`INSERT INTO blobs (name, content) VALUES ($1, $2)`, name, value); err != nil {
					return err
				}
			}
			return tx.InsertRows("blobs", []string{"name", "content"}, func() (row []any, err error) {
				if len(rows) > 0 {
					row, rows = rows[0], rows[1:]
				}
				return row, nil
			})
		}); err != nil {
			t.Fatal(err)
		}
		want := map[string][]byte{
			"none": nil, "nil": nil, "empty": {}, "nul": []byte("a\x00b"), "not UTF-8": {0xff, 0xc3},
			"every": every, "named": []byte("named"), "large": bytes.Repeat(every, 4096),
			"copied": every, "copied empty": {}, "copied none": nil,
		}
		got := map[string][]byte{}
		if err := d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.Query(`SELECT name, content, content FROM blobs`, func(r *db.Row) error {
				name, content, again := r.Text(), r.NullBytes(), r.Bytes()
				if !bytes.Equal(content, again) || again == nil {
					t.Errorf("%s is %q, then %q", name, content, again)
				}
				got[name] = content
				return nil
			})
		}); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q\nwant %q", got, want)
		}
		if n := testkit.Exec(t, d, `DELETE FROM blobs WHERE content = $1`, []byte("a\x00b")); n != 1 {
			t.Errorf("%d rows have the bytes that were looked for", n)
		}
	})
}

func makeBlobs(t *testing.T, d *db.DB) {
	t.Helper()
	testkit.Exec(t, d, `CREATE TABLE blobs (name TEXT NOT NULL, content `+map[string]string{"sqlite": "BLOB", "postgres": "BYTEA"}[d.Engine()]+`)`)
}

// A migration says which tables it makes, and takes its types from the dialect.
func TestMigrationsNameTheirTablesAndTheirTypes(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		var made []string
		if err := d.Read(t.Context(), func(tx *db.Tx) error {
			tables, _, err := tx.Tables()
			for _, table := range tables {
				made = append(made, table.Name)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		// What is not named is in no backup, as the numbers of changes, which mean nothing elsewhere.
		all := `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('schema_migrations', 'table_changes')`
		if d.Engine() == "postgres" {
			all = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_migrations'`
		}
		if err := d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.Query(all, func(r *db.Row) error {
				if name := r.Text(); !slices.Contains(made, name) {
					t.Errorf("no migration names the table %s in its first line", name)
				}
				return nil
			})
		}); err != nil {
			t.Fatal(err)
		}
	})
	for _, m := range db.Migrations() {
		if regexp.MustCompile(`(?i)\b(TEXT|BLOB|BYTEA)\b`).MatchString(strings.ReplaceAll(m.Source, "{{.Text}}", "")) {
			t.Errorf("%s: write {{.Text}} and {{.Bytes}}", m.Name)
		}
	}
}

func TestTheDatabaseTellsTheTime(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			first, err := tx.Now()
			if err != nil {
				return err
			}
			if first.Location() != time.UTC || time.Since(first).Abs() > time.Minute || first.Nanosecond()%1000 != 0 {
				t.Errorf("it is %v", first)
			}
			for start := time.Now(); ; { // calls within one microsecond get the same time
				next, err := tx.Now()
				if err != nil || next.After(first) {
					return err
				}
				if next.Before(first) || time.Since(start) > time.Minute {
					t.Errorf("it is %v, then %v", first, next)
					return nil
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// Two workers that claim at the same moment get different rows, and neither waits for the other.
func TestWhatAnotherHasLockedIsSkipped(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "postgres")
	for _, id := range []string{"1", "2"} {
		testkit.Exec(t, d, insertUser, id, id)
	}
	claim := func(tx *db.Tx) (id string, err error) {
		_, err = tx.One(`SELECT id FROM users ORDER BY id LIMIT 1`+tx.SkipLocked(), func(r *db.Row) { id = r.Text() })
		return id, err
	}
	var ids []string
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		first, err := claim(tx)
		if err != nil {
			return err
		}
		return d.Write(t.Context(), func(other *db.Tx) error {
			second, err := claim(other)
			ids = []string{first, second}
			return err
		})
	})
	if err != nil || !slices.Equal(ids, []string{"1", "2"}) {
		t.Errorf("%v, %v", ids, err)
	}
}

func TestEveryTransactionsWaitIsCounted(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var reads, writes atomic.Int64
			options := testkit.NewDatabase(t, engine)
			options.Observe = func(w db.Wait) {
				if w.Kind == "read" {
					reads.Add(1)
				} else {
					writes.Add(1)
				}
			}
			d := opened(t, options)
			query := func(tx *db.Tx) error { return tx.Query(`SELECT 1`, func(*db.Row) error { return nil }) }
			for range 3 {
				if err := errors.Join(d.Read(t.Context(), query), d.ReadStatement(t.Context(), query), d.Write(t.Context(), query)); err != nil {
					t.Fatal(err)
				}
			}
			if reads.Load() != 6 || writes.Load() != 3 {
				t.Errorf("%d waits of 6 reads, %d of 3 writes", reads.Load(), writes.Load())
			}
		})
	}
}
