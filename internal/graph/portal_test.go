package graph_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/graph"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// portalServer is a server with a portal.
type portalServer struct {
	inOrganization
	uuid, slug, token string
}

var loopback = netip.MustParseAddr("127.0.0.1")

const portalAddress = "/portal/organizations/acme-inc/portals/"

// portal makes a portal that runs the document.
func (s inOrganization) portal(t *testing.T, name, document string) portalServer {
	t.Helper()
	made := s.Post(testkit.AdminToken, acme+"/portals", fields{"name": name, "query": document}).Want(t, 201)
	return portalServer{s, made.Text("uuid"), made.Text("slug"), made.Text("token")}
}

// run sends the body, which may be nil, to the portal.
func (s portalServer) run(token, query string, body any) *testkit.Answer {
	return s.Do(testkit.Request{Method: http.MethodPost, Path: portalAddress + s.slug + query, Token: token, Body: body})
}

const portalDocument = `
	query Cluster($id: ID!) { organization(slug: "acme-inc") { cluster(id: $id) { name } } }
	query Viewer { viewer { id } }
	mutation Pause($queue: ID!, $note: String = "by the portal") {
		clusterQueuePauseDispatch(input: {id: $queue, note: $note}) { queue { dispatchPausedNote dispatchPausedBy { name } } }
	}
	mutation Make($organization: ID!) { clusterCreate(input: {organizationId: $organization, name: "Made"}) { cluster { name createdBy { name } } } }`

func TestPortalsRunTheirOperations(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		p := s.portal(t, "Counts", portalDocument)
		wantEqual(t, wantData(t, p.run(p.token, "?operation_name=Cluster", fields{"id": testkit.MaintainedID, "unknown": 1})),
			fields{"organization": fields{"cluster": fields{"name": "Maintained"}}})
		wantEqual(t, wantData(t, p.run(p.token, "?operation_name=Viewer", nil)), fields{"viewer": nil})
		wantEqual(t, wantData(t, p.run(p.token, "?operation_name=Viewer", fields{})), fields{"viewer": nil})
		for query, body := range map[string]any{
			"": nil, "?operation_name=": nil, "?operation_name=Missing": nil, "?operation_name=Cluster": nil, "?operationName=Viewer": nil,
			"?operation_name=Cluster&x=": fields{"id": nil}, "?operation_name=Cluster&x": fields{"id": 1.5},
		} {
			if answer := p.run(p.token, query, body).Want(t, 200); answer.Message() == "" || answer.Object()["data"] != nil {
				t.Errorf("%q with %v: %s", query, body, answer)
			}
		}
		// The body is the variables, not a request: what it says of a document is a variable that nobody reads.
		wantEqual(t, wantData(t, p.run(p.token, "?operation_name=Viewer", fields{"query": "{ organization(slug: \"acme-inc\") { id } }", "operationName": "Make"})), fields{"viewer": nil})
		single := s.portal(t, "Single", `{ organization(slug: "acme-inc") { name members { count } auditEvents(first: 1) { count } allowedApiIpAddresses } }`)
		data := wantData(t, single.run(single.token, "", nil))
		wantEqual(t, dig(t, data, "organization", "members", "count"), 4.0)
		if count, _ := dig(t, data, "organization", "auditEvents", "count").(float64); count == 0 { // an administrator sees them
			t.Errorf("%v", data)
		}
	})
}

