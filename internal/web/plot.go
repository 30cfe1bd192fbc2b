package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// plot is a chart of bars or of curves, in units of its own.
type plot struct {
	ID          string // of the chart in its page
	Title       string
	Description string // for those who do not see it
	Caption     string
	Small       bool // it stands beside others
	Width       int
	Height      int
	Left        int // where the axis is
	Baseline    int
	Lines       []plotLine
	Ticks       []plotTick
	Bars        []plotBar
	Curves      []plotCurve
	Slots       []plotSlot

	top   float64 // what the highest line stands for
	depth int     // from the baseline to it
}

// plotLine is a line across the chart, with what it stands for.
type plotLine struct {
	Y, TextY int
	Label    string
}

// plotTick is a mark below the chart.
type plotTick struct {
	X      int
	Label  string
	Anchor string // of the label: start, middle or end
}

// plotBar is a bar.
type plotBar struct {
	X, Y, Width, Height int
	Middle              int // of the bar, across
	NumberY             int // where its number is written
	Number              string
	Name                string
	Short               string // is written below it
	Below               string // and this below that; may be empty
	Present             bool   // what it stands for is not over
}

// plotCurve is a line through the chart.
type plotCurve struct {
	Name  string
	Class string // of its look
	Path  string // as SVG writes it
}

// plotSlot is a part of the chart from top to bottom, which says its values when one points at it.
type plotSlot struct {
	X, Width string
	Title    string
}

// LastSlot is the number of the last slot, counted from 0.
func (p plot) LastSlot() int { return len(p.Slots) - 1 }

// plotScale is how a chart's lines are labeled.
type plotScale struct {
	step  float64 // between two lines
	most  float64 // of what is drawn
	label func(float64) string
}

// setScale draws the lines across, as many as it takes. Depth is how much of the chart's height they have.
func (p *plot) setScale(s plotScale, depth int) {
	lines := max(1, int(math.Ceil(s.most/s.step)))
	p.top, p.depth = float64(lines)*s.step, depth
	for i := range lines + 1 {
		value := float64(i) * s.step
		p.Lines = append(p.Lines, plotLine{Y: p.yOf(value), TextY: p.yOf(value) + 4, Label: s.label(value)})
	}
}

// yOf returns the height at which a value is drawn.
func (p *plot) yOf(value float64) int { return p.Baseline - int(value*float64(p.depth)/p.top) }

// countScale is the scale of numbers of things, with up to so many lines.
func countScale(most float64, lines int64) plotScale {
	step := niceStep(int64(math.Ceil(most)), lines)
	return plotScale{float64(step), most, func(value float64) string { return strconv.FormatInt(int64(value), 10) }}
}

// niceStep returns a round number of which a few make up most: 1, 2 or 5, with zeros.
func niceStep(most, lines int64) int64 {
	for power := int64(1); ; power *= 10 {
		for _, digit := range []int64{1, 2, 5} {
			if digit*power*lines >= most {
				return digit * power
			}
		}
	}
}

// durationSteps are round lengths of time up to a day, in seconds.
var durationSteps = []int64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 2 * 3600, 3 * 3600, 6 * 3600,
	12 * 3600}

// durationScale is the scale of lengths of time, in seconds.
func durationScale(most float64, lines int64) plotScale {
	step := int64(0)
	for _, s := range durationSteps {
		if step = s; float64(s*lines) >= most {
			break
		}
	}
	if float64(step*lines) < most {
		const day = 24 * 3600
		step = day * niceStep(int64(math.Ceil(most/day)), lines)
	}
	return plotScale{float64(step), most, func(seconds float64) string {
		return shortDuration(time.Duration(seconds) * time.Second)
	}}
}

// shortDuration returns a length of time in as few words as it takes: 90s is 1m 30s, 2h is 2h.
func shortDuration(d time.Duration) string {
	parts := strings.Fields(duration{Length: d}.String())
	if len(parts) == 2 && strings.TrimRight(parts[1], "dhms") == "0" {
		parts = parts[:1]
	}
	return strings.Join(parts, " ")
}

// addCurve draws a line that is at a height from each place to the next. Values are those of slots of the same width;
// NaN: there is none.
func (p *plot) addCurve(name, class string, values []float64) {
	var path strings.Builder
	width := float64(p.Width-p.Left) / float64(len(values))
	drawn := false
	for i, value := range values {
		if math.IsNaN(value) {
			drawn = false
			continue
		}
		x, y := float64(p.Left)+float64(i)*width, p.yOf(value)
		if drawn {
			fmt.Fprintf(&path, "V%d", y)
		} else {
			fmt.Fprintf(&path, "M%.1f %d", x, y)
		}
		fmt.Fprintf(&path, "H%.1f", x+width)
		drawn = true
	}
	p.Curves = append(p.Curves, plotCurve{name, class, path.String()})
}
