package graph

import (
	"context"
	"strings"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

// nodeRef names a node.
type nodeRef struct{ typeName, id string }

// nodeFinders find the nodes of a type, nil for those that the caller does not see.
var nodeFinders = map[string]func(r *read.Snapshot, found []any, ids []string) error{
	"Agent": func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.Agents) },
	"Annotation": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.Annotations)
	},
	"APIAccessToken": func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.Tokens) },
	"Artifact":       func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.Artifacts) },
	"AuditEvent": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.AuditEvents)
	},
	"Build": func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.Builds) },
	"CacheRegistry": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.CacheRegistries)
	},
	"Cluster": func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.Clusters) },
	"ClusterPermission": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.Maintainers)
	},
	"ClusterQueue": func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.Queues) },
	"ClusterToken": func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.AgentTokens) },
	"AgentToken": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.UnclusteredTokens)
	},
	"OrganizationBanner": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.OrganizationBanners)
	},
	"JobEventAssigned": findJobEvents, "JobEventCanceled": findJobEvents, "JobEventFinished": findJobEvents,
	"JobEventGeneric": findJobEvents,
	"JobEventRetried": findJobEvents, "JobEventTimedOut": findJobEvents, "JobEventStackError": findJobEvents,
	"JobEventStackNotification": findJobEvents, metricType: findPipelineMetrics,
	"JobTypeBlock": findJobs, "JobTypeCommand": findJobs, "JobTypeTrigger": findJobs, "JobTypeWait": findJobs,
	"Organization": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.Organizations)
	},
	"OrganizationInvitation": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.Invitations)
	},
	"OrganizationMember": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.Members)
	},
	"OrganizationRepositoryProviderGitHub":                 findConnections,
	"OrganizationRepositoryProviderGitHubEnterpriseServer": findConnections,
	"OrganizationRepositoryProviderGitLab":                 findConnections,
	"OrganizationRepositoryProviderBitbucket":              findConnections,
	"OrganizationRepositoryProviderBitbucketServer":        findConnections,
	"OrganizationRepositoryProviderGitea":                  findConnections,
	"Pipeline": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.Pipelines)
	},
	"PipelineSchedule": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.PipelineSchedules)
	},
	"PipelineTemplate": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.PipelineTemplates)
	},
	"Portal": func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.Portals) },
	"Rule":   func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.Rules) },
	"Secret": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.ClusterSecrets)
	},
	"Team":       func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.Teams) },
	"TeamMember": func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.TeamMembers) },
	"TeamPipeline": func(r *read.Snapshot, found []any, ids []string) error {
		return findInto(found, ids, r.TeamPipelines)
	},
	"User": func(r *read.Snapshot, found []any, ids []string) error { return findInto(found, ids, r.Users) },
	"Email": func(r *read.Snapshot, found []any, ids []string) error {
		return findOwnInto(r, found, ids, func(u *domain.User) any { return &email{u} })
	},
	"Viewer": func(r *read.Snapshot, found []any, ids []string) error {
		return findOwnInto(r, found, ids, func(u *domain.User) any { return &viewer{u} })
	},
}

func findConnections(r *read.Snapshot, found []any, ids []string) error {
	return findInto(found, ids, r.RepositoryConnections)
}

func findJobs(r *read.Snapshot, found []any, ids []string) error {
	return findInto(found, ids, r.Jobs)
}

func findJobEvents(r *read.Snapshot, found []any, ids []string) error {
	return findInto(found, ids, r.JobEvents)
}

// findInto puts what find returns for the ids into found.
func findInto[T any, ID ~string](found []any, ids []string, find func([]ID) ([]*T, error)) error {
	typed := make([]ID, len(ids))
	for i, id := range ids {
		typed[i] = ID(id)
	}
	things, err := find(typed)
	for i, thing := range things {
		if thing != nil {
			found[i] = thing
		}
	}
	return err
}

