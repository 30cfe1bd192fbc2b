package graph

import (
	"context"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

type event = *domain.AuditEvent

func auditEventsOf(r *read.Snapshot, organizations []organization, args gql.Args) ([]*read.Connection[event], error) {
	filter := domain.AuditFilter{
		Types:        enums(args, "type", same[domain.AuditEventType]),
		ActorTypes:   enums(args, "actorType", actorTypeByName),
		Actors:       uuids(args, "actor"),
		SubjectTypes: enums(args, "subjectType", same[domain.AuditSubjectType]),
		Subjects:     uuids(args, "subject"),
		From:         timeArg(args, "occurredAtFrom"),
		To:           timeArg(args, "occurredAtTo"),
	}
	if more := uuids(args, "subjectUUID"); more != nil {
		filter.Subjects = append(more, filter.Subjects...)
	}
	return r.AuditEventsOf(organizations, filter, partOf(args))
}

// actorTypes has what the schema calls the kinds of actors; operators have no name there.
var actorTypes = map[domain.AuditActorType]string{domain.UserActor: "USER", domain.PortalAuditActor: "API_APPLICATION"}

func actorTypeByName(name string) domain.AuditActorType {
	for kind, known := range actorTypes {
		if known == name {
			return kind
		}
	}
	return ""
}

func bindAuditEvents(b *gql.Builder) {
	gql.Object[event](b, "AuditEvent")
	ids(b, "AuditEvent", func(e event) domain.AuditEventID { return e.ID })
	text(b, "AuditEvent.type", func(e event) domain.AuditEventType { return e.Type })
	instant(b, "AuditEvent.occurredAt", func(e event) time.Time { return e.OccurredAt })
	text(b, "AuditEvent.data", func(e event) string { return e.Data })
	part(b, "AuditEvent.actor", func(e event) *domain.AuditActor { return &e.Actor })
	part(b, "AuditEvent.subject", func(e event) *domain.AuditSubject { return &e.Subject })
	part(b, "AuditEvent.context", auditContext)
	gql.Abstract(b, "AuditContext", typeOf)
	bindConnection[event](b, "OrganizationAuditEvent")

	type actor = *domain.AuditActor
	gql.Object[actor](b, "AuditActor")
	gql.Leaf(b, "AuditActor.id", func(dst []byte, a actor) []byte { return appendID(dst, actorNodes[a.Type], a.ID) })
	text(b, "AuditActor.uuid", func(a actor) string { return a.ID })
	text(b, "AuditActor.name", func(a actor) string { return a.Name })
	nullableText(b, "AuditActor.type", func(a actor) *string {
		if name, known := actorTypes[a.Type]; known {
			return &name
		}
		return nil
	})
	gql.One(b, "AuditActor.node", func(ctx context.Context, actors []actor, _ gql.Args) ([]any, error) {
		ids := make([]string, len(actors))
		for i, a := range actors {
			if a.Type == domain.UserActor {
				ids[i] = a.ID
			}
		}
		nodes := make([]any, len(actors))
		return nodes, fill(nodes, ids, readingOf(ctx).Users)
	})
	gql.Abstract(b, "AuditActorNode", typeOf)

	type subject = *domain.AuditSubject
	gql.Object[subject](b, "AuditSubject")
	gql.Leaf(b, "AuditSubject.id", func(dst []byte, s subject) []byte { return appendID(dst, subjectNodes[s.Type], s.ID) })
	text(b, "AuditSubject.uuid", func(s subject) string { return s.ID })
	text(b, "AuditSubject.name", func(s subject) string { return s.Name })
	text(b, "AuditSubject.type", func(s subject) domain.AuditSubjectType { return s.Type })
	gql.One(b, "AuditSubject.node", func(ctx context.Context, subjects []subject, _ gql.Args) ([]any, error) {
		wanted := make([]nodeRef, len(subjects))
		for i, s := range subjects {
			if s.Type != domain.PortalSubject && s.Type != domain.PortalTokenSubject { // which are no nodes
				wanted[i] = nodeRef{subjectNodes[s.Type], s.ID}
			}
		}
		return nodes(readingOf(ctx), wanted)
	})
	gql.Abstract(b, "AuditSubjectNode", typeOf)
	bindAuditContexts(b)
}

// actorNodes and subjectNodes have the types of nodes that audit events are about.
var (
	actorNodes   = map[domain.AuditActorType]string{domain.UserActor: "User", domain.PortalAuditActor: "Portal", domain.OperatorActor: "Operator"}
	subjectNodes = map[domain.AuditSubjectType]string{
		domain.APIAccessTokenSubject:       "APIAccessToken",
		domain.CacheRegistrySubject:        "CacheRegistry",
		domain.ClusterSubject:              "Cluster",
		domain.ClusterPermissionSubject:    "ClusterPermission",
		domain.ClusterQueueSubject:         "ClusterQueue",
		domain.ClusterTokenSubject:         "ClusterToken",
		domain.OrganizationSubject:         "Organization",
		domain.OrganizationBillingSubject:  "Organization",
		domain.OrganizationMemberSubject:   "OrganizationMember",
		domain.OrganizationSecuritySubject: "Organization",
		domain.PipelineSubject:             "Pipeline",
		domain.PortalSubject:               "Portal",
		domain.PortalTokenSubject:          "PortalToken",
		domain.TeamSubject:                 "Team",
		domain.TeamMemberSubject:           "TeamMember",
		domain.TeamPipelineSubject:         "TeamPipeline",
		domain.UserSubject:                 "User",
	}
)

// apiContext and webContext are how a request came.
type (
	apiContext struct{ event }
	webContext struct{ event }
)

// auditContext returns how the change came about; null for an operator's, who made no request.
func auditContext(e event) any {
	switch e.Context.Surface {
	case "web":
		return &webContext{e}
	case "operator":
		return nil
	}
	return &apiContext{e}
}

func bindAuditContexts(b *gql.Builder) {
	gql.Object[*apiContext](b, "AuditAPIContext")
	nullableText(b, "AuditAPIContext.requestApiAccessTokenUuid", func(c *apiContext) *string { return unlessEmpty(string(c.Context.TokenID)) })
	nullableText(b, "AuditAPIContext.requestIpAddress", func(c *apiContext) *string { return unlessEmpty(c.Context.Address) })
	nullableText(b, "AuditAPIContext.requestUserAgent", func(c *apiContext) *string { return unlessEmpty(c.Context.UserAgent) })

	gql.Object[*webContext](b, "AuditWebContext")
	nullableText(b, "AuditWebContext.requestIpAddress", func(c *webContext) *string { return unlessEmpty(c.Context.Address) })
	nullableText(b, "AuditWebContext.requestUserAgent", func(c *webContext) *string { return unlessEmpty(c.Context.UserAgent) })
	nullableInstant(b, "AuditWebContext.sessionCreatedAt", func(c *webContext) *time.Time {
		if c.Context.SessionCreatedAt.IsZero() {
			return nil
		}
		return &c.Context.SessionCreatedAt
	})
	nullableInstant(b, "AuditWebContext.sessionEscalatedAt", func(*webContext) *time.Time { return nil })
	text(b, "AuditWebContext.sessionUserUuid", func(c *webContext) string { return c.Actor.ID })
	referred(b, "AuditWebContext.sessionUser", func(c *webContext) domain.UserID { return domain.UserID(c.Actor.ID) }, (*read.Snapshot).Users)
}

func unlessEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
