package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// listenCheck is how often a connection that listens is tried, and how long it may take to receive its own message:
	// one that went silent looks like one on which nothing is said.
	listenCheck   = 10 * time.Second
	notifyTimeout = 5 * time.Second // for connecting, and for a notification to be taken
)

// notifyAll sends each payload after the name of who sends it: a process receives its own too.
const notifyAll = `SELECT pg_notify(CAST($1 AS TEXT), CAST($2 AS TEXT) || ' ' || payload)
	FROM unnest(CAST($3 AS TEXT[])) AS payload`

// notifySelf sends the sender's name alone, which only the sender heeds.
const notifySelf = `SELECT pg_notify(CAST($1 AS TEXT), CAST($2 AS TEXT))`

// postgresNotifier has the connection that sends notifications, made when it is first needed. A pool would keep the
// place of one that went silent until it is given up, and wait for that when it is closed.
type postgresNotifier struct {
	mutex sync.Mutex
	conn  *pgx.Conn // nil: none yet, or the last one broke
}

func (n *postgresNotifier) exec(ctx context.Context, cfg *pgx.ConnConfig, sql string, args ...any) (err error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.conn == nil {
		if n.conn, err = pgx.ConnectConfig(ctx, cfg); err != nil {
			return err
		}
	}
	_, err = n.conn.Exec(ctx, sql, args...)
	if n.conn.IsClosed() {
		n.conn = nil
	}
	return err
}

func (n *postgresNotifier) close() {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.conn != nil {
		closeConnection(context.Background(), n.conn)
	}
}

// closeConnection does not wait for long for a server that does not answer.
func closeConnection(ctx context.Context, conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

func (e *postgresEngine) notify(ctx context.Context, channel string, payloads []string) error {
	ctx, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	return classifyNotify(e.notifier.exec(ctx, e.pool.Config().ConnConfig, notifyAll, channel, e.name, payloads))
}

func (e *postgresEngine) listen(ctx context.Context, channel string, ready func(), each func(string)) error {
	connecting, cancel := context.WithTimeout(ctx, notifyTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(connecting, e.pool.Config().ConnConfig)
	if err != nil {
		return explainListen(ctx, err)
	}
	defer closeConnection(ctx, conn)
	if _, err := conn.Exec(connecting, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return explainListen(ctx, err)
	}
	if err := e.checkListening(ctx, conn, channel, each); err != nil {
		return err
	}
	ready()
	for {
		if err := e.waitForCheck(ctx, conn, each); err != nil {
			return err
		}
		if err := e.checkListening(ctx, conn, channel, each); errors.Is(err, ErrNoNotify) {
			return fmt.Errorf("%w: the connection that listens went silent", ErrUnavailable)
		} else if err != nil {
			return err
		}
	}
}

// checkListening sends a notification to the connection itself and receives until it arrives. Returns ErrNoNotify if it
// does not.
func (e *postgresEngine) checkListening(ctx context.Context, conn *pgx.Conn, channel string, each func(string)) error {
	checking, cancel := context.WithTimeout(ctx, e.listenCheck)
	defer cancel()
	if _, err := conn.Exec(checking, notifySelf, channel, e.name); err != nil {
		return explainListen(ctx, err)
	}
	for {
		own, err := e.receive(checking, conn, each)
		switch {
		case own:
			return nil
		case err != nil && ctx.Err() == nil && checking.Err() != nil:
			return ErrNoNotify
		case err != nil:
			return explainListen(ctx, err)
		}
	}
}

// waitForCheck receives until it is time to try the connection.
func (e *postgresEngine) waitForCheck(ctx context.Context, conn *pgx.Conn, each func(string)) error {
	waiting, cancel := context.WithTimeout(ctx, e.listenCheck)
	defer cancel()
	for {
		if _, err := e.receive(waiting, conn, each); err != nil {
			if ctx.Err() == nil && waiting.Err() != nil {
				return nil
			}
			return explainListen(ctx, err)
		}
	}
}

// receive waits for one notification, and reports whether it is what the connection sent to itself.
func (e *postgresEngine) receive(ctx context.Context, conn *pgx.Conn, each func(string)) (own bool, err error) {
	notification, err := conn.WaitForNotification(ctx)
	if notification == nil {
		return false, err
	}
	sender, payload, others := strings.Cut(notification.Payload, " ")
	if sender == e.name {
		return !others, nil
	}
	if others {
		each(payload)
	}
	return false, nil
}

// explainListen returns ctx's error if ctx is done, and otherwise the class of err.
func explainListen(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return classifyNotify(err)
}

func classifyNotify(err error) error {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	// not supported, unknown syntax, unknown function
	if ok && (pg.Code == "0A000" || pg.Code == "42601" || pg.Code == "42883") {
		return fmt.Errorf("%w: %w", ErrNoNotify, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: PostgreSQL does not answer: %w", ErrUnavailable, err)
	}
	return classifyPostgres(err)
}
