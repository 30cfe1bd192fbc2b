package builds

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// change is a unit of work: a build that a transaction changes as the machine says, with all that follows from it.
type change struct {
	buildGraph
	now    time.Time // the database's
	before domain.Build
	build  domain.Build

	machine flow.Machine
	applied int // changes of the machine that are in the jobs already

	isNew bool

	userID   domain.UserID // who changes it; "": nobody, or an agent
	effects  *core.Effects
	groups   map[domain.ConcurrencyGroupID]bool // in which a slot may be free now, or wanted
	events   []domain.JobEvent
	tasks    []store.Task
	waits    []store.QueueWait
	releases []store.AgentRelease
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
	c := &change{buildGraph: newBuildGraph(tx, b.ID), now: now.Truncate(time.Millisecond), before: b, build: b,
		userID: user, effects: e, groups: map[domain.ConcurrencyGroupID]bool{}}
	c.machine = flow.Machine{Graph: &c.buildGraph, Counts: &c.build.Counts}
	return c
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
	c.machine.Propagate()
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
	e := domain.JobEvent{JobID: j.ID, Type: event, At: at, AgentID: j.AgentID}
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
