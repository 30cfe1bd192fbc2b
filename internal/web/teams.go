package web

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

const inTeam = inOrganization + "/teams/{team}"

var teamRoutes = []route{
	{path: inOrganization + "/teams", get: showTeams},
	{path: inOrganization + "/teams/new", get: newTeam, post: newTeam},
	{path: inTeam, get: showTeamMembers},
	{path: inTeam + "/members/add", get: addTeamMember, post: addTeamMember},
	{path: inTeam + "/members/{member}", post: changeTeamMember},
	{path: inTeam + "/members/{member}/remove", get: removeTeamMember, post: removeTeamMember},
	{path: inTeam + "/pipelines", get: showTeamPipelines},
	{path: inTeam + "/pipelines/add", get: addPipelineToTeam, post: addPipelineToTeam},
	{path: inTeam + "/pipelines/{pipeline}", post: changeTeamPipeline},
	{path: inTeam + "/pipelines/{pipeline}/remove", get: removePipelineFromTeam, post: removePipelineFromTeam},
	{path: inTeam + "/settings", get: editTeam, post: editTeam},
	{path: inTeam + "/delete", get: deleteTeam, post: deleteTeam},
}

type teamsView struct {
	Teams []*domain.TeamView
	List  listFrame
	New   string // address of the form for a new one; empty: it is not for the user
}

