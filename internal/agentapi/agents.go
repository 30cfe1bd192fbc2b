package agentapi

import (
	"net/http"
	"time"

	"penstock/internal/service/builds"
)

// Intervals that agents are told, in seconds. None of them may be 0.
const (
	statusInterval    = 5
	heartbeatInterval = 30
)

func (a *API) agentEndpoints() []endpoint {
	return []endpoint{
		{method: http.MethodPost, path: "register", handle: register},
		{method: http.MethodPost, path: "connect", handle: func(c *call) (any, error) {
			return nil, c.api.Builds.ConnectAgent(c.Context(), c.actor())
		}},
		{method: http.MethodGet, path: "ping", handle: ping},
		{method: http.MethodPost, path: "heartbeat", handle: heartbeat},
		{method: http.MethodPost, path: "disconnect", handle: func(c *call) (any, error) {
			return nil, c.api.Builds.DisconnectAgent(c.Context(), c.actor())
		}},
		{method: http.MethodPost, path: "stop", handle: stop},
		{method: http.MethodPost, path: "pause", handle: pause},
		{method: http.MethodPost, path: "resume", handle: func(c *call) (any, error) {
			return nil, c.api.Builds.ResumeAgent(c.Context(), c.actor())
		}},
		{method: http.MethodGet, path: "token", handle: showToken},
		{method: http.MethodGet, path: "metrics", handle: showMetrics},
		{method: http.MethodGet, path: "metrics/queue", handle: showQueueMetrics},
	}
}

