package builds

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

const (
	batchSize    = 64               // calls that share a transaction
	batchTimeout = 30 * time.Second // of the transaction
)

// agentCall is what an agent asks for about one job: that it is assigned to it, or that it accepts, starts or finishes
// it. Calls that come while others are being stored share the next transaction. Each has an outcome of its own: one
// that is refused or fails does not touch the others.
type agentCall struct {
	kind  callKind
	ctx   context.Context // of the request
	actor authz.Actor
	job   domain.JobID // of a claim: the one that was found

	queue  domain.QueueID     // of a claim: whose job it must be; "": the agent's
	agent  store.AgentSession // of a claim: who asks, once it was found that it may be assigned a job
	change func(c *change, j *jobChange) error
	accept func(agent domain.AgentID, j *domain.Job) error // returns why the agent may not accept the job
	token  domain.Secret                                   // of a job that is accepted

	accepted acceptedJob
	answer   *JobForAgent // of a job that is accepted; nil: it is not read yet
	assigned bool         // of a claim: the job is the agent's
	missed   bool         // of a claim: another node was faster
	err      error
	done     chan struct{}
}

type callKind int

const (
	claimCall  callKind = iota // a job is assigned to an agent that waits for one
	acceptCall                 // with an agent's session
	changeCall                 // with a job's token
)

// acceptedJob is a job that an agent has accepted, and what it belongs to.
type acceptedJob struct {
	session store.AgentSession
	job     domain.Job
	step    domain.Step
	build   domain.Build
}

// errAlone is the outcome of a call that has to be made in a transaction of its own: its build is locked, or the batch
// failed.
var errAlone = errors.New("the call is to be made alone")

// batches collects calls while others of their kind are being stored. Claims and accepts are stored beside starts and
// ends: they lock no build.
type batches struct {
	mutex   sync.Mutex
	waiting []*agentCall
	running bool
}

// submit makes calls of one kind, and waits until they are durable.
func (s *Service) submit(calls ...*agentCall) {
	for _, call := range calls {
		call.done = make(chan struct{})
	}
	b := &s.claims
	if calls[0].kind == changeCall {
		b = &s.changes
	}
	b.mutex.Lock()
	b.waiting = append(b.waiting, calls...)
	if !b.running {
		b.running = true
		go s.runBatches(b)
	}
	b.mutex.Unlock()
	for _, call := range calls {
		<-call.done
		if errors.Is(call.err, errAlone) {
			call.err = s.makeCalls(call.ctx, []*agentCall{call}, waitForLocks)
		}
	}
}

// runBatches runs batches until no call waits.
func (s *Service) runBatches(b *batches) {
	for {
		b.mutex.Lock()
		n := min(len(b.waiting), batchSize)
		batch := slices.Clone(b.waiting[:n])
		b.waiting = slices.Delete(b.waiting, 0, n)
		b.running = n > 0
		b.mutex.Unlock()
		if n == 0 {
			return
		}
		s.runBatch(batch)
		var accepted []*agentCall
		for _, call := range batch {
			if call.kind == acceptCall && call.err == nil {
				accepted = append(accepted, call)
			} else {
				close(call.done)
			}
		}
		if len(accepted) > 0 {
			go s.answerAccepted(accepted)
		}
	}
}

// answerAccepted reads what agents need for the jobs that they have accepted, while the next batch is stored. What it
// can't read, each call reads alone.
func (s *Service) answerAccepted(calls []*agentCall) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(calls[0].ctx), batchTimeout)
	defer cancel()
	defer func() {
		if thrown := recover(); thrown != nil {
			s.logPanic(ctx, thrown)
			forgetAnswers(calls)
		}
		for _, call := range calls {
			close(call.done)
		}
	}()
	_ = s.readAnswers(ctx, calls)
}

// readAnswers reads what agents need for the jobs that they have accepted: for all of them, or none.
func (s *Service) readAnswers(ctx context.Context, calls []*agentCall) error {
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		builds := map[domain.BuildID]bool{}
		for _, call := range calls {
			builds[call.accepted.build.ID] = true
		}
		in, err := surroundingsOf(tx, sortedKeys(builds)...)
		if err != nil {
			return err
		}
		for _, call := range calls {
			a := call.accepted
			env, err := s.environment(in, a.session, a.job, a.build, a.step)
			if err != nil {
				return err
			}
			call.answer = &JobForAgent{Job: a.job, Step: a.step, Env: env, Token: call.token}
		}
		return nil
	})
	if err != nil {
		forgetAnswers(calls)
	}
	return err
}

func forgetAnswers(calls []*agentCall) {
	for _, call := range calls {
		call.answer = nil
	}
}

