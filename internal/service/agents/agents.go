package agents

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// What agents may send of themselves.
const (
	maxAgentText = 1_000 // bytes
	maxAgentOS   = 8_000 // bytes: it may be a whole file
	maxAgentTags = 200
)

// Registration is what an agent says of itself when it registers.
type Registration struct {
	Name               string
	Hostname           string
	OS                 string
	Arch               string
	Version            string
	Build              string
	PID                int64
	MachineID          string
	Priority           string // a number; "": the least
	MetaData           []string
	Features           []string
	ScriptEvalEnabled  bool
	IgnoreInDispatches bool
}

// Registered is an agent that has registered, with its session's token.
type Registered struct {
	Agent         domain.Agent
	Session       domain.Secret
	PingInterval  time.Duration
	ConnectedSoon int64 // agents of the installation
}

// RegisterAgent makes an agent of the cluster whose agent token the actor has.
//
// Returns Unauthenticated for a token that is unknown, revoked or expired, Forbidden for an address that the token is
// not good for, and Invalid with a message for the operator of the agent.
func (s *Service) RegisterAgent(ctx context.Context, actor authz.Actor, r Registration) (made Registered, err error) {
	if err := core.RequireCredential(actor, authz.AgentToken); err != nil {
		return made, err
	}
	session := domain.NewTokenValue(domain.SessionTokenKind)
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		token, err := s.core.RegistrationToken(tx, actor)
		if err != nil {
			return err
		}
		now, err := tx.Now()
		if err != nil {
			return err
		}
		agent, err := newAgent(tx, token, r, actor, now.Truncate(time.Millisecond))
		if err != nil {
			return err
		}
		hash := domain.HashToken(session.Reveal())
		agent.SessionHash = &hash
		made = Registered{Agent: agent, Session: session}
		if made.ConnectedSoon, err = tx.CountConnectedAgents(); err != nil {
			return err
		}
		return tx.InsertAgent(agent)
	})
	made.PingInterval = pingInterval(made.ConnectedSoon)
	if err == nil {
		s.recordHeartbeat(made.Agent.ID)
	}
	return made, err
}

// pingInterval grows with the number of agents, so that a large installation is not busy with answering that there is
// nothing to do.
func pingInterval(agents int64) time.Duration {
	const fewest, most = 2 * time.Second, 10 * time.Second
	return (fewest + (most-fewest)*time.Duration(min(agents, 5_000))/5_000).Truncate(time.Second)
}

// newAgent checks what an agent says of itself.
func newAgent(tx store.Tx, token store.RegistrationToken, r Registration, actor authz.Actor, now time.Time) (
	domain.Agent, error) {
	a := domain.Agent{
		ID: domain.NewIDAt[domain.AgentID](now), OrganizationID: token.OrganizationID, ClusterID: token.Token.ClusterID,
		UnclusteredTokenID: token.UnclusteredID,
		Hostname:           r.Hostname, OS: r.OS, Arch: r.Arch, Version: r.Version, Build: r.Build, PID: r.PID,
		MachineID: r.MachineID,
		UserAgent: actor.UserAgent, IPAddress: actor.Address.String(), Features: r.Features,
		ScriptEvalEnabled:  r.ScriptEvalEnabled,
		IgnoreInDispatches: r.IgnoreInDispatches, State: flow.AgentNeverConnected, CreatedAt: now,
	}
	if token.UnclusteredID == nil {
		a.TokenID = &token.Token.ID
	}
	a.Name = expandName(r.Name, r.Hostname, r.PID)
	texts := slices.Concat([]string{a.Name, r.Hostname, r.Arch, r.Version, r.Build, r.MachineID, actor.UserAgent},
		r.MetaData, r.Features)
	if len(r.MetaData) > maxAgentTags || len(r.Features) > maxAgentTags {
		return a, domain.InvalidError("An agent may have at most " + strconv.Itoa(maxAgentTags) + " tags and features")
	}
	for _, text := range texts {
		if len(text) > maxAgentText || !domain.ValidText(text) {
			return a, domain.InvalidError("An agent's name, tags and other texts must be valid UTF-8 of at most " +
				strconv.Itoa(maxAgentText) + " bytes")
		}
	}
	if len(r.OS) > maxAgentOS || !domain.ValidText(r.OS) {
		return a, domain.InvalidError("An agent's operating system must be valid UTF-8 of at most " +
			strconv.Itoa(maxAgentOS) + " bytes")
	}
	if priority := strings.TrimSpace(r.Priority); priority != "" {
		n, err := strconv.ParseInt(priority, 10, 32)
		if err != nil {
			return a, domain.InvalidError("Priority must be a whole number")
		}
		a.Priority = &n
	}
	return a, chooseQueue(tx, token, r.MetaData, &a)
}

