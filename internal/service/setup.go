package service

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// OpenSetup returns a value with which an installation without users can be set up, or "" if it has users. Values that
// were returned before stay good for their time. Operators only.
func (s *Service) OpenSetup(ctx context.Context, actor authz.Actor) (domain.Secret, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return "", err
	}
	return core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.Secret, error) {
		now := s.core.Clock()
		if err := tx.PruneSetupLinks(now.Add(-domain.SetupLifetime)); err != nil {
			return "", err
		}
		if users, err := tx.HasUsers(); err != nil || users {
			return "", err
		}
		value := domain.NewSetupValue()
		return value, tx.InsertSetupLink(domain.HashToken(value.Reveal()), now)
	})
}

// NeedsSetup reports whether the installation has no users yet, and has to be set up with a link of OpenSetup.
//
// Returns Forbidden unless actor is a browser.
func (s *Service) NeedsSetup(ctx context.Context, actor authz.Actor) (needed bool, err error) {
	if err := authz.CheckBrowser(actor); err != nil {
		return false, err
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		users, err := tx.HasUsers()
		needed = !users
		return err
	})
	return needed && err == nil, err
}

var errNoSetup = domain.Missing("set-up link")

// CheckSetup reports whether an installation can be set up with that value.
//
// Returns Forbidden unless actor is a browser, and NotFound if it cannot.
func (s *Service) CheckSetup(ctx context.Context, actor authz.Actor, link domain.Secret) error {
	if err := authz.CheckBrowser(actor); err != nil {
		return err
	}
	return s.core.Store.Read(ctx, func(tx store.Tx) error { return s.checkSetup(tx, link) })
}

func (s *Service) checkSetup(tx store.Tx, link domain.Secret) error {
	found, err := tx.HasSetupLink(domain.HashToken(link.Reveal()), s.core.Clock().Add(-domain.SetupLifetime))
	if err == nil && found {
		var users bool
		users, err = tx.HasUsers()
		found = !users
	}
	if err == nil && !found {
		err = errNoSetup
	}
	return err
}

// CompleteSetup makes the first user, who administers a first organization, and signs them in: it returns the value of
// their session. Afterwards no such link works any more; of several at once, one succeeds.
//
// Returns Forbidden unless actor is a browser, NotFound if the installation cannot be set up with that link, and
// Invalid with one FieldError a bad field.
func (s *Service) CompleteSetup(ctx context.Context, actor authz.Actor, in domain.SetupInput) (domain.Secret, error) {
	if err := s.CheckSetup(ctx, actor, in.Link); err != nil {
		return "", err
	}
	var faults domain.Faults
	now := s.core.Clock()
	user := domain.NewUser(domain.UserInput{Email: in.Email, Name: in.Name}, now, &faults)
	hash, err := s.hashChosen(ctx, in.Password, &faults)
	if err != nil {
		return "", err
	}
	organization := newSetupOrganization(in, now, &faults)
	if err := faults.Err(); err != nil {
		return "", err
	}
	return core.Change(ctx, s.core, visitor(actor), core.NoOrganization, func(tx store.Tx) (domain.Secret, error) {
		if err := s.checkSetup(tx, in.Link); err != nil {
			return "", err
		}
		taken, err := tx.ClaimSetupLinks(domain.HashToken(in.Link.Reveal()))
		if err == nil && !taken {
			err = errNoSetup
		}
		if err != nil {
			return "", err
		}
		if err := tx.InsertUser(user, hash); err != nil {
			return "", err
		}
		if err := tx.InsertOrganization(organization); err != nil {
			return "", err
		}
		m := domain.NewMember(organization.ID, user.ID, domain.RoleAdmin, now, &faults)
		if _, err := tx.InsertMember(m, user.Email, user.ID); err != nil {
			return "", err
		}
		facts := core.FactsOfOrganization(organization)
		facts.Administrator = user.ID
		author := core.AuthorOf(actor, &authz.Identity{User: user, Organization: organization})
		if err := s.core.Record(tx, author, domain.OrganizationCreated, core.OrganizationSubject(organization), nil,
			facts); err != nil {
			return "", err
		}
		return s.beginSession(tx, actor, user)
	})
}

// newSetupOrganization returns the organization that the input describes. Its faults are distinct from those of the
// user.
func newSetupOrganization(in domain.SetupInput, now time.Time, faults *domain.Faults) domain.Organization {
	slug := in.OrganizationSlug
	if slug == "" {
		slug = domain.MakeSlug(in.OrganizationName)
	}
	var found domain.Faults
	organization := domain.OrganizationInput{Slug: slug, Name: in.OrganizationName}.Organization(now, &found)
	domain.RequireFreeSlug(slug, &found)
	for _, fault := range found {
		faults.Add("organization_"+fault.Field, fault.Reason)
	}
	return organization
}
