package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/testkit"
)

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/members":                 {path: acme + "/members", says: "teammate@example.com"},
	inOrganizationPath + "/members/{member}":        {path: acme + "/members/" + testkit.MaintainerID, says: "Maintains"},
	inOrganizationPath + "/members/{member}/remove": {path: acme + "/members/" + testkit.MaintainerID + "/remove", says: "maintaining the clusters: Maintained"},
})

func TestMembers(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		admin, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		admin.get(acme+"/members?search=TEAMMATE@").want(t, http.StatusOK, "Teammate")
		if body := admin.get(acme + "/members?search=teammate").Body; strings.Contains(body, "maintainer@example.com") {
			t.Error("a search finds who does not fit")
		}
		admin.get(acme+"/members/"+testkit.TeammateID).want(t, http.StatusOK, "Platform", "Change role", "Remove from the organization")
		admin.get(acme+"/members/"+testkit.OutsiderID).want(t, http.StatusNotFound, "No organization member found")

		// Nobody changes themself.
		if _, err := s.Service.DisableUser(t.Context(), authz.OperatorActor(), "maintainer@example.com"); err != nil {
			t.Fatal(err)
		}
		admin.get(acme+"/members").want(t, http.StatusOK, `<span class="tag bad">disabled</span>`)
		admin.get(acme+"/members/"+testkit.MaintainerID).want(t, http.StatusOK, `<span class="tag bad">disabled</span>`)
		own := acme + "/members/" + testkit.AdminID
		if body := admin.get(own).want(t, http.StatusOK, "change your own role or remove").Body; strings.Contains(body, "Change role") {
			t.Error("one is offered to change one's own role")
		}
		admin.submitTo(own, own, "role", "member").want(t, http.StatusUnprocessableEntity, "change your own role")
		admin.submit(own+"/remove").want(t, http.StatusUnprocessableEntity, "remove yourself")

		// A plain member looks on.
		one := acme + "/members/" + testkit.TeammateID
		if body := member.get(one).want(t, http.StatusOK, "teammate@example.com").Body; strings.Contains(body, "Change role") || strings.Contains(body, "/remove") {
			t.Error("a plain member is offered to change others")
		}
		member.submitTo(one, one, "role", "admin").want(t, http.StatusForbidden)
		for _, path := range []string{one, acme + "/members/" + testkit.MemberID} {
			member.get(path+"/remove").want(t, http.StatusForbidden)
			member.submitTo(one, path+"/remove").want(t, http.StatusForbidden)
		}

		// A second administrator can take the first one's role, but not the last one's.
		admin.submit(one, "role", "owner").want(t, http.StatusUnprocessableEntity, "Role must be admin or member")
		admin.submit(one, "role", "admin").wantRedirect(t, one)
		second := s.signedIn("teammate@example.com")
		second.submit(own, "role", "member").wantRedirect(t, own)
		admin.get(one+"/remove").want(t, http.StatusForbidden)
		second.submit(own, "role", "admin").wantRedirect(t, own)

		admin.get(one+"/remove").want(t, http.StatusOK, "their role as administrator", "their place in the teams: Platform", "API tokens' access to the organization: all")
		// What they leave behind is named.
		s.Post(testkit.TeammateToken, "/v2/organizations/acme-inc/portals", map[string]any{"name": "Left portal", "query": "{ __typename }"}).Want(t, http.StatusCreated)
		s.Post(testkit.TeammateToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), map[string]any{"description": "Left token"}).Want(t, http.StatusCreated)
		admin.get(one+"/remove").want(t, http.StatusOK, "They may still know the secrets", "the portal Left portal", "the agent token Left token")
		admin.submit(one+"/remove").wantRedirect(t, acme+"/members")
		admin.get(one).want(t, http.StatusNotFound)
		second.get(acme).want(t, http.StatusNotFound)
	})
}
