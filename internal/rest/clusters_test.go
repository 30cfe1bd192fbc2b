package rest_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

func TestClusterOfAnotherOrganizationIsNotFound(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, request := range []testkit.Request{
			{Method: "GET", Path: testkit.ClusterPath(testkit.ElsewhereID)},
			{Method: "PUT", Path: testkit.ClusterPath(testkit.ElsewhereID), Body: `{"name": "Taken over"}`},
			{Method: "DELETE", Path: testkit.ClusterPath(testkit.ElsewhereID)},
			{Method: "GET", Path: testkit.ClusterPath(testkit.ElsewhereID, "queues")},
			{Method: "POST", Path: testkit.ClusterPath(testkit.ElsewhereID, "queues"), Body: `{"key": "foreign"}`},
		} {
			request.Token = testkit.AdminToken
			s.Do(request).WantMessage(t, 404, "No cluster found")
		}
		own := "/v2/organizations/" + testkit.ElsewhereSlug + "/clusters/" + testkit.ElsewhereID
		wantMembers(t, s.Get(testkit.OutsiderToken, own).Want(t, 200), `{"name": "Elsewhere"}`)
		wantJSON(t, s.Get(testkit.OutsiderToken, own+"/queues").Want(t, 200).List(), `[]`)
	})
}
