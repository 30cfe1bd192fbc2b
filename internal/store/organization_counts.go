package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

// countShards is over how many rows an organization's counts are spread.
const countShards = 32

// addToCounts changes how many things an organization has.
func (tx Tx) addToCounts(id domain.OrganizationID, change domain.OrganizationCounts) error {
	return tx.Later(`INSERT INTO organization_counts (organization_id, shard, clusters, pipelines, archived_pipelines) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (organization_id, shard) DO UPDATE SET clusters = organization_counts.clusters + excluded.clusters,
			pipelines = organization_counts.pipelines + excluded.pipelines,
			archived_pipelines = organization_counts.archived_pipelines + excluded.archived_pipelines`,
		id, tx.Shard(countShards), change.Clusters, change.Pipelines, change.ArchivedPipelines)
}

// OrganizationCounts returns how many things organizations have. One that has none may be missing.
func (tx Tx) OrganizationCounts(ids ...domain.OrganizationID) (map[domain.OrganizationID]domain.OrganizationCounts, error) {
	counts := make(map[domain.OrganizationID]domain.OrganizationCounts, len(ids))
	err := inParts(ids, func(some []domain.OrganizationID) error {
		var a arguments
		return tx.Query(`SELECT organization_id, CAST(sum(clusters) AS BIGINT), CAST(sum(pipelines) AS BIGINT), CAST(sum(archived_pipelines) AS BIGINT)
			FROM organization_counts WHERE `+in(&a, `organization_id`, some)+` GROUP BY organization_id`, func(r *db.Row) error {
			counts[domain.OrganizationID(r.Text())] = domain.OrganizationCounts{Clusters: r.Int(), Pipelines: r.Int(), ArchivedPipelines: r.Int()}
			return nil
		}, a.values...)
	})
	return counts, err
}
