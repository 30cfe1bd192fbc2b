package domain

import (
	"strings"
	"time"
)

const (
	maxAgentTokenAddresses = 24
	minAgentTokenLife      = 10 * time.Minute
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
	if !in.Description.HasValue() {
		in.Description = Optional[string]{}
	}
	if at := in.expiry(faults); at != nil {
		if at.Before(now.Add(minAgentTokenLife)) {
			faults.Add("expires_at", "Expires at must be at least 10 minutes from now")
		}
		t.ExpiresAt = at
	}
	t.apply(in, faults)
	return t
}

// Apply makes the changes of the input.
func (t *AgentToken) Apply(in AgentTokenInput, faults *Faults) {
	if in.ExpiresAt.Given {
		at := in.expiry(faults)
		same := at == nil && t.ExpiresAt == nil || at != nil && t.ExpiresAt != nil && at.Equal(*t.ExpiresAt)
		if !same && !faults.Has("expires_at") {
			faults.Add("expires_at", "Expires at can't be changed")
		}
	}
	t.apply(in, faults)
}

func (t *AgentToken) apply(in AgentTokenInput, faults *Faults) {
	if in.Description.Given {
		t.Description = Text("description", "Description", in.Description.Value, maxDescription, faults)
		if strings.TrimSpace(in.Description.Value) == "" {
			faults.Add("description", "Description can't be blank")
		}
	}
	if in.AllowedIPAddresses.HasValue() {
		list, err := ParseAddressList(in.AllowedIPAddresses.Value, maxAgentTokenAddresses)
		if err != nil {
			faults.Add("allowed_ip_addresses", "Allowed IP addresses are not valid: "+err.Error())
		}
		in.AllowedIPAddresses.Value = list.String()
	}
	in.AllowedIPAddresses.ApplyTo(&t.AllowedIPAddresses)
}

// expiry is kept to the millisecond, which is what callers are shown.
func (in AgentTokenInput) expiry(faults *Faults) *time.Time {
	if !in.ExpiresAt.HasValue() {
		return nil
	}
	at, err := time.Parse(time.RFC3339Nano, in.ExpiresAt.Value)
	if err != nil || at.Year() < 1 || at.Year() > 9999 {
		faults.Add("expires_at", "Expires at must be an ISO 8601 time such as 2027-01-31T12:00:00Z")
		return nil
	}
	at = at.UTC().Truncate(time.Millisecond)
	return &at
}
