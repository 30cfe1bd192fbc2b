package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"penstock/internal/db"
)

func BenchmarkPlans(b *testing.B) {
	ctx := context.Background()
	d, err := db.Open(ctx, db.Options{Dir: os.Getenv("ZZDIR")})
	if err != nil {
		b.Fatal(err)
	}
	var ids []any
	_ = d.ReadOne(ctx, func(tx *db.Tx) error {
		return tx.Query(`SELECT id FROM clusters ORDER BY name_key, id LIMIT 50`, func(r *db.Row) error { ids = append(ids, r.Text()); return nil })
	})
	for len(ids) < 64 {
		ids = append(ids, ids[49])
	}
	in := db.InList(1, 64)
	cols := `q.id, q.cluster_id, q.key, q.description, q.created_at`
	bound := ` q.key <= (SELECT max(key_) FROM (SELECT q.key AS key_ FROM cluster_queues q WHERE q.cluster_id = parent_ ORDER BY q.key, q.id LIMIT 11))`
	bound2 := ` q.key <= COALESCE((SELECT q.key FROM cluster_queues q WHERE q.cluster_id = parent_ ORDER BY q.key, q.id LIMIT 1 OFFSET 10), X'')`
	bound3 := ` q.key <= COALESCE((SELECT q.key FROM cluster_queues q WHERE q.cluster_id = parents.id ORDER BY q.key, q.id LIMIT 1 OFFSET 10), X'')`
	shapes := []string{
		`SELECT parent_, 0, ` + cols + ` FROM (SELECT id AS parent_ FROM clusters WHERE id IN (` + in + `)) parents CROSS JOIN cluster_queues q WHERE q.cluster_id = parent_ AND ` + bound + ` ORDER BY parent_, q.key, q.id`,
		`SELECT parent_, 0, ` + cols + ` FROM (SELECT id AS parent_ FROM clusters WHERE id IN (` + in + `)) parents CROSS JOIN cluster_queues q WHERE q.cluster_id = parent_ AND ` + bound2 + ` ORDER BY parent_, q.key, q.id`,
		`SELECT parents.id, 0, ` + cols + ` FROM clusters parents CROSS JOIN cluster_queues q WHERE parents.id IN (` + in + `) AND q.cluster_id = parents.id AND ` + bound3 + ` ORDER BY parents.id, q.key, q.id`,
		`SELECT q.cluster_id, 0, ` + cols + ` FROM cluster_queues q WHERE q.cluster_id IN (` + in + `) ORDER BY q.cluster_id, q.key, q.id`,
	}
	for i, sql := range shapes {
		if os.Getenv("PLAN") != "" {
			_ = d.ReadOne(ctx, func(tx *db.Tx) error {
				return tx.Query("EXPLAIN QUERY PLAN "+sql, func(r *db.Row) error { r.Skip(3); fmt.Println(i, r.Text()); return nil }, ids...)
			})
			continue
		}
	}
	best := map[int]float64{}
	for range 40 {
		for i, sql := range shapes {
			start := cpu()
			for range 20 {
				_ = d.ReadOne(ctx, func(tx *db.Tx) error {
					return tx.Query(sql, func(r *db.Row) error {
						_ = r.Text()
						r.Skip(1)
						_, _, _, _, _ = r.Text(), r.Text(), r.Text(), r.NullText(), r.Time()
						return nil
					}, ids...)
				})
			}
			took := float64(cpu()-start) / 1e3 / 20
			if best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	fmt.Println(best)
}
