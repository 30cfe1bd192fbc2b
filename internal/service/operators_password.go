package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// SetPassword sets the password of the user with that email address in place of the one that they have, if any, and
// ends their sessions. Operators only.
//
// Returns NotFound if there is no such user, and Invalid if the password cannot be one.
func (s *Service) SetPassword(ctx context.Context, actor authz.Actor, email string, password domain.Secret) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	var faults domain.Faults
	hash, err := s.hashChosen(ctx, password, &faults)
	if err == nil {
		err = faults.Err()
	}
	if err != nil {
		return err
	}
	return s.core.Write(ctx, actor, core.NoOrganization, func(tx store.Tx) error {
		user, found, err := tx.UserByEmail(lookupEmail(email))
		if err != nil || !found {
			return missingUnless(err, "user")
		}
		if err := tx.UpdatePassword(user.ID, hash); err != nil {
			return err
		}
		if err := tx.DeleteSessionsOf(user.ID, ""); err != nil {
			return err
		}
		return s.recordUser(tx, core.OperatorIn(""), domain.UserPasswordReset, user, nil, nil)
	})
}
