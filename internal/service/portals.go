package service

import (
	"context"
	"slices"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Portals returns a page of an organization's portals, by name.
//
// Returns Forbidden unless actor administers the organization.
func (s *Service) Portals(ctx context.Context, actor authz.Actor, organization string, page domain.Page) (
	domain.Paged[domain.PortalView], error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (domain.Paged[domain.PortalView], error) {
			id, err := s.core.InOrganization(tx, actor, domain.OrganizationRef{Slug: organization}, authz.ReadPortal)
			if err != nil {
				return domain.Paged[domain.PortalView]{}, err
			}
			return readPage(tx, &id, store.PortalsOf("", domain.ByName), id.Organization.ID, page)
		})
}

// Portal returns a portal.
func (s *Service) Portal(ctx context.Context, actor authz.Actor, ref domain.PortalRef) (domain.PortalView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, s.findPortal(actor, ref, authz.ReadPortal))
}

// PortalDocuments returns what all portals run. Operators only.
func (s *Service) PortalDocuments(ctx context.Context, actor authz.Actor) (
	documents []domain.PortalDocument, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return nil, err
	}
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) error {
		documents, err = tx.PortalDocuments()
		return err
	})
	return documents, err
}

// PortalDocument returns what a portal runs, to those with a token of just that portal. To all others it does not say
// whether there is such a portal: they are Unauthenticated.
func (s *Service) PortalDocument(ctx context.Context, actor authz.Actor, ref domain.PortalRef) (
	document domain.PortalDocument, err error) {
	// A user who runs it as themself uses the organization today.
	if _, err := s.core.Admit(ctx, actor, ref.Organization); err != nil {
		return document, err
	}
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) error {
		in, found, err := tx.InPortal(actor.Credential, core.LookupOrganization(ref.Organization), core.LookupSlug(ref.Slug))
		if err != nil {
			return err
		}
		if found = found && in.Portal.ID != "" && in.Portal.ID == in.Target.ID; !found {
			return core.ErrUnauthenticated
		}
		document = domain.PortalDocument{ID: in.Target.ID, Organization: in.Organization.Slug, Slug: in.Target.Slug,
			Query: in.Target.Query, User: in.User.ID}
		err = s.core.CheckIdentity(actor, &in.Identity, found, 0) // a portal needs no scope
		if domain.CodeOf(err) == domain.NotFound {
			return core.ErrUnauthenticated // its user has left the organization
		}
		return err
	})
	if err != nil {
		return domain.PortalDocument{}, err
	}
	return document, nil
}

// inPortal is enter for requests about a portal or what belongs to it: the actor may do the action, and the portal
// exists.
func (s *Service) inPortal(tx store.Tx, actor authz.Actor, ref domain.PortalRef, action authz.Action) (
	store.InPortal, error) {
	in, found, err := tx.InPortal(actor.Credential, core.LookupOrganization(ref.Organization), core.LookupSlug(ref.Slug))
	if err != nil {
		return in, err
	}
	if err := s.core.CheckIdentity(actor, &in.Identity, found, action); err != nil {
		return in, err
	}
	if err := authz.Check(&in.Identity, action, authz.Facts{}); err != nil {
		return in, err
	}
	if in.Target.ID == "" {
		return in, domain.Missing("portal")
	}
	return in, nil
}

func (s *Service) findPortal(actor authz.Actor, ref domain.PortalRef, action authz.Action) func(store.Tx) (
	domain.PortalView, error) {
	return func(tx store.Tx) (domain.PortalView, error) {
		in, err := s.inPortal(tx, actor, ref, action)
		return in.Target, err
	}
}

// lockPortal is inPortal for changes: others cannot change the portal, its tokens or its secrets until the transaction
// ends.
func (s *Service) lockPortal(tx store.Tx, actor authz.Actor, ref domain.PortalRef,
	expected *core.Precondition[domain.PortalView]) (store.InPortal, error) {
	in, err := s.inPortal(tx, actor, ref, authz.WritePortal)
	if err != nil {
		return in, err
	}
	if err := tx.LockPortal(in.Target.ID); err != nil {
		return in, err
	}
	if in, err = s.inPortal(tx, actor, ref, authz.WritePortal); err != nil { // as it is now
		return in, err
	}
	return in, expected.Check(in.Target)
}

