package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
)

const (
	writeQueue = 1024                 // writes that may wait; further ones wait outside, for acquireTimeout
	batchSize  = 128                  // writes in one commit
	batchTime  = 5 * time.Millisecond // and how long the first may wait for the others
)

// sqliteWriter runs waiting writes, one at a time, and commits those that came together with one flush of
// the disk.
type sqliteWriter struct {
	conn       *sqliteConn
	file       *sqliteFile
	version    int64 // by which SQLite shows whether another process has changed the database
	reserves   bool  // room in the write-ahead log
	reserved   int64 // bytes of the write-ahead log that commits write over
	queue      chan *pendingWrite
	writing    atomic.Bool
	lastCommit atomic.Int64  // when, in nanoseconds since 1970
	committed  chan struct{} // has an element if something was committed since it was last looked at
	observe    observer
	stop       <-chan struct{}
	stopped    chan struct{}
}

// pendingWrite is a write that waits for its turn, or for its commit. Its function runs on the goroutine that asked for
// it, so that a panic has its own stack, and nobody returns while the function still runs.
type pendingWrite struct {
	turn     chan struct{}
	outcome  chan error // what the function returned
	done     chan error // what comes of the write
	deadline time.Time  // after which it is not run any more
	state    atomic.Int32

	err error
}

// The states of a pendingWrite: it waits for its turn, it has had one, or nobody waits for it any more.
const (
	writeWaits int32 = iota
	writeTaken
	writeAbandoned
)

var (
	// errBrokenOff is the outcome of a function that panicked or ended its goroutine. Nobody waits for such a write any
	// more.
	errBrokenOff = errors.New("the write was broken off")
	// errChanged means that another process has come between.
	errChanged = errors.New("another process has changed the database")
	// errEnded means that SQLite has ended the transaction by itself, as it does when the disk is full.
	errEnded   = fmt.Errorf("%w: SQLite has ended the transaction", ErrUnavailable)
	errClosing = fmt.Errorf("%w: it is being closed", ErrUnavailable)
)

func newSQLiteWriter(conn *sqliteConn, observe observer, stop <-chan struct{}) *sqliteWriter {
	return &sqliteWriter{
		conn:      conn,
		queue:     make(chan *pendingWrite, writeQueue),
		committed: make(chan struct{}, 1),
		observe:   observe,
		stop:      stop,
		stopped:   make(chan struct{}),
	}
}

// write waits for its turn, runs fn, and waits for the commit.
func (w *sqliteWriter) write(ctx context.Context, fn func(connection) error) error {
	start := time.Now()
	p := &pendingWrite{turn: make(chan struct{}), outcome: make(chan error, 1), done: make(chan error, 1),
		deadline: start.Add(busyTimeout)}
	if err := w.enqueue(ctx, p); err != nil {
		w.observe.waitedSince(start, "write")
		return err
	}
	timeout := time.NewTimer(busyTimeout)
	defer timeout.Stop()
	for {
		select {
		case <-timeout.C:
			if p.state.CompareAndSwap(writeWaits, writeAbandoned) {
				w.observe.waitedSince(start, "write")
				return ErrOverloaded
			}
		case <-p.turn:
			w.observe.waitedSince(start, "write")
			p.run(ctx, func() error { return fn(w.conn) })
			start = time.Now()
		case err := <-p.done:
			return err
		case <-w.stopped:
			select {
			case err := <-p.done:
				return err
			default:
				return errClosing
			}
		}
	}
}

func (w *sqliteWriter) enqueue(ctx context.Context, p *pendingWrite) error {
	timeout := time.NewTimer(acquireTimeout)
	defer timeout.Stop()
	select {
	case w.queue <- p:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout.C:
		return ErrOverloaded
	case <-w.stopped:
		return errClosing
	}
}

// run runs the function and reports to the writer what came of it, of a panic and of runtime.Goexit too.
func (p *pendingWrite) run(ctx context.Context, fn func() error) {
	err := ctx.Err()
	defer func() { p.outcome <- err }()
	if err == nil {
		err = errBrokenOff // unless fn returns
		err = fn()
	}
}

// run runs writes until the database is closed.
func (w *sqliteWriter) run() {
	defer close(w.stopped)
	for {
		select {
		case first := <-w.queue:
			if !first.claim() {
				continue
			}
			w.writing.Store(true)
			w.runBatch(first)
			w.recordCommit()
			w.writing.Store(false)
		case <-w.stop:
			return
		}
	}
}

func (w *sqliteWriter) recordCommit() {
	select {
	case w.committed <- struct{}{}:
	default:
	}
}

