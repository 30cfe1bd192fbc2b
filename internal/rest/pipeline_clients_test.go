package rest_test

import (
	"maps"
	"strings"
	"sync"
	"testing"

	"penstock/internal/testkit"
)

// everyProviderSetting is what the Terraform provider sends for provider_settings = {}: every key, with what its type has for none.
const everyProviderSetting = `{"trigger_mode": "", "build_pull_requests": false, "pull_request_branch_filter_enabled": false,
	"pull_request_branch_filter_configuration": "", "skip_builds_for_existing_commits": false, "skip_pull_request_builds_for_existing_commits": false,
	"build_pull_request_ready_for_review": false, "build_pull_request_merge_commits": false, "build_pull_request_base_branch_changed": false,
	"build_pull_request_labels_changed": false, "build_pull_request_forks": false, "prefix_pull_request_fork_branch_names": false, "build_branches": false,
	"build_tags": false, "cancel_deleted_branch_builds": false, "filter_enabled": false, "filter_condition": "", "publish_commit_status": false,
	"publish_blocked_as_pending": false, "publish_commit_status_per_step": false, "use_step_key_as_commit_status": false,
	"separate_pull_request_statuses": false, "ignore_default_branch_pull_requests": false, "build_merge_group_checks_requested": false,
	"cancel_when_merge_group_destroyed": false, "use_merge_group_base_commit_for_git_diff_base": false, "build_issue_comment_created": false,
	"issue_comment_command_word": "", "issue_comment_match_mode": "", "build_pull_request_review_comment_created": false,
	"review_comment_command_word": "", "review_comment_match_mode": "", "build_pull_request_dequeued": false, "build_pull_request_reopened": false,
	"build_check_run_completed": false, "build_create_event": false, "build_deployment_status_created": false,
	"build_pull_request_converted_to_draft": false, "build_pull_request_review_requested": false, "build_pull_request_review_dismissed": false,
	"build_pull_request_review_submitted": false, "build_release_created": false, "build_release_published": false, "build_release_released": false}`

func TestProviderSettingsAsTerraformSendsThem(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		settings := func(a *testkit.Answer) map[string]any {
			t.Helper()
			return a.Want(t, 200).Object()["provider"].(map[string]any)["settings"].(map[string]any)
		}
		const github = `, "repository": "git@github.com:acme/web.git"`
		path := pipelinesPath + "/" + s.Post(testkit.AdminToken, pipelinesPath, `{"name": "Web"`+github+`}`).Want(t, 201).Text("slug")
		shown := `{"repository": "acme/web", "build_pull_request_forks": false, "build_pull_requests": true, "build_tags": false, "publish_commit_status": true,
			"publish_commit_status_per_step": false, "trigger_mode": "code"}`
		wantExactly(t, settings(s.Get(testkit.AdminToken, path)), shown)
		wantExactly(t, settings(s.Patch(testkit.AdminToken, path, `{"provider_settings": {}}`)), shown)

		var sent map[string]any
		decode(t, everyProviderSetting, &sent)
		kept := maps.Clone(sent)
		kept["repository"] = "acme/web"
		delete(kept, "issue_comment_match_mode") // no choice is none
		delete(kept, "review_comment_match_mode")
		wantExactly(t, settings(s.Patch(testkit.AdminToken, path, `{"provider_settings": `+everyProviderSetting+`}`)), string(asJSON(t, kept)))

		const chosen = `{"trigger_mode": "code", "issue_comment_match_mode": "contains", "build_pull_requests": true, "build_branches": true}`
		s.Patch(testkit.AdminToken, path, `{"provider_settings": `+chosen+`}`).Want(t, 200)
		for name, want := range map[string]any{"trigger_mode": "code", "issue_comment_match_mode": "contains", "build_pull_requests": true, "build_branches": true, "build_tags": false} {
			if got := settings(s.Get(testkit.AdminToken, path))[name]; got != want {
				t.Errorf("%s is %v, not %v", name, got, want)
			}
		}
		s.Patch(testkit.AdminToken, path, `{"provider_settings": {"issue_comment_match_mode": "sometimes"}}`).
			WantMessage(t, 422, "Validation failed: provider_settings.issue_comment_match_mode must be one of exact, contains")
	})
}

