package domain

import (
	"time"

	"penstock/internal/flow"
)

// JobSearch chooses jobs of an organization, a pipeline, a build or an agent. The zero value chooses all.
type JobSearch struct {
	States       []flow.JobState // any of them; nil: all. So for the other lists
	Types        []JobType
	Queues       []QueueID
	StepKeys     []string
	Groups       []string // concurrency groups
	Priorities   []int64
	AgentRules   []string // all of them
	Cluster      *ClusterID
	Unclustered  bool // of no cluster
	Passed       *bool
	CreatedFrom  *time.Time
	CreatedTo    *time.Time
	FinishedFrom *time.Time
}

// AgentSearch chooses agents that are connected. The zero value chooses all.
type AgentSearch struct {
	Text        string // in their names, in any case
	Queues      []QueueID
	Cluster     *ClusterID
	Unclustered bool     // of no cluster, which none is
	Tags        []string // all of them
	Running     *bool    // have a job
	Paused      *bool
}

// MetaDataItem is a value that a build keeps under a key.
type MetaDataItem struct {
	BuildID    BuildID
	Key, Value string
}

// DependencyView is what a step waits for.
type DependencyView struct {
	ID           string
	Key          *string // of the step that it waits for; nil: that has none
	AllowFailure bool
}

// JobEventView is something that happened to a job, with what it led to.
type JobEventView struct {
	JobEvent
	ExitStatus   *int64
	Signal       *string
	SignalReason *string
	RetriedByID  *JobID
	JobDetail    *string // why the job ended as it did
}
