package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inTeamPipeline = inTeam + "/pipelines/{id}"

func (a *API) teamPipelineEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inTeam + "/pipelines", Operation: "listTeamPipelines",
			Summary: "Lists the pipelines that a team has access to, by name.",
			Scope:   domain.ScopeReadTeams, Answer: []teamPipelineAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.TeamPipelineView], error) {
					return a.Service.TeamPipelines(c.Context(), c.Actor(), teamRef(c), page)
				}, a.showTeamPipeline)
			},
		},
		{
			Method: http.MethodPost, Path: inTeam + "/pipelines", Operation: "createTeamPipeline",
			Summary: "Gives a team access to a pipeline. Administrators and those who may change the pipeline only.",
			Scope:   domain.ScopeWriteTeams, Body: newTeamPipelineBody{}, Answer: teamPipelineAnswer{},
			Status: http.StatusCreated, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				p, err := a.Service.AddTeamPipeline(c.Context(), c.Actor(), teamRef(c), readBody(c, newTeamPipelineBody.input))
				return a.showTeamPipeline(p), err
			},
		},
		{
			Method: http.MethodGet, Path: inTeamPipeline, Operation: "getTeamPipeline", Summary: "Gets a team's access to a " +
				"pipeline, by the pipeline's UUID.",
			Scope: domain.ScopeReadTeams, Answer: teamPipelineAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				p, err := a.Service.TeamPipeline(c.Context(), c.Actor(), teamRef(c), c.Path("id"))
				return a.showTeamPipeline(p), err
			},
		},
		{
			Method: http.MethodPatch, Path: inTeamPipeline, Operation: "updateTeamPipeline",
			Summary: "Changes a team's access to a pipeline. Administrators and those who may change the pipeline only.",
			Scope:   domain.ScopeWriteTeams, Body: teamPipelineBody{}, Answer: teamPipelineAnswer{}, Status: http.StatusOK,
			Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				p, err := a.Service.UpdateTeamPipeline(c.Context(), c.Actor(), teamRef(c), c.Path("id"),
					readBody(c, teamPipelineBody.input), requireMatch(c, a.showTeamPipeline))
				return a.showTeamPipeline(p), err
			},
		},
		{
			Method: http.MethodDelete, Path: inTeamPipeline, Operation: "removeTeamPipeline",
			Summary: "Takes a team's access to a pipeline away. Administrators and those who may change the pipeline only.",
			Scope:   domain.ScopeWriteTeams, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Service.RemoveTeamPipeline(c.Context(), c.Actor(), teamRef(c), c.Path("id"),
					requireMatch(c, a.showTeamPipeline))
				return nil, err
			},
		},
	}
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
	CreatedAt   endpoint.Timestamp         `json:"created_at" doc:"When the team was given access."`
}

func (a *API) showTeamPipeline(p domain.TeamPipelineView) teamPipelineAnswer {
	return teamPipelineAnswer{
		GraphQLID:   domain.GraphQLID("TeamPipeline", p.ID),
		PipelineID:  p.PipelineID,
		PipelineURL: a.BaseURL + "/v2/organizations/" + p.OrganizationSlug + "/pipelines/" + p.PipelineSlug,
		AccessLevel: p.AccessLevel,
		URL:         a.teamURL(p.OrganizationSlug, p.TeamID) + "/pipelines/" + string(p.PipelineID),
		CreatedAt:   endpoint.Timestamp(p.CreatedAt),
	}
}
