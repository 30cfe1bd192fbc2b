package db

// maxRemembered is how many bytes a connection remembers, by what was read for them, and rememberedSize what each value
// takes besides.
const (
	maxRemembered  = 4 << 20
	rememberedSize = 1 << 10
)

// memory is what a connection that reads has found in one state of the database.
type memory struct {
	version int64 // by which SQLite shows a connection whether anybody else has changed the database
	values  map[any]any
	size    int
	read    int // bytes, in the present transaction
}

// beginRead begins a transaction, and forgets what was found in another state of the database than the one that it
// reads.
func (c *sqliteConn) beginRead() error {
	if _, err := c.run("BEGIN"); err != nil {
		return err
	}
	c.memory.read = 0
	return c.step("PRAGMA data_version", nil, func(s *sqliteStatement) error {
		if version := s.ColumnInt64(0); version != c.memory.version {
			c.memory.version = version
			c.memory.forget()
		}
		return nil
	})
}

func (m *memory) forget() {
	clear(m.values)
	m.size = 0
}

// Recall returns what was remembered under the key, if it was found in just the state of the database that the
// transaction reads. It is shared: nobody may change it. Only SQLite knows that, and only in transactions that read;
// elsewhere nothing is ever remembered.
func (tx *Tx) Recall(key any) (value any, found bool) {
	if c, ok := tx.conn.(*sqliteConn); ok && c.memory != nil {
		value, found = c.memory.values[key]
	}
	return value, found
}

// Remember remembers a value that follows from what the transaction has read, and from the key, and from nothing else,
// such as the time.
func (tx *Tx) Remember(key, value any) {
	c, ok := tx.conn.(*sqliteConn)
	if !ok || c.memory == nil {
		return
	}
	m := c.memory
	size := rememberedSize + m.read
	if m.size+size > maxRemembered {
		m.forget()
	}
	if size <= maxRemembered/4 {
		m.values[key] = value
		m.size += size
	}
}
