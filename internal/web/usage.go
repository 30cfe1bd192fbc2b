package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"penstock/internal/domain"
)

var usageRoutes = []route{{path: inOrganization + "/usage", get: showUsage}}

type usageView struct {
	Usage  domain.Usage
	First  string // of the period's days
	Last   string
	Annual bool
	Sum    string // how an annual plan's figure is worked out; empty for a monthly one
	Plot   plot
	Child  bool // it is billed with another organization
}

const (
	dayLayout   = "Jan 2, 2006"
	monthLayout = "January 2006"
)

func showUsage(c *call) (*reply, error) {
	organization, err := c.Service.Organization(c.ctx(), c.actor(), c.organization())
	if err != nil {
		return nil, err
	}
	found, err := c.Service.Usage(c.ctx(), c.actor(), c.organization())
	if err != nil {
		return nil, err // a 503 if the figure can't be had: never a wrong one
	}
	view := usageView{
		Usage:  found,
		First:  found.Period.Start.Format(dayLayout),
		Last:   found.Period.End.AddDate(0, 0, -1).Format(dayLayout),
		Annual: found.Plan == domain.PlanAnnual,
		Plot:   newUsagePlot(found.Months),
		Child:  organization.BillingParentID != nil,
	}
	if view.Annual {
		view.Sum = describeMean(found)
	}
	return c.show(page{template: "usage", Title: "Usage", Section: "usage", Crumbs: []crumb{{Label: "Usage"}},
		View: view}), nil
}

// describeMean shows how the figure of an annual plan is worked out.
func describeMean(u domain.Usage) string {
	var sum int64
	terms := make([]string, len(u.Months))
	for i, month := range u.Months {
		sum += month.Users
		terms[i] = strconv.FormatInt(month.Users, 10)
	}
	n := int64(len(u.Months))
	text := fmt.Sprintf("%s = %d, and %d ÷ %d", strings.Join(terms, " + "), sum, sum, n)
	if sum%n == 0 {
		return fmt.Sprintf("%s = %d.", text, u.ActiveUsers)
	}
	return fmt.Sprintf("%s = %.2f, which is rounded down to %d.", text, float64(sum)/float64(n), u.ActiveUsers)
}

// newUsagePlot draws the active users of each month, as bars.
func newUsagePlot(months []domain.UsageMonth) plot {
	const left, top, below, slots = 48, 28, 44, 5
	p := plot{ID: "plot", Title: "Active users by month", Width: 640, Height: 252, Left: left - 8,
		Description: describePlot(months), Caption: "The hatched bar is the current month."}
	p.Baseline = p.Height - below
	most := 0.0
	for _, month := range months {
		most = max(most, float64(month.Users))
	}
	p.setScale(countScale(most, slots), p.Baseline-top)
	slot := (p.Width - left) / len(months)
	for i, month := range months {
		bar := plotBar{X: left + i*slot + slot/5, Y: p.yOf(float64(month.Users)), Width: slot * 3 / 5,
			Number: strconv.FormatInt(month.Users, 10),
			Name:   month.Start.Format(monthLayout), Short: month.Start.Format("Jan"), Present: i == len(months)-1}
		bar.Height, bar.Middle, bar.NumberY = p.Baseline-bar.Y, bar.X+bar.Width/2, bar.Y-8
		if i == 0 || month.Start.Month() == time.January {
			bar.Below = month.Start.Format("2006")
		}
		p.Bars = append(p.Bars, bar)
	}
	return p
}

// describePlot says what the chart shows.
func describePlot(months []domain.UsageMonth) string {
	parts := make([]string, len(months))
	for i, month := range months {
		parts[i] = fmt.Sprintf("%s: %d", month.Start.Format(monthLayout), month.Users)
	}
	return "A bar for each month. " + strings.Join(parts, "; ") + ". The last month isn't over yet."
}
