package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"zombiezen.com/go/sqlite"
)

// FileName is the name of SQLite's file in the data directory.
const FileName = "penstock.db"

const (
	busyTimeout        = 10 * time.Second
	checkpointInterval = 200 * time.Millisecond
	// at which it is looked whether the file is still there, while nothing is written
	fileInterval = time.Second
	// a write-ahead log of this many pages (128 MiB) is worth making writers wait for readers,
	restartPages = 32_768
	restartPause = 100 * time.Millisecond // for so long
)

// sqliteEngine is an open SQLite database: several connections that read, one that writes, and one that moves the
// write-ahead log into the file.
type sqliteEngine struct {
	path       string
	reading    chan struct{} // has a value for each connection that reads, and room for as many as may
	idleMutex  sync.Mutex
	idle       []*sqliteConn // readers that were opened and do nothing; the one used last is used next
	writer     *sqliteWriter
	checkpoint *sqliteConn
	probe      *sqliteConn // answers whether the database is ready
	file       *sqliteFile
	observe    observer
	unlock     func() error
	report     func(error)

	damage     atomic.Pointer[error] // that was met
	probeMutex sync.Mutex
	removable  bool // the file was made by this process
	// once it is closed, the file has all that was stored: it had the write-ahead log, or a server has said that it is
	// gone
	completes bool

	stop       chan struct{}
	background sync.WaitGroup
}

var sqliteDialect = dialect{
	engine: "sqlite",
	text:   "TEXT",
	bytes:  "BLOB",
	listColumns: `SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' ORDER BY t.name, c.cid`,
	hasColumn: `SELECT 1 FROM pragma_table_info($1) WHERE name = $2`,
}

func (e *sqliteEngine) dialect() *dialect { return &sqliteDialect }

func openSQLite(_ context.Context, o Options) (_ engine, err error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w; choose another with --data", err)
	}
	unlock := func() error { return nil }
	if o.Exclusive {
		if unlock, err = lockDir(o.Dir); err != nil {
			return nil, err
		}
	}
	e := &sqliteEngine{
		path:    filepath.Join(o.Dir, FileName),
		reading: make(chan struct{}, max(8, 2*runtime.GOMAXPROCS(0))),
		observe: o.Observe,
		unlock:  unlock,
		report:  o.Report,
		stop:    make(chan struct{}),
	}
	if err := e.open(o); errors.Is(err, ErrOtherDatabase) {
		return nil, errors.Join(err, unlock())
	} else if err != nil {
		return nil, errors.Join(adviseOnDir(err), unlock())
	}
	e.background.Go(e.writer.run)
	e.background.Go(e.runCheckpoints)
	if o.Exclusive {
		e.background.Go(e.lookForDamage)
	}
	return e, nil
}