// TestPortalsSeeNoPortals runs documents that ask for portals: with an administrator's rights, but no administrator.
func TestPortalsSeeNoPortals(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		p := s.portal(t, "Curious", `query($id: ID!) { organization(slug: "acme-inc") { portals { count nodes { query } } } node(id: $id) { id } }`)
		wantEqual(t, wantData(t, p.run(p.token, "", fields{"id": global("Portal", p.uuid)})), fields{"organization": fields{"portals": nil}, "node": nil})

		// What an administrator is shown has no values of tokens and secrets.
		secret := s.Post(testkit.AdminToken, acme+"/portals/"+p.slug+"/secrets", fields{}).Want(t, 201).Text("secret")
		answer := s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { portals(first: 9) { nodes { name userInvokable tokens(first: 9) { nodes { description } } secrets(first: 1) { count } } } } }`, nil)
		wantEqual(t, dig(t, wantData(t, answer), "organization", "portals", "nodes"), []any{fields{"name": "Curious", "userInvokable": false,
			"tokens": fields{"nodes": []any{fields{"description": "Created with the portal"}}}, "secrets": fields{"count": 1.0}}})
		if bytes.Contains(answer.Body, []byte(p.token)) || bytes.Contains(answer.Body, []byte(secret)) {
			t.Errorf("a value is shown: %s", answer)
		}
	})
}

func TestPortalsActAsThemselves(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		p := s.portal(t, "Pauses", portalDocument)
		activity := len(column(t, s.Server, `SELECT organization_id || user_id, day FROM activity_days`))
		data := wantData(t, p.run(p.token, "?operation_name=Pause", fields{"queue": global("ClusterQueue", testkit.QueueID)}))
		wantEqual(t, dig(t, data, "clusterQueuePauseDispatch", "queue"), fields{"dispatchPausedNote": "by the portal", "dispatchPausedBy": nil})
		data = wantData(t, p.run(p.token, "?operation_name=Make", fields{"organization": s.id}))
		wantEqual(t, dig(t, data, "clusterCreate", "cluster"), fields{"name": "Made", "createdBy": fields{"name": "Admin"}})
		if now := len(column(t, s.Server, `SELECT organization_id || user_id, day FROM activity_days`)); now != activity {
			t.Errorf("a portal is active as somebody: %d, then %d", activity, now)
		}
		for _, event := range s.Get(testkit.AdminToken, acme+"/audit_events?per_page=2").List() {
			wantEqual(t, event["actor"], fields{"type": "PORTAL", "uuid": p.uuid, "name": "Pauses"})
			wantEqual(t, dig(t, event, "context", "surface"), "portal")
		}
		wantEqual(t, dig(t, wantData(t, s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { auditEvents(first: 1, actorType: [API_APPLICATION]) {
			count nodes { type actor { name type uuid node { __typename } } } } } }`, nil)), "organization", "auditEvents"),
			fields{"count": 2.0, "nodes": []any{fields{"type": "CLUSTER_CREATED", "actor": fields{"name": "Pauses", "type": "API_APPLICATION", "uuid": p.uuid, "node": nil}}}})
		wantError(t, p.run(p.token, "?operation_name=Pause", fields{"queue": global("ClusterQueue", testkit.QueueID)}), "Cluster queue is already paused", "clusterQueuePauseDispatch")
		favorites := s.portal(t, "Favorites", `mutation ($id: ID!) { pipelineFavorite(input: {id: $id, favorite: true}) { clientMutationId } }`)
		wantError(t, favorites.run(favorites.token, "", fields{"id": global("Pipeline", webID)}), forbidden, "pipelineFavorite")
		// Favorites and the like are nobody's.
		own := s.portal(t, "Own", `{ pipeline(slug: "acme-inc/web") { favorite permissions { pipelineFavorite { allowed } pipelineUpdate { allowed } } }
			organization(slug: "acme-inc") { pipelines(order: NAME_WITH_FAVORITES_FIRST, favorite: true) { count } } }`)
		data = wantData(t, own.run(own.token, "", nil))
		wantEqual(t, dig(t, data, "pipeline", "favorite"), false)
		wantEqual(t, dig(t, data, "pipeline", "permissions", "pipelineUpdate", "allowed"), true)
		wantEqual(t, dig(t, data, "pipeline", "permissions", "pipelineFavorite", "allowed"), false)
	})
}

// TestPortalsReachTheirOrganizationOnly asks a portal for everything of another organization, and its own for the same.
func TestPortalsReachTheirOrganizationOnly(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		home := s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere")
		token := s.Get(testkit.OutsiderToken, "/v2/access-token").Text("uuid")
		membership := s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere/members/"+testkit.OutsiderID).Text("membership_graphql_id")
		event := s.Post(testkit.OutsiderToken, "/v2/organizations/elsewhere/clusters", fields{"name": "Theirs"}).Want(t, 201)
		nodes := s.portal(t, "Nodes", `query ($id: ID!) { node(id: $id) { __typename id } }`)
		for _, id := range []string{
			home.Text("graphql_id"), global("Cluster", testkit.ElsewhereID), event.Text("graphql_id"), global("ClusterQueue", foreignQueueID), global("Pipeline", foreignPipelineID),
			global("Team", foreignTeamID), global("User", testkit.OutsiderID), membership, global("APIAccessToken", token), global("Viewer", testkit.OutsiderID),
			global("Viewer", testkit.AdminID), global("Email", testkit.AdminID), global("Viewer", nodes.uuid), global("Portal", nodes.uuid), global("User", noSuchID),
		} {
			wantEqual(t, wantData(t, nodes.run(nodes.token, "", fields{"id": id})), fields{"node": nil})
		}
		for _, id := range []string{s.id, global("Cluster", testkit.MaintainedID), global("Pipeline", webID), global("Team", hiddenTeamID), global("User", testkit.AdminID)} {
			wantEqual(t, dig(t, wantData(t, nodes.run(nodes.token, "", fields{"id": id})), "node", "id"), id)
		}
		lookups := s.portal(t, "Look-ups", `query ($uuid: ID!, $pipeline: ID!, $member: ID!) {
			a: organization(slug: "elsewhere") { id } b: organization(uuid: $uuid) { id } c: pipeline(slug: "elsewhere/theirs") { id } d: pipeline(uuid: $pipeline) { id }
			e: team(slug: "elsewhere/theirs") { id } f: organizationMember(slug: $member) { id } g: viewer { organizations { count } } }`)
		for name, value := range wantData(t, lookups.run(lookups.token, "", fields{"uuid": home.Text("id"), "pipeline": foreignPipelineID, "member": "elsewhere/" + uuidOf(membership)})) {
			if value != nil {
				t.Errorf("%s is %v", name, value)
			}
		}
		changes := s.portal(t, "Changes", `mutation ($organization: ID!, $cluster: ID!, $pipeline: ID!, $queue: ID!) {
			a: clusterCreate(input: {organizationId: $organization, name: "X"}) { clientMutationId }
			b: clusterDelete(input: {organizationId: $organization, id: $cluster}) { clientMutationId }
			c: pipelineDelete(input: {id: $pipeline}) { clientMutationId }
			d: clusterQueuePauseDispatch(input: {id: $queue}) { clientMutationId } }`)
		answer := changes.run(changes.token, "", fields{"organization": home.Text("graphql_id"), "cluster": global("Cluster", testkit.ElsewhereID),
			"pipeline": global("Pipeline", foreignPipelineID), "queue": global("ClusterQueue", foreignQueueID)})
		wantEqual(t, answer.Object()["data"], fields{"a": nil, "b": nil, "c": nil, "d": nil})
		messages := testkit.Column(toObjects(answer.Object()["errors"]), "message")
		wantEqual(t, messages, []any{"No organization found", "No organization found", "No pipeline found", "No cluster queue found"})
	})
}

