package server_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is an OpenTelemetry collector that keeps what it is sent.
type receiver struct {
	mutex    sync.Mutex
	spans    []*trace.Span
	resource string
}

func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request collector.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &request) != nil {
		http.Error(w, "not a trace", http.StatusBadRequest)
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, resource := range request.ResourceSpans {
		c.resource = attribute(resource.Resource.Attributes, "service.name") + " " + attribute(resource.Resource.Attributes, "service.version")
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

func attribute(attributes []*common.KeyValue, key string) string {
	for _, a := range attributes {
		if a.Key != key {
			continue
		}
		if _, number := a.Value.Value.(*common.AnyValue_IntValue); number {
			return strconv.FormatInt(a.Value.GetIntValue(), 10)
		}
		return a.Value.GetStringValue()
	}
	return ""
}

// all returns the spans received so far, and of which service they are.
func (c *receiver) all() (spans []*trace.Span, resource string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.spans, c.resource
}

func TestTraces(t *testing.T) { // not parallel: OpenTelemetry reads the process's environment
	received := &receiver{}
	collector := httptest.NewServer(received)
	t.Cleanup(collector.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	s := start(t, "sqlite", nil)
	const traceID, parentID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	s.send(http.MethodGet, clusters, "Authorization", "Bearer "+testToken, "traceparent", "00-"+traceID+"-"+parentID+"-01")
	s.get("/v2/nothing/here")
	s.get("/healthz")
	s.stop()
	spans, resource := received.all()
	if len(spans) != 2 || resource != "penstock test" {
		t.Fatalf("received %v of %s", spans, resource)
	}
	span := spans[0]
	if hex.EncodeToString(span.TraceId) != traceID || hex.EncodeToString(span.ParentSpanId) != parentID ||
		!strings.HasPrefix(span.Name, "GET /v2/organizations/{") || span.Kind != trace.Span_SPAN_KIND_SERVER ||
		attribute(span.Attributes, "http.response.status_code") != "200" ||
		attribute(span.Attributes, "http.route") == "" || attribute(span.Attributes, "url.path") == "" {
		t.Errorf("the span is %v", span)
	}
	if span := spans[1]; span.Name != "GET" || len(span.ParentSpanId) != 0 || attribute(span.Attributes, "http.route") != "" {
		t.Errorf("the span of an unknown path is %v", span)
	}
	if !strings.Contains(s.log.String(), "trace_id="+traceID) {
		t.Error("the log does not name the trace")
	}
}

func TestNoTracesUnlessTheyAreAskedFor(t *testing.T) {
	for name, value := range map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_SDK_DISABLED": "True"} {
		t.Run(name, func(t *testing.T) {
			received := &receiver{}
			collector := httptest.NewServer(received)
			t.Cleanup(collector.Close)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
			t.Setenv(name, value)
			s := start(t, "sqlite", nil)
			s.get("/v2")
			s.stop()
			if spans, _ := received.all(); len(spans) != 0 || strings.Contains(s.log.String(), "trace_id") {
				t.Errorf("received %v", spans)
			}
		})
	}
}
