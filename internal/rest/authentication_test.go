package rest_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/rest"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

const addressRefused = "Your IP address is not allowed"

func TestBearerTokenAuthenticates(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		token := testkit.AdminToken
		for authorization, status := range map[string]int{
			"Bearer " + token:           200,
			"bearer " + token:           200, // the scheme's case does not matter
			"BEARER " + token:           200,
			"Bearer   " + token + "   ": 200,

			token:                               401,
			"Bearer":                            401,
			"Bearer ":                           401,
			"Bearer" + token:                    401,
			"Bearer\t" + token:                  401,
			"Bearer " + token + " more":         401,
			"Bearer " + token + ",":             401,
			"Bearer " + token + ", Bearer x":    401,
			"Bearer Bearer " + token:            401,
			"Bearer " + token + "x":             401,
			"Bearer " + token[1:]:               401,
			"Bearer " + strings.ToUpper(token):  401,
			`Bearer "` + token + `"`:            401,
			"Bearer " + domain.HashToken(token): 401, // what the database has
			"Token " + token:                    401,
			"Token token=" + token:              401,
			"Basic " + base64.StdEncoding.EncodeToString([]byte(token+":")):                  401,
			"Basic " + base64.StdEncoding.EncodeToString([]byte("admin@example.com:"+token)): 401,
			"Basic " + token: 401,
		} {
			s.Do(testkit.Request{Method: "GET", Path: "/v2/user", Header: map[string]string{"Authorization": authorization}}).Want(t, status)
		}

		// Nothing but the header authenticates.
		for _, name := range []string{"access_token", "token", "api_key", "authorization", "bearer"} {
			s.Get("", "/v2/user?"+name+"="+token).Want(t, 401)
			s.Get("", "/v2/user?"+name+"="+url.QueryEscape("Bearer "+token)).Want(t, 401)
			form := testkit.Request{Method: "POST", Path: "/v2/organizations/acme-inc/clusters", Body: name + "=" + token,
				Header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}
			s.Do(form).Want(t, 401)
		}
		for _, name := range []string{"X-Api-Key", "X-Auth-Token", "Proxy-Authorization", "X-Authorization", "Private-Token"} {
			s.Do(testkit.Request{Method: "GET", Path: "/v2/user", Header: map[string]string{name: "Bearer " + token}}).Want(t, 401)
		}
		s.Get("", strings.Replace(s.URL, "http://", "http://"+token+":@", 1)+"/v2/user").Want(t, 401)

		// Two headers could be read differently by a proxy in between.
		api := surfaceAPI(s, nil)
		for _, others := range []string{"Bearer wrong", "Basic eDp5", "", "Bearer " + testkit.MemberToken, "Bearer " + token} {
			for _, order := range [][]string{{"Bearer " + token, others}, {others, "Bearer " + token}} {
				answer := surfaceServed(api, "GET", "/v2/user", "", conventionsFrom, "Authorization", order[0], "Authorization", order[1])
				if answer.Code != 401 {
					t.Errorf("two headers %q: %d %s", order, answer.Code, answer.Body)
				}
			}
		}
	})
}

func TestMissingAndDeadTokensAreUnauthenticated(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		expiry := s.Clock.Now().Add(time.Hour)
		expiring := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.ExpiresAt = &expiry })
		revoked := surfaceTokenOf(t, s, "admin@example.com", nil)
		if err := s.Service.RevokeAPIToken(t.Context(), authz.OperatorActor(), revoked); err != nil {
			t.Fatal(err)
		}
		agent := s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), `{"description": "agents"}`).Want(t, 201).Text("token")

		s.Clock.Advance(time.Hour - time.Millisecond)
		s.Get(expiring, "/v2/user").Want(t, 200)
		s.Clock.Advance(time.Millisecond)
		s.Get(expiring, "/v2/user").Want(t, 401)
		s.Clock.Advance(time.Millisecond)

		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return e.needs != needsNothing }) {
			path := e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)
			for _, token := range []string{"", "token-that-nobody-has-made", expiring, revoked, agent, strings.Repeat("x", 10_000)} {
				answer := e.call(s, token, path).WantMessage(t, 401,
					"Authentication required. Please supply a valid API Access Token: "+s.URL+"/docs#authentication")
				if got := answer.Header.Values("WWW-Authenticate"); len(got) != 1 || got[0] != "Bearer" {
					t.Errorf("WWW-Authenticate is %q: %s", got, answer)
				}
			}
		}
	})
}

