package agentapi

import (
	"net/http"
	"time"

	"penstock/internal/domain"
	"penstock/internal/endpoint"
)

// cacheBody is how large the body of a call about caches can be: keys and paths can be long.
const cacheBody = 1 << 20

func (a *API) cacheEndpoints() []endpoint.Endpoint {
	const registry = root + "/cache_registries/{registry}"
	unprocessable := []int{http.StatusUnprocessableEntity}
	return []endpoint.Endpoint{
		{
			Method: http.MethodGet, Path: registry, Operation: "getCacheRegistry",
			Summary: "Shows a cache registry.", Needs: needsJob,
			Answer: cacheRegistryAnswer{}, Status: http.StatusOK, Errors: unprocessable, Handle: a.getCacheRegistry,
		},
		{
			Method: http.MethodPost, Path: registry + "/peek", Operation: "peekCache",
			Summary: "Shows an entry of a cache registry, without restoring it.", Needs: needsJob,
			Body: cacheAddressBody{}, MaxBody: cacheBody, Answer: cacheEntryAnswer{}, Status: http.StatusOK,
			Handle: a.peekCache,
		},
		{
			Method: http.MethodPut, Path: registry + "/store", Operation: "saveCache",
			Summary: "Begins to save an entry in a cache registry.", Needs: needsJob,
			Body: cacheSaveBody{}, MaxBody: cacheBody, Answer: cacheSaveAnswer{}, Status: http.StatusOK,
			Handle: a.saveCache,
		},
		{
			Method: http.MethodPut, Path: registry + "/commit", Operation: "commitCache",
			Summary: "Ends saving an entry: from now on it is restored.", Needs: needsJob,
			Body: cacheCommitBody{}, Answer: cacheCommitAnswer{}, Status: http.StatusOK, Handle: a.commitCache,
		},
		{
			Method: http.MethodPost, Path: registry + "/retrieve", Operation: "retrieveCache",
			Summary: "Shows the entry of a cache registry that a job is to restore.", Needs: needsJob,
			Body: cacheAddressBody{}, MaxBody: cacheBody, Answer: restoredCacheAnswer{}, Status: http.StatusOK,
			Handle: a.retrieveCache,
		},
		{
			Method: http.MethodPost, Path: registry + "/expire", Operation: "expireCache",
			Summary: "Ends the life of an entry of a cache registry.", Needs: needsJob,
			Body: cacheAddressBody{}, MaxBody: cacheBody, Answer: emptyAnswer{}, Status: http.StatusOK,
			Handle: a.expireCache,
		},
	}
}

type cacheRegistryAnswer struct {
	UUID  domain.CacheRegistryID `json:"uuid" format:"uuid" doc:"The registry's UUID."`
	Name  string                 `json:"name" doc:"What the registry is called."`
	Store string                 `json:"store" doc:"Where the content of its entries is: with a store that agents manage."`
}

func (a *API) getCacheRegistry(c *endpoint.Call) (any, error) {
	registry, err := a.Caches.CacheRegistry(c.Context(), c.Actor(), c.PathText("registry"))
	return cacheRegistryAnswer{UUID: registry.ID, Name: registry.Name, Store: domain.AgentManagedStore}, err
}

// cacheAddressBody names an entry.
type cacheAddressBody struct {
	TargetPaths []string           `json:"target_paths" doc:"The paths that the entry is of, in any order."`
	Key         []cacheKeyPartBody `json:"cache_key" doc:"The entry's key, part by part."`
}

type cacheKeyPartBody struct {
	Value     string `json:"value" doc:"The part itself."`
	Mandatory bool   `json:"mandatory" doc:"Whether an entry without this part is no fallback."`
}

func (b *cacheAddressBody) address() domain.CacheAddress {
	address := domain.CacheAddress{TargetPaths: b.TargetPaths}
	for _, part := range b.Key {
		address.Key = append(address.Key, domain.CacheKeyPart(part))
	}
	return address
}

// cacheEntryAnswer is an entry as agents see it.
type cacheEntryAnswer struct {
	TargetPaths []string       `json:"target_paths" doc:"The paths that the entry is of."`
	CacheKey    []cacheKeyPart `json:"cache_key" doc:"The entry's key, part by part."`
	Blobs       []cacheBlob    `json:"blobs" doc:"The entry's content."`
	Store       string         `json:"store" doc:"Where the content is: with a store that agents manage."`
}

type cacheKeyPart struct {
	Value     string `json:"value" doc:"The part itself."`
	Mandatory bool   `json:"mandatory" doc:"Whether an entry without this part is no fallback."`
}

