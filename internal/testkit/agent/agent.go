// Package agent runs the real agent in tests: the version that clients/agent names, built from source. Only tests import it.
package agent

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"penstock/internal/testkit/checkout"
	"penstock/internal/testkit/used"
)

// Binary returns the path of the agent, built if it is not there yet: minutes the first time, a second later. The test fails if it cannot
// be built.
func Binary(t testing.TB) string {
	t.Helper()
	path, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	used.Record(t, "agent")
	return path
}

var buildOnce = sync.OnceValues(build)

func build() (path string, err error) {
	module, err := checkout.Path("clients", "agent")
	if err != nil {
		return "", err
	}
	path = filepath.Join(module, "..", "..", "bin", "buildkite-agent")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	// Tests of several packages are processes of their own.
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	// As make agent does, so that they share what is built. Go's cache knows whether it is current.
	command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", path, "github.com/buildkite/agent/v3")
	command.Dir = module
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the agent in %s: %w\n%s", module, err, output)
	}
	return path, nil
}

// Options says which agent to start.
type Options struct {
	Endpoint  string // such as http://127.0.0.1:8080/v3
	Token     string // of a cluster
	Name      string
	Tags      []string // such as queue=default
	Spawn     int      // how many agents the process is; 0: one
	PingMode  string   // auto, poll-only or stream-only; empty: auto
	Env       []string // KEY=value, besides PATH and HOME; nothing else is taken from the test's environment
	ExtraArgs []string // for buildkite-agent start
}

// Agent is a process of the agent, with a home of its own.
type Agent struct {
	Home string // with builds, hooks and plugins in it

	t       testing.TB
	command *exec.Cmd
	log     output
	ended   chan struct{} // closed when the process has ended
}

const (
	cancelGrace = 3 // seconds that a job has to end when it is canceled
	stopTime    = 5 * time.Second
	endTime     = 30 * time.Second
)

// Start starts an agent. At the end of the test it is stopped, with its jobs, and its log shown if the test failed.
func Start(t testing.TB, o Options) *Agent {
	t.Helper()
	a := newAgent(t)
	args := []string{
		"start", "--no-color", "--spawn", strconv.Itoa(max(1, o.Spawn)), "--cancel-grace-period", strconv.Itoa(cancelGrace),
		"--build-path", a.subdirectory("builds"), "--hooks-path", a.subdirectory("hooks"), "--plugins-path", a.subdirectory("plugins"),
	}
	for _, flag := range [][2]string{
		{"--endpoint", o.Endpoint}, {"--token", o.Token}, {"--name", o.Name}, {"--tags", strings.Join(o.Tags, ",")}, {"--ping-mode", o.PingMode},
	} {
		if flag[1] != "" {
			args = append(args, flag[:]...)
		}
	}
	a.start(append(args, o.ExtraArgs...), o.Env)
	return a
}

// StartAs is Start for a command line as people copy it, in a home without a configuration file.
func StartAs(t testing.TB, commandLine string) *Agent {
	t.Helper()
	words := strings.Fields(commandLine)
	if len(words) == 0 || words[0] != "buildkite-agent" {
		t.Fatalf("%q does not start an agent", commandLine)
	}
	a := newAgent(t)
	a.start(words[1:], nil)
	return a
}

func newAgent(t testing.TB) *Agent {
	t.Helper()
	return &Agent{Home: newHome(t), t: t, ended: make(chan struct{})}
}

func (a *Agent) start(args, env []string) {
	t := a.t
	t.Helper()
	a.command = exec.Command(Binary(t), args...)
	a.command.Dir = a.Home
	a.command.Env = environment(a.Home, env)
	a.command.Stdout, a.command.Stderr = &a.log, &a.log
	a.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	a.command.WaitDelay = stopTime
	if err := a.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(a.ended)
		_ = a.command.Wait() // how it ended is in its state
	}()
	t.Cleanup(func() {
		a.end()
		if t.Failed() {
			t.Logf("the agent's log:\n%s", a.Log())
		}
	})
}

func (a *Agent) subdirectory(name string) string {
	a.t.Helper()
	dir := filepath.Join(a.Home, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		a.t.Fatal(err)
	}
	return dir
}

// newHome makes a directory with a short name: the agent makes sockets in it, whose paths have a limit.
func newHome(t testing.TB) string {
	t.Helper()
	home, err := os.MkdirTemp("", "agent-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(home); err != nil {
			t.Error(err)
		}
	})
	return home
}

func environment(home string, more []string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LANG=C.UTF-8"}, more...)
}

// Log returns what the agent has written so far.
func (a *Agent) Log() string { return a.log.String() }

// Signal sends the process a signal: SIGTERM lets its jobs end first, a second one cancels them.
func (a *Agent) Signal(signal syscall.Signal) {
	a.t.Helper()
	if err := a.command.Process.Signal(signal); err != nil {
		a.t.Error(err)
	}
}

// Stop asks the agent to stop once its jobs have ended, waits for that, and returns its exit status.
func (a *Agent) Stop() int {
	a.t.Helper()
	a.Signal(syscall.SIGTERM)
	return a.Wait()
}

// Wait waits for the process to end, and returns its exit status.
func (a *Agent) Wait() int {
	a.t.Helper()
	select {
	case <-a.ended:
	case <-time.After(endTime):
		a.t.Fatalf("the agent did not end within %s", endTime)
	}
	return a.command.ProcessState.ExitCode()
}

// Kill kills the process with the jobs it runs, as a crash of its machine would.
func (a *Agent) Kill() {
	a.t.Helper()
	// Jobs have process groups of their own.
	for _, pid := range append(findDescendants(a.command.Process.Pid), a.command.Process.Pid) {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	a.Wait()
}

// end stops the agent if it still runs: nicely, then by canceling its jobs, then by force.
func (a *Agent) end() {
	for range 2 {
		select {
		case <-a.ended:
			return
		default:
		}
		_ = a.command.Process.Signal(syscall.SIGTERM)
		select {
		case <-a.ended:
			return
		case <-time.After(stopTime):
		}
	}
	a.Kill()
}

// findDescendants returns the processes that a process started, and those that they started, where /proc says so.
func findDescendants(ancestor int) (found []int) {
	children := map[int][]int{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		// After the name, which is in parentheses and may have any character, come the state and the parent.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	for next := children[ancestor]; len(next) > 0; {
		found = append(found, next...)
		var below []int
		for _, pid := range next {
			below = append(below, children[pid]...)
		}
		next = below
	}
	return found
}

// output keeps what a process writes.
type output struct {
	mutex  sync.Mutex
	buffer bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.buffer.Write(p)
}

func (o *output) String() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.buffer.String()
}
