package web

import (
	"net/url"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/service/read"
)

const inInvitation = inOrganization + "/invitations/{invitation}"

var invitationRoutes = []route{
	{path: inOrganization + "/invitations", get: showInvitations},
	{path: inOrganization + "/invitations/new", get: newInvitations, post: newInvitations},
	{path: inInvitation + "/resend", get: resendInvitation, post: resendInvitation},
	{path: inInvitation + "/revoke", get: revokeInvitation, post: revokeInvitation},
	{path: "/invitation", get: acceptInvitation, post: acceptInvitation, open: true},
}

type invitationsView struct {
	Invitations []domain.InvitationView
	List        listFrame
}

func (c *call) invitationCrumbs(label string) []crumb {
	crumbs := []crumb{{"Members", c.organizationLink("members")}, {"Invitations", c.organizationLink("invitations")}}
	return append(crumbs, crumb{Label: label})
}

func showInvitations(c *call) (*reply, error) {
	found, err := c.Service.Invitations(c.ctx(), c.actor(), c.organization(), c.requestedCursorPage())
	if err != nil {
		return nil, err
	}
	view := invitationsView{found.Items, c.newCursorList("invitation", "invitations", found.Prev, found.Next)}
	view.List.Empty = emptyState{"No invitations", "Invite people by email. Each gets a link to join.", "Invite people",
		c.organizationLink("invitations", "new")}
	return c.show(page{template: "invitations", Title: "Invitations", Section: "members",
		Crumbs: []crumb{{"Members", c.organizationLink("members")}, {Label: "Invitations"}}, View: view}), nil
}

func newInvitations(c *call) (*reply, error) {
	var teams []option
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		size := int64(read.MaxPage)
		found, err := r.TeamsOf([]*read.Organization{o}, domain.TeamFilter{}, domain.ByName,
			read.ConnectionPart{First: &size})
		if err != nil {
			return err
		}
		items, err := found[0].Items()
		for _, t := range items {
			teams = append(teams, option{Value: string(t.ID), Label: t.Name})
		}
		return err
	})
	if err := requirePermission(err, c.administers()); err != nil {
		return nil, err
	}
	f := c.newForm("Invite",
		field{Name: "emails", Label: "Email addresses", Kind: "textarea", Rows: 4, Required: true, Autofocus: true,
			Help: "One per line, up to 100."},
		field{Name: "role", Label: "Role", Kind: "radio", Options: memberRoles, Value: string(domain.RoleMember)},
		field{Name: "teams", Label: "Teams", Kind: "checkboxes", Options: teams, Help: "In addition to default teams."})
	f.Cancel = c.organizationLink("invitations")
	if c.isPost() {
		in := domain.InvitationInput{Emails: domain.Some(strings.FieldsFunc(f.typed("emails"), isBetweenAddresses)),
			Role: f.typedInput("role")}
		for _, id := range f.checkedValues("teams") {
			in.Teams.Value = append(in.Teams.Value, domain.InvitationTeamInput{ID: id})
		}
		made, err := c.Service.CreateInvitations(c.ctx(), c.actor(), c.organizationRef(), inputOf(in))
		if err == nil {
			return c.redirectToLinks(made), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "form", Title: "Invite people", Section: "members",
			Crumbs: c.invitationCrumbs("Invite people"),
			View:   formView{Intro: "Each person gets a link that works once, for a week. " + c.sayWhetherMailed(), Form: f}}),
		nil
}

// isBetweenAddresses reports whether a character parts email addresses from each other.
func isBetweenAddresses(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) }

func (c *call) sayWhetherMailed() string {
	if c.SendsMail {
		return "We'll email it to them, and show it to you once."
	}
	return "We'll show it to you once so you can share it: email isn't configured."
}

// redirectToLinks answers with links that are shown once.
func (c *call) redirectToLinks(made []domain.InvitationView) *reply {
	view := secretView{Title: "Invited", Section: "members", Next: "Copy each link and send it to that person. It works " +
		"once, for a week, and won't be shown again.", Back: c.organizationLink("invitations")}
	if c.SendsMail {
		view.Next = "We've emailed each person their link. It works once, for a week, and won't be shown again."
	}
	for _, v := range made {
		view.Links = append(view.Links, secretLink{v.Email, v.Link.Reveal()})
	}
	return c.redirectToSecret(view)
}

