package web

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/service/read"
)

var searchRoutes = []route{{path: inOrganization + "/search", get: showSearch}}

type searchView struct {
	Query  string
	Groups []searchGroup
}

// searchGroup is what was found of a kind.
type searchGroup struct {
	Title string
	Hits  []searchHit
}

// searchHit is something that was found.
type searchHit struct {
	ID     string // of what audit events know; empty: of nothing
	Name   string
	Detail string
	To     string
}

// maxHits is how many things of a kind a search shows.
const maxHits = 8

// showSearch finds what the organization has by its name.
func showSearch(c *call) (*reply, error) {
	view := searchView{Query: strings.TrimSpace(c.query("q"))}
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) (err error) {
		if view.Query == "" {
			return nil
		}
		view.Groups, err = c.findEverywhere(r, o, view.Query, maxHits)
		return err
	})
	if err != nil {
		return nil, err
	}
	if pages := c.findPages(view.Query); len(pages) > 0 {
		view.Groups = append(view.Groups, searchGroup{"Pages", pages})
	}
	return c.show(page{template: "search", Title: "Search", Crumbs: []crumb{{Label: "Search"}}, View: view}), nil
}

// findEverywhere returns what the user sees of the organization whose name has that text, up to a number of each kind.
func (c *call) findEverywhere(r *read.Snapshot, o *read.Organization, text string,
	most int64) (groups []searchGroup, err error) {
	for _, kind := range []struct {
		title string
		find  func(*read.Snapshot, *read.Organization, string, read.ConnectionPart) ([]searchHit, error)
	}{
		{"Pipelines", c.findPipelines}, {"Builds", c.findBuilds}, {"Clusters", c.findClusters}, {"Queues", c.findQueues},
		{"Teams", c.findTeams}, {"People", c.findPeople},
	} {
		hits, err := kind.find(r, o, text, read.ConnectionPart{First: &most})
		if err != nil {
			return nil, err
		}
		if len(hits) > 0 {
			groups = append(groups, searchGroup{kind.title, hits})
		}
	}
	return groups, nil
}

// buildName matches a build as people write it: web #12, or web/12.
var buildName = regexp.MustCompile(`^(\S+?)\s*[#/ ]\s*#?(\d{1,9})$`)

func (c *call) findBuilds(r *read.Snapshot, o *read.Organization, text string, part read.ConnectionPart) (
	hits []searchHit, err error) {
	found, err := r.BuildsFound(o, text, *part.First)
	if err != nil {
		return nil, err
	}
	if named := buildName.FindStringSubmatch(text); named != nil {
		number, err := strconv.ParseInt(named[2], 10, 64)
		if err != nil {
			return nil, err
		}
		b, err := r.BuildByNumber(o.Slug, strings.ToLower(named[1]), number)
		if err != nil {
			return nil, err
		}
		if b != nil {
			found = append([]*domain.BuildView{b}, slices.DeleteFunc(found, func(other *domain.BuildView) bool {
				return other.ID == b.ID
			})...)
		}
	}
	for _, b := range found[:min(int64(len(found)), *part.First)] {
		detail := firstLine(b.Message)
		if detail == "" {
			detail = b.Branch
		}
		hits = append(hits, searchHit{Name: fmt.Sprintf("%s #%d", b.Pipeline.Name, b.Number), Detail: detail,
			To: c.buildLink(b)})
	}
	return hits, nil
}

func (c *call) findPipelines(r *read.Snapshot, o *read.Organization, text string, part read.ConnectionPart) (
	hits []searchHit, err error) {
	found, err := r.PipelinesOf([]*read.Organization{o}, domain.PipelineFilter{Text: text}, domain.ByName, false, part)
	if err != nil {
		return nil, err
	}
	items, err := found[0].Items()
	for _, p := range items {
		hits = append(hits, searchHit{string(p.ID), p.Name, p.RedactedRepository(), c.organizationLink("pipelines", p.Slug)})
	}
	return hits, err
}

func (c *call) findClusters(r *read.Snapshot, o *read.Organization, text string, part read.ConnectionPart) (
	hits []searchHit, err error) {
	found, err := r.ClustersNamed([]*read.Organization{o}, text, domain.ByName, part)
	if err != nil {
		return nil, err
	}
	items, err := found[0].Items()
	for _, cluster := range items {
		hits = append(hits, searchHit{string(cluster.ID), cluster.Name, textOrEmpty(cluster.Description),
			c.organizationLink("clusters", string(cluster.ID))})
	}
	return hits, err
}

func (c *call) findQueues(r *read.Snapshot, o *read.Organization, text string, part read.ConnectionPart) (
	hits []searchHit, err error) {
	queues, err := r.QueuesFound(o, text, *part.First)
	if err != nil {
		return nil, err
	}
	clusters, err := clustersOfQueues(r, queues)
	if err != nil {
		return nil, err
	}
	for i, q := range queues {
		if cluster := clusters[i]; cluster != nil {
			hits = append(hits, searchHit{string(q.ID), q.Key, cluster.Name, c.organizationLink("clusters", string(cluster.ID),
				"queues", string(q.ID))})
		}
	}
	return hits, nil
}

// clustersOfQueues returns the cluster of each queue.
func clustersOfQueues(r *read.Snapshot, queues []*domain.QueueView) ([]*domain.ClusterView, error) {
	ids := make([]domain.ClusterID, len(queues))
	for i, q := range queues {
		ids[i] = q.ClusterID
	}
	return r.Clusters(ids)
}

func (c *call) findTeams(r *read.Snapshot, o *read.Organization, text string, part read.ConnectionPart) (
	hits []searchHit, err error) {
	found, err := r.TeamsOf([]*read.Organization{o}, domain.TeamFilter{Search: text}, domain.ByName, part)
	if err != nil {
		return nil, err
	}
	items, err := found[0].Items()
	for _, t := range items {
		hits = append(hits, searchHit{string(t.ID), t.Name, textOrEmpty(t.Description),
			c.organizationLink("teams", string(t.ID))})
	}
	return hits, err
}

func (c *call) findPeople(r *read.Snapshot, o *read.Organization, text string, part read.ConnectionPart) (
	hits []searchHit, err error) {
	found, err := r.MembersOfOrganizations([]*read.Organization{o}, domain.MemberFilter{Search: text}, domain.ByName, part)
	if err != nil {
		return nil, err
	}
	items, err := found[0].Items()
	for _, m := range items {
		hits = append(hits, searchHit{string(m.UserID), m.User.Name, m.User.Email, c.organizationLink("members",
			string(m.UserID))})
	}
	return hits, err
}

// findPages returns the pages of the interface and of the documentation whose titles have that text.
func (c *call) findPages(text string) (hits []searchHit) {
	if text == "" {
		return nil
	}
	add := func(name, detail, to string) {
		if len(hits) < maxHits && strings.Contains(strings.ToLower(name), strings.ToLower(text)) {
			hits = append(hits, searchHit{Name: name, Detail: detail, To: to})
		}
	}
	for _, group := range c.navigation("") {
		for _, entry := range group.Entries {
			add(entry.Label, c.account.Current.Name, entry.To)
		}
	}
	for _, t := range c.accountPage("", "", "", nil).Tabs {
		add(t.Label, "Your account", t.To)
	}
	for _, name := range documentNames {
		add(c.documents()[name].Title, "Documentation", c.link("docs", name))
	}
	return hits
}
