package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

const servicesPage = "/organizations/acme-inc/services"

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/services":                  {path: servicesPage, says: "No notification services yet"},
	inOrganizationPath + "/services/new":              {path: servicesPage + "/new?kind=slack", says: "Create chat"},
	inOrganizationPath + "/services/{service}":        {path: servicesPage + "/" + testkit.QueueID, says: "No notification service found"},
	inOrganizationPath + "/services/{service}/edit":   {path: servicesPage + "/" + testkit.QueueID + "/edit", says: "No notification service found"},
	inOrganizationPath + "/services/{service}/delete": {path: servicesPage + "/" + testkit.QueueID + "/delete", says: "No notification service found"},
})

func TestServicesInTheBrowser(t *testing.T) {
	t.Parallel()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thanks") }))
	t.Cleanup(hook.Close)
	eachSite(t, func(t *testing.T, s *site) {
		const attack = `<script>alert(1)</script>`
		s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines", map[string]any{"name": "App", "repository": "git@example.com:x.git", "cluster_id": testkit.MaintainedID}).Want(t, 201)
		b := s.signedIn("admin@example.com")
		b.get(servicesPage).want(t, http.StatusOK, "No notification services yet", "New webhook", "New chat", "New mailing list")
		b.get(servicesPage+"/new?kind=pigeon").want(t, http.StatusNotFound)
		const kind = servicesPage + "/new?kind=webhook"
		b.submit(kind, "url", "ftp://x", "token_mode", "token", "scope", "all").want(t, http.StatusUnprocessableEntity, "URL must begin with https:// or http://", `value="ftp://x"`)
		b.submit(kind, "url", hook.URL, "token_mode", "token", "scope", "some_projects", "scope_uuids", "nowhere").want(t, http.StatusUnprocessableEntity, "must be of pipelines, teams or clusters", "nowhere")
		b.submit(kind, "description", attack, "url", hook.URL, "token", "the-secret-token", "token_mode", "signature", "events", "build.finished", "scope", "some_projects", "scope_uuids", "app\r\n", "branch_configuration", "main "+attack).
			want(t, http.StatusSeeOther)
		found, err := s.Notices.NotificationServices(t.Context(), admin(), domain.OrganizationRef{Slug: testkit.Organization}, domain.CursorPage{Size: 10})
		if err != nil || len(found.Items) != 1 {
			t.Fatalf("the services are %+v: %v", found.Items, err)
		}
		made := found.Items[0]
		if made.Settings.URL != hook.URL || made.Token != "the-secret-token" || made.Settings.TokenMode != "signature" || len(made.Settings.Events) != 1 || made.Scope != domain.BuildsOfPipeline || len(made.ScopeIDs) != 1 {
			t.Errorf("the service is %+v", made)
		}
		one := servicesPage + "/" + string(made.ID)
		for _, path := range []string{servicesPage, one, one + "/edit", one + "/delete"} {
			page := b.get(path).want(t, http.StatusOK)
			if strings.Contains(page.Body, attack) || strings.Contains(page.Body, "the-secret-token") {
				t.Errorf("%s shows what it must not", path)
			}
		}
		b.get(one).want(t, http.StatusOK, "Builds of some pipelines", "build.finished", "ping", "waiting")
		b.get(one+"/edit").want(t, http.StatusOK, "app</textarea>")
		// What is not typed stays: the token, which is not shown.
		b.submit(one+"/edit", "description", "Deploys", "url", hook.URL, "token_mode", "token", "events", "build.running", "scope", "all").wantRedirect(t, one)
		b.get(one).want(t, http.StatusOK, "Saved.", "Deploys", "All builds", "build.running")
		if changed, err := s.Notices.NotificationService(t.Context(), admin(), domain.OrganizationRef{Slug: testkit.Organization}, string(made.ID)); err != nil || changed.Token != "the-secret-token" || len(changed.ScopeIDs) != 0 {
			t.Errorf("the service is %+v: %v", changed, err)
		}
		b.submitTo(one, one+"/disable").wantRedirect(t, one)
		b.get(one).want(t, http.StatusOK, "It is disabled", "Enable")
		b.get(servicesPage).want(t, http.StatusOK, "disabled")
		b.submitTo(one, one+"/enable").wantRedirect(t, one)
		b.submitTo(one, one+"/try").wantRedirect(t, one)
		b.get(one).want(t, http.StatusOK, "A test was sent.", "Deploys: ping")

		b.submit(servicesPage+"/new?kind=slack", "url", "https://hooks.example.com/T/B/secret-part", "channel", "#builds", "theme", "emoji", "build_states", "build_failed", "scope", "all").want(t, http.StatusSeeOther)
		chats := b.get(servicesPage).want(t, http.StatusOK, "#builds", "Chat")
		if strings.Contains(chats.Body, "secret-part") {
			t.Error("the address of a chat is shown")
		}
		b.submit(servicesPage+"/new?kind=slack", "url", "https://hooks.example.com/T/B/secret-part\x01", "theme", "emoji", "scope", "all").want(t, http.StatusUnprocessableEntity)

		member := s.signedIn("member@example.com")
		for _, path := range []string{servicesPage, servicesPage + "/new", one, one + "/edit", one + "/delete"} {
			member.get(path).want(t, http.StatusForbidden)
		}
		b.submit(one+"/delete").wantRedirect(t, servicesPage)
		b.get(servicesPage).want(t, http.StatusOK, "Deploys removed.")
		b.get(one).want(t, http.StatusNotFound)
	})
}
