package web

import (
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

type teamPipelinesView struct {
	oneTeam
	Pipelines []accessRow
	List      listFrame
	Add       string
}

func showTeamPipelines(c *call) (*reply, error) {
	var view teamPipelinesView
	one, err := c.findTeam(func(r *read.Snapshot, _ *read.Organization, t *domain.TeamView) error {
		found, err := r.PipelinesOfTeams([]*domain.TeamView{t}, c.query("search"), c.requestedOrder(nameOrders),
			c.requestedPart())
		if err != nil {
			return err
		}
		accesses, list, err := readList(c, "pipeline", "pipelines", found[0])
		if err != nil {
			return err
		}
		managed, err := r.TeamPipelinePermitted(accesses)
		if err != nil {
			return err
		}
		view.List, view.Pipelines = list, nil
		for i, access := range accesses {
			view.Pipelines = append(view.Pipelines, newAccessRow(access, managed[i],
				c.teamLink(t, "pipelines", string(access.PipelineID))))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	view.oneTeam = one
	view.List.Searchable, view.List.Orders = true, nameOrders
	view.Add = c.teamLink(one.Team, "pipelines", "add")
	view.List.Empty = emptyState{"No pipelines yet", "Give the team access to a pipeline so its members can build or " +
		"manage it.", "Add pipeline", view.Add}
	return c.show(c.teamPage(one, "team_pipelines", "Pipelines", view)), nil
}

func addPipelineToTeam(c *call) (*reply, error) {
	view := pickView{Field: "pipeline_id", Levels: accessLevelField(), Text: "Pipelines you manage that the team has no " +
		"access to yet."}
	one, err := c.findTeam(func(r *read.Snapshot, o *read.Organization, t *domain.TeamView) error {
		found, err := r.PipelinesOf([]*read.Organization{o}, domain.PipelineFilter{Archived: new(bool),
			Text: c.query("search"), NotTeam: &t.ID}, domain.ByName, false, c.requestedPart())
		if err != nil {
			return err
		}
		pipelines, list, err := readList(c, "pipeline", "pipelines", found[0])
		if err != nil {
			return err
		}
		permitted, err := r.PipelinePermitted(pipelines, authz.WriteTeamPipeline)
		if err != nil {
			return err
		}
		view.List, view.Items = list, nil
		for i, p := range pipelines {
			item := pickItem{ID: string(p.ID), Name: p.Name, Detail: p.RedactedRepository()}
			if !permitted[i] {
				item.Locked = "You don't manage it"
			}
			view.Items = append(view.Items, item)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	view.Back = c.teamLink(one.Team, "pipelines")
	view.List.Empty = emptyState{Title: "No other pipelines", Text: "The team already has access to every pipeline."}
	return c.pickOne(page{Title: "Add pipeline", Section: "teams", Crumbs: c.teamCrumbs(one.Team, "Add pipeline")}, view,
		func(f *form) error {
			return c.addTeamPipeline(string(one.Team.ID), f.typed("pipeline_id"), f.typed("access_level"))
		}, "Access granted.")
}

func changeTeamPipeline(c *call) (*reply, error) {
	one, err := c.findTeam(nil)
	if err != nil {
		return nil, err
	}
	return c.changeAccess(string(one.Team.ID), domain.PipelineID(c.R.PathValue("pipeline")),
		c.teamLink(one.Team, "pipelines"))
}

func removePipelineFromTeam(c *call) (*reply, error) {
	one, err := c.findTeam(nil)
	if err != nil {
		return nil, err
	}
	ref := c.teamRef(string(one.Team.ID))
	access, err := c.Service.TeamPipeline(c.ctx(), c.actor(), ref, c.R.PathValue("pipeline"))
	if err != nil {
		return nil, err
	}
	back := c.teamLink(one.Team, "pipelines")
	return c.confirm(confirmation{
		Title:  "Remove access to “" + access.PipelineName + "” from the team “" + one.Team.Name + "”?",
		Text:   "Its members can still see the pipeline, but can no longer build or manage it through this team.",
		Button: "Remove access", Cancel: back, Section: "teams", Crumbs: c.teamCrumbs(one.Team, "Remove access"),
	}, func() error {
		_, err := c.Service.RemoveTeamPipeline(c.ctx(), c.actor(), ref, string(access.PipelineID), nil)
		return err
	}, back, "Access removed.")
}