func toObjects(list any) (objects []map[string]any) {
	for _, one := range list.([]any) {
		objects = append(objects, one.(fields))
	}
	return objects
}

func TestPortalCredentials(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		p, other := s.portal(t, "First", `{ organization(slug: "acme-inc") { name } }`), s.portal(t, "Other", `{ organization(slug: "acme-inc") { name } }`)
		refusal := p.run("", "", nil).WantMessage(t, 401, "Authentication required. Please supply a valid API Access Token: "+s.URL+"/docs#authentication")
		same := func(answer *testkit.Answer) {
			t.Helper()
			if answer.Status != 401 || !bytes.Equal(answer.Body, refusal.Body) || answer.Header.Get("Www-Authenticate") != "Bearer" {
				t.Errorf("%s", answer)
			}
		}
		missing := p
		missing.slug = "missing"
		for _, token := range []string{"x", testkit.AdminToken, other.token, p.token + "x", strings.ToUpper(p.token)} {
			same(p.run(token, "", nil))
			same(missing.run(token, "", nil))
		}
		same(missing.run(p.token, "", nil))
		same(s.Do(testkit.Request{Method: "POST", Path: "/portal/organizations/elsewhere/portals/first", Token: p.token}))
		same(s.Do(testkit.Request{Method: "POST", Path: "/portal/organizations/missing/portals/first", Token: p.token}))
		s.GraphQL(p.token, `{ __typename }`, nil).Want(t, 401)
		s.Get(p.token, acme).Want(t, 401)
		wantData(t, p.run(p.token, "", nil))

		// What ends, ends at once.
		tokens := acme + "/portals/first/tokens"
		second := s.Post(testkit.AdminToken, tokens, fields{"description": "Second"}).Want(t, 201)
		wantData(t, p.run(second.Text("token"), "", nil))
		s.Delete(testkit.AdminToken, tokens+"/"+second.Text("uuid")).Want(t, 204)
		same(p.run(second.Text("token"), "", nil))
		wantData(t, p.run(p.token, "", nil))
		s.Delete(testkit.AdminToken, acme+"/portals/first").Want(t, 204)
		same(p.run(p.token, "", nil))
		wantData(t, other.run(other.token, "", nil))
	})
}

func TestPortalAddresses(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		p := s.portal(t, "First", `{ organization(slug: "acme-inc") { name } }`)
		secret := s.Post(testkit.AdminToken, acme+"/portals/first/secrets", nil).Want(t, 201).Text("secret")
		ephemeral := p.grant(fields{"secret": secret}).Want(t, 200).Text("token")
		s.Patch(testkit.AdminToken, acme+"/portals/first", fields{"allowed_ip_addresses": "198.51.100.0/24"}).Want(t, 200)
		for _, answer := range []*testkit.Answer{p.run(p.token, "", nil), p.run(ephemeral, "", nil), p.grant(fields{"secret": secret})} {
			answer.WantMessage(t, 403, "Your IP address is not allowed")
		}
		p.run("x", "", nil).Want(t, 401)
		s.Patch(testkit.AdminToken, acme+"/portals/first", fields{"allowed_ip_addresses": "127.0.0.0/8 ::1"}).Want(t, 200)
		wantData(t, p.run(p.token, "", nil))
		wantData(t, p.run(ephemeral, "", nil))
	})
}

// grant asks for an ephemeral token, with what is set instead of what is right.
func (s portalServer) grant(set fields) *testkit.Answer {
	body := fields{"grant_type": "client_credentials", "client_id": s.uuid}
	for member, value := range set {
		if body[member] = value; value == (removed{}) {
			delete(body, member)
		}
	}
	return s.Do(testkit.Request{Method: "POST", Path: portalAddress + s.slug + "/tokens", Body: body})
}

