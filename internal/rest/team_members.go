package rest

import (
	"net/http"

	"penstock/internal/domain"
)

const inTeamMember = inTeam + "/members/{id}"

var teamMemberEndpoints = []endpoint{
	{
		methods: get, path: inTeam + "/members", operation: "listTeamMembers", summary: "Lists a team's members, by name.",
		scope: string(domain.ScopeReadTeams), answer: []teamMemberAnswer{}, list: pageList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return paged(c, func(page domain.Page) (domain.Paged[domain.TeamMemberView], error) {
				return c.api.Service.TeamMembers(c.Context(), c.actor(), c.teamRef(), page)
			}, c.teamMemberToAnswer)
		},
	},
	{
		methods: post, path: inTeam + "/members", operation: "createTeamMember",
		summary: "Adds a member of the organization to a team. The team's maintainers and administrators only.",
		scope:   string(domain.ScopeWriteTeams), body: newTeamMemberBody{}, answer: teamMemberAnswer{}, status: http.StatusCreated, tagged: true,
		handle: func(c *call) (any, error) {
			m, err := c.api.Service.AddTeamMember(c.Context(), c.actor(), c.teamRef(), body(c, newTeamMemberBody.input))
			return c.teamMemberToAnswer(m), err
		},
	},
	{
		methods: get, path: inTeamMember, operation: "getTeamMember", summary: "Gets a member of a team, by the user's UUID.",
		scope: string(domain.ScopeReadTeams), answer: teamMemberAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			m, err := c.api.Service.TeamMember(c.Context(), c.actor(), c.teamRef(), c.Path("id"))
			return c.teamMemberToAnswer(m), err
		},
	},
	{
		methods: patch, path: inTeamMember, operation: "updateTeamMember",
		summary: "Changes what a member is in a team. The team's maintainers and administrators only.",
		scope:   string(domain.ScopeWriteTeams), body: teamMemberBody{}, answer: teamMemberAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			m, err := c.api.Service.UpdateTeamMember(c.Context(), c.actor(), c.teamRef(), c.Path("id"),
				body(c, teamMemberBody.input), expect(c, c.teamMemberToAnswer))
			return c.teamMemberToAnswer(m), err
		},
	},
	{
		methods: remove, path: inTeamMember, operation: "removeTeamMember",
		summary: "Takes a member out of a team. The team's maintainers and administrators only.",
		scope:   string(domain.ScopeWriteTeams), status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.RemoveTeamMember(c.Context(), c.actor(), c.teamRef(), c.Path("id"), expect(c, c.teamMemberToAnswer))
		},
	},
}

type newTeamMemberBody struct {
	UserID domain.Optional[string] `json:"user_id" required:"true" format:"uuid" doc:"The UUID of a member of the organization."`
	Role   domain.Optional[string] `json:"role" enum:"maintainer,member" doc:"What they are to be in the team. Without it, what the team's default_member_role says."`
}

func (b newTeamMemberBody) input() domain.TeamMemberInput {
	return domain.TeamMemberInput{UserID: b.UserID, Role: b.Role}
}

type teamMemberBody struct {
	Role domain.Optional[string] `json:"role" nullable:"false" enum:"maintainer,member" doc:"What they are to be in the team."`
}

func (b teamMemberBody) input() domain.TeamMemberInput { return domain.TeamMemberInput{Role: b.Role} }

type teamMemberAnswer struct {
	GraphQLID string          `json:"graphql_id" doc:"The membership's ID in the GraphQL API."`
	UserID    domain.UserID   `json:"user_id" format:"uuid" doc:"The user's UUID."`
	UserName  string          `json:"user_name" doc:"The user's name."`
	Role      domain.TeamRole `json:"role" enum:"maintainer,member" doc:"What they are in the team. Maintainers may change the team and its members."`
	URL       string          `json:"url" format:"uri" doc:"The team's member in this API."`
	CreatedAt timestamp       `json:"created_at" doc:"When they joined the team."`
}

func (c *call) teamMemberToAnswer(m domain.TeamMemberView) teamMemberAnswer {
	return teamMemberAnswer{
		GraphQLID: domain.GraphQLID("TeamMember", m.ID),
		UserID:    m.UserID,
		UserName:  m.User.Name,
		Role:      m.Role,
		URL:       c.teamURL(m.OrganizationSlug, m.TeamID) + "/members/" + string(m.UserID),
		CreatedAt: timestamp(m.CreatedAt),
	}
}
