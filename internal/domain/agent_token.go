package domain

import (
	"strings"
	"time"
)

const (
	maxTokenAddresses = 24
	minTokenLife      = 10 * time.Minute
)

// AgentToken lets agents connect to a cluster. Its value is shown once and never stored.
type AgentToken struct {
	ID                 AgentTokenID
	ClusterID          ClusterID
	Description        string
	AllowedIPAddresses *string
	ExpiresAt          *time.Time
	CreatedAt          time.Time
}

// AgentTokenInput is what a caller sends to make or change an agent token.
type AgentTokenInput struct {
	Description        Optional[string]
	AllowedIPAddresses Optional[string]
	ExpiresAt          Optional[string]
}

// NewAgentToken returns the token that the input describes.
func NewAgentToken(in AgentTokenInput, cluster ClusterID, now time.Time, faults *Faults) AgentToken {
	t := AgentToken{ID: NewID[AgentTokenID](), ClusterID: cluster, CreatedAt: now}
	in.Description.requireIn("description", "Description", faults)
	in.Description = in.Description.UnlessNull()
	t.ExpiresAt = newTokenExpiry(in.ExpiresAt, now, faults)
	t.apply(in, faults)
	return t
}

// Apply makes the changes of the input.
func (t *AgentToken) Apply(in AgentTokenInput, faults *Faults) {
	if in.ExpiresAt.Given {
		at := parseTokenExpiry(in.ExpiresAt, faults)
		same := at == nil && t.ExpiresAt == nil || at != nil && t.ExpiresAt != nil && at.Equal(*t.ExpiresAt)
		if !same && !faults.Has("expires_at") {
			faults.Add("expires_at", "Expires at can't be changed")
		}
	}
	t.apply(in, faults)
}

func (t *AgentToken) apply(in AgentTokenInput, faults *Faults) {
	if in.Description.Given {
		t.Description = CheckText("description", "Description", in.Description.Value, maxDescription, faults)
		if strings.TrimSpace(in.Description.Value) == "" {
			faults.Add("description", "Description can't be blank")
		}
	}
	applyAddresses(in.AllowedIPAddresses, &t.AllowedIPAddresses, faults)
}

// applyAddresses sets from where something may be used.
func applyAddresses(given Optional[string], target **string, faults *Faults) {
	if given.HasValue() {
		list, err := ParseAddressList(given.Value, maxTokenAddresses)
		if err != nil {
			faults.Add("allowed_ip_addresses", "Allowed IP addresses are not valid: "+err.Error())
		}
		given.Value = list.String()
	}
	given.ApplyTo(target)
}

// newTokenExpiry returns when a new token is to expire, nil for never.
func newTokenExpiry(given Optional[string], now time.Time, faults *Faults) *time.Time {
	at := parseTokenExpiry(given, faults)
	if at != nil && at.Before(now.Add(minTokenLife)) {
		faults.Add("expires_at", "Expires at must be at least 10 minutes from now")
	}
	return at
}

// parseTokenExpiry is kept to the millisecond, which is what callers are shown.
func parseTokenExpiry(given Optional[string], faults *Faults) *time.Time {
	if !given.HasValue() {
		return nil
	}
	at, ok := ParseTimestamp(given.Value)
	if !ok || at.Year() < 1 {
		faults.Add("expires_at", "Expires at must be an ISO 8601 time such as 2027-01-31T12:00:00Z")
		return nil
	}
	at = at.Truncate(time.Millisecond)
	return &at
}
