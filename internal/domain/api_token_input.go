package domain

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

const minTokenValue = 20 // characters

// APITokenInput is what an operator enters to make an API access token.
type APITokenInput struct {
	User               string // email address
	Description        string
	Organizations      []string // slugs; the user must be a member of each
	Scopes             []string
	GraphQL            bool // adds the graphql scope
	AllowedIPAddresses string
	ExpiresAt          *time.Time // nil: never
	Value              Secret     // empty: a new one
}

// APITokenValueTaken is the fault of a token whose value another token has.
const APITokenValueTaken = "Token has already been taken"

// NewAPIToken returns the token that the input describes, and its value. The caller finds its user
// and organizations.
func NewAPIToken(in APITokenInput, now time.Time, faults *Faults) (APIToken, Secret) {
	if in.GraphQL {
		in.Scopes = append(slices.Clip(in.Scopes), string(ScopeGraphQL))
	}
	t := APIToken{
		ID:          NewID[APITokenID](),
		Description: CheckText("description", "Description", strings.TrimSpace(in.Description), maxDescription, faults),
		Scopes:      ParseScopes(in.Scopes, "scopes", faults),
		CreatedAt:   now,
	}
	if t.Description == "" {
		faults.Add("description", "Description can't be blank")
	}
	addresses, err := ParseAddressList(in.AllowedIPAddresses, 0)
	if err != nil {
		faults.Add("allowed_ip_addresses", "Allowed IP addresses are not valid: "+err.Error())
	}
	t.AllowedIPAddresses = addresses.String()
	if in.ExpiresAt != nil {
		at := in.ExpiresAt.UTC().Truncate(time.Millisecond)
		if !at.After(now) {
			faults.Add("expires_at", "Expires at must be in the future")
		}
		t.ExpiresAt = &at
	}
	if in.Value == "" {
		return t, NewTokenValue(UserTokenKind)
	}
	// Anything but printable ASCII could not be sent in an Authorization header.
	unsendable := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(in.Value) < minTokenValue || strings.ContainsFunc(in.Value.Reveal(), unsendable) {
		faults.Add("token", "Token must be "+strconv.Itoa(minTokenValue)+" or more printable ASCII characters without spaces")
	}
	return t, in.Value
}

// APITokenView is an API access token with what is shown along with it.
type APITokenView struct {
	APIToken
	User          User
	Organizations []string // slugs
}

// APITokenFilter chooses among all API access tokens. What is empty chooses all.
type APITokenFilter struct {
	User         string // email address
	Organization string // slug
}

// TokensAreRestricted is the reason to refuse a token that reaches an organization in which only administrators make
// tokens.
func TokensAreRestricted(organization string) string {
	return "Only administrators of " + organization + " may create API access tokens for it"
}
