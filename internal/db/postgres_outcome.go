package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	commitTimeout  = 20 * time.Second       // for the answer to a commit
	outcomeTimeout = 10 * time.Second       // for finding out what became of a commit that was not answered
	outcomePause   = 100 * time.Millisecond // between two attempts to
)

// lostCommit means that a commit was sent and not answered: the transaction may be stored, or not.
type lostCommit struct {
	transaction string // its id
	server      string // the run of the server that assigned it
	cause       error
}

func (l *lostCommit) Error() string { return "the commit was not answered: " + l.cause.Error() }
func (l *lostCommit) Unwrap() error { return l.cause }

// findOutcome asks PostgreSQL what became of a transaction whose commit was not answered.
//
// Returns nil if it is stored, ErrUnavailable if it is not, and ErrUnknownOutcome if that cannot be found out.
func (e *postgresEngine) findOutcome(ctx context.Context, lost *lostCommit) error {
	ctx, cancel := context.WithTimeout(ctx, outcomeTimeout)
	defer cancel()
	for {
		status, err := e.askOutcome(ctx, lost)
		switch {
		case err == nil && status == "committed":
			return nil
		case err == nil && status == "aborted":
			return fmt.Errorf("%w: the transaction was not committed: %w", ErrUnavailable, lost.cause)
		case err == nil && status == "":
			return fmt.Errorf("%w: PostgreSQL does not remember the transaction: %w", ErrUnknownOutcome, lost.cause)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrUnknownOutcome, lost.cause)
		case <-time.After(outcomePause):
		}
	}
}

// askOutcome returns "committed", "aborted", "in progress", or "" if nobody knows, on a connection of its own: the
// pool's may be broken or taken.
func (e *postgresEngine) askOutcome(ctx context.Context, lost *lostCommit) (status string, err error) {
	conn, err := pgx.ConnectConfig(ctx, e.pool.Config().ConnConfig)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	server, err := serverRun(ctx, conn)
	if err != nil {
		return "", err
	}
	err = conn.QueryRow(ctx, "SELECT COALESCE(pg_xact_status(CAST(CAST($1 AS TEXT) AS xid8)), '')", lost.transaction).Scan(
		&status)
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "22023" {
		return "aborted", nil // the id is yet to be given: the server does not know the transaction, and never will
	}
	switch {
	case err != nil:
		return "", err
	case status == "committed" && server != lost.server:
		// After a crash or a failover, ids that only lost transactions had are given to others.
		return "", nil
	case status == "in progress":
		// If the server waits for a commit that never came, it is made to stop.
		_, err = conn.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE wait_event = 'ClientRead' AND backend_xid = CAST(CAST(CAST($1 AS TEXT) AS xid8) AS xid)`, lost.transaction)
	}
	return status, err
}

// serverRun names the time from one start of a PostgreSQL server, or recovery from a crash, which resets its
// statistics, to its end.
func serverRun(ctx context.Context, conn *pgx.Conn) (run string, err error) {
	err = conn.QueryRow(ctx, `SELECT CAST(pg_postmaster_start_time() AS TEXT) || ' ' ||
		COALESCE(CAST(pg_stat_get_bgwriter_stat_reset_time() AS TEXT), '')`).Scan(&run)
	return run, err
}
