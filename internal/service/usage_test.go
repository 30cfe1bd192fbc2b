package service_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/service"
	"penstock/internal/service/core"
	"penstock/internal/store"
	"penstock/internal/testkit"
)

// counting is a service on which usage is counted, with a clock and somebody who is a member of every organization.
type counting struct {
	*operating
	clock *testkit.Clock
}

const countingToken = "token-of-who-reads-usage"

func eachCounting(t *testing.T, fn func(t *testing.T, s *counting)) {
	t.Helper()
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, newCounting(t, d, service.Options{})) })
}

func newCounting(t *testing.T, d *db.DB, o service.Options) *counting {
	t.Helper()
	clock := testkit.NewClock()
	o.Core = core.New(core.Options{DB: d, Now: clock.Now})
	return &counting{&operating{Service: service.New(o), core: o.Core, t: t, db: d, actor: authz.OperatorActor()}, clock}
}

// declare makes organizations, of which the reader is a member.
func (s *counting) declare(organizations ...string) {
	s.t.Helper()
	var text strings.Builder
	text.WriteString("users:\n  - {email: reader@example.com, name: Reader}\norganizations:\n")
	for _, o := range organizations {
		slug, more, _ := strings.Cut(o, ", ")
		if more != "" {
			more = ", " + more
		}
		fmt.Fprintf(&text, "  - {slug: %s, name: %s%s, members: [{user: reader@example.com, role: member}]}\n", slug, slug, more)
	}
	s.apply(text.String())
	for i, o := range organizations {
		organizations[i], _, _ = strings.Cut(o, ", ")
	}
	s.token(domain.APITokenInput{User: "reader@example.com", Organizations: organizations, Scopes: []string{"read_organizations"}, Value: countingToken})
}

// active declares activity: "slug user day" each; users who are not there are made.
func (s *counting) active(uses ...string) {
	s.t.Helper()
	var users, lines strings.Builder
	for _, use := range uses {
		words := strings.Fields(use)
		if !strings.Contains(users.String(), "email: "+words[1]+"@") {
			fmt.Fprintf(&users, "  - {email: %s@example.com, name: %s}\n", words[1], words[1])
		}
		fmt.Fprintf(&lines, "  - {organization: %s, user: %s@example.com, on: %s}\n", words[0], words[1], words[2])
	}
	s.apply("users:\n" + users.String() + "activity:\n" + lines.String())
}

func (s *counting) usage(slug string) domain.Usage {
	s.t.Helper()
	usage, err := s.Usage(s.t.Context(), localActor(countingToken), slug)
	if err != nil {
		s.t.Fatalf("%s: %v", slug, err)
	}
	return usage
}

// wantUsage checks the figure, and that the days of activity come to the same.
func (s *counting) wantUsage(slug string, want int64) {
	s.t.Helper()
	if got := s.usage(slug).ActiveUsers; got != want {
		s.t.Errorf("%s has %d active users, want %d", slug, got, want)
	}
	s.explain(slug, "")
}

// explain explains a figure; the present one must be the one that is served.
func (s *counting) explain(slug, month string) domain.UsageExplanation {
	s.t.Helper()
	e, err := s.ExplainUsage(s.t.Context(), s.actor, slug, month, true)
	if err != nil {
		s.t.Fatalf("%s %s: %v", slug, month, err)
	}
	if month == "" && *e.Served != e.ActiveUsers {
		s.t.Errorf("%s: the days come to %d, and %d is served", slug, e.ActiveUsers, *e.Served)
	}
	return e
}

func (s *counting) bill(slug string, patch domain.BillingPatch) {
	s.t.Helper()
	if _, err := s.UpdateBilling(s.t.Context(), s.actor, slug, patch); err != nil {
		s.t.Fatalf("%s: %v", slug, err)
	}
}

func (s *counting) setClock(day string) {
	s.t.Helper()
	at, err := time.Parse(time.RFC3339, day)
	if err != nil {
		s.t.Fatal(err)
	}
	s.clock.Advance(at.Sub(s.clock.Now()))
}

func TestARequestCountsItsOwnCaller(t *testing.T) {
	eachCounting(t, func(t *testing.T, s *counting) {
		s.declare("acme-inc")
		s.wantUsage("acme-inc", 1)
		s.wantUsage("acme-inc", 1)
	})
}

