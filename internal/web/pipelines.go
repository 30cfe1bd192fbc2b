package web

import (
	"net/url"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/read"
)

const inPipeline = inOrganization + "/pipelines/{pipeline}"

var pipelineRoutes = []route{
	{path: inOrganization + "/pipelines", get: showPipelines},
	// below pipelines it would hide the one that is called New
	{path: inOrganization + "/new-pipeline", get: newPipeline, post: newPipeline},
	{path: inPipeline, get: showPipeline}, // with its builds
	{path: inPipeline + "/about", get: showPipelineFacts},
	{path: inOrganization + "/check-steps", post: checkSteps},
	{path: inPipeline + "/settings", get: editPipeline, post: editPipeline},
	{path: inPipeline + "/favorite", post: favoritePipeline},
	{path: inPipeline + "/archive", get: archivePipeline, post: archivePipeline},
	{path: inPipeline + "/unarchive", post: unarchivePipeline},
	{path: inPipeline + "/delete", get: deletePipeline, post: deletePipeline},
	{path: inPipeline + "/teams", get: showPipelineTeams},
	{path: inPipeline + "/teams/add", get: addPipelineTeam, post: addPipelineTeam},
	{path: inPipeline + "/teams/{team}", post: changePipelineTeam},
	{path: inPipeline + "/teams/{team}/remove", get: removePipelineTeam, post: removePipelineTeam},
}

type pipelinesView struct {
	Pipelines []pipelineRow
	List      listFrame
	New       string              // address of the form for a new one; empty: it is not for the user
	Events    string              // address of the stream of changes
	Cluster   *domain.ClusterView // only those of this one are shown; nil: all
}

type pipelineRow struct {
	*domain.PipelineView
	Cluster *domain.ClusterView // nil: none
	Starred bool                // one of the user's favorites, as far as the order shows it
	Latest  *domain.BuildView   // nil: none
	Recent  []outcome           // of its last builds, the oldest first
	Figures *domain.PipelineMetrics
}

var pipelineOrders = append([]orderOption{
	{option{Value: "NAME_WITH_FAVORITES_FIRST", Label: "Favorites first"}, domain.FavoritesFirst},
}, nameOrders...)

