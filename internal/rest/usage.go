package rest

import (
	"net/http"

	"penstock/internal/domain"
)

var usageEndpoints = []endpoint{
	{
		methods: get, path: inOrganization + "/usage", operation: "getUsage",
		summary: "Gets how many users an organization, with its billing children, is billed for at this moment.",
		scope:   string(domain.ScopeReadOrganizations), answer: usageAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			usage, err := c.api.Service.Usage(c.Context(), c.actor(), c.Path("org"))
			return usageAnswer{usage.ActiveUsers}, err
		},
	},
}

type usageAnswer struct {
	ActiveUsersCount int64 `json:"active_users_count" doc:"Distinct users who were active: in the present billing period for a monthly plan, and a month on average, over this calendar month and the six before it, for an annual one."`
}
