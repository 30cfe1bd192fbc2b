package rest

import (
	"net/http"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

func (a *API) maintainerEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inCluster + "/maintainers", Operation: "listClusterMaintainers",
			Summary: "Lists a cluster's maintainers, the first added first.",
			Scope:   domain.ScopeReadClusters, Answer: []maintainerAnswer{}, List: endpoint.PageList, Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerPage(c, func(page domain.Page) (domain.Paged[domain.Maintainer], error) {
					return a.Service.Maintainers(c.Context(), c.Actor(), clusterRef(c), page)
				}, showMaintainer)
			},
		},
		{
			Method: http.MethodPost, Path: inCluster + "/maintainers", Operation: "createClusterMaintainer",
			Summary: "Makes a user or a team a maintainer of a cluster.",
			Scope:   domain.ScopeWriteClusters, Body: maintainerBody{}, Answer: maintainerAnswer{}, Status: http.StatusCreated,
			Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				m, err := a.Service.AddMaintainer(c.Context(), c.Actor(), clusterRef(c), readBody(c, maintainerBody.input))
				return showMaintainer(m), err
			},
		},
		{
			Method: http.MethodGet, Path: inCluster + "/maintainers/{id}", Operation: "getClusterMaintainer",
			Summary: "Gets a maintainer of a cluster.",
			Scope:   domain.ScopeReadClusters, Answer: maintainerAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				m, err := a.Service.Maintainer(c.Context(), c.Actor(), clusterRef(c), c.Path("id"))
				return showMaintainer(m), err
			},
		},
		{
			Method: http.MethodDelete, Path: inCluster + "/maintainers/{id}", Operation: "deleteClusterMaintainer",
			Summary: "Takes a maintainer's permission away.",
			Scope:   domain.ScopeWriteClusters, Status: http.StatusNoContent, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Service.RemoveMaintainer(c.Context(), c.Actor(), clusterRef(c), c.Path("id"),
					requireMatch(c, showMaintainer))
			},
		},
	}
}

type maintainerBody struct {
	User domain.Optional[string] `json:"user" oneOf:"true" format:"uuid" doc:"The UUID of a member of the organization."`
	Team domain.Optional[string] `json:"team" oneOf:"true" format:"uuid" doc:"The UUID of a team of the organization."`
}

func (b maintainerBody) input() domain.MaintainerInput {
	return domain.MaintainerInput{User: b.User, Team: b.Team}
}

type maintainerAnswer struct {
	ID    domain.MaintainerID `json:"id" format:"uuid" doc:"The UUID of the grant, not of the user or team."`
	Actor maintainerActor     `json:"actor" doc:"The user or team."`
}

type maintainerActor struct {
	ID        string `json:"id" format:"uuid" doc:"The UUID of the user or team."`
	GraphQLID string `json:"graphql_id" doc:"The ID of the user or team in the GraphQL API."`
	Name      string `json:"name" doc:"The name of the user or team."`
	Email     string `json:"email,omitzero" doc:"The user's email address. Teams have none."`
	Slug      string `json:"slug,omitzero" doc:"The team's name in URLs. Users have none."`
	Type      string `json:"type" enum:"user,team" doc:"Whether it is a user or a team."`
}

func showMaintainer(m domain.Maintainer) maintainerAnswer {
	answer := maintainerAnswer{ID: m.ID}
	switch {
	case m.User != nil:
		answer.Actor = maintainerActor{
			ID: string(m.User.ID), GraphQLID: domain.GraphQLID("User", m.User.ID), Name: m.User.Name, Email: m.User.Email,
			Type: "user",
		}
	case m.Team != nil:
		answer.Actor = maintainerActor{
			ID: string(m.Team.ID), GraphQLID: domain.GraphQLID("Team", m.Team.ID), Name: m.Team.Name, Slug: m.Team.Slug,
			Type: "team",
		}
	}
	return answer
}
