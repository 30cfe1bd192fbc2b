package rest_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/config"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/rest"
	"penstock/internal/testkit"
)

// identityWant compares a whole answer with JSON, in which BASE stands for the server's URL.
func identityWant(t *testing.T, s *testkit.Server, a *testkit.Answer, want string) {
	t.Helper()
	var got, wanted any
	if err := json.Unmarshal(a.Body, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(want, "BASE", s.URL)), &wanted); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(wanted) {
		t.Errorf("got  %v\nwant %v", got, wanted)
	}
}

func TestGetUser(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		identityWant(t, s, s.Get(testkit.MemberToken, "/v2/user").Want(t, 200), `{
			"id": "`+testkit.MemberID+`", "graphql_id": "VXNlci0tLTAxOTBhMDAwLTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMDAwMg==",
			"name": "Member", "email": "member@example.com", "avatar_url": "BASE/avatars/`+testkit.MemberID+`.svg", "created_at": "2026-05-03T04:17:55.867Z"}`)
		if got := s.Get(testkit.UngrantedToken, "/v2/user").Want(t, 200).Text("id"); got != testkit.AdminID {
			t.Errorf("without organizations: %s", got)
		}
	})
}

func TestGetAccessToken(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		expiry := time.Date(2026, 12, 31, 12, 0, 0, 120_000_000, time.UTC)
		token := surfaceTokenOf(t, s, "member@example.com", func(in *domain.APITokenInput) {
			in.Description, in.Scopes, in.ExpiresAt = "CI", []string{"write_clusters", "graphql", "read_clusters"}, &expiry
		})
		answer := s.Get(token, "/v2/access-token").Want(t, 200)
		identityWant(t, s, answer, `{"uuid": "`+answer.Text("uuid")+`", "scopes": ["write_clusters", "graphql", "read_clusters"], "description": "CI",
			"created_at": "2026-05-03T04:17:55.867Z", "expires_at": "2026-12-31T12:00:00.120Z", "user": {"name": "Member", "email": "member@example.com"}}`)
		if _, ok := domain.ParseID[string](answer.Text("uuid")); !ok {
			t.Errorf("uuid is %q", answer.Text("uuid"))
		}

		// Any token will do, also one without scopes, organizations or an end; and each sees itself.
		bare := surfaceTokenOf(t, s, "member@example.com", func(in *domain.APITokenInput) { in.Scopes, in.Organizations = nil, nil })
		shown := s.Get(bare, "/v2/access-token").Want(t, 200)
		if shown.Object()["expires_at"] != nil || string(asText(t, shown.Object()["scopes"])) != "[]" || shown.Text("uuid") == answer.Text("uuid") {
			t.Errorf("%s", shown)
		}
		if strings.Contains(string(shown.Body), bare) || strings.Contains(string(shown.Body), domain.HashToken(bare)) {
			t.Errorf("the value is shown: %s", shown)
		}
	})
}

func asText(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestDeleteAccessTokenRevokesItself(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		token := surfaceTokenOf(t, s, "member@example.com", withoutScopes)
		s.Delete(token, "/v2/access-token").Want(t, 204)
		s.Get(token, "/v2/access-token").Want(t, 401)
		s.Delete(token, "/v2/access-token").Want(t, 401)
		s.Get(testkit.MemberToken, "/v2/access-token").Want(t, 200) // another one of the same user
	})
}

