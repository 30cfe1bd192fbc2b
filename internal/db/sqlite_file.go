package db

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// markerName is the name of the file beside SQLite's that has the database's number, so that one that is gone, emptied
// or exchanged is not taken for a new installation.
const markerName = "penstock.installation"

// ErrOtherDatabase means that the data directory does not hold the database that it held before.
var ErrOtherDatabase = errors.New("the data directory does not hold its database")

// sqliteFile reports whether SQLite's file is still the one that was opened. It has the file open: SQLite would lose
// its locks if another descriptor of it were closed before its own.
type sqliteFile struct {
	path   string
	file   *os.File
	log    os.FileInfo // of the write-ahead log
	number uint32      // that SQLite's header has; 0: none is known

	mutex sync.Mutex
	size  int64 // the last one seen
	lost  error // why it is not the file any more; nil: it is
	tell  func(error)

	logSize int64 // of the write-ahead log, when it was last looked at

	overwritten bool // what it held is gone: it stays lost
}

// errLost means that the file is not the one that was opened any more.
var errLost = fmt.Errorf("%w: the database file is lost", ErrUnavailable)

// check returns errLost unless the database's files are where they were and what they were. What it finds is reported
// once.
func (f *sqliteFile) check() error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.overwritten {
		return f.lost
	}
	before := f.lost
	f.lost = nil
	if why := f.whyLost(); why != "" {
		f.lost = fmt.Errorf("%w: %s %s; stop the server, put the file back or restore a backup, and start it again", errLost,
			f.path, why)
	}
	switch {
	case f.lost != nil && (before == nil || before.Error() != f.lost.Error()):
		f.tell(f.lost)
	case f.lost == nil && before != nil:
		f.tell(nil)
	}
	return f.lost
}

// isLost reports whether the last check found the file lost.
func (f *sqliteFile) isLost() bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.lost != nil
}

// lengthOfLog returns how long the write-ahead log was when it was last looked at.
func (f *sqliteFile) lengthOfLog() int64 {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return f.logSize
}

func (f *sqliteFile) whyLost() string {
	opened, err := f.file.Stat()
	if err != nil {
		return "cannot be looked at: " + err.Error()
	}
	present, err := os.Stat(f.path)
	if err != nil {
		return "is gone: " + err.Error()
	}
	if !os.SameFile(opened, present) {
		return "was replaced"
	}
	log, err := os.Stat(f.path + "-wal")
	if err != nil || !os.SameFile(f.log, log) {
		return "has lost its write-ahead log"
	}
	f.logSize = log.Size()
	why := f.whyOverwritten(present.Size())
	f.overwritten = why != ""
	return why
}

// whyOverwritten returns why what the file holds is not what it held.
func (f *sqliteFile) whyOverwritten(size int64) string {
	var header [100]byte
	if _, err := f.file.ReadAt(header[:], 0); errors.Is(err, io.EOF) {
		return "was cut short"
	} else if err != nil {
		return "" // SQLite will meet the error where it matters
	}
	if !bytes.HasPrefix(header[:], []byte("SQLite format 3\x00")) {
		return "is no database any more"
	}
	if number := binary.BigEndian.Uint32(header[60:]); number != f.number && number != 0 {
		return "was overwritten with another database"
	}
	// A file that an operator has made smaller says so in its header.
	pages, page := int64(binary.BigEndian.Uint32(header[28:])), int64(binary.BigEndian.Uint16(header[16:]))
	if page == 1 {
		page = 1 << 16
	}
	if size < f.size && size < pages*page {
		return "was cut short"
	}
	f.size = size
	return ""
}

// readMarker returns the number of the database that the directory holds; 0 if it has never held one.
func readMarker(dir string) (uint32, error) {
	text, err := os.ReadFile(filepath.Join(dir, markerName))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	number, err := strconv.ParseUint(first, 10, 31)
	if err != nil || number == 0 {
		return 0, fmt.Errorf("%s is not readable: put it back as it was, or remove it if %s is the right database",
			filepath.Join(dir, markerName), FileName)
	}
	return uint32(number), nil
}

func writeMarker(dir string, number uint32) error {
	name := filepath.Join(dir, markerName)
	text := strconv.FormatUint(uint64(number), 10) + "\nThis directory holds the Penstock database of this number. " +
		"Remove this file only to start without it.\n"
	file, err := os.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil { // flushed: after a power cut it would be empty
		return err
	}
	return os.Rename(name+".new", name)
}

// refuseMissing returns ErrOtherDatabase if the directory has held a database and holds none, or an empty file.
func refuseMissing(dir string, marker uint32) error {
	info, err := os.Stat(filepath.Join(dir, FileName))
	if marker == 0 || err == nil && info.Size() > 0 {
		return nil
	}
	return otherDatabase(dir, "is missing or empty")
}

func otherDatabase(dir, what string) error {
	return fmt.Errorf("%w: %s %s; put the file back, restore a backup with penstock restore, or remove %s to go on with "+
		"what is there",
		ErrOtherDatabase, filepath.Join(dir, FileName), what, filepath.Join(dir, markerName))
}

// runningName is the name of the file that is beside SQLite's while a server has it open: one that was killed leaves
// it, with a write-ahead log.
const runningName = "penstock.running"

// findLostLog returns an error if a server was killed that had the database open, and its write-ahead log is missing or
// empty.
func findLostLog(path string) error {
	if !exists(filepath.Join(filepath.Dir(path), runningName)) || hasLog(path) {
		return nil
	}
	return fmt.Errorf("the server was killed, and its write-ahead log %s-wal is gone: what was stored last may be lost. "+
		"Put the file back if the database was copied without it, or restore a backup", path)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func hasLog(path string) bool {
	log, err := os.Stat(path + "-wal")
	return err == nil && log.Size() > 0
}

// markRunning leaves a file behind that distinguishes a killed server from one that was stopped.
func markRunning(path string) error {
	return os.WriteFile(filepath.Join(filepath.Dir(path), runningName),
		[]byte("A Penstock server has the database open, or was killed.\n"), 0o600)
}

// markStopped removes the file, once all that was stored is in the database's own file.
func markStopped(path string) error {
	if hasLog(path) {
		return nil
	}
	err := os.Remove(filepath.Join(filepath.Dir(path), runningName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// identify assigns the database a number, if it has none, and records it beside the file. With adopt the directory's
// database may be another than before: that is recorded once all of it was replaced.
func (e *sqliteEngine) identify(conn *sqliteConn, dir string, marker uint32, adopt bool) (number uint32, err error) {
	if number, err = conn.userVersion(); err != nil {
		return 0, err
	}
	if marker != 0 && !adopt && number != marker {
		migrated, err := conn.hasTable("schema_migrations")
		switch {
		case err != nil:
			return 0, err
		case number != 0:
			return 0, otherDatabase(dir, "is another database than before")
		case !migrated:
			return 0, otherDatabase(dir, "is empty")
		}
	}
	if number == 0 {
		if number = marker; number == 0 {
			number = 1 + rand.Uint32N(1<<31-1)
		}
		if _, err := conn.run("PRAGMA user_version=" + strconv.FormatUint(uint64(number), 10)); err != nil {
			return 0, err
		}
	}
	if marker == 0 {
		err = writeMarker(dir, number)
	}
	return number, err
}
