package read

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Clusters returns the clusters with these ids; nil for those that the caller does not see. So do the other methods
// that take ids.
func (r *Snapshot) Clusters(ids []domain.ClusterID) ([]*domain.ClusterView, error) {
	return findVisible(r, store.ClusterRows, ids)
}

// Queues returns queues.
func (r *Snapshot) Queues(ids []domain.QueueID) ([]*domain.QueueView, error) {
	return findVisible(r, store.QueueRows, ids)
}

// AgentTokens returns agent tokens of clusters that the caller manages.
func (r *Snapshot) AgentTokens(ids []domain.AgentTokenID) ([]*domain.AgentTokenView, error) {
	tokens, err := findVisible(r, store.AgentTokenRows, ids)
	if err != nil {
		return nil, err
	}
	return inClusters(r, tokens, func(t *domain.AgentTokenView) domain.ClusterID {
		return t.ClusterID
	}, authz.ReadAgentToken)
}

// UnclusteredTokens returns agent tokens of no cluster, of organizations that the caller administers.
func (r *Snapshot) UnclusteredTokens(ids []domain.UnclusteredTokenID) ([]*domain.UnclusteredTokenView, error) {
	return findVisible(r, store.UnclusteredTokenRows, ids)
}

// OrganizationBanners returns banners of organizations.
func (r *Snapshot) OrganizationBanners(ids []domain.OrganizationBannerID) ([]*domain.OrganizationBanner, error) {
	return findVisible(r, store.OrganizationBannerRows, ids)
}

// ClusterSecrets returns secrets of clusters that the caller manages, without their values.
func (r *Snapshot) ClusterSecrets(ids []domain.ClusterSecretID) ([]*domain.ClusterSecretView, error) {
	secrets, err := findVisible(r, store.ClusterSecretRows, ids)
	if err != nil {
		return nil, err
	}
	return inClusters(r, secrets, func(s *domain.ClusterSecretView) domain.ClusterID {
		return s.ClusterID
	}, authz.ReadClusterSecret)
}

// CacheRegistries returns registries of clusters that the caller manages.
func (r *Snapshot) CacheRegistries(ids []domain.CacheRegistryID) ([]*domain.CacheRegistry, error) {
	registries, err := findVisible(r, store.CacheRegistryRows, ids)
	if err != nil {
		return nil, err
	}
	return inClusters(r, registries, func(c *domain.CacheRegistry) domain.ClusterID {
		return c.ClusterID
	}, authz.ReadCacheRegistry)
}

// AreDefaultRegistries reports which registries are their clusters' default ones.
func (r *Snapshot) AreDefaultRegistries(registries []*domain.CacheRegistry) ([]bool, error) {
	ids := make([]domain.ClusterID, len(registries))
	for i, registry := range registries {
		ids[i] = registry.ClusterID
	}
	clusters, err := r.Clusters(ids)
	defaults := make([]bool, len(registries))
	for i, c := range clusters {
		defaults[i] = c != nil && c.DefaultCacheRegistryID == registries[i].ID
	}
	return defaults, err
}

// AreManaged reports which clusters the caller manages.
func (r *Snapshot) AreManaged(clusters []*domain.ClusterView) ([]bool, error) {
	ids, err := r.permittedClusters(clusters, authz.SeeClusterManagement)
	managed := make([]bool, len(clusters))
	for i, id := range ids {
		managed[i] = id != ""
	}
	return managed, err
}

// inClusters leaves out what belongs to clusters in which the caller may not do the action.
func inClusters[T any](r *Snapshot, things []*T, clusterOf func(*T) domain.ClusterID, action authz.Action) (
	[]*T, error) {
	ids := make([]domain.ClusterID, len(things))
	for i, thing := range things {
		if thing != nil {
			ids[i] = clusterOf(thing)
		}
	}
	clusters, err := r.Clusters(ids)
	if err != nil {
		return nil, err
	}
	for i, c := range clusters {
		if c == nil || !r.mayInCluster(c, action) {
			things[i] = nil
		}
	}
	return things, nil
}

// mayInCluster reports whether the caller may do the action in a cluster that was read.
func (r *Snapshot) mayInCluster(c *domain.ClusterView, action authz.Action) bool {
	o := r.accessed[c.OrganizationID]
	return o != nil && o.may(action, authz.Facts{Maintainer: c.Maintained})
}

// Maintainers returns maintainers of clusters.
func (r *Snapshot) Maintainers(ids []domain.MaintainerID) ([]*domain.Maintainer, error) {
	return findVisible(r, store.MaintainerRows, ids)
}

// Pipelines returns pipelines.
func (r *Snapshot) Pipelines(ids []domain.PipelineID) ([]*domain.PipelineView, error) {
	return findVisible(r, store.PipelineRows, ids)
}

