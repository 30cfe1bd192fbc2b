package graph_test

import (
	"slices"
	"strings"
	"testing"

	"penstock/internal/service/builds"
	"penstock/internal/testkit"
)

// everythingOfBuilds asks for every field of builds, jobs and agents.
const everythingOfBuilds = `{
  build(slug: "acme-inc/release/1") { id uuid number state blockedState branch commit message cancelReason canceledAt canceledBy { name } createdAt scheduledAt startedAt failingAt finishedAt url env
    createdBy { __typename ... on User { name } ... on UnregisteredUser { author: name email avatar { url } } } source { __typename name ... on BuildSourceWebhook { headers payload uuid } }
    organization { slug } pipeline { slug permissions { buildCreate { allowed } } } pullRequest { id } rebuiltFrom { number } triggeredFrom { uuid } metaData(first: 5) { nodes { key value } }
    jobs(first: 20) { count nodes { __typename ...interface ...command
      ... on JobTypeBlock { id state label isUnblockable unblockedAt unblockedBy { name } build { number } blockStep: step { key uuid conditional dependencies(first: 5) { nodes { id uuid key allowFailure } } } }
      ... on JobTypeTrigger { id state label async triggered { number } build { number } triggerStep: step { key uuid conditional dependencies(first: 5) { nodes { key } } } }
      ... on JobTypeWait { id state label build { number } waitStep: step { key uuid conditional dependencies(first: 5) { nodes { key } } } } } } }
  organization(slug: "acme-inc") { permissions { agentView { allowed } } agents(first: 3) { count edges { cursor node {
    id uuid name connectionState hostname ipAddress userAgent version pid priority metaData isDeprecated public versionHasKnownIssues createdAt connectedAt disconnectedAt heartbeatAt pingedAt lostAt
    stoppedAt stoppedBy { name } stopForcedAt stopForcedBy { name } stoppedGracefullyAt stoppedGracefullyBy { name } paused pausedAt pausedBy { name } pausedNote pausedTimeoutInMinutes
    operatingSystem { name } organization { slug } clusterQueue { key } job { ...interface } isRunningJob permissions { agentPause { allowed } agentResume { allowed } agentStop { allowed } }
    jobs(first: 5) { count } } } } }
}
fragment interface on JobInterface { retried retriedBy { name } retriesCount retrySource { ... on JobInterface { uuid } } retryType uuid }
fragment command on JobTypeCommand { id state label url command createdAt scheduledAt runnableAt startedAt finishedAt canceledAt expiredAt agent { name } agentQueryRules automaticArtifactUploadPaths brokenReason env
  cluster { name } clusterQueue { key } concurrency { group limit } exitStatus signal signalReason softFailed passed matrix parallelGroupIndex parallelGroupTotal pipeline { slug } priority { number }
  promisedExitStatus promisedExitStatusAt retryRules { manual automatic { exitStatus limit signal signalReason } } build { number }
  step { key uuid conditional dependencies(first: 5) { nodes { key allowFailure } } }
  events(first: 10) { count nodes { id uuid type timestamp actor { type uuid node { __typename ... on Agent { name } ... on User { name } } } job { uuid }
    ... on JobEventAssigned { assignedAgent { name } } ... on JobEventFinished { exitStatus signal signalReason } ... on JobEventCanceled { exitStatus signal signalReason }
    ... on JobEventTimedOut { exitStatus signal signalReason } ... on JobEventRetried { automaticRule { limit } retriedInJob { uuid } } } } }`

// fillBuilds makes a build of the pipeline release, of which an agent has run something, and returns the agent.
func fillBuilds(t *testing.T, s *testkit.Server) *runner {
	t.Helper()
	builtPipeline(t, s, "other", `steps: [{command: "true"}]`, nil)
	builtPipeline(t, s, "release", releaseSteps, nil)
	agent := newRunner(t, s, agentTokenFor(t, s), "Runner one", "os=linux")
	newBuild(t, s, "release", fields{"message": "First", "env": fields{"B": "2", "A": "1"}, "meta_data": fields{"k": "v"}, "author": fields{"name": "Ann", "email": "ann@example.com"}})
	agent.take().finish(builds.Finish{ExitStatus: 1, Signal: "SIGTERM", SignalReason: "agent_stop"}) // which is tried again
	return agent
}

