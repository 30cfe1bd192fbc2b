package store

import (
	"strings"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// How each kind of thing is read for lists and by ids.
var (
	ClusterRows = Rows[*domain.ClusterView]{
		owner: `c.organization_id`,
		columns: func(a *arguments, sight Sight) string {
			return clusterColumns + `, ` + creatorColumns + `, o.slug, ` + strings.ReplaceAll(maintains, "t.user_id", a.add(sight.User))
		},
		tables: `clusters c`, joins: `JOIN organizations o ON o.id = c.organization_id LEFT JOIN users cb ON cb.id = c.created_by`, id: `c.id`,
		scan: func(r *db.Row) *domain.ClusterView {
			return &domain.ClusterView{Cluster: scanCluster(r), CreatedBy: scanNullUser(r), OrganizationSlug: r.Text(), Maintained: r.Bool()}
		},
	}
	QueueRows = Rows[*domain.QueueView]{
		owner: `oc.organization_id`, owned: `JOIN clusters oc ON oc.id = q.cluster_id`,
		columns: plain(queueColumns), tables: `cluster_queues q`, id: `q.id`,
		joins: `LEFT JOIN users cb ON cb.id = q.created_by LEFT JOIN users pb ON pb.id = q.dispatch_paused_by`, scan: pointer(scanQueue),
	}
	// QueueKeyRows read no more of a queue than what it is called and when it was made.
	QueueKeyRows = Rows[*domain.QueueView]{
		columns: plain(`q.id, q.cluster_id, q.key, q.description, q.created_at`), tables: `cluster_queues q`, id: `q.id`,
		scan: func(r *db.Row) *domain.QueueView {
			return &domain.QueueView{Queue: domain.Queue{ID: domain.QueueID(r.Text()), ClusterID: domain.ClusterID(r.Text()),
				Key: r.Text(), Description: r.NullText(), CreatedAt: r.Time()}}
		},
	}
	AgentTokenRows = Rows[*domain.AgentTokenView]{
		owner: `oc.organization_id`, owned: `JOIN clusters oc ON oc.id = a.cluster_id`,
		columns: plain(agentTokenColumns), tables: `cluster_agent_tokens a`, joins: `LEFT JOIN users cb ON cb.id = a.created_by`, id: `a.id`,
		scan: pointer(scanAgentToken),
	}
	CacheRegistryRows = Rows[*domain.CacheRegistry]{
		owner: `oc.organization_id`, owned: `JOIN clusters oc ON oc.id = r.cluster_id`,
		columns: plain(registryColumns), tables: `cache_registries r`, id: `r.id`, scan: pointer(scanCacheRegistry),
	}
	MaintainerRows = Rows[*domain.Maintainer]{
		owner:   `x.organization_id`,
		columns: plain(maintainerColumns), tables: `cluster_maintainers x LEFT JOIN teams xt ON xt.id = x.team_id`,
		joins: `LEFT JOIN users xu ON xu.id = x.user_id`, id: `x.id`, scan: pointer(scanMaintainer),
		seen: func(a *arguments, sight Sight) string {
			return maintainerSeen(sight.administers(a, `x.organization_id`), a.add(sight.User))
		},
	}
	PipelineRows = Rows[*domain.PipelineView]{
		owner:   `p.organization_id`,
		columns: plain(pipelineColumns + `, o.slug`), tables: `pipelines p`, joins: `JOIN organizations o ON o.id = p.organization_id ` + pipelineUsers, id: `p.id`,
		scan: func(r *db.Row) *domain.PipelineView {
			p := scanPipeline(r)
			p.OrganizationSlug = r.Text()
			return &p
		},
	}
	// PipelineNameRows read no more of a pipeline than what it is called and when it was made.
	PipelineNameRows = Rows[*domain.PipelineView]{
		columns: plain(`p.id, p.organization_id, p.slug, p.name, p.created_at`), tables: `pipelines p`, id: `p.id`,
		scan: func(r *db.Row) *domain.PipelineView {
			return &domain.PipelineView{Pipeline: domain.Pipeline{ID: domain.PipelineID(r.Text()), OrganizationID: domain.OrganizationID(r.Text()),
				Slug: r.Text(), Name: r.Text(), CreatedAt: r.Time()}}
		},
	}
	TeamRows = Rows[*domain.TeamView]{
		owner:   `te.organization_id`,
		columns: plain(teamColumns + `, ` + creatorColumns + `, o.slug`), tables: `teams te`,
		joins: `JOIN organizations o ON o.id = te.organization_id LEFT JOIN users cb ON cb.id = te.created_by`, id: `te.id`, seen: teamSeen,
		scan: func(r *db.Row) *domain.TeamView {
			return &domain.TeamView{Team: scanTeam(r), CreatedBy: scanNullUser(r), OrganizationSlug: r.Text()}
		},
	}
	TeamMemberRows = Rows[*domain.TeamMemberView]{
		owner:   `tm.organization_id`,
		columns: plain(teamMemberColumns + `, te.name`), tables: `team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id`,
		joins: `JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by`, id: `tm.id`, seen: teamSeen,
		scan: func(r *db.Row) *domain.TeamMemberView {
			m := scanTeamMember(r)
			m.TeamName = r.Text()
			return &m
		},
	}
	TeamPipelineRows = Rows[*domain.TeamPipelineView]{
		owner:   `tp.organization_id`,
		columns: plain(teamPipelineColumns + `, te.name`), tables: `team_pipelines tp JOIN pipelines p ON p.id = tp.pipeline_id JOIN teams te ON te.id = tp.team_id`,
		joins: `JOIN organizations o ON o.id = tp.organization_id LEFT JOIN users cb ON cb.id = tp.created_by`, id: `tp.id`, seen: teamSeen,
		scan: func(r *db.Row) *domain.TeamPipelineView {
			p := scanTeamPipeline(r)
			p.TeamName = r.Text()
			return &p
		},
	}
	MemberRows = Rows[*domain.MemberView]{
		owner:   `m.organization_id`,
		columns: plain(memberColumns), tables: `organization_members m JOIN users u ON u.id = m.user_id`, counted: `organization_members m`,
		joins: `JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by`, id: `m.id`, scan: pointer(scanMember),
	}
	AuditEventRows = Rows[*domain.AuditEvent]{
		owner:   `organization_id`,
		columns: plain(auditColumns), tables: `audit_events`, id: `id`, keyed: true, scan: pointer(scanAuditEvent),
		seen: func(a *arguments, sight Sight) string { return sight.administers(a, `organization_id`) },
	}
	portalRows = Rows[*domain.PortalView]{
		columns: plain(portalColumns), tables: `portals po`, joins: `LEFT JOIN users cb ON cb.id = po.created_by`, id: `po.id`, scan: pointer(scanPortal),
	}
	organizationTokenRows = Rows[*domain.OrganizationToken]{
		columns: plain(tokenColumns + `, ` + userColumns + `, t.last_used_address`), id: `t.id`,
		tables: `api_token_organizations g JOIN api_tokens t ON t.id = g.token_id JOIN organizations o ON o.id = g.organization_id`,
		joins:  `JOIN users u ON u.id = t.user_id`,
		seen:   func(a *arguments, sight Sight) string { return sight.administers(a, `g.organization_id`) },
		scan: func(r *db.Row) *domain.OrganizationToken {
			return &domain.OrganizationToken{APIToken: scanToken(r), User: scanUser(r), LastUsedAddress: r.NullText()}
		},
	}
)

func pointer[T any](scan func(*db.Row) T) func(*db.Row) *T {
	return func(r *db.Row) *T {
		v := scan(r)
		return &v
	}
}

// teamSeen holds for the teams te that are seen: a secret one by its members and administrators.
func teamSeen(a *arguments, sight Sight) string {
	return `(te.privacy = 'visible' OR ` + sight.administers(a, `te.organization_id`) + `
		OR EXISTS (SELECT 1 FROM team_members v WHERE v.team_id = te.id AND v.user_id = ` + a.add(sight.User) + `))`
}

// Orders of lists.
const (
	ByName          = "NAME"
	RecentlyCreated = "RECENTLY_CREATED"
)

// ordered returns the list in the order of that name: by a name's key, unless it is to begin with what was made last.
func ordered[T any](l List[T], order, nameKey, createdAt string) List[T] {
	if order == RecentlyCreated {
		l.keys, l.descending = []Key{number(createdAt), text(l.Rows.id)}, true
	} else {
		l.keys = []Key{text(nameKey), text(l.Rows.id)}
	}
	return l
}

// UserByID lists the user that is the parent itself.
func UserByID() List[*domain.User] {
	return List[*domain.User]{Rows: Rows[*domain.User]{columns: plain(userColumns), tables: `users u`, id: `u.id`, scan: pointer(scanUser)},
		parent: `u.id`, parents: `users`, keys: []Key{text(`u.id`)}}
}

// ClustersOf lists the clusters of organizations whose names have a text in them, in any case.
func ClustersOf(search, order string) List[*domain.ClusterView] {
	l := ordered(List[*domain.ClusterView]{Rows: ClusterRows, parent: `c.organization_id`, parents: `organizations`}, order, `c.name_key`, `c.created_at`)
	l.search(`c.name_key`, search)
	return l
}

// ClustersMaintainedBy lists the clusters of organizations that a user maintains in person, by name.
func ClustersMaintainedBy(user domain.UserID) List[*domain.ClusterView] {
	l := ClustersOf("", ByName)
	l.add(func(a *arguments) string {
		return `EXISTS (SELECT 1 FROM cluster_maintainers k WHERE k.cluster_id = c.id AND k.user_id = ` + a.add(user) + `)`
	})
	return l
}

// QueuesOf lists the queues of clusters; with keysOnly it reads no more of them than what they are called.
func QueuesOf(order string, keysOnly bool) List[*domain.QueueView] {
	rows := QueueRows
	if keysOnly {
		rows = QueueKeyRows
	}
	return ordered(List[*domain.QueueView]{Rows: rows, parent: `q.cluster_id`, parents: `clusters`, indexed: order != RecentlyCreated}, order, `q.key`, `q.created_at`)
}

// AgentTokensOf lists the agent tokens of clusters, the oldest first.
func AgentTokensOf() List[*domain.AgentTokenView] {
	return List[*domain.AgentTokenView]{Rows: AgentTokenRows, parent: `a.cluster_id`, parents: `clusters`, keys: []Key{number(`a.created_at`), text(`a.id`)}}
}

// CacheRegistriesOf lists the registries of clusters, by slug.
func CacheRegistriesOf() List[*domain.CacheRegistry] {
	return List[*domain.CacheRegistry]{Rows: CacheRegistryRows, parent: `r.cluster_id`, parents: `clusters`, keys: []Key{text(`r.slug`)}}
}

// TeamsOf lists the teams of organizations.
func TeamsOf(filter domain.TeamFilter, order string) List[*domain.TeamView] {
	l := ordered(List[*domain.TeamView]{Rows: TeamRows, parent: `te.organization_id`, parents: `organizations`}, order, `te.name_key`, `te.created_at`)
	l.search(`te.name_key`, filter.Search)
	among(&l, `te.privacy`, filter.Privacy)
	when(&l, filter.User, func(a *arguments, id domain.UserID) string {
		return `EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = te.id AND f.user_id = ` + a.add(id) + `)`
	})
	when(&l, filter.Pipeline, func(a *arguments, id domain.PipelineID) string {
		return `EXISTS (SELECT 1 FROM team_pipelines f WHERE f.team_id = te.id AND f.pipeline_id = ` + a.add(id) + `)`
	})
	when(&l, filter.PipelineSlug, func(a *arguments, slug string) string {
		return `EXISTS (SELECT 1 FROM team_pipelines f JOIN pipelines fp ON fp.id = f.pipeline_id
			WHERE f.team_id = te.id AND ` + equal(a, `fp.slug`, slug) + `)`
	})
	when(&l, filter.NotPipeline, func(a *arguments, id domain.PipelineID) string {
		return `NOT EXISTS (SELECT 1 FROM team_pipelines f WHERE f.team_id = te.id AND f.pipeline_id = ` + a.add(id) + `)`
	})
	return l
}

// TeamMembersOf lists the members of teams.
func TeamMembersOf(roles []domain.TeamRole, search, order string) List[*domain.TeamMemberView] {
	l := ordered(List[*domain.TeamMemberView]{Rows: TeamMemberRows, parent: `tm.team_id`, parents: `teams`}, order, `u.name_key`, `tm.created_at`)
	l.search(`u.name_key`, search)
	among(&l, `tm.role`, roles)
	return l
}

// TeamsOfMember lists the teams that members of organizations belong to.
func TeamsOfMember(order string) List[*domain.TeamMemberView] {
	l := List[*domain.TeamMemberView]{Rows: TeamMemberRows, parent: `om.id`, parents: `organization_members`}
	l.Rows.tables += ` JOIN organization_members om ON om.organization_id = tm.organization_id AND om.user_id = tm.user_id`
	return ordered(l, order, `te.name_key`, `tm.created_at`)
}

// TeamPipelinesOf lists what teams have access to.
func TeamPipelinesOf(search, order string) List[*domain.TeamPipelineView] {
	l := ordered(List[*domain.TeamPipelineView]{Rows: TeamPipelineRows, parent: `tp.team_id`, parents: `teams`}, order, `p.name_key`, `tp.created_at`)
	l.search(`p.name_key`, search)
	return l
}

// TeamsOfPipeline lists the teams that have access to pipelines.
func TeamsOfPipeline(search, order string) List[*domain.TeamPipelineView] {
	l := ordered(List[*domain.TeamPipelineView]{Rows: TeamPipelineRows, parent: `tp.pipeline_id`, parents: `pipelines`}, order, `te.name_key`, `tp.created_at`)
	l.search(`te.name_key`, search)
	return l
}

// MembersOf lists the members of organizations. What is asked about teams is answered for those that are seen.
func MembersOf(filter domain.MemberFilter, order string, sight Sight) List[*domain.MemberView] {
	l := ordered(List[*domain.MemberView]{Rows: MemberRows, parent: `m.organization_id`, parents: `organizations`}, order, `u.name_key`, `m.created_at`)
	if filter.Search != "" {
		l.add(func(a *arguments) string {
			part := domain.SortKey(filter.Search)
			return `(` + like(a, `u.name_key`, part) + ` OR ` + like(a, `u.email_key`, part) + `)`
		})
	}
	when(&l, filter.Email, func(a *arguments, email string) string { return equal(a, `u.email_key`, domain.EmailKey(email)) })
	among(&l, `m.role`, filter.Roles)
	when(&l, filter.Team, func(a *arguments, id domain.TeamID) string {
		return `EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = ` + a.add(id) + `
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id)`
	})
	when(&l, filter.TeamSlug, func(a *arguments, slug string) string {
		return `EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id
			AND ` + equal(a, `te.slug`, slug) + ` AND ` + teamSeen(a, sight) + `)`
	})
	when(&l, filter.NotTeam, func(a *arguments, id domain.TeamID) string {
		return `NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = ` + a.add(id) + ` AND f.user_id = m.user_id)`
	})
	when(&l, filter.InactiveSince, func(a *arguments, since time.Time) string {
		return `COALESCE(m.last_seen_on, '') < ` + a.add(since.UTC().Format(domain.DateLayout))
	})
	return l
}

// PipelinesOf lists the pipelines of organizations. Favourites are those of who looks, and what is asked about teams is answered
// for those that are seen.
func PipelinesOf(filter domain.PipelineListFilter, order string, sight Sight) List[*domain.PipelineView] {
	l := List[*domain.PipelineView]{Rows: PipelineRows, parent: `p.organization_id`, parents: `organizations`}
	if filter.NamesOnly {
		l.Rows = PipelineNameRows
	}
	l = ordered(l, order, `p.name_key`, `p.created_at`)
	favorite := func(a *arguments) string {
		return `EXISTS (SELECT 1 FROM pipeline_favorites f WHERE f.user_id = ` + a.add(sight.User) + ` AND f.pipeline_id = p.id)`
	}
	if order == domain.FavoritesFirst {
		l = favoritesFirst(l, favorite)
	}
	kind := `p.archived_at IS NULL`
	if filter.Archived {
		kind = `p.archived_at IS NOT NULL`
	}
	l.add(func(*arguments) string { return kind })
	l.search(`p.name_key`, filter.Search)
	if filter.Text != "" {
		l.add(func(a *arguments) string {
			return `(` + like(a, `p.name_key`, domain.SortKey(filter.Text)) + ` OR ` + like(a, `lower(p.repository)`, domain.LowerASCII(filter.Text)) + `)`
		})
	}
	if filter.Unclustered {
		l.add(func(*arguments) string { return `p.cluster_id IS NULL` })
	}
	when(&l, filter.Cluster, func(a *arguments, id domain.ClusterID) string { return `p.cluster_id = ` + a.add(id) })
	when(&l, filter.Repository, func(a *arguments, url string) string { return equal(a, `p.repository`, url) })
	when(&l, filter.Favorite, func(a *arguments, wanted bool) string { return favorite(a) + ` = ` + a.add(wanted) })
	when(&l, filter.Team, func(a *arguments, id domain.TeamID) string {
		return `EXISTS (SELECT 1 FROM team_pipelines f WHERE f.pipeline_id = p.id AND f.team_id = ` + a.add(id) + `)`
	})
	when(&l, filter.TeamSlug, func(a *arguments, slug string) string {
		return `EXISTS (SELECT 1 FROM team_pipelines f JOIN teams te ON te.id = f.team_id WHERE f.pipeline_id = p.id
			AND ` + equal(a, `te.slug`, slug) + ` AND ` + teamSeen(a, sight) + `)`
	})
	when(&l, filter.NotTeam, func(a *arguments, id domain.TeamID) string {
		return `NOT EXISTS (SELECT 1 FROM team_pipelines f WHERE f.pipeline_id = p.id AND f.team_id = ` + a.add(id) + `)`
	})
	for _, tag := range filter.Tags {
		l.add(func(a *arguments) string { return tagged(a, tag) })
	}
	when(&l, filter.CreatedFrom, func(a *arguments, at time.Time) string { return `p.created_at >= ` + a.add(db.Micros(at)) })
	when(&l, filter.CreatedTo, func(a *arguments, at time.Time) string { return `p.created_at < ` + a.add(db.Micros(at)) })
	l.indexed = order != domain.FavoritesFirst && len(l.conditions) == 1
	return l
}

// tagged returns the condition that a pipeline has the tag, and not only a part of one. Tags are stored as a JSON array. Once \\ and
// \" are written otherwise, every " begins or ends a tag, and between two of them is a tag or the comma that parts it from the
// next. So a tag is found between two such commas, also a tag that is a comma; one more at each end sees to the first and the last.
func tagged(a *arguments, tag string) string {
	list, err := toJSON([]string{tag})
	if err != nil {
		return "FALSE"
	}
	const tags = `('",' || replace(replace(substr(p.tags, 2, length(p.tags) - 2), '\\', '\s'), '\"', '\q') || ',"')`
	wanted := `",` + strings.NewReplacer(`\\`, `\s`, `\"`, `\q`).Replace(list[1:len(list)-1]) + `,"`
	return `replace(` + tags + `, ` + a.add(wanted) + `, '') <> ` + tags
}

// favoritesFirst puts what the condition holds for before all else, and notes for which it does.
func favoritesFirst(l List[*domain.PipelineView], favorite condition) List[*domain.PipelineView] {
	rows := l.Rows
	l.Rows.columns = func(a *arguments, sight Sight) string { return rows.columns(a, sight) + `, ` + favorite(a) }
	l.Rows.scan = func(r *db.Row) *domain.PipelineView {
		p := rows.scan(r)
		isFavorite := r.Bool()
		p.Favorite = &isFavorite
		return p
	}
	first := Key{column: func(a *arguments) string { return `CASE WHEN ` + favorite(a) + ` THEN 0 ELSE 1 END` }, Number: true}
	l.keys = append([]Key{first}, l.keys...)
	return l
}

// AuditEventsOf lists the audit events of organizations, the newest first.
func AuditEventsOf(filter domain.AuditListFilter) List[*domain.AuditEvent] {
	l := List[*domain.AuditEvent]{Rows: AuditEventRows, parent: `organization_id`, parents: `organizations`, keys: []Key{text(`id`)}, descending: true}
	among(&l, `type`, filter.Types)
	among(&l, `actor_type`, filter.ActorTypes)
	among(&l, `actor_id`, filter.Actors)
	among(&l, `subject_type`, filter.SubjectTypes)
	among(&l, `subject_id`, filter.Subjects)
	when(&l, filter.From, func(a *arguments, at time.Time) string {
		return `id >= ` + a.add(domain.FirstIDAt[domain.AuditEventID](at))
	})
	when(&l, filter.To, func(a *arguments, at time.Time) string {
		return `id < ` + a.add(domain.FirstIDAt[domain.AuditEventID](at))
	})
	return l
}

// TokensOf lists the live API access tokens that reach organizations, the oldest first unless the filter says otherwise.
func TokensOf(filter domain.TokenFilter, now time.Time) List[*domain.OrganizationToken] {
	l := List[*domain.OrganizationToken]{Rows: organizationTokenRows, parent: `g.organization_id`, parents: `organizations`, keys: []Key{number(`t.created_at`), text(`t.id`)},
		descending: filter.NewestFirst}
	l.add(func(a *arguments) string {
		at := a.add(db.Micros(now))
		return `t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ` + at + `) AND NOT ` + strings.ReplaceAll(unusedTooLong, "$2", at)
	})
	when(&l, filter.User, func(a *arguments, id domain.UserID) string { return `t.user_id = ` + a.add(id) })
	if filter.Search != "" {
		l.add(func(a *arguments) string {
			return `(` + like(a, `lower(t.description)`, domain.LowerASCII(filter.Search)) + `
				OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND ` + like(a, `f.name_key`, domain.SortKey(filter.Search)) + `))`
		})
	}
	return l
}

// PortalsOf lists the portals of organizations whose names have a text in them, in any case.
func PortalsOf(search, order string) List[*domain.PortalView] {
	l := ordered(List[*domain.PortalView]{Rows: portalRows, parent: `po.organization_id`, parents: `organizations`}, order, `po.name_key`, `po.created_at`)
	l.search(`po.name_key`, search)
	return l
}

func (l *List[T]) add(c condition) { l.conditions = append(l.conditions, c) }

// when keeps what the condition holds for that a filter's value makes; all, if there is none.
func when[T, V any](l *List[T], value *V, holds func(*arguments, V) string) {
	if value != nil {
		l.add(func(a *arguments) string { return holds(a, *value) })
	}
}

// among keeps what has one of the values in a column; all, if the values are nil.
func among[T any, V ~string](l *List[T], column string, values []V) {
	if values != nil {
		l.add(func(a *arguments) string { return in(a, column, values) })
	}
}

// search keeps what has the text in its name, in any case.
func (l *List[T]) search(nameKey, text string) {
	if text != "" {
		l.add(func(a *arguments) string {
			return like(a, nameKey, domain.SortKey(text))
		})
	}
}
