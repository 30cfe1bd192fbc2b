package domain

import (
	"cmp"
	"time"
)

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
	TeamRoleMaintainer TeamRole = "maintainer" // may change the team and its members
	TeamRoleMember     TeamRole = "member"
)

// Team is a group of an organization's members.
type Team struct {
	ID                          TeamID
	OrganizationID              OrganizationID
	Slug                        string
	Name                        string
	Description                 *string
	Privacy                     TeamPrivacy
	IsDefaultTeam               bool // who joins the organization joins the team
	DefaultMemberRole           TeamRole
	MembersCanCreatePipelines   bool
	MembersCanDeletePipelines   bool // kept for clients that set it, as those below; pipelines have managers of their own
	MembersCanCreateSuites      bool
	MembersCanCreateRegistries  bool
	MembersCanDestroyRegistries bool
	MembersCanDestroyPackages   bool
	CreatedAt                   time.Time
}

// TeamRef names a team as callers do.
type TeamRef struct {
	Organization OrganizationRef
	ID           string
	Of           ThingRef // instead of the id: the team that the thing belongs to
}

// TeamInput is what a caller sends to make or change a team.
type TeamInput struct {
	Name                        Optional[string]
	Slug                        string // only to make one, and only an operator's choice; empty: made of the name
	Description                 Optional[string]
	Privacy                     Optional[string]
	IsDefaultTeam               Optional[bool]
	DefaultMemberRole           Optional[string]
	MembersCanCreatePipelines   Optional[bool]
	MembersCanDeletePipelines   Optional[bool]
	MembersCanCreateSuites      Optional[bool]
	MembersCanCreateRegistries  Optional[bool]
	MembersCanDestroyRegistries Optional[bool]
	MembersCanDestroyPackages   Optional[bool]
}

// NewTeam returns the team that the input describes. Unless it says otherwise, every member of the organization sees
// the team, and nobody belongs to it by default.
func NewTeam(in TeamInput, organization OrganizationID, now time.Time, faults *Faults) Team {
	t := Team{
		ID:                NewID[TeamID](),
		OrganizationID:    organization,
		Privacy:           TeamVisible,
		DefaultMemberRole: TeamRoleMember,
		CreatedAt:         now,
	}
	in.Name.requireIn("name", "Name", faults)
	t.Apply(TeamInput{
		Name:                        in.Name.UnlessNull(),
		Slug:                        in.Slug,
		Description:                 in.Description,
		Privacy:                     in.Privacy.UnlessNull(),
		IsDefaultTeam:               in.IsDefaultTeam.UnlessNull(),
		DefaultMemberRole:           in.DefaultMemberRole.UnlessNull(),
		MembersCanCreatePipelines:   in.MembersCanCreatePipelines.UnlessNull(),
		MembersCanDeletePipelines:   in.MembersCanDeletePipelines.UnlessNull(),
		MembersCanCreateSuites:      in.MembersCanCreateSuites.UnlessNull(),
		MembersCanCreateRegistries:  in.MembersCanCreateRegistries.UnlessNull(),
		MembersCanDestroyRegistries: in.MembersCanDestroyRegistries.UnlessNull(),
		MembersCanDestroyPackages:   in.MembersCanDestroyPackages.UnlessNull(),
	}, faults)
	return t
}

