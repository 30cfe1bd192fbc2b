package rest

import (
	"net/http"

	"penstock/internal/domain"
)

const inQueue = inCluster + "/queues/{id}"

var queueEndpoints = []endpoint{
	{
		methods: get, path: inCluster + "/queues", operation: "listClusterQueues", summary: "Lists a cluster's queues, by key.",
		scope: string(domain.ScopeReadClusters), answer: []queueAnswer{}, list: pageList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return paged(c, func(page domain.Page) (domain.Paged[domain.QueueView], error) {
				return c.api.Service.Queues(c.Context(), c.actor(), c.clusterRef(), page)
			}, c.queueToAnswer)
		},
	},
	{
		methods: post, path: inCluster + "/queues", operation: "createClusterQueue", summary: "Creates a queue in a cluster.",
		scope: string(domain.ScopeWriteClusters), body: queueBody{}, answer: queueAnswer{}, status: http.StatusCreated, tagged: true,
		handle: func(c *call) (any, error) {
			q, err := c.api.Service.CreateQueue(c.Context(), c.actor(), c.clusterRef(), body(c, queueBody.input))
			return c.queueToAnswer(q), err
		},
	},
	{
		methods: get, path: inQueue, operation: "getClusterQueue", summary: "Gets a queue.",
		scope: string(domain.ScopeReadClusters), answer: queueAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			q, err := c.api.Service.Queue(c.Context(), c.actor(), c.clusterRef(), c.Path("id"))
			return c.queueToAnswer(q), err
		},
	},
	{
		methods: update, path: inQueue, operation: "updateClusterQueue", summary: "Changes a queue. Its key stays.",
		scope: string(domain.ScopeWriteClusters), body: queueBody{}, answer: queueAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			q, err := c.api.Service.UpdateQueue(c.Context(), c.actor(), c.clusterRef(), c.Path("id"),
				body(c, queueBody.input), expect(c, c.queueToAnswer))
			return c.queueToAnswer(q), err
		},
	},
	{
		methods: remove, path: inQueue, operation: "deleteClusterQueue", summary: "Deletes a queue.",
		scope: string(domain.ScopeWriteClusters), status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.DeleteQueue(c.Context(), c.actor(), c.clusterRef(), c.Path("id"), expect(c, c.queueToAnswer))
		},
	},
	{
		methods: post, path: inQueue + "/pause_dispatch", operation: "pauseClusterQueueDispatch", summary: "Stops a queue from giving out jobs.",
		scope: string(domain.ScopeWriteClusters), body: pauseBody{}, optional: true, answer: queueAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			q, err := c.api.Service.PauseQueue(c.Context(), c.actor(), c.clusterRef(), c.Path("id"), body(c, pauseBody.input))
			return c.queueToAnswer(q), err
		},
	},
	{
		methods: post, path: inQueue + "/resume_dispatch", operation: "resumeClusterQueueDispatch", summary: "Lets a paused queue give out jobs again.",
		scope: string(domain.ScopeWriteClusters), answer: queueAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusUnprocessableEntity},
		handle: func(c *call) (any, error) {
			q, err := c.api.Service.ResumeQueue(c.Context(), c.actor(), c.clusterRef(), c.Path("id"))
			return c.queueToAnswer(q), err
		},
	},
}

type queueBody struct {
	Key                domain.Optional[string]           `json:"key" required:"create" pattern:"^[0-9A-Za-z_-]+$" doc:"Letters, digits, - and _, at most 100. Unique in the cluster, and can't be changed."`
	Description        domain.Optional[string]           `json:"description" doc:"At most 10,000 characters. Null for none."`
	RetryAgentAffinity domain.Optional[string]           `json:"retry_agent_affinity" nullable:"false" enum:"prefer-warmest,prefer-different" doc:"Which agent is to run a job's retry. A new queue has prefer-warmest unless another is given."`
	HostedAgents       domain.Optional[hostedAgentsBody] `json:"hosted_agents" doc:"The machines that serve the queue. A queue is created with hosted agents or without, and stays so."`
	HostedAgentsCamel  domain.Optional[hostedAgentsBody] `json:"hostedAgents" doc:"The same as hosted_agents."`
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
	MacOSVersion      domain.Optional[string] `json:"macos_version" doc:"The macOS version, such as SEQUOIA. Null for the usual one."`
	MacOSVersionCamel domain.Optional[string] `json:"macosVersion" doc:"The same as macos_version."`
	XcodeVersion      domain.Optional[string] `json:"xcode_version" doc:"The Xcode version. Null for the usual one."`
	XcodeVersionCamel domain.Optional[string] `json:"xcodeVersion" doc:"The same as xcode_version."`
}

