package rest

import (
	"net/http"

	"penstock/internal/domain"
)

var portalEndpoints = []endpoint{
	{
		methods: get, path: inOrganization + "/portals", operation: "listPortals", summary: "Lists an organization's portals, by name.",
		scope: string(domain.ScopeReadPortals), answer: []portalAnswer{}, list: pageList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return paged(c, func(page domain.Page) (domain.Paged[domain.PortalView], error) {
				return c.api.Service.Portals(c.Context(), c.actor(), c.Path("org"), page)
			}, c.portalToAnswer)
		},
	},
	{
		methods: post, path: inOrganization + "/portals", operation: "createPortal",
		summary: "Creates a portal, with a first token. The token's value is in this answer and nowhere else.",
		scope:   string(domain.ScopeWritePortals), body: portalBody{}, answer: newPortalAnswer{}, status: http.StatusCreated,
		handle: func(c *call) (any, error) {
			p, value, err := c.api.Service.CreatePortal(c.Context(), c.actor(), c.Path("org"), body(c, portalBody.input))
			return newPortalAnswer{c.portalToAnswer(p), value.Reveal()}, err
		},
	},
	{
		methods: get, path: inPortal, operation: "getPortal", summary: "Gets a portal.",
		scope: string(domain.ScopeReadPortals), answer: portalAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			p, err := c.api.Service.Portal(c.Context(), c.actor(), c.portalRef())
			return c.portalToAnswer(p), err
		},
	},
	{
		methods: patch, path: inPortal, operation: "updatePortal",
		summary: "Changes a portal. Its slug stays as it was made, whatever its name becomes: those who use the portal have it in their programs.",
		scope:   string(domain.ScopeWritePortals), body: portalBody{}, answer: portalAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			p, err := c.api.Service.UpdatePortal(c.Context(), c.actor(), c.portalRef(), body(c, portalBody.input), expect(c, c.portalToAnswer))
			return c.portalToAnswer(p), err
		},
	},
	{
		methods: remove, path: inPortal, operation: "deletePortal", summary: "Deletes a portal, with its tokens and secrets.",
		scope: string(domain.ScopeWritePortals), status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.DeletePortal(c.Context(), c.actor(), c.portalRef(), expect(c, c.portalToAnswer))
		},
	},
	{
		methods: get, path: inPortal + "/tokens", operation: "listPortalTokens",
		summary: "Lists a portal's live tokens, the oldest first, without their values and without the ephemeral ones.",
		scope:   string(domain.ScopeReadPortals), answer: []portalTokenAnswer{}, list: pageList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return paged(c, func(page domain.Page) (domain.Paged[domain.PortalTokenView], error) {
				return c.api.Service.PortalTokens(c.Context(), c.actor(), c.portalRef(), page)
			}, c.portalTokenToAnswer)
		},
	},
	{
		methods: post, path: inPortal + "/tokens", operation: "createPortalToken",
		summary: "Creates another token of a portal. Its value is in this answer and nowhere else.",
		scope:   string(domain.ScopeWritePortals), body: portalTokenBody{}, optional: true, answer: newPortalTokenAnswer{}, status: http.StatusCreated,
		handle: func(c *call) (any, error) {
			t, value, err := c.api.Service.CreatePortalToken(c.Context(), c.actor(), c.portalRef(), body(c, portalTokenBody.input))
			return newPortalTokenAnswer{c.portalTokenToAnswer(t), value.Reveal()}, err
		},
	},
	{
		methods: remove, path: inPortal + "/tokens/{id}", operation: "deletePortalToken",
		summary: "Revokes a token of a portal. An ephemeral one can be revoked too, by the UUID that its audit event has.",
		scope:   string(domain.ScopeWritePortals), status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.DeletePortalToken(c.Context(), c.actor(), c.portalRef(), c.Path("id"),
				expect(c, c.portalTokenToAnswer))
		},
	},
	{
		methods: get, path: inPortal + "/secrets", operation: "listPortalSecrets", summary: "Lists a portal's secrets, the oldest first, without their values.",
		scope: string(domain.ScopeReadPortals), answer: []portalSecretAnswer{}, list: pageList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return paged(c, func(page domain.Page) (domain.Paged[domain.PortalSecretView], error) {
				return c.api.Service.PortalSecrets(c.Context(), c.actor(), c.portalRef(), page)
			}, c.portalSecretToAnswer)
		},
	},
	{
		methods: post, path: inPortal + "/secrets", operation: "createPortalSecret",
		summary: "Creates a secret of a portal, of which there can be two. Its value is in this answer and nowhere else.",
		scope:   string(domain.ScopeWritePortals), body: portalSecretBody{}, optional: true, answer: newPortalSecretAnswer{}, status: http.StatusCreated,
		handle: func(c *call) (any, error) {
			s, value, err := c.api.Service.CreatePortalSecret(c.Context(), c.actor(), c.portalRef(), body(c, portalSecretBody.input))
			return newPortalSecretAnswer{c.portalSecretToAnswer(s), value.Reveal()}, err
		},
	},
	{
		methods: remove, path: inPortal + "/secrets/{id}", operation: "deletePortalSecret",
		summary: "Revokes a secret of a portal, and the ephemeral tokens that were made with it.",
		scope:   string(domain.ScopeWritePortals), status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.DeletePortalSecret(c.Context(), c.actor(), c.portalRef(), c.Path("id"),
				expect(c, c.portalSecretToAnswer))
		},
	},
}

