package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inPipelineTemplate = inOrganization + "/pipeline-templates/{uuid}"

func (a *API) pipelineTemplateEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/pipeline-templates", Operation: "listPipelineTemplates",
			Summary: "Lists an organization's pipeline templates, by name. Those that are not available are for " +
				"administrators only.",
			Scope: domain.ScopeReadPipelineTemplates, Answer: []pipelineTemplateAnswer{}, List: endpoint.PageList,
			Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.PipelineTemplateView], error) {
					return a.Starts.PipelineTemplates(c.Context(), c.Actor(), organizationRef(c), page)
				}, a.showPipelineTemplate)
			},
		},
		{
			Method: http.MethodPost, Path: inOrganization + "/pipeline-templates", Operation: "createPipelineTemplate",
			Summary: "Creates a pipeline template. Administrators only.",
			Scope:   domain.ScopeWritePipelineTemplates, Body: pipelineTemplateBody{}, Answer: pipelineTemplateAnswer{},
			Status: http.StatusCreated, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				t, err := a.Starts.CreatePipelineTemplate(c.Context(), c.Actor(), organizationRef(c),
					readBody(c, pipelineTemplateBody.input))
				return a.showPipelineTemplate(t), err
			},
		},
		{
			Method: http.MethodGet, Path: inPipelineTemplate, Operation: "getPipelineTemplate",
			Summary: "Gets a pipeline template.",
			Scope:   domain.ScopeReadPipelineTemplates, Answer: pipelineTemplateAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				t, err := a.Starts.PipelineTemplate(c.Context(), c.Actor(), organizationRef(c), c.Path("uuid"))
				return a.showPipelineTemplate(t), err
			},
		},
		{
			Method: http.MethodPatch, Path: inPipelineTemplate, Operation: "updatePipelineTemplate",
			Summary: "Changes a pipeline template, and the steps of the pipelines that follow it. Administrators only.",
			Scope:   domain.ScopeWritePipelineTemplates, Body: pipelineTemplateBody{}, Answer: pipelineTemplateAnswer{},
			Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				t, err := a.Starts.UpdatePipelineTemplate(c.Context(), c.Actor(), organizationRef(c), c.Path("uuid"),
					readBody(c, pipelineTemplateBody.input), requireMatch(c, a.showPipelineTemplate))
				return a.showPipelineTemplate(t), err
			},
		},
		{
			Method: http.MethodDelete, Path: inPipelineTemplate, Operation: "deletePipelineTemplate",
			Summary: "Deletes a pipeline template that no pipeline follows. Administrators only.",
			Scope:   domain.ScopeWritePipelineTemplates, Status: http.StatusNoContent,
			Errors: []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Starts.DeletePipelineTemplate(c.Context(), c.Actor(), organizationRef(c), c.Path("uuid"),
					requireMatch(c, a.showPipelineTemplate))
			},
		},
	}
}

type pipelineTemplateBody struct {
	Name          domain.Optional[string] `json:"name" required:"create" doc:"1 to 255 characters."`
	Description   domain.Optional[string] `json:"description" doc:"At most 10,000 characters. Null for none."`
	Configuration domain.Optional[string] `json:"configuration" required:"create" doc:"The steps, in YAML, at most 256 KiB."`
	Available     domain.Optional[bool]   `json:"available" nullable:"false" doc:"Whether all members can assign it to pipelines, not only administrators. A new one is not available unless this is true."`
}

func (b pipelineTemplateBody) input() domain.PipelineTemplateInput {
	return domain.PipelineTemplateInput{Name: b.Name, Description: b.Description, Configuration: b.Configuration,
		Available: b.Available}
}

type pipelineTemplateAnswer struct {
	UUID          domain.PipelineTemplateID `json:"uuid" format:"uuid" doc:"The template's UUID."`
	GraphQLID     string                    `json:"graphql_id" doc:"The template's ID in the GraphQL API."`
	Name          string                    `json:"name" doc:"The template's name."`
	Description   *string                   `json:"description" doc:"What the template is for."`
	Configuration string                    `json:"configuration" doc:"The steps, in YAML."`
	Available     bool                      `json:"available" doc:"Whether all members can assign it to pipelines, not only administrators."`
	URL           string                    `json:"url" format:"uri" doc:"The template in this API."`
	WebURL        string                    `json:"web_url" format:"uri" doc:"The template in the web interface."`
	CreatedAt     endpoint.Timestamp        `json:"created_at" doc:"When the template was created."`
	CreatedBy     *userAnswer               `json:"created_by" doc:"Who created the template. Null if they are gone."`
	UpdatedAt     endpoint.Timestamp        `json:"updated_at" doc:"When the template was changed last."`
	UpdatedBy     *userAnswer               `json:"updated_by" doc:"Who changed the template last. Null if they are gone."`
}

func (a *API) showPipelineTemplate(t domain.PipelineTemplateView) pipelineTemplateAnswer {
	path := "/organizations/" + t.OrganizationSlug + "/pipeline-templates/" + string(t.ID)
	return pipelineTemplateAnswer{
		UUID:          t.ID,
		GraphQLID:     domain.GraphQLID("PipelineTemplate", t.ID),
		Name:          t.Name,
		Description:   t.Description,
		Configuration: t.Configuration,
		Available:     t.Available,
		URL:           a.BaseURL + "/v2" + path,
		WebURL:        a.BaseURL + path,
		CreatedAt:     endpoint.Timestamp(t.CreatedAt),
		CreatedBy:     a.showUser(t.CreatedBy),
		UpdatedAt:     endpoint.Timestamp(t.UpdatedAt),
		UpdatedBy:     a.showUser(t.UpdatedBy),
	}
}
