package read

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// permittedOrganizations returns the ids of those organizations in which the caller may do the action; "" for the
// others.
func permittedOrganizations(organizations []*Organization, action authz.Action) []domain.OrganizationID {
	ids := make([]domain.OrganizationID, len(organizations))
	for i, o := range organizations {
		if o.may(action, authz.Facts{}) {
			ids[i] = o.ID
		}
	}
	return ids
}

// permittedClusters returns the ids of those clusters in which the caller may do the action; "" for the others.
func (r *Snapshot) permittedClusters(clusters []*domain.ClusterView, action authz.Action) ([]domain.ClusterID, error) {
	ids, owners := make([]domain.ClusterID, len(clusters)), make([]domain.OrganizationID, len(clusters))
	for i, c := range clusters {
		owners[i] = c.OrganizationID
	}
	if _, err := r.Organizations(owners); err != nil {
		return nil, err
	}
	for i, c := range clusters {
		if r.mayInCluster(c, action) {
			ids[i] = c.ID
		}
	}
	return ids, nil
}

// ClustersOf returns the clusters of organizations.
func (r *Snapshot) ClustersOf(organizations []*Organization, order domain.Order, part ConnectionPart) (
	[]*Connection[*domain.ClusterView], error) {
	return r.ClustersNamed(organizations, "", order, part)
}

// ClustersNamed returns the clusters of organizations whose names have a text in them, in any case.
func (r *Snapshot) ClustersNamed(organizations []*Organization, search string, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.ClusterView], error) {
	list := store.ClustersOf(search, order)
	if search == "" {
		list = list.WithTotals(r.totalsOf(func(n domain.OrganizationCounts) int64 { return n.Clusters }))
	}
	return connect(r, list, permittedOrganizations(organizations, authz.ReadCluster), part)
}

// totalsOf returns the lengths of lists below organizations whose counts have them.
func (r *Snapshot) totalsOf(length func(domain.OrganizationCounts) int64) func(parents []string) ([]int64, error) {
	return func(parents []string) ([]int64, error) {
		organizations := make([]*Organization, len(parents))
		for i, parent := range parents {
			organizations[i] = r.accessed[domain.OrganizationID(parent)]
		}
		counts, err := r.OrganizationCounts(organizations)
		lengths := make([]int64, len(counts))
		for i, n := range counts {
			lengths[i] = length(n)
		}
		return lengths, err
	}
}

// ClustersMaintainedBy returns the clusters of organizations that a user maintains in person, by name.
func (r *Snapshot) ClustersMaintainedBy(organizations []*Organization, user domain.UserID, part ConnectionPart) (
	[]*Connection[*domain.ClusterView], error) {
	return connect(r, store.ClustersMaintainedBy(user), permittedOrganizations(organizations, authz.ReadCluster), part)
}

// QueuesOf returns the queues of clusters; with keysOnly no more of them than their ids, keys, descriptions and times.
func (r *Snapshot) QueuesOf(clusters []*domain.ClusterView, order domain.Order, keysOnly bool, part ConnectionPart) (
	[]*Connection[*domain.QueueView], error) {
	ids, err := r.permittedClusters(clusters, authz.ReadQueue)
	if err != nil {
		return nil, err
	}
	return connect(r, store.QueuesOf(order, keysOnly), ids, part)
}

// AgentTokensOf returns the agent tokens of clusters, the oldest first; nil for a cluster that the caller does not
// manage.
func (r *Snapshot) AgentTokensOf(clusters []*domain.ClusterView, part ConnectionPart) (
	[]*Connection[*domain.AgentTokenView], error) {
	ids, err := r.permittedClusters(clusters, authz.ReadAgentToken)
	if err != nil {
		return nil, err
	}
	return connect(r, store.AgentTokensOf(), ids, part)
}

