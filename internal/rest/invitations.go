package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inInvitation = inOrganization + "/invitations/{id}"

func (a *API) invitationEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/invitations", Operation: "listInvitations",
			Summary: "Lists the invitations that wait for an answer, the newest first. Administrators only.",
			Scope:   domain.ScopeReadInvitations, Answer: endpoint.CursorAnswer[invitationAnswer]{}, List: endpoint.CursorList,
			Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerCursorPage(c, func(page domain.CursorPage) (domain.CursorPaged[domain.InvitationView],
					error) {
					return a.Service.Invitations(c.Context(), c.Actor(), c.Path("org"), page)
				}, a.showInvitation)
			},
		},
		{
			Method: http.MethodPost, Path: inOrganization + "/invitations", Operation: "createInvitations",
			Summary: "Invites people, all or nobody. Each answer has the link, which is shown once, and is mailed where that " +
				"is configured. Administrators only.",
			Scope: domain.ScopeWriteInvitations, Body: invitationBody{}, Answer: []newInvitationAnswer{},
			Status: http.StatusCreated,
			Handle: func(c *endpoint.Call) (any, error) {
				made, err := a.Service.CreateInvitations(c.Context(), c.Actor(), organizationRef(c),
					readBody(c, invitationBody.input))
				answers := make([]newInvitationAnswer, len(made))
				for i, v := range made {
					answers[i] = newInvitationAnswer{a.showInvitation(v), a.BaseURL + domain.InvitationPath + v.Link.Reveal()}
				}
				return answers, err
			},
		},
		{
			Method: http.MethodGet, Path: inInvitation, Operation: "getInvitation", Summary: "Gets an invitation, in any " +
				"state. Administrators only.",
			Scope: domain.ScopeReadInvitations, Answer: invitationAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				v, err := a.Service.Invitation(c.Context(), c.Actor(), organizationRef(c), c.Path("id"))
				return a.showInvitation(v), err
			},
		},
		{
			Method: http.MethodDelete, Path: inInvitation, Operation: "revokeInvitation",
			Summary: "Revokes an invitation that waits for an answer. Its link leads nowhere from then on. Administrators only.",
			Scope:   domain.ScopeWriteInvitations, Status: http.StatusNoContent,
			Errors: []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Service.RevokeInvitation(c.Context(), c.Actor(), organizationRef(c), c.Path("id"),
					requireMatch(c, a.showInvitation))
				return nil, err
			},
		},
	}
}

type invitationBody struct {
	Emails  domain.Optional[[]string]             `json:"emails" required:"true" doc:"The addresses to invite, at most 100. Those that differ in case alone count once."`
	Role    domain.Optional[string]               `json:"role" enum:"admin,member" doc:"Their role in the organization. By default, member."`
	SSOMode domain.Optional[string]               `json:"sso_mode" enum:"required,optional" doc:"Whether they will have to use single sign-on. Without it, required. It is stored, but has no effect."`
	Teams   domain.Optional[[]invitationTeamBody] `json:"teams" doc:"The teams that they are to join, besides the default ones."`
}

type invitationTeamBody struct {
	ID   domain.Optional[string] `json:"id" required:"true" format:"uuid" doc:"The UUID of a team of the organization."`
	Role domain.Optional[string] `json:"role" enum:"maintainer,member" doc:"Their role in it. By default, the team's default_member_role."`
}

func (b invitationBody) input() domain.InvitationInput {
	in := domain.InvitationInput{Emails: b.Emails, Role: b.Role, SSOMode: b.SSOMode}
	for _, t := range b.Teams.Value {
		in.Teams.Value = append(in.Teams.Value, domain.InvitationTeamInput{ID: t.ID.Value, Role: t.Role})
	}
	return in
}

type invitationAnswer struct {
	ID         domain.InvitationID    `json:"id" format:"uuid" doc:"The invitation's UUID."`
	GraphQLID  string                 `json:"graphql_id" doc:"The invitation's ID in the GraphQL API."`
	URL        string                 `json:"url" format:"uri" doc:"The invitation in this API."`
	Email      string                 `json:"email" doc:"The address that is invited."`
	State      domain.InvitationState `json:"state" enum:"pending,accepted,revoked,expired" doc:"What became of the invitation."`
	Role       domain.Role            `json:"role" enum:"admin,member" doc:"Their role in the organization."`
	SSOMode    domain.SSOMode         `json:"sso_mode" enum:"required,optional" doc:"Whether they will have to use single sign-on. It is stored, but has no effect."`
	Teams      []invitedTeamAnswer    `json:"teams" doc:"The teams that they are to join."`
	CreatedAt  endpoint.Timestamp     `json:"created_at" doc:"When they were invited."`
	CreatedBy  *userAnswer            `json:"created_by" doc:"Who invited them. Null if they are gone."`
	AcceptedAt *endpoint.Timestamp    `json:"accepted_at" doc:"When the invitation was accepted."`
	AcceptedBy *userAnswer            `json:"accepted_by" doc:"Who became a member by it."`
	RevokedAt  *endpoint.Timestamp    `json:"revoked_at" doc:"When the invitation was revoked."`
	RevokedBy  *userAnswer            `json:"revoked_by" doc:"Who revoked it. Null if an operator did."`
	ExpiredAt  *endpoint.Timestamp    `json:"expired_at" doc:"When the invitation expired: a week after it was made or sent again."`
}

type newInvitationAnswer struct {
	invitationAnswer `json:",inline"`
	InvitationURL    string `json:"invitation_url" format:"uri" doc:"The link by which the invitation is accepted, shown once."`
}

type invitedTeamAnswer struct {
	ID        domain.TeamID `json:"id" format:"uuid" doc:"The team's UUID."`
	GraphQLID string        `json:"graphql_id" doc:"The team's ID in the GraphQL API."`
	Slug      string        `json:"slug" doc:"The team's name in addresses."`
}

func (a *API) showInvitation(v domain.InvitationView) invitationAnswer {
	teams := make([]invitedTeamAnswer, len(v.Teams))
	for i, t := range v.Teams {
		teams[i] = invitedTeamAnswer{t.TeamID, domain.GraphQLID("Team", t.TeamID), t.TeamSlug}
	}
	return invitationAnswer{
		ID: v.ID, GraphQLID: domain.GraphQLID("OrganizationInvitation", v.ID),
		URL:   a.BaseURL + "/v2/organizations/" + v.OrganizationSlug + "/invitations/" + string(v.ID),
		Email: v.Email, State: v.State, Role: v.Role, SSOMode: v.SSOMode, Teams: teams,
		CreatedAt: endpoint.Timestamp(v.CreatedAt), CreatedBy: a.showUser(v.CreatedBy),
		AcceptedAt: (*endpoint.Timestamp)(v.AcceptedAt), AcceptedBy: a.showUser(v.AcceptedBy),
		RevokedAt: (*endpoint.Timestamp)(v.RevokedAt), RevokedBy: a.showUser(v.RevokedBy),
		ExpiredAt: (*endpoint.Timestamp)(v.ExpiredAt()),
	}
}
