package web

import (
	"penstock/internal/domain"
)

var organizationRoutes = []route{
	{path: "/{$}", get: home},
	{path: "/organizations", get: organizations},
	{path: inOrganization, get: overview},
}

// home sends the user to their organization, or to the list of them.
func home(c *call) (*reply, error) {
	if c.account.OrganizationsTotal == 1 {
		return c.redirect(c.link("organizations", c.account.Organizations[0].Slug), ""), nil
	}
	return c.redirect(c.link("organizations"), ""), nil
}

type organizationsView struct {
	Organizations []domain.Organization
	List          list
}

func organizations(c *call) (*reply, error) {
	found, err := c.Service.Organizations(c.ctx(), c.actor(), c.paging())
	if err != nil {
		return nil, err
	}
	view := organizationsView{found.Items, c.newList("organization", "organizations", found.Total, len(found.Items))}
	view.List.Empty = emptyState{Title: "You belong to no organization yet", Text: "Ask an administrator of one to add you: " + c.account.User.Email + "."}
	return c.show(page{template: "organizations", Title: "Organizations", View: view}), nil
}

type overviewView struct {
	Organization domain.OrganizationView
	Figures      []figure
	Events       []domain.AuditEvent // for administrators
	Audit        string              // address of the audit log; empty: there is none
}

// figure is how many things of a kind there are.
type figure struct {
	Number int64
	Label  string
	To     string // empty: there is no page of them
}

func newFigure(n int64, one, many, to string) figure {
	if n == 1 {
		many = one
	}
	return figure{n, many, to}
}

func overview(c *call) (*reply, error) {
	organization, err := c.Service.Organization(c.ctx(), c.actor(), c.organization())
	if err != nil {
		return nil, err
	}
	one := domain.Page{Number: 1, Size: 1} // for how many there are
	members, err := c.Service.Members(c.ctx(), c.actor(), organization.Slug, one)
	if err != nil {
		return nil, err
	}
	teams, err := c.Service.Teams(c.ctx(), c.actor(), organization.Slug, "", one)
	if err != nil {
		return nil, err
	}
	view := overviewView{Organization: organization, Audit: c.sectionLink("audit"), Figures: []figure{
		newFigure(organization.PipelinesCount, "pipeline", "pipelines", c.sectionLink("pipelines")),
		newFigure(organization.ClustersCount, "cluster", "clusters", c.sectionLink("clusters")),
		newFigure(teams.Total, "team", "teams", c.sectionLink("teams")),
		newFigure(members.Total, "member", "members", c.sectionLink("members")),
	}}
	if organization.Administered {
		events, err := c.Service.AuditEvents(c.ctx(), c.actor(), organization.Slug, domain.AuditFilter{}, domain.CursorPage{Size: 8})
		if err != nil {
			return nil, err
		}
		view.Events = events.Items
	}
	return c.show(page{template: "overview", Title: organization.Name, Section: "overview", View: view}), nil
}
