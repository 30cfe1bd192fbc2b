package clients_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// program returns the path of a program that scripts/clients names.
func program(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s names no program", variable)
	}
	return path
}

// site is an installation that a real agent has built something in: job passed has a log, an artifact, an annotation and uploaded steps, job failed
// failed, and job gate blocks the build.
type site struct {
	t                    *testing.T
	server, dir          string
	cluster, queue       string
	agent                string
	passed, failed, gate string
	artifact             string
}

const siteSteps = `
steps:
  - key: passed
    command: |
      echo hello from the agent
      echo content > out.txt
      buildkite-agent artifact upload out.txt
      buildkite-agent annotate "all is well"
      echo 'steps: [{key: uploaded, command: "echo uploaded"}]' | buildkite-agent pipeline upload
  - {key: failed, command: "echo went wrong && exit 3"}
  - {key: gate, block: Release, depends_on: ~}
`

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, server: startServer(t), dir: t.TempDir()}
	s.cluster = s.send("POST", "clusters", map[string]any{"name": "Machines"})["id"].(string)
	s.queue = s.send("POST", "clusters/"+s.cluster+"/queues", map[string]any{"key": "default"})["id"].(string)
	s.send("PUT", "clusters/"+s.cluster, map[string]any{"default_queue_id": s.queue})
	agentToken := s.send("POST", "clusters/"+s.cluster+"/tokens", map[string]any{"description": "Agents"})["token"].(string)
	s.send("POST", "pipelines", map[string]any{
		"name": "Web", "repository": "git@example.com:acme/web.git", "cluster_id": s.cluster, "configuration": siteSteps,
	})
	s.startAgent(agentToken)
	s.send("POST", "pipelines/web/builds", map[string]any{"commit": "HEAD", "branch": "main", "message": "First"})
	s.wait("build 1 is blocked", func() bool {
		states := map[string]any{}
		for _, item := range s.send("GET", "pipelines/web/builds/1", nil)["jobs"].([]any) {
			job := item.(map[string]any)
			states[fmt.Sprint(job["step_key"])] = job["state"]
		}
		return states["passed"] == "passed" && states["failed"] == "failed" && states["uploaded"] == "passed"
	})
	for _, item := range s.send("GET", "pipelines/web/builds/1", nil)["jobs"].([]any) {
		job := item.(map[string]any)
		id := job["id"].(string)
		switch job["step_key"] {
		case "passed":
			s.passed = id
			s.agent = job["agent"].(map[string]any)["id"].(string)
		case "failed":
			s.failed = id
		case "gate":
			s.gate = id
		}
	}
	s.artifact = s.first("pipelines/web/builds/1/artifacts")["id"].(string)
	return s
}

// buildAgent builds the agent, as all tests that need it, and returns its path.
var buildAgent = sync.OnceValues(func() (string, error) {
	binary, err := filepath.Abs("../bin/buildkite-agent")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(binary), 0o755); err != nil {
		return "", err
	}
	// Tests of the product build it too.
	lock, err := os.OpenFile(binary+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	if output, err := exec.Command("../scripts/agent", "--build").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the agent: %w\n%s", err, output)
	}
	return binary, nil
})

func (s *site) startAgent(agentToken string) {
	s.t.Helper()
	binary, err := buildAgent()
	if err != nil {
		s.t.Fatal(err)
	}
	hooks := filepath.Join(s.dir, "hooks")
	if err := os.Mkdir(hooks, 0o700); err != nil {
		s.t.Fatal(err)
	}
	// There is nothing to check out.
	if err := os.WriteFile(filepath.Join(hooks, "checkout"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	command := exec.Command(binary, "start", "--no-color", "--endpoint", s.server+"/v3", "--token", agentToken, "--name", "machine", "--hooks-path", hooks,
		"--build-path", filepath.Join(s.dir, "builds"), "--plugins-path", filepath.Join(s.dir, "plugins"), "--cancel-grace-period", "3")
	command.Env = []string{"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH"), "HOME=" + s.dir}
	command.Stdout, command.Stderr = s.t.Output(), s.t.Output()
	if err := command.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGQUIT) // the agent may have been stopped
		_ = command.Wait()
	})
}

// environment is what a program sees. It reaches nothing but the installation.
func (s *site) environment(more ...string) []string {
	const nowhere = "http://127.0.0.1:9"
	return append(more, "PATH="+os.Getenv("PATH"), "HOME="+s.dir, "BUILDKITE_API_TOKEN="+programToken,
		"HTTP_PROXY="+nowhere, "HTTPS_PROXY="+nowhere, "NO_PROXY=127.0.0.1")
}

func (s *site) send(method, path string, body any) map[string]any {
	s.t.Helper()
	return sendJSON(s.t, method, s.server+"/v2/organizations/acme-inc/"+path, "Bearer "+programToken, body)
}

// first returns the first item of a list.
func (s *site) first(path string) map[string]any {
	s.t.Helper()
	items := readList(s.t, s.server+"/v2/organizations/acme-inc/"+path, "Bearer "+programToken)
	if len(items) == 0 {
		s.t.Fatalf("%s has nothing", path)
	}
	return items[0]
}

func (s *site) wait(what string, holds func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); <-time.After(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("not after two minutes: %s", what)
		}
	}
}

// newBuild creates a build and returns its number and the id of its first job.
func (s *site) newBuild() (number, job string) {
	s.t.Helper()
	build := s.send("POST", "pipelines/web/builds", map[string]any{"commit": "HEAD", "branch": "main"})
	return fmt.Sprint(build["number"]), build["jobs"].([]any)[0].(map[string]any)["id"].(string)
}

// tally is what came of a program's commands.
type tally struct {
	passed, failed []string
}

func (c *tally) add(t *testing.T, name string, err error) {
	t.Helper()
	if err == nil {
		c.passed = append(c.passed, name)
		return
	}
	c.failed = append(c.failed, name)
	t.Logf("%s: %v", name, err)
}

// report says how many passed, for scripts/clients, and fails the test unless exactly those failed that cannot pass.
func (c *tally) report(t *testing.T, cannot ...string) {
	t.Helper()
	fmt.Printf("%s: %d of %d pass\n", t.Name(), len(c.passed), len(c.passed)+len(c.failed))
	slices.Sort(c.failed)
	slices.Sort(cannot)
	if !slices.Equal(c.failed, cannot) {
		t.Errorf("these fail:\n%s\nwant:\n%s", strings.Join(c.failed, "\n"), strings.Join(cannot, "\n"))
	}
}