func TestEphemeralTokensOfPortals(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		p, other := s.portal(t, "First", `{ organization(slug: "acme-inc") { name } }`), s.portal(t, "Other", `{ organization(slug: "acme-inc") { name } }`)
		made := s.Post(testkit.AdminToken, acme+"/portals/first/secrets", nil).Want(t, 201)
		secret := made.Text("secret")
		for minutes, expiry := range map[any]string{1: "2026-05-03T04:18:55.867Z", 60: "2026-05-03T05:17:55.867Z", nil: "2026-05-03T05:17:55.867Z", removed{}: "2026-05-03T05:17:55.867Z"} {
			answer := p.grant(fields{"secret": secret, "expires_in": minutes}).Want(t, 200)
			wantEqual(t, answer.Text("expires_at"), expiry)
			wantEqual(t, answer.Header.Get("Cache-Control"), "no-store")
			if !testkit.IsToken(domain.PortalTokenKind, answer.Text("token")) || len(answer.Object()) != 2 {
				t.Errorf("%s", answer)
			}
			wantData(t, p.run(answer.Text("token"), "", nil))
			other.run(answer.Text("token"), "", nil).Want(t, 401)
			s.GraphQL(answer.Text("token"), `{ __typename }`, nil).Want(t, 401)
		}
		for _, minutes := range []any{0, -1, 61, 1 << 40} {
			p.grant(fields{"secret": secret, "expires_in": minutes}).WantMessage(t, 422, "Validation failed: Expires in must be a number of minutes from 1 to 60")
		}
		for _, minutes := range []any{"60", 1.5, true, []int{1}} {
			p.grant(fields{"secret": secret, "expires_in": minutes}).WantMessage(t, 422, "Validation failed: expires_in must be a whole number")
		}
		p.grant(fields{"secret": secret, "grant_type": 1, "expires_in": "5"}).
			WantMessage(t, 422, "Validation failed: grant_type must be a string, expires_in must be a whole number")
		for _, grant := range []any{"password", "", nil, removed{}} {
			p.grant(fields{"secret": secret, "grant_type": grant}).WantMessage(t, 422, "Validation failed: Grant type must be client_credentials, or device_code with a code")
		}
		refusal := p.grant(fields{"secret": "x"}).Want(t, 401)
		others := s.Post(testkit.AdminToken, acme+"/portals/other/secrets", nil).Want(t, 201).Text("secret")
		missing := p
		missing.slug = "missing"
		for what, answer := range map[string]*testkit.Answer{
			"no secret":             p.grant(nil),
			"an empty secret":       p.grant(fields{"secret": ""}),
			"another's secret":      p.grant(fields{"secret": others}),
			"a token":               p.grant(fields{"secret": p.token}),
			"another's id":          p.grant(fields{"secret": secret, "client_id": other.uuid}),
			"no id":                 p.grant(fields{"secret": secret, "client_id": removed{}}),
			"a slug":                p.grant(fields{"secret": secret, "client_id": "first"}),
			"no portal":             missing.grant(fields{"secret": secret}),
			"another portal":        other.grant(fields{"secret": secret, "client_id": p.uuid}),
			"a secret of no type":   p.grant(fields{"secret": 5}),
			"an id of no type":      p.grant(fields{"secret": secret, "client_id": []string{p.uuid}}),
			"wrong types as well":   p.grant(fields{"secret": "x", "grant_type": 1, "expires_in": "5"}),
			"wrong in several ways": p.grant(fields{"secret": "x", "grant_type": "x", "expires_in": 0}),
		} {
			if answer.Status != 401 || !bytes.Equal(answer.Body, refusal.Body) {
				t.Errorf("%s: %s", what, answer)
			}
		}
		// It ends when it expires, or its secret goes.
		first, second := p.grant(fields{"secret": secret, "expires_in": 1}).Text("token"), p.grant(fields{"secret": secret}).Text("token")
		s.Clock.Advance(time.Minute)
		p.run(first, "", nil).Want(t, 401)
		wantData(t, p.run(second, "", nil))
		s.Delete(testkit.AdminToken, acme+"/portals/first/secrets/"+made.Text("uuid")).Want(t, 204)
		p.run(second, "", nil).Want(t, 401)
		p.grant(fields{"secret": secret}).Want(t, 401)
		wantData(t, p.run(p.token, "", nil))
		events := s.Get(testkit.AdminToken, acme+"/audit_events?per_page=100&type=PORTAL_TOKEN_CREATED").List()
		if len(events) != 6 || bytes.Contains(fmt.Append(nil, events), []byte(second)) {
			t.Errorf("the events are %v", events)
		}
	})
}

