package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inBanner = inOrganization + "/banner"

func (a *API) organizationBannerEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inBanner, Operation: "getOrganizationBanner", Summary: "Gets what an organization " +
				"says on top of its pages.",
			Scope: domain.ScopeReadOrganizations, Answer: organizationBannerAnswer{}, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				banner, err := a.Service.OrganizationBanner(c.Context(), c.Actor(), organizationRef(c))
				return showBanner(banner), err
			},
		},
		{
			Method: http.MethodPut, Path: inBanner, Operation: "setOrganizationBanner", Summary: "Sets what an organization " +
				"says on top of its pages. Administrators only.",
			Scope: domain.ScopeWriteOrganizations, Body: organizationBannerBody{}, Answer: organizationBannerAnswer{},
			Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				banner, err := a.Service.SetOrganizationBanner(c.Context(), c.Actor(), organizationRef(c),
					readBody(c, organizationBannerBody.input))
				return showBanner(banner), err
			},
		},
		{
			Method: http.MethodDelete, Path: inBanner, Operation: "deleteOrganizationBanner",
			Summary: "Deletes what an organization says on top of its pages. Administrators only.",
			Scope:   domain.ScopeWriteOrganizations, Status: http.StatusNoContent,
			Handle: func(c *endpoint.Call) (any, error) {
				_, err := a.Service.DeleteOrganizationBanner(c.Context(), c.Actor(), organizationRef(c))
				return nil, err
			},
		},
	}
}

type organizationBannerBody struct {
	Message domain.Optional[string] `json:"message" required:"true" doc:"The text. 1 to 2,000 characters."`
}

func (b organizationBannerBody) input() domain.OrganizationBannerInput {
	return domain.OrganizationBannerInput{Message: b.Message}
}

type organizationBannerAnswer struct {
	UUID      domain.OrganizationBannerID `json:"uuid" format:"uuid" doc:"The banner's UUID."`
	GraphQLID string                      `json:"graphql_id" doc:"The banner's ID in the GraphQL API."`
	Message   string                      `json:"message" doc:"The text."`
	CreatedAt endpoint.Timestamp          `json:"created_at" doc:"When the organization first had a banner."`
	UpdatedAt endpoint.Timestamp          `json:"updated_at" doc:"When the text was set last."`
}

func showBanner(b domain.OrganizationBanner) organizationBannerAnswer {
	return organizationBannerAnswer{UUID: b.ID, GraphQLID: domain.GraphQLID("OrganizationBanner", b.ID),
		Message:   b.Message,
		CreatedAt: endpoint.Timestamp(b.CreatedAt), UpdatedAt: endpoint.Timestamp(b.UpdatedAt)}
}
