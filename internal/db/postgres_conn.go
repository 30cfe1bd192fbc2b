package db

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgresConn sends statements whose answers nobody waits for, the transaction's beginning and end among them,
// together with the next one: a round trip less for each, and what they lock is locked for less long.
type postgresConn struct {
	conn        *pgxpool.Conn
	limit       time.Duration // for the answer to a statement; 0: none
	trips       *atomic.Int64 // how often statements were sent
	waiting     pgx.Batch
	identify    int    // how many statements wait with the one that asks for the transaction's id; 0: none does
	transaction string // its id, of one that writes, once its first statement was answered
	columns     postgresColumns
	row         Row
	suspend     suspension // of the function that runs, of those that run together; nil: none
}

func (c *postgresConn) queue(sql string, args []any) { c.waiting.Queue(sql, args...) }

// send sends what waits, and returns the answers to its last n statements.
func (c *postgresConn) send(ctx context.Context, n int) (pgx.BatchResults, error) {
	batch, identify := c.waiting, c.identify
	c.waiting, c.identify = pgx.Batch{}, 0
	c.trips.Add(1)
	results := c.conn.SendBatch(ctx, &batch)
	for i := range batch.Len() - n {
		var err error
		if i+1 == identify {
			err = results.QueryRow().Scan(&c.transaction)
		} else {
			_, err = results.Exec()
		}
		if err != nil {
			_ = results.Close()
			return nil, laterError(classifyPostgres(err))
		}
	}
	return results, nil
}

// errNoAnswer means that a statement was not answered in time, although PostgreSQL should have broken it off by then.
var errNoAnswer = fmt.Errorf("%w: PostgreSQL does not answer", ErrUnavailable)

// withLimit returns the context of some statements: there is an end to waiting for them even if the connection has gone
// silent.
func (c *postgresConn) withLimit(ctx context.Context, statements int) (context.Context, context.CancelFunc) {
	if c.limit == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, time.Duration(statements)*c.limit, errNoAnswer)
}

// explainPostgres returns the class of a statement's error.
func explainPostgres(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errNoAnswer) {
		return errNoAnswer
	}
	return classifyPostgres(err)
}

// flush sends what waits.
func (c *postgresConn) flush(ctx context.Context) error {
	if c.waiting.Len() == 0 {
		return nil
	}
	ctx, cancel := c.withLimit(ctx, 1)
	defer cancel()
	return explainPostgres(ctx, c.sendAll(ctx))
}

func (c *postgresConn) sendAll(ctx context.Context) error {
	results, err := c.send(ctx, 0)
	if err != nil {
		return err
	}
	return results.Close()
}

// queueIdentify asks for the transaction's id, together with its first statement: should the commit not be answered,
// what became of it is found out by the id.
func (c *postgresConn) queueIdentify() {
	c.queue("SELECT CAST(pg_current_xact_id() AS TEXT)", nil)
	c.identify = c.waiting.Len()
}

