package domain

import "time"

// OrganizationInput is what an operator enters to make an organization.
type OrganizationInput struct {
	Slug          string
	Name          string
	ID            string // a UUID; empty: a new one
	Plan          Plan   // empty: monthly
	BillingAnchor string // a date, in DateLayout; empty: today
	BillingParent string // the slug of another organization; empty: none
	Admin         string // the email address of the user who is to administer it; empty: none
}

// SlugTaken is the fault of an organization whose slug another organization has.
const SlugTaken = "Slug has already been taken"

// Organization returns the organization that the input describes, without its billing parent.
func (in OrganizationInput) Organization(now time.Time, faults *Faults) Organization {
	o := NewOrganization(in.Slug, CheckName("name", "Name", in.Name, faults), now)
	o.ID = parseOrNewID[OrganizationID](in.ID, faults)
	if !ValidSlug(in.Slug) {
		faults.Add("slug", "Slug must be 1 to 100 of a-z and 0-9, with single hyphens inside")
	}
	var billing BillingPatch
	if in.Plan != "" {
		billing.Plan = Some(string(in.Plan))
	}
	if in.BillingAnchor != "" {
		billing.Anchor = Some(in.BillingAnchor)
	}
	o.ApplyBilling(billing, faults)
	return o
}
