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
	"penstock/internal/testkit/running"
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

// sendCache sends a call about a cache registry.
func sendCache(j *running.Job, method, path string, body any) *testkit.Answer {
	j.Agent.S.T.Helper()
	return j.Agent.S.Send(method, "cache_registries/"+path, j.Token, body)
}

// storeCache announces content, and returns the upload.
func storeCache(j *running.Job, registry, key, content string, paths ...string) *testkit.Answer {
	j.Agent.S.T.Helper()
	body := cacheRequest(key, paths...)
	body["blobs"] = []map[string]any{{"digest": map[string]string{"algorithm": "sha256", "value": digestOf(content)}, "file_size": len(content), "compression": "zip"}}
	body["platform"] = "linux/amd64"
	return sendCache(j, http.MethodPut, registry+"/store", body)
}

// saveCache saves content and commits it.
func saveCache(j *running.Job, registry, key, content string, paths ...string) {
	t := j.Agent.S.T
	t.Helper()
	stored := storeCache(j, registry, key, content, paths...).Want(t, http.StatusOK)
	if multipart, ok := stored.Object()["multipart"].(bool); !ok || multipart || stored.Text("upload_id") == "" {
		t.Errorf("an upload is %s", stored)
	}
	commitCache(j, registry, stored).Want(t, http.StatusOK)
}

func commitCache(j *running.Job, registry string, stored *testkit.Answer) *testkit.Answer {
	j.Agent.S.T.Helper()
	return sendCache(j, http.MethodPut, registry+"/commit", map[string]string{"upload_id": stored.Text("upload_id")})
}

// restoreCache returns what a restore finds: its content's digest, with "fallback" before it if it is one; "" for a miss.
func restoreCache(j *running.Job, registry, key string, paths ...string) string {
	t := j.Agent.S.T
	t.Helper()
	return foundCache(t, sendCache(j, http.MethodPost, registry+"/retrieve", cacheRequest(key, paths...)))
}

