package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		admin, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		s.Post(testkit.AdminToken, "/v2"+acme+"/teams", map[string]any{"name": "Plating", "privacy": "secret"}).Want(t, http.StatusCreated)
		const search = acme + "/search"
		checkMarkup(t, admin.get(search).want(t, http.StatusOK, "web #12"))
		checkMarkup(t, admin.get(search+"?q=PLAT").want(t, http.StatusOK, ">Platform</a>", ">Plating</a>"))
		if a := member.get(search+"?q=PLAT").want(t, http.StatusOK, ">Platform</a>"); strings.Contains(a.Body, "Plating") {
			t.Errorf("a member finds a secret team: %s", a.Body)
		}
		admin.get(search+"?q=web").want(t, http.StatusOK, acme+"/pipelines/web")
		admin.get(search+"?q=default").want(t, http.StatusOK, "Queues", theQueue)
		admin.get(search+"?q=maintain").want(t, http.StatusOK, ">Maintained</a>", "maintainer@example.com")
		admin.get(search+"?q=audit").want(t, http.StatusOK, `href="`+acme+`/audit"`)
		if a := member.get(search + "?q=audit"); strings.Contains(a.Body, acme+"/audit") {
			t.Errorf("a member finds the audit log: %s", a.Body)
		}
		admin.get(search+"?q=web+%2399").want(t, http.StatusOK, "No results")
		admin.get(search+"?q="+strings.Repeat("x", 5000)).want(t, http.StatusOK, "No results")
		s.signedIn("outsider@example.com").get(search+"?q=web").want(t, http.StatusNotFound)
	})
}