// find returns the one item that has these values.
func find(t *testing.T, items any, having item) item {
	t.Helper()
	var found []item
	for _, one := range items.([]any) {
		fits := true
		for path, value := range having {
			at := one
			for _, member := range strings.Split(path, ".") {
				object, _ := at.(item)
				at = object[member]
			}
			fits = fits && at == value
		}
		if fits {
			found = append(found, one.(item))
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d have %v in %v", len(found), having, items)
	}
	return found[0]
}

// wantMembers checks members of an object, by dotted paths.
func wantMembers(t *testing.T, object item, want item) {
	t.Helper()
	for path, value := range want {
		var at any = object
		for _, member := range strings.Split(path, ".") {
			at = dig(t, at, member)
		}
		wantEqual(t, []any{path, at}, []any{path, value})
	}
}

// TestBuildsAreRead reads every field of a build, its jobs and its agent, and looks at those that the build decides.
func TestBuildsAreRead(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := fillBuilds(t, s)
		again := agent.take()
		data := wantData(t, s.GraphQL(testkit.MemberToken, everythingOfBuilds, nil))
		build := dig(t, data, "build").(item)
		wantMembers(t, build, item{"number": 1.0, "state": "RUNNING", "blockedState": nil, "branch": "main", "commit": "HEAD", "message": "First", "env": []any{"A=1", "B=2"}, "createdBy.name": "Admin",
			"source": item{"__typename": "BuildSourceAPI", "name": "API"}, "url": s.URL + "/acme-inc/release/builds/1", "metaData.nodes": []any{item{"key": "k", "value": "v"}}, "jobs.count": 7.0,
			"pipeline": item{"slug": "release", "permissions": item{"buildCreate": item{"allowed": true}}}, "finishedAt": nil})
		jobs := dig(t, build, "jobs", "nodes")
		first := find(t, jobs, item{"step.key": "lint", "retried": true})
		second := find(t, jobs, item{"step.key": "lint", "retried": false})
		wantMembers(t, first, item{"state": "FINISHED", "passed": false, "exitStatus": "1", "signal": "SIGTERM", "signalReason": "AGENT_STOP", "label": "Lint", "command": "make lint", "priority.number": 2.0,
			"automaticArtifactUploadPaths": "out/*", "agent.name": "Runner one", "cluster.name": "Maintained", "clusterQueue.key": "default", "retriesCount": 0.0, "retryType": nil, "retriedBy": nil,
			"retryRules": item{"manual": true, "automatic": []any{item{"exitStatus": "1", "limit": "1", "signal": "*", "signalReason": "*"}, item{"exitStatus": "-1", "limit": "2", "signal": "kill", "signalReason": "*"}}}})
		wantMembers(t, second, item{"uuid": again.id, "state": "RUNNING", "retriesCount": 1.0, "retryType": "AUTOMATIC", "retrySource": item{"uuid": first["uuid"]}, "exitStatus": nil})
		test := find(t, jobs, item{"step.key": "test", "parallelGroupIndex": 1.0})
		wantMembers(t, test, item{"parallelGroupTotal": 2.0, "step.conditional": "build.branch != 'x'", "concurrency": item{"group": "gate", "limit": 1.0}, "agentQueryRules": []any{"os=linux"}})
		wantMembers(t, find(t, jobs, item{"__typename": "JobTypeBlock"}), item{"state": "WAITING", "label": "Release", "isUnblockable": false, "blockStep.key": "ask"})
		wantMembers(t, find(t, jobs, item{"__typename": "JobTypeTrigger"}), item{"async": true, "triggerStep.dependencies.nodes": []any{item{"key": "ask"}}})
		wantMembers(t, find(t, jobs, item{"step.key": "sizes"}), item{"matrix": `{"size":"big"}`, "command": "echo big", "step.dependencies.nodes": []any{item{"key": "ask", "allowFailure": true}}})

		events := dig(t, first, "events", "nodes")
		actor := func(kind string) item {
			return item{"type": kind, "uuid": agent.id, "node": item{"__typename": "Agent", "name": "Runner one"}}
		}
		wantMembers(t, find(t, events, item{"type": "ASSIGNED"}), item{"assignedAgent.name": "Runner one", "actor": item{"type": "DISPATCH", "uuid": nil, "node": nil}, "job.uuid": first["uuid"]})
		wantMembers(t, find(t, events, item{"type": "STARTED"}), item{"actor": actor("AGENT")})
		wantMembers(t, find(t, events, item{"type": "FINISHED"}), item{"actor": actor("AGENT"), "exitStatus": 1.0, "signal": "SIGTERM", "signalReason": "AGENT_STOP"})
		wantMembers(t, find(t, events, item{"type": "RETRIED"}), item{"actor.type": "SYSTEM", "retriedInJob.uuid": again.id})

		runs := dig(t, data, "organization", "agents", "edges").([]any)[0].(item)["node"].(item)
		wantMembers(t, runs, item{"name": "Runner one", "connectionState": "connected", "isRunningJob": true, "job.uuid": again.id, "metaData": []any{"queue=default", "os=linux"}, "clusterQueue.key": "default",
			"paused": false, "pausedTimeoutInMinutes": 5.0, "operatingSystem.name": "Debian 13", "pid": "7", "priority": 3.0, "jobs.count": 2.0, "permissions.agentStop.allowed": false, "organization.slug": "acme-inc"})
		data = wantData(t, s.GraphQL(testkit.MaintainerToken, `{ organization(slug: "acme-inc") { agents { nodes { permissions { agentStop { allowed } } } } } }`, nil))
		wantEqual(t, dig(t, data, "organization", "agents", "nodes"), any([]any{item{"permissions": item{"agentStop": item{"allowed": true}}}}))
	})
}

