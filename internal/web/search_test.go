package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		admin, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		s.Post(testkit.AdminToken, "/v2"+acme+"/teams", map[string]any{"name": "Plating", "privacy": "secret"}).Want(t, http.StatusCreated)
		const search = acme + "/search"
		checkMarkup(t, admin.get(search).want(t, http.StatusOK, "web #12"))
		checkMarkup(t, admin.get(search+"?q=PLAT").want(t, http.StatusOK, ">Platform</a>", ">Plating</a>"))
		if a := member.get(search+"?q=PLAT").want(t, http.StatusOK, ">Platform</a>"); strings.Contains(a.Body, "Plating") {
			t.Errorf("a member finds a secret team: %s", a.Body)
		}
		admin.get(search+"?q=web").want(t, http.StatusOK, acme+"/pipelines/web")
		admin.get(search+"?q=default").want(t, http.StatusOK, "Queues", theQueue)
		admin.get(search+"?q=maintain").want(t, http.StatusOK, ">Maintained</a>", "maintainer@example.com")
		admin.get(search+"?q=audit").want(t, http.StatusOK, `href="`+acme+`/audit"`)
		if a := member.get(search + "?q=audit"); strings.Contains(a.Body, acme+"/audit") {
			t.Errorf("a member finds the audit log: %s", a.Body)
		}
		admin.get(search+"?q=web+%2399").want(t, http.StatusOK, "No results")
		admin.get(search+"?q="+strings.Repeat("x", 5000)).want(t, http.StatusOK, "No results")
		s.signedIn("outsider@example.com").get(search+"?q=web").want(t, http.StatusNotFound)
	})
}

func TestSearchFindsBuilds(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withReleases(t, releaseSteps)
		commit := "3f9c2a1b" + strings.Repeat("0", 32)
		s.createBuild(t, domain.BuildInput{Commit: commit, Branch: "feature/Valves", Message: "Mend the 100% pump\n\nIt leaked."})
		second := s.createBuild(t, domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "Paint it"})
		b := s.signedIn("member@example.com")
		for text, found := range map[string]bool{
			"3F9C2A1": true, commit: true, "3f9c2a2": false, "100% PUMP": true, "100_": false, "leaked": true, "feature/val": true, "#1": true, "1": true, "release #1": true, "release 1": true,
			"#3": false, "#0": false, "web #1": false, strings.Repeat("9", 30): false, "\x00": false,
		} {
			a := b.get(acme+"/search?q="+url.QueryEscape(text)).want(t, http.StatusOK)
			checkMarkup(t, a)
			if has := strings.Contains(a.Body, `href="/acme-inc/release/builds/1"`); has != found {
				t.Errorf("%q finds the build: %t", text, has)
			}
		}
		b.get(acme+"/search?q=paint").want(t, http.StatusOK, "Release #2", `href="`+second+`"`)
		s.signedIn("outsider@example.com").get("/organizations/elsewhere/search?q=paint").want(t, http.StatusOK, "No results")
	})
}

func TestSearchFindsQueuesOfAllClusters(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withClusters(t, 120)
		b := s.signedIn("member@example.com")
		b.get(acme+"/search?q=LARGE_119").want(t, http.StatusOK, ">Large_119</a>", "A 119")
		if a := b.get(acme+"/search?q=LARGE").want(t, http.StatusOK, ">Large_1</a>"); strings.Count(a.Body, ">Large_") != 8 {
			t.Errorf("%d queues are shown", strings.Count(a.Body, ">Large_"))
		}
		b.get(acme+"/search?q=largex1").want(t, http.StatusOK, "No results")
	})
}

// withClusters makes a number of clusters, each with a queue: A 1 with Large_1.
func (s *site) withClusters(t *testing.T, number int) {
	t.Helper()
	text := "organizations:\n  - slug: acme-inc\n    name: Acme Inc\n    clusters:\n"
	for i := range number {
		text += fmt.Sprintf("      - {name: A %d, queues: [{key: Large_%d}]}\n", i+1, i+1)
	}
	s.Bootstrap(text)
}
