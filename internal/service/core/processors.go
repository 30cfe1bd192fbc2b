package core

import (
	"context"
	"sync"
)

// Processors shares the processors between callers whose texts take long to read, to match or to render. One is left to
// requests that need no turn, so that they are answered at once, and one caller has half of them at most.
type Processors struct {
	turns chan struct{} // one for each caller's work that runs

	mutex sync.Mutex
	busy  map[any]*processorShare
}

// processorShare is what a caller has of the processors while work of theirs runs or waits.
type processorShare struct {
	turns   chan struct{}
	waiting int // with what runs
}

// NewProcessors returns so many processors.
func NewProcessors(n int) *Processors {
	return &Processors{turns: make(chan struct{}, max(1, n-1)), busy: map[any]*processorShare{}}
}

// Use runs fn as soon as it is the caller's turn: an organization's, or a job's whose organization is not known yet. Fn
// must not call Use.
//
// Returns Unavailable if the work before it takes too long, and fn's error.
func (p *Processors) Use(ctx context.Context, caller any, fn func() error) error {
	own := p.join(caller)
	defer p.part(caller, own)
	leaveOwn, err := AcquireTurn(ctx, own.turns)
	if err != nil {
		return err
	}
	defer leaveOwn()
	leave, err := AcquireTurn(ctx, p.turns)
	if err != nil {
		return err
	}
	defer leave()
	return fn()
}

func (p *Processors) join(caller any) *processorShare {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	own := p.busy[caller]
	if own == nil {
		own = &processorShare{turns: make(chan struct{}, max(1, (cap(p.turns)+1)/2))}
		p.busy[caller] = own
	}
	own.waiting++
	return own
}

func (p *Processors) part(caller any, own *processorShare) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if own.waiting--; own.waiting == 0 {
		delete(p.busy, caller)
	}
}
