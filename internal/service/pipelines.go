package service

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Pipelines returns a page of those of an organization's pipelines that the filter chooses, by name.
func (s *Service) Pipelines(ctx context.Context, actor authz.Actor, organization string, filter domain.PipelineFilter,
	page domain.Page) (domain.Paged[domain.PipelineView], error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (domain.Paged[domain.PipelineView], error) {
			id, err := s.core.EnterCounted(tx, actor, domain.OrganizationRef{Slug: organization}, authz.ReadPipeline)
			if err != nil {
				return domain.Paged[domain.PipelineView]{}, err
			}
			list := store.PipelinesOf(filter, domain.ByName, store.ViewerOf(&id.Identity), false)
			if total, known := filter.KnownTotal(id.Counts); known {
				list = list.WithChanges(total, id.Counts.PipelineChanges)
			}
			pipelines, err := readPage(tx, &id.Identity, list, id.Organization.ID, page)
			if err != nil {
				return pipelines, err
			}
			return pipelines, tx.Together(
				func() error { return addActivity(tx, pipelines.Items) },
				func() error { return markWritable(tx, actor, &id.Identity, pipelines.Items) })
		})
}

// addActivity adds to pipelines how many of their builds and jobs have not ended.
func addActivity(tx store.Tx, pipelines []domain.PipelineView) error {
	if len(pipelines) == 0 {
		return nil
	}
	ids := make([]domain.PipelineID, len(pipelines))
	for i, p := range pipelines {
		ids[i] = p.ID
	}
	found, err := tx.PipelineActivity(ids)
	for i, p := range pipelines {
		pipelines[i].Activity = found[p.ID]
	}
	return err
}

// markWritable records which of an organization's pipelines the actor may change.
func markWritable(tx store.Tx, actor authz.Actor, id *authz.Identity, pipelines []domain.PipelineView) error {
	if !core.MayWritePipeline(actor, id, authz.Facts{ManagesPipeline: true}) {
		return nil
	}
	var managed map[domain.PipelineID]bool
	if !core.MayWritePipeline(actor, id, authz.Facts{}) { // who may change all need not manage any
		ids := make([]domain.PipelineID, len(pipelines))
		for i, p := range pipelines {
			ids[i] = p.ID
		}
		var err error
		if managed, err = tx.ManagedPipelines(id.User.ID, ids); err != nil {
			return err
		}
	}
	for i, p := range pipelines {
		pipelines[i].Writable = core.MayWritePipeline(actor, id, authz.Facts{ManagesPipeline: managed[p.ID]})
	}
	return nil
}

// Pipeline returns a pipeline.
func (s *Service) Pipeline(ctx context.Context, actor authz.Actor, ref domain.PipelineRef) (
	domain.PipelineView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, s.findPipeline(actor, ref, authz.ReadPipeline))
}

func (s *Service) findPipeline(actor authz.Actor, ref domain.PipelineRef, action authz.Action) func(store.Tx) (
	domain.PipelineView, error) {
	return func(tx store.Tx) (domain.PipelineView, error) {
		in, err := s.core.InPipeline(tx, actor, ref, action)
		if err != nil {
			return in.Pipeline, err
		}
		return withActivity(tx, in.Pipeline)
	}
}

// withActivity returns a pipeline with how many of its builds and jobs have not ended.
func withActivity(tx store.Tx, p domain.PipelineView) (domain.PipelineView, error) {
	found := []domain.PipelineView{p}
	err := addActivity(tx, found)
	return found[0], err
}

