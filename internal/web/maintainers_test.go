package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

func TestMaintainers(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		const list = theCluster + "/maintainers"
		b.get(list).want(t, http.StatusOK, "maintainer@example.com", "Platform", "Add maintainer")
		a := b.get(list+"/new?search=member@").want(t, http.StatusOK, "member@example.com", testkit.MemberID)
		if strings.Contains(a.Body, testkit.TeammateID) {
			t.Error("the search finds everybody")
		}
		b.get(list+"/new?search=maintainer@").want(t, http.StatusOK, "Already a maintainer")
		b.get(list+"/new?kind=teams").want(t, http.StatusOK, "Platform", "Already a maintainer")
		b.get(list+"/new?search=nobody").want(t, http.StatusOK, "No members found")

		b.submit(list+"/new?search=e", "user", testkit.MemberID).wantRedirect(t, list+"/new?search=e")
		b.get(list).want(t, http.StatusOK, "Maintainer added.", "member@example.com", "3 maintainers")
		b.submit(list+"/new", "user", testkit.MemberID).want(t, http.StatusUnprocessableEntity, "Maintainer has already been added")
		b.submit(list+"/new?kind=teams", "team", testkit.TeamID).want(t, http.StatusUnprocessableEntity, "Maintainer has already been added", "Platform")
		b.submit(list+"/new", "user", testkit.OutsiderID).want(t, http.StatusUnprocessableEntity, "must be members of the organization")
		b.submit(list+"/new?kind=teams", "team", "nonsense").want(t, http.StatusUnprocessableEntity, "must be teams of the organization")
		b.submit(list+"/new").want(t, http.StatusUnprocessableEntity, "must be members of the organization")

		removes := regexp.MustCompile(`/organizations/[^"]+/remove`).FindAllString(b.get(list).Body, -1)
		if len(removes) != 3 {
			t.Fatalf("the maintainers can be removed at %v", removes)
		}
		b.get(removes[1]).want(t, http.StatusOK, "Remove “the team Platform” from the maintainers?")
		for _, path := range removes {
			b.submit(path).wantRedirect(t, list)
		}
		b.get(list).want(t, http.StatusOK, "No maintainers yet")
		s.signedIn("member@example.com").get(theCluster+"/tokens").want(t, http.StatusForbidden)
	})
}
