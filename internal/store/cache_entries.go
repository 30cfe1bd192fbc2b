package store

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/policy"
)

func mapCacheAddress(c *columns, a *domain.CacheAddress) {
	mapJSON(c, "target_paths", &a.TargetPaths)
	mapJSON(c, "cache_key", &a.Key)
}

func mapCacheContent(c *columns, content *domain.CacheContent) {
	mapJSON(c, "blobs", &content.Blobs)
	mapText(c, "platform", &content.Platform)
}

var (
	cacheEntries = tableOf("cache_entries", "ce", func(c *columns, e *domain.CacheEntry) {
		mapText(c, "id", &e.ID)
		mapText(c, "set_id", &e.SetID)
		mapText(c, "scope_pipeline", &e.Scopes.Pipeline)
		mapText(c, "scope_branch", &e.Scopes.Branch)
		mapText(c, "scope_build", &e.Scopes.Build)
		mapCacheAddress(c, &e.CacheAddress)
		mapCacheContent(c, &e.CacheContent)
		mapText(c, "job_id", &e.JobID)
		mapTime(c, "created_at", &e.CreatedAt)
		c.changing()
		mapNullTime(c, "used_at", &e.UsedAt)
		mapInt(c, "restores", &e.Restores)
		mapTime(c, "expires_at", &e.ExpiresAt)
	})

	cacheUploads = tableOf("cache_uploads", "cu", func(c *columns, u *domain.CacheUpload) {
		mapText(c, "id", &u.ID)
		mapText(c, "set_id", &u.SetID)
		mapText(c, "job_id", &u.JobID)
		mapCacheAddress(c, &u.CacheAddress)
		mapCacheContent(c, &u.CacheContent)
		mapTime(c, "created_at", &u.CreatedAt)
		c.changing()
		mapBool(c, "is_committed", &u.Committed)
	})

	cacheDecisions = tableOf("cache_decisions", "cd", func(c *columns, d *domain.CacheDecision) {
		mapText(c, "id", &d.ID)
		mapText(c, "registry_id", &d.RegistryID)
		mapText(c, "job_id", &d.JobID)
		mapText(c, "pipeline_slug", &d.PipelineSlug)
		mapInt(c, "build_number", &d.BuildNumber)
		mapText(c, "branch", &d.Branch)
		mapText(c, "request", &d.Request)
		mapCacheAddress(c, &d.CacheAddress)
		mapBool(c, "is_allowed", &d.Allowed)
		mapText(c, "outcome", &d.Outcome)
		mapText(c, "entry", &d.Entry)
		mapText(c, "rule", &d.Rule)
		mapText(c, "reason", &d.Reason)
		mapText(c, "explanation", &d.Explanation)
		mapTime(c, "created_at", &d.CreatedAt)
	})

	cacheFigures = selecting(func(c *columns, f *domain.CacheStats) {
		mapText(c, "cy.day", &f.Day)
		mapInt(c, "cy.hits", &f.Hits)
		mapInt(c, "cy.fallbacks", &f.Fallbacks)
		mapInt(c, "cy.misses", &f.Misses)
		mapInt(c, "cy.saves", &f.Saves)
		mapInt(c, "cy.denials", &f.Denials)
		mapInt(c, "cy.entries", &f.Entries)
		mapInt(c, "cy.bytes", &f.Bytes)
	})

	cacheEntryView = selecting(func(c *columns, v *domain.CacheEntryView) {
		cacheEntries.visit(c, &v.CacheEntry)
		mapText(c, "p.slug", &v.PipelineSlug)
		mapInt(c, "COALESCE(b.number, 0)", &v.BuildNumber)
	})

	// CacheEntryRows are the entries of cache registries.
	CacheEntryRows = Rows[*domain.CacheEntryView]{
		items: pointersTo(cacheEntryView), tables: `cache_entries ce`,
		joins: `LEFT JOIN jobs j ON j.id = ce.job_id LEFT JOIN builds b ON b.id = j.build_id
			LEFT JOIN pipelines p ON p.id = b.pipeline_id`,
		id:           textKey(`ce.id`, func(e *domain.CacheEntryView) string { return string(e.ID) }),
		organization: `oc.organization_id`,
		owners: `JOIN cache_entry_sets os ON os.id = ce.set_id JOIN cache_registries r ON r.id = os.registry_id
			JOIN clusters oc ON oc.id = r.cluster_id`,
	}
)

