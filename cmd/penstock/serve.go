package main

import (
	"context"
	"log/slog"
	"runtime"
	"strings"

	"penstock/internal/config"
	"penstock/internal/db"
	"penstock/internal/server"
)

func serverCommands() []*command {
	return []*command{
		{
			name:    "serve",
			summary: "run the server",
			about: `Runs the server on a SQLite database in a directory of its own, or on a PostgreSQL
database, which several servers can share. It brings the database's schema up to
date, prints one line when it is ready, and logs to the standard error output.

On SIGTERM or SIGINT it finishes what is in flight and exits with 0; a second
signal ends it at once. A second server on the same data directory is refused.

GET /healthz tells whether it is alive, /readyz whether it can work, /metrics shows
figures for Prometheus. Traces are sent where OpenTelemetry's own variables say,
such as OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318; without them, nowhere.`,
			examples: []string{
				"penstock serve",
				"penstock serve --listen 0.0.0.0:8080 --base-url https://ci.example.com --data /var/lib/penstock",
				"PENSTOCK_DATABASE=postgres://penstock:secret@db.example.com/penstock penstock serve --bootstrap bootstrap.yaml",
			},
			prepare: prepareServe,
		},
		{
			name:    "demo",
			summary: "run a server on a temporary database with example data",
			about: `Runs a server on a temporary database that holds a small organization, acme-inc,
and prints curl lines to try. The database is removed when the server stops.
If the port is in use, a free one is taken instead.`,
			examples: []string{"penstock demo", "penstock demo --listen 127.0.0.1:9000"},
			prepare:  prepareDemo,
		},
	}
}

func prepareServe(f *config.Flags) action {
	cfg := config.Default()
	cfg.ListenFlags(f)
	cfg.DatabaseFlags(f)
	cfg.BlobFlags(f)
	cfg.EncryptionFlags(f)
	cfg.ServeFlags(f)
	return func(ctx context.Context, c *console, _ []string) error {
		return server.Run(ctx, c.serverOptions(cfg))
	}
}

func prepareDemo(f *config.Flags) action {
	cfg := config.Default()
	cfg.LogLevel = slog.LevelWarn
	cfg.ListenFlags(f)
	return func(ctx context.Context, c *console, _ []string) error {
		return server.Demo(ctx, c.serverOptions(cfg))
	}
}

func (c *console) serverOptions(cfg config.Config) server.Options {
	return server.Options{Config: cfg, Version: version, Stdout: c.stdout, Stderr: c.stderr, Warnings: c.warnings}
}

func printVersion(_ context.Context, c *console, _ []string) error {
	return c.print("penstock %s\ngo       %s %s/%s\nschema   %d",
		version, strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH, db.Latest())
}
