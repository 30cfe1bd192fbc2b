package store

import (
	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	teamColumns = `te.id, te.organization_id, te.slug, te.name, te.description, te.privacy, te.is_default_team, te.default_member_role,
		te.members_can_create_pipelines, te.members_can_delete_pipelines, te.created_at`

	// teamListed holds for the teams of the organization $1 that the caller $2 may see, all of them if $3; only those of the
	// user $4, unless that is "".
	teamListed = `te.organization_id = $1
		AND ($3 OR te.privacy = 'visible' OR EXISTS (SELECT 1 FROM team_members v WHERE v.team_id = te.id AND v.user_id = $2))
		AND ($4 = '' OR EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = te.id AND f.user_id = $4))`
)

func scanTeam(r *db.Row) domain.Team {
	return domain.Team{
		ID:                        domain.TeamID(r.Text()),
		OrganizationID:            domain.OrganizationID(r.Text()),
		Slug:                      r.Text(),
		Name:                      r.Text(),
		Description:               r.NullText(),
		Privacy:                   domain.TeamPrivacy(r.Text()),
		IsDefaultTeam:             r.Bool(),
		DefaultMemberRole:         domain.TeamRole(r.Text()),
		MembersCanCreatePipelines: r.Bool(),
		MembersCanDeletePipelines: r.Bool(),
		CreatedAt:                 r.Time(),
	}
}

// InTeam is what a request about a team depends on.
type InTeam struct {
	authz.Identity
	Facts authz.Facts
	Team  domain.TeamView // zero when the organization has no such team
}

var selectInTeam = perCredential(func(identity identitySQL) string {
	return `SELECT ` + identity.columns + `, tm.role, ` + teamColumns + `, ` + creatorColumns + `
		FROM ` + identity.tables + `
		LEFT JOIN teams te ON te.id = $3 AND te.organization_id = o.id
		LEFT JOIN team_members tm ON tm.team_id = te.id AND tm.user_id = t.user_id
		LEFT JOIN users cb ON cb.id = te.created_by
		WHERE t.hash = $1`
})

// InTeam returns the identity that a credential proves together with a team of its organization.
func (tx Tx) InTeam(c authz.Credential, organization string, id domain.TeamID) (InTeam, bool, error) {
	return one(tx, func(r *db.Row) InTeam {
		in := InTeam{Identity: scanIdentity(r, c)}
		in.Facts.TeamRole = domain.TeamRole(r.Text())
		in.Team = domain.TeamView{Team: scanTeam(r), CreatedBy: scanNullUser(r), OrganizationSlug: in.Organization.Slug}
		in.Facts.TeamPrivacy = in.Team.Privacy
		return in
	}, selectInTeam[c.Kind], c.Hash, organization, id)
}

// Teams returns a page of the teams of an organization that the caller may see, by name: of all of them, or those that
// a user belongs to.
func (tx Tx) Teams(caller *authz.Identity, of domain.UserID, page domain.Page) (domain.Paged[domain.TeamView], error) {
	organization := caller.Organization
	return paged(tx, func(r *db.Row) domain.TeamView {
		return domain.TeamView{Team: scanTeam(r), CreatedBy: scanNullUser(r), OrganizationSlug: organization.Slug}
	}, listing{
		columns: teamColumns + `, ` + creatorColumns, tables: `teams te`, joins: `LEFT JOIN users cb ON cb.id = te.created_by`,
		where: teamListed, order: `te.name_key, te.id`,
	}, page, organization.ID, caller.User.ID, caller.Admin(), of)
}

// TeamIDBySlug returns the id of a team of the organization with that slug.
func (tx Tx) TeamIDBySlug(organization, slug string) (domain.TeamID, bool, error) {
	return one(tx, scanID[domain.TeamID], `SELECT te.id FROM teams te JOIN organizations o ON o.id = te.organization_id
		WHERE o.slug = $1 AND te.slug = $2`, organization, slug)
}

// InsertTeam stores a new team. It returns an Invalid error if its slug is taken.
func (tx Tx) InsertTeam(t domain.Team, by domain.UserID) error {
	tx.locks.made(teamLock, string(t.ID))
	err := tx.exec(`INSERT INTO teams (id, organization_id, slug, name, name_key, description, privacy, is_default_team,
			default_member_role, members_can_create_pipelines, members_can_delete_pipelines, created_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		t.ID, t.OrganizationID, t.Slug, t.Name, domain.SortKey(t.Name), t.Description, t.Privacy, t.IsDefaultTeam,
		t.DefaultMemberRole, t.MembersCanCreatePipelines, t.MembersCanDeletePipelines, db.Micros(t.CreatedAt), nullUser(by))
	return taken(err, "name", domain.TeamSlugTaken(t.Slug))
}

// UpdateTeam stores the team's changed state. It returns an Invalid error if its new slug is taken.
func (tx Tx) UpdateTeam(t domain.Team) error {
	err := tx.exec(`UPDATE teams SET slug = $2, name = $3, name_key = $4, description = $5, privacy = $6, is_default_team = $7,
			default_member_role = $8, members_can_create_pipelines = $9, members_can_delete_pipelines = $10
		WHERE id = $1`, t.ID, t.Slug, t.Name, domain.SortKey(t.Name), t.Description, t.Privacy, t.IsDefaultTeam,
		t.DefaultMemberRole, t.MembersCanCreatePipelines, t.MembersCanDeletePipelines)
	return taken(err, "name", domain.TeamSlugTaken(t.Slug))
}

// DeleteTeam deletes a team. Its members lose what they had through it.
func (tx Tx) DeleteTeam(id domain.TeamID) error {
	return tx.exec(`DELETE FROM teams WHERE id = $1`, id)
}
