package db

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"syscall"

	"zombiezen.com/go/sqlite"
)

// logStep is by how much the write-ahead log is made longer at a time.
const logStep = 1 << 20 // bytes

// errUnconfirmed means that a commit is done as far as SQLite knows, but may be lost when the file system is next
// mounted.
var errUnconfirmed = fmt.Errorf("%w: the write-ahead log could not be made longer", ErrUnknownOutcome)

// confirmCommit keeps the write-ahead log longer than it has to be, so that commits write over what is there. A commit
// that makes the file longer may be lost although the disk was flushed: if the file system becomes read-only in that
// moment, ext4 may say that all is stored. So it is acknowledged only after the file was made longer once more, which
// then fails. SQLite takes the zeros for the end of the log.
//
// Returns errUnconfirmed if it cannot be known whether the commit is stored.
func (w *sqliteWriter) confirmCommit() error {
	if !w.reserves {
		return nil
	}
	if size := w.file.lengthOfLog(); size <= w.reserved {
		w.reserved = size // SQLite may have made it shorter
		return nil
	}
	if _, err := w.conn.run("BEGIN IMMEDIATE"); err != nil { // so that no other process writes to the log meanwhile
		if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
			return nil
		}
		return fmt.Errorf("%w: %w", errUnconfirmed, err)
	}
	defer w.rollback()
	size, err := extendLog(w.file.path + "-wal")
	if err != nil {
		return fmt.Errorf("%w: %w", errUnconfirmed, err)
	}
	w.reserved = size
	return nil
}

// extendLog makes a log longer by logStep, and returns how long it is then. Where there is no room for that, it stays
// as it is.
func extendLog(path string) (size int64, err error) {
	log, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer func() { err = cmp.Or(err, log.Close()) }()
	info, err := log.Stat()
	if err != nil {
		return 0, err
	}
	size = info.Size()
	_, err = log.WriteAt(make([]byte, logStep), size)
	if err = cmp.Or(err, log.Sync()); err == nil {
		return size + logStep, nil
	}
	if cutErr := log.Truncate(size); cutErr == nil && (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		errors.Is(err, syscall.EFBIG)) {
		return size, nil
	}
	return 0, err
}
