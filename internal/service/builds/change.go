package builds

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// change is a build that a transaction changes: what was loaded of it so far, and what is to be stored. It is the graph
// that the machine asks. Only what a change reaches is loaded, unless loadAll or a batch has loaded more before.
type change struct {
	tx     store.Tx
	now    time.Time // the database's
	before domain.Build
	build  domain.Build

	steps   map[string]*stepChange
	edgesOn map[string][]*flow.Edge
	edges   map[*flow.Edge]*edgeChange
	jobs    map[string]*jobChange
	jobsOf  map[string][]*flow.Job
	isWhole bool // all steps, dependencies and newest jobs are loaded
	machine flow.Machine
	applied int   // changes of the machine that are in the jobs already
	err     error // of loading something

	isNew bool

	userID   domain.UserID // who changes it; "": nobody, or an agent
	effects  *core.Effects
	groups   map[domain.ConcurrencyGroupID]bool // in which a slot may be free now, or wanted
	events   []domain.JobEvent
	tasks    []store.Task
	waits    []store.QueueWait
	releases []store.AgentRelease
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

// openBuild locks a build to change it.
func openBuild(tx store.Tx, id domain.BuildID, user domain.UserID, e *core.Effects) (*change, error) {
	b, found, err := tx.LockBuild(id)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, core.ErrNoBuild
	}
	now, err := tx.Now()
	if err != nil {
		return nil, err
	}
	return changeOf(tx, b, now, user, e), nil
}

func changeOf(tx store.Tx, b domain.Build, now time.Time, user domain.UserID, e *core.Effects) *change {
	c := &change{tx: tx, now: now.Truncate(time.Millisecond), before: b, build: b, userID: user, effects: e,
		steps: map[string]*stepChange{}, edgesOn: map[string][]*flow.Edge{}, edges: map[*flow.Edge]*edgeChange{},
		jobs: map[string]*jobChange{}, jobsOf: map[string][]*flow.Job{}, groups: map[domain.ConcurrencyGroupID]bool{}}
	c.machine = flow.Machine{Graph: c, Counts: &c.build.Counts}
	return c
}

// fail records the first error of loading something. The machine goes on with nothing, and save returns the error.
func (c *change) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// loadAll loads all steps, dependencies and newest jobs of the build, for a change of many of them, and returns the
// jobs that have not ended, in their order.
func (c *change) loadAll() ([]*jobChange, error) {
	rows, err := c.tx.StepsOf(c.build.ID)
	if err != nil {
		return nil, err
	}
	for _, s := range rows {
		c.addStep(s)
	}
	dependencies, err := c.tx.DependenciesOf(c.build.ID)
	if err != nil {
		return nil, err
	}
	c.addEdges(slices.Collect(maps.Keys(c.steps)), dependencies)
	jobs, err := c.tx.NewestJobsOfBuild(c.build.ID)
	if err != nil {
		return nil, err
	}
	c.addJobsOf(slices.Collect(maps.Keys(c.steps)), jobs)
	c.isWhole = true
	return c.openJobs(jobs), nil
}

// openJobs returns those of the jobs that have not ended.
func (c *change) openJobs(jobs []domain.Job) (open []*jobChange) {
	for _, row := range jobs {
		if j := c.addJob(row, false); !j.node.State.HasEnded() {
			open = append(open, j)
		}
	}
	return open
}

// addStep returns a step that is loaded, or adds it.
func (c *change) addStep(s domain.Step) *stepChange {
	if loaded, ok := c.steps[string(s.ID)]; ok {
		return loaded
	}
	loaded := &stepChange{before: s, now: s}
	c.steps[string(s.ID)] = loaded
	return loaded
}

// Step is what the machine knows of a step.
func (c *change) Step(id string) *flow.Step {
	if s, ok := c.steps[id]; ok {
		return &s.now.Counters
	}
	s, found, err := c.tx.Step(domain.StepID(id))
	if err == nil && !found {
		err = errors.New("a step that others name is missing: " + id)
	}
	if err != nil {
		c.fail(err)
		s = domain.Step{ID: domain.StepID(id), Counters: flow.Step{ID: id}}
	}
	return &c.addStep(s).now.Counters
}

// stepRow returns a whole step.
func (c *change) stepRow(id domain.StepID) *domain.Step {
	c.Step(string(id))
	return &c.steps[string(id)].now
}

