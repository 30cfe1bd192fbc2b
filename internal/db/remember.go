package db

import "zombiezen.com/go/sqlite"

// A connection remembers results whose rows have this many bytes at most, counting some for each row besides its texts.
const (
	maxRemembered = 4 << 20
	rowSize       = 512
)

// memory is what a reading connection has read, for as long as nobody changes the database.
type memory struct {
	version int64 // by which SQLite tells a connection that others changed something
	results map[string]any
	size    int
}

// Remembered returns what load returned for the key, if the database has not changed since, and otherwise what it returns now.
// The result is shared: nobody may change it.
//
// Only SQLite can tell whether anything changed, and only a transaction that reads may trust it: elsewhere load is always called.
func Remembered[T any](tx *Tx, key string, load func() (T, error)) (T, error) {
	if !tx.Remembers() {
		return load()
	}
	m := tx.lite.memory
	if result, ok := m.results[key]; ok {
		return result.(T), nil
	}
	before := tx.lite.read
	result, err := load()
	size := tx.lite.read - before + len(key) + rowSize
	if err != nil || size > maxRemembered/4 {
		return result, err
	}
	if m.size += size; m.size > maxRemembered {
		m.forget()
		m.size = size
	}
	m.results[key] = result
	return result, nil
}

// Remembers reports whether Remembered may remember. What is older than the state that the transaction reads is forgotten then.
func (tx *Tx) Remembers() bool {
	if tx.lite == nil || tx.lite.memory == nil || tx.current {
		return tx.current
	}
	m := tx.lite.memory
	err := tx.lite.query("PRAGMA data_version", func(s *sqlite.Stmt) error {
		if version := s.ColumnInt64(0); version != m.version {
			m.forget()
			m.version = version
		}
		return nil
	}, nil)
	tx.current = err == nil
	return tx.current
}

func (m *memory) forget() {
	clear(m.results)
	m.size = 0
}
