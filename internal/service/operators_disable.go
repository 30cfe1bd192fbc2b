package service

import (
	"context"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// DisableUser prevents the user with that email address from using the installation, from the next request on: their
// sessions end, their API access tokens are worth nothing while they are disabled, and the invitations that they made
// are revoked. It returns the portals that they know a credential of, which go on. Disabling who is disabled changes
// nothing. Operators only.
//
// Returns NotFound if there is no such user, and Invalid if they are the last administrator of an organization.
func (s *Service) DisableUser(ctx context.Context, actor authz.Actor, email string) (
	portals []domain.PortalDocument, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return nil, err
	}
	return core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) ([]domain.PortalDocument, error) {
		user, state, err := lockNamedUser(tx, email)
		if err != nil {
			return nil, err
		}
		administered, err := tx.AdministeredBy(user.ID)
		if err != nil {
			return nil, err
		}
		var alone []string
		for _, o := range administered {
			if err := tx.LockOrganization(o.ID); err != nil {
				return nil, err
			}
			another, err := tx.HasOtherAdministrator(o.ID, user.ID)
			if err != nil {
				return nil, err
			}
			if !another && !state.Disabled {
				alone = append(alone, o.Slug)
			}
		}
		if len(alone) > 0 {
			return nil, domain.NewError(domain.Invalid, domain.LastAdministratorOf(user.Email, strings.Join(alone, ", ")))
		}
		now := s.core.Clock()
		if err := tx.SetDisabled(user.ID, &now); err != nil {
			return nil, err
		}
		if err := tx.DeleteSessionsOf(user.ID, ""); err != nil {
			return nil, err
		}
		if err := s.revokeInvitationsBy(tx, core.OperatorIn(""), user.ID, "", ""); err != nil {
			return nil, err
		}
		before := userFacts{Name: user.Name, Disabled: state.Disabled}
		if err := s.recordUser(tx, core.OperatorIn(""), domain.UserUpdated, user, before,
			userFacts{Name: user.Name, Disabled: true}); err != nil {
			return nil, err
		}
		return tx.AllPortalsKnownBy(user.ID)
	})
}

// EnableUser lets the user with that email address use the installation again. Operators only.
//
// Returns NotFound if there is no such user.
func (s *Service) EnableUser(ctx context.Context, actor authz.Actor, email string) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return s.core.Write(ctx, actor, core.NoOrganization, func(tx store.Tx) error {
		user, state, err := lockNamedUser(tx, email)
		if err != nil {
			return err
		}
		if err := tx.SetDisabled(user.ID, nil); err != nil {
			return err
		}
		before := userFacts{Name: user.Name, Disabled: state.Disabled}
		return s.recordUser(tx, core.OperatorIn(""), domain.UserUpdated, user, before, userFacts{Name: user.Name})
	})
}

func lockNamedUser(tx store.Tx, email string) (domain.User, store.UserState, error) {
	user, found, err := tx.UserByEmail(lookupEmail(email))
	if err != nil || !found {
		return user, store.UserState{}, missingUnless(err, "user")
	}
	state, err := tx.LockUser(user.ID)
	return user, state, err
}
