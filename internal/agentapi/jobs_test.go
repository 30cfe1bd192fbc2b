package agentapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/service/starts"
	"penstock/internal/testkit"
	"penstock/internal/testkit/running"
)

func TestAJobFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: echo hi, label: a}]")
		w.WantBuild(build, "scheduled")
		a := w.NewAgent()
		j := a.AcceptJob()
		if a.Ping() != j.ID { // the answer may have been lost
			t.Error("an accepted job is not offered again")
		}
		j.Start().Want(t, http.StatusOK)
		a.WantIdle()
		w.WantBuild(build, "running")
		state := j.Send(http.MethodGet, "", nil).Want(t, http.StatusOK)
		if state.Text("state") != "running" {
			t.Errorf("%s", state)
		}
		j.Finish(0).Want(t, http.StatusOK)
		w.WantBuild(build, "passed")
		if events := w.Events(j.ID); events != "SCHEDULED ASSIGNED ACCEPTED STARTED FINISHED" {
			t.Error(events)
		}
		times := w.Read(1, `SELECT 'in order' FROM job_runs WHERE job_id = $1 AND created_at <= runnable_at AND runnable_at <= assigned_at AND assigned_at <= accepted_at
			AND accepted_at <= started_at AND started_at <= finished_at`, j.ID)
		if len(times) != 1 {
			t.Error("the times are not in order")
		}
		a.WantIdle()
	})
}

