package domain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"penstock/internal/flow"
	"penstock/internal/steps"
)

// Limits of jobs.
const (
	MaxLogSize   = 1 << 30 // bytes of a job's log; what comes after is dropped
	MaxChunkSize = 4 << 20 // bytes of a piece of a log that is accepted; agents are asked to send less
	MaxOffers    = 3       // of a job to one agent, one after the other
	MaxTimeout   = 525_600 // minutes: a year
)

// JobTokenGrace is how long a job's token is good for repeats of its last calls once the job has ended.
const JobTokenGrace = 10 * time.Minute

// RetryType is who ran a job again.
type RetryType string

// The types of retries.
const (
	RetryAutomatic RetryType = "automatic"
	RetryManual    RetryType = "manual"
)

// LogPlace is where a job's log is.
type LogPlace string

// The places of logs.
const (
	LogInChunks LogPlace = ""        // rows of the database
	LogSealed   LogPlace = "sealed"  // the same, but no more are taken
	LogInRows   LogPlace = "rows"    // the same, for good: it is small
	LogPacked   LogPlace = "packed"  // one object; not all rows have been deleted yet
	LogInBlob   LogPlace = "blob"    // one object
	LogDeleted  LogPlace = "deleted" // gone
)

// IsObject reports whether the log is one object.
func (p LogPlace) IsObject() bool { return p == LogPacked || p == LogInBlob }

// ReplacedReason is why a job is broken that an upload has taken away. It is shown to nobody.
const ReplacedReason = "replaced"

// Job is one attempt at a job of a step.
type Job struct {
	ID                 JobID
	OrganizationID     OrganizationID
	PipelineID         PipelineID
	BuildID            BuildID
	StepID             StepID
	ClusterID          *ClusterID
	QueueID            *QueueID // nil: no agent runs it, as the cluster has no such queue
	QueueKey           *string  // that its rules name; nil: the cluster's default queue
	Kind               steps.Kind
	Label              string
	Command            string
	AgentRules         []string // that name no queue are what RulesKey stands for
	RulesKey           string
	Position           string // orders the steps of a build
	UploadIndex        int64  // its place among the jobs of its upload
	Matrix             map[string]string
	SoftFail           steps.SoftFail
	ParallelIndex      int64
	ParallelTotal      int64 // 0: it is the only one
	RetriesCount       int64
	RetrySourceID      *JobID // the attempt before
	RetryType          *RetryType
	RuleUses           []int64 // how many times each automatic rule was used
	RetryAvoidsAgent   *AgentID
	ConcurrencyGroupID *ConcurrencyGroupID
	ConcurrencyLimit   int64
	ConcurrencyMethod  steps.ConcurrencyMethod
	CreatedAt          time.Time
	QueuedAt           time.Time // its place in the line: of the build, or of the job that uploaded it

	State              flow.JobState
	Outcome            flow.Outcome
	Priority           int64
	AgentID            *AgentID
	TokenHash          *string
	TokenUntil         *time.Time
	ExitStatus         *int64
	Signal             *string
	SignalReason       *string
	PromisedExitStatus *int64
	PromisedAt         *time.Time
	PromiseCounts      bool // the build is failing for it
	SoftFailed         bool
	BrokenReason       *string
	ReservedBy         *StackID // who starts an agent for it
	ReservedUntil      *time.Time
	Detail             *string // why it has ended so, in words; nil: there is nothing to say
	Timeout            *int64  // minutes
	Deadline           *time.Time
	CancelGraceUntil   *time.Time
	ScheduledAt        *time.Time
	RunnableAt         *time.Time
	AssignedAt         *time.Time
	AcceptedAt         *time.Time
	StartedAt          *time.Time
	FinishedAt         *time.Time
	CanceledAt         *time.Time
	ExpiredAt          *time.Time
	RetriedByID        *JobID // the attempt after
	UnblockedAt        *time.Time
	TriggeredBuildID   *BuildID
	UploadEnv          map[string]string // that of the build when an agent took the job
	ChunksFailedCount  int64
	Acquired           bool
}

// WhyNoAgent says why no agent can take a job that waits for one; "": some can.
func (j *Job) WhyNoAgent() string {
	switch {
	case j.State != flow.Scheduled || j.QueueID != nil:
		return ""
	case j.ClusterID == nil:
		return "the pipeline had no cluster when it was built"
	case j.QueueKey == nil || *j.QueueKey == "":
		return "the cluster has no default queue"
	default:
		return "the cluster has no queue " + *j.QueueKey
	}
}

// ExplainState says what a person should know of the job's state, where that does not say so; nil: there is nothing to
// say.
func (j *Job) ExplainState() *string {
	if why := j.WhyNoAgent(); why != "" {
		why = "No agent can take this job: " + why
		return &why
	}
	return j.Detail
}

// SetLabel calls the job by a step's label. Of parallel jobs it numbers: %n is the job's number from 0, %N from 1, and
// %t how many there are.
func (j *Job) SetLabel(label string) {
	if j.ParallelTotal > 0 {
		text := func(n int64) string { return strconv.FormatInt(n, 10) }
		label = strings.NewReplacer("%n", text(j.ParallelIndex), "%N", text(j.ParallelIndex+1), "%t",
			text(j.ParallelTotal)).Replace(label)
	}
	j.Label = label
}

// JobType is what runs a job, by the name of its type in GraphQL.
type JobType string

