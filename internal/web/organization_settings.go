package web

import (
	"strconv"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

var organizationSettingsRoutes = []route{
	{path: inOrganization + "/settings", get: editOrganization, post: editOrganization},
	{path: inOrganization + "/tokens", get: showOrganizationTokens},
	{path: inOrganization + "/tokens/{token}/revoke", get: revokeOrganizationToken, post: revokeOrganizationToken},
}

type organizationSettingsView struct {
	Organization domain.OrganizationView
	Form         *form
	Groups       []fieldGroup
}

func editOrganization(c *call) (*reply, error) {
	organization, err := c.Service.Organization(c.ctx(), c.actor(), c.organization())
	if err := requirePermission(err, organization.Administered); err != nil {
		return nil, err
	}
	var clusters []option
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) (err error) {
		clusters, err = clusterChoices(r, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	f := c.editForm("Save settings", organizationFields(organization.Organization, clusters)...)
	if c.isPost() {
		_, err := c.Service.UpdateOrganization(c.ctx(), c.actor(), c.organizationRef(), f.organizationInput(),
			expectUnchanged(f, func(now domain.OrganizationView) []field { return organizationFields(now.Organization, nil) }))
		if err == nil {
			return c.redirect(c.organizationLink("settings"), "The settings are saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	view := organizationSettingsView{organization, f, []fieldGroup{
		f.group("Organization", "", "name"),
		f.group("Who may do what", "Administrators may do everything.", "settings.cluster_writes",
			"settings.maintainers_can_destroy_cache_registries", "settings.members_can_create_pipelines", "settings.members_can_create_public_pipelines"),
		f.group("Pipelines", "What new ones begin with, and what all are held to.", "settings.default_cluster_id", "settings.default_branch",
			"settings.default_timeout_in_minutes", "settings.maximum_timeout_in_minutes", "settings.scheduled_job_expiry_in_minutes"),
		f.group("Security", "What the APIs and their tokens are held to.", "settings.allowed_api_ip_addresses", "settings.revoke_inactive_tokens_after_days",
			"settings.restrict_user_api_token_creation", "settings.audit_retention_days"),
	}}
	return c.showForm(f, page{template: "organization_settings", Title: "Settings", Section: "settings", Crumbs: []crumb{{Label: "Settings"}}, View: view}), nil
}

func organizationFields(o domain.Organization, clusters []option) []field {
	s := o.Settings
	cluster := ""
	if s.DefaultClusterID != nil {
		cluster = string(*s.DefaultClusterID)
		clusters = withOption(clusters, cluster, "The present one")
	}
	return []field{
		{Name: "name", Label: "Name", Required: true, Value: o.Name},
		{Name: "settings.cluster_writes", Label: "Who creates, changes and deletes clusters", Kind: "radio", Value: string(s.ClusterWrites), Options: []option{
			{string(domain.ClusterWritesMembers), "Every member", ""},
			{string(domain.ClusterWritesManagers), "Managers", "Administrators create clusters; they and a cluster's maintainers change and delete it."},
		}},
		{Name: "settings.maintainers_can_destroy_cache_registries", Label: "Maintainers of a cluster may delete its cache registries", Kind: "checkbox",
			Value: checkboxValue(s.MaintainersCanDestroyCacheRegistries)},
		{Name: "settings.members_can_create_pipelines", Label: "Every member may create pipelines", Kind: "checkbox", Value: checkboxValue(s.MembersCanCreatePipelines)},
		{Name: "settings.members_can_create_public_pipelines", Label: "Every member may make pipelines public", Kind: "checkbox",
			Value: checkboxValue(s.PublicPipelinesEnabledAt != nil)},
		{Name: "settings.default_cluster_id", Label: "Default cluster", Kind: "select", Options: append([]option{{Label: "None"}}, clusters...), Value: cluster,
			Help: "Where a new pipeline goes if nobody says otherwise."},
		{Name: "settings.default_branch", Label: "Default branch", Code: true, Value: textOrEmpty(s.DefaultBranch), Placeholder: "main",
			Help: "Of a new pipeline that names none."},
		{Name: "settings.default_timeout_in_minutes", Label: "Default time limit of a command", Kind: "number", Value: numberOrEmpty(s.DefaultTimeoutInMinutes),
			Help: "Minutes, for new pipelines. Left empty, none."},
		{Name: "settings.maximum_timeout_in_minutes", Label: "Longest time limit of a command", Kind: "number", Value: numberOrEmpty(s.MaximumTimeoutInMinutes),
			Help: "Minutes that a pipeline can have at most. Left empty, any."},
		{Name: "settings.scheduled_job_expiry_in_minutes", Label: "Expire jobs that nobody took after", Kind: "number", Value: numberOrEmpty(s.ScheduledJobExpiryInMinutes),
			Help: "Minutes. Left empty, never."},
		{Name: "settings.allowed_api_ip_addresses", Label: "Allowed API IP addresses", Code: true, Value: s.AllowedAPIIPAddresses,
			Placeholder: "192.0.2.0/24 2001:db8::/32", Help: "CIDRs with spaces between. Left empty, the organization can be used from everywhere."},
		{Name: "settings.revoke_inactive_tokens_after_days", Label: "Revoke API tokens that were not used for", Kind: "number",
			Value: strconv.FormatInt(s.RevokeInactiveTokensAfterDays, 10), Help: "Days. 0: never."},
		{Name: "settings.restrict_user_api_token_creation", Label: "Only administrators may create API tokens for the organization", Kind: "checkbox",
			Value: checkboxValue(s.RestrictUserAPITokenCreation)},
		{Name: "settings.audit_retention_days", Label: "Keep audit events for", Kind: "number",
			Value: strconv.FormatInt(s.AuditRetentionDays, 10), Help: "Days. 0: for ever."},
	}
}

func numberOrEmpty(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func (f *form) organizationInput() core.Input[domain.OrganizationPatch] {
	var faults domain.Faults
	in := domain.OrganizationPatch{
		Name:                                 f.typedInput("name"),
		ClusterWrites:                        f.typedInput("settings.cluster_writes"),
		MaintainersCanDestroyCacheRegistries: domain.Some(f.isChecked("settings.maintainers_can_destroy_cache_registries")),
		MembersCanCreatePipelines:            domain.Some(f.isChecked("settings.members_can_create_pipelines")),
		DefaultClusterID:                     f.typedOrNull("settings.default_cluster_id"),
		AllowedAPIIPAddresses:                f.typedInput("settings.allowed_api_ip_addresses"),
		RevokeInactiveTokensAfterDays:        f.typedNumber("settings.revoke_inactive_tokens_after_days", &faults),
		AuditRetentionDays:                   f.typedNumber("settings.audit_retention_days", &faults),
		RestrictUserAPITokenCreation:         domain.Some(f.isChecked("settings.restrict_user_api_token_creation")),
		MembersCanCreatePublicPipelines:      domain.Some(f.isChecked("settings.members_can_create_public_pipelines")),
		DefaultBranch:                        f.typedOrNull("settings.default_branch"),
		DefaultTimeoutInMinutes:              f.typedNumber("settings.default_timeout_in_minutes", &faults),
		MaximumTimeoutInMinutes:              f.typedNumber("settings.maximum_timeout_in_minutes", &faults),
		ScheduledJobExpiryInMinutes:          f.typedNumber("settings.scheduled_job_expiry_in_minutes", &faults),
	}
	return core.Sent(in, faults.Err())
}

type organizationTokensView struct {
	Tokens []organizationTokenRow
	List   listFrame
}

type organizationTokenRow struct {
	*domain.OrganizationToken
	Revoke string
}

var tokenOrders = []orderOption{
	{option{Value: "FIRST_CREATED", Label: "Oldest first"}, domain.FirstCreated},
	{option{Value: "RECENTLY_CREATED", Label: "Newest first"}, domain.RecentlyCreated},
}

func showOrganizationTokens(c *call) (*reply, error) {
	if err := c.require(authz.ReadOrganizationToken); err != nil {
		return nil, err
	}
	var view organizationTokensView
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		filter := domain.TokenFilter{Search: c.query("search"), NewestFirst: c.requestedOrder(tokenOrders) == domain.RecentlyCreated}
		found, err := r.TokensOf([]*read.Organization{o}, filter, c.requestedPart())
		if err != nil {
			return err
		}
		tokens, list, err := readList(c, "token", "tokens", found[0])
		view.List, view.Tokens = list, nil
		for _, t := range tokens {
			view.Tokens = append(view.Tokens, organizationTokenRow{t, c.organizationLink("tokens", string(t.ID), "revoke")})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.List.Searchable, view.List.Orders = true, tokenOrders
	view.List.Empty = emptyState{"No API access tokens", "Members make tokens in their own accounts. Those that reach the organization are shown here.",
		"Your tokens", c.link("account", "tokens")}
	return c.show(page{template: "organization_tokens", Title: "API access tokens", Section: "tokens", Crumbs: []crumb{{Label: "API tokens"}}, View: view}), nil
}

func revokeOrganizationToken(c *call) (*reply, error) {
	var token *domain.APIToken
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		id, _ := domain.ParseID[domain.APITokenID](c.R.PathValue("token"))
		if !o.Administered() {
			return authz.ErrForbidden
		}
		found, err := r.Tokens([]domain.APITokenID{id})
		if err == nil && found[0] == nil {
			err = domain.Missing("API access token")
		}
		if err == nil {
			token = found[0]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	tokens := c.organizationLink("tokens")
	return c.confirm(confirmation{
		Title:  "Revoke the access of “" + token.Description + "”?",
		Text:   "From the next request on, the token does not reach this organization. Elsewhere it stays what it is. That can't be undone.",
		Button: "Revoke access", Cancel: tokens, Section: "tokens", Crumbs: []crumb{{"API tokens", tokens}, {Label: "Revoke"}},
	}, func() error {
		return c.Service.RevokeOrganizationToken(c.ctx(), c.actor(), c.organizationRef(), string(token.ID))
	}, tokens, "The token does not reach the organization any more.")
}
