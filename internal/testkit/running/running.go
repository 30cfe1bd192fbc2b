// Package running runs servers of the agent API, and sends them what agents and their jobs would. It is for tests only.
package running

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"penstock/internal/agentapi"
	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/bootstrap"
	"penstock/internal/db"
	"penstock/internal/dispatch"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/loops"
	"penstock/internal/seal"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/apply"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/caches"
	"penstock/internal/service/core"
	"penstock/internal/service/logs"
	"penstock/internal/testkit"
	"penstock/internal/wake"
)

// What every Server has: two clusters and a team of an organization, a cluster of another organization, and tokens of people.
const (
	Cluster       = "0190a000-0000-7000-8000-000000000021"
	SecondCluster = "0190a000-0000-7000-8000-000000000022"
	OtherCluster  = "0190a000-0000-7000-8000-000000000023" // of the other organization
	TeamID        = "0190a000-0000-7000-8000-000000000011"
	AdminToken    = "token-of-the-administrator"
	MemberToken   = "token-of-a-plain-member"
	ReaderToken   = "token-that-reads-builds"
	OtherToken    = "token-of-the-other-organization"
	allScopes     = "read_clusters, write_clusters, read_pipelines, write_pipelines, read_builds, write_builds, read_build_logs, " +
		"write_build_logs, read_secrets_details, write_secrets, read_rules, write_rules, read_job_env"
	fixture = `
users:
  - {email: admin@example.com, name: Admin}
  - {email: member@example.com, name: Member}
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}, {user: member@example.com}]
    teams: [{id: ` + TeamID + `, name: Release, slug: release, members: [{user: member@example.com}]}]
    clusters:
      - {id: ` + Cluster + `, name: Main, queues: [{key: default, default: true}, {key: other}]}
      - {id: ` + SecondCluster + `, name: Elsewhere, queues: [{key: default, default: true}]}
  - slug: other-inc
    name: Other Inc
    members: [{user: admin@example.com, role: admin}]
    clusters: [{id: ` + OtherCluster + `, name: Main, queues: [{key: default, default: true}]}]
tokens:
  - {user: admin@example.com, token: ` + AdminToken + `, description: all, organizations: [acme-inc], scopes: [` + allScopes + `]}
  - {user: member@example.com, token: ` + MemberToken + `, description: all, organizations: [acme-inc], scopes: [` + allScopes + `]}
  - {user: admin@example.com, token: ` + OtherToken + `, description: other, organizations: [other-inc], scopes: [` + allScopes + `]}
  - {user: admin@example.com, token: ` + ReaderToken + `, description: builds, organizations: [acme-inc], scopes: [read_builds, write_builds]}
`
)

// Who calls the services.
var (
	Organization = domain.OrganizationRef{Slug: "acme-inc"}
	Localhost    = netip.MustParseAddr("127.0.0.1")
	Admin        = authz.TokenActor(authz.REST, AdminToken, Localhost)
	Member       = authz.TokenActor(authz.REST, MemberToken, Localhost)
	Operator     = authz.OperatorActor()
)

// Server serves the agent API.
type Server struct {
	T         *testing.T
	DB        *db.DB
	Core      *core.Core
	Service   *service.Service
	Agents    *agents.Service
	Builds    *builds.Service
	Artifacts *artifacts.Service
	Logs      *logs.Service
	Caches    *caches.Service
	Waker     *wake.Waker
	Blobs     blob.Store
	URL       string
	Token     string        // that agents register with
	Closing   chan struct{} // a test closes it when the server is to end streams

	pipelines atomic.Int64
	ahead     atomic.Int64 // how far the server's own clock is, in nanoseconds
}

// Options say how a Server differs from the usual one.
type Options struct {
	Loops        bool // run: what follows from changes is done, and time runs out
	StreamLength time.Duration
	Settings     httpcall.Settings
	Blobs        blob.Store    // nil: a directory
	PackLogs     bool          // even small logs become blobs
	Prefix       string        // the path of the base URL
	Keyring      *seal.Keyring // nil: one of its own
	Skew         time.Duration // how far ahead the server's own clock is
}

// Each runs fn as a subtest on a server of each engine, with a database of its own.
func Each(t *testing.T, fn func(t *testing.T, s *Server)) {
	t.Helper()
	EachWith(t, Options{}, fn)
}

// EachWith is Each for a server with options.
func EachWith(t *testing.T, o Options, fn func(t *testing.T, s *Server)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := NewNode(t, d, o)
		s.Bootstrap()
		s.Token = s.NewAgentToken(Cluster, domain.AgentTokenInput{})
		fn(t, s)
	})
}

