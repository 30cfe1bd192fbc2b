package rest_test

import (
	"strings"
	"testing"

	"penstock/internal/testkit"
)

const teamsPath = "/v2/organizations/" + testkit.Organization + "/teams"

func createdTeam(t testing.TB, s *testkit.Server, name string) string {
	t.Helper()
	return createdID(t, s, teamsPath, `{"name": "`+name+`"}`)
}

// createdSecretTeam makes a team that only the teammate belongs to.
func createdSecretTeam(t testing.TB, s *testkit.Server) string {
	t.Helper()
	team := createdID(t, s, teamsPath, `{"name": "Secret", "privacy": "secret"}`)
	s.Post(testkit.AdminToken, teamsPath+"/"+team+"/members", `{"user_id": "`+testkit.TeammateID+`"}`).Want(t, 201)
	return team
}

func TestTeamFields(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		team := s.Post(testkit.AdminToken, teamsPath, `{"name": " Crème Brûlée ", "description": "Sweet", "privacy": "secret", "is_default_team": true,
			"default_member_role": "maintainer", "members_can_create_pipelines": true, "members_can_create_suites": true, "members_can_create_registries": true,
			"members_can_destroy_registries": true, "members_can_destroy_packages": true, "unknown": 1}`).Want(t, 201)
		wantExactly(t, team.Object(), `{
			"id": "ID", "graphql_id": "GID", "name": "Crème Brûlée", "slug": "creme-brulee", "description": "Sweet", "privacy": "secret", "default": true, "is_default_team": true,
			"default_member_role": "maintainer", "members_can_create_pipelines": true, "members_can_create_suites": true, "members_can_create_registries": true,
			"members_can_destroy_registries": true, "members_can_destroy_packages": true,
			"url": "BASE/v2/organizations/acme-inc/teams/ID", "web_url": "BASE/organizations/acme-inc/teams/creme-brulee",
			"created_at": "2026-05-03T04:17:55.867Z",
			"created_by": {"id": "USER", "graphql_id": "UGID", "name": "Admin", "email": "admin@example.com", "avatar_url": "BASE/avatars/USER.svg",
				"created_at": "2026-05-03T04:17:55.867Z"}}`,
			"UGID", globalID("User", testkit.AdminID), "USER", testkit.AdminID,
			"GID", globalID("Team", team.Text("id")), "ID", team.Text("id"), "BASE", s.URL)
		wantExactly(t, s.Get(testkit.AdminToken, team.Text("url")).Want(t, 200).Object(), string(team.Body))
		wantExactly(t, s.Get(testkit.AdminToken, teamsPath).Want(t, 200).List()[0], string(team.Body))
	})
}

func TestNewTeamIsVisibleAndForNobodyByDefault(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, body := range []string{
			`{"name": "Bare"}`,
			`{"name": "Nulls", "description": null, "privacy": null, "is_default_team": null, "default": null, "default_member_role": null,
				"members_can_create_pipelines": null, "members_can_create_suites": null, "members_can_create_registries": null,
			"members_can_destroy_registries": null, "members_can_destroy_packages": null}`,
		} {
			wantMembers(t, s.Post(testkit.AdminToken, teamsPath, body).Want(t, 201),
				`{"description": null, "privacy": "visible", "default": false, "default_member_role": "member", "members_can_create_pipelines": false, "members_can_create_suites": false, "members_can_create_registries": false,
			"members_can_destroy_registries": false, "members_can_destroy_packages": false}`)
		}
		wantMembers(t, s.Post(testkit.AdminToken, teamsPath, `{"name": "Other name", "default": true}`).Want(t, 201), `{"default": true, "is_default_team": true}`)
	})
}

func TestUpdateTeam(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := teamsPath + "/" + testkit.TeamID
		for _, change := range []string{
			`{"description": "Described"}`, `{"privacy": "secret"}`, `{"default": true}`, `{"is_default_team": false}`, `{"default_member_role": "maintainer"}`,
			`{"members_can_create_pipelines": true}`, `{"description": null}`, `{"privacy": "visible"}`, `{"name": "Renamed"}`, `{"description": ""}`,
		} {
			want := s.Get(testkit.AdminToken, path).Want(t, 200).Object()
			got := s.Patch(testkit.AdminToken, path, change).Want(t, 200)
			wantMembers(t, got, strings.ReplaceAll(change, "is_default_team", "default"))
			for member := range got.Object() {
				if changed := strings.ReplaceAll(change, "is_default_team", "default"); !strings.Contains(changed, `"`+strings.ReplaceAll(member, "is_default_team", "default")+`"`) {
					continue
				}
				want[member] = got.Object()[member]
			}
			if strings.Contains(change, "name") {
				want["slug"], want["web_url"] = "renamed", s.URL+"/organizations/acme-inc/teams/renamed"
			}
			wantExactly(t, got.Object(), string(asJSON(t, want)))
			wantExactly(t, s.Get(testkit.AdminToken, path).Want(t, 200).Object(), string(got.Body))
		}
		wantUnchanged(t, s, path, func() { s.Patch(testkit.AdminToken, path, `{}`).Want(t, 200) })
	})
}

