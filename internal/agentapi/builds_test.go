package agentapi_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

func TestFailuresAndWaits(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		stops := w.buildOf("steps: [{command: c, label: a}, {command: c, label: b}, wait, {command: c, label: c}]")
		a.run("a", 7)
		w.wantBuild(stops, "failing")
		a.run("b", 0)
		w.wantStates(stops, "a=finished b=finished =waiting_failed c=waiting_failed")
		w.wantBuild(stops, "failed")
		if j := w.job(stops, "a"); j.Exit != "7" || j.Outcome != "hard_failed" {
			t.Errorf("%v", j)
		}
		goesOn := w.buildOf("steps: [{command: c, label: a}, {wait: null, continue_on_failure: true}, {command: c, label: c}]")
		a.run("a", 7)
		w.wantBuild(goesOn, "failing")
		a.run("c", 0)
		w.wantBuild(goesOn, "failed")

		diamond := w.buildOf(`steps:
  - {command: c, label: top, key: top}
  - {command: c, label: left, key: left, depends_on: top}
  - {command: c, label: right, key: right, depends_on: top, if: "build.branch == 'other'"}
  - {command: c, label: bottom, depends_on: [left, right]}
`)
		w.wantStates(diamond, "top=scheduled left=waiting right=broken bottom=waiting")
		for _, label := range []string{"top", "left", "bottom"} {
			a.run(label, 0)
		}
		a.wantIdle()
		w.wantBuild(diamond, "passed")

		missing := w.buildOf("steps: [{command: c, label: a}, {command: c, label: b, depends_on: never}]")
		a.run("a", 0)
		w.wantStates(missing, "a=finished b=waiting_failed")
		w.wantBuild(missing, "failed")

		none := w.buildOf("steps: [{command: c, label: a, if: \"false\"}, {command: c, label: b, skip: not now}]")
		w.wantBuild(none, "not_run")
	})
}

func TestSoftFailures(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		slug := w.pipeline("steps: [{command: c, label: a, soft_fail: [{exit_status: 3}]}, wait, {command: c, label: b}]")
		soft := w.build(slug)
		a.run("a", 3)
		a.run("b", 0)
		w.wantBuild(soft, "passed")
		if j := w.job(soft, "a"); j.Outcome != "soft_failed" {
			t.Errorf("%v", j)
		}
		hard := w.build(slug)
		a.run("a", 4)
		w.wantBuild(hard, "failed")
	})
}

// TestCancelOfAJobThatMayFail cancels jobs whose step may fail: while they run, before they run, and with their whole build.
func TestCancelOfAJobThatMayFail(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		cancelJob := func(id string) {
			t.Helper()
			if _, err := w.builds.CancelJob(t.Context(), admin, w.jobRef(id)); err != nil {
				t.Fatal(err)
			}
		}
		slug := w.pipeline("steps: [{command: c, label: a, soft_fail: true}, wait, {command: c, label: b}]")
		running := w.build(slug)
		j := a.takeLabel("a")
		j.start().Want(t, http.StatusOK)
		cancelJob(j.id)
		j.finish(-1).Want(t, http.StatusOK)
		w.wantStates(running, "a=canceled =finished b=scheduled")
		a.run("b", 0)
		w.wantBuild(running, "passed")
		if got := w.job(running, "a").Outcome; got != "soft_failed" || w.text(`SELECT CASE WHEN soft_failed THEN 'soft' ELSE 'hard' END FROM job_runs WHERE job_id = $1`, j.id) != "soft" {
			t.Errorf("a canceled job that may fail came to %q", got)
		}

		scheduled := w.build(slug)
		cancelJob(w.job(scheduled, "a").ID)
		w.wantStates(scheduled, "a=canceled =finished b=scheduled")
		a.run("b", 0)
		w.wantBuild(scheduled, "passed")

		some := w.buildOf(`steps: [{command: c, label: a, soft_fail: [{exit_status: 1}]}, wait, {command: c, label: b}]`)
		cancelJob(w.job(some, "a").ID)
		w.wantStates(some, "a=canceled =waiting_failed b=waiting_failed")
		w.wantBuild(some, "failed")

		every := w.buildOf(`steps: [{command: c, label: a, soft_fail: [{exit_status: "*"}]}, wait, {command: c, label: b}]`)
		cancelJob(w.job(every, "a").ID)
		w.wantStates(every, "a=canceled =finished b=scheduled")
		a.run("b", 0)
		w.wantBuild(every, "passed")

		whole := w.build(slug)
		j = a.takeLabel("a")
		j.start().Want(t, http.StatusOK)
		w.cancel(whole)
		j.finish(-1).Want(t, http.StatusOK)
		w.wantBuild(whole, "canceled")
		if got := w.job(whole, "a").Outcome; got != "errored" {
			t.Errorf("a job of a canceled build came to %q", got)
		}
	})
}

