package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresEngine is a pool of connections to PostgreSQL.
type postgresEngine struct {
	pool     *pgxpool.Pool
	probe    *pgxpool.Pool // one connection, which answers whether the database is ready
	notifier postgresNotifier
	observe  observer
	limit    time.Duration // for the answer to a statement; 0: none
	fullAt   atomic.Int64  // when a write found no room, in nanoseconds since 1970
	trips    atomic.Int64  // how often statements were sent to the server

	name        string        // of this process among those that send notifications
	listenCheck time.Duration // how often a connection that listens is tried
}

var postgresDialect = dialect{
	engine:     "postgres",
	text:       `TEXT COLLATE "C"`, // compares by bytes, as on SQLite
	bytes:      "BYTEA",
	forUpdate:  " FOR NO KEY UPDATE",
	skipLocked: " FOR NO KEY UPDATE SKIP LOCKED",
	hasLateral: true,
	hasArrays:  true,
	// Not information_schema, which leaves out what this user may not read.
	listColumns: `SELECT c.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_attribute a
		JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY c.relname, a.attnum`,
	hasColumn:  `SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = $2 AND NOT attisdropped`,
	lockTables: "LOCK TABLE %s IN %s MODE",
}

func (e *postgresEngine) dialect() *dialect { return &postgresDialect }

func openPostgres(ctx context.Context, o Options) (engine, error) {
	cfg, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, fmt.Errorf("the database URL cannot be used: %w", err)
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
		// a statement's plan hangs on its text, not on its arguments
		"plan_cache_mode": "force_generic_plan",
		// Nor on when statistics were taken: a table that was small then may be large now.
		"enable_seqscan":    "off",
		"enable_bitmapscan": "off",
		// a plan without an index looks costly then, and compiling it takes longer than running it
		"jit": "off",
		// statements are short: none is worth the start of another process
		"max_parallel_workers_per_gather": "0",
	} {
		if _, given := params[name]; !given {
			params[name] = value
		}
	}
	cfg.AfterConnect = prepareConnections()
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("%w: cannot reach PostgreSQL; check --database and that the server runs: %w", ErrUnavailable,
			err)
	}
	if o.Exclusive {
		if err := refuseOtherNodes(ctx, pool); err != nil {
			pool.Close()
			return nil, err
		}
	}
	// A pool connects when it is first used.
	apart := cfg.Copy()
	apart.MinConns, apart.MaxConns = 0, 1
	probe, err := pgxpool.NewWithConfig(ctx, apart)
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	return &postgresEngine{pool: pool, probe: probe, observe: o.Observe, limit: answerLimit(params["statement_timeout"]),
		name: strconv.FormatUint(rand.Uint64(), 36), listenCheck: cmp.Or(o.ListenCheck, listenCheck)}, nil
}

// answerGrace is for how long after PostgreSQL's own time limit a statement's answer is waited for.
const answerGrace = 2 * time.Second

// answerLimit returns for how long a statement's answer is waited for, by PostgreSQL's own limit, which has a unit or
// is in milliseconds. It is 0, for ever, if PostgreSQL has none.
func answerLimit(statementTimeout string) time.Duration {
	if ms, err := strconv.Atoi(statementTimeout); err == nil {
		statementTimeout = strconv.Itoa(ms) + "ms"
	}
	limit, err := time.ParseDuration(strings.NewReplacer(" ", "", "min", "m").Replace(statementTimeout))
	if err != nil || limit <= 0 {
		return 0
	}
	return limit + answerGrace
}

const (
	numberKey = "number"
	serverKey = "server"
)

// prepareConnections returns what assigns connections consecutive numbers, of which each process begins with another,
// and records which run of a server they lead to.
func prepareConnections() func(context.Context, *pgx.Conn) error {
	var last atomic.Int64
	last.Store(int64(rand.Int32()))
	return func(ctx context.Context, conn *pgx.Conn) error {
		run, err := serverRun(ctx, conn)
		conn.PgConn().CustomData()[numberKey] = last.Add(1)
		conn.PgConn().CustomData()[serverKey] = run
		return err
	}
}

func connectionNumber(conn *pgx.Conn) int64 { return conn.PgConn().CustomData()[numberKey].(int64) }

// ServerApplication is the application name under which servers connect to PostgreSQL, where many may
// share a database; an exclusive user (restore) looks for it.
const ServerApplication = "penstock serve"

// disconnectTime is how long PostgreSQL may take to notice that a server has gone.
const disconnectTime = 3 * time.Second

const countServers = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND " +
	"application_name = $1"

var errOtherNodes = fmt.Errorf("the database is %w: stop every server first", ErrLocked)

func refuseOtherNodes(ctx context.Context, pool *pgxpool.Pool) error {
	again := time.NewTicker(disconnectTime / 60)
	defer again.Stop()
	for start := time.Now(); ; <-again.C {
		var n int
		err := pool.QueryRow(ctx, countServers, ServerApplication).Scan(&n)
		switch {
		case err != nil:
			return classifyPostgres(err)
		case n == 0:
			return nil
		case time.Since(start) > disconnectTime:
			return errOtherNodes
		}
	}
}

