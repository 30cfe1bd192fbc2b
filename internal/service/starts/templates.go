package starts

import (
	"context"
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// PipelineTemplates returns a page of an organization's templates, by name: administrators see all, others those that
// are available.
func (s *Service) PipelineTemplates(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	page domain.Page) (domain.Paged[domain.PipelineTemplateView], error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) (domain.Paged[domain.PipelineTemplateView],
		error) {
		id, err := s.core.InOrganization(tx, actor, organization, authz.ReadPipelineTemplate)
		if err != nil {
			return domain.Paged[domain.PipelineTemplateView]{}, err
		}
		return readPage(tx, &id, store.PipelineTemplatesOf(domain.ByName), id.Organization.ID, page)
	})
}

// PipelineTemplate returns a template.
func (s *Service) PipelineTemplate(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string) (domain.PipelineTemplateView, error) {
	return core.View(ctx, s.core, actor, organization, s.findTemplate(actor, organization, id, authz.ReadPipelineTemplate))
}

func (s *Service) findTemplate(actor authz.Actor, organization domain.OrganizationRef, id string,
	action authz.Action) func(store.Tx) (domain.PipelineTemplateView, error) {
	return func(tx store.Tx) (domain.PipelineTemplateView, error) {
		in, err := s.core.InOrganization(tx, actor, organization, action)
		if err != nil {
			return domain.PipelineTemplateView{}, err
		}
		template, found, err := tx.PipelineTemplate(store.ViewerOf(&in), in.Organization.ID,
			core.LookupID[domain.PipelineTemplateID](id))
		if err == nil && !found {
			err = domain.Missing("pipeline template")
		}
		return template, err
	}
}

// readTemplate reads an input and checks its configuration, as soon as it is its turn. What is wrong with it is
// returned with it.
func (s *Service) readTemplate(ctx context.Context, organization domain.OrganizationRef,
	input core.Input[domain.PipelineTemplateInput]) (given domain.PipelineTemplateInput, faults domain.Faults, err error) {
	if given, err = input.Read(&faults); err != nil {
		return given, faults, err
	}
	err = s.core.Processors.Use(ctx, organization, func() error {
		given.ReadDefinition(&faults)
		return nil
	})
	return given, faults, err
}

// CreatePipelineTemplate makes a template.
//
// Returns Forbidden unless actor administers the organization, and Invalid with one FieldError a bad field.
func (s *Service) CreatePipelineTemplate(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	input core.Input[domain.PipelineTemplateInput]) (domain.PipelineTemplateView, error) {
	permit := func(tx store.Tx) (authz.Identity, error) {
		return s.core.InOrganization(tx, actor, organization, authz.WritePipelineTemplate)
	}
	if _, err := core.View(ctx, s.core, actor, organization, permit); err != nil {
		return domain.PipelineTemplateView{}, err
	}
	given, found, err := s.readTemplate(ctx, organization, input)
	if err != nil {
		return domain.PipelineTemplateView{}, err
	}
	return core.Create(ctx, s.core, actor, organization, permit,
		func(tx store.Tx, id authz.Identity) (domain.PipelineTemplateView, error) {
			faults := slices.Clone(found)
			template := domain.NewPipelineTemplate(given, id.Organization.ID, s.core.Clock(), &faults)
			if err := faults.Err(); err != nil {
				return domain.PipelineTemplateView{}, err
			}
			if err := tx.InsertPipelineTemplate(template, id.CreatorID()); err != nil {
				return domain.PipelineTemplateView{}, err
			}
			view := domain.PipelineTemplateView{PipelineTemplate: template, OrganizationSlug: id.Organization.Slug,
				CreatedBy: id.Creator(), UpdatedBy: id.Creator()}
			return view, s.core.Record(tx, core.AuthorOf(actor, &id), domain.PipelineTemplateCreated,
				core.PipelineTemplateSubject(template), nil, core.FactsOfPipelineTemplate(template))
		})
}

// UpdatePipelineTemplate applies input to a template and returns its new state. The pipelines that follow it get its
// configuration.
func (s *Service) UpdatePipelineTemplate(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string,
	input core.Input[domain.PipelineTemplateInput], expected *core.Precondition[domain.PipelineTemplateView]) (
	domain.PipelineTemplateView, error) {
	find := s.findTemplate(actor, organization, id, authz.WritePipelineTemplate)
	expected = expected.Observe(ctx, s.core, actor, organization, find)
	if _, err := core.View(ctx, s.core, actor, organization, find); err != nil {
		return domain.PipelineTemplateView{}, err
	}
	given, found, err := s.readTemplate(ctx, organization, input)
	if err != nil {
		return domain.PipelineTemplateView{}, err
	}
	return s.changeTemplate(ctx, actor, organization, id, expected, func(tx store.Tx, in authz.Identity,
		view *domain.PipelineTemplateView) error {
		faults := slices.Clone(found)
		before := core.FactsOfPipelineTemplate(view.PipelineTemplate)
		view.Apply(given, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return err
		}
		if err := tx.UpdatePipelineTemplate(view.PipelineTemplate, in.CreatorID()); err != nil {
			return err
		}
		view.UpdatedBy = in.Creator()
		return s.core.Record(tx, core.AuthorOf(actor, &in), domain.PipelineTemplateUpdated,
			core.PipelineTemplateSubject(view.PipelineTemplate),
			before, core.FactsOfPipelineTemplate(view.PipelineTemplate))
	})
}

// changeTemplate runs change on a template that nobody else changes meanwhile, and returns its new state.
func (s *Service) changeTemplate(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef, id string,
	expected *core.Precondition[domain.PipelineTemplateView],
	change func(store.Tx, authz.Identity, *domain.PipelineTemplateView) error) (domain.PipelineTemplateView, error) {
	find := s.findTemplate(actor, organization, id, authz.WritePipelineTemplate)
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (domain.PipelineTemplateView, error) {
		view, err := find(tx)
		if err != nil {
			return view, err
		}
		if _, _, err := tx.LockPipelineTemplate(view.OrganizationID, view.ID); err != nil {
			return view, err
		}
		if view, err = find(tx); err != nil { // as it is now
			return view, err
		}
		if err := expected.Check(view); err != nil {
			return view, err
		}
		in, err := s.core.InOrganization(tx, actor, organization, authz.WritePipelineTemplate)
		if err != nil {
			return view, err
		}
		return view, change(tx, in, &view)
	})
}

// DeletePipelineTemplate deletes a template.
//
// Returns Invalid while pipelines follow it.
func (s *Service) DeletePipelineTemplate(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string,
	expected *core.Precondition[domain.PipelineTemplateView]) error {
	expected = expected.Observe(ctx, s.core, actor, organization, s.findTemplate(actor, organization, id,
		authz.WritePipelineTemplate))
	_, err := s.changeTemplate(ctx, actor, organization, id, expected, func(tx store.Tx, in authz.Identity,
		view *domain.PipelineTemplateView) error {
		if err := tx.DeletePipelineTemplate(view.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in), domain.PipelineTemplateDeleted,
			core.PipelineTemplateSubject(view.PipelineTemplate),
			core.FactsOfPipelineTemplate(view.PipelineTemplate), nil)
	})
	return err
}