func peekCache(j *running.Job, registry, key string) string {
	t := j.Agent.S.T
	t.Helper()
	return foundCache(t, sendCache(j, http.MethodPost, registry+"/peek", cacheRequest(key)))
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
func setPolicy(w *running.Server, slug, policy string) {
	w.T.Helper()
	id := w.Text(`SELECT id FROM cache_registries WHERE cluster_id = $1 AND slug = $2`, running.Cluster, slug)
	in := domain.CacheRegistryInput{Policy: domain.Some([]byte(policy))}
	if policy == "null" {
		in.Policy = domain.Null[[]byte]()
	}
	if _, err := w.Service.UpdateCacheRegistry(w.T.Context(), running.Admin, running.ClusterRef(running.Cluster), id, core.Value(in), nil); err != nil {
		w.T.Fatal(err)
	}
}

func newRegistry(w *running.Server, cluster, name string) string {
	w.T.Helper()
	r, err := w.Service.CreateCacheRegistry(w.T.Context(), running.Admin, running.ClusterRef(cluster), core.Value(domain.CacheRegistryInput{Name: domain.Some(name)}))
	if err != nil {
		w.T.Fatal(err)
	}
	return string(r.ID)
}

// jobOn returns a job of a pipeline's build that an agent runs.
func jobOn(w *running.Server, slug string, change ...func(*domain.BuildInput)) *running.Job {
	w.T.Helper()
	w.Build(slug, change...)
	return w.NewAgent().StartJob()
}

func onBranch(branch string) func(*domain.BuildInput) {
	return func(in *domain.BuildInput) { in.Branch = branch }
}

// storeNotes stores what happened in registries.
func storeNotes(w *running.Server) {
	w.T.Helper()
	if err := w.Caches.StoreCacheUses(context.Background(), authz.OperatorActor()); err != nil {
		w.T.Fatal(err)
	}
}

func sweepCaches(w *running.Server) {
	w.T.Helper()
	if err := w.Caches.SweepCaches(context.Background(), authz.OperatorActor()); err != nil {
		w.T.Fatal(err)
	}
}

func TestSaveAndRestoreCaches(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		j := jobOn(w, w.Pipeline("steps: [{command: c}]"))
		registry := sendCache(j, http.MethodGet, "~", nil).Want(t, http.StatusOK)
		if registry.Text("name") != "Default" || registry.Text("store") != "agent_managed" || registry.Text("uuid") != w.Text(`SELECT default_cache_registry_id FROM clusters WHERE id = $1`, running.Cluster) {
			t.Errorf("the default registry is %s", registry)
		}
		sendCache(j, http.MethodGet, "nothing", nil).WantMessage(t, http.StatusNotFound, "Cache registry not found")
		wantCache(t, "an empty registry", peekCache(j, "~", "npm linux v1"), "")
		wantCache(t, "an empty registry", restoreCache(j, "~", "npm linux v1"), "")
		stored := storeCache(j, "~", "npm linux v1", "one").Want(t, http.StatusOK)
		wantCache(t, "what is not committed", peekCache(j, "~", "npm linux v1"), "")
		commitCache(j, "~", stored).Want(t, http.StatusOK)
		wantCache(t, "a peek", peekCache(j, "default", "npm linux v1"), "one")
		wantCache(t, "a restore", restoreCache(j, "default", "npm linux v1"), "one")
		wantCache(t, "another order of paths", restoreCache(j, "~", "npm linux v1", "node_modules", "node_modules"), "one")
		for _, key := range []string{"npm linux v2", "npm linux", "npm linux v1 more", "linux npm v1"} {
			wantCache(t, key, restoreCache(j, "~", key), "")
		}
		wantCache(t, "other paths", restoreCache(j, "~", "npm linux v1", "node_modules", "vendor"), "")

		// The last commit wins, and one that is sent again changes nothing.
		saveCache(j, "~", "npm linux v1", "two")
		commitCache(j, "~", stored).Want(t, http.StatusOK)
		wantCache(t, "the last commit", restoreCache(j, "~", "npm linux v1"), "two")
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM cache_entries`); n != "1" {
			t.Errorf("there are %s entries", n)
		}
		answer := sendCache(j, http.MethodPost, "~/retrieve", cacheRequest("npm linux v1")).Want(t, http.StatusOK)
		expires, err := time.Parse(time.RFC3339, answer.Text("expires_at"))
		if left := time.Until(expires); err != nil || left < domain.CacheLifetime-time.Minute || left > domain.CacheLifetime {
			t.Errorf("it expires in %s: %v", left, err)
		}

		// A part of the key finds the newest.
		saveCache(j, "~", "npm linux v3", "three")
		saveCache(j, "~", "npm mac v4", "four")
		wantCache(t, "without the last part", restoreCache(j, "~", "npm linux v9?"), "fallback three")
		wantCache(t, "without two parts", restoreCache(j, "~", "npm bsd? v9?"), "fallback four")
		wantCache(t, "longer before shorter", restoreCache(j, "~", "npm linux? v9?"), "fallback three")
		wantCache(t, "the exact one before the newest", restoreCache(j, "~", "npm linux? v1?"), "two")
		wantCache(t, "a mandatory part that none has", restoreCache(j, "~", "npm bsd v9?"), "")
		wantCache(t, "a peek, which knows no fallback", peekCache(j, "~", "npm linux v9?"), "")
		saveCache(j, "~", "npm linux", "short")
		wantCache(t, "a key that is a beginning itself", restoreCache(j, "~", "npm linux v9?"), "fallback short")

		sendCache(j, http.MethodPost, "~/expire", cacheRequest("npm linux v1")).Want(t, http.StatusOK)
		wantCache(t, "what has expired", restoreCache(j, "~", "npm linux v1"), "")
		wantCache(t, "what has expired", peekCache(j, "~", "npm linux v1"), "")
		sendCache(j, http.MethodPost, "~/expire", cacheRequest("npm linux v1")).Want(t, http.StatusOK)
		sendCache(j, http.MethodPut, "~/commit", map[string]string{"upload_id": domain.NewID[string]()}).Want(t, http.StatusNotFound)
		sendCache(j, http.MethodPost, "~/peek", cacheRequest("")).Want(t, http.StatusUnprocessableEntity)

		j.Finish(0).Want(t, http.StatusOK)
		for _, call := range [][2]string{{"GET", "~"}, {"POST", "~/peek"}, {"PUT", "~/store"}, {"PUT", "~/commit"}, {"POST", "~/retrieve"}, {"POST", "~/expire"}} {
			sendCache(j, call[0], call[1], cacheRequest("npm linux v3")).Want(t, http.StatusUnauthorized)
		}
	})
}

func TestCacheEntriesExpire(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		j := jobOn(w, w.Pipeline("steps: [{command: c}]"))
		for _, content := range []string{"used", "unused", "fallen"} {
			saveCache(j, "~", content+" v1", content)
		}
		w.Advance(domain.CacheLifetime - time.Minute)
		wantCache(t, "the last minute", restoreCache(j, "~", "used v1"), "used")
		wantCache(t, "a fallback", restoreCache(j, "~", "fallen v2?"), "fallback fallen")
		storeNotes(w)
		w.Advance(time.Minute)
		if got := restoreCache(j, "~", "used v1"); got == "" {
			t.Error("what was restored has expired")
		}
		wantCache(t, "what was not used", restoreCache(j, "~", "unused v1"), "")
		wantCache(t, "a fallback, which does not keep it", restoreCache(j, "~", "fallen v2?"), "")
		sweepCaches(w)
		if keys := w.Read(1, `SELECT cache_key FROM cache_entries`); len(keys) != 1 || !strings.Contains(keys[0][0], "used") {
			t.Errorf("what is left is %v", keys)
		}
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM cache_entry_prefixes`); n != "2" {
			t.Errorf("%s beginnings of keys are left", n)
		}
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM cache_uploads`); n != "0" {
			t.Errorf("%s old uploads are left", n)
		}
		if got := strings.Join(w.Read(3, `SELECT CAST(entries AS TEXT), CAST(bytes AS TEXT), registry_id FROM cache_entry_sets`)[0][:2], " "); got != "1 4" {
			t.Errorf("the registry holds %s", got)
		}
		stored := storeCache(j, "~", "late", "late").Want(t, http.StatusOK)
		w.Advance(domain.CacheUploadTime)
		commitCache(j, "~", stored).Want(t, http.StatusNotFound)
	})
}

func TestCacheEntriesGoWithTheirRegistryAndItsStore(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		id := newRegistry(w, running.Cluster, "Gems")
		j := jobOn(w, w.Pipeline("steps: [{command: c}]"))
		saveCache(j, "~", "k", "default")
		saveCache(j, "gems", "k", "one")
		pending := storeCache(j, "gems", "late", "late").Want(t, http.StatusOK)
		setStore := func(address string) {
			if _, err := w.Service.SetCacheStore(t.Context(), running.Admin, running.ClusterRef(running.Cluster), id, core.Value(domain.CacheStoreInput{URL: domain.Some(address)}), nil); err != nil {
				t.Fatal(err)
			}
		}
		setStore("s3://bucket")
		wantCache(t, "another store", restoreCache(j, "gems", "k"), "")
		commitCache(j, "gems", pending).Want(t, http.StatusNotFound)
		saveCache(j, "gems", "k", "two")
		setStore(" s3://bucket ")
		wantCache(t, "the same store", restoreCache(j, "gems", "k"), "two")
		sweepCaches(w)
		wantCache(t, "what is swept", restoreCache(j, "gems", "k"), "two")
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM cache_entries`); n != "2" {
			t.Errorf("%s entries are left", n)
		}
		storeNotes(w)
		if err := w.Service.DeleteCacheRegistry(t.Context(), running.Admin, running.ClusterRef(running.Cluster), id, nil); err != nil {
			t.Fatal(err)
		}
		sendCache(j, http.MethodPost, "gems/retrieve", cacheRequest("k")).WantMessage(t, http.StatusNotFound, "Cache registry not found")
		newRegistry(w, running.Cluster, "Gems")
		wantCache(t, "a registry with the same name", restoreCache(j, "gems", "k"), "")
		sweepCaches(w)
		sweepCaches(w)
		if left := w.Read(1, `SELECT id FROM cache_entry_sets`); len(left) != 1 {
			t.Errorf("what is left is %v", left)
		}
		wantCache(t, "another registry", restoreCache(j, "~", "k"), "default")
	})
}

