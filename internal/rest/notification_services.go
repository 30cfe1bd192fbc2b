package rest

import (
	"context"
	"net/http"
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/service/core"
)

const inService = inOrganization + "/services/{id}"

func (a *API) notificationServiceEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/services", Operation: "listNotificationServices",
			Summary: "Lists an organization's notification services, the oldest first. Administrators only.",
			Scope:   domain.ScopeReadServices, Answer: endpoint.CursorAnswer[notificationServiceAnswer]{},
			List: endpoint.CursorList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerCursorPage(c,
					func(page domain.CursorPage) (domain.CursorPaged[domain.NotificationServiceView], error) {
						return a.Notices.NotificationServices(c.Context(), c.Actor(), organizationRef(c), page)
					}, a.showService)
			},
		},
		{
			Method: http.MethodPost, Path: inOrganization + "/services", Operation: "createNotificationService",
			Summary: "Creates a notification service, which is enabled. A webhook is sent a ping. Administrators only.",
			Scope:   domain.ScopeWriteServices, Body: notificationServiceBody{}, Answer: notificationServiceAnswer{},
			Status: http.StatusCreated, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				made, err := a.Notices.CreateNotificationService(c.Context(), c.Actor(), organizationRef(c),
					readBody(c, notificationServiceBody.input))
				return a.showService(made), err
			},
		},
		{
			Method: http.MethodGet, Path: inService, Operation: "getNotificationService",
			Summary: "Gets a notification service. Administrators only.",
			Scope:   domain.ScopeReadServices, Answer: notificationServiceAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				found, err := a.Notices.NotificationService(c.Context(), c.Actor(), organizationRef(c), c.Path("id"))
				return a.showService(found), err
			},
		},
		{
			Method: http.MethodPatch, Path: inService, Operation: "updateNotificationService",
			Summary: "Changes a notification service. What is left out stays as it is. A webhook is sent a ping. " +
				"Administrators only.",
			Scope: domain.ScopeWriteServices, Body: notificationServiceBody{}, Answer: notificationServiceAnswer{},
			Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				changed, err := a.Notices.UpdateNotificationService(c.Context(), c.Actor(), organizationRef(c), c.Path("id"),
					readBody(c, notificationServiceBody.input), a.requireService(c))
				return a.showService(changed), err
			},
		},
		{
			Method: http.MethodDelete, Path: inService, Operation: "deleteNotificationService",
			Summary: "Deletes a notification service. What waits to be sent to it is not sent. Administrators only.",
			Scope:   domain.ScopeWriteServices, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Notices.DeleteNotificationService(c.Context(), c.Actor(), organizationRef(c), c.Path("id"),
					a.requireService(c))
			},
		},
		a.enablingEndpoint("enable", true, "Enables a notification service. Administrators only."),
		a.enablingEndpoint("disable", false, "Disables a notification service: nothing is sent to it. Administrators only."),
	}
}

func (a *API) enablingEndpoint(name string, enabled bool, summary string) endpoint.Endpoint {
	return endpoint.Endpoint{
		Method: http.MethodPut, Path: inService + "/" + name, Operation: name + "NotificationService", Summary: summary,
		Scope: domain.ScopeWriteServices, Answer: notificationServiceAnswer{}, Status: http.StatusOK,
		Handle: func(c *endpoint.Call) (any, error) {
			changed, err := a.Notices.SetServiceEnabled(c.Context(), c.Actor(), organizationRef(c), c.Path("id"), enabled)
			return a.showService(changed), err
		},
	}
}

// requireService returns the precondition that a service is still as the caller has read it.
func (a *API) requireService(c *endpoint.Call) *core.Precondition[domain.NotificationServiceView] {
	return requireMatch(c, a.showService)
}

type buildStatesBody struct {
	Passed    domain.Optional[bool] `json:"build_passed" nullable:"false" doc:"A build passed."`
	Fixed     domain.Optional[bool] `json:"build_fixed" nullable:"false" doc:"A build passed, and the one before it of the same branch failed."`
	Failed    domain.Optional[bool] `json:"build_failed" nullable:"false" doc:"A build failed."`
	Blocked   domain.Optional[bool] `json:"build_blocked" nullable:"false" doc:"A build waits for a person."`
	Canceled  domain.Optional[bool] `json:"build_canceled" nullable:"false" doc:"A build was canceled."`
	Failing   domain.Optional[bool] `json:"build_failing" nullable:"false" doc:"A build will fail, though jobs still run."`
	Activated domain.Optional[bool] `json:"job_activated" nullable:"false" doc:"Somebody unblocked a step."`
}