// commit ends the transaction. Once it is sent, its answer is waited for, even if the caller goes away. Returns a
// lostCommit if none comes.
func (c *postgresConn) commit(ctx context.Context) error {
	if c.identify > 0 {
		if c.waiting.Len() == c.identify {
			c.waiting, c.identify = pgx.Batch{}, 0
			return nil // nothing was asked for
		}
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	err := c.sendCommit(ctx)
	if err != nil && c.transaction != "" && c.conn.Conn().IsClosed() {
		return &lostCommit{c.transaction, c.conn.Conn().PgConn().CustomData()[serverKey].(string), err}
	}
	return err
}

func (c *postgresConn) sendCommit(ctx context.Context) error {
	c.queue("commit", nil)
	results, err := c.send(ctx, 1)
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

func (c *postgresConn) rollback(ctx context.Context) {
	if c.conn.Conn().PgConn().TxStatus() != 'I' {
		_, _ = c.conn.Exec(ctx, "rollback")
	}
}

func (c *postgresConn) query(ctx context.Context, sql string, each func(*Row) error, args []any) error {
	asked := &question{sql: sql, args: args, each: each}
	c.ask(ctx, asked)
	return asked.err
}

// answer sends questions, together with what waits, and reads their rows.
func (c *postgresConn) answer(ctx context.Context, asked []*question) {
	ctx, cancel := c.withLimit(ctx, len(asked))
	defer cancel()
	if len(asked) == 1 && c.waiting.Len() == 0 {
		c.trips.Add(1)
		rows, err := c.conn.Query(ctx, asked[0].sql, asked[0].args...)
		asked[0].err = c.readRows(ctx, rows, err, asked[0].each)
		return
	}
	for _, q := range asked {
		c.queue(q.sql, q.args)
	}
	results, err := c.send(ctx, len(asked))
	if err != nil {
		for _, q := range asked {
			q.err = explainPostgres(ctx, err)
		}
		return
	}
	defer func() { _ = results.Close() }()
	for _, q := range asked {
		rows, err := results.Query() // fails for all that were sent behind one that failed
		q.err = c.readRows(ctx, rows, err, q.each)
	}
}

// readRows calls each for every row, unless the statement has failed. What each leaves is passed over.
func (c *postgresConn) readRows(ctx context.Context, rows pgx.Rows, err error, each func(*Row) error) error {
	if err != nil {
		return explainPostgres(ctx, err)
	}
	defer rows.Close()
	c.columns.fields = rows.FieldDescriptions()
	c.row.columns = &c.columns
	for rows.Next() {
		c.row.next, c.columns.values = 0, rows.RawValues()
		if err := each(&c.row); err != nil {
			return err
		}
	}
	return explainPostgres(ctx, rows.Err())
}

func (c *postgresConn) exec(ctx context.Context, sql string, args []any) (int64, error) {
	if err := c.flush(ctx); err != nil {
		return 0, err
	}
	ctx, cancel := c.withLimit(ctx, 1)
	defer cancel()
	c.trips.Add(1)
	tag, err := c.conn.Exec(ctx, sql, args...)
	return tag.RowsAffected(), explainPostgres(ctx, err)
}

func (c *postgresConn) execLater(_ context.Context, sql string, args []any) error {
	c.queue(sql, args)
	return nil
}

func (c *postgresConn) runScript(ctx context.Context, sql string) error {
	_, err := c.exec(ctx, sql, nil)
	return err
}

// liftTimeLimits lifts PostgreSQL's limits, and ours.
func (c *postgresConn) liftTimeLimits(ctx context.Context) error {
	c.limit = 0
	return c.runScript(ctx, "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0")
}

func (c *postgresConn) number() int64 { return connectionNumber(c.conn.Conn()) }

// now returns the time of the call. now() of SQL is that of the transaction's beginning, which may have waited for a
// lock since.
func (c *postgresConn) now(ctx context.Context) (now time.Time, err error) {
	err = c.query(ctx, "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)", func(r *Row) error {
		now = r.Time()
		return nil
	}, nil)
	return now, err
}

// postgresColumns are the values of a row as they came over the wire.
type postgresColumns struct {
	values [][]byte
	fields []pgconn.FieldDescription
}

func (c *postgresColumns) isNull(i int) bool { return c.values[i] == nil }

func (c *postgresColumns) text(i int) string { return string(c.values[i]) }

func (c *postgresColumns) boolean(i int) bool {
	v := c.values[i]
	return len(v) == 1 && (v[0] == 1 || v[0] == 't')
}

func (c *postgresColumns) bytes(i int) []byte {
	v, field := c.values[i], c.fields[i]
	if field.Format != pgx.TextFormatCode {
		return slices.Clone(v)
	}
	if len(v) < 2 {
		panic(fmt.Sprintf("column %s is not bytes", field.Name))
	}
	decoded, err := hex.AppendDecode([]byte{}, v[2:]) // after \x
	if err != nil {
		panic(fmt.Sprintf("column %s is not bytes", field.Name))
	}
	return decoded
}

func (c *postgresColumns) integer(i int) int64 {
	v, field := c.values[i], c.fields[i]
	if v == nil {
		return 0
	}
	if field.Format == pgx.TextFormatCode {
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			panic(fmt.Sprintf("column %s is not an integer", field.Name))
		}
		return n
	}
	switch len(v) {
	case 8:
		return int64(binary.BigEndian.Uint64(v))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	}
	panic(fmt.Sprintf("column %s is not an integer", field.Name))
}