// checkEmpowering returns Forbidden if the actor's token lacks the scope for GraphQL: what lets a portal do more lets
// its holder do so too.
func checkEmpowering(actor authz.Actor, id *authz.Identity) error {
	return authz.CheckScope(actor, id, authz.UseGraphQL)
}

// readPortal reads an input and checks its query. What is wrong with it is returned with it.
func (s *Service) readPortal(ctx context.Context, organization domain.OrganizationRef,
	input core.Input[domain.PortalInput]) (given domain.PortalInput, faults domain.Faults, err error) {
	if given, err = input.Read(&faults); err != nil || !given.Query.Given {
		return given, faults, err
	}
	err = s.core.Processors.Use(ctx, organization, func() error {
		given.CheckQuery(s.checkDocument, &faults)
		return nil
	})
	return given, faults, err
}

// CreatePortal makes a portal, with a first token whose value it returns too, and which cannot be had again.
//
// Returns Forbidden unless actor administers the organization, and their token has the scope for GraphQL, and Invalid
// with one FieldError a bad field, a slug that is taken among them.
func (s *Service) CreatePortal(ctx context.Context, actor authz.Actor, organization string,
	input core.Input[domain.PortalInput]) (portal domain.PortalView, value domain.Secret, err error) {
	// A query takes time to check: that is done before the transaction that others wait for.
	permit := func(tx store.Tx) (authz.Identity, error) {
		id, err := s.core.InOrganization(tx, actor, domain.OrganizationRef{Slug: organization}, authz.WritePortal)
		if err == nil {
			err = checkEmpowering(actor, &id)
		}
		return id, err
	}
	if _, err := core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization}, permit); err != nil {
		return portal, "", err
	}
	given, found, err := s.readPortal(ctx, domain.OrganizationRef{Slug: organization}, input)
	if err != nil {
		return portal, "", err
	}
	value = domain.NewTokenValue(domain.PortalTokenKind)
	made, err := core.Create(ctx, s.core, actor, domain.OrganizationRef{Slug: organization}, permit,
		func(tx store.Tx, id authz.Identity) (issued core.Issued[domain.PortalView], err error) {
			faults := slices.Clone(found)
			p := domain.NewPortal(given, id.Organization.ID, s.core.Clock(), &faults)
			token := domain.FirstPortalToken(p, given, &faults)
			if err := faults.Err(); err != nil {
				return issued, err
			}
			if err := tx.InsertPortal(p, id.User.ID); err != nil {
				return issued, err
			}
			if err := tx.InsertPortalToken(token, domain.HashToken(value.Reveal()), id.User.ID); err != nil {
				return issued, err
			}
			facts := core.FactsOfPortal(p)
			facts.Token = token.ID
			return core.Issued[domain.PortalView]{Thing: domain.PortalView{Portal: p, CreatedBy: id.Creator()}, Value: value,
					Name: "portal " + p.Slug},
				s.core.Record(tx, core.AuthorOf(actor, &id), domain.PortalCreated, core.PortalSubject(p), nil, facts)
		})
	return made.Thing, made.Value, err
}

// UpdatePortal applies input to a portal and returns its new state. Its slug stays unless the input has another. If
// members may not run it any more, the tokens with which programs run it as them end.
//
// Returns NotFound, Forbidden unless actor administers the organization, and their token has the scope for GraphQL if
// the portal then does more, and Invalid with one FieldError a bad field.
func (s *Service) UpdatePortal(ctx context.Context, actor authz.Actor, ref domain.PortalRef,
	input core.Input[domain.PortalInput], expected *core.Precondition[domain.PortalView]) (domain.PortalView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findPortal(actor, ref, authz.WritePortal))
	// A query takes time to check: that is done before the transaction that others wait for.
	permitted, err := core.View(ctx, s.core, actor, ref.Organization, s.findPortal(actor, ref, authz.WritePortal))
	if err != nil {
		return domain.PortalView{}, err
	}
	if err := expected.Check(permitted); err != nil {
		return domain.PortalView{}, err
	}
	given, found, err := s.readPortal(ctx, ref.Organization, input)
	if err != nil {
		return domain.PortalView{}, err
	}
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.PortalView, error) {
		in, err := s.lockPortal(tx, actor, ref, expected)
		if err != nil {
			return domain.PortalView{}, err
		}
		p, faults := in.Target, slices.Clone(found)
		p.Apply(given, &faults)
		if p.DoesMoreThan(in.Target.Portal) {
			if err := checkEmpowering(actor, &in.Identity); err != nil {
				return domain.PortalView{}, err
			}
		}
		if err := faults.Err(); err != nil {
			return domain.PortalView{}, err
		}
		if err := tx.UpdatePortal(p.Portal); err != nil {
			return domain.PortalView{}, err
		}
		if in.Target.UserInvokable && !p.UserInvokable {
			if err := tx.DeleteMemberPortalTokens(p.ID); err != nil {
				return domain.PortalView{}, err
			}
		}
		return p, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PortalUpdated, core.PortalSubject(p.Portal),
			core.FactsOfPortal(in.Target.Portal), core.FactsOfPortal(p.Portal))
	})
}