func TestMonthlyPlanCountsTheBillingPeriod(t *testing.T) {
	eachCounting(t, func(t *testing.T, s *counting) {
		s.declare("acme-inc, subscription: {plan: monthly, anchor: 2026-01-15}")
		s.active("acme-inc a 2026-05-14", "acme-inc a 2026-05-15", "acme-inc b 2026-05-15", "acme-inc b 2026-05-16", "acme-inc c 2026-06-14",
			"acme-inc d 2026-06-15", "acme-inc e 2026-04-15")
		s.setClock("2026-05-14T23:59:59Z")
		s.wantUsage("acme-inc", 1+2) // the reader, a and e: the period began on 15 April
		s.setClock("2026-05-15T00:00:00Z")
		s.wantUsage("acme-inc", 1+3)
		s.setClock("2026-06-14T23:59:59Z")
		s.wantUsage("acme-inc", 1+3)
		s.setClock("2026-06-15T00:00:00Z")
		s.wantUsage("acme-inc", 1+1)
	})
}

func TestBillingPeriodStartsOnTheLastDayWhereThereIsNoSuchDay(t *testing.T) {
	eachCounting(t, func(t *testing.T, s *counting) {
		s.declare("acme-inc, subscription: {plan: monthly, anchor: 2026-01-31}")
		s.active("acme-inc a 2027-02-27", "acme-inc b 2027-02-28", "acme-inc c 2027-03-30", "acme-inc d 2027-03-31", "acme-inc e 2028-02-28", "acme-inc f 2028-02-29")
		s.setClock("2027-03-30T12:00:00Z")
		s.wantUsage("acme-inc", 1+2) // b and c
		s.setClock("2027-03-31T00:00:00Z")
		s.wantUsage("acme-inc", 1+1)
		s.setClock("2028-02-29T12:00:00Z")
		s.wantUsage("acme-inc", 1+1)
	})
}

func TestAnnualPlanIsTheMeanOfSevenMonthsRoundedDown(t *testing.T) {
	eachCounting(t, func(t *testing.T, s *counting) {
		s.declare("acme-inc, subscription: {plan: annual}")
		var uses []string
		for i := range 12 { // the reader makes it 13 in October
			uses = append(uses, fmt.Sprintf("acme-inc user-%d 2026-10-%02d", i, i+1), fmt.Sprintf("acme-inc user-%d 2026-10-%02d", i, i+2))
		}
		for i := range 7 {
			uses = append(uses, fmt.Sprintf("acme-inc user-%d 2026-04-01", i), fmt.Sprintf("acme-inc user-%d 2026-03-31", i))
		}
		s.active(uses...)
		s.setClock("2026-10-31T12:00:00Z")
		s.wantUsage("acme-inc", 2) // (7 + 0 + 0 + 0 + 0 + 0 + 13) / 7 = 2.86
		s.active("acme-inc user-0 2026-07-01")
		s.wantUsage("acme-inc", 3)
		got := s.usage("acme-inc")
		var months []int64
		for _, m := range got.Months {
			months = append(months, m.Users)
		}
		if !slices.Equal(months, []int64{7, 0, 0, 1, 0, 0, 13}) {
			t.Errorf("the months are %v", months)
		}
		s.setClock("2026-11-01T00:00:00Z") // April no longer counts
		s.wantUsage("acme-inc", 2)         // (1 + 13 + 1) / 7
	})
}

func TestBillingParentCountsItsChildrensUsersOnce(t *testing.T) {
	eachCounting(t, func(t *testing.T, s *counting) {
		s.declare("holding-co, subscription: {plan: annual}", "first, billing_parent: holding-co, subscription: {plan: monthly, anchor: 2026-01-01}",
			"second, billing_parent: holding-co, subscription: {plan: monthly, anchor: 2026-01-01}", "other")
		s.setClock("2026-10-20T12:00:00Z")
		s.bill("holding-co", domain.BillingPatch{Plan: domain.Some("monthly"), Anchor: domain.Some("2026-01-01")})
		s.active("first a 2026-10-01", "second a 2026-10-02", "holding-co a 2026-10-03", "first b 2026-10-04", "second c 2026-10-05", "other d 2026-10-06")
		s.wantUsage("holding-co", 1+3)
		s.wantUsage("first", 1+2) // a child counts only its own
		s.wantUsage("second", 1+2)
		s.wantUsage("other", 1+1)
		s.wantUsage("holding-co", 1+3) // the reader was active in all four by now
	})
}