func TestTeamFieldsAreValidated(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		path := teamsPath + "/" + testkit.TeamID
		for body, reason := range map[string]string{
			`{"name": " "}`: "Name can't be blank",
			`{"name": "` + strings.Repeat("x", 256) + `"}`: "Name is too long (maximum is 255 characters)",
			`{"name": "a\u0000"}`:                          "Name must be valid UTF-8 without NUL",
			`{"name": "!?"}`:                               "Name must contain a letter or digit, for its slug",
			`{"name": "x", "description": "` + strings.Repeat("x", 10_001) + `"}`: "Description is too long (maximum is 10000 characters)",
			`{"name": "x", "privacy": "hidden"}`:                                  "Privacy must be visible or secret",
			`{"name": "x", "default_member_role": "admin"}`:                       "Default member role must be maintainer or member",
			`{"name": "x", "is_default_team": "yes"}`:                             "is_default_team must be true or false",
			`{"name": "x", "default": 1}`:                                         "default must be true or false",
			`{"name": "x", "members_can_create_pipelines": 0}`:                    "members_can_create_pipelines must be true or false",
			`{"name": "x", "privacy": "", "default_member_role": ""}`:             "Privacy must be visible or secret, Default member role must be maintainer or member",
		} {
			for method, path := range map[string]string{"POST": teamsPath, "PATCH": path} {
				s.Do(testkit.Request{Method: method, Path: path, Token: testkit.AdminToken, Body: body}).WantMessage(t, 422, "Validation failed: "+reason)
			}
		}
		s.Post(testkit.AdminToken, teamsPath, `{}`).WantMessage(t, 422, "Validation failed: Name can't be blank")
		for member, reason := range map[string]string{ // null is no value of a team that is there
			"name": "Name can't be blank", "privacy": "Privacy must be visible or secret", "is_default_team": "is_default_team must be true or false",
			"default": "is_default_team must be true or false", "default_member_role": "Default member role must be maintainer or member",
			"members_can_create_pipelines": "members_can_create_pipelines must be true or false",
		} {
			s.Patch(testkit.AdminToken, path, `{"`+member+`": null}`).WantMessage(t, 422, "Validation failed: "+reason)
		}
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, teamsPath).List(), "name"), `["Platform"]`)
	})
}

func TestTeamSlugFollowsTheNameAndIsUnique(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const taken = "Validation failed: A team with the slug platform already exists in this organization"
		s.Post(testkit.AdminToken, teamsPath, `{"name": "PLATFORM!"}`).WantMessage(t, 422, taken)
		other := teamsPath + "/" + createdTeam(t, s, "Other")
		wantUnchanged(t, s, other, func() {
			s.Patch(testkit.AdminToken, other, `{"name": "platform", "privacy": "secret"}`).WantMessage(t, 422, taken)
		})

		// A name that is taken elsewhere is free here, and one that was given up is free again.
		s.Post(testkit.OutsiderToken, "/v2/organizations/elsewhere/teams", `{"name": "Platform"}`).Want(t, 201)
		wantMembers(t, s.Patch(testkit.AdminToken, teamsPath+"/"+testkit.TeamID, `{"name": "Foundations"}`).Want(t, 200), `{"slug": "foundations", "id": "`+testkit.TeamID+`"}`)
		wantMembers(t, s.Patch(testkit.AdminToken, other, `{"name": "Platform"}`).Want(t, 200), `{"slug": "platform"}`)

		// The slug of a bootstrap file stays until the name changes.
		s.Bootstrap(`organizations: [{slug: acme-inc, name: Acme Inc, teams: [{id: ` + unknownUUID + `, name: Web, slug: frontend}]}]`)
		web := teamsPath + "/" + unknownUUID
		wantMembers(t, s.Patch(testkit.AdminToken, web, `{"name": "Web", "description": "x"}`).Want(t, 200), `{"slug": "frontend"}`)
		wantMembers(t, s.Patch(testkit.AdminToken, web, `{"name": "Web!"}`).Want(t, 200), `{"slug": "web"}`)
	})
}

