package builds

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// offerAgain returns the job that an agent has and has not started, as the answer may have been lost. One that it
// accepted several times and could not start is left to others.
func (s *Service) offerAgain(ctx context.Context, actor authz.Actor) (offered domain.JobID, err error) {
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		offered = ""
		agent, err := s.core.AgentSession(tx, actor)
		if err != nil {
			return err
		}
		has, _, err := tx.JobWithAgent(agent.Agent)
		switch {
		case err != nil:
			return err
		case has.State == flow.Assigned:
			offered = has.ID
			return nil
		case has.State != flow.Accepted:
			return nil
		}
		offers := nextOffer(&agent, has.ID)
		if offers > domain.MaxOffers {
			return nil
		}
		offered = has.ID
		return tx.StoreAgentOffer(agent.Agent, has.ID, offers)
	})
	return offered, err
}

// candidates are the jobs of a queue that wait for an agent, as far as they may be chosen now.
type candidates struct {
	tx     store.Tx
	now    time.Time
	queue  domain.QueueID
	sets   []store.RuleSet
	jobs   map[string][]store.ReadyJob // per key of rules
	taken  map[domain.JobID]bool
	agents int // that jobs are chosen for
}

// findCandidates reads which rules the jobs have that wait in a queue.
func findCandidates(tx store.Tx, queue domain.QueueID, now time.Time, agents int) (*candidates, error) {
	sets, err := tx.ReadyRuleSets(queue)
	return &candidates{tx: tx, now: now, queue: queue, sets: sets, jobs: map[string][]store.ReadyJob{},
		taken: map[domain.JobID]bool{}, agents: agents}, err
}

// choose returns the first job that an agent may run; nil if there is none. It is not chosen again.
func (c *candidates) choose(agent *store.AgentSession) (*store.ReadyJob, error) {
	var first *store.ReadyJob
	for _, set := range c.sets {
		if !flow.MeetsRules(agent.Tags, set.Rules) {
			continue
		}
		j, err := c.chooseOfRules(agent, set.Key)
		if err != nil {
			return nil, err
		}
		if j != nil && (first == nil || isBefore(j, first)) {
			first = j
		}
	}
	if first != nil {
		c.taken[first.ID] = true
	}
	return first, nil
}

// maxCandidates is how many jobs with the same rules are looked at for agents that leave the first ones to others.
const maxCandidates = 512

// chooseOfRules returns the first job with the same rules that the agent does not leave to others.
func (c *candidates) chooseOfRules(agent *store.AgentSession, key string) (*store.ReadyJob, error) {
	for {
		jobs, loaded := c.jobs[key]
		for i := range jobs {
			if c.taken[jobs[i].ID] {
				continue
			}
			skips, err := c.skips(agent, &jobs[i])
			if err != nil {
				return nil, err
			}
			if !skips {
				return &jobs[i], nil
			}
		}
		limit := max(c.agents+1, 4*len(jobs))
		if loaded && len(jobs) < limit/4 || len(jobs) >= maxCandidates {
			return nil, nil
		}
		more, err := c.tx.ReadyJobs(c.queue, key, limit)
		if err != nil {
			return nil, err
		}
		if loaded && len(more) <= len(jobs) {
			return nil, nil
		}
		c.jobs[key] = more
		if len(more) == 0 {
			return nil, nil
		}
	}
}

// isBefore says whether a job is assigned before another one.
func isBefore(a, b *store.ReadyJob) bool {
	return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.ScheduledAt, b.ScheduledAt),
		cmp.Compare(a.UploadIndex, b.UploadIndex),
		cmp.Compare(a.ID, b.ID)) < 0
}

// preferDifferentFor is how long a retry waits for another agent than the one that its last attempt ran on.
const preferDifferentFor = 10 * time.Second

// skips reports whether an agent is not offered a job that it could run: it was offered it several times and did not
// begin, or another one should try first.
func (c *candidates) skips(agent *store.AgentSession, j *store.ReadyJob) (bool, error) {
	if agent.OfferedJobID != nil && *agent.OfferedJobID == j.ID && agent.Offers >= domain.MaxOffers {
		return true, nil
	}
	if j.AvoidsAgent == nil || *j.AvoidsAgent != agent.Agent || j.RunnableAt == nil ||
		c.now.Sub(*j.RunnableAt) > preferDifferentFor {
		return false, nil
	}
	return c.tx.HasOtherIdleAgent(c.queue, agent.Agent)
}

// JobForAgent is what an agent needs to run a job.
type JobForAgent struct {
	Job   domain.Job
	Step  domain.Step
	Env   map[string]string
	Token domain.Secret
}

