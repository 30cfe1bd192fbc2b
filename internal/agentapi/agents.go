package agentapi

import (
	"net/http"
	"time"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/service/agents"
)

// Intervals for agents, in seconds. None of them may be 0.
const (
	statusInterval    = 5
	heartbeatInterval = 30
)

func (a *API) agentEndpoints() []endpoint.Endpoint {
	unprocessable := []int{http.StatusUnprocessableEntity}
	return []endpoint.Endpoint{
		{
			Method: http.MethodPost, Path: root + "/register", Operation: "registerAgent",
			Summary: "Registers an agent with the cluster of an agent token.", Needs: needsAgentToken,
			Body: registrationBody{}, Answer: registrationAnswer{}, Status: http.StatusOK, Handle: a.register,
		},
		{
			Method: http.MethodPost, Path: root + "/connect", Operation: "connectAgent",
			Summary: "Says that an agent is ready for jobs.", Needs: needsSession,
			Answer: emptyAnswer{}, Status: http.StatusOK, Errors: unprocessable,
			Handle: func(c *endpoint.Call) (any, error) { return nil, a.Agents.ConnectAgent(c.Context(), c.Actor()) },
		},
		{
			Method: http.MethodGet, Path: root + "/ping", Operation: "pingAgent",
			Summary: "Tells an agent what to do: run a job, or pause, or disconnect.", Needs: needsSession,
			Answer: pingAnswer{}, Status: http.StatusOK, Handle: a.ping,
		},
		{
			Method: http.MethodPost, Path: root + "/heartbeat", Operation: "sendHeartbeat",
			Summary: "Says that an agent is alive.", Needs: needsSession,
			Body: heartbeatBody{}, Answer: heartbeatAnswer{}, Status: http.StatusOK, Handle: a.heartbeat,
		},
		{
			Method: http.MethodPost, Path: root + "/disconnect", Operation: "disconnectAgent",
			Summary: "Says that an agent goes away.", Needs: needsSession,
			Answer: emptyAnswer{}, Status: http.StatusOK, Errors: unprocessable,
			Handle: func(c *endpoint.Call) (any, error) { return nil, a.Agents.DisconnectAgent(c.Context(), c.Actor()) },
		},
		{
			Method: http.MethodPost, Path: root + "/stop", Operation: "stopAgent",
			Summary: "Asks an agent to stop, after its job or at once.", Needs: needsAgentOrJob,
			Body: stopAgentBody{}, Answer: emptyAnswer{}, Status: http.StatusOK, Handle: a.stop,
		},
		{
			Method: http.MethodPost, Path: root + "/pause", Operation: "pauseAgent",
			Summary: "Lets the agent that runs a job take no more jobs for a while.", Needs: needsJob,
			Body: pauseAgentBody{}, Answer: emptyAnswer{}, Status: http.StatusOK, Handle: a.pause,
		},
		{
			Method: http.MethodPost, Path: root + "/resume", Operation: "resumeAgent",
			Summary: "Lets the agent that runs a job take jobs again.", Needs: needsJob,
			Answer: emptyAnswer{}, Status: http.StatusOK, Errors: unprocessable,
			Handle: func(c *endpoint.Call) (any, error) { return nil, a.Agents.ResumeAgent(c.Context(), c.Actor()) },
		},
		{
			Method: http.MethodGet, Path: root + "/token", Operation: "getAgentToken",
			Summary: "Shows the agent token that the request was made with.", Needs: needsAgentToken,
			Answer: agentTokenAnswer{}, Status: http.StatusOK, Handle: a.showToken,
		},
		{
			Method: http.MethodGet, Path: root + "/metrics", Operation: "getMetrics",
			Summary: "Counts the agents and the jobs of a cluster, for each queue.", Needs: needsAgentToken,
			Answer: metricsAnswer{}, Status: http.StatusOK, Handle: a.showMetrics,
		},
		{
			Method: http.MethodGet, Path: root + "/metrics/queue", Operation: "getQueueMetrics",
			Summary: "Counts the agents and the jobs of a queue.", Needs: needsAgentToken,
			Query:  []endpoint.QueryParameter{{Name: "name", Doc: "The queue's key."}},
			Answer: metricsAnswer{}, Status: http.StatusOK, Errors: []int{http.StatusNotFound}, Handle: a.showQueueMetrics,
		},
	}
}

type registrationBody struct {
	Name               string   `json:"name" doc:"What the agent is to be called; it can have placeholders, such as %hostname."`
	Hostname           string   `json:"hostname" doc:"The host that it runs on."`
	OS                 string   `json:"os" doc:"The host's operating system."`
	Arch               string   `json:"arch" doc:"The host's architecture."`
	ScriptEvalEnabled  bool     `json:"script_eval_enabled" doc:"Whether it runs commands that are no files of the repository."`
	IgnoreInDispatches bool     `json:"ignore_in_dispatches" doc:"Whether it is given no jobs, but acquires one."`
	Priority           string   `json:"priority" doc:"A number: of idle agents, the one with the highest gets a job. Empty for the lowest."`
	Version            string   `json:"version" doc:"The agent's version."`
	Build              string   `json:"build" doc:"The build of that version."`
	MetaData           []string `json:"meta_data" doc:"The agent's tags, such as queue=linux."`
	PID                int64    `json:"pid" doc:"The number of its process."`
	MachineID          string   `json:"machine_id" doc:"What names the machine."`
	Features           []string `json:"features" doc:"What it can do besides."`
}

