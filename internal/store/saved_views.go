package store

import "penstock/internal/domain"

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

// InsertSavedView stores a new view.
func (tx Tx) InsertSavedView(v domain.SavedView) error { return savedViews.insert(tx.exec, v) }

// DeleteSavedView deletes a view.
func (tx Tx) DeleteSavedView(v domain.SavedView) error {
	return tx.exec(`DELETE FROM saved_views WHERE organization_id = $1 AND user_id = $2 AND name = $3`, v.OrganizationID,
		v.UserID, v.Name)
}
