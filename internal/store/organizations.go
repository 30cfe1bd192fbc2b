package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

// OrganizationBySlug returns the organization with that slug.
func (tx Tx) OrganizationBySlug(slug string) (domain.Organization, bool, error) {
	return one(tx, scanOrganization, `SELECT `+organizationColumns+` FROM organizations o WHERE o.slug = $1`, slug)
}

// InsertOrganization stores a new organization, which has no clusters yet. It returns an Invalid error if its
// slug is taken.
func (tx Tx) InsertOrganization(o domain.Organization) error {
	err := tx.exec(`INSERT INTO organizations (id, slug, name, name_key, created_at, plan, billing_anchor, billing_parent_id,
			cluster_writes, maintainers_can_destroy_cache_registries, members_can_create_pipelines, default_cluster_id,
			allowed_api_ip_addresses, revoke_inactive_tokens_after_days, audit_retention_days, clusters_count)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0)`,
		o.ID, o.Slug, o.Name, domain.SortKey(o.Name), db.Micros(o.CreatedAt), o.Plan, o.BillingAnchor, o.BillingParentID,
		o.Settings.ClusterWrites, o.Settings.MaintainersCanDestroyCacheRegistries, o.Settings.MembersCanCreatePipelines,
		o.Settings.DefaultClusterID, o.Settings.AllowedAPIIPAddresses, o.Settings.RevokeInactiveTokensAfterDays, o.Settings.AuditRetentionDays)
	return taken(err, "slug", domain.SlugTaken)
}

// IsBillingParent reports whether other organizations are billed with this one.
func (tx Tx) IsBillingParent(id domain.OrganizationID) (bool, error) {
	return tx.has(`SELECT 1 FROM organizations WHERE billing_parent_id = $1 LIMIT 1`, id)
}

// SetBillingParent stores with which organization another is billed.
func (tx Tx) SetBillingParent(id domain.OrganizationID, parent *domain.OrganizationID) error {
	return tx.exec(`UPDATE organizations SET billing_parent_id = $2 WHERE id = $1`, id, parent)
}

// SetDefaultCluster stores to which cluster an organization's new pipelines go.
func (tx Tx) SetDefaultCluster(id domain.OrganizationID, cluster *domain.ClusterID) error {
	return tx.exec(`UPDATE organizations SET default_cluster_id = $2 WHERE id = $1`, id, cluster)
}

// MemberByEmail returns the user with that e-mail address if they are a member of the organization with that slug.
func (tx Tx) MemberByEmail(organization, email string) (domain.User, bool, error) {
	return one(tx, scanUser, `SELECT `+userColumns+` FROM users u
		JOIN organization_members m ON m.user_id = u.id
		JOIN organizations o ON o.id = m.organization_id
		WHERE o.slug = $1 AND u.email_key = $2`, organization, domain.EmailKey(email))
}

// IsMember reports whether a user is a member of an organization.
func (tx Tx) IsMember(organization domain.OrganizationID, user domain.UserID) (bool, error) {
	return tx.has(`SELECT 1 FROM organization_members WHERE organization_id = $1 AND user_id = $2`, organization, user)
}

// InsertMember makes a user, known to the caller by email, a member of an organization; an empty by is nobody.
// It returns an Invalid error if they are one already.
func (tx Tx) InsertMember(m domain.Member, email string, by domain.UserID) error {
	err := tx.exec(`INSERT INTO organization_members (id, organization_id, user_id, role, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6)`,
		m.ID, m.OrganizationID, m.UserID, m.Role, db.Micros(m.CreatedAt), nullUser(by))
	return taken(err, "user", domain.AlreadyAMember(email))
}
