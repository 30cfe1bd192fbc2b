package agents_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"penstock/internal/testkit/running"
)

// wantLost lets a server lose agents, and checks whether that of the job is lost.
func wantLost(j *running.Job, s *running.Server, want bool) {
	s.T.Helper()
	if err := s.Agents.LoseAgents(s.T.Context(), running.Operator); err != nil {
		s.T.Fatal(err)
	}
	if state := s.JobState(j.ID); (state == "finished") != want {
		s.T.Errorf("the job is %s; lost is to be %v", state, want)
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
			running.Each(t, func(t *testing.T, s *running.Server) {
				j := s.StartNewJob()
				s.SaveHeartbeats()
				s.Advance(outage.away)
				s.DB.AdvanceClock(outage.step)
				wantLost(j, s, false) // before anybody could be heard
				s.AdvanceWatching(170 * time.Second)
				wantLost(j, s, false)
				s.AdvanceWatching(10 * time.Second)
				wantLost(j, s, true) // it was not heard after the outage either
			})
		})
	}
}

// noticing is a context that calls a function when somebody waits for its end.
type noticing struct {
	context.Context
	notice func()
}

func (c noticing) Done() <-chan struct{} {
	c.notice()
	return c.Context.Done()
}

func TestAServerThatBecomesReadyWhileHeartbeatsAreStoredWatchesFromThen(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		j := s.StartNewJob()
		s.AdvanceWatching(170 * time.Second)
		ctx := noticing{t.Context(), sync.OnceFunc(func() { s.Agents.SetReady(s.Now()) })}
		if err := s.Agents.SaveHeartbeats(ctx, running.Operator); err != nil {
			t.Fatal(err)
		}
		s.AdvanceWatching(20 * time.Second)
		wantLost(j, s, false)
		s.AdvanceWatching(160 * time.Second)
		wantLost(j, s, true)
	})
}

func TestAgentsOfAServerThatCannotStoreHeartbeatsAreSpared(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		other := running.NewNode(t, s.DB, running.Options{})
		other.SaveHeartbeats()
		j := s.StartNewJob()
		s.SaveHeartbeats()
		other.AdvanceWatching(190 * time.Second)
		wantLost(j, other, false) // the server that heard the agent is cut off
		s.Advance(190 * time.Second)
		s.DB.AdvanceClock(-190 * time.Second) // which is the other's too
		s.SaveHeartbeats()
		wantLost(j, other, false) // it is back, and has just begun to hear
		other.AdvanceWatching(590 * time.Second)
		wantLost(j, other, false)
		other.AdvanceWatching(20 * time.Second)
		wantLost(j, other, true) // it does not come back
	})
}

func TestAgentsOfAStoppedServerAreLost(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		other := running.NewNode(t, s.DB, running.Options{})
		other.SaveHeartbeats()
		s.Agents.SetReady(s.Now().Add(-time.Minute))
		j := s.StartNewJob()
		s.SaveHeartbeats()
		other.AdvanceWatching(190 * time.Second)
		wantLost(j, other, false) // the server that heard it runs for a minute only
		if err := s.Agents.SignOff(t.Context(), running.Operator); err != nil {
			t.Fatal(err)
		}
		wantLost(j, other, true)
	})
}

func TestHeartbeatsOfTheFutureAreForgottenWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		s.DB.AdvanceClock(time.Hour)
		s.StartNewJob()
		s.SaveHeartbeats()
		s.DB.AdvanceClock(-time.Hour)
		s.SaveHeartbeats()
		future := s.Text(`SELECT CAST(count(*) AS TEXT) FROM agent_heartbeats WHERE seen_at > $1`, time.Now().Add(time.Minute).UnixMicro())
		if future != "0" {
			t.Errorf("%s agents were heard in the future", future)
		}
	})
}

func TestAnUnreadableJobKeepsNoAgentFromBeingLost(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		bad, good := s.StartNewJob(), s.StartNewJob()
		s.Exec(`UPDATE job_runs SET upload_env = '{broken' WHERE job_id = $1`, bad.ID)
		s.AdvanceWatching(190 * time.Second)
		wantLost(good, s, true)
		items, err := s.Service.PostponedItems(t.Context(), running.Operator)
		if err != nil || len(items) != 1 || items[0].Kind != "lose_agents" {
			t.Errorf("postponed are %+v, %v", items, err)
		}
	})
}
