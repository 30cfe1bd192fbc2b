package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/testkit/agent"
)

// 30
func TestAnAgentCannotStartWhatItAccepted(t *testing.T) {
	t.Parallel()
	eachInstallation(t, func(t *testing.T, s *installation) {
		for _, mode := range []string{"auto", "poll-only"} {
			p := s.startProxy()
			temporary := filepath.Join(t.TempDir(), "tmp")
			if err := os.Mkdir(temporary, 0o700); err != nil {
				t.Fatal(err)
			}
			broken := s.startAgent(agent.Options{Name: "broken", Endpoint: p.endpoint(), PingMode: mode, Env: []string{"TMPDIR=" + temporary}})
			eventually(t, "the agent is connected", func() bool { return p.count("ping")+p.count(streamName) > 0 })
			if err := os.RemoveAll(temporary); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(temporary, nil, 0o600); err != nil { // no directory can be made there
				t.Fatal(err)
			}
			b := s.run(`steps: [{label: a, command: echo a}]`)
			id := b.read().job("a").ID
			const offers = 3
			// Its time to start the job is over, again and again, until it is not given the job any more. One that polls is given it again before.
			expiries := offers
			if mode == "poll-only" {
				eventually(t, "the agent has accepted the job several times", func() bool { return p.count("accept") >= offers })
				expiries = 1
			}
			for i := range expiries {
				b.awaitState(id, "accepted")
				s.change(`UPDATE job_runs SET accepted_at = accepted_at - 60000000 WHERE job_id = $1 AND state = 'accepted'`, id)
				eventually(t, "the job is taken back", func() bool { return strings.Count(s.events(id), "ACCEPTED_EXPIRED") == i+1 })
			}
			pings := p.count("ping")
			if mode == "poll-only" {
				eventually(t, "the agent goes on to ask", func() bool { return p.count("ping") > pings+1 })
			}
			good := s.startAgent(agent.Options{Name: "good"})
			now := b.await("passed")
			if j := now.job("a"); j.Agent.Name != "good" {
				t.Errorf("%+v", j)
			}
			if n := p.count("accept"); n != offers {
				t.Errorf("%s: the agent was given the job %d times", mode, n)
			}
			for _, a := range []*agent.Agent{broken, good} {
				if code := a.Stop(); code != 0 {
					t.Errorf("the agent ended with %d", code)
				}
			}
		}
	})
}

// awaitState waits until a job is in an internal state.
func (b build) awaitState(job, state string) {
	b.s.t.Helper()
	eventually(b.s.t, "the job is "+state, func() bool {
		return strings.Join(b.s.texts(`SELECT state FROM job_runs WHERE job_id = $1`, job), "") == state
	})
}
