package web

import (
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

var maintainerRoutes = []route{
	{path: inCluster + "/maintainers", get: showMaintainers},
	{path: inCluster + "/maintainers/new", get: newMaintainer, post: newMaintainer},
	{path: inCluster + "/maintainers/{maintainer}/remove", get: removeMaintainer, post: removeMaintainer},
}

type maintainersView struct {
	Cluster     *domain.ClusterView
	Maintainers []domain.Maintainer
	List        listFrame
	New         string // empty: it is not for the user
}

func showMaintainers(c *call) (*reply, error) {
	cluster, err := c.Service.Cluster(c.ctx(), c.actor(), c.cluster())
	if err != nil {
		return nil, err
	}
	found, err := c.Service.Maintainers(c.ctx(), c.actor(), c.cluster(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := maintainersView{Cluster: &cluster, Maintainers: found.Items, List: c.newList("maintainer", "maintainers",
		found.Total, len(found.Items))}
	if cluster.Managed {
		view.New = c.clusterLink("maintainers", "new")
	}
	view.List.Empty = emptyState{"No maintainers yet", "Maintainers can change this cluster and everything in it. So " +
		"can administrators of the organization.",
		"Add maintainer", view.New}
	return c.replyWithCluster(&cluster, "maintainers", "Maintainers", "maintainers", view)
}

func newMaintainer(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	view := pickView{Field: "user", Back: c.clusterLink("maintainers")}
	teams := c.query("kind") == "teams"
	if teams {
		view.Field = "team"
	}
	if view.Items, view.List, err = c.findCandidates(cluster, teams); err != nil {
		return nil, err
	}
	p := c.pageBelowTab(cluster, "maintainers", "Maintainers", "", "Add maintainer", nil)
	to := c.clusterLink("maintainers", "new")
	p.Tabs = []tab{{Label: "People", To: to, Current: !teams}, {Label: "Teams", To: to + "?kind=teams", Current: teams}}
	return c.pickOne(p, view, func(f *form) error {
		input := domain.MaintainerInput{User: f.typedInput("user")}
		if teams {
			input = domain.MaintainerInput{Team: f.typedInput("team")}
		}
		_, err := c.Service.AddMaintainer(c.ctx(), c.actor(), c.cluster(), inputOf(input))
		return err
	}, "Maintainer added.")
}

// findCandidates returns the members or the teams of the organization that the address asks for.
func (c *call) findCandidates(cluster *domain.ClusterView, teams bool) (found []pickItem, l listFrame, err error) {
	locked := map[string]string{}
	for _, m := range cluster.Maintainers {
		if m.User != nil {
			locked[string(m.User.ID)] = "Already a maintainer"
		} else {
			locked[string(m.Team.ID)] = "Already a maintainer"
		}
	}
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		found = nil
		if teams {
			connections, err := r.TeamsOf([]*read.Organization{o}, domain.TeamFilter{Search: c.query("search")}, domain.ByName,
				c.requestedPart())
			if err != nil {
				return err
			}
			var items []*domain.TeamView
			items, l, err = readList(c, "team", "teams", connections[0])
			for _, t := range items {
				found = append(found, pickItem{ID: string(t.ID), Name: t.Name, Detail: textOrEmpty(t.Description),
					Locked: locked[string(t.ID)]})
			}
			return err
		}
		connections, err := r.MembersOfOrganizations([]*read.Organization{o}, domain.MemberFilter{Search: c.query("search")},
			domain.ByName, c.requestedPart())
		if err != nil {
			return err
		}
		var items []*domain.MemberView
		items, l, err = readList(c, "member", "members", connections[0])
		for _, m := range items {
			found = append(found, pickItem{ID: string(m.UserID), Name: m.User.Name, Detail: m.User.Email, Person: &m.User,
				Locked: locked[string(m.UserID)]})
		}
		return err
	})
	if teams {
		l.Kept = map[string]string{"kind": "teams"}
	}
	l.Empty = emptyState{Title: "Nobody to add", Text: "There is nobody else in the organization to choose."}
	return found, l, err
}

func removeMaintainer(c *call) (*reply, error) {
	cluster, err := c.managedCluster()
	if err != nil {
		return nil, err
	}
	m, err := c.Service.Maintainer(c.ctx(), c.actor(), c.cluster(), c.R.PathValue("maintainer"))
	if err != nil {
		return nil, err
	}
	name, text := "", "They can no longer change this cluster, unless they're an administrator or a team of theirs "+
		"maintains it."
	if m.User != nil {
		name = m.User.Name
	} else {
		name, text = "the team "+m.Team.Name, "Its members can no longer change this cluster, unless they're "+
			"administrators or maintain it in another way."
	}
	p := c.pageBelowTab(cluster, "maintainers", "Maintainers", "", "Remove", nil)
	return c.confirm(confirmation{
		Title:   "Remove “" + name + "” from the maintainers?",
		Text:    text,
		Button:  "Remove maintainer",
		Cancel:  c.clusterLink("maintainers"),
		Section: p.Section,
		Crumbs:  p.Crumbs,
	}, func() error { return c.Service.RemoveMaintainer(c.ctx(), c.actor(), c.cluster(), string(m.ID), nil) },
		c.clusterLink("maintainers"), "Maintainer removed.")
}
