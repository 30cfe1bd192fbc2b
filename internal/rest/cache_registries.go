package rest

import (
	"net/http"
	"net/url"
	"strconv"

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
				return c.api.Service.CacheRegistries(c.r.Context(), c.actor(), c.clusterRef(), page)
			}, c.cacheRegistryToAnswer)
		},
	},
	{
		methods: post, path: inCluster + "/cache-registries", operation: "createCacheRegistry", summary: "Creates a cache registry in a cluster.",
		scope: string(domain.ScopeWriteClusters), body: cacheRegistryCreateBody{}, strict: true, answer: cacheRegistryAnswer{},
		status: http.StatusCreated, tagged: true, errors: []int{http.StatusUnprocessableEntity},
		handle: func(c *call) (any, error) {
			r, err := c.api.Service.CreateCacheRegistry(c.r.Context(), c.actor(), c.clusterRef(), strictBody(c, cacheRegistryCreateBody.input))
			return c.cacheRegistryToAnswer(r), err
		},
	},
	{
		methods: get, path: inRegistry, operation: "getCacheRegistry", summary: "Gets a cache registry.",
		scope: string(domain.ScopeReadClusters), answer: cacheRegistryAnswer{}, status: http.StatusOK, tagged: true,
		handle: func(c *call) (any, error) {
			r, err := c.api.Service.CacheRegistry(c.r.Context(), c.actor(), c.clusterRef(), c.r.PathValue("id"))
			return c.cacheRegistryToAnswer(r), err
		},
	},
	{
		methods: patch, path: inRegistry, operation: "updateCacheRegistry", summary: "Changes a cache registry. What is left out stays as it is.",
		scope: string(domain.ScopeWriteClusters), body: cacheRegistryUpdateBody{}, strict: true, answer: cacheRegistryAnswer{},
		status: http.StatusOK, tagged: true, errors: []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
		handle: func(c *call) (any, error) {
			r, err := c.api.Service.UpdateCacheRegistry(c.r.Context(), c.actor(), c.clusterRef(), c.r.PathValue("id"),
				strictBody(c, cacheRegistryUpdateBody.input), expect(c, c.cacheRegistryRepresentations))
			return c.cacheRegistryToAnswer(r), err
		},
	},
	{
		methods: remove, path: inRegistry, operation: "deleteCacheRegistry", summary: "Deletes a cache registry that is not the cluster's default.",
		scope: string(domain.ScopeWriteClusters), status: http.StatusNoContent,
		errors: []int{http.StatusPreconditionFailed, http.StatusUnprocessableEntity},
		handle: func(c *call) (any, error) {
			return nil, c.api.Service.DeleteCacheRegistry(c.r.Context(), c.actor(), c.clusterRef(), c.r.PathValue("id"),
				expect(c, c.cacheRegistryRepresentations))
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

func (c *call) cacheRegistryRepresentations(r domain.CacheRegistryView) []any {
	return []any{c.cacheRegistryToAnswer(r)}
}

// cursorAnswer is a part of a list that is paged by cursors.
type cursorAnswer[A any] struct {
	Items []A         `json:"items" doc:"The items, in the order of the list."`
	Links cursorLinks `json:"links" doc:"Where the rest of the list is."`
}

type cursorLinks struct {
	Self  string `json:"self" format:"uri" doc:"This part of the list."`
	First string `json:"first,omitzero" format:"uri" doc:"The beginning of the list. Absent there."`
	Prev  string `json:"prev,omitzero" format:"uri" doc:"The part before this one. Absent at the beginning."`
	Next  string `json:"next,omitzero" format:"uri" doc:"The part after this one. Absent at the end."`
}

// cursorPaged answers with a part of a list and the links to its neighbours.
func cursorPaged[T, A any](c *call, list func(domain.CursorPage) (domain.CursorPaged[T], error), show func(T) A) (any, error) {
	page, pageErr := c.cursorPage()
	if pageErr != nil {
		page = domain.CursorPage{Size: 1} // whether the caller may ask at all comes first
	}
	found, err := list(page)
	if err != nil {
		return nil, err
	}
	if pageErr != nil {
		return nil, pageErr
	}
	answer := cursorAnswer[A]{Items: make([]A, len(found.Items))}
	for i, item := range found.Items {
		answer.Items[i] = show(item)
	}
	query, _ := c.query()
	link := func(change func(url.Values)) string {
		changed := url.Values{}
		for name, values := range query {
			changed[name] = values
		}
		change(changed)
		if len(changed) == 0 {
			return c.api.BaseURL + c.r.URL.EscapedPath()
		}
		return c.api.BaseURL + c.r.URL.EscapedPath() + "?" + changed.Encode()
	}
	at := func(name, cursor string) string {
		return link(func(q url.Values) {
			q.Del("after")
			q.Del("before")
			if name != "" {
				q.Set(name, cursor)
			}
		})
	}
	answer.Links.Self = link(func(url.Values) {})
	if found.Prev != "" {
		answer.Links.First = at("", "")
		answer.Links.Prev = at("before", found.Prev)
	}
	if found.Next != "" {
		answer.Links.Next = at("after", found.Next)
	}
	return answer, nil
}

// cursorPage reads the request's per_page, after and before.
func (c *call) cursorPage() (domain.CursorPage, error) {
	query, err := c.query()
	if err != nil {
		return domain.CursorPage{}, err
	}
	page := domain.CursorPage{Size: defaultPageSize}
	if query.Has("per_page") {
		size, err := strconv.ParseUint(query.Get("per_page"), 10, 31) // no sign
		if err != nil || size < 1 || size > maxPageSize {
			return page, domain.NewError(domain.Malformed, "per_page must be a number from 1 to "+strconv.Itoa(maxPageSize))
		}
		page.Size = int64(size)
	}
	for name, target := range map[string]**string{"after": &page.After, "before": &page.Before} {
		if query.Has(name) {
			cursor := query.Get(name)
			*target = &cursor
		}
	}
	return page, nil
}
