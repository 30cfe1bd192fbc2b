package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Tx is a transaction. It is good only inside the function that received it.
type Tx struct {
	ctx    context.Context // a Tx lives no longer than the call that has the context
	db     *DB
	conn   connection
	single bool // only one statement may be run, which reads
	used   bool // one was
	limit  *Limit
}

// Limit is what a transaction may read at most. What is over it fails with its errors, and is not read.
type Limit struct {
	Statements     int
	Bytes          int64 // of texts, and rowBytes for each row
	OverStatements error
	OverBytes      error
}

// rowBytes is about what a row takes in memory besides its texts.
const rowBytes = 500

// SetLimit limits what the transaction reads from now on.
func (tx *Tx) SetLimit(l Limit) { tx.limit = &l }

// Charge counts work as so many statements, if the transaction has a limit.
func (tx *Tx) Charge(statements int) error {
	if tx.limit == nil {
		return nil
	}
	if tx.limit.Statements -= statements; tx.limit.Statements < 0 {
		return tx.limit.OverStatements
	}
	if tx.limit.Bytes < 0 {
		return tx.limit.OverBytes
	}
	return nil
}

// chargeRows counts rows as if a statement had read them, if the transaction has a limit.
func (tx *Tx) chargeRows(rows int, texts int64) error {
	if tx.limit == nil {
		return nil
	}
	if err := tx.Charge(1); err != nil {
		return err
	}
	if tx.limit.Bytes -= rowBytes*int64(rows) + texts; tx.limit.Bytes < 0 {
		return tx.limit.OverBytes
	}
	return nil
}

// countBytes makes each fail once more was read than the limit allows.
func (l *Limit) countBytes(each func(*Row) error) func(*Row) error {
	return func(r *Row) error {
		r.texts = 0
		if err := each(r); err != nil {
			return err
		}
		if l.Bytes -= rowBytes + int64(r.texts); l.Bytes < 0 {
			return l.OverBytes
		}
		return nil
	}
}

// Context returns the transaction's context.
func (tx *Tx) Context() context.Context { return tx.ctx }

// Engine returns what DB.Engine does.
func (tx *Tx) Engine() string { return tx.db.Engine() }

// Query runs a statement and calls each for every row. The Row is good only during the call.
func (tx *Tx) Query(sql string, each func(*Row) error, args ...any) error {
	if tx.single && tx.used {
		return ErrSecondStatement
	}
	tx.used = true
	if err := tx.Charge(1); err != nil {
		return err
	}
	if tx.limit != nil {
		each = tx.limit.countBytes(each)
	}
	tx.db.statements.Add(1)
	return tx.conn.query(tx.ctx, sql, each, args)
}

// One runs a statement, calls scan for the first row, and reports whether there was one.
func (tx *Tx) One(sql string, scan func(*Row), args ...any) (found bool, err error) {
	err = tx.Query(sql, func(r *Row) error {
		if !found {
			scan(r)
		}
		found = true
		return nil
	}, args...)
	return found, err
}

// Exec runs a statement and returns how many rows it changed.
func (tx *Tx) Exec(sql string, args ...any) (int64, error) {
	if tx.single {
		return 0, ErrSecondStatement
	}
	tx.db.statements.Add(1)
	return tx.conn.exec(tx.ctx, sql, args)
}

// Later runs a statement that nothing depends on before the transaction ends: on PostgreSQL it is sent with the next
// one, or with the commit, which then fails if it does. It is for audit events, counters, and new rows that nothing can
// be wrong with, such as those whose only unique key is a new id. What may break a constraint is run with Exec: a
// violation here is neither ErrUnique nor ErrForeignKey: nobody knows which of the statements sent together caused it.
func (tx *Tx) Later(sql string, args ...any) error {
	if tx.single {
		return ErrSecondStatement
	}
	tx.db.statements.Add(1)
	return tx.conn.execLater(tx.ctx, sql, args)
}

// Together runs functions none of which depends on another. On PostgreSQL, what they ask for by Query and One is sent
// together: the first statement of each in one round trip, then the second of each, and so on. They take turns: a
// function stops where it asks, and goes on once all rows of the round trip were read. SQLite runs one after the other.
//
// Where a function asks, another may look at what it has changed so far; it must hold no lock there. The first error
// is returned, after which the other functions' statements fail, or are not asked for.
func (tx *Tx) Together(functions ...func() error) error {
	for some := range slices.Chunk(functions, maxTogether) {
		if err := tx.conn.together(tx.ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// maxTogether is how many functions run together: what one reads over a limit, the others have asked for already.
const maxTogether = 8

// errLater means that a statement for later broke a constraint.
var errLater = errors.New("a statement for later broke a constraint")

// laterError hides which constraint a statement for later broke.
func laterError(err error) error {
	if errors.Is(err, ErrUnique) || errors.Is(err, ErrForeignKey) {
		return fmt.Errorf("%w: %s", errLater, err.Error())
	}
	return err
}

// ForUpdate ends a SELECT whose rows nobody else may change until the transaction, which writes, ends. SQLite has one
// writer.
func (tx *Tx) ForUpdate() string { return tx.db.engine.dialect().forUpdate }

// SkipLocked is ForUpdate for a SELECT that leaves out the rows that others have locked, instead of waiting for them.
func (tx *Tx) SkipLocked() string { return tx.db.engine.dialect().skipLocked }

// ForUpdateOf is ForUpdate for the rows of one of the tables that are joined, by its alias.
func (tx *Tx) ForUpdateOf(alias string) string {
	if tx.ForUpdate() == "" {
		return ""
	}
	return tx.ForUpdate() + " OF " + alias
}

// HasLateral reports whether a FROM clause may have LATERAL.
func (tx *Tx) HasLateral() bool { return tx.db.engine.dialect().hasLateral }

// Now returns the database's time at this moment, in UTC and microseconds, so that all nodes agree on which lease has
// ended.
func (tx *Tx) Now() (time.Time, error) {
	now, err := tx.conn.now(tx.ctx)
	return now.Add(time.Duration(tx.db.ahead.Load())), err
}

// Shard returns a number below n: in which of n rows a transaction changes a counter that many change at once. On
// PostgreSQL each connection has its own, so that those that run at once rarely share one; SQLite has one writer.
func (tx *Tx) Shard(n int64) int64 { return tx.conn.number() % n }

// Micros is the stored form of a time.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// NullMicros is the stored form of a time that may be absent.
func NullMicros(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMicro()
}

// InList returns the text "$from, $from+1, …" of n parameters, for an IN list.
func InList(from, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "$%d", from+i)
	}
	return b.String()
}
