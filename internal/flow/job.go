// Package flow has the rules by which builds, their jobs, and agents change: which states there are, what leads from
// one to the next, and what follows for others. It is pure: who calls it loads what it asks for and stores what it
// changed.
package flow

import "slices"

// JobState is where a job stands.
type JobState string

// The states of jobs.
const (
	Pending         JobState = "pending"
	Waiting         JobState = "waiting"
	WaitingFailed   JobState = "waiting_failed"
	Blocked         JobState = "blocked"
	BlockedFailed   JobState = "blocked_failed"
	Unblocked       JobState = "unblocked"
	UnblockedFailed JobState = "unblocked_failed"
	Limiting        JobState = "limiting"
	Limited         JobState = "limited"
	Scheduled       JobState = "scheduled"
	Reserved        JobState = "reserved"
	Assigned        JobState = "assigned"
	Accepted        JobState = "accepted"
	Running         JobState = "running"
	Finished        JobState = "finished"
	Canceling       JobState = "canceling"
	Canceled        JobState = "canceled"
	TimingOut       JobState = "timing_out"
	TimedOut        JobState = "timed_out"
	Expired         JobState = "expired"
	Skipped         JobState = "skipped"
	Broken          JobState = "broken"
)

// JobEvent is what is recorded of a change, by its name in GraphQL. Some changes leave none.
type JobEvent string

// The events of jobs.
const (
	EventNone              JobEvent = ""
	EventLimited           JobEvent = "LIMITED"
	EventScheduled         JobEvent = "SCHEDULED"
	EventReserved          JobEvent = "RESERVED"
	EventReservedExpired   JobEvent = "RESERVED_EXPIRED"
	EventAssigned          JobEvent = "ASSIGNED"
	EventAssignedExpired   JobEvent = "ASSIGNED_EXPIRED"
	EventAccepted          JobEvent = "ACCEPTED"
	EventAcceptedExpired   JobEvent = "ACCEPTED_EXPIRED"
	EventStarted           JobEvent = "STARTED"
	EventFinished          JobEvent = "FINISHED"
	EventAgentLost         JobEvent = "AGENT_LOST"
	EventAgentDisconnected JobEvent = "AGENT_DISCONNECTED"
	EventAgentStopped      JobEvent = "AGENT_STOPPED"
	EventTimedOut          JobEvent = "TIMED_OUT"
	EventCancelation       JobEvent = "CANCELATION"
	EventCanceled          JobEvent = "CANCELED"
	EventExpired           JobEvent = "EXPIRED"
	EventUnblocked         JobEvent = "UNBLOCKED"
	EventStackErrored      JobEvent = "STACK_ERRORED"
	EventStackNotification JobEvent = "STACK_NOTIFICATION"      // no change of state
	EventLogTooLong        JobEvent = "LOG_SIZE_LIMIT_EXCEEDED" // no change of state
	EventRetried           JobEvent = "RETRIED"                 // no change of state
)

// transition is a change that jobs may make.
type transition struct{ from, to JobState }