func showTeams(c *call) (*reply, error) {
	var view teamsView
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		permitted, err := r.OrganizationPermitted([]*read.Organization{o}, authz.CreateTeam)
		if err != nil {
			return err
		}
		if view.New = ""; permitted[0] {
			view.New = c.organizationLink("teams", "new")
		}
		found, err := r.TeamsOf([]*read.Organization{o}, domain.TeamFilter{Search: c.query("search")},
			c.requestedOrder(nameOrders), c.requestedPart())
		if err == nil {
			view.Teams, view.List, err = readList(c, "team", "teams", found[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.List.Searchable, view.List.Orders = true, nameOrders
	view.List.Empty = emptyState{"No teams yet", "Teams give groups of people access to pipelines and clusters.",
		"New team", view.New}
	return c.show(page{template: "teams", Title: "Teams", Section: "teams", Crumbs: []crumb{{Label: "Teams"}},
		View: view}), nil
}

// require returns an error unless the user may do the action in the organization that the page is about.
func (c *call) require(action authz.Action) error {
	return c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		permitted, err := r.OrganizationPermitted([]*read.Organization{o}, action)
		if err == nil && !permitted[0] {
			err = authz.ErrForbidden
		}
		return err
	})
}

var teamRoles = []option{
	{string(domain.TeamRoleMember), "Member", ""},
	{string(domain.TeamRoleMaintainer), "Maintainer", "Can change the team and its members."},
}

func teamFields(t domain.Team) []field {
	return []field{
		{Name: "name", Label: "Name", Required: true, Value: t.Name},
		{Name: "description", Label: "Description", Kind: "textarea", Rows: 2, Value: textOrEmpty(t.Description)},
		{Name: "privacy", Label: "Privacy", Kind: "radio", Value: string(t.Privacy), Options: []option{
			{string(domain.TeamVisible), "Visible", "Every member of the organization can see the team."},
			{string(domain.TeamSecret), "Secret", "Only its members and administrators can see the team."},
		}},
		{Name: "default_member_role", Label: "New members join as", Kind: "radio", Value: string(t.DefaultMemberRole),
			Options: teamRoles},
		{Name: "is_default_team", Label: "Add new members of the organization automatically", Kind: "checkbox",
			Value: checkboxValue(t.IsDefaultTeam)},
	}
}

func (f *form) teamInput() core.Input[domain.TeamInput] {
	return inputOf(domain.TeamInput{
		Name:              f.typedInput("name"),
		Description:       f.typedOrNull("description"),
		Privacy:           f.typedInput("privacy"),
		DefaultMemberRole: f.typedInput("default_member_role"),
		IsDefaultTeam:     domain.Some(f.isChecked("is_default_team")),
	})
}

func newTeam(c *call) (*reply, error) {
	if err := c.require(authz.CreateTeam); err != nil {
		return nil, err
	}
	f := c.newForm("Create team",
		teamFields(domain.Team{Privacy: domain.TeamVisible, DefaultMemberRole: domain.TeamRoleMember})...)
	f.Cancel, f.Fields[0].Autofocus = c.organizationLink("teams"), true
	if c.isPost() {
		team, err := c.Service.CreateTeam(c.ctx(), c.actor(), c.organizationRef(), f.teamInput())
		if err == nil {
			return c.redirect(c.organizationLink("teams", string(team.ID)), "Team created."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "form", Title: "New team", Section: "teams",
		Crumbs: []crumb{{"Teams", c.organizationLink("teams")}, {Label: "New team"}}, View: formView{Form: f}}), nil
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
func (c *call) findTeam(also func(*read.Snapshot, *read.Organization, *domain.TeamView) error) (
	one oneTeam, err error) {
	id, _ := domain.ParseID[domain.TeamID](c.R.PathValue("team"))
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		found, err := r.Teams([]domain.TeamID{id})
		if err != nil {
			return err
		}
		if found[0] == nil || found[0].OrganizationID != o.ID {
			return domain.Missing("team")
		}
		one = oneTeam{Team: found[0]}
		if err := one.read(r, c.requestedPart()); err != nil || also == nil {
			return err
		}
		return also(r, o, one.Team)
	})
	return one, err
}

func (one *oneTeam) read(r *read.Snapshot, part read.ConnectionPart) error {
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

// teamLink returns the address of a page of a team.
func (c *call) teamLink(t *domain.TeamView, segments ...string) string {
	return c.organizationLink(append([]string{"teams", string(t.ID)}, segments...)...)
}

func (c *call) teamCrumbs(t *domain.TeamView, last string) []crumb {
	return []crumb{{"Teams", c.organizationLink("teams")}, {t.Name, c.teamLink(t)}, {Label: last}}
}

// teamPage is a page about a team, with its tabs. Current is the label of one.
func (c *call) teamPage(one oneTeam, template, current string, view any) page {
	p := page{template: template, Title: one.Team.Name, Section: "teams",
		Crumbs: []crumb{{"Teams", c.organizationLink("teams")}, {Label: one.Team.Name}}, View: view, Tabs: []tab{
			{Label: "Members", To: c.teamLink(one.Team), Count: one.MembersCount},
			{Label: "Pipelines", To: c.teamLink(one.Team, "pipelines"), Count: one.PipelinesCount},
		}}
	if one.Changeable {
		p.Tabs = append(p.Tabs, tab{Label: "Settings", To: c.teamLink(one.Team, "settings")})
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

func editTeam(c *call) (*reply, error) {
	one, err := c.findTeam(nil)
	if err := requirePermission(err, one.Changeable); err != nil {
		return nil, err
	}
	f := c.editForm("Save settings", teamFields(one.Team.Team)...)
	if c.isPost() {
		team, err := c.Service.UpdateTeam(c.ctx(), c.actor(), c.teamRef(string(one.Team.ID)), f.teamInput(),
			expectUnchanged(f, func(now domain.TeamView) []field { return teamFields(now.Team) }))
		if err == nil {
			return c.redirect(c.teamLink(&team, "settings"), "Settings saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.teamPage(one, "team_settings", "Settings", teamSettingsView{one, f})), nil
}

func deleteTeam(c *call) (*reply, error) {
	one, err := c.findTeam(nil)
	if err := requirePermission(err, one.Deletable); err != nil {
		return nil, err
	}
	return c.confirm(confirmation{
		Title: "Delete the team “" + one.Team.Name + "”?",
		Text:  "Members of the team stay in the organization. This removes:",
		Items: []string{
			"the team's " + countNoun(one.MembersCount, "member", "members"),
			"its access to " + countNoun(one.PipelinesCount, "pipeline", "pipelines"),
			"its role as a maintainer of clusters",
		},
		Button: "Delete team", Cancel: c.teamLink(one.Team, "settings"), Section: "teams", Crumbs: c.teamCrumbs(one.Team,
			"Delete"),
	}, func() error {
		_, err := c.Service.DeleteTeam(c.ctx(), c.actor(), c.teamRef(string(one.Team.ID)), nil)
		return err
	}, c.organizationLink("teams"), "Team deleted.")
}