// runBatch makes calls in one transaction. If that fails as a whole, each of them is made alone.
func (s *Service) runBatch(batch []*agentCall) {
	var live []*agentCall
	for _, call := range batch {
		if call.err = call.ctx.Err(); call.err == nil {
			live = append(live, call)
		}
	}
	if len(live) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(live[0].ctx), batchTimeout)
	defer cancel()
	defer func() {
		if thrown := recover(); thrown != nil {
			s.logPanic(ctx, thrown)
			failAll(live, errAlone)
		}
	}()
	if err := s.makeCalls(ctx, live, skipLocked); err != nil {
		failAll(live, errAlone)
	}
}

func (s *Service) logPanic(ctx context.Context, thrown any) {
	s.core.Logger.ErrorContext(ctx, "a batch of agents' calls panicked", "error", fmt.Sprint(thrown), "stack",
		string(debug.Stack()))
}

func failAll(calls []*agentCall, err error) {
	for _, call := range calls {
		call.err = err
	}
}

// lockMode is what becomes of a call whose build somebody else has locked.
type lockMode bool

const (
	waitForLocks lockMode = false
	skipLocked   lockMode = true
)

// makeCalls makes calls in one transaction, and sets their outcomes. It returns an error if nothing was stored; of a
// single call also its own.
func (s *Service) makeCalls(ctx context.Context, calls []*agentCall, mode lockMode) error {
	err := s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		for _, call := range calls {
			call.err, call.assigned, call.missed = nil, false, false
		}
		now, err := tx.Now()
		if err != nil {
			return err
		}
		b := &batch{service: s, tx: tx, effects: e, now: now.Truncate(time.Millisecond), mode: mode}
		accepts, claims := ofKind(calls, acceptCall), ofKind(calls, claimCall)
		if err := b.changeJobs(ofKind(calls, changeCall)); err != nil {
			return err
		}
		if err := b.readSessions(slices.Concat(accepts, claims)); err != nil {
			return err
		}
		if err := b.acceptJobs(accepts); err != nil {
			return err
		}
		return b.assignJobs(claims)
	})
	if err == nil && len(calls) == 1 {
		return calls[0].err
	}
	return err
}

func ofKind(calls []*agentCall, kind callKind) (some []*agentCall) {
	for _, call := range calls {
		if call.kind == kind {
			some = append(some, call)
		}
	}
	return some
}

// batch is a transaction that makes calls of agents.
type batch struct {
	service *Service
	tx      store.Tx
	effects *core.Effects
	now     time.Time
	mode    lockMode

	sessions map[string]store.AgentSession // of the agents that accept jobs or ask for some, by their tokens' hashes
}

// readSessions reads the sessions of agents.
func (b *batch) readSessions(calls []*agentCall) (err error) {
	hashes := make([]string, len(calls))
	for i, call := range calls {
		hashes[i] = call.actor.Credential.Hash
	}
	b.sessions, err = b.tx.AgentSessions(hashes)
	return err
}

// changeJobs makes the calls that have a job's token. The calls for one build share its locking, loading and storing.
func (b *batch) changeJobs(calls []*agentCall) error {
	if len(calls) == 0 {
		return nil
	}
	hashes := make([]string, len(calls))
	for i, call := range calls {
		hashes[i] = call.actor.Credential.Hash
	}
	tokens, err := b.tx.TokenJobs(hashes)
	if err != nil {
		return err
	}
	var ready []*agentCall
	for _, call := range calls {
		own, found := tokens[call.actor.Credential.Hash]
		switch {
		case !found || !core.IsTokenValid(own.State, own.TokenUntil, b.now):
			call.err = core.ErrUnauthenticatedProgram
		case own.ID != call.job:
			call.err = core.ErrOtherJob
		default:
			ready = append(ready, call)
		}
	}
	changes, err := b.openBuilds(ready, tokens)
	if err != nil {
		return err
	}
	for _, call := range ready {
		own := tokens[call.actor.Credential.Hash]
		if c := changes[own.BuildID]; c != nil {
			call.err = callChange(c, own.ID, call)
		} else {
			call.err = errAlone
		}
	}
	all := make([]*change, 0, len(changes))
	for _, id := range sortedKeys(changes) {
		all = append(all, changes[id])
	}
	return saveAll(b.tx, all)
}

// callChange makes a call with a job that is loaded.
func callChange(c *change, id domain.JobID, call *agentCall) error {
	j, err := c.job(id)
	if err != nil {
		return err
	}
	if j.now.TokenHash == nil || *j.now.TokenHash != call.actor.Credential.Hash { // there is a newer token
		return core.ErrUnauthenticatedProgram
	}
	return call.change(c, j)
}

