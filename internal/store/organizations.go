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
			allowed_api_ip_addresses, revoke_inactive_tokens_after_days, audit_retention_days)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		o.ID, o.Slug, o.Name, domain.SortKey(o.Name), db.Micros(o.CreatedAt), o.Plan, o.BillingAnchor, o.BillingParentID,
		o.Settings.ClusterWrites, o.Settings.MaintainersCanDestroyCacheRegistries, o.Settings.MembersCanCreatePipelines,
		o.Settings.DefaultClusterID, o.Settings.AllowedAPIIPAddresses, o.Settings.RevokeInactiveTokensAfterDays, o.Settings.AuditRetentionDays)
	return taken(err, "slug", domain.SlugTaken)
}

// UpdateOrganization stores the organization's changed name and settings.
func (tx Tx) UpdateOrganization(o domain.Organization) error {
	return tx.exec(`UPDATE organizations SET name = $2, name_key = $3, cluster_writes = $4, maintainers_can_destroy_cache_registries = $5,
			members_can_create_pipelines = $6, default_cluster_id = $7, allowed_api_ip_addresses = $8,
			revoke_inactive_tokens_after_days = $9, audit_retention_days = $10
		WHERE id = $1`, o.ID, o.Name, domain.SortKey(o.Name), o.Settings.ClusterWrites, o.Settings.MaintainersCanDestroyCacheRegistries,
		o.Settings.MembersCanCreatePipelines, o.Settings.DefaultClusterID, o.Settings.AllowedAPIIPAddresses,
		o.Settings.RevokeInactiveTokensAfterDays, o.Settings.AuditRetentionDays)
}

// HasCluster reports whether an organization has a cluster.
func (tx Tx) HasCluster(organization domain.OrganizationID, id domain.ClusterID) (bool, error) {
	return tx.has(`SELECT 1 FROM clusters WHERE organization_id = $1 AND id = $2`, organization, id)
}

// IsBillingParent reports whether other organizations are billed with this one.
func (tx Tx) IsBillingParent(id domain.OrganizationID) (bool, error) {
	return tx.has(`SELECT 1 FROM organizations WHERE billing_parent_id = $1 LIMIT 1`, id)
}

// SetDefaultCluster stores to which cluster an organization's new pipelines go.
func (tx Tx) SetDefaultCluster(id domain.OrganizationID, cluster *domain.ClusterID) error {
	return tx.exec(`UPDATE organizations SET default_cluster_id = $2 WHERE id = $1`, id, cluster)
}

const (
	memberColumns = `m.id, m.organization_id, m.user_id, m.role, m.created_at, m.last_seen_on, o.slug, ` + userColumns + `, ` + creatorColumns
	memberJoins   = `JOIN organizations o ON o.id = m.organization_id JOIN users u ON u.id = m.user_id LEFT JOIN users cb ON cb.id = m.created_by`
)

func scanMember(r *db.Row) domain.MemberView {
	return domain.MemberView{
		Member: domain.Member{
			ID:             domain.MemberID(r.Text()),
			OrganizationID: domain.OrganizationID(r.Text()),
			UserID:         domain.UserID(r.Text()),
			Role:           domain.Role(r.Text()),
			CreatedAt:      r.Time(),
			LastSeenOn:     r.NullText(),
		},
		OrganizationSlug: r.Text(),
		User:             scanUser(r),
		CreatedBy:        scanNullUser(r),
	}
}

// Members returns a page of an organization's members, by name.
func (tx Tx) Members(organization domain.OrganizationID, page domain.Page) (domain.Paged[domain.MemberView], error) {
	return paged(tx, scanMember, listing{
		columns: memberColumns, tables: `organization_members m`, joins: memberJoins, where: `m.organization_id = $1`, order: `u.name_key, u.id`,
	}, page, organization)
}

// Member returns a user's membership of an organization.
func (tx Tx) Member(organization domain.OrganizationID, user domain.UserID) (domain.MemberView, bool, error) {
	return one(tx, scanMember, `SELECT `+memberColumns+` FROM organization_members m `+memberJoins+`
		WHERE m.organization_id = $1 AND m.user_id = $2`, organization, user)
}

// HasOtherAdministrator reports whether the member's organization has an administrator besides them.
func (tx Tx) HasOtherAdministrator(m domain.Member) (bool, error) {
	return tx.has(`SELECT 1 FROM organization_members WHERE organization_id = $1 AND role = 'admin' AND id <> $2 LIMIT 1`, m.OrganizationID, m.ID)
}

// UpdateMember stores the membership's changed state.
func (tx Tx) UpdateMember(m domain.Member) error {
	return tx.exec(`UPDATE organization_members SET role = $2 WHERE id = $1`, m.ID, m.Role)
}

// DeleteMember ends a membership. With it go the user's team memberships and maintainer grants in the organization, and
// what their tokens were granted there.
func (tx Tx) DeleteMember(id domain.MemberID) error {
	return tx.exec(`DELETE FROM organization_members WHERE id = $1`, id)
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

// InsertMember makes a user, known to the caller by email, a member of an organization and of its default teams, which
// it returns; an empty by is nobody. It returns an Invalid error if they are a member already.
func (tx Tx) InsertMember(m domain.Member, email string, by domain.UserID) (joined []domain.TeamID, err error) {
	err = tx.exec(`INSERT INTO organization_members (id, organization_id, user_id, role, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6)`,
		m.ID, m.OrganizationID, m.UserID, m.Role, db.Micros(m.CreatedAt), nullUser(by))
	if err != nil {
		return nil, taken(err, "user", domain.AlreadyAMember(email))
	}
	teams, err := tx.LockDefaultTeams(m.OrganizationID)
	if err != nil {
		return nil, err
	}
	for _, team := range teams {
		if err := tx.InsertTeamMember(team.NewMember(m.UserID, m.CreatedAt), by); err != nil {
			return nil, err
		}
		joined = append(joined, team.ID)
	}
	return joined, nil
}
