package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Clusters returns a page of an organization's clusters, by name.
func (s *Service) Clusters(ctx context.Context, actor authz.Actor, organization string, page domain.Page) (
	domain.Paged[domain.ClusterView], error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (paged domain.Paged[domain.ClusterView], err error) {
			id, err := s.core.EnterCounted(tx, actor, domain.OrganizationRef{Slug: organization}, authz.ReadCluster)
			if err != nil {
				return paged, err
			}
			viewer := store.ViewerOf(&id.Identity)
			return store.Remember(tx, clustersPage{id.Organization.ID, viewer, page}, func() (domain.Paged[domain.ClusterView],
				error) {
				list := store.ClustersOf("", domain.ByName).
					WithChanges(id.Counts.Clusters, id.Counts.ClusterChanges)
				paged, err := readPage(tx, &id.Identity, list, id.Organization.ID, page)
				if err != nil {
					return paged, err
				}
				paged.Shown = new(domain.Shown)
				return paged, tx.AddMaintainers(viewer, paged.Items)
			})
		})
}

// clustersPage is what a page of clusters is remembered by.
type clustersPage struct {
	organization domain.OrganizationID
	viewer       store.Viewer
	page         domain.Page
}

// Cluster returns a cluster.
func (s *Service) Cluster(ctx context.Context, actor authz.Actor, ref domain.ClusterRef) (domain.ClusterView, error) {
	in, err := s.core.PermitInCluster(ctx, actor, ref, authz.ReadCluster)
	return in.Cluster, err
}

func (s *Service) findCluster(actor authz.Actor, ref domain.ClusterRef, action authz.Action) func(store.Tx) (
	domain.ClusterView, error) {
	return func(tx store.Tx) (domain.ClusterView, error) {
		in, err := s.core.InCluster(tx, actor, ref, action)
		return in.Cluster, err
	}
}

// CreateCluster makes a cluster with its default cache registry and returns it.
//
// Returns Forbidden if actor may not create clusters, and Invalid with one FieldError a bad field.
func (s *Service) CreateCluster(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	input core.Input[domain.ClusterInput]) (domain.ClusterView, error) {
	permit := s.permitInOrganization(actor, organization, authz.CreateCluster)
	return core.Create(ctx, s.core, actor, organization, permit,
		func(tx store.Tx, id authz.Identity) (cluster domain.ClusterView, err error) {
			var faults domain.Faults
			in, err := input.Read(&faults)
			if err != nil {
				return cluster, err
			}
			c, grants := domain.NewCluster(in, id.Organization.ID, s.core.Clock(), &faults)
			if err := faults.Err(); err != nil {
				return cluster, err
			}
			teams, err := lockGrantedTeams(tx, &id, grants)
			if err != nil {
				return cluster, err
			}
			if len(teams) > 0 { // which may have been waited for
				if id, err = permit(tx); err != nil {
					return cluster, err
				}
			}
			maintainers, err := insertCluster(tx, &id, c, grants, teams)
			if err != nil {
				return cluster, err
			}
			facts := core.FactsOfCluster(c)
			for _, m := range maintainers {
				facts.Maintainers = append(facts.Maintainers, core.FactsOfMaintainer(m))
			}
			view := domain.ClusterView{Cluster: c, OrganizationSlug: id.Organization.Slug, CreatedBy: id.Creator(),
				Maintainers: maintainers}
			if len(maintainers) > 0 { // the caller may be one of them, or in one of the teams
				in, _, err := tx.InCluster(actor.Credential, domain.ClusterRef{Organization: organization, ID: string(c.ID)})
				if err != nil {
					return view, err
				}
				view.Maintained = in.Facts.Maintainer
			}
			return view, s.core.Record(tx, core.AuthorOf(actor, &id), domain.ClusterCreated, core.ClusterSubject(c), nil, facts)
		})
}

// permitInOrganization returns what decides whether the actor may make something in an organization, for core.Create.
func (s *Service) permitInOrganization(actor authz.Actor, organization domain.OrganizationRef,
	action authz.Action) func(store.Tx) (authz.Identity, error) {
	return func(tx store.Tx) (authz.Identity, error) {
		return s.core.InOrganization(tx, actor, organization, action)
	}
}

// lockedCluster is a cluster that others cannot change until the transaction ends.
type lockedCluster struct {
	store.InCluster
	locked domain.Cluster // as it is now
}

// permitInCluster returns what locks a cluster and decides whether the actor may make something in it, for core.Create.
func (s *Service) permitInCluster(actor authz.Actor, ref domain.ClusterRef, action authz.Action) func(store.Tx) (
	lockedCluster, error) {
	return func(tx store.Tx) (lockedCluster, error) {
		in, c, err := s.core.LockCluster(tx, actor, ref, action)
		return lockedCluster{in, c}, err
	}
}

func insertCluster(tx store.Tx, id *authz.Identity, c domain.Cluster, grants []domain.MaintainerGrant,
	teams map[domain.TeamID]bool) ([]domain.Maintainer, error) {
	if err := tx.InsertCluster(c, domain.DefaultCacheRegistry(c), id.CreatorID()); err != nil {
		return nil, err
	}
	var maintainers []domain.Maintainer
	for _, grant := range grants {
		m, err := insertMaintainer(tx, id, c, grant, teams, c.CreatedAt)
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
func (s *Service) DeleteCluster(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	expected *core.Precondition[domain.ClusterView]) error {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findCluster(actor, ref, authz.DeleteCluster))
	return s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) error {
		in, c, err := s.core.LockCluster(tx, actor, ref, authz.DeleteCluster)
		if err != nil {
			return err
		}
		if err := expected.Check(in.Cluster); err != nil {
			return err
		}
		if err := tx.RemoveArchivedPipelines(c.ID); err != nil {
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
		// after the waits for pipelines and the organization
		if in, err = s.core.InCluster(tx, actor, ref, authz.DeleteCluster); err != nil {
			return err
		}
		isDefault, err := tx.IsDefaultCluster(c)
		if err != nil {
			return err
		}
		if isDefault {
			return domain.NewError(domain.Invalid, "Cluster can't be deleted while it is the organization's default cluster "+
				"for new pipelines")
		}
		if err := s.markGitMirror(tx, c); err != nil {
			return err
		}
		if err := tx.DeleteCluster(c); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.ClusterDeleted, core.ClusterSubject(c),
			core.FactsOfCluster(c), nil)
	})
}

// NetworkRanges returns the address ranges that belong to a cluster: none, since no network is run here.
//
// Returns Forbidden unless actor manages the cluster.
func (s *Service) NetworkRanges(ctx context.Context, actor authz.Actor, ref domain.ClusterRef) ([]string, error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) ([]string, error) {
		_, err := s.core.InCluster(tx, actor, ref, authz.ReadNetworkRange)
		return []string{}, err
	})
}
