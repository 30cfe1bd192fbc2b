package web_test

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/chromium"
	"penstock/internal/wake"
	"penstock/internal/web"
)

// events opens the stream of a page's changes, and returns what reads its next line.
func (b *browser) events(ctx context.Context, page string) (next func() (string, bool)) {
	b.t.Helper()
	u := b.url(page + "/events")
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

// newLiveSite returns a site whose pages hear what changes, and the service of agents that tells them. Closing stops the server.
func newLiveSite(t *testing.T, d *db.DB, closing <-chan struct{}) (s *site, service *agents.Service) {
	t.Helper()
	return newLiveSiteWith(t, d, func(o *web.Options) { o.Closing = closing })
}

func newLiveSiteWith(t *testing.T, d *db.DB, change func(*web.Options)) (s *site, service *agents.Service) {
	t.Helper()
	waker := wake.New(d, slog.New(slog.DiscardHandler))
	shared := core.New(core.Options{DB: d, Now: func() time.Time { return s.Clock.Now() }, Publish: waker.Publish, Subscribe: func(topic string) (<-chan struct{}, func()) {
		subscription := waker.Subscribe(topic)
		return subscription.C, subscription.Close
	}})
	service = agents.New(shared)
	s = newSite(t, d, func(o *web.Options) {
		o.Agents, o.Builds = service, builds.New(builds.Options{Core: shared})
		change(o)
	})
	return s, service
}

// connectAgent registers an agent and connects it, and returns its session.
func (s *site) connectAgent(t *testing.T, service *agents.Service, name string) authz.Actor {
	t.Helper()
	address := netip.MustParseAddr("192.0.2.1")
	_, token, err := s.Service.CreateAgentToken(t.Context(), s.adminToken(), testkit.Maintained(), core.Value(domain.AgentTokenInput{Description: domain.Some("agents")}))
	if err != nil {
		t.Fatal(err)
	}
	made, err := service.RegisterAgent(t.Context(), authz.AgentActor(authz.AgentToken, token.Reveal(), address), agents.Registration{Name: name, MetaData: []string{"queue=default"}})
	if err != nil {
		t.Fatal(err)
	}
	session := authz.AgentActor(authz.AgentSession, made.Session.Reveal(), address)
	if err := service.ConnectAgent(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	return session
}

func TestChangesOfBuildsAreStreamed(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		closing := make(chan struct{})
		s, service := newLiveSite(t, d, closing)
		build := s.withBuild(t)
		b := s.signedIn("admin@example.com")
		streams := map[string]func() (string, bool){}
		for _, path := range []string{build, release, acme + "/builds", acme + "/agents"} {
			streams[path] = b.events(t.Context(), path)
			if line, _ := streams[path](); !strings.HasPrefix(line, "retry: ") {
				t.Fatalf("the stream of %s begins with %q", path, line)
			}
		}
		wantChange := func(paths ...string) {
			t.Helper()
			for _, path := range paths {
				if line, _ := streams[path](); line != "event: changed" {
					t.Errorf("the stream of %s says %q", path, line)
				}
				if line, _ := streams[path](); line != "data: 1" {
					t.Errorf("the stream of %s says %q", path, line)
				}
			}
		}
		s.connectAgent(t, service, "Runner")
		wantChange(acme + "/agents")
		b.submit(build+"/cancel").wantRedirect(t, build)
		wantChange(build, release, acme+"/builds")
		close(closing) // the server stops
		for _, next := range streams {
			for more := true; more; {
				_, more = next()
			}
		}
		for path := range streams {
			s.signedIn("outsider@example.com").get(path+"/events").want(t, http.StatusNotFound)
		}
	})
}

// TestStreamsEndForThoseWhoMayNotHearThem signs out, and removes a member, while their browsers listen.
func TestStreamsEndForThoseWhoMayNotHearThem(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s, _ := newLiveSiteWith(t, d, func(o *web.Options) { o.LookEvery = 10 * time.Millisecond })
		s.withReleases(t, releaseSteps)
		leaving, staying := s.signedIn("member@example.com"), s.signedIn("admin@example.com")
		wantEnd := func(next func() (string, bool)) {
			t.Helper()
			for more := true; more; {
				_, more = next()
			}
		}
		pages := []string{acme + "/builds", acme + "/agents", release}
		var streams []func() (string, bool)
		for _, page := range pages {
			streams = append(streams, leaving.events(t.Context(), page))
		}
		heard := staying.events(t.Context(), acme+"/builds")
		leaving.submit("/sign-out").wantRedirect(t, "/sign-in")
		for _, next := range streams {
			wantEnd(next)
		}
		again := s.signedIn("member@example.com").events(t.Context(), acme+"/builds")
		testkit.Exec(t, d, `DELETE FROM organization_members WHERE user_id = (SELECT id FROM users WHERE email = 'member@example.com')`)
		wantEnd(again)
		for range 10 { // who may listen goes on
			if _, more := heard(); !more {
				t.Fatal("the stream of the administrator has ended")
			}
		}
	})
}

// TestListsFollowInABrowser looks at lists while others build and agents come and go.
func TestListsFollowInABrowser(t *testing.T) {
	t.Parallel()
	s, service := newLiveSite(t, testkit.OpenDB(t, "sqlite"), nil)
	s.withReleases(t, releaseSteps)
	chrome := chromium.Start(t, chromium.DejaVu)
	pipeline, all, agents := s.tabOf(t, chrome, "admin@example.com"), s.tabOf(t, chrome, "member@example.com"), s.tabOf(t, chrome, "admin@example.com")
	pipeline.Open(release)
	all.Open(acme + "/builds")
	agents.Open(acme + "/agents")
	pipeline.WaitFor("#list", "No builds yet")
	agents.WaitFor("#list", "No agents are connected")

	other := s.signedIn("admin@example.com")
	other.submit("/acme-inc/release/builds/new", "message", "Mend the pump", "branch", "main", "commit", "HEAD").wantRedirect(t, "/acme-inc/release/builds/1")
	pipeline.WaitFor("#list", "Mend the pump")
	pipeline.WaitFor("#outcomes", "#1")
	all.WaitFor("#list", "Release #1")
	other.submit("/acme-inc/release/builds/1/cancel").wantRedirect(t, "/acme-inc/release/builds/1")
	pipeline.WaitFor("#list", "Canceled")
	all.WaitFor("#list", "Canceled")

	session := s.connectAgent(t, service, "Runner")
	agents.WaitFor("#list", "Runner")
	if err := service.DisconnectAgent(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	agents.WaitFor("#list", "No agents are connected")
}
