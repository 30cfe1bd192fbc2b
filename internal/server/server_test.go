package server_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/config"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/server"
	"penstock/internal/service"
	"penstock/internal/testkit"
)

const patience = 30 * time.Second

const bootstrapFile = `
users: [{email: admin@example.com, name: Admin}]
organizations: [{slug: acme-inc, name: Acme Inc, members: [{user: admin@example.com, role: admin}]}]
tokens:
  - user: admin@example.com
    token: a-token-that-is-only-good-for-tests
    description: Tests
    organizations: [acme-inc]
    scopes: [read_clusters, write_clusters, write_pipelines, read_builds, write_builds]
`

const (
	testToken = "a-token-that-is-only-good-for-tests"
	clusters  = "/v2/organizations/acme-inc/clusters"
)

// instance is a server in this process.
type instance struct {
	t      *testing.T
	cfg    config.Config
	url    string
	log    *transcript
	cancel context.CancelFunc
	ended  chan error
}

// transcript collects what is logged while others look at it.
type transcript struct {
	mutex sync.Mutex
	bytes bytes.Buffer
}

func (b *transcript) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.bytes.Write(p)
}

func (b *transcript) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.bytes.String()
}

// start starts a server on a database of its own and waits until it is ready.
func start(t *testing.T, engine string, adjust func(*config.Config)) *instance {
	t.Helper()
	cfg := config.Default()
	o := testkit.NewDatabase(t, engine)
	cfg.Listen, cfg.Data, cfg.Database = "127.0.0.1:0", cmp.Or(o.Dir, t.TempDir()), config.SecretURL(o.URL)
	cfg.Bootstrap = filepath.Join(t.TempDir(), "bootstrap.yaml")
	if err := os.WriteFile(cfg.Bootstrap, []byte(bootstrapFile), 0o600); err != nil {
		t.Fatal(err)
	}
	if adjust != nil {
		adjust(&cfg)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &instance{t: t, cfg: cfg, log: &transcript{}, cancel: cancel, ended: make(chan error, 1)}
	ready := make(chan string, 1)
	go func() {
		s.ended <- server.Run(ctx, server.Options{
			Config: cfg, Version: "test", Stdout: io.Discard, Stderr: s.log, Ready: func(url string) { ready <- url },
		})
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the server logged:\n%s", s.log)
		}
	})
	select {
	case s.url = <-ready:
	case err := <-s.ended:
		t.Fatalf("the server ended: %v", err)
	case <-time.After(patience):
		t.Fatal("the server is not ready")
	}
	t.Cleanup(func() { s.stop() })
	return s
}

// stop stops the server, once.
func (s *instance) stop() {
	s.t.Helper()
	s.cancel()
	select {
	case err, running := <-s.ended:
		if running {
			close(s.ended)
		}
		if err != nil {
			s.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(patience):
		s.t.Error("the server does not stop")
	}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

func (s *instance) send(method, path string, header ...string) answer {
	s.t.Helper()
	a := testkit.Send(s.t, method, s.url+path, "", header...)
	return answer{a.Status, a.Header, string(a.Body)}
}

func (s *instance) get(path string) answer { return s.send(http.MethodGet, path) }

// hold has a request worked on until release lets it go on and returns its status: another process has locked the SQLite database.
func (s *instance) hold() (release func() int) {
	s.t.Helper()
	locked, unlock, status := make(chan struct{}), make(chan struct{}), make(chan int, 1)
	go func() {
		err := server.Operate(s.t.Context(), s.cfg, server.Access{AnySchema: true}, func(d *db.DB, _ *service.Service) error {
			return d.Write(s.t.Context(), func(*db.Tx) error {
				close(locked)
				<-unlock
				return nil
			})
		})
		if err != nil {
			s.t.Error(err)
		}
	}()
	<-locked
	go func() {
		answer := http.StatusServiceUnavailable
		for answer == http.StatusServiceUnavailable { // while one of the requests below has the place
			answer = testkit.Send(s.t, http.MethodPost, s.url+clusters, `{"name": "Slow"}`, "Authorization", "Bearer "+testToken).Status
		}
		status <- answer
	}()
	s.eventually("the request has its place", func() bool { return s.get("/v2").status == http.StatusServiceUnavailable })
	return func() int {
		close(unlock)
		return <-status
	}
}

func (s *instance) eventually(what string, condition func() bool) {
	s.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !condition(); <-tick.C {
		if time.Now().After(deadline) {
			s.t.Fatalf("not within the time limit: %s", what)
		}
	}
}

func TestEveryAnswerIsJSONWithARequestID(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", nil)
	for path, want := range map[string]int{
		"/v3": 404, "/v2x": 404, "//v2": 404, "/healthz/": 200, "/readyz/x": 404, "/v2/nothing": 404,
		"/v2": 200, "/healthz": 200, "/readyz": 200, "/v2/user": 401,
	} {
		a := s.get(path)
		var body map[string]any
		if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.status != want {
			t.Errorf("%s: %d %s, want %d and JSON", path, a.status, a.body, want)
		}
		if message, ok := body["message"].(string); want >= 400 && (!ok || message == "") {
			t.Errorf("%s: no message in %s", path, a.body)
		}
		if a.header.Get("X-Request-Id") == "" || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %v", path, a.header)
		}
	}
	if a := s.send(http.MethodPost, "/healthz"); a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST /healthz: %+v", a)
	}
	if a := s.send(http.MethodHead, "/readyz"); a.status != http.StatusOK || a.body != "" {
		t.Errorf("HEAD /readyz: %+v", a)
	}
}

