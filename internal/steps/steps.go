// Package steps reads the definition of a pipeline: its steps, what each of them needs, and which jobs they become. It
// is pure.
//
// A definition comes as JSON from agents, which have normalized it, or as YAML from a pipeline's configuration. A
// definition is taken whole or refused whole, with an error that is a Fault.
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
	Env    map[string]string
	Steps  []Step
	Notify []Notification // of the build
}

// Step is a step of a definition. The members below a kind are for steps of that kind alone.
type Step struct {
	Kind Kind `json:",omitzero"`
	// as it came, for the agent that runs it: signatures are made over its parts
	Source   json.RawMessage `json:"-"`
	Key      string          `json:"-"` // "": none
	Label    string          `json:"-"`
	If       *Condition      `json:"-"` // nil: none
	Branches []string        `json:"-"` // patterns; none: every branch
	// whether DependsOn stands in the place of what would be depended on otherwise
	ExplicitDependencies   bool            `json:"-"`
	DependsOn              []Dependency    `json:"-"`
	AllowDependencyFailure bool            `json:",omitzero"`
	Skip                   string          `json:",omitzero"` // the reason; "": it is not skipped
	Notify                 json.RawMessage `json:"-"`

	CommandStep
	ContinueOnFailure bool `json:",omitzero"` // wait
	Manual
	TriggerStep
	Steps []Step `json:"-"` // group
}

// Dependency is a step that another one waits for.
type Dependency struct {
	Step         string // its key
	AllowFailure bool
}

// CommandStep is what steps have that agents run.
type CommandStep struct {
	Command              string            `json:",omitzero"`
	Agents               []string          `json:",omitzero"` // rules such as queue=linux
	ArtifactPaths        string            `json:",omitzero"` // patterns, a semicolon between them
	CancelOnBuildFailing bool              `json:",omitzero"`
	Concurrency          int               `json:",omitzero"` // 0: not limited
	ConcurrencyGroup     string            `json:",omitzero"`
	ConcurrencyMethod    ConcurrencyMethod `json:",omitzero"`
	Env                  map[string]string `json:",omitzero"`
	Plugins              json.RawMessage   `json:",omitzero"` // a list; nil: none
	Matrix               *Matrix           `json:"-"`         // nil: none
	Parallelism          int               `json:",omitzero"` // 0: not given
	Priority             *int              `json:",omitzero"` // nil: as the build's
	Retry                Retry             `json:",omitzero"`
	SoftFail             SoftFail          `json:",omitzero"`
	TimeoutInMinutes     int               `json:",omitzero"` // 0: none
	Image                string            `json:",omitzero"`
	Checkout             Checkout          `json:",omitzero"`
	Signature            json.RawMessage   `json:"-"`
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
	Prompt       string   `json:",omitzero"`
	Submit       string   `json:",omitzero"`
	Fields       []Field  `json:",omitzero"`
	BlockedState string   `json:",omitzero"` // what the build's state is shown as meanwhile: passed, failed or running
	AllowedTeams []string `json:",omitzero"`
}

// Field is what a person is asked for.
type Field struct {
	Key      string   `json:",omitzero"`
	Text     string   `json:",omitzero"` // its label, of a text
	Select   string   `json:",omitzero"` // its label, of a choice
	Hint     string   `json:",omitzero"`
	Format   string   `json:",omitzero"` // a regular expression
	Required bool     `json:",omitzero"`
	Multiple bool     `json:",omitzero"`
	Default  []string `json:",omitzero"`
	Options  []Option `json:",omitzero"`
}

// Option is something to choose.
type Option struct{ Label, Value string }

// TriggerStep is what steps have that create a build of another pipeline.
type TriggerStep struct {
	Trigger string         `json:",omitzero"` // the pipeline's slug
	Async   bool           `json:",omitzero"`
	Build   TriggeredBuild `json:",omitzero"`
}

// TriggeredBuild is the build that a trigger step creates.
type TriggeredBuild struct {
	Message  string            `json:",omitzero"`
	Commit   string            `json:",omitzero"`
	Branch   string            `json:",omitzero"` // "": the pipeline's default branch
	MetaData map[string]string `json:",omitzero"`
	Env      map[string]string `json:",omitzero"`
}

// Checkout is how an agent gets the code.
type Checkout struct {
	Skip               *bool    `json:",omitzero"`
	Submodules         *bool    `json:",omitzero"`
	LFS                *bool    `json:",omitzero"`
	Depth              *int     `json:",omitzero"`
	CloneFlags         string   `json:",omitzero"`
	FetchFlags         string   `json:",omitzero"`
	CheckoutFlags      string   `json:",omitzero"`
	CleanFlags         string   `json:",omitzero"`
	SparsePaths        []string `json:",omitzero"`
	SSHSecret          string   `json:",omitzero"`
	CommitVerification string   `json:",omitzero"`
}
