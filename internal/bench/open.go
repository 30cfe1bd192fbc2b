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
func open(ctx context.Context, engine string) (*db.DB, func(), error) {
	options, remove, err := place(ctx, engine)
	if err != nil || remove == nil {
		return nil, nil, err
	}
	d, err := openAt(ctx, options)
	if err != nil {
		remove()
		return nil, nil, err
	}
	return d, func() {
		if err := d.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		remove()
	}, nil
}

func openAt(ctx context.Context, options db.Options) (*db.DB, error) {
	d, err := db.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	if _, err := d.Migrate(ctx); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// place makes the place of a database, which remove removes; that is nil for PostgreSQL if there is no server.
func place(ctx context.Context, engine string) (options db.Options, remove func(), err error) {
	switch engine {
	case "sqlite":
		if options.Dir, err = os.MkdirTemp("", "penstock-bench"); err != nil {
			return options, nil, err
		}
		return options, func() { _ = os.RemoveAll(options.Dir) }, nil
	case "postgres":
		server := os.Getenv("PENSTOCK_TEST_POSTGRES")
		if server == "" {
			fmt.Println("postgres  not measured: PENSTOCK_TEST_POSTGRES is not set")
			return options, nil, nil
		}
		name := fmt.Sprintf("penstock_bench_%d", os.Getpid())
		if err := administer(ctx, server, `CREATE DATABASE "`+name+`"`); err != nil {
			return options, nil, err
		}
		u, err := url.Parse(server)
		if err != nil {
			return options, nil, err
		}
		u.Path = "/" + name
		options.URL = u.String()
		return options, func() { _ = administer(ctx, server, `DROP DATABASE "`+name+`" WITH (FORCE)`) }, nil
	default:
		return options, nil, fmt.Errorf("there is no engine %q", engine)
	}
}

func administer(ctx context.Context, server, sql string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, sql)
	return errors.Join(err, conn.Close(ctx))
}
