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
	dayLayout   = "January 2, 2006"
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
		Plot:   newPlot(found.Months),
		Child:  organization.BillingParentID != nil,
	}
	if view.Annual {
		view.Sum = describeMean(found)
	}
	return c.show(page{template: "usage", Title: "Usage", Section: "usage", Crumbs: []crumb{{Label: "Usage"}}, View: view}), nil
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

// plot is a bar chart of the active users of each month, in units of its own.
type plot struct {
	Width, Height int
	Baseline      int
	Lines         []plotLine
	Bars          []plotBar
	Description   string // for those who do not see it
}

// plotLine is a line across the chart, with the number that it stands for.
type plotLine struct {
	Y, TextY int
	Label    int64
}

// plotBar is a month's bar.
type plotBar struct {
	X, Y, Width, Height int
	Middle              int // of the bar, across
	NumberY             int // where its number is written
	Users               int64
	Month               string // January 2006
	Short               string // Jan
	Year                string // of January and of the first month; otherwise empty
	Present             bool   // the month is not over
}

func newPlot(months []domain.UsageMonth) plot {
	const width, left, top, depth, below = 640, 48, 28, 180, 44
	p := plot{Width: width, Height: top + depth + below, Baseline: top + depth}
	var most int64
	for _, month := range months {
		most = max(most, month.Users)
	}
	step := niceStep(most)
	highest := max(step, (most+step-1)/step*step)
	y := func(users int64) int { return p.Baseline - int(users*depth/highest) }
	for label := int64(0); label <= highest; label += step {
		p.Lines = append(p.Lines, plotLine{Y: y(label), TextY: y(label) + 4, Label: label})
	}
	slot := (width - left) / len(months)
	for i, month := range months {
		bar := plotBar{X: left + i*slot + slot/5, Y: y(month.Users), Width: slot * 3 / 5, Users: month.Users,
			Month: month.Start.Format(monthLayout), Short: month.Start.Format("Jan"), Present: i == len(months)-1}
		bar.Height, bar.Middle, bar.NumberY = p.Baseline-bar.Y, bar.X+bar.Width/2, bar.Y-8
		if i == 0 || month.Start.Month() == time.January {
			bar.Year = month.Start.Format("2006")
		}
		p.Bars = append(p.Bars, bar)
	}
	p.Description = describePlot(months)
	return p
}

// niceStep returns a round number of which a few make up most: 1, 2 or 5, with zeros.
func niceStep(most int64) int64 {
	const lines = 5
	for power := int64(1); ; power *= 10 {
		for _, digit := range []int64{1, 2, 5} {
			if digit*power*lines >= most {
				return digit * power
			}
		}
	}
}

// describePlot says what the chart shows.
func describePlot(months []domain.UsageMonth) string {
	parts := make([]string, len(months))
	for i, month := range months {
		parts[i] = fmt.Sprintf("%s: %d", month.Start.Format(monthLayout), month.Users)
	}
	return "A bar for each month. " + strings.Join(parts, "; ") + ". The last month isn't over yet."
}
