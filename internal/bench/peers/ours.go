package main

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"

	"penstock/internal/bench/peers/data"
	"penstock/internal/gql"
)

// newOurs serves the data with the product's engine.
func newOurs(source data.Source) (http.Handler, error) {
	b := gql.NewBuilder(sdl)
	gql.BindEachObject(b, "Query.organization", func(ctx context.Context, _ gql.Root, args gql.Args) (*data.Organization, error) {
		return source.Organization(ctx, args.String("slug"))
	})
	gql.DeclareObject[*data.Organization](b, "Organization")
	page(b, "Organization.pipelines", (*data.Organization).Pipelines)
	page(b, "Organization.clusters", (*data.Organization).Clusters)

	gql.DeclareObject[*data.PipelineConnection](b, "PipelineConnection")
	gql.BindLeaf(b, "PipelineConnection.count", func(dst []byte, c *data.PipelineConnection) []byte { return gql.AppendInt(dst, int64(c.Count)) })
	edges(b, "PipelineConnection", func(c *data.PipelineConnection) []*data.PipelineEdge { return c.Edges })
	one(b, "PipelineConnection.pageInfo", func(c *data.PipelineConnection) *data.PageInfo { return c.PageInfo })
	gql.DeclareObject[*data.PageInfo](b, "PageInfo")
	gql.BindLeaf(b, "PageInfo.hasNextPage", func(dst []byte, p *data.PageInfo) []byte { return gql.AppendBool(dst, p.HasNextPage) })
	nullable(b, "PageInfo.endCursor", func(p *data.PageInfo) *string { return p.EndCursor })
	gql.DeclareObject[*data.PipelineEdge](b, "PipelineEdge")
	one(b, "PipelineEdge.node", func(e *data.PipelineEdge) *data.Pipeline { return e.Node })
	gql.DeclareObject[*data.Pipeline](b, "Pipeline")
	text(b, "Pipeline.name", func(p *data.Pipeline) string { return p.Name })
	text(b, "Pipeline.slug", func(p *data.Pipeline) string { return p.Slug })

	gql.DeclareObject[*data.ClusterConnection](b, "ClusterConnection")
	edges(b, "ClusterConnection", func(c *data.ClusterConnection) []*data.ClusterEdge { return c.Edges })
	gql.DeclareObject[*data.ClusterEdge](b, "ClusterEdge")
	one(b, "ClusterEdge.node", func(e *data.ClusterEdge) *data.Cluster { return e.Node })
	gql.DeclareObject[*data.Cluster](b, "Cluster")
	text(b, "Cluster.name", func(c *data.Cluster) string { return c.Name })
	nullable(b, "Cluster.description", func(c *data.Cluster) *string { return c.Description })
	page(b, "Cluster.queues", (*data.Cluster).Queues)
	gql.DeclareObject[*data.ClusterQueueConnection](b, "ClusterQueueConnection")
	edges(b, "ClusterQueueConnection", func(c *data.ClusterQueueConnection) []*data.ClusterQueueEdge { return c.Edges })
	gql.DeclareObject[*data.ClusterQueueEdge](b, "ClusterQueueEdge")
	one(b, "ClusterQueueEdge.node", func(e *data.ClusterQueueEdge) *data.ClusterQueue { return e.Node })
	gql.DeclareObject[*data.ClusterQueue](b, "ClusterQueue")
	text(b, "ClusterQueue.key", func(q *data.ClusterQueue) string { return q.Key })
	nullable(b, "ClusterQueue.description", func(q *data.ClusterQueue) *string { return q.Description })
	schema, err := b.Build()
	if err != nil {
		return nil, err
	}
	return answering(gql.NewExecutor(schema, gql.Options{})), nil
}

func text[P any](b *gql.Builder, field string, get func(P) string) {
	gql.BindLeaf(b, field, func(dst []byte, p P) []byte { return gql.AppendString(dst, get(p)) })
}

func nullable[P any](b *gql.Builder, field string, get func(P) *string) {
	gql.BindLeaf(b, field, func(dst []byte, p P) []byte {
		if s := get(p); s != nil {
			return gql.AppendString(dst, *s)
		}
		return gql.AppendNull(dst)
	})
}

func one[P, C any](b *gql.Builder, field string, get func(P) C) {
	gql.BindObject(b, field, func(_ context.Context, parents []P, _ gql.Args) ([]C, error) {
		children := make([]C, len(parents))
		for i, p := range parents {
			children[i] = get(p)
		}
		return children, nil
	})
}

func edges[P, E any](b *gql.Builder, connection string, get func(P) []E) {
	gql.BindObjects(b, connection+".edges", func(_ context.Context, parents []P, _ gql.Args) ([][]E, error) {
		lists := make([][]E, len(parents))
		for i, p := range parents {
			lists[i] = get(p)
		}
		return lists, nil
	})
}

func page[P, C any](b *gql.Builder, field string, get func(P, context.Context, *int32) (C, error)) {
	gql.BindEachObject(b, field, func(ctx context.Context, p P, args gql.Args) (C, error) {
		var first *int32
		if n, state := gql.Arg[int64](args, "first"); state == gql.Given {
			asked := int32(n)
			first = &asked
		}
		return get(p, ctx, first)
	})
}

// answering is an HTTP handler that does what the peers' do.
func answering(executor *gql.Executor) http.Handler {
	buffers := sync.Pool{New: func() any { return new([]byte) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Query         string         `json:"query"`
			OperationName string         `json:"operationName"`
			Variables     map[string]any `json:"variables"`
		}
		if err := json.UnmarshalRead(r.Body, &asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		buffer := buffers.Get().(*[]byte)
		defer buffers.Put(buffer)
		result := executor.Execute(r.Context(), gql.Request{Query: asked.Query, OperationName: asked.OperationName, Variables: asked.Variables, Buffer: (*buffer)[:0]})
		*buffer = result.Body
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(result.Body)))
		_, _ = w.Write(result.Body)
	})
}
