package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"zombiezen.com/go/sqlite"
)

// FileName is the name of SQLite's file in the data directory.
const FileName = "penstock.db"

const (
	busyTimeout    = 10 * time.Second
	writeQueue     = 1024                 // writes that may wait; further ones wait outside, for acquireTimeout
	maxHeld        = 1000                 // statements a connection; more only come from lists that are asked for in many ways
	batchSize      = 128                  // writes in one commit
	batchTime      = 5 * time.Millisecond // and how long the first may wait for the others
	carefulBatches = 32                   // after a batch that one write spoiled
	checkpointRest = 200 * time.Millisecond
	restartPages   = 32_768                 // a write-ahead log of this many pages (128 MiB) is worth making writers wait for readers,
	restartPause   = 100 * time.Millisecond // for so long
)

// lite is an open SQLite database: several readers, and one goroutine that runs all writes and commits
// those that wait together.
type lite struct {
	readers    chan *liteConn
	size       int
	writer     *liteConn
	careful    int // batches that are yet to be run with savepoints
	checkpoint *liteConn
	jobs       chan *job
	writing    atomic.Bool
	dirty      chan struct{}
	stop       chan struct{}
	stopped    sync.WaitGroup
}

// liteConn holds its statements, up to maxHeld of them: binding anew is several times cheaper than
// preparing, and unlike the library's own cache it does not clear bindings, which would make SQLite
// plan range statements again at every run.
type liteConn struct {
	*sqlite.Conn
	held   map[string]*heldStmt
	wrote  bool // since this was last set to false
	broken chan struct{}
}

type heldStmt struct {
	*sqlite.Stmt
	argument []int // for each parameter of the statement, the index of its argument
	bound    []any // what each parameter is bound to; nil when that cannot be compared
	reads    bool
	running  bool
}

type job struct {
	ctx      context.Context
	run      func(*Tx) error
	queued   time.Time
	err      error
	panicked any
	done     chan struct{}
}

func openLite(dir string, exclusive bool) (_ *lite, unlock func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make the data directory: %w; choose another with --data", err)
	}
	unlock = func() error { return nil }
	if exclusive {
		if unlock, err = lockDir(dir); err != nil {
			return nil, nil, err
		}
	}
	l := &lite{
		size:  max(4, 2*runtime.GOMAXPROCS(0)),
		jobs:  make(chan *job, writeQueue),
		dirty: make(chan struct{}, 1),
		stop:  make(chan struct{}),
	}
	if err := l.open(filepath.Join(dir, FileName)); err != nil {
		return nil, nil, errors.Join(adviseOnDir(err), unlock())
	}
	l.stopped.Go(l.write)
	l.stopped.Go(l.checkpoints)
	return l, unlock, nil
}

// open opens the connections.
func (l *lite) open(path string) error {
	// SQLite would let everybody read it. What SQLite makes beside it has the same mode.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	opened := make([]*liteConn, 2+l.size)
	for i := range opened {
		if err == nil {
			opened[i], err = openLiteConn(path)
		}
	}
	if err == nil {
		// After an ANALYZE by hand SQLite would look at the values bound to a statement, and plan it again for each.
		_, err = opened[0].exec("DROP TABLE IF EXISTS sqlite_stat4", nil)
	}
	if err != nil {
		for _, c := range opened {
			if c != nil {
				_ = c.Close()
			}
		}
		return fmt.Errorf("open %s: %w", path, err)
	}
	l.writer, l.checkpoint = opened[0], opened[1]
	l.checkpoint.SetBusyTimeout(restartPause)
	l.readers = make(chan *liteConn, l.size)
	for _, c := range opened[2:] {
		c.listen()
		l.readers <- c
	}
	return nil
}

func adviseOnDir(err error) error {
	return fmt.Errorf("%w; check that penstock may write there, or choose another directory with --data", err)
}

