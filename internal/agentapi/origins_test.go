package agentapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/starts"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// jobClaims returns what a job's identity token says.
func jobClaims(t *testing.T, j *running.Job) map[string]any {
	t.Helper()
	return claimsOf(t, j.Send(http.MethodPost, "/oidc/tokens", map[string]any{}).Want(t, http.StatusOK).Text("token"))
}

// triggerBuild has a job create a build of a pipeline by a trigger step, and returns the first job of that build.
func triggerBuild(j *running.Job, target, branch, commit string) *running.Job {
	w := j.Agent.S
	w.T.Helper()
	j.Upload(`{"steps": [{"trigger": "`+target+`", "async": true, "depends_on": null, "build": {"branch": "`+branch+`", "commit": "`+commit+`"}}]}`).Want(w.T, http.StatusOK)
	return nextJob(w)
}

// nextJob returns a job of a build that is about to be created, which an agent runs.
func nextJob(w *running.Server) *running.Job {
	w.T.Helper()
	a := w.NewAgent()
	running.Until(w.T, "a job is handed out", func() bool { return a.Ping() != "" })
	return a.StartJob()
}

// TestATriggerStepGivesNoTrust has a job of a feature branch trigger a build of its own pipeline as main: with any commit, and through any number of
// builds, it gets neither main's secrets, nor its cache entries, nor its identity.
func TestATriggerStepGivesNoTrust(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{Loops: true}, func(t *testing.T, w *running.Server) {
		slug := w.Pipeline("steps: [{command: c, label: a, key: k}]")
		newSecret(w, running.Cluster, "PROD", "x", "- pipeline_slug: "+slug+"\n  build_branch: main")
		setPolicy(w, "default", `{"save":{"scopes":{"pipeline":true,"branch":true}},"restore":{"scopes":[{"pipeline":"$current","branch":"$current"}]},
			"rules":[{"effect":"allow","action":["save","restore"]}]}`)
		honest := jobOn(w, slug)
		saveCache(honest, "~", "deps", "honest")
		evil := jobOn(w, slug, onBranch("evil"))
		commit := strings.Repeat("b", 40)
		first := triggerBuild(evil, slug, "main", commit)
		second := triggerBuild(first, slug, "main", commit)
		origin := slug + " #2"
		for what, j := range map[string]*running.Job{"a triggered build": first, "one that it triggers": second} {
			if env := j.Env(); env["BUILDKITE_BRANCH"] != "main" || env["BUILDKITE_COMMIT"] != commit || env["BUILDKITE_SOURCE"] != "trigger_job" {
				t.Fatalf("%s is told %v, %v", what, env["BUILDKITE_BRANCH"], env["BUILDKITE_COMMIT"])
			}
			w.Send("GET", "jobs/"+j.ID+"/secrets?key=PROD", j.Token, nil).WantMessage(t, http.StatusForbidden, "The policy of this secret does not allow this job to read it: "+
				"a trigger step created the build, so it counts as a build of branch evil, that of its origin, "+origin)
			wantCache(t, what, restoreCache(j, "~", "deps"), "")
			claims := jobClaims(t, j)
			if sub := "organization:acme-inc:pipeline:" + slug + ":ref:refs/heads/evil:commit:" + commit + ":step:k"; claims["sub"] != sub || claims["build_branch"] != "evil" ||
				claims["build_source"] != "trigger_job" || claims["build_commit_resolved"] != nil {
				t.Errorf("%s is identified by %v", what, claims)
			}
		}
		saveCache(first, "~", "deps", "evil")
		wantCache(t, "main", restoreCache(honest, "~", "deps"), "honest")
		wantCache(t, "the branch", restoreCache(evil, "~", "deps"), "evil")

		// The decision says as what the build counts.
		setPolicy(w, "default", `{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[{"name":"main","effect":"allow","action":["save"],"when":"claims.build_branch == \"main\""}]}`)
		why := "; a trigger step created the build, so it counts as a build of branch evil, that of its origin, " + origin
		if got := storeCache(first, "~", "deps", "x").Want(t, http.StatusForbidden).Message(); !strings.HasSuffix(got, why) {
			t.Errorf("the denial is %q", got)
		}
		storeNotes(w)
		if decisions, err := w.Caches.CacheDecisions(t.Context(), running.Admin, running.JobRef(first.ID)); err != nil || len(decisions) == 0 || !strings.HasSuffix(decisions[0].Reason, why) || decisions[0].Branch != "evil" {
			t.Errorf("the decisions are %+v, %v", decisions, err)
		}

		// A rebuild counts as what it repeats, and so does one whose origin is gone.
		triggered := domain.BuildID(w.Text(`SELECT build_id FROM jobs WHERE id = $1`, first.ID))
		if _, err := w.Builds.RebuildBuild(t.Context(), running.Admin, domain.BuildRef{ID: triggered}, domain.SourceUI); err != nil {
			t.Fatal(err)
		}
		rebuilt := nextJob(w)
		if claims := jobClaims(t, rebuilt); claims["build_branch"] != "evil" || claims["build_source"] != "ui" {
			t.Errorf("a rebuild is identified by %v", claims)
		}
		testkit.Exec(t, w.DB, `UPDATE builds SET origin_build_id = NULL, origin_branch = '' WHERE id = '`+string(triggered)+`'`)
		w.Send("GET", "jobs/"+first.ID+"/secrets?key=PROD", first.Token, nil).WantMessage(t, http.StatusForbidden, "The policy of this secret does not allow this job to read it: "+
			"a trigger step created the build, so it counts as a build of no branch: its origin is gone")
	})
}

