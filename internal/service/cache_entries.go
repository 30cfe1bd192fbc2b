package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// CacheEntries returns a part of the entries of a cache registry, the newest first. The APIs do not show them.
//
// Returns Malformed for a cursor that is not the list's own, or two of them.
func (s *Service) CacheEntries(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	page domain.CursorPage) (domain.CursorPaged[domain.CacheEntryView], error) {
	return core.View(ctx, s.core, actor, ref.Organization,
		func(tx store.Tx) (paged domain.CursorPaged[domain.CacheEntryView], err error) {
			in, err := s.core.InCluster(tx, actor, ref, authz.ReadCacheRegistry)
			if err != nil {
				return paged, err
			}
			registry, err := registryIn(tx, in, id)
			if err != nil {
				return paged, err
			}
			return readCursorPage(tx, &in.Identity, store.CacheEntriesOf(), registry.Entries(), page)
		})
}

// CacheActivity returns what a cache registry holds, and what its policy decided lately.
func (s *Service) CacheActivity(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	id string) (domain.CacheActivity, error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (activity domain.CacheActivity, err error) {
		in, err := s.core.InCluster(tx, actor, ref, authz.ReadCacheRegistry)
		if err != nil {
			return activity, err
		}
		registry, err := registryIn(tx, in, id)
		if err != nil {
			return activity, err
		}
		if activity.Entries, activity.Bytes, err = tx.CacheHoldings(registry.Entries()); err != nil {
			return activity, err
		}
		if activity.Days, err = tx.CacheStats(registry.ID, domain.KeptCacheDays); err != nil {
			return activity, err
		}
		activity.Decisions, err = tx.CacheDecisionsOfRegistry(registry.ID, 2*domain.KeptCacheDecisions)
		return activity, err
	})
}

// CacheEntry returns an entry of a cache registry.
func (s *Service) CacheEntry(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id, entry string) (
	domain.CacheEntryView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.CacheEntryView, error) {
		in, err := s.core.InCluster(tx, actor, ref, authz.ReadCacheRegistry)
		if err != nil {
			return domain.CacheEntryView{}, err
		}
		registry, err := registryIn(tx, in, id)
		if err != nil {
			return domain.CacheEntryView{}, err
		}
		return cacheEntryIn(tx, &registry.CacheRegistry, entry)
	})
}

func cacheEntryIn(tx store.Tx, registry *domain.CacheRegistry, id string) (domain.CacheEntryView, error) {
	entry, found, err := tx.CacheEntry(registry.Entries(), core.LookupID[domain.CacheEntryID](id))
	if err == nil && !found {
		err = domain.Missing("cache entry")
	}
	return entry, err
}

// DeleteCacheEntry removes an entry from a cache registry. Its content stays in the store.
//
// Returns NotFound, and Forbidden if actor may not manage the cluster.
func (s *Service) DeleteCacheEntry(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id,
	entryID string) error {
	return s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) error {
		in, c, err := s.core.LockCluster(tx, actor, ref, authz.WriteCacheRegistry)
		if err != nil {
			return err
		}
		in.Cluster.Cluster = c
		registry, err := registryIn(tx, in, id)
		if err != nil {
			return err
		}
		entry, err := cacheEntryIn(tx, &registry.CacheRegistry, entryID)
		if err != nil {
			return err
		}
		removed, err := tx.DeleteCacheEntryByID(&registry.CacheRegistry, entry.ID, s.core.Clock())
		if err != nil || !removed {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.CacheRegistryUpdated,
			core.CacheRegistrySubject(registry.CacheRegistry),
			core.FactsOfCacheEntry(&entry.CacheEntry), nil)
	})
}