const perBranch = `{"save":{"scopes":{"pipeline":true,"branch":true}},"restore":{"scopes":[{"pipeline":"$current","branch":"$current"},{"pipeline":"$current","branch":"main"}]},
	"rules":[{"name":"tags use main","effect":"deny","action":["save","restore"],"when":"claims.build_tag != null && entry.branch != \"main\""},
	{"name":"branches","effect":"allow","action":["save","restore"]}]}`

func TestCachePoliciesDecide(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		slug := w.Pipeline("steps: [{command: c}]")
		onMain, feature := jobOn(w, slug), jobOn(w, slug, onBranch("feature"))
		setPolicy(w, "default", perBranch)
		saveCache(onMain, "~", "k v1", "main")
		wantCache(t, "a branch", restoreCache(feature, "~", "k v1"), "main")
		wantCache(t, "the peek of a branch", peekCache(feature, "~", "k v1"), "")
		saveCache(feature, "~", "k v1", "feature")
		wantCache(t, "a branch with its own", restoreCache(feature, "~", "k v1"), "feature")
		wantCache(t, "main", restoreCache(onMain, "~", "k v1"), "main")
		saveCache(feature, "~", "k v2", "newer")
		wantCache(t, "main, of a part of the key", restoreCache(onMain, "~", "k v3?"), "fallback main")
		wantCache(t, "the exact key of main, before a part of the key of the branch", restoreCache(feature, "~", "k? v2"), "newer")
		sendCache(feature, http.MethodPost, "~/expire", cacheRequest("k v1")).Want(t, http.StatusOK)
		wantCache(t, "main, after a branch expired its own", restoreCache(onMain, "~", "k v1"), "main")
		wantCache(t, "the branch again", restoreCache(feature, "~", "k v1"), "main")
		sendCache(feature, http.MethodPost, "~/expire", cacheRequest("k v1")).Want(t, http.StatusOK)
		wantCache(t, "main, which a branch can't expire", restoreCache(onMain, "~", "k v1"), "main")

		// A denial names the rule, and the page shows it.
		setPolicy(w, "default", `{"save":{"scopes":{"branch":true}},"restore":{"scopes":[{"branch":"$current"},{"branch":"main"}]},
			"rules":[{"name":"reviewed","effect":"allow","action":["save","restore"],"when":"claims.build_branch == \"main\""},
			{"name":"no features","effect":"deny","action":["save","restore"],"when":"claims.build_branch == \"feature\""}]}`)
		for _, call := range [][2]string{{"POST", "peek"}, {"PUT", "commit"}} {
			answer := sendCache(feature, call[0], "~/"+call[1], cacheRequest("k v1"))
			answer.WantMessage(t, http.StatusForbidden, `The cache registry's policy denies this save: rule 2 "no features" denies it`)
		}
		storeCache(feature, "~", "k", "c").WantMessage(t, http.StatusForbidden, `The cache registry's policy denies this save: rule 2 "no features" denies it`)
		sendCache(feature, http.MethodPost, "~/retrieve", cacheRequest("k v1")).WantMessage(t, http.StatusForbidden,
			`The cache registry's policy denies this restore: none of the entries that restore.scopes offers is allowed; {"branch":"feature"}: rule 2 "no features" denies it; {"branch":"main"}: rule 2 "no features" denies it`)
		sendCache(feature, http.MethodPost, "~/expire", cacheRequest("k v1")).Want(t, http.StatusOK)

		// A policy that changes between the upload and its commit counts.
		stored := storeCache(onMain, "~", "k late", "late").Want(t, http.StatusOK)
		setPolicy(w, "default", "null")
		commitCache(onMain, "~", stored).WantMessage(t, http.StatusForbidden, "The cache registry's policy denies this save: there is no policy")
		sendCache(onMain, http.MethodPost, "~/retrieve", cacheRequest("k v1")).WantMessage(t, http.StatusForbidden, "The cache registry's policy denies this restore: there is no policy")
		sendCache(onMain, http.MethodGet, "~", nil).Want(t, http.StatusOK)

		storeNotes(w)
		decisions, err := w.Caches.CacheDecisions(t.Context(), running.Admin, running.JobRef(feature.ID))
		if err != nil || len(decisions) == 0 {
			t.Fatal(decisions, err)
		}
		denial := decisions[0]
		if denial.Allowed || denial.Request != domain.CacheExpire || denial.Rule != `rule 2 "no features"` || denial.Branch != "feature" || denial.Entry != `{"branch":"feature"}` ||
			!strings.Contains(denial.Explanation, `rule 1 "reviewed" (allow): its condition is false`) || len(denial.Key) != 2 || denial.Outcome != domain.CacheDenied {
			t.Errorf("the latest decision is %+v", denial)
		}
		if got := w.Text(`SELECT CAST(hits + fallbacks AS TEXT) || ' ' || CAST(denials AS TEXT) || ' ' || CAST(saves AS TEXT) FROM cache_days`); got != "8 7 3" {
			t.Errorf("the day is %s", got)
		}
	})
}