type serviceSettingsBody struct {
	URL       domain.Optional[string]   `json:"url" nullable:"false" doc:"Where webhook and slack post to."`
	Token     domain.Optional[string]   `json:"token" doc:"webhook: what deliveries are sent or signed with. Null for none. It is stored encrypted."`
	TokenMode domain.Optional[string]   `json:"token_mode" nullable:"false" enum:"token,signature" doc:"webhook: whether the token is sent in X-Buildkite-Token, or signs X-Buildkite-Signature. By default, token."`
	Events    domain.Optional[[]string] `json:"events" nullable:"false" doc:"webhook: which events are sent. By default, build.scheduled, build.running and build.finished."`
	TLSVerify domain.Optional[bool]     `json:"tls_verify" nullable:"false" doc:"webhook: always true."`
	Version   domain.Optional[int64]    `json:"version" nullable:"false" doc:"webhook: always 3."`
	Channel   domain.Optional[string]   `json:"channel" doc:"slack: the channel, if the address does not decide it."`
	Theme     domain.Optional[string]   `json:"theme" nullable:"false" enum:"text,emoji" doc:"slack: whether messages begin with an emoji. By default, text."`
	Addresses domain.Optional[[]string] `json:"addresses" nullable:"false" doc:"email: who is mailed, at most 50 addresses."`
}

type notificationServiceBody struct {
	Provider    domain.Optional[string]              `json:"provider" required:"create" nullable:"false" enum:"webhook,slack,email" doc:"What kind of service it is. slack is for everything that takes Slack's incoming webhooks. It can't be changed."`
	Description domain.Optional[string]              `json:"description" doc:"What the service is for."`
	Scope       domain.Optional[string]              `json:"scope" nullable:"false" enum:"all,some_projects,some_teams,some_clusters" doc:"Which builds it is about. By default, all."`
	ScopeUUIDs  domain.Optional[[]string]            `json:"scope_uuids" nullable:"false" doc:"The UUIDs of pipelines, teams or clusters, at most 100, if the scope is not all."`
	Branches    domain.Optional[string]              `json:"branch_configuration" doc:"Patterns of branches that it is about, such as main feature/*. Null or empty for all."`
	BuildStates domain.Optional[buildStatesBody]     `json:"build_states" nullable:"false" doc:"What slack and email tell people. A new service tells of builds that passed, were fixed or failed."`
	Settings    domain.Optional[serviceSettingsBody] `json:"settings" nullable:"false" doc:"The settings of the provider."`
}

func (b notificationServiceBody) input() domain.NotificationServiceInput {
	states, settings := b.BuildStates.Value, b.Settings.Value
	return domain.NotificationServiceInput{
		Provider: b.Provider, Description: b.Description, Scope: b.Scope, ScopeIDs: b.ScopeUUIDs, Branches: b.Branches,
		BuildStates: map[string]domain.Optional[bool]{
			domain.ToldPassed: states.Passed, domain.ToldFixed: states.Fixed, domain.ToldFailed: states.Failed,
			domain.ToldBlocked:  states.Blocked,
			domain.ToldCanceled: states.Canceled, domain.ToldFailing: states.Failing, domain.ToldActivated: states.Activated,
		},
		URL: settings.URL, Token: settings.Token, TokenMode: settings.TokenMode, Events: settings.Events,
		TLSVerify: settings.TLSVerify, Version: settings.Version,
		Channel: settings.Channel, Theme: settings.Theme, Addresses: settings.Addresses,
	}
}

type serviceProviderAnswer struct {
	ID   domain.ServiceProvider `json:"id" enum:"webhook,slack,email" doc:"What kind of service it is."`
	Name string                 `json:"name" doc:"What people call it."`
}

type buildStatesAnswer struct {
	Passed    bool `json:"build_passed" doc:"A build passed."`
	Fixed     bool `json:"build_fixed" doc:"A build passed, and the one before it of the same branch failed."`
	Failed    bool `json:"build_failed" doc:"A build failed."`
	Blocked   bool `json:"build_blocked" doc:"A build waits for a person."`
	Canceled  bool `json:"build_canceled" doc:"A build was canceled."`
	Failing   bool `json:"build_failing" doc:"A build will fail, though jobs still run."`
	Activated bool `json:"job_activated" doc:"Somebody unblocked a step."`
}

type serviceSettingsAnswer struct {
	URL       *string   `json:"url,omitzero" doc:"webhook: where it posts to. The address of slack is not shown."`
	Version   *int64    `json:"version,omitzero" doc:"webhook: always 3."`
	Token     *string   `json:"token,omitzero" doc:"webhook: what deliveries are sent or signed with. Empty if there is none."`
	TokenMode *string   `json:"token_mode,omitzero" doc:"webhook: whether the token is sent, or signs."`
	Events    *[]string `json:"events,omitzero" doc:"webhook: which events are sent."`
	TLSVerify *bool     `json:"tls_verify,omitzero" doc:"webhook: always true."`
	Channel   *string   `json:"channel,omitzero" doc:"slack: the channel. Empty if the address decides it."`
	Theme     *string   `json:"theme,omitzero" doc:"slack: whether messages begin with an emoji."`
	Addresses *[]string `json:"addresses,omitzero" doc:"email: who is mailed."`
}

