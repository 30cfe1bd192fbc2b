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
)

// newRule makes a rule between pipelines, by their slugs.
func (w *world) newRule(kind domain.RuleType, source, target string, conditions ...string) domain.RuleView {
	w.t.Helper()
	rule, err := starts.New(starts.Options{Core: w.core}).CreateRule(w.t.Context(), admin, domain.OrganizationRef{Slug: "acme-inc"}, core.Value(domain.RuleInput{Type: domain.Some(string(kind)),
		Value: domain.Some(domain.RuleValue{SourcePipeline: domain.Some(source), TargetPipeline: domain.Some(target), Conditions: domain.Some(conditions)})}))
	if err != nil {
		w.t.Fatal(err)
	}
	return rule
}

// TestRulesForTriggers lets a build trigger another cluster's pipeline by a rule, and none that a rule's condition leaves out.
func TestRulesForTriggers(t *testing.T) {
	t.Parallel()
	eachWorldWith(t, options{loops: true}, func(t *testing.T, w *world) {
		ends := func(b domain.Build, state string) {
			t.Helper()
			until(t, "the build is "+state, func() bool { return w.buildState(b) == state })
		}
		reason := func(b domain.Build) string {
			return w.text(`SELECT detail FROM job_runs WHERE build_id = $1`, b.ID)
		}
		elsewhere := func(in *domain.PipelineInput) { in.ClusterID = domain.Some(elsewhereID) }
		deploy := w.pipeline("steps: [{command: c}]", elsewhere)
		app := w.pipeline("steps: [{trigger: " + deploy + ", label: go, async: true, build: {branch: release, message: Deploy it}}]")
		refused := w.build(app)
		ends(refused, "failed")
		if got := reason(refused); !strings.Contains(got, "no rule pipeline.trigger_build.pipeline allows") {
			t.Errorf("the refusal is %s", got)
		}
		w.newRule(domain.TriggerBuildRule, app, deploy, `source.build.branch == "main"`, `target.trigger.branch == "release" && target.trigger.message =~ /deploy/i`, `target.trigger.commit == "HEAD"`)
		ends(w.build(app), "passed")

		// A rule whose condition does not hold refuses what was allowed without it, and names itself and the condition.
		near := w.pipeline("steps: [{command: c}]")
		to := w.pipeline("steps: [{trigger: " + near + ", label: go, async: true}]")
		ends(w.build(to), "passed")
		rule := w.newRule(domain.TriggerBuildRule, to, near, `source.build.branch == "release"`)
		left := w.build(to)
		ends(left, "failed")
		if got := reason(left); !strings.Contains(got, string(rule.ID)) || !strings.Contains(got, "`source.build.branch == \"release\"`") {
			t.Errorf("the refusal is %s", got)
		}
		// One of several is enough.
		w.newRule(domain.TriggerBuildRule, to, near, `source.pipeline.slug == "`+near+`"`)
		ends(w.build(to), "failed")
		w.newRule(domain.TriggerBuildRule, to, near, `source.build.env("BUILDKITE_PIPELINE_SLUG") == "`+to+`"`, `source.pipeline.slug == "`+to+`"`)
		ends(w.build(to), "passed")

		// A build that was triggered counts as one of the branch of the first build.
		last := w.pipeline("steps: [{command: c}]", elsewhere)
		middle := w.pipeline("steps: [{trigger: " + last + ", label: go, async: true}]")
		first := w.pipeline("steps: [{trigger: " + middle + ", label: go, build: {branch: release}}]")
		w.newRule(domain.TriggerBuildRule, middle, last, `source.build.branch == "release"`)
		ends(w.build(first), "failed")
		w.newRule(domain.TriggerBuildRule, middle, last, `source.build.branch == "main"`)
		ends(w.build(first), "passed")
	})
}

