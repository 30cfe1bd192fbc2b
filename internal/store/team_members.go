package store

import (
	"time"

	"penstock/internal/domain"
)

var (
	teamMembers = tableOf("team_members", "tm", func(c *columns, m *domain.TeamMember) {
		mapText(c, "id", &m.ID)
		mapText(c, "team_id", &m.TeamID)
		mapText(c, "organization_id", &m.OrganizationID)
		mapText(c, "user_id", &m.UserID)
		mapTime(c, "created_at", &m.CreatedAt)
		c.changing()
		mapText(c, "role", &m.Role)
	})

	teamMemberView = selecting(func(c *columns, v *domain.TeamMemberView) {
		teamMembers.visit(c, &v.TeamMember)
		mapText(c, "te.name", &v.TeamName)
		mapText(c, "o.slug", &v.OrganizationSlug)
		users.visit(c, &v.User)
		mapOptionalUser(c, "cb", &v.CreatedBy)
	})

	// TeamMemberRows are the members of teams.
	TeamMemberRows = Rows[*domain.TeamMemberView]{
		items: pointersTo(teamMemberView), tables: teamMemberTables, joins: teamMemberJoins,
		id:           textKey(`tm.id`, func(m *domain.TeamMemberView) string { return string(m.ID) }),
		organization: `tm.organization_id`, visible: visibleTeams,
	}
)

const (
	teamMemberTables = `team_members tm JOIN users u ON u.id = tm.user_id JOIN teams te ON te.id = tm.team_id`
	teamMemberJoins  = `JOIN organizations o ON o.id = tm.organization_id LEFT JOIN users cb ON cb.id = tm.created_by`
)

var joinedTeam = timeKey(`tm.created_at`, func(m *domain.TeamMemberView) time.Time { return m.CreatedAt })

// TeamMembersOf lists the members of teams.
func TeamMembersOf(roles []domain.TeamRole, search string, order domain.Order) List[*domain.TeamMemberView] {
	l := newList(TeamMemberRows, "team members", `tm.team_id`, `teams`, order, search, roles)
	l.sort(order, textKey(`u.name_key`, func(m *domain.TeamMemberView) string { return domain.SortKey(m.User.Name) }),
		joinedTeam)
	l.whereNamed(`u.name_key`, search)
	whereOneOf(&l, `tm.role`, roles)
	return l
}

// TeamsOfMembers lists the teams that members of organizations belong to.
func TeamsOfMembers(order domain.Order) List[*domain.TeamMemberView] {
	l := newList(TeamMemberRows, "teams of a member", `m.id`, `organization_members`, order)
	l.rows.tables += ` JOIN organization_members m ON m.organization_id = tm.organization_id AND m.user_id = tm.user_id`
	l.sort(order, textKey(`te.name_key`, func(m *domain.TeamMemberView) string { return domain.SortKey(m.TeamName) }),
		joinedTeam)
	return l
}

// TeamMember returns a user's membership of a team.
func (tx Tx) TeamMember(team domain.TeamID, user domain.UserID) (domain.TeamMemberView, bool, error) {
	return selectOne(tx, teamMemberView.read,
		`SELECT `+teamMemberView.columns+` FROM `+teamMemberTables+` `+teamMemberJoins+`
		WHERE tm.team_id = $1 AND tm.user_id = $2`, team, user)
}

// TeamMemberByID returns a membership of a team.
func (tx Tx) TeamMemberByID(team domain.TeamID, id domain.TeamMemberID) (domain.TeamMemberView, bool, error) {
	return selectOne(tx, teamMemberView.read,
		`SELECT `+teamMemberView.columns+` FROM `+teamMemberTables+` `+teamMemberJoins+`
		WHERE tm.team_id = $1 AND tm.id = $2`, team, id)
}

// IsTeamMember reports whether a user belongs to a team.
func (tx Tx) IsTeamMember(team domain.TeamID, user domain.UserID) (bool, error) {
	return tx.has(`SELECT 1 FROM team_members WHERE team_id = $1 AND user_id = $2`, team, user)
}

// InsertTeamMember adds a user to a team, which the transaction has locked. It returns an Invalid error if they are no
// member of the organization, or belong to the team already.
func (tx Tx) InsertTeamMember(m domain.TeamMember, by domain.UserID) error {
	const field = "user_id"
	err := teamMembers.insert(tx.exec, m, setUser("created_by", by))
	return dangling(taken(err, field, domain.RepeatedTeamMember), field, domain.NoSuchTeamMember)
}

// UpdateTeamMember stores the membership's changed state.
func (tx Tx) UpdateTeamMember(m domain.TeamMember) error { return teamMembers.update(tx.exec, m) }

// DeleteTeamMember takes a member out of a team.
func (tx Tx) DeleteTeamMember(id domain.TeamMemberID) error {
	return tx.exec(`DELETE FROM team_members WHERE id = $1`, id)
}
