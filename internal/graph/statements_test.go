package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// growOrganization makes n clusters with ten queues, n pipelines, n teams with a member and a pipeline each, n members and n organizations.
func growOrganization(t *testing.T, s *testkit.Server, from, n int) {
	t.Helper()
	type object = map[string]any
	var users, members, teams, clusters, pipelines, organizations, slugs []any
	for i := from; i < from+n; i++ {
		email := fmt.Sprintf("user-%d@example.com", i)
		var queues []object
		for q := range 10 {
			queues = append(queues, object{"key": fmt.Sprintf("q%d", q), "default": q == 0})
		}
		users = append(users, object{"email": email, "name": email})
		members = append(members, object{"user": email})
		teams = append(teams, object{"name": fmt.Sprintf("T%d", i), "members": []object{{"user": email}}})
		clusters = append(clusters, object{"name": fmt.Sprintf("C%d", i), "queues": queues})
		pipelines = append(pipelines, object{"name": fmt.Sprintf("P%d", i), "repository": "r", "cluster": fmt.Sprintf("C%d", i)})
		organizations = append(organizations, object{"slug": fmt.Sprintf("o%d", i), "name": fmt.Sprintf("O%d", i), "members": []object{{"user": "admin@example.com", "role": "admin"}},
			"teams": []object{{"name": "Platform"}}, "pipelines": []object{{"name": "Web", "repository": "r"}}})
		slugs = append(slugs, fmt.Sprintf("o%d", i))
	}
	bootstrapObject(t, s, object{"users": users, "organizations": append(organizations, object{"slug": "acme-inc", "name": "Acme Inc", "members": members, "teams": teams, "clusters": clusters, "pipelines": pipelines}),
		"tokens": []object{{"user": "admin@example.com", "token": fmt.Sprintf("token-of-a-traveller-%d", from), "description": "d", "graphql": true, "organizations": append(slugs, "acme-inc"), "scopes": []string{}}}})
	testkit.Exec(t, s.DB, `INSERT INTO team_pipelines (id, organization_id, team_id, pipeline_id, access_level, created_at)
		SELECT t.id, t.organization_id, t.id, p.id, 'read_only', 0 FROM teams t JOIN pipelines p ON p.organization_id = t.organization_id AND substr(p.name, 2) = substr(t.name, 2)
		WHERE NOT EXISTS (SELECT 1 FROM team_pipelines x WHERE x.team_id = t.id)`)
}

