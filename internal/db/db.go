// Package db runs one SQL text on two engines: SQLite inside the process and PostgreSQL through pgx.
// It knows connections, transactions, migrations and error classes, and nothing of what is stored.
//
// SQL uses $1, $2, … for parameters, TEXT, BIGINT, BOOLEAN and bytes for columns, and BIGINT microseconds
// for times. A write locks what it decides about by a SELECT that ends with ForUpdate, of the row that
// its rules hang on; PostgreSQL runs at READ COMMITTED, SQLite has one writer.
package db

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Options says which database to open.
type Options struct {
	URL         string // a postgres:// URL; empty means SQLite in Dir
	Dir         string // SQLite's data directory, made if missing
	Application string // how this process calls itself to PostgreSQL
	Exclusive   bool   // refuse to open while another exclusive process has the database open
	Anew        bool   // SQLite: the directory's database may be missing, or another than before
	Observe     func(Wait)
	Report      func(error)   // is called when the database is lost or damaged, and with nil when it is back
	ListenCheck time.Duration // how often a connection that listens is tried; 0: every 10 seconds
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine     engine
	close      func() error
	statements atomic.Int64
	writes     atomic.Int64 // transactions
	ahead      atomic.Int64 // how far tests moved the clock, in nanoseconds
}

// AdvanceClock moves the database's time as this DB sees it. It is for tests.
func (d *DB) AdvanceClock(by time.Duration) { d.ahead.Add(int64(by)) }

// Errors that Read, Write and Open return, besides those of the functions they run.
var (
	// ErrOverloaded means that no connection or turn came free in time. Nothing was done.
	ErrOverloaded = errors.New("database overloaded")
	// ErrUnavailable means that the database did not answer, or broke off.
	ErrUnavailable = errors.New("database unavailable")
	// ErrDamaged means that the database's file is damaged.
	ErrDamaged = errors.New("the database is damaged")
	// ErrUnknownOutcome means that the database broke off while it committed, and what was written may be stored or not.
	ErrUnknownOutcome = errors.New("it is unknown whether the transaction was committed")
	// ErrUnique and ErrForeignKey are constraint violations.
	ErrUnique     = errors.New("unique constraint violated")
	ErrForeignKey = errors.New("foreign key constraint violated")
	// ErrLocked means that another process has the database open exclusively.
	ErrLocked = errors.New("in use by another penstock process")
	// ErrSecondStatement means that a function given to ReadStatement asked for more than one statement that reads.
	ErrSecondStatement = errors.New("only one statement that reads can be run here; others need a transaction")
)

const (
	acquireTimeout = 5 * time.Second
	maxAttempts    = 20
)

// Open opens the database and, for SQLite, makes it if it is not there. It does not migrate.
func Open(ctx context.Context, o Options) (*DB, error) {
	if o.Observe == nil {
		o.Observe = func(Wait) {}
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	open := openPostgres
	if o.URL == "" {
		open = openSQLite
	}
	e, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &DB{engine: e, close: sync.OnceValue(e.close)}, nil
}

// Close waits for running transactions and closes the database. A second call does nothing.
func (d *DB) Close() error { return d.close() }

// Engine returns "sqlite" or "postgres".
func (d *DB) Engine() string { return d.engine.dialect().engine }

// PoolUse is how many connections there are, and how many of them are in use. SQLite's one writer is counted.
type PoolUse struct{ Open, InUse int }

// PoolUse returns how the connections are being used.
func (d *DB) PoolUse() PoolUse { return d.engine.poolUse() }

// Readers returns how many transactions can read at once.
func (d *DB) Readers() int { return d.engine.readers() }

// Statements returns how many statements have been run.
func (d *DB) Statements() int64 { return d.statements.Load() }

// RoundTrips returns how often an answer of the database's server was waited for, but for those to a rollback. SQLite
// has no server.
func (d *DB) RoundTrips() int64 { return d.engine.roundTrips() }

// Writes returns how many transactions that write have been begun.
func (d *DB) Writes() int64 { return d.writes.Load() }

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	return d.ReadStatement(ctx, func(tx *Tx) error {
		_, err := tx.One("SELECT 1", func(*Row) {})
		return err
	})
}

// Unready says why the database cannot be worked with.
type Unready struct {
	Reason string // a sentence that anyone may read
	cause  error
}

func (u *Unready) Error() string { return u.Reason + " (" + u.cause.Error() + ")" }
func (u *Unready) Unwrap() error { return u.cause }

// Ready returns an Unready unless the database can be read and written, and has the schema that this binary needs, or a
// newer one. It does not wait for connections that others use.
func (d *DB) Ready(ctx context.Context) error {
	checked := make(chan error, 1)
	go func() {
		checked <- d.engine.ready(ctx, func(c connection) error { return (&Tx{ctx: ctx, db: d, conn: c}).checkVersion() })
	}()
	select {
	case err := <-checked:
		return explainUnready(err)
	case <-ctx.Done():
		return &Unready{"The database does not answer.", ctx.Err()}
	}
}

func explainUnready(err error) error {
	if _, known := errors.AsType[*Unready](err); err == nil || known {
		return err
	}
	switch {
	case errors.Is(err, ErrNewerSchema):
		return nil
	case errors.Is(err, errLost):
		return &Unready{"The database file is gone, or was replaced or cut short.", err}
	case errors.Is(err, ErrDamaged):
		return &Unready{"The database is damaged.", err}
	case errors.Is(err, errSchema):
		return &Unready{"A migration is missing.", err}
	}
	return &Unready{"The database does not answer.", err}
}

// Read runs fn in a read-only transaction whose statements all see one state of the database.
func (d *DB) Read(ctx context.Context, fn func(*Tx) error) error {
	return d.engine.read(ctx, d.with(ctx, fn))
}

// ReadAll is Read for an fn that reads all of the database. Its memory does not grow with the database.
func (d *DB) ReadAll(ctx context.Context, fn func(*Tx) error) error {
	return d.engine.readAll(ctx, d.with(ctx, fn))
}

// ReadStatement is Read for an fn that runs exactly one statement: on PostgreSQL there is no transaction around it. A
// second statement, and one that writes, is refused with ErrSecondStatement.
func (d *DB) ReadStatement(ctx context.Context, fn func(*Tx) error) error {
	return d.engine.readStatement(ctx, func(c connection) error {
		return fn(&Tx{ctx: ctx, db: d, conn: c, single: true})
	})
}

// Write runs fn in a transaction and returns once it is durable. If the commit fails, or PostgreSQL asks for it, fn is
// run again from the start, so it must have no effect besides the transaction's. It must not wait for anything else
// either, since on SQLite all writes wait for it. If fn returns an error or panics, nothing is stored.
func (d *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	d.writes.Add(1)
	return d.engine.write(ctx, d.with(ctx, fn))
}

// WriteAlone is Write for an fn that changes everything, while nothing else uses the database.
func (d *DB) WriteAlone(ctx context.Context, fn func(*Tx) error) error {
	return d.engine.writeAlone(ctx, d.with(ctx, fn))
}

func (d *DB) with(ctx context.Context, fn func(*Tx) error) func(connection) error {
	return func(c connection) error { return fn(&Tx{ctx: ctx, db: d, conn: c}) }
}
