package testkit

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/bootstrap"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/graph"
	"penstock/internal/hosted"
	"penstock/internal/httpcall"
	"penstock/internal/outbound"
	"penstock/internal/rest"
	"penstock/internal/seal"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/apply"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/caches"
	"penstock/internal/service/core"
	"penstock/internal/service/logs"
	"penstock/internal/service/notices"
	"penstock/internal/service/read"
	"penstock/internal/service/starts"
)

// Organization is the slug of the organization that every Server has; its people and tokens are in Fixture.
const Organization = "acme-inc"

// The tokens of Fixture.
const (
	AdminToken      = "token-of-the-administrator" // administrator
	MemberToken     = "token-of-a-plain-member"    // member
	MaintainerToken = "token-of-a-maintainer"      // member, maintains the cluster Maintained
	TeammateToken   = "token-of-a-team-member"     // member, in the team platform, which maintains the cluster Maintained
	OutsiderToken   = "token-of-an-outsider"       // member of another organization only
	ReadOnlyToken   = "token-that-only-reads"      // the administrator's, read_clusters only
	WriteOnlyToken  = "token-that-only-writes"     // the administrator's, write_clusters only
	UngrantedToken  = "token-without-organizations"
)

// The ids of Fixture.
const (
	AdminID       = "0190a000-0000-7000-8000-000000000001"
	MemberID      = "0190a000-0000-7000-8000-000000000002"
	MaintainerID  = "0190a000-0000-7000-8000-000000000003"
	TeammateID    = "0190a000-0000-7000-8000-000000000004"
	OutsiderID    = "0190a000-0000-7000-8000-000000000005"
	TeamID        = "0190a000-0000-7000-8000-000000000011"
	MaintainedID  = "0190a000-0000-7000-8000-000000000021" // a cluster with maintainers, one queue and two registries
	QueueID       = "0190a000-0000-7000-8000-000000000031"
	RegistryID    = "0190a000-0000-7000-8000-000000000041"
	ElsewhereID   = "0190a000-0000-7000-8000-000000000051" // a cluster of another organization
	ElsewhereSlug = "elsewhere"
)

const allScopes = "read_clusters, write_clusters, read_organizations, write_organizations, read_user, " +
	"read_pipelines, write_pipelines, " +
	"read_teams, write_teams, read_organization_invitations, write_organization_invitations, read_audit_events, " +
	"read_portals, write_portals, " +
	"read_organization_settings, write_organization_settings, read_builds, write_builds, read_build_logs, " +
	"write_build_logs, read_job_env, " +
	"read_artifacts, write_artifacts, read_agents, write_agents, read_secrets_details, write_secrets, read_rules, " +
	"write_rules, read_pipeline_templates, write_pipeline_templates, read_organization_repository_connections, " +
	"read_notification_services, write_notification_services"

