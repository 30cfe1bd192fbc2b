package db

import (
	"reflect"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
)

// maxRemembered is how many bytes a connection remembers, by what was read for them, and rememberedSize what each value
// takes besides.
const (
	maxRemembered  = 4 << 20
	rememberedSize = 1 << 10
)

// countedTables are the tables whose changes are counted, the columns of the table table_changes in their order.
var countedTables = [...]string{
	"users", "organizations", "organization_counts", "organization_members", "api_tokens", "api_token_organizations",
	"user_sessions", "portals", "portal_tokens", "teams", "team_members", "team_pipelines", "clusters",
	"cluster_maintainers", "cluster_queues", "pipelines",
}

// readChanges reads how often each of them has changed.
var readChanges = "SELECT " + strings.Join(countedTables[:], ", ") + " FROM table_changes"

// The column uncountedColumn of the table uncountedTable changes without being counted.
const uncountedTable, uncountedColumn = "pipelines", "next_build_number"

// sources are what was read for a value: which of countedTables, a bit each, and whether something else.
type sources struct {
	tables    uint32
	uncounted bool
}

func (s *sources) add(other sources) {
	s.tables |= other.tables
	s.uncounted = s.uncounted || other.uncounted
}

// addColumn adds what a statement reads.
func (s *sources) addColumn(table, column string) {
	for i, name := range countedTables {
		if name == table && (table != uncountedTable || column != uncountedColumn) {
			s.tables |= 1 << i
			return
		}
	}
	s.uncounted = true
}

// tableChanges is how often each of countedTables has changed.
type tableChanges [len(countedTables)]int64

// memory is what a connection that reads has found.
type memory struct {
	version int64         // by which SQLite shows a connection whether anybody else has changed the database
	changes *tableChanges // in the state that has this version; nil: not known
	values  map[any]*remembered
	size    int64

	read    int64   // bytes of texts, in the present transaction
	sources sources // of the present transaction
}

// remembered is a value, which was read from counted tables alone, and the state of the database that it was found in.
type remembered struct {
	value   any
	size    int64
	tables  uint32
	version int64
	changes *tableChanges
}

// isCurrent reports whether the value would be found again in the state that the present transaction reads.
func (r *remembered) isCurrent(m *memory) bool {
	if r.version == m.version {
		return true
	}
	if r.changes == nil || m.changes == nil {
		return false
	}
	for i := range countedTables {
		if r.tables&(1<<i) != 0 && r.changes[i] != m.changes[i] {
			return false
		}
	}
	r.version, r.changes = m.version, m.changes
	return true
}

// watchSources records what each statement reads that the connection prepares.
func (c *sqliteConn) watchSources() error {
	return c.SetAuthorizer(sqlite.AuthorizeFunc(func(action sqlite.Action) sqlite.AuthResult {
		if action.Type() == sqlite.OpRead {
			c.preparing.addColumn(action.Table(), action.Column())
		}
		return sqlite.AuthResultOK
	}))
}

// beginRead begins a transaction, and finds out which state of the database it reads.
func (c *sqliteConn) beginRead() error {
	if _, err := c.run("BEGIN"); err != nil {
		return err
	}
	m := c.memory
	version := m.version
	if err := c.step("PRAGMA data_version", nil, func(s *sqliteStatement) error {
		version = s.ColumnInt64(0)
		return nil
	}); err != nil {
		return err
	}
	if version != m.version {
		m.version, m.changes = version, nil
		if err := c.readChanges(); err != nil {
			return err
		}
	}
	m.read, m.sources = 0, sources{}
	return nil
}

// readChanges reads what was changed. A database that is not migrated yet does not count it.
func (c *sqliteConn) readChanges() error {
	if !c.countsChanges {
		var err error
		if c.countsChanges, err = c.hasTable("table_changes"); err != nil || !c.countsChanges {
			return err
		}
	}
	return c.step(readChanges, nil, func(s *sqliteStatement) error {
		changes := new(tableChanges)
		for i := range changes {
			changes[i] = s.ColumnInt64(i)
		}
		c.memory.changes = changes
		return nil
	})
}

// recall returns what was remembered under the key, nil for nothing.
func (m *memory) recall(key any) *remembered {
	r := m.values[key]
	if r == nil {
		return nil
	}
	if !r.isCurrent(m) {
		delete(m.values, key)
		m.size -= r.size
		return nil
	}
	m.sources.tables |= r.tables // what is remembered next may follow from it
	return r
}

// remember remembers a value that takes about so many bytes, unless the transaction has read what is not counted.
func (m *memory) remember(key, value any, size int64) {
	if m.sources.uncounted {
		return
	}
	if old := m.values[key]; old != nil {
		delete(m.values, key)
		m.size -= old.size
	}
	size += rememberedSize
	if size > maxRemembered/4 {
		return
	}
	if m.size+size > maxRemembered {
		clear(m.values)
		m.size = 0
	}
	m.values[key] = &remembered{value, size, m.sources.tables, m.version, m.changes}
	m.size += size
}

// memory returns what the transaction's connection remembers, nil for one that remembers nothing: only SQLite knows
// what has changed, and only in transactions that read.
func (tx *Tx) memory() *memory {
	if c, ok := tx.conn.(*sqliteConn); ok {
		return c.memory
	}
	return nil
}

// Recall returns what was remembered under the key, if the state of the database that the transaction reads has the
// same rows in the tables that it was found in. It is shared: nobody may change it.
func (tx *Tx) Recall(key any) (value any, found bool) {
	if m := tx.memory(); m != nil {
		if r := m.recall(key); r != nil {
			return r.value, true
		}
	}
	return nil, false
}

// Remember remembers a value that follows from what the transaction has read, and from the key, and from nothing else,
// such as the time.
func (tx *Tx) Remember(key, value any) {
	if m := tx.memory(); m != nil {
		m.remember(key, value, m.read)
	}
}

// rowsKey is what the rows that a statement yields are remembered by, for rows of each type.
type rowsKey[T any] struct {
	sql       string
	arguments [8]any
}

func newRowsKey[T any](sql string, arguments []any) (key rowsKey[T], ok bool) {
	if len(arguments) > len(key.arguments) {
		return key, false
	}
	key.sql = sql
	for i, argument := range arguments {
		switch reflect.ValueOf(argument).Kind() {
		case reflect.Invalid, reflect.String, reflect.Bool, reflect.Int, reflect.Int64:
			key.arguments[i] = argument
		default: // what a pointer or a slice refers to may change
			return key, false
		}
	}
	return key, true
}

// rememberedRows are rows, and the bytes of their texts.
type rememberedRows[T any] struct {
	rows  []T
	bytes int64
}

// ReadRows returns the rows that query reads by a statement, or those that it read by it before. Either counts against
// the transaction's limit. The slice is the caller's own; what its rows refer to is shared, and nobody may change it.
func ReadRows[T any](tx *Tx, sql string, arguments []any, query func() ([]T, error)) ([]T, error) {
	m := tx.memory()
	if m == nil {
		return query()
	}
	key, ok := newRowsKey[T](sql, arguments)
	if !ok {
		return query()
	}
	if r := m.recall(key); r != nil {
		known := r.value.(rememberedRows[T])
		return slices.Clone(known.rows), tx.chargeRows(len(known.rows), known.bytes)
	}
	before := m.read
	rows, err := query()
	if err == nil && !m.sources.uncounted {
		known := rememberedRows[T]{slices.Clone(rows), m.read - before}
		m.remember(key, known, known.bytes+rowBytes*int64(len(rows)))
	}
	return rows, err
}
