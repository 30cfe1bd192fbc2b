package caches

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/policy"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

var (
	errNoCacheRegistry = domain.NewError(domain.NotFound, "Cache registry not found")
	errNoCacheEntry    = domain.NewError(domain.NotFound, "Cache entry not found")
	errNoCacheUpload   = domain.NewError(domain.NotFound, "Cache upload not found: it is another job's or registry's, "+
		"too old, or the store was changed")
	errTooManyUploads = domain.NewError(domain.Forbidden, "This job has saved too many cache entries: at most 1000 "+
		"within a day")
)

// earlyCacheExtension is how soon an entry expires whose restore is answered only once it is kept for longer.
const earlyCacheExtension = time.Hour

// openCache returns the caller's job, with the registry of its cluster that slug names. The job has not ended.
func (s *Service) openCache(tx store.Tx, actor authz.Actor, slug string) (store.CacheCaller, error) {
	if err := core.RequireCredential(actor, authz.JobToken); err != nil {
		return store.CacheCaller{}, err
	}
	if !domain.ValidText(slug) {
		slug = "" // which no registry has
	}
	x, found, err := tx.CacheCaller(actor.Credential.Hash, slug)
	if err == nil {
		err = core.CheckJobToken(tx, found, x.State, x.TokenUntil)
	}
	switch {
	case err != nil:
		return x, err
	case x.State.HasEnded():
		return x, core.ErrUnauthenticatedProgram
	case x.Registry == nil:
		return x, errNoCacheRegistry
	}
	return x, nil
}

// CacheRegistry returns the cache registry of the job's cluster that has the slug, or for ~ the default one.
func (s *Service) CacheRegistry(ctx context.Context, actor authz.Actor, slug string) (
	registry domain.CacheRegistry, err error) {
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) error {
		x, err := s.openCache(tx, actor, slug)
		if err == nil {
			registry = *x.Registry
		}
		return err
	})
	return registry, err
}

// cacheCall is a request of a job to a cache registry, and what the registry's policy says to it.
type cacheCall struct {
	store.CacheCaller
	request  domain.CacheRequest
	asked    domain.CacheAddress
	decision policy.Decision
}

// decide asks the registry's policy.
func (c *cacheCall) decide() { c.decision = c.Registry.Decide(c.request.Action(), c.Claims) }

// refusal returns why the policy denies the request; nil if it does not.
func (c *cacheCall) refusal() error {
	if c.decision.Allowed {
		return nil
	}
	return domain.NewError(domain.Forbidden, "The cache registry's policy denies this "+string(c.request.Action())+": "+
		domain.ExplainCacheDecision(&c.decision, c.WhyBranch()))
}

// permitCache finds the job and the registry, and asks the registry's policy once check finds nothing wrong with the
// request.
func (s *Service) permitCache(ctx context.Context, actor authz.Actor, slug string, request domain.CacheRequest,
	check func() error) (call cacheCall, err error) {
	call.request = request
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) error {
		call.CacheCaller, err = s.openCache(tx, actor, slug)
		return err
	})
	if err == nil {
		err = check()
	}
	if err == nil {
		call.decide()
	}
	return call, err
}

// decideAgain decides about a request in the transaction that carries it out.
func (s *Service) decideAgain(tx store.Tx, actor authz.Actor, slug string, call *cacheCall) error {
	x, err := s.openCache(tx, actor, slug)
	if err != nil {
		return err
	}
	call.CacheCaller = x
	call.decide()
	return call.refusal()
}

// PeekCache returns the entry that the job would save, if there is one.
//
// Returns NotFound, and Forbidden if the registry's policy does not let the job save.
func (s *Service) PeekCache(ctx context.Context, actor authz.Actor, slug string, asked domain.CacheAddress) (
	entry domain.CacheEntry, err error) {
	call, err := s.permitCache(ctx, actor, slug, domain.CachePeek, asked.Check)
	if err != nil {
		return entry, err
	}
	call.asked = asked
	if err := call.refusal(); err != nil {
		s.recordCacheUse(&call, domain.CacheDenied)
		return entry, err
	}
	hash := asked.Hashes(call.Registry.Entries(), *call.decision.Entry).Exact
	found := false
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) error {
		now, err := core.StoredNow(tx)
		if err != nil {
			return err
		}
		entries, err := tx.CacheEntriesByHash([]domain.CacheHash{hash}, now)
		entry, found = entries[hash]
		return err
	})
	switch {
	case err != nil:
		return entry, err
	case !found:
		s.recordCacheUse(&call, domain.CacheMiss)
		return entry, errNoCacheEntry
	}
	s.recordCacheUse(&call, domain.CacheHit)
	return entry, nil
}

