package domain

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"penstock/internal/flow"
	"penstock/internal/steps"
)

// Limits of builds.
const (
	MaxBuildMessage  = 64 << 10 // bytes
	MaxJobsOfBuild   = 4_000    // retries among them
	MaxUploads       = 500      // of a build
	MaxUploadsSize   = 64 << 20 // bytes of all uploads of a build
	MaxKeptUploads   = 1_000    // of a build: those that were refused are kept too, until there are so many
	MaxTriggerDepth  = 10
	MaxTriggered     = 500     // builds that follow from one, directly or not
	MaxMetaDataValue = 100_000 // bytes
	MaxMetaDataKey   = 255     // characters

	maxMetaDataOfBuild = 10_000  // values
	maxMetaDataSize    = 8 << 20 // bytes of all keys and values of a build: each build can be shown
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

// BuildOrigin is the first build of the chain of triggers that a build was created by: somebody who may build created
// that one, and not a job. What a trigger step says of branch and commit is the word of a job.
type BuildOrigin struct {
	BuildID BuildID // which may be gone
	Branch  string  // "": it is not known any more
	Tag     string  // "": none
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
	Origin          *BuildOrigin
	Event           *BuildEvent // what was delivered that it was made for; nil: nothing
	Publishing      *Publishing // where it publishes how it goes; nil: nowhere
	CreatedAt       time.Time

	CommitResolved bool // the commit is what its own first checkout has reported, not what it was created with

	State         flow.BuildState
	BlockedState  string // how its state is shown while it is blocked
	Fate          flow.Fate
	CancelReason  *string
	ScheduledAt   *time.Time
	StartedAt     *time.Time
	FailingAt     *time.Time
	FinishedAt    *time.Time
	UploadEnv     map[string]string // what uploads set at their top
	Notifications *Notifications    // whom its configuration notifies; nil: nobody
	Uploads       int64
	JobsMade      int64 // retries among them
	Counts        flow.Counts
}

// Notifications are whom the configuration of a build notifies.
type Notifications struct {
	Build []steps.Notification `json:"build,omitzero"`
	Steps bool                 `json:"steps,omitzero"` // some of its steps have notifications of their own
}

// TrustedRef is the branch and the tag by which it is decided what the build may do: those of its origin.
func (b *Build) TrustedRef() (branch, tag string) {
	if b.Origin != nil {
		return b.Origin.Branch, b.Origin.Tag
	}
	return b.Branch, b.Tag
}

// CountsAsAnother says whether the build counts as one of another branch or tag than its own.
func (b *Build) CountsAsAnother() bool {
	branch, tag := b.TrustedRef()
	return branch != b.Branch || tag != b.Tag
}

// ExplainOrigin says why a build counts as one of another branch than its own. Origin is the build that has the branch;
// nil: it is gone.
func ExplainOrigin(branch string, origin *BuildLink) string {
	const why = "a trigger step created the build, so it counts as a build of "
	switch {
	case branch == "":
		return why + "no branch: its origin is gone"
	case origin == nil:
		return why + "branch " + branch + ", that of its origin, which is gone"
	default:
		return why + "branch " + branch + ", that of its origin, " + origin.PipelineSlug + " #" +
			strconv.FormatInt(origin.Number, 10)
	}
}

// OriginOfTriggered is the origin of the builds that a build triggers.
func (b *Build) OriginOfTriggered() *BuildOrigin {
	if b.Origin != nil {
		return b.Origin
	}
	return &BuildOrigin{b.ID, b.Branch, b.Tag}
}

// ShownState is the state that REST shows.
func (b *Build) ShownState() string {
	if b.State == flow.BuildBlocked {
		return b.BlockedState
	}
	return string(b.State)
}

// BuildRef names a build as callers do: by its number, or by its id.
type BuildRef struct {
	Pipeline PipelineRef
	Number   int64
	UUID     BuildID // instead of the number
	ID       BuildID // instead of the pipeline and the number
}

// JobRef names a job as callers do: below its build, or by its id in the organization.
type JobRef struct {
	Organization OrganizationRef
	Build        *BuildRef // nil: of any build
	ID           string
}

// BuildInput is what a caller sends to create a build.
type BuildInput struct {
	Commit                      string
	Branch                      string
	Message                     string
	Author                      Author
	Env                         map[string]string
	MetaData                    map[string]string
	CleanCheckout               bool
	IgnorePipelineBranchFilters bool
	PullRequest                 *PullRequest
	Tag                         string
	Event                       *BuildEvent // what was delivered; no caller sends it
}

const maxMetaData = 1_000 // values that a new build is given

// Check adds the faults of an input.
func (in *BuildInput) Check(faults *Faults) {
	if in.Commit == "" && !faults.Has("commit") {
		faults.Add("commit", "Commit can't be blank")
	}
	if in.Branch == "" && !faults.Has("branch") {
		faults.Add("branch", "Branch can't be blank")
	}
	checkLine("commit", "Commit", in.Commit, maxBranch, faults)
	checkLine("branch", "Branch", in.Branch, maxBranch, faults)
	checkLine("tag", "Tag", in.Tag, maxBranch, faults)
	if len(in.Message) > MaxBuildMessage || !ValidText(in.Message) {
		faults.Add("message", "Message is too long (maximum is 64 KiB), or not valid text")
	}
	CheckText("author", "Author name", in.Author.Name, nameLimit, faults)
	CheckText("author", "Author email", in.Author.Email, nameLimit, faults)
	checkEnv(in.Env, faults)
	if len(in.MetaData) > maxMetaData {
		faults.Add("meta_data", "Meta-data has too many values (maximum is 1000)")
	}
	for key, value := range in.MetaData {
		if err := CheckMetaData(key, value); err != nil {
			faults.Add("meta_data", err.Error())
			break
		}
	}
	if p := in.PullRequest; p != nil {
		checkLine("pull_request_id", "Pull request ID", p.ID, maxBranch, faults)
		checkLine("pull_request_base_branch", "Pull request base branch", p.Base, maxBranch, faults)
		checkLine("pull_request_repository", "Pull request repository", p.Repository, maxRepository, faults)
		for _, label := range p.Labels {
			checkLine("pull_request_labels", "Pull request label", label, maxBranch, faults)
		}
	}
}

// checkLine is CheckText for a text that has no line breaks: agents hand it to commands.
func checkLine(field, label, value string, limit int, faults *Faults) {
	CheckText(field, label, value, limit, faults)
	if strings.ContainsFunc(value, unicode.IsControl) && !faults.Has(field) {
		faults.Add(field, label+" must not have line breaks or other control characters")
	}
}

// CheckMetaDataSize returns why a build cannot have so many values of so many bytes.
func CheckMetaDataSize(values, bytes int64) error {
	if values > maxMetaDataOfBuild || bytes > maxMetaDataSize {
		return NewError(Invalid, fmt.Sprintf("The build's meta-data is too large (maximum is %d values, and %d MiB of keys "+
			"and values)", maxMetaDataOfBuild, maxMetaDataSize>>20))
	}
	return nil
}

// CheckMetaData returns why a value cannot be stored under a key.
func CheckMetaData(key, value string) error {
	switch {
	case strings.TrimSpace(key) == "":
		return NewError(Invalid, "Meta-data key can't be blank")
	case utf8.RuneCountInString(key) > MaxMetaDataKey || !ValidText(key):
		return NewError(Invalid, "Meta-data key is too long (maximum is "+strconv.Itoa(MaxMetaDataKey)+
			" characters), or not valid text")
	case len(value) > MaxMetaDataValue || !ValidText(value):
		return NewError(Invalid, "Meta-data value is too long (maximum is "+strconv.Itoa(MaxMetaDataValue)+
			" bytes), or not valid text")
	case value == "":
		return NewError(Invalid, "Meta-data value can't be blank")
	}
	return nil
}
