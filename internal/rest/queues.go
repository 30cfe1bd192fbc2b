package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inQueue = inCluster + "/queues/{id}"

func (a *API) queueEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inCluster + "/queues", Operation: "listClusterQueues",
			Summary: "Lists a cluster's queues, by key.",
			Scope:   domain.ScopeReadClusters, Answer: []queueAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.QueueView], error) {
					return a.Service.Queues(c.Context(), c.Actor(), clusterRef(c), page)
				}, a.showQueue)
			},
		},
		{
			Method: http.MethodPost, Path: inCluster + "/queues", Operation: "createClusterQueue",
			Summary: "Creates a queue in a cluster.",
			Scope:   domain.ScopeWriteClusters, Body: queueBody{}, Answer: queueAnswer{}, Status: http.StatusCreated,
			Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				q, err := a.Service.CreateQueue(c.Context(), c.Actor(), clusterRef(c), readBody(c, queueBody.input))
				return a.showQueue(q), err
			},
		},
		{
			Method: http.MethodGet, Path: inQueue, Operation: "getClusterQueue", Summary: "Gets a queue.",
			Scope: domain.ScopeReadClusters, Answer: queueAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				q, err := a.Service.Queue(c.Context(), c.Actor(), clusterRef(c), c.Path("id"))
				return a.showQueue(q), err
			},
		},
		{
			Method: http.MethodPut, Alias: http.MethodPatch, Path: inQueue, Operation: "updateClusterQueue",
			Summary: "Changes a queue. Its key stays.",
			Scope:   domain.ScopeWriteClusters, Body: queueBody{}, Answer: queueAnswer{}, Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				q, err := a.Service.UpdateQueue(c.Context(), c.Actor(), clusterRef(c), c.Path("id"),
					readBody(c, queueBody.input), requireMatch(c, a.showQueue))
				return a.showQueue(q), err
			},
		},
		{
			Method: http.MethodDelete, Path: inQueue, Operation: "deleteClusterQueue", Summary: "Deletes a queue.",
			Scope: domain.ScopeWriteClusters, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Service.DeleteQueue(c.Context(), c.Actor(), clusterRef(c), c.Path("id"), requireMatch(c, a.showQueue))
			},
		},
		{
			Method: http.MethodGet, Path: inQueue + "/metrics", Operation: "getClusterQueueMetrics",
			Summary: "Says how a queue is doing: what it has now, and what ended and started during the last 15 minutes.",
			Scope:   domain.ScopeReadClusters, Answer: queueFiguresAnswer{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				m, err := a.Builds.QueueMetrics(c.Context(), c.Actor(), clusterRef(c), c.Path("id"))
				return showQueueFigures(m), err
			},
		},
		{
			Method: http.MethodPost, Path: inQueue + "/pause_dispatch", Operation: "pauseClusterQueueDispatch",
			Summary: "Stops a queue from giving out jobs.",
			Scope:   domain.ScopeWriteClusters, Body: pauseBody{}, OptionalBody: true, Answer: queueAnswer{},
			Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				q, err := a.Service.PauseQueue(c.Context(), c.Actor(), clusterRef(c), c.Path("id"), readBody(c, pauseBody.input))
				return a.showQueue(q), err
			},
		},
		{
			Method: http.MethodPost, Path: inQueue + "/resume_dispatch", Operation: "resumeClusterQueueDispatch",
			Summary: "Lets a paused queue give out jobs again.",
			Scope:   domain.ScopeWriteClusters, Answer: queueAnswer{}, Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				q, err := a.Service.ResumeQueue(c.Context(), c.Actor(), clusterRef(c), c.Path("id"))
				return a.showQueue(q), err
			},
		},
	}
}

type queueBody struct {
	Key                       domain.Optional[string] `json:"key" required:"create" pattern:"^[0-9A-Za-z_-]+$" doc:"Letters, digits, - and _, at most 100. Unique in the cluster, and can't be changed."`
	domain.QueueSettingsInput `json:",inline"`
	HostedAgents              domain.Optional[hostedAgentsBody] `json:"hosted_agents" doc:"The machines that serve the queue. A queue is created with hosted agents or without, and stays so."`
	HostedAgentsCamel         domain.Optional[hostedAgentsBody] `json:"hostedAgents" doc:"The same as hosted_agents."`
}

type hostedAgentsBody struct {
	InstanceShape         domain.Optional[string]               `json:"instance_shape" nullable:"false" doc:"The kind of machine, such as LINUX_AMD64_2X4. Required to create a queue with hosted agents."`
	InstanceShapeCamel    domain.Optional[string]               `json:"instanceShape" nullable:"false" doc:"The same as instance_shape."`
	PlatformSettings      domain.Optional[platformSettingsBody] `json:"platform_settings" doc:"What the machines run."`
	PlatformSettingsCamel domain.Optional[platformSettingsBody] `json:"platformSettings" doc:"The same as platform_settings."`
}

