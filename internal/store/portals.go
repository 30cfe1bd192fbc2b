package store

import (
	"errors"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	portals = tableOf("portals", "po", func(c *columns, p *domain.Portal) {
		mapText(c, "id", &p.ID)
		mapText(c, "organization_id", &p.OrganizationID)
		mapTime(c, "created_at", &p.CreatedAt)
		c.changing()
		mapText(c, "slug", &p.Slug)
		mapText(c, "name", &p.Name)
		c.writeKey("name_key", domain.SortKey, p.Name)
		mapNullText(c, "description", &p.Description)
		mapText(c, "query", &p.Query)
		mapNullText(c, "allowed_ip_addresses", &p.AllowedIPAddresses)
		mapBool(c, "user_invokable", &p.UserInvokable)
	})

	portalView = selecting(func(c *columns, v *domain.PortalView) {
		portals.visit(c, &v.Portal)
		mapOptionalUser(c, "cb", &v.CreatedBy)
	})

	// PortalRows are the portals of organizations.
	PortalRows = Rows[*domain.PortalView]{
		items: pointersTo(portalView), tables: `portals po`, joins: `LEFT JOIN users cb ON cb.id = po.created_by`,
		id:           textKey(`po.id`, func(p *domain.PortalView) string { return string(p.ID) }),
		organization: `po.organization_id`,
	}

	portalTokens = tableOf("portal_tokens", "pt", func(c *columns, t *domain.PortalToken) {
		mapText(c, "id", &t.ID)
		mapText(c, "portal_id", &t.PortalID)
		mapNullText(c, "secret_id", &t.SecretID)
		mapNullText(c, "user_id", &t.UserID)
		mapText(c, "description", &t.Description)
		mapTime(c, "created_at", &t.CreatedAt)
		mapNullTime(c, "expires_at", &t.ExpiresAt)
	})

	portalTokenView = selecting(func(c *columns, v *domain.PortalTokenView) {
		portalTokens.visit(c, &v.PortalToken)
		mapOptionalUser(c, "cb", &v.CreatedBy)
	})

	memberPortalToken = selecting(func(c *columns, v *domain.MemberPortalToken) {
		portalTokens.visit(c, &v.PortalToken)
		users.visit(c, &v.User)
		mapText(c, "po.name", &v.PortalName)
		mapText(c, "po.slug", &v.PortalSlug)
		mapText(c, "o.id", &v.OrganizationID)
		mapText(c, "o.name", &v.OrganizationName)
		mapText(c, "o.slug", &v.OrganizationSlug)
	})

	memberPortalTokenRows = Rows[*domain.MemberPortalToken]{
		items: pointersTo(memberPortalToken), tables: `portal_tokens pt`,
		joins: `JOIN users u ON u.id = pt.user_id JOIN portals po ON po.id = pt.portal_id
			JOIN organizations o ON o.id = po.organization_id`,
		id: textKey(`pt.id`, func(t *domain.MemberPortalToken) string { return string(t.ID) }),
	}

	portalSecrets = tableOf("portal_secrets", "ps", func(c *columns, s *domain.PortalSecret) {
		mapText(c, "id", &s.ID)
		mapText(c, "portal_id", &s.PortalID)
		mapText(c, "description", &s.Description)
		mapTime(c, "created_at", &s.CreatedAt)
	})

	portalSecretView = selecting(func(c *columns, v *domain.PortalSecretView) {
		portalSecrets.visit(c, &v.PortalSecret)
		mapOptionalUser(c, "cb", &v.CreatedBy)
	})
)

// PortalsOf lists the portals of organizations whose names have a text in them, in any case.
func PortalsOf(search string, order domain.Order) List[*domain.PortalView] {
	l := newList(PortalRows, "portals", `po.organization_id`, `organizations`, order, search)
	l.sort(order,
		textKey(`po.name_key`, func(p *domain.PortalView) string { return domain.SortKey(p.Name) }),
		timeKey(`po.created_at`, func(p *domain.PortalView) time.Time { return p.CreatedAt }))
	l.whereNamed(`po.name_key`, search)
	return l
}

// InvokablePortalsOf lists the portals of organizations that members may run as themselves, by name.
func InvokablePortalsOf() List[*domain.PortalView] {
	l := PortalsOf("", domain.ByName)
	l.where(clauseOf(`po.user_invokable`))
	return l
}