// TestRevokedTokenDiesOnItsOpenConnection revokes a token between two requests on one connection, as another
// process would: through the database.
func TestRevokedTokenDiesOnItsOpenConnection(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		token := surfaceTokenOf(t, s, "admin@example.com", nil)
		connection, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = connection.Close() }()
		in := bufio.NewReader(connection)
		status := func() int {
			t.Helper()
			fmt.Fprintf(connection, "GET /v2/organizations/acme-inc/clusters HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", token)
			response, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Fatal(err)
			}
			return response.StatusCode
		}
		for range 3 {
			if got := status(); got != 200 {
				t.Fatalf("before: %d", got)
			}
		}
		if err := service.New(service.Options{Core: core.New(core.Options{DB: s.DB})}).RevokeAPIToken(t.Context(), authz.OperatorActor(), token); err != nil {
			t.Fatal(err)
		}
		if got := status(); got != 401 {
			t.Errorf("after: %d", got)
		}
	})
}

func TestUnreachableOrganizationsAreNotFound(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		// The outsider's token is for another organization; a third one is granted none, a fourth another one.
		s.Bootstrap(`
users: [{email: both@example.com, name: Both}]
organizations:
  - {slug: third, name: Third, members: [{user: both@example.com, role: admin}]}
  - {slug: fourth, name: Fourth, members: [{user: both@example.com, role: admin}]}
tokens: [{user: both@example.com, token: token-for-the-third-only, description: x, organizations: [third], scopes: [read_clusters, write_clusters, read_organizations]}]
`)
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return strings.Contains(e.path, "{org}") }) {
			for what, c := range map[string]struct{ token, path string }{
				"missing":               {testkit.AdminToken, e.at("nowhere", testkit.MaintainedID, testkit.QueueID)},
				"no member":             {testkit.OutsiderToken, e.at("acme-inc", testkit.MaintainedID, testkit.QueueID)},
				"no member, own things": {testkit.AdminToken, e.at(testkit.ElsewhereSlug, testkit.MaintainedID, testkit.QueueID)},
				"not granted":           {testkit.UngrantedToken, e.at("acme-inc", testkit.MaintainedID, testkit.QueueID)},
				"member, not granted":   {"token-for-the-third-only", e.at("fourth", testkit.MaintainedID, testkit.QueueID)},
			} {
				if answer := e.call(s, c.token, c.path); answer.Status != 404 || answer.Message() != "No organization found" {
					t.Errorf("%s: %s", what, answer)
				}
			}
		}
		s.Get("token-for-the-third-only", "/v2/organizations/third").Want(t, 200)
	})
}

