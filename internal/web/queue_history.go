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

// historySpan is a span of time that a queue's page can show.
type historySpan struct {
	domain.HistorySpan
	Key    string // in the address; empty: is shown unless another is asked for
	Label  string // of its link
	Title  string
	begins string // on the axis
	middle string // on the axis
	To     string // its address
	Chosen bool
}

var historySpans = []historySpan{
	{HistorySpan: domain.LastHour, Key: "hour", Label: "Hour", Title: "Last hour", begins: "1h", middle: "30m"},
	{HistorySpan: domain.LastDay, Label: "Day", Title: "Last 24 hours", begins: "24h", middle: "12h"},
	{HistorySpan: domain.LastWeek, Key: "week", Label: "Week", Title: "Last 7 days", begins: "7d", middle: "3d 12h"},
	{HistorySpan: domain.LastMonth, Key: "month", Label: "Month", Title: "Last 30 days", begins: "30d", middle: "15d"},
}

// InWords is the span in a sentence.
func (h historySpan) InWords() string { return strings.ToLower(h.Title) }

// requestedSpan returns the span of time that the address asks for, and all of them.
func (c *call) requestedSpan() (chosen historySpan, all []historySpan) {
	all = slices.Clone(historySpans)
	isAsked := func(s historySpan) bool { return s.Key == c.query("span") }
	if !slices.ContainsFunc(all, isAsked) {
		isAsked = func(s historySpan) bool { return s.Key == "" }
	}
	at := slices.IndexFunc(all, isAsked)
	for i := range all {
		all[i].To, all[i].Chosen = c.withQuery(map[string]string{"span": all[i].Key}), i == at
	}
	return all[at], all
}

// queueHistory is how things went in a queue during a span of time.
type queueHistory struct {
	historySpan
	Spans   []historySpan
	HadJobs bool
	Plots   []plot
	Rows    []historyRow // the newest first
}

// StepInWords is how long the time is that a row is about.
func (h queueHistory) StepInWords() string {
	if h.Step < time.Hour {
		return countNoun(int(h.Step/time.Minute), "minute", "minutes")
	}
	return countNoun(int(h.Step/time.Hour), "hour", "hours")
}

// Merged is that a row is made of several samples.
func (h queueHistory) Merged() bool { return h.Step > domain.SampleInterval }

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
	span, spans := c.requestedSpan()
	h, err := c.Builds.QueueHistory(c.ctx(), c.actor(), c.cluster(), c.R.PathValue("queue"), span.HistorySpan)
	if err != nil {
		return queueHistory{}, err
	}
	return newQueueHistory(h, span, spans), nil
}

func newQueueHistory(h domain.QueueHistory, span historySpan, spans []historySpan) queueHistory {
	shown := queueHistory{historySpan: span, Spans: spans}
	slots := int(span.Length / span.Step)
	none := func() []float64 { return slices.Repeat([]float64{math.NaN()}, slots) }
	waiting, running, idle, median, long := none(), none(), none(), none(), none()
	hadAgents := false
	for _, s := range h.Samples {
		i := int(s.BeganAt.Sub(h.Since) / span.Step)
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
			span.newPlot("history-jobs", "Jobs", countScale, describeAverage, curveOf{"waiting", "second", waiting},
				curveOf{"running", "first", running}),
			span.newPlot("history-waits", "Wait before a job starts", durationScale, describeSeconds,
				curveOf{"95th percentile", "second", long}, curveOf{"median", "first", median}))
	}
	if hadAgents {
		shown.Plots = append(shown.Plots, span.newPlot("history-agents", "Agents", countScale, describeAverage,
			curveOf{"idle", "third", idle}, curveOf{"busy", "first", running}))
	}
	return shown
}

func describeSeconds(seconds float64) string {
	return shortDuration(time.Duration(seconds * float64(time.Second)))
}

// curveOf is what a curve of a chart is drawn from.
type curveOf struct {
	name, class string
	values      []float64
}

// newPlot draws how something went during the span. What is drawn last is on top.
func (h historySpan) newPlot(id, title string, scale func(most float64, lines int64) plotScale,
	describe func(float64) string, curves ...curveOf) plot {
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
	p.Description = "The " + h.InWords() + ", in steps of " + shortDuration(h.Step) + ". " + strings.Join(said, "; ") +
		". The table below has the numbers."
	p.setScale(scale(most, lines), p.Baseline-top)
	for _, c := range curves {
		p.addCurve(c.name, c.class, c.values)
	}
	p.addSlots(h.Step, describe, curves)
	span := p.Width - p.Left
	p.Ticks = []plotTick{{p.Left, h.begins + " ago", "start"}, {p.Left + span/2, h.middle + " ago", "middle"},
		{p.Width, "now", "end"}}
	return p
}

// addSlots lets each step say its values.
func (p *plot) addSlots(step time.Duration, describe func(float64) string, curves []curveOf) {
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
			ago := shortDuration(time.Duration(count-i) * step)
			p.Slots = append(p.Slots, plotSlot{fmt.Sprintf("%.1f", float64(p.Left)+float64(i)*width), fmt.Sprintf("%.1f", width),
				ago + " ago: " + strings.Join(said, ", ")})
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
