package web_test

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

var _ = addPages(map[string]pageCase{
	inPipelinePath + "/badge": {path: "/organizations/acme-inc/pipelines/web/badge", says: "Markdown"},
})

func TestABadgeToCopy(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		const page, attack = "/organizations/acme-inc/pipelines/shown/badge", `"><script>alert(1)</script>`
		made := s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{"name": "Shown", "repository": "r", "cluster_id": testkit.MaintainedID, "configuration": "steps: [{block: Go on}]"}).Want(t, 201)
		picture := s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines/shown").Want(t, 200).Text("badge_url")
		path := picture[strings.Index(picture, "/badges/"):]
		b := s.signedIn("member@example.com")
		shown := b.get(page).want(t, http.StatusOK, `<img src="`+path+`"`, "Build status: unknown")
		text := html.UnescapeString(shown.Body)
		for _, part := range []string{"[![Build status](", path + ")](", "/acme-inc/shown)", `<a href="`, path + `" alt="Build status"></a>`, "/acme-inc/shown.xml?access_token="} {
			if !strings.Contains(text, part) {
				t.Errorf("the page has no %s", part)
			}
		}
		build := s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines/shown/builds", `{"commit": "HEAD", "branch": "main"}`).Want(t, 201)
		job := build.Object()["jobs"].([]any)[0].(map[string]any)["id"].(string)
		s.Put(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines/shown/builds/1/jobs/"+job+"/unblock", nil).Want(t, 200)
		b.get(page+"?branch=main").want(t, http.StatusOK, "Build status: passing", path+"?branch=main")
		b.get(page+"?branch=other").want(t, http.StatusOK, "Build status: unknown", path+"?branch=other")
		hostile := b.get(page+"?branch=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E").want(t, http.StatusOK, path+"?branch=%22%3E%3Cscript%3E")
		if strings.Contains(hostile.Body, attack) {
			t.Error("the branch is not escaped")
		}
		_ = made
	})
}
