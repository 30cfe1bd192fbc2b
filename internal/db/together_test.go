package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// addUsers stores users whose ids are the numbers up to n.
func addUsers(t *testing.T, d *db.DB, n int) {
	t.Helper()
	for i := range n {
		testkit.Exec(t, d, insertUser, fmt.Sprint(i+1), fmt.Sprint(i+1))
	}
}

const selectUsers = `SELECT id FROM users WHERE id >= $1 ORDER BY id`

// readUsers returns a function that reads the ids of users.
func readUsers(tx *db.Tx, from string, ids *[]string) func() error {
	return func() error {
		return tx.Query(selectUsers, func(r *db.Row) error {
			*ids = append(*ids, r.Text())
			return nil
		}, from)
	}
}

func TestFunctionsThatRunTogetherGetTheirOwnRows(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		addUsers(t, d, 3)
		for name, do := range map[string]func(context.Context, func(*db.Tx) error) error{"read": d.Read, "write": d.Write} {
			var all, last, nested, behind []string
			count, found := int64(0), true
			err := do(t.Context(), func(tx *db.Tx) error {
				return tx.Together(
					readUsers(tx, "1", &all),
					func() error { // its second statement depends on the first
						if err := readUsers(tx, "3", &last)(); err != nil || len(last) != 1 {
							return fmt.Errorf("read %v: %w", last, err)
						}
						_, err := tx.One(`SELECT count(*) FROM users WHERE id < $1`, func(r *db.Row) { count = r.Int() }, last[0])
						return err
					},
					func() error { return nil },
					func() error {
						if err := tx.Together(readUsers(tx, "2", &nested), func() (err error) {
							found, err = tx.One(selectUsers, func(*db.Row) {}, "9")
							return err
						}); err != nil {
							return err
						}
						return readUsers(tx, nested[1], &behind)()
					},
				)
			})
			if err != nil || found || count != 2 || !slices.Equal(all, []string{"1", "2", "3"}) || !slices.Equal(nested, all[1:]) ||
				!slices.Equal(last, all[2:]) || !slices.Equal(behind, last) {
				t.Errorf("%s: %v, %v, %v, %v, count %d, found %v: %v", name, all, last, nested, behind, count, found, err)
			}
		}
	})
}

// TestAFailureOfFunctionsThatRunTogether has one of them fail in each way there is. The first failure is returned, and neither the transaction
// nor its connection suffers from one that is not the database's.
func TestAFailureOfFunctionsThatRunTogether(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		addUsers(t, d, 3)
		refused := errors.New("refused")
		query := func(tx *db.Tx, sql string, err error) error { return tx.Query(sql, func(*db.Row) error { return err }) }
		const good, wrong = `SELECT id FROM users`, `SELECT no_such_column FROM users`
		const failing = `SELECT abs(CAST('-9223372036854775808' AS BIGINT))` // its opposite is too large
		for name, c := range map[string]struct {
			fail           func(*db.Tx) error
			fails, panicks bool
		}{
			"before it asks":    {fail: func(*db.Tx) error { return refused }},
			"at a row":          {fail: func(tx *db.Tx) error { return query(tx, good, refused) }},
			"behind its rows":   {fail: func(tx *db.Tx) error { return errors.Join(query(tx, good, nil), refused) }},
			"nested":            {fail: func(tx *db.Tx) error { return tx.Together(func() error { return query(tx, good, refused) }) }},
			"a wrong statement": {fail: func(tx *db.Tx) error { return query(tx, wrong, nil) }, fails: true},
			"while it runs":     {fail: func(tx *db.Tx) error { return query(tx, failing, nil) }, fails: true},
			"a panic":           {fail: func(tx *db.Tx) error { panic(refused) }, panicks: true},
			"a panic at a row":  {fail: func(tx *db.Tx) error { return tx.Query(good, func(*db.Row) error { panic(refused) }) }, panicks: true},
		} {
			t.Run(name, func(t *testing.T) {
				var before []string
				err := d.Read(t.Context(), func(tx *db.Tx) (err error) {
					defer func() {
						if got := recover(); (got == any(refused)) != c.panicks {
							t.Errorf("recovered %v", got)
						}
					}()
					err = tx.Together(readUsers(tx, "1", &before), func() error { return c.fail(tx) }, func() error {
						return errors.Join(query(tx, good, nil), query(tx, good, nil), errors.New("another"))
					})
					if c.fails {
						return err
					}
					var again []string
					if failed := readUsers(tx, "2", &again)(); failed != nil || len(again) != 2 {
						t.Errorf("afterwards %v were read: %v", again, failed)
					}
					return err
				})
				if want := !c.fails && !c.panicks; errors.Is(err, refused) != want || c.fails && (err == nil || errors.Is(err, db.ErrUnavailable)) {
					t.Errorf("error %v", err)
				}
				if name == "while it runs" && !slices.Equal(before, []string{"1", "2", "3"}) {
					t.Errorf("before it, %v were read", before)
				}
				if n := countUsers(t, d); n != 3 {
					t.Errorf("%d users", n)
				}
			})
		}
	})
}

