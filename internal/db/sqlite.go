package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"zombiezen.com/go/sqlite"
)

// FileName is the name of SQLite's file in the data directory.
const FileName = "penstock.db"

const (
	busyTimeout        = 10 * time.Second
	checkpointInterval = 200 * time.Millisecond
	restartPages       = 32_768                 // a write-ahead log of this many pages (128 MiB) is worth making writers wait for readers,
	restartPause       = 100 * time.Millisecond // for so long
)

// sqliteEngine is an open SQLite database: several connections that read, one that writes, and one that moves the write-ahead
// log into the file.
type sqliteEngine struct {
	path       string
	size       int              // how many connections read
	idle       chan *sqliteConn // of those
	writer     *sqliteWriter
	checkpoint *sqliteConn
	observe    observer
	unlock     func() error

	stop       chan struct{}
	background sync.WaitGroup
}

var sqliteDialect = dialect{
	engine: "sqlite",
	text:   "TEXT",
	bytes:  "BLOB",
	listColumns: `SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' ORDER BY t.name, c.cid`,
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
		size:    max(8, 2*runtime.GOMAXPROCS(0)),
		observe: o.Observe,
		unlock:  unlock,
		stop:    make(chan struct{}),
	}
	if err := e.open(); err != nil {
		return nil, errors.Join(adviseOnDir(err), unlock())
	}
	e.background.Go(e.writer.run)
	e.background.Go(e.runCheckpoints)
	return e, nil
}

// open opens the connections.
func (e *sqliteEngine) open() error {
	// SQLite would let everybody read it. What SQLite makes beside it has the same mode.
	file, err := os.OpenFile(e.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	opened := make([]*sqliteConn, 2+e.size)
	for i := range opened {
		if err == nil {
			opened[i], err = openSQLiteConn(e.path)
		}
	}
	if err == nil {
		// After an ANALYZE by hand SQLite would look at the values bound to a statement, and plan it again for each.
		_, err = opened[0].run("DROP TABLE IF EXISTS sqlite_stat4")
	}
	if err != nil {
		for _, c := range opened {
			if c != nil {
				_ = c.Close()
			}
		}
		return fmt.Errorf("open %s: %w", e.path, err)
	}
	e.writer = newSQLiteWriter(opened[0], e.observe, e.stop)
	e.checkpoint = opened[1]
	e.checkpoint.SetBusyTimeout(restartPause)
	e.idle = make(chan *sqliteConn, e.size)
	for _, c := range opened[2:] {
		c.memory = &memory{values: map[any]any{}}
		c.watchInterrupt()
		e.idle <- c
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

func (e *sqliteEngine) close() error {
	close(e.stop)
	e.background.Wait()
	var errs []error
	for range e.size {
		errs = append(errs, (<-e.idle).Close())
	}
	_, _ = e.checkpoint.run("PRAGMA wal_checkpoint(TRUNCATE)") // where the disk is full, the log is kept and read at the next start
	return errors.Join(append(errs, e.checkpoint.Close(), e.writer.conn.Close(), e.unlock())...)
}

func (e *sqliteEngine) poolUse() PoolUse {
	use := PoolUse{Open: e.size + 1, InUse: e.size - len(e.idle)}
	if e.writer.writing.Load() {
		use.InUse++
	}
	return use
}

func (e *sqliteEngine) readers() int { return e.size }

func (e *sqliteEngine) read(ctx context.Context, fn func(connection) error) error {
	conn, err := e.acquireReader(ctx)
	if err != nil {
		return err
	}
	defer func() { e.idle <- conn }()
	defer func() { _, _ = conn.run("ROLLBACK") }()
	if err := conn.beginRead(); err != nil {
		return classifySQLite(err)
	}
	defer conn.interruptWith(ctx)()
	return fn(conn)
}

// readStatement is read: a transaction costs next to nothing here.
func (e *sqliteEngine) readStatement(ctx context.Context, fn func(connection) error) error {
	return e.read(ctx, fn)
}

func (e *sqliteEngine) acquireReader(ctx context.Context) (*sqliteConn, error) {
	start := time.Now()
	defer func() { e.observe.waitedSince(start, "read") }()
	select {
	case conn := <-e.idle:
		return conn, nil
	default:
	}
	timeout := time.NewTimer(acquireTimeout)
	defer timeout.Stop()
	select {
	case conn := <-e.idle:
		return conn, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timeout.C:
		return nil, ErrOverloaded
	}
}

func (e *sqliteEngine) write(ctx context.Context, fn func(connection) error) error {
	return e.writer.write(ctx, fn)
}

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
	e.writer.noteCommit()
	return classifySQLite(err)
}

// runCheckpoints moves the write-ahead log into the database file beside the writer, so that no commit
// has to wait for it.
func (e *sqliteEngine) runCheckpoints() {
	for {
		select {
		case <-e.writer.committed:
		case <-e.stop:
			return
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
		switch code.ToPrimary() {
		case sqlite.ResultBusy, sqlite.ResultLocked:
			return fmt.Errorf("%w: %w", ErrOverloaded, err)
		case sqlite.ResultIOErr, sqlite.ResultCantOpen:
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	return err
}