// PortalTokensOf lists the tokens of portals that are live, the oldest first, without the ephemeral ones.
func PortalTokensOf(now time.Time) List[*domain.PortalTokenView] {
	l := newList(Rows[*domain.PortalTokenView]{
		items: pointersTo(portalTokenView), tables: `portal_tokens pt`, joins: `LEFT JOIN users cb ON cb.id = pt.created_by`,
		id: textKey(`pt.id`, func(t *domain.PortalTokenView) string { return string(t.ID) }),
	}, "portal tokens", `pt.portal_id`, `portals`)
	l.sortBy(timeKey(`pt.created_at`, func(t *domain.PortalTokenView) time.Time { return t.CreatedAt }))
	l.where(clauseOf(`pt.secret_id IS NULL AND pt.user_id IS NULL AND (pt.expires_at IS NULL OR pt.expires_at > ?)`,
		db.Micros(now)))
	return l
}

// MemberPortalTokensOf lists the live tokens with which programs run portals as members, the newest first.
func MemberPortalTokensOf(now time.Time) List[*domain.MemberPortalToken] {
	return listMemberPortalTokens("member portal tokens", `pt.portal_id`, `portals`, now)
}

// OwnPortalTokens lists the live tokens with which programs run portals as users, the newest first.
func OwnPortalTokens(now time.Time) List[*domain.MemberPortalToken] {
	return listMemberPortalTokens("own portal tokens", `pt.user_id`, `users`, now)
}

func listMemberPortalTokens(name, parent, parents string, now time.Time) List[*domain.MemberPortalToken] {
	l := newList(memberPortalTokenRows, name, parent, parents)
	l.sortBy(timeKey(`pt.created_at`, func(t *domain.MemberPortalToken) time.Time { return t.CreatedAt }))
	l.descending = true
	l.where(clauseOf(`pt.user_id IS NOT NULL AND pt.expires_at > ?`, db.Micros(now)))
	return l
}

// PortalSecretsOf lists the secrets of portals, the oldest first.
func PortalSecretsOf() List[*domain.PortalSecretView] {
	l := newList(Rows[*domain.PortalSecretView]{
		items: pointersTo(portalSecretView), tables: `portal_secrets ps`,
		joins: `LEFT JOIN users cb ON cb.id = ps.created_by`,
		id:    textKey(`ps.id`, func(s *domain.PortalSecretView) string { return string(s.ID) }),
	}, "portal secrets", `ps.portal_id`, `portals`)
	l.sortBy(timeKey(`ps.created_at`, func(s *domain.PortalSecretView) time.Time { return s.CreatedAt }))
	return l
}

// InPortal is what a request about a portal depends on.
type InPortal struct {
	authz.Identity
	Target domain.PortalView // zero when the organization has no such portal
}

var selectInPortal = requestFor(func(in *InPortal) *authz.Identity {
	return &in.Identity
}, func(c *columns, in *InPortal) {
	portalView.read(c, &in.Target)
}, `LEFT JOIN portals po ON po.organization_id = o.id AND po.slug = $3 LEFT JOIN users cb ON cb.id = po.created_by`)

// InPortal returns the identity that a credential proves together with a portal of its organization.
func (tx Tx) InPortal(c authz.Credential, organization domain.OrganizationRef, slug string) (InPortal, bool, error) {
	return selectInPortal.run(tx, c, organization, slug)
}

// knowsPortal is the condition that a user made a portal po, or a token or a secret of it: they may know a credential
// of it.
func knowsPortal(user domain.UserID) clause {
	return clauseOf(`(po.created_by = ? OR EXISTS (SELECT 1 FROM portal_tokens k WHERE k.portal_id = po.id
		AND k.secret_id IS NULL AND k.user_id IS NULL AND k.created_by = ?)
		OR EXISTS (SELECT 1 FROM portal_secrets k WHERE k.portal_id = po.id AND k.created_by = ?))`, user, user, user)
}

// PortalsKnownBy lists the portals of organizations of which a user may know a credential, by name.
func PortalsKnownBy(user domain.UserID) List[*domain.PortalView] {
	l := PortalsOf("", domain.ByName) // of which a cursor leads to the same place
	l.where(knowsPortal(user))
	return l
}

