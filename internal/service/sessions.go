package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

var errWrongSignIn = domain.NewError(domain.Invalid, domain.WrongSignIn)

// SignIn makes a session for the user with that email address and password. It is a fresh one each time; a session that
// the actor has already ends.
//
// Returns Forbidden unless actor is a browser, RateLimited after too many failures, and Invalid, with the same message
// and after the same time, if there is no such user or the password is not theirs. Others' failures do not keep a user
// from signing in with a browser that they signed in with before.
func (s *Service) SignIn(ctx context.Context, actor authz.Actor, in domain.SignInInput) (
	signedIn domain.SignedIn, err error) {
	if err := authz.CheckBrowser(actor); err != nil {
		return signedIn, err
	}
	var user store.UserPassword
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) (err error) {
		user, _, err = tx.UserPasswordByEmail(lookupEmail(in.Email))
		return err
	})
	if err != nil {
		return signedIn, err
	}
	defer func() { s.logSignIn(ctx, actor, in.Email, user.User.ID, err) }()
	ended, err := s.attempts.begin(passwordLimits(domain.EmailKey(in.Email), in.Browser.Known(user.User.ID, user.Hash),
		actor.Address), s.core.Now())
	if err != nil {
		return signedIn, err
	}
	signedIn.Session, err = s.signIn(ctx, actor, user, in.Password)
	ended(err)
	if err == nil {
		signedIn.Browser = in.Browser.With(user.User.ID, user.Hash)
	}
	return signedIn, err
}

func (s *Service) signIn(ctx context.Context, actor authz.Actor, user store.UserPassword, password domain.Secret) (
	domain.Secret, error) {
	right, err := s.passwordIs(ctx, user.Hash, password) // takes the same time if there is no such user
	if err == nil && (!right || user.Disabled) {
		err = errWrongSignIn
	}
	if err != nil {
		return "", err
	}
	return core.Change(ctx, s.core, visitor(actor), core.NoOrganization, func(tx store.Tx) (domain.Secret, error) {
		unchanged, err := tx.LockUserPassword(user)
		if err == nil && !unchanged {
			err = errWrongSignIn // it was changed, or they were disabled, at this very moment
		}
		if err != nil {
			return "", err
		}
		return s.beginSession(tx, actor, user.User)
	})
}

// BeginOIDC counts an attempt to sign in by an OpenID Connect provider, before the provider is asked. Ended is called
// with what came of it.
//
// Returns Forbidden unless actor is a browser, and RateLimited after too many failures from the address.
func (s *Service) BeginOIDC(ctx context.Context, actor authz.Actor) (ended func(error), err error) {
	if err := authz.CheckBrowser(actor); err != nil {
		return nil, err
	}
	begun, err := s.attempts.begin([]attemptLimit{{"oidc " + attemptAddress(actor.Address), attemptsPerAddress, false}},
		s.core.Now())
	if err != nil {
		s.logSignIn(ctx, actor, "", "", err)
		return nil, err
	}
	return func(outcome error) {
		begun(outcome)
		s.logSignIn(ctx, actor, "", "", outcome)
	}, nil
}

// SignInWithOIDC is SignIn for a user whom an OpenID Connect provider vouches for. The caller has verified the claims.
//
// Returns Forbidden unless actor is a browser, the provider has verified the email address, and a user who is not
// disabled has it, or its domain is one whose people become users by signing in.
func (s *Service) SignInWithOIDC(ctx context.Context, actor authz.Actor, claims domain.VerifiedClaims) (
	domain.Secret, error) {
	if err := authz.CheckBrowser(actor); err != nil {
		return "", err
	}
	if !claims.EmailVerified {
		return "", domain.NewError(domain.Forbidden, domain.UnverifiedEmail)
	}
	session, err := s.signInWithOIDC(ctx, actor, claims)
	if domain.CodeOf(err) == domain.Invalid { // they became a user at this very moment
		return s.signInWithOIDC(ctx, actor, claims)
	}
	return session, err
}

