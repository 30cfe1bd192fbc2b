// Package running runs a server of the agent API with an agent, whose jobs tests move by hand. It is for tests only.
package running

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"penstock/internal/agentapi"
	"penstock/internal/authz"
	"penstock/internal/blob"
	"penstock/internal/bootstrap"
	"penstock/internal/db"
	"penstock/internal/dispatch"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/apply"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/service/logs"
	"penstock/internal/testkit"
	"penstock/internal/wake"
)

// What every Server has: clusters of two organizations, and tokens of their administrator.
const (
	Cluster      = "0190a000-0000-7000-8000-000000000021"
	AdminToken   = "token-of-the-administrator"
	ReaderToken  = "token-that-reads-builds"
	OtherCluster = "0190a000-0000-7000-8000-000000000022"
	OtherToken   = "token-of-the-other-organization"
	fixture      = `
users: [{email: admin@example.com, name: Admin}]
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}]
    clusters: [{id: ` + Cluster + `, name: Main, queues: [{key: default, default: true}]}]
  - slug: other-inc
    name: Other Inc
    members: [{user: admin@example.com, role: admin}]
    clusters: [{id: ` + OtherCluster + `, name: Main, queues: [{key: default, default: true}]}]
tokens:
  - {user: admin@example.com, token: ` + OtherToken + `, description: other, organizations: [other-inc],
     scopes: [read_clusters, write_clusters, read_pipelines, write_pipelines, read_builds, write_builds]}
  - {user: admin@example.com, token: ` + AdminToken + `, description: all, organizations: [acme-inc],
     scopes: [read_clusters, write_clusters, read_pipelines, write_pipelines, read_builds, write_builds, read_build_logs, write_build_logs]}
  - {user: admin@example.com, token: ` + ReaderToken + `, description: builds, organizations: [acme-inc], scopes: [read_builds, write_builds]}
`
)

// Who calls the services.
var (
	Organization = domain.OrganizationRef{Slug: "acme-inc"}
	Admin        = authz.TokenActor(authz.REST, AdminToken, netip.MustParseAddr("127.0.0.1"))
	Operator     = authz.OperatorActor()
)

// Server serves the agent API on a database and a store of blobs of its own.
type Server struct {
	T         *testing.T
	DB        *db.DB
	Core      *core.Core
	Agents    *agents.Service
	Builds    *builds.Service
	Artifacts *artifacts.Service
	Logs      *logs.Service
	Blobs     blob.Store
	Dir       string // of the blobs
	URL       string

	Token   string // that agents register with
	Session string // of an agent
}

// EachServer runs fn as a subtest on a server of each engine, which has an agent.
func EachServer(t *testing.T, fn func(t *testing.T, s *Server)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := &Server{T: t, DB: d, Dir: t.TempDir()}
		s.Core = core.New(core.Options{DB: d, Logger: slog.New(slog.DiscardHandler)})
		file, err := bootstrap.Parse("test.yaml", []byte(fixture), func(string) (string, bool) { return "", false })
		if err == nil {
			_, err = apply.File(t.Context(), s.Core, Operator, file)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Blobs = s.OpenBlobs()
		s.Artifacts = artifacts.New(artifacts.Options{Core: s.Core, Blobs: s.Blobs})
		s.Agents = agents.New(s.Core)
		s.Builds = builds.New(builds.Options{Core: s.Core})
		s.Logs = logs.New(logs.Options{Core: s.Core, InRows: -1, Blobs: s.Blobs})
		waker := wake.New(d, s.Core.Logger)
		api := agentapi.New(agentapi.Options{Agents: s.Agents, Builds: s.Builds, Logs: s.Logs, Artifacts: s.Artifacts, Waker: waker, Dispatcher: dispatch.New(s.Builds, waker, s.Core.Logger)})
		listener := httptest.NewServer(api)
		t.Cleanup(listener.Close)
		s.URL = listener.URL + "/v3/"
		_, token, err := s.Management().CreateAgentToken(t.Context(), Admin, domain.ClusterRef{Organization: Organization, ID: Cluster},
			core.Value(domain.AgentTokenInput{Description: domain.Some("agents")}))
		if err != nil {
			t.Fatal(err)
		}
		s.Token = token.Reveal()
		s.ConnectAgent()
		fn(t, s)
	})
}

