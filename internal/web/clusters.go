package web

import (
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

const inCluster = inOrganization + "/clusters/{cluster}"

var clusterRoutes = []route{
	{path: inOrganization + "/clusters", get: showClusters},
	{path: inCluster, get: showCluster},
}

type clustersView struct {
	Clusters []*domain.ClusterView
	List     listFrame
	New      string // address of the form for a new one; empty: the user may make none
}

func showClusters(c *call) (*reply, error) {
	var view clustersView
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		found, err := r.ClustersNamed([]*read.Organization{o}, c.query("search"), c.requestedOrder(nameOrders),
			c.requestedPart())
		if err != nil {
			return err
		}
		if view.Clusters, view.List, err = readList(c, "cluster", "clusters", found[0]); err != nil {
			return err
		}
		permitted, err := r.OrganizationPermitted([]*read.Organization{o}, authz.CreateCluster)
		if err == nil && permitted[0] {
			view.New = c.organizationLink("clusters", "new")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.List.Searchable, view.List.Orders = true, nameOrders
	view.List.Empty = emptyState{"No clusters yet", "A cluster groups agents and queues, and the pipelines that run " +
		"on them.", "New cluster", view.New}
	return c.show(page{template: "clusters", Title: "Clusters", Section: "clusters", Crumbs: []crumb{{Label: "Clusters"}},
		View: view}), nil
}

type clusterView struct {
	Cluster        *domain.ClusterView
	AgentTokens    int64       // 0 unless the user manages the cluster
	Steps          []startStep // nil: nothing is left to do, or it is not for the user
	Pipelines      []*domain.PipelineView
	PipelinesCount int
	AllPipelines   string // address
}

// clusterPipelines is how many of a cluster's pipelines its page lists.
const clusterPipelines = 10

// readPipelines reads the pipelines that run on the cluster.
func (view *clusterView) readPipelines(c *call) error {
	archived, size := false, int64(clusterPipelines)
	view.AllPipelines = c.organizationLink("pipelines") + "?cluster=" + string(view.Cluster.ID)
	return c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		found, err := r.PipelinesOf([]*read.Organization{o}, domain.PipelineFilter{Cluster: &view.Cluster.ID,
			Archived: &archived}, domain.ByName, false,
			read.ConnectionPart{First: &size})
		if err != nil {
			return err
		}
		if view.Pipelines, err = found[0].Items(); err != nil {
			return err
		}
		total, err := found[0].Count()
		view.PipelinesCount = int(total)
		return err
	})
}

func showCluster(c *call) (*reply, error) {
	found, err := c.Service.Cluster(c.ctx(), c.actor(), c.cluster())
	if err != nil {
		return nil, err
	}
	tokens, err := c.agentTokensCount(&found)
	if err != nil {
		return nil, err
	}
	view := clusterView{Cluster: &found, AgentTokens: tokens}
	if found.Managed && (found.QueuesCount == 0 || tokens == 0) {
		view.Steps = []startStep{
			{"Add a queue", "Jobs wait in a queue until one of its agents picks them up.", c.clusterLink("queues", "new"),
				found.QueuesCount > 0},
			{"Create an agent token", "Agents use it to connect to this cluster.", c.clusterLink("tokens", "new"), tokens > 0},
		}
	}
	if err := view.readPipelines(c); err != nil {
		return nil, err
	}
	return c.replyWithCluster(&found, "cluster", found.Name, "", view)
}

// replyWithCluster shows a page about a cluster.
func (c *call) replyWithCluster(cluster *domain.ClusterView, template, title, current string,
	view any) (*reply, error) {
	p, err := c.clusterPage(cluster, template, title, current, view)
	return c.show(p), err
}

// agentTokensCount returns how many agent tokens a cluster has, if the user manages it.
func (c *call) agentTokensCount(cluster *domain.ClusterView) (int64, error) {
	if !cluster.Managed {
		return 0, nil
	}
	found, err := c.Service.AgentTokens(c.ctx(), c.actor(), c.cluster(), domain.Page{Number: 1, Size: 1})
	return found.Total, err
}

// clusterPage is a page about a cluster, with its tabs. Current is the last segment of the tab's path; empty: the
// overview.
func (c *call) clusterPage(cluster *domain.ClusterView, template, title, current string, view any) (page, error) {
	tokens, err := c.agentTokensCount(cluster)
	if err != nil {
		return page{}, err
	}
	p := c.clusterPageWithoutTabs(cluster, template, title, current, view)
	id := string(cluster.ID)
	for _, t := range []struct {
		path, label string
		count       any
		shown       bool
	}{
		{"", "Overview", nil, true},
		{"queues", "Queues", cluster.QueuesCount, true},
		{"tokens", "Agent tokens", tokens, cluster.Managed},
		{"secrets", "Secrets", nil, cluster.Managed},
		{"registries", "Cache registries", nil, cluster.Managed},
		{"maintainers", "Maintainers", len(cluster.Maintainers), true},
		{"settings", "Settings", nil, cluster.Writable},
	} {
		segments := slices.DeleteFunc([]string{"clusters", id, t.path}, func(s string) bool { return s == "" })
		pattern := "clusters/{cluster}"
		if t.path != "" {
			pattern += "/" + t.path
		}
		if !c.hasPage(pattern) || !t.shown {
			continue
		}
		p.Tabs = append(p.Tabs, tab{Label: t.label, To: c.organizationLink(segments...), Count: t.count,
			Current: t.path == current})
	}
	return p, nil
}

// clusterPageWithoutTabs is clusterPage without the tabs.
func (c *call) clusterPageWithoutTabs(cluster *domain.ClusterView, template, title, current string, view any) page {
	id := string(cluster.ID)
	p := page{template: template, Title: title, Section: "clusters", View: view,
		Crumbs: []crumb{{"Clusters", c.organizationLink("clusters")}}}
	if current == "" {
		p.Crumbs = append(p.Crumbs, crumb{Label: cluster.Name})
	} else {
		p.Crumbs = append(p.Crumbs, crumb{cluster.Name, c.organizationLink("clusters", id)}, crumb{Label: title})
	}
	return p
}
