package domain

import (
	"net/netip"
	"time"
)

// APIToken lets a program act as its user, in the organizations it was granted and within its scopes.
type APIToken struct {
	ID                 APITokenID
	Description        string
	Scopes             Scopes
	AllowedIPAddresses string
	CreatedAt          time.Time
	ExpiresAt          *time.Time
	RevokedAt          *time.Time
	LastUsedAt         *time.Time
}

// Live reports whether the token can be used at the given time.
func (t *APIToken) Live(now time.Time) bool {
	return t.RevokedAt == nil && (t.ExpiresAt == nil || now.Before(*t.ExpiresAt))
}

// UnusedFor reports whether the token was not used for that many days. For 0 days it is never.
func (t *APIToken) UnusedFor(days int64, now time.Time) bool {
	last := t.CreatedAt
	if t.LastUsedAt != nil {
		last = *t.LastUsedAt
	}
	return days > 0 && now.Sub(last) >= time.Duration(days)*24*time.Hour
}

// OrganizationToken is an API access token as those see it who administer an organization that it reaches.
type OrganizationToken struct {
	APIToken
	User            User
	LastUsedAddress *string
}

// TokenFilter chooses among the API access tokens that reach an organization. What is absent chooses all.
type TokenFilter struct {
	User        *UserID
	Search      string // a part of the description or of the user's name, in any case
	NewestFirst bool
}

// AddressAllowed reports whether a stored list of CIDRs, which is empty for all, allows address.
func AddressAllowed(list string, address netip.Addr) bool {
	if list == "" {
		return true
	}
	parsed, err := ParseAddressList(list, 0)
	return err == nil && parsed.Allows(address)
}
