package domain

import "time"

// Member is a user's membership of an organization.
type Member struct {
	ID             MemberID
	OrganizationID OrganizationID
	UserID         UserID
	Role           Role
	CreatedAt      time.Time
	LastSeenOn     *string // a (UTC) date, in DateLayout; nil: never
}

// NewMember returns a membership. It adds a fault if role is not one.
func NewMember(organization OrganizationID, user UserID, role Role, now time.Time, faults *Faults) Member {
	m := Member{ID: NewID[MemberID](), OrganizationID: organization, UserID: user, CreatedAt: now}
	m.setRole(role, faults)
	return m
}

// MemberInput is what a caller sends to change a membership.
type MemberInput struct {
	Role Optional[string]
}

// Why a membership cannot be changed or ended: it is the caller's own, or the organization's last administrator's.
const (
	CannotChangeOwnRole = "You can't change your own role"
	CannotRemoveSelf    = "You can't remove yourself from the organization"
	LastAdministrator   = "An organization must have an administrator"
)

// Apply makes the changes of the input, in the name of a user. Nobody changes their own role.
func (m *Member) Apply(in MemberInput, by UserID, faults *Faults) {
	if !in.Role.Given {
		return
	}
	before := m.Role
	m.setRole(Role(in.Role.Value), faults)
	if m.Role != before && m.UserID == by {
		faults.Add("role", CannotChangeOwnRole)
	}
}

func (m *Member) setRole(role Role, faults *Faults) {
	m.Role = role
	if role != RoleAdmin && role != RoleMember {
		faults.Add("role", "Role must be admin or member")
	}
}

// NoSuchUser is the reason to refuse an input whose e-mail address no user has.
func NoSuchUser(email string) string { return "There is no user " + quoteStart(email) }

// NoSuchOrganization is the reason to refuse an input whose slug no organization has.
func NoSuchOrganization(slug string) string { return "There is no organization " + quoteStart(slug) }

// NotAMember is the reason to refuse an input whose user is not a member of the organization.
func NotAMember(email, organization string) string {
	return email + " is not a member of organization " + quoteStart(organization)
}

// AlreadyAMember is the reason to refuse adding a member twice.
func AlreadyAMember(email string) string { return email + " is already a member" }

// MemberFilter chooses among an organization's members. What is absent chooses all.
type MemberFilter struct {
	Search        string // a part of the name or the e-mail address, in any case
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
