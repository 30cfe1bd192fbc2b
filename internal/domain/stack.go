package domain

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// StackID identifies a stack.
type StackID string

// Stack is a program that starts agents for the jobs of a queue. Its key is one of the organization.
type Stack struct {
	ID             StackID
	OrganizationID OrganizationID
	ClusterID      ClusterID
	QueueID        QueueID
	Key            string
	Type           string
	Metadata       map[string]string
	CreatedAt      time.Time
	ConnectedAt    time.Time // when it was heard last
	DisconnectedAt *time.Time
}

// stackConnected is for how long a stack counts as connected that was not heard again.
const stackConnected = 6 * time.Minute

// State says whether the stack is connected, disconnected or lost.
func (s *Stack) State(now time.Time) string {
	switch {
	case s.DisconnectedAt != nil:
		return "disconnected"
	case now.Sub(s.ConnectedAt) > stackConnected:
		return "lost"
	}
	return "connected"
}

// StackInput is what a stack says of itself.
type StackInput struct {
	Key      string
	Type     string
	QueueKey string // DefaultQueueKeys: the cluster's default queue
	Metadata map[string]string
}

// DefaultQueueKeys are the names by which stacks call the default queue of their cluster.
var DefaultQueueKeys = []string{"__default__", "_default"}

var (
	stackKey   = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	stackTypes = []string{"kubernetes", "elastic", "custom"}
)

// Limits of stacks.
const (
	maxStackKey      = 80 // bytes
	maxStackMetadata = 100
	maxMetadataKey   = 64
	maxMetadataValue = 256
	maxStackDetail   = 4 << 10 // bytes
	maxNotification  = 256
	MaxStackJobs     = 1_000 // that a request may name
	MaxNotifications = 100   // of a job
	ReservationTime  = 15 * time.Minute
	MaxReservation   = time.Hour
)

// Check returns what is wrong with the input.
func (in StackInput) Check() error {
	var faults []string
	if !stackKey.MatchString(in.Key) || len(in.Key) > maxStackKey {
		faults = append(faults, "`key` must have 1 to "+strconv.Itoa(maxStackKey)+" letters, digits, underscores and hyphens")
	}
	if !slices.Contains(stackTypes, in.Type) {
		faults = append(faults, "`type` must be one of "+strings.Join(stackTypes, ", "))
	}
	if in.QueueKey == "" || !ValidText(in.QueueKey) {
		faults = append(faults, "`queue_key` must name a queue of the cluster, or be "+DefaultQueueKeys[0])
	}
	if len(in.Metadata) > maxStackMetadata {
		faults = append(faults, "`metadata` may have at most "+strconv.Itoa(maxStackMetadata)+" keys")
	}
	for key, value := range in.Metadata {
		if !ValidText(key) || !ValidText(value) || key == "" || utf8.RuneCountInString(key) > maxMetadataKey ||
			utf8.RuneCountInString(value) > maxMetadataValue {
			faults = append(faults, "`metadata` must have keys of 1 to "+strconv.Itoa(maxMetadataKey)+" and values of at most "+
				strconv.Itoa(maxMetadataValue)+" characters")
			break
		}
	}
	return invalidUnless(faults)
}

func invalidUnless(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return NewError(Invalid, strings.Join(faults, ", "))
}

// CheckStackDetail returns what is wrong with why a stack could not start a job.
func CheckStackDetail(detail string) error {
	if len(detail) > maxStackDetail || !ValidText(detail) {
		return NewError(Invalid, "`detail` must be valid text of at most "+strconv.Itoa(maxStackDetail)+" bytes")
	}
	return nil
}

// StackNotification is what a stack says of a job that it is about to start.
type StackNotification struct {
	Job    string
	Detail string
	At     *time.Time
}

// Check returns what is wrong with the notification; "": nothing.
func (n StackNotification) Check() string {
	switch {
	case strings.TrimSpace(n.Detail) == "":
		return "detail can't be blank"
	case !ValidText(n.Detail) || utf8.RuneCountInString(n.Detail) > maxNotification:
		return "detail must be valid text of at most " + strconv.Itoa(maxNotification) + " characters"
	}
	return ""
}
