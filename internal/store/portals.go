package store

import (
	"errors"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	portalColumns = `po.id, po.organization_id, po.slug, po.name, po.description, po.query, po.allowed_ip_addresses, po.created_at, ` + creatorColumns

	portalTokenColumns = `pk.id, pk.portal_id, pk.secret_id, pk.description, pk.created_at, pk.expires_at, ` + creatorColumns
	portalTokenJoins   = `LEFT JOIN users cb ON cb.id = pk.created_by`

	portalSecretColumns = `ps.id, ps.portal_id, ps.description, ps.created_at`
	portalSecretJoins   = `LEFT JOIN users cb ON cb.id = ps.created_by`
)

func scanPortal(r *db.Row) domain.PortalView {
	return domain.PortalView{
		Portal: domain.Portal{
			ID:                 domain.PortalID(r.Text()),
			OrganizationID:     domain.OrganizationID(r.Text()),
			Slug:               r.Text(),
			Name:               r.Text(),
			Description:        r.NullText(),
			Query:              r.Text(),
			AllowedIPAddresses: r.NullText(),
			CreatedAt:          r.Time(),
		},
		CreatedBy: scanNullUser(r),
	}
}

func scanPortalToken(r *db.Row) domain.PortalTokenView {
	return domain.PortalTokenView{
		PortalToken: domain.PortalToken{
			ID:          domain.PortalTokenID(r.Text()),
			PortalID:    domain.PortalID(r.Text()),
			SecretID:    nullID[domain.PortalSecretID](r),
			Description: r.Text(),
			CreatedAt:   r.Time(),
			ExpiresAt:   r.NullTime(),
		},
		CreatedBy: scanNullUser(r),
	}
}

func scanPortalSecret(r *db.Row) domain.PortalSecret {
	return domain.PortalSecret{
		ID:          domain.PortalSecretID(r.Text()),
		PortalID:    domain.PortalID(r.Text()),
		Description: r.Text(),
		CreatedAt:   r.Time(),
	}
}

func scanPortalSecretView(r *db.Row) domain.PortalSecretView {
	return domain.PortalSecretView{PortalSecret: scanPortalSecret(r), CreatedBy: scanNullUser(r)}
}

// InPortal is what a request about a portal depends on.
type InPortal struct {
	authz.Identity
	Target domain.PortalView // zero when the organization has no such portal
}

var selectInPortal = perCredential(func(identity identitySQL) string {
	return `SELECT ` + identity.columns + `, ` + portalColumns + ` FROM ` + identity.tables + `
		LEFT JOIN portals po ON po.organization_id = o.id AND po.slug = $3
		LEFT JOIN users cb ON cb.id = po.created_by
		WHERE t.hash = $1`
})

// InPortal returns the identity that a credential proves together with a portal of its organization.
func (tx Tx) InPortal(c authz.Credential, organization, slug string) (InPortal, bool, error) {
	return one(tx, func(r *db.Row) InPortal {
		return InPortal{Identity: scanIdentity(r, c), Target: scanPortal(r)}
	}, selectInPortal[c.Kind], c.Hash, organization, slug)
}

// Portals returns a page of an organization's portals, by name.
func (tx Tx) Portals(organization domain.OrganizationID, page domain.Page) (domain.Paged[domain.PortalView], error) {
	return paged(tx, scanPortal, listing{
		columns: portalColumns, tables: `portals po`, joins: `LEFT JOIN users cb ON cb.id = po.created_by`,
		where: `po.organization_id = $1`, order: `po.name_key, po.id`,
	}, page, organization)
}

// PortalDocuments returns what all portals run, by organization and slug.
func (tx Tx) PortalDocuments() ([]domain.PortalDocument, error) {
	return all(tx, func(r *db.Row) domain.PortalDocument {
		return domain.PortalDocument{ID: domain.PortalID(r.Text()), Organization: r.Text(), Slug: r.Text(), Query: r.Text()}
	}, `SELECT po.id, o.slug, po.slug, po.query FROM portals po JOIN organizations o ON o.id = po.organization_id ORDER BY o.slug, po.slug`)
}

