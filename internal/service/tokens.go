package service

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// OrganizationTokens returns a page of the live API access tokens that reach an organization, the oldest first. Of where else
// a token reaches, it says nothing.
//
// Returns Forbidden unless actor administers the organization.
func (s *Service) OrganizationTokens(ctx context.Context, actor authz.Actor, organization string, page domain.Page) (domain.Paged[domain.OrganizationToken], error) {
	return view(ctx, s, func(tx store.Tx) (domain.Paged[domain.OrganizationToken], error) {
		id, err := s.inOrganization(tx, actor, organization, authz.ReadOrganizationToken)
		if err != nil {
			return domain.Paged[domain.OrganizationToken]{}, err
		}
		return tx.OrganizationTokens(id.Organization.ID, s.now(), page)
	})
}

// RevokeOrganizationToken takes an organization away from an API access token. Elsewhere the token stays what it is.
//
// Returns Forbidden unless actor administers the organization, and NotFound if the token does not reach it.
func (s *Service) RevokeOrganizationToken(ctx context.Context, actor authz.Actor, organization, tokenID string) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		id, err := s.inOrganization(tx, actor, organization, authz.RevokeOrganizationToken)
		if err != nil {
			return err
		}
		token, found, err := tx.APIToken(lookupID[domain.APITokenID](tokenID))
		if err != nil || !found {
			return missingUnless(err, "API access token")
		}
		revoked, err := tx.RevokeGrant(token.ID, id.Organization.ID)
		if err != nil || !revoked {
			return missingUnless(err, "API access token")
		}
		return s.record(tx, by(actor, &id), domain.APIAccessTokenAccessRevoked, apiTokenSubject(token.APIToken), factsOfAPIToken(token.APIToken, token.User.ID), nil)
	})
}

// revokeUnusedGrants takes away from a token, which is used again at that time, the organizations that do not let tokens be
// unused for so long. Until then admit has refused it; from now on its last use would not tell any more.
func (s *Service) revokeUnusedGrants(tx store.Tx, id domain.APITokenID, at time.Time) error {
	organizations, err := tx.UnusedGrants(id, at)
	if err != nil || len(organizations) == 0 {
		return err
	}
	token, _, err := tx.APIToken(id)
	if err != nil {
		return err
	}
	for _, organization := range organizations {
		revoked, err := tx.RevokeGrant(id, organization)
		if err != nil {
			return err
		}
		if !revoked {
			continue // another node was faster
		}
		if err := s.record(tx, byOperator(organization), domain.APIAccessTokenAccessRevoked, apiTokenSubject(token.APIToken),
			factsOfAPIToken(token.APIToken, token.User.ID), nil); err != nil {
			return err
		}
	}
	return nil
}

// recordCreation stores that an API access token was made, in each organization that it was granted.
func (s *Service) recordCreation(tx store.Tx, by author, token domain.APIToken, user domain.UserID) error {
	return s.recordInGrants(tx, by, domain.APIAccessTokenCreated, token, nil, factsOfAPIToken(token, user))
}

// recordRevocation stores that an API access token was revoked, in each organization that it was granted.
func (s *Service) recordRevocation(tx store.Tx, by author, token domain.APIToken, user domain.UserID) error {
	return s.recordInGrants(tx, by, domain.APIAccessTokenDeleted, token, factsOfAPIToken(token, user), nil)
}

func (s *Service) recordInGrants(tx store.Tx, by author, event domain.AuditEventType, token domain.APIToken, before, after any) error {
	organizations, err := tx.GrantsOf(token.ID)
	if err != nil {
		return err
	}
	for _, organization := range organizations {
		by.organization = organization
		if err := s.record(tx, by, event, apiTokenSubject(token), before, after); err != nil {
			return err
		}
	}
	return nil
}