func TestAutomaticRetries(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		build := w.buildOf("steps: [{command: c, label: a, retry: {automatic: {exit_status: 1, limit: 2}}}, wait, {command: c, label: b}]")
		for i := range 3 {
			j := a.takeLabel("a")
			if count := j.env()["BUILDKITE_RETRY_COUNT"]; count != string(rune('0'+i)) {
				t.Errorf("attempt %d has the count %v", i, count)
			}
			j.finish(1).Want(t, http.StatusOK)
			if i < 2 {
				w.wantBuild(build, "scheduled") // nothing of it has started
			}
		}
		a.wantIdle()
		w.wantBuild(build, "failed")
		w.wantStates(build, "a=finished a=finished a=finished =waiting_failed b=waiting_failed")
		signalled := w.buildOf("steps: [{command: c, label: s, retry: {automatic: [{signal_reason: agent_stop, limit: 1}]}}]")
		j := a.takeLabel("s")
		j.send(http.MethodPut, "/finish", map[string]any{"exit_status": "-1", "signal": "SIGTERM", "signal_reason": "agent_stop"}).Want(t, http.StatusOK)
		a.run("s", 255)
		w.wantBuild(signalled, "failed")
		writtenOut := w.buildOf(`steps: [{command: c, label: w, retry: {automatic: [{exit_status: "*", signal: "*", signal_reason: "*", limit: 1}]}}]`)
		a.run("w", 1)
		w.wantStates(writtenOut, "w=finished w=scheduled")
		a.run("w", 0)
		w.wantBuild(writtenOut, "passed")
		canceled := w.buildOf("steps: [{command: c, label: x, retry: {automatic: true}}]")
		j = a.takeLabel("x")
		w.cancel(canceled)
		j.finish(-1).Want(t, http.StatusOK)
		w.wantStates(canceled, "x=canceled")
		w.wantBuild(canceled, "canceled")
	})
}

func TestManualRetries(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		retry := func(id, refusal string) string {
			t.Helper()
			made, err := w.builds.RetryJob(t.Context(), admin, w.jobRef(id))
			if got := message(err); got != refusal {
				t.Errorf("the refusal is %q, not %q", got, refusal)
			}
			return string(made.ID)
		}
		build := w.buildOf("steps: [{command: c, label: a}, wait, {command: c, label: b}, {command: c, label: c, retry: {manual: {permit_on_passed: true}}}, {command: c, label: d, retry: {manual: {allowed: false, reason: no}}}]")
		first := a.run("a", 1)
		w.wantBuild(build, "failed")
		retry(w.job(build, "b").ID, "Only failed, timed out or canceled jobs can be retried")
		retry(first.id, "")
		w.wantBuild(build, "scheduled") // nothing of it has started
		retry(first.id, "Job has already been retried")
		w.wantStates(build, "a=finished a=scheduled =waiting b=waiting c=waiting d=waiting")
		a.run("a", 0)
		passed, permitted, forbidden := a.run("b", 0), a.run("c", 0), a.run("d", 1)
		w.wantBuild(build, "failed")
		retry(passed.id, "Only failed, timed out or canceled jobs can be retried")
		retry(forbidden.id, "Job can't be retried: no")
		retry(permitted.id, "")
		a.run("c", 0)
		canceled := w.buildOf("steps: [{command: c, label: x}]")
		x := a.takeLabel("x")
		w.cancel(canceled)
		x.finish(-1)
		retry(x.id, "Jobs from canceled builds cannot be retried")
	})
}

