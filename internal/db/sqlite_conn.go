package db

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
)

// maxStatements is how many prepared statements a connection keeps; more only come from lists that are asked for in
// many ways.
const maxStatements = 1000

// sqliteConn keeps its prepared statements: binding again is several times cheaper than
// preparing, and unlike the library's own cache it does not clear bindings, which would make SQLite
// plan range statements again at every run.
type sqliteConn struct {
	*sqlite.Conn
	statements  map[string]*sqliteStatement
	interrupted chan struct{}
	memory      *memory // nil for one that writes
	preparing   sources // of the statement that is being prepared

	countsChanges bool // the database has the table table_changes

	damaged func(error) // is called with damage

	recordsChanges bool     // while a write of a batch runs
	changes        []change // what was changed, in this order
}

type sqliteStatement struct {
	*sqlite.Stmt
	conn     *sqliteConn
	argument []int // for each parameter of the statement, the index of its argument
	bound    []any // what each parameter is bound to; nil when that cannot be compared
	reads    bool
	sources  sources
	running  bool
}

// change is a statement that has changed something, and can be run again.
type change struct {
	sql  string
	args []any
}

func openSQLiteConn(path string) (*sqliteConn, error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(busyTimeout)
	c := &sqliteConn{Conn: conn, statements: map[string]*sqliteStatement{}}
	for _, pragma := range []string{
		"PRAGMA journal_mode=WAL",
		"PRAGMA synchronous=FULL",
		"PRAGMA foreign_keys=ON",
		"PRAGMA wal_autocheckpoint=0", // runCheckpoints does it
		"PRAGMA journal_size_limit=67108864",
		"PRAGMA mmap_size=2147418112",
		"PRAGMA temp_store=MEMORY",
	} {
		if _, err := c.run(pragma); err != nil {
			_ = c.Close()
			return nil, fmt.Errorf("%s: %w", pragma, err)
		}
	}
	return c, nil
}