// PipelineBySlug returns a pipeline of an organization; nil if the caller sees none of that slug.
func (r *Snapshot) PipelineBySlug(organization, slug string) (*domain.PipelineView, error) {
	o, err := r.OrganizationBySlug(organization)
	if err != nil || o == nil {
		return nil, err
	}
	id, found, err := r.tx.PipelineIDBySlug(o.ID, core.LookupSlug(slug))
	if err != nil || !found {
		return nil, err
	}
	return only(r.Pipelines([]domain.PipelineID{id}))
}

// Teams returns teams.
func (r *Snapshot) Teams(ids []domain.TeamID) ([]*domain.TeamView, error) {
	return findVisible(r, store.TeamRows, ids)
}

// TeamBySlug returns a team of an organization; nil if the caller sees none of that slug.
func (r *Snapshot) TeamBySlug(organization, slug string) (*domain.TeamView, error) {
	id, found, err := r.tx.TeamIDBySlug(core.LookupSlug(organization), core.LookupSlug(slug))
	if err != nil || !found {
		return nil, err
	}
	return only(r.Teams([]domain.TeamID{id}))
}

// TeamMembers returns memberships of teams.
func (r *Snapshot) TeamMembers(ids []domain.TeamMemberID) ([]*domain.TeamMemberView, error) {
	return findVisible(r, store.TeamMemberRows, ids)
}

// TeamPipelines returns accesses of teams to pipelines.
func (r *Snapshot) TeamPipelines(ids []domain.TeamPipelineID) ([]*domain.TeamPipelineView, error) {
	return findVisible(r, store.TeamPipelineRows, ids)
}

// Members returns memberships of organizations.
func (r *Snapshot) Members(ids []domain.MemberID) ([]*domain.MemberView, error) {
	return findVisible(r, store.MemberRows, ids)
}

// Invitations returns invitations to organizations that the caller administers.
func (r *Snapshot) Invitations(ids []domain.InvitationID) ([]*domain.InvitationView, error) {
	now, err := r.tx.Now()
	if err != nil {
		return nil, err
	}
	return findVisible(r, store.InvitationRows(now), ids)
}

// MembersOf returns memberships by whose they are.
func (r *Snapshot) MembersOf(memberships []domain.MembershipKey) ([]*domain.MemberView, error) {
	var organizations []domain.OrganizationID
	var users []domain.UserID
	for _, m := range memberships {
		organizations, users = append(organizations, m.Organization), append(users, m.User)
	}
	found, err := r.tx.MemberIDs(distinct(organizations), distinct(users))
	if err != nil {
		return nil, err
	}
	ids := make([]domain.MemberID, len(memberships))
	for i, m := range memberships {
		ids[i] = found[m]
	}
	return r.Members(ids)
}

// RepositoryConnections returns connections with repository hosts, of organizations that the caller administers.
func (r *Snapshot) RepositoryConnections(ids []domain.ConnectionID) ([]*domain.RepositoryConnection, error) {
	return findVisible(r, store.RepositoryConnectionRows, ids)
}

// RepositoryConnectionsOf returns the connections of organizations with repository hosts, the oldest first; none of one
// that the caller does not administer.
func (r *Snapshot) RepositoryConnectionsOf(organizations []*Organization) ([][]*domain.RepositoryConnection, error) {
	ids := permittedOrganizations(organizations, authz.ReadConnection)
	connections, err := r.tx.RepositoryConnectionsOf(distinct(ids))
	found := make([][]*domain.RepositoryConnection, len(ids))
	for i, id := range ids {
		found[i] = []*domain.RepositoryConnection{}
		for j := range connections {
			if connections[j].OrganizationID == id {
				found[i] = append(found[i], &connections[j])
			}
		}
	}
	return found, err
}

// WebhooksOf returns the webhooks that were made for pipelines at the hosts of their repositories; nil for those that
// have none, or that the caller may not change.
func (r *Snapshot) WebhooksOf(pipelines []*domain.PipelineView) ([]*domain.PipelineWebhook, error) {
	permitted, err := r.PipelinePermitted(pipelines, authz.WritePipeline)
	if err != nil {
		return nil, err
	}
	ids := pipelineIDs(pipelines)
	for i := range ids {
		if !permitted[i] {
			ids[i] = ""
		}
	}
	webhooks, err := r.tx.PipelineWebhooks(distinct(ids))
	perID := make(map[domain.PipelineID]*domain.PipelineWebhook, len(webhooks))
	for i := range webhooks {
		perID[webhooks[i].PipelineID] = &webhooks[i]
	}
	return inOrder(ids, perID), err
}