func TestTheAnswerOfAccept(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: upload, label: up}]")
		a := w.NewAgent()
		up := a.StartJobWith("up")
		const step = `{"label":"é <b> & \u003c","command":"a && b\nc > d","env":{"N":"1","T":"true"},"signature":{"value":"x","algorithm":"HS512","signed_fields":["command"]},"plugins":[{"github.com/a/b-buildkite-plugin#v1":null}],"priority":7,"timeout_in_minutes":3}`
		up.Upload(`{"steps":[`+step+`,{"command":"s","label":"nulls","secrets":null,"plugins":null,"env":null}]}`).Want(t, http.StatusOK)
		up.Finish(0).Want(t, http.StatusOK)
		j := a.AcceptJob()
		var answer struct {
			Step json.RawMessage `json:"step"`
		}
		if err := json.Unmarshal(j.Answer.Body, &answer); err != nil || string(answer.Step) != step {
			t.Errorf("the step is\n%s, not\n%s", answer.Step, step)
		}
		object := j.Answer.Object()
		for member, want := range map[string]any{"id": j.ID, "state": "accepted", "priority": 7.0, "chunks_interval_seconds": 1.0} {
			if object[member] != want {
				t.Errorf("%s is %v", member, object[member])
			}
		}
		if size, _ := object["chunks_max_size_bytes"].(float64); size < 1 || size > 1<<20 {
			t.Errorf("pieces of logs have %v bytes", object["chunks_max_size_bytes"])
		}
		if object["log_max_size_bytes"].(float64) != 1<<30 || object["runnable_at"] == "" || !testkit.IsToken(domain.JobTokenKind, j.Token) {
			t.Errorf("%s", j.Answer)
		}
		for name, value := range j.Env() {
			if _, isText := value.(string); !isText {
				t.Errorf("%s is %v", name, value)
			}
		}
		env := j.Env()
		for name, want := range map[string]string{"BUILDKITE_COMMAND": "a && b\nc > d", "BUILDKITE_PLUGINS": `[{"github.com/a/b-buildkite-plugin#v1":null}]`,
			"BUILDKITE_TIMEOUT": "3", "N": "1", "T": "true", "BUILDKITE_LABEL": "é <b> & <"} {
			if env[name] != want {
				t.Errorf("%s is %v", name, env[name])
			}
		}
		j.Start().Want(t, http.StatusOK)
		j.Finish(0).Want(t, http.StatusOK)
		nulls := a.AcceptJob()
		if strings.Contains(string(nulls.Answer.Body), `"secrets":null`) {
			t.Errorf("agents cannot read this: %s", nulls.Answer)
		}
	})
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		slug := w.Pipeline("env: {FROM: upload, A: upload, B: upload, BUILDKITE_BRANCH: stolen}\nsteps: [{command: c, label: a, key: k, env: {FROM: step, BUILDKITE_BUILD_NUMBER: \"9\"}}]",
			func(in *domain.PipelineInput) {
				in.Env = domain.Some(map[string]string{"FROM": "pipeline", "A": "pipeline", "B": "pipeline", "C": "pipeline", "D": "pipeline"})
			})
		build := w.Build(slug, func(in *domain.BuildInput) {
			in.Env = map[string]string{"FROM": "build", "A": "build", "C": "build"}
			in.Author = domain.Author{Name: "Ann", Email: "ann@example.com"}
			in.PullRequest = &domain.PullRequest{ID: "12", Base: "main", Labels: []string{"x", "y"}}
		})
		j := w.NewAgent("gpu-kind=a100").AcceptJob()
		env := j.Env()
		for name, want := range map[string]string{
			"FROM": "step", "A": "upload", "B": "upload", "C": "build", "D": "pipeline",
			"CI": "true", "BUILDKITE": "true", "BUILDKITE_BRANCH": "main", "BUILDKITE_BUILD_NUMBER": "1", "BUILDKITE_BUILD_ID": string(build.ID), "BUILDKITE_COMMIT": "HEAD",
			"BUILDKITE_BUILD_URL": w.URL + "/acme-inc/" + slug + "/builds/1", "BUILDKITE_JOB_ID": j.ID, "BUILDKITE_REPO": "https://example.com/acme/web.git",
			"BUILDKITE_ORGANIZATION_SLUG": "acme-inc", "BUILDKITE_PIPELINE_SLUG": slug, "BUILDKITE_PIPELINE_PROVIDER": "git", "BUILDKITE_STEP_KEY": "k", "BUILDKITE_LABEL": "a",
			"BUILDKITE_MESSAGE": "A change", "BUILDKITE_SOURCE": "api", "BUILDKITE_TAG": "", "BUILDKITE_RETRY_COUNT": "0", "BUILDKITE_CLUSTER_ID": running.Cluster, "BUILDKITE_CLUSTER_NAME": "Main",
			"BUILDKITE_COMPUTE_TYPE": "self-hosted", "BUILDKITE_AGENT_META_DATA_QUEUE": "default", "BUILDKITE_AGENT_META_DATA_GPU_KIND": "a100", "BUILDKITE_AGENT_ID": j.Agent.ID,
			"BUILDKITE_BUILD_AUTHOR": "Ann", "BUILDKITE_BUILD_AUTHOR_EMAIL": "ann@example.com", "BUILDKITE_BUILD_CREATOR": "Admin", "BUILDKITE_BUILD_CREATOR_EMAIL": "admin@example.com",
			"BUILDKITE_PULL_REQUEST": "12", "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main", "BUILDKITE_PULL_REQUEST_LABELS": "x,y", "BUILDKITE_REBUILT_FROM_BUILD_ID": "",
			"BUILDKITE_TRIGGERED_FROM_BUILD_ID": "", "BUILDKITE_PIPELINE_DEFAULT_BRANCH": "main",
		} {
			if env[name] != want {
				t.Errorf("%s is %q, not %q", name, env[name], want)
			}
		}
		if env["BUILDKITE_AGENT_NAME"] == "" || env["BUILDKITE_STEP_ID"] == "" {
			t.Error("no name of the agent, or no step")
		}
		if draft, isSet := env["BUILDKITE_PULL_REQUEST_DRAFT"]; isSet {
			t.Errorf("what is no draft is told that its draft is %v", draft)
		}
		w.Build(slug, func(in *domain.BuildInput) { in.PullRequest = &domain.PullRequest{ID: "13", Draft: true} })
		if draft := w.NewAgent().AcceptJob().Env()["BUILDKITE_PULL_REQUEST_DRAFT"]; draft != "true" {
			t.Errorf("a draft is told that its draft is %v", draft)
		}
	})
}

