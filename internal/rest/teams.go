package rest

import (
	"net/http"

	"penstock/internal/domain"
)

var teamEndpoints = []endpoint{
	{
		methods: get, path: inOrganization + "/teams", operation: "listTeams",
		summary: "Lists the teams of an organization that the caller may see, by name.",
		scope:   string(domain.ScopeReadTeams), answer: []teamAnswer{}, list: pageList, status: http.StatusOK,
		query: []parameter{{"user_id", "Only teams that the user with this UUID belongs to."}},
		handle: func(c *call) (any, error) {
			user, userErr := c.teamFilter()
			return paged(c, func(page domain.Page) (domain.Paged[domain.TeamView], error) {
				teams, err := c.api.Service.Teams(c.Context(), c.actor(), c.Path("org"), user, page)
				if err == nil {
					err = userErr // whether the caller may ask at all comes first
				}
				return teams, err
			}, c.teamToAnswer)
		},
	},
	{
		methods: post, path: inOrganization + "/teams", operation: "createTeam", summary: "Creates a team. Administrators only.",
		scope: string(domain.ScopeWriteTeams), body: teamBody{}, answer: teamAnswer{}, status: http.StatusCreated, tagged: true,
		handle: func(c *call) (any, error) {
			team, err := c.api.Service.CreateTeam(c.Context(), c.actor(), c.Path("org"), body(c, teamBody.input))
			return c.teamToAnswer(team), err
		},
	},
	{
		methods: get, path: inTeam, operation: "getTeam", summary: "Gets a team.",
		scope: string(domain.ScopeReadTeams), answer: teamAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			team, err := c.api.Service.Team(c.Context(), c.actor(), c.teamRef())
			return c.teamToAnswer(team), err
		},
	},
	{
		methods: patch, path: inTeam, operation: "updateTeam",
		summary: "Changes a team. Another name makes another slug. Its maintainers and administrators only.",
		scope:   string(domain.ScopeWriteTeams), body: teamBody{}, answer: teamAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			team, err := c.api.Service.UpdateTeam(c.Context(), c.actor(), c.teamRef(), body(c, teamBody.input), expect(c, c.teamToAnswer))
			return c.teamToAnswer(team), err
		},
	},
	{
		methods: remove, path: inTeam, operation: "deleteTeam",
		summary: "Deletes a team. Its members lose what they had through it. Administrators only.",
		scope:   string(domain.ScopeWriteTeams), status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.DeleteTeam(c.Context(), c.actor(), c.teamRef(), expect(c, c.teamToAnswer))
		},
	},
}

func (c *call) teamRef() domain.TeamRef {
	return domain.TeamRef{Organization: c.Path("org"), ID: c.Path("team")}
}

// teamFilter reads whose teams the request asks for.
func (c *call) teamFilter() (domain.UserID, error) {
	query, err := c.query()
	if err != nil || !query.Has("user_id") {
		return "", err
	}
	user, ok := domain.ParseID[domain.UserID](query.Get("user_id"))
	if !ok {
		return "", domain.NewError(domain.Malformed, "user_id must be a UUID")
	}
	return user, nil
}

type teamBody struct {
	Name                      domain.Optional[string] `json:"name" required:"create" doc:"1 to 255 characters. The slug that is made of it is unique in the organization."`
	Description               domain.Optional[string] `json:"description" doc:"At most 10,000 characters. Null for none."`
	Privacy                   domain.Optional[string] `json:"privacy" nullable:"false" enum:"visible,secret" doc:"Who sees the team: visible for every member of the organization, secret for its own members and administrators. A new team is visible unless this says otherwise."`
	IsDefaultTeam             domain.Optional[bool]   `json:"is_default_team" nullable:"false" doc:"Whether those who join the organization from now on join the team."`
	Default                   domain.Optional[bool]   `json:"default" nullable:"false" doc:"The same as is_default_team."`
	DefaultMemberRole         domain.Optional[string] `json:"default_member_role" nullable:"false" enum:"maintainer,member" doc:"What new members are in the team. Those of a new team are members unless this says otherwise."`
	MembersCanCreatePipelines domain.Optional[bool]   `json:"members_can_create_pipelines" nullable:"false" doc:"What was set for the team. For now, the organization's settings alone decide who may create pipelines."`
}

func (b teamBody) input() domain.TeamInput {
	return domain.TeamInput{
		Name: b.Name, Description: b.Description, Privacy: b.Privacy, IsDefaultTeam: either(b.IsDefaultTeam, b.Default),
		DefaultMemberRole: b.DefaultMemberRole, MembersCanCreatePipelines: b.MembersCanCreatePipelines,
	}
}

type teamAnswer struct {
	ID                        domain.TeamID      `json:"id" format:"uuid" doc:"The team's UUID."`
	GraphQLID                 string             `json:"graphql_id" doc:"The team's ID in the GraphQL API."`
	Name                      string             `json:"name" doc:"The team's name."`
	Slug                      string             `json:"slug" doc:"The team's name in URLs of the web interface. Unique in the organization."`
	Description               *string            `json:"description" doc:"What the team is for."`
	Privacy                   domain.TeamPrivacy `json:"privacy" enum:"visible,secret" doc:"Who sees the team."`
	Default                   bool               `json:"default" doc:"Whether those who join the organization join the team."`
	DefaultMemberRole         domain.TeamRole    `json:"default_member_role" enum:"maintainer,member" doc:"What new members are in the team."`
	MembersCanCreatePipelines bool               `json:"members_can_create_pipelines" doc:"What was set for the team. For now, the organization's settings alone decide who may create pipelines."`
	URL                       string             `json:"url" format:"uri" doc:"The team in this API."`
	WebURL                    string             `json:"web_url" format:"uri" doc:"The team in the web interface."`
	CreatedAt                 timestamp          `json:"created_at" doc:"When the team was created."`
	CreatedBy                 *userAnswer        `json:"created_by" doc:"Who created the team. Null if they are gone."`
}

func (c *call) teamURL(organization string, id domain.TeamID) string {
	return c.api.BaseURL + "/v2/organizations/" + organization + "/teams/" + string(id)
}

func (c *call) teamToAnswer(t domain.TeamView) teamAnswer {
	return teamAnswer{
		ID:                        t.ID,
		GraphQLID:                 domain.GraphQLID("Team", t.ID),
		Name:                      t.Name,
		Slug:                      t.Slug,
		Description:               t.Description,
		Privacy:                   t.Privacy,
		Default:                   t.IsDefaultTeam,
		DefaultMemberRole:         t.DefaultMemberRole,
		MembersCanCreatePipelines: t.MembersCanCreatePipelines,
		URL:                       c.teamURL(t.OrganizationSlug, t.ID),
		WebURL:                    c.api.BaseURL + "/organizations/" + t.OrganizationSlug + "/teams/" + t.Slug,
		CreatedAt:                 timestamp(t.CreatedAt),
		CreatedBy:                 c.userToAnswer(t.CreatedBy),
	}
}
