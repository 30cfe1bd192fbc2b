package scenarios

import (
	"fmt"
	"net/http"
	"testing"

	"penstock/internal/testkit/agent"
)

// 5
func TestABlockIsLifted(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		s.startAgent(agent.Options{})
		b := s.run(`
steps:
  - {label: before, command: echo before}
  - {block: Release, key: release, allowed_teams: [releases], fields: [{text: Version, key: version}]}
  - {label: after, command: 'test "$$(buildkite-agent meta-data get version)" = 1.2'}
`)
		eventually(t, "the build is blocked", func() bool { return b.read().Blocked })
		now := b.read()
		wantStates(t, now, "before passed, Release blocked, after blocked")
		unblock := b.path + "/jobs/" + now.job("Release").ID + "/unblock"
		const fields = `{"fields": {"version": "1.2"}}`
		if status, body := s.send(memberToken, http.MethodPut, unblock, fields); status != http.StatusForbidden {
			t.Errorf("a member of another team was answered %d %s", status, body)
		}
		if status, body := s.send(adminToken, http.MethodPut, unblock, `{}`); status != http.StatusUnprocessableEntity {
			t.Errorf("without the field: %d %s", status, body)
		}
		s.ask(http.MethodPut, unblock, fields, http.StatusOK, nil)
		now = b.await("passed")
		wantStates(t, now, "before passed, Release unblocked, after passed")
		if now.MetaData["version"] != "1.2" {
			t.Errorf("%s", now)
		}
	})
}

// 19, 22
func TestPeopleStopAndPauseAgents(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		for _, force := range []bool{false, true} {
			a := s.startAgent(agent.Options{})
			b := s.run(`steps: [{label: a, command: ` + waitForGo + `}]`)
			id := b.awaitJob("a", "running").Agent.ID
			s.ask(http.MethodPut, acme+"/agents/"+id+"/stop", fmt.Sprintf(`{"force": %t}`, force), http.StatusNoContent, nil)
			want := "canceled"
			if !force {
				want = "passed"
				writeHome(t, a, "go", "")
			}
			eventually(t, "the job ends", func() bool { return b.read().FinishedAt != nil })
			if now := b.read(); now.job("a").State != want {
				t.Errorf("force %t: %s", force, now)
			}
			if code := a.Wait(); code != 0 || agentState(b) != "stopped" {
				t.Errorf("force %t: the agent ended with %d and is %s", force, code, agentState(b))
			}
		}

		s.startAgent(agent.Options{})
		b := s.run(`steps: [{label: a, command: echo a}]`)
		agentPath := acme + "/agents/" + b.await("passed").job("a").Agent.ID
		s.ask(http.MethodPut, agentPath+"/pause", `{"note": "Maintenance"}`, http.StatusNoContent, nil)
		// What would be handed out while it is paused would not come in the order of priority.
		low := s.run(`steps: [{label: a, command: echo low}]`)
		high := s.run(`steps: [{label: a, command: echo high, priority: 1}]`)
		s.ask(http.MethodPut, agentPath+"/resume", "", http.StatusNoContent, nil)
		last, first := low.await("passed"), high.await("passed")
		if !inOrder(first.job("a").StartedAt, last.job("a").StartedAt) {
			t.Errorf("not in the order of priority: %s\n%s", first, last)
		}
	})
}