type platformSettingsBody struct {
	Linux domain.Optional[linuxSettingsBody] `json:"linux" doc:"For Linux machines."`
	MacOS domain.Optional[macOSSettingsBody] `json:"macos" doc:"For macOS machines."`
}

type linuxSettingsBody struct {
	AgentImageRef      domain.Optional[string] `json:"agent_image_ref" doc:"The image that agents run in. Null for the usual one."`
	AgentImageRefCamel domain.Optional[string] `json:"agentImageRef" doc:"The same as agent_image_ref."`
}

type macOSSettingsBody struct {
	MacOSVersion      domain.Optional[string] `json:"macos_version" doc:"The macOS version, such as SEQUOIA. Left out or null: the server chooses one for a new queue, and a queue keeps the one that it has."`
	MacOSVersionCamel domain.Optional[string] `json:"macosVersion" doc:"The same as macos_version."`
	XcodeVersion      domain.Optional[string] `json:"xcode_version" doc:"The Xcode version. Null for the usual one."`
	XcodeVersionCamel domain.Optional[string] `json:"xcodeVersion" doc:"The same as xcode_version."`
}

func (b queueBody) input() domain.QueueInput {
	in := domain.QueueInput{Key: b.Key, QueueSettingsInput: b.QueueSettingsInput}
	hosted := chooseGiven(b.HostedAgents, b.HostedAgentsCamel)
	in.Hosted.Given, in.Hosted.Null = hosted.Given, hosted.Null
	settings := chooseGiven(hosted.Value.PlatformSettings, hosted.Value.PlatformSettingsCamel).Value
	linux, macOS := settings.Linux.Value, settings.MacOS.Value
	in.Hosted.Value = domain.HostedAgentsInput{
		InstanceShape: chooseGiven(hosted.Value.InstanceShape, hosted.Value.InstanceShapeCamel),
		AgentImageRef: chooseGiven(linux.AgentImageRef, linux.AgentImageRefCamel),
		MacOSVersion:  chooseGiven(macOS.MacOSVersion, macOS.MacOSVersionCamel),
		XcodeVersion:  chooseGiven(macOS.XcodeVersion, macOS.XcodeVersionCamel),
	}
	return in
}

// chooseGiven returns a property that has two names: a value rather than a null.
func chooseGiven[T any](a, b domain.Optional[T]) domain.Optional[T] {
	if a.HasValue() || !b.Given {
		return a
	}
	return b
}

type pauseBody struct {
	DispatchPausedNote domain.Optional[string] `json:"dispatch_paused_note" doc:"Why the queue is paused."`
	Note               domain.Optional[string] `json:"note" doc:"The same as dispatch_paused_note."`
}

func (b pauseBody) input() domain.Optional[string] { return chooseGiven(b.DispatchPausedNote, b.Note) }

type queueAnswer struct {
	ID                   domain.QueueID `json:"id" format:"uuid" doc:"The queue's UUID."`
	GraphQLID            string         `json:"graphql_id" doc:"The queue's ID in the GraphQL API."`
	Key                  string         `json:"key" doc:"What agents and jobs call the queue. Unique in the cluster."`
	domain.QueueSettings `json:",inline"`
	URL                  string              `json:"url" format:"uri" doc:"The queue in this API."`
	WebURL               string              `json:"web_url" format:"uri" doc:"The queue in the web interface."`
	ClusterURL           string              `json:"cluster_url" format:"uri" doc:"The queue's cluster in this API."`
	DispatchPaused       bool                `json:"dispatch_paused" doc:"Whether the queue is paused, so that none of its jobs start."`
	DispatchPausedBy     *userAnswer         `json:"dispatch_paused_by" doc:"Who paused the queue. Null if it is not paused, or they are gone."`
	DispatchPausedAt     *endpoint.Timestamp `json:"dispatch_paused_at" doc:"When the queue was paused. Null if it is not."`
	DispatchPausedNote   *string             `json:"dispatch_paused_note" doc:"Why the queue was paused."`
	Hosted               bool                `json:"hosted" doc:"Whether hosted agents serve the queue."`
	HostedAgents         *hostedAgentsAnswer `json:"hosted_agents" doc:"The machines that serve the queue. Null if it is not hosted."`
	CreatedAt            endpoint.Timestamp  `json:"created_at" doc:"When the queue was created."`
	CreatedBy            *userAnswer         `json:"created_by" doc:"Who created the queue. Null if they are gone."`
}

type hostedAgentsAnswer struct {
	InstanceShape    instanceShapeAnswer    `json:"instance_shape" doc:"The kind of machine."`
	PlatformSettings platformSettingsAnswer `json:"platform_settings" doc:"What the machines run."`
}