// CacheEntriesOf lists entries, the newest first. Their parents are sets.
func CacheEntriesOf() List[*domain.CacheEntryView] {
	l := newList(CacheEntryRows, "cache entries", `ce.set_id`, `cache_entry_sets`)
	l.sortBy(timeKey(`ce.created_at`, func(e *domain.CacheEntryView) time.Time { return e.CreatedAt }))
	l.descending = true
	return l
}

// CacheCaller is a job that asks something of a cache registry, with the registry.
type CacheCaller struct {
	TokenJob
	Claims   policy.Claims
	Registry *domain.CacheRegistry // nil: the job's cluster has no such registry

	CountsAsAnother bool              // the branch in the claims is not that of the build, but of its origin
	Origin          *domain.BuildLink // nil: none, or it is gone
}

// WhyBranch says why the claims have another branch than the build; "": they do not.
func (x *CacheCaller) WhyBranch() string {
	if !x.CountsAsAnother {
		return ""
	}
	return domain.ExplainOrigin(x.Claims.BuildBranch, x.Origin)
}

var cacheCaller = selecting(func(c *columns, x *CacheCaller) {
	mapText(c, "j.id", &x.ID)
	mapText(c, "j.build_id", &x.BuildID)
	mapText(c, "jr.state", &x.State)
	mapNullTime(c, "jr.token_until", &x.TokenUntil)
	mapText(c, "o.slug", &x.Claims.OrganizationSlug)
	mapText(c, "p.slug", &x.Claims.PipelineSlug)
	mapInt(c, "b.number", &x.Claims.BuildNumber)
	mapText(c, "COALESCE(b.origin_branch, b.branch)", &x.Claims.BuildBranch)
	mapNullText(c, "NULLIF(COALESCE(b.origin_tag, b.tag), '')", &x.Claims.BuildTag)
	mapBool(c, "b.origin_branch IS NOT NULL AND (b.origin_branch <> b.branch OR b.origin_tag <> b.tag)",
		&x.CountsAsAnother)
	mapBuildLink(c, "ob", "op", &x.Origin)
	mapText(c, "b.commit_sha", &x.Claims.BuildCommit)
	mapNullText(c, "bs.step_key", &x.Claims.StepKey)
	mapText(c, "j.id", &x.Claims.JobID)
	mapText(c, "jr.agent_id", &x.Claims.AgentID)
	mapText(c, "b.source", &x.Claims.BuildSource)
	mapText(c, "CASE WHEN q.instance_shape IS NULL THEN 'self-hosted' ELSE 'hosted' END", &x.Claims.RunnerEnvironment)
	mapOptional(c, cacheRegistries, &x.Registry)
})

var selectCacheCaller = `SELECT ` + cacheCaller.columns + ` FROM ` + jobTables + `
	JOIN builds b ON b.id = j.build_id JOIN pipelines p ON p.id = b.pipeline_id
	JOIN organizations o ON o.id = b.organization_id
	LEFT JOIN build_steps bs ON bs.id = j.step_id LEFT JOIN cluster_queues q ON q.id = jr.queue_id
	LEFT JOIN builds ob ON ob.id = b.origin_build_id LEFT JOIN pipelines op ON op.id = ob.pipeline_id
	LEFT JOIN clusters c ON c.id = j.cluster_id LEFT JOIN cache_registries r ON r.cluster_id = c.id AND `