// TestLevelsCostOneStatement counts the statements of documents: as many for five of everything as for fifty, and no more than the budget,
// which is one for each level that is read, two for who asks, and what is said besides it. On PostgreSQL, connections of one level and their
// counts take one round trip.
func TestLevelsCostOneStatement(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		fillOrganization(t, s)
		growOrganization(t, s, 0, 5)
		first := wantData(t, s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { clusters(first: 1) { pageInfo { endCursor } } } }`, nil))
		cursor := dig(t, first, "organization", "clusters", "pageInfo", "endCursor").(string)
		type cost struct{ statements, trips int64 }
		type document struct {
			query  string
			budget cost
		}
		inAcme := func(query string) string { return `{ organization(slug: "acme-inc") { ` + query + ` } }` }
		documents := []document{
			{`{ __typename }`, cost{1, 1}}, // who asks
			{`{ __schema { types { name } } }`, cost{1, 1}},
			{`{ viewer { user { name } } }`, cost{2, 3}}, // who asks, before the body is read and in the transaction
			{inAcme(`name`), cost{3, 4}},
			{inAcme(`pipelines(first: 500) { edges { node { name slug } } pageInfo { endCursor hasNextPage } }`), cost{4, 5}},
			{inAcme(`pipelines(first: 500) { count edges { cursor node { name slug } } nodes { id } pageInfo { hasPreviousPage } }`), cost{5, 5}}, // the count is read, not counted
			{inAcme(`pipelines(first: 50, search: "p") { count nodes { description repository { url } tags { label } createdBy { name } } }`), cost{6, 6}},
			{inAcme(`clusters(first: 50) { nodes { name queues(first: 10) { nodes { key } } } }`), cost{5, 6}},
			{inAcme(`clusters(first: 50) { count nodes { name defaultQueue { key } queues(first: 10) { count nodes { key cluster { name } } pageInfo { hasNextPage } } } }`), cost{9, 8}},
			{inAcme(`pipelines(first: 50) { nodes { favorite cluster { name organization { name } } teams(first: 10) { nodes { team { name members(first: 10) { nodes { user { name } } } } } } permissions { pipelineUpdate { allowed } } } }`), cost{10, 11}},
			{inAcme(`members(first: 50) { nodes { user { hasPassword } teams(first: 10) { nodes { team { pipelines(first: 10) { nodes { pipeline { name } } } } } } permissions { organizationMemberDelete { allowed } } } }`), cost{9, 10}},
			{inAcme(`teams(first: 50) { nodes { members(first: 5) { nodes { organizationMember { role } permissions { teamMemberDelete { allowed } } } } permissions { teamUpdate { allowed } } } }`), cost{10, 10}},
			{inAcme(`auditEvents(first: 500, type: [CLUSTER_CREATED, PIPELINE_CREATED, TEAM_CREATED]) { nodes { actor { node { __typename } } subject { node { __typename } } } }`), cost{9, 10}},
			{inAcme(`clusters(first: 50) { nodes { organization { clusters(first: 5, after: "` + cursor + `") { nodes { name } pageInfo { hasPreviousPage hasNextPage } } } } }`), cost{6, 7}},
			{`{ viewer { organizations(first: 60) { nodes { name clusters(first: 1) { count } pipelines(first: 2, team: "platform") { nodes { name } } } } } }`, cost{6, 6}},
			{`{ viewer { organizations(first: 60) { nodes { cluster(id: "` + testkit.MaintainedID + `") { name } teams(first: 1, user: "admin@example.com") { count } } } } }`, cost{7, 8}},
			{`{ viewer { organizations(first: 60) { nodes { teams(first: 1, pipeline: "web") { count } members(first: 1, team: "platform") { count } } } } }`, cost{6, 6}},
			{inAcme(`clusters(first: 60) { nodes { hostedGitMirrorEnabled defaultCacheRegistry { default } maintainers(first: 10) { nodes { actor { __typename } } } } }`), cost{12, 13}}, // actors are members and teams; they and registries ask for their clusters
			{inAcme(`portals(first: 50) { nodes { name tokens(first: 10) { nodes { description } } secrets(first: 2) { nodes { description } } } }`), cost{6, 6}},
			{inAcme(`activeUsersCount`), cost{6, 5}}, // counted outside of the transaction, which is then run again
		}
		count := func(token, query string) cost {
			wantData(t, s.GraphQL(token, query, nil))                                                        // the day's first use of an organization is recorded
			testkit.Exec(t, s.DB, `UPDATE users SET name = name || '.' WHERE id = '`+testkit.OutsiderID+`'`) // nothing is known from before
			before := cost{s.DB.Statements(), s.DB.RoundTrips()}
			wantData(t, s.GraphQL(token, query, nil))
			return cost{s.DB.Statements() - before.statements, s.DB.RoundTrips() - before.trips}
		}
		few := map[string]cost{}
		for _, d := range documents {
			few[d.query] = count("token-of-a-traveller-0", d.query)
		}
		growOrganization(t, s, 5, 45)
		testkit.Exec(t, s.DB, `INSERT INTO api_token_organizations (token_id, organization_id, user_id) SELECT t.id, o.id, t.user_id FROM api_tokens t, organizations o WHERE t.hash = '`+
			domain.HashToken("token-of-a-traveller-0")+`' AND o.slug LIKE 'o%' AND NOT EXISTS (SELECT 1 FROM api_token_organizations x WHERE x.token_id = t.id AND x.organization_id = o.id)`)
		if n := count("token-of-a-traveller-0", strings.Replace(everything, "activeUsersCount", "", 1)); n.statements > 75 || n.trips > 43 {
			t.Errorf("everything takes %+v", n)
		}
		for _, d := range documents {
			if n := count("token-of-a-traveller-0", d.query); n != few[d.query] || n.statements > d.budget.statements || n.trips > d.budget.trips {
				t.Errorf("%+v for five, %+v for fifty, want at most %+v: %s", few[d.query], n, d.budget, d.query)
			}
		}
	})
}

// TestMutationsLookNothingUpFirst counts the statements of mutations, which find what they are about by its id, and not before that to
// learn where it belongs.
func TestMutationsLookNothingUpFirst(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		fillOrganization(t, s)
		organization := `organizationId: "` + globalID(t, s, testkit.Organization) + `"`
		for _, m := range []struct {
			table, typeName, mutation string
			budget                    int64
		}{
			{"clusters", "Cluster", `clusterUpdate(input: {` + organization + `, id: "%s"}) { clientMutationId }`, 7},
			{"cluster_queues", "ClusterQueue", `clusterQueueUpdate(input: {` + organization + `, id: "%s"}) { clientMutationId }`, 8},
			{"pipelines", "Pipeline", `pipelineUpdate(input: {id: "%s"}) { clientMutationId }`, 10}, // what is under way too
		} {
			id := column(t, s, `SELECT 'first', min(id) FROM `+m.table)["first"]
			query := fmt.Sprintf(`mutation { `+m.mutation+` }`, domain.GraphQLID(m.typeName, id))
			wantData(t, s.GraphQL(testkit.AdminToken, query, nil)) // which admits the caller
			before := s.DB.Statements()
			wantData(t, s.GraphQL(testkit.AdminToken, query, nil))
			if n := s.DB.Statements() - before; n > m.budget {
				t.Errorf("%d statements, want at most %d: %s", n, m.budget, query)
			}
		}
	})
}
