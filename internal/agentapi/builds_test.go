package agentapi_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

func TestFailuresAndWaits(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		stops := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b}, wait, {command: c, label: c}]")
		a.RunJob("a", 7)
		w.WantBuild(stops, "failing")
		a.RunJob("b", 0)
		w.WantStates(stops, "a=finished b=finished =waiting_failed c=waiting_failed")
		w.WantBuild(stops, "failed")
		if j := w.Job(stops, "a"); j.Exit != "7" || j.Outcome != "hard_failed" {
			t.Errorf("%v", j)
		}
		goesOn := w.BuildOf("steps: [{command: c, label: a}, {wait: null, continue_on_failure: true}, {command: c, label: c}]")
		a.RunJob("a", 7)
		w.WantBuild(goesOn, "failing")
		a.RunJob("c", 0)
		w.WantBuild(goesOn, "failed")

		diamond := w.BuildOf(`steps:
  - {command: c, label: top, key: top}
  - {command: c, label: left, key: left, depends_on: top}
  - {command: c, label: right, key: right, depends_on: top, if: "build.branch == 'other'"}
  - {command: c, label: bottom, depends_on: [left, right]}
`)
		w.WantStates(diamond, "top=scheduled left=waiting right=broken bottom=waiting")
		for _, label := range []string{"top", "left", "bottom"} {
			a.RunJob(label, 0)
		}
		a.WantIdle()
		w.WantBuild(diamond, "passed")

		missing := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b, depends_on: never}]")
		a.RunJob("a", 0)
		w.WantStates(missing, "a=finished b=waiting_failed")
		w.WantBuild(missing, "failed")

		none := w.BuildOf("steps: [{command: c, label: a, if: \"false\"}, {command: c, label: b, skip: not now}]")
		w.WantBuild(none, "not_run")
	})
}

func TestSoftFailures(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		slug := w.Pipeline("steps: [{command: c, label: a, soft_fail: [{exit_status: 3}]}, wait, {command: c, label: b}]")
		soft := w.Build(slug)
		a.RunJob("a", 3)
		a.RunJob("b", 0)
		w.WantBuild(soft, "passed")
		if j := w.Job(soft, "a"); j.Outcome != "soft_failed" {
			t.Errorf("%v", j)
		}
		hard := w.Build(slug)
		a.RunJob("a", 4)
		w.WantBuild(hard, "failed")
	})
}

// TestCancelOfAJobThatMayFail cancels jobs whose step may fail: while they run, before they run, and with their whole build.
func TestCancelOfAJobThatMayFail(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		cancelJob := func(id string) {
			t.Helper()
			if _, err := w.Builds.CancelJob(t.Context(), running.Admin, running.JobRef(id)); err != nil {
				t.Fatal(err)
			}
		}
		slug := w.Pipeline("steps: [{command: c, label: a, soft_fail: true}, wait, {command: c, label: b}]")
		current := w.Build(slug)
		j := a.StartJobWith("a")
		j.Start().Want(t, http.StatusOK)
		cancelJob(j.ID)
		j.Finish(-1).Want(t, http.StatusOK)
		w.WantStates(current, "a=canceled =finished b=scheduled")
		a.RunJob("b", 0)
		w.WantBuild(current, "passed")
		if got := w.Job(current, "a").Outcome; got != "soft_failed" || w.Text(`SELECT CASE WHEN soft_failed THEN 'soft' ELSE 'hard' END FROM job_runs WHERE job_id = $1`, j.ID) != "soft" {
			t.Errorf("a canceled job that may fail came to %q", got)
		}

		scheduled := w.Build(slug)
		cancelJob(w.Job(scheduled, "a").ID)
		w.WantStates(scheduled, "a=canceled =finished b=scheduled")
		a.RunJob("b", 0)
		w.WantBuild(scheduled, "passed")

		some := w.BuildOf(`steps: [{command: c, label: a, soft_fail: [{exit_status: 1}]}, wait, {command: c, label: b}]`)
		cancelJob(w.Job(some, "a").ID)
		w.WantStates(some, "a=canceled =waiting_failed b=waiting_failed")
		w.WantBuild(some, "failed")

		every := w.BuildOf(`steps: [{command: c, label: a, soft_fail: [{exit_status: "*"}]}, wait, {command: c, label: b}]`)
		cancelJob(w.Job(every, "a").ID)
		w.WantStates(every, "a=canceled =finished b=scheduled")
		a.RunJob("b", 0)
		w.WantBuild(every, "passed")

		whole := w.Build(slug)
		j = a.StartJobWith("a")
		j.Start().Want(t, http.StatusOK)
		w.Cancel(whole)
		j.Finish(-1).Want(t, http.StatusOK)
		w.WantBuild(whole, "canceled")
		if got := w.Job(whole, "a").Outcome; got != "errored" {
			t.Errorf("a job of a canceled build came to %q", got)
		}
	})
}

