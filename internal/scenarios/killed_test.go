//go:build scenarios

package scenarios

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"penstock/internal/config"
	"penstock/internal/testkit/agent"
)

// setting returns a number that the environment may change.
func setting(t *testing.T, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// buildBinary builds the server.
func buildBinary(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "penstock")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "penstock/cmd/penstock").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	return binary
}

// process is a server that is a process of its own.
type process struct {
	t       *testing.T
	command *exec.Cmd
	log     *transcript
	ended   chan struct{}
}

// startProcess starts a server and waits until it is ready.
func startProcess(t *testing.T, binary string, cfg config.Config) *process {
	t.Helper()
	p := &process{t: t, command: exec.Command(binary, "serve"), log: &transcript{}, ended: make(chan struct{})}
	p.command.Env = []string{"PENSTOCK_LISTEN=" + cfg.Listen, "PENSTOCK_DATA=" + cfg.Data, "PENSTOCK_DATABASE=" + cfg.Database.Reveal(), "PENSTOCK_BOOTSTRAP=" + cfg.Bootstrap}
	p.command.Stderr = p.log
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	go func() {
		defer close(p.ended)
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "penstock is ready at ") {
				close(ready)
			}
		}
		_, _ = io.Copy(io.Discard, stdout)
		_ = p.command.Wait() // it may have been killed
	}()
	t.Cleanup(func() {
		p.kill()
		if log := p.log.String(); t.Failed() || strings.Contains(log, "level=ERROR") {
			t.Errorf("the server logged:\n%s", log)
		}
	})
	select {
	case <-ready:
	case <-p.ended:
		t.Fatalf("the server ended: %s", p.log)
	case <-time.After(patience):
		t.Fatal("the server is not ready")
	}
	return p
}

// kill kills the server as a crash of its machine would.
func (p *process) kill() {
	_ = p.command.Process.Signal(syscall.SIGKILL)
	<-p.ended
}

// freeAddress returns an address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

var numberedLine = regexp.MustCompile(`line (\d+) of job (\d+)\b`)

// 25
func TestScenarioTheServerIsKilled(t *testing.T) {
	jobs, outage := setting(t, "PENSTOCK_SCENARIO_JOBS", 50), time.Duration(setting(t, "PENSTOCK_SCENARIO_OUTAGE", 60))*time.Second
	const lines = 60
	binary := buildBinary(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s, first := startInstallation(t, binary, engine)
			a := s.startAgent(agent.Options{Spawn: jobs})
			writeHome(t, a, "script.sh", fmt.Sprintf(`
echo up >"$HOME/up-$BUILDKITE_PARALLEL_JOB"
for i in $(seq 1 %d); do echo "line $i of job $BUILDKITE_PARALLEL_JOB"; sleep 1; done
echo again >>"$HOME/ran-$BUILDKITE_PARALLEL_JOB"
`, lines))
			b := s.run(fmt.Sprintf(`steps: [{label: a, parallelism: %d, command: 'sh "$$HOME/script.sh"'}]`, jobs))
			for i := range jobs {
				awaitHome(t, a, fmt.Sprint("up-", i))
			}
			begun := time.Now()
			first.kill()
			<-time.After(outage)
			startProcess(t, binary, s.nodes[0].cfg)
			var now buildAnswer
			for deadline := time.Now().Add(15 * time.Minute); now.FinishedAt == nil; <-time.After(time.Second) {
				if now = b.read(); time.Now().After(deadline) {
					t.Fatalf("the build does not end: %s", now)
				}
			}
			t.Logf("%s: %d jobs, %s without a server: the build is %s %s after the kill", engine, jobs, outage, now.State, time.Since(begun).Round(time.Second))
			if now.State != "passed" || len(now.Jobs) != jobs {
				t.Fatalf("%s", now)
			}
			for i, j := range now.Jobs {
				if ran := readHome(t, a, fmt.Sprint("ran-", i)); ran != "again\n" {
					t.Errorf("job %d ran %d times", i, strings.Count(ran, "again"))
				}
				if j.Agent.ConnectionState != "connected" {
					t.Errorf("agent %s is %s", j.Agent.Name, j.Agent.ConnectionState)
				}
				if got := s.events(j.ID); !strings.HasSuffix(got, "ASSIGNED ACCEPTED STARTED FINISHED") || strings.Count(got, "STARTED") != 1 {
					t.Errorf("what happened to job %d: %s", i, got)
				}
				var found []string
				for _, match := range numberedLine.FindAllStringSubmatch(s.logOf(j.ID), -1) {
					if match[2] == fmt.Sprint(i) {
						found = append(found, match[1])
					}
				}
				for n := range lines {
					if n >= len(found) || found[n] != fmt.Sprint(n+1) {
						t.Errorf("the log of job %d has the lines %v", i, found)
						break
					}
				}
			}
			if failed := s.texts(`SELECT job_id FROM job_runs WHERE build_id = $1 AND chunks_failed_count > 0`, now.ID); len(failed) > 0 {
				t.Errorf("parts of logs are missing: %v", failed)
			}
		})
	}
}
