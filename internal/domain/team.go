package domain

import "time"

// TeamPrivacy says who can see a team.
type TeamPrivacy string

// The values of TeamPrivacy.
const (
	TeamVisible TeamPrivacy = "visible" // every member of the organization
	TeamSecret  TeamPrivacy = "secret"  // its members, and administrators
)

// TeamRole is what a member is in a team.
type TeamRole string

// The roles in a team.
const (
	TeamRoleMaintainer TeamRole = "maintainer"
	TeamRoleMember     TeamRole = "member"
)

// Team is a group of an organization's members.
type Team struct {
	ID                        TeamID
	OrganizationID            OrganizationID
	Slug                      string
	Name                      string
	Description               *string
	Privacy                   TeamPrivacy
	IsDefaultTeam             bool
	DefaultMemberRole         TeamRole
	MembersCanCreatePipelines bool
	CreatedAt                 time.Time
}

// NewTeam returns a visible team to which nobody belongs by default.
func NewTeam(organization OrganizationID, slug, name string, now time.Time) Team {
	return Team{
		ID:                NewID[TeamID](),
		OrganizationID:    organization,
		Slug:              slug,
		Name:              name,
		Privacy:           TeamVisible,
		DefaultMemberRole: TeamRoleMember,
		CreatedAt:         now,
	}
}

// TeamMember is the membership of a team.
type TeamMember struct {
	ID             TeamMemberID
	TeamID         TeamID
	OrganizationID OrganizationID
	UserID         UserID
	Role           TeamRole
	CreatedAt      time.Time
}
