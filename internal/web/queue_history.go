package web

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"penstock/internal/domain"
)

// queueHistory is how things went in a queue during the last day.
type queueHistory struct {
	HadJobs bool
	Plots   []plot
	Rows    []historyRow // the newest first
}

// historyRow is a row of the table that says what the charts show.
type historyRow struct{ domain.QueueSample }

// Median is how long half of the jobs waited at most.
func (r historyRow) Median() string { return describeWait(r.MedianWait) }

// Long is how long 95 of 100 jobs waited at most.
func (r historyRow) Long() string { return describeWait(r.LongWait) }

func describeWait(d *time.Duration) string {
	if d == nil {
		return "–"
	}
	return shortDuration(*d)
}

// describeAverage returns an average with as much precision as it needs.
func describeAverage(value float64) string {
	if value > 0 && value < 0.05 {
		return "< 0.1"
	}
	return strconv.FormatFloat(math.Round(value*10)/10, 'f', -1, 64)
}

// readHistory reads how things went in the queue that the page is about.
func (c *call) readHistory() (queueHistory, error) {
	h, err := c.Builds.QueueHistory(c.ctx(), c.actor(), c.cluster(), c.R.PathValue("queue"))
	if err != nil {
		return queueHistory{}, err
	}
	return newQueueHistory(h), nil
}

func newQueueHistory(h domain.QueueHistory) (shown queueHistory) {
	slots := int(domain.HistoryLength / domain.SampleInterval)
	var waiting, running, idle, median, long [domain.HistoryLength / domain.SampleInterval]float64
	for i := range slots {
		waiting[i], running[i], idle[i], median[i], long[i] = math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}
	hadAgents := false
	for _, s := range h.Samples {
		i := int(s.BeganAt.Sub(h.Since) / domain.SampleInterval)
		if i < 0 || i >= slots {
			continue
		}
		waiting[i], running[i], idle[i] = s.Waiting, s.Running, s.Idle
		if s.MedianWait != nil {
			median[i], long[i] = s.MedianWait.Seconds(), s.LongWait.Seconds()
		}
		shown.HadJobs = shown.HadJobs || s.Waiting > 0 || s.Running > 0 || s.Started > 0
		hadAgents = hadAgents || s.Idle > 0 || s.Running > 0
		if s.Waiting > 0 || s.Running > 0 || s.Idle > 0 || s.Started > 0 {
			shown.Rows = append(shown.Rows, historyRow{s})
		}
	}
	slices.Reverse(shown.Rows)
	if shown.HadJobs {
		shown.Plots = append(shown.Plots,
			newDayPlot("history-jobs", "Jobs", countScale, describeAverage, curveOf{"waiting", "second", waiting[:]}, curveOf{"running", "first", running[:]}),
			newDayPlot("history-waits", "Wait before a job starts", durationScale, describeSeconds, curveOf{"95th percentile", "second", long[:]}, curveOf{"median", "first", median[:]}))
	}
	if hadAgents {
		shown.Plots = append(shown.Plots, newDayPlot("history-agents", "Agents", countScale, describeAverage, curveOf{"idle", "third", idle[:]}, curveOf{"busy", "first", running[:]}))
	}
	return shown
}

func describeSeconds(seconds float64) string {
	return shortDuration(time.Duration(seconds * float64(time.Second)))
}

// curveOf is what a curve of a day's chart is drawn from.
type curveOf struct {
	name, class string
	values      []float64
}

// newDayPlot draws how something went during the last day. What is drawn last is on top.
func newDayPlot(id, title string, scale func(most float64, lines int64) plotScale, describe func(float64) string, curves ...curveOf) plot {
	const lines, top, below = 4, 10, 28
	p := plot{ID: id, Title: title, Small: true, Width: 320, Height: 170, Left: 46}
	p.Baseline = p.Height - below
	most := 0.0
	var said []string
	for _, c := range curves {
		highest := highestOf(c.values)
		most = max(most, highest)
		said = append(said, fmt.Sprintf("%s: up to %s", c.name, describe(highest)))
	}
	p.Description = "The last 24 hours, in steps of 15 minutes. " + strings.Join(said, "; ") + ". The table below has the numbers."
	p.setScale(scale(most, lines), p.Baseline-top)
	for _, c := range curves {
		p.addCurve(c.name, c.class, c.values)
	}
	p.addSlots(describe, curves)
	span := p.Width - p.Left
	p.Ticks = []plotTick{{p.Left, "24h ago", "start"}, {p.Left + span/2, "12h ago", "middle"}, {p.Width, "now", "end"}}
	return p
}

// addSlots lets each quarter of an hour say its values.
func (p *plot) addSlots(describe func(float64) string, curves []curveOf) {
	count := len(curves[0].values)
	width := float64(p.Width-p.Left) / float64(count)
	for i := range count {
		var said []string
		for _, c := range curves {
			if !math.IsNaN(c.values[i]) {
				said = append(said, c.name+" "+describe(c.values[i]))
			}
		}
		if len(said) > 0 {
			ago := shortDuration(time.Duration(count-i) * domain.SampleInterval)
			p.Slots = append(p.Slots, plotSlot{fmt.Sprintf("%.1f", float64(p.Left)+float64(i)*width), fmt.Sprintf("%.1f", width), ago + " ago: " + strings.Join(said, ", ")})
		}
	}
}

// highestOf returns the highest of values, some of which may be missing.
func highestOf(values []float64) (highest float64) {
	for _, v := range values {
		if !math.IsNaN(v) {
			highest = max(highest, v)
		}
	}
	return highest
}
