package agentapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/starts"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

// newRule makes a rule between pipelines, by their slugs.
func newRule(w *running.Server, kind domain.RuleType, source, target string, conditions ...string) domain.RuleView {
	w.T.Helper()
	rule, err := starts.New(starts.Options{Core: w.Core}).CreateRule(w.T.Context(), running.Admin, domain.OrganizationRef{Slug: "acme-inc"}, core.Value(domain.RuleInput{Type: domain.Some(string(kind)),
		Value: domain.Some(domain.RuleValue{SourcePipeline: domain.Some(source), TargetPipeline: domain.Some(target), Conditions: domain.Some(conditions)})}))
	if err != nil {
		w.T.Fatal(err)
	}
	return rule
}

// TestRulesForTriggers lets a build trigger another cluster's pipeline by a rule, and none that a rule's condition leaves out.
func TestRulesForTriggers(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{Loops: true}, func(t *testing.T, w *running.Server) {
		ends := func(b domain.Build, state string) {
			t.Helper()
			running.Until(t, "the build is "+state, func() bool { return w.BuildState(b) == state })
		}
		reason := func(b domain.Build) string {
			return w.Text(`SELECT detail FROM job_runs WHERE build_id = $1`, b.ID)
		}
		elsewhere := func(in *domain.PipelineInput) { in.ClusterID = domain.Some(running.SecondCluster) }
		deploy := w.Pipeline("steps: [{command: c}]", elsewhere)
		app := w.Pipeline("steps: [{trigger: " + deploy + ", label: go, async: true, build: {branch: release, message: Deploy it}}]")
		refused := w.Build(app)
		ends(refused, "failed")
		if got := reason(refused); !strings.Contains(got, "no rule pipeline.trigger_build.pipeline allows") {
			t.Errorf("the refusal is %s", got)
		}
		newRule(w, domain.TriggerBuildRule, app, deploy, `source.build.branch == "main"`, `target.trigger.branch == "release" && target.trigger.message =~ /deploy/i`, `target.trigger.commit == "HEAD"`)
		ends(w.Build(app), "passed")

		// A rule whose condition does not hold refuses what was allowed without it, and names itself and the condition.
		near := w.Pipeline("steps: [{command: c}]")
		to := w.Pipeline("steps: [{trigger: " + near + ", label: go, async: true}]")
		ends(w.Build(to), "passed")
		rule := newRule(w, domain.TriggerBuildRule, to, near, `source.build.branch == "release"`)
		left := w.Build(to)
		ends(left, "failed")
		if got := reason(left); !strings.Contains(got, string(rule.ID)) || !strings.Contains(got, "`source.build.branch == \"release\"`") {
			t.Errorf("the refusal is %s", got)
		}
		// One of several is enough.
		newRule(w, domain.TriggerBuildRule, to, near, `source.pipeline.slug == "`+near+`"`)
		ends(w.Build(to), "failed")
		newRule(w, domain.TriggerBuildRule, to, near, `source.build.env("BUILDKITE_PIPELINE_SLUG") == "`+to+`"`, `source.pipeline.slug == "`+to+`"`)
		ends(w.Build(to), "passed")

		// A build that was triggered counts as one of the branch of the first build.
		last := w.Pipeline("steps: [{command: c}]", elsewhere)
		middle := w.Pipeline("steps: [{trigger: " + last + ", label: go, async: true}]")
		first := w.Pipeline("steps: [{trigger: " + middle + ", label: go, build: {branch: release}}]")
		newRule(w, domain.TriggerBuildRule, middle, last, `source.build.branch == "release"`)
		ends(w.Build(first), "failed")
		newRule(w, domain.TriggerBuildRule, middle, last, `source.build.branch == "main"`)
		ends(w.Build(first), "passed")
	})
}

