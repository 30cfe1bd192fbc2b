package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

// APITokenIDByHash returns the id of the token whose value has that hash.
func (tx Tx) APITokenIDByHash(hash string) (domain.APITokenID, bool, error) {
	return one(tx, scanID[domain.APITokenID], `SELECT id FROM api_tokens WHERE hash = $1`, hash)
}

// HasAPIToken reports whether there is a token with that id.
func (tx Tx) HasAPIToken(id domain.APITokenID) (bool, error) {
	return tx.has(`SELECT 1 FROM api_tokens WHERE id = $1`, id)
}

// InsertAPIToken stores a new token of a user under the hash of its value, and grants it organizations, of
// each of which the user is a member. It returns an Invalid error if the value is taken.
func (tx Tx) InsertAPIToken(t domain.APIToken, hash string, user domain.UserID, organizations []domain.OrganizationID) error {
	err := tx.exec(`INSERT INTO api_tokens (id, user_id, hash, description, scopes, allowed_ip_addresses, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		t.ID, user, hash, t.Description, t.Scopes.String(), t.AllowedIPAddresses, db.Micros(t.CreatedAt), db.NullMicros(t.ExpiresAt))
	if err != nil {
		return taken(err, "token", domain.APITokenValueTaken)
	}
	for _, organization := range organizations {
		if err := tx.exec(`INSERT INTO api_token_organizations (token_id, organization_id, user_id) VALUES ($1, $2, $3)`,
			t.ID, organization, user); err != nil {
			return err
		}
	}
	return nil
}

// APITokens returns the tokens that filter chooses, the oldest first.
func (tx Tx) APITokens(filter domain.APITokenFilter) (views []domain.APITokenView, err error) {
	err = tx.Query(`SELECT `+tokenColumns+`, `+userColumns+`, o.slug
		FROM api_tokens t JOIN users u ON u.id = t.user_id
		LEFT JOIN api_token_organizations g ON g.token_id = t.id
		LEFT JOIN organizations o ON o.id = g.organization_id
		WHERE ($1 = '' OR u.email_key = $1) AND ($2 = '' OR EXISTS (SELECT 1 FROM api_token_organizations f
			JOIN organizations fo ON fo.id = f.organization_id WHERE f.token_id = t.id AND fo.slug = $2))
		ORDER BY t.created_at, t.id, o.slug`, func(r *db.Row) error {
		view := domain.APITokenView{APIToken: scanToken(r), User: scanUser(r)}
		if last := len(views) - 1; last < 0 || views[last].ID != view.ID {
			views = append(views, view)
		}
		if slug := r.NullText(); slug != nil {
			last := &views[len(views)-1]
			last.Organizations = append(last.Organizations, *slug)
		}
		return nil
	}, domain.EmailKey(filter.User), filter.Organization)
	return views, err
}
