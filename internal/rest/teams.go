package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) teamEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/teams", Operation: "listTeams",
			Summary: "Lists the teams of an organization that the caller may see, by name.",
			Scope:   domain.ScopeReadTeams, Answer: []teamAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Query: []endpoint.QueryParameter{{Name: "user_id", Doc: "Only teams that the user with this UUID belongs to."}},
			Handle: func(c *endpoint.Call) (any, error) {
				user, userErr := readTeamFilter(c)
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.TeamView], error) {
					teams, err := a.Service.Teams(c.Context(), c.Actor(), c.Path("org"), user, page)
					if err == nil {
						err = userErr // whether the caller may ask at all comes first
					}
					return teams, err
				}, a.showTeam)
			},
		},
		{
			Method: http.MethodPost, Path: inOrganization + "/teams", Operation: "createTeam",
			Summary: "Creates a team. Administrators only.",
			Scope:   domain.ScopeWriteTeams, Body: teamBody{}, Answer: teamAnswer{}, Status: http.StatusCreated, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				team, err := a.Service.CreateTeam(c.Context(), c.Actor(), organizationRef(c), readBody(c, teamBody.input))
				return a.showTeam(team), err
			},
		},
		{
			Method: http.MethodGet, Path: inTeam, Operation: "getTeam", Summary: "Gets a team.",
			Scope: domain.ScopeReadTeams, Answer: teamAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				team, err := a.Service.Team(c.Context(), c.Actor(), teamRef(c))
				return a.showTeam(team), err
			},
		},
		{
			Method: http.MethodPatch, Path: inTeam, Operation: "updateTeam",
			Summary: "Changes a team. Another name makes another slug, if an administrator gives it: what its maintainers " +
				"rename keeps the slug. Its maintainers and administrators only.",
			Scope: domain.ScopeWriteTeams, Body: teamBody{}, Answer: teamAnswer{}, Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				team, err := a.Service.UpdateTeam(c.Context(), c.Actor(), teamRef(c), readBody(c, teamBody.input),
					requireMatch(c, a.showTeam))
				return a.showTeam(team), err
			},
		},
		{
			Method: http.MethodDelete, Path: inTeam, Operation: "deleteTeam",
			Summary: "Deletes a team. Its members lose what they had through it. Administrators only.",
			Scope:   domain.ScopeWriteTeams, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Service.DeleteTeam(c.Context(), c.Actor(), teamRef(c), requireMatch(c, a.showTeam))
				return nil, err
			},
		},
	}
}

func teamRef(c *endpoint.Call) domain.TeamRef {
	return domain.TeamRef{Organization: organizationRef(c), ID: c.Path("team")}
}

// readTeamFilter reads whose teams the request asks for.
func readTeamFilter(c *endpoint.Call) (domain.UserID, error) {
	query, err := c.Query()
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
	Name                        domain.Optional[string] `json:"name" required:"create" doc:"1 to 255 characters. The slug comes from it, and is unique in the organization."`
	Description                 domain.Optional[string] `json:"description" doc:"At most 10,000 characters. Null for none."`
	Privacy                     domain.Optional[string] `json:"privacy" nullable:"false" enum:"visible,secret" doc:"Who sees the team: visible for every member of the organization, secret for its own members and administrators. A new team is visible unless this says otherwise."`
	IsDefaultTeam               domain.Optional[bool]   `json:"is_default_team" nullable:"false" doc:"Whether those who join the organization from now on join the team."`
	Default                     domain.Optional[bool]   `json:"default" nullable:"false" doc:"The same as is_default_team."`
	DefaultMemberRole           domain.Optional[string] `json:"default_member_role" nullable:"false" enum:"maintainer,member" doc:"The role of new members of the team. By default, member."`
	MembersCanCreatePipelines   domain.Optional[bool]   `json:"members_can_create_pipelines" nullable:"false" doc:"Stored for the team. For now, only the organization's settings decide who can create pipelines."`
	MembersCanCreateSuites      domain.Optional[bool]   `json:"members_can_create_suites" nullable:"false" doc:"Kept as it is given. It has no effect."`
	MembersCanCreateRegistries  domain.Optional[bool]   `json:"members_can_create_registries" nullable:"false" doc:"Kept as it is given. It has no effect."`
	MembersCanDestroyRegistries domain.Optional[bool]   `json:"members_can_destroy_registries" nullable:"false" doc:"Kept as it is given. It has no effect."`
	MembersCanDestroyPackages   domain.Optional[bool]   `json:"members_can_destroy_packages" nullable:"false" doc:"Kept as it is given. It has no effect."`
}