type notificationServiceAnswer struct {
	ID          domain.NotificationServiceID `json:"id" format:"uuid" doc:"The service's UUID."`
	GraphQLID   *string                      `json:"graphql_id" doc:"The service's ID in the GraphQL API. Null where it has none."`
	URL         string                       `json:"url" format:"uri" doc:"The service in this API."`
	Provider    serviceProviderAnswer        `json:"provider" doc:"What kind of service it is."`
	Description string                       `json:"description" doc:"What the service is for."`
	Enabled     bool                         `json:"enabled" doc:"Whether anything is sent to it."`
	Scope       domain.ServiceScope          `json:"scope" enum:"all,some_projects,some_teams,some_clusters" doc:"Which builds it is about."`
	ScopeUUIDs  []string                     `json:"scope_uuids" doc:"The UUIDs of pipelines, teams or clusters."`
	Branches    string                       `json:"branch_configuration" doc:"Patterns of branches. Empty for all."`
	BuildStates buildStatesAnswer            `json:"build_states" doc:"What slack and email tell people."`
	Settings    serviceSettingsAnswer        `json:"settings" doc:"The settings of the provider."`
	CreatedAt   endpoint.Timestamp           `json:"created_at" doc:"When the service was created."`
	CreatedBy   *userAnswer                  `json:"created_by" doc:"Who created it. Null if they are gone."`
}

func (a *API) showService(s domain.NotificationServiceView) notificationServiceAnswer {
	tells := func(state string) bool { return slices.Contains(s.BuildStates, state) }
	answer := notificationServiceAnswer{
		ID: s.ID, URL: a.BaseURL + "/v2/organizations/" + s.OrganizationSlug + "/services/" + string(s.ID),
		Provider:    serviceProviderAnswer{s.Provider, s.Provider.Name()},
		Description: s.Description, Enabled: s.Enabled, Scope: s.Scope, ScopeUUIDs: append([]string{}, s.ScopeIDs...),
		Branches: s.Branches,
		BuildStates: buildStatesAnswer{tells(domain.ToldPassed), tells(domain.ToldFixed), tells(domain.ToldFailed),
			tells(domain.ToldBlocked),
			tells(domain.ToldCanceled), tells(domain.ToldFailing), tells(domain.ToldActivated)},
		CreatedAt: endpoint.Timestamp(s.CreatedAt), CreatedBy: a.showUser(s.CreatedBy),
	}
	switch settings := s.Settings; s.Provider {
	case domain.WebhookService:
		answer.Settings = serviceSettingsAnswer{URL: &settings.URL, Version: new(int64(3)), Token: new(s.Token.Reveal()),
			TokenMode: &settings.TokenMode,
			Events:    new(append([]string{}, settings.Events...)), TLSVerify: new(true)}
	case domain.SlackService:
		answer.Settings = serviceSettingsAnswer{Channel: &settings.Channel, Theme: &settings.Theme}
	case domain.EmailService:
		answer.Settings = serviceSettingsAnswer{Addresses: new(append([]string{}, settings.Addresses...))}
	}
	return answer
}

// RenderEvent returns what an event is about, as webhooks are sent it. Operators only.
func (a *API) RenderEvent(ctx context.Context, actor authz.Actor, subject domain.EventSubject) (
	rendered domain.RenderedEvent, err error) {
	if subject.IsAboutAgents() {
		return a.renderAgentEvent(ctx, actor, subject)
	}
	build, job, err := a.Builds.EventViews(ctx, actor, subject)
	if err != nil {
		return rendered, err
	}
	if rendered.Build, err = endpoint.Encode(a.showBuildAlone(&build)); err != nil {
		return rendered, err
	}
	if rendered.Pipeline, err = endpoint.Encode(a.showBuiltPipeline(build.Pipeline)); err != nil || job == nil {
		return rendered, err
	}
	rendered.Job, err = endpoint.Encode(a.showJob(job))
	return rendered, err
}

func (a *API) renderAgentEvent(ctx context.Context, actor authz.Actor, subject domain.EventSubject) (
	rendered domain.RenderedEvent, err error) {
	agent, token, err := a.Agents.EventAgent(ctx, actor, subject)
	if err != nil {
		return rendered, err
	}
	if agent != nil {
		if rendered.Agent, err = endpoint.Encode(a.showAgent(agent)); err != nil {
			return rendered, err
		}
	}
	if token != nil {
		rendered.Token, err = endpoint.Encode(a.showAgentToken(*token))
	}
	return rendered, err
}
