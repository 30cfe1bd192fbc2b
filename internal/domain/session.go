package domain

import (
	"slices"
	"strings"
	"time"
)

// SessionLifetime is how long a user stays signed in. Using a session does not make it longer.
const SessionLifetime = 14 * 24 * time.Hour

// Session is a signed-in browser.
type Session struct {
	ID        SessionID
	Address   string
	UserAgent string
	CreatedAt time.Time
	ExpiresAt time.Time

	// Where the browser was last seen, to the minute; nil: not since it signed in.
	LastSeenAt        *time.Time
	LastSeenAddress   *string
	LastSeenUserAgent *string
}

// LastUse returns when the browser was last seen, from which address, and what it called itself.
func (s Session) LastUse() (at time.Time, address, userAgent string) {
	if s.LastSeenAt == nil || s.LastSeenAddress == nil || s.LastSeenUserAgent == nil {
		return s.CreatedAt, s.Address, s.UserAgent
	}
	return *s.LastSeenAt, *s.LastSeenAddress, *s.LastSeenUserAgent
}

// SessionView is a session with what it is to the caller.
type SessionView struct {
	Session
	Current bool // the caller's own
}

// SignInInput is what a visitor enters to sign in.
type SignInInput struct {
	Email    string
	Password Secret
	Browser  BrowserMarks // that the browser has from before
}

// SignedIn is what a browser gets when a user has signed in with it.
type SignedIn struct {
	Session Secret // cannot be had again
	Browser BrowserMarks
}

// VerifiedClaims are what an OpenID Connect provider says of a user, in an ID token whose signature, issuer, audience,
// nonce and times have been checked.
type VerifiedClaims struct {
	Email         string
	EmailVerified bool
	Name          string // empty: not said
}

// SSOJoining says who becomes a user, and a member of which organization, by signing in at the provider. The zero value
// says nobody.
type SSOJoining struct {
	Domains      []string // of email addresses
	Organization string   // its slug
	Role         Role
}

// Admits reports whether an email address has one of the domains.
func (j SSOJoining) Admits(email string) bool {
	at := strings.LastIndexByte(email, '@')
	return at > 0 && slices.ContainsFunc(j.Domains,
		func(domain string) bool { return EmailKey(domain) == EmailKey(email[at+1:]) })
}

// NewSessionValue returns a new value of a session: 43 random base62 characters, over 256 bits.
func NewSessionValue() Secret { return Secret(randomBase62(43)) }

// NewSession returns a session that begins now.
func NewSession(address, userAgent string, now time.Time) Session {
	return Session{
		ID:        NewID[SessionID](),
		Address:   address,
		UserAgent: CutUserAgent(userAgent),
		CreatedAt: now,
		ExpiresAt: now.Add(SessionLifetime),
	}
}

const maxUserAgent = 500 // bytes

// CutUserAgent returns as much of what a program calls itself as is stored.
func CutUserAgent(userAgent string) string { return truncate(userAgent, maxUserAgent) }

// Refusals to sign in. Neither says whether there is such a user.
const (
	WrongSignIn      = "Wrong email address or password."
	UnknownOIDCUser  = "No user has the email address from your sign-in provider. Ask an administrator to add you."
	DisabledUser     = "Your user is disabled. Ask an administrator."
	UnverifiedEmail  = "Your sign-in provider has not verified your email address."
	TooManySignIns   = "There were too many attempts to sign in. Please wait before you try again."
	WrongOldPassword = "Current password is not right"
)

// Account is what every page shows of the signed-in user.
type Account struct {
	User               User
	Organizations      []Organization // the first of those that the user belongs to, by name
	OrganizationsTotal int64
	Current            *Membership // nil: the user is no member of the organization asked for
	Banner             string      // what that organization says on top of its pages
}

// Membership is an organization with the user's role in it.
type Membership struct {
	Organization
	Role Role
}

// Administered reports whether the user administers the organization.
func (m *Membership) Administered() bool { return m != nil && m.Role == RoleAdmin }

// PasswordInput is what a user enters to change their password.
type PasswordInput struct {
	Current Secret
	New     Secret
}
