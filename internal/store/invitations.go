package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	invitations = tableOf("invitations", "i", func(c *columns, i *domain.Invitation) {
		mapText(c, "id", &i.ID)
		mapText(c, "organization_id", &i.OrganizationID)
		mapText(c, "email", &i.Email)
		c.writeKey("email_key", domain.EmailKey, i.Email)
		mapText(c, "role", &i.Role)
		mapText(c, "sso_mode", &i.SSOMode)
		mapTime(c, "created_at", &i.CreatedAt)
		c.changing()
		mapTime(c, "expires_at", &i.ExpiresAt)
		mapNullTime(c, "accepted_at", &i.AcceptedAt)
		mapNullTime(c, "revoked_at", &i.RevokedAt)
	})

	invitationView = selecting(func(c *columns, v *domain.InvitationView) {
		invitations.visit(c, &v.Invitation)
		mapText(c, "o.slug", &v.OrganizationSlug)
		mapOptionalUser(c, "cb", &v.CreatedBy)
		mapOptionalUser(c, "acb", &v.AcceptedBy)
		mapOptionalUser(c, "rb", &v.RevokedBy)
		mapNullText(c, "im.error", &v.MailError)
		mapNullTime(c, "im.next_at", &v.MailDueAt)
	})

	invitationTeams = tableOf("invitation_teams", "it", func(c *columns, t *domain.InvitationTeam) {
		mapText(c, "id", &t.ID)
		mapText(c, "invitation_id", &t.InvitationID)
		mapText(c, "team_id", &t.TeamID)
		mapText(c, "role", &t.Role)
	})

	invitationTeamView = selecting(func(c *columns, t *domain.InvitationTeam) {
		invitationTeams.visit(c, t)
		mapText(c, "te.slug", &t.TeamSlug)
	})
)

const invitationJoins = `JOIN organizations o ON o.id = i.organization_id LEFT JOIN users cb ON cb.id = i.created_by
	LEFT JOIN users acb ON acb.id = i.accepted_by LEFT JOIN users rb ON rb.id = i.revoked_by
	LEFT JOIN invitation_mails im ON im.invitation_id = i.id`

// InvitationRows are the invitations of organizations, in their states at a time by the database's clock.
func InvitationRows(now time.Time) Rows[*domain.InvitationView] {
	read := func(c *columns) *domain.InvitationView {
		v := new(domain.InvitationView)
		invitationView.read(c, v)
		v.State = v.Invitation.State(now)
		return v
	}
	return Rows[*domain.InvitationView]{
		items: items[*domain.InvitationView]{invitationView.columns, read}, tables: `invitations i`, joins: invitationJoins,
		id:           textKey(`i.id`, func(v *domain.InvitationView) string { return string(v.ID) }),
		organization: `i.organization_id`,
		visible:      func(v Viewer) clause { return v.administers(`i.organization_id`) },
	}
}

// InvitationsOf lists the invitations of organizations, the newest first, or by email address.
func InvitationsOf(filter domain.InvitationFilter, order domain.Order, now time.Time) List[*domain.InvitationView] {
	l := newList(InvitationRows(now), "invitations", `i.organization_id`, `organizations`, order, filter)
	l.sort(order,
		textKey(`i.email_key`, func(v *domain.InvitationView) string { return domain.EmailKey(v.Email) }),
		timeKey(`i.created_at`, func(v *domain.InvitationView) time.Time { return v.CreatedAt }))
	if filter.States != nil {
		chosen := noRows
		for _, state := range filter.States {
			chosen = clauseOf(`(? OR ?)`, chosen, invitationIs(state, now))
		}
		l.where(chosen)
	}
	return l
}

// invitationIs is the condition that an invitation i is in a state at a time. The rule is domain.Invitation.State.
func invitationIs(state domain.InvitationState, now time.Time) clause {
	switch state {
	case domain.InvitationAccepted:
		return clauseOf(`i.accepted_at IS NOT NULL`)
	case domain.InvitationRevoked:
		return clauseOf(`(i.accepted_at IS NULL AND i.revoked_at IS NOT NULL)`)
	case domain.InvitationExpired:
		return clauseOf(`(i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at <= ?)`, db.Micros(now))
	case domain.InvitationPending:
		return clauseOf(`(i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > ?)`, db.Micros(now))
	}
	return noRows
}

// TeamsOfInvitations lists the teams that invitations lead to, by slug.
func TeamsOfInvitations() List[*domain.InvitationTeam] {
	l := newList(Rows[*domain.InvitationTeam]{
		items: pointersTo(invitationTeamView), tables: `invitation_teams it JOIN teams te ON te.id = it.team_id`,
		id: textKey(`it.id`, func(t *domain.InvitationTeam) string { return string(t.ID) }),
	}, "teams of an invitation", `it.invitation_id`, `invitations`)
	l.sortBy(textKey(`te.slug`, func(t *domain.InvitationTeam) string { return t.TeamSlug }))
	return l
}