// NewNode starts a server on a database that others may serve too.
func NewNode(t *testing.T, d *db.DB, o Options) *Server {
	t.Helper()
	s := &Server{T: t, DB: d, Closing: make(chan struct{})}
	s.ahead.Store(int64(o.Skew))
	if o.Keyring == nil {
		o.Keyring = testkit.NewKeyring(t)
	}
	logger := slog.New(slog.DiscardHandler)
	s.Core = core.New(core.Options{DB: d, Logger: logger, Keyring: o.Keyring, Now: s.Now})
	s.Service = service.New(service.Options{Core: s.Core})
	s.Waker = wake.New(d, logger)
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() { s.Waker.Run(ctx) })
	t.Cleanup(func() { cancel(); ended.Wait() })
	if s.Blobs = o.Blobs; s.Blobs == nil {
		s.Blobs = OpenDirectory(t)
	}
	listener := httptest.NewUnstartedServer(nil)
	s.URL = "http://" + listener.Listener.Addr().String() + o.Prefix
	s.Core.Publish = s.Waker.Publish
	inRows := int64(0)
	if o.PackLogs {
		inRows = -1
	}
	s.Logs = logs.New(logs.Options{Core: s.Core, InRows: inRows, Blobs: s.Blobs})
	s.Artifacts = artifacts.New(artifacts.Options{Core: s.Core, Blobs: s.Blobs, BaseURL: s.URL})
	s.Caches = caches.New(s.Core)
	s.Agents = agents.New(s.Core)
	s.Builds = builds.New(builds.Options{Core: s.Core, BaseURL: s.URL})
	s.Agents.SetReady(s.Now().Add(-time.Hour))
	api := agentapi.New(agentapi.Options{Settings: o.Settings.WithDefaults(), Agents: s.Agents, Builds: s.Builds, Logs: s.Logs,
		Artifacts: s.Artifacts, Caches: s.Caches, BaseURL: s.URL, Waker: s.Waker,
		Dispatcher: dispatch.New(s.Builds, s.Waker, logger), Closing: s.Closing, StreamLength: o.StreamLength})
	listener.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == agentapi.StreamPath {
			api.ServeHTTP(w, r)
			return
		}
		http.StripPrefix(o.Prefix, api).ServeHTTP(w, r)
	})
	listener.Start()
	t.Cleanup(listener.Close)
	if o.Loops {
		running := loops.Start(loops.Options{Logger: logger}, slices.Concat(loops.ForAgents(s.Agents), loops.ForBuilds(s.Builds),
			loops.ForLogs(s.Logs), loops.ForArtifacts(s.Artifacts), loops.ForCaches(s.Caches)))
		t.Cleanup(func() { running.Stop(context.Background()) })
	}
	return s
}

// OpenDirectory opens a store of blobs in a new directory.
func OpenDirectory(t *testing.T) blob.Store {
	t.Helper()
	blobs, err := blob.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return blobs
}

// Bootstrap creates what every Server has, where NewNode started it.
func (s *Server) Bootstrap() {
	s.T.Helper()
	file, err := bootstrap.Parse("test.yaml", []byte(fixture), func(string) (string, bool) { return "", false })
	if err == nil {
		_, err = apply.File(context.Background(), s.Core, Operator, file)
	}
	if err != nil {
		s.T.Fatal(err)
	}
}

// Now returns the time of the server's own clock.
func (s *Server) Now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

// Advance moves the clocks of the server and of its database.
func (s *Server) Advance(d time.Duration) {
	s.ahead.Add(int64(d))
	s.DB.AdvanceClock(d)
}

// AdvanceWatching is Advance while the server stores what it hears of agents, as its loop does.
func (s *Server) AdvanceWatching(d time.Duration) {
	s.T.Helper()
	for range d / (10 * time.Second) {
		s.SaveHeartbeats()
		s.Advance(10 * time.Second)
	}
	s.SaveHeartbeats()
}

// SaveHeartbeats stores when agents were heard.
func (s *Server) SaveHeartbeats() {
	s.T.Helper()
	if err := s.Agents.SaveHeartbeats(s.T.Context(), Operator); err != nil {
		s.T.Fatal(err)
	}
}

// ClusterRef refers to a cluster of the organization.
func ClusterRef(id string) domain.ClusterRef {
	return domain.ClusterRef{Organization: Organization, ID: id}
}

// PipelineRef refers to a pipeline of the organization.
func PipelineRef(slug string) domain.PipelineRef {
	return domain.PipelineRef{Organization: Organization, Slug: slug}
}

// JobRef refers to a job of the organization.
func JobRef(id string) domain.JobRef {
	return domain.JobRef{Organization: Organization, ID: id}
}

