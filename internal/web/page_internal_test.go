package web

import (
	"testing"
	"time"
)

func TestDaysAgo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 31, 0, 30, 0, 0, time.UTC)
	for day, want := range map[string]string{
		"2026-03-31": "today", "2026-03-30": "yesterday", "2026-03-29": "2 days ago", "2026-03-01": "30 days ago", "2026-02-28": "Feb 28, 2026", "2026-04-02": "Apr 2, 2026", "x": "x",
	} {
		if got := describeDaysAgo(day, now); got != want {
			t.Errorf("%s is %q, want %q", day, got, want)
		}
	}
}
