package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// The tests build the command and drive it as a process.
var (
	binary string
	raced  bool // built with the race detector
)

const testVersion = "1.2.3-test"

func TestMain(m *testing.M) {
	if settings := os.Getenv(innocentVariable); settings != "" {
		os.Exit(runInnocent(settings))
	}
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "penstock-test-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "penstock")
	args := []string{"build", "-o", binary, "-ldflags", "-X main.version=" + testVersion}
	info, _ := debug.ReadBuildInfo()
	if raced = slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}); raced {
		args = append(args, "-race")
	}
	build := exec.CommandContext(context.Background(), "go", append(args, ".")...)
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	defer printFaultTable()
	return m.Run()
}

// patience is how long a test waits for what should come at once.
const patience = 30 * time.Second

// penstock returns the command with an environment of nothing but what is given.
func penstock(t *testing.T, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}, environment...)
	return cmd
}

// result is what came of a command.
type result struct {
	stdout, stderr string
	code           int
}

func (r result) String() string {
	return fmt.Sprintf("exit code %d\nstdout: %s\nstderr: %s", r.code, r.stdout, r.stderr)
}

func run(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// output runs a command that must succeed and returns what it printed.
func output(t *testing.T, args ...string) string {
	t.Helper()
	r := run(t, penstock(t, nil, args...))
	if r.code != 0 {
		t.Fatalf("penstock %s: %v", strings.Join(args, " "), r)
	}
	return strings.TrimSuffix(r.stdout, "\n")
}

// refused runs a command that must fail with the code and say each of wants.
func refused(t *testing.T, cmd *exec.Cmd, code int, wants ...string) {
	t.Helper()
	r := run(t, cmd)
	if r.code != code || r.stdout != "" || !strings.HasPrefix(r.stderr, "penstock: ") {
		t.Errorf("%s: %v; want exit code %d and an error", strings.Join(cmd.Args[1:], " "), r, code)
	}
	for _, want := range wants {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("%s: stderr is %q, want %q in it", strings.Join(cmd.Args[1:], " "), r.stderr, want)
		}
	}
}

// process is a server that runs.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	stdout *transcript
	stderr *transcript
	ended  chan struct{}
}

// transcript collects what a process writes while others look at it.
type transcript struct {
	mutex sync.Mutex
	bytes bytes.Buffer // not embedded: its ReadFrom would go around the mutex
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

// start starts a server on a free port and waits until it is ready.
func start(t *testing.T, environment []string, args ...string) *process {
	t.Helper()
	return startCommand(t, penstock(t, append([]string{"PENSTOCK_LISTEN=127.0.0.1:0"}, environment...), args...))
}

func startCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, stdout: &transcript{}, stderr: &transcript{}, ended: make(chan struct{})}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = p.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 1)
	go func() {
		defer close(p.ended)
		lines := bufio.NewScanner(io.TeeReader(stdout, p.stdout))
		for lines.Scan() {
			if url, ok := strings.CutPrefix(lines.Text(), "penstock is ready at "); ok {
				ready <- url
			}
		}
		_ = cmd.Wait() // its outcome is in ProcessState
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("the server logged:\n%s", p.stderr)
		}
	})
	select {
	case p.url = <-ready:
	case <-p.ended:
		t.Fatalf("the server ended with %v", cmd.ProcessState)
	case <-time.After(patience):
		t.Fatal("the server is not ready")
	}
	return p
}

func (p *process) signal(sig os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatal(err)
	}
}

// wait waits for the process to end.
func (p *process) wait() syscall.WaitStatus {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatal("the server does not end")
	}
	return p.cmd.ProcessState.Sys().(syscall.WaitStatus)
}

// stop asks the server to stop, which it must do in good order.
func (p *process) stop() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	if status := p.wait(); !status.Exited() || status.ExitStatus() != 0 {
		p.t.Fatalf("the server ended with %v", p.cmd.ProcessState)
	}
}

// get returns the status and the body of an answer.
func (p *process) get(path, token string) (status int, body string) {
	p.t.Helper()
	if token == "" {
		return p.send(http.MethodGet, path, "")
	}
	return p.send(http.MethodGet, path, "", "Authorization", "Bearer "+token)
}

// send sends a request with a body, which is JSON if there is one, and headers, each with its value, and returns the
// status and the body of its answer.
func (p *process) send(method, path, content string, header ...string) (status int, body string) {
	p.t.Helper()
	answer := testkit.Send(p.t, method, p.url+path, content, header...)
	return answer.Status, string(answer.Body)
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !condition(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("not within the time limit: %s", what)
		}
	}
}

// eachEngine runs fn with the flag and value that name an empty database of each engine.
func eachEngine(t *testing.T, fn func(t *testing.T, database []string)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, databaseFlags(testkit.NewDatabase(t, engine)))
		})
	}
}

func databaseFlags(o db.Options) []string {
	if o.URL != "" {
		return []string{"--database", o.URL}
	}
	return []string{"--data", o.Dir}
}

// with returns a command line of words, separated by spaces, and further arguments.
func with(words string, more ...string) []string { return append(strings.Fields(words), more...) }

func decode[T any](t *testing.T, text string) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