func TestPortalRequests(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		p := s.portal(t, "First", `query ($slug: ID = "acme-inc") { organization(slug: $slug) { slug } }`)
		path := portalAddress + "first"
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			for _, path := range []string{path, path + "/tokens"} {
				answer := s.Do(testkit.Request{Method: method, Path: path, Token: p.token}).Want(t, 405)
				wantEqual(t, answer.Header.Get("Allow"), "OPTIONS, POST")
			}
		}
		for _, media := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/graphql"} {
			for _, path := range []string{path, path + "/tokens"} {
				s.Do(testkit.Request{Method: "POST", Path: path, Token: p.token, Body: `{}`, Header: map[string]string{"Content-Type": media}}).Want(t, 415)
			}
		}
		for _, body := range []string{"{", "[]", "1", `"{}"`, "null", " ", `{"slug": "a", "slug": "b"}`, "{} {}", "{\"a\": \"\xff\"}"} {
			s.Do(testkit.Request{Method: "POST", Path: path, Token: p.token, Body: body}).WantMessage(t, 400, "The body must be a JSON object: the variables")
			s.Do(testkit.Request{Method: "POST", Path: path + "/tokens", Body: body}).Want(t, 400)
		}
		large := `{"slug": "` + strings.Repeat("a", 1<<20) + `"}`
		s.Do(testkit.Request{Method: "POST", Path: path, Token: p.token, Body: large}).Want(t, 413)
		s.Do(testkit.Request{Method: "POST", Path: path + "/tokens", Body: large}).Want(t, 413)
		s.Do(testkit.Request{Method: "POST", Path: path, Token: "x", Body: large}).Want(t, 401) // a stranger's body is not read
		for _, path := range []string{
			"/portal/", "/portal//x", "/portal/./x", "/portal/organizations/../x", "/portal/organizations/acme-inc/portals",
			path + "/", path + "//tokens", path + "/tokens/x", path + "/secrets",
		} {
			s.Do(testkit.Request{Method: "POST", Path: path, Token: p.token}).WantMessage(t, 404, "Not found")
		}
		answer := s.Do(testkit.Request{Method: "POST", Path: path, Token: p.token, Body: `{}`, Header: map[string]string{"Content-Type": "application/json; charset=utf-8"}})
		wantEqual(t, wantData(t, answer), fields{"organization": fields{"slug": "acme-inc"}})
		wantEqual(t, []string{answer.Header.Get("RateLimit-Complexity-Requested"), answer.Header.Get("RateLimit-Complexity-Actual")}, []string{"1", "1"})
	})
}

// TestDocumentsOfPortalsAreChecked stores documents, good ones and others.
func TestDocumentsOfPortalsAreChecked(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		s.portal(t, "Good", `query A { viewer { id } } mutation B { pipelineFavorite(input: {id: "x", favorite: true}) { clientMutationId } }`)
		for _, document := range []string{
			"{", "{ missing }", "fragment F on Query { viewer { id } }", "{ viewer { id } } { viewer { id } }", "query A { viewer { id } } query A { viewer { id } }",
			`query ($id: ID) { node(id: $id) { id } }`, `subscription { viewer { id } }`, strings.Repeat("{ viewer ", 20), `type X { y: Int }`,
			`{ organization(slug: "acme-inc") { clusters { nodes { ` + strings.Repeat("queues { nodes { cluster { ", 5) + "id" + strings.Repeat(" } } }", 5) + ` } } } }`, // too deep
		} {
			answer := s.Post(testkit.AdminToken, acme+"/portals", fields{"name": "Bad", "query": document}).Want(t, 422)
			again := s.Patch(testkit.AdminToken, acme+"/portals/good", fields{"query": document}).Want(t, 422)
			if !strings.HasPrefix(answer.Message(), "Validation failed: Query ") || answer.Message() != again.Message() {
				t.Errorf("%s: %s and %s", document, answer, again)
			}
		}
		s.Get(testkit.AdminToken, acme+"/portals/bad").Want(t, 404)
	})
}

// TestAStoredDocumentThatTheSchemaBreaksIsNamed has a document that was good with another schema.
func TestAStoredDocumentThatTheSchemaBreaksIsNamed(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		s.portal(t, "Good", "{ viewer { id } }")
		s.portal(t, "Broken", "{ viewer { id } }")
		api := graph.New(graph.Options{Service: s.Service, Reader: s.Reader})
		check := func() error {
			documents, err := s.Service.PortalDocuments(t.Context(), authz.OperatorActor())
			if err != nil {
				t.Fatal(err)
			}
			return api.CheckPortals(documents)
		}
		if err := check(); err != nil {
			t.Errorf("all are good: %v", err)
		}
		testkit.Exec(t, s.DB, `UPDATE portals SET query = '{ viewer { gone } }' WHERE slug = 'broken'`)
		err := check()
		if err == nil || !strings.Contains(err.Error(), "acme-inc/broken") || !strings.Contains(err.Error(), "gone") || strings.Contains(err.Error(), "acme-inc/good") {
			t.Errorf("the error is %v", err)
		}
	})
}

// TestAdministratorsTryPortals runs a portal's document as the portal does.
func TestAdministratorsTryPortals(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		p := s.portal(t, "First", `query A($slug: ID!) { organization(slug: $slug) { slug } } query B { viewer { user { name } } }`)
		api := graph.New(graph.Options{Service: s.Service, Reader: s.Reader})
		ref := domain.PortalRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, Slug: p.slug}
		try := func(actor authz.Actor, asSelf bool, operation, variables string) string {
			body, err := api.RunPortal(context.Background(), actor, ref, asSelf, operation, []byte(variables))
			if err != nil {
				return err.Error()
			}
			return string(body)
		}
		admin, member := s.session(t, "admin@example.com"), s.session(t, "member@example.com")
		wantEqual(t, try(admin, false, "A", `{"slug": "acme-inc"}`), `{"data":{"organization":{"slug":"acme-inc"}}}`)
		wantEqual(t, try(admin, false, "B", ""), `{"data":{"viewer":null}}`)
		wantEqual(t, try(admin, false, "A", "["), "Validation failed: Variables must be a JSON object")
		wantEqual(t, try(admin, true, "B", ""), "No portal found") // members may not run it
		wantEqual(t, try(member, true, "B", ""), "No portal found")
		wantEqual(t, try(member, false, "B", ""), forbidden)
		wantEqual(t, try(authz.TokenActor(authz.REST, testkit.AdminToken, loopback), false, "B", ""), forbidden) // a token makes no token
		wantEqual(t, try(authz.SessionActor("x", loopback), false, "B", ""), core.ErrUnauthenticated.Error())
		s.Patch(testkit.AdminToken, acme+"/portals/"+p.slug, `{"user_invokable": true}`).Want(t, 200)
		answer := s.GraphQL(testkit.AdminToken, `query ($id: ID!) { node(id: $id) { ... on Portal { userInvokable } } }`, fields{"id": global("Portal", p.uuid)})
		wantEqual(t, wantData(t, answer)["node"], any(fields{"userInvokable": true}))
		wantEqual(t, try(member, true, "B", ""), `{"data":{"viewer":{"user":{"name":"Member"}}}}`)
		wantEqual(t, try(member, false, "B", ""), forbidden)
		wantEqual(t, try(s.session(t, "outsider@example.com"), true, "B", ""), "No organization found")
	})
}