var (
	selectCacheCallerOfSlug    = selectCacheCaller + `r.slug = $2 WHERE jr.token_hash = $1`
	selectCacheCallerOfDefault = selectCacheCaller + `r.id = c.default_cache_registry_id WHERE jr.token_hash = $1`
)

// CacheCaller returns the job that a token is for, with a registry of its cluster: the one with the slug, or for ~ the
// default one.
func (tx Tx) CacheCaller(hash, slug string) (CacheCaller, bool, error) {
	if slug == domain.DefaultCacheRegistryRef {
		return selectOne(tx, cacheCaller.read, selectCacheCallerOfDefault, hash)
	}
	return selectOne(tx, cacheCaller.read, selectCacheCallerOfSlug, hash, slug)
}

// CacheStoreOf returns the address of the store of a cluster's registry: the one with the slug, or for ~ the default
// one; "" if there is none.
func (tx Tx) CacheStoreOf(cluster domain.ClusterID, slug string) (address string, err error) {
	sql := `SELECT r.cache_store FROM clusters c JOIN cache_registries r ON r.cluster_id = c.id AND r.slug = $2
		WHERE c.id = $1`
	args := []any{cluster, slug}
	if slug == domain.DefaultCacheRegistryRef {
		sql, args = `SELECT r.cache_store FROM clusters c JOIN cache_registries r ON r.id = c.default_cache_registry_id
			WHERE c.id = $1`, args[:1]
	}
	address, _, err = one(tx, scanID[string], sql, args...)
	return address, err
}

var selectCacheEntriesByHash = `SELECT ce.hash, ` + cacheEntries.columns +
	` FROM cache_entries ce WHERE ? AND ce.expires_at > ?`

// CacheEntriesByHash returns the entries with one of these hashes that have not expired, by their hashes.
func (tx Tx) CacheEntriesByHash(hashes []domain.CacheHash, now time.Time) (
	map[domain.CacheHash]domain.CacheEntry, error) {
	found := map[domain.CacheHash]domain.CacheEntry{}
	err := eachChunk(hashes, func(some []domain.CacheHash) error {
		var a arguments
		sql := a.write(clauseOf(selectCacheEntriesByHash, oneOf(`ce.hash`, some), db.Micros(now)))
		var c columns
		return tx.Query(sql, func(r *db.Row) error {
			hash := domain.CacheHash(r.Text())
			var e domain.CacheEntry
			c.row = r
			cacheEntries.read(&c, &e)
			found[hash] = e
			return c.err
		}, a.values...)
	})
	return found, err
}

// NewestCacheEntry returns the newest entry, of those that have not expired, whose key begins with the first of these
// hashes that any begins with.
func (tx Tx) NewestCacheEntry(prefixes []domain.CacheHash, now time.Time) (
	entry domain.CacheEntry, found bool, err error) {
	for len(prefixes) > 0 {
		some := prefixes[:min(len(prefixes), maxChunk)]
		prefixes = prefixes[len(some):]
		perPrefix, err := tx.newestPerPrefix(some, now)
		if err != nil {
			return entry, false, err
		}
		for _, prefix := range some {
			if id, ok := perPrefix[prefix]; ok {
				return selectOne(tx, cacheEntries.read, `SELECT `+cacheEntries.columns+` FROM cache_entries ce WHERE ce.id = $1`,
					id)
			}
		}
	}
	return entry, false, nil
}

// newestPerPrefix returns the newest entry whose key begins with each of these hashes.
func (tx Tx) newestPerPrefix(prefixes []domain.CacheHash, now time.Time) (
	map[domain.CacheHash]domain.CacheEntryID, error) {
	size := 1
	for size < len(prefixes) { // few different texts, each of which is prepared once
		size *= 2
	}
	args := make([]any, 1, 1+size)
	args[0] = db.Micros(now)
	for i := range size {
		args = append(args, string(prefixes[min(i, len(prefixes)-1)]))
	}
	newest := make(map[domain.CacheHash]domain.CacheEntryID, len(prefixes))
	err := tx.Query(selectNewestPerPrefix(size), func(r *db.Row) error {
		prefix, id := domain.CacheHash(r.Text()), domain.CacheEntryID(r.Text())
		if id != "" {
			newest[prefix] = id
		}
		return nil
	}, args...)
	return newest, err
}

