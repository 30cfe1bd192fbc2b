package db

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

func openPostgres(ctx context.Context, o Options) (*pgxpool.Pool, func() error, error) {
	cfg, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, nil, fmt.Errorf("the database URL cannot be used: %w", err)
	}
	if u, err := url.Parse(o.URL); err == nil && !u.Query().Has("pool_max_conns") {
		cfg.MaxConns = int32(max(16, 4*runtime.GOMAXPROCS(0)))
	}
	params := cfg.ConnConfig.RuntimeParams
	// Others find servers by it, so neither the URL nor PGAPPNAME may change it, and a server stays connected.
	params["application_name"] = o.Application
	if o.Application == ServerApplication {
		cfg.MinConns = 1
	}
	for name, value := range map[string]string{
		"timezone":                            "UTC",
		"statement_timeout":                   "30s",
		"lock_timeout":                        "10s",
		"idle_in_transaction_session_timeout": "60s",
		"plan_cache_mode":                     "force_generic_plan", // a statement's plan hangs on its text, not on its arguments
	} {
		if _, given := params[name]; !given {
			params[name] = value
		}
	}
	cfg.AfterConnect = numberConnections()
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, nil, fmt.Errorf("%w: cannot reach PostgreSQL; check --database and that the server runs: %w", ErrUnavailable, err)
	}
	if o.Exclusive {
		if err := refuseOtherNodes(ctx, pool); err != nil {
			pool.Close()
			return nil, nil, err
		}
	}
	return pool, func() error { return nil }, nil
}

const numberKey = "number"

// numberConnections returns what gives connections consecutive numbers. Each process begins with another.
func numberConnections() func(context.Context, *pgx.Conn) error {
	var last atomic.Int64
	last.Store(int64(rand.Int32()))
	return func(_ context.Context, conn *pgx.Conn) error {
		conn.PgConn().CustomData()[numberKey] = last.Add(1)
		return nil
	}
}

func connectionNumber(conn *pgx.Conn) int64 { return conn.PgConn().CustomData()[numberKey].(int64) }

// ServerApplication is the application name under which servers connect to PostgreSQL, where many may
// share a database; an exclusive user (restore) looks for it.
const ServerApplication = "penstock serve"

// lingering is how long PostgreSQL may take to notice that a server has gone.
const lingering = 3 * time.Second

