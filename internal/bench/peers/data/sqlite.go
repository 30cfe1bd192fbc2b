package data

import (
	"context"
	"encoding/base64"

	"penstock/internal/db"
)

// SQLite is a Source that reads the product's database, with its held statements: one a level, and only the columns that the
// schema has.
type SQLite struct{ DB *db.DB }

// Organization implements Source.
func (s SQLite) Organization(ctx context.Context, slug string) (*Organization, error) {
	o := &Organization{source: s}
	err := s.query(ctx, `SELECT o.id, n.pipelines - n.archived_pipelines FROM organizations o JOIN organization_counts n ON n.organization_id = o.id WHERE o.slug = $1`, func(r *db.Row) {
		o.id, o.count = r.Text(), int32(r.Int())
	}, slug)
	return o, err
}

// Pipelines implements Source. One more than asked for tells whether the list goes on.
func (s SQLite) Pipelines(ctx context.Context, o *Organization, first int32) (*PipelineConnection, error) {
	c := &PipelineConnection{Count: o.count, PageInfo: &PageInfo{}}
	position := ""
	err := s.query(ctx, `SELECT p.id, p.slug, p.name FROM pipelines p WHERE p.organization_id = $1 AND p.archived_at IS NULL
		ORDER BY p.created_at DESC, p.id DESC LIMIT $2`, func(r *db.Row) {
		if c.PageInfo.HasNextPage = len(c.Edges) == int(first); !c.PageInfo.HasNextPage {
			position = r.Text()
			c.Edges = append(c.Edges, &PipelineEdge{&Pipeline{Slug: r.Text(), Name: r.Text()}})
		}
	}, o.id, int64(first)+1)
	cursor := base64.RawURLEncoding.EncodeToString([]byte(position))
	c.PageInfo.EndCursor = &cursor
	return c, err
}

// Clusters implements Source.
func (s SQLite) Clusters(ctx context.Context, o *Organization, first int32) (*ClusterConnection, error) {
	c, siblings := &ClusterConnection{}, &page{source: s}
	err := s.query(ctx, `SELECT c.id, c.name, c.description FROM clusters c WHERE c.organization_id = $1 ORDER BY c.name_key, c.id LIMIT $2`,
		func(r *db.Row) {
			cluster := &Cluster{id: r.Text(), Name: r.Text(), Description: r.NullText(), page: siblings}
			siblings.clusters = append(siblings.clusters, cluster.id)
			c.Edges = append(c.Edges, &ClusterEdge{cluster})
		}, o.id, int64(first))
	return c, err
}

// Queues implements Source. It reads up to the last key of the first queues of each cluster.
func (s SQLite) Queues(ctx context.Context, clusters []string, first int32) (map[string]*ClusterQueueConnection, error) {
	queues := make(map[string]*ClusterQueueConnection, len(clusters))
	arguments := []any{int64(first)}
	for _, id := range clusters {
		queues[id] = &ClusterQueueConnection{}
		arguments = append(arguments, id)
	}
	err := s.query(ctx, `SELECT c.id, q.key, q.description FROM clusters c CROSS JOIN cluster_queues q ON q.cluster_id = c.id
		WHERE c.id IN (`+db.InList(2, len(clusters))+`)
			AND q.key <= (SELECT max(key) FROM (SELECT f.key FROM cluster_queues f WHERE f.cluster_id = c.id ORDER BY f.key LIMIT $1))
		ORDER BY c.id, q.key`, func(r *db.Row) {
		c := queues[r.Text()]
		c.Edges = append(c.Edges, &ClusterQueueEdge{&ClusterQueue{Key: r.Text(), Description: r.NullText()}})
	}, arguments...)
	return queues, err
}

func (s SQLite) query(ctx context.Context, sql string, each func(*db.Row), args ...any) error {
	return s.DB.ReadStatement(ctx, func(tx *db.Tx) error {
		return tx.Query(sql, func(r *db.Row) error {
			each(r)
			return nil
		}, args...)
	})
}
