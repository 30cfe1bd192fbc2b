package graph_test

import (
	"strings"
	"testing"

	"penstock/internal/service/builds"
	"penstock/internal/testkit"
)

// Builds and agents are made on both servers alike: what a backup has of them is not as it was.

// asPairs puts a list of texts such as A=1 as an object.
func asPairs(name string) func(fields, any) {
	return func(body fields, v any) {
		if lines, ok := v.([]string); ok {
			pairs := fields{}
			for _, line := range lines {
				key, value, _ := strings.Cut(line, "=")
				pairs[key] = value
			}
			v = pairs
		}
		body[name] = v
	}
}

// asEntries puts a list of keys with values as an object.
func asEntries(name string) func(fields, any) {
	return func(body fields, v any) {
		if list, ok := v.([]fields); ok {
			entries := fields{}
			for _, entry := range list {
				entries[entry["key"].(string)] = entry["value"]
			}
			v = entries
		}
		body[name] = v
	}
}

// makeBuild returns what makes a build of a new pipeline with these steps.
func makeBuild(pipeline, steps string) func(*testing.T, *testkit.Server) {
	return func(t *testing.T, s *testkit.Server) {
		t.Helper()
		builtPipeline(t, s, pipeline, steps, nil)
		newBuild(t, s, pipeline, nil)
	}
}

// buildOf returns what finds a build's global id.
func buildOf(pipeline string, number int) onServer {
	return func(t *testing.T, s *testkit.Server) string {
		t.Helper()
		return s.Get(testkit.AdminToken, buildPath(pipeline, number)).Want(t, 200).Text("graphql_id")
	}
}

func buildChanges(*pair) []parityChange {
	const path = "/pipelines/build/builds"
	state := []string{path, "/builds"}
	const gate = `steps: [{block: Go}, {command: "true"}]`
	// changes are the cases of what is done to a build that exists.
	changes := func(does, over string) []parityCase {
		cases := []parityCase{
			{by: testkit.OutsiderToken, set: fields{"id": buildOf("build", 1)}, path: path + "/1/" + does, refusal: "No organization found", unseen: "No build found"},
			{by: testkit.MemberToken, set: fields{"id": buildOf("ours", 1)}, path: "/pipelines/ours/builds/1/" + does, refusal: forbidden},
			{set: fields{"id": buildOf("build", 2)}, path: path + "/2/" + does, refusal: over},
		}
		for _, id := range append(notIDs("Build"), global("Build", noSuchID)) {
			cases = append(cases, parityCase{set: fields{"id": id}, path: path + "/99/" + does, refusal: "No build found"})
		}
		return cases
	}
	return []parityChange{
		{
			mutation: "buildCreate", request: "POST " + path, state: state, prepare: fillParity,
			base: fields{"pipelineID": onServer(func(t *testing.T, s *testkit.Server) string {
				return s.Get(testkit.AdminToken, acme+"/pipelines/build").Want(t, 200).Text("graphql_id")
			}), "commit": "HEAD", "branch": "main"},
			body: map[string]func(fields, any){"commit": asMember("commit"), "branch": asMember("branch"), "message": asMember("message"), "author": asMember("author"),
				"env": asPairs("env"), "metaData": asEntries("meta_data")},
			values: fields{"message": "Why", "author": fields{"name": "Ann", "email": "ann@example.com"}, "env": []string{"A=1=2", "B="}, "metaData": []fields{{"key": "k", "value": "v"}}},
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken},
				{set: fields{"branch": "dev", "commit": "abc"}},
				{set: fields{"commit": nil}, refusal: "Validation failed: Commit can't be blank"},
				{set: fields{"branch": nil}, refusal: "Validation failed: Branch can't be blank"},
				{set: fields{"commit": "", "message": strings.Repeat("x", 64<<10+1)}, anything: true},
				{set: fields{"env": []string{"A B=1"}, "metaData": []fields{{"key": " ", "value": "v"}}}, anything: true},
				{set: fields{"author": fields{"name": "a\x00b", "email": strings.Repeat("x", 1000)}}, anything: true},
				{by: testkit.MemberToken, set: fields{"pipelineID": onServer(func(t *testing.T, s *testkit.Server) string {
					return s.Get(testkit.AdminToken, acme+"/pipelines/ours").Want(t, 200).Text("graphql_id")
				})}, path: "/pipelines/ours/builds", refusal: forbidden},
				{set: fields{"pipelineID": global("Pipeline", oldID)}, path: "/pipelines/old/builds", refusal: "Builds of an archived pipeline can't be created"},
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No pipeline found"},
				{set: fields{"pipelineID": global("Pipeline", noSuchID)}, path: "/pipelines/none/builds", refusal: "No pipeline found"},
				{set: fields{"pipelineID": global("Pipeline", foreignPipelineID)}, path: "/pipelines/theirs/builds", refusal: "No pipeline found"},
			}),
		},
		{
			mutation: "buildCancel", request: "PUT " + path + "/2/cancel", state: state, base: fields{"id": buildOf("build", 2)},
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken},
				{set: fields{"id": buildOf("gate", 1)}, path: "/pipelines/gate/builds/1/cancel", before: makeBuild("gate", gate)},
			}, changes("cancel", "Build can't be canceled because it has already finished")),
		},
		{
			mutation: "buildRebuild", request: "PUT " + path + "/2/rebuild", state: state, base: fields{"id": buildOf("build", 2)},
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken},
				{set: fields{"id": buildOf("once", 1)}, path: "/pipelines/once/builds/1/rebuild", refusal: "Rebuilds are disabled for this pipeline", before: func(t *testing.T, s *testkit.Server) {
					makeBuild("once", gate)(t, s)
					s.Patch(testkit.AdminToken, acme+"/pipelines/once", fields{"allow_rebuilds": false}).Want(t, 200)
				}},
			}, changes("rebuild", "")),
		},
		{
			mutation: "buildRetryFailedJobs", request: "PUT " + path + "/1/retry_failed_jobs", state: state, base: fields{"id": buildOf("build", 1)},
			body: map[string]func(fields, any){"states": func(body fields, v any) {
				if states, ok := v.([]string); ok {
					v = strings.ToLower(strings.Join(states, ","))
				}
				body["states"] = v
			}},
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken, set: fields{"states": []string{"SOFT_FAILED"}}},
				{set: fields{"states": []string{"FAILED", "TIMED_OUT", "EXPIRED"}}},
				{set: fields{"states": nil}},
				{set: fields{"states": []string{}}},
			}, changes("retry_failed_jobs", "Jobs from canceled builds cannot be retried")),
		},
	}
}