// TestRetryAgentAffinity retries jobs while another agent is idle: only a queue that prefers a different agent makes the one that ran the attempt before wait.
func TestRetryAgentAffinity(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		queue := w.text(`SELECT id FROM cluster_queues WHERE cluster_id = $1 AND key = 'default'`, clusterID)
		a := w.newAgent()
		var other *fakeAgent
		retried := func(how string) domain.Build {
			t.Helper()
			build := w.buildOf("steps: [{command: c, label: y, retry: {" + map[string]string{"automatic": "automatic: [{exit_status: 1, limit: 1}]", "manual": "manual: true"}[how] + "}}]")
			y := a.run("y", 1)
			if how == "manual" {
				if _, err := w.builds.RetryJob(t.Context(), admin, w.jobRef(y.id)); err != nil {
					t.Fatal(err)
				}
			}
			return build
		}
		prefer := func(affinity domain.RetryAgentAffinity) {
			t.Helper()
			if _, err := w.service.UpdateQueue(t.Context(), admin, clusterRef(clusterID), queue, core.Value(domain.QueueInput{RetryAgentAffinity: domain.Some(string(affinity))}), nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, how := range []string{"manual", "automatic"} {
			prefer(domain.PreferDifferent)
			alone := retried(how) // without another agent, the same one runs it
			if other == nil {
				a.run("y", 0)
				other = w.newAgent()
			} else {
				other.run("y", 0)
			}
			w.wantBuild(alone, "passed")
			build := retried(how)
			a.wantIdle()
			other.run("y", 0)
			w.wantBuild(build, "passed")

			prefer(domain.PreferWarmest)
			build = retried(how)
			a.run("y", 0)
			w.wantBuild(build, "passed")
		}
	})
}

// message is what an error tells its caller.
func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (w *world) unblock(id string, fields map[string]string, refusal string) {
	w.t.Helper()
	_, err := w.builds.UnblockJob(w.t.Context(), admin, w.jobRef(id), builds.UnblockInput{Fields: fields})
	if got := message(err); (refusal == "") != (err == nil) || !strings.Contains(got, refusal) {
		w.t.Errorf("the refusal is %q, not %q", got, refusal)
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		build := w.buildOf(`steps:
  - {command: c, label: a}
  - block: Release
    blocked_state: running
    fields:
      - {text: Version, key: version, format: "[0-9]+"}
      - {text: Note, key: note, required: false}
      - {select: Where, key: where, default: eu, options: [{label: Europe, value: eu}, {label: Asia, value: asia}]}
  - {command: c, label: b}
`)
		block := w.job(build, "Release").ID
		w.unblock(block, nil, "waits for other steps")
		a.run("a", 0)
		w.wantBuild(build, "blocked")
		w.wantStates(build, "a=finished Release=blocked b=blocked")
		if shown := w.text(`SELECT blocked_state FROM builds WHERE id = $1`, build.ID); shown != "running" {
			t.Errorf("it is shown as %s", shown)
		}
		w.unblock(block, nil, "Version can't be blank")
		w.unblock(block, map[string]string{"version": "x1"}, "Version must match")
		w.unblock(block, map[string]string{"version": "1", "where": "mars"}, "Where must be one of the options")
		w.unblock(block, map[string]string{"version": "1", "other": "x"}, "no field other")
		w.unblock(w.job(build, "a").ID, nil, "This job type cannot be unblocked")
		w.unblock(block, map[string]string{"version": "12"}, "")
		w.unblock(block, map[string]string{"version": "12"}, "already been unblocked")
		j := a.takeLabel("b")
		for key, value := range map[string]string{"version": "12", "where": "eu"} {
			if got := j.send(http.MethodPost, "/data/get", map[string]string{"key": key}).Want(t, http.StatusOK).Text("value"); got != value {
				t.Errorf("%s is %q", key, got)
			}
		}
		j.send(http.MethodPost, "/data/get", map[string]string{"key": "note"}).WantMessage(t, http.StatusNotFound, `No key "note" found`)
		if env := j.env(); env["BUILDKITE_UNBLOCKER"] != "Admin" || env["BUILDKITE_UNBLOCKER_EMAIL"] != "admin@example.com" {
			t.Errorf("%v", env)
		}
		j.finish(0).Want(t, http.StatusOK)
		w.wantBuild(build, "passed")

		canceled := w.buildOf("steps: [{block: Go}, {command: c, label: x}]")
		w.wantBuild(canceled, "blocked")
		w.cancel(canceled)
		w.wantBuild(canceled, "canceled")
		w.wantStates(canceled, "Go=canceled x=canceled")
		w.unblock(w.job(canceled, "Go").ID, nil, "Jobs from canceled builds cannot be unblocked")

		input := w.buildOf("steps: [{input: Name, fields: [{text: Name, key: name}]}, {command: c, label: y}]")
		a.run("y", 0)
		w.wantBuild(input, "running")
		w.unblock(w.job(input, "Name").ID, map[string]string{"name": "n"}, "")
		w.wantBuild(input, "passed")
	})
}

