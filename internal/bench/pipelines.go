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
)

// measurePipelines measures the pipelines of one organization that has many of them.
func measurePipelines(ctx context.Context, engine string, pipelines int) error {
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return err
	}
	defer cleanup()
	svc := service.New(service.Options{Core: core.New(core.Options{DB: d})})
	if err := setUp(ctx, svc); err != nil {
		return err
	}
	if err := seedPipelines(ctx, d, pipelines); err != nil {
		return err
	}
	address, stop, err := load.Serve(newAPI(svc))
	if err != nil {
		return err
	}
	defer stop()

	c := comparison{d, address, pipelines}
	const list = "/v2/organizations/acme-inc/pipelines"
	middle, last := strconv.Itoa(max(1, pipelines/60)), strconv.Itoa(max(1, pipelines/30-1))
	read := func(path string) load.Load {
		return load.Load{Request: func(int64) string { return wire(http.MethodGet, path, "") }, Status: 200}
	}
	for _, l := range []struct {
		name string
		load load.Load
	}{
		{"pipeline get", load.Load{Request: func(n int64) string {
			return wire(http.MethodGet, list+"/"+pipelineSlug(int(n)%pipelines), "")
		}, Status: 200}},
		{"pipelines, first page", read(list)},
		{"pipelines, middle page", read(list + "?page=" + middle)},
		{"pipelines, last page", read(list + "?page=" + last)},
	} {
		if err := c.run(ctx, l.name, l.load); err != nil {
			return err
		}
	}
	return nil
}

func pipelineSlug(n int) string { return fmt.Sprintf("pipeline-%07d", n) }

func seedPipelines(ctx context.Context, d *db.DB, pipelines int) error {
	const batch = 2_000
	for start := 0; start < pipelines; start += batch {
		err := d.Write(ctx, func(tx *db.Tx) error {
			for i := start; i < min(start+batch, pipelines); i++ {
				name := fmt.Sprintf("Pipeline %07d", i)
				if _, err := tx.Exec(`INSERT INTO pipelines (id, organization_id, slug, name, name_key, repository, configuration, default_branch, tags, created_at, created_by)
					SELECT $1, o.id, $2, $3, $4, $5, $6, 'main', '["benchmark"]', 0, m.user_id FROM organizations o JOIN organization_members m ON m.organization_id = o.id`,
					domain.NewID[domain.PipelineID](), pipelineSlug(i), name, domain.SortKey(name), "git@github.com:acme/"+pipelineSlug(i)+".git",
					"steps:\n  - label: \":hammer:\"\n    command: make\n"); err != nil {
					return err
				}
			}
			_, err := tx.Exec(`INSERT INTO organization_counts (organization_id, shard, clusters, pipelines, archived_pipelines)
				SELECT id, 0, 0, $1, 0 FROM organizations WHERE TRUE
				ON CONFLICT (organization_id, shard) DO UPDATE SET pipelines = organization_counts.pipelines + excluded.pipelines`,
				min(batch, pipelines-start))
			return err
		})
		if err != nil {
			return err
		}
	}
	return analyze(ctx, d)
}
