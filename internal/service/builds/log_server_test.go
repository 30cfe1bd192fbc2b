package builds_test

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
	"penstock/internal/service/apply"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/core"
	"penstock/internal/service/logs"
	"penstock/internal/testkit"
	"penstock/internal/wake"
)

const (
	logCluster     = "0190a000-0000-7000-8000-000000000021"
	logAdminToken  = "token-of-the-administrator"
	logReaderToken = "token-that-reads-builds"
	otherCluster   = "0190a000-0000-7000-8000-000000000022"
	otherToken     = "token-of-the-other-organization"
	logFixture     = `
users: [{email: admin@example.com, name: Admin}]
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}]
    clusters: [{id: ` + logCluster + `, name: Main, queues: [{key: default, default: true}]}]
  - slug: other-inc
    name: Other Inc
    members: [{user: admin@example.com, role: admin}]
    clusters: [{id: ` + otherCluster + `, name: Main, queues: [{key: default, default: true}]}]
tokens:
  - {user: admin@example.com, token: ` + otherToken + `, description: other, organizations: [other-inc],
     scopes: [read_clusters, write_clusters, read_pipelines, write_pipelines, read_builds, write_builds]}
  - {user: admin@example.com, token: ` + logAdminToken + `, description: all, organizations: [acme-inc],
     scopes: [read_clusters, write_clusters, read_pipelines, write_pipelines, read_builds, write_builds, read_build_logs, write_build_logs]}
  - {user: admin@example.com, token: ` + logReaderToken + `, description: builds, organizations: [acme-inc], scopes: [read_builds, write_builds]}
`
)

var (
	logOrganization = domain.OrganizationRef{Slug: "acme-inc"}
	logAdmin        = authz.TokenActor(authz.REST, logAdminToken, netip.MustParseAddr("127.0.0.1"))
	logOperator     = authz.OperatorActor()
)

// logServer serves the agent API on a database and a store of blobs of its own.
type logServer struct {
	t         *testing.T
	db        *db.DB
	core      *core.Core
	builds    *builds.Service
	artifacts *artifacts.Service
	logs      *logs.Service
	blobs     blob.Store
	dir       string // of the blobs
	url       string

	token   string // that agents register with
	session string // of an agent
}

// eachLogServer runs fn as a subtest on a server of each engine, which has an agent.
func eachLogServer(t *testing.T, fn func(t *testing.T, s *logServer)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := &logServer{t: t, db: d, dir: t.TempDir()}
		s.core = core.New(core.Options{DB: d, Logger: slog.New(slog.DiscardHandler)})
		file, err := bootstrap.Parse("test.yaml", []byte(logFixture), func(string) (string, bool) { return "", false })
		if err == nil {
			_, err = apply.File(t.Context(), s.core, logOperator, file)
		}
		if err != nil {
			t.Fatal(err)
		}
		s.blobs = s.openBlobs()
		s.artifacts = artifacts.New(artifacts.Options{Core: s.core, Blobs: s.blobs})
		s.builds = builds.New(builds.Options{Core: s.core})
		s.logs = logs.New(logs.Options{Core: s.core, InRows: -1, Blobs: s.blobs})
		waker := wake.New(d, s.core.Logger)
		api := agentapi.New(agentapi.Options{Builds: s.builds, Logs: s.logs, Artifacts: s.artifacts, Waker: waker, Dispatcher: dispatch.New(s.builds, waker, s.core.Logger)})
		listener := httptest.NewServer(api)
		t.Cleanup(listener.Close)
		s.url = listener.URL + "/v3/"
		_, token, err := s.management().CreateAgentToken(t.Context(), logAdmin, domain.ClusterRef{Organization: logOrganization, ID: logCluster},
			core.Value(domain.AgentTokenInput{Description: domain.Some("agents")}))
		if err != nil {
			t.Fatal(err)
		}
		s.token = token.Reveal()
		s.connectAgent()
		fn(t, s)
	})
}

func (s *logServer) management() *service.Service {
	return service.New(service.Options{Core: s.core})
}

// openBlobs opens the store of blobs as another node does.
func (s *logServer) openBlobs() blob.Store {
	s.t.Helper()
	store, err := blob.OpenDirectory(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	return store
}

// logAnswer is what the server answered.
type logAnswer struct {
	t      *testing.T
	what   string
	status int
	body   []byte
}

func (s *logServer) send(method, path, token, body string) logAnswer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(context.Background(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Token "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return logAnswer{s.t, method + " " + path, response.StatusCode, answer}
}

func (a logAnswer) want(status int) logAnswer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: %d %s, not %d", a.what, a.status, a.body, status)
	}
	return a
}

// refused checks the status and the beginning of the message.
func (a logAnswer) refused(status int, message string) {
	a.t.Helper()
	if a.status != status || !strings.HasPrefix(a.text("message"), message) {
		a.t.Errorf("%s: %d %s, not %d %q", a.what, a.status, a.body, status, message)
	}
}

func (a logAnswer) text(member string) string {
	var object map[string]any
	_ = json.Unmarshal(a.body, &object)
	text, _ := object[member].(string)
	return text
}

// connectAgent connects an agent, which takes the jobs from now on.
func (s *logServer) connectAgent() {
	s.t.Helper()
	s.session = s.send("POST", "register", s.token, `{"name":"runner","meta_data":[]}`).want(200).text("access_token")
	s.send("POST", "connect", s.session, "").want(200)
}

