// Package db runs one SQL text on two engines: SQLite inside the process and PostgreSQL through pgx.
// It knows connections, transactions, migrations and error classes, and nothing of what is stored.
//
// SQL uses $1, $2, … for parameters, TEXT, BIGINT and BOOLEAN for columns, and BIGINT microseconds
// for times. A write locks what it decides about by a SELECT that ends with ForUpdate, of the row that
// its rules hang on; PostgreSQL runs at READ COMMITTED, SQLite has one writer.
package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Options says which database to open.
type Options struct {
	URL         string // a postgres:// URL; empty means SQLite in Dir
	Dir         string // SQLite's data directory, made if missing
	Application string // how this process calls itself to PostgreSQL
	Exclusive   bool   // refuse to open while another exclusive process has the database open
	Observe     func(Wait)
}

// Wait is how long a transaction waited for its connection or its turn.
type Wait struct {
	Kind     string // "read" or "write"
	Duration time.Duration
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	lite       *lite
	pool       *pgxpool.Pool
	unlock     func() error
	observe    func(Wait)
	statements atomic.Int64
}

// Errors that Read, Write and Open return, besides those of the functions they run.
var (
	// ErrOverloaded means that no connection or turn came free in time. Nothing was done.
	ErrOverloaded = errors.New("database overloaded")
	// ErrUnavailable means that the database did not answer, or broke off.
	ErrUnavailable = errors.New("database unavailable")
	// ErrUnique and ErrForeignKey are constraint violations.
	ErrUnique     = errors.New("unique constraint violated")
	ErrForeignKey = errors.New("foreign key constraint violated")
	// ErrLocked means that another process has the database open exclusively.
	ErrLocked = errors.New("in use by another penstock process")
)

const (
	acquireTimeout = 5 * time.Second
	maxAttempts    = 20
)

// Open opens the database and, for SQLite, makes it if it is not there. It does not migrate.
func Open(ctx context.Context, o Options) (*DB, error) {
	d := &DB{observe: o.Observe}
	if d.observe == nil {
		d.observe = func(Wait) {}
	}
	var err error
	if o.URL == "" {
		d.lite, d.unlock, err = openLite(o.Dir, o.Exclusive)
	} else {
		d.pool, d.unlock, err = openPostgres(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Close waits for running transactions and closes the database.
func (d *DB) Close() error {
	if d.pool != nil {
		d.pool.Close()
		return d.unlock()
	}
	return errors.Join(d.lite.close(), d.unlock())
}

// Engine returns "sqlite" or "postgres".
func (d *DB) Engine() string {
	if d.pool != nil {
		return "postgres"
	}
	return "sqlite"
}

// PoolUse is how many connections there are, and how many of them are in use. SQLite's one writer is counted.
type PoolUse struct{ Open, InUse int }

// PoolUse returns how the connections are being used.
func (d *DB) PoolUse() PoolUse {
	if d.pool != nil {
		stat := d.pool.Stat()
		return PoolUse{Open: int(stat.TotalConns()), InUse: int(stat.AcquiredConns())}
	}
	use := PoolUse{Open: d.lite.size + 1, InUse: d.lite.size - len(d.lite.readers)}
	if d.lite.writing.Load() {
		use.InUse++
	}
	return use
}

// Readers returns how many transactions can read at once.
func (d *DB) Readers() int {
	if d.pool != nil {
		return int(d.pool.Config().MaxConns)
	}
	return d.lite.size
}

// Statements returns how many statements have been run.
func (d *DB) Statements() int64 { return d.statements.Load() }

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	return d.ReadOne(ctx, func(tx *Tx) error {
		_, err := tx.One("SELECT 1", func(*Row) {})
		return err
	})
}

// Read runs fn in a read-only transaction whose statements all see one state of the database.
func (d *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	if d.lite != nil {
		return d.liteRead(ctx, fn)
	}
	return d.postgresRead(ctx, fn)
}

// ReadOne is Read for an fn that mostly runs a single statement: on PostgreSQL there is no transaction around it then. An fn that
// asks for a second one is run again from the start, in a transaction.
func (d *DB) ReadOne(ctx context.Context, fn func(*Tx) error) error {
	if d.lite != nil {
		return d.liteRead(ctx, fn)
	}
	return d.postgresReadOne(ctx, fn)
}

// Write runs fn in a transaction and returns once it is durable. fn is run again from the start when
// the database asks for it, so it must have no effect besides the transaction's; it must not wait for
// anything else either, since on SQLite all writes wait for it. If fn returns an error or panics,
// nothing is stored.
func (d *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	if d.lite != nil {
		return d.liteWrite(ctx, fn)
	}
	return d.postgresWrite(ctx, fn)
}

// Tx is a transaction. It is good only inside the function that received it.
type Tx struct {
	ctx  context.Context
	db   *DB
	lite *liteConn
	pg   querier
	row  Row
}

// Context returns the transaction's context.
func (tx *Tx) Context() context.Context { return tx.ctx }

// Engine returns what DB.Engine does.
func (tx *Tx) Engine() string { return tx.db.Engine() }

// Query runs a statement and calls each for every row. The Row is good only during the call.
func (tx *Tx) Query(sql string, each func(*Row) error, args ...any) error {
	tx.db.statements.Add(1)
	if tx.lite != nil {
		return tx.liteQuery(sql, each, args)
	}
	return tx.postgresQuery(sql, each, args)
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
	tx.db.statements.Add(1)
	if tx.lite != nil {
		return tx.liteExec(sql, args)
	}
	return tx.postgresExec(sql, args)
}

// Later runs a statement that nothing depends on before the transaction ends: on PostgreSQL it is sent with the next one, or with
// the commit, which then fails if it does.
func (tx *Tx) Later(sql string, args ...any) error {
	if tx.lite != nil {
		_, err := tx.Exec(sql, args...)
		return err
	}
	tx.db.statements.Add(1)
	tx.pg.(*transaction).later(sql, args)
	return nil
}

// Micros is the stored form of a time.
func Micros(t time.Time) int64 { return t.UnixMicro() }

// NullMicros is the stored form of a time that may be absent.
func NullMicros(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMicro()
}

// ForUpdate ends a SELECT whose rows nobody else may change until the transaction, which writes, ends. SQLite has one writer.
func (tx *Tx) ForUpdate() string {
	if tx.lite != nil {
		return ""
	}
	return " FOR NO KEY UPDATE"
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
