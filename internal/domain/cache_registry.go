package domain

import "time"

// The registry that every new cluster has.
const (
	DefaultCacheRegistryName = "Default"
	DefaultCacheRegistrySlug = "default"
)

// CacheRegistry is where a cluster's jobs save and restore cache entries, under its policy.
type CacheRegistry struct {
	ID          CacheRegistryID
	ClusterID   ClusterID
	Name        string
	Slug        string
	Description *string
	Emoji       *string
	Color       *string
	Policy      *string // normalized JSON; nil denies everything
	CreatedAt   time.Time
	UpdatedAt   time.Time
}
