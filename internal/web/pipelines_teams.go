package web

import (
	"penstock/internal/domain"
	"penstock/internal/service/read"
)

// accessLevels are what a team's members may do with a pipeline.
var accessLevels = []option{
	{string(domain.PipelineManageBuildAndRead), "Manage, build and read", "Change, archive and delete the pipeline, and " +
		"manage its access."},
	{string(domain.PipelineBuildAndRead), "Build and read", "Start builds."},
	{string(domain.PipelineReadOnly), "Read only", "See the pipeline and its builds."},
}

// accessLevelField is a select with the access levels.
func accessLevelField() field {
	return field{Name: "access_level", Label: "Access level", Kind: "select", Options: accessLevels,
		Value: string(domain.PipelineBuildAndRead)}
}

// optionLabel returns the label of a choice.
func optionLabel(options []option, value string) string {
	for _, o := range options {
		if o.Value == value {
			return o.Label
		}
	}
	return value
}

// accessRow is a team's access to a pipeline, as a list shows it.
type accessRow struct {
	*domain.TeamPipelineView
	Level   field  // a select with the access levels
	Label   string // of the present one
	Managed bool   // the user may change it
	To      string // address that takes a change
}

func newAccessRow(p *domain.TeamPipelineView, managed bool, to string) accessRow {
	level := accessLevelField()
	level.Value = string(p.AccessLevel)
	return accessRow{TeamPipelineView: p, Level: level, Label: optionLabel(accessLevels, level.Value), Managed: managed,
		To: to}
}

type pipelineTeamsView struct {
	onePipeline
	Teams []accessRow
	List  listFrame
	Add   string // empty: it is not for the user
}

func showPipelineTeams(c *call) (*reply, error) {
	var view pipelineTeamsView
	var teams []*domain.TeamPipelineView
	one, err := c.findPipeline(func(r *read.Snapshot, _ *read.Organization, p *domain.PipelineView) error {
		found, err := r.TeamsOfPipelines([]*domain.PipelineView{p}, c.query("search"), c.requestedOrder(nameOrders),
			c.requestedPart())
		if err == nil {
			teams, view.List, err = readList(c, "team", "teams", found[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	view.onePipeline = one
	for _, team := range teams {
		view.Teams = append(view.Teams, newAccessRow(team, one.Managed, c.pipelineLink(one.Pipeline, "teams",
			string(team.TeamID))))
	}
	view.List.Searchable, view.List.Orders = true, nameOrders
	if one.Managed {
		view.Add = c.pipelineLink(one.Pipeline, "teams", "add")
	}
	view.List.Empty = emptyState{"No team has access yet", "Every member can see this pipeline. Give a team access so " +
		"its members can build or manage it.", "Add team", view.Add}
	return c.show(c.pipelinePage(one, "pipeline_teams", "Teams", "teams", view)), nil
}

func addPipelineTeam(c *call) (*reply, error) {
	view := pickView{Field: "team_id", Levels: accessLevelField(), Text: "Choose what its members can do with the " +
		"pipeline."}
	one, err := c.findPipeline(func(r *read.Snapshot, o *read.Organization, p *domain.PipelineView) error {
		found, err := r.TeamsOf([]*read.Organization{o}, domain.TeamFilter{Search: c.query("search"), NotPipeline: &p.ID},
			domain.ByName, c.requestedPart())
		if err != nil {
			return err
		}
		teams, list, err := readList(c, "team", "teams", found[0])
		view.List, view.Items = list, nil
		for _, team := range teams {
			view.Items = append(view.Items, pickItem{ID: string(team.ID), Name: team.Name,
				Detail: textOrEmpty(team.Description)})
		}
		return err
	})
	if err := requirePermission(err, one.Managed); err != nil {
		return nil, err
	}
	view.Back = c.pipelineLink(one.Pipeline, "teams")
	view.List.Empty = emptyState{Title: "No other teams", Text: "Every team you can see already has access."}
	p := page{Title: "Add team", Section: "pipelines", Crumbs: []crumb{
		{"Pipelines", c.organizationLink("pipelines")}, {one.Pipeline.Name, c.pipelineLink(one.Pipeline)},
		{"Teams", view.Back}, {Label: "Add"},
	}}
	return c.pickOne(p, view, func(f *form) error {
		return c.addTeamPipeline(f.typed("team_id"), string(one.Pipeline.ID), f.typed("access_level"))
	}, "Access granted.")
}

func (c *call) teamRef(id string) domain.TeamRef {
	return domain.TeamRef{Organization: c.organizationRef(), ID: id}
}

func (c *call) addTeamPipeline(team, pipeline, level string) error {
	_, err := c.Service.AddTeamPipeline(c.ctx(), c.actor(), c.teamRef(team),
		inputOf(domain.TeamPipelineInput{PipelineID: domain.Some(pipeline), AccessLevel: domain.Some(level)}))
	return err
}

// changeAccess applies the form with a team's access level to a pipeline, and goes back to the list that has it.
func (c *call) changeAccess(team string, pipeline domain.PipelineID, back string) (*reply, error) {
	_, err := c.Service.UpdateTeamPipeline(c.ctx(), c.actor(), c.teamRef(team), string(pipeline),
		inputOf(domain.TeamPipelineInput{AccessLevel: domain.Some(c.R.PostForm.Get("access_level"))}), nil)
	if err != nil {
		return nil, err
	}
	return c.redirect(back, "Access level changed."), nil
}

func changePipelineTeam(c *call) (*reply, error) {
	one, err := c.findPipeline(nil)
	if err != nil {
		return nil, err
	}
	return c.changeAccess(c.R.PathValue("team"), one.Pipeline.ID, c.pipelineLink(one.Pipeline, "teams"))
}

func removePipelineTeam(c *call) (*reply, error) {
	one, err := c.managedPipeline()
	if err != nil {
		return nil, err
	}
	team, err := c.Service.Team(c.ctx(), c.actor(), c.teamRef(c.R.PathValue("team")))
	if err != nil {
		return nil, err
	}
	back := c.pipelineLink(one.Pipeline, "teams")
	return c.confirm(confirmation{
		Title:  "Remove access to “" + one.Pipeline.Name + "” from the team “" + team.Name + "”?",
		Text:   "Its members can still see the pipeline, but can no longer build or manage it through this team.",
		Button: "Remove access", Cancel: back, Section: "pipelines", Crumbs: c.pipelineCrumbs(one.Pipeline, "Remove access"),
	}, func() error {
		_, err := c.Service.RemoveTeamPipeline(c.ctx(), c.actor(), c.teamRef(string(team.ID)), string(one.Pipeline.ID), nil)
		return err
	}, back, "Access removed.")
}
