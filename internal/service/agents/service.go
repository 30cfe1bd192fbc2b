// Package agents is the area of the service that is about agents: they register, connect, are alive and go away, and
// people see, pause and stop them. Which jobs they run is for internal/service/builds. It imports
// internal/service/core and what lies below.
package agents

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Service changes agents.
type Service struct {
	core       *core.Core
	heartbeats heartbeats
}

// New returns the service of agents.
func New(c *core.Core) *Service {
	s := &Service{core: c}
	s.heartbeats.seen, s.heartbeats.node = map[domain.AgentID]time.Time{}, domain.NewID[string]()
	c.RecordAlive = s.recordAlive
	return s
}

// IdentifyProgram returns a name for the agent or the job that the actor is, whose token must be good.
func (s *Service) IdentifyProgram(ctx context.Context, actor authz.Actor) (name string, err error) {
	if actor.Surface != authz.AgentAPI || actor.Credential.Hash == "" {
		return "", core.ErrUnauthenticatedProgram
	}
	err = core.RepeatDo(ctx, func() (err error) {
		name, err = s.readProgram(ctx, actor)
		return err
	})
	return name, err
}

func (s *Service) readProgram(ctx context.Context, actor authz.Actor) (name string, err error) {
	read := s.core.Store.ReadStatement
	if actor.Credential.Kind == authz.AgentToken { // which is looked for in two tables
		read = s.core.Store.Read
	}
	err = read(ctx, func(tx store.Tx) error {
		switch actor.Credential.Kind {
		case authz.AgentToken:
			token, err := s.core.RegistrationToken(tx, actor)
			name = "agent token " + token.ID()
			return err
		case authz.AgentSession:
			session, err := s.core.AgentSession(tx, actor)
			name = "agent " + string(session.Agent)
			return err
		case authz.JobToken:
			log, found, err := tx.JobLogByToken(actor.Credential.Hash)
			if err != nil {
				return err
			}
			name = "job " + string(log.JobID)
			return core.CheckJobToken(tx, found, log.State, log.TokenUntil)
		default:
			return core.ErrUnauthenticatedProgram
		}
	})
	return name, err
}
