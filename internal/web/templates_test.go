package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/pipeline-templates":                   {path: "/organizations/acme-inc/pipeline-templates", says: "No templates yet"},
	inOrganizationPath + "/pipeline-templates/new":               {path: "/organizations/acme-inc/pipeline-templates/new", says: "Create template"},
	inOrganizationPath + "/pipeline-templates/{template}":        {path: "/organizations/acme-inc/pipeline-templates/" + testkit.QueueID, says: "No pipeline template found"},
	inOrganizationPath + "/pipeline-templates/{template}/delete": {path: "/organizations/acme-inc/pipeline-templates/" + testkit.QueueID + "/delete", says: "No pipeline template found"},
})

func TestTemplatesInTheBrowser(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		const list, attack = "/organizations/acme-inc/pipeline-templates", `<script>alert(1)</script>`
		b := s.signedIn("admin@example.com")
		b.get(list).want(t, http.StatusOK, "No templates yet", "New template")
		b.submit(list+"/new", "name", "Build", "configuration", "steps: [").want(t, http.StatusUnprocessableEntity, "There")
		b.submit(list+"/new", "name", attack, "description", attack, "configuration", "steps:\r\n  - command: make\r\n").wantRedirect(t, list)
		page := b.get(list).want(t, http.StatusOK, "Template created.", "administrators", "1 template")
		if strings.Contains(page.Body, attack) {
			t.Error("the template is not escaped")
		}
		found, err := s.Starts.PipelineTemplates(t.Context(), admin(), domain.OrganizationRef{Slug: testkit.Organization}, domain.Page{Number: 1, Size: 1})
		if err != nil || len(found.Items) != 1 {
			t.Fatalf("the templates are %+v: %v", found.Items, err)
		}
		id := string(found.Items[0].ID)
		b.submit(list+"/"+id, "name", "Build", "configuration", "steps:\n  - command: make\n", "available", "on").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Template saved.", "every member")
		// A member assigns it, and gives the pipeline steps of its own again.
		m := s.signedIn("member@example.com")
		m.get(list).want(t, http.StatusForbidden)
		m.submit("/organizations/acme-inc/new-pipeline", "name", "Templated", "repository", "git@example.com:web.git", "visibility", "private", "pipeline_template_uuid", id, "configuration", "steps: [wait]").
			wantRedirect(t, "/organizations/acme-inc/pipelines/templated")
		m.get("/organizations/acme-inc/pipelines/templated/about").want(t, http.StatusOK, "command: make")
		b.submit(list+"/"+id+"/delete").want(t, http.StatusUnprocessableEntity, "while it is assigned to pipelines")
		m.submit("/organizations/acme-inc/pipelines/templated/settings", "name", "Templated", "repository", "git@example.com:web.git", "visibility", "private", "next_build_number", "1",
			"pipeline_template_uuid", "", "configuration", "steps: [wait]").
			wantRedirect(t, "/organizations/acme-inc/pipelines/templated/settings")
		m.get("/organizations/acme-inc/pipelines/templated/about").want(t, http.StatusOK, "steps: [wait]")
		b.submit(list+"/"+id+"/delete").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Template deleted.", "No templates yet")
	})
}
