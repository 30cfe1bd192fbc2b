package service_test

import (
	"fmt"
	"sync"
	"testing"

	"penstock/internal/domain"
)

func TestUpdateBilling(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		s.organization(domain.OrganizationInput{Slug: "holding-co"})
		s.organization(domain.OrganizationInput{Slug: "child", BillingParent: "holding-co"})
		alone := s.organization(domain.OrganizationInput{Slug: "alone"})

		for name, test := range map[string]struct {
			slug    string
			patch   domain.BillingPatch
			message string
		}{
			"no plan":                 {"alone", domain.BillingPatch{Plan: domain.Some("weekly")}, "Plan must be monthly or annual"},
			"no date":                 {"alone", domain.BillingPatch{Anchor: domain.Some("2026-02-30")}, "Billing anchor must be a date such as 2026-01-31"},
			"an unknown parent":       {"alone", domain.BillingPatch{Parent: domain.Some("nobody")}, `There is no organization "nobody"`},
			"itself":                  {"alone", domain.BillingPatch{Parent: domain.Some("alone")}, "Billing parent must be another organization"},
			"a child as parent":       {"alone", domain.BillingPatch{Parent: domain.Some("child")}, "Billing parent can't have a billing parent itself"},
			"a parent as child":       {"holding-co", domain.BillingPatch{Parent: domain.Some("alone")}, "Billing parent can't be set on an organization that is one"},
			"a circle":                {"holding-co", domain.BillingPatch{Parent: domain.Some("child")}, "Billing parent can't have a billing parent itself"},
			"several, nothing stored": {"alone", domain.BillingPatch{Plan: domain.Some("annual"), Anchor: domain.Some("x"), Parent: domain.Some("child")}, "Billing anchor must be a date such as 2026-01-31, Billing parent can't have a billing parent itself"},
		} {
			before := s.contents()
			_, err := s.UpdateBilling(t.Context(), s.actor, test.slug, test.patch)
			refused(t, name, err, domain.Invalid, "Validation failed: "+test.message)
			s.unchangedSince(before)
		}
		_, err := s.UpdateBilling(t.Context(), s.actor, "nowhere", domain.BillingPatch{})
		refused(t, "nowhere", err, domain.NotFound, "No organization found")

		const events = `SELECT data FROM audit_events WHERE type = 'ORGANIZATION_BILLING_SETTING_UPDATED' AND subject_type = 'ORGANIZATION_BILLING_SETTING' ORDER BY id`
		o, err := s.UpdateBilling(t.Context(), s.actor, "alone", domain.BillingPatch{Plan: domain.Some("annual"), Anchor: domain.Some("2026-01-31"), Parent: domain.Some("holding-co")})
		if err != nil || o.Plan != domain.PlanAnnual || o.BillingAnchor != "2026-01-31" || o.BillingParentID == nil {
			t.Fatalf("%+v, %v", o, err)
		}
		s.expect("annual 2026-01-31 holding-co", `SELECT o.plan || ' ' || o.billing_anchor || ' ' || p.slug FROM organizations o
			JOIN organizations p ON p.id = o.billing_parent_id WHERE o.id = $1`, alone.ID)
		s.expect(fmt.Sprintf(`{"before":{"plan":"monthly","billing_anchor":"2026-03-14","billing_parent":null},"after":{"plan":"annual","billing_anchor":"2026-01-31","billing_parent":"%s"}}`, *o.BillingParentID), events)
		// The same again changes nothing, and leaves no event.
		if _, err := s.UpdateBilling(t.Context(), s.actor, "alone", domain.BillingPatch{Plan: domain.Some("annual")}); err != nil {
			t.Fatal(err)
		}
		if n := len(s.query(events)); n != 1 {
			t.Errorf("%d events", n)
		}
		if o, err = s.UpdateBilling(t.Context(), s.actor, "alone", domain.BillingPatch{Parent: domain.Null[string]()}); err != nil || o.BillingParentID != nil || o.Plan != domain.PlanAnnual {
			t.Errorf("%+v, %v", o, err)
		}
	})
}

// TestConcurrentChangesCannotMakeACircle tries, at the same moment, everything that together would be one, or a second level.
func TestConcurrentChangesCannotMakeACircle(t *testing.T) {
	eachOperating(t, func(t *testing.T, s *operating) {
		slugs := []string{"a", "b", "c", "d"}
		for _, slug := range slugs {
			s.organization(domain.OrganizationInput{Slug: slug})
		}
		for round := range 5 {
			var wg sync.WaitGroup
			for i, child := range slugs {
				for _, parent := range slugs[i+1:] {
					for _, pair := range [][2]string{{child, parent}, {parent, child}} {
						wg.Go(func() {
							_, err := s.UpdateBilling(t.Context(), s.actor, pair[0], domain.BillingPatch{Parent: domain.Some(pair[1])})
							if err != nil && domain.CodeOf(err) != domain.Invalid {
								t.Error(err)
							}
						})
					}
				}
				wg.Go(func() {
					_, err := s.CreateOrganization(t.Context(), s.actor, domain.OrganizationInput{Slug: fmt.Sprintf("%s-%d", child, round), Name: "New", BillingParent: child})
					if err != nil && domain.CodeOf(err) != domain.Invalid {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			s.expect("0", `SELECT CAST(count(*) AS TEXT) FROM organizations o JOIN organizations p ON p.id = o.billing_parent_id WHERE p.billing_parent_id IS NOT NULL`)
			if len(s.query(`SELECT slug FROM organizations WHERE billing_parent_id IS NOT NULL`)) == 0 {
				t.Error("nobody has a parent")
			}
			s.exec(`UPDATE organizations SET billing_parent_id = NULL`)
		}
	})
}
