package domain

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"regexp"
	"slices"
	"strconv"
	"time"

	"penstock/internal/policy"
)

// CacheLifetime is how long a cache entry is kept after it was saved, or restored by its exact key.
const CacheLifetime = 3 * 24 * time.Hour

// CacheUploadTime is how long a saved entry may take to be committed.
const CacheUploadTime = 24 * time.Hour

// MaxCacheUploadsOfJob is how many entries a job can save within CacheUploadTime.
const MaxCacheUploadsOfJob = 1000

// DefaultCacheRegistryRef names the cluster's default registry where agents name one by its slug.
const DefaultCacheRegistryRef = "~"

// AgentManagedStore is the kind of store of all cache entries: agents move the content, and the server holds what is
// known of it.
const AgentManagedStore = "agent_managed"

// What a cache entry may have.
const (
	maxCacheKeyParts  = 32
	maxCacheKeyPart   = 4 << 10 // bytes
	maxCachePaths     = 100
	maxCachePath      = 4 << 10 // bytes
	maxCacheBlobs     = 100
	maxCachePlatform  = 100 // bytes
	maxCacheEntrySize = 1 << 50
)

// CacheKeyPart is a part of a cache entry's key. An entry can be found by a key without its last parts, as far as they
// are not mandatory.
type CacheKeyPart struct {
	Value     string `json:"value"`
	Mandatory bool   `json:"mandatory"`
}

// CacheDigest is the name of a cache entry's content.
type CacheDigest struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"value"`
}

// CacheBlob is content of a cache entry, which is with the store that agents use.
type CacheBlob struct {
	Digest      CacheDigest `json:"digest"`
	FileSize    int64       `json:"file_size"`
	Compression string      `json:"compression"`
}

// CacheAddress is how a job names a cache entry: besides it, only the registry and the entry's scopes say which one it
// is.
type CacheAddress struct {
	TargetPaths []string       `json:"target_paths"` // a set: their order does not matter
	Key         []CacheKeyPart `json:"cache_key"`
}

// CacheContent is what a job says of an entry that it saves.
type CacheContent struct {
	Blobs    []CacheBlob
	Platform string // such as linux/amd64
}

// Size returns how many bytes the content has.
func (c *CacheContent) Size() (size int64) {
	for i := range c.Blobs {
		size += c.Blobs[i].FileSize
	}
	return size
}

// CacheEntry is what is known of content that a job saved.
type CacheEntry struct {
	ID    CacheEntryID
	SetID CacheEntrySetID
	CacheAddress
	CacheContent
	Scopes    policy.Entry
	JobID     JobID // that saved it
	CreatedAt time.Time
	UsedAt    *time.Time // when it was restored by its exact key last
	Restores  int64      // how many times it was restored
	ExpiresAt time.Time
}

// CacheEntryView is an entry with what is shown along with it.
type CacheEntryView struct {
	CacheEntry
	PipelineSlug string // of the job that saved it; "": the job is gone
	BuildNumber  int64
}

// CacheUpload is an entry that a job is saving.
type CacheUpload struct {
	ID    CacheUploadID
	SetID CacheEntrySetID
	JobID JobID
	CacheAddress
	CacheContent
	CreatedAt time.Time
	Committed bool
}

// Check returns what is wrong with an address.
func (a *CacheAddress) Check() error {
	var faults Faults
	switch {
	case len(a.TargetPaths) == 0:
		faults.Add("target_paths", "`target_paths` is invalid: it must have a path")
	case len(a.TargetPaths) > maxCachePaths:
		faults.Add("target_paths", "`target_paths` is invalid: it can have at most "+strconv.Itoa(maxCachePaths)+" paths")
	case slices.ContainsFunc(a.TargetPaths,
		func(path string) bool { return path == "" || len(path) > maxCachePath || !ValidText(path) }):
		faults.Add("target_paths", "`target_paths` is invalid: a path must be a text of 1 to "+strconv.Itoa(maxCachePath)+
			" bytes")
	}
	switch {
	case len(a.Key) == 0:
		faults.Add("cache_key", "`cache_key` is invalid: it must have a part")
	case len(a.Key) > maxCacheKeyParts:
		faults.Add("cache_key", "`cache_key` is invalid: it can have at most "+strconv.Itoa(maxCacheKeyParts)+" parts")
	case slices.ContainsFunc(a.Key, func(part CacheKeyPart) bool {
		return len(part.Value) > maxCacheKeyPart || !ValidText(part.Value)
	}):
		faults.Add("cache_key", "`cache_key` is invalid: a part must be a text of at most "+strconv.Itoa(maxCacheKeyPart)+
			" bytes")
	}
	return faults.Err()
}

var (
	sha256Pattern        = regexp.MustCompile(`^[0-9a-f]{64}$`)
	cachePlatformPattern = regexp.MustCompile(`^[A-Za-z0-9._/-]*$`)
)

// Check returns what is wrong with the content of an entry.
func (c *CacheContent) Check() error {
	var faults Faults
	switch {
	case len(c.Blobs) == 0:
		faults.Add("blobs", "`blobs` is invalid: it must have a blob")
	case len(c.Blobs) > maxCacheBlobs:
		faults.Add("blobs", "`blobs` is invalid: it can have at most "+strconv.Itoa(maxCacheBlobs)+" blobs")
	}
	for i := range c.Blobs {
		blob := &c.Blobs[i]
		place := "`blobs[" + strconv.Itoa(i) + "]"
		switch {
		case blob.Digest.Algorithm != "sha256" || !sha256Pattern.MatchString(blob.Digest.Value):
			faults.Add("blobs", place+".digest` is invalid: it must be a sha256 in small hexadecimal digits")
		case blob.FileSize < 0 || blob.FileSize > maxCacheEntrySize:
			faults.Add("blobs", place+".file_size` is invalid: it must be from 0 to 1 PiB")
		case blob.Compression != "zip" && blob.Compression != "zstd":
			faults.Add("blobs", place+".compression` is invalid: it must be zip or zstd")
		}
	}
	if len(c.Platform) > maxCachePlatform || !cachePlatformPattern.MatchString(c.Platform) {
		faults.Add("platform", "`platform` is invalid: it must be a text such as linux/amd64")
	}
	return faults.Err()
}