// UnclusteredTokensOf returns the agent tokens of no cluster of organizations, the oldest first: those that are revoked
// or are not, or all; nil for an organization that the caller does not administer.
func (r *Snapshot) UnclusteredTokensOf(organizations []*Organization, revoked *bool, part ConnectionPart) (
	[]*Connection[*domain.UnclusteredTokenView], error) {
	return connect(r, store.UnclusteredTokensOf(revoked), permittedOrganizations(organizations,
		authz.ReadUnclusteredToken), part)
}

// OrganizationBannersOf returns the banners of organizations, each of which has one at most.
func (r *Snapshot) OrganizationBannersOf(organizations []*Organization, part ConnectionPart) (
	[]*Connection[*domain.OrganizationBanner], error) {
	return connect(r, store.OrganizationBannersOf(), permittedOrganizations(organizations, authz.ReadOrganization), part)
}

// CacheRegistriesOf returns the registries of clusters, by slug; nil for a cluster that the caller does not manage.
func (r *Snapshot) CacheRegistriesOf(clusters []*domain.ClusterView, part ConnectionPart) (
	[]*Connection[*domain.CacheRegistry], error) {
	ids, err := r.permittedClusters(clusters, authz.ReadCacheRegistry)
	if err != nil {
		return nil, err
	}
	return connect(r, store.CacheRegistriesOf(), ids, part)
}

// MaintainersOf returns those of the clusters' maintainers that the caller sees, in the order in which they were added.
func (r *Snapshot) MaintainersOf(clusters []*domain.ClusterView, part ConnectionPart) (
	[]*Connection[*domain.Maintainer], error) {
	ids, err := r.permittedClusters(clusters, authz.ReadMaintainer)
	if err != nil {
		return nil, err
	}
	return connect(r, store.MaintainersOf(), ids, part)
}

// PipelinesOf returns the pipelines of organizations; with namesOnly no more of them than their ids, names, slugs and
// times.
func (r *Snapshot) PipelinesOf(organizations []*Organization, filter domain.PipelineFilter, order domain.Order,
	namesOnly bool,
	part ConnectionPart) ([]*Connection[*domain.PipelineView], error) {
	list := store.PipelinesOf(filter, order, r.viewer(), namesOnly)
	if _, known := filter.KnownTotal(domain.OrganizationCounts{}); known {
		list = list.WithTotals(r.totalsOf(func(n domain.OrganizationCounts) int64 {
			total, _ := filter.KnownTotal(n)
			return total
		}))
	}
	return connect(r, list, permittedOrganizations(organizations, authz.ReadPipeline), part)
}

// TeamsOf returns the teams of organizations that the caller sees.
func (r *Snapshot) TeamsOf(organizations []*Organization, filter domain.TeamFilter, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.TeamView], error) {
	// Which of its teams one sees, the list itself knows; that one may see teams at all, everybody may.
	return connect(r, store.TeamsOf(filter, order), permittedOrganizations(organizations, authz.ReadMember), part)
}

// InvitationsOf returns the invitations of organizations; nil for one that the caller does not administer.
func (r *Snapshot) InvitationsOf(organizations []*Organization, filter domain.InvitationFilter, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.InvitationView], error) {
	now, err := r.tx.Now()
	if err != nil {
		return nil, err
	}
	return connect(r, store.InvitationsOf(filter, order, now), permittedOrganizations(organizations, authz.ReadInvitation),
		part)
}

// TeamsOfInvitations returns the teams that invitations lead to, by slug.
func (r *Snapshot) TeamsOfInvitations(invitations []*domain.InvitationView, part ConnectionPart) (
	[]*Connection[*domain.InvitationTeam], error) {
	ids := make([]domain.InvitationID, len(invitations))
	for i, v := range invitations {
		ids[i] = v.ID
	}
	return connect(r, store.TeamsOfInvitations(), ids, part)
}