// fillParity makes builds of a pipeline, and of one that the team alone may build. An agent runs all jobs of the first build.
func fillParity(t *testing.T, s *testkit.Server) {
	t.Helper()
	builtPipeline(t, s, "build", `steps: [{command: "false", key: bad}, {command: "false", key: soft, soft_fail: true}, {command: "true", key: good}]`, nil)
	ours := builtPipeline(t, s, "ours", `steps: [{block: Go, key: ask}]`, nil)
	s.Post(testkit.AdminToken, acme+"/teams/"+testkit.TeamID+"/pipelines", fields{"pipeline_id": ours, "access_level": "build_and_read"}).Want(t, 201)
	agent := newRunner(t, s, agentTokenFor(t, s), "Runner")
	for range 3 {
		newBuild(t, s, "build", nil)
	}
	newBuild(t, s, "ours", nil)
	for _, status := range []int64{1, 1, 0} {
		agent.take().finish(builds.Finish{ExitStatus: status})
	}
}

// jobOf returns what finds the newest attempt at a job of a build by its step's key.
func jobOf(typeName, pipeline string, number int, key string) onServer {
	return func(t *testing.T, s *testkit.Server) string {
		t.Helper()
		return global(typeName, jobNamed(t, s, buildPath(pipeline, number), key))
	}
}

