package rest_test

import (
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

func TestTeamMemberLifeCycle(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		team := createdID(t, s, teamsPath, `{"name": "Fresh", "default_member_role": "maintainer"}`)
		members := teamsPath + "/" + team + "/members"
		wantExactly(t, s.Get(testkit.MemberToken, members).Want(t, 200).List(), `[]`)

		teammate := s.Post(testkit.AdminToken, members, `{"user_id": "`+testkit.TeammateID+`", "role": "member", "unknown": 1}`).Want(t, 201)
		stored := storedText(t, s, `SELECT id FROM team_members WHERE team_id = $1 AND user_id = $2`, team, testkit.TeammateID)
		wantExactly(t, teammate.Object(), `{"graphql_id": "GID", "user_id": "USER", "user_name": "Teammate", "role": "member", "url": "BASEPATH/USER",
			"created_at": "2026-05-03T04:17:55.867Z"}`,
			"USER", testkit.TeammateID, "GID", globalID("TeamMember", stored), "BASEPATH", s.URL+members)
		member := s.Post(testkit.AdminToken, members, `{"user_id": "`+testkit.MemberID+`"}`).Want(t, 201)
		wantMembers(t, member, `{"user_name": "Member", "role": "maintainer"}`) // the team's default
		wantMembers(t, s.Post(testkit.AdminToken, members, `{"user_id": "`+testkit.AdminID+`", "role": null}`).Want(t, 201), `{"role": "maintainer"}`)

		path := members + "/" + testkit.TeammateID
		wantExactly(t, s.Get(testkit.MemberToken, path).Want(t, 200).Object(), string(teammate.Body))
		wantExactly(t, testkit.Column(s.Get(testkit.MemberToken, members).Want(t, 200).List(), "user_name"), `["Admin", "Member", "Teammate"]`)
		wantExactly(t, testkit.Column(s.Get(testkit.MemberToken, members+"?per_page=2&page=2").Want(t, 200).List(), "user_name"), `["Teammate"]`)

		changed := s.Patch(testkit.AdminToken, path, `{"role": "maintainer", "user_id": "`+testkit.AdminID+`"}`).Want(t, 200)
		wantMembers(t, changed, `{"user_id": "`+testkit.TeammateID+`", "role": "maintainer"}`)
		wantExactly(t, s.Get(testkit.MemberToken, path).Want(t, 200).Object(), string(changed.Body))
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		for _, method := range []string{"GET", "DELETE"} {
			for _, id := range []string{testkit.TeammateID, testkit.MaintainerID, unknownUUID, stored, "x", "%00"} {
				s.Do(testkit.Request{Method: method, Path: members + "/" + id, Token: testkit.AdminToken}).WantMessage(t, 404, "No team member found")
			}
		}
		wantExactly(t, testkit.Column(s.Get(testkit.MemberToken, members).List(), "user_name"), `["Admin", "Member"]`)
	})
}

func TestTeamMembersAreValidated(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		members := teamsPath + "/" + testkit.TeamID + "/members"
		for body, reason := range map[string]string{
			`{}`:                                 "User can't be blank",
			`{"user_id": null}`:                  "User can't be blank",
			`{"user_id": 1}`:                     "user_id must be a string",
			`{"user_id": "x"}`:                   "User must be a member of the organization",
			`{"user_id": "` + unknownUUID + `"}`: "User must be a member of the organization",
			`{"user_id": "` + testkit.OutsiderID + `"}`:                   "User must be a member of the organization",
			`{"user_id": "` + testkit.TeammateID + `"}`:                   "User is already a member of the team",
			`{"user_id": "` + testkit.MemberID + `", "role": "admin"}`:    "Role must be maintainer or member",
			`{"user_id": "x", "role": "admin"}`:                           "User must be a member of the organization, Role must be maintainer or member",
			`{"user_id": "` + testkit.MemberID + `\u0000", "role": null}`: "User must be a member of the organization",
		} {
			s.Post(testkit.AdminToken, members, body).WantMessage(t, 422, "Validation failed: "+reason)
		}
		for _, body := range []string{`{"role": "admin"}`, `{"role": null}`, `{"role": ""}`} {
			s.Patch(testkit.AdminToken, members+"/"+testkit.TeammateID, body).WantMessage(t, 422, "Validation failed: Role must be maintainer or member")
		}
		s.Patch(testkit.AdminToken, members+"/"+testkit.TeammateID, `{}`).Want(t, 200)
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, members).List(), "user_name"), `["Teammate"]`)
	})
}

