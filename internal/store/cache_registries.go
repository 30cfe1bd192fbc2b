package store

import (
	"slices"

	"penstock/internal/db"
	"penstock/internal/domain"
)

const registryColumns = `r.id, r.cluster_id, r.name, r.slug, r.description, r.emoji, r.color, r.policy, r.cache_store, r.created_at, r.updated_at`

func scanCacheRegistry(r *db.Row) domain.CacheRegistry {
	return domain.CacheRegistry{
		ID:          domain.CacheRegistryID(r.Text()),
		ClusterID:   domain.ClusterID(r.Text()),
		Name:        r.Text(),
		Slug:        r.Text(),
		Description: r.NullText(),
		Emoji:       r.NullText(),
		Color:       r.NullText(),
		Policy:      r.NullText(),
		CacheStore:  r.NullText(),
		CreatedAt:   r.Time(),
		UpdatedAt:   r.Time(),
	}
}

// CacheRegistriesAfter returns up to n registries of a cluster, by slug, whose slugs come after the given
// one.
func (tx Tx) CacheRegistriesAfter(cluster domain.ClusterID, slug string, n int64) ([]domain.CacheRegistry, error) {
	return all(tx, scanCacheRegistry, `SELECT `+registryColumns+` FROM cache_registries r
		WHERE r.cluster_id = $1 AND r.slug > $2 ORDER BY r.slug`+limit(n), cluster, slug)
}

// CacheRegistriesBefore returns up to n registries of a cluster, by slug, the last whose slugs come before
// the given one, or the last of all if that is empty.
func (tx Tx) CacheRegistriesBefore(cluster domain.ClusterID, slug string, n int64) ([]domain.CacheRegistry, error) {
	if slug == "" {
		slug = "~" // no slug comes after it
	}
	registries, err := all(tx, scanCacheRegistry, `SELECT `+registryColumns+` FROM cache_registries r
		WHERE r.cluster_id = $1 AND r.slug < $2 ORDER BY r.slug DESC`+limit(n), cluster, slug)
	slices.Reverse(registries)
	return registries, err
}

// CacheRegistry returns one registry of a cluster.
func (tx Tx) CacheRegistry(cluster domain.ClusterID, id domain.CacheRegistryID) (domain.CacheRegistry, bool, error) {
	return one(tx, scanCacheRegistry, `SELECT `+registryColumns+` FROM cache_registries r WHERE r.cluster_id = $1 AND r.id = $2`, cluster, id)
}

// InsertCacheRegistry stores a new registry. It returns an Invalid error if its slug is taken.
func (tx Tx) InsertCacheRegistry(c domain.CacheRegistry, by domain.UserID) error {
	return taken(insertCacheRegistry(tx, c, by), "name", domain.CacheRegistrySlugTaken(c.Slug))
}

func insertCacheRegistry(tx Tx, c domain.CacheRegistry, by domain.UserID) error {
	return tx.exec(`INSERT INTO cache_registries (id, cluster_id, slug, name, description, emoji, color, policy, cache_store, created_at, updated_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`, c.ID, c.ClusterID, c.Slug, c.Name, c.Description, c.Emoji, c.Color,
		c.Policy, c.CacheStore, db.Micros(c.CreatedAt), db.Micros(c.UpdatedAt), nullUser(by))
}

// UpdateCacheRegistry stores the registry's changed state. It returns an Invalid error if its new slug is taken.
func (tx Tx) UpdateCacheRegistry(c domain.CacheRegistry) error {
	err := tx.exec(`UPDATE cache_registries SET slug = $2, name = $3, description = $4, emoji = $5, color = $6, policy = $7, cache_store = $8,
		updated_at = $9 WHERE id = $1`, c.ID, c.Slug, c.Name, c.Description, c.Emoji, c.Color, c.Policy, c.CacheStore, db.Micros(c.UpdatedAt))
	return taken(err, "name", domain.CacheRegistrySlugTaken(c.Slug))
}

// DeleteCacheRegistry deletes a registry.
func (tx Tx) DeleteCacheRegistry(id domain.CacheRegistryID) error {
	return tx.exec(`DELETE FROM cache_registries WHERE id = $1`, id)
}
