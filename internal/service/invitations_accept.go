package service

import (
	"context"
	"slices"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

var errNoInvitation = domain.Missing("invitation")

// InvitationOffer returns what the holder of a link is invited to. It says nothing of whether the address has an
// account.
//
// Returns Forbidden unless actor is a browser, and NotFound if the link leads to no invitation that waits for an
// answer.
func (s *Service) InvitationOffer(ctx context.Context, actor authz.Actor, link domain.Secret) (
	offer domain.InvitationOffer, err error) {
	if err := authz.CheckBrowser(actor); err != nil {
		return offer, err
	}
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		v, _, err := pendingInvitation(tx, link)
		if err != nil {
			return err
		}
		organization, _, err := tx.OrganizationBySlug(v.OrganizationSlug)
		offer = domain.InvitationOffer{Email: v.Email, Organization: organization.Name, Slug: organization.Slug, Role: v.Role}
		if v.CreatedBy != nil {
			offer.InvitedBy = v.CreatedBy.Name
		}
		return err
	})
	return offer, err
}

// pendingInvitation returns the invitation that a link leads to, if it waits for an answer, and whether the link was
// mailed.
func pendingInvitation(tx store.Tx, link domain.Secret) (v domain.InvitationView, mailed bool, err error) {
	now, err := databaseClock(tx)
	if err != nil {
		return v, false, err
	}
	v, mailed, found, err := tx.InvitationByLink(domain.HashToken(link.Reveal()), now)
	if err == nil && (!found || v.State != domain.InvitationPending) {
		err = errNoInvitation
	}
	return v, mailed, err
}

// AcceptInvitation makes the signed-in user a member of the organization that they are invited to, and returns its
// slug. Their address may be another than the one that was invited: the link is what counts.
//
// Returns Forbidden for a token, NotFound if the link leads to no invitation that waits for an answer, and Invalid if
// they are a member already.
func (s *Service) AcceptInvitation(ctx context.Context, actor authz.Actor, link domain.Secret) (string, error) {
	return core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (string, error) {
		id, err := s.ownAccount(tx, actor)
		if err != nil {
			return "", err
		}
		v, _, teams, err := lockInvitation(tx, link)
		if err != nil {
			return "", err
		}
		member, err := tx.IsMember(v.OrganizationID, id.User.ID)
		if err == nil && member {
			err = domain.NewError(domain.Invalid, domain.AlreadyInOrganization)
		}
		if err != nil {
			return "", err
		}
		return v.OrganizationSlug, s.joinInvited(tx, actor, id, v, teams)
	})
}

// AcceptInvitationAsNew makes a user with the invited address, and a member of the organization, and signs them in: it
// returns the value of their session. Of several at once, one succeeds.
//
// Returns Forbidden unless actor is a browser, NotFound if the link leads to no invitation that waits for an answer,
// and Invalid with one FieldError a bad field; so it does if somebody has the address.
func (s *Service) AcceptInvitationAsNew(ctx context.Context, actor authz.Actor, in domain.AcceptInput) (
	session domain.Secret, slug string, err error) {
	offer, err := s.InvitationOffer(ctx, actor, in.Link)
	if err != nil {
		return "", "", err
	}
	var faults domain.Faults
	user := domain.NewUser(domain.UserInput{Email: offer.Email, Name: in.Name}, s.core.Clock(), &faults)
	hash, err := s.hashChosen(ctx, in.Password, &faults)
	if err == nil {
		err = faults.Err()
	}
	if err != nil {
		return "", "", err
	}
	session, err = core.Change(ctx, s.core, visitor(actor), core.NoOrganization, func(tx store.Tx) (domain.Secret, error) {
		v, mailed, teams, err := lockInvitation(tx, in.Link)
		if err != nil {
			return "", err
		}
		if _, found, err := tx.UserByEmail(user.Email); err != nil || found {
			if err == nil {
				err = domain.NewError(domain.Invalid, domain.UserHasAccount)
			}
			return "", err
		}
		insert := tx.InsertUnprovedUser
		if mailed { // whoever has the link reads the mail of that address
			insert = tx.InsertUser
		}
		if err := insert(user, hash); err != nil {
			return "", err
		}
		if err := s.joinInvited(tx, visitor(actor), authz.Identity{User: user}, v, teams); err != nil {
			return "", err
		}
		return s.beginSession(tx, actor, user)
	})
	return session, offer.Slug, err
}

// lockInvitation is pendingInvitation for changes: others cannot change or accept the invitation until the transaction
// ends. It returns the teams that the new member joins, which are locked.
func lockInvitation(tx store.Tx, link domain.Secret) (
	v domain.InvitationView, mailed bool, teams []domain.Team, err error) {
	if v, _, err = pendingInvitation(tx, link); err != nil {
		return v, false, nil, err
	}
	ids := make([]domain.TeamID, len(v.Teams))
	for i, t := range v.Teams {
		ids[i] = t.TeamID
	}
	if teams, err = tx.LockTeams(v.OrganizationID, ids); err != nil {
		return v, false, nil, err
	}
	if err = tx.LockOrganization(v.OrganizationID); err != nil {
		return v, false, nil, err
	}
	v, mailed, err = pendingInvitation(tx, link) // as it is now
	for i := range teams {
		at := slices.IndexFunc(v.Teams, func(t domain.InvitationTeam) bool { return t.TeamID == teams[i].ID })
		if at >= 0 {
			teams[i].DefaultMemberRole = v.Teams[at].Role
		}
	}
	return v, mailed, teams, err
}

// joinInvited makes a user a member as an invitation says, which is accepted thereby.
func (s *Service) joinInvited(tx store.Tx, actor authz.Actor, id authz.Identity, v domain.InvitationView,
	teams []domain.Team) error {
	now, err := databaseClock(tx)
	if err != nil {
		return err
	}
	var faults domain.Faults
	member := domain.NewMember(v.OrganizationID, id.User.ID, v.Role, s.core.Clock(), &faults)
	member.SSOMode = v.SSOMode
	if err := faults.Err(); err != nil {
		return err
	}
	var by domain.UserID
	if v.CreatedBy != nil {
		by = v.CreatedBy.ID
	}
	facts := core.FactsOfMember(member)
	if facts.Teams, err = tx.InsertInvitedMember(member, id.User.Email, teams, by); err != nil {
		return err
	}
	return s.closeInvitation(tx, actor, id, v, member, facts, now)
}

// closeInvitation stores that a user accepted an invitation and became a member by it.
func (s *Service) closeInvitation(tx store.Tx, actor authz.Actor, id authz.Identity, v domain.InvitationView,
	member domain.Member, facts core.MemberFacts, now time.Time) error {
	v.AcceptedAt = &now
	if err := tx.UpdateInvitation(v.Invitation, id.User.ID, ""); err != nil {
		return err
	}
	if err := tx.DeleteInvitationLinks(v.ID); err != nil {
		return err
	}
	if err := tx.DeleteMail(v.ID); err != nil {
		return err
	}
	id.Organization.ID = v.OrganizationID
	author := core.AuthorOf(actor, &id)
	accepted := core.FactsOfInvitation(v.Invitation, v.Teams)
	accepted.User = id.User.ID
	if err := s.core.Record(tx, author, domain.InvitationAcceptedEvent, core.InvitationSubject(v.Invitation), nil,
		accepted); err != nil {
		return err
	}
	return s.core.Record(tx, author, domain.OrganizationMemberCreated,
		core.MemberSubject(domain.MemberView{Member: member, User: id.User}), nil, facts)
}
