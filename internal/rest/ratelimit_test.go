package rest_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/rest"
	"penstock/internal/testkit"
)

const rateClusters = "/v2/organizations/acme-inc/clusters"

// eachLimitedServer runs fn on servers with rate limits, at the start of a minute.
func eachLimitedServer(t *testing.T, organization, user int, fn func(t *testing.T, s *testkit.Server)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := testkit.NewServer(t, d, testkit.ServerOptions{REST: func(o *rest.Options) { o.RateLimitREST, o.RateLimitRESTUser = organization, user }})
		s.Clock.Advance(s.Clock.Now().Truncate(time.Minute).Add(time.Minute).Sub(s.Clock.Now()))
		fn(t, s)
	})
}

// rateHeaders returns the rate-limit headers of an answer: scope, limit, remaining, reset.
func rateHeaders(a *testkit.Answer, prefix string) string {
	var values []string
	for _, name := range []string{"Scope", "Limit", "Remaining", "Reset"} {
		values = append(values, strings.Join(a.Header.Values(prefix+name), "+"))
	}
	return strings.Join(values, " ")
}

func TestRateLimitsAreOffByDefault(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for range 200 {
			answer := s.Get(testkit.AdminToken, rateClusters).Want(t, 200)
			for name := range answer.Header {
				if strings.HasPrefix(strings.ToLower(name), "ratelimit") {
					t.Fatalf("%s is set", name)
				}
			}
		}
	})
}

func TestRateLimitByOrganization(t *testing.T) {
	eachLimitedServer(t, 5, 0, func(t *testing.T, s *testkit.Server) {
		s.Clock.Advance(18 * time.Second)
		// The limit is the organization's: it is shared by its users, and whatever came of a request counts.
		s.Get(testkit.AdminToken, rateClusters).Want(t, 200)
		s.Get(testkit.MemberToken, rateClusters).Want(t, 200)
		s.Get(testkit.MemberToken, testkit.ClusterPath("nothing")).Want(t, 404)
		s.Get(testkit.WriteOnlyToken, rateClusters).Want(t, 403)
		s.Post(testkit.AdminToken, rateClusters, `{"name": ""}`).Want(t, 422)
		for current := 6; current <= 7; current++ {
			answer := s.Post(testkit.AdminToken, rateClusters, `{"name": "Too many"}`)
			answer.WantMessage(t, 429, "You have exceeded your API rate limit. Please wait 42 seconds before making more requests.")
			want := fmt.Sprintf(`{"scope":"rest","limit":5,"current":%d,"reset":42,"message":%q}`, current, answer.Message())
			if string(answer.Body) != want || answer.Header.Get("Retry-After") != "42" {
				t.Errorf("Retry-After %s: %s", answer.Header.Get("Retry-After"), answer)
			}
			if got := rateHeaders(answer, "RateLimit-"); got != "rest 5 0 42" {
				t.Errorf("%s: %s", got, answer)
			}
		}
		// Others are not touched, nor is who is not let in counted.
		s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere").Want(t, 200)
		s.Get(testkit.AdminToken, "/v2/user").Want(t, 200)
		for range 10 {
			s.Get(testkit.OutsiderToken, rateClusters).Want(t, 404)
			s.Get("", rateClusters).Want(t, 401)
			s.Get(testkit.UngrantedToken, rateClusters).Want(t, 404)
		}
		// One is refused until the time that was named, and not longer.
		s.Clock.Advance(42*time.Second - time.Millisecond)
		s.Get(testkit.AdminToken, rateClusters).Want(t, 429)
		s.Clock.Advance(time.Millisecond)
		list := s.Get(testkit.AdminToken, rateClusters).Want(t, 200)
		if got := rateHeaders(list, "RateLimit-"); got != "rest 5 4 60" {
			t.Error(got)
		}
		if strings.Contains(string(list.Body), "Too many") {
			t.Error("a refused request did something")
		}
	})
}

