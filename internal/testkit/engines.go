// Package testkit is what tests share: databases of both engines, things to fill them with, and a
// server to send requests to. Only tests and benchmarks import it.
package testkit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"penstock/internal/db"
	"penstock/internal/testkit/used"
)

// EachEngine runs fn as a subtest on an empty, migrated database of each engine. PostgreSQL is the
// server that PENSTOCK_TEST_POSTGRES names; without it that subtest is skipped.
func EachEngine(t *testing.T, fn func(t *testing.T, d *db.DB)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, OpenDB(t, engine))
		})
	}
}

// OpenDB opens an empty, migrated database of its own for the test.
func OpenDB(t testing.TB, engine string) *db.DB {
	t.Helper()
	options := NewDatabase(t, engine)
	d, err := db.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// NewDatabase returns the options that open an empty, migrated database made for the test.
func NewDatabase(t testing.TB, engine string) db.Options {
	t.Helper()
	if engine == "sqlite" {
		used.Record(t, engine)
		file, err := templateFile()
		dir := t.TempDir()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, db.FileName), file, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return db.Options{Dir: dir, Application: "penstock test"}
	}
	server := os.Getenv("PENSTOCK_TEST_POSTGRES")
	if server == "" {
		t.Skip("PENSTOCK_TEST_POSTGRES is not set: scripts/with-postgres starts a server for the command behind it")
	}
	used.Record(t, engine)
	template, err := templateDatabase()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("penstock_test_%d_%d", os.Getpid(), databaseCount.Add(1))
	// Copied as files, which takes half the time of a copy by the write-ahead log. PostgreSQL 14 does not know the word.
	if err := adminExec(`CREATE DATABASE "` + name + `" TEMPLATE "` + template + `" STRATEGY FILE_COPY`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := adminExec(`DROP DATABASE "` + name + `" WITH (FORCE)`); err != nil {
			t.Error(err)
		}
	})
	return db.Options{URL: databaseURL(name), Application: "penstock test"}
}

var databaseCount atomic.Int64

// templateFile makes the migrated SQLite file that others are copies of, once a process.
var templateFile = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "penstock-template-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := migrate(db.Options{Dir: dir}); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, db.FileName))
})

// migrate brings a database to the newest schema.
func migrate(options db.Options) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	d, err := db.Open(ctx, options)
	if err != nil {
		return err
	}
	_, err = d.Migrate(ctx)
	return errors.Join(err, d.Close())
}

// templateDatabase makes the migrated database that others are cloned from, named by the migrations'
// hash, so that it is made once a server.
var templateDatabase = sync.OnceValues(func() (string, error) {
	hash := sha256.New()
	for _, m := range db.Migrations() {
		fmt.Fprintln(hash, m.Source)
	}
	name := "penstock_template_" + hex.EncodeToString(hash.Sum(nil))[:16]
	if exists, err := databaseExists(name); err != nil || exists {
		return name, err
	}
	scratch := fmt.Sprintf("%s_%d", name, os.Getpid())
	if err := adminExec(`CREATE DATABASE "` + scratch + `"`); err != nil {
		return "", err
	}
	if err := migrate(db.Options{URL: databaseURL(scratch)}); err != nil {
		return "", err
	}
	if err := adminExec(`ALTER DATABASE "` + scratch + `" RENAME TO "` + name + `"`); err != nil {
		// Another test process was faster.
		_ = adminExec(`DROP DATABASE IF EXISTS "` + scratch + `" WITH (FORCE)`)
		if exists, existsErr := databaseExists(name); existsErr != nil || !exists {
			return "", err
		}
	}
	return name, nil
})

func databaseExists(name string) (exists bool, err error) {
	err = runAsAdmin(func(ctx context.Context, pool *pgxpool.Pool) error {
		return pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)`, name).Scan(&exists)
	})
	return exists, err
}

func adminExec(sql string) error {
	return runAsAdmin(func(ctx context.Context, pool *pgxpool.Pool) error {
		_, err := pool.Exec(ctx, sql)
		if err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		return nil
	})
}

// adminPool has connections to create and drop databases by.
var adminPool = sync.OnceValues(func() (*pgxpool.Pool, error) {
	return pgxpool.New(context.Background(), os.Getenv("PENSTOCK_TEST_POSTGRES"))
})

func runAsAdmin(fn func(context.Context, *pgxpool.Pool) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	pool, err := adminPool()
	if err != nil {
		return err
	}
	return fn(ctx, pool)
}

func databaseURL(name string) string {
	u, err := url.Parse(os.Getenv("PENSTOCK_TEST_POSTGRES"))
	if err != nil {
		panic(err)
	}
	u.Path = "/" + name
	q := u.Query()
	q.Set("pool_max_conns", "8")
	u.RawQuery = q.Encode()
	return u.String()
}