// NewAgentToken returns a new token that agents register with.
func (s *Server) NewAgentToken(cluster string, in domain.AgentTokenInput) string {
	s.T.Helper()
	in.Description = domain.Some("agents")
	_, value, err := s.Service.CreateAgentToken(s.T.Context(), Admin, ClusterRef(cluster), core.Value(in))
	if err != nil {
		s.T.Fatal(err)
	}
	return value.Reveal()
}

// Pipeline creates a pipeline with a configuration in YAML and returns its slug.
func (s *Server) Pipeline(configuration string, change ...func(*domain.PipelineInput)) string {
	s.T.Helper()
	slug := fmt.Sprintf("pipeline-%d", s.pipelines.Add(1))
	in := domain.PipelineInput{Name: domain.Some(slug), Repository: domain.Some("https://example.com/acme/web.git"), ClusterID: domain.Some(Cluster),
		Configuration: domain.Some(configuration)}
	in.DefaultBranch = domain.Some("main")
	for _, fn := range change {
		fn(&in)
	}
	p, err := s.Service.CreatePipeline(s.T.Context(), Admin, Organization, core.Value(in))
	if err != nil {
		s.T.Fatalf("%v\n%s", err, configuration)
	}
	return p.Slug
}

// Build creates a build of a pipeline.
func (s *Server) Build(slug string, change ...func(*domain.BuildInput)) domain.Build {
	s.T.Helper()
	in := domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "A change"}
	for _, fn := range change {
		fn(&in)
	}
	b, err := s.Builds.CreateBuild(s.T.Context(), Admin, PipelineRef(slug), domain.SourceAPI, core.Value(in))
	if err != nil {
		s.T.Fatal(err)
	}
	return b.Build
}

// BuildOf creates a pipeline and a build of it.
func (s *Server) BuildOf(configuration string) domain.Build {
	s.T.Helper()
	return s.Build(s.Pipeline(configuration))
}

// Cancel cancels a build.
func (s *Server) Cancel(b domain.Build) {
	s.T.Helper()
	if _, err := s.Builds.CancelBuild(s.T.Context(), Admin, domain.BuildRef{ID: b.ID}); err != nil {
		s.T.Fatal(err)
	}
}

// EndOverdue ends what has taken too long.
func (s *Server) EndOverdue() {
	s.T.Helper()
	for _, end := range []func(context.Context, authz.Actor) error{s.Builds.TimeOutJobs, s.Builds.RequeueJobs, s.Builds.EndReservations,
		s.Builds.EndGraces, s.Builds.ReleaseGroups, s.Agents.LoseAgents} {
		if err := end(s.T.Context(), Operator); err != nil {
			s.T.Fatal(err)
		}
	}
}

// Read returns the texts that a statement selects.
func (s *Server) Read(columns int, sql string, args ...any) (rows [][]string) {
	s.T.Helper()
	err := s.DB.Read(context.Background(), func(tx *db.Tx) error {
		rows = nil
		return tx.Query(sql, func(r *db.Row) error {
			row := make([]string, columns)
			for i := range row {
				row[i] = r.Text()
			}
			rows = append(rows, row)
			return nil
		}, args...)
	})
	if err != nil {
		s.T.Fatalf("%s: %v", sql, err)
	}
	return rows
}

// Text returns the one text that a statement selects; numbers too.
func (s *Server) Text(sql string, args ...any) string {
	s.T.Helper()
	rows := s.Read(1, sql, args...)
	if len(rows) != 1 {
		s.T.Fatalf("%s: %d rows", sql, len(rows))
	}
	return rows[0][0]
}

// Exec runs a statement, for what no operation does.
func (s *Server) Exec(sql string, args ...any) {
	s.T.Helper()
	testkit.Exec(s.T, s.DB, sql, args...)
}

// BuildState returns the state of a build.
func (s *Server) BuildState(b domain.Build) string {
	s.T.Helper()
	return s.Text(`SELECT state FROM builds WHERE id = $1`, b.ID)
}

// WantBuild checks the state of a build.
func (s *Server) WantBuild(b domain.Build, state string) {
	s.T.Helper()
	if got := s.BuildState(b); got != state {
		s.T.Errorf("the build is %s, not %s: %v", got, state, s.Jobs(b))
	}
}

// JobRow is what tests look at of a job's row.
type JobRow struct{ ID, Label, State, Outcome, Exit, Retries, Agent string }