// chooseQueue finds the queue that an agent takes jobs from: the one that its tags name, or the cluster's default one.
func chooseQueue(tx store.Tx, token store.RegistrationToken, tags []string, a *domain.Agent) error {
	var wanted []string
	for _, tag := range tags {
		if key, isQueue := strings.CutPrefix(tag, "queue="); isQueue {
			wanted = append(wanted, key)
		} else {
			a.MetaData = append(a.MetaData, tag)
		}
	}
	var queue store.AgentQueue
	var found bool
	var err error
	switch {
	case len(wanted) > 1:
		return domain.InvalidError("An agent can have one queue tag only")
	case len(wanted) == 1:
		if queue, found, err = tx.AgentQueue(token.Token.ClusterID, wanted[0]); err == nil && !found {
			err = domain.InvalidError("Queue \"" + wanted[0] + "\" does not exist in the cluster \"" + token.ClusterName + "\"")
		}
	default:
		if token.DefaultQueueID != nil {
			queue, found, err = tx.QueueByID(*token.DefaultQueueID)
		}
		if err == nil && !found {
			err = domain.InvalidError("The cluster \"" + token.ClusterName + "\" has no default queue: start the agent with a " +
				"queue tag")
		}
	}
	if err != nil {
		return err
	}
	if queue.Hosted {
		return domain.InvalidError("Queue \"" + queue.Key + "\" is for hosted agents")
	}
	a.QueueID = &queue.ID
	a.MetaData = append([]string{"queue=" + queue.Key}, a.MetaData...)
	return nil
}

// expandName fills in what the name of an agent leaves to the server.
func expandName(name, hostname string, pid int64) string {
	if strings.TrimSpace(name) == "" {
		name = "%hostname-%random"
	}
	return strings.NewReplacer("%hostname", hostname, "%pid", strconv.FormatInt(pid, 10), "%random",
		strings.ToLower(rand.Text()[:6])).Replace(name)
}

// changeAgent stores what fn changes about an agent, and in the columns of users who does.
func changeAgent(tx store.Tx, e *core.Effects, id domain.AgentID, users map[string]domain.UserID,
	fn func(a *domain.Agent, now time.Time) error) error {
	before, found, err := tx.AgentForUpdate(id)
	if err != nil {
		return err
	}
	if !found {
		return domain.Missing("agent")
	}
	now, err := tx.Now()
	if err != nil {
		return err
	}
	a := before
	if err := fn(&a, now.Truncate(time.Millisecond)); err != nil {
		return err
	}
	return storeAgent(tx, e, &before, &a, users)
}

// storeAgent stores what has changed about an agent, and writes notices of its new state for those who subscribe to it.
func storeAgent(tx store.Tx, e *core.Effects, before, now *domain.Agent, users map[string]domain.UserID) error {
	if err := tx.UpdateAgent(before, now, users); err != nil || e.Events == nil || before.State == now.State {
		return err
	}
	noticed, err := e.Events.AgentChanged(tx, now)
	e.HasNotice = e.HasNotice || noticed
	return err
}

