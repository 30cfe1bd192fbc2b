package caches

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/policy"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// cacheUses is what happened in cache registries, until it is stored: so a restore writes nothing while the job waits
// for it.
type cacheUses struct {
	mutex      sync.Mutex
	registries map[domain.CacheRegistryID]*registryUses
	uses       map[domain.CacheEntryID]cacheUse
}

// registryUses is what happened in one registry.
type registryUses struct {
	days            map[string]*domain.CacheStats
	allowed, denied []cacheAnswer // the latest ones
}

// cacheAnswer is a decision that is put into words when it is stored.
type cacheAnswer struct {
	decision policy.Decision
	claims   policy.Claims
	branch   string // why the claims have another branch than the build
	request  domain.CacheRequest
	asked    domain.CacheAddress
	outcome  domain.CacheOutcome
	at       time.Time
}

// cacheUse is how many times an entry was restored, and when it was by its exact key last.
type cacheUse struct {
	restores int64
	exactly  *time.Time
}

// maxUnstoredDecisions is how many decisions of a registry wait to be stored, of those that allow and of those that
// deny.
const maxUnstoredDecisions = 50

// recordCacheUse records what came of a request.
func (s *Service) recordCacheUse(call *cacheCall, outcome domain.CacheOutcome) {
	now := s.core.Clock()
	answer := cacheAnswer{call.decision, call.Claims, call.WhyBranch(), call.request, call.asked, outcome, now}
	n := &s.uses
	n.mutex.Lock()
	defer n.mutex.Unlock()
	registry := n.registry(call.Registry.ID)
	if call.decision.Allowed {
		registry.allowed = appendLatest(registry.allowed, answer)
	} else {
		registry.denied = appendLatest(registry.denied, answer)
	}
	figures := registry.day(store.CacheDay(now))
	switch {
	case outcome == domain.CacheDenied:
		figures.Denials++
	case call.request != domain.CacheRetrieve:
	case outcome == domain.CacheHit:
		figures.Hits++
	case outcome == domain.CacheFallback:
		figures.Fallbacks++
	case outcome == domain.CacheMiss:
		figures.Misses++
	}
}

func (n *cacheUses) registry(id domain.CacheRegistryID) *registryUses {
	if n.registries == nil {
		n.registries = map[domain.CacheRegistryID]*registryUses{}
	}
	if n.registries[id] == nil {
		n.registries[id] = &registryUses{days: map[string]*domain.CacheStats{}}
	}
	return n.registries[id]
}

func (r *registryUses) day(day string) *domain.CacheStats {
	if r.days[day] == nil {
		r.days[day] = &domain.CacheStats{Day: day}
	}
	return r.days[day]
}

// appendLatest appends answers, and drops the oldest if there are too many.
func appendLatest(answers []cacheAnswer, more ...cacheAnswer) []cacheAnswer {
	answers = append(answers, more...)
	return slices.Delete(answers, 0, max(0, len(answers)-maxUnstoredDecisions))
}

// use records that an entry was restored; exactly is when, if it was by its exact key.
func (n *cacheUses) use(id domain.CacheEntryID, exactly *time.Time) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.uses == nil {
		n.uses = map[domain.CacheEntryID]cacheUse{}
	}
	n.uses[id] = n.uses[id].and(cacheUse{1, exactly})
}

func (u cacheUse) and(later cacheUse) cacheUse {
	u.restores += later.restores
	if later.exactly != nil && (u.exactly == nil || u.exactly.Before(*later.exactly)) {
		u.exactly = later.exactly
	}
	return u
}

// cacheUsesAtOnce is how many uses of entries are stored in one transaction.
const cacheUsesAtOnce = 500

// StoreCacheUses stores what happened in cache registries since it was called last. What cannot be stored waits for
// the next time.
func (s *Service) StoreCacheUses(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	n := &s.uses
	n.mutex.Lock()
	registries, uses := n.registries, n.uses
	n.registries, n.uses = nil, nil
	n.mutex.Unlock()
	err := s.storeCacheUses(ctx, registries, uses)
	if err != nil {
		n.restore(registries, uses)
	}
	return err
}

