package builds

import (
	"context"

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
	session, err := s.core.ReadAgentSession(ctx, actor)
	if err != nil {
		return Ping{}, err
	}
	if err := s.core.RecordAlive(ctx, actor, &session); err != nil {
		return Ping{}, err
	}
	answer, done := s.answerPing(session)
	switch {
	case done || !session.HasJob && session.Queue == nil:
		return answer, nil
	case session.HasJob:
		job, err := s.offerAgain(ctx, actor)
		return Ping{Job: job}, err
	}
	if !s.isBusy(&session) {
		if has, err := s.hasCandidate(ctx, &session); err != nil || !has {
			return Ping{}, err
		}
	}
	assigned, err := s.assignTo(ctx, []store.AgentSession{session})
	if err != nil {
		return Ping{}, err
	}
	return Ping{Job: assigned[0]}, nil
}

// answerPing returns the answer for an agent without looking for a job; done is false if one has to be looked for.
func (s *Service) answerPing(session store.AgentSession) (answer Ping, done bool) {
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
	case !session.HasScheduled || session.QueuePaused || session.QueueHosted || session.IgnoreInDispatch:
		return Ping{}, true
	}
	return Ping{}, false
}
