package graph

import (
	"context"
	"encoding/base64"
	"net/url"
	"strings"
	"time"

	"penstock/internal/domain"
	"penstock/internal/gql"
	"penstock/internal/service/read"
)

func bindQueueMetrics(b *gql.Builder) {
	type metrics = *domain.QueueMetrics
	gql.BindObject(b, "ClusterQueue.metrics", func(ctx context.Context, queues []*domain.QueueView, _ gql.Args) ([]metrics,
		error) {
		return readingOf(ctx).MetricsOfQueues(queues)
	})
	gql.DeclareObject[metrics](b, "ClusterQueueMetrics")
	bindTime(b, "ClusterQueueMetrics.timestamp", func(m metrics) time.Time { return m.Since })
	bindInt(b, "ClusterQueueMetrics.connectedAgentsCount", func(m metrics) int64 { return m.Connected })
	bindInt(b, "ClusterQueueMetrics.jobsFailedCount", func(m metrics) int64 { return m.Failed })
	bindInt(b, "ClusterQueueMetrics.jobsPassedCount", func(m metrics) int64 { return m.Passed })
	bindInt(b, "ClusterQueueMetrics.runningJobsCount", func(m metrics) int64 { return m.Running })
	bindInt(b, "ClusterQueueMetrics.waitingJobsCount", func(m metrics) int64 { return m.Waiting })

	type waits struct{ metrics }
	bindPart(b, "ClusterQueueMetrics.waitTimeSec", func(m metrics) *waits { return &waits{m} })
	gql.DeclareObject[*waits](b, "ClusterQueueWaitTime")
	for name, wait := range map[string]func(*waits) time.Duration{
		"max": func(w *waits) time.Duration { return w.LongestWait }, "min": func(w *waits) time.Duration {
			return w.ShortestWait
		},
		"p50": func(w *waits) time.Duration { return w.MedianWait }, "p95": func(w *waits) time.Duration {
			return w.LongWait
		},
	} {
		gql.BindLeaf(b, "ClusterQueueWaitTime."+name, func(dst []byte, w *waits) []byte {
			return gql.AppendFloat(dst, wait(w).Seconds())
		})
	}
}

// pipelineMetric is a figure of a pipeline, by its name.
type pipelineMetric struct {
	*domain.PipelineMetrics
	pipeline pipeline
	name     string
}

const metricType = "PipelineMetric"

// pipelineMetricNames are the figures of pipelines, in their order.
var pipelineMetricNames = []string{"speed", "reliability", "builds-per-week"}

func (m *pipelineMetric) label() string {
	return map[string]string{"speed": "Speed", "reliability": "Reliability", "builds-per-week": "Builds per week"}[m.name]
}

func (m *pipelineMetric) value() *string {
	switch m.name {
	case "speed":
		return m.Speed()
	case "reliability":
		return m.Reliability()
	}
	return m.BuildsPerWeek()
}

// webURL is the page of the builds that were counted.
func (m *pipelineMetric) webURL(baseURL string) string {
	query := url.Values{}
	if branch := m.pipeline.DefaultBranch; branch != nil && *branch != "" {
		query.Set("branch", *branch)
	}
	if m.name == "speed" {
		query.Set("state", "passed")
	}
	page := baseURL + "/organizations/" + m.pipeline.OrganizationSlug + "/pipelines/" + m.pipeline.Slug + "/builds"
	if len(query) == 0 {
		return page
	}
	return page + "?" + query.Encode()
}

// pipelineMetrics are the figures of a pipeline, of which a part was asked for.
type pipelineMetrics struct {
	items      []*pipelineMetric
	start, end int // of the part
}

func (p *pipelineMetrics) part() []*pipelineMetric { return p.items[p.start:p.end] }

func (p *pipelineMetrics) cursorAt(i int) *string {
	if p.start == p.end {
		return nil
	}
	cursor := p.items[i].cursor()
	return &cursor
}

func (p *pipelineMetrics) StartCursor() *string           { return p.cursorAt(p.start) }
func (p *pipelineMetrics) EndCursor() *string             { return p.cursorAt(p.end - 1) }
func (p *pipelineMetrics) HasNextPage() (bool, error)     { return p.end < len(p.items), nil }
func (p *pipelineMetrics) HasPreviousPage() (bool, error) { return p.start > 0, nil }

