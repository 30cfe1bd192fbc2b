package rest

import (
	"maps"
	"net/http"
	"slices"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inPipelineTrigger = inPipeline + "/triggers/{id}"

func (a *API) pipelineTriggerEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inPipeline + "/triggers", Operation: "listPipelineTriggers",
			Summary: "Lists a pipeline's triggers, the newest first, for those who may change the pipeline.",
			Scope:   domain.ScopeReadPipelines, Answer: endpoint.CursorAnswer[pipelineTriggerAnswer]{},
			List: endpoint.CursorList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerCursorPage(c, func(page domain.CursorPage) (domain.CursorPaged[*domain.PipelineTriggerView],
					error) {
					return a.Starts.PipelineTriggers(c.Context(), c.Actor(), pipelineRef(c), page)
				}, func(t *domain.PipelineTriggerView) pipelineTriggerAnswer { return a.showPipelineTrigger(*t) })
			},
		},
		{
			Method: http.MethodPost, Path: inPipeline + "/triggers", Operation: "createPipelineTrigger",
			Summary: "Creates a trigger of a pipeline: an address that starts a build whenever something is posted to it. " +
				"Only this response contains the address.",
			Scope: domain.ScopeWritePipelines, Body: pipelineTriggerBody{}, StrictBody: true, Answer: newPipelineTriggerAnswer{},
			Status: http.StatusCreated,
			Handle: func(c *endpoint.Call) (any, error) {
				t, address, err := a.Starts.CreatePipelineTrigger(c.Context(), c.Actor(), pipelineRef(c),
					readBody(c, pipelineTriggerBody.input))
				return newPipelineTriggerAnswer{a.showPipelineTrigger(t), address.Reveal()}, err
			},
		},
		{
			Method: http.MethodGet, Path: inPipelineTrigger, Operation: "getPipelineTrigger",
			Summary: "Gets a trigger, for those who may change its pipeline.",
			Scope:   domain.ScopeReadPipelines, Answer: pipelineTriggerAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				t, err := a.Starts.PipelineTrigger(c.Context(), c.Actor(), pipelineTriggerRef(c))
				return a.showPipelineTrigger(t), err
			},
		},
		{
			Method: http.MethodPatch, Path: inPipelineTrigger, Operation: "updatePipelineTrigger",
			Summary: "Changes a trigger. What is left out stays, and so does its address.",
			Scope:   domain.ScopeWritePipelines, Body: pipelineTriggerBody{}, StrictBody: true, Answer: pipelineTriggerAnswer{},
			Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				t, err := a.Starts.UpdatePipelineTrigger(c.Context(), c.Actor(), pipelineTriggerRef(c),
					readBody(c, pipelineTriggerBody.input), requireMatch(c, a.showPipelineTrigger))
				return a.showPipelineTrigger(t), err
			},
		},
		{
			Method: http.MethodDelete, Path: inPipelineTrigger, Operation: "deletePipelineTrigger",
			Summary: "Deletes a trigger. Its address starts no more builds. Those it has started stay.",
			Scope:   domain.ScopeWritePipelines, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Starts.DeletePipelineTrigger(c.Context(), c.Actor(), pipelineTriggerRef(c),
					requireMatch(c, a.showPipelineTrigger))
			},
		},
	}
}

func pipelineTriggerRef(c *endpoint.Call) domain.PipelineTriggerRef {
	return domain.PipelineTriggerRef{Pipeline: pipelineRef(c), ID: c.Path("id")}
}

type pipelineTriggerBody struct {
	Type         domain.Optional[string]                  `json:"type" required:"create" enum:"webhook,github" doc:"Who posts to the address: github for a webhook of GitHub, or webhook for anybody. It can't be changed."`
	Label        domain.Optional[string]                  `json:"label" required:"create" nullable:"false" doc:"What the trigger is for, 1 to 255 characters."`
	Enabled      domain.Optional[bool]                    `json:"enabled" nullable:"false" doc:"Whether the address starts builds. That of a new trigger does unless this is false."`
	Build        domain.Optional[triggerBuildBody]        `json:"build" nullable:"false" doc:"What the builds are."`
	Filter       domain.Optional[triggerFilterBody]       `json:"filter" doc:"Not offered: only null is taken. Let the steps of the build decide by the meta-data buildkite:webhook."`
	Verification domain.Optional[triggerVerificationBody] `json:"verification" doc:"How deliveries prove where they come from, for triggers of type github. Null for none."`
}

type triggerBuildBody struct {
	Message     domain.Optional[string]            `json:"message" doc:"The message of the builds, at most 64 KiB. Null for Triggered build."`
	Commit      domain.Optional[string]            `json:"commit" doc:"What the builds build. Null for HEAD."`
	Branch      domain.Optional[string]            `json:"branch" doc:"The branch of the builds. Null for the pipeline's default branch, or main if it has none."`
	Environment domain.Optional[map[string]string] `json:"environment" doc:"At most 200 environment variables for the builds, of 64 KiB in all. They replace the existing ones. Null or empty for none. Who sees the builds can read them, so keep secrets elsewhere."`
}