// Fixture is the bootstrap file that a Server starts with.
const Fixture = `
users:
  - {id: ` + AdminID + `, email: admin@example.com, name: Admin}
  - {id: ` + MemberID + `, email: member@example.com, name: Member}
  - {id: ` + MaintainerID + `, email: maintainer@example.com, name: Maintainer}
  - {id: ` + TeammateID + `, email: teammate@example.com, name: Teammate}
  - {id: ` + OutsiderID + `, email: outsider@example.com, name: Outsider}
organizations:
  - slug: acme-inc
    name: Acme Inc
    members:
      - {user: admin@example.com, role: admin}
      - {user: member@example.com, role: member}
      - {user: maintainer@example.com, role: member}
      - {user: teammate@example.com, role: member}
    teams:
      - {id: ` + TeamID + `, name: Platform, slug: platform, members: [{user: teammate@example.com, role: member}]}
    clusters:
      - id: ` + MaintainedID + `
        name: Maintained
        maintainers: [{user: maintainer@example.com}, {team: platform}]
        queues: [{id: ` + QueueID + `, key: default}]
        cache_registries: [{id: ` + RegistryID + `, name: Ruby gems}]
  - slug: elsewhere
    name: Elsewhere
    members:
      - {user: outsider@example.com, role: admin}
    clusters:
      - {id: ` + ElsewhereID + `, name: Elsewhere}
tokens:
  - {user: admin@example.com, token: ` + AdminToken + `, description: all, graphql: true, organizations: [acme-inc], scopes: [` + allScopes + `]}
  - {user: member@example.com, token: ` + MemberToken + `, description: all, graphql: true, organizations: [acme-inc], scopes: [` + allScopes + `]}
  - {user: maintainer@example.com, token: ` + MaintainerToken + `, description: all, graphql: true, organizations: [acme-inc], scopes: [` + allScopes + `]}
  - {user: teammate@example.com, token: ` + TeammateToken + `, description: all, graphql: true, organizations: [acme-inc], scopes: [` + allScopes + `]}
  - {user: outsider@example.com, token: ` + OutsiderToken + `, description: all, graphql: true, organizations: [elsewhere], scopes: [` + allScopes + `]}
  - {user: admin@example.com, token: ` + ReadOnlyToken + `, description: reads, organizations: [acme-inc], scopes: [read_clusters]}
  - {user: admin@example.com, token: ` + WriteOnlyToken + `, description: writes, organizations: [acme-inc], scopes: [write_clusters]}
  - {user: admin@example.com, token: ` + UngrantedToken + `, description: nowhere, organizations: [], scopes: [` + allScopes + `]}
`

// Server is a running REST API on a database of its own, filled with Fixture.
type Server struct {
	t         testing.TB
	DB        *db.DB
	Service   *service.Service
	Reader    *read.Reader
	Agents    *agents.Service
	Builds    *builds.Service
	Logs      *logs.Service
	Artifacts *artifacts.Service
	Caches    *caches.Service
	Starts    *starts.Service
	Notices   *notices.Service
	core      *core.Core
	Clock     *Clock
	URL       string
	api       rest.Options

	contract *Contract
}

// ServerOptions says how a Server differs from the usual one.
type ServerOptions struct {
	HostedAgentsURL string
	REST            func(*rest.Options)
	GraphQL         func(*graph.Options)
	Core            func(*core.Options)
	Service         func(*service.Options)
	Mail            notices.SendMail
	Transport       func(http.RoundTripper) http.RoundTripper // that what goes out is sent by; nil: as it is
	Bootstrap       string                                    // applied after Fixture
	Quiet           bool                                      // nobody is notified of builds and agents
}

// EachServer runs fn as a subtest on a Server of each engine.
func EachServer(t *testing.T, fn func(t *testing.T, s *Server)) {
	t.Helper()
	EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, NewServer(t, d, ServerOptions{})) })
}

