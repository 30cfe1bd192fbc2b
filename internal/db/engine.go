package db

import (
	"context"
	"time"
)

// engine is an open database of one kind: sqliteEngine or postgresEngine.
type engine interface {
	dialect() *dialect
	close() error
	poolUse() PoolUse
	readers() int
	roundTrips() int64

	// read runs fn in a transaction that reads, readAll one that reads everything, and readStatement without one.
	read(ctx context.Context, fn func(connection) error) error
	readAll(ctx context.Context, fn func(connection) error) error
	readStatement(ctx context.Context, fn func(connection) error) error
	// ready returns why the database cannot be written, and what fn finds that reads.
	ready(ctx context.Context, fn func(connection) error) error
	// write runs fn in a transaction that writes, writeAlone in a large one that nothing else uses the database beside.
	write(ctx context.Context, fn func(connection) error) error
	writeAlone(ctx context.Context, fn func(connection) error) error

	listen(ctx context.Context, channel string, ready func(), each func(payload string)) error
	notify(ctx context.Context, channel string, payloads []string) error
}

// connection runs the statements of one transaction.
type connection interface {
	query(ctx context.Context, sql string, each func(*Row) error, args []any) error
	exec(ctx context.Context, sql string, args []any) (changed int64, err error)
	execLater(ctx context.Context, sql string, args []any) error
	// together runs functions of which none depends on another.
	together(ctx context.Context, functions []func() error) error
	// runScript runs several statements, which have no arguments.
	runScript(ctx context.Context, sql string) error
	liftTimeLimits(ctx context.Context) error
	now(ctx context.Context) (time.Time, error)
	// number distinguishes connections that write at once.
	number() int64

	insertRows(ctx context.Context, table string, columns []string, next func() ([]any, error)) error
	// refuseServers returns ErrLocked if a server uses the database.
	refuseServers(ctx context.Context) error
	dropTables(ctx context.Context, tables []Table) error
	liftForeignKeys(ctx context.Context, tables []Table) (check func() error, err error)
}

// dialect is what an engine has words of its own for.
type dialect struct {
	engine      string
	text, bytes string // types of columns; text compares by bytes
	forUpdate   string // ends a SELECT
	skipLocked  string // ends a SELECT
	hasLateral  bool
	hasArrays   bool   // as parameters
	listColumns string // a statement: table, column and type of every column, in the table's order
	hasColumn   string // a statement: whether the table $1 has the column $2
	lockTables  string // a format of tables and mode; empty where a transaction needs no more than it has
}

// Wait is how long a transaction waited for its connection or its turn.
type Wait struct {
	Kind     string // "read" or "write"
	Duration time.Duration
}

// observer is called for every wait, also for those that failed.
type observer func(Wait)

func (o observer) waitedSince(start time.Time, kind string) {
	o(Wait{Kind: kind, Duration: time.Since(start)})
}