// TestEnvironmentOfEventsCheckoutsAndPeople reads the variables that only some jobs have.
func TestEnvironmentOfEventsCheckoutsAndPeople(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		wantEnv := func(env map[string]any, want map[string]any) {
			t.Helper()
			for name, value := range want {
				if env[name] != value {
					t.Errorf("%s is %v, not %v", name, env[name], value)
				}
			}
		}
		slug := w.Pipeline(`steps:
- {block: Go}
- command: c
  label: a
  checkout:
    submodules: false
    lfs: true
    depth: 3
    commit_verification: strict
    sparse: {paths: [a, b]}
    flags: {clone: [-v, --bare], fetch: -q, checkout: -f, clean: -ffxdq}
- {command: c, label: plain}
- {command: c, label: skips, checkout: {skip: true}}`)
		for _, sql := range []string{
			`INSERT INTO team_members (id, team_id, organization_id, user_id, role, created_at) SELECT 'membership', '` + running.TeamID + `', o.id, u.id, 'member', 0 FROM organizations o, users u WHERE o.slug = 'acme-inc' AND u.email = 'admin@example.com'`,
			`INSERT INTO team_pipelines (id, team_id, organization_id, pipeline_id, access_level, created_at) SELECT 'access', '` + running.TeamID + `', p.organization_id, p.id, 'read_only', 0 FROM pipelines p WHERE p.slug = '` + slug + `'`,
		} {
			testkit.Exec(t, w.DB, sql)
		}
		build := w.Build(slug, func(in *domain.BuildInput) {
			in.CleanCheckout = true
			in.Event = &domain.BuildEvent{Name: "merge_group", Action: "checks_requested", Refspec: "refs/pull/7/head", MergeQueue: &domain.MergeQueue{BaseBranch: "main", BaseCommit: strings.Repeat("b", 40)}}
		})
		unblock(w, w.Job(build, "Go").ID, nil, "")
		a := w.NewAgent()
		j := a.StartJobWith("a")
		wantEnv(j.Env(), map[string]any{
			"BUILDKITE_GITHUB_EVENT": "merge_group", "BUILDKITE_GITHUB_ACTION": "checks_requested", "BUILDKITE_REFSPEC": "refs/pull/7/head",
			"BUILDKITE_MERGE_QUEUE_BASE_BRANCH": "main", "BUILDKITE_MERGE_QUEUE_BASE_COMMIT": strings.Repeat("b", 40),
			"BUILDKITE_CLEAN_CHECKOUT": "true", "BUILDKITE_GIT_SUBMODULES": "false", "BUILDKITE_GIT_LFS_ENABLED": "true", "BUILDKITE_GIT_CLONE_FLAGS": "-v --bare --depth=3",
			"BUILDKITE_GIT_FETCH_FLAGS": "-q --depth=3", "BUILDKITE_GIT_CHECKOUT_FLAGS": "-f", "BUILDKITE_GIT_CLEAN_FLAGS": "-ffxdq", "BUILDKITE_GIT_SPARSE_CHECKOUT_PATHS": "a,b",
			"BUILDKITE_GIT_COMMIT_VERIFICATION": "strict", "BUILDKITE_SKIP_CHECKOUT": nil,
			"BUILDKITE_UNBLOCKER": "Admin", "BUILDKITE_UNBLOCKER_ID": w.Text(`SELECT id FROM users WHERE email = 'admin@example.com'`), "BUILDKITE_UNBLOCKER_TEAMS": "release",
			"BUILDKITE_BUILD_CREATOR_TEAMS": "release", "BUILDKITE_PIPELINE_TEAMS": "release",
		})
		j.Finish(0).Want(t, http.StatusOK)
		j = a.StartJobWith("plain")
		wantEnv(j.Env(), map[string]any{"BUILDKITE_GIT_CLONE_FLAGS": nil, "BUILDKITE_GIT_SUBMODULES": nil, "BUILDKITE_CLEAN_CHECKOUT": "true"})
		j.Finish(0).Want(t, http.StatusOK)
		wantEnv(a.StartJobWith("skips").Env(), map[string]any{"BUILDKITE_SKIP_CHECKOUT": "true"})
		w.Build(w.Pipeline("steps: [{command: c, label: d}]"))
		wantEnv(w.NewAgent().StartJobWith("d").Env(), map[string]any{"BUILDKITE_GITHUB_EVENT": nil, "BUILDKITE_REFSPEC": nil, "BUILDKITE_MERGE_QUEUE_BASE_BRANCH": nil, "BUILDKITE_CLEAN_CHECKOUT": nil,
			"BUILDKITE_UNBLOCKER_ID": nil, "BUILDKITE_UNBLOCKER_TEAMS": nil, "BUILDKITE_PIPELINE_TEAMS": ""})

		// The queue of the job says whose machines they are, whoever runs it.
		hosted := w.BuildOf("steps: [{command: c, label: h, agents: {queue: other}}]")
		testkit.Change(t, w.DB, `UPDATE cluster_queues SET instance_shape = 'LINUX_AMD64_2X4' WHERE cluster_id = $1 AND key = 'other'`, running.Cluster)
		id := w.Job(hosted, "h").ID
		shown, err := w.Builds.JobEnv(t.Context(), running.Admin, running.JobRef(id))
		if err != nil || shown["BUILDKITE_COMPUTE_TYPE"] != "hosted" {
			t.Errorf("before it runs, it is shown as %s, %v", shown["BUILDKITE_COMPUTE_TYPE"], err)
		}
		runner := w.NewAgent()
		answer := w.Send(http.MethodPut, "jobs/"+id+"/acquire", runner.Session, nil, "X-Buildkite-Lock-Acquire-Job", "1").Want(t, http.StatusOK)
		acquired := runner.Accepted(id, answer)
		wantEnv(acquired.Env(), map[string]any{"BUILDKITE_COMPUTE_TYPE": "hosted"})
	})
}

