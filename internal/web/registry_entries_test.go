package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// addCacheEntry stores an entry of the maintained cluster's registry, whose texts are all the same, and what was decided about a job.
func (s *site) addCacheEntry(text string, size int64) (id string) {
	s.t.Helper()
	id = domain.NewID[string]()
	quoted := strings.ReplaceAll(text, `"`, `\"`)
	now := time.Now().UnixMicro()
	testkit.Exec(s.t, s.DB, `INSERT INTO cache_entries (id, set_id, hash, scope_pipeline, scope_branch, scope_build, target_paths, cache_key, blobs, platform, size, job_id,
		created_at, used_at, restores, expires_at) VALUES ($1, $2, $1, $3, $3, '', $4, $5, $6, $3, $7, '', $8, $8, 3, $9)`, id, testkit.RegistryID, text, `["`+quoted+`"]`,
		`[{"value":"`+quoted+`"},{"value":"v1"}]`, `[{"digest":{"algorithm":"sha256","value":"x"},"file_size":1234567,"compression":"zip"}]`, size, now, now+int64(time.Hour/time.Microsecond))
	testkit.Exec(s.t, s.DB, `INSERT INTO cache_entry_sets (id, registry_id, entries, bytes) VALUES ($1, $1, 1, $2)
		ON CONFLICT (id) DO UPDATE SET entries = cache_entry_sets.entries + 1, bytes = cache_entry_sets.bytes + $2`, testkit.RegistryID, size)
	testkit.Exec(s.t, s.DB, `INSERT INTO cache_decisions (id, registry_id, job_id, pipeline_slug, build_number, branch, request, target_paths, cache_key, is_allowed, outcome, entry, rule,
		reason, explanation, created_at) VALUES ($1, $2, $3, $3, 7, $3, 'peek', $4, $5, FALSE, 'denied', $3, $3, $3, $3, $6)`, id, testkit.RegistryID, text, `["`+quoted+`"]`,
		`[{"value":"`+quoted+`"}]`, now)
	return id
}

func TestRegistryEntries(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("maintainer@example.com")
		id := s.addCacheEntry("gems", 1234567)
		testkit.Exec(t, s.DB, `INSERT INTO cache_days (registry_id, day, hits, fallbacks, misses, saves, denials, entries, bytes) VALUES ($1, '2026-11-15', 6, 1, 3, 2, 5, 1, 1234567)`, testkit.RegistryID)
		b.get(theRegistry+"/entries").want(t, http.StatusOK, "1 entry, 1.2 MB", "<code>gems · v1</code>", "&#34;branch&#34;:&#34;gems&#34;", "by a deleted job", "3 restores", "Remove")
		b.get(theRegistry+"/activity").want(t, http.StatusOK, "Nov 15, 2026", "70 %", "1 by a key prefix", "gems #7", `<span class="tag bad">denied</span>`, "Why")

		remove := theRegistry + "/entries/" + id + "/delete"
		b.get(remove).want(t, http.StatusOK, "Remove the cache entry “gems · v1”?")
		before := s.events()
		b.submit(remove).wantRedirect(t, theRegistry+"/entries")
		b.get(theRegistry+"/entries").want(t, http.StatusOK, "Cache entry removed.", "No cache entries", "0 entries, 0 bytes")
		b.get(remove).want(t, http.StatusNotFound, "No cache entry found")
		if after := s.events(); after != before+1 {
			t.Errorf("%d events tell of it", after-before)
		}
		testkit.Exec(t, s.DB, `UPDATE cache_registries SET cache_store = 'gs://bucket' WHERE id = $1`, testkit.RegistryID)
		b.get(theRegistry+"/store").want(t, http.StatusOK, "agents have no way to use it", "until you change it")
	})
}

// TestCacheRequestsOfAJob looks at the page of a job that a policy denied something.
func TestCacheRequestsOfAJob(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		build := s.withBuild(t)
		job := s.jobOf(t, build, "Compile")
		b := s.signedIn("member@example.com")
		if a := b.get(build+"/jobs/"+job).want(t, http.StatusOK); strings.Contains(a.Body, "Cache requests") {
			t.Error("a job that asked for nothing has cache requests")
		}
		s.addCacheEntry("gems", 1)
		testkit.Exec(t, s.DB, `UPDATE cache_decisions SET job_id = $1, pipeline_slug = 'release', build_number = 1, reason = 'rule 2 "no features" denies it'`, job)
		b.get(build+"/jobs/"+job).want(t, http.StatusOK, "Cache requests", "rule 2 &#34;no features&#34; denies it", `<span class="tag bad">denied</span>`)
	})
}

func TestHostileRegistryEntries(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		s.addCacheEntry(attack, 1)
		for path, times := range map[string]int{theRegistry + "/entries": 3, theRegistry + "/activity": 5} {
			b.get(path).want(t, http.StatusOK).wantHarmless(t, times)
		}
	})
}
