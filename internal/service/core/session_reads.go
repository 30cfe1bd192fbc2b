package core

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

const (
	sessionSetSize     = 64               // sessions that are read together
	sessionReadTimeout = 10 * time.Second // of a read that others wait for
)

// maxSessionReads is how many sets are read at once.
var maxSessionReads = runtime.GOMAXPROCS(0)

// sessionReads collects reads of agents' sessions while others are under way: thousands of agents ask all the time.
type sessionReads struct {
	mutex   sync.Mutex
	waiting []*sessionRead
	running int // sets that are being read
}

type sessionRead struct {
	actor   authz.Actor
	session store.AgentSession
	err     error
	done    chan struct{}
}

// errReadAlone is the outcome of reads whose set failed: one that can't be read does not touch the others.
var errReadAlone = errors.New("the session is to be read alone")

// ReadAgentSession is AgentSession, with whether jobs wait for the agent, in a transaction of its own. Callers that
// come at about the same time share it. It begins after the call.
func (c *Core) ReadAgentSession(ctx context.Context, actor authz.Actor) (session store.AgentSession, err error) {
	r := &sessionRead{actor: actor, done: make(chan struct{})}
	if set := c.sessions.join(r); set != nil {
		c.readSessions(ctx, set)
		if c.sessions.leave() {
			go c.readWaitingSessions(context.WithoutCancel(ctx))
		}
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return session, ctx.Err()
	}
	if errors.Is(r.err, errReadAlone) {
		r = &sessionRead{actor: actor, done: make(chan struct{})}
		c.readSessions(ctx, []*sessionRead{r})
	}
	return r.session, r.err
}

// join adds a read to those that wait. It returns the set that the caller is to read, if another one may be read.
func (s *sessionReads) join(r *sessionRead) []*sessionRead {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.waiting = append(s.waiting, r)
	if s.running >= maxSessionReads {
		return nil
	}
	s.running++
	return s.next()
}

// next returns the set that waits longest.
func (s *sessionReads) next() []*sessionRead {
	n := min(len(s.waiting), sessionSetSize)
	set := slices.Clone(s.waiting[:n])
	s.waiting = slices.Delete(s.waiting, 0, n)
	return set
}

// leave ends the reading of sets, unless others wait: then it reports that, and the caller sees to them.
func (s *sessionReads) leave() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.waiting) > 0 {
		return true
	}
	s.running--
	return false
}

// readWaitingSessions reads sets until none waits.
func (c *Core) readWaitingSessions(ctx context.Context) {
	for more := true; more; more = c.sessions.leave() {
		c.sessions.mutex.Lock()
		set := c.sessions.next()
		c.sessions.mutex.Unlock()
		c.readSessions(ctx, set)
	}
}

// readSessions reads a set of sessions. Who waits for one goes on in any case.
func (c *Core) readSessions(ctx context.Context, set []*sessionRead) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sessionReadTimeout)
	defer cancel()
	defer func() {
		if thrown := recover(); thrown != nil {
			c.Logger.ErrorContext(ctx, "reading agents' sessions panicked", "error", fmt.Sprint(thrown), "stack",
				string(debug.Stack()))
			failReads(set, errReadAlone)
		}
		for _, r := range set {
			close(r.done)
		}
	}()
	hashes := make([]string, len(set))
	for i, r := range set {
		hashes[i] = r.actor.Credential.Hash
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	err := c.Store.ReadStatement(ctx, func(tx store.Tx) error {
		sessions, err := tx.PingSessions(hashes)
		if err != nil {
			return err
		}
		for _, r := range set {
			session, found := sessions[r.actor.Credential.Hash]
			r.session, r.err = c.checkSession(tx, session, found, r.actor)
		}
		return nil
	})
	if err != nil && len(set) > 1 && domain.CodeOf(err) != domain.Unavailable {
		err = errReadAlone
	}
	if err != nil {
		failReads(set, err)
	}
}

func failReads(set []*sessionRead, err error) {
	for _, r := range set {
		r.err = err
	}
}
