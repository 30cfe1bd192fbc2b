package rest_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/rest"
	"penstock/internal/testkit"
)

// surfaceEndpoint is an operation of the API: what its caller needs, and a request that succeeds.
type surfaceEndpoint struct {
	method, path string // the path as the API's description has it
	scope        string // that the token needs
	needs        surfaceNeed
	body         string // "": it takes none
	status       int
}

// surfaceNeed is what a caller of an operation must be.
type surfaceNeed int

const (
	nobody  surfaceNeed = iota // needs no token
	bearer                     // of any live token
	member                     // of the organization
	manager                    // of the cluster
)

const (
	surfaceOrganization = "/v2/organizations/{org}"
	surfaceClusters     = surfaceOrganization + "/clusters"
	surfaceCluster      = surfaceClusters + "/{cluster}"
	surfaceQueue        = surfaceCluster + "/queues/{id}"
	surfaceToken        = surfaceCluster + "/tokens/{id}"
	surfaceMaintainer   = surfaceCluster + "/maintainers/{id}"
	surfaceRegistry     = surfaceCluster + "/cache-registries/{id}"

	newMaintainer = `{"user": "` + testkit.MemberID + `"}`
)

var surface = []surfaceEndpoint{
	{"GET", "/v2", "", nobody, "", 200},
	{"GET", "/v2/meta", "", nobody, "", 200},
	{"GET", "/v2/openapi.json", "", nobody, "", 200},
	{"GET", "/v2/user", "read_user", bearer, "", 200},
	{"GET", "/v2/access-token", "", bearer, "", 200},
	{"DELETE", "/v2/access-token", "", bearer, "", 204},
	{"GET", "/v2/organizations", "read_organizations", bearer, "", 200},
	{"GET", surfaceOrganization, "read_organizations", member, "", 200},

	{"GET", surfaceClusters, "read_clusters", member, "", 200},
	{"POST", surfaceClusters, "write_clusters", member, `{"name": "New"}`, 201},
	{"GET", surfaceCluster, "read_clusters", member, "", 200},
	{"PUT", surfaceCluster, "write_clusters", member, `{"name": "Changed"}`, 200},
	{"PATCH", surfaceCluster, "write_clusters", member, `{"name": "Changed"}`, 200},
	{"DELETE", surfaceCluster, "write_clusters", member, "", 204},

	{"GET", surfaceCluster + "/queues", "read_clusters", member, "", 200},
	{"POST", surfaceCluster + "/queues", "write_clusters", manager, `{"key": "new"}`, 201},
	{"GET", surfaceQueue, "read_clusters", member, "", 200},
	{"PUT", surfaceQueue, "write_clusters", manager, `{"description": "Changed"}`, 200},
	{"PATCH", surfaceQueue, "write_clusters", manager, `{"description": "Changed"}`, 200},
	{"DELETE", surfaceQueue, "write_clusters", manager, "", 204},
	{"POST", surfaceQueue + "/pause_dispatch", "write_clusters", manager, `{"note": "Broken"}`, 200},
	{"POST", surfaceQueue + "/resume_dispatch", "write_clusters", manager, "", 200},

	{"GET", surfaceCluster + "/tokens", "read_clusters", manager, "", 200},
	{"POST", surfaceCluster + "/tokens", "write_clusters", manager, `{"description": "New"}`, 201},
	{"GET", surfaceToken, "read_clusters", manager, "", 200},
	{"PUT", surfaceToken, "write_clusters", manager, `{"description": "Changed"}`, 200},
	{"PATCH", surfaceToken, "write_clusters", manager, `{"description": "Changed"}`, 200},
	{"DELETE", surfaceToken, "write_clusters", manager, "", 204},

	{"GET", surfaceCluster + "/maintainers", "read_clusters", member, "", 200},
	{"POST", surfaceCluster + "/maintainers", "write_clusters", manager, newMaintainer, 201},
	{"GET", surfaceMaintainer, "read_clusters", member, "", 200},
	{"DELETE", surfaceMaintainer, "write_clusters", manager, "", 204},

	{"GET", surfaceCluster + "/cache-registries", "read_clusters", manager, "", 200},
	{"POST", surfaceCluster + "/cache-registries", "write_clusters", manager, `{"name": "New"}`, 201},
	{"GET", surfaceRegistry, "read_clusters", manager, "", 200},
	{"PATCH", surfaceRegistry, "write_clusters", manager, `{"name": "Changed"}`, 200},
	{"DELETE", surfaceRegistry, "write_clusters", manager, "", 204},
}

func (e surfaceEndpoint) String() string { return e.method + " " + e.path }

// inCluster reports whether the operation is about a cluster or what is below it.
func (e surfaceEndpoint) inCluster() bool { return strings.HasPrefix(e.path, surfaceCluster) }

// single reports whether the operation reads one thing.
func (e surfaceEndpoint) single() bool {
	return e.method == "GET" && e.needs != nobody && (strings.HasSuffix(e.path, "}") || e.path == "/v2/user" || e.path == "/v2/access-token")
}

// writes reports whether the operation is a PUT, a PATCH or a DELETE.
func (e surfaceEndpoint) writes() bool { return e.method != "GET" && e.method != "POST" }