// openBuilds locks the builds of calls, and loads their jobs with their steps and who waits for those.
func (b *batch) openBuilds(calls []*agentCall, tokens map[string]store.TokenJob) (map[domain.BuildID]*change, error) {
	ids := map[domain.BuildID]bool{}
	for _, call := range calls {
		ids[tokens[call.actor.Credential.Hash].BuildID] = true
	}
	if len(ids) == 0 {
		return nil, nil
	}
	locked, err := b.tx.LockBuilds(sortedKeys(ids), bool(b.mode))
	if err != nil {
		return nil, err
	}
	changes := make(map[domain.BuildID]*change, len(locked))
	for _, row := range locked {
		changes[row.ID] = changeOf(b.tx, row, b.now, "", b.effects)
	}
	var jobIDs []domain.JobID // of builds that are locked: those of others are not waited for
	for _, call := range calls {
		if own := tokens[call.actor.Credential.Hash]; changes[own.BuildID] != nil {
			jobIDs = append(jobIDs, own.ID)
		}
	}
	jobs, err := b.tx.JobsWithSteps(jobIDs)
	if err != nil {
		return nil, err
	}
	var steps []domain.StepID
	for _, loaded := range jobs {
		if c := changes[loaded.Job.BuildID]; c != nil {
			c.addStep(loaded.Step)
			c.addJob(loaded.Job, false)
			if loaded.Job.State != flow.Accepted { // one that starts ends nothing
				steps = append(steps, loaded.Step.ID)
			}
		}
	}
	return changes, b.loadEdges(changes, jobs, steps)
}

// loadEdges loads who waits for steps.
func (b *batch) loadEdges(changes map[domain.BuildID]*change, jobs []store.JobWithStep, steps []domain.StepID) error {
	edges, err := b.tx.DependenciesOn(steps)
	if err != nil {
		return err
	}
	perStep := map[string][]domain.StepDependency{}
	for _, d := range edges {
		perStep[d.Edge.On] = append(perStep[d.Edge.On], d)
	}
	for _, loaded := range jobs {
		id := string(loaded.Step.ID)
		if c := changes[loaded.Job.BuildID]; c != nil && slices.Contains(steps, loaded.Step.ID) {
			c.addEdges([]string{id}, perStep[id])
		}
	}
	return nil
}

// acceptJobs makes the calls of agents that begin with a job.
func (b *batch) acceptJobs(calls []*agentCall) error {
	if len(calls) == 0 {
		return nil
	}
	ids := make([]domain.JobID, len(calls))
	for i, call := range calls {
		ids[i] = call.job
	}
	jobs, err := b.tx.LockJobsToAccept(ids, bool(b.mode))
	if err != nil {
		return err
	}
	perID := make(map[domain.JobID]*store.JobToAccept, len(jobs))
	for i := range jobs {
		perID[jobs[i].Job.ID] = &jobs[i]
	}
	var changes []store.JobChange
	var events []domain.JobEvent
	var taken []store.Assignment
	var forgiven []domain.AgentID
	for _, call := range calls {
		session, found := b.sessions[call.actor.Credential.Hash]
		if call.err = core.CheckSession(&session, found, call.actor, b.now); call.err != nil {
			continue
		}
		row := perID[call.job]
		if row == nil && b.mode == skipLocked { // somebody else may have locked it
			call.err = errAlone
			continue
		}
		if row == nil || row.Job.ClusterID == nil || *row.Job.ClusterID != session.Cluster {
			call.err = core.ErrNoJob
			continue
		}
		if call.err = b.acceptJob(call, session, row, &taken); call.err == nil {
			if session.MissedOffer {
				forgiven = append(forgiven, session.Agent)
			}
			now := call.accepted.job
			changes = append(changes, store.JobChange{Before: &row.Job, Now: &now})
			if row.Job.State != flow.Accepted {
				events = append(events, newEvent(&now, flow.EventAccepted, b.now, ""))
			}
			copied := *row
			copied.Job = now
			perID[call.job] = &copied
		}
	}
	if err := b.tx.AssignAgents(taken); err != nil {
		return err
	}
	slices.Sort(forgiven)
	if err := b.tx.ForgiveAgents(slices.Compact(forgiven)); err != nil {
		return err
	}
	return b.tx.UpdateJobs(changes, events)
}