func TestListOrganizationsTheTokenReaches(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Bootstrap(`
organizations:
  - {slug: zebra, name: apes and zebras, members: [{user: member@example.com, role: member}]}
  - {slug: beta, name: Beta, members: [{user: member@example.com, role: admin}]}
  - {slug: ungranted, name: Ungranted, members: [{user: member@example.com, role: admin}]}
tokens: [{user: member@example.com, token: token-for-three-of-four, description: x, organizations: [beta, acme-inc, zebra], scopes: [read_organizations]}]
`)
		slugs := func(token string) string {
			t.Helper()
			return fmt.Sprint(testkit.Column(s.Get(token, "/v2/organizations").Want(t, 200).List(), "slug"))
		}
		const token = "token-for-three-of-four"
		if got := slugs(token); got != "[acme-inc zebra beta]" { // by name, whatever its case
			t.Error(got)
		}
		if got := slugs(testkit.MemberToken); got != "[acme-inc]" {
			t.Error(got)
		}
		if got := slugs(testkit.UngrantedToken); got != "[]" {
			t.Error(got)
		}
		one := s.Get(token, "/v2/organizations?per_page=1").List()[0]
		if got := s.Get(token, "/v2/organizations/acme-inc").Object(); fmt.Sprint(got) != fmt.Sprint(one) {
			t.Errorf("listed as %v, got as %v", one, got)
		}
		testkit.Change(t, s.DB, `DELETE FROM organization_members WHERE user_id = $1 AND organization_id = (SELECT id FROM organizations WHERE slug = 'beta')`, testkit.MemberID)
		if got := slugs(token); got != "[acme-inc zebra]" {
			t.Errorf("after leaving: %s", got)
		}
	})
}

func TestListOrganizationsLeavesOutThoseThatBarTheAddress(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		s.Bootstrap(`
organizations:
  - {slug: fenced, name: Fenced, settings: {allowed_api_ip_addresses: 192.0.2.0/24}, members: [{user: member@example.com, role: member}]}
  - {slug: open, name: Open, members: [{user: member@example.com, role: member}]}
tokens: [{user: member@example.com, token: token-for-the-fenced-one, description: x, organizations: [acme-inc, fenced, open], scopes: [read_organizations]}]
`)
		api := surfaceAPI(s, nil)
		for from, want := range map[string]string{"192.0.2.1:1": "[acme-inc fenced open]", "198.51.100.1:1": "[acme-inc open]"} {
			listed := func(query string) *httptest.ResponseRecorder {
				return surfaceServed(api, "GET", "/v2/organizations"+query, "", from, "Authorization", "Bearer token-for-the-fenced-one")
			}
			var organizations []map[string]any
			if err := json.Unmarshal(listed("").Body.Bytes(), &organizations); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(testkit.Column(organizations, "slug")); got != want {
				t.Errorf("from %s: %s, want %s", from, got, want)
			}
			last := fmt.Sprintf(`page=%d&per_page=1>; rel="last"`, len(strings.Fields(want)))
			if link := listed("?per_page=1").Header().Get("Link"); !strings.Contains(link, last) {
				t.Errorf("from %s: the total is another: %s", from, link)
			}
		}
	})
}

func TestGetOrganization(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		answer := s.Get(testkit.MemberToken, "/v2/organizations/acme-inc").Want(t, 200)
		identityWant(t, s, answer, `{
			"id": "`+answer.Text("id")+`", "graphql_id": "`+answer.Text("graphql_id")+`", "name": "Acme Inc", "slug": "acme-inc",
			"url": "BASE/v2/organizations/acme-inc", "web_url": "BASE/organizations/acme-inc", "clusters_url": "BASE/v2/organizations/acme-inc/clusters",
			"agents_url": "BASE/v2/organizations/acme-inc/agents", "pipelines_url": "BASE/v2/organizations/acme-inc/pipelines",
			"emojis_url": "BASE/v2/organizations/acme-inc/emojis", "created_at": "2026-05-03T04:17:55.867Z"}`)
		s.Get(testkit.MemberToken, answer.Text("url")).Want(t, 200)
		s.Get(testkit.MemberToken, answer.Text("clusters_url")).Want(t, 200)
	})
}

func TestMeta(t *testing.T) {
	t.Parallel()
	for want, addresses := range map[string][]string{
		`{"webhook_ips":["127.0.0.1/32"]}`:                 config.Default().MetaWebhookIPs,
		`{"webhook_ips":["192.0.2.0/24","2001:db8::/32"]}`: {"192.0.2.0/24", "2001:db8::/32"},
		`{"webhook_ips":[]}`:                               nil,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
				s := testkit.NewServer(t, d, testkit.ServerOptions{REST: func(o *rest.Options) { o.MetaWebhookIPs = addresses }})
				for _, token := range []string{"", "wrong", testkit.AdminToken} {
					if got := string(s.Get(token, "/v2/meta").Want(t, 200).Body); got != want {
						t.Error(got)
					}
				}
			})
		})
	}
}
