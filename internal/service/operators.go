package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// CreateUser makes a user. Operators only.
//
// Returns Invalid with one FieldError a bad field, an email address or id that is taken among them.
func (s *Service) CreateUser(ctx context.Context, actor authz.Actor, in domain.UserInput) (domain.User, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return domain.User{}, err
	}
	var faults domain.Faults
	user := domain.NewUser(in, s.core.Clock(), &faults)
	if err := faults.Err(); err != nil {
		return domain.User{}, err
	}
	hash, err := hashPassword(in.Password)
	if err != nil {
		return domain.User{}, err
	}
	return core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.User, error) {
		if err := refuseTakenID(tx, user.ID); err != nil {
			return domain.User{}, err
		}
		return user, tx.InsertUser(user, hash)
	})
}

// hashPassword returns the form in which a password is stored, or "" for none. It takes long: not for inside a
// transaction.
func hashPassword(password domain.Secret) (string, error) {
	if password == "" {
		return "", nil
	}
	return domain.HashPassword(password)
}

// CreateOrganization makes an organization, with an administrator if the input names one. Operators only.
//
// Returns Invalid with one FieldError a bad field: a slug or id that is taken, a billing parent that does not
// exist or has one itself, and an administrator who is not a user are among them.
func (s *Service) CreateOrganization(ctx context.Context, actor authz.Actor, in domain.OrganizationInput) (
	domain.Organization, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return domain.Organization{}, err
	}
	return core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.Organization, error) {
		var faults domain.Faults
		o := in.Organization(s.core.Clock(), &faults)
		domain.RequireFreeSlug(o.Slug, &faults)
		if err := core.SetBillingParent(tx, &o, in.BillingParent, &faults); err != nil {
			return o, err
		}
		var admin domain.User
		if in.Admin != "" {
			var err error
			if admin, err = namedUser(tx, "admin", in.Admin, &faults); err != nil {
				return o, err
			}
		}
		if err := faults.Err(); err != nil {
			return o, err
		}
		if err := refuseTakenID(tx, o.ID); err != nil {
			return o, err
		}
		if err := tx.InsertOrganization(o); err != nil {
			return o, err
		}
		facts := core.FactsOfOrganization(o)
		if in.Admin != "" {
			facts.Administrator = admin.ID
			m := domain.NewMember(o.ID, admin.ID, domain.RoleAdmin, o.CreatedAt, &faults)
			if _, err := tx.InsertMember(m, admin.Email, ""); err != nil {
				return o, err
			}
		}
		return o, s.core.Record(tx, core.OperatorIn(o.ID), domain.OrganizationCreated, core.OrganizationSubject(o), nil,
			facts)
	})
}

// AddMember makes the user with that email address a member of an organization. Operators only.
//
// Returns NotFound if there is no such organization, and Invalid if there is no such user, they are a member
// already, or role is not one.
func (s *Service) AddMember(ctx context.Context, actor authz.Actor, organization, email string,
	role domain.Role) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return s.core.Write(ctx, actor, domain.OrganizationRef{Slug: organization}, func(tx store.Tx) error {
		o, found, err := tx.OrganizationBySlug(core.LookupSlug(organization))
		if err == nil && !found {
			err = domain.Missing("organization")
		}
		if err != nil {
			return err
		}
		var faults domain.Faults
		user, err := namedUser(tx, "user", email, &faults)
		if err != nil {
			return err
		}
		m := domain.NewMember(o.ID, user.ID, role, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return err
		}
		return s.core.AddMember(tx, m, user, "")
	})
}