// TestOriginsOfBuildsThatWereTriggeredBefore upgrades a database with a chain of triggered builds from before builds had an origin.
func TestOriginsOfBuildsThatWereTriggeredBefore(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{Loops: true}, func(t *testing.T, w *running.Server) {
		slug := w.Pipeline("steps: [{command: c, label: a}]")
		evil := jobOn(w, slug, onBranch("evil"))
		first := triggerBuild(evil, slug, "main", "HEAD")
		second := triggerBuild(first, slug, "main", "HEAD")
		third := triggerBuild(second, slug, "main", "HEAD")
		origin := `SELECT COALESCE(b.origin_branch, 'own') || ' ' || COALESCE(b.origin_build_id, '') FROM builds b JOIN jobs j ON j.build_id = b.id WHERE j.id = $1`
		want := "evil " + w.Text(`SELECT build_id FROM jobs WHERE id = $1`, evil.ID)
		before := w.Text(origin, third.ID)
		// The build between the first and the third one is of a time of which the rest is gone.
		migration := slices.IndexFunc(db.Migrations(), func(m db.Migration) bool { return m.Name == "0029_build_origins" }) + 1
		err := w.DB.Write(t.Context(), func(tx *db.Tx) error {
			for _, sql := range []string{
				`UPDATE builds SET triggered_from_id = 'gone' WHERE id = (SELECT build_id FROM jobs WHERE id = '` + second.ID + `')`,
				`UPDATE jobs SET kind = 'trigger' WHERE id = '` + evil.ID + `'`, `UPDATE job_runs SET signal_reason = 'There is no pipeline x' WHERE job_id = '` + evil.ID + `'`,
				`ALTER TABLE builds DROP COLUMN origin_build_id`, `ALTER TABLE builds DROP COLUMN origin_branch`, `ALTER TABLE builds DROP COLUMN origin_tag`,
				`ALTER TABLE builds DROP COLUMN commit_resolved`, `ALTER TABLE job_runs DROP COLUMN detail`, fmt.Sprintf(`DELETE FROM schema_migrations WHERE version >= %d`, migration),
			} {
				if _, err := tx.Exec(sql); err != nil {
					return err
				}
			}
			_, err := tx.MigrateTo(int64(migration))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for what, test := range map[string]struct{ job, want string }{
			"the origin": {evil.ID, "own "}, "the first": {first.ID, want}, "one whose origin is gone": {second.ID, " "}, "what that triggered": {third.ID, " "},
		} {
			if got := w.Text(origin, test.job); got != test.want || before != want {
				t.Errorf("the origin of %s is %q, not %q; of the third it was %q", what, got, test.want, before)
			}
		}
		if got := w.Text(`SELECT detail || COALESCE(signal_reason, '') FROM job_runs WHERE job_id = $1`, evil.ID); got != "There is no pipeline x" {
			t.Errorf("the reason of a trigger is %q", got)
		}
	})
}

// TestABuildOfTheSameBranchIsTrusted has main trigger a build of main, which changes nothing, and a tag one of a branch, which counts as the tag.
func TestABuildOfTheSameBranchIsTrusted(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{Loops: true}, func(t *testing.T, w *running.Server) {
		slug := w.Pipeline("steps: [{command: c, label: a, key: k}]")
		newSecret(w, running.Cluster, "PROD", "x", "- build_branch: main")
		main := jobOn(w, slug)
		j := triggerBuild(main, slug, "main", "HEAD")
		w.Send("GET", "jobs/"+j.ID+"/secrets?key=PROD", j.Token, nil).Want(t, http.StatusOK)
		if claims := jobClaims(t, j); claims["build_branch"] != "main" || claims["build_tag"] != nil {
			t.Errorf("the build is identified by %v", claims)
		}
		tagged := jobOn(w, slug, func(in *domain.BuildInput) { in.Branch, in.Tag = "main", "main" })
		if claims := jobClaims(t, triggerBuild(tagged, slug, "main", "HEAD")); claims["build_tag"] != "main" || !strings.Contains(claims["sub"].(string), ":ref:refs/tags/main:") {
			t.Errorf("a build that a tag triggered is identified by %v", claims)
		}
	})
}