type registrationAnswer struct {
	ID                string   `json:"id" format:"uuid" doc:"The agent's UUID."`
	Name              string   `json:"name" doc:"What it is called."`
	AccessToken       string   `json:"access_token" doc:"The token of its session, for its other calls."`
	MetaData          []string `json:"meta_data" nullable:"true" doc:"Its tags."`
	PingInterval      int      `json:"ping_interval" doc:"How many seconds to wait between two pings."`
	JobStatusInterval int      `json:"job_status_interval" doc:"How many seconds to wait between two looks at a job's state."`
	HeartbeatInterval int      `json:"heartbeat_interval" doc:"How many seconds to wait between two heartbeats."`
}

func (a *API) register(c *endpoint.Call) (any, error) {
	var in registrationBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	made, err := a.Agents.RegisterAgent(c.Context(), c.Actor(), agents.Registration{
		Name: in.Name, Hostname: in.Hostname, OS: in.OS, Arch: in.Arch, Version: in.Version, Build: in.Build, PID: in.PID,
		MachineID: in.MachineID,
		Priority:  in.Priority, MetaData: in.MetaData, Features: in.Features, ScriptEvalEnabled: in.ScriptEvalEnabled,
		IgnoreInDispatches: in.IgnoreInDispatches,
	})
	if err != nil {
		return nil, err
	}
	return registrationAnswer{
		ID: string(made.Agent.ID), Name: made.Agent.Name, AccessToken: made.Session.Reveal(),
		MetaData: made.Agent.MetaData, PingInterval: int(made.PingInterval / time.Second),
		JobStatusInterval: statusInterval, HeartbeatInterval: heartbeatInterval,
	}, nil
}

type pingAnswer struct {
	Job     *jobReference `json:"job,omitzero" doc:"The job that the agent is to accept. Absent: none."`
	Action  string        `json:"action,omitzero" doc:"What else it is to do: disconnect or pause. Absent: nothing."`
	Message string        `json:"message,omitzero" doc:"Why."`
}

// jobReference names a job.
type jobReference struct {
	ID string `json:"id" format:"uuid" doc:"The job's UUID."`
}

func (a *API) ping(c *endpoint.Call) (any, error) {
	told, err := a.Builds.PingAgent(c.Context(), c.Actor())
	if err != nil {
		return nil, err
	}
	answer := pingAnswer{Action: told.Action, Message: told.Message}
	if told.Job != "" {
		answer.Job = &jobReference{string(told.Job)}
	}
	return answer, nil
}

type heartbeatBody struct {
	SentAt any `json:"sent_at" doc:"When the agent sent it."`
}

type heartbeatAnswer struct {
	SentAt     any    `json:"sent_at" doc:"What the agent said of when it was sent."`
	ReceivedAt string `json:"received_at" format:"date-time" doc:"When it came."`
}

func (a *API) heartbeat(c *endpoint.Call) (any, error) {
	var in heartbeatBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	if err := a.Agents.HeartbeatAgent(c.Context(), c.Actor()); err != nil {
		return nil, err
	}
	return heartbeatAnswer{in.SentAt, time.Now().UTC().Format(time.RFC3339Nano)}, nil
}

type stopAgentBody struct {
	Force bool `json:"force" doc:"Whether its job is canceled."`
}

func (a *API) stop(c *endpoint.Call) (any, error) {
	var in stopAgentBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	return nil, a.Agents.StopAgent(c.Context(), c.Actor(), in.Force)
}

type pauseAgentBody struct {
	Note    *string `json:"note" doc:"Why it is paused."`
	Timeout *int64  `json:"timeout_in_minutes" doc:"For how many minutes; 5 unless it is given."`
}

func (a *API) pause(c *endpoint.Call) (any, error) {
	var in pauseAgentBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	return nil, a.Agents.PauseAgent(c.Context(), c.Actor(), in.Note, in.Timeout)
}

type agentTokenAnswer struct {
	UUID             string                `json:"uuid" format:"uuid" doc:"The token's UUID."`
	Description      string                `json:"description" doc:"What the token is for."`
	TokenType        string                `json:"token_type" enum:"cluster,organization" doc:"Whether it is one of a cluster, or an old one of an organization."`
	OrganizationSlug string                `json:"organization_slug" doc:"The organization's slug."`
	OrganizationUUID domain.OrganizationID `json:"organization_uuid" format:"uuid" doc:"The organization's UUID."`
	ClusterUUID      domain.ClusterID      `json:"cluster_uuid" format:"uuid" doc:"The cluster's UUID."`
	ClusterName      string                `json:"cluster_name" doc:"What the cluster is called."`
	QueueUUID        *domain.QueueID       `json:"organization_queue_uuid" format:"uuid" doc:"The UUID of the cluster's default queue."`
	QueueKey         *string               `json:"organization_queue_key" doc:"The key of the cluster's default queue."`
}

