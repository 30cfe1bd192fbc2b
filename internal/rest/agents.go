package rest

import (
	"cmp"
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/flow"
)

const inAgent = inOrganization + "/agents/{id}"

func (a *API) agentEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/agents", Operation: "listAgents",
			Summary: "Lists an organization's agents that are connected, the newest first.",
			Scope:   domain.ScopeReadAgents, Answer: []agentAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Query: []endpoint.QueryParameter{
				{Name: "name", Doc: "Only agents of this name."},
				{Name: "hostname", Doc: "Only agents on the machine of this name."},
				{Name: "version", Doc: "Only agents of this version."},
				{Name: "cluster_queue_id", Doc: "Only agents of the queue with this UUID."},
			},
			Handle: func(c *endpoint.Call) (any, error) {
				filter, filterErr := readAgentFilter(c)
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[*domain.AgentView], error) {
					agents, err := a.Agents.Agents(c.Context(), c.Actor(), organizationRef(c), filter, page)
					return agents, cmp.Or(err, filterErr)
				}, a.showAgent)
			},
		},
		{
			Method: http.MethodGet, Path: inAgent, Operation: "getAgent", Summary: "Gets an agent, even a disconnected one.",
			Scope: domain.ScopeReadAgents, Answer: agentAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				v, err := a.Agents.Agent(c.Context(), c.Actor(), agentRef(c))
				return a.showAgent(&v), err
			},
		},
		{
			Method: http.MethodPut, Path: inAgent + "/stop", Operation: "stopAgent", Summary: "Tells an agent to stop. Only " +
				"those who may manage its cluster.",
			Scope: domain.ScopeWriteAgents, Body: stopAgentBody{}, OptionalBody: true, Status: http.StatusNoContent,
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Agents.StopManagedAgent(c.Context(), c.Actor(), agentRef(c), readBody(c,
					func(b stopAgentBody) domain.Optional[bool] { return b.Force }))
				return nil, err
			},
		},
		{
			Method: http.MethodPut, Path: inAgent + "/pause", Operation: "pauseAgent",
			Summary: "Lets an agent be given no jobs. The one that it has goes on. Only those who may manage its cluster.",
			Scope:   domain.ScopeWriteAgents, Body: pauseAgentBody{}, OptionalBody: true, Status: http.StatusNoContent,
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Agents.PauseManagedAgent(c.Context(), c.Actor(), agentRef(c), readBody(c, pauseAgentBody.input))
				return nil, err
			},
		},
		{
			Method: http.MethodPut, Path: inAgent + "/resume", Operation: "resumeAgent",
			Summary: "Lets a paused agent be given jobs again. Only those who may manage its cluster.",
			Scope:   domain.ScopeWriteAgents, Status: http.StatusNoContent, Errors: []int{http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Agents.ResumeManagedAgent(c.Context(), c.Actor(), agentRef(c))
				return nil, err
			},
		},
	}
}

func agentRef(c *endpoint.Call) domain.AgentRef {
	return domain.AgentRef{Organization: organizationRef(c), ID: c.Path("id")}
}

// readAgentFilter reads which agents the request asks for.
func readAgentFilter(c *endpoint.Call) (filter domain.AgentFilter, err error) {
	query, err := c.Query()
	if err != nil {
		return filter, err
	}
	filter = domain.AgentFilter{Name: nullIfEmpty(query.Get("name")), Hostname: nullIfEmpty(query.Get("hostname")),
		Version: nullIfEmpty(query.Get("version"))}
	if text := query.Get("cluster_queue_id"); text != "" {
		id, ok := domain.ParseID[domain.QueueID](text)
		if !ok {
			return filter, domain.NewError(domain.Malformed, "cluster_queue_id must be the UUID of a queue")
		}
		filter.Queue = &id
	}
	return filter, nil
}

type stopAgentBody struct {
	Force domain.Optional[bool] `json:"force" doc:"Whether to cancel its job. If false, the agent finishes the job first. By default true."`
}

type pauseAgentBody struct {
	Note             domain.Optional[string] `json:"note" doc:"Why it is paused, at most 1,000 bytes."`
	TimeoutInMinutes domain.Optional[int64]  `json:"timeout_in_minutes" doc:"After how many minutes it is resumed, at most 1440. Usually 5."`
}

func (b pauseAgentBody) input() domain.AgentPause {
	return domain.AgentPause{Note: b.Note, TimeoutInMinutes: b.TimeoutInMinutes}
}

type agentAnswer struct {
	jobAgentAnswer `json:",inline"`
	Job            *jobAnswer `json:"job" doc:"The job that it has. Null for none."`
}

func (a *API) showAgent(v *domain.AgentView) agentAnswer {
	answer := agentAnswer{jobAgentAnswer: a.showJobAgent(v)}
	if v.Job != nil {
		job := a.showJob(v.Job)
		answer.Job = &job
	}
	return answer
}

