package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// UserPassword is a user with the form in which their password is stored; empty: none.
type UserPassword struct {
	User domain.User
	Hash string
}

func scanUserPassword(r *db.Row) UserPassword {
	return UserPassword{User: scanUser(r), Hash: r.Text()}
}

const selectUserPassword = `SELECT ` + userColumns + `, COALESCE(u.password_hash, '') FROM users u WHERE `

// UserPasswordByEmail returns the user with that e-mail address, and their password.
func (tx Tx) UserPasswordByEmail(email string) (UserPassword, bool, error) {
	return one(tx, scanUserPassword, selectUserPassword+`u.email_key = $1`, domain.EmailKey(email))
}

// UserPassword returns the user with that id, and their password.
func (tx Tx) UserPassword(id domain.UserID) (UserPassword, bool, error) {
	return one(tx, scanUserPassword, selectUserPassword+`u.id = $1`, id)
}

// UpdatePassword stores a user's new password.
func (tx Tx) UpdatePassword(id domain.UserID, hash string) error {
	return tx.exec(`UPDATE users SET password_hash = $2 WHERE id = $1`, id, hash)
}

// UpdateUser stores a user's changed name.
func (tx Tx) UpdateUser(u domain.User) error {
	return tx.exec(`UPDATE users SET name = $2, name_key = $3 WHERE id = $1`, u.ID, u.Name, domain.SortKey(u.Name))
}

// InsertSession stores a new session of a user under the hash of its value.
func (tx Tx) InsertSession(s domain.Session, hash string, user domain.UserID) error {
	return tx.exec(`INSERT INTO user_sessions (hash, id, user_id, address, user_agent, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		hash, s.ID, user, s.Address, s.UserAgent, db.Micros(s.CreatedAt), db.Micros(s.ExpiresAt))
}

// Sessions returns a page of a user's live sessions, the newest first.
func (tx Tx) Sessions(user domain.UserID, now time.Time, page domain.Page) (domain.Paged[domain.SessionView], error) {
	return paged(tx, func(r *db.Row) domain.SessionView {
		return domain.SessionView{Session: domain.Session{
			ID: domain.SessionID(r.Text()), Address: r.Text(), UserAgent: r.Text(), CreatedAt: r.Time(), ExpiresAt: r.Time(),
		}}
	}, listing{
		columns: `id, address, user_agent, created_at, expires_at`, tables: `user_sessions`,
		where: `user_id = $1 AND expires_at > $2`, order: `created_at DESC, id DESC`,
	}, page, user, db.Micros(now))
}

// DeleteSession ends the session whose value has that hash.
func (tx Tx) DeleteSession(hash string) error {
	return tx.exec(`DELETE FROM user_sessions WHERE hash = $1`, hash)
}

// DeleteSessionsOf ends the sessions of a user, but for the one whose value has the hash kept.
func (tx Tx) DeleteSessionsOf(user domain.UserID, kept string) error {
	return tx.exec(`DELETE FROM user_sessions WHERE user_id = $1 AND hash <> $2`, user, kept)
}

// PruneSessions deletes up to limit sessions that have expired, and returns how many.
func (tx Tx) PruneSessions(now time.Time, limit int64) (int64, error) {
	return tx.Exec(`DELETE FROM user_sessions WHERE hash IN (SELECT hash FROM user_sessions WHERE expires_at <= $1 LIMIT $2)`, db.Micros(now), limit)
}

// OrganizationsOfUser returns a page of the organizations that a user belongs to, by name.
func (tx Tx) OrganizationsOfUser(user domain.UserID, page domain.Page) (domain.Paged[domain.Organization], error) {
	return paged(tx, scanOrganization, listing{
		columns: organizationColumns, tables: `organization_members m`, joins: `JOIN organizations o ON o.id = m.organization_id`,
		where: `m.user_id = $1`, order: `o.name_key, o.id`,
	}, page, user)
}

// OrganizationIDsOfUser returns the organizations that a user belongs to.
func (tx Tx) OrganizationIDsOfUser(user domain.UserID) ([]domain.OrganizationID, error) {
	return all(tx, scanID[domain.OrganizationID], `SELECT organization_id FROM organization_members WHERE user_id = $1 ORDER BY organization_id`, user)
}
