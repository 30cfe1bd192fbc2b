package web

import (
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

type teamMembersView struct {
	oneTeam
	Members []teamMemberRow
	List    listFrame
	Add     string // empty: it is not for the user
}

// teamMemberRow is a membership of a team, as a list shows it.
type teamMemberRow struct {
	*domain.TeamMemberView
	Role  field  // a select with the roles
	Label string // of the present one
	To    string // address that takes a change
}

func roleField(role domain.TeamRole) field {
	return field{Name: "role", Label: "Role", Kind: "select", Options: teamRoles, Value: string(role)}
}

func showTeamMembers(c *call) (*reply, error) {
	var view teamMembersView
	var members []*domain.TeamMemberView
	one, err := c.findTeam(func(r *read.Snapshot, _ *read.Organization, t *domain.TeamView) error {
		found, err := r.MembersOfTeams([]*domain.TeamView{t}, nil, c.query("search"), c.requestedOrder(nameOrders),
			c.requestedPart())
		if err == nil {
			members, view.List, err = readList(c, "member", "members", found[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.oneTeam = one
	for _, m := range members {
		view.Members = append(view.Members, teamMemberRow{m, roleField(m.Role), optionLabel(teamRoles, string(m.Role)),
			c.teamLink(one.Team, "members", string(m.UserID))})
	}
	view.List.Searchable, view.List.Orders = true, nameOrders
	if one.Changeable {
		view.Add = c.teamLink(one.Team, "members", "add")
	}
	view.List.Empty = emptyState{"No members yet", "Add members of the organization to this team.", "Add member", view.Add}
	return c.show(c.teamPage(one, "team_members", "Members", view)), nil
}

func addTeamMember(c *call) (*reply, error) {
	view := pickView{Field: "user_id", Text: "Members of the organization who aren't in the team yet."}
	one, err := c.findTeam(func(r *read.Snapshot, o *read.Organization, t *domain.TeamView) error {
		found, err := r.MembersOfOrganizations([]*read.Organization{o}, domain.MemberFilter{Search: c.query("search"),
			NotTeam: &t.ID}, domain.ByName, c.requestedPart())
		if err != nil {
			return err
		}
		members, list, err := readList(c, "member", "members", found[0])
		view.List, view.Items = list, nil
		for _, m := range members {
			view.Items = append(view.Items, pickItem{ID: string(m.UserID), Name: m.User.Name, Detail: m.User.Email,
				Person: &m.User})
		}
		return err
	})
	if err := requirePermission(err, one.Changeable); err != nil {
		return nil, err
	}
	view.Levels, view.Back = roleField(one.Team.DefaultMemberRole), c.teamLink(one.Team)
	view.List.Empty = emptyState{Title: "Nobody to add", Text: "Everyone in the organization is already in the team."}
	return c.pickOne(page{Title: "Add member", Section: "teams", Crumbs: c.teamCrumbs(one.Team, "Add member")}, view,
		func(f *form) error {
			_, err := c.Service.AddTeamMember(c.ctx(), c.actor(), c.teamRef(string(one.Team.ID)),
				inputOf(domain.TeamMemberInput{UserID: f.typedInput("user_id"), Role: f.typedInput("role")}))
			return err
		}, "Member added.")
}

func changeTeamMember(c *call) (*reply, error) {
	one, err := c.findTeam(nil)
	if err != nil {
		return nil, err
	}
	_, err = c.Service.UpdateTeamMember(c.ctx(), c.actor(), c.teamRef(string(one.Team.ID)), c.R.PathValue("member"),
		inputOf(domain.TeamMemberInput{Role: domain.Some(c.R.PostForm.Get("role"))}), nil)
	if err != nil {
		return nil, err
	}
	return c.redirect(c.teamLink(one.Team), "Role changed."), nil
}

func removeTeamMember(c *call) (*reply, error) {
	one, err := c.findTeam(nil)
	if err := requirePermission(err, one.Changeable); err != nil {
		return nil, err
	}
	ref := c.teamRef(string(one.Team.ID))
	member, err := c.Service.TeamMember(c.ctx(), c.actor(), ref, c.R.PathValue("member"))
	if err != nil {
		return nil, err
	}
	return c.confirm(confirmation{
		Title:  "Remove " + member.User.Name + " from the team “" + one.Team.Name + "”?",
		Text:   "They stay a member of the organization, but lose everything the team's access gives them.",
		Button: "Remove from team", Cancel: c.teamLink(one.Team), Section: "teams", Crumbs: c.teamCrumbs(one.Team, "Remove"),
	}, func() error {
		_, err := c.Service.RemoveTeamMember(c.ctx(), c.actor(), ref, string(member.UserID), nil)
		return err
	}, c.teamLink(one.Team), "Member removed from the team.")
}
