package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"penstock/internal/bench/load"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// measureRegistries measures the registries of one cluster that has many of them.
func measureRegistries(ctx context.Context, engine string, registries int) error {
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return err
	}
	defer cleanup()
	svc := service.New(service.Options{Core: core.New(core.Options{DB: d})})
	if err := setUp(ctx, svc); err != nil {
		return err
	}
	clusters, err := seed(ctx, d, 1)
	if err != nil {
		return err
	}
	ids, err := seedRegistries(ctx, d, domain.ClusterID(clusters[0]), registries)
	if err != nil {
		return err
	}
	address, stop, err := load.Serve(newAPI(svc))
	if err != nil {
		return err
	}
	defer stop()

	c := comparison{d, address, registries}
	list := "/v2/organizations/acme-inc/clusters/" + clusters[0] + "/cache-registries"
	deep := store.CacheRegistriesOf().Cursor(clusters[0], &domain.CacheRegistry{Slug: registrySlug(registries * 9 / 10)})
	const policy = `{"restore": {"scopes": [{"branch": "$current"}, {"branch": "main"}]}, "rules": [{"effect": "allow", "action": ["save", "restore"], "when": "entry.branch == claims.build_branch"}]}`
	for _, l := range []struct {
		name string
		load load.Load
	}{
		{"registries, first page", load.Load{Request: func(int64) string { return wire(http.MethodGet, list, "") }, Status: 200}},
		{"registries, deep page", load.Load{Request: func(int64) string { return wire(http.MethodGet, list+"?after="+deep, "") }, Status: 200}},
		{"registry create", load.Load{Request: func(n int64) string {
			return wire(http.MethodPost, list, `{"name": "Created `+strconv.FormatInt(n, 10)+`", "policy": `+policy+`}`)
		}, Status: 201}},
		{"registry update", load.Load{Request: func(n int64) string {
			return wire(http.MethodPatch, list+"/"+ids[n%int64(len(ids))], `{"description": "`+strconv.FormatInt(n, 10)+`", "policy": `+policy+`}`)
		}, Status: 200}},
	} {
		if err := c.run(ctx, l.name, l.load); err != nil {
			return err
		}
	}
	return nil
}

func registrySlug(n int) string { return fmt.Sprintf("registry-%07d", n) }

// seedRegistries makes registries and returns the ids of up to 1,000 of them.
func seedRegistries(ctx context.Context, d *db.DB, cluster domain.ClusterID, registries int) (ids []string, err error) {
	policy := domain.DefaultCacheRegistry(domain.Cluster{}).Policy
	const batch = 2_000
	for start := 0; start < registries && err == nil; start += batch {
		err = d.Write(ctx, func(tx *db.Tx) error {
			for i := start; i < min(start+batch, registries); i++ {
				id := domain.NewID[domain.CacheRegistryID]()
				if _, err := tx.Exec(`INSERT INTO cache_registries (id, cluster_id, slug, name, policy, created_at, updated_at) VALUES ($1, $2, $3, $3, $4, 0, 0)`,
					id, cluster, registrySlug(i), policy); err != nil {
					return err
				}
				if i%max(1, registries/1_000) == 0 {
					ids = append(ids, string(id))
				}
			}
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	return ids, analyze(ctx, d)
}