// DeletePortal deletes a portal with its tokens and secrets: from then on they are worth nothing.
func (s *Service) DeletePortal(ctx context.Context, actor authz.Actor, ref domain.PortalRef,
	expected *core.Precondition[domain.PortalView]) error {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findPortal(actor, ref, authz.WritePortal))
	return s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) error {
		in, err := s.lockPortal(tx, actor, ref, expected)
		if err != nil {
			return err
		}
		p := in.Target.Portal
		if err := tx.DeletePortal(p.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PortalDeleted, core.PortalSubject(p),
			core.FactsOfPortal(p), nil)
	})
}

// PrunePortalTokens deletes the portal tokens and codes that have expired. Operators only.
func (s *Service) PrunePortalTokens(ctx context.Context, actor authz.Actor) (deleted int64, err error) {
	return s.core.Prune(ctx, actor, func(tx store.Tx) (int64, error) {
		tokens, err := tx.PrunePortalTokens(s.core.Now(), core.PruneBatch)
		if err != nil {
			return 0, err
		}
		codes, err := tx.PrunePortalAuthorizations(s.core.Now(), core.PruneBatch)
		return max(tokens, codes), err
	})
}

// CreateEphemeralPortalToken makes a token of a portal for a caller who proves themself with one of the portal's
// secrets, and returns its value and when it expires. The portal is who makes it; the actor's own credential plays no
// part. With a code it is a token of the user who authorized the code, who makes it.
//
// Whichever of the portal, its id and the secret is wrong, the caller is Unauthenticated. Returns Forbidden for an
// address that the portal or the organization does not allow, and Invalid for a grant that asks for something else.
func (s *Service) CreateEphemeralPortalToken(ctx context.Context, actor authz.Actor, ref domain.PortalRef,
	grant domain.PortalGrant) (value domain.Secret, expiresAt time.Time, err error) {
	if grant.ByUser() {
		return s.redeemPortalCode(ctx, actor, ref, grant)
	}
	actor.Credential = authz.Credential{Kind: authz.PortalToken}
	// Strangers are refused before the transaction that others wait for.
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) error {
		_, err := s.grantedPortal(tx, actor, ref, grant)
		return err
	})
	if err != nil {
		return "", expiresAt, err
	}
	value = domain.NewTokenValue(domain.PortalTokenKind)
	var token domain.PortalToken
	err = s.core.Store.Write(ctx, func(tx store.Tx) error {
		in, err := s.grantedPortal(tx, actor, ref, grant)
		if err != nil {
			return err
		}
		var faults domain.Faults
		token = domain.NewEphemeralPortalToken(grant, in.Secret, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return err
		}
		if err := tx.InsertPortalToken(token, domain.HashToken(value.Reveal()), ""); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PortalTokenCreated,
			core.PortalTokenSubject(token), nil, core.FactsOfPortalToken(token))
	})
	if err != nil {
		return "", expiresAt, err
	}
	return value, *token.ExpiresAt, nil
}

func (s *Service) grantedPortal(tx store.Tx, actor authz.Actor, ref domain.PortalRef, grant domain.PortalGrant) (
	store.GrantedPortal, error) {
	in, found, err := tx.PortalBySecret(domain.HashToken(grant.Secret.Reveal()), core.LookupSlug(ref.Organization.Slug),
		core.LookupSlug(ref.Slug),
		core.LookupID[domain.PortalID](grant.ClientID))
	switch {
	case err != nil:
		return in, err
	case !found:
		return in, core.ErrUnauthenticated
	case !domain.AddressAllowed(in.Token.AllowedIPAddresses, actor.Address),
		!domain.AddressAllowed(in.Organization.Settings.AllowedAPIIPAddresses, actor.Address):
		return in, core.ErrAddressNotAllowed
	}
	return in, nil
}
