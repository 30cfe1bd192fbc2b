package apply

import (
	"fmt"
	"slices"

	"penstock/internal/bootstrap"
	"penstock/internal/domain"
	"penstock/internal/service/core"
)

func (o *bootstrapOwner) applyCluster(c *bootstrap.Cluster) error {
	cluster, _ := domain.NewCluster(domain.ClusterInput{
		Name: domain.Some(c.Name), LookInput: lookOf(c.Description, c.Emoji, c.Color),
	}, o.id, o.now, &o.broken)
	chooseID(&cluster.ID, c.ID, &o.broken)
	err := o.item(c.Path, clusterItem, []string{c.Name}, func() (bool, error) {
		_, exists, err := o.tx.ClusterIDByName(o.slug, c.Name)
		if err != nil || exists {
			return false, err
		}
		return true, o.insert(c.Path, cluster.ID, func() error { return o.insertCluster(c, cluster) })
	})
	if err != nil {
		return err
	}
	in := bootstrapCluster{bootstrapOwner: o, name: c.Name}
	return runSteps(
		func() error { return each(c.Maintainers, in.applyMaintainer) },
		func() error { return each(c.Queues, in.applyQueue) },
		func() error { return each(c.CacheRegistries, in.applyCacheRegistry) },
	)
}

// insertCluster stores a cluster with the registry that it has from the start, as the file describes it if it does.
func (o *bootstrapOwner) insertCluster(c *bootstrap.Cluster, cluster domain.Cluster) error {
	registry := domain.DefaultCacheRegistry(cluster)
	path := c.Path
	for _, r := range c.CacheRegistries {
		var faults domain.Faults
		if declared := o.describeCacheRegistry(r, &faults); declared.Slug == registry.Slug && len(faults) == 0 {
			registry, path = declared, r.Path
			registry.ClusterID, cluster.DefaultCacheRegistryID = cluster.ID, registry.ID
			o.registries = append(o.registries, r.Path)
		}
	}
	err := o.insert(path, registry.ID, func() error { return o.tx.InsertCluster(cluster, registry, o.creator) })
	if err != nil {
		return err
	}
	return o.record(o.id, domain.ClusterCreated, core.ClusterSubject(cluster), core.FactsOfCluster(cluster))
}

func (b *bootstrapping) describeCacheRegistry(r *bootstrap.CacheRegistry, faults *domain.Faults) domain.CacheRegistry {
	in := domain.CacheRegistryInput{
		Name: domain.Some(r.Name), LookInput: lookOf(r.Description, r.Emoji, r.Color),
	}
	if r.Policy != nil {
		in.Policy = domain.Some(r.Policy)
	}
	registry := domain.NewCacheRegistry(in, "", b.now, faults)
	chooseID(&registry.ID, r.ID, faults)
	return registry
}

// bootstrapCluster applies what belongs to a cluster.
type bootstrapCluster struct {
	*bootstrapOwner
	name                          string
	defaultQueue, defaultRegistry string // the paths of what says which they are
}

// item is that of bootstrapOwner for an item that has those names in the cluster.
func (c *bootstrapCluster) item(path, kind string, names []string, apply func(domain.Cluster) (made bool,
	err error)) error {
	return c.bootstrapOwner.item(path, kind, slices.Insert(names, 0, c.name), func() (bool, error) {
		cluster, err := c.cluster(path, c.slug, c.name)
		if err != nil {
			return false, err
		}
		return apply(cluster)
	})
}

func (c *bootstrapCluster) applyMaintainer(m *bootstrap.Maintainer) error {
	if (m.User == "") == (m.Team == "") {
		c.broken.Add("", "must have either the key user or the key team")
	}
	return c.item(m.Path, maintainerItem, []string{domain.EmailKey(m.User), m.Team}, func(cluster domain.Cluster) (bool,
		error) {
		grant, err := c.grant(m)
		if err != nil {
			return false, err
		}
		exists, err := c.tx.HasMaintainer(cluster.ID, grant)
		if err != nil || exists {
			return false, err
		}
		made, err := c.tx.InsertMaintainer(cluster, grant, c.creator, c.now)
		if err != nil {
			return false, err
		}
		return true, c.record(c.id, domain.ClusterPermissionCreated, core.MaintainerSubject(made),
			core.FactsOfMaintainer(made))
	})
}

