package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"text/template"
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migration is one step of the schema. Its Source is a template in which {{if .SQLite}} and
// {{if .Postgres}} mark what one engine needs; everything else is for both.
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
		all[i] = Migration{Version: int64(i + 1), Name: strings.TrimSuffix(strings.TrimPrefix(name, "migrations/"), ".sql"), Source: string(source)}
	}
	return all
}

var madeTable = regexp.MustCompile(`(?i)\b(?:CREATE TABLE(?: IF NOT EXISTS)?|RENAME TO)\s+(\w+)`)

// tables returns the names of the tables that the migration makes, in that order.
func (m Migration) tables() (names []string) {
	for _, match := range madeTable.FindAllStringSubmatch(m.Source, -1) {
		names = append(names, match[1])
	}
	return names
}

// Latest is the schema version that this binary works with.
func Latest() int64 { return int64(len(Migrations())) }

// Migrate brings the schema to the version that this binary works with and returns how many steps that
// took. All steps are one transaction. It returns ErrNewerSchema, and changes nothing, if the database
// is ahead.
func (d *DB) Migrate(ctx context.Context) (steps int, err error) {
	err = d.Write(ctx, func(tx *Tx) error {
		if err := tx.unhurried(); err != nil {
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
	return d.ReadOne(ctx, func(tx *Tx) error {
		version, err := tx.schemaVersion()
		switch {
		case errors.Is(err, ErrUnavailable), errors.Is(err, ErrOverloaded), ctx.Err() != nil:
			return err
		case err != nil:
			return fmt.Errorf("the database has no schema yet; run penstock migrate: %w", err)
		case version > Latest():
			return ErrNewerSchema
		case version < Latest():
			return fmt.Errorf("the database's schema is version %d, this binary needs %d; run penstock migrate", version, Latest())
		}
		return nil
	})
}

// MigrateTo runs the steps up to and including version. It stores which tables each step has made, so that a binary
// that does not know the step can still tell them from what an operator keeps beside them.
func (tx *Tx) MigrateTo(version int64) (steps int, err error) {
	if _, err := tx.Exec(`CREATE TABLE IF NOT EXISTS schema_migrations (
		version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL, made_tables TEXT NOT NULL DEFAULT '')`); err != nil {
		return 0, err
	}
	at, err := tx.schemaVersion()
	if err != nil {
		return 0, err
	}
	if at > Latest() {
		return 0, ErrNewerSchema
	}
	for _, m := range Migrations() {
		if m.Version <= at || m.Version > version {
			continue
		}
		if err := tx.script(m); err != nil {
			return 0, fmt.Errorf("migration %s: %w", m.Name, err)
		}
		if _, err := tx.Exec("INSERT INTO schema_migrations (version, name, applied_at, made_tables) VALUES ($1, $2, $3, $4)",
			m.Version, m.Name, Micros(time.Now()), strings.Join(m.tables(), " ")); err != nil {
			return 0, err
		}
		steps++
	}
	return steps, nil
}

func (tx *Tx) schemaVersion() (version int64, err error) {
	_, err = tx.One("SELECT COALESCE(MAX(version), 0) FROM schema_migrations", func(r *Row) { version = r.Int() })
	return version, err
}

var textType = regexp.MustCompile(`\bTEXT\b`)

func (tx *Tx) script(m Migration) error {
	var sql strings.Builder
	engine := struct{ SQLite, Postgres bool }{tx.lite != nil, tx.pg != nil}
	if err := template.Must(template.New(m.Name).Parse(m.Source)).Execute(&sql, engine); err != nil {
		return err
	}
	if tx.lite != nil {
		return classifyLite(tx.lite.script(sql.String()))
	}
	// Text compares by bytes, as on SQLite.
	_, err := tx.pg.Exec(tx.ctx, textType.ReplaceAllString(sql.String(), `TEXT COLLATE "C"`))
	return classifyPostgres(err)
}