// TestBuildsOfUsers lists what users built, where the caller sees it.
func TestBuildsOfUsers(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		builtPipeline(t, s, "release", `steps: [{command: "true"}]`, nil)
		newBuild(t, s, "release", nil)
		newBuild(t, s, "release", fields{"branch": "dev", "meta_data": fields{"k": "v"}})
		s.Post(testkit.MemberToken, acme+"/pipelines/release/builds", fields{"commit": "HEAD", "branch": "main"}).Want(t, 201)
		s.Put(testkit.AdminToken, buildPath("release", 2)+"/cancel", nil).Want(t, 200)
		const asks = `{ viewer { builds { count nodes { number } } user { builds(first: 1) { count nodes { number } } dev: builds(branch: ["d*"], metaData: ["k:v"], state: [CANCELED]) { nodes { number canceledAt } } }
			main: builds(branch: "main", state: [SCHEDULED]) { nodes { number canceledAt } } } }`
		own := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, asks, nil)), "viewer").(item)
		canceled := dig(t, own, "user", "dev", "nodes").([]any)[0].(item)
		if at, isText := canceled["canceledAt"].(string); !isText || at == "" || canceled["number"] != 2.0 {
			t.Errorf("a canceled build is %v", canceled)
		}
		delete(own["user"].(item), "dev")
		wantEqual(t, own, item{"builds": item{"count": 2.0, "nodes": []any{item{"number": 2.0}, item{"number": 1.0}}}, "user": item{"builds": item{"count": 2.0, "nodes": []any{item{"number": 2.0}}}},
			"main": item{"nodes": []any{item{"number": 1.0, "canceledAt": nil}}}})

		// Others see them where they are members, and nobody else does.
		of := func(token string) any {
			data := wantData(t, s.GraphQL(token, `query ($id: ID!) { node(id: $id) { ... on User { builds { nodes { number } } } } }`, fields{"id": global("User", testkit.AdminID)}))
			return data["node"]
		}
		wantEqual(t, of(testkit.MemberToken), any(item{"builds": item{"nodes": []any{item{"number": 2.0}, item{"number": 1.0}}}}))
		if seen := of(testkit.OutsiderToken); seen != nil {
			t.Errorf("an outsider sees %v", seen)
		}
	})
}