// TestCacheDecisionsAreBounded keeps a busy registry's page small, and a flood of restores from hiding a denial.
func TestCacheDecisionsAreBounded(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		j := jobOn(w, w.Pipeline("steps: [{command: c}]"))
		setPolicy(w, "default", `{"restore":{"scopes":[{}]},"rules":[{"effect":"allow","action":"restore"}]}`)
		sendCache(j, http.MethodPost, "~/peek", cacheRequest("k")).Want(t, http.StatusForbidden)
		for range 3 {
			for range 60 {
				wantCache(t, "nothing", restoreCache(j, "~", "k"), "")
			}
			storeNotes(w)
		}
		rows := w.Read(2, `SELECT outcome, CAST(count(*) AS TEXT) FROM cache_decisions GROUP BY outcome ORDER BY outcome`)
		if got := fmt.Sprint(rows); got != "[[denied 1] [miss 100]]" {
			t.Errorf("what is kept is %s", got)
		}
		if got := w.Text(`SELECT CAST(misses AS TEXT) FROM cache_days`); got != "180" {
			t.Errorf("%s misses were counted", got)
		}
	})
}

// TestTheCacheStoreReachesTheJob looks at the variable that tells an agent where entries are.
func TestTheCacheStoreReachesTheJob(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		gems := newRegistry(w, running.Cluster, "Gems")
		newRegistry(w, running.Cluster, "Plain")
		elsewhere := newRegistry(w, running.SecondCluster, "Elsewhere")
		main := w.Text(`SELECT default_cache_registry_id FROM clusters WHERE id = $1`, running.Cluster)
		for id, address := range map[string]string{gems: "s3://gems/p?region=eu-central-1", main: "nsc://default", elsewhere: "s3://elsewhere"} {
			cluster := w.Text(`SELECT cluster_id FROM cache_registries WHERE id = $1`, id)
			if _, err := w.Service.SetCacheStore(t.Context(), running.Admin, running.ClusterRef(cluster), id, core.Value(domain.CacheStoreInput{URL: domain.Some(address)}), nil); err != nil {
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
			j := jobOn(w, w.Pipeline("steps: [{command: c, env: {"+test.env+"}}]"))
			if got, _ := j.Env()["BUILDKITE_AGENT_CACHE_STORE_URL"].(string); got != test.want {
				t.Errorf("%s: the store is %q, not %q", test.env, got, test.want)
			}
			j.Finish(0).Want(t, http.StatusOK)
		}
	})
}

