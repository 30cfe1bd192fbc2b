package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Teams returns a page of the teams of an organization that actor may see, by name: all of them, or, unless of is "",
// those that the user with that id belongs to.
func (s *Service) Teams(ctx context.Context, actor authz.Actor, organization string, of domain.UserID,
	page domain.Page) (domain.Paged[domain.TeamView], error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (domain.Paged[domain.TeamView], error) {
			id, err := s.core.Enter(tx, actor, domain.OrganizationRef{Slug: organization}, authz.ReadTeam)
			if err != nil {
				return domain.Paged[domain.TeamView]{}, err
			}
			var filter domain.TeamFilter
			if of != "" {
				filter.User = &of
			}
			return readPage(tx, &id, store.TeamsOf(filter, domain.ByName), id.Organization.ID, page)
		})
}

// Team returns a team.
func (s *Service) Team(ctx context.Context, actor authz.Actor, ref domain.TeamRef) (domain.TeamView, error) {
	return core.ViewStatement(ctx, s.core, actor, ref.Organization, s.findTeam(actor, ref, authz.ReadTeam))
}

func (s *Service) findTeam(actor authz.Actor, ref domain.TeamRef, action authz.Action) func(store.Tx) (
	domain.TeamView, error) {
	return func(tx store.Tx) (domain.TeamView, error) {
		in, err := s.inTeam(tx, actor, ref, action)
		return in.Team, err
	}
}

// inTeam is core.InTeam for what depends on the team alone: the actor may do the action.
func (s *Service) inTeam(tx store.Tx, actor authz.Actor, ref domain.TeamRef, action authz.Action) (
	store.InTeam, error) {
	in, err := s.core.InTeam(tx, actor, ref, action)
	if err != nil {
		return in, err
	}
	return in, authz.Check(&in.Identity, action, in.Facts)
}

// lockTeam is inTeam for changes: others cannot change the team, or what belongs to it, until the transaction ends.
func (s *Service) lockTeam(tx store.Tx, actor authz.Actor, ref domain.TeamRef, action authz.Action) (
	store.InTeam, error) {
	in, err := s.inTeam(tx, actor, ref, action)
	if err != nil {
		return in, err
	}
	if err := tx.LockTeam(in.Team.ID); err != nil {
		return in, err
	}
	return s.inTeam(tx, actor, ref, action) // as it is now
}

// CreateTeam makes a team and returns it.
//
// Returns Forbidden unless actor administers the organization, and Invalid with one FieldError a bad field, a name
// whose slug is taken among them.
func (s *Service) CreateTeam(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	input core.Input[domain.TeamInput]) (domain.TeamView, error) {
	permit := s.permitInOrganization(actor, organization, authz.CreateTeam)
	return core.Create(ctx, s.core, actor, organization, permit, func(tx store.Tx, id authz.Identity) (domain.TeamView,
		error) {
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return domain.TeamView{}, err
		}
		team := domain.NewTeam(given, id.Organization.ID, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return domain.TeamView{}, err
		}
		if err := tx.InsertTeam(team, id.CreatorID()); err != nil {
			return domain.TeamView{}, err
		}
		return domain.TeamView{Team: team, OrganizationSlug: id.Organization.Slug, CreatedBy: id.Creator()},
			s.core.Record(tx, core.AuthorOf(actor, &id), domain.TeamCreated, core.TeamSubject(team), nil, core.FactsOfTeam(team))
	})
}

// UpdateTeam applies input to a team and returns its new state. A new name makes a new slug only if an administrator
// sends it: that a slug is taken would reveal to others a team that they may not see.
//
// Returns Forbidden unless actor maintains the team or administers the organization, and Invalid with one FieldError a
// bad field, a name whose slug is taken among them.
func (s *Service) UpdateTeam(ctx context.Context, actor authz.Actor, ref domain.TeamRef,
	input core.Input[domain.TeamInput], expected *core.Precondition[domain.TeamView]) (domain.TeamView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findTeam(actor, ref, authz.UpdateTeam))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.TeamView, error) {
		in, err := s.lockTeam(tx, actor, ref, authz.UpdateTeam)
		if err != nil {
			return in.Team, err
		}
		if err := expected.Check(in.Team); err != nil {
			return in.Team, err
		}
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return in.Team, err
		}
		team, before := in.Team, core.FactsOfTeam(in.Team.Team)
		team.Apply(given, &faults)
		if !in.Admin() {
			team.Slug = in.Team.Slug
		}
		if err := faults.Err(); err != nil {
			return team, err
		}
		if err := tx.UpdateTeam(team.Team); err != nil {
			return team, err
		}
		return team, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.TeamUpdated, core.TeamSubject(team.Team),
			before, core.FactsOfTeam(team.Team))
	})
}

// DeleteTeam deletes a team and returns what it was. Its members lose what they had through it: clusters that it
// maintained, pipelines that it had access to.
//
// Returns Forbidden unless actor administers the organization.
func (s *Service) DeleteTeam(ctx context.Context, actor authz.Actor, ref domain.TeamRef,
	expected *core.Precondition[domain.TeamView]) (domain.TeamView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findTeam(actor, ref, authz.DeleteTeam))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.TeamView, error) {
		in, err := s.lockTeam(tx, actor, ref, authz.DeleteTeam)
		if err != nil {
			return in.Team, err
		}
		if err := expected.Check(in.Team); err != nil {
			return in.Team, err
		}
		if err := tx.DeleteTeam(in.Team.ID); err != nil {
			return in.Team, err
		}
		return in.Team, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.TeamDeleted,
			core.TeamSubject(in.Team.Team), core.FactsOfTeam(in.Team.Team), nil)
	})
}