func TestTeamsAreListedByName(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, name := range []string{"zebra", "Äpfel", "apes", "ZOO", "b"} {
			createdTeam(t, s, name)
		}
		list := s.Get(testkit.MemberToken, teamsPath).Want(t, 200)
		wantExactly(t, testkit.Column(list.List(), "name"), `["apes", "b", "Platform", "zebra", "ZOO", "Äpfel"]`)
		page := s.Get(testkit.MemberToken, teamsPath+"?per_page=4&page=2&user_id="+testkit.TeammateID).Want(t, 200)
		wantExactly(t, page.List(), `[]`)
		page = s.Get(testkit.MemberToken, teamsPath+"?per_page=4&page=2").Want(t, 200)
		wantExactly(t, testkit.Column(page.List(), "name"), `["ZOO", "Äpfel"]`)
		if link := page.Header.Get("Link"); link != `<`+s.URL+teamsPath+`?page=1&per_page=4>; rel="first", <`+s.URL+teamsPath+`?page=1&per_page=4>; rel="prev"` {
			t.Errorf("Link is %s", link)
		}
	})
}

func TestTeamsOfAUser(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		createdTeam(t, s, "Nobody's")
		createdSecretTeam(t, s)
		names := func(token, query string) any {
			return testkit.Column(s.Get(token, teamsPath+"?user_id="+query).Want(t, 200).List(), "name")
		}
		wantExactly(t, names(testkit.AdminToken, testkit.TeammateID), `["Platform", "Secret"]`)
		wantExactly(t, names(testkit.AdminToken, strings.ToUpper(testkit.TeammateID)), `["Platform", "Secret"]`)
		wantExactly(t, names(testkit.MemberToken, testkit.TeammateID), `["Platform"]`) // what is secret is not given away
		wantExactly(t, names(testkit.AdminToken, testkit.MemberID), `[]`)
		wantExactly(t, names(testkit.AdminToken, testkit.OutsiderID), `[]`)
		for _, bad := range []string{"", "x", "%00", "%FF", testkit.TeammateID + "0"} {
			s.Get(testkit.AdminToken, teamsPath+"?user_id="+bad).WantMessage(t, 400, "user_id must be a UUID")
			s.Get(testkit.OutsiderToken, teamsPath+"?user_id="+bad).WantMessage(t, 404, "No organization found")
		}
	})
}

func TestSecretTeamIsSeenByItsMembersAndAdministratorsOnly(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		team := teamsPath + "/" + createdSecretTeam(t, s)
		pipeline := s.Post(testkit.MemberToken, "/v2/organizations/acme-inc/pipelines", `{"name": "Web", "repository": "git@example.com:acme/web.git"}`).Want(t, 201).Text("id")
		s.Post(testkit.AdminToken, team+"/pipelines", `{"pipeline_id": "`+pipeline+`"}`).Want(t, 201)

		for _, token := range []string{testkit.TeammateToken, testkit.AdminToken} {
			s.Get(token, team).Want(t, 200)
			s.Get(token, team+"/members").Want(t, 200)
			s.Get(token, team+"/pipelines").Want(t, 200)
			wantExactly(t, testkit.Column(s.Get(token, teamsPath).Want(t, 200).List(), "name"), `["Platform", "Secret"]`)
		}
		s.Patch(testkit.TeammateToken, team, `{"name": "Mine"}`).WantMessage(t, 403, "Forbidden")

		wantUnchanged(t, s, team, func() {
			for _, request := range []testkit.Request{
				{Method: "GET", Path: team},
				{Method: "PATCH", Path: team, Body: `{"privacy": "visible"}`},
				{Method: "DELETE", Path: team},
				{Method: "GET", Path: team + "/members"},
				{Method: "POST", Path: team + "/members", Body: `{"user_id": "` + testkit.MemberID + `"}`},
				{Method: "GET", Path: team + "/members/" + testkit.TeammateID},
				{Method: "PATCH", Path: team + "/members/" + testkit.TeammateID, Body: `{"role": "maintainer"}`},
				{Method: "DELETE", Path: team + "/members/" + testkit.TeammateID},
				{Method: "GET", Path: team + "/pipelines"},
				{Method: "POST", Path: team + "/pipelines", Body: `{"pipeline_id": "` + pipeline + `"}`},
				{Method: "GET", Path: team + "/pipelines/" + pipeline},
				{Method: "PATCH", Path: team + "/pipelines/" + pipeline, Body: `{"access_level": "build_and_read"}`}, // of the member's own pipeline
				{Method: "DELETE", Path: team + "/pipelines/" + pipeline},
			} {
				request.Token = testkit.MemberToken
				s.Do(request).WantMessage(t, 404, "No team found")
			}
		})
		list := s.Get(testkit.MemberToken, teamsPath+"?per_page=1").Want(t, 200)
		wantExactly(t, testkit.Column(list.List(), "name"), `["Platform"]`)
		if link := list.Header.Get("Link"); link != "" {
			t.Errorf("the number of pages gives the team away: %s", link)
		}

		// Who joins it sees it, and who leaves it does not any more.
		s.Post(testkit.AdminToken, team+"/members", `{"user_id": "`+testkit.MemberID+`"}`).Want(t, 201)
		s.Get(testkit.MemberToken, team).Want(t, 200)
		s.Delete(testkit.AdminToken, team+"/members/"+testkit.MemberID).Want(t, 204)
		s.Get(testkit.MemberToken, team).WantMessage(t, 404, "No team found")
	})
}

