package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

func TestOverviewCountsWhatItsReaderSees(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		admin, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		admin.get(acme).want(t, http.StatusOK, "<strong>1</strong> team<", "<strong>4</strong> members<")
		s.Post(testkit.AdminToken, "/v2"+acme+"/teams", map[string]any{"name": "Hidden", "privacy": "secret"}).Want(t, http.StatusCreated)
		admin.get(acme).want(t, http.StatusOK, "<strong>2</strong> teams<", ">Hidden</a>")
		if a := member.get(acme).want(t, http.StatusOK, "<strong>1</strong> team<", "<strong>4</strong> members<"); strings.Contains(a.Body, "Hidden") {
			t.Errorf("a member sees what administrators do: %s", a.Body)
		}
		s.signedIn("outsider@example.com").get(acme).want(t, http.StatusNotFound)
	})
}
