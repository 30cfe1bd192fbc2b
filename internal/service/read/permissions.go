package read

import (
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

// OrganizationPermitted reports in which organizations the caller may do the action. The others below are for other
// things; what is in an organization that the caller may not use, they may do nothing with.
func (r *Snapshot) OrganizationPermitted(organizations []*Organization, action authz.Action) ([]bool, error) {
	flags := make([]bool, len(organizations))
	for i, o := range organizations {
		flags[i] = o.may(action, authz.Facts{})
	}
	return flags, nil
}

// PipelinePermitted reports with which pipelines the caller may do the action.
func (r *Snapshot) PipelinePermitted(pipelines []*domain.PipelineView, action authz.Action) ([]bool, error) {
	if action == authz.WriteBuild {
		return r.buildPermitted(pipelines)
	}
	managed, err := r.tx.ManagedPipelines(r.caller.User.ID, distinct(pipelineIDs(pipelines)))
	if err != nil {
		return nil, err
	}
	return permitted(r, pipelines, action, func(p *domain.PipelineView) (domain.OrganizationID, authz.Facts) {
		return p.OrganizationID, authz.Facts{ManagesPipeline: managed[p.ID]}
	})
}

// buildPermitted is PipelinePermitted for who builds: whoever manages a pipeline may too.
func (r *Snapshot) buildPermitted(pipelines []*domain.PipelineView) ([]bool, error) {
	built, err := r.tx.BuildablePipelines(r.caller.User.ID, distinct(pipelineIDs(pipelines)))
	if err != nil {
		return nil, err
	}
	return permitted(r, pipelines, authz.WriteBuild, func(p *domain.PipelineView) (domain.OrganizationID, authz.Facts) {
		return p.OrganizationID, authz.Facts{BuildsPipeline: built[p.ID]}
	})
}

// AgentPermitted reports with which agents the caller may do the action.
func (r *Snapshot) AgentPermitted(agents []*domain.AgentView, action authz.Action) ([]bool, error) {
	ids := make([]domain.ClusterID, len(agents))
	for i, a := range agents {
		ids[i] = a.ClusterID
	}
	clusters, err := r.Clusters(ids)
	flags := make([]bool, len(agents))
	for i, c := range clusters {
		flags[i] = c != nil && r.mayInCluster(c, action)
	}
	return flags, err
}

// TeamPermitted reports with which teams the caller may do the action.
func (r *Snapshot) TeamPermitted(teams []*domain.TeamView, action authz.Action) ([]bool, error) {
	roles, err := r.tx.TeamRoles(r.caller.User.ID, distinct(teamIDs(teams)))
	if err != nil {
		return nil, err
	}
	return permitted(r, teams, action, func(t *domain.TeamView) (domain.OrganizationID, authz.Facts) {
		return t.OrganizationID, authz.Facts{TeamPrivacy: t.Privacy, TeamRole: roles[t.ID]}
	})
}

// TeamMemberPermitted reports which memberships of teams the caller may change and end.
func (r *Snapshot) TeamMemberPermitted(members []*domain.TeamMemberView) ([]bool, error) {
	ids := make([]domain.TeamID, len(members))
	for i, m := range members {
		ids[i] = m.TeamID
	}
	roles, err := r.tx.TeamRoles(r.caller.User.ID, distinct(ids))
	if err != nil {
		return nil, err
	}
	return permitted(r, members, authz.WriteTeamMember, func(m *domain.TeamMemberView) (domain.OrganizationID,
		authz.Facts) {
		return m.OrganizationID, authz.Facts{TeamRole: roles[m.TeamID]}
	})
}

// TeamPipelinePermitted reports which accesses of teams to pipelines the caller may change and end.
func (r *Snapshot) TeamPipelinePermitted(accesses []*domain.TeamPipelineView) ([]bool, error) {
	ids := make([]domain.PipelineID, len(accesses))
	for i, access := range accesses {
		ids[i] = access.PipelineID
	}
	managed, err := r.tx.ManagedPipelines(r.caller.User.ID, distinct(ids))
	if err != nil {
		return nil, err
	}
	return permitted(r, accesses, authz.WriteTeamPipeline, func(access *domain.TeamPipelineView) (domain.OrganizationID,
		authz.Facts) {
		return access.OrganizationID, authz.Facts{ManagesPipeline: managed[access.PipelineID]}
	})
}

// TeamPipelineCreatePermitted reports which teams the caller may grant access to some pipeline: one that they may
// change.
func (r *Snapshot) TeamPipelineCreatePermitted(teams []*domain.TeamView) ([]bool, error) {
	var unknown []domain.OrganizationID
	for _, t := range teams {
		if _, known := r.managing[t.OrganizationID]; !known {
			unknown = append(unknown, t.OrganizationID)
		}
	}
	managing, err := r.tx.ManagesAnyPipeline(r.caller.User.ID, distinct(unknown)) // slow, where they are many
	if err != nil {
		return nil, err
	}
	for _, id := range unknown {
		r.managing[id] = managing[id]
	}
	return permitted(r, teams, authz.WriteTeamPipeline, func(t *domain.TeamView) (domain.OrganizationID, authz.Facts) {
		return t.OrganizationID, authz.Facts{ManagesPipeline: r.managing[t.OrganizationID]}
	})
}

// MemberPermitted reports with which members the caller may do the action: never with themself.
func (r *Snapshot) MemberPermitted(members []*domain.MemberView, action authz.Action) ([]bool, error) {
	return permitted(r, members, action, func(m *domain.MemberView) (domain.OrganizationID, authz.Facts) {
		if m.UserID == r.caller.User.ID {
			return "", authz.Facts{}
		}
		return m.OrganizationID, authz.Facts{}
	})
}

// InvitationPermitted reports with which invitations, in one of the states, the caller may do the action.
func (r *Snapshot) InvitationPermitted(invitations []*domain.InvitationView, action authz.Action,
	states ...domain.InvitationState) ([]bool, error) {
	return permitted(r, invitations, action, func(v *domain.InvitationView) (domain.OrganizationID, authz.Facts) {
		if !slices.Contains(states, v.State) {
			return "", authz.Facts{}
		}
		return v.OrganizationID, authz.Facts{}
	})
}

// permitted reports with which things the caller may do the action, by whose they are and what the caller is to them.
// Nobody may do anything with what is nobody's.
func permitted[T any](r *Snapshot, things []T, action authz.Action, about func(T) (domain.OrganizationID,
	authz.Facts)) ([]bool, error) {
	owners, facts := make([]domain.OrganizationID, len(things)), make([]authz.Facts, len(things))
	for i, thing := range things {
		owners[i], facts[i] = about(thing)
	}
	organizations, err := r.Organizations(owners)
	if err != nil {
		return nil, err
	}
	flags := make([]bool, len(things))
	for i, o := range organizations {
		flags[i] = o != nil && o.may(action, facts[i])
	}
	return flags, nil
}

func teamIDs(teams []*domain.TeamView) []domain.TeamID {
	ids := make([]domain.TeamID, len(teams))
	for i, t := range teams {
		ids[i] = t.ID
	}
	return ids
}
