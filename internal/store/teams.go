package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

// TeamIDBySlug returns the id of a team of the organization with that slug.
func (tx Tx) TeamIDBySlug(organization, slug string) (domain.TeamID, bool, error) {
	return one(tx, scanID[domain.TeamID], `SELECT t.id FROM teams t JOIN organizations o ON o.id = t.organization_id
		WHERE o.slug = $1 AND t.slug = $2`, organization, slug)
}

// InsertTeam stores a new team. It returns an Invalid error if its slug is taken.
func (tx Tx) InsertTeam(t domain.Team, by domain.UserID) error {
	err := tx.exec(`INSERT INTO teams (id, organization_id, slug, name, name_key, description, privacy, is_default_team,
			default_member_role, members_can_create_pipelines, created_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		t.ID, t.OrganizationID, t.Slug, t.Name, domain.SortKey(t.Name), t.Description, t.Privacy, t.IsDefaultTeam,
		t.DefaultMemberRole, t.MembersCanCreatePipelines, db.Micros(t.CreatedAt), nullUser(by))
	return taken(err, "slug", domain.SlugTaken)
}

// IsTeamMember reports whether a user belongs to a team.
func (tx Tx) IsTeamMember(team domain.TeamID, user domain.UserID) (bool, error) {
	return tx.has(`SELECT 1 FROM team_members WHERE team_id = $1 AND user_id = $2`, team, user)
}

// InsertTeamMember adds a member of the organization to one of its teams. It returns an Invalid error if they
// belong to it already.
func (tx Tx) InsertTeamMember(m domain.TeamMember, by domain.UserID) error {
	err := tx.exec(`INSERT INTO team_members (id, team_id, organization_id, user_id, role, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		m.ID, m.TeamID, m.OrganizationID, m.UserID, m.Role, db.Micros(m.CreatedAt), nullUser(by))
	return taken(err, "user", "User is already a member of the team")
}
