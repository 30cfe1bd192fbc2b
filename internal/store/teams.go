package store

import (
	"cmp"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	teams = tableOf("teams", "te", func(c *columns, t *domain.Team) {
		mapText(c, "id", &t.ID)
		mapText(c, "organization_id", &t.OrganizationID)
		mapTime(c, "created_at", &t.CreatedAt)
		c.changing()
		mapText(c, "slug", &t.Slug)
		mapText(c, "name", &t.Name)
		c.writeKey("name_key", domain.SortKey, t.Name)
		mapNullText(c, "description", &t.Description)
		mapText(c, "privacy", &t.Privacy)
		mapBool(c, "is_default_team", &t.IsDefaultTeam)
		mapText(c, "default_member_role", &t.DefaultMemberRole)
		mapBool(c, "members_can_create_pipelines", &t.MembersCanCreatePipelines)
		mapBool(c, "members_can_delete_pipelines", &t.MembersCanDeletePipelines)
		mapBool(c, "members_can_create_suites", &t.MembersCanCreateSuites)
		mapBool(c, "members_can_create_registries", &t.MembersCanCreateRegistries)
		mapBool(c, "members_can_destroy_registries", &t.MembersCanDestroyRegistries)
		mapBool(c, "members_can_destroy_packages", &t.MembersCanDestroyPackages)
	})

	teamView = selecting(func(c *columns, v *domain.TeamView) {
		teams.visit(c, &v.Team)
		mapOptionalUser(c, "cb", &v.CreatedBy)
		mapText(c, "o.slug", &v.OrganizationSlug)
	})

	// TeamRows are the teams of organizations.
	TeamRows = Rows[*domain.TeamView]{
		items: pointersTo(teamView), tables: `teams te`,
		joins:        `JOIN organizations o ON o.id = te.organization_id LEFT JOIN users cb ON cb.id = te.created_by`,
		id:           textKey(`te.id`, func(t *domain.TeamView) string { return string(t.ID) }),
		organization: `te.organization_id`, visible: visibleTeams,
	}
)

// visibleTeams is the condition under which a team te is seen: a secret one by its members and administrators.
func visibleTeams(v Viewer) clause {
	return clauseOf(
		`(te.privacy = 'visible' OR ? OR EXISTS (SELECT 1 FROM team_members k WHERE k.team_id = te.id AND k.user_id = ?))`,
		v.administers(`te.organization_id`), v.User)
}

// TeamsOf lists the teams of organizations.
func TeamsOf(filter domain.TeamFilter, order domain.Order) List[*domain.TeamView] {
	l := newList(TeamRows, "teams", `te.organization_id`, `organizations`, order, filter)
	l.sort(order,
		textKey(`te.name_key`, func(t *domain.TeamView) string { return domain.SortKey(t.Name) }),
		timeKey(`te.created_at`, func(t *domain.TeamView) time.Time { return t.CreatedAt }))
	l.whereNamed(`te.name_key`, filter.Search)
	whereOneOf(&l, `te.privacy`, filter.Privacy)
	whereIf(&l, filter.User, func(id domain.UserID) clause {
		return clauseOf(`EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = te.id AND f.user_id = ?)`, id)
	})
	whereIf(&l, filter.Pipeline, func(id domain.PipelineID) clause {
		return clauseOf(`EXISTS (SELECT 1 FROM team_pipelines f WHERE f.team_id = te.id AND f.pipeline_id = ?)`, id)
	})
	whereIf(&l, filter.PipelineSlug, func(slug string) clause {
		return clauseOf(
			`EXISTS (SELECT 1 FROM team_pipelines f JOIN pipelines p ON p.id = f.pipeline_id WHERE f.team_id = te.id AND ?)`,
			equals(`p.slug`, slug))
	})
	whereIf(&l, filter.NotPipeline, func(id domain.PipelineID) clause {
		return clauseOf(`NOT EXISTS (SELECT 1 FROM team_pipelines f WHERE f.team_id = te.id AND f.pipeline_id = ?)`, id)
	})
	return l
}

// InTeam is what a request about a team depends on.
type InTeam struct {
	authz.Identity
	Facts authz.Facts
	Team  domain.TeamView // zero when the organization has no such team
}

// selectInTeam finds the team by its id, or by that of a thing of the kind, which belongs to it.
var selectInTeam = map[domain.ThingKind]*request[InTeam]{
	"":                       inTeam(`$3`),
	domain.TeamMemberThing:   inTeam(`(SELECT team_id FROM team_members WHERE id = $3)`),
	domain.TeamPipelineThing: inTeam(`(SELECT team_id FROM team_pipelines WHERE id = $3)`),
}

func inTeam(id string) *request[InTeam] {
	return requestFor(func(in *InTeam) *authz.Identity { return &in.Identity }, func(c *columns, in *InTeam) {
		mapText(c, "tm.role", &in.Facts.TeamRole)
		teamView.read(c, &in.Team)
	}, `LEFT JOIN teams te ON te.id = `+id+` AND te.organization_id = o.id
	LEFT JOIN team_members tm ON tm.team_id = te.id AND tm.user_id = `+callingUser+`
	LEFT JOIN users cb ON cb.id = te.created_by`)
}

// InTeam returns the identity that a credential proves together with a team of its organization.
func (tx Tx) InTeam(c authz.Credential, ref domain.TeamRef) (InTeam, bool, error) {
	in, found, err := selectInTeam[ref.Of.Kind].run(tx, c, ref.Organization, cmp.Or(ref.Of.ID, ref.ID))
	in.Facts.TeamPrivacy = in.Team.Privacy
	return in, found, err
}

// TeamIDBySlug returns the id of a team of the organization with that slug.
func (tx Tx) TeamIDBySlug(organization, slug string) (domain.TeamID, bool, error) {
	return one(tx, scanID[domain.TeamID], `SELECT te.id FROM teams te JOIN organizations o ON o.id = te.organization_id
		WHERE o.slug = $1 AND te.slug = $2`, organization, slug)
}

// TeamRoles returns what a user is in those of the teams that they belong to.
func (tx Tx) TeamRoles(user domain.UserID, ids []domain.TeamID) (map[domain.TeamID]domain.TeamRole, error) {
	roles := map[domain.TeamID]domain.TeamRole{}
	err := eachChunk(ids, func(some []domain.TeamID) error {
		return tx.run(clauseOf(`SELECT team_id, role FROM team_members WHERE user_id = ? AND ?`, user,
			oneOf(`team_id`, some)), func(r *db.Row) error {
			roles[domain.TeamID(r.Text())] = domain.TeamRole(r.Text())
			return nil
		})
	})
	return roles, err
}

// InsertTeam stores a new team. It returns an Invalid error if its slug is taken.
func (tx Tx) InsertTeam(t domain.Team, by domain.UserID) error {
	tx.locks.made(teamLock, string(t.ID))
	return taken(teams.insert(tx.exec, t, setUser("created_by", by)), "name", domain.TeamSlugTaken(t.Slug))
}

// UpdateTeam stores the team's changed state. It returns an Invalid error if its new slug is taken.
func (tx Tx) UpdateTeam(t domain.Team) error {
	return taken(teams.update(tx.exec, t), "name", domain.TeamSlugTaken(t.Slug))
}

// DeleteTeam deletes a team. Its members lose what they had through it.
func (tx Tx) DeleteTeam(id domain.TeamID) error {
	return tx.exec(`DELETE FROM teams WHERE id = $1`, id)
}
