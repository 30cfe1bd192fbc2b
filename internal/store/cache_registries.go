package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

// InsertCacheRegistry stores a new registry. It returns an Invalid error if its slug is taken.
func (tx Tx) InsertCacheRegistry(c domain.CacheRegistry, by domain.UserID) error {
	err := tx.exec(`INSERT INTO cache_registries (id, cluster_id, slug, name, description, emoji, color, policy, created_at, updated_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`, c.ID, c.ClusterID, c.Slug, c.Name, c.Description, c.Emoji, c.Color,
		c.Policy, db.Micros(c.CreatedAt), db.Micros(c.UpdatedAt), nullUser(by))
	return taken(err, "name", "A cache registry with the slug "+c.Slug+" already exists in this cluster")
}

// ClusterHasCacheRegistry reports whether the registry belongs to the cluster.
func (tx Tx) ClusterHasCacheRegistry(cluster domain.ClusterID, id domain.CacheRegistryID) (bool, error) {
	_, found, err := one(tx, (*db.Row).Int, `SELECT 1 FROM cache_registries WHERE cluster_id = $1 AND id = $2`, cluster, id)
	return found, err
}
