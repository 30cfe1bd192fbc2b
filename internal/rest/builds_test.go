package rest_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const (
	allBuildsPath = "/v2/builds"
	buildsPath    = organizationPath + "/builds"
)

func TestBuildFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: make, label: Make, key: make, artifact_paths: \"a;b\", agents: {os: linux}}]", `"description": "Shop"`)
		made := s.Post(testkit.MemberToken, pipeline+"/builds", `{"commit": "abc", "branch": "feature", "message": "Ü\nb", "tag": "v1", "author": {"name": "An Author", "email": "a@example.com"},
			"env": {"B": "2", "A": "1"}, "meta_data": {"k": "v"}, "clean_checkout": true, "pull_request_id": 7, "pull_request_base_branch": "main",
			"pull_request_repository": "git@example.com:other/web.git", "pull_request_labels": ["x"]}`).Want(t, 201)
		if got := timeless(t, made)["state"]; got != "scheduled" {
			t.Errorf("a new build is %v", got)
		}
		job := agent.take().finish(0)
		shown := s.Get(testkit.MemberToken, pathOf(s, made)).Want(t, 200)
		pipelineID := s.Get(testkit.AdminToken, pipeline).Want(t, 200)
		step := shown.Object()["jobs"].([]any)[0].(map[string]any)["step"].(map[string]any)["id"].(string)
		pairs := []string{"BASE", s.URL, "GLOBALBUILD", globalID("Build", made.Text("id")), "GLOBALJOB", globalID("JobTypeCommand", job), "GLOBALAGENT", globalID("Agent", agent.ID),
			"GLOBALPIPELINE", globalID("Pipeline", pipelineID.Text("id")), "BUILDID", made.Text("id"), "JOBID", job, "AGENTID", agent.ID, "PIPELINEID", pipelineID.Text("id"),
			"STEPID", step, "CLUSTER", testkit.MaintainedID, "QUEUE", testkit.QueueID, "BADGE", pipelineID.Text("badge_url"),
			"MEMBERUSER", `{"id": "` + testkit.MemberID + `", "graphql_id": "` + globalID("User", testkit.MemberID) + `", "name": "Member", "email": "member@example.com",
				"avatar_url": "` + s.URL + `/avatars/` + testkit.MemberID + `.svg", "created_at": "TIME"}`,
			"ADMINUSER", `{"id": "` + testkit.AdminID + `", "graphql_id": "` + globalID("User", testkit.AdminID) + `", "name": "Admin", "email": "admin@example.com",
				"avatar_url": "` + s.URL + `/avatars/` + testkit.AdminID + `.svg", "created_at": "TIME"}`}
		wantExactly(t, timeless(t, shown), `{
			"id": "BUILDID", "graphql_id": "GLOBALBUILD", "url": "BASE/v2/organizations/acme-inc/pipelines/web/builds/1", "web_url": "BASE/acme-inc/web/builds/1",
			"number": 1, "state": "passed", "blocked": false, "cancel_reason": null, "message": "Ü\nb", "commit": "abc", "branch": "feature", "tag": "v1",
			"env": {"A": "1", "B": "2"}, "source": "api", "author": {"name": "An Author", "email": "a@example.com"}, "creator": MEMBERUSER,
			"created_at": "TIME", "scheduled_at": "TIME", "started_at": "TIME", "failing_at": null, "finished_at": "TIME", "meta_data": {"k": "v"},
			"pull_request": {"id": "7", "base": "main", "repository": "git@example.com:other/web.git"}, "merge_queue": null, "rebuilt_from": null, "triggered_from": null,
			"job_state_counts": {"total": 1, "states": {"passed": 1}},
			"jobs": [{
				"id": "JOBID", "graphql_id": "GLOBALJOB", "type": "script", "name": "Make", "label": "Make", "step_key": "make", "group_key": null,
				"step": {"id": "STEPID", "signature": null}, "priority": {"number": 0}, "agent_query_rules": ["os=linux"], "state": "passed",
				"build_url": "BASE/v2/organizations/acme-inc/pipelines/web/builds/1", "web_url": "BASE/acme-inc/web/builds/1#JOBID",
				"log_url": "BASE/v2/organizations/acme-inc/pipelines/web/builds/1/jobs/JOBID/log", "raw_log_url": "BASE/v2/organizations/acme-inc/pipelines/web/builds/1/jobs/JOBID/log.txt",
				"artifacts_url": "BASE/v2/organizations/acme-inc/pipelines/web/builds/1/jobs/JOBID/artifacts", "command": "make", "script_path": "make", "soft_failed": false, "exit_status": 0,
				"signal": null, "signal_reason": null, "broken_reason": null, "detail": null, "promised_exit_status": null, "promised_exit_status_at": null, "artifact_paths": "a;b",
				"agent": {
					"id": "AGENTID", "graphql_id": "GLOBALAGENT", "url": "BASE/v2/organizations/acme-inc/agents/AGENTID", "web_url": "BASE/organizations/acme-inc/agents/AGENTID",
					"name": "Runner", "connection_state": "connected", "hostname": "host-Runner", "ip_address": "192.0.2.7", "user_agent": "agent/3.138.1", "version": "3.138.1",
					"os_id": "linux", "arch": "amd64", "queue": "default", "cluster_id": "CLUSTER", "cluster_url": "BASE/v2/organizations/acme-inc/clusters/CLUSTER",
					"cluster_queue_id": "QUEUE", "cluster_queue_url": "BASE/v2/organizations/acme-inc/clusters/CLUSTER/queues/QUEUE", "creator": ADMINUSER,
					"created_at": "TIME", "connected_at": "TIME", "disconnected_at": null, "lost_at": null, "stopped_at": null, "last_job_finished_at": "TIME",
					"priority": 3, "meta_data": ["queue=default", "os=linux"], "paused": false, "paused_at": null, "paused_by": null, "paused_note": null,
					"paused_timeout_in_minutes": null
				},
				"created_at": "TIME", "scheduled_at": "TIME", "runnable_at": "TIME", "started_at": "TIME", "finished_at": "TIME", "expired_at": null,
				"retried": false, "retried_in_job_id": null, "retried_by": null, "retries_count": 0, "retry_source": null, "retry_type": null, "parallel_group_index": null,
				"parallel_group_total": null, "matrix": null, "cluster_id": "CLUSTER", "cluster_url": "BASE/v2/organizations/acme-inc/clusters/CLUSTER",
				"cluster_queue_id": "QUEUE", "cluster_queue_url": "BASE/v2/organizations/acme-inc/clusters/CLUSTER/queues/QUEUE", "concurrency_wait_time_ms": null
			}],
			"pipeline": {
				"id": "PIPELINEID", "graphql_id": "GLOBALPIPELINE", "url": "BASE/v2/organizations/acme-inc/pipelines/web", "web_url": "BASE/organizations/acme-inc/pipelines/web",
				"name": "Web", "slug": "web", "description": "Shop", "repository": "git@example.com:acme/web.git", "cluster_id": "CLUSTER",
				"cluster_url": "BASE/v2/organizations/acme-inc/clusters/CLUSTER", "default_branch": null, "branch_configuration": null, "visibility": "private", "tags": [],
				"emoji": null, "color": null, "skip_queued_branch_builds": false, "skip_queued_branch_builds_filter": null, "cancel_running_branch_builds": false,
				"cancel_running_branch_builds_filter": null, "allow_rebuilds": true, "provider": {"id": "unknown", "settings": {}},
				"builds_url": "BASE/v2/organizations/acme-inc/pipelines/web/builds", "badge_url": "BADGE", "created_at": "TIME", "archived_at": null
			}
		}`, pairs...)
		// A list shows the same, but for the figures.
		want := timeless(t, shown)
		delete(want, "job_state_counts")
		for _, path := range []string{allBuildsPath, buildsPath, pipeline + "/builds"} {
			list := s.Get(testkit.MemberToken, path).Want(t, 200)
			if got := string(asJSON(t, list.List())); shownTime.ReplaceAllString(got, `"TIME"`) != "["+string(asJSON(t, want))+"]" {
				t.Errorf("%s: %s", path, got)
			}
			bare := s.Get(testkit.MemberToken, path+"?exclude_jobs=true&exclude_pipeline=true").Want(t, 200).List()
			if len(bare) != 1 || bare[0]["jobs"] != nil || bare[0]["pipeline"] != nil || bare[0]["id"] != made.Text("id") {
				t.Errorf("%s: %v", path, bare)
			}
		}
		if bare := s.Get(testkit.MemberToken, pathOf(s, made)+"?exclude_jobs=true&exclude_pipeline=1").Want(t, 200).Object(); bare["jobs"] != nil || bare["pipeline"] != nil {
			t.Errorf("%v", bare)
		}
	})
}

