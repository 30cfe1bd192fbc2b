package rest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// jobPaths returns both paths of a job of a build.
func jobPaths(build, job string) []string {
	return []string{build + "/jobs/" + job, organizationPath + "/jobs/" + job}
}

// jobOf returns the job of a build whose step has the key.
func jobOf(t testing.TB, s *testkit.Server, build, key string) map[string]any {
	t.Helper()
	for _, job := range jobsIn(s.Get(testkit.AdminToken, build).Want(t, 200)) {
		if job["step_key"] == key {
			return job
		}
	}
	t.Fatalf("%s has no job %s", build, key)
	return nil
}

func idOf(job map[string]any) string {
	id, _ := job["id"].(string)
	return id
}

func TestJobsOfEveryType(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		target := createdBuilt(t, s, "Target", "steps: [{command: make}]")
		pipeline := createdBuilt(t, s, "Web", `steps:
  - {trigger: target, key: trigger, async: true}
  - {group: Group, key: group, steps: [{command: a, key: a, parallelism: 2, priority: 7}]}
  - {command: "m {{matrix.os}}", key: m, matrix: {setup: {os: [linux]}}}
  - {command: "l {{matrix}}", key: l, matrix: [one]}
  - {command: "x", key: skipped, skip: "not now"}
  - {block: Go on, key: block}
  - {command: z, key: z}
`)
		build := pathOf(s, createdBuild(t, s, pipeline))
		runTasks(t, s)
		untilState(t, s, build, "trigger", "passed")
		triggered := s.Get(testkit.AdminToken, target+"/builds/1").Want(t, 200)
		has := func(key, text string) {
			t.Helper()
			job := jobOf(t, s, build, key)
			shown := map[string]any{}
			want := map[string]any{}
			decode(t, text, &want)
			for member := range want {
				shown[member] = job[member]
			}
			wantExactly(t, shown, text)
			for _, path := range jobPaths(build, idOf(job)) {
				if got := s.Get(testkit.AdminToken, path).Want(t, 200); string(asJSON(t, got.Object())) != string(asJSON(t, job)) {
					t.Errorf("%s shows %s", path, got)
				}
			}
		}
		global := func(kind, key string) string { return globalID(kind, idOf(jobOf(t, s, build, key))) }
		has("trigger", `{"type": "trigger", "graphql_id": "`+global("JobTypeTrigger", "trigger")+`", "async": true, "command": null, "state": "passed", "triggered_build": {"id": "`+triggered.Text("id")+`",
			"number": 1, "url": "`+triggered.Text("url")+`", "web_url": "`+triggered.Text("web_url")+`"}}`)
		has("a", `{"type": "script", "group_key": "group", "parallel_group_index": 0, "parallel_group_total": 2, "priority": {"number": 7}, "matrix": null, "state": "scheduled"}`)
		has("m", `{"type": "script", "command": "m linux", "matrix": {"os": "linux"}}`)
		has("l", `{"command": "l one", "matrix": "one"}`)
		has("skipped", `{"state": "broken", "broken_reason": "not now", "exit_status": null}`)
		unblock := s.URL + build + "/jobs/" + idOf(jobOf(t, s, build, "block")) + "/unblock"
		has("block", `{"type": "manual", "graphql_id": "`+global("JobTypeBlock", "block")+`", "name": "Go on", "state": "waiting", "unblockable": false, "unblock_url": "`+unblock+`"}`)
		has("z", `{"state": "waiting", "agent": null, "runnable_at": null}`)
		wantExactly(t, timeless(t, triggered)["triggered_from"], `{"build_id": "PARENT", "build_number": 1, "build_pipeline_slug": "web"}`, "PARENT",
			s.Get(testkit.AdminToken, build).Text("id"))
		for range 5 { // those of the other build too
			agent.take().finish(0)
		}
		has("block", `{"state": "blocked", "unblockable": true}`)

		waits := createdBuilt(t, s, "Waits", "steps: [{command: a}, wait]")
		wait := jobsIn(createdBuild(t, s, waits))[1]
		if wait["type"] != "waiter" || wait["name"] != nil || wait["unblockable"] != nil || wait["graphql_id"] != globalID("JobTypeWait", idOf(wait)) {
			t.Errorf("a wait is shown as %v", wait)
		}
	})
}

