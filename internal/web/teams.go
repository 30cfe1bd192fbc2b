package web

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
)

const inTeam = inOrganization + "/teams/{team}"

var teamRoutes = []route{
	{path: inOrganization + "/teams", get: teams},
	{path: inOrganization + "/teams/new", get: newTeam, post: newTeam},
	{path: inTeam, get: teamMembers},
	{path: inTeam + "/members/add", get: addTeamMember, post: addTeamMember},
	{path: inTeam + "/members/{member}", post: changeTeamMember},
	{path: inTeam + "/members/{member}/remove", get: removeTeamMember, post: removeTeamMember},
	{path: inTeam + "/pipelines", get: teamPipelines},
	{path: inTeam + "/pipelines/add", get: addPipelineToTeam, post: addPipelineToTeam},
	{path: inTeam + "/pipelines/{pipeline}", post: changeTeamPipeline},
	{path: inTeam + "/pipelines/{pipeline}/remove", get: removePipelineFromTeam, post: removePipelineFromTeam},
	{path: inTeam + "/settings", get: teamSettings, post: teamSettings},
	{path: inTeam + "/delete", get: deleteTeam, post: deleteTeam},
}

type teamsView struct {
	Teams []*domain.TeamView
	List  list
	New   string // address of the form for a new one; empty: it is not for the user
}