// Invitation returns an invitation of an organization, with its teams.
func (tx Tx) Invitation(organization domain.OrganizationID, id domain.InvitationID, now time.Time) (
	domain.InvitationView, bool, error) {
	v, found, err := selectOne(tx, invitationView.read, `SELECT `+invitationView.columns+` FROM invitations i
		`+invitationJoins+`
		WHERE i.organization_id = $1 AND i.id = $2`, organization, id)
	if err != nil || !found {
		return v, found, err
	}
	v.State = v.Invitation.State(now)
	return v, true, tx.AddInvitationTeams([]*domain.InvitationView{&v})
}

// InvitationByLink returns the invitation that a link's value with that hash leads to, and whether the link was mailed.
func (tx Tx) InvitationByLink(hash string, now time.Time) (v domain.InvitationView, mailed, found bool, err error) {
	type linked struct {
		domain.InvitationView
		mailed bool
	}
	read := func(c *columns, l *linked) {
		invitationView.read(c, &l.InvitationView)
		mapBool(c, "il.mailed", &l.mailed)
	}
	l, found, err := selectOne(tx, read, `SELECT `+invitationView.columns+`, il.mailed FROM invitation_links il
		JOIN invitations i ON i.id = il.invitation_id `+invitationJoins+` WHERE il.hash = $1`, hash)
	if err != nil || !found {
		return v, false, found, err
	}
	l.State = l.Invitation.State(now)
	return l.InvitationView, l.mailed, true, tx.AddInvitationTeams([]*domain.InvitationView{&l.InvitationView})
}

// AddInvitationTeams reads the teams that invitations lead to, by slug.
func (tx Tx) AddInvitationTeams(views []*domain.InvitationView) error {
	ids, perID := make([]domain.InvitationID, len(views)), make(map[domain.InvitationID]*domain.InvitationView, len(views))
	for i, v := range views {
		ids[i], perID[v.ID] = v.ID, v
		v.Teams = nil
	}
	return eachChunk(ids, func(some []domain.InvitationID) error {
		var c columns
		statement := clauseOf(`SELECT `+invitationTeamView.columns+` FROM invitation_teams it
			JOIN teams te ON te.id = it.team_id
			WHERE ? ORDER BY te.slug`, oneOf(`it.invitation_id`, some))
		return tx.run(statement, func(r *db.Row) error {
			var t domain.InvitationTeam
			c.row = r
			invitationTeamView.read(&c, &t)
			perID[t.InvitationID].Teams = append(perID[t.InvitationID].Teams, t)
			return c.err
		})
	})
}

// MembersWithEmails returns which of the email addresses, in the form in which they are compared, members of an
// organization have.
func (tx Tx) MembersWithEmails(organization domain.OrganizationID, keys []string) (map[string]bool, error) {
	return whichOf(tx, keys, func(some []string) clause {
		return clauseOf(
			`SELECT u.email_key FROM organization_members m JOIN users u ON u.id = m.user_id WHERE m.organization_id = ? AND ?`,
			organization, oneOf(`u.email_key`, some))
	})
}

// InvitationsSince returns how often invitations of an organization were sent after a time: those that were made, and
// those that were sent again, of which there are events. These have the time of the server.
func (tx Tx) InvitationsSince(organization domain.OrganizationID, since, serverSince time.Time) (
	count int64, err error) {
	_, err = tx.One(`SELECT (SELECT count(*) FROM invitations WHERE organization_id = $1 AND created_at > $2)
		+ (SELECT count(*) FROM audit_events WHERE organization_id = $1 AND type = $3
		AND id >= $4)`, func(r *db.Row) { count = r.Int() },
		organization, db.Micros(since), string(domain.InvitationResentEvent), domain.FirstIDAt[string](serverSince))
	return count, err
}

// InsertInvitation stores a new invitation with its teams, which the transaction has locked.
func (tx Tx) InsertInvitation(i domain.Invitation, teams []domain.InvitationTeam, by domain.UserID) error {
	if err := invitations.insert(tx.exec, i, setUser("created_by", by)); err != nil {
		return err
	}
	for _, t := range teams {
		if err := invitationTeams.insert(tx.exec, t, set("organization_id", i.OrganizationID)); err != nil {
			return err
		}
	}
	return nil
}

// UpdateInvitation stores the invitation's changed state, and who accepted or revoked it; an empty user is nobody.
func (tx Tx) UpdateInvitation(i domain.Invitation, acceptedBy, revokedBy domain.UserID) error {
	return invitations.update(tx.exec, i, setUser("accepted_by", acceptedBy), setUser("revoked_by", revokedBy))
}

