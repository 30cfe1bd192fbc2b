package service

import (
	"cmp"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// joinByDomain makes a user of who signs in at a provider for the first time, and a member of the organization that is
// configured for the domain of their email address.
//
// Returns Forbidden if none is.
func (s *Service) joinByDomain(tx store.Tx, actor authz.Actor, claims domain.VerifiedClaims) (
	user domain.User, err error) {
	unknown := domain.NewError(domain.Forbidden, domain.UnknownOIDCUser)
	if !s.joining.Admits(claims.Email) {
		return user, unknown
	}
	organization, found, err := tx.OrganizationBySlug(core.LookupSlug(s.joining.Organization))
	if err != nil || !found {
		return user, cmp.Or(err, error(unknown.Because(domain.Missing("organization "+s.joining.Organization))))
	}
	var faults domain.Faults
	local, _, _ := strings.Cut(claims.Email, "@")
	user = domain.NewUser(domain.UserInput{Email: claims.Email, Name: cmp.Or(strings.TrimSpace(claims.Name), local)},
		s.core.Clock(), &faults)
	member := domain.NewMember(organization.ID, user.ID, s.joining.Role, user.CreatedAt, &faults)
	if err := faults.Err(); err != nil {
		return user, unknown.Because(err)
	}
	if err := tx.InsertUser(user, ""); err != nil {
		return user, err
	}
	author := core.AuthorOf(actor, &authz.Identity{User: user, Organization: organization})
	return user, s.core.AddMemberAs(tx, author, member, user, user.ID)
}

// admitVouchedUser lets a user whom a provider vouches for sign in, if they are not disabled. If nobody vouched for
// their email address until now, whoever made the user may have been somebody else: the password, the sessions and the
// API access tokens that it had end.
func (s *Service) admitVouchedUser(tx store.Tx, actor authz.Actor, user domain.User) error {
	state, err := tx.LockUser(user.ID)
	if err == nil && state.Disabled {
		err = domain.NewError(domain.Forbidden, domain.DisabledUser)
	}
	if err != nil || !state.EmailUnproved {
		return err
	}
	if err := tx.ProveEmail(user.ID); err != nil {
		return err
	}
	if err := tx.DeleteSessionsOf(user.ID, ""); err != nil {
		return err
	}
	tokens, err := tx.APITokens(domain.APITokenFilter{User: user.Email})
	for _, token := range tokens {
		if err != nil {
			return err
		}
		var live bool
		if live, err = tx.RevokeToken(token.ID, s.core.Clock()); err == nil && live {
			err = s.core.RecordTokenRevocation(tx, core.AuthorOf(visitor(actor), &authz.Identity{User: user}), token.APIToken,
				user.ID)
		}
	}
	return err
}
