package web

import (
	"strings"

	"penstock/internal/domain"
)

var bannerRoutes = []route{
	{path: inOrganization + "/banner", get: editBanner, post: editBanner},
}

func editBanner(c *call) (*reply, error) {
	organization, err := c.Service.Organization(c.ctx(), c.actor(), c.organization())
	if err := requirePermission(err, organization.Administered); err != nil {
		return nil, err
	}
	banner, err := c.Service.OrganizationBanner(c.ctx(), c.actor(), c.organizationRef())
	if err != nil && domain.CodeOf(err) != domain.NotFound {
		return nil, err
	}
	f := c.newForm("Save banner", field{Name: "message", Label: "Message", Kind: "textarea", Rows: 2,
		Value: banner.Message, Autofocus: true,
		Help: "Leave it empty to remove the banner."})
	f.Cancel = c.organizationLink("settings")
	if c.isPost() {
		done := "Banner saved."
		if message := f.typed("message"); strings.TrimSpace(message) != "" {
			_, err = c.Service.SetOrganizationBanner(c.ctx(), c.actor(), c.organizationRef(),
				inputOf(domain.OrganizationBannerInput{Message: domain.Some(message)}))
		} else {
			done = "Banner removed."
			if _, err = c.Service.DeleteOrganizationBanner(c.ctx(), c.actor(), c.organizationRef()); domain.CodeOf(err) ==
				domain.NotFound {
				err = nil
			}
		}
		if err == nil {
			return c.redirect(c.organizationLink("banner"), done), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "form", Title: "Banner", Section: "settings",
		Crumbs: []crumb{{"Settings", c.organizationLink("settings")}, {Label: "Banner"}},
		View:   formView{Intro: "All members see it on top of the organization's pages.", Form: f}}), nil
}