func TestDeletedUsersAndMembersStayCounted(t *testing.T) {
	eachCounting(t, func(t *testing.T, s *counting) {
		s.declare("acme-inc")
		s.active("acme-inc gone 2026-05-03", "acme-inc stays 2026-05-03")
		s.wantUsage("acme-inc", 3)
		s.exec(`DELETE FROM users WHERE email = 'gone@example.com'`)
		s.wantUsage("acme-inc", 3)
		people := s.explain("acme-inc", "").Parts[0].People
		if len(people) != 3 || people[0].User.Email != "" || people[0].User.ID == "" {
			t.Errorf("the people are %+v", people)
		}
		s.exec(`INSERT INTO organization_members (id, organization_id, user_id, role, created_at)
			SELECT 'm', o.id, u.id, 'admin', 0 FROM organizations o, users u WHERE u.email = 'stays@example.com'`)
		s.exec(`DELETE FROM organization_members WHERE user_id = (SELECT id FROM users WHERE email = 'stays@example.com')`)
		s.wantUsage("acme-inc", 3)
	})
}

func TestUsageFollowsChangesOfBilling(t *testing.T) {
	eachCounting(t, func(t *testing.T, s *counting) {
		s.declare("holding-co", "other-co", "child")
		s.setClock("2026-10-20T12:00:00Z")
		monthly := domain.BillingPatch{Plan: domain.Some("monthly"), Anchor: domain.Some("2026-01-10")}
		for _, slug := range []string{"holding-co", "other-co", "child"} {
			s.bill(slug, monthly)
		}
		s.active("holding-co a 2026-10-09", "holding-co b 2026-10-10", "child b 2026-10-11", "child c 2026-10-12", "other-co d 2026-10-13")
		s.wantUsage("holding-co", 1+1)
		s.wantUsage("other-co", 1+1)

		s.bill("child", domain.BillingPatch{Parent: domain.Some("holding-co")}) // gains one
		s.wantUsage("holding-co", 1+2)
		s.active("child e 2026-10-14")
		s.wantUsage("holding-co", 1+3)
		s.wantUsage("child", 1+3)

		s.bill("holding-co", domain.BillingPatch{Anchor: domain.Some("2026-01-09")}) // another period
		s.wantUsage("holding-co", 1+4)
		s.active("child f 2026-10-09")
		s.wantUsage("holding-co", 1+5)
		s.bill("holding-co", domain.BillingPatch{Anchor: domain.Some("2026-01-14")})
		s.wantUsage("holding-co", 1+1)

		s.bill("child", domain.BillingPatch{Parent: domain.Some("other-co")}) // another parent
		s.wantUsage("holding-co", 1)
		s.wantUsage("other-co", 1+4)
		s.active("child g 2026-10-15")
		s.wantUsage("other-co", 1+5)

		s.bill("child", domain.BillingPatch{Parent: domain.Null[string]()}) // loses it
		s.wantUsage("other-co", 1+1)
		s.wantUsage("child", 1+4)

		s.bill("child", domain.BillingPatch{Plan: domain.Some("annual")})
		s.wantUsage("child", 0) // six sevenths
	})
}