// CreateAPIToken makes an API access token of a user and returns it with its value, which cannot be had
// again. Operators only.
//
// Returns Invalid with one FieldError a bad field: a user or organization that does not exist, an organization
// that the user is not a member of, and a value that is taken are among them.
func (s *Service) CreateAPIToken(ctx context.Context, actor authz.Actor, in domain.APITokenInput) (
	domain.APIToken, domain.Secret, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return domain.APIToken{}, "", err
	}
	var value domain.Secret
	token, err := core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (token domain.APIToken,
		err error) {
		var faults domain.Faults
		token, value = domain.NewAPIToken(in, s.core.Clock(), &faults)
		user, err := namedUser(tx, "user", in.User, &faults)
		if err != nil {
			return token, err
		}
		granted, err := grantedOrganizations(tx, user, in.Organizations, domain.NoSuchOrganization, &faults)
		if err != nil {
			return token, err
		}
		if err := faults.Err(); err != nil {
			return token, err
		}
		if err := tx.InsertAPIToken(token, domain.HashToken(value.Reveal()), user.ID, granted); err != nil {
			return token, err
		}
		return token, s.core.RecordTokenCreation(tx, core.OperatorIn(""), token, user.ID)
	})
	if err != nil {
		return domain.APIToken{}, "", err
	}
	return token, value, nil
}

// APITokens returns the API access tokens that filter chooses, revoked and expired ones too, the oldest first.
// Operators only.
//
// Returns NotFound if the filter names a user or an organization that does not exist.
func (s *Service) APITokens(ctx context.Context, actor authz.Actor, filter domain.APITokenFilter) (
	[]domain.APITokenView, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return nil, err
	}
	return core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) ([]domain.APITokenView, error) {
		if filter.User != "" {
			if _, found, err := tx.UserByEmail(lookupEmail(filter.User)); err != nil || !found {
				return nil, missingUnless(err, "user")
			}
		}
		if filter.Organization != "" {
			if _, found, err := tx.OrganizationBySlug(core.LookupSlug(filter.Organization)); err != nil || !found {
				return nil, missingUnless(err, "organization")
			}
		}
		return tx.APITokens(filter)
	})
}

// RevokeAPIToken revokes the API access token with that id or that value. Revoking one that is revoked
// already changes nothing. Operators only.
//
// Returns NotFound if there is no such token.
func (s *Service) RevokeAPIToken(ctx context.Context, actor authz.Actor, idOrValue string) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return s.core.Write(ctx, actor, core.NoOrganization, func(tx store.Tx) error {
		token, found, err := apiToken(tx, idOrValue)
		if err != nil || !found {
			return missingUnless(err, "API access token")
		}
		live, err := tx.RevokeToken(token.ID, s.core.Clock())
		if err != nil || !live {
			return err
		}
		return s.core.RecordTokenRevocation(tx, core.OperatorIn(""), token.APIToken, token.User.ID)
	})
}

// apiToken returns the token with that id or that value. An operator may have chosen a value that looks like an id.
func apiToken(tx store.Tx, idOrValue string) (domain.APITokenView, bool, error) {
	if id, ok := domain.ParseID[domain.APITokenID](idOrValue); ok {
		if token, found, err := tx.APIToken(id); err != nil || found {
			return token, found, err
		}
	}
	return tx.APITokenByHash(domain.HashToken(idOrValue))
}

// namedUser returns the user whom an input field names by email address. It adds a fault if there is none.
func namedUser(tx store.Tx, field, email string, faults *domain.Faults) (domain.User, error) {
	user, found, err := tx.UserByEmail(lookupEmail(email))
	if err == nil && !found {
		faults.Add(field, domain.NoSuchUser(email))
	}
	return user, err
}

// lookupEmail returns email if it can be stored, so that nothing else reaches the database.
func lookupEmail(email string) string {
	if !domain.ValidText(email) {
		return ""
	}
	return email
}

// refuseTakenID returns an Invalid error if there is a thing with that id.
func refuseTakenID(tx store.Tx, id any) error {
	found, err := tx.IDTaken(id)
	if err != nil || !found {
		return err
	}
	return domain.Faults{{Field: "id", Reason: domain.IDTaken}}.Err()
}

// missingUnless returns err, or that there is no such thing.
func missingUnless(err error, thing string) error {
	if err != nil {
		return err
	}
	return domain.Missing(thing)
}