// selectNewestPerPrefix looks at one place of an index for each of so many hashes. SQLite reads what is joined by CROSS
// JOIN in this order.
func selectNewestPerPrefix(size int) string {
	values := make([]string, size)
	for i := range values {
		values[i] = `(CAST($` + strconv.Itoa(i+2) + ` AS TEXT))`
	}
	return `SELECT v.column1, (SELECT cp.entry_id FROM cache_entry_prefixes cp CROSS JOIN cache_entries ce
			WHERE cp.hash = v.column1 AND ce.id = cp.entry_id AND ce.expires_at > $1 ORDER BY cp.created_at DESC, cp.entry_id
			DESC LIMIT 1)
		FROM (VALUES ` + strings.Join(values, `, `) + `) v`
}

// InsertCacheUpload stores that a job saves an entry.
func (tx Tx) InsertCacheUpload(u domain.CacheUpload) error { return cacheUploads.insert(tx.Later, u) }

// CountCacheUploads returns how many entries a job has saved lately.
func (tx Tx) CountCacheUploads(job domain.JobID) (count int64, err error) {
	_, err = tx.One(`SELECT count(*) FROM cache_uploads WHERE job_id = $1`, func(r *db.Row) { count = r.Int() }, job)
	return count, err
}

// CommitCacheUpload stores that an upload was committed.
func (tx Tx) CommitCacheUpload(id domain.CacheUploadID) error {
	return tx.exec(`UPDATE cache_uploads SET is_committed = TRUE WHERE id = $1`, id)
}

// ReplaceCacheEntry stores an entry in the place of the one that has its address. Its registry is locked.
func (tx Tx) ReplaceCacheEntry(e domain.CacheEntry, registry domain.CacheRegistryID) error {
	hashes := e.Hashes(e.SetID, e.Scopes)
	removed, err := tx.deleteCacheEntries(clauseOf(`hash = ?`, string(hashes.Exact)))
	if err != nil {
		return err
	}
	size := e.Size()
	if err := cacheEntries.insert(tx.exec, e, set("hash", string(hashes.Exact)), set("size", size)); err != nil {
		return err
	}
	for _, prefix := range hashes.Prefixes {
		if err := tx.Later(`INSERT INTO cache_entry_prefixes (hash, created_at, entry_id) VALUES ($1, $2, $3)`,
			string(prefix), db.Micros(e.CreatedAt), e.ID); err != nil {
			return err
		}
	}
	gone := removed[e.SetID]
	return tx.countCacheEntries(e.SetID, registry, 1-gone.entries, size-gone.bytes, 1, e.CreatedAt)
}

// DeleteCacheEntry deletes the entry with the hash, and reports whether there was one.
func (tx Tx) DeleteCacheEntry(registry *domain.CacheRegistry, hash domain.CacheHash, now time.Time) (bool, error) {
	return tx.deleteCounted(registry, clauseOf(`hash = ? AND set_id = ?`, string(hash), registry.Entries()), now)
}

// DeleteCacheEntryByID deletes an entry, and reports whether there was one.
func (tx Tx) DeleteCacheEntryByID(registry *domain.CacheRegistry, id domain.CacheEntryID, now time.Time) (bool, error) {
	return tx.deleteCounted(registry, clauseOf(`id = ? AND set_id = ?`, id, registry.Entries()), now)
}

func (tx Tx) deleteCounted(registry *domain.CacheRegistry, where clause, now time.Time) (bool, error) {
	removed, err := tx.deleteCacheEntries(where)
	gone := removed[registry.Entries()]
	if err != nil || gone.entries == 0 {
		return false, err
	}
	return true, tx.countCacheEntries(registry.Entries(), registry.ID, -gone.entries, -gone.bytes, 0, now)
}