func TestBuildIsRefused(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: make}]", `"branch_configuration": "main"`)
		for body, message := range map[string]string{
			`{}`:                                   "Validation failed: Commit can't be blank, Branch can't be blank",
			`{"commit": "HEAD"}`:                   "Validation failed: Branch can't be blank",
			`{"commit": null, "branch": ""}`:       "Validation failed: Commit can't be blank, Branch can't be blank",
			`{"commit": 1, "branch": "a"}`:         "Validation failed: commit must be a string",
			`{"commit": "a\nb", "branch": "main"}`: "Validation failed: Commit must not have line breaks or other control characters",
			`{"commit": "a", "branch": "main", "pull_request_id": {}}`:                           "Validation failed: pull_request_id must be a number or a string",
			`{"commit": "a", "branch": "other"}`:                                                 "Validation failed: The pipeline's branch filter leaves this branch out",
			`{"commit": "a", "branch": "main", "meta_data": {"": "x"}}`:                          "Validation failed: Meta-data key can't be blank",
			`{"commit": "a", "branch": "main", "env": {"A=B": "x"}}`:                             "Validation failed: Env must have names of 1 to 255 characters without spaces and =",
			`{"commit": "a", "branch": "main", "message": "` + strings.Repeat("x", 65537) + `"}`: "Validation failed: Message is too long (maximum is 64 KiB), or not valid text",
		} {
			s.Post(testkit.AdminToken, pipeline+"/builds", body).WantMessage(t, 422, message)
		}
		s.Post(testkit.AdminToken, pipeline+"/builds", `{"commit": "a", "branch": "other", "ignore_pipeline_branch_filters": true}`).Want(t, 201)
		s.Post(testkit.AdminToken, pipeline+"/builds", `{"commit": "a", "branch": "other", "pull_request_id": "8"}`).Want(t, 201)
		s.Post(testkit.AdminToken, pipeline+"/archive", nil).Want(t, 200)
		s.Post(testkit.AdminToken, pipeline+"/builds", `{"commit": "a", "branch": "main"}`).WantMessage(t, 422, "Builds of an archived pipeline can't be created")
		for _, number := range []string{"0", "4", "-1", "1.0", "x", "%31%20", "99999999999999999999", domain.NewID[string]()} {
			s.Get(testkit.AdminToken, pipeline+"/builds/"+number).WantMessage(t, 404, "No build found")
		}
	})
}