// TestTheDeliveryOfABuildIsItsMetaData has jobs read what a repository host and a program delivered that their builds were made for, for as long as that is kept.
func TestTheDeliveryOfABuildIsItsMetaData(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		started := starts.New(starts.Options{Core: w.Core, BaseURL: w.URL})
		slug := w.Pipeline("steps: [{command: c, label: a}]")
		header := http.Header{"Content-Type": {"application/json"}, "X-Gitea-Event": {"push"}, "X-Gitea-Delivery": {"one"}}
		commit := strings.Repeat("1", 40)
		body := `{"ref": "refs/heads/main", "before": "` + strings.Repeat("2", 40) + `", "after": "` + commit + `", "repository": {"full_name": "acme/web"}, "head_commit": {"id": "` + commit + `", "message": "é"}}`
		a := w.NewAgent()
		read := func(what, body string, found bool) {
			t.Helper()
			j := a.StartJobWith("a")
			wants := func(status int, value string, exists bool) {
				t.Helper()
				answer := j.Send(http.MethodPost, "/data/get", map[string]string{"key": "buildkite:webhook"}).Want(t, status)
				if status == http.StatusOK && answer.Text("value") != value {
					t.Errorf("%s: the job reads %s", what, answer.Text("value"))
				}
				if got := j.Send(http.MethodPost, "/data/exists", map[string]string{"key": "buildkite:webhook"}).Want(t, http.StatusOK).Object()["exists"]; got != exists {
					t.Errorf("%s: whether there is a delivery is %v", what, got)
				}
			}
			if found {
				wants(http.StatusOK, body, true)
				testkit.Exec(t, w.DB, `UPDATE deliveries SET received_at = received_at - 604801000000`)
				if _, err := started.PruneDeliveries(t.Context(), authz.OperatorActor()); err != nil {
					t.Fatal(err)
				}
			}
			wants(http.StatusNotFound, "", false)
			j.Finish(0).Want(t, http.StatusOK)
		}
		token := domain.Secret(w.Text(`SELECT webhook_token FROM pipelines WHERE slug = $1`, slug))
		if done, err := started.Deliver(t.Context(), authz.Actor{}, token, header, []byte(body)); err != nil || done.Outcome != "built #1" {
			t.Fatal(done.Outcome, err)
		}
		read("a push", body, true)
		_, address, err := started.CreatePipelineTrigger(t.Context(), running.Admin, running.PipelineRef(slug), core.Value(domain.PipelineTriggerInput{Type: domain.Some("webhook"), Label: domain.Some("Deploy")}))
		if err != nil {
			t.Fatal(err)
		}
		called := `{"action": "go"}`
		if done, err := started.DeliverToTrigger(t.Context(), authz.Actor{}, domain.Secret(path.Base(address.Reveal())), http.Header{"Content-Type": {"application/json"}}, []byte(called)); err != nil || done.Build == nil {
			t.Fatal(done.Outcome, err)
		}
		read("a trigger", called, true)
		w.Build(slug)
		read("a build that a person made", "", false)
	})
}

