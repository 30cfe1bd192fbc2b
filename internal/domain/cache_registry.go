package domain

import (
	"time"

	"penstock/internal/policy"
)

// The registry that every new cluster has.
const (
	DefaultCacheRegistryName = "Default"
	DefaultCacheRegistrySlug = "default"
)

// CacheRegistry is where a cluster's jobs save and restore cache entries, under its policy.
type CacheRegistry struct {
	ID        CacheRegistryID
	ClusterID ClusterID
	Name      string
	Slug      string
	Look
	Policy     *string          // normalized JSON; nil denies everything
	CacheStore *string          // the address of the store with its entries; nil: the agents choose
	EntrySetID *CacheEntrySetID // of its entries since its store was changed; nil: it never was
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// CacheRegistryInput is what a caller sends to make or change a registry.
type CacheRegistryInput struct {
	Name Optional[string]
	LookInput
	Policy Optional[[]byte] // a JSON document
}

// DefaultCacheRegistry returns the registry that a new cluster has from the start.
func DefaultCacheRegistry(c Cluster) CacheRegistry {
	registry := NewCacheRegistry(CacheRegistryInput{Name: Some(DefaultCacheRegistryName)}, c.ID, c.CreatedAt, new(Faults))
	registry.ID = c.DefaultCacheRegistryID
	return registry
}

// NewCacheRegistry returns the registry that the input describes. Without a policy it has the default one,
// which restricts nothing.
func NewCacheRegistry(in CacheRegistryInput, cluster ClusterID, now time.Time, faults *Faults) CacheRegistry {
	r := CacheRegistry{ID: NewID[CacheRegistryID](), ClusterID: cluster, CreatedAt: now}
	in.Name.requireIn("name", "Name", faults)
	in.Name, in.Policy = in.Name.UnlessNull(), in.Policy.UnlessNull()
	if !in.Policy.Given {
		unrestricted := string(policy.Default().Normal())
		r.Policy = &unrestricted
	}
	r.Apply(in, now, faults)
	return r
}

// Apply makes the changes of the input. A new name makes a new slug; a null policy denies everything.
func (r *CacheRegistry) Apply(in CacheRegistryInput, now time.Time, faults *Faults) {
	if in.Name.Given {
		r.Name = CheckName("name", "Name", in.Name.Value, faults)
		r.Slug = MakeSlug(r.Name)
		requireSlug(r.Slug, faults)
	}
	applyLook(in.LookInput, &r.Look, faults)
	if in.Policy.Given {
		r.Policy = nil
	}
	if in.Policy.HasValue() {
		parsed, problems := policy.Parse(in.Policy.Value)
		for _, problem := range problems {
			faults.Add("policy", "Policy "+problem.String())
		}
		if parsed != nil {
			normal := string(parsed.Normal())
			r.Policy = &normal
		}
	}
	r.UpdatedAt = now
}

// Entries returns which entries are the registry's. Those that it had before its store was changed are not.
func (r *CacheRegistry) Entries() CacheEntrySetID {
	if r.EntrySetID == nil {
		return CacheEntrySetID(r.ID)
	}
	return *r.EntrySetID
}

// Decide reports whether a job with these claims may perform an action on the registry's entries, and why. Without a
// policy, or with one that cannot be read, everything is denied.
func (r *CacheRegistry) Decide(action policy.Action, claims policy.Claims) policy.Decision {
	return policy.Decide(r.ParsedPolicy(), action, claims)
}

// ParsedPolicy returns the registry's policy; nil if it has none.
func (r *CacheRegistry) ParsedPolicy() *policy.Policy {
	if r.Policy == nil {
		return nil
	}
	parsed, _ := policy.ParseStored(*r.Policy) // nil with faults
	return parsed
}

// CacheRegistrySlugTaken is the fault of a registry whose slug another one of the cluster has.
func CacheRegistrySlugTaken(slug string) string {
	return "A cache registry with the slug " + slug + " already exists in this cluster"
}

// CannotDeleteDefaultCacheRegistry is the refusal to delete a cluster's default registry.
const CannotDeleteDefaultCacheRegistry = "Unable to destroy cache registry. Cannot destroy default cache registry"
