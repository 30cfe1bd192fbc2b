package agentapi_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// cacheRequest is the body of a call about a cache entry. A part of the key that ends with ? is optional.
func cacheRequest(key string, paths ...string) map[string]any {
	if paths == nil {
		paths = []string{"node_modules"}
	}
	parts := []map[string]any{}
	for value := range strings.FieldsSeq(key) {
		parts = append(parts, map[string]any{"value": strings.TrimSuffix(value, "?"), "mandatory": !strings.HasSuffix(value, "?")})
	}
	return map[string]any{"target_paths": paths, "cache_key": parts}
}

// digestOf is a digest for a test: the same for the same content.
func digestOf(content string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(content))) }

// cache sends a call about a cache registry.
func (j *takenJob) cache(method, path string, body any) *testkit.Answer {
	j.agent.w.t.Helper()
	return j.agent.w.send(method, "cache_registries/"+path, j.token, body)
}

// storeCache announces content, and returns the upload.
func (j *takenJob) storeCache(registry, key, content string, paths ...string) *testkit.Answer {
	j.agent.w.t.Helper()
	body := cacheRequest(key, paths...)
	body["blobs"] = []map[string]any{{"digest": map[string]string{"algorithm": "sha256", "value": digestOf(content)}, "file_size": len(content), "compression": "zip"}}
	body["platform"] = "linux/amd64"
	return j.cache(http.MethodPut, registry+"/store", body)
}

// saveCache saves content and commits it.
func (j *takenJob) saveCache(registry, key, content string, paths ...string) {
	t := j.agent.w.t
	t.Helper()
	stored := j.storeCache(registry, key, content, paths...).Want(t, http.StatusOK)
	if multipart, ok := stored.Object()["multipart"].(bool); !ok || multipart || stored.Text("upload_id") == "" {
		t.Errorf("an upload is %s", stored)
	}
	j.commitCache(registry, stored).Want(t, http.StatusOK)
}

func (j *takenJob) commitCache(registry string, stored *testkit.Answer) *testkit.Answer {
	j.agent.w.t.Helper()
	return j.cache(http.MethodPut, registry+"/commit", map[string]string{"upload_id": stored.Text("upload_id")})
}

// restoreCache returns what a restore finds: its content's digest, with "fallback" before it if it is one; "" for a miss.
func (j *takenJob) restoreCache(registry, key string, paths ...string) string {
	t := j.agent.w.t
	t.Helper()
	return foundCache(t, j.cache(http.MethodPost, registry+"/retrieve", cacheRequest(key, paths...)))
}

func (j *takenJob) peekCache(registry, key string) string {
	t := j.agent.w.t
	t.Helper()
	return foundCache(t, j.cache(http.MethodPost, registry+"/peek", cacheRequest(key)))
}

func foundCache(t *testing.T, answer *testkit.Answer) string {
	t.Helper()
	if answer.Status == http.StatusNotFound {
		answer.WantMessage(t, http.StatusNotFound, "Cache entry not found")
		return ""
	}
	var found struct {
		Blobs []struct{ Digest struct{ Value string } }
		Store string
		Key   []struct {
			Value     string
			Mandatory bool
		} `json:"cache_key"`
		Fallback bool
	}
	answer.Want(t, http.StatusOK)
	if err := json.Unmarshal(answer.Body, &found); err != nil || len(found.Blobs) != 1 || found.Store != "agent_managed" || len(found.Key) == 0 {
		t.Fatalf("an entry is %s: %v", answer, err)
	}
	if found.Fallback {
		return "fallback " + found.Blobs[0].Digest.Value
	}
	return found.Blobs[0].Digest.Value
}

func wantCache(t *testing.T, what, got, want string) {
	t.Helper()
	if want != "" && want != "fallback" {
		fallback, content, isFallback := strings.Cut(want, " ")
		if want = digestOf(fallback); isFallback {
			want = "fallback " + digestOf(content)
		}
	}
	if got != want {
		t.Errorf("%s finds %q, not %q", what, got, want)
	}
}

// setPolicy gives a registry of the main cluster a policy; "null" is none.
func (w *world) setPolicy(slug, policy string) {
	w.t.Helper()
	id := w.text(`SELECT id FROM cache_registries WHERE cluster_id = $1 AND slug = $2`, clusterID, slug)
	in := domain.CacheRegistryInput{Policy: domain.Some([]byte(policy))}
	if policy == "null" {
		in.Policy = domain.Null[[]byte]()
	}
	if _, err := w.service.UpdateCacheRegistry(w.t.Context(), admin, clusterRef(clusterID), id, core.Value(in), nil); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) newRegistry(cluster, name string) string {
	w.t.Helper()
	r, err := w.service.CreateCacheRegistry(w.t.Context(), admin, clusterRef(cluster), core.Value(domain.CacheRegistryInput{Name: domain.Some(name)}))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(r.ID)
}

