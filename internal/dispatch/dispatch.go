// Package dispatch knows which agents wait for work at this node, per queue, and assigns jobs to the best of them as
// soon as there are any. It is woken when a queue gets a job, and looks by itself now and then. It imports
// internal/service/builds, internal/wake, internal/authz and internal/domain of ours.
package dispatch

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/wake"
)

const (
	lookEvery     = 5 * time.Second // also if nothing has woken the queue
	assignAtOnce  = 32              // agents that are given jobs together
	assignTimeout = 30 * time.Second
)

// Dispatcher assigns jobs to agents that wait for them.
type Dispatcher struct {
	builds *builds.Service
	waker  *wake.Waker
	logger *slog.Logger

	mutex  sync.Mutex
	queues map[domain.QueueID]*queue // that have agents who wait
}

// New returns a Dispatcher.
func New(service *builds.Service, waker *wake.Waker, logger *slog.Logger) *Dispatcher {
	return &Dispatcher{builds: service, waker: waker, logger: logger, queues: map[domain.QueueID]*queue{}}
}

// queue is the agents who wait for the jobs of one queue.
type queue struct {
	id      domain.QueueID
	waiting []*Waiter
	arrived chan struct{} // gets a value when an agent comes
	stop    context.CancelFunc
}

// Waiter is an agent who waits.
type Waiter struct {
	jobs       chan domain.JobID
	actor      authz.Actor
	situation  builds.AgentStatus
	dispatcher *Dispatcher
	queue      *queue // nil: it does not wait any more
}

// Jobs gets the agent's job.
func (w *Waiter) Jobs() <-chan domain.JobID { return w.jobs }

// Wait lets an agent wait for a job of its situation's queue. Leave ends it; so does a job.
func (d *Dispatcher) Wait(actor authz.Actor, situation builds.AgentStatus) *Waiter {
	jobs := make(chan domain.JobID, 1)
	w := &Waiter{jobs: jobs, actor: actor, situation: situation, dispatcher: d}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	q := d.queues[*situation.Queue]
	if q == nil {
		ctx, stop := context.WithCancel(context.Background())
		q = &queue{id: *situation.Queue, arrived: make(chan struct{}, 1), stop: stop}
		d.queues[q.id] = q
		go d.serve(ctx, q)
	}
	w.queue = q
	q.waiting = append(q.waiting, w)
	select {
	case q.arrived <- struct{}{}:
	default:
	}
	return w
}

// Leave ends the waiting.
func (w *Waiter) Leave() {
	w.dispatcher.mutex.Lock()
	defer w.dispatcher.mutex.Unlock()
	w.dispatcher.remove(w)
}

// remove removes an agent from its queue, which ends with its last one. The mutex is locked.
func (d *Dispatcher) remove(w *Waiter) {
	q := w.queue
	if q == nil {
		return
	}
	w.queue = nil
	if i := slices.Index(q.waiting, w); i >= 0 {
		last := len(q.waiting) - 1
		q.waiting[i] = q.waiting[last]
		q.waiting[last] = nil
		q.waiting = q.waiting[:last]
	}
	if len(q.waiting) == 0 && d.queues[q.id] == q {
		delete(d.queues, q.id)
		q.stop()
	}
}

// serve assigns the jobs of a queue while agents wait for them.
func (d *Dispatcher) serve(ctx context.Context, q *queue) {
	subscription := d.waker.Subscribe(core.QueueTopic(q.id))
	defer subscription.Close()
	timer := time.NewTicker(lookEvery)
	defer timer.Stop()
	for {
		if err := d.assignWaiting(ctx, q); err != nil && ctx.Err() == nil {
			d.logger.WarnContext(ctx, "jobs could not be given to agents that wait", "queue", q.id, "error", domain.Explain(err))
			select { // not at once again
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-subscription.C:
		case <-q.arrived:
		case <-timer.C:
		}
	}
}

// assignWaiting assigns the jobs of a queue to agents that wait for them, the best agents first. Who arrives meanwhile
// comes next time: a job may have become ready since others were tried that come before it.
func (d *Dispatcher) assignWaiting(ctx context.Context, q *queue) error {
	d.mutex.Lock()
	untried := slices.Clone(q.waiting)
	d.mutex.Unlock()
	for {
		rules, err := d.builds.ReadyRules(ctx, authz.OperatorActor(), q.id)
		if err != nil || len(rules) == 0 {
			return err
		}
		var chosen []*Waiter
		if chosen, untried = d.choose(q, rules, untried); len(chosen) == 0 {
			return nil
		}
		if err := d.assign(q, chosen); err != nil {
			return err
		}
	}
}

// choose returns the best agents that still wait and may run a job with one of the rules, and the other agents.
func (d *Dispatcher) choose(q *queue, rules [][]string, agents []*Waiter) (best, others []*Waiter) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for _, w := range agents {
		if w.queue == q && slices.ContainsFunc(rules,
			func(some []string) bool { return flow.MeetsRules(w.situation.Tags, some) }) {
			best = append(best, w)
		} else {
			others = append(others, w)
		}
	}
	slices.SortFunc(best, compareAgents)
	n := min(len(best), assignAtOnce)
	return best[:n], append(others, best[n:]...)
}

// compareAgents orders agents: those that accepted the job that they were offered last first, as others may be busy
// with something that the server does not know of; then those with a higher priority, then those on which a job passed
// last.
func compareAgents(a, b *Waiter) int {
	if a.situation.MissedOffer != b.situation.MissedOffer {
		if a.situation.MissedOffer {
			return 1
		}
		return -1
	}
	if order := comparePointers(b.situation.Priority, a.situation.Priority,
		func(a, b int64) int { return int(a - b) }); order != 0 {
		return order
	}
	return comparePointers(b.situation.LastPassedAt, a.situation.LastPassedAt, time.Time.Compare)
}

// comparePointers compares values; nil is the least.
func comparePointers[T any](a, b *T, compare func(a, b T) int) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return compare(*a, *b)
}

// assign assigns a job to each of the agents, if there is one for it. An agent that has left by then finds its job when
// it asks again.
func (d *Dispatcher) assign(q *queue, chosen []*Waiter) error {
	ctx, cancel := context.WithTimeout(context.Background(), assignTimeout)
	defer cancel()
	actors := make([]authz.Actor, len(chosen))
	for i, w := range chosen {
		actors[i] = w.actor
	}
	jobs, err := d.builds.AssignJobs(ctx, q.id, actors)
	if err != nil {
		return err
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for i, w := range chosen {
		if jobs[i] != "" {
			d.remove(w)
			w.jobs <- jobs[i]
		}
	}
	return nil
}
