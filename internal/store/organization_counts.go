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
		return tx.Query(`SELECT organization_id, `+countSums+` FROM organization_counts WHERE `+in(&a, `organization_id`, some)+` GROUP BY organization_id`,
			func(r *db.Row) error {
				counts[domain.OrganizationID(r.Text())] = scanCounts(r)
				return nil
			}, a.values...)
	})
	return counts, err
}

const countSums = `CAST(sum(clusters) AS BIGINT) AS clusters, CAST(sum(pipelines) AS BIGINT) AS pipelines, CAST(sum(archived_pipelines) AS BIGINT) AS archived_pipelines`

func scanCounts(r *db.Row) domain.OrganizationCounts {
	return domain.OrganizationCounts{Clusters: r.Int(), Pipelines: r.Int(), ArchivedPipelines: r.Int()}
}

// CountedIdentity is an identity with how many things its organization has.
type CountedIdentity struct {
	authz.Identity
	Counts domain.OrganizationCounts
}

var selectCountedIdentity = perCredential(func(identity identitySQL) string {
	return `SELECT n.clusters, n.pipelines, n.archived_pipelines, ` + identity.columns + ` FROM ` + identity.tables + `
		CROSS JOIN (SELECT ` + countSums + ` FROM organization_counts WHERE organization_id = (SELECT id FROM organizations WHERE slug = $2)) n
		WHERE t.hash = $1`
})

// CountedIdentity is Identity for a list of the organization's things.
func (tx Tx) CountedIdentity(c authz.Credential, organization string) (CountedIdentity, bool, error) {
	return one(tx, func(r *db.Row) CountedIdentity {
		return CountedIdentity{Counts: scanCounts(r), Identity: scanIdentity(r, c)}
	}, selectCountedIdentity[c.Kind], c.Hash, organization)
}
