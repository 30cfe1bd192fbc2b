package web

import (
	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/read"
)

var organizationBuildRoutes = []route{
	{path: inOrganization + "/builds", get: showOrganizationBuilds},
	{path: inOrganization + "/builds/events", get: streamOrganizationBuilds},
	{path: inOrganization + "/builds/views", post: saveView},
}

// organizationBuildsView is the page of the builds of all pipelines that the user sees.
type organizationBuildsView struct {
	buildsFrame
	Views    []savedView
	Save     string // address that saves a view
	Query    string // the present filters
	Current  string // name of the saved view that is shown
	MaxTitle int
}

// ShowPipelines says that the builds are of several pipelines.
func (organizationBuildsView) ShowPipelines() bool { return true }

func showOrganizationBuilds(c *call) (*reply, error) {
	frame, filter := c.newBuildsFrame(c.organizationLink("builds", "events"))
	view := organizationBuildsView{buildsFrame: frame, Save: c.organizationLink("builds", "views"),
		Query: viewQuery(c.R.URL.Query()), MaxTitle: domain.MaxSavedViewName}
	var err error
	if view.Views, err = c.savedViews(); err != nil {
		return nil, err
	}
	for _, v := range view.Views {
		if v.Current {
			view.Current = v.Name
		}
	}
	if view.Slug = c.query("pipeline"); view.Slug != "" {
		none := domain.PipelineID("")
		filter.Pipeline = &none
		err := c.readOrganization(func(r *read.Snapshot, o *read.Organization) error {
			p, err := r.PipelineBySlug(o.Slug, view.Slug)
			if err == nil && p != nil {
				filter.Pipeline = &p.ID
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	found, err := c.Builds.OrganizationBuilds(c.ctx(), c.actor(), c.organizationRef(), filter, builds.BuildParts{},
		c.requestedPage())
	if err != nil {
		return nil, err
	}
	view.Builds = c.buildRows(found.Items)
	view.List = c.newBuildList(found)
	view.List.Empty = emptyState{"No builds yet", "A build runs a pipeline's steps for a commit. Start one from a " +
		"pipeline's page.", "Choose a pipeline", c.organizationLink("pipelines")}
	if view.Filtered() {
		view.List.Empty = emptyState{"No builds found", "No builds match these filters.", "Show all builds",
			c.organizationLink("builds")}
	}
	return c.show(page{template: "organization_builds", Title: "Builds", Section: "builds",
		Crumbs: []crumb{{Label: "Builds"}}, View: view, Reloads: 10}), nil
}
