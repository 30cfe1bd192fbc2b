package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// TeamMembers returns a page of a team's members, by name.
func (s *Service) TeamMembers(ctx context.Context, actor authz.Actor, ref domain.TeamRef, page domain.Page) (
	domain.Paged[domain.TeamMemberView], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.Paged[domain.TeamMemberView], error) {
		in, err := s.inTeam(tx, actor, ref, authz.ReadTeam)
		if err != nil {
			return domain.Paged[domain.TeamMemberView]{}, err
		}
		return readPage(tx, &in.Identity, store.TeamMembersOf(nil, "", domain.ByName), in.Team.ID, page)
	})
}

// TeamMember returns a user's membership of a team.
func (s *Service) TeamMember(ctx context.Context, actor authz.Actor, ref domain.TeamRef, user string) (
	domain.TeamMemberView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, s.findTeamMember(actor, ref, user, authz.ReadTeam))
}

func (s *Service) findTeamMember(actor authz.Actor, ref domain.TeamRef, user string, action authz.Action) func(
	store.Tx) (domain.TeamMemberView, error) {
	return func(tx store.Tx) (domain.TeamMemberView, error) {
		in, err := s.inTeam(tx, actor, ref, action)
		if err != nil {
			return domain.TeamMemberView{}, err
		}
		return teamMemberIn(tx, in, ref.Of, user)
	}
}

// teamMemberIn returns a membership, which is named by its own id or by its user's.
func teamMemberIn(tx store.Tx, in store.InTeam, own domain.ThingRef, user string) (m domain.TeamMemberView, err error) {
	var found bool
	if own.Kind == domain.TeamMemberThing {
		m, found, err = tx.TeamMemberByID(in.Team.ID, domain.TeamMemberID(own.ID))
	} else {
		m, found, err = tx.TeamMember(in.Team.ID, core.LookupID[domain.UserID](user))
	}
	if err == nil && !found {
		err = domain.Missing("team member")
	}
	return m, err
}

// AddTeamMember makes a member of the organization a member of a team, in the team's default role unless input names
// one.
//
// Returns Forbidden unless actor maintains the team or administers the organization, and Invalid if the user is no
// member of the organization, or belongs to the team already.
func (s *Service) AddTeamMember(ctx context.Context, actor authz.Actor, ref domain.TeamRef,
	input core.Input[domain.TeamMemberInput]) (domain.TeamMemberView, error) {
	permit := func(tx store.Tx) (store.InTeam, error) { return s.lockTeam(tx, actor, ref, authz.WriteTeamMember) }
	return core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, in store.InTeam) (domain.TeamMemberView, error) {
			var faults domain.Faults
			given, err := input.Read(&faults)
			if err != nil {
				return domain.TeamMemberView{}, err
			}
			member := domain.NewTeamMember(given, in.Team.Team, s.core.Clock(), &faults)
			if err := faults.Err(); err != nil {
				return domain.TeamMemberView{}, err
			}
			if err := tx.InsertTeamMember(member, in.CreatorID()); err != nil {
				return domain.TeamMemberView{}, err
			}
			m, _, err := tx.TeamMember(member.TeamID, member.UserID)
			if err != nil {
				return m, err
			}
			return m, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.TeamMemberCreated, core.TeamMemberSubject(m),
				nil, core.FactsOfTeamMember(m.TeamMember))
		})
}

// UpdateTeamMember applies input to a user's membership of a team and returns its new state. The user is "" if the team
// is named by the membership's id.
func (s *Service) UpdateTeamMember(ctx context.Context, actor authz.Actor, ref domain.TeamRef, user string,
	input core.Input[domain.TeamMemberInput], expected *core.Precondition[domain.TeamMemberView]) (domain.TeamMemberView,
	error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findTeamMember(actor, ref, user,
		authz.WriteTeamMember))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.TeamMemberView, error) {
		in, m, err := s.lockTeamMember(tx, actor, ref, user, expected)
		if err != nil {
			return m, err
		}
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return m, err
		}
		before := core.FactsOfTeamMember(m.TeamMember)
		m.Apply(given, &faults)
		if err := faults.Err(); err != nil {
			return m, err
		}
		if err := tx.UpdateTeamMember(m.TeamMember); err != nil {
			return m, err
		}
		return m, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.TeamMemberUpdated, core.TeamMemberSubject(m),
			before, core.FactsOfTeamMember(m.TeamMember))
	})
}

// RemoveTeamMember takes a user out of a team and returns what their membership was.
func (s *Service) RemoveTeamMember(ctx context.Context, actor authz.Actor, ref domain.TeamRef, user string,
	expected *core.Precondition[domain.TeamMemberView]) (domain.TeamMemberView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findTeamMember(actor, ref, user,
		authz.WriteTeamMember))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.TeamMemberView, error) {
		in, m, err := s.lockTeamMember(tx, actor, ref, user, expected)
		if err != nil {
			return m, err
		}
		if err := tx.DeleteTeamMember(m.ID); err != nil {
			return m, err
		}
		return m, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.TeamMemberDeleted, core.TeamMemberSubject(m),
			core.FactsOfTeamMember(m.TeamMember), nil)
	})
}

// lockTeamMember is lockTeam for changes of a membership, which is as the caller expects it.
func (s *Service) lockTeamMember(tx store.Tx, actor authz.Actor, ref domain.TeamRef, user string,
	expected *core.Precondition[domain.TeamMemberView]) (store.InTeam, domain.TeamMemberView, error) {
	in, err := s.lockTeam(tx, actor, ref, authz.WriteTeamMember)
	if err != nil {
		return in, domain.TeamMemberView{}, err
	}
	m, err := teamMemberIn(tx, in, ref.Of, user)
	if err != nil {
		return in, m, err
	}
	return in, m, expected.Check(m)
}
