package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// CacheRegistries returns a part of a cluster's cache registries, by slug.
//
// Returns Malformed for a cursor that is not the list's own, or two of them.
func (s *Service) CacheRegistries(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	page domain.CursorPage) (domain.CursorPaged[domain.CacheRegistryView], error) {
	return core.View(ctx, s.core, actor, ref.Organization,
		func(tx store.Tx) (paged domain.CursorPaged[domain.CacheRegistryView], err error) {
			in, err := s.core.InCluster(tx, actor, ref, authz.ReadCacheRegistry)
			if err != nil {
				return paged, err
			}
			found, err := readCursorPage(tx, &in.Identity, store.CacheRegistriesOf(), in.Cluster.ID, page)
			if err != nil {
				return paged, err
			}
			paged.Next, paged.Prev = found.Next, found.Prev
			for _, registry := range found.Items {
				paged.Items = append(paged.Items, registryView(in, registry))
			}
			return paged, nil
		})
}

func registryView(in store.InCluster, registry domain.CacheRegistry) domain.CacheRegistryView {
	return domain.CacheRegistryView{
		CacheRegistry:    registry,
		OrganizationSlug: in.Organization.Slug,
		Default:          registry.ID == in.Cluster.DefaultCacheRegistryID,
		Destroyable:      authz.Check(&in.Identity, authz.DestroyCacheRegistry, in.Facts) == nil,
	}
}

// CacheRegistry returns a cache registry of a cluster.
func (s *Service) CacheRegistry(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	id string) (domain.CacheRegistryView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, s.findCacheRegistry(actor, ref, id, authz.ReadCacheRegistry))
}

func (s *Service) findCacheRegistry(actor authz.Actor, ref domain.ClusterRef, id string, action authz.Action) func(
	store.Tx) (domain.CacheRegistryView, error) {
	return func(tx store.Tx) (domain.CacheRegistryView, error) {
		in, err := s.core.InCluster(tx, actor, ref, action)
		if err != nil {
			return domain.CacheRegistryView{}, err
		}
		return registryIn(tx, in, id)
	}
}

func registryIn(tx store.Tx, in store.InCluster, id string) (domain.CacheRegistryView, error) {
	registry, found, err := tx.CacheRegistry(in.Cluster.ID, core.LookupID[domain.CacheRegistryID](id))
	if err == nil && !found {
		err = domain.Missing("cache registry")
	}
	return registryView(in, registry), err
}

// CreateCacheRegistry makes a cache registry in a cluster and returns it.
//
// Returns NotFound, Forbidden if actor may not manage the cluster, and Invalid with one FieldError a bad field,
// each fault of the policy and a slug that is taken among them.
func (s *Service) CreateCacheRegistry(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	input core.Input[domain.CacheRegistryInput]) (domain.CacheRegistryView, error) {
	// A policy takes time to check: that is done before the transaction that others wait for.
	in, err := s.core.PermitInCluster(ctx, actor, ref, authz.WriteCacheRegistry)
	if err != nil {
		return domain.CacheRegistryView{}, err
	}
	var faults domain.Faults
	given, err := input.Read(&faults)
	if err != nil {
		return domain.CacheRegistryView{}, err
	}
	registry := domain.NewCacheRegistry(given, in.Cluster.ID, s.core.Clock(), &faults)
	if err := faults.Err(); err != nil {
		return domain.CacheRegistryView{}, err
	}
	permit := s.permitInCluster(actor, ref, authz.WriteCacheRegistry)
	return core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, in lockedCluster) (domain.CacheRegistryView, error) {
			if err := tx.InsertCacheRegistry(registry, in.CreatorID()); err != nil {
				return domain.CacheRegistryView{}, err
			}
			return registryView(in.InCluster, registry),
				s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.CacheRegistryCreated,
					core.CacheRegistrySubject(registry), nil, core.FactsOfCacheRegistry(registry))
		})
}

