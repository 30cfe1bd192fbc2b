package domain

import (
	"slices"
	"strings"
	"time"

	"penstock/internal/flow"
)

// BuildView is a build with what is shown along with it.
type BuildView struct {
	Build
	OrganizationSlug string
	Pipeline         PipelineView // without its configuration, its steps and its environment
	Creator          *User
	CanceledAt       *time.Time // when it was asked for; nil if it was not
	CanceledBy       *User
	RebuiltFrom      *BuildLink // nil: none, or it is gone
	TriggeredFrom    *BuildLink // the build whose job created it

	// What is read only where it is asked for.
	OriginBuild *BuildLink // the build of Origin; nil: it is gone
	MetaData    map[string]string
	Jobs        []*JobView
	JobCounts   map[string]int64     // the newest attempts at jobs, by the state that REST shows
	Groups      map[StepID]*StepView // that steps of Jobs are in
}

// BuildLink is what another thing shows of a build.
type BuildLink struct {
	ID               BuildID
	Number           int64
	PipelineSlug     string
	OrganizationSlug string
}

// JobView is a job with what is shown along with it.
type JobView struct {
	Job
	OrganizationSlug string
	PipelineSlug     string
	BuildNumber      int64
	StepKey          *string
	GroupKey         *string
	ConcurrencyGroup *string
	LimitedAt        *time.Time // when it began to wait for a slot of its concurrency group
	CanceledBy       *User
	UnblockedBy      *User
	TriggeredBuild   *BuildLink

	// What is read only where it is asked for.
	Step      *StepView
	Agent     *AgentView
	RetriedBy *User // who wanted the attempt after it; nil: a rule, or nobody
}

// ConcurrencyWait returns how long a job waited for a slot of its concurrency group; nil if it did not, or still does.
func (v *JobView) ConcurrencyWait() *time.Duration {
	if v.LimitedAt == nil || v.RunnableAt == nil {
		return nil
	}
	wait := max(0, v.RunnableAt.Sub(*v.LimitedAt))
	return &wait
}

// StepView is a step as its jobs show it.
type StepView struct {
	Step
	Signature []byte // JSON; nil: it is not signed
}

// AgentView is an agent with what is shown along with it.
type AgentView struct {
	Agent
	OrganizationSlug string
	QueueKey         *string
	Creator          *User // who made the token that it registered with
	StoppedBy        *User
	PausedBy         *User
	HeardAt          *time.Time // as far as it is stored

	Job *JobView // that it has; read only where it is asked for
}

// StepUploadView is an upload with what is shown along with it.
type StepUploadView struct {
	StepUpload
	DocumentSize  int64         // bytes
	RejectionType RejectionType // "": it was applied

	CreatedJobs []JobID // read only where it is asked for
}

// RejectionType is why an upload was refused.
type RejectionType string

// The types of rejections.
const (
	RejectedAsInvalid RejectionType = "validation_error"
	RejectedAsTooLate RejectionType = "build_not_running_error"
)

// MaxSearchedBuilds is how many of a list's builds, the newest ones, are searched for a text in their messages: no
// index finds it.
const MaxSearchedBuilds = 10_000

// BuildFilter chooses builds. The zero value chooses all.
type BuildFilter struct {
	Branches     []string // any of them; * stands for any text
	Commits      []string
	CreatedFrom  *time.Time
	CreatedTo    *time.Time
	FinishedFrom *time.Time
	Creator      *UserID
	Pipeline     *PipelineID
	Text         string // in the message, in any case; of the newest MaxSearchedBuilds alone
	States       []flow.BuildState
	ShownStates  []flow.BuildState // any of them, by the names that REST has for them; blocked: all that wait for a person
	MetaData     map[string]string // all of them
	Pairs        []string          // meta-data as key:value, all of them
}

// Check returns what is wrong with the filter.
func (f *BuildFilter) Check() error { return checkPatterns("branch", f.Branches...) }

// finishedStates are what is meant by builds that have finished.
var finishedStates = []flow.BuildState{flow.BuildPassed, flow.BuildFailed, flow.BuildBlocked, flow.BuildCanceled}

// ParseBuildStates returns the states of builds that callers name so; finished stands for several.
//
// Returns Malformed for a name that none has.
func ParseBuildStates(names []string) (states []flow.BuildState, err error) {
	for _, name := range names {
		state := flow.BuildState(name)
		switch {
		case name == "finished":
			states = append(states, finishedStates...)
		case slices.Contains(flow.BuildStates, state):
			states = append(states, state)
		default:
			valid := []string{"finished"}
			for _, state := range flow.BuildStates {
				valid = append(valid, string(state))
			}
			return nil, NewError(Malformed, "state must be one of "+strings.Join(valid, ", "))
		}
	}
	return states, nil
}

// JobFilter chooses jobs. The zero value chooses all.
type JobFilter struct {
	ShownStates []string // any of them, by the names that REST has for them
	StepKey     *string
	GroupKey    *string
	NewestOnly  bool    // no attempts that were retried
	UpTo        *string // the position of the last step whose jobs are chosen
}

// CheckShownStates returns Malformed unless all are names of states that REST shows jobs in.
func CheckShownStates(parameter string, names []string) error {
	for _, name := range names {
		if !slices.Contains(ShownJobStates, name) {
			return NewError(Malformed, parameter+" must be one of "+strings.Join(ShownJobStates, ", "))
		}
	}
	return nil
}

// ShownJobStates are the states that REST shows jobs in, and names that stand for several.
var ShownJobStates = func() []string {
	names := []string{"passed", "failed", "finished", "not_run"}
	for _, state := range flow.JobStates {
		if name := string(state); !slices.Contains(names, name) && state != flow.Limiting && state != flow.Limited {
			names = append(names, name)
		}
	}
	return names
}()

// AgentFilter chooses agents. The zero value chooses all that are connected.
type AgentFilter struct {
	Name     *string
	Hostname *string
	Version  *string
	Queue    *QueueID
	Text     string // in their names, in any case
	QueueKey string // of their queue; empty: any
	Running  *bool  // have a job
}

// AgentRef names an agent as callers do.
type AgentRef struct {
	Organization OrganizationRef
	ID           string
}

// AgentPause is how an agent is to be paused.
type AgentPause struct {
	Note             Optional[string]
	TimeoutInMinutes Optional[int64]
}

// StepUploadFilter chooses uploads. The zero value chooses all.
type StepUploadFilter struct {
	Job *JobID // that made them
}