func TestWhoMayUnblock(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		unblock := func(configuration, access string) error {
			t.Helper()
			slug := w.pipeline(configuration, func(in *domain.PipelineInput) {
				if access != "" {
					in.Teams = domain.Some([]domain.PipelineTeamInput{{ID: teamID, AccessLevel: domain.PipelineAccessLevel(access)}})
				}
			})
			build := w.build(slug)
			_, err := w.builds.UnblockJob(t.Context(), member, w.jobRef(w.job(build, "Go").ID), builds.UnblockInput{})
			return err
		}
		if err := unblock("steps: [{block: Go}]", "read_only"); domain.CodeOf(err) != domain.Forbidden {
			t.Errorf("who only reads may unblock: %v", err)
		}
		if err := unblock("steps: [{block: Go}]", "build_and_read"); err != nil {
			t.Errorf("who builds may not unblock: %v", err)
		}
		if err := unblock("steps: [{block: Go, allowed_teams: [release]}]", "read_only"); err != nil {
			t.Errorf("who is in an allowed team may not unblock: %v", err)
		}
		if err := unblock("steps: [{block: Go, allowed_teams: ["+teamID+"]}]", "read_only"); err != nil {
			t.Errorf("who is in an allowed team may not unblock: %v", err)
		}
		if err := unblock("steps: [{block: Go, allowed_teams: [others]}]", "build_and_read"); domain.CodeOf(err) != domain.Forbidden {
			t.Errorf("who is in no allowed team may unblock: %v", err)
		}
	})
}