func TestAutomaticRetries(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		build := w.BuildOf("steps: [{command: c, label: a, retry: {automatic: {exit_status: 1, limit: 2}}}, wait, {command: c, label: b}]")
		for i := range 3 {
			j := a.StartJobWith("a")
			if count := j.Env()["BUILDKITE_RETRY_COUNT"]; count != string(rune('0'+i)) {
				t.Errorf("attempt %d has the count %v", i, count)
			}
			j.Finish(1).Want(t, http.StatusOK)
			if i < 2 {
				w.WantBuild(build, "scheduled") // nothing of it has started
			}
		}
		a.WantIdle()
		w.WantBuild(build, "failed")
		w.WantStates(build, "a=finished a=finished a=finished =waiting_failed b=waiting_failed")
		signalled := w.BuildOf("steps: [{command: c, label: s, retry: {automatic: [{signal_reason: agent_stop, limit: 1}]}}]")
		j := a.StartJobWith("s")
		j.Send(http.MethodPut, "/finish", map[string]any{"exit_status": "-1", "signal": "SIGTERM", "signal_reason": "agent_stop"}).Want(t, http.StatusOK)
		a.RunJob("s", 255)
		w.WantBuild(signalled, "failed")
		writtenOut := w.BuildOf(`steps: [{command: c, label: w, retry: {automatic: [{exit_status: "*", signal: "*", signal_reason: "*", limit: 1}]}}]`)
		a.RunJob("w", 1)
		w.WantStates(writtenOut, "w=finished w=scheduled")
		a.RunJob("w", 0)
		w.WantBuild(writtenOut, "passed")
		canceled := w.BuildOf("steps: [{command: c, label: x, retry: {automatic: true}}]")
		j = a.StartJobWith("x")
		w.Cancel(canceled)
		j.Finish(-1).Want(t, http.StatusOK)
		w.WantStates(canceled, "x=canceled")
		w.WantBuild(canceled, "canceled")
	})
}

func TestManualRetries(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		retry := func(id, refusal string) string {
			t.Helper()
			made, err := w.Builds.RetryJob(t.Context(), running.Admin, running.JobRef(id))
			if got := message(err); got != refusal {
				t.Errorf("the refusal is %q, not %q", got, refusal)
			}
			return string(made.ID)
		}
		build := w.BuildOf("steps: [{command: c, label: a}, wait, {command: c, label: b}, {command: c, label: c, retry: {manual: {permit_on_passed: true}}}, {command: c, label: d, retry: {manual: {allowed: false, reason: no}}}]")
		first := a.RunJob("a", 1)
		w.WantBuild(build, "failed")
		retry(w.Job(build, "b").ID, "Only failed, timed out or canceled jobs can be retried")
		retry(first.ID, "")
		w.WantBuild(build, "scheduled") // nothing of it has started
		retry(first.ID, "Job has already been retried")
		w.WantStates(build, "a=finished a=scheduled =waiting b=waiting c=waiting d=waiting")
		a.RunJob("a", 0)
		passed, permitted, forbidden := a.RunJob("b", 0), a.RunJob("c", 0), a.RunJob("d", 1)
		w.WantBuild(build, "failed")
		retry(passed.ID, "Only failed, timed out or canceled jobs can be retried")
		retry(forbidden.ID, "Job can't be retried: no")
		retry(permitted.ID, "")
		a.RunJob("c", 0)
		canceled := w.BuildOf("steps: [{command: c, label: x}]")
		x := a.StartJobWith("x")
		w.Cancel(canceled)
		x.Finish(-1)
		retry(x.ID, "Jobs from canceled builds cannot be retried")
	})
}