// MembersOfOrganizations returns the members of organizations.
func (r *Snapshot) MembersOfOrganizations(organizations []*Organization, filter domain.MemberFilter, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.MemberView], error) {
	return connect(r, store.MembersOf(filter, order, r.viewer()), permittedOrganizations(organizations, authz.ReadMember),
		part)
}

// TokensOf returns the live API access tokens that reach organizations, the oldest first unless the filter says
// otherwise; of one that the caller does not administer, none.
func (r *Snapshot) TokensOf(organizations []*Organization, filter domain.TokenFilter, part ConnectionPart) (
	[]*Connection[*domain.OrganizationToken], error) {
	connections, err := connect(r, store.OrganizationTokensOf(filter, r.core.Now()), permittedOrganizations(organizations,
		authz.ReadOrganizationToken), part)
	for i, c := range connections {
		if c == nil {
			connections[i] = &Connection[*domain.OrganizationToken]{}
		}
	}
	return connections, err
}

// PortalsOf returns the portals of organizations whose names have a text in them, in any case; nil for one that the
// caller does not administer.
func (r *Snapshot) PortalsOf(organizations []*Organization, search string, order domain.Order, part ConnectionPart) (
	[]*Connection[*domain.PortalView], error) {
	return connect(r, store.PortalsOf(search, order), permittedOrganizations(organizations, authz.ReadPortal), part)
}

// PortalTokensOf returns the live tokens of portals, the oldest first, without the ephemeral ones and without their
// values; nil for a portal of an organization that the caller does not administer.
func (r *Snapshot) PortalTokensOf(portals []*domain.PortalView, part ConnectionPart) (
	[]*Connection[*domain.PortalTokenView], error) {
	ids, err := r.permittedPortals(portals)
	if err != nil {
		return nil, err
	}
	return connect(r, store.PortalTokensOf(r.core.Now()), ids, part)
}

// PortalSecretsOf returns the secrets of portals, the oldest first, without their values; nil for a portal of an
// organization that the caller does not administer.
func (r *Snapshot) PortalSecretsOf(portals []*domain.PortalView, part ConnectionPart) (
	[]*Connection[*domain.PortalSecretView], error) {
	ids, err := r.permittedPortals(portals)
	if err != nil {
		return nil, err
	}
	return connect(r, store.PortalSecretsOf(), ids, part)
}

// permittedPortals returns the ids of those portals that the caller may read; "" for the others.
func (r *Snapshot) permittedPortals(portals []*domain.PortalView) ([]domain.PortalID, error) {
	ids, owners := make([]domain.PortalID, len(portals)), make([]domain.OrganizationID, len(portals))
	for i, p := range portals {
		owners[i] = p.OrganizationID
	}
	organizations, err := r.Organizations(owners)
	for i, o := range organizations {
		if o != nil && o.may(authz.ReadPortal, authz.Facts{}) {
			ids[i] = portals[i].ID
		}
	}
	return ids, err
}

// PortalsKnownBy returns the portals of organizations of which a user may know a credential, by name; nil for an
// organization that the caller does not administer.
func (r *Snapshot) PortalsKnownBy(organizations []*Organization, user domain.UserID, part ConnectionPart) (
	[]*Connection[*domain.PortalView], error) {
	return connect(r, store.PortalsKnownBy(user), permittedOrganizations(organizations, authz.ReadPortal), part)
}

// AgentTokensMadeBy returns the agent tokens that a user made in organizations, the oldest first; nil for an
// organization that the caller does not administer.
func (r *Snapshot) AgentTokensMadeBy(organizations []*Organization, user domain.UserID, part ConnectionPart) (
	[]*Connection[*domain.AgentTokenView], error) {
	return connect(r, store.AgentTokensMadeBy(user), permittedOrganizations(organizations, authz.WriteMember), part)
}

// AuditEventsOf returns the audit events of organizations, the newest first; nil for one that the caller does not
// administer.
func (r *Snapshot) AuditEventsOf(organizations []*Organization, filter domain.AuditFilter, part ConnectionPart) (
	[]*Connection[*domain.AuditEvent], error) {
	return connect(r, store.AuditEventsOf(filter), permittedOrganizations(organizations, authz.ReadAuditEvent), part)
}

