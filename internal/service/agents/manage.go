package agents

import (
	"context"
	"strconv"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

var errNoAgent = domain.Missing("agent")

// Agents returns a page of those of an organization's connected agents that the filter chooses, the newest first, with
// the jobs that they have.
func (s *Service) Agents(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	filter domain.AgentFilter, page domain.Page) (domain.Paged[*domain.AgentView], error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) (paged domain.Paged[*domain.AgentView],
		err error) {
		id, err := s.core.InOrganization(tx, actor, organization, authz.ReadAgent)
		if err != nil {
			return paged, err
		}
		core.LimitReading(tx)
		paged, err = store.AgentsOf(filter).ReadPage(tx, store.ViewerOf(&id), string(id.Organization.ID), page)
		if err != nil {
			return paged, err
		}
		return paged, tx.AddAgentJobs(paged.Items)
	})
}

// Agent returns an agent with the job that it has, also one that is gone.
func (s *Service) Agent(ctx context.Context, actor authz.Actor, ref domain.AgentRef) (domain.AgentView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.AgentView, error) {
		id, err := s.core.InOrganization(tx, actor, ref.Organization, authz.ReadAgent)
		if err != nil {
			return domain.AgentView{}, err
		}
		v, found, err := tx.AgentView(core.LookupID[domain.AgentID](ref.ID))
		if err != nil {
			return *v, err
		}
		if !found || v.OrganizationID != id.Organization.ID {
			return domain.AgentView{}, errNoAgent
		}
		err = tx.AddAgentJobs([]*domain.AgentView{v})
		return *v, err
	})
}

// managedAgent is an agent of a cluster that the caller manages.
type managedAgent struct {
	store.InCluster
	AgentID domain.AgentID
}

// inAgent finds the agent that ref names, and that the actor may manage it: they administer the organization, or
// maintain the agent's cluster.
func (s *Service) inAgent(tx store.Tx, actor authz.Actor, ref domain.AgentRef) (in managedAgent, err error) {
	in.AgentID = core.LookupID[domain.AgentID](ref.ID)
	a, found, err := tx.Agent(in.AgentID)
	if err != nil {
		return in, err
	}
	if !found { // who may not enter learns that, not that there is none
		if _, err := s.core.Enter(tx, actor, ref.Organization, authz.WriteAgent); err != nil {
			return in, err
		}
		return in, errNoAgent
	}
	in.InCluster, err = s.core.InCluster(tx, actor, domain.ClusterRef{Organization: ref.Organization,
		ID: string(a.ClusterID)}, authz.WriteAgent)
	if domain.CodeOf(err) == domain.NotFound && in.Organization.ID != "" {
		err = errNoAgent
	}
	return in, err
}

// changeManaged runs fn with an agent that the actor may manage.
func (s *Service) changeManaged(ctx context.Context, actor authz.Actor, ref domain.AgentRef,
	fn func(tx store.Tx, e *core.Effects, in managedAgent) error) (domain.AgentID, error) {
	return core.CreateAndPublish(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (managedAgent, error) {
		return s.inAgent(tx, actor, ref)
	}, func(tx store.Tx, in managedAgent, e *core.Effects) (domain.AgentID, error) {
		return in.AgentID, fn(tx, e, in)
	})
}

// StopManagedAgent asks an agent to stop. By force, unless that is given as false, the job that it has is canceled;
// otherwise it ends it first.
//
// Returns Malformed if the agent is not connected.
func (s *Service) StopManagedAgent(ctx context.Context, actor authz.Actor, ref domain.AgentRef,
	input core.Input[domain.Optional[bool]]) (domain.AgentID, error) {
	return s.changeManaged(ctx, actor, ref, func(tx store.Tx, e *core.Effects, in managedAgent) error {
		var faults domain.Faults
		force, err := input.Read(&faults)
		if err == nil {
			err = faults.Err()
		}
		if err != nil {
			return err
		}
		return s.stopAgent(tx, e, in.AgentID, !force.HasValue() || force.Value, in.CreatorID())
	})
}

// PauseManagedAgent lets an agent be given no jobs for some minutes.
//
// Returns Invalid if it is paused already, or not connected.
func (s *Service) PauseManagedAgent(ctx context.Context, actor authz.Actor, ref domain.AgentRef,
	input core.Input[domain.AgentPause]) (domain.AgentID, error) {
	return s.changeManaged(ctx, actor, ref, func(tx store.Tx, e *core.Effects, in managedAgent) error {
		var faults domain.Faults
		pause, err := input.Read(&faults)
		if err != nil {
			return err
		}
		domain.CheckText("note", "Note", pause.Note.Value, maxAgentText, &faults)
		if len(pause.Note.Value) > maxAgentText && !faults.Has("note") {
			faults.Add("note", "Note is too long (maximum is "+strconv.Itoa(maxAgentText)+" bytes)")
		}
		if minutes := pause.TimeoutInMinutes; minutes.HasValue() &&
			(minutes.Value < 1 || minutes.Value > domain.MaxPauseMinutes) {
			faults.Add("timeout_in_minutes", "Timeout in minutes must be from 1 to "+strconv.Itoa(domain.MaxPauseMinutes))
		}
		if err := faults.Err(); err != nil {
			return err
		}
		return s.pauseAgent(tx, e, in.AgentID, pause.Note.Ptr(), pause.TimeoutInMinutes.Ptr(), in.CreatorID())
	})
}

// ResumeManagedAgent lets a paused agent be given jobs again.
//
// Returns Invalid if it is not paused.
func (s *Service) ResumeManagedAgent(ctx context.Context, actor authz.Actor, ref domain.AgentRef) (
	domain.AgentID, error) {
	return s.changeManaged(ctx, actor, ref, func(tx store.Tx, e *core.Effects, in managedAgent) error {
		return s.resumeAgent(tx, e, in.AgentID)
	})
}

// WatchAgents waits for an organization's agents to change, or what waits for them.
func (s *Service) WatchAgents(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef) (
	core.Watch, error) {
	return s.core.WatchOrganization(ctx, actor, organization, authz.ReadAgent, core.FleetTopic)
}

// EventAgent returns the agent and the agent token that an event is about, as the agent was then; nil for what it is
// not about. Operators only.
func (s *Service) EventAgent(ctx context.Context, actor authz.Actor, subject domain.EventSubject) (
	agent *domain.AgentView, token *domain.AgentTokenView, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return nil, nil, err
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		agent, token = nil, nil
		if subject.Agent != "" {
			found, ok, err := tx.AgentView(subject.Agent)
			if err != nil {
				return err
			}
			if !ok {
				return errNoAgent
			}
			agent = found
			if err := tx.AddAgentJobs([]*domain.AgentView{agent}); err != nil {
				return err
			}
			agent.State = subject.AgentState
		}
		if subject.Token == "" {
			return nil
		}
		found, ok, err := tx.AgentToken(subject.Cluster, subject.Token)
		if err == nil && !ok {
			err = domain.Missing("agent token")
		}
		if err != nil {
			return err
		}
		owner, _, err := tx.OrganizationByID(subject.Owner)
		found.OrganizationSlug, token = owner.Slug, &found
		return err
	})
	return agent, token, err
}
