package store

import (
	"time"

	"penstock/internal/db"
)

// HasUsers reports whether there is any user.
func (tx Tx) HasUsers() (bool, error) { return tx.has(`SELECT 1 FROM users LIMIT 1`) }

// InsertSetupLink stores the hash of a link's value.
func (tx Tx) InsertSetupLink(hash string, at time.Time) error {
	return tx.exec(`INSERT INTO setup_links (hash, created_at) VALUES ($1, $2)`, hash, db.Micros(at))
}

// HasSetupLink reports whether there is a link whose value has that hash, and that was made after that time.
func (tx Tx) HasSetupLink(hash string, after time.Time) (bool, error) {
	return tx.has(`SELECT 1 FROM setup_links WHERE hash = $1 AND created_at > $2`, hash, db.Micros(after))
}

// ClaimSetupLinks deletes all links, and reports whether one whose value has that hash was among them. Of several
// transactions that take them at once, one does.
func (tx Tx) ClaimSetupLinks(hash string) (taken bool, err error) {
	hashes, err := all(tx, (*db.Row).Text, `DELETE FROM setup_links RETURNING hash`)
	for _, h := range hashes {
		taken = taken || h == hash
	}
	return taken, err
}

// PruneSetupLinks deletes the links that were made at that time or before.
func (tx Tx) PruneSetupLinks(until time.Time) error {
	return tx.exec(`DELETE FROM setup_links WHERE created_at <= $1`, db.Micros(until))
}
