package scenarios

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"penstock/internal/testkit/agent"
	"penstock/internal/testkit/s3server"
)

// cacheScript saves or restores a directory, in a place of its own. What is to be cached depends on LOCK, as a lock file would have it.
const cacheScript = `
set -e
mkdir -p "$HOME/work" && cd "$HOME/work"
cat >cache.yml <<'END'
caches:
  - name: packages
    cache_key: [packages, {agent: os, fallback_limit: true}, {checksum: lock}]
    target_paths: [packages]
END
echo "$LOCK" >lock
rm -rf packages
case "$DO" in
save)
	mkdir packages && echo "$CONTENT" >packages/content
	buildkite-agent cache save --no-color --cache-config-file cache.yml 2>&1
	;;
restore)
	buildkite-agent cache restore --no-color --cache-config-file cache.yml 2>&1
	echo "restored: $(cat packages/content 2>/dev/null || echo nothing)."
	;;
esac
`

// cacheTrial is a pipeline whose jobs save and restore, with an agent that runs them.
type cacheTrial struct {
	s        *installation
	agent    *agent.Agent
	store    string
	registry string
	pipeline string
}

func (s *installation) newCacheTrial(env ...string) *cacheTrial {
	s.t.Helper()
	c := &cacheTrial{s: s, agent: s.startAgent(agent.Options{Env: env})}
	writeHome(s.t, c.agent, "script.sh", cacheScript)
	c.store = filepath.Join(c.agent.Home, "store")
	var registries struct{ Items []struct{ UUID string } }
	s.ask(http.MethodGet, inCluster+"/cache-registries", "", http.StatusOK, &registries)
	c.registry = registries.Items[0].UUID
	c.pipeline = c.newPipeline("cache")
	return c
}

// newPipeline makes a pipeline whose one step has a key.
func (c *cacheTrial) newPipeline(key string) string {
	c.s.t.Helper()
	return c.s.createPipeline("env: {BUILDKITE_AGENT_CACHE_STORE_URL: 'file://" + c.store + "'}\nsteps: [{label: cache, key: " + key + ", command: 'sh \"$$HOME/script.sh\"'}]")
}

func (c *cacheTrial) setPolicy(policy string) {
	c.s.t.Helper()
	c.s.ask(http.MethodPatch, inCluster+"/cache-registries/"+c.registry, `{"policy":`+policy+`}`, http.StatusOK, nil)
}

// run runs a build of the branch that does something, and returns whether it passed, and its log.
func (c *cacheTrial) run(pipeline, branch, do, lock, content string) (passed bool, log string) {
	c.s.t.Helper()
	env, err := json.Marshal(map[string]string{"DO": do, "LOCK": lock, "CONTENT": content})
	if err != nil {
		c.s.t.Fatal(err)
	}
	b := c.s.createBuild(pipeline, "branch", `"`+branch+`"`, "env", string(env))
	var now buildAnswer
	eventually(c.s.t, "the build ends", func() bool {
		now = b.read()
		return now.FinishedAt != nil
	})
	return now.State == "passed", c.s.logOf(now.job("cache").ID)
}

// want runs a build, which must pass and write all of these.
func (c *cacheTrial) want(pipeline, branch, do, lock, content string, texts ...string) {
	c.s.t.Helper()
	passed, log := c.run(pipeline, branch, do, lock, content)
	if !passed {
		c.s.t.Fatalf("%s on %s failed:\n%s", do, branch, log)
	}
	wantTexts(c.s.t, do+" on "+branch, log, texts)
}

// wantDenied runs a build that the policy keeps from what it does.
func (c *cacheTrial) wantDenied(pipeline, branch, do string) {
	c.s.t.Helper()
	passed, log := c.run(pipeline, branch, do, "1", "never")
	if passed {
		c.s.t.Errorf("%s on %s is allowed:\n%s", do, branch, log)
	}
	wantTexts(c.s.t, do+" on "+branch, log, []string{"403"})
}

func wantTexts(t testing.TB, what, log string, texts []string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(log, text) {
			t.Errorf("%s: no %q in\n%s", what, text, log)
		}
	}
}