// TestRetryAgentAffinity retries jobs while another agent is idle: only a queue that prefers a different agent makes the one that ran the attempt before wait.
func TestRetryAgentAffinity(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		queue := w.Text(`SELECT id FROM cluster_queues WHERE cluster_id = $1 AND key = 'default'`, running.Cluster)
		a := w.NewAgent()
		var other *running.Agent
		retried := func(how string) domain.Build {
			t.Helper()
			build := w.BuildOf("steps: [{command: c, label: y, retry: {" + map[string]string{"automatic": "automatic: [{exit_status: 1, limit: 1}]", "manual": "manual: true"}[how] + "}}]")
			y := a.RunJob("y", 1)
			if how == "manual" {
				if _, err := w.Builds.RetryJob(t.Context(), running.Admin, running.JobRef(y.ID)); err != nil {
					t.Fatal(err)
				}
			}
			return build
		}
		prefer := func(affinity string) {
			t.Helper()
			if _, err := w.Service.UpdateQueue(t.Context(), running.Admin, running.ClusterRef(running.Cluster), queue, core.Value(domain.QueueInput{QueueSettingsInput: domain.QueueSettingsInput{RetryAgentAffinity: domain.Some(affinity)}}), nil); err != nil {
				t.Fatal(err)
			}
		}
		for _, how := range []string{"manual", "automatic"} {
			prefer(domain.PreferDifferent)
			alone := retried(how) // without another agent, the same one runs it
			if other == nil {
				a.RunJob("y", 0)
				other = w.NewAgent()
			} else {
				other.RunJob("y", 0)
			}
			w.WantBuild(alone, "passed")
			build := retried(how)
			a.WantIdle()
			other.RunJob("y", 0)
			w.WantBuild(build, "passed")

			prefer("prefer-warmest")
			build = retried(how)
			a.RunJob("y", 0)
			w.WantBuild(build, "passed")
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

func unblock(w *running.Server, id string, fields map[string]string, refusal string) {
	w.T.Helper()
	_, err := w.Builds.UnblockJob(w.T.Context(), running.Admin, running.JobRef(id), builds.UnblockInput{Fields: fields})
	if got := message(err); (refusal == "") != (err == nil) || !strings.Contains(got, refusal) {
		w.T.Errorf("the refusal is %q, not %q", got, refusal)
	}
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		build := w.BuildOf(`steps:
  - {command: c, label: a}
  - block: Release
    blocked_state: running
    fields:
      - {text: Version, key: version, format: "[0-9]+"}
      - {text: Note, key: note, required: false}
      - {select: Where, key: where, default: eu, options: [{label: Europe, value: eu}, {label: Asia, value: asia}]}
  - {command: c, label: b}
`)
		block := w.Job(build, "Release").ID
		unblock(w, block, nil, "waits for other steps")
		a.RunJob("a", 0)
		w.WantBuild(build, "blocked")
		w.WantStates(build, "a=finished Release=blocked b=blocked")
		if shown := w.Text(`SELECT blocked_state FROM builds WHERE id = $1`, build.ID); shown != "running" {
			t.Errorf("it is shown as %s", shown)
		}
		unblock(w, block, nil, "Version can't be blank")
		unblock(w, block, map[string]string{"version": "x1"}, "Version must match")
		unblock(w, block, map[string]string{"version": "1", "where": "mars"}, "Where must be one of the options")
		unblock(w, block, map[string]string{"version": "1", "other": "x"}, "no field other")
		unblock(w, w.Job(build, "a").ID, nil, "This job type cannot be unblocked")
		unblock(w, block, map[string]string{"version": "12"}, "")
		unblock(w, block, map[string]string{"version": "12"}, "already been unblocked")
		j := a.StartJobWith("b")
		for key, value := range map[string]string{"version": "12", "where": "eu"} {
			if got := j.Send(http.MethodPost, "/data/get", map[string]string{"key": key}).Want(t, http.StatusOK).Text("value"); got != value {
				t.Errorf("%s is %q", key, got)
			}
		}
		j.Send(http.MethodPost, "/data/get", map[string]string{"key": "note"}).WantMessage(t, http.StatusNotFound, `No key "note" found`)
		if env := j.Env(); env["BUILDKITE_UNBLOCKER"] != "Admin" || env["BUILDKITE_UNBLOCKER_EMAIL"] != "admin@example.com" {
			t.Errorf("%v", env)
		}
		j.Finish(0).Want(t, http.StatusOK)
		w.WantBuild(build, "passed")

		canceled := w.BuildOf("steps: [{block: Go}, {command: c, label: x}]")
		w.WantBuild(canceled, "blocked")
		w.Cancel(canceled)
		w.WantBuild(canceled, "canceled")
		w.WantStates(canceled, "Go=canceled x=canceled")
		unblock(w, w.Job(canceled, "Go").ID, nil, "Jobs from canceled builds cannot be unblocked")

		input := w.BuildOf("steps: [{input: Name, fields: [{text: Name, key: name}]}, {command: c, label: y}]")
		a.RunJob("y", 0)
		w.WantBuild(input, "running")
		unblock(w, w.Job(input, "Name").ID, map[string]string{"name": "n"}, "")
		w.WantBuild(input, "passed")
	})
}

