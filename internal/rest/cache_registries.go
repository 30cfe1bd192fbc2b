package rest

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

const inRegistry = inCluster + "/cache-registries/{id}"

func (a *API) cacheRegistryEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: inCluster + "/cache-registries", Operation: "listCacheRegistries",
			Summary: "Lists a cluster's cache registries, by slug.",
			Scope:   domain.ScopeReadClusters, Answer: endpoint.CursorAnswer[cacheRegistryAnswer]{}, List: endpoint.CursorList,
			Status: http.StatusOK,
			Handle: func(c *endpoint.Call) (any, error) {
				return endpoint.AnswerCursorPage(c, func(page domain.CursorPage) (domain.CursorPaged[domain.CacheRegistryView],
					error) {
					return a.Service.CacheRegistries(c.Context(), c.Actor(), clusterRef(c), page)
				}, a.showCacheRegistry)
			},
		},
		{
			Method: http.MethodPost, Path: inCluster + "/cache-registries", Operation: "createCacheRegistry",
			Summary: "Creates a cache registry in a cluster.",
			Scope:   domain.ScopeWriteClusters, Body: cacheRegistryCreateBody{}, StrictBody: true, Answer: cacheRegistryAnswer{},
			Status: http.StatusCreated, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				r, err := a.Service.CreateCacheRegistry(c.Context(), c.Actor(), clusterRef(c),
					readBody(c, cacheRegistryCreateBody.input))
				return a.showCacheRegistry(r), err
			},
		},
		{
			Method: http.MethodGet, Path: inRegistry, Operation: "getCacheRegistry", Summary: "Gets a cache registry.",
			Scope: domain.ScopeReadClusters, Answer: cacheRegistryAnswer{}, Status: http.StatusOK, Tagged: true,
			Handle: func(c *endpoint.Call) (any, error) {
				r, err := a.Service.CacheRegistry(c.Context(), c.Actor(), clusterRef(c), c.Path("id"))
				return a.showCacheRegistry(r), err
			},
		},
		{
			Method: http.MethodPatch, Path: inRegistry, Operation: "updateCacheRegistry", Summary: "Changes a cache registry. " +
				"What is left out stays as it is.",
			Scope: domain.ScopeWriteClusters, Body: cacheRegistryUpdateBody{}, StrictBody: true, Answer: cacheRegistryAnswer{},
			Status: http.StatusOK, Tagged: true, Errors: []int{http.StatusPreconditionFailed},
			Handle: func(c *endpoint.Call) (any, error) {
				r, err := a.Service.UpdateCacheRegistry(c.Context(), c.Actor(), clusterRef(c), c.Path("id"),
					readBody(c, cacheRegistryUpdateBody.input), requireMatch(c, a.showCacheRegistry))
				return a.showCacheRegistry(r), err
			},
		},
		{
			Method: http.MethodDelete, Path: inRegistry, Operation: "deleteCacheRegistry", Summary: "Deletes a cache registry " +
				"that is not the cluster's default.",
			Scope: domain.ScopeWriteClusters, Status: http.StatusNoContent,
			Errors: []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
			Handle: func(c *endpoint.Call) (any, error) {
				return nil, a.Service.DeleteCacheRegistry(c.Context(), c.Actor(), clusterRef(c), c.Path("id"),
					requireMatch(c, a.showCacheRegistry))
			},
		},
	}
}

type cacheRegistryCreateBody struct {
	Name             domain.Optional[string] `json:"name" required:"true" doc:"1 to 255 characters. The slug comes from it."`
	domain.LookInput `json:",inline"`
	Policy           domain.Optional[jsontext.Value] `json:"policy" schema:"CachePolicyBody" doc:"Which jobs may save and restore entries. Left out or null: all."`
}

type cacheRegistryUpdateBody struct {
	Name             domain.Optional[string] `json:"name" nullable:"false" doc:"1 to 255 characters. A new name changes the slug."`
	domain.LookInput `json:",inline"`
	Policy           domain.Optional[jsontext.Value] `json:"policy" schema:"CachePolicyBody" doc:"Replaces the whole policy. Null: no job may save or restore."`
}

func (b cacheRegistryCreateBody) input() domain.CacheRegistryInput {
	return cacheRegistryUpdateBody(b).input()
}

func (b cacheRegistryUpdateBody) input() domain.CacheRegistryInput {
	return domain.CacheRegistryInput{
		Name:      b.Name,
		LookInput: b.LookInput,
		Policy:    domain.Optional[[]byte]{Value: b.Policy.Value, Given: b.Policy.Given, Null: b.Policy.Null},
	}
}

type cacheRegistryAnswer struct {
	UUID        domain.CacheRegistryID `json:"uuid" format:"uuid" doc:"The registry's UUID."`
	Slug        string                 `json:"slug" doc:"Made from the name. Unique in the cluster."`
	Name        string                 `json:"name" doc:"The registry's name."`
	domain.Look `json:",inline"`
	Policy      jsontext.Value     `json:"policy" schema:"CachePolicy" nullable:"true" doc:"Which jobs may save and restore entries. Null: none."`
	Default     bool               `json:"default" doc:"Whether this is the cluster's default registry."`
	CreatedAt   endpoint.Timestamp `json:"created_at" doc:"When the registry was created."`
	UpdatedAt   endpoint.Timestamp `json:"updated_at" doc:"When the registry was last changed."`
	URL         string             `json:"url" format:"uri" doc:"The registry in this API."`
	ClusterURL  string             `json:"cluster_url" format:"uri" doc:"The registry's cluster in this API."`
}

func (a *API) showCacheRegistry(r domain.CacheRegistryView) cacheRegistryAnswer {
	cluster := a.clusterURL(r.OrganizationSlug, r.ClusterID)
	policy := jsontext.Value("null")
	if r.Policy != nil {
		policy = jsontext.Value(*r.Policy)
	}
	return cacheRegistryAnswer{
		UUID:       r.ID,
		Slug:       r.Slug,
		Name:       r.Name,
		Look:       r.Look,
		Policy:     policy,
		Default:    r.Default,
		CreatedAt:  endpoint.Timestamp(r.CreatedAt),
		UpdatedAt:  endpoint.Timestamp(r.UpdatedAt),
		URL:        cluster + "/cache-registries/" + string(r.ID),
		ClusterURL: cluster,
	}
}