// 16: caches with the real agent: an exact key, a part of it, content that is gone, and a policy that denies.
func TestCachesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		c := s.newCacheTrial()
		c.setPolicy(workedPolicy(t, "### Per branch, with a fallback to main"))
		p := c.pipeline
		c.want(p, "main", "restore", "1", "", "Cache not restored (not found)", "restored: nothing.")
		c.want(p, "main", "save", "1", "one", "Cache created")
		c.want(p, "main", "save", "1", "other", "Cache already exists, not saving")
		c.want(p, "main", "restore", "1", "", "Cache restored", "restored: one.")
		c.want(p, "feature", "restore", "1", "", "restored: one.")
		c.want(p, "feature", "restore", "2", "", "fallback_used=true", "restored: one.")
		c.want(p, "feature", "save", "1", "two", "Cache created")
		c.want(p, "feature", "restore", "1", "", "restored: two.")
		c.want(p, "main", "restore", "1", "", "restored: one.")

		// Without its content an entry is a miss, and goes, so that the next save brings it back. A branch leaves the entry of main alone.
		if err := os.RemoveAll(c.store); err != nil {
			t.Fatal(err)
		}
		c.want(p, "other", "restore", "1", "", "Cache not restored", "restored: nothing.")
		if entries := s.texts(`SELECT scope_branch FROM cache_entries ORDER BY scope_branch`); strings.Join(entries, " ") != "feature main" {
			t.Errorf("the entries are those of %v", entries)
		}
		c.want(p, "main", "restore", "1", "", "Cache not restored", "restored: nothing.")
		if entries := s.texts(`SELECT scope_branch FROM cache_entries`); strings.Join(entries, " ") != "feature" {
			t.Errorf("the entries are those of %v", entries)
		}
		c.want(p, "main", "save", "1", "three", "Cache created")
		c.want(p, "main", "restore", "1", "", "restored: three.")

		c.setPolicy("null")
		c.wantDenied(p, "main", "save")
		c.wantDenied(p, "main", "restore")
		eventually(t, "the denials are shown", func() bool {
			denials := s.texts(`SELECT request, reason FROM cache_decisions WHERE NOT is_allowed ORDER BY id`)
			return strings.Join(denials, ", ") == "peek, there is no policy, retrieve, there is no policy"
		})
	})
}

// workedPolicy returns the policy of docs/policies.md below a heading.
func workedPolicy(t testing.TB, heading string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/policies.md")
	if err != nil {
		t.Fatal(err)
	}
	_, below, found := strings.Cut(string(text), heading+"\n")
	_, below, hasPolicy := strings.Cut(below, "```json policy\n")
	policy, _, _ := strings.Cut(below, "```")
	if !found || !hasPolicy {
		t.Fatalf("docs/policies.md has no policy below %s", heading)
	}
	return policy
}

// 16: the worked policies, with real saves and restores.
func TestWorkedCachePolicies(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, s *installation) {
		c := s.newCacheTrial()
		p := c.pipeline

		c.setPolicy(workedPolicy(t, "### Pull requests restore but never save"))
		c.wantDenied(p, "contributor:patch-1", "save")
		c.want(p, "contributor:patch-1", "restore", "1", "", "restored: nothing.")
		c.want(p, "main", "save", "1", "reviewed", "Cache created")
		c.want(p, "contributor:patch-1", "restore", "1", "", "restored: reviewed.")
		c.want(p, "release/1.4", "restore", "1", "", "restored: reviewed.")
		c.wantDenied(p, "contributor:patch-1", "save")

		// Entries of one build are of no use to another, and only certain steps save.
		c.setPolicy(workedPolicy(t, "### Deny by default"))
		c.wantDenied(p, "main", "save")
		c.want(p, "main", "restore", "1", "", "restored: nothing.")
		filling := c.newPipeline("cache-gems")
		c.want(filling, "main", "save", "1", "of a build", "Cache created")
		c.want(filling, "main", "restore", "1", "", "restored: nothing.")

		c.setPolicy(workedPolicy(t, "### One pipeline only"))
		c.wantDenied(p, "main", "save")
		c.wantDenied(p, "main", "restore")

		c.setPolicy(workedPolicy(t, "### Share everything"))
		c.want(p, "any", "save", "1", "shared", "Cache created")
		c.want(filling, "other", "restore", "1", "", "restored: shared.")
	})
}

// 16: the registry's store reaches the agent, which keeps the content there by itself.
func TestCachesInABucket(t *testing.T) {
	t.Parallel()
	bucket := s3server.Start(t)
	eachEngine(t, func(t *testing.T, s *installation) {
		name := "caches-" + strings.ToLower(filepath.Base(t.Name()))
		bucket.MakeBucket(t, name)
		c := s.newCacheTrial("AWS_ACCESS_KEY_ID="+s3server.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+s3server.SecretKey)
		s.change(`UPDATE cache_registries SET cache_store = $2 WHERE id = $1`, c.registry, "s3://"+name+"/penstock?region="+s3server.Region+"&use_path_style=true&endpoint="+bucket.Endpoint)
		p := s.createPipeline(`steps: [{label: cache, command: 'sh "$$HOME/script.sh"'}]`)
		c.want(p, "main", "save", "1", "in a bucket", "Cache created")
		if keys := bucket.Keys(t, name); len(keys) != 1 || !strings.HasPrefix(keys[0], "penstock/") {
			t.Errorf("the bucket has %v", keys)
		}
		c.want(p, "main", "restore", "1", "", "restored: in a bucket.")
	})
}
