package builds

import (
	"context"
	"sync"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Ping is what an agent is asked to do.
type Ping struct {
	Job     domain.JobID // "": none
	Action  string       // "disconnect", "pause" or ""
	Message string
}

// The actions that agents are asked for.
const (
	ActionDisconnect = "disconnect"
	ActionPause      = "pause"
)

// PingAgent returns what the agent is to do now. If its queue has a job for it, the job is assigned to it.
func (s *Service) PingAgent(ctx context.Context, actor authz.Actor) (Ping, error) {
	if err := core.RequireCredential(actor, authz.AgentSession); err != nil {
		return Ping{}, err
	}
	if s.busyAgents.has(actor) {
		if job, err := s.claimJob(ctx, actor); err != nil || job != "" {
			return Ping{Job: job}, err
		}
	}
	session, err := s.core.ReadAgentSession(ctx, actor)
	if err != nil {
		return Ping{}, err
	}
	if err := s.core.RecordAlive(ctx, actor, &session); err != nil {
		return Ping{}, err
	}
	answer, done := answerPing(session)
	switch {
	case done || !session.HasJob && (session.Queue == nil || !session.HasScheduled):
		return answer, nil
	case session.HasJob:
		job, err := s.offerAgain(ctx, actor)
		return Ping{Job: job}, err
	}
	if has, err := s.hasCandidate(ctx, &session); err != nil || !has {
		return Ping{}, err
	}
	job, err := s.claimJob(ctx, actor)
	return Ping{Job: job}, err
}

// claimJob assigns a job to an agent and returns it; "" if there is none for it.
func (s *Service) claimJob(ctx context.Context, actor authz.Actor) (domain.JobID, error) {
	call := &agentCall{kind: claimCall, ctx: ctx, actor: actor}
	err := s.claimJobs(call)
	s.busyAgents.set(actor, call.assigned)
	if err != nil || !call.assigned {
		return "", err
	}
	return call.job, s.core.RecordAlive(ctx, actor, &call.agent)
}

// maxBusyAgents is how many agents are remembered as busy. Then it is begun anew.
const maxBusyAgents = 20_000

// busyAgents remembers which agents were assigned a job when they last asked for one. They most likely get another one
// next time, so it is not looked first whether there is one.
type busyAgents struct {
	mutex    sync.Mutex
	sessions map[string]bool // by the hashes of their tokens
}

func (b *busyAgents) has(actor authz.Actor) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.sessions[actor.Credential.Hash]
}

func (b *busyAgents) set(actor authz.Actor, busy bool) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	switch {
	case !busy:
		delete(b.sessions, actor.Credential.Hash)
	case b.sessions == nil || len(b.sessions) >= maxBusyAgents:
		b.sessions = map[string]bool{actor.Credential.Hash: true}
	default:
		b.sessions[actor.Credential.Hash] = true
	}
}

// answerPing returns the answer for an agent without looking for a job; done is false if one has to be looked for.
func answerPing(session store.AgentSession) (answer Ping, done bool) {
	switch {
	case session.State == flow.AgentStopping:
		return Ping{Action: ActionDisconnect, Message: "This agent was told to stop"}, true
	case session.State != flow.AgentConnected:
		return Ping{Action: ActionDisconnect, Message: "This agent is " + string(session.State)}, true
	case session.PausedAt != nil:
		message := "This agent is paused"
		if session.PausedNote != nil && *session.PausedNote != "" {
			message += ": " + *session.PausedNote
		}
		return Ping{Action: ActionPause, Message: message}, true
	case session.HasJob:
		return Ping{}, false
	case session.QueuePaused || session.QueueHosted || session.IgnoreInDispatch:
		return Ping{}, true
	}
	return Ping{}, false
}
