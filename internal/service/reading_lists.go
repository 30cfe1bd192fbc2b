package service

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// below returns the ids of those organizations in which the caller may do the action; "" for the others.
func below(organizations []*Organization, action authz.Action) []domain.OrganizationID {
	ids := make([]domain.OrganizationID, len(organizations))
	for i, o := range organizations {
		if o.may(action, authz.Facts{}) {
			ids[i] = o.ID
		}
	}
	return ids
}

// belowClusters returns the ids of those clusters in which the caller may do the action; "" for the others.
func (r *Reading) belowClusters(clusters []*domain.ClusterView, action authz.Action) ([]domain.ClusterID, error) {
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

// at is the position of a thing in a list: where it comes by name, or by when it was made.
func at[ID ~string](order, name string, created time.Time, id ID) []any {
	if order == store.RecentlyCreated {
		return []any{created.UnixMicro(), string(id)}
	}
	return []any{domain.SortKey(name), string(id)}
}

// ClustersOf returns the clusters of organizations.
func (r *Reading) ClustersOf(organizations []*Organization, order string, part ConnectionPart) ([]*Connection[*domain.ClusterView], error) {
	return r.ClustersNamed(organizations, "", order, part)
}

// ClustersNamed returns the clusters of organizations whose names have a text in them, in any case.
func (r *Reading) ClustersNamed(organizations []*Organization, search, order string, part ConnectionPart) ([]*Connection[*domain.ClusterView], error) {
	connections, err := connect(r, fmt.Sprintf("clusters %s %q", order, search), store.ClustersOf(search, order), func(c *domain.ClusterView) []any {
		return at(order, c.Name, c.CreatedAt, c.ID)
	}, below(organizations, authz.ReadCluster), part)
	if err != nil || search != "" {
		return connections, err
	}
	return countedBy(r, connections, func(n domain.OrganizationCounts) int64 { return n.Clusters }), nil
}

// ClustersMaintainedBy returns the clusters of organizations that a user maintains in person, by name.
func (r *Reading) ClustersMaintainedBy(organizations []*Organization, user domain.UserID, part ConnectionPart) ([]*Connection[*domain.ClusterView], error) {
	return connect(r, "clusters maintained by "+string(user), store.ClustersMaintainedBy(user), func(c *domain.ClusterView) []any {
		return at(store.ByName, c.Name, c.CreatedAt, c.ID)
	}, below(organizations, authz.ReadCluster), part)
}

// countedBy lets connections below organizations be counted without a look at what is in them.
func countedBy[T any](r *Reading, connections []*Connection[T], length func(domain.OrganizationCounts) int64) []*Connection[T] {
	for _, c := range connections {
		if c != nil {
			c.source.count = func(parents []string) ([]int64, error) { return r.lengthsBelow(parents, length) }
		}
	}
	return connections
}

func (r *Reading) lengthsBelow(parents []string, length func(domain.OrganizationCounts) int64) ([]int64, error) {
	organizations := make([]*Organization, len(parents))
	for i, parent := range parents {
		organizations[i] = r.reached[domain.OrganizationID(parent)]
	}
	counts, err := r.OrganizationCounts(organizations)
	lengths := make([]int64, len(counts))
	for i, c := range counts {
		lengths[i] = length(c)
	}
	return lengths, err
}

// QueuesOf returns the queues of clusters; with keysOnly no more of them than their ids, keys, descriptions and times.
func (r *Reading) QueuesOf(clusters []*domain.ClusterView, order string, keysOnly bool, part ConnectionPart) ([]*Connection[*domain.QueueView], error) {
	ids, err := r.belowClusters(clusters, authz.ReadQueue)
	if err != nil {
		return nil, err
	}
	return connect(r, "queues "+order, store.QueuesOf(order, keysOnly), func(q *domain.QueueView) []any {
		if order == store.RecentlyCreated {
			return []any{q.CreatedAt.UnixMicro(), string(q.ID)}
		}
		return []any{q.Key, string(q.ID)}
	}, ids, part)
}

// AgentTokensOf returns the agent tokens of clusters, the oldest first; nil for a cluster that the caller does not manage.
func (r *Reading) AgentTokensOf(clusters []*domain.ClusterView, part ConnectionPart) ([]*Connection[*domain.AgentTokenView], error) {
	ids, err := r.belowClusters(clusters, authz.ReadAgentToken)
	if err != nil {
		return nil, err
	}
	return connect(r, "agent tokens", store.AgentTokensOf(), func(t *domain.AgentTokenView) []any {
		return []any{t.CreatedAt.UnixMicro(), string(t.ID)}
	}, ids, part)
}

// CacheRegistriesOf returns the registries of clusters, by slug; nil for a cluster that the caller does not manage.
func (r *Reading) CacheRegistriesOf(clusters []*domain.ClusterView, part ConnectionPart) ([]*Connection[*domain.CacheRegistry], error) {
	ids, err := r.belowClusters(clusters, authz.ReadCacheRegistry)
	if err != nil {
		return nil, err
	}
	return connect(r, "cache registries", store.CacheRegistriesOf(), func(c *domain.CacheRegistry) []any { return []any{c.Slug} }, ids, part)
}

// PipelinesOf returns the pipelines of organizations.
func (r *Reading) PipelinesOf(organizations []*Organization, filter domain.PipelineListFilter, order string,
	part ConnectionPart) ([]*Connection[*domain.PipelineView], error) {
	chosen := filter
	chosen.NamesOnly = false
	name := fmt.Sprintf("pipelines %s %s", order, describe(chosen))
	connections, err := connect(r, name, store.PipelinesOf(filter, order, r.sight()), func(p *domain.PipelineView) []any {
		position := at(order, p.Name, p.CreatedAt, p.ID)
		if p.Favorite == nil {
			return position
		}
		if *p.Favorite {
			return append([]any{int64(0)}, position...)
		}
		return append([]any{int64(1)}, position...)
	}, below(organizations, authz.ReadPipeline), part)
	switch describe(chosen) {
	case describe(domain.PipelineListFilter{}):
		connections = countedBy(r, connections, func(n domain.OrganizationCounts) int64 { return n.Pipelines - n.ArchivedPipelines })
	case describe(domain.PipelineListFilter{Archived: true}):
		connections = countedBy(r, connections, func(n domain.OrganizationCounts) int64 { return n.ArchivedPipelines })
	}
	return connections, err
}

// TeamsOf returns the teams of organizations that the caller sees.
func (r *Reading) TeamsOf(organizations []*Organization, filter domain.TeamFilter, order string, part ConnectionPart) ([]*Connection[*domain.TeamView], error) {
	// Which of its teams one sees, the list itself knows; that one may see teams at all, everybody may.
	ids := below(organizations, authz.ReadMember)
	return connect(r, fmt.Sprintf("teams %s %s", order, describe(filter)), store.TeamsOf(filter, order), func(t *domain.TeamView) []any {
		return at(order, t.Name, t.CreatedAt, t.ID)
	}, ids, part)
}

// MembersOfOrganizations returns the members of organizations.
func (r *Reading) MembersOfOrganizations(organizations []*Organization, filter domain.MemberFilter, order string,
	part ConnectionPart) ([]*Connection[*domain.MemberView], error) {
	return connect(r, fmt.Sprintf("members %s %s", order, describe(filter)), store.MembersOf(filter, order, r.sight()), func(m *domain.MemberView) []any {
		return at(order, m.User.Name, m.CreatedAt, m.ID)
	}, below(organizations, authz.ReadMember), part)
}

// TokensOf returns the live API access tokens that reach organizations, the oldest first unless the filter says otherwise; of one
// that the caller does not administer, none.
func (r *Reading) TokensOf(organizations []*Organization, filter domain.TokenFilter, part ConnectionPart) ([]*Connection[*domain.OrganizationToken], error) {
	connections, err := connect(r, "tokens "+describe(filter), store.TokensOf(filter, r.service.core.Now()), func(t *domain.OrganizationToken) []any {
		return []any{t.CreatedAt.UnixMicro(), string(t.ID)}
	}, below(organizations, authz.ReadOrganizationToken), part)
	for i, c := range connections {
		if c == nil {
			connections[i] = &Connection[*domain.OrganizationToken]{}
		}
	}
	return connections, err
}

// PortalsOf returns the portals of organizations whose names have a text in them, in any case; nil for one that the caller does
// not administer.
func (r *Reading) PortalsOf(organizations []*Organization, search, order string, part ConnectionPart) ([]*Connection[*domain.PortalView], error) {
	return connect(r, fmt.Sprintf("portals %s %q", order, search), store.PortalsOf(search, order), func(p *domain.PortalView) []any {
		return at(order, p.Name, p.CreatedAt, p.ID)
	}, below(organizations, authz.ReadPortal), part)
}

// AuditEventsOf returns the audit events of organizations, the newest first; nil for one that the caller does not administer.
func (r *Reading) AuditEventsOf(organizations []*Organization, filter domain.AuditListFilter, part ConnectionPart) ([]*Connection[*domain.AuditEvent], error) {
	return connect(r, "audit events "+describe(filter), store.AuditEventsOf(filter), func(e *domain.AuditEvent) []any {
		return []any{string(e.ID)}
	}, below(organizations, authz.ReadAuditEvent), part)
}

// MembersOfTeams returns the members of teams.
func (r *Reading) MembersOfTeams(teams []*domain.TeamView, roles []domain.TeamRole, search, order string, part ConnectionPart) ([]*Connection[*domain.TeamMemberView], error) {
	return connect(r, fmt.Sprintf("team members %s %q %s", order, search, describe(roles)), store.TeamMembersOf(roles, search, order), func(m *domain.TeamMemberView) []any {
		return at(order, m.User.Name, m.CreatedAt, m.ID)
	}, teamIDs(teams), part)
}

// TeamsOfMembers returns the teams that members of organizations belong to, as far as the caller sees them.
func (r *Reading) TeamsOfMembers(members []*domain.MemberView, order string, part ConnectionPart) ([]*Connection[*domain.TeamMemberView], error) {
	ids := make([]domain.MemberID, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	return connect(r, "teams of a member "+order, store.TeamsOfMember(order), func(m *domain.TeamMemberView) []any {
		return at(order, m.TeamName, m.CreatedAt, m.ID)
	}, ids, part)
}

// PipelinesOfTeams returns what teams have access to.
func (r *Reading) PipelinesOfTeams(teams []*domain.TeamView, search, order string, part ConnectionPart) ([]*Connection[*domain.TeamPipelineView], error) {
	return connect(r, fmt.Sprintf("team pipelines %s %q", order, search), store.TeamPipelinesOf(search, order), func(p *domain.TeamPipelineView) []any {
		return at(order, p.PipelineName, p.CreatedAt, p.ID)
	}, teamIDs(teams), part)
}

// TeamsOfPipelines returns the teams that have access to pipelines, as far as the caller sees them.
func (r *Reading) TeamsOfPipelines(pipelines []*domain.PipelineView, search, order string, part ConnectionPart) ([]*Connection[*domain.TeamPipelineView], error) {
	return connect(r, fmt.Sprintf("teams of a pipeline %s %q", order, search), store.TeamsOfPipeline(search, order), func(p *domain.TeamPipelineView) []any {
		return at(order, p.TeamName, p.CreatedAt, p.ID)
	}, pipelineIDs(pipelines), part)
}

// describe tells filters apart.
func describe(filter any) string {
	text, err := json.Marshal(filter, json.FormatNilSliceAsNull(true)) // an empty list chooses nothing
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// OwnAddresses returns the caller's e-mail addresses, all of which an operator vouched for.
func (r *Reading) OwnAddresses(unverified bool, part ConnectionPart) (*Connection[*domain.User], error) {
	if unverified {
		return &Connection[*domain.User]{}, part.check()
	}
	connections, err := connect(r, "e-mail addresses", store.UserByID(), func(u *domain.User) []any { return []any{string(u.ID)} },
		[]domain.UserID{r.caller.User.ID}, part)
	if err != nil {
		return nil, err
	}
	return connections[0], connections[0].err
}

// UserIDByEmail returns who of the organizations' members has that e-mail address; "" if nobody has.
func (r *Reading) UserIDByEmail(organizations []*Organization, email string) (domain.UserID, error) {
	id, _, err := r.tx.MemberWithEmail(distinct(below(organizations, authz.ReadMember)), email)
	return id, err
}
