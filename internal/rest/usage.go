package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) usageEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inOrganization + "/usage", Operation: "getUsage",
			Summary: "Gets how many users an organization and its billing children are currently billed for.",
			Scope:   domain.ScopeReadOrganizations, Answer: usageAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				usage, err := a.Service.Usage(c.Context(), c.Actor(), c.Path("org"))
				return usageAnswer{usage.ActiveUsers}, err
			},
		},
	}
}

type usageAnswer struct {
	ActiveUsersCount int64 `json:"active_users_count" doc:"Distinct active users: for a monthly plan, in the current billing period; for an annual plan, the monthly average over this calendar month and the six before it."`
}
