package web

import (
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
	"penstock/internal/service/core"
)

// isObject reports whether text is a JSON object.
func isObject(text string) bool {
	value := jsontext.Value(text)
	return value.IsValid() && value.Kind() == '{'
}

type portalTokensView struct {
	onePortal
	Tokens []domain.PortalTokenView
	List   listFrame
}

func showPortalTokens(c *call) (*reply, error) {
	one, err := c.findPortal()
	if err != nil {
		return nil, err
	}
	found, err := c.Service.PortalTokens(c.ctx(), c.actor(), c.portalRef(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := portalTokensView{one, found.Items, c.newList("token", "tokens", found.Total, len(found.Items))}
	view.List.Empty = emptyState{"No tokens", "Create a token to run this portal.", "New token", one.Path + "/tokens/new"}
	return c.show(c.portalPage(one, "portal_tokens", "tokens", view)), nil
}

func newPortalToken(c *call) (*reply, error) {
	one, err := c.findPortal()
	if err != nil {
		return nil, err
	}
	back := one.Path + "/tokens"
	f := c.newForm("Create token",
		field{Name: "description", Label: "Description", Autofocus: true, Help: "What you'll use it for."},
		field{Name: "expires_in", Label: "Expires", Kind: "select", Options: expiryChoices, Value: defaultExpiry})
	f.Cancel = back
	crumbs := []crumb{{"Portals", c.organizationLink("portals")}, {one.Portal.Name, one.Path}, {"Tokens", back},
		{Label: "New token"}}
	if c.isPost() {
		token, secret, err := c.Service.CreatePortalToken(c.ctx(), c.actor(), c.portalRef(), c.portalTokenInput(f))
		if err == nil {
			return c.redirectToSecret(secretView{Title: "Your new portal token", Value: secret.Reveal(), For: token.Description,
				Section: "portals", Crumbs: crumbs[:len(crumbs)-1], Back: back}), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "form", Title: "New token", Topic: one.Portal.Name, Section: "portals",
			Crumbs: crumbs,
			View:   formView{Intro: "To rotate a token, create a new one, start using it, then delete the old one.", Form: f}}),
		nil
}

func (c *call) portalTokenInput(f *form) core.Input[domain.PortalTokenInput] {
	in := domain.PortalTokenInput{Description: f.typedInput("description")}
	var faults domain.Faults
	at, known := c.expiryOf(f.typed("expires_in"))
	if !known {
		faults.Add("expires_in", "Expires must be one of the choices")
	}
	if at != nil {
		in.ExpiresAt = domain.Some(at.UTC().Format(domain.TimestampLayout))
	}
	return core.Sent(in, faults.Err())
}

type memberPortalTokensView struct {
	onePortal
	Tokens []domain.MemberPortalToken
	List   listFrame
}

func showMemberPortalTokens(c *call) (*reply, error) {
	one, err := c.findPortal()
	if err != nil {
		return nil, err
	}
	found, err := c.Service.MemberPortalTokens(c.ctx(), c.actor(), c.portalRef(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := memberPortalTokensView{one, found.Items, c.newList("token", "tokens", found.Total, len(found.Items))}
	view.List.Empty = emptyState{Title: "No members' tokens", Text: "When a member lets a program run this portal as " +
		"them, its token appears here until it expires."}
	return c.show(c.portalPage(one, "portal_member_tokens", "member-tokens", view)), nil
}

func deletePortalToken(c *call) (*reply, error) { return c.confirmTokenDeletion("tokens") }

func deleteMemberPortalToken(c *call) (*reply, error) { return c.confirmTokenDeletion("member-tokens") }

// confirmTokenDeletion deletes a token of a portal, which is on the page with that last segment of its path.
func (c *call) confirmTokenDeletion(list string) (*reply, error) {
	one, err := c.findPortal()
	if err != nil {
		return nil, err
	}
	back, title := one.Path+"/"+list, "Delete this token?"
	if list == "member-tokens" {
		title = "Delete this member's token?"
	}
	return c.confirm(confirmation{
		Title:  title,
		Text:   "Programs that use it stop working right away. This can't be undone.",
		Button: "Delete token", Cancel: back, Section: "portals", Crumbs: one.crumbs(c, "Delete the token"),
	}, func() error {
		return c.Service.DeletePortalToken(c.ctx(), c.actor(), c.portalRef(), c.R.PathValue("token"), nil)
	}, back, "Token deleted.")
}

type portalSecretsView struct {
	onePortal
	Secrets []domain.PortalSecretView
	List    listFrame
}

func showPortalSecrets(c *call) (*reply, error) {
	one, err := c.findPortal()
	if err != nil {
		return nil, err
	}
	found, err := c.Service.PortalSecrets(c.ctx(), c.actor(), c.portalRef(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := portalSecretsView{one, found.Items, c.newList("secret", "secrets", found.Total, len(found.Items))}
	view.List.Empty = emptyState{"No secrets", "Programs exchange a secret for tokens that last up to an hour.",
		"New secret", one.Path + "/secrets/new"}
	return c.show(c.portalPage(one, "portal_secrets", "secrets", view)), nil
}

func newPortalSecret(c *call) (*reply, error) {
	one, err := c.findPortal()
	if err != nil {
		return nil, err
	}
	back := one.Path + "/secrets"
	f := c.newForm("Create secret", field{Name: "description", Label: "Description", Autofocus: true,
		Help: "What you'll use it for."})
	f.Cancel = back
	crumbs := []crumb{{"Portals", c.organizationLink("portals")}, {one.Portal.Name, one.Path}, {"Secrets", back},
		{Label: "New secret"}}
	if c.isPost() {
		secret, revealed, err := c.Service.CreatePortalSecret(c.ctx(), c.actor(), c.portalRef(),
			inputOf(domain.PortalSecretInput{Description: f.typedInput("description")}))
		if err == nil {
			return c.redirectToSecret(secretView{Title: "Your new portal secret", Value: revealed.Reveal(),
				For: secret.Description, Section: "portals", Crumbs: crumbs[:len(crumbs)-1], Back: back}), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "form", Title: "New secret", Topic: one.Portal.Name, Section: "portals",
		Crumbs: crumbs,
		View:   formView{Intro: "A portal can have two secrets, so you can rotate them without downtime.", Form: f}}), nil
}

func deletePortalSecret(c *call) (*reply, error) {
	one, err := c.findPortal()
	if err != nil {
		return nil, err
	}
	back := one.Path + "/secrets"
	return c.confirm(confirmation{
		Title:  "Delete this secret?",
		Text:   "Programs can no longer get tokens with it. Tokens they already have stop working right away.",
		Button: "Delete secret", Cancel: back, Section: "portals", Crumbs: one.crumbs(c, "Delete the secret"),
	}, func() error {
		return c.Service.DeletePortalSecret(c.ctx(), c.actor(), c.portalRef(), c.R.PathValue("secret"), nil)
	}, back, "Secret deleted.")
}