func register(c *call) (any, error) {
	var in struct {
		Name               string   `json:"name"`
		Hostname           string   `json:"hostname"`
		OS                 string   `json:"os"`
		Arch               string   `json:"arch"`
		ScriptEvalEnabled  bool     `json:"script_eval_enabled"`
		IgnoreInDispatches bool     `json:"ignore_in_dispatches"`
		Priority           string   `json:"priority"`
		Version            string   `json:"version"`
		Build              string   `json:"build"`
		MetaData           []string `json:"meta_data"`
		PID                int64    `json:"pid"`
		MachineID          string   `json:"machine_id"`
		Features           []string `json:"features"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	made, err := c.api.Builds.RegisterAgent(c.Context(), c.actor(), builds.Registration{
		Name: in.Name, Hostname: in.Hostname, OS: in.OS, Arch: in.Arch, Version: in.Version, Build: in.Build, PID: in.PID,
		MachineID: in.MachineID,
		Priority:  in.Priority, MetaData: in.MetaData, Features: in.Features, ScriptEvalEnabled: in.ScriptEvalEnabled,
		IgnoreInDispatches: in.IgnoreInDispatches,
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"id": made.Agent.ID, "name": made.Agent.Name, "access_token": made.Session.Reveal(), "meta_data": made.Agent.MetaData,
		"ping_interval": int(made.PingInterval / time.Second), "job_status_interval": statusInterval,
		"heartbeat_interval": heartbeatInterval,
	}, nil
}

type pingAnswer struct {
	Job     *jobID `json:"job,omitempty"`
	Action  string `json:"action,omitempty"`
	Message string `json:"message,omitempty"`
}

type jobID struct {
	ID string `json:"id"`
}

func ping(c *call) (any, error) {
	told, err := c.api.Builds.PingAgent(c.Context(), c.actor())
	if err != nil {
		return nil, err
	}
	answer := pingAnswer{Action: told.Action, Message: told.Message}
	if told.Job != "" {
		answer.Job = &jobID{string(told.Job)}
	}
	return answer, nil
}

func heartbeat(c *call) (any, error) {
	var in map[string]any
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if err := c.api.Builds.HeartbeatAgent(c.Context(), c.actor()); err != nil {
		return nil, err
	}
	return map[string]any{"sent_at": in["sent_at"], "received_at": time.Now().UTC().Format(time.RFC3339Nano)}, nil
}

func stop(c *call) (any, error) {
	var in struct {
		Force bool `json:"force"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.api.Builds.StopAgent(c.Context(), c.actor(), in.Force)
}

func pause(c *call) (any, error) {
	var in struct {
		Note    *string `json:"note"`
		Timeout *int64  `json:"timeout_in_minutes"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, c.api.Builds.PauseAgent(c.Context(), c.actor(), in.Note, in.Timeout)
}

func showToken(c *call) (any, error) {
	t, err := c.api.Builds.AgentTokenInfo(c.Context(), c.actor())
	if err != nil {
		return nil, err
	}
	kind := "cluster"
	if t.UnclusteredID != nil {
		kind = "organization"
	}
	return map[string]any{
		"uuid": t.ID(), "description": t.Token.Description, "token_type": kind, "organization_slug": t.OrganizationSlug,
		"organization_uuid": t.OrganizationID,
		"cluster_uuid":      t.Token.ClusterID, "cluster_name": t.ClusterName, "organization_queue_uuid": t.DefaultQueueID,
		"organization_queue_key": t.DefaultQueueKey,
	}, nil
}

type agentFigures struct {
	Idle  int64 `json:"idle"`
	Busy  int64 `json:"busy"`
	Total int64 `json:"total"`
}

type jobFigures struct {
	Scheduled int64 `json:"scheduled"`
	Running   int64 `json:"running"`
	Waiting   int64 `json:"waiting"`
	Total     int64 `json:"total"`
}

func (f *agentFigures) add(q builds.QueueStats) {
	f.Idle, f.Busy, f.Total = f.Idle+q.Idle, f.Busy+q.Busy, f.Total+q.Idle+q.Busy
}

func (f *jobFigures) add(q builds.QueueStats) {
	f.Scheduled, f.Running, f.Waiting = f.Scheduled+q.Scheduled, f.Running+q.Running, f.Waiting+q.Waiting
	f.Total += q.Scheduled + q.Running + q.Waiting
}

// pollSeconds is how long programs that read the metrics are asked to wait before they read them again.
const pollSeconds = "10"

// metricsAnswer is how busy a cluster or one of its queues is.
type metricsAnswer struct {
	Agents       any `json:"agents"`
	Jobs         any `json:"jobs"`
	Organization struct {
		Slug string `json:"slug"`
	} `json:"organization"`
	Cluster struct {
		Name string `json:"name"`
	} `json:"cluster"`
}

// answerMetrics answers with figures of an organization's cluster.
func (c *call) answerMetrics(agents, jobs any, organization, cluster string) metricsAnswer {
	c.Header.Set("Poll-Duration", pollSeconds)
	answer := metricsAnswer{Agents: agents, Jobs: jobs}
	answer.Organization.Slug, answer.Cluster.Name = organization, cluster
	return answer
}

func showMetrics(c *call) (any, error) {
	queues, token, err := c.api.Builds.ClusterStats(c.Context(), c.actor())
	if err != nil {
		return nil, err
	}
	var agents struct {
		agentFigures
		Queues map[string]agentFigures `json:"queues"`
	}
	var jobs struct {
		jobFigures
		Queues map[string]jobFigures `json:"queues"`
	}
	agents.Queues, jobs.Queues = map[string]agentFigures{}, map[string]jobFigures{}
	for _, q := range queues {
		agents.add(q)
		jobs.add(q)
		var ofAgents agentFigures
		var ofJobs jobFigures
		ofAgents.add(q)
		ofJobs.add(q)
		agents.Queues[q.Key], jobs.Queues[q.Key] = ofAgents, ofJobs
	}
	return c.answerMetrics(agents, jobs, token.OrganizationSlug, token.ClusterName), nil
}

func showQueueMetrics(c *call) (any, error) {
	queues, token, err := c.api.Builds.ClusterStats(c.Context(), c.actor())
	if err != nil {
		return nil, err
	}
	name := c.R.URL.Query().Get("name")
	for _, q := range queues {
		if q.Key == name {
			var agents agentFigures
			var jobs jobFigures
			agents.add(q)
			jobs.add(q)
			return c.answerMetrics(agents, jobs, token.OrganizationSlug, token.ClusterName), nil
		}
	}
	return nil, errNotFound
}