func TestTokenStopsWorkingWhenItsUserLeaves(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const clusters = "/v2/organizations/acme-inc/clusters"
		gone := func(token string) {
			t.Helper()
			s.Get(token, clusters).WantMessage(t, 404, "No organization found")
			s.Delete(token, testkit.ClusterPath(testkit.MaintainedID)).WantMessage(t, 404, "No organization found")
			s.Get(token, "/v2/user").Want(t, 200) // the token itself lives
		}
		s.Get(testkit.MaintainerToken, clusters).Want(t, 200)
		testkit.Change(t, s.DB, `DELETE FROM organization_members WHERE user_id = $1`, testkit.MaintainerID)
		gone(testkit.MaintainerToken)

		// Who comes back gets no old grants back, nor the maintainer's permission.
		admin := authz.OperatorActor()
		if err := s.Service.AddMember(t.Context(), admin, "acme-inc", "maintainer@example.com", domain.RoleMember); err != nil {
			t.Fatal(err)
		}
		gone(testkit.MaintainerToken)
		token := surfaceTokenOf(t, s, "maintainer@example.com", nil)
		s.Get(token, clusters).Want(t, 200)
		s.Get(token, testkit.ClusterPath(testkit.MaintainedID, "tokens")).WantMessage(t, 403, "Forbidden")

		// Only the grant is taken away.
		testkit.Change(t, s.DB, `DELETE FROM api_token_organizations WHERE token_id = (SELECT id FROM api_tokens WHERE hash = $1)`,
			domain.HashToken(testkit.TeammateToken))
		gone(testkit.TeammateToken)
		s.Get(surfaceTokenOf(t, s, "teammate@example.com", nil), clusters).Want(t, 200)

		// Who leaves the team, or the administrators, loses what came with it at once.
		teammate := surfaceTokenOf(t, s, "teammate@example.com", nil)
		s.Get(teammate, testkit.ClusterPath(testkit.MaintainedID, "tokens")).Want(t, 200)
		testkit.Change(t, s.DB, `DELETE FROM team_members WHERE user_id = $1`, testkit.TeammateID)
		s.Get(teammate, testkit.ClusterPath(testkit.MaintainedID, "tokens")).WantMessage(t, 403, "Forbidden")
		testkit.Change(t, s.DB, `UPDATE organization_members SET role = 'member' WHERE user_id = $1`, testkit.AdminID)
		s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens")).WantMessage(t, 403, "Forbidden")
	})
}

// addressCase is a list of allowed addresses, a caller, and whether the caller is let in.
type addressCase struct {
	allowed, from string
	ok            bool
}

var addressCases = []addressCase{
	{"", "203.0.113.9:1", true},
	{"192.0.2.0/24", "192.0.2.200:1", true},
	{"192.0.2.0/24", "192.0.3.1:1", false},
	{"192.0.2.7", "192.0.2.7:1", true},
	{"192.0.2.7", "192.0.2.8:1", false},
	{"10.0.0.0/8 192.0.2.0/24", "192.0.2.1:1", true},
	{"192.0.2.0/24", "[::ffff:192.0.2.1]:1", true}, // an IPv4 address written as IPv6
	{"192.0.2.0/24", "[::ffff:198.51.100.1]:1", false},
	{"::ffff:192.0.2.0/120", "192.0.2.1:1", true},
	{"::/0", "192.0.2.1:1", false}, // every IPv6 address
	{"0.0.0.0/0", "[2001:db8::1]:1", false},
	{"0.0.0.0/0", "192.0.2.1:1", true},
	{"2001:db8::/32", "[2001:db8:1::1]:1", true},
	{"2001:db8::/32", "[2001:db9::1]:1", false},
	{"fe80::/10", "[fe80::1%eth0]:1", true},
	{"192.0.2.0/24", "", false}, // unknown
	{"192.0.2.0/24", "@", false},
	{"192.0.2.0/24", "192.0.2.1", false},
}

func TestTokenAddressesAreEnforced(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		api := surfaceAPI(s, nil)
		for _, c := range addressCases {
			token := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.AllowedIPAddresses = c.allowed })
			for _, path := range []string{"/v2/user", "/v2/access-token", "/v2/organizations", testkit.ClusterPath(testkit.MaintainedID), "/v2/organizations/nowhere"} {
				answer := surfaceServed(api, "GET", path, "", c.from, "Authorization", "Bearer "+token)
				if refused := answer.Code == 403 && strings.Contains(answer.Body.String(), `"`+addressRefused+`"`); refused == c.ok {
					t.Errorf("%+v: %s: %d %s", c, path, answer.Code, answer.Body)
				}
			}
		}
		token := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.AllowedIPAddresses = "192.0.2.0/24" })
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return e.needs != needsNothing }) {
			e.call(s, token, e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)).WantMessage(t, 403, addressRefused)
		}
		s.Get(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID)).Want(t, 200) // nothing was deleted
	})
}