// TestARuleLetsATriggeredBuildCountAsItsOwn has a branch trigger a build of main by a rule of an administrator, whose condition holds: it counts as main, until
// the rule is deleted.
func TestARuleLetsATriggeredBuildCountAsItsOwn(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{Loops: true}, func(t *testing.T, w *running.Server) {
		app, deploy := w.Pipeline("steps: [{command: c, label: a}]"), w.Pipeline("steps: [{command: c, label: d, key: k}]")
		newSecret(w, running.Cluster, "PROD", "x", "- pipeline_slug: "+deploy+"\n  build_branch: main")
		evil := jobOn(w, app, onBranch("evil"))
		counts := func(what, branch string, status int) *running.Job {
			t.Helper()
			j := triggerBuild(evil, deploy, "main", "HEAD")
			w.Send("GET", "jobs/"+j.ID+"/secrets?key=PROD", j.Token, nil).Want(t, status)
			if claims := jobClaims(t, j); claims["build_branch"] != branch || claims["build_source"] != "trigger_job" {
				t.Errorf("%s is identified by %v", what, claims)
			}
			if env := j.Env(); env["BUILDKITE_BRANCH"] != "main" {
				t.Errorf("%s is told that its branch is %v", what, env["BUILDKITE_BRANCH"])
			}
			return j
		}
		counts("a build without a rule", "evil", http.StatusForbidden)
		rule := newRule(w, domain.TriggerBuildRule, app, deploy, `source.build.branch == "evil"`, `target.trigger.branch == "main"`)
		allowed := counts("a build that a rule allows", "main", http.StatusOK)
		// What it triggers has it for its origin.
		last := w.Pipeline("steps: [{command: c, label: e}]")
		if claims := jobClaims(t, triggerBuild(allowed, last, "release", "HEAD")); claims["build_branch"] != "main" {
			t.Errorf("what it triggers is identified by %v", claims)
		}
		if _, err := starts.New(starts.Options{Core: w.Core}).DeleteRule(t.Context(), running.Admin, running.Organization, string(rule.ID), nil); err != nil {
			t.Fatal(err)
		}
		counts("a build after the rule is deleted", "evil", http.StatusForbidden)
		w.Send("GET", "jobs/"+allowed.ID+"/secrets?key=PROD", allowed.Token, nil).Want(t, http.StatusOK) // it was decided when it was made
	})
}

