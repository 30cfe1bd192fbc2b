package core

import (
	"context"
	"time"

	"penstock/internal/domain"
	"penstock/internal/store"
)

// countingPlaces is how many count usage at once: fewer than there are connections, so that tables that stall leave
// some to others.
const countingPlaces = 2

// CountUsage returns an organization's usage. It reads the figure in a transaction, a time and a place of its own, so
// that tables that stall hold up nothing else.
//
// Returns Unavailable if the figure cannot be had, for whatever reason.
func (c *Core) CountUsage(ctx context.Context, organization domain.OrganizationID) (usage domain.Usage, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.UsageTimeout)
	defer cancel()
	err = RunInPlace(ctx, c.counting, func() error {
		return c.Store.ReadStatement(ctx, func(tx store.Tx) error {
			usage, err = UsageAt(tx, organization, c.Now())
			return err
		})
	})
	if err != nil {
		err = domain.UnavailableError("Usage data is temporarily unavailable. Please retry.", time.Second, err)
	}
	return usage, err
}

// UsageAt returns an organization's usage at a time.
func UsageAt(tx store.Tx, organization domain.OrganizationID, now time.Time) (domain.Usage, error) {
	plan, anchor, users, err := tx.UsageCounts(organization, domain.SummaryMonthsOf(now)[0].Start)
	if err != nil {
		return domain.Usage{}, err
	}
	return domain.NewUsage(plan, anchor, now, users)
}