// jobOn returns a job of a pipeline's build that an agent runs.
func (w *world) jobOn(slug string, change ...func(*domain.BuildInput)) *takenJob {
	w.t.Helper()
	w.build(slug, change...)
	return w.newAgent().take()
}

func onBranch(branch string) func(*domain.BuildInput) {
	return func(in *domain.BuildInput) { in.Branch = branch }
}

// storeNotes stores what happened in registries.
func (w *world) storeNotes() {
	w.t.Helper()
	if err := w.caches.StoreCacheUses(context.Background(), authz.OperatorActor()); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) sweepCaches() {
	w.t.Helper()
	if err := w.caches.SweepCaches(context.Background(), authz.OperatorActor()); err != nil {
		w.t.Fatal(err)
	}
}

func TestSaveAndRestoreCaches(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		j := w.jobOn(w.pipeline("steps: [{command: c}]"))
		registry := j.cache(http.MethodGet, "~", nil).Want(t, http.StatusOK)
		if registry.Text("name") != "Default" || registry.Text("store") != "agent_managed" || registry.Text("uuid") != w.text(`SELECT default_cache_registry_id FROM clusters WHERE id = $1`, clusterID) {
			t.Errorf("the default registry is %s", registry)
		}
		j.cache(http.MethodGet, "nothing", nil).WantMessage(t, http.StatusNotFound, "Cache registry not found")
		wantCache(t, "an empty registry", j.peekCache("~", "npm linux v1"), "")
		wantCache(t, "an empty registry", j.restoreCache("~", "npm linux v1"), "")
		stored := j.storeCache("~", "npm linux v1", "one").Want(t, http.StatusOK)
		wantCache(t, "what is not committed", j.peekCache("~", "npm linux v1"), "")
		j.commitCache("~", stored).Want(t, http.StatusOK)
		wantCache(t, "a peek", j.peekCache("default", "npm linux v1"), "one")
		wantCache(t, "a restore", j.restoreCache("default", "npm linux v1"), "one")
		wantCache(t, "another order of paths", j.restoreCache("~", "npm linux v1", "node_modules", "node_modules"), "one")
		for _, key := range []string{"npm linux v2", "npm linux", "npm linux v1 more", "linux npm v1"} {
			wantCache(t, key, j.restoreCache("~", key), "")
		}
		wantCache(t, "other paths", j.restoreCache("~", "npm linux v1", "node_modules", "vendor"), "")

		// The last commit wins, and one that is sent again changes nothing.
		j.saveCache("~", "npm linux v1", "two")
		j.commitCache("~", stored).Want(t, http.StatusOK)
		wantCache(t, "the last commit", j.restoreCache("~", "npm linux v1"), "two")
		if n := w.text(`SELECT CAST(count(*) AS TEXT) FROM cache_entries`); n != "1" {
			t.Errorf("there are %s entries", n)
		}
		answer := j.cache(http.MethodPost, "~/retrieve", cacheRequest("npm linux v1")).Want(t, http.StatusOK)
		expires, err := time.Parse(time.RFC3339, answer.Text("expires_at"))
		if left := time.Until(expires); err != nil || left < domain.CacheLifetime-time.Minute || left > domain.CacheLifetime {
			t.Errorf("it expires in %s: %v", left, err)
		}

		// A part of the key finds the newest.
		j.saveCache("~", "npm linux v3", "three")
		j.saveCache("~", "npm mac v4", "four")
		wantCache(t, "without the last part", j.restoreCache("~", "npm linux v9?"), "fallback three")
		wantCache(t, "without two parts", j.restoreCache("~", "npm bsd? v9?"), "fallback four")
		wantCache(t, "longer before shorter", j.restoreCache("~", "npm linux? v9?"), "fallback three")
		wantCache(t, "the exact one before the newest", j.restoreCache("~", "npm linux? v1?"), "two")
		wantCache(t, "a mandatory part that none has", j.restoreCache("~", "npm bsd v9?"), "")
		wantCache(t, "a peek, which knows no fallback", j.peekCache("~", "npm linux v9?"), "")
		j.saveCache("~", "npm linux", "short")
		wantCache(t, "a key that is a beginning itself", j.restoreCache("~", "npm linux v9?"), "fallback short")

		j.cache(http.MethodPost, "~/expire", cacheRequest("npm linux v1")).Want(t, http.StatusOK)
		wantCache(t, "what has expired", j.restoreCache("~", "npm linux v1"), "")
		wantCache(t, "what has expired", j.peekCache("~", "npm linux v1"), "")
		j.cache(http.MethodPost, "~/expire", cacheRequest("npm linux v1")).Want(t, http.StatusOK)
		j.cache(http.MethodPut, "~/commit", map[string]string{"upload_id": domain.NewID[string]()}).Want(t, http.StatusNotFound)
		j.cache(http.MethodPost, "~/peek", cacheRequest("")).Want(t, http.StatusUnprocessableEntity)

		j.finish(0).Want(t, http.StatusOK)
		for _, call := range [][2]string{{"GET", "~"}, {"POST", "~/peek"}, {"PUT", "~/store"}, {"PUT", "~/commit"}, {"POST", "~/retrieve"}, {"POST", "~/expire"}} {
			j.cache(call[0], call[1], cacheRequest("npm linux v3")).Want(t, http.StatusUnauthorized)
		}
	})
}

