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