func (e *postgresEngine) close() error {
	e.pool.Close()
	e.probe.Close()
	e.notifier.close()
	return nil
}

func (e *postgresEngine) poolUse() PoolUse {
	stat := e.pool.Stat()
	return PoolUse{Open: int(stat.TotalConns()), InUse: int(stat.AcquiredConns())}
}

// ready asks on a connection of its own whether the server takes changes, and what fn finds.
func (e *postgresEngine) ready(ctx context.Context, fn func(connection) error) error {
	acquired, err := e.probe.Acquire(ctx)
	if err != nil {
		return err
	}
	defer acquired.Release()
	conn := &postgresConn{conn: acquired, trips: &e.trips}
	readOnly := false
	err = conn.query(ctx, "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'",
		func(r *Row) error {
			readOnly = r.Bool()
			return nil
		}, nil)
	switch {
	case err != nil:
		return err
	case readOnly:
		return &Unready{"The database can only be read.", errors.New("PostgreSQL is a standby, or read-only")}
	case time.Since(time.Unix(0, e.fullAt.Load())) < fullTime:
		return &Unready{"The disk is full.", errors.New("PostgreSQL had no room for a write")}
	}
	return fn(conn)
}

// fullTime is for how long after a write that found no room the disk counts as full.
const fullTime = 5 * time.Second

func (e *postgresEngine) roundTrips() int64 { return e.trips.Load() }

func (e *postgresEngine) readers() int { return int(e.pool.Config().MaxConns) }

func (e *postgresEngine) acquire(ctx context.Context, kind string) (*pgxpool.Conn, error) {
	start := time.Now()
	waiting, cancel := context.WithTimeoutCause(ctx, acquireTimeout, ErrOverloaded)
	defer cancel()
	conn, err := e.pool.Acquire(waiting)
	e.observe.waitedSince(start, kind)
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

func (e *postgresEngine) readStatement(ctx context.Context, fn func(connection) error) error {
	conn, err := e.acquire(ctx, "read")
	if err != nil {
		return err
	}
	defer conn.Release()
	return fn(&postgresConn{conn: conn, limit: e.limit, trips: &e.trips})
}

func (e *postgresEngine) read(ctx context.Context, fn func(connection) error) error {
	return e.transact(ctx, "read", "begin isolation level repeatable read read only", fn)
}

func (e *postgresEngine) readAll(ctx context.Context, fn func(connection) error) error {
	return e.read(ctx, fn)
}

func (e *postgresEngine) write(ctx context.Context, fn func(connection) error) error {
	for attempt := 1; ; attempt++ {
		err := e.transact(ctx, "write", "begin isolation level read committed", fn)
		if lost, ok := errors.AsType[*lostCommit](err); ok {
			return e.findOutcome(context.WithoutCancel(ctx), lost)
		}
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "53100" {
			e.fullAt.Store(time.Now().UnixNano())
		}
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

func (e *postgresEngine) writeAlone(ctx context.Context, fn func(connection) error) error {
	return e.write(ctx, fn)
}

func (e *postgresEngine) transact(ctx context.Context, kind, begin string, fn func(connection) error) error {
	acquired, err := e.acquire(ctx, kind)
	if err != nil {
		return err
	}
	defer acquired.Release()
	conn := &postgresConn{conn: acquired, limit: e.limit, trips: &e.trips}
	conn.queue(begin, nil)
	if kind == "write" {
		conn.queueIdentify()
	}
	// After a commit this does nothing; after an error or a panic it undoes everything, even when the
	// caller has gone away meanwhile.
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), acquireTimeout)
		defer cancel()
		conn.rollback(ctx)
	}()
	if err := fn(conn); err != nil {
		return err
	}
	err = conn.commit(ctx)
	if kind == "read" && errors.Is(err, pgx.ErrTxCommitRollback) {
		return nil // a statement failed, and fn lives with that
	}
	return classifyPostgres(err)
}

func isRetryable(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01")
}

func classifyPostgres(err error) error {
	if err == nil || errors.Is(err, errLater) || errors.Is(err, ErrOverloaded) || errors.Is(err, ErrUnavailable) {
		return err
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case ok && pg.Code == "23505":
		return fmt.Errorf("%w: %w", ErrUnique, err)
	case ok && pg.Code == "23503":
		return fmt.Errorf("%w: %w", ErrForeignKey, err)
	case ok && (pg.Code == "55P03" || strings.HasPrefix(pg.Code, "53")): // a lock, memory, disk or connections
		return fmt.Errorf("%w: %w", ErrOverloaded, err)
	case ok && (strings.HasPrefix(pg.Code, "57") || strings.HasPrefix(pg.Code, "08") || pg.Code == "25006" ||
		pg.Code == "25P03"):
		// Shutting down, a statement or a session that took too long, a broken connection, or a server that only reads.
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	case ok, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
