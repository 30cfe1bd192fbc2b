package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"penstock/internal/httpcall"
)

// tracing sends a span for each request to an OpenTelemetry collector. A nil *tracing is off.
type tracing struct {
	provider   *sdktrace.TracerProvider
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
}

// newTracing returns tracing as OpenTelemetry's own variables say: the exporter and the SDK read them (endpoint,
// headers, sampler, resource, …) themselves. Their complaints are logged.
func newTracing(version string, logger *slog.Logger) (*tracing, error) {
	otel.SetLogger(logr.New(telemetryLog{logger}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("traces", "error", err) }))
	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("traces cannot be exported; check the OTEL_EXPORTER_OTLP_ variables: %w", err)
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(semconv.ServiceName("penstock"), semconv.ServiceVersion(version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("check OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return &tracing{provider: provider, tracer: provider.Tracer("penstock"), propagator: propagation.TraceContext{}}, nil
}

// telemetryLog logs OpenTelemetry's messages without their values: headers hold credentials, and URLs may.
type telemetryLog struct{ logger *slog.Logger }

// Init does nothing.
func (telemetryLog) Init(logr.RuntimeInfo) {}

// Enabled reports whether a level is logged: up to OpenTelemetry's warnings.
func (telemetryLog) Enabled(level int) bool { return level <= 1 }

// Info logs a warning.
func (l telemetryLog) Info(_ int, problem string, _ ...any) { l.Error(nil, problem) }

// Error logs what cannot be done, and why, unless that repeats a part of a header or a URL.
func (l telemetryLog) Error(err error, problem string, _ ...any) {
	attrs := []any{"problem", problem}
	_, header := errors.AsType[url.EscapeError](err)
	_, address := errors.AsType[*url.Error](err)
	if err != nil && !header && !address {
		attrs = append(attrs, "error", err)
	}
	l.logger.Warn("traces are not sent as they should be; check the OTEL_ variables", attrs...)
}

// WithValues returns the same log.
func (l telemetryLog) WithValues(...any) logr.LogSink { return l }

// WithName returns the same log.
func (l telemetryLog) WithName(string) logr.LogSink { return l }

// tracesWanted reports whether OpenTelemetry's own variables ask for traces: OTEL_TRACES_EXPORTER=otlp, or an endpoint
// without OTEL_TRACES_EXPORTER=none.
func tracesWanted(lookup func(string) (string, bool)) (bool, error) {
	get := func(name string) string { value, _ := lookup(name); return value }
	if strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	protocol := get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
	if protocol == "" {
		protocol = get("OTEL_EXPORTER_OTLP_PROTOCOL")
	}
	switch exporter := get("OTEL_TRACES_EXPORTER"); exporter {
	case "none":
		return false, nil
	case "":
		if get("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") == "" {
			return false, nil
		}
	case "otlp":
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER must be otlp or none, not %q", exporter)
	}
	if protocol != "" && protocol != "http/protobuf" {
		return false, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not %q", protocol)
	}
	return true, nil
}

// wrap returns a handler that calls next in a span of its own, which continues the caller's trace. When
// tracing is off that is next itself.
func (t *tracing) wrap(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := t.propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		method := knownMethod(r.Method)
		ctx, span := t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
			semconv.HTTPRequestMethodKey.String(method), semconv.URLScheme("http"),
			semconv.URLPath(httpcall.SafePath(r.URL.Path)),
			semconv.UserAgentOriginal(r.UserAgent())))
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		r = r.WithContext(ctx)
		// Deferred, so that a request that panics is traced too.
		defer func() {
			// The mux has put the route into the request meanwhile.
			if r.Pattern != "" && r.Pattern != "/" {
				span.SetName(method + " " + r.Pattern)
				span.SetAttributes(semconv.HTTPRoute(r.Pattern))
			}
			span.SetAttributes(semconv.HTTPResponseStatusCode(recorder.status))
			if recorder.status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}()
		next.ServeHTTP(recorder, r)
	})
}

// statusRecorder remembers the status of an answer.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (w *statusRecorder) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach what the answer really goes to.
func (w *statusRecorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
