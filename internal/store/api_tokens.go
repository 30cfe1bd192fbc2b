package store

import (
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	apiTokens = tableOf("api_tokens", "t", func(c *columns, t *domain.APIToken) {
		mapText(c, "id", &t.ID)
		mapText(c, "description", &t.Description)
		scopes := t.Scopes.String()
		mapText(c, "scopes", &scopes)
		if c.row != nil {
			t.Scopes = domain.ScopesFromText(scopes)
		}
		mapText(c, "allowed_ip_addresses", &t.AllowedIPAddresses)
		mapTime(c, "created_at", &t.CreatedAt)
		mapNullTime(c, "expires_at", &t.ExpiresAt)
		c.readOnly()
		mapNullTime(c, "revoked_at", &t.RevokedAt)
		mapNullTime(c, "last_used_at", &t.LastUsedAt)
	})

	apiTokenView = selecting(func(c *columns, v *domain.APITokenView) {
		apiTokens.visit(c, &v.APIToken)
		users.visit(c, &v.User)
	})

	organizationToken = selecting(func(c *columns, v *domain.OrganizationToken) {
		apiTokens.visit(c, &v.APIToken)
		users.visit(c, &v.User)
		mapNullText(c, "t.last_used_address", &v.LastUsedAddress)
	})
)

// OrganizationTokensOf lists the live API access tokens that reach organizations, the oldest first unless the filter
// says otherwise. It is for those who administer them.
func OrganizationTokensOf(filter domain.TokenFilter, now time.Time) List[*domain.OrganizationToken] {
	rows := Rows[*domain.OrganizationToken]{
		items: pointersTo(organizationToken),
		tables: `api_token_organizations g JOIN api_tokens t ON t.id = g.token_id
			JOIN organizations o ON o.id = g.organization_id`,
		joins:   `JOIN users u ON u.id = t.user_id`,
		id:      textKey(`t.id`, func(t *domain.OrganizationToken) string { return string(t.ID) }),
		visible: func(v Viewer) clause { return v.administers(`g.organization_id`) },
	}
	l := newList(rows, "tokens", `g.organization_id`, `organizations`, filter)
	l.sortBy(timeKey(`t.created_at`, func(t *domain.OrganizationToken) time.Time { return t.CreatedAt }))
	l.descending = filter.NewestFirst
	l.where(clauseOf(`t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?) AND NOT ?`, db.Micros(now),
		unusedTooLong(now)))
	whereIf(&l, filter.User, func(id domain.UserID) clause { return clauseOf(`t.user_id = ?`, id) })
	if filter.Search != "" {
		l.where(clauseOf(`(? OR EXISTS (SELECT 1 FROM users f WHERE f.id = t.user_id AND ?))`,
			contains(`lower(t.description)`, domain.LowerASCII(filter.Search)),
			contains(`f.name_key`, domain.SortKey(filter.Search))))
	}
	return l
}

// OwnTokens lists the tokens of users that are not revoked, the newest first, without their organizations.
func OwnTokens() List[*domain.APITokenView] {
	rows := Rows[*domain.APITokenView]{
		items: pointersTo(apiTokenView), tables: `api_tokens t`, joins: `JOIN users u ON u.id = t.user_id`,
		id: textKey(`t.id`, func(t *domain.APITokenView) string { return string(t.ID) }),
	}
	l := newList(rows, "own tokens", `t.user_id`, `users`)
	l.sortBy(timeKey(`t.created_at`, func(t *domain.APITokenView) time.Time { return t.CreatedAt }))
	l.descending = true
	l.where(clauseOf(`t.revoked_at IS NULL`))
	return l
}

// AddGrants reads which organizations tokens were granted.
func (tx Tx) AddGrants(tokens []domain.APITokenView) error {
	ids, perID := make([]domain.APITokenID, len(tokens)), make(map[domain.APITokenID]*domain.APITokenView, len(tokens))
	for i := range tokens {
		ids[i], perID[tokens[i].ID] = tokens[i].ID, &tokens[i]
	}
	return eachChunk(ids, func(some []domain.APITokenID) error {
		statement := clauseOf(`SELECT g.token_id, o.slug FROM api_token_organizations g
			JOIN organizations o ON o.id = g.organization_id
			WHERE ? ORDER BY o.slug`, oneOf(`g.token_id`, some))
		return tx.run(statement, func(r *db.Row) error {
			token := perID[domain.APITokenID(r.Text())]
			token.Organizations = append(token.Organizations, r.Text())
			return nil
		})
	})
}

const selectAPIToken = `SELECT {columns} FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE {where}`

// APIToken returns the token with that id, without its organizations.
func (tx Tx) APIToken(id domain.APITokenID) (domain.APITokenView, bool, error) {
	return selectOne(tx, apiTokenView.read, fill(selectAPIToken, map[string]string{"columns": apiTokenView.columns,
		"where": `t.id = $1`}), id)
}

// APITokenByHash returns the token whose value has that hash, without its organizations.
func (tx Tx) APITokenByHash(hash string) (domain.APITokenView, bool, error) {
	return selectOne(tx, apiTokenView.read, fill(selectAPIToken, map[string]string{"columns": apiTokenView.columns,
		"where": `t.hash = $1`}), hash)
}

// GrantsOf returns the organizations that a token was granted.
func (tx Tx) GrantsOf(token domain.APITokenID) ([]domain.OrganizationID, error) {
	return all(tx, scanID[domain.OrganizationID],
		`SELECT organization_id FROM api_token_organizations WHERE token_id = $1 ORDER BY organization_id`, token)
}