func jobChanges(*pair) []parityChange {
	state := []string{"/pipelines/build/builds", "/pipelines/ask/builds", "/pipelines/build/builds/1?include_retried_jobs=true"}
	missing := func(typeName string) (cases []parityCase) {
		for _, id := range append(notIDs(typeName), global(typeName, noSuchID)) {
			cases = append(cases, parityCase{set: fields{"id": id}, refusal: "No job found"})
		}
		return cases
	}
	ask := makeBuild("ask", `steps: [{block: Go, key: ask, fields: [{text: Version, key: version}, {select: Where, key: where, required: false, multiple: true, options: [{label: A, value: a}, {label: B, value: b}]}]}]`)
	return []parityChange{
		{
			mutation: "jobTypeCommandRetry", request: "PUT /jobs/{id}/retry", state: state, base: fields{"id": jobOf("JobTypeCommand", "build", 1, "bad")}, prepare: fillParity,
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken},
				{refusal: "Only failed, timed out or canceled jobs can be retried"},
				{set: fields{"id": jobOf("JobTypeCommand", "build", 1, "good")}, refusal: "Only failed, timed out or canceled jobs can be retried"},
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No job found"},
			}, missing("JobTypeCommand")),
		},
		{
			mutation: "jobTypeBlockUnblock", request: "PUT /jobs/{id}/unblock", state: state, base: fields{"id": jobOf("JobTypeBlock", "ask", 1, "ask")},
			body: map[string]func(fields, any){"fields": asJSON("fields")},
			cases: concatenate([]parityCase{
				{before: ask, set: fields{"fields": `{"version": ""}`}, refusal: "Validation failed: Version can't be blank"},
				{set: fields{"fields": `{"version": "1", "where": "c"}`}, refusal: "Validation failed: Where must be one of the options"},
				{set: fields{"fields": `{"version": "1", "other": "c"}`}, refusal: "Validation failed: The step has no field other"},
				{set: fields{"fields": nil}, refusal: "Validation failed: Version can't be blank"},
				{by: testkit.OutsiderToken, set: fields{"fields": `{"version": "1"}`}, refusal: "No organization found", unseen: "No job found"},
				{by: testkit.MemberToken, set: fields{"fields": `{"version": "1", "where": "a\nb"}`}},
				{set: fields{"fields": `{"version": "1"}`}, refusal: "Job has already been unblocked"},
				{by: testkit.MemberToken, set: fields{"id": jobOf("JobTypeBlock", "ours", 1, "ask")}, refusal: forbidden},
				{by: testkit.TeammateToken, set: fields{"id": jobOf("JobTypeBlock", "ours", 1, "ask")}},
			}, missing("JobTypeBlock")),
		},
	}
}

func annotationChanges(*pair) []parityChange {
	const build = "/pipelines/build/builds/1/annotations"
	state := []string{build + "?scope=all"}
	body := map[string]func(fields, any){"body": asMember("body"), "context": asMember("context"), "style": asLowerCase("style"), "priority": asMember("priority"), "append": asMember("append")}
	// An annotation that is changed keeps what REST does not name; GraphQL has defaults for it.
	with := func(member string, id onServer) fields {
		return fields{member: id, "body": "# Hi", "context": "default", "style": "DEFAULT", "priority": 3, "append": false}
	}
	values := fields{"body": "<b>x</b>", "context": "other", "style": "WARNING", "priority": 7, "append": true}
	refused := []parityCase{
		{set: fields{"priority": 0}, refusal: "Annotation priority must be from 1 to 10"},
		{set: fields{"priority": 11}, refusal: "Annotation priority must be from 1 to 10"},
		{set: fields{"context": strings.Repeat("x", 101)}, refusal: "Annotation context is too long (maximum is 100 characters), or not valid text"},
		{set: fields{"context": "new", "body": nil}, refusal: "Annotation body can't be blank"},
	}
	missing := func(member, typeName, path, refusal string) (cases []parityCase) {
		for _, id := range append(notIDs(typeName), global(typeName, noSuchID)) {
			cases = append(cases, parityCase{set: fields{member: id}, path: path, refusal: refusal})
		}
		return cases
	}
	annotation := onServer(func(t *testing.T, s *testkit.Server) string {
		t.Helper()
		return global("Annotation", s.Get(testkit.AdminToken, acme+state[0]).Want(t, 200).List()[0]["id"].(string))
	})
	return []parityChange{
		{
			mutation: "buildAnnotate", request: "POST " + build, state: state, base: with("buildID", buildOf("build", 1)), body: body, values: values, prepare: fillParity,
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken},
				{by: testkit.MemberToken, set: fields{"buildID": buildOf("ours", 1)}, path: "/pipelines/ours/builds/1/annotations", refusal: forbidden},
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No build found"},
			}, refused, missing("buildID", "Build", "/pipelines/build/builds/99/annotations", "No build found")),
		},
		{
			mutation: "jobAnnotate", request: "POST /jobs/{jobId}/annotations", state: state, base: with("jobId", jobOf("JobTypeCommand", "build", 1, "good")), body: body, values: values,
			cases: concatenate([]parityCase{
				{by: testkit.MemberToken},
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No job found"},
			}, refused, missing("jobId", "JobTypeCommand", "", "No job found")),
		},
		{
			mutation: "annotationDelete", request: "DELETE " + build + "/{id}", state: state, base: fields{"id": annotation},
			cases: concatenate([]parityCase{
				{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No annotation found"},
				{by: testkit.MemberToken},
				{},
			}, missing("id", "Annotation", "", "No annotation found")),
		},
	}
}

