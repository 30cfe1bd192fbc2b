package main

import (
	"context"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bench/peers/data"
	"penstock/internal/db"
	"penstock/internal/gql"
	"penstock/internal/graph"
	"penstock/internal/service"
)

func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkZZ(b *testing.B) {
	ctx := context.Background()
	dir := os.Getenv("ZZDIR")
	d, err := db.Open(ctx, db.Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	svc := service.New(service.Options{DB: d})
	if n, _ := d.Migrate(ctx); n > 0 {
		if err := seed(ctx, svc); err != nil {
			b.Fatal(err)
		}
	}
	api, err := graph.New(graph.Options{Service: svc})
	if err != nil {
		b.Fatal(err)
	}
	actor := authz.TokenActor(authz.GraphQL, token, netip.IPv6Loopback())
	for _, doc := range documents {
		b.Run(doc.name, func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			start := cpu()
			for b.Loop() {
				r := api.Run(ctx, actor, gql.Request{Query: doc.text, Variables: map[string]any{"first": float64(doc.first)}, Buffer: buf[:0]})
				buf = r.Body
			}
			b.ReportMetric(float64(cpu()-start)/1e3/float64(b.N), "cpu-us/op")
		})
	}
	src := data.SQLite{DB: d}
	b.Run("raw pipelines", func(b *testing.B) {
		start := cpu()
		for b.Loop() {
			o, _ := src.Organization(ctx, organization)
			n := int32(500)
			_, _ = o.Pipelines(ctx, &n)
		}
		b.ReportMetric(float64(cpu()-start)/1e3/float64(b.N), "cpu-us/op")
	})
	b.Run("raw clusters", func(b *testing.B) {
		start := cpu()
		for b.Loop() {
			o, _ := src.Organization(ctx, organization)
			n := int32(50)
			c, _ := o.Clusters(ctx, &n)
			n = 10
			_, _ = c.Edges[0].Node.Queues(ctx, &n)
		}
		b.ReportMetric(float64(cpu()-start)/1e3/float64(b.N), "cpu-us/op")
	})
}
