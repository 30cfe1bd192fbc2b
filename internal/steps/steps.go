// Package steps reads the definition of a pipeline: its steps, what each of them needs, and which jobs they become. It is pure and imports
// nothing of ours.
//
// A definition comes as JSON from agents, which have normalized it, or as YAML from a pipeline's configuration. A definition is taken whole or
// refused whole, with an error that is a Fault.
package steps

import (
	"encoding/json"
	"fmt"
)

// Kind is what a step does.
type Kind string

// The kinds of steps. A block and an input differ in that steps behind an input do not wait for it.
const (
	Command Kind = "command"
	Wait    Kind = "wait"
	Block   Kind = "block"
	Input   Kind = "input"
	Trigger Kind = "trigger"
	Group   Kind = "group"
)

// Limits of one definition.
const (
	MaxJobs            = 500 // that its steps become; a group counts as one more
	MaxKeyLength       = 100
	MaxSkipLength      = 70
	MaxGroupNameLength = 200 // of a concurrency group
	MaxAllowedTeams    = 100
	maxStepBytes       = 1 << 20
	maxParallelism     = 1_000_000 // what is above MaxJobs is refused as that
	maxDimensions      = 6
	maxElements        = 25
	maxElementBytes    = 128
	maxAdjustments     = 12
	maxMatrixJobs      = 50
)

// Fault says why a definition is refused, in words for its author.
type Fault string

func (f Fault) Error() string { return string(f) }

func faultf(format string, args ...any) error { return Fault(fmt.Sprintf(format, args...)) }

// Pipeline is a definition.
type Pipeline struct {
	Env   map[string]string
	Steps []Step
}

// Step is a step of a definition. The members below a kind are for steps of that kind alone.
type Step struct {
	Kind                   Kind
	Source                 json.RawMessage // as it came, for the agent that runs it: signatures are made over its parts
	Key                    string          // "": none
	Label                  string
	If                     *Condition // nil: none
	Branches               []string   // patterns; none: every branch
	ExplicitDependencies   bool       // whether DependsOn stands in the place of what would be depended on otherwise
	DependsOn              []Dependency
	AllowDependencyFailure bool
	Skip                   string // the reason; "": it is not skipped
	Notify                 json.RawMessage

	CommandStep
	ContinueOnFailure bool // wait
	Manual
	TriggerStep
	Steps []Step // group
}

// Dependency is a step that another one waits for.
type Dependency struct {
	Step         string // its key
	AllowFailure bool
}

// CommandStep is what steps have that agents run.
type CommandStep struct {
	Command              string
	Agents               []string // rules such as queue=linux
	ArtifactPaths        string   // patterns, a semicolon between them
	CancelOnBuildFailing bool
	Concurrency          int // 0: not limited
	ConcurrencyGroup     string
	ConcurrencyMethod    ConcurrencyMethod
	Env                  map[string]string
	Plugins              json.RawMessage // a list; nil: none
	Matrix               *Matrix         // nil: none
	Parallelism          int             // 0: not given
	Priority             *int            // nil: as the build's
	Retry                Retry
	SoftFail             SoftFail
	TimeoutInMinutes     int // 0: none
	Image                string
	Checkout             Checkout
	Signature            json.RawMessage
}

// ConcurrencyMethod is how jobs of a concurrency group take turns.
type ConcurrencyMethod string

// Ordered jobs start in the order in which they were made, eager ones as soon as there is room.
const (
	Ordered ConcurrencyMethod = "ordered"
	Eager   ConcurrencyMethod = "eager"
)

// Manual is what steps have that wait for a person.
type Manual struct {
	Prompt       string
	Submit       string
	Fields       []Field
	BlockedState string // what the build's state is shown as meanwhile: passed, failed or running
	AllowedTeams []string
}

// Field is what a person is asked for.
type Field struct {
	Key      string
	Text     string // its label, of a text
	Select   string // its label, of a choice
	Hint     string
	Format   string // a regular expression
	Required bool
	Multiple bool
	Default  []string
	Options  []Option
}

// Option is something to choose.
type Option struct{ Label, Value string }

// TriggerStep is what steps have that create a build of another pipeline.
type TriggerStep struct {
	Trigger string // the pipeline's slug
	Async   bool
	Build   TriggeredBuild
}

// TriggeredBuild is the build that a trigger step creates.
type TriggeredBuild struct {
	Message  string
	Commit   string
	Branch   string // "": the pipeline's default branch
	MetaData map[string]string
	Env      map[string]string
}

// Checkout is how an agent gets the code.
type Checkout struct {
	Skip               *bool
	Submodules         *bool
	LFS                *bool
	Depth              *int
	CloneFlags         string
	FetchFlags         string
	CheckoutFlags      string
	CleanFlags         string
	SparsePaths        []string
	SSHSecret          string
	CommitVerification string
}
