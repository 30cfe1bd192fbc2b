package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

var savedViews = tableOf("saved_views", "sv", func(c *columns, v *domain.SavedView) {
	mapText(c, "organization_id", &v.OrganizationID)
	mapText(c, "user_id", &v.UserID)
	mapText(c, "name", &v.Name)
	mapText(c, "query", &v.Query)
	mapTime(c, "created_at", &v.CreatedAt)
})

// SavedViews returns the views that a member has saved, the oldest first.
func (tx Tx) SavedViews(organization domain.OrganizationID, user domain.UserID) ([]domain.SavedView, error) {
	return selectAll(tx, savedViews.read, `SELECT `+savedViews.columns+
		` FROM saved_views sv WHERE sv.organization_id = $1 AND sv.user_id = $2 ORDER BY sv.created_at, sv.name`,
		organization, user)
}

// SetSavedView stores a view, in the place of one with its name.
func (tx Tx) SetSavedView(v domain.SavedView) error {
	return tx.exec(`INSERT INTO saved_views (organization_id, user_id, name, query, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (organization_id, user_id, name) DO UPDATE SET query = excluded.query, created_at = excluded.created_at`,
		v.OrganizationID, v.UserID, v.Name, v.Query, db.Micros(v.CreatedAt))
}

// DeleteSavedView deletes a view.
func (tx Tx) DeleteSavedView(v domain.SavedView) error {
	return tx.exec(`DELETE FROM saved_views WHERE organization_id = $1 AND user_id = $2 AND name = $3`, v.OrganizationID,
		v.UserID, v.Name)
}
