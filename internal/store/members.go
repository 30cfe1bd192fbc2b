package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	members = tableOf("organization_members", "m", func(c *columns, m *domain.Member) {
		mapText(c, "id", &m.ID)
		mapText(c, "organization_id", &m.OrganizationID)
		mapText(c, "user_id", &m.UserID)
		mapTime(c, "created_at", &m.CreatedAt)
		c.changing()
		mapText(c, "role", &m.Role)
		mapText(c, "sso_mode", &m.SSOMode)
		c.readOnly()
		mapNullText(c, "last_seen_on", &m.LastSeenOn)
	})

	memberView = selecting(func(c *columns, v *domain.MemberView) {
		members.visit(c, &v.Member)
		mapText(c, "o.slug", &v.OrganizationSlug)
		users.visit(c, &v.User)
		mapBool(c, "u.disabled_at IS NOT NULL", &v.Disabled)
		mapOptionalUser(c, "cb", &v.CreatedBy)
	})

	// MemberRows are the members of organizations.
	MemberRows = Rows[*domain.MemberView]{
		items: pointersTo(memberView), tables: memberTables, joins: memberJoins, counted: `organization_members m`,
		id:           textKey(`m.id`, func(m *domain.MemberView) string { return string(m.ID) }),
		organization: `m.organization_id`,
	}
)

const (
	memberTables = `organization_members m JOIN users u ON u.id = m.user_id`
	memberJoins  = `JOIN organizations o ON o.id = m.organization_id LEFT JOIN users cb ON cb.id = m.created_by`
)

// MembersOf lists the members of organizations. What is asked about teams is answered for those that the viewer sees.
func MembersOf(filter domain.MemberFilter, order domain.Order, viewer Viewer) List[*domain.MemberView] {
	l := newList(MemberRows, "members", `m.organization_id`, `organizations`, order, filter)
	l.sort(order,
		textKey(`u.name_key`, func(m *domain.MemberView) string { return domain.SortKey(m.User.Name) }),
		timeKey(`m.created_at`, func(m *domain.MemberView) time.Time { return m.CreatedAt }))
	if filter.Search != "" {
		part := domain.SortKey(filter.Search)
		l.where(clauseOf(`(? OR ?)`, contains(`u.name_key`, part), contains(`u.email_key`, part)))
	}
	whereIf(&l, filter.Email, func(email string) clause { return equals(`u.email_key`, domain.EmailKey(email)) })
	whereOneOf(&l, `m.role`, filter.Roles)
	whereIf(&l, filter.Team, func(id domain.TeamID) clause {
		return clauseOf(`EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = ?
			AND f.organization_id = m.organization_id AND f.user_id = m.user_id)`, id)
	})
	whereIf(&l, filter.TeamSlug, func(slug string) clause {
		return clauseOf(`EXISTS (SELECT 1 FROM team_members f JOIN teams te ON te.id = f.team_id
			WHERE f.organization_id = m.organization_id AND f.user_id = m.user_id AND ?
			AND ?)`, equals(`te.slug`, slug), visibleTeams(viewer))
	})
	whereIf(&l, filter.NotTeam, func(id domain.TeamID) clause {
		return clauseOf(`NOT EXISTS (SELECT 1 FROM team_members f WHERE f.team_id = ? AND f.user_id = m.user_id)`, id)
	})
	whereIf(&l, filter.InactiveSince, func(since time.Time) clause {
		return clauseOf(`COALESCE(m.last_seen_on, '') < ?`, since.UTC().Format(domain.DateLayout))
	})
	return l
}

// Member returns a user's membership of an organization.
func (tx Tx) Member(organization domain.OrganizationID, user domain.UserID) (domain.MemberView, bool, error) {
	return selectOne(tx, memberView.read, `SELECT `+memberView.columns+` FROM `+memberTables+` `+memberJoins+`
		WHERE m.organization_id = $1 AND m.user_id = $2`, organization, user)
}

// MemberByID returns a membership of an organization.
func (tx Tx) MemberByID(organization domain.OrganizationID, id domain.MemberID) (domain.MemberView, bool, error) {
	return selectOne(tx, memberView.read, `SELECT `+memberView.columns+` FROM `+memberTables+` `+memberJoins+`
		WHERE m.organization_id = $1 AND m.id = $2`, organization, id)
}

// MemberIDs returns the memberships of some users in some organizations.
func (tx Tx) MemberIDs(organizations []domain.OrganizationID, users []domain.UserID) (
	map[domain.MembershipKey]domain.MemberID, error) {
	ids := map[domain.MembershipKey]domain.MemberID{}
	err := eachChunk(organizations, func(someOrganizations []domain.OrganizationID) error {
		return eachChunk(users, func(someUsers []domain.UserID) error {
			statement := clauseOf(`SELECT organization_id, user_id, id FROM organization_members WHERE ? AND ?`,
				oneOf(`organization_id`, someOrganizations), oneOf(`user_id`, someUsers))
			return tx.run(statement, func(r *db.Row) error {
				key := domain.MembershipKey{Organization: domain.OrganizationID(r.Text()), User: domain.UserID(r.Text())}
				ids[key] = domain.MemberID(r.Text())
				return nil
			})
		})
	})
	return ids, err
}

