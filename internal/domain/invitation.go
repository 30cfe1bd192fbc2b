package domain

import (
	"strconv"
	"time"
)

// InvitationLifetime is how long an invitation waits for an answer after it was made or sent again.
const InvitationLifetime = 7 * 24 * time.Hour

// InvitationPath is the path of the page that accepts an invitation; the link's value follows.
const InvitationPath = "/invitation?link="

// maxInvitations is how many addresses can be invited at once.
const maxInvitations = 100

// InvitationState is what became of an invitation.
type InvitationState string

// The states of invitations.
const (
	InvitationPending  InvitationState = "pending"
	InvitationAccepted InvitationState = "accepted"
	InvitationRevoked  InvitationState = "revoked"
	InvitationExpired  InvitationState = "expired"
)

// Invitation asks somebody to become a member of an organization.
type Invitation struct {
	ID             InvitationID
	OrganizationID OrganizationID
	Email          string
	Role           Role
	SSOMode        SSOMode
	CreatedAt      time.Time
	ExpiresAt      time.Time
	AcceptedAt     *time.Time
	RevokedAt      *time.Time
}

// State returns what has become of the invitation at a time, by the database's clock.
func (i *Invitation) State(now time.Time) InvitationState {
	switch {
	case i.AcceptedAt != nil:
		return InvitationAccepted
	case i.RevokedAt != nil:
		return InvitationRevoked
	case !now.Before(i.ExpiresAt):
		return InvitationExpired
	}
	return InvitationPending
}

// InvitationTeam is a team that an invitation leads to.
type InvitationTeam struct {
	ID           InvitationTeamID
	InvitationID InvitationID
	TeamID       TeamID
	TeamSlug     string
	Role         TeamRole
}

// InvitationInput is what a caller sends to invite people.
type InvitationInput struct {
	Emails  Optional[[]string]
	Role    Optional[string]
	SSOMode Optional[string]
	Teams   Optional[[]InvitationTeamInput]
}

// InvitationTeamInput is a team in an InvitationInput.
type InvitationTeamInput struct {
	ID   string
	Role Optional[string] // unless given, the team's default role
}

// Why an invitation cannot be made or changed.
const (
	RepeatedInvitationTeam = "Teams can't name a team twice"
	ForeignInvitationTeam  = "Teams must be teams of the organization"
	NotPending             = "Only an invitation that waits for an answer can be revoked"
	NotSendable            = "An invitation that was accepted or revoked can't be sent again"
	UserHasAccount         = "This address can't be used for a new account. If you have an account, sign in and accept " +
		"the invitation with it"
	AlreadyInOrganization = "You are already a member of the organization"
)

// maxInvitationsToday is how many invitations an organization can send within 24 hours, with those that it sends again:
// each of them may be a mail.
const maxInvitationsToday = 500

// CheckInvitationsToday returns why an organization cannot send that many invitations within 24 hours.
func CheckInvitationsToday(sent int64) error {
	if sent <= maxInvitationsToday {
		return nil
	}
	return NewError(Invalid, "The organization can send at most "+strconv.Itoa(maxInvitationsToday)+
		" invitations within 24 hours. Please send the others later.")
}

// NewInvitations returns an invitation for each address of the input, which count once if they differ in case alone.
// The caller chooses the teams, and who is a member already.
func NewInvitations(in InvitationInput, organization OrganizationID, now time.Time, faults *Faults) (
	made []Invitation) {
	if !in.Emails.HasValue() || len(in.Emails.Value) == 0 {
		faults.Add("emails", "Emails can't be blank")
	}
	if len(in.Emails.Value) > maxInvitations {
		faults.Add("emails", "Emails can have at most "+strconv.Itoa(maxInvitations)+" addresses")
		return nil
	}
	role, mode := RoleMember, SSORequired
	if given := in.Role.UnlessNull(); given.Given {
		role = checkRole(Role(given.Value), faults)
	}
	if given := in.SSOMode.UnlessNull(); given.Given {
		mode = parseSSOMode(given.Value, faults)
	}
	seen := map[string]bool{}
	for _, given := range in.Emails.Value {
		var wrong Faults
		email := CheckEmail("emails", given, &wrong)
		if len(wrong) > 0 {
			faults.Add("emails", quoteStart(given)+" is not an email address")
		}
		if key := EmailKey(email); !seen[key] {
			seen[key] = true
			made = append(made, Invitation{ID: NewID[InvitationID](), OrganizationID: organization, Email: email, Role: role,
				SSOMode:   mode,
				CreatedAt: now, ExpiresAt: now.Add(InvitationLifetime)})
		}
	}
	return made
}

// NewInvitationTeam returns the team that an invitation leads to, in the role of the input.
func NewInvitationTeam(invitation InvitationID, t Team, in InvitationTeamInput, faults *Faults) InvitationTeam {
	role := t.DefaultMemberRole
	if given := in.Role.UnlessNull(); given.Given {
		role = parseTeamRole("teams", "Role", given.Value, faults)
	}
	return InvitationTeam{ID: NewID[InvitationTeamID](), InvitationID: invitation, TeamID: t.ID, TeamSlug: t.Slug,
		Role: role}
}

// NewInvitationValue returns a new value of an invitation's link: 43 random base62 characters, over 256 bits.
func NewInvitationValue() Secret { return Secret(randomBase62(43)) }

// InvitationView is an invitation with what is shown along with it.
type InvitationView struct {
	Invitation
	State            InvitationState // when it was read
	OrganizationSlug string
	CreatedBy        *User
	AcceptedBy       *User
	RevokedBy        *User
	Teams            []InvitationTeam // not in lists of GraphQL
	MailError        *string          // why the last attempt to mail it failed
	MailDueAt        *time.Time       // when it is to be mailed; nil: never, or it was
	Link             Secret           // only of one that was just made or sent again
}

// ExpiredAt returns when the invitation expired; nil if it did not.
func (v *InvitationView) ExpiredAt() *time.Time {
	if v.State != InvitationExpired {
		return nil
	}
	return &v.ExpiresAt
}

// InvitationOffer is what the holder of a link is shown.
type InvitationOffer struct {
	Email        string
	Organization string // its name
	Slug         string
	InvitedBy    string // empty: nobody who is known
	Role         Role
}

// AcceptInput is what somebody without an account enters to accept an invitation.
type AcceptInput struct {
	Link     Secret
	Name     string
	Password Secret
}

// InvitationFilter chooses among an organization's invitations. What is nil chooses all.
type InvitationFilter struct {
	States []InvitationState
}

// InvitationMail is an invitation that is to be mailed.
type InvitationMail struct {
	To           string
	Organization string
	InvitedBy    string
	Link         Secret
	ExpiresAt    time.Time
}
