package domain_test

import (
	"slices"
	"testing"
	"time"

	"penstock/internal/domain"
)

func parseTime(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, domain.DateLayout} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	panic(text)
}

func TestBillingPeriodStartsOnTheAnchorsDay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ anchor, now, start, end string }{
		{"2026-01-15", "2026-10-15T00:00:00Z", "2026-10-15", "2026-11-15"},
		{"2026-01-15", "2026-10-14T23:59:59.999999Z", "2026-09-15", "2026-10-15"},
		{"2026-01-01", "2026-10-01T00:00:00Z", "2026-10-01", "2026-11-01"},
		{"2026-01-01", "2026-12-31T23:59:59Z", "2026-12-01", "2027-01-01"},
		// The year's end.
		{"2026-01-15", "2027-01-14T12:00:00Z", "2026-12-15", "2027-01-15"},
		{"2026-01-31", "2027-01-30T12:00:00Z", "2026-12-31", "2027-01-31"},
		// Months without such a day, in common and leap years.
		{"2026-01-28", "2026-02-28T00:00:00Z", "2026-02-28", "2026-03-28"},
		{"2026-01-29", "2026-02-28T00:00:00Z", "2026-02-28", "2026-03-29"},
		{"2026-01-29", "2028-02-28T00:00:00Z", "2028-01-29", "2028-02-29"},
		{"2026-01-29", "2028-02-29T00:00:00Z", "2028-02-29", "2028-03-29"},
		{"2026-01-30", "2028-02-29T00:00:00Z", "2028-02-29", "2028-03-30"},
		{"2026-01-30", "2026-03-29T23:59:59Z", "2026-02-28", "2026-03-30"},
		{"2026-01-31", "2026-04-29T23:59:59Z", "2026-03-31", "2026-04-30"},
		{"2026-01-31", "2026-04-30T00:00:00Z", "2026-04-30", "2026-05-31"},
		{"2026-01-31", "2100-02-28T00:00:00Z", "2100-02-28", "2100-03-31"}, // no leap year
		{"2026-01-31", "2000-02-29T00:00:00Z", "2000-02-29", "2000-03-31"}, // one, and before the anchor
		// A time of another zone is a time in UTC.
		{"2026-01-15", "2026-10-15T01:00:00+02:00", "2026-09-15", "2026-10-15"},
		{"2026-01-15", "2026-10-14T23:00:00-02:00", "2026-10-15", "2026-11-15"},
	} {
		got, err := domain.BillingPeriodOf(test.anchor, parseTime(test.now))
		if want := (domain.Period{Start: parseTime(test.start), End: parseTime(test.end)}); err != nil || got != want {
			t.Errorf("anchored on %s, %s is in %v, %v; want %v", test.anchor, test.now, got, err, want)
		}
	}
	for _, anchor := range []string{"", "2026-02-30", "15", "2026-1-5"} {
		if p, err := domain.BillingPeriodOf(anchor, parseTime("2026-10-15")); err == nil {
			t.Errorf("the anchor %q gives %v", anchor, p)
		}
	}
}

// startsPeriod says by the contract's words whether a billing period starts on a day.
func startsPeriod(anchorDay int, day time.Time) bool {
	lastOfMonth := day.AddDate(0, 0, 1).Day() == 1
	return day.Day() == anchorDay || lastOfMonth && day.Day() < anchorDay
}

// TestBillingPeriodsAgreeWithAWalkOverTheDays compares every day of twelve years, and every anchor, with what a walk from day to day finds.
func TestBillingPeriodsAgreeWithAWalkOverTheDays(t *testing.T) {
	t.Parallel()
	for anchorDay := 1; anchorDay <= 31; anchorDay++ {
		anchor := time.Date(2026, 1, anchorDay, 0, 0, 0, 0, time.UTC).Format(domain.DateLayout)
		start := parseTime("1995-01-01")
		for !startsPeriod(anchorDay, start) {
			start = start.AddDate(0, 0, 1)
		}
		for start.Year() < 2007 {
			end := start.AddDate(0, 0, 1)
			for !startsPeriod(anchorDay, end) {
				end = end.AddDate(0, 0, 1)
			}
			for day := start; day.Before(end); day = day.AddDate(0, 0, 1) {
				for _, moment := range []time.Time{day, day.Add(24*time.Hour - 1)} {
					if got, err := domain.BillingPeriodOf(anchor, moment); err != nil || got != (domain.Period{Start: start, End: end}) {
						t.Fatalf("anchored on day %d, %s is in %v, %v; want %s to %s", anchorDay, moment, got, err, start, end)
					}
				}
			}
			start = end
		}
	}
}

