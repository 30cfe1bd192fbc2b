package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) portalEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/portals", Operation: "listPortals",
			Summary: "Lists an organization's portals, by name.",
			Scope:   domain.ScopeReadPortals, Answer: []portalAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.PortalView], error) {
					return a.Service.Portals(c.Context(), c.Actor(), c.Path("org"), page)
				}, a.showPortal)
			},
		},
		{
			Method: http.MethodPost, Path: inOrganization + "/portals", Operation: "createPortal",
			Summary: "Creates a portal, with a first token. Only this response contains the token's value. Needs the scope " +
				"`graphql` too.",
			Scope: domain.ScopeWritePortals, Body: portalBody{}, Answer: newPortalAnswer{}, Status: http.StatusCreated,
			Handle: func(c *endpoint.Call) (any, error) {
				p, value, err := a.Service.CreatePortal(c.Context(), c.Actor(), c.Path("org"), readBody(c, portalBody.input))
				return newPortalAnswer{a.showPortal(p), value.Reveal()}, err
			},
		},
		{
			Method: http.MethodGet, Path: inPortal, Operation: "getPortal", Summary: "Gets a portal.",
			Scope: domain.ScopeReadPortals, Answer: portalAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				p, err := a.Service.Portal(c.Context(), c.Actor(), portalRef(c))
				return a.showPortal(p), err
			},
		},
		{
			Method: http.MethodPut, Alias: http.MethodPatch, Path: inPortal, Operation: "updatePortal",
			Summary: "Changes a portal. Its slug stays as it was made, whatever its name becomes, unless another is given: " +
				"those who use the portal have it in their programs. Another query, letting members run it and allowing more " +
				"addresses need the scope `graphql` too.",
			Scope: domain.ScopeWritePortals, Body: portalBody{}, Answer: portalAnswer{}, Status: http.StatusOK, Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				p, err := a.Service.UpdatePortal(c.Context(), c.Actor(), portalRef(c), readBody(c, portalBody.input),
					requireMatch(c, a.showPortal))
				return a.showPortal(p), err
			},
		},
		{
			Method: http.MethodDelete, Path: inPortal, Operation: "deletePortal",
			Summary: "Deletes a portal, with its tokens and secrets.",
			Scope:   domain.ScopeWritePortals, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Service.DeletePortal(c.Context(), c.Actor(), portalRef(c), requireMatch(c, a.showPortal))
			},
		},
		{
			Method: http.MethodGet, Path: inPortal + "/tokens", Operation: "listPortalTokens",
			Summary: "Lists a portal's live tokens, the oldest first, without their values and without the ephemeral ones.",
			Scope:   domain.ScopeReadPortals, Answer: []portalTokenAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.PortalTokenView], error) {
					return a.Service.PortalTokens(c.Context(), c.Actor(), portalRef(c), page)
				}, a.showPortalToken)
			},
		},
		{
			Method: http.MethodPost, Path: inPortal + "/tokens", Operation: "createPortalToken",
			Summary: "Creates another token of a portal. Only this response contains its value. Needs the scope `graphql` too.",
			Scope:   domain.ScopeWritePortals, Body: portalTokenBody{}, OptionalBody: true, Answer: newPortalTokenAnswer{},
			Status: http.StatusCreated,
			Handle: func(c *endpoint.Call) (any, error) {
				t, value, err := a.Service.CreatePortalToken(c.Context(), c.Actor(), portalRef(c),
					readBody(c, portalTokenBody.input))
				return newPortalTokenAnswer{a.showPortalToken(t), value.Reveal()}, err
			},
		},
		{
			Method: http.MethodDelete, Path: inPortal + "/tokens/{id}", Operation: "deletePortalToken",
			Summary: "Revokes a token of a portal. An ephemeral one can be revoked too, by the UUID that its audit event has.",
			Scope:   domain.ScopeWritePortals, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Service.DeletePortalToken(c.Context(), c.Actor(), portalRef(c), c.Path("id"),
					requireMatch(c, a.showPortalToken))
			},
		},
		{
			Method: http.MethodGet, Path: inPortal + "/secrets", Operation: "listPortalSecrets",
			Summary: "Lists a portal's secrets, the oldest first, without their values.",
			Scope:   domain.ScopeReadPortals, Answer: []portalSecretAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.PortalSecretView], error) {
					return a.Service.PortalSecrets(c.Context(), c.Actor(), portalRef(c), page)
				}, a.showPortalSecret)
			},
		},
		{
			Method: http.MethodPost, Path: inPortal + "/secrets", Operation: "createPortalSecret",
			Summary: "Creates a secret of a portal, of which there can be two. Only this response contains its value. Needs " +
				"the scope `graphql` too.",
			Scope: domain.ScopeWritePortals, Body: portalSecretBody{}, OptionalBody: true, Answer: newPortalSecretAnswer{},
			Status: http.StatusCreated,
			Handle: func(c *endpoint.Call) (any, error) {
				s, value, err := a.Service.CreatePortalSecret(c.Context(), c.Actor(), portalRef(c),
					readBody(c, portalSecretBody.input))
				return newPortalSecretAnswer{a.showPortalSecret(s), value.Reveal()}, err
			},
		},
		{
			Method: http.MethodDelete, Path: inPortal + "/secrets/{id}", Operation: "deletePortalSecret",
			Summary: "Revokes a secret of a portal, and the ephemeral tokens that were made with it.",
			Scope:   domain.ScopeWritePortals, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Service.DeletePortalSecret(c.Context(), c.Actor(), portalRef(c), c.Path("id"),
					requireMatch(c, a.showPortalSecret))
			},
		},
	}
}

