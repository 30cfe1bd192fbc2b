package domain

import (
	"fmt"
	"time"
)

// SummaryMonths is how many calendar months, the present one among them, an annual plan's figure is the mean of.
const SummaryMonths = 7

// MinActivityRetentionDays is the shortest time for which days of activity can be kept: the months that a figure is
// made of, at their longest.
const MinActivityRetentionDays = 215

// Period is a number of whole (UTC) days that usage is counted over.
type Period struct {
	Start time.Time // midnight of its first day
	End   time.Time // midnight of the first day after it
}

// Key is the period's first day, in DateLayout. It names the period: one that starts on the first of a month is that
// calendar month for every anchor, and no two billing periods of an anchor share a month.
func (p Period) Key() string { return p.Start.Format(DateLayout) }

// LastDay is the period's last day, in DateLayout.
func (p Period) LastDay() string { return p.End.AddDate(0, 0, -1).Format(DateLayout) }

// MonthOf returns the calendar month that a time is in.
func MonthOf(t time.Time) Period {
	year, month, _ := t.UTC().Date()
	return Period{midnight(year, month, 1), midnight(year, month+1, 1)}
}

// BillingPeriodOf returns the period that a time is in, of those that start on the anchor's day of each month, or on
// the month's last day where it has no such day. The anchor is a date in DateLayout.
func BillingPeriodOf(anchor string, t time.Time) (Period, error) {
	first, err := time.Parse(DateLayout, anchor)
	if err != nil {
		return Period{}, fmt.Errorf("the billing anchor %q is not a date", anchor)
	}
	year, month, _ := t.UTC().Date()
	start := dayOfMonth(year, month, first.Day())
	if t.Before(start) {
		month--
		start = dayOfMonth(year, month, first.Day())
	}
	return Period{start, dayOfMonth(year, month+1, first.Day())}, nil
}

// dayOfMonth returns a day of a month, or the month's last day if it has fewer.
func dayOfMonth(year int, month time.Month, day int) time.Time {
	return midnight(year, month, min(day, midnight(year, month+1, 0).Day()))
}

func midnight(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// SummaryMonthsOf returns the calendar month that a time is in and those before it that count with it, the oldest
// first.
func SummaryMonthsOf(t time.Time) []Period {
	months := make([]Period, SummaryMonths)
	for i := range months {
		months[i] = MonthOf(MonthOf(t).Start.AddDate(0, i+1-SummaryMonths, 0))
	}
	return months
}

// PeriodsOf returns the periods that activity at a time counts in, each once: the calendar month, and the billing
// period.
func PeriodsOf(anchor string, t time.Time) ([]Period, error) {
	month := MonthOf(t)
	billing, err := BillingPeriodOf(anchor, t)
	if err != nil || billing == month {
		return []Period{month}, err
	}
	return []Period{month, billing}, nil
}

// UsagePeriodsOf returns the periods whose users a plan's figure at a time is the mean of, the oldest first.
func UsagePeriodsOf(plan Plan, anchor string, t time.Time) ([]Period, error) {
	if plan == PlanAnnual {
		return SummaryMonthsOf(t), nil
	}
	period, err := BillingPeriodOf(anchor, t)
	return []Period{period}, err
}

// KeptSince returns the first day that is kept by a retention of that many days: of whole months, so that none is kept
// in part.
func KeptSince(retentionDays int, now time.Time) time.Time {
	return MonthOf(now.UTC().AddDate(0, 0, -retentionDays)).Start
}

// Usage is how many users an organization is billed for, and what that figure is made of.
type Usage struct {
	ActiveUsers int64 // the figure
	Plan        Plan
	Period      Period // that the figure is about
	// the present calendar month and those before it, the oldest first, also those without activity
	Months []UsageMonth
}

// UsageMonth is how many users were active in a calendar month.
type UsageMonth struct {
	Period
	Users int64
}

// NewUsage returns the usage at a time, given how many users were active in each period, by the period's key.
func NewUsage(plan Plan, anchor string, now time.Time, users map[string]int64) (Usage, error) {
	periods, err := UsagePeriodsOf(plan, anchor, now)
	if err != nil {
		return Usage{}, err
	}
	usage := Usage{Plan: plan, Period: Period{periods[0].Start, periods[len(periods)-1].End}}
	counts := make([]int64, len(periods))
	for i, p := range periods {
		counts[i] = users[p.Key()]
	}
	usage.ActiveUsers = meanOf(counts)
	for _, month := range SummaryMonthsOf(now) {
		usage.Months = append(usage.Months, UsageMonth{month, users[month.Key()]})
	}
	return usage, nil
}

// meanOf is the arithmetic mean, rounded down.
func meanOf(counts []int64) int64 {
	var sum int64
	for _, n := range counts {
		sum += n
	}
	return sum / int64(len(counts))
}

// UsageExplanation shows how a figure is worked out, counted from the days on which users were active.
type UsageExplanation struct {
	Organization  Organization
	Organizations []string // whose users count: its own slug, then its children's
	Period        Period
	Parts         []UsagePart // a monthly plan's billing period, or an annual plan's months, the oldest first
	Sum           int64       // of the parts' users
	ActiveUsers   int64       // the figure
	Served        *int64      // the figure that callers get at this moment; nil if the explanation is of another time
}

// UsagePart is one of the periods that a figure is the mean of.
type UsagePart struct {
	Period
	Users   int64
	Sources []UsageSource // in the order of UsageExplanation.Organizations, those without users left out
	People  []ActiveUser  // by email address; nil unless asked for
}

// UsageSource is how many users were active in one organization. Who was active in several counts in each.
type UsageSource struct {
	Organization string // its slug
	Users        int64
}

// ActiveUser is a user who was active, with the organizations, by slug, where.
type ActiveUser struct {
	User          User // with an id only, if they were deleted
	Organizations []string
}

// Conclude works out the figure from the parts.
func (e *UsageExplanation) Conclude() {
	counts := make([]int64, len(e.Parts))
	for i, part := range e.Parts {
		counts[i] = part.Users
		e.Sum += part.Users
	}
	e.ActiveUsers = meanOf(counts)
}
