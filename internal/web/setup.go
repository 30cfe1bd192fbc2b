package web

import "penstock/internal/domain"

// SetupPath is the path of the page that sets up an installation without users; the link's value follows.
const SetupPath = "/setup?link="

var setupRoutes = []route{{path: "/setup", get: setUp, post: setUp, open: true}}

// setUp makes the first administrator and their organization.
func setUp(c *call) (*reply, error) {
	f := c.newForm("Set up Penstock",
		field{Name: "link", Kind: "hidden", Value: c.query("link")},
		field{Name: "name", Label: "Your name", Required: true, Autocomplete: "name", Autofocus: true},
		field{Name: "email", Label: "Your e-mail address", Kind: "email", Required: true, Autocomplete: "username", Help: "You sign in with it."},
		field{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "new-password", Help: "At least 8 characters."},
		field{Name: "organization_name", Label: "Organization", Required: true, Autocomplete: "organization", Help: "Your company or team. More can be added later."},
		field{Name: "organization_slug", Label: "Short name in addresses", Code: true, Placeholder: "acme-inc", Help: "Lower-case letters, digits and hyphens. Left empty, it is made of the name, and it stays."})
	link := domain.Secret(f.text("link"))
	if !c.posted() {
		if err := c.Service.CheckSetup(c.ctx(), c.actor(), link); err != nil {
			return nil, noSetup(err)
		}
	} else {
		session, err := c.Service.CompleteSetup(c.ctx(), c.actor(), domain.SetupInput{
			Link: link, Name: f.text("name"), Email: f.text("email"), Password: f.secret("password"),
			OrganizationName: f.text("organization_name"), OrganizationSlug: f.text("organization_slug"),
		})
		if err == nil {
			c.signedIn(session)
			return c.redirect(c.link(), "Penstock is set up, and you are its administrator."), nil
		}
		if err := f.fail(err); err != nil {
			return nil, noSetup(err)
		}
	}
	return c.showForm(f, page{template: "setup", Title: "Set up Penstock", Plain: true, View: f}), nil
}

// noSetup says what to do about a link that does not work.
func noSetup(err error) error {
	if domain.CodeOf(err) != domain.NotFound {
		return err
	}
	return domain.NewError(domain.NotFound, "This set-up link doesn't work any more: it has been used, or it is older than a day. "+
		"While there are no users, each start of the server prints a new one.")
}
