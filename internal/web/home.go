package web

import (
	"slices"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/service/read"
)

// startStep is a step of the way from a new organization to its first build.
type startStep struct {
	Title string
	Text  string
	To    string // where it is done; empty: it can't be done yet
	Done  bool
}

// How much of what there is the overview shows or looks at.
const (
	homePipelines = 8
	homeClusters  = 50
	homeBuilds    = 5
	homePaused    = 20
	ownBuildsRead = 30 // whose pipelines are shown before others
)

// homePipeline is a pipeline, with its latest build.
type homePipeline struct {
	*domain.PipelineView
	Starred bool
	Latest  *domain.BuildView // nil: none
}

// pausedQueue is a queue that is paused.
type pausedQueue struct {
	*domain.QueueView
	Cluster *domain.ClusterView
}

// homeView is what concerns the user themself on an organization's overview.
type homeView struct {
	Pipelines []homePipeline
	Builds    []*domain.BuildView // that the user created, the newest first
	Paused    []pausedQueue
	Agents    int64 // that are connected
	Steps     []startStep
	Finished  int // of the steps
}

// read reads what the organization has for the user. Figures are those of the overview.
func (h *homeView) read(c *call, r *read.Snapshot, o *read.Organization, counts domain.OrganizationCounts,
	members int64) error {
	this, archived := []*read.Organization{o}, false
	*h = homeView{}
	own, err := r.OwnBuilds(o, ownBuildsRead)
	if err != nil {
		return err
	}
	h.Builds = own[:min(len(own), homeBuilds)]
	size := int64(homePipelines)
	found, err := r.PipelinesOf(this, domain.PipelineFilter{Archived: &archived}, domain.FavoritesFirst, false,
		read.ConnectionPart{First: &size})
	if err != nil {
		return err
	}
	listed, err := found[0].Items()
	if err != nil {
		return err
	}
	pipelines, err := choosePipelines(r, listed, own)
	if err != nil {
		return err
	}
	latest, err := latestBuilds(r, pipelines)
	if err != nil {
		return err
	}
	for i, p := range pipelines {
		h.Pipelines = append(h.Pipelines, homePipeline{p, p.Favorite != nil && *p.Favorite, latest[i]})
	}
	agents, err := r.AgentsOf(this, domain.AgentSearch{}, read.ConnectionPart{First: &size})
	if err != nil {
		return err
	}
	if h.Agents, err = agents[0].Count(); err != nil {
		return err
	}
	most := int64(homeClusters)
	if err := h.readPausedQueues(r, o); err != nil || !o.Administered() {
		return err
	}
	some, err := r.ClustersOf(this, domain.ByName, read.ConnectionPart{First: &most})
	if err != nil {
		return err
	}
	clusters, err := some[0].Items()
	if err != nil {
		return err
	}
	built, err := r.HasBuilds(o)
	if err != nil {
		return err
	}
	return h.readSteps(c, r, clusters, counts, members, built)
}

// choosePipelines returns the pipelines that the overview shows: the user's favourites, then those that they built
// last, then others. Listed are some pipelines, favourites first.
func choosePipelines(r *read.Snapshot, listed []*domain.PipelineView, own []*domain.BuildView) (
	[]*domain.PipelineView, error) {
	var ids []domain.PipelineID
	for _, b := range own {
		if !slices.Contains(ids, b.PipelineID) {
			ids = append(ids, b.PipelineID)
		}
	}
	built, err := r.Pipelines(ids)
	if err != nil {
		return nil, err
	}
	favorites := slices.IndexFunc(listed, func(p *domain.PipelineView) bool { return p.Favorite == nil || !*p.Favorite })
	if favorites < 0 {
		favorites = len(listed)
	}
	chosen := slices.Clone(listed[:favorites])
	for _, p := range slices.Concat(built, listed[favorites:]) {
		if p != nil && p.ArchivedAt == nil && !slices.ContainsFunc(chosen, func(other *domain.PipelineView) bool {
			return other.ID == p.ID
		}) {
			chosen = append(chosen, p)
		}
	}
	return chosen[:min(len(chosen), homePipelines)], nil
}

// latestBuilds returns the latest build of each pipeline, nil where there is none.
func latestBuilds(r *read.Snapshot, pipelines []*domain.PipelineView) ([]*domain.BuildView, error) {
	latest := make([]*domain.BuildView, len(pipelines))
	recent, err := recentBuilds(r, pipelines, 1)
	for i, found := range recent {
		if len(found) > 0 {
			latest[i] = found[0]
		}
	}
	return latest, err
}