// cacheAmount is how much there is of something in a set.
type cacheAmount struct{ entries, bytes int64 }

// deleteCacheEntries deletes entries, and returns how much they were in each set. What it deletes is to be counted.
func (tx Tx) deleteCacheEntries(where clause) (map[domain.CacheEntrySetID]cacheAmount, error) {
	var a arguments
	removed := map[domain.CacheEntrySetID]cacheAmount{}
	err := tx.Query(`DELETE FROM cache_entries WHERE `+a.write(where)+` RETURNING set_id, size`, func(r *db.Row) error {
		id := domain.CacheEntrySetID(r.Text())
		amount := removed[id]
		amount.entries, amount.bytes = amount.entries+1, amount.bytes+r.Int()
		removed[id] = amount
		return nil
	}, a.values...)
	return removed, err
}

// countCacheEntries adds to what a set holds, and records that in the figures of the day.
func (tx Tx) countCacheEntries(id domain.CacheEntrySetID, registry domain.CacheRegistryID, entries, bytes, saves int64,
	now time.Time) error {
	var held cacheAmount
	_, err := tx.One(`INSERT INTO cache_entry_sets (id, registry_id, entries, bytes) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET entries = cache_entry_sets.entries + excluded.entries, bytes = cache_entry_sets.bytes +
		excluded.bytes
		RETURNING entries, bytes`, func(r *db.Row) { held = cacheAmount{r.Int(), r.Int()} }, id, registry, entries, bytes)
	if err != nil {
		return err
	}
	return tx.exec(`INSERT INTO cache_days (registry_id, day, hits, fallbacks, misses, saves, denials, entries, bytes)
		SELECT r.id, $2, 0, 0, 0, $3, 0, $4, $5 FROM cache_registries r WHERE r.id = $1
		AND COALESCE(r.entry_set_id, r.id) = $6
		ON CONFLICT (registry_id, day) DO UPDATE SET saves = cache_days.saves + excluded.saves, entries = excluded.entries,
		bytes = excluded.bytes`,
		registry, CacheDay(now), saves, held.entries, held.bytes, id)
}