// EdgesOn returns who waits for a step.
func (c *change) EdgesOn(step string) []*flow.Edge {
	if _, ok := c.edgesOn[step]; !ok {
		all, err := c.tx.DependenciesOn([]domain.StepID{domain.StepID(step)})
		c.fail(err)
		c.addEdges([]string{step}, all)
	}
	return c.edgesOn[step]
}

// addEdges adds all dependencies on some steps, of which none was loaded.
func (c *change) addEdges(steps []string, all []domain.StepDependency) {
	added := map[string]bool{}
	for _, id := range steps {
		if _, loaded := c.edgesOn[id]; !loaded {
			c.edgesOn[id], added[id] = []*flow.Edge{}, true
		}
	}
	for _, d := range all {
		if added[d.Edge.On] {
			c.edgesOn[d.Edge.On] = append(c.edgesOn[d.Edge.On], c.addEdge(d, false))
		}
	}
}

// addEdge returns the machine's part of a dependency.
func (c *change) addEdge(d domain.StepDependency, isNew bool) *flow.Edge {
	added := &edgeChange{before: d, now: d, isNew: isNew}
	c.edges[&added.now.Edge] = added
	return &added.now.Edge
}

// EdgesOnNothing returns open edges for keys that no step has.
func (c *change) EdgesOnNothing() []*flow.Edge {
	const key = "" // no step has it
	if _, loaded := c.edgesOn[key]; !loaded {
		all, err := c.tx.DependenciesOnNothing(c.build.ID)
		c.fail(err)
		c.edgesOn[key] = []*flow.Edge{}
		for _, d := range all {
			c.edgesOn[key] = append(c.edgesOn[key], c.addEdge(d, false))
		}
	}
	var open []*flow.Edge
	for _, e := range c.edgesOn[key] {
		if e.On == "" && e.State == flow.EdgeOpen {
			open = append(open, e)
		}
	}
	for e, added := range c.edges {
		if added.isNew && e.On == "" && e.State == flow.EdgeOpen {
			open = append(open, e)
		}
	}
	return open
}

// JobsOf returns the newest attempts at a step's jobs.
func (c *change) JobsOf(step string) []*flow.Job {
	if _, ok := c.jobsOf[step]; !ok {
		all, err := c.tx.NewestJobsOfSteps([]domain.StepID{domain.StepID(step)})
		c.fail(err)
		c.addJobsOf([]string{step}, all)
	}
	return c.jobsOf[step]
}

// addJobsOf adds the newest attempts at the jobs of some steps.
func (c *change) addJobsOf(steps []string, all []domain.Job) {
	added := map[string]bool{}
	for _, id := range steps {
		if _, loaded := c.jobsOf[id]; !loaded {
			c.jobsOf[id], added[id] = []*flow.Job{}, true
		}
	}
	for _, row := range all {
		if id := string(row.StepID); added[id] {
			c.jobsOf[id] = append(c.jobsOf[id], &c.addJob(row, false).node)
		}
	}
}

// addJob returns the job that is loaded, or adds it.
func (c *change) addJob(j domain.Job, isNew bool) *jobChange {
	if loaded, ok := c.jobs[string(j.ID)]; ok {
		return loaded
	}
	added := &jobChange{before: j, now: j, isNew: isNew}
	added.node = flow.Job{ID: string(j.ID), Step: string(j.StepID), State: j.State, Outcome: j.Outcome,
		Promised:           j.PromiseCounts,
		InConcurrencyGroup: j.ConcurrencyGroupID != nil}
	c.jobs[string(j.ID)] = added
	return added
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
		return nil, core.ErrNoJob
	}
	return c.addJob(j, false), nil
}

// move changes a job, with an event other than the usual one if it is not "".
func (c *change) move(j *jobChange, to flow.JobState, outcome flow.Outcome, event flow.JobEvent) {
	j.event = event
	c.machine.Move(&j.node, to, outcome)
	c.apply()
	j.event = ""
}

// propagate does all that follows from the changes so far.
func (c *change) propagate() {
	c.machine.Settle()
	c.apply()
}