// Management returns the service of the management operations.
func (s *Server) Management() *service.Service {
	return service.New(service.Options{Core: s.Core})
}

// OpenBlobs opens the store of blobs as another node does.
func (s *Server) OpenBlobs() blob.Store {
	s.T.Helper()
	store, err := blob.OpenDirectory(s.Dir)
	if err != nil {
		s.T.Fatal(err)
	}
	return store
}

// Answer is what the server answered.
type Answer struct {
	T      *testing.T
	What   string
	Status int
	Body   []byte
}

// Send sends a request to the agent API.
func (s *Server) Send(method, path, token, body string) Answer {
	s.T.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.T.Fatal(err)
	}
	request.Header.Set("Authorization", "Token "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.T.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		s.T.Fatal(err)
	}
	return Answer{s.T, method + " " + path, response.StatusCode, answer}
}

// Want ends the test unless the answer has the status.
func (a Answer) Want(status int) Answer {
	a.T.Helper()
	if a.Status != status {
		a.T.Fatalf("%s: %d %s, not %d", a.What, a.Status, a.Body, status)
	}
	return a
}

// Refused checks the status and the beginning of the message.
func (a Answer) Refused(status int, message string) {
	a.T.Helper()
	if a.Status != status || !strings.HasPrefix(a.Text("message"), message) {
		a.T.Errorf("%s: %d %s, not %d %q", a.What, a.Status, a.Body, status, message)
	}
}

// Text returns a member of the body that is a string, or "".
func (a Answer) Text(member string) string {
	var object map[string]any
	_ = json.Unmarshal(a.Body, &object)
	text, _ := object[member].(string)
	return text
}

// ConnectAgent connects an agent, which takes the jobs from now on.
func (s *Server) ConnectAgent() {
	s.T.Helper()
	s.Session = s.Send("POST", "register", s.Token, `{"name":"runner","meta_data":[]}`).Want(200).Text("access_token")
	s.Send("POST", "connect", s.Session, "").Want(200)
}

// Job is a job that the agent has accepted.
type Job struct {
	S         *Server
	ID, Token string
	Number    int64 // of the build
}

// Accept creates a build with one job, which the agent accepts.
func (s *Server) Accept() *Job {
	s.T.Helper()
	slug := "p" + domain.NewID[string]()
	in := domain.PipelineInput{Name: domain.Some(slug), Repository: domain.Some("https://example.com/acme/web.git"), ClusterID: domain.Some(Cluster),
		Configuration: domain.Some("steps: [{command: make}]")}
	in.DefaultBranch = domain.Some("main")
	p, err := s.Management().CreatePipeline(s.T.Context(), Admin, Organization, core.Value(in))
	if err != nil {
		s.T.Fatal(err)
	}
	b, err := s.Builds.CreateBuild(s.T.Context(), Admin, domain.PipelineRef{Organization: Organization, Slug: p.Slug}, domain.SourceAPI,
		core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "A change"}))
	if err != nil {
		s.T.Fatal(err)
	}
	j := &Job{S: s, ID: s.Text(`SELECT id FROM jobs WHERE build_id = $1`, b.ID), Number: b.Number}
	s.Send("GET", "ping", s.Session, "").Want(200)
	j.Token = s.Send("PUT", "jobs/"+j.ID+"/accept", s.Session, "").Want(200).Text("token")
	return j
}

// Start is Accept for a job that is started.
func (s *Server) Start() *Job {
	s.T.Helper()
	j := s.Accept()
	j.Call("PUT", "start", `{}`).Want(200)
	return j
}

// Call sends a request about the job, with its token.
func (j *Job) Call(method, below, body string) Answer {
	j.S.T.Helper()
	return j.S.Send(method, "jobs/"+j.ID+"/"+below, j.Token, body)
}

// Finish lets the agent finish the job.
func (j *Job) Finish(status int) {
	j.S.T.Helper()
	j.Call("PUT", "finish", fmt.Sprintf(`{"exit_status":"%d"}`, status)).Want(200)
}

