package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) agentTokenEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inCluster + "/tokens", Operation: "listClusterTokens",
			Summary: "Lists a cluster's agent tokens, the oldest first.",
			Scope:   domain.ScopeReadClusters, Answer: []agentTokenAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.AgentTokenView], error) {
					return a.Service.AgentTokens(c.Context(), c.Actor(), clusterRef(c), page)
				}, a.showAgentToken)
			},
		},
		{
			Method: http.MethodPost, Path: inCluster + "/tokens", Operation: "createClusterToken",
			Summary: "Creates an agent token. Only this response contains its value.",
			Scope:   domain.ScopeWriteClusters, Body: agentTokenBody{}, Answer: newAgentTokenAnswer{},
			Status: http.StatusCreated,
			Handle: func(c *endpoint.Call) (any, error) {
				t, value, err := a.Service.CreateAgentToken(c.Context(), c.Actor(), clusterRef(c),
					readBody(c, agentTokenBody.input))
				return newAgentTokenAnswer{a.showAgentToken(t), value.Reveal()}, err
			},
		},
		{
			Method: http.MethodGet, Path: inCluster + "/tokens/{id}", Operation: "getClusterToken",
			Summary: "Gets an agent token, without its value.",
			Scope:   domain.ScopeReadClusters, Answer: agentTokenAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				t, err := a.Service.AgentToken(c.Context(), c.Actor(), clusterRef(c), c.Path("id"))
				return a.showAgentToken(t), err
			},
		},
		{
			Method: http.MethodPut, Alias: http.MethodPatch, Path: inCluster + "/tokens/{id}", Operation: "updateClusterToken",
			Summary: "Changes an agent token. Its expiry stays.",
			Scope:   domain.ScopeWriteClusters, Body: agentTokenBody{}, Answer: agentTokenAnswer{}, Status: http.StatusOK,
			Tagged: true,
			Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				t, err := a.Service.UpdateAgentToken(c.Context(), c.Actor(), clusterRef(c), c.Path("id"),
					readBody(c, agentTokenBody.input), requireMatch(c, a.showAgentToken))
				return a.showAgentToken(t), err
			},
		},
		{
			Method: http.MethodDelete, Path: inCluster + "/tokens/{id}", Operation: "deleteClusterToken",
			Summary: "Revokes an agent token.",
			Scope:   domain.ScopeWriteClusters, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Service.DeleteAgentToken(c.Context(), c.Actor(), clusterRef(c), c.Path("id"),
					requireMatch(c, a.showAgentToken))
			},
		},
	}
}

type agentTokenBody struct {
	Description        domain.Optional[string] `json:"description" required:"create" doc:"What the token is for. At most 10,000 characters, and not blank."`
	AllowedIPAddresses domain.Optional[string] `json:"allowed_ip_addresses" doc:"Up to 24 CIDRs that agents can connect from, separated by spaces. Null or empty for all."`
	ExpiresAt          domain.Optional[string] `json:"expires_at" format:"date-time" doc:"When the token stops working, at least 10 minutes ahead. Null for never. Can't be changed."`
}

func (b agentTokenBody) input() domain.AgentTokenInput {
	return domain.AgentTokenInput{Description: b.Description, AllowedIPAddresses: b.AllowedIPAddresses,
		ExpiresAt: b.ExpiresAt}
}

type agentTokenAnswer struct {
	ID                 domain.AgentTokenID `json:"id" format:"uuid" doc:"The token's UUID."`
	GraphQLID          string              `json:"graphql_id" doc:"The token's ID in the GraphQL API."`
	Description        string              `json:"description" doc:"What the token is for."`
	AllowedIPAddresses *string             `json:"allowed_ip_addresses" doc:"CIDRs that agents can connect from, separated by spaces. Null or empty for all."`
	ExpiresAt          *endpoint.Timestamp `json:"expires_at" doc:"When the token stops working. Null for never."`
	URL                string              `json:"url" format:"uri" doc:"The token in this API."`
	ClusterURL         string              `json:"cluster_url" format:"uri" doc:"The token's cluster in this API."`
	CreatedAt          endpoint.Timestamp  `json:"created_at" doc:"When the token was created."`
	CreatedBy          *userAnswer         `json:"created_by" doc:"Who created the token. Null if they are gone."`
}

type newAgentTokenAnswer struct {
	agentTokenAnswer `json:",inline"`
	Token            string `json:"token" doc:"The token's value. It is not shown again."`
}

func (a *API) showAgentToken(t domain.AgentTokenView) agentTokenAnswer {
	cluster := a.clusterURL(t.OrganizationSlug, t.ClusterID)
	return agentTokenAnswer{
		ID:                 t.ID,
		GraphQLID:          domain.GraphQLID("ClusterToken", t.ID),
		Description:        t.Description,
		AllowedIPAddresses: t.AllowedIPAddresses,
		ExpiresAt:          endpoint.NullTimestamp(t.ExpiresAt),
		URL:                cluster + "/tokens/" + string(t.ID),
		ClusterURL:         cluster,
		CreatedAt:          endpoint.Timestamp(t.CreatedAt),
		CreatedBy:          a.showUser(t.CreatedBy),
	}
}