// AcceptJob lets the agent begin with the job that is assigned to it. Again, the agent gets a new token, and the old
// one is void.
//
// Returns Invalid if the job is not the agent's.
func (s *Service) AcceptJob(ctx context.Context, actor authz.Actor, id string) (JobForAgent, error) {
	return core.Repeat(ctx, func() (JobForAgent, error) {
		return s.acceptJob(ctx, actor, id, func(agent domain.AgentID, j *domain.Job) error {
			if j.AgentID == nil || *j.AgentID != agent || j.State != flow.Assigned && j.State != flow.Accepted {
				return errNotAssigned
			}
			return nil
		})
	})
}

var errNotAssigned = domain.NewError(domain.Invalid, "This job is not assigned to this agent")

// AcquireJob lets an agent take a certain job, whatever its tags and its queue are.
//
// Returns Locked if the job waits for something else, and Invalid if it cannot be run any more.
func (s *Service) AcquireJob(ctx context.Context, actor authz.Actor, id string) (JobForAgent, error) {
	return s.acceptJob(ctx, actor, id, func(agent domain.AgentID, j *domain.Job) error {
		switch {
		case j.State == flow.Accepted && j.AgentID != nil && *j.AgentID == agent:
			return nil
		case j.State == flow.Scheduled || j.State == flow.Reserved:
			return nil
		case j.Kind == steps.Command && !j.State.HasEnded() && !j.State.HasAgent():
			return domain.NewError(domain.Locked, "Job "+string(j.ID)+" waits for something else first. Please retry.")
		}
		return domain.InvalidError("Job " + string(j.ID) + " is no longer eligible to be assigned an agent")
	})
}

// acceptJob makes a job the agent's own, if check allows it, and returns what the agent needs to run it.
func (s *Service) acceptJob(ctx context.Context, actor authz.Actor, id string,
	check func(domain.AgentID, *domain.Job) error) (accepted JobForAgent, _ error) {
	if err := core.RequireCredential(actor, authz.AgentSession); err != nil {
		return accepted, err
	}
	call := &agentCall{kind: acceptCall, ctx: ctx, actor: actor, job: core.LookupID[domain.JobID](id), accept: check,
		token: domain.NewTokenValue(domain.JobTokenKind)}
	if s.submit(call); call.err != nil {
		return accepted, call.err
	}
	if call.answer == nil {
		if err := s.readAnswers(ctx, []*agentCall{call}); err != nil {
			return accepted, err
		}
	}
	return *call.answer, nil
}

// changeJob runs fn with the caller's job and its build, and stores what it changes. The id is that in the call.
func (s *Service) changeJob(ctx context.Context, actor authz.Actor, id string,
	fn func(c *change, j *jobChange) error) error {
	if err := core.RequireCredential(actor, authz.JobToken); err != nil {
		return err
	}
	call := &agentCall{kind: changeCall, ctx: ctx, actor: actor, job: domain.JobID(id), change: fn}
	s.submit(call)
	return call.err
}

// StartJob records that the agent runs the job. Again, it changes nothing.
//
// Returns Invalid if the job cannot start any more: it was canceled, or taken away.
func (s *Service) StartJob(ctx context.Context, actor authz.Actor, id string) error {
	return s.repeatChange(ctx, actor, id, func(c *change, j *jobChange) error {
		switch j.now.State {
		case flow.Running, flow.Canceling, flow.TimingOut: // agents finish only what they could start
			return nil
		case flow.Accepted:
			c.move(j, flow.Running, "", "")
			c.propagate()
			return nil
		}
		state := string(flow.StateOf(c.build.Fate, c.build.Counts))
		return domain.InvalidError("This job can't be started while the build is in a `" + state + "` state.")
	})
}

// JobState returns the state of the caller's job. One that has ended has no good token any more: an agent that still
// runs it, since it was lost meanwhile, is to kill it.
func (s *Service) JobState(ctx context.Context, actor authz.Actor, id string) (state flow.JobState, err error) {
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) error {
		j, err := core.RequireTokenJob(tx, actor, id)
		if state = j.State; err == nil && state.HasEnded() {
			err = core.ErrUnauthenticatedProgram
		}
		return err
	})
	return state, err
}

// Finish is how the agent says that a job ended.
type Finish struct {
	ExitStatus        int64
	Signal            string
	SignalReason      string
	ChunksFailedCount int64
	IgnoreAgent       bool // it is not to be given jobs any more
}

const maxSignal = 200 // bytes