func showPipelines(c *call) (*reply, error) {
	view := pipelinesView{Events: c.organizationLink("builds", "events")}
	var live, archived int64
	isArchived := c.query("archived") != ""
	filter := domain.PipelineFilter{Archived: &isArchived, Text: c.query("search")}
	if id, ok := domain.ParseID[domain.ClusterID](c.query("cluster")); ok {
		filter.Cluster = &id
	}
	err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		counts, err := r.OrganizationCounts([]*read.Organization{o})
		if err != nil {
			return err
		}
		live, archived = counts[0].LivePipelines(), counts[0].ArchivedPipelines
		permitted, err := r.OrganizationPermitted([]*read.Organization{o}, authz.CreatePipeline)
		if err != nil {
			return err
		}
		if view.New = ""; permitted[0] {
			view.New = c.organizationLink("new-pipeline")
		}
		found, err := r.PipelinesOf([]*read.Organization{o}, filter, c.requestedOrder(pipelineOrders), false,
			c.requestedPart())
		if err != nil {
			return err
		}
		items, list, err := readList(c, "pipeline", "pipelines", found[0])
		if err != nil {
			return err
		}
		view.List = list
		if view.Pipelines, err = withClusters(r, items); err != nil {
			return err
		}
		if err := c.addLately(r, items, view.Pipelines); err != nil {
			return err
		}
		if filter.Cluster == nil {
			return nil
		}
		clusters, err := r.Clusters([]domain.ClusterID{*filter.Cluster})
		if err == nil {
			view.Cluster = clusters[0]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.List.Searchable, view.List.Orders = true, pipelineOrders
	view.List.Empty = emptyState{"No pipelines yet", "A pipeline defines the steps that build a repository, and the " +
		"cluster they run on.", "New pipeline", view.New}
	p := page{template: "pipelines", Title: "Pipelines", Section: "pipelines", Crumbs: []crumb{{Label: "Pipelines"}}}
	view.List.Kept = map[string]string{}
	if filter.Cluster != nil {
		view.List.Kept["cluster"] = string(*filter.Cluster)
		view.List.Empty.Title, view.List.Empty.Text = "No pipelines", "No pipelines run on this cluster yet."
	}
	if isArchived {
		view.List.Kept["archived"] = "1"
		view.List.Empty = emptyState{Title: "No archived pipelines", Text: "Archived pipelines keep their settings and " +
			"builds, but run no new ones."}
	}
	if archived > 0 || isArchived {
		p.Tabs = []tab{
			{Label: "Active", To: c.organizationLink("pipelines"), Count: live, Current: !isArchived},
			{Label: "Archived", To: c.organizationLink("pipelines") + "?archived=1", Count: archived, Current: isArchived},
		}
	}
	p.View, p.Reloads = view, 15
	return c.show(p), nil
}

// outcomesOfRow is how many outcomes a row of the list of pipelines has.
const outcomesOfRow = 10

// addLately adds to the rows of pipelines how their builds went lately.
func (c *call) addLately(r *read.Snapshot, pipelines []*domain.PipelineView, rows []pipelineRow) error {
	recent, err := recentBuilds(r, pipelines, outcomesOfRow)
	if err != nil {
		return err
	}
	figures, err := c.readFigures(r, pipelines)
	if err != nil {
		return err
	}
	for i, found := range recent {
		rows[i].Figures = figures[i]
		if len(found) > 0 {
			rows[i].Latest, rows[i].Recent = found[0], c.outcomesOf(found)
		}
	}
	return nil
}

// withClusters returns pipelines with the clusters that they belong to.
func withClusters(r *read.Snapshot, pipelines []*domain.PipelineView) ([]pipelineRow, error) {
	ids := make([]domain.ClusterID, len(pipelines))
	for i, p := range pipelines {
		if p.ClusterID != nil {
			ids[i] = *p.ClusterID
		}
	}
	clusters, err := r.Clusters(ids)
	if err != nil {
		return nil, err
	}
	rows := make([]pipelineRow, len(pipelines))
	for i, p := range pipelines {
		rows[i] = pipelineRow{PipelineView: p, Cluster: clusters[i], Starred: p.Favorite != nil && *p.Favorite}
	}
	return rows, nil
}

// onePipeline is the pipeline that a page is about, with what the user may do with it. The views of such pages begin
// with it.
type onePipeline struct {
	Pipeline   *domain.PipelineView
	Cluster    *domain.ClusterView // nil: none
	Managed    bool                // the user may change it
	Favorite   bool
	TeamsCount int64
}

// findPipeline finds the pipeline that the page is about; also, if set, goes on reading from there.
func (c *call) findPipeline(also func(*read.Snapshot, *read.Organization, *domain.PipelineView) error) (
	one onePipeline, err error) {
	err = c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
		p, err := r.PipelineBySlug(o.Slug, c.R.PathValue("pipeline"))
		if err == nil && p == nil {
			err = domain.Missing("pipeline")
		}
		if err == nil {
			err = c.requireCurrentSlug(p)
		}
		if err != nil {
			return err
		}
		pipelines := []*domain.PipelineView{p}
		managed, err := r.PipelinePermitted(pipelines, authz.WritePipeline)
		if err != nil {
			return err
		}
		favorite, err := r.Favorites(pipelines)
		if err != nil {
			return err
		}
		rows, err := withClusters(r, pipelines)
		if err != nil {
			return err
		}
		teams, err := r.TeamsOfPipelines(pipelines, "", domain.ByName, c.requestedPart())
		if err != nil {
			return err
		}
		one = onePipeline{Pipeline: p, Cluster: rows[0].Cluster, Managed: managed[0], Favorite: favorite[0]}
		if one.TeamsCount, err = teams[0].Count(); err != nil || also == nil {
			return err
		}
		return also(r, o, p)
	})
	return one, err
}

// movedPipeline is the error of a page whose address has a slug that the pipeline had before.
type movedPipeline struct{ slug string }

func (m *movedPipeline) Error() string { return "The pipeline is called " + m.slug + " now" }

// requireCurrentSlug sends who opens a page by a former slug to the page's present address. Forms are taken at either.
func (c *call) requireCurrentSlug(p *domain.PipelineView) error {
	if c.isPost() || p.Slug == c.R.PathValue("pipeline") {
		return nil
	}
	return &movedPipeline{p.Slug}
}

// addressWith returns the address of this page with another value for a parameter of its path.
func (c *call) addressWith(parameter, value string) string {
	pattern := strings.Split(c.route.path, "/")
	segments := strings.Split(c.R.URL.EscapedPath(), "/")
	for i, segment := range pattern {
		if segment == "{"+parameter+"}" && i < len(segments) {
			segments[i] = url.PathEscape(value)
		}
	}
	address := c.prefix + strings.Join(segments, "/")
	if query := c.R.URL.RawQuery; query != "" {
		address += "?" + query
	}
	return address
}

// managedPipeline is findPipeline for pages of users who may change the pipeline.
func (c *call) managedPipeline() (onePipeline, error) {
	one, err := c.findPipeline(nil)
	return one, requirePermission(err, one.Managed)
}

// pipelineLink returns the address of a page of a pipeline.
func (c *call) pipelineLink(p *domain.PipelineView, segments ...string) string {
	return c.organizationLink(append([]string{"pipelines", p.Slug}, segments...)...)
}

func pipelineRef(p *domain.PipelineView) domain.PipelineRef {
	return domain.PipelineRef{Organization: domain.OrganizationRef{Slug: p.OrganizationSlug}, ID: p.ID}
}