// open opens the file and the connections.
func (e *sqliteEngine) open(o Options) error {
	marker, err := readMarker(o.Dir)
	if err != nil {
		return err
	}
	if err := refuseMissing(o.Dir, marker); err != nil && !o.Anew {
		return err
	}
	_, err = os.Stat(e.path)
	e.removable = o.Exclusive && o.Anew && errors.Is(err, os.ErrNotExist)
	// SQLite would let everybody read it. What SQLite makes beside it has the same mode.
	file, err := os.OpenFile(e.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	e.file = &sqliteFile{path: e.path, file: file, tell: e.report}
	e.completes = o.Exclusive || hasLog(e.path)
	lostLog := findLostLog(e.path)
	if err := e.openConnections(o, marker); err != nil {
		return errors.Join(err, file.Close())
	}
	if o.Exclusive {
		if lostLog != nil {
			e.report(lostLog)
		}
		if err := markRunning(e.path); err != nil { // on a full disk it is served nevertheless
			e.report(fmt.Errorf("it could not be marked that the database is open: %w", err))
		}
	}
	return nil
}

func (e *sqliteEngine) openConnections(o Options, marker uint32) (err error) {
	opened := make([]*sqliteConn, 3)
	for i := range opened {
		if err == nil {
			opened[i], err = openSQLiteConn(e.path)
		}
		if err == nil {
			opened[i].damaged = e.recordDamage
		}
	}
	if err == nil {
		// After an ANALYZE by hand SQLite would look at the values bound to a statement, and plan it again for each.
		_, err = opened[0].run("DROP TABLE IF EXISTS sqlite_stat4")
	}
	if err == nil {
		e.file.number, err = e.identify(opened[0], o.Dir, marker, o.Anew)
		if err != nil && !errors.Is(err, ErrOtherDatabase) {
			e.report(fmt.Errorf("the database could not be marked: %w", err)) // on a full disk it is served nevertheless
			err = nil
		}
	}
	if err == nil {
		e.file.log, err = os.Stat(e.path + "-wal")
	}
	if err != nil {
		for _, c := range opened {
			if c != nil {
				_ = c.Close()
			}
		}
		return fmt.Errorf("open %s: %w", e.path, err)
	}
	if _, err := opened[0].run(writerCache); err != nil {
		e.report(fmt.Errorf("the writer's cache could not be made larger: %w", err))
	}
	e.writer = newSQLiteWriter(opened[0], e.observe, e.stop)
	e.writer.file, e.writer.reserves = e.file, o.Exclusive
	e.checkpoint = opened[1]
	e.checkpoint.SetBusyTimeout(restartPause)
	e.probe = opened[2]
	e.probe.watchInterrupt()
	return nil
}

// openReader opens a connection that reads. Each reads the whole schema first, so they are opened when they are needed.
// The file must be the one that the others have: SQLite would make a missing one.
func (e *sqliteEngine) openReader() (*sqliteConn, error) {
	if err := e.file.check(); err != nil {
		return nil, err
	}
	conn, err := openSQLiteConn(e.path)
	if err != nil {
		return nil, classifySQLite(err)
	}
	conn.damaged = e.recordDamage
	conn.memory = &memory{values: map[any]*remembered{}}
	conn.watchInterrupt()
	if err := conn.watchSources(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
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

func (e *sqliteEngine) close() error {
	close(e.stop)
	e.background.Wait()
	var errs []error
	for range cap(e.reading) {
		e.reading <- struct{}{} // once nobody reads
	}
	for _, conn := range e.idle {
		errs = append(errs, conn.Close())
	}
	migrated, err := e.checkpoint.hasTable("schema_migrations")
	// where the disk is full, the log is kept and read at the next start
	_, _ = e.checkpoint.run("PRAGMA wal_checkpoint(TRUNCATE)")
	errs = append(errs, e.checkpoint.Close(), e.probe.Close(), e.writer.conn.Close(), e.file.file.Close())
	if e.completes {
		errs = append(errs, markStopped(e.path))
	}
	if e.removable && err == nil && !migrated {
		errs = append(errs, os.Remove(e.path), os.Remove(filepath.Join(filepath.Dir(e.path), markerName)))
	}
	return errors.Join(append(errs, e.unlock())...)
}

func (e *sqliteEngine) poolUse() PoolUse {
	use := PoolUse{Open: cap(e.reading) + 1, InUse: len(e.reading)}
	if e.writer.writing.Load() {
		use.InUse++
	}
	return use
}

func (e *sqliteEngine) readers() int { return cap(e.reading) }

func (e *sqliteEngine) roundTrips() int64 { return 0 }

func (e *sqliteEngine) read(ctx context.Context, fn func(connection) error) error {
	conn, err := e.acquireReader(ctx)
	if err != nil {
		return err
	}
	defer e.releaseReader(conn)
	defer func() { _, _ = conn.run("ROLLBACK") }()
	if err := conn.beginRead(); err != nil {
		return classifySQLite(err)
	}
	defer conn.interruptWith(ctx)()
	return fn(conn)
}

// readAll has a connection of its own, which does not map the file: all pages that it passes would count as memory of
// the process.
func (e *sqliteEngine) readAll(ctx context.Context, fn func(connection) error) error {
	conn, err := e.openReader()
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	for _, sql := range []string{withoutMap, "BEGIN"} {
		if _, err := conn.run(sql); err != nil {
			return classifySQLite(err)
		}
	}
	defer conn.interruptWith(ctx)()
	return fn(conn)
}

const withoutMap = "PRAGMA mmap_size=0"

// readStatement is read: a transaction costs next to nothing here.
func (e *sqliteEngine) readStatement(ctx context.Context, fn func(connection) error) error {
	return e.read(ctx, fn)
}

func (e *sqliteEngine) acquireReader(ctx context.Context) (*sqliteConn, error) {
	if e.file.isLost() {
		if err := e.file.check(); err != nil {
			return nil, err
		}
	}
	start := time.Now()
	defer func() { e.observe.waitedSince(start, "read") }()
	select {
	case e.reading <- struct{}{}:
	default:
		timeout := time.NewTimer(acquireTimeout)
		defer timeout.Stop()
		select {
		case e.reading <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timeout.C:
			return nil, ErrOverloaded
		}
	}
	e.idleMutex.Lock()
	if last := len(e.idle) - 1; last >= 0 {
		defer e.idleMutex.Unlock()
		conn := e.idle[last]
		e.idle = e.idle[:last]
		return conn, nil
	}
	e.idleMutex.Unlock()
	conn, err := e.openReader()
	if err != nil {
		<-e.reading
	}
	return conn, err
}

func (e *sqliteEngine) releaseReader(conn *sqliteConn) {
	e.idleMutex.Lock()
	e.idle = append(e.idle, conn)
	e.idleMutex.Unlock()
	<-e.reading
}

// listen receives nothing: the database has one server.
func (e *sqliteEngine) listen(ctx context.Context, _ string, _ func(), _ func(string)) error {
	<-ctx.Done()
	return ctx.Err()
}

func (e *sqliteEngine) notify(context.Context, string, []string) error { return nil }

func (e *sqliteEngine) write(ctx context.Context, fn func(connection) error) error {
	return e.writer.write(ctx, fn)
}

// writerCache is how much of the database the connection that writes holds in memory. With SQLite's usual 2 MB it would
// read most pages that it changes from the write-ahead log again.
const writerCache = "PRAGMA cache_size=-16384" // KiB

// loadCache is how much of the database SQLite holds in memory while all of it is changed: with its usual 2 MB, rows
// that do not come in the order of every index are several times slower.
const loadCache = "PRAGMA cache_size=-65536" // KiB

// writeAlone has a connection of its own: the writer would keep the statements, and what they changed until the commit.
func (e *sqliteEngine) writeAlone(ctx context.Context, fn func(connection) error) error {
	conn, err := openSQLiteConn(e.path)
	if err != nil {
		return fmt.Errorf("open %s: %w", e.path, classifySQLite(err))
	}
	defer func() { _ = conn.Close() }() // undoes what was not committed
	// Deferred, foreign keys let tables and rows come in any order.
	for _, sql := range []string{loadCache, "BEGIN IMMEDIATE", "PRAGMA defer_foreign_keys=ON"} {
		if _, err := conn.run(sql); err != nil {
			return classifySQLite(err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := fn(conn); err != nil {
		return err
	}
	_, err = conn.run("COMMIT")
	e.writer.recordCommit()
	if err := cmp.Or(classifySQLite(err), e.file.check()); err != nil {
		return err
	}
	return writeMarker(filepath.Dir(e.path), e.file.number)
}

// runCheckpoints moves the write-ahead log into the database file beside the writer, so that no commit
// has to wait for it.
func (e *sqliteEngine) runCheckpoints() {
	for {
		select {
		case <-e.writer.committed:
		case <-time.After(fileInterval):
			_ = e.file.check()
			continue
		case <-e.stop:
			return
		}
		if e.file.check() != nil {
			continue // what is there is not ours to change
		}
		var pages int64
		_ = e.checkpoint.step("PRAGMA wal_checkpoint(PASSIVE)", nil, func(s *sqliteStatement) error {
			pages = s.ColumnInt64(1)
			return nil
		})
		if pages > restartPages {
			_, _ = e.checkpoint.run("PRAGMA wal_checkpoint(RESTART)")
		}
		select {
		case <-time.After(checkpointInterval):
		case <-e.stop:
			return
		}
	}
}

func classifySQLite(err error) error {
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
		if isDamage(err) {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		switch code.ToPrimary() {
		case sqlite.ResultBusy, sqlite.ResultLocked:
			return fmt.Errorf("%w: %w", ErrOverloaded, err)
		case sqlite.ResultIOErr, sqlite.ResultCantOpen, sqlite.ResultReadOnly:
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	return err
}
