package graph_test

import (
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

func TestInvitationMutations(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		organization := s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { id } }`, nil)
		id := organization.Object()["data"].(map[string]any)["organization"].(map[string]any)["id"]
		team := domain.GraphQLID("Team", domain.TeamID(testkit.TeamID))
		create := `mutation($id: ID!, $team: ID!) { organizationInvitationCreate(input: {organizationID: $id, emails: ["a@example.com", "b@example.com"], role: ADMIN,
			sso: {mode: OPTIONAL}, teams: [{id: $team, role: MAINTAINER}]}) { organization { slug } invitationUrls invitationEdges { cursor node { id slug uuid email role state
			sso { mode } createdBy { name } teams(first: 5) { count edges { node { id role team { slug } } } } permissions { organizationInvitationRevoke { allowed } } } } } }`
		if a := s.GraphQL(testkit.MemberToken, create, map[string]any{"id": id, "team": team}); !strings.Contains(a.String(), "Forbidden") {
			t.Errorf("a member: %s", a)
		}
		if a := s.GraphQL(testkit.AdminToken, create, map[string]any{"id": id, "team": "x"}); !strings.Contains(a.String(), "Teams must be teams of the organization") {
			t.Errorf("no team: %s", a)
		}
		made := s.GraphQL(testkit.AdminToken, create, map[string]any{"id": id, "team": team})
		for _, part := range []string{`"email":"a@example.com","role":"ADMIN","state":"PENDING","sso":{"mode":"OPTIONAL"},"createdBy":{"name":"Admin"}`,
			`"role":"MAINTAINER","team":{"slug":"platform"}`, `"allowed":true`, s.URL + "/invitation?link="} {
			if !strings.Contains(made.String(), part) {
				t.Errorf("%s is not in %s", part, made)
			}
		}
		edges := made.Object()["data"].(map[string]any)["organizationInvitationCreate"].(map[string]any)["invitationEdges"].([]any)
		first := edges[0].(map[string]any)["node"].(map[string]any)

		resend := s.GraphQL(testkit.AdminToken, `mutation($id: ID!) { organizationInvitationResend(input: {id: $id}) { invitationUrl organizationInvitation { state } } }`, map[string]any{"id": first["id"]})
		if !strings.Contains(resend.String(), `"state":"PENDING"`) || !strings.Contains(resend.String(), "/invitation?link=") {
			t.Errorf("%s", resend)
		}
		revoke := `mutation($id: ID!) { organizationInvitationRevoke(input: {id: $id}) { organization { slug } organizationInvitation { state revokedBy { name } } organizationInvitationEdge { cursor } } }`
		if a := s.GraphQL(testkit.OutsiderToken, revoke, map[string]any{"id": first["id"]}); !strings.Contains(a.String(), "No organization invitation found") {
			t.Errorf("an outsider: %s", a)
		}
		if a := s.GraphQL(testkit.AdminToken, revoke, map[string]any{"id": first["id"]}); !strings.Contains(a.String(), `"state":"REVOKED","revokedBy":{"name":"Admin"}`) {
			t.Errorf("%s", a)
		}
		if a := s.GraphQL(testkit.AdminToken, revoke, map[string]any{"id": first["id"]}); !strings.Contains(a.String(), "waits for an answer") {
			t.Errorf("twice: %s", a)
		}

		lists := `{ organization(slug: "acme-inc") { all: invitations { count } pending: invitations(state: [PENDING], order: EMAIL) { count nodes { email } } } }`
		if a := s.GraphQL(testkit.AdminToken, lists, nil); !strings.Contains(a.String(), `"all":{"count":2},"pending":{"count":1,"nodes":[{"email":"b@example.com"}]}`) {
			t.Errorf("%s", a)
		}
		one := `query($slug: ID!, $id: ID!) { organizationInvitation(slug: $slug) { email } node(id: $id) { ... on OrganizationInvitation { email } } }`
		variables := map[string]any{"slug": first["slug"], "id": first["id"]}
		if a := s.GraphQL(testkit.AdminToken, one, variables); strings.Count(a.String(), `"email":"a@example.com"`) != 2 {
			t.Errorf("%s", a)
		}
		for _, token := range []string{testkit.MemberToken, testkit.OutsiderToken} {
			if a := s.GraphQL(token, one, variables); !strings.Contains(a.String(), `"organizationInvitation":null,"node":null`) {
				t.Errorf("%s", a)
			}
		}
		if a := s.GraphQL(testkit.MemberToken, lists, nil); !strings.Contains(a.String(), `"all":null,"pending":null`) {
			t.Errorf("%s", a)
		}
	})
}
