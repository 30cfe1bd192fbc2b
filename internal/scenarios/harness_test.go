// Package scenarios has tests of the whole: real servers, and real agents that run the jobs of real builds. Each test is one scenario, on
// SQLite and on PostgreSQL; what happens between agents and servers when something goes wrong is tried with three servers on one database too.
package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/config"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/seal"
	"penstock/internal/server"
	"penstock/internal/testkit"
	"penstock/internal/testkit/agent"
)

// patience is how long something may take that does take a while on a busy machine.
const patience = 60 * time.Second

const (
	adminToken  = "token-of-the-administrator"
	memberToken = "token-of-a-plain-member"
	clusterID   = "0190a000-0000-7000-8000-000000000021"
	queueID     = "0190a000-0000-7000-8000-000000000031"
	teamID      = "0190a000-0000-7000-8000-000000000011"
	acme        = "/v2/organizations/acme-inc"
	inCluster   = acme + "/clusters/" + clusterID
)

const bootstrapFile = `
users: [{email: admin@example.com, name: Admin}, {email: member@example.com, name: Member}]
organizations:
  - slug: acme-inc
    name: Acme Inc
    members: [{user: admin@example.com, role: admin}, {user: member@example.com, role: member}]
    teams: [{name: Releases, id: ` + teamID + `}, {name: Developers, members: [{user: member@example.com}]}]
    clusters:
      - name: Runners
        id: ` + clusterID + `
        queues: [{key: default, id: ` + queueID + `, default: true}, {key: other}]
tokens:
  - {user: admin@example.com, token: ` + adminToken + `, description: Tests, organizations: [acme-inc], graphql: true, scopes: [` + scopes + `]}
  - {user: member@example.com, token: ` + memberToken + `, description: Tests, organizations: [acme-inc], scopes: [` + scopes + `]}
`

const scopes = "read_clusters, write_clusters, read_pipelines, write_pipelines, read_teams, write_teams, read_builds, write_builds, read_build_logs, " +
	"read_job_env, read_artifacts, read_agents, write_agents, read_secrets_details, write_secrets, write_organizations, read_organization_repository_connections"

// TestMain lets more scenarios run at once than there are processors: most of the time they wait for agents.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", "10"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// installation is one or more servers in this process, on one database.
type installation struct {
	t          *testing.T
	nodes      []*node
	agentToken string
	beside     *db.DB // the database, if a test looks into it
	pipelines  int
}

// node is one of the servers.
type node struct {
	t        *testing.T
	cfg      config.Config
	url      string
	log      transcript
	expected string // errors with this text may be logged
	cancel   context.CancelFunc
	ended    chan error
}

// transcript collects what is written while others look at it.
type transcript struct {
	mutex sync.Mutex
	bytes bytes.Buffer
}

func (b *transcript) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.bytes.Write(p)
}

func (b *transcript) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.bytes.String()
}

// eachEngine runs a scenario on each engine.
func eachEngine(t *testing.T, fn func(t *testing.T, s *installation)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, start(t, engine, 1))
		})
	}
}

// eachInstallation runs a scenario on each engine, and on three servers with one PostgreSQL database.
func eachInstallation(t *testing.T, fn func(t *testing.T, s *installation)) {
	t.Helper()
	eachEngine(t, fn)
	t.Run("three nodes", func(t *testing.T) {
		t.Parallel()
		fn(t, start(t, "postgres", 3))
	})
}