func (b queueBody) input() domain.QueueInput {
	in := domain.QueueInput{Key: b.Key, Description: b.Description, RetryAgentAffinity: b.RetryAgentAffinity}
	hosted := either(b.HostedAgents, b.HostedAgentsCamel)
	in.Hosted.Given, in.Hosted.Null = hosted.Given, hosted.Null
	settings := either(hosted.Value.PlatformSettings, hosted.Value.PlatformSettingsCamel).Value
	linux, macOS := settings.Linux.Value, settings.MacOS.Value
	in.Hosted.Value = domain.HostedAgentsInput{
		InstanceShape: either(hosted.Value.InstanceShape, hosted.Value.InstanceShapeCamel),
		AgentImageRef: either(linux.AgentImageRef, linux.AgentImageRefCamel),
		MacOSVersion:  either(macOS.MacOSVersion, macOS.MacOSVersionCamel),
		XcodeVersion:  either(macOS.XcodeVersion, macOS.XcodeVersionCamel),
	}
	return in
}

// either returns a property that has two names: a value rather than a null.
func either[T any](a, b domain.Optional[T]) domain.Optional[T] {
	if a.HasValue() || !b.Given {
		return a
	}
	return b
}

type pauseBody struct {
	DispatchPausedNote domain.Optional[string] `json:"dispatch_paused_note" doc:"Why the queue is paused."`
	Note               domain.Optional[string] `json:"note" doc:"The same as dispatch_paused_note."`
}

func (b pauseBody) input() domain.Optional[string] { return either(b.DispatchPausedNote, b.Note) }

type queueAnswer struct {
	ID                 domain.QueueID            `json:"id" format:"uuid" doc:"The queue's UUID."`
	GraphQLID          string                    `json:"graphql_id" doc:"The queue's ID in the GraphQL API."`
	Key                string                    `json:"key" doc:"What agents and jobs call the queue. Unique in the cluster."`
	Description        *string                   `json:"description" doc:"What the queue is for."`
	URL                string                    `json:"url" format:"uri" doc:"The queue in this API."`
	WebURL             string                    `json:"web_url" format:"uri" doc:"The queue in the web interface."`
	ClusterURL         string                    `json:"cluster_url" format:"uri" doc:"The queue's cluster in this API."`
	RetryAgentAffinity domain.RetryAgentAffinity `json:"retry_agent_affinity" enum:"prefer-warmest,prefer-different" doc:"Which agent is to run a job's retry."`
	DispatchPaused     bool                      `json:"dispatch_paused" doc:"Whether the queue is paused: it gives out no jobs."`
	DispatchPausedBy   *userAnswer               `json:"dispatch_paused_by" doc:"Who paused the queue. Null if it is not paused, or they are gone."`
	DispatchPausedAt   *timestamp                `json:"dispatch_paused_at" doc:"When the queue was paused. Null if it is not."`
	DispatchPausedNote *string                   `json:"dispatch_paused_note" doc:"Why the queue was paused."`
	Hosted             bool                      `json:"hosted" doc:"Whether hosted agents serve the queue."`
	HostedAgents       *hostedAgentsAnswer       `json:"hosted_agents" doc:"The machines that serve the queue. Null if it is not hosted."`
	CreatedAt          timestamp                 `json:"created_at" doc:"When the queue was created."`
	CreatedBy          *userAnswer               `json:"created_by" doc:"Who created the queue. Null if they are gone."`
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
	MacOSVersion *string `json:"macos_version" doc:"The macOS version. Null for the usual one."`
	XcodeVersion *string `json:"xcode_version" doc:"The Xcode version. Null for the usual one."`
}

func (c *call) queueToAnswer(q domain.QueueView) queueAnswer {
	cluster := c.clusterURL(q.OrganizationSlug, q.ClusterID)
	answer := queueAnswer{
		ID:                 q.ID,
		GraphQLID:          domain.GraphQLID("ClusterQueue", q.ID),
		Key:                q.Key,
		Description:        q.Description,
		URL:                cluster + "/queues/" + string(q.ID),
		WebURL:             c.api.BaseURL + "/organizations/" + q.OrganizationSlug + "/clusters/" + string(q.ClusterID) + "/queues/" + string(q.ID),
		ClusterURL:         cluster,
		RetryAgentAffinity: q.RetryAgentAffinity,
		Hosted:             q.Hosted != nil,
		HostedAgents:       hostedToAnswer(q.Hosted),
		CreatedAt:          timestamp(q.CreatedAt),
		CreatedBy:          c.userToAnswer(q.CreatedBy),
	}
	if q.Paused != nil {
		answer.DispatchPaused = true
		answer.DispatchPausedBy = c.userToAnswer(q.PausedBy)
		answer.DispatchPausedAt = nullTimestamp(&q.Paused.At)
		answer.DispatchPausedNote = q.Paused.Note
	}
	return answer
}

func hostedToAnswer(h *domain.HostedAgents) *hostedAgentsAnswer {
	if h == nil {
		return nil
	}
	answer := &hostedAgentsAnswer{InstanceShape: instanceShapeAnswer{
		Name: h.Shape.Name, MachineType: h.Shape.MachineType, Architecture: h.Shape.Architecture, CPU: h.Shape.CPU, Memory: h.Shape.Memory,
	}}
	if h.Shape.MachineType == "macos" {
		answer.PlatformSettings.MacOS = &macOSSettingsAnswer{MacOSVersion: h.MacOSVersion, XcodeVersion: h.XcodeVersion}
	} else {
		answer.PlatformSettings.Linux = &linuxSettingsAnswer{AgentImageRef: h.AgentImageRef}
	}
	return answer
}
