package domain

import "time"

// BillingPatch is what an operator enters to change how an organization is billed.
type BillingPatch struct {
	Plan   Optional[string]
	Anchor Optional[string] // a date, in DateLayout
	Parent Optional[string] // the slug of another organization; null: none
}

// ApplyBilling makes the changes of the patch but for the parent, which the caller has to look for.
func (o *Organization) ApplyBilling(p BillingPatch, faults *Faults) {
	if p.Plan.Given {
		o.Plan = Plan(p.Plan.Value)
		if o.Plan != PlanMonthly && o.Plan != PlanAnnual {
			faults.Add("plan", "Plan must be monthly or annual")
		}
	}
	if p.Anchor.Given {
		o.BillingAnchor = p.Anchor.Value
		if _, err := time.Parse(DateLayout, o.BillingAnchor); err != nil {
			faults.Add("billing_anchor", "Billing anchor must be a date such as 2026-01-31")
		}
	}
	if p.Parent.Given && p.Parent.Null {
		o.BillingParentID = nil
	}
}

// BillTo makes parent the organization that o's usage is billed with; isParent says that other organizations
// are billed with o. There is one level only: a parent has no parent, and a child no children.
func (o *Organization) BillTo(parent Organization, isParent bool, faults *Faults) {
	const field = "billing_parent"
	switch {
	case parent.ID == o.ID:
		faults.Add(field, "Billing parent must be another organization")
	case parent.BillingParentID != nil:
		faults.Add(field, "Billing parent can't have a billing parent itself")
	case isParent:
		faults.Add(field, "Billing parent can't be set on an organization that is one")
	default:
		o.BillingParentID = &parent.ID
	}
}