func (b teamBody) input() domain.TeamInput {
	return domain.TeamInput{
		Name: b.Name, Description: b.Description, Privacy: b.Privacy, IsDefaultTeam: chooseGiven(b.IsDefaultTeam, b.Default),
		DefaultMemberRole: b.DefaultMemberRole, MembersCanCreatePipelines: b.MembersCanCreatePipelines,
		MembersCanCreateSuites:      b.MembersCanCreateSuites,
		MembersCanCreateRegistries:  b.MembersCanCreateRegistries,
		MembersCanDestroyRegistries: b.MembersCanDestroyRegistries,
		MembersCanDestroyPackages:   b.MembersCanDestroyPackages,
	}
}

type teamAnswer struct {
	ID                          domain.TeamID      `json:"id" format:"uuid" doc:"The team's UUID."`
	GraphQLID                   string             `json:"graphql_id" doc:"The team's ID in the GraphQL API."`
	Name                        string             `json:"name" doc:"The team's name."`
	Slug                        string             `json:"slug" doc:"The team's name in URLs of the web interface. Unique in the organization."`
	Description                 *string            `json:"description" doc:"What the team is for."`
	Privacy                     domain.TeamPrivacy `json:"privacy" enum:"visible,secret" doc:"Who sees the team."`
	Default                     bool               `json:"default" doc:"Whether those who join the organization join the team."`
	IsDefaultTeam               bool               `json:"is_default_team" doc:"The same as default."`
	DefaultMemberRole           domain.TeamRole    `json:"default_member_role" enum:"maintainer,member" doc:"The role of new members of the team."`
	MembersCanCreatePipelines   bool               `json:"members_can_create_pipelines" doc:"Stored for the team. For now, only the organization's settings decide who can create pipelines."`
	MembersCanCreateSuites      bool               `json:"members_can_create_suites" doc:"Stored for the team, without effect."`
	MembersCanCreateRegistries  bool               `json:"members_can_create_registries" doc:"Stored for the team, without effect."`
	MembersCanDestroyRegistries bool               `json:"members_can_destroy_registries" doc:"Stored for the team, without effect."`
	MembersCanDestroyPackages   bool               `json:"members_can_destroy_packages" doc:"Stored for the team, without effect."`
	URL                         string             `json:"url" format:"uri" doc:"The team in this API."`
	WebURL                      string             `json:"web_url" format:"uri" doc:"The team in the web interface."`
	CreatedAt                   endpoint.Timestamp `json:"created_at" doc:"When the team was created."`
	CreatedBy                   *userAnswer        `json:"created_by" doc:"Who created the team. Null if they are gone."`
}

func (a *API) teamURL(organization string, id domain.TeamID) string {
	return a.BaseURL + "/v2/organizations/" + organization + "/teams/" + string(id)
}

func (a *API) showTeam(t domain.TeamView) teamAnswer {
	return teamAnswer{
		ID:                          t.ID,
		GraphQLID:                   domain.GraphQLID("Team", t.ID),
		Name:                        t.Name,
		Slug:                        t.Slug,
		Description:                 t.Description,
		Privacy:                     t.Privacy,
		Default:                     t.IsDefaultTeam,
		IsDefaultTeam:               t.IsDefaultTeam,
		DefaultMemberRole:           t.DefaultMemberRole,
		MembersCanCreatePipelines:   t.MembersCanCreatePipelines,
		MembersCanCreateSuites:      t.MembersCanCreateSuites,
		MembersCanCreateRegistries:  t.MembersCanCreateRegistries,
		MembersCanDestroyRegistries: t.MembersCanDestroyRegistries,
		MembersCanDestroyPackages:   t.MembersCanDestroyPackages,
		URL:                         a.teamURL(t.OrganizationSlug, t.ID),
		WebURL:                      a.BaseURL + "/organizations/" + t.OrganizationSlug + "/teams/" + t.Slug,
		CreatedAt:                   endpoint.Timestamp(t.CreatedAt),
		CreatedBy:                   a.showUser(t.CreatedBy),
	}
}