func TestEnvironmentOfLaterUploads(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("env: {A: \"1\", B: \"1\"}\nsteps: [{command: c, label: up}, {command: c, label: beside}]")
		a, b := w.NewAgent(), w.NewAgent()
		up := a.StartJobWith("up")
		if up.Env()["A"] != "1" {
			t.Errorf("A is %v", up.Env()["A"])
		}
		up.Upload(`{"env":{"A":"2"},"steps":[{"command":"c","label":"new"}]}`).Want(t, http.StatusOK)
		if env := b.StartJobWith("beside").Env(); env["A"] != "2" || env["B"] != "1" {
			t.Errorf("A is %v, B is %v: what an upload sets counts for all that has not started", env["A"], env["B"])
		}
	})
}

func TestLabelsNumberParallelJobs(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf(`steps: [{command: c, label: "%n, %N of %t, 100%", key: p, parallelism: 2}, {command: c, label: "%n of %t"}]`)
		w.WantStates(build, "0, 1 of 2, 100%=scheduled 1, 2 of 2, 100%=scheduled %n of %t=scheduled")
		j := w.NewAgent().StartJob()
		if got := j.Env()["BUILDKITE_LABEL"]; got != "0, 1 of 2, 100%" {
			t.Errorf("the job is told that it is %q", got)
		}
		w.Send(http.MethodPut, "steps/p", j.Token, map[string]any{"attribute": "parallelism", "value": "3"}).Want(t, http.StatusOK)
		w.Send(http.MethodPut, "steps/p", j.Token, map[string]any{"attribute": "label", "value": "!", "append": true}).Want(t, http.StatusOK)
		w.WantStates(build, "0, 1 of 3, 100%!=running 1, 2 of 3, 100%!=scheduled 2, 3 of 3, 100%!=scheduled %n of %t=scheduled")
	})
}

func TestParallelAndMatrixJobs(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: p, parallelism: 5, key: p}]")
		a := w.NewAgent()
		for i := range 5 {
			j := a.StartJobWith("p")
			if env := j.Env(); env["BUILDKITE_PARALLEL_JOB"] != fmt.Sprint(i) || env["BUILDKITE_PARALLEL_JOB_COUNT"] != "5" {
				t.Errorf("%v of %v", env["BUILDKITE_PARALLEL_JOB"], env["BUILDKITE_PARALLEL_JOB_COUNT"])
			}
			j.Finish(0).Want(t, http.StatusOK)
		}
		build := w.BuildOf(`steps:
  - command: make {{matrix.os}}
    label: "{{matrix.os}} {{matrix.n}}"
    env: {N: "{{matrix.n}}"}
    matrix:
      setup: {os: [linux, mac], n: ["1", "2", "3"]}
      adjustments: [{with: {os: mac, n: "3"}, skip: true}]
`)
		ran := map[string]bool{}
		for range 5 {
			j := a.StartJob()
			permutation, _ := j.Answer.Object()["matrix_permutation"].(map[string]any)
			label := fmt.Sprint(permutation["os"], " ", permutation["n"])
			if env := j.Env(); env["BUILDKITE_LABEL"] != label || env["N"] != permutation["n"] || env["BUILDKITE_COMMAND"] != "make "+permutation["os"].(string) {
				t.Errorf("%v: %v", permutation, env)
			}
			ran[label] = true
			j.Finish(0).Want(t, http.StatusOK)
		}
		a.WantIdle()
		if len(ran) != 5 || ran["mac 3"] {
			t.Errorf("%v", ran)
		}
		w.WantBuild(build, "passed")
	})
}

func TestCallsThatAreRepeated(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a, retry: {automatic: {exit_status: 1, limit: 3}}}]")
		a := w.NewAgent()
		first := a.AcceptJob()
		again := a.SendAccept(first.ID).Want(t, http.StatusOK)
		j := a.Accepted(first.ID, again)
		first.Start().Want(t, http.StatusUnauthorized) // one token only is good
		first.Send(http.MethodGet, "", nil).Want(t, http.StatusUnauthorized)
		for range 3 {
			j.Start().Want(t, http.StatusOK)
		}
		a.SendAccept(j.ID).WantMessage(t, http.StatusUnprocessableEntity, "This job is not assigned to this agent")
		j.Send(http.MethodGet, "", nil).Want(t, http.StatusOK) // and its token is good still
		for range 3 {
			j.Finish(1).Want(t, http.StatusOK)
		}
		j.Finish(0).Want(t, http.StatusOK)
		if jobs := w.Jobs(build); len(jobs) != 2 || jobs[0].Exit != "1" {
			t.Errorf("%v", jobs)
		}
		if events := w.Events(j.ID); events != "SCHEDULED ASSIGNED ACCEPTED STARTED FINISHED RETRIED" {
			t.Error(events)
		}
	})
}

