package builds

import (
	"maps"
	"slices"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/store"
)

// buildGraph is what was loaded of a build so far, and what is to be stored of it. It is the graph that the machine
// asks. Only what a change reaches is loaded, unless loadAll or a batch has loaded more before.
type buildGraph struct {
	buildLoader

	steps   map[string]*stepChange
	edgesOn map[string][]*flow.Edge
	edges   map[*flow.Edge]*edgeChange
	jobs    map[string]*jobChange
	jobsOf  map[string][]*flow.Job
}

func newBuildGraph(tx store.Tx, id domain.BuildID) buildGraph {
	return buildGraph{buildLoader: buildLoader{tx: tx, buildID: id}, steps: map[string]*stepChange{},
		edgesOn: map[string][]*flow.Edge{}, edges: map[*flow.Edge]*edgeChange{}, jobs: map[string]*jobChange{},
		jobsOf: map[string][]*flow.Job{}}
}

type stepChange struct {
	before, now domain.Step
	isNew       bool
}

type edgeChange struct {
	before, now domain.StepDependency
	isNew       bool
}

type jobChange struct {
	before, now domain.Job
	node        flow.Job
	isNew       bool
	event       flow.JobEvent // of the change that is being made; "": the usual one
	users       map[string]domain.UserID
}

// loadAll loads all steps, dependencies and newest jobs of the build, for a change of many of them, and returns the
// jobs that have not ended, in their order.
func (g *buildGraph) loadAll() ([]*jobChange, error) {
	rows, err := g.tx.StepsOf(g.buildID)
	if err != nil {
		return nil, err
	}
	for _, s := range rows {
		g.addStep(s)
	}
	dependencies, err := g.tx.DependenciesOf(g.buildID)
	if err != nil {
		return nil, err
	}
	g.addEdges(slices.Collect(maps.Keys(g.steps)), dependencies)
	jobs, err := g.tx.NewestJobsOfBuild(g.buildID)
	if err != nil {
		return nil, err
	}
	g.addJobsOf(slices.Collect(maps.Keys(g.steps)), jobs)
	return g.openJobs(jobs), nil
}

// openJobs returns those of the jobs that have not ended.
func (g *buildGraph) openJobs(jobs []domain.Job) (open []*jobChange) {
	for _, row := range jobs {
		if j := g.addJob(row, false); !j.node.State.HasEnded() {
			open = append(open, j)
		}
	}
	return open
}

// addStep returns a step that is loaded, or adds it.
func (g *buildGraph) addStep(s domain.Step) *stepChange {
	if loaded, ok := g.steps[string(s.ID)]; ok {
		return loaded
	}
	loaded := &stepChange{before: s, now: s}
	g.steps[string(s.ID)] = loaded
	return loaded
}

// Step is what the machine knows of a step.
func (g *buildGraph) Step(id string) *flow.Step {
	if s, ok := g.steps[id]; ok {
		return &s.now.Counters
	}
	return &g.addStep(g.loadStep(id)).now.Counters
}

// stepRow returns a whole step.
func (g *buildGraph) stepRow(id domain.StepID) *domain.Step {
	g.Step(string(id))
	return &g.steps[string(id)].now
}

// EdgesOn returns who waits for a step.
func (g *buildGraph) EdgesOn(step string) []*flow.Edge {
	if _, ok := g.edgesOn[step]; !ok {
		g.addEdges([]string{step}, g.loadDependenciesOn(step))
	}
	return g.edgesOn[step]
}

// addEdges adds all dependencies on some steps, of which none was loaded.
func (g *buildGraph) addEdges(steps []string, all []domain.StepDependency) {
	added := map[string]bool{}
	for _, id := range steps {
		if _, loaded := g.edgesOn[id]; !loaded {
			g.edgesOn[id], added[id] = []*flow.Edge{}, true
		}
	}
	for _, d := range all {
		if added[d.Edge.On] {
			g.edgesOn[d.Edge.On] = append(g.edgesOn[d.Edge.On], g.addEdge(d, false))
		}
	}
}

// addEdge returns the machine's part of a dependency.
func (g *buildGraph) addEdge(d domain.StepDependency, isNew bool) *flow.Edge {
	added := &edgeChange{before: d, now: d, isNew: isNew}
	g.edges[&added.now.Edge] = added
	return &added.now.Edge
}

// EdgesOnNothing returns open edges for keys that no step has.
func (g *buildGraph) EdgesOnNothing() []*flow.Edge {
	const key = "" // no step has it
	if _, loaded := g.edgesOn[key]; !loaded {
		g.edgesOn[key] = []*flow.Edge{}
		for _, d := range g.loadDependenciesOnNothing() {
			g.edgesOn[key] = append(g.edgesOn[key], g.addEdge(d, false))
		}
	}
	var open []*flow.Edge
	for _, e := range g.edgesOn[key] {
		if e.On == "" && e.State == flow.EdgeOpen {
			open = append(open, e)
		}
	}
	for e, added := range g.edges {
		if added.isNew && e.On == "" && e.State == flow.EdgeOpen {
			open = append(open, e)
		}
	}
	return open
}

// JobsOf returns the newest attempts at a step's jobs.
func (g *buildGraph) JobsOf(step string) []*flow.Job {
	if _, ok := g.jobsOf[step]; !ok {
		g.addJobsOf([]string{step}, g.loadNewestJobs(step))
	}
	return g.jobsOf[step]
}

// addJobsOf adds the newest attempts at the jobs of some steps.
func (g *buildGraph) addJobsOf(steps []string, all []domain.Job) {
	added := map[string]bool{}
	for _, id := range steps {
		if _, loaded := g.jobsOf[id]; !loaded {
			g.jobsOf[id], added[id] = []*flow.Job{}, true
		}
	}
	for _, row := range all {
		if id := string(row.StepID); added[id] {
			g.jobsOf[id] = append(g.jobsOf[id], &g.addJob(row, false).node)
		}
	}
}

// addJob returns the job that is loaded, or adds it.
func (g *buildGraph) addJob(j domain.Job, isNew bool) *jobChange {
	if loaded, ok := g.jobs[string(j.ID)]; ok {
		return loaded
	}
	added := &jobChange{before: j, now: j, isNew: isNew}
	added.node = flow.Job{ID: string(j.ID), Step: string(j.StepID), State: j.State, Outcome: j.Outcome,
		Promised:           j.PromiseCounts,
		InConcurrencyGroup: j.ConcurrencyGroupID != nil}
	g.jobs[string(j.ID)] = added
	return added
}

// job loads a job of the build. It returns NotFound if the build has none with that id.
func (g *buildGraph) job(id domain.JobID) (*jobChange, error) {
	if loaded, ok := g.jobs[string(id)]; ok {
		return loaded, nil
	}
	j, err := g.loadJob(id)
	if err != nil {
		return nil, err
	}
	return g.addJob(j, false), nil
}
