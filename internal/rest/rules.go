package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inRule = inOrganization + "/rules/{uuid}"

func (a *API) ruleEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/rules", Operation: "listRules",
			Summary: "Lists an organization's rules between pipelines, the newest first.",
			Scope:   domain.ScopeReadRules, Answer: []ruleAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.RuleView], error) {
					return a.Starts.Rules(c.Context(), c.Actor(), organizationRef(c), page)
				}, a.showRule)
			},
		},
		{
			Method: http.MethodPost, Path: inOrganization + "/rules", Operation: "createRule",
			Summary: "Creates a rule that lets builds of one pipeline do something with another. Administrators only.",
			Scope:   domain.ScopeWriteRules, Body: ruleBody{}, Answer: ruleAnswer{}, Status: http.StatusCreated, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				r, err := a.Starts.CreateRule(c.Context(), c.Actor(), organizationRef(c), readBody(c, ruleBody.input))
				return a.showRule(r), err
			},
		},
		{
			Method: http.MethodGet, Path: inRule, Operation: "getRule", Summary: "Gets a rule.",
			Scope: domain.ScopeReadRules, Answer: ruleAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				r, err := a.Starts.Rule(c.Context(), c.Actor(), organizationRef(c), c.Path("uuid"))
				return a.showRule(r), err
			},
		},
		{
			Method: http.MethodDelete, Path: inRule, Operation: "deleteRule", Summary: "Deletes a rule. Administrators only.",
			Scope: domain.ScopeWriteRules, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Starts.DeleteRule(c.Context(), c.Actor(), organizationRef(c), c.Path("uuid"),
					requireMatch(c, a.showRule))
				return nil, err
			},
		},
	}
}

type ruleBody struct {
	Type        domain.Optional[string]        `json:"type" doc:"What the rule is about: pipeline.trigger_build.pipeline or pipeline.artifacts_read.pipeline."`
	Rule        domain.Optional[string]        `json:"rule" doc:"Another name of type."`
	Description domain.Optional[string]        `json:"description" doc:"At most 10,000 characters. Null for none."`
	Value       domain.Optional[ruleValueBody] `json:"value" required:"create" doc:"Which pipelines the rule is about, and when it holds."`
}

type ruleValueBody struct {
	SourcePipeline domain.Optional[string]   `json:"source_pipeline" doc:"The UUID or slug of the pipeline whose builds may do it."`
	TargetPipeline domain.Optional[string]   `json:"target_pipeline" doc:"The UUID or slug of the pipeline that it may be done with."`
	Conditions     domain.Optional[[]string] `json:"conditions" doc:"At most 20 conditions, all of which must hold."`
}

func (b ruleBody) input() domain.RuleInput {
	in := domain.RuleInput{Type: b.Type, Description: b.Description}
	if !b.Type.Given {
		in.Type = b.Rule
	}
	in.Value = domain.Optional[domain.RuleValue]{Given: b.Value.Given, Null: b.Value.Null,
		Value: domain.RuleValue{SourcePipeline: b.Value.Value.SourcePipeline, TargetPipeline: b.Value.Value.TargetPipeline,
			Conditions: b.Value.Value.Conditions}}
	return in
}

type ruleAnswer struct {
	UUID             domain.RuleID         `json:"uuid" format:"uuid" doc:"The rule's UUID."`
	GraphQLID        string                `json:"graphql_id" doc:"The rule's ID in the GraphQL API."`
	OrganizationUUID domain.OrganizationID `json:"organization_uuid" format:"uuid" doc:"The UUID of the organization that the rule belongs to."`
	URL              string                `json:"url" format:"uri" doc:"The rule in this API."`
	Type             domain.RuleType       `json:"type" doc:"What the rule is about."`
	Description      *string               `json:"description" doc:"What the rule is for."`
	SourceType       string                `json:"source_type" doc:"What the source is: pipeline."`
	SourceUUID       domain.PipelineID     `json:"source_uuid" format:"uuid" doc:"The UUID of the pipeline whose builds may do it."`
	TargetType       string                `json:"target_type" doc:"What the target is: pipeline."`
	TargetUUID       domain.PipelineID     `json:"target_uuid" format:"uuid" doc:"The UUID of the pipeline that it may be done with."`
	Conditions       []string              `json:"conditions" doc:"What must hold, all of it. Empty: the rule always holds."`
	Effect           string                `json:"effect" doc:"What the rule does: allow."`
	Action           string                `json:"action" doc:"What may be done: trigger_build or artifacts_read."`
	CreatedAt        endpoint.Timestamp    `json:"created_at" doc:"When the rule was created."`
	CreatedBy        *userAnswer           `json:"created_by" doc:"Who created the rule. Null if they are gone."`
}

func (a *API) showRule(r domain.RuleView) ruleAnswer {
	return ruleAnswer{
		UUID:             r.ID,
		GraphQLID:        domain.GraphQLID("Rule", r.ID),
		OrganizationUUID: r.OrganizationID,
		URL:              a.BaseURL + "/v2/organizations/" + r.OrganizationSlug + "/rules/" + string(r.ID),
		Type:             r.Type,
		Description:      r.Description,
		SourceType:       "pipeline",
		SourceUUID:       r.SourceID,
		TargetType:       "pipeline",
		TargetUUID:       r.TargetID,
		Conditions:       append([]string{}, r.Conditions...),
		Effect:           "allow",
		Action:           r.Type.Action(),
		CreatedAt:        endpoint.Timestamp(r.CreatedAt),
		CreatedBy:        a.showUser(r.CreatedBy),
	}
}
