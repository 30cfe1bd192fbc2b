package rest

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

// rootEndpoints need no token.
var rootEndpoints = []endpoint{
	{
		methods: get, path: "/v2", operation: "getRoot", summary: "Says that the API is there, and what time it is.",
		open: true, answer: rootAnswer{}, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return rootAnswer{"Penstock REST API. Its description is at " + c.api.BaseURL + "/v2/openapi.json", c.start.Unix()}, nil
		},
	},
	{
		methods: get, path: "/v2/meta", operation: "getMeta", summary: "Says from which addresses webhooks are sent.",
		open: true, answer: metaAnswer{}, status: http.StatusOK,
		handle: func(c *call) (any, error) { return metaAnswer{c.api.MetaWebhookIPs}, nil },
	},
	{
		methods: get, path: "/v2/openapi.json", operation: "getOpenAPI", summary: "Describes the API, as OpenAPI 3.1.",
		open: true, answer: jsontext.Value{}, status: http.StatusOK,
		handle: func(c *call) (any, error) { return jsontext.Value(c.api.Description()), nil },
	},
}

var identityEndpoints = []endpoint{
	{
		methods: get, path: "/v2/user", operation: "getUser", summary: "Gets the user that the token acts as.",
		scope: string(domain.ScopeReadUser), answer: userAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			user, err := c.api.Service.User(c.r.Context(), c.actor())
			return c.userToAnswer(&user), err
		},
	},
	{
		methods: get, path: "/v2/access-token", operation: "getAccessToken", summary: "Gets the token that the request was made with.",
		answer: accessTokenAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			token, user, err := c.api.Service.AccessToken(c.r.Context(), c.actor())
			return accessTokenToAnswer(token, user), err
		},
	},
	{
		methods: remove, path: "/v2/access-token", operation: "revokeAccessToken", summary: "Revokes the token that the request was made with.",
		status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.RevokeAccessToken(c.r.Context(), c.actor(),
				expect(c, func(id authz.Identity) accessTokenAnswer { return accessTokenToAnswer(id.Token, id.User) }))
		},
	},
	{
		methods: get, path: "/v2/organizations", operation: "listOrganizations", summary: "Lists the organizations that the token reaches, by name.",
		scope: string(domain.ScopeReadOrganizations), answer: []organizationAnswer{}, list: pageList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return paged(c, func(page domain.Page) (domain.Paged[domain.Organization], error) {
				return c.api.Service.Organizations(c.r.Context(), c.actor(), page)
			}, c.organizationToAnswer)
		},
	},
	{
		methods: get, path: inOrganization, operation: "getOrganization", summary: "Gets an organization.",
		scope: string(domain.ScopeReadOrganizations), answer: administeredOrganizationAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			organization, err := c.api.Service.Organization(c.r.Context(), c.actor(), c.r.PathValue("org"))
			return c.organizationToFullAnswer(organization), err
		},
	},
}

type rootAnswer struct {
	Message   string `json:"message" doc:"Where the API is described."`
	Timestamp int64  `json:"timestamp" doc:"The server's time, in Unix seconds."`
}

type metaAnswer struct {
	WebhookIPs []string `json:"webhook_ips" doc:"CIDRs that webhooks are sent from."`
}

type userAnswer struct {
	ID        domain.UserID `json:"id" format:"uuid" doc:"The user's UUID."`
	GraphQLID string        `json:"graphql_id" doc:"The user's ID in the GraphQL API."`
	Name      string        `json:"name" doc:"The user's name."`
	Email     string        `json:"email" doc:"The user's e-mail address."`
	AvatarURL string        `json:"avatar_url" format:"uri" doc:"Where the user's picture is."`
	CreatedAt timestamp     `json:"created_at" doc:"When the user was created."`
}

// userToAnswer returns how a user is shown; a user who is gone is null.
func (c *call) userToAnswer(u *domain.User) *userAnswer {
	if u == nil {
		return nil
	}
	if u == c.shownUser {
		return c.shownAs
	}
	c.shownUser, c.shownAs = u, &userAnswer{
		ID:        u.ID,
		GraphQLID: domain.GraphQLID("User", u.ID),
		Name:      u.Name,
		Email:     u.Email,
		AvatarURL: c.api.BaseURL + "/avatars/" + string(u.ID) + ".svg",
		CreatedAt: timestamp(u.CreatedAt),
	}
	return c.shownAs
}

type accessTokenAnswer struct {
	UUID        domain.APITokenID `json:"uuid" format:"uuid" doc:"The token's UUID."`
	Scopes      []domain.Scope    `json:"scopes" doc:"What the token may be used for, such as read_clusters."`
	Description string            `json:"description" doc:"What the token is for."`
	CreatedAt   timestamp         `json:"created_at" doc:"When the token was created."`
	ExpiresAt   *timestamp        `json:"expires_at" doc:"When the token stops working. Null for never."`
	User        accessTokenUser   `json:"user" doc:"The user that the token acts as."`
}

type accessTokenUser struct {
	Name  string `json:"name" doc:"The user's name."`
	Email string `json:"email" doc:"The user's e-mail address."`
}

func accessTokenToAnswer(t domain.APIToken, u domain.User) accessTokenAnswer {
	return accessTokenAnswer{
		UUID:        t.ID,
		Scopes:      t.Scopes.List(),
		Description: t.Description,
		CreatedAt:   timestamp(t.CreatedAt),
		ExpiresAt:   nullTimestamp(t.ExpiresAt),
		User:        accessTokenUser{u.Name, u.Email},
	}
}

type organizationAnswer struct {
	ID           domain.OrganizationID `json:"id" format:"uuid" doc:"The organization's UUID."`
	GraphQLID    string                `json:"graphql_id" doc:"The organization's ID in the GraphQL API."`
	Name         string                `json:"name" doc:"The organization's name."`
	Slug         string                `json:"slug" doc:"The organization's name in URLs."`
	URL          string                `json:"url" format:"uri" doc:"The organization in this API."`
	WebURL       string                `json:"web_url" format:"uri" doc:"The organization in the web interface."`
	ClustersURL  string                `json:"clusters_url" format:"uri" doc:"The organization's clusters in this API."`
	PipelinesURL string                `json:"pipelines_url" format:"uri" doc:"The organization's pipelines in this API."`
	CreatedAt    timestamp             `json:"created_at" doc:"When the organization was created."`
}

func (c *call) organizationToAnswer(o domain.Organization) organizationAnswer {
	url := c.api.BaseURL + "/v2/organizations/" + o.Slug
	return organizationAnswer{
		ID:           o.ID,
		GraphQLID:    domain.GraphQLID("Organization", o.ID),
		Name:         o.Name,
		Slug:         o.Slug,
		URL:          url,
		WebURL:       c.api.BaseURL + "/organizations/" + o.Slug,
		ClustersURL:  url + "/clusters",
		PipelinesURL: url + "/pipelines",
		CreatedAt:    timestamp(o.CreatedAt),
	}
}