func TestLimitsHoldForFunctionsThatRunTogether(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		addUsers(t, d, 3)
		statements, bytes := errors.New("statements"), errors.New("bytes")
		for _, c := range []struct {
			statements int
			bytes      int64
			want       error
			read       int
		}{{2, 5_000, nil, 6}, {1, 5_000, statements, -1}, {2, 2_100, bytes, 5}} {
			var first, second []string
			err := d.Read(t.Context(), func(tx *db.Tx) error {
				tx.SetLimit(db.Limit{Statements: c.statements, Bytes: c.bytes, OverStatements: statements, OverBytes: bytes})
				return tx.Together(readUsers(tx, "1", &first), readUsers(tx, "1", &second))
			})
			if n := len(first) + len(second); !errors.Is(err, c.want) || c.read >= 0 && n != c.read {
				t.Errorf("%+v: %d rows were read: %v", c, n, err)
			}
		}
		before := d.Statements()
		err := d.Read(t.Context(), func(tx *db.Tx) error {
			tx.SetLimit(db.Limit{Statements: 100, Bytes: 100, OverStatements: statements, OverBytes: bytes})
			for range 3 { // what is over the limit is not asked for
				if err := tx.Together(slices.Repeat([]func() error{readUsers(tx, "1", new([]string))}, 20)...); !errors.Is(err, bytes) {
					t.Errorf("over the limit: %v", err)
				}
			}
			return nil
		})
		if n := d.Statements() - before; err != nil || n > 8 {
			t.Errorf("%d statements were run over the limit: %v", n, err)
		}
		var one, two []string
		err = d.ReadStatement(t.Context(), func(tx *db.Tx) error {
			return tx.Together(readUsers(tx, "1", &one), readUsers(tx, "1", &two))
		})
		if !errors.Is(err, db.ErrSecondStatement) {
			t.Errorf("a second statement: %v", err)
		}
	})
}

func TestFunctionsThatRunTogetherMayWrite(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		count := func(tx *db.Tx, id string, n *int64) error {
			_, err := tx.One(`SELECT count(*) FROM users WHERE id = $1`, func(r *db.Row) { *n = r.Int() }, id)
			return err
		}
		var before, later, changed int64
		write := func(end func(*db.Tx) error) error {
			return d.Write(t.Context(), func(tx *db.Tx) error {
				if err := tx.Later(insertUser, "before", "before"); err != nil {
					return err
				}
				if err := tx.Together(
					func() error { return count(tx, "before", &before) },
					func() error { return errors.Join(tx.Later(insertUser, "later", "later"), count(tx, "later", &later)) },
					func() error {
						if _, err := tx.Exec(insertUser, "now", "now"); err != nil {
							return err
						}
						return count(tx, "now", &changed)
					},
					func() error { return tx.Later(insertUser, "last", "last") },
				); err != nil {
					return err
				}
				return end(tx)
			})
		}
		refused := errors.New("refused")
		if err := write(func(*db.Tx) error { return refused }); !errors.Is(err, refused) || countUsers(t, d) != 0 {
			t.Errorf("a write that is undone: %v; %d users are stored", err, countUsers(t, d))
		}
		before, later, changed = 0, 0, 0
		if err := write(func(*db.Tx) error { return nil }); err != nil || before+later+changed != 3 || countUsers(t, d) != 4 {
			t.Errorf("%v; seen %d, %d, %d; %d users are stored", err, before, later, changed, countUsers(t, d))
		}
		// A statement for later that fails is not taken for a violation by those that read.
		err := write(func(*db.Tx) error { return nil })
		if err == nil || errors.Is(err, db.ErrUnique) || countUsers(t, d) != 4 {
			t.Errorf("users who exist: %v; %d users are stored", err, countUsers(t, d))
		}
	})
}