func (c *call) pipelineCrumbs(p *domain.PipelineView, last string) []crumb {
	crumbs := []crumb{{"Pipelines", c.organizationLink("pipelines")}}
	if last == "" {
		return append(crumbs, crumb{Label: p.Name})
	}
	return append(crumbs, crumb{p.Name, c.pipelineLink(p)}, crumb{Label: last})
}

// pipelinePage is a page about a pipeline, with its tabs. Current is the last segment of the tab's path; empty: the
// builds.
func (c *call) pipelinePage(one onePipeline, template, title, current string, view any) page {
	last := title
	if current == "" {
		last = ""
	}
	p := page{template: template, Title: title, Section: "pipelines", Crumbs: c.pipelineCrumbs(one.Pipeline, last),
		View: view, Tabs: []tab{
			{Label: "Builds", To: c.pipelineLink(one.Pipeline), Current: current == ""},
			{Label: "About", To: c.pipelineLink(one.Pipeline, "about"), Current: current == "about"},
			{Label: "Teams", To: c.pipelineLink(one.Pipeline, "teams"), Count: one.TeamsCount, Current: current == "teams"},
			{Label: "Schedules", To: c.pipelineLink(one.Pipeline, "schedules"), Current: current == "schedules"},
			{Label: "Badge", To: c.pipelineLink(one.Pipeline, "badge"), Current: current == "badge"},
		}}
	if one.Managed {
		p.Tabs = append(p.Tabs, tab{Label: "Triggers", To: c.pipelineLink(one.Pipeline, "triggers"),
			Current: current == "triggers"})
		p.Tabs = append(p.Tabs, tab{Label: "Webhook", To: c.pipelineLink(one.Pipeline, "deliveries"),
			Current: current == "deliveries"})
		p.Tabs = append(p.Tabs, tab{Label: "Settings", To: c.pipelineLink(one.Pipeline, "settings"),
			Current: current == "settings"})
	}
	return p
}

func showPipelineFacts(c *call) (*reply, error) {
	one, err := c.findPipeline(nil)
	if err != nil {
		return nil, err
	}
	return c.show(c.pipelinePage(one, "pipeline", "About", "about", one)), nil
}

func favoritePipeline(c *call) (*reply, error) {
	ref := domain.PipelineRef{Organization: c.organizationRef(), Slug: c.R.PathValue("pipeline")}
	p, err := c.Service.FavoritePipeline(c.ctx(), c.actor(), ref, c.R.PostForm.Get("favorite") != "")
	if err != nil {
		return nil, err
	}
	return c.redirect(c.pipelineLink(&p), ""), nil
}

func archivePipeline(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	p := one.Pipeline
	return c.confirm(confirmation{
		Title: "Archive the pipeline “" + p.Name + "”?",
		Text: "It keeps its settings and builds, but runs no new ones. You can restore it later. If its cluster was " +
			"deleted by then, choose another one.",
		Button: "Archive pipeline", Cancel: c.pipelineLink(p, "settings"), Section: "pipelines",
		Crumbs: c.pipelineCrumbs(p, "Archive"),
	}, func() error {
		_, err := c.Service.ArchivePipeline(c.ctx(), c.actor(), pipelineRef(p))
		return err
	}, c.pipelineLink(p), "Pipeline archived.")
}

func unarchivePipeline(c *call) (*reply, error) {
	ref := domain.PipelineRef{Organization: c.organizationRef(), Slug: c.R.PathValue("pipeline")}
	p, err := c.Service.UnarchivePipeline(c.ctx(), c.actor(), ref)
	if err != nil {
		return nil, err
	}
	return c.redirect(c.pipelineLink(&p), "Pipeline restored from the archive."), nil
}

func deletePipeline(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	p := one.Pipeline
	found, err := c.Builds.PipelineBuilds(c.ctx(), c.actor(), pipelineRef(p), domain.BuildFilter{}, builds.BuildParts{},
		domain.Page{Number: 1, Size: 1})
	if err != nil {
		return nil, err
	}
	items := []string{"its steps, environment variables, schedules and other settings"}
	if found.Total == 1 {
		items = append(items, "1 build with its logs, artifacts and annotations")
	} else if found.Total > 1 {
		items = append(items, countNoun(found.Total, "build", "builds")+" with their logs, artifacts and annotations")
	}
	if one.TeamsCount > 0 {
		items = append(items, "the access of "+countNoun(one.TeamsCount, "team", "teams")+" to it")
	}
	return c.confirm(confirmation{
		Title:  "Delete the pipeline “" + p.Name + "”?",
		Text:   "This can't be undone. It also deletes:",
		Items:  items,
		Name:   p.Name,
		Button: "Delete pipeline", Cancel: c.pipelineLink(p, "settings"), Section: "pipelines",
		Crumbs: c.pipelineCrumbs(p, "Delete"),
	}, func() error {
		_, err := c.Service.DeletePipeline(c.ctx(), c.actor(), pipelineRef(p), nil)
		return err
	}, c.organizationLink("pipelines"), "Pipeline deleted.")
}