// findOwnInto finds nodes that only the caller sees.
func findOwnInto(r *read.Snapshot, found []any, ids []string, node func(*domain.User) any) error {
	me := r.User()
	for i, id := range ids {
		if me != nil && id == string(me.ID) {
			found[i] = node(me)
		}
	}
	return nil
}

// findNodes returns the nodes that are named, nil for those that the caller does not see.
func findNodes(r *read.Snapshot, wanted []nodeRef) ([]any, error) {
	found := make([]any, len(wanted))
	perType := map[string][]int{}
	for i, ref := range wanted {
		perType[ref.typeName] = append(perType[ref.typeName], i)
	}
	for typeName, places := range perType {
		find := nodeFinders[typeName]
		if find == nil {
			continue
		}
		some, ids := make([]any, len(places)), make([]string, len(places))
		for i, place := range places {
			ids[i] = wanted[place].id
		}
		if err := find(r, some, ids); err != nil {
			return nil, err
		}
		for i, place := range places {
			if some[i] != nil && typeNameOf(some[i]) == typeName { // things of several types have ids of one kind
				found[place] = some[i]
			}
		}
	}
	return found, nil
}

// typeNameOf returns the name of a value's type.
func typeNameOf(v any) string {
	switch v := v.(type) {
	case agent:
		return "Agent"
	case annotation:
		return "Annotation"
	case *domain.APIToken:
		return "APIAccessToken"
	case *apiContext:
		return "AuditAPIContext"
	case artifact:
		return "Artifact"
	case *domain.AuditEvent:
		return "AuditEvent"
	case *webContext:
		return "AuditWebContext"
	case build:
		return "Build"
	case *domain.CacheRegistry:
		return "CacheRegistry"
	case *domain.ClusterView:
		return "Cluster"
	case *pipelineMetric:
		return metricType
	case *domain.Maintainer:
		return "ClusterPermission"
	case *domain.QueueView:
		return "ClusterQueue"
	case *domain.AgentTokenView:
		return "ClusterToken"
	case *domain.UnclusteredTokenView:
		return "AgentToken"
	case *domain.OrganizationBanner:
		return "OrganizationBanner"
	case *email:
		return "Email"
	case job:
		return string(v.Type())
	case jobEvent:
		return jobEventType(v)
	case organization:
		return "Organization"
	case *domain.InvitationView:
		return "OrganizationInvitation"
	case *domain.MemberView:
		return "OrganizationMember"
	case pipeline:
		return "Pipeline"
	case *domain.PortalView:
		return "Portal"
	case repositoryConnection:
		return connectionTypes[v.Kind]
	case schedule:
		return "PipelineSchedule"
	case pipelineTemplate:
		return "PipelineTemplate"
	case rule:
		return "Rule"
	case *domain.ClusterSecretView:
		return "Secret"
	case *domain.TeamView:
		return "Team"
	case *domain.TeamMemberView:
		return "TeamMember"
	case *domain.TeamPipelineView:
		return "TeamPipeline"
	case *domain.User:
		return "User"
	case *viewer:
		return "Viewer"
	}
	return ""
}

// findMaintainerActors returns the members and teams that maintain clusters.
func findMaintainerActors(ctx context.Context, maintainers []*domain.Maintainer, _ gql.Args) ([]any, error) {
	r := readingOf(ctx)
	wanted := make([]nodeRef, len(maintainers))
	var clusters []domain.ClusterID
	for _, m := range maintainers {
		clusters = append(clusters, m.ClusterID)
	}
	seen, err := r.Clusters(clusters)
	if err != nil {
		return nil, err
	}
	keys := make([]domain.MembershipKey, len(maintainers))
	for i, m := range maintainers {
		if m.Team != nil {
			wanted[i] = nodeRef{"Team", string(m.Team.ID)}
		} else if seen[i] != nil {
			keys[i] = domain.MembershipKey{Organization: seen[i].OrganizationID, User: m.User.ID}
		}
	}
	actors, err := findNodes(r, wanted)
	if err != nil {
		return nil, err
	}
	members, err := r.MembersOf(keys)
	for i, m := range members {
		if m != nil {
			actors[i] = m
		}
	}
	return actors, err
}

