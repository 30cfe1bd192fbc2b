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

// Refusals to those who would change or end their own membership, and to leave an organization without an administrator.
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

// NoSuchUser is the reason why an input that names a user by e-mail is refused if there is none.
func NoSuchUser(email string) string { return "There is no user " + quoted(email) }

// NoSuchOrganization is the reason why an input that names an organization by slug is refused if there is none.
func NoSuchOrganization(slug string) string { return "There is no organization " + quoted(slug) }

// NotAMember is the reason why an input that needs a member of an organization is refused if the user is none.
func NotAMember(email, organization string) string {
	return email + " is not a member of organization " + quoted(organization)
}

// AlreadyAMember is the reason why a member cannot be made a member once more.
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
