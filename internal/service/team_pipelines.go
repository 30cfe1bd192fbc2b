package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// TeamPipelines returns a page of the pipelines that a team has access to, by name.
func (s *Service) TeamPipelines(ctx context.Context, actor authz.Actor, ref domain.TeamRef, page domain.Page) (
	domain.Paged[domain.TeamPipelineView], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.Paged[domain.TeamPipelineView],
		error) {
		in, err := s.inTeam(tx, actor, ref, authz.ReadTeam)
		if err != nil {
			return domain.Paged[domain.TeamPipelineView]{}, err
		}
		return readPage(tx, &in.Identity, store.TeamPipelinesOf("", domain.ByName), in.Team.ID, page)
	})
}

// TeamPipeline returns a team's access to a pipeline.
func (s *Service) TeamPipeline(ctx context.Context, actor authz.Actor, ref domain.TeamRef, pipeline string) (
	domain.TeamPipelineView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, s.findTeamPipeline(actor, ref, pipeline, authz.ReadTeam))
}

func (s *Service) findTeamPipeline(actor authz.Actor, ref domain.TeamRef, pipeline string, action authz.Action) func(
	store.Tx) (domain.TeamPipelineView, error) {
	return func(tx store.Tx) (domain.TeamPipelineView, error) {
		in, err := s.core.InTeam(tx, actor, ref, action)
		if err != nil {
			return domain.TeamPipelineView{}, err
		}
		return teamPipelineIn(tx, in, ref.Of, pipeline)
	}
}

// teamPipelineIn returns a team's access, which is named by its own id or by its pipeline's.
func teamPipelineIn(tx store.Tx, in store.InTeam, own domain.ThingRef, pipeline string) (
	p domain.TeamPipelineView, err error) {
	var found bool
	if own.Kind == domain.TeamPipelineThing {
		p, found, err = tx.TeamPipelineByID(in.Team.ID, domain.TeamPipelineID(own.ID))
	} else {
		p, found, err = tx.TeamPipeline(in.Team.ID, core.LookupID[domain.PipelineID](pipeline))
	}
	if err == nil && !found {
		err = domain.Missing("team pipeline")
	}
	return p, err
}

// AddTeamPipeline grants a team access to a pipeline of its organization: read only, unless input says otherwise.
//
// Returns Forbidden unless actor may change the pipeline, and Invalid if it is none of the organization's, or the team
// has access to it already. Which pipeline is meant stands in the input, so it is read before the permission is known.
func (s *Service) AddTeamPipeline(ctx context.Context, actor authz.Actor, ref domain.TeamRef,
	input core.Input[domain.TeamPipelineInput]) (domain.TeamPipelineView, error) {
	type permitted struct {
		store.InTeam
		access domain.TeamPipeline
		faults domain.Faults
	}
	permit := func(tx store.Tx) (p permitted, err error) {
		if p.InTeam, err = s.core.InTeam(tx, actor, ref, authz.WriteTeamPipeline); err != nil {
			return p, err
		}
		given, err := input.Read(&p.faults)
		if err != nil {
			return p, err
		}
		p.access = domain.NewTeamPipeline(given, p.Team.Team, s.core.Clock(), &p.faults)
		return p, permitTeamPipeline(tx, p.InTeam, p.access.PipelineID)
	}
	return core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, given permitted) (domain.TeamPipelineView, error) {
			if err := given.faults.Err(); err != nil {
				return domain.TeamPipelineView{}, err
			}
			access := given.access
			in, err := s.lockTeamFor(tx, actor, ref, given.InTeam, access.PipelineID)
			if err != nil {
				return domain.TeamPipelineView{}, err
			}
			if err := tx.InsertTeamPipeline(access, in.CreatorID()); err != nil {
				return domain.TeamPipelineView{}, err
			}
			p, _, err := tx.TeamPipeline(access.TeamID, access.PipelineID)
			if err != nil {
				return p, err
			}
			return p, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.TeamPipelineCreated,
				core.TeamPipelineSubject(p), nil, core.FactsOfTeamPipeline(p.TeamPipeline))
		})
}

