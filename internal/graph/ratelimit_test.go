package graph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/graph"
	"penstock/internal/testkit"
)

// eachLimitedServer runs fn on servers with rate limits, a minute after a window's beginning.
func eachLimitedServer(t *testing.T, organization, user int, fn func(t *testing.T, s *testkit.Server)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := testkit.NewServer(t, d, testkit.ServerOptions{GraphQL: func(o *graph.Options) { o.RateLimit, o.RateLimitUser = organization, user }})
		s.Clock.Advance(s.Clock.Now().Truncate(5 * time.Minute).Add(6 * time.Minute).Sub(s.Clock.Now()))
		fn(t, s)
	})
}

func rateHeaders(a *testkit.Answer, prefix string) string {
	var values []string
	for _, name := range []string{"Scope", "Limit", "Remaining", "Reset"} {
		values = append(values, strings.Join(a.Header.Values(prefix+name), "+"))
	}
	return strings.Join(values, " ")
}

const threePoints = `{ organization(slug: "acme-inc") { clusters(first: 20) { nodes { name } } } }`

func TestComplexityIsLimitedByOrganization(t *testing.T) {
	eachLimitedServer(t, 7, 0, func(t *testing.T, s *testkit.Server) {
		send := func(token string, status int, headers string) *testkit.Answer {
			t.Helper()
			answer := s.GraphQL(token, threePoints, nil).Want(t, status)
			if got := rateHeaders(answer, "RateLimit-"); got != headers {
				t.Errorf("%q, not %q: %s", got, headers, answer)
			}
			return answer
		}
		// It is what the answers cost, not what was asked for, and the organization's users share it.
		send(testkit.AdminToken, 200, "graphql 7 4 240")
		send(testkit.MemberToken, 200, "graphql 7 1 240")
		send(testkit.AdminToken, 200, "graphql 7 0 240") // something was left
		refused := send(testkit.AdminToken, 429, "graphql 7 0 240")
		if string(refused.Body) != `{"errors":[{"message":"You have exceeded your API rate limit. Please wait 240 seconds before making more requests."}]}` || refused.Header.Get("Retry-After") != "240" {
			t.Errorf("%s", refused)
		}
		if used := dig(t, s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/rate_limit").Object(), "scopes", "graphql", "current"); used != 10.0 {
			t.Errorf("%v is used", used)
		}
		// A change is refused before it is made.
		change := `mutation { clusterUpdate(input: {organizationId: "` + globalID(t, s, testkit.Organization) + `", id: "` + domain.GraphQLID("Cluster", testkit.MaintainedID) + `", name: "Changed"}) { clientMutationId } }`
		s.GraphQL(testkit.AdminToken, change, nil).Want(t, 429)
		if name := s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Object()["name"]; name != "Maintained" {
			t.Errorf("a refused change named it %v", name)
		}
		// What is about no organization, or about another, is served.
		wantData(t, s.GraphQL(testkit.AdminToken, `{ viewer { user { name } } }`, nil))
		wantData(t, s.GraphQL(testkit.OutsiderToken, `{ organization(slug: "elsewhere") { name } }`, nil))
		s.GraphQL("", threePoints, nil).Want(t, 401)
		s.GraphQL(testkit.OutsiderToken, threePoints, nil).Want(t, 200) // there is no such organization for them
		s.Clock.Advance(4*time.Minute - time.Millisecond)
		send(testkit.AdminToken, 429, "graphql 7 0 1")
		s.Clock.Advance(time.Millisecond)
		send(testkit.AdminToken, 200, "graphql 7 4 300")
		wantData(t, s.GraphQL(testkit.AdminToken, change, nil))
	})
}

func TestComplexityIsLimitedByUser(t *testing.T) {
	eachLimitedServer(t, 0, 6, func(t *testing.T, s *testkit.Server) {
		for i, c := range []struct {
			query  string
			status int
			left   int
		}{
			{threePoints, 200, 3},
			{`{ __typename }`, 200, 2}, // each request counts for one at least
			{`{ nothing }`, 200, 1},
			{"", 400, 0},
			{`{ __typename }`, 429, 0},
		} {
			answer := s.GraphQL(testkit.AdminToken, c.query, nil).Want(t, c.status)
			if got, want := rateHeaders(answer, "RateLimit-User-"), fmt.Sprintf("graphql_user 6 %d 240", c.left); got != want || rateHeaders(answer, "RateLimit-") != "   " {
				t.Errorf("%d: %q, not %q: %s", i, got, want, answer)
			}
		}
		wantData(t, s.GraphQL(testkit.MemberToken, threePoints, nil))
		s.Get(testkit.AdminToken, "/v2/organizations/acme-inc/clusters").Want(t, 200)
	})
}

// TestComplexityIsNotLimitedUnlessConfigured has no headers of limits that do not exist.
func TestComplexityIsNotLimitedUnlessConfigured(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		answer := s.GraphQL(testkit.AdminToken, threePoints, nil).Want(t, 200)
		if rateHeaders(answer, "RateLimit-") != "   " || rateHeaders(answer, "RateLimit-User-") != "   " {
			t.Errorf("%v", answer.Header)
		}
	})
}

// TestPortalsUseTheirOrganizationsLimit runs a portal, which has no user.
func TestPortalsUseTheirOrganizationsLimit(t *testing.T) {
	eachLimitedServer(t, 4, 1000, func(t *testing.T, s *testkit.Server) {
		made := s.Post(testkit.AdminToken, "/v2/organizations/acme-inc/portals", map[string]any{"name": "Clusters", "query": threePoints}).Want(t, 201).Object()
		run := func() *testkit.Answer {
			return s.Do(testkit.Request{Method: "POST", Path: "/portal/organizations/acme-inc/portals/clusters", Token: made["token"].(string)})
		}
		run().Want(t, 200)
		if got := rateHeaders(run().Want(t, 200), "RateLimit-"); got != "graphql 4 0 240" {
			t.Error(got)
		}
		if answer := run().Want(t, 429); rateHeaders(answer, "RateLimit-User-") != "   " {
			t.Errorf("%s", answer)
		}
	})
}
