package web_test

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/wake"
	"penstock/internal/web"
)

// events opens the stream of a build's changes, and returns what reads its next line.
func (b *browser) events(ctx context.Context, build string) (next func() (string, bool)) {
	b.t.Helper()
	u := b.url(build + "/events")
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, cookie := range b.jar.Cookies(u) {
		r.AddCookie(cookie)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		b.t.Fatalf("the stream is %d %v", resp.StatusCode, resp.Header)
	}
	lines := bufio.NewScanner(resp.Body)
	return func() (string, bool) {
		for lines.Scan() {
			if text := lines.Text(); text != "" {
				return text, true
			}
		}
		return "", false
	}
}

func TestChangesOfBuildsAreStreamed(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		closing := make(chan struct{})
		waker := wake.New(d, slog.New(slog.DiscardHandler))
		var s *site
		shared := core.New(core.Options{DB: d, Now: func() time.Time { return s.Clock.Now() }})
		s = newSite(t, d, func(o *web.Options) {
			o.Closing = closing
			o.Builds = builds.New(builds.Options{Core: shared, Publish: waker.Publish, Subscribe: func(topic string) (<-chan struct{}, func()) {
				subscription := waker.Subscribe(topic)
				return subscription.C, subscription.Close
			}})
		})
		build := s.withBuild(t)
		b := s.signedIn("admin@example.com")
		next := b.events(t.Context(), build)
		if line, _ := next(); !strings.HasPrefix(line, "retry: ") {
			t.Fatalf("the stream begins with %q", line)
		}
		b.submit(build+"/cancel").wantRedirect(t, build)
		if line, _ := next(); line != "event: changed" {
			t.Fatalf("the stream says %q", line)
		}
		close(closing) // the server stops
		for {
			if _, more := next(); !more {
				break
			}
		}
		s.signedIn("outsider@example.com").get(build+"/events").want(t, http.StatusNotFound)
	})
}
