// Package caches is the area of the service that is about what jobs save in the cache registries of their cluster, and
// restore from them. It imports internal/service/core and what lies below.
package caches

import "penstock/internal/service/core"

// Service answers jobs that use cache registries.
type Service struct {
	core *core.Core
	uses cacheUses
}

// New returns the service of caches.
func New(c *core.Core) *Service { return &Service{core: c} }