func TestOrganizationAddressesAreEnforced(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		api := surfaceAPI(s, nil)
		for _, c := range addressCases {
			testkit.Change(t, s.DB, `UPDATE organizations SET allowed_api_ip_addresses = $1 WHERE slug = 'acme-inc'`, c.allowed)
			for _, path := range []string{"/v2/organizations/acme-inc", testkit.ClusterPath(testkit.MaintainedID)} {
				answer := surfaceServed(api, "GET", path, "", c.from, "Authorization", "Bearer "+testkit.AdminToken)
				if refused := answer.Code == 403 && strings.Contains(answer.Body.String(), `"`+addressRefused+`"`); refused == c.ok {
					t.Errorf("%+v: %s: %d %s", c, path, answer.Code, answer.Body)
				}
			}
		}
		testkit.Change(t, s.DB, `UPDATE organizations SET allowed_api_ip_addresses = '192.0.2.0/24' WHERE slug = 'acme-inc'`)
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return strings.Contains(e.path, "{org}") }) {
			e.call(s, testkit.AdminToken, e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)).WantMessage(t, 403, addressRefused)
			// A stranger does not learn that the organization has such a list.
			e.call(s, testkit.OutsiderToken, e.at(testkit.Organization, testkit.MaintainedID, testkit.QueueID)).WantMessage(t, 404, "No organization found")
		}
		s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere").Want(t, 200)
	})
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { // the list of a bootstrap file
		s := testkit.NewServer(t, d, testkit.ServerOptions{Bootstrap: `
organizations:
  - {slug: fenced, name: Fenced, settings: {allowed_api_ip_addresses: "192.0.2.0/24 2001:db8::/32"}, members: [{user: admin@example.com, role: admin}]}
tokens: [{user: admin@example.com, token: token-for-the-fenced-one, description: x, organizations: [fenced], scopes: [read_organizations]}]
`})
		for from, status := range map[string]int{"192.0.2.1:1": 200, "[2001:db8::1]:1": 200, "198.51.100.1:1": 403} {
			answer := surfaceServed(surfaceAPI(s, nil), "GET", "/v2/organizations/fenced", "", from, "Authorization", "Bearer token-for-the-fenced-one")
			if answer.Code != status {
				t.Errorf("%s: %d %s", from, answer.Code, answer.Body)
			}
		}
	})
}