func portalRef(c *endpoint.Call) domain.PortalRef {
	return domain.PortalRef{Organization: organizationRef(c), Slug: c.Path("portal")}
}

type portalBody struct {
	Name               domain.Optional[string] `json:"name" required:"create" doc:"1 to 255 characters. The slug of a new portal comes from it, unless you give one."`
	Description        domain.Optional[string] `json:"description" doc:"At most 10,000 characters. Null for none."`
	Query              domain.Optional[string] `json:"query" required:"create" doc:"The GraphQL document whose operations the portal runs, at most 256 KiB. It must be valid, and within the API's limits."`
	AllowedIPAddresses domain.Optional[string] `json:"allowed_ip_addresses" doc:"Up to 24 CIDRs that the portal can be used from, separated by spaces. Null or empty for all."`
	Slug               domain.Optional[string] `json:"slug" doc:"1 to 100 lower-case letters and digits, with single hyphens inside. If left out or null, it comes from the name, or stays as it is."`
	UserInvokable      domain.Optional[bool]   `json:"user_invokable" nullable:"false" doc:"Whether members may run the portal as themselves, with their own rights."`
}

func (b portalBody) input() domain.PortalInput {
	return domain.PortalInput{
		Name: b.Name, Description: b.Description, Query: b.Query, AllowedIPAddresses: b.AllowedIPAddresses, Slug: b.Slug,
		UserInvokable: b.UserInvokable,
	}
}

type portalAnswer struct {
	UUID               domain.PortalID       `json:"uuid" format:"uuid" doc:"The portal's UUID."`
	Slug               string                `json:"slug" doc:"The portal's name in URLs: the one it was given, or one that comes from its first name. Unique in the organization."`
	OrganizationUUID   domain.OrganizationID `json:"organization_uuid" format:"uuid" doc:"The organization's UUID."`
	Name               string                `json:"name" doc:"The portal's name."`
	Description        *string               `json:"description" doc:"What the portal is for."`
	Query              string                `json:"query" doc:"The GraphQL document whose operations the portal runs."`
	AllowedIPAddresses *string               `json:"allowed_ip_addresses" doc:"CIDRs that the portal can be used from, separated by spaces. Null or empty for all."`
	UserInvokable      bool                  `json:"user_invokable" doc:"Whether members may run the portal as themselves, with their own rights."`
	CreatedAt          endpoint.Timestamp    `json:"created_at" doc:"When the portal was created."`
	CreatedBy          *userAnswer           `json:"created_by" doc:"Who created the portal. Null if they are gone."`
}

