package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// UsageCounts returns how an organization is billed, and how many users were active in each period since a day, by the period's
// key: one statement, so that both are of one moment.
func (tx Tx) UsageCounts(organization domain.OrganizationID, since time.Time) (plan domain.Plan, anchor string, users map[string]int64, err error) {
	users = map[string]int64{}
	err = tx.Query(`SELECT o.plan, o.billing_anchor, c.period, c.users FROM organizations o
		LEFT JOIN usage_counts c ON c.organization_id = o.id AND c.period >= $2 WHERE o.id = $1`, func(r *db.Row) error {
		plan, anchor = domain.Plan(r.Text()), r.Text()
		period := r.Text()
		users[period] = r.Int()
		return nil
	}, organization, since.Format(domain.DateLayout))
	return plan, anchor, users, err
}

// CountUsage counts an organization's users anew, from the days on which they were active: those of the calendar months and of
// the billing period that a figure can be made of at this moment. What is counted up meanwhile must be locked out.
func (tx Tx) CountUsage(organization domain.OrganizationID, anchor string, now time.Time) error {
	periods := domain.SummaryMonthsOf(now)
	for _, at := range []time.Time{now, now.AddDate(0, 0, 1)} { // to another node it may be tomorrow already
		of, err := domain.PeriodsOf(anchor, at)
		if err != nil {
			return err
		}
		periods = append(periods, of...)
	}
	for _, table := range []string{"usage_users", "usage_counts"} {
		if err := tx.exec(`DELETE FROM `+table+` WHERE organization_id = $1`, organization); err != nil {
			return err
		}
	}
	counted := map[domain.Period]bool{}
	for _, p := range periods {
		if counted[p] {
			continue
		}
		counted[p] = true
		n, err := tx.Exec(`INSERT INTO usage_users (organization_id, period, user_id) SELECT DISTINCT CAST($1 AS TEXT), CAST($2 AS TEXT), user_id FROM activity_days
			WHERE organization_id IN (SELECT id FROM organizations WHERE id = $1 OR billing_parent_id = $1) AND day >= $2 AND day < $3
			ORDER BY user_id`, // so that SQLite adds the rows one after the other
			organization, p.Key(), p.End.Format(domain.DateLayout))
		if err != nil {
			return err
		}
		if err := tx.exec(`INSERT INTO usage_counts (organization_id, period, users) VALUES ($1, $2, $3)`, organization, p.Key(), n); err != nil {
			return err
		}
	}
	return nil
}

// LockBilling keeps others from changing how organizations are billed until the transaction ends.
func (tx Tx) LockBilling() error {
	return tx.exec(`INSERT INTO usage_state (id, kept_since) VALUES (1, '') ON CONFLICT (id) DO UPDATE SET id = usage_state.id`)
}

// UpdateBilling stores an organization's changed plan, anchor and billing parent.
func (tx Tx) UpdateBilling(o domain.Organization) error {
	return tx.exec(`UPDATE organizations SET plan = $2, billing_anchor = $3, billing_parent_id = $4 WHERE id = $1`,
		o.ID, o.Plan, o.BillingAnchor, o.BillingParentID)
}

// ActivityKeptSince returns the first day of which activity is kept, in DateLayout; "" if all is.
func (tx Tx) ActivityKeptSince() (string, error) {
	day, _, err := one(tx, (*db.Row).Text, `SELECT kept_since FROM usage_state`)
	return day, err
}

// KeepActivitySince stores since when days of activity are kept. It never goes back: what was deleted is gone.
func (tx Tx) KeepActivitySince(day string) error {
	return tx.exec(`INSERT INTO usage_state (id, kept_since) VALUES (1, $1)
		ON CONFLICT (id) DO UPDATE SET kept_since = excluded.kept_since WHERE usage_state.kept_since < excluded.kept_since`, day)
}

// OrganizationsToPrune returns the organizations that PruneActivity has something to do for.
func (tx Tx) OrganizationsToPrune(days, periods string) ([]domain.OrganizationID, error) {
	return all(tx, func(r *db.Row) domain.OrganizationID { return domain.OrganizationID(r.Text()) }, `SELECT o.id FROM organizations o
		WHERE EXISTS (SELECT 1 FROM activity_days a WHERE a.organization_id = o.id AND a.day < $1)
			OR EXISTS (SELECT 1 FROM usage_users u WHERE u.organization_id = o.id AND u.period < $2)
			OR EXISTS (SELECT 1 FROM usage_counts c WHERE c.organization_id = o.id AND c.period < $2)`, days, periods)
}

// PruneActivity deletes, of what an organization has, the oldest day of activity before one day, and the oldest period that began
// before another. It returns how many rows that were: 0 means that nothing is left to delete.
func (tx Tx) PruneActivity(organization domain.OrganizationID, day, period string) (deleted int64, err error) {
	for _, s := range []struct{ table, column, before string }{
		{"activity_days", "day", day},
		{"usage_users", "period", period},
		{"usage_counts", "period", period},
	} {
		n, err := tx.Exec(`DELETE FROM `+s.table+` WHERE organization_id = $1 AND `+s.column+` =
			(SELECT min(`+s.column+`) FROM `+s.table+` WHERE organization_id = $1 AND `+s.column+` < $2)`, organization, s.before)
		if err != nil {
			return deleted, err
		}
		deleted += n
	}
	return deleted, nil
}