// Apply makes the changes of the input. A new name makes a new slug.
func (t *Team) Apply(in TeamInput, faults *Faults) {
	if in.Name.Given {
		if name := CheckName("name", "Name", in.Name.Value, faults); name != t.Name {
			t.Name, t.Slug = name, cmp.Or(in.Slug, MakeSlug(name))
		}
		requireSlug(t.Slug, faults)
	}
	if in.Description.HasValue() {
		in.Description.Value = CheckText("description", "Description", in.Description.Value, maxDescription, faults)
	}
	in.Description.ApplyTo(&t.Description)
	if in.Privacy.Given {
		t.Privacy = TeamPrivacy(in.Privacy.Value)
		if t.Privacy != TeamVisible && t.Privacy != TeamSecret {
			faults.Add("privacy", "Privacy must be visible or secret")
		}
	}
	applyFlag("is_default_team", in.IsDefaultTeam, &t.IsDefaultTeam, faults)
	if in.DefaultMemberRole.Given {
		t.DefaultMemberRole = parseTeamRole("default_member_role", "Default member role", in.DefaultMemberRole.Value, faults)
	}
	applyFlag("members_can_create_pipelines", in.MembersCanCreatePipelines, &t.MembersCanCreatePipelines, faults)
	applyFlag("members_can_delete_pipelines", in.MembersCanDeletePipelines, &t.MembersCanDeletePipelines, faults)
	applyFlag("members_can_create_suites", in.MembersCanCreateSuites, &t.MembersCanCreateSuites, faults)
	applyFlag("members_can_create_registries", in.MembersCanCreateRegistries, &t.MembersCanCreateRegistries, faults)
	applyFlag("members_can_destroy_registries", in.MembersCanDestroyRegistries, &t.MembersCanDestroyRegistries, faults)
	applyFlag("members_can_destroy_packages", in.MembersCanDestroyPackages, &t.MembersCanDestroyPackages, faults)
}

// TeamFilter chooses among an organization's teams. What is absent chooses all.
type TeamFilter struct {
	Search       string // a part of the name, in any case
	Privacy      []TeamPrivacy
	User         *UserID // who belongs to it
	Pipeline     *PipelineID
	PipelineSlug *string     // of a pipeline of the organization
	NotPipeline  *PipelineID // only those that have no access to it
}

// TeamSlugTaken is the fault of a team whose slug another team of the organization has.
func TeamSlugTaken(slug string) string {
	return "A team with the slug " + slug + " already exists in this organization"
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

// TeamMemberInput is what a caller sends to make or change the membership of a team.
type TeamMemberInput struct {
	UserID Optional[string] // only to make one
	Role   Optional[string]
}

// Reasons why somebody cannot join a team.
const (
	NoSuchTeamMember   = "User must be a member of the organization"
	RepeatedTeamMember = "User is already a member of the team"
)

// NewMember returns the membership of a user, in the role that members have by default.
func (t Team) NewMember(user UserID, now time.Time) TeamMember {
	return TeamMember{
		ID: NewID[TeamMemberID](), TeamID: t.ID, OrganizationID: t.OrganizationID, UserID: user, Role: t.DefaultMemberRole,
		CreatedAt: now,
	}
}

// NewTeamMember returns the membership that the input describes. The caller checks that the user
// is a member of the organization.
func NewTeamMember(in TeamMemberInput, t Team, now time.Time, faults *Faults) TeamMember {
	in.UserID.requireIn("user_id", "User", faults)
	user, ok := ParseID[UserID](in.UserID.Value)
	if in.UserID.HasValue() && !ok {
		faults.Add("user_id", NoSuchTeamMember)
	}
	m := t.NewMember(user, now)
	m.Apply(TeamMemberInput{Role: in.Role.UnlessNull()}, faults)
	return m
}

// Apply makes the changes of the input. The user stays.
func (m *TeamMember) Apply(in TeamMemberInput, faults *Faults) {
	if in.Role.Given {
		m.Role = parseTeamRole("role", "Role", in.Role.Value, faults)
	}
}

func parseTeamRole(field, label, given string, faults *Faults) TeamRole {
	role := TeamRole(given)
	if role != TeamRoleMaintainer && role != TeamRoleMember {
		faults.Add(field, label+" must be maintainer or member")
	}
	return role
}

// applyFlag sets target to the value that was given, if one was.
func applyFlag(field string, given Optional[bool], target *bool, faults *Faults) {
	switch {
	case !given.Given:
	case given.Null:
		faults.Add(field, field+" must be true or false")
	default:
		*target = given.Value
	}
}