// runBatch runs first and the writes that wait behind it, and commits them together. A write that fails halfway is
// undone and ends the batch. If the commit itself fails, each write is run again alone, so that one cannot take the
// others with it.
func (w *sqliteWriter) runBatch(first *pendingWrite) {
	w.conn.SetBusyTimeout(max(time.Until(first.deadline), time.Millisecond))
	if err := w.begin(); err != nil {
		first.done <- classifySQLite(err)
		return
	}
	batch, err := w.fillBatch(first)
	switch err = w.end(err); {
	case errors.Is(err, errLost), errors.Is(err, errUnconfirmed):
		for _, p := range batch {
			p.err = cmp.Or(p.err, err)
		}
	case err != nil:
		unknown := errors.Is(err, ErrUnknownOutcome)
		for _, p := range batch {
			w.runAlone(p)
			if unknown && (errors.Is(p.err, ErrUnavailable) || errors.Is(p.err, ErrOverloaded)) {
				p.err = fmt.Errorf("%w: %w", ErrUnknownOutcome, p.err)
			}
		}
	}
	for _, p := range batch {
		p.done <- p.err
	}
}

// fillBatch runs the writes of a batch. It returns an error if what they did must not be committed.
func (w *sqliteWriter) fillBatch(first *pendingWrite) (batch []*pendingWrite, err error) {
	start := time.Now()
	for next := first; next != nil; next = w.nextWaiting() {
		batch = append(batch, next)
		before := len(w.conn.changes)
		w.grantTurn(next)
		switch {
		case next.err != nil && len(w.conn.changes) > before, w.conn.AutocommitEnabled():
			return batch, w.undoFrom(before)
		case len(batch) == batchSize, time.Since(start) > batchTime:
			return batch, nil
		}
	}
	return batch, nil
}

// nextWaiting returns the next write, or nil if none waits.
func (w *sqliteWriter) nextWaiting() *pendingWrite {
	for {
		select {
		case p := <-w.queue:
			if p.claim() {
				return p
			}
		default:
			return nil
		}
	}
}

// claim reports whether the write still waits. From then on it is seen through.
func (p *pendingWrite) claim() bool { return p.state.CompareAndSwap(writeWaits, writeTaken) }

// grantTurn has the write's function run.
func (w *sqliteWriter) grantTurn(p *pendingWrite) {
	w.conn.recordsChanges = true
	p.turn <- struct{}{}
	p.err = <-p.outcome
	w.conn.recordsChanges = false
	if p.err == nil && w.conn.AutocommitEnabled() {
		p.err = errEnded
	}
}

// undoFrom undoes the changes from the given one on: it starts over and makes those before it again. A savepoint for
// each write would do the same, at half again the cost of every write, since SQLite then copies each page before it
// changes it.
func (w *sqliteWriter) undoFrom(first int) error {
	before, kept := w.version, slices.Clone(w.conn.changes[:first])
	w.rollback()
	if err := w.begin(); err != nil {
		return err
	}
	if w.version != before {
		return errChanged
	}
	for _, c := range kept {
		if _, err := w.conn.run(c.sql, c.args...); err != nil {
			return err
		}
	}
	return nil
}

// runAlone runs a write in a transaction of its own, and sets its outcome.
func (w *sqliteWriter) runAlone(p *pendingWrite) {
	if errors.Is(p.err, errBrokenOff) {
		return
	}
	p.err = nil
	left := time.Until(p.deadline)
	if left <= 0 {
		p.err = ErrOverloaded
		return
	}
	w.conn.SetBusyTimeout(left)
	err := w.begin()
	if err == nil {
		w.grantTurn(p)
		err = w.end(p.err)
	}
	if p.err == nil {
		p.err = classifySQLite(err)
	}
}

func (w *sqliteWriter) begin() error {
	clear(w.conn.changes)
	w.conn.changes = w.conn.changes[:0]
	if _, err := w.conn.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	return w.conn.step("PRAGMA data_version", nil, func(s *sqliteStatement) error {
		w.version = s.ColumnInt64(0)
		return nil
	})
}

// end commits the transaction, or undoes it if err is not nil. Nothing goes into a file that is not the installation's
// any more; what may have done so is not acknowledged.
func (w *sqliteWriter) end(err error) error {
	if err == nil {
		err = w.file.check()
	}
	if err == nil {
		_, err = w.conn.run("COMMIT")
		// it is written, but not flushed: after a crash SQLite may find it
		if sqlite.ErrCode(err) == sqlite.ResultIOErrFsync {
			err = fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
		}
	}
	if err != nil {
		w.rollback()
		return err
	}
	if err := w.file.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
	}
	if err := w.confirmCommit(); err != nil {
		return err
	}
	w.lastCommit.Store(time.Now().UnixNano())
	return nil
}

func (w *sqliteWriter) rollback() {
	if !w.conn.AutocommitEnabled() {
		_, _ = w.conn.run("ROLLBACK")
	}
}
