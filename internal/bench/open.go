package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5"

	"penstock/internal/db"
)

// open makes a database of its own. It returns nil for PostgreSQL if there is no server.
func open(ctx context.Context, engine string) (d *db.DB, cleanup func(), err error) {
	var options db.Options
	switch engine {
	case "sqlite":
		if options.Dir, err = os.MkdirTemp("", "penstock-bench"); err != nil {
			return nil, nil, err
		}
		cleanup = func() { _ = os.RemoveAll(options.Dir) }
	case "postgres":
		server := os.Getenv("PENSTOCK_TEST_POSTGRES")
		if server == "" {
			fmt.Println("postgres  not measured: PENSTOCK_TEST_POSTGRES is not set")
			return nil, nil, nil
		}
		name := fmt.Sprintf("penstock_bench_%d", os.Getpid())
		if err := administer(ctx, server, `CREATE DATABASE "`+name+`"`); err != nil {
			return nil, nil, err
		}
		u, err := url.Parse(server)
		if err != nil {
			return nil, nil, err
		}
		u.Path = "/" + name
		options.URL = u.String()
		cleanup = func() { _ = administer(ctx, server, `DROP DATABASE "`+name+`" WITH (FORCE)`) }
	default:
		return nil, nil, fmt.Errorf("there is no engine %q", engine)
	}
	if d, err = db.Open(ctx, options); err == nil {
		_, err = d.Migrate(ctx)
	}
	if err != nil {
		cleanup()
		return nil, nil, err
	}
	remove := cleanup
	return d, func() {
		if err := d.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		remove()
	}, nil
}

func administer(ctx context.Context, server, sql string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}
