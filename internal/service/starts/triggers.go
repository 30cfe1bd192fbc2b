package starts

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// PipelineTriggers returns a part of a pipeline's triggers, the newest first, for those who may change the pipeline.
func (s *Service) PipelineTriggers(ctx context.Context, actor authz.Actor, ref domain.PipelineRef,
	page domain.CursorPage) (domain.CursorPaged[*domain.PipelineTriggerView], error) {
	return core.View(ctx, s.core, actor, ref.Organization,
		func(tx store.Tx) (domain.CursorPaged[*domain.PipelineTriggerView], error) {
			in, err := s.core.InPipeline(tx, actor, ref, authz.ReadPipelineTrigger)
			if err != nil {
				return domain.CursorPaged[*domain.PipelineTriggerView]{}, err
			}
			return store.PipelineTriggersOf().ReadCursorPage(tx, store.ViewerOf(&in.Identity), string(in.Pipeline.ID), page)
		})
}

// PipelineTrigger returns a trigger, for those who may change its pipeline.
func (s *Service) PipelineTrigger(ctx context.Context, actor authz.Actor, ref domain.PipelineTriggerRef) (
	domain.PipelineTriggerView, error) {
	return core.View(ctx, s.core, actor, ref.Pipeline.Organization, s.findTrigger(actor, ref, authz.ReadPipelineTrigger))
}

func (s *Service) findTrigger(actor authz.Actor, ref domain.PipelineTriggerRef, action authz.Action) func(store.Tx) (
	domain.PipelineTriggerView, error) {
	return func(tx store.Tx) (domain.PipelineTriggerView, error) {
		in, err := s.core.InPipeline(tx, actor, ref.Pipeline, action)
		if err != nil {
			return domain.PipelineTriggerView{}, err
		}
		return triggerIn(tx, in, ref.ID)
	}
}

func triggerIn(tx store.Tx, in store.InPipeline, id string) (domain.PipelineTriggerView, error) {
	t, found, err := tx.PipelineTrigger(in.Pipeline.ID, core.LookupID[domain.PipelineTriggerID](id))
	if err == nil && !found {
		err = domain.Missing("pipeline trigger")
	}
	return t, err
}

// CreatePipelineTrigger makes a trigger and returns it with its address, which cannot be had again.
//
// Returns Invalid with one FieldError a bad field, and if the pipeline has too many triggers.
func (s *Service) CreatePipelineTrigger(ctx context.Context, actor authz.Actor, ref domain.PipelineRef,
	input core.Input[domain.PipelineTriggerInput]) (made domain.PipelineTriggerView, address domain.Secret, err error) {
	token := domain.NewTokenValue(domain.TriggerTokenKind)
	permit := func(tx store.Tx) (store.InPipeline, error) {
		return s.core.LockPipeline(tx, actor, ref, authz.WritePipeline)
	}
	issued, err := core.Create(ctx, s.core, actor, ref.Organization, permit,
		func(tx store.Tx, in store.InPipeline) (issued core.Issued[domain.PipelineTriggerView], err error) {
			var faults domain.Faults
			given, err := input.Read(&faults)
			if err != nil {
				return issued, err
			}
			t := domain.NewPipelineTrigger(given, s.core.Clock(), &faults)
			if err := faults.Err(); err != nil {
				return issued, err
			}
			if count, err := tx.PipelineTriggersCount(in.Pipeline.ID); err != nil || count >= domain.MaxTriggers {
				if err == nil {
					err = domain.NewError(domain.Invalid, domain.TooManyTriggers)
				}
				return issued, err
			}
			t.OrganizationID, t.PipelineID, t.TokenHint = in.Organization.ID, in.Pipeline.ID, domain.SecretEnd(token.Reveal())
			if err := tx.InsertPipelineTrigger(t, domain.HashToken(token.Reveal()), in.CreatorID()); err != nil {
				return issued, err
			}
			if err := s.storeTriggerSecret(tx, t, given.Verification); err != nil {
				return issued, err
			}
			if err := s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PipelineTriggerCreated,
				core.PipelineTriggerSubject(t), nil, core.FactsOfPipelineTrigger(t)); err != nil {
				return issued, err
			}
			issued.Value, issued.Name = domain.Secret(s.baseURL+"/deliver/"+token.Reveal()), "pipeline trigger "+string(t.ID)
			issued.Thing, err = triggerIn(tx, in, string(t.ID))
			return issued, err
		})
	return issued.Thing, issued.Value, err
}

