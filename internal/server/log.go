package server

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"

	"penstock/internal/config"
)

func newLogger(to io.Writer, cfg config.Config, traced bool) *slog.Logger {
	o := &slog.HandlerOptions{Level: cfg.LogLevel}
	var h slog.Handler = slog.NewTextHandler(to, o)
	if cfg.LogFormat == config.LogJSON {
		o.ReplaceAttr = formatDuration
		h = slog.NewJSONHandler(to, o)
	}
	if traced {
		h = traceHandler{h}
	}
	return slog.New(h)
}

// formatDuration shows a length of time as the text format does, such as 1.2ms. In JSON it would be a number of
// nanoseconds.
func formatDuration(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// traceHandler adds the trace's ids to the records logged in it.
type traceHandler struct{ slog.Handler }

func (h traceHandler) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()), slog.String("span_id", span.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return traceHandler{h.Handler.WithAttrs(attrs)}
}

func (h traceHandler) WithGroup(name string) slog.Handler {
	return traceHandler{h.Handler.WithGroup(name)}
}
