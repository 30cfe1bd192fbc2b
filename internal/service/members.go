package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Members returns a page of an organization's members, by name.
func (s *Service) Members(ctx context.Context, actor authz.Actor, organization string, page domain.Page) (domain.Paged[domain.MemberView], error) {
	return view(ctx, s, func(tx store.Tx) (domain.Paged[domain.MemberView], error) {
		id, err := s.inOrganization(tx, actor, organization, authz.ReadMember)
		if err != nil {
			return domain.Paged[domain.MemberView]{}, err
		}
		return tx.Members(id.Organization.ID, page)
	})
}

// Member returns a user's membership of an organization.
func (s *Service) Member(ctx context.Context, actor authz.Actor, organization, user string) (domain.MemberView, error) {
	return view(ctx, s, func(tx store.Tx) (domain.MemberView, error) {
		id, err := s.inOrganization(tx, actor, organization, authz.ReadMember)
		if err != nil {
			return domain.MemberView{}, err
		}
		return memberIn(tx, &id, user)
	})
}

func memberIn(tx store.Tx, id *authz.Identity, user string) (domain.MemberView, error) {
	m, found, err := tx.Member(id.Organization.ID, lookupID[domain.UserID](user))
	if err == nil && !found {
		err = domain.Missing("organization member")
	}
	return m, err
}

// UpdateMember applies input to a user's membership of an organization and returns its new state.
//
// Returns Forbidden unless actor administers the organization, and Invalid if it would change their own role, or leave the
// organization without an administrator.
func (s *Service) UpdateMember(ctx context.Context, actor authz.Actor, organization, user string,
	input Input[domain.MemberInput], expected Precondition[domain.MemberView]) (domain.MemberView, error) {
	return change(ctx, s, func(tx store.Tx) (domain.MemberView, error) {
		id, m, err := s.lockMember(tx, actor, organization, user, expected)
		if err != nil {
			return m, err
		}
		var faults domain.Faults
		given, err := input.read(&faults)
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
		return m, s.record(tx, by(actor, &id), domain.OrganizationMemberUpdated, memberSubject(m), factsOfMember(before), factsOfMember(m.Member))
	})
}

// RemoveMember ends a user's membership of an organization. They lose their teams, what they maintained and what their
// tokens were granted there, for good: who comes back begins anew.
//
// Returns Forbidden unless actor administers the organization, and Invalid if it is themself, or the last administrator.
func (s *Service) RemoveMember(ctx context.Context, actor authz.Actor, organization, user string, expected Precondition[domain.MemberView]) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		id, m, err := s.lockMember(tx, actor, organization, user, expected)
		if err != nil {
			return err
		}
		if m.UserID == id.User.ID {
			return domain.NewError(domain.Invalid, domain.CannotRemoveSelf)
		}
		last, err := lastAdministrator(tx, m.Member)
		if err != nil {
			return err
		}
		if last {
			return domain.NewError(domain.Invalid, domain.LastAdministrator)
		}
		if err := tx.DeleteMember(m.ID); err != nil {
			return err
		}
		return s.record(tx, by(actor, &id), domain.OrganizationMemberDeleted, memberSubject(m), factsOfMember(m.Member), nil)
	})
}

// lastAdministrator reports whether the member is the only administrator of their organization.
func lastAdministrator(tx store.Tx, m domain.Member) (bool, error) {
	if m.Role != domain.RoleAdmin {
		return false, nil
	}
	another, err := tx.HasOtherAdministrator(m)
	return !another, err
}

// lockMember is lockOrganization for changes of a membership, which is as the caller expects it.
//
// An organization keeps an administrator: who would change members waits for the lock, and is looked at again then, as is who
// is left.
func (s *Service) lockMember(tx store.Tx, actor authz.Actor, organization, user string,
	expected Precondition[domain.MemberView]) (authz.Identity, domain.MemberView, error) {
	id, err := s.lockOrganization(tx, actor, organization, authz.WriteMember)
	if err != nil {
		return id, domain.MemberView{}, err
	}
	m, err := memberIn(tx, &id, user)
	if err != nil {
		return id, m, err
	}
	return id, m, expected.check(m)
}
