package hosted_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/hosted"
)

const clusterID domain.ClusterID = "0190a000-0000-7000-8000-000000000061"

// serve returns the address of a service that answers every call with handler.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestSetGitMirrorRequest(t *testing.T) {
	t.Parallel()
	for _, below := range []string{"", "/", "/agents/v1"} {
		for enabled, body := range map[bool]string{true: `{"enabled": true}`, false: `{"enabled": false}`} {
			calls := 0
			url := serve(t, func(_ http.ResponseWriter, r *http.Request) {
				calls++
				path := "/clusters/" + string(clusterID) + "/git-mirror"
				if below != "/" {
					path = below + path
				}
				if r.Method != http.MethodPut || r.URL.Path != path || r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s %s with %s", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
				}
				if got, err := io.ReadAll(r.Body); string(got) != body || err != nil {
					t.Errorf("body %s, error %v", got, err)
				}
			})
			if err := hosted.NewClient(url+below).SetGitMirror(t.Context(), clusterID, enabled); err != nil {
				t.Error(err)
			}
			if calls != 1 {
				t.Errorf("%d calls", calls)
			}
		}
	}
}

func TestSetGitMirrorFailures(t *testing.T) {
	t.Parallel()
	set := func(url string) error { return hosted.NewClient(url).SetGitMirror(t.Context(), clusterID, true) }
	for _, status := range []int{200, 201, 202, 204, 299} {
		if err := set(serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })); err != nil {
			t.Errorf("%d: %v", status, err)
		}
	}
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") })
	for _, status := range []int{300, 301, 302, 304, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503, 504} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere)
			w.WriteHeader(status)
		})
		if err := set(url); err == nil {
			t.Errorf("%d is taken for success", status)
		}
	}
	for what, url := range map[string]string{
		"hanging up":        serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
		"nobody listening":  "http://127.0.0.1:1",
		"an impossible URL": "http://[",
	} {
		if err := set(url); err == nil {
			t.Errorf("%s is taken for success", what)
		}
	}
}

func TestFailuresDoNotShowThePassword(t *testing.T) {
	t.Parallel()
	with := func(url string) string { return strings.Replace(url, "://", "://svc:hunter2@", 1) }
	for what, url := range map[string]string{
		"a refusal": with(serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })),
		"a redirect": with(serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://elsewhere.example.com")
			w.WriteHeader(http.StatusFound)
		})),
		"hanging up":        with(serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })),
		"nobody listening":  with("http://127.0.0.1:1"),
		"an impossible URL": with("http://["),
	} {
		err := hosted.NewClient(url).SetGitMirror(t.Context(), clusterID, true)
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A stalled answer takes the client as long as its limit is, really.
func TestSetGitMirrorTimesOut(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	url := serve(t, func(http.ResponseWriter, *http.Request) { <-over })
	defer close(over)
	start := time.Now()
	err := hosted.NewClient(url).SetGitMirror(t.Context(), clusterID, true)
	if took := time.Since(start); err == nil || took < 5*time.Second || took > 8*time.Second {
		t.Errorf("error %v after %s", err, took)
	}
}
