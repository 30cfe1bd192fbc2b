package db

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

// dropTables drops them at once, since they refer to each other. It does so without CASCADE, so that what an operator
// has made to depend on them is not dropped unasked.
func (c *postgresConn) dropTables(ctx context.Context, tables []Table) error {
	if len(tables) == 0 {
		return nil
	}
	_, err := c.exec(ctx, "DROP TABLE "+quoteTables(tables), nil)
	return err
}

// liftForeignKeys drops the keys, and check makes them again: not all can be deferred, one check of a whole table
// is far faster than one a row, and checks that wait for the commit would refuse later migrations.
func (c *postgresConn) liftForeignKeys(ctx context.Context, tables []Table) (check func() error, err error) {
	var drop, add []string
	err = c.query(ctx, `SELECT c.relname, k.conname, pg_get_constraintdef(k.oid) FROM pg_constraint k
		JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE k.contype = 'f' AND n.nspname = current_schema() ORDER BY k.oid`, func(r *Row) error {
		name, key, definition := r.Text(), r.Text(), r.Text()
		if slices.ContainsFunc(tables, func(t Table) bool { return t.Name == name }) {
			alter := "ALTER TABLE " + Quote(name)
			drop = append(drop, alter+" DROP CONSTRAINT "+Quote(key))
			add = append(add, alter+" ADD CONSTRAINT "+Quote(key)+" "+definition)
		}
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	// A migration that updates rows which this transaction has stored, and alters their table next, would
	// be refused for the checks that are to come at the commit.
	add = append(add, "SET CONSTRAINTS ALL IMMEDIATE")
	return func() error { return c.execAll(ctx, add) }, c.execAll(ctx, drop)
}

func (c *postgresConn) execAll(ctx context.Context, statements []string) error {
	for _, sql := range statements {
		if _, err := c.exec(ctx, sql, nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *postgresConn) insertRows(ctx context.Context, table string, columns []string,
	next func() ([]any, error)) error {
	if err := c.flush(ctx); err != nil {
		return err
	}
	var failed error
	_, err := c.conn.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() (row []any, err error) {
		row, failed = next()
		return row, failed
	}))
	if failed != nil {
		return failed
	}
	return classifyPostgres(err)
}

func (c *postgresConn) refuseServers(ctx context.Context) error {
	var servers int64
	err := c.query(ctx, countServers, func(r *Row) error {
		servers = r.Int()
		return nil
	}, []any{ServerApplication})
	if err == nil && servers > 0 {
		err = errOtherNodes
	}
	return err
}
