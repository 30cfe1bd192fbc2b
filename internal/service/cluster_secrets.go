package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// ClusterSecrets returns a page of a cluster's secrets, by key, without their values.
func (s *Service) ClusterSecrets(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, page domain.Page) (
	domain.Paged[domain.ClusterSecretView], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (paged domain.Paged[domain.ClusterSecretView],
		err error) {
		in, err := s.core.InCluster(tx, actor, ref, authz.ReadClusterSecret)
		if err != nil {
			return paged, err
		}
		paged, err = readPage(tx, &in.Identity, store.ClusterSecretsOf(), in.Cluster.ID, page)
		for i := range paged.Items {
			paged.Items[i].OrganizationSlug = in.Organization.Slug
		}
		return paged, err
	})
}

// ClusterSecret returns a secret of a cluster, without its value.
func (s *Service) ClusterSecret(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	id string) (domain.ClusterSecretView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, s.findClusterSecret(actor, ref, id, authz.ReadClusterSecret))
}

func (s *Service) findClusterSecret(actor authz.Actor, ref domain.ClusterRef, id string, action authz.Action) func(
	store.Tx) (domain.ClusterSecretView, error) {
	return func(tx store.Tx) (domain.ClusterSecretView, error) {
		in, err := s.core.InCluster(tx, actor, ref, action)
		if err != nil {
			return domain.ClusterSecretView{}, err
		}
		return clusterSecretIn(tx, in, id)
	}
}

func clusterSecretIn(tx store.Tx, in store.InCluster, id string) (domain.ClusterSecretView, error) {
	secret, found, err := tx.ClusterSecret(in.Cluster.ID, core.LookupID[domain.ClusterSecretID](id))
	if err == nil && !found {
		err = domain.Missing("secret")
	}
	secret.OrganizationSlug = in.Organization.Slug
	return secret, err
}

// CreateClusterSecret makes a secret of a cluster and returns it, without its value, which nobody but jobs can have
// again.
//
// Returns Invalid with one FieldError a bad field, a key that is taken among them, and if the installation has no key
// to encrypt with.
func (s *Service) CreateClusterSecret(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	input core.Input[domain.ClusterSecretInput]) (domain.ClusterSecretView, error) {
	permit := s.permitInCluster(actor, ref, authz.WriteClusterSecret)
	return core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, in lockedCluster) (view domain.ClusterSecretView, err error) {
			var faults domain.Faults
			given, err := input.Read(&faults)
			if err != nil {
				return view, err
			}
			secret, value := domain.NewClusterSecret(given, in.locked.ID, s.core.Clock(), &faults)
			if err := faults.Err(); err != nil {
				return view, err
			}
			sealed, err := s.core.Seal(value, store.AboutClusterSecret+string(secret.ID))
			if err != nil {
				return view, err
			}
			if err := tx.InsertClusterSecret(secret, sealed, in.CreatorID()); err != nil {
				return view, err
			}
			view = domain.ClusterSecretView{ClusterSecret: secret, OrganizationID: in.Organization.ID,
				OrganizationSlug: in.Organization.Slug,
				CreatedBy:        in.Creator(), UpdatedBy: in.Creator()}
			return view, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.SecretCreated,
				core.ClusterSecretSubject(secret), nil, core.FactsOfClusterSecret(secret))
		})
}

// UpdateClusterSecret applies input to a secret and returns its new state. Its key and its value stay.
func (s *Service) UpdateClusterSecret(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	input core.Input[domain.ClusterSecretInput], expected *core.Precondition[domain.ClusterSecretView]) (
	domain.ClusterSecretView, error) {
	return s.changeClusterSecret(ctx, actor, ref, id, expected, func(tx store.Tx, in store.InCluster,
		secret *domain.ClusterSecretView) error {
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return err
		}
		before := core.FactsOfClusterSecret(secret.ClusterSecret)
		secret.Apply(given, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return err
		}
		if err := tx.UpdateClusterSecret(secret.ClusterSecret, in.CreatorID()); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.SecretUpdated,
			core.ClusterSecretSubject(secret.ClusterSecret),
			before, core.FactsOfClusterSecret(secret.ClusterSecret))
	})
}

// SetClusterSecretValue sets a new value of a secret.
//
// Returns Invalid for a value that is blank or too long, and if the installation has no key to encrypt with.
func (s *Service) SetClusterSecretValue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	input core.Input[domain.Optional[domain.Secret]], expected *core.Precondition[domain.ClusterSecretView]) (
	domain.ClusterSecretView, error) {
	return s.changeClusterSecret(ctx, actor, ref, id, expected, func(tx store.Tx, in store.InCluster,
		secret *domain.ClusterSecretView) error {
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return err
		}
		value := domain.CheckSecretValue(given, &faults)
		if err := faults.Err(); err != nil {
			return err
		}
		sealed, err := s.core.Seal(value, store.AboutClusterSecret+string(secret.ID))
		if err != nil {
			return err
		}
		secret.UpdatedAt = s.core.Clock()
		if err := tx.SetClusterSecretValue(secret.ClusterSecret, sealed, in.CreatorID()); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.SecretValueUpdated,
			core.ClusterSecretSubject(secret.ClusterSecret),
			nil, core.FactsOfClusterSecret(secret.ClusterSecret))
	})
}

// changeClusterSecret runs change on a secret that nobody else changes meanwhile, and returns its new state.
func (s *Service) changeClusterSecret(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	expected *core.Precondition[domain.ClusterSecretView],
	change func(store.Tx, store.InCluster, *domain.ClusterSecretView) error) (domain.ClusterSecretView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findClusterSecret(actor, ref, id,
		authz.WriteClusterSecret))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.ClusterSecretView, error) {
		in, _, err := s.core.LockCluster(tx, actor, ref, authz.WriteClusterSecret)
		if err != nil {
			return domain.ClusterSecretView{}, err
		}
		secret, err := clusterSecretIn(tx, in, id)
		if err != nil {
			return secret, err
		}
		if err := expected.Check(secret); err != nil {
			return secret, err
		}
		err = change(tx, in, &secret)
		secret.UpdatedBy = in.Creator()
		return secret, err
	})
}

// DeleteClusterSecret deletes a secret: jobs can't read it any more.
func (s *Service) DeleteClusterSecret(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	expected *core.Precondition[domain.ClusterSecretView]) error {
	_, err := s.changeClusterSecret(ctx, actor, ref, id, expected, func(tx store.Tx, in store.InCluster,
		secret *domain.ClusterSecretView) error {
		if err := tx.DeleteClusterSecret(secret.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.SecretDeleted,
			core.ClusterSecretSubject(secret.ClusterSecret),
			core.FactsOfClusterSecret(secret.ClusterSecret), nil)
	})
	return err
}
