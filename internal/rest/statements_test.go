package rest_test

import (
	"testing"

	"penstock/internal/testkit"
)

// Identity and what is asked for come in as few statements as can be: on PostgreSQL each is a round trip.
func TestReadsCostFewStatements(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Get(testkit.AdminToken, clustersPath).Want(t, 200) // the day's first request, which is recorded
		plain := s.Post(testkit.AdminToken, clustersPath, `{"name": "Plain"}`).Want(t, 201).Text("id")
		createdPipeline(t, s, "Web")
		for path, budget := range map[string]int64{
			"/v2/organizations/acme-inc/clusters/" + plain:                       1,
			testkit.ClusterPath(testkit.MaintainedID):                            3, // by itself, and again with the maintainers
			"/v2/organizations/acme-inc/clusters":                                3, // identity, rows, maintainers
			testkit.ClusterPath(testkit.MaintainedID, "queues"):                  3, // the maintainers too
			testkit.ClusterPath(testkit.MaintainedID, "queues", testkit.QueueID): 3,
			testkit.ClusterPath(testkit.MaintainedID, "cache-registries"):        3,
			testkit.ClusterPath(testkit.MaintainedID, "tokens"):                  4, // the total too
			"/v2/organizations/acme-inc/pipelines":                               3, // identity, rows, what is under way
			"/v2/organizations/acme-inc/pipelines?name=web":                      4, // the count too
			"/v2/organizations/acme-inc/pipelines/web":                           2, // itself, what is under way
			"/v2/user":                           1,
			"/v2/access-token":                   1,
			"/v2/organizations/acme-inc":         1,
			membersPath:                          3, // identity, total, rows
			membersPath + "/" + testkit.MemberID: 2,
			teamsPath:                            3,
			teamsPath + "/" + testkit.TeamID:     1,
			teamsPath + "/" + testkit.TeamID + "/members": 3,
			auditPath:                          2,
			"/v2/organizations/acme-inc/usage": 2, // identity, figure
		} {
			s.Get(testkit.AdminToken, path).Want(t, 200) // who asks is admitted
			before := s.DB.Statements()
			s.Get(testkit.AdminToken, path).Want(t, 200)
			if n := s.DB.Statements() - before; n > budget {
				t.Errorf("%s took %d statements, want at most %d", path, n, budget)
			}
		}
	})
}
