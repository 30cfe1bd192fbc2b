package main

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"penstock/internal/authz"
	"penstock/internal/bench/load"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

const usageChildren = 20

// measureUsage measures a billing parent with children whose users were active on about a quarter of the days of seven months.
func measureUsage(ctx context.Context, engine string, users int) error {
	d, cleanup, err := open(ctx, engine)
	if err != nil || d == nil {
		return err
	}
	defer cleanup()
	svc := service.New(service.Options{Core: core.New(core.Options{DB: d})})
	if err := setUp(ctx, svc); err != nil {
		return err
	}
	if err := measureRecording(ctx, d, svc); err != nil {
		return err
	}
	days, err := seedUsage(ctx, d, svc, users)
	if err != nil {
		return err
	}
	operator := authz.OperatorActor()
	recount := func(patch domain.BillingPatch) (time.Duration, error) {
		start := time.Now()
		_, err := svc.UpdateBilling(ctx, operator, "child-0", patch)
		return time.Since(start), err
	}
	detached, err := recount(domain.BillingPatch{Parent: domain.Null[string]()})
	if err != nil {
		return err
	}
	attached, err := recount(domain.BillingPatch{Parent: domain.Some("acme-inc")})
	if err != nil {
		return err
	}

	actor := authz.TokenActor(authz.REST, token, netip.IPv6Loopback())
	usage, err := svc.Usage(ctx, actor, "acme-inc")
	if err != nil {
		return err
	}
	var figures, naives []time.Duration
	for range (*rounds + 1) / 2 {
		start := time.Now()
		months, err := naiveUsage(ctx, d)
		if err != nil {
			return err
		}
		naives = append(naives, time.Since(start))
		for _, month := range usage.Months {
			if months[month.Key()[:7]] != month.Users {
				return fmt.Errorf("%s has %d users, and a naive count %d", month.Key(), month.Users, months[month.Key()[:7]])
			}
		}
		for range 300 {
			start := time.Now()
			if _, err := svc.Usage(ctx, actor, "acme-inc"); err != nil {
				return err
			}
			figures = append(figures, time.Since(start))
		}
	}
	slices.Sort(figures)
	slices.Sort(naives)
	figure, naive := figures[len(figures)/2], naives[len(naives)/2]
	fmt.Printf("%-9s %9d  usage: %d days of activity; naive count %s, figure %s with its permission (p99 %s): %.0f times faster; a child leaves in %s, joins in %s\n",
		engine, users, days, naive.Round(time.Millisecond), figure.Round(time.Microsecond), figures[len(figures)*99/100].Round(time.Microsecond),
		float64(naive)/float64(figure), detached.Round(time.Millisecond), attached.Round(time.Millisecond))
	return nil
}

// measureRecording compares requests of a user who is active already with those to a server that records nothing.
func measureRecording(ctx context.Context, d *db.DB, svc *service.Service) error {
	ids, err := seed(ctx, d, 1)
	if err != nil {
		return err
	}
	l := load.Load{
		Connections: *connections, Duration: *duration, Status: 200,
		Request: func(int64) string { return wire(http.MethodGet, "/v2/organizations/acme-inc/clusters/"+ids[0], "") },
	}
	var addresses [2]string
	for i, s := range []*service.Service{service.New(service.Options{Core: core.New(core.Options{DB: d, UnrecordedActivity: true})}), svc} {
		address, stop, err := load.Serve(newAPI(s))
		if err != nil {
			return err
		}
		defer stop()
		addresses[i] = address
	}
	if _, err := l.InTurns(1, addresses[:]...); err != nil { // to warm up
		return err
	}
	results, err := l.InTurns(2**rounds, addresses[:]...)
	if err != nil {
		return err
	}
	comparison{db: d, size: 1}.report("get, recording off/on", 0, results[0], results[1])
	return nil
}

