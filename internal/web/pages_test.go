package web_test

import (
	"bytes"
	"context"
	"html"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/httpcall"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/service/read"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

// pageCase is a page to look at.
type pageCase struct {
	path  string
	says  string
	email string // who looks at it; empty: the administrator; "-": somebody who is not signed in
	moved string // where it leads to; empty: it is shown
}

// pageCases are all pages that can be asked for, by their pattern, with an example and what it says. Every route must be here;
// other files add theirs with addPages.
var pageCases = map[string]pageCase{
	"/sign-in":                                 {path: "/sign-in", says: "Password", email: "-"},
	"/setup":                                   {path: "/setup?link=nothing", says: "no longer works", email: "-"},
	"/sign-in/oidc":                            {path: "/sign-in/oidc", says: "This page doesn't exist", email: "-"},
	"/sign-in/oidc/callback":                   {path: "/sign-in/oidc/callback", says: "This page doesn't exist", email: "-"},
	"/account":                                 {path: "/account", says: "admin@example.com"},
	"/account/notifications":                   {path: "/account/notifications", says: "Whenever a build finishes"},
	"/account/password":                        {path: "/account/password", says: "New password"},
	"/account/sessions":                        {path: "/account/sessions", says: "Firefox on Linux"},
	"/account/sessions/sign-out":               {path: "/account/sessions/sign-out", says: "Sign out everywhere?"},
	"/account/tokens":                          {path: "/account/tokens", says: "all"},
	"/account/tokens/new":                      {path: "/account/tokens/new", says: "Scopes"},
	"/account/tokens/{token}/revoke":           {path: "/account/tokens/" + testkit.AdminID + "/revoke", says: "No API access token found"},
	"/account/portal-tokens":                   {path: "/account/portal-tokens", says: "No portal tokens"},
	"/account/portal-tokens/{token}/revoke":    {path: "/account/portal-tokens/x/revoke", says: "No portal token found"},
	"/docs/search":                             {path: "/docs/search?q=queue", says: "/v2/organizations/{org}/clusters/{cluster}/queues", email: "-"},
	"/account/secret":                          {path: "/account/secret", says: "no longer available"},
	inOrganizationPath + "/search":             {path: "/organizations/acme-inc/search?q=maintain", says: "Maintained"},
	inOrganizationPath + "/secret":             {path: "/organizations/acme-inc/secret", says: "no longer available"},
	"/{$}":                                     {path: "/", moved: "/organizations/acme-inc"},
	"/organizations":                           {path: "/organizations", says: "Acme Inc"},
	"/organizations/{organization}":            {path: "/organizations/acme-inc", says: "Recent changes"},
	inOrganizationPath + "/clusters":           {path: "/organizations/acme-inc/clusters", says: "Maintained"},
	inOrganizationPath + "/clusters/{cluster}": {path: "/organizations/acme-inc/clusters/" + testkit.MaintainedID, says: "Maintainer"},
}

const inOrganizationPath = "/organizations/{organization}"

// addPages adds to pageCases: var _ = addPages(map[string]pageCase{…}).
func addPages(cases map[string]pageCase) bool {
	maps.Copy(pageCases, cases)
	return true
}

func TestEveryPageIsShown(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		routes := web.PagePatterns()
		for _, pattern := range routes {
			c, ok := pageCases[pattern]
			if !ok {
				t.Errorf("no case shows %s", pattern)
				continue
			}
			b := s.browser()
			switch c.email {
			case "-":
			case "":
				b = s.signedIn("admin@example.com")
			default:
				b = s.signedIn(c.email)
			}
			a := b.get(c.path)
			if c.moved != "" {
				a.wantRedirect(t, c.moved)
				continue
			}
			if !strings.Contains(html.UnescapeString(a.Body), c.says) || !strings.Contains(a.Body, "</html>") || strings.Contains(a.Body, "ZgotmplZ") {
				t.Errorf("%s is %d and does not say %q: %s", c.path, a.Status, c.says, a.Body)
			}
			if len(a.Body) > 100_000 { // a tenth of it when it is sent
				t.Errorf("%s has %d bytes", c.path, len(a.Body))
			}
			checkMarkup(t, a)
			checkHeaders(t, a)
		}
		for pattern := range pageCases {
			if !slices.Contains(routes, pattern) {
				t.Errorf("there is no page %s", pattern)
			}
		}
	})
}

func checkHeaders(t *testing.T, a *answer) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
			"form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
		"X-Content-Type-Options":     "nosniff",
		"X-Frame-Options":            "DENY",
		"Referrer-Policy":            "same-origin",
		"Cross-Origin-Opener-Policy": "same-origin",
		"Cache-Control":              "no-store",
		"Vary":                       "Accept-Encoding, Cookie",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %s is %q, want %q", a.path, name, got, want)
		}
	}
	if a.Header.Get("X-Request-Id") == "" {
		t.Errorf("%s has no X-Request-Id", a.path)
	}
	if a.Status == http.StatusOK && !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%s is %s", a.path, a.Header.Get("Content-Type"))
	}
}

func TestCallersWhoGoAwayAreCountedAsGone(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		var statuses []int
		var log bytes.Buffer
		ctx, leave := context.WithCancel(t.Context())
		now := func() time.Time {
			leave() // within the operation
			return s.Clock.Now()
		}
		shared := core.New(core.Options{DB: s.DB, Now: now})
		pages := web.New(web.Options{Settings: httpcall.Settings{
			Logger:  slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
			Observe: func(_, _ string, status int, _ time.Duration) { statuses = append(statuses, status) },
		}, Service: service.New(service.Options{Core: shared}), Reader: read.New(shared), BaseURL: s.URL})
		r := httptest.NewRequest(http.MethodGet, "/organizations/acme-inc/clusters", nil).WithContext(ctx)
		r.AddCookie(&http.Cookie{Name: "penstock_session", Value: s.signedIn("admin@example.com").cookie("penstock_session")})
		pages.ServeHTTP(httptest.NewRecorder(), r)
		if !slices.Equal(statuses, []int{httpcall.StatusCallerGone}) || log.Len() > 0 {
			t.Errorf("counted as %v, and the log has %s", statuses, &log)
		}
	})
}
