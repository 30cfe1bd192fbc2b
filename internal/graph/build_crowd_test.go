package graph_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/testkit"
)

const (
	busyAgent = "Busy one" // which has run many jobs
	crowdedBy = 12         // builds and agents
)

// buildCrowdOfBuilds adds builds, with jobs in many states, and agents to a crowd.
func buildCrowdOfBuilds(t *testing.T, s *testkit.Server) {
	t.Helper()
	token := agentTokenFor(t, s)
	busy := newRunner(t, s, token, busyAgent, "os=linux")
	builtPipeline(t, s, "works", `
steps:
  - {key: first, command: "true", priority: 5, agents: {os: linux}, concurrency: 20, concurrency_group: gate}
  - {key: second, command: "true", agents: {queue: a-0}}
  - wait
  - {key: third, command: "true"}
  - {block: Go}`, nil)
	builtPipeline(t, s, "wide", `
steps:
  - {key: many, command: "true", parallelism: 10}
  - {key: same, command: "true", priority: 7, agents: {os: linux}, concurrency: 1, concurrency_group: gate}
  - {trigger: works, key: next}`, nil)
	builtPipeline(t, s, "nowhere", `steps: [{command: "true"}]`, fields{"cluster_id": nil})
	newBuild(t, s, "nowhere", nil)
	for n := range crowdedBy {
		newBuild(t, s, "works", fields{"branch": []string{"main", "feature/a", "feature/b"}[n%3], "commit": fmt.Sprintf("c%d", n%4),
			"meta_data": fields{"parity": []string{"even", "odd"}[n%2], "a:b": "c"}})
	}
	newBuild(t, s, "wide", nil)
	for n := range crowdedBy + 3 { // the last ones are of the second pipeline
		if job := busy.take(); n < crowdedBy+2 { // the very last goes on
			job.finish(builds.Finish{ExitStatus: int64(n % 2)})
		}
	}
	s.Put(testkit.AdminToken, buildPath("works", 2)+"/cancel", nil)
	for n := range crowdedBy {
		tags := []string{"os=linux", fmt.Sprintf("n=%d", n%3)}
		if n%4 == 1 {
			tags = []string{"queue=a-0"}
		}
		newRunner(t, s, token, fmt.Sprintf("%s %d", []string{"Mac", "runner"}[n%2], n), tags...)
	}
	testkit.Exec(t, s.DB, `UPDATE agents SET paused_at = created_at WHERE name LIKE '% 3'`)
	testkit.Exec(t, s.DB, `UPDATE agents SET paused_at = created_at, paused_timeout = 100000000 WHERE name LIKE '% 4'`)
	testkit.Exec(t, s.DB, `UPDATE agents SET paused_at = 0, paused_timeout = 5 WHERE name LIKE '% 5'`) // which is over
	// Builds are made in one moment. Here they are a second apart.
	testkit.Exec(t, s.DB, `UPDATE jobs SET created_at = created_at + 1000000 * (SELECT number FROM builds b WHERE b.id = jobs.build_id)`)
	testkit.Exec(t, s.DB, `UPDATE job_runs SET created_at = (SELECT j.created_at FROM jobs j WHERE j.id = job_runs.job_id)`)
	testkit.Exec(t, s.DB, `UPDATE builds SET created_at = created_at + 1000000 * number`)
	var events []string
	for n := range crowdedBy {
		events = append(events, fmt.Sprintf(`('%s', (SELECT min(id) FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE state = 'running' AND kind = 'command'), 'LIMITED', %d, NULL, NULL)`, crowdID(9, n), n/2))
	}
	testkit.Exec(t, s.DB, `INSERT INTO job_events (id, job_id, type, at, agent_id, user_id) VALUES `+strings.Join(events, ", "))
	const job = `(SELECT min(id) FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE state = 'running' AND kind = 'command')`
	const build = `(SELECT min(jobs.build_id) FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE state = 'running' AND kind = 'command')`
	var annotations, artifacts []string
	for n := range crowdedBy {
		style := []string{"info", "error", "default"}[n%3]
		annotations = append(annotations,
			fmt.Sprintf(`('%s', %s, NULL, 'build', %[2]s, 'c%d', '%s', %d, 'text', %d, 0)`, crowdID(11, n), build, n, style, 1+n%4, n/2),
			fmt.Sprintf(`('%s', %s, %s, 'job', %[3]s, 'c%d', '%s', %d, 'text', %d, 0)`, crowdID(12, n), build, job, n, style, 1+n%4, n/2))
		state, path := []string{"finished", "new"}[n%2], fmt.Sprintf("%s/%02d.txt", []string{"logs", "out"}[n%2], n)
		artifacts = append(artifacts, fmt.Sprintf(`('%s', (SELECT organization_id FROM builds WHERE id = %s), %[2]s, %s, 'u', '%s', '%[4]s', '', '', 1, '', '', '', '', '', NULL, FALSE, '%s', 0, NULL, NULL)`,
			crowdID(13, n), build, job, path, state))
	}
	testkit.Exec(t, s.DB, `INSERT INTO annotations (id, build_id, job_id, scope, scope_id, context, style, priority, body, created_at, updated_at) VALUES `+strings.Join(annotations, ", "))
	testkit.Exec(t, s.DB, `INSERT INTO artifacts (id, organization_id, build_id, job_id, upload_id, path, path_key, absolute_path, glob_path, file_size, sha1sum, sha256sum, content_type,
		upload_destination, url, multipart_id, is_stored, state, created_at, finished_at, expires_at) VALUES `+strings.Join(artifacts, ", "))
	var dependencies []string
	for n := range crowdedBy {
		dependencies = append(dependencies, fmt.Sprintf(`('%s', (SELECT min(id) FROM builds), (SELECT min(step_id) FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE state = 'running' AND kind = 'command'), NULL, 'key-%d', FALSE, FALSE, 'open')`, crowdID(10, n), n))
	}
	testkit.Exec(t, s.DB, `INSERT INTO step_dependencies (id, build_id, step_id, on_step_id, on_key, own_only, allow_failure, state) VALUES `+strings.Join(dependencies, ", "))
}

