package service

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Invitations returns a part of the invitations of an organization that wait for an answer, the newest first.
//
// Returns Forbidden unless actor administers the organization.
func (s *Service) Invitations(ctx context.Context, actor authz.Actor, organization string, page domain.CursorPage) (
	domain.CursorPaged[domain.InvitationView], error) {
	ref := domain.OrganizationRef{Slug: organization}
	return core.View(ctx, s.core, actor, ref, func(tx store.Tx) (paged domain.CursorPaged[domain.InvitationView],
		err error) {
		id, err := s.core.InOrganization(tx, actor, ref, authz.ReadInvitation)
		if err != nil {
			return paged, err
		}
		now, err := tx.Now()
		if err != nil {
			return paged, err
		}
		pending := domain.InvitationFilter{States: []domain.InvitationState{domain.InvitationPending}}
		found, err := store.InvitationsOf(pending, domain.RecentlyCreated, now).ReadCursorPage(tx, store.ViewerOf(&id),
			string(id.Organization.ID), page)
		if err == nil {
			err = tx.AddInvitationTeams(found.Items)
		}
		return domain.CursorPaged[domain.InvitationView]{Items: valuesOf(found.Items), Next: found.Next, Prev: found.Prev},
			err
	})
}

// Invitation returns an invitation of an organization, in any state.
//
// Returns Forbidden unless actor administers the organization.
func (s *Service) Invitation(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	invitation string) (domain.InvitationView, error) {
	return core.View(ctx, s.core, actor, organization, s.findInvitation(actor, organization, invitation,
		authz.ReadInvitation))
}

func (s *Service) findInvitation(actor authz.Actor, organization domain.OrganizationRef, invitation string,
	action authz.Action) func(store.Tx) (domain.InvitationView, error) {
	return func(tx store.Tx) (domain.InvitationView, error) {
		id, err := s.core.InOrganization(tx, actor, organization, action)
		if err != nil {
			return domain.InvitationView{}, err
		}
		now, err := tx.Now()
		if err != nil {
			return domain.InvitationView{}, err
		}
		return invitationIn(tx, &id, organization.Of, invitation, now)
	}
}

// invitationIn returns an invitation, which is named by its id in the organization or alone.
func invitationIn(tx store.Tx, id *authz.Identity, own domain.ThingRef, invitation string, now time.Time) (
	domain.InvitationView, error) {
	v, found, err := tx.Invitation(id.Organization.ID, core.LookupID[domain.InvitationID](cmp.Or(own.ID, invitation)), now)
	if err == nil && !found {
		err = domain.Missing("organization invitation")
	}
	return v, err
}

// CreateInvitations invites people to an organization, all or nobody, and returns the invitations, each with the value
// of its link, which cannot be had again. They are mailed too, if that is configured.
//
// Returns Forbidden unless actor administers the organization, and Invalid with one FieldError a bad field: somebody
// who is a member already, and a team that is foreign or named twice are among them.
func (s *Service) CreateInvitations(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	input core.Input[domain.InvitationInput]) ([]domain.InvitationView, error) {
	permit := s.permitInOrganization(actor, organization, authz.WriteInvitation)
	issued, err := core.Create(ctx, s.core, actor, organization, permit,
		func(tx store.Tx, id authz.Identity) (core.Issued[invited], error) {
			made, err := s.createInvitations(tx, actor, id, organization, input)
			names := make([]string, len(made))
			for i, v := range made {
				names[i] = string(v.ID)
			}
			return core.Issued[invited]{Thing: invited{made}, Name: "organization invitation " + strings.Join(names, ", ")}, err
		})
	return issued.Thing.Invitations, err
}

// invited is what came of inviting people.
type invited struct{ Invitations []domain.InvitationView }

