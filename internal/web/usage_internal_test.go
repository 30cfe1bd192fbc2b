package web

import "testing"

func TestPlotIsDrawnToScale(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64]int64{0: 1, 1: 1, 5: 1, 6: 2, 10: 2, 11: 5, 26: 10, 99: 20, 101: 50, 1_000_001: 500_000} {
		if got := niceStep(most); got != want {
			t.Errorf("the step to %d is %d, want %d", most, got, want)
		}
	}
}
