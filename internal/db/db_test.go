package db_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

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
			if !errors.Is(err, db.ErrUnique) || countUsers(t, d) != 2 {
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

// What ReadOne runs sees one state, though it has more than one statement.
func TestReadsOfSeveralStatementsSeeOneState(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		n := 0
		insert := func() {
			n++
			testkit.Exec(t, d, insertUser, fmt.Sprint(n), fmt.Sprint(n))
		}
		for name, read := range map[string]func(context.Context, func(*db.Tx) error) error{"Read": d.Read, "ReadOne": d.ReadOne} {
			var counts []int64
			err := read(t.Context(), func(tx *db.Tx) error {
				counts = nil
				for range 3 {
					if _, err := tx.One(`SELECT count(*) FROM users`, func(r *db.Row) { counts = append(counts, r.Int()) }); err != nil {
						return err
					}
					insert()
				}
				return nil
			})
			if err != nil || len(counts) != 3 || counts[0] != counts[1] || counts[1] != counts[2] {
				t.Errorf("%s: %v, %v", name, counts, err)
			}
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
