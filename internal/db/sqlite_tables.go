package db

import (
	"context"
	"fmt"
	"slices"
)

func (c *sqliteConn) dropTables(ctx context.Context, tables []Table) error {
	for _, t := range slices.Backward(tables) {
		if _, err := c.exec(ctx, "DROP TABLE "+Quote(t.Name), nil); err != nil {
			return err
		}
	}
	return nil
}

// liftForeignKeys does nothing: writeAlone has deferred them.
func (c *sqliteConn) liftForeignKeys(ctx context.Context, tables []Table) (check func() error, err error) {
	return func() error { return c.checkForeignKeys(ctx, tables) }, nil
}

func (c *sqliteConn) checkForeignKeys(ctx context.Context, tables []Table) error {
	for _, t := range tables {
		err := c.query(ctx, `SELECT parent FROM pragma_foreign_key_check($1)`, func(r *Row) error {
			return fmt.Errorf("%w: a row of table %s refers to a row of %s that is not there", ErrForeignKey, t.Name, r.Text())
		}, []any{t.Name})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *sqliteConn) insertRows(ctx context.Context, table string, columns []string, next func() ([]any, error)) error {
	insert := "INSERT INTO " + Quote(table) + " (" + QuoteAll(columns) + ") VALUES (" + InList(1, len(columns)) + ")"
	for {
		row, err := next()
		if err != nil || row == nil {
			return err
		}
		if _, err := c.exec(ctx, insert, row); err != nil {
			return err
		}
	}
}

// refuseServers does nothing: who has the database exclusively has locked the directory.
func (c *sqliteConn) refuseServers(context.Context) error { return nil }
