package gql_test

import (
	"context"
	"fmt"
	"testing"

	"penstock/internal/gql"
)

const pageSDL = `
type Query { organization(slug: String!): Organization }
type Organization { id: ID! slug: String! pipelines(first: Int, after: String): PipelineConnection! }
type PipelineConnection { count: Int! edges: [PipelineEdge!]! nodes: [Pipeline!]! pageInfo: PageInfo! }
type PipelineEdge { cursor: String! node: Pipeline! }
type PageInfo { hasNextPage: Boolean! endCursor: String }
type Pipeline { id: ID! slug: String! name: String! archived: Boolean! owner: Organization! }
`

type (
	organization struct {
		id, slug  string
		pipelines []*pipeline
	}
	pipeline struct {
		id, slug, name string
		archived       bool
		owner          *organization
	}
	page struct{ all []*pipeline }
)

func pageSchema(t testing.TB, count int) *gql.Schema {
	t.Helper()
	org := &organization{id: "T3JnYW5pemF0aW9u", slug: "acme"}
	for i := range count {
		org.pipelines = append(org.pipelines, &pipeline{id: fmt.Sprintf("UGlwZWxpbmUtLS0%08d", i), slug: fmt.Sprintf("pipeline-%d", i), name: fmt.Sprintf("Pipeline %d", i), owner: org})
	}
	b := gql.NewBuilder(pageSDL)
	gql.DeclareObject[*organization](b, "Organization")
	gql.DeclareObject[*page](b, "PipelineConnection")
	gql.DeclareObject[*pipeline](b, "PipelineEdge")
	gql.DeclareObject[*pipeline](b, "Pipeline")
	gql.DeclareObject[*page](b, "PageInfo")
	gql.BindEachObject(b, "Query.organization", func(_ context.Context, _ gql.Root, args gql.Args) (*organization, error) {
		if args.String("slug") != org.slug {
			return nil, nil
		}
		return org, nil
	})
	bindText(b, "Organization.id", func(o *organization) string { return o.id })
	bindText(b, "Organization.slug", func(o *organization) string { return o.slug })
	gql.BindObject(b, "Organization.pipelines", func(_ context.Context, orgs []*organization, args gql.Args) ([]*page, error) {
		pages := make([]*page, len(orgs))
		for i, o := range orgs {
			all := o.pipelines
			if first, state := gql.Arg[int64](args, "first"); state == gql.Given {
				all = all[:min(len(all), int(max(first, 0)))]
			}
			pages[i] = &page{all}
		}
		return pages, nil
	})
	gql.BindColumn(b, "PipelineConnection.count", func(_ context.Context, pages []*page, _ gql.Args) ([]int64, error) {
		counts := make([]int64, len(pages))
		for i, p := range pages {
			counts[i] = int64(len(p.all))
		}
		return counts, nil
	}, gql.AppendInt)
	pipelines := func(_ context.Context, pages []*page, _ gql.Args) ([][]*pipeline, error) {
		lists := make([][]*pipeline, len(pages))
		for i, p := range pages {
			lists[i] = p.all
		}
		return lists, nil
	}
	gql.BindObjects(b, "PipelineConnection.edges", pipelines)
	gql.BindObjects(b, "PipelineConnection.nodes", pipelines)
	gql.BindObject(b, "PipelineConnection.pageInfo", func(_ context.Context, pages []*page, _ gql.Args) ([]*page, error) { return pages, nil })
	gql.BindLeaf(b, "PageInfo.hasNextPage", func(dst []byte, _ *page) []byte { return gql.AppendBool(dst, false) })
	gql.BindLeaf(b, "PageInfo.endCursor", func(dst []byte, p *page) []byte {
		if len(p.all) == 0 {
			return gql.AppendNull(dst)
		}
		return gql.AppendString(dst, p.all[len(p.all)-1].id)
	})
	bindText(b, "PipelineEdge.cursor", func(p *pipeline) string { return p.id })
	gql.BindObject(b, "PipelineEdge.node", func(_ context.Context, ps []*pipeline, _ gql.Args) ([]*pipeline, error) { return ps, nil })
	bindText(b, "Pipeline.id", func(p *pipeline) string { return p.id })
	bindText(b, "Pipeline.slug", func(p *pipeline) string { return p.slug })
	bindText(b, "Pipeline.name", func(p *pipeline) string { return p.name })
	gql.BindLeaf(b, "Pipeline.archived", func(dst []byte, p *pipeline) []byte { return gql.AppendBool(dst, p.archived) })
	gql.BindObject(b, "Pipeline.owner", func(_ context.Context, ps []*pipeline, _ gql.Args) ([]*organization, error) {
		owners := make([]*organization, len(ps))
		for i, p := range ps {
			owners[i] = p.owner
		}
		return owners, nil
	})
	schema, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func bindText[P any](b *gql.Builder, field string, get func(P) string) {
	gql.BindLeaf(b, field, func(dst []byte, p P) []byte { return gql.AppendString(dst, get(p)) })
}

const pageQuery = `query ($org: String!, $first: Int) {
  organization(slug: $org) { pipelines(first: $first) { count pageInfo { hasNextPage endCursor } edges { node { id slug name } } } }
}`

func BenchmarkPage500(b *testing.B) {
	executor := gql.NewExecutor(pageSchema(b, 500), gql.Options{})
	variables := map[string]any{"org": "acme", "first": 500.0}
	var buffer []byte
	b.ReportAllocs()
	for b.Loop() {
		result := executor.Execute(context.Background(), gql.Request{Query: pageQuery, Variables: variables, Buffer: buffer[:0]})
		if len(result.Errors) > 0 {
			b.Fatal(result.Errors[0])
		}
		buffer = result.Body
	}
	b.SetBytes(int64(len(buffer)))
}

func BenchmarkParseAndValidate(b *testing.B) {
	schema := pageSchema(b, 1)
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := gql.NewExecutor(schema, gql.Options{}).Check(pageQuery); errs != nil {
			b.Fatal(errs[0])
		}
	}
}