// CreatePipeline makes a pipeline and returns it. Without a cluster it goes to the organization's default cluster, if
// there is one. The teams that the input names may manage it.
//
// Returns Forbidden if actor may not create pipelines, and Invalid with one FieldError a bad field, a slug that is
// taken among them.
func (s *Service) CreatePipeline(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	input core.Input[domain.PipelineInput]) (domain.PipelineView, error) {
	// A configuration takes time to check: that is done before the transaction that others wait for.
	if _, err := s.core.PermitInOrganization(ctx, actor, organization, authz.CreatePipeline); err != nil {
		return domain.PipelineView{}, err
	}
	given, found, err := s.readPipeline(ctx, organization, input, "")
	if err != nil {
		return domain.PipelineView{}, err
	}
	permit := func(tx store.Tx) (authz.Identity, error) {
		id, err := s.core.InOrganization(tx, actor, organization, authz.CreatePipeline)
		if err == nil && given.Visibility.Value == string(domain.PipelinePublic) {
			err = authz.Check(&id, authz.PublishPipeline, authz.Facts{})
		}
		return id, err
	}
	return core.Create(ctx, s.core, actor, organization, permit, func(tx store.Tx, id authz.Identity) (domain.PipelineView,
		error) {
		faults := slices.Clone(found)
		given := given // as it is for this attempt
		id.Organization.Settings.CheckTimeouts(given, &faults)
		id.Organization.Settings.FillIn(&given)
		cluster, err := lockClusterOf(tx, id.Organization.ID, clusterFor(given, id.Organization.Settings), &faults)
		if err != nil {
			return domain.PipelineView{}, err
		}
		if err := lockTemplateOf(tx, id.Organization.ID, &given); err != nil {
			return domain.PipelineView{}, err
		}
		p := domain.NewPipeline(given, id.Organization.ID, s.core.Clock(), &faults)
		p.ClusterID = cluster
		access := domain.PipelineTeams(given.Teams, &faults)
		// sorted, so that no two transactions wait for each other
		teams, err := lockTeamsOf(tx, &id, slices.Sorted(maps.Keys(access)), &faults)
		if err != nil {
			return domain.PipelineView{}, err
		}
		if id, err = permit(tx); err != nil { // after the waits for cluster and teams
			return domain.PipelineView{}, err
		}
		checkTemplate(&id, nil, given, &faults)
		if err := faults.Err(); err != nil {
			return domain.PipelineView{}, err
		}
		host, err := insertPipeline(tx, &id, p, teams, access)
		if err != nil {
			return domain.PipelineView{}, err
		}
		facts := core.FactsOfPipeline(p)
		facts.Teams = teams
		return domain.PipelineView{Pipeline: p, OrganizationSlug: id.Organization.Slug, CreatedBy: id.Creator(),
				Writable: true, Host: host},
			s.core.Record(tx, core.AuthorOf(actor, &id), domain.PipelineCreated, core.PipelineSubject(p), nil, facts)
	})
}

// clusterFor returns to which cluster a new pipeline goes: "" for none.
func clusterFor(given domain.PipelineInput, settings domain.OrganizationSettings) string {
	if given.ClusterID.Value == "" && settings.DefaultClusterID != nil {
		return string(*settings.DefaultClusterID)
	}
	return given.ClusterID.Value
}

func insertPipeline(tx store.Tx, id *authz.Identity, p domain.Pipeline, teams []domain.TeamID,
	access map[domain.TeamID]domain.PipelineAccessLevel) (domain.RepositoryHost, error) {
	host, err := tx.InsertPipeline(p, id.CreatorID())
	if err != nil {
		return host, err
	}
	for _, team := range teams {
		if err := tx.InsertTeamPipeline(domain.TeamPipeline{
			ID: domain.NewID[domain.TeamPipelineID](), OrganizationID: p.OrganizationID, TeamID: team, PipelineID: p.ID,
			AccessLevel: access[team], CreatedAt: p.CreatedAt,
		}, id.CreatorID()); err != nil {
			return host, err
		}
	}
	return host, nil
}

// readPipeline reads an input for a pipeline that has the configuration, and checks the new one. What is wrong with it
// is returned with it.
func (s *Service) readPipeline(ctx context.Context, organization domain.OrganizationRef,
	input core.Input[domain.PipelineInput], configuration string) (given domain.PipelineInput, faults domain.Faults,
	err error) {
	if given, err = input.Read(&faults); err != nil || !given.Configuration.HasValue() && !given.Steps.HasValue() {
		return given, faults, err
	}
	err = s.core.Processors.Use(ctx, organization, func() error {
		given.ReadDefinition(&faults)
		if given.Steps.HasValue() && domain.HasMoreThanSteps(configuration) {
			faults.Add("steps", "Steps can't replace a configuration that has more than steps: give a configuration")
		}
		return nil
	})
	return given, faults, err
}

// CheckConfiguration returns what is wrong with a configuration that a pipeline of the organization might have; "" if
// nothing is.
func (s *Service) CheckConfiguration(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	configuration string) (reason string, err error) {
	id, err := core.View(ctx, s.core, actor, organization, func(tx store.Tx) (domain.OrganizationID, error) {
		id, err := s.core.InOrganization(tx, actor, organization, authz.ReadPipeline)
		return id.Organization.ID, err
	})
	if err != nil {
		return "", err
	}
	err = s.core.Processors.Use(ctx, id, func() error {
		if _, fault := domain.ShowSteps(configuration); fault != nil {
			reason = fault.Error()
		}
		return nil
	})
	return reason, err
}