func TestFormerSlugsFindTheirPipeline(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		old := createdBuilt(t, s, "Old", `steps: [{command: "true"}]`)
		id := s.Get(testkit.AdminToken, old).Want(t, 200).Text("id")
		build := createdBuild(t, s, old)
		s.Patch(testkit.AdminToken, old, `{"slug": "newer"}`).Want(t, 200)
		s.Patch(testkit.AdminToken, pipelinesPath+"/newer", `{"slug": "newest"}`).Want(t, 200)
		find := func(slug string) any {
			t.Helper()
			a := s.Get(testkit.AdminToken, pipelinesPath+"/"+slug)
			if a.Status == 404 {
				a.WantMessage(t, 404, "No pipeline found")
				return nil
			}
			byGraphQL := s.GraphQL(testkit.AdminToken, `query ($slug: ID!) { pipeline(slug: $slug) { uuid slug } }`, map[string]any{"slug": "acme-inc/" + slug})
			if !strings.Contains(string(byGraphQL.Body), `"`+a.Want(t, 200).Text("id")+`"`) {
				t.Errorf("GraphQL answers %s for %s", byGraphQL.Body, slug)
			}
			return a.Text("id")
		}
		for _, slug := range []string{"old", "newer", "newest"} {
			if got := find(slug); got != id {
				t.Errorf("%s finds %v, not %s", slug, got, id)
			}
		}
		// What lies below the pipeline is found too, and shows its present address.
		wantMembers(t, s.Get(testkit.AdminToken, old+"/builds/1").Want(t, 200), `{"id": "ID", "url": "URL"}`, "ID", build.Text("id"), "URL", s.URL+pipelinesPath+"/newest/builds/1")
		s.Get(testkit.OutsiderToken, old).WantMessage(t, 404, "No organization found")
		s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere/pipelines/old").WantMessage(t, 404, "No pipeline found")

		// A trigger step finds the pipeline by its former slug.
		runTasks(t, s)
		createdBuild(t, s, createdBuilt(t, s, "Parent", `steps: [{trigger: old}]`))
		untilFound(t, s, pipelinesPath+"/newest/builds/2")

		// Another pipeline takes the slug, and keeps it from then on.
		other := s.Post(testkit.AdminToken, pipelinesPath, `{"name": "Other", "slug": "old", "repository": "r"}`).Want(t, 201).Text("id")
		if got := find("old"); got != other {
			t.Errorf("old finds %v, not the pipeline that took it", got)
		}
		s.Patch(testkit.AdminToken, pipelinesPath+"/old", `{"slug": "newer"}`).Want(t, 200)
		for slug, want := range map[string]string{"old": other, "newer": other, "newest": id} {
			if got := find(slug); got != want {
				t.Errorf("%s finds %v, not %s", slug, got, want)
			}
		}
		// Who gets its slug back loses nothing; what is gone is not found by any name.
		s.Patch(testkit.AdminToken, pipelinesPath+"/newest", `{"slug": "back"}`).Want(t, 200)
		s.Patch(testkit.AdminToken, pipelinesPath+"/back", `{"slug": "newest"}`).Want(t, 200)
		if find("back") != id || find("newest") != id {
			t.Error("a slug that was given back is lost")
		}
		s.Delete(testkit.AdminToken, pipelinesPath+"/back").Want(t, 204)
		for _, slug := range []string{"back", "newest"} {
			if got := find(slug); got != nil {
				t.Errorf("%s finds %v, which is deleted", slug, got)
			}
		}
	})
}

func TestASlugThatIsGivenUpAndTakenAtOnceFindsWhoTookIt(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for range 5 {
			first := s.Post(testkit.AdminToken, pipelinesPath, `{"name": "First", "slug": "wanted", "repository": "r"}`).Want(t, 201).Text("id")
			var made *testkit.Answer
			var both sync.WaitGroup
			both.Go(func() { s.Patch(testkit.AdminToken, pipelinesPath+"/wanted", `{"slug": "given-up"}`) })
			both.Go(func() {
				made = s.Post(testkit.AdminToken, pipelinesPath, `{"name": "Second", "slug": "wanted", "repository": "r"}`)
			})
			both.Wait()
			want := first // it was too early
			if made.Status == 201 {
				want = made.Text("id")
			}
			if got := s.Get(testkit.AdminToken, pipelinesPath+"/wanted").Want(t, 200).Text("id"); got != want {
				t.Errorf("the slug finds %s, not %s", got, want)
			}
			s.Delete(testkit.AdminToken, pipelinesPath+"/given-up").Want(t, 204)
			if made.Status == 201 {
				s.Delete(testkit.AdminToken, pipelinesPath+"/wanted").Want(t, 204)
			}
		}
	})
}

