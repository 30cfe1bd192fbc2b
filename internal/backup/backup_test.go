package backup_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"penstock/internal/backup"
	"penstock/internal/db"
	"penstock/internal/testkit"
)

const nasty = "名前 🚀 e\u0301 \u2028 \ufffd \uffff \x7f \x01 \"'\\ \r\n\t </script> $1 {{.}}"

const insertUser = `INSERT INTO users (id, email, email_key, name, name_key, created_at) VALUES ($1, $2, $2, $2, $2, 0)`

// fill puts rows into every table that the schema's version has: nulls, both booleans, the ends of the
// integers, keys in a circle, and an organization that refers to one that comes after it.
func fill(t testing.TB, d *db.DB) {
	t.Helper()
	version := number(t, d, `SELECT max(version) FROM schema_migrations`)
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		for _, s := range []struct {
			since int64
			sql   string
			args  []any
		}{
			{1, `INSERT INTO users (id, email, email_key, name, name_key, password_hash, created_at)
				VALUES ('u1', 'a@example.com', 'a@example.com', $1, '', NULL, $2), ('u2', 'b', 'b', '', '', '$argon2id$', $3)`,
				[]any{nasty, int64(math.MaxInt64), int64(math.MinInt64)}},
			{1, `INSERT INTO organizations (id, slug, name, name_key, created_at, plan, billing_anchor, billing_parent_id, cluster_writes,
				maintainers_can_destroy_cache_registries, members_can_create_pipelines, default_cluster_id, allowed_api_ip_addresses,
				revoke_inactive_tokens_after_days, audit_retention_days) VALUES
				('o2', 'parent', 'Parent', 'parent', 1, 'annual', '2026-01-31', NULL, 'managers', FALSE, TRUE, NULL, '', 0, -1),
				('o1', 'child', 'Child', 'child', 1, 'monthly', '2026-01-01', 'o2', 'members', TRUE, FALSE, 'c1', '::/0', 9007199254740993, 0)`, nil},
			{1, `INSERT INTO organization_counts (organization_id, shard, clusters, pipelines, archived_pipelines) VALUES ('o1', 0, 1, 0, 0), ('o2', 0, 0, 0, 0)`, nil},
			{1, `INSERT INTO organization_members (id, organization_id, user_id, role, created_at, created_by)
				VALUES ('m1', 'o1', 'u1', 'admin', 0, NULL), ('m2', 'o1', 'u2', 'member', 0, 'u1')`, nil},
			{1, `INSERT INTO teams (id, organization_id, slug, name, name_key, description, privacy, is_default_team, default_member_role,
				members_can_create_pipelines, created_at, created_by)
				VALUES ('t1', 'o1', 'team', 'Team', 'team', '', 'secret', FALSE, 'member', TRUE, 0, 'u1')`, nil},
			{1, `INSERT INTO team_members (id, team_id, organization_id, user_id, role, created_at, created_by)
				VALUES ('tm1', 't1', 'o1', 'u2', 'maintainer', 0, NULL)`, nil},
			{1, `INSERT INTO api_tokens (id, user_id, hash, description, scopes, allowed_ip_addresses, created_at, expires_at, revoked_at,
				last_used_at, last_used_address) VALUES ('k1', 'u1', 'h1', '', 'read_clusters', '', 0, NULL, NULL, 5, '::1')`, nil},
			{1, `INSERT INTO api_token_organizations (token_id, organization_id, user_id) VALUES ('k1', 'o1', 'u1')`, nil},
			{1, `INSERT INTO clusters (id, organization_id, name, name_key, description, emoji, color, default_queue_id, default_cache_registry_id,
				hosted_git_mirror_enabled, hosted_container_cache_enabled, queues_count, hosted_queues_count, created_at, created_by)
				VALUES ('c1', 'o1', 'C', 'c', NULL, ':one:', '', 'q1', 'r1', FALSE, TRUE, 1, 0, 0, 'u1')`, nil},
			{1, `INSERT INTO cluster_maintainers (id, organization_id, cluster_id, user_id, team_id, created_at, created_by)
				VALUES ('cm1', 'o1', 'c1', 'u1', NULL, 0, NULL), ('cm2', 'o1', 'c1', NULL, 't1', 0, NULL)`, nil},
			{1, `INSERT INTO cluster_queues (id, cluster_id, key, description, retry_agent_affinity, dispatch_paused_at, dispatch_paused_by,
				created_at, created_by) VALUES ('q1', 'c1', 'default', NULL, 'prefer-warmest', 1, 'u2', 0, 'u1')`, nil},
			{1, `INSERT INTO cluster_agent_tokens (id, cluster_id, hash, description, allowed_ip_addresses, expires_at, created_at, created_by)
				VALUES ('a1', 'c1', 'h', '', NULL, 7, 0, NULL)`, nil},
			{1, `INSERT INTO cache_registries (id, cluster_id, slug, name, description, policy, created_at, updated_at, created_by)
				VALUES ('r1', 'c1', 'default', 'Default', $1, NULL, 0, 0, NULL)`, []any{nasty}},
			{1, `INSERT INTO pipelines (id, organization_id, slug, name, name_key, repository, cluster_id, created_at, created_by, archived_at)
				VALUES ('p1', 'o1', 'web', 'Web', 'web', '', 'c1', 0, 'u1', NULL), ('p2', 'o1', 'old', 'Old', 'old', '', NULL, 0, NULL, 1)`, nil},
			{1, `INSERT INTO bootstrap_items (kind, key, applied_at) VALUES ('user', 'a@example.com', 1)`, nil},
			{1, `INSERT INTO git_mirror_syncs (cluster_id, lease, leased_until, attempts, next_attempt_at) VALUES ('c9', '', 0, 3, 4)`, nil},
			{2, `UPDATE pipelines SET description = '', archived_by = 'u2', maximum_command_step_timeout = 60, allow_rebuilds = FALSE WHERE id = 'p2'`, nil},
			{2, `INSERT INTO pipeline_tags (pipeline_id, tag) VALUES ('p1', $1)`, []any{nasty}},
			{2, `INSERT INTO team_pipelines (id, organization_id, team_id, pipeline_id, access_level, created_at, created_by)
				VALUES ('tp1', 'o1', 't1', 'p1', 'read_only', 0, NULL)`, nil},
			{2, `INSERT INTO audit_events (id, organization_id, occurred_at, type, actor_type, actor_id, actor_name, subject_type, subject_id,
				subject_name, context, data) VALUES ('e1', 'o1', 1, 'PIPELINE_CREATED', 'USER', 'u1', $1, 'PIPELINE', 'p1', 'Web', '{}', '{"a":"\u0000"}')`,
				[]any{nasty}},
			{3, `INSERT INTO user_sessions (hash, id, user_id, address, user_agent, created_at, expires_at) VALUES ('h', 's1', 'u1', '', $1, 0, 1)`, []any{nasty}},
			{3, `INSERT INTO portals (id, organization_id, slug, name, name_key, query, allowed_ip_addresses, created_at) VALUES ('po1', 'o1', 'a', 'A', 'a', '{ viewer { id } }', '', 0)`, nil},
			{3, `INSERT INTO portal_secrets (id, portal_id, hash, description, created_at) VALUES ('ps1', 'po1', 'h', '', 0)`, nil},
			{3, `INSERT INTO portal_tokens (hash, id, portal_id, secret_id, description, created_at, expires_at)
				VALUES ('h1', 'pk1', 'po1', NULL, '', 0, NULL), ('h2', 'pk2', 'po1', 'ps1', '', 0, 1)`, nil},
			{3, `INSERT INTO pipeline_favorites (pipeline_id, organization_id, user_id) VALUES ('p1', 'o1', 'u1')`, nil},
			{4, `INSERT INTO activity_days (organization_id, day, user_id) VALUES ('o1', '2026-10-03', 'gone')`, nil},
			{4, `INSERT INTO usage_users (organization_id, period, user_id) VALUES ('o1', '2026-10-01', 'gone'), ('o2', '2026-10-01', 'gone')`, nil},
			{4, `INSERT INTO usage_counts (organization_id, period, users) VALUES ('o1', '2026-10-01', 1), ('o2', '2026-10-01', 1)`, nil},
			{4, `INSERT INTO usage_locks (organization_id) VALUES ('o1')`, nil},
			{4, `INSERT INTO usage_state (id, kept_since) VALUES (1, '2026-01-01')`, nil},
			{5, `UPDATE cache_registries SET cache_store = 's3://bucket/prefix' WHERE id = 'r1'`, nil},
			{7, `INSERT INTO invitations (id, organization_id, email, email_key, role, sso_mode, created_at, created_by, expires_at, accepted_at, accepted_by,
				revoked_at, revoked_by)
				VALUES ('i1', 'o1', 'c@example.com', 'c@example.com', 'admin', 'required', 1, 'u1', $1, NULL, NULL, NULL, NULL),
				('i2', 'o1', 'b', 'b', 'member', 'optional', 1, NULL, 2, 3, 'u2', 4, 'u1')`, []any{int64(math.MaxInt64)}},
			{7, `INSERT INTO invitation_teams (id, invitation_id, organization_id, team_id, role) VALUES ('it1', 'i1', 'o1', 't1', 'maintainer')`, nil},
			{7, `INSERT INTO invitation_links (hash, invitation_id, mailed) VALUES ('l1', 'i1', TRUE), ('l2', 'i1', FALSE)`, nil},
			{7, `INSERT INTO invitation_mails (invitation_id, attempts, next_at, error) VALUES ('i1', 1, NULL, $1), ('i2', 0, 5, NULL)`, []any{nasty}},
			{versionOf("0008_idempotency_keys"), `INSERT INTO idempotency_keys (id, request, outcome, expires_at) VALUES ('i1', 'h', $1, 1)`, []any{[]byte{0, 255}}},
			{versionOf("0010_user_portals"), `UPDATE portals SET user_invokable = TRUE WHERE id = 'po1'`, nil},
			{versionOf("0010_user_portals"), `INSERT INTO portal_token_codes (code, portal_id, user_id, created_at, expires_at) VALUES ('c', 'po1', 'u1', 0, 1)`, nil},
			{3, `INSERT INTO setup_links (hash, created_at) VALUES ('h', 1)`, nil},
		} {
			if s.since > version {
				continue
			}
			if _, err := tx.Exec(s.sql, s.args...); err != nil {
				return fmt.Errorf("%s: %w", s.sql, err)
			}
		}
		return fillBuilds(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// fillBuilds stores a row in each table of builds. They have so many columns that only those are named which others refer to.
func fillBuilds(tx *db.Tx) error {
	refer := map[string]string{
		"organization_id": "o1", "pipeline_id": "p1", "cluster_id": "c1", "queue_id": "q1", "token_id": "a1", "agent_id": "ag1", "build_id": "b1", "job_id": "j1",
		"concurrency_group_id": "cg1", "step_id": "s1", "creator_id": "u1", "user_id": "u1", "registry_id": "r1", "entry_id": "ce1",
		"source_id": "p1", "target_id": "p1", "owner_id": "u1", "schedule_id": "sc1", "connection_id": "rc1", "unclustered_token_id": "ut1", "trigger_id": "tg1",
	}
	ids := []struct{ table, id string }{
		{"unclustered_tokens", "ut1"}, {"organization_banners", "ob1"}, {"stacks", "sk1"}, {"agents", "ag1"}, {"agent_heartbeats", ""}, {"builds", "b1"}, {"build_steps", "s1"}, {"step_dependencies", "d1"}, {"concurrency_groups", "cg1"}, {"jobs", "j1"},
		{"job_events", "je1"}, {"job_log_chunks", ""}, {"step_uploads", "su1"}, {"build_meta_data", ""}, {"annotations", "an1"}, {"artifact_uploads", "au1"},
		{"artifacts", "ar1"}, {"test_reports", "ar1"}, {"build_tasks", "bt1"}, {"signing_keys", "sk1"}, {"blob_deletions", ""}, {"cluster_secrets", "cs1"},
		{"cache_entry_sets", "es1"}, {"cache_entries", "ce1"}, {"cache_entry_prefixes", ""}, {"cache_uploads", "cu1"}, {"cache_decisions", "cd1"}, {"cache_days", ""},
		{"queue_samples", ""}, {"postponed_items", ""}, {"job_runs", ""}, {"ready_jobs", ""}, {"job_logs", ""}, {"queue_waits", ""}, {"former_pipeline_slugs", ""},
		{"rules", "ru1"}, {"pipeline_schedules", "sc1"}, {"scheduled_builds", ""}, {"pipeline_templates", "te1"}, {"saved_views", ""},
		{"notification_services", "nf1"}, {"notices", "no1"}, {"notice_targets", "nt1"}, {"repository_connections", "rc1"}, {"connection_secrets", "se1"}, {"pipeline_webhooks", ""}, {"pipeline_triggers", "tg1"}, {"trigger_secrets", "ts1"}, {"deliveries", "de1"}, {"pull_requests", ""},
	}
	tables, _, err := tx.Tables()
	if err != nil {
		return err
	}
	for _, row := range ids {
		i := slices.IndexFunc(tables, func(t db.Table) bool { return t.Name == row.table })
		if i < 0 {
			continue // of a later schema
		}
		var values []string
		var args []any
		for n, column := range tables[i].Columns {
			value := map[string]any{"text": nasty, "bigint": int64(n), "boolean": true, "bytes": []byte{0, 255}}[column.Type]
			switch other, found := refer[column.Name]; {
			case column.Name == "id":
				value = row.id
			case column.Name == "session_hash", column.Name == "token_hash" && row.table != "pipeline_triggers":
				value = nil // which a restored database does not have
			case strings.HasSuffix(column.Name, "_by"):
				value = "u2"
			case found:
				value = other
			}
			args = append(args, value)
			values = append(values, "$"+strconv.Itoa(len(args)))
		}
		sql := "INSERT INTO " + row.table + " (" + strings.Join(tables[i].ColumnNames(), ", ") + ") VALUES (" + strings.Join(values, ", ") + ")"
		if _, err := tx.Exec(sql, args...); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// versionOf returns the version of the schema that a migration makes.
func versionOf(name string) int64 {
	for _, m := range db.Migrations() {
		if m.Name == name {
			return m.Version
		}
	}
	panic("there is no migration " + name)
}

// Agents and jobs of the time of the backup know nothing of what the database holds now.
func TestARestoredDatabaseKnowsNoSessions(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		fill(t, d)
		want := content(t, d)
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.Exec(`UPDATE agents SET session_hash = 'session'`); err != nil {
				return err
			}
			if _, err := tx.Exec(`UPDATE job_runs SET token_hash = 'token'`); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO nodes (id, since, seen_at) VALUES ('n1', 0, 0)`); err != nil {
				return err
			}
			_, err := tx.Exec(`INSERT INTO oidc_keys (id, generation, public_key, sealed_private_key, created_at, signs_from) VALUES ('ok1', 1, 'public', 'sealed', 0, 0)`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		file, _ := takeBackup(t, d)
		if _, err := backup.Restore(t.Context(), d, opener(file), true); err != nil {
			t.Fatal(err)
		}
		if content(t, d) != want {
			t.Error("a restored database differs in more than the sessions of agents, the tokens of jobs and the keys of their identity")
		}
	})
}

func takeBackup(t testing.TB, d *db.DB) ([]byte, backup.Summary) {
	t.Helper()
	var file bytes.Buffer
	summary, err := backup.Write(t.Context(), d, &file)
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), summary
}

func opener(file []byte) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil }
}

func zip(t testing.TB, text string) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := gzip.NewWriterLevel(&file, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func unzip(t testing.TB, file []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// seal makes a backup of its lines, with a trailer that fits them.
func seal(t testing.TB, lines []string) []byte {
	t.Helper()
	rows, table := map[string]int64{}, ""
	for _, line := range lines[1:] {
		if strings.HasPrefix(line, "[") {
			rows[table]++
			continue
		}
		var l struct{ Table string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		table = l.Table
		rows[table] += 0
	}
	text := strings.Join(lines, "\n") + "\n"
	sum := sha256.Sum256([]byte(text))
	trailer, err := json.Marshal(map[string]any{"rows": rows, "sha256": hex.EncodeToString(sum[:])})
	if err != nil {
		t.Fatal(err)
	}
	return zip(t, text+string(trailer)+"\n")
}

// content is what the database holds, in an order that does not depend on the engine, and the schema.
func content(t testing.TB, d *db.DB) string {
	t.Helper()
	file, _ := takeBackup(t, d)
	lines := strings.Split(strings.TrimSpace(unzip(t, file)), "\n")
	lines, table := lines[1:len(lines)-1], ""
	for i, line := range lines {
		if strings.HasPrefix(line, "{") {
			table = line
		} else {
			lines[i] = table + line
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// schema is the definition of every table, index and key, as the engine tells it.
func schema(t *testing.T, d *db.DB) (text string) {
	t.Helper()
	sql := `SELECT COALESCE(sql, '') FROM sqlite_schema ORDER BY 1`
	if d.Engine() == "postgres" {
		sql = `SELECT conrelid::regclass::text || conname || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid <> 0
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1`
	}
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		return tx.Query(sql, func(r *db.Row) error {
			text += r.Text() + "\n"
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
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

func TestABackupIsRestoredOnEitherEngine(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, source *db.DB) {
		fill(t, source)
		file, taken := takeBackup(t, source)
		for table, rows := range taken.Rows {
			if rows == 0 && table != "oidc_keys" && table != "nodes" { // which a restored database does not have
				t.Errorf("table %s is not tested: fill it", table)
			}
		}
		if taken.Engine != source.Engine() || taken.Schema != db.Latest() {
			t.Errorf("taken on %s with schema %d", taken.Engine, taken.Schema)
		}
		testkit.EachEngine(t, func(t *testing.T, target *db.DB) {
			before := schema(t, target)
			restored, err := backup.Restore(t.Context(), target, opener(file), false)
			if err != nil || !sameSummary(restored, taken) {
				t.Fatalf("restored %+v, want %+v: %v", restored, taken, err)
			}
			if got, want := content(t, target), content(t, source); got != want {
				t.Errorf("the target holds\n%s\nwant\n%s", got, want)
			}
			if after := schema(t, target); after != before {
				t.Errorf("the schema is\n%s\nwant\n%s", after, before)
			}
			if err := target.CheckSchema(t.Context()); err != nil {
				t.Error(err)
			}
			err = target.Read(t.Context(), func(tx *db.Tx) error {
				_, err := tx.One(`SELECT u.name, u.password_hash, u.created_at, v.created_at, v.name, o.members_can_create_pipelines,
					o.maintainers_can_destroy_cache_registries, o.billing_parent_id, o.revoke_inactive_tokens_after_days
					FROM users u, users v, organizations o WHERE u.id = 'u1' AND v.id = 'u2' AND o.id = 'o1'`, func(r *db.Row) {
					got := []any{r.Text(), r.NullText() == nil, r.Int(), r.Int(), r.Null(), r.Text(), r.Bool(), r.Bool(), r.Text(), r.Int()}
					want := []any{nasty, true, int64(math.MaxInt64), int64(math.MinInt64), false, "", false, true, "o2", int64(9007199254740993)}
					if !slices.Equal(got, want) {
						t.Errorf("read %v, want %v", got, want)
					}
				})
				return err
			})
			if err != nil {
				t.Error(err)
			}
			err = target.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(`UPDATE pipelines SET cluster_id = 'no such cluster'`)
				return err
			})
			if !errors.Is(err, db.ErrForeignKey) {
				t.Errorf("a dangling reference after the restore: %v", err)
			}
		})
	})
}

// No migration has made a column of bytes yet, so the test makes one and says that a migration did.
func TestBytesAreBackedUpAndComeBackOnEitherEngine(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, engine string) *db.DB {
		d := testkit.OpenDB(t, engine)
		testkit.Exec(t, d, `CREATE TABLE blobs (name TEXT PRIMARY KEY, content `+map[string]string{"sqlite": "BLOB", "postgres": "BYTEA"}[engine]+`)`)
		testkit.Exec(t, d, `UPDATE schema_migrations SET made_tables = 'blobs' WHERE version = $1`, db.Latest())
		return d
	}
	for _, engines := range [][2]string{{"sqlite", "postgres"}, {"postgres", "sqlite"}} {
		t.Run(engines[0]+" to "+engines[1], func(t *testing.T) {
			t.Parallel()
			from, to := open(t, engines[0]), open(t, engines[1])
			for name, content := range map[string][]byte{"none": nil, "empty": {}, "nul": []byte("a\x00b"), "not UTF-8": {0xff, 0xc3, '"', '\n'}} {
				testkit.Exec(t, from, `INSERT INTO blobs (name, content) VALUES ($1, $2)`, name, content)
			}
			file, _ := takeBackup(t, from)
			if text := unzip(t, file); !strings.Contains(text, `["nul","YQBi"]`) || !strings.Contains(text, `["none",null]`) {
				t.Errorf("the backup is\n%s", text)
			}
			if err := backup.LoadTable(t.Context(), to, bytes.NewReader(file), "blobs"); err != nil {
				t.Fatal(err)
			}
			if got, want := content(t, to), content(t, from); got != want {
				t.Errorf("the database holds\n%s\nwant\n%s", got, want)
			}
			bad := seal(t, append(strings.Split(unzip(t, file), "\n")[:1], `{"table":"blobs","columns":["name","content"]}`, `["bad","no base64"]`))
			if err := backup.LoadTable(t.Context(), to, bytes.NewReader(bad), "blobs"); !errors.Is(err, backup.ErrBadFile) {
				t.Errorf("what is no base64: %v", err)
			}
		})
	}
}

func sameSummary(a, b backup.Summary) bool {
	return a.Schema == b.Schema && a.Engine == b.Engine && a.TakenAt.Equal(b.TakenAt) && maps.Equal(a.Rows, b.Rows)
}

// What Backup and Restore know of a schema is what this checks: nothing but tables, made by CREATE TABLE, and what counts their changes.
func TestABackupHasEveryTable(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		tables := `SELECT name FROM sqlite_schema WHERE type <> 'index' AND name <> 'table_changes' AND NOT (type = 'trigger' AND sql LIKE '%UPDATE table_changes%')`
		if d.Engine() == "postgres" {
			tables = `SELECT relname FROM pg_class WHERE relnamespace = current_schema()::text::regnamespace AND relkind <> 'i'`
		}
		_, taken := takeBackup(t, d)
		taken.Rows["schema_migrations"] = 0
		err := d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.Query(tables, func(r *db.Row) error {
				name := r.Text()
				if _, ok := taken.Rows[name]; !ok {
					t.Errorf("%s is not in the backup", name)
				}
				delete(taken.Rows, name)
				return nil
			})
		})
		if err != nil || len(taken.Rows) > 0 {
			t.Errorf("the backup also has %v: %v", taken.Rows, err)
		}
	})
}

// gate calls open once, before the first write.
type gate struct {
	io.Writer
	open func()
	once sync.Once
}

func (g *gate) Write(p []byte) (int, error) {
	g.once.Do(g.open)
	return g.Writer.Write(p)
}

// fillUsers makes so many users that their backup is more than what a writer or a socket buffers.
func fillUsers(t *testing.T, d *db.DB) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		for range 4_000 {
			_, err := tx.Exec(insertUser, fmt.Sprintf("%x", random.Uint64()), fmt.Sprintf("%x%x%x", random.Uint64(), random.Uint64(), random.Uint64()))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The backup waits between the first table and the others until more clusters have been made, none of
// which it may then show.
func TestABackupIsOneStateWhileOthersWrite(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		fill(t, d)
		fillUsers(t, d)
		var made atomic.Int64
		progress, stop := make(chan struct{}), make(chan struct{})
		var wg sync.WaitGroup
		defer wg.Wait()
		defer close(stop)
		for writer := range 3 {
			wg.Go(func() {
				for i := 0; ; i++ {
					id := fmt.Sprintf("%d-%d", writer, i)
					if err := d.Write(t.Context(), func(tx *db.Tx) error { return insertCluster(tx, id) }); err != nil {
						t.Errorf("making a cluster: %v", err)
					}
					made.Add(1)
					select {
					case progress <- struct{}{}:
					case <-stop:
						return
					}
				}
			})
		}
		for range 2 {
			var file bytes.Buffer
			var before int64
			taken, err := backup.Write(t.Context(), d, &gate{Writer: &file, open: func() {
				before = made.Load()
				for range 20 {
					<-progress
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			// One was there before, and each writer may have made one that is not counted yet.
			if taken.Rows["clusters"] > 1+before+3 || made.Load() < before+15 {
				t.Errorf("%d clusters were made when the backup began to be written, %d at its end; it has %d", before, made.Load(), taken.Rows["clusters"])
			}
			target := testkit.OpenDB(t, d.Engine())
			if _, err := backup.Restore(t.Context(), target, opener(file.Bytes()), false); err != nil {
				t.Fatal(err)
			}
			wrong := number(t, target, `SELECT count(*) FROM organizations o
				WHERE (SELECT sum(n.clusters) FROM organization_counts n WHERE n.organization_id = o.id)
					<> (SELECT count(*) FROM clusters c WHERE c.organization_id = o.id)`)
			if wrong != 0 || number(t, target, `SELECT count(*) FROM clusters`) != taken.Rows["clusters"] {
				t.Error("the organization's count of clusters is not that of its clusters")
			}
		}
	})
}

func insertCluster(tx *db.Tx, id string) error {
	if _, err := tx.Exec(`UPDATE organization_counts SET clusters = clusters + 1 WHERE organization_id = 'o2'`); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO clusters (id, organization_id, name, name_key, default_cache_registry_id, hosted_git_mirror_enabled,
		hosted_container_cache_enabled, queues_count, hosted_queues_count, created_at)
		VALUES ($1, 'o2', $1, $1, $1, FALSE, FALSE, 0, 0, 0)`, id)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO cache_registries (id, cluster_id, slug, name, created_at, updated_at) VALUES ($1, $1, $1, $1, 0, 0)`, id)
	return err
}

func TestABadFileIsRefusedAndTheDatabaseUntouched(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		fill(t, d)
		good, _ := takeBackup(t, d)
		testkit.Exec(t, d, insertUser, "later", "later")
		before := content(t, d)
		text, version := unzip(t, good), fmt.Sprintf(`"schema":%d`, db.Latest())
		body, trailer := text[:strings.LastIndex(text, `{"rows"`)], text[strings.LastIndex(text, `{"rows"`):]
		half := text[:strings.Index(text, `{"table":"clusters"`)]
		for name, bad := range map[string]struct {
			file    []byte
			message string
		}{
			"empty":                    {nil, "the file is empty"},
			"garbage":                  {[]byte("garbage, and not a little of it"), "something else"},
			"two bytes":                {good[:2], "truncated"},
			"other gzip":               {zip(t, "other\n"), "something else"},
			"other JSON":               {zip(t, `{"format":"other"}`+"\n"), "something else"},
			"empty gzip":               {zip(t, ""), "truncated"},
			"later format":             {zip(t, strings.Replace(text, `"version":1`, `"version":3,"more":true`, 1)), "version 3, this binary knows 1 and 2"},
			"half the file":            {good[:len(good)/2], "truncated"},
			"without its last byte":    {good[:len(good)-1], "truncated"},
			"half of it zipped whole":  {zip(t, half), "truncated"},
			"a trailer too early":      {zip(t, half+trailer), "checksum"},
			"no trailer":               {zip(t, body), "truncated"},
			"no newline at its end":    {zip(t, strings.TrimSpace(text)), "truncated"},
			"a letter changed":         {zip(t, strings.Replace(text, "example.com", "example.net", 1)), "checksum"},
			"a row missing":            {zip(t, strings.Replace(text, `["k1","o1","u1"]`+"\n", "", 1)), "checksum"},
			"carriage returns":         {zip(t, strings.ReplaceAll(text, "\n", "\r\n")), "checksum"},
			"a count changed":          {zip(t, strings.Replace(text, `"users":2`, `"users":3`, 1)), "row counts"},
			"a sum changed":            {zip(t, strings.Replace(text, `"sha256":"`, `"sha256":"0`, 1)), "checksum"},
			"a member more at the end": {zip(t, strings.Replace(text, `{"rows"`, `{"more":1,"rows"`, 1)), "altered"},
			"something after its end":  {zip(t, text+"\n"), "follows its end"},
			"another backup after it":  {append(bytes.Clone(good), good...), "follows its end"},
			"garbage after it":         {append(bytes.Clone(good), "garbage after it"...), "altered"},
			"a row without a table":    {seal(t, append(strings.SplitN(text, "\n", 2)[:1], `["a"]`)), "altered"},
			"a table twice":            {sealed(t, text, `{"table":"teams"`, `{"table":"users"`), "comes twice"},
			"a value too many":         {sealed(t, text, `["m1",`, `["m1","m1",`), "values for"},
			"a fraction":               {sealed(t, text, `9007199254740993`, `0.5`), "altered"},
			"a number too large":       {sealed(t, text, `9007199254740993`, `9223372036854775808`), "altered"},
			"an object in a row":       {sealed(t, text, `9007199254740993`, `{}`), "not a value"},
			"two rows on a line":       {sealed(t, text, `["k1","o1","u1"]`, `["k1","o1","u1"]["k1","o1","u1"]`), "more than one row"},
			"a text for an integer":    {sealed(t, text, `9007199254740993`, `"9007199254740993"`), "is not a bigint"},
			"an integer for a text":    {sealed(t, text, `["m1",`, `[1,`), "is not a text"},
			"an integer for a boolean": {sealed(t, text, `true`, `1`), "is not a boolean"},
			"an unknown table":         {sealed(t, text, `{"table":"teams"`, `{"table":"pg_class"`), "is not the one of schema version"},
			"an unknown column":        {sealed(t, text, `"email"`, `"e_mail"`), "is not the one of schema version"},
			"a column twice":           {sealed(t, text, `"email"`, `"email_key"`), "is not the one of schema version"},
			"a table missing":          {seal(t, strings.Split(strings.TrimSpace(text[:strings.Index(text, `{"table":"git_mirror_syncs"`)]), "\n")), "is missing"},
			"a schema without a table": {sealed(t, text, version, `"schema":1`), "is not the one of schema version 1"},
			"no schema":                {sealed(t, text, version, `"schema":0`), "no schema version 0"},
		} {
			_, err := backup.Restore(t.Context(), d, opener(bad.file), true)
			if !errors.Is(err, backup.ErrBadFile) || !strings.Contains(err.Error(), bad.message) {
				t.Errorf("%s: %v, want %s", name, err, bad.message)
			}
		}
		for name, bad := range map[string]struct {
			file []byte
			err  error
		}{
			"an organization that is missing":  {sealed(t, text, `["m1","o1"`, `["m1","o9"`), db.ErrForeignKey},
			"a billing parent that is missing": {sealed(t, text, `"o2","members"`, `"o9","members"`), db.ErrForeignKey},
			"a default queue that is missing":  {sealed(t, text, `"q1","r1"`, `"q9","r1"`), db.ErrForeignKey},
			"an id twice":                      {sealed(t, text, `["m2",`, `["m1",`), db.ErrUnique},
			"a newer schema":                   {sealed(t, text, version, `"schema":1000`), db.ErrNewerSchema},
		} {
			if _, err := backup.Restore(t.Context(), d, opener(bad.file), true); !errors.Is(err, bad.err) {
				t.Errorf("%s: %v, want %v", name, err, bad.err)
			}
		}
		if after := content(t, d); after != before {
			t.Errorf("the database now holds\n%s\nwant\n%s", after, before)
		}
	})
}

// sealed is the backup with one text changed, and a trailer that fits the change.
func sealed(t *testing.T, text, old, new string) []byte {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("the backup has no %s", old)
	}
	lines := strings.Split(strings.TrimSpace(strings.Replace(text, old, new, 1)), "\n")
	return seal(t, lines[:len(lines)-1])
}

// No prefix of a backup passes, and no changed bit unless what it holds is the same.
func TestRestoreSeesTruncationsAndChanges(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	fill(t, d)
	good, _ := takeBackup(t, d)
	for n := 0; n < len(good); n += 3 {
		if _, err := backup.Restore(t.Context(), d, opener(good[:n]), true); !errors.Is(err, backup.ErrBadFile) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(good), err)
		}
		changed := bytes.Clone(good)
		changed[n] ^= 1 << (n % 8)
		if _, err := backup.Restore(t.Context(), d, opener(changed), true); err == nil {
			if unzip(t, changed) != unzip(t, good) {
				t.Fatalf("byte %d changed: not seen", n)
			}
		} else if !errors.Is(err, backup.ErrBadFile) {
			t.Fatalf("byte %d changed: %v", n, err)
		}
	}
}

func TestALineWithoutAnEndIsRefusedBeforeItIsInMemory(t *testing.T) {
	t.Parallel()
	file := zip(t, strings.Repeat(" ", 17<<20))
	d := testkit.OpenDB(t, "sqlite")
	if _, err := backup.Restore(t.Context(), d, opener(file), false); !errors.Is(err, backup.ErrBadFile) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("restored: %v", err)
	}
}

func TestAFileThatCannotBeReadIsNotCalledBad(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	good, _ := takeBackup(t, d)
	failure := errors.New("input/output error")
	for _, n := range []int{0, len(good) / 2, len(good)} {
		_, err := backup.Restore(t.Context(), d, func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(bytes.NewReader(good[:n]), iotest.ErrReader(failure))), nil
		}, false)
		if !errors.Is(err, failure) || errors.Is(err, backup.ErrBadFile) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
	_, err := backup.Restore(t.Context(), d, func() (io.ReadCloser, error) { return nil, failure }, false)
	if !errors.Is(err, failure) {
		t.Errorf("a file that cannot be opened: %v", err)
	}
}

func TestAFileThatChangesBetweenItsReadingsIsRefused(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		fill(t, d)
		before := content(t, d)
		file := mustBackup(t, d)
		_, err := backup.Restore(t.Context(), d, func() (io.ReadCloser, error) {
			now := file
			file = file[:len(file)-1]
			return io.NopCloser(bytes.NewReader(now)), nil
		}, true)
		if !errors.Is(err, backup.ErrBadFile) {
			t.Errorf("restoring it: %v", err)
		}
		if after := content(t, d); after != before {
			t.Errorf("the database now holds\n%s\nwant\n%s", after, before)
		}
	})
}

func TestOnlyAnEmptyDatabaseIsRestoredToUnlessReplaced(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		empty, _ := takeBackup(t, d)
		testkit.Exec(t, d, `INSERT INTO bootstrap_items (kind, key, applied_at) VALUES ('user', 'a', 1)`)
		small := content(t, d)
		smallFile, _ := takeBackup(t, d)
		testkit.Exec(t, d, `DELETE FROM bootstrap_items`)
		fill(t, d)
		full := content(t, d)
		fullFile, _ := takeBackup(t, d)

		for _, step := range []struct {
			file    []byte
			replace bool
			err     error
			want    string
		}{
			{smallFile, false, backup.ErrNotEmpty, full},
			{smallFile, true, nil, small},
			{fullFile, false, backup.ErrNotEmpty, small},
			{fullFile, true, nil, full},
			{fullFile, true, nil, full},
			{empty, true, nil, ""},
			{smallFile, false, nil, small},
		} {
			if _, err := backup.Restore(t.Context(), d, opener(step.file), step.replace); !errors.Is(err, step.err) {
				t.Fatalf("replace %v: %v, want %v", step.replace, err, step.err)
			}
			if got := content(t, d); step.want != "" && got != step.want {
				t.Fatalf("replace %v: the database holds\n%s\nwant\n%s", step.replace, got, step.want)
			}
		}
	})
}

func TestABackupOfAnOlderSchemaIsMigrated(t *testing.T) {
	t.Parallel()
	old, err := db.Open(t.Context(), db.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = old.Close() }()
	err = old.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.MigrateTo(1)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, old)
	file, taken := takeBackup(t, old)
	if taken.Schema != 1 {
		t.Fatalf("the schema that was backed up is version %d", taken.Schema)
	}
	if _, err := old.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	made := regexp.MustCompile(`"[0-9a-f]{64}"`) // tokens that the migration gives to pipelines
	want := made.ReplaceAllString(content(t, old), "TOKEN")
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			d := testkit.OpenDB(t, engine)
			before := schema(t, d)
			fill(t, d)
			if _, err := backup.Restore(t.Context(), d, opener(file), true); err != nil {
				t.Fatal(err)
			}
			if err := d.CheckSchema(t.Context()); err != nil {
				t.Error(err)
			}
			if got := made.ReplaceAllString(content(t, d), "TOKEN"); got != want || strings.Count(got, "TOKEN") != 4 {
				t.Errorf("the database holds\n%s\nwant\n%s", got, want)
			}
			if after := schema(t, d); after != before {
				t.Errorf("the schema is\n%s\nwant\n%s", after, before)
			}
		})
	}
}

func TestADatabaseWithoutASchemaIsRestoredToButNotBackedUp(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), db.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := backup.Write(t.Context(), d, io.Discard); err == nil || !strings.Contains(err.Error(), "penstock migrate") {
		t.Errorf("backing it up: %v", err)
	}
	full := testkit.OpenDB(t, "sqlite")
	fill(t, full)
	if _, err := backup.Restore(t.Context(), d, opener(mustBackup(t, full)), false); err != nil {
		t.Fatal(err)
	}
	if content(t, d) != content(t, full) {
		t.Error("the restored database is not the one that was backed up")
	}
}

func mustBackup(t testing.TB, d *db.DB) []byte {
	file, _ := takeBackup(t, d)
	return file
}

// Going back to this binary after a newer one has migrated the database.
func TestADatabaseWithANewerSchemaIsNotBackedUpButReplaced(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		fill(t, d)
		file, rows, made := mustBackup(t, d), content(t, d), schema(t, d)
		testkit.Exec(t, d, `INSERT INTO schema_migrations (version, name, applied_at, made_tables) VALUES ($1, 'from the future', 0, 'gone later futures')`, db.Latest()+1)
		testkit.Exec(t, d, `CREATE TABLE later (id TEXT PRIMARY KEY, cluster_id TEXT NOT NULL REFERENCES clusters (id), score REAL)`)
		testkit.Exec(t, d, `INSERT INTO later (id, cluster_id, score) VALUES ('l1', 'c1', 0.5)`)
		testkit.Exec(t, d, `CREATE TABLE futures (id TEXT PRIMARY KEY, later_id TEXT REFERENCES later (id))`)
		testkit.Exec(t, d, `INSERT INTO futures (id, later_id) VALUES ('f1', 'l1')`)
		testkit.Exec(t, d, `ALTER TABLE clusters ADD COLUMN later_id TEXT REFERENCES later (id)`)
		testkit.Exec(t, d, `UPDATE clusters SET later_id = 'l1'`)
		testkit.Exec(t, d, `CREATE TABLE notes (id TEXT PRIMARY KEY)`)
		if _, err := backup.Write(t.Context(), d, io.Discard); !errors.Is(err, db.ErrNewerSchema) {
			t.Errorf("backing it up: %v", err)
		}
		if _, err := backup.Restore(t.Context(), d, opener(file), false); !errors.Is(err, backup.ErrNotEmpty) {
			t.Errorf("restoring to it without leave to replace it: %v", err)
		}
		before := schema(t, d)
		if _, err := backup.Restore(t.Context(), d, opener(file[:len(file)-1]), true); !errors.Is(err, backup.ErrBadFile) {
			t.Errorf("replacing it with a bad file: %v", err)
		}
		text := unzip(t, file)
		if _, err := backup.Restore(t.Context(), d, opener(sealed(t, text, `["m1","o1"`, `["m1","o9"`)), true); !errors.Is(err, db.ErrForeignKey) {
			t.Errorf("replacing it with rows that contradict each other: %v", err)
		}
		if after := schema(t, d); after != before || number(t, d, `SELECT count(*) FROM futures`) != 1 {
			t.Errorf("after a failure the schema is\n%s\nwant\n%s", after, before)
		}
		if _, err := backup.Restore(t.Context(), d, opener(file), true); err != nil {
			t.Fatalf("replacing it: %v", err)
		}
		if n := number(t, d, `SELECT count(*) FROM notes`); n != 0 { // but the table is there
			t.Errorf("the operator's table has %d rows", n)
		}
		testkit.Exec(t, d, `DROP TABLE notes`)
		if after := schema(t, d); after != made {
			t.Errorf("the schema is\n%s\nwant\n%s", after, made)
		}
		if after := content(t, d); after != rows {
			t.Errorf("the database holds\n%s\nwant\n%s", after, rows)
		}
		if err := d.CheckSchema(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatAnOperatorKeepsBesideOursIsNotTouched(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		fill(t, d)
		testkit.Exec(t, d, `CREATE TABLE notes (id TEXT PRIMARY KEY, written REAL)`)
		testkit.Exec(t, d, `INSERT INTO notes (id, written) VALUES ('mine', 0.5)`)
		file, taken := takeBackup(t, d)
		if _, ok := taken.Rows["notes"]; ok {
			t.Error("the operator's table is in the backup")
		}
		if _, err := backup.Restore(t.Context(), d, opener(file), true); err != nil {
			t.Fatal(err)
		}
		if n := number(t, d, `SELECT count(*) FROM notes WHERE written = 0.5`); n != 1 {
			t.Errorf("the operator's table has %d rows", n)
		}
	})
}

func TestACancelledBackupOrRestoreLeavesNothing(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		fill(t, d)
		file, before := mustBackup(t, d), content(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		opened := 0
		_, err := backup.Restore(ctx, d, func() (io.ReadCloser, error) {
			if opened++; opened == 2 {
				cancel()
			}
			return io.NopCloser(bytes.NewReader(file)), nil
		}, true)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled restore: %v", err)
		}
		if _, err := backup.Write(ctx, d, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled backup: %v", err)
		}
		if after := content(t, d); after != before {
			t.Errorf("the database now holds\n%s\nwant\n%s", after, before)
		}
	})
}

func TestASlowBackupOrRestoreIsNotTimedOut(t *testing.T) {
	t.Parallel()
	options := testkit.NewDatabase(t, "postgres")
	patient, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = patient.Close() }()
	fillUsers(t, patient)
	options.URL += "&statement_timeout=200ms&idle_in_transaction_session_timeout=200ms"
	d, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()

	pause := func() { number(t, patient, `SELECT 1 FROM pg_sleep(0.5)`) }
	var file bytes.Buffer
	if _, err := backup.Write(t.Context(), d, &gate{Writer: &file, open: pause}); err != nil {
		t.Errorf("a slow backup: %v", err)
	}
	_, err = backup.Restore(t.Context(), d, func() (io.ReadCloser, error) {
		pause()
		return io.NopCloser(bytes.NewReader(file.Bytes())), nil
	}, true)
	if err != nil {
		t.Errorf("a slow restore: %v", err)
	}
}

func TestABackupThatCannotBeWrittenOrIsNotUnicodeFails(t *testing.T) {
	t.Parallel()
	d := testkit.OpenDB(t, "sqlite")
	fill(t, d)
	failure := errors.New("no space left on device")
	if _, err := backup.Write(t.Context(), d, failingWriter{failure}); !errors.Is(err, failure) {
		t.Errorf("on a full disk: %v", err)
	}
	testkit.Exec(t, d, `UPDATE teams SET description = CAST(x'ff' AS TEXT)`)
	if _, err := backup.Write(t.Context(), d, io.Discard); err == nil || !strings.Contains(err.Error(), "table teams: column description") {
		t.Errorf("with a text that is not valid: %v", err)
	}
}

type failingWriter struct{ error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.error }

const benchmarkRows = 100_000

// benchmarkBackup has benchmarkRows rows and a few: of ten, one is a user, one a cluster, one its
// registry, the others are days on which the user was active.
func benchmarkBackup(b *testing.B) []byte {
	d := testkit.OpenDB(b, "sqlite")
	fill(b, d)
	err := d.Write(b.Context(), func(tx *db.Tx) error {
		for i := range benchmarkRows / 10 {
			id := fmt.Sprintf("0199a0b0-0000-7000-8000-%012d", i*7919%benchmarkRows)
			if _, err := tx.Exec(insertUser, id, id); err != nil {
				return err
			}
			if err := insertCluster(tx, id); err != nil {
				return err
			}
			for day := range 7 {
				_, err := tx.Exec(`INSERT INTO activity_days (organization_id, day, user_id) VALUES ('o1', $1, $2)`, fmt.Sprintf("2026-11-%02d", day+1), id)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return mustBackup(b, d)
}

func BenchmarkBackup(b *testing.B) {
	file := benchmarkBackup(b)
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			d := testkit.OpenDB(b, engine)
			b.Run("restore", func(b *testing.B) {
				for b.Loop() {
					if _, err := backup.Restore(b.Context(), d, opener(file), true); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(benchmarkRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
			b.Run("backup", func(b *testing.B) {
				for b.Loop() {
					if _, err := backup.Write(b.Context(), d, io.Discard); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(benchmarkRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		})
	}
}

// A server that starts while a backup is verified would write what the restore then takes away.
func TestAServerThatStartsDuringARestoreStopsIt(t *testing.T) {
	t.Parallel()
	source := testkit.OpenDB(t, "postgres")
	file, _ := takeBackup(t, source)
	target := testkit.NewDatabase(t, "postgres")
	target.Exclusive = true
	d, err := db.Open(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	starting := target
	starting.Exclusive, starting.Application = false, db.ServerApplication
	opens := 0
	_, err = backup.Restore(t.Context(), d, func() (io.ReadCloser, error) {
		if opens++; opens == 1 {
			server, err := db.Open(t.Context(), starting)
			if err != nil {
				return nil, err
			}
			t.Cleanup(func() { _ = server.Close() })
		}
		return opener(file)()
	}, true)
	if !errors.Is(err, db.ErrLocked) {
		t.Errorf("error %v", err)
	}
}

func TestBytesBehindABackupAreSaidToBeThere(t *testing.T) {
	t.Parallel()
	source := testkit.OpenDB(t, "sqlite")
	file, _ := takeBackup(t, source)
	for _, tail := range []string{"x", "more than a header of gzip"} {
		_, err := backup.Restore(t.Context(), testkit.OpenDB(t, "sqlite"), opener(append(bytes.Clone(file), tail...)), true)
		if !errors.Is(err, backup.ErrBadFile) || !strings.Contains(err.Error(), "something follows its end") {
			t.Errorf("error %v", err)
		}
	}
}
