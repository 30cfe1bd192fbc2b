package graph_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// recordedActivity returns the days that are stored, and forgets them.
func recordedActivity(t *testing.T, s *testkit.Server) []string {
	t.Helper()
	var days []string
	err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
		return tx.Query(`SELECT o.slug, u.name, a.day FROM activity_days a JOIN organizations o ON o.id = a.organization_id JOIN users u ON u.id = a.user_id`, func(r *db.Row) error {
			days = append(days, strings.Join([]string{r.Text(), r.Text(), r.Text()}, " "))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Exec(t, s.DB, `DELETE FROM activity_days`)
	slices.Sort(days)
	return days
}

// TestActivityIsRecorded checks that a document counts as a use of each organization that it reaches, and of no other.
func TestActivityIsRecorded(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		buildEstate(t, s)
		const traveller = "token-of-the-travelling-admin"
		bootstrapObject(t, s, map[string]any{"tokens": []map[string]any{{"user": "admin@example.com", "token": traveller, "description": "d", "graphql": true, "organizations": []string{"acme-inc", "home"}, "scopes": []string{}}}})
		elsewhere := globalID(t, s, "elsewhere")
		for query, want := range map[string][]string{
			`{ viewer { user { name } } }`:                           nil,
			`{ __typename }`:                                         nil,
			`{ __schema { queryType { name } } }`:                    nil,
			`{ nonsense }`:                                           nil,
			`{ organization(slug: "nothing") { id } }`:               nil,
			`{ organization(slug: "elsewhere") { id } }`:             nil,
			`{ node(id: "` + elsewhere + `") { id } }`:               nil,
			`{ pipeline(slug: "elsewhere/web") { id } }`:             nil,
			`{ viewer { organizations { count } } }`:                 nil,
			`{ organization(slug: "acme-inc") { id } }`:              {"acme-inc"},
			`{ organization(slug: "home") { pipelines { count } } }`: {"home"},
			`{ a: organization(slug: "home") { id } b: organization(slug: "home") { clusters { nodes { organization { id } } } } }`: {"home"},
			`{ team(slug: "acme-inc/platform") { id } }`:                                                                                                    {"acme-inc"},
			`{ pipeline(slug: "acme-inc/nothing") { id } }`:                                                                                                 {"acme-inc"},
			`{ node(id: "` + domain.GraphQLID("Cluster", testkit.MaintainedID) + `") { id } }`:                                                              {"acme-inc"},
			`{ a: organization(slug: "home") { id } b: team(slug: "acme-inc/platform") { id } }`:                                                            {"acme-inc", "home"},
			`{ viewer { organizations { nodes { slug } } } }`:                                                                                               {"acme-inc", "home"},
			`{ viewer { organizations(first: 1) { nodes { slug } } } }`:                                                                                     {"acme-inc"},
			`{ organization(slug: "acme-inc") { clusters(first: 501) { count } } }`:                                                                         {"acme-inc"}, // whatever comes of it
			`mutation { pipelineCreate(input: {organizationId: "` + globalID(t, s, "home") + `", name: "", repository: {url: "r"}}) { clientMutationId } }`: {"home"},
		} {
			s.Clock.Advance(24 * time.Hour)
			recordedActivity(t, s)
			day := s.Clock.Now().Format(domain.DateLayout)
			for range 2 {
				s.GraphQL(traveller, query, nil)
			}
			var days []string
			for _, slug := range want {
				days = append(days, slug+" Admin "+day)
			}
			if got := recordedActivity(t, s); !slices.Equal(got, days) {
				t.Errorf("%s records %q, want %q", query, got, days)
			}
		}
		// A stranger's token, or one that may not use GraphQL, uses nothing; from a wrong place, a member still does.
		s.Clock.Advance(24 * time.Hour)
		s.GraphQL(testkit.ReadOnlyToken, `{ organization(slug: "acme-inc") { id } }`, nil).Want(t, 403)
		s.GraphQL("", `{ organization(slug: "acme-inc") { id } }`, nil).Want(t, 401)
		s.GraphQL(leaverToken, `{ organization(slug: "acme-inc") { id } }`, nil).Want(t, 200)
		if got := recordedActivity(t, s); got != nil {
			t.Errorf("%q is recorded", got)
		}
		testkit.Exec(t, s.DB, `UPDATE organizations SET allowed_api_ip_addresses = '192.0.2.0/24' WHERE slug = 'acme-inc'`)
		s.GraphQL(testkit.MemberToken, `{ organization(slug: "acme-inc") { id } }`, nil).Want(t, 200)
		if got := recordedActivity(t, s); len(got) != 1 {
			t.Errorf("%q is recorded", got)
		}
	})
}

// TestActiveUsersCount compares the figure with REST's.
func TestActiveUsersCount(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const query = `{ organization(slug: "acme-inc") { activeUsersCount name } }`
		for i, token := range []string{testkit.MemberToken, testkit.AdminToken, testkit.MemberToken, testkit.MaintainerToken} {
			want := float64([]int{1, 2, 2, 3}[i]) // who asks is counted
			if got := dig(t, wantData(t, s.GraphQL(token, query, nil)), "organization", "activeUsersCount"); got != want {
				t.Errorf("%s: the count is %v, want %v", token, got, want)
			}
			if got := s.Get(token, "/v2/organizations/acme-inc/usage").Want(t, 200).Object()["active_users_count"]; got != want {
				t.Errorf("%s: REST's count is %v, want %v", token, got, want)
			}
		}
		many := s.GraphQL(testkit.AdminToken, `{ a: organization(slug: "acme-inc") { x: activeUsersCount y: activeUsersCount clusters { nodes { organization { activeUsersCount } } } } b: organization(slug: "elsewhere") { activeUsersCount } }`, nil)
		if string(many.Body) != `{"data":{"a":{"x":3,"y":3,"clusters":{"nodes":[{"organization":{"activeUsersCount":3}}]}},"b":null}}` {
			t.Errorf("%s", many)
		}
		testkit.Exec(t, s.DB, `ALTER TABLE usage_counts RENAME TO elsewhere`)
		broken := s.GraphQL(testkit.AdminToken, query, nil)
		if want := `{"data":{"organization":{"activeUsersCount":null,"name":"Acme Inc"}},"errors":[{"message":"Usage data is temporarily unavailable. Please retry.","locations":[{"line":1,"column":36}],"path":["organization","activeUsersCount"]}]}`; broken.Status != 200 || string(broken.Body) != want {
			t.Errorf("%s", broken)
		}
		wantData(t, s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { name } }`, nil))
		testkit.Exec(t, s.DB, `ALTER TABLE elsewhere RENAME TO usage_counts`)
		if got := dig(t, wantData(t, s.GraphQL(testkit.AdminToken, query, nil)), "organization", "activeUsersCount"); got != 3.0 {
			t.Errorf("the count is %v again", got)
		}
		// What cannot be paid for is not served, and says no more than that.
		testkit.Exec(t, s.DB, `ALTER TABLE activity_days RENAME TO elsewhere`)
		s.Clock.Advance(24 * time.Hour)
		unpaid := s.GraphQL(testkit.AdminToken, `{ viewer { user { name } } organization(slug: "acme-inc") { name } }`, nil)
		if unpaid.Status != 200 || unpaid.Message() != "The service is temporarily unavailable. Please retry." || strings.Contains(string(unpaid.Body), "Acme") || internalWords.Match(unpaid.Body) {
			t.Errorf("%s", unpaid)
		}
	})
}
