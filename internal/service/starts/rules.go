package starts

import (
	"context"
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Rules returns a page of an organization's rules between pipelines, the newest first.
func (s *Service) Rules(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef, page domain.Page) (
	domain.Paged[domain.RuleView], error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) (domain.Paged[domain.RuleView], error) {
		id, err := s.core.InOrganization(tx, actor, organization, authz.ReadRule)
		if err != nil {
			return domain.Paged[domain.RuleView]{}, err
		}
		return readPage(tx, &id, store.RulesOf(domain.RuleFilter{}), id.Organization.ID, page)
	})
}

// Rule returns a rule.
func (s *Service) Rule(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string) (domain.RuleView, error) {
	return core.View(ctx, s.core, actor, organization, s.findRule(actor, organization, id, authz.ReadRule))
}

func (s *Service) findRule(actor authz.Actor, organization domain.OrganizationRef, id string, action authz.Action) func(
	store.Tx) (domain.RuleView, error) {
	return func(tx store.Tx) (domain.RuleView, error) {
		in, err := s.core.InOrganization(tx, actor, organization, action)
		if err != nil {
			return domain.RuleView{}, err
		}
		rule, found, err := tx.Rule(in.Organization.ID, core.LookupID[domain.RuleID](id))
		if err == nil && !found {
			err = domain.Missing("rule")
		}
		return rule, err
	}
}

// CreateRule makes a rule between two pipelines.
//
// Returns Forbidden unless actor administers the organization, and Invalid for an unknown type, a pipeline that is not
// found, a condition that can't be read, and a rule that there is already.
func (s *Service) CreateRule(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	input core.Input[domain.RuleInput]) (domain.RuleView, error) {
	permit := func(tx store.Tx) (authz.Identity, error) {
		return s.core.InOrganization(tx, actor, organization, authz.WriteRule)
	}
	id, err := core.View(ctx, s.core, actor, organization, permit)
	if err != nil {
		return domain.RuleView{}, err
	}
	var found domain.Faults
	given, err := input.Read(&found)
	if err != nil {
		return domain.RuleView{}, err
	}
	// compiles conditions, for which no transaction waits
	rule := domain.NewRule(given, id.Organization.ID, s.core.Clock(), &found)
	return core.Create(ctx, s.core, actor, organization, permit, func(tx store.Tx, id authz.Identity) (domain.RuleView,
		error) {
		faults := slices.Clone(found)
		made := rule
		if err := s.setPipelines(tx, &made, given.Value.Value, &faults); err != nil {
			return domain.RuleView{}, err
		}
		if id, err = permit(tx); err != nil { // as it is now
			return domain.RuleView{}, err
		}
		if err := tx.InsertRule(made, id.CreatorID()); err != nil {
			return domain.RuleView{}, err
		}
		if err := s.core.Record(tx, core.AuthorOf(actor, &id), domain.RuleCreated, core.RuleSubject(made), nil,
			core.FactsOfRule(made)); err != nil {
			return domain.RuleView{}, err
		}
		view, _, err := tx.Rule(made.OrganizationID, made.ID)
		return view, err
	})
}

// setPipelines finds and locks the pipelines that a rule's value names, and returns what is wrong with it.
func (s *Service) setPipelines(tx store.Tx, r *domain.Rule, value domain.RuleValue, faults *domain.Faults) error {
	for _, end := range []struct {
		member, name string
		id           *domain.PipelineID
	}{{"source_pipeline", value.SourcePipeline.Value, &r.SourceID}, {"target_pipeline", value.TargetPipeline.Value,
		&r.TargetID}} {
		if faults.Has("value") || faults.Has("type") {
			break
		}
		id, found, err := tx.PipelineIDByName(r.OrganizationID, end.name)
		if err != nil {
			return err
		}
		if !found {
			r.AddMissingPipeline(end.member, end.name, faults)
		}
		*end.id = id
	}
	if err := faults.Err(); err != nil {
		return err
	}
	for _, id := range []domain.PipelineID{min(r.SourceID, r.TargetID), max(r.SourceID, r.TargetID)} {
		if err := tx.LockPipeline(id); err != nil {
			return err
		}
	}
	others, err := tx.RulesBetween(r.Type, r.SourceID, r.TargetID)
	if err == nil && len(slices.DeleteFunc(others,
		func(o domain.Rule) bool { return o.ID == r.ID })) >= domain.MaxRulesOfPair {
		faults.AddWhole("value", domain.TooManyRules)
		err = faults.Err()
	}
	return err
}

// UpdateRule changes what a rule says, and its description, and returns its new state. Its type stays.
func (s *Service) UpdateRule(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef, id string,
	input core.Input[domain.RuleInput], expected *core.Precondition[domain.RuleView]) (domain.RuleView, error) {
	find := s.findRule(actor, organization, id, authz.WriteRule)
	expected = expected.Observe(ctx, s.core, actor, organization, find)
	seen, err := core.View(ctx, s.core, actor, organization, find)
	if err != nil {
		return domain.RuleView{}, err
	}
	var found domain.Faults
	given, err := input.Read(&found)
	if err != nil {
		return domain.RuleView{}, err
	}
	changed := seen.Rule
	changed.Apply(given, s.core.Clock(), &found)
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (domain.RuleView, error) {
		faults := slices.Clone(found)
		now := changed
		if err := s.setPipelines(tx, &now, given.Value.Value, &faults); err != nil {
			return domain.RuleView{}, err
		}
		return s.changeRule(tx, actor, organization, id, expected, func(in authz.Identity, rule domain.RuleView) error {
			if err := tx.UpdateRule(now); err != nil {
				return err
			}
			return s.core.Record(tx, core.AuthorOf(actor, &in), domain.RuleUpdated, core.RuleSubject(now),
				core.FactsOfRule(rule.Rule), core.FactsOfRule(now))
		})
	})
}

// changeRule runs change on a rule that nobody else changes meanwhile, and returns its new state.
func (s *Service) changeRule(tx store.Tx, actor authz.Actor, organization domain.OrganizationRef, id string,
	expected *core.Precondition[domain.RuleView],
	change func(authz.Identity, domain.RuleView) error) (domain.RuleView, error) {
	find := s.findRule(actor, organization, id, authz.WriteRule)
	rule, err := find(tx)
	if err != nil {
		return rule, err
	}
	if err := tx.LockRule(rule.ID); err != nil {
		return rule, err
	}
	if rule, err = find(tx); err != nil { // as it is now
		return rule, err
	}
	if err := expected.Check(rule); err != nil {
		return rule, err
	}
	in, err := s.core.InOrganization(tx, actor, organization, authz.WriteRule)
	if err != nil {
		return rule, err
	}
	if err := change(in, rule); err != nil {
		return rule, err
	}
	now, found, err := tx.Rule(rule.OrganizationID, rule.ID)
	if !found {
		return rule, err // it was deleted
	}
	return now, err
}

// DeleteRule deletes a rule and returns what it was.
func (s *Service) DeleteRule(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef, id string,
	expected *core.Precondition[domain.RuleView]) (domain.RuleView, error) {
	expected = expected.Observe(ctx, s.core, actor, organization, s.findRule(actor, organization, id, authz.WriteRule))
	return core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (domain.RuleView, error) {
		return s.changeRule(tx, actor, organization, id, expected, func(in authz.Identity, rule domain.RuleView) error {
			if err := tx.DeleteRule(rule.ID); err != nil {
				return err
			}
			return s.core.Record(tx, core.AuthorOf(actor, &in), domain.RuleDeleted, core.RuleSubject(rule.Rule),
				core.FactsOfRule(rule.Rule), nil)
		})
	})
}