func TestWhoMayUnblock(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		unblock := func(configuration, access string) error {
			t.Helper()
			slug := w.Pipeline(configuration, func(in *domain.PipelineInput) {
				if access != "" {
					in.Teams = domain.Some([]domain.PipelineTeamInput{{ID: running.TeamID, AccessLevel: domain.PipelineAccessLevel(access)}})
				}
			})
			build := w.Build(slug)
			_, err := w.Builds.UnblockJob(t.Context(), running.Member, running.JobRef(w.Job(build, "Go").ID), builds.UnblockInput{})
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
		if err := unblock("steps: [{block: Go, allowed_teams: ["+running.TeamID+"]}]", "read_only"); err != nil {
			t.Errorf("who is in an allowed team may not unblock: %v", err)
		}
		if err := unblock("steps: [{block: Go, allowed_teams: [others]}]", "build_and_read"); domain.CodeOf(err) != domain.Forbidden {
			t.Errorf("who is in no allowed team may unblock: %v", err)
		}
	})
}

func TestTriggers(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{Loops: true}, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		target := w.Pipeline("steps: [{command: c, label: child}]")
		child := func(parent domain.Build) domain.Build {
			t.Helper()
			job := w.Job(parent, "go").ID
			running.Until(t, "the build is triggered", func() bool { return w.Text(`SELECT triggered_build_id FROM job_runs WHERE job_id = $1`, job) != "" })
			return domain.Build{ID: domain.BuildID(w.Text(`SELECT triggered_build_id FROM job_runs WHERE job_id = $1`, job))}
		}
		ends := func(b domain.Build, state string) {
			t.Helper()
			running.Until(t, "the build is "+state, func() bool { return w.BuildState(b) == state })
		}
		parent := w.BuildOf("steps: [{trigger: " + target + ", label: go, build: {message: Hello, env: {N: 5}, meta_data: {k: v}}}, wait, {command: c, label: after}]")
		made := child(parent)
		w.WantBuild(parent, "running")
		j := a.StartJobWith("child")
		env := j.Env()
		for name, want := range map[string]string{"N": "5", "BUILDKITE_MESSAGE": "Hello", "BUILDKITE_BRANCH": "main", "BUILDKITE_COMMIT": "HEAD", "BUILDKITE_SOURCE": "trigger_job",
			"BUILDKITE_TRIGGERED_FROM_BUILD_ID": string(parent.ID), "BUILDKITE_TRIGGERED_FROM_BUILD_NUMBER": "1"} {
			if env[name] != want {
				t.Errorf("%s is %v, not %s", name, env[name], want)
			}
		}
		if value := j.Send(http.MethodPost, "/data/get", map[string]string{"key": "k"}).Text("value"); value != "v" {
			t.Errorf("the meta-data is %q", value)
		}
		j.Finish(0).Want(t, http.StatusOK)
		w.WantBuild(made, "passed")
		running.Until(t, "the parent goes on", func() bool { return w.Job(parent, "after").State == "scheduled" })
		a.RunJob("after", 0)
		w.WantBuild(parent, "passed")

		async := w.BuildOf("steps: [{trigger: " + target + ", label: go, async: true}]")
		child(async)
		ends(async, "passed")
		a.RunJob("child", 1)
		w.WantBuild(async, "passed")

		failing := w.BuildOf("steps: [{trigger: " + target + ", label: go}]")
		child(failing)
		a.RunJob("child", 1)
		ends(failing, "failed")

		soft := w.BuildOf("steps: [{trigger: " + target + ", label: go, soft_fail: true}]")
		w.Cancel(child(soft))
		ends(soft, "passed")

		nowhere := w.BuildOf("steps: [{trigger: nowhere, label: go}]")
		ends(nowhere, "failed")

		elsewhere := w.Pipeline("steps: [{command: c}]", func(in *domain.PipelineInput) { in.ClusterID = domain.Some(running.SecondCluster) })
		refused := w.BuildOf("steps: [{trigger: " + elsewhere + ", label: go}]")
		ends(refused, "failed")
		if reason := w.Text(`SELECT detail FROM job_runs WHERE signal_reason IS NULL AND build_id = $1`, refused.ID); !strings.Contains(reason, "pipeline.trigger_build.pipeline") {
			t.Errorf("the refusal does not name the rule: %s", reason)
		}

		loop := w.Pipeline("steps: [{command: c}]")
		if _, err := w.Service.UpdatePipeline(t.Context(), running.Admin, running.PipelineRef(loop), core.Value(domain.PipelineInput{Configuration: domain.Some("steps: [{trigger: " + loop + ", label: go}]")}), nil); err != nil {
			t.Fatal(err)
		}
		endless := w.Build(loop)
		ends(endless, "failed")
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM builds WHERE pipeline_id = (SELECT pipeline_id FROM builds WHERE id = $1)`, endless.ID); n != "11" {
			t.Errorf("a pipeline that triggers itself made %s builds", n)
		}
		// A build that is canceled leaves the one that it waits for alone.
		canceled := w.BuildOf("steps: [{trigger: " + target + ", label: go}]")
		left := child(canceled)
		j = w.NewAgent().StartJobWith("child")
		j.Start().Want(t, http.StatusOK)
		w.Cancel(canceled)
		w.WantBuild(canceled, "canceled")
		w.WantStates(canceled, "go=canceled")
		w.WantBuild(left, "running")
		w.WantStates(left, "child=running")
		if child(canceled).ID != left.ID || w.Text(`SELECT triggered_from_id FROM builds WHERE id = $1`, left.ID) != w.Job(canceled, "go").ID {
			t.Error("the link between the canceled build and the one that it triggered is gone")
		}
		j.Finish(0).Want(t, http.StatusOK)
		w.WantBuild(left, "passed")
		w.WantBuild(canceled, "canceled")
	})
}

// TestABuildTriggersABoundedNumberOfBuilds lets a build trigger builds that trigger more, when nearly as many follow from it as may.
func TestABuildTriggersABoundedNumberOfBuilds(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{Loops: true}, func(t *testing.T, w *running.Server) {
		leaf := w.Pipeline("steps: [{command: c}]")
		middle := w.Pipeline("steps: [{trigger: " + leaf + ", label: leaf, async: true, parallelism: 5}]")
		first := w.BuildOf("steps: [{command: c, label: begin}, wait, {trigger: " + middle + ", label: middle}]")
		testkit.Exec(t, w.DB, `UPDATE builds SET builds_triggered = 497`)
		w.NewAgent().RunJob("begin", 0)
		running.Until(t, "the first build has ended", func() bool { return w.BuildState(first) == "failed" })
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM builds WHERE id <> $1`, first.ID); n != "3" {
			t.Errorf("%s builds followed, not 3", n)
		}
		if n := w.Text(`SELECT CAST(count(*) AS TEXT) FROM job_runs WHERE detail = 'More than 500 builds would follow from one build'`); n != "3" {
			t.Errorf("%s triggers were refused, not 3", n)
		}
	})
}

