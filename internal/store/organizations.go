package store

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
)

var organizations = tableOf("organizations", "o", func(c *columns, o *domain.Organization) {
	mapText(c, "id", &o.ID)
	mapText(c, "slug", &o.Slug)
	mapTime(c, "created_at", &o.CreatedAt)
	mapText(c, "plan", &o.Plan)
	mapText(c, "billing_anchor", &o.BillingAnchor)
	mapNullText(c, "billing_parent_id", &o.BillingParentID)
	c.changing()
	mapText(c, "name", &o.Name)
	c.writeKey("name_key", domain.SortKey, o.Name)
	mapText(c, "cluster_writes", &o.Settings.ClusterWrites)
	mapBool(c, "maintainers_can_destroy_cache_registries", &o.Settings.MaintainersCanDestroyCacheRegistries)
	mapBool(c, "members_can_create_pipelines", &o.Settings.MembersCanCreatePipelines)
	mapNullText(c, "default_cluster_id", &o.Settings.DefaultClusterID)
	mapText(c, "allowed_api_ip_addresses", &o.Settings.AllowedAPIIPAddresses)
	mapInt(c, "revoke_inactive_tokens_after_days", &o.Settings.RevokeInactiveTokensAfterDays)
	mapInt(c, "audit_retention_days", &o.Settings.AuditRetentionDays)
	mapBool(c, "restrict_user_api_token_creation", &o.Settings.RestrictUserAPITokenCreation)
	mapNullText(c, "default_branch", &o.Settings.DefaultBranch)
	mapNullInt(c, "default_timeout_in_minutes", &o.Settings.DefaultTimeoutInMinutes)
	mapNullInt(c, "maximum_timeout_in_minutes", &o.Settings.MaximumTimeoutInMinutes)
	mapNullInt(c, "scheduled_job_expiry_in_minutes", &o.Settings.ScheduledJobExpiryInMinutes)
	mapNullInt(c, "build_retention_days", &o.Settings.BuildRetentionDays)
	mapNullTime(c, "public_pipelines_enabled_at", &o.Settings.PublicPipelinesEnabledAt)
	mapNullText(c, "public_pipelines_enabled_by", &o.Settings.PublicPipelinesEnabledBy)
})

// access is which organizations a credential has access to.
type access struct {
	tables     string // with the organizations o
	role       string // the column of what the caller is there
	parent     string // the column of who the caller is
	caller     string // their user's id, or their portal's
	conditions []clause
}

func accessOf(c authz.Credential, caller *authz.Identity) access {
	if c.Kind == authz.PortalToken {
		a := access{tables: `portals cp JOIN organizations o ON o.id = cp.organization_id`, role: `'admin'`, parent: `cp.id`,
			caller: string(caller.Portal.ID)}
		if caller.User.ID != "" { // as themself
			a.tables += ` JOIN organization_members m ON m.organization_id = o.id`
			a.role, a.conditions = `m.role`, []clause{clauseOf(`m.user_id = ?`, caller.User.ID)}
		}
		return a
	}
	a := access{tables: `organization_members m JOIN organizations o ON o.id = m.organization_id`, role: `m.role`,
		parent: `m.user_id`, caller: string(caller.User.ID)}
	if c.Kind == authz.APIToken {
		a.tables += ` JOIN api_token_organizations g ON g.organization_id = m.organization_id`
		a.conditions = []clause{clauseOf(`g.token_id = ?`, caller.Token.ID)}
	}
	return a
}

// condition is what holds for the organizations in the tables.
func (a access) condition() clause {
	condition := clauseOf(a.parent+` = ?`, a.caller)
	for _, also := range a.conditions {
		condition = clauseOf(`? AND ?`, condition, also)
	}
	return condition
}

// membership reads an organization with what the caller is there.
func (a access) membership() selection[domain.Membership] {
	return selecting(func(c *columns, m *domain.Membership) {
		mapText(c, a.role, &m.Role)
		organizations.visit(c, &m.Organization)
	})
}

// AccessibleOrganizations lists the organizations that a credential has access to, by name, but for suspended ones.
// The parent is the caller: their user's id, or their portal's.
func AccessibleOrganizations(c authz.Credential, caller *authz.Identity,
	suspended []domain.OrganizationID) List[*domain.Membership] {
	a := accessOf(c, caller)
	l := newList(Rows[*domain.Membership]{
		items: pointersTo(a.membership()), tables: a.tables,
		id: textKey(`o.id`, func(m *domain.Membership) string { return string(m.ID) }),
	}, "organizations", a.parent, ``)
	l.sortBy(textKey(`o.name_key`, func(m *domain.Membership) string { return domain.SortKey(m.Name) }))
	l.conditions = a.conditions
	if len(suspended) > 0 {
		l.where(clauseOf(`NOT ?`, oneOf(`o.id`, suspended)))
	}
	return l
}

// OrganizationsByID returns those of the organizations with these ids that a credential has access to.
func (tx Tx) OrganizationsByID(c authz.Credential, caller *authz.Identity, ids []domain.OrganizationID) (
	found []*domain.Membership, err error) {
	err = eachChunk(ids, func(some []domain.OrganizationID) error {
		return tx.readAccessible(c, caller, oneOf(`o.id`, some), &found)
	})
	return found, err
}