func TestTriggers(t *testing.T) {
	t.Parallel()
	eachWorldWith(t, options{loops: true}, func(t *testing.T, w *world) {
		a := w.newAgent()
		target := w.pipeline("steps: [{command: c, label: child}]")
		child := func(parent domain.Build) domain.Build {
			t.Helper()
			job := w.job(parent, "go").ID
			until(t, "the build is triggered", func() bool { return w.text(`SELECT triggered_build_id FROM job_runs WHERE job_id = $1`, job) != "" })
			return domain.Build{ID: domain.BuildID(w.text(`SELECT triggered_build_id FROM job_runs WHERE job_id = $1`, job))}
		}
		ends := func(b domain.Build, state string) {
			t.Helper()
			until(t, "the build is "+state, func() bool { return w.buildState(b) == state })
		}
		parent := w.buildOf("steps: [{trigger: " + target + ", label: go, build: {message: Hello, env: {N: 5}, meta_data: {k: v}}}, wait, {command: c, label: after}]")
		made := child(parent)
		w.wantBuild(parent, "running")
		j := a.takeLabel("child")
		env := j.env()
		for name, want := range map[string]string{"N": "5", "BUILDKITE_MESSAGE": "Hello", "BUILDKITE_BRANCH": "main", "BUILDKITE_COMMIT": "HEAD", "BUILDKITE_SOURCE": "trigger_job",
			"BUILDKITE_TRIGGERED_FROM_BUILD_ID": string(parent.ID), "BUILDKITE_TRIGGERED_FROM_BUILD_NUMBER": "1"} {
			if env[name] != want {
				t.Errorf("%s is %v, not %s", name, env[name], want)
			}
		}
		if value := j.send(http.MethodPost, "/data/get", map[string]string{"key": "k"}).Text("value"); value != "v" {
			t.Errorf("the meta-data is %q", value)
		}
		j.finish(0).Want(t, http.StatusOK)
		w.wantBuild(made, "passed")
		until(t, "the parent goes on", func() bool { return w.job(parent, "after").State == "scheduled" })
		a.run("after", 0)
		w.wantBuild(parent, "passed")

		async := w.buildOf("steps: [{trigger: " + target + ", label: go, async: true}]")
		child(async)
		ends(async, "passed")
		a.run("child", 1)
		w.wantBuild(async, "passed")

		failing := w.buildOf("steps: [{trigger: " + target + ", label: go}]")
		child(failing)
		a.run("child", 1)
		ends(failing, "failed")

		soft := w.buildOf("steps: [{trigger: " + target + ", label: go, soft_fail: true}]")
		w.cancel(child(soft))
		ends(soft, "passed")

		nowhere := w.buildOf("steps: [{trigger: nowhere, label: go}]")
		ends(nowhere, "failed")

		elsewhere := w.pipeline("steps: [{command: c}]", func(in *domain.PipelineInput) { in.ClusterID = domain.Some(elsewhereID) })
		refused := w.buildOf("steps: [{trigger: " + elsewhere + ", label: go}]")
		ends(refused, "failed")
		if reason := w.text(`SELECT detail FROM job_runs WHERE signal_reason IS NULL AND build_id = $1`, refused.ID); !strings.Contains(reason, "pipeline.trigger_build.pipeline") {
			t.Errorf("the refusal does not name the rule: %s", reason)
		}

		loop := w.pipeline("steps: [{command: c}]")
		if _, err := w.service.UpdatePipeline(t.Context(), admin, pipelineRef(loop), core.Value(domain.PipelineInput{Configuration: domain.Some("steps: [{trigger: " + loop + ", label: go}]")}), nil); err != nil {
			t.Fatal(err)
		}
		endless := w.build(loop)
		ends(endless, "failed")
		if n := w.text(`SELECT CAST(count(*) AS TEXT) FROM builds WHERE pipeline_id = (SELECT pipeline_id FROM builds WHERE id = $1)`, endless.ID); n != "11" {
			t.Errorf("a pipeline that triggers itself made %s builds", n)
		}
		// A build that is canceled leaves the one that it waits for alone.
		canceled := w.buildOf("steps: [{trigger: " + target + ", label: go}]")
		left := child(canceled)
		j = w.newAgent().takeLabel("child")
		j.start().Want(t, http.StatusOK)
		w.cancel(canceled)
		w.wantBuild(canceled, "canceled")
		w.wantStates(canceled, "go=canceled")
		w.wantBuild(left, "running")
		w.wantStates(left, "child=running")
		if child(canceled).ID != left.ID || w.text(`SELECT triggered_from_id FROM builds WHERE id = $1`, left.ID) != w.job(canceled, "go").ID {
			t.Error("the link between the canceled build and the one that it triggered is gone")
		}
		j.finish(0).Want(t, http.StatusOK)
		w.wantBuild(left, "passed")
		w.wantBuild(canceled, "canceled")
	})
}

// TestABuildTriggersABoundedNumberOfBuilds lets a build trigger builds that trigger more, when nearly as many follow from it as may.
func TestABuildTriggersABoundedNumberOfBuilds(t *testing.T) {
	t.Parallel()
	eachWorldWith(t, options{loops: true}, func(t *testing.T, w *world) {
		leaf := w.pipeline("steps: [{command: c}]")
		middle := w.pipeline("steps: [{trigger: " + leaf + ", label: leaf, async: true, parallelism: 5}]")
		first := w.buildOf("steps: [{command: c, label: begin}, wait, {trigger: " + middle + ", label: middle}]")
		testkit.Exec(t, w.db, `UPDATE builds SET builds_triggered = 497`)
		w.newAgent().run("begin", 0)
		until(t, "the first build has ended", func() bool { return w.buildState(first) == "failed" })
		if n := w.text(`SELECT CAST(count(*) AS TEXT) FROM builds WHERE id <> $1`, first.ID); n != "3" {
			t.Errorf("%s builds followed, not 3", n)
		}
		if n := w.text(`SELECT CAST(count(*) AS TEXT) FROM job_runs WHERE detail = 'More than 500 builds would follow from one build'`); n != "3" {
			t.Errorf("%s triggers were refused, not 3", n)
		}
	})
}

