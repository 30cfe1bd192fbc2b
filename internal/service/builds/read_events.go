package builds

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

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

// EventViews returns what an event is about, as it was then. The job is nil if it is about the build. Operators only.
func (s *Service) EventViews(ctx context.Context, actor authz.Actor, subject domain.EventSubject) (
	build domain.BuildView, job *domain.JobView, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return build, nil, err
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		if build, err = readBuild(tx, subject.Build, BuildParts{MetaData: true}); err != nil || subject.Job == "" {
			return err
		}
		var found bool
		if job, found, err = tx.JobView(subject.Job); err == nil && !found {
			err = core.ErrNoJob
		}
		if err == nil {
			err = tx.AddToJobs([]*domain.JobView{job})
		}
		return err
	})
	build.State, build.StartedAt, build.FinishedAt = subject.State, subject.StartedAt, subject.FinishedAt
	if job != nil {
		job.State = subject.JobState
	}
	return build, job, err
}
