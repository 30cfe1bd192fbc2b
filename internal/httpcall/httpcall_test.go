package httpcall_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/httpcall"
)

func newRequest(t *testing.T) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v2/clusters", nil)
	r.Header.Set("X-Request-Id", "mine")
	return r
}

func TestTokenIsReadUnderItsSchemeOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scheme string
		sent   []string
		want   string
	}{
		{"Bearer", []string{"Bearer abc"}, "abc"},
		{"Bearer", []string{"bearer  abc "}, "abc"},
		{"Token", []string{"Token abc"}, "abc"},
		{"Token", []string{"Bearer abc"}, ""},
		{"Bearer", []string{"Token abc"}, ""},
		{"Bearer", []string{"Bearer abc", "Bearer abc"}, ""},
		{"Bearer", nil, ""},
	} {
		r := newRequest(t)
		r.Header["Authorization"] = c.sent
		if got := httpcall.Token(r, c.scheme); got != c.want {
			t.Errorf("%q as %s is %q, want %q", c.sent, c.scheme, got, c.want)
		}
	}
}

func TestPathsAreLoggedWithoutSecrets(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("aB3", 13) + "x" // as long as a pipeline's
	for path, want := range map[string]string{
		"/":                                      "/",
		"":                                       "",
		"/deliver":                               "/deliver",
		"/deliver/":                              "/deliver/",
		"/deliver/{token}":                       "/deliver/{token}",
		"/deliver/" + secret:                     "/deliver/{token}",
		"/deliver/" + secret + "/x":              "/deliver/{token}",
		"/deliver/" + secret[:20] + "/" + "end":  "/deliver/{token}",
		"//deliver/" + secret:                    "//deliver/{token}",
		"/./deliver//" + secret[:20]:             "/./deliver/{token}",
		"/Deliver/" + secret[:20]:                "/Deliver/{token}",
		"/BADGES/" + secret + ".svg":             "/BADGES/{token}",
		"/badges/" + secret[:20] + ".svg":        "/badges/{token}",
		"/api/deliver/" + secret:                 "/api/deliver/{token}",
		"/deliver" + secret + "/x":               "/{token}/x",
		"/deliver-" + secret:                     "/deliver-{token}",
		"/a/" + secret + "/b/" + secret + ".svg": "/a/{token}/b/{token}.svg",
		"/x/" + strings.Repeat("%41", 40):        "/x/{token}",
		"/v2/pnu_" + strings.Repeat("a", 46):     "/v2/{token}",
		"/v2/organizations/deliver/clusters/0190a1b2-0000-7000-8000-000000000001/cache-registries":                   "/v2/organizations/deliver/clusters/0190a1b2-0000-7000-8000-000000000001/cache-registries",
		"/organizations/a-slug-with-a-hundred-characters-is-not-taken-for-a-secret-if-its-words-are-short/pipelines": "/organizations/a-slug-with-a-hundred-characters-is-not-taken-for-a-secret-if-its-words-are-short/pipelines",
	} {
		if got := httpcall.SafePath(path); got != want {
			t.Errorf("%s is logged as %s, want %s", path, got, want)
		}
	}
}

func TestErrorsAreExplained(t *testing.T) {
	t.Parallel()
	unavailable := domain.UnavailableError("Later", 1500*time.Millisecond, errors.New("the cause"))
	for _, c := range []struct {
		err        error
		gone       bool
		status     int
		message    string
		retryAfter string
		logged     string // empty: nothing
	}{
		{err: domain.NewError(domain.Unauthenticated, "Who?"), status: 401, message: "Who?"},
		{err: fmt.Errorf("wrapped: %w", domain.Missing("cluster")), status: 404, message: "No cluster found"},
		{err: domain.NewError(domain.Malformed, "Unreadable"), gone: true, status: 400, message: "Unreadable"},
		{err: unavailable, status: 503, message: "Later", retryAfter: "2", logged: "the cause"},
		{err: unavailable, gone: true, status: httpcall.StatusCallerGone, message: "The request was canceled"},
		{err: errors.New("a secret"), status: 500, message: httpcall.InternalMessage, logged: "a secret"},
		{err: context.Canceled, gone: true, status: httpcall.StatusCallerGone, message: "The request was canceled"},
	} {
		var log bytes.Buffer
		settings := httpcall.Settings{Logger: slog.New(slog.NewTextHandler(&log, nil))}.WithDefaults()
		ctx, leave := context.WithCancel(t.Context())
		if c.gone {
			leave()
		}
		call := settings.NewCall("/v2", httptest.NewRecorder(), newRequest(t).WithContext(ctx))
		status, message := call.Explain(c.err)
		leave()
		if status != c.status || message != c.message || call.Header.Get("Retry-After") != c.retryAfter {
			t.Errorf("%v, gone %v: %d %q, Retry-After %q", c.err, c.gone, status, message, call.Header.Get("Retry-After"))
		}
		if logged := log.String(); (logged == "") != (c.logged == "") || !strings.Contains(logged, c.logged) {
			t.Errorf("%v, gone %v: the log has %q", c.err, c.gone, logged)
		}
	}
}

