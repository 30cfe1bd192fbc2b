package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const inPipelinePath = inOrganizationPath + "/pipelines/{pipeline}"

var _ = addPages(map[string]pageCase{
	inPipelinePath + "/schedules":                   {path: "/organizations/acme-inc/pipelines/web/schedules", says: "No schedules yet"},
	inPipelinePath + "/schedules/new":               {path: "/organizations/acme-inc/pipelines/web/schedules/new", says: "Create schedule"},
	inPipelinePath + "/schedules/times":             {path: "/organizations/acme-inc/pipelines/web/schedules/times?cronline=@daily", says: "Next builds:"},
	inPipelinePath + "/schedules/{schedule}/edit":   {path: "/organizations/acme-inc/pipelines/web/schedules/" + testkit.QueueID + "/edit", says: "No pipeline schedule found"},
	inPipelinePath + "/schedules/{schedule}/delete": {path: "/organizations/acme-inc/pipelines/web/schedules/" + testkit.QueueID + "/delete", says: "No pipeline schedule found"},
})

func TestSchedulesInTheBrowser(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{"name": "Nightly", "repository": "git@example.com:x.git", "cluster_id": testkit.MaintainedID}).Want(t, 201)
		const list, attack = "/organizations/acme-inc/pipelines/nightly/schedules", `<script>alert(1)</script>`
		b := s.signedIn("admin@example.com")
		b.get(list).want(t, http.StatusOK, "No schedules yet", "New schedule")
		// While one types, the page of times is asked for.
		b.get(list+"/new").want(t, http.StatusOK, `hx-get="`+list+`/times"`, "The next five builds are shown here")
		times := b.get(list+"/times?cronline=0+3+*+*+1+Europe/Berlin").want(t, http.StatusOK, "Next builds:")
		if n := strings.Count(times.Body, "<li><time"); n != 5 {
			t.Errorf("%d times are shown", n)
		}
		b.get(list+"/times?cronline="+"%3Cscript%3E").want(t, http.StatusOK, "can't be read: it has 1 fields")
		b.submit(list+"/new", "label", "", "cronline", "*/5 * * * *").want(t, http.StatusUnprocessableEntity, "Label can&#39;t be blank", "less than 10 minutes apart")
		b.submit(list+"/new", "label", attack, "cronline", "@daily", "env", "A=1", "enabled", "on").wantRedirect(t, list)
		page := b.get(list).want(t, http.StatusOK, "Schedule created.", "@daily", "as Admin", "1 schedule")
		if strings.Contains(page.Body, attack) {
			t.Error("the label is not escaped")
		}
		ref := domain.PipelineRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, Slug: "nightly"}
		found, err := s.Starts.PipelineSchedules(t.Context(), admin(), ref, domain.Page{Number: 1, Size: 1})
		if err != nil || len(found.Items) != 1 || found.Items[0].Env["A"] != "1" {
			t.Fatalf("the schedules are %+v: %v", found.Items, err)
		}
		one := list + "/" + string(found.Items[0].ID)
		testkit.Exec(t, s.DB, `UPDATE pipeline_schedules SET failed_message = '`+attack+`', failed_at = 1`)
		page = b.get(list).want(t, http.StatusOK, "Failed: ")
		if strings.Contains(page.Body, attack) {
			t.Error("the failure is not escaped")
		}
		b.get(one+"/edit").want(t, http.StatusOK, "Next builds:", "A=1")
		b.submit(one+"/edit", "label", "Nightly", "cronline", "@daily").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Schedule saved.", "off")
		m := s.signedIn("maintainer@example.com")
		m.get(list).want(t, http.StatusOK, "Nightly")
		m.get(list+"/new").want(t, http.StatusForbidden)
		m.get(one+"/edit").want(t, http.StatusForbidden)
		b.get(one+"/delete").want(t, http.StatusOK, "Delete the schedule “Nightly”?")
		b.submit(one+"/delete").wantRedirect(t, list)
		b.get(list).want(t, http.StatusOK, "Schedule deleted.", "No schedules yet")
	})
}
