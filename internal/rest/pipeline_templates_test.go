package rest_test

import (
	"strings"
	"testing"

	"penstock/internal/testkit"
)

func TestPipelineTemplateLifeCycle(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		makePipelines(t, s, "app")
		const templates, app = "/v2/organizations/acme-inc/pipeline-templates", "/v2/organizations/acme-inc/pipelines/app"
		wantExactly(t, s.Get(testkit.MemberToken, templates).Want(t, 200).List(), `[]`)
		made := s.Post(testkit.AdminToken, templates, `{"name": " Build ", "description": "Shared", "configuration": "steps:\n  - command: make\n"}`).Want(t, 201)
		path := templates + "/" + made.Text("uuid")
		shown := `{
			"uuid": "ID", "graphql_id": "GLOBAL", "name": "Build", "description": "Shared", "configuration": "steps:\n  - command: make\n", "available": false,
			"url": "BASE` + path + `", "web_url": "BASE` + strings.TrimPrefix(path, "/v2") + `",
			"created_at": "2026-05-03T04:17:55.867Z", "created_by": CREATOR, "updated_at": "2026-05-03T04:17:55.867Z", "updated_by": CREATOR
		}`
		pairs := []string{"GLOBAL", globalID("PipelineTemplate", made.Text("uuid")), "ID", made.Text("uuid"), "BASE", s.URL, "CREATOR", string(s.Get(testkit.AdminToken, "/v2/user").Body)}
		wantExactly(t, made.Object(), shown, pairs...)
		wantExactly(t, s.Get(testkit.AdminToken, path).Want(t, 200).Object(), shown, pairs...)
		s.Get(testkit.MemberToken, path).WantMessage(t, 404, "No pipeline template found")
		wantMembers(t, s.Patch(testkit.AdminToken, path, `{"available": true, "description": null}`).Want(t, 200), `{"available": true, "description": null, "name": "Build"}`)
		s.Get(testkit.MemberToken, path).Want(t, 200)

		// A pipeline that has it runs its steps, now and when they change.
		wantMembers(t, s.Patch(testkit.AdminToken, app, `{"pipeline_template_uuid": "`+made.Text("uuid")+`"}`).Want(t, 200),
			`{"pipeline_template_uuid": "`+made.Text("uuid")+`", "configuration": "steps:\n  - command: make\n"}`)
		s.Patch(testkit.AdminToken, app, `{"configuration": "steps: [wait]"}`).WantMessage(t, 422, "Validation failed: Configuration can't be changed while the pipeline has a template")
		s.Patch(testkit.AdminToken, path, `{"configuration": "steps: [{command: test}]"}`).Want(t, 200)
		build := s.Post(testkit.AdminToken, app+"/builds", `{"commit": "HEAD", "branch": "main"}`).Want(t, 201)
		if got := jobsIn(build)[0]["command"]; got != "test" {
			t.Errorf("the build runs %v", got)
		}
		s.Delete(testkit.AdminToken, path).WantMessage(t, 422, "Pipeline template can't be deleted while it is assigned to pipelines")
		wantMembers(t, s.Patch(testkit.AdminToken, app, `{"pipeline_template_uuid": null}`).Want(t, 200), `{"pipeline_template_uuid": null, "configuration": "steps: [{command: test}]"}`)
		s.Patch(testkit.AdminToken, app, `{"configuration": "steps: [wait]"}`).Want(t, 200)
		s.Delete(testkit.MemberToken, path).Want(t, 403)
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No pipeline template found")
		want := `["PIPELINE_TEMPLATE_DELETED","PIPELINE_TEMPLATE_UPDATED","PIPELINE_TEMPLATE_UPDATED","PIPELINE_TEMPLATE_CREATED"]`
		if got := string(asJSON(t, testkit.Column(auditEvents(t, s, "subject_uuid="+made.Text("uuid")), "type"))); got != want {
			t.Errorf("recorded: %s", got)
		}
	})
}

func TestPipelineTemplatesAreChecked(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const templates = "/v2/organizations/acme-inc/pipeline-templates"
		s.Post(testkit.AdminToken, templates, `{}`).WantMessage(t, 422, "Validation failed: Name can't be blank, Configuration can't be blank")
		s.Post(testkit.AdminToken, templates, `{"name": "x", "configuration": "steps: ["}`).Want(t, 422)
		s.Post(testkit.AdminToken, templates, `{"name": "x", "configuration": "  "}`).WantMessage(t, 422, "Validation failed: Configuration can't be blank")
		s.Post(testkit.MemberToken, templates, `{"name": "x", "configuration": "steps: [wait]"}`).Want(t, 403)
		path := templates + "/" + s.Post(testkit.AdminToken, templates, `{"name": "x", "configuration": "steps: [wait]"}`).Want(t, 201).Text("uuid")
		wantUnchanged(t, s, path, func() {
			s.Patch(testkit.AdminToken, path, `{"name": ""}`).WantMessage(t, 422, "Validation failed: Name can't be blank")
			s.Patch(testkit.AdminToken, path, `{"configuration": null}`).WantMessage(t, 422, "Validation failed: Configuration can't be blank")
			s.Patch(testkit.AdminToken, path, `{"configuration": ": ["}`).Want(t, 422)
			s.Patch(testkit.MemberToken, path, `{"name": "y"}`).Want(t, 403)
		})
	})
}
