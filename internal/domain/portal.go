package domain

import (
	"crypto/subtle"
	"strconv"
	"strings"
	"time"
)

const (
	maxPortalQuery   = 256 << 10 // bytes
	maxQueryReason   = 1_000     // bytes
	maxPortalSecrets = 2

	maxEphemeralMinutes = 60
	maxUserMinutes      = 12 * 60

	portalRunTime  = time.Minute // for a run from the portal's page
	portalCodeTime = 5 * time.Minute
)

// PortalActor is a portal as the actor of audit events.
type PortalActor struct {
	ID      PortalID
	Name    string
	Creator *User // who made it; nil if they are gone
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
	UserInvokable      bool // members may run it as themselves
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
	Slug               Optional[string] // null: as if it were left out
	UserInvokable      Optional[bool]
	TokenExpiresAt     Optional[string] // of the token that a new portal is made with; absent: never
}

// NewPortal returns the portal that the input describes. CheckQuery checks its query.
func NewPortal(in PortalInput, organization OrganizationID, now time.Time, faults *Faults) Portal {
	p := Portal{ID: NewID[PortalID](), OrganizationID: organization, CreatedAt: now}
	in.Name.requireIn("name", "Name", faults)
	in.Query.requireIn("query", "Query", faults)
	in.Name, in.Query, in.UserInvokable = in.Name.UnlessNull(), in.Query.UnlessNull(), in.UserInvokable.UnlessNull()
	p.Apply(in, faults)
	if !in.Slug.HasValue() {
		p.Slug = MakeSlug(p.Name)
		requireSlug(p.Slug, faults)
	}
	return p
}

// Apply makes the changes of the input. CheckQuery checks its query. A new name leaves the slug as it is:
// programs have the portal's address.
func (p *Portal) Apply(in PortalInput, faults *Faults) {
	if in.Slug.HasValue() {
		if p.Slug = in.Slug.Value; !ValidSlug(p.Slug) {
			faults.Add("slug", "Slug must be 1 to 100 lower-case letters and digits, with single hyphens inside")
		}
	}
	applyFlag("user_invokable", in.UserInvokable, &p.UserInvokable, faults)
	if in.Name.Given {
		p.Name = CheckName("name", "Name", in.Name.Value, faults)
	}
	if in.Query.Given {
		p.Query = in.Query.Value
	}
	applyText("description", "Description", in.Description, maxDescription, &p.Description, faults)
	applyAddresses(in.AllowedIPAddresses, &p.AllowedIPAddresses, faults)
}

// DoesMoreThan reports whether the portal lets people do more than it did before: another document, for others, or from
// elsewhere.
func (p *Portal) DoesMoreThan(before Portal) bool {
	return p.Query != before.Query || p.UserInvokable && !before.UserInvokable ||
		!p.allowedAddresses().Within(before.allowedAddresses())
}

func (p *Portal) allowedAddresses() (list AddressList) {
	if p.AllowedIPAddresses != nil {
		list, _ = ParseAddressList(*p.AllowedIPAddresses, 0) // it was read before it was stored
	}
	return list
}

// CheckQuery records what is wrong with the query, if the input has one. What valid says of a query that can be stored
// is shown to the caller; nil says nothing.
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
	User         UserID // who runs it as themself; "" for the portal
}

