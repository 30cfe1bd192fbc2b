package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// tracing sends a span for each request to an OpenTelemetry collector. A nil *tracing is off.
type tracing struct {
	provider   *sdktrace.TracerProvider
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
}

// newTracing returns nil unless OpenTelemetry's own variables ask for traces: OTEL_TRACES_EXPORTER=otlp, or
// an endpoint without OTEL_TRACES_EXPORTER=none. The exporter and the SDK read the rest of them (headers,
// sampler, resource, …) themselves.
func newTracing(version string, lookup func(string) (string, bool)) (*tracing, error) {
	if wanted, err := tracesWanted(lookup); err != nil || !wanted {
		return nil, err
	}
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
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { slog.Warn("traces", "error", err) }))
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return &tracing{provider: provider, tracer: provider.Tracer("penstock"), propagator: propagation.TraceContext{}}, nil
}

func tracesWanted(lookup func(string) (string, bool)) (bool, error) {
	get := func(name string) string { value, _ := lookup(name); return value }
	if get("OTEL_SDK_DISABLED") == "true" {
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

// around returns a handler that calls next in a span of its own, which continues the caller's trace. When
// tracing is off that is next itself.
func (t *tracing) around(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := t.propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		method := knownMethod(r.Method)
		ctx, span := t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
			semconv.HTTPRequestMethodKey.String(method), semconv.URLScheme("http"), semconv.URLPath(r.URL.Path),
			semconv.UserAgentOriginal(r.UserAgent())))
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		r = r.WithContext(ctx)
		// Deferred, so that a request that panics its way out is seen too.
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
