package domain

import "time"

const (
	maxDescription    = 10_000
	maxMaintainers    = 100
	defaultQueueID    = "default_queue_id"
	defaultRegistryID = "default_cache_registry_uuid"
)

// Cluster is an isolated set of agents and pipelines within an organization.
type Cluster struct {
	ID             ClusterID
	OrganizationID OrganizationID
	Name           string
	Look
	DefaultQueueID         *QueueID
	DefaultCacheRegistryID CacheRegistryID
	ClusterSettings
	QueuesCount       int64
	HostedQueuesCount int64
	CreatedAt         time.Time
}

// Hosted reports whether the cluster runs hosted agents.
func (c *Cluster) Hosted() bool { return c.HostedQueuesCount > 0 }

// ClusterRef names a cluster as callers do.
type ClusterRef struct {
	Organization OrganizationRef
	ID           string
	Of           ThingRef // instead of the id: the cluster that the thing belongs to
}

// ClusterInput is what a caller sends to make a cluster.
type ClusterInput struct {
	Name Optional[string]
	LookInput
	Maintainers Optional[[]MaintainerInput]
}

// NewCluster returns the cluster that the input describes and those who are to maintain it.
func NewCluster(in ClusterInput, organization OrganizationID, now time.Time, faults *Faults) (
	Cluster, []MaintainerGrant) {
	c := Cluster{
		ID:                     NewID[ClusterID](),
		OrganizationID:         organization,
		DefaultCacheRegistryID: NewID[CacheRegistryID](),
		CreatedAt:              now,
	}
	in.Name.requireIn("name", "Name", faults)
	if in.Name.HasValue() {
		c.Name = CheckName("name", "Name", in.Name.Value, faults)
	}
	applyLook(in.LookInput, &c.Look, faults)
	if !AllowMaintainers(len(in.Maintainers.Value), faults) {
		return c, nil
	}
	var grants []MaintainerGrant
	for _, m := range in.Maintainers.Value {
		if grant, ok := m.Grant("maintainers", faults); ok {
			grants = append(grants, grant)
		}
	}
	return c, grants
}

// ClusterPatch is what a caller sends to change a cluster.
type ClusterPatch struct {
	Name Optional[string]
	LookInput
	DefaultQueueID         Optional[string]
	DefaultCacheRegistryID Optional[string]
	ClusterSettingsInput
}

// Apply makes the changes of the patch. It returns the new default queue and registry, if given: the caller
// checks that they belong to the cluster.
func (c *Cluster) Apply(p ClusterPatch, faults *Faults) (queue *QueueID, registry *CacheRegistryID) {
	if p.Name.Given {
		c.Name = CheckName("name", "Name", p.Name.Value, faults)
	}
	applyLook(p.LookInput, &c.Look, faults)
	applySettings(SettingsOfClusters, &p, c, faults)
	if p.DefaultQueueID.Given {
		c.DefaultQueueID = nil
		if id, ok := ParseID[QueueID](p.DefaultQueueID.Value); ok {
			c.DefaultQueueID, queue = &id, &id
		} else if !p.DefaultQueueID.Null {
			FaultDefaultQueue(faults)
		}
	}
	if p.DefaultCacheRegistryID.Given {
		if id, ok := ParseID[CacheRegistryID](p.DefaultCacheRegistryID.Value); ok {
			c.DefaultCacheRegistryID, registry = id, &id
		} else {
			FaultDefaultCacheRegistry(faults)
		}
	}
	return queue, registry
}

// FaultDefaultQueue records that the default queue asked for is not one of the cluster's.
func FaultDefaultQueue(faults *Faults) {
	faults.Add(defaultQueueID, defaultQueueID+" must be the UUID of a queue in this cluster")
}

// FaultDefaultCacheRegistry records that the default registry asked for is not one of the cluster's.
func FaultDefaultCacheRegistry(faults *Faults) {
	faults.AddWhole(defaultRegistryID, defaultRegistryID+" must be the UUID of a cache registry in this cluster")
}

// requireIn records a fault if a property that must be given is not.
func (o Optional[T]) requireIn(field, label string, faults *Faults) {
	if !o.HasValue() && !faults.Has(field) {
		faults.Add(field, label+" can't be blank")
	}
}

// QueueAdded updates the cluster for a queue that was added to it.
func (c *Cluster) QueueAdded(q Queue) {
	c.QueuesCount++
	if q.Hosted == nil {
		return
	}
	c.HostedQueuesCount++
	if c.HostedQueuesCount == 1 {
		c.HostedContainerCacheEnabled = true
	}
}

// QueueRemoved updates the cluster for a queue that was removed from it.
func (c *Cluster) QueueRemoved(q Queue) {
	c.QueuesCount--
	if c.DefaultQueueID != nil && *c.DefaultQueueID == q.ID {
		c.DefaultQueueID = nil
	}
	if q.Hosted == nil {
		return
	}
	c.HostedQueuesCount--
	if c.HostedQueuesCount == 0 {
		c.HostedContainerCacheEnabled, c.HostedGitMirrorEnabled = false, false
	}
}
