package db

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migration is one step of the schema. Its Source is a template, of a dialect's words: {{.Text}} and {{.Bytes}} are
// types of columns, {{if .SQLite}} and {{if .Postgres}} mark what one engine needs; everything else is for both. Its
// first line names the tables that it makes, in that order: "-- Tables: users teams".
type Migration struct {
	Version int64
	Name    string
	Source  string
}

// ErrNewerSchema means that the database was migrated by a newer binary.
var ErrNewerSchema = errors.New("the database's schema is newer than this binary knows; use a newer penstock")

// Migrations returns every migration, in order.
func Migrations() []Migration {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err)
	}
	all := make([]Migration, len(names))
	for i, name := range names {
		source, err := migrationFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		all[i] = Migration{Version: int64(i + 1), Name: strings.TrimSuffix(strings.TrimPrefix(name, "migrations/"), ".sql"),
			Source: string(source)}
	}
	return all
}

// tables returns the names of the tables that the migration makes, with spaces between them.
func (m Migration) tables() string {
	first, _, _ := strings.Cut(m.Source, "\n")
	names, found := strings.CutPrefix(first, "-- Tables:")
	if !found {
		panic("the first line of migration " + m.Name + " does not name its tables")
	}
	return strings.TrimSpace(names)
}

// Latest is the schema version that this binary works with.
func Latest() int64 { return int64(len(Migrations())) }

// Migrate brings the schema to the version that this binary works with and returns how many steps that took. All steps
// are one transaction. It changes nothing, and returns ErrNewerSchema or ErrOtherSchema, if the database is ahead or
// was made by other migrations.
func (d *DB) Migrate(ctx context.Context) (steps int, err error) {
	missing := 0
	err = d.Read(ctx, func(tx *Tx) (err error) {
		if err := tx.LiftTimeLimits(); err != nil {
			return err
		}
		missing, err = tx.checkSchema()
		return err
	})
	if err == nil && missing == 0 || errors.Is(err, ErrNewerSchema) || errors.Is(err, ErrOtherSchema) {
		return 0, err
	}
	err = d.Write(ctx, func(tx *Tx) error {
		if err := tx.LiftTimeLimits(); err != nil {
			return err
		}
		steps, err = tx.MigrateTo(Latest())
		return err
	})
	if err != nil && d.CheckSchema(ctx) == nil {
		return 0, nil // another node, started at the same moment, was faster
	}
	return steps, err
}

// CheckSchema returns an error unless the schema is exactly the one that this binary works with.
func (d *DB) CheckSchema(ctx context.Context) error {
	return d.Read(ctx, func(tx *Tx) error {
		_, err := tx.checkSchema()
		return err
	})
}

// checkSchema returns an error unless the schema is exactly the one that this binary works with, and how many of its
// migrations have no checksum.
func (tx *Tx) checkSchema() (missing int, err error) {
	err = tx.checkVersion()
	if err != nil && !errors.Is(err, errOlder) {
		return 0, err
	}
	missing, otherErr := tx.checkMigrations()
	return missing, cmp.Or(otherErr, err)
}

// errOlder means that the database has an older schema than the one that this binary works with, errSchema that it has
// none, or an older one.
var (
	errSchema = errors.New("run penstock migrate")
	errOlder  = fmt.Errorf("this binary needs %d; %w", Latest(), errSchema)
)

// checkVersion returns an error unless the version of the schema is the one that this binary works with.
func (tx *Tx) checkVersion() error {
	version, err := tx.schemaVersion()
	switch {
	case errors.Is(err, ErrUnavailable), errors.Is(err, ErrOverloaded), errors.Is(err, ErrDamaged), tx.ctx.Err() != nil:
		return err
	case err != nil:
		return fmt.Errorf("the database has no schema yet; %w: %w", errSchema, err)
	case version > Latest():
		return ErrNewerSchema
	case version < Latest():
		return fmt.Errorf("the database's schema is version %d, %w", version, errOlder)
	}
	return nil
}

// MigrateTo runs the steps up to and including version. It stores which tables each step has made, so that a binary
// that does not know the step can still distinguish them from an operator's own beside them, and its checksum.
func (tx *Tx) MigrateTo(version int64) (steps int, err error) {
	if _, err := tx.Exec(`CREATE TABLE IF NOT EXISTS schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL,
		applied_at BIGINT NOT NULL, made_tables TEXT NOT NULL DEFAULT '', checksum TEXT NOT NULL DEFAULT '')`); err != nil {
		return 0, err
	}
	if err := tx.LockTables([]Table{{Name: "schema_migrations"}}, lockMigrations); err != nil {
		return 0, err
	}
	at, err := tx.schemaVersion()
	if err != nil {
		return 0, err
	}
	if at > Latest() {
		return 0, ErrNewerSchema
	}
	if _, err := tx.checkMigrations(); err != nil {
		return 0, err
	}
	for _, m := range Migrations() {
		if m.Version <= at || m.Version > version {
			continue
		}
		if err := tx.runMigration(m); err != nil {
			return 0, fmt.Errorf("migration %s: %w", m.Name, err)
		}
		if _, err := tx.Exec("INSERT INTO schema_migrations (version, name, applied_at, made_tables) VALUES ($1, $2, $3, $4)",
			m.Version, m.Name, Micros(time.Now()), m.tables()); err != nil {
			return 0, err
		}
		steps++
	}
	return steps, tx.storeChecksums()
}

func (tx *Tx) schemaVersion() (version int64, err error) {
	_, err = tx.One("SELECT COALESCE(MAX(version), 0) FROM schema_migrations", func(r *Row) { version = r.Int() })
	return version, err
}

func (tx *Tx) runMigration(m Migration) error {
	dialect := tx.db.engine.dialect()
	words := struct {
		SQLite, Postgres bool
		Text, Bytes      string
	}{dialect == &sqliteDialect, dialect == &postgresDialect, dialect.text, dialect.bytes}
	var sql strings.Builder
	if err := template.Must(template.New(m.Name).Parse(m.Source)).Execute(&sql, words); err != nil {
		return err
	}
	return tx.conn.runScript(tx.ctx, sql.String())
}