func (m *pipelineMetric) cursor() string { return base64.StdEncoding.EncodeToString([]byte(m.name)) }

func metricsOf(r *read.Snapshot, pipelines []pipeline) ([]*pipelineMetrics, error) {
	figures, err := r.MetricsOfPipelines(pipelines)
	if err != nil {
		return nil, err
	}
	all := make([]*pipelineMetrics, len(pipelines))
	for i, p := range pipelines {
		all[i] = &pipelineMetrics{}
		for _, name := range pipelineMetricNames {
			all[i].items = append(all[i].items, &pipelineMetric{figures[i], p, name})
		}
		all[i].end = len(all[i].items)
	}
	return all, nil
}

func findPipelineMetrics(r *read.Snapshot, found []any, ids []string) error {
	pipelines, names := make([]domain.PipelineID, len(ids)), make([]string, len(ids))
	for i, id := range ids {
		pipeline, name, _ := strings.Cut(id, "/")
		pipelines[i], names[i] = domain.PipelineID(pipeline), name
	}
	things, err := r.Pipelines(pipelines)
	if err != nil {
		return err
	}
	for i, p := range things {
		if p == nil {
			continue
		}
		metrics, err := metricsOf(r, []pipeline{p})
		if err != nil {
			return err
		}
		for _, m := range metrics[0].items {
			if m.name == names[i] {
				found[i] = m
			}
		}
	}
	return nil
}

func bindPipelineMetrics(b *gql.Builder, baseURL string) {
	type metric = *pipelineMetric
	gql.DeclareObject[metric](b, "PipelineMetric")
	gql.BindLeaf(b, "PipelineMetric.id", func(dst []byte, m metric) []byte {
		return appendID(dst, metricType+"/"+m.name, m.pipeline.ID)
	})
	bindText(b, "PipelineMetric.label", metric.label)
	bindNullableText(b, "PipelineMetric.value", metric.value)
	bindText(b, "PipelineMetric.url", func(m metric) string { return m.webURL(baseURL) })

	gql.DeclareObject[*pipelineMetrics](b, "PipelineMetricConnection")
	gql.BindObject(b, "Pipeline.metrics", func(ctx context.Context, pipelines []pipeline, args gql.Args) (
		[]*pipelineMetrics, error) {
		part := connectionPart(args)
		if err := part.Check(); err != nil {
			return nil, err
		}
		all, err := metricsOf(readingOf(ctx), pipelines)
		for _, p := range all {
			switch {
			case part.First != nil:
				p.end = min(p.end, int(*part.First))
			case part.Last != nil:
				p.start = max(p.start, p.end-int(*part.Last))
			}
		}
		return all, err
	})
	bindInt(b, "PipelineMetricConnection.count", func(p *pipelineMetrics) int64 { return int64(len(p.items)) })
	bindPart(b, "PipelineMetricConnection.pageInfo", func(p *pipelineMetrics) pager { return p })
	type edge struct{ metric }
	gql.BindObjects(b, "PipelineMetricConnection.edges", func(_ context.Context, connections []*pipelineMetrics,
		_ gql.Args) ([][]*edge, error) {
		edges := make([][]*edge, len(connections))
		for i, c := range connections {
			edges[i] = []*edge{}
			for _, m := range c.part() {
				edges[i] = append(edges[i], &edge{m})
			}
		}
		return edges, nil
	})
	gql.BindObjects(b, "PipelineMetricConnection.nodes", func(_ context.Context, connections []*pipelineMetrics,
		_ gql.Args) ([][]metric, error) {
		nodes := make([][]metric, len(connections))
		for i, c := range connections {
			nodes[i] = append([]metric{}, c.part()...)
		}
		return nodes, nil
	})
	gql.DeclareObject[*edge](b, "PipelineMetricEdge")
	bindText(b, "PipelineMetricEdge.cursor", func(e *edge) string { return e.cursor() })
	bindPart(b, "PipelineMetricEdge.node", func(e *edge) metric { return e.metric })
}