func (s *Service) createInvitations(tx store.Tx, actor authz.Actor, id authz.Identity,
	organization domain.OrganizationRef,
	input core.Input[domain.InvitationInput]) (made []domain.InvitationView, err error) {
	var faults domain.Faults
	given, err := input.Read(&faults)
	if err != nil {
		return nil, err
	}
	teams, err := lockInvitedTeams(tx, id.Organization.ID, given.Teams.Value, &faults)
	if err != nil {
		return nil, err
	}
	if id, err = s.core.LockOrganization(tx, actor, organization, authz.WriteInvitation); err != nil { // as it is now
		return nil, err
	}
	now, err := databaseClock(tx)
	if err != nil {
		return nil, err
	}
	invitations := domain.NewInvitations(given, id.Organization.ID, now, &faults)
	if err := refuseMembers(tx, id.Organization.ID, invitations, &faults); err != nil {
		return nil, err
	}
	for _, invitation := range invitations {
		v := domain.InvitationView{Invitation: invitation, State: domain.InvitationPending,
			OrganizationSlug: id.Organization.Slug, CreatedBy: id.Creator()}
		for i, t := range given.Teams.Value {
			v.Teams = append(v.Teams, domain.NewInvitationTeam(invitation.ID, teams[i], t, &faults))
		}
		slices.SortFunc(v.Teams, func(a, b domain.InvitationTeam) int { return cmp.Compare(a.TeamSlug, b.TeamSlug) })
		made = append(made, v)
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if err := s.checkInvitationsToday(tx, id.Organization.ID, len(made), now); err != nil {
		return nil, err
	}
	for i := range made {
		if err := tx.InsertInvitation(made[i].Invitation, made[i].Teams, id.User.ID); err != nil {
			return nil, err
		}
		if err := s.sendInvitation(tx, &made[i], now); err != nil {
			return nil, err
		}
		if err := s.core.Record(tx, core.AuthorOf(actor, &id), domain.InvitationCreatedEvent,
			core.InvitationSubject(made[i].Invitation), nil,
			core.FactsOfInvitation(made[i].Invitation, made[i].Teams)); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// checkInvitationsToday returns why an organization, which the transaction has locked, cannot send more invitations at
// present.
func (s *Service) checkInvitationsToday(tx store.Tx, organization domain.OrganizationID, more int,
	now time.Time) error {
	sent, err := tx.InvitationsSince(organization, now.Add(-24*time.Hour), s.core.Clock().Add(-24*time.Hour))
	if err != nil {
		return err
	}
	return domain.CheckInvitationsToday(sent + int64(more))
}

// databaseClock returns the database's time as it is stored and shown: by it all nodes agree on when an invitation
// expires.
func databaseClock(tx store.Tx) (time.Time, error) {
	now, err := tx.Now()
	return now.UTC().Truncate(time.Millisecond), err
}

// lockInvitedTeams returns the teams that the input names, in its order. It adds a fault for one that is not there or
// named twice.
func lockInvitedTeams(tx store.Tx, organization domain.OrganizationID, given []domain.InvitationTeamInput,
	faults *domain.Faults) ([]domain.Team, error) {
	ids := make([]domain.TeamID, len(given))
	for i, t := range given {
		ids[i] = core.LookupID[domain.TeamID](t.ID)
		if slices.Contains(ids[:i], ids[i]) {
			faults.Add("teams", domain.RepeatedInvitationTeam)
		}
	}
	if len(given) == 0 || faults.Has("teams") {
		return make([]domain.Team, len(given)), nil
	}
	locked, err := tx.LockTeams(organization, ids)
	teams := make([]domain.Team, len(given))
	for i, id := range ids {
		at := slices.IndexFunc(locked, func(t domain.Team) bool { return t.ID == id })
		if at < 0 {
			faults.Add("teams", domain.ForeignInvitationTeam)
			continue
		}
		teams[i] = locked[at]
	}
	return teams, err
}

// refuseMembers adds a fault for each address that a member of the organization has. It says nothing of other users.
func refuseMembers(tx store.Tx, organization domain.OrganizationID, invitations []domain.Invitation,
	faults *domain.Faults) error {
	if len(*faults) > 0 {
		return nil // some address may be none
	}
	keys := make([]string, len(invitations))
	for i, invitation := range invitations {
		keys[i] = domain.EmailKey(invitation.Email)
	}
	members, err := tx.MembersWithEmails(organization, keys)
	for i, key := range keys {
		if members[key] {
			faults.Add("emails", domain.AlreadyAMember(invitations[i].Email))
		}
	}
	return err
}

// sendInvitation makes a new link for an invitation, in place of those that it had, and has it mailed if that is
// configured.
func (s *Service) sendInvitation(tx store.Tx, v *domain.InvitationView, now time.Time) error {
	if err := tx.DeleteInvitationLinks(v.ID); err != nil {
		return err
	}
	v.Link = domain.NewInvitationValue()
	if err := tx.InsertInvitationLink(v.ID, domain.HashToken(v.Link.Reveal()), false); err != nil {
		return err
	}
	if !s.sendsMail {
		return nil
	}
	return tx.MailInvitation(v.ID, now)
}

// ResendInvitation sends an invitation again, for another week, and returns it with the value of its new link. The
// links from before lead nowhere from then on.
//
// Returns Forbidden unless actor administers the organization, and Invalid if it was accepted or revoked, or if the
// organization has sent too many today.
func (s *Service) ResendInvitation(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	invitation string) (domain.InvitationView, error) {
	issued, err := core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (core.Issued[domain.InvitationView],
		error) {
		v, err := s.resendInvitation(tx, actor, organization, invitation)
		return core.Issued[domain.InvitationView]{Thing: v, Name: "organization invitation " + string(v.ID)}, err
	})
	return issued.Thing, err
}

func (s *Service) resendInvitation(tx store.Tx, actor authz.Actor, organization domain.OrganizationRef,
	invitation string) (domain.InvitationView, error) {
	return s.changeInvitation(tx, actor, organization, invitation, nil, func(id *authz.Identity, v *domain.InvitationView,
		now time.Time) error {
		if v.State != domain.InvitationPending && v.State != domain.InvitationExpired {
			return domain.NewError(domain.Invalid, domain.NotSendable)
		}
		if err := s.checkInvitationsToday(tx, id.Organization.ID, 1, now); err != nil {
			return err
		}
		before := core.FactsOfInvitation(v.Invitation, v.Teams)
		v.ExpiresAt, v.State = now.Add(domain.InvitationLifetime), domain.InvitationPending
		if err := tx.UpdateInvitation(v.Invitation, "", ""); err != nil {
			return err
		}
		if err := s.sendInvitation(tx, v, now); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, id), domain.InvitationResentEvent, core.InvitationSubject(v.Invitation),
			before,
			core.FactsOfInvitation(v.Invitation, v.Teams))
	})
}