// NewServer starts a server on d.
func NewServer(t testing.TB, d *db.DB, o ServerOptions) *Server {
	t.Helper()
	s := &Server{t: t, DB: d, Clock: NewClock()}
	coreOptions := core.Options{DB: d, Now: s.Clock.Now, Keyring: NewKeyring(t)}
	if o.Core != nil {
		o.Core(&coreOptions)
	}
	shared := core.New(coreOptions)
	s.Reader, s.core = read.New(shared), shared
	options := service.Options{Core: shared}
	if o.HostedAgentsURL != "" {
		options.Hosted = hosted.NewClient(o.HostedAgentsURL)
	}
	if o.Service != nil {
		o.Service(&options)
	}
	var documents *graph.API // it needs the service, which needs it to check what portals are to run
	if options.CheckDocument == nil {
		options.CheckDocument = func(query string) error { return documents.CheckDocument(query) }
	}
	s.Service = service.New(options)
	s.Bootstrap(Fixture)
	if o.Bootstrap != "" {
		s.Bootstrap(o.Bootstrap)
	}
	listener := httptest.NewUnstartedServer(nil)
	s.URL = "http://" + listener.Listener.Addr().String()
	blobs, err := blob.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	client, err := outbound.New(outbound.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	if err != nil {
		t.Fatal(err)
	}
	if o.Transport != nil {
		client.Transport = o.Transport(client.Transport)
	}
	var api *rest.API
	s.Notices = notices.New(notices.Options{Core: shared, Client: client, BaseURL: s.URL, Mail: o.Mail,
		Render: func(ctx context.Context, subject domain.EventSubject) (domain.RenderedEvent, error) {
			return api.RenderEvent(ctx, authz.OperatorActor(), subject)
		}})
	if !o.Quiet {
		shared.Events = s.Notices
	}
	s.Starts = starts.New(starts.Options{Core: shared, Client: client, BaseURL: s.URL})
	s.api = rest.Options{Settings: httpcall.Settings{Now: s.Clock.Now}, Service: s.Service, Starts: s.Starts,
		Notices: s.Notices, BaseURL: s.URL, MetaWebhookIPs: []string{"127.0.0.1/32"}}
	s.api.GraphQLUse = func(id domain.OrganizationID) httpcall.LimitUse { return documents.OrganizationUse(id) }
	if o.REST != nil {
		o.REST(&s.api)
	}
	s.Caches = caches.New(shared)
	s.Logs = logs.New(logs.Options{Core: shared, Blobs: blobs})
	s.Artifacts = artifacts.New(artifacts.Options{Core: shared, Blobs: blobs, BaseURL: s.api.BaseURL})
	s.Agents = agents.New(shared)
	s.Builds = builds.New(builds.Options{Core: shared, BaseURL: s.api.BaseURL})
	notices.EvaluateWith(s.Notices, s.Builds.VariablesOf)
	s.api.Agents, s.api.Builds, s.api.Logs, s.api.Artifacts = s.Agents, s.Builds, s.Logs, s.Artifacts
	api = rest.New(s.api)
	s.contract = contractOf(t, api)
	graphOptions := graph.Options{Settings: httpcall.Settings{Now: s.Clock.Now}, Service: s.Service, Agents: s.Agents,
		Builds: s.Builds, Artifacts: s.Artifacts, Starts: s.Starts, Reader: s.Reader, BaseURL: s.URL}
	if o.GraphQL != nil {
		o.GraphQL(&graphOptions)
	}
	documents = graph.New(graphOptions)
	portals := documents.Portals()
	listener.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1":
			documents.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/portal/"):
			portals.ServeHTTP(w, r)
		default:
			api.ServeHTTP(w, r)
		}
	})
	listener.Start()
	t.Cleanup(listener.Close)
	return s
}

// Core returns what the server's services stand on.
func (s *Server) Core() *core.Core { return s.core }