// TestBuildsAreFound looks builds, jobs and agents up.
func TestBuildsAreFound(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := fillBuilds(t, s)
		build := s.Get(testkit.AdminToken, buildPath("release", 1)).Text("id")
		block := jobNamed(t, s, buildPath("release", 1), "ask")
		for document, want := range map[string]any{
			`build(uuid: "` + build + `") { number }`:      item{"number": 1.0},
			`build(slug: "acme-inc/release/1") { uuid }`:   item{"uuid": build},
			`build(slug: "acme-inc/release/2") { uuid }`:   nil,
			`build(slug: "acme-inc/release/-1") { uuid }`:  nil,
			`build(slug: "acme-inc/release/1/1") { uuid }`: nil,
			`build(slug: "acme-inc/release") { uuid }`:     nil,
			`build(slug: "elsewhere/release/1") { uuid }`:  nil,
			`build { uuid }`: nil,
			`build(uuid: "` + block + `") { number }`:                        nil,
			`job(uuid: "` + block + `") { ... on JobTypeBlock { label } }`:   item{"label": "Release"},
			`job(uuid: "` + build + `") { __typename }`:                      nil,
			`job(uuid: "none") { __typename }`:                               nil,
			`agent(slug: "acme-inc/` + agent.id + `") { name }`:              item{"name": "Runner one"},
			`agent(slug: "elsewhere/` + agent.id + `") { name }`:             nil,
			`agent(slug: "` + agent.id + `") { name }`:                       nil,
			`node(id: "` + global("JobTypeBlock", block) + `") { id }`:       item{"id": global("JobTypeBlock", block)},
			`node(id: "` + global("JobTypeCommand", block) + `") { id }`:     nil, // it is of another type
			`node(id: "` + global("JobEventGeneric", nobodyID) + `") { id }`: nil,
		} {
			for _, value := range wantData(t, s.GraphQL(testkit.MemberToken, "{ "+document+" }", nil)) {
				if wantEqual(t, value, want); t.Failed() {
					t.Fatal(document)
				}
			}
		}
	})
}

// mutate runs a mutation that selects fields of its payload.
func mutate(s *testkit.Server, token, mutation string, input fields, selection string) *testkit.Answer {
	return s.GraphQL(token, `mutation ($input: `+inputType(mutation)+`) { `+mutation+`(input: $input) { `+selection+` } }`, fields{"input": input})
}