// Close finalizes the kept statements and closes the connection.
func (c *sqliteConn) Close() error {
	var errs []error
	for _, stmt := range c.statements {
		errs = append(errs, stmt.Finalize())
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}

// interruptWith breaks off what the connection does when ctx is done. The function that it returns ends that.
func (c *sqliteConn) interruptWith(ctx context.Context) (end func()) {
	interrupted := c.interrupted
	stop := context.AfterFunc(ctx, func() { close(interrupted) })
	return func() {
		if !stop() {
			<-interrupted
			c.watchInterrupt()
		}
	}
}

// watchInterrupt makes the connection break off what it does as soon as interrupted is closed.
func (c *sqliteConn) watchInterrupt() {
	c.interrupted = make(chan struct{})
	c.SetInterrupt(c.interrupted)
}

func (c *sqliteConn) query(ctx context.Context, sql string, each func(*Row) error, args []any) error {
	var row Row
	err := c.step(sql, args, func(s *sqliteStatement) error {
		row.next, row.columns = 0, sqliteColumns{s}
		return each(&row)
	})
	if err != nil && ctx.Err() != nil { // what is interrupted fails in several ways
		return ctx.Err()
	}
	return classifySQLite(err)
}

func (c *sqliteConn) liftTimeLimits(context.Context) error { return nil }

func (c *sqliteConn) exec(_ context.Context, sql string, args []any) (int64, error) {
	n, err := c.run(sql, args...)
	return n, classifySQLite(err)
}

// execLater runs the statement at once: there are no round trips to save.
func (c *sqliteConn) execLater(ctx context.Context, sql string, args []any) error {
	_, err := c.exec(ctx, sql, args)
	return laterError(err)
}

// together runs one function after the other: there are no round trips to save.
func (c *sqliteConn) together(_ context.Context, functions []func() error) error {
	for _, function := range functions {
		if err := function(); err != nil {
			return err
		}
	}
	return nil
}

func (c *sqliteConn) number() int64 { return 0 }

// now returns the process's time: nobody else uses the database.
func (c *sqliteConn) now(context.Context) (time.Time, error) {
	return time.Now().UTC().Truncate(time.Microsecond), nil
}

// runScript does not keep the statements.
func (c *sqliteConn) runScript(_ context.Context, sql string) error {
	for strings.TrimSpace(sql) != "" {
		stmt, trailing, err := c.PrepareTransient(sql)
		if err != nil {
			return classifySQLite(err)
		}
		_, err = stmt.Step()
		if err := errors.Join(err, stmt.Finalize()); err != nil {
			return classifySQLite(err)
		}
		if c.recordsChanges {
			c.changes = append(c.changes, change{sql: sql[:len(sql)-trailing]})
		}
		sql = sql[len(sql)-trailing:]
	}
	return nil
}

// run runs a statement and returns how many rows it changed.
func (c *sqliteConn) run(sql string, args ...any) (int64, error) {
	if err := c.step(sql, args, func(*sqliteStatement) error { return nil }); err != nil {
		return 0, err
	}
	return int64(c.Changes()), nil
}

// userVersion returns the number that the database's header has for its user.
func (c *sqliteConn) userVersion() (number uint32, err error) {
	err = c.step("PRAGMA user_version", nil, func(s *sqliteStatement) error {
		number = uint32(s.ColumnInt64(0))
		return nil
	})
	return number, err
}

func (c *sqliteConn) hasTable(name string) (found bool, err error) {
	err = c.step("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1", []any{name},
		func(*sqliteStatement) error {
			found = true
			return nil
		})
	return found, err
}

// step runs a statement and calls each for every row. It reports damage that the statement has met.
func (c *sqliteConn) step(sql string, args []any, each func(*sqliteStatement) error) error {
	err := c.stepThrough(sql, args, each)
	if c.damaged != nil && isDamage(err) {
		c.damaged(err)
	}
	return err
}

func (c *sqliteConn) stepThrough(sql string, args []any, each func(*sqliteStatement) error) error {
	if c.recordsChanges && c.AutocommitEnabled() {
		return errEnded
	}
	stmt, err := c.prepare(sql)
	if err != nil {
		return err
	}
	if c.memory != nil {
		c.memory.sources.add(stmt.sources)
	}
	stmt.running = true
	defer func() { // also of a panic in each: a statement that has rows left would go on with them next time
		_ = stmt.Reset()
		stmt.running = false
	}()
	if err := stmt.bindAll(args); err != nil {
		return err
	}
	more, err := stmt.Step()
	if err != nil {
		return err
	}
	if c.recordsChanges && !stmt.reads {
		if err := c.record(sql, args); err != nil {
			return err
		}
	}
	for more {
		if err := each(stmt); err != nil {
			return err
		}
		if more, err = stmt.Step(); err != nil {
			return err
		}
	}
	return nil
}

// record adds to the changes. The caller may change what its arguments point to afterwards.
func (c *sqliteConn) record(sql string, args []any) error {
	kept := make([]any, len(args))
	for i, arg := range args {
		value, err := plainValue(arg)
		if err != nil {
			return err
		}
		if bytes, ok := value.([]byte); ok {
			value = slices.Clone(bytes)
		}
		kept[i] = value
	}
	c.changes = append(c.changes, change{sql, kept})
	return nil
}

func (c *sqliteConn) prepare(sql string) (*sqliteStatement, error) {
	if stmt, ok := c.statements[sql]; ok {
		return stmt, nil
	}
	c.preparing = sources{}
	prepared, trailing, err := c.PrepareTransient(sql)
	if err != nil {
		return nil, err
	}
	if trailing != 0 {
		return nil, errors.Join(fmt.Errorf("more than one statement in %q", sql), prepared.Finalize())
	}
	stmt := &sqliteStatement{Stmt: prepared, conn: c, reads: strings.HasPrefix(strings.TrimSpace(sql), "SELECT"),
		sources: c.preparing}
	for i := 1; i <= prepared.BindParamCount(); i++ {
		n, err := strconv.Atoi(prepared.BindParamName(i)[1:])
		if err != nil {
			return nil, errors.Join(fmt.Errorf("parameter %s is not a number", prepared.BindParamName(i)), prepared.Finalize())
		}
		stmt.argument = append(stmt.argument, n-1)
	}
	stmt.bound = make([]any, len(stmt.argument))
	if len(c.statements) >= maxStatements {
		c.dropStatement()
	}
	c.statements[sql] = stmt
	return stmt, nil
}

// dropStatement finalizes one kept statement that is not being run.
func (c *sqliteConn) dropStatement() {
	for sql, stmt := range c.statements {
		if !stmt.running {
			delete(c.statements, sql)
			_ = stmt.Finalize()
			return
		}
	}
}

func (s *sqliteStatement) bindAll(args []any) error {
	for parameter, argument := range s.argument {
		if argument >= len(args) {
			return fmt.Errorf("the statement has $%d but only %d arguments were given", argument+1, len(args))
		}
		value, err := plainValue(args[argument])
		if err != nil {
			return err
		}
		s.bind(parameter, value)
	}
	return nil
}

// bind binds a parameter, unless it has the value already: SQLite plans a statement again whenever a LIMIT is
// bound, even to the same value.
func (s *sqliteStatement) bind(parameter int, value any) {
	bytes, isBytes := value.([]byte)
	if isBytes {
		s.bound[parameter] = nil
		s.BindBytes(parameter+1, bytes)
		return
	}
	if value != nil && s.bound[parameter] == value {
		return
	}
	s.bound[parameter] = value
	switch v := value.(type) {
	case nil:
		s.BindNull(parameter + 1)
	case string:
		s.BindText(parameter+1, v)
	case int64:
		s.BindInt64(parameter+1, v)
	case bool:
		s.BindBool(parameter+1, v)
	}
}

// plainValue returns the nil, string, int64, bool or []byte that an argument stands for.
func plainValue(arg any) (any, error) {
	switch v := arg.(type) {
	case nil, string, int64, bool:
		return v, nil
	case int:
		return int64(v), nil
	}
	switch r := reflect.ValueOf(arg); {
	case r.Kind() == reflect.String:
		return r.String(), nil
	case r.Kind() == reflect.Pointer && !r.IsNil():
		return plainValue(r.Elem().Interface())
	case r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8 && !r.IsNil():
		return r.Bytes(), nil
	case r.Kind() == reflect.Pointer, r.Kind() == reflect.Slice && r.IsNil():
		return nil, nil
	}
	return nil, fmt.Errorf("a %T cannot be an argument", arg)
}

// sqliteColumns are the columns of the statement's current row.
type sqliteColumns struct{ stmt *sqliteStatement }

func (c sqliteColumns) isNull(i int) bool   { return c.stmt.ColumnIsNull(i) }
func (c sqliteColumns) integer(i int) int64 { return c.stmt.ColumnInt64(i) }
func (c sqliteColumns) boolean(i int) bool  { return c.stmt.ColumnBool(i) }

func (c sqliteColumns) text(i int) string {
	text := c.stmt.ColumnText(i)
	if memory := c.stmt.conn.memory; memory != nil {
		memory.read += int64(len(text))
	}
	return text
}

func (c sqliteColumns) bytes(i int) []byte {
	value := make([]byte, c.stmt.ColumnLen(i))
	c.stmt.ColumnBytes(i, value)
	return value
}
