package core

import "penstock/internal/domain"

// Topics wake who waits for them, on all nodes.

// QueueTopic is woken when a queue has a job for an agent, or is resumed.
func QueueTopic(id domain.QueueID) string { return "queue:" + string(id) }

// AgentTopic is woken when there is a message for an agent.
func AgentTopic(id domain.AgentID) string { return "agent:" + string(id) }

// BuildTopic is woken when a build or one of its jobs has changed.
func BuildTopic(id domain.BuildID) string { return "build:" + string(id) }

// PipelineTopic is woken when a pipeline has a new build, or one in another state.
func PipelineTopic(id domain.PipelineID) string { return "pipeline:" + string(id) }

// OrganizationTopic is woken when an organization has a new build, or one in another state.
func OrganizationTopic(id domain.OrganizationID) string { return "builds:" + string(id) }

// FleetTopic is woken when an organization's agents have changed, or what waits for them.
func FleetTopic(id domain.OrganizationID) string { return "fleet:" + string(id) }

// NoticesTopic is woken when there is a notice to send.
const NoticesTopic = "notices"
