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
		session.HasScheduled = true // whether it may take one is asked, not whether there is one
		session.QueuePaused = false // it waits for the queue too
		answer, done := s.answerPing(session)
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
	hashes := make([]string, 0, len(agents))
	for _, actor := range agents {
		if err := core.RequireCredential(actor, authz.AgentSession); err != nil {
			return nil, err
		}
		hashes = append(hashes, actor.Credential.Hash)
	}
	var sessions map[string]store.AgentSession
	var now time.Time
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		sessions, err = tx.AgentSessions(hashes)
		for _, session := range sessions {
			if err == nil && now.IsZero() {
				now, err = core.ClockFor(tx, &session)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var waiting []store.AgentSession
	var places []int // of those who wait, among all
	for i, actor := range agents {
		session, found := sessions[actor.Credential.Hash]
		if core.CheckSession(&session, found, actor, now) != nil || session.HasJob || session.Queue == nil ||
			*session.Queue != queue {
			continue
		}
		if _, done := s.answerPing(session); !done {
			waiting, places = append(waiting, session), append(places, i)
		}
	}
	assigned := make([]domain.JobID, len(agents))
	if len(waiting) == 0 {
		return assigned, nil
	}
	jobs, err := s.assignTo(ctx, waiting)
	for k, job := range jobs {
		assigned[places[k]] = job
	}
	return assigned, err
}

// assignTries is how often a job is looked for, for agents whose job another node was faster to assign.
const assignTries = 3

// assignTo assigns jobs of a queue to idle agents, the first agent first.
func (s *Service) assignTo(ctx context.Context, agents []store.AgentSession) ([]domain.JobID, error) {
	assigned := make([]domain.JobID, len(agents))
	calls, places := make([]*agentCall, len(agents)), make([]int, len(agents))
	for i := range agents {
		calls[i], places[i] = &agentCall{kind: claimCall, ctx: ctx, agent: agents[i]}, i
	}
	for range assignTries {
		s.submit(calls...)
		var again []*agentCall
		var againAt []int
		for i, call := range calls {
			switch {
			case call.err != nil:
				return assigned, call.err
			case call.assigned:
				assigned[places[i]] = call.job
			case call.missed:
				again, againAt = append(again, call), append(againAt, places[i])
			}
		}
		if calls, places = again, againAt; len(calls) == 0 {
			break
		}
	}
	return assigned, nil
}

// busyFor is how long after its last job an agent is likely to get the next one.
const busyFor = 5 * time.Second

// isBusy reports whether an agent has just ended a job. It most likely gets another one, so nobody looks first whether
// there is one.
func (s *Service) isBusy(agent *store.AgentSession) bool {
	return agent.LastFinishedAt != nil && s.core.Now().Sub(*agent.LastFinishedAt) < busyFor
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
