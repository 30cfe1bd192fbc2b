package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// UserPassword is a user with the form in which their password is stored; empty: none.
type UserPassword struct {
	User     domain.User
	Hash     string
	Disabled bool
}

var userPassword = selecting(func(c *columns, u *UserPassword) {
	users.visit(c, &u.User)
	mapText(c, "u.password_hash", &u.Hash)
	mapBool(c, "u.disabled_at IS NOT NULL", &u.Disabled)
})

// UserPasswordByEmail returns the user with that email address, and their password.
func (tx Tx) UserPasswordByEmail(email string) (UserPassword, bool, error) {
	return selectOne(tx, userPassword.read, `SELECT `+userPassword.columns+` FROM users u WHERE u.email_key = $1`,
		domain.EmailKey(email))
}

// UserPassword returns the user with that id, and their password.
func (tx Tx) UserPassword(id domain.UserID) (UserPassword, bool, error) {
	return selectOne(tx, userPassword.read, `SELECT `+userPassword.columns+` FROM users u WHERE u.id = $1`, id)
}

// UpdatePassword stores a user's new password.
func (tx Tx) UpdatePassword(id domain.UserID, hash string) error {
	return tx.exec(`UPDATE users SET password_hash = $2 WHERE id = $1`, id, hash)
}

var (
	sessions = tableOf("user_sessions", "s", func(c *columns, s *domain.Session) {
		mapText(c, "id", &s.ID)
		mapText(c, "address", &s.Address)
		mapText(c, "user_agent", &s.UserAgent)
		mapTime(c, "created_at", &s.CreatedAt)
		mapTime(c, "expires_at", &s.ExpiresAt)
		mapNullTime(c, "last_seen_at", &s.LastSeenAt)
		mapNullText(c, "last_seen_address", &s.LastSeenAddress)
		mapNullText(c, "last_seen_user_agent", &s.LastSeenUserAgent)
	})

	sessionView = selecting(func(c *columns, v *domain.SessionView) { sessions.visit(c, &v.Session) })
)

// InsertSession stores a new session of a user under the hash of its value.
func (tx Tx) InsertSession(s domain.Session, hash string, user domain.UserID) error {
	return sessions.insert(tx.exec, s, set("hash", hash), set("user_id", user))
}

// SessionsOf lists the live sessions of users, the newest first.
func SessionsOf(now time.Time) List[*domain.SessionView] {
	l := newList(Rows[*domain.SessionView]{
		items: pointersTo(sessionView), tables: `user_sessions s`,
		id: textKey(`s.id`, func(s *domain.SessionView) string { return string(s.ID) }),
	}, "sessions", `s.user_id`, `users`)
	l.sortBy(timeKey(`s.created_at`, func(s *domain.SessionView) time.Time { return s.CreatedAt }))
	l.descending = true
	l.where(clauseOf(`s.expires_at > ?`, db.Micros(now)))
	return l
}

// TouchSession records that a session was used.
func (tx Tx) TouchSession(id domain.SessionID, address, userAgent string, at time.Time) error {
	return tx.exec(`UPDATE user_sessions SET last_seen_at = $2, last_seen_address = $3, last_seen_user_agent = $4
		WHERE id = $1 AND (last_seen_at IS NULL OR last_seen_at < $2)`, id, db.Micros(at), address, userAgent)
}

// DeleteSession ends the session whose value has that hash.
func (tx Tx) DeleteSession(hash string) error {
	return tx.exec(`DELETE FROM user_sessions WHERE hash = $1`, hash)
}

// DeleteSessionOf ends a session of a user, if they have it.
func (tx Tx) DeleteSessionOf(user domain.UserID, id domain.SessionID) error {
	return tx.exec(`DELETE FROM user_sessions WHERE user_id = $1 AND id = $2`, user, id)
}

// DeleteSessionsOf ends the sessions of a user, but for the one whose value has the hash kept, and with what programs
// run portals as them.
func (tx Tx) DeleteSessionsOf(user domain.UserID, kept string) error {
	for _, table := range []string{`portal_tokens`, `portal_token_codes`} {
		if err := tx.exec(`DELETE FROM `+table+` WHERE user_id = $1`, user); err != nil {
			return err
		}
	}
	return tx.exec(`DELETE FROM user_sessions WHERE user_id = $1 AND hash <> $2`, user, kept)
}

// PruneSessions deletes up to limit sessions that have expired, and returns how many.
func (tx Tx) PruneSessions(now time.Time, limit int64) (int64, error) {
	return tx.Exec(
		`DELETE FROM user_sessions WHERE hash IN (SELECT hash FROM user_sessions WHERE expires_at <= $1 LIMIT $2)`,
		db.Micros(now), limit)
}
