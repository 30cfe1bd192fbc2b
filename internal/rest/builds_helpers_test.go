package rest_test

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/agents"
	"penstock/internal/service/builds"
	"penstock/internal/testkit"
)

// agentAddress is where the agents of tests are.
var agentAddress = netip.MustParseAddr("192.0.2.7")

// runner is an agent that takes jobs from the default queue of the cluster Maintained.
type runner struct {
	t       testing.TB
	s       *testkit.Server
	ID      string
	session authz.Actor
}

// newRunner connects an agent.
func newRunner(t testing.TB, s *testkit.Server, name string) *runner {
	t.Helper()
	cluster := testkit.ClusterPath(testkit.MaintainedID)
	s.Patch(testkit.AdminToken, cluster, `{"default_queue_id": "`+testkit.QueueID+`"}`).Want(t, 200)
	token := s.Post(testkit.AdminToken, cluster+"/tokens", `{"description": "CI"}`).Want(t, 201).Text("token")
	actor := authz.AgentActor(authz.AgentToken, token, agentAddress)
	actor.UserAgent = "agent/3.138.1"
	made, err := s.Agents.RegisterAgent(t.Context(), actor, agents.Registration{Name: name, Hostname: "host-" + name, OS: "PRETTY_NAME=\"Debian 13\"\nID=debian\n", Arch: "amd64",
		Version: "3.138.1", Build: "1", PID: 7, MachineID: "m", Priority: "3", MetaData: []string{"os=linux"}})
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
	ID    string
	token authz.Actor
}

// take takes the next job of the queue and starts it.
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
	job := running{r, string(ping.Job), authz.AgentActor(authz.JobToken, accepted.Token.Reveal(), agentAddress)}
	if err := r.s.Builds.StartJob(r.t.Context(), job.token, job.ID); err != nil {
		r.t.Fatal(err)
	}
	return job
}

// finish ends a job.
func (j running) finish(status int64) string {
	j.r.t.Helper()
	if err := j.r.s.Builds.FinishJob(j.r.t.Context(), j.token, j.ID, builds.Finish{ExitStatus: status}); err != nil {
		j.r.t.Fatal(err)
	}
	return j.ID
}

// upload adds steps to the build of a job, and returns the upload's id.
func (j running) upload(steps string, replace bool) (string, error) {
	j.r.t.Helper()
	id := domain.NewID[string]()
	_, err := j.r.s.Builds.UploadPipeline(j.r.t.Context(), j.token, j.ID, builds.Upload{ID: id, Document: []byte(steps), Replace: replace})
	return id, err
}

// createdBuilt makes a pipeline of the cluster Maintained that has these steps, in YAML, and returns its path.
func createdBuilt(t testing.TB, s *testkit.Server, name, steps string, properties ...string) string {
	t.Helper()
	return createdPipeline(t, s, name, append(properties, `"cluster_id": "`+testkit.MaintainedID+`"`, fmt.Sprintf(`"configuration": %q`, steps))...)
}

// createdBuild makes a build of the pipeline at a path, with these properties besides.
func createdBuild(t testing.TB, s *testkit.Server, pipeline string, properties ...string) *testkit.Answer {
	t.Helper()
	given := strings.Join(properties, ", ")
	for _, property := range []string{`"commit": "HEAD"`, `"branch": "main"`} {
		if !strings.Contains(given, strings.SplitN(property, ":", 2)[0]+":") {
			properties = append(properties, property)
		}
	}
	return s.Post(testkit.AdminToken, pipeline+"/builds", "{"+strings.Join(properties, ", ")+"}").Want(t, 201)
}

// pathOf returns the path of what an answer shows.
func pathOf(s *testkit.Server, a *testkit.Answer) string {
	return strings.TrimPrefix(a.Text("url"), s.URL)
}

// jobsIn returns the jobs of a build.
func jobsIn(a *testkit.Answer) (jobs []map[string]any) {
	list, _ := a.Object()["jobs"].([]any)
	for _, job := range list {
		jobs = append(jobs, job.(map[string]any))
	}
	return jobs
}

var shownTime = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`)

// timeless returns what an answer shows, with "TIME" in the place of each time.
func timeless(t testing.TB, a *testkit.Answer) (value map[string]any) {
	t.Helper()
	if err := json.Unmarshal(shownTime.ReplaceAll(a.Body, []byte(`"TIME"`)), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// column returns a member of all objects of a list, as text.
func column(list []map[string]any, member string) string {
	return fmt.Sprint(testkit.Column(list, member))
}

// decode reads JSON.
func decode(t testing.TB, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// runTasks does, until the test ends, what follows from changes in transactions of its own.
func runTasks(t testing.TB, s *testkit.Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := s.Builds.RunTasks(ctx, authz.OperatorActor()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		cancel()
		ended.Wait()
	})
}

// untilFound asks for a thing until it is there.
func untilFound(t testing.TB, s *testkit.Server, path string) *testkit.Answer {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if answer := s.Get(testkit.AdminToken, path); answer.Status == 200 {
			return answer
		}
	}
	t.Fatalf("%s does not come", path)
	return nil
}

// untilState waits until a job is in a state.
func untilState(t testing.TB, s *testkit.Server, build, key, state string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if jobOf(t, s, build, key)["state"] == state {
			return
		}
	}
	t.Fatalf("the job %s is %v, not %s", key, jobOf(t, s, build, key)["state"], state)
}
