package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inMember = inOrganization + "/members/{id}"

func (a *API) memberEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/members", Operation: "listMembers",
			Summary: "Lists an organization's members, by name.",
			Scope:   domain.ScopeReadOrganizations, Answer: []memberAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.MemberView], error) {
					return a.Service.Members(c.Context(), c.Actor(), c.Path("org"), page)
				}, a.showMember)
			},
		},
		{
			Method: http.MethodGet, Path: inMember, Operation: "getMember", Summary: "Gets a member of an organization, by " +
				"the user's UUID.",
			Scope: domain.ScopeReadOrganizations, Answer: memberAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				m, err := a.Service.Member(c.Context(), c.Actor(), c.Path("org"), c.Path("id"))
				return a.showMember(m), err
			},
		},
		{
			Method: http.MethodPatch, Path: inMember, Operation: "updateMember",
			Summary: "Changes a member's role or SSO mode. Administrators only, and not their own role.",
			Scope:   domain.ScopeWriteOrganizations, Body: memberBody{}, Answer: memberAnswer{}, Status: http.StatusOK,
			Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				m, err := a.Service.UpdateMember(c.Context(), c.Actor(), organizationRef(c), c.Path("id"),
					readBody(c, memberBody.input), requireMatch(c, a.showMember))
				return a.showMember(m), err
			},
		},
		{
			Method: http.MethodDelete, Path: inMember, Operation: "removeMember",
			Summary: "Removes a member from an organization, with their teams, what they maintain and what their tokens were " +
				"granted there. Administrators only, and not themself.",
			Scope: domain.ScopeWriteOrganizations, Status: http.StatusNoContent,
			Errors: []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Service.RemoveMember(c.Context(), c.Actor(), organizationRef(c), c.Path("id"),
					requireMatch(c, a.showMember))
				return nil, err
			},
		},
	}
}

type memberBody struct {
	Role    domain.Optional[string] `json:"role" nullable:"false" enum:"admin,member" doc:"The member's role in the organization."`
	SSOMode domain.Optional[string] `json:"sso_mode" nullable:"false" enum:"required,optional" doc:"Whether the member has to use single sign-on. It is stored, but has no effect."`
}

func (b memberBody) input() domain.MemberInput {
	return domain.MemberInput{Role: b.Role, SSOMode: b.SSOMode}
}

type memberAnswer struct {
	ID                  domain.UserID      `json:"id" format:"uuid" doc:"The user's UUID."`
	GraphQLID           string             `json:"graphql_id" doc:"The user's ID in the GraphQL API."`
	Name                string             `json:"name" doc:"The user's name."`
	Email               string             `json:"email" doc:"The user's email address."`
	AvatarURL           string             `json:"avatar_url" format:"uri" doc:"Where the user's picture is."`
	Role                domain.Role        `json:"role" enum:"admin,member" doc:"The member's role in the organization."`
	SSOMode             domain.SSOMode     `json:"sso_mode" enum:"required,optional" doc:"Whether the member has to use single sign-on. It is stored, but has no effect."`
	MembershipID        domain.MemberID    `json:"membership_id" format:"uuid" doc:"The membership's UUID."`
	MembershipGraphQLID string             `json:"membership_graphql_id" doc:"The membership's ID in the GraphQL API."`
	CreatedAt           endpoint.Timestamp `json:"created_at" doc:"When the user became a member."`
	URL                 string             `json:"url" format:"uri" doc:"The member in this API."`
}

func (a *API) showMember(m domain.MemberView) memberAnswer {
	user := a.showUser(&m.User)
	return memberAnswer{
		ID:                  user.ID,
		GraphQLID:           user.GraphQLID,
		Name:                user.Name,
		Email:               user.Email,
		AvatarURL:           user.AvatarURL,
		Role:                m.Role,
		SSOMode:             m.SSOMode,
		MembershipID:        m.ID,
		MembershipGraphQLID: domain.GraphQLID("OrganizationMember", m.ID),
		CreatedAt:           endpoint.Timestamp(m.CreatedAt),
		URL:                 a.BaseURL + "/v2/organizations/" + m.OrganizationSlug + "/members/" + string(user.ID),
	}
}
