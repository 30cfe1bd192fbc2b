package db_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// TestWhatIsRememberedFollowsItsTables remembers what was read, and changes this and that.
func TestWhatIsRememberedFollowsItsTables(t *testing.T) {
	t.Parallel()
	options := testkit.NewDatabase(t, "sqlite")
	d := opened(t, options)
	command := opened(t, options) // of an operator, beside the server
	const (
		user  = `INSERT INTO users (id, email, email_key, name, name_key, created_at) VALUES ('%s', '%[1]s', '%[1]s', 'A', 'a', 0)`
		other = `UPDATE table_changes SET id = id` // commits, and changes no table that is counted
	)
	for _, sql := range []string{
		fmt.Sprintf(user, "a"),
		`INSERT INTO organizations (id, slug, name, name_key, created_at, plan, billing_anchor, cluster_writes, maintainers_can_destroy_cache_registries,
			members_can_create_pipelines, allowed_api_ip_addresses, revoke_inactive_tokens_after_days, audit_retention_days)
			VALUES ('o', 'o', 'O', 'o', 0, 'monthly', '', 'members', FALSE, FALSE, '', 0, 0)`,
		`INSERT INTO organization_members (id, organization_id, user_id, role, created_at) VALUES ('m', 'o', 'a', 'admin', 0)`,
	} {
		testkit.Change(t, d, sql)
	}
	const (
		users   = `SELECT count(*) FROM users`
		members = `SELECT count(*) FROM organization_members`
		jobs    = `SELECT count(*) FROM users u LEFT JOIN jobs j ON j.id = u.id`
		number  = `SELECT count(next_build_number) FROM pipelines`
		names   = `SELECT count(name) FROM pipelines`
	)
	for _, c := range []struct {
		name, read, change string
		by                 *db.DB
		remembered, stays  bool
	}{
		{"something else", users, other, d, true, true},
		{"a row is added", users, fmt.Sprintf(user, "b"), d, true, false},
		{"a row is changed", users, `UPDATE users SET name = 'B' WHERE id = 'a'`, d, true, false},
		{"a row is removed", users, `DELETE FROM users WHERE id = 'b'`, d, true, false},
		{"a row of another table", users, `UPDATE organizations SET name = 'P'`, d, true, true},
		{"by another process", users, `UPDATE users SET name = 'C' WHERE id = 'a'`, command, true, false},
		{"something else by another process", users, other, command, true, true},
		{"of a table that is not counted", jobs, other, d, false, false},
		{"of a column that is not counted", number, other, d, false, false},
		{"of other columns of the same table", names, other, d, true, true},
		{"by a cascade", members, `DELETE FROM organizations`, d, true, false},
	} {
		name := c.name
		t.Run(name, func(t *testing.T) {
			read(t, d, func(tx *db.Tx) error {
				if _, err := tx.One(c.read, func(*db.Row) {}); err != nil {
					return err
				}
				tx.Remember(name, true)
				return nil
			})
			read(t, d, func(tx *db.Tx) error { // what follows from it
				_, found := tx.Recall(name)
				if found != c.remembered {
					t.Errorf("it is remembered: %t", found)
				}
				if found {
					tx.Remember(name+", indeed", true)
				}
				return nil
			})
			testkit.Exec(t, c.by, c.change)
			read(t, d, func(tx *db.Tx) error {
				for _, key := range []string{name, name + ", indeed"} {
					if _, found := tx.Recall(key); found != c.stays {
						t.Errorf("%s: it is remembered: %t", key, found)
					}
				}
				return nil
			})
		})
	}
}

// TestRowsAreRemembered reads rows again, within a limit.
func TestRowsAreRemembered(t *testing.T) {
	t.Parallel()
	d := opened(t, testkit.NewDatabase(t, "sqlite"))
	for _, id := range []string{"a", "b"} {
		testkit.Change(t, d, `INSERT INTO users (id, email, email_key, name, name_key, created_at) VALUES ($1, $1, $1, 'name', 'name', 0)`, id)
	}
	errOver := errors.New("over")
	ids := func(bytes int64) (ids []string, queries int, err error) {
		err = d.Read(t.Context(), func(tx *db.Tx) error {
			tx.SetLimit(db.Limit{Statements: 1, Bytes: bytes, OverStatements: errOver, OverBytes: errOver})
			const sql = `SELECT id FROM users WHERE id > $1 ORDER BY id`
			var err error
			ids, err = db.ReadRows(tx, sql, []any{""}, func() (found []string, err error) {
				queries++
				return found, tx.Query(sql, func(r *db.Row) error {
					found = append(found, r.Text())
					return nil
				}, "")
			})
			return err
		})
		return ids, queries, err
	}
	for i, want := range []int{1, 0} { // it is not read again
		found, queries, err := ids(2_000)
		if err != nil || queries != want || !slices.Equal(found, []string{"a", "b"}) {
			t.Errorf("reading %d: %v in %d queries, %v", i, found, queries, err)
		}
		clear(found) // the caller's own
	}
	if _, _, err := ids(1_000); !errors.Is(err, errOver) {
		t.Errorf("rows that are remembered count: %v", err)
	}
	testkit.Change(t, d, `UPDATE users SET id = 'c', email_key = 'c' WHERE id = 'b'`)
	if found, queries, err := ids(2_000); err != nil || queries != 1 || !slices.Equal(found, []string{"a", "c"}) {
		t.Errorf("after a change: %v in %d queries, %v", found, queries, err)
	}
}

func read(t *testing.T, d *db.DB, fn func(*db.Tx) error) {
	t.Helper()
	if err := d.Read(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// TestChangesOfTablesAreCounted looks for the triggers of each table that has a number.
func TestChangesOfTablesAreCounted(t *testing.T) {
	t.Parallel()
	d := opened(t, testkit.NewDatabase(t, "sqlite"))
	read(t, d, func(tx *db.Tx) error {
		var tables []string
		if err := tx.Query(`SELECT name FROM pragma_table_info('table_changes') WHERE name <> 'id'`, func(r *db.Row) error {
			tables = append(tables, r.Text())
			return nil
		}); err != nil {
			return err
		}
		for _, table := range tables {
			for event, verb := range map[string]string{"INSERT": "added", "UPDATE": "changed", "DELETE": "removed"} {
				found, err := tx.One(`SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = $1 AND name = $2 AND sql LIKE $3`, func(*db.Row) {},
					table, table+"_"+verb, "%AFTER "+event+" ON "+table+"%BEGIN UPDATE table_changes SET "+table+" = "+table+" + 1; END")
				if err != nil || !found {
					t.Errorf("a row of %s that is %s is not counted: %v", table, verb, err)
				}
			}
		}
		if len(tables) < 10 {
			t.Errorf("only %v are counted", tables)
		}
		return nil
	})
}
