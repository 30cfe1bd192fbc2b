package graph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// TravellerToken is the administrator's, and reaches acme-inc and every organization of a crowd.
const travellerToken = "token-of-a-traveller"

// crowdedPipeline, crowdedTeam and crowdedGuest have something to do with all teams, all members and pipelines, and all teams.
const (
	crowdedPipeline = "0190b000-0000-7000-8000-000000000502"
	crowdedTeam     = testkit.TeamID
	crowdedPortal   = "crowded"
	crowdedGuest    = "guest@example.com"
)

// crowdNames sort otherwise than their bytes: they fold equal, are of several scripts, or hold what patterns and JSON treat specially.
var crowdNames = []string{
	"Zebra", "alpha", "ALPHA", "Alpha", "Ångström", "ångström", "a\u030Angstro\u0308m", "50% off_", `back\slash "quoted"`, "日本語", "Ωmega", "ωMEGA", "🚀 rocket",
}

func crowdID(kind, n int) string {
	return fmt.Sprintf("0190b000-0000-7000-8000-%08x%04x", 0, kind<<8|n)
}

// buildCrowd fills acme-inc with a dozen of everything, in three rounds an hour apart, and makes as many other organizations.
// Neither ids nor names are in the order in which things are made.
func buildCrowd(t *testing.T, s *testkit.Server) {
	t.Helper()
	type object = map[string]any
	s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/portals", object{"name": crowdedPortal, "query": "{ __typename }"}).Want(t, 201)
	for range 2 {
		s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/portals/"+crowdedPortal+"/secrets", object{}).Want(t, 201)
	}
	for round := range 3 {
		s.Clock.Advance(time.Hour)
		var users, members, teamMembers, teams, clusters, queues, registries, pipelines, organizations, tokens []object
		for n, name := range crowdNames {
			if n*7%len(crowdNames)%3 != round {
				continue
			}
			email := fmt.Sprintf("user-%d@example.com", n)
			slug := fmt.Sprintf("number-%d", n)
			users = append(users, object{"id": crowdID(1, n), "email": email, "name": name})
			members = append(members, object{"user": email, "role": []string{"admin", "member"}[n%2]})
			teamMembers = append(teamMembers, object{"user": email, "role": []string{"maintainer", "member"}[n%2]})
			teams = append(teams, object{"id": crowdID(2, n), "name": name, "slug": slug, "members": []object{{"user": "teammate@example.com"}}})
			clusters = append(clusters, object{"id": crowdID(3, n), "name": name + "!"})
			queues = append(queues, object{"id": crowdID(4, n), "key": fmt.Sprintf("%c-%d", "aBcDe"[n%5], n)})
			registries = append(registries, object{"id": crowdID(6, n), "name": fmt.Sprintf("%c %d", "aBcDe"[n%5], n)})
			pipeline := object{"id": crowdID(5, n), "name": name, "slug": slug, "repository": fmt.Sprintf("git@example.com:acme/%d.git", n%2)}
			if n%3 == 0 {
				pipeline["cluster"] = "Maintained"
			}
			pipelines = append(pipelines, pipeline)
			organizations = append(organizations, object{"id": crowdID(7, n), "slug": slug, "name": name, "members": []object{{"user": "admin@example.com", "role": "admin"}},
				"teams":     []object{{"name": "Platform", "slug": "platform", "members": []object{{"user": "admin@example.com"}}}},
				"pipelines": []object{{"name": "Web", "slug": "web", "repository": "r"}, {"name": "App", "slug": "app", "repository": "r"}},
				"clusters":  []object{{"name": name}}})
			tokens = append(tokens, object{"user": "member@example.com", "token": fmt.Sprintf("token-of-the-crowd-%03d", n), "description": name,
				"organizations": []string{"acme-inc"}, "scopes": []string{"read_clusters"}})
		}
		bootstrapObject(t, s, object{"users": users, "tokens": tokens, "organizations": append(organizations, object{"slug": "acme-inc", "name": "Acme Inc", "members": members,
			"teams":     append(teams, object{"slug": "platform", "name": "Platform", "members": teamMembers}),
			"clusters":  []object{{"name": "Maintained", "queues": queues, "cache_registries": registries}},
			"pipelines": pipelines})})
		bootstrapObject(t, s, object{"organizations": []object{{"slug": "acme-inc", "name": "Acme Inc", "clusters": clusters}}})
		for n := range crowdNames {
			if n*7%len(crowdNames)%3 == round {
				s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/invitations", object{"emails": []string{fmt.Sprintf("%c-%d@example.com", "aBcDe"[n%5], n)}}).Want(t, 201)
				s.Post(testkit.MaintainerToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), object{"description": crowdNames[n]}).Want(t, 201)
				s.Post(testkit.AdminToken, teamPath(crowdID(2, n), "pipelines"), object{"pipeline_id": crowdedPipeline, "access_level": "read_only"}) // fails before it is made
				s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "maintainers"), object{"user": crowdID(1, n)}).Want(t, 201)
				s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/portals", object{"name": fmt.Sprint(crowdNames[n], " ", n), "query": "{ __typename }"}).Want(t, 201)
				s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/portals/"+crowdedPortal+"/tokens", object{"description": crowdNames[n]}).Want(t, 201)
				s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/rules", object{"type": []string{"pipeline.trigger_build.pipeline", "pipeline.artifacts_read.pipeline"}[n%2],
					"value": object{"source_pipeline": crowdID(5, n), "target_pipeline": crowdID(5, n)}}).Want(t, 201)
				s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/pipeline-templates", object{"name": crowdNames[n], "configuration": "steps: [wait]"}).Want(t, 201)
				wantData(t, s.GraphQL(testkit.AdminToken, `mutation ($o: ID!) { agentTokenCreate(input: {organizationID: $o}) { tokenValue } }`, object{"o": globalID(t, s, testkit.Organization)}))
				s.Post(testkit.AdminToken, teamPath(crowdedTeam, "pipelines"), object{"pipeline_id": crowdID(5, n), "access_level": "build_and_read"}).Want(t, 201)
			}
		}
	}
	testkit.Exec(t, s.DB, `UPDATE unclustered_tokens SET revoked_at = 1 WHERE id IN (SELECT id FROM unclustered_tokens ORDER BY id LIMIT 2)`)
	s.Put(testkit.AdminToken, "/v2/organizations/acme-inc/banner", object{"message": "Hello"}).Want(t, 200)
	// Of the invitations some are pending, and some in each other state. The last one leads to every team of the crowd.
	for n, state := range []string{"accepted_at", "revoked_at", "expires_at"} {
		testkit.Exec(t, s.DB, `UPDATE invitations SET `+state+` = created_at WHERE email_key LIKE $1`, fmt.Sprintf("%c-%%", "abc"[n]))
	}
	var invitedTo []object
	for n := range crowdNames {
		invitedTo = append(invitedTo, object{"id": crowdID(2, n*5%len(crowdNames)), "role": []string{"maintainer", "member"}[n%2]})
	}
	s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/invitations", object{"emails": []string{crowdedGuest}, "teams": invitedTo}).Want(t, 201)
	all := []string{"acme-inc"}
	for n := range crowdNames {
		all = append(all, fmt.Sprintf("number-%d", n))
		slug := fmt.Sprintf("/v2/organizations/acme-inc/pipelines/number-%d", n)
		if n%4 == 1 {
			s.Patch(testkit.AdminToken, slug, object{"tags": []string{"a", `b"%_\`, "ü"}}).Want(t, 200)
			s.Patch(testkit.AdminToken, teamPath(crowdID(2, n)), object{"privacy": "secret"}).Want(t, 200)
			favorite(t, s, testkit.AdminToken, crowdID(5, n))
		}
		if n%5 == 4 {
			s.Post(testkit.AdminToken, slug+"/archive", nil).Want(t, 200)
		}
		s.Post(testkit.AdminToken, teamPath(crowdID(2, n), "pipelines"), object{"pipeline_id": crowdedPipeline, "access_level": "read_only"}) // fails if it has been
	}
	bootstrapObject(t, s, object{"tokens": []object{{"user": "admin@example.com", "token": travellerToken, "description": "everywhere", "graphql": true, "organizations": all, "scopes": []string{"read_clusters"}}}})
}

func bootstrapObject(t *testing.T, s *testkit.Server, file map[string]any) {
	t.Helper()
	text, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	s.Bootstrap(string(text))
}

func teamPath(id string, below ...string) string {
	path := "/v2/organizations/acme-inc/teams/" + id
	for _, segment := range below {
		path += "/" + segment
	}
	return path
}

func favorite(t *testing.T, s *testkit.Server, token, pipeline string) {
	t.Helper()
	wantData(t, s.GraphQL(token, `mutation ($id: ID!) { pipelineFavorite(input: {id: $id, favorite: true}) { clientMutationId } }`,
		map[string]any{"id": domain.GraphQLID("Pipeline", pipeline)}))
}

// wantData returns the answer's data, which must have come without errors.
func wantData(t *testing.T, a *testkit.Answer) map[string]any {
	t.Helper()
	data, _ := a.Object()["data"].(map[string]any)
	if a.Status != 200 || data == nil || a.Object()["errors"] != nil {
		t.Fatalf("want data without errors: %s\nfor %s", a, a.Request.Body)
	}
	return data
}

// dig follows a path into decoded JSON.
func dig(t *testing.T, value any, path ...string) any {
	t.Helper()
	for _, key := range path {
		object, ok := value.(map[string]any)
		if !ok {
			t.Fatalf("there is no %s in %v", path, value)
		}
		value = object[key]
	}
	return value
}

// column reads two columns of a table.
func column(t *testing.T, s *testkit.Server, sql string, args ...any) map[string]string {
	t.Helper()
	values := map[string]string{}
	err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
		return tx.Query(sql, func(r *db.Row) error {
			key := r.Text()
			values[key] = r.Text()
			return nil
		}, args...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return values
}