// session is a user who is signed in.
func (s inOrganization) session(t *testing.T, email string) authz.Actor {
	t.Helper()
	value, err := s.Service.SignInWithOIDC(t.Context(), authz.VisitorActor(loopback), domain.VerifiedClaims{Email: email, EmailVerified: true})
	if err != nil {
		t.Fatal(err)
	}
	return authz.SessionActor(value.Reveal(), loopback)
}

// userPortal is a portal that members may run, with what a program does to run it as one of them.
type userPortal struct{ portalServer }

func (p userPortal) post(below string, body any) *testkit.Answer {
	return p.Do(testkit.Request{Method: http.MethodPost, Path: portalAddress + p.slug + below, Body: body})
}

// authorized asks for a code, has a user authorize it, and returns what the program sends for its token.
func (p userPortal) authorized(t *testing.T, email string) fields {
	t.Helper()
	asked := p.post("/codes", nil).Want(t, 200)
	ref := domain.PortalRef{Organization: domain.OrganizationRef{Slug: testkit.Organization}, Slug: p.slug}
	if err := p.Service.AuthorizePortalCode(t.Context(), p.session(t, email), ref, domain.PortalCode(asked.Text("code"))); err != nil {
		t.Fatal(err)
	}
	return fields{"grant_type": "device_code", "code": asked.Text("code"), "secret": asked.Text("secret")}
}

func (s inOrganization) userPortal(t *testing.T, name, document string) userPortal {
	t.Helper()
	p := userPortal{s.portal(t, name, document)}
	s.Patch(testkit.AdminToken, acme+"/portals/"+p.slug, `{"user_invokable": true}`).Want(t, 200)
	return p
}

const userDocument = `
	query Who { viewer { user { email } } organization(slug: "acme-inc") { name auditEvents { count } portals { count } } other: organization(slug: "elsewhere") { name } }
	query Organizations { viewer { organizations { edges { node { slug } } } } }
	mutation Make($organization: ID!) { pipelineCreate(input: {organizationId: $organization, name: "Mine", repository: {url: "r"}}) { pipeline { createdBy { email } } } }
	mutation Rename($id: ID!) { teamUpdate(input: {id: $id, name: "X", defaultMemberRole: MEMBER, isDefaultTeam: false, privacy: VISIBLE}) { team { name } } }`

