package rest

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

// rootEndpoints need no token.
func (a *API) rootEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: "/v2", Operation: "getRoot",
			Summary: "Says that the API is there, and what time it is.",
			Open:    true, Answer: rootAnswer{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return rootAnswer{"Penstock REST API. Its description is at " + a.BaseURL + "/v2/openapi.json", c.Start.Unix()}, nil
			},
		},
		{
			Method: http.MethodGet, Path: "/v2/meta", Operation: "getMeta",
			Summary: "Says from which addresses webhooks are sent.",
			Open:    true, Answer: metaAnswer{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) { return metaAnswer{a.MetaWebhookIPs}, nil },
		},
		{
			Method: http.MethodGet, Path: "/v2/openapi.json", Operation: "getOpenAPI",
			Summary: "Describes the API, as OpenAPI 3.1.",
			Open:    true, Answer: jsontext.Value{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) { return jsontext.Value(a.descriptionJSON()), nil },
		},
	}
}

func (a *API) identityEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: "/v2/user", Operation: "getUser", Summary: "Gets the user that the token acts as.",
			Scope: domain.ScopeReadUser, Answer: userAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				user, err := a.Service.User(c.Context(), c.Actor())
				return a.showUser(&user), err
			},
		},
		{
			Method: http.MethodGet, Path: "/v2/access-token", Operation: "getAccessToken",
			Summary: "Gets the token that the request was made with.",
			Answer:  accessTokenAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				token, user, err := a.Service.AccessToken(c.Context(), c.Actor())
				return showAccessToken(token, user), err
			},
		},
		{
			Method: http.MethodDelete, Path: "/v2/access-token", Operation: "revokeAccessToken",
			Summary: "Revokes the token that the request was made with.",
			Status:  http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Service.RevokeAccessToken(c.Context(), c.Actor(),
					requireMatch(c, func(id authz.Identity) accessTokenAnswer { return showAccessToken(id.Token, id.User) }))
			},
		},
		{
			Method: http.MethodGet, Path: "/v2/organizations", Operation: "listOrganizations",
			Summary: "Lists the organizations that the token reaches, by name.",
			Scope:   domain.ScopeReadOrganizations, Answer: []organizationAnswer{}, List: endpoint.PageList,
			Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.CountedOrganization], error) {
					return a.Service.Organizations(c.Context(), c.Actor(), page)
				}, func(o domain.CountedOrganization) organizationAnswer { return a.showOrganization(o.Organization) })
			},
		},
		{
			Method: http.MethodGet, Path: inOrganization, Operation: "getOrganization", Summary: "Gets an organization.",
			Scope: domain.ScopeReadOrganizations, Answer: administeredOrganizationAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				organization, err := a.Service.Organization(c.Context(), c.Actor(), c.Path("org"))
				return a.showFullOrganization(organization), err
			},
		},
	}
}

type rootAnswer struct {
	Message   string `json:"message" doc:"Where the API is described."`
	Timestamp int64  `json:"timestamp" doc:"The server's time, in Unix seconds."`
}

type metaAnswer struct {
	WebhookIPs []string `json:"webhook_ips" doc:"CIDRs that webhooks are sent from."`
}

type userAnswer struct {
	ID        domain.UserID      `json:"id" format:"uuid" doc:"The user's UUID."`
	GraphQLID string             `json:"graphql_id" doc:"The user's ID in the GraphQL API."`
	Name      string             `json:"name" doc:"The user's name."`
	Email     string             `json:"email" doc:"The user's email address."`
	AvatarURL string             `json:"avatar_url" format:"uri" doc:"Where the user's picture is."`
	CreatedAt endpoint.Timestamp `json:"created_at" doc:"When the user was created."`
}

// showUser returns how a user is shown; a user who is gone is null.
func (a *API) showUser(u *domain.User) *userAnswer {
	if u == nil {
		return nil
	}
	return &userAnswer{
		ID:        u.ID,
		GraphQLID: domain.GraphQLID("User", u.ID),
		Name:      u.Name,
		Email:     u.Email,
		AvatarURL: a.BaseURL + "/avatars/" + string(u.ID) + ".svg",
		CreatedAt: endpoint.Timestamp(u.CreatedAt),
	}
}

type accessTokenAnswer struct {
	UUID        domain.APITokenID   `json:"uuid" format:"uuid" doc:"The token's UUID."`
	Scopes      []domain.Scope      `json:"scopes" doc:"What the token may be used for, such as read_clusters."`
	Description string              `json:"description" doc:"What the token is for."`
	CreatedAt   endpoint.Timestamp  `json:"created_at" doc:"When the token was created."`
	ExpiresAt   *endpoint.Timestamp `json:"expires_at" doc:"When the token stops working. Null for never."`
	User        accessTokenUser     `json:"user" doc:"The user that the token acts as."`
}

type accessTokenUser struct {
	Name  string `json:"name" doc:"The user's name."`
	Email string `json:"email" doc:"The user's email address."`
}

func showAccessToken(t domain.APIToken, u domain.User) accessTokenAnswer {
	return accessTokenAnswer{
		UUID:        t.ID,
		Scopes:      t.Scopes.List(),
		Description: t.Description,
		CreatedAt:   endpoint.Timestamp(t.CreatedAt),
		ExpiresAt:   endpoint.NullTimestamp(t.ExpiresAt),
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
	AgentsURL    string                `json:"agents_url" format:"uri" doc:"The organization's agents in this API."`
	PipelinesURL string                `json:"pipelines_url" format:"uri" doc:"The organization's pipelines in this API."`
	EmojisURL    string                `json:"emojis_url" format:"uri" doc:"The emojis that texts of the organization may have, in this API."`
	CreatedAt    endpoint.Timestamp    `json:"created_at" doc:"When the organization was created."`
}

func (a *API) showOrganization(o domain.Organization) organizationAnswer {
	url := a.BaseURL + "/v2/organizations/" + o.Slug
	return organizationAnswer{
		ID:           o.ID,
		GraphQLID:    domain.GraphQLID("Organization", o.ID),
		Name:         o.Name,
		Slug:         o.Slug,
		URL:          url,
		WebURL:       a.BaseURL + "/organizations/" + o.Slug,
		ClustersURL:  url + "/clusters",
		AgentsURL:    url + "/agents",
		PipelinesURL: url + "/pipelines",
		EmojisURL:    url + "/emojis",
		CreatedAt:    endpoint.Timestamp(o.CreatedAt),
	}
}