// TestBuildMutations makes each change, and compares what is refused with what REST says.
func TestBuildMutations(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := fillBuilds(t, s)
		pipeline := s.Get(testkit.AdminToken, acme+"/pipelines/release").Text("graphql_id")
		ofTeam := builtPipeline(t, s, "ours", `steps: [{command: "true"}]`, fields{"team_uuids": []string{testkit.TeamID}})
		first := s.Get(testkit.AdminToken, buildPath("release", 1)).Text("graphql_id")
		base := fields{"commit": "HEAD", "branch": "main", "pipelineID": pipeline}
		with := func(besides fields) fields {
			input := fields{}
			for _, some := range []fields{base, besides} {
				for member, value := range some {
					input[member] = value
				}
			}
			return input
		}
		// Both surfaces refuse with the same words.
		for _, c := range []struct {
			by, mutation string
			input        fields
			method, path string
			body         any
			want         string
		}{
			{"", "buildCreate", with(fields{"commit": "", "branch": nil}), "POST", "/pipelines/release/builds", fields{"commit": "", "branch": ""}, "Validation failed"},
			{"", "buildCreate", with(fields{"env": []string{"A B=1"}}), "POST", "/pipelines/release/builds", fields{"commit": "HEAD", "branch": "main", "env": fields{"A B": "1"}}, "Validation failed"},
			{"", "buildCreate", with(fields{"metaData": []fields{{"key": " ", "value": "v"}}}), "POST", "/pipelines/release/builds", fields{"commit": "HEAD", "branch": "main", "meta_data": fields{" ": "v"}}, "Validation failed"},
			{testkit.MemberToken, "buildCreate", with(fields{"pipelineID": global("Pipeline", ofTeam)}), "POST", "/pipelines/ours/builds", fields{"commit": "HEAD", "branch": "main"}, "Forbidden"},
			{"", "buildCreate", with(fields{"pipelineID": global("Pipeline", nobodyID)}), "POST", "/pipelines/none/builds", fields{"commit": "HEAD", "branch": "main"}, "No pipeline found"},
			{"", "buildCreate", with(fields{"pipelineID": first}), "POST", "/pipelines/none/builds", fields{"commit": "HEAD", "branch": "main"}, "No pipeline found"},
			{"", "buildCancel", fields{"id": global("Build", nobodyID)}, "PUT", "/pipelines/release/builds/99/cancel", nil, "No build found"},
			{"", "buildCancel", fields{"id": pipeline}, "PUT", "/pipelines/release/builds/99/cancel", nil, "No build found"},
			{"", "buildRebuild", fields{"id": global("Build", nobodyID)}, "PUT", "/pipelines/release/builds/99/rebuild", nil, "No build found"},
			{"", "buildRetryFailedJobs", fields{"id": global("Build", nobodyID)}, "PUT", "/pipelines/release/builds/99/retry_failed_jobs", nil, "No build found"},
		} {
			if c.by == "" {
				c.by = testkit.AdminToken
			}
			answer := s.Do(testkit.Request{Method: c.method, Path: acme + c.path, Token: c.by, Body: c.body})
			refused := mutate(s, c.by, c.mutation, c.input, "clientMutationId")
			if said := answer.Message(); said != refused.Message() || !strings.HasPrefix(said, c.want) || answer.Status < 400 {
				t.Errorf("%s %v: REST says %q, GraphQL %q, want %q", c.mutation, c.input, said, refused.Message(), c.want)
			}
		}
		wantError(t, mutate(s, testkit.AdminToken, "buildCreate", with(fields{"env": []string{"A"}}), "clientMutationId"), "Validation failed: Env must be a list of NAME=value", "buildCreate")

		made := dig(t, wantData(t, mutate(s, testkit.MemberToken, "buildCreate", with(fields{"clientMutationId": "m", "message": "Mine", "env": []string{"A=1=2"}, "author": fields{"name": "Ann", "email": "a@b"},
			"metaData": []fields{{"key": "k", "value": "v"}}}), "clientMutationId build { id number message env createdBy { ... on User { name } } jobs(type: [COMMAND]) { count } }")), "buildCreate").(item)
		wantMembers(t, made, item{"clientMutationId": "m", "build.number": 2.0, "build.message": "Mine", "build.env": []any{"A=1=2"}, "build.createdBy.name": "Member", "build.jobs.count": 4.0})
		shown := s.Get(testkit.AdminToken, buildPath("release", 2)).Object()
		wantEqual(t, []any{shown["author"], shown["meta_data"], shown["source"]}, []any{item{"name": "Ann", "email": "a@b"}, item{"k": "v"}, "api"})

		// What failed is retried by a person.
		agent.take().finish(builds.Finish{ExitStatus: 1}) // the rule is used up
		retried := dig(t, wantData(t, mutate(s, testkit.MemberToken, "buildRetryFailedJobs", fields{"id": first, "states": []string{"FAILED"}}, "retriedJobsCount build { number }")), "buildRetryFailedJobs").(item)
		wantMembers(t, retried, item{"retriedJobsCount": 1.0, "build.number": 1.0})
		data := wantData(t, s.GraphQL(testkit.MemberToken, `{ build(slug: "acme-inc/release/1") { jobs(step: {key: ["lint"]}) { nodes { ... on JobInterface { retried retriedBy { name } retryType } } } } }`, nil))
		find(t, dig(t, data, "build", "jobs", "nodes"), item{"retried": true, "retriedBy.name": "Member", "retryType": "AUTOMATIC"})
		find(t, dig(t, data, "build", "jobs", "nodes"), item{"retried": false, "retryType": "MANUAL"})

		canceled := dig(t, wantData(t, mutate(s, testkit.MemberToken, "buildCancel", fields{"id": first}, "build { state canceledBy { name } }")), "buildCancel", "build").(item)
		wantMembers(t, canceled, item{"state": "CANCELED", "canceledBy.name": "Member"})
		for mutation, path := range map[string]string{"buildCancel": "cancel", "buildRetryFailedJobs": "retry_failed_jobs"} {
			answer := s.Put(testkit.AdminToken, buildPath("release", 1)+"/"+path, nil)
			wantError(t, mutate(s, testkit.AdminToken, mutation, fields{"id": first}, "clientMutationId"), answer.Message(), mutation)
		}
		again := dig(t, wantData(t, mutate(s, testkit.MemberToken, "buildRebuild", fields{"id": first}, "build { number } rebuild { number message rebuiltFrom { number } }")), "buildRebuild").(item)
		wantMembers(t, again, item{"build.number": 1.0, "rebuild.number": 3.0, "rebuild.message": "First", "rebuild.rebuiltFrom.number": 1.0})
		s.Patch(testkit.AdminToken, acme+"/pipelines/release", fields{"allow_rebuilds": false}).Want(t, 200)
		wantError(t, mutate(s, testkit.AdminToken, "buildRebuild", fields{"id": first}, "clientMutationId"), s.Put(testkit.AdminToken, buildPath("release", 1)+"/rebuild", nil).Message(), "buildRebuild")
	})
}