// TestUsersRunPortalsAsThemselves has a program run a portal as a member who authorized it, with their rights and in their name.
func TestUsersRunPortalsAsThemselves(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		if err := s.Service.AddMember(t.Context(), authz.OperatorActor(), testkit.ElsewhereSlug, "member@example.com", domain.RoleAdmin); err != nil {
			t.Fatal(err)
		}
		p := s.userPortal(t, "Users", userDocument)
		other := s.userPortal(t, "Other", userDocument)
		grant := p.authorized(t, "member@example.com")
		made := p.post("/tokens", grant).Want(t, 200)
		token := made.Text("token")
		if expires := s.Clock.Now().Add(12 * time.Hour).UTC().Format(domain.TimestampLayout); made.Text("expires_at") != expires {
			t.Errorf("it expires at %s, want %s", made.Text("expires_at"), expires)
		}
		wantEqual(t, wantData(t, p.run(token, "?operation_name=Who", nil)), fields{"viewer": fields{"user": fields{"email": "member@example.com"}},
			"organization": fields{"name": "Acme Inc", "auditEvents": nil, "portals": nil}, "other": nil})
		wantEqual(t, dig(t, wantData(t, p.run(token, "?operation_name=Organizations", nil)), "viewer", "organizations", "edges"), []any{fields{"node": fields{"slug": "acme-inc"}}})
		wantEqual(t, dig(t, wantData(t, p.run(token, "?operation_name=Make", fields{"organization": s.id})), "pipelineCreate", "pipeline", "createdBy", "email"), "member@example.com")
		event := s.Get(testkit.AdminToken, acme+"/audit_events?per_page=1").List()[0]
		wantEqual(t, dig(t, event, "actor", "uuid"), testkit.MemberID)
		wantEqual(t, dig(t, event, "context", "surface"), "portal")
		wantError(t, p.run(token, "?operation_name=Rename", fields{"id": global("Team", testkit.TeamID)}), forbidden, "teamUpdate")
		elsewhere := s.Get(testkit.OutsiderToken, "/v2/organizations/elsewhere").Text("graphql_id")
		wantError(t, p.run(token, "?operation_name=Make", fields{"organization": elsewhere}), "No organization found", "pipelineCreate")
		if n := len(column(t, s.Server, `SELECT day, day FROM activity_days WHERE user_id = '`+testkit.MemberID+`'`)); n != 1 {
			t.Errorf("the member was active on %d days here", n)
		}

		// It is worth nothing elsewhere, its code is used up, and it is no token of the portal's own.
		other.run(token, "?operation_name=Who", nil).Want(t, 401)
		s.Get(token, acme).Want(t, 401)
		s.GraphQL(token, `{ __typename }`, nil).Want(t, 401)
		p.post("/tokens", grant).Want(t, 401)
		wantEqual(t, len(s.Get(testkit.AdminToken, acme+"/portals/"+p.slug+"/tokens").List()), 1)

		// An administrator, as themself, manages no portals through one.
		admin := p.post("/tokens", p.authorized(t, "admin@example.com")).Want(t, 200).Text("token")
		wantEqual(t, dig(t, wantData(t, p.run(admin, "?operation_name=Who", nil)), "organization", "portals"), nil)

		// It ends with its time, with the portal's consent, and with the membership, also if they come back.
		s.Patch(testkit.AdminToken, acme+"/portals/"+p.slug, `{"user_invokable": false}`).Want(t, 200)
		p.run(token, "?operation_name=Who", nil).Want(t, 401)
		p.run(p.token, "?operation_name=Who", nil).Want(t, 200)
		s.Patch(testkit.AdminToken, acme+"/portals/"+p.slug, `{"user_invokable": true}`).Want(t, 200)
		p.run(token, "?operation_name=Who", nil).Want(t, 401)
		p.run(admin, "?operation_name=Who", nil).Want(t, 401)
		admin = p.post("/tokens", p.authorized(t, "admin@example.com")).Want(t, 200).Text("token")
		token = p.post("/tokens", p.authorized(t, "member@example.com")).Want(t, 200).Text("token")
		p.run(token, "?operation_name=Who", nil).Want(t, 200)
		s.Delete(testkit.AdminToken, acme+"/members/"+testkit.MemberID).Want(t, 204)
		p.run(token, "?operation_name=Who", nil).Want(t, 401)
		if err := s.Service.AddMember(t.Context(), authz.OperatorActor(), testkit.Organization, "member@example.com", domain.RoleMember); err != nil {
			t.Fatal(err)
		}
		p.run(token, "?operation_name=Who", nil).Want(t, 401)
		p.run(admin, "?operation_name=Who", nil).Want(t, 200)
		disabled := p.post("/tokens", p.authorized(t, "teammate@example.com")).Want(t, 200).Text("token")
		p.run(disabled, "?operation_name=Who", nil).Want(t, 200)
		unused := p.authorized(t, "teammate@example.com")
		if _, err := s.Service.DisableUser(t.Context(), authz.OperatorActor(), "teammate@example.com"); err != nil {
			t.Fatal(err)
		}
		p.run(disabled, "?operation_name=Who", nil).Want(t, 401)
		p.post("/tokens", unused).Want(t, 401)
		s.Clock.Advance(12 * time.Hour)
		p.run(admin, "?operation_name=Who", nil).Want(t, 401)
	})
}