func (c *call) portalRef() domain.PortalRef {
	return domain.PortalRef{Organization: c.Path("org"), Slug: c.Path("portal")}
}

type portalBody struct {
	Name               domain.Optional[string] `json:"name" required:"create" doc:"1 to 255 characters. The slug of a new portal is made of it."`
	Description        domain.Optional[string] `json:"description" doc:"At most 10,000 characters. Null for none."`
	Query              domain.Optional[string] `json:"query" required:"create" doc:"The GraphQL document whose operations the portal runs, at most 256 KiB. It must be valid, and within the API's limits."`
	AllowedIPAddresses domain.Optional[string] `json:"allowed_ip_addresses" doc:"Up to 24 CIDRs that the portal may be used from, with spaces between. Null or empty for all."`
}

func (b portalBody) input() domain.PortalInput {
	return domain.PortalInput{Name: b.Name, Description: b.Description, Query: b.Query, AllowedIPAddresses: b.AllowedIPAddresses}
}

type portalAnswer struct {
	UUID               domain.PortalID       `json:"uuid" format:"uuid" doc:"The portal's UUID."`
	Slug               string                `json:"slug" doc:"The portal's name in URLs, made of the name that it was created with. Unique in the organization."`
	OrganizationUUID   domain.OrganizationID `json:"organization_uuid" format:"uuid" doc:"The organization's UUID."`
	Name               string                `json:"name" doc:"The portal's name."`
	Description        *string               `json:"description" doc:"What the portal is for."`
	Query              string                `json:"query" doc:"The GraphQL document whose operations the portal runs."`
	AllowedIPAddresses *string               `json:"allowed_ip_addresses" doc:"CIDRs that the portal may be used from, with spaces between. Null or empty for all."`
	CreatedAt          timestamp             `json:"created_at" doc:"When the portal was created."`
	CreatedBy          *userAnswer           `json:"created_by" doc:"Who created the portal. Null if they are gone."`
}

type newPortalAnswer struct {
	portalAnswer `json:",inline"`
	Token        string `json:"token" doc:"The value of the portal's first token. It is not shown again."`
}

func (c *call) portalToAnswer(p domain.PortalView) portalAnswer {
	return portalAnswer{
		UUID:               p.ID,
		Slug:               p.Slug,
		OrganizationUUID:   p.OrganizationID,
		Name:               p.Name,
		Description:        p.Description,
		Query:              p.Query,
		AllowedIPAddresses: p.AllowedIPAddresses,
		CreatedAt:          timestamp(p.CreatedAt),
		CreatedBy:          c.userToAnswer(p.CreatedBy),
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
	ExpiresAt   *timestamp           `json:"expires_at" doc:"When the token stops working. Null for never."`
	CreatedAt   timestamp            `json:"created_at" doc:"When the token was created."`
	CreatedBy   *userAnswer          `json:"created_by" doc:"Who created the token. Null if they are gone."`
}

type newPortalTokenAnswer struct {
	portalTokenAnswer `json:",inline"`
	Token             string `json:"token" doc:"The token's value. It is not shown again."`
}

func (c *call) portalTokenToAnswer(t domain.PortalTokenView) portalTokenAnswer {
	return portalTokenAnswer{
		UUID:        t.ID,
		Description: t.Description,
		ExpiresAt:   nullTimestamp(t.ExpiresAt),
		CreatedAt:   timestamp(t.CreatedAt),
		CreatedBy:   c.userToAnswer(t.CreatedBy),
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
	CreatedAt   timestamp             `json:"created_at" doc:"When the secret was created."`
	CreatedBy   *userAnswer           `json:"created_by" doc:"Who created the secret. Null if they are gone."`
}

type newPortalSecretAnswer struct {
	portalSecretAnswer `json:",inline"`
	Secret             string `json:"secret" doc:"The secret's value. It is not shown again."`
}

func (c *call) portalSecretToAnswer(s domain.PortalSecretView) portalSecretAnswer {
	return portalSecretAnswer{UUID: s.ID, Description: s.Description, CreatedAt: timestamp(s.CreatedAt), CreatedBy: c.userToAnswer(s.CreatedBy)}
}