// InsertInvitationLink stores the hash of a link's value.
func (tx Tx) InsertInvitationLink(id domain.InvitationID, hash string, mailed bool) error {
	return insertInto(tx.exec, "invitation_links", set("hash", hash), set("invitation_id", id), set("mailed", mailed))
}

// DeleteInvitationLinks makes the links of an invitation lead nowhere.
func (tx Tx) DeleteInvitationLinks(id domain.InvitationID) error {
	return tx.exec(`DELETE FROM invitation_links WHERE invitation_id = $1`, id)
}

// PendingInvitationsBy returns the invitations that a user made in an organization, or in all if it is "", and that
// wait for an answer.
func (tx Tx) PendingInvitationsBy(user domain.UserID, organization domain.OrganizationID, now time.Time) (
	[]domain.Invitation, error) {
	var a arguments
	where := clauseOf(`i.created_by = ? AND ?`, user, invitationIs(domain.InvitationPending, now))
	if organization != "" {
		where = clauseOf(`? AND i.organization_id = ?`, where, organization)
	}
	return selectAll(tx, invitations.read,
		a.write(clauseOf(`SELECT `+invitations.columns+` FROM invitations i WHERE ? ORDER BY i.id`, where)), a.values...)
}

// MailInvitation has an invitation mailed as soon as possible.
func (tx Tx) MailInvitation(id domain.InvitationID, now time.Time) error {
	return tx.exec(`INSERT INTO invitation_mails (invitation_id, attempts, next_at, error) VALUES ($1, 0, $2, NULL)
		ON CONFLICT (invitation_id) DO UPDATE SET attempts = 0, next_at = $2, error = NULL`, id, db.Micros(now))
}

// DueMail is an invitation that is to be mailed now.
type DueMail struct {
	Invitation domain.InvitationID
	Attempts   int64
	nextAt     int64
}

// DueMails returns up to limit invitations that are to be mailed now.
func (tx Tx) DueMails(now time.Time, limit int64) ([]DueMail, error) {
	return all(tx, func(r *db.Row) DueMail {
		return DueMail{Invitation: domain.InvitationID(r.Text()), Attempts: r.Int(), nextAt: r.Int()}
	}, `SELECT invitation_id, attempts, next_at FROM invitation_mails WHERE next_at <= $1`+
		ifDue(MailInvitations, "invitation_mails.invitation_id", "$1")+` ORDER BY next_at LIMIT $2`, db.Micros(now), limit)
}

// ClaimMail counts an attempt, prevents others from making one until a time, and returns it as it is then, and whether
// nobody else has claimed it.
func (tx Tx) ClaimMail(m DueMail, until time.Time) (DueMail, bool, error) {
	n, err := tx.Exec(
		`UPDATE invitation_mails SET attempts = attempts + 1, next_at = $3 WHERE invitation_id = $1 AND next_at = $2`,
		m.Invitation, m.nextAt, db.Micros(until))
	return DueMail{Invitation: m.Invitation, Attempts: m.Attempts + 1, nextAt: db.Micros(until)}, n > 0, err
}

// PostponeMail records why a claimed attempt failed, and when the next is to be made; nil: never. It changes nothing if
// the invitation was sent again meanwhile.
func (tx Tx) PostponeMail(m DueMail, failure string, next *time.Time) error {
	return tx.exec(`UPDATE invitation_mails SET error = $3, next_at = $4 WHERE invitation_id = $1 AND next_at = $2`,
		m.Invitation, m.nextAt, failure, db.NullMicros(next))
}

// FinishMail forgets a claimed mail, which was sent, unless the invitation was sent again meanwhile.
func (tx Tx) FinishMail(m DueMail) error {
	return tx.exec(`DELETE FROM invitation_mails WHERE invitation_id = $1 AND next_at = $2`, m.Invitation, m.nextAt)
}

// DeleteMail forgets that an invitation is to be mailed.
func (tx Tx) DeleteMail(id domain.InvitationID) error {
	return tx.exec(`DELETE FROM invitation_mails WHERE invitation_id = $1`, id)
}

// MailOf returns what is mailed of an invitation that waits for an answer, but for its link.
func (tx Tx) MailOf(id domain.InvitationID, now time.Time) (m domain.InvitationMail, found bool, err error) {
	err = tx.run(clauseOf(`SELECT i.email, o.name, COALESCE(cb.name, ''), i.expires_at FROM invitations i
		JOIN organizations o ON o.id = i.organization_id
		LEFT JOIN users cb ON cb.id = i.created_by WHERE i.id = ?
		AND ?`, id, invitationIs(domain.InvitationPending, now)), func(r *db.Row) error {
		m, found = domain.InvitationMail{To: r.Text(), Organization: r.Text(), InvitedBy: r.Text(), ExpiresAt: r.Time()}, true
		return nil
	})
	return m, found, err
}