// start starts servers on a database of their own, and waits until they are ready.
func start(t *testing.T, engine string, nodes int, configure ...func(*config.Config)) *installation {
	t.Helper()
	database := testkit.NewDatabase(t, engine)
	cfg := config.Default()
	cfg.Listen, cfg.Data, cfg.Database = "127.0.0.1:0", t.TempDir(), config.SecretURL(database.URL)
	cfg.Bootstrap = filepath.Join(t.TempDir(), "bootstrap.yaml")
	if err := os.WriteFile(cfg.Bootstrap, []byte(bootstrapFile), 0o600); err != nil {
		t.Fatal(err)
	}
	if database.URL != "" {
		cfg.EncryptionKey = domain.Secret(seal.Generate())
	}
	for _, set := range configure {
		set(&cfg)
	}
	s := &installation{t: t}
	for range nodes {
		s.nodes = append(s.nodes, startNode(t, cfg))
		cfg.Bootstrap = ""
	}
	var made struct{ Token string }
	s.ask(http.MethodPost, inCluster+"/tokens", `{"description": "Agents"}`, http.StatusCreated, &made)
	s.agentToken = made.Token
	return s
}

func startNode(t *testing.T, cfg config.Config) *node {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context())) // agents leave before it ends
	n := &node{t: t, cfg: cfg, cancel: cancel, ended: make(chan error, 1)}
	ready := make(chan string, 1)
	go func() {
		n.ended <- server.Run(ctx, server.Options{
			Config: cfg, Version: "test", Stdout: io.Discard, Stderr: &n.log, Ready: func(url string) { ready <- url },
		})
	}()
	t.Cleanup(n.stop)
	select {
	case n.url = <-ready:
	case err := <-n.ended:
		close(n.ended)
		t.Fatalf("the server ended: %v", err)
	case <-time.After(patience):
		t.Fatal("the server is not ready")
	}
	return n
}