// FinishJob records how the job ended, and does all that follows. Again, it changes nothing.
func (s *Service) FinishJob(ctx context.Context, actor authz.Actor, id string, f Finish) error {
	return s.repeatChange(ctx, actor, id, func(c *change, j *jobChange) error {
		if j.now.State.HasEnded() {
			return nil
		}
		if max(len(f.Signal), len(f.SignalReason)) > maxSignal || !domain.ValidText(f.Signal) ||
			!domain.ValidText(f.SignalReason) {
			return domain.InvalidError("`signal` and `signal_reason` are invalid: they are valid text of at most " +
				strconv.Itoa(maxSignal) + " bytes")
		}
		if !j.now.State.HasAgent() || j.now.State == flow.Assigned || j.now.State == flow.Accepted {
			return domain.InvalidError("This job can't be finished, as it has not been started")
		}
		j.now.ChunksFailedCount = f.ChunksFailedCount
		if f.IgnoreAgent && j.now.AgentID != nil {
			if err := c.tx.IgnoreAgent(*j.now.AgentID); err != nil {
				return err
			}
		}
		c.end(j, ended{status: f.ExitStatus, signal: f.Signal, reason: f.SignalReason})
		return nil
	})
}

// ended is how a job ended.
type ended struct {
	status int64
	signal string
	reason string
	event  flow.JobEvent // "": the usual one
	gone   bool          // its agent is
}

// end ends a job that runs, and runs it again if its step says so.
func (c *change) end(j *jobChange, e ended) {
	state := map[flow.JobState]flow.JobState{
		flow.Scheduled: flow.Finished, flow.Reserved: flow.Finished, flow.Running: flow.Finished,
		flow.Canceling: flow.Canceled, flow.TimingOut: flow.TimedOut,
	}[j.now.State]
	definition := c.stepRow(j.now.StepID).Definition
	how := flow.JobEnd{State: state, SoftFail: j.now.SoftFail, Retry: definition.Retry,
		BuildCanceled: c.build.Fate.Canceled}
	how.ExitStatus, how.Signal, how.SignalReason = int(e.status), e.signal, e.reason
	if j.now.PromisedExitStatus != nil {
		how.Promised = int(*j.now.PromisedExitStatus)
	}
	how.Retries = j.now.RuleUses
	decided := flow.DecideEnd(how)
	status := int64(decided.ExitStatus)
	j.now.ExitStatus = &status
	j.now.Signal, j.now.SignalReason = optional(e.signal), optional(e.reason)
	j.now.SoftFailed = decided.SoftFailed()
	event := e.event
	if state != flow.Finished {
		event = ""
	}
	c.move(j, state, decided.Outcome, event)
	if decided.RetryRule >= 0 && c.build.JobsMade < domain.MaxJobsOfBuild {
		c.retry(j, domain.RetryAutomatic, decided.RetryRule)
	}
	c.propagate()
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// retry runs a job again that has ended. Rule is the automatic rule that says so, or -1.
func (c *change) retry(old *jobChange, how domain.RetryType, rule int) *jobChange {
	j := old.now
	attempt := domain.Job{
		ID: domain.NewIDAt[domain.JobID](c.now), OrganizationID: j.OrganizationID, PipelineID: j.PipelineID,
		BuildID: j.BuildID, StepID: j.StepID,
		ClusterID: j.ClusterID, QueueID: j.QueueID, QueueKey: j.QueueKey, Kind: j.Kind, Label: j.Label, Command: j.Command,
		AgentRules: j.AgentRules,
		RulesKey:   j.RulesKey, Position: j.Position, UploadIndex: j.UploadIndex, Matrix: j.Matrix, SoftFail: j.SoftFail,
		ParallelIndex: j.ParallelIndex,
		ParallelTotal: j.ParallelTotal, RetriesCount: j.RetriesCount + 1, RetrySourceID: &j.ID, RetryType: &how,
		RuleUses:           slices.Clone(j.RuleUses),
		ConcurrencyGroupID: j.ConcurrencyGroupID, ConcurrencyLimit: j.ConcurrencyLimit,
		ConcurrencyMethod: j.ConcurrencyMethod,
		CreatedAt:         c.now, QueuedAt: j.QueuedAt, State: flow.Pending, Priority: j.Priority, Timeout: j.Timeout,
		ScheduledAt: &c.now,
	}
	if rule >= 0 {
		for len(attempt.RuleUses) <= rule {
			attempt.RuleUses = append(attempt.RuleUses, 0)
		}
		attempt.RuleUses[rule]++
	}
	if attempt.QueueID == nil && attempt.ClusterID != nil { // the queue may have been made since
		if queue, found, err := c.tx.QueueOf(*attempt.ClusterID, attempt.QueueKey); err != nil {
			c.fail(err)
		} else if found {
			attempt.QueueID = &queue
		}
	}
	if j.AgentID != nil && attempt.QueueID != nil {
		if different, err := c.tx.PrefersDifferentAgents(*attempt.QueueID); err != nil {
			c.fail(err)
		} else if different {
			attempt.RetryAvoidsAgent = j.AgentID
		}
	}
	old.now.RetriedByID = &attempt.ID
	c.record(old, flow.EventRetried)
	c.build.JobsMade++
	made := c.addJob(attempt, true)
	nodes := c.JobsOf(string(j.StepID))
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n *flow.Job) bool { return n == &old.node || n == &made.node })
	c.jobsOf[string(j.StepID)] = append(nodes, &made.node)
	c.machine.Retry(&old.node, &made.node)
	return made
}

