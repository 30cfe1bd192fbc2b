package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/core"
)

func TestAssetsAreAnsweredLikePages(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.browser()
		path := regexp.MustCompile(`/assets/[0-9a-f]+/app\.css`).FindString(b.get("/sign-in").Body)
		for _, c := range []struct {
			method, path, accept string
			status               int
			mediaType            string
		}{
			{http.MethodGet, path, "text/css", http.StatusOK, "text/css; charset=utf-8"},
			{http.MethodHead, path, "text/css", http.StatusOK, "text/css; charset=utf-8"},
			{http.MethodGet, "/assets/x/app.css", "text/css", http.StatusNotFound, "application/json; charset=utf-8"},
			{http.MethodGet, "/assets/x/app.css", "text/html", http.StatusNotFound, "text/html; charset=utf-8"},
			{http.MethodPost, path, "text/html", http.StatusNotFound, "text/html; charset=utf-8"},
		} {
			a := b.send(c.method, c.path, nil, map[string]string{"Accept": c.accept, "X-Request-Id": "mine"}).want(t, c.status)
			if got := a.Header.Get("Content-Type"); got != c.mediaType {
				t.Errorf("%s is %q, want %q", a.path, got, c.mediaType)
			}
			if got := a.Header.Get("X-Request-Id"); got != "mine" {
				t.Errorf("%s has the X-Request-Id %q", a.path, got)
			}
		}
	})
}

// Pages are compressed, unless they show what may be a secret.
func TestPagesAreCompressed(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		zipped := map[string]string{"Accept-Encoding": "gzip"} // so that the client does not hide it
		plain := b.get(acme + "/pipelines")
		page := b.send(http.MethodGet, acme+"/pipelines", nil, zipped).want(t, http.StatusOK)
		if page.Header.Get("Content-Encoding") != "gzip" || len(page.Body) > len(plain.Body)/2 {
			t.Errorf("the page is %s and has %d of %d bytes", page.Header.Get("Content-Encoding"), len(page.Body), len(plain.Body))
		}
		if unzipped := b.send(http.MethodGet, acme+"/pipelines", nil, map[string]string{"Accept-Encoding": "identity"}); unzipped.Header.Get("Content-Encoding") != "" {
			t.Error("the page is compressed for who cannot read that")
		}
		s.withReleases(t, releaseSteps)
		build := s.createBuild(t, domain.BuildInput{Commit: "HEAD", Branch: "main", Env: map[string]string{"KEY": "pretty-secret"}})
		_, err := s.Service.CreatePipeline(t.Context(), s.adminToken(), domain.OrganizationRef{Slug: "acme-inc"}, core.Value(domain.PipelineInput{Name: domain.Some("Secretive"),
			Repository: domain.Some("git@example.com:acme/secretive.git"), Env: domain.Some(map[string]string{"KEY": "pretty-secret"})}))
		if err != nil {
			t.Fatal(err)
		}
		made := b.submit(theCluster+"/tokens/new", "description", "Basement", "expires_at", "")
		for path, text := range map[string]string{
			build:                                  "pretty-secret",
			acme + "/pipelines/secretive/settings": "pretty-secret",
			made.Header.Get("Location"):            "pnc_",
			build + "/jobs/" + s.jobOf(t, build, "Compile") + "?env=1": "pretty-secret",
		} {
			if a := b.send(http.MethodGet, path, nil, zipped).want(t, http.StatusOK, text); a.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s is compressed", path)
			}
		}
	})
}

// The token of forms is another one on each page, so that compressed pages do not tell it. All of them are good.
func TestFormTokensAreMasked(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		one, two := b.tokenOf("/account"), b.tokenOf("/account")
		if one == two || one[:40] == two[:40] || one[len(one)-40:] == two[len(two)-40:] {
			t.Errorf("the tokens are %s and %s", one, two)
		}
		for _, token := range []string{one, two} {
			b.post("/account", "form_token", token, "name", "Admin").wantRedirect(t, "/account")
		}
		for _, token := range []string{one[:43] + two[43:], one[:43], "", "!"} {
			b.post("/account", "form_token", token, "name", "Admin").want(t, http.StatusForbidden, "out of date")
		}
	})
}

// TestPagesAreLight adds up what a browser loads that has nothing of the site yet.
func TestPagesAreLight(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		s.withHistory(t)
		worker := s.connectWorker(s.agentToken(), "runner")
		s.pipelineWith("Shop", "shop", "steps:\n  - {label: First, key: first, command: x}\n"+strings.Repeat("  - {label: Test, command: x, depends_on: first}\n", 40))
		s.createBuildAs(t, s.adminToken(), "shop")
		for range 5 {
			job := worker.take()
			job.annotate("error", "**1 of 348 tests failed**")
			job.upload("x", "reports/a.html", "reports/b.txt", "reports/c.png")
			job.finish(0)
		}
		const build = "/acme-inc/shop/builds/1"
		zipped := map[string]string{"Accept-Encoding": "gzip"}
		for _, path := range []string{acme, acme + "/builds", acme + "/pipelines", build, build + "?view=timeline", build + "?view=graph", theQueue + "?span=month", acme + "/agents", "/docs"} {
			weight := len(b.send(http.MethodGet, path, nil, zipped).want(t, http.StatusOK).Body)
			for _, part := range regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`).FindAllStringSubmatch(b.get(path).Body, -1) {
				weight += len(b.send(http.MethodGet, part[1], nil, zipped).want(t, http.StatusOK).Body)
			}
			t.Logf("%s: %d bytes", path, weight)
			if weight > 60_000 {
				t.Errorf("%s weighs %d bytes", path, weight)
			}
		}
	})
}
