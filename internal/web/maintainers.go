package web

import (
	"penstock/internal/domain"
	"penstock/internal/service"
)

var maintainerRoutes = []route{
	{path: inCluster + "/maintainers", get: maintainers},
	{path: inCluster + "/maintainers/new", get: newMaintainer, post: newMaintainer},
	{path: inCluster + "/maintainers/{maintainer}/remove", get: removeMaintainer, post: removeMaintainer},
}

type maintainersView struct {
	Cluster     *domain.ClusterView
	Maintainers []domain.Maintainer
	List        list
	New         string // empty: it is not for the user
}

func maintainers(c *call) (*reply, error) {
	cluster, err := c.Service.Cluster(c.ctx(), c.actor(), c.cluster())
	if err != nil {
		return nil, err
	}
	found, err := c.Service.Maintainers(c.ctx(), c.actor(), c.cluster(), c.paging())
	if err != nil {
		return nil, err
	}
	view := maintainersView{Cluster: &cluster, Maintainers: found.Items, List: c.newList("maintainer", "maintainers", found.Total, len(found.Items))}
	if cluster.Managed {
		view.New = c.inThisCluster("maintainers", "new")
	}
	view.List.Empty = emptyState{"No maintainers yet", "Maintainers may change the cluster and all that is in it. Administrators of the organization may, too.",
		"Add a maintainer", view.New}
	return c.show(c.clusterPage(&cluster, "maintainers", "Maintainers", "maintainers", view)), nil
}

type newMaintainerView struct {
	Teams      bool // those to choose from are teams, and not people
	Candidates []candidate
	List       list
	Form       *form // with what is wrong
	Back       string
}

// candidate is somebody, or a team, that can become a maintainer.
type candidate struct {
	ID     string
	Name   string
	Detail string
	Person *domain.User // nil: a team
	Is     bool         // a maintainer already
}

func newMaintainer(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	view := newMaintainerView{Teams: c.query("kind") == "teams", Form: c.newForm("Add", field{Name: "user", Kind: "hidden"}, field{Name: "team", Kind: "hidden"}),
		Back: c.inThisCluster("maintainers")}
	if c.posted() {
		var input domain.MaintainerInput
		if id := view.Form.text("user"); id != "" {
			input.User = domain.Some(id)
		}
		if id := view.Form.text("team"); id != "" {
			input.Team = domain.Some(id)
		}
		_, err := c.Service.AddMaintainer(c.ctx(), c.actor(), c.cluster(), value(input))
		if err == nil {
			return c.redirect(view.Back, "The maintainer is added."), nil
		}
		if err := view.Form.fail(err); err != nil {
			return nil, err
		}
	}
	if view.Candidates, view.List, err = c.candidates(cluster, view.Teams); err != nil {
		return nil, err
	}
	return c.showForm(view.Form, c.belowTab(cluster, "maintainers", "Maintainers", "maintainer_new", "Add a maintainer", view)), nil
}

// candidates returns the members or the teams of the organization that the address asks for.
func (c *call) candidates(cluster *domain.ClusterView, teams bool) (found []candidate, l list, err error) {
	is := map[string]bool{}
	for _, m := range cluster.Maintainers {
		if m.User != nil {
			is[string(m.User.ID)] = true
		} else {
			is[string(m.Team.ID)] = true
		}
	}
	err = c.inReading(func(r *service.Reading, o *service.Organization) error {
		found = nil
		if teams {
			connections, err := r.TeamsOf([]*service.Organization{o}, domain.TeamFilter{Search: c.query("search")}, nameOrders[0].Value, c.part())
			if err != nil {
				return err
			}
			var items []*domain.TeamView
			items, l, err = listOf(c, "team", "teams", connections[0])
			for _, t := range items {
				found = append(found, candidate{ID: string(t.ID), Name: t.Name, Detail: optionalText(t.Description), Is: is[string(t.ID)]})
			}
			return err
		}
		connections, err := r.MembersOfOrganizations([]*service.Organization{o}, domain.MemberFilter{Search: c.query("search")}, nameOrders[0].Value, c.part())
		if err != nil {
			return err
		}
		var items []*domain.MemberView
		items, l, err = listOf(c, "member", "members", connections[0])
		for _, m := range items {
			found = append(found, candidate{ID: string(m.UserID), Name: m.User.Name, Detail: m.User.Email, Person: &m.User, Is: is[string(m.UserID)]})
		}
		return err
	})
	l.Searchable = true
	if teams {
		l.Kept = map[string]string{"kind": "teams"}
	}
	l.Empty = emptyState{Title: "There are none", Text: "The organization has nobody to choose from here."}
	return found, l, err
}

func removeMaintainer(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	m, err := c.Service.Maintainer(c.ctx(), c.actor(), c.cluster(), c.r.PathValue("maintainer"))
	if err != nil {
		return nil, err
	}
	name, text := "", "They can't change the cluster any more, unless they administer the organization or a team of theirs maintains it."
	if m.User != nil {
		name = m.User.Name
	} else {
		name, text = "the team "+m.Team.Name, "Its members can't change the cluster any more, unless they administer the organization or maintain it in another way."
	}
	p := c.belowTab(cluster, "maintainers", "Maintainers", "", "Remove", nil)
	return c.confirm(confirmation{
		Title:   "Remove “" + name + "” from the maintainers?",
		Text:    text,
		Button:  "Remove maintainer",
		Cancel:  c.inThisCluster("maintainers"),
		Section: p.Section,
		Crumbs:  p.Crumbs,
	}, func() error { return c.Service.RemoveMaintainer(c.ctx(), c.actor(), c.cluster(), string(m.ID), nil) },
		c.inThisCluster("maintainers"), "The maintainer is removed.")
}
