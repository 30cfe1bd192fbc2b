package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/domain"
)

var tokenRoutes = []route{
	{path: "/account/tokens", get: showOwnTokens},
	{path: "/account/tokens/new", get: newOwnToken, post: newOwnToken},
	{path: "/account/tokens/{token}/revoke", get: revokeOwnToken, post: revokeOwnToken},
	{path: "/account/portal-tokens", get: showOwnPortalTokens},
	{path: "/account/portal-tokens/{token}/revoke", get: revokeOwnPortalToken, post: revokeOwnPortalToken},
}

type ownTokensView struct {
	Tokens []domain.APITokenView
	List   listFrame
	Now    time.Time
}

func showOwnTokens(c *call) (*reply, error) {
	found, err := c.Service.OwnTokens(c.ctx(), c.actor(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := ownTokensView{found.Items, c.newList("token", "tokens", found.Total, len(found.Items)), c.Now()}
	view.List.Empty = emptyState{"No API access tokens", "A token lets a program act as you, within the organizations " +
		"and scopes you choose.",
		"New token", c.link("account", "tokens", "new")}
	return c.show(c.accountPage("account_tokens", "API access tokens", "tokens", view)), nil
}

// scopeChoices are the scopes that guard something here, with what they are for.
var scopeChoices = []option{
	{string(domain.ScopeReadUser), "Read user", "See who you are."},
	{string(domain.ScopeReadAuditEvents), "Read audit events", "See who changed what. Administrators only."},
	{string(domain.ScopeReadOrganizations), "Read organizations", "See organizations, their members and their usage."},
	{string(domain.ScopeWriteOrganizations), "Write organizations", "Change an organization's settings and members."},
	{string(domain.ScopeReadOrganizationSettings), "Read organization settings",
		"See an organization's settings. Administrators only."},
	{string(domain.ScopeWriteOrganizationSettings), "Write organization settings", "Change an organization's settings. " +
		"Administrators only."},
	{string(domain.ScopeReadInvitations), "Read invitations", "See who is invited. Administrators only."},
	{string(domain.ScopeWriteInvitations), "Write invitations", "Invite people. Administrators only."},
	{string(domain.ScopeReadClusters), "Read clusters", "See clusters, queues, maintainers, agent tokens and cache " +
		"registries."},
	{string(domain.ScopeWriteClusters), "Write clusters", "Create, change and delete them."},
	{string(domain.ScopeReadPipelines), "Read pipelines", "See pipelines."},
	{string(domain.ScopeWritePipelines), "Write pipelines", "Create, change, archive and delete them."},
	{string(domain.ScopeReadBuilds), "Read builds", "See builds, their jobs and annotations."},
	{string(domain.ScopeWriteBuilds), "Write builds", "Create, cancel, rebuild, retry, unblock and annotate them."},
	{string(domain.ScopeReadBuildLogs), "Read build logs", "Read what jobs wrote."},
	{string(domain.ScopeWriteBuildLogs), "Write build logs", "Delete what jobs wrote."},
	{string(domain.ScopeReadArtifacts), "Read artifacts", "List and download what jobs stored."},
	{string(domain.ScopeWriteArtifacts), "Write artifacts", "Delete what jobs stored."},
	{string(domain.ScopeReadAgents), "Read agents", "See agents and what they run."},
	{string(domain.ScopeWriteAgents), "Write agents", "Pause, resume and stop them."},
	{string(domain.ScopeReadTeams), "Read teams", "See teams, their members and their pipelines."},
	{string(domain.ScopeWriteTeams), "Write teams", "Create, change and delete them."},
	{string(domain.ScopeReadPortals), "Read portals", "See portals. Administrators only."},
	{string(domain.ScopeWritePortals), "Write portals", "Create, change and delete them. Administrators only."},
	{string(domain.ScopeReadConnections), "Read repository connections", "See which repository hosts the organization " +
		"is connected with."},
	{string(domain.ScopeReadServices), "Read notification services", "See whom the organization tells how builds go. " +
		"Administrators only."},
	{string(domain.ScopeWriteServices), "Write notification services",
		"Create, change and delete them. Administrators only."},
	{string(domain.ScopeReadPipelineTemplates), "Read pipeline templates", "See pipeline templates."},
	{string(domain.ScopeWritePipelineTemplates), "Write pipeline templates",
		"Create, change and delete them. Administrators only."},
	{string(domain.ScopeReadRules), "Read rules", "See rules between pipelines."},
	{string(domain.ScopeWriteRules), "Write rules", "Create, change and delete them. Administrators only."},
	{string(domain.ScopeReadSecrets), "Read secrets details", "See the names and policies of secrets, never their " +
		"values."},
	{string(domain.ScopeWriteSecrets), "Write secrets", "Create, change and delete them."},
	{string(domain.ScopeReadJobEnv), "Read job environment", "See the environment variables of jobs."},
	{string(domain.ScopeGraphQL), "Enable GraphQL API Access", "Use GraphQL with all your permissions in these " +
		"organizations. Other scopes don't limit it."},
}

var expiryChoices = []option{{Value: "30", Label: "In 30 days"}, {Value: "90", Label: "In 90 days"},
	{Value: "365", Label: "In a year"}, {Value: "", Label: "Never"}}

// defaultExpiry is the choice of expiryChoices that forms begin with.
const defaultExpiry = "90"

func (c *call) ownTokenForm() *form {
	organizations := make([]option, len(c.account.Organizations))
	for i, o := range c.account.Organizations {
		organizations[i] = option{Value: o.Slug, Label: o.Name, Help: o.Slug}
	}
	chosen := []string{}
	if len(organizations) == 1 {
		chosen = []string{organizations[0].Value}
	}
	f := c.newForm("Create token",
		field{Name: "description", Label: "Description", Required: true, Autofocus: true, Help: "What you'll use it for."},
		field{Name: "organizations", Label: "Organizations", Kind: "checkboxes", Options: organizations, Values: chosen,
			Help: "Where the token works."},
		field{Name: "all_read", Label: "All read scopes", Kind: "checkbox", Help: "Adds every scope below that only reads."},
		field{Name: "scopes", Label: "Scopes", Kind: "checkboxes", Options: scopeChoices,
			Help: "What the token can do. It can never do more than you can."},
		field{Name: "expires_in", Label: "Expires", Kind: "select", Options: expiryChoices, Value: defaultExpiry},
		field{Name: "allowed_ip_addresses", Label: "Allowed IP addresses", Code: true,
			Placeholder: "192.0.2.0/24 2001:db8::/32",
			Help:        "CIDR blocks, separated by spaces. Leave empty to allow any address."})
	f.Cancel = c.link("account", "tokens")
	return f
}

func newOwnToken(c *call) (*reply, error) {
	f := c.ownTokenForm()
	crumbs := []crumb{{"Your account", c.link("account")}, {"API access tokens", c.link("account", "tokens")},
		{Label: "New token"}}
	expiry, known := c.expiryOf(f.typed("expires_in"))
	switch {
	case !c.isPost():
	case !known:
		f.addFault("expires_in", "Expires must be one of the choices")
	case len(f.scopes()) == 0:
		f.addFault("scopes", "Choose at least one scope: without one, the token can do nothing")
	default:
		token, value, err := c.Service.CreateOwnToken(c.ctx(), c.actor(), domain.APITokenInput{
			Description: f.typed("description"), Organizations: f.checkedValues("organizations"), Scopes: f.scopes(),
			AllowedIPAddresses: f.typed("allowed_ip_addresses"), ExpiresAt: expiry,
		})
		if err == nil {
			return c.redirectToSecret(secretView{Title: "Your new API access token", Value: value.Reveal(),
				For: token.Description, Back: f.Cancel, Crumbs: crumbs[:len(crumbs)-1]}), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "form", Title: "New API access token", Crumbs: crumbs, View: formView{Form: f}}),
		nil
}

// scopes are those that were chosen, one by one or all that only read.
func (f *form) scopes() []string {
	chosen := slices.Clone(f.checkedValues("scopes"))
	for _, choice := range scopeChoices {
		if f.isChecked("all_read") && strings.HasPrefix(choice.Value, "read_") && !slices.Contains(chosen, choice.Value) {
			chosen = append(chosen, choice.Value)
		}
	}
	return chosen
}

// expiryOf returns the time that a choice of expiryChoices stands for; nil: never.
func (c *call) expiryOf(choice string) (at *time.Time, known bool) {
	if !slices.ContainsFunc(expiryChoices, func(o option) bool { return o.Value == choice }) {
		return nil, false
	}
	if days, err := strconv.Atoi(choice); err == nil {
		end := c.Now().Add(time.Duration(days) * 24 * time.Hour)
		at = &end
	}
	return at, true
}

func revokeOwnToken(c *call) (*reply, error) {
	token, err := c.Service.OwnToken(c.ctx(), c.actor(), c.R.PathValue("token"))
	if err != nil {
		return nil, err
	}
	tokens := c.link("account", "tokens")
	return c.confirm(confirmation{
		Title:  "Revoke the token “" + token.Description + "”?",
		Text:   "Programs that use it stop working right away. This can't be undone.",
		Button: "Revoke token",
		Cancel: tokens,
		Crumbs: []crumb{{"Your account", c.link("account")}, {"API access tokens", tokens}, {Label: "Revoke"}},
	}, func() error { return c.Service.RevokeOwnToken(c.ctx(), c.actor(), string(token.ID)) }, tokens, "Token revoked.")
}

type ownPortalTokensView struct {
	Tokens []domain.MemberPortalToken
	List   listFrame
}

func showOwnPortalTokens(c *call) (*reply, error) {
	found, err := c.Service.OwnPortalTokens(c.ctx(), c.actor(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := ownPortalTokensView{found.Items, c.newList("token", "tokens", found.Total, len(found.Items))}
	view.List.Empty = emptyState{Title: "No portal tokens", Text: "When you let a program run a portal as you, its " +
		"token appears here until it expires."}
	return c.show(c.accountPage("account_portal_tokens", "Portal tokens", "portal-tokens", view)), nil
}

func revokeOwnPortalToken(c *call) (*reply, error) {
	token, err := c.Service.OwnPortalToken(c.ctx(), c.actor(), c.R.PathValue("token"))
	if err != nil {
		return nil, err
	}
	tokens := c.link("account", "portal-tokens")
	return c.confirm(confirmation{
		Title:  "Revoke the token of “" + token.PortalName + "”?",
		Text:   "The program can no longer run the portal as you. This can't be undone.",
		Button: "Revoke token",
		Cancel: tokens,
		Crumbs: []crumb{{"Your account", c.link("account")}, {"Portal tokens", tokens}, {Label: "Revoke"}},
	}, func() error { return c.Service.RevokeOwnPortalToken(c.ctx(), c.actor(), string(token.ID)) }, tokens,
		"Token revoked.")
}