// stop stops the server, once. Nothing may have gone wrong in it that it did not expect.
func (n *node) stop() {
	n.cancel()
	select {
	case err, running := <-n.ended:
		if running {
			close(n.ended)
		}
		if err != nil {
			n.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(patience):
		n.t.Error("the server does not stop")
	}
	if log := n.log.String(); n.t.Failed() || hasUnexpectedError(log, n.expected) {
		n.t.Errorf("the server logged:\n%s", log)
	}
}

// hasUnexpectedError reports whether an error was logged without this text, which is "" if none is expected.
func hasUnexpectedError(log, expected string) bool {
	for line := range strings.Lines(log) {
		if strings.Contains(line, "level=ERROR") && (expected == "" || !strings.Contains(line, expected)) {
			return true
		}
	}
	return false
}

// url is the address of the first server.
func (s *installation) url() string { return s.nodes[0].url }

// endpoint is where agents of the i-th of these find a server.
func (s *installation) endpoint(i int) string { return s.nodes[i%len(s.nodes)].url + "/v3" }

// send sends a request to the first server, and returns the status and the body of the answer.
func (s *installation) send(token, method, path, body string, header ...string) (int, []byte) {
	s.t.Helper()
	a := testkit.Send(s.t, method, s.url()+path, body, append([]string{"Authorization", "Bearer " + token}, header...)...)
	return a.Status, a.Body
}

// ask sends a request as the administrator, who must be answered with this status, and reads the answer.
func (s *installation) ask(method, path, body string, status int, answer any) {
	s.t.Helper()
	got, text := s.send(adminToken, method, path, body)
	if got != status {
		s.t.Fatalf("%s %s %s: %d %s, want %d", method, path, body, got, text, status)
	}
	if answer == nil {
		return
	}
	if err := json.Unmarshal(text, answer); err != nil {
		s.t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
}

// open opens the database beside the servers.
func (s *installation) open() *db.DB {
	s.t.Helper()
	if s.beside != nil {
		return s.beside
	}
	o := db.Options{URL: s.nodes[0].cfg.Database.Reveal(), Application: "penstock test"}
	if o.URL == "" {
		o.Dir = s.nodes[0].cfg.Data
	}
	d, err := db.Open(context.WithoutCancel(s.t.Context()), o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := d.Close(); err != nil {
			s.t.Error(err)
		}
	})
	s.beside = d
	return d
}

// change changes the database behind the servers' back, such as a time that nobody wants to wait for.
func (s *installation) change(statement string, args ...any) {
	s.t.Helper()
	err := s.open().Write(s.t.Context(), func(tx *db.Tx) error {
		changed, err := tx.Exec(statement, args...)
		if err == nil && changed == 0 {
			err = fmt.Errorf("nothing was changed by %s", statement)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// texts returns the texts that a query of the database finds, one after the other.
func (s *installation) texts(query string, args ...any) (texts []string) {
	s.t.Helper()
	columns := strings.Count(query[:strings.Index(query, " FROM ")], ",") + 1
	err := s.open().Read(s.t.Context(), func(tx *db.Tx) error {
		texts = nil
		return tx.Query(query, func(row *db.Row) error {
			for range columns {
				texts = append(texts, row.Text())
			}
			return nil
		}, args...)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return texts
}

// events returns what happened to a job, as it is recorded.
func (s *installation) events(job string) string {
	s.t.Helper()
	var types []string
	for _, e := range testkit.JobEvents(s.t, s.open(), job) {
		types = append(types, string(e.Type))
	}
	return strings.Join(types, " ")
}

// eventually waits until something holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	eventuallyWithin(t, patience, what, holds)
}

// eventuallyWithin waits for something that takes longer.
func eventuallyWithin(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !holds(); <-time.After(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within the time limit: %s", what)
		}
	}
}

// startAgent starts an agent, with the first of the servers unless the options name another one.
func (s *installation) startAgent(o agent.Options) *agent.Agent {
	s.t.Helper()
	if o.Endpoint == "" {
		o.Endpoint = s.endpoint(0)
	}
	if o.Name == "" {
		o.Name = "runner-%spawn"
	}
	o.Token = s.agentToken
	return agent.Start(s.t, o)
}

// createPipeline makes a pipeline with these steps, in YAML, whose jobs need no repository, and returns its path.
func (s *installation) createPipeline(steps string, members ...string) string {
	s.t.Helper()
	return s.createPipelineOf("https://example.com/nothing.git", "checkout: {skip: true}\n"+steps, members...)
}

func (s *installation) createPipelineOf(repository, configuration string, members ...string) string {
	s.t.Helper()
	s.pipelines++
	body := map[string]any{"name": fmt.Sprint("Pipeline ", s.pipelines), "repository": repository, "cluster_id": clusterID, "configuration": configuration}
	for i := 0; i < len(members); i += 2 {
		body[members[i]] = json.RawMessage(members[i+1])
	}
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	var made struct{ Slug string }
	s.ask(http.MethodPost, acme+"/pipelines", string(text), http.StatusCreated, &made)
	return acme + "/pipelines/" + made.Slug
}

// build is a build that a scenario watches.
type build struct {
	s    *installation
	path string
}

// createBuild creates a build of the pipeline with that path.
func (s *installation) createBuild(pipeline string, members ...string) build {
	s.t.Helper()
	body := map[string]json.RawMessage{"commit": json.RawMessage(`"HEAD"`), "branch": json.RawMessage(`"main"`), "message": json.RawMessage(`"A scenario"`)}
	for i := 0; i < len(members); i += 2 {
		body[members[i]] = json.RawMessage(members[i+1])
	}
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	var made struct{ Number int }
	s.ask(http.MethodPost, pipeline+"/builds", string(text), http.StatusCreated, &made)
	return build{s, fmt.Sprint(pipeline, "/builds/", made.Number)}
}

// run creates a build of a new pipeline with these steps.
func (s *installation) run(steps string) build {
	s.t.Helper()
	return s.createBuild(s.createPipeline(steps))
}

// buildAnswer is what REST says of a build.
type buildAnswer struct {
	ID, State, Commit, Message                   string
	Author                                       *struct{ Name, Email string }
	Number                                       int
	Blocked                                      bool
	CreatedAt, ScheduledAt, StartedAt, FailingAt *time.Time
	FinishedAt                                   *time.Time
	MetaData                                     map[string]string
	Jobs                                         []job
}

// job is what REST says of a job.
type job struct {
	ID, Type, Name, StepKey, State         string
	ExitStatus                             *int
	Signal, SignalReason, BrokenReason     string
	SoftFailed, Retried                    bool
	RetriesCount                           int
	RetriedInJobID                         string
	ParallelGroupIndex, ParallelGroupTotal *int
	Matrix                                 json.RawMessage
	Agent                                  *struct{ ID, Name, ConnectionState string }
	Unblockable                            bool
	CreatedAt, ScheduledAt                 *time.Time
	RunnableAt, StartedAt, FinishedAt      *time.Time
}

func (j job) exit() string {
	if j.ExitStatus == nil {
		return "none"
	}
	return fmt.Sprint(*j.ExitStatus)
}

func (j job) String() string {
	return fmt.Sprintf("%s %q %s (exit %s, retries %d)", j.Type, j.Name, j.State, j.exit(), j.RetriesCount)
}

func (b buildAnswer) String() string {
	text := fmt.Sprintf("build %d: %s, blocked: %t, meta-data %.300v", b.Number, b.State, b.Blocked, b.MetaData)
	for _, j := range b.Jobs {
		text += "\n  " + j.String()
	}
	return text
}

// job returns the newest attempt at the job with this name.
func (b buildAnswer) job(name string) (found job) {
	for _, j := range b.Jobs {
		if j.Name == name && !j.Retried {
			found = j
		}
	}
	return found
}

// states returns the names of the build's jobs with their states.
func (b buildAnswer) states() string {
	var all []string
	for _, j := range b.Jobs {
		name := j.Name
		if name == "" {
			name = j.Type
		}
		all = append(all, name+" "+j.State)
	}
	return strings.Join(all, ", ")
}

// read returns the build as it is now, with all attempts at its jobs.
func (b build) read() (answer buildAnswer) {
	b.s.t.Helper()
	var raw json.RawMessage
	b.s.ask(http.MethodGet, b.path+"?include_retried_jobs=true", "", http.StatusOK, &raw)
	decodeSnake(b.s.t, raw, &answer)
	return answer
}

// await waits until the build is in a state. It fails at once if the build has ended in another one.
func (b build) await(state string) (now buildAnswer) {
	b.s.t.Helper()
	eventually(b.s.t, b.path+" is "+state, func() bool {
		now = b.read()
		if now.State != state && now.FinishedAt != nil {
			b.s.t.Fatalf("it is not %s: %s", state, now)
		}
		return now.State == state
	})
	return now
}

// awaitJob waits until the job with this name is in a state.
func (b build) awaitJob(name, state string) (now job) {
	b.s.t.Helper()
	var all buildAnswer
	deadline := time.Now().Add(patience)
	eventually(b.s.t, "job "+name+" is "+state, func() bool {
		all = b.read()
		now = all.job(name)
		if now.State != state && (all.FinishedAt != nil || time.Now().After(deadline.Add(-time.Second))) {
			b.s.t.Fatalf("%s is not %s: %s", name, state, all)
		}
		return now.State == state
	})
	return now
}

// cancel cancels the build.
func (b build) cancel() {
	b.s.t.Helper()
	b.s.ask(http.MethodPut, b.path+"/cancel", "", http.StatusOK, nil)
}

// wantStates compares the names and states of a build's jobs.
func wantStates(t testing.TB, b buildAnswer, want string) {
	t.Helper()
	if got := b.states(); got != want {
		t.Errorf("the jobs are\n%s, want\n%s", got, want)
	}
}

// decodeSnake reads JSON whose members have underscores in their names into fields that have none.
func decodeSnake(t testing.TB, text []byte, into any) {
	t.Helper()
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	short, err := json.Marshal(withoutUnderscores(value, false))
	if err == nil {
		err = json.Unmarshal(short, into)
	}
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func withoutUnderscores(value any, keep bool) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range value {
			short := name
			if !keep {
				short = strings.ReplaceAll(name, "_", "")
			}
			out[short] = withoutUnderscores(member, name == "meta_data" || name == "matrix" || name == "env")
		}
		return out
	case []any:
		for i := range value {
			value[i] = withoutUnderscores(value[i], false)
		}
	}
	return value
}
