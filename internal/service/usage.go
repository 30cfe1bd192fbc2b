package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Usage returns how many users an organization is billed for at this moment, and how many were active in each month.
// Every member may know.
//
// Returns Unavailable if the figure cannot be had within its time limit, or its tables cannot be read; never a wrong
// figure.
func (s *Service) Usage(ctx context.Context, actor authz.Actor, organization string) (domain.Usage, error) {
	id, err := s.core.PermitInOrganization(ctx, actor, domain.OrganizationRef{Slug: organization}, authz.ReadUsage)
	if err != nil {
		return domain.Usage{}, err
	}
	return s.core.CountUsage(ctx, id.Organization.ID)
}

// ExplainUsage counts an organization's users from the days on which they were active, without the counters that Usage
// reads, and shows what its figure is made of. A month, such as 2026-10, asks for the billing period that begins in it,
// or for the months up to it; none for the present figure. The organization's plan, anchor and children are the present
// ones. Operators only.
//
// Returns NotFound if there is no such organization, and Invalid if month is none, is yet to come, or its days were
// pruned.
func (s *Service) ExplainUsage(ctx context.Context, actor authz.Actor, organization, month string, withPeople bool) (
	domain.UsageExplanation, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return domain.UsageExplanation{}, err
	}
	now := s.core.Now()
	at, err := explainedTime(month, now)
	if err != nil {
		return domain.UsageExplanation{}, err
	}
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (e domain.UsageExplanation, err error) {
			o, found, err := tx.OrganizationBySlug(core.LookupSlug(organization))
			if err != nil || !found {
				return e, missingUnless(err, "organization")
			}
			e.Organization = o
			periods, err := domain.UsagePeriodsOf(o.Plan, o.BillingAnchor, at)
			if err != nil {
				return e, err
			}
			e.Period = domain.Period{Start: periods[0].Start, End: periods[len(periods)-1].End}
			kept, err := tx.ActivityKeptSince()
			if err != nil {
				return e, err
			}
			if e.Period.Key() < kept {
				return e, domain.Faults{{Field: "month", Reason: fmt.Sprintf("The activity before %s was pruned, and %s needs "+
					"that since %s", kept, month, e.Period.Key())}}.Err()
			}
			billed, err := tx.BilledTogether(o.ID)
			if err != nil {
				return e, err
			}
			for _, b := range billed {
				e.Organizations = append(e.Organizations, b.Slug)
			}
			for _, p := range periods {
				part, err := usagePart(tx, billed, p, withPeople)
				if err != nil {
					return e, err
				}
				e.Parts = append(e.Parts, part)
			}
			e.Conclude()
			if month == "" {
				usage, err := core.UsageAt(tx, o.ID, now)
				if err != nil {
					return e, err
				}
				e.Served = &usage.ActiveUsers
			}
			return e, nil
		})
}

// explainedTime returns a time at which the figure is the one that month asks for.
func explainedTime(month string, now time.Time) (time.Time, error) {
	if month == "" {
		return now, nil
	}
	start, err := time.Parse("2006-01", month)
	switch {
	case err != nil:
		return now, domain.Faults{{Field: "month", Reason: "Month must be one such as 2026-10"}}.Err()
	case start.After(now):
		return now, domain.Faults{{Field: "month", Reason: "Month must not be in the future"}}.Err()
	}
	return domain.MonthOf(start).End.Add(-1), nil
}

// usagePart counts the users of a period.
func usagePart(tx store.Tx, billed []store.BilledOrganization, p domain.Period, withPeople bool) (
	domain.UsagePart, error) {
	part := domain.UsagePart{Period: p}
	inEach := map[domain.OrganizationID]int64{}
	slugs := map[domain.OrganizationID]string{}
	for _, b := range billed {
		slugs[b.ID] = b.Slug
	}
	var last domain.UserID
	err := tx.EachActiveUser(billed, p, func(o domain.OrganizationID, user domain.User) error {
		inEach[o]++
		if user.ID != last {
			last = user.ID
			part.Users++
			if withPeople {
				part.People = append(part.People, domain.ActiveUser{User: user})
			}
		}
		if withPeople {
			person := &part.People[len(part.People)-1]
			person.Organizations = append(person.Organizations, slugs[o])
		}
		return nil
	})
	for _, b := range billed {
		if n := inEach[b.ID]; n > 0 {
			part.Sources = append(part.Sources, domain.UsageSource{Organization: b.Slug, Users: n})
		}
	}
	for _, person := range part.People {
		slices.Sort(person.Organizations)
	}
	slices.SortFunc(part.People, func(a, b domain.ActiveUser) int {
		return strings.Compare(a.User.Email+"\x00"+string(a.User.ID), b.User.Email+"\x00"+string(b.User.ID))
	})
	return part, err
}

// PruneActivity deletes the days of activity that are no longer kept, and what was counted of periods that no figure is
// made of any more. Operators only.
func (s *Service) PruneActivity(ctx context.Context, actor authz.Actor) (deleted int64, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return 0, err
	}
	now := s.core.Now()
	day, period := "", domain.SummaryMonthsOf(now)[0].Key() // no day is before ""
	if s.activityRetentionDays > 0 {
		day = domain.KeptSince(max(s.activityRetentionDays, domain.MinActivityRetentionDays), now).Format(domain.DateLayout)
	}
	organizations, err := core.View(ctx, s.core, actor, core.NoOrganization,
		func(tx store.Tx) ([]domain.OrganizationID, error) { return tx.OrganizationsToPrune(day, period) })
	if err != nil || len(organizations) == 0 {
		return 0, err
	}
	if day != "" {
		if err := s.core.Write(ctx, actor, core.NoOrganization,
			func(tx store.Tx) error { return tx.SetActivityStart(day) }); err != nil {
			return 0, err
		}
	}
	for _, o := range organizations {
		n, err := s.core.Prune(ctx, actor, func(tx store.Tx) (int64, error) {
			return tx.PruneActivity(o, day, period, core.PruneBatch)
		})
		deleted += n
		if err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}
