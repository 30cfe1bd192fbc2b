package graph_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// TestLookUps finds things by what people know of them.
func TestLookUps(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		membership := s.Get(testkit.AdminToken, acme+"/members/"+testkit.MemberID).Text("membership_id")
		organization := s.Get(testkit.AdminToken, acme).Text("id")
		for document, want := range map[string]any{
			`viewer { user { name } }`:                                                                       fields{"user": fields{"name": "Admin"}},
			`organization(slug: "acme-inc") { name }`:                                                        fields{"name": "Acme Inc"},
			`organization(uuid: "` + organization + `") { slug }`:                                            fields{"slug": "acme-inc"},
			`organization(slug: "acme-inc") { pipelines(first: 1) { count } }`:                               fields{"pipelines": fields{"count": 2.0}},
			`pipeline(slug: "acme-inc/web") { name slug }`:                                                   fields{"name": "Web", "slug": "web"},
			`pipeline(slug: "acme-inc/old") { archived }`:                                                    fields{"archived": true},
			`pipeline(uuid: "` + webID + `") { name }`:                                                       fields{"name": "Web"},
			`team(slug: "acme-inc/platform") { name }`:                                                       fields{"name": "Platform"},
			`organizationMember(slug: "acme-inc/` + membership + `") { role }`:                               fields{"role": "MEMBER"},
			`organization(slug: "acme-inc") { cluster(id: "` + spareClusterID + `") { name } }`:              fields{"cluster": fields{"name": "Spare"}},
			`organization(slug: "acme-inc") { cluster(id: "` + testkit.ElsewhereID + `") { name } }`:         fields{"cluster": nil},
			`organization(slug: "acme-inc") { cluster(id: "` + global("Cluster", noSuchID) + `") { name } }`: fields{"cluster": nil},
			`organization { name }`:                                                                          nil,
			`organization(slug: "missing") { name }`:                                                         nil,
			`organization(slug: "elsewhere") { name }`:                                                       nil,
			`pipeline(slug: "web") { name }`:                                                                 nil,
			`pipeline(slug: "acme-inc/missing") { name }`:                                                    nil,
			`pipeline(slug: "elsewhere/theirs") { name }`:                                                    nil,
			`pipeline(uuid: "web") { name }`:                                                                 nil,
			`team(slug: "acme-inc/missing") { name }`:                                                        nil,
			`team(slug: "elsewhere/theirs") { name }`:                                                        nil,
			`organizationMember(slug: "elsewhere/` + membership + `") { role }`:                              nil,
			`organizationMember(slug: "acme-inc/none") { role }`:                                             nil,
			`node(id: "none") { id }`:                                                                        nil,
		} {
			for _, value := range wantData(t, s.GraphQL(testkit.AdminToken, "{ "+document+" }", nil)) {
				if wantEqual(t, value, want); t.Failed() {
					t.Fatal(document)
				}
			}
		}
	})
}

// TestRESTsGlobalIDsNameNodes passes each graphql_id that REST shows to node.
func TestRESTsGlobalIDsNameNodes(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		seen := map[string]bool{}
		for _, path := range allPaths(s.Server) {
			if strings.HasPrefix(path, acme) {
				for _, id := range globalIDs(s.Get(testkit.AdminToken, path).Want(t, 200).Body) {
					seen[id] = true
				}
			}
		}
		types := map[string]bool{}
		for id := range seen {
			data := wantData(t, s.GraphQL(testkit.AdminToken, `query ($id: ID!) { node(id: $id) { __typename id ... on Cluster { name } ... on Team { slug } } }`, fields{"id": id}))
			typeName, _, _ := strings.Cut(plainID(t, id), "---")
			if typeName == "ClusterPermission" { // which is no node
				continue
			}
			wantEqual(t, []any{dig(t, data, "node", "__typename"), dig(t, data, "node", "id")}, []any{typeName, id})
			types[typeName] = true
		}
		for _, name := range []string{"AuditEvent", "Cluster", "ClusterQueue", "ClusterToken", "Organization", "Pipeline", "Team", "TeamMember", "TeamPipeline", "User"} {
			if !types[name] {
				t.Errorf("no %s was read", name)
			}
		}
	})
}

func globalIDs(body []byte) (ids []string) {
	for _, part := range strings.Split(string(body), `graphql_id":"`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		ids = append(ids, id)
	}
	return ids
}

func plainID(t *testing.T, id string) string {
	t.Helper()
	plain, err := base64.StdEncoding.DecodeString(id)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// TestDateTimesAreUTC sends times in several forms, and reads them.
func TestDateTimesAreUTC(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		create := func(at any) *testkit.Answer {
			return s.mutate(testkit.AdminToken, "clusterAgentTokenCreate", fields{"organizationId": s.id, "clusterId": global("Cluster", testkit.MaintainedID), "description": "d", "expiresAt": at},
				"clusterAgentToken { expiresAt }")
		}
		for given, want := range map[string]string{
			"2026-06-01T00:00:00Z": "2026-06-01T00:00:00.000Z", "2026-06-01T02:30:00.1234567+02:30": "2026-06-01T00:00:00.123Z", "2026-06-01T00:00:00.5-00:00": "2026-06-01T00:00:00.500Z",
			"2026-06-01": "2026-06-01T00:00:00.000Z", "2026-06-01T01:02:03": "2026-06-01T01:02:03.000Z", "2026-06-01T01:02Z": "2026-06-01T01:02:00.000Z",
		} {
			wantEqual(t, dig(t, wantData(t, create(given)), "clusterAgentTokenCreate", "clusterAgentToken", "expiresAt"), want)
		}
		for _, given := range []any{"", "tomorrow", "2026-06", "2026-06-01 00:00:00", "2026-13-01T00:00:00Z", 1780272000, true, []string{}} {
			if answer := create(given); answer.Message() == "" || answer.Object()["data"] != nil {
				t.Errorf("%v: %s", given, answer)
			}
		}
	})
}

// TestIntrospection asks what tools ask.
func TestIntrospection(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		data := wantData(t, s.GraphQL(testkit.MemberToken, `query {
			__schema { queryType { name } mutationType { name } subscriptionType { name } directives { name locations args { name } }
				types { ...Type } }
			__type(name: "Pipeline") { name kind description fields(includeDeprecated: true) { name type { kind name ofType { name } } } interfaces { name } }
			missing: __type(name: "Missing") { name } }
			fragment Type on __Type { kind name description fields { name description args { name defaultValue type { ...Ref } } type { ...Ref } isDeprecated deprecationReason }
				inputFields { name defaultValue type { ...Ref } } interfaces { ...Ref } enumValues { name isDeprecated } possibleTypes { ...Ref } }
			fragment Ref on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } }`, nil))
		wantEqual(t, dig(t, data, "__schema", "mutationType", "name"), "Mutation")
		wantEqual(t, dig(t, data, "missing"), nil)
		wantEqual(t, dig(t, data, "__type", "kind"), "OBJECT")
		names := testkit.Column(toObjects(dig(t, data, "__schema", "types")), "name")
		for _, d := range parsedSchema(t) {
			if !slices.Contains(names, any(d.Name)) {
				t.Errorf("%s is not shown", d.Name)
			}
		}
		wantEqual(t, testkit.Column(toObjects(dig(t, data, "__schema", "directives")), "name")[0] != nil, true)
	})
}