// RevokeGrant takes an organization away from a token, and reports whether it had it.
func (tx Tx) RevokeGrant(token domain.APITokenID, organization domain.OrganizationID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM api_token_organizations WHERE token_id = $1 AND organization_id = $2`, token,
		organization)
	return n > 0, err
}

// unusedTooLong is the condition that a token t was not used for as long as an organization o lets its tokens be idle.
// The rule is domain.APIToken.UnusedFor.
func unusedTooLong(now time.Time) clause {
	return clauseOf(`(o.revoke_inactive_tokens_after_days > 0
		AND COALESCE(t.last_used_at, t.created_at) <= ? - o.revoke_inactive_tokens_after_days * 86400000000)`, db.Micros(now))
}

// UnusedGrants returns the organizations that a token was granted and has not been used for too long for.
func (tx Tx) UnusedGrants(token domain.APITokenID, now time.Time) (ids []domain.OrganizationID, err error) {
	statement := clauseOf(`SELECT g.organization_id FROM api_token_organizations g
		JOIN api_tokens t ON t.id = g.token_id JOIN organizations o ON o.id = g.organization_id
		WHERE g.token_id = ? AND ?`, token, unusedTooLong(now))
	err = tx.run(statement, func(r *db.Row) error {
		ids = append(ids, domain.OrganizationID(r.Text()))
		return nil
	})
	return ids, err
}

// Grant is an organization that a token was granted.
type Grant struct {
	Token        domain.APITokenID
	Organization domain.OrganizationID
}

// Name names the grant among items that loops work on.
func (g Grant) Name() string { return string(g.Token) + "/" + string(g.Organization) }

// AllUnusedGrants returns grants of live tokens that have not been used for too long for the organization, at most so
// many.
func (tx Tx) AllUnusedGrants(now, at time.Time, limit int) (grants []Grant, err error) {
	statement := clauseOf(`SELECT g.token_id, g.organization_id FROM organizations o
		JOIN api_token_organizations g ON g.organization_id = o.id JOIN api_tokens t ON t.id = g.token_id
		WHERE ? AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?)`+
		ifDue(RevokeInactiveTokens, "g.token_id || '/' || g.organization_id", "?")+`
		ORDER BY g.token_id, g.organization_id LIMIT ?`,
		unusedTooLong(at), db.Micros(at), db.Micros(now), limit)
	err = tx.run(statement, func(r *db.Row) error {
		grants = append(grants, Grant{domain.APITokenID(r.Text()), domain.OrganizationID(r.Text())})
		return nil
	})
	return grants, err
}

// InsertAPIToken stores a new token of a user under the hash of its value, and grants it organizations, of
// each of which the user is a member. It returns an Invalid error if the value is taken.
func (tx Tx) InsertAPIToken(t domain.APIToken, hash string, user domain.UserID,
	organizations []domain.OrganizationID) error {
	if err := apiTokens.insert(tx.exec, t, set("hash", hash), set("user_id", user)); err != nil {
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
	var c columns
	err = tx.Query(`SELECT `+apiTokenView.columns+`, o.slug
		FROM api_tokens t JOIN users u ON u.id = t.user_id
		LEFT JOIN api_token_organizations g ON g.token_id = t.id
		LEFT JOIN organizations o ON o.id = g.organization_id
		WHERE ($1 = '' OR u.email_key = $1) AND ($2 = '' OR EXISTS (SELECT 1 FROM api_token_organizations f
			JOIN organizations fo ON fo.id = f.organization_id WHERE f.token_id = t.id AND fo.slug = $2))
		ORDER BY t.created_at, t.id, o.slug`, func(r *db.Row) error {
		c.row = r
		var view domain.APITokenView
		apiTokenView.read(&c, &view)
		if last := len(views) - 1; last < 0 || views[last].ID != view.ID {
			views = append(views, view)
		}
		if slug := r.NullText(); slug != nil {
			last := &views[len(views)-1]
			last.Organizations = append(last.Organizations, *slug)
		}
		return c.err
	}, domain.EmailKey(filter.User), filter.Organization)
	return views, err
}

// TouchToken records that a token was used.
func (tx Tx) TouchToken(id domain.APITokenID, address string, at time.Time) error {
	return tx.exec(`UPDATE api_tokens SET last_used_at = $2, last_used_address = $3
		WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`, id, db.Micros(at), address)
}

// RevokeToken revokes a token and reports whether it was live until then.
func (tx Tx) RevokeToken(id domain.APITokenID, at time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE api_tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL`, id, db.Micros(at))
	return n > 0, err
}

// VisibleTokens returns those of the API access tokens that are a caller's own, or reach an organization that they
// administer, but for suspended ones.
func (tx Tx) VisibleTokens(c authz.Credential, caller *authz.Identity, suspended []domain.OrganizationID,
	ids []domain.APITokenID) (tokens []*domain.APIToken, err error) {
	err = eachChunk(ids, func(some []domain.APITokenID) error {
		a := accessOf(c, caller)
		statement := clauseOf(`SELECT `+apiTokens.columns+` FROM api_tokens t WHERE ?
			AND (t.user_id = ? OR EXISTS (SELECT 1 FROM `+a.tables+` JOIN api_token_organizations tg ON tg.organization_id = o.id
				WHERE tg.token_id = t.id AND `+a.role+` = 'admin' AND ? AND NOT ?))`,
			oneOf(`t.id`, some), caller.User.ID, a.condition(), oneOf(`o.id`, suspended))
		return readPointers(tx, apiTokens.selection, statement, &tokens)
	})
	return tokens, err
}