// jobAgentAnswer is an agent as its jobs show it.
type jobAgentAnswer struct {
	ID                     domain.AgentID      `json:"id" format:"uuid" doc:"The agent's UUID."`
	GraphQLID              string              `json:"graphql_id" doc:"The agent's ID in the GraphQL API."`
	URL                    string              `json:"url" format:"uri" doc:"The agent in this API."`
	WebURL                 string              `json:"web_url" format:"uri" doc:"The agent in the web interface."`
	Name                   string              `json:"name" doc:"The agent's name."`
	ConnectionState        flow.AgentState     `json:"connection_state" enum:"never_connected,connected,disconnected,stopping,stopped,lost" doc:"Whether the agent is there."`
	Hostname               string              `json:"hostname" doc:"The machine that it runs on."`
	IPAddress              string              `json:"ip_address" doc:"The address that it registered from."`
	UserAgent              string              `json:"user_agent" doc:"The name it registered with."`
	Version                string              `json:"version" doc:"Its version."`
	OSID                   string              `json:"os_id" doc:"The machine's operating system, such as linux, darwin or windows."`
	Arch                   string              `json:"arch" doc:"The machine's architecture."`
	Queue                  *string             `json:"queue" doc:"The key of the queue that it takes jobs from. Null if the queue was deleted."`
	ClusterID              domain.ClusterID    `json:"cluster_id" format:"uuid" doc:"The cluster that it belongs to."`
	ClusterURL             string              `json:"cluster_url" format:"uri" doc:"That cluster in this API."`
	ClusterQueueID         *domain.QueueID     `json:"cluster_queue_id" format:"uuid" doc:"The queue that it takes jobs from. Null if it was deleted."`
	ClusterQueueURL        *string             `json:"cluster_queue_url" format:"uri" doc:"That queue in this API."`
	Creator                *userAnswer         `json:"creator" doc:"Who made the token that it registered with. Null if they, or the token, are gone."`
	CreatedAt              endpoint.Timestamp  `json:"created_at" doc:"When it registered."`
	ConnectedAt            *endpoint.Timestamp `json:"connected_at" doc:"When it connected."`
	DisconnectedAt         *endpoint.Timestamp `json:"disconnected_at" doc:"When it disconnected."`
	LostAt                 *endpoint.Timestamp `json:"lost_at" doc:"When it was considered lost."`
	StoppedAt              *endpoint.Timestamp `json:"stopped_at" doc:"When it disconnected because it was told to stop."`
	LastJobFinishedAt      *endpoint.Timestamp `json:"last_job_finished_at" doc:"When the last of its jobs ended."`
	Priority               *int64              `json:"priority" doc:"Agents with a higher one get jobs first. Null is the least."`
	MetaData               []string            `json:"meta_data" doc:"Its tags, such as queue=linux."`
	Paused                 bool                `json:"paused" doc:"Whether it is paused, and given no jobs."`
	PausedAt               *endpoint.Timestamp `json:"paused_at" doc:"When it was paused. Null if it is not."`
	PausedBy               *userAnswer         `json:"paused_by" doc:"Who paused it. Null for a job, or if they are gone."`
	PausedNote             *string             `json:"paused_note" doc:"Why it was paused."`
	PausedTimeoutInMinutes *int64              `json:"paused_timeout_in_minutes" doc:"After how many minutes it is resumed."`
}

func (a *API) showJobAgent(v *domain.AgentView) jobAgentAnswer {
	answer := jobAgentAnswer{
		ID:                v.ID,
		GraphQLID:         domain.GraphQLID("Agent", v.ID),
		URL:               a.BaseURL + "/v2/organizations/" + v.OrganizationSlug + "/agents/" + string(v.ID),
		WebURL:            a.BaseURL + "/organizations/" + v.OrganizationSlug + "/agents/" + string(v.ID),
		Name:              v.Name,
		ConnectionState:   v.State,
		Hostname:          v.Hostname,
		IPAddress:         v.IPAddress,
		UserAgent:         v.UserAgent,
		Version:           v.Version,
		OSID:              v.OSID(),
		Arch:              v.Arch,
		Queue:             v.QueueKey,
		ClusterID:         v.ClusterID,
		ClusterURL:        a.clusterURL(v.OrganizationSlug, v.ClusterID),
		ClusterQueueID:    v.QueueID,
		Creator:           a.showUser(v.Creator),
		CreatedAt:         endpoint.Timestamp(v.CreatedAt),
		ConnectedAt:       endpoint.NullTimestamp(v.ConnectedAt),
		DisconnectedAt:    endpoint.NullTimestamp(v.DisconnectedAt),
		LostAt:            endpoint.NullTimestamp(v.LostAt),
		StoppedAt:         endpoint.NullTimestamp(v.StoppedAt),
		LastJobFinishedAt: endpoint.NullTimestamp(v.LastJobFinishedAt),
		Priority:          v.Priority,
		MetaData:          v.MetaData,
	}
	if v.QueueID != nil {
		queue := answer.ClusterURL + "/queues/" + string(*v.QueueID)
		answer.ClusterQueueURL = &queue
	}
	if v.IsPaused(a.now()) {
		answer.Paused, answer.PausedAt, answer.PausedBy = true, endpoint.NullTimestamp(v.PausedAt), a.showUser(v.PausedBy)
		answer.PausedNote, answer.PausedTimeoutInMinutes = v.PausedNote, v.PausedTimeout
	}
	return answer
}