type instanceShapeAnswer struct {
	Name         string `json:"name" doc:"The shape's name, such as LINUX_AMD64_2X4."`
	MachineType  string `json:"machine_type" enum:"linux,macos" doc:"The machine's operating system."`
	Architecture string `json:"architecture" enum:"amd64,arm64" doc:"The processor's architecture."`
	CPU          int    `json:"cpu" doc:"The number of virtual processors."`
	Memory       int    `json:"memory" doc:"The memory, in GB."`
}

type platformSettingsAnswer struct {
	Linux *linuxSettingsAnswer `json:"linux,omitzero" doc:"Of Linux machines."`
	MacOS *macOSSettingsAnswer `json:"macos,omitzero" doc:"Of macOS machines."`
}

type linuxSettingsAnswer struct {
	AgentImageRef *string `json:"agent_image_ref" doc:"The image that agents run in. Null for the usual one."`
}

type macOSSettingsAnswer struct {
	MacOSVersion *string `json:"macos_version" doc:"The macOS version."`
	XcodeVersion *string `json:"xcode_version" doc:"The Xcode version. Null for the usual one."`
}

func (a *API) showQueue(q domain.QueueView) queueAnswer {
	cluster := a.clusterURL(q.OrganizationSlug, q.ClusterID)
	answer := queueAnswer{
		ID:            q.ID,
		GraphQLID:     domain.GraphQLID("ClusterQueue", q.ID),
		Key:           q.Key,
		QueueSettings: q.QueueSettings,
		URL:           cluster + "/queues/" + string(q.ID),
		WebURL: a.BaseURL + "/organizations/" + q.OrganizationSlug + "/clusters/" + string(q.ClusterID) +
			"/queues/" + string(q.ID),
		ClusterURL:   cluster,
		Hosted:       q.Hosted != nil,
		HostedAgents: showHosted(q.Hosted),
		CreatedAt:    endpoint.Timestamp(q.CreatedAt),
		CreatedBy:    a.showUser(q.CreatedBy),
	}
	if q.Paused != nil {
		answer.DispatchPaused = true
		answer.DispatchPausedBy = a.showUser(q.PausedBy)
		answer.DispatchPausedAt = endpoint.NullTimestamp(&q.Paused.At)
		answer.DispatchPausedNote = q.Paused.Note
	}
	return answer
}

func showHosted(h *domain.HostedAgents) *hostedAgentsAnswer {
	if h == nil {
		return nil
	}
	answer := &hostedAgentsAnswer{InstanceShape: instanceShapeAnswer{
		Name: h.Shape.Name, MachineType: h.Shape.MachineType, Architecture: h.Shape.Architecture, CPU: h.Shape.CPU,
		Memory: h.Shape.Memory,
	}}
	if h.Shape.MachineType == "macos" {
		answer.PlatformSettings.MacOS = &macOSSettingsAnswer{MacOSVersion: h.MacOSVersion, XcodeVersion: h.XcodeVersion}
	} else {
		answer.PlatformSettings.Linux = &linuxSettingsAnswer{AgentImageRef: h.AgentImageRef}
	}
	return answer
}

type queueFiguresAnswer struct {
	Timestamp            endpoint.Timestamp `json:"timestamp" doc:"Since when jobs that ended and started are counted: 15 minutes ago."`
	ConnectedAgentsCount int64              `json:"connected_agents_count" doc:"How many agents are connected."`
	WaitingJobsCount     int64              `json:"waiting_jobs_count" doc:"How many jobs wait for an agent."`
	RunningJobsCount     int64              `json:"running_jobs_count" doc:"How many jobs agents have."`
	JobsPassedCount      int64              `json:"jobs_passed_count" doc:"How many jobs passed."`
	JobsFailedCount      int64              `json:"jobs_failed_count" doc:"How many jobs ended without passing, other than canceled ones."`
	WaitTimeSec          queueWaitAnswer    `json:"wait_time_sec" doc:"How long the jobs had waited that started."`
}

type queueWaitAnswer struct {
	Min float64 `json:"min" doc:"The one that waited shortest."`
	P50 float64 `json:"p50" doc:"Half of them waited for no longer."`
	P95 float64 `json:"p95" doc:"95 of 100 waited for no longer."`
	Max float64 `json:"max" doc:"The one that waited longest."`
}

func showQueueFigures(m domain.QueueMetrics) queueFiguresAnswer {
	return queueFiguresAnswer{
		Timestamp: endpoint.Timestamp(m.Since), ConnectedAgentsCount: m.Connected, WaitingJobsCount: m.Waiting,
		RunningJobsCount: m.Running,
		JobsPassedCount:  m.Passed, JobsFailedCount: m.Failed,
		WaitTimeSec: queueWaitAnswer{Min: m.ShortestWait.Seconds(), P50: m.MedianWait.Seconds(), P95: m.LongWait.Seconds(),
			Max: m.LongestWait.Seconds()},
	}
}
