package running

import (
	"fmt"
	"net/http"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/testkit"
)

// Agent sends what an agent would.
type Agent struct {
	S       *Server
	ID      string
	Session string // its token
}

// Registration is what an agent says of itself.
func Registration(tags ...string) map[string]any {
	return map[string]any{"name": "runner-%random", "hostname": "vm", "os": "Debian GNU/Linux", "arch": "amd64", "script_eval_enabled": true, "version": "3.138.1", "build": "x",
		"meta_data": append([]string{}, tags...), "pid": 100, "machine_id": "m", "features": []string{"control-plane-otlp-tracing"}}
}

// Register sends a registration.
func (s *Server) Register(token string, body map[string]any) *testkit.Answer {
	s.T.Helper()
	return s.Send(http.MethodPost, "register", token, body)
}

// NewAgent registers and connects an agent.
func (s *Server) NewAgent(tags ...string) *Agent {
	s.T.Helper()
	return s.NewAgentWith(Registration(tags...))
}

// NewAgentWith is NewAgent for a registration.
func (s *Server) NewAgentWith(body map[string]any) *Agent {
	s.T.Helper()
	made := s.Register(s.Token, body).Want(s.T, http.StatusOK)
	a := &Agent{S: s, ID: made.Text("id"), Session: made.Text("access_token")}
	a.Post("connect", nil).Want(s.T, http.StatusOK)
	return a
}

// Actor is the agent as a caller of the service.
func (a *Agent) Actor() authz.Actor {
	return authz.Actor{Surface: authz.AgentAPI, Credential: authz.Credential{Kind: authz.AgentSession, Hash: domain.HashToken(a.Session)}}
}

// Post sends a request with the agent's token.
func (a *Agent) Post(path string, body any) *testkit.Answer {
	a.S.T.Helper()
	return a.S.Send(http.MethodPost, path, a.Session, body)
}

// Ping returns the job that is assigned to the agent, "" for none.
func (a *Agent) Ping() string {
	a.S.T.Helper()
	answer := a.S.Send(http.MethodGet, "ping", a.Session, nil).Want(a.S.T, http.StatusOK)
	if action := answer.Text("action"); action != "" {
		a.S.T.Errorf("want no action: %s", answer)
	}
	job, _ := answer.Object()["job"].(map[string]any)
	id, _ := job["id"].(string)
	return id
}

// WantAction checks that a ping is answered with an action.
func (a *Agent) WantAction(action string) *testkit.Answer {
	a.S.T.Helper()
	answer := a.S.Send(http.MethodGet, "ping", a.Session, nil).Want(a.S.T, http.StatusOK)
	if answer.Text("action") != action || answer.Object()["job"] != nil {
		a.S.T.Errorf("want the action %s: %s", action, answer)
	}
	return answer
}

// WantIdle checks that no job is assigned to the agent.
func (a *Agent) WantIdle() {
	a.S.T.Helper()
	if id := a.Ping(); id != "" {
		a.S.T.Errorf("the agent got the job %s (%s)", id, a.S.Text(`SELECT label FROM job_runs WHERE job_id = $1`, id))
	}
}

// Job is a job that an agent has accepted.
type Job struct {
	Agent  *Agent
	ID     string
	Token  string
	Answer *testkit.Answer // to its acceptance
}

// SendAccept sends that the agent accepts a job.
func (a *Agent) SendAccept(id string) *testkit.Answer {
	a.S.T.Helper()
	return a.S.Send(http.MethodPut, "jobs/"+id+"/accept", a.Session, nil)
}

// AcceptJob accepts the job that is assigned to the agent now.
func (a *Agent) AcceptJob() *Job {
	a.S.T.Helper()
	id := a.Ping()
	if id == "" {
		a.S.T.Fatal("the agent gets no job")
	}
	return a.Accept(id)
}