func TestTwoAgentsAndOneJob(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		w.BuildOf("steps: [{command: c, label: a}]")
		a, b := w.NewAgent(), w.NewAgent()
		id := a.Ping()
		b.SendAccept(id).WantMessage(t, http.StatusUnprocessableEntity, "This job is not assigned to this agent")
		b.WantIdle()
		j := a.AcceptJob()
		b.SendAccept(id).Want(t, http.StatusUnprocessableEntity)
		w.Send(http.MethodPut, "jobs/"+id+"/acquire", b.Session, nil, "X-Buildkite-Lock-Acquire-Job", "1").
			WantMessage(t, http.StatusUnprocessableEntity, "Job "+id+" is no longer eligible to be assigned an agent")
		j.Start().Want(t, http.StatusOK)
	})
}

func TestJobsThatAreNotTakenInTime(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a}]")
		a := w.NewAgent()
		id := a.Ping()
		w.EndOverdue()
		w.WantJob(id, "assigned")
		w.Advance(domain.AssignedFor)
		w.EndOverdue()
		w.WantJob(id, "scheduled")
		a.SendAccept(id).Want(t, http.StatusUnprocessableEntity)
		for range 2 { // offers two and three
			j := a.AcceptJob()
			w.Advance(domain.AcceptedFor)
			w.EndOverdue()
			w.WantJob(id, "scheduled")
			j.Start().Want(t, http.StatusUnauthorized)
			j.Finish(0).Want(t, http.StatusUnauthorized)
		}
		a.WantIdle() // it has had its chance
		w.WantBuild(build, "scheduled")
		if events := w.Events(id); events != "SCHEDULED ASSIGNED ASSIGNED_EXPIRED ASSIGNED ACCEPTED ACCEPTED_EXPIRED ASSIGNED ACCEPTED ACCEPTED_EXPIRED" {
			t.Error(events)
		}
		w.NewAgent().RunJob("a", 0)
		w.WantBuild(build, "passed")
	})
}

func TestCancelBeforeAJobStarts(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		a := w.NewAgent()
		assigned := w.BuildOf("steps: [{command: c, label: a}]")
		id := a.Ping()
		w.Cancel(assigned)
		a.SendAccept(id).Want(t, http.StatusUnprocessableEntity)
		w.WantBuild(assigned, "canceled")
		a.WantIdle()

		accepted := w.BuildOf("steps: [{command: c, label: b}]")
		j := a.AcceptJob()
		w.Cancel(accepted)
		j.Start().WantMessage(t, http.StatusUnprocessableEntity, "This job can't be started while the build is in a `canceled` state.")
		w.WantStates(accepted, "b=canceled")
		w.EndOverdue()
		w.WantBuild(accepted, "canceled")

		w.BuildOf("steps: [{command: c, label: c}]")
		a.RunJob("c", 0)

		// The answer of start was lost: it is repeated when the job is being canceled, and the agent must go on to its end.
		started := w.BuildOf("steps: [{command: c, label: d}]")
		j = a.StartJob()
		w.Cancel(started)
		j.Start().Want(t, http.StatusOK)
		if state := j.Send(http.MethodGet, "", nil).Text("state"); state != "canceling" {
			t.Errorf("the job is %s", state)
		}
		w.WantBuild(started, "canceling")
		j.Finish(-1).Want(t, http.StatusOK)
		w.WantBuild(started, "canceled")
		j.Finish(0).Want(t, http.StatusOK)
		w.WantJob(j.ID, "canceled")
	})
}