// InsertPortal stores a new portal. It returns an Invalid error if its slug is taken.
func (tx Tx) InsertPortal(p domain.Portal, by domain.UserID) error {
	err := tx.exec(`INSERT INTO portals (id, organization_id, slug, name, name_key, description, query, allowed_ip_addresses, created_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, p.ID, p.OrganizationID, p.Slug, p.Name, domain.SortKey(p.Name),
		p.Description, p.Query, p.AllowedIPAddresses, db.Micros(p.CreatedAt), nullUser(by))
	return taken(err, "slug", domain.SlugTaken)
}

// UpdatePortal stores the portal's changed state.
func (tx Tx) UpdatePortal(p domain.Portal) error {
	return tx.exec(`UPDATE portals SET name = $2, name_key = $3, description = $4, query = $5, allowed_ip_addresses = $6 WHERE id = $1`,
		p.ID, p.Name, domain.SortKey(p.Name), p.Description, p.Query, p.AllowedIPAddresses)
}

// DeletePortal deletes a portal with its tokens and secrets.
func (tx Tx) DeletePortal(id domain.PortalID) error {
	return tx.exec(`DELETE FROM portals WHERE id = $1`, id)
}

// PortalTokens returns a page of a portal's tokens that are live, the oldest first, without the ephemeral ones.
func (tx Tx) PortalTokens(portal domain.PortalID, now time.Time, page domain.Page) (domain.Paged[domain.PortalTokenView], error) {
	return paged(tx, scanPortalToken, listing{
		columns: portalTokenColumns, tables: `portal_tokens pk`, joins: portalTokenJoins,
		where: `pk.portal_id = $1 AND pk.secret_id IS NULL AND (pk.expires_at IS NULL OR pk.expires_at > $2)`, order: `pk.created_at, pk.id`,
	}, page, portal, db.Micros(now))
}

// PortalToken returns one token of a portal.
func (tx Tx) PortalToken(portal domain.PortalID, id domain.PortalTokenID) (domain.PortalTokenView, bool, error) {
	return one(tx, scanPortalToken, `SELECT `+portalTokenColumns+` FROM portal_tokens pk `+portalTokenJoins+`
		WHERE pk.portal_id = $1 AND pk.id = $2`, portal, id)
}

// InsertPortalToken stores a new token of a portal under the hash of its value. It returns an Unauthenticated error if the
// secret that it was made with is gone.
func (tx Tx) InsertPortalToken(t domain.PortalToken, hash string, by domain.UserID) error {
	err := tx.exec(`INSERT INTO portal_tokens (hash, id, portal_id, secret_id, description, created_at, created_by, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, hash, t.ID, t.PortalID, t.SecretID, t.Description,
		db.Micros(t.CreatedAt), nullUser(by), db.NullMicros(t.ExpiresAt))
	if t.SecretID != nil && errors.Is(err, db.ErrForeignKey) {
		return domain.NewError(domain.Unauthenticated, "Authentication required")
	}
	return err
}

// DeletePortalToken deletes a token of a portal.
func (tx Tx) DeletePortalToken(id domain.PortalTokenID) error {
	return tx.exec(`DELETE FROM portal_tokens WHERE id = $1`, id)
}

// PrunePortalTokens deletes tokens that have expired, at most limit, and returns how many.
func (tx Tx) PrunePortalTokens(now time.Time, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM portal_tokens WHERE hash IN (SELECT hash FROM portal_tokens WHERE expires_at <= $1 LIMIT $2)`, db.Micros(now), limit)
}

// PortalSecrets returns a page of a portal's secrets, the oldest first.
func (tx Tx) PortalSecrets(portal domain.PortalID, page domain.Page) (domain.Paged[domain.PortalSecretView], error) {
	return paged(tx, scanPortalSecretView, listing{
		columns: portalSecretColumns + `, ` + creatorColumns, tables: `portal_secrets ps`, joins: portalSecretJoins,
		where: `ps.portal_id = $1`, order: `ps.created_at, ps.id`,
	}, page, portal)
}

// PortalSecretsCount returns how many secrets a portal has.
func (tx Tx) PortalSecretsCount(portal domain.PortalID) (int64, error) {
	n, _, err := one(tx, (*db.Row).Int, `SELECT count(*) FROM portal_secrets WHERE portal_id = $1`, portal)
	return n, err
}

// PortalSecret returns one secret of a portal.
func (tx Tx) PortalSecret(portal domain.PortalID, id domain.PortalSecretID) (domain.PortalSecretView, bool, error) {
	return one(tx, scanPortalSecretView, `SELECT `+portalSecretColumns+`, `+creatorColumns+` FROM portal_secrets ps `+portalSecretJoins+`
		WHERE ps.portal_id = $1 AND ps.id = $2`, portal, id)
}

// InsertPortalSecret stores a new secret of a portal under the hash of its value.
func (tx Tx) InsertPortalSecret(s domain.PortalSecret, hash string, by domain.UserID) error {
	return tx.exec(`INSERT INTO portal_secrets (id, portal_id, hash, description, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6)`,
		s.ID, s.PortalID, hash, s.Description, db.Micros(s.CreatedAt), nullUser(by))
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

// PortalBySecret returns the portal with that address and id if a secret of it has that hash.
func (tx Tx) PortalBySecret(hash string, organization, slug string, id domain.PortalID) (GrantedPortal, bool, error) {
	return one(tx, func(r *db.Row) GrantedPortal {
		granted := GrantedPortal{
			Identity: authz.Identity{Organization: scanOrganization(r), Role: domain.RoleAdmin, Granted: true},
			Secret:   scanPortalSecret(r),
		}
		granted.Portal = domain.PortalActor{ID: granted.Secret.PortalID, Name: r.Text()}
		granted.Token.AllowedIPAddresses = r.Text()
		return granted
	}, `SELECT `+organizationColumns+`, `+portalSecretColumns+`, po.name, po.allowed_ip_addresses FROM portal_secrets ps
		JOIN portals po ON po.id = ps.portal_id JOIN organizations o ON o.id = po.organization_id
		WHERE ps.hash = $1 AND o.slug = $2 AND po.slug = $3 AND po.id = $4`, hash, organization, slug, id)
}
