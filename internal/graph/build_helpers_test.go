package graph_test

import (
	"crypto/sha1"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/testkit"
)

// agentAddress is where the agents of tests are.
var agentAddress = netip.MustParseAddr("192.0.2.7")

// runner is an agent of the cluster Maintained.
type runner struct {
	t       *testing.T
	s       *testkit.Server
	id      string
	session authz.Actor
}

// agentTokenFor makes a token with which agents register, and gives the cluster Maintained a default queue.
func agentTokenFor(t *testing.T, s *testkit.Server) string {
	t.Helper()
	s.Patch(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID), fields{"default_queue_id": testkit.QueueID}).Want(t, 200)
	return s.Post(testkit.AdminToken, testkit.ClusterPath(testkit.MaintainedID, "tokens"), fields{"description": "CI"}).Want(t, 201).Text("token")
}

// newRunner connects an agent with these tags.
func newRunner(t *testing.T, s *testkit.Server, token, name string, tags ...string) *runner {
	t.Helper()
	registering := authz.AgentActor(authz.AgentToken, token, agentAddress)
	registering.UserAgent = "agent/3.138.1"
	made, err := s.Agents.RegisterAgent(t.Context(), registering, agents.Registration{Name: name, Hostname: "host", OS: "Debian 13", Arch: "amd64", Version: "3.138.1", Build: "1", PID: 7,
		Priority: "3", MetaData: tags})
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{t, s, string(made.Agent.ID), authz.AgentActor(authz.AgentSession, made.Session.Reveal(), agentAddress)}
	if err := s.Agents.ConnectAgent(t.Context(), r.session); err != nil {
		t.Fatal(err)
	}
	return r
}

// running is a job that an agent runs.
type running struct {
	r     *runner
	id    string
	token authz.Actor
}

// take takes the next job of the agent's queue and starts it.
func (r *runner) take() running {
	r.t.Helper()
	ping, err := r.s.Builds.PingAgent(r.t.Context(), r.session)
	if err != nil || ping.Job == "" {
		r.t.Fatalf("there is no job for the agent: %+v, %v", ping, err)
	}
	accepted, err := r.s.Builds.AcceptJob(r.t.Context(), r.session, string(ping.Job))
	if err != nil {
		r.t.Fatal(err)
	}
	j := running{r, string(ping.Job), authz.AgentActor(authz.JobToken, accepted.Token.Reveal(), agentAddress)}
	if err := r.s.Builds.StartJob(r.t.Context(), j.token, j.id); err != nil {
		r.t.Fatal(err)
	}
	return j
}

// finish ends a job.
func (j running) finish(f builds.Finish) string {
	j.r.t.Helper()
	if err := j.r.s.Builds.FinishJob(j.r.t.Context(), j.token, j.id, f); err != nil {
		j.r.t.Fatal(err)
	}
	return j.id
}

// upload uploads a file of a job, and returns the artifact's UUID.
func (j running) upload(path, content string) string {
	j.r.t.Helper()
	must := func(err error) {
		j.r.t.Helper()
		if err != nil {
			j.r.t.Fatal(err)
		}
	}
	ctx, service := j.r.t.Context(), j.r.s.Artifacts
	file := domain.ArtifactInput{Path: path, FileSize: int64(len(content)), SHA1Sum: fmt.Sprintf("%x", sha1.Sum([]byte(content)))}
	announced, err := service.CreateArtifacts(ctx, j.token, j.id, artifacts.ArtifactBatch{ID: domain.NewID[string](), Artifacts: []domain.ArtifactInput{file}})
	must(err)
	pending, err := service.OpenUpload(ctx, authz.Actor{}, announced.Ticket, path)
	must(err)
	_, err = service.StoreUpload(ctx, authz.Actor{}, pending, strings.NewReader(content))
	must(err)
	id := string(announced.IDs[0])
	must(service.UpdateArtifacts(ctx, j.token, j.id, []artifacts.ArtifactChange{{ID: id, State: domain.ArtifactFinished}}))
	return id
}

// builtPipeline makes a pipeline that has these steps, in YAML, and returns its UUID. What is given besides is sent along.
func builtPipeline(t *testing.T, s *testkit.Server, name, steps string, besides fields) string {
	t.Helper()
	body := fields{"name": name, "slug": name, "repository": "r", "cluster_id": testkit.MaintainedID, "configuration": steps}
	for member, value := range besides {
		body[member] = value
	}
	return s.Post(testkit.AdminToken, acme+"/pipelines", body).Want(t, 201).Text("id")
}

// newBuild makes a build of a pipeline, with what is given besides, and returns REST's answer.
func newBuild(t *testing.T, s *testkit.Server, pipeline string, besides fields) *testkit.Answer {
	t.Helper()
	body := fields{"commit": "HEAD", "branch": "main"}
	for member, value := range besides {
		body[member] = value
	}
	return s.Post(testkit.AdminToken, acme+"/pipelines/"+pipeline+"/builds", body).Want(t, 201)
}

// jobNamed returns the UUID of the newest attempt at a build's job that has a step key; of those that have several, of the first.
func jobNamed(t *testing.T, s *testkit.Server, build, key string) string {
	t.Helper()
	for _, j := range s.Get(testkit.AdminToken, build).Want(t, 200).Object()["jobs"].([]any) {
		if j.(fields)["step_key"] == key {
			return j.(fields)["id"].(string)
		}
	}
	t.Fatalf("%s has no job %s", build, key)
	return ""
}

// buildPath returns the path of a build of acme-inc.
func buildPath(pipeline string, number int) string {
	return fmt.Sprintf("%s/pipelines/%s/builds/%d", acme, pipeline, number)
}

// releaseSteps are steps of every kind.
const releaseSteps = `
steps:
  - {key: lint, label: Lint, command: make lint, priority: 2, artifact_paths: "out/*", retry: {automatic: [{exit_status: 1, limit: 1}, {signal: KILL, exit_status: -1}], manual: {allowed: true}}}
  - {key: test, command: make test, parallelism: 2, if: "build.branch != 'x'", concurrency: 1, concurrency_group: gate, agents: {os: linux}}
  - wait
  - {block: Release, key: ask, fields: [{text: Version, key: version}]}
  - {trigger: other, key: next, async: true, depends_on: ask}
  - {key: sizes, command: "echo {{matrix.size}}", depends_on: [{step: ask, allow_failure: true}], matrix: {setup: {size: [big]}}}
`
