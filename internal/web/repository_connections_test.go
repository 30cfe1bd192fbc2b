package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const (
	hostsPath  = "/organizations/{organization}/repositories"
	hostsPage  = "/organizations/acme-inc/repositories"
	outboxPage = "/organizations/acme-inc/outbox"
)

var _ = addPages(map[string]pageCase{
	hostsPath:                                    {path: hostsPage, says: "No repository hosts yet"},
	hostsPath + "/new":                           {path: hostsPage + "/new", says: "Access token"},
	hostsPath + "/{connection}/edit":             {path: hostsPage + "/" + testkit.QueueID + "/edit", says: "No repository connection found"},
	hostsPath + "/{connection}/delete":           {path: hostsPage + "/" + testkit.QueueID + "/delete", says: "No repository connection found"},
	"/organizations/{organization}/outbox":       {path: outboxPage, says: "Nothing was sent yet"},
	inPipelinePattern + "/deliveries":            {path: "/organizations/acme-inc/pipelines/none/deliveries", says: "No pipeline found"},
	inPipelinePattern + "/webhook/rotate":        {path: "/organizations/acme-inc/pipelines/none/webhook/rotate", says: "No pipeline found"},
	inPipelinePattern + "/deliveries/{delivery}": {path: "/organizations/acme-inc/pipelines/none/deliveries/" + testkit.QueueID, says: "No pipeline found"},
})

const inPipelinePattern = "/organizations/{organization}/pipelines/{pipeline}"

func TestRepositoryHostsInTheBrowser(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "token good-token" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusCreated)
			}
			_, _ = io.WriteString(w, `{"login": "ada", "id": 12}`)
		}))
		t.Cleanup(host.Close)
		const attack = `<script>alert(1)</script>`
		b := s.signedIn("admin@example.com")
		s.signedIn("member@example.com").get(hostsPage).want(t, http.StatusForbidden)
		refused := b.submit(hostsPage+"/new", "type", "gitea", "host", host.URL, "token", "wrong-token").want(t, http.StatusUnprocessableEntity, "Access token is refused by")
		if strings.Contains(refused.Body, "wrong-token") {
			t.Error("the token is shown")
		}
		b.submit(hostsPage+"/new", "type", "gitea", "host", host.URL, "display_name", attack, "token", "good-token").wantRedirect(t, hostsPage)
		page := b.get(hostsPage).want(t, http.StatusOK, host.URL, "ada", "Try it")
		if strings.Contains(page.Body, attack) {
			t.Error("the name is not escaped")
		}
		found, err := s.Starts.RepositoryConnections(t.Context(), admin(), domain.OrganizationRef{Slug: testkit.Organization})
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		one := hostsPage + "/" + string(found[0].ID)
		b.submitTo(hostsPage, one+"/try").wantRedirect(t, hostsPage)
		b.get(hostsPage).want(t, http.StatusOK, "takes the token of ada")
		b.submit(one+"/edit", "host", host.URL, "display_name", "Forge").wantRedirect(t, hostsPage)

		s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{
			"name": "hosted", "repository": host.URL + "/acme/web.git", "cluster_id": testkit.MaintainedID, "configuration": "steps: [{command: 'true'}]",
		}).Want(t, http.StatusCreated)
		const pipeline = "/organizations/acme-inc/pipelines/hosted"
		b.get(pipeline+"/deliveries").want(t, http.StatusOK, "Nothing was delivered yet", "Create webhook", "Forge")
		b.submitTo(pipeline+"/deliveries", pipeline+"/webhook").wantRedirect(t, pipeline+"/deliveries")
		b.get(pipeline+"/deliveries").want(t, http.StatusOK, "Webhook created in acme/web.")
		var token string
		testkit.ReadOne(t, s.DB, `SELECT webhook_token FROM pipelines WHERE slug = 'hosted'`, func(r *db.Row) { token = r.Text() })
		header := http.Header{"X-Gitea-Event": {"push"}}
		body := `{"ref": "refs/heads/main", "before": "` + strings.Repeat("2", 40) + `", "after": "` + strings.Repeat("1", 40) + `", "head_commit": {"message": "` + attack + `"}}`
		if _, err := s.Starts.Deliver(t.Context(), authz.Actor{}, domain.Secret(token), header, []byte(body)); err != nil {
			t.Fatal(err)
		}
		b.get(pipeline+"/deliveries").want(t, http.StatusOK, "built #1", "push")
		list, err := s.Starts.Deliveries(t.Context(), admin(), domain.PipelineRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, Slug: "hosted"})
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		delivery := pipeline + "/deliveries/" + string(list[0].ID)
		if shown := b.get(delivery).want(t, http.StatusOK, "refs/heads/main", "Build again"); strings.Contains(shown.Body, attack) {
			t.Error("the body is not escaped")
		}
		b.submitTo(delivery, delivery+"/repeat").wantRedirect(t, pipeline+"/deliveries")
		b.get(pipeline+"/deliveries").want(t, http.StatusOK, "Delivered again: built #2.")
		b.get(outboxPage).want(t, http.StatusOK, "buildkite/hosted of 1111111: pending", "waiting")
		b.submit(pipeline+"/webhook/rotate").wantRedirect(t, pipeline+"/deliveries")
		b.submit(one+"/delete").wantRedirect(t, hostsPage)
		b.get(hostsPage).want(t, http.StatusOK, "Connection removed.", "No repository hosts yet")
	})
}
