package graph_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/builds"
	"penstock/internal/testkit"
)

func TestMetricsOfQueues(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const document = `query ($id: ID!) { node(id: $id) { ... on ClusterQueue { metrics {
			connectedAgentsCount jobsFailedCount jobsPassedCount runningJobsCount waitingJobsCount timestamp waitTimeSec { min max p50 p95 } } } } }`
		// metrics reads them in both ways, which must agree.
		metrics := func(queue string) item {
			t.Helper()
			got := dig(t, wantData(t, s.GraphQL(testkit.MemberToken, document, fields{"id": global("ClusterQueue", queue)})), "node", "metrics").(item)
			rest := s.Get(testkit.MemberToken, testkit.ClusterPath(testkit.MaintainedID, "queues", queue, "metrics")).Want(t, 200).Object()
			for here, there := range map[string]string{"connectedAgentsCount": "connected_agents_count", "jobsFailedCount": "jobs_failed_count",
				"jobsPassedCount": "jobs_passed_count", "runningJobsCount": "running_jobs_count", "waitingJobsCount": "waiting_jobs_count", "waitTimeSec": "wait_time_sec"} {
				if fmt.Sprint(got[here]) != fmt.Sprint(rest[there]) {
					t.Errorf("%s is %v, and over REST %v", here, got[here], rest[there])
				}
			}
			return got
		}
		builtPipeline(t, s, "web", `steps: [{command: a}, {command: b, soft_fail: true}, {command: c}, {command: d}, {command: e}, {command: f}]`, nil)
		agent := newRunner(t, s, agentTokenFor(t, s), "one")
		newBuild(t, s, "web", nil)
		const id = testkit.QueueID
		if got := metrics(id); got["waitingJobsCount"] != 6.0 || got["connectedAgentsCount"] != 1.0 || got["runningJobsCount"] != 0.0 || dig(t, got, "waitTimeSec", "max") != 0.0 {
			t.Errorf("before any job starts they are %v", got)
		}
		agent.take().finish(builds.Finish{})
		agent.take().finish(builds.Finish{ExitStatus: 1})
		agent.take().finish(builds.Finish{ExitStatus: 2})
		agent.take()
		testkit.Exec(t, s.DB, `UPDATE queue_waits SET wait = 1500000`)
		testkit.Exec(t, s.DB, `UPDATE queue_waits SET wait = 4250000 WHERE job_id = (SELECT min(job_id) FROM queue_waits)`)
		got := metrics(id)
		if got["waitingJobsCount"] != 2.0 || got["connectedAgentsCount"] != 1.0 || got["runningJobsCount"] != 1.0 || got["jobsPassedCount"] != 1.0 || got["jobsFailedCount"] != 2.0 ||
			fmt.Sprint(got["waitTimeSec"]) != "map[max:4.25 min:1.5 p50:1.5 p95:4.25]" {
			t.Errorf("they are %v", got)
		}
		if at, err := time.Parse(time.RFC3339, textAt(got, "timestamp")); err != nil || time.Since(at) < 15*time.Minute || time.Since(at) > 25*time.Minute {
			t.Errorf("they are counted since %v", got["timestamp"])
		}
		// What is long ago does not count.
		s.DB.AdvanceClock(16 * time.Minute)
		if got := metrics(id); got["jobsPassedCount"] != 0.0 || got["jobsFailedCount"] != 0.0 || dig(t, got, "waitTimeSec", "max") != 0.0 {
			t.Errorf("after a while they are %v", got)
		}
	})
}