func TestCacheEntriesExpire(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		j := w.jobOn(w.pipeline("steps: [{command: c}]"))
		later := func(d time.Duration) {
			testkit.Exec(t, w.db, `UPDATE cache_entries SET created_at = created_at - $1, expires_at = expires_at - $1`, d.Microseconds())
			testkit.Exec(t, w.db, `UPDATE cache_uploads SET created_at = created_at - $1`, d.Microseconds())
		}
		for _, content := range []string{"used", "unused", "fallen"} {
			j.saveCache("~", content+" v1", content)
		}
		later(domain.CacheLifetime - time.Minute)
		wantCache(t, "the last minute", j.restoreCache("~", "used v1"), "used")
		wantCache(t, "a fallback", j.restoreCache("~", "fallen v2?"), "fallback fallen")
		w.storeNotes()
		later(time.Minute)
		if got := j.restoreCache("~", "used v1"); got == "" {
			t.Error("what was restored has expired")
		}
		wantCache(t, "what was not used", j.restoreCache("~", "unused v1"), "")
		wantCache(t, "a fallback, which does not keep it", j.restoreCache("~", "fallen v2?"), "")
		w.sweepCaches()
		if keys := w.read(1, `SELECT cache_key FROM cache_entries`); len(keys) != 1 || !strings.Contains(keys[0][0], "used") {
			t.Errorf("what is left is %v", keys)
		}
		if n := w.text(`SELECT CAST(count(*) AS TEXT) FROM cache_entry_prefixes`); n != "2" {
			t.Errorf("%s beginnings of keys are left", n)
		}
		if n := w.text(`SELECT CAST(count(*) AS TEXT) FROM cache_uploads`); n != "0" {
			t.Errorf("%s old uploads are left", n)
		}
		if got := strings.Join(w.read(3, `SELECT CAST(entries AS TEXT), CAST(bytes AS TEXT), registry_id FROM cache_entry_sets`)[0][:2], " "); got != "1 4" {
			t.Errorf("the registry holds %s", got)
		}
		stored := j.storeCache("~", "late", "late").Want(t, http.StatusOK)
		later(domain.CacheUploadTime)
		j.commitCache("~", stored).Want(t, http.StatusNotFound)
	})
}