// apply brings the changes that the machine has made into the jobs. One that the table of transitions does not have
// fails the transaction.
func (c *change) apply() {
	for ; c.applied < len(c.machine.Changes); c.applied++ {
		made := c.machine.Changes[c.applied]
		if made.From != made.To && !flow.CanMove(made.From, made.To) {
			c.fail(fmt.Errorf("job %s: no transition leads from %s to %s", made.Job.ID, made.From, made.To))
			continue
		}
		j := c.jobs[made.Job.ID]
		j.now.State, j.now.Outcome, j.now.PromiseCounts = made.To, made.Job.Outcome, made.Job.Promised
		c.setTimes(j, made.From, made.To)
		event := j.event
		if usual := flow.Events(made.From, made.To); event == "" && len(usual) > 0 {
			event = usual[0]
		}
		c.record(j, event)
		if j.now.ConcurrencyGroupID != nil && (made.To == flow.Limiting || made.From.IsInLine() && !made.To.IsInLine()) {
			c.groups[*j.now.ConcurrencyGroupID] = true
		}
	}
}

// record records an event of a job.
func (c *change) record(j *jobChange, event flow.JobEvent) {
	if event != flow.EventNone {
		c.events = append(c.events, newEvent(&j.now, event, c.now, c.userID))
	}
}

// newEvent is an event of a job. User is who caused it; "": nobody, or an agent.
func newEvent(j *domain.Job, event flow.JobEvent, at time.Time, user domain.UserID) domain.JobEvent {
	e := domain.JobEvent{ID: domain.NewIDAt[string](at), JobID: j.ID, Type: event, At: at, AgentID: j.AgentID}
	if user != "" {
		e.UserID = &user
	}
	return e
}

// setTimes sets the times of a job that has changed its state, and collects who learns of it.
func (c *change) setTimes(j *jobChange, from, to flow.JobState) {
	job := &j.now
	if from == flow.Reserved {
		job.ReservedBy, job.ReservedUntil = nil, nil
	}
	switch to {
	case flow.Scheduled:
		job.RunnableAt = &c.now
		if job.QueueID != nil {
			c.effects.Queues[*job.QueueID] = true
		}
	case flow.Accepted:
		job.AcceptedAt = &c.now
	case flow.Running:
		c.setStarted(job)
	case flow.Canceling, flow.Canceled:
		if job.CanceledAt == nil {
			job.CanceledAt = &c.now
			j.setUser("canceled_by", c.userID)
		}
	case flow.Expired:
		job.ExpiredAt = &c.now
	case flow.Unblocked:
		job.UnblockedAt = &c.now
		j.setUser("unblocked_by", c.userID)
	}
	if !to.HasEnded() {
		job.FinishedAt = nil
		return
	}
	job.FinishedAt = &c.now
	job.Deadline, job.CancelGraceUntil = nil, nil
	if job.TokenHash != nil {
		until := c.now.Add(domain.JobTokenGrace)
		job.TokenUntil = &until
	}
	if from.HasAgent() && job.AgentID != nil {
		c.effects.HasLog = true
		c.effects.Agents[*job.AgentID] = true
		c.releases = append(c.releases, store.AgentRelease{Agent: *job.AgentID, Job: job.ID, At: &c.now,
			Passed: job.Outcome == flow.Passed})
	}
}

