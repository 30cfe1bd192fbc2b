package graph

import (
	"context"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

type event = *domain.AuditEvent

func connectAuditEvents(r *read.Snapshot, organizations []organization, args gql.Args) (
	[]*read.Connection[event], error) {
	filter := domain.AuditFilter{
		Types:        listArg(args, "type", sameEnum[domain.AuditEventType]),
		ActorTypes:   listArg(args, "actorType", actorTypeByName),
		Actors:       uuidListArg(args, "actor"),
		SubjectTypes: listArg(args, "subjectType", sameEnum[domain.AuditSubjectType]),
		Subjects:     uuidListArg(args, "subject"),
		From:         timeArg(args, "occurredAtFrom"),
		To:           timeArg(args, "occurredAtTo"),
	}
	if more := uuidListArg(args, "subjectUUID"); more != nil {
		filter.Subjects = append(more, filter.Subjects...)
	}
	return r.AuditEventsOf(organizations, filter, connectionPart(args))
}

// actorTypes has what the schema calls the kinds of actors; operators have no name there.
var actorTypes = map[domain.AuditActorType]string{domain.UserActor: "USER", domain.PortalAuditActor: "API_APPLICATION",
	domain.AgentAuditActor: "AGENT"}

func actorTypeByName(name string) domain.AuditActorType {
	for kind, known := range actorTypes {
		if known == name {
			return kind
		}
	}
	return ""
}

func bindAuditEvents(b *gql.Builder) {
	gql.DeclareObject[event](b, "AuditEvent")
	bindIDs(b, "AuditEvent", func(e event) domain.AuditEventID { return e.ID })
	bindText(b, "AuditEvent.type", func(e event) domain.AuditEventType { return e.Type })
	bindTime(b, "AuditEvent.occurredAt", func(e event) time.Time { return e.OccurredAt })
	bindText(b, "AuditEvent.data", func(e event) string { return e.Data })
	bindPart(b, "AuditEvent.actor", func(e event) *domain.AuditActor { return &e.Actor })
	bindPart(b, "AuditEvent.subject", func(e event) *domain.AuditSubject { return &e.Subject })
	bindPart(b, "AuditEvent.context", contextOf)
	gql.DeclareAbstract(b, "AuditContext", typeNameOf)
	bindConnection[event](b, "OrganizationAuditEvent")

	type actor = *domain.AuditActor
	gql.DeclareObject[actor](b, "AuditActor")
	gql.BindLeaf(b, "AuditActor.id", func(dst []byte, a actor) []byte { return appendID(dst, actorNodes[a.Type], a.ID) })
	bindText(b, "AuditActor.uuid", func(a actor) string { return a.ID })
	bindText(b, "AuditActor.name", func(a actor) string { return a.Name })
	bindNullableText(b, "AuditActor.type", func(a actor) *string {
		if name, known := actorTypes[a.Type]; known {
			return &name
		}
		return nil
	})
	gql.BindObject(b, "AuditActor.node", func(ctx context.Context, actors []actor, _ gql.Args) ([]any, error) {
		ids := make([]string, len(actors))
		for i, a := range actors {
			if a.Type == domain.UserActor {
				ids[i] = a.ID
			}
		}
		nodes := make([]any, len(actors))
		return nodes, findInto(nodes, ids, readingOf(ctx).Users)
	})
	gql.DeclareAbstract(b, "AuditActorNode", typeNameOf)

	type subject = *domain.AuditSubject
	gql.DeclareObject[subject](b, "AuditSubject")
	gql.BindLeaf(b, "AuditSubject.id", func(dst []byte, s subject) []byte {
		return appendID(dst, subjectNodes[s.Type], s.ID)
	})
	bindText(b, "AuditSubject.uuid", func(s subject) string { return s.ID })
	bindText(b, "AuditSubject.name", func(s subject) string { return s.Name })
	bindText(b, "AuditSubject.type", func(s subject) domain.AuditSubjectType { return s.Type })
	gql.BindObject(b, "AuditSubject.node", func(ctx context.Context, subjects []subject, _ gql.Args) ([]any, error) {
		wanted := make([]nodeRef, len(subjects))
		for i, s := range subjects {
			if s.Type != domain.PortalSubject && s.Type != domain.PortalTokenSubject { // which are no nodes
				wanted[i] = nodeRef{subjectNodes[s.Type], s.ID}
			}
		}
		return findNodes(readingOf(ctx), wanted)
	})
	gql.DeclareAbstract(b, "AuditSubjectNode", typeNameOf)
	bindAuditContexts(b)
}

// actorNodes and subjectNodes have the types of nodes that audit events are about.
var (
	actorNodes = map[domain.AuditActorType]string{domain.UserActor: "User", domain.PortalAuditActor: "Portal",
		domain.OperatorActor: "Operator", domain.AgentAuditActor: "Agent"}
	subjectNodes = map[domain.AuditSubjectType]string{
		domain.AgentTokenSubject:           "AgentToken",
		domain.OrganizationBannerSubject:   "OrganizationBanner",
		domain.APIAccessTokenSubject:       "APIAccessToken",
		domain.CacheRegistrySubject:        "CacheRegistry",
		domain.ClusterSubject:              "Cluster",
		domain.ClusterPermissionSubject:    "ClusterPermission",
		domain.ClusterQueueSubject:         "ClusterQueue",
		domain.ClusterTokenSubject:         "ClusterToken",
		domain.OrganizationSubject:         "Organization",
		domain.OrganizationBillingSubject:  "Organization",
		domain.InvitationSubject:           "OrganizationInvitation",
		domain.OrganizationMemberSubject:   "OrganizationMember",
		domain.OrganizationSecuritySubject: "Organization",
		domain.PipelineSubject:             "Pipeline",
		domain.PipelineScheduleSubject:     "PipelineSchedule",
		domain.PipelineTemplateSubject:     "PipelineTemplate",
		domain.PortalSubject:               "Portal",
		domain.PortalTokenSubject:          "PortalToken",
		domain.RuleSubject:                 "Rule",
		domain.SecretSubject:               "Secret",
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

// contextOf returns how the change came about; null for an operator's, who made no request.
func contextOf(e event) any {
	switch e.Context.Surface {
	case "web":
		return &webContext{e}
	case "operator":
		return nil
	}
	return &apiContext{e}
}

func bindAuditContexts(b *gql.Builder) {
	gql.DeclareObject[*apiContext](b, "AuditAPIContext")
	bindNullableText(b, "AuditAPIContext.requestApiAccessTokenUuid",
		func(c *apiContext) *string { return nilIfEmpty(string(c.Context.TokenID)) })
	bindNullableText(b, "AuditAPIContext.requestIpAddress",
		func(c *apiContext) *string { return nilIfEmpty(c.Context.Address) })
	bindNullableText(b, "AuditAPIContext.requestUserAgent",
		func(c *apiContext) *string { return nilIfEmpty(c.Context.UserAgent) })

	gql.DeclareObject[*webContext](b, "AuditWebContext")
	bindNullableText(b, "AuditWebContext.requestIpAddress",
		func(c *webContext) *string { return nilIfEmpty(c.Context.Address) })
	bindNullableText(b, "AuditWebContext.requestUserAgent",
		func(c *webContext) *string { return nilIfEmpty(c.Context.UserAgent) })
	bindNullableTime(b, "AuditWebContext.sessionCreatedAt", func(c *webContext) *time.Time {
		if c.Context.SessionCreatedAt.IsZero() {
			return nil
		}
		return &c.Context.SessionCreatedAt
	})
	bindNullableTime(b, "AuditWebContext.sessionEscalatedAt", func(*webContext) *time.Time { return nil })
	bindText(b, "AuditWebContext.sessionUserUuid", func(c *webContext) string { return c.Actor.ID })
	bindReference(b, "AuditWebContext.sessionUser", func(c *webContext) domain.UserID {
		return domain.UserID(c.Actor.ID)
	}, (*read.Snapshot).Users)
}

func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