func (a *API) showToken(c *endpoint.Call) (any, error) {
	t, err := a.Agents.AgentTokenInfo(c.Context(), c.Actor())
	if err != nil {
		return nil, err
	}
	kind := "cluster"
	if t.UnclusteredID != nil {
		kind = "organization"
	}
	return agentTokenAnswer{
		UUID: t.ID(), Description: t.Token.Description, TokenType: kind, OrganizationSlug: t.OrganizationSlug,
		OrganizationUUID: t.OrganizationID, ClusterUUID: t.Token.ClusterID, ClusterName: t.ClusterName,
		QueueUUID: t.DefaultQueueID, QueueKey: t.DefaultQueueKey,
	}, nil
}

type agentFigures struct {
	Idle  int64 `json:"idle" doc:"Agents that have no job."`
	Busy  int64 `json:"busy" doc:"Agents that have a job."`
	Total int64 `json:"total" doc:"All agents."`
}

type jobFigures struct {
	Scheduled int64 `json:"scheduled" doc:"Jobs that wait for an agent."`
	Running   int64 `json:"running" doc:"Jobs that agents run."`
	Waiting   int64 `json:"waiting" doc:"Jobs that wait for others."`
	Total     int64 `json:"total" doc:"All of them."`
}

func (f *agentFigures) add(q agents.QueueStats) {
	f.Idle, f.Busy, f.Total = f.Idle+q.Idle, f.Busy+q.Busy, f.Total+q.Idle+q.Busy
}

func (f *jobFigures) add(q agents.QueueStats) {
	f.Scheduled, f.Running, f.Waiting = f.Scheduled+q.Scheduled, f.Running+q.Running, f.Waiting+q.Waiting
	f.Total += q.Scheduled + q.Running + q.Waiting
}

// pollSeconds is how long programs that read the metrics are asked to wait before they read them again.
const pollSeconds = "10"

// metricsAnswer is how busy a cluster or one of its queues is.
type metricsAnswer struct {
	Agents       agentMetrics        `json:"agents" doc:"Agents that are connected."`
	Jobs         jobMetrics          `json:"jobs" doc:"Jobs that have not ended."`
	Organization metricsOrganization `json:"organization" doc:"The organization."`
	Cluster      metricsCluster      `json:"cluster" doc:"The cluster."`
}

type agentMetrics struct {
	agentFigures
	Queues map[string]agentFigures `json:"queues,omitzero" doc:"The same for each queue, by its key. Absent for one queue."`
}

type jobMetrics struct {
	jobFigures
	Queues map[string]jobFigures `json:"queues,omitzero" doc:"The same for each queue, by its key. Absent for one queue."`
}

type metricsOrganization struct {
	Slug string `json:"slug" doc:"The organization's slug."`
}

type metricsCluster struct {
	Name string `json:"name" doc:"What the cluster is called."`
}

// count adds a queue to the figures.
func (m *metricsAnswer) count(q agents.QueueStats) {
	m.Agents.add(q)
	m.Jobs.add(q)
}

// newMetrics returns the answer about an organization's cluster, without figures, and says when to ask again.
func newMetrics(c *endpoint.Call, organization, cluster string) metricsAnswer {
	c.Header.Set("Poll-Duration", pollSeconds)
	return metricsAnswer{Organization: metricsOrganization{organization}, Cluster: metricsCluster{cluster}}
}

func (a *API) showMetrics(c *endpoint.Call) (any, error) {
	queues, token, err := a.Agents.ClusterStats(c.Context(), c.Actor())
	if err != nil {
		return nil, err
	}
	all := newMetrics(c, token.OrganizationSlug, token.ClusterName)
	all.Agents.Queues, all.Jobs.Queues = map[string]agentFigures{}, map[string]jobFigures{}
	for _, q := range queues {
		all.count(q)
		var one metricsAnswer
		one.count(q)
		all.Agents.Queues[q.Key], all.Jobs.Queues[q.Key] = one.Agents.agentFigures, one.Jobs.jobFigures
	}
	return all, nil
}

func (a *API) showQueueMetrics(c *endpoint.Call) (any, error) {
	queues, token, err := a.Agents.ClusterStats(c.Context(), c.Actor())
	if err != nil {
		return nil, err
	}
	name := c.R.URL.Query().Get("name")
	for _, q := range queues {
		if q.Key == name {
			answer := newMetrics(c, token.OrganizationSlug, token.ClusterName)
			answer.count(q)
			return answer, nil
		}
	}
	return nil, errNotFound
}
