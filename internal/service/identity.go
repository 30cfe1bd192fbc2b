package service

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Admit does what comes before an operation: who asks is known, and that they use the organization today is stored;
// see core.Core.Admit. Operations do it themselves; a surface asks first if it counts requests by user and
// organization.
func (s *Service) Admit(ctx context.Context, actor authz.Actor, organization string) (authz.Admission, error) {
	return s.core.Admit(ctx, actor, domain.OrganizationRef{Slug: organization})
}

// StoreTokenUses stores when tokens and sessions were last used. What cannot be stored waits for the next time.
// Operators only.
func (s *Service) StoreTokenUses(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return s.core.StoreTokenUses(ctx, func(tx store.Tx, id domain.APITokenID, first time.Time) error {
		return s.revokeUnusedGrants(tx, id, first)
	})
}

// CheckGraphQL returns Unauthenticated, or Forbidden if actor's token does not have the scope for GraphQL.
func (s *Service) CheckGraphQL(ctx context.Context, actor authz.Actor) error {
	_, err := s.enterAlone(ctx, actor, authz.UseGraphQL)
	return err
}

// User returns the user that the actor acts as.
func (s *Service) User(ctx context.Context, actor authz.Actor) (domain.User, error) {
	id, err := s.enterAlone(ctx, actor, authz.ReadUser)
	return id.User, err
}

// AccessToken returns the actor's own token and its user.
func (s *Service) AccessToken(ctx context.Context, actor authz.Actor) (domain.APIToken, domain.User, error) {
	id, err := s.enterAlone(ctx, actor, authz.ReadAccessToken)
	return id.Token, id.User, err
}

func (s *Service) enterAlone(ctx context.Context, actor authz.Actor, action authz.Action) (authz.Identity, error) {
	return core.ViewStatement(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (authz.Identity, error) {
		return s.core.EnterAlone(tx, actor, action)
	})
}

// RevokeAccessToken revokes the actor's own token.
func (s *Service) RevokeAccessToken(ctx context.Context, actor authz.Actor,
	expected *core.Precondition[authz.Identity]) error {
	expected = expected.Observe(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (authz.Identity, error) {
		return s.core.EnterAlone(tx, actor, authz.RevokeAccessToken)
	})
	return s.core.Write(ctx, actor, core.NoOrganization, func(tx store.Tx) error {
		id, err := s.core.EnterAlone(tx, actor, authz.RevokeAccessToken)
		if err != nil {
			return err
		}
		if err := expected.Check(id); err != nil {
			return err
		}
		live, err := tx.RevokeToken(id.Token.ID, s.core.Clock())
		if err == nil && !live {
			err = core.ErrUnauthenticated // it was revoked at this very moment
		}
		if err != nil {
			return err
		}
		return s.core.RecordTokenRevocation(tx, core.AuthorOf(actor, &id), id.Token, id.User.ID)
	})
}

// Organizations returns a page of the organizations that the actor's token reaches from where they are, or that a
// signed-in user belongs to, by name.
func (s *Service) Organizations(ctx context.Context, actor authz.Actor, page domain.Page) (
	domain.Paged[domain.CountedOrganization], error) {
	return core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.Paged[domain.CountedOrganization],
		error) {
		found, err := s.organizations(tx, actor, page)
		if err != nil {
			return domain.Paged[domain.CountedOrganization]{}, err
		}
		return countOrganizations(tx, found)
	})
}

func (s *Service) organizations(tx store.Tx, actor authz.Actor, page domain.Page) (
	none domain.Paged[domain.Organization], err error) {
	id, err := s.core.EnterAlone(tx, actor, authz.ReadOrganization)
	if err != nil {
		return none, err
	}
	if actor.Credential.Kind == authz.Session {
		return readOrganizations(tx, actor, &id, nil, page)
	}
	suspended, err := s.core.SuspendedOrganizations(tx, actor, &id)
	if err != nil {
		return none, err
	}
	return readOrganizations(tx, actor, &id, suspended, page)
}

// readOrganizations returns a page of the organizations that the caller has access to, by name, but for suspended ones.
func readOrganizations(tx store.Tx, actor authz.Actor, caller *authz.Identity, suspended []domain.OrganizationID,
	page domain.Page) (paged domain.Paged[domain.Organization], err error) {
	found, err := readPage(tx, caller, store.AccessibleOrganizations(actor.Credential, caller, suspended), caller.User.ID,
		page)
	paged.Total = found.Total
	for _, membership := range found.Items {
		paged.Items = append(paged.Items, membership.Organization)
	}
	return paged, err
}

func countOrganizations(tx store.Tx, found domain.Paged[domain.Organization]) (
	counted domain.Paged[domain.CountedOrganization], err error) {
	ids := make([]domain.OrganizationID, len(found.Items))
	for i, o := range found.Items {
		ids[i] = o.ID
	}
	counts, err := tx.OrganizationCounts(ids...)
	for _, o := range found.Items {
		counted.Items = append(counted.Items, domain.CountedOrganization{Organization: o, Counts: counts[o.ID]})
	}
	counted.Total = found.Total
	return counted, err
}

// Organization returns the organization with that slug.
func (s *Service) Organization(ctx context.Context, actor authz.Actor, slug string) (domain.OrganizationView, error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: slug},
		s.findOrganization(actor, domain.OrganizationRef{Slug: slug}, authz.ReadOrganization))
}

// LimitedOrganization returns the organization of a slug to those who may see how much of its rate limits is used: all
// who may use it.
func (s *Service) LimitedOrganization(ctx context.Context, actor authz.Actor, slug string) (
	domain.OrganizationID, error) {
	ref := domain.OrganizationRef{Slug: slug}
	view, err := core.View(ctx, s.core, actor, ref, s.findOrganization(actor, ref, authz.ReadRateLimit))
	return view.ID, err
}

// Emojis returns the emojis that texts of an organization may have, by name. They are the same for all.
func (s *Service) Emojis(ctx context.Context, actor authz.Actor, slug string) ([]domain.Emoji, error) {
	ref := domain.OrganizationRef{Slug: slug}
	if _, err := core.View(ctx, s.core, actor, ref, s.findOrganization(actor, ref, authz.ReadEmojis)); err != nil {
		return nil, err
	}
	return domain.Emojis(), nil
}

func (s *Service) findOrganization(actor authz.Actor, ref domain.OrganizationRef, action authz.Action) func(store.Tx) (
	domain.OrganizationView, error) {
	return func(tx store.Tx) (domain.OrganizationView, error) {
		id, err := s.core.InOrganization(tx, actor, ref, action)
		if err != nil {
			return domain.OrganizationView{}, err
		}
		return viewOrganization(tx, &id)
	}
}
