package agentapi

import (
	"net/http"
	"time"

	"penstock/internal/domain"
)

// cacheBody is how large the body of a call about caches can be: keys and paths can be long.
const cacheBody = 1 << 20

func (a *API) cacheEndpoints() []endpoint {
	const registry = "cache_registries/{registry}"
	return []endpoint{
		{method: http.MethodGet, path: registry, handle: getCacheRegistry},
		{method: http.MethodPost, path: registry + "/peek", maxBody: cacheBody, handle: peekCache},
		{method: http.MethodPut, path: registry + "/store", maxBody: cacheBody, handle: saveCache},
		{method: http.MethodPut, path: registry + "/commit", handle: commitCache},
		{method: http.MethodPost, path: registry + "/retrieve", maxBody: cacheBody, handle: retrieveCache},
		{method: http.MethodPost, path: registry + "/expire", maxBody: cacheBody, handle: expireCache},
	}
}

func getCacheRegistry(c *call) (any, error) {
	registry, err := c.api.Caches.CacheRegistry(c.Context(), c.actor(), c.id("registry"))
	return map[string]string{"uuid": string(registry.ID), "name": registry.Name, "store": domain.AgentManagedStore}, err
}

// cacheEntry is an entry as agents are told of it.
type cacheEntry struct {
	TargetPaths []string              `json:"target_paths"`
	CacheKey    []domain.CacheKeyPart `json:"cache_key"`
	Blobs       []domain.CacheBlob    `json:"blobs"`
	Store       string                `json:"store"`
}

func newCacheEntry(e *domain.CacheEntry) cacheEntry {
	return cacheEntry{e.TargetPaths, e.Key, e.Blobs, domain.AgentManagedStore}
}

func peekCache(c *call) (any, error) {
	var asked domain.CacheAddress
	if err := c.decode(&asked); err != nil {
		return nil, err
	}
	entry, err := c.api.Caches.PeekCache(c.Context(), c.actor(), c.id("registry"), asked)
	return newCacheEntry(&entry), err
}

func saveCache(c *call) (any, error) {
	var in struct {
		domain.CacheAddress
		Blobs    []domain.CacheBlob `json:"blobs"`
		Platform string             `json:"platform"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	upload, err := c.api.Caches.SaveCache(c.Context(), c.actor(), c.id("registry"), in.CacheAddress,
		domain.CacheContent{Blobs: in.Blobs, Platform: in.Platform})
	return map[string]any{"upload_id": upload, "multipart": false, "upload_instructions": []string{}}, err
}

func commitCache(c *call) (any, error) {
	var in struct {
		UploadID string `json:"upload_id"`
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return map[string]string{"message": "Cache entry committed"}, c.api.Caches.CommitCache(c.Context(), c.actor(),
		c.id("registry"), in.UploadID)
}

func retrieveCache(c *call) (any, error) {
	var asked domain.CacheAddress
	if err := c.decode(&asked); err != nil {
		return nil, err
	}
	found, err := c.api.Caches.RetrieveCache(c.Context(), c.actor(), c.id("registry"), asked)
	return struct {
		cacheEntry
		ExpiresAt time.Time `json:"expires_at"`
		Fallback  bool      `json:"fallback"`
	}{newCacheEntry(&found.CacheEntry), found.ExpiresAt.UTC(), found.Fallback}, err
}

func expireCache(c *call) (any, error) {
	var asked domain.CacheAddress
	if err := c.decode(&asked); err != nil {
		return nil, err
	}
	return nil, c.api.Caches.ExpireCache(c.Context(), c.actor(), c.id("registry"), asked)
}