// acceptJob makes a job the agent's own, if the call allows it.
func (b *batch) acceptJob(call *agentCall, session store.AgentSession, row *store.JobToAccept,
	taken *[]store.Assignment) error {
	if err := call.accept(session.Agent, &row.Job); err != nil {
		return err
	}
	j := row.Job
	if j.State != flow.Accepted {
		if !flow.CanMove(j.State, flow.Accepted) {
			return errNotAssigned
		}
		j.AcceptedAt = &b.now
	}
	if j.AgentID == nil || *j.AgentID != session.Agent || !j.State.HasAgent() { // it was not assigned to it before
		if session.JobID != nil {
			return errNotAssigned
		}
		if b.mode == skipLocked { // agents of a batch are locked together, by their ids
			return errAlone
		}
		idle, err := b.tx.LockIdleAgents([]domain.AgentID{session.Agent})
		if err != nil {
			return err
		}
		if !idle[session.Agent] {
			return errNotAssigned
		}
		*taken = append(*taken, store.Assignment{Agent: session.Agent, Job: j.ID, Offers: 1})
	}
	hash := domain.HashToken(call.token.Reveal())
	j.State, j.AgentID, j.TokenHash, j.TokenUntil, j.UploadEnv = flow.Accepted, &session.Agent, &hash, nil,
		row.Build.UploadEnv
	j.ReservedBy, j.ReservedUntil = nil, nil
	b.effects.Builds[j.BuildID] = true
	call.accepted = acceptedJob{session: session, job: j, step: row.Step, build: row.Build}
	return nil
}

// assignJobs assigns jobs to idle agents. The agents of one queue share what is read of it, and get different jobs.
func (b *batch) assignJobs(calls []*agentCall) error {
	idle, err := b.idleCalls(b.eligibleCalls(calls))
	if err != nil {
		return err
	}
	perQueue := map[domain.QueueID][]*agentCall{}
	for _, call := range idle {
		perQueue[*call.agent.Queue] = append(perQueue[*call.agent.Queue], call)
	}
	var chosen []*agentCall
	for _, queue := range sortedKeys(perQueue) {
		found, err := b.chooseJobs(queue, perQueue[queue])
		if err != nil {
			return err
		}
		chosen = append(chosen, found...)
	}
	return b.assignChosen(chosen)
}

// eligibleCalls returns the calls of agents that may be assigned a job.
func (b *batch) eligibleCalls(calls []*agentCall) (eligible []*agentCall) {
	for _, call := range calls {
		session, found := b.sessions[call.actor.Credential.Hash]
		if core.CheckSession(&session, found, call.actor, b.now) != nil || session.HasJob || session.Queue == nil ||
			call.queue != "" && call.queue != *session.Queue {
			continue
		}
		if _, done := answerPing(session); !done {
			call.agent = session
			eligible = append(eligible, call)
		}
	}
	return eligible
}

// idleCalls locks the agents of calls, and returns the calls of those that have no job: a job that was chosen for
// another one would wait while those behind it are assigned.
func (b *batch) idleCalls(calls []*agentCall) (idle []*agentCall, err error) {
	if len(calls) == 0 {
		return nil, nil
	}
	agents := make([]domain.AgentID, len(calls))
	for i, call := range calls {
		agents[i] = call.agent.Agent
	}
	isIdle, err := b.tx.LockIdleAgents(agents)
	for _, call := range calls {
		if isIdle[call.agent.Agent] {
			idle = append(idle, call)
			delete(isIdle, call.agent.Agent)
		}
	}
	return idle, err
}

// chooseJobs finds a job for each of the agents of a queue, the first agent first, and returns the calls that have one.
func (b *batch) chooseJobs(queue domain.QueueID, calls []*agentCall) (chosen []*agentCall, err error) {
	found, err := findCandidates(b.tx, queue, b.now, len(calls))
	if err != nil || len(found.sets) == 0 {
		return nil, err
	}
	for _, call := range calls {
		j, err := found.choose(&call.agent)
		if err != nil {
			return nil, err
		}
		if j != nil {
			call.job = j.ID
			chosen = append(chosen, call)
		}
	}
	return chosen, nil
}

// assignChosen assigns the jobs that were chosen for agents, if they are still ready. Another node may be faster with
// some of them.
func (b *batch) assignChosen(calls []*agentCall) error {
	if len(calls) == 0 {
		return nil
	}
	jobs := make([]domain.JobID, len(calls))
	for i, call := range calls {
		jobs[i] = call.job
	}
	ready, err := b.tx.LockReadyJobs(jobs)
	if err != nil {
		return err
	}
	var made []store.Assignment
	for _, call := range calls {
		agent := call.agent.Agent
		build, isReady := ready[call.job]
		if call.assigned, call.missed = isReady, !isReady; call.missed {
			continue
		}
		made = append(made, store.Assignment{Job: call.job, Agent: agent, Offers: nextOffer(&call.agent, call.job)})
		b.effects.Builds[build] = true
		b.effects.Fleets[call.agent.Organization] = true
	}
	return b.tx.AssignJobs(made, b.now)
}

// nextOffer returns how many times running an agent is offered a job, with this time.
func nextOffer(agent *store.AgentSession, job domain.JobID) int64 {
	if agent.OfferedJobID != nil && *agent.OfferedJobID == job {
		return agent.Offers + 1
	}
	return 1
}
