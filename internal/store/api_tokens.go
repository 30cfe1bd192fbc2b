package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

const apiTokenSelect = `SELECT ` + tokenColumns + `, ` + userColumns + ` FROM api_tokens t JOIN users u ON u.id = t.user_id`

func scanAPIToken(r *db.Row) domain.APITokenView {
	return domain.APITokenView{APIToken: scanToken(r), User: scanUser(r)}
}

// APIToken returns the token with that id, without its organizations.
func (tx Tx) APIToken(id domain.APITokenID) (domain.APITokenView, bool, error) {
	return one(tx, scanAPIToken, apiTokenSelect+` WHERE t.id = $1`, id)
}

// APITokenByHash returns the token whose value has that hash, without its organizations.
func (tx Tx) APITokenByHash(hash string) (domain.APITokenView, bool, error) {
	return one(tx, scanAPIToken, apiTokenSelect+` WHERE t.hash = $1`, hash)
}

// GrantsOf returns the organizations that a token was granted.
func (tx Tx) GrantsOf(token domain.APITokenID) ([]domain.OrganizationID, error) {
	return all(tx, scanID[domain.OrganizationID], `SELECT organization_id FROM api_token_organizations WHERE token_id = $1 ORDER BY organization_id`, token)
}

// OrganizationTokens returns a page of the tokens that reach an organization, the oldest first.
func (tx Tx) OrganizationTokens(organization domain.OrganizationID, now time.Time, page domain.Page) (domain.Paged[domain.OrganizationToken], error) {
	return paged(tx, func(r *db.Row) domain.OrganizationToken {
		return domain.OrganizationToken{APIToken: scanToken(r), User: scanUser(r), LastUsedAddress: r.NullText()}
	}, listing{
		columns: tokenColumns + `, ` + userColumns + `, t.last_used_address`,
		tables:  `api_token_organizations g JOIN api_tokens t ON t.id = g.token_id JOIN organizations o ON o.id = g.organization_id`,
		joins:   `JOIN users u ON u.id = t.user_id`,
		where:   `g.organization_id = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $2) AND NOT ` + unusedTooLong,
		order:   `t.created_at, t.id`,
	}, page, organization, db.Micros(now))
}

// RevokeGrant takes an organization away from a token, and reports whether it had it.
func (tx Tx) RevokeGrant(token domain.APITokenID, organization domain.OrganizationID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM api_token_organizations WHERE token_id = $1 AND organization_id = $2`, token, organization)
	return n > 0, err
}

// unusedTooLong holds for a token t that was not used for as long as an organization o lets its tokens be idle, at
// the time $2. The rule is domain.APIToken.UnusedFor.
const unusedTooLong = `(o.revoke_inactive_tokens_after_days > 0
	AND COALESCE(t.last_used_at, t.created_at) <= $2 - o.revoke_inactive_tokens_after_days * 86400000000)`

// UnusedGrants returns the organizations that a token was granted and has not been used for too long for.
func (tx Tx) UnusedGrants(token domain.APITokenID, now time.Time) ([]domain.OrganizationID, error) {
	return all(tx, scanID[domain.OrganizationID], `SELECT g.organization_id FROM api_token_organizations g
		JOIN api_tokens t ON t.id = g.token_id JOIN organizations o ON o.id = g.organization_id
		WHERE g.token_id = $1 AND `+unusedTooLong, token, db.Micros(now))
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

// TokensOfUser returns a page of a user's tokens that are not revoked, the newest first, with the organizations they were granted.
func (tx Tx) TokensOfUser(user domain.User, page domain.Page) (domain.Paged[domain.APITokenView], error) {
	tokens, err := paged(tx, func(r *db.Row) domain.APITokenView {
		return domain.APITokenView{APIToken: scanToken(r), User: user}
	}, listing{
		columns: tokenColumns, tables: `api_tokens t`, where: `t.user_id = $1 AND t.revoked_at IS NULL`, order: `t.created_at DESC, t.id DESC`,
	}, page, user.ID)
	if err != nil {
		return tokens, err
	}
	return tokens, tx.addGrants(tokens.Items)
}

// addGrants reads which organizations the tokens were granted.
func (tx Tx) addGrants(tokens []domain.APITokenView) error {
	ids, at := make([]domain.APITokenID, len(tokens)), make(map[domain.APITokenID]*domain.APITokenView, len(tokens))
	for i := range tokens {
		ids[i], at[tokens[i].ID] = tokens[i].ID, &tokens[i]
	}
	return inParts(ids, func(some []domain.APITokenID) error {
		var a arguments
		sql := `SELECT g.token_id, o.slug FROM api_token_organizations g JOIN organizations o ON o.id = g.organization_id
			WHERE ` + in(&a, `g.token_id`, some) + ` ORDER BY o.slug`
		return tx.Query(sql, func(r *db.Row) error {
			token := at[domain.APITokenID(r.Text())]
			token.Organizations = append(token.Organizations, r.Text())
			return nil
		}, a.values...)
	})
}
