package web

import (
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

var organizationRoutes = []route{
	{path: "/{$}", get: redirectHome},
	{path: "/organizations", get: showOrganizations},
	{path: inOrganization, get: showOverview},
	{path: inOrganization + "/start/close", post: closeStart},
}

// redirectHome sends the user to their organization, or to the list of them.
func redirectHome(c *call) (*reply, error) {
	if c.account.OrganizationsTotal == 1 {
		return c.redirect(c.link("organizations", c.account.Organizations[0].Slug), ""), nil
	}
	return c.redirect(c.link("organizations"), ""), nil
}

type organizationsView struct {
	Organizations []domain.CountedOrganization
	List          listFrame
}

func showOrganizations(c *call) (*reply, error) {
	found, err := c.Service.Organizations(c.ctx(), c.actor(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := organizationsView{found.Items, c.newList("organization", "organizations", found.Total, len(found.Items))}
	view.List.Empty = emptyState{Title: "You're not in an organization yet", Text: "Ask an administrator to invite you: " +
		c.account.User.Email + "."}
	return c.show(page{template: "organizations", Title: "Organizations", View: view}), nil
}

type overviewView struct {
	Name         string
	Administered bool // the user sees the events
	Figures      []figure
	Home         homeView
	Events       []eventRow
	Audit        string // address of the audit log; empty: there is none
	Builds       string // address of the stream of changes of builds
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

func showOverview(c *call) (*reply, error) {
	view := overviewView{Audit: c.sectionLink("audit"), Builds: c.organizationLink("builds", "events")}
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error { return view.read(c, r, o) })
	if err != nil {
		return nil, err
	}
	return c.show(page{template: "overview", Title: view.Name, Section: "overview", View: view, Reloads: 30}), nil
}

// latestEvents is how many audit events an overview shows.
const latestEvents = 8

func (view *overviewView) read(c *call, r *read.Snapshot, o *read.Organization) error {
	this, first := []*read.Organization{o}, int64(latestEvents)
	part := read.ConnectionPart{First: &first}
	teams, err := r.TeamsOf(this, domain.TeamFilter{}, domain.ByName, part)
	if err != nil {
		return err
	}
	teamsCount, err := teams[0].Count()
	if err != nil {
		return err
	}
	members, err := r.MembersOfOrganizations(this, domain.MemberFilter{}, domain.ByName, part)
	if err != nil {
		return err
	}
	membersCount, err := members[0].Count()
	if err != nil {
		return err
	}
	counts, err := r.OrganizationCounts(this)
	if err != nil {
		return err
	}
	view.Name, view.Administered = o.Name, o.Administered()
	view.Figures = []figure{
		newFigure(counts[0].LivePipelines(), "pipeline", "pipelines", c.sectionLink("pipelines")),
		newFigure(counts[0].Clusters, "cluster", "clusters", c.sectionLink("clusters")),
		newFigure(teamsCount, "team", "teams", c.sectionLink("teams")),
		newFigure(membersCount, "member", "members", c.sectionLink("members")),
	}
	if err := view.Home.read(c, r, o, counts[0], membersCount); err != nil {
		return err
	}
	view.Figures = append(view.Figures, newFigure(view.Home.Agents, "agent", "agents", c.sectionLink("agents")))
	if !view.Administered {
		return nil
	}
	events, err := r.AuditEventsOf(this, domain.AuditFilter{}, part)
	if err != nil {
		return err
	}
	latest, err := events[0].Items()
	view.Events = nil
	for _, e := range latest {
		view.Events = append(view.Events, eventRow{e, c.organizationLink("audit", string(e.ID)),
			c.subjectLink(*e, readAuditData(e.Data))})
	}
	return err
}

// eventRow is an audit event, as the overview shows it.
type eventRow struct {
	*domain.AuditEvent
	To   string
	Link string // address of what was changed; empty: it is gone, or has no page
}
