package rest_test

import (
	"strings"
	"testing"

	"penstock/internal/testkit"
)

func TestPipelineScheduleLifeCycle(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		id := makePipelines(t, s, "app", "other")[0]
		const schedules = "/v2/organizations/acme-inc/pipelines/app/schedules"
		wantExactly(t, s.Get(testkit.MemberToken, schedules).Want(t, 200).List(), `[]`)
		made := s.Post(testkit.AdminToken, schedules, `{"label": "Nightly build", "cronline": "@daily", "message": "Nightly", "env": {"DEPLOY_ENV": "staging"}}`).Want(t, 201)
		path := schedules + "/" + made.Text("id")
		shown := `{
			"id": "ID", "graphql_id": "GLOBAL", "url": "BASE` + path + `", "label": "Nightly build", "cronline": "@daily", "message": "Nightly",
			"commit": "HEAD", "branch": "main", "env": {"DEPLOY_ENV": "staging"}, "enabled": true, "next_build_at": "NEXT", "failed_message": null, "failed_at": null,
			"created_at": "CREATED", "created_by": CREATOR,
			"pipeline": {"id": "PIPELINE", "slug": "app", "url": "BASE/v2/organizations/acme-inc/pipelines/app"}
		}`
		pairs := []string{"GLOBAL", globalID("PipelineSchedule", made.Text("id")), "PIPELINE", id, "ID", made.Text("id"), "BASE", s.URL, "NEXT", made.Text("next_build_at"), "CREATED", made.Text("created_at"),
			"CREATOR", string(s.Get(testkit.AdminToken, "/v2/user").Body)}
		if !strings.HasSuffix(made.Text("next_build_at"), "T00:00:00.000Z") {
			t.Errorf("the next build is at %s", made.Text("next_build_at"))
		}
		wantExactly(t, made.Object(), shown, pairs...)
		wantExactly(t, s.Get(testkit.MemberToken, path).Want(t, 200).Object(), shown, pairs...)
		wantExactly(t, s.Get(testkit.AdminToken, schedules).Want(t, 200).List(), `[`+shown+`]`, pairs...)
		for _, change := range []struct{ method, body, shown string }{
			{"PUT", `{"cronline": "@hourly", "enabled": false}`, `{"cronline": "@hourly", "enabled": false, "next_build_at": null, "label": "Nightly build"}`},
			{"PATCH", `{"branch": "release", "commit": "", "message": null}`, `{"branch": "release", "commit": "HEAD", "message": null, "enabled": false}`},
			{"PATCH", `{"branch": null, "env": null, "label": "x"}`, `{"branch": "main", "env": {}, "label": "x"}`},
			{"PATCH", `{"enabled": true}`, `{"enabled": true, "cronline": "@hourly"}`},
		} {
			wantMembers(t, s.Do(testkit.Request{Method: change.method, Path: path, Token: testkit.AdminToken, Body: change.body}).Want(t, 200), change.shown)
		}
		if s.Get(testkit.AdminToken, path).Text("next_build_at") == "" {
			t.Error("a schedule that is enabled again has no next build")
		}
		foreign := "/v2/organizations/acme-inc/pipelines/other/schedules/" + made.Text("id")
		s.Get(testkit.AdminToken, foreign).WantMessage(t, 404, "No pipeline schedule found")
		s.Patch(testkit.AdminToken, foreign, `{"label": "y"}`).WantMessage(t, 404, "No pipeline schedule found")
		s.Delete(testkit.AdminToken, foreign).WantMessage(t, 404, "No pipeline schedule found")
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No pipeline schedule found")
		want := `["PIPELINE_SCHEDULE_DELETED","PIPELINE_SCHEDULE_UPDATED","PIPELINE_SCHEDULE_UPDATED","PIPELINE_SCHEDULE_UPDATED","PIPELINE_SCHEDULE_UPDATED","PIPELINE_SCHEDULE_CREATED"]`
		if got := string(asJSON(t, testkit.Column(auditEvents(t, s, "subject_uuid="+made.Text("id")), "type"))); got != want {
			t.Errorf("recorded: %s", got)
		}
	})
}

func TestPipelineSchedulesAreChecked(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		makePipelines(t, s, "app")
		const schedules = "/v2/organizations/acme-inc/pipelines/app/schedules"
		for body, message := range map[string]string{
			`{}`:                          "Validation failed: Cronline can't be blank",
			`{"cronline": ""}`:            "Validation failed: Cronline can't be blank",
			`{"cronline": "* * * *"}`:     "Validation failed: Cronline is not valid: it has 4 fields; it needs minute, hour, day of month, month and day of week, and may end with a time zone",
			`{"cronline": "*/5 * * * *"}`: "Validation failed: Cronline is not valid: builds can't be less than 10 minutes apart",
			`{"cronline": "0 ~ * * *"}`:   "Validation failed: Cronline is not valid: random times (~) are not supported",
			`{"cronline": "@daily", "env": {"A B": "x"}}`:                          "Validation failed: Env must have names of 1 to 255 characters without spaces and =",
			`{"cronline": "@daily Mars/Olympus", "branch": "a\nb"}`:                `Validation failed: Branch must not have line breaks or other control characters, Cronline is not valid: "Mars/Olympus" is not a time zone: use a name such as Europe/Berlin, or an offset such as +09:00`,
			`{"cronline": "@daily", "commit": "` + strings.Repeat("x", 300) + `"}`: "Validation failed: Commit is too long (maximum is 255 characters)",
		} {
			s.Post(testkit.AdminToken, schedules, body).WantMessage(t, 422, message)
		}
		s.Post(testkit.MemberToken, schedules, `{"cronline": "@daily"}`).Want(t, 403)
		path := schedules + "/" + s.Post(testkit.AdminToken, schedules, `{"cronline": "@daily"}`).Want(t, 201).Text("id")
		wantUnchanged(t, s, path, func() {
			s.Patch(testkit.AdminToken, path, `{"cronline": null}`).WantMessage(t, 422, "Validation failed: Cronline can't be blank")
			s.Patch(testkit.MemberToken, path, `{"label": "x"}`).Want(t, 403)
			s.Delete(testkit.MemberToken, path).Want(t, 403)
		})
		for range 99 {
			s.Post(testkit.AdminToken, schedules, `{"cronline": "@daily"}`).Want(t, 201)
		}
		s.Post(testkit.AdminToken, schedules, `{"cronline": "@daily"}`).WantMessage(t, 422, "The pipeline has too many schedules (maximum is 100)")
		if got := s.Get(testkit.AdminToken, schedules+"?per_page=30&page=4").Want(t, 200).List(); len(got) != 10 {
			t.Errorf("the last page has %d", len(got))
		}
	})
}