// seedUsage makes the children and the activity, and has the parent's users counted. It returns how many days of activity there are.
func seedUsage(ctx context.Context, d *db.DB, svc *service.Service, users int) (days int64, err error) {
	operator := authz.OperatorActor()
	slugs := []string{"acme-inc"}
	for i := range usageChildren {
		slugs = append(slugs, fmt.Sprintf("child-%d", i))
		in := domain.OrganizationInput{Slug: slugs[i+1], Name: "Child", BillingParent: "acme-inc"}
		if _, err := svc.CreateOrganization(ctx, operator, in); err != nil {
			return 0, err
		}
	}
	// Each organization has its own users; every tenth day those of the next are active in it too.
	const active = `INSERT INTO activity_days (organization_id, day, user_id)
		SELECT o.id, CAST($2 AS TEXT), '0190a000-0000-7000-8000-' || substr('000000000000' || CAST(n.i AS TEXT), length(CAST(n.i AS TEXT)) + 1)
		FROM organizations o, (WITH RECURSIVE n(i) AS (SELECT CAST($3 AS BIGINT) UNION ALL SELECT i + $4 FROM n WHERE i + $4 < $5) SELECT i FROM n) n
		WHERE o.slug = $1 AND (n.i / $4 * 7919 + $6 * 104729) % 100 < 24`
	now := time.Now()
	first := domain.SummaryMonthsOf(now)[0].Start
	for k, slug := range slugs {
		err := d.Write(ctx, func(tx *db.Tx) error {
			for n, day := 0, first; !day.After(now); n, day = n+1, day.AddDate(0, 0, 1) {
				of := k
				if n%10 == 0 {
					of = (k + 1) % len(slugs)
				}
				added, err := tx.Exec(active, slug, day.Format(domain.DateLayout), of, len(slugs), users, n)
				if err != nil {
					return err
				}
				days += added
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	if err := analyze(ctx, d); err != nil {
		return 0, err
	}
	slices.Reverse(slugs) // a parent is counted from what its children have
	for _, slug := range slugs {
		if err := countUsage(ctx, d, slug); err != nil {
			return 0, err
		}
	}
	_, err = svc.UpdateBilling(ctx, operator, "acme-inc", domain.BillingPatch{Plan: domain.Some("annual"), Anchor: domain.Some("2026-01-15")})
	return days, err
}

// countUsage counts the users of an organization whose activity was not recorded by requests.
func countUsage(ctx context.Context, d *db.DB, slug string) error {
	return store.New(d).Write(ctx, func(tx store.Tx) error {
		if err := allowTime(tx.Tx, d); err != nil {
			return err
		}
		o, _, err := tx.OrganizationBySlug(slug)
		if err != nil {
			return err
		}
		return tx.CountUsage(o.ID, time.Now())
	})
}

// allowTime lets the statements of a transaction take as long as they need.
func allowTime(tx *db.Tx, d *db.DB) error {
	if d.Engine() != "postgres" {
		return nil
	}
	_, err := tx.Exec(`SET LOCAL statement_timeout = 0`)
	return err
}

// naiveUsage counts the distinct users of each month, as text such as 2026-10, from the days.
func naiveUsage(ctx context.Context, d *db.DB) (months map[string]int64, err error) {
	months = map[string]int64{}
	err = d.Write(ctx, func(tx *db.Tx) error {
		if err := allowTime(tx, d); err != nil {
			return err
		}
		return tx.Query(`SELECT substr(day, 1, 7), count(DISTINCT user_id) FROM activity_days
			WHERE organization_id IN (SELECT c.id FROM organizations c JOIN organizations p ON p.id = c.id OR p.id = c.billing_parent_id WHERE p.slug = 'acme-inc')
				AND day >= $1 GROUP BY substr(day, 1, 7)`, func(r *db.Row) error {
			month := r.Text()
			months[month] = r.Int()
			return nil
		}, domain.SummaryMonthsOf(time.Now())[0].Key())
	})
	return months, err
}