// UpdateCacheRegistry applies input to the registry and returns its new state.
//
// Returns NotFound if the cluster has no such registry, Forbidden if actor may not manage the cluster,
// and Invalid with one FieldError a bad field, a new slug that is taken among them.
func (s *Service) UpdateCacheRegistry(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	input core.Input[domain.CacheRegistryInput], expected *core.Precondition[domain.CacheRegistryView]) (
	domain.CacheRegistryView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findCacheRegistry(actor, ref, id,
		authz.WriteCacheRegistry))
	attempt := func(tx store.Tx, in store.InCluster) (before, after domain.CacheRegistryView, err error) {
		if before, err = registryIn(tx, in, id); err != nil {
			return before, after, err
		}
		if err := expected.Check(before); err != nil {
			return before, after, err
		}
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return before, after, err
		}
		after = before
		after.Apply(given, s.core.Clock(), &faults)
		return before, after, faults.Err()
	}
	// A policy takes time to check the first time: that is done before the transaction that others wait for.
	if _, err := core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.CacheRegistryView, error) {
		in, err := s.core.InCluster(tx, actor, ref, authz.WriteCacheRegistry)
		if err != nil {
			return domain.CacheRegistryView{}, err
		}
		_, after, err := attempt(tx, in)
		return after, err
	}); err != nil {
		return domain.CacheRegistryView{}, err
	}
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.CacheRegistryView, error) {
		in, c, err := s.core.LockCluster(tx, actor, ref, authz.WriteCacheRegistry)
		if err != nil {
			return domain.CacheRegistryView{}, err
		}
		in.Cluster.Cluster = c
		before, after, err := attempt(tx, in)
		if err != nil {
			return after, err
		}
		if err := tx.UpdateCacheRegistry(after.CacheRegistry); err != nil {
			return after, err
		}
		return after, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.CacheRegistryUpdated,
			core.CacheRegistrySubject(after.CacheRegistry),
			core.FactsOfCacheRegistry(before.CacheRegistry), core.FactsOfCacheRegistry(after.CacheRegistry))
	})
}

// SetCacheStore sets where a registry's entries are stored, and returns its new state. A change drops the entries. The
// APIs neither show nor set it.
//
// Returns NotFound, Forbidden if actor may not manage the cluster, and Invalid for an address that is none or holds
// credentials.
func (s *Service) SetCacheStore(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	input core.Input[domain.CacheStoreInput], expected *core.Precondition[domain.CacheRegistryView]) (
	domain.CacheRegistryView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findCacheRegistry(actor, ref, id,
		authz.WriteCacheRegistry))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.CacheRegistryView, error) {
		in, c, err := s.core.LockCluster(tx, actor, ref, authz.WriteCacheRegistry)
		if err != nil {
			return domain.CacheRegistryView{}, err
		}
		in.Cluster.Cluster = c
		registry, err := registryIn(tx, in, id)
		if err != nil {
			return registry, err
		}
		if err := expected.Check(registry); err != nil {
			return registry, err
		}
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return registry, err
		}
		before, entries := core.FactsOfCacheRegistry(registry.CacheRegistry), registry.Entries()
		registry.SetCacheStore(given, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return registry, err
		}
		if err := tx.UpdateCacheRegistry(registry.CacheRegistry); err != nil {
			return registry, err
		}
		if registry.Entries() != entries {
			if err := tx.RecordEmptyCache(registry.ID, s.core.Clock()); err != nil {
				return registry, err
			}
		}
		return registry, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.CacheRegistryUpdated,
			core.CacheRegistrySubject(registry.CacheRegistry),
			before, core.FactsOfCacheRegistry(registry.CacheRegistry))
	})
}

// DeleteCacheRegistry deletes a cache registry.
//
// Returns NotFound, Forbidden if actor may not manage the cluster or may not destroy registries, and Invalid if
// it is the cluster's default.
func (s *Service) DeleteCacheRegistry(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	expected *core.Precondition[domain.CacheRegistryView]) error {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findCacheRegistry(actor, ref, id,
		authz.WriteCacheRegistry))
	return s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) error {
		in, c, err := s.core.LockCluster(tx, actor, ref, authz.WriteCacheRegistry)
		if err != nil {
			return err
		}
		in.Cluster.Cluster = c
		registry, err := registryIn(tx, in, id)
		if err != nil {
			return err
		}
		if err := authz.Check(&in.Identity, authz.DestroyCacheRegistry, in.Facts); err != nil {
			return err
		}
		if err := expected.Check(registry); err != nil {
			return err
		}
		if registry.Default {
			return domain.NewError(domain.Invalid, domain.CannotDeleteDefaultCacheRegistry)
		}
		if err := tx.DeleteCacheRegistry(registry.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.CacheRegistryDeleted,
			core.CacheRegistrySubject(registry.CacheRegistry),
			core.FactsOfCacheRegistry(registry.CacheRegistry), nil)
	})
}
