//go:build scenarios

package scenarios

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"penstock/internal/testkit/agent"
)

// controller is a stack: it reserves jobs of the default queue and starts an agent for each.
type controller struct {
	s   *installation
	key string
}

// send sends a request to the stack's part of the agent API and reads the answer. It reports false if there were too many requests.
func (c controller) send(method, path, body string, answer any) bool {
	c.s.t.Helper()
	status, text := c.s.send("", method, "/v3/stacks/"+path, body, "Authorization", "Token "+c.s.agentToken)
	if status == http.StatusTooManyRequests {
		return false
	}
	if status >= 300 {
		c.s.t.Errorf("%s %s: %d %s", method, path, status, text)
		return false
	}
	if err := json.Unmarshal(text, answer); err != nil {
		c.s.t.Errorf("%s %s: %v in %s", method, path, err, text)
	}
	return true
}

func newController(s *installation, key string) controller {
	s.t.Helper()
	c := controller{s, key}
	var made struct{ Key string }
	c.send(http.MethodPost, "register", fmt.Sprintf(`{"key": %q, "type": "custom", "queue_key": "default", "metadata": {}}`, key), &made)
	if made.Key != key {
		s.t.Fatalf("the stack is %q", made.Key)
	}
	return c
}

// list returns jobs that wait.
func (c controller) list(most int) (ids []string) {
	c.s.t.Helper()
	var page struct{ Jobs []struct{ ID string } }
	c.send(http.MethodGet, fmt.Sprintf("%s/scheduled-jobs?queue_key=default&limit=%d", c.key, most), "", &page)
	for _, j := range page.Jobs {
		ids = append(ids, j.ID)
	}
	return ids
}

func (c controller) reserve(ids []string, expiry time.Duration) []string {
	c.s.t.Helper()
	body, err := json.Marshal(map[string]any{"job_uuids": ids, "reservation_expiry_seconds": int(expiry.Seconds())})
	if err != nil {
		c.s.t.Error(err)
	}
	var answer struct{ Reserved []string }
	c.send(http.MethodPut, c.key+"/scheduled-jobs/batch-reserve", string(body), &answer)
	return answer.Reserved
}

// runJob starts an agent for a job, as a stack does, and waits for its end.
func (c controller) runJob(id string) {
	result := agent.Run(c.s.t, agent.Command{
		Args: []string{"start", "--acquire-job", id, "--name", c.key + "-" + id, "--build-path", "builds", "--hooks-path", "hooks", "--plugins-path", "plugins"},
		Env:  []string{"BUILDKITE_AGENT_TOKEN=" + c.s.agentToken}, Endpoint: c.s.endpoint(0),
	})
	if result.ExitCode != 0 {
		c.s.t.Errorf("the agent for job %s ended with %d: %s", id, result.ExitCode, result.Stderr)
	}
}

// work reserves jobs and runs them, so many at a time, until ended is closed. It returns the jobs that it reserved.
func (c controller) work(atOnce int, ended <-chan struct{}) (all []string) {
	for {
		var reserved []string
		if ids := c.list(5 * atOnce); len(ids) > 0 {
			reserved = c.reserve(ids, 10*time.Minute)
		}
		all = append(all, reserved...)
		slots := make(chan struct{}, atOnce)
		var agents sync.WaitGroup
		for _, id := range reserved {
			slots <- struct{}{}
			agents.Go(func() {
				defer func() { <-slots }()
				c.runJob(id)
			})
		}
		agents.Wait()
		select {
		case <-ended:
			return all
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// TestScenarioControllers has two controllers start an agent for each of many jobs. A third one is gone while it holds two fifths of them.
func TestScenarioControllers(t *testing.T) {
	jobs, atOnce := setting(t, "PENSTOCK_SCENARIO_JOBS", 500), setting(t, "PENSTOCK_SCENARIO_AGENTS", 20)/2
	held := jobs * 2 / 5
	binary := buildBinary(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s, server := startInstallation(t, binary, engine)
			b := s.run(fmt.Sprintf(`steps: [{label: a, command: "true", parallelism: %d}]`, jobs))
			dead, one, two := newController(s, "dead"), newController(s, "one"), newController(s, "two")
			// It is never heard of again.
			if reserved := dead.reserve(dead.list(held), 20*time.Second); len(reserved) != held {
				t.Fatalf("%d of %d jobs are reserved", len(reserved), held)
			}
			wantOneOwner(t, one, two)

			begun, ended := time.Now(), make(chan struct{})
			var controllers sync.WaitGroup
			owners := [2][]string{}
			for i, c := range []controller{one, two} {
				controllers.Go(func() { owners[i] = c.work(atOnce, ended) })
			}
			now := b.awaitEnd(30 * time.Minute)
			close(ended)
			controllers.Wait()
			if now.State != "passed" || len(now.Jobs) != jobs {
				t.Errorf("the build is %s with %d jobs", now.State, len(now.Jobs))
			}
			counts := s.countEvents(now.Jobs)
			for _, j := range now.Jobs {
				if started, finished := counts[j.ID+"STARTED"], counts[j.ID+"FINISHED"]; started != 1 || finished != 1 {
					t.Errorf("job %d started %d times and finished %d times", *j.ParallelGroupIndex, started, finished)
				}
			}
			if reserved := len(owners[0]) + len(owners[1]); reserved != jobs {
				t.Errorf("the two reserved %d jobs", reserved)
			}
			t.Logf("%s: %d jobs by %d agents at once in %s, %d and %d by each controller; the server's memory at most %s", engine, jobs, 2*atOnce,
				time.Since(begun).Round(time.Second), len(owners[0]), len(owners[1]), server.memory())
		})
	}
}

// wantOneOwner has two controllers reserve the same jobs at once, for a second: each job is reserved by exactly one.
func wantOneOwner(t *testing.T, one, two controller) {
	t.Helper()
	ids := one.list(50)
	owned := [2][]string{}
	var both sync.WaitGroup
	for i, c := range []controller{one, two} {
		both.Go(func() { owned[i] = c.reserve(ids, time.Second) })
	}
	both.Wait()
	owners := map[string]int{}
	for _, id := range append(owned[0], owned[1]...) {
		owners[id]++
	}
	for _, id := range ids {
		if owners[id] != 1 {
			t.Errorf("job %s was reserved by %d controllers", id, owners[id])
		}
	}
}