// AccessibleOrganization returns the organization with that slug, if a credential has access to it; otherwise nil.
func (tx Tx) AccessibleOrganization(c authz.Credential, caller *authz.Identity, slug string) (
	*domain.Membership, error) {
	var found []*domain.Membership
	if err := tx.readAccessible(c, caller, clauseOf(`o.slug = ?`, slug), &found); err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// OrganizationsWithRestrictions returns those of the organizations that a credential has access to which restrict by
// whom, or from where, they are used.
func (tx Tx) OrganizationsWithRestrictions(c authz.Credential, caller *authz.Identity) (
	found []*domain.Membership, err error) {
	err = tx.readAccessible(c, caller,
		clauseOf(`(o.allowed_api_ip_addresses <> '' OR o.revoke_inactive_tokens_after_days > 0)`), &found)
	return found, err
}

func (tx Tx) readAccessible(c authz.Credential, caller *authz.Identity, condition clause,
	found *[]*domain.Membership) error {
	a := accessOf(c, caller)
	selected := a.membership()
	return readPointers(tx, selected, clauseOf(`SELECT `+selected.columns+` FROM `+a.tables+` WHERE ? AND ?`,
		a.condition(), condition), found)
}

// VisibleUsers returns those of the users who are members of an organization that a credential has access to, but for
// suspended ones.
func (tx Tx) VisibleUsers(c authz.Credential, caller *authz.Identity, suspended []domain.OrganizationID,
	ids []domain.UserID) (found []*domain.User, err error) {
	err = eachChunk(ids, func(some []domain.UserID) error {
		a := accessOf(c, caller)
		statement := clauseOf(`SELECT `+users.columns+` FROM users u WHERE ? AND EXISTS (SELECT 1 FROM `+a.tables+`
			JOIN organization_members om ON om.organization_id = o.id WHERE om.user_id = u.id AND ? AND NOT ?)`,
			oneOf(`u.id`, some), a.condition(), oneOf(`o.id`, suspended))
		return readPointers(tx, users.selection, statement, &found)
	})
	return found, err
}

// OrganizationIDsOfUser returns the organizations that a user belongs to.
func (tx Tx) OrganizationIDsOfUser(user domain.UserID) ([]domain.OrganizationID, error) {
	return all(tx, scanID[domain.OrganizationID],
		`SELECT organization_id FROM organization_members WHERE user_id = $1 ORDER BY organization_id`, user)
}

// OrganizationBySlug returns the organization with that slug.
func (tx Tx) OrganizationBySlug(slug string) (domain.Organization, bool, error) {
	return selectOne(tx, organizations.read, `SELECT `+organizations.columns+` FROM organizations o WHERE o.slug = $1`,
		slug)
}

// OrganizationByID returns an organization.
func (tx Tx) OrganizationByID(id domain.OrganizationID) (domain.Organization, bool, error) {
	return selectOne(tx, organizations.read, `SELECT `+organizations.columns+` FROM organizations o WHERE o.id = $1`, id)
}

// InsertOrganization stores a new organization. It returns an Invalid error if its slug is taken.
func (tx Tx) InsertOrganization(o domain.Organization) error {
	return taken(organizations.insert(tx.exec, o), "slug", domain.SlugTaken)
}

// UpdateOrganization stores the organization's changed name and settings.
func (tx Tx) UpdateOrganization(o domain.Organization) error { return organizations.update(tx.exec, o) }

// IsBillingParent reports whether other organizations are billed with this one.
func (tx Tx) IsBillingParent(id domain.OrganizationID) (bool, error) {
	return tx.has(`SELECT 1 FROM organizations WHERE billing_parent_id = $1 LIMIT 1`, id)
}

// SetDefaultCluster stores to which cluster an organization's new pipelines go.
func (tx Tx) SetDefaultCluster(id domain.OrganizationID, cluster *domain.ClusterID) error {
	return tx.exec(`UPDATE organizations SET default_cluster_id = $2 WHERE id = $1`, id, cluster)
}

// BilledOrganization is an organization, as far as usage is concerned.
type BilledOrganization struct {
	ID            domain.OrganizationID
	Slug          string
	BillingAnchor string
}

var billedOrganization = selecting(func(c *columns, o *BilledOrganization) {
	mapText(c, "o.id", &o.ID)
	mapText(c, "o.slug", &o.Slug)
	mapText(c, "o.billing_anchor", &o.BillingAnchor)
})

// BilledTogether returns the organizations whose users count in an organization's figure: itself first, then its
// billing children by slug.
func (tx Tx) BilledTogether(organization domain.OrganizationID) ([]BilledOrganization, error) {
	return selectAll(tx, billedOrganization.read, `SELECT `+billedOrganization.columns+` FROM organizations o
		WHERE o.id = $1 OR o.billing_parent_id = $1 ORDER BY CASE WHEN o.id = $1 THEN 0 ELSE 1 END, o.slug`, organization)
}

// ManagesAnyPipeline returns in which of the organizations there is a pipeline that a user manages.
func (tx Tx) ManagesAnyPipeline(user domain.UserID, ids []domain.OrganizationID) (
	map[domain.OrganizationID]bool, error) {
	return whichOf(tx, ids, func(some []domain.OrganizationID) clause {
		return clauseOf(`SELECT o.id FROM organizations o WHERE ? AND (EXISTS (SELECT 1 FROM team_members tm
			JOIN team_pipelines tp ON tp.team_id = tm.team_id AND tp.access_level = ? WHERE tm.organization_id = o.id
			AND tm.user_id = ?)
			OR EXISTS (SELECT 1 FROM pipelines p WHERE p.organization_id = o.id AND p.created_by = ?))`,
			oneOf(`o.id`, some), string(domain.PipelineManageBuildAndRead), user, user)
	})
}
