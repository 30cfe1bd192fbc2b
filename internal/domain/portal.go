package domain

import (
	"strings"
	"time"
)

const (
	maxPortalQuery   = 256 << 10 // bytes
	maxQueryReason   = 1_000     // bytes
	maxPortalSecrets = 2

	maxEphemeralMinutes = 60
)

// PortalActor is a portal as the actor of audit events.
type PortalActor struct {
	ID   PortalID
	Name string
}

// Portal is a GraphQL document that an administrator stored. A token of the portal lets its
// holder run the operations in it, and nothing else.
type Portal struct {
	ID                 PortalID
	OrganizationID     OrganizationID
	Slug               string
	Name               string
	Description        *string
	Query              string
	AllowedIPAddresses *string
	CreatedAt          time.Time
}

// PortalRef names a portal as callers do.
type PortalRef struct {
	Organization OrganizationRef
	Slug         string
}

// PortalInput is what a caller sends to make or change a portal.
type PortalInput struct {
	Name               Optional[string]
	Description        Optional[string]
	Query              Optional[string]
	AllowedIPAddresses Optional[string]
}

// NewPortal returns the portal that the input describes. CheckQuery checks its query.
func NewPortal(in PortalInput, organization OrganizationID, now time.Time, faults *Faults) Portal {
	p := Portal{ID: NewID[PortalID](), OrganizationID: organization, CreatedAt: now}
	in.Name.requireIn("name", "Name", faults)
	in.Query.requireIn("query", "Query", faults)
	in.Name, in.Query = in.Name.unlessNull(), in.Query.unlessNull()
	p.Apply(in, faults)
	p.Slug = MakeSlug(p.Name)
	requireSlug(p.Slug, faults)
	return p
}

// Apply makes the changes of the input. CheckQuery checks its query. A new name leaves the slug as it is:
// programs have the portal's address.
func (p *Portal) Apply(in PortalInput, faults *Faults) {
	if in.Name.Given {
		p.Name = CheckName("name", "Name", in.Name.Value, faults)
	}
	if in.Query.Given {
		p.Query = in.Query.Value
	}
	applyText("description", "Description", in.Description, maxDescription, &p.Description, faults)
	applyAddresses(in.AllowedIPAddresses, &p.AllowedIPAddresses, faults)
}

// CheckQuery records what is wrong with the query, if the input has one. What valid says of a query that can be stored is
// shown to the caller; nil says nothing.
func (in PortalInput) CheckQuery(valid func(query string) error, faults *Faults) {
	query := in.Query.Value
	switch {
	case !in.Query.Given || faults.Has("query"):
	case strings.TrimSpace(query) == "":
		faults.Add("query", "Query can't be blank")
	case !ValidText(query):
		faults.Add("query", "Query must be valid UTF-8 without NUL")
	case len(query) > maxPortalQuery:
		faults.Add("query", "Query is too long (maximum is 256 KiB)")
	case valid == nil:
	default:
		if err := valid(query); err != nil {
			reason := truncate(err.Error(), maxQueryReason)
			if !strings.HasPrefix(reason, "Query ") {
				reason = "Query is not valid: " + reason
			}
			faults.Add("query", reason)
		}
	}
}

// PortalDocument is what a portal runs.
type PortalDocument struct {
	ID           PortalID
	Organization string // slug
	Slug         string
	Query        string
}

// PortalToken lets its holder run a portal. Its value is shown once and never stored.
type PortalToken struct {
	ID          PortalTokenID
	PortalID    PortalID
	SecretID    *PortalSecretID // of an ephemeral one: what it was made with
	Description string
	CreatedAt   time.Time
	ExpiresAt   *time.Time
}

// PortalTokenInput is what a caller sends to make a portal token.
type PortalTokenInput struct {
	Description Optional[string]
	ExpiresAt   Optional[string]
}

// FirstPortalToken returns the token that a portal is made with.
func FirstPortalToken(p Portal) PortalToken {
	return PortalToken{ID: NewID[PortalTokenID](), PortalID: p.ID, Description: "Made with the portal", CreatedAt: p.CreatedAt}
}

// NewPortalToken returns the token that the input describes.
func NewPortalToken(in PortalTokenInput, portal PortalID, now time.Time, faults *Faults) PortalToken {
	return PortalToken{
		ID:          NewID[PortalTokenID](),
		PortalID:    portal,
		Description: CheckText("description", "Description", in.Description.Value, maxDescription, faults),
		CreatedAt:   now,
		ExpiresAt:   newTokenExpiry(in.ExpiresAt, now, faults),
	}
}

// PortalSecret makes ephemeral tokens of a portal. Its value is shown once and never stored.
type PortalSecret struct {
	ID          PortalSecretID
	PortalID    PortalID
	Description string
	CreatedAt   time.Time
}

// PortalSecretInput is what a caller sends to make a portal's secret.
type PortalSecretInput struct {
	Description Optional[string]
}

// NewPortalSecret returns the secret that the input describes, for a portal that has that many.
func NewPortalSecret(in PortalSecretInput, portal PortalID, present int64, now time.Time, faults *Faults) PortalSecret {
	if present >= maxPortalSecrets {
		faults.Add("secrets", "A portal can have at most two secrets")
	}
	return PortalSecret{
		ID:          NewID[PortalSecretID](),
		PortalID:    portal,
		Description: CheckText("description", "Description", in.Description.Value, maxDescription, faults),
		CreatedAt:   now,
	}
}

// PortalGrant asks for an ephemeral token, as OAuth's client credentials do.
type PortalGrant struct {
	GrantType Optional[string]
	ClientID  string // the portal's
	Secret    Secret
	ExpiresIn Optional[int64] // minutes; 60 if it is left out
	Faults    Faults          // of what could not be read
}

// NewEphemeralPortalToken returns the token that a grant asks for and its secret stands for.
func NewEphemeralPortalToken(grant PortalGrant, secret PortalSecret, now time.Time, faults *Faults) PortalToken {
	*faults = append(*faults, grant.Faults...)
	if grant.GrantType.Value != "client_credentials" && !faults.Has("grant_type") {
		faults.Add("grant_type", "Grant type must be client_credentials")
	}
	minutes := int64(maxEphemeralMinutes)
	if grant.ExpiresIn.HasValue() {
		minutes = grant.ExpiresIn.Value
	}
	if minutes < 1 || minutes > maxEphemeralMinutes {
		faults.Add("expires_in", "Expires in must be a number of minutes from 1 to 60")
	}
	expires := now.Add(time.Duration(min(max(minutes, 1), maxEphemeralMinutes)) * time.Minute)
	return PortalToken{
		ID:          NewID[PortalTokenID](),
		PortalID:    secret.PortalID,
		SecretID:    &secret.ID,
		Description: secret.Description,
		CreatedAt:   now,
		ExpiresAt:   &expires,
	}
}