func TestDefaultTeamsGetNewMembers(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		secret := createdID(t, s, teamsPath, `{"name": "Everybody", "is_default_team": true, "privacy": "secret", "default_member_role": "maintainer"}`)
		visible := createdID(t, s, teamsPath, `{"name": "All", "is_default_team": true}`)
		s.Post(testkit.OutsiderToken, "/v2/organizations/elsewhere/teams", `{"name": "Elsewhere", "is_default_team": true}`).Want(t, 201)
		members := func(team string) any {
			return testkit.Column(s.Get(testkit.AdminToken, teamsPath+"/"+team+"/members").Want(t, 200).List(), "user_name")
		}
		wantExactly(t, members(visible), `[]`) // those who are there already stay out

		if err := s.Service.AddMember(t.Context(), authz.OperatorActor(), "acme-inc", "outsider@example.com", domain.RoleMember); err != nil {
			t.Fatal(err)
		}
		s.Bootstrap(`
users: [{email: new@example.com, name: New}]
organizations: [{slug: acme-inc, name: Acme Inc, members: [{user: new@example.com, role: member}]}]`)
		for _, team := range []string{secret, visible} {
			wantExactly(t, members(team), `["New", "Outsider"]`)
		}
		wantMembers(t, s.Get(testkit.AdminToken, teamsPath+"/"+secret+"/members/"+testkit.OutsiderID), `{"role": "maintainer"}`)
		wantMembers(t, s.Get(testkit.AdminToken, teamsPath+"/"+visible+"/members/"+testkit.OutsiderID), `{"role": "member"}`)
		wantExactly(t, members(testkit.TeamID), `["Teammate"]`) // no default team

		// Who leaves the organization leaves the team; a team that is no default any more gets nobody.
		s.Delete(testkit.AdminToken, membersPath+"/"+testkit.OutsiderID).Want(t, 204)
		s.Patch(testkit.AdminToken, teamsPath+"/"+secret, `{"is_default_team": false}`).Want(t, 200)
		if err := s.Service.AddMember(t.Context(), authz.OperatorActor(), "acme-inc", "outsider@example.com", domain.RoleMember); err != nil {
			t.Fatal(err)
		}
		wantExactly(t, members(secret), `["New"]`)
		wantExactly(t, members(visible), `["New", "Outsider"]`)
	})
}

// TestJoiningATeamAndLeavingTheOrganizationAtOnce lets both orders happen: whoever has left is in no team.
func TestJoiningATeamAndLeavingTheOrganizationAtOnce(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		members := teamsPath + "/" + testkit.TeamID + "/members"
		for range rounds {
			if err := s.Service.AddMember(t.Context(), authz.OperatorActor(), "acme-inc", "outsider@example.com", domain.RoleMember); err != nil {
				t.Fatal(err)
			}
			answers := atOnce(s, testkit.Request{Method: "POST", Path: members, Body: `{"user_id": "` + testkit.OutsiderID + `"}`},
				testkit.Request{Method: "POST", Path: testkit.ClusterPath(testkit.MaintainedID, "maintainers"), Body: `{"user": "` + testkit.OutsiderID + `"}`},
				testkit.Request{Method: "DELETE", Path: membersPath + "/" + testkit.OutsiderID})
			wantEither(t, answers, []int{201, 201, 204}, []int{422, 422, 204}, []int{201, 422, 204}, []int{422, 201, 204})
			s.Get(testkit.AdminToken, members+"/"+testkit.OutsiderID).Want(t, 404)
		}
	})
}
