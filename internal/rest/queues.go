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
				return c.api.Service.Queues(c.r.Context(), c.actor(), c.clusterRef(), page)
			}, c.queueToAnswer)
		},
	},
	{
		methods: post, path: inCluster + "/queues", operation: "createClusterQueue", summary: "Creates a queue in a cluster.",
		scope: string(domain.ScopeWriteClusters), body: queueBody{}, answer: queueAnswer{}, status: http.StatusCreated, tagged: true,
		errors: []int{http.StatusUnprocessableEntity},
		handle: func(c *call) (any, error) {
			q, err := c.api.Service.CreateQueue(c.r.Context(), c.actor(), c.clusterRef(), body(c, queueBody.input))
			return c.queueToAnswer(q), err
		},
	},
	{
		methods: get, path: inQueue, operation: "getClusterQueue", summary: "Gets a queue.",
		scope: string(domain.ScopeReadClusters), answer: queueAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			q, err := c.api.Service.Queue(c.r.Context(), c.actor(), c.clusterRef(), c.r.PathValue("id"))
			return c.queueToAnswer(q), err
		},
	},
	{
		methods: update, path: inQueue, operation: "updateClusterQueue", summary: "Changes a queue. Its key stays.",
		scope: string(domain.ScopeWriteClusters), body: queueBody{}, answer: queueAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
		handle: func(c *call) (any, error) {
			q, err := c.api.Service.UpdateQueue(c.r.Context(), c.actor(), c.clusterRef(), c.r.PathValue("id"),
				body(c, queueBody.input), expect(c, c.queueRepresentations))
			return c.queueToAnswer(q), err
		},
	},
	{
		methods: remove, path: inQueue, operation: "deleteClusterQueue", summary: "Deletes a queue.",
		scope: string(domain.ScopeWriteClusters), status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.DeleteQueue(c.r.Context(), c.actor(), c.clusterRef(), c.r.PathValue("id"), expect(c, c.queueRepresentations))
		},
	},
	{
		methods: post, path: inQueue + "/pause_dispatch", operation: "pauseClusterQueueDispatch", summary: "Stops a queue from giving out jobs.",
		scope: string(domain.ScopeWriteClusters), body: pauseBody{}, optional: true, answer: queueAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusUnprocessableEntity},
		handle: func(c *call) (any, error) {
			q, err := c.api.Service.PauseQueue(c.r.Context(), c.actor(), c.clusterRef(), c.r.PathValue("id"), optionalBody(c, pauseBody.input))
			return c.queueToAnswer(q), err
		},
	},
	{
		methods: post, path: inQueue + "/resume_dispatch", operation: "resumeClusterQueueDispatch", summary: "Lets a paused queue give out jobs again.",
		scope: string(domain.ScopeWriteClusters), answer: queueAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusUnprocessableEntity},
		handle: func(c *call) (any, error) {
			q, err := c.api.Service.ResumeQueue(c.r.Context(), c.actor(), c.clusterRef(), c.r.PathValue("id"))
			return c.queueToAnswer(q), err
		},
	},
}

type queueBody struct {
	Key                domain.Optional[string]           `json:"key" doc:"Letters, digits, - and _, at most 100. Required to create a queue; stays as it is."`
	Description        domain.Optional[string]           `json:"description"`
	RetryAgentAffinity domain.Optional[string]           `json:"retry_agent_affinity" doc:"prefer-warmest (default) or prefer-different."`
	HostedAgents       domain.Optional[hostedAgentsBody] `json:"hosted_agents" doc:"Makes the queue one of hosted agents."`
	HostedAgentsCamel  domain.Optional[hostedAgentsBody] `json:"hostedAgents" doc:"The same as hosted_agents."`
}

type hostedAgentsBody struct {
	InstanceShape         domain.Optional[string]               `json:"instance_shape" doc:"Such as LINUX_AMD64_2X4."`
	InstanceShapeCamel    domain.Optional[string]               `json:"instanceShape" doc:"The same as instance_shape."`
	PlatformSettings      domain.Optional[platformSettingsBody] `json:"platform_settings"`
	PlatformSettingsCamel domain.Optional[platformSettingsBody] `json:"platformSettings" doc:"The same as platform_settings."`
}

type platformSettingsBody struct {
	Linux domain.Optional[linuxSettingsBody] `json:"linux"`
	MacOS domain.Optional[macOSSettingsBody] `json:"macos"`
}

type linuxSettingsBody struct {
	AgentImageRef      domain.Optional[string] `json:"agent_image_ref"`
	AgentImageRefCamel domain.Optional[string] `json:"agentImageRef" doc:"The same as agent_image_ref."`
}

type macOSSettingsBody struct {
	MacOSVersion      domain.Optional[string] `json:"macos_version"`
	MacOSVersionCamel domain.Optional[string] `json:"macosVersion" doc:"The same as macos_version."`
	XcodeVersion      domain.Optional[string] `json:"xcode_version"`
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

// either returns a property that has two names.
func either[T any](a, b domain.Optional[T]) domain.Optional[T] {
	if a.Given {
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
	ID                 domain.QueueID            `json:"id" format:"uuid"`
	GraphQLID          string                    `json:"graphql_id"`
	Key                string                    `json:"key"`
	Description        *string                   `json:"description"`
	URL                string                    `json:"url" format:"uri"`
	WebURL             string                    `json:"web_url" format:"uri"`
	ClusterURL         string                    `json:"cluster_url" format:"uri"`
	RetryAgentAffinity domain.RetryAgentAffinity `json:"retry_agent_affinity"`
	DispatchPaused     bool                      `json:"dispatch_paused"`
	DispatchPausedBy   *userAnswer               `json:"dispatch_paused_by"`
	DispatchPausedAt   *timestamp                `json:"dispatch_paused_at"`
	DispatchPausedNote *string                   `json:"dispatch_paused_note"`
	Hosted             bool                      `json:"hosted"`
	HostedAgents       *hostedAgentsAnswer       `json:"hosted_agents"`
	CreatedAt          timestamp                 `json:"created_at"`
	CreatedBy          *userAnswer               `json:"created_by"`
}

type hostedAgentsAnswer struct {
	InstanceShape    instanceShapeAnswer    `json:"instance_shape"`
	PlatformSettings platformSettingsAnswer `json:"platform_settings"`
}

type instanceShapeAnswer struct {
	Name         string `json:"name"`
	MachineType  string `json:"machine_type"`
	Architecture string `json:"architecture"`
	CPU          int    `json:"cpu"`
	Memory       int    `json:"memory" doc:"In GB."`
}

type platformSettingsAnswer struct {
	Linux *linuxSettingsAnswer `json:"linux,omitzero"`
	MacOS *macOSSettingsAnswer `json:"macos,omitzero"`
}

type linuxSettingsAnswer struct {
	AgentImageRef *string `json:"agent_image_ref"`
}

type macOSSettingsAnswer struct {
	MacOSVersion *string `json:"macos_version"`
	XcodeVersion *string `json:"xcode_version"`
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

func (c *call) queueRepresentations(q domain.QueueView) []any { return []any{c.queueToAnswer(q)} }