type newPortalAnswer struct {
	portalAnswer `json:",inline"`
	Token        string `json:"token" doc:"The value of the portal's first token. It is not shown again."`
}

func (a *API) showPortal(p domain.PortalView) portalAnswer {
	return portalAnswer{
		UUID:               p.ID,
		Slug:               p.Slug,
		OrganizationUUID:   p.OrganizationID,
		Name:               p.Name,
		Description:        p.Description,
		Query:              p.Query,
		AllowedIPAddresses: p.AllowedIPAddresses,
		UserInvokable:      p.UserInvokable,
		CreatedAt:          endpoint.Timestamp(p.CreatedAt),
		CreatedBy:          a.showUser(p.CreatedBy),
	}
}

type portalTokenBody struct {
	Description domain.Optional[string] `json:"description" doc:"What the token is for. At most 10,000 characters."`
	ExpiresAt   domain.Optional[string] `json:"expires_at" format:"date-time" doc:"When the token stops working, at least 10 minutes ahead. Null for never."`
}

func (b portalTokenBody) input() domain.PortalTokenInput {
	return domain.PortalTokenInput{Description: b.Description, ExpiresAt: b.ExpiresAt}
}

type portalTokenAnswer struct {
	UUID        domain.PortalTokenID `json:"uuid" format:"uuid" doc:"The token's UUID."`
	Description string               `json:"description" doc:"What the token is for."`
	ExpiresAt   *endpoint.Timestamp  `json:"expires_at" doc:"When the token stops working. Null for never."`
	CreatedAt   endpoint.Timestamp   `json:"created_at" doc:"When the token was created."`
	CreatedBy   *userAnswer          `json:"created_by" doc:"Who created the token. Null if they are gone."`
}

type newPortalTokenAnswer struct {
	portalTokenAnswer `json:",inline"`
	Token             string `json:"token" doc:"The token's value. It is not shown again."`
}

func (a *API) showPortalToken(t domain.PortalTokenView) portalTokenAnswer {
	return portalTokenAnswer{
		UUID:        t.ID,
		Description: t.Description,
		ExpiresAt:   endpoint.NullTimestamp(t.ExpiresAt),
		CreatedAt:   endpoint.Timestamp(t.CreatedAt),
		CreatedBy:   a.showUser(t.CreatedBy),
	}
}

type portalSecretBody struct {
	Description domain.Optional[string] `json:"description" doc:"What the secret is for. At most 10,000 characters."`
}

func (b portalSecretBody) input() domain.PortalSecretInput {
	return domain.PortalSecretInput{Description: b.Description}
}

type portalSecretAnswer struct {
	UUID        domain.PortalSecretID `json:"uuid" format:"uuid" doc:"The secret's UUID."`
	Description string                `json:"description" doc:"What the secret is for."`
	CreatedAt   endpoint.Timestamp    `json:"created_at" doc:"When the secret was created."`
	CreatedBy   *userAnswer           `json:"created_by" doc:"Who created the secret. Null if they are gone."`
}

type newPortalSecretAnswer struct {
	portalSecretAnswer `json:",inline"`
	Secret             string `json:"secret" doc:"The secret's value. It is not shown again."`
}

func (a *API) showPortalSecret(s domain.PortalSecretView) portalSecretAnswer {
	return portalSecretAnswer{UUID: s.ID, Description: s.Description, CreatedAt: endpoint.Timestamp(s.CreatedAt),
		CreatedBy: a.showUser(s.CreatedBy)}
}