func TestNewerBuildsOfABranch(t *testing.T) {
	t.Parallel()
	running.EachWith(t, running.Options{Loops: true}, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		configure := func(in *domain.PipelineInput) {
			in.SkipQueuedBranchBuilds, in.CancelRunningBranchBuilds = domain.Some(true), domain.Some(true)
			in.SkipQueuedBranchBuildsFilter, in.CancelRunningBranchBuildsFilter = domain.Some("!release"), domain.Some("!release")
		}
		onBranch := func(branch string) func(*domain.BuildInput) {
			return func(in *domain.BuildInput) { in.Branch = branch }
		}
		slug := w.Pipeline("steps: [{command: c, label: a}]", configure)
		kept, other := w.Build(slug, onBranch("release")), w.Build(slug, onBranch("other"))
		current := w.Build(slug)
		a.RunJob("a", 0) // of release
		a.RunJob("a", 0) // of other
		j := a.StartJobWith("a")
		running.Until(t, "it runs", func() bool { return w.BuildState(current) == "running" })
		queued := w.Build(slug)
		running.Until(t, "the running one is canceled", func() bool { return w.BuildState(current) == "canceling" })
		newest := w.Build(slug)
		running.Until(t, "the queued one is skipped", func() bool { return w.BuildState(queued) == "skipped" })
		j.Finish(-1).Want(t, http.StatusOK)
		w.WantBuild(current, "canceled")
		w.WantStates(queued, "a=skipped")
		a.RunJob("a", 0)
		w.WantBuild(newest, "passed")
		w.WantBuild(kept, "passed")
		w.WantBuild(other, "passed")

		blocked := w.Pipeline("steps: [{block: Go}, {command: c}]", configure)
		first := w.Build(blocked)
		w.Build(blocked)
		running.Until(t, "the blocked one is canceled", func() bool { return w.BuildState(first) == "canceled" })

		// A trigger whose build made way is skipped, however its build ended.
		for _, starts := range []bool{false, true} {
			parent := w.BuildOf("steps: [{trigger: " + slug + ", label: go}]")
			job := w.Job(parent, "go").ID
			running.Until(t, "the build is triggered", func() bool { return w.Text(`SELECT triggered_build_id FROM job_runs WHERE job_id = $1`, job) != "" })
			var child *running.Job
			if starts {
				child = a.StartJobWith("a")
			}
			w.Build(slug)
			if starts {
				running.Until(t, "the child is canceled", func() bool { return w.Text(`SELECT state FROM job_runs WHERE job_id = $1`, child.ID) == "canceling" })
				child.Finish(-1).Want(t, http.StatusOK)
			}
			running.Until(t, "the trigger is skipped", func() bool { return w.Job(parent, "go").State == "skipped" })
			a.RunJob("a", 0)
		}
	})
}

