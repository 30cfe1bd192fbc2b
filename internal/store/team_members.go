package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	teamMemberColumns = `tm.id, tm.team_id, tm.organization_id, tm.user_id, tm.role, tm.created_at, o.slug, ` + userColumns + `, ` + creatorColumns
	teamMemberJoins   = `JOIN organizations o ON o.id = tm.organization_id JOIN users u ON u.id = tm.user_id LEFT JOIN users cb ON cb.id = tm.created_by`
)

func scanTeamMember(r *db.Row) domain.TeamMemberView {
	return domain.TeamMemberView{
		TeamMember: domain.TeamMember{
			ID:             domain.TeamMemberID(r.Text()),
			TeamID:         domain.TeamID(r.Text()),
			OrganizationID: domain.OrganizationID(r.Text()),
			UserID:         domain.UserID(r.Text()),
			Role:           domain.TeamRole(r.Text()),
			CreatedAt:      r.Time(),
		},
		OrganizationSlug: r.Text(),
		User:             scanUser(r),
		CreatedBy:        scanNullUser(r),
	}
}

// TeamMembers returns a page of a team's members, by name.
func (tx Tx) TeamMembers(team domain.TeamID, page domain.Page) (domain.Paged[domain.TeamMemberView], error) {
	return paged(tx, scanTeamMember, listing{
		columns: teamMemberColumns, tables: `team_members tm`, joins: teamMemberJoins, where: `tm.team_id = $1`, order: `u.name_key, u.id`,
	}, page, team)
}

// TeamMember returns a user's membership of a team.
func (tx Tx) TeamMember(team domain.TeamID, user domain.UserID) (domain.TeamMemberView, bool, error) {
	return one(tx, scanTeamMember, `SELECT `+teamMemberColumns+` FROM team_members tm `+teamMemberJoins+`
		WHERE tm.team_id = $1 AND tm.user_id = $2`, team, user)
}

// IsTeamMember reports whether a user belongs to a team.
func (tx Tx) IsTeamMember(team domain.TeamID, user domain.UserID) (bool, error) {
	return tx.has(`SELECT 1 FROM team_members WHERE team_id = $1 AND user_id = $2`, team, user)
}

// InsertTeamMember adds a user to a team, which the transaction has locked. It returns an Invalid error if they are no member of the
// organization, or belong to the team already.
func (tx Tx) InsertTeamMember(m domain.TeamMember, by domain.UserID) error {
	const field = "user_id"
	err := tx.exec(`INSERT INTO team_members (id, team_id, organization_id, user_id, role, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		m.ID, m.TeamID, m.OrganizationID, m.UserID, m.Role, db.Micros(m.CreatedAt), nullUser(by))
	return dangling(taken(err, field, domain.RepeatedTeamMember), field, domain.NoSuchTeamMember)
}

// UpdateTeamMember stores the membership's changed state.
func (tx Tx) UpdateTeamMember(m domain.TeamMember) error {
	return tx.exec(`UPDATE team_members SET role = $2 WHERE id = $1`, m.ID, m.Role)
}

// DeleteTeamMember takes a member out of a team.
func (tx Tx) DeleteTeamMember(id domain.TeamMemberID) error {
	return tx.exec(`DELETE FROM team_members WHERE id = $1`, id)
}
