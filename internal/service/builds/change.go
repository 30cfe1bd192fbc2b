package builds

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/domain/builds"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// change is a build that a transaction changes: what was loaded of it so far, and what is to be stored. Only what a change reaches is loaded.
type change struct {
	tx     store.Tx
	now    time.Time // the database's
	before domain.Build
	build  domain.Build

	steps   map[string]*stepChange
	edgesOn map[string][]*builds.Edge
	edges   map[*builds.Edge]*edgeChange
	jobs    map[string]*jobChange
	jobsOf  map[string][]*builds.Job
	machine builds.Machine
	applied int   // changes of the machine that are in the jobs already
	err     error // of loading something

	replaced map[domain.StepID]bool // steps of which nothing is left, since an upload replaces them

	userID  domain.UserID // who changes it; "": nobody, or an agent
	effects *effects
	groups  map[domain.ConcurrencyGroupID]bool // in which a slot may be free now, or wanted
	events  []domain.JobEvent
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
	node        builds.Job
	isNew       bool
	event       builds.JobEvent // of the change that is being made; "": the usual one
	users       map[string]domain.UserID
}

// effects is what others are to be told once a transaction is durable.
type effects struct {
	queues  map[domain.QueueID]bool // that have a job for an agent now
	agents  map[domain.AgentID]bool // who have something to hear
	builds  map[domain.BuildID]bool // that have changed
	hasTask bool
	hasLog  bool // a job has ended that may have one

	pipelines map[domain.PipelineID]domain.OrganizationID // that have a new build, or one in another state
	fleets    map[domain.OrganizationID]bool              // whose agents have changed, or what waits for them
}

func newEffects() *effects {
	return &effects{queues: map[domain.QueueID]bool{}, agents: map[domain.AgentID]bool{}, builds: map[domain.BuildID]bool{},
		pipelines: map[domain.PipelineID]domain.OrganizationID{}, fleets: map[domain.OrganizationID]bool{}}
}

var errNoBuild = domain.Missing("build")

// openBuild locks a build to change it.
func openBuild(tx store.Tx, id domain.BuildID, user domain.UserID, e *effects) (*change, error) {
	b, found, err := tx.LockBuild(id)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errNoBuild
	}
	now, err := tx.Now()
	if err != nil {
		return nil, err
	}
	return changeOf(tx, b, now, user, e), nil
}

func changeOf(tx store.Tx, b domain.Build, now time.Time, user domain.UserID, e *effects) *change {
	c := &change{tx: tx, now: now.Truncate(time.Millisecond), before: b, build: b, userID: user, effects: e,
		steps: map[string]*stepChange{}, edgesOn: map[string][]*builds.Edge{}, edges: map[*builds.Edge]*edgeChange{},
		jobs: map[string]*jobChange{}, jobsOf: map[string][]*builds.Job{}, groups: map[domain.ConcurrencyGroupID]bool{}}
	c.machine = builds.Machine{Graph: c, Counts: &c.build.Counts}
	return c
}

