package rest

import (
	"cmp"
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const stepUploads = inBuild + "/step-uploads"

func (a *API) stepUploadEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: stepUploads, Operation: "listStepUploads", Summary: "Lists what jobs uploaded to a " +
				"build, the newest first.",
			Scope: domain.ScopeReadBuilds, Answer: endpoint.CursorAnswer[stepUploadAnswer]{}, List: endpoint.CursorList,
			Status: http.StatusOK,
			Query: []endpoint.QueryParameter{{Name: "filter[source_job_id]",
				Doc: "Only what the job with this UUID uploaded."}},
			Handle: func(c *endpoint.Call) (any, error) {
				filter, filterErr := readStepUploadFilter(c)
				return endpoint.AnswerCursorPage(c, func(page domain.CursorPage) (domain.CursorPaged[*domain.StepUploadView],
					error) {
					uploads, err := a.Builds.StepUploads(c.Context(), c.Actor(), buildRef(c), filter, page)
					return uploads, cmp.Or(err, filterErr)
				}, func(v *domain.StepUploadView) stepUploadAnswer { return a.showStepUpload(v, c) })
			},
		},
		{
			Method: http.MethodGet, Path: stepUploads + "/{id}", Operation: "getStepUpload", Summary: "Gets a step upload.",
			Scope: domain.ScopeReadBuilds, Answer: fullStepUploadAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				v, err := a.Builds.StepUpload(c.Context(), c.Actor(), buildRef(c), c.Path("id"))
				return a.showFullStepUpload(&v, c), err
			},
		},
	}
}

// readStepUploadFilter reads which uploads the request asks for.
func readStepUploadFilter(c *endpoint.Call) (filter domain.StepUploadFilter, err error) {
	query, err := c.Query()
	if text := query.Get("filter[source_job_id]"); err == nil && text != "" {
		id, ok := domain.ParseID[domain.JobID](text)
		if !ok {
			return filter, domain.NewError(domain.Malformed, "filter[source_job_id] must be the UUID of a job")
		}
		filter.Job = &id
	}
	return filter, err
}

type stepUploadAnswer struct {
	UUID                  domain.UploadID       `json:"uuid" format:"uuid" doc:"The upload's UUID, which the agent chose."`
	GraphQLID             string                `json:"graphql_id" doc:"The upload's ID in the GraphQL API."`
	State                 string                `json:"state" enum:"applied,rejected" doc:"Whether its steps were added to the build."`
	Source                string                `json:"source" enum:"job" doc:"Who uploaded it: always a job."`
	SourceJobID           domain.JobID          `json:"source_job_id" format:"uuid" doc:"That job."`
	ReplaceExistingSteps  bool                  `json:"replace_existing_steps" doc:"Whether it replaced the jobs that had not started."`
	CreatedJobsCount      *int64                `json:"created_jobs_count" doc:"How many jobs came of it. Null if it was rejected."`
	RejectionType         *domain.RejectionType `json:"rejection_type" enum:"validation_error,build_not_running_error" doc:"Why it was rejected. Null if it was not."`
	Message               *string               `json:"message" doc:"The same, for people."`
	URL                   string                `json:"url" format:"uri" doc:"The upload in this API."`
	CreatedAt             endpoint.Timestamp    `json:"created_at" doc:"When it was uploaded."`
	ProcessedAt           endpoint.Timestamp    `json:"processed_at" doc:"When it was applied or rejected: at once."`
	DefinitionStoredBytes int64                 `json:"definition_stored_bytes" doc:"How many bytes it takes."`
}

type fullStepUploadAnswer struct {
	stepUploadAnswer      `json:",inline"`
	CreatedJobUUIDs       []domain.JobID `json:"created_job_uuids" doc:"The jobs that came of it, without their retries."`
	DefinitionBytes       int64          `json:"definition_bytes" doc:"How many bytes were uploaded."`
	DefinitionYAML        *string        `json:"definition_yaml" doc:"What was uploaded, as YAML. Null if it is too long, or no JSON."`
	DefinitionYAMLOmitted bool           `json:"definition_yaml_omitted" doc:"Whether that is so."`
}

func (a *API) showStepUpload(v *domain.StepUploadView, c *endpoint.Call) stepUploadAnswer {
	answer := stepUploadAnswer{
		UUID:                 v.ID,
		GraphQLID:            domain.GraphQLID("BuildStepUpload", v.ID),
		State:                "rejected",
		Source:               "job",
		SourceJobID:          v.JobID,
		ReplaceExistingSteps: v.Replaces,
		RejectionType:        nullIfEmpty(v.RejectionType),
		Message:              nullIfEmpty(v.Message),
		URL: a.buildURL(c.Path("org"), c.Path("pipeline"), buildRef(c).Number) + "/step-uploads/" +
			string(v.ID),
		CreatedAt:             endpoint.Timestamp(v.CreatedAt),
		ProcessedAt:           endpoint.Timestamp(v.CreatedAt),
		DefinitionStoredBytes: v.DocumentSize,
	}
	if v.Applied {
		made := int64(len(v.CreatedJobs))
		answer.State, answer.CreatedJobsCount = "applied", &made
	}
	return answer
}

func (a *API) showFullStepUpload(v *domain.StepUploadView, c *endpoint.Call) fullStepUploadAnswer {
	answer := fullStepUploadAnswer{stepUploadAnswer: a.showStepUpload(v, c), CreatedJobUUIDs: v.CreatedJobs,
		DefinitionBytes: v.DocumentSize}
	if text, ok := v.YAML(); ok {
		answer.DefinitionYAML = &text
	} else {
		answer.DefinitionYAMLOmitted = true
	}
	return answer
}