// Accept accepts a job.
func (a *Agent) Accept(id string) *Job {
	a.S.T.Helper()
	return a.Accepted(id, a.SendAccept(id).Want(a.S.T, http.StatusOK))
}

// Accepted returns the job that was accepted with an answer.
func (a *Agent) Accepted(id string, answer *testkit.Answer) *Job {
	return &Job{a, id, answer.Text("token"), answer}
}

// Start accepts and starts a job.
func (a *Agent) Start(id string) *Job {
	a.S.T.Helper()
	j := a.Accept(id)
	j.Start().Want(a.S.T, http.StatusOK)
	return j
}

// StartJob accepts and starts the job that is assigned to the agent now.
func (a *Agent) StartJob() *Job {
	a.S.T.Helper()
	j := a.AcceptJob()
	j.Start().Want(a.S.T, http.StatusOK)
	return j
}

// StartJobWith is StartJob for a job that must have a label.
func (a *Agent) StartJobWith(label string) *Job {
	a.S.T.Helper()
	j := a.StartJob()
	if got := a.S.Text(`SELECT label FROM job_runs WHERE job_id = $1`, j.ID); got != label {
		a.S.T.Errorf("the agent got %s, not %s", got, label)
	}
	return j
}

// RunJob starts a job with a label and finishes it.
func (a *Agent) RunJob(label string, status int) *Job {
	a.S.T.Helper()
	j := a.StartJobWith(label)
	j.Finish(status).Want(a.S.T, http.StatusOK)
	return j
}

// AcceptNewJob creates a build with one job, which the agent accepts.
func (a *Agent) AcceptNewJob() *Job {
	a.S.T.Helper()
	a.S.BuildOf("steps: [{command: make}]")
	return a.AcceptJob()
}

// StartNewJob creates a build with one job, which the agent accepts and starts.
func (a *Agent) StartNewJob() *Job {
	a.S.T.Helper()
	a.S.BuildOf("steps: [{command: make}]")
	return a.StartJob()
}

// StartNewJob is that of a new agent.
func (s *Server) StartNewJob() *Job {
	s.T.Helper()
	return s.NewAgent().StartNewJob()
}

// Send sends a request about the job, with its token.
func (j *Job) Send(method, below string, body any) *testkit.Answer {
	j.Agent.S.T.Helper()
	return j.Agent.S.Send(method, "jobs/"+j.ID+below, j.Token, body)
}

// Start sends that the job starts.
func (j *Job) Start() *testkit.Answer {
	j.Agent.S.T.Helper()
	return j.Send(http.MethodPut, "/start", map[string]string{"started_at": time.Now().UTC().Format(time.RFC3339Nano)})
}

// Finish sends that the job has finished.
func (j *Job) Finish(status int) *testkit.Answer {
	j.Agent.S.T.Helper()
	return j.Send(http.MethodPut, "/finish", map[string]any{"exit_status": fmt.Sprint(status), "finished_at": time.Now().UTC().Format(time.RFC3339Nano), "chunks_failed_count": 0})
}

// Upload uploads a pipeline, JSON, under an id of its own.
func (j *Job) Upload(pipeline string) *testkit.Answer {
	j.Agent.S.T.Helper()
	return j.UploadAs(domain.NewID[string](), pipeline, false)
}

// UploadAs uploads a pipeline under an id.
func (j *Job) UploadAs(id, pipeline string, replace bool) *testkit.Answer {
	j.Agent.S.T.Helper()
	return j.Send(http.MethodPost, "/pipelines?async=true", fmt.Sprintf(`{"uuid":%q,"pipeline":%s,"replace":%t}`, id, pipeline, replace))
}

// Env returns the environment that the job was accepted with.
func (j *Job) Env() map[string]any {
	env, _ := j.Answer.Object()["env"].(map[string]any)
	return env
}

// Ref refers to the job.
func (j *Job) Ref() domain.JobRef { return JobRef(j.ID) }
