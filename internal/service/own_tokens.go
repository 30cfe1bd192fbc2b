package service

import (
	"context"
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// OwnTokens returns a page of the signed-in user's API access tokens that are not revoked, the newest first.
//
// Returns Forbidden for a token.
func (s *Service) OwnTokens(ctx context.Context, actor authz.Actor, page domain.Page) (
	domain.Paged[domain.APITokenView], error) {
	return core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.Paged[domain.APITokenView],
		error) {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return domain.Paged[domain.APITokenView]{}, err
		}
		tokens, err := readPage(tx, &id, store.OwnTokens(), id.User.ID, page)
		if err != nil {
			return tokens, err
		}
		return tokens, tx.AddGrants(tokens.Items)
	})
}

// OwnToken returns one of the signed-in user's API access tokens that is not revoked, without its organizations.
//
// Returns NotFound if they have no such token, and Forbidden for a token.
func (s *Service) OwnToken(ctx context.Context, actor authz.Actor, tokenID string) (domain.APITokenView, error) {
	return core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.APITokenView, error) {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return domain.APITokenView{}, err
		}
		return ownToken(tx, &id, tokenID)
	})
}

func ownToken(tx store.Tx, id *authz.Identity, tokenID string) (domain.APITokenView, error) {
	token, found, err := tx.APIToken(core.LookupID[domain.APITokenID](tokenID))
	if err != nil || !found || token.User.ID != id.User.ID || token.RevokedAt != nil {
		return domain.APITokenView{}, missingUnless(err, "API access token")
	}
	return token, nil
}

// CreateOwnToken makes an API access token of the signed-in user and returns it with its value, which cannot be had
// again. The input's user and value are not looked at.
//
// Returns Forbidden for a token, which must not make others, and Invalid with one FieldError a bad field: an
// organization that the user is not a member of is among them, whether it exists or not.
func (s *Service) CreateOwnToken(ctx context.Context, actor authz.Actor, in domain.APITokenInput) (
	domain.APIToken, domain.Secret, error) {
	var value domain.Secret
	token, err := core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (token domain.APIToken,
		err error) {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return token, err
		}
		var faults domain.Faults
		in.Value = ""
		token, value = domain.NewAPIToken(in, s.core.Clock(), &faults)
		noSuch := func(slug string) string { return domain.NotAMember(id.User.Email, slug) }
		granted, err := grantedOrganizations(tx, id.User, in.Organizations, noSuch, &faults)
		if err != nil {
			return token, err
		}
		if err := s.checkTokenCreation(tx, actor, granted, &faults); err != nil {
			return token, err
		}
		if err := faults.Err(); err != nil {
			return token, err
		}
		if err := tx.InsertAPIToken(token, domain.HashToken(value.Reveal()), id.User.ID, granted); err != nil {
			return token, err
		}
		return token, s.core.RecordTokenCreation(tx, core.AuthorOf(actor, &id), token, id.User.ID)
	})
	if err != nil {
		return domain.APIToken{}, "", err
	}
	return token, value, nil
}

// checkTokenCreation adds a fault for each of the organizations in which only administrators make tokens and the actor
// is none. The organizations stay as they are until the transaction ends.
func (s *Service) checkTokenCreation(tx store.Tx, actor authz.Actor, granted []domain.OrganizationID,
	faults *domain.Faults) error {
	for _, organization := range slices.Sorted(slices.Values(granted)) { // as locks are taken
		if err := tx.LockOrganization(organization); err != nil {
			return err
		}
		id, found, err := tx.Identity(actor.Credential,
			domain.OrganizationRef{Of: domain.ThingRef{Kind: domain.OrganizationThing, ID: string(organization)}})
		if err != nil {
			return err
		}
		if found && id.Role != "" && !id.Admin() && id.Organization.Settings.RestrictUserAPITokenCreation {
			faults.Add("organizations", domain.TokensAreRestricted(id.Organization.Slug))
		}
	}
	return nil
}

