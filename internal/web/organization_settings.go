package web

import (
	"cmp"
	"strconv"
	"time"

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

// BillingDay is the day of the month on which a billing period begins: 15th.
func (v organizationSettingsView) BillingDay() string {
	anchor, err := time.Parse(domain.DateLayout, v.Organization.BillingAnchor)
	if err != nil {
		return v.Organization.BillingAnchor
	}
	day := anchor.Day()
	ending := "th"
	if day/10 != 1 {
		ending = map[int]string{1: "st", 2: "nd", 3: "rd"}[day%10]
	}
	return strconv.Itoa(day) + cmp.Or(ending, "th")
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
			return c.redirect(c.organizationLink("settings"), "Settings saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	view := organizationSettingsView{organization, f, []fieldGroup{
		f.group("Organization", "", "name"),
		f.group("Permissions", "Administrators can do everything.", "settings.cluster_writes",
			"settings.maintainers_can_destroy_cache_registries", "settings.members_can_create_pipelines",
			"settings.members_can_create_public_pipelines"),
		f.group("Pipelines", "Defaults for new pipelines, and limits for all.", "settings.default_cluster_id",
			"settings.default_branch",
			"settings.default_timeout_in_minutes", "settings.maximum_timeout_in_minutes",
			"settings.scheduled_job_expiry_in_minutes", "settings.build_retention_days"),
		f.group("Security", "API access and tokens.", "settings.allowed_api_ip_addresses",
			"settings.revoke_inactive_tokens_after_days",
			"settings.restrict_user_api_token_creation", "settings.audit_retention_days"),
	}}
	return c.showForm(f, page{template: "organization_settings", Title: "Settings", Section: "settings",
		Crumbs: []crumb{{Label: "Settings"}}, View: view}), nil
}

func organizationFields(o domain.Organization, clusters []option) []field {
	s := o.Settings
	cluster := ""
	if s.DefaultClusterID != nil {
		cluster = string(*s.DefaultClusterID)
		clusters = withOption(clusters, cluster, "Current cluster")
	}
	return []field{
		{Name: "name", Label: "Name", Required: true, Value: o.Name},
		{Name: "settings.cluster_writes", Label: "Who can create, change and delete clusters", Noun: "This choice",
			Kind: "radio", Value: string(s.ClusterWrites), Options: []option{
				{string(domain.ClusterWritesMembers), "Every member", "Only maintainers and administrators manage a cluster's " +
					"queues, tokens and registries."},
				{string(domain.ClusterWritesManagers), "Managers", "Administrators create clusters. Administrators and a " +
					"cluster's maintainers change and delete it."},
			}},
		{Name: "settings.maintainers_can_destroy_cache_registries", Label: "Let cluster maintainers delete cache registries",
			Kind:  "checkbox",
			Value: checkboxValue(s.MaintainersCanDestroyCacheRegistries)},
		{Name: "settings.members_can_create_pipelines", Label: "Let every member create pipelines", Kind: "checkbox",
			Value: checkboxValue(s.MembersCanCreatePipelines)},
		{Name: "settings.members_can_create_public_pipelines", Label: "Let every member make pipelines public",
			Kind:  "checkbox",
			Value: checkboxValue(s.PublicPipelinesEnabledAt != nil)},
		{Name: "settings.default_cluster_id", Label: "Default cluster", Kind: "select",
			Options: append([]option{{Label: "None"}}, clusters...), Value: cluster,
			Help: "Used for new pipelines unless another cluster is chosen."},
		{Name: "settings.default_branch", Label: "Default branch", Code: true, Value: textOrEmpty(s.DefaultBranch),
			Placeholder: "main",
			Help:        "Used for new pipelines that don't set one."},
		{Name: "settings.default_timeout_in_minutes", Label: "Default command timeout", Kind: "number",
			Value: numberOrEmpty(s.DefaultTimeoutInMinutes),
			Help:  "In minutes, for new pipelines. Leave empty for no timeout."},
		{Name: "settings.maximum_timeout_in_minutes", Label: "Maximum command timeout", Kind: "number",
			Value: numberOrEmpty(s.MaximumTimeoutInMinutes),
			Help:  "In minutes. The longest a command of any pipeline may run. Leave empty for no maximum."},
		{Name: "settings.scheduled_job_expiry_in_minutes", Label: "Expire waiting jobs after",
			Noun: "The time after which waiting jobs expire", Kind: "number",
			Value: numberOrEmpty(s.ScheduledJobExpiryInMinutes),
			Help:  "In minutes. Jobs that no agent picked up expire. Leave empty for never."},
		{Name: "settings.build_retention_days", Label: "Delete finished builds after",
			Noun: "The time after which builds are deleted", Kind: "number", Value: numberOrEmpty(s.BuildRetentionDays),
			Help: "In days, 30 to 365. Builds are deleted with their logs and artifacts. Leave empty to keep them forever."},
		{Name: "settings.allowed_api_ip_addresses", Label: "Allowed API IP addresses", Code: true,
			Value:       s.AllowedAPIIPAddresses,
			Placeholder: "192.0.2.0/24 2001:db8::/32", Help: "CIDR blocks, separated by spaces. Leave empty to allow any " +
				"address."},
		{Name: "settings.revoke_inactive_tokens_after_days", Label: "Revoke unused API tokens after",
			Noun: "The time after which unused tokens are revoked", Kind: "number",
			Value: strconv.FormatInt(s.RevokeInactiveTokensAfterDays, 10), Help: "In days. 0 means never."},
		{Name: "settings.restrict_user_api_token_creation", Label: "Only administrators can create API tokens for this " +
			"organization", Kind: "checkbox",
			Value: checkboxValue(s.RestrictUserAPITokenCreation)},
		{Name: "settings.audit_retention_days", Label: "Keep audit events for", Noun: "The time to keep audit events",
			Kind:  "number",
			Value: strconv.FormatInt(s.AuditRetentionDays, 10), Help: "In days. 0 means forever."},
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
		BuildRetentionDays:                   f.typedNumber("settings.build_retention_days", &faults),
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
		filter := domain.TokenFilter{Search: c.query("search"), NewestFirst: c.requestedOrder(tokenOrders) ==
			domain.RecentlyCreated}
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
	view.List.Empty = emptyState{"No API access tokens", "Members create tokens in their account settings. Tokens with " +
		"access to this organization appear here.",
		"Your tokens", c.link("account", "tokens")}
	return c.show(page{template: "organization_tokens", Title: "API access tokens", Section: "tokens",
		Crumbs: []crumb{{Label: "API access tokens"}}, View: view}), nil
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
		Text:   "The token can no longer access this organization. It keeps working elsewhere. This can't be undone.",
		Button: "Revoke access", Cancel: tokens, Section: "tokens", Crumbs: []crumb{{"API access tokens", tokens},
			{Label: "Revoke"}},
	}, func() error {
		return c.Service.RevokeOrganizationToken(c.ctx(), c.actor(), c.organizationRef(), string(token.ID))
	}, tokens, "The token can no longer access this organization.")
}