func TestSummaryMonthsAreThisAndTheSixBefore(t *testing.T) {
	t.Parallel()
	for now, want := range map[string][]string{
		"2026-10-31T23:59:59.999Z":  {"2026-04-01", "2026-05-01", "2026-06-01", "2026-07-01", "2026-08-01", "2026-09-01", "2026-10-01"},
		"2027-01-01T00:00:00Z":      {"2026-07-01", "2026-08-01", "2026-09-01", "2026-10-01", "2026-11-01", "2026-12-01", "2027-01-01"},
		"2028-02-29T12:00:00Z":      {"2027-08-01", "2027-09-01", "2027-10-01", "2027-11-01", "2027-12-01", "2028-01-01", "2028-02-01"},
		"2026-09-01T01:00:00+02:00": {"2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01", "2026-06-01", "2026-07-01", "2026-08-01"},
	} {
		var got []string
		months := domain.SummaryMonthsOf(parseTime(now))
		for i, month := range months {
			got = append(got, month.Key())
			if i > 0 && months[i-1].End != month.Start {
				t.Errorf("%s: %v does not follow %v", now, month, months[i-1])
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %s the months are %s, want %s", now, got, want)
		}
	}
}

func TestUsageIsTheMeanRoundedDown(t *testing.T) {
	t.Parallel()
	now := parseTime("2026-10-20T12:00:00Z")
	for name, test := range map[string]struct {
		plan       domain.Plan
		anchor     string
		users      map[string]int64
		want       int64
		start, end string
	}{
		"nobody":                        {domain.PlanAnnual, "2026-01-15", nil, 0, "2026-04-01", "2026-11-01"},
		"empty months count":            {domain.PlanAnnual, "2026-01-15", map[string]int64{"2026-10-01": 13}, 1, "2026-04-01", "2026-11-01"},
		"rounded down":                  {domain.PlanAnnual, "2026-01-15", map[string]int64{"2026-10-01": 7, "2026-04-01": 6}, 1, "2026-04-01", "2026-11-01"},
		"older months do not count":     {domain.PlanAnnual, "2026-01-15", map[string]int64{"2026-10-01": 7, "2026-03-01": 700}, 1, "2026-04-01", "2026-11-01"},
		"billing periods do not count":  {domain.PlanAnnual, "2026-01-15", map[string]int64{"2026-10-15": 700}, 0, "2026-04-01", "2026-11-01"},
		"the present period":            {domain.PlanMonthly, "2026-01-15", map[string]int64{"2026-10-15": 3, "2026-09-15": 50, "2026-10-01": 60}, 3, "2026-10-15", "2026-11-15"},
		"a period that began last":      {domain.PlanMonthly, "2026-01-21", map[string]int64{"2026-09-21": 4, "2026-10-21": 9}, 4, "2026-09-21", "2026-10-21"},
		"a period is a calendar month":  {domain.PlanMonthly, "2026-01-01", map[string]int64{"2026-10-01": 5}, 5, "2026-10-01", "2026-11-01"},
		"a clamped period that is this": {domain.PlanMonthly, "2026-01-31", map[string]int64{"2026-09-30": 6}, 6, "2026-09-30", "2026-10-31"},
	} {
		got, err := domain.NewUsage(test.plan, test.anchor, now, test.users)
		if err != nil || got.ActiveUsers != test.want || got.Period != (domain.Period{Start: parseTime(test.start), End: parseTime(test.end)}) {
			t.Errorf("%s: %+v, %v; want %d from %s to %s", name, got, err, test.want, test.start, test.end)
		}
		if len(got.Months) != domain.SummaryMonths || got.Months[6].Users != test.users["2026-10-01"] {
			t.Errorf("%s: the months are %+v", name, got.Months)
		}
	}
}

// TestActivityIsKeptForEveryFigure goes through the days of a leap cycle: the shortest retention never loses a day that a figure needs.
func TestActivityIsKeptForEveryFigure(t *testing.T) {
	t.Parallel()
	longest := 0
	for now := parseTime("2027-01-01").Add(24*time.Hour - 1); now.Year() < 2033; now = now.AddDate(0, 0, 1) {
		first := domain.SummaryMonthsOf(now)[0].Start
		longest = max(longest, int(now.Sub(first)/(24*time.Hour))+1)
		if kept := domain.KeptSince(domain.MinActivityRetentionDays, now); kept.After(first) || kept.Day() != 1 {
			t.Fatalf("at %s only what is since %s is kept", now, kept)
		}
	}
	if longest != domain.MinActivityRetentionDays {
		t.Errorf("a figure is made of up to %d days, not %d", longest, domain.MinActivityRetentionDays)
	}
}
