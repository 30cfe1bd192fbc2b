package rest

import (
	"net/http"

	"penstock/internal/domain"
)

var agentTokenEndpoints = []endpoint{
	{
		methods: get, path: inCluster + "/tokens", operation: "listClusterTokens", summary: "Lists a cluster's agent tokens, the oldest first.",
		scope: string(domain.ScopeReadClusters), answer: []agentTokenAnswer{}, list: pageList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return paged(c, func(page domain.Page) (domain.Paged[domain.AgentTokenView], error) {
				return c.api.Service.AgentTokens(c.Context(), c.actor(), c.clusterRef(), page)
			}, c.agentTokenToAnswer)
		},
	},
	{
		methods: post, path: inCluster + "/tokens", operation: "createClusterToken",
		summary: "Creates an agent token. Its value is in this answer and nowhere else.",
		scope:   string(domain.ScopeWriteClusters), body: agentTokenBody{}, answer: newAgentTokenAnswer{}, status: http.StatusCreated,
		handle: func(c *call) (any, error) {
			t, value, err := c.api.Service.CreateAgentToken(c.Context(), c.actor(), c.clusterRef(), body(c, agentTokenBody.input))
			return newAgentTokenAnswer{c.agentTokenToAnswer(t), value.Reveal()}, err
		},
	},
	{
		methods: get, path: inCluster + "/tokens/{id}", operation: "getClusterToken", summary: "Gets an agent token, without its value.",
		scope: string(domain.ScopeReadClusters), answer: agentTokenAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			t, err := c.api.Service.AgentToken(c.Context(), c.actor(), c.clusterRef(), c.Path("id"))
			return c.agentTokenToAnswer(t), err
		},
	},
	{
		methods: update, path: inCluster + "/tokens/{id}", operation: "updateClusterToken", summary: "Changes an agent token. Its expiry stays.",
		scope: string(domain.ScopeWriteClusters), body: agentTokenBody{}, answer: agentTokenAnswer{}, status: http.StatusOK, tagged: true,
		errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			t, err := c.api.Service.UpdateAgentToken(c.Context(), c.actor(), c.clusterRef(), c.Path("id"),
				body(c, agentTokenBody.input), expect(c, c.agentTokenToAnswer))
			return c.agentTokenToAnswer(t), err
		},
	},
	{
		methods: remove, path: inCluster + "/tokens/{id}", operation: "deleteClusterToken", summary: "Revokes an agent token.",
		scope: string(domain.ScopeWriteClusters), status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.DeleteAgentToken(c.Context(), c.actor(), c.clusterRef(), c.Path("id"), expect(c, c.agentTokenToAnswer))
		},
	},
}

type agentTokenBody struct {
	Description        domain.Optional[string] `json:"description" required:"create" doc:"What the token is for. At most 10,000 characters, and not blank."`
	AllowedIPAddresses domain.Optional[string] `json:"allowed_ip_addresses" doc:"Up to 24 CIDRs that agents may connect from, with spaces between. Null or empty for all."`
	ExpiresAt          domain.Optional[string] `json:"expires_at" format:"date-time" doc:"When the token stops working, at least 10 minutes ahead. Null for never. Can't be changed."`
}

func (b agentTokenBody) input() domain.AgentTokenInput {
	return domain.AgentTokenInput{Description: b.Description, AllowedIPAddresses: b.AllowedIPAddresses, ExpiresAt: b.ExpiresAt}
}

type agentTokenAnswer struct {
	ID                 domain.AgentTokenID `json:"id" format:"uuid" doc:"The token's UUID."`
	GraphQLID          string              `json:"graphql_id" doc:"The token's ID in the GraphQL API."`
	Description        string              `json:"description" doc:"What the token is for."`
	AllowedIPAddresses *string             `json:"allowed_ip_addresses" doc:"CIDRs that agents may connect from, with spaces between. Null or empty for all."`
	ExpiresAt          *timestamp          `json:"expires_at" doc:"When the token stops working. Null for never."`
	URL                string              `json:"url" format:"uri" doc:"The token in this API."`
	ClusterURL         string              `json:"cluster_url" format:"uri" doc:"The token's cluster in this API."`
	CreatedAt          timestamp           `json:"created_at" doc:"When the token was created."`
	CreatedBy          *userAnswer         `json:"created_by" doc:"Who created the token. Null if they are gone."`
}

type newAgentTokenAnswer struct {
	agentTokenAnswer `json:",inline"`
	Token            string `json:"token" doc:"The token's value. It is not shown again."`
}

func (c *call) agentTokenToAnswer(t domain.AgentTokenView) agentTokenAnswer {
	cluster := c.clusterURL(t.OrganizationSlug, t.ClusterID)
	return agentTokenAnswer{
		ID:                 t.ID,
		GraphQLID:          domain.GraphQLID("ClusterToken", t.ID),
		Description:        t.Description,
		AllowedIPAddresses: t.AllowedIPAddresses,
		ExpiresAt:          nullTimestamp(t.ExpiresAt),
		URL:                cluster + "/tokens/" + string(t.ID),
		ClusterURL:         cluster,
		CreatedAt:          timestamp(t.CreatedAt),
		CreatedBy:          c.userToAnswer(t.CreatedBy),
	}
}
