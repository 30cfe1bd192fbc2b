package httpcall

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"penstock/internal/domain"
)

// Limits bounds what requests take of a server, in all and of each caller, who may have a quarter of it: a user, a
// portal's organization, or, as long as nobody is known, an address.
//
// A request has a place while the server works on it. While the server waits for the caller, for a body to come or for
// an answer to be read, it has none. So what is slow keeps nobody out; it is bounded by its caller's quarter, and by
// its bytes. The bodies that strangers send have a quarter of their own, so that half a body keeps nobody out who comes
// from the same address. Reads of one caller take turns, on half of the processors while others have requests: the
// database and the processors are for them too. Some places are for urgent requests only.
type Limits struct {
	places      int   // for requests that are worked on at once
	bytes       int64 // of bodies and answers
	connections int

	mutex   sync.Mutex
	working int
	held    int64
	begun   int
	callers map[string]*share
	open    map[net.Conn]*connection
	silent  *list.List // of connections that have no request, the longest so first
	latest  arrival    // of a request whose caller is known
	other   arrival    // the last one before it of another caller
	stopAt  time.Time  // when waiting for callers ends; zero: the server is not stopping
}

// share is what a caller has of a server.
type share struct {
	requests int // without those in slow
	bytes    int64
	turns    chan struct{} // has one for each read that is worked on
	narrow   chan struct{} // has one for each of them that began while others had requests
	slow     list.List     // of connections on which strangers send bodies, the longest first
}

// connection is a client's connection, with what its request takes. HTTP/1 has one request at a time on it.
type connection struct {
	limits  *Limits
	conn    net.Conn
	silent  *list.Element // nil: it has a request
	since   time.Time     // when it was silent last, or began to send a body
	caller  string        // "": not known yet
	bytes   int64
	urgent  bool            // the request may have a reserved place
	working bool            // the request has a place
	sending bool            // the caller sends the body
	reading bool            // the caller reads the answer
	turns   []chan struct{} // to release
	slow    *list.Element   // nil: no stranger sends a body
}

const (
	oneCaller = 4 // one caller may have this part of it all
	reserved  = 8 // this part of the places is for urgent requests
	maxTurns  = 4 // reads of a caller that are worked on at once

	turnTimeout = 5 * time.Second // for which the others wait
	present     = time.Second     // for how long callers count who have sent a request
)

var (
	errOverloaded = domain.UnavailableError("The service is overloaded. Please retry.", time.Second, nil)
	errTooMany    = domain.UnavailableError("You have too many requests in flight. Please retry.", time.Second, nil)
)

// NewLimits returns limits on requests that are worked on at once, on the bytes of bodies and answers, and on
// connections.
func NewLimits(places int, bytes int64, connections int) *Limits {
	return &Limits{
		places: places, bytes: bytes, connections: connections,
		callers: map[string]*share{}, open: map[net.Conn]*connection{}, silent: list.New(),
	}
}

type connectionKey struct{}

// AddConnection is http.Server's ConnContext. When there are too many connections, the one that has been without a
// request for the longest time is closed. Each is given a moment to send one, so when very many come at once, the next
// is accepted later. If all have a request and none ends, the new one is closed.
func (l *Limits) AddConnection(ctx context.Context, conn net.Conn) context.Context {
	c := &connection{limits: l, conn: conn}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for begun := time.Now(); !l.makeRoom(); {
		if time.Since(begun) > maxAcceptDelay {
			_ = conn.Close()
			return ctx
		}
		l.mutex.Unlock()
		<-time.After(minSilence / 25) // nothing signals when a connection has been silent for long enough
		l.mutex.Lock()
	}
	l.fallSilent(c)
	l.open[conn] = c
	return context.WithValue(ctx, connectionKey{}, c)
}

const (
	minSilence     = 50 * time.Millisecond // that a connection has to send a request
	maxAcceptDelay = time.Second
)

// makeRoom closes a connection that has no request, if it must, and reports whether there is room for another.
func (l *Limits) makeRoom() bool {
	if len(l.open) < l.connections {
		return true
	}
	front := l.silent.Front()
	if front == nil || time.Since(front.Value.(*connection).since) < minSilence {
		return false
	}
	oldest := l.silent.Remove(front).(*connection)
	oldest.silent = nil
	delete(l.open, oldest.conn)
	_ = oldest.conn.Close()
	return true
}

// fallSilent records that a connection has no request.
func (l *Limits) fallSilent(c *connection) {
	c.silent, c.since = l.silent.PushBack(c), time.Now()
}

// TrackConnection is http.Server's ConnState.
func (l *Limits) TrackConnection(conn net.Conn, state http.ConnState) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	c := l.open[conn]
	if c == nil {
		return // closed for another one
	}
	if c.silent != nil && state != http.StateNew {
		l.silent.Remove(c.silent)
		c.silent = nil
	}
	switch state {
	case http.StateIdle:
		l.fallSilent(c)
	case http.StateClosed, http.StateHijacked:
		delete(l.open, conn)
	}
}

