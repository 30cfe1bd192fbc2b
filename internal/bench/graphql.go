package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/bench/load"
	"penstock/internal/gql"
	"penstock/internal/graph"
	"penstock/internal/httpcall"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
)

// pageDocument asks for a page of 500 pipelines, about 35 KB.
const pageDocument = `query ($after: String) { organization(slug: "acme-inc") { pipelines(first: 500, after: $after) {
	count edges { node { name slug } } pageInfo { hasNextPage endCursor } } } }`

// measureGraphQL measures pages of 500 pipelines of one organization that has many of them.
func measureGraphQL(ctx context.Context, engine string, pipelines int) error {
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return err
	}
	defer cleanup()
	shared := core.New(core.Options{DB: d})
	svc := service.New(service.Options{Core: shared})
	if err := setUp(ctx, svc); err != nil {
		return err
	}
	if err := seedPipelines(ctx, d, pipelines); err != nil {
		return err
	}
	api := graph.New(graph.Options{
		Settings: httpcall.Settings{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}, Service: svc, Reader: read.New(shared), BaseURL: "https://penstock.example.com"})
	pages, err := walk(ctx, api, pipelines)
	if err != nil {
		return err
	}
	address, stop, err := load.Serve(api)
	if err != nil {
		return err
	}
	defer stop()

	c := comparison{d, address, pipelines}
	requests := make([]string, len(pages))
	for i, after := range pages {
		body, err := json.Marshal(map[string]any{"query": pageDocument, "variables": map[string]any{"after": after}})
		if err != nil {
			return err
		}
		requests[i] = wire(http.MethodPost, "/v1", string(body))
	}
	for _, l := range []struct {
		name    string
		request func(n int64) string
	}{
		{"graphql, first page", func(int64) string { return requests[0] }},
		{"graphql, middle page", func(int64) string { return requests[len(requests)/2] }},
		{"graphql, last page", func(int64) string { return requests[len(requests)-1] }},
		{"graphql, any page", func(n int64) string { return requests[n%int64(len(requests))] }},
	} {
		if err := c.run(ctx, l.name, load.Load{Request: l.request, Status: 200}); err != nil {
			return err
		}
	}
	return nil
}

// walk goes from page to page and returns the cursor that each comes after; nil for the first.
func walk(ctx context.Context, api *graph.API, pipelines int) (pages []*string, err error) {
	actor := authz.TokenActor(authz.GraphQL, token, netip.IPv6Loopback())
	var after *string
	for seen := 0; ; {
		variables := map[string]any{}
		if after != nil {
			variables["after"] = *after
		}
		result, err := api.Run(ctx, actor, gql.Request{Query: pageDocument, Variables: variables})
		if err != nil {
			return nil, err
		}
		var answer struct {
			Data struct {
				Organization struct {
					Pipelines struct {
						Count    int
						Edges    []struct{}
						PageInfo struct {
							HasNextPage bool
							EndCursor   *string
						}
					}
				}
			}
		}
		if err := json.Unmarshal(result.Body, &answer, json.MatchCaseInsensitiveNames(true)); err != nil || len(result.Errors) > 0 {
			return nil, errors.Join(err, errors.New(string(result.Body)))
		}
		page := answer.Data.Organization.Pipelines
		pages, seen = append(pages, after), seen+len(page.Edges)
		if !page.PageInfo.HasNextPage {
			if seen != pipelines || page.Count != pipelines {
				return nil, fmt.Errorf("the pages have %d pipelines of %d, and count %d", seen, pipelines, page.Count)
			}
			return pages, nil
		}
		after = page.PageInfo.EndCursor
	}
}