// everyEndpoint returns the operations, after comparing them with those that the API describes.
func everyEndpoint(t testing.TB, s *testkit.Server) []surfaceEndpoint {
	t.Helper()
	described := map[string]bool{}
	for path, item := range s.Get("", "/v2/openapi.json").Want(t, 200).Object()["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			if method != "parameters" {
				described[strings.ToUpper(method)+" "+path] = true
			}
		}
	}
	for _, e := range surface {
		if !described[e.String()] {
			t.Errorf("%s is not described", e)
		}
		delete(described, e.String())
	}
	for _, endpoint := range slices.Sorted(maps.Keys(described)) {
		t.Errorf("%s is missing in these tests", endpoint)
	}
	return surface
}

// endpointsWith returns the operations that fit.
func endpointsWith(t testing.TB, s *testkit.Server, fits func(surfaceEndpoint) bool) []surfaceEndpoint {
	t.Helper()
	fitting := slices.DeleteFunc(slices.Clone(everyEndpoint(t, s)), func(e surfaceEndpoint) bool { return !fits(e) })
	if len(fitting) == 0 {
		t.Fatal("no operation fits")
	}
	return fitting
}

// at returns the operation's path with the names filled in; without id, a path to the collection stays one.
func (e surfaceEndpoint) at(organization, cluster, id string) string {
	return strings.NewReplacer("{org}", organization, "{cluster}", cluster, "{id}", id).Replace(e.path)
}

// target makes what the operation is about, and returns its path. The cluster is a new one that the maintainer and
// the team maintain.
func (e surfaceEndpoint) target(t testing.TB, s *testkit.Server) string {
	t.Helper()
	if !e.inCluster() {
		return e.at(testkit.Organization, "", "")
	}
	cluster := surfaceMade(t, s, "/v2/organizations/"+testkit.Organization+"/clusters",
		`{"name": "Fresh", "maintainers": [{"user": "`+testkit.MaintainerID+`"}, {"team": "`+testkit.TeamID+`"}]}`)
	if !strings.Contains(e.path, "{id}") {
		return e.at(testkit.Organization, cluster, "")
	}
	collection := strings.Split(e.path, "/")[6]
	bodies := map[string]string{
		"queues":           `{"key": "fresh"}`,
		"tokens":           `{"description": "Fresh"}`,
		"maintainers":      `{"user": "` + testkit.AdminID + `"}`,
		"cache-registries": `{"name": "Fresh"}`,
	}
	id := surfaceMade(t, s, testkit.ClusterPath(cluster, collection), bodies[collection])
	if strings.HasSuffix(e.path, "/resume_dispatch") {
		s.Post(testkit.AdminToken, testkit.ClusterPath(cluster, collection, id, "pause_dispatch"), nil).Want(t, 200)
	}
	return e.at(testkit.Organization, cluster, id)
}

// surfaceMade makes a thing as the administrator and returns its id.
func surfaceMade(t testing.TB, s *testkit.Server, path, body string) string {
	t.Helper()
	answer := s.Post(testkit.AdminToken, path, body).Want(t, 201)
	id := answer.Text("id") + answer.Text("uuid")
	if id == "" {
		t.Fatalf("no id: %s", answer)
	}
	return id
}

// call sends the operation's good request to a path that target or at returned.
func (e surfaceEndpoint) call(s *testkit.Server, token, path string) *testkit.Answer {
	return s.Do(e.request(token, path))
}

func (e surfaceEndpoint) request(token, path string) testkit.Request {
	request := testkit.Request{Method: e.method, Path: path, Token: token}
	if e.body != "" {
		request.Body = e.body
	}
	return request
}

// surfaceToken makes an API access token of a user of Organization and returns its value.
func surfaceTokenOf(t testing.TB, s *testkit.Server, email string, change func(*domain.APITokenInput)) string {
	t.Helper()
	in := domain.APITokenInput{User: email, Description: "a test's", Organizations: []string{testkit.Organization}}
	for _, scope := range domain.AllScopes {
		in.Scopes = append(in.Scopes, string(scope))
	}
	if change != nil {
		change(&in)
	}
	_, value, err := s.Service.CreateAPIToken(t.Context(), authz.OperatorActor(), in)
	if err != nil {
		t.Fatal(err)
	}
	return value.Reveal()
}

// surfaceExec runs a statement that must change something, for what no operation does.
func surfaceExec(t testing.TB, s *testkit.Server, statement string, args ...any) {
	t.Helper()
	err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
		n, err := tx.Exec(statement, args...)
		if err == nil && n == 0 {
			t.Errorf("%s changed nothing", statement)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// surfaceAPI returns another API on the server's service, to be called without a connection.
func surfaceAPI(s *testkit.Server, change func(*rest.Options)) *rest.API {
	o := rest.Options{Service: s.Service, BaseURL: s.URL, Now: s.Clock.Now}
	if change != nil {
		change(&o)
	}
	return rest.New(o)
}

// served calls an API without a connection. The headers are names and values in turn.
func served(api http.Handler, method, target, body, from string, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, nil)
	if body != "" {
		request.Body = io.NopCloser(strings.NewReader(body))
	}
	request.RemoteAddr = from
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, request)
	return answer
}