// connectionOf returns the connection that a request came on; nil where there are no limits.
func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}

// Begin begins a request and reports whether there is a place for it. End must follow in either case. Urgent is one
// whose refusal costs more than its answer: it finds a place also while others have all that are not reserved.
func (l *Limits) Begin(ctx context.Context, urgent bool) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.begun++
	c := connectionOf(ctx)
	if c == nil {
		return true
	}
	c.urgent = urgent
	return c.acquirePlace()
}

// End releases all that the request acquired.
func (l *Limits) End(ctx context.Context) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.begun--
	c := connectionOf(ctx)
	if c == nil {
		return
	}
	c.leavePlace()
	c.sending, c.reading = false, true // net/http may have the end of the answer yet
	l.held -= c.bytes
	c.leaveShare()
	c.bytes = 0
	if c.silent == nil && l.open[c.conn] == c {
		l.fallSilent(c) // net/http may wait for the rest of a body that was refused
	}
}

// leaveShare releases what a request acquired of its caller's share. What it holds counts for nobody then, until it
// ends.
func (c *connection) leaveShare() {
	s := c.limits.callers[c.caller]
	if s == nil {
		return
	}
	if c.slow != nil {
		s.slow.Remove(c.slow)
		c.slow = nil
	} else {
		s.requests--
	}
	s.bytes -= c.bytes
	if s.requests == 0 && s.slow.Len() == 0 {
		delete(c.limits.callers, c.caller)
	}
	c.caller = ""
}

// InFlight returns how many requests have begun and not ended.
func (l *Limits) InFlight() int64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return int64(l.begun)
}

// BytesHeld returns the bytes of the bodies and answers that there are now.
func (l *Limits) BytesHeld() int64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.held
}

// StopWaiting lets callers send their bodies, and read their answers, for some time more, and no longer.
func (l *Limits) StopWaiting(grace time.Duration) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.stopAt = time.Now().Add(grace)
	for _, c := range l.open {
		c.stopWaiting()
	}
}

// acquirePlace takes a place if there is one.
func (c *connection) acquirePlace() bool {
	places := c.limits.places
	if !c.urgent {
		places -= places / reserved
	}
	if c.limits.working >= places {
		return false
	}
	c.limits.working++
	c.working, c.sending, c.reading = true, false, false
	return true
}

func (c *connection) leavePlace() {
	if c.working {
		c.limits.working--
		c.working = false
	}
	c.leaveTurns()
}

func (c *connection) leaveTurns() {
	for _, turns := range c.turns {
		<-turns
	}
	c.turns = nil
}

// arrival is when a request of a caller came.
type arrival struct {
	caller string
	at     time.Time
}

