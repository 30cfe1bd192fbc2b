package store

import "penstock/internal/domain"

var (
	cacheRegistries = tableOf("cache_registries", "r", func(c *columns, r *domain.CacheRegistry) {
		mapText(c, "id", &r.ID)
		mapText(c, "cluster_id", &r.ClusterID)
		mapTime(c, "created_at", &r.CreatedAt)
		c.changing()
		mapText(c, "name", &r.Name)
		mapText(c, "slug", &r.Slug)
		mapLook(c, &r.Look)
		mapNullText(c, "policy", &r.Policy)
		mapNullText(c, "cache_store", &r.CacheStore)
		mapNullText(c, "entry_set_id", &r.EntrySetID)
		mapTime(c, "updated_at", &r.UpdatedAt)
	})

	// CacheRegistryRows are the cache registries of clusters.
	CacheRegistryRows = Rows[*domain.CacheRegistry]{
		items: pointersTo(cacheRegistries.selection), tables: `cache_registries r`,
		id:           textKey(`r.id`, func(r *domain.CacheRegistry) string { return string(r.ID) }),
		organization: `oc.organization_id`, owners: `JOIN clusters oc ON oc.id = r.cluster_id`,
	}
)

// CacheRegistriesOf lists the registries of clusters, by slug.
func CacheRegistriesOf() List[*domain.CacheRegistry] {
	l := newList(CacheRegistryRows, "cache registries", `r.cluster_id`, `clusters`)
	l.sortBy(textKey(`r.slug`, func(r *domain.CacheRegistry) string { return r.Slug }))
	return l
}

// CacheRegistry returns one registry of a cluster.
func (tx Tx) CacheRegistry(cluster domain.ClusterID, id domain.CacheRegistryID) (domain.CacheRegistry, bool, error) {
	return selectOne(tx, cacheRegistries.read, `SELECT `+cacheRegistries.columns+
		` FROM cache_registries r WHERE r.cluster_id = $1 AND r.id = $2`, cluster, id)
}

// HasCacheRegistrySlug reports whether a cluster has a registry with that slug.
func (tx Tx) HasCacheRegistrySlug(cluster domain.ClusterID, slug string) (bool, error) {
	return tx.has(`SELECT 1 FROM cache_registries WHERE cluster_id = $1 AND slug = $2`, cluster, slug)
}

// InsertCacheRegistry stores a new registry. It returns an Invalid error if its slug is taken.
func (tx Tx) InsertCacheRegistry(r domain.CacheRegistry, by domain.UserID) error {
	return taken(cacheRegistries.insert(tx.exec, r, setUser("created_by", by)), "name",
		domain.CacheRegistrySlugTaken(r.Slug))
}

// UpdateCacheRegistry stores the registry's changed state. It returns an Invalid error if its new slug is taken.
func (tx Tx) UpdateCacheRegistry(r domain.CacheRegistry) error {
	return taken(cacheRegistries.update(tx.exec, r), "name", domain.CacheRegistrySlugTaken(r.Slug))
}

// DeleteCacheRegistry deletes a registry.
func (tx Tx) DeleteCacheRegistry(id domain.CacheRegistryID) error {
	return tx.exec(`DELETE FROM cache_registries WHERE id = $1`, id)
}
