package rest

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
)

var auditEventEndpoints = []endpoint{
	{
		methods: get, path: inOrganization + "/audit_events", operation: "listAuditEvents",
		summary: "Lists an organization's audit events, the newest first. Administrators only.",
		scope:   string(domain.ScopeReadAuditEvents), answer: cursorAnswer[auditEventAnswer]{}, list: cursorList, status: http.StatusOK,
		query: []parameter{
			{"type", "Only events of this type, such as CLUSTER_CREATED."},
			{"actor", "Only events whose actor has this UUID."},
			{"subject_uuid", "Only events whose subject has this UUID."},
			{"occurred_at_from", "Only events that occurred at this time or later, in ISO 8601."},
			{"occurred_at_to", "Only events that occurred before this time, in ISO 8601."},
		},
		handle: func(c *call) (any, error) {
			filter, filterErr := c.auditFilter()
			return cursorPaged(c, func(page domain.CursorPage) (domain.CursorPaged[domain.AuditEvent], error) {
				events, err := c.api.Service.AuditEvents(c.Context(), c.actor(), c.Path("org"), filter, page)
				if err == nil {
					err = filterErr
				}
				return events, err
			}, c.auditEventToAnswer)
		},
	},
	{
		methods: get, path: inOrganization + "/audit_events/{id}", operation: "getAuditEvent", summary: "Gets an audit event. Administrators only.",
		scope: string(domain.ScopeReadAuditEvents), answer: auditEventAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			event, err := c.api.Service.AuditEvent(c.Context(), c.actor(), c.Path("org"), c.Path("id"))
			return c.auditEventToAnswer(event), err
		},
	},
}

// auditFilter reads which events the request asks for.
func (c *call) auditFilter() (filter domain.AuditFilter, err error) {
	query, err := c.query()
	if err != nil {
		return filter, err
	}
	filter.Type = domain.AuditEventType(query.Get("type"))
	if filter.Type != "" && !filter.Type.Known() {
		return domain.AuditFilter{}, domain.NewError(domain.Malformed, "type must be a type of audit event, such as CLUSTER_CREATED")
	}
	for _, id := range []struct {
		name   string
		target *string
	}{{"actor", &filter.ActorID}, {"subject_uuid", &filter.SubjectID}} {
		if !query.Has(id.name) {
			continue
		}
		parsed, ok := domain.ParseID[string](query.Get(id.name))
		if !ok {
			return domain.AuditFilter{}, domain.NewError(domain.Malformed, id.name+" must be a UUID")
		}
		*id.target = parsed
	}
	for _, bound := range []struct {
		name   string
		target **time.Time
	}{{"occurred_at_from", &filter.From}, {"occurred_at_to", &filter.To}} {
		if !query.Has(bound.name) {
			continue
		}
		at, err := time.Parse(time.RFC3339Nano, query.Get(bound.name))
		if err != nil {
			return domain.AuditFilter{}, domain.NewError(domain.Malformed, bound.name+" must be an ISO 8601 time such as 2026-01-31T12:00:00Z")
		}
		*bound.target = &at
	}
	return filter, nil
}

type auditEventAnswer struct {
	UUID       domain.AuditEventID   `json:"uuid" format:"uuid" doc:"Identifies the event."`
	GraphQLID  string                `json:"graphql_id" doc:"The event's identifier in the GraphQL API."`
	Type       domain.AuditEventType `json:"type" doc:"What was done, such as CLUSTER_CREATED."`
	OccurredAt timestamp             `json:"occurred_at" doc:"When it was done."`
	Actor      auditActorAnswer      `json:"actor" doc:"Who did it."`
	Subject    auditSubjectAnswer    `json:"subject" doc:"What it was done to."`
	Context    auditContextAnswer    `json:"context" doc:"How the request came."`
	Data       jsontext.Value        `json:"data" doc:"An object with the subject's state before, after, or both. Never a secret."`
	URL        string                `json:"url" format:"uri" doc:"The event's address in this API."`
}

type auditActorAnswer struct {
	Type domain.AuditActorType `json:"type" doc:"USER, PORTAL, or OPERATOR for someone with access to the machine."`
	UUID *string               `json:"uuid" format:"uuid" doc:"Identifies the user. Null for an operator."`
	Name string                `json:"name" doc:"The name that they had then."`
}

type auditSubjectAnswer struct {
	Type domain.AuditSubjectType `json:"type" doc:"The kind of thing, such as CLUSTER."`
	UUID string                  `json:"uuid" format:"uuid" doc:"Identifies the thing, which may be gone."`
	Name string                  `json:"name" doc:"The name that it had then."`
}

type auditContextAnswer struct {
	Surface   string             `json:"surface" doc:"The way by which the request came, such as rest."`
	Address   *string            `json:"request_ip_address" doc:"The address that the request came from."`
	UserAgent *string            `json:"request_user_agent" doc:"What the client called itself."`
	TokenUUID *domain.APITokenID `json:"request_api_access_token_uuid" format:"uuid" doc:"The access token that the request was made with."`
}

func (c *call) auditEventToAnswer(e domain.AuditEvent) auditEventAnswer {
	return auditEventAnswer{
		UUID:       e.ID,
		GraphQLID:  domain.GraphQLID("AuditEvent", e.ID),
		Type:       e.Type,
		OccurredAt: timestamp(e.OccurredAt),
		Actor:      auditActorAnswer{Type: e.Actor.Type, UUID: unlessEmpty(e.Actor.ID), Name: e.Actor.Name},
		Subject:    auditSubjectAnswer{Type: e.Subject.Type, UUID: e.Subject.ID, Name: e.Subject.Name},
		Context: auditContextAnswer{
			Surface: e.Context.Surface, Address: unlessEmpty(e.Context.Address), UserAgent: unlessEmpty(e.Context.UserAgent), TokenUUID: unlessEmpty(e.Context.TokenID),
		},
		Data: jsontext.Value(e.Data),
		URL:  c.api.BaseURL + "/v2/organizations/" + c.Path("org") + "/audit_events/" + string(e.ID),
	}
}

// unlessEmpty returns nil for an empty text.
func unlessEmpty[T ~string](text T) *T {
	if text == "" {
		return nil
	}
	return &text
}
