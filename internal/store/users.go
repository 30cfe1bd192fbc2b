package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var users = tableOf("users", "u", func(c *columns, u *domain.User) {
	mapText(c, "id", &u.ID)
	mapText(c, "email", &u.Email)
	c.writeKey("email_key", domain.EmailKey, u.Email)
	mapTime(c, "created_at", &u.CreatedAt)
	c.changing()
	mapText(c, "name", &u.Name)
	c.writeKey("name_key", domain.SortKey, u.Name)
})

// UserByEmail returns the user with that email address.
func (tx Tx) UserByEmail(email string) (domain.User, bool, error) {
	return selectOne(tx, users.read, `SELECT `+users.columns+` FROM users u WHERE u.email_key = $1`,
		domain.EmailKey(email))
}

// UserByID returns the user with that id.
func (tx Tx) UserByID(id domain.UserID) (domain.User, bool, error) {
	return selectOne(tx, users.read, `SELECT `+users.columns+` FROM users u WHERE u.id = $1`, id)
}

// InsertUser stores a new user; an empty passwordHash is none. It returns an Invalid error if the e-mail
// address is taken.
func (tx Tx) InsertUser(u domain.User, passwordHash string) error {
	return tx.insertUser(u, passwordHash, false)
}

// InsertUnprovedUser is InsertUser for one for whose email address nobody vouches.
func (tx Tx) InsertUnprovedUser(u domain.User, passwordHash string) error {
	return tx.insertUser(u, passwordHash, true)
}

func (tx Tx) insertUser(u domain.User, passwordHash string, unproved bool) error {
	var hash *string
	if passwordHash != "" {
		hash = &passwordHash
	}
	return taken(users.insert(tx.exec, u, set("password_hash", hash), set("email_unproved", unproved)), "email",
		domain.EmailTaken)
}

// UserState is what decides whether a user may sign in.
type UserState struct {
	Disabled      bool
	EmailUnproved bool // nobody vouches for the email address
}

var userState = selecting(func(c *columns, s *UserState) {
	mapBool(c, "u.disabled_at IS NOT NULL", &s.Disabled)
	mapBool(c, "u.email_unproved", &s.EmailUnproved)
})

// SetDisabled prevents a user from using the installation since a time; nil lets them use it again.
func (tx Tx) SetDisabled(id domain.UserID, since *time.Time) error {
	return tx.exec(`UPDATE users SET disabled_at = $2 WHERE id = $1`, id, db.NullMicros(since))
}

// ProveEmail records that a user's email address is theirs. The password that they had goes.
func (tx Tx) ProveEmail(id domain.UserID) error {
	return tx.exec(`UPDATE users SET email_unproved = FALSE, password_hash = NULL WHERE id = $1`, id)
}

// UpdateUser stores a user's changed name.
func (tx Tx) UpdateUser(u domain.User) error { return users.update(tx.exec, u) }

// BuildMailsOf returns which mails about their builds a user wants.
func (tx Tx) BuildMailsOf(id domain.UserID) (mails domain.BuildMails, err error) {
	_, err = tx.One(`SELECT build_mails FROM users WHERE id = $1`,
		func(r *db.Row) { mails = domain.BuildMails(r.Text()) }, id)
	return mails, err
}

// SetBuildMails stores which mails about their builds a user wants.
func (tx Tx) SetBuildMails(id domain.UserID, mails domain.BuildMails) error {
	return tx.exec(`UPDATE users SET build_mails = $2 WHERE id = $1`, id, mails)
}

// AnybodyWantsAllMails reports whether some user wants mails about all of their builds.
func (tx Tx) AnybodyWantsAllMails() (wanted bool, err error) {
	_, err = tx.One(`SELECT EXISTS (SELECT 1 FROM users WHERE build_mails = 'all')`, func(r *db.Row) { wanted = r.Bool() })
	return wanted, err
}

// MailedCreator returns the address of the member who created a build, and which mails they want; false if they are not
// a member any more, or nobody vouches for the address.
func (tx Tx) MailedCreator(build domain.BuildID) (email string, mails domain.BuildMails, found bool, err error) {
	found, err = tx.One(`SELECT u.email, u.build_mails FROM builds b JOIN users u ON u.id = b.creator_id
		JOIN organization_members m ON m.organization_id = b.organization_id AND m.user_id = u.id
		WHERE b.id = $1 AND u.disabled_at IS NULL
		AND NOT u.email_unproved`, func(r *db.Row) { email, mails = r.Text(), domain.BuildMails(r.Text()) }, build)
	return email, mails, found, err
}

// UsersWithPassword returns which of the users can sign in with a password.
func (tx Tx) UsersWithPassword(ids []domain.UserID) (map[domain.UserID]bool, error) {
	return whichOf(tx, ids, func(some []domain.UserID) clause {
		return clauseOf(`SELECT id FROM users WHERE password_hash IS NOT NULL AND ?`, oneOf(`id`, some))
	})
}

// OwnUser lists the user that is the parent itself.
func OwnUser() List[*domain.User] {
	rows := Rows[*domain.User]{items: pointersTo(users.selection), tables: `users u`,
		id: textKey(`u.id`, func(u *domain.User) string { return string(u.ID) })}
	l := newList(rows, "email addresses", `u.id`, `users`)
	l.sortBy()
	return l
}

// whichOf returns which of the ids a statement yields.
func whichOf[ID ~string](tx Tx, ids []ID, statement func([]ID) clause) (map[ID]bool, error) {
	found := map[ID]bool{}
	err := eachChunk(ids, func(some []ID) error {
		return tx.run(statement(some), func(r *db.Row) error {
			found[ID(r.Text())] = true
			return nil
		})
	})
	return found, err
}
