package graph

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service"
	"penstock/internal/service/read"
)

// request is what a document is run for.
type request struct {
	service *service.Service
	reader  *read.Reader
	actor   authz.Actor
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
	queue            *domain.QueueView
	token            *domain.AgentTokenView
	registry         *domain.CacheRegistry
	pipeline         *domain.PipelineView
	changedTeam      *domain.TeamView
	teamMember       *domain.TeamMemberView
	teamPipeline     *domain.TeamPipelineView
	member           *domain.MemberView
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
	bindReference(b, field, func(p *payload) domain.OrganizationID { return p.organization }, (*read.Snapshot).Organizations)
}

func teamField(b *gql.Builder, field string) {
	bindReference(b, field, func(p *payload) domain.TeamID { return p.team }, (*read.Snapshot).Teams)
}

// locate runs find with what the caller may see.
func (c change) locate(find func(*read.Snapshot) error) error {
	return c.reader.Snapshot(c.ctx, c.actor, find)
}

// theOrganization returns the organization that a member of the input names.
func (c change) theOrganization(name string) (o *read.Organization, err error) {
	err = c.locate(func(r *read.Snapshot) (err error) {
		o, err = organizationIn(r, c.input, name)
		return err
	})
	return o, err
}

func organizationIn(r *read.Snapshot, input gql.Args, name string) (*read.Organization, error) {
	found, err := r.Organizations([]domain.OrganizationID{globalID[domain.OrganizationID]("Organization", input.String(name))})
	if err != nil {
		return nil, err
	}
	if found[0] == nil {
		return nil, domain.Missing("organization")
	}
	return found[0], nil
}

// located is a thing that a mutation is about, and the cluster that it belongs to.
type located[T any] struct {
	thing   *T
	cluster domain.ClusterRef
}

// inCluster finds the thing with the id in the input, in a cluster of the input's organization, if it names one.
func inCluster[T any, ID ~string](c change, name, typeName, missing string, find func(*read.Snapshot, []ID) ([]*T, error),
	clusterOf func(*T) domain.ClusterID) (found located[T], err error) {
	err = c.locate(func(r *read.Snapshot) error {
		var within domain.OrganizationID
		if c.input.Has("organizationId") {
			o, err := organizationIn(r, c.input, "organizationId")
			if err != nil {
				return err
			}
			within = o.ID
		}
		things, err := find(r, []ID{globalID[ID](typeName, c.input.String(name))})
		if err != nil {
			return err
		}
		if things[0] == nil {
			return domain.Missing(missing)
		}
		clusters, err := r.Clusters([]domain.ClusterID{clusterOf(things[0])})
		if err != nil {
			return err
		}
		cluster := clusters[0]
		if cluster == nil || within != "" && cluster.OrganizationID != within {
			return domain.Missing(missing)
		}
		found = located[T]{things[0], domain.ClusterRef{Organization: cluster.OrganizationSlug, ID: string(cluster.ID)}}
		return nil
	})
	return found, err
}

func (c change) theCluster(name string) (located[domain.ClusterView], error) {
	return inCluster(c, name, "Cluster", "cluster", (*read.Snapshot).Clusters, func(v *domain.ClusterView) domain.ClusterID { return v.ID })
}

func (c change) theQueue() (located[domain.QueueView], error) {
	return inCluster(c, "id", "ClusterQueue", "cluster queue", (*read.Snapshot).Queues, func(v *domain.QueueView) domain.ClusterID { return v.ClusterID })
}

func (c change) theAgentToken() (located[domain.AgentTokenView], error) {
	return inCluster(c, "id", "ClusterToken", "cluster token", (*read.Snapshot).AgentTokens,
		func(v *domain.AgentTokenView) domain.ClusterID { return v.ClusterID })
}

func (c change) theRegistry() (located[domain.CacheRegistry], error) {
	return inCluster(c, "id", "CacheRegistry", "cache registry", (*read.Snapshot).CacheRegistries,
		func(v *domain.CacheRegistry) domain.ClusterID { return v.ClusterID })
}

// the finds the thing that a member of the input names by its global id.
func the[T any, ID ~string](c change, name, typeName, missing string, find func(*read.Snapshot, []ID) ([]*T, error)) (thing *T, err error) {
	err = c.locate(func(r *read.Snapshot) error {
		things, err := find(r, []ID{globalID[ID](typeName, c.input.String(name))})
		if err != nil {
			return err
		}
		if thing = things[0]; thing == nil {
			return domain.Missing(missing)
		}
		return nil
	})
	return thing, err
}

func (c change) thePipeline() (*domain.PipelineView, domain.PipelineRef, error) {
	p, err := the(c, "id", "Pipeline", "pipeline", (*read.Snapshot).Pipelines)
	if err != nil {
		return nil, domain.PipelineRef{}, err
	}
	return p, domain.PipelineRef{Organization: p.OrganizationSlug, ID: p.ID}, nil
}

func (c change) theTeam(name string) (*domain.TeamView, domain.TeamRef, error) {
	t, err := the(c, name, "Team", "team", (*read.Snapshot).Teams)
	if err != nil {
		return nil, domain.TeamRef{}, err
	}
	return t, domain.TeamRef{Organization: t.OrganizationSlug, ID: string(t.ID)}, nil
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