func TestWhatCreateAndCancelAnswer(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		if b := w.BuildOf("steps: [{block: Go}]"); b.State != "blocked" {
			t.Errorf("a build that waits for a person is made %s", b.State)
		}
		b := w.BuildOf("steps: [{command: c, label: a}]")
		canceled, err := w.Builds.CancelBuild(t.Context(), running.Admin, domain.BuildRef{ID: b.ID})
		if err != nil || canceled.State != "canceled" || canceled.FinishedAt == nil {
			t.Errorf("a canceled build is answered as %s: %v", canceled.State, err)
		}
		if _, err := w.Builds.CancelBuild(t.Context(), running.Admin, domain.BuildRef{ID: b.ID}); domain.CodeOf(err) != domain.Invalid {
			t.Errorf("a build is canceled twice: %v", err)
		}
	})
}

func TestAJobCancelsItsBuild(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b}, {block: Go}]")
		j := w.NewAgent().StartJobWith("a")
		for range 2 {
			if id := w.Send(http.MethodPost, "builds/"+string(build.ID)+"/cancel", j.Token, nil).Want(t, http.StatusOK).Text("uuid"); id != string(build.ID) {
				t.Errorf("the answer has %s", id)
			}
		}
		w.WantStates(build, "a=canceling b=canceled Go=canceled")
		j.Finish(-1).Want(t, http.StatusOK)
		w.WantBuild(build, "canceled")
	})
}