func TestPipelinesCountWhatHasNotEnded(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		path := createdBuilt(t, s, "Web", `steps: [{command: a}, {command: b}, wait, {command: c}]`)
		counts := func(scheduledBuilds, runningBuilds, scheduledJobs, runningJobs, waitingJobs string) {
			t.Helper()
			want := strings.NewReplacer("SB", scheduledBuilds, "RB", runningBuilds, "SJ", scheduledJobs, "RJ", runningJobs, "WJ", waitingJobs).Replace(
				`{"scheduled_builds_count": SB, "running_builds_count": RB, "scheduled_jobs_count": SJ, "running_jobs_count": RJ, "waiting_jobs_count": WJ}`)
			wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), want)
			wantMembers(t, s.Patch(testkit.AdminToken, path, `{"description": "changed"}`).Want(t, 200), want)
			for _, p := range s.Get(testkit.AdminToken, pipelinesPath).Want(t, 200).List() {
				if p["slug"] == "web" && p["waiting_jobs_count"] != s.Get(testkit.AdminToken, path).Object()["waiting_jobs_count"] {
					t.Errorf("the list has %v", p)
				}
			}
		}
		counts("0", "0", "0", "0", "0")
		createdBuild(t, s, path)
		counts("1", "0", "2", "0", "1")
		first := agent.take()
		counts("0", "1", "1", "1", "1")
		createdBuild(t, s, path)
		counts("1", "1", "3", "1", "2")
		first.finish(0)
		agent.take().finish(0) // of the first build, whose next step follows
		counts("1", "1", "3", "0", "1")
	})
}

func TestAPipelinesTagFollowsItsCounts(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := createdBuilt(t, s, "Web", `steps: [{command: a}]`)
		idle := s.Get(testkit.AdminToken, path).Want(t, 200).Header.Get("ETag")
		createdBuild(t, s, path)
		busy := s.Get(testkit.AdminToken, path).Want(t, 200).Header.Get("ETag")
		if idle == busy {
			t.Error("the tag stays although what is shown changes")
		}
		patch := func(tag string) *testkit.Answer {
			return s.Do(testkit.Request{Method: "PATCH", Path: path, Token: testkit.AdminToken, Body: `{"description": "x"}`, Header: map[string]string{"If-Match": tag}})
		}
		patch(idle).Want(t, 412)
		patch(busy).Want(t, 200)
	})
}

func TestBuildsAreFoundByTheirUUID(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := newRunner(t, s, "Runner")
		path := createdBuilt(t, s, "Web", `steps: [{command: a, key: a}]`)
		build := createdBuild(t, s, path)
		other := createdBuild(t, s, createdBuilt(t, s, "Other", `steps: [{command: a}]`))
		job := idOf(jobOf(t, s, path+"/builds/1", "a"))
		agent.take().finish(1)
		byUUID := path + "/builds/" + build.Text("id")
		if got, want := s.Get(testkit.AdminToken, byUUID).Want(t, 200), s.Get(testkit.AdminToken, path+"/builds/1").Want(t, 200); string(got.Body) != string(want.Body) {
			t.Errorf("by its UUID the build is %s, not %s", got.Body, want.Body)
		}
		for _, below := range []string{"/jobs", "/jobs/" + job, "/jobs/" + job + "/log", "/jobs/" + job + "/artifacts", "/artifacts", "/annotations", "/step-uploads"} {
			s.Get(testkit.AdminToken, byUUID+below).Want(t, 200)
		}
		s.Get(testkit.AdminToken, path+"/builds/"+other.Text("id")).WantMessage(t, 404, "No build found") // of another pipeline
		s.Get(testkit.AdminToken, path+"/builds/"+"0190a000-0000-7000-8000-ffffffffffff").WantMessage(t, 404, "No build found")
		s.Get(testkit.OutsiderToken, byUUID).WantMessage(t, 404, "No organization found")
		s.Put(testkit.AdminToken, byUUID+"/rebuild", nil).Want(t, 200)
	})
}
