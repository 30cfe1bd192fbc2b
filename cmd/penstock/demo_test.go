package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	demoToken     = "a-token-for-tests-only"
	demoBootstrap = `
users: [{email: admin@example.com, name: Admin}]
organizations:
  - {slug: acme-inc, name: Acme Inc, members: [{user: admin@example.com, role: admin}], clusters: [{name: Default, queues: [{key: default, default: true}]}]}
tokens: [{user: admin@example.com, token: ` + demoToken + `, organizations: [acme-inc], graphql: true, scopes: [read_clusters, read_organizations, read_user]}]
`
)

// inMemory lets demos choose their place by themselves.
var inMemory = []string{"TMPDIR="}

func startDemoOf(t *testing.T, environment []string) *process {
	t.Helper()
	file := filepath.Join(t.TempDir(), "bootstrap.yaml")
	if err := os.WriteFile(file, []byte(demoBootstrap), 0o600); err != nil {
		t.Fatal(err)
	}
	return start(t, environment, "demo", "--file", file)
}

func demosInMemory(p *process) []string {
	found, _ := filepath.Glob("/dev/shm/penstock-demo-" + strconv.Itoa(p.cmd.Process.Pid) + "-*")
	return found
}

func TestDemoOfAFile(t *testing.T) {
	t.Parallel()
	p := startDemoOf(t, inMemory)
	if printed := p.stdout.String(); strings.Count(printed, "\n") != 1 {
		t.Errorf("it printed %s", printed)
	}
	if status, body := p.get(clusters, demoToken); status != 200 || len(decode[[]any](t, body)) != 1 || !strings.Contains(body, `"name":"Default"`) {
		t.Errorf("the clusters: %d %s", status, body)
	}
	if status, body := p.send("POST", "/v1", `{"query": "{ organization(slug: \"acme-inc\") { name } }"}`, "Authorization", "Bearer "+demoToken); !strings.Contains(body, `"Acme Inc"`) {
		t.Errorf("GraphQL: %d %s", status, body)
	}
	if _, err := os.Stat("/dev/shm"); err == nil && len(demosInMemory(p)) != 1 {
		t.Errorf("in memory there is %v", demosInMemory(p))
	}
	p.stop()
	if left := demosInMemory(p); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// One that is killed leaves its files; the next removes them.
func TestDemoRemovesWhatAKilledOneLeft(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/shm"); err != nil {
		t.Skip("there is no place in memory")
	}
	killed, running := startDemoOf(t, inMemory), startDemoOf(t, inMemory)
	killed.signal(syscall.SIGKILL)
	killed.wait()
	if len(demosInMemory(killed)) != 1 {
		t.Fatalf("the killed one left %v", demosInMemory(killed))
	}
	next := startDemoOf(t, inMemory)
	if left := demosInMemory(killed); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, p := range []*process{running, next} {
		if status, _ := p.get(clusters, demoToken); status != 200 || len(demosInMemory(p)) != 1 {
			t.Errorf("one that runs answers %d", status)
		}
	}
}

func TestDemoRefusesABadFile(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("organisations: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{bad: `unknown key "organisations"`, bad + "x": "check --file"} {
		out, err := penstock(t, nil, "demo", "--file", file, "--listen", "127.0.0.1:0").CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v: %s", file, err, out)
		}
	}
}