func TestEveryAnswerIsLoggedAndCounted(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	var observed []string
	settings := httpcall.Settings{
		Logger: slog.New(slog.NewJSONHandler(&log, nil)),
		Observe: func(route, method string, status int, _ time.Duration) {
			observed = append(observed, fmt.Sprint(route, method, status))
		},
	}.WithDefaults()
	answer := httptest.NewRecorder()
	func() {
		call := settings.NewCall("/v2/{thing}", answer, newRequest(t))
		defer call.Finish(func() { t.Error("nothing panicked") })
		if err := call.RecordCaller("0190a000-0000-7000-8000-000000000001", "acme-inc"); err != nil {
			t.Error(err)
		}
		call.WriteJSON(http.StatusOK, []byte(`{}`))
	}()
	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	want := []string{"address", "bytes", "level", "method", "msg", "organization", "path", "request_id", "status", "time", "took", "user"}
	if got := slices.Sorted(maps.Keys(line)); !slices.Equal(got, want) {
		t.Errorf("the log has %v, want %v", got, want)
	}
	if line["organization"] != "acme-inc" || line["request_id"] != "mine" || line["bytes"] != 2.0 {
		t.Errorf("the log has %v", line)
	}
	if answer.Header().Get("X-Request-Id") != "mine" || !slices.Equal(observed, []string{"/v2/{thing}GET200"}) {
		t.Errorf("%v %v", answer.Header(), observed)
	}
}

func TestPanicsAreAnsweredOnce(t *testing.T) {
	t.Parallel()
	for _, written := range []bool{false, true} {
		var log bytes.Buffer
		settings := httpcall.Settings{Logger: slog.New(slog.NewTextHandler(&log, nil))}.WithDefaults()
		answer := httptest.NewRecorder()
		func() {
			call := settings.NewCall("/v2", answer, newRequest(t))
			defer call.Finish(func() { call.WriteJSON(http.StatusInternalServerError, []byte(`"sorry"`)) })
			if written {
				call.WriteJSON(http.StatusOK, []byte(`1`))
			}
			panic("on purpose")
		}()
		if want := map[bool]string{false: `"sorry"`, true: "1"}[written]; answer.Body.String() != want {
			t.Errorf("answered with %s, want %s", answer.Body, want)
		}
		if !strings.Contains(log.String(), "on purpose") || !strings.Contains(log.String(), "httpcall_test.go") {
			t.Errorf("the log has %s", &log)
		}
	}
}

// TestUnknownProxiesAreToldOfOnce: whose X-Forwarded-For is not believed may be a proxy that was forgotten.
func TestUnknownProxiesAreToldOfOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		forwarded, peer string
		warned          int
	}{{"203.0.113.1", "192.0.2.1:80", 1}, {"", "192.0.2.1:80", 0}, {"203.0.113.1", "10.0.0.1:80", 0}} {
		var log bytes.Buffer
		settings := httpcall.Settings{Logger: slog.New(slog.NewTextHandler(&log, nil)), TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}.WithDefaults()
		again := settings.WithDefaults() // as surfaces do
		for range 2 {
			for _, s := range []httpcall.Settings{settings, again} {
				r := newRequest(t)
				r.RemoteAddr = c.peer
				if c.forwarded != "" {
					r.Header.Set("X-Forwarded-For", c.forwarded)
				}
				s.NewCall("/v2", httptest.NewRecorder(), r)
			}
		}
		if n := strings.Count(log.String(), "--trusted-proxies"); n != c.warned {
			t.Errorf("from %s for %s there are %d warnings: %s", c.peer, c.forwarded, n, &log)
		}
	}
}