// storeCacheUses stores uses, in one order, so that two nodes do not wait for each other. What it has stored it takes
// out of them.
func (s *Service) storeCacheUses(ctx context.Context, registries map[domain.CacheRegistryID]*registryUses,
	uses map[domain.CacheEntryID]cacheUse) error {
	for _, id := range slices.Sorted(maps.Keys(registries)) {
		err := s.core.Store.Write(ctx, func(tx store.Tx) error { return registries[id].store(tx, id) })
		if core.IsUnavailable(err) || ctx.Err() != nil {
			return err
		}
		if err != nil { // trying again would not help, and others wait
			s.core.Drop(ctx, "store_cache_notes", string(id), err)
		}
		delete(registries, id)
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(uses)), cacheUsesAtOnce) {
		err := s.core.Store.Write(ctx, func(tx store.Tx) error {
			for _, id := range part {
				if err := tx.UseCacheEntry(id, uses[id].restores, uses[id].exactly); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, id := range part {
			delete(uses, id)
		}
	}
	return nil
}

func (r *registryUses) store(tx store.Tx, id domain.CacheRegistryID) error {
	for _, day := range slices.Sorted(maps.Keys(r.days)) {
		if err := tx.AddCacheStats(id, *r.days[day]); err != nil {
			return err
		}
	}
	for _, answer := range slices.Concat(r.allowed, r.denied) {
		decision := domain.NewCacheDecision(&answer.decision, id, &answer.claims, answer.branch, answer.request, answer.asked,
			answer.outcome, answer.at)
		if err := tx.InsertCacheDecision(decision); err != nil {
			return err
		}
	}
	return tx.TrimCacheDecisions(id)
}

// restore puts back uses that could not be stored.
func (n *cacheUses) restore(registries map[domain.CacheRegistryID]*registryUses,
	uses map[domain.CacheEntryID]cacheUse) {
	for id, use := range uses {
		n.mutex.Lock()
		if n.uses == nil {
			n.uses = map[domain.CacheEntryID]cacheUse{}
		}
		n.uses[id] = use.and(n.uses[id])
		n.mutex.Unlock()
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for id, old := range registries {
		registry := n.registry(id)
		registry.allowed = appendLatest(old.allowed, registry.allowed...)
		registry.denied = appendLatest(old.denied, registry.denied...)
		for day, f := range old.days {
			sum := registry.day(day)
			sum.Hits, sum.Fallbacks, sum.Misses, sum.Denials = sum.Hits+f.Hits, sum.Fallbacks+f.Fallbacks, sum.Misses+f.Misses,
				sum.Denials+f.Denials
		}
	}
}

// sweptAtOnce is how many entries or uploads are swept up together.
const sweptAtOnce = 500

// SweepCaches deletes cache entries that have expired or are no registry's any more, uploads that were not committed in
// time, and old figures.
func (s *Service) SweepCaches(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	now, err := s.core.DatabaseClock(ctx)
	if err != nil {
		return err
	}
	return core.RunAll(ctx, func(ctx context.Context) error {
		return s.sweepAll(ctx, func(tx store.Tx) (int, error) { return tx.DeleteExpiredCacheEntries(now, sweptAtOnce) })
	}, func(ctx context.Context) error {
		return s.sweepAll(ctx, func(tx store.Tx) (int, error) {
			return tx.DeleteOldCacheUploads(now.Add(-domain.CacheUploadTime), sweptAtOnce)
		})
	}, func(ctx context.Context) error {
		return s.sweepAll(ctx, func(tx store.Tx) (int, error) {
			return 0, tx.DeleteOldCacheDays(store.CacheDay(now.AddDate(0, 0, -domain.KeptCacheDays)))
		})
	}, func(ctx context.Context) error {
		return core.RunItems(ctx, s.core, actor, store.SweepCaches, store.Tx.LeftCacheEntrySets,
			func(ctx context.Context, id domain.CacheEntrySetID) error {
				return s.sweepAll(ctx, func(tx store.Tx) (int, error) { return tx.DeleteCacheEntriesOfSet(id, sweptAtOnce) })
			})
	})
}

// sweepAll runs a batch, each time in a transaction of its own, until it finds nothing more.
func (s *Service) sweepAll(ctx context.Context, batch func(store.Tx) (int, error)) error {
	for {
		swept := 0
		err := s.core.Store.Write(ctx, func(tx store.Tx) (err error) {
			swept, err = batch(tx)
			return err
		})
		if err != nil || swept == 0 {
			return err
		}
	}
}