// NewKeyring returns a key to encrypt secrets with.
func NewKeyring(t testing.TB) *seal.Keyring {
	t.Helper()
	ring, err := seal.Parse(seal.Generate())
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// Bootstrap applies a bootstrap file.
func (s *Server) Bootstrap(source string) {
	s.t.Helper()
	file, err := bootstrap.Parse("test.yaml", []byte(source), func(string) (string, bool) { return "", false })
	if err == nil {
		_, err = apply.File(context.Background(), s.core, authz.OperatorActor(), file)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// ClusterPath is the path of a cluster of Organization, with what is below it.
func ClusterPath(id string, below ...string) string {
	return "/v2/organizations/" + Organization + "/clusters/" + strings.Join(append([]string{id}, below...), "/")
}

// IsToken reports whether a value looks like a token of a kind.
func IsToken(kind domain.TokenKind, value string) bool {
	return strings.HasPrefix(value, string(kind)) && len(value) == len(kind)+46
}

// Maintained refers to the cluster Maintained.
func Maintained() domain.ClusterRef {
	return domain.ClusterRef{Organization: domain.OrganizationRef{Slug: Organization}, ID: MaintainedID}
}

// Request is a request to a Server.
type Request struct {
	Method string
	Path   string // with its query; or a whole URL
	Token  string
	Body   any // text is sent as it is, anything else as JSON
	Header map[string]string
}

// Answer is what a Server answered.
type Answer struct {
	Request Request
	Status  int
	Header  http.Header
	Body    []byte
	path    string // without the query
}

// Get sends a GET request.
func (s *Server) Get(token, path string) *Answer {
	s.t.Helper()
	return s.Do(Request{Method: http.MethodGet, Path: path, Token: token})
}

// Post sends a POST request.
func (s *Server) Post(token, path string, body any) *Answer {
	s.t.Helper()
	return s.Do(Request{Method: http.MethodPost, Path: path, Token: token, Body: body})
}

// Put sends a PUT request.
func (s *Server) Put(token, path string, body any) *Answer {
	s.t.Helper()
	return s.Do(Request{Method: http.MethodPut, Path: path, Token: token, Body: body})
}

// Patch sends a PATCH request.
func (s *Server) Patch(token, path string, body any) *Answer {
	s.t.Helper()
	return s.Do(Request{Method: http.MethodPatch, Path: path, Token: token, Body: body})
}

// Delete sends a DELETE request.
func (s *Server) Delete(token, path string) *Answer {
	s.t.Helper()
	return s.Do(Request{Method: http.MethodDelete, Path: path, Token: token})
}

// Do sends a request and checks what holds for every answer: a request id, JSON if there is a body, a message in
// every error, never a 500, and that it is as the API describes itself. It may be called from several goroutines.
func (s *Server) Do(request Request) *Answer {
	s.t.Helper()
	var body io.Reader
	switch b := request.Body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			s.t.Error(err)
			return &Answer{Request: request}
		}
		body = bytes.NewReader(encoded)
	}
	url := request.Path
	if !strings.HasPrefix(url, "http") {
		url = s.URL + url
	}
	req, err := http.NewRequestWithContext(context.Background(), request.Method, url, body)
	if err != nil {
		s.t.Error(err)
		return &Answer{Request: request}
	}
	if request.Token != "" {
		req.Header.Set("Authorization", "Bearer "+request.Token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range request.Header {
		req.Header.Del(name)
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		s.t.Error(err)
		return &Answer{Request: request}
	}
	defer func() { _ = resp.Body.Close() }()
	answer := &Answer{Request: request, Status: resp.StatusCode, Header: resp.Header, path: req.URL.EscapedPath()}
	if answer.Body, err = io.ReadAll(resp.Body); err != nil {
		s.t.Error(err)
	}
	s.check(answer)
	return answer
}

func (s *Server) check(a *Answer) {
	s.t.Helper()
	fault := ""
	switch {
	case a.Header.Get("X-Request-Id") == "":
		fault = "has no X-Request-Id"
	case a.Status == http.StatusInternalServerError || !a.isREST() &&
		bytes.Contains(a.Body, []byte("Internal server error")):
		fault = "is a 500"
	case len(a.Body) > 0 && !a.isJSON() && !a.isText():
		fault = "is not JSON"
	case a.Status >= 400 && a.Request.Method != http.MethodHead && a.Message() == "":
		fault = "is an error without a message"
	case a.Status == http.StatusNoContent && len(a.Body) > 0:
		fault = "is a 204 with a body"
	}
	if fault != "" {
		s.t.Errorf("the answer %s: %s", fault, a)
	}
	if !a.isDescribed() || a.Status == http.StatusTooManyRequests && !s.contract.Has(a.Request.Method, a.path) {
		return
	}
	check := func() error { return s.contract.Check(a.Request.Method, a.path, a.Status, a.Body) }
	if a.isText() {
		check = func() error { return s.contract.CheckText(a.Request.Method, a.path, a.Status, a.mediaType()) }
	}
	if err := check(); err != nil {
		s.t.Errorf("the answer is not as described: %v: %s", err, a)
	}
}

// mediaType returns what the body is said to be.
func (a *Answer) mediaType() string {
	media, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	return media
}

func (a *Answer) isJSON() bool { return a.mediaType() == jsonType }

// isText reports whether the answer is a success that is no JSON.
func (a *Answer) isText() bool {
	return a.Status < 300 && (a.mediaType() == "text/plain" || a.mediaType() == "text/html")
}

// isREST reports whether the answer is one of the REST API, and not one of GraphQL.
func (a *Answer) isREST() bool {
	return a.path != "/v1" && !strings.HasPrefix(a.path, "/portal/")
}

// isDescribed reports whether the API's description says anything of such an answer.
func (a *Answer) isDescribed() bool {
	switch {
	case !a.isREST() || a.Request.Method == http.MethodHead || a.Request.Method == http.MethodOptions:
		return false
	case a.Status == http.StatusMethodNotAllowed || a.Status == http.StatusNotFound && a.Message() == "Not found":
		return false
	}
	return true
}

// contractOf returns the API's description of itself, which is the same for all servers but for its addresses.
func contractOf(t testing.TB, api http.Handler) *Contract {
	t.Helper()
	contractOnce.Do(func() {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v2/openapi.json", nil))
		contract, contractErr = NewContract(w.Body.Bytes())
	})
	if contractErr != nil {
		t.Fatal(contractErr)
	}
	return contract
}

var (
	contractOnce sync.Once
	contract     *Contract
	contractErr  error
)

// String shows the request and its answer.
func (a *Answer) String() string {
	return fmt.Sprintf("%s %s → %d %s", a.Request.Method, a.Request.Path, a.Status, a.Body)
}

// Want checks the status and returns the answer.
func (a *Answer) Want(t testing.TB, status int) *Answer {
	t.Helper()
	if a.Status != status {
		t.Errorf("want %d: %s", status, a)
	}
	return a
}

// WantMessage checks the status and the whole message.
func (a *Answer) WantMessage(t testing.TB, status int, message string) *Answer {
	t.Helper()
	if a.Status != status || a.Message() != message {
		t.Errorf("want %d %q: %s", status, message, a)
	}
	return a
}

// WantRefusal checks the status and the beginning of the message.
func (a *Answer) WantRefusal(t testing.TB, status int, message string) *Answer {
	t.Helper()
	if a.Status != status || !strings.HasPrefix(a.Message(), message) {
		t.Errorf("want %d %q: %s", status, message, a)
	}
	return a
}

// Message returns an error's message.
func (a *Answer) Message() string {
	message, _ := a.Object()["message"].(string)
	if errs, _ := a.Object()["errors"].([]any); len(errs) > 0 { // of GraphQL
		message, _ = errs[0].(map[string]any)["message"].(string)
	}
	return message
}

// Object returns the body as an object, empty if it is not one.
func (a *Answer) Object() map[string]any {
	var object map[string]any
	_ = json.Unmarshal(a.Body, &object)
	return object
}

// List returns the body as a list of objects, or its member items.
func (a *Answer) List() []map[string]any {
	var list []map[string]any
	if json.Unmarshal(a.Body, &list) == nil {
		return list
	}
	var page struct {
		Items []map[string]any `json:"items"`
	}
	_ = json.Unmarshal(a.Body, &page)
	return page.Items
}

// Text returns a member of the body that is a string, or "".
func (a *Answer) Text(member string) string {
	text, _ := a.Object()[member].(string)
	return text
}

// Column returns a member of each object of a list.
func Column(list []map[string]any, member string) []any {
	values := []any{}
	for _, object := range list {
		values = append(values, object[member])
	}
	return values
}

// Clock is a clock that tests set.
type Clock struct {
	mutex sync.Mutex
	now   time.Time
}

// NewClock returns a clock that shows 2026-05-03T04:17:55.867Z.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 5, 3, 4, 17, 55, 867_000_000, time.UTC)}
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.now = c.now.Add(d)
}

// GraphQL runs a document with its variables, which may be nil, and returns its answer.
func (s *Server) GraphQL(token, query string, variables any) *Answer {
	s.t.Helper()
	return s.Do(Request{Method: http.MethodPost, Path: "/v1", Token: token, Body: map[string]any{"query": query,
		"variables": variables}})
}