func resendInvitation(c *call) (*reply, error) {
	v, err := c.Service.Invitation(c.ctx(), c.actor(), c.organizationRef(), c.R.PathValue("invitation"))
	if err != nil {
		return nil, err
	}
	f := c.newForm("Resend")
	f.Cancel = c.organizationLink("invitations")
	if c.isPost() {
		sent, err := c.Service.ResendInvitation(c.ctx(), c.actor(), c.organizationRef(), string(v.ID))
		if err == nil {
			return c.redirectToLinks([]domain.InvitationView{sent}), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "form", Title: "Resend the invitation to " + v.Email + "?", Section: "members",
		Crumbs: c.invitationCrumbs("Resend"),
		View: formView{Intro: "This creates a new link that works for a week. The old link stops working. " +
			c.sayWhetherMailed(), Form: f}}), nil
}

func revokeInvitation(c *call) (*reply, error) {
	v, err := c.Service.Invitation(c.ctx(), c.actor(), c.organizationRef(), c.R.PathValue("invitation"))
	if err != nil {
		return nil, err
	}
	back := c.organizationLink("invitations")
	return c.confirm(confirmation{
		Title: "Revoke the invitation to " + v.Email + "?", Text: "Its link stops working right away.",
		Button: "Revoke invitation", Cancel: back, Section: "members", Crumbs: c.invitationCrumbs("Revoke"),
	}, func() error {
		_, err := c.Service.RevokeInvitation(c.ctx(), c.actor(), c.organizationRef(), string(v.ID), nil)
		return err
	}, back, "Invitation revoked.")
}

type acceptView struct {
	Offer   domain.InvitationOffer
	Account *domain.User // nil: nobody is signed in
	Form    *form
	SignIn  string // address
}

// acceptInvitation lets the holder of a link become a member: with the account that they are signed in with, or a new
// one. It looks the same whether or not the invited address has an account.
func acceptInvitation(c *call) (*reply, error) {
	link := field{Name: "link", Kind: "hidden", Value: c.query("link")}
	f := c.newForm("Accept", link)
	if c.account == nil {
		f = c.newForm("Create account and accept", link,
			field{Name: "name", Label: "Your name", Required: true, Autocomplete: "name", Autofocus: true},
			field{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "new-password",
				Help: "At least 8 characters."})
	}
	value := domain.Secret(f.typed("link"))
	offer, err := c.Service.InvitationOffer(c.ctx(), c.actor(), value)
	if err != nil {
		return nil, explainBadInvitation(err)
	}
	if c.isPost() {
		var slug string
		if c.account != nil {
			slug, err = c.Service.AcceptInvitation(c.ctx(), c.actor(), value)
		} else {
			var session domain.Secret
			session, slug, err = c.Service.AcceptInvitationAsNew(c.ctx(), c.actor(), domain.AcceptInput{Link: value,
				Name: f.typed("name"), Password: f.popSecret("password")})
			if err == nil {
				c.setSession(session)
			}
		}
		if err == nil {
			return c.redirect(c.link("organizations", slug), "You're now a member of "+offer.Organization+"."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, explainBadInvitation(err)
		}
	}
	view := acceptView{Offer: offer, Form: f, SignIn: c.link("sign-in") + "?return_to=" +
		url.QueryEscape(domain.InvitationPath+value.Reveal())}
	if c.account != nil {
		view.Account = &c.account.User
	}
	return c.showForm(f, page{template: "invitation", Title: "Join " + offer.Organization, Plain: true, View: view}), nil
}

// explainBadInvitation says what to do about a link that does not work.
func explainBadInvitation(err error) error {
	if domain.CodeOf(err) != domain.NotFound {
		return err
	}
	return domain.NewError(domain.NotFound, "This invitation no longer works: it was accepted, revoked or resent, or "+
		"it's more than a week old. "+
		"Ask the person who invited you to resend it.")
}
