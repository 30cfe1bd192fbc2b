package db

import (
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

// uncountedColumn changes without being counted.
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
	size    int

	read    int     // bytes, in the present transaction
	sources sources // of the present transaction
}

// remembered is a value, and the state of the database that it was found in.
type remembered struct {
	value   any
	size    int
	sources sources
	version int64
	changes *tableChanges
}

// isCurrent reports whether the value would be found again in the state that the present transaction reads.
func (r *remembered) isCurrent(m *memory) bool {
	if r.version == m.version {
		return true
	}
	if r.sources.uncounted || r.changes == nil || m.changes == nil {
		return false
	}
	for i := range countedTables {
		if r.sources.tables&(1<<i) != 0 && r.changes[i] != m.changes[i] {
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

func (m *memory) forget() {
	clear(m.values)
	m.size = 0
}

// Recall returns what was remembered under the key, if the state of the database that the transaction reads has the
// same rows in the tables that it was found in. It is shared: nobody may change it. Only SQLite knows that, and only in
// transactions that read; elsewhere nothing is ever remembered.
func (tx *Tx) Recall(key any) (value any, found bool) {
	c, ok := tx.conn.(*sqliteConn)
	if !ok || c.memory == nil {
		return nil, false
	}
	r := c.memory.values[key]
	if r == nil {
		return nil, false
	}
	if !r.isCurrent(c.memory) {
		delete(c.memory.values, key)
		c.memory.size -= r.size
		return nil, false
	}
	c.memory.sources.add(r.sources) // what is remembered next may follow from it
	return r.value, true
}

// Remember remembers a value that follows from what the transaction has read, and from the key, and from nothing else,
// such as the time.
func (tx *Tx) Remember(key, value any) {
	c, ok := tx.conn.(*sqliteConn)
	if !ok || c.memory == nil {
		return
	}
	m := c.memory
	r := &remembered{value: value, size: rememberedSize + m.read, sources: m.sources, version: m.version,
		changes: m.changes}
	if old := m.values[key]; old != nil {
		m.size -= old.size
	}
	if m.size+r.size > maxRemembered {
		m.forget()
	}
	if r.size > maxRemembered/4 {
		delete(m.values, key)
		return
	}
	m.values[key] = r
	m.size += r.size
}
