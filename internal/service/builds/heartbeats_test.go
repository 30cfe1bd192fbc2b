package builds_test

import (
	"testing"
	"time"

	"penstock/internal/service/builds"
)

// silence lets all agents have been heard last so long ago.
func (s *logServer) silence(ago time.Duration) {
	s.t.Helper()
	s.exec(`UPDATE agent_heartbeats SET seen_at = seen_at - $1`, ago.Microseconds())
}

func (s *logServer) saveHeartbeats(node *builds.Service) {
	s.t.Helper()
	if err := node.SaveHeartbeats(s.t.Context(), logOperator); err != nil {
		s.t.Fatal(err)
	}
}

// wantLost lets a server lose agents, and checks whether that of the job is lost.
func (j *loggedJob) wantLost(node *builds.Service, want bool) {
	j.s.t.Helper()
	if err := node.LoseAgents(j.s.t.Context(), logOperator); err != nil {
		j.s.t.Fatal(err)
	}
	state := j.s.text(`SELECT state FROM job_runs WHERE job_id = $1`, j.id)
	if lost := state == "finished"; lost != want {
		j.s.t.Errorf("the job is %s; lost is to be %v", state, want)
	}
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
			eachLogServer(t, func(t *testing.T, s *logServer) {
				s.builds.SetReady(time.Now().Add(-time.Hour))
				j := s.start()
				s.saveHeartbeats(s.builds)
				builds.BreakWatch(s.builds, outage.away, outage.step)
				s.silence(outage.away + outage.step)
				j.wantLost(s.builds, false) // before anybody could be heard
				s.saveHeartbeats(s.builds)
				j.wantLost(s.builds, false)
				builds.AgeWatch(s.builds, 170*time.Second)
				j.wantLost(s.builds, false)
				builds.AgeWatch(s.builds, 10*time.Second)
				s.saveHeartbeats(s.builds) // what others see of this server
				j.wantLost(s.builds, true) // it was not heard after the outage either
			})
		})
	}
}

func TestAgentsOfAServerThatCannotStoreHeartbeatsAreSpared(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		other := builds.New(builds.Options{Core: s.core})
		other.SetReady(time.Now().Add(-time.Hour))
		s.saveHeartbeats(other)
		s.builds.SetReady(time.Now().Add(-time.Hour))
		j := s.start()
		s.saveHeartbeats(s.builds)
		s.saveHeartbeats(other)
		s.silence(190 * time.Second)
		seen := `UPDATE nodes SET seen_at = seen_at - $1 WHERE id = (SELECT node_id FROM agent_heartbeats)`

		s.exec(seen, (70 * time.Second).Microseconds())
		j.wantLost(other, false) // the server that heard the agent is cut off
		s.saveHeartbeats(s.builds)
		s.exec(`UPDATE nodes SET since = seen_at WHERE id = (SELECT node_id FROM agent_heartbeats)`)
		j.wantLost(other, false) // it is back, and has just begun to hear
		s.exec(seen, (590 * time.Second).Microseconds())
		j.wantLost(other, false)
		s.exec(seen, (20 * time.Second).Microseconds())
		j.wantLost(other, true) // it does not come back
	})
}

func TestAgentsOfAStoppedServerAreLost(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		other := builds.New(builds.Options{Core: s.core})
		other.SetReady(time.Now().Add(-time.Hour))
		s.saveHeartbeats(other)
		s.builds.SetReady(time.Now().Add(-time.Minute))
		j := s.start()
		s.saveHeartbeats(s.builds)
		s.silence(190 * time.Second)
		j.wantLost(other, false) // the server that heard it runs for a minute only
		if err := s.builds.SignOff(t.Context(), logOperator); err != nil {
			t.Fatal(err)
		}
		j.wantLost(other, true)
	})
}

func TestHeartbeatsOfTheFutureAreForgottenWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	eachLogServer(t, func(t *testing.T, s *logServer) {
		s.builds.SetReady(time.Now().Add(-time.Hour))
		s.start()
		s.saveHeartbeats(s.builds)
		s.silence(-time.Hour)
		builds.BreakWatch(s.builds, 0, -time.Hour)
		s.saveHeartbeats(s.builds)
		future := s.text(`SELECT CAST(count(*) AS TEXT) FROM agent_heartbeats WHERE seen_at > $1`, time.Now().Add(time.Minute).UnixMicro())
		if future != "0" {
			t.Errorf("%s agents were heard in the future", future)
		}
	})
}