// TestRulesForArtifacts searches artifacts of other pipelines' builds, in the same cluster and in another.
func TestRulesForArtifacts(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		far := w.pipeline("steps: [{command: c}]", func(in *domain.PipelineInput) { in.ClusterID = domain.Some(elsewhereID) })
		near, app := w.pipeline("steps: [{wait: ~}]"), w.pipeline("steps: [{command: c, label: mine}]")
		there, here := w.build(far), w.build(near)
		w.build(app)
		j := a.takeLabel("mine")
		search := func(b domain.Build, status int) string {
			t.Helper()
			answer := w.send(http.MethodGet, "builds/"+string(b.ID)+"/artifacts/search?state=finished&query="+url.QueryEscape("*.txt"), j.token, nil).Want(t, status)
			return string(answer.Body)
		}
		search(here, http.StatusOK)
		search(there, http.StatusNotFound)
		w.newRule(domain.ArtifactsReadRule, app, far, `source.build.branch == target.build.branch`, `source.request.query == "*.txt"`)
		search(there, http.StatusOK)
		rule := w.newRule(domain.ArtifactsReadRule, app, near, `source.request.query == "*.zip"`)
		if got := search(here, http.StatusForbidden); !strings.Contains(got, string(rule.ID)) || !strings.Contains(got, "*.zip") {
			t.Errorf("the refusal is %s", got)
		}
	})
}

// TestRulesSeeTheOrigin has a branch trigger a build as main, which asks to trigger another one and to read its artifacts: it counts as of the branch that
// began it, and so does a rebuild of it, and what is left of it once that is deleted.
func TestRulesSeeTheOrigin(t *testing.T) {
	t.Parallel()
	eachWorldWith(t, options{loops: true}, func(t *testing.T, w *world) {
		steps := "steps: [{command: c, label: a}]"
		slug, target := w.pipeline(steps), w.pipeline("steps: [{wait: ~}]")
		there := w.build(target)
		for _, kind := range []domain.RuleType{domain.TriggerBuildRule, domain.ArtifactsReadRule} {
			w.newRule(kind, slug, target, `source.build.branch == "main"`, `source.build.tag == null`, `source.build.env("BUILDKITE_BRANCH") == "main"`)
		}
		asks := func(what string, j *takenJob, allowed bool) {
			t.Helper()
			status := map[bool]int{true: http.StatusOK, false: http.StatusForbidden}[allowed]
			if got := w.send(http.MethodGet, "builds/"+string(there.ID)+"/artifacts/search?state=finished&query=*.txt", j.token, nil); got.Status != status {
				t.Errorf("%s searches artifacts: %s", what, got)
			}
			j.upload(`{"steps": [{"trigger": "`+target+`", "label": "go", "async": true, "depends_on": null, "build": {"branch": "main"}}]}`).Want(t, http.StatusOK)
			const how = `SELECT jr.state || ' ' || COALESCE(jr.outcome, '') || ' ' || COALESCE(jr.detail, '') FROM job_runs jr JOIN jobs j ON j.id = jr.job_id
				WHERE j.kind = 'trigger' AND j.build_id = (SELECT build_id FROM jobs WHERE id = $1)`
			until(t, what+" has triggered", func() bool { return strings.HasPrefix(w.text(how, j.id), "finished") })
			if got := w.text(how, j.id); strings.Contains(got, "does not allow it") == allowed {
				t.Errorf("%s triggers: %s", what, got)
			}
		}
		buildID := func(j *takenJob) domain.BuildID {
			return domain.BuildID(w.text(`SELECT build_id FROM jobs WHERE id = $1`, j.id))
		}
		rebuild := func(j *takenJob) *takenJob {
			t.Helper()
			if _, err := w.builds.RebuildBuild(t.Context(), admin, domain.BuildRef{ID: buildID(j)}, domain.SourceUI); err != nil {
				t.Fatal(err)
			}
			return w.nextJob()
		}
		own := w.jobOn(slug)
		asks("main", own, true)
		asks("main, rebuilt", rebuild(own), true)
		evil := w.jobOn(slug, onBranch("evil"))
		triggered := evil.trigger(w, slug, "main", "HEAD")
		rebuilt, left := rebuild(triggered), evil.trigger(w, slug, "main", "HEAD")
		asks("what evil triggered", triggered, false)
		asks("what evil triggered, rebuilt", rebuilt, false)
		evil.finish(0).Want(t, http.StatusOK)
		testkit.Exec(t, w.db, `DELETE FROM builds WHERE id = '`+string(buildID(evil))+`'`)
		asks("what evil triggered, which is gone", left, false)
		asks("that, rebuilt", rebuild(left), false)
		tagged := w.jobOn(slug, func(in *domain.BuildInput) { in.Tag = "v1" })
		asks("what a tag triggered", tagged.trigger(w, slug, "main", "HEAD"), false)
	})
}
