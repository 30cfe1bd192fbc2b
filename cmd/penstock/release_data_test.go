package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

var releaseVersion = flag.String("release", "", "store the data of this release in testdata/releases")

// Where testdata has the databases of a release.
const (
	releasesDir    = "testdata/releases"
	sqliteRelease  = "sqlite.db.gz"
	postgresScript = "postgres.sql"
)

const (
	releasePassword = "correct horse battery staple"
	releaseCluster  = "0190a1b2-0000-7000-8000-000000000004"
	releaseQueue    = "0190a1b2-0000-7000-8000-000000000005"
	releaseRegistry = "0190a1b2-0000-7000-8000-000000000006"
)

const releaseBootstrap = `
users:
  - {email: admin@example.com, name: Admin, password: "${PASSWORD}", id: 0190a1b2-0000-7000-8000-000000000001}
  - {email: dev@example.com, name: Dev, id: 0190a1b2-0000-7000-8000-000000000002}
organizations:
  - slug: acme-inc
    name: Acme Inc
    subscription: {plan: monthly, anchor: 2026-01-15}
    billing_parent: holding-co
    settings: {default_cluster: Open Source}
    members: [{user: admin@example.com, role: admin}, {user: dev@example.com}]
    teams:
      - {name: Platform, id: 0190a1b2-0000-7000-8000-000000000003, members: [{user: dev@example.com, role: maintainer}]}
    clusters:
      - name: Open Source
        id: ` + releaseCluster + `
        description: For all that is public
        maintainers: [{user: dev@example.com}, {team: platform}]
        queues:
          - {key: default, default: true, id: ` + releaseQueue + `}
          - {key: builders}
          - {key: hosted, hosted_agents: {instance_shape: LINUX_AMD64_2X4}}
        cache_registries:
          - name: Ruby gems
            id: ` + releaseRegistry + `
            default: true
            policy: {save: {scopes: {branch: true}}, rules: [{effect: allow, action: [save, restore]}]}
  - {slug: holding-co, name: Holding Co, subscription: {plan: annual, anchor: 2026-01-01}}
tokens:
  - user: admin@example.com
    token: ${TOKEN}
    description: Tests
    organizations: [acme-inc]
    scopes: [read_agents, read_artifacts, read_audit_events, read_build_logs, read_builds, read_clusters, read_organizations, read_pipelines, write_builds, write_clusters,
      write_notification_services, write_organization_invitations, write_organizations, write_pipeline_templates, write_pipelines, write_portals, write_rules, write_secrets]
    graphql: true
activity:
  - {organization: acme-inc, user: admin@example.com, on: 2026-02-03}
  - {organization: acme-inc, user: dev@example.com, on: 2026-02-20}
`

// unreleasedTables are those that no release has had yet: the next release has to put rows into them.
var unreleasedTables = []string{}

// TestReleaseDataIsInEveryTable makes the data that later releases are to upgrade. With -release it is stored: see scripts/release-data.
func TestReleaseDataIsInEveryTable(t *testing.T) {
	t.Parallel()
	if *releaseVersion != "" && os.Getenv("PENSTOCK_TEST_POSTGRES") == "" {
		t.Fatal("a release has databases of both engines: PENSTOCK_TEST_POSTGRES must be set")
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := testkit.NewDatabase(t, engine)
			blobs := t.TempDir()
			handles := makeReleaseData(t, o, blobs)
			rows := storedRows(t, o)
			for _, table := range tableNames(t, o) {
				if !slices.ContainsFunc(rows, func(row string) bool { return strings.HasPrefix(row, table+" ") }) && !slices.Contains(unreleasedTables, table) {
					t.Errorf("table %s has no rows: makeReleaseData must put some there", table)
				}
			}
			if *releaseVersion == "" || t.Failed() {
				return
			}
			storeRelease(t, *releaseVersion, engine, o)
			storeOutside(t, *releaseVersion, engine, handles, blobs)
			if !slices.Equal(storedRows(t, restoreRelease(t, *releaseVersion, engine)), rows) {
				t.Error("what was stored is not what the database holds")
			}
		})
	}
}