func TestDemoBreaksOnCommand(t *testing.T) {
	t.Parallel()
	p := startDemoOf(t, []string{"TMPDIR=" + t.TempDir()})
	add := func(fault string) {
		t.Helper()
		if status, body := p.send("POST", "/demo/faults", fault); status != 201 {
			t.Fatalf("%s: %d %s", fault, status, body)
		}
	}
	remove := func() {
		t.Helper()
		if status, body := p.send("DELETE", "/demo/faults", ""); status != 204 {
			t.Fatalf("remove: %d %s", status, body)
		}
	}
	ask := func(path string, patience time.Duration) (int, http.Header, error) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+demoToken)
		answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
		if err != nil {
			return 0, nil, err
		}
		return answer.StatusCode, answer.Header, answer.Body.Close()
	}
	status := func(path string, want int) http.Header {
		t.Helper()
		got, header, err := ask(path, patience)
		if err != nil || got != want {
			t.Fatalf("%s is answered with %d, %v, not %d", path, got, err, want)
		}
		return header
	}

	// As many requests as it says, and only those that it is for.
	add(`{"answer": "503", "path": "/v2/organizations", "method": "get", "times": 2, "seconds": 7}`)
	add(`{"answer": "429", "path": "/v1"}`)
	status("/v2/user", 200)
	if header := status(clusters, 503); header.Get("Retry-After") != "7" || header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("the headers are %v", header)
	}
	status(clusters, 503)
	status(clusters, 200)
	code, body := p.send("POST", "/v1", `{"query": "{ __typename }"}`)
	if code != 429 || !strings.Contains(body, `"errors":[{"message":"Too many requests`) {
		t.Errorf("GraphQL: %d %s", code, body)
	}
	list := decode[[]struct {
		Answer  string
		Matched int
	}](t, second(p.get("/demo/faults", "")))
	if len(list) != 2 || list[0].Matched != 2 || list[1].Matched != 1 || list[1].Answer != "429" {
		t.Errorf("the list is %v", list)
	}
	remove()
	status(clusters, 200)

	add(`{"answer": "slow", "path": "/v2", "times": 1, "seconds": 1}`)
	began := time.Now()
	if status(clusters, 200); time.Since(began) < time.Second {
		t.Errorf("the slow answer came after %v", time.Since(began))
	}
	add(`{"answer": "none", "path": "/v2", "times": 1}`)
	if answer, _, err := ask(clusters, 300*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without an answer it is %v, %v", answer, err)
	}
	add(`{"answer": "none", "path": "/v2", "times": 1, "seconds": 1}`)
	if answer, _, err := ask(clusters, patience); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a connection that is cut is %v, %v", answer, err)
	}
	status(clusters, 200)
	remove()

	for fault, want := range map[string]string{
		`{"answer": "500"}`:                "answer must be one of 429, 503, slow, none",
		`{}`:                               "answer must be one of",
		`{"answer": "503", "path": "v2"}`:  "path must begin with /",
		`{"answer": "503", "times": -1}`:   "times must not be negative",
		`{"answer": "503", "seconds": 61}`: "seconds must be from 1 to 60",
		`{"answer": "503", "code": 1}`:     `unknown field \"code\"`,
		`{"answer": 503}`:                  "must be a fault",
		`{"answer": "503"} {}`:             "must be one fault",
		`[`:                                "must be a fault",
	} {
		if code, body := p.send("POST", "/demo/faults", fault); code/100 != 4 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", fault, code, body)
		}
	}
	if code, body := p.send("POST", "/demo/faults", `{"answer": "503"}`, "Content-Type", "text/plain"); code != 415 {
		t.Errorf("as text: %d %s", code, body)
	}
	if code, body := p.send("PATCH", "/demo/faults", ""); code != 405 {
		t.Errorf("PATCH: %d %s", code, body)
	}
	for range 100 {
		add(`{"answer": "503", "path": "/nowhere"}`)
	}
	if code, body := p.send("POST", "/demo/faults", `{"answer": "503"}`); code != 422 || !strings.Contains(body, "100 faults") {
		t.Errorf("too many: %d %s", code, body)
	}
}

// A real server does not break on command.
func TestServeHasNoFaults(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "serve", "--data", t.TempDir())
	if code, body := p.send("POST", "/demo/faults", `{"answer": "503"}`); code == 201 {
		t.Errorf("%d %s", code, body)
	}
	if code, _ := p.get("/v2", ""); code != 200 {
		t.Errorf("it answers %d", code)
	}
}

func second[A, B any](_ A, b B) B { return b }
