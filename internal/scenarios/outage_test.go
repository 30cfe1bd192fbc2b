//go:build scenarios

package scenarios

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"penstock/internal/config"
	"penstock/internal/testkit"
	"penstock/internal/testkit/agent"
)

// watchTime is for how long it is looked, after an outage, whether an agent is lost for it.
const watchTime = 30 * time.Second

// startWaiting starts agents with a job each, which ends when endWaiting says so.
func startWaiting(t *testing.T, s *installation, count int) (build, []*agent.Agent) {
	t.Helper()
	agents := make([]*agent.Agent, count)
	for i := range agents {
		agents[i] = s.startAgent(agent.Options{Name: "runner-" + strconv.Itoa(i), Endpoint: s.endpoint(i % len(s.nodes))})
		writeHome(t, agents[i], "script.sh", `echo up >$HOME/up; while ! [ -e "$HOME/end" ]; do sleep 1; done; echo over`)
	}
	b := s.run(fmt.Sprintf(`steps: [{label: a, command: 'sh "$$HOME/script.sh"', parallelism: %d}]`, count))
	for _, a := range agents {
		awaitHome(t, a, "up")
	}
	return b, agents
}

// endWaiting lets the jobs end, and checks that each ran once and that no agent was lost.
func endWaiting(t *testing.T, s *installation, b build, agents []*agent.Agent) {
	t.Helper()
	<-time.After(watchTime)
	for _, a := range agents {
		writeHome(t, a, "end", "")
	}
	now := b.awaitEnd(5 * time.Minute)
	if now.State != "passed" || len(now.Jobs) != len(agents) {
		t.Errorf("%s", now)
	}
	for _, j := range now.Jobs {
		if got := s.events(j.ID); strings.Contains(got, "AGENT_LOST") || strings.Count(got, "STARTED") != 1 {
			t.Errorf("what happened to %s: %s", j.Name, got)
		}
	}
}

// TestScenarioTheDatabaseIsAway takes the database away from two servers for longer than an agent may be silent.
func TestScenarioTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	away := time.Duration(setting(t, "PENSTOCK_SCENARIO_AWAY", 210)) * time.Second
	var proxy *testkit.PostgresProxy
	s := start(t, "postgres", 2, func(cfg *config.Config) {
		proxy = testkit.NewPostgresProxy(t, cfg.Database.Reveal())
		cfg.Database = config.SecretURL(proxy.URL)
	})
	for _, n := range s.nodes {
		n.expected = "a loop fails; it will be run again"
	}
	b, agents := startWaiting(t, s, 4)
	proxy.SetAway(true)
	<-time.After(away)
	proxy.SetAway(false)
	endWaiting(t, s, b, agents)
	t.Logf("the database was away for %s: no agent was lost", away)
}

// TestScenarioTheClockSteps sets the clock of a server on SQLite forward by ten minutes while agents run jobs. The
// server is built with a clock that can be set.
func TestScenarioTheClockSteps(t *testing.T) {
	t.Parallel()
	step := filepath.Join(t.TempDir(), "step")
	s, _ := startInstallation(t, buildWithClock(t, step), "sqlite")
	b, agents := startWaiting(t, s, 4)
	<-time.After(watchTime) // so that heartbeats are stored
	if err := os.WriteFile(step, []byte("600"), 0o600); err != nil {
		t.Fatal(err)
	}
	endWaiting(t, s, b, agents)
}

// buildWithClock builds a server whose database's clock goes ahead by as many seconds as a file says.
func buildWithClock(t *testing.T, step string) string {
	t.Helper()
	const source, own = "../db/sqlite_conn.go", "time.Now().UTC().Truncate(time.Microsecond)"
	text, err := os.ReadFile(source)
	if err != nil || !strings.Contains(string(text), own) {
		t.Fatalf("%s has another clock: %v", source, err)
	}
	changed := strings.ReplaceAll(string(text), own, "steppedClock()") + fmt.Sprintf(`
func steppedClock() time.Time {
	text, _ := os.ReadFile(%q)
	seconds, _ := strconv.Atoi(string(text))
	return time.Now().Add(time.Duration(seconds) * time.Second).UTC().Truncate(time.Microsecond)
}
`, step)
	for _, name := range []string{"os", "strconv"} {
		if !strings.Contains(changed, "\t\""+name+"\"\n") {
			changed = strings.Replace(changed, "import (\n", "import (\n\t\""+name+"\"\n", 1)
		}
	}
	dir := t.TempDir()
	replaced, overlay, binary := filepath.Join(dir, "clock.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "penstock")
	original, err := filepath.Abs(source)
	if err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: replaced}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{replaced: []byte(changed), overlay: list} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", binary, "penstock/cmd/penstock")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	return binary
}