// TestBuildsAreChosen makes builds that differ, and looks for them.
func TestBuildsAreChosen(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		web, api := createdBuilt(t, s, "Web", "steps: [{command: make}]"), createdBuilt(t, s, "API", "steps: [{block: Go on, blocked_state: failed}]")
		createdBuild(t, s, web, `"branch": "main"`, `"commit": "aaa"`, `"meta_data": {"k": "1", "other": "x"}`)
		createdBuild(t, s, web, `"branch": "feature/One"`, `"commit": "bbb"`, `"meta_data": {"k": "2"}`)
		createdBuild(t, s, web, `"branch": "feature/two_x"`, `"commit": "aaa"`)
		createdBuild(t, s, api, `"branch": "main"`, `"commit": "ccc"`)
		s.Post(testkit.MemberToken, web+"/builds", `{"commit": "ddd", "branch": "%release%"}`).Want(t, 201)
		s.Put(testkit.AdminToken, web+"/builds/3/cancel", nil).Want(t, 200)
		for i, day := range []string{"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"} {
			at, err := time.Parse(time.RFC3339, day)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Change(t, s.DB, `UPDATE builds SET created_at = $1 WHERE number = $2 AND branch <> 'x' AND pipeline_id = (SELECT id FROM pipelines WHERE slug = 'web')`, db.Micros(at), i+1)
			testkit.Exec(t, s.DB, `UPDATE builds SET finished_at = $1 WHERE number = $2 AND finished_at IS NOT NULL`, db.Micros(at), i+1)
		}
		const member = testkit.MemberID
		for query, want := range map[string]string{
			"":                                     "[ddd ccc aaa bbb aaa]",
			"branch=main":                          "[ccc aaa]",
			"branch[]=main&branch[]=feature/One":   "[ccc bbb aaa]",
			"branch=feature/*":                     "[aaa bbb]",
			"branch=FEATURE/*":                     "[]",
			"branch=*one":                          "[]",
			"branch=*One":                          "[bbb]",
			"branch=*ture/t*":                      "[aaa]",
			"branch=f*/*_*":                        "[aaa]",
			"branch=*":                             "[ddd ccc aaa bbb aaa]",
			"branch=*%25*":                         "[ddd]",
			"branch=*_*":                           "[aaa]",
			"branch=%5C*":                          "[]",
			"branch=%00*":                          "[]",
			"branch=%FF":                           "[]",
			"commit=aaa":                           "[aaa aaa]",
			"commit[]=bbb&commit[]=ccc&commit=%00": "[ccc bbb]",
			"created_from=2026-01-02T00:00:00Z":    "[ddd ccc aaa bbb]",
			"created_from=2026-01-02":              "[ddd ccc aaa bbb]",
			"created_to=2026-01-03T00:00:00":       "[bbb aaa]",
			"created_from=2026-01-02&created_to=2026-01-03T01:00:00%2B01:00": "[bbb]",
			"finished_from=2026-01-03":                                       "[aaa]",
			"finished_from=2026-01-04":                                       "[]",
			"creator=" + member:                                              "[ddd]",
			"creator=" + strings.ToUpper(member):                             "[ddd]",
			"creator=" + testkit.OutsiderID:                                  "[]",
			"state=scheduled":                                                "[ddd bbb aaa]",
			"state[]=canceled":                                               "[aaa]",
			"state[]=blocked":                                                "[ccc]",
			"state[]=failed":                                                 "[ccc]",
			"state[]=finished":                                               "[ccc aaa]",
			"state[]=running&state[]=canceled":                               "[aaa]",
			"meta_data[k]=1":                                                 "[aaa]",
			"meta_data[k]=1&meta_data[other]=x":                              "[aaa]",
			"meta_data[k]=1&meta_data[other]=y":                              "[]",
			"meta_data[none]=1":                                              "[]",
			"branch=main&state=blocked&page=1&per_page=1":                    "[ccc]",
			"include_paused=true":                                            "[ddd ccc aaa bbb aaa]",
		} {
			for _, path := range []string{allBuildsPath, buildsPath} {
				if got := column(s.Get(testkit.AdminToken, path+"?"+query).Want(t, 200).List(), "commit"); got != want {
					t.Errorf("%s?%s lists %s, not %s", path, query, got, want)
				}
			}
			got := column(s.Get(testkit.AdminToken, web+"/builds?"+query).Want(t, 200).List(), "commit")
			if want := strings.NewReplacer("ccc ", "", " ccc", "", "ccc", "").Replace(want); got != want {
				t.Errorf("the pipeline's with %s are %s, not %s", query, got, want)
			}
		}
		many := strings.Repeat("branch[]=a*b&", 101)
		for query, message := range map[string]string{
			"state=nonsense":         "state must be one of finished, creating, scheduled, running, failing, passed, failed, blocked, canceling, canceled, skipped, not_run",
			"creator=somebody":       "creator must be the UUID of a user",
			"created_from=yesterday": "created_from must be an ISO 8601 time such as 2026-01-31T12:00:00Z",
			"created_to=2026-13-01":  "created_to must be an ISO 8601 time such as 2026-01-31T12:00:00Z",
			"finished_from=1":        "finished_from must be an ISO 8601 time such as 2026-01-31T12:00:00Z",
			many:                     "branch can have at most 100 values",
			"page=501&per_page=100":  "This page is too far into the list. Narrow it down, for example with created_to, and start again from its first page",
			"branch=%zz":             "The query string can't be read",
		} {
			for _, path := range []string{allBuildsPath, buildsPath, web + "/builds"} {
				s.Get(testkit.AdminToken, path+"?"+query).WantMessage(t, 400, message)
			}
		}
		if blocked := s.Get(testkit.AdminToken, api+"/builds/1").Want(t, 200).Object(); blocked["state"] != "failed" || blocked["blocked"] != true || blocked["finished_at"] != nil {
			t.Errorf("a blocked build is shown as %v", blocked)
		}
		s.Get(testkit.AdminToken, web+"/builds?branch[]="+url.QueryEscape(strings.Repeat("x*", 20_000))).Want(t, 400)
	})
}

