package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

var _ = addPages(map[string]pageCase{
	inPipelinePath + "/triggers":                  {path: "/organizations/acme-inc/pipelines/web/triggers", says: "No triggers yet"},
	inPipelinePath + "/triggers/new":              {path: "/organizations/acme-inc/pipelines/web/triggers/new", says: "Create trigger"},
	inPipelinePath + "/triggers/{trigger}/edit":   {path: "/organizations/acme-inc/pipelines/web/triggers/" + testkit.QueueID + "/edit", says: "No pipeline trigger found"},
	inPipelinePath + "/triggers/{trigger}/delete": {path: "/organizations/acme-inc/pipelines/web/triggers/" + testkit.QueueID + "/delete", says: "No pipeline trigger found"},
})

func TestTriggersInTheBrowser(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{"name": "Deploys", "repository": "git@example.com:x.git", "cluster_id": testkit.MaintainedID}).Want(t, 201)
		const list, attack = "/organizations/acme-inc/pipelines/deploys/triggers", `<script>alert(1)</script>`
		b := s.signedIn("admin@example.com")
		b.get(list).want(t, http.StatusOK, "No triggers yet", "New trigger")
		b.submit(list+"/new", "label", "", "type", "webhook", "environment", "A").want(t, http.StatusUnprocessableEntity, "Label can&#39;t be blank", "Line 1 of the environment variables must be NAME=value")
		b.submit(list+"/new", "label", attack, "type", "webhook", "secret", "a-good-secret").want(t, http.StatusUnprocessableEntity, "Verification is only for triggers of type github")
		made := b.submit(list+"/new", "label", attack, "type", "github", "secret", "a-good-secret", "environment", "A=1", "enabled", "on")
		if made.Status != http.StatusSeeOther {
			t.Fatalf("%d: %s", made.Status, made.Body)
		}
		shown := b.get(made.Header.Get("Location")).want(t, http.StatusOK, "Your new trigger", "/deliver/pnt_")
		if strings.Contains(shown.Body, attack) {
			t.Error("the label is not escaped")
		}
		page := b.get(list).want(t, http.StatusOK, "/deliver/pnt_XXXXXXXXXXXXXXXXXXXX", "GitHub, signed")
		if strings.Contains(page.Body, attack) {
			t.Error("the label is not escaped")
		}
		ref := domain.PipelineRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, Slug: "deploys"}
		found, err := s.Starts.PipelineTriggers(t.Context(), admin(), ref, domain.CursorPage{Size: 1})
		if err != nil || len(found.Items) != 1 || found.Items[0].Env["A"] != "1" {
			t.Fatalf("the triggers are %+v: %v", found.Items, err)
		}
		one := list + "/" + string(found.Items[0].ID)
		edit := b.get(one+"/edit").want(t, http.StatusOK, "A=1", "XXXXXXXXXXXXXXXXXXXXet", "The address stays")
		if strings.Contains(edit.Body, "a-good-secret") {
			t.Error("the secret is shown")
		}
		b.submit(one+"/edit", "label", "Deploy", "unsigned", "on").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Trigger saved.", "off", "GitHub, without a signature")
		m := s.signedIn("maintainer@example.com")
		for _, path := range []string{list, list + "/new", one + "/edit", one + "/delete"} {
			m.get(path).want(t, http.StatusForbidden)
		}
		b.get(one+"/delete").want(t, http.StatusOK, "Delete the trigger “Deploy”?")
		b.submit(one+"/delete").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Trigger deleted.", "No triggers yet")
	})
}