func TestNewerBuildsOfABranch(t *testing.T) {
	t.Parallel()
	eachWorldWith(t, options{loops: true}, func(t *testing.T, w *world) {
		a := w.newAgent()
		configure := func(in *domain.PipelineInput) {
			in.SkipQueuedBranchBuilds, in.CancelRunningBranchBuilds = domain.Some(true), domain.Some(true)
			in.SkipQueuedBranchBuildsFilter, in.CancelRunningBranchBuildsFilter = domain.Some("!release"), domain.Some("!release")
		}
		onBranch := func(branch string) func(*domain.BuildInput) {
			return func(in *domain.BuildInput) { in.Branch = branch }
		}
		slug := w.pipeline("steps: [{command: c, label: a}]", configure)
		kept, other := w.build(slug, onBranch("release")), w.build(slug, onBranch("other"))
		running := w.build(slug)
		a.run("a", 0) // of release
		a.run("a", 0) // of other
		j := a.takeLabel("a")
		until(t, "it runs", func() bool { return w.buildState(running) == "running" })
		queued := w.build(slug)
		until(t, "the running one is canceled", func() bool { return w.buildState(running) == "canceling" })
		newest := w.build(slug)
		until(t, "the queued one is skipped", func() bool { return w.buildState(queued) == "skipped" })
		j.finish(-1).Want(t, http.StatusOK)
		w.wantBuild(running, "canceled")
		w.wantStates(queued, "a=skipped")
		a.run("a", 0)
		w.wantBuild(newest, "passed")
		w.wantBuild(kept, "passed")
		w.wantBuild(other, "passed")

		blocked := w.pipeline("steps: [{block: Go}, {command: c}]", configure)
		first := w.build(blocked)
		w.build(blocked)
		until(t, "the blocked one is canceled", func() bool { return w.buildState(first) == "canceled" })

		// A trigger whose build made way is skipped, however its build ended.
		for _, starts := range []bool{false, true} {
			parent := w.buildOf("steps: [{trigger: " + slug + ", label: go}]")
			job := w.job(parent, "go").ID
			until(t, "the build is triggered", func() bool { return w.text(`SELECT triggered_build_id FROM job_runs WHERE job_id = $1`, job) != "" })
			var child *takenJob
			if starts {
				child = a.takeLabel("a")
			}
			w.build(slug)
			if starts {
				until(t, "the child is canceled", func() bool { return w.text(`SELECT state FROM job_runs WHERE job_id = $1`, child.id) == "canceling" })
				child.finish(-1).Want(t, http.StatusOK)
			}
			until(t, "the trigger is skipped", func() bool { return w.job(parent, "go").State == "skipped" })
			a.run("a", 0)
		}
	})
}

func TestWhatCreateAndCancelAnswer(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		if b := w.buildOf("steps: [{block: Go}]"); b.State != "blocked" {
			t.Errorf("a build that waits for a person is made %s", b.State)
		}
		b := w.buildOf("steps: [{command: c, label: a}]")
		canceled, err := w.builds.CancelBuild(t.Context(), admin, domain.BuildRef{ID: b.ID})
		if err != nil || canceled.State != "canceled" || canceled.FinishedAt == nil {
			t.Errorf("a canceled build is answered as %s: %v", canceled.State, err)
		}
		if _, err := w.builds.CancelBuild(t.Context(), admin, domain.BuildRef{ID: b.ID}); domain.CodeOf(err) != domain.Invalid {
			t.Errorf("a build is canceled twice: %v", err)
		}
	})
}

func TestAJobCancelsItsBuild(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		build := w.buildOf("steps: [{command: c, label: a}, {command: c, label: b}, {block: Go}]")
		j := w.newAgent().takeLabel("a")
		for range 2 {
			if id := w.send(http.MethodPost, "builds/"+string(build.ID)+"/cancel", j.token, nil).Want(t, http.StatusOK).Text("uuid"); id != string(build.ID) {
				t.Errorf("the answer has %s", id)
			}
		}
		w.wantStates(build, "a=canceling b=canceled Go=canceled")
		j.finish(-1).Want(t, http.StatusOK)
		w.wantBuild(build, "canceled")
	})
}