func TestSecretTeamThatMaintainsAClusterIsSeenByThoseWhoSeeTheTeam(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		team := createdSecretTeam(t, s)
		cluster := testkit.ClusterPath(testkit.MaintainedID)
		maintainer := s.Post(testkit.TeammateToken, cluster+"/maintainers", `{"team": "`+team+`"}`).Want(t, 201)
		path := cluster + "/maintainers/" + maintainer.Text("id")
		teams := func(shown map[string]any) (names []any) {
			for _, m := range shown["maintainers"].(map[string]any)["teams"].([]any) {
				names = append(names, m.(map[string]any)["actor"].(map[string]any)["name"])
			}
			return names
		}
		for token, want := range map[string]string{
			testkit.AdminToken: `["Platform", "Secret"]`, testkit.TeammateToken: `["Platform", "Secret"]`,
			testkit.MemberToken: `["Platform"]`, testkit.MaintainerToken: `["Platform"]`,
		} {
			wantExactly(t, teams(s.Get(token, cluster).Want(t, 200).Object()), want)
			wantExactly(t, teams(s.Get(token, clustersPath).Want(t, 200).List()[0]), want)
			wantExactly(t, teams(s.Patch(token, cluster, `{"name": "Maintained"}`).Want(t, 200).Object()), want)
			list := s.Get(token, cluster+"/maintainers?per_page=2").Want(t, 200)
			if seen := strings.Contains(want, "Secret"); seen == (list.Header.Get("Link") == "") || s.Get(token, path).Status == 200 != seen {
				t.Errorf("who sees %s: %s %s", want, list.Header.Get("Link"), list)
			}
		}
		// Who manages the cluster and does not see the team can neither add nor remove it.
		s.Delete(testkit.MaintainerToken, path).WantMessage(t, 404, "No cluster maintainer found")
		const refusal = "Validation failed: Maintainers must be teams of the organization"
		s.Post(testkit.MaintainerToken, cluster+"/maintainers", `{"team": "`+team+`"}`).WantMessage(t, 422, refusal)
		s.Post(testkit.MemberToken, clustersPath, `{"name": "New", "maintainers": [{"team": "`+team+`"}]}`).WantMessage(t, 422, refusal)
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		s.Get(testkit.TeammateToken, path).WantMessage(t, 404, "No cluster maintainer found")
		// A cluster is seen also when all of its maintainers are hidden.
		hidden := createdID(t, s, clustersPath, `{"name": "Hidden", "maintainers": [{"team": "`+team+`"}]}`)
		wantExactly(t, s.Get(testkit.MemberToken, testkit.ClusterPath(hidden)).Want(t, 200).Object()["maintainers"], `{"users": [], "teams": []}`)
	})
}

func TestTeamsOfOneOrganizationAreNotFoundInAnother(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		elsewhere := "/v2/organizations/elsewhere/teams/"
		for _, id := range []string{testkit.TeamID, unknownUUID, "platform", "%00", strings.ReplaceAll(testkit.TeamID, "-", "")} {
			for _, below := range []string{"", "/members", "/members/" + testkit.TeammateID, "/pipelines"} {
				s.Get(testkit.OutsiderToken, elsewhere+id+below).WantMessage(t, 404, "No team found")
			}
			s.Delete(testkit.OutsiderToken, elsewhere+id).WantMessage(t, 404, "No team found")
		}
		s.Get(testkit.MemberToken, teamsPath+"/"+testkit.TeamID).Want(t, 200)
	})
}