// TestBlockedBuilds holds builds up in which all that is left depends on a block, and shows them as their first open block says.
func TestBlockedBuilds(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, agentTokenFor(t, s), "Runner")
		show := func(pipeline, state string, blockedState any, restState string) {
			t.Helper()
			data := wantData(t, s.GraphQL(testkit.AdminToken, `{ build(slug: "acme-inc/`+pipeline+`/1") { state blockedState } }`, nil))
			wantEqual(t, dig(t, data, "build"), any(item{"state": state, "blockedState": blockedState}))
			shown := s.Get(testkit.AdminToken, buildPath(pipeline, 1)).Object()
			wantEqual(t, []any{shown["state"], shown["blocked"]}, []any{restState, state == "BLOCKED"})
		}
		unblock := func(pipeline, key string) {
			t.Helper()
			s.Put(testkit.AdminToken, acme+"/jobs/"+jobNamed(t, s, buildPath(pipeline, 1), key)+"/unblock", fields{}).Want(t, 200)
		}
		builtPipeline(t, s, "gate", `steps: [{command: x, key: a}, {block: One, key: b, blocked_state: failed}, {command: x, key: c, depends_on: b}, {block: Two, key: d, blocked_state: running, depends_on: b},
			{command: x, key: e, depends_on: d}, {wait: ~, depends_on: d}, {trigger: gate, depends_on: [d, e]}]`, nil)
		newBuild(t, s, "gate", nil)
		show("gate", "SCHEDULED", nil, "scheduled")
		first := agent.take()
		show("gate", "RUNNING", nil, "running")
		first.finish(builds.Finish{})
		show("gate", "BLOCKED", "FAILED", "failed")
		unblock("gate", "b")
		show("gate", "RUNNING", nil, "running")
		agent.take().finish(builds.Finish{})
		show("gate", "BLOCKED", "RUNNING", "running")

		// A job has failed: that wins over what the block says, and every way of asking agrees.
		builtPipeline(t, s, "failing", `steps: [{command: x, key: a}, {block: Go, key: b}, {command: x, key: c, depends_on: b}, {command: x, key: f, depends_on: ~}]`, nil)
		newBuild(t, s, "failing", nil)
		agent.take().finish(builds.Finish{})
		show("failing", "RUNNING", nil, "running")
		agent.take().finish(builds.Finish{ExitStatus: 1})
		show("failing", "BLOCKED", "FAILED", "failed")
		if s.Get(testkit.AdminToken, buildPath("failing", 1)).Object()["failing_at"] == nil {
			t.Error("a blocked build with a failed job does not say since when it fails")
		}
		found := func(state string) int {
			return len(s.Get(testkit.AdminToken, acme+"/pipelines/failing/builds?state="+state).Want(t, 200).List())
		}
		wantEqual(t, []int{found("passed"), found("failed"), found("blocked"), found("finished"), found("running")}, []int{0, 1, 1, 1, 0})
		wantEqual(t, []int{len(s.Get(testkit.AdminToken, acme+"/pipelines/gate/builds?state=running").List()), len(s.Get(testkit.AdminToken, acme+"/builds?state=running").List())}, []int{1, 1})
		s.Put(testkit.AdminToken, acme+"/jobs/"+jobNamed(t, s, buildPath("failing", 1), "f")+"/retry", nil).Want(t, 200)
		agent.take().finish(builds.Finish{})
		show("failing", "BLOCKED", "PASSED", "passed")
		wantEqual(t, []int{found("passed"), found("failed"), found("blocked")}, []int{1, 0, 1})

		// One block after the other.
		builtPipeline(t, s, "row", `steps: [{block: One, key: a, blocked_state: failed}, {block: Two, key: b, depends_on: a, blocked_state: running}, {block: Three, key: c, depends_on: a, blocked_state: failed},
			{command: x, depends_on: [b, c]}]`, nil)
		newBuild(t, s, "row", nil)
		show("row", "BLOCKED", "FAILED", "failed")
		unblock("row", "a")
		show("row", "BLOCKED", "RUNNING", "running")
		unblock("row", "b")
		show("row", "BLOCKED", "FAILED", "failed")

		// A job uploads the block and what depends on it.
		builtPipeline(t, s, "uploaded", `steps: [{command: x}]`, nil)
		newBuild(t, s, "uploaded", nil)
		uploader := agent.take()
		document := `{"steps": [{"command": "y", "key": "y"}, {"block": "Go", "key": "go", "depends_on": "y"}, {"command": "z", "depends_on": "go"}, {"group": "G", "steps": [{"command": "z", "depends_on": "go"}]}]}`
		if _, err := s.Builds.UploadPipeline(t.Context(), uploader.token, uploader.id, builds.Upload{ID: "0190c000-0000-7000-8000-0000000000aa", Document: []byte(document)}); err != nil {
			t.Fatal(err)
		}
		uploader.finish(builds.Finish{})
		show("uploaded", "RUNNING", nil, "running")
		agent.take().finish(builds.Finish{ExitStatus: 1})
		show("uploaded", "FAILED", nil, "failed")
		s.Put(testkit.AdminToken, acme+"/jobs/"+jobNamed(t, s, buildPath("uploaded", 1), "y")+"/retry", nil).Want(t, 200)
		agent.take().finish(builds.Finish{})
		show("uploaded", "BLOCKED", "PASSED", "passed")
	})
}