// SaveCache records that the job is about to save an entry, and returns under which id it is to be committed.
//
// Returns Forbidden if the registry's policy does not let the job save.
func (s *Service) SaveCache(ctx context.Context, actor authz.Actor, slug string, asked domain.CacheAddress,
	content domain.CacheContent) (domain.CacheUploadID, error) {
	call, err := s.permitCache(ctx, actor, slug, domain.CacheStore, func() error {
		if err := asked.Check(); err != nil {
			return err
		}
		return content.Check()
	})
	if err != nil {
		return "", err
	}
	call.asked = asked
	upload := domain.CacheUpload{ID: domain.NewID[domain.CacheUploadID](), CacheAddress: asked, CacheContent: content}
	if err = call.refusal(); err == nil {
		err = s.core.Store.Write(ctx, func(tx store.Tx) error {
			if err := s.decideAgain(tx, actor, slug, &call); err != nil {
				return err
			}
			count, err := tx.CountCacheUploads(call.ID)
			if err != nil {
				return err
			}
			if count >= domain.MaxCacheUploadsOfJob {
				return errTooManyUploads
			}
			if upload.CreatedAt, err = core.StoredNow(tx); err != nil {
				return err
			}
			upload.SetID, upload.JobID = call.Registry.Entries(), call.ID
			return tx.InsertCacheUpload(upload)
		})
	}
	s.recordChange(&call, err, domain.CacheAccepted)
	return upload.ID, err
}

// recordChange records what came of a request that changes something: its outcome, or a denial.
func (s *Service) recordChange(call *cacheCall, err error, outcome domain.CacheOutcome) {
	switch {
	case err == nil:
		s.recordCacheUse(call, outcome)
	case !call.decision.Allowed:
		s.recordCacheUse(call, domain.CacheDenied)
	}
}

// CommitCache makes what the job has saved an entry, in the place of one with the same address. The same again changes
// nothing.
//
// Returns NotFound if the job has not begun such an upload, and Forbidden if the registry's policy does not let the job
// save.
func (s *Service) CommitCache(ctx context.Context, actor authz.Actor, slug, uploadID string) error {
	call, err := s.permitCache(ctx, actor, slug, domain.CacheCommit, func() error { return nil })
	if err != nil {
		return err
	}
	isNew := false
	if err = call.refusal(); err == nil {
		err = s.core.Store.Write(ctx, func(tx store.Tx) error {
			isNew, err = s.commitCache(tx, actor, slug, core.LookupID[domain.CacheUploadID](uploadID), &call)
			return err
		})
	}
	if err != nil || isNew {
		s.recordChange(&call, err, domain.CacheSaved)
	}
	return err
}

func (s *Service) commitCache(tx store.Tx, actor authz.Actor, slug string, id domain.CacheUploadID, call *cacheCall) (
	isNew bool, err error) {
	if call.CacheCaller, err = s.openCache(tx, actor, slug); err != nil {
		return false, err
	}
	// one commit at a time, and none to a store that is being changed
	locked, found, err := tx.LockCacheRegistry(call.Registry.ID)
	if err != nil {
		return false, err
	}
	if !found {
		return false, errNoCacheRegistry
	}
	*call.Registry = locked
	upload, found, err := tx.CacheUploadForUpdate(id)
	if err != nil {
		return false, err
	}
	now, err := core.StoredNow(tx)
	if err != nil {
		return false, err
	}
	if !found || upload.JobID != call.ID || upload.SetID != locked.Entries() ||
		!now.Before(upload.CreatedAt.Add(domain.CacheUploadTime)) {
		return false, errNoCacheUpload
	}
	call.asked = upload.CacheAddress
	if call.decide(); !call.decision.Allowed {
		return false, call.refusal()
	}
	if upload.Committed {
		return false, nil
	}
	entry := domain.CacheEntry{ID: domain.NewIDAt[domain.CacheEntryID](now), SetID: upload.SetID,
		CacheAddress: upload.CacheAddress, CacheContent: upload.CacheContent,
		Scopes: *call.decision.Entry, JobID: call.ID, CreatedAt: now, ExpiresAt: now.Add(domain.CacheLifetime)}
	if err := tx.ReplaceCacheEntry(entry, locked.ID); err != nil {
		return false, err
	}
	return true, tx.CommitCacheUpload(upload.ID)
}

// FoundCacheEntry is an entry that a job restores.
type FoundCacheEntry struct {
	domain.CacheEntry
	Fallback bool // not by the whole key
}

// RetrieveCache returns the best entry for a job to restore: with the whole key, or else with one without optional
// parts at its end, in the first of the scopes that the policy allows.
//
// Returns NotFound, and Forbidden if the registry's policy does not let the job restore anything.
func (s *Service) RetrieveCache(ctx context.Context, actor authz.Actor, slug string, asked domain.CacheAddress) (
	found FoundCacheEntry, err error) {
	call, err := s.permitCache(ctx, actor, slug, domain.CacheRetrieve, asked.Check)
	if err != nil {
		return found, err
	}
	call.asked = asked
	if err := call.refusal(); err != nil {
		s.recordCacheUse(&call, domain.CacheDenied)
		return found, err
	}
	found, isThere, now, err := s.findCacheEntry(ctx, &call)
	switch {
	case err != nil:
		return found, err
	case !isThere:
		s.recordCacheUse(&call, domain.CacheMiss)
		return found, errNoCacheEntry
	case found.Fallback:
		s.recordCacheUse(&call, domain.CacheFallback)
		s.uses.use(found.ID, nil)
		return found, nil
	}
	s.recordCacheUse(&call, domain.CacheHit)
	return found, s.extendCacheEntry(ctx, &found, now)
}