func TestRateLimitByUser(t *testing.T) {
	eachLimitedServer(t, 0, 3, func(t *testing.T, s *testkit.Server) {
		// The limit is the user's: their tokens, and the organizations that they use, share it.
		s.Get(testkit.AdminToken, rateClusters).Want(t, 200)
		s.Get(testkit.ReadOnlyToken, rateClusters).Want(t, 200)
		s.Get(testkit.UngrantedToken, "/v2/user").Want(t, 200)
		answer := s.Get(testkit.AdminToken, "/v2/user")
		answer.WantMessage(t, 429, "You have exceeded your API rate limit. Please wait 60 seconds before making more requests.")
		if want := fmt.Sprintf(`{"scope":"rest_user","limit":3,"current":4,"reset":60,"message":%q}`, answer.Message()); string(answer.Body) != want {
			t.Errorf("%s", answer)
		}
		if got := rateHeaders(answer, "RateLimit-User-"); got != "rest_user 3 0 60" || answer.Header.Get("Retry-After") != "60" {
			t.Errorf("%s: %s", got, answer)
		}
		s.Delete(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 429)
		s.Get(testkit.MemberToken, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 200)

		// Looking for organizations is limited too.
		for range 3 {
			s.Get(testkit.OutsiderToken, rateClusters).Want(t, 404)
		}
		s.Get(testkit.OutsiderToken, rateClusters).Want(t, 429)
		s.Clock.Advance(time.Minute)
		s.Get(testkit.AdminToken, "/v2/user").Want(t, 200)
	})
}

func TestRateLimitHeaders(t *testing.T) {
	eachLimitedServer(t, 1000, 500, func(t *testing.T, s *testkit.Server) {
		s.Clock.Advance(59*time.Second + 999*time.Millisecond)
		token := surfaceTokenOf(t, s, "admin@example.com", nil)
		var organizations, users int
		check := func(answer *testkit.Answer, organization bool) {
			t.Helper()
			users++
			wanted := "   "
			if organization {
				organizations++
				wanted = fmt.Sprintf("rest 1000 %d 1", 1000-organizations)
			}
			if got := rateHeaders(answer, "RateLimit-"); got != wanted {
				t.Errorf("%s, not %s: %s", got, wanted, answer)
			}
			if got, wanted := rateHeaders(answer, "RateLimit-User-"), fmt.Sprintf("rest_user 500 %d 1", 500-users); got != wanted {
				t.Errorf("%s, not %s: %s", got, wanted, answer)
			}
		}
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return e.needs != needsNothing && e.method != "DELETE" }) {
			inOrganization := strings.Contains(e.path, "{org}")
			path := e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)
			check(e.call(s, token, path), inOrganization)
			if inOrganization {
				check(e.call(s, token, e.at("nowhere", testkit.MaintainedID, testkit.QueueID)).Want(t, 404), false)
			}
		}
		user := s.Get(token, "/v2/user")
		check(user, false)
		check(s.Do(testkit.Request{Method: "GET", Path: "/v2/user", Token: token, Header: map[string]string{"If-None-Match": user.Header.Get("ETag")}}).Want(t, 304), false)
		check(s.Delete(token, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 204), true)
	})
}

// TestStrayRequestsAreCounted sends what no endpoint serves, and what is refused because of where it comes from, with good tokens.
func TestStrayRequestsAreCounted(t *testing.T) {
	eachLimitedServer(t, 100, 4, func(t *testing.T, s *testkit.Server) {
		s.Bootstrap(`tokens: [{user: member@example.com, token: token-of-another-place, description: d, organizations: [acme-inc], scopes: [read_clusters]}]`)
		testkit.Exec(t, s.DB, `UPDATE api_tokens SET allowed_ip_addresses = '192.0.2.1' WHERE hash = $1`, domain.HashToken("token-of-another-place"))
		for i, c := range []struct {
			method, path, token string
			status              int
			organization        string
		}{
			{"GET", "/v2/organizations/acme-inc/nothing", testkit.AdminToken, 404, "rest 100 99 60"},
			{"GET", "/v2/nothing", testkit.AdminToken, 404, "   "},
			{"DELETE", rateClusters, testkit.AdminToken, 405, "rest 100 98 60"},
			{"POST", "/v2/organizations/elsewhere/nothing/deep", testkit.AdminToken, 404, "   "},
			{"GET", "/v2/organizations/acme-inc/nothing", testkit.AdminToken, 429, "rest 100 97 60"},
		} {
			answer := s.Do(testkit.Request{Method: c.method, Path: c.path, Token: c.token}).Want(t, c.status)
			if got := rateHeaders(answer, "RateLimit-"); got != c.organization {
				t.Errorf("%s, not %s: %s", got, c.organization, answer)
			}
			if got, want := rateHeaders(answer, "RateLimit-User-"), fmt.Sprintf("rest_user 4 %d 60", max(0, 3-i)); got != want {
				t.Errorf("%s, not %s: %s", got, want, answer)
			}
		}
		for i := range 5 {
			answer := s.Get("token-of-another-place", rateClusters)
			if i < 4 {
				answer.WantMessage(t, 403, "Your IP address is not allowed")
			} else {
				answer.Want(t, 429)
			}
			if got, want := rateHeaders(answer, "RateLimit-"), fmt.Sprintf("rest 100 %d 60", 96-i); got != want {
				t.Errorf("%s, not %s: %s", got, want, answer)
			}
			if got, want := rateHeaders(answer, "RateLimit-User-"), fmt.Sprintf("rest_user 4 %d 60", max(0, 3-i)); got != want {
				t.Errorf("%s, not %s: %s", got, want, answer)
			}
		}
		// Nobody's are not counted, and are told as before.
		for _, token := range []string{"", "token-of-nobody"} {
			answer := s.Get(token, "/v2/organizations/acme-inc/nothing").Want(t, 404)
			if rateHeaders(answer, "RateLimit-") != "   " || rateHeaders(answer, "RateLimit-User-") != "   " {
				t.Errorf("%s", answer)
			}
		}
	})
}