// sortedPaths returns the paths as the set that they are.
func (a *CacheAddress) sortedPaths() []string {
	return slices.Compact(slices.Sorted(slices.Values(a.TargetPaths)))
}

// CacheHash is what a cache entry is found by: the same for the same registry, scopes, set of paths and values of a
// key, or of its beginning.
type CacheHash string

// CacheHashes are an address in one registry and with certain scopes: the hash of the whole key, and those of its
// beginnings, the shortest first. The last one of these is that of all parts of a key that may have more.
type CacheHashes struct {
	Exact    CacheHash
	Prefixes []CacheHash
}

// Hashes returns the hashes of an address.
func (a *CacheAddress) Hashes(set CacheEntrySetID, scopes policy.Entry) CacheHashes {
	var text []byte
	add := func(s string) { // with its length, so that no two lists of texts are the same bytes
		text = binary.AppendUvarint(text, uint64(len(s)))
		text = append(text, s...)
	}
	add(string(set))
	for _, scope := range []string{scopes.Pipeline, scopes.Branch, scopes.Build} { // a value is never empty
		add(scope)
	}
	paths := a.sortedPaths()
	text = binary.AppendUvarint(text, uint64(len(paths)))
	for _, path := range paths {
		add(path)
	}
	hashes := CacheHashes{Prefixes: make([]CacheHash, len(a.Key))}
	for i, part := range a.Key {
		add(part.Value)
		hashes.Prefixes[i] = hashOf('p', text)
	}
	hashes.Exact = hashOf('e', text)
	return hashes
}

func hashOf(kind byte, text []byte) CacheHash {
	sum := sha256.Sum256(append([]byte{kind}, text...))
	return CacheHash(base64.RawURLEncoding.EncodeToString(sum[:]))
}

// Fallbacks returns the hashes of the beginnings of the key by which an entry may be found where there is none with all
// of it, the longest first: without optional parts at its end, down to the last mandatory one, or the first part.
func (a *CacheAddress) Fallbacks(hashes CacheHashes) []CacheHash {
	shortest := 1
	for i, part := range a.Key {
		if part.Mandatory {
			shortest = i + 1
		}
	}
	if shortest >= len(a.Key) {
		return nil
	}
	longestFirst := slices.Clone(hashes.Prefixes[shortest-1 : len(a.Key)-1])
	slices.Reverse(longestFirst)
	return longestFirst
}

// CacheRequest is what a job asked of a cache registry.
type CacheRequest string

// The requests that a policy decides.
const (
	CachePeek     CacheRequest = "peek"
	CacheStore    CacheRequest = "store"
	CacheCommit   CacheRequest = "commit"
	CacheRetrieve CacheRequest = "retrieve"
	CacheExpire   CacheRequest = "expire"
)