// PortalToken lets its holder run a portal. Its value is shown once and never stored.
type PortalToken struct {
	ID          PortalTokenID
	PortalID    PortalID
	SecretID    *PortalSecretID // of an ephemeral one: what it was made with
	UserID      *UserID         // whose rights it has; nil: the portal's own
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
func FirstPortalToken(p Portal, in PortalInput, faults *Faults) PortalToken {
	return PortalToken{
		ID: NewID[PortalTokenID](), PortalID: p.ID, Description: "Created with the portal", CreatedAt: p.CreatedAt,
		ExpiresAt: newTokenExpiry(in.TokenExpiresAt, p.CreatedAt, faults),
	}
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

// PortalGrant asks for an ephemeral token: as OAuth's client credentials do, with a secret of the portal, or with a
// code that a user has authorized.
type PortalGrant struct {
	GrantType Optional[string]
	ClientID  string // the portal's; of client credentials
	Code      string // of a user
	Secret    Secret
	ExpiresIn Optional[int64] // minutes; the most that there can be if it is left out
	Faults    Faults          // of what could not be read
}

// ByUser reports whether the grant is for a user who runs the portal as themself.
func (g PortalGrant) ByUser() bool { return g.GrantType.Value == "device_code" }

// expiry returns when the token that the grant asks for expires.
func (g PortalGrant) expiry(longest int64, now time.Time, faults *Faults) *time.Time {
	minutes := longest
	if g.ExpiresIn.HasValue() {
		minutes = g.ExpiresIn.Value
	}
	if minutes < 1 || minutes > longest {
		faults.Add("expires_in", "Expires in must be a number of minutes from 1 to "+strconv.FormatInt(longest, 10))
	}
	expires := now.Add(time.Duration(min(max(minutes, 1), longest)) * time.Minute)
	return &expires
}

// NewEphemeralPortalToken returns the token that a grant asks for and its secret stands for.
func NewEphemeralPortalToken(grant PortalGrant, secret PortalSecret, now time.Time, faults *Faults) PortalToken {
	*faults = append(*faults, grant.Faults...)
	if grant.GrantType.Value != "client_credentials" && !faults.Has("grant_type") {
		faults.Add("grant_type", "Grant type must be client_credentials, or device_code with a code")
	}
	return PortalToken{
		ID:          NewID[PortalTokenID](),
		PortalID:    secret.PortalID,
		SecretID:    &secret.ID,
		Description: secret.Description,
		CreatedAt:   now,
		ExpiresAt:   grant.expiry(maxEphemeralMinutes, now, faults),
	}
}

// NewUserPortalToken returns the token that a grant with a code asks for, of the user who authorized the code.
func NewUserPortalToken(grant PortalGrant, portal PortalID, user UserID, now time.Time, faults *Faults) PortalToken {
	*faults = append(*faults, grant.Faults...)
	return PortalToken{
		ID: NewID[PortalTokenID](), PortalID: portal, UserID: &user, Description: "Made with a code", CreatedAt: now,
		ExpiresAt: grant.expiry(maxUserMinutes, now, faults),
	}
}

// NewPortalRun returns the token with which a portal's page runs it, once: as the portal, or as the user.
func NewPortalRun(portal PortalID, user *UserID, now time.Time) PortalToken {
	expires := now.Add(portalRunTime)
	return PortalToken{ID: NewID[PortalTokenID](), PortalID: portal, UserID: user,
		Description: "Run from the portal's page", CreatedAt: now, ExpiresAt: &expires}
}

// PortalCode is what a program shows to a user, who authorizes it: then the program gets a token of that user. It is a
// time and a hash of the program's secret, so that nothing is stored for programs that nobody knows.
type PortalCode string

// NewPortalCode returns a code for the portal that is named so, with its secret and when it expires.
func NewPortalCode(portal PortalRef, now time.Time) (code PortalCode, secret Secret, expires time.Time) {
	secret, expires = NewSessionValue(), now.Add(portalCodeTime).Truncate(time.Second)
	return makePortalCode(portal, secret, expires), secret, expires
}

func makePortalCode(portal PortalRef, secret Secret, expires time.Time) PortalCode {
	at := strconv.FormatInt(expires.Unix(), 36)
	return PortalCode(at + "-" + HashToken(strings.Join([]string{"portal code", portal.Organization.Slug, portal.Slug, at,
		secret.Reveal()}, " ")))
}

// Expiry returns when the code expires; false if it is none, or one that would be good for longer than codes are.
func (c PortalCode) Expiry(now time.Time) (expires time.Time, ok bool) {
	at, hash, _ := strings.Cut(string(c), "-")
	seconds, err := strconv.ParseInt(at, 36, 64)
	expires = time.Unix(seconds, 0).UTC()
	return expires, err == nil && len(hash) == 64 && strings.Trim(hash, "0123456789abcdef") == "" &&
		strconv.FormatInt(seconds, 36) == at && now.Before(expires) && !expires.After(now.Add(portalCodeTime))
}

// IsOf reports whether the code was made for the portal, with the secret.
func (c PortalCode) IsOf(portal PortalRef, secret Secret, now time.Time) bool {
	expires, ok := c.Expiry(now)
	return ok && subtle.ConstantTimeCompare([]byte(c), []byte(makePortalCode(portal, secret, expires))) == 1
}

// PortalAuthorization is a code that a user has authorized.
type PortalAuthorization struct {
	Code      PortalCode
	PortalID  PortalID
	UserID    UserID
	CreatedAt time.Time
	ExpiresAt time.Time
}

// RefusedPortalCode is the reason why a code is not authorized.
const RefusedPortalCode = "This code has expired, or was used already. Ask for another one."