// PipelineSchedules returns schedules of pipelines.
func (r *Snapshot) PipelineSchedules(ids []domain.PipelineScheduleID) ([]*domain.PipelineScheduleView, error) {
	return findVisible(r, store.PipelineScheduleRows, ids)
}

// SchedulesOfBuilds returns the schedules that have created builds, which the caller has read; nil for those of others.
func (r *Snapshot) SchedulesOfBuilds(builds []domain.BuildID) ([]*domain.PipelineScheduleView, error) {
	found, err := r.tx.SchedulesOfBuilds(distinct(builds))
	if err != nil {
		return nil, err
	}
	ids := make([]domain.PipelineScheduleID, len(builds))
	for i, id := range builds {
		ids[i] = found[id]
	}
	return r.PipelineSchedules(ids)
}

// PipelineTemplates returns pipeline templates that the caller may assign.
func (r *Snapshot) PipelineTemplates(ids []domain.PipelineTemplateID) ([]*domain.PipelineTemplateView, error) {
	return findVisible(r, store.PipelineTemplateRows, ids)
}

// Rules returns rules between pipelines.
func (r *Snapshot) Rules(ids []domain.RuleID) ([]*domain.RuleView, error) {
	return findVisible(r, store.RuleRows, ids)
}

// Portals returns portals of organizations that the caller administers.
func (r *Snapshot) Portals(ids []domain.PortalID) ([]*domain.PortalView, error) {
	portals, err := findVisible(r, store.PortalRows, ids)
	for i, p := range portals {
		if p != nil && !r.accessed[p.OrganizationID].may(authz.ReadPortal, authz.Facts{}) {
			portals[i] = nil
		}
	}
	return portals, err
}

// AuditEvents returns audit events of organizations that the caller administers.
func (r *Snapshot) AuditEvents(ids []domain.AuditEventID) ([]*domain.AuditEvent, error) {
	events, err := findVisible(r, store.AuditEventRows, ids)
	for i, e := range events {
		if e != nil && !r.accessed[e.OrganizationID].may(authz.ReadAuditEvent, authz.Facts{}) {
			events[i] = nil
		}
	}
	return events, err
}

// Users returns users: the caller, and members of organizations that they may use.
func (r *Snapshot) Users(ids []domain.UserID) ([]*domain.User, error) {
	perID := make(map[domain.UserID]*domain.User, len(ids))
	if me := r.User(); me != nil {
		perID[me.ID] = me
	}
	unknown := distinct(ids)
	if len(unknown) > 0 {
		suspended, err := r.suspendedOrganizations()
		if err != nil {
			return nil, err
		}
		users, err := r.tx.VisibleUsers(r.actor.Credential, &r.caller, suspended, unknown)
		if err != nil {
			return nil, err
		}
		for _, u := range users {
			perID[u.ID] = u
		}
	}
	return inOrder(ids, perID), nil
}

// Tokens returns API access tokens: the caller's own, and those that reach organizations that they administer.
func (r *Snapshot) Tokens(ids []domain.APITokenID) ([]*domain.APIToken, error) {
	perID := make(map[domain.APITokenID]*domain.APIToken, len(ids))
	if wanted := distinct(ids); len(wanted) > 0 {
		suspended, err := r.suspendedOrganizations()
		if err != nil {
			return nil, err
		}
		tokens, err := r.tx.VisibleTokens(r.actor.Credential, &r.caller, suspended, wanted)
		if err != nil {
			return nil, err
		}
		for _, t := range tokens {
			perID[t.ID] = t
		}
	}
	return inOrder(ids, perID), nil
}

// HavePassword reports which users can sign in with a password.
func (r *Snapshot) HavePassword(users []*domain.User) ([]bool, error) {
	ids := make([]domain.UserID, len(users))
	for i, u := range users {
		ids[i] = u.ID
	}
	with, err := r.tx.UsersWithPassword(distinct(ids))
	flags := make([]bool, len(users))
	for i, id := range ids {
		flags[i] = with[id]
	}
	return flags, err
}

// Favorites reports which pipelines are the caller's favorites.
func (r *Snapshot) Favorites(pipelines []*domain.PipelineView) ([]bool, error) {
	favorites, err := r.tx.FavoritePipelines(r.caller.User.ID, distinct(pipelineIDs(pipelines)))
	flags := make([]bool, len(pipelines))
	for i, p := range pipelines {
		flags[i] = favorites[p.ID]
	}
	return flags, err
}

func pipelineIDs(pipelines []*domain.PipelineView) []domain.PipelineID {
	ids := make([]domain.PipelineID, len(pipelines))
	for i, p := range pipelines {
		ids[i] = p.ID
	}
	return ids
}

func only[T any](things []*T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return things[0], nil
}
