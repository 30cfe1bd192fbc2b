package rest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// TestNamesAreOnOneLine sends names with control characters in them, of everything that has a name.
func TestNamesAreOnOneLine(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const fault = "Name can't contain line breaks or control characters"
		others := map[string]string{
			clustersPath: ``, pipelinesPath: `, "repository": "r"`, teamsPath: ``, portalsPath: `, "query": "{ viewer { id } }"`,
			testkit.ClusterPath(testkit.MaintainedID, "cache-registries"): ``,
		}
		for _, name := range []string{"HTTP/1.1 200 OK\r\nX: y", "a\nb", "a\tb", "a\x1b[31mb", "a\x7fb", "a\u0085b"} {
			quoted, _ := json.Marshal(name)
			for path, other := range others {
				s.Post(testkit.AdminToken, path, `{"name": `+string(quoted)+other+`}`).WantMessage(t, 422, "Validation failed: "+fault)
			}
			for _, path := range []string{
				organizationPath, testkit.ClusterPath(testkit.MaintainedID), teamsPath + "/" + testkit.TeamID,
				testkit.ClusterPath(testkit.MaintainedID, "cache-registries", testkit.RegistryID),
			} {
				s.Patch(testkit.AdminToken, path, `{"name": `+string(quoted)+`}`).WantMessage(t, 422, "Validation failed: "+fault)
			}
		}
		s.Post(testkit.AdminToken, teamsPath, `{"name": "\n Fine \t"}`).Want(t, 201)
	})
}

// TestRenamingTellsNothingOfSecretTeams has a team's maintainer, who sees no secret team, give it a secret team's name.
func TestRenamingTellsNothingOfSecretTeams(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		createdSecretTeam(t, s)
		team := teamsPath + "/" + createdTeam(t, s, "Visible")
		s.Post(testkit.AdminToken, team+"/members", `{"user_id": "`+testkit.MemberID+`", "role": "maintainer"}`).Want(t, 201)
		for _, name := range []string{"Secret", "Nobody's"} {
			wantMembers(t, s.Patch(testkit.MemberToken, team, `{"name": "`+name+`"}`).Want(t, 200), `{"name": "`+name+`", "slug": "visible"}`)
		}
		for _, name := range []string{"Secret", "Nobody's"} {
			a := s.GraphQL(testkit.MemberToken, `mutation($id: ID!, $name: String!) { teamUpdate(input: {id: $id, name: $name, defaultMemberRole: MEMBER, isDefaultTeam: false, privacy: VISIBLE}) { team { slug } } }`,
				map[string]any{"id": s.Get(testkit.AdminToken, team).Text("graphql_id"), "name": name})
			if !strings.Contains(string(a.Body), `"slug":"visible"`) {
				t.Errorf("renaming it to %s gives %s", name, a.Body)
			}
		}
		s.Patch(testkit.AdminToken, team, `{"name": "Secret"}`).Want(t, 422) // an administrator sees both
	})
}

func TestUserAgentsOfEventsAreCut(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		agent := strings.Repeat("x", 499) + "é" + strings.Repeat("y", 5_000)
		s.Do(testkit.Request{Method: "POST", Path: teamsPath, Token: testkit.AdminToken, Body: `{"name": "Made"}`, Header: map[string]string{"User-Agent": agent}}).Want(t, 201)
		got := auditEvents(t, s, "")[0]["context"].(map[string]any)["request_user_agent"]
		if got != agent[:499] {
			t.Errorf("the event has %q", got)
		}
	})
}

// TestWhoReadsWhatPipelinesAreMadeOf: variables and credentials in addresses are for those who may change the pipeline, and the description
// says who else may come to know them.
func TestWhoReadsWhatPipelinesAreMadeOf(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const readsOnly = "token-that-only-reads-pipelines"
		s.Bootstrap(`tokens: [{user: admin@example.com, token: ` + readsOnly + `, description: R, organizations: [acme-inc], scopes: [read_pipelines]}]`)
		for repository, redacted := range map[string]string{
			"https://user:hunter2@git.example.com/app.git": "https://***@git.example.com/app.git",
			"https://hunter2@git.example.com/a@b.git":      "https://***@git.example.com/a@b.git",
			"ssh://git:hunter2@git.example.com:22/app.git": "ssh://git:***@git.example.com:22/app.git",
			"ssh://git@git.example.com/app.git":            "ssh://git@git.example.com/app.git",
			"git@git.example.com:acme/app.git":             "git@git.example.com:acme/app.git",
			"https://git.example.com/app.git":              "https://git.example.com/app.git",
		} {
			p := s.Post(testkit.AdminToken, pipelinesPath, `{"name": "App", "repository": "`+repository+`", "env": {"A": "1"}}`).Want(t, 201).Text("slug")
			path := pipelinesPath + "/" + p
			wantMembers(t, s.Get(testkit.AdminToken, path).Want(t, 200), `{"repository": "`+repository+`", "env": {"A": "1"}}`)
			for _, token := range []string{testkit.MemberToken, readsOnly} {
				wantMembers(t, s.Get(token, path).Want(t, 200), `{"repository": "`+redacted+`", "env": null}`)
				if list := s.Get(token, pipelinesPath).Want(t, 200); strings.Contains(string(list.Body), "hunter2") {
					t.Errorf("the list shows %s", list)
				}
			}
			s.Delete(testkit.AdminToken, path).Want(t, 204)
		}
		const warning = "so keep secrets elsewhere."
		if n := strings.Count(string(s.Get("", "/v2/openapi.json").Body), warning); n < 2 {
			t.Errorf("the description warns %d times", n)
		}
	})
}