func (s *Service) signInWithOIDC(ctx context.Context, actor authz.Actor, claims domain.VerifiedClaims) (
	domain.Secret, error) {
	return core.Change(ctx, s.core, visitor(actor), core.NoOrganization, func(tx store.Tx) (domain.Secret, error) {
		user, found, err := tx.UserByEmail(lookupEmail(claims.Email))
		switch {
		case err != nil:
		case found:
			err = s.admitVouchedUser(tx, actor, user)
		default:
			user, err = s.joinByDomain(tx, visitor(actor), claims)
		}
		if err != nil {
			return "", err
		}
		return s.beginSession(tx, actor, user)
	})
}

// visitor is an actor who is to prove who they are otherwise than by the session that they came with, which may not be
// live.
func visitor(actor authz.Actor) authz.Actor {
	actor.Credential = authz.Credential{}
	return actor
}

// beginSession stores a new session of a user in place of the one that the actor has, and returns its value.
func (s *Service) beginSession(tx store.Tx, actor authz.Actor, user domain.User) (domain.Secret, error) {
	if actor.Credential.Kind == authz.Session {
		if err := tx.DeleteSession(actor.Credential.Hash); err != nil {
			return "", err
		}
	}
	address := ""
	if actor.Address.IsValid() {
		address = actor.Address.String()
	}
	value := domain.NewSessionValue()
	return value, tx.InsertSession(domain.NewSession(address, actor.UserAgent, s.core.Clock()),
		domain.HashToken(value.Reveal()), user.ID)
}

// hashPlace waits for a place to hash a password in, and returns what releases it. Hashing takes time and memory, so
// that only as many are hashed at once as there are processors.
func (s *Service) hashPlace(ctx context.Context) (free func(), err error) {
	return core.AcquireTurn(ctx, s.hashing)
}

// passwordIs reports whether a stored hash is of that password.
func (s *Service) passwordIs(ctx context.Context, hash string, password domain.Secret) (bool, error) {
	free, err := s.hashPlace(ctx)
	if err != nil {
		return false, err
	}
	defer free()
	return domain.CheckPassword(hash, password), nil
}

// hashChosen returns the form in which a password that a user chose is stored. It adds the faults that the password
// has.
func (s *Service) hashChosen(ctx context.Context, password domain.Secret, faults *domain.Faults) (string, error) {
	domain.CheckNewPassword("password", password, faults)
	if faults.Has("password") {
		return "", nil
	}
	free, err := s.hashPlace(ctx)
	if err != nil {
		return "", err
	}
	defer free()
	return hashPassword(password)
}

// ownAccount establishes who the actor is: a user who is signed in, not a token of theirs.
func (s *Service) ownAccount(tx store.Tx, actor authz.Actor) (authz.Identity, error) {
	id, err := s.core.EnterAlone(tx, actor, authz.ManageAccount)
	if err != nil {
		return id, err
	}
	return id, authz.CheckSession(actor)
}

// switchable is how many organizations Account lists.
const switchable = 50

// Account returns the signed-in user, organizations of theirs, and what they are in the one with that slug, in which
// they are active thereby.
//
// Returns Unauthenticated if the session is not live, and Forbidden for a token.
func (s *Service) Account(ctx context.Context, actor authz.Actor, organization string) (domain.Account, error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (account domain.Account, err error) {
			id, found, err := tx.Identity(actor.Credential, domain.OrganizationRef{Slug: core.LookupSlug(organization)})
			if err != nil {
				return account, err
			}
			if err := s.core.Authenticate(actor, &id, found); err != nil {
				return account, err
			}
			if err := authz.CheckSession(actor); err != nil {
				return account, err
			}
			if id.Role != "" {
				account.Current = &domain.Membership{Organization: id.Organization, Role: id.Role}
				banner, _, err := tx.OrganizationBanner(id.Organization.ID)
				if err != nil {
					return account, err
				}
				account.Banner = banner.Message
			}
			organizations, err := readOrganizations(tx, actor, &id, nil, domain.Page{Number: 1, Size: switchable})
			account.User, account.Organizations, account.OrganizationsTotal = id.User, organizations.Items, organizations.Total
			return account, err
		})
}

