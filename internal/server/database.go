package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"penstock/internal/config"
	"penstock/internal/db"
	"penstock/internal/service"
	"penstock/internal/service/core"
)

// Access is how an operator's command opens the database. Without any of these the database must exist and
// have this binary's schema.
type Access struct {
	Exclusive bool // refused while a server, or another exclusive command, has the database open
	AnySchema bool // the schema is left to the command, and so is making the database
	Anew      bool // all of the database is to be replaced: an SQLite one may be missing, or another than before
	// Made, if set, allows an SQLite database to be created, with its schema, if it is missing, and is called with its
	// place.
	Made func(dir string)
}

// Operate opens the database that cfg names, runs fn on it, and closes it. Unless it is asked for exclusive
// access it does so beside a running server. An error says what to change.
func Operate(ctx context.Context, cfg config.Config, access Access, fn func(*db.DB, *service.Service) error) error {
	return openDatabaseOf(ctx, cfg, access, func(d *db.DB) error {
		return fn(d, service.New(service.Options{Core: core.New(core.Options{DB: d})}))
	})
}

// openDatabaseOf is Operate without the service.
func openDatabaseOf(ctx context.Context, cfg config.Config, access Access, fn func(*db.DB) error) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	fresh := isMissing(cfg)
	if fresh && access.Made == nil && !access.AnySchema {
		return fmt.Errorf("there is no database in %s; name the server's directory with --data, or make one with penstock "+
			"migrate", cfg.Data)
	}
	o := databaseOptions(cfg)
	o.Application, o.Exclusive, o.Anew = "penstock", access.Exclusive, access.Anew
	return openDatabase(ctx, o, func(d *db.DB) error {
		if fresh && access.Made != nil {
			if _, err := d.Migrate(ctx); err != nil {
				return fmt.Errorf("make the database: %w", err)
			}
			access.Made(cfg.Data)
		}
		if !access.AnySchema {
			if err := d.CheckSchema(ctx); err != nil {
				return err
			}
		}
		return fn(d)
	})
}

// isMissing reports whether cfg means an SQLite database that does not exist yet.
func isMissing(cfg config.Config) bool {
	if cfg.Database != "" {
		return false
	}
	_, err := os.Stat(filepath.Join(cfg.Data, db.FileName))
	return errors.Is(err, fs.ErrNotExist)
}

func databaseOptions(cfg config.Config) db.Options {
	if cfg.Database != "" {
		return db.Options{URL: cfg.Database.Reveal()}
	}
	return db.Options{Dir: cfg.Data}
}

// openDatabase opens the database, runs fn and closes it again.
func openDatabase(ctx context.Context, o db.Options, fn func(*db.DB) error) (err error) {
	d, err := db.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := closeInTime(d); closeErr != nil && err == nil {
			err = fmt.Errorf("close the database: %w", closeErr)
		}
	}()
	return fn(d)
}

// closeTimeout is how long transactions that are still running are waited for.
const closeTimeout = 15 * time.Second

func closeInTime(d *db.DB) error {
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	select {
	case err := <-closed:
		return err
	case <-time.After(closeTimeout):
		return errors.New("transactions are still running; what is not committed will be undone")
	}
}