// storeTriggerSecret encrypts and stores the secret that is given for a trigger, or deletes the one that it has no
// more.
func (s *Service) storeTriggerSecret(tx store.Tx, t domain.PipelineTrigger,
	given domain.Optional[domain.TriggerVerification]) error {
	if t.SecretHint == nil {
		return tx.DeleteTriggerSecret(t.ID)
	}
	if !given.Value.Secret.HasValue() {
		return nil
	}
	if !s.core.CanSeal() {
		return core.ErrNoKey
	}
	id := domain.NewID[string]()
	sealed, err := s.core.Seal(given.Value.Secret.Value, store.AboutTrigger+id)
	if err != nil {
		return err
	}
	return tx.SetTriggerSecret(t.ID, id, sealed)
}

// UpdatePipelineTrigger applies input to a trigger and returns its new state. Its address stays.
func (s *Service) UpdatePipelineTrigger(ctx context.Context, actor authz.Actor, ref domain.PipelineTriggerRef,
	input core.Input[domain.PipelineTriggerInput], expected *core.Precondition[domain.PipelineTriggerView]) (
	domain.PipelineTriggerView, error) {
	return s.changeTrigger(ctx, actor, ref, expected, func(tx store.Tx, in store.InPipeline,
		t domain.PipelineTriggerView) error {
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return err
		}
		changed := t.PipelineTrigger
		changed.Apply(given, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return err
		}
		if err := tx.UpdatePipelineTrigger(changed, in.CreatorID()); err != nil {
			return err
		}
		if err := s.storeTriggerSecret(tx, changed, given.Verification); err != nil {
			return err
		}
		facts := core.FactsOfPipelineTrigger(changed)
		facts.NewSecret = given.Verification.Value.Secret.HasValue()
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PipelineTriggerUpdated,
			core.PipelineTriggerSubject(changed), core.FactsOfPipelineTrigger(t.PipelineTrigger), facts)
	})
}

// changeTrigger runs change on a trigger that nobody else changes meanwhile, and returns its new state.
func (s *Service) changeTrigger(ctx context.Context, actor authz.Actor, ref domain.PipelineTriggerRef,
	expected *core.Precondition[domain.PipelineTriggerView],
	change func(store.Tx, store.InPipeline, domain.PipelineTriggerView) error) (domain.PipelineTriggerView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Pipeline.Organization,
		s.findTrigger(actor, ref, authz.WritePipeline))
	return core.Change(ctx, s.core, actor, ref.Pipeline.Organization, func(tx store.Tx) (domain.PipelineTriggerView,
		error) {
		in, err := s.core.LockPipeline(tx, actor, ref.Pipeline, authz.WritePipeline)
		if err != nil {
			return domain.PipelineTriggerView{}, err
		}
		t, err := triggerIn(tx, in, ref.ID)
		if err != nil {
			return t, err
		}
		if err := expected.Check(t); err != nil {
			return t, err
		}
		if err := change(tx, in, t); err != nil {
			return t, err
		}
		now, found, err := tx.PipelineTrigger(in.Pipeline.ID, t.ID)
		if !found {
			return t, err // it was deleted
		}
		return now, err
	})
}

// DeletePipelineTrigger deletes a trigger: its address starts no more builds. Those it has started stay.
func (s *Service) DeletePipelineTrigger(ctx context.Context, actor authz.Actor, ref domain.PipelineTriggerRef,
	expected *core.Precondition[domain.PipelineTriggerView]) error {
	_, err := s.changeTrigger(ctx, actor, ref, expected, func(tx store.Tx, in store.InPipeline,
		t domain.PipelineTriggerView) error {
		if err := tx.DeletePipelineTrigger(t.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.PipelineTriggerDeleted,
			core.PipelineTriggerSubject(t.PipelineTrigger), core.FactsOfPipelineTrigger(t.PipelineTrigger), nil)
	})
	return err
}
