package rest_test

import (
	"testing"

	"penstock/internal/testkit"
)

// createdPipelineOf makes a pipeline as the owner of a token and returns its id.
func createdPipelineOf(t testing.TB, s *testkit.Server, token, name string) string {
	t.Helper()
	body := `{"name": "` + name + `", "repository": "git@example.com:acme/web.git"}`
	return s.Post(token, "/v2/organizations/acme-inc/pipelines", body).Want(t, 201).Text("id")
}

func TestTeamPipelineLifeCycle(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipelines := teamsPath + "/" + testkit.TeamID + "/pipelines"
		web, docs := createdPipelineOf(t, s, testkit.AdminToken, "Web app"), createdPipelineOf(t, s, testkit.AdminToken, "docs")
		wantExactly(t, s.Get(testkit.MemberToken, pipelines).Want(t, 200).List(), `[]`)

		access := s.Post(testkit.AdminToken, pipelines, `{"pipeline_id": "`+web+`", "unknown": 1}`).Want(t, 201)
		stored := storedText(t, s, `SELECT id FROM team_pipelines`)
		wantExactly(t, access.Object(), `{"graphql_id": "GID", "pipeline_id": "PIPELINE", "pipeline_url": "BASE/v2/organizations/acme-inc/pipelines/web-app",
			"access_level": "read_only", "url": "BASE/v2/organizations/acme-inc/teams/TEAM-ID/pipelines/PIPELINE", "created_at": "2026-05-03T04:17:55.867Z"}`,
			"GID", globalID("TeamPipeline", stored), "PIPELINE", web, "BASE", s.URL, "TEAM-ID", testkit.TeamID)
		wantMembers(t, s.Get(testkit.MemberToken, access.Text("pipeline_url")).Want(t, 200), `{"id": "`+web+`"}`)
		s.Post(testkit.AdminToken, pipelines, `{"pipeline_id": "`+docs+`", "access_level": "build_and_read"}`).Want(t, 201)
		wantExactly(t, testkit.Column(s.Get(testkit.MemberToken, pipelines).Want(t, 200).List(), "pipeline_id"), `["`+docs+`", "`+web+`"]`) // by name
		wantExactly(t, testkit.Column(s.Get(testkit.MemberToken, pipelines+"?per_page=1&page=2").List(), "pipeline_id"), `["`+web+`"]`)

		path := pipelines + "/" + web
		wantExactly(t, s.Get(testkit.MemberToken, path).Want(t, 200).Object(), string(access.Body))
		changed := s.Patch(testkit.AdminToken, path, `{"access_level": "manage_build_and_read", "pipeline_id": "`+docs+`"}`).Want(t, 200)
		wantMembers(t, changed, `{"pipeline_id": "`+web+`", "access_level": "manage_build_and_read"}`)
		wantExactly(t, s.Get(testkit.MemberToken, path).Want(t, 200).Object(), string(changed.Body))
		s.Delete(testkit.AdminToken, path).Want(t, 204)
		for _, method := range []string{"GET", "DELETE"} {
			for _, id := range []string{web, unknownUUID, stored, "web-app", "%00"} {
				for _, token := range []string{testkit.AdminToken, testkit.MemberToken} {
					s.Do(testkit.Request{Method: method, Path: pipelines + "/" + id, Token: token}).WantMessage(t, 404, "No team pipeline found")
				}
			}
		}
		s.Delete(testkit.AdminToken, "/v2/organizations/acme-inc/pipelines/docs").Want(t, 204)
		wantExactly(t, s.Get(testkit.MemberToken, pipelines).List(), `[]`)
	})
}

