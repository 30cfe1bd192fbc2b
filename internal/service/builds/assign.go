package builds

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// AgentStatus is what an agent that waits for messages receives now, and what it is chosen by.
type AgentStatus struct {
	Agent        domain.AgentID
	Ping         Ping            // what it receives now
	Queue        *domain.QueueID // whose jobs it may be assigned now; nil: none
	Tags         []string
	Priority     *int64
	LastPassedAt *time.Time
	MissedOffer  bool // it did not accept the job that it was offered last
}

// AgentStatus returns what the agent receives now. It assigns nothing.
func (s *Service) AgentStatus(ctx context.Context, actor authz.Actor) (now AgentStatus, err error) {
	if err := core.RequireCredential(actor, authz.AgentSession); err != nil {
		return now, err
	}
	var session store.AgentSession
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		if session, err = s.core.AgentSession(tx, actor); err != nil || session.State == flow.AgentLost {
			return err
		}
		now = AgentStatus{Agent: session.Agent, Tags: session.Tags, Priority: session.Priority,
			LastPassedAt: session.LastPassedAt, MissedOffer: session.MissedOffer}
		if session.JobID != nil {
			j, _, err := tx.JobWithAgent(session.Agent)
			if j.State == flow.Assigned || j.State == flow.Accepted && session.State == flow.AgentConnected {
				now.Ping.Job = j.ID
			}
			if err != nil {
				return err
			}
		}
		session.QueuePaused = false // it waits for the queue too
		answer, done := answerPing(session)
		now.Ping.Action, now.Ping.Message = answer.Action, answer.Message
		if !done && !session.HasJob {
			now.Queue = session.Queue
		}
		return nil
	})
	if err != nil {
		return now, err
	}
	wasLost := session.State == flow.AgentLost
	if err := s.core.RecordAlive(ctx, actor, &session); err != nil || !wasLost {
		return now, err
	}
	return s.AgentStatus(ctx, actor)
}

// ReadyRules returns which rules the jobs have that wait for an agent in a queue. Of a paused queue none is assigned.
func (s *Service) ReadyRules(ctx context.Context, actor authz.Actor, queue domain.QueueID) (
	rules [][]string, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return nil, err
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		if paused, err := tx.IsQueuePaused(queue); err != nil || paused {
			return err
		}
		sets, err := tx.ReadyRuleSets(queue)
		for _, set := range sets {
			rules = append(rules, set.Rules)
		}
		return err
	})
	return rules, err
}

// AssignJobs assigns jobs of a queue to agents that wait for them, one to each, the first agent first, as long as there
// are jobs that they may run. It returns the job of each, "" for none. An agent whose session is not good any more gets
// none.
func (s *Service) AssignJobs(ctx context.Context, queue domain.QueueID, agents []authz.Actor) ([]domain.JobID, error) {
	calls := make([]*agentCall, len(agents))
	for i, actor := range agents {
		if err := core.RequireCredential(actor, authz.AgentSession); err != nil {
			return nil, err
		}
		calls[i] = &agentCall{kind: claimCall, ctx: ctx, actor: actor, queue: queue}
	}
	err := s.claimJobs(calls...)
	assigned := make([]domain.JobID, len(agents))
	for i, call := range calls {
		if call.assigned {
			assigned[i] = call.job
		}
	}
	return assigned, err
}

// claimTries is how often a job is looked for, for agents whose job another node was faster to assign.
const claimTries = 3

// claimJobs assigns jobs to the agents that ask for some, the first agent first.
func (s *Service) claimJobs(calls ...*agentCall) error {
	for try := 0; try < claimTries && len(calls) > 0; try++ {
		s.submit(calls...)
		var missed []*agentCall
		for _, call := range calls {
			if call.err != nil {
				return call.err
			}
			if call.missed {
				missed = append(missed, call)
			}
		}
		calls = missed
	}
	return nil
}

// hasCandidate reports whether a job waits that an idle agent may run. It writes nothing, so that an agent for which
// there is none costs no write.
func (s *Service) hasCandidate(ctx context.Context, agent *store.AgentSession) (has bool, err error) {
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		found, err := findCandidates(tx, *agent.Queue, now, 1)
		if err != nil {
			return err
		}
		j, err := found.choose(agent)
		has = j != nil
		return err
	})
	return has, err
}