// requeue returns a job to the queue that its agent did not begin with.
func (c *change) requeue(j *jobChange, event flow.JobEvent) {
	c.move(j, flow.Scheduled, "", event)
	if j.now.AgentID != nil { // which may have another one
		c.effects.Agents[*j.now.AgentID] = true
		c.releases = append(c.releases, store.AgentRelease{Agent: *j.now.AgentID, Job: j.now.ID,
			Missed: event == flow.EventAssignedExpired})
	}
	j.now.AgentID, j.now.TokenHash, j.now.TokenUntil = nil, nil, nil
	j.now.AssignedAt, j.now.AcceptedAt = nil, nil
	c.propagate()
}

// PromiseFailure records that a running job will fail with a status.
//
// Returns Invalid for 0, for another status than it has promised, and for a job that does not run.
func (s *Service) PromiseFailure(ctx context.Context, actor authz.Actor, id string, status int64) error {
	return s.changeJob(ctx, actor, id, func(c *change, j *jobChange) error {
		switch {
		case j.now.State.HasEnded():
			return core.ErrUnauthenticatedProgram
		case status == 0:
			return domain.InvalidError("`exit_status` is invalid: it must not be 0")
		case j.now.PromisedExitStatus != nil && *j.now.PromisedExitStatus == status:
			return nil
		case j.now.PromisedExitStatus != nil:
			return domain.InvalidError("This job has promised the exit status " + strconv.FormatInt(*j.now.PromisedExitStatus,
				10) +
				" already")
		case j.now.State != flow.Running:
			return domain.InvalidError("Only a running job can promise to fail")
		}
		j.now.PromisedExitStatus, j.now.PromisedAt = &status, &c.now
		how := flow.JobEnd{State: flow.Finished, SoftFail: j.now.SoftFail, Retry: c.stepRow(j.now.StepID).Definition.Retry,
			Promised: int(status)}
		how.ExitStatus = int(status)
		how.Retries = j.now.RuleUses
		if decided := flow.DecideEnd(how); decided.Outcome == flow.HardFailed && decided.RetryRule < 0 {
			c.machine.Promise(&j.node)
			j.now.PromiseCounts = true
			c.propagate()
		}
		return nil
	})
}

// maxTimeoutGrowth is how much longer than planned a job may let itself run.
const maxTimeoutGrowth = 60 // minutes

// SetJobTimeout changes how long a job may run, in minutes from its start.
func (s *Service) SetJobTimeout(ctx context.Context, actor authz.Actor, id string, minutes int64) error {
	return s.changeJob(ctx, actor, id, func(c *change, j *jobChange) error {
		if j.now.State.HasEnded() {
			return core.ErrUnauthenticatedProgram
		}
		if j.now.State != flow.Running || j.now.StartedAt == nil {
			return domain.InvalidError("Only a running job's timeout can be changed")
		}
		limits, err := c.tx.TimeoutLimits(c.build.PipelineID)
		if err != nil {
			return err
		}
		definition := c.stepRow(j.now.StepID).Definition
		most := limits.Cap(0)
		if initial := limits.Of(int64(definition.TimeoutInMinutes)); initial != nil &&
			(most == nil || *initial+maxTimeoutGrowth < *most) {
			longer := *initial + maxTimeoutGrowth
			most = &longer
		}
		switch {
		case minutes < 1 || minutes > domain.MaxTimeout:
			return domain.InvalidError("`timeout_in_minutes` is invalid: it must be a whole number from 1 to " +
				strconv.Itoa(domain.MaxTimeout))
		case most != nil && minutes > *most:
			return domain.InvalidError("`timeout_in_minutes` is invalid: it must be at most " + strconv.FormatInt(*most, 10))
		}
		deadline := j.now.StartedAt.Add(time.Duration(minutes) * time.Minute)
		j.now.Timeout, j.now.Deadline = &minutes, &deadline
		return nil
	})
}
