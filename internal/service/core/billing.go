package core

import (
	"penstock/internal/domain"
	"penstock/internal/store"
)

// SetBillingParent bills o, which may not be stored yet, with the organization of that slug; an empty one is none.
func SetBillingParent(tx store.Tx, o *domain.Organization, slug string, faults *domain.Faults) error {
	if slug == "" {
		return nil
	}
	if err := tx.LockBilling(); err != nil {
		return err
	}
	if slug == o.Slug {
		o.BillTo(*o, false, faults)
		return nil
	}
	parent, found, err := tx.OrganizationBySlug(LookupSlug(slug))
	if err != nil {
		return err
	}
	if !found {
		faults.Add("billing_parent", domain.NoSuchOrganization(slug))
		return nil
	}
	isParent, err := tx.IsBillingParent(o.ID)
	o.BillTo(parent, isParent, faults)
	return err
}
