package agentapi_test

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

const (
	clusterID    = "0190a000-0000-7000-8000-000000000021"
	elsewhereID  = "0190a000-0000-7000-8000-000000000022"
	teamID       = "0190a000-0000-7000-8000-000000000011"
	adminToken   = "token-of-the-administrator"
	memberToken  = "token-of-a-plain-member"
	builderScope = "read_clusters, write_clusters, read_pipelines, write_pipelines, read_builds, write_builds, " +
		"read_secrets_details, write_secrets, read_rules, write_rules, read_job_env"
)

const fixture = `
users:
  - {email: admin@example.com, name: Admin}
  - {email: member@example.com, name: Member}
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}, {user: member@example.com}]
    teams: [{id: ` + teamID + `, name: Release, slug: release, members: [{user: member@example.com}]}]
    clusters:
      - {id: ` + clusterID + `, name: Main, queues: [{key: default, default: true}, {key: other}]}
      - {id: ` + elsewhereID + `, name: Elsewhere, queues: [{key: default, default: true}]}
tokens:
  - {user: admin@example.com, token: ` + adminToken + `, description: all, organizations: [acme-inc], scopes: [` + builderScope + `]}
  - {user: member@example.com, token: ` + memberToken + `, description: all, organizations: [acme-inc], scopes: [` + builderScope + `]}
`

// world is a server for agents on a database of its own, with an organization, two clusters and an agent token of the first.
type world struct {
	t         *testing.T
	db        *db.DB
	core      *core.Core
	service   *service.Service
	agents    *agents.Service
	builds    *builds.Service
	artifacts *artifacts.Service
	logs      *logs.Service
	caches    *caches.Service
	waker     *wake.Waker
	url       string
	token     string // an agent token
	closing   chan struct{}

	pipelines atomic.Int64
}

// options says how a world differs from the usual one.
type options struct {
	loops        bool // what follows from changes is done, and time runs out
	streamLength time.Duration
	settings     httpcall.Settings
	blobs        blob.Store    // nil: a directory
	prefix       string        // the path of the base URL
	keyring      *seal.Keyring // nil: one of its own
	skew         time.Duration // how far ahead the server's own clock is
}

func eachWorld(t *testing.T, fn func(t *testing.T, w *world)) {
	t.Helper()
	eachWorldWith(t, options{}, fn)
}

func eachWorldWith(t *testing.T, o options, fn func(t *testing.T, w *world)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		w := newNode(t, d, o)
		w.bootstrap(fixture)
		w.token = w.newAgentToken(clusterID, domain.AgentTokenInput{})
		fn(t, w)
	})
}

// newNode starts a server on a database that others may serve too.
func newNode(t *testing.T, d *db.DB, o options) *world {
	t.Helper()
	w := &world{t: t, db: d, closing: make(chan struct{})}
	if o.keyring == nil {
		o.keyring = testkit.NewKeyring(t)
	}
	logger := slog.New(slog.DiscardHandler)
	w.core = core.New(core.Options{DB: d, Logger: logger, Keyring: o.keyring, Now: func() time.Time { return time.Now().Add(o.skew) }})
	w.service = service.New(service.Options{Core: w.core})
	w.waker = wake.New(d, logger)
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() { w.waker.Run(ctx) })
	t.Cleanup(func() { cancel(); ended.Wait() })
	if o.blobs == nil {
		o.blobs = openDirectory(t)
	}
	listener := httptest.NewUnstartedServer(nil)
	w.url = "http://" + listener.Listener.Addr().String() + o.prefix
	w.core.Publish = w.waker.Publish
	w.logs = logs.New(logs.Options{Core: w.core, Blobs: o.blobs})
	w.artifacts = artifacts.New(artifacts.Options{Core: w.core, Blobs: o.blobs, BaseURL: w.url})
	w.caches = caches.New(w.core)
	w.agents = agents.New(w.core)
	w.builds = builds.New(builds.Options{Core: w.core, BaseURL: w.url})
	w.agents.SetReady(time.Now().Add(-time.Hour))
	settings := o.settings.WithDefaults()
	api := agentapi.New(agentapi.Options{Settings: settings, Agents: w.agents, Builds: w.builds, Logs: w.logs, Artifacts: w.artifacts, Caches: w.caches, BaseURL: w.url, Waker: w.waker,
		Dispatcher: dispatch.New(w.builds, w.waker, logger), Closing: w.closing, StreamLength: o.streamLength})
	listener.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == agentapi.StreamPath {
			api.ServeHTTP(rw, r)
			return
		}
		http.StripPrefix(o.prefix, api).ServeHTTP(rw, r)
	})
	listener.Start()
	t.Cleanup(listener.Close)
	if o.loops {
		running := loops.Start(loops.Options{Logger: logger}, slices.Concat(loops.ForAgents(w.agents), loops.ForBuilds(w.builds), loops.ForLogs(w.logs), loops.ForArtifacts(w.artifacts), loops.ForCaches(w.caches)))
		t.Cleanup(func() { running.Stop(context.Background()) })
	}
	return w
}

