package domain

import (
	"strings"
	"time"
)

// UnclusteredTokenID identifies an agent token of no cluster.
type UnclusteredTokenID string

// UnclusteredToken is an agent token of an organization that is of no cluster: agents register with it into the
// organization's default cluster. Its value is shown once and never stored.
type UnclusteredToken struct {
	ID             UnclusteredTokenID
	OrganizationID OrganizationID
	Description    *string
	CreatedAt      time.Time
	RevokedAt      *time.Time
	RevokedReason  *string
}

// UnclusteredTokenInput is what a caller sends to make an unclustered token.
type UnclusteredTokenInput struct {
	Description Optional[string]
	Public      Optional[bool]
}

// NewUnclusteredToken returns the token that the input describes.
func NewUnclusteredToken(in UnclusteredTokenInput, organization OrganizationID, now time.Time,
	faults *Faults) UnclusteredToken {
	t := UnclusteredToken{ID: NewID[UnclusteredTokenID](), OrganizationID: organization, CreatedAt: now}
	if in.Description.HasValue() {
		in.Description.Value = CheckText("description", "Description", in.Description.Value, maxDescription, faults)
	}
	in.Description.ApplyTo(&t.Description)
	if in.Public.Value {
		faults.Add("public", "Public can't be true: agents are seen by the organization's members only")
	}
	return t
}

// Revoke ends the token, for a reason.
func (t *UnclusteredToken) Revoke(reason string, now time.Time, faults *Faults) {
	reason = CheckText("reason", "Reason", reason, maxDescription, faults)
	if strings.TrimSpace(reason) == "" && !faults.Has("reason") {
		faults.Add("reason", "Reason can't be blank")
	}
	if t.RevokedAt != nil {
		faults.Add("id", "Agent token has already been revoked")
	}
	t.RevokedAt, t.RevokedReason = &now, &reason
}

// UnclusteredTokenView is an unclustered token with what is shown along with it.
type UnclusteredTokenView struct {
	UnclusteredToken
	OrganizationSlug string
	CreatedBy        *User
	RevokedBy        *User
}