// naiveUsage counts from the days of activity with nothing but loops, as the interface's rules say.
func (s *counting) naiveUsage(slug string) int64 {
	s.t.Helper()
	row := strings.Fields(s.query(`SELECT plan || ' ' || billing_anchor FROM organizations WHERE slug = $1`, slug)[0])
	days := s.query(`SELECT a.day || ' ' || a.user_id FROM activity_days a JOIN organizations o ON o.id = a.organization_id
		LEFT JOIN organizations p ON p.id = o.billing_parent_id WHERE o.slug = $1 OR p.slug = $1`, slug)
	now := s.clock.Now().UTC()
	if row[0] == "annual" {
		sum := 0
		for back := range 7 {
			month := fmt.Sprintf("%04d-%02d", now.Year(), int(now.Month())-back)
			if int(now.Month())-back < 1 {
				month = fmt.Sprintf("%04d-%02d", now.Year()-1, int(now.Month())-back+12)
			}
			seen := map[string]bool{}
			for _, day := range days {
				if strings.HasPrefix(day, month) {
					seen[strings.Fields(day)[1]] = true
				}
			}
			sum += len(seen)
		}
		return int64(sum / 7)
	}
	anchor, err := time.Parse(domain.DateLayout, row[1])
	if err != nil {
		s.t.Fatal(err)
	}
	starts := func(d time.Time) bool {
		return d.Day() == anchor.Day() || d.AddDate(0, 0, 1).Day() == 1 && d.Day() < anchor.Day()
	}
	start := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	for !starts(start) {
		start = start.AddDate(0, 0, -1)
	}
	end := start.AddDate(0, 0, 1)
	for !starts(end) {
		end = end.AddDate(0, 0, 1)
	}
	seen := map[string]bool{}
	for _, day := range days {
		on, user, _ := strings.Cut(day, " ")
		if on >= start.Format(domain.DateLayout) && on < end.Format(domain.DateLayout) {
			seen[user] = true
		}
	}
	return int64(len(seen))
}

// TestUsageAgreesWithANaiveCount does what can be done at random, in any order, and compares every organization's figure with
// one that loops over the days come to.
func TestUsageAgreesWithANaiveCount(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		const seed = 20261003
		random := rand.New(rand.NewPCG(seed, 0))
		s := newCounting(t, d, service.Options{ActivityRetentionDays: domain.MinActivityRetentionDays})
		slugs := []string{"o-0", "o-1", "o-2", "o-3", "o-4"}
		s.declare(slices.Clone(slugs)...)
		some := func() string { return slugs[random.IntN(len(slugs))] }
		anchor := func() string {
			return time.Date(2026, 1, []int{1, 1 + random.IntN(31), 28 + random.IntN(4)}[random.IntN(3)], 0, 0, 0, 0, time.UTC).Format(domain.DateLayout)
		}
		refused := 0
		for step := range 60 {
			switch random.IntN(5) {
			case 0:
				s.clock.Advance(time.Duration(random.IntN(25*24)) * time.Hour)
			case 1:
				if _, err := s.PruneActivity(t.Context(), s.actor); err != nil {
					t.Fatal(err)
				}
			case 2, 3:
				patch := []domain.BillingPatch{
					{Plan: domain.Some([]string{"monthly", "annual"}[random.IntN(2)])},
					{Anchor: domain.Some(anchor())},
					{Parent: domain.Some(some())},
					{Parent: domain.Null[string](), Anchor: domain.Some(anchor()), Plan: domain.Some("monthly")},
					{Parent: domain.Some(some()), Anchor: domain.Some(anchor())},
				}[random.IntN(5)]
				if _, err := s.UpdateBilling(t.Context(), s.actor, some(), patch); domain.CodeOf(err) == domain.Invalid {
					refused++
				} else if err != nil {
					t.Fatal(err)
				}
			}
			var uses []string
			for range random.IntN(20) {
				day := s.clock.Now().AddDate(0, 0, -random.IntN(230))
				if random.IntN(2) == 0 {
					day = s.clock.Now().AddDate(0, 0, -random.IntN(35))
				}
				uses = append(uses, fmt.Sprintf("%s user-%d %s", some(), random.IntN(12), day.Format(domain.DateLayout)))
			}
			if len(uses) > 0 {
				s.active(uses...)
			}
			for _, slug := range slugs {
				if got, want := s.usage(slug).ActiveUsers, s.naiveUsage(slug); got != want {
					t.Fatalf("seed %d, step %d: %s has %d active users, and its days come to %d", seed, step, slug, got, want)
				}
			}
		}
		if refused == 0 {
			t.Error("no change of billing was refused, so that none was tried that must be")
		}
		for _, slug := range slugs {
			s.explain(slug, "")
		}
	})
}