func TestTeamPipelinesAreValidated(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipelines := teamsPath + "/" + testkit.TeamID + "/pipelines"
		added, other := createdPipelineOf(t, s, testkit.MemberToken, "Added"), createdPipelineOf(t, s, testkit.MemberToken, "Other")
		elsewhere := s.Post(testkit.OutsiderToken, "/v2/organizations/elsewhere/pipelines", `{"name": "Web", "repository": "x"}`).Want(t, 201).Text("id")
		s.Post(testkit.AdminToken, pipelines, `{"pipeline_id": "`+added+`"}`).Want(t, 201)
		for body, reason := range map[string]string{
			`{}`:                                     "Pipeline can't be blank",
			`{"pipeline_id": null}`:                  "Pipeline can't be blank",
			`{"pipeline_id": 1}`:                     "pipeline_id must be a string",
			`{"pipeline_id": "web"}`:                 "Pipeline must be one of the organization",
			`{"pipeline_id": "` + unknownUUID + `"}`: "Pipeline must be one of the organization",
			`{"pipeline_id": "` + elsewhere + `"}`:   "Pipeline must be one of the organization",
			`{"pipeline_id": "` + added + `"}`:       "Pipeline has already been added to the team",
			`{"pipeline_id": "` + other + `", "access_level": "write"}`: "Access level must be read_only, build_and_read or manage_build_and_read",
		} {
			for _, token := range []string{testkit.AdminToken, testkit.MemberToken} {
				s.Post(token, pipelines, body).WantMessage(t, 422, "Validation failed: "+reason)
			}
		}
		for _, body := range []string{`{"access_level": "write"}`, `{"access_level": null}`} {
			s.Patch(testkit.AdminToken, pipelines+"/"+added, body).
				WantMessage(t, 422, "Validation failed: Access level must be read_only, build_and_read or manage_build_and_read")
		}
		s.Patch(testkit.AdminToken, pipelines+"/"+added, `{}`).Want(t, 200)
		wantExactly(t, testkit.Column(s.Get(testkit.AdminToken, pipelines).List(), "pipeline_id"), `["`+added+`"]`)
	})
}

func TestATeamsPipelinesAreChangedByThoseWhoMayChangeThePipeline(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		team, other := teamsPath+"/"+testkit.TeamID, teamsPath+"/"+createdTeam(t, s, "Other")
		pipeline := createdPipelineOf(t, s, testkit.MaintainerToken, "Web")
		add := `{"pipeline_id": "` + pipeline + `", "access_level": "read_only"}`
		refuses := func(token string) {
			t.Helper()
			s.Post(token, other+"/pipelines", add).WantMessage(t, 403, "Forbidden")
			s.Post(token, other+"/pipelines", `{"pipeline_id": "`+pipeline+`", "access_level": "x"}`).WantMessage(t, 403, "Forbidden")
			s.Patch(token, team+"/pipelines/"+pipeline, `{"access_level": "x"}`).WantMessage(t, 403, "Forbidden")
			s.Delete(token, team+"/pipelines/"+pipeline).WantMessage(t, 403, "Forbidden")
		}
		s.Post(testkit.MaintainerToken, team+"/pipelines", add).Want(t, 201) // its creator, who is not in the team
		refuses(testkit.MemberToken)
		refuses(testkit.TeammateToken) // who may only read
		s.Patch(testkit.MaintainerToken, team+"/pipelines/"+pipeline, `{"access_level": "build_and_read"}`).Want(t, 200)
		refuses(testkit.TeammateToken)
		// Not even a maintainer of the team gives it more.
		s.Patch(testkit.AdminToken, team+"/members/"+testkit.TeammateID, `{"role": "maintainer"}`).Want(t, 200)
		refuses(testkit.TeammateToken)
		s.Patch(testkit.AdminToken, team+"/pipelines/"+pipeline, `{"access_level": "manage_build_and_read"}`).Want(t, 200)
		s.Post(testkit.TeammateToken, other+"/pipelines", add).Want(t, 201)
		s.Delete(testkit.TeammateToken, other+"/pipelines/"+pipeline).Want(t, 204)
		s.Delete(testkit.AdminToken, team+"/members/"+testkit.TeammateID).Want(t, 204)
		refuses(testkit.TeammateToken)
		s.Delete(testkit.MaintainerToken, team+"/pipelines/"+pipeline).Want(t, 204)
	})
}

// TestGivingATeamAPipelineThatIsBeingDeleted lets both orders happen.
func TestGivingATeamAPipelineThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		pipelines := teamsPath + "/" + testkit.TeamID + "/pipelines"
		for range rounds {
			pipeline := createdPipelineOf(t, s, testkit.AdminToken, "Web")
			wantEither(t, atOnce(s,
				testkit.Request{Method: "POST", Path: pipelines, Body: `{"pipeline_id": "` + pipeline + `"}`},
				testkit.Request{Method: "DELETE", Path: "/v2/organizations/acme-inc/pipelines/web"},
			), []int{201, 204}, []int{422, 204})
			wantExactly(t, s.Get(testkit.AdminToken, pipelines).Want(t, 200).List(), `[]`)
		}
	})
}