// TestRoundTrips counts how often an answer is waited for, that to the end of a transaction too. Whoever separates what is sent together fails it.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "postgres")
	addUsers(t, d, 3)
	var ids []string
	many := func(tx *db.Tx, n int) error {
		functions := make([]func() error, n)
		for i := range functions {
			functions[i] = readUsers(tx, "1", &ids)
		}
		return tx.Together(functions...)
	}
	for _, c := range []struct {
		name string
		do   func(context.Context, func(*db.Tx) error) error
		fn   func(*db.Tx) error
		want int64
	}{
		{"a read of one statement", d.Read, func(tx *db.Tx) error { return many(tx, 1) }, 2},
		{"a read of five statements", d.Read, func(tx *db.Tx) error { return many(tx, 5) }, 2},
		{"a read of many statements", d.Read, func(tx *db.Tx) error { return many(tx, 20) }, 4},
		{"no transaction", d.ReadStatement, func(tx *db.Tx) error { return many(tx, 1) }, 1},
		{"one after the other", d.Read, func(tx *db.Tx) error { return errors.Join(many(tx, 1), many(tx, 2)) }, 3},
		{"nested", d.Read, func(tx *db.Tx) error {
			return tx.Together(
				func() error { return many(tx, 3) },
				func() error { return errors.Join(many(tx, 2), many(tx, 2)) },
				readUsers(tx, "1", &ids))
		}, 3},
		{"a write", d.Write, func(tx *db.Tx) error {
			return errors.Join(tx.Later(insertUser, "4", "4"), many(tx, 3), tx.Later(insertUser, "5", "5"))
		}, 2},
	} {
		before := d.RoundTrips()
		if err := c.do(t.Context(), c.fn); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if n := d.RoundTrips() - before; n != c.want {
			t.Errorf("%s takes %d round trips, want %d", c.name, n, c.want)
		}
	}
}

func TestFunctionsThatRunTogetherHaveTimeLimits(t *testing.T) {
	t.Parallel()
	d, _ := openThroughProxy(t, "&statement_timeout=300ms")
	sleep := func(tx *db.Tx, seconds string) func() error {
		return func() error {
			return tx.Query(`SELECT CAST(pg_sleep(`+seconds+`) AS TEXT)`, func(*db.Row) error { return nil })
		}
	}
	together := func(ctx context.Context, seconds ...string) error {
		return d.Read(ctx, func(tx *db.Tx) error {
			var functions []func() error
			for _, s := range seconds {
				functions = append(functions, sleep(tx, s))
			}
			return tx.Together(functions...)
		})
	}
	if err := together(t.Context(), "0.2", "0.2"); err != nil {
		t.Errorf("each has the time that a statement has: %v", err)
	}
	if err := together(t.Context(), "0", "5", "0"); !errors.Is(err, db.ErrUnavailable) {
		t.Errorf("one that takes too long: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := together(ctx, "0", "0"); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller has gone: %v", err)
	}
	if err := together(t.Context(), "0", "0"); err != nil {
		t.Error(err)
	}
}
