package core_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit/running"
)

// readTogether reads the sessions of agents in one set, and returns the ids that were found and the errors.
func readTogether(t *testing.T, w *running.Server, agents []*running.Agent) (ids []string, errs []error) {
	t.Helper()
	ids, errs = make([]string, len(agents)), make([]error, len(agents))
	release := w.Core.HoldSessionReads()
	var reading sync.WaitGroup
	for i, a := range agents {
		reading.Go(func() {
			session, err := w.Core.ReadAgentSession(t.Context(), a.Actor())
			ids[i], errs[i] = string(session.Agent), err
		})
	}
	running.Until(t, "all wait", func() bool { return w.Core.WaitingSessionReads() == len(agents) })
	release()
	reading.Wait()
	return ids, errs
}

// TestSessionsAreReadTogether reads several sessions at once: by one statement, each with its own outcome.
func TestSessionsAreReadTogether(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		agents := []*running.Agent{w.NewAgent(), w.NewAgent(), {S: w, Session: "a stranger's"}, w.NewAgent()}
		agents = append(agents, agents[0]) // an agent may ask twice
		before := w.DB.Statements()
		ids, errs := readTogether(t, w, agents)
		if n := w.DB.Statements() - before; n != 1 {
			t.Errorf("they took %d statements", n)
		}
		for i, a := range agents {
			isStranger := a.ID == ""
			if ids[i] != a.ID || (domain.CodeOf(errs[i]) == domain.Unauthenticated) != isStranger || errs[i] != nil && !isStranger {
				t.Errorf("session %d is that of %q, not of %q: %v", i, ids[i], a.ID, errs[i])
			}
		}
	})
}

// TestASessionThatCannotBeReadLeavesTheOthers has an unreadable row in the set.
func TestASessionThatCannotBeReadLeavesTheOthers(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		agents := []*running.Agent{w.NewAgent(), w.NewAgent(), w.NewAgent()}
		w.Exec(`UPDATE agents SET meta_data = '{]}' WHERE id = $1`, agents[1].ID)
		ids, errs := readTogether(t, w, agents)
		for i, a := range agents {
			if i == 1 && errs[i] == nil {
				t.Error("the unreadable session was read")
			}
			if i != 1 && (ids[i] != a.ID || errs[i] != nil) {
				t.Errorf("session %d is that of %q, not of %q: %v", i, ids[i], a.ID, errs[i])
			}
		}
	})
}

// TestWhoStopsWaitingForASessionLeavesTheOthers has a caller in the set whose request has ended.
func TestWhoStopsWaitingForASessionLeavesTheOthers(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		release := w.Core.HoldSessionReads()
		if _, err := w.Core.ReadAgentSession(gone, a.Actor()); !errors.Is(err, context.Canceled) {
			t.Errorf("the caller that is gone got %v", err)
		}
		var reading sync.WaitGroup
		reading.Go(func() {
			if session, err := w.Core.ReadAgentSession(t.Context(), a.Actor()); err != nil || string(session.Agent) != a.ID {
				t.Errorf("the other caller got %q: %v", session.Agent, err)
			}
		})
		running.Until(t, "both wait", func() bool { return w.Core.WaitingSessionReads() == 2 })
		release()
		reading.Wait()
	})
}