// Jobs returns the jobs of a build in their order.
func (s *Server) Jobs(b domain.Build) (all []JobRow) {
	s.T.Helper()
	for _, r := range s.Read(7, `SELECT id, label, state, outcome, CAST(exit_status AS TEXT), CAST(retries_count AS TEXT), agent_id
		FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE jobs.build_id = $1 ORDER BY position, upload_index, id`, b.ID) {
		all = append(all, JobRow{r[0], r[1], r[2], r[3], r[4], r[5], r[6]})
	}
	return all
}

// Job returns the newest job of a build with a label.
func (s *Server) Job(b domain.Build, label string) (found JobRow) {
	s.T.Helper()
	for _, j := range s.Jobs(b) {
		if j.Label == label {
			found = j
		}
	}
	if found.ID == "" {
		s.T.Fatalf("no job %s: %v", label, s.Jobs(b))
	}
	return found
}

// States shows the jobs of a build, such as "a=finished b=waiting".
func (s *Server) States(b domain.Build) string {
	s.T.Helper()
	var all []string
	for _, j := range s.Jobs(b) {
		all = append(all, j.Label+"="+j.State)
	}
	return strings.Join(all, " ")
}

// WantStates checks what States shows.
func (s *Server) WantStates(b domain.Build, want string) {
	s.T.Helper()
	if got := s.States(b); got != want {
		s.T.Errorf("the jobs are\n%s, not\n%s", got, want)
	}
}

// JobState returns the state of a job.
func (s *Server) JobState(id string) string {
	s.T.Helper()
	return s.Text(`SELECT state FROM job_runs WHERE job_id = $1`, id)
}

// WantJob checks the state of a job.
func (s *Server) WantJob(id, state string) {
	s.T.Helper()
	if got := s.JobState(id); got != state {
		s.T.Errorf("the job is %s, not %s", got, state)
	}
}

// Events returns what happened to a job.
func (s *Server) Events(id string) string {
	s.T.Helper()
	var all []string
	for _, e := range testkit.JobEvents(s.T, s.DB, id) {
		all = append(all, string(e.Type))
	}
	return strings.Join(all, " ")
}

// Send sends a request to the agent API, with headers, each with its value, and checks what holds for every answer.
func (s *Server) Send(method, path, token string, body any, header ...string) *testkit.Answer {
	s.T.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	case []byte:
		content = bytes.NewReader(b)
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			s.T.Fatal(err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, s.URL+"/v3/"+path, content)
	if err != nil {
		s.T.Error(err)
		return &testkit.Answer{}
	}
	if content != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		request.Header.Set("Authorization", "Token "+token)
	}
	request.Header.Set("User-Agent", "buildkite-agent/3.138.1.x (linux; amd64)")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer := &testkit.Answer{Request: testkit.Request{Method: method, Path: path}}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		s.T.Errorf("%s %s: %v", method, path, err)
		return answer
	}
	defer func() { _ = response.Body.Close() }()
	answer.Status, answer.Header = response.StatusCode, response.Header
	if answer.Body, err = io.ReadAll(response.Body); err != nil {
		s.T.Error(err)
	}
	s.check(answer)
	return answer
}

func (s *Server) check(answer *testkit.Answer) {
	s.T.Helper()
	isJSON := strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") && json.Valid(answer.Body)
	switch {
	case answer.Status >= 500:
		s.T.Errorf("a fault of the server: %s", answer)
	case answer.Status == http.StatusNoContent && len(answer.Body) > 0, answer.Status != http.StatusNoContent && !isJSON:
		s.T.Errorf("not JSON: %s", answer)
	case answer.Status >= 300 && answer.Message() == "":
		s.T.Errorf("an error without a message: %s", answer)
	case answer.Header.Get("X-Request-Id") == "":
		s.T.Errorf("no X-Request-Id: %s", answer)
	case answer.Status == http.StatusMethodNotAllowed, answer.Status == http.StatusNotFound && answer.Message() == "Not found":
		// of no operation
	default:
		if err := contract().Check(answer.Request.Method, "/v3/"+answer.Request.Path, answer.Status, answer.Body); err != nil {
			s.T.Error(err)
		}
	}
}

// contract returns the API's description of itself, which is the same for all servers but for its addresses.
var contract = sync.OnceValue(func() *testkit.Contract {
	answer := httptest.NewRecorder()
	agentapi.New(agentapi.Options{}).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/v3/openapi.json", nil))
	described, err := testkit.NewContract(answer.Body.Bytes())
	if err != nil {
		panic(err)
	}
	return described
})

// Until waits for something to come about.
func Until(t testing.TB, what string, is func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		if is() {
			tick.Stop()
			return
		}
		select {
		case <-deadline:
			t.Fatalf("in vain: %s", what)
		case <-tick.C:
		}
	}
}