func refuseOtherNodes(ctx context.Context, pool *pgxpool.Pool) error {
	again := time.NewTicker(lingering / 60)
	defer again.Stop()
	for start := time.Now(); ; <-again.C {
		var n int
		err := pool.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = $1`, ServerApplication).Scan(&n)
		switch {
		case err != nil:
			return classifyPostgres(err)
		case n == 0:
			return nil
		case time.Since(start) > lingering:
			return fmt.Errorf("the database is %w: stop every server first", ErrLocked)
		}
	}
}

func (d *DB) acquire(ctx context.Context, kind string) (*pgxpool.Conn, error) {
	start := time.Now()
	waiting, cancel := context.WithTimeoutCause(ctx, acquireTimeout, ErrOverloaded)
	defer cancel()
	conn, err := d.pool.Acquire(waiting)
	d.observe(Wait{Kind: kind, Duration: time.Since(start)})
	if err == nil {
		return conn, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if waiting.Err() != nil {
		return nil, ErrOverloaded
	}
	return nil, classifyPostgres(err)
}

func (d *DB) postgresReadOne(ctx context.Context, fn func(*Tx) error) error {
	conn, err := d.acquire(ctx, "read")
	if err != nil {
		return err
	}
	single := &singleStatement{conn: conn}
	err = func() error {
		defer conn.Release()
		return fn(&Tx{ctx: ctx, db: d, pg: single})
	}()
	if single.exceeded {
		return d.postgresRead(ctx, fn)
	}
	return err
}

// singleStatement runs one statement, outside a transaction, and refuses others.
type singleStatement struct {
	conn           *pgxpool.Conn
	used, exceeded bool
}

var errSecondStatement = errors.New("a second statement needs a transaction")

func (s *singleStatement) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if s.used {
		s.exceeded = true
		return nil, errSecondStatement
	}
	s.used = true
	return s.conn.Query(ctx, sql, args...)
}

func (s *singleStatement) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, errors.New("a statement that reads is run with Query")
}

func (d *DB) postgresRead(ctx context.Context, fn func(*Tx) error) error {
	return d.postgresTx(ctx, "read", "begin isolation level repeatable read read only", fn)
}

func (d *DB) postgresWrite(ctx context.Context, fn func(*Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := d.postgresTx(ctx, "write", "begin isolation level read committed", fn)
		if err == nil || !isRetryable(err) {
			return err
		}
		if attempt == maxAttempts {
			return fmt.Errorf("%w: %w", ErrOverloaded, err)
		}
		pause := time.Duration(rand.Int64N(int64(attempt) * int64(2*time.Millisecond)))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (d *DB) postgresTx(ctx context.Context, kind, begin string, fn func(*Tx) error) error {
	conn, err := d.acquire(ctx, kind)
	if err != nil {
		return err
	}
	defer conn.Release()
	t := &transaction{conn: conn}
	t.later(begin, nil)
	// After a commit this does nothing; after an error or a panic it undoes everything, even when the
	// caller has gone away meanwhile.
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), acquireTimeout)
		defer cancel()
		t.rollback(ctx)
	}()
	if err := fn(&Tx{ctx: ctx, db: d, pg: t}); err != nil {
		return err
	}
	err = t.commit(ctx)
	if kind == "read" && errors.Is(err, pgx.ErrTxCommitRollback) {
		return nil // a statement failed, and fn lives with that
	}
	return classifyPostgres(err)
}

// transaction sends statements whose answers nobody waits for, its own beginning and end among them, together with the next
// one: a round trip less for each, and what they lock is locked for less long.
type transaction struct {
	conn    *pgxpool.Conn
	waiting pgx.Batch
}

func (t *transaction) later(sql string, args []any) { t.waiting.Queue(sql, args...) }

// send sends what waits, and returns the answers to its last n statements.
func (t *transaction) send(ctx context.Context, n int) (pgx.BatchResults, error) {
	batch := t.waiting
	t.waiting = pgx.Batch{}
	results := t.conn.SendBatch(ctx, &batch)
	for range batch.Len() - n {
		if _, err := results.Exec(); err != nil {
			_ = results.Close()
			return nil, err
		}
	}
	return results, nil
}

func (t *transaction) flush(ctx context.Context) error {
	if t.waiting.Len() == 0 {
		return nil
	}
	results, err := t.send(ctx, 0)
	if err != nil {
		return err
	}
	return results.Close()
}

func (t *transaction) commit(ctx context.Context) error {
	t.later("commit", nil)
	results, err := t.send(ctx, 1)
	if err != nil {
		return err
	}
	tag, err := results.Exec()
	if err := errors.Join(err, results.Close()); err != nil {
		return err
	}
	if tag.String() == "ROLLBACK" { // as PostgreSQL commits what a statement has failed in
		return pgx.ErrTxCommitRollback
	}
	return nil
}

func (t *transaction) rollback(ctx context.Context) {
	if t.conn.Conn().PgConn().TxStatus() != 'I' {
		_, _ = t.conn.Exec(ctx, "rollback")
	}
}

func (t *transaction) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if t.waiting.Len() == 0 {
		return t.conn.Query(ctx, sql, args...)
	}
	t.later(sql, args)
	results, err := t.send(ctx, 1)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		_ = results.Close()
		return nil, err
	}
	return batchRows{rows, results}, nil
}

func (t *transaction) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if err := t.flush(ctx); err != nil {
		return pgconn.CommandTag{}, err
	}
	return t.conn.Exec(ctx, sql, args...)
}

func (t *transaction) copyFrom(ctx context.Context, table string, columns []string, rows pgx.CopyFromSource) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	_, err := t.conn.CopyFrom(ctx, pgx.Identifier{table}, columns, rows)
	return err
}

// batchRows are the rows of a batch's last statement, and end with it.
type batchRows struct {
	pgx.Rows
	results pgx.BatchResults
}

func (r batchRows) Close() {
	r.Rows.Close()
	_ = r.results.Close()
}

func (tx *Tx) postgresQuery(sql string, each func(*Row) error, args []any) error {
	rows, err := tx.pg.Query(tx.ctx, sql, args...)
	if err != nil {
		return classifyPostgres(err)
	}
	defer rows.Close()
	row := &tx.row
	row.fields = rows.FieldDescriptions()
	for rows.Next() {
		row.next, row.values = 0, rows.RawValues()
		if err := each(row); err != nil {
			return err
		}
	}
	return classifyPostgres(rows.Err())
}

func (tx *Tx) postgresExec(sql string, args []any) (int64, error) {
	tag, err := tx.pg.Exec(tx.ctx, sql, args...)
	return tag.RowsAffected(), classifyPostgres(err)
}

func isRetryable(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01")
}

func classifyPostgres(err error) error {
	if err == nil {
		return nil
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case ok && pg.Code == "23505":
		return fmt.Errorf("%w: %w", ErrUnique, err)
	case ok && pg.Code == "23503":
		return fmt.Errorf("%w: %w", ErrForeignKey, err)
	case ok && (pg.Code == "55P03" || strings.HasPrefix(pg.Code, "53")): // a lock, memory, disk or connections
		return fmt.Errorf("%w: %w", ErrOverloaded, err)
	case ok && (strings.HasPrefix(pg.Code, "57") || strings.HasPrefix(pg.Code, "08") || pg.Code == "25006" || pg.Code == "25P03"):
		// Shutting down, a statement or a session that took too long, a broken connection, or a server that only reads.
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case ok, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
