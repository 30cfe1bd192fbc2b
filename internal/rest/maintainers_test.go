package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

func TestMaintainerLifeCycle(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		cluster := createdCluster(t, s)
		maintainers := testkit.ClusterPath(cluster, "maintainers")
		list := `[]`
		for _, grant := range []struct{ body, actor, token string }{
			{
				`{"user": "` + testkit.MemberID + `"}`,
				`{"id": "` + testkit.MemberID + `", "graphql_id": "` + globalID("User", testkit.MemberID) + `", "name": "Member", "email": "member@example.com", "type": "user"}`,
				testkit.MemberToken,
			},
			{
				`{"team": "` + testkit.TeamID + `"}`,
				`{"id": "` + testkit.TeamID + `", "graphql_id": "` + globalID("Team", testkit.TeamID) + `", "name": "Platform", "slug": "platform", "type": "team"}`,
				testkit.TeammateToken,
			},
		} {
			manages := func(status int) {
				t.Helper()
				s.Get(grant.token, testkit.ClusterPath(cluster, "tokens")).Want(t, status)
			}
			manages(403)
			maintainer := s.Post(testkit.AdminToken, maintainers, grant.body).Want(t, 201)
			wantExactly(t, maintainer.Object(), `{"id": "ID", "actor": `+grant.actor+`}`, "ID", maintainer.Text("id"))
			manages(200)
			path := maintainers + "/" + maintainer.Text("id")
			wantExactly(t, s.Get(testkit.MaintainerToken, path).Want(t, 200).Object(), string(maintainer.Body))
			list = strings.Replace(list, `]`, string(maintainer.Body)+`]`, 1)
			wantExactly(t, s.Get(testkit.MaintainerToken, maintainers).Want(t, 200).List(), list)

			s.Delete(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "maintainers", maintainer.Text("id"))).
				WantMessage(t, 404, "No cluster maintainer found")
			manages(200)
			s.Delete(grant.token, path).Want(t, 204)
			manages(403)
			s.Get(testkit.AdminToken, path).WantMessage(t, 404, "No cluster maintainer found")
			s.Delete(testkit.AdminToken, path).WantMessage(t, 404, "No cluster maintainer found")
			list = `[]`
			wantExactly(t, s.Get(testkit.MaintainerToken, maintainers).Want(t, 200).List(), list)
		}
		first := s.Post(testkit.AdminToken, maintainers, `{"team": "`+testkit.TeamID+`"}`).Want(t, 201)
		second := s.Post(testkit.AdminToken, maintainers, `{"user": "`+testkit.MemberID+`"}`).Want(t, 201)
		wantExactly(t, s.Get(testkit.MemberToken, maintainers).List(), `[`+string(first.Body)+`, `+string(second.Body)+`]`)
	})
}

func TestMaintainerCannotBeAddedTwice(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := testkit.ClusterPath(testkit.MaintainedID)
		wantUnchanged(t, s, path, func() {
			for _, maintainer := range []string{`{"user": "` + testkit.MaintainerID + `"}`, `{"team": "` + testkit.TeamID + `"}`} {
				s.Post(testkit.AdminToken, path+"/maintainers", maintainer).WantMessage(t, 422, "Validation failed: Maintainer has already been added")
				s.Post(testkit.AdminToken, clustersPath, `{"name": "Fresh", "maintainers": [`+maintainer+`, `+maintainer+`]}`).
					WantMessage(t, 422, "Validation failed: Maintainer has already been added")
			}
		})
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, clustersPath).List(), "name"), `["Maintained"]`)
		// A teammate maintains through the team, and may be named as well.
		s.Post(testkit.AdminToken, path+"/maintainers", `{"user": "`+testkit.TeammateID+`"}`).Want(t, 201)
	})
}

func TestAClusterHasAtMost100Maintainers(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		maintainers := testkit.ClusterPath(testkit.MaintainedID, "maintainers")
		organization := storedText(t, s, `SELECT id FROM organizations WHERE slug = 'acme-inc'`)
		for i := range 98 { // there are two already
			team := createdID(t, s, teamsPath, fmt.Sprintf(`{"name": "Team %d", "privacy": "visible", "is_default_team": false, "default_member_role": "member"}`, i))
			testkit.Change(t, s.DB, `INSERT INTO cluster_maintainers (id, organization_id, cluster_id, team_id, created_at) VALUES ($1, $2, $3, $4, 0)`,
				domain.NewID[string](), organization, testkit.MaintainedID, team)
		}
		add := func() *testkit.Answer {
			return s.Post(testkit.AdminToken, maintainers, `{"user": "`+testkit.MemberID+`"}`)
		}
		add().WantMessage(t, 422, "Validation failed: Maintainers are too many (maximum is 100)")
		s.Delete(testkit.AdminToken, maintainers+"/"+storedText(t, s, `SELECT min(id) FROM cluster_maintainers`)).Want(t, 204)
		add().Want(t, 201)
		if n := storedNumber(t, s, `SELECT count(*) FROM cluster_maintainers WHERE cluster_id = '`+testkit.MaintainedID+`'`); n != 100 {
			t.Errorf("%d maintainers", n)
		}
	})
}