// transitions are all changes that jobs may make, each with the events that can be recorded of it.
var transitions = map[transition][]JobEvent{
	// An upload is applied.
	{Pending, Waiting}: {EventNone}, {Pending, Blocked}: {EventNone}, {Pending, Limiting}: {EventNone},
	{Pending, Scheduled}: {EventScheduled},
	{Pending, Broken}:    {EventNone}, {Pending, WaitingFailed}: {EventNone}, {Pending, BlockedFailed}: {EventNone},
	{Pending, Finished}: {EventFinished},
	{Pending, Running}:  {EventStarted},
	// Its dependencies are satisfied, or cannot be.
	{Waiting, Blocked}: {EventNone}, {Blocked, Waiting}: {EventNone},
	{Waiting, WaitingFailed}: {EventNone}, {Blocked, BlockedFailed}: {EventNone},
	{Unblocked, UnblockedFailed}: {EventNone},
	{Waiting, BlockedFailed}:     {EventNone}, {Blocked, WaitingFailed}: {EventNone},
	{WaitingFailed, BlockedFailed}: {EventNone}, {BlockedFailed, WaitingFailed}: {EventNone},
	{WaitingFailed, Waiting}: {EventNone}, {BlockedFailed, Blocked}: {EventNone}, {WaitingFailed, Blocked}: {EventNone},
	{BlockedFailed, Waiting}: {EventNone},
	{Waiting, Limiting}:      {EventNone}, {Blocked, Limiting}: {EventNone}, {Waiting, Scheduled}: {EventScheduled},
	{Blocked, Scheduled}: {EventScheduled},
	{Waiting, Finished}:  {EventFinished}, {Blocked, Finished}: {EventFinished}, // a wait
	{Waiting, Running}: {EventStarted}, {Blocked, Running}: {EventStarted}, // a trigger
	{Limiting, Limited}: {EventLimited}, {Limited, Scheduled}: {EventScheduled},
	{Blocked, Unblocked}: {EventUnblocked},
	// An agent takes it.
	{Scheduled, Reserved}: {EventReserved}, {Reserved, Scheduled}: {EventReservedExpired},
	{Scheduled, Assigned}: {EventAssigned}, {Scheduled, Accepted}: {EventAccepted}, {Reserved, Accepted}: {EventAccepted},
	{Assigned, Accepted}: {EventAccepted}, {Assigned, Scheduled}: {EventAssignedExpired},
	{Accepted, Scheduled}: {EventAcceptedExpired},
	{Accepted, Running}:   {EventStarted},
	{Running, Finished}:   {EventFinished, EventAgentLost, EventAgentDisconnected, EventAgentStopped},
	// who starts agents could start none for it
	{Scheduled, Finished}: {EventStackErrored}, {Reserved, Finished}: {EventStackErrored},
	// It takes too long, or is not wanted any more.
	{Running, Skipped}:   {EventNone}, // a trigger whose build was skipped
	{Running, TimingOut}: {EventNone}, {TimingOut, TimedOut}: {EventTimedOut},
	{Running, Canceling}: {EventCancelation}, {TimingOut, Canceling}: {EventCancelation},
	{Canceling, Canceled}: {EventCanceled},
	{Scheduled, Expired}:  {EventExpired}, {Limited, Expired}: {EventExpired}, {Limiting, Expired}: {EventExpired},
	{Reserved, Expired}: {EventExpired},
}

func init() {
	for _, from := range beforeRunning {
		transitions[transition{from, Canceled}] = []JobEvent{EventCanceled}
		transitions[transition{from, Skipped}] = []JobEvent{EventNone}
	}
}

var (
	beforeRunning = []JobState{Pending, Waiting, Blocked, Limiting, Limited, Scheduled, Reserved, Assigned, Accepted}
	withAgent     = []JobState{Assigned, Accepted, Running, Canceling, TimingOut}
	holdingSlot   = append([]JobState{Scheduled, Reserved}, withAgent...)
	moving        = append([]JobState{Limiting, Limited}, holdingSlot...)
)

// JobStates are all states of jobs.
var JobStates = []JobState{
	Pending, Waiting, WaitingFailed, Blocked, BlockedFailed, Unblocked, UnblockedFailed, Limiting, Limited, Scheduled,
	Reserved, Assigned, Accepted,
	Running, Finished, Canceling, Canceled, TimingOut, TimedOut, Expired, Skipped, Broken,
}

// Events returns the events that can be recorded of a change; none if no job may change so.
func Events(from, to JobState) []JobEvent { return transitions[transition{from, to}] }

// CanMove says whether jobs may change from a state to another.
func CanMove(from, to JobState) bool {
	_, can := transitions[transition{from, to}]
	return can
}

// HasEnded says whether a job in that state is over, unless something that it waited for is tried again.
func (s JobState) HasEnded() bool {
	switch s {
	case WaitingFailed, BlockedFailed, Unblocked, UnblockedFailed, Finished, Canceled, TimedOut, Expired, Skipped, Broken:
		return true
	default:
		return false
	}
}

// HasAgent says whether a job in that state occupies an agent.
func (s JobState) HasAgent() bool { return slices.Contains(withAgent, s) }

// HoldsSlot says whether a job in that state counts against the limit of its concurrency group.
func (s JobState) HoldsSlot() bool { return slices.Contains(holdingSlot, s) }

// IsInLine says whether a job in that state has a place in the line of its concurrency group.
func (s JobState) IsInLine() bool { return s == Waiting || slices.Contains(moving, s) }

// HasStarted says whether a job in that state has begun to run.
func (s JobState) HasStarted() bool {
	switch s {
	case Running, Finished, Canceling, TimingOut, TimedOut:
		return true
	default:
		return false
	}
}

// Outcome is how a job ended, for those who wait for it.
type Outcome string

// The outcomes of jobs. Errored jobs timed out, expired or were canceled.
const (
	Neutral    Outcome = "neutral"
	Passed     Outcome = "passed"
	SoftFailed Outcome = "soft_failed"
	HardFailed Outcome = "hard_failed"
	Errored    Outcome = "errored"
)
