package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Clusters returns a page of an organization's clusters, by name.
func (s *Service) Clusters(ctx context.Context, actor authz.Actor, organization string, page domain.Page) (domain.Paged[domain.ClusterView], error) {
	return view(ctx, s, func(tx store.Tx) (paged domain.Paged[domain.ClusterView], err error) {
		id, err := s.enter(tx, actor, organization, authz.ReadCluster)
		if err != nil {
			return paged, err
		}
		paged.Total = id.Organization.ClustersCount
		paged.Items, err = tx.Clusters(&id, page)
		return paged, err
	})
}

// Cluster returns a cluster.
func (s *Service) Cluster(ctx context.Context, actor authz.Actor, ref domain.ClusterRef) (cluster domain.ClusterView, err error) {
	err = s.store.ReadOne(ctx, func(tx store.Tx) error {
		in, err := s.inCluster(tx, actor, ref, authz.ReadCluster)
		cluster = in.Cluster
		return err
	})
	return cluster, err
}

// CreateCluster makes a cluster with its default cache registry and returns it.
//
// Returns Forbidden if actor may not create clusters, and Invalid with one FieldError a bad field.
func (s *Service) CreateCluster(ctx context.Context, actor authz.Actor, organization string, input Input[domain.ClusterInput]) (domain.ClusterView, error) {
	return change(ctx, s, func(tx store.Tx) (cluster domain.ClusterView, err error) {
		id, err := s.inOrganization(tx, actor, organization, authz.CreateCluster)
		if err != nil {
			return cluster, err
		}
		var faults domain.Faults
		in, err := input.read(&faults)
		if err != nil {
			return cluster, err
		}
		c, grants := domain.NewCluster(in, id.Organization.ID, s.clock(), &faults)
		if err := faults.Err(); err != nil {
			return cluster, err
		}
		maintainers, err := insertCluster(tx, &id, c, grants)
		if err != nil {
			return cluster, err
		}
		facts := factsOfCluster(c)
		for _, m := range maintainers {
			facts.Maintainers = append(facts.Maintainers, factsOfMaintainer(m))
		}
		return domain.ClusterView{Cluster: c, OrganizationSlug: id.Organization.Slug, CreatedBy: id.Creator(), Maintainers: maintainers},
			s.record(tx, by(actor, &id), domain.ClusterCreated, clusterSubject(c), nil, facts)
	})
}

func insertCluster(tx store.Tx, id *authz.Identity, c domain.Cluster, grants []domain.MaintainerGrant) ([]domain.Maintainer, error) {
	if err := tx.InsertCluster(c, domain.DefaultCacheRegistry(c), id.User.ID); err != nil {
		return nil, err
	}
	var maintainers []domain.Maintainer
	for _, grant := range grants {
		m, err := insertMaintainer(tx, id, c, grant, c.CreatedAt)
		if err != nil {
			return nil, err
		}
		maintainers = append(maintainers, m)
	}
	return maintainers, nil
}

// DeleteCluster deletes a cluster with its queues, tokens, maintainers and registries.
//
// Returns Invalid, with the reason as the message, while unarchived pipelines are assigned to the cluster
// or it is the organization's default.
func (s *Service) DeleteCluster(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, expected Precondition[domain.ClusterView]) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		in, c, err := s.lockCluster(tx, actor, ref, authz.DeleteCluster, expected)
		if err != nil {
			return err
		}
		if err := tx.TakeOutArchivedPipelines(c.ID); err != nil {
			return err
		}
		assigned, err := tx.ClusterHasPipelines(c.ID)
		if err != nil {
			return err
		}
		if assigned {
			return domain.NewError(domain.Invalid, "Cluster can't be deleted while pipelines are assigned to it")
		}
		if err := tx.LockOrganization(c.OrganizationID); err != nil { // nobody makes it the default now
			return err
		}
		if in, err = s.inCluster(tx, actor, ref, authz.DeleteCluster); err != nil { // after the waits for pipelines and the organization
			return err
		}
		isDefault, err := tx.IsDefaultCluster(c)
		if err != nil {
			return err
		}
		if isDefault {
			return domain.NewError(domain.Invalid, "Cluster can't be deleted while it is the organization's default cluster for new pipelines")
		}
		if err := s.markGitMirror(tx, c); err != nil {
			return err
		}
		if err := tx.DeleteCluster(c); err != nil {
			return err
		}
		return s.record(tx, by(actor, &in.Identity), domain.ClusterDeleted, clusterSubject(c), factsOfCluster(c), nil)
	})
}

// lockCluster is inCluster for changes: others cannot change the cluster until the transaction ends. Permission is decided
// twice: before the lock, so that nobody waits or makes others wait for what is not theirs, and after it, on what is true now.
// The second result is the cluster as it is now.
func (s *Service) lockCluster(tx store.Tx, actor authz.Actor, ref domain.ClusterRef, action authz.Action,
	expected Precondition[domain.ClusterView]) (store.InCluster, domain.Cluster, error) {
	in, err := s.inCluster(tx, actor, ref, action)
	if err != nil {
		return in, domain.Cluster{}, err
	}
	c, found, err := tx.LockCluster(in.Cluster.ID)
	if err == nil && !found {
		err = domain.Missing("cluster")
	}
	if err != nil {
		return in, c, err
	}
	if in, err = s.inCluster(tx, actor, ref, action); err != nil {
		return in, c, err
	}
	return in, c, expected.check(in.Cluster)
}
