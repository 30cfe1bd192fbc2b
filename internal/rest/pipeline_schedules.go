package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inPipelineSchedule = inPipeline + "/schedules/{id}"

func (a *API) pipelineScheduleEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inPipeline + "/schedules", Operation: "listPipelineSchedules",
			Summary: "Lists a pipeline's schedules, the newest first.",
			Scope:   domain.ScopeReadPipelines, Answer: []pipelineScheduleAnswer{}, List: endpoint.PageList,
			Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.PipelineScheduleView], error) {
					return a.Starts.PipelineSchedules(c.Context(), c.Actor(), pipelineRef(c), page)
				}, a.showPipelineSchedule)
			},
		},
		{
			Method: http.MethodPost, Path: inPipeline + "/schedules", Operation: "createPipelineSchedule",
			Summary: "Creates a schedule of a pipeline. Its builds are created in your name.",
			Scope:   domain.ScopeWritePipelines, Body: pipelineScheduleBody{}, Answer: pipelineScheduleAnswer{},
			Status: http.StatusCreated, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				s, err := a.Starts.CreatePipelineSchedule(c.Context(), c.Actor(), pipelineRef(c),
					readBody(c, pipelineScheduleBody.input))
				return a.showPipelineSchedule(s), err
			},
		},
		{
			Method: http.MethodGet, Path: inPipelineSchedule, Operation: "getPipelineSchedule", Summary: "Gets a schedule.",
			Scope: domain.ScopeReadPipelines, Answer: pipelineScheduleAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				s, err := a.Starts.PipelineSchedule(c.Context(), c.Actor(), pipelineScheduleRef(c))
				return a.showPipelineSchedule(s), err
			},
		},
		{
			Method: http.MethodPut, Alias: http.MethodPatch, Path: inPipelineSchedule, Operation: "updatePipelineSchedule",
			Summary: "Changes a schedule. What is left out stays. Its builds are created in your name from now on.",
			Scope:   domain.ScopeWritePipelines, Body: pipelineScheduleBody{}, Answer: pipelineScheduleAnswer{},
			Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				s, err := a.Starts.UpdatePipelineSchedule(c.Context(), c.Actor(), pipelineScheduleRef(c),
					readBody(c, pipelineScheduleBody.input), requireMatch(c, a.showPipelineSchedule))
				return a.showPipelineSchedule(s), err
			},
		},
		{
			Method: http.MethodDelete, Path: inPipelineSchedule, Operation: "deletePipelineSchedule",
			Summary: "Deletes a schedule. Its builds stay.",
			Scope:   domain.ScopeWritePipelines, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Starts.DeletePipelineSchedule(c.Context(), c.Actor(), pipelineScheduleRef(c),
					requireMatch(c, a.showPipelineSchedule))
				return nil, err
			},
		},
	}
}

func pipelineScheduleRef(c *endpoint.Call) domain.PipelineScheduleRef {
	return domain.PipelineScheduleRef{Pipeline: pipelineRef(c), ID: c.Path("id")}
}

type pipelineScheduleBody struct {
	Label    domain.Optional[string]            `json:"label" doc:"What the schedule is for, at most 255 characters."`
	Cronline domain.Optional[string]            `json:"cronline" required:"create" doc:"When builds are created: five fields (minute, hour, day of month, month, day of week) and a time zone, UTC if it is left out, or one of @hourly, @daily, @midnight, @weekly, @monthly and @yearly. Not less than 10 minutes apart."`
	Message  domain.Optional[string]            `json:"message" doc:"The message of the builds, at most 64 KiB. Null for the label."`
	Commit   domain.Optional[string]            `json:"commit" doc:"What the builds build. Null or empty for HEAD."`
	Branch   domain.Optional[string]            `json:"branch" doc:"The branch of the builds. Null or empty for the pipeline's default branch."`
	Env      domain.Optional[map[string]string] `json:"env" doc:"At most 200 environment variables for the builds, of 64 KiB in all. They replace the existing ones. Null for none. Every member can read it, so keep secrets elsewhere."`
	Enabled  domain.Optional[bool]              `json:"enabled" nullable:"false" doc:"Whether builds are created. A new schedule is enabled unless this is false. Enabling it again clears what failed."`
}

func (b pipelineScheduleBody) input() domain.PipelineScheduleInput {
	return domain.PipelineScheduleInput{Label: b.Label, Cronline: b.Cronline, Message: b.Message, Commit: b.Commit,
		Branch: b.Branch, Env: b.Env, Enabled: b.Enabled}
}

type pipelineScheduleAnswer struct {
	ID            domain.PipelineScheduleID `json:"id" format:"uuid" doc:"The schedule's UUID."`
	GraphQLID     string                    `json:"graphql_id" doc:"The schedule's ID in the GraphQL API."`
	URL           string                    `json:"url" format:"uri" doc:"The schedule in this API."`
	Label         string                    `json:"label" doc:"What the schedule is for."`
	Cronline      string                    `json:"cronline" doc:"When builds are created."`
	Message       *string                   `json:"message" doc:"The message of the builds. Null for the label."`
	Commit        string                    `json:"commit" doc:"What the builds build."`
	Branch        string                    `json:"branch" doc:"The branch of the builds."`
	Env           sortedTexts               `json:"env" doc:"Environment variables for the builds."`
	Enabled       bool                      `json:"enabled" doc:"Whether builds are created."`
	NextBuildAt   *endpoint.Timestamp       `json:"next_build_at" doc:"When the next build is created. Null if none is."`
	FailedMessage *string                   `json:"failed_message" doc:"Why no build could be created the last time. Null if one was."`
	FailedAt      *endpoint.Timestamp       `json:"failed_at" doc:"When that was."`
	CreatedAt     endpoint.Timestamp        `json:"created_at" doc:"When the schedule was created."`
	CreatedBy     *userAnswer               `json:"created_by" doc:"Who created the schedule. Null if they are gone."`
	Pipeline      scheduledPipelineAnswer   `json:"pipeline" doc:"The pipeline that the schedule belongs to."`
}

type scheduledPipelineAnswer struct {
	ID   domain.PipelineID `json:"id" format:"uuid" doc:"The pipeline's UUID."`
	Slug string            `json:"slug" doc:"The pipeline's slug."`
	URL  string            `json:"url" format:"uri" doc:"The pipeline in this API."`
}

func (a *API) showPipelineSchedule(s domain.PipelineScheduleView) pipelineScheduleAnswer {
	pipeline := a.BaseURL + "/v2/organizations/" + s.OrganizationSlug + "/pipelines/" + s.PipelineSlug
	return pipelineScheduleAnswer{
		ID:            s.ID,
		GraphQLID:     domain.GraphQLID("PipelineSchedule", s.ID),
		URL:           pipeline + "/schedules/" + string(s.ID),
		Label:         s.Label,
		Cronline:      s.Cronline,
		Message:       s.Message,
		Commit:        s.Commit,
		Branch:        s.ShownBranch(),
		Env:           s.Env,
		Enabled:       s.Enabled,
		NextBuildAt:   endpoint.NullTimestamp(s.NextBuildAt),
		FailedMessage: s.FailedMessage,
		FailedAt:      endpoint.NullTimestamp(s.FailedAt),
		CreatedAt:     endpoint.Timestamp(s.CreatedAt),
		CreatedBy:     a.showUser(s.CreatedBy),
		Pipeline:      scheduledPipelineAnswer{ID: s.PipelineID, Slug: s.PipelineSlug, URL: pipeline},
	}
}