// The types of jobs.
const (
	CommandJob JobType = "JobTypeCommand" // an agent
	WaitJob    JobType = "JobTypeWait"    // nothing: it ends when what it waits for has ended
	BlockJob   JobType = "JobTypeBlock"   // a person
	TriggerJob JobType = "JobTypeTrigger" // another build
)

// Type returns what runs the job.
func (j *Job) Type() JobType {
	switch j.Kind {
	case steps.Wait:
		return WaitJob
	case steps.Block, steps.Input:
		return BlockJob
	case steps.Trigger:
		return TriggerJob
	default:
		return CommandJob
	}
}

// ShownState is the state that REST shows.
func (j *Job) ShownState() string {
	switch j.State {
	case flow.Finished:
		if j.Outcome == flow.HardFailed || j.SoftFailed {
			return "failed"
		}
		return "passed"
	case flow.TimedOut:
		if j.Outcome == flow.Passed { // it ended well when it was asked to
			return "passed"
		}
		return string(j.State)
	case flow.Limiting, flow.Limited:
		return string(flow.Scheduled)
	default:
		return string(j.State)
	}
}

// Step is a step of a build.
type Step struct {
	ID         StepID
	BuildID    BuildID
	ParentID   *StepID // the group that it is in, or the step whose job uploaded it
	GroupID    *StepID
	Kind       steps.Kind
	Key        *string
	Label      string
	Notify     string   // a JSON list
	Updates    []string // the ids of the latest changes that jobs made to it
	Position   string
	Source     string     // as it was uploaded
	Definition steps.Step // what was read of it
	UploadID   *UploadID  // that it came with; nil: it is the pipeline's own
	Counters   flow.Step
}

// StepDependency is a step that another one waits for.
type StepDependency struct {
	ID      string
	BuildID BuildID
	OnKey   *string // that no step has yet
	Edge    flow.Edge
}

// StepUpload is a definition that a job added to its build.
type StepUpload struct {
	ID        UploadID
	BuildID   BuildID
	JobID     JobID
	CreatedAt time.Time
	Applied   bool
	Replaces  bool
	Message   string // why it was refused
	Document  string
}

// JobEvent is something that happened to a job.
type JobEvent struct {
	ID      string
	JobID   JobID
	Type    flow.JobEvent
	At      time.Time
	AgentID *AgentID
	UserID  *UserID
	Detail  *string // what a stack says
}

// Annotation is a text that is shown with a build, or with one of its jobs.
type Annotation struct {
	ID        AnnotationID
	BuildID   BuildID
	JobID     *JobID // that made it
	Scope     AnnotationScope
	ScopeID   string // the build or the job that it is shown with
	Context   string // distinguishes it from the others there
	Style     string
	Priority  int64
	Body      string // Markdown
	HTML      string // of the body as it was at RenderedAt
	CreatedAt time.Time
	UpdatedAt time.Time

	RenderedAt time.Time
}

// AnnotationScope is what an annotation is shown with.
type AnnotationScope string

// The scopes of annotations.
const (
	ScopeOfBuild AnnotationScope = "build"
	ScopeOfJob   AnnotationScope = "job"
)

// AnnotationInput is what a caller sends to make or change an annotation.
type AnnotationInput struct {
	Body     string
	Context  string // "": default
	Style    string // "": as it is
	Append   bool
	Priority int64 // 0: as it is
	Scope    AnnotationScope
}

// Limits of annotations.
const (
	MaxAnnotationBody    = 1 << 20 // bytes
	MaxAnnotationContext = 100     // characters

	maxAnnotationsOfBuild = 1_000    // those of its jobs among them
	maxAnnotationsSize    = 16 << 20 // bytes of their bodies, and of these as HTML: all can be shown together
)

// CheckAnnotationsSize returns why a build cannot have so many annotations of so many bytes.
func CheckAnnotationsSize(annotations, bytes int64) error {
	if annotations > maxAnnotationsOfBuild || bytes > maxAnnotationsSize {
		return NewError(Invalid, fmt.Sprintf("The build's annotations are too large (maximum is %d annotations, and %d MiB)",
			maxAnnotationsOfBuild, maxAnnotationsSize>>20))
	}
	return nil
}

var annotationStyles = []string{"default", "info", "warning", "error", "success"}

// Apply makes the changes of an input, and returns what is wrong with it.
func (a *Annotation) Apply(in AnnotationInput, now time.Time) error {
	a.UpdatedAt = now
	if in.Append {
		a.Body += in.Body
	} else if in.Body != "" {
		a.Body = in.Body
	}
	if in.Style != "" {
		a.Style = in.Style
	}
	if in.Priority != 0 {
		a.Priority = in.Priority
	}
	switch {
	case len(a.Body) > MaxAnnotationBody:
		return NewError(Invalid, "Annotation body is too long (maximum is 1 MiB)")
	case !ValidText(a.Body):
		return NewError(Invalid, "Annotation body must be valid text")
	case !slices.Contains(annotationStyles, a.Style):
		return NewError(Invalid, "Annotation style must be one of "+strings.Join(annotationStyles, ", "))
	case a.Priority < 1 || a.Priority > 10:
		return NewError(Invalid, "Annotation priority must be from 1 to 10")
	case utf8.RuneCountInString(a.Context) > MaxAnnotationContext || !ValidText(a.Context):
		return NewError(Invalid, "Annotation context is too long (maximum is 100 characters), or not valid text")
	}
	return nil
}
