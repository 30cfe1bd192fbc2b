package web

import (
	"sync"
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/read"
)

// The figures of a pipeline with many builds cost much, and change little: they are read again only after a while.
const (
	manyBuilds     = 500
	figuresLast    = 5 * time.Minute
	maxFiguresKept = 2_000
)

// figuresOfWhat is what figures are of: another default branch has others.
type figuresOfWhat struct {
	pipeline domain.PipelineID
	branch   string
}

// pipelineFigures are figures of pipelines with many builds.
type pipelineFigures struct {
	mutex sync.Mutex
	known map[figuresOfWhat]knownFigures
}

type knownFigures struct {
	*domain.PipelineMetrics
	until time.Time
}

func (f *pipelineFigures) find(of figuresOfWhat, now time.Time) *domain.PipelineMetrics {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if found := f.known[of]; now.Before(found.until) {
		return found.PipelineMetrics
	}
	return nil
}

func (f *pipelineFigures) add(of figuresOfWhat, m *domain.PipelineMetrics, now time.Time) {
	if m.Builds < manyBuilds {
		return
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.known == nil || len(f.known) >= maxFiguresKept {
		f.known = map[figuresOfWhat]knownFigures{}
	}
	f.known[of] = knownFigures{m, now.Add(figuresLast)}
}

// readFigures returns how the builds of pipelines went lately.
func (c *call) readFigures(r *read.Snapshot, pipelines []*domain.PipelineView) ([]*domain.PipelineMetrics, error) {
	all := make([]*domain.PipelineMetrics, len(pipelines))
	var unknown []*domain.PipelineView
	var places []int
	for i, p := range pipelines {
		if all[i] = c.figures.find(figuresOfWhat{p.ID, textOrEmpty(p.DefaultBranch)}, c.Now()); all[i] == nil {
			unknown, places = append(unknown, p), append(places, i)
		}
	}
	if len(unknown) == 0 {
		return all, nil
	}
	found, err := r.MetricsOfPipelines(unknown)
	if err != nil {
		return nil, err
	}
	for i, p := range unknown {
		all[places[i]] = found[i]
		c.figures.add(figuresOfWhat{p.ID, textOrEmpty(p.DefaultBranch)}, found[i], c.Now())
	}
	return all, nil
}
