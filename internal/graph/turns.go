package graph

import (
	"context"
	"sync"
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/core"
)

const (
	// maxPerCaller is how many requests of one caller are in flight at once, from before their bodies are read until their answers are
	// written. More wait.
	maxPerCaller = 4
	// maxWaiting is how many of one caller's requests wait, and callerTimeout for how long.
	maxWaiting    = 100
	callerTimeout = 5 * time.Second
)

// turns decides which requests run. A caller has a few in flight, and of all callers together only as many documents run at once as
// leave connections of the database, and places for snapshots, to REST and to pages.
type turns struct {
	running   chan struct{} // one for each document that runs
	perCaller int

	mutex   sync.Mutex
	callers map[string]*callerTurns
}

// callerTurns is a caller who has requests in flight or waiting.
type callerTurns struct {
	places   chan struct{}
	requests int
}

// newTurns returns the turns of an installation with so many places for snapshots. A quarter of them, but at least one if there are
// several, is not GraphQL's, and one of the rest is never a single caller's.
func newTurns(places int) *turns {
	running := max(1, places-max(1, places/4))
	return &turns{
		running:   make(chan struct{}, running),
		perCaller: min(maxPerCaller, max(1, running-1)),
		callers:   map[string]*callerTurns{},
	}
}

var errTooManyAtOnce = &domain.Error{Code: domain.RateLimited, RetryAfter: time.Second,
	Message: "You have too many GraphQL requests in flight. Please wait for their answers before sending more."}

// enter waits until a request of the caller may begin, and returns what ends it.
//
// Returns RateLimited if too many wait, or none of the others ends in time.
func (t *turns) enter(ctx context.Context, caller string) (leave func(), err error) {
	c := t.join(caller)
	if c == nil {
		return nil, errTooManyAtOnce
	}
	leave = func() {
		<-c.places
		t.part(caller, c)
	}
	select {
	case c.places <- struct{}{}:
		return leave, nil
	default:
	}
	timeout := time.NewTimer(callerTimeout)
	defer timeout.Stop()
	select {
	case c.places <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timeout.C:
		err = errTooManyAtOnce
	}
	t.part(caller, c)
	return nil, err
}

// join counts a request of the caller; nil if too many are waiting.
func (t *turns) join(caller string) *callerTurns {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	c := t.callers[caller]
	if c == nil {
		c = &callerTurns{places: make(chan struct{}, t.perCaller)}
		t.callers[caller] = c
	}
	if c.requests >= t.perCaller+maxWaiting {
		return nil
	}
	c.requests++
	return c
}

func (t *turns) part(caller string, c *callerTurns) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if c.requests--; c.requests == 0 {
		delete(t.callers, caller)
	}
}

// takeRunning waits until a document may run, and returns what ends that.
//
// Returns Unavailable if none of the others ends in time.
func (t *turns) takeRunning(ctx context.Context) (leave func(), err error) {
	return core.TakeTurn(ctx, t.running)
}
