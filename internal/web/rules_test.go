package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/rules":               {path: "/organizations/acme-inc/rules", says: "No rules yet"},
	inOrganizationPath + "/rules/new":           {path: "/organizations/acme-inc/rules/new", says: "Create rule"},
	inOrganizationPath + "/rules/{rule}/edit":   {path: "/organizations/acme-inc/rules/" + testkit.QueueID + "/edit", says: "No rule found"},
	inOrganizationPath + "/rules/{rule}/delete": {path: "/organizations/acme-inc/rules/" + testkit.QueueID + "/delete", says: "No rule found"},
})

func TestRulesInTheBrowser(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		const list, attack = "/organizations/acme-inc/rules", `<script>alert(1)</script>`
		for _, name := range []string{"App", "Deploy"} {
			s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{"name": name, "repository": "git@example.com:x.git", "cluster_id": testkit.MaintainedID}).Want(t, 201)
		}
		b := s.signedIn("admin@example.com")
		b.get(list).want(t, http.StatusOK, "No rules yet", "New rule")
		b.submit(list+"/new", "type", "pipeline.trigger_build.pipeline", "source_pipeline", "app", "target_pipeline", "nowhere", "conditions", "source.build.branch == 'main'").
			want(t, http.StatusUnprocessableEntity, "no pipeline found for target_pipeline", `value="nowhere"`)
		b.submit(list+"/new", "type", "pipeline.trigger_build.pipeline", "source_pipeline", "app", "target_pipeline", "deploy", "conditions", "source.build.x").want(t, http.StatusUnprocessableEntity, "is not a variable")
		b.submit(list+"/new", "type", "pipeline.trigger_build.pipeline", "source_pipeline", "app", "target_pipeline", "deploy", "conditions", "source.build.branch == \"main\"\r\n\r\nsource.build.message != '"+attack+"'",
			"description", attack).wantRedirect(t, list)
		page := b.get(list).want(t, http.StatusOK, "Rule created.", "may trigger builds of", "source.build.branch ==", "1 rule")
		if strings.Contains(page.Body, attack) {
			t.Error("the rule is not escaped")
		}
		found, err := s.Starts.Rules(t.Context(), admin(), domain.OrganizationRef{Slug: testkit.Organization}, domain.Page{Number: 1, Size: 1})
		if err != nil || len(found.Items) != 1 || len(found.Items[0].Conditions) != 2 {
			t.Fatalf("the rules are %+v: %v", found.Items, err)
		}
		one := list + "/" + string(found.Items[0].ID)
		b.submit(one+"/edit", "source_pipeline", "app", "target_pipeline", "deploy", "conditions", "", "description", "").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Rule saved.", "always")
		b.get(one+"/delete").want(t, http.StatusOK, "Delete this rule?")
		b.submit(one+"/delete").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Rule deleted.", "No rules yet")
		s.signedIn("member@example.com").get(list).want(t, http.StatusForbidden)
		s.signedIn("member@example.com").get(list+"/new").want(t, http.StatusForbidden)
	})
}