// Action returns what the policy is asked for.
func (r CacheRequest) Action() policy.Action {
	if r == CacheRetrieve {
		return policy.Restore
	}
	return policy.Save
}

// CacheOutcome is what came of a request.
type CacheOutcome string

// The outcomes of requests.
const (
	CacheDenied   CacheOutcome = "denied"
	CacheHit      CacheOutcome = "hit"      // by the exact key
	CacheFallback CacheOutcome = "fallback" // by a key prefix
	CacheMiss     CacheOutcome = "miss"
	CacheSaved    CacheOutcome = "saved"
	CacheAccepted CacheOutcome = "accepted" // an upload may begin
	CacheRemoved  CacheOutcome = "removed"
)

// CacheDecision is a request that a registry's policy has decided, and why.
type CacheDecision struct {
	ID           CacheDecisionID
	RegistryID   CacheRegistryID
	JobID        JobID
	PipelineSlug string // of the job, as are the next two
	BuildNumber  int64
	Branch       string
	Request      CacheRequest
	CacheAddress
	Allowed     bool
	Outcome     CacheOutcome
	Entry       string // the scopes that the decision is about, as JSON; "": no certain ones
	Rule        string // that decided; "": none
	Reason      string
	Explanation string // what every rule had to say
	CreatedAt   time.Time
}

// KeptCacheDecisions is how many of a registry's latest decisions are kept, of those that allow and of those that deny.
const KeptCacheDecisions = 100

// maxCacheExplanation is how much of an explanation is kept, in bytes.
const maxCacheExplanation = 8 << 10

// NewCacheDecision returns the record of a decision. WhyBranch says why the claims have another branch than the build.
func NewCacheDecision(d *policy.Decision, registry CacheRegistryID, claims *policy.Claims, whyBranch string,
	request CacheRequest, asked CacheAddress, outcome CacheOutcome, now time.Time) CacheDecision {
	made := CacheDecision{
		ID: NewIDAt[CacheDecisionID](now), RegistryID: registry, JobID: JobID(claims.JobID),
		PipelineSlug: claims.PipelineSlug, BuildNumber: claims.BuildNumber,
		Branch: claims.BuildBranch, Request: request, CacheAddress: asked, Allowed: d.Allowed, Outcome: outcome,
		Reason: ExplainCacheDecision(d, whyBranch), CreatedAt: now,
		Explanation: truncate(d.String(), maxCacheExplanation),
	}
	if d.Entry != nil {
		made.Entry = d.Entry.String()
	}
	if d.Rule != nil {
		made.Rule = d.Rule.String()
	}
	return made
}

// maxExplainedEntries is how many entries are named in a refusal.
const maxExplainedEntries = 3

// ExplainCacheDecision says in a line why a decision was made. It names the rules that denied the first of several
// entries. WhyBranch is "", or why the claims have another branch than the build.
func ExplainCacheDecision(d *policy.Decision, whyBranch string) string {
	text := d.Reason
	if !d.Allowed && d.Entry == nil && len(d.Trials) >= 2 {
		for i := range d.Trials[:min(len(d.Trials), maxExplainedEntries)] {
			text += "; " + d.Trials[i].Entry.String() + ": " + d.Trials[i].Reason()
		}
		if more := len(d.Trials) - maxExplainedEntries; more > 0 {
			text += "; and " + strconv.Itoa(more) + " more"
		}
	}
	if whyBranch != "" {
		text += "; " + whyBranch
	}
	return text
}

// CacheStats is what happened in a registry on a day, and what it held at the end of it.
type CacheStats struct {
	Day       string // such as 2026-11-16, in UTC
	Hits      int64  // restores by the exact key
	Fallbacks int64  // restores by a part of it
	Misses    int64
	Saves     int64
	Denials   int64
	Entries   int64
	Bytes     int64
}

// HitRate returns the share of restores that found something, in percent; -1 if there was none.
func (f *CacheStats) HitRate() int64 {
	restores := f.Hits + f.Fallbacks + f.Misses
	if restores == 0 {
		return -1
	}
	return (f.Hits + f.Fallbacks) * 100 / restores
}

// KeptCacheDays is for how many days a registry's figures are kept.
const KeptCacheDays = 90

// CacheActivity is what a registry holds, and what happened in it lately.
type CacheActivity struct {
	Entries   int64
	Bytes     int64
	Days      []CacheStats    // the latest first; days on which nothing happened are left out
	Decisions []CacheDecision // the newest first
}
