package domain

import (
	"regexp"
	"strings"
	"time"

	"penstock/internal/flow"
)

// Times of agents and of the jobs that they are given.
const (
	AgentLostAfter      = 3 * time.Minute // without a heartbeat
	LostAgentReturns    = 24 * time.Hour  // in which it may go on with its session
	AssignedFor         = 30 * time.Second
	AcceptedFor         = 60 * time.Second
	DefaultPauseMinutes = 5
	MaxPauseMinutes     = 24 * 60
)

// Agent is a program that runs jobs, from when it registered.
type Agent struct {
	ID                 AgentID
	OrganizationID     OrganizationID
	ClusterID          ClusterID
	QueueID            *QueueID // nil: it was deleted
	TokenID            *AgentTokenID
	UnclusteredTokenID *UnclusteredTokenID // instead
	Name               string
	Hostname           string
	OS                 string
	Arch               string
	Version            string
	Build              string
	PID                int64
	MachineID          string
	UserAgent          string
	IPAddress          string
	Priority           *int64 // nil is the least
	MetaData           []string
	Features           []string
	ScriptEvalEnabled  bool
	IgnoreInDispatches bool
	CreatedAt          time.Time

	SessionHash       *string
	State             flow.AgentState
	ConnectedAt       *time.Time
	DisconnectedAt    *time.Time
	LostAt            *time.Time
	StoppedAt         *time.Time
	ForceStop         bool
	PausedAt          *time.Time
	PausedNote        *string
	PausedTimeout     *int64 // minutes
	LastJobFinishedAt *time.Time
	LastPassedAt      *time.Time
	OfferedJobID      *JobID
	JobID             *JobID // that it has
	Offers            int64
	MissedOffer       bool // it did not accept the job that it was offered last
}

var releaseLine = regexp.MustCompile(`(?m)^[A-Z_]+=`)

// OSID names the operating system of the agent's machine, such as linux, darwin or windows. Agents send all that the
// system says of itself: on Linux its release files, on macOS what sw_vers prints.
func (a *Agent) OSID() string {
	dump := strings.ToLower(a.OS)
	first, _, _ := strings.Cut(strings.TrimSpace(dump), " ")
	switch {
	case releaseLine.MatchString(a.OS):
		return "linux"
	case strings.Contains(dump, "windows"):
		return "windows"
	case strings.Contains(dump, "darwin"), strings.Contains(dump, "macos"), strings.Contains(dump, "mac os x"):
		return "darwin"
	case strings.HasSuffix(first, "bsd"), first == "dragonfly", first == "sunos":
		return first
	case strings.Contains(dump, "linux"), strings.Contains(dump, " release "):
		return "linux"
	}
	first, _, _ = strings.Cut(first, "\n")
	return first
}

// IsPaused says whether the agent is not to be given jobs now.
func (a *Agent) IsPaused(now time.Time) bool {
	if a.PausedAt == nil {
		return false
	}
	return a.PausedTimeout == nil || now.Before(a.PausedAt.Add(time.Duration(*a.PausedTimeout)*time.Minute))
}
