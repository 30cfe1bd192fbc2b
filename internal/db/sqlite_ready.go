package db

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"zombiezen.com/go/sqlite"
)

const (
	minDiskSpace    = 1 << 20          // bytes, below which the disk counts as full
	recentCommit    = 5 * time.Second  // for so long a commit proves that the database can be written
	damageCheckTime = 10 * time.Second // for looking for damage at the start
)

// ready proves that the database can be read, on a connection of its own, and written: by a recent commit, or by one
// that changes nothing.
func (e *sqliteEngine) ready(ctx context.Context, fn func(connection) error) error {
	e.probeMutex.Lock()
	defer e.probeMutex.Unlock()
	if err := e.file.check(); err != nil {
		return err
	}
	if err := e.readProbe(ctx, fn); err != nil && !errors.Is(err, ErrNewerSchema) {
		return err
	}
	if damage := e.damage.Load(); damage != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, *damage)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(e.path), &disk); err == nil && disk.Bavail*uint64(disk.Bsize) < minDiskSpace {
		return &Unready{"The disk is full.", fmt.Errorf("less than %d bytes are left", minDiskSpace)}
	}
	if time.Since(time.Unix(0, e.writer.lastCommit.Load())) < recentCommit {
		return nil
	}
	err := e.writer.write(ctx, func(connection) error {
		_, err := e.writer.conn.run("PRAGMA user_version=" + strconv.FormatUint(uint64(e.file.number), 10))
		return err
	})
	return explainUnwritable(err)
}

func (e *sqliteEngine) readProbe(ctx context.Context, fn func(connection) error) error {
	if _, err := e.probe.run("BEGIN"); err != nil {
		return classifySQLite(err)
	}
	defer func() { _, _ = e.probe.run("ROLLBACK") }()
	defer e.probe.interruptWith(ctx)()
	return fn(e.probe)
}

func explainUnwritable(err error) error {
	switch code := sqlite.ErrCode(err).ToPrimary(); {
	case err == nil, errors.Is(err, errLost), errors.Is(err, ErrDamaged):
		return err
	case code == sqlite.ResultFull:
		return &Unready{"The disk is full.", err}
	case code == sqlite.ResultReadOnly:
		return &Unready{"The database can only be read.", err}
	}
	return &Unready{"The database cannot be written.", err}
}

// isDamage reports whether SQLite found the file damaged.
func isDamage(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB
}

// recordDamage remembers damage that was met, until the next start, and reports it once.
func (e *sqliteEngine) recordDamage(err error) {
	if e.damage.CompareAndSwap(nil, &err) {
		e.report(fmt.Errorf("%w: %s: %w; stop the server and restore a backup", ErrDamaged, e.path, err))
	}
}

// lookForDamage has SQLite check the file, as far as it gets in a bounded time.
func (e *sqliteEngine) lookForDamage() {
	conn, err := openSQLiteConn(e.path)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), damageCheckTime)
	defer cancel()
	go func() {
		select {
		case <-e.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	conn.SetInterrupt(ctx.Done())
	if _, err := conn.run(withoutMap); err != nil {
		return
	}
	err = conn.step("PRAGMA quick_check(1)", nil, func(s *sqliteStatement) error {
		if found := s.ColumnText(0); found != "ok" {
			return errors.New(found)
		}
		return nil
	})
	if err != nil && ctx.Err() == nil && (isDamage(err) || sqlite.ErrCode(err) == sqlite.ResultError) {
		e.recordDamage(err)
	}
}