func (c *bootstrapCluster) grant(m *bootstrap.Maintainer) (domain.MaintainerGrant, error) {
	if m.Team != "" {
		team, err := c.team(m.Path+".team", c.slug, m.Team)
		return domain.MaintainerGrant{Team: &team}, err
	}
	user, err := c.member(m.Path+".user", c.slug, m.User)
	return domain.MaintainerGrant{User: &user}, err
}

func (c *bootstrapCluster) applyQueue(q *bootstrap.Queue) error {
	in := domain.QueueInput{Key: domain.Some(q.Key)}
	if q.HostedAgents != nil {
		in.Hosted = domain.Some(domain.HostedAgentsInput{InstanceShape: domain.Some(q.HostedAgents.InstanceShape)})
	}
	queue := domain.NewQueue(in, "", c.now, &c.broken)
	chooseID(&queue.ID, q.ID, &c.broken)
	c.checkDefault(q.Path, q.Default, &c.defaultQueue)
	return c.item(q.Path, queueItem, []string{q.Key}, func(cluster domain.Cluster) (bool, error) {
		exists, err := c.tx.HasQueueKey(cluster.ID, q.Key)
		if err != nil || exists {
			return false, err
		}
		queue.ClusterID = cluster.ID
		if err := c.insert(q.Path, queue.ID, func() error { return c.tx.InsertQueue(queue, c.creator) }); err != nil {
			return false, err
		}
		changed := cluster
		changed.QueueAdded(queue)
		if q.Default {
			changed.DefaultQueueID = &queue.ID
		}
		if err := c.tx.UpdateCluster(changed, cluster); err != nil {
			return false, err
		}
		return true, c.record(c.id, domain.ClusterQueueCreated, core.QueueSubject(queue), core.FactsOfQueue(queue))
	})
}

// checkDefault allows a cluster one default queue and one default registry.
func (c *bootstrapCluster) checkDefault(path string, isDefault bool, earlier *string) {
	switch {
	case !isDefault:
	case *earlier != "":
		c.broken.Add("default", fmt.Sprintf("the cluster has another default on line %d", c.file.Fault(*earlier, "").Line))
	default:
		*earlier = path + ".default"
	}
}

func (c *bootstrapCluster) applyCacheRegistry(r *bootstrap.CacheRegistry) error {
	registry := c.describeCacheRegistry(r, &c.broken)
	c.checkDefault(r.Path, r.Default, &c.defaultRegistry)
	return c.item(r.Path, cacheRegistryItem, []string{registry.Slug}, func(cluster domain.Cluster) (bool, error) {
		if slices.Contains(c.registries, r.Path) {
			return true, nil // with its cluster, to whose event it belongs
		}
		exists, err := c.tx.HasCacheRegistrySlug(cluster.ID, registry.Slug)
		if err != nil || exists {
			return false, err
		}
		registry.ClusterID = cluster.ID
		if err := c.insert(r.Path, registry.ID,
			func() error { return c.tx.InsertCacheRegistry(registry, c.creator) }); err != nil {
			return false, err
		}
		if r.Default {
			changed := cluster
			changed.DefaultCacheRegistryID = registry.ID
			if err := c.tx.UpdateCluster(changed, cluster); err != nil {
				return false, err
			}
		}
		return true, c.record(c.id, domain.CacheRegistryCreated, core.CacheRegistrySubject(registry),
			core.FactsOfCacheRegistry(registry))
	})
}

func lookOf(description, emoji, color *string) domain.LookInput {
	return domain.LookInput{Description: optional(description), Emoji: optional(emoji), Color: optional(color)}
}
