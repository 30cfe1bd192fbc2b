package graph

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/read"
	"penstock/internal/service/starts"
)

// request is what a document is run for.
type request struct {
	service   *service.Service
	agents    *agents.Service
	builds    *builds.Service
	artifacts *artifacts.Service
	starts    *starts.Service
	actor     authz.Actor
	baseURL   string
}

type requestKey struct{}

func requestOf(ctx context.Context) *request { return ctx.Value(requestKey{}).(*request) }

// payload is what comes of a mutation; each has what its type has fields for.
type payload struct {
	clientMutationID *string
	deleted          string // global id
	value            domain.Secret
	organization     domain.OrganizationID
	team             domain.TeamID
	user             *domain.User
	cluster          *domain.ClusterView
	maintainer       *domain.Maintainer
	queue            *domain.QueueView
	token            *domain.AgentTokenView
	registry         *domain.CacheRegistry
	pipeline         *domain.PipelineView
	changedTeam      *domain.TeamView
	teamMember       *domain.TeamMemberView
	teamPipeline     *domain.TeamPipelineView
	member           *domain.MemberView
	invitations      []*domain.InvitationView
	build            domain.BuildID
	rebuild          domain.BuildID // the new one
	job              domain.JobID
	attempt          domain.JobID // the new one
	agent            domain.AgentID
	annotation       annotation
	artifact         artifact
	rule             rule
	template         pipelineTemplate
	schedule         schedule
	webhook          *pipelineWebhook
	unclustered      *domain.UnclusteredTokenView
	banner           *domain.OrganizationBanner
	count            int64
	baseURL          string
}

// change is a mutation under way.
type change struct {
	*request
	ctx   context.Context
	input gql.Args
}

// mutation binds a mutation and its payload's type, whose further fields are bound with the functions below.
func mutation(b *gql.Builder, name, payloadType string, run func(change) (*payload, error)) {
	gql.BindEachObject(b, "Mutation."+name, func(ctx context.Context, _ gql.Root, args gql.Args) (*payload, error) {
		input := args.Object("input")
		done, err := run(change{requestOf(ctx), ctx, input})
		if err != nil {
			return nil, err
		}
		done.baseURL = requestOf(ctx).baseURL
		done.clientMutationID = optional[string](input, "clientMutationId").Ptr()
		return done, nil
	})
	gql.DeclareObject[*payload](b, payloadType)
	bindNullableText(b, payloadType+".clientMutationId", func(p *payload) *string { return p.clientMutationID })
}

func deletedField(b *gql.Builder, field string) {
	bindText(b, field, func(p *payload) string { return p.deleted })
}

func organizationField(b *gql.Builder, field string) {
	bindReference(b, field, func(p *payload) domain.OrganizationID {
		return p.organization
	}, (*read.Snapshot).Organizations)
}

func teamField(b *gql.Builder, field string) {
	bindReference(b, field, func(p *payload) domain.TeamID { return p.team }, (*read.Snapshot).Teams)
}

// thing returns the thing that a member of the input names by its global id. What is no id of the type names nothing
// that exists.
func (c change) thing(name, typeName string, kind domain.ThingKind) domain.ThingRef {
	return domain.ThingRef{Kind: kind, ID: globalID[string](typeName, c.input.String(name))}
}

// organization returns the organization that a member of the input names.
func (c change) organization(name string) domain.OrganizationRef {
	return domain.OrganizationRef{Of: c.thing(name, "Organization", domain.OrganizationThing)}
}

// owner returns the organization that the input names, to which the thing must belong then, otherwise the one that it
// belongs to.
func (c change) owner(thing domain.ThingRef) domain.OrganizationRef {
	if c.input.Has("organizationId") {
		return c.organization("organizationId")
	}
	return domain.OrganizationRef{Of: thing}
}

func (c change) cluster(name string) domain.ClusterRef {
	cluster := c.thing(name, "Cluster", domain.ClusterThing)
	return domain.ClusterRef{Organization: c.owner(cluster), ID: cluster.ID}
}

// clusterOf returns the cluster of the input's thing, and the thing's id.
func (c change) clusterOf(typeName string, kind domain.ThingKind) (domain.ClusterRef, string) {
	thing := c.thing("id", typeName, kind)
	return domain.ClusterRef{Organization: c.owner(thing), Of: thing}, thing.ID
}

func (c change) queue() (domain.ClusterRef, string) {
	return c.clusterOf("ClusterQueue", domain.QueueThing)
}

func (c change) agentToken() (domain.ClusterRef, string) {
	return c.clusterOf("ClusterToken", domain.AgentTokenThing)
}

func (c change) cacheRegistry() (domain.ClusterRef, string) {
	return c.clusterOf("CacheRegistry", domain.CacheRegistryThing)
}

func (c change) pipeline() domain.PipelineRef {
	pipeline := c.thing("id", "Pipeline", domain.PipelineThing)
	return domain.PipelineRef{Organization: domain.OrganizationRef{Of: pipeline}, ID: domain.PipelineID(pipeline.ID)}
}

func (c change) team(name string) domain.TeamRef {
	team := c.thing(name, "Team", domain.TeamThing)
	return domain.TeamRef{Organization: domain.OrganizationRef{Of: team}, ID: team.ID}
}

// teamOf returns the team of the input's thing.
func (c change) teamOf(typeName string, kind domain.ThingKind) domain.TeamRef {
	thing := c.thing("id", typeName, kind)
	return domain.TeamRef{Organization: domain.OrganizationRef{Of: thing}, Of: thing}
}

// optionalID reads a global id of an input as the UUID that the domain takes. What is none of that type is not found.
func optionalID(input gql.Args, name, typeName, missing string) (domain.Optional[string], error) {
	id := optional[string](input, name)
	if id.HasValue() {
		if id.Value = globalID[string](typeName, id.Value); id.Value == "" {
			return id, domain.Missing(missing)
		}
	}
	return id, nil
}
