package web

import (
	"time"

	"penstock/internal/domain"
)

const inAgentToken = inCluster + "/tokens/{token}"

var agentTokenRoutes = []route{
	{path: inCluster + "/tokens", get: showAgentTokens},
	{path: inCluster + "/tokens/new", get: newAgentToken, post: newAgentToken},
	{path: inAgentToken + "/edit", get: editAgentToken, post: editAgentToken},
	{path: inAgentToken + "/revoke", get: revokeAgentToken, post: revokeAgentToken},
}

type agentTokensView struct {
	Cluster *domain.ClusterView
	Tokens  []agentTokenRow
	List    listFrame
	New     string
}

type agentTokenRow struct {
	*domain.AgentTokenView
	Expired bool
	To      string // address of the token, for what can be done with it
}

func showAgentTokens(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	found, err := c.Service.AgentTokens(c.ctx(), c.actor(), c.cluster(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := agentTokensView{Cluster: cluster, List: c.newList("agent token", "agent tokens", found.Total,
		len(found.Items)), New: c.clusterLink("tokens", "new")}
	for i := range found.Items {
		t := &found.Items[i]
		view.Tokens = append(view.Tokens, agentTokenRow{t, t.ExpiresAt != nil && !t.ExpiresAt.After(c.Now()),
			c.clusterLink("tokens", string(t.ID))})
	}
	view.List.Empty = emptyState{"No agent tokens yet", "Create a token to connect your first agent.", "New agent token",
		view.New}
	return c.replyWithCluster(cluster, "agent_tokens", "Agent tokens", "tokens", view)
}

func agentTokenFields(description string, addresses *string) []field {
	return []field{
		{Name: "description", Label: "Description", Required: true, Autofocus: true, Value: description,
			Help: "Where you'll use it, such as “Office build machines”."},
		{Name: "allowed_ip_addresses", Label: "Allowed IP addresses", Code: true, Value: textOrEmpty(addresses),
			Placeholder: "192.0.2.0/24 2001:db8::/32",
			Help:        "CIDR blocks, separated by spaces. Leave empty to allow any address."},
	}
}

func newAgentToken(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	f := c.newForm("Create agent token", append(agentTokenFields("", nil),
		field{Name: "expires_at", Label: "Expires", Kind: "select", Options: expiryChoices,
			Help: "You can't change this later."})...)
	f.Cancel = c.clusterLink("tokens")
	p := c.pageBelowTab(cluster, "tokens", "Agent tokens", "form", "New agent token", formView{Form: f})
	expiry, known := c.expiryOf(f.typed("expires_at"))
	switch {
	case !c.isPost():
	case !known:
		f.addFault("expires_at", "Expires must be one of the choices")
	default:
		input := domain.AgentTokenInput{Description: f.typedInput("description"),
			AllowedIPAddresses: f.typedOrNull("allowed_ip_addresses")}
		if expiry != nil {
			input.ExpiresAt = domain.Some(expiry.Format(time.RFC3339Nano))
		}
		token, secret, err := c.Service.CreateAgentToken(c.ctx(), c.actor(), c.cluster(), inputOf(input))
		if err == nil {
			return c.redirectToSecret(secretView{Title: "Your new agent token", Value: secret.Reveal(), For: token.Description,
				Section: p.Section, Back: f.Cancel, Crumbs: p.Crumbs[:len(p.Crumbs)-1],
				Next: "Start an agent with it:", Example: c.startCommand(secret.Reveal())}), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, p), nil
}

func editAgentToken(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	token, err := c.Service.AgentToken(c.ctx(), c.actor(), c.cluster(), c.R.PathValue("token"))
	if err != nil {
		return nil, err
	}
	f := c.editForm("Save agent token", agentTokenFields(token.Description, token.AllowedIPAddresses)...)
	f.Cancel = c.clusterLink("tokens")
	if c.isPost() {
		_, err := c.Service.UpdateAgentToken(c.ctx(), c.actor(), c.cluster(), string(token.ID),
			inputOf(domain.AgentTokenInput{
				Description: f.typedInput("description"), AllowedIPAddresses: f.typedOrNull("allowed_ip_addresses"),
			}), expectUnchanged(f, func(now domain.AgentTokenView) []field {
				return agentTokenFields(now.Description, now.AllowedIPAddresses)
			}))
		if err == nil {
			return c.redirect(f.Cancel, "Agent token saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.pageBelowTab(cluster, "tokens", "Agent tokens", "form", "Edit agent token",
		formView{Intro: "The token itself and its expiry stay the same.", Form: f})), nil
}

func revokeAgentToken(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	token, err := c.Service.AgentToken(c.ctx(), c.actor(), c.cluster(), c.R.PathValue("token"))
	if err != nil {
		return nil, err
	}
	p := c.pageBelowTab(cluster, "tokens", "Agent tokens", "", "Revoke", nil)
	return c.confirm(confirmation{
		Title:   "Revoke the agent token “" + token.Description + "”?",
		Text:    "Agents can no longer connect with it. This can't be undone.",
		Button:  "Revoke agent token",
		Cancel:  c.clusterLink("tokens"),
		Section: p.Section,
		Crumbs:  p.Crumbs,
	}, func() error {
		return c.Service.DeleteAgentToken(c.ctx(), c.actor(), c.cluster(), string(token.ID), nil)
	}, c.clusterLink("tokens"), "Agent token revoked.")
}