// grantedOrganizations returns the organizations of those slugs, each once. It adds a fault for each that does not
// exist, which noSuch words, and for each that the user is no member of.
func grantedOrganizations(tx store.Tx, user domain.User, slugs []string, noSuch func(slug string) string,
	faults *domain.Faults) (granted []domain.OrganizationID, err error) {
	const field = "organizations"
	for _, slug := range slices.Compact(slices.Sorted(slices.Values(slugs))) {
		o, found, err := tx.OrganizationBySlug(core.LookupSlug(slug))
		if err != nil {
			return nil, err
		}
		if !found {
			faults.Add(field, noSuch(slug))
			continue
		}
		member, err := tx.IsMember(o.ID, user.ID)
		if err != nil {
			return nil, err
		}
		if !member && user.ID != "" { // a user who does not exist is a fault already
			faults.Add(field, domain.NotAMember(user.Email, slug))
		}
		granted = append(granted, o.ID)
	}
	return granted, nil
}

// RevokeOwnToken revokes an API access token of the signed-in user.
//
// Returns NotFound if they have no such token, and Forbidden for a token.
func (s *Service) RevokeOwnToken(ctx context.Context, actor authz.Actor, tokenID string) error {
	return s.core.Write(ctx, actor, core.NoOrganization, func(tx store.Tx) error {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return err
		}
		token, err := ownToken(tx, &id, tokenID)
		if err != nil {
			return err
		}
		live, err := tx.RevokeToken(token.ID, s.core.Clock())
		if err != nil || !live {
			return err
		}
		return s.core.RecordTokenRevocation(tx, core.AuthorOf(actor, &id), token.APIToken, id.User.ID)
	})
}

// OwnPortalTokens returns a page of the live tokens with which programs run portals as the signed-in user, the newest
// first.
//
// Returns Forbidden for a token.
func (s *Service) OwnPortalTokens(ctx context.Context, actor authz.Actor, page domain.Page) (
	domain.Paged[domain.MemberPortalToken], error) {
	return core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.Paged[domain.MemberPortalToken],
		error) {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return domain.Paged[domain.MemberPortalToken]{}, err
		}
		return readPage(tx, &id, store.OwnPortalTokens(s.core.Now()), id.User.ID, page)
	})
}

// OwnPortalToken returns one of the live tokens with which programs run portals as the signed-in user.
//
// Returns NotFound if there is no such token, and Forbidden for a token.
func (s *Service) OwnPortalToken(ctx context.Context, actor authz.Actor, tokenID string) (
	domain.MemberPortalToken, error) {
	return core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.MemberPortalToken, error) {
		_, token, err := s.ownPortalToken(tx, actor, tokenID)
		return token, err
	})
}

func (s *Service) ownPortalToken(tx store.Tx, actor authz.Actor, tokenID string) (
	authz.Identity, domain.MemberPortalToken, error) {
	id, err := s.ownAccount(tx, actor)
	if err != nil {
		return id, domain.MemberPortalToken{}, err
	}
	token, found, err := tx.OwnPortalToken(id.User.ID, core.LookupID[domain.PortalTokenID](tokenID), s.core.Now())
	if err == nil && !found {
		err = domain.Missing("portal token")
	}
	return id, token, err
}

// RevokeOwnPortalToken ends a token with which a program runs a portal as the signed-in user: from then on it is worth
// nothing.
//
// Returns NotFound if there is no such token, and Forbidden for a token.
func (s *Service) RevokeOwnPortalToken(ctx context.Context, actor authz.Actor, tokenID string) error {
	return s.core.Write(ctx, actor, core.NoOrganization, func(tx store.Tx) error {
		_, token, err := s.ownPortalToken(tx, actor, tokenID)
		if err != nil {
			return err
		}
		if err := tx.LockPortal(token.PortalID); err != nil {
			return err
		}
		id, token, err := s.ownPortalToken(tx, actor, tokenID) // as it is now
		if err != nil {
			return err
		}
		if err := tx.DeletePortalToken(token.ID); err != nil {
			return err
		}
		by := core.AuthorOf(actor, &id)
		by.Organization = token.OrganizationID
		return s.core.Record(tx, by, domain.PortalTokenDeleted, core.PortalTokenSubject(token.PortalToken),
			core.FactsOfPortalToken(token.PortalToken), nil)
	})
}