func TestCacheEntriesGoWithTheirRegistryAndItsStore(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		id := w.newRegistry(clusterID, "Gems")
		j := w.jobOn(w.pipeline("steps: [{command: c}]"))
		j.saveCache("~", "k", "default")
		j.saveCache("gems", "k", "one")
		pending := j.storeCache("gems", "late", "late").Want(t, http.StatusOK)
		setStore := func(address string) {
			if _, err := w.service.SetCacheStore(t.Context(), admin, clusterRef(clusterID), id, core.Value(domain.CacheStoreInput{URL: domain.Some(address)}), nil); err != nil {
				t.Fatal(err)
			}
		}
		setStore("s3://bucket")
		wantCache(t, "another store", j.restoreCache("gems", "k"), "")
		j.commitCache("gems", pending).Want(t, http.StatusNotFound)
		j.saveCache("gems", "k", "two")
		setStore(" s3://bucket ")
		wantCache(t, "the same store", j.restoreCache("gems", "k"), "two")
		w.sweepCaches()
		wantCache(t, "what is swept", j.restoreCache("gems", "k"), "two")
		if n := w.text(`SELECT CAST(count(*) AS TEXT) FROM cache_entries`); n != "2" {
			t.Errorf("%s entries are left", n)
		}
		w.storeNotes()
		if err := w.service.DeleteCacheRegistry(t.Context(), admin, clusterRef(clusterID), id, nil); err != nil {
			t.Fatal(err)
		}
		j.cache(http.MethodPost, "gems/retrieve", cacheRequest("k")).WantMessage(t, http.StatusNotFound, "Cache registry not found")
		w.newRegistry(clusterID, "Gems")
		wantCache(t, "a registry with the same name", j.restoreCache("gems", "k"), "")
		w.sweepCaches()
		w.sweepCaches()
		if left := w.read(1, `SELECT id FROM cache_entry_sets`); len(left) != 1 {
			t.Errorf("what is left is %v", left)
		}
		wantCache(t, "another registry", j.restoreCache("~", "k"), "default")
	})
}

const perBranch = `{"save":{"scopes":{"pipeline":true,"branch":true}},"restore":{"scopes":[{"pipeline":"$current","branch":"$current"},{"pipeline":"$current","branch":"main"}]},
	"rules":[{"name":"tags use main","effect":"deny","action":["save","restore"],"when":"claims.build_tag != null && entry.branch != \"main\""},
	{"name":"branches","effect":"allow","action":["save","restore"]}]}`

func TestCachePoliciesDecide(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		slug := w.pipeline("steps: [{command: c}]")
		onMain, feature := w.jobOn(slug), w.jobOn(slug, onBranch("feature"))
		w.setPolicy("default", perBranch)
		onMain.saveCache("~", "k v1", "main")
		wantCache(t, "a branch", feature.restoreCache("~", "k v1"), "main")
		wantCache(t, "the peek of a branch", feature.peekCache("~", "k v1"), "")
		feature.saveCache("~", "k v1", "feature")
		wantCache(t, "a branch with its own", feature.restoreCache("~", "k v1"), "feature")
		wantCache(t, "main", onMain.restoreCache("~", "k v1"), "main")
		feature.saveCache("~", "k v2", "newer")
		wantCache(t, "main, of a part of the key", onMain.restoreCache("~", "k v3?"), "fallback main")
		wantCache(t, "the exact key of main, before a part of the key of the branch", feature.restoreCache("~", "k? v2"), "newer")
		feature.cache(http.MethodPost, "~/expire", cacheRequest("k v1")).Want(t, http.StatusOK)
		wantCache(t, "main, after a branch expired its own", onMain.restoreCache("~", "k v1"), "main")
		wantCache(t, "the branch again", feature.restoreCache("~", "k v1"), "main")
		feature.cache(http.MethodPost, "~/expire", cacheRequest("k v1")).Want(t, http.StatusOK)
		wantCache(t, "main, which a branch can't expire", onMain.restoreCache("~", "k v1"), "main")

		// A denial names the rule, and the page shows it.
		w.setPolicy("default", `{"save":{"scopes":{"branch":true}},"restore":{"scopes":[{"branch":"$current"},{"branch":"main"}]},
			"rules":[{"name":"reviewed","effect":"allow","action":["save","restore"],"when":"claims.build_branch == \"main\""},
			{"name":"no features","effect":"deny","action":["save","restore"],"when":"claims.build_branch == \"feature\""}]}`)
		for _, call := range [][2]string{{"POST", "peek"}, {"PUT", "commit"}} {
			answer := feature.cache(call[0], "~/"+call[1], cacheRequest("k v1"))
			answer.WantMessage(t, http.StatusForbidden, `The cache registry's policy denies this save: rule 2 "no features" denies it`)
		}
		feature.storeCache("~", "k", "c").WantMessage(t, http.StatusForbidden, `The cache registry's policy denies this save: rule 2 "no features" denies it`)
		feature.cache(http.MethodPost, "~/retrieve", cacheRequest("k v1")).WantMessage(t, http.StatusForbidden,
			`The cache registry's policy denies this restore: none of the entries that restore.scopes offers is allowed; {"branch":"feature"}: rule 2 "no features" denies it; {"branch":"main"}: rule 2 "no features" denies it`)
		feature.cache(http.MethodPost, "~/expire", cacheRequest("k v1")).Want(t, http.StatusOK)

		// A policy that changes between the upload and its commit counts.
		stored := onMain.storeCache("~", "k late", "late").Want(t, http.StatusOK)
		w.setPolicy("default", "null")
		onMain.commitCache("~", stored).WantMessage(t, http.StatusForbidden, "The cache registry's policy denies this save: there is no policy")
		onMain.cache(http.MethodPost, "~/retrieve", cacheRequest("k v1")).WantMessage(t, http.StatusForbidden, "The cache registry's policy denies this restore: there is no policy")
		onMain.cache(http.MethodGet, "~", nil).Want(t, http.StatusOK)

		w.storeNotes()
		decisions, err := w.caches.CacheDecisions(t.Context(), admin, w.jobRef(feature.id))
		if err != nil || len(decisions) == 0 {
			t.Fatal(decisions, err)
		}
		denial := decisions[0]
		if denial.Allowed || denial.Request != domain.CacheExpire || denial.Rule != `rule 2 "no features"` || denial.Branch != "feature" || denial.Entry != `{"branch":"feature"}` ||
			!strings.Contains(denial.Explanation, `rule 1 "reviewed" (allow): its condition is false`) || len(denial.Key) != 2 || denial.Outcome != domain.CacheDenied {
			t.Errorf("the latest decision is %+v", denial)
		}
		if got := w.text(`SELECT CAST(hits + fallbacks AS TEXT) || ' ' || CAST(denials AS TEXT) || ' ' || CAST(saves AS TEXT) FROM cache_days`); got != "8 7 3" {
			t.Errorf("the day is %s", got)
		}
	})
}

