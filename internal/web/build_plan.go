package web

import (
	"slices"
	"time"

	"penstock/internal/domain"
	"penstock/internal/flow"
)

// buildPlan is how the steps of a build depend on each other, with their jobs.
type buildPlan struct {
	steps  []domain.StepID // that have jobs, in their order
	jobs   map[domain.StepID][]*domain.JobView
	before map[domain.StepID][]domain.StepID // that a step waits for
	latest map[domain.StepID]*domain.JobView // see latestOf
}

// maxEdgesOfGraph is how many dependencies are drawn.
const maxEdgesOfGraph = 5_000

// newBuildPlan arranges a build's jobs, and what their steps wait for. A dependency on a group is one on its steps.
// Left is how many dependencies it leaves out because they are too many.
func newBuildPlan(b *domain.BuildView, dependencies []domain.StepDependency) (p *buildPlan, left int) {
	p = &buildPlan{jobs: map[domain.StepID][]*domain.JobView{}, before: map[domain.StepID][]domain.StepID{},
		latest: map[domain.StepID]*domain.JobView{}}
	inGroup := map[domain.StepID][]domain.StepID{}
	for _, j := range b.Jobs {
		if p.jobs[j.StepID] == nil {
			p.steps = append(p.steps, j.StepID)
			if j.Step != nil && j.Step.GroupID != nil {
				inGroup[*j.Step.GroupID] = append(inGroup[*j.Step.GroupID], j.StepID)
			}
		}
		p.jobs[j.StepID] = append(p.jobs[j.StepID], j)
	}
	edges := 0
	seen := map[[2]domain.StepID]bool{}
	add := func(step, on domain.StepID) {
		pair := [2]domain.StepID{step, on}
		switch {
		case p.jobs[step] == nil || p.jobs[on] == nil || step == on || seen[pair]:
		case edges == maxEdgesOfGraph:
			left++
		default:
			seen[pair] = true
			p.before[step] = append(p.before[step], on)
			edges++
		}
	}
	for _, d := range dependencies {
		step, on := domain.StepID(d.Edge.Step), domain.StepID(d.Edge.On)
		if p.jobs[on] != nil {
			add(step, on)
		}
		for _, child := range inGroup[on] {
			add(step, child)
		}
	}
	for _, id := range p.steps { // what a job has uploaded comes after that job
		if s := p.jobs[id][0].Step; s != nil && len(p.before[id]) == 0 && s.ParentID != nil {
			add(id, *s.ParentID)
		}
	}
	p.shortenWaits()
	return p, left
}

// shortenWaits leaves out of what a wait or block step waits for all that another step waits for which it waits for,
// too.
func (p *buildPlan) shortenWaits() {
	for _, id := range p.steps {
		if kind := p.jobs[id][0].Type(); kind != domain.WaitJob && kind != domain.BlockJob {
			continue
		}
		earlier := map[domain.StepID]bool{}
		for _, on := range p.before[id] {
			for _, before := range p.before[on] {
				earlier[before] = true
			}
		}
		p.before[id] = slices.DeleteFunc(p.before[id], func(on domain.StepID) bool { return earlier[on] })
	}
}

// wasLeftOut reports whether a job was not to run in the end.
func wasLeftOut(j *domain.JobView) bool {
	switch j.State {
	case flow.Broken, flow.Skipped, flow.WaitingFailed, flow.BlockedFailed:
		return true
	}
	return false
}

// endOf is when a job ended; nil: it has not, or was never to run.
func endOf(j *domain.JobView) *time.Time {
	switch {
	case wasLeftOut(j):
		return nil
	case j.Type() == domain.BlockJob:
		return j.UnblockedAt
	}
	return j.FinishedAt
}

// latestOf returns the job that a step and all that comes to it without a job of its own ended with; nil: none has
// ended.
func (p *buildPlan) latestOf(step domain.StepID) *domain.JobView {
	if j, known := p.latest[step]; known {
		return j
	}
	p.latest[step] = nil // while it is being looked for
	var latest *domain.JobView
	consider := func(j *domain.JobView) {
		if j != nil && endOf(j) != nil && (latest == nil || endOf(j).After(*endOf(latest))) {
			latest = j
		}
	}
	for _, j := range p.jobs[step] {
		if j.Type() != domain.WaitJob {
			consider(j)
		}
	}
	if p.isPassage(step) {
		for _, on := range p.before[step] {
			consider(p.latestOf(on))
		}
	}
	p.latest[step] = latest
	return latest
}

// isPassage reports whether a step takes no time of its own.
func (p *buildPlan) isPassage(step domain.StepID) bool {
	for _, j := range p.jobs[step] {
		if j.Type() != domain.WaitJob && !wasLeftOut(j) {
			return false
		}
	}
	return true
}

// criticalPath returns the jobs that decided how long the build took: the one that ended last, the one that it waited
// for, and so on. An attempt that was retried belongs to it with the attempt after it.
func (p *buildPlan) criticalPath() map[domain.JobID]bool {
	perID := map[domain.JobID]*domain.JobView{}
	var last *domain.JobView
	for _, id := range p.steps {
		for _, j := range p.jobs[id] {
			perID[j.ID] = j
		}
		if j := p.latestOf(id); j != nil && (last == nil || endOf(j).After(*endOf(last))) {
			last = j
		}
	}
	path := map[domain.JobID]bool{}
	for last != nil && !path[last.ID] {
		path[last.ID] = true
		if last.RetrySourceID != nil && perID[*last.RetrySourceID] != nil {
			last = perID[*last.RetrySourceID]
			continue
		}
		var before *domain.JobView
		for _, on := range p.before[last.StepID] {
			if j := p.latestOf(on); j != nil && (before == nil || endOf(j).After(*endOf(before))) {
				before = j
			}
		}
		last = before
	}
	return path
}
