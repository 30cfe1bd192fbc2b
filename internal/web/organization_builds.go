package web

import (
	"slices"

	"penstock/internal/domain"
	states "penstock/internal/domain/builds"
	"penstock/internal/service/builds"
)

var organizationBuildRoutes = []route{
	{path: inOrganization + "/builds", get: showOrganizationBuilds},
	{path: inOrganization + "/builds/events", get: streamOrganizationBuilds},
}

// organizationBuildsView is the page of the builds of all pipelines that the user sees.
type organizationBuildsView struct {
	Builds []buildRow
	List   listFrame
	Branch string
	State  string
	States []option
	Events string // address of the stream of changes
}

// ShowPipelines says that the builds are of several pipelines.
func (organizationBuildsView) ShowPipelines() bool { return true }

func showOrganizationBuilds(c *call) (*reply, error) {
	view := organizationBuildsView{Branch: c.query("branch"), States: buildFilters, Events: c.organizationLink("builds", "events")}
	filter := domain.BuildFilter{}
	if view.Branch != "" {
		filter.Branches = []string{view.Branch}
	}
	if state := c.query("state"); state != "" && slices.ContainsFunc(buildFilters, func(o option) bool { return o.Value == state }) {
		view.State, filter.States = state, []states.BuildState{states.BuildState(state)}
	}
	found, err := c.Builds.OrganizationBuilds(c.ctx(), c.actor(), c.organizationRef(), filter, builds.BuildParts{}, c.requestedPage())
	if err != nil {
		return nil, err
	}
	view.Builds = c.buildRows(found.Items)
	view.List = c.newList("build", "builds", found.Total, len(found.Items))
	view.List.Empty = emptyState{"No builds yet", "A build runs a pipeline's steps for a commit. Start one from a pipeline's page.", "Choose a pipeline", c.organizationLink("pipelines")}
	if view.Branch != "" || view.State != "" {
		view.List.Empty = emptyState{"No builds found", "No build is like that.", "Show all builds", c.organizationLink("builds")}
	}
	return c.show(page{template: "organization_builds", Title: "Builds", Section: "builds", Crumbs: []crumb{{Label: "Builds"}}, View: view, Reloads: 10}), nil
}
