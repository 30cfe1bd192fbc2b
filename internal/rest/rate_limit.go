package rest

import (
	"net/http"

	"penstock/internal/endpoint"
	"penstock/internal/httpcall"
)

func (a *API) rateLimitEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{{
		Method: http.MethodGet, Path: inOrganization + "/rate_limit", Operation: "getRateLimit",
		Summary: "Gets how much of its rate limits the organization has used. Each node of an installation counts " +
			"separately. Needs no scope.",
		Answer: rateLimitAnswer{}, Status: http.StatusOK,
		Handle: func(c *endpoint.Call) (any, error) {
			organization, err := a.Service.LimitedOrganization(c.Context(), c.Actor(), c.Path(endpoint.OrganizationParameter))
			if err != nil {
				return nil, err
			}
			return rateLimitAnswer{rateLimitScopes{
				REST:    showLimitUse(a.organizationLimit.Use(string(organization), c.Start)),
				GraphQL: showLimitUse(a.GraphQLUse(organization)),
			}}, nil
		},
	}}
}

type rateLimitAnswer struct {
	Scopes rateLimitScopes `json:"scopes" doc:"The limits, by what they are for."`
}

type rateLimitScopes struct {
	REST    limitUseAnswer `json:"rest" doc:"Requests to the REST API, in windows of 60 seconds."`
	GraphQL limitUseAnswer `json:"graphql" doc:"Complexity of what the GraphQL API answered, in windows of 300 seconds."`
}

type limitUseAnswer struct {
	Limit    int                `json:"limit" doc:"How much may be used in a window. 0 if there is no limit."`
	Current  int                `json:"current" doc:"How much was used in this window."`
	Reset    int                `json:"reset" doc:"Seconds until the window ends."`
	ResetAt  endpoint.Timestamp `json:"reset_at" doc:"When the window ends."`
	Enforced bool               `json:"enforced" doc:"Whether there is a limit."`
}

func showLimitUse(use httpcall.LimitUse) limitUseAnswer {
	return limitUseAnswer{Limit: use.Limit, Current: use.Current, Reset: use.ResetSeconds(),
		ResetAt: endpoint.Timestamp(use.ResetAt), Enforced: use.Limit > 0}
}
