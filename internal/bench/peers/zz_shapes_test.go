package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"penstock/internal/db"
)

func BenchmarkShapes(b *testing.B) {
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
	var values strings.Builder
	for i := range 50 {
		if i > 0 {
			values.WriteString(",")
		}
		fmt.Fprintf(&values, "($%d)", i+1)
	}
	cols := []string{`q.cluster_id, q.key, q.description`,
		`q.cluster_id, q.key, q.description, q.id, q.retry_agent_affinity, q.dispatch_paused_at, q.dispatch_paused_note, q.instance_shape, q.agent_image_ref, q.macos_version, q.xcode_version, q.created_at`}
	for i, c := range cols {
		shapes := map[string]string{
			"0scan": `SELECT ` + c + ` FROM cluster_queues q WHERE q.cluster_id IN (` + in + `) ORDER BY q.cluster_id, q.key, q.id`,
			"1window": `SELECT * FROM (SELECT ` + c + `, ROW_NUMBER() OVER (PARTITION BY q.cluster_id ORDER BY q.key, q.id) AS place FROM cluster_queues q WHERE q.cluster_id IN (` + in + `)) WHERE place <= 11 ORDER BY cluster_id, place`,
			"2windownoorder": `SELECT * FROM (SELECT ` + c + `, ROW_NUMBER() OVER (PARTITION BY q.cluster_id ORDER BY q.key, q.id) AS place FROM cluster_queues q WHERE q.cluster_id IN (` + in + `)) WHERE place <= 11`,
			"3in": `WITH v(parent) AS (VALUES ` + values.String() + `) SELECT ` + c + ` FROM v CROSS JOIN cluster_queues q WHERE q.id IN (SELECT i.id FROM cluster_queues i WHERE i.cluster_id = v.parent ORDER BY i.key, i.id LIMIT 11)`,
			"4inorder": `WITH v(parent) AS (VALUES ` + values.String() + `) SELECT ` + c + ` FROM v CROSS JOIN cluster_queues q WHERE q.id IN (SELECT i.id FROM cluster_queues i WHERE i.cluster_id = v.parent ORDER BY i.key, i.id LIMIT 11) ORDER BY q.cluster_id, q.key, q.id`,
			"5bound": `SELECT ` + c + ` FROM clusters v CROSS JOIN cluster_queues q WHERE v.id IN (` + in + `) AND q.cluster_id = v.id AND q.key <= COALESCE((SELECT i.key FROM cluster_queues i WHERE i.cluster_id = v.id ORDER BY i.key, i.id LIMIT 1 OFFSET 10), 'zzzzz') ORDER BY v.id, q.key, q.id`,
		}
		for _, name := range []string{"0scan", "1window", "2windownoorder", "3in", "4inorder", "5bound"} {
			b.Run(fmt.Sprintf("%s-%d", name, i), func(b *testing.B) {
				start := cpu()
				n := 0
				for b.Loop() {
					n = 0
					err := d.ReadOne(ctx, func(tx *db.Tx) error {
						return tx.Query(shapes[name], func(r *db.Row) error {
							_, _, _ = r.Text(), r.Text(), r.NullText()
							if i > 0 {
								for range 9 {
									_ = r.NullText()
								}
							}
							n++
							return nil
						}, ids...)
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				if n != 500 {
					b.Fatal(n)
				}
				b.ReportMetric(float64(cpu()-start)/1e3/float64(b.N), "cpu-us/op")
			})
		}
		if i == 0 {
			for _, name := range []string{"0scan", "1window", "3in", "4inorder", "5bound"} {
				_ = d.ReadOne(ctx, func(tx *db.Tx) error {
					return tx.Query("EXPLAIN QUERY PLAN "+shapes[name], func(r *db.Row) error { r.Skip(3); b.Log(name, r.Text()); return nil }, ids...)
				})
			}
		}
	}
}
