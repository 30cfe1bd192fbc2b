package rest

import (
	"net/http"

	"penstock/internal/domain"
)

const inMember = inOrganization + "/members/{id}"

var memberEndpoints = []endpoint{
	{
		methods: get, path: inOrganization + "/members", operation: "listMembers", summary: "Lists an organization's members, by name.",
		scope: string(domain.ScopeReadOrganizations), answer: []memberAnswer{}, list: pageList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return paged(c, func(page domain.Page) (domain.Paged[domain.MemberView], error) {
				return c.api.Service.Members(c.Context(), c.actor(), c.Path("org"), page)
			}, c.memberToAnswer)
		},
	},
	{
		methods: get, path: inMember, operation: "getMember", summary: "Gets a member of an organization, by the user's UUID.",
		scope: string(domain.ScopeReadOrganizations), answer: memberAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			m, err := c.api.Service.Member(c.Context(), c.actor(), c.Path("org"), c.Path("id"))
			return c.memberToAnswer(m), err
		},
	},
	{
		methods: patch, path: inMember, operation: "updateMember",
		summary: "Changes a member's role. Administrators only, and not their own.",
		scope:   string(domain.ScopeWriteOrganizations), body: memberBody{}, answer: memberAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			m, err := c.api.Service.UpdateMember(c.Context(), c.actor(), c.Path("org"), c.Path("id"),
				body(c, memberBody.input), expect(c, c.memberToAnswer))
			return c.memberToAnswer(m), err
		},
	},
	{
		methods: remove, path: inMember, operation: "removeMember",
		summary: "Removes a member from an organization, with their teams, what they maintain and what their tokens were granted there. Administrators only, and not themself.",
		scope:   string(domain.ScopeWriteOrganizations), status: http.StatusNoContent,
		errors: []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.RemoveMember(c.Context(), c.actor(), c.Path("org"), c.Path("id"), expect(c, c.memberToAnswer))
		},
	},
}

type memberBody struct {
	Role domain.Optional[string] `json:"role" nullable:"false" enum:"admin,member" doc:"What the member is in the organization."`
}

func (b memberBody) input() domain.MemberInput { return domain.MemberInput{Role: b.Role} }

type memberAnswer struct {
	ID                  domain.UserID   `json:"id" format:"uuid" doc:"The user's UUID."`
	GraphQLID           string          `json:"graphql_id" doc:"The user's ID in the GraphQL API."`
	Name                string          `json:"name" doc:"The user's name."`
	Email               string          `json:"email" doc:"The user's e-mail address."`
	AvatarURL           string          `json:"avatar_url" format:"uri" doc:"Where the user's picture is."`
	Role                domain.Role     `json:"role" enum:"admin,member" doc:"What the member is in the organization."`
	MembershipID        domain.MemberID `json:"membership_id" format:"uuid" doc:"The membership's UUID."`
	MembershipGraphQLID string          `json:"membership_graphql_id" doc:"The membership's ID in the GraphQL API."`
	CreatedAt           timestamp       `json:"created_at" doc:"When the user became a member."`
	URL                 string          `json:"url" format:"uri" doc:"The member in this API."`
}

func (c *call) memberToAnswer(m domain.MemberView) memberAnswer {
	user := c.userToAnswer(&m.User)
	return memberAnswer{
		ID:                  user.ID,
		GraphQLID:           user.GraphQLID,
		Name:                user.Name,
		Email:               user.Email,
		AvatarURL:           user.AvatarURL,
		Role:                m.Role,
		MembershipID:        m.ID,
		MembershipGraphQLID: domain.GraphQLID("OrganizationMember", m.ID),
		CreatedAt:           timestamp(m.CreatedAt),
		URL:                 c.api.BaseURL + "/v2/organizations/" + m.OrganizationSlug + "/members/" + string(user.ID),
	}
}