// ConnectAgent records that a registered agent is ready for jobs.
func (s *Service) ConnectAgent(ctx context.Context, actor authz.Actor) error {
	if err := core.RequireCredential(actor, authz.AgentSession); err != nil {
		return err
	}
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		session, err := s.core.AgentSession(tx, actor)
		if err != nil {
			return err
		}
		return changeAgent(tx, e, session.Agent, nil, func(a *domain.Agent, now time.Time) error {
			next, err := a.State.Next(flow.AgentConnects)
			if err != nil {
				return domain.InvalidError(err.Error())
			}
			if a.State != flow.AgentConnected && a.State != flow.AgentStopping {
				a.ConnectedAt = &now
			}
			a.State, a.LostAt = next, nil
			e.Fleets[a.OrganizationID] = true
			s.recordHeartbeat(a.ID)
			return nil
		})
	})
}

// DisconnectAgent ends an agent's session. A job that it has ends too, or goes to another agent if it did not start.
func (s *Service) DisconnectAgent(ctx context.Context, actor authz.Actor) error {
	if err := core.RequireCredential(actor, authz.AgentSession); err != nil {
		return err
	}
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		session, found, err := tx.AgentSession(actor.Credential.Hash) // one may leave whose token was revoked
		if err != nil {
			return err
		}
		if !found {
			return core.ErrUnauthenticatedProgram
		}
		event := flow.EventAgentDisconnected
		if session.State == flow.AgentStopping {
			event = flow.EventAgentStopped
		}
		if err := s.core.ReclaimJobOf(tx, e, session.Agent, event); err != nil {
			return err
		}
		return changeAgent(tx, e, session.Agent, nil, func(a *domain.Agent, now time.Time) error {
			next, err := a.State.Next(flow.AgentDisconnects)
			if err != nil {
				return domain.InvalidError(err.Error())
			}
			a.State, a.DisconnectedAt, a.SessionHash = next, &now, nil
			if next == flow.AgentStopped {
				a.StoppedAt = &now
			}
			e.ChangeAgent(a)
			return nil
		})
	})
}

// HeartbeatAgent records that the agent is alive.
func (s *Service) HeartbeatAgent(ctx context.Context, actor authz.Actor) error {
	if err := core.RequireCredential(actor, authz.AgentSession); err != nil {
		return err
	}
	return core.RepeatDo(ctx, func() error {
		session, err := s.core.ReadAgentSession(ctx, actor)
		if err != nil {
			return err
		}
		return s.recordAlive(ctx, actor, &session)
	})
}

// agentOf returns the id of the agent whose job the actor's token is for.
func (s *Service) agentOf(tx store.Tx, actor authz.Actor) (domain.AgentID, error) {
	job, err := core.LiveJobByToken(tx, actor)
	if err != nil || job.AgentID == nil {
		return "", err
	}
	return *job.AgentID, nil
}

// StopAgent lets the agent itself, or a job that it runs, ask that it stops. By force, its job is canceled.
func (s *Service) StopAgent(ctx context.Context, actor authz.Actor, force bool) error {
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		var id domain.AgentID
		var err error
		if core.RequireCredential(actor, authz.AgentSession) == nil {
			var session store.AgentSession
			session, err = s.core.AgentSession(tx, actor)
			id = session.Agent
		} else {
			id, err = s.agentOf(tx, actor)
		}
		if err != nil {
			return err
		}
		return s.stopAgent(tx, e, id, force, "")
	})
}

func (s *Service) stopAgent(tx store.Tx, e *core.Effects, id domain.AgentID, force bool, by domain.UserID) error {
	if force {
		if err := s.core.CancelJobOf(tx, e, id, by); err != nil {
			return err
		}
	}
	before, found, err := tx.AgentForUpdate(id)
	if err != nil {
		return err
	}
	if !found {
		return domain.Missing("agent")
	}
	a := before
	next, err := a.State.Next(flow.AgentIsStopped)
	if err != nil {
		return domain.NewError(domain.Malformed, "Can only stop connected agents")
	}
	a.State, a.ForceStop = next, a.ForceStop || force
	e.ChangeAgent(&a)
	users := map[string]domain.UserID{}
	if by != "" {
		users["stopped_by"] = by
	}
	return storeAgent(tx, e, &before, &a, users)
}

