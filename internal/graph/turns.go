package graph

import (
	"context"
	"sync"
	"time"

	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/service/core"
)

const (
	// maxPerCaller is how many requests of one caller are in flight at once, from before their bodies are read until their
	// answers are written. More wait.
	maxPerCaller = 4
	// maxWaiting is how many of one caller's requests wait, and callerTimeout for how long.
	maxWaiting    = 100
	callerTimeout = 5 * time.Second
)

// turns decides which requests run. A caller has a few in flight, and of all callers together only as many documents
// run at once as leave connections of the database, and places for snapshots, to REST and to pages.
type turns struct {
	running   chan struct{} // one for each document that runs
	perCaller int

	mutex   sync.Mutex
	callers map[string]*callerTurns
}

// callerTurns is a caller who has requests in flight or waiting.
type callerTurns struct {
	places   chan struct{} // one for each request in flight
	requests int
}

// turn is a request in flight.
type turn struct {
	turns  *turns
	caller string
	own    *callerTurns
}

// newTurns returns the turns of an installation with so many places for snapshots. A quarter of them, but at least one
// if there are several, is not GraphQL's, and one of the rest is never a single caller's.
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

// enter waits until a request of the caller may begin.
//
// Returns RateLimited if too many wait, or none of the others ends in time. Who has too many waiting is refused after a
// second: sending again at once costs them time then, and not the server work.
func (t *turns) enter(ctx context.Context, caller string) (*turn, error) {
	own := t.join(caller)
	if own == nil {
		select {
		case <-time.After(errTooManyAtOnce.RetryAfter):
		case <-ctx.Done():
		}
		return nil, errTooManyAtOnce
	}
	if err := acquirePlace(ctx, own.places); err != nil {
		t.part(caller, own)
		return nil, err
	}
	return &turn{t, caller, own}, nil
}

// leave ends a request.
func (t *turn) leave() {
	<-t.own.places
	t.turns.part(t.caller, t.own)
}

// acquirePlace waits for a place of a caller.
//
// Returns RateLimited if there is none in time.
func acquirePlace(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	default:
	}
	timeout := time.NewTimer(callerTimeout)
	defer timeout.Stop()
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout.C:
		return errTooManyAtOnce
	}
}

// join counts a request of the caller; nil if too many are waiting.
func (t *turns) join(caller string) *callerTurns {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	own := t.callers[caller]
	if own == nil {
		own = &callerTurns{places: make(chan struct{}, t.perCaller)}
		t.callers[caller] = own
	}
	if own.requests >= t.perCaller+maxWaiting {
		return nil
	}
	own.requests++
	return own
}

func (t *turns) part(caller string, own *callerTurns) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if own.requests--; own.requests == 0 {
		delete(t.callers, caller)
	}
}

// acquireRunning waits until the document of a request may run, and returns what ends that.
//
// Returns Unavailable if none of the caller's others ends in time, or none at all does.
func (t *turn) acquireRunning(ctx context.Context) (end func(), err error) {
	leaveOwn, err := httpcall.AcquireTurn(ctx)
	if err != nil {
		return nil, err
	}
	leaveShared, err := core.AcquireTurn(ctx, t.turns.running)
	if err != nil {
		leaveOwn()
		return nil, err
	}
	return func() {
		leaveShared()
		leaveOwn()
	}, nil
}