func TestBuildsComeInPages(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: make}]")
		for i := range 5 {
			createdBuild(t, s, pipeline, fmt.Sprintf(`"commit": "c%d"`, i))
		}
		for _, path := range []string{allBuildsPath, buildsPath, pipeline + "/builds"} {
			first := s.Get(testkit.AdminToken, path+"?per_page=2&branch[]=main").Want(t, 200)
			if got := fmt.Sprint(pageLinks(t, first)); got != "map[last:3 next:2]" || column(first.List(), "commit") != "[c4 c3]" {
				t.Errorf("%s: %s %s", path, got, column(first.List(), "commit"))
			}
			second := s.Get(testkit.AdminToken, pageLinkURLs(t, first)["next"].String()).Want(t, 200)
			if got := fmt.Sprint(pageLinks(t, second)); got != "map[first:1 last:3 next:3 prev:1]" || column(second.List(), "commit") != "[c2 c1]" {
				t.Errorf("%s: %s %s", path, got, column(second.List(), "commit"))
			}
			if last := s.Get(testkit.AdminToken, path+"?per_page=2&page=3").Want(t, 200).List(); column(last, "commit") != "[c0]" {
				t.Errorf("%s: %v", path, last)
			}
			if beyond := s.Get(testkit.AdminToken, path+"?per_page=2&page=4").Want(t, 200); string(beyond.Body) != "[]" {
				t.Errorf("%s", beyond)
			}
			s.Get(testkit.AdminToken, path+"?per_page=0").Want(t, 400)
		}
	})
}