// TestUsageStaysExactWhileBillingChanges records activity from several nodes while parents and anchors are changed.
func TestUsageStaysExactWhileBillingChanges(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		const users = 20
		s := newCounting(t, d, service.Options{})
		s.apply(manyUsers(users))
		s.organization(domain.OrganizationInput{Slug: "other"})
		var wg sync.WaitGroup
		for i := range users {
			wg.Go(func() {
				node := service.New(service.Options{Core: core.New(core.Options{DB: d, Now: s.clock.Now})})
				for _, slug := range []string{"first", "second"} {
					if _, err := node.Clusters(t.Context(), localActor(manyToken(i)), slug, onePage); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for i := range 20 {
			wg.Go(func() {
				patch := []domain.BillingPatch{
					{Parent: domain.Some("other")}, {Parent: domain.Null[string]()}, {Parent: domain.Some("parent")}, {Anchor: domain.Some(fmt.Sprintf("2026-01-%02d", 10+i))},
				}[i%4]
				if _, err := s.UpdateBilling(t.Context(), s.actor, []string{"first", "second"}[i/4%2], patch); err != nil {
					t.Error(err)
				}
				if _, err := s.UpdateBilling(t.Context(), s.actor, "parent", domain.BillingPatch{Anchor: domain.Some(fmt.Sprintf("2026-01-%02d", 10+i))}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, slug := range []string{"parent", "first", "second", "other"} {
			e, err := s.ExplainUsage(t.Context(), s.actor, slug, "", false)
			if err != nil || *e.Served != e.ActiveUsers || int64(len(e.Organizations)-1)*users > 0 && e.ActiveUsers != users {
				t.Errorf("%s: %+v, %v, and %d is served", slug, e, err, *e.Served)
			}
		}
	})
}

// stallingView replaces a table by one that cannot be read to its end, or only after longer than anybody here waits: PostgreSQL may miss that its
// client has given up, and then keeps the lock that long.
func stallingView(d *db.DB, table string) []string {
	if d.Engine() == "postgres" {
		return []string{`ALTER TABLE ` + table + ` RENAME TO elsewhere`,
			`CREATE VIEW ` + table + ` AS SELECT e.* FROM elsewhere e, (SELECT pg_sleep(5)) s`}
	}
	return []string{`ALTER TABLE ` + table + ` RENAME TO elsewhere`,
		`CREATE VIEW ` + table + ` AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
			SELECT e.* FROM elsewhere e, (SELECT max(i) AS i FROM n) s WHERE s.i > 0`}
}

// TestUsageIsUnavailableWhileItsStoreStallsOrFails does with real tables what can happen to them. The rest of the API goes on.
func TestUsageIsUnavailableWhileItsStoreStallsOrFails(t *testing.T) {
	t.Parallel()
	const limit = 300 * time.Millisecond
	for name, breakIt := range map[string]func(d *db.DB) []string{
		"stalls": func(d *db.DB) []string { return stallingView(d, "usage_counts") },
		"fails":  func(*db.DB) []string { return []string{`ALTER TABLE usage_counts RENAME TO elsewhere`} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
				s := testkit.NewServer(t, d, testkit.ServerOptions{Core: func(o *core.Options) { o.UsageTimeout = limit }})
				usageUnavailable(t, s, limit, func(fn func()) {
					for _, sql := range breakIt(d) {
						schema(t, d, sql)
					}
					fn()
					if name == "stalls" {
						schema(t, d, `DROP VIEW usage_counts`)
					}
					schema(t, d, `ALTER TABLE elsewhere RENAME TO usage_counts`)
				})
			})
		})
	}
	t.Run("locked/postgres", func(t *testing.T) {
		t.Parallel()
		d := testkit.OpenDB(t, "postgres")
		s := testkit.NewServer(t, d, testkit.ServerOptions{Core: func(o *core.Options) { o.UsageTimeout = limit }})
		usageUnavailable(t, s, limit, func(fn func()) { whileLocked(t, d, "usage_counts", fn) })
	})
}

func schema(t *testing.T, d *db.DB, sql string) {
	t.Helper()
	if err := d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(sql)
		return err
	}); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// usageUnavailable checks that usage is answered with 503 in time while it is broken, that other requests go on, and that the
// figure is right before and after.
func usageUnavailable(t *testing.T, s *testkit.Server, limit time.Duration, whileBroken func(func())) {
	t.Helper()
	const usage, cluster = "/v2/organizations/acme-inc/usage", "/v2/organizations/acme-inc/clusters/" + testkit.MaintainedID
	figure := func() {
		t.Helper()
		if got := s.Get(testkit.AdminToken, usage).Want(t, 200).Object(); len(got) != 1 || got["active_users_count"] != 1.0 {
			t.Errorf("the answer is %v", got)
		}
	}
	figure()
	whileBroken(func() {
		var asking sync.WaitGroup
		for range 12 { // more than there are readers
			asking.Go(func() {
				start := time.Now()
				answer := s.Get(testkit.AdminToken, usage).WantMessage(t, 503, "Usage data is temporarily unavailable. Please retry.")
				if answer.Header.Get("Retry-After") == "" || answer.Object()["active_users_count"] != nil {
					t.Errorf("the answer is %s, %v", answer, answer.Header)
				}
				if took := time.Since(start); took > 20*limit {
					t.Errorf("it took %s", took)
				}
			})
		}
		for range 20 {
			s.Get(testkit.AdminToken, cluster).Want(t, 200)
			s.Patch(testkit.AdminToken, cluster, `{"description": "Changed"}`).Want(t, 200)
		}
		asking.Wait()
	})
	figure()
}

func TestExplainUsage(t *testing.T) {
	eachCounting(t, func(t *testing.T, s *counting) {
		s.declare("holding-co, subscription: {plan: annual}", "child, billing_parent: holding-co, subscription: {plan: monthly, anchor: 2026-01-15}")
		s.active("holding-co b 2026-05-02", "holding-co a 2026-05-01", "child a 2026-05-01", "child a 2026-05-02", "child c 2026-04-14", "child c 2026-04-15", "holding-co d 2025-10-31")
		s.exec(`DELETE FROM users WHERE email = 'c@example.com'`)
		e := s.explain("holding-co", "")
		if !slices.Equal(e.Organizations, []string{"holding-co", "child"}) || e.Period.Key() != "2025-11-01" || e.Period.LastDay() != "2026-05-31" ||
			len(e.Parts) != 7 || e.Sum != 3 || e.ActiveUsers != 0 {
			t.Errorf("the explanation is %+v", e)
		}
		may := e.Parts[6]
		if may.Users != 2 || fmt.Sprint(may.Sources) != "[{holding-co 2} {child 1}]" || len(may.People) != 2 ||
			may.People[0].User.Email != "a@example.com" || !slices.Equal(may.People[0].Organizations, []string{"child", "holding-co"}) {
			t.Errorf("May is %+v", may)
		}
		if april := e.Parts[5]; april.Users != 1 || april.People[0].User.Email != "" || april.People[0].User.ID == "" {
			t.Errorf("April is %+v", april)
		}
		if e = s.explain("holding-co", "2025-10"); e.Period.LastDay() != "2025-10-31" || e.Sum != 1 || e.Served != nil {
			t.Errorf("October is %+v", e)
		}
		// A child's own plan, and the billing period that begins in the month.
		if e = s.explain("child", ""); e.Period.Key() != "2026-04-15" || e.ActiveUsers != 2 {
			t.Errorf("the child is %+v", e)
		}
		if e = s.explain("child", "2026-03"); e.Period.Key() != "2026-03-15" || e.ActiveUsers != 1 {
			t.Errorf("the child in March is %+v", e)
		}
		if e, err := s.ExplainUsage(t.Context(), s.actor, "child", "", false); err != nil || e.Parts[0].People != nil {
			t.Errorf("people are named: %+v, %v", e, err)
		}
		for month, message := range map[string]string{
			"2026-13": "Validation failed: Month must be one such as 2026-10", "May": "Validation failed: Month must be one such as 2026-10",
			"2026-06": "Validation failed: Month must not be in the future",
		} {
			_, err := s.ExplainUsage(t.Context(), s.actor, "child", month, false)
			refused(t, month, err, domain.Invalid, message)
		}
		_, err := s.ExplainUsage(t.Context(), s.actor, "nowhere", "", false)
		refused(t, "nowhere", err, domain.NotFound, "No organization found")
	})
}

func TestPruningChangesNoFigure(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newCounting(t, d, service.Options{ActivityRetentionDays: domain.MinActivityRetentionDays})
		s.declare("holding-co, subscription: {plan: annual}", "child, billing_parent: holding-co, subscription: {plan: monthly, anchor: 2026-01-31}")
		s.setClock("2026-10-31T12:00:00Z")
		var uses []string
		for day := s.clock.Now().AddDate(-1, 0, 0); !day.After(s.clock.Now()); day = day.AddDate(0, 0, 1) {
			uses = append(uses, fmt.Sprintf("child user-%d %s", day.YearDay()%40, day.Format(domain.DateLayout)), fmt.Sprintf("holding-co user-%d %s", day.YearDay()%50, day.Format(domain.DateLayout)))
		}
		s.active(uses...)
		figures := func() string { return fmt.Sprint(s.usage("holding-co"), s.usage("child")) }
		before := figures()
		deleted, err := s.PruneActivity(t.Context(), s.actor)
		if err != nil || deleted == 0 {
			t.Fatalf("%d rows were deleted: %v", deleted, err)
		}
		if after := figures(); after != before {
			t.Errorf("usage was %s, and is %s", before, after)
		}
		s.expect("2026-03-01", `SELECT min(day) FROM activity_days`) // 215 days before is 30 March
		s.expect("2026-04-01", `SELECT min(period) FROM usage_users`)
		s.explain("holding-co", "")
		s.explain("child", "2026-03")
		// What changes later is counted from what is left.
		s.bill("child", domain.BillingPatch{Parent: domain.Null[string]()})
		s.bill("child", domain.BillingPatch{Parent: domain.Some("holding-co")})
		if after := figures(); after != before {
			t.Errorf("usage was %s, and is %s", before, after)
		}
		_, err = s.ExplainUsage(t.Context(), s.actor, "child", "2026-02", false)
		refused(t, "a pruned month", err, domain.Invalid, "Validation failed: The activity before 2026-03-01 was pruned, and 2026-02 needs that since 2026-02-28")
		if deleted, err := s.PruneActivity(t.Context(), s.actor); err != nil || deleted != 0 {
			t.Errorf("%d rows were deleted again: %v", deleted, err)
		}
	})
}

