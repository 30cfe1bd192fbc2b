package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// PortalTokens returns a page of a portal's live tokens, the oldest first. Ephemeral ones are not among them: there are
// as many as their secrets are used.
func (s *Service) PortalTokens(ctx context.Context, actor authz.Actor, ref domain.PortalRef, page domain.Page) (
	domain.Paged[domain.PortalTokenView], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.Paged[domain.PortalTokenView],
		error) {
		in, err := s.inPortal(tx, actor, ref, authz.ReadPortal)
		if err != nil {
			return domain.Paged[domain.PortalTokenView]{}, err
		}
		return readPage(tx, &in.Identity, store.PortalTokensOf(s.core.Now()), in.Target.ID, page)
	})
}

// MemberPortalTokens returns a page of the live tokens with which programs run a portal as members, the newest first.
func (s *Service) MemberPortalTokens(ctx context.Context, actor authz.Actor, ref domain.PortalRef, page domain.Page) (
	domain.Paged[domain.MemberPortalToken], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.Paged[domain.MemberPortalToken],
		error) {
		in, err := s.inPortal(tx, actor, ref, authz.ReadPortal)
		if err != nil {
			return domain.Paged[domain.MemberPortalToken]{}, err
		}
		return readPage(tx, &in.Identity, store.MemberPortalTokensOf(s.core.Now()), in.Target.ID, page)
	})
}

// permitPortalCredential returns what locks a portal and decides whether the actor may make a token or secret of it,
// for core.Create.
func (s *Service) permitPortalCredential(actor authz.Actor, ref domain.PortalRef) func(store.Tx) (
	store.InPortal, error) {
	return func(tx store.Tx) (store.InPortal, error) {
		in, err := s.lockPortal(tx, actor, ref, nil)
		if err == nil {
			err = checkEmpowering(actor, &in.Identity)
		}
		return in, err
	}
}

// CreatePortalToken makes a token of a portal and returns it with its value, which cannot be had again.
//
// Returns Forbidden also if actor's token lacks the scope for GraphQL.
func (s *Service) CreatePortalToken(ctx context.Context, actor authz.Actor, ref domain.PortalRef,
	input core.Input[domain.PortalTokenInput]) (token domain.PortalTokenView, value domain.Secret, err error) {
	value = domain.NewTokenValue(domain.PortalTokenKind)
	permit := s.permitPortalCredential(actor, ref)
	made, err := core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, in store.InPortal) (issued core.Issued[domain.PortalTokenView], err error) {
			var faults domain.Faults
			given, err := input.Read(&faults)
			if err != nil {
				return issued, err
			}
			t := domain.NewPortalToken(given, in.Target.ID, s.core.Clock(), &faults)
			if err := faults.Err(); err != nil {
				return issued, err
			}
			if err := tx.InsertPortalToken(t, domain.HashToken(value.Reveal()), in.User.ID); err != nil {
				return issued, err
			}
			return core.Issued[domain.PortalTokenView]{Thing: domain.PortalTokenView{PortalToken: t, CreatedBy: in.Creator()},
					Value: value, Name: "portal token " + string(t.ID)},
				s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PortalTokenCreated, core.PortalTokenSubject(t), nil,
					core.FactsOfPortalToken(t))
		})
	return made.Thing, made.Value, err
}

// DeletePortalToken ends a token of a portal, an ephemeral one or a member's too: from then on it is worth nothing.
func (s *Service) DeletePortalToken(ctx context.Context, actor authz.Actor, ref domain.PortalRef, id string,
	expected *core.Precondition[domain.PortalTokenView]) error {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.PortalTokenView, error) {
		in, err := s.inPortal(tx, actor, ref, authz.WritePortal)
		if err != nil {
			return domain.PortalTokenView{}, err
		}
		return portalTokenIn(tx, in, id)
	})
	return s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) error {
		in, err := s.lockPortal(tx, actor, ref, nil)
		if err != nil {
			return err
		}
		t, err := portalTokenIn(tx, in, id)
		if err != nil {
			return err
		}
		if err := expected.Check(t); err != nil {
			return err
		}
		if err := tx.DeletePortalToken(t.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PortalTokenDeleted,
			core.PortalTokenSubject(t.PortalToken), core.FactsOfPortalToken(t.PortalToken), nil)
	})
}