// loggedJob is a job that the agent has accepted.
type loggedJob struct {
	s         *logServer
	id, token string
	number    int64 // of the build
}

// accept creates a build with one job, which the agent accepts.
func (s *logServer) accept() *loggedJob {
	s.t.Helper()
	slug := "p" + domain.NewID[string]()
	in := domain.PipelineInput{Name: domain.Some(slug), Repository: domain.Some("https://example.com/acme/web.git"), ClusterID: domain.Some(logCluster),
		Configuration: domain.Some("steps: [{command: make}]"), DefaultBranch: domain.Some("main")}
	p, err := s.management().CreatePipeline(s.t.Context(), logAdmin, logOrganization, core.Value(in))
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := s.builds.CreateBuild(s.t.Context(), logAdmin, domain.PipelineRef{Organization: logOrganization, Slug: p.Slug}, domain.SourceAPI,
		core.Value(domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "A change"}))
	if err != nil {
		s.t.Fatal(err)
	}
	j := &loggedJob{s: s, id: s.text(`SELECT id FROM jobs WHERE build_id = $1`, b.ID), number: b.Number}
	s.send("GET", "ping", s.session, "").want(200)
	j.token = s.send("PUT", "jobs/"+j.id+"/accept", s.session, "").want(200).text("token")
	return j
}

// start is accept for a job that is started.
func (s *logServer) start() *loggedJob {
	s.t.Helper()
	j := s.accept()
	j.call("PUT", "start", `{}`).want(200)
	return j
}

func (j *loggedJob) call(method, below, body string) logAnswer {
	j.s.t.Helper()
	return j.s.send(method, "jobs/"+j.id+"/"+below, j.token, body)
}

func (j *loggedJob) finish(status int) {
	j.s.t.Helper()
	j.call("PUT", "finish", fmt.Sprintf(`{"exit_status":"%d"}`, status)).want(200)
}

func compress(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// chunk sends a piece of the log.
func (j *loggedJob) chunk(sequence, offset int, text string) logAnswer {
	j.s.t.Helper()
	return j.call("POST", fmt.Sprintf("chunks?sequence=%d&offset=%d&size=%d", sequence, offset, len(text)), compress(text))
}

// text returns the one text that a statement selects; numbers too.
func (s *logServer) text(sql string, args ...any) (text string) {
	s.t.Helper()
	err := s.db.Read(context.Background(), func(tx *db.Tx) error {
		found, err := tx.One(sql, func(r *db.Row) { text = r.Text() }, args...)
		if err == nil && !found {
			err = fmt.Errorf("%s: no row", sql)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

func (s *logServer) exec(sql string, args ...any) {
	s.t.Helper()
	err := s.db.Write(context.Background(), func(tx *db.Tx) error {
		_, err := tx.Exec(sql, args...)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *logServer) pack() {
	s.t.Helper()
	if err := s.logs.PackLogs(s.t.Context(), logOperator); err != nil {
		s.t.Fatal(err)
	}
}

func (j *loggedJob) place() string {
	j.s.t.Helper()
	return j.s.text(`SELECT place FROM job_logs WHERE job_id = $1`, j.id)
}

func (j *loggedJob) rows() string {
	j.s.t.Helper()
	return j.s.text(`SELECT CAST(count(*) AS TEXT) FROM job_log_chunks WHERE job_id = $1`, j.id)
}

// pass lets time pass since the job ended.
func (j *loggedJob) pass(d time.Duration) {
	j.s.t.Helper()
	j.s.exec(`UPDATE job_runs SET finished_at = finished_at - $1 WHERE job_id = $2`, d.Microseconds(), j.id)
}

func (j *loggedJob) key() string {
	j.s.t.Helper()
	return "logs/" + j.s.text(`SELECT organization_id FROM jobs WHERE id = $1`, j.id) + "/" + j.id
}

// object returns the log as the object that it is.
func (j *loggedJob) object() string {
	j.s.t.Helper()
	content, err := j.s.blobs.Get(context.Background(), j.key(), 0, -1)
	if err != nil {
		j.s.t.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	if err != nil {
		j.s.t.Fatal(err)
	}
	return string(text)
}

// wantPacked checks that the log is an object with that text, and nothing else.
func (j *loggedJob) wantPacked(text string) {
	j.s.t.Helper()
	if place, rows := j.place(), j.rows(); place != "blob" || rows != "0" {
		j.s.t.Errorf("the log is in %q, with %s rows", place, rows)
		return
	}
	if got := j.object(); got != text {
		j.s.t.Errorf("the log has %d bytes, not %d: %.200q", len(got), len(text), got)
	}
	if size := j.s.text(`SELECT CAST(size AS TEXT) FROM job_logs WHERE job_id = $1`, j.id); size != fmt.Sprint(len(text)) {
		j.s.t.Errorf("its size is said to be %s", size)
	}
}

func (j *loggedJob) ref() domain.JobRef {
	return domain.JobRef{Organization: logOrganization, ID: j.id}
}

// read returns a part of the log, as people read it; a length of -1 is all the rest.
func (j *loggedJob) read(from, length int64) string {
	j.s.t.Helper()
	log, err := j.s.logs.ReadLog(context.Background(), logAdmin, j.ref())
	if err != nil {
		j.s.t.Fatal(err)
	}
	if length < 0 {
		length = log.Size
	}
	return readLogPart(j.s.t, log, from, length)
}

func readLogPart(t *testing.T, log *logs.Log, from, length int64) string {
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