func TestMaintainersOfATeamChangeItAndItsMembersButDoNotDeleteIt(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		team := teamsPath + "/" + testkit.TeamID
		s.Patch(testkit.TeammateToken, team, `{"description": "Ours"}`).WantMessage(t, 403, "Forbidden")
		s.Patch(testkit.AdminToken, team+"/members/"+testkit.TeammateID, `{"role": "maintainer"}`).Want(t, 200)
		s.Patch(testkit.TeammateToken, team, `{"description": "Ours"}`).Want(t, 200)
		s.Post(testkit.TeammateToken, team+"/members", `{"user_id": "`+testkit.MemberID+`"}`).Want(t, 201)
		s.Patch(testkit.TeammateToken, team+"/members/"+testkit.MemberID, `{"role": "maintainer"}`).Want(t, 200)
		s.Delete(testkit.TeammateToken, team+"/members/"+testkit.MemberID).Want(t, 204)
		s.Delete(testkit.TeammateToken, team).WantMessage(t, 403, "Forbidden")
		s.Post(testkit.TeammateToken, teamsPath, `{"name": "Mine"}`).WantMessage(t, 403, "Forbidden")
		other := teamsPath + "/" + createdTeam(t, s, "Other")
		s.Patch(testkit.TeammateToken, other, `{"description": "Not ours"}`).WantMessage(t, 403, "Forbidden")
		s.Delete(testkit.TeammateToken, team+"/members/"+testkit.TeammateID).Want(t, 204)
		s.Patch(testkit.TeammateToken, team, `{"description": "Still ours"}`).WantMessage(t, 403, "Forbidden")
	})
}

func TestATeamsChangeTakesEffectOnItsClustersAtOnce(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		team := teamsPath + "/" + testkit.TeamID // it maintains the cluster Maintained
		manages := func(token string, status int) {
			t.Helper()
			s.Get(token, testkit.ClusterPath(testkit.MaintainedID, "tokens")).Want(t, status)
		}
		manages(testkit.MemberToken, 403)
		s.Post(testkit.AdminToken, team+"/members", `{"user_id": "`+testkit.MemberID+`"}`).Want(t, 201)
		manages(testkit.MemberToken, 200)
		s.Delete(testkit.AdminToken, team+"/members/"+testkit.MemberID).Want(t, 204)
		manages(testkit.MemberToken, 403)
		manages(testkit.TeammateToken, 200)
		s.Delete(testkit.AdminToken, team).Want(t, 204)
		manages(testkit.TeammateToken, 403)
		s.Get(testkit.AdminToken, team).WantMessage(t, 404, "No team found")
		wantExactly(t, s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Object()["maintainers"].(map[string]any)["teams"], `[]`)
	})
}

func TestEqualTeamsAtOnce(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		one, two := teamsPath+"/"+createdTeam(t, s, "One"), teamsPath+"/"+createdTeam(t, s, "Two")
		for range rounds {
			same := testkit.Request{Method: "POST", Path: teamsPath, Body: `{"name": "Same"}`}
			answers := atOnce(s, same, same)
			wantEither(t, answers, []int{201, 422}, []int{422, 201})
			s.Delete(testkit.AdminToken, teamsPath+"/"+answers[0].Text("id")+answers[1].Text("id")).Want(t, 204)

			answers = atOnce(s, testkit.Request{Method: "PATCH", Path: one, Body: `{"name": "Three"}`}, testkit.Request{Method: "PATCH", Path: two, Body: `{"name": "Three"}`})
			wantEither(t, answers, []int{200, 422}, []int{422, 200})
			s.Patch(testkit.AdminToken, one, `{"name": "One"}`).Want(t, 200)
			s.Patch(testkit.AdminToken, two, `{"name": "Two"}`).Want(t, 200)

			join := testkit.Request{Method: "POST", Path: one + "/members", Body: `{"user_id": "` + testkit.MemberID + `"}`}
			wantEither(t, atOnce(s, join, join), []int{201, 422}, []int{422, 201})
			leave := testkit.Request{Method: "DELETE", Path: one + "/members/" + testkit.MemberID}
			wantEither(t, atOnce(s, leave, leave), []int{204, 404}, []int{404, 204})
		}
	})
}