// CacheDay returns the day of a time, as figures have it.
func CacheDay(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// AddCacheStats adds what happened in a registry on a day. Nothing happens if the registry is gone.
func (tx Tx) AddCacheStats(registry domain.CacheRegistryID, f domain.CacheStats) error {
	return tx.exec(`INSERT INTO cache_days (registry_id, day, hits, fallbacks, misses, saves, denials, entries, bytes)
		SELECT r.id, $2, $3, $4, $5, 0, $6, COALESCE(es.entries, 0), COALESCE(es.bytes, 0) FROM cache_registries r
		LEFT JOIN cache_entry_sets es ON es.id = COALESCE(r.entry_set_id, r.id) WHERE r.id = $1
		ON CONFLICT (registry_id, day) DO UPDATE SET hits = cache_days.hits + excluded.hits,
		fallbacks = cache_days.fallbacks + excluded.fallbacks,
			misses = cache_days.misses + excluded.misses, denials = cache_days.denials + excluded.denials`,
		registry, f.Day, f.Hits, f.Fallbacks, f.Misses, f.Denials)
}

// RecordEmptyCache records in the figures of a day that a registry holds nothing any more.
func (tx Tx) RecordEmptyCache(registry domain.CacheRegistryID, now time.Time) error {
	return tx.exec(`INSERT INTO cache_days (registry_id, day, hits, fallbacks, misses, saves, denials, entries, bytes)
		VALUES ($1, $2, 0, 0, 0, 0, 0, 0, 0)
		ON CONFLICT (registry_id, day) DO UPDATE SET entries = 0, bytes = 0`, registry, CacheDay(now))
}

// CacheStats returns the figures of a registry, the latest day first.
func (tx Tx) CacheStats(registry domain.CacheRegistryID, days int) ([]domain.CacheStats, error) {
	return selectAll(tx, cacheFigures.read, `SELECT `+cacheFigures.columns+
		` FROM cache_days cy WHERE cy.registry_id = $1 ORDER BY cy.day DESC LIMIT $2`, registry, days)
}

// CacheHoldings returns how many entries a set has, and their size.
func (tx Tx) CacheHoldings(id domain.CacheEntrySetID) (entries, bytes int64, err error) {
	_, err = tx.One(`SELECT entries, bytes FROM cache_entry_sets WHERE id = $1`,
		func(r *db.Row) { entries, bytes = r.Int(), r.Int() }, id)
	return entries, bytes, err
}

// UseCacheEntry records that an entry was restored: so many times, last by its exact key at a time, which keeps it for
// longer; nil: not by that.
func (tx Tx) UseCacheEntry(id domain.CacheEntryID, restores int64, exactly *time.Time) error {
	if exactly == nil {
		return tx.exec(`UPDATE cache_entries SET restores = restores + $2 WHERE id = $1`, id, restores)
	}
	return tx.exec(`UPDATE cache_entries SET restores = restores + $2, used_at = CASE WHEN used_at > $3 THEN used_at
		ELSE $3 END,
		expires_at = CASE WHEN expires_at > $4 THEN expires_at ELSE $4 END
		WHERE id = $1`, id, restores, db.Micros(*exactly), db.Micros(exactly.Add(domain.CacheLifetime)))
}

// InsertCacheDecision stores a decision, unless its registry is gone.
func (tx Tx) InsertCacheDecision(d domain.CacheDecision) error {
	isThere, err := tx.has(`SELECT 1 FROM cache_registries WHERE id = $1`, d.RegistryID)
	if err != nil || !isThere {
		return err
	}
	return cacheDecisions.insert(tx.exec, d)
}

// TrimCacheDecisions deletes all but the latest decisions of a registry.
func (tx Tx) TrimCacheDecisions(registry domain.CacheRegistryID) error {
	for _, allowed := range []bool{true, false} {
		err := tx.exec(`DELETE FROM cache_decisions WHERE registry_id = $1 AND is_allowed = $2 AND id <
			(SELECT cd.id FROM cache_decisions cd WHERE cd.registry_id = $1 AND cd.is_allowed = $2 ORDER BY cd.id DESC
			LIMIT 1 OFFSET $3)`,
			registry, allowed, domain.KeptCacheDecisions-1)
		if err != nil {
			return err
		}
	}
	return nil
}

// CacheDecisionsOfRegistry returns the latest decisions of a registry, the newest first.
func (tx Tx) CacheDecisionsOfRegistry(registry domain.CacheRegistryID, limit int) ([]domain.CacheDecision, error) {
	return selectAll(tx, cacheDecisions.read, `SELECT `+cacheDecisions.columns+
		` FROM cache_decisions cd WHERE cd.registry_id = $1 ORDER BY cd.id DESC LIMIT $2`, registry, limit)
}

// CacheDecisionsOfJob returns the decisions about a job that are kept, the newest first.
func (tx Tx) CacheDecisionsOfJob(job domain.JobID, limit int) ([]domain.CacheDecision, error) {
	return selectAll(tx, cacheDecisions.read, `SELECT `+cacheDecisions.columns+
		` FROM cache_decisions cd WHERE cd.job_id = $1 ORDER BY cd.id DESC LIMIT $2`, job, limit)
}

// CacheEntry returns an entry of a registry.
func (tx Tx) CacheEntry(id domain.CacheEntrySetID, entry domain.CacheEntryID) (domain.CacheEntryView, bool, error) {
	return selectOne(tx, cacheEntryView.read, `SELECT `+cacheEntryView.columns+` FROM cache_entries ce `+
		CacheEntryRows.joins+` WHERE ce.id = $1 AND ce.set_id = $2`, entry, id)
}

// DeleteExpiredCacheEntries deletes some of the entries that have expired, and returns how many.
func (tx Tx) DeleteExpiredCacheEntries(now time.Time, limit int) (int, error) {
	ids, err := all(tx, scanID[domain.CacheEntryID],
		`SELECT id FROM cache_entries WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2`+tx.andLockFree(), db.Micros(now),
		limit)
	if err != nil {
		return 0, err
	}
	return len(ids), tx.deleteCacheEntriesByID(ids, now)
}

func (tx Tx) deleteCacheEntriesByID(ids []domain.CacheEntryID, now time.Time) error {
	total := map[domain.CacheEntrySetID]cacheAmount{}
	err := eachChunk(ids, func(some []domain.CacheEntryID) error {
		removed, err := tx.deleteCacheEntries(oneOf(`id`, some))
		for id, amount := range removed {
			total[id] = cacheAmount{total[id].entries + amount.entries, total[id].bytes + amount.bytes}
		}
		return err
	})
	if err != nil {
		return err
	}
	// in one order, so that two who do this do not wait for each other
	for _, id := range slices.Sorted(maps.Keys(total)) {
		registry, _, err := one(tx, scanID[domain.CacheRegistryID], `SELECT registry_id FROM cache_entry_sets WHERE id = $1`,
			id)
		if err == nil {
			err = tx.countCacheEntries(id, registry, -total[id].entries, -total[id].bytes, 0, now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// LeftCacheEntrySets returns sets that are no registry's any more.
func (tx Tx) LeftCacheEntrySets(now time.Time) ([]domain.CacheEntrySetID, error) {
	return all(tx, scanID[domain.CacheEntrySetID], `SELECT es.id FROM cache_entry_sets es
		LEFT JOIN cache_registries r ON r.id = es.registry_id AND COALESCE(r.entry_set_id, r.id) = es.id WHERE r.id IS NULL`+
		ifDue(SweepCaches, "es.id", "$1")+` ORDER BY es.id`, db.Micros(now))
}

// DeleteCacheEntriesOfSet deletes some of the entries of a set that is no registry's any more, and the set with the
// last of them. It returns how many.
func (tx Tx) DeleteCacheEntriesOfSet(id domain.CacheEntrySetID, limit int) (int, error) {
	ids, err := all(tx, scanID[domain.CacheEntryID],
		`SELECT id FROM cache_entries WHERE set_id = $1 ORDER BY created_at, id LIMIT $2`+tx.andLockFree(), id, limit)
	if err != nil {
		return 0, err
	}
	if len(ids) == 0 {
		return 0, tx.exec(
			`DELETE FROM cache_entry_sets WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM cache_entries ce WHERE ce.set_id = $1)`,
			id)
	}
	return len(ids), eachChunk(ids, func(some []domain.CacheEntryID) error {
		_, err := tx.deleteCacheEntries(oneOf(`id`, some))
		return err
	})
}

// DeleteOldCacheUploads deletes some of the uploads that began before a time, and returns how many.
func (tx Tx) DeleteOldCacheUploads(before time.Time, limit int) (int, error) {
	ids, err := all(tx, scanID[domain.CacheUploadID],
		`SELECT id FROM cache_uploads WHERE created_at <= $1 ORDER BY created_at LIMIT $2`+tx.andLockFree(),
		db.Micros(before), limit)
	if err != nil {
		return 0, err
	}
	return len(ids), eachChunk(ids, func(some []domain.CacheUploadID) error {
		var a arguments
		return tx.exec(`DELETE FROM cache_uploads WHERE `+a.write(oneOf(`id`, some)), a.values...)
	})
}

// DeleteOldCacheDays deletes the figures of days before one.
func (tx Tx) DeleteOldCacheDays(day string) error {
	return tx.exec(`DELETE FROM cache_days WHERE day < $1`, day)
}
