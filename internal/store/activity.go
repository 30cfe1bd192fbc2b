package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// InsertActivity records that a user used an organization on a (UTC) day, counts them in the organization's periods and
// in those of its billing parent, and reports whether that is new.
func (tx Tx) InsertActivity(organization domain.OrganizationID, user domain.UserID, day time.Time) (bool, error) {
	n, err := tx.Exec(
		`INSERT INTO activity_days (organization_id, day, user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
		organization, day.UTC().Format(domain.DateLayout), user)
	if err != nil || n == 0 {
		return false, err
	}
	// Only now, with the lock, is it certain what the organization counts in.
	if err := tx.LockUsage(organization); err != nil {
		return false, err
	}
	countedIn, err := selectAll(tx, billedOrganization.read, `SELECT `+billedOrganization.columns+` FROM organizations o
		WHERE o.id = $1 OR o.id = (SELECT billing_parent_id FROM organizations WHERE id = $1)
		ORDER BY CASE WHEN o.id = $1 THEN 0 ELSE 1 END`, organization) // a parent last, for all in the same order
	if err != nil {
		return false, err
	}
	for _, o := range countedIn {
		periods, err := domain.PeriodsOf(o.BillingAnchor, day)
		if err != nil {
			return false, err
		}
		for _, p := range periods {
			if err := tx.countUser(o.ID, p, user); err != nil {
				return false, err
			}
		}
	}
	return true, tx.exec(`UPDATE organization_members SET last_seen_on = $3
		WHERE organization_id = $1 AND user_id = $2
		AND COALESCE(last_seen_on, '') < $3`, organization, user, day.UTC().Format(domain.DateLayout))
}

// countUser counts a user in a period, unless they are counted in it already.
func (tx Tx) countUser(organization domain.OrganizationID, p domain.Period, user domain.UserID) error {
	n, err := tx.Exec(
		`INSERT INTO usage_users (organization_id, period, user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, organization,
		p.Key(), user)
	if err != nil || n == 0 {
		return err
	}
	return tx.exec(`INSERT INTO usage_counts (organization_id, period, users) VALUES ($1, $2, 1)
		ON CONFLICT (organization_id, period) DO UPDATE SET users = usage_counts.users + 1`, organization, p.Key())
}

// EachActiveUser calls fn with every user who was active in one of the organizations during a period, once for each
// organization, users in order. A user who was deleted has an id only.
func (tx Tx) EachActiveUser(organizations []BilledOrganization, p domain.Period, fn func(domain.OrganizationID,
	domain.User) error) error {
	args := []any{p.Key(), p.End.Format(domain.DateLayout)}
	for _, o := range organizations {
		args = append(args, o.ID)
	}
	return tx.Query(`SELECT a.organization_id, a.user_id, u.name, u.email
		FROM (SELECT DISTINCT user_id, organization_id FROM activity_days
			WHERE organization_id IN (`+db.InList(3, len(organizations))+`) AND day >= $1 AND day < $2) a
		LEFT JOIN users u ON u.id = a.user_id ORDER BY a.user_id`, func(r *db.Row) error {
		return fn(domain.OrganizationID(r.Text()), domain.User{ID: domain.UserID(r.Text()), Name: r.Text(), Email: r.Text()})
	}, args...)
}