// Sessions returns a page of the user's live sessions, the newest first.
//
// Returns Forbidden for a token.
func (s *Service) Sessions(ctx context.Context, actor authz.Actor, page domain.Page) (
	domain.Paged[domain.SessionView], error) {
	return core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.Paged[domain.SessionView], error) {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return domain.Paged[domain.SessionView]{}, err
		}
		sessions, err := readPage(tx, &id, store.SessionsOf(s.core.Now()), id.User.ID, page)
		for i := range sessions.Items {
			sessions.Items[i].Current = string(sessions.Items[i].ID) == string(id.Token.ID)
		}
		return sessions, err
	})
}

// SignOut ends the actor's session.
func (s *Service) SignOut(ctx context.Context, actor authz.Actor) error {
	return s.core.Write(ctx, actor, core.NoOrganization, func(tx store.Tx) error {
		if _, err := s.ownAccount(tx, actor); err != nil {
			return err
		}
		return tx.DeleteSession(actor.Credential.Hash)
	})
}

// EndSession ends a session of the user, if they have it.
func (s *Service) EndSession(ctx context.Context, actor authz.Actor, session string) error {
	return s.core.Write(ctx, actor, core.NoOrganization, func(tx store.Tx) error {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return err
		}
		ended, ok := domain.ParseID[domain.SessionID](session)
		if !ok {
			return nil
		}
		return tx.DeleteSessionOf(id.User.ID, ended)
	})
}

// SignOutEverywhere ends all sessions of the user, the actor's too.
func (s *Service) SignOutEverywhere(ctx context.Context, actor authz.Actor) error {
	return s.core.Write(ctx, actor, core.NoOrganization, func(tx store.Tx) error {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return err
		}
		return tx.DeleteSessionsOf(id.User.ID, "")
	})
}

// UpdateOwnUser changes the name of the signed-in user.
//
// Returns Invalid for a name that cannot be one.
func (s *Service) UpdateOwnUser(ctx context.Context, actor authz.Actor, name string) (domain.User, error) {
	return core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.User, error) {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return domain.User{}, err
		}
		var faults domain.Faults
		user := id.User
		user.Name = domain.CheckName("name", "Name", name, &faults)
		if err := faults.Err(); err != nil {
			return user, err
		}
		if err := tx.UpdateUser(user); err != nil {
			return user, err
		}
		return user, s.recordUser(tx, core.AuthorOf(actor, &id), domain.UserUpdated, user, userFacts{Name: id.User.Name},
			userFacts{Name: user.Name})
	})
}

// OwnBuildMails returns which mails about their builds the signed-in user wants.
func (s *Service) OwnBuildMails(ctx context.Context, actor authz.Actor) (domain.BuildMails, error) {
	return core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (domain.BuildMails, error) {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return "", err
		}
		return tx.BuildMailsOf(id.User.ID)
	})
}

// UpdateOwnBuildMails changes which mails about their builds the signed-in user wants.
//
// Returns Invalid if there is no such choice.
func (s *Service) UpdateOwnBuildMails(ctx context.Context, actor authz.Actor, mails domain.BuildMails) error {
	_, err := core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (struct{}, error) {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return struct{}{}, err
		}
		if !mails.IsValid() {
			return struct{}{}, domain.Faults{{Field: "build_mails", Reason: "Mails must be all, failed or none"}}.Err()
		}
		before, err := tx.BuildMailsOf(id.User.ID)
		if err != nil {
			return struct{}{}, err
		}
		if err := tx.SetBuildMails(id.User.ID, mails); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.recordUser(tx, core.AuthorOf(actor, &id), domain.UserUpdated, id.User,
			userFacts{Name: id.User.Name, BuildMails: before}, userFacts{Name: id.User.Name, BuildMails: mails})
	})
	return err
}