func TestActivityIsPrunedInBatches(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newCounting(t, d, service.Options{ActivityRetentionDays: domain.MinActivityRetentionDays})
		s.declare("acme-inc")
		s.setClock("2026-10-31T12:00:00Z")
		const days = 3 // each of more users than a batch has rows
		for day := range days {
			s.exec(`INSERT INTO activity_days (organization_id, day, user_id) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
				SELECT o.id, $1, 'u-' || n.i FROM organizations o, n`, fmt.Sprintf("2020-01-0%d", day+1))
		}
		s.exec(`INSERT INTO usage_users (organization_id, period, user_id) SELECT organization_id, '2020-01-01', user_id FROM activity_days WHERE day = '2020-01-01'`)
		s.exec(`INSERT INTO usage_counts (organization_id, period, users) SELECT id, '2020-01-01', 1200 FROM organizations`)
		organization := domain.OrganizationID(s.query(`SELECT id FROM organizations`)[0])
		var batch int64
		err := store.New(d).Write(t.Context(), func(tx store.Tx) (err error) {
			batch, err = tx.PruneActivity(organization, "2026-01-01", "2026-01-01", 1000)
			return err
		})
		if err != nil || batch != 1000 {
			t.Fatalf("a batch had %d rows: %v", batch, err)
		}
		if deleted, err := s.PruneActivity(t.Context(), s.actor); err != nil || deleted != (days+1)*1200+1-batch {
			t.Errorf("%d rows were deleted: %v", deleted, err)
		}
		s.expect("0 0 0", `SELECT (SELECT count(*) FROM activity_days) || ' ' || (SELECT count(*) FROM usage_users) || ' ' || (SELECT count(*) FROM usage_counts)`)
	})
}

func TestActivityIsKeptForEverUnlessToldOtherwise(t *testing.T) {
	eachCounting(t, func(t *testing.T, s *counting) {
		s.declare("acme-inc")
		s.active("acme-inc a 1999-12-31", "acme-inc a 2026-05-01")
		if _, err := s.PruneActivity(t.Context(), s.actor); err != nil {
			t.Fatal(err)
		}
		s.expect("1999-12-31\n2026-05-01", `SELECT day FROM activity_days ORDER BY day`)
		if e := s.explain("acme-inc", "1999-12"); e.ActiveUsers != 1 {
			t.Errorf("the explanation is %+v", e)
		}
	})
}