func lockDir(dir string) (unlock func() error, err error) {
	path := filepath.Join(dir, "penstock.lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, adviseOnDir(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("data directory %s is %w: stop it, or choose another directory with --data", dir, ErrLocked)
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f.Close, nil
}

func openLiteConn(path string) (*liteConn, error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(busyTimeout)
	c := &liteConn{Conn: conn, held: map[string]*heldStmt{}}
	for _, pragma := range []string{
		"PRAGMA journal_mode=WAL",
		"PRAGMA synchronous=FULL",
		"PRAGMA foreign_keys=ON",
		"PRAGMA wal_autocheckpoint=0", // checkpoints does it
		"PRAGMA mmap_size=2147418112",
		"PRAGMA temp_store=MEMORY",
	} {
		if _, err := c.exec(pragma, nil); err != nil {
			_ = c.Close()
			return nil, fmt.Errorf("%s: %w", pragma, err)
		}
	}
	return c, nil
}

func (l *lite) close() error {
	close(l.stop)
	l.stopped.Wait()
	var errs []error
	for range l.size {
		errs = append(errs, (<-l.readers).Close())
	}
	_, _ = l.checkpoint.exec("PRAGMA wal_checkpoint(TRUNCATE)", nil) // where the disk is full, the log is kept and read at the next start
	return errors.Join(append(errs, l.checkpoint.Close(), l.writer.Close())...)
}

func (d *DB) liteRead(ctx context.Context, fn func(*Tx) error) error {
	conn, err := d.liteReader(ctx)
	if err != nil {
		return err
	}
	defer func() { d.lite.readers <- conn }()
	if _, err := conn.exec("BEGIN", nil); err != nil {
		return err
	}
	defer func() { _, _ = conn.exec("ROLLBACK", nil) }()
	defer conn.until(ctx)()
	return fn(&Tx{ctx: ctx, db: d, lite: conn})
}

// until breaks off what the connection does when ctx is done. The function that it returns ends that.
func (c *liteConn) until(ctx context.Context) (end func()) {
	broken := c.broken
	stop := context.AfterFunc(ctx, func() { close(broken) })
	return func() {
		if !stop() {
			<-broken
			c.listen()
		}
	}
}

// listen makes the connection break off what it does as soon as broken is closed.
func (c *liteConn) listen() {
	c.broken = make(chan struct{})
	c.SetInterrupt(c.broken)
}

func (d *DB) liteReader(ctx context.Context) (*liteConn, error) {
	select {
	case conn := <-d.lite.readers:
		return conn, nil
	default:
	}
	start := time.Now()
	defer func() { d.observe(Wait{Kind: "read", Duration: time.Since(start)}) }()
	timeout := time.NewTimer(acquireTimeout)
	defer timeout.Stop()
	select {
	case conn := <-d.lite.readers:
		return conn, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timeout.C:
		return nil, ErrOverloaded
	}
}

func (d *DB) liteWrite(ctx context.Context, fn func(*Tx) error) error {
	j := &job{ctx: ctx, queued: time.Now(), done: make(chan struct{})}
	j.run = func(tx *Tx) error {
		d.observe(Wait{Kind: "write", Duration: time.Since(j.queued)})
		tx.ctx, tx.db = ctx, d
		return fn(tx)
	}
	timeout := time.NewTimer(acquireTimeout)
	defer timeout.Stop()
	select {
	case d.lite.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout.C:
		return ErrOverloaded
	}
	select {
	case <-j.done:
	case <-d.lite.stop:
		return fmt.Errorf("%w: it is being closed", ErrUnavailable)
	}
	if j.panicked != nil {
		panic(j.panicked)
	}
	return j.err
}

func (l *lite) write() {
	for {
		select {
		case first := <-l.jobs:
			l.writing.Store(true)
			l.runBatch(first)
			l.writing.Store(false)
		case <-l.stop:
			return
		}
	}
}

// runBatch runs first and the writes that wait behind it, and commits them together. If one of them fails halfway, they are undone
// and run again, each in a savepoint of its own; so are those of the next batches, as more failures are likely to come. Savepoints
// are not used always, since they cost more than the writes themselves. If the commit itself fails, each is run again alone, so that one
// cannot take the others with it.
func (l *lite) runBatch(first *job) {
	batch := []*job{first}
	defer func() {
		for _, j := range batch {
			close(j.done)
		}
	}()
	if err := l.begin(); err != nil {
		first.err = err
		return
	}
	attempt := l.attempt
	if l.careful > 0 {
		l.careful--
		attempt = l.attemptInSavepoint
	}
	err := attempt(first)
	for start := time.Now(); err == nil && len(batch) < batchSize && time.Since(start) < batchTime; {
		select {
		case next := <-l.jobs:
			batch = append(batch, next)
			err = attempt(next)
			continue
		default:
		}
		break
	}
	if err = l.end(err); errors.Is(err, errSpoiled) {
		l.careful = carefulBatches
		err = l.transaction(l.attemptInSavepoint, batch...)
	}
	if err != nil {
		for _, j := range batch {
			if err := l.transaction(l.attempt, j); err != nil && !j.failed() {
				j.err = classifyLite(err)
			}
		}
	}
	select {
	case l.dirty <- struct{}{}:
	default:
	}
}

var (
	errSpoiled = errors.New("a write failed halfway")
	errEnded   = errors.New("SQLite has ended the transaction")
)

// transaction runs the jobs in one transaction.
func (l *lite) transaction(attempt func(*job) error, jobs ...*job) error {
	err := l.begin()
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if err = attempt(j); err != nil {
			break
		}
	}
	return l.end(err)
}