func TestConcurrencyOverSeveralBuilds(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		slug := w.pipeline("steps: [{command: c, label: deploy, concurrency: 1, concurrency_group: deploy}]")
		first, second, third := w.build(slug), w.build(slug), w.build(slug)
		agents := []*fakeAgent{w.newAgent(), w.newAgent()}
		for _, build := range []domain.Build{first, second, third} {
			j := agents[0].takeLabel("deploy")
			if j.env()["BUILDKITE_BUILD_ID"] != string(build.ID) {
				t.Error("the builds do not take turns in their order")
			}
			agents[1].wantIdle()
			j.finish(0).Want(t, http.StatusOK)
			w.wantBuild(build, "passed")
		}
		if events := w.events(w.job(second, "deploy").ID); events != "LIMITED SCHEDULED ASSIGNED ACCEPTED STARTED FINISHED" {
			t.Error(events)
		}
		// One that is canceled gives its place away.
		first, second = w.build(slug), w.build(slug)
		w.cancel(first)
		w.wantStates(second, "deploy=scheduled")
		w.cancel(second)

		eager := func(label, priority string) domain.Build {
			t.Helper()
			return w.buildOf("steps: [{command: c, label: " + label + ", priority: " + priority + ", concurrency: 1, concurrency_group: eager, concurrency_method: eager}]")
		}
		eager("running", "0")
		eager("low", "1")
		eager("high", "2")
		for _, label := range []string{"running", "high", "low"} {
			agents[0].run(label, 0)
		}
	})
}

// TestConcurrencyGate is two steps between which one build at a time works.
func TestConcurrencyGate(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		slug := w.pipeline(`steps:
  - {command: c, label: in, concurrency: 1, concurrency_group: gate}
  - wait
  - {command: c, label: work}
  - wait
  - {command: c, label: out, concurrency: 1, concurrency_group: gate}
`)
		first, second, third := w.build(slug), w.build(slug), w.build(slug)
		a, b := w.newAgent(), w.newAgent()
		a.run("in", 0)
		b.wantIdleBut(t, first)
		work := a.takeLabel("work")
		b.wantIdle()
		work.finish(0).Want(t, http.StatusOK)
		a.run("out", 0)
		w.wantBuild(first, "passed")
		// The second fails inside: what cannot run any more frees the gate.
		a.run("in", 0)
		a.run("work", 1)
		w.wantBuild(second, "failed")
		a.run("in", 0)
		w.cancel(third)
		w.wantBuild(third, "canceled")
		fourth := w.build(slug)
		a.run("in", 0)
		// Behind an open block nobody keeps a place.
		a.run("work", 0)
		a.run("out", 0)
		w.wantBuild(fourth, "passed")
		blocked := w.buildOf("steps: [{block: Go}, {command: c, label: one, concurrency: 1, concurrency_group: gate}, wait, {command: c, label: two, concurrency: 1, concurrency_group: gate}]")
		w.build(slug)
		a.run("in", 0)
		w.unblock(w.job(blocked, "Go").ID, nil, "")
		w.wantStates(blocked, "Go=unblocked one=scheduled =waiting two=waiting") // with its old place
	})
}

// wantIdleBut checks that an agent gets jobs of no build but one.
func (a *fakeAgent) wantIdleBut(t *testing.T, build domain.Build) {
	t.Helper()
	for _, r := range a.w.read(2, `SELECT build_id, label FROM job_runs WHERE state = 'scheduled'`) {
		if r[0] != string(build.ID) {
			t.Errorf("%s of another build is scheduled", r[1])
		}
	}
}

func TestTimesOfABuildThatIsRetried(t *testing.T) {
	t.Parallel()
	eachWorld(t, func(t *testing.T, w *world) {
		a := w.newAgent()
		build := w.buildOf("steps: [{command: c, label: a}, {command: c, label: b}]")
		failed := a.run("a", 1)
		if w.text(`SELECT CAST(failing_at AS TEXT) FROM builds`) == "" {
			t.Error("it is not noted since when the build fails")
		}
		a.run("b", 0)
		if w.text(`SELECT CAST(finished_at AS TEXT) FROM builds`) == "" {
			t.Error("a build that failed has no end")
		}
		if _, err := w.builds.RetryJob(t.Context(), admin, w.jobRef(failed.id)); err != nil {
			t.Fatal(err)
		}
		if w.text(`SELECT CAST(finished_at AS TEXT) FROM builds`) != "" {
			t.Error("a build that goes on has an end")
		}
		a.run("a", 0)
		w.wantBuild(build, "passed")
		testkit.Change(t, w.db, `UPDATE builds SET state = state WHERE finished_at >= started_at`)
	})
}
