package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Members returns a page of an organization's members, by name.
func (s *Service) Members(ctx context.Context, actor authz.Actor, organization string, page domain.Page) (
	domain.Paged[domain.MemberView], error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (domain.Paged[domain.MemberView], error) {
			id, err := s.core.InOrganization(tx, actor, domain.OrganizationRef{Slug: organization}, authz.ReadMember)
			if err != nil {
				return domain.Paged[domain.MemberView]{}, err
			}
			return readPage(tx, &id, store.MembersOf(domain.MemberFilter{}, domain.ByName, store.ViewerOf(&id)),
				id.Organization.ID, page)
		})
}

// Member returns a user's membership of an organization.
func (s *Service) Member(ctx context.Context, actor authz.Actor, slug, user string) (domain.MemberView, error) {
	organization := domain.OrganizationRef{Slug: slug}
	return core.View(ctx, s.core, actor, organization, s.findMember(actor, organization, user, authz.ReadMember))
}

func (s *Service) findMember(actor authz.Actor, organization domain.OrganizationRef, user string,
	action authz.Action) func(store.Tx) (domain.MemberView, error) {
	return func(tx store.Tx) (domain.MemberView, error) {
		id, err := s.core.InOrganization(tx, actor, organization, action)
		if err != nil {
			return domain.MemberView{}, err
		}
		return memberIn(tx, &id, organization.Of, user)
	}
}

// memberIn returns a membership, which is named by its own id or by its user's.
func memberIn(tx store.Tx, id *authz.Identity, own domain.ThingRef, user string) (m domain.MemberView, err error) {
	var found bool
	if own.Kind == domain.MemberThing {
		m, found, err = tx.MemberByID(id.Organization.ID, domain.MemberID(own.ID))
	} else {
		m, found, err = tx.Member(id.Organization.ID, core.LookupID[domain.UserID](user))
	}
	if err == nil && !found {
		err = domain.Missing("organization member")
	}
	return m, err
}

// UpdateMember applies input to a user's membership of an organization and returns its new state. The user is "" if the
// organization is named by the membership's id.
//
// Returns Forbidden unless actor administers the organization, and Invalid if it would change their own role, or leave
// the organization without an administrator.
func (s *Service) UpdateMember(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef, user string,
	input core.Input[domain.MemberInput], expected *core.Precondition[domain.MemberView]) (domain.MemberView, error) {
	expected = expected.Observe(ctx, s.core, actor, organization, s.findMember(actor, organization, user,
		authz.WriteMember))
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (domain.MemberView, error) {
		id, m, err := s.lockMember(tx, actor, organization, user, expected)
		if err != nil {
			return m, err
		}
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return m, err
		}
		before := m.Member
		m.Apply(given, id.User.ID, &faults)
		if m.Role != before.Role && !faults.Has("role") {
			last, err := lastAdministrator(tx, before)
			if err != nil {
				return m, err
			}
			if last {
				faults.Add("role", domain.LastAdministrator)
			}
		}
		if err := faults.Err(); err != nil {
			return m, err
		}
		if err := tx.UpdateMember(m.Member); err != nil {
			return m, err
		}
		if before.Role == domain.RoleAdmin && m.Role != domain.RoleAdmin {
			if err := s.revokeInvitationsBy(tx, core.AuthorOf(actor, &id), m.UserID, m.OrganizationID, id.User.ID); err != nil {
				return m, err
			}
		}
		return m, s.core.Record(tx, core.AuthorOf(actor, &id), domain.OrganizationMemberUpdated, core.MemberSubject(m),
			core.FactsOfMember(before), core.FactsOfMember(m.Member))
	})
}

// RemoveMember ends a user's membership of an organization and returns what it was. They lose their teams, what they
// maintained and what their tokens were granted there, for good: who comes back starts with nothing. The invitations
// that they made are revoked.
//
// Returns Forbidden unless actor administers the organization, and Invalid if it is themself, or the last
// administrator.
func (s *Service) RemoveMember(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef, user string,
	expected *core.Precondition[domain.MemberView]) (domain.MemberView, error) {
	expected = expected.Observe(ctx, s.core, actor, organization, s.findMember(actor, organization, user,
		authz.WriteMember))
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (domain.MemberView, error) {
		id, m, err := s.lockMember(tx, actor, organization, user, expected)
		if err != nil {
			return m, err
		}
		if m.UserID == id.User.ID {
			return m, domain.NewError(domain.Invalid, domain.CannotRemoveSelf)
		}
		last, err := lastAdministrator(tx, m.Member)
		if err != nil {
			return m, err
		}
		if last {
			return m, domain.NewError(domain.Invalid, domain.LastAdministrator)
		}
		if err := tx.DeleteMember(m.ID); err != nil {
			return m, err
		}
		if err := s.revokeInvitationsBy(tx, core.AuthorOf(actor, &id), m.UserID, m.OrganizationID, id.User.ID); err != nil {
			return m, err
		}
		return m, s.core.Record(tx, core.AuthorOf(actor, &id), domain.OrganizationMemberDeleted, core.MemberSubject(m),
			core.FactsOfMember(m.Member), nil)
	})
}

// lastAdministrator reports whether the member is the only administrator of their organization.
func lastAdministrator(tx store.Tx, m domain.Member) (bool, error) {
	if m.Role != domain.RoleAdmin {
		return false, nil
	}
	another, err := tx.HasOtherAdministrator(m.OrganizationID, m.UserID)
	return !another, err
}

// lockMember is lockOrganization for changes of a membership, which is as the caller expects it.
//
// An organization keeps an administrator: who would change members waits for the lock, and is looked at again then, as
// is who is left.
func (s *Service) lockMember(tx store.Tx, actor authz.Actor, organization domain.OrganizationRef, user string,
	expected *core.Precondition[domain.MemberView]) (authz.Identity, domain.MemberView, error) {
	id, err := s.core.LockOrganization(tx, actor, organization, authz.WriteMember)
	if err != nil {
		return id, domain.MemberView{}, err
	}
	m, err := memberIn(tx, &id, organization.Of, user)
	if err != nil {
		return id, m, err
	}
	return id, m, expected.Check(m)
}