func teams(c *call) (*reply, error) {
	var view teamsView
	err := c.inReading(func(r *service.Reading, o *service.Organization) error {
		permitted, err := r.OrganizationPermitted([]*service.Organization{o}, authz.CreateTeam)
		if err != nil {
			return err
		}
		if view.New = ""; permitted[0] {
			view.New = c.inOrg("teams", "new")
		}
		found, err := r.TeamsOf([]*service.Organization{o}, domain.TeamFilter{Search: c.query("search")}, c.order(nameOrders), c.part())
		if err == nil {
			view.Teams, view.List, err = listOf(c, "team", "teams", found[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.List.Searchable, view.List.Orders = true, nameOrders
	view.List.Empty = emptyState{"No teams yet", "A team is a group of members. It can maintain clusters, and have access to pipelines.", "New team", view.New}
	return c.show(page{template: "teams", Title: "Teams", Section: "teams", Crumbs: []crumb{{Label: "Teams"}}, View: view}), nil
}

// require returns an error unless the user may do the action in the organization that the page is about.
func (c *call) require(action authz.Action) error {
	return c.inReading(func(r *service.Reading, o *service.Organization) error {
		permitted, err := r.OrganizationPermitted([]*service.Organization{o}, action)
		if err == nil && !permitted[0] {
			err = authz.ErrForbidden
		}
		return err
	})
}

var teamRoles = []option{
	{string(domain.TeamRoleMember), "Member", ""},
	{string(domain.TeamRoleMaintainer), "Maintainer", "May change the team and who belongs to it."},
}

func teamFields(t domain.Team) []field {
	return []field{
		{Name: "name", Label: "Name", Required: true, Value: t.Name},
		{Name: "description", Label: "Description", Kind: "textarea", Rows: 2, Value: optionalText(t.Description)},
		{Name: "privacy", Label: "Privacy", Kind: "radio", Value: string(t.Privacy), Options: []option{
			{string(domain.TeamVisible), "Visible", "Every member of the organization sees the team."},
			{string(domain.TeamSecret), "Secret", "Only its members and administrators see it."},
		}},
		{Name: "default_member_role", Label: "New members of the team become", Kind: "radio", Value: string(t.DefaultMemberRole), Options: teamRoles},
		{Name: "is_default_team", Label: "Who joins the organization joins the team", Kind: "checkbox", Value: checked(t.IsDefaultTeam)},
	}
}

func (f *form) teamInput() core.Input[domain.TeamInput] {
	return value(domain.TeamInput{
		Name:              f.given("name"),
		Description:       f.orNull("description"),
		Privacy:           f.given("privacy"),
		DefaultMemberRole: f.given("default_member_role"),
		IsDefaultTeam:     domain.Some(f.on("is_default_team")),
	})
}

func newTeam(c *call) (*reply, error) {
	if err := c.require(authz.CreateTeam); err != nil {
		return nil, err
	}
	f := c.newForm("Create team", teamFields(domain.Team{Privacy: domain.TeamVisible, DefaultMemberRole: domain.TeamRoleMember})...)
	f.Cancel = c.inOrg("teams")
	if c.posted() {
		team, err := c.Service.CreateTeam(c.ctx(), c.actor(), c.organizationRef(), f.teamInput())
		if err == nil {
			return c.redirect(c.inOrg("teams", string(team.ID)), "The team is created."), nil
		}
		if err := f.fail(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "form", Title: "New team", Section: "teams",
		Crumbs: []crumb{{"Teams", c.inOrg("teams")}, {Label: "New team"}}, View: formView{Form: f}}), nil
}

// oneTeam is the team that a page is about, with what the user may do with it. The views of such pages begin with it.
type oneTeam struct {
	Team           *domain.TeamView
	Changeable     bool // the team and its members
	Deletable      bool
	MembersCount   int64
	PipelinesCount int64
}

// findTeam finds the team that the page is about; also, if set, goes on reading from there.
func (c *call) findTeam(also func(*service.Reading, *service.Organization, *domain.TeamView) error) (one oneTeam, err error) {
	id, _ := domain.ParseID[domain.TeamID](c.R.PathValue("team"))
	err = c.inReading(func(r *service.Reading, o *service.Organization) error {
		found, err := r.Teams([]domain.TeamID{id})
		if err != nil {
			return err
		}
		if found[0] == nil || found[0].OrganizationID != o.ID {
			return domain.Missing("team")
		}
		one = oneTeam{Team: found[0]}
		if err := one.read(r, c.part()); err != nil || also == nil {
			return err
		}
		return also(r, o, one.Team)
	})
	return one, err
}

func (one *oneTeam) read(r *service.Reading, part service.ConnectionPart) error {
	teams := []*domain.TeamView{one.Team}
	changeable, err := r.TeamPermitted(teams, authz.UpdateTeam)
	if err != nil {
		return err
	}
	deletable, err := r.TeamPermitted(teams, authz.DeleteTeam)
	if err != nil {
		return err
	}
	one.Changeable, one.Deletable = changeable[0], deletable[0]
	members, err := r.MembersOfTeams(teams, nil, "", domain.ByName, part)
	if err != nil {
		return err
	}
	if one.MembersCount, err = members[0].Count(); err != nil {
		return err
	}
	pipelines, err := r.PipelinesOfTeams(teams, "", domain.ByName, part)
	if err != nil {
		return err
	}
	one.PipelinesCount, err = pipelines[0].Count()
	return err
}

// inTeam returns the address of a page of a team.
func (c *call) inTeam(t *domain.TeamView, segments ...string) string {
	return c.inOrg(append([]string{"teams", string(t.ID)}, segments...)...)
}

func (c *call) teamCrumbs(t *domain.TeamView, last string) []crumb {
	return []crumb{{"Teams", c.inOrg("teams")}, {t.Name, c.inTeam(t)}, {Label: last}}
}

// teamPage is a page about a team, with its tabs. Current is the label of one.
func (c *call) teamPage(one oneTeam, template, current string, view any) page {
	p := page{template: template, Title: one.Team.Name, Section: "teams", Crumbs: []crumb{{"Teams", c.inOrg("teams")}, {Label: one.Team.Name}}, View: view, Tabs: []tab{
		{Label: "Members", To: c.inTeam(one.Team), Count: one.MembersCount},
		{Label: "Pipelines", To: c.inTeam(one.Team, "pipelines"), Count: one.PipelinesCount},
	}}
	if one.Changeable {
		p.Tabs = append(p.Tabs, tab{Label: "Settings", To: c.inTeam(one.Team, "settings")})
	}
	for i := range p.Tabs {
		p.Tabs[i].Current = p.Tabs[i].Label == current
	}
	return p
}

type teamSettingsView struct {
	oneTeam
	Form *form
}

func teamSettings(c *call) (*reply, error) {
	one, err := c.findTeam(nil)
	if err := permit(err, one.Changeable); err != nil {
		return nil, err
	}
	f := c.editForm("Save settings", teamFields(one.Team.Team)...)
	if c.posted() {
		team, err := c.Service.UpdateTeam(c.ctx(), c.actor(), c.teamRef(string(one.Team.ID)), f.teamInput(),
			unchanged(f, func(now domain.TeamView) []field { return teamFields(now.Team) }))
		if err == nil {
			return c.redirect(c.inTeam(&team, "settings"), "The settings are saved."), nil
		}
		if err := f.fail(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.teamPage(one, "team_settings", "Settings", teamSettingsView{one, f})), nil
}

func deleteTeam(c *call) (*reply, error) {
	one, err := c.findTeam(nil)
	if err := permit(err, one.Deletable); err != nil {
		return nil, err
	}
	return c.confirm(confirmation{
		Title: "Delete the team “" + one.Team.Name + "”?",
		Text:  "Its members stay members of the organization. With the team end:",
		Items: []string{
			"the membership of " + count(one.MembersCount, "member", "members"),
			"its access to " + count(one.PipelinesCount, "pipeline", "pipelines"),
			"its part in maintaining clusters",
		},
		Button: "Delete team", Cancel: c.inTeam(one.Team, "settings"), Section: "teams", Crumbs: c.teamCrumbs(one.Team, "Delete"),
	}, func() error {
		_, err := c.Service.DeleteTeam(c.ctx(), c.actor(), c.teamRef(string(one.Team.ID)), nil)
		return err
	}, c.inOrg("teams"), "The team is deleted.")
}
