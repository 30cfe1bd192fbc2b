package flow

import "cmp"

// BuildState is where a build stands.
type BuildState string

// The states of builds.
const (
	BuildCreating  BuildState = "creating"
	BuildScheduled BuildState = "scheduled"
	BuildRunning   BuildState = "running"
	BuildFailing   BuildState = "failing"
	BuildPassed    BuildState = "passed"
	BuildFailed    BuildState = "failed"
	BuildBlocked   BuildState = "blocked"
	BuildCanceling BuildState = "canceling"
	BuildCanceled  BuildState = "canceled"
	BuildSkipped   BuildState = "skipped"
	BuildNotRun    BuildState = "not_run"
)

// BuildStates are all states of builds.
var BuildStates = []BuildState{
	BuildCreating, BuildScheduled, BuildRunning, BuildFailing, BuildPassed, BuildFailed, BuildBlocked, BuildCanceling,
	BuildCanceled, BuildSkipped, BuildNotRun,
}

// Fate is what was decided about a build as a whole.
type Fate struct {
	Created  bool // its steps have been read
	Skipped  bool // for a newer build
	Canceled bool // somebody asked for it
}

// StateOf returns the state of a build: the first rule that fits decides.
func StateOf(f Fate, c Counts) BuildState {
	open := c.Moving + c.Held + c.Waiting
	switch {
	case f.Skipped:
		return BuildSkipped
	case !f.Created:
		return BuildCreating
	case f.Canceled && open > 0:
		return BuildCanceling
	case f.Canceled:
		return BuildCanceled
	case c.Jobs > 0 && c.NotRun == c.Jobs:
		return BuildNotRun
	case c.Started == 0 && c.Moving > 0:
		return BuildScheduled
	case c.Moving > 0 && c.HardFailed > 0:
		return BuildFailing
	case c.Moving > 0:
		return BuildRunning
	case c.Held > 0:
		return BuildBlocked
	case c.HardFailed > 0:
		return BuildFailed
	default:
		return BuildPassed
	}
}

// BlockedStateOf returns how the state of a build is shown while it waits for a person: as its first open block says,
// unless a job has failed.
func BlockedStateOf(c Counts, declared string) string {
	if c.HardFailed > 0 {
		return string(BuildFailed)
	}
	return cmp.Or(declared, string(BuildPassed))
}

// IsBlockedState says whether a build that waits for a person can be shown in that state.
func (s BuildState) IsBlockedState() bool {
	return s == BuildPassed || s == BuildFailed || s == BuildRunning
}

// HasEnded says whether a build in that state is over, unless a job is tried again.
func (s BuildState) HasEnded() bool {
	switch s {
	case BuildPassed, BuildFailed, BuildCanceled, BuildSkipped, BuildNotRun:
		return true
	default:
		return false
	}
}
