package domain

import "time"

// Pipeline is what an organization builds from a repository.
type Pipeline struct {
	ID             PipelineID
	OrganizationID OrganizationID
	Slug           string
	Name           string
	Repository     string
	ClusterID      *ClusterID // nil: it belongs to none
	CreatedAt      time.Time
	ArchivedAt     *time.Time
}