func TestRateLimitOfAnOrganization(t *testing.T) {
	eachLimitedServer(t, 100, 0, func(t *testing.T, s *testkit.Server) {
		s.Clock.Advance(s.Clock.Now().Truncate(5 * time.Minute).Add(5*time.Minute + 70*time.Second).Sub(s.Clock.Now()))
		minute := s.Clock.Now().Truncate(time.Minute)
		show := func(token string) string {
			return string(s.Get(token, "/v2/organizations/acme-inc/rate_limit").Want(t, 200).Body)
		}
		want := func(current, complexity int) string {
			return fmt.Sprintf(`{"scopes":{"rest":{"limit":100,"current":%d,"reset":50,"reset_at":"%s","enforced":true},`+
				`"graphql":{"limit":0,"current":%d,"reset":230,"reset_at":"%s","enforced":false}}}`,
				current, minute.Add(time.Minute).UTC().Format("2006-01-02T15:04:05.000Z"),
				complexity, minute.Add(4*time.Minute).UTC().Format("2006-01-02T15:04:05.000Z"))
		}
		if got := show(testkit.AdminToken); got != want(1, 0) {
			t.Errorf("%s, not %s", got, want(1, 0))
		}
		s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { clusters(first: 5) { nodes { name } } } }`, nil).Want(t, 200)
		// A token of no scope sees it too.
		s.Bootstrap(`tokens: [{user: member@example.com, token: token-without-scopes, description: d, organizations: [acme-inc], scopes: []}]`)
		if got := show("token-without-scopes"); got != want(2, 3) {
			t.Errorf("%s, not %s", got, want(2, 3))
		}
		s.Get(testkit.OutsiderToken, "/v2/organizations/acme-inc/rate_limit").WantMessage(t, 404, "No organization found")
		s.Get(testkit.UngrantedToken, "/v2/organizations/acme-inc/rate_limit").Want(t, 404)
		s.Get("", "/v2/organizations/acme-inc/rate_limit").Want(t, 401)
	})
}

// TestRateLimitsAreCountedOnce lets requests through at the same time: the limit is kept exactly, and the refusal
// by one limit shows the other one too.
func TestRateLimitsAreCountedOnce(t *testing.T) {
	eachLimitedServer(t, 10, 100, func(t *testing.T, s *testkit.Server) {
		var served atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for range 5 {
					if s.Post(testkit.AdminToken, rateClusters, `{"name": "New"}`).Status == 201 {
						served.Add(1)
					}
				}
			})
		}
		all.Wait()
		if served.Load() != 10 {
			t.Errorf("%d requests were served", served.Load())
		}
		answer := s.Get(testkit.AdminToken, rateClusters).Want(t, 429)
		if got := rateHeaders(answer, "RateLimit-User-"); got != "rest_user 100 79 60" {
			t.Errorf("%s: %s", got, answer)
		}
	})
}