func TestForwardedForIsBelievedFromTrustedProxiesOnly(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		const client = "192.0.2.1" // the one address that the token allows
		token := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.AllowedIPAddresses = client })
		proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
		for _, c := range []struct {
			trusted   []netip.Prefix
			from      string
			forwarded []string // headers
			ok        bool
		}{
			// Nobody is trusted: the connection alone counts.
			{nil, client + ":1", nil, true},
			{nil, client + ":1", []string{"203.0.113.9"}, true},
			{nil, "203.0.113.9:1", []string{client}, false},
			{nil, "10.0.0.1:1", []string{client}, false},
			{nil, "127.0.0.1:1", []string{client}, false},
			// The connection is not a trusted proxy's.
			{proxies, client + ":1", []string{"203.0.113.9"}, true},
			{proxies, "203.0.113.9:1", []string{client}, false},
			{proxies, "203.0.113.9:1", []string{client + ", 10.0.0.1"}, false},
			// It is: the last address that a trusted proxy saw counts.
			{proxies, "10.0.0.1:1", []string{client}, true},
			{proxies, "[::ffff:10.0.0.1]:1", []string{client}, true},
			{proxies, "[2001:db8::1]:1", []string{"::ffff:" + client}, true},
			{proxies, "10.0.0.1:1", []string{"203.0.113.9"}, false},
			{proxies, "10.0.0.1:1", []string{client + ", 10.0.0.2, 2001:db8::7"}, true},
			{proxies, "10.0.0.1:1", []string{client, "10.0.0.2"}, true},
			{proxies, "10.0.0.1:1", []string{client + ":4711"}, true},
			{proxies, "10.0.0.1:1", nil, false}, // the proxy itself asks
			// The caller's own claims stand further to the left.
			{proxies, "10.0.0.1:1", []string{client + ", 203.0.113.9"}, false},
			{proxies, "10.0.0.1:1", []string{client, "203.0.113.9"}, false},
			{proxies, "10.0.0.1:1", []string{client + ", 203.0.113.9, 10.0.0.2"}, false},
			{proxies, "10.0.0.1:1", []string{client + ", 203.0.113.9, " + "10.0.0.2", "10.0.0.3"}, false},
			{proxies, "10.0.0.1:1", []string{"nonsense, " + client}, true},
			{proxies, "10.0.0.1:1", []string{client + ", nonsense"}, false},
		} {
			api := surfaceAPI(s, func(o *rest.Options) { o.TrustedProxies = c.trusted })
			headers := []string{"Authorization", "Bearer " + token, "X-Real-Ip", client, "Forwarded", "for=" + client, "True-Client-Ip", client}
			for _, value := range c.forwarded {
				headers = append(headers, "X-Forwarded-For", value)
			}
			answer := surfaceServed(api, "GET", "/v2/user", "", c.from, headers...)
			if got := answer.Code == 200; got != c.ok || !got && answer.Code != 403 {
				t.Errorf("%+v: %d %s", c, answer.Code, answer.Body)
			}
		}
		// What a proxy saw and cannot be read is nobody's address: not the proxy's, which an inner network may allow.
		inner := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) { in.AllowedIPAddresses = "10.0.0.0/8" })
		api := surfaceAPI(s, func(o *rest.Options) { o.TrustedProxies = proxies })
		for forwarded, status := range map[string]int{"unknown": 403, "_hidden": 403, "203.0.113.9:4711": 403, "[2001:db9::1]:4711": 403, "10.0.0.7": 200} {
			if answer := surfaceServed(api, "GET", "/v2/user", "", "10.0.0.1:1", "Authorization", "Bearer "+inner, "X-Forwarded-For", forwarded); answer.Code != status {
				t.Errorf("%s: %d %s", forwarded, answer.Code, answer.Body)
			}
		}
	})
}

func TestScopesOfEveryEndpoint(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range everyEndpoint(t, s) {
			only := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) {
				if in.Scopes = nil; e.scope != "" {
					in.Scopes = []string{e.scope}
				}
				if e.scope == "write_portals" {
					in.Scopes = append(in.Scopes, "graphql") // of itself the scope gives a portal no more than it has
				}
			})
			others := surfaceTokenOf(t, s, "admin@example.com", func(in *domain.APITokenInput) {
				in.Scopes = strings.Fields(strings.Replace(" "+strings.Join(in.Scopes, " ")+" ", " "+e.scope+" ", " ", 1))
			})
			path := e.target(t, s)
			if e.scope != "" {
				e.call(s, others, path).WantMessage(t, 403, "Your access token doesn't have the "+e.scope+" scope")
			}
			if e.needs == needsNothing {
				only = ""
			}
			e.call(s, only, path).Want(t, e.status)
		}
	})
}