func TestConcurrencyOverSeveralBuilds(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		slug := w.Pipeline("steps: [{command: c, label: deploy, concurrency: 1, concurrency_group: deploy}]")
		first, second, third := w.Build(slug), w.Build(slug), w.Build(slug)
		agents := []*running.Agent{w.NewAgent(), w.NewAgent()}
		for _, build := range []domain.Build{first, second, third} {
			j := agents[0].StartJobWith("deploy")
			if j.Env()["BUILDKITE_BUILD_ID"] != string(build.ID) {
				t.Error("the builds do not take turns in their order")
			}
			agents[1].WantIdle()
			j.Finish(0).Want(t, http.StatusOK)
			w.WantBuild(build, "passed")
		}
		if events := w.Events(w.Job(second, "deploy").ID); events != "LIMITED SCHEDULED ASSIGNED ACCEPTED STARTED FINISHED" {
			t.Error(events)
		}
		// One that is canceled gives its place away.
		first, second = w.Build(slug), w.Build(slug)
		w.Cancel(first)
		w.WantStates(second, "deploy=scheduled")
		w.Cancel(second)

		eager := func(label, priority string) domain.Build {
			t.Helper()
			return w.BuildOf("steps: [{command: c, label: " + label + ", priority: " + priority + ", concurrency: 1, concurrency_group: eager, concurrency_method: eager}]")
		}
		eager("running", "0")
		eager("low", "1")
		eager("high", "2")
		for _, label := range []string{"running", "high", "low"} {
			agents[0].RunJob(label, 0)
		}
	})
}

// TestConcurrencyGate is two steps between which one build at a time works.
func TestConcurrencyGate(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		slug := w.Pipeline(`steps:
  - {command: c, label: in, concurrency: 1, concurrency_group: gate}
  - wait
  - {command: c, label: work}
  - wait
  - {command: c, label: out, concurrency: 1, concurrency_group: gate}
`)
		first, second, third := w.Build(slug), w.Build(slug), w.Build(slug)
		a, b := w.NewAgent(), w.NewAgent()
		a.RunJob("in", 0)
		wantIdleBut(t, b, first)
		work := a.StartJobWith("work")
		b.WantIdle()
		work.Finish(0).Want(t, http.StatusOK)
		a.RunJob("out", 0)
		w.WantBuild(first, "passed")
		// The second fails inside: what cannot run any more frees the gate.
		a.RunJob("in", 0)
		a.RunJob("work", 1)
		w.WantBuild(second, "failed")
		a.RunJob("in", 0)
		w.Cancel(third)
		w.WantBuild(third, "canceled")
		fourth := w.Build(slug)
		a.RunJob("in", 0)
		// Behind an open block nobody keeps a place.
		a.RunJob("work", 0)
		a.RunJob("out", 0)
		w.WantBuild(fourth, "passed")
		blocked := w.BuildOf("steps: [{block: Go}, {command: c, label: one, concurrency: 1, concurrency_group: gate}, wait, {command: c, label: two, concurrency: 1, concurrency_group: gate}]")
		w.Build(slug)
		a.RunJob("in", 0)
		unblock(w, w.Job(blocked, "Go").ID, nil, "")
		w.WantStates(blocked, "Go=unblocked one=scheduled =waiting two=waiting") // with its old place
	})
}

// wantIdleBut checks that an agent gets jobs of no build but one.
func wantIdleBut(t *testing.T, a *running.Agent, build domain.Build) {
	t.Helper()
	for _, r := range a.S.Read(2, `SELECT build_id, label FROM job_runs WHERE state = 'scheduled'`) {
		if r[0] != string(build.ID) {
			t.Errorf("%s of another build is scheduled", r[1])
		}
	}
}

func TestTimesOfABuildThatIsRetried(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		build := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b}]")
		failed := a.RunJob("a", 1)
		if w.Text(`SELECT CAST(failing_at AS TEXT) FROM builds`) == "" {
			t.Error("it is not noted since when the build fails")
		}
		a.RunJob("b", 0)
		if w.Text(`SELECT CAST(finished_at AS TEXT) FROM builds`) == "" {
			t.Error("a build that failed has no end")
		}
		if _, err := w.Builds.RetryJob(t.Context(), running.Admin, running.JobRef(failed.ID)); err != nil {
			t.Fatal(err)
		}
		if w.Text(`SELECT CAST(finished_at AS TEXT) FROM builds`) != "" {
			t.Error("a build that goes on has an end")
		}
		a.RunJob("a", 0)
		w.WantBuild(build, "passed")
		testkit.Change(t, w.DB, `UPDATE builds SET state = state WHERE finished_at >= started_at`)
	})
}