// lockClusterOf returns the cluster of an organization with that id, or nil for "". The cluster cannot be deleted until
// the transaction ends.
func lockClusterOf(tx store.Tx, organization domain.OrganizationID, id string, faults *domain.Faults) (
	*domain.ClusterID, error) {
	if id == "" {
		return nil, nil
	}
	c, found, err := tx.LockClusterOf(organization, core.LookupID[domain.ClusterID](id))
	if err != nil {
		return nil, err
	}
	if !found {
		domain.FaultPipelineCluster(faults)
		return nil, nil
	}
	return &c.ID, nil
}

// lockTeamsOf returns the teams, unless the caller sees no such team. They cannot be deleted until the transaction
// ends.
func lockTeamsOf(tx store.Tx, caller *authz.Identity, teams []domain.TeamID, faults *domain.Faults) (
	[]domain.TeamID, error) {
	for _, team := range teams {
		found, err := tx.LockTeamFor(caller, team)
		if err != nil {
			return nil, err
		}
		if !found {
			domain.FaultPipelineTeam(faults)
			return nil, nil
		}
	}
	return teams, nil
}

// UpdatePipeline applies input to a pipeline and returns its new state.
//
// Its former slug finds it until another pipeline takes that.
//
// Returns NotFound, Forbidden unless actor may change the pipeline, and Invalid with one FieldError a bad field, a new
// slug that is taken among them.
func (s *Service) UpdatePipeline(ctx context.Context, actor authz.Actor, ref domain.PipelineRef,
	input core.Input[domain.PipelineInput], expected *core.Precondition[domain.PipelineView]) (domain.PipelineView,
	error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findPipeline(actor, ref, authz.WritePipeline))
	// A configuration takes time to check: that is done before the transaction that others wait for.
	permitted, err := s.core.PermitInPipeline(ctx, actor, ref, authz.WritePipeline)
	if err != nil {
		return domain.PipelineView{}, err
	}
	if err := expected.Check(permitted.Pipeline); err != nil {
		return domain.PipelineView{}, err
	}
	given, found, err := s.readPipeline(ctx, ref.Organization, input, permitted.Pipeline.Configuration)
	if err != nil {
		return domain.PipelineView{}, err
	}
	ref.ID = permitted.Pipeline.ID // another pipeline may take its slug
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.PipelineView, error) {
		faults := slices.Clone(found)
		// Before the pipeline, as the deletion of a cluster does it.
		cluster, err := lockClusterOf(tx, permitted.Organization.ID, given.ClusterID.Value, &faults)
		if err != nil {
			return domain.PipelineView{}, err
		}
		given := given // as it is for this attempt
		if err := lockTemplateOf(tx, permitted.Organization.ID, &given); err != nil {
			return domain.PipelineView{}, err
		}
		in, err := s.core.LockPipeline(tx, actor, ref, authz.WritePipeline)
		if err != nil {
			return domain.PipelineView{}, err
		}
		if err := expected.Check(in.Pipeline); err != nil {
			return domain.PipelineView{}, err
		}
		p := in.Pipeline
		checkTemplate(&in.Identity, p.TemplateID, given, &faults)
		p.Apply(given, &faults)
		if err := restoreSlug(tx, in.Pipeline.Pipeline, &p.Pipeline, given); err != nil {
			return domain.PipelineView{}, err
		}
		in.Organization.Settings.CheckTimeouts(given, &faults)
		if p.Visibility == domain.PipelinePublic && in.Pipeline.Visibility != domain.PipelinePublic {
			if err := authz.Check(&in.Identity, authz.PublishPipeline, in.Facts); err != nil {
				return domain.PipelineView{}, err
			}
		}
		if given.ClusterID.Given {
			p.ClusterID = cluster
		}
		s.archive(&p, in, given.Archived)
		if err := faults.Err(); err != nil {
			return domain.PipelineView{}, err
		}
		return s.storePipeline(tx, actor, in, p)
	})
}

// restoreSlug undoes a change of the slug to the one of the name that the pipeline had already, if another pipeline has
// that slug.
func restoreSlug(tx store.Tx, before domain.Pipeline, after *domain.Pipeline, given domain.PipelineInput) error {
	if given.Slug.Given || after.Name != before.Name || after.Slug == before.Slug {
		return nil
	}
	taken, err := tx.HasPipeline(before.OrganizationID, after.Slug)
	if taken {
		after.Slug = before.Slug
	}
	return err
}

