package service

import (
	"context"
	"slices"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// UpdateBilling applies a patch to how an organization is billed, recounts what that changes, and returns the
// organization's new state. Operators only.
//
// Returns NotFound if there is no such organization, and Invalid with one FieldError a bad field: a billing parent that
// does not exist, is the organization itself or has one itself, and any if the organization is one, are among them.
func (s *Service) UpdateBilling(ctx context.Context, actor authz.Actor, organization string,
	patch domain.BillingPatch) (domain.Organization, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return domain.Organization{}, err
	}
	return core.Change(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (domain.Organization, error) {
			if err := tx.LockBilling(); err != nil {
				return domain.Organization{}, err
			}
			o, found, err := tx.OrganizationBySlug(core.LookupSlug(organization))
			if err != nil || !found {
				return o, missingUnless(err, "organization")
			}
			before := o
			var faults domain.Faults
			o.ApplyBilling(patch, &faults)
			if patch.Parent.HasValue() {
				if err := core.SetBillingParent(tx, &o, patch.Parent.Value, &faults); err != nil {
					return o, err
				}
			}
			if err := faults.Err(); err != nil {
				return o, err
			}
			if err := s.storeBilling(tx, before, o); err != nil {
				return o, err
			}
			return o, s.core.Record(tx, core.OperatorIn(o.ID), domain.OrganizationBillingUpdated,
				domain.Subject(domain.OrganizationBillingSubject, o.ID, o.Name), factsOfBilling(before), factsOfBilling(o))
		})
}

// storeBilling stores how an organization is billed, and counts what that changes in figures, but nothing else: while
// it counts, others wait.
func (s *Service) storeBilling(tx store.Tx, before, after domain.Organization) error {
	was, is := before.BillingParentID, after.BillingParentID
	if equal(was, is) {
		was, is = nil, nil
	}
	if err := tx.LockOrganization(after.ID); err != nil {
		return err
	}
	if err := lockUsage(tx, &after.ID, was, is); err != nil {
		return err
	}
	if err := tx.UpdateBilling(after); err != nil {
		return err
	}
	now := s.core.Now()
	if before.BillingAnchor != after.BillingAnchor {
		if err := tx.CountBillingPeriods(after.ID, now); err != nil {
			return err
		}
	}
	if was != nil {
		if err := tx.CountUsage(*was, now); err != nil {
			return err
		}
	}
	if is != nil {
		return tx.AddUsage(*is, after.ID, now)
	}
	return nil
}

// lockUsage prevents others from counting what is counted in those organizations, of which some may be nil.
func lockUsage(tx store.Tx, organizations ...*domain.OrganizationID) error {
	var counted []domain.OrganizationID
	for _, o := range organizations {
		if o == nil {
			continue
		}
		billed, err := tx.BilledTogether(*o)
		if err != nil {
			return err
		}
		for _, b := range billed {
			counted = append(counted, b.ID)
		}
	}
	slices.Sort(counted) // for all in the same order
	for _, o := range slices.Compact(counted) {
		if err := tx.LockUsage(o); err != nil {
			return err
		}
	}
	return nil
}

type billingFacts struct {
	Plan          domain.Plan            `json:"plan"`
	BillingAnchor string                 `json:"billing_anchor"`
	BillingParent *domain.OrganizationID `json:"billing_parent"`
}

func factsOfBilling(o domain.Organization) billingFacts {
	return billingFacts{Plan: o.Plan, BillingAnchor: o.BillingAnchor, BillingParent: o.BillingParentID}
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }
