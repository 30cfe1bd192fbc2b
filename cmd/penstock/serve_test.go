package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
	"penstock/internal/testkit/agent"
	"penstock/internal/testkit/forge"
)

const bootstrapFile = `
users:
  - {email: admin@example.com, name: Admin}
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}]
tokens:
  - user: admin@example.com
    token: ${TOKEN}
    description: Tests
    organizations: [acme-inc]
    scopes: [read_clusters, write_clusters, read_organizations]
`

const (
	testToken = "a-token-that-is-only-good-for-tests"
	clusters  = "/v2/organizations/acme-inc/clusters"
)

// bootstrapped returns what a server with an organization and a token starts with.
func bootstrapped(t *testing.T, database []string) (environment, args []string) {
	t.Helper()
	return []string{"TOKEN=" + testToken}, append(with("serve --bootstrap", write(t, "bootstrap.yaml", bootstrapFile)), database...)
}

func TestServeFromStartToStop(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		environment, args := bootstrapped(t, database)
		for range 2 { // the second start finds everything applied
			p := start(t, environment, args...)
			for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 200, "/v2": 200, "/v2/user": 401, "/": 200} {
				if status, body := p.get(path, ""); status != want {
					t.Errorf("%s answers %d %s, want %d", path, status, body, want)
				}
			}
			if status, body := p.get(clusters, testToken); status != http.StatusOK {
				t.Errorf("clusters: %d %s", status, body)
			}
			p.stop()
			if got := p.stdout.String(); got != "penstock is ready at "+p.url+"\n" {
				t.Errorf("stdout is %q, want one line", got)
			}
		}
	})
}

// unmigrated returns an SQLite or PostgreSQL database that has no schema yet.
func unmigrated(t *testing.T, engine string) db.Options {
	t.Helper()
	o := testkit.NewDatabase(t, engine)
	if engine == "sqlite" {
		return o
	}
	d, err := db.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec("DROP SCHEMA public CASCADE")
		if err == nil {
			_, err = tx.Exec("CREATE SCHEMA public")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestServeMigratesTheDatabase(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var environment []string // without it, SQLite is in the default directory
			if engine == "postgres" {
				environment = []string{"PENSTOCK_DATABASE=" + unmigrated(t, engine).URL}
			}
			p := start(t, environment, "serve")
			if status, body := p.get("/readyz", ""); status != http.StatusOK {
				t.Errorf("readyz: %d %s", status, body)
			}
			p.stop()
			_, err := os.Stat(filepath.Join(p.cmd.Dir, "penstock-data", db.FileName))
			if made := err == nil; made != (engine == "sqlite") {
				t.Errorf("an SQLite database was made: %v", made)
			}
			migrate := penstock(t, environment, "migrate")
			migrate.Dir = p.cmd.Dir
			if r := run(t, migrate); r.code != 0 || !strings.Contains(r.stdout, "up to date") {
				t.Errorf("migrate after serve: %v", r)
			}
		})
	}
}

func TestLogSettings(t *testing.T) {
	t.Parallel()
	environment := []string{"PENSTOCK_NONSENSE=x"} // which is warned of
	for args, want := range map[string]struct {
		info, warn string // what such entries have, if they are logged
	}{
		"serve": {"level=INFO msg=ready", "level=WARN"},
		"serve --log-level debug --log-format json": {`"level":"INFO","msg":"ready"`, `"level":"WARN"`},
		"serve --log-level info --log-format text":  {"level=INFO msg=ready", "level=WARN"},
		"serve --log-level warn":                    {"", "level=WARN"},
		"serve --log-level warn --log-format json":  {"", `"level":"WARN"`},
		"serve --log-level error":                   {"", ""},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			p := start(t, environment, with(args)...)
			p.stop()
			log := p.stderr.String()
			for level, entry := range map[string]string{"INFO": want.info, "WARN": want.warn} {
				if strings.Contains(log, level) != (entry != "") || !strings.Contains(log, entry) {
					t.Errorf("want %q for what is logged as %s", entry, level)
				}
			}
		})
	}
}

func TestSIGINTStopsToo(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "serve")
	p.signal(os.Interrupt)
	if status := p.wait(); status.ExitStatus() != 0 {
		t.Errorf("ended with %v", p.cmd.ProcessState)
	}
}

// slowRequest has begun to create a cluster, and the server has begun to answer it.
type slowRequest struct {
	net.Conn
	body string
}

func beginRequest(t *testing.T, p *process) *slowRequest {
	t.Helper()
	address := strings.TrimPrefix(p.url, "http://")
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	r := &slowRequest{conn, `{"name": "Slow"}`}
	_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		clusters, address, testToken, len(r.body))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the request is in flight", func() bool {
		_, metrics := p.get("/metrics", "")
		return strings.Contains(metrics, "penstock_http_requests_in_flight 1\n")
	})
	return r
}

func (p *process) accepts(ctx context.Context) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(p.url, "http://"))
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

func TestARequestInFlightIsFinished(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		environment, args := bootstrapped(t, database)
		p := start(t, environment, args...)
		request := beginRequest(t, p)
		p.signal(syscall.SIGTERM)
		eventually(t, "the server accepts no more", func() bool { return !p.accepts(t.Context()) })
		if _, err := request.Write([]byte(request.body)); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(request), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			t.Errorf("the request was answered with %s", resp.Status)
		}
		if status := p.wait(); !status.Exited() || status.ExitStatus() != 0 {
			t.Errorf("the server ended with %v", p.cmd.ProcessState)
		}
	})
}

func TestAStopOnAFullDiskIsACleanOne(t *testing.T) {
	t.Parallel()
	p := startCommand(t, cramped(penstock(t, []string{"PENSTOCK_LISTEN=127.0.0.1:0"}, with("serve", newData(t)...)...)))
	p.stop()
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	environment, args := bootstrapped(t, nil)
	p := start(t, environment, args...)
	beginRequest(t, p)
	p.signal(syscall.SIGTERM)
	eventually(t, "the server accepts no more", func() bool { return !p.accepts(t.Context()) })
	p.signal(syscall.SIGTERM)
	if status := p.wait(); status.ExitStatus() == 0 {
		t.Errorf("the server ended with %v", p.cmd.ProcessState)
	}
}

func TestRequestsThatTakeTooLongAreBrokenOff(t *testing.T) {
	t.Parallel()
	environment, args := bootstrapped(t, nil)
	p := start(t, environment, append(args, "--shutdown-timeout", "10ms")...)
	beginRequest(t, p)
	p.signal(syscall.SIGTERM)
	if status := p.wait(); status.ExitStatus() != failure || !strings.Contains(p.stderr.String(), "--shutdown-timeout") {
		t.Errorf("the server ended with %v", p.cmd.ProcessState)
	}
}

// TestWhoDoesNotSendOrReadDoesNotHoldTheStop has bodies that do not end, of a member and of nobody.
func TestWhoDoesNotSendOrReadDoesNotHoldTheStop(t *testing.T) {
	t.Parallel()
	environment, args := bootstrapped(t, nil)
	p := start(t, environment, args...)
	beginRequest(t, p)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(p.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, unfinishedForm("/sign-in")); err != nil {
		t.Fatal(err)
	}
	p.stop()
}

func TestASecondServerOnTheSameDataIsRefused(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := start(t, nil, "serve", "--data", data)
	refused(t, penstock(t, nil, with("serve --listen 127.0.0.1:0 --log-level error --data", data)...), failure,
		data, "in use by another penstock process", "--data")
	if status, _ := p.get("/readyz", ""); status != http.StatusOK {
		t.Errorf("the first server answers %d", status)
	}
	p.stop()
	start(t, nil, "serve", "--data", data).stop()
}

func TestSeveralServersShareAPostgreSQL(t *testing.T) {
	t.Parallel()
	database := databaseFlags(testkit.NewDatabase(t, "postgres"))
	environment, args := bootstrapped(t, database)
	first, second := start(t, environment, args...), start(t, environment, args...)
	for _, p := range []*process{first, second} {
		if status, body := p.get(clusters, testToken); status != http.StatusOK {
			t.Errorf("%d %s", status, body)
		}
	}
}

func TestFlagsWinOverTheEnvironment(t *testing.T) {
	t.Parallel()
	environment := []string{"PENSTOCK_META_WEBHOOK_IPS=192.0.2.1/32", "PENSTOCK_BASE_URL=https://variable.example.com"}
	p := start(t, environment, "serve", "--base-url", "https://flag.example.com/")
	if _, body := p.get("/v2/meta", ""); !strings.Contains(body, "192.0.2.1/32") {
		t.Errorf("the variable has no effect: %s", body)
	}
	if _, body := p.get("/v2/user", ""); !strings.Contains(body, " https://flag.example.com/docs#authentication") {
		t.Errorf("the flag has no effect: %s", body)
	}
}

func TestHostedAgentsURLSetting(t *testing.T) {
	t.Parallel()
	calls := make(chan string, 2)
	agents := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- r.Method + " " + r.URL.Path + " " + string(body)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(agents.Close)
	environment, args := bootstrapped(t, nil)
	p := start(t, environment, append(args, "--hosted-agents-url", agents.URL+"/agents")...)
	authorization := []string{"Authorization", "Bearer " + testToken}
	_, made := p.send(http.MethodPost, clusters, `{"name": "Hosted"}`, authorization...)
	cluster := decode[struct{ ID string }](t, made).ID
	queue := `{"key": "hosted", "hosted_agents": {"instance_shape": "LINUX_AMD64_2X4"}}`
	if status, body := p.send(http.MethodPost, clusters+"/"+cluster+"/queues", queue, authorization...); status != http.StatusCreated {
		t.Fatalf("the queue: %d %s", status, body)
	}
	if status, body := p.send(http.MethodPut, clusters+"/"+cluster, `{"hosted_git_mirror_enabled": true}`, authorization...); status != http.StatusOK {
		t.Fatalf("the update: %d %s", status, body)
	}
	select {
	case call := <-calls:
		if call != "PUT /agents/clusters/"+cluster+`/git-mirror {"enabled": true}` {
			t.Errorf("the service was sent %s", call)
		}
	default:
		t.Error("the service was sent nothing")
	}
}

func TestTrustedProxiesSetting(t *testing.T) {
	t.Parallel()
	const client = "203.0.113.9"
	limited := strings.Replace(bootstrapFile, "    members:", "    settings: {allowed_api_ip_addresses: "+client+"/32}\n    members:", 1)
	file := write(t, "bootstrap.yaml", limited)
	for flag, want := range map[string]int{
		"": http.StatusForbidden, "--trusted-proxies 10.0.0.0/8": http.StatusForbidden, "--trusted-proxies 10.0.0.0/8,127.0.0.1/32": http.StatusOK,
	} {
		p := start(t, []string{"TOKEN=" + testToken}, with("serve "+flag+" --bootstrap", file)...)
		status, body := p.send(http.MethodGet, clusters, "", "Authorization", "Bearer "+testToken, "X-Forwarded-For", client)
		if status != want {
			t.Errorf("with %q: %d %s, want %d", flag, status, body, want)
		}
	}
}

func TestRateLimitSettings(t *testing.T) {
	t.Parallel()
	for flag, scope := range map[string]string{"--rate-limit-rest": "rest", "--rate-limit-rest-user": "rest_user"} {
		environment, args := bootstrapped(t, nil)
		p := start(t, environment, append(args, flag, "1")...)
		eventually(t, "the limit of "+flag, func() bool { // at once, unless a minute begins between two requests
			status, body := p.get(clusters, testToken)
			return status == http.StatusTooManyRequests && strings.Contains(body, `"scope":"`+scope+`","limit":1,`)
		})
	}
}

func TestGraphQLLimitSettings(t *testing.T) {
	t.Parallel()
	document := `{"query": "{ __schema { types { name description } } }"}`
	for flags, check := range map[string]func(status int, body string) bool{
		"--rate-limit-graphql-user 1": func(status int, _ string) bool { return status == http.StatusTooManyRequests },
		"--max-graphql-answer 2000": func(status int, body string) bool {
			return status == http.StatusOK && strings.Contains(body, "The answer is too large")
		},
	} {
		file := write(t, "bootstrap.yaml", strings.Replace(bootstrapFile, "description: Tests", "description: Tests\n    graphql: true", 1))
		p := start(t, []string{"TOKEN=" + testToken}, with("serve "+flags+" --bootstrap", file)...)
		eventually(t, flags, func() bool { // at once, unless a window begins between two requests
			return check(p.send(http.MethodPost, "/v1", document, "Authorization", "Bearer "+testToken, "Content-Type", "application/json"))
		})
	}
}

func TestTheEnvironmentIsChecked(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"PENSTOCK_LISTEN=8080":                           "PENSTOCK_LISTEN must be a host and a port",
		"PENSTOCK_LOG_LEVEL=loud":                        "PENSTOCK_LOG_LEVEL must be",
		"PENSTOCK_DATABASE=mysql://u:hunter2@h/n":        "PENSTOCK_DATABASE must be a postgres:// URL",
		"PENSTOCK_RATE_LIMIT_REST=-5":                    "PENSTOCK_RATE_LIMIT_REST must be a whole number from 0",
		"OTEL_TRACES_EXPORTER=zipkin":                    "OTEL_TRACES_EXPORTER must be otlp or none",
		"PENSTOCK_DATABASE=postgres://u:hunter2@h/n?x=%": "",
	} {
		r := run(t, penstock(t, []string{variable}, "serve"))
		if r.code == 0 || !strings.Contains(r.stderr, want) || strings.Contains(r.stderr, "hunter2") {
			t.Errorf("%s: %v; want %q", variable, r, want)
		}
	}
	unknown := []string{"PENSTOCK_DATABSE=postgres://u:hunter2@h/n"}
	p := start(t, append(unknown, "PENSTOCK_LOG_FORMAT=json"), "serve")
	if log := p.stderr.String(); !strings.Contains(log, `"level":"WARN","msg":"the environment variable PENSTOCK_DATABSE is not a setting`) ||
		strings.Contains(log, "hunter2") {
		t.Errorf("logged %s", log)
	}
	if r := run(t, penstock(t, unknown, "migrate")); r.code != 0 || !strings.Contains(r.stderr, "did you mean PENSTOCK_DATABASE?") {
		t.Errorf("migrate: %v", r)
	}
}

// TestFaultsOfTracingSettingsAreLogged has settings that OpenTelemetry itself reads. What it says of them is logged as everything
// else is, without the values.
func TestFaultsOfTracingSettingsAreLogged(t *testing.T) {
	t.Parallel()
	const collector = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"
	for setting, want := range map[string]string{
		"OTEL_EXPORTER_OTLP_HEADERS=authorization: Bearer hunter2":        `"problem":"parse headers"`,
		"OTEL_EXPORTER_OTLP_HEADERS=authorization: Bearer hunter2==":      `"problem":"parse headers"`,
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer hunter2%zz":      `"problem":"escape header value"`,
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://u:hunter2@[":           `"problem":"parse url"`,
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://u:hunter2/x@127.0.0.1": `"problem":"parse url"`,
		"OTEL_EXPORTER_OTLP_TIMEOUT=soon":                                 `"problem":"parse duration","error":"strconv.Atoi: parsing \"soon\": invalid syntax"`,
		"OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere.pem":                     "/nowhere.pem: no such file",
		"OTEL_TRACES_SAMPLER=nonsense":                                    "unsupported sampler: nonsense",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			p := start(t, []string{collector, setting}, "serve", "--log-format", "json")
			p.stop()
			log := p.stderr.String()
			if !strings.Contains(log, want) || strings.Contains(log, "hunter2") || strings.Contains(log, "%zz") {
				t.Errorf("want %s, and no secret", want)
			}
			for line := range strings.Lines(log) {
				if !json.Valid([]byte(line)) {
					t.Errorf("logged %s", line)
				}
			}
		})
	}
}

func TestErrorsAtTheStart(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	file := write(t, "file", "")
	for name, c := range map[string]struct {
		args  []string
		wants []string
	}{
		"port in use":              {with("--listen", taken.Addr().String()), []string{taken.Addr().String() + " is in use", "--listen"}},
		"address of another":       {with("--listen 192.0.2.1:8080"), []string{"cannot listen on 192.0.2.1:8080", "--listen"}},
		"data below a file":        {with("--data", filepath.Join(file, "x")), []string{"make the data directory", "--data"}},
		"no such database server":  {with("--database postgres://u:hunter2@127.0.0.1:1/n"), []string{"cannot reach PostgreSQL", "--database"}},
		"bootstrap that is absent": {with("--bootstrap /nowhere.yaml"), []string{"/nowhere.yaml", "--bootstrap"}},
		"bootstrap that is wrong": {with("--bootstrap", write(t, "b.yaml", "users:\n  - {email: a@example.com, nam: x}\n")),
			[]string{"b.yaml:2: ", "nam"}},
		"bootstrap that dangles": {with("--bootstrap", write(t, "c.yaml", "tokens:\n  - {user: nobody@example.com, token: "+testToken+", description: x}\n")),
			[]string{"c.yaml:2: ", "nobody@example.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := penstock(t, []string{"PENSTOCK_LISTEN=127.0.0.1:0", "PENSTOCK_LOG_LEVEL=error"}, append([]string{"serve"}, c.args...)...)
			refused(t, cmd, failure, c.wants...)
		})
	}
}

func TestANewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := testkit.NewDatabase(t, engine)
			setSchema(t, o, db.Latest()+1)
			for _, args := range []string{"serve --listen 127.0.0.1:0 --log-level error", "migrate", "token list", "backup -"} {
				refused(t, penstock(t, nil, with(args, databaseFlags(o)...)...), failure, "newer penstock")
			}
		})
	}
}

// setSchema makes a database say that it has the version of the schema.
func setSchema(t *testing.T, o db.Options, version int64) {
	t.Helper()
	d, err := db.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec("UPDATE schema_migrations SET version = $1 WHERE version = $2", version, db.Latest())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	p := start(t, []string{"TMPDIR=" + temporary}, "demo")
	eventually(t, "the lines to try", func() bool { return strings.Count(p.stdout.String(), "  curl ") == 6 })
	if dirs, _ := filepath.Glob(temporary + "/penstock-demo-*"); len(dirs) != 1 {
		t.Errorf("data directories: %v", dirs)
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Log("the lines were not run: ", err)
	}
	for line := range strings.Lines(p.stdout.String()) {
		if !strings.HasPrefix(line, "  curl ") || err != nil {
			continue
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(line, "curl", curl+" --fail", 1)).CombinedOutput()
		if err != nil || !strings.Contains(string(out), `"id"`) && !strings.Contains(string(out), `"Open Source"`) {
			t.Errorf("%s: %v: %s", line, err, out)
		}
	}
	p.stop()
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// What the demo writes for an agent is only its user's to read, and all that an agent needs.
func TestAnAgentConnectsToTheDemo(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"TMPDIR=" + t.TempDir()}, "demo")
	eventually(t, "how to connect an agent", func() bool { return strings.Contains(p.stdout.String(), "buildkite-agent.cfg\n") })
	found := regexp.MustCompile(`buildkite-agent start --config (\S+)`).FindStringSubmatch(p.stdout.String())
	if found == nil {
		t.Fatalf("printed %s", p.stdout)
	}
	if info, err := os.Stat(found[1]); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	a := agent.Start(t, agent.Options{ExtraArgs: []string{"--config", found[1]}})
	eventually(t, "the agent is registered", func() bool {
		return strings.Contains(a.Log(), `Successfully registered agent "demo-1" with tags [queue=default]`)
	})
	eventually(t, "it is connected", func() bool { return strings.Contains(a.Log(), "Waiting for instructions") })
	if code := a.Stop(); code != 0 || !strings.Contains(a.Log(), "Disconnected") {
		t.Errorf("exit status %d, log:\n%s", code, a.Log())
	}
}

