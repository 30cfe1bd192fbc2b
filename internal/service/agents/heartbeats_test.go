package agents_test

import (
	"testing"
	"time"

	"penstock/internal/service/agents"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit/running"
)

// silence lets all agents have been heard last so long ago.
func silence(s *running.Server, ago time.Duration) {
	s.T.Helper()
	s.Exec(`UPDATE agent_heartbeats SET seen_at = seen_at - $1`, ago.Microseconds())
}

func saveHeartbeats(s *running.Server, node *agents.Service) {
	s.T.Helper()
	if err := node.SaveHeartbeats(s.T.Context(), running.Operator); err != nil {
		s.T.Fatal(err)
	}
}

// wantLost lets a server lose agents, and checks whether that of the job is lost.
func wantLost(j *running.Job, node *agents.Service, want bool) {
	j.S.T.Helper()
	if err := node.LoseAgents(j.S.T.Context(), running.Operator); err != nil {
		j.S.T.Fatal(err)
	}
	state := j.S.Text(`SELECT state FROM job_runs WHERE job_id = $1`, j.ID)
	if lost := state == "finished"; lost != want {
		j.S.T.Errorf("the job is %s; lost is to be %v", state, want)
	}
}

// otherNode returns the service of agents of another server on the database.
func otherNode(s *running.Server) *agents.Service {
	shared := core.New(core.Options{DB: s.DB})
	builds.New(builds.Options{Core: shared}) // which ends the jobs of agents that are lost
	return agents.New(shared)
}

func TestAnOutageLosesNoAgent(t *testing.T) {
	t.Parallel()
	for name, outage := range map[string]struct{ away, step time.Duration }{
		"the database was away":     {away: 210 * time.Second},
		"it was away for an hour":   {away: time.Hour},
		"the clock stepped forward": {step: 10 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			running.EachServer(t, func(t *testing.T, s *running.Server) {
				s.Agents.SetReady(time.Now().Add(-time.Hour))
				j := s.Start()
				saveHeartbeats(s, s.Agents)
				agents.BreakWatch(s.Agents, outage.away, outage.step)
				silence(s, outage.away+outage.step)
				wantLost(j, s.Agents, false) // before anybody could be heard
				saveHeartbeats(s, s.Agents)
				wantLost(j, s.Agents, false)
				agents.AgeWatch(s.Agents, 170*time.Second)
				wantLost(j, s.Agents, false)
				agents.AgeWatch(s.Agents, 10*time.Second)
				saveHeartbeats(s, s.Agents) // what others see of this server
				wantLost(j, s.Agents, true) // it was not heard after the outage either
			})
		})
	}
}

func TestAgentsOfAServerThatCannotStoreHeartbeatsAreSpared(t *testing.T) {
	t.Parallel()
	running.EachServer(t, func(t *testing.T, s *running.Server) {
		other := otherNode(s)
		other.SetReady(time.Now().Add(-time.Hour))
		saveHeartbeats(s, other)
		s.Agents.SetReady(time.Now().Add(-time.Hour))
		j := s.Start()
		saveHeartbeats(s, s.Agents)
		saveHeartbeats(s, other)
		silence(s, 190*time.Second)
		seen := `UPDATE nodes SET seen_at = seen_at - $1 WHERE id = (SELECT node_id FROM agent_heartbeats)`

		s.Exec(seen, (70 * time.Second).Microseconds())
		wantLost(j, other, false) // the server that heard the agent is cut off
		saveHeartbeats(s, s.Agents)
		s.Exec(`UPDATE nodes SET since = seen_at WHERE id = (SELECT node_id FROM agent_heartbeats)`)
		wantLost(j, other, false) // it is back, and has just begun to hear
		s.Exec(seen, (590 * time.Second).Microseconds())
		wantLost(j, other, false)
		s.Exec(seen, (20 * time.Second).Microseconds())
		wantLost(j, other, true) // it does not come back
	})
}

func TestAgentsOfAStoppedServerAreLost(t *testing.T) {
	t.Parallel()
	running.EachServer(t, func(t *testing.T, s *running.Server) {
		other := otherNode(s)
		other.SetReady(time.Now().Add(-time.Hour))
		saveHeartbeats(s, other)
		s.Agents.SetReady(time.Now().Add(-time.Minute))
		j := s.Start()
		saveHeartbeats(s, s.Agents)
		silence(s, 190*time.Second)
		wantLost(j, other, false) // the server that heard it runs for a minute only
		if err := s.Agents.SignOff(t.Context(), running.Operator); err != nil {
			t.Fatal(err)
		}
		wantLost(j, other, true)
	})
}

func TestHeartbeatsOfTheFutureAreForgottenWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	running.EachServer(t, func(t *testing.T, s *running.Server) {
		s.Agents.SetReady(time.Now().Add(-time.Hour))
		s.Start()
		saveHeartbeats(s, s.Agents)
		silence(s, -time.Hour)
		agents.BreakWatch(s.Agents, 0, -time.Hour)
		saveHeartbeats(s, s.Agents)
		future := s.Text(`SELECT CAST(count(*) AS TEXT) FROM agent_heartbeats WHERE seen_at > $1`, time.Now().Add(time.Minute).UnixMicro())
		if future != "0" {
			t.Errorf("%s agents were heard in the future", future)
		}
	})
}

func TestAnUnreadableJobKeepsNoAgentFromBeingLost(t *testing.T) {
	t.Parallel()
	running.EachServer(t, func(t *testing.T, s *running.Server) {
		s.Agents.SetReady(time.Now().Add(-time.Hour))
		bad := s.Start()
		s.ConnectAgent()
		good := s.Start()
		s.Exec(`UPDATE job_runs SET upload_env = '{broken' WHERE job_id = $1`, bad.ID)
		saveHeartbeats(s, s.Agents)
		silence(s, 190*time.Second)
		wantLost(good, s.Agents, true)
		items, err := s.Management().PostponedItems(t.Context(), running.Operator)
		if err != nil || len(items) != 1 || items[0].Kind != "lose_agents" {
			t.Errorf("postponed are %+v, %v", items, err)
		}
	})
}
