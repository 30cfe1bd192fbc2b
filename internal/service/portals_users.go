package service

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// InvokablePortals returns a page of the portals that members may run as themselves, by name.
func (s *Service) InvokablePortals(ctx context.Context, actor authz.Actor, organization string, page domain.Page) (
	domain.Paged[domain.PortalView], error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (domain.Paged[domain.PortalView], error) {
			id, err := s.core.InOrganization(tx, actor, domain.OrganizationRef{Slug: organization}, authz.InvokePortal)
			if err != nil {
				return domain.Paged[domain.PortalView]{}, err
			}
			return readPage(tx, &id, store.InvokablePortalsOf(), id.Organization.ID, page)
		})
}

// InvokablePortal returns a portal that the actor may run as themself. To members, one that they may not run does not
// exist.
func (s *Service) InvokablePortal(ctx context.Context, actor authz.Actor, ref domain.PortalRef) (
	domain.PortalView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, s.findInvokable(actor, ref))
}

func (s *Service) findInvokable(actor authz.Actor, ref domain.PortalRef) func(store.Tx) (domain.PortalView, error) {
	return func(tx store.Tx) (domain.PortalView, error) {
		in, err := s.inInvokable(tx, actor, ref)
		return in.Target, err
	}
}

func (s *Service) inInvokable(tx store.Tx, actor authz.Actor, ref domain.PortalRef) (store.InPortal, error) {
	in, err := s.inPortal(tx, actor, ref, authz.InvokePortal)
	if err == nil && !in.Target.UserInvokable {
		return store.InPortal{}, domain.Missing("portal")
	}
	return in, err
}

// BeginPortalRun makes the token with which a portal's page runs it, once, and returns its value: as the portal for its
// administrators, or as the user themself where members may. The event says who ran it.
//
// Returns Forbidden for a token of a user's, and NotFound for a portal that the user may not run.
func (s *Service) BeginPortalRun(ctx context.Context, actor authz.Actor, ref domain.PortalRef, asSelf bool) (
	domain.Secret, error) {
	value := domain.NewTokenValue(domain.PortalTokenKind)
	err := s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) (err error) {
		var in store.InPortal
		var user *domain.UserID
		if asSelf {
			in, err = s.inInvokable(tx, actor, ref)
			user = &in.User.ID
		} else {
			in, err = s.lockPortal(tx, actor, ref, nil)
		}
		if err == nil {
			err = authz.CheckSession(actor)
		}
		if err != nil {
			return err
		}
		return s.insertPortalToken(tx, actor, &in.Identity, domain.NewPortalRun(in.Target.ID, user, s.core.Clock()), value)
	})
	if err != nil {
		return "", err
	}
	return value, nil
}

func (s *Service) insertPortalToken(tx store.Tx, actor authz.Actor, id *authz.Identity, token domain.PortalToken,
	value domain.Secret) error {
	if err := tx.InsertPortalToken(token, domain.HashToken(value.Reveal()), id.User.ID); err != nil {
		return err
	}
	return s.core.Record(tx, core.AuthorOf(actor, id), domain.PortalTokenCreated, core.PortalTokenSubject(token), nil,
		core.FactsOfPortalToken(token))
}

// AuthorizePortalCode lets the program that shows a code have a token with which it runs the portal as the actor, once.
//
// Returns Forbidden unless actor is signed in, NotFound for a portal that they may not run, and Invalid for a code that
// has expired, or that somebody has authorized.
func (s *Service) AuthorizePortalCode(ctx context.Context, actor authz.Actor, ref domain.PortalRef,
	code domain.PortalCode) error {
	return s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) error {
		in, err := s.inInvokable(tx, actor, ref)
		if err == nil {
			err = authz.CheckSession(actor)
		}
		if err != nil {
			return err
		}
		now := s.core.Clock()
		expires, good := code.Expiry(now)
		if !good {
			return domain.Faults{{Field: "code", Reason: domain.RefusedPortalCode}}.Err()
		}
		authorization := domain.PortalAuthorization{Code: code, PortalID: in.Target.ID, UserID: in.User.ID, CreatedAt: now,
			ExpiresAt: expires}
		if err := tx.InsertPortalAuthorization(authorization); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PortalTokenCodeAuthorized,
			core.PortalSubject(in.Target.Portal), nil, nil)
	})
}

// redeemPortalCode makes a token of the user who authorized the code of a grant.
func (s *Service) redeemPortalCode(ctx context.Context, actor authz.Actor, ref domain.PortalRef,
	grant domain.PortalGrant) (value domain.Secret, expiresAt time.Time, err error) {
	code := domain.PortalCode(grant.Code)
	if !code.IsOf(ref, grant.Secret, s.core.Now()) { // strangers are refused before the transaction that others wait for
		return "", expiresAt, core.ErrUnauthenticated
	}
	value = domain.NewTokenValue(domain.PortalTokenKind)
	actor.Credential = authz.Credential{Kind: authz.PortalToken, Hash: domain.HashToken(value.Reveal())}
	var token domain.PortalToken
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		authorized, found, err := tx.ConsumePortalAuthorization(code, s.core.Now())
		if err == nil && !found {
			err = core.ErrUnauthenticated
		}
		if err != nil {
			return err
		}
		var faults domain.Faults
		token = domain.NewUserPortalToken(grant, authorized.PortalID, authorized.UserID, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return err
		}
		if err := tx.InsertPortalToken(token, actor.Credential.Hash, authorized.UserID); err != nil {
			return err
		}
		// Whether the token is good decides whether there is one.
		in, found, err := tx.InPortal(actor.Credential, core.LookupOrganization(ref.Organization), core.LookupSlug(ref.Slug))
		switch {
		case err != nil:
			return err
		case !found || in.Target.ID != authorized.PortalID || !s.core.Belongs(actor, &in.Identity):
			return core.ErrUnauthenticated
		case !domain.AddressAllowed(in.Token.AllowedIPAddresses, actor.Address),
			!domain.AddressAllowed(in.Organization.Settings.AllowedAPIIPAddresses, actor.Address):
			return core.ErrAddressNotAllowed
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PortalTokenCreated,
			core.PortalTokenSubject(token), nil, core.FactsOfPortalToken(token))
	})
	if err != nil {
		return "", expiresAt, err
	}
	return value, *token.ExpiresAt, nil
}
