package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
)

// eachRelease runs fn with a database of each release, on each engine.
func eachRelease(t *testing.T, fn func(t *testing.T, release, engine string, o db.Options)) {
	t.Helper()
	releases, err := os.ReadDir(releasesDir)
	if err != nil || len(releases) == 0 {
		t.Fatalf("no releases: %v", err)
	}
	for _, release := range releases {
		for _, engine := range []string{"sqlite", "postgres"} {
			t.Run(release.Name()+" "+engine, func(t *testing.T) {
				t.Parallel()
				fn(t, release.Name(), engine, restoreRelease(t, release.Name(), engine))
			})
		}
	}
}

// TestReleasesAreUpgraded starts this server on the databases of releases.
func TestReleasesAreUpgraded(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, _, _ string, o db.Options) {
		database := databaseFlags(o)
		p := start(t, releaseEnvironment, append([]string{"serve"}, database...)...)
		if status, body := p.get("/readyz", ""); status != http.StatusOK {
			t.Fatalf("readyz: %d %s", status, body)
		}
		wantReleaseData(p, database)
		// Pipelines of before have addresses of their own, which stay.
		links := regexp.MustCompile(`"badge_url":"[^"]+/badges/[0-9A-Za-z_-]{32,}\.svg"`)
		_, web := p.get("/v2/organizations/acme-inc/pipelines/web", testToken)
		_, old := p.get("/v2/organizations/acme-inc/pipelines/old", testToken)
		badge := tokenOf(links.FindString(web))
		if badge == "" || badge == tokenOf(links.FindString(old)) {
			t.Errorf("the badges are at %s and %s", links.FindString(web), links.FindString(old))
		}
		sendOwn[any](p, http.MethodPut, clusters+"/"+releaseCluster, `{"description": "Changed after the upgrade"}`, http.StatusOK)
		sendOwn[any](p, http.MethodPost, clusters, `{"name": "Made after the upgrade"}`, http.StatusCreated)
		p.stop()

		p = start(t, releaseEnvironment, append([]string{"serve"}, database...)...)
		wantReleaseData(p, database)
		if _, web := p.get("/v2/organizations/acme-inc/pipelines/web", testToken); tokenOf(links.FindString(web)) != badge {
			t.Errorf("the badge moved to %s", links.FindString(web))
		}
		_, body := p.get(clusters, testToken)
		for _, want := range []string{"Changed after the upgrade", "Made after the upgrade"} {
			if !strings.Contains(body, want) {
				t.Errorf("started again, no %q in %s", want, body)
			}
		}
	})
}

// tokenOf returns the token in a pipeline's address.
func tokenOf(link string) string { return link[strings.LastIndexByte(link, '/')+1:] }

// TestReleasesMoveToTheOtherEngine upgrades databases of releases, backs them up, and restores the backups on the other engine.
func TestReleasesMoveToTheOtherEngine(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, _, engine string, o db.Options) {
		output(t, append([]string{"migrate"}, databaseFlags(o)...)...)
		backup := filepath.Join(t.TempDir(), "copy")
		output(t, with("backup "+backup, databaseFlags(o)...)...)
		same, other := testkit.NewDatabase(t, engine), testkit.NewDatabase(t, map[string]string{"sqlite": "postgres", "postgres": "sqlite"}[engine])
		output(t, with("restore "+backup, databaseFlags(same)...)...)
		output(t, with("restore "+backup, databaseFlags(other)...)...)
		rows := storedRows(t, same)
		if !slices.Equal(storedRows(t, other), rows) {
			t.Error("the other engine does not hold the same rows")
		}
		// A restore leaves out the keys of jobs' identity, the servers that ran, and the sessions of agents and jobs, but no other row.
		isLeftOut := func(row string) bool { return strings.HasPrefix(row, "oidc_keys ") || strings.HasPrefix(row, "nodes ") }
		if before := slices.DeleteFunc(storedRows(t, o), isLeftOut); len(before) != len(rows) {
			t.Errorf("%d rows were backed up, %d restored", len(before), len(rows))
		}
		wantReleaseData(start(t, releaseEnvironment, append([]string{"serve"}, databaseFlags(other)...)...), databaseFlags(other))
	})
}

// TestDatabasesOfBeforeTheFirstReleaseAreRefused starts this server on a database that other migrations made under the same numbers.
func TestDatabasesOfBeforeTheFirstReleaseAreRefused(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := restoreStored(t, "testdata/refused/before-0.1.0", engine)
			tables, rows := tableNames(t, o), storedRows(t, o)
			for _, args := range []string{"serve --listen 127.0.0.1:0 --log-level error", "migrate", "token list", "backup -"} {
				refused(t, penstock(t, nil, with(args, databaseFlags(o)...)...), failure, "before 0.1.0", "nothing was changed",
					"schema version 5: its table organizations has other columns")
			}
			if !slices.Equal(tableNames(t, o), tables) || !slices.Equal(storedRows(t, o), rows) {
				t.Error("the database was changed")
			}
		})
	}
}

// wantReleaseData looks for what makeReleaseData made in the first release, as users see it.
func wantReleaseData(p *process, database []string) {
	t := p.t
	t.Helper()
	for path, wants := range map[string][]string{
		clusters + "/" + releaseCluster:                                          {`"name":"Open Source"`, `"default_queue_id":"` + releaseQueue + `"`},
		clusters + "/" + releaseCluster + "/queues/" + releaseQueue:              {`"key":"default"`, `"Maintenance"`},
		clusters + "/" + releaseCluster + "/tokens":                              {`"description":"Agents"`},
		clusters + "/" + releaseCluster + "/maintainers":                         {`"Platform"`, `"Dev"`},
		clusters + "/" + releaseCluster + "/cache-registries/" + releaseRegistry: {`"slug":"ruby-gems"`, `"effect":"allow"`, `"default":true`},
		"/v2/organizations/acme-inc/pipelines/web":                               {`"tags":["linux","go"]`, `make test`, `"cluster_id":"` + releaseCluster + `"`},
		"/v2/organizations/acme-inc/pipelines/old":                               {`"archived_at":"20`},
		"/v2/organizations/acme-inc/audit_events?type=PIPELINE_CREATED":          {`"Web"`, `"Old"`},
		"/v2/organizations/acme-inc/usage":                                       {`"active_users_count":`},
	} {
		status, body := p.get(path, testToken)
		for _, want := range wants {
			if status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s: %d, no %s in %s", path, status, want, body)
			}
		}
	}
	query := `{"query": "{ organization(slug: \"acme-inc\") { pipelines(first: 5, favorite: true, tags: [\"go\"]) { edges { node { slug } } } } }"}`
	if _, body := p.send(http.MethodPost, "/v1", query, "Authorization", "Bearer "+testToken); !strings.Contains(body, `"slug":"web"`) {
		t.Errorf("the favorites with a tag are %s", body)
	}
	if page := newBrowser(t).signIn(p.url+"/", "admin@example.com", releasePassword); !strings.Contains(page, "Acme Inc") {
		t.Errorf("signed in, the page is %s", page)
	}
	if got := decode[explained](t, output(t, with("usage explain acme-inc --month 2026-01 --json", database...)...)); got.ActiveUsers != 1 {
		t.Errorf("the usage is %+v", got)
	}
	if got := decode[explained](t, output(t, with("usage explain holding-co --month 2026-02 --json", database...)...)); got.Sum != 2 {
		t.Errorf("the usage of the parent is %+v", got)
	}
}
