// Package data is what the engines of the comparison serve, from memory or from SQLite.
package data

import (
	"context"
	"sync"
)

// Source finds things. First is how many are asked for at most.
type Source interface {
	Organization(ctx context.Context, slug string) (*Organization, error)
	Pipelines(ctx context.Context, o *Organization, first int32) (*PipelineConnection, error)
	Clusters(ctx context.Context, o *Organization, first int32) (*ClusterConnection, error)
	// Queues returns the queues of each of the clusters with these ids.
	Queues(ctx context.Context, clusters []string, first int32) (map[string]*ClusterQueueConnection, error)
}

type (
	// Organization has pipelines and clusters.
	Organization struct {
		source Source
		id     string
		count  int32 // of pipelines
	}
	// PageInfo is where a page ends.
	PageInfo struct {
		HasNextPage bool
		EndCursor   *string
	}
	// PipelineConnection is a page of pipelines.
	PipelineConnection struct {
		Count    int32
		Edges    []*PipelineEdge
		PageInfo *PageInfo
	}
	// PipelineEdge is an item of it.
	PipelineEdge struct{ Node *Pipeline }
	// Pipeline is what is shown of a pipeline.
	Pipeline struct{ Name, Slug string }

	// ClusterConnection is a page of clusters.
	ClusterConnection struct{ Edges []*ClusterEdge }
	// ClusterEdge is an item of it.
	ClusterEdge struct{ Node *Cluster }
	// Cluster is what is shown of a cluster.
	Cluster struct {
		Name        string
		Description *string
		id          string
		page        *page
	}
	// ClusterQueueConnection is a page of queues.
	ClusterQueueConnection struct{ Edges []*ClusterQueueEdge }
	// ClusterQueueEdge is an item of it.
	ClusterQueueEdge struct{ Node *ClusterQueue }
	// ClusterQueue is what is shown of a queue.
	ClusterQueue struct {
		Key         string
		Description *string
	}
)

const defaultPage = 500

func orDefault(first *int32) int32 {
	if first == nil {
		return defaultPage
	}
	return *first
}

// Pipelines returns the organization's first pipelines.
func (o *Organization) Pipelines(ctx context.Context, first *int32) (*PipelineConnection, error) {
	return o.source.Pipelines(ctx, o, orDefault(first))
}

// Clusters returns the organization's first clusters.
func (o *Organization) Clusters(ctx context.Context, first *int32) (*ClusterConnection, error) {
	return o.source.Clusters(ctx, o, orDefault(first))
}

// page is the loader of the clusters of one page: the first whose queues are asked for reads those of all. It waits for no
// others to ask, and is asked for the same number by each.
type page struct {
	source   Source
	clusters []string
	once     sync.Once
	queues   map[string]*ClusterQueueConnection
	err      error
}

// Queues returns the cluster's first queues.
func (c *Cluster) Queues(ctx context.Context, first *int32) (*ClusterQueueConnection, error) {
	c.page.once.Do(func() { c.page.queues, c.page.err = c.page.source.Queues(ctx, c.page.clusters, orDefault(first)) })
	return c.page.queues[c.id], c.page.err
}
