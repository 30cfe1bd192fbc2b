package store

import (
	"time"

	"penstock/internal/domain"
)

// InsertActivity records that a user used an organization on a (UTC) day, and reports whether that is new.
func (tx Tx) InsertActivity(organization domain.OrganizationID, user domain.UserID, day time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO activity_days (organization_id, day, user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		organization, day.UTC().Format(domain.DateLayout), user)
	return n > 0, err
}