// PortalSecrets returns a page of a portal's secrets, the oldest first.
func (s *Service) PortalSecrets(ctx context.Context, actor authz.Actor, ref domain.PortalRef, page domain.Page) (
	domain.Paged[domain.PortalSecretView], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.Paged[domain.PortalSecretView],
		error) {
		in, err := s.inPortal(tx, actor, ref, authz.ReadPortal)
		if err != nil {
			return domain.Paged[domain.PortalSecretView]{}, err
		}
		return readPage(tx, &in.Identity, store.PortalSecretsOf(), in.Target.ID, page)
	})
}

// CreatePortalSecret makes a secret of a portal and returns it with its value, which cannot be had again.
//
// Returns Invalid if the portal has two, and Forbidden also if actor's token lacks the scope for GraphQL.
func (s *Service) CreatePortalSecret(ctx context.Context, actor authz.Actor, ref domain.PortalRef,
	input core.Input[domain.PortalSecretInput]) (secret domain.PortalSecretView, value domain.Secret, err error) {
	value = domain.NewTokenValue(domain.PortalSecretKind)
	permit := s.permitPortalCredential(actor, ref)
	made, err := core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, in store.InPortal) (issued core.Issued[domain.PortalSecretView], err error) {
			var faults domain.Faults
			given, err := input.Read(&faults)
			if err != nil {
				return issued, err
			}
			present, err := tx.PortalSecretsCount(in.Target.ID)
			if err != nil {
				return issued, err
			}
			created := domain.NewPortalSecret(given, in.Target.ID, present, s.core.Clock(), &faults)
			if err := faults.Err(); err != nil {
				return issued, err
			}
			if err := tx.InsertPortalSecret(created, domain.HashToken(value.Reveal()), in.User.ID); err != nil {
				return issued, err
			}
			return core.Issued[domain.PortalSecretView]{Thing: domain.PortalSecretView{PortalSecret: created,
					CreatedBy: in.Creator()}, Value: value, Name: "portal secret " + string(created.ID)},
				s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PortalSecretCreated,
					core.PortalSubject(in.Target.Portal), nil, core.FactsOfPortalSecret(created))
		})
	return made.Thing, made.Value, err
}

// DeletePortalSecret ends a secret of a portal, and the ephemeral tokens that were made with it: from then on they are
// worth nothing.
func (s *Service) DeletePortalSecret(ctx context.Context, actor authz.Actor, ref domain.PortalRef, id string,
	expected *core.Precondition[domain.PortalSecretView]) error {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.PortalSecretView, error) {
		in, err := s.inPortal(tx, actor, ref, authz.WritePortal)
		if err != nil {
			return domain.PortalSecretView{}, err
		}
		return portalSecretIn(tx, in, id)
	})
	return s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) error {
		in, err := s.lockPortal(tx, actor, ref, nil)
		if err != nil {
			return err
		}
		secret, err := portalSecretIn(tx, in, id)
		if err != nil {
			return err
		}
		if err := expected.Check(secret); err != nil {
			return err
		}
		if err := tx.DeletePortalSecret(secret.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PortalSecretDeleted,
			core.PortalSubject(in.Target.Portal), core.FactsOfPortalSecret(secret.PortalSecret), nil)
	})
}

func portalTokenIn(tx store.Tx, in store.InPortal, id string) (domain.PortalTokenView, error) {
	t, found, err := tx.PortalToken(in.Target.ID, core.LookupID[domain.PortalTokenID](id))
	if err == nil && !found {
		err = domain.Missing("portal token")
	}
	return t, err
}

func portalSecretIn(tx store.Tx, in store.InPortal, id string) (domain.PortalSecretView, error) {
	secret, found, err := tx.PortalSecret(in.Target.ID, core.LookupID[domain.PortalSecretID](id))
	if err == nil && !found {
		err = domain.Missing("portal secret")
	}
	return secret, err
}