// recordArrival records whose request came. Nil has no limits.
func (c *connection) recordArrival(caller string) {
	if c == nil {
		return
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	if c.limits.latest.caller != caller {
		c.limits.other = c.limits.latest
	}
	c.limits.latest = arrival{caller, time.Now()}
}

// hasOthers reports whether requests of other callers have come of late.
func (l *Limits) hasOthers(caller string) bool {
	last := l.latest
	if last.caller == caller {
		last = l.other
	}
	return time.Since(last.at) < present
}

// setCaller counts the request as one of the caller's, unless it is another's. Nil has no limits.
func (c *connection) setCaller(caller string) error {
	if c == nil {
		return nil
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	if c.caller != "" {
		return nil
	}
	return c.setCallerLocked(caller)
}

// isFull reports whether a caller can have no more requests, or send no more bodies. Nil has no limits.
func (c *connection) isFull(caller string) bool {
	if c == nil {
		return false
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	s := c.limits.callers[caller]
	return s != nil && max(s.requests, s.slow.Len()) >= c.limits.mostOfOne()
}

// mostOfOne is how many requests one caller can have.
func (l *Limits) mostOfOne() int { return max(1, l.places/oneCaller) }

// changeCaller counts the request as one of the caller's, of whom only the address was known before.
func (c *connection) changeCaller(caller string) error {
	if c == nil {
		return nil
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	if c.caller == caller {
		return nil
	}
	c.leaveShare()
	if err := c.setCallerLocked(caller); err != nil {
		return err
	}
	c.limits.callers[caller].bytes += c.bytes
	return nil
}

func (c *connection) setCallerLocked(caller string) error {
	if s := c.limits.callers[caller]; s != nil && s.requests >= c.limits.mostOfOne() {
		return errTooMany
	}
	c.limits.shareOf(caller).requests++
	c.caller = caller
	return nil
}

func (l *Limits) shareOf(caller string) *share {
	s := l.callers[caller]
	if s == nil {
		s = &share{turns: make(chan struct{}, maxTurns), narrow: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
		l.callers[caller] = s
	}
	return s
}

// awaitStrangersBody is awaitBody for a body of whose sender only the address is known. If too many come from there,
// the one that has been coming for the longest time is given up for it. Each is given a moment.
func (c *connection) awaitStrangersBody(stranger string) error {
	if c == nil {
		return nil
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	c.leavePlace()
	c.sending = true
	c.stopWaiting()
	for begun := time.Now(); !c.limits.abandonBody(stranger); {
		if time.Since(begun) > maxAcceptDelay {
			return errTooMany
		}
		c.limits.mutex.Unlock()
		<-time.After(minSilence / 25) // nothing signals when a body has been coming for long enough
		c.limits.mutex.Lock()
	}
	s := c.limits.shareOf(stranger)
	c.caller, c.since, c.slow = stranger, time.Now(), s.slow.PushBack(c)
	return nil
}

// abandonBody ends the stranger's request whose body has been coming for the longest time, if it must, and reports
// whether there is room for another.
func (l *Limits) abandonBody(stranger string) bool {
	s := l.callers[stranger]
	if s == nil || s.slow.Len() < l.mostOfOne() {
		return true
	}
	c := s.slow.Front().Value.(*connection)
	if time.Since(c.since) < minSilence {
		return false
	}
	_ = c.conn.SetReadDeadline(time.Unix(1, 0))
	c.leaveShare()
	return true
}

// AcquireTurn waits until the caller's reads before it are done, for a request that reads though its method does not
// say so, or a program's. It is known who asks. What it returns ends that.
//
// Returns Unavailable if they take too long.
func AcquireTurn(ctx context.Context) (leave func(), err error) {
	c := connectionOf(ctx)
	if c == nil {
		return func() {}, nil
	}
	leave = func() {
		c.limits.mutex.Lock()
		defer c.limits.mutex.Unlock()
		c.leaveTurns()
	}
	if err := c.acquireTurn(ctx); err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}

// acquireTurn waits until the caller's reads before this one are done. Nothing is read while the caller has much that
// is not read yet.
func (c *connection) acquireTurn(ctx context.Context) error {
	if c == nil || c.turns != nil {
		return nil
	}
	c.limits.mutex.Lock()
	s := c.limits.callers[c.caller]
	c.limits.mutex.Unlock()
	timeout := time.NewTimer(turnTimeout)
	defer timeout.Stop()
	take := func(turns chan struct{}) error {
		select {
		case turns <- struct{}{}:
			c.turns = append(c.turns, turns)
			return nil
		case <-timeout.C:
			return errTooMany
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := take(s.turns); err != nil {
		return err
	}
	c.limits.mutex.Lock()
	hasOthers := c.limits.hasOthers(c.caller)
	c.limits.mutex.Unlock()
	if hasOthers {
		if err := take(s.narrow); err != nil {
			return err
		}
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	if s.bytes > c.limits.bytes/oneCaller/2 {
		return errTooMany
	}
	return nil
}

// awaitBody releases the place, until the caller has sent the body.
func (c *connection) awaitBody() {
	if c == nil {
		return
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	c.leavePlace()
	c.sending = true
	c.stopWaiting()
}

// awaitReader releases the place, and holds bytes until the caller has read them. It is known who that is, if only by
// the address.
func (c *connection) awaitReader(bytes int) error {
	if c == nil {
		return nil
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	c.leavePlace()
	c.reading = true
	c.stopWaiting()
	return c.reserveLocked(int64(bytes))
}

// stopWaiting sets the caller a last time limit if the server is stopping.
func (c *connection) stopWaiting() {
	if c.limits.stopAt.IsZero() {
		return
	}
	if c.sending {
		_ = c.conn.SetReadDeadline(c.limits.stopAt)
	}
	if c.reading {
		_ = c.conn.SetWriteDeadline(c.limits.stopAt)
	}
}

// endBody takes a place again.
func (c *connection) endBody() error {
	if c == nil {
		return nil
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	c.sending = false
	if !c.acquirePlace() {
		return errOverloaded
	}
	if c.slow == nil {
		return nil
	}
	stranger := c.caller
	c.leaveShare()
	if err := c.setCallerLocked(stranger); err != nil {
		return err
	}
	c.limits.callers[stranger].bytes += c.bytes
	return nil
}

// reserve takes bytes until the request ends. It is known whose they are, if only by the address.
func (c *connection) reserve(bytes int) error {
	if c == nil {
		return nil
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	return c.reserveLocked(int64(bytes))
}

func (c *connection) reserveLocked(bytes int64) error {
	s := c.limits.callers[c.caller]
	switch {
	case s == nil: // it was given up
		return errTooMany
	case c.limits.held+bytes > c.limits.bytes:
		return errOverloaded
	case s.bytes > 0 && s.bytes+bytes > c.limits.bytes/oneCaller: // a single large answer is nobody's fault
		return errTooMany
	}
	c.limits.held += bytes
	c.bytes += bytes
	s.bytes += bytes
	return nil
}

// writeDeadline returns until when the caller must have read more of the answer.
func (c *connection) writeDeadline() time.Time {
	deadline := time.Now().Add(maxStall)
	if c == nil {
		return deadline
	}
	c.limits.mutex.Lock()
	defer c.limits.mutex.Unlock()
	if stopAt := c.limits.stopAt; !stopAt.IsZero() && stopAt.Before(deadline) {
		return stopAt
	}
	return deadline
}
