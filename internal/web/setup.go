package web

import (
	"errors"
	"slices"

	"penstock/internal/domain"
)

// SetupPath is the path of the page that sets up an installation without users; the link's value follows.
const SetupPath = "/setup?link="

var setupRoutes = []route{{path: "/setup", get: setUp, post: setUp, open: true}}

// setUp makes the first administrator and their organization.
func setUp(c *call) (*reply, error) {
	f := c.newForm("Set up Penstock",
		field{Name: "link", Kind: "hidden", Value: c.query("link")},
		field{Name: "name", Label: "Your name", Required: true, Autocomplete: "name", Autofocus: true},
		field{Name: "email", Label: "Your email address", Kind: "email", Required: true, Autocomplete: "username",
			Help: "You'll sign in with it."},
		field{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "new-password",
			Help: "At least 8 characters."},
		field{Name: "organization_name", Label: "Organization", Required: true, Autocomplete: "organization",
			Help: "The name of your company or team."},
		field{Name: "organization_slug", Label: "URL slug", Code: true, Placeholder: "acme-inc",
			Help: "Lowercase letters, digits and hyphens. Leave empty to derive it from the name. You can't change it later."})
	link := domain.Secret(f.typed("link"))
	if !c.isPost() && link == "" {
		return explainSetup(c)
	}
	if !c.isPost() {
		if err := c.Service.CheckSetup(c.ctx(), c.actor(), link); err != nil {
			return nil, explainBadSetupLink(err)
		}
	} else {
		session, err := c.Service.CompleteSetup(c.ctx(), c.actor(), domain.SetupInput{
			Link: link, Name: f.typed("name"), Email: f.typed("email"), Password: f.popSecret("password"),
			OrganizationName: f.typed("organization_name"), OrganizationSlug: f.typed("organization_slug"),
		})
		if err == nil {
			c.setSession(session)
			return c.redirect(c.link(), "Penstock is ready. You're an administrator."), nil
		}
		if err := f.addError(moveMadeSlugFault(f, err)); err != nil {
			return nil, explainBadSetupLink(err)
		}
	}
	return c.showForm(f, page{template: "setup", Title: "Set up Penstock", Plain: true, View: f}), nil
}

// moveMadeSlugFault puts the fault of a slug that was made of the organization's name beside the name, unless that has
// one already.
func moveMadeSlugFault(f *form, err error) error {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok || f.typed("organization_slug") != "" {
		return err
	}
	isNameWrong := slices.ContainsFunc(e.Fields, func(fault domain.FieldError) bool {
		return fault.Field == "organization_name"
	})
	e.Fields = slices.DeleteFunc(e.Fields, func(fault domain.FieldError) bool {
		return isNameWrong && fault.Field == "organization_slug"
	})
	for i := range e.Fields {
		if e.Fields[i].Field == "organization_slug" {
			e.Fields[i] = domain.FieldError{Field: "organization_name", Reason: "Organization can't be made into a URL slug: " +
				"type one below"}
		}
	}
	return err
}

// explainSetup says how to set up an installation without users. One that has some is signed in to.
func explainSetup(c *call) (*reply, error) {
	needed, err := c.Service.NeedsSetup(c.ctx(), c.actor())
	if err != nil {
		return nil, err
	}
	if !needed {
		return c.redirect(c.link("sign-in"), "Penstock is already set up. Sign in to continue."), nil
	}
	return c.show(page{template: "setup_needed", Title: "Set up Penstock", Plain: true, View: c.BaseURL + SetupPath}), nil
}

// explainBadSetupLink says what to do about a link that does not work.
func explainBadSetupLink(err error) error {
	if domain.CodeOf(err) != domain.NotFound {
		return err
	}
	return domain.NewError(domain.NotFound, "This setup link no longer works: it was already used, or it's more than a "+
		"day old. "+
		"Until there's a user, the server prints a new link each time it starts.")
}