// TestOnlyABuildsOwnJobResolvesItsCommit has a job of another pipeline try to choose the commit of a build, and then the build's own job say it, once.
func TestOnlyABuildsOwnJobResolvesItsCommit(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		other := jobOn(w, w.Pipeline("steps: [{command: c}]"))
		build := w.Build(w.Pipeline("steps: [{command: c, label: a}]"), func(in *domain.BuildInput) { in.Message = "" })
		shown := func() string {
			return w.Text(`SELECT commit_sha || ' ' || author_name || ' <' || author_email || '> ' || message FROM builds WHERE id = $1`, build.ID)
		}
		before := shown()
		report := map[string]string{"key": "buildkite:git:commit", "value": "commit " + strings.Repeat("d", 40)}
		target := "jobs/" + w.Job(build, "a").ID + "/data/set"
		w.Send(http.MethodPost, target, other.Token, report).WantMessage(t, http.StatusForbidden, "Only a job of the build itself can set buildkite:git:commit")
		w.Send(http.MethodPost, target+"-batch", other.Token, map[string]any{"items": []any{report}}).Want(t, http.StatusForbidden)
		w.Send(http.MethodPost, target, other.Token, map[string]string{"key": "k", "value": "v"}).Want(t, http.StatusOK)
		if shown() != before {
			t.Errorf("another build's job made it %s", shown())
		}
		a := w.NewAgent().StartJobWith("a")
		if claims := jobClaims(t, a); claims["build_commit"] != "HEAD" || claims["build_commit_resolved"] != nil {
			t.Errorf("before its checkout the job is identified by %v", claims)
		}
		own := strings.Repeat("a1", 20)
		for _, value := range []string{
			"commit " + own + "\nabbrev-commit a1a1a1\nAuthor: Ann Lee <ann@example.com>\n\n    Mend it\n    \n    At length.\n",
			"commit " + strings.Repeat("e", 40) + "\nAuthor: Eve <eve@example.com>\n\n    Later\n",
		} {
			a.Send(http.MethodPost, "/data/set", map[string]string{"key": "buildkite:git:commit", "value": value}).Want(t, http.StatusOK)
			if got := shown(); got != own+" Ann Lee <ann@example.com> Mend it" {
				t.Errorf("the checkout made it %s", got)
			}
		}
		if claims := jobClaims(t, a); claims["build_commit"] != own || claims["build_commit_resolved"] != true {
			t.Errorf("after its checkout the job is identified by %v", claims)
		}
		if _, err := w.Builds.RebuildBuild(t.Context(), running.Admin, domain.BuildRef{ID: build.ID}, domain.SourceUI); err != nil {
			t.Fatal(err)
		}
		if claims := jobClaims(t, w.NewAgent().StartJobWith("a")); claims["build_commit"] != own || claims["build_commit_resolved"] != true {
			t.Errorf("the rebuild's job is identified by %v", claims)
		}

		// What a build was created with stays.
		given := w.Build(w.Pipeline("steps: [{command: c, label: x}]"), func(in *domain.BuildInput) {
			in.Commit, in.Message, in.Author = strings.Repeat("c", 40), "Given", domain.Author{Name: "Bo"}
		})
		x := w.NewAgent().StartJobWith("x")
		x.Send(http.MethodPost, "/data/set", map[string]string{"key": "buildkite:git:commit", "value": "commit " + own + "\nAuthor: Ann Lee <ann@example.com>\n\n    Mend it\n"}).Want(t, http.StatusOK)
		if got := w.Text(`SELECT commit_sha || author_name || author_email || message FROM builds WHERE id = $1`, given.ID); got != strings.Repeat("c", 40)+"BoGiven" {
			t.Errorf("a build that was created with all of it became %s", got)
		}
		if claims := jobClaims(t, x); claims["build_commit_resolved"] != nil {
			t.Errorf("the job is identified by %v", claims)
		}
	})
}
