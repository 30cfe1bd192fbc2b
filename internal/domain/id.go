package domain

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// The ids of things: UUIDs in canonical lower-case text.
type (
	UserID                string
	OrganizationID        string
	MemberID              string
	InvitationID          string
	InvitationTeamID      string
	TeamID                string
	TeamMemberID          string
	TeamPipelineID        string
	APITokenID            string
	ClusterID             string
	QueueID               string
	AgentTokenID          string
	MaintainerID          string
	CacheRegistryID       string
	ClusterSecretID       string
	CacheEntryID          string
	CacheEntrySetID       string
	CacheUploadID         string
	CacheDecisionID       string
	PipelineID            string
	PortalID              string
	PortalTokenID         string
	PortalSecretID        string
	SessionID             string
	AgentID               string
	JobID                 string
	BuildID               string
	StepID                string
	ConcurrencyGroupID    string
	AnnotationID          string
	ArtifactID            string
	UploadID              string
	NoticeID              string
	ConnectionID          string
	DeliveryID            string
	NotificationServiceID string
)

// NewID returns a new id: a version 7 UUID, so that later ids sort after earlier ones.
func NewID[T ~string]() T { return T(uuid.Must(uuid.NewV7()).String()) }

// NewIDAt is NewID for a given time. Ids sort by millisecond and, within this process, by the order in which they were
// made.
func NewIDAt[T ~string](at time.Time) T {
	id, n := uuid.New(), idsMade.Add(1)
	putMilliseconds(&id, at)
	id[6], id[7] = 7<<4|byte(n>>28), byte(n>>20) // version 7, with a counter of 32 bits around the variant's two
	id[8], id[9] = 2<<6|byte(n>>14)&0x3f, byte(n>>6)
	id[10] = byte(n<<2) | id[10]&3
	return T(id.String())
}

var idsMade atomic.Uint32

// FirstIDAt returns a lower bound for the ids of that time and later ones; the ids of earlier milliseconds sort before
// it.
func FirstIDAt[T ~string](at time.Time) T {
	var id uuid.UUID
	putMilliseconds(&id, at.Add(time.Millisecond-1)) // the first whole millisecond
	return T(id.String())
}

func putMilliseconds(id *uuid.UUID, at time.Time) {
	var milliseconds [8]byte
	binary.BigEndian.PutUint64(milliseconds[:], uint64(max(0, min(at.UnixMilli(), 1<<48-1))))
	copy(id[:6], milliseconds[2:])
}

// ParseID returns the canonical form of a UUID in its 36-character text form, in either case.
func ParseID[T ~string](s string) (id T, ok bool) {
	if len(s) != 36 {
		return "", false
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return "", false
	}
	return T(u.String()), true
}

// GraphQLID returns the global identifier of a thing: base64 of "Type---uuid".
func GraphQLID[T ~string](typeName string, id T) string {
	var plain, encoded [96]byte // enough for every type; a longer name would only be slower
	text := append(append(append(plain[:0], typeName...), "---"...), id...)
	return string(base64.StdEncoding.AppendEncode(encoded[:0], text))
}

// ParseGraphQLID returns the type and the id that a global identifier names.
func ParseGraphQLID(s string) (typeName, id string, ok bool) {
	raw, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") { // which the decoder passes over
		return "", "", false
	}
	typeName, id, ok = strings.Cut(string(raw), "---")
	if !ok || typeName == "" {
		return "", "", false
	}
	id, ok = ParseID[string](id)
	return typeName, id, ok
}