// permitTeamPipeline returns Forbidden unless the actor may change the pipeline. One that the organization does not
// have is nobody's to refuse.
func permitTeamPipeline(tx store.Tx, in store.InTeam, pipeline domain.PipelineID) error {
	manages, found, err := tx.ManagesPipeline(in.Organization.ID, pipeline, in.User.ID)
	if err != nil || !found {
		return err
	}
	in.Facts.ManagesPipeline = manages
	return authz.Check(&in.Identity, authz.WriteTeamPipeline, in.Facts)
}

// UpdateTeamPipeline applies input to a team's access to a pipeline and returns its new state. The pipeline is "" if
// the team is named by the access's id.
//
// Returns Forbidden unless actor may change the pipeline.
func (s *Service) UpdateTeamPipeline(ctx context.Context, actor authz.Actor, ref domain.TeamRef, pipeline string,
	input core.Input[domain.TeamPipelineInput], expected *core.Precondition[domain.TeamPipelineView]) (
	domain.TeamPipelineView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findTeamPipeline(actor, ref, pipeline,
		authz.WriteTeamPipeline))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.TeamPipelineView, error) {
		in, p, err := s.lockTeamPipeline(tx, actor, ref, pipeline, expected)
		if err != nil {
			return p, err
		}
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return p, err
		}
		before := core.FactsOfTeamPipeline(p.TeamPipeline)
		p.Apply(given, &faults)
		if err := faults.Err(); err != nil {
			return p, err
		}
		if err := tx.UpdateTeamPipeline(p.TeamPipeline); err != nil {
			return p, err
		}
		return p, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.TeamPipelineUpdated,
			core.TeamPipelineSubject(p), before, core.FactsOfTeamPipeline(p.TeamPipeline))
	})
}

// RemoveTeamPipeline takes a team's access to a pipeline away and returns what it was.
//
// Returns Forbidden unless actor may change the pipeline.
func (s *Service) RemoveTeamPipeline(ctx context.Context, actor authz.Actor, ref domain.TeamRef, pipeline string,
	expected *core.Precondition[domain.TeamPipelineView]) (domain.TeamPipelineView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findTeamPipeline(actor, ref, pipeline,
		authz.WriteTeamPipeline))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.TeamPipelineView, error) {
		in, p, err := s.lockTeamPipeline(tx, actor, ref, pipeline, expected)
		if err != nil {
			return p, err
		}
		if err := tx.DeleteTeamPipeline(p.ID); err != nil {
			return p, err
		}
		return p, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.TeamPipelineDeleted,
			core.TeamPipelineSubject(p), core.FactsOfTeamPipeline(p.TeamPipeline), nil)
	})
}

// lockTeamPipeline is core.InTeam for changes of the team's access to a pipeline, which is as the caller expects it:
// the actor may change the pipeline, and others cannot change the team's access until the transaction ends.
func (s *Service) lockTeamPipeline(tx store.Tx, actor authz.Actor, ref domain.TeamRef, pipeline string,
	expected *core.Precondition[domain.TeamPipelineView]) (store.InTeam, domain.TeamPipelineView, error) {
	in, err := s.core.InTeam(tx, actor, ref, authz.WriteTeamPipeline)
	if err != nil {
		return in, domain.TeamPipelineView{}, err
	}
	p, err := teamPipelineIn(tx, in, ref.Of, pipeline)
	if err != nil {
		return in, p, err
	}
	if err := permitTeamPipeline(tx, in, p.PipelineID); err != nil {
		return in, p, err
	}
	if in, err = s.lockTeamFor(tx, actor, ref, in, p.PipelineID); err != nil {
		return in, p, err
	}
	if p, err = teamPipelineIn(tx, in, ref.Of, pipeline); err != nil { // as it is now
		return in, p, err
	}
	return in, p, expected.Check(p)
}

// lockTeamFor locks a team whose access to a pipeline is to change, and decides permission on what is true now.
func (s *Service) lockTeamFor(tx store.Tx, actor authz.Actor, ref domain.TeamRef, in store.InTeam,
	pipeline domain.PipelineID) (store.InTeam, error) {
	if err := tx.LockTeam(in.Team.ID); err != nil {
		return in, err
	}
	in, err := s.core.InTeam(tx, actor, ref, authz.WriteTeamPipeline)
	if err != nil {
		return in, err
	}
	return in, permitTeamPipeline(tx, in, pipeline)
}