// setStarted sets the times of a job that starts.
func (c *change) setStarted(job *domain.Job) {
	job.StartedAt = &c.now
	switch {
	case job.Kind == steps.Trigger:
		job.RunnableAt = &c.now
		c.addTask(store.Task{Kind: store.TaskTrigger, Build: c.build.ID, Job: job.ID})
		return
	case job.Timeout != nil:
		deadline := c.now.Add(time.Duration(min(*job.Timeout, domain.MaxTimeout)) * time.Minute)
		job.Deadline = &deadline
	}
	if job.QueueID != nil && job.RunnableAt != nil {
		c.waits = append(c.waits, store.QueueWait{Queue: *job.QueueID, Job: job.ID, StartedAt: c.now,
			Wait: c.now.Sub(*job.RunnableAt)})
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

// addTask adds what is done in a transaction of its own.
func (c *change) addTask(t store.Task) {
	t.ID = domain.NewIDAt[string](c.now)
	c.tasks = append(c.tasks, t)
	c.effects.HasTask = true
}

// save stores what has changed, and what follows for the state of the build and for the jobs that wait for a slot.
func (c *change) save() error { return saveAll(c.tx, []*change{c}) }

// saveAll is save for several builds at once, in as few statements as for one.
func saveAll(tx store.Tx, all []*change) error {
	groups := map[domain.ConcurrencyGroupID]*change{}
	for _, c := range all {
		if err := c.finish(); err != nil {
			return err
		}
		for group := range c.groups {
			groups[group] = c
		}
	}
	if err := storeAll(tx, all); err != nil {
		return err
	}
	for _, group := range sortedKeys(groups) {
		if err := releaseGroup(tx, group, groups[group].now, groups[group].effects); err != nil {
			return err
		}
	}
	return nil
}

// finish does what follows for the build, and collects who learns of it. It returns an error if something could not be
// loaded.
func (c *change) finish() error {
	c.cancelIfFailing()
	c.updateState()
	c.fail(c.publishEvents())
	c.effects.Builds[c.build.ID] = true
	if c.build.State != c.before.State {
		c.effects.Pipelines[c.build.PipelineID] = c.build.OrganizationID
	}
	if c.changesFleet() {
		c.effects.Fleets[c.build.OrganizationID] = true
	}
	return c.err
}

// storeAll stores the rows that have changed: new ones first, then those of jobs, agents, steps and builds, each kind
// in one go.
func storeAll(tx store.Tx, all []*change) error {
	var rows store.BuildRowChanges
	for _, c := range all {
		for _, id := range sortedKeys(c.steps) {
			if s := c.steps[id]; s.isNew {
				rows.NewSteps = append(rows.NewSteps, s.now)
			} else {
				rows.Steps = append(rows.Steps, store.StepChange{Before: &s.before, Now: &s.now})
			}
		}
		for _, id := range sortedKeys(c.jobs) {
			if j := c.jobs[id]; j.isNew {
				rows.NewJobs = append(rows.NewJobs, j.now)
			} else {
				rows.Jobs = append(rows.Jobs, store.JobChange{Before: &j.before, Now: &j.now, Users: j.users})
			}
		}
		for _, e := range c.edges {
			if e.isNew {
				rows.NewDependencies = append(rows.NewDependencies, e.now)
			} else {
				rows.Dependencies = append(rows.Dependencies, store.DependencyChange{Before: &e.before, Now: &e.now})
			}
		}
		rows.Builds = append(rows.Builds, store.BuildChange{Before: &c.before, Now: &c.build})
		rows.Events = append(rows.Events, c.events...)
		rows.Waits = append(rows.Waits, c.waits...)
		rows.Releases = append(rows.Releases, c.releases...)
		rows.Tasks = append(rows.Tasks, c.tasks...)
		rows.TasksDue = db.Micros(c.now)
	}
	return tx.StoreBuildRows(rows)
}

// publishEvents writes notices of what changed in the build, for those who subscribe to it.
func (c *change) publishEvents() error {
	if c.effects.Events == nil || c.err != nil {
		return c.err
	}
	changed := core.BuildChange{Before: &c.before, Now: &c.build, IsNew: c.isNew, At: c.now}
	for _, id := range sortedKeys(c.jobs) {
		j := c.jobs[id]
		changed.Jobs = append(changed.Jobs, core.JobChange{Before: &j.before, Now: &j.now, IsNew: j.isNew})
	}
	noticed, err := c.effects.Events.BuildChanged(c.tx, changed)
	c.effects.HasNotice = c.effects.HasNotice || noticed
	return err
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
	state := flow.StateOf(c.build.Fate, c.build.Counts)
	if c.err != nil || state != flow.BuildFailing || c.before.State == flow.BuildFailing {
		return
	}
	rows, err := c.tx.StepsOf(c.build.ID)
	c.fail(err)
	if !slices.ContainsFunc(rows, func(s domain.Step) bool { return s.Definition.CancelOnBuildFailing }) {
		return
	}
	open, err := c.loadAll()
	c.fail(err)
	for _, j := range open {
		if !j.node.State.HasEnded() && j.now.Kind == steps.Command &&
			c.stepRow(j.now.StepID).Definition.CancelOnBuildFailing {
			c.cancel(j)
		}
	}
	c.propagate()
}

// cancel ends a job, or asks its agent to.
func (c *change) cancel(j *jobChange) {
	switch j.node.State {
	case flow.Running, flow.TimingOut:
		if j.now.Kind == steps.Trigger {
			c.move(j, flow.Canceling, "", "")
			c.endCanceled(j)
			return
		}
		c.move(j, flow.Canceling, "", "")
		if j.now.AgentID != nil {
			c.effects.Agents[*j.now.AgentID] = true
		}
	case flow.Canceling:
	default:
		if !j.node.State.HasEnded() {
			if j.now.AgentID != nil {
				c.effects.Agents[*j.now.AgentID] = true
			}
			c.endCanceled(j)
		}
	}
}

// endCanceled ends a job that is canceled and that no agent has to end.
func (c *change) endCanceled(j *jobChange) {
	outcome := flow.OutcomeOfCancel(j.now.SoftFail, c.build.Fate.Canceled)
	j.now.SoftFailed = outcome == flow.SoftFailed
	c.move(j, flow.Canceled, outcome, "")
}

// updateState finds the state of the build again, and sets when it began and ended.
func (c *change) updateState() {
	b := &c.build
	b.State = flow.StateOf(b.Fate, b.Counts)
	if b.State == flow.BuildBlocked && (c.before.State != flow.BuildBlocked ||
		c.before.Counts.HardFailed != b.Counts.HardFailed || c.changesBlocks()) {
		c.findBlockedState()
	}
	if b.FailingAt == nil && (b.State == flow.BuildFailing || b.State == flow.BuildBlocked && b.Counts.HardFailed > 0) {
		b.FailingAt = &c.now
	}
	if b.State == c.before.State {
		return
	}
	if b.StartedAt == nil && b.Counts.Started > 0 || c.before.State.HasEnded() && !b.State.HasEnded() &&
		b.Counts.Moving > 0 {
		b.StartedAt = &c.now
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

// findBlockedState finds how the state is shown that the build has while it waits for a person.
func (c *change) findBlockedState() {
	open, err := c.tx.OpenJobsOfBuild(c.build.ID)
	c.fail(err)
	for _, row := range open {
		c.addJob(row, false)
	}
	var first *domain.Job
	for _, j := range c.jobs {
		if j.now.Kind == steps.Block && j.node.State == flow.Blocked && (first == nil || isPlacedBefore(&j.now, first)) {
			first = &j.now
		}
	}
	declared := ""
	if first != nil {
		declared = c.stepRow(first.StepID).Definition.BlockedState
	}
	c.build.BlockedState = flow.BlockedStateOf(c.build.Counts, declared)
}

// isPlacedBefore says whether a job stands before another one in their build.
func isPlacedBefore(a, b *domain.Job) bool {
	return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.ID, b.ID)) < 0
}

// releaseGroup schedules the jobs of a concurrency group for which there is a slot. It reads whole only those, and
// those that have just come.
func releaseGroup(tx store.Tx, group domain.ConcurrencyGroupID, now time.Time, e *core.Effects) error {
	if err := tx.LockConcurrencyGroup(group); err != nil {
		return err
	}
	queued, err := tx.QueuedInGroup(group)
	if err != nil {
		return err
	}
	released := map[string]bool{}
	for _, id := range flow.Release(queued) {
		released[id] = true
	}
	var changing []string
	for _, q := range queued {
		if released[q.ID] || q.IsNew {
			changing = append(changing, q.ID)
		}
	}
	jobs, err := tx.LimitedJobs(changing)
	if err != nil {
		return err
	}
	before := slices.Clone(jobs)
	changes := make([]store.JobChange, len(jobs))
	var events []domain.JobEvent
	for i := range jobs {
		j := &jobs[i]
		changes[i] = store.JobChange{Before: &before[i], Now: j}
		if j.State == flow.Limiting {
			j.State = flow.Limited
			events = append(events, newEvent(j, flow.EventLimited, now, ""))
		}
		if released[string(j.ID)] {
			j.State, j.RunnableAt = flow.Scheduled, &now
			events = append(events, newEvent(j, flow.EventScheduled, now, ""))
			if j.QueueID != nil {
				e.Queues[*j.QueueID] = true
			}
		}
		e.Builds[j.BuildID] = true
	}
	if err := tx.UpdateJobs(changes); err != nil {
		return err
	}
	return tx.InsertJobEvents(events)
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
