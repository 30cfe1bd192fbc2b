package main

import (
	"context"
	"net/netip"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/gql"
	"penstock/internal/graph"
	"penstock/internal/service"
)

func BenchmarkZZ(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{1000, 100000} {
		d, cleanup, err := open(ctx, "sqlite")
		if err != nil {
			b.Fatal(err)
		}
		defer cleanup()
		svc := service.New(service.Options{DB: d})
		if err := setUp(ctx, svc); err != nil {
			b.Fatal(err)
		}
		if err := seedPipelines(ctx, d, n); err != nil {
			b.Fatal(err)
		}
		api, err := graph.New(graph.Options{Service: svc})
		if err != nil {
			b.Fatal(err)
		}
		pages, err := walk(ctx, api, n)
		if err != nil {
			b.Fatal(err)
		}
		for name, after := range map[string]*string{"first": pages[0], "middle": pages[len(pages)/2], "last": pages[len(pages)-1]} {
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				vars := map[string]any{}
				if after != nil {
					vars["after"] = *after
				}
				actor := authz.TokenActor(authz.GraphQL, token, netip.IPv6Loopback())
				var buf []byte
				for b.Loop() {
					r := api.Run(ctx, actor, gql.Request{Query: pageDocument, Variables: vars, Buffer: buf[:0]})
					buf = r.Body
				}
				b.SetBytes(int64(len(buf)))
			})
		}
	}
}