// RevokeInvitation makes an invitation worth nothing, and returns it.
//
// Returns Forbidden unless actor administers the organization, and Invalid if it does not wait for an answer.
func (s *Service) RevokeInvitation(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	invitation string,
	expected *core.Precondition[domain.InvitationView]) (domain.InvitationView, error) {
	expected = expected.Observe(ctx, s.core, actor, organization, s.findInvitation(actor, organization, invitation,
		authz.WriteInvitation))
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (domain.InvitationView, error) {
		return s.changeInvitation(tx, actor, organization, invitation, expected,
			func(id *authz.Identity, v *domain.InvitationView, now time.Time) error {
				if v.State != domain.InvitationPending {
					return domain.NewError(domain.Invalid, domain.NotPending)
				}
				v.RevokedBy = id.Creator()
				if err := s.revokeInvitation(tx, core.AuthorOf(actor, id), &v.Invitation, v.Teams, id.User.ID, now); err != nil {
					return err
				}
				v.State = domain.InvitationRevoked
				return nil
			})
	})
}

func (s *Service) revokeInvitation(tx store.Tx, author core.Author, i *domain.Invitation, teams []domain.InvitationTeam,
	by domain.UserID, now time.Time) error {
	before := core.FactsOfInvitation(*i, teams)
	i.RevokedAt = &now
	if err := tx.UpdateInvitation(*i, "", by); err != nil {
		return err
	}
	if err := tx.DeleteInvitationLinks(i.ID); err != nil {
		return err
	}
	if err := tx.DeleteMail(i.ID); err != nil {
		return err
	}
	author.Organization = i.OrganizationID
	return s.core.Record(tx, author, domain.InvitationRevokedEvent, core.InvitationSubject(*i), before, nil)
}

// revokeInvitationsBy revokes the invitations that a user made in an organization, or in all if it is "": who may not
// invite any more may know links that let others in, or themself. The transaction has locked the organizations.
func (s *Service) revokeInvitationsBy(tx store.Tx, author core.Author, maker domain.UserID,
	organization domain.OrganizationID, by domain.UserID) error {
	now, err := databaseClock(tx)
	if err != nil {
		return err
	}
	pending, err := tx.PendingInvitationsBy(maker, organization, now)
	for i := range pending {
		if err == nil {
			err = s.revokeInvitation(tx, author, &pending[i], nil, by, now)
		}
	}
	return err
}

// changeInvitation runs change on an invitation that the actor may write. Others cannot change it, or accept it, until
// the transaction ends.
func (s *Service) changeInvitation(tx store.Tx, actor authz.Actor, organization domain.OrganizationRef,
	invitation string, expected *core.Precondition[domain.InvitationView],
	change func(*authz.Identity, *domain.InvitationView, time.Time) error) (domain.InvitationView, error) {
	id, err := s.core.LockOrganization(tx, actor, organization, authz.WriteInvitation)
	if err != nil {
		return domain.InvitationView{}, err
	}
	now, err := databaseClock(tx)
	if err != nil {
		return domain.InvitationView{}, err
	}
	v, err := invitationIn(tx, &id, organization.Of, invitation, now)
	if err != nil {
		return v, err
	}
	if err := expected.Check(v); err != nil {
		return v, err
	}
	err = change(&id, &v, now)
	return v, err
}
