package rest

import (
	"net/http"

	"penstock/internal/domain"
)

var maintainerEndpoints = []endpoint{
	{
		methods: get, path: inCluster + "/maintainers", operation: "listClusterMaintainers", summary: "Lists a cluster's maintainers, the first added first.",
		scope: string(domain.ScopeReadClusters), answer: []maintainerAnswer{}, list: pageList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return paged(c, func(page domain.Page) (domain.Paged[domain.Maintainer], error) {
				return c.api.Service.Maintainers(c.Context(), c.actor(), c.clusterRef(), page)
			}, maintainerToAnswer)
		},
	},
	{
		methods: post, path: inCluster + "/maintainers", operation: "createClusterMaintainer", summary: "Makes a user or a team a maintainer of a cluster.",
		scope: string(domain.ScopeWriteClusters), body: maintainerBody{}, answer: maintainerAnswer{}, status: http.StatusCreated, tagged: true,
		handle: func(c *call) (any, error) {
			m, err := c.api.Service.AddMaintainer(c.Context(), c.actor(), c.clusterRef(), body(c, maintainerBody.input))
			return maintainerToAnswer(m), err
		},
	},
	{
		methods: get, path: inCluster + "/maintainers/{id}", operation: "getClusterMaintainer", summary: "Gets a maintainer of a cluster.",
		scope: string(domain.ScopeReadClusters), answer: maintainerAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			m, err := c.api.Service.Maintainer(c.Context(), c.actor(), c.clusterRef(), c.Path("id"))
			return maintainerToAnswer(m), err
		},
	},
	{
		methods: remove, path: inCluster + "/maintainers/{id}", operation: "deleteClusterMaintainer", summary: "Takes a maintainer's permission away.",
		scope: string(domain.ScopeWriteClusters), status: http.StatusNoContent, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.RemoveMaintainer(c.Context(), c.actor(), c.clusterRef(), c.Path("id"),
				expect(c, maintainerToAnswer))
		},
	},
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
	Email     string `json:"email,omitzero" doc:"The user's e-mail address. Teams have none."`
	Slug      string `json:"slug,omitzero" doc:"The team's name in URLs. Users have none."`
	Type      string `json:"type" enum:"user,team" doc:"Whether it is a user or a team."`
}

func maintainerToAnswer(m domain.Maintainer) maintainerAnswer {
	answer := maintainerAnswer{ID: m.ID}
	switch {
	case m.User != nil:
		answer.Actor = maintainerActor{
			ID: string(m.User.ID), GraphQLID: domain.GraphQLID("User", m.User.ID), Name: m.User.Name, Email: m.User.Email, Type: "user",
		}
	case m.Team != nil:
		answer.Actor = maintainerActor{
			ID: string(m.Team.ID), GraphQLID: domain.GraphQLID("Team", m.Team.ID), Name: m.Team.Name, Slug: m.Team.Slug, Type: "team",
		}
	}
	return answer
}
