package domain

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
