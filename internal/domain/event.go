package domain

import (
	"time"

	"penstock/internal/flow"
)

// EventSubject is what an event is about, and how that was when it happened.
type EventSubject struct {
	Build      BuildID         `json:"build"`
	State      flow.BuildState `json:"state"`
	StartedAt  *time.Time      `json:"started_at,omitzero"`
	FinishedAt *time.Time      `json:"finished_at,omitzero"`
	Job        JobID           `json:"job,omitzero"` // "": it is about the build
	JobState   flow.JobState   `json:"job_state,omitzero"`

	Agent      AgentID         `json:"agent,omitzero"` // "": it is about none
	AgentState flow.AgentState `json:"agent_state,omitzero"`
	Cluster    ClusterID       `json:"cluster,omitzero"`
	Owner      OrganizationID  `json:"owner,omitzero"`      // of the agent and the token
	Token      AgentTokenID    `json:"token,omitzero"`      // of the cluster, that was used; "": it does not matter
	BlockedIP  string          `json:"blocked_ip,omitzero"` // that it was used from
}

// IsAboutAgents reports whether the event is about an agent or its token.
func (s EventSubject) IsAboutAgents() bool { return s.Agent != "" || s.Token != "" }

// RenderedEvent is what an event is about, as JSON of the REST API.
type RenderedEvent struct {
	Build, Pipeline []byte
	Job             []byte // nil: it is about the build
	Agent           []byte // nil: it is not about one
	Token           []byte
}

// Mail is a mail, which is sent as plain text and as HTML.
type Mail struct{ To, Subject, Text string }