func (l *lite) begin() error {
	_, err := l.writer.exec("BEGIN IMMEDIATE", nil)
	return classifyLite(err)
}

// end commits the transaction, or undoes it if err is not nil.
func (l *lite) end(err error) error {
	if err == nil {
		_, err = l.writer.exec("COMMIT", nil)
	}
	if err != nil && !l.writer.AutocommitEnabled() {
		_, _ = l.writer.exec("ROLLBACK", nil)
	}
	return err
}

// attempt runs a job. It returns an error if the transaction must not be committed after it.
func (l *lite) attempt(j *job) error {
	l.writer.wrote = false
	j.attempt(l.writer)
	switch {
	case l.writer.AutocommitEnabled():
		return errEnded
	case j.failed() && l.writer.wrote:
		return errSpoiled
	}
	return nil
}

// attemptInSavepoint is attempt for a job that is undone by itself if it fails.
func (l *lite) attemptInSavepoint(j *job) error {
	if _, err := l.writer.exec("SAVEPOINT job", nil); err != nil {
		return err
	}
	j.attempt(l.writer)
	if l.writer.AutocommitEnabled() {
		return errEnded
	}
	if j.failed() {
		if _, err := l.writer.exec("ROLLBACK TO job", nil); err != nil {
			return err
		}
	}
	_, err := l.writer.exec("RELEASE job", nil)
	return err
}

func (j *job) attempt(conn *liteConn) {
	j.panicked = nil
	if j.err = j.ctx.Err(); j.err != nil {
		return
	}
	defer func() { j.panicked = recover() }()
	j.err = j.run(&Tx{lite: conn})
}

func (j *job) failed() bool { return j.err != nil || j.panicked != nil }

// checkpoints moves the write-ahead log into the database file beside the writer, so that no commit
// has to wait for it.
func (l *lite) checkpoints() {
	for {
		select {
		case <-l.dirty:
		case <-l.stop:
			return
		}
		var pages int64
		_ = l.checkpoint.query("PRAGMA wal_checkpoint(PASSIVE)", func(s *sqlite.Stmt) error {
			pages = s.ColumnInt64(1)
			return nil
		}, nil)
		if pages > restartPages {
			_, _ = l.checkpoint.exec("PRAGMA wal_checkpoint(RESTART)", nil)
		}
		select {
		case <-time.After(checkpointRest):
		case <-l.stop:
			return
		}
	}
}

func (tx *Tx) liteQuery(sql string, each func(*Row) error, args []any) error {
	var row Row
	err := tx.lite.query(sql, func(s *sqlite.Stmt) error {
		row.next, row.stmt = 0, s
		return each(&row)
	}, args)
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultInterrupt && tx.ctx.Err() != nil {
		return tx.ctx.Err()
	}
	return classifyLite(err)
}

func (tx *Tx) liteExec(sql string, args []any) (int64, error) {
	n, err := tx.lite.exec(sql, args)
	return n, classifyLite(err)
}

func (c *liteConn) exec(sql string, args []any) (int64, error) {
	if err := c.query(sql, func(*sqlite.Stmt) error { return nil }, args); err != nil {
		return 0, err
	}
	return int64(c.Changes()), nil
}