// AllPortalsKnownBy returns the portals of all organizations of which a user may know a credential, by organization and
// slug.
func (tx Tx) AllPortalsKnownBy(user domain.UserID) (portals []domain.PortalDocument, err error) {
	statement := clauseOf(`SELECT po.id, o.slug, po.slug FROM portals po JOIN organizations o ON o.id = po.organization_id
		WHERE ? ORDER BY o.slug, po.slug`, knowsPortal(user))
	err = tx.run(statement, func(r *db.Row) error {
		portals = append(portals, domain.PortalDocument{ID: domain.PortalID(r.Text()), Organization: r.Text(),
			Slug: r.Text()})
		return nil
	})
	return portals, err
}

// PortalDocuments returns what all portals run, by organization and slug.
func (tx Tx) PortalDocuments() ([]domain.PortalDocument, error) {
	return all(tx, func(r *db.Row) domain.PortalDocument {
		return domain.PortalDocument{ID: domain.PortalID(r.Text()), Organization: r.Text(), Slug: r.Text(), Query: r.Text()}
	}, `SELECT po.id, o.slug, po.slug, po.query FROM portals po JOIN organizations o ON o.id = po.organization_id
		ORDER BY o.slug, po.slug`)
}

// InsertPortal stores a new portal. It returns an Invalid error if its slug is taken.
func (tx Tx) InsertPortal(p domain.Portal, by domain.UserID) error {
	return taken(portals.insert(tx.exec, p, setUser("created_by", by)), "slug", domain.SlugTaken)
}

// UpdatePortal stores the portal's changed state. It returns an Invalid error if its slug is taken.
func (tx Tx) UpdatePortal(p domain.Portal) error {
	return taken(portals.update(tx.exec, p), "slug", domain.SlugTaken)
}

// DeletePortal deletes a portal with its tokens and secrets.
func (tx Tx) DeletePortal(id domain.PortalID) error {
	return tx.exec(`DELETE FROM portals WHERE id = $1`, id)
}

// PortalToken returns one token of a portal.
func (tx Tx) PortalToken(portal domain.PortalID, id domain.PortalTokenID) (domain.PortalTokenView, bool, error) {
	return selectOne(tx, portalTokenView.read, `SELECT `+portalTokenView.columns+` FROM portal_tokens pt
		LEFT JOIN users cb ON cb.id = pt.created_by WHERE pt.portal_id = $1 AND pt.id = $2`, portal, id)
}

// OwnPortalToken returns one live token with which programs run a portal as a user.
func (tx Tx) OwnPortalToken(user domain.UserID, id domain.PortalTokenID, now time.Time) (
	domain.MemberPortalToken, bool, error) {
	return selectOne(tx, memberPortalToken.read, `SELECT `+memberPortalToken.columns+` FROM portal_tokens pt
		`+memberPortalTokenRows.joins+`
		WHERE pt.user_id = $1 AND pt.id = $2 AND pt.expires_at > $3`, user, id, db.Micros(now))
}

// InsertPortalToken stores a new token of a portal under the hash of its value. It returns an Unauthenticated error if
// the secret that it was made with is gone.
func (tx Tx) InsertPortalToken(t domain.PortalToken, hash string, by domain.UserID) error {
	err := portalTokens.insert(tx.exec, t, set("hash", hash), setUser("created_by", by))
	if t.SecretID != nil && errors.Is(err, db.ErrForeignKey) {
		return domain.NewError(domain.Unauthenticated, "Authentication required")
	}
	return err
}

// DeletePortalToken deletes a token of a portal.
func (tx Tx) DeletePortalToken(id domain.PortalTokenID) error {
	return tx.exec(`DELETE FROM portal_tokens WHERE id = $1`, id)
}

// DeleteMemberPortalTokens deletes with what programs run a portal as members: their tokens, and the codes that they
// authorized.
func (tx Tx) DeleteMemberPortalTokens(portal domain.PortalID) error {
	if err := tx.exec(`DELETE FROM portal_token_codes WHERE portal_id = $1`, portal); err != nil {
		return err
	}
	return tx.exec(`DELETE FROM portal_tokens WHERE portal_id = $1 AND user_id IS NOT NULL`, portal)
}

// PrunePortalTokens deletes tokens that have expired, at most limit, and returns how many.
func (tx Tx) PrunePortalTokens(now time.Time, limit int) (int64, error) {
	return tx.Exec(
		`DELETE FROM portal_tokens WHERE hash IN (SELECT hash FROM portal_tokens WHERE expires_at <= $1 LIMIT $2)`,
		db.Micros(now), limit)
}

