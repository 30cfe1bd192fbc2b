package domain

import (
	"time"

	"penstock/internal/domain/builds"
)

// EventSubject is what an event is about, and how that was when it happened.
type EventSubject struct {
	Build      BuildID           `json:"build"`
	State      builds.BuildState `json:"state"`
	StartedAt  *time.Time        `json:"started_at,omitzero"`
	FinishedAt *time.Time        `json:"finished_at,omitzero"`
	Job        JobID             `json:"job,omitzero"` // "": it is about the build
	JobState   builds.JobState   `json:"job_state,omitzero"`
}

// RenderedEvent is what an event is about, as JSON of the REST API.
type RenderedEvent struct {
	Build, Pipeline []byte
	Job             []byte // nil: it is about the build
}

// Mail is a mail in plain text.
type Mail struct{ To, Subject, Text string }