// TestJobMutations cancels, retries and unblocks jobs.
func TestJobMutations(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := fillBuilds(t, s)
		job := func(key string) string { return jobNamed(t, s, buildPath("release", 1), key) }
		refuse := func(token, mutation, id, message string) {
			t.Helper()
			wantError(t, mutate(s, token, mutation, fields{"id": id}, "clientMutationId"), message, mutation)
		}
		agent.take().finish(builds.Finish{ExitStatus: 1})
		lint, block := job("lint"), job("ask")
		for _, mutation := range []string{"jobTypeCommandCancel", "jobTypeCommandRetry"} {
			refuse(testkit.AdminToken, mutation, global("JobTypeCommand", nobodyID), "No job found")
			refuse(testkit.AdminToken, mutation, global("JobTypeBlock", lint), "No job found")
			refuse(testkit.OutsiderToken, mutation, global("JobTypeCommand", lint), "No job found")
		}
		refuse(testkit.AdminToken, "jobTypeCommandCancel", global("JobTypeCommand", lint), "Job can't be canceled because it has already finished")
		refuse(testkit.AdminToken, "jobTypeBlockUnblock", global("JobTypeBlock", block), "Job can't be unblocked because it waits for other steps")

		retried := dig(t, wantData(t, mutate(s, testkit.MemberToken, "jobTypeCommandRetry", fields{"id": global("JobTypeCommand", lint)},
			"jobTypeCommand { uuid retried retriedBy { name } } retriedInJobTypeCommand { uuid state retrySource { ... on JobInterface { uuid } } }")), "jobTypeCommandRetry").(item)
		wantMembers(t, retried, item{"jobTypeCommand": item{"uuid": lint, "retried": true, "retriedBy": item{"name": "Member"}}, "retriedInJobTypeCommand.uuid": job("lint"), "retriedInJobTypeCommand.state": "SCHEDULED",
			"retriedInJobTypeCommand.retrySource.uuid": lint})
		refuse(testkit.AdminToken, "jobTypeCommandRetry", global("JobTypeCommand", lint), "Job has already been retried")
		agent.take().finish(builds.Finish{})
		refuse(testkit.AdminToken, "jobTypeCommandRetry", global("JobTypeCommand", job("lint")), "Only failed, timed out or canceled jobs can be retried")
		agent.take().finish(builds.Finish{})
		agent.take().finish(builds.Finish{})

		unblock := func(given string) *testkit.Answer {
			return mutate(s, testkit.MemberToken, "jobTypeBlockUnblock", fields{"id": global("JobTypeBlock", block), "fields": given}, "jobTypeBlock { state isUnblockable unblockedAt unblockedBy { name } }")
		}
		builtPipeline(t, s, "gate", `steps: [{block: Go, blocked_state: failed}, {command: "true"}]`, nil)
		newBuild(t, s, "gate", nil)
		data := wantData(t, s.GraphQL(testkit.MemberToken, `{ build(slug: "acme-inc/gate/1") { state blockedState jobs(type: [BLOCK]) { nodes { ... on JobTypeBlock { isUnblockable } } } } }`, nil))
		wantEqual(t, dig(t, data, "build"), any(item{"state": "BLOCKED", "blockedState": "FAILED", "jobs": item{"nodes": []any{item{"isUnblockable": true}}}}))
		for _, given := range []string{"x", "[]", `{"version": 1}`, `{"version": [1]}`, `{"version": null}`, `{"version": "1"} x`} {
			wantError(t, unblock(given), "`fields` must be a JSON object with a text, or a list of texts, for each field", "jobTypeBlockUnblock")
		}
		for given, message := range map[string]string{`{}`: "Version can't be blank", `{"version": "1", "other": "2"}`: "The step has no field other"} {
			if said := unblock(given).Message(); !strings.Contains(said, message) {
				t.Errorf("unblocked with %s: %q, want %q", given, said, message)
			}
		}
		done := dig(t, wantData(t, unblock(`{"version": ["1", "2"]}`)), "jobTypeBlockUnblock", "jobTypeBlock").(item)
		wantMembers(t, done, item{"state": "UNBLOCKED", "isUnblockable": false, "unblockedBy.name": "Member"})
		wantEqual(t, s.Get(testkit.AdminToken, buildPath("release", 1)).Object()["meta_data"], any(item{"k": "v", "version": "1\n2"}))
		refuse(testkit.AdminToken, "jobTypeBlockUnblock", global("JobTypeBlock", block), "Job has already been unblocked")

		running := agent.take()
		canceled := dig(t, wantData(t, mutate(s, testkit.MemberToken, "jobTypeCommandCancel", fields{"id": global("JobTypeCommand", running.id)}, "jobTypeCommand { state canceledAt step { key } }")),
			"jobTypeCommandCancel", "jobTypeCommand").(item)
		wantMembers(t, canceled, item{"state": "CANCELING", "step.key": "sizes"})
		running.finish(builds.Finish{ExitStatus: -1, Signal: "SIGTERM", SignalReason: "cancel"})
		data = wantData(t, s.GraphQL(testkit.MemberToken, `query ($id: ID!) { job(uuid: $id) { ... on JobTypeCommand { state events { nodes { __typename actor { type } } } } } }`, fields{"id": running.id}))
		var types []string
		for _, e := range dig(t, data, "job", "events", "nodes").([]any) {
			types = append(types, e.(item)["__typename"].(string))
		}
		if dig(t, data, "job", "state") != "CANCELED" || !slices.Contains(types, "JobEventCanceled") {
			t.Errorf("a canceled job is %v", data)
		}
	})
}

// TestATriggeredBuildShowsItsOwnBranch reads a build that counts as one of another branch.
func TestATriggeredBuildShowsItsOwnBranch(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		builtPipeline(t, s, "release", `steps: [{command: "true"}]`, nil)
		newBuild(t, s, "release", fields{"branch": "main", "message": "First"})
		testkit.Exec(t, s.DB, `UPDATE builds SET origin_branch = 'evil', origin_tag = 'v1'`)
		if got := s.Get(testkit.AdminToken, pipelinesPath+"/release/builds/1").Want(t, 200).Object(); got["branch"] != "main" || got["tag"] != nil {
			t.Errorf("REST shows the branch %v and the tag %v", got["branch"], got["tag"])
		}
		wantEqual(t, dig(t, wantData(t, s.GraphQL(testkit.AdminToken, `{ build(slug: "acme-inc/release/1") { branch } }`, nil)), "build"), item{"branch": "main"})
	})
}
