package service

import (
	"slices"

	"penstock/internal/bootstrap"
	"penstock/internal/domain"
	"penstock/internal/service/core"
)

func (b *bootstrapping) cluster(c declaredCluster) error {
	return b.item(clusterItem, itemKey(c.of.Slug, c.Name), c.At, func() (bool, error) {
		organization, err := b.organization(c.At, c.of.Slug)
		if err != nil {
			return false, err
		}
		_, exists, err := b.tx.ClusterIDByName(c.of.Slug, c.Name)
		if err != nil || exists {
			return false, err
		}
		cluster, _ := domain.NewCluster(c.Input(), organization, b.now, new(domain.Faults))
		if cluster.ID, err = chosenID(b, c.At, c.ID); err != nil {
			return false, err
		}
		registry, err := b.firstCacheRegistry(c, &cluster)
		if err != nil {
			return false, err
		}
		by, err := b.creator(c.of)
		if err != nil {
			return false, err
		}
		if err := b.tx.InsertCluster(cluster, registry, by); err != nil {
			return false, err
		}
		return true, b.record(organization, domain.ClusterCreated, core.ClusterSubject(cluster), core.FactsOfCluster(cluster))
	})
}

// firstCacheRegistry returns the registry that a new cluster has from the start, as the file describes it if it
// does.
func (b *bootstrapping) firstCacheRegistry(c declaredCluster, cluster *domain.Cluster) (domain.CacheRegistry, error) {
	registry := domain.DefaultCacheRegistry(*cluster)
	i := slices.IndexFunc(c.CacheRegistries, func(r bootstrap.CacheRegistry) bool { return r.Slug == registry.Slug })
	if i < 0 {
		return registry, nil
	}
	r := c.CacheRegistries[i]
	err := b.item(cacheRegistryItem, itemKey(c.of.Slug, c.Name, r.Slug), r.At, func() (bool, error) {
		chosen, err := chosenID(b, r.At, r.ID)
		if err != nil {
			return false, err
		}
		registry = domain.NewCacheRegistry(r.Input(), cluster.ID, b.now, new(domain.Faults))
		registry.ID, cluster.DefaultCacheRegistryID = chosen, chosen
		return true, nil
	})
	return registry, err
}

func (b *bootstrapping) maintainers(c declaredCluster) error {
	return each(c.Maintainers, func(m *bootstrap.Maintainer) error {
		return b.item(maintainerItem, itemKey(c.of.Slug, c.Name, m.User, m.Team), m.At, func() (bool, error) {
			cluster, err := b.lockCluster(m.At, c.of.Slug, c.Name)
			if err != nil {
				return false, err
			}
			grant, err := b.grant(c.of, m)
			if err != nil {
				return false, err
			}
			exists, err := b.tx.HasMaintainer(cluster.ID, grant)
			if err != nil || exists {
				return false, err
			}
			by, err := b.creator(c.of)
			if err != nil {
				return false, err
			}
			made, err := b.tx.InsertMaintainer(cluster, grant, by, b.now)
			if err != nil {
				return false, err
			}
			return true, b.record(cluster.OrganizationID, domain.ClusterPermissionCreated, core.MaintainerSubject(made), core.FactsOfMaintainer(made))
		})
	})
}

func (b *bootstrapping) grant(o *bootstrap.Organization, m *bootstrap.Maintainer) (domain.MaintainerGrant, error) {
	if m.Team != "" {
		team, err := b.team(m.At.Key("team"), o.Slug, m.Team)
		return domain.MaintainerGrant{Team: &team}, err
	}
	user, err := b.member(m.At.Key("user"), o.Slug, m.User)
	return domain.MaintainerGrant{User: &user}, err
}

func (b *bootstrapping) queues(c declaredCluster) error {
	return each(c.Queues, func(q *bootstrap.Queue) error {
		return b.item(queueItem, itemKey(c.of.Slug, c.Name, q.Key), q.At, func() (bool, error) {
			cluster, err := b.lockCluster(q.At, c.of.Slug, c.Name)
			if err != nil {
				return false, err
			}
			exists, err := b.tx.HasQueueKey(cluster.ID, q.Key)
			if err != nil || exists {
				return false, err
			}
			queue := domain.NewQueue(q.Input(), cluster.ID, b.now, new(domain.Faults))
			if queue.ID, err = chosenID(b, q.At, q.ID); err != nil {
				return false, err
			}
			by, err := b.creator(c.of)
			if err != nil {
				return false, err
			}
			if err := b.tx.InsertQueue(queue, by); err != nil {
				return false, err
			}
			cluster.QueueAdded(queue)
			if q.Default {
				cluster.DefaultQueueID = &queue.ID
			}
			if err := b.tx.UpdateCluster(cluster); err != nil {
				return false, err
			}
			return true, b.record(cluster.OrganizationID, domain.ClusterQueueCreated, core.QueueSubject(queue), core.FactsOfQueue(queue))
		})
	})
}

func (b *bootstrapping) cacheRegistries(c declaredCluster) error {
	return each(c.CacheRegistries, func(r *bootstrap.CacheRegistry) error {
		return b.item(cacheRegistryItem, itemKey(c.of.Slug, c.Name, r.Slug), r.At, func() (bool, error) {
			cluster, err := b.lockCluster(r.At, c.of.Slug, c.Name)
			if err != nil {
				return false, err
			}
			exists, err := b.tx.HasCacheRegistrySlug(cluster.ID, r.Slug)
			if err != nil || exists {
				return false, err
			}
			registry := domain.NewCacheRegistry(r.Input(), cluster.ID, b.now, new(domain.Faults))
			if registry.ID, err = chosenID(b, r.At, r.ID); err != nil {
				return false, err
			}
			by, err := b.creator(c.of)
			if err != nil {
				return false, err
			}
			if err := b.tx.InsertCacheRegistry(registry, by); err != nil {
				return false, err
			}
			if r.Default {
				cluster.DefaultCacheRegistryID = registry.ID
				if err := b.tx.UpdateCluster(cluster); err != nil {
					return false, err
				}
			}
			return true, b.record(cluster.OrganizationID, domain.CacheRegistryCreated, core.CacheRegistrySubject(registry), core.FactsOfCacheRegistry(registry))
		})
	})
}