func bindQuery(b *gql.Builder) {
	gql.DeclareAbstract(b, "Node", typeNameOf)
	gql.DeclareAbstract(b, "ClusterPermissionActor", typeNameOf)
	gql.BindEachObject(b, "Query.viewer", func(ctx context.Context, _ gql.Root, _ gql.Args) (*viewer, error) {
		me := readingOf(ctx).User()
		if me == nil {
			return nil, nil
		}
		return &viewer{me}, nil
	})
	gql.BindEachObject(b, "Query.node", func(ctx context.Context, _ gql.Root, args gql.Args) (any, error) {
		return findNode(readingOf(ctx), args.String("id"))
	})
	gql.BindEachObject(b, "Query.organization", func(ctx context.Context, _ gql.Root, args gql.Args) (organization,
		error) {
		r := readingOf(ctx)
		if !args.Has("uuid") || args.Null("uuid") {
			return r.OrganizationBySlug(args.String("slug"))
		}
		return findByID(args.String("uuid"), r.Organizations)
	})
	gql.BindEachObject(b, "Query.pipeline", func(ctx context.Context, _ gql.Root, args gql.Args) (pipeline, error) {
		r := readingOf(ctx)
		if !args.Has("uuid") || args.Null("uuid") {
			organization, slug, _ := strings.Cut(args.String("slug"), "/")
			return r.PipelineBySlug(organization, slug)
		}
		return findByID(args.String("uuid"), r.Pipelines)
	})
	gql.BindEachObject(b, "Query.team", func(ctx context.Context, _ gql.Root, args gql.Args) (*domain.TeamView, error) {
		organization, slug, _ := strings.Cut(args.String("slug"), "/")
		return readingOf(ctx).TeamBySlug(organization, slug)
	})
	gql.BindEachObject(b, "Query.organizationMember", func(ctx context.Context, _ gql.Root, args gql.Args) (
		*domain.MemberView, error) {
		organization, uuid, _ := strings.Cut(args.String("slug"), "/")
		member, err := findByID(uuid, readingOf(ctx).Members)
		if err != nil || member == nil || member.OrganizationSlug != organization {
			return nil, err
		}
		return member, nil
	})
	gql.BindEachObject(b, "Query.auditEvent", func(ctx context.Context, _ gql.Root, args gql.Args) (event, error) {
		return findByID(args.String("uuid"), readingOf(ctx).AuditEvents)
	})
	gql.BindEachObject(b, "Query.artifact", func(ctx context.Context, _ gql.Root, args gql.Args) (artifact, error) {
		return findByID(args.String("uuid"), readingOf(ctx).Artifacts)
	})
	gql.BindEachObject(b, "Query.secret", func(ctx context.Context, _ gql.Root, args gql.Args) (*domain.ClusterSecretView,
		error) {
		return findByID(args.String("uuid"), readingOf(ctx).ClusterSecrets)
	})
}

func findNode(r *read.Snapshot, id string) (any, error) {
	typeName, uuid, ok := domain.ParseGraphQLID(id)
	if !ok || typeName == "ClusterPermission" { // which has an id but is no node
		return nil, nil
	}
	if name, isMetric := strings.CutPrefix(typeName, metricType+"/"); isMetric { // a pipeline has several
		typeName, uuid = metricType, uuid+"/"+name
	}
	found, err := findNodes(r, []nodeRef{{typeName, uuid}})
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// findByID returns the thing with that UUID, nil if the caller sees none.
func findByID[T any, ID ~string](uuid string, find func([]ID) ([]*T, error)) (*T, error) {
	id, ok := domain.ParseID[ID](uuid)
	if !ok {
		return nil, nil
	}
	things, err := find([]ID{id})
	if err != nil {
		return nil, err
	}
	return things[0], nil
}