// findCacheEntry looks for what a job may restore, and returns when it did.
func (s *Service) findCacheEntry(ctx context.Context, call *cacheCall) (
	found FoundCacheEntry, isThere bool, now time.Time, err error) {
	scopes := call.decision.AllowedEntries()
	hashes := make([]domain.CacheHashes, len(scopes))
	exact := make([]domain.CacheHash, len(scopes))
	for i := range scopes {
		hashes[i] = call.asked.Hashes(call.Registry.Entries(), scopes[i])
		exact[i] = hashes[i].Exact
	}
	var entries map[domain.CacheHash]domain.CacheEntry
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) error {
		if now, err = core.StoredNow(tx); err != nil {
			return err
		}
		entries, err = tx.CacheEntriesByHash(exact, now)
		return err
	})
	if err != nil {
		return found, false, now, err
	}
	for _, hash := range exact {
		if entry, ok := entries[hash]; ok {
			return FoundCacheEntry{CacheEntry: entry}, true, now, nil
		}
	}
	prefixes := fallbacksOf(&call.asked, hashes)
	if len(prefixes) == 0 {
		return found, false, now, nil
	}
	found.Fallback = true
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		found.CacheEntry, isThere, err = tx.NewestCacheEntry(prefixes, now)
		return err
	})
	return found, isThere, now, err
}

// fallbacksOf returns the beginnings of keys to look for, the best first: longer ones before shorter ones, and of these
// the better scopes first.
func fallbacksOf(asked *domain.CacheAddress, hashes []domain.CacheHashes) (prefixes []domain.CacheHash) {
	perScopes := make([][]domain.CacheHash, len(hashes))
	for i := range hashes {
		perScopes[i] = asked.Fallbacks(hashes[i])
	}
	for length := range perScopes[0] {
		for i := range perScopes {
			prefixes = append(prefixes, perScopes[i][length])
		}
	}
	return prefixes
}

// extendCacheEntry keeps an entry for longer that was restored by its exact key. That is stored a moment later, unless
// it would expire before.
func (s *Service) extendCacheEntry(ctx context.Context, found *FoundCacheEntry, now time.Time) error {
	isLate := found.ExpiresAt.Sub(now) < earlyCacheExtension
	found.ExpiresAt = now.Add(domain.CacheLifetime)
	if !isLate {
		s.uses.use(found.ID, &now)
		return nil
	}
	return s.core.Store.Write(ctx, func(tx store.Tx) error { return tx.UseCacheEntry(found.ID, 1, &now) })
}

// ExpireCache removes an entry whose content is gone, if the job could have saved it. Otherwise nothing happens.
func (s *Service) ExpireCache(ctx context.Context, actor authz.Actor, slug string, asked domain.CacheAddress) error {
	call, err := s.permitCache(ctx, actor, slug, domain.CacheExpire, asked.Check)
	if err != nil {
		return err
	}
	call.asked = asked
	removed := false
	if err = call.refusal(); err == nil {
		err = s.core.Store.Write(ctx, func(tx store.Tx) error {
			if err := s.decideAgain(tx, actor, slug, &call); err != nil {
				return err
			}
			hash := asked.Hashes(call.Registry.Entries(), *call.decision.Entry).Exact
			now, err := core.StoredNow(tx)
			if err != nil {
				return err
			}
			removed, err = tx.DeleteCacheEntry(call.Registry, hash, now)
			return err
		})
	}
	outcome := domain.CacheMiss
	if removed {
		outcome = domain.CacheRemoved
	}
	s.recordChange(&call, err, outcome)
	if !call.decision.Allowed {
		return nil // the agent goes on as after a miss
	}
	return err
}

// maxShownDecisions is how many decisions about a job are shown.
const maxShownDecisions = 50

// CacheDecisions returns the latest decisions of cache registries about a job, the newest first.
func (s *Service) CacheDecisions(ctx context.Context, actor authz.Actor, ref domain.JobRef) (
	[]domain.CacheDecision, error) {
	return core.View(ctx, s.core, actor, core.OrganizationOfJob(ref), func(tx store.Tx) ([]domain.CacheDecision, error) {
		in, err := s.core.InJob(tx, actor, ref, authz.ReadBuild)
		if err != nil {
			return nil, err
		}
		return tx.CacheDecisionsOfJob(in.JobID, maxShownDecisions)
	})
}