// makeReleaseData fills an empty database, through servers and commands where they can, and returns what is known outside of it.
func makeReleaseData(t *testing.T, o db.Options, blobs string) releaseHandles {
	t.Helper()
	serve := append([]string{"serve", "--blobs", blobs}, databaseFlags(o)...)
	empty := start(t, releaseEnvironment, serve...)
	eventually(t, "the link to set up the installation", func() bool { return strings.Contains(empty.stderr.String(), "no users yet") })
	empty.stop()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	t.Cleanup(broken.Close)
	p := start(t, append([]string{"TOKEN=" + testToken, "PASSWORD=" + releasePassword}, releaseEnvironment...),
		append(serve, "--outbound-allow", "127.0.0.0/8", "--bootstrap", write(t, "bootstrap.yaml", releaseBootstrap), "--hosted-agents-url", broken.URL)...)
	makeClusterData(p)
	makePipelineData(p)
	makePortalData(p)
	makeInvitationData(p)
	handles := makeBuildData(p)
	makeStartData(p, startRepositoryHost(p.t))
	if page := newBrowser(t).signIn(p.url+"/", "admin@example.com", releasePassword); !strings.Contains(page, "Acme Inc") {
		t.Fatalf("signed in, the page is %s", page)
	}
	p.stop()
	output(t, with("org billing holding-co --plan annual", databaseFlags(o)...)...) // makes usage_state's row
	withDatabase(t, o, func(d *db.DB) {
		testkit.Change(t, d, `UPDATE cache_registries SET cache_store = 's3://cache/gems' WHERE id = $1`, releaseRegistry)
		testkit.Exec(t, d, `INSERT INTO invitation_mails (invitation_id, attempts, next_at) SELECT id, 0, NULL FROM invitations WHERE TRUE ON CONFLICT DO NOTHING`)
		testkit.Exec(t, d, `INSERT INTO portal_token_codes (code, portal_id, user_id, created_at, expires_at) SELECT 'a code', p.id, u.id, 1, 2 FROM portals p CROSS JOIN users u LIMIT 1`)
		testkit.Exec(t, d, `INSERT INTO pipeline_tags (pipeline_id, tag) SELECT id, 'go' FROM pipelines WHERE slug = 'web' ON CONFLICT DO NOTHING`)
		testkit.Exec(t, d, `INSERT INTO pipeline_tags (pipeline_id, tag) SELECT id, 'linux' FROM pipelines WHERE slug = 'web' ON CONFLICT DO NOTHING`)
		addUnseenRows(t, d)
		addUnseenStartRows(t, d)
	})
	return handles
}

func makeClusterData(p *process) {
	p.t.Helper()
	cluster := clusters + "/" + releaseCluster
	sendOwn[any](p, http.MethodPost, cluster+"/queues/"+releaseQueue+"/pause_dispatch", `{"note": "Maintenance"}`, http.StatusOK)
	sendOwn[any](p, http.MethodPost, cluster+"/tokens", `{"description": "Agents", "allowed_ip_addresses": "192.0.2.0/24"}`, http.StatusCreated)
	// The hosted-agent service fails, so the change is kept to be sent again.
	sendOwn[any](p, http.MethodPut, cluster, `{"hosted_git_mirror_enabled": true}`, http.StatusServiceUnavailable)
}

func makePipelineData(p *process) {
	p.t.Helper()
	const pipelines = "/v2/organizations/acme-inc/pipelines"
	web := sendOwn[struct {
		ID string `json:"graphql_id"`
	}](p, http.MethodPost, pipelines, `{"name": "Web", "repository": "git@example.com:acme/web.git", "cluster_id": "`+releaseCluster+`",
		"configuration": "steps:\n  - command: make test\n", "tags": ["linux", "go"], "env": {"CI": "true"}, "team_uuids": ["0190a1b2-0000-7000-8000-000000000003"]}`,
		http.StatusCreated)
	sendOwn[any](p, http.MethodPost, "/v1", `{"query": "mutation { pipelineFavorite(input: {id: \"`+web.ID+`\", favorite: true}) { pipeline { favorite } } }"}`, http.StatusOK)
	sendOwn[any](p, http.MethodPost, pipelines, `{"name": "Old", "repository": "git@example.com:acme/old.git", "cluster_id": "`+releaseCluster+`",
		"configuration": "steps: []\n"}`, http.StatusCreated)
	sendOwn[any](p, http.MethodPatch, pipelines+"/old", `{"slug": "older"}`, http.StatusOK)
	sendOwn[any](p, http.MethodPost, pipelines+"/old/archive", "", http.StatusOK)
}