// TestCacheDecisionsAreBounded keeps a busy registry's page small, and a flood of restores from hiding a denial.
func TestCacheDecisionsAreBounded(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		j := w.jobOn(w.pipeline("steps: [{command: c}]"))
		w.setPolicy("default", `{"restore":{"scopes":[{}]},"rules":[{"effect":"allow","action":"restore"}]}`)
		j.cache(http.MethodPost, "~/peek", cacheRequest("k")).Want(t, http.StatusForbidden)
		for range 3 {
			for range 60 {
				wantCache(t, "nothing", j.restoreCache("~", "k"), "")
			}
			w.storeNotes()
		}
		rows := w.read(2, `SELECT outcome, CAST(count(*) AS TEXT) FROM cache_decisions GROUP BY outcome ORDER BY outcome`)
		if got := fmt.Sprint(rows); got != "[[denied 1] [miss 100]]" {
			t.Errorf("what is kept is %s", got)
		}
		if got := w.text(`SELECT CAST(misses AS TEXT) FROM cache_days`); got != "180" {
			t.Errorf("%s misses were counted", got)
		}
	})
}

// TestTheCacheStoreReachesTheJob looks at the variable that tells an agent where entries are.
func TestTheCacheStoreReachesTheJob(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		gems := w.newRegistry(clusterID, "Gems")
		w.newRegistry(clusterID, "Plain")
		elsewhere := w.newRegistry(elsewhereID, "Elsewhere")
		main := w.text(`SELECT default_cache_registry_id FROM clusters WHERE id = $1`, clusterID)
		for id, address := range map[string]string{gems: "s3://gems/p?region=eu-central-1", main: "nsc://default", elsewhere: "s3://elsewhere"} {
			cluster := w.text(`SELECT cluster_id FROM cache_registries WHERE id = $1`, id)
			if _, err := w.service.SetCacheStore(t.Context(), admin, clusterRef(cluster), id, core.Value(domain.CacheStoreInput{URL: domain.Some(address)}), nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, test := range []struct{ env, want string }{
			{"", "nsc://default"},
			{"BUILDKITE_AGENT_CACHE_REGISTRY: '~'", "nsc://default"},
			{"BUILDKITE_AGENT_CACHE_REGISTRY: gems", "s3://gems/p?region=eu-central-1"},
			{"BUILDKITE_AGENT_CACHE_REGISTRY: plain", ""},
			{"BUILDKITE_AGENT_CACHE_REGISTRY: elsewhere", ""},
			{"BUILDKITE_AGENT_CACHE_STORE_URL: 'file:///var/cache'", "file:///var/cache"},
			{"BUILDKITE_AGENT_CACHE_STORE_URL: ''", ""},
		} {
			j := w.jobOn(w.pipeline("steps: [{command: c, env: {" + test.env + "}}]"))
			if got, _ := j.env()["BUILDKITE_AGENT_CACHE_STORE_URL"].(string); got != test.want {
				t.Errorf("%s: the store is %q, not %q", test.env, got, test.want)
			}
			j.finish(0).Want(t, http.StatusOK)
		}
	})
}