func agentChanges(*pair) []parityChange {
	agent := onServer(func(t *testing.T, s *testkit.Server) string {
		t.Helper()
		return s.Get(testkit.AdminToken, acme+"/agents?name=Runner").Want(t, 200).List()[0]["graphql_id"].(string)
	})
	base := fields{"id": agent}
	refusals := func(cases ...parityCase) []parityCase {
		cases = append(cases,
			parityCase{by: testkit.MemberToken, refusal: forbidden},
			parityCase{by: testkit.OutsiderToken, refusal: "No organization found", unseen: "No agent found"})
		for _, id := range append(notIDs("Agent"), global("Agent", noSuchID)) {
			cases = append(cases, parityCase{set: fields{"id": id}, refusal: "No agent found"})
		}
		return cases
	}
	state := []string{"/agents", "/pipelines/build/builds"}
	return []parityChange{
		{
			mutation: "agentPause", request: "PUT /agents/{id}/pause", state: state, base: base, prepare: fillParity,
			body: map[string]func(fields, any){"note": asMember("note"), "timeoutInMinutes": asMember("timeout_in_minutes")},
			cases: refusals(
				parityCase{set: fields{"timeoutInMinutes": 0}, anything: true},
				parityCase{set: fields{"timeoutInMinutes": 1_441, "note": "a\x00b"}, anything: true},
				parityCase{set: fields{"note": strings.Repeat("x", 1_001)}, anything: true},
				parityCase{by: testkit.MaintainerToken, set: fields{"note": "Lunch", "timeoutInMinutes": 30}},
				parityCase{set: fields{"note": nil, "timeoutInMinutes": nil}, refusal: "Agent is already paused"},
			),
		},
		{
			mutation: "agentResume", request: "PUT /agents/{id}/resume", state: state, base: base,
			cases: refusals(parityCase{by: testkit.MaintainerToken}, parityCase{refusal: "Agent is not paused"}),
		},
		{
			mutation: "agentStop", request: "PUT /agents/{id}/stop", state: state, base: fields{"id": agent, "graceful": true},
			body: map[string]func(fields, any){"graceful": func(body fields, v any) { body["force"] = v == false }},
			cases: refusals(
				parityCase{by: testkit.MaintainerToken},
				parityCase{set: fields{"graceful": nil}, refusal: ""},
				parityCase{set: fields{"graceful": false}},
			),
		},
	}
}

// TestAgentMutations pauses, resumes and stops an agent, and shows what became of it.
func TestAgentMutations(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := fillBuilds(t, s)
		id := fields{"id": global("Agent", agent.id), "clientMutationId": "m"}
		with := func(name string, value any) fields { return fields{"id": id["id"], name: value} }
		paused := dig(t, wantData(t, mutate(s, testkit.MaintainerToken, "agentPause", id, "clientMutationId agent { uuid paused pausedTimeoutInMinutes pausedBy { name } }")), "agentPause").(item)
		wantEqual(t, paused, item{"clientMutationId": "m", "agent": item{"uuid": agent.id, "paused": true, "pausedTimeoutInMinutes": 5.0, "pausedBy": item{"name": "Maintainer"}}})
		if ping, err := s.Builds.PingAgent(t.Context(), agent.session); err != nil || ping.Action != builds.ActionPause {
			t.Errorf("a paused agent is told %+v, %v", ping, err)
		}
		resumed := dig(t, wantData(t, mutate(s, testkit.MaintainerToken, "agentResume", id, "agent { paused pausedAt }")), "agentResume").(item)
		wantEqual(t, resumed, item{"agent": item{"paused": false, "pausedAt": nil}})

		// An agent that stops gracefully keeps its job; by force, it is canceled.
		job := agent.take()
		state := func() any {
			data := wantData(t, s.GraphQL(testkit.AdminToken, `query ($id: ID!) { job(uuid: $id) { ... on JobTypeCommand { state } } }`, fields{"id": job.id}))
			return dig(t, data, "job", "state")
		}
		stopped := dig(t, wantData(t, mutate(s, testkit.MaintainerToken, "agentStop", id, "clientMutationId agent { connectionState isRunningJob }")), "agentStop").(item)
		wantEqual(t, stopped, item{"clientMutationId": "m", "agent": item{"connectionState": "stopping", "isRunningJob": true}})
		wantEqual(t, state(), any("RUNNING"))
		wantData(t, mutate(s, testkit.MaintainerToken, "agentStop", with("graceful", false), "agent { uuid }"))
		wantEqual(t, state(), any("CANCELING"))
		wantError(t, mutate(s, testkit.MemberToken, "agentStop", id, "clientMutationId"), "Forbidden", "agentStop")
	})
}
