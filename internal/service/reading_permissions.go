package service

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
)

// OrganizationPermitted reports in which organizations the caller may do the action. It and the others below are for things that
// this reading has read.
func (r *Reading) OrganizationPermitted(organizations []*Organization, action authz.Action) ([]bool, error) {
	return permitted(organizations, func(o *Organization) bool { return o.may(action, authz.Facts{}) })
}

// PipelinePermitted reports with which pipelines the caller may do the action.
func (r *Reading) PipelinePermitted(pipelines []*domain.PipelineView, action authz.Action) ([]bool, error) {
	managed, err := r.tx.ManagedPipelines(r.caller.User.ID, distinct(pipelineIDs(pipelines)))
	if err != nil {
		return nil, err
	}
	return permitted(pipelines, func(p *domain.PipelineView) bool {
		return r.may(p.OrganizationID, action, authz.Facts{ManagesPipeline: managed[p.ID]})
	})
}

// TeamPermitted reports with which teams the caller may do the action.
func (r *Reading) TeamPermitted(teams []*domain.TeamView, action authz.Action) ([]bool, error) {
	roles, err := r.tx.TeamRoles(r.caller.User.ID, distinct(teamIDs(teams)))
	if err != nil {
		return nil, err
	}
	return permitted(teams, func(t *domain.TeamView) bool {
		return r.may(t.OrganizationID, action, authz.Facts{TeamPrivacy: t.Privacy, TeamRole: roles[t.ID]})
	})
}

// MemberPermitted reports with which members the caller may do the action: never with themself.
func (r *Reading) MemberPermitted(members []*domain.MemberView, action authz.Action) ([]bool, error) {
	return permitted(members, func(m *domain.MemberView) bool {
		return m.UserID != r.caller.User.ID && r.may(m.OrganizationID, action, authz.Facts{})
	})
}

func (r *Reading) may(organization domain.OrganizationID, action authz.Action, on authz.Facts) bool {
	o := r.reached[organization]
	return o != nil && o.may(action, on)
}

func teamIDs(teams []*domain.TeamView) []domain.TeamID {
	ids := make([]domain.TeamID, len(teams))
	for i, t := range teams {
		ids[i] = t.ID
	}
	return ids
}

func permitted[T any](things []T, may func(T) bool) ([]bool, error) {
	flags := make([]bool, len(things))
	for i, thing := range things {
		flags[i] = may(thing)
	}
	return flags, nil
}