type cacheBlob struct {
	Digest      cacheDigest `json:"digest" doc:"What names the content."`
	FileSize    int64       `json:"file_size" doc:"How many bytes it has."`
	Compression string      `json:"compression" doc:"How it is packed."`
}

type cacheDigest struct {
	Algorithm string `json:"algorithm" doc:"How the digest was computed."`
	Value     string `json:"value" doc:"The digest."`
}

func newCacheEntry(e *domain.CacheEntry) cacheEntryAnswer {
	shown := cacheEntryAnswer{TargetPaths: e.TargetPaths, Store: domain.AgentManagedStore}
	for _, part := range e.Key {
		shown.CacheKey = append(shown.CacheKey, cacheKeyPart(part))
	}
	for _, blob := range e.Blobs {
		shown.Blobs = append(shown.Blobs, cacheBlob{cacheDigest(blob.Digest), blob.FileSize, blob.Compression})
	}
	return shown
}

func (a *API) peekCache(c *endpoint.Call) (any, error) {
	var in cacheAddressBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	entry, err := a.Caches.PeekCache(c.Context(), c.Actor(), c.PathText("registry"), in.address())
	return newCacheEntry(&entry), err
}

type cacheSaveBody struct {
	TargetPaths []string           `json:"target_paths" doc:"The paths that the entry is of, in any order."`
	Key         []cacheKeyPartBody `json:"cache_key" doc:"The entry's key, part by part."`
	Blobs       []cacheBlobBody    `json:"blobs" doc:"The entry's content."`
	Platform    string             `json:"platform" doc:"What the entry is for, such as linux/amd64."`
}

type cacheBlobBody struct {
	Digest      cacheDigestBody `json:"digest" doc:"What names the content."`
	FileSize    int64           `json:"file_size" doc:"How many bytes it has."`
	Compression string          `json:"compression" doc:"How it is packed."`
}

type cacheDigestBody struct {
	Algorithm string `json:"algorithm" doc:"How the digest was computed."`
	Value     string `json:"value" doc:"The digest."`
}

type cacheSaveAnswer struct {
	UploadID     domain.CacheUploadID `json:"upload_id" doc:"What to commit, once the content is with the store."`
	Multipart    bool                 `json:"multipart" doc:"Is false: the content is not uploaded here."`
	Instructions []string             `json:"upload_instructions" doc:"Is empty: the content is not uploaded here."`
}

func (a *API) saveCache(c *endpoint.Call) (any, error) {
	var in cacheSaveBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	content := domain.CacheContent{Platform: in.Platform}
	for _, blob := range in.Blobs {
		content.Blobs = append(content.Blobs, domain.CacheBlob{Digest: domain.CacheDigest(blob.Digest),
			FileSize: blob.FileSize, Compression: blob.Compression})
	}
	named := cacheAddressBody{in.TargetPaths, in.Key}
	upload, err := a.Caches.SaveCache(c.Context(), c.Actor(), c.PathText("registry"), named.address(), content)
	return cacheSaveAnswer{UploadID: upload, Instructions: []string{}}, err
}

type cacheCommitBody struct {
	UploadID string `json:"upload_id" doc:"The upload_id of the entry that was saved."`
}

type cacheCommitAnswer struct {
	Message string `json:"message" doc:"Says that the entry is there."`
}

func (a *API) commitCache(c *endpoint.Call) (any, error) {
	var in cacheCommitBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	return cacheCommitAnswer{"Cache entry committed"}, a.Caches.CommitCache(c.Context(), c.Actor(),
		c.PathText("registry"), in.UploadID)
}

// restoredCacheAnswer is an entry that a job restores.
type restoredCacheAnswer struct {
	cacheEntryAnswer
	ExpiresAt time.Time `json:"expires_at" doc:"When the entry ends."`
	Fallback  bool      `json:"fallback" doc:"Whether it is another entry than the one that was asked for."`
}

func (a *API) retrieveCache(c *endpoint.Call) (any, error) {
	var in cacheAddressBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	found, err := a.Caches.RetrieveCache(c.Context(), c.Actor(), c.PathText("registry"), in.address())
	return restoredCacheAnswer{newCacheEntry(&found.CacheEntry), found.ExpiresAt.UTC(), found.Fallback}, err
}

func (a *API) expireCache(c *endpoint.Call) (any, error) {
	var in cacheAddressBody
	if err := c.Decode(&in); err != nil {
		return nil, err
	}
	return nil, a.Caches.ExpireCache(c.Context(), c.Actor(), c.PathText("registry"), in.address())
}