// TestMetricsOfPipelines asks as the documentation of the interface does.
func TestMetricsOfPipelines(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		id := builtPipeline(t, s, "web", `steps: [{command: a}]`, fields{"default_branch": "main"})
		const document = `query AllPipelineMetrics { organization(slug: "acme-inc") { name pipelines(first: 50, search: "web") { edges { node { name
			metrics { count pageInfo { hasNextPage endCursor } edges { cursor node { id label value url } } } } } } } }`
		values := func() string {
			t.Helper()
			var all []string
			pipeline := dig(t, wantData(t, s.GraphQL(testkit.MemberToken, document, nil)), "organization", "pipelines", "edges").([]any)[0]
			for _, edge := range dig(t, pipeline, "node", "metrics", "edges").([]any) {
				all = append(all, fmt.Sprint(dig(t, edge, "node", "label"), "=", dig(t, edge, "node", "value")))
			}
			return strings.Join(all, ", ")
		}
		if got := values(); got != "Speed=<nil>, Reliability=<nil>, Builds per week=<nil>" {
			t.Errorf("without builds they are %s", got)
		}
		for range 8 {
			newBuild(t, s, "web", nil)
		}
		newBuild(t, s, "web", fields{"branch": "feature"})
		testkit.Exec(t, s.DB, `UPDATE builds SET state = 'passed', started_at = created_at, finished_at = created_at + 200000000 WHERE number <= 6`)
		testkit.Exec(t, s.DB, `UPDATE builds SET state = 'failed', started_at = created_at, finished_at = created_at + 900000000 WHERE number IN (7, 9)`)
		if got := values(); got != "Speed=3m 20s, Reliability=85%, Builds per week=2" {
			t.Errorf("they are %s", got)
		}
		s.Patch(testkit.AdminToken, acme+"/pipelines/web", fields{"default_branch": nil}).Want(t, 200)
		if got := values(); got != "Speed=3m 20s, Reliability=75%, Builds per week=2" {
			t.Errorf("of all branches they are %s", got)
		}
		testkit.Exec(t, s.DB, `UPDATE builds SET created_at = created_at - 2505600000000 WHERE number <= 8`)
		if got := values(); got != "Speed=<nil>, Reliability=0%, Builds per week=1" {
			t.Errorf("of four weeks they are %s", got)
		}

		// Each is a node, and the list can be read in parts.
		node := dig(t, wantData(t, s.GraphQL(testkit.MemberToken, `query ($id: ID!) { node(id: $id) { ... on PipelineMetric { label value url } } }`,
			fields{"id": global("PipelineMetric/reliability", id)})), "node").(item)
		if node["label"] != "Reliability" || node["value"] != "0%" || !strings.HasSuffix(textAt(node, "url"), "/organizations/acme-inc/pipelines/web/builds") {
			t.Errorf("the node is %v", node)
		}
		for _, unknown := range []string{"PipelineMetric", "PipelineMetric/", "PipelineMetric/else", "PipelineMetric/speed/"} {
			if got := wantData(t, s.GraphQL(testkit.MemberToken, `query ($id: ID!) { node(id: $id) { id } }`, fields{"id": global(unknown, id)}))["node"]; got != nil {
				t.Errorf("%s is %v", unknown, got)
			}
		}
		for part, want := range map[string]string{"first: 1": "Speed true false", "last: 1": "Builds per week false true", "first: 9": "Speed false false"} {
			list := dig(t, wantData(t, s.GraphQL(testkit.MemberToken,
				`{ pipeline(slug: "acme-inc/web") { metrics(`+part+`) { nodes { label } pageInfo { hasNextPage hasPreviousPage } } } }`, nil)), "pipeline", "metrics")
			nodes := dig(t, list, "nodes").([]any)
			if got := fmt.Sprint(dig(t, nodes[0], "label"), " ", dig(t, list, "pageInfo", "hasNextPage"), " ", dig(t, list, "pageInfo", "hasPreviousPage")); got != want {
				t.Errorf("with %s it is %s, not %s", part, got, want)
			}
		}
		if a := s.GraphQL(testkit.MemberToken, `{ pipeline(slug: "acme-inc/web") { metrics(first: -1) { count } } }`, nil); !strings.Contains(string(a.Body), "must be a number from 0 to 500") {
			t.Errorf("a negative part: %s", a.Body)
		}
		for n := range 101 {
			builtPipeline(t, s, fmt.Sprint("more-", n), `steps: [wait]`, nil)
		}
		const many = `{ organization(slug: "acme-inc") { pipelines(first: 150) { nodes { metrics { count } } } } }`
		if a := s.GraphQL(testkit.MemberToken, many, nil); !strings.Contains(string(a.Body), "The metrics of at most 100 pipelines can be read at once") {
			t.Errorf("of too many: %.300s", a.Body)
		}
	})
}

func TestEventsOfStacks(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		builtPipeline(t, s, "web", `steps: [{command: a}]`, nil)
		stack := authz.AgentActor(authz.AgentToken, agentTokenFor(t, s), netip.MustParseAddr("192.0.2.1"))
		if _, _, err := s.Builds.RegisterStack(t.Context(), stack, domain.StackInput{Key: "k8s", Type: "kubernetes", QueueKey: "_default"}); err != nil {
			t.Fatal(err)
		}
		newBuild(t, s, "web", nil)
		var job string
		for job = range column(t, s, `SELECT job_id, job_id FROM ready_jobs`) {
			break
		}
		if _, err := s.Builds.ReserveJobs(t.Context(), stack, "k8s", []string{job}, time.Minute); err != nil {
			t.Fatal(err)
		}
		if faults, err := s.Builds.NotifyOfJobs(t.Context(), stack, "k8s", []domain.StackNotification{{Job: job, Detail: "Pulling the image"}}); err != nil || faults != nil {
			t.Fatal(faults, err)
		}
		if err := s.Builds.FinishStackJob(t.Context(), stack, "k8s", job, -1, "No such image"); err != nil {
			t.Fatal(err)
		}
		const document = `query ($id: ID!) { node(id: $id) { ... on JobTypeCommand { events(first: 20) { nodes { __typename type actor { type uuid node { __typename } }
			... on JobEventStackError { errorDetail } ... on JobEventStackNotification { message } } } } } }`
		var got []string
		for _, node := range dig(t, wantData(t, s.GraphQL(testkit.MemberToken, document, fields{"id": global("JobTypeCommand", job)})), "node", "events", "nodes").([]any) {
			n := node.(item)
			got = append(got, fmt.Sprint(n["__typename"], " ", n["type"], " ", dig(t, n, "actor", "type"), " ", n["message"], " ", n["errorDetail"]))
		}
		want := []string{"JobEventGeneric SCHEDULED USER <nil> <nil>", "JobEventGeneric RESERVED STACK <nil> <nil>",
			"JobEventStackNotification STACK_NOTIFICATION STACK Pulling the image <nil>", "JobEventStackError STACK_ERRORED STACK <nil> No such image"}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("the events are\n%s", strings.Join(got, "\n"))
		}
	})
}