// TestJobsCannotReachOthersCacheEntries is a job that tries to reach what is not its own, by every field that it controls.
func TestJobsCannotReachOthersCacheEntries(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		own, other := w.Pipeline("steps: [{command: c}]"), w.Pipeline("steps: [{command: c}]")
		setPolicy(w, "default", perBranch)
		foreign := newRegistry(w, running.SecondCluster, "Foreign")
		victim, neighbour := jobOn(w, own, onBranch("release")), jobOn(w, other, onBranch("evil"))
		saveCache(victim, "~", "k v1", "secret")
		saveCache(neighbour, "~", "k v1", "neighbour")
		hostile := jobOn(w, own, onBranch("evil"), func(in *domain.BuildInput) {
			in.Env = map[string]string{"BUILDKITE_BRANCH": "release", "BUILDKITE_PIPELINE_SLUG": other, "BUILDKITE_TAG": "v1", "BUILDKITE_BUILD_NUMBER": "1"}
			in.MetaData = map[string]string{"branch": "release"}
		})
		body := cacheRequest("k v1")
		for _, name := range []string{"scopes", "scope", "scope_branch", "branch", "entry", "claims", "build_branch", "pipeline", "set_id", "registry", "job_id", "id", "save", "restore"} {
			for _, value := range []any{"release", map[string]string{"branch": "release", "pipeline": own}, []map[string]string{{"branch": "release"}}, victim.ID} {
				body[name] = value
				if status := sendCache(hostile, http.MethodPost, "~/retrieve?branch=release&"+name+"=release", body).Status; status != http.StatusNotFound {
					t.Errorf("%s %v: %d", name, value, status)
				}
				if status := sendCache(hostile, http.MethodPost, "~/peek?"+name+"=release", body).Status; status != http.StatusNotFound {
					t.Errorf("%s %v: %d", name, value, status)
				}
			}
		}
		for _, header := range []string{"X-Buildkite-Branch", "X-Branch", "Buildkite-Branch", "X-Forwarded-User"} {
			w.Send(http.MethodPost, "cache_registries/~/retrieve", hostile.Token, cacheRequest("k v1"), header, "release").Want(t, http.StatusNotFound)
		}
		for _, key := range []string{"release k v1", "k v1 release", `{"branch":"release"} k v1`, "k? v1?", "k v1?"} {
			wantCache(t, key, restoreCache(hostile, "~", key), "")
		}
		for _, paths := range [][]string{{"../release/node_modules"}, {"node_modules", "release"}, {"release\x01node_modules"}, {"%"}, {"*"}, {"node_modules' OR 1=1 --"}} {
			wantCache(t, fmt.Sprint(paths), restoreCache(hostile, "~", "k v1", paths...), "")
		}
		// Registries of other clusters are not there, by any name.
		for _, name := range []string{"foreign", foreign, "Foreign", "default%2F..%2Fforeign", "..%2Fforeign", running.SecondCluster, running.Cluster, strings.ToUpper("~x"), "%7E%7E"} {
			sendCache(hostile, http.MethodGet, name, nil).Want(t, http.StatusNotFound)
			sendCache(hostile, http.MethodPost, name+"/retrieve", cacheRequest("k v1")).Want(t, http.StatusNotFound)
		}
		// Nor can it commit what others began, or remove what is theirs.
		stored := storeCache(victim, "~", "k v2", "begun").Want(t, http.StatusOK)
		commitCache(hostile, "~", stored).Want(t, http.StatusNotFound)
		wantCache(t, "what another job committed", restoreCache(victim, "~", "k v2"), "")
		sendCache(hostile, http.MethodPost, "~/expire", body).Want(t, http.StatusOK)
		saveCache(hostile, "~", "k v1", "evil")
		sendCache(hostile, http.MethodPost, "~/expire", body).Want(t, http.StatusOK)
		wantCache(t, "the victim", restoreCache(victim, "~", "k v1"), "secret")
		wantCache(t, "the neighbour", restoreCache(neighbour, "~", "k v1"), "neighbour")
		w.Send(http.MethodPost, "cache_registries/~/retrieve", hostile.Agent.Session, cacheRequest("k v1")).Want(t, http.StatusUnauthorized)
		w.Send(http.MethodPost, "cache_registries/~/retrieve", hostile.Token, cacheRequest("k v1"), "Authorization", "Bearer "+hostile.Token).Want(t, http.StatusUnauthorized)
	})
}
