package builds

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/domain/builds"
	"penstock/internal/store"
)

// Situation is what an agent that waits for messages is to be told, and what it is chosen by.
type Situation struct {
	Agent        domain.AgentID
	Ping         Ping            // what it is told now
	Queue        *domain.QueueID // from which it may be given a job now; nil: from none
	Tags         []string
	Priority     *int64
	LastPassedAt *time.Time
}

// AgentSituation returns what the agent is to be told now. It assigns nothing.
func (s *Service) AgentSituation(ctx context.Context, actor authz.Actor) (now Situation, err error) {
	if err := checkKind(actor, authz.AgentSession); err != nil {
		return now, err
	}
	isLost := false
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		session, err := s.session(tx, actor)
		if isLost = session.State == builds.AgentLost; err != nil || isLost {
			return err
		}
		now = Situation{Agent: session.Agent, Tags: session.Tags, Priority: session.Priority, LastPassedAt: session.LastPassedAt}
		if session.HasJob {
			j, _, err := tx.JobWithAgent(session.Agent)
			if j.State == builds.Assigned || j.State == builds.Accepted && session.State == builds.AgentConnected {
				now.Ping.Job = j.ID
			}
			if err != nil {
				return err
			}
		}
		session.HasScheduled = true // whether it may take one is asked, not whether there is one
		session.QueuePaused = false // it waits for the queue too
		answer, done := s.answerPing(session)
		now.Ping.Action, now.Ping.Message = answer.Action, answer.Message
		if !done && !session.HasJob {
			now.Queue = session.Queue
		}
		return nil
	})
	if err == nil && isLost { // it is back
		if err = s.ConnectAgent(ctx, actor); err == nil {
			return s.AgentSituation(ctx, actor)
		}
	}
	if err == nil {
		s.hear(now.Agent)
	}
	return now, err
}

// ScheduledRules returns which rules the jobs have that wait for an agent in a queue. Of a paused queue none is handed out.
func (s *Service) ScheduledRules(ctx context.Context, actor authz.Actor, queue domain.QueueID) (rules [][]string, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return nil, err
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		if paused, err := tx.IsQueuePaused(queue); err != nil || paused {
			return err
		}
		sets, err := tx.ScheduledRuleSets(queue)
		for _, set := range sets {
			rules = append(rules, set.Rules)
		}
		return err
	})
	return rules, err
}

// AssignJobs gives agents that wait for jobs of one queue a job each, the first agent first, as long as there are jobs that they may run. It returns
// the job of each, "" for none.
func (s *Service) AssignJobs(ctx context.Context, agents []authz.Actor) (assigned []domain.JobID, err error) {
	err = s.write(ctx, func(tx store.Tx, e *effects) error {
		assigned = make([]domain.JobID, len(agents))
		for i, actor := range agents {
			var noneLeft bool
			if assigned[i], noneLeft, err = s.claim(tx, e, actor); err != nil || noneLeft {
				return err
			}
		}
		return nil
	})
	return assigned, err
}