// recentBuilds returns the last builds of each pipeline, the newest first.
func recentBuilds(r *read.Snapshot, pipelines []*domain.PipelineView, most int64) ([][]*domain.BuildView, error) {
	if len(pipelines) == 0 {
		return nil, nil
	}
	found, err := r.BuildsOfPipelines(pipelines, domain.BuildFilter{}, read.ConnectionPart{First: &most})
	if err != nil {
		return nil, err
	}
	recent := make([][]*domain.BuildView, len(pipelines))
	for i, builds := range found {
		if recent[i], err = builds.Items(); err != nil {
			return nil, err
		}
	}
	return recent, nil
}

func (h *homeView) readPausedQueues(r *read.Snapshot, o *read.Organization) error {
	queues, err := r.PausedQueues(o, homePaused)
	if err != nil || len(queues) == 0 {
		return err
	}
	clusters, err := clustersOfQueues(r, queues)
	for i, cluster := range clusters {
		if cluster != nil {
			h.Paused = append(h.Paused, pausedQueue{queues[i], cluster})
		}
	}
	return err
}

// readSteps finds out how far the organization has come. Once it has come all the way, there is nothing to show.
func (h *homeView) readSteps(c *call, r *read.Snapshot, clusters []*domain.ClusterView,
	counts domain.OrganizationCounts, members int64, built bool) error {
	cluster, clustersPage := "", c.organizationLink("clusters")
	queues, tokens := false, false
	if len(clusters) > 0 {
		cluster = string(clusters[0].ID)
		clustersPage = c.organizationLink("clusters", cluster)
		some := int64(1)
		found, err := r.AgentTokensOf(clusters, read.ConnectionPart{First: &some})
		if err != nil {
			return err
		}
		for i := range clusters {
			queues = queues || clusters[i].QueuesCount > 0
			n, err := found[i].Count()
			if err != nil {
				return err
			}
			tokens = tokens || n > 0
		}
	}
	firstPipeline := ""
	if len(h.Pipelines) > 0 {
		firstPipeline = c.organizationLink("pipelines", h.Pipelines[0].Slug)
	}
	inCluster := func(kind string) string {
		if cluster == "" {
			return "" // once there is one
		}
		return clustersPage + "/" + kind + "/new"
	}
	h.Steps = []startStep{
		{"Create a cluster", "A cluster groups agents and queues, and the pipelines that run on them.",
			c.organizationLink("clusters", "new"), counts.Clusters > 0},
		{"Add a queue", "Jobs wait in a queue until one of its agents picks them up.", inCluster("queues"), queues},
		{"Create an agent token", "Agents use it to connect to the cluster.", inCluster("tokens"), tokens || h.Agents > 0},
		{"Start an agent", "Run it with the token on a machine of yours.", c.link("docs", "first-build"), h.Agents > 0 ||
			built},
		{"Create a pipeline", "A pipeline defines the steps that build a repository.", c.organizationLink("new-pipeline"),
			counts.Pipelines > 0},
		{"Run your first build", "Start a build from the pipeline's page.", firstPipeline, built},
		{"Invite your team", "Everyone you invite gets a link to join.", c.organizationLink("invitations", "new"),
			members > 1},
	}
	for _, step := range h.Steps {
		if step.Done {
			h.Finished++
		}
	}
	if h.Finished == len(h.Steps) || c.hasClosedStart() {
		h.Steps = nil
	}
	return nil
}

// closedStarts returns the slugs of the organizations whose first steps were closed in this browser.
func (c *call) closedStarts() []string { return strings.Split(c.cookie(startCookie), ".") }

func (c *call) hasClosedStart() bool { return slices.Contains(c.closedStarts(), c.organization()) }

// closeStart hides the first steps of the organization, in this browser.
func closeStart(c *call) (*reply, error) {
	if err := c.readOrganization(func(*read.Snapshot, *read.Organization) error { return nil }); err != nil {
		return nil, err
	}
	closed := append(c.closedStarts(), c.organization())
	c.setCookie(startCookie, strings.Trim(strings.Join(closed[max(0, len(closed)-20):], "."), "."), browserCookieAge)
	return c.redirect(c.organizationLink(), ""), nil
}

// buildLink returns the address of a build.
func (s *Site) buildLink(b *domain.BuildView) string {
	return s.linkToBuild(b.OrganizationSlug, b.Pipeline.Slug, b.Number)
}