// TestBuildsOfManyOrganizations lists what a token reaches, and no more.
func TestBuildsOfManyOrganizations(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Bootstrap(`organizations:
  - {slug: second, name: Second, members: [{user: admin@example.com, role: member}, {user: outsider@example.com, role: admin}, {user: member@example.com, role: member}], pipelines: [{name: Two, repository: x}]}
  - {slug: third, name: Third, members: [{user: admin@example.com, role: member}], pipelines: [{name: Three, repository: x}]}
tokens:
  - {user: admin@example.com, token: token-for-two-organizations, description: x, organizations: [acme-inc, second], scopes: [read_builds, write_builds]}
  - {user: admin@example.com, token: token-for-the-third-alone, description: x, organizations: [third], scopes: [read_builds, write_builds]}
  - {user: member@example.com, token: token-of-who-only-lists, description: x, organizations: [second], scopes: [read_builds]}`)
		web := createdBuilt(t, s, "Web", "steps: [{command: make}]")
		const both, third = "token-for-two-organizations", "token-for-the-third-alone"
		for i := range 3 {
			createdBuild(t, s, web, fmt.Sprintf(`"commit": "a%d"`, i))
			s.Post(both, "/v2/organizations/second/pipelines/two/builds", fmt.Sprintf(`{"commit": "b%d", "branch": "main"}`, i)).Want(t, 201)
			s.Post(third, "/v2/organizations/third/pipelines/three/builds", fmt.Sprintf(`{"commit": "c%d", "branch": "main"}`, i)).Want(t, 201)
		}
		list := func(token, query string) string {
			t.Helper()
			return column(s.Get(token, allBuildsPath+query).Want(t, 200).List(), "commit")
		}
		for query, want := range map[string]string{"": "[b2 a2 b1 a1 b0 a0]", "?per_page=4": "[b2 a2 b1 a1]", "?per_page=4&page=2": "[b0 a0]", "?commit=b1": "[b1]", "?page=9": "[]"} {
			if got := list(both, query); got != want {
				t.Errorf("%s lists %s, not %s", query, got, want)
			}
		}
		if got := list(third, ""); got != "[c2 c1 c0]" {
			t.Errorf("another token lists %s", got)
		}
		if got := list(testkit.UngrantedToken, "") + list(testkit.OutsiderToken, ""); got != "[][]" {
			t.Errorf("others list %s", got)
		}
		s.Get(both, allBuildsPath+"?page=101&per_page=100").Want(t, 400)
		// That somebody uses an organization is stored, also if they only list builds.
		uses := func() int64 {
			return storedNumber(t, s, `SELECT count(*) FROM activity_days a JOIN organizations o ON o.id = a.organization_id WHERE o.slug = 'second' AND a.user_id = $1`, testkit.MemberID)
		}
		before := uses()
		if got := list("token-of-who-only-lists", ""); got != "[b2 b1 b0]" || before != 0 || uses() != 1 {
			t.Errorf("%s: %d uses were stored, and then %d", got, before, uses())
		}
		// Who leaves an organization sees nothing of it any more.
		testkit.Change(t, s.DB, `DELETE FROM organization_members WHERE user_id = $1 AND organization_id = (SELECT id FROM organizations WHERE slug = 'second')`, testkit.AdminID)
		if got := list(both, ""); got != "[a2 a1 a0]" {
			t.Errorf("after leaving, the list is %s", got)
		}
		testkit.Change(t, s.DB, `UPDATE organizations SET allowed_api_ip_addresses = '10.0.0.1/32' WHERE slug = 'acme-inc'`)
		if got := list(both, ""); got != "[]" {
			t.Errorf("from an address that is not allowed, the list is %s", got)
		}
	})
}