// TestRulesForArtifacts searches artifacts of other pipelines' builds, in the same cluster and in another.
func TestRulesForArtifacts(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		far := w.Pipeline("steps: [{command: c}]", func(in *domain.PipelineInput) { in.ClusterID = domain.Some(running.SecondCluster) })
		near, app := w.Pipeline("steps: [{wait: ~}]"), w.Pipeline("steps: [{command: c, label: mine}]")
		there, here := w.Build(far), w.Build(near)
		w.Build(app)
		j := a.StartJobWith("mine")
		search := func(b domain.Build, status int) string {
			t.Helper()
			answer := w.Send(http.MethodGet, "builds/"+string(b.ID)+"/artifacts/search?state=finished&query="+url.QueryEscape("*.txt"), j.Token, nil).Want(t, status)
			return string(answer.Body)
		}
		search(here, http.StatusOK)
		search(there, http.StatusNotFound)
		newRule(w, domain.ArtifactsReadRule, app, far, `source.build.branch == target.build.branch`, `source.request.query == "*.txt"`)
		search(there, http.StatusOK)
		rule := newRule(w, domain.ArtifactsReadRule, app, near, `source.request.query == "*.zip"`)
		if got := search(here, http.StatusForbidden); !strings.Contains(got, string(rule.ID)) || !strings.Contains(got, "*.zip") {
			t.Errorf("the refusal is %s", got)
		}
	})
}

// TestRulesSeeTheOrigin has a branch trigger a build as main, which asks to trigger another one and to read its artifacts: it counts as of the branch that
// began it, and so does a rebuild of it, and what is left of it once that is deleted.
func TestRulesSeeTheOrigin(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{Loops: true}, func(t *testing.T, w *running.Server) {
		steps := "steps: [{command: c, label: a}]"
		slug, target := w.Pipeline(steps), w.Pipeline("steps: [{wait: ~}]")
		there := w.Build(target)
		for _, kind := range []domain.RuleType{domain.TriggerBuildRule, domain.ArtifactsReadRule} {
			newRule(w, kind, slug, target, `source.build.branch == "main"`, `source.build.tag == null`, `source.build.env("BUILDKITE_BRANCH") == "main"`)
		}
		asks := func(what string, j *running.Job, allowed bool) {
			t.Helper()
			status := map[bool]int{true: http.StatusOK, false: http.StatusForbidden}[allowed]
			if got := w.Send(http.MethodGet, "builds/"+string(there.ID)+"/artifacts/search?state=finished&query=*.txt", j.Token, nil); got.Status != status {
				t.Errorf("%s searches artifacts: %s", what, got)
			}
			j.Upload(`{"steps": [{"trigger": "`+target+`", "label": "go", "async": true, "depends_on": null, "build": {"branch": "main"}}]}`).Want(t, http.StatusOK)
			const how = `SELECT jr.state || ' ' || COALESCE(jr.outcome, '') || ' ' || COALESCE(jr.detail, '') FROM job_runs jr JOIN jobs j ON j.id = jr.job_id
				WHERE j.kind = 'trigger' AND j.build_id = (SELECT build_id FROM jobs WHERE id = $1)`
			running.Until(t, what+" has triggered", func() bool { return strings.HasPrefix(w.Text(how, j.ID), "finished") })
			if got := w.Text(how, j.ID); strings.Contains(got, "does not allow it") == allowed {
				t.Errorf("%s triggers: %s", what, got)
			}
		}
		buildID := func(j *running.Job) domain.BuildID {
			return domain.BuildID(w.Text(`SELECT build_id FROM jobs WHERE id = $1`, j.ID))
		}
		rebuild := func(j *running.Job) *running.Job {
			t.Helper()
			if _, err := w.Builds.RebuildBuild(t.Context(), running.Admin, domain.BuildRef{ID: buildID(j)}, domain.SourceUI); err != nil {
				t.Fatal(err)
			}
			return nextJob(w)
		}
		own := jobOn(w, slug)
		asks("main", own, true)
		asks("main, rebuilt", rebuild(own), true)
		evil := jobOn(w, slug, onBranch("evil"))
		triggered := triggerBuild(evil, slug, "main", "HEAD")
		rebuilt, left := rebuild(triggered), triggerBuild(evil, slug, "main", "HEAD")
		asks("what evil triggered", triggered, false)
		asks("what evil triggered, rebuilt", rebuilt, false)
		evil.Finish(0).Want(t, http.StatusOK)
		testkit.Exec(t, w.DB, `DELETE FROM builds WHERE id = '`+string(buildID(evil))+`'`)
		asks("what evil triggered, which is gone", left, false)
		asks("that, rebuilt", rebuild(left), false)
		tagged := jobOn(w, slug, func(in *domain.BuildInput) { in.Tag = "v1" })
		asks("what a tag triggered", triggerBuild(tagged, slug, "main", "HEAD"), false)
	})
}