var portalAuthorizations = tableOf("portal_token_codes", "pa", func(c *columns, a *domain.PortalAuthorization) {
	mapText(c, "code", &a.Code)
	mapText(c, "portal_id", &a.PortalID)
	mapText(c, "user_id", &a.UserID)
	mapTime(c, "created_at", &a.CreatedAt)
	mapTime(c, "expires_at", &a.ExpiresAt)
})

// InsertPortalAuthorization stores that a user authorized a code. It returns an Invalid error if somebody did already.
func (tx Tx) InsertPortalAuthorization(a domain.PortalAuthorization) error {
	return taken(portalAuthorizations.insert(tx.exec, a), "code", domain.RefusedPortalCode)
}

// ConsumePortalAuthorization deletes and returns who authorized a code, if it has not expired. Others cannot change its
// portal until the transaction ends.
func (tx Tx) ConsumePortalAuthorization(code domain.PortalCode, now time.Time) (
	domain.PortalAuthorization, bool, error) {
	authorized, found, err := selectOne(tx, portalAuthorizations.read,
		`SELECT `+portalAuthorizations.columns+` FROM portal_token_codes pa
		WHERE pa.code = $1 AND pa.expires_at > $2`, code, db.Micros(now))
	if err != nil || !found {
		return authorized, false, err
	}
	if err := tx.LockPortal(authorized.PortalID); err != nil {
		return authorized, false, err
	}
	deleted, err := tx.Exec(`DELETE FROM portal_token_codes WHERE code = $1`, code)
	return authorized, deleted == 1, err // by nobody else at this very moment
}

// PrunePortalAuthorizations deletes authorized codes that have expired, at most limit, and returns how many.
func (tx Tx) PrunePortalAuthorizations(now time.Time, limit int) (int64, error) {
	return tx.Exec(
		`DELETE FROM portal_token_codes WHERE code IN (SELECT code FROM portal_token_codes WHERE expires_at <= $1 LIMIT $2)`,
		db.Micros(now), limit)
}

// PortalSecretsCount returns how many secrets a portal has.
func (tx Tx) PortalSecretsCount(portal domain.PortalID) (int64, error) {
	n, _, err := one(tx, (*db.Row).Int, `SELECT count(*) FROM portal_secrets WHERE portal_id = $1`, portal)
	return n, err
}

// PortalSecret returns one secret of a portal.
func (tx Tx) PortalSecret(portal domain.PortalID, id domain.PortalSecretID) (domain.PortalSecretView, bool, error) {
	return selectOne(tx, portalSecretView.read, `SELECT `+portalSecretView.columns+` FROM portal_secrets ps
		LEFT JOIN users cb ON cb.id = ps.created_by WHERE ps.portal_id = $1 AND ps.id = $2`, portal, id)
}

// InsertPortalSecret stores a new secret of a portal under the hash of its value.
func (tx Tx) InsertPortalSecret(s domain.PortalSecret, hash string, by domain.UserID) error {
	return portalSecrets.insert(tx.exec, s, set("hash", hash), setUser("created_by", by))
}

// DeletePortalSecret deletes a secret of a portal with the tokens that were made with it.
func (tx Tx) DeletePortalSecret(id domain.PortalSecretID) error {
	return tx.exec(`DELETE FROM portal_secrets WHERE id = $1`, id)
}

// GrantedPortal is the portal that a secret proves to be.
type GrantedPortal struct {
	authz.Identity
	Secret domain.PortalSecret
}

var grantedPortal = selecting(func(c *columns, p *GrantedPortal) {
	organizations.visit(c, &p.Organization)
	portalSecrets.visit(c, &p.Secret)
	mapText(c, "po.id", &p.Portal.ID)
	mapText(c, "po.name", &p.Portal.Name)
	mapText(c, "po.allowed_ip_addresses", &p.Token.AllowedIPAddresses)
})

// PortalBySecret returns the portal with that address and id if a secret of it has that hash.
func (tx Tx) PortalBySecret(hash string, organization, slug string, id domain.PortalID) (GrantedPortal, bool, error) {
	granted, found, err := selectOne(tx, grantedPortal.read, `SELECT `+grantedPortal.columns+` FROM portal_secrets ps
		JOIN portals po ON po.id = ps.portal_id JOIN organizations o ON o.id = po.organization_id
		WHERE ps.hash = $1 AND o.slug = $2 AND po.slug = $3 AND po.id = $4`, hash, organization, slug, id)
	granted.Role, granted.Granted = domain.RoleAdmin, true
	return granted, found, err
}