// MembersOfTeams returns the members of teams.
func (r *Snapshot) MembersOfTeams(teams []*domain.TeamView, roles []domain.TeamRole, search string, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.TeamMemberView], error) {
	return connect(r, store.TeamMembersOf(roles, search, order), teamIDs(teams), part)
}

// TeamsOfMembers returns the teams that members of organizations belong to, as far as the caller sees them.
func (r *Snapshot) TeamsOfMembers(members []*domain.MemberView, order domain.Order, part ConnectionPart) (
	[]*Connection[*domain.TeamMemberView], error) {
	ids := make([]domain.MemberID, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	return connect(r, store.TeamsOfMembers(order), ids, part)
}

// PipelinesOfTeams returns what teams have access to.
func (r *Snapshot) PipelinesOfTeams(teams []*domain.TeamView, search string, order domain.Order, part ConnectionPart) (
	[]*Connection[*domain.TeamPipelineView], error) {
	return connect(r, store.TeamPipelinesOf(search, order), teamIDs(teams), part)
}

// TeamsOfPipelines returns the teams that have access to pipelines, as far as the caller sees them.
func (r *Snapshot) TeamsOfPipelines(pipelines []*domain.PipelineView, search string, order domain.Order,
	part ConnectionPart) ([]*Connection[*domain.TeamPipelineView], error) {
	return connect(r, store.TeamsOfPipelines(search, order), pipelineIDs(pipelines), part)
}

// OwnAddresses returns the caller's email addresses, all of which an operator vouched for.
func (r *Snapshot) OwnAddresses(unverified bool, part ConnectionPart) (*Connection[*domain.User], error) {
	if unverified {
		return &Connection[*domain.User]{}, part.Check()
	}
	return connectOne(r, store.OwnUser(), string(r.caller.User.ID), part)
}

// UserIDByEmail returns who of the organizations' members has that email address; "" if nobody has.
func (r *Snapshot) UserIDByEmail(organizations []*Organization, email string) (domain.UserID, error) {
	return r.tx.MemberWithEmail(distinct(permittedOrganizations(organizations, authz.ReadMember)), email)
}

// RulesOf returns the rules of organizations, the newest first.
func (r *Snapshot) RulesOf(organizations []*Organization, filter domain.RuleFilter, part ConnectionPart) (
	[]*Connection[*domain.RuleView], error) {
	return connect(r, store.RulesOf(filter), permittedOrganizations(organizations, authz.ReadRule), part)
}

// PipelineSchedulesOf returns the schedules of pipelines, the newest first.
func (r *Snapshot) PipelineSchedulesOf(pipelines []*domain.PipelineView, part ConnectionPart) (
	[]*Connection[*domain.PipelineScheduleView], error) {
	return connect(r, store.PipelineSchedulesOf(), pipelineIDs(pipelines), part)
}

// BuildsOfSchedules returns the builds that schedules have created, the newest first.
func (r *Snapshot) BuildsOfSchedules(schedules []*domain.PipelineScheduleView, part ConnectionPart) (
	[]*Connection[*domain.BuildView], error) {
	ids := make([]domain.PipelineScheduleID, len(schedules))
	for i, s := range schedules {
		ids[i] = s.ID
	}
	return connect(r, store.BuildsOfSchedules(), ids, part)
}

// PipelineTemplatesOf returns the pipeline templates of organizations that the caller may assign.
func (r *Snapshot) PipelineTemplatesOf(organizations []*Organization, order domain.Order, part ConnectionPart) (
	[]*Connection[*domain.PipelineTemplateView], error) {
	return connect(r, store.PipelineTemplatesOf(order), permittedOrganizations(organizations, authz.ReadPipelineTemplate),
		part)
}
