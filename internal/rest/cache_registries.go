package rest

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/domain"
)

const inRegistry = inCluster + "/cache-registries/{id}"

var cacheRegistryEndpoints = []endpoint{
	{
		methods: get, path: inCluster + "/cache-registries", operation: "listCacheRegistries", summary: "Lists a cluster's cache registries, by slug.",
		scope: string(domain.ScopeReadClusters), answer: cursorAnswer[cacheRegistryAnswer]{}, list: cursorList, status: http.StatusOK,
		handle: func(c *call) (any, error) {
			return cursorPaged(c, func(page domain.CursorPage) (domain.CursorPaged[domain.CacheRegistryView], error) {
				return c.api.Service.CacheRegistries(c.Context(), c.actor(), c.clusterRef(), page)
			}, c.cacheRegistryToAnswer)
		},
	},
	{
		methods: post, path: inCluster + "/cache-registries", operation: "createCacheRegistry", summary: "Creates a cache registry in a cluster.",
		scope: string(domain.ScopeWriteClusters), body: cacheRegistryCreateBody{}, strict: true, answer: cacheRegistryAnswer{},
		status: http.StatusCreated, tagged: true,
		handle: func(c *call) (any, error) {
			r, err := c.api.Service.CreateCacheRegistry(c.Context(), c.actor(), c.clusterRef(), body(c, cacheRegistryCreateBody.input))
			return c.cacheRegistryToAnswer(r), err
		},
	},
	{
		methods: get, path: inRegistry, operation: "getCacheRegistry", summary: "Gets a cache registry.",
		scope: string(domain.ScopeReadClusters), answer: cacheRegistryAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			r, err := c.api.Service.CacheRegistry(c.Context(), c.actor(), c.clusterRef(), c.Path("id"))
			return c.cacheRegistryToAnswer(r), err
		},
	},
	{
		methods: patch, path: inRegistry, operation: "updateCacheRegistry", summary: "Changes a cache registry. What is left out stays as it is.",
		scope: string(domain.ScopeWriteClusters), body: cacheRegistryUpdateBody{}, strict: true, answer: cacheRegistryAnswer{},
		status: http.StatusOK, tagged: true, errors: []int{http.StatusPreconditionFailed},
		handle: func(c *call) (any, error) {
			r, err := c.api.Service.UpdateCacheRegistry(c.Context(), c.actor(), c.clusterRef(), c.Path("id"),
				body(c, cacheRegistryUpdateBody.input), expect(c, c.cacheRegistryToAnswer))
			return c.cacheRegistryToAnswer(r), err
		},
	},
	{
		methods: remove, path: inRegistry, operation: "deleteCacheRegistry", summary: "Deletes a cache registry that is not the cluster's default.",
		scope: string(domain.ScopeWriteClusters), status: http.StatusNoContent,
		errors: []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.DeleteCacheRegistry(c.Context(), c.actor(), c.clusterRef(), c.Path("id"),
				expect(c, c.cacheRegistryToAnswer))
		},
	},
}

type cacheRegistryCreateBody struct {
	Name        domain.Optional[string]         `json:"name" required:"true" doc:"1 to 255 characters. The slug is made from it."`
	Description domain.Optional[string]         `json:"description" doc:"At most 10,000 characters."`
	Emoji       domain.Optional[string]         `json:"emoji" doc:"An emoji's name between colons, such as :rocket:."`
	Color       domain.Optional[string]         `json:"color" pattern:"^(#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}))?$" doc:"# and 3 or 6 hexadecimal digits."`
	Policy      domain.Optional[jsontext.Value] `json:"policy" schema:"CachePolicyBody" doc:"Which jobs may save and restore entries. Left out or null: all."`
}

type cacheRegistryUpdateBody struct {
	Name        domain.Optional[string]         `json:"name" nullable:"false" doc:"1 to 255 characters. A new name makes a new slug."`
	Description domain.Optional[string]         `json:"description" doc:"At most 10,000 characters. Null for none."`
	Emoji       domain.Optional[string]         `json:"emoji" doc:"An emoji's name between colons, such as :rocket:. Null for none."`
	Color       domain.Optional[string]         `json:"color" pattern:"^(#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}))?$" doc:"# and 3 or 6 hexadecimal digits. Null for none."`
	Policy      domain.Optional[jsontext.Value] `json:"policy" schema:"CachePolicyBody" doc:"Replaces the whole policy. Null: no job may save or restore."`
}

func (b cacheRegistryCreateBody) input() domain.CacheRegistryInput {
	return cacheRegistryUpdateBody(b).input()
}

func (b cacheRegistryUpdateBody) input() domain.CacheRegistryInput {
	return domain.CacheRegistryInput{
		Name:        b.Name,
		Description: b.Description,
		Emoji:       b.Emoji,
		Color:       b.Color,
		Policy:      domain.Optional[[]byte]{Value: b.Policy.Value, Given: b.Policy.Given, Null: b.Policy.Null},
	}
}

type cacheRegistryAnswer struct {
	UUID        domain.CacheRegistryID `json:"uuid" format:"uuid" doc:"The registry's UUID."`
	Slug        string                 `json:"slug" doc:"Made from the name. Unique in the cluster."`
	Name        string                 `json:"name" doc:"The registry's name."`
	Description *string                `json:"description" doc:"What the registry is for."`
	Emoji       *string                `json:"emoji" doc:"An emoji's name between colons."`
	Color       *string                `json:"color" doc:"# and 3 or 6 hexadecimal digits."`
	Policy      jsontext.Value         `json:"policy" schema:"CachePolicy" nullable:"true" doc:"Which jobs may save and restore entries. Null: none."`
	Default     bool                   `json:"default" doc:"Whether this is the cluster's default registry."`
	CreatedAt   timestamp              `json:"created_at" doc:"When the registry was created."`
	UpdatedAt   timestamp              `json:"updated_at" doc:"When the registry was last changed."`
	URL         string                 `json:"url" format:"uri" doc:"The registry in this API."`
	ClusterURL  string                 `json:"cluster_url" format:"uri" doc:"The registry's cluster in this API."`
}

func (c *call) cacheRegistryToAnswer(r domain.CacheRegistryView) cacheRegistryAnswer {
	cluster := c.clusterURL(r.OrganizationSlug, r.ClusterID)
	policy := jsontext.Value("null")
	if r.Policy != nil {
		policy = jsontext.Value(*r.Policy)
	}
	return cacheRegistryAnswer{
		UUID:        r.ID,
		Slug:        r.Slug,
		Name:        r.Name,
		Description: r.Description,
		Emoji:       r.Emoji,
		Color:       r.Color,
		Policy:      policy,
		Default:     r.Default,
		CreatedAt:   timestamp(r.CreatedAt),
		UpdatedAt:   timestamp(r.UpdatedAt),
		URL:         cluster + "/cache-registries/" + string(r.ID),
		ClusterURL:  cluster,
	}
}
