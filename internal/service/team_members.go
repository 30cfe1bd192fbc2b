package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// TeamMembers returns a page of a team's members, by name.
func (s *Service) TeamMembers(ctx context.Context, actor authz.Actor, ref domain.TeamRef, page domain.Page) (domain.Paged[domain.TeamMemberView], error) {
	return view(ctx, s, func(tx store.Tx) (domain.Paged[domain.TeamMemberView], error) {
		in, err := s.inTeam(tx, actor, ref, authz.ReadTeam)
		if err != nil {
			return domain.Paged[domain.TeamMemberView]{}, err
		}
		return tx.TeamMembers(in.Team.ID, page)
	})
}

// TeamMember returns a user's membership of a team.
func (s *Service) TeamMember(ctx context.Context, actor authz.Actor, ref domain.TeamRef, user string) (domain.TeamMemberView, error) {
	return view(ctx, s, func(tx store.Tx) (domain.TeamMemberView, error) {
		in, err := s.inTeam(tx, actor, ref, authz.ReadTeam)
		if err != nil {
			return domain.TeamMemberView{}, err
		}
		return teamMemberIn(tx, in, user)
	})
}

func teamMemberIn(tx store.Tx, in store.InTeam, user string) (domain.TeamMemberView, error) {
	m, found, err := tx.TeamMember(in.Team.ID, lookupID[domain.UserID](user))
	if err == nil && !found {
		err = domain.Missing("team member")
	}
	return m, err
}

// AddTeamMember makes a member of the organization a member of a team, in the team's default role unless input names one.
//
// Returns Forbidden unless actor maintains the team or administers the organization, and Invalid if the user is no member of
// the organization, or belongs to the team already.
func (s *Service) AddTeamMember(ctx context.Context, actor authz.Actor, ref domain.TeamRef, input Input[domain.TeamMemberInput]) (domain.TeamMemberView, error) {
	return change(ctx, s, func(tx store.Tx) (domain.TeamMemberView, error) {
		in, err := s.lockTeam(tx, actor, ref, authz.WriteTeamMember)
		if err != nil {
			return domain.TeamMemberView{}, err
		}
		var faults domain.Faults
		given, err := input.read(&faults)
		if err != nil {
			return domain.TeamMemberView{}, err
		}
		member := domain.NewTeamMember(given, in.Team.Team, s.clock(), &faults)
		if err := faults.Err(); err != nil {
			return domain.TeamMemberView{}, err
		}
		if err := tx.InsertTeamMember(member, in.User.ID); err != nil {
			return domain.TeamMemberView{}, err
		}
		m, _, err := tx.TeamMember(member.TeamID, member.UserID)
		if err != nil {
			return m, err
		}
		return m, s.record(tx, by(actor, &in.Identity), domain.TeamMemberCreated, teamMemberSubject(m), nil, factsOfTeamMember(m.TeamMember))
	})
}

// UpdateTeamMember applies input to a user's membership of a team and returns its new state.
func (s *Service) UpdateTeamMember(ctx context.Context, actor authz.Actor, ref domain.TeamRef, user string,
	input Input[domain.TeamMemberInput], expected Precondition[domain.TeamMemberView]) (domain.TeamMemberView, error) {
	return change(ctx, s, func(tx store.Tx) (domain.TeamMemberView, error) {
		in, m, err := s.lockTeamMember(tx, actor, ref, user, expected)
		if err != nil {
			return m, err
		}
		var faults domain.Faults
		given, err := input.read(&faults)
		if err != nil {
			return m, err
		}
		before := factsOfTeamMember(m.TeamMember)
		m.Apply(given, &faults)
		if err := faults.Err(); err != nil {
			return m, err
		}
		if err := tx.UpdateTeamMember(m.TeamMember); err != nil {
			return m, err
		}
		return m, s.record(tx, by(actor, &in.Identity), domain.TeamMemberUpdated, teamMemberSubject(m), before, factsOfTeamMember(m.TeamMember))
	})
}

// RemoveTeamMember takes a user out of a team.
func (s *Service) RemoveTeamMember(ctx context.Context, actor authz.Actor, ref domain.TeamRef, user string, expected Precondition[domain.TeamMemberView]) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		in, m, err := s.lockTeamMember(tx, actor, ref, user, expected)
		if err != nil {
			return err
		}
		if err := tx.DeleteTeamMember(m.ID); err != nil {
			return err
		}
		return s.record(tx, by(actor, &in.Identity), domain.TeamMemberDeleted, teamMemberSubject(m), factsOfTeamMember(m.TeamMember), nil)
	})
}

// lockTeamMember is lockTeam for changes of a membership, which is as the caller expects it.
func (s *Service) lockTeamMember(tx store.Tx, actor authz.Actor, ref domain.TeamRef, user string,
	expected Precondition[domain.TeamMemberView]) (store.InTeam, domain.TeamMemberView, error) {
	in, err := s.lockTeam(tx, actor, ref, authz.WriteTeamMember)
	if err != nil {
		return in, domain.TeamMemberView{}, err
	}
	m, err := teamMemberIn(tx, in, user)
	if err != nil {
		return in, m, err
	}
	return in, m, expected.check(m)
}