func TestJobsOfABuildAreChosen(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", `steps:
  - {command: a, key: a, retry: {automatic: [{exit_status: 3, limit: 1}]}}
  - {command: b, key: b, soft_fail: true}
  - {command: c, key: c, if: "false"}
  - wait
  - {command: d, key: d}
`)
		build := pathOf(s, createdBuild(t, s, pipeline))
		agent.take().finish(3) // a, which is retried at once
		agent.take().finish(1) // b or the retry
		agent.take().finish(1)
		states := func(query string) string {
			t.Helper()
			return column(jobsIn(s.Get(testkit.AdminToken, build+query).Want(t, 200)), "step_key") + column(jobsIn(s.Get(testkit.AdminToken, build+query)), "state")
		}
		if got := states(""); got != "[a b c <nil> d][failed failed broken waiting_failed waiting_failed]" {
			t.Errorf("the jobs are %s", got)
		}
		if got := states("?include_retried_jobs=true"); got != "[a a b c <nil> d][failed failed failed broken waiting_failed waiting_failed]" {
			t.Errorf("with those that were retried, they are %s", got)
		}
		for query, want := range map[string]string{
			"?job_states[]=failed": "[a b][failed failed]", "?job_states[]=broken&job_states[]=waiting_failed": "[c <nil> d][broken waiting_failed waiting_failed]",
			"?job_states[]=passed": "[][]", "?job_states=not_run": "[c][broken]", "?job_states[]=failed&include_retried_jobs=1": "[a a b][failed failed failed]",
		} {
			if got := states(query); got != want {
				t.Errorf("%s: %s, not %s", query, got, want)
			}
		}
		shown := s.Get(testkit.AdminToken, build+"?job_states[]=passed").Want(t, 200)
		wantExactly(t, shown.Object()["job_state_counts"], `{"total": 5, "states": {"failed": 2, "broken": 1, "waiting_failed": 2}}`)
		s.Get(testkit.AdminToken, build+"?job_states[]=nonsense").Want(t, 400)
		list := s.Get(testkit.AdminToken, pipeline+"/builds?include_retried_jobs=true").Want(t, 200).List()
		if n := len(list[0]["jobs"].([]any)); n != 6 {
			t.Errorf("the list shows %d jobs", n)
		}
	})
}

func TestCancelAndRebuild(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: a}, {command: b}]")
		first := createdBuild(t, s, pipeline, `"branch": "dev"`, `"commit": "abc"`, `"message": "Why"`, `"env": {"A": "1"}`, `"pull_request_id": 5`, `"meta_data": {"k": "v"}`)
		running := agent.take()
		canceling := s.Put(testkit.AdminToken, pathOf(s, first)+"/cancel", nil).Want(t, 200)
		if got := canceling.Text("state") + column(jobsIn(canceling), "state"); got != "canceling[canceling canceled]" {
			t.Errorf("while it is canceled, the build is %s", got)
		}
		running.finish(1)
		if got := s.Get(testkit.AdminToken, pathOf(s, first)).Want(t, 200); got.Text("state") != "canceled" {
			t.Errorf("%s", got)
		}
		s.Put(testkit.AdminToken, pathOf(s, first)+"/cancel", nil).WantMessage(t, 422, "Build can't be canceled because it has already finished")
		again := s.Put(testkit.MemberToken, pathOf(s, first)+"/rebuild", nil).Want(t, 200)
		wantMembers(t, again, `{"number": 2, "state": "scheduled", "commit": "abc", "branch": "dev", "message": "Why", "env": {"A": "1"}, "meta_data": {}, "source": "api",
			"pull_request": {"id": "5", "base": "", "repository": ""}, "rebuilt_from": {"id": "FIRST", "number": 1, "url": "URL"}}`, "FIRST", first.Text("id"), "URL", first.Text("url"))
		if creator := again.Object()["creator"].(map[string]any)["name"]; creator != "Member" {
			t.Errorf("it was created by %v", creator)
		}
		s.Patch(testkit.AdminToken, pipeline, `{"allow_rebuilds": false}`).Want(t, 200)
		s.Put(testkit.AdminToken, pathOf(s, first)+"/rebuild", nil).WantMessage(t, 422, "Rebuilds are disabled for this pipeline")
	})
}

func TestRetryFailedJobs(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: a}, {command: b, soft_fail: true}, {command: c}]")
		build := pathOf(s, createdBuild(t, s, pipeline))
		for range 3 {
			agent.take().finish(1)
		}
		const valid = ". Valid states are canceled, expired, failed, soft_failed, timed_out"
		s.Put(testkit.AdminToken, build+"/retry_failed_jobs", `{"states": "failed, x,y"}`).WantMessage(t, 400, "Invalid states: x, y"+valid)
		s.Put(testkit.AdminToken, build+"/retry_failed_jobs?states=x", nil).WantMessage(t, 400, "Invalid states: x"+valid)
		soft := s.Put(testkit.AdminToken, build+"/retry_failed_jobs", `{"states": "soft_failed,canceled"}`).Want(t, 202)
		if soft.Object()["retried_jobs_count"] != float64(1) || soft.Text("state") != "failing" || column(jobsIn(soft), "state") != "[failed scheduled failed]" {
			t.Errorf("%s", soft)
		}
		all := s.Put(testkit.AdminToken, build+"/retry_failed_jobs", nil).Want(t, 202)
		if all.Object()["retried_jobs_count"] != float64(2) || column(jobsIn(all), "retries_count") != "[1 1 1]" || all.Object()["finished_at"] != nil {
			t.Errorf("%s", all)
		}
		none := s.Put(testkit.AdminToken, build+"/retry_failed_jobs", `{}`).Want(t, 202)
		if none.Object()["retried_jobs_count"] != float64(0) {
			t.Errorf("%s", none)
		}
		s.Put(testkit.AdminToken, build+"/cancel", nil).Want(t, 200)
		s.Put(testkit.AdminToken, build+"/retry_failed_jobs", nil).WantMessage(t, 422, "Jobs from canceled builds cannot be retried")
	})
}

// TestWhoMayBuild gives teams different access to a pipeline.
func TestWhoMayBuild(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: a}]")
		build := createdBuild(t, s, pipeline)
		id := s.Get(testkit.AdminToken, pipeline).Text("id")
		team := organizationPath + "/teams/" + testkit.TeamID + "/pipelines"
		s.Post(testkit.AdminToken, team, `{"pipeline_id": "`+id+`", "access_level": "read_only"}`).Want(t, 201)
		const body = `{"commit": "a", "branch": "b"}`
		for access, allowed := range map[string]bool{"read_only": false, "build_and_read": true, "manage_build_and_read": true} {
			s.Patch(testkit.AdminToken, team+"/"+id, `{"access_level": "`+access+`"}`).Want(t, 200)
			for token, may := range map[string]bool{testkit.TeammateToken: allowed, testkit.MemberToken: false, testkit.MaintainerToken: false, testkit.AdminToken: true} {
				status := map[bool]int{true: 201, false: 403}[may]
				s.Post(token, pipeline+"/builds", body).Want(t, status)
				if !may {
					for _, action := range []string{"cancel", "rebuild", "retry_failed_jobs"} {
						s.Put(token, pathOf(s, build)+"/"+action, nil).WantMessage(t, 403, "Forbidden")
					}
				}
				s.Get(token, pathOf(s, build)).Want(t, 200)
			}
		}
		// A token that only writes is shown what it wrote, and no more.
		writes := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.Scopes = []string{"write_builds"} })
		made := s.Post(writes, pipeline+"/builds", body).Want(t, 201)
		s.Put(writes, pathOf(s, made)+"/cancel", nil).Want(t, 200)
		s.Get(writes, pathOf(s, made)).WantMessage(t, 403, "Your access token doesn't have the read_builds scope")
		s.Get(writes, allBuildsPath).WantMessage(t, 403, "Your access token doesn't have the read_builds scope")
		// Another organization has nothing to do with it.
		s.Get(testkit.OutsiderToken, pathOf(s, build)).WantMessage(t, 404, "No organization found")
		s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere/pipelines/web/builds/1").WantMessage(t, 404, "No pipeline found")
	})
}

// TestBuildsCostFewStatements counts what lists of different lengths cost: nothing is read for each build.
func TestBuildsCostFewStatements(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		pipeline := createdBuilt(t, s, "Web", "steps: [{command: a}]")
		for range 12 {
			createdBuild(t, s, pipeline, `"meta_data": {"k": "v"}`)
			agent.take().finish(0)
		}
		for path, budget := range map[string]cost{
			allBuildsPath:          {11, 11}, // who asks and their organizations, twice; the count, the ids, and what the others read
			buildsPath:             {7, 5},   // who asks; the count and builds; meta-data and jobs; steps and agents
			pipeline + "/builds":   {7, 5},
			pipeline + "/builds/1": {8, 6}, // the figures instead of the count; and the build's id
		} {
			for _, query := range []string{"?per_page=1", "?per_page=12"} {
				wantCost(t, s, path+query, budget)
			}
		}
	})
}