func makePortalData(p *process) {
	p.t.Helper()
	const portals = "/organizations/acme-inc/portals"
	portal := sendOwn[struct{ UUID string }](p, http.MethodPost, "/v2"+portals, `{"name": "Status", "query": "query Me { viewer { id } }"}`, http.StatusCreated)
	sendOwn[any](p, http.MethodPost, "/v2"+portals+"/status/tokens", `{"description": "Dashboard"}`, http.StatusCreated)
	secret := sendOwn[struct{ Secret string }](p, http.MethodPost, "/v2"+portals+"/status/secrets", `{"description": "Program"}`, http.StatusCreated)
	grant := `{"grant_type": "client_credentials", "client_id": "` + portal.UUID + `", "secret": "` + secret.Secret + `"}`
	if status, body := p.send(http.MethodPost, "/portal"+portals+"/status/tokens", grant); status != http.StatusOK {
		p.t.Fatalf("an ephemeral token: %d %s", status, body)
	}
}

func makeInvitationData(p *process) {
	p.t.Helper()
	const invitations = "/v2/organizations/acme-inc/invitations"
	status, body := p.send(http.MethodPost, invitations, `{"emails": ["new@example.com"], "teams": [{"id": "0190a1b2-0000-7000-8000-000000000003", "role": "member"}]}`,
		"Authorization", "Bearer "+testToken, "Idempotency-Key", "once")
	if status != http.StatusCreated {
		p.t.Fatalf("an invitation: %d %s", status, body)
	}
}

// sendOwn sends a request with the known token, wants the status, and returns the answer.
func sendOwn[T any](p *process, method, path, content string, want int) (answer T) {
	p.t.Helper()
	status, body := p.send(method, path, content, "Authorization", "Bearer "+testToken)
	if status != want || strings.Contains(body, `"errors":[{"message"`) {
		p.t.Fatalf("%s %s: %d %s", method, path, status, body)
	}
	return decode[T](p.t, body)
}

// storeRelease writes the database to testdata, with nothing about the machine that it was made on.
func storeRelease(t *testing.T, version, engine string, o db.Options) {
	t.Helper()
	name, content := sqliteRelease, []byte(nil)
	if engine == "postgres" {
		name, content = postgresScript, dumpPostgres(t, o)
	} else {
		content = compressFile(t, filepath.Join(o.Dir, db.FileName))
	}
	dir := filepath.Join(releasesDir, version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func compressFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return compressed.Bytes()
}

// dumpPostgres returns the statements that make the database, without settings, comments and what is for psql alone.
func dumpPostgres(t *testing.T, o db.Options) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), "pg_dump", "--inserts", "--no-owner", "--no-privileges", "--no-comments", plainURL(t, o))
	command.Stderr = os.Stderr
	dump, err := command.Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	var script strings.Builder
	for line := range strings.Lines(string(dump)) {
		dropped := func(prefix string) bool { return strings.HasPrefix(line, prefix) }
		if !slices.ContainsFunc([]string{"\n", "--", `\`, "SET ", "SELECT pg_catalog.set_config("}, dropped) {
			script.WriteString(line)
		}
	}
	return []byte(script.String())
}

// restoreRelease returns a database as the release made it.
func restoreRelease(t *testing.T, version, engine string) db.Options {
	t.Helper()
	return restoreStored(t, filepath.Join(releasesDir, version), engine)
}

// restoreStored returns a database that a directory of testdata has.
func restoreStored(t *testing.T, dir, engine string) db.Options {
	t.Helper()
	o := unmigrated(t, engine)
	if engine == "postgres" {
		runPostgresScript(t, o, filepath.Join(dir, postgresScript))
	} else {
		uncompressFile(t, filepath.Join(dir, sqliteRelease), filepath.Join(o.Dir, db.FileName))
	}
	return o
}

func runPostgresScript(t *testing.T, o db.Options, path string) {
	t.Helper()
	script, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), plainURL(t, o))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.Exec(t.Context(), string(script)); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func uncompressFile(t *testing.T, from, to string) {
	t.Helper()
	file, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// plainURL returns a PostgreSQL database's URL without the parameters of our pool.
func plainURL(t *testing.T, o db.Options) string {
	t.Helper()
	u, err := url.Parse(o.URL)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Del("pool_max_conns")
	u.RawQuery = q.Encode()
	return u.String()
}

// withDatabase runs fn on a database that no server uses.
func withDatabase(t *testing.T, o db.Options, fn func(*db.DB)) {
	t.Helper()
	d, err := db.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	fn(d)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func storedRows(t *testing.T, o db.Options) (rows []string) {
	t.Helper()
	withDatabase(t, o, func(d *db.DB) { rows = testkit.Rows(t, d) })
	return rows
}

func tableNames(t *testing.T, o db.Options) (names []string) {
	t.Helper()
	withDatabase(t, o, func(d *db.DB) {
		err := d.Read(t.Context(), func(tx *db.Tx) error {
			tables, _, err := tx.Tables()
			for _, table := range tables {
				names = append(names, table.Name)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	return names
}