// Compress compresses a text as agents compress logs.
func Compress(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// Chunk sends a piece of the log.
func (j *Job) Chunk(sequence, offset int, text string) Answer {
	j.S.T.Helper()
	return j.Call("POST", fmt.Sprintf("chunks?sequence=%d&offset=%d&size=%d", sequence, offset, len(text)), Compress(text))
}

// Text returns the one text that a statement selects; numbers too.
func (s *Server) Text(sql string, args ...any) (text string) {
	s.T.Helper()
	err := s.DB.Read(context.Background(), func(tx *db.Tx) error {
		found, err := tx.One(sql, func(r *db.Row) { text = r.Text() }, args...)
		if err == nil && !found {
			err = fmt.Errorf("%s: no row", sql)
		}
		return err
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return text
}

// Exec changes the database.
func (s *Server) Exec(sql string, args ...any) {
	s.T.Helper()
	err := s.DB.Write(context.Background(), func(tx *db.Tx) error {
		_, err := tx.Exec(sql, args...)
		return err
	})
	if err != nil {
		s.T.Fatal(err)
	}
}

// Pack packs logs.
func (s *Server) Pack() {
	s.T.Helper()
	if err := s.Logs.PackLogs(s.T.Context(), Operator); err != nil {
		s.T.Fatal(err)
	}
}

// Place returns where the log is.
func (j *Job) Place() string {
	j.S.T.Helper()
	return j.S.Text(`SELECT place FROM job_logs WHERE job_id = $1`, j.ID)
}

// Rows returns how many pieces of the log are in the database.
func (j *Job) Rows() string {
	j.S.T.Helper()
	return j.S.Text(`SELECT CAST(count(*) AS TEXT) FROM job_log_chunks WHERE job_id = $1`, j.ID)
}

// Pass lets time pass since the job ended.
func (j *Job) Pass(d time.Duration) {
	j.S.T.Helper()
	j.S.Exec(`UPDATE job_runs SET finished_at = finished_at - $1 WHERE job_id = $2`, d.Microseconds(), j.ID)
}

// Key returns the key of the object that is the log.
func (j *Job) Key() string {
	j.S.T.Helper()
	return "logs/" + j.S.Text(`SELECT organization_id FROM jobs WHERE id = $1`, j.ID) + "/" + j.ID
}

// Object returns the log as the object that it is.
func (j *Job) Object() string {
	j.S.T.Helper()
	content, err := j.S.Blobs.Get(context.Background(), j.Key(), 0, -1)
	if err != nil {
		j.S.T.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	if err != nil {
		j.S.T.Fatal(err)
	}
	return string(text)
}

// WantPacked checks that the log is an object with that text, and nothing else.
func (j *Job) WantPacked(text string) {
	j.S.T.Helper()
	if place, rows := j.Place(), j.Rows(); place != "blob" || rows != "0" {
		j.S.T.Errorf("the log is in %q, with %s rows", place, rows)
		return
	}
	if got := j.Object(); got != text {
		j.S.T.Errorf("the log has %d bytes, not %d: %.200q", len(got), len(text), got)
	}
	if size := j.S.Text(`SELECT CAST(size AS TEXT) FROM job_logs WHERE job_id = $1`, j.ID); size != fmt.Sprint(len(text)) {
		j.S.T.Errorf("its size is said to be %s", size)
	}
}

// Ref refers to the job.
func (j *Job) Ref() domain.JobRef {
	return domain.JobRef{Organization: Organization, ID: j.ID}
}

// Read returns a part of the log, as people read it; a length of -1 is all the rest.
func (j *Job) Read(from, length int64) string {
	j.S.T.Helper()
	log, err := j.S.Logs.ReadLog(context.Background(), Admin, j.Ref())
	if err != nil {
		j.S.T.Fatal(err)
	}
	if length < 0 {
		length = log.Size
	}
	return ReadPart(j.S.T, log, from, length)
}

// ReadPart returns a part of a log.
func ReadPart(t *testing.T, log *logs.Log, from, length int64) string {
	t.Helper()
	in, err := log.Open(context.Background(), from, length)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
