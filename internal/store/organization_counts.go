package store

import (
	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
)

// countShards is over how many rows an organization's counts are spread.
const countShards = 32

// addToCounts changes how many things an organization has.
func (tx Tx) addToCounts(id domain.OrganizationID, change domain.OrganizationCounts) error {
	return tx.Later(`INSERT INTO organization_counts (organization_id, shard, clusters, pipelines, archived_pipelines,
			cluster_changes, pipeline_changes)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (organization_id, shard) DO UPDATE SET clusters = organization_counts.clusters + excluded.clusters,
			pipelines = organization_counts.pipelines + excluded.pipelines,
			archived_pipelines = organization_counts.archived_pipelines + excluded.archived_pipelines,
			cluster_changes = organization_counts.cluster_changes + excluded.cluster_changes,
			pipeline_changes = organization_counts.pipeline_changes + excluded.pipeline_changes`,
		id, tx.Shard(countShards), change.Clusters, change.Pipelines, change.ArchivedPipelines, change.ClusterChanges,
		change.PipelineChanges)
}

const countSums = `CAST(sum(clusters) AS BIGINT) AS clusters, CAST(sum(pipelines) AS BIGINT) AS pipelines,
	CAST(sum(archived_pipelines) AS BIGINT) AS archived_pipelines,
	CAST(sum(cluster_changes) AS BIGINT) AS cluster_changes,
	CAST(sum(pipeline_changes) AS BIGINT) AS pipeline_changes`

func mapCounts(c *columns, n *domain.OrganizationCounts) {
	mapInt(c, "n.clusters", &n.Clusters)
	mapInt(c, "n.pipelines", &n.Pipelines)
	mapInt(c, "n.archived_pipelines", &n.ArchivedPipelines)
	mapInt(c, "n.cluster_changes", &n.ClusterChanges)
	mapInt(c, "n.pipeline_changes", &n.PipelineChanges)
}

var organizationCounts = selecting(mapCounts)

// OrganizationCounts returns how many things organizations have. One that has none may be missing.
func (tx Tx) OrganizationCounts(ids ...domain.OrganizationID) (
	map[domain.OrganizationID]domain.OrganizationCounts, error) {
	counts := make(map[domain.OrganizationID]domain.OrganizationCounts, len(ids))
	err := eachChunk(ids, func(some []domain.OrganizationID) error {
		var c columns
		return tx.run(clauseOf(`SELECT n.organization_id,
			`+organizationCounts.columns+` FROM (SELECT organization_id, `+countSums+`
			FROM organization_counts WHERE ?
			GROUP BY organization_id) n`, oneOf(`organization_id`, some)), func(r *db.Row) error {
			c.row = r
			id := domain.OrganizationID(r.Text())
			var n domain.OrganizationCounts
			mapCounts(&c, &n)
			counts[id] = n
			return c.err
		})
	})
	return counts, err
}

// CountedIdentity is an identity with how many things its organization has.
type CountedIdentity struct {
	authz.Identity
	Counts domain.OrganizationCounts
}

var selectCountedIdentity = requestFor(func(id *CountedIdentity) *authz.Identity { return &id.Identity },
	func(c *columns, id *CountedIdentity) { mapCounts(c, &id.Counts) },
	`CROSS JOIN (SELECT `+countSums+
		` FROM organization_counts WHERE organization_id = (SELECT o.id FROM organizations o WHERE `+anyOrganization+`)) n`)

type countedKey identityKey

// CountedIdentity is Identity for a list of the organization's things.
func (tx Tx) CountedIdentity(c authz.Credential, organization domain.OrganizationRef) (CountedIdentity, bool, error) {
	key := countedKey{c, organization}
	if known, ok := tx.Recall(key); ok {
		return known.(CountedIdentity), true, nil
	}
	id, found, err := selectCountedIdentity.run(tx, c, organization)
	if found && err == nil {
		tx.Remember(key, id)
	}
	return id, found, err
}
