package rest

import (
	"net/http"

	"penstock/internal/domain"
)

const inTeamPipeline = inTeam + "/pipelines/{id}"

var teamPipelineEndpoints = []endpoint{
	{
		methods: get, path: inTeam + "/pipelines", operation: "listTeamPipelines", summary: "Lists the pipelines that a team has access to, by name.",
		scope: string(domain.ScopeReadTeams), answer: []teamPipelineAnswer{}, list: pageList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return paged(c, func(page domain.Page) (domain.Paged[domain.TeamPipelineView], error) {
				return c.api.Service.TeamPipelines(c.Context(), c.actor(), c.teamRef(), page)
			}, c.teamPipelineToAnswer)
		},
	},
	{
		methods: post, path: inTeam + "/pipelines", operation: "createTeamPipeline",
		summary: "Gives a team access to a pipeline. Administrators and those who may change the pipeline only.",
		scope:   string(domain.ScopeWriteTeams), body: newTeamPipelineBody{}, answer: teamPipelineAnswer{}, status: http.StatusCreated, tagged: true,
		handle: func(c *call) (any, error) {
			p, err := c.api.Service.AddTeamPipeline(c.Context(), c.actor(), c.teamRef(), body(c, newTeamPipelineBody.input))
			return c.teamPipelineToAnswer(p), err
		},
	},
	{
		methods: get, path: inTeamPipeline, operation: "getTeamPipeline", summary: "Gets a team's access to a pipeline, by the pipeline's UUID.",
		scope: string(domain.ScopeReadTeams), answer: teamPipelineAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			p, err := c.api.Service.TeamPipeline(c.Context(), c.actor(), c.teamRef(), c.Path("id"))
			return c.teamPipelineToAnswer(p), err
		},
	},
	{
		methods: patch, path: inTeamPipeline, operation: "updateTeamPipeline",
		summary: "Changes a team's access to a pipeline. Administrators and those who may change the pipeline only.",
		scope:   string(domain.ScopeWriteTeams), body: teamPipelineBody{}, answer: teamPipelineAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			p, err := c.api.Service.UpdateTeamPipeline(c.Context(), c.actor(), c.teamRef(), c.Path("id"),
				body(c, teamPipelineBody.input), expect(c, c.teamPipelineToAnswer))
			return c.teamPipelineToAnswer(p), err
		},
	},
	{
		methods: remove, path: inTeamPipeline, operation: "removeTeamPipeline",
		summary: "Takes a team's access to a pipeline away. Administrators and those who may change the pipeline only.",
		scope:   string(domain.ScopeWriteTeams), status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.RemoveTeamPipeline(c.Context(), c.actor(), c.teamRef(), c.Path("id"), expect(c, c.teamPipelineToAnswer))
		},
	},
}

type newTeamPipelineBody struct {
	PipelineID  domain.Optional[string] `json:"pipeline_id" required:"true" format:"uuid" doc:"The UUID of a pipeline of the organization."`
	AccessLevel domain.Optional[string] `json:"access_level" enum:"read_only,build_and_read,manage_build_and_read" doc:"What the team's members may do with the pipeline. Without it, read_only."`
}

func (b newTeamPipelineBody) input() domain.TeamPipelineInput {
	return domain.TeamPipelineInput{PipelineID: b.PipelineID, AccessLevel: b.AccessLevel}
}

type teamPipelineBody struct {
	AccessLevel domain.Optional[string] `json:"access_level" nullable:"false" enum:"read_only,build_and_read,manage_build_and_read" doc:"What the team's members may do with the pipeline."`
}

func (b teamPipelineBody) input() domain.TeamPipelineInput {
	return domain.TeamPipelineInput{AccessLevel: b.AccessLevel}
}

type teamPipelineAnswer struct {
	GraphQLID   string                     `json:"graphql_id" doc:"The ID of the team's access in the GraphQL API."`
	PipelineID  domain.PipelineID          `json:"pipeline_id" format:"uuid" doc:"The pipeline's UUID."`
	PipelineURL string                     `json:"pipeline_url" format:"uri" doc:"The pipeline in this API."`
	AccessLevel domain.PipelineAccessLevel `json:"access_level" enum:"read_only,build_and_read,manage_build_and_read" doc:"What the team's members may do with the pipeline."`
	URL         string                     `json:"url" format:"uri" doc:"The team's access in this API."`
	CreatedAt   timestamp                  `json:"created_at" doc:"When the team was given access."`
}

func (c *call) teamPipelineToAnswer(p domain.TeamPipelineView) teamPipelineAnswer {
	return teamPipelineAnswer{
		GraphQLID:   domain.GraphQLID("TeamPipeline", p.ID),
		PipelineID:  p.PipelineID,
		PipelineURL: c.api.BaseURL + "/v2/organizations/" + p.OrganizationSlug + "/pipelines/" + p.PipelineSlug,
		AccessLevel: p.AccessLevel,
		URL:         c.teamURL(p.OrganizationSlug, p.TeamID) + "/pipelines/" + string(p.PipelineID),
		CreatedAt:   timestamp(p.CreatedAt),
	}
}
