package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// CacheRegistries returns a part of a cluster's cache registries, by slug.
//
// Returns Malformed for a cursor that the list did not give out, or two of them.
func (s *Service) CacheRegistries(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, page domain.CursorPage) (domain.CursorPaged[domain.CacheRegistryView], error) {
	return view(ctx, s, func(tx store.Tx) (paged domain.CursorPaged[domain.CacheRegistryView], err error) {
		in, err := s.inCluster(tx, actor, ref, authz.ReadCacheRegistry)
		if err != nil {
			return paged, err
		}
		found, err := registryPage(tx, in.Cluster.ID, page)
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

// Positions before and behind every slug.
const startOfSlugs, endOfSlugs = "", "~"

// registryPage finds a page and what lies around it.
func registryPage(tx store.Tx, cluster domain.ClusterID, page domain.CursorPage) (paged domain.CursorPaged[domain.CacheRegistry], err error) {
	list := "cache registries of " + string(cluster)
	if page.After != nil && page.Before != nil {
		return paged, domain.NewError(domain.Malformed, "after and before can't be given together")
	}
	// One item more than asked for tells whether the list goes on.
	var before, after bool
	switch {
	case page.Before != nil:
		var from string
		if from, err = domain.DecodeCursor(list, *page.Before); err != nil {
			return paged, err
		}
		paged.Items, err = tx.CacheRegistriesBefore(cluster, from, page.Size+1)
		if before = int64(len(paged.Items)) > page.Size; before {
			paged.Items = paged.Items[1:]
		}
	case page.After != nil:
		var from string
		if from, err = domain.DecodeCursor(list, *page.After); err != nil {
			return paged, err
		}
		paged.Items, err = tx.CacheRegistriesAfter(cluster, from, page.Size+1)
	default:
		paged.Items, err = tx.CacheRegistriesAfter(cluster, startOfSlugs, page.Size+1)
	}
	if err != nil {
		return paged, err
	}
	if after = int64(len(paged.Items)) > page.Size; after {
		paged.Items = paged.Items[:page.Size]
	}
	// Behind an empty page lies all of the list, or before it.
	first, last := endOfSlugs, startOfSlugs
	if n := len(paged.Items); n > 0 {
		first, last = paged.Items[0].Slug, paged.Items[n-1].Slug
	}
	var rest []domain.CacheRegistry
	switch {
	case page.After != nil:
		rest, err = tx.CacheRegistriesBefore(cluster, first, 1)
		before = len(rest) > 0
	case page.Before != nil:
		rest, err = tx.CacheRegistriesAfter(cluster, last, 1)
		after = len(rest) > 0
	}
	if before {
		paged.Prev = domain.EncodeCursor(list, first)
	}
	if after {
		paged.Next = domain.EncodeCursor(list, last)
	}
	return paged, err
}

func registryView(in store.InCluster, registry domain.CacheRegistry) domain.CacheRegistryView {
	return domain.CacheRegistryView{
		CacheRegistry:    registry,
		OrganizationSlug: in.Organization.Slug,
		Default:          registry.ID == in.Cluster.DefaultCacheRegistryID,
	}
}

// CacheRegistry returns a cache registry of a cluster.
func (s *Service) CacheRegistry(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string) (domain.CacheRegistryView, error) {
	return view(ctx, s, func(tx store.Tx) (domain.CacheRegistryView, error) {
		in, err := s.inCluster(tx, actor, ref, authz.ReadCacheRegistry)
		if err != nil {
			return domain.CacheRegistryView{}, err
		}
		return registryIn(tx, in, id)
	})
}

func registryIn(tx store.Tx, in store.InCluster, id string) (domain.CacheRegistryView, error) {
	registry, found, err := tx.CacheRegistry(in.Cluster.ID, lookupID[domain.CacheRegistryID](id))
	if err == nil && !found {
		err = domain.Missing("cache registry")
	}
	return registryView(in, registry), err
}

// CreateCacheRegistry makes a cache registry in a cluster and returns it.
//
// Returns NotFound, Forbidden if actor may not manage the cluster, and Invalid with one FieldError a bad field,
// each fault of the policy and a slug that is taken among them.
func (s *Service) CreateCacheRegistry(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, input Input[domain.CacheRegistryInput]) (domain.CacheRegistryView, error) {
	// A policy takes time to check: that is done before the transaction that others wait for.
	in, err := s.permitInCluster(ctx, actor, ref, authz.WriteCacheRegistry)
	if err != nil {
		return domain.CacheRegistryView{}, err
	}
	var faults domain.Faults
	given, err := input.read(&faults)
	if err != nil {
		return domain.CacheRegistryView{}, err
	}
	registry := domain.NewCacheRegistry(given, in.Cluster.ID, s.clock(), &faults)
	if err := faults.Err(); err != nil {
		return domain.CacheRegistryView{}, err
	}
	return change(ctx, s, func(tx store.Tx) (domain.CacheRegistryView, error) {
		in, _, err := s.lockCluster(tx, actor, ref, authz.WriteCacheRegistry, nil)
		if err != nil {
			return domain.CacheRegistryView{}, err
		}
		return registryView(in, registry), tx.InsertCacheRegistry(registry, in.User.ID)
	})
}

// UpdateCacheRegistry applies input to the registry and returns its new state.
//
// Returns NotFound if the cluster has no such registry, Forbidden if actor may not manage the cluster,
// and Invalid with one FieldError a bad field, a new slug that is taken among them.
func (s *Service) UpdateCacheRegistry(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	input Input[domain.CacheRegistryInput], expected Precondition[domain.CacheRegistryView]) (domain.CacheRegistryView, error) {
	attempt := func(tx store.Tx, in store.InCluster) (domain.CacheRegistryView, error) {
		registry, err := registryIn(tx, in, id)
		if err != nil {
			return registry, err
		}
		if err := expected.check(registry); err != nil {
			return registry, err
		}
		var faults domain.Faults
		given, err := input.read(&faults)
		if err != nil {
			return registry, err
		}
		registry.Apply(given, s.clock(), &faults)
		return registry, faults.Err()
	}
	// A policy takes time to check the first time: that is done before the transaction that others wait for.
	if _, err := view(ctx, s, func(tx store.Tx) (domain.CacheRegistryView, error) {
		in, err := s.inCluster(tx, actor, ref, authz.WriteCacheRegistry)
		if err != nil {
			return domain.CacheRegistryView{}, err
		}
		return attempt(tx, in)
	}); err != nil {
		return domain.CacheRegistryView{}, err
	}
	return change(ctx, s, func(tx store.Tx) (domain.CacheRegistryView, error) {
		in, c, err := s.lockCluster(tx, actor, ref, authz.WriteCacheRegistry, nil)
		if err != nil {
			return domain.CacheRegistryView{}, err
		}
		in.Cluster.Cluster = c
		registry, err := attempt(tx, in)
		if err != nil {
			return registry, err
		}
		return registry, tx.UpdateCacheRegistry(registry.CacheRegistry)
	})
}

// DeleteCacheRegistry deletes a cache registry.
//
// Returns NotFound, Forbidden if actor may not manage the cluster or may not destroy registries, and Invalid if
// it is the cluster's default.
func (s *Service) DeleteCacheRegistry(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string, expected Precondition[domain.CacheRegistryView]) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		in, c, err := s.lockCluster(tx, actor, ref, authz.WriteCacheRegistry, nil)
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
		if err := expected.check(registry); err != nil {
			return err
		}
		if registry.Default {
			return domain.NewError(domain.Invalid, domain.CannotDeleteDefaultCacheRegistry)
		}
		return tx.DeleteCacheRegistry(registry.ID)
	})
}