// jobPlace is what jobs are ordered by.
type jobPlace struct {
	created, assigned int64
	position          string
	index             int64
}

// jobPlaces returns what the jobs are ordered by.
func jobPlaces(t *testing.T, s *testkit.Server) map[string]jobPlace {
	t.Helper()
	places := map[string]jobPlace{}
	err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
		return tx.Query(`SELECT id, jobs.created_at, COALESCE(assigned_at, 0), position, upload_index FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id`, func(r *db.Row) error {
			places[r.Text()] = jobPlace{r.Int(), r.Int(), r.Text(), r.Int()}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return places
}

// compareJobs returns an order of jobs; within a build those that were made together are in the order of their steps.
func compareJobs(places map[string]jobPlace, order string, ofBuild bool) func(a, b item) int {
	return func(x, y item) int {
		a, b := places[textAt(x, "uuid")], places[textAt(y, "uuid")]
		by := cmp.Compare(b.created, a.created)
		if order == "RECENTLY_ASSIGNED" {
			by = cmp.Compare(b.assigned, a.assigned)
		}
		if ofBuild {
			by = cmp.Or(by, cmp.Compare(b.position, a.position), cmp.Compare(b.index, a.index))
		}
		return cmp.Or(by, cmp.Compare(textAt(y, "uuid"), textAt(x, "uuid")))
	}
}

// jobNode is what the tests of lists look at in a job.
const jobNode = `__typename ... on JobTypeCommand { state agentQueryRules passed cluster { uuid } clusterQueue { uuid } concurrency { group } priority { number } createdAt finishedAt step { key } }
	... on JobTypeBlock { state } ... on JobTypeWait { state } ... on JobTypeTrigger { state triggerStep: step { key } }`

// buildLists are the lists of builds, jobs and agents.
func buildLists(t *testing.T, s *testkit.Server) []list {
	t.Helper()
	organization, elsewhere := `organization(slug: "acme-inc") { %s }`, `organization(slug: "number-1") { %s }`
	pipeline, other := `pipeline(slug: "acme-inc/works") { %s }`, `pipeline(slug: "acme-inc/nowhere") { %s }`
	agents, running := column(t, s, `SELECT name, id FROM agents`), column(t, s, `SELECT state, min(id) FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE kind = 'command' GROUP BY state`)["running"]
	made := seconds(t, s, "builds")
	middle := rfc3339(slices.Sorted(maps.Values(made))[len(made)/2])
	finished := rfc3339(slices.Sorted(maps.Values(micros(t, s, `SELECT job_id, finished_at FROM job_runs WHERE finished_at IS NOT NULL`)))[6])
	places := jobPlaces(t, s)
	inState := func(states ...string) func(item) bool {
		return func(i item) bool { return slices.Contains(states, textAt(i, "state")) }
	}
	isType := func(types ...string) func(item) bool {
		return func(i item) bool { return slices.Contains(types, textAt(i, "__typename")) }
	}
	hasRule := func(rule string) func(item) bool {
		return func(i item) bool { rules, _ := i["agentQueryRules"].([]any); return slices.Contains(rules, any(rule)) }
	}
	hasPriority := func(priority float64) func(item) bool {
		return func(i item) bool {
			p, _ := i["priority"].(item)
			// Jobs that no agent runs have the priority 0.
			return p != nil && p["number"] == priority || p == nil && priority == 0
		}
	}
	never := func(item) bool { return false }
	// What all lists of jobs can be asked for, and what each leaves.
	jobFilters := func(priority string) []filter {
		return []filter{
			{`state: [RUNNING]`, inState("RUNNING")}, {`state: [FINISHED, CANCELED, FINISHED]`, inState("FINISHED", "CANCELED")}, {`state: []`, never},
			{`state: [SCHEDULED, LIMITED, LIMITING]`, inState("SCHEDULED", "LIMITED", "LIMITING")},
			{`type: [COMMAND]`, isType("JobTypeCommand")}, {`type: [WAIT, BLOCK]`, isType("JobTypeWait", "JobTypeBlock")}, {`type: [TRIGGER]`, isType("JobTypeTrigger")},
			{`agentQueryRules: ["os=linux"]`, hasRule("os=linux")}, {`agentQueryRules: ["os=linux", "queue=a-0"]`, never}, {`agentQueryRules: ["OS=LINUX"]`, never}, {`agentQueryRules: ["os=lin\u0000"]`, never},
			{`concurrency: {group: ["gate", "none"]}`, func(i item) bool { return textAt(i, "concurrency.group") == "gate" }}, {`concurrency: {group: []}`, never},
			{`step: {key: ["first", "same"]}`, func(i item) bool { return slices.Contains([]string{"first", "same"}, textAt(i, "step.key")) }}, {`step: {key: ["\u0000"]}`, never},
			{`step: {}`, func(item) bool { return true }},
			{`passed: true`, func(i item) bool {
				return i["passed"] == true || isType("JobTypeWait")(i) && textAt(i, "state") == "FINISHED"
			}},
			{`passed: false`, func(i item) bool {
				return i["passed"] != true && (!isType("JobTypeWait")(i) || textAt(i, "state") != "FINISHED")
			}},
			{fmt.Sprintf(priority, 5), hasPriority(5)}, {fmt.Sprintf(priority, 0), hasPriority(0)},
		}
	}
	const several, one = `priority: {number: [%d]}`, `priority: %d`
	jobs := func(field, within, other string, ofBuild bool, order, priority string, besides []filter, path ...string) list {
		return list{field: field, token: testkit.MemberToken, within: within, other: other, path: path, node: jobNode, uuid: `... on JobInterface { uuid }`, order: order,
			filters: append(jobFilters(priority), besides...), compare: func(order string) func(a, b item) int { return compareJobs(places, order, ofBuild) }}
	}
	ofQueue := func(i item) bool { return textAt(i, "clusterQueue.uuid") == crowdID(4, 0) }
	clustered := func(i item) bool { return i["__typename"] != "JobTypeCommand" || i["cluster"] != nil }
	ofOrganization := []filter{
		{`cluster: "` + testkit.MaintainedID + `"`, clustered}, {`cluster: "none"`, never}, {`clustered: true`, func(item) bool { return true }},
		{`cluster: "` + domain.GraphQLID("Cluster", testkit.MaintainedID) + `"`, clustered}, {`clustered: false`, func(i item) bool { return !clustered(i) }},
		{`clusterQueue: ["` + crowdID(4, 0) + `"]`, ofQueue}, {`clusterQueue: ["` + domain.GraphQLID("ClusterQueue", crowdID(4, 0)) + `", "none"]`, ofQueue}, {`clusterQueue: []`, never},
		{`createdAtFrom: "` + middle + `"`, func(i item) bool { return rfc3339(places[textAt(i, "uuid")].created) >= middle }},
		{`createdAtTo: "` + middle + `"`, func(i item) bool { return rfc3339(places[textAt(i, "uuid")].created) < middle }},
		{`finishedAt: "` + finished + `"`, func(i item) bool {
			at := micros(t, s, `SELECT job_id, finished_at FROM job_runs WHERE finished_at IS NOT NULL`)[textAt(i, "uuid")]
			return at != 0 && rfc3339(at) >= finished
		}},
	}
	isTagged := func(tag string) func(item) bool {
		return func(i item) bool { return slices.Contains(i["metaData"].([]any), any(tag)) }
	}
	inBuild := func(path string, value ...string) func(item) bool {
		return func(i item) bool { return slices.Contains(value, textAt(i, path)) }
	}
	ofUser := func(field, token, within, main, features string, path ...string) list {
		return list{field: field, token: token, within: within, path: path, table: "builds", order: "RECENTLY_CREATED", node: "branch state metaData(first: 5) { nodes { key value } }",
			filters: []filter{
				{`branch: ` + main, inBuild("branch", "main")}, {`branch: ` + features, inBuild("branch", "feature/a", "feature/b")},
				{`metaData: ["parity:even", "a:b:c"]`, func(i item) bool { return strings.Contains(fmt.Sprint(i["metaData"]), "even") }}, {`metaData: ["parity"]`, never},
				{`state: [CANCELED, CANCELING]`, inState("CANCELED", "CANCELING")}, {`state: []`, never},
			}}
	}
	annotated := seconds(t, s, "annotations")
	annotations := func(field, within string, besides []filter, path ...string) list {
		return list{field: field, token: testkit.MemberToken, within: within, path: path, node: "context priority style scope", order: "RECENTLY_CREATED",
			compare: func(order string) func(a, b item) int {
				return func(a, b item) int {
					by := cmp.Or(cmp.Compare(annotated[textAt(b, "uuid")], annotated[textAt(a, "uuid")]), cmp.Compare(textAt(b, "uuid"), textAt(a, "uuid")))
					if order == "PRIORITY_RECENTLY_CREATED" {
						by = cmp.Or(cmp.Compare(b["priority"].(float64), a["priority"].(float64)), by)
					}
					return by
				}
			},
			filters: append(besides, filter{`style: [INFO]`, inBuild("style", "INFO")}, filter{`style: [ERROR, DEFAULT]`, inBuild("style", "ERROR", "DEFAULT")}, filter{`style: []`, never})}
	}
	annotatedBuild := column(t, s, `SELECT id, build_id FROM jobs`)[running]
	return []list{
		annotations("Build.annotations", `build(uuid: "`+annotatedBuild+`") { %s }`, []filter{
			{`scope: [BUILD]`, inBuild("scope", "BUILD")}, {`scope: [JOB]`, inBuild("scope", "JOB")}, {`scope: [BUILD, JOB]`, func(item) bool { return true }}, {`scope: []`, never},
		}, "build"),
		annotations("JobTypeCommand.annotations", `job(uuid: "`+running+`") { ... on JobTypeCommand { %s } }`, nil, "job"),
		ofUser("User.builds", testkit.MemberToken, `node(id: "`+global("User", testkit.AdminID)+`") { ... on User { %s } }`, `["main"]`, `["feature/*"]`, "node"),
		ofUser("Viewer.builds", testkit.AdminToken, `viewer { %s }`, `"main"`, `"feature/*"`, "viewer"),
		{field: "Pipeline.builds", token: testkit.MemberToken, within: pipeline, other: other, path: []string{"pipeline"}, node: "number branch commit state createdAt metaData(first: 5) { nodes { key value } }",
			compare: func(string) func(a, b item) int {
				return func(a, b item) int { return cmp.Compare(b["number"].(float64), a["number"].(float64)) }
			},
			filters: []filter{
				{`branch: ["main"]`, inBuild("branch", "main")}, {`branch: ["feature/*"]`, inBuild("branch", "feature/a", "feature/b")}, {`branch: ["MAIN"]`, never},
				{`commit: ["c1", "c2"]`, inBuild("commit", "c1", "c2")}, {`commit: ["c"]`, never},
				{`createdAtFrom: "` + middle + `"`, func(i item) bool { return textAt(i, "createdAt") >= middle }},
				{`createdAtTo: "` + middle + `"`, func(i item) bool { return textAt(i, "createdAt") < middle }},
				{`metaData: ["parity:even", "a:b:c"]`, func(i item) bool { return strings.Contains(fmt.Sprint(i["metaData"]), "even") }}, {`metaData: ["parity"]`, never}, {`metaData: ["parity:even", "parity:odd"]`, never},
				{`state: [CANCELED, CANCELING]`, inState("CANCELED", "CANCELING")}, {`state: [PASSED]`, inState("PASSED")}, {`state: []`, never},
			}},
		jobs("Organization.jobs", organization, elsewhere, false, "RECENTLY_CREATED", several, ofOrganization, "organization"),
		jobs("Pipeline.jobs", pipeline, other, false, "RECENTLY_CREATED", several, nil, "pipeline"),
		jobs("Build.jobs", `build(slug: "acme-inc/wide/1") { %s }`, `build(slug: "acme-inc/works/1") { %s }`, true, "RECENTLY_CREATED", several, nil, "build"),
		jobs("Agent.jobs", `agent(slug: "acme-inc/`+agents[busyAgent]+`") { %s }`, "", false, "RECENTLY_ASSIGNED", one, nil, "agent"),
		{field: "Organization.agents", token: testkit.MemberToken, within: organization, other: elsewhere, path: []string{"organization"}, table: "agents", order: "RECENTLY_CREATED",
			node: "name paused isRunningJob metaData clusterQueue { uuid }",
			filters: []filter{
				{`search: "MAC"`, isNamed("name", "mac")}, {`search: "%"`, never}, {`metaData: ["n=1"]`, isTagged("n=1")}, {`metaData: ["n=1", "os=linux"]`, isTagged("n=1")}, {`metaData: ["n"]`, never},
				{`paused: true`, func(i item) bool { return i["paused"] == true }}, {`paused: false`, func(i item) bool { return i["paused"] == false }},
				{`isRunningJob: true`, func(i item) bool { return i["isRunningJob"] == true }}, {`isRunningJob: false`, func(i item) bool { return i["isRunningJob"] == false }},
				{`clusterQueue: ["` + crowdID(4, 0) + `"]`, ofQueue}, {`cluster: "` + testkit.MaintainedID + `"`, func(item) bool { return true }}, {`cluster: "` + crowdID(3, 1) + `"`, never},
				{`clustered: false`, never},
			}},
		{field: "JobTypeCommand.events", token: testkit.MemberToken, within: `job(uuid: "` + running + `") { ... on JobTypeCommand { %s } }`, path: []string{"job"}, node: "type timestamp",
			compare: func(string) func(a, b item) int {
				return func(a, b item) int {
					return cmp.Or(cmp.Compare(textAt(a, "timestamp"), textAt(b, "timestamp")), cmp.Compare(textAt(a, "uuid"), textAt(b, "uuid")))
				}
			}},
		{field: "StepCommand.dependencies", token: testkit.MemberToken, within: `job(uuid: "` + running + `") { ... on JobTypeCommand { step { %s } } }`, path: []string{"job", "step"}, node: "id key allowFailure"},
	}
}

// onlyArgument are arguments that leave all of a list, or nothing: agents belong to one cluster here, and run commands only.
var onlyArgument = map[string]bool{"Organization.agents.cluster": true, "Organization.agents.clustered": true, "Agent.jobs.type": true,
	"Organization.rules.sourceType": true, "Organization.rules.targetType": true}

// wantDependenciesOfSteps reads what steps of other types wait for, which is bound as it is for commands.
func wantDependenciesOfSteps(t *testing.T, s *testkit.Server) {
	t.Helper()
	data := wantData(t, s.GraphQL(testkit.MemberToken, `{ works: build(slug: "acme-inc/works/3") { ...jobs } wide: build(slug: "acme-inc/wide/1") { ...jobs } }
		fragment jobs on Build { jobs(first: 20) { nodes { __typename ... on JobTypeWait { wait: step { dependencies(first: 20) { count nodes { key } } } }
			... on JobTypeBlock { block: step { dependencies(first: 20) { count nodes { key } } } } ... on JobTypeTrigger { trigger: step { dependencies(first: 0) { count nodes { key } } } } } } }`, nil))
	text := fmt.Sprint(data)
	for _, want := range []string{"wait:map[dependencies:map[count:2 nodes:[", "map[key:first]", "map[key:second]", "block:map[dependencies:map[count:", "trigger:map[dependencies:map[count:0 nodes:[]]]"} {
		if !strings.Contains(text, want) {
			t.Errorf("steps wait for %s, want %s", text, want)
		}
	}
}

// wantMetaData reads Build.metaData, by key. It has no argument but first and last, and its nodes have no uuid.
func wantMetaData(t *testing.T, s *testkit.Server) {
	t.Helper()
	values := fields{}
	for n := range 700 {
		values[fmt.Sprintf("key-%03d", n)] = fmt.Sprint(n)
	}
	newBuild(t, s, "nowhere", fields{"meta_data": values})
	ask := func(arguments string) (keys []string, list item) {
		t.Helper()
		list = dig(t, wantData(t, s.GraphQL(testkit.MemberToken, `{ build(slug: "acme-inc/nowhere/2") { metaData`+arguments+` { count pageInfo { hasNextPage hasPreviousPage } edges { cursor node { key value } } } } }`, nil)),
			"build", "metaData").(item)
		for _, e := range list["edges"].([]any) {
			keys = append(keys, textAt(e.(item), "node.key"))
		}
		return keys, list
	}
	for arguments, want := range map[string][3]any{"(first: 2)": {"key-000", "key-001", 2}, "(last: 2)": {"key-698", "key-699", 2}, "(first: 10000)": {"key-000", "key-699", 700}, "": {"key-000", "key-499", 500}} {
		keys, list := ask(arguments)
		if len(keys) != want[2] || keys[0] != want[0] || keys[len(keys)-1] != want[1] || list["count"] != 700.0 {
			t.Errorf("metaData%s is %v", arguments, keys)
		}
	}
	for _, first := range []int{-1, 10_001} {
		wantError(t, s.GraphQL(testkit.MemberToken, fmt.Sprintf(`{ build(slug: "acme-inc/nowhere/2") { metaData(first: %d) { count } } }`, first), nil), "`first` must be a number from 0 to 10000", "build", "metaData")
	}
}

// wantArtifacts reads JobTypeCommand.artifacts, by path. It has no cursors.
func wantArtifacts(t *testing.T, s *testkit.Server) {
	t.Helper()
	running := column(t, s, `SELECT state, min(id) FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE kind = 'command' GROUP BY state`)["running"]
	for arguments, want := range map[string]string{
		"":           "logs/00.txt logs/02.txt logs/04.txt logs/06.txt logs/08.txt logs/10.txt out/01.txt out/03.txt out/05.txt out/07.txt out/09.txt out/11.txt of 12",
		"(first: 2)": "logs/00.txt logs/02.txt of 12", "(last: 2, first: 5000)": "out/09.txt out/11.txt of 12", "(last: 1)": "out/11.txt of 12",
		`(path: "out/*1.txt")`: "out/01.txt out/11.txt of 2", `(path: "out")`: "of 0", `(path: null, state: null, last: 1)`: "out/11.txt of 12",
		`(state: NEW, first: 1)`: "out/01.txt of 6", `(state: FINISHED, path: "*/10.txt")`: "logs/10.txt of 1", `(state: EXPIRED)`: "of 0",
	} {
		list := dig(t, wantData(t, s.GraphQL(testkit.MemberToken, `{ job(uuid: "`+running+`") { ... on JobTypeCommand { artifacts`+arguments+` { count nodes { uuid } edges { cursor node { path } } } } } }`, nil)),
			"job", "artifacts").(item)
		var words []string
		for _, e := range list["edges"].([]any) {
			words = append(words, textAt(e.(item), "node.path"))
		}
		if got := strings.Join(append(words, fmt.Sprint("of ", list["count"])), " "); got != want {
			t.Errorf("artifacts%s are %s, want %s", arguments, got, want)
		}
	}
	wantError(t, s.GraphQL(testkit.MemberToken, `{ job(uuid: "`+running+`") { ... on JobTypeCommand { artifacts(first: 5001) { count } } } }`, nil), "`first` must be a number from 0 to 5000", "job", "artifacts")
}

// wantWholeCounts asks whether the counts of short lists are those of the whole lists.
func wantWholeCounts(t *testing.T, s *testkit.Server) {
	t.Helper()
	pipeline := dig(t, wantData(t, s.GraphQL(testkit.MemberToken, `{ pipeline(slug: "acme-inc/nowhere") { builds { count countIsBounded } jobs { count countIsBounded } } }`, nil)), "pipeline").(item)
	for _, list := range []string{"builds", "jobs"} {
		if got := dig(t, pipeline, list).(item); got["count"] == 0.0 || got["countIsBounded"] != false {
			t.Errorf("%s: %v", list, got)
		}
	}
}
