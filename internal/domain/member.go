package domain

import "time"

// Member is a user's membership of an organization.
type Member struct {
	ID             MemberID
	OrganizationID OrganizationID
	UserID         UserID
	Role           Role
	SSOMode        SSOMode
	CreatedAt      time.Time
	LastSeenOn     *string // a (UTC) date, in DateLayout; nil: never
}

// SSOMode says whether a member has to use single sign-on. It is kept for clients that set it: where users sign in is
// settled for the whole installation.
type SSOMode string

// The values of SSOMode.
const (
	SSORequired SSOMode = "required"
	SSOOptional SSOMode = "optional"
)

// NewMember returns a membership. It adds a fault if role is not one.
func NewMember(organization OrganizationID, user UserID, role Role, now time.Time, faults *Faults) Member {
	m := Member{ID: NewID[MemberID](), OrganizationID: organization, UserID: user, SSOMode: SSOOptional, CreatedAt: now}
	m.setRole(role, faults)
	return m
}

// MemberInput is what a caller sends to change a membership.
type MemberInput struct {
	Role    Optional[string]
	SSOMode Optional[string]
}

// Why a membership cannot be changed or ended: it is the caller's own, or the organization's last administrator's.
const (
	CannotChangeOwnRole = "You can't change your own role"
	CannotRemoveSelf    = "You can't remove yourself from the organization"
	LastAdministrator   = "An organization must have an administrator"
)

// Apply makes the changes of the input, in the name of a user. Nobody changes their own role.
func (m *Member) Apply(in MemberInput, by UserID, faults *Faults) {
	if in.SSOMode.Given {
		m.SSOMode = parseSSOMode(in.SSOMode.Value, faults)
	}
	if !in.Role.Given {
		return
	}
	before := m.Role
	m.setRole(Role(in.Role.Value), faults)
	if m.Role != before && m.UserID == by {
		faults.Add("role", CannotChangeOwnRole)
	}
}

func (m *Member) setRole(role Role, faults *Faults) { m.Role = checkRole(role, faults) }

func checkRole(role Role, faults *Faults) Role {
	if role != RoleAdmin && role != RoleMember {
		faults.Add("role", "Role must be admin or member")
	}
	return role
}

func parseSSOMode(given string, faults *Faults) SSOMode {
	mode := SSOMode(given)
	if mode != SSORequired && mode != SSOOptional {
		faults.Add("sso_mode", "SSO mode must be required or optional")
	}
	return mode
}

// NoSuchUser is the reason to refuse an input whose email address no user has.
func NoSuchUser(email string) string { return "There is no user " + quoteStart(email) }

// NoSuchOrganization is the reason to refuse an input whose slug no organization has.
func NoSuchOrganization(slug string) string { return "There is no organization " + quoteStart(slug) }

// NotAMember is the reason to refuse an input whose user is not a member of the organization.
func NotAMember(email, organization string) string {
	return email + " is not a member of organization " + quoteStart(organization)
}

// LastAdministratorOf is the reason not to disable a user.
func LastAdministratorOf(email, organizations string) string {
	return email + " is the last administrator of " + organizations + ". Make somebody else one first"
}

// AlreadyAMember is the reason to refuse adding a member twice.
func AlreadyAMember(email string) string { return email + " is already a member" }

// MemberFilter chooses among an organization's members. What is absent chooses all.
type MemberFilter struct {
	Search        string // a part of the name or the email address, in any case
	Email         *string
	Roles         []Role
	Team          *TeamID
	TeamSlug      *string // of a team of the organization
	NotTeam       *TeamID // only those who do not belong to it
	InactiveSince *time.Time
}

// MembershipKey is a user in an organization.
type MembershipKey struct {
	Organization OrganizationID
	User         UserID
}