func openDirectory(t *testing.T) blob.Store {
	t.Helper()
	blobs, err := blob.OpenDirectory(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return blobs
}

func (w *world) bootstrap(source string) {
	w.t.Helper()
	file, err := bootstrap.Parse("test.yaml", []byte(source), func(string) (string, bool) { return "", false })
	if err == nil {
		_, err = apply.File(context.Background(), w.core, authz.OperatorActor(), file)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

var (
	organization = domain.OrganizationRef{Slug: "acme-inc"}
	localhost    = netip.MustParseAddr("127.0.0.1")
	admin        = authz.TokenActor(authz.REST, adminToken, localhost)
	member       = authz.TokenActor(authz.REST, memberToken, localhost)
)

func clusterRef(id string) domain.ClusterRef {
	return domain.ClusterRef{Organization: organization, ID: id}
}

func (w *world) newAgentToken(cluster string, in domain.AgentTokenInput) string {
	w.t.Helper()
	in.Description = domain.Some("agents")
	_, value, err := w.service.CreateAgentToken(w.t.Context(), admin, clusterRef(cluster), core.Value(in))
	if err != nil {
		w.t.Fatal(err)
	}
	return value.Reveal()
}

// pipeline makes a pipeline with a configuration in YAML and returns its slug.
func (w *world) pipeline(configuration string, change ...func(*domain.PipelineInput)) string {
	w.t.Helper()
	slug := fmt.Sprintf("pipeline-%d", w.pipelines.Add(1))
	in := domain.PipelineInput{Name: domain.Some(slug), Repository: domain.Some("https://example.com/acme/web.git"), ClusterID: domain.Some(clusterID),
		Configuration: domain.Some(configuration)}
	in.DefaultBranch = domain.Some("main")
	for _, fn := range change {
		fn(&in)
	}
	p, err := w.service.CreatePipeline(w.t.Context(), admin, organization, core.Value(in))
	if err != nil {
		w.t.Fatalf("%v\n%s", err, configuration)
	}
	return p.Slug
}

func pipelineRef(slug string) domain.PipelineRef {
	return domain.PipelineRef{Organization: organization, Slug: slug}
}

// build creates a build of a pipeline.
func (w *world) build(slug string, change ...func(*domain.BuildInput)) domain.Build {
	w.t.Helper()
	in := domain.BuildInput{Commit: "HEAD", Branch: "main", Message: "A change"}
	for _, fn := range change {
		fn(&in)
	}
	b, err := w.builds.CreateBuild(w.t.Context(), admin, pipelineRef(slug), domain.SourceAPI, core.Value(in))
	if err != nil {
		w.t.Fatal(err)
	}
	return b.Build
}

// buildOf makes a pipeline and a build of it.
func (w *world) buildOf(configuration string) domain.Build {
	w.t.Helper()
	return w.build(w.pipeline(configuration))
}

func (w *world) cancel(b domain.Build) {
	w.t.Helper()
	if _, err := w.builds.CancelBuild(w.t.Context(), admin, domain.BuildRef{ID: b.ID}); err != nil {
		w.t.Fatal(err)
	}
}

// lapse ends what has taken too long.
func (w *world) lapse() {
	w.t.Helper()
	for _, end := range []func(context.Context, authz.Actor) error{w.builds.TimeOutJobs, w.builds.RequeueJobs, w.builds.EndReservations, w.builds.EndGraces, w.builds.ReleaseGroups, w.agents.LoseAgents} {
		if err := end(w.t.Context(), authz.OperatorActor()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// read returns the texts that a statement selects.
func (w *world) read(columns int, sql string, args ...any) (rows [][]string) {
	w.t.Helper()
	err := w.db.Read(context.Background(), func(tx *db.Tx) error {
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
		w.t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

// text returns the one text that a statement selects.
func (w *world) text(sql string, args ...any) string {
	w.t.Helper()
	rows := w.read(1, sql, args...)
	if len(rows) != 1 {
		w.t.Fatalf("%s: %d rows", sql, len(rows))
	}
	return rows[0][0]
}

func (w *world) buildState(b domain.Build) string {
	w.t.Helper()
	return w.text(`SELECT state FROM builds WHERE id = $1`, b.ID)
}

func (w *world) wantBuild(b domain.Build, state string) {
	w.t.Helper()
	if got := w.buildState(b); got != state {
		w.t.Errorf("the build is %s, not %s: %v", got, state, w.jobs(b))
	}
}

// job is what tests look at of a job.
type job struct{ ID, Label, State, Outcome, Exit, Retries, Agent string }

// jobs returns the jobs of a build in their order.
func (w *world) jobs(b domain.Build) (all []job) {
	w.t.Helper()
	for _, r := range w.read(7, `SELECT id, label, state, outcome, CAST(exit_status AS TEXT), CAST(retries_count AS TEXT), agent_id FROM jobs JOIN job_runs ON job_runs.job_id = jobs.id WHERE jobs.build_id = $1
		ORDER BY position, upload_index, id`, b.ID) {
		all = append(all, job{r[0], r[1], r[2], r[3], r[4], r[5], r[6]})
	}
	return all
}

// job returns the newest job of a build with a label.
func (w *world) job(b domain.Build, label string) (found job) {
	w.t.Helper()
	for _, j := range w.jobs(b) {
		if j.Label == label {
			found = j
		}
	}
	if found.ID == "" {
		w.t.Fatalf("no job %s: %v", label, w.jobs(b))
	}
	return found
}

// states shows the jobs of a build, such as "a=finished b=waiting".
func (w *world) states(b domain.Build) string {
	w.t.Helper()
	var all []string
	for _, j := range w.jobs(b) {
		all = append(all, j.Label+"="+j.State)
	}
	return strings.Join(all, " ")
}

func (w *world) wantStates(b domain.Build, want string) {
	w.t.Helper()
	if got := w.states(b); got != want {
		w.t.Errorf("the jobs are\n%s, not\n%s", got, want)
	}
}

func (w *world) wantJob(id, state string) {
	w.t.Helper()
	if got := w.text(`SELECT state FROM job_runs WHERE job_id = $1`, id); got != state {
		w.t.Errorf("the job is %s, not %s", got, state)
	}
}

// events returns what happened to a job.
func (w *world) events(id string) string {
	w.t.Helper()
	var all []string
	for _, r := range w.read(1, `SELECT type FROM job_events WHERE job_id = $1 ORDER BY at, id`, id) {
		all = append(all, r[0])
	}
	return strings.Join(all, " ")
}

func (w *world) jobRef(id string) domain.JobRef {
	return domain.JobRef{Organization: organization, ID: id}
}

// send sends a request to the agent API and checks what holds for every answer.
func (w *world) send(method, path, token string, body any, header ...string) *testkit.Answer {
	w.t.Helper()
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
			w.t.Fatal(err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, w.url+"/v3/"+path, content)
	if err != nil {
		w.t.Error(err)
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
		w.t.Errorf("%s %s: %v", method, path, err)
		return answer
	}
	defer func() { _ = response.Body.Close() }()
	answer.Status, answer.Header = response.StatusCode, response.Header
	if answer.Body, err = io.ReadAll(response.Body); err != nil {
		w.t.Error(err)
	}
	isJSON := strings.HasPrefix(answer.Header.Get("Content-Type"), "application/json") && json.Valid(answer.Body)
	switch {
	case answer.Status >= 500:
		w.t.Errorf("a fault of the server: %s", answer)
	case answer.Status == http.StatusNoContent && len(answer.Body) > 0, answer.Status != http.StatusNoContent && !isJSON:
		w.t.Errorf("not JSON: %s", answer)
	case answer.Status >= 300 && answer.Message() == "":
		w.t.Errorf("an error without a message: %s", answer)
	case answer.Header.Get("X-Request-Id") == "":
		w.t.Errorf("no X-Request-Id: %s", answer)
	case answer.Status == http.StatusMethodNotAllowed, answer.Status == http.StatusNotFound && answer.Message() == "Not found":
		// of no operation
	default:
		if err := contract().Check(method, "/v3/"+path, answer.Status, answer.Body); err != nil {
			w.t.Error(err)
		}
	}
	return answer
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

// fakeAgent sends what an agent would.
type fakeAgent struct {
	w       *world
	id      string
	session string
}

// registration is what an agent says of itself.
func registration(tags ...string) map[string]any {
	return map[string]any{"name": "runner-%random", "hostname": "vm", "os": "Debian GNU/Linux", "arch": "amd64", "script_eval_enabled": true, "version": "3.138.1", "build": "x",
		"meta_data": append([]string{}, tags...), "pid": 100, "machine_id": "m", "features": []string{"control-plane-otlp-tracing"}}
}

func (w *world) register(token string, body map[string]any) *testkit.Answer {
	w.t.Helper()
	return w.send(http.MethodPost, "register", token, body)
}

// newAgent registers and connects an agent.
func (w *world) newAgent(tags ...string) *fakeAgent {
	w.t.Helper()
	return w.newAgentWith(registration(tags...))
}

func (w *world) newAgentWith(body map[string]any) *fakeAgent {
	w.t.Helper()
	made := w.register(w.token, body).Want(w.t, http.StatusOK)
	a := &fakeAgent{w: w, id: made.Text("id"), session: made.Text("access_token")}
	a.post("connect", nil).Want(w.t, http.StatusOK)
	return a
}

func (a *fakeAgent) post(path string, body any) *testkit.Answer {
	a.w.t.Helper()
	return a.w.send(http.MethodPost, path, a.session, body)
}

// ping returns the job that the agent is given, "" for none.
func (a *fakeAgent) ping() string {
	a.w.t.Helper()
	answer := a.w.send(http.MethodGet, "ping", a.session, nil).Want(a.w.t, http.StatusOK)
	if action := answer.Text("action"); action != "" {
		a.w.t.Errorf("want no action: %s", answer)
	}
	job, _ := answer.Object()["job"].(map[string]any)
	id, _ := job["id"].(string)
	return id
}

func (a *fakeAgent) wantAction(action string) *testkit.Answer {
	a.w.t.Helper()
	answer := a.w.send(http.MethodGet, "ping", a.session, nil).Want(a.w.t, http.StatusOK)
	if answer.Text("action") != action || answer.Object()["job"] != nil {
		a.w.t.Errorf("want the action %s: %s", action, answer)
	}
	return answer
}

func (a *fakeAgent) wantIdle() {
	a.w.t.Helper()
	if id := a.ping(); id != "" {
		a.w.t.Errorf("the agent got the job %s (%s)", id, a.w.text(`SELECT label FROM job_runs WHERE job_id = $1`, id))
	}
}

// takenJob is a job that an agent has accepted.
type takenJob struct {
	agent  *fakeAgent
	id     string
	token  string
	answer *testkit.Answer
}

func (a *fakeAgent) sendAccept(id string) *testkit.Answer {
	a.w.t.Helper()
	return a.w.send(http.MethodPut, "jobs/"+id+"/accept", a.session, nil)
}

// accept takes the job that the agent is given now.
func (a *fakeAgent) accept() *takenJob {
	a.w.t.Helper()
	id := a.ping()
	if id == "" {
		a.w.t.Fatal("the agent gets no job")
	}
	answer := a.sendAccept(id).Want(a.w.t, http.StatusOK)
	return &takenJob{a, id, answer.Text("token"), answer}
}

// take accepts and starts the job that the agent is given now.
func (a *fakeAgent) take() *takenJob {
	a.w.t.Helper()
	j := a.accept()
	j.start().Want(a.w.t, http.StatusOK)
	return j
}

// takeLabel is take for a job that must have a label.
func (a *fakeAgent) takeLabel(label string) *takenJob {
	a.w.t.Helper()
	j := a.take()
	if got := a.w.text(`SELECT label FROM job_runs WHERE job_id = $1`, j.id); got != label {
		a.w.t.Errorf("the agent got %s, not %s", got, label)
	}
	return j
}

// run takes a job and finishes it.
func (a *fakeAgent) run(label string, status int) *takenJob {
	a.w.t.Helper()
	j := a.takeLabel(label)
	j.finish(status).Want(a.w.t, http.StatusOK)
	return j
}

func (j *takenJob) send(method, below string, body any) *testkit.Answer {
	j.agent.w.t.Helper()
	return j.agent.w.send(method, "jobs/"+j.id+below, j.token, body)
}

func (j *takenJob) start() *testkit.Answer {
	j.agent.w.t.Helper()
	return j.send(http.MethodPut, "/start", map[string]string{"started_at": time.Now().UTC().Format(time.RFC3339Nano)})
}

func (j *takenJob) finish(status int) *testkit.Answer {
	j.agent.w.t.Helper()
	return j.send(http.MethodPut, "/finish", map[string]any{"exit_status": fmt.Sprint(status), "finished_at": time.Now().UTC().Format(time.RFC3339Nano), "chunks_failed_count": 0})
}

// upload uploads a pipeline, JSON, under an id of its own.
func (j *takenJob) upload(pipeline string) *testkit.Answer {
	j.agent.w.t.Helper()
	return j.uploadAs(domain.NewID[string](), pipeline, false)
}

func (j *takenJob) uploadAs(id, pipeline string, replace bool) *testkit.Answer {
	j.agent.w.t.Helper()
	return j.send(http.MethodPost, "/pipelines?async=true", fmt.Sprintf(`{"uuid":%q,"pipeline":%s,"replace":%t}`, id, pipeline, replace))
}

func (j *takenJob) env() map[string]any {
	env, _ := j.answer.Object()["env"].(map[string]any)
	return env
}

// until waits for something to come about.
func until(t testing.TB, what string, is func() bool) {
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