func TestAcquire(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a, agents: {queue: other, os: plan9}}, wait, {command: c, label: b}, {block: go}]")
		a := w.NewAgent()
		acquire := func(id string) *testkit.Answer {
			t.Helper()
			return w.Send(http.MethodPut, "jobs/"+id+"/acquire", a.Session, nil, "X-Buildkite-Lock-Acquire-Job", "1")
		}
		acquire(w.Job(build, "b").ID).Want(t, http.StatusLocked)
		acquire(w.Job(build, "go").ID).Want(t, http.StatusUnprocessableEntity) // which no agent runs
		acquire(domain.NewID[string]()).Want(t, http.StatusNotFound)
		id := w.Job(build, "a").ID
		acquire(id).Want(t, http.StatusOK) // an answer that was lost
		answer := acquire(id).Want(t, http.StatusOK)
		j := a.Accepted(id, answer)
		j.Start().Want(t, http.StatusOK)
		acquire(id).WantMessage(t, http.StatusUnprocessableEntity, "Job "+id+" is no longer eligible to be assigned an agent")
		j.Send(http.MethodPut, "/finish", map[string]any{"exit_status": "0", "ignore_agent_in_dispatches": true}).Want(t, http.StatusOK)
		acquire(id).Want(t, http.StatusUnprocessableEntity)
		w.WantStates(build, "a=finished =finished b=scheduled go=waiting")
		a.WantIdle() // it wanted one job only

		elsewhere := w.NewAgentToken(running.SecondCluster, domain.AgentTokenInput{})
		made := w.Register(elsewhere, running.Registration()).Want(t, http.StatusOK)
		w.Send(http.MethodPut, "jobs/"+w.Job(build, "b").ID+"/acquire", made.Text("access_token"), nil).Want(t, http.StatusNotFound)
	})
}

func TestPromisesToFail(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: soft, soft_fail: true}, {command: c, label: again, retry: {automatic: true}}, {command: c, label: unwanted, cancel_on_build_failing: true}]")
		agents := []*running.Agent{w.NewAgent(), w.NewAgent(), w.NewAgent(), w.NewAgent()}
		accepted := agents[0].AcceptJob()
		promise := func(j *running.Job, status any) *testkit.Answer {
			t.Helper()
			return j.Send(http.MethodPut, "/promise_failure", map[string]any{"exit_status": status, "reason": "a test failed"})
		}
		promise(accepted, 3).Want(t, http.StatusUnprocessableEntity) // it does not run
		accepted.Start().Want(t, http.StatusOK)
		soft, again, unwanted := agents[1].StartJobWith("soft"), agents[2].StartJobWith("again"), agents[3].StartJobWith("unwanted")
		promise(soft, 2).Want(t, http.StatusNoContent)
		promise(again, 2).Want(t, http.StatusNoContent)
		w.WantBuild(build, "running")
		promise(accepted, 0).Want(t, http.StatusUnprocessableEntity)
		promise(accepted, "x").Want(t, http.StatusBadRequest)
		promise(accepted, 1.5).Want(t, http.StatusUnprocessableEntity)
		promise(accepted, 3).Want(t, http.StatusNoContent)
		promise(accepted, 3).Want(t, http.StatusNoContent)
		promise(accepted, 4).Want(t, http.StatusUnprocessableEntity)
		w.WantBuild(build, "failing")
		w.WantJob(unwanted.ID, "canceling")
		unwanted.Finish(-1).Want(t, http.StatusOK)
		accepted.Finish(0).Want(t, http.StatusOK)
		soft.Finish(0).Want(t, http.StatusOK)
		again.Finish(0).Want(t, http.StatusOK)
		for label, exit := range map[string]string{"a": "3", "soft": "2"} {
			if j := w.Job(build, label); j.Exit != exit {
				t.Errorf("%v", j)
			}
		}
		w.WantStates(build, "a=finished soft=finished again=finished again=scheduled unwanted=canceled")
		promise(accepted, 3).Want(t, http.StatusUnauthorized)
	})
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a, timeout_in_minutes: 1}, {command: c, label: trap, timeout_in_minutes: 1}, {command: c, label: endless, timeout_in_minutes: 2147483647}]")
		a, b, c := w.NewAgent(), w.NewAgent(), w.NewAgent()
		first, trap, endless := a.StartJobWith("a"), b.StartJobWith("trap"), c.StartJobWith("endless")
		w.EndOverdue()
		w.WantStates(build, "a=running trap=running endless=running")
		testkit.Change(t, w.DB, `UPDATE job_runs SET deadline = deadline - 60000000`)
		w.EndOverdue()
		w.WantStates(build, "a=timing_out trap=timing_out endless=running")
		if state := first.Send(http.MethodGet, "", nil).Text("state"); state != "timing_out" {
			t.Errorf("the agent is told %s", state)
		}
		first.Start().Want(t, http.StatusOK) // again
		first.Finish(-1).Want(t, http.StatusOK)
		trap.Finish(0).Want(t, http.StatusOK)
		endless.Finish(0).Want(t, http.StatusOK)
		w.WantStates(build, "a=timed_out trap=timed_out endless=finished")
		if j := w.Job(build, "trap"); j.Outcome != "passed" {
			t.Errorf("%v", j)
		}
		if j := w.Job(build, "a"); j.Outcome != "errored" {
			t.Errorf("%v", j)
		}
		w.WantBuild(build, "failed")
	})
}