func TestPermissionsOfEveryEndpoint(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range everyEndpoint(t, s) {
			path := ""
			for _, email := range []string{"member@example.com", "maintainer@example.com", "teammate@example.com", "admin@example.com"} {
				if path == "" || e.method != "GET" { // reading leaves it as it is
					path = e.target(t, s)
				}
				answer := e.call(s, surfaceTokenOf(t, s, email, nil), path)
				if !e.allows(email) {
					answer.WantMessage(t, 403, "Forbidden")
				} else if answer.Status != e.status {
					t.Errorf("%s: %s", email, answer)
				}
			}
			if e.needs != needsManager || e.isOfAgents() { // whose cluster their path does not name
				continue
			}
			// Maintaining one cluster, or one team, gives nothing in another.
			elsewhere := surfaceMade(t, s, "/v2/organizations/acme-inc/"+e.parent()+"s", `{"name": "`+domain.NewID[string]()+`"}`)
			for _, token := range []string{testkit.MaintainerToken, testkit.TeammateToken} {
				e.call(s, token, e.at("acme-inc", elsewhere, testkit.QueueID)).WantMessage(t, 403, "Forbidden")
			}
		}
	})
}

// missingThings is what is said of a thing that is missing, by its collection.
var missingThings = map[string]string{
	"agents":                 "No agent found",
	"repository_connections": "No repository connection found",
	"services":               "No notification service found",
	"audit_events":           "No audit event found",
	"jobs":                   "No job found",
	"invitations":            "No organization invitation found",
	"queues":                 "No cluster queue found",
	"tokens":                 "No cluster token found",
	"secrets":                "No secret found",
	"maintainers":            "No cluster maintainer found",
	"cache-registries":       "No cache registry found",
	"pipelines":              "No pipeline found",
	"portals":                "No portal found",
	"members":                "No organization member found",
	"team members":           "No team member found",
	"team pipelines":         "No team pipeline found",
}

// wantMissing calls every operation with an id in the place of the cluster's or team's, and of the thing's below it.
func wantMissing(t *testing.T, s *testkit.Server, ids ...string) {
	t.Helper()
	token := surfaceTokenOf(t, s, "admin@example.com", nil)
	for _, e := range surface {
		for _, id := range ids {
			if e.parent() != "" {
				e.call(s, token, e.at("acme-inc", id, testkit.QueueID)).WantMessage(t, 404, "No "+e.parent()+" found")
			}
			if e.collection() != "" {
				e.call(s, token, e.at("acme-inc", testkit.MaintainedID, id)).WantMessage(t, 404, missingThings[e.collection()])
			}
		}
	}
}

func TestMissingThingsAreNamed(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		deleted := surfaceMade(t, s, "/v2/organizations/acme-inc/clusters", `{"name": "Deleted"}`)
		s.Delete(testkit.AdminToken, testkit.ClusterPath(deleted)).Want(t, 204)
		wantMissing(t, s, "0190a000-0000-7000-8000-0000000000ff", testkit.ElsewhereID, deleted, testkit.OutsiderID)

		// What is below one cluster is not below another, and what was deleted is gone.
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return e.inCluster() && e.collection() != "" }) {
			path := e.target(t, s)
			parts := strings.Split(path, "/")
			cluster, collection, id := parts[5], parts[6], parts[7]
			e.call(s, testkit.AdminToken, e.at("acme-inc", testkit.MaintainedID, id)).WantMessage(t, 404, missingThings[collection])
			s.Delete(testkit.AdminToken, testkit.ClusterPath(cluster, collection, id)).Want(t, 204)
			e.call(s, testkit.AdminToken, path).WantMessage(t, 404, missingThings[collection])
		}
	})
}