// note keeps the first error of loading something. The machine goes on with nothing, and save refuses.
func (c *change) note(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Step is what the machine knows of a step.
func (c *change) Step(id string) *builds.Step {
	if s, ok := c.steps[id]; ok {
		return &s.now.Figures
	}
	s, found, err := c.tx.Step(domain.StepID(id))
	if err == nil && !found {
		err = errors.New("a step that others name is missing: " + id)
	}
	if err != nil {
		c.note(err)
		s.Figures = builds.Step{ID: id}
	}
	loaded := &stepChange{before: s, now: s}
	c.steps[id] = loaded
	return &loaded.now.Figures
}

// stepRow returns a whole step.
func (c *change) stepRow(id domain.StepID) *domain.Step {
	c.Step(string(id))
	return &c.steps[string(id)].now
}

// EdgesOn returns who waits for a step.
func (c *change) EdgesOn(step string) []*builds.Edge {
	if loaded, ok := c.edgesOn[step]; ok {
		return loaded
	}
	all, err := c.tx.DependenciesOn(domain.StepID(step))
	c.note(err)
	edges := make([]*builds.Edge, 0, len(all))
	for _, d := range all {
		edges = append(edges, c.keepEdge(d, false))
	}
	c.edgesOn[step] = edges
	return edges
}

// keepEdge returns the machine's part of a dependency.
func (c *change) keepEdge(d domain.StepDependency, isNew bool) *builds.Edge {
	kept := &edgeChange{before: d, now: d, isNew: isNew}
	c.edges[&kept.now.Edge] = kept
	return &kept.now.Edge
}

// EdgesOnNothing returns open edges for keys that no step has.
func (c *change) EdgesOnNothing() []*builds.Edge {
	const key = "" // no step has it
	if _, loaded := c.edgesOn[key]; !loaded {
		all, err := c.tx.DependenciesOnNothing(c.build.ID)
		c.note(err)
		for _, d := range all {
			c.edgesOn[key] = append(c.edgesOn[key], c.keepEdge(d, false))
		}
		if c.edgesOn[key] == nil {
			c.edgesOn[key] = []*builds.Edge{}
		}
	}
	var open []*builds.Edge
	for _, e := range c.edgesOn[key] {
		if e.On == "" && e.State == builds.EdgeOpen {
			open = append(open, e)
		}
	}
	for e, kept := range c.edges {
		if kept.isNew && e.On == "" && e.State == builds.EdgeOpen {
			open = append(open, e)
		}
	}
	return open
}

// JobsOf returns the newest attempts at a step's jobs.
func (c *change) JobsOf(step string) []*builds.Job {
	if loaded, ok := c.jobsOf[step]; ok {
		return loaded
	}
	all, err := c.tx.NewestJobsOfStep(domain.StepID(step))
	c.note(err)
	nodes := make([]*builds.Job, 0, len(all))
	for _, j := range all {
		nodes = append(nodes, &c.keepJob(j, false).node)
	}
	c.jobsOf[step] = nodes
	return nodes
}

// keepJob returns the job that is loaded, or keeps it.
func (c *change) keepJob(j domain.Job, isNew bool) *jobChange {
	if loaded, ok := c.jobs[string(j.ID)]; ok {
		return loaded
	}
	kept := &jobChange{before: j, now: j, isNew: isNew}
	kept.node = builds.Job{ID: string(j.ID), Step: string(j.StepID), State: j.State, Outcome: j.Outcome, Promised: j.PromiseCounts,
		InConcurrencyGroup: j.ConcurrencyGroupID != nil}
	c.jobs[string(j.ID)] = kept
	return kept
}

// job loads a job of the build. It returns NotFound if the build has none with that id.
func (c *change) job(id domain.JobID) (*jobChange, error) {
	if loaded, ok := c.jobs[string(id)]; ok {
		return loaded, nil
	}
	j, found, err := c.tx.JobForUpdate(id)
	if err != nil {
		return nil, err
	}
	if !found || j.BuildID != c.build.ID {
		return nil, errNoJob
	}
	return c.keepJob(j, false), nil
}

var errNoJob = domain.NewError(domain.NotFound, "No job found")

// move changes a job, with an event other than the usual one if it is not "".
func (c *change) move(j *jobChange, to builds.JobState, outcome builds.Outcome, event builds.JobEvent) {
	j.event = event
	c.machine.Move(&j.node, to, outcome)
	c.apply()
	j.event = ""
}

// settle does all that follows from the changes so far.
func (c *change) settle() {
	c.machine.Settle()
	c.apply()
}

// apply brings the changes that the machine has made into the jobs.
func (c *change) apply() {
	for ; c.applied < len(c.machine.Changes); c.applied++ {
		made := c.machine.Changes[c.applied]
		j := c.jobs[made.Job.ID]
		j.now.State, j.now.Outcome, j.now.PromiseCounts = made.To, made.Job.Outcome, made.Job.Promised
		c.stamp(j, made.From, made.To)
		event := j.event
		if usual := builds.Events(made.From, made.To); event == "" && len(usual) > 0 {
			event = usual[0]
		}
		c.record(j, event)
		if j.now.ConcurrencyGroupID != nil && (made.To == builds.Limiting || made.From.IsInLine() && !made.To.IsInLine()) {
			c.groups[*j.now.ConcurrencyGroupID] = true
		}
	}
}

// record notes an event of a job.
func (c *change) record(j *jobChange, event builds.JobEvent) {
	if event == builds.EventNone {
		return
	}
	e := domain.JobEvent{ID: domain.NewIDAt[string](c.now), JobID: j.now.ID, Type: event, At: c.now, AgentID: j.now.AgentID}
	if c.userID != "" {
		e.UserID = &c.userID
	}
	c.events = append(c.events, e)
}

// stamp notes the time of a change in a job, and who is to be told of it.
func (c *change) stamp(j *jobChange, from, to builds.JobState) {
	job := &j.now
	switch to {
	case builds.Scheduled:
		job.RunnableAt = &c.now
		if job.QueueID != nil {
			c.effects.queues[*job.QueueID] = true
		}
	case builds.Running:
		job.StartedAt = &c.now
		if job.Kind == steps.Trigger {
			job.RunnableAt = &c.now
			c.addTask(store.Task{Kind: store.TaskTrigger, Build: c.build.ID, Job: job.ID})
		} else if job.Timeout != nil {
			deadline := c.now.Add(time.Duration(min(*job.Timeout, domain.MaxTimeout)) * time.Minute)
			job.Deadline = &deadline
		}
	case builds.Canceling, builds.Canceled:
		if job.CanceledAt == nil {
			job.CanceledAt = &c.now
			j.setUser("canceled_by", c.userID)
		}
	case builds.Expired:
		job.ExpiredAt = &c.now
	case builds.Unblocked:
		job.UnblockedAt = &c.now
		j.setUser("unblocked_by", c.userID)
	}
	if to.HasEnded() {
		job.FinishedAt = &c.now
		job.Deadline, job.CancelGraceUntil = nil, nil
		if job.TokenHash != nil {
			until := c.now.Add(domain.JobTokenGrace)
			job.TokenUntil = &until
		}
		if from.HasAgent() && job.AgentID != nil {
			c.effects.hasLog = true
			c.effects.agents[*job.AgentID] = true
			c.note(c.tx.NoteAgentJob(*job.AgentID, c.now, job.Outcome == builds.Passed))
		}
	} else {
		job.FinishedAt = nil
	}
}

func (j *jobChange) setUser(column string, user domain.UserID) {
	if user == "" {
		return
	}
	if j.users == nil {
		j.users = map[string]domain.UserID{}
	}
	j.users[column] = user
}

// addTask notes what is to be done in a transaction of its own.
func (c *change) addTask(t store.Task) {
	t.ID = domain.NewIDAt[string](c.now)
	c.note(c.tx.InsertTask(t, db.Micros(c.now)))
	c.effects.hasTask = true
}

// save stores what has changed, and what follows for the state of the build and for the jobs that wait for a slot.
func (c *change) save() error {
	c.cancelIfFailing()
	c.updateState()
	if c.err != nil {
		return c.err
	}
	for _, s := range c.steps {
		if s.isNew {
			c.note(c.tx.InsertStep(s.now))
		} else {
			c.note(c.tx.UpdateStep(&s.before, &s.now))
		}
	}
	for _, j := range c.jobs {
		if j.isNew {
			c.note(c.tx.InsertJob(j.now))
		} else {
			c.note(c.tx.UpdateJob(&j.before, &j.now, j.users))
		}
	}
	for _, e := range c.edges {
		if e.isNew {
			c.note(c.tx.InsertDependency(e.now))
		} else {
			c.note(c.tx.UpdateDependency(&e.before, &e.now))
		}
	}
	for _, e := range c.events {
		c.note(c.tx.InsertJobEvent(e))
	}
	c.note(c.tx.UpdateBuild(&c.before, &c.build))
	c.effects.builds[c.build.ID] = true
	if c.build.State != c.before.State {
		c.effects.pipelines[c.build.PipelineID] = c.build.OrganizationID
	}
	if c.changesFleet() {
		c.effects.fleets[c.build.OrganizationID] = true
	}
	if c.err != nil {
		return c.err
	}
	for _, group := range sortedKeys(c.groups) {
		if err := releaseGroup(c.tx, group, c.now, c.effects); err != nil {
			return err
		}
	}
	return nil
}

// changesFleet says whether an agent has come to a job or from one, or a job waits for an agent or ceases to.
func (c *change) changesFleet() bool {
	for _, j := range c.jobs {
		if j.now.QueueID != nil && (j.isNew || j.before.State != j.now.State) {
			return true
		}
	}
	return false
}

// cancelIfFailing cancels the jobs that are not wanted in a build that fails.
func (c *change) cancelIfFailing() {
	state := builds.StateOf(c.build.Fate, c.build.Counts)
	if c.err != nil || state != builds.BuildFailing || c.before.State == builds.BuildFailing {
		return
	}
	open, err := c.tx.OpenJobsOfBuild(c.build.ID)
	c.note(err)
	for _, row := range open {
		j := c.keepJob(row, false)
		if !j.now.State.HasEnded() && j.now.Kind == steps.Command && c.stepRow(j.now.StepID).Definition.CancelOnBuildFailing {
			c.cancel(j)
		}
	}
	c.settle()
}

// cancel ends a job, or asks its agent to.
func (c *change) cancel(j *jobChange) {
	switch j.node.State {
	case builds.Running, builds.TimingOut:
		if j.now.Kind == steps.Trigger {
			c.move(j, builds.Canceling, "", "")
			c.move(j, builds.Canceled, builds.Errored, "")
			return
		}
		c.move(j, builds.Canceling, "", "")
		if j.now.AgentID != nil {
			c.effects.agents[*j.now.AgentID] = true
		}
	case builds.Canceling:
	default:
		if !j.node.State.HasEnded() {
			if j.now.AgentID != nil {
				c.effects.agents[*j.now.AgentID] = true
			}
			c.move(j, builds.Canceled, builds.Errored, "")
		}
	}
}

// updateState finds the state of the build anew, and notes when it began and ended.
func (c *change) updateState() {
	b := &c.build
	b.State = builds.StateOf(b.Fate, b.Counts)
	if b.State == builds.BuildBlocked && (c.before.State != builds.BuildBlocked || c.changesBlocks()) {
		c.findBlockedState()
	}
	if b.State == c.before.State {
		return
	}
	if b.StartedAt == nil && b.Counts.Started > 0 || c.before.State.HasEnded() && !b.State.HasEnded() && b.Counts.Moving > 0 {
		b.StartedAt = &c.now
	}
	if b.State == builds.BuildFailing && b.FailingAt == nil {
		b.FailingAt = &c.now
	}
	if b.State.HasEnded() {
		b.FinishedAt = &c.now
		if b.TriggeredFromID != nil {
			c.addTask(store.Task{Kind: store.TaskTellParent, Build: b.ID, Job: *b.TriggeredFromID})
		}
	} else {
		b.FinishedAt = nil
	}
}

// changesBlocks says whether a block has begun or ceased to wait for a person.
func (c *change) changesBlocks() bool {
	for _, j := range c.jobs {
		if j.now.Kind == steps.Block && (j.isNew || j.before.State != j.node.State) {
			return true
		}
	}
	return false
}

// findBlockedState notes how the state is shown that the build has while it waits for a person: as the first open block says.
func (c *change) findBlockedState() {
	open, err := c.tx.OpenJobsOfBuild(c.build.ID)
	c.note(err)
	for _, row := range open {
		c.keepJob(row, false)
	}
	var first *domain.Job
	for _, j := range c.jobs {
		if j.now.Kind == steps.Block && j.node.State == builds.Blocked && (first == nil || isPlacedBefore(&j.now, first)) {
			first = &j.now
		}
	}
	c.build.BlockedState = string(builds.BuildPassed)
	if first != nil {
		c.build.BlockedState = c.stepRow(first.StepID).Definition.BlockedState
	}
}

// isPlacedBefore says whether a job stands before another one in their build.
func isPlacedBefore(a, b *domain.Job) bool {
	return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID)) < 0
}

