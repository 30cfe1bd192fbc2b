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
			about: `Runs the server on a SQLite database in its own directory, or on a PostgreSQL
database, which several servers can share. It migrates the database, prints one
line when it is ready, and logs to standard error.

On SIGTERM or SIGINT it finishes the requests in flight and exits with 0; a second
signal ends it at once. Two servers cannot share a data directory.

GET /healthz reports whether it is alive, /readyz whether it can serve requests, and
/metrics has metrics for Prometheus. For traces, set OpenTelemetry's variables, such
as OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318.`,
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
			about: `Runs a server on a temporary database with a small organization, acme-inc, and
prints commands to try. The database is deleted when the server stops. If the port
is in use, the server takes a free one.

With --file, it has what a bootstrap file declares instead, in memory where the
system allows: an installation for one test. Its port must be free, or 0.

POST /demo/faults makes it answer 429, 503, slowly or not at all: see the guide
to testing.`,
			examples: []string{"penstock demo", "penstock demo --listen 127.0.0.1:9000", "penstock demo --file bootstrap.yaml " +
				"--listen 127.0.0.1:0"},
			prepare: prepareDemo,
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
	var file, forge string
	f.Text(&file, "file", "FILE", "bootstrap file with what to create, instead of the example data")
	f.Text(&forge, "forge", "DIR", "a folder with Gitea that make forge has built: it runs beside the server, with a "+
		"repository whose pushes are built")
	return func(ctx context.Context, c *console, _ []string) error {
		o := c.serverOptions(cfg)
		switch {
		case file != "" && forge != "":
			return &usageError{"--forge shows the example data: it cannot be used with --file", "demo"}
		case file != "":
			return server.DemoOf(ctx, file, o)
		}
		o.Forge = forge
		return server.Demo(ctx, o)
	}
}

func (c *console) serverOptions(cfg config.Config) server.Options {
	return server.Options{Config: cfg, Version: version, Stdout: c.stdout, Stderr: c.stderr, Warnings: c.warnings}
}

func printVersion(_ context.Context, c *console, _ []string) error {
	return c.print("penstock %s\ngo       %s %s/%s\nschema   %d",
		version, strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH, db.Latest())
}