func TestMalformedUUIDIsNotFound(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		wantMissing(t, s, "0", "not-a-uuid", "Maintained", "default", strings.ReplaceAll(testkit.MaintainedID, "-", ""),
			"%7B"+testkit.MaintainedID+"%7D", "urn:uuid:"+testkit.MaintainedID, testkit.MaintainedID+"0", testkit.MaintainedID[1:],
			"%2F", "%2f%2F", "%2E", "%2E%2E", "%2e%2e%2f"+testkit.MaintainedID, testkit.MaintainedID+"%2F", testkit.MaintainedID+"%00", testkit.MaintainedID+"%20", "%FF", "%C3%BC", "%27%20OR%201=1--", "*", strings.Repeat("a", 2000),
			base64.StdEncoding.EncodeToString([]byte("Cluster---"+testkit.MaintainedID)))
		for _, path := range []string{clustersPath + "/%2F", organizationPath + "/pipelines/%2E%2E"} {
			s.Get("", path).Want(t, 401)
		}
	})
}

// TestOrderOfChecks sends requests in which everything is wrong, and puts one thing after the other right.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	const unknown = "0190a000-0000-7000-8000-0000000000ff"
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		for _, e := range endpointsWith(func(e surfaceEndpoint) bool { return e.parent() != "" }) {
			send := func(token, path, body, contentType string) *testkit.Answer {
				t.Helper()
				return s.Do(testkit.Request{Method: e.method, Path: path, Token: token, Body: body,
					Header: map[string]string{"Content-Type": contentType}})
			}
			garbage := func(token, path string) *testkit.Answer {
				t.Helper()
				return send(token, path+"?page=0&per_page=0&after=&before=", "{", "text/plain")
			}
			unscoped := surfaceTokenOf(t, s, "member@example.com", withoutScopes)
			garbage("wrong", e.at("nowhere", unknown, unknown)).Want(t, 401)
			garbage(unscoped, e.at("nowhere", unknown, unknown)).WantMessage(t, 404, "No organization found")
			garbage(unscoped, e.at("acme-inc", unknown, unknown)).WantMessage(t, 403, "Your access token doesn't have the "+e.scope+" scope")
			garbage(testkit.MemberToken, e.at("acme-inc", unknown, unknown)).WantMessage(t, 404, "No "+e.parent()+" found")
			if e.needs == needsManager {
				garbage(testkit.MemberToken, e.at("acme-inc", testkit.MaintainedID, unknown)).WantMessage(t, 403, "Forbidden")
			}
			if e.collection() != "" {
				garbage(testkit.AdminToken, e.at("acme-inc", testkit.MaintainedID, unknown)).WantMessage(t, 404, missingThings[e.collection()])
			}
			if e.body == "" {
				continue
			}
			path := e.target(t, s)
			send(testkit.MaintainerToken, path, "{", "text/plain").Want(t, 415)
			send(testkit.MaintainerToken, path, strings.Repeat("x", 1<<20+1), "text/plain").Want(t, 415)
			send(testkit.MaintainerToken, path, `{"name": "", "key": 1`, "application/json").Want(t, 400)
			send(testkit.MaintainerToken, path, surfaceWrongTypes, "application/json").Want(t, 422)
		}

		// The permission to destroy a registry comes after the registry, and before its being the default.
		testkit.Change(t, s.DB, `UPDATE organizations SET maintainers_can_destroy_cache_registries = $1 WHERE slug = 'acme-inc'`, false)
		registry := defaultRegistryOf(t, s)
		s.Delete(testkit.MaintainerToken, testkit.ClusterPath(testkit.MaintainedID, "cache-registries", unknown)).WantMessage(t, 404, "No cache registry found")
		s.Delete(testkit.MaintainerToken, registry).WantMessage(t, 403, "Forbidden")
		s.Delete(testkit.AdminToken, registry).Want(t, 422)

		// The permission to create clusters comes before the body.
		testkit.Change(t, s.DB, `UPDATE organizations SET cluster_writes = 'managers' WHERE slug = 'acme-inc'`)
		s.Do(testkit.Request{Method: "POST", Path: "/v2/organizations/acme-inc/clusters", Token: testkit.MemberToken, Body: "{",
			Header: map[string]string{"Content-Type": "text/plain"}}).WantMessage(t, 403, "Forbidden")
	})
}
