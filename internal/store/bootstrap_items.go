package store

import (
	"fmt"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// BootstrapItemApplied reports whether an item of a bootstrap file was claimed before.
func (tx Tx) BootstrapItemApplied(kind, key string) (bool, error) {
	return tx.has(`SELECT 1 FROM bootstrap_items WHERE kind = $1 AND key = $2`, kind, key)
}

// ClaimBootstrapItem records that an item of a bootstrap file is applied, and reports whether this is the first
// time, ever: only then it is to be applied. While another transaction holds a claim on it, this waits for its end.
func (tx Tx) ClaimBootstrapItem(kind, key string, at time.Time) (bool, error) {
	n, err := tx.Exec(`INSERT INTO bootstrap_items (kind, key, applied_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		kind, key, db.Micros(at))
	return n > 0, err
}

// UnclaimBootstrapItem takes back that an item of a bootstrap file is applied.
func (tx Tx) UnclaimBootstrapItem(kind, key string) error {
	return tx.exec(`DELETE FROM bootstrap_items WHERE kind = $1 AND key = $2`, kind, key)
}

// ClusterIDByName returns the id of a cluster of the organization with that slug; of several with the name,
// the oldest.
func (tx Tx) ClusterIDByName(organization, name string) (domain.ClusterID, bool, error) {
	return one(tx, scanID[domain.ClusterID], `SELECT c.id FROM clusters c JOIN organizations o ON o.id = c.organization_id
		WHERE o.slug = $1 AND c.name_key = $2 AND c.name = $3 ORDER BY c.created_at, c.id LIMIT 1`, organization, domain.SortKey(name), name)
}

// HasMaintainer reports whether the user or team of the grant maintains a cluster.
func (tx Tx) HasMaintainer(cluster domain.ClusterID, grant domain.MaintainerGrant) (bool, error) {
	if grant.Team != nil {
		return tx.has(`SELECT 1 FROM cluster_maintainers WHERE cluster_id = $1 AND team_id = $2`, cluster, grant.Team)
	}
	return tx.has(`SELECT 1 FROM cluster_maintainers WHERE cluster_id = $1 AND user_id = $2`, cluster, grant.User)
}

// HasQueueKey reports whether a cluster has a queue with that key.
func (tx Tx) HasQueueKey(cluster domain.ClusterID, key string) (bool, error) {
	return tx.has(`SELECT 1 FROM cluster_queues WHERE cluster_id = $1 AND key = $2`, cluster, key)
}

// HasCacheRegistrySlug reports whether a cluster has a registry with that slug.
func (tx Tx) HasCacheRegistrySlug(cluster domain.ClusterID, slug string) (bool, error) {
	return tx.has(`SELECT 1 FROM cache_registries WHERE cluster_id = $1 AND slug = $2`, cluster, slug)
}

// IDTaken reports whether there is a thing with that id. The id's type says of which kind: it is one of those
// that an operator may choose.
func (tx Tx) IDTaken(id any) (bool, error) {
	var table string
	switch id.(type) {
	case domain.UserID:
		table = "users"
	case domain.OrganizationID:
		table = "organizations"
	case domain.TeamID:
		table = "teams"
	case domain.ClusterID:
		table = "clusters"
	case domain.QueueID:
		table = "cluster_queues"
	case domain.CacheRegistryID:
		table = "cache_registries"
	case domain.PipelineID:
		table = "pipelines"
	default:
		return false, fmt.Errorf("no operator chooses a %T", id)
	}
	return tx.has(`SELECT 1 FROM `+table+` WHERE id = $1`, id)
}

// scanID reads an id.
func scanID[T ~string](r *db.Row) T { return T(r.Text()) }
