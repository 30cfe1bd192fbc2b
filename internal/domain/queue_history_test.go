package domain_test

import (
	"testing"
	"time"

	"penstock/internal/domain"
)

func TestSamplesOfQueuesAreMerged(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	wait := func(seconds int) *time.Duration {
		d := time.Duration(seconds) * time.Second
		return &d
	}
	merged := domain.MergeSamples([]domain.QueueSample{
		{BeganAt: day, Counted: 15, Waiting: 2, Running: 4, Idle: 1},
		{BeganAt: day.Add(15 * time.Minute), Counted: 5, Waiting: 6, Running: 8, Idle: 5, Started: 3, MedianWait: wait(10), LongWait: wait(90)},
		{BeganAt: day.Add(105 * time.Minute), Counted: 0, Started: 1, MedianWait: wait(50), LongWait: wait(50)},
		{BeganAt: day.Add(6 * time.Hour), Counted: 1, Waiting: 1},
	}, domain.MergedSampleInterval)
	if len(merged) != 2 || !merged[0].BeganAt.Equal(day) || !merged[1].BeganAt.Equal(day.Add(6*time.Hour)) || merged[1].Waiting != 1 || merged[1].MedianWait != nil {
		t.Fatalf("they are %+v", merged)
	}
	if m := merged[0]; m.Counted != 20 || m.Waiting != 3 || m.Running != 5 || m.Idle != 2 || m.Started != 4 || *m.MedianWait != 20*time.Second || *m.LongWait != 90*time.Second {
		t.Errorf("two hours are %+v, median %v, long %v", m, *m.MedianWait, *m.LongWait)
	}
}

func TestSpansEndNow(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 31, 13, 7, 0, 0, time.UTC)
	for want, span := range map[string]domain.HistorySpan{
		"2026-03-31T12:15:00Z": domain.LastHour, "2026-03-30T13:15:00Z": domain.LastDay, "2026-03-24T14:00:00Z": domain.LastWeek, "2026-03-01T16:00:00Z": domain.LastMonth,
	} {
		if got := span.Since(now).Format(time.RFC3339); got != want {
			t.Errorf("a span of %v begins at %s, want %s", span.Length, got, want)
		}
	}
}