// TestATrailingSlashIsAsGoodAsNone asks every surface with one. Nothing is redirected: a client would lose its body.
func TestATrailingSlashIsAsGoodAsNone(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", nil)
	for _, c := range []struct{ method, path string }{
		{"GET", "/v2"}, {"GET", "/v2/user"}, {"GET", "/v2/organizations"}, {"POST", clusters}, {"POST", clusters + "?name=x"}, {"GET", "/v2/nothing"},
		{"POST", "/v1"}, {"GET", "/v1"}, {"POST", "/portal/organizations/acme-inc/portals/x"}, {"POST", "/v3/register"}, {"GET", "/v3/ping"},
		{"GET", "/healthz"}, {"GET", "/readyz"}, {"GET", "/sign-in"}, {"GET", "/docs"}, {"GET", "/organizations/acme-inc/clusters"}, {"GET", "/nothing"},
		{"POST", "/deliver/x"}, {"GET", "/badges/x.svg"}, {"GET", "/.well-known/jwks"},
	} {
		path, query, _ := strings.Cut(c.path, "?")
		if query != "" {
			query = "?" + query
		}
		without, with := s.send(c.method, path+query), s.send(c.method, path+"/"+query)
		if with.status != without.status || with.status/100 == 3 && with.header.Get("Location") != without.header.Get("Location") {
			t.Errorf("%s %s is answered with %d, with a slash at its end with %d %.200s", c.method, c.path, without.status, with.status, with.body)
		}
	}
	for _, path := range []string{"/v2//", "/v2/user//", "/v2/user%2F"} { // which are other paths
		if a := s.get(path); a.status != http.StatusNotFound {
			t.Errorf("%s: %d %.100s", path, a.status, a.body)
		}
	}
}

func TestURLsBeginWithTheBaseURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ listen, base, want string }{
		{"127.0.0.1:0", "", `http://127\.0\.0\.1:\d+`},
		{"localhost:0", "", `http://localhost:\d+`},
		{"127.0.0.1:0", "https://ci.example.com/", `https://ci\.example\.com`},
		{":0", "", `http://localhost:\d+`},
	} {
		s := start(t, "sqlite", func(cfg *config.Config) { cfg.Listen, cfg.BaseURL = c.listen, c.base })
		if a := s.get("/v2/user"); !regexp.MustCompile(" " + c.want + "/docs#authentication").MatchString(a.body) {
			t.Errorf("%+v: %s", c, a.body)
		}
		if warned := strings.Contains(s.log.String(), "set --base-url"); warned != (c.listen == ":0") {
			t.Errorf("%+v: logged %s", c, s.log)
		}
	}
}

// TestTheBaseURLsPathIsServed asks as clients do, and as a proxy does that takes the path away.
func TestTheBaseURLsPathIsServed(t *testing.T) {
	t.Parallel()
	for base, prefix := range map[string]string{"http://ci.example.com/penstock/": "/penstock", "http://ci.example.com/a%20b/c": "/a%20b/c"} {
		s := start(t, "sqlite", func(cfg *config.Config) { cfg.BaseURL = base })
		for path, want := range map[string]int{
			"/v2": 200, "/v2/user": 401, "/v1": 405, "/portal/organizations/acme-inc/portals/x": 405, "/healthz": 200, "/readyz": 200, "/": 200,
			"/organizations/acme-inc": 200, // the sign-in, to which it leads
			"/v2/nothing":             404, "/v3": 404,
			"/avatars/0190a000-0000-7000-8000-000000000001.svg": 200,
		} {
			for _, at := range []string{prefix, ""} {
				if a := s.get(at + path); a.status != want {
					t.Errorf("%s%s: %d %.100s, want %d", at, path, a.status, a.body, want)
				}
			}
		}
		for path, want := range map[string]int{"/metrics": 200, prefix + "/metrics": 404} { // who reaches the prefix need not see them
			if a := s.get(path); a.status != want {
				t.Errorf("%s: %d %.100s, want %d", path, a.status, a.body, want)
			}
		}
		if a := s.get(prefix); a.status != http.StatusOK || !strings.Contains(a.body, "Sign in") {
			t.Errorf("%s: %d %.100s", prefix, a.status, a.body)
		}
		for _, path := range []string{prefix + "x/v2", prefix + prefix + "/v2", "/other/v2"} {
			if a := s.get(path); a.status != http.StatusNotFound {
				t.Errorf("%s: %d %.100s", path, a.status, a.body)
			}
		}
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, nil)
			authorization := "Bearer " + testToken
			s.send(http.MethodGet, clusters, "Authorization", authorization)
			s.send("BREW", clusters, "Authorization", authorization)
			s.get("/nowhere/at/all")
			s.get("/readyz")
			metrics := s.get("/metrics").body
			for _, want := range []string{
				`penstock_http_requests_total\{method="GET",route="/v2/organizations/[^"]*/clusters",status="200"\} 1`,
				`penstock_http_requests_total\{method="_OTHER",route="/v2/organizations/[^"]*/clusters",status="405"\} 1`,
				`penstock_http_requests_total\{method="GET",route="unknown",status="404"\} 1`,
				`penstock_http_requests_total\{method="GET",route="/readyz",status="200"\} 1`,
				`penstock_http_request_duration_seconds_count\{route="/v2/organizations/[^"]*/clusters"\} 2`,
				`penstock_http_requests_in_flight 0`,
				`penstock_http_bytes_in_flight 0`,
				`penstock_database_wait_seconds_count\{kind="write"\} [1-9]`,
				`penstock_database_statements_total\{engine="` + engine + `"\} [1-9]`,
				`penstock_loop_runs_total\{loop="store_token_uses",outcome="ok"\} [1-9]`,
				`penstock_build_info\{goversion="go[^"]+",schema="\d+",version="test"\} 1`,
				`go_goroutines \d+`,
				`process_open_fds \d+`,
			} {
				if !regexp.MustCompile(`(?m)^` + want).MatchString(metrics) {
					t.Errorf("no %s in\n%s", want, metrics)
				}
			}
			if strings.Contains(metrics, "BREW") || strings.Contains(metrics, "nowhere") {
				t.Error("a caller's text is in a label")
			}
		})
	}
}

func TestOverload(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", func(cfg *config.Config) { cfg.MaxInFlight = 1 })
	release := s.hold()
	const text = "The service is overloaded. Please retry."
	for path, body := range map[string]string{
		"/v2":         `{"message":"` + text + `"}`,
		"/nowhere":    `{"message":"` + text + `"}`,
		"/v1":         `{"errors":[{"message":"` + text + `"}]}`,
		"/portal/any": `{"errors":[{"message":"` + text + `"}]}`,
	} {
		a := s.get(path)
		if a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" || a.header.Get("X-Request-Id") == "" || a.body != body {
			t.Errorf("%s: %+v", path, a)
		}
		open := path != "/nowhere"
		if shown := a.header.Get("Access-Control-Allow-Origin") == "*" && strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "Retry-After"); shown != open {
			t.Errorf("%s can be read by other sites' scripts: %v: %+v", path, shown, a)
		}
	}
	for _, path := range []string{"/v1", "/v2/organizations"} {
		a := s.send(http.MethodOptions, path, "Origin", "https://app.example.com", "Access-Control-Request-Method", "POST")
		if a.status != http.StatusNoContent || a.header.Get("Access-Control-Allow-Headers") == "" {
			t.Errorf("preflight of %s: %+v", path, a)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := s.get(path); a.status != http.StatusOK {
			t.Errorf("a busy server is taken for dead: %s: %+v", path, a)
		}
	}
	if !strings.Contains(s.get("/metrics").body, `penstock_http_requests_total{method="GET",route="refused",status="503"}`) {
		t.Error("refused requests are not counted")
	}
	if status := release(); status != http.StatusCreated {
		t.Errorf("the request in flight: %d", status)
	}
	s.eventually("there is room again", func() bool { return s.get("/v2").status == http.StatusOK })
}

func TestOversizeHeadersAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", nil)
	if a := s.send(http.MethodGet, "/v2", "X-Large", strings.Repeat("x", 128<<10)); a.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%+v", a)
	}
}

func TestReadyzTurnsBeforeTheListenerCloses(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", func(cfg *config.Config) { cfg.ShutdownDelay = time.Second })
	s.cancel()
	s.eventually("the server says that it is stopping", func() bool {
		a := s.get("/readyz")
		return a.status == http.StatusServiceUnavailable && strings.Contains(a.body, "stopping")
	})
	if a := s.get("/v2"); a.status != http.StatusOK {
		t.Errorf("it no longer serves: %+v", a)
	}
	s.stop()
}

// recordMigration makes a server's database say that a step of the schema was taken, or was not.
func (s *instance) recordMigration(version int64, taken bool) {
	s.t.Helper()
	withDatabase(s.t, s.cfg, func(d *db.DB) error {
		return d.Write(s.t.Context(), func(tx *db.Tx) error {
			sql := "DELETE FROM schema_migrations WHERE version = $1"
			if taken {
				sql = "INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, 'test', 0)"
			}
			_, err := tx.Exec(sql, version)
			return err
		})
	})
}

func TestReadyzTellsWhenMigrationsAreMissing(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, nil)
			s.recordMigration(db.Latest(), false)
			for range 3 {
				if a := s.get("/readyz"); a.status != http.StatusServiceUnavailable || !strings.HasPrefix(a.body, `{"message":"`) {
					t.Errorf("not ready: %+v", a)
				}
			}
			if n := strings.Count(s.log.String(), "not ready"); n != 1 {
				t.Errorf("logged %d times", n)
			}
			s.recordMigration(db.Latest(), true)
			if a := s.get("/readyz"); a.status != http.StatusOK || !strings.Contains(s.log.String(), "ready again") {
				t.Errorf("ready again: %+v", a)
			}
		})
	}
}

// TestAServerStaysReadyWhenANewerOneMigrates has one of several servers on a database replaced by the next release.
func TestAServerStaysReadyWhenANewerOneMigrates(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, nil)
			s.recordMigration(db.Latest()+1, true)
			if a := s.get("/readyz"); a.status != http.StatusOK {
				t.Errorf("%+v", a)
			}
		})
	}
}

