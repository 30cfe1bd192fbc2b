package store

import (
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

const (
	tokenColumns = `t.id, t.description, t.scopes, t.allowed_ip_addresses, t.created_at, t.expires_at, t.revoked_at, t.last_used_at`
	userColumns  = `u.id, u.name, u.email, u.created_at`

	organizationColumns = `o.id, o.slug, o.name, o.created_at, o.plan, o.billing_anchor, o.billing_parent_id,
		o.cluster_writes, o.maintainers_can_destroy_cache_registries, o.members_can_create_pipelines, o.default_cluster_id,
		o.allowed_api_ip_addresses, o.revoke_inactive_tokens_after_days, o.audit_retention_days`
)

// identitySQL is the columns and tables of an identity: the credential t with the hash $1, its user, and what both are to the
// organization with the slug $2. They stand first in the statements that also read what is asked for, so that a request costs
// one statement.
type identitySQL struct{ columns, tables string }

const organizationOfUser = `
	JOIN users u ON u.id = t.user_id
	LEFT JOIN organizations o ON o.slug = $2
	LEFT JOIN organization_members m ON m.organization_id = o.id AND m.user_id = t.user_id`

// identities has the SQL of each kind of credential. To the rest of a statement, sessions and portal tokens look like tokens.
var identities = [...]identitySQL{
	authz.APIToken: {
		columns: tokenColumns + `, ` + userColumns + `, ` + organizationColumns + `, m.role, g.token_id IS NOT NULL`,
		tables: `api_tokens t` + organizationOfUser + `
	LEFT JOIN api_token_organizations g ON g.token_id = t.id AND g.organization_id = o.id`,
	},
	authz.Session: {
		columns: `t.id, '', '', '', t.created_at, t.expires_at, NULL, t.created_at, ` + userColumns + `, ` + organizationColumns + `, m.role, m.role IS NOT NULL`,
		tables:  `user_sessions t` + organizationOfUser,
	},
	authz.PortalToken: {
		columns: `t.id, '', '', pt.allowed_ip_addresses, t.created_at, t.expires_at, NULL, NULL, NULL, NULL, NULL, NULL, ` + organizationColumns + `,
			CASE WHEN o.id = pt.organization_id THEN 'admin' END, o.id = pt.organization_id, pt.id, pt.name`,
		tables: `(SELECT hash, id, portal_id, created_at, expires_at, CAST(NULL AS TEXT) AS user_id FROM portal_tokens) t
	JOIN portals pt ON pt.id = t.portal_id
	LEFT JOIN organizations o ON o.slug = $2`,
	},
}

// perCredential returns a statement for each kind of credential.
func perCredential(statement func(identitySQL) string) (texts [len(identities)]string) {
	for kind, identity := range identities {
		texts[kind] = statement(identity)
	}
	return texts
}

func scanToken(r *db.Row) domain.APIToken {
	return domain.APIToken{
		ID:                 domain.APITokenID(r.Text()),
		Description:        r.Text(),
		Scopes:             domain.ScopesFromText(r.Text()),
		AllowedIPAddresses: r.Text(),
		CreatedAt:          r.Time(),
		ExpiresAt:          r.NullTime(),
		RevokedAt:          r.NullTime(),
		LastUsedAt:         r.NullTime(),
	}
}

func scanUser(r *db.Row) domain.User {
	return domain.User{ID: domain.UserID(r.Text()), Name: r.Text(), Email: r.Text(), CreatedAt: r.Time()}
}

// scanNullUser reads a user who may be absent.
func scanNullUser(r *db.Row) *domain.User {
	if r.Null() {
		r.Skip(4)
		return nil
	}
	u := scanUser(r)
	return &u
}

// scanNullUserAfter is scanNullUser for rows of which many have the same user as the row before.
func scanNullUserAfter(r *db.Row, last *domain.User) *domain.User {
	if r.Null() || last == nil {
		return scanNullUser(r)
	}
	id := domain.UserID(r.Text())
	if id == last.ID {
		r.Skip(3)
		return last
	}
	return &domain.User{ID: id, Name: r.Text(), Email: r.Text(), CreatedAt: r.Time()}
}

func scanOrganization(r *db.Row) domain.Organization {
	return domain.Organization{
		ID:              domain.OrganizationID(r.Text()),
		Slug:            r.Text(),
		Name:            r.Text(),
		CreatedAt:       r.Time(),
		Plan:            domain.Plan(r.Text()),
		BillingAnchor:   r.Text(),
		BillingParentID: nullID[domain.OrganizationID](r),
		Settings: domain.OrganizationSettings{
			ClusterWrites:                        domain.ClusterWrites(r.Text()),
			MaintainersCanDestroyCacheRegistries: r.Bool(),
			MembersCanCreatePipelines:            r.Bool(),
			DefaultClusterID:                     nullID[domain.ClusterID](r),
			AllowedAPIIPAddresses:                r.Text(),
			RevokeInactiveTokensAfterDays:        r.Int(),
			AuditRetentionDays:                   r.Int(),
		},
	}
}

func scanIdentity(r *db.Row, c authz.Credential) authz.Identity {
	id := authz.Identity{
		Token:        scanToken(r),
		User:         scanUser(r),
		Organization: scanOrganization(r),
		Role:         domain.Role(r.Text()),
		Granted:      r.Bool(),
	}
	if c.Kind == authz.PortalToken {
		id.Portal = domain.PortalActor{ID: domain.PortalID(r.Text()), Name: r.Text()}
	}
	return id
}

var selectIdentity = perCredential(func(identity identitySQL) string {
	return `SELECT ` + identity.columns + ` FROM ` + identity.tables + ` WHERE t.hash = $1`
})

// Identity returns the identity that a credential proves, in the organization of that slug.
func (tx Tx) Identity(c authz.Credential, organization string) (authz.Identity, bool, error) {
	return one(tx, func(r *db.Row) authz.Identity { return scanIdentity(r, c) }, selectIdentity[c.Kind], c.Hash, organization)
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

// OrganizationsOf returns a page of the organizations that a token was granted and its user belongs to, by name, but for barred ones.
func (tx Tx) OrganizationsOf(token domain.APITokenID, barred []domain.OrganizationID, page domain.Page) (domain.Paged[domain.Organization], error) {
	var a arguments
	reached := ` FROM api_token_organizations g
		JOIN organizations o ON o.id = g.organization_id
		JOIN organization_members m ON m.organization_id = g.organization_id AND m.user_id = g.user_id
		WHERE g.token_id = ` + a.add(token) + ` AND NOT ` + in(&a, `o.id`, barred)
	total, _, err := one(tx, (*db.Row).Int, `SELECT count(*)`+reached, a.values...)
	if err != nil {
		return domain.Paged[domain.Organization]{}, err
	}
	part := ` ORDER BY o.name_key, o.id` + limit(page.Size) + ` OFFSET ` + a.add(page.Offset())
	items, err := all(tx, scanOrganization, `SELECT `+organizationColumns+reached+part, a.values...)
	return domain.Paged[domain.Organization]{Items: items, Total: total}, err
}
