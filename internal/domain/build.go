package domain

import (
	"time"

	"penstock/internal/domain/builds"
)

// Limits of builds.
const (
	MaxBuildMessage  = 64 << 10 // bytes
	MaxJobsOfBuild   = 4_000    // retries among them
	MaxUploads       = 500      // of a build
	MaxTriggerDepth  = 10
	MaxMetaDataValue = 100_000 // bytes
	MaxMetaDataKey   = 255     // characters
)

// BuildSource is what a build came from.
type BuildSource string

// The sources of builds.
const (
	SourceWebhook  BuildSource = "webhook"
	SourceAPI      BuildSource = "api"
	SourceUI       BuildSource = "ui"
	SourceTrigger  BuildSource = "trigger_job"
	SourceSchedule BuildSource = "schedule"
)

// Author is who wrote the commit of a build.
type Author struct{ Name, Email string }

// PullRequest is what a build of a pull request is for.
type PullRequest struct {
	ID         string   `json:"id"`
	Base       string   `json:"base,omitzero"`
	Repository string   `json:"repository,omitzero"`
	Labels     []string `json:"labels,omitzero"`
	Draft      bool     `json:"draft,omitzero"`
}

// Build is one run of a pipeline.
type Build struct {
	ID              BuildID
	OrganizationID  OrganizationID
	PipelineID      PipelineID
	ClusterID       *ClusterID // the pipeline's when the build was made; nil: none, so that no agent runs it
	Number          int64
	Source          BuildSource
	Message         string
	Commit          string
	Branch          string
	Tag             string
	Env             map[string]string
	Author          Author
	CleanCheckout   bool
	IgnoreBranches  bool // the pipeline's branch filter does not count
	PullRequest     *PullRequest
	RebuiltFromID   *BuildID
	TriggeredFromID *JobID // the job that created it
	TriggerDepth    int64  // 0: no job did
	CreatedAt       time.Time

	State        builds.BuildState
	BlockedState string // how its state is shown while it is blocked
	Fate         builds.Fate
	CancelReason *string
	ScheduledAt  *time.Time
	StartedAt    *time.Time
	FailingAt    *time.Time
	FinishedAt   *time.Time
	UploadEnv    map[string]string // what uploads set at their top
	Uploads      int64
	JobsMade     int64 // retries among them
	Counts       builds.Counts
}

// ShownState is the state that REST shows.
func (b *Build) ShownState() string {
	if b.State == builds.BuildBlocked {
		return b.BlockedState
	}
	return string(b.State)
}