// releaseGroup lets the jobs of a concurrency group go for which there is a slot.
func releaseGroup(tx store.Tx, group domain.ConcurrencyGroupID, now time.Time, e *effects) error {
	if err := tx.LockConcurrencyGroup(group); err != nil {
		return err
	}
	queued, err := tx.QueuedInGroup(group)
	if err != nil {
		return err
	}
	released := map[string]bool{}
	for _, id := range builds.Release(queued) {
		released[id] = true
	}
	waiting := make([]string, 0, len(queued))
	for _, q := range queued {
		if !q.Holds && !q.Waits {
			waiting = append(waiting, q.ID)
		}
	}
	jobs, err := tx.LimitedJobs(waiting)
	if err != nil {
		return err
	}
	for i := range jobs {
		before, j := jobs[i], jobs[i]
		var events []builds.JobEvent
		if j.State == builds.Limiting {
			j.State = builds.Limited
			events = append(events, builds.EventLimited)
		}
		if released[string(j.ID)] {
			j.State, j.RunnableAt = builds.Scheduled, &now
			events = append(events, builds.EventScheduled)
			if j.QueueID != nil {
				e.queues[*j.QueueID] = true
			}
		}
		if err := tx.UpdateJob(&before, &j, nil); err != nil {
			return err
		}
		for _, event := range events {
			if err := tx.InsertJobEvent(domain.JobEvent{ID: domain.NewIDAt[string](now), JobID: j.ID, Type: event, At: now}); err != nil {
				return err
			}
		}
		e.builds[j.BuildID] = true
	}
	return nil
}

func sortedKeys[K ~string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