type triggerFilterBody struct {
	Expression domain.Optional[string] `json:"expression" doc:"Not offered."`
}

type triggerVerificationBody struct {
	Strategy domain.Optional[string] `json:"strategy" nullable:"false" enum:"hmac" doc:"How deliveries are signed: hmac, in the header X-Hub-Signature-256."`
	Secret   domain.Optional[string] `json:"secret" nullable:"false" doc:"The secret that deliveries are signed with, at most 255 bytes. The one that is stored stays if this is left out. It is stored encrypted and never shown."`
}

func (b pipelineTriggerBody) input() domain.PipelineTriggerInput {
	build, verification := b.Build.Value, b.Verification.Value
	return domain.PipelineTriggerInput{Type: b.Type, Label: b.Label, Enabled: b.Enabled, Message: build.Message,
		Commit: build.Commit, Branch: build.Branch, Env: build.Environment,
		HasFilter: b.Filter.HasValue(), Verification: domain.Optional[domain.TriggerVerification]{Given: b.Verification.Given,
			Null:  b.Verification.Null,
			Value: domain.TriggerVerification{Strategy: verification.Strategy, Secret: asSecret(verification.Secret)}}}
}

type pipelineTriggerAnswer struct {
	ID              domain.PipelineTriggerID   `json:"id" format:"uuid" doc:"The trigger's UUID."`
	URL             string                     `json:"url" format:"uri" doc:"The trigger in this API."`
	Type            domain.TriggerType         `json:"type" enum:"webhook,github" doc:"Who posts to the address."`
	Label           string                     `json:"label" doc:"What the trigger is for."`
	Enabled         bool                       `json:"enabled" doc:"Whether the address starts builds."`
	Build           triggerBuildAnswer         `json:"build" doc:"What the builds are."`
	Filter          *string                    `json:"filter" doc:"Always null."`
	Verification    *triggerVerificationAnswer `json:"verification" doc:"How deliveries prove where they come from. Null if they need no signature."`
	EndpointURLHint string                     `json:"endpoint_url_hint" doc:"How the address begins and ends."`
	CreatedAt       endpoint.Timestamp         `json:"created_at" doc:"When the trigger was created."`
	CreatedBy       *userAnswer                `json:"created_by" doc:"Who created the trigger. Null if they are gone."`
	UpdatedAt       endpoint.Timestamp         `json:"updated_at" doc:"When the trigger was changed last."`
	UpdatedBy       *userAnswer                `json:"updated_by" doc:"Who changed the trigger last. Null if they are gone."`
	Pipeline        scheduledPipelineAnswer    `json:"pipeline" doc:"The pipeline that the trigger belongs to."`
}

type newPipelineTriggerAnswer struct {
	pipelineTriggerAnswer `json:",inline"`
	EndpointURL           string `json:"endpoint_url" format:"uri" doc:"The address that starts builds. Whoever knows it can start them. It is not shown again."`
}

type triggerBuildAnswer struct {
	Message              *string  `json:"message" doc:"The message of the builds. Null for Triggered build."`
	Commit               string   `json:"commit" doc:"What the builds build."`
	Branch               string   `json:"branch" doc:"The branch of the builds."`
	EnvironmentVariables []string `json:"environment_variables" doc:"The names of the environment variables for the builds."`
}

type triggerVerificationAnswer struct {
	Strategy   string `json:"strategy" enum:"hmac" doc:"How deliveries are signed."`
	SecretHint string `json:"secret_hint" doc:"How the secret ends."`
}

func (a *API) showPipelineTrigger(t domain.PipelineTriggerView) pipelineTriggerAnswer {
	pipeline := a.BaseURL + "/v2/organizations/" + t.OrganizationSlug + "/pipelines/" + t.PipelineSlug
	answer := pipelineTriggerAnswer{
		ID:      t.ID,
		URL:     pipeline + "/triggers/" + string(t.ID),
		Type:    t.Type,
		Label:   t.Label,
		Enabled: t.Enabled,
		Build: triggerBuildAnswer{Message: t.Message, Commit: t.ShownCommit(), Branch: t.ShownBranch(),
			EnvironmentVariables: append([]string{}, slices.Sorted(maps.Keys(t.Env))...)},
		EndpointURLHint: a.BaseURL + "/deliver/" + t.MaskedToken(),
		CreatedAt:       endpoint.Timestamp(t.CreatedAt),
		CreatedBy:       a.showUser(t.CreatedBy),
		UpdatedAt:       endpoint.Timestamp(t.UpdatedAt),
		UpdatedBy:       a.showUser(t.UpdatedBy),
		Pipeline:        scheduledPipelineAnswer{ID: t.PipelineID, Slug: t.PipelineSlug, URL: pipeline},
	}
	if t.SecretHint != nil {
		answer.Verification = &triggerVerificationAnswer{Strategy: "hmac", SecretHint: t.MaskedSecret()}
	}
	return answer
}
