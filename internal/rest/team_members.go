package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inTeamMember = inTeam + "/members/{id}"

func (a *API) teamMemberEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inTeam + "/members", Operation: "listTeamMembers",
			Summary: "Lists a team's members, by name.",
			Scope:   domain.ScopeReadTeams, Answer: []teamMemberAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.TeamMemberView], error) {
					return a.Service.TeamMembers(c.Context(), c.Actor(), teamRef(c), page)
				}, a.showTeamMember)
			},
		},
		{
			Method: http.MethodPost, Path: inTeam + "/members", Operation: "createTeamMember",
			Summary: "Adds a member of the organization to a team. The team's maintainers and administrators only.",
			Scope:   domain.ScopeWriteTeams, Body: newTeamMemberBody{}, Answer: teamMemberAnswer{}, Status: http.StatusCreated,
			Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				m, err := a.Service.AddTeamMember(c.Context(), c.Actor(), teamRef(c), readBody(c, newTeamMemberBody.input))
				return a.showTeamMember(m), err
			},
		},
		{
			Method: http.MethodGet, Path: inTeamMember, Operation: "getTeamMember",
			Summary: "Gets a member of a team, by the user's UUID.",
			Scope:   domain.ScopeReadTeams, Answer: teamMemberAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				m, err := a.Service.TeamMember(c.Context(), c.Actor(), teamRef(c), c.Path("id"))
				return a.showTeamMember(m), err
			},
		},
		{
			Method: http.MethodPatch, Path: inTeamMember, Operation: "updateTeamMember",
			Summary: "Changes what a member is in a team. The team's maintainers and administrators only.",
			Scope:   domain.ScopeWriteTeams, Body: teamMemberBody{}, Answer: teamMemberAnswer{}, Status: http.StatusOK,
			Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				m, err := a.Service.UpdateTeamMember(c.Context(), c.Actor(), teamRef(c), c.Path("id"),
					readBody(c, teamMemberBody.input), requireMatch(c, a.showTeamMember))
				return a.showTeamMember(m), err
			},
		},
		{
			Method: http.MethodDelete, Path: inTeamMember, Operation: "removeTeamMember",
			Summary: "Takes a member out of a team. The team's maintainers and administrators only.",
			Scope:   domain.ScopeWriteTeams, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Service.RemoveTeamMember(c.Context(), c.Actor(), teamRef(c), c.Path("id"),
					requireMatch(c, a.showTeamMember))
				return nil, err
			},
		},
	}
}

type newTeamMemberBody struct {
	UserID domain.Optional[string] `json:"user_id" required:"true" format:"uuid" doc:"The UUID of a member of the organization."`
	Role   domain.Optional[string] `json:"role" enum:"maintainer,member" doc:"Their role in the team. By default, the team's default_member_role."`
}

func (b newTeamMemberBody) input() domain.TeamMemberInput {
	return domain.TeamMemberInput{UserID: b.UserID, Role: b.Role}
}

type teamMemberBody struct {
	Role domain.Optional[string] `json:"role" nullable:"false" enum:"maintainer,member" doc:"Their role in the team."`
}

func (b teamMemberBody) input() domain.TeamMemberInput { return domain.TeamMemberInput{Role: b.Role} }

type teamMemberAnswer struct {
	GraphQLID string             `json:"graphql_id" doc:"The membership's ID in the GraphQL API."`
	UserID    domain.UserID      `json:"user_id" format:"uuid" doc:"The user's UUID."`
	UserName  string             `json:"user_name" doc:"The user's name."`
	Role      domain.TeamRole    `json:"role" enum:"maintainer,member" doc:"Their role in the team. Maintainers can change the team and its members."`
	URL       string             `json:"url" format:"uri" doc:"The team's member in this API."`
	CreatedAt endpoint.Timestamp `json:"created_at" doc:"When they joined the team."`
}

func (a *API) showTeamMember(m domain.TeamMemberView) teamMemberAnswer {
	return teamMemberAnswer{
		GraphQLID: domain.GraphQLID("TeamMember", m.ID),
		UserID:    m.UserID,
		UserName:  m.User.Name,
		Role:      m.Role,
		URL:       a.teamURL(m.OrganizationSlug, m.TeamID) + "/members/" + string(m.UserID),
		CreatedAt: endpoint.Timestamp(m.CreatedAt),
	}
}
