package server_test

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"penstock/internal/config"
	"penstock/internal/testkit"
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

// TestTokensInPathsStaySecret looks for pipelines' tokens in the log, the traces and the metrics after requests whose addresses are right,
// and after some that are nearly so.
func TestTokensInPathsStaySecret(t *testing.T) { // not parallel: OpenTelemetry reads the process's environment
	received := &receiver{}
	collector := httptest.NewServer(received)
	t.Cleanup(collector.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	for _, base := range []string{"", "/ci"} {
		t.Run(base, func(t *testing.T) {
			s := start(t, "sqlite", func(cfg *config.Config) {
				cfg.LogLevel = slog.LevelDebug
				if base != "" {
					cfg.BaseURL = "http://penstock.example.com" + base
				}
			})
			var made struct {
				BadgeURL string `json:"badge_url"`
				Provider struct {
					WebhookURL string `json:"webhook_url"`
				} `json:"provider"`
			}
			if err := json.Unmarshal(testkit.Send(t, http.MethodPost, s.url+"/v2/organizations/acme-inc/pipelines", `{"name": "Web", "repository": "r"}`,
				"Authorization", "Bearer "+testToken, "Content-Type", "application/json").Body, &made); err != nil {
				t.Fatal(err)
			}
			webhook, badge := path.Base(made.Provider.WebhookURL), strings.TrimSuffix(path.Base(made.BadgeURL), ".svg")
			requests := 2
			s.send(http.MethodPost, "/deliver/"+webhook[:20]+"/"+webhook[20:])
			s.send(http.MethodPost, "//Deliver/"+webhook[:20]+"/"+webhook[20:])
			for _, token := range []string{webhook, badge} {
				if len(token) < 40 {
					t.Fatalf("the token is %q", token)
				}
				for _, name := range []string{"deliver", "Deliver", "DELIVER", "badges", "Badges", "delivery", "v1", "v2", "v3", "portal", "avatars", "ci/deliver", "CI/deliver", "metrics", "healthz", "readyz"} {
					for _, form := range []string{"/*/+", "//*/+", "/*//+", "/*/+/x", "/*/+.svg", "/*/+.svg/", "/./*/+", "/x/../*/+", "/*%2F+", "/%2F*/+", "/*/+?a=b"} {
						for _, method := range []string{http.MethodPost, http.MethodGet} {
							s.send(method, strings.NewReplacer("*", name, "+", token).Replace(form))
							requests++
						}
					}
				}
			}
			shown := s.get("/metrics").body
			s.stop()
			spans, _ := received.all()
			if len(spans) < requests/4 || strings.Count(s.log.String(), "msg=request") < requests/2 || !strings.Contains(shown, "penstock_http_requests_total") {
				t.Errorf("%d requests made %d spans and %d lines", requests, len(spans), strings.Count(s.log.String(), "msg=request"))
			}
			for _, span := range spans {
				shown += span.String()
			}
			for place, text := range map[string]string{"the log": s.log.String(), "a trace or the metrics": shown} {
				for _, secret := range []string{webhook, badge} {
					for _, part := range []string{secret[:20], secret[20:]} {
						if at := strings.Index(text, part); at >= 0 {
							t.Errorf("a token is in %s: %s", place, text[max(0, at-200):at])
						}
					}
				}
			}
		})
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
