package store

import (
	"penstock/internal/db"
	"penstock/internal/domain"
)

// HasPipeline reports whether an organization has a pipeline with that slug.
func (tx Tx) HasPipeline(organization domain.OrganizationID, slug string) (bool, error) {
	return tx.has(`SELECT 1 FROM pipelines WHERE organization_id = $1 AND slug = $2`, organization, slug)
}

// InsertPipeline stores a new pipeline. It returns an Invalid error if its slug is taken.
func (tx Tx) InsertPipeline(p domain.Pipeline, by domain.UserID) error {
	err := tx.exec(`INSERT INTO pipelines (id, organization_id, slug, name, name_key, repository, cluster_id, created_at, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, p.ID, p.OrganizationID, p.Slug, p.Name, domain.SortKey(p.Name), p.Repository,
		p.ClusterID, db.Micros(p.CreatedAt), nullUser(by))
	return taken(err, "slug", domain.SlugTaken)
}