// TestPortalCodes sends codes that are not authorized, not the portal's, expired, or not codes.
func TestPortalCodes(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		p, other := s.userPortal(t, "Users", userDocument), s.userPortal(t, "Other", userDocument)
		before := len(column(t, s.Server, `SELECT code, code FROM portal_token_codes`))
		asked := p.post("/codes", nil).Want(t, 200)
		if asked.Text("authorization_url") != s.URL+"/organizations/acme-inc/portals/users/codes/"+asked.Text("code") || asked.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s", asked)
		}
		if n := len(column(t, s.Server, `SELECT code, code FROM portal_token_codes`)); n != before {
			t.Error("a stranger's question is stored")
		}
		s.Do(testkit.Request{Method: http.MethodPost, Path: "/portal/organizations/x%20y/portals/z/codes"}).Want(t, 404)
		unauthorized := fields{"grant_type": "device_code", "code": asked.Text("code"), "secret": asked.Text("secret")}
		p.post("/tokens", unauthorized).Want(t, 401)

		good := p.authorized(t, "member@example.com")
		for name, change := range map[string]fields{
			"another secret": {"secret": asked.Text("secret")}, "another code": {"code": asked.Text("code")}, "no secret": {"secret": ""}, "no code": {"code": ""},
			"a long one": {"code": strings.Repeat("z", 10_000)},
		} {
			grant := fields{}
			for k, v := range good {
				grant[k] = v
			}
			for k, v := range change {
				grant[k] = v
			}
			if answer := p.post("/tokens", grant); answer.Status != 401 {
				t.Errorf("%s: %s", name, answer)
			}
		}
		other.post("/tokens", good).Want(t, 401)
		for _, minutes := range []int{0, -1, 721} {
			good["expires_in"] = minutes
			p.post("/tokens", good).WantMessage(t, 422, "Validation failed: Expires in must be a number of minutes from 1 to 720")
		}
		good["expires_in"] = 5
		token := p.post("/tokens", good).Want(t, 200).Text("token")
		s.Clock.Advance(5*time.Minute - time.Second)
		p.run(token, "?operation_name=Who", nil).Want(t, 200)
		s.Clock.Advance(time.Second)
		p.run(token, "?operation_name=Who", nil).Want(t, 401)

		late := p.authorized(t, "member@example.com")
		s.Clock.Advance(5 * time.Minute)
		p.post("/tokens", late).Want(t, 401)
		if n, err := s.Service.PrunePortalTokens(t.Context(), authz.OperatorActor()); n == 0 || err != nil {
			t.Errorf("%d pruned, %v", n, err)
		}
		if n := len(column(t, s.Server, `SELECT code, code FROM portal_token_codes`)); n != 0 {
			t.Errorf("%d codes are left", n)
		}

		// Addresses hold for making tokens, and a refusal leaves the code as it was.
		kept := p.authorized(t, "member@example.com")
		s.Patch(testkit.AdminToken, acme+"/portals/"+p.slug, `{"allowed_ip_addresses": "192.0.2.0/24"}`).Want(t, 200)
		p.post("/tokens", kept).Want(t, 403)
		s.Patch(testkit.AdminToken, acme+"/portals/"+p.slug, `{"allowed_ip_addresses": null}`).Want(t, 200)
		p.post("/tokens", kept).Want(t, 200)
		ended := p.authorized(t, "member@example.com")
		s.Patch(testkit.AdminToken, acme+"/portals/"+p.slug, `{"user_invokable": false}`).Want(t, 200)
		p.post("/tokens", ended).Want(t, 401)
		s.Patch(testkit.AdminToken, acme+"/portals/"+p.slug, `{"user_invokable": true}`).Want(t, 200)
		p.post("/tokens", ended).Want(t, 401)

		// One code makes one token, however often it is sent at once.
		raced := p.authorized(t, "member@example.com")
		won := make(chan int, 8)
		for range 8 {
			go func() { won <- p.post("/tokens", raced).Status }()
		}
		tokens := 0
		for range 8 {
			if <-won == 200 {
				tokens++
			}
		}
		if tokens != 1 {
			t.Errorf("one code made %d tokens", tokens)
		}
	})
}

// TestWhatPortalsMakeIsTheirCreators makes everything that has a maker through a portal.
func TestWhatPortalsMakeIsTheirCreators(t *testing.T) {
	t.Parallel()
	eachChanged(t, func(t *testing.T, s inOrganization) {
		p := s.portal(t, "Maker", `mutation ($organization: ID!, $cluster: ID!) {
			clusterCreate(input: {organizationId: $organization, name: "Made"}) { cluster { createdBy { name } } }
			clusterQueueCreate(input: {organizationId: $organization, clusterId: $cluster, key: "made"}) { clusterQueue { createdBy { name } } }
			clusterAgentTokenCreate(input: {organizationId: $organization, clusterId: $cluster, description: "made"}) { clusterAgentToken { createdBy { name } } }
			pipelineCreate(input: {organizationId: $organization, name: "Made", repository: {url: "r"}}) { pipeline { createdBy { name } } }
			teamCreate(input: {organizationID: $organization, name: "Made", privacy: VISIBLE, isDefaultTeam: false, defaultMemberRole: MEMBER}) { teamEdge { node { createdBy { name } } } } }`)
		data := wantData(t, p.run(p.token, "", fields{"organization": s.id, "cluster": global("Cluster", testkit.MaintainedID)}))
		admin := fields{"name": "Admin"}
		wantEqual(t, data, fields{
			"clusterCreate":           fields{"cluster": fields{"createdBy": admin}},
			"clusterQueueCreate":      fields{"clusterQueue": fields{"createdBy": admin}},
			"clusterAgentTokenCreate": fields{"clusterAgentToken": fields{"createdBy": admin}},
			"pipelineCreate":          fields{"pipeline": fields{"createdBy": admin}},
			"teamCreate":              fields{"teamEdge": fields{"node": fields{"createdBy": admin}}},
		})
		for _, path := range []string{"/clusters", "/pipelines", "/teams"} {
			for _, thing := range s.Get(testkit.AdminToken, acme+path+"?per_page=100").List() {
				if thing["name"] == "Made" {
					wantEqual(t, dig(t, thing, "created_by", "name"), "Admin")
				}
			}
		}
		// One whose creator is gone makes what nobody made.
		testkit.Exec(t, s.DB, `UPDATE portals SET created_by = NULL`)
		gone := s.portal(t, "Gone", portalDocument)
		testkit.Exec(t, s.DB, `UPDATE portals SET created_by = NULL`)
		wantEqual(t, dig(t, wantData(t, gone.run(gone.token, "?operation_name=Make", fields{"organization": s.id})), "clusterCreate", "cluster"), fields{"name": "Made", "createdBy": nil})
	})
}