func (c *liteConn) query(sql string, each func(*sqlite.Stmt) error, args []any) error {
	stmt, err := c.hold(sql)
	if err != nil {
		return err
	}
	stmt.running = true
	defer func() { // also of a panic in each: a statement that has rows left would go on with them next time
		_ = stmt.Reset()
		stmt.running = false
	}()
	c.wrote = c.wrote || !stmt.reads
	for i, argument := range stmt.argument {
		if argument >= len(args) {
			return fmt.Errorf("the statement has $%d but only %d arguments were given", argument+1, len(args))
		}
		if err := stmt.bind(i, args[argument]); err != nil {
			return err
		}
	}
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return err
		}
		if err := each(stmt.Stmt); err != nil {
			return err
		}
	}
}

func (c *liteConn) hold(sql string) (*heldStmt, error) {
	if stmt, ok := c.held[sql]; ok {
		return stmt, nil
	}
	prepared, trailing, err := c.PrepareTransient(sql)
	if err != nil {
		return nil, err
	}
	if trailing != 0 {
		return nil, errors.Join(fmt.Errorf("more than one statement in %q", sql), prepared.Finalize())
	}
	stmt := &heldStmt{Stmt: prepared, reads: strings.HasPrefix(strings.TrimSpace(sql), "SELECT")}
	for i := 1; i <= prepared.BindParamCount(); i++ {
		n, err := strconv.Atoi(prepared.BindParamName(i)[1:])
		if err != nil {
			return nil, errors.Join(fmt.Errorf("parameter %s is not a number", prepared.BindParamName(i)), prepared.Finalize())
		}
		stmt.argument = append(stmt.argument, n-1)
	}
	stmt.bound = make([]any, len(stmt.argument))
	if len(c.held) >= maxHeld {
		c.drop()
	}
	c.held[sql] = stmt
	return stmt, nil
}

// drop finalizes one held statement that is not being run.
func (c *liteConn) drop() {
	for sql, stmt := range c.held {
		if !stmt.running {
			delete(c.held, sql)
			_ = stmt.Finalize()
			return
		}
	}
}

// script runs several statements once, without holding them.
func (c *liteConn) script(sql string) error {
	for strings.TrimSpace(sql) != "" {
		stmt, trailing, err := c.PrepareTransient(sql)
		if err != nil {
			return err
		}
		_, err = stmt.Step()
		if err := errors.Join(err, stmt.Finalize()); err != nil {
			return err
		}
		sql = sql[len(sql)-trailing:]
	}
	return nil
}

// Close finalizes the held statements and closes the connection.
func (c *liteConn) Close() error {
	var errs []error
	for _, stmt := range c.held {
		errs = append(errs, stmt.Finalize())
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}

// bind binds a parameter, unless it has the value already: SQLite plans a statement again whenever a LIMIT is
// bound, even to the same value.
func (s *heldStmt) bind(parameter int, arg any) error {
	switch arg.(type) {
	case string, int64, int, bool:
		if s.bound[parameter] == arg {
			return nil
		}
		s.bound[parameter] = arg
	default:
		s.bound[parameter] = nil
	}
	return bind(s.Stmt, parameter+1, arg)
}

func bind(stmt *sqlite.Stmt, param int, arg any) error {
	switch v := arg.(type) {
	case nil:
		stmt.BindNull(param)
	case string:
		stmt.BindText(param, v)
	case int64:
		stmt.BindInt64(param, v)
	case int:
		stmt.BindInt64(param, int64(v))
	case bool:
		stmt.BindBool(param, v)
	default:
		switch r := reflect.ValueOf(arg); r.Kind() {
		case reflect.String:
			stmt.BindText(param, r.String())
		case reflect.Pointer:
			if r.IsNil() {
				stmt.BindNull(param)
				return nil
			}
			return bind(stmt, param, r.Elem().Interface())
		default:
			return fmt.Errorf("a %T cannot be an argument", arg)
		}
	}
	return nil
}

func classifyLite(err error) error {
	if err == nil {
		return nil
	}
	switch code := sqlite.ErrCode(err); code {
	case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey:
		return fmt.Errorf("%w: %w", ErrUnique, err)
	case sqlite.ResultConstraintForeignKey:
		return fmt.Errorf("%w: %w", ErrForeignKey, err)
	case sqlite.ResultFull:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	default:
		switch code.ToPrimary() {
		case sqlite.ResultBusy, sqlite.ResultLocked:
			return fmt.Errorf("%w: %w", ErrOverloaded, err)
		case sqlite.ResultIOErr, sqlite.ResultCantOpen:
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	return err
}