func TestAJobChangesItsTimeout(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		slug := w.Pipeline("steps: [{command: c, label: a, timeout_in_minutes: 10}, {command: c, label: b}]", func(in *domain.PipelineInput) {
			in.MaximumCommandStepTimeout = domain.Some(int64(65))
		})
		w.Build(slug)
		a, b := w.NewAgent(), w.NewAgent()
		j := a.AcceptJob()
		set := func(body any) *testkit.Answer {
			t.Helper()
			return j.Send(http.MethodPut, "", body)
		}
		set(map[string]any{"timeout_in_minutes": "20"}).Want(t, http.StatusUnprocessableEntity)
		j.Start().Want(t, http.StatusOK)
		for _, body := range []any{nil, map[string]any{}, map[string]any{"timeout": "0"}, map[string]any{"timeout": -1}, map[string]any{"timeout": "66"}, map[string]any{"timeout": "x"},
			map[string]any{"timeout": "2000000000"}, map[string]any{"timeout": "9999999999999999999"}, map[string]any{"timeout": nil}, map[string]any{"timeout": []int{1}}} {
			set(body).Want(t, http.StatusUnprocessableEntity)
		}
		if id := set(map[string]any{"timeout_in_minutes": "20"}).Want(t, http.StatusOK).Text("id"); id != j.ID {
			t.Errorf("the answer has the id %s", id)
		}
		set(map[string]any{"timeout": 65}).Want(t, http.StatusOK)
		if minutes := w.Text(`SELECT CAST((deadline - started_at) / 60000000 AS TEXT) FROM job_runs WHERE job_id = $1`, j.ID); minutes != "65" {
			t.Errorf("the job may run for %s minutes", minutes)
		}
		if b := b.StartJobWith("b"); b.Env()["BUILDKITE_TIMEOUT"] != "65" {
			t.Error("the maximum does not count where none is set")
		}
		j.Finish(0).Want(t, http.StatusOK)
		set(map[string]any{"timeout": 60}).Want(t, http.StatusUnauthorized)
	})
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		build := w.BuildOf("steps: [{command: c, label: a}, {command: c, label: b}, {command: c, label: held, concurrency: 1, concurrency_group: g}," +
			" {command: c, label: limited, concurrency: 1, concurrency_group: g}, {command: c, label: queueless}]")
		w.Exec(`DELETE FROM ready_jobs WHERE job_id = (SELECT job_id FROM job_runs WHERE label = 'queueless')`)
		w.Exec(`UPDATE job_runs SET queue_id = NULL WHERE label = 'queueless'`) // as when its queue is deleted
		current := w.NewAgent().StartJobWith("a")
		expire(t, w)
		w.WantStates(build, "a=running b=scheduled held=scheduled limited=limited queueless=scheduled")
		w.Advance(30 * 24 * time.Hour)
		expire(t, w)
		w.WantStates(build, "a=running b=expired held=expired limited=expired queueless=expired")
		current.Finish(0).Want(t, http.StatusOK)
		w.WantBuild(build, "failed")
	})
}

// TestPipelinesSayWhenTheirJobsExpire lets jobs of several pipelines wait for an hour.
func TestPipelinesSayWhenTheirJobsExpire(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, w *running.Server) {
		builds := map[string]domain.Build{}
		for state, minutes := range map[string]domain.Optional[int64]{
			"a=expired": domain.Some(int64(60)), "a=scheduled": domain.Some(int64(61)), "a=scheduled without a limit": domain.Null[int64](), "a=scheduled with none": domain.Some(int64(0)),
		} {
			builds[state] = w.Build(w.Pipeline("steps: [{command: c, label: a}]", func(in *domain.PipelineInput) { in.ScheduledJobExpiryInMinutes = minutes }))
		}
		expire(t, w)
		for _, build := range builds {
			w.WantStates(build, "a=scheduled")
		}
		w.Advance(time.Hour)
		expire(t, w)
		for state, build := range builds {
			w.WantStates(build, strings.Fields(state)[0])
		}
	})
}
