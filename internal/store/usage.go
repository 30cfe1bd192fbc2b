package store

import (
	"slices"
	"strings"
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// UsageCounts returns how an organization is billed, and how many users were active in each period since a day, by the
// period's key: one statement, so that both are of one moment.
func (tx Tx) UsageCounts(organization domain.OrganizationID, since time.Time) (
	plan domain.Plan, anchor string, users map[string]int64, err error) {
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

// CountUsage recounts an organization's users: those of the calendar months and of the billing periods that a figure
// can be made of at this moment. What is counted up meanwhile must be locked out, here and in CountBillingPeriods and
// AddUsage.
func (tx Tx) CountUsage(organization domain.OrganizationID, now time.Time) error {
	return tx.countAgain(organization, now, true)
}

// CountBillingPeriods recounts an organization's users after its anchor has changed. Its calendar months stay as
// they are.
func (tx Tx) CountBillingPeriods(organization domain.OrganizationID, now time.Time) error {
	return tx.countAgain(organization, now, false)
}

// AddUsage counts the users of an organization in the one that it is billed with from now on.
func (tx Tx) AddUsage(parent, child domain.OrganizationID, now time.Time) error {
	billed, err := tx.BilledTogether(parent)
	if err != nil {
		return err
	}
	periods, err := countedPeriods(billed[0].BillingAnchor, now)
	if err != nil {
		return err
	}
	for _, p := range periods {
		if err := tx.countFrom(child, parent, p); err != nil {
			return err
		}
	}
	return nil
}

func (tx Tx) countAgain(organization domain.OrganizationID, now time.Time, monthsToo bool) error {
	billed, err := tx.BilledTogether(organization)
	if err != nil {
		return err
	}
	periods, err := countedPeriods(billed[0].BillingAnchor, now)
	if err != nil {
		return err
	}
	forgotten := `TRUE`
	if !monthsToo {
		forgotten = `period NOT LIKE '%-01'`
	}
	for _, table := range []string{"usage_users", "usage_counts"} {
		if err := tx.exec(`DELETE FROM `+table+` WHERE organization_id = $1 AND `+forgotten, organization); err != nil {
			return err
		}
	}
	for _, p := range periods {
		if isMonth(p) && !monthsToo {
			continue
		}
		for _, b := range billed {
			if err := tx.countFrom(b.ID, organization, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// countedPeriods returns the periods that a figure can be made of at this moment.
func countedPeriods(anchor string, now time.Time) ([]domain.Period, error) {
	periods := domain.SummaryMonthsOf(now)
	for _, at := range []time.Time{now, now.AddDate(0, 0, 1)} { // to another node it may be tomorrow already
		of, err := domain.PeriodsOf(anchor, at)
		if err != nil {
			return nil, err
		}
		for _, p := range of {
			if !slices.Contains(periods, p) {
				periods = append(periods, p)
			}
		}
	}
	return periods, nil
}

// countFrom counts those users in a period of an organization who were active in one that it is billed with, or in
// itself, unless they are counted already.
func (tx Tx) countFrom(source, organization domain.OrganizationID, p domain.Period) error {
	// What is counted of a child's months is its own, and far fewer rows than their days have.
	active := `SELECT user_id FROM usage_users WHERE organization_id = $3 AND period = $2`
	args := []any{organization, p.Key(), source}
	if source == organization || !isMonth(p) {
		active = `SELECT DISTINCT user_id FROM activity_days WHERE organization_id = $3 AND day >= $2 AND day < $4`
		args = append(args, p.End.Format(domain.DateLayout))
	}
	// in order, so that SQLite adds the rows one after the other
	n, err := tx.Exec(`INSERT INTO usage_users (organization_id, period, user_id)
		SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), user_id FROM (`+active+`) a
		WHERE TRUE ORDER BY user_id ON CONFLICT DO NOTHING`, args...)
	if err != nil {
		return err
	}
	return tx.exec(`INSERT INTO usage_counts (organization_id, period, users) VALUES ($1, $2, $3)
		ON CONFLICT (organization_id, period) DO UPDATE
		SET users = usage_counts.users + excluded.users`, organization, p.Key(), n)
}

func isMonth(p domain.Period) bool { return p.Start.Day() == 1 }

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

// SetActivityStart stores since when days of activity are kept. It never goes back: what was deleted is gone.
func (tx Tx) SetActivityStart(day string) error {
	return tx.exec(`INSERT INTO usage_state (id, kept_since) VALUES (1, $1)
		ON CONFLICT (id) DO UPDATE SET kept_since = excluded.kept_since
		WHERE usage_state.kept_since < excluded.kept_since`, day)
}

// OrganizationsToPrune returns the organizations that PruneActivity has something to do for.
func (tx Tx) OrganizationsToPrune(days, periods string) ([]domain.OrganizationID, error) {
	return all(tx, func(r *db.Row) domain.OrganizationID { return domain.OrganizationID(r.Text()) }, `SELECT o.id
		FROM organizations o
		WHERE EXISTS (SELECT 1 FROM activity_days a WHERE a.organization_id = o.id AND a.day < $1)
			OR EXISTS (SELECT 1 FROM usage_users u WHERE u.organization_id = o.id AND u.period < $2)
			OR EXISTS (SELECT 1 FROM usage_counts c WHERE c.organization_id = o.id AND c.period < $2)`, days, periods)
}

// PruneActivity deletes, of what an organization has, days of activity before one day and periods that began before
// another, at most as many rows as limit allows. It returns how many rows that were: less than limit means that nothing
// is left to delete.
func (tx Tx) PruneActivity(organization domain.OrganizationID, day, period string, limit int64) (
	deleted int64, err error) {
	for _, s := range []struct{ table, key, before string }{
		{"activity_days", "day, user_id", day},
		{"usage_users", "period, user_id", period},
		{"usage_counts", "period", period},
	} {
		first, _, _ := strings.Cut(s.key, ",")
		n, err := tx.Exec(`DELETE FROM `+s.table+` WHERE (organization_id,
			`+s.key+`) IN (SELECT organization_id, `+s.key+` FROM `+s.table+`
			WHERE organization_id = $1 AND `+first+` < $2 ORDER BY `+s.key+` LIMIT $3)`, organization, s.before, limit-deleted)
		deleted += n
		if err != nil || deleted >= limit {
			return deleted, err
		}
	}
	return deleted, nil
}