// MemberWithEmail returns who of the members of some organizations has an email address.
func (tx Tx) MemberWithEmail(organizations []domain.OrganizationID, email string) (id domain.UserID, err error) {
	err = eachChunk(organizations, func(some []domain.OrganizationID) error {
		statement := clauseOf(
			`SELECT u.id FROM users u WHERE ? AND EXISTS (SELECT 1 FROM organization_members m WHERE m.user_id = u.id AND ?)`,
			equals(`u.email_key`, domain.EmailKey(email)), oneOf(`m.organization_id`, some))
		return tx.run(statement, func(r *db.Row) error {
			id = domain.UserID(r.Text())
			return nil
		})
	})
	return id, err
}

// HasOtherAdministrator reports whether an organization has an administrator besides a user, who is not disabled.
func (tx Tx) HasOtherAdministrator(organization domain.OrganizationID, user domain.UserID) (bool, error) {
	return tx.has(`SELECT 1 FROM organization_members m JOIN users u ON u.id = m.user_id
		WHERE m.organization_id = $1 AND m.role = 'admin' AND m.user_id <> $2 AND u.disabled_at IS NULL
		LIMIT 1`, organization, user)
}

// AdministeredBy returns the organizations that a user administers, by id.
func (tx Tx) AdministeredBy(user domain.UserID) ([]domain.Organization, error) {
	return selectAll(tx, organizations.read, `SELECT `+organizations.columns+` FROM organizations o
		JOIN organization_members m ON m.organization_id = o.id WHERE m.user_id = $1 AND m.role = 'admin'
		ORDER BY o.id`, user)
}

// UpdateMember stores the membership's changed state.
func (tx Tx) UpdateMember(m domain.Member) error { return members.update(tx.exec, m) }

// DeleteMember ends a membership. With it go the user's team memberships and maintainer grants in the organization,
// what their tokens were granted there, and with what they run its portals.
func (tx Tx) DeleteMember(id domain.MemberID) error {
	for _, table := range []string{`portal_tokens`, `portal_token_codes`} {
		err := tx.exec(`DELETE FROM `+table+` WHERE user_id = (SELECT user_id FROM organization_members WHERE id = $1)
			AND portal_id IN (SELECT po.id FROM organization_members m JOIN portals po ON po.organization_id = m.organization_id
			WHERE m.id = $1)`, id)
		if err != nil {
			return err
		}
	}
	return tx.exec(`DELETE FROM organization_members WHERE id = $1`, id)
}

// MemberByEmail returns the user with that email address if they are a member of the organization with that slug.
func (tx Tx) MemberByEmail(organization, email string) (domain.User, bool, error) {
	return selectOne(tx, users.read, `SELECT `+users.columns+` FROM users u
		JOIN organization_members m ON m.user_id = u.id
		JOIN organizations o ON o.id = m.organization_id
		WHERE o.slug = $1 AND u.email_key = $2`, organization, domain.EmailKey(email))
}

// IsMember reports whether a user is a member of an organization.
func (tx Tx) IsMember(organization domain.OrganizationID, user domain.UserID) (bool, error) {
	return tx.has(`SELECT 1 FROM organization_members WHERE organization_id = $1 AND user_id = $2`, organization, user)
}

// InsertMember makes a user, known to the caller by email, a member of an organization and of its default teams, which
// it returns; an empty by is nobody. It returns an Invalid error if they are a member already.
func (tx Tx) InsertMember(m domain.Member, email string, by domain.UserID) (joined []domain.TeamID, err error) {
	if err := members.insert(tx.exec, m, setUser("created_by", by)); err != nil {
		return nil, taken(err, "user", domain.AlreadyAMember(email))
	}
	defaults, err := tx.LockDefaultTeams(m.OrganizationID)
	if err != nil {
		return nil, err
	}
	return tx.joinTeams(m, defaults, by)
}

// InsertInvitedMember is InsertMember for teams that the transaction has locked: those of an invitation, with the roles
// in them, and default ones.
func (tx Tx) InsertInvitedMember(m domain.Member, email string, locked []domain.Team, by domain.UserID) (
	joined []domain.TeamID, err error) {
	if err := members.insert(tx.exec, m, setUser("created_by", by)); err != nil {
		return nil, taken(err, "user", domain.AlreadyAMember(email))
	}
	return tx.joinTeams(m, locked, by)
}

func (tx Tx) joinTeams(m domain.Member, locked []domain.Team, by domain.UserID) (joined []domain.TeamID, err error) {
	for _, team := range locked {
		if err := tx.InsertTeamMember(team.NewMember(m.UserID, m.CreatedAt), by); err != nil {
			return nil, err
		}
		joined = append(joined, team.ID)
	}
	return joined, nil
}
