package web

import (
	"math"
	"slices"
	"testing"
)

func TestPlotIsDrawnToScale(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64]int64{0: 1, 1: 1, 5: 1, 6: 2, 10: 2, 11: 5, 26: 10, 99: 20, 101: 50, 1_000_001: 500_000} {
		if got := niceStep(most, 5); got != want {
			t.Errorf("the step to %d is %d, want %d", most, got, want)
		}
	}
}

func TestDurationsAreDrawnToScale(t *testing.T) {
	t.Parallel()
	for most, want := range map[float64][]string{
		0: {"0s", "1s"}, 3.5: {"0s", "1s", "2s", "3s", "4s"}, 70: {"0s", "30s", "1m", "1m 30s"}, 7200: {"0s", "30m", "1h", "1h 30m", "2h"}, 400_000: {"0s", "2d", "4d", "6d"},
	} {
		p := plot{Baseline: 100}
		p.setScale(durationScale(most, 4), 100)
		var labels []string
		for _, line := range p.Lines {
			labels = append(labels, line.Label)
		}
		if !slices.Equal(labels, want) {
			t.Errorf("up to %v s, the lines are %q, want %q", most, labels, want)
		}
		if highest := p.yOf(most); highest < 0 || highest > 100 {
			t.Errorf("%v s is drawn at %d", most, highest)
		}
	}
}

func TestCurvesHaveGaps(t *testing.T) {
	t.Parallel()
	p := plot{Baseline: 100, Width: 40}
	p.setScale(countScale(10, 5), 100)
	p.addCurve("a", "first", []float64{math.NaN(), 5, 10, math.NaN()})
	if got, want := p.Curves[0].Path, "M10.0 50H20.0V0H30.0"; got != want {
		t.Errorf("the curve is %s, want %s", got, want)
	}
}