func TestReadyzFollowsTheDatabase(t *testing.T) {
	t.Parallel()
	s := start(t, "postgres", nil)
	name, err := url.Parse(s.cfg.Database.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	// Meanwhile PostgreSQL accepts no connection to the server's database and has ended those that there were.
	beside := s.cfg
	beside.Database = config.SecretURL(os.Getenv("PENSTOCK_TEST_POSTGRES"))
	accept := func(connections bool) {
		withDatabase(t, beside, func(d *db.DB) error {
			return d.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(fmt.Sprintf(`ALTER DATABASE "%s" ALLOW_CONNECTIONS %v`, strings.TrimPrefix(name.Path, "/"), connections))
				return err
			})
		})
		withDatabase(t, beside, func(d *db.DB) error {
			return d.Read(t.Context(), func(tx *db.Tx) error {
				return tx.Query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`,
					func(*db.Row) error { return nil }, strings.TrimPrefix(name.Path, "/"))
			})
		})
	}
	accept(false)
	s.eventually("the server is not ready", func() bool { return s.get("/readyz").status == http.StatusServiceUnavailable })
	if a := s.get("/healthz"); a.status != http.StatusOK {
		t.Errorf("it is taken for dead: %+v", a)
	}
	accept(true)
	s.eventually("the server is ready again", func() bool { return s.get("/readyz").status == http.StatusOK })
}

// withDatabase runs fn on a server's database, beside it.
func withDatabase(t *testing.T, cfg config.Config, fn func(*db.DB) error) {
	t.Helper()
	err := server.Operate(t.Context(), cfg, server.Access{AnySchema: true}, func(d *db.DB, _ *service.Service) error { return fn(d) })
	if err != nil {
		t.Fatal(err)
	}
}

func TestTokenUsesAreStoredWhenTheServerStops(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, nil)
			if a := s.send(http.MethodGet, clusters, "Authorization", "Bearer "+testToken); a.status != http.StatusOK {
				t.Fatalf("%+v", a)
			}
			s.stop()
			err := server.Operate(t.Context(), s.cfg, server.Access{}, func(_ *db.DB, svc *service.Service) error {
				tokens, err := svc.APITokens(t.Context(), authz.OperatorActor(), domain.APITokenFilter{})
				if err == nil && (len(tokens) != 1 || tokens[0].LastUsedAt == nil) {
					t.Errorf("%+v", tokens)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestLogs(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", func(cfg *config.Config) {
		cfg.LogFormat, cfg.LogLevel = config.LogJSON, slog.LevelDebug
		cfg.HostedAgentsURL = "http://user:hunter2@127.0.0.1:1"
	})
	s.get("/v2")
	s.stop()
	for line := range strings.Lines(s.log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry["level"] == nil || entry["msg"] == nil {
			t.Errorf("%q: %v", line, err)
		}
	}
	for _, want := range []string{`"msg":"starting"`, `"msg":"ready"`, `"path":"/v2"`, `"msg":"stopped"`} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("no %s in the log", want)
		}
	}
	if strings.Contains(s.log.String(), "hunter2") || strings.Contains(s.log.String(), testToken) {
		t.Error("a secret is in the log")
	}
}

func TestTimesInLogsHaveAUnit(t *testing.T) {
	t.Parallel()
	for format, wants := range map[string][]string{
		config.LogText: {`took=[\d.]+(ns|µs|ms|s) `, `config\.usage-timeout=5s `},
		config.LogJSON: {`"took":"[\d.]+(ns|µs|ms|s)"`, `"usage-timeout":"5s"`},
	} {
		s := start(t, "sqlite", func(cfg *config.Config) { cfg.LogFormat = format })
		s.get("/v2")
		s.stop()
		for _, want := range wants {
			if !regexp.MustCompile(want).MatchString(s.log.String()) {
				t.Errorf("no %s in the log in %s", want, format)
			}
		}
	}
}

func TestAServerThatIsStoppedBeforeItIsReadyEndsWell(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Listen, cfg.Data = "127.0.0.1:0", t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout bytes.Buffer
	err := server.Run(ctx, server.Options{Config: cfg, Stdout: &stdout, Stderr: io.Discard})
	if err != nil || stdout.Len() > 0 {
		t.Errorf("%v, %q", err, stdout.String())
	}
}

func TestAvatarURLsLeadToAPicture(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", func(*config.Config) {})
	for path, want := range map[string]int{
		"/avatars/0190a000-0000-7000-8000-000000000001.svg": http.StatusOK,
		"/avatars/nobody.svg":                               http.StatusNotFound,
		"/avatars":                                          http.StatusNotFound,
	} {
		resp, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want || resp.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %s %v", path, resp.Status, resp.Header)
		}
		if picture := resp.Header.Get("Content-Type") == "image/svg+xml"; picture != (want == http.StatusOK) {
			t.Errorf("%s is a %s", path, resp.Header.Get("Content-Type"))
		}
	}
}

// TestPipelinesAreReachedByTheirTokens follows the addresses of a pipeline's badge and of its webhook. Their tokens are in no log.
func TestPipelinesAreReachedByTheirTokens(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, func(cfg *config.Config) { cfg.LogLevel = slog.LevelDebug })
			var made struct {
				BadgeURL string `json:"badge_url"`
				Provider struct {
					WebhookURL string `json:"webhook_url"`
				} `json:"provider"`
			}
			if err := json.Unmarshal(testkit.Send(t, http.MethodPost, s.url+"/v2/organizations/acme-inc/pipelines", `{"name": "Web", "repository": "r"}`,
				"Authorization", "Bearer "+testToken, "Content-Type", "application/json").Body, &made); err != nil {
				t.Fatal(err)
			}
			badge, webhook := made.BadgeURL, made.Provider.WebhookURL
			for _, c := range []struct {
				method, url, event, kind, answer string
				status                           int
			}{
				{"GET", badge, "", "image/svg+xml", "unknown", 200},
				{"GET", badge + "?style=square&theme=9c0,f93,0ad&step=x&branch=y", "", "image/svg+xml", `fill="#0ad"`, 200},
				{"GET", strings.TrimSuffix(badge, ".svg") + ".json", "", "application/json; charset=utf-8", `{"status":"unknown"}`, 200},
				{"HEAD", badge, "", "image/svg+xml", "", 200},
				{"POST", badge, "", "application/json; charset=utf-8", "Method not allowed. Allowed here: GET, HEAD", 405},
				{"GET", strings.TrimSuffix(badge, ".svg"), "", "application/json; charset=utf-8", "No pipeline found", 404},
				{"GET", s.url + "/badges/" + path.Base(webhook) + ".svg", "", "application/json; charset=utf-8", "No pipeline found", 404},
				{"GET", s.url + "/badges/.svg", "", "application/json; charset=utf-8", "No pipeline found", 404},
				{"GET", s.url + "/badges/%00.svg", "", "application/json; charset=utf-8", "No pipeline found", 404},
				{"POST", webhook, "push", "application/json; charset=utf-8", "the body is not as this repository host sends it", 400},
				{"POST", webhook, "ping", "application/json; charset=utf-8", "ignored: ping", 200},
				{"GET", webhook, "", "application/json; charset=utf-8", "Method not allowed. Allowed here: POST", 405},
				{"POST", webhook + "x", "push", "application/json; charset=utf-8", "No pipeline found", 404},
				{"POST", webhook + "/x", "push", "application/json; charset=utf-8", "No pipeline found", 404},
				{"POST", s.url + "/deliver/", "push", "application/json; charset=utf-8", "No pipeline found", 404},
				{"POST", s.url + "/deliver", "push", "application/json; charset=utf-8", "No pipeline found", 404},
			} {
				request, err := http.NewRequest(c.method, c.url, strings.NewReader(`{"ref": "refs/heads/main"}`))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("X-GitHub-Event", c.event)
				resp, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				answer, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if err != nil || resp.StatusCode != c.status || !strings.Contains(string(answer), c.answer) || resp.Header.Get("Content-Type") != c.kind {
					t.Errorf("%s %s %s: %s %s %v", c.method, c.url, c.event, resp.Status, answer, err)
				}
			}
			s.stop()
			for _, url := range []string{badge, webhook} {
				if token := strings.TrimSuffix(path.Base(url), ".svg"); len(token) < 40 || strings.Contains(s.log.String(), token) {
					t.Errorf("the token %q is in the log, or short", token)
				}
			}
		})
	}
}

// startBusyBuild lets an agent start the job of a build of a new pipeline, Busy.
func startBusyBuild(t *testing.T, s *instance, send func(method, path, body string) map[string]any) {
	t.Helper()
	call := func(method, path, body, authorization string) (object map[string]any) {
		t.Helper()
		answer := testkit.Send(t, method, s.url+path, body, "Authorization", authorization, "Content-Type", "application/json")
		if answer.Status >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, answer.Status, answer.Body)
		}
		_ = json.Unmarshal(answer.Body, &object) // some have none
		return object
	}
	const bearer = "Bearer " + testToken
	cluster := call("POST", clusters, `{"name": "Busy"}`, bearer)["id"].(string)
	call("POST", clusters+"/"+cluster+"/queues", `{"key": "busy"}`, bearer)
	token := call("POST", clusters+"/"+cluster+"/tokens", `{"description": "CI"}`, bearer)["token"].(string)
	send("POST", "", `{"name": "Busy", "repository": "r", "cluster_id": "`+cluster+`", "configuration": "steps: [{command: make, agents: {queue: busy}}]"}`)
	send("POST", "/busy/builds", `{"commit": "HEAD", "branch": "main"}`)
	session := "Token " + call("POST", "/v3/register", `{"name": "a", "meta_data": ["queue=busy"]}`, "Token "+token)["access_token"].(string)
	call("POST", "/v3/connect", `{}`, session)
	job, _ := call("GET", "/v3/ping", "", session)["job"].(map[string]any)
	if job == nil {
		t.Fatal("the agent has no job")
	}
	accepted := call("PUT", "/v3/jobs/"+job["id"].(string)+"/accept", `{}`, session)
	call("PUT", "/v3/jobs/"+job["id"].(string)+"/start", `{}`, "Token "+accepted["token"].(string))
}

// TestFeeds reads how pipelines go as programs that watch builds do. The token is in no log.
func TestFeeds(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, func(cfg *config.Config) { cfg.LogLevel, cfg.RateLimitREST = slog.LevelDebug, 40 })
			send := func(method, path, body string) map[string]any {
				t.Helper()
				answer := testkit.Send(t, method, s.url+"/v2/organizations/acme-inc/pipelines"+path, body, "Authorization", "Bearer "+testToken, "Content-Type", "application/json")
				var object map[string]any
				if err := json.Unmarshal(answer.Body, &object); err != nil || answer.Status >= 300 {
					t.Fatalf("%s %s: %d %s", method, path, answer.Status, answer.Body)
				}
				return object
			}
			for _, name := range []string{"Web & more", "Api"} {
				send("POST", "", `{"name": "`+name+`", "repository": "r", "configuration": "steps: [{block: Go on}]"}`)
			}
			startBusyBuild(t, s, send)
			build := send("POST", "/web-more/builds", `{"commit": "HEAD", "branch": "main"}`)
			job := build["jobs"].([]any)[0].(map[string]any)["id"].(string)
			send("PUT", "/web-more/builds/1/jobs/"+job+"/unblock", "{}")
			send("POST", "/web-more/builds", `{"commit": "HEAD", "branch": "other"}`)
			send("PUT", "/web-more/builds/2/cancel", "")
			const unknown = `activity="Sleeping" lastBuildStatus="Unknown" lastBuildLabel="" lastBuildTime=""`
			for _, c := range []struct {
				path   string
				status int
				parts  []string
			}{
				{"/acme-inc.xml?access_token=" + testToken, 200, []string{"<Projects>", `name="Api" ` + unknown, `name="Web &amp; more"`, `lastBuildStatus="Exception" lastBuildLabel="2"`, `webUrl="` + s.url + `/acme-inc/web-more"`}},
				{"/acme-inc.xml?branch=main&access_token=" + testToken, 200, []string{`lastBuildStatus="Success" lastBuildLabel="1" lastBuildTime="20`}},
				{"/acme-inc/web-more.xml?branch=nothing%00&access_token=" + testToken, 200, []string{`name="Web &amp; more" ` + unknown}},
				{"/acme-inc/api.xml?access_token=" + testToken, 200, []string{`name="Api"`}},
				{"/acme-inc/busy.xml?access_token=" + testToken, 200, []string{`name="Busy" activity="Building" lastBuildStatus="Unknown"`}},
				{"/acme-inc/busy.xml?branch=other&access_token=" + testToken, 200, []string{`name="Busy" ` + unknown}},
				{"/acme-inc/nothing.xml?access_token=" + testToken, 404, []string{"No pipeline found"}},
				{"/nowhere.xml?access_token=" + testToken, 404, []string{"No organization found"}},
				{"/acme-inc.xml?access_token=wrong", 401, []string{"Authentication required"}},
				{"/acme-inc.xml", 401, []string{"Add access_token with an API access token that has the read_builds scope"}},
			} {
				answer := testkit.Send(t, http.MethodGet, s.url+c.path, "")
				for _, part := range c.parts {
					if answer.Status != c.status || !strings.Contains(string(answer.Body), part) {
						t.Errorf("%s: no %s in %d %s", c.path, part, answer.Status, answer.Body)
					}
				}
				if strings.Contains(c.path, "/api.xml") && strings.Contains(string(answer.Body), "Web") {
					t.Errorf("%s has other pipelines: %s", c.path, answer.Body)
				}
			}
			refused := testkit.Answer{}
			for range 100 { // more than two minutes of them
				if refused = testkit.Send(t, http.MethodGet, s.url+"/acme-inc.xml?access_token="+testToken, ""); refused.Status != http.StatusOK {
					break
				}
			}
			if refused.Status != http.StatusTooManyRequests || refused.Header.Get("RateLimit-Remaining") != "0" || refused.Header.Get("Retry-After") == "" {
				t.Errorf("feeds are not counted: %d %v %s", refused.Status, refused.Header, refused.Body)
			}
			if answer := testkit.Send(t, http.MethodPost, s.url+"/acme-inc.xml", ""); answer.Status != http.StatusMethodNotAllowed {
				t.Errorf("a POST: %d", answer.Status)
			}
			s.stop()
			if strings.Contains(s.log.String(), testToken) {
				t.Error("the token is in the log")
			}
		})
	}
}