// Refusals to pause and to resume an agent.
var (
	errAlreadyPaused = domain.NewError(domain.Invalid, "Agent is already paused")
	errNotConnected  = domain.NewError(domain.Invalid, "Only connected agents may be paused")
	errNotPaused     = domain.NewError(domain.Invalid, "Agent is not paused")
)

// PauseAgent lets a job pause the agent that runs it.
func (s *Service) PauseAgent(ctx context.Context, actor authz.Actor, note *string, minutes *int64) error {
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		id, err := s.agentOf(tx, actor)
		if err != nil {
			return err
		}
		return s.pauseAgent(tx, e, id, note, minutes, "")
	})
}

func (s *Service) pauseAgent(tx store.Tx, e *core.Effects, id domain.AgentID, note *string, minutes *int64,
	by domain.UserID) error {
	users := map[string]domain.UserID{"paused_by": by}
	return changeAgent(tx, e, id, users, func(a *domain.Agent, now time.Time) error {
		switch {
		case a.State != flow.AgentConnected:
			return errNotConnected
		case a.IsPaused(now):
			return errAlreadyPaused
		}
		timeout := int64(domain.DefaultPauseMinutes)
		if minutes != nil {
			timeout = *minutes
		}
		if timeout < 1 || timeout > domain.MaxPauseMinutes {
			return domain.InvalidError("Timeout in minutes must be from 1 to " + strconv.Itoa(domain.MaxPauseMinutes))
		}
		if note != nil && (len(*note) > maxAgentText || !domain.ValidText(*note)) {
			return domain.InvalidError("Note is too long (maximum is " + strconv.Itoa(maxAgentText) + " bytes)")
		}
		a.PausedAt, a.PausedNote, a.PausedTimeout = &now, note, &timeout
		e.ChangeAgent(a)
		return nil
	})
}

// ResumeAgent lets a job resume the agent that runs it.
func (s *Service) ResumeAgent(ctx context.Context, actor authz.Actor) error {
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		id, err := s.agentOf(tx, actor)
		if err != nil {
			return err
		}
		return s.resumeAgent(tx, e, id)
	})
}

func (s *Service) resumeAgent(tx store.Tx, e *core.Effects, id domain.AgentID) error {
	users := map[string]domain.UserID{"paused_by": ""}
	return changeAgent(tx, e, id, users, func(a *domain.Agent, now time.Time) error {
		if !a.IsPaused(now) {
			return errNotPaused
		}
		a.PausedAt, a.PausedNote, a.PausedTimeout = nil, nil, nil
		e.ChangeAgent(a)
		return nil
	})
}

// AgentTokenInfo is what the holder of an agent token may know of it.
func (s *Service) AgentTokenInfo(ctx context.Context, actor authz.Actor) (info store.RegistrationToken, err error) {
	if err := core.RequireCredential(actor, authz.AgentToken); err != nil {
		return info, err
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		info, err = s.core.RegistrationToken(tx, actor)
		return err
	})
	return info, err
}

// QueueStats are the figures of a queue, for who runs more or fewer agents by them.
type QueueStats = store.QueueStats

// ClusterStats returns the figures of the queues of the cluster whose agent token the actor has.
func (s *Service) ClusterStats(ctx context.Context, actor authz.Actor) (
	figures []QueueStats, info store.RegistrationToken, err error) {
	if err := core.RequireCredential(actor, authz.AgentToken); err != nil {
		return nil, info, err
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		if info, err = s.core.RegistrationToken(tx, actor); err != nil {
			return err
		}
		figures, err = tx.ClusterStats(info.Token.ClusterID)
		return err
	})
	return figures, info, err
}
