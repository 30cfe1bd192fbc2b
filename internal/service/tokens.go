package service

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// OrganizationTokens returns a page of the live API access tokens that reach an organization, the oldest first. Of
// where else a token reaches, it says nothing.
//
// Returns Forbidden unless actor administers the organization.
func (s *Service) OrganizationTokens(ctx context.Context, actor authz.Actor, organization string, page domain.Page) (
	domain.Paged[domain.OrganizationToken], error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (domain.Paged[domain.OrganizationToken], error) {
			id, err := s.core.InOrganization(tx, actor, domain.OrganizationRef{Slug: organization}, authz.ReadOrganizationToken)
			if err != nil {
				return domain.Paged[domain.OrganizationToken]{}, err
			}
			return readPage(tx, &id, store.OrganizationTokensOf(domain.TokenFilter{}, s.core.Now()), id.Organization.ID, page)
		})
}

// RevokeOrganizationToken revokes the access of an API access token to an organization. Elsewhere the token stays what
// it is.
//
// Returns Forbidden unless actor administers the organization, and NotFound if the token does not reach it.
func (s *Service) RevokeOrganizationToken(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	tokenID string) error {
	return s.core.Write(ctx, actor, organization, func(tx store.Tx) error {
		id, err := s.core.InOrganization(tx, actor, organization, authz.RevokeOrganizationToken)
		if err != nil {
			return err
		}
		token, found, err := tx.APIToken(core.LookupID[domain.APITokenID](tokenID))
		if err != nil || !found {
			return missingUnless(err, "API access token")
		}
		revoked, err := tx.RevokeGrant(token.ID, id.Organization.ID)
		if err != nil || !revoked {
			return missingUnless(err, "API access token")
		}
		return s.core.Record(tx, core.AuthorOf(actor, &id), domain.APIAccessTokenAccessRevoked,
			core.APITokenSubject(token.APIToken), core.FactsOfAPIToken(token.APIToken, token.User.ID), nil)
	})
}

// unusedGrace is how much longer RevokeInactiveTokens waits: uses are stored late, and nodes' clocks differ. Until then
// Belongs refuses such a token.
const unusedGrace = 5 * time.Minute

// RevokeInactiveTokens takes organizations from the API access tokens that were not used for as long as the
// organizations let them be, by the database's clock, and returns how many it took. Operators only.
func (s *Service) RevokeInactiveTokens(ctx context.Context, actor authz.Actor) (revoked int64, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return 0, err
	}
	err = core.RunPages(ctx, s.core, core.PruneBatch, func(tx store.Tx, now time.Time) ([]store.Grant, error) {
		return tx.AllUnusedGrants(now, now.Add(-unusedGrace), core.PruneBatch)
	}, core.Items[store.Grant]{Kind: store.RevokeInactiveTokens, ID: store.Grant.Name, Batch: core.PruneBatch,
		Do: func(ctx context.Context, grants []store.Grant) error {
			err := s.core.Store.Write(ctx, func(tx store.Tx) error {
				for _, grant := range grants {
					if err := s.revokeUnusedGrant(tx, grant.Token, grant.Organization); err != nil {
						return err
					}
				}
				return nil
			})
			if err == nil {
				revoked += int64(len(grants))
			}
			return err
		}})
	return revoked, err
}

// revokeUnusedGrants takes away from a token, which is used again at that time, the organizations that do not let
// tokens be unused for so long. Until then admit has refused it; from now on its last use would not show that any more.
func (s *Service) revokeUnusedGrants(tx store.Tx, id domain.APITokenID, at time.Time) error {
	organizations, err := tx.UnusedGrants(id, at)
	if err != nil || len(organizations) == 0 {
		return err
	}
	for _, organization := range organizations {
		if err := s.revokeUnusedGrant(tx, id, organization); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) revokeUnusedGrant(tx store.Tx, id domain.APITokenID, organization domain.OrganizationID) error {
	token, _, err := tx.APIToken(id)
	if err != nil {
		return err
	}
	revoked, err := tx.RevokeGrant(id, organization)
	if err != nil || !revoked {
		return err // another node was faster
	}
	return s.core.Record(tx, core.OperatorIn(organization), domain.APIAccessTokenAccessRevoked,
		core.APITokenSubject(token.APIToken),
		core.FactsOfAPIToken(token.APIToken, token.User.ID), nil)
}