// TestJobsCannotReachOthersCacheEntries is a job that tries to reach what is not its own, by every field that it controls.
func TestJobsCannotReachOthersCacheEntries(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		own, other := w.pipeline("steps: [{command: c}]"), w.pipeline("steps: [{command: c}]")
		w.setPolicy("default", perBranch)
		foreign := w.newRegistry(elsewhereID, "Foreign")
		victim, neighbour := w.jobOn(own, onBranch("release")), w.jobOn(other, onBranch("evil"))
		victim.saveCache("~", "k v1", "secret")
		neighbour.saveCache("~", "k v1", "neighbour")
		hostile := w.jobOn(own, onBranch("evil"), func(in *domain.BuildInput) {
			in.Env = map[string]string{"BUILDKITE_BRANCH": "release", "BUILDKITE_PIPELINE_SLUG": other, "BUILDKITE_TAG": "v1", "BUILDKITE_BUILD_NUMBER": "1"}
			in.MetaData = map[string]string{"branch": "release"}
		})
		body := cacheRequest("k v1")
		for _, name := range []string{"scopes", "scope", "scope_branch", "branch", "entry", "claims", "build_branch", "pipeline", "set_id", "registry", "job_id", "id", "save", "restore"} {
			for _, value := range []any{"release", map[string]string{"branch": "release", "pipeline": own}, []map[string]string{{"branch": "release"}}, victim.id} {
				body[name] = value
				if status := hostile.cache(http.MethodPost, "~/retrieve?branch=release&"+name+"=release", body).Status; status != http.StatusNotFound {
					t.Errorf("%s %v: %d", name, value, status)
				}
				if status := hostile.cache(http.MethodPost, "~/peek?"+name+"=release", body).Status; status != http.StatusNotFound {
					t.Errorf("%s %v: %d", name, value, status)
				}
			}
		}
		for _, header := range []string{"X-Buildkite-Branch", "X-Branch", "Buildkite-Branch", "X-Forwarded-User"} {
			w.send(http.MethodPost, "cache_registries/~/retrieve", hostile.token, cacheRequest("k v1"), header, "release").Want(t, http.StatusNotFound)
		}
		for _, key := range []string{"release k v1", "k v1 release", `{"branch":"release"} k v1`, "k? v1?", "k v1?"} {
			wantCache(t, key, hostile.restoreCache("~", key), "")
		}
		for _, paths := range [][]string{{"../release/node_modules"}, {"node_modules", "release"}, {"release\x01node_modules"}, {"%"}, {"*"}, {"node_modules' OR 1=1 --"}} {
			wantCache(t, fmt.Sprint(paths), hostile.restoreCache("~", "k v1", paths...), "")
		}
		// Registries of other clusters are not there, by any name.
		for _, name := range []string{"foreign", foreign, "Foreign", "default%2F..%2Fforeign", "..%2Fforeign", elsewhereID, clusterID, strings.ToUpper("~x"), "%7E%7E"} {
			hostile.cache(http.MethodGet, name, nil).Want(t, http.StatusNotFound)
			hostile.cache(http.MethodPost, name+"/retrieve", cacheRequest("k v1")).Want(t, http.StatusNotFound)
		}
		// Nor can it commit what others began, or remove what is theirs.
		stored := victim.storeCache("~", "k v2", "begun").Want(t, http.StatusOK)
		hostile.commitCache("~", stored).Want(t, http.StatusNotFound)
		wantCache(t, "what another job committed", victim.restoreCache("~", "k v2"), "")
		hostile.cache(http.MethodPost, "~/expire", body).Want(t, http.StatusOK)
		hostile.saveCache("~", "k v1", "evil")
		hostile.cache(http.MethodPost, "~/expire", body).Want(t, http.StatusOK)
		wantCache(t, "the victim", victim.restoreCache("~", "k v1"), "secret")
		wantCache(t, "the neighbour", neighbour.restoreCache("~", "k v1"), "neighbour")
		w.send(http.MethodPost, "cache_registries/~/retrieve", hostile.agent.session, cacheRequest("k v1")).Want(t, http.StatusUnauthorized)
		w.send(http.MethodPost, "cache_registries/~/retrieve", hostile.token, cacheRequest("k v1"), "Authorization", "Bearer "+hostile.token).Want(t, http.StatusUnauthorized)
	})
}
