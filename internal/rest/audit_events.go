package rest

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) auditEventEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/audit_events", Operation: "listAuditEvents",
			Summary: "Lists an organization's audit events, the newest first. Administrators only.",
			Scope:   domain.ScopeReadAuditEvents, Answer: endpoint.CursorAnswer[auditEventAnswer]{}, List: endpoint.CursorList,
			Status: http.StatusOK,
			Query: []endpoint.QueryParameter{
				{Name: "type", Doc: "Only events of this type, such as CLUSTER_CREATED."},
				{Name: "actor", Doc: "Only events whose actor has this UUID."},
				{Name: "subject_uuid", Doc: "Only events whose subject has this UUID."},
				{Name: "occurred_at_from", Doc: "Only events that occurred at this time or later, in ISO 8601."},
				{Name: "occurred_at_to", Doc: "Only events that occurred before this time, in ISO 8601."},
			},
			Handle: func(c *endpoint.Call) (any, error) {
				filter, filterErr := readAuditFilter(c)
				return endpoint.AnswerCursorPage(c, func(page domain.CursorPage) (domain.CursorPaged[domain.AuditEvent], error) {
					events, err := a.Service.AuditEvents(c.Context(), c.Actor(), c.Path("org"), filter, page)
					if err == nil {
						err = filterErr
					}
					return events, err
				}, func(e domain.AuditEvent) auditEventAnswer { return a.showAuditEvent(e, c.Path("org")) })
			},
		},
		{
			Method: http.MethodGet, Path: inOrganization + "/audit_events/{id}", Operation: "getAuditEvent",
			Summary: "Gets an audit event. Administrators only.",
			Scope:   domain.ScopeReadAuditEvents, Answer: auditEventAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				event, err := a.Service.AuditEvent(c.Context(), c.Actor(), c.Path("org"), c.Path("id"))
				return a.showAuditEvent(event, c.Path("org")), err
			},
		},
	}
}

// readAuditFilter reads which events the request asks for.
func readAuditFilter(c *endpoint.Call) (filter domain.AuditFilter, err error) {
	query, err := c.Query()
	if err != nil {
		return filter, err
	}
	if kind := domain.AuditEventType(query.Get("type")); kind != "" {
		if !kind.Known() {
			return domain.AuditFilter{}, domain.NewError(domain.Malformed, "type must be a type of audit event, such as "+
				"CLUSTER_CREATED")
		}
		filter.Types = []domain.AuditEventType{kind}
	}
	for _, id := range []struct {
		name   string
		target *[]string
	}{{"actor", &filter.Actors}, {"subject_uuid", &filter.Subjects}} {
		if !query.Has(id.name) {
			continue
		}
		parsed, ok := domain.ParseID[string](query.Get(id.name))
		if !ok {
			return domain.AuditFilter{}, domain.NewError(domain.Malformed, id.name+" must be a UUID")
		}
		*id.target = []string{parsed}
	}
	for _, bound := range []struct {
		name   string
		target **time.Time
	}{{"occurred_at_from", &filter.From}, {"occurred_at_to", &filter.To}} {
		if !query.Has(bound.name) {
			continue
		}
		at, ok := domain.ParseTimestamp(query.Get(bound.name))
		if !ok {
			return domain.AuditFilter{}, domain.NewError(domain.Malformed, bound.name+" must be an ISO 8601 time such as "+
				"2026-01-31T12:00:00Z")
		}
		*bound.target = &at
	}
	return filter, nil
}

type auditEventAnswer struct {
	UUID       domain.AuditEventID   `json:"uuid" format:"uuid" doc:"Identifies the event."`
	GraphQLID  string                `json:"graphql_id" doc:"The event's identifier in the GraphQL API."`
	Type       domain.AuditEventType `json:"type" doc:"What was done, such as CLUSTER_CREATED."`
	OccurredAt endpoint.Timestamp    `json:"occurred_at" doc:"When it was done."`
	Actor      auditActorAnswer      `json:"actor" doc:"Who did it."`
	Subject    auditSubjectAnswer    `json:"subject" doc:"What it was done to."`
	Context    auditContextAnswer    `json:"context" doc:"How the request came."`
	Data       jsontext.Value        `json:"data" doc:"An object with the subject's state before, after, or both. Never a secret."`
	URL        string                `json:"url" format:"uri" doc:"The event's address in this API."`
}

type auditActorAnswer struct {
	Type domain.AuditActorType `json:"type" doc:"USER, PORTAL, AGENT for one that runs a job, or OPERATOR for someone with access to the machine."`
	UUID *string               `json:"uuid" format:"uuid" doc:"Identifies the user. Null for an operator."`
	Name string                `json:"name" doc:"The name that they had then."`
}

type auditSubjectAnswer struct {
	Type domain.AuditSubjectType `json:"type" doc:"The kind of thing, such as CLUSTER."`
	UUID string                  `json:"uuid" format:"uuid" doc:"Identifies the thing, which may be gone."`
	Name string                  `json:"name" doc:"The name that it had then."`
}

type auditContextAnswer struct {
	Type      *string            `json:"type" doc:"WebContext, APIContext or AgentAPIContext. Null for an operator."`
	Surface   string             `json:"surface" doc:"The way by which the request came, such as rest."`
	IP        *string            `json:"request_ip" doc:"The address that the request came from."`
	Address   *string            `json:"request_ip_address" doc:"The same."`
	UserAgent *string            `json:"request_user_agent" doc:"What the client called itself."`
	TokenUUID *domain.APITokenID `json:"request_api_access_token_uuid" format:"uuid" doc:"The access token that the request was made with."`
}

// auditContextTypes has how GraphQL calls the ways by which requests come, without its prefix.
var auditContextTypes = map[authz.Surface]string{
	authz.Web: "WebContext", authz.REST: "APIContext", authz.GraphQL: "APIContext", authz.Portal: "APIContext",
	authz.AgentAPI: "AgentAPIContext",
}

func (a *API) showAuditEvent(e domain.AuditEvent, organization string) auditEventAnswer {
	return auditEventAnswer{
		UUID:       e.ID,
		GraphQLID:  domain.GraphQLID("AuditEvent", e.ID),
		Type:       e.Type,
		OccurredAt: endpoint.Timestamp(e.OccurredAt),
		Actor:      auditActorAnswer{Type: e.Actor.Type, UUID: nullIfEmpty(e.Actor.ID), Name: e.Actor.Name},
		Subject:    auditSubjectAnswer{Type: e.Subject.Type, UUID: e.Subject.ID, Name: e.Subject.Name},
		Context: auditContextAnswer{
			Type: nullIfEmpty(auditContextTypes[authz.Surface(e.Context.Surface)]), Surface: e.Context.Surface,
			IP:      nullIfEmpty(e.Context.Address),
			Address: nullIfEmpty(e.Context.Address), UserAgent: nullIfEmpty(e.Context.UserAgent),
			TokenUUID: nullIfEmpty(e.Context.TokenID),
		},
		Data: jsontext.Value(e.Data),
		URL:  a.BaseURL + "/v2/organizations/" + organization + "/audit_events/" + string(e.ID),
	}
}

// nullIfEmpty returns nil for an empty text.
func nullIfEmpty[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}