// ArchivePipeline archives a pipeline: it stays as it is, and does not keep its cluster from being deleted.
//
// Returns Invalid if it is archived already.
func (s *Service) ArchivePipeline(ctx context.Context, actor authz.Actor, ref domain.PipelineRef) (
	domain.PipelineView, error) {
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.PipelineView, error) {
		in, err := s.core.LockPipeline(tx, actor, ref, authz.WritePipeline)
		if err != nil {
			return domain.PipelineView{}, err
		}
		if in.Pipeline.ArchivedAt != nil {
			return domain.PipelineView{}, domain.NewError(domain.Invalid, domain.PipelineAlreadyArchived)
		}
		p := in.Pipeline
		s.archive(&p, in, domain.Some(true))
		return s.storePipeline(tx, actor, in, p)
	})
}

// UnarchivePipeline unarchives a pipeline.
//
// Returns Invalid if it is not archived.
func (s *Service) UnarchivePipeline(ctx context.Context, actor authz.Actor, ref domain.PipelineRef) (
	domain.PipelineView, error) {
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.PipelineView, error) {
		in, err := s.core.LockPipeline(tx, actor, ref, authz.WritePipeline)
		if err != nil {
			return domain.PipelineView{}, err
		}
		if in.Pipeline.ArchivedAt == nil {
			return domain.PipelineView{}, domain.NewError(domain.Invalid, domain.PipelineNotArchived)
		}
		p := in.Pipeline
		s.archive(&p, in, domain.Some(false))
		return s.storePipeline(tx, actor, in, p)
	})
}

// FavoritePipeline marks a pipeline as one of the actor's favorites, or takes the mark away. It leaves no audit event.
//
// Returns Forbidden to a portal, which has no favorites.
func (s *Service) FavoritePipeline(ctx context.Context, actor authz.Actor, ref domain.PipelineRef, favorite bool) (
	domain.PipelineView, error) {
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.PipelineView, error) {
		in, err := s.core.InPipeline(tx, actor, ref, authz.FavoritePipeline)
		if err != nil {
			return in.Pipeline, err
		}
		in.Pipeline.Favorite = &favorite
		return in.Pipeline, tx.SetFavorite(in.Pipeline.Pipeline, in.User.ID, favorite)
	})
}

// archive puts a pipeline into the archive or takes it out, if that is what is given.
func (s *Service) archive(p *domain.PipelineView, in store.InPipeline, archived domain.Optional[bool]) {
	switch {
	case !archived.HasValue() || archived.Value == (p.ArchivedAt != nil):
	case archived.Value:
		now := s.core.Clock()
		p.ArchivedAt, p.ArchivedBy = &now, in.Person()
	default:
		p.ArchivedAt, p.ArchivedBy = nil, nil
	}
}

// storePipeline stores the new state of a pipeline and returns it. The event is of its own kind if only the visibility
// changed.
func (s *Service) storePipeline(tx store.Tx, actor authz.Actor, in store.InPipeline, p domain.PipelineView) (
	domain.PipelineView, error) {
	if err := tx.UpdatePipeline(&p, in.Pipeline.Pipeline); err != nil {
		return p, err
	}
	before, after := core.FactsOfPipeline(in.Pipeline.Pipeline), core.FactsOfPipeline(p.Pipeline)
	event, otherwise := domain.PipelineUpdated, after
	otherwise.Visibility = before.Visibility
	if reflect.DeepEqual(before, otherwise) {
		event = domain.PipelineVisibilityChanged
	}
	if err := s.core.Record(tx, core.AuthorOf(actor, &in.Identity), event, core.PipelineSubject(p.Pipeline), before,
		after); err != nil {
		return p, err
	}
	return withActivity(tx, p)
}

// DeletePipeline deletes a pipeline and returns what it was.
func (s *Service) DeletePipeline(ctx context.Context, actor authz.Actor, ref domain.PipelineRef,
	expected *core.Precondition[domain.PipelineView]) (domain.PipelineView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findPipeline(actor, ref, authz.WritePipeline))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.PipelineView, error) {
		in, err := s.core.LockPipeline(tx, actor, ref, authz.WritePipeline)
		if err != nil {
			return in.Pipeline, err
		}
		if err := expected.Check(in.Pipeline); err != nil {
			return in.Pipeline, err
		}
		p := in.Pipeline.Pipeline
		if err := tx.DeletePipeline(p); err != nil {
			return in.Pipeline, err
		}
		return in.Pipeline, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PipelineDeleted,
			core.PipelineSubject(p), core.FactsOfPipeline(p), nil)
	})
}
