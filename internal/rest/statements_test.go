package rest_test

import (
	"testing"

	"penstock/internal/testkit"
)

// cost is how many statements a request takes at most and, on PostgreSQL, how many round trips.
type cost struct{ statements, trips int64 }

// wantCost sends a request a second time, when who asks is admitted.
func wantCost(t *testing.T, s *testkit.Server, path string, most cost) {
	t.Helper()
	s.Get(testkit.AdminToken, path).Want(t, 200)
	before := cost{s.DB.Statements(), s.DB.RoundTrips()}
	s.Get(testkit.AdminToken, path).Want(t, 200)
	took := cost{s.DB.Statements() - before.statements, s.DB.RoundTrips() - before.trips}
	if took.statements > most.statements || took.trips > most.trips {
		t.Errorf("%s took %d statements in %d round trips, want at most %+v", path, took.statements, took.trips, most)
	}
}

// Identity and what is asked for come in as few statements as can be, and those that do not depend on each other together.
func TestReadsCostFewStatements(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Get(testkit.AdminToken, clustersPath).Want(t, 200) // the day's first request, which is recorded
		plain := s.Post(testkit.AdminToken, clustersPath, `{"name": "Plain"}`).Want(t, 201).Text("id")
		createdPipeline(t, s, "Web")
		for path, budget := range map[string]cost{
			"/v2/organizations/acme-inc/clusters/" + plain:                       {1, 1},
			testkit.ClusterPath(testkit.MaintainedID):                            {3, 4}, // by itself, and again with the maintainers
			"/v2/organizations/acme-inc/clusters":                                {3, 4}, // identity, rows, maintainers
			testkit.ClusterPath(testkit.MaintainedID, "queues"):                  {3, 4}, // the maintainers too
			testkit.ClusterPath(testkit.MaintainedID, "queues", testkit.QueueID): {3, 4},
			testkit.ClusterPath(testkit.MaintainedID, "cache-registries"):        {3, 4},
			testkit.ClusterPath(testkit.MaintainedID, "tokens"):                  {4, 4}, // the total too
			"/v2/organizations/acme-inc/pipelines":                               {3, 4}, // identity, rows, what is under way
			"/v2/organizations/acme-inc/pipelines?name=web":                      {4, 5}, // the count too
			"/v2/organizations/acme-inc/pipelines/web":                           {2, 3}, // itself, what is under way
			"/v2/user":                           {1, 1},
			"/v2/access-token":                   {1, 1},
			"/v2/organizations/acme-inc":         {1, 2},
			membersPath:                          {3, 3}, // identity, total, rows
			membersPath + "/" + testkit.MemberID: {2, 3},
			teamsPath:                            {3, 3},
			teamsPath + "/" + testkit.TeamID:     {1, 1},
			teamsPath + "/" + testkit.TeamID + "/members": {3, 3},
			auditPath:                          {2, 3},
			"/v2/organizations/acme-inc/usage": {2, 3}, // identity, figure
		} {
			wantCost(t, s, path, budget)
		}
	})
}
