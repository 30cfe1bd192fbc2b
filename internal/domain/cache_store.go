package domain

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

const maxCacheStore = 1024 // characters

// cacheStoreParameters are the kinds of stores that agents can use, by the scheme of their addresses, with what the
// query of such an address can say. Others are refused: an unknown parameter may be a secret.
var cacheStoreParameters = map[string][]string{
	"nsc": {},
	"s3":  {"region", "endpoint", "use_path_style"},
}

// unusableCacheStores are the kinds of stores that are not taken, with the reason.
var unusableCacheStores = map[string]string{
	"azblob": "can't be azblob://: agents have no way to use it. Use s3:// or nsc://",
	"gs":     "can't be gs://: agents have no way to use it. Use s3:// or nsc://",
	"file": "can't be file://: it names a directory of one machine. Agents there can be told of it with " +
		"BUILDKITE_AGENT_CACHE_STORE_URL",
	"http": "can't be http://: agents have no way to use it. Use s3://, with the server in its endpoint",
	"https": "can't be https://: agents have no way to use it, and such an address may hold a credential. Use s3://, " +
		"with the server in its endpoint",
}

// bucketPattern is what the names of buckets and containers have in common, besides bucketLimit.
var bucketPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]+[a-z0-9]$`)

const bucketLimit = 222 // characters

// CacheStoreInput is what a caller sends to say where a registry's entries are stored. Null or empty: the agents
// choose.
type CacheStoreInput struct {
	URL Optional[string]
}

// SetCacheStore sets where the registry's entries are stored. It has none in a new place; the same place changes
// nothing.
func (r *CacheRegistry) SetCacheStore(in CacheStoreInput, now time.Time, faults *Faults) {
	address := strings.TrimSpace(in.URL.Value)
	before := ""
	if r.CacheStore != nil {
		before = *r.CacheStore
	}
	if address == before {
		return
	}
	r.UpdatedAt = now
	set := NewID[CacheEntrySetID]()
	r.EntrySetID = &set
	if r.CacheStore = nil; address == "" {
		return
	}
	if reason := cacheStoreFault(address); reason != "" {
		faults.Add("cache_store", "Cache store "+reason)
	}
	r.CacheStore = &address
}

// CacheStoreWarning returns why agents cannot use the registry's store, which was set before that was refused; "" if
// they can.
func (r *CacheRegistry) CacheStoreWarning() string {
	if r.CacheStore == nil {
		return ""
	}
	scheme, _, _ := strings.Cut(*r.CacheStore, "://")
	return unusableCacheStores[scheme]
}

// cacheStoreFault returns what is wrong with the address of a store, or "". It repeats nothing of the address, which
// may hold a secret.
func cacheStoreFault(address string) string {
	u, err := url.Parse(address)
	switch {
	case !ValidText(address) || err != nil:
		return "must be an address such as s3://bucket/prefix?region=eu-central-1"
	case len([]rune(address)) > maxCacheStore:
		return "is too long (maximum is 1024 characters)"
	case unusableCacheStores[u.Scheme] != "":
		return unusableCacheStores[u.Scheme]
	case cacheStoreParameters[u.Scheme] == nil:
		return "must begin with s3:// or nsc://"
	case u.User != nil:
		return "must not hold credentials; agents bring their own"
	case u.Opaque != "" || len(u.Host) > bucketLimit || !bucketPattern.MatchString(u.Host):
		return "must name a bucket or namespace of 3 to 222 small letters, digits, dots, hyphens and underscores after " +
			u.Scheme + "://"
	case strings.Contains(address, "#"):
		return "must not have a part after #"
	case u.Scheme == "nsc" && strings.Trim(u.Path, "/") != "":
		return "must be no more than a namespace for nsc, such as nsc://my-namespace"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "must have a query such as ?region=eu-central-1"
	}
	allowed := cacheStoreParameters[u.Scheme]
	for name, values := range query {
		switch {
		case !slices.Contains(allowed, name) && len(allowed) == 0:
			return "must have no query for " + u.Scheme + "; credentials don't belong into it, agents bring their own"
		case !slices.Contains(allowed, name):
			return "can only have " + strings.Join(allowed, ", ") + " in its query; credentials don't belong into it, agents " +
				"bring their own"
		case len(values) != 1 || values[0] == "":
			return "must have one value for " + name
		case name == "endpoint" && !isBareEndpoint(values[0]):
			return "must have an endpoint such as https://minio.example.com, without credentials"
		}
	}
	return ""
}

// isBareEndpoint reports whether an address is that of a server and nothing more.
func isBareEndpoint(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		strings.Trim(u.Path, "/") == "" && !strings.ContainsAny(address, "?#")
}