// UpdateOwnPassword changes the password of the signed-in user, and ends their other sessions. A user who has none yet,
// because they sign in by other means, sends no current one.
//
// Returns Invalid if the current password is not theirs or the new one is too short, and RateLimited after too many
// failures.
func (s *Service) UpdateOwnPassword(ctx context.Context, actor authz.Actor, in domain.PasswordInput) error {
	id, err := core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (authz.Identity, error) {
		return s.ownAccount(tx, actor)
	})
	if err != nil {
		return err
	}
	old, err := s.provePassword(ctx, actor, id.User, in.Current)
	if err != nil {
		return err
	}
	var faults domain.Faults
	hash, err := s.hashChosen(ctx, in.New, &faults)
	if err != nil {
		return err
	}
	if err := faults.Err(); err != nil {
		return err
	}
	return s.core.Write(ctx, actor, core.NoOrganization, func(tx store.Tx) error {
		unchanged, err := tx.LockUserPassword(old)
		if err == nil && !unchanged {
			err = errWrongCurrentPassword // it was changed at this very moment
		}
		if err != nil {
			return err
		}
		if id, err = s.ownAccount(tx, actor); err != nil {
			return err
		}
		if err := tx.UpdatePassword(id.User.ID, hash); err != nil {
			return err
		}
		if err := tx.DeleteSessionsOf(id.User.ID, actor.Credential.Hash); err != nil {
			return err
		}
		return s.recordUser(tx, core.AuthorOf(actor, &id), domain.UserPasswordReset, id.User, nil, nil)
	})
}

var errWrongCurrentPassword = domain.Faults{{Field: "current_password", Reason: domain.WrongOldPassword}}.Err()

// provePassword returns the user's password as it is stored if the given one is it, or if they have none.
func (s *Service) provePassword(ctx context.Context, actor authz.Actor, user domain.User, given domain.Secret) (
	stored store.UserPassword, err error) {
	err = s.core.Store.ReadStatement(ctx, func(tx store.Tx) (err error) {
		stored, _, err = tx.UserPassword(user.ID)
		return err
	})
	if err != nil || stored.Hash == "" {
		return stored, err
	}
	defer func() { s.logSignIn(ctx, actor, user.Email, user.ID, err) }()
	// the session's own
	ended, err := s.attempts.begin(passwordLimits("", actor.Credential.Hash, actor.Address), s.core.Now())
	if err != nil {
		return stored, err
	}
	right, err := s.passwordIs(ctx, stored.Hash, given)
	if err == nil && !right {
		err = errWrongCurrentPassword
	}
	ended(err)
	return stored, err
}

type userFacts struct {
	Name     string `json:"name"`
	Disabled bool   `json:"disabled,omitzero"`

	BuildMails domain.BuildMails `json:"build_mails,omitzero"`
}

// recordUser stores that a user changed something of their own, in each organization that they belong to.
func (s *Service) recordUser(tx store.Tx, by core.Author, event domain.AuditEventType, user domain.User, before,
	after any) error {
	organizations, err := tx.OrganizationIDsOfUser(user.ID)
	if err != nil {
		return err
	}
	for _, organization := range organizations {
		by.Organization = organization
		if err := s.core.Record(tx, by, event, domain.Subject(domain.UserSubject, user.ID, user.Name), before, after); err !=
			nil {
			return err
		}
	}
	return nil
}

// PruneSessions deletes the sessions that have expired. Operators only.
func (s *Service) PruneSessions(ctx context.Context, actor authz.Actor) (deleted int64, err error) {
	return s.core.Prune(ctx, actor, func(tx store.Tx) (int64, error) {
		return tx.PruneSessions(s.core.Now(), core.PruneBatch)
	})
}
