package main

import (
	"context"
	"net/http"

	graphql "github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/relay"

	"penstock/internal/bench/peers/data"
)

// newGophers serves the data with github.com/graph-gophers/graphql-go.
func newGophers(source data.Source) (http.Handler, error) {
	schema, err := graphql.ParseSchema(sdl, &gophersQuery{source}, graphql.UseFieldResolvers())
	return &relay.Handler{Schema: schema}, err
}

// Its methods take arguments as a struct, and its nullable lists are pointers.
type (
	gophersQuery        struct{ source data.Source }
	gophersOrganization struct{ of *data.Organization }
	gophersCluster      struct {
		Name        string
		Description *string
		of          *data.Cluster
	}
	gophersEdge              struct{ Node *gophersCluster }
	gophersPage              struct{ First *int32 }
	gophersConnection[E any] struct {
		Count    int32
		Edges    *[]E
		PageInfo *data.PageInfo
	}
)

func (q *gophersQuery) Organization(ctx context.Context, args struct{ Slug *graphql.ID }) (*gophersOrganization, error) {
	o, err := q.source.Organization(ctx, string(*args.Slug))
	return &gophersOrganization{o}, err
}

func (o *gophersOrganization) Pipelines(ctx context.Context, args gophersPage) (*gophersConnection[*data.PipelineEdge], error) {
	c, err := o.of.Pipelines(ctx, args.First)
	if err != nil {
		return nil, err
	}
	return &gophersConnection[*data.PipelineEdge]{Count: c.Count, Edges: &c.Edges, PageInfo: c.PageInfo}, nil
}

func (o *gophersOrganization) Clusters(ctx context.Context, args gophersPage) (*gophersConnection[*gophersEdge], error) {
	c, err := o.of.Clusters(ctx, args.First)
	if err != nil {
		return nil, err
	}
	edges := make([]*gophersEdge, len(c.Edges))
	for i, edge := range c.Edges {
		edges[i] = &gophersEdge{&gophersCluster{edge.Node.Name, edge.Node.Description, edge.Node}}
	}
	return &gophersConnection[*gophersEdge]{Edges: &edges}, nil
}

func (c *gophersCluster) Queues(ctx context.Context, args gophersPage) (*gophersConnection[*data.ClusterQueueEdge], error) {
	found, err := c.of.Queues(ctx, args.First)
	if err != nil {
		return nil, err
	}
	return &gophersConnection[*data.ClusterQueueEdge]{Edges: &found.Edges}, nil
}