func TestJobsComeInParts(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", `steps:
  - {command: a, key: a, retry: {automatic: [{exit_status: 3, limit: 1}]}}
  - {group: G, key: g, steps: [{command: b, key: b, parallelism: 3}]}
  - {command: c, key: c}
`)
		build := pathOf(s, createdBuild(t, s, pipeline))
		agent.take().finish(3)
		jobs := build + "/jobs"
		keys := func(query string) string {
			t.Helper()
			return column(s.Get(testkit.AdminToken, jobs+query).Want(t, 200).List(), "step_key")
		}
		for query, want := range map[string]string{
			"": "[a a b b b c]", "?include_retried_jobs=true": "[a a b b b c]", "?include_retried_jobs=false": "[a b b b c]", "?step_key=b": "[b b b]", "?group_key=g": "[b b b]",
			"?group_key=b": "[]", "?step_key=g": "[]", "?step_key=b&group_key=g&state[]=scheduled": "[b b b]", "?state[]=failed": "[a]", "?state=failed&include_retried_jobs=false": "[]",
			"?state[]=failed&state[]=scheduled": "[a a b b b c]", "?state[]=passed": "[]", "?step_key=%00": "[]", "?step_key=": "[a a b b b c]",
		} {
			if got := keys(query); got != want {
				t.Errorf("%s lists %s, not %s", query, got, want)
			}
		}
		page := s.Get(testkit.AdminToken, jobs+"?per_page=2&state[]=scheduled&state[]=failed").Want(t, 200)
		all := testkit.Column(page.List(), "id")
		for linksOf(page)["next"] != nil {
			page = follow(t, s, page, "next")
			all = append(all, testkit.Column(page.List(), "id")...)
		}
		if whole := testkit.Column(s.Get(testkit.AdminToken, jobs).List(), "id"); !slices.Equal(all, whole) || len(all) != 6 {
			t.Errorf("by parts, the jobs are %v, not %v", all, whole)
		}
		if back := follow(t, s, page, "prev"); !slices.Equal(testkit.Column(back.List(), "id"), all[2:4]) {
			t.Errorf("prev leads to %s", back)
		}
		for _, query := range []string{"?state=nonsense", "?per_page=0", "?per_page=101", "?after=x", "?after=", "?after=a&before=b", "?state=%zz"} {
			s.Get(testkit.AdminToken, jobs+query).Want(t, 400)
		}
		// A cursor of one list is none of another.
		next := cursorIn(t, s.Get(testkit.AdminToken, jobs+"?per_page=1"), "next", "after")
		s.Get(testkit.AdminToken, jobs+"?per_page=1&step_key=a&after="+next).Want(t, 400)
	})
}

func TestJobsAreFoundInTheirPlaces(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		web, api := createdBuilt(t, s, "Web", "steps: [{command: a}]"), createdBuilt(t, s, "API", "steps: [{command: a}]")
		build, other := createdBuild(t, s, web), createdBuild(t, s, api)
		job := idOf(jobsIn(build)[0])
		for _, path := range []string{
			pathOf(s, other) + "/jobs/" + job, web + "/builds/1/jobs/" + idOf(jobsIn(other)[0]), web + "/builds/1/jobs/x", organizationPath + "/jobs/" + domain.NewID[string](),
		} {
			s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No job found")
			s.Get(testkit.AdminToken, path+"/env").WantMessage(t, 404, "No job found")
			for _, action := range []string{"retry", "unblock"} {
				s.Put(testkit.AdminToken, path+"/"+action, nil).WantMessage(t, 404, "No job found")
			}
			s.Put(testkit.AdminToken, path+"/reprioritize", `{"priority": 1}`).WantMessage(t, 404, "No job found")
		}
		s.Get(testkit.AdminToken, web+"/builds/7/jobs/"+job).WantMessage(t, 404, "No build found")
		s.Get(testkit.AdminToken, web+"/builds/7/jobs").WantMessage(t, 404, "No build found")
		s.Get(testkit.AdminToken, pipelinesPath+"/none/builds/1/jobs/"+job).WantMessage(t, 404, "No pipeline found")
		// Through another organization a job is not found, and what is said does not tell that it exists.
		s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere/jobs/"+job).WantMessage(t, 404, "No job found")
		s.Put(testkit.OutsiderToken, "/v2/organizations/elsewhere/jobs/"+job+"/retry", nil).WantMessage(t, 404, "No job found")
		s.Get(testkit.OutsiderToken, organizationPath+"/jobs/"+job).WantMessage(t, 404, "No organization found")
	})
}

func TestRetryOfAJob(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", `steps:
  - {command: a, key: a}
  - {command: b, key: b, retry: {manual: {permit_on_passed: true}}}
  - {command: c, key: c, retry: {manual: {allowed: false, reason: "No use"}}}
  - {block: Go on, key: block}
`)
		build := pathOf(s, createdBuild(t, s, pipeline))
		const only = "Only failed, timed out or canceled jobs can be retried"
		retry := func(key string) *testkit.Answer {
			t.Helper()
			return s.Put(testkit.AdminToken, build+"/jobs/"+idOf(jobOf(t, s, build, key))+"/retry", nil)
		}
		retry("a").WantMessage(t, 400, only) // it has not run
		agent.take().finish(0)
		agent.take().finish(0)
		agent.take().finish(1)
		retry("a").WantMessage(t, 400, only) // it passed
		retry("block").WantMessage(t, 400, only)
		retry("c").WantMessage(t, 422, "Job can't be retried: No use")
		first := idOf(jobOf(t, s, build, "b"))
		again := retry("b").Want(t, 200)
		wantMembers(t, again, `{"state": "scheduled", "retries_count": 1, "retry_type": "manual", "retry_source": {"job_id": "FIRST", "retry_type": "manual"}, "retried": false, "agent": null,
			"retried_in_job_id": null, "retried_by": null}`, "FIRST", first)
		for _, path := range jobPaths(build, first) {
			wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), `{"retried": true, "retried_in_job_id": "AGAIN", "retries_count": 0, "retry_type": null}`, "AGAIN", again.Text("id"))
			if by, _ := s.Get(testkit.AdminToken, path).Object()["retried_by"].(map[string]any); by["id"] != testkit.AdminID {
				t.Errorf("%s was retried by %v", path, by)
			}
			s.Put(testkit.AdminToken, path+"/retry", nil).WantMessage(t, 422, "Job has already been retried")
		}
		s.Put(testkit.AdminToken, build+"/cancel", nil).Want(t, 200)
		for _, path := range jobPaths(build, again.Text("id")) {
			s.Put(testkit.AdminToken, path+"/retry", nil).WantMessage(t, 422, "Jobs from canceled builds cannot be retried")
		}
	})
}

func TestReprioritizeAJob(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: a, key: a}, {command: b, key: b}, {command: c, key: c}]")
		build := pathOf(s, createdBuild(t, s, pipeline))
		b, c := idOf(jobOf(t, s, build, "b")), idOf(jobOf(t, s, build, "c"))
		wantMembers(t, s.Put(testkit.AdminToken, build+"/jobs/"+c+"/reprioritize", `{"priority": 2}`).Want(t, 200), `{"id": "C", "priority": {"number": 2}, "state": "scheduled"}`, "C", c)
		wantMembers(t, s.Put(testkit.AdminToken, organizationPath+"/jobs/"+b+"/reprioritize", `{"priority": -1}`).Want(t, 200), `{"priority": {"number": -1}}`)
		if got := agent.take().finish(0); got != c {
			t.Errorf("the first job is %s", got)
		}
		if got := agent.take().finish(0); got == b {
			t.Error("the least important job came second")
		}
		for body, message := range map[string]string{
			`{}`: "Validation failed: Priority can't be blank", `{"priority": null}`: "Validation failed: Priority can't be blank", `{"priority": "1"}`: "Validation failed: priority must be a whole number",
			`{"priority": 2147483648}`: "Validation failed: Priority must be a whole number from -2147483648 to 2147483647", `{"priority": -2147483649}`: "Validation failed: Priority must be a whole number from -2147483648 to 2147483647",
		} {
			s.Put(testkit.AdminToken, build+"/jobs/"+b+"/reprioritize", body).WantMessage(t, 422, message)
		}
		s.Put(testkit.AdminToken, build+"/jobs/"+c+"/reprioritize", `{"priority": 1}`).WantMessage(t, 422, "Only jobs that are waiting for an agent can be reprioritized")
	})
}

// TestDetailOfAJob says why a trigger created no build, and that a job waits for a queue that there is not.
func TestDetailOfAJob(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Patch(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID), `{"default_queue_id": "`+testkit.QueueID+`"}`).Want(t, 200)
		pipeline := createdBuilt(t, s, "Web", `steps: [{command: a, key: a, agents: {queue: nowhere}}, {command: b, key: b}, {trigger: nosuch, key: t}]`)
		build := pathOf(s, createdBuild(t, s, pipeline))
		detail := func(key string) any { return jobOf(t, s, build, key)["detail"] }
		if got := detail("a"); got != "No agent can take this job: the cluster has no queue nowhere" {
			t.Errorf("a job for a queue that there is not says %v", got)
		}
		if got := detail("b"); got != nil {
			t.Errorf("a job for the default queue says %v", got)
		}
		runTasks(t, s)
		for deadline := time.Now().Add(time.Minute); detail("t") == nil && time.Now().Before(deadline); {
			continue
		}
		if job := jobOf(t, s, build, "t"); job["detail"] != "There is no pipeline nosuch" || job["signal_reason"] != nil || job["state"] != "failed" {
			t.Errorf("a trigger without a pipeline is %v", job)
		}
	})
}

func TestUnblockAJob(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", `steps:
  - {block: Release, key: block, fields: [{text: Name, key: name}, {select: Kind, key: kind, required: false, options: [{label: A, value: a}, {label: B, value: b}]},
      {select: Regions, key: regions, required: false, multiple: true, options: [{label: N, value: north}, {label: S, value: south}]}]}
  - {command: a, key: a}
`)
		made := createdBuild(t, s, pipeline)
		build, block := pathOf(s, made), idOf(jobsIn(made)[0])
		if made.Text("state") != "passed" || made.Object()["blocked"] != true {
			t.Errorf("a blocked build is shown as %s", made)
		}
		path := build + "/jobs/" + block + "/unblock"
		for body, message := range map[string]string{
			``:                                       "Validation failed: Name can't be blank",
			`{"fields": {"name": ""}}`:               "Validation failed: Name can't be blank",
			`{"fields": {"name": "x", "kind": "c"}}`: "Validation failed: Kind must be one of the options",
			`{"fields": {"name": "x", "more": "c"}}`: "Validation failed: The step has no field more",
			`{"fields": {"name": "x"}, "unblocker": "` + testkit.OutsiderID + `"}`: "Validation failed: Unblocker must be a member of the organization",
			`{"fields": []}`: "Validation failed: fields must be an object",
			`{"fields": {"name": "x", "kind": ["a", "b"]}}`:      "Validation failed: Kind must be one of the options",
			`{"fields": {"name": "x", "regions": ["n"]}}`:        "Validation failed: Regions must be one of the options",
			`{"fields": {"name": "x", "regions": ["north", 1]}}`: "Validation failed: fields.regions[1] must be a string",
			`{"fields": {"name": "x", "regions": 1}}`:            "Validation failed: fields.regions must be a string, or an array of strings",
		} {
			request := testkit.Request{Method: "PUT", Path: path, Token: testkit.AdminToken}
			if body != "" {
				request.Body = body
			}
			s.Do(request).WantMessage(t, 422, message)
		}
		s.Put(testkit.AdminToken, build+"/jobs/"+idOf(jobOf(t, s, build, "a"))+"/unblock", nil).WantMessage(t, 400, "This job type cannot be unblocked")
		unblocked := s.Put(testkit.AdminToken, path, `{"fields": {"name": "x", "kind": ["b"], "regions": ["north", "south"]}, "unblocker": "`+testkit.MemberID+`"}`).Want(t, 200)
		wantMembers(t, unblocked, `{"state": "unblocked", "unblockable": false, "type": "manual"}`)
		if by := unblocked.Object()["unblocked_by"].(map[string]any)["id"]; by != testkit.MemberID || unblocked.Text("unblocked_at") == "" {
			t.Errorf("%s", unblocked)
		}
		wantExactly(t, s.Get(testkit.AdminToken, build).Want(t, 200).Object()["meta_data"], `{"name": "x", "kind": "b", "regions": "north\nsouth"}`)
		agent.take().finish(0)
		s.Put(testkit.AdminToken, path, `{"fields": {"name": "x"}}`).WantMessage(t, 422, "Job has already been unblocked")

		canceled := createdBuild(t, s, pipeline)
		s.Put(testkit.AdminToken, pathOf(s, canceled)+"/cancel", nil).Want(t, 200)
		s.Put(testkit.AdminToken, organizationPath+"/jobs/"+idOf(jobsIn(canceled)[0])+"/unblock", `{"fields": {"name": "x"}}`).
			WantMessage(t, 422, "Jobs from canceled builds cannot be unblocked")
	})
}

// TestWhoMayUnblock lets a step name a team, and a pipeline be built by another one.
func TestWhoMayUnblock(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		builders := surfaceMade(t, s, organizationPath+"/teams", `{"name": "Builders"}`)
		s.Post(testkit.AdminToken, organizationPath+"/teams/"+builders+"/members", `{"user_id": "`+testkit.MemberID+`"}`).Want(t, 201)
		for steps, may := range map[string]map[string]bool{
			"steps: [{block: Go on}]":                            {testkit.MemberToken: true, testkit.TeammateToken: false, testkit.MaintainerToken: false, testkit.AdminToken: true},
			"steps: [{block: Go on, allowed_teams: [platform]}]": {testkit.MemberToken: false, testkit.TeammateToken: true, testkit.MaintainerToken: false, testkit.AdminToken: true},
		} {
			pipeline := createdBuilt(t, s, domain.NewID[string](), steps)
			s.Post(testkit.AdminToken, organizationPath+"/teams/"+builders+"/pipelines", `{"pipeline_id": "`+s.Get(testkit.AdminToken, pipeline).Text("id")+`", "access_level": "build_and_read"}`).Want(t, 201)
			for token, allowed := range may {
				build := createdBuild(t, s, pipeline)
				for _, path := range jobPaths(pathOf(s, build), idOf(jobsIn(build)[0])) {
					if !allowed {
						s.Put(token, path+"/unblock", nil).WantMessage(t, 403, "Forbidden")
						continue
					}
					s.Put(token, path+"/unblock", nil).Want(t, 200)
					break
				}
			}
		}
	})
}

func TestJobEnvironment(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", "env: {TOP: t}\nsteps: [{command: a, key: a, env: {STEP: s}}, {block: b, key: block}]", `"env": {"PIPELINE": "p", "STEP": "less"}`)
		made := createdBuild(t, s, pipeline, `"env": {"BUILD": "b"}`, `"message": "Why"`)
		build := pathOf(s, made)
		job := idOf(jobOf(t, s, build, "a"))
		check := func(path string, want map[string]string) {
			t.Helper()
			env, _ := s.Get(testkit.MemberToken, path).Want(t, 200).Object()["env"].(map[string]any)
			for name, value := range want {
				if env[name] != value {
					t.Errorf("%s: %s is %v, not %s", path, name, env[name], value)
				}
			}
			if len(env) < 20 {
				t.Errorf("%s: %v", path, env)
			}
		}
		want := map[string]string{"TOP": "t", "STEP": "s", "PIPELINE": "p", "BUILD": "b", "BUILDKITE_MESSAGE": "Why", "BUILDKITE_JOB_ID": job, "BUILDKITE_BUILD_URL": made.Text("web_url"), "CI": "true"}
		for _, path := range jobPaths(build, job) {
			check(path+"/env", want)
			check(path+"/env.txt", want)
		}
		agent.take()
		want["BUILDKITE_AGENT_NAME"] = "Runner"
		check(build+"/jobs/"+job+"/env", want)
		wantExactly(t, s.Get(testkit.AdminToken, build+"/jobs/"+idOf(jobOf(t, s, build, "block"))+"/env").Want(t, 200).Object(), `{"env": {}}`)
		reads := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.Scopes = []string{"read_builds"} })
		s.Get(reads, build+"/jobs/"+job+"/env").WantMessage(t, 403, "Your access token doesn't have the read_job_env scope")
	})
}

func TestConcurrencyWait(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: a, key: a, concurrency: 1, concurrency_group: g}]")
		createdBuild(t, s, pipeline)
		second := pathOf(s, createdBuild(t, s, pipeline))
		if waiting := jobOf(t, s, second, "a"); waiting["state"] != "scheduled" || waiting["concurrency_wait_time_ms"] != nil || waiting["runnable_at"] != nil {
			t.Errorf("a job that waits for another one is shown as %v", waiting)
		}
		agent.take().finish(0)
		if released := jobOf(t, s, second, "a"); released["concurrency_wait_time_ms"] == nil || released["runnable_at"] == nil {
			t.Errorf("a job that was let go is shown as %v", released)
		}
	})
}

func TestStepUploads(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: upload, key: up}]")
		build := pathOf(s, createdBuild(t, s, pipeline))
		uploads := build + "/step-uploads"
		if none := s.Get(testkit.AdminToken, uploads).Want(t, 200); len(none.List()) != 0 {
			t.Errorf("%s", none)
		}
		running := agent.take()
		const document = `{"steps":[{"command":"b","parallelism":2},"wait"],"env":{"B":"1"}}`
		applied, err := running.upload(document, false)
		if err != nil {
			t.Fatal(err)
		}
		rejected, err := running.upload(`{"steps":[{"command":"b","agent":"x"}]}`, true)
		if err == nil {
			t.Error("a bad upload was applied")
		}
		shown := s.Get(testkit.AdminToken, uploads+"/"+applied).Want(t, 200)
		var made []string
		for _, job := range s.Get(testkit.AdminToken, build+"/jobs").Want(t, 200).List()[1:] {
			made = append(made, idOf(job))
		}
		pairs := []string{"UPLOAD", applied, "GLOBAL", globalID("BuildStepUpload", applied), "JOB", running.ID, "URL", s.URL + uploads + "/" + applied,
			"MADE", strings.Join(made, `", "`), "SIZE", fmt.Sprint(len(document))}
		const common = `"uuid": "UPLOAD", "graphql_id": "GLOBAL", "state": "applied", "source": "job", "source_job_id": "JOB", "replace_existing_steps": false, "created_jobs_count": 3,
			"rejection_type": null, "message": null, "url": "URL", "created_at": "TIME", "processed_at": "TIME", "definition_stored_bytes": SIZE`
		wantExactly(t, timeless(t, shown), `{`+common+`, "created_job_uuids": ["MADE"], "definition_bytes": SIZE, "definition_yaml_omitted": false,
			"definition_yaml": "steps:\n- command: b\n  parallelism: 2\n- wait\nenv:\n  B: '1'\n"}`, pairs...)
		list := s.Get(testkit.AdminToken, uploads).Want(t, 200)
		if got := column(list.List(), "uuid"); got != fmt.Sprintf("[%s %s]", rejected, applied) && got != fmt.Sprintf("[%s %s]", applied, rejected) { // within a millisecond, ids decide
			t.Errorf("the list is %s", got)
		}
		for _, item := range timeless(t, list)["items"].([]any) {
			if item := item.(map[string]any); item["uuid"] == applied {
				wantExactly(t, item, `{`+common+`}`, pairs...)
			}
		}
		wantMembers(t, s.Get(testkit.AdminToken, uploads+"/"+rejected).Want(t, 200), "{\"state\": \"rejected\", \"rejection_type\": \"validation_error\", \"replace_existing_steps\": true, "+
			"\"created_jobs_count\": null, \"created_job_uuids\": [], \"message\": \"`agent` is not a valid property on the `command` step, perhaps you meant `agents`?\"}")
		// A retry is none of the upload's jobs.
		running.finish(0)
		retried := agent.take().finish(1)
		s.Put(testkit.AdminToken, organizationPath+"/jobs/"+retried+"/retry", nil).Want(t, 200)
		wantMembers(t, s.Get(testkit.AdminToken, uploads+"/"+applied).Want(t, 200), `{"created_jobs_count": 3}`)

		if got := s.Get(testkit.AdminToken, uploads+"?filter[source_job_id]="+running.ID).Want(t, 200).List(); len(got) != 2 {
			t.Errorf("%v", got)
		}
		if got := s.Get(testkit.AdminToken, uploads+"?filter[source_job_id]="+testkit.QueueID).Want(t, 200).List(); len(got) != 0 {
			t.Errorf("%v", got)
		}
		s.Get(testkit.AdminToken, uploads+"?filter[source_job_id]=x").WantMessage(t, 400, "filter[source_job_id] must be the UUID of a job")
		part := s.Get(testkit.AdminToken, uploads+"?per_page=1").Want(t, 200)
		if rest := follow(t, s, part, "next"); len(rest.List()) != 1 || rest.List()[0]["uuid"] == part.List()[0]["uuid"] {
			t.Errorf("%s", rest)
		}
		for _, id := range []string{"x", domain.NewID[string]()} {
			s.Get(testkit.AdminToken, uploads+"/"+id).WantMessage(t, 404, "No step upload found")
		}
		other := pathOf(s, createdBuild(t, s, pipeline))
		s.Get(testkit.AdminToken, other+"/step-uploads/"+applied).WantMessage(t, 404, "No step upload found")
	})
}