// TestADemoWithAForge lets a real Gitea run beside the demo: what was pushed there is a build, and nothing is left behind.
func TestADemoWithAForge(t *testing.T) {
	t.Parallel()
	if !forge.IsBuilt() {
		t.Skip("there is no Gitea; make forge builds one")
	}
	temporary, err := os.MkdirTemp("", "penstock-demo-test-") // where others than root may look too
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	if err := os.Chmod(temporary, 0o755); err != nil { // so that Gitea's user can
		t.Fatal(err)
	}
	p := start(t, []string{"TMPDIR=" + temporary}, "demo", "--forge", forge.Home())
	within := func(what string, holds func() bool) { // Gitea takes its time
		t.Helper()
		for deadline := time.Now().Add(3 * time.Minute); !holds(); <-time.After(100 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("in vain waited for %s; the demo said %s", what, p.stderr.String())
			}
		}
	}
	within("how to push", func() bool { return strings.Contains(p.stdout.String(), "  git clone http://ada:") })
	_, after, _ := strings.Cut(p.stdout.String(), "Authorization: Bearer ")
	token, _, _ := strings.Cut(after, "'")
	within("a build of the first push", func() bool {
		status, body := p.get("/v2/organizations/acme-inc/pipelines/hello/builds", token)
		found := decode[[]struct {
			Source, Message, Branch string
		}](t, body)
		return status == http.StatusOK && len(found) == 1 && found[0].Source == "webhook" && found[0].Branch == "main" && strings.Contains(found[0].Message, "Say how to build")
	})
	p.stop()
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDemoServesAcmeInc(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "demo")
	eventually(t, "the lines to try", func() bool { return strings.Count(p.stdout.String(), "  curl ") == 6 })
	_, after, _ := strings.Cut(p.stdout.String(), "Authorization: Bearer ")
	token, _, _ := strings.Cut(after, "'")
	if status, body := p.get("/v2/organizations/acme-inc", token); status != http.StatusOK ||
		decode[struct{ Slug string }](t, body).Slug != "acme-inc" {
		t.Errorf("the organization: %d %s", status, body)
	}
	status, body := p.get(clusters, token)
	if status != http.StatusOK || len(decode[[]any](t, body)) == 0 {
		t.Errorf("its clusters: %d %s", status, body)
	}
}

// The demo has builds in many states, with all that pages show of them.
func TestDemoHasBuilds(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "demo")
	eventually(t, "the lines to try", func() bool { return strings.Count(p.stdout.String(), "  curl ") == 6 })
	_, after, _ := strings.Cut(p.stdout.String(), "Authorization: Bearer ")
	token, _, _ := strings.Cut(after, "'")
	status, body := p.get("/v2/organizations/acme-inc/builds?per_page=100", token)
	if status != http.StatusOK {
		t.Fatalf("the builds: %d %s", status, body)
	}
	type demoBuild struct {
		State, Message        string
		Blocked               bool
		StartedAt, FinishedAt *time.Time
		Number                int64
	}
	states := map[string]int{}
	for _, b := range decode[[]demoBuild](t, body) {
		states[b.State]++
	}
	if states["passed"]+states["blocked"] < 7 || states["failed"] != 2 || states["canceled"] != 1 {
		t.Errorf("the builds are %v: %s", states, body)
	}
	if status, body := p.get("/v2/organizations/acme-inc/pipelines/web/builds/1/artifacts", token); status != http.StatusOK || !strings.Contains(body, "junit.xml") {
		t.Errorf("the artifacts: %d %s", status, body)
	}
	if status, body := p.get("/v2/organizations/acme-inc/pipelines/web/builds/1/annotations", token); status != http.StatusOK || !strings.Contains(body, "passed") {
		t.Errorf("the annotations: %d %s", status, body)
	}
}

func TestDemoTakesAFreePortWhenItsOwnIsInUse(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	p := start(t, nil, "demo", "--listen", taken.Addr().String())
	if !strings.Contains(p.stderr.String(), taken.Addr().String()+" is in use, so a free port is taken.") {
		t.Errorf("said %q", p.stderr.String())
	}
	if status, _ := p.get("/healthz", ""); status != http.StatusOK {
		t.Errorf("healthz answers %d", status)
	}
}
