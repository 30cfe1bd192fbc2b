package web

import (
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

const inMember = inOrganization + "/members/{member}"

var memberRoutes = []route{
	{path: inOrganization + "/members", get: showMembers},
	{path: inMember, get: showMember, post: showMember},
	{path: inMember + "/remove", get: removeMember, post: removeMember},
}

type membersView struct {
	Invitations string // address; empty: they are for administrators
	Members     []*domain.MemberView
	List        listFrame
}

func showMembers(c *call) (*reply, error) {
	var view membersView
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		found, err := r.MembersOfOrganizations([]*read.Organization{o}, domain.MemberFilter{Search: c.query("search")},
			c.requestedOrder(nameOrders), c.requestedPart())
		if err == nil {
			view.Members, view.List, err = readList(c, "member", "members", found[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.List.Searchable, view.List.Orders = true, nameOrders
	if c.administers() {
		view.Invitations = c.organizationLink("invitations")
	}
	return c.show(page{template: "members", Title: "Members", Section: "members", Crumbs: []crumb{{Label: "Members"}},
		View: view}), nil
}

var memberRoles = []option{
	{string(domain.RoleMember), "Member", "Can use the organization's pipelines and clusters."},
	{string(domain.RoleAdmin), "Administrator", "Can change everything in the organization and see its audit log."},
}

// oneMember is the member that a page is about.
type oneMember struct {
	Member     *domain.MemberView
	Changeable bool // by the user: never themself
	Self       bool
	Teams      []*domain.TeamMemberView // that the user sees
	Clusters   []*domain.ClusterView    // that the member maintains in person
	Tokens     []*domain.OrganizationToken
	// What stays if they leave, and they may know a secret of.
	Portals     []*domain.PortalView
	AgentTokens []*domain.AgentTokenView
}

// findMember finds the member that the page is about, with what they have in the organization.
func (c *call) findMember() (one oneMember, err error) {
	id, _ := domain.ParseID[domain.UserID](c.R.PathValue("member"))
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		found, err := r.MembersOf([]domain.MembershipKey{{Organization: o.ID, User: id}})
		if err != nil {
			return err
		}
		if found[0] == nil {
			return domain.Missing("organization member")
		}
		one = oneMember{Member: found[0], Self: found[0].UserID == r.User().ID}
		return one.read(r, o)
	})
	return one, err
}

func (one *oneMember) read(r *read.Snapshot, o *read.Organization) error {
	organizations, members := []*read.Organization{o}, []*domain.MemberView{one.Member}
	changeable, err := r.MemberPermitted(members, authz.WriteMember)
	if err != nil {
		return err
	}
	one.Changeable = changeable[0]
	size := int64(read.MaxPage)
	all := read.ConnectionPart{First: &size}
	teams, err := r.TeamsOfMembers(members, domain.ByName, all)
	if err != nil {
		return err
	}
	if one.Teams, err = teams[0].Items(); err != nil {
		return err
	}
	clusters, err := r.ClustersMaintainedBy(organizations, one.Member.UserID, all)
	if err != nil {
		return err
	}
	if one.Clusters, err = clusters[0].Items(); err != nil {
		return err
	}
	tokens, err := r.TokensOf(organizations, domain.TokenFilter{User: &one.Member.UserID}, all)
	if err != nil {
		return err
	}
	if one.Tokens, err = tokens[0].Items(); err != nil {
		return err
	}
	if !one.Changeable {
		return nil
	}
	portals, err := r.PortalsKnownBy(organizations, one.Member.UserID, all)
	if err != nil {
		return err
	}
	if one.Portals, err = portals[0].Items(); err != nil {
		return err
	}
	agentTokens, err := r.AgentTokensMadeBy(organizations, one.Member.UserID, all)
	if err != nil {
		return err
	}
	one.AgentTokens, err = agentTokens[0].Items()
	return err
}

type memberView struct {
	oneMember
	Form *form // nil: the user may not change the role
	Role string
}

func showMember(c *call) (*reply, error) {
	one, err := c.findMember()
	if err != nil {
		return nil, err
	}
	user := string(one.Member.UserID)
	f := c.newForm("Change role", field{Name: "role", Label: "Role", Kind: "radio", Options: memberRoles,
		Value: string(one.Member.Role)})
	if c.isPost() {
		_, err := c.Service.UpdateMember(c.ctx(), c.actor(), c.organizationRef(), user,
			inputOf(domain.MemberInput{Role: f.typedInput("role")}), nil)
		if err == nil {
			return c.redirect(c.organizationLink("members", user), "Role changed."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	view := memberView{oneMember: one, Role: optionLabel(memberRoles, string(one.Member.Role))}
	if one.Changeable || len(f.Problems) > 0 {
		view.Form = f
	}
	return c.showForm(f, page{template: "member", Title: one.Member.User.Name, Section: "members",
		Crumbs: []crumb{{"Members", c.organizationLink("members")}, {Label: one.Member.User.Name}}, View: view}), nil
}

func removeMember(c *call) (*reply, error) {
	one, err := c.findMember()
	// to whom it says why not
	if err := requirePermission(err, one.Changeable || one.Self && c.administers()); err != nil {
		return nil, err
	}
	name, user := one.Member.User.Name, string(one.Member.UserID)
	refused := ""
	if one.Self {
		refused = "You can't remove yourself. Ask another administrator to do it."
	}
	return c.confirm(confirmation{
		Title: "Remove " + name + " from the organization?", Refused: refused,
		Text:  "They lose access right away. If they come back later, they start over. They lose:",
		Items: one.describeLoss(), Kept: one.describeRemains(), Button: "Remove member", Cancel: c.organizationLink("members",
			user), Section: "members",
		Crumbs: []crumb{{"Members", c.organizationLink("members")}, {name, c.organizationLink("members", user)},
			{Label: "Remove"}},
	}, func() error {
		_, err := c.Service.RemoveMember(c.ctx(), c.actor(), c.organizationRef(), user, nil)
		return err
	}, c.organizationLink("members"), "Member removed.")
}

// describeRemains says what goes on without the member, who may know a secret of it.
func (one *oneMember) describeRemains() (kept []string) {
	for _, p := range one.Portals {
		kept = append(kept, "the portal "+p.Name)
	}
	for _, t := range one.AgentTokens {
		kept = append(kept, "the agent token "+t.Description)
	}
	return kept
}

// describeLoss says what ends with the membership.
func (one *oneMember) describeLoss() []string {
	ends := []string{"their role as " + strings.ToLower(optionLabel(memberRoles, string(one.Member.Role)))}
	named := func(what string, names []string) {
		if len(names) > 0 {
			ends = append(ends, what+": "+strings.Join(names, ", "))
		}
	}
	var teams, clusters, tokens []string
	for _, t := range one.Teams {
		teams = append(teams, t.TeamName)
	}
	for _, cluster := range one.Clusters {
		clusters = append(clusters, cluster.Name)
	}
	for _, t := range one.Tokens {
		tokens = append(tokens, t.Description)
	}
	named("their place in the teams", teams)
	named("maintaining the clusters", clusters)
	named("API tokens' access to the organization", tokens)
	return ends
}