// TestTriggersAreReachedByTheirAddress posts to the address of a trigger, whose token is in no log.
func TestTriggersAreReachedByTheirAddress(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := start(t, engine, func(cfg *config.Config) { cfg.LogLevel = slog.LevelDebug })
			const pipelines = "/v2/organizations/acme-inc/pipelines"
			as := []string{"Authorization", "Bearer " + testToken, "Content-Type", "application/json"}
			testkit.Send(t, http.MethodPost, s.url+pipelines, `{"name": "Web", "repository": "r", "configuration": "steps: [{command: make}]"}`, as...)
			var made struct {
				ID      string `json:"id"`
				Address string `json:"endpoint_url"`
			}
			if err := json.Unmarshal(testkit.Send(t, http.MethodPost, s.url+pipelines+"/web/triggers", `{"type": "webhook", "label": "Deploy"}`, as...).Body, &made); err != nil {
				t.Fatal(err)
			}
			want := func(method, address, body string, status int, answer string) {
				t.Helper()
				if got := testkit.Send(t, method, address, body); got.Status != status || !strings.Contains(string(got.Body), answer) {
					t.Errorf("%s: %d %s, want %d %s", method, got.Status, got.Body, status, answer)
				}
			}
			var build struct {
				ID string `json:"id"`
			}
			first := testkit.Send(t, http.MethodPost, made.Address, `{"action": "go"}`)
			if err := json.Unmarshal(first.Body, &build); err != nil || first.Status != http.StatusCreated || len(build.ID) != 36 {
				t.Fatalf("%d %s %v", first.Status, first.Body, err)
			}
			want(http.MethodGet, made.Address, "", 405, "Method not allowed. Allowed here: POST")
			want(http.MethodPost, made.Address+"x", `{}`, 400, `{"message":"Invalid pipeline trigger token"}`)
			want(http.MethodPost, made.Address, `push`, 400, "The body must be JSON")
			want(http.MethodPost, made.Address, `"`+strings.Repeat("x", 5<<20)+`"`, 413, "The delivery is larger than 5 MB")
			testkit.Send(t, http.MethodPatch, s.url+pipelines+"/web/triggers/"+made.ID, `{"enabled": false}`, as...)
			want(http.MethodPost, made.Address, `{}`, 403, `{"message":"Pipeline trigger is disabled"}`)
			testkit.Send(t, http.MethodDelete, s.url+pipelines+"/web/triggers/"+made.ID, "", as...)
			want(http.MethodPost, made.Address, `{}`, 404, `{"message":"Pipeline trigger not found"}`)
			s.stop()
			if token := path.Base(made.Address); strings.Contains(s.log.String(), token) {
				t.Error("the token is in the log")
			}
		})
	}
}

func TestWhatIsNoRequestIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", nil)
	address := strings.TrimPrefix(s.url, "http://")
	for request, want := range map[string]string{
		"GET / HTTP/1.1\r\n\r\n":                                                     "400",
		"nonsense\r\n\r\n":                                                           "400",
		"GET / HTTP/1.1\r\nHost: a b\r\n\r\n":                                        "400",
		"GET / HTTP/3.7\r\nHost: a\r\n\r\n":                                          "505",
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n":              "501",
		"GET / HTTP/1.1\r\nHost: a\r\nA: " + strings.Repeat("a", 1<<20) + "\r\n\r\n": "431",
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(conn, request) }()
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%.40q: %v", request, err)
			continue
		}
		if !strings.HasPrefix(answer.Status, want) {
			t.Errorf("%.40q: %s, want %s", request, answer.Status, want)
		}
		_ = answer.Body.Close()
		_ = conn.Close()
	}
}

// TestBodiesThatCouldHideARequestEndTheConnection sends a chunked body that has a length too, which a proxy may have believed, and a body
// that a read has no use for and that does not come.
func TestBodiesThatCouldHideARequestEndTheConnection(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite", nil)
	for request, want := range map[string]bool{
		"POST /v2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n": true,
		"GET /docs HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n":                                       true,
		"GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n":                                                              false,
	} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, request)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Close != want {
			t.Errorf("%.40q: the connection ends: %v", request, answer.Close)
		}
		_ = answer.Body.Close()
		_ = conn.Close()
	}
}
