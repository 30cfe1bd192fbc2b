package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

// UserByEmail returns the user with that e-mail address.
func (tx Tx) UserByEmail(email string) (domain.User, bool, error) {
	return one(tx, scanUser, `SELECT `+userColumns+` FROM users u WHERE u.email_key = $1`, domain.EmailKey(email))
}

// InsertUser stores a new user; an empty passwordHash is none. It returns an Invalid error if the e-mail
// address is taken.
func (tx Tx) InsertUser(u domain.User, passwordHash string) error {
	var hash *string
	if passwordHash != "" {
		hash = &passwordHash
	}
	err := tx.exec(`INSERT INTO users (id, email, email_key, name, name_key, password_hash, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		u.ID, u.Email, domain.EmailKey(u.Email), u.Name, domain.SortKey(u.Name), hash, db.Micros(u.CreatedAt))
	return taken(err, "email", domain.EmailTaken)
}
