package domain

import "time"

// How long the time is that a QueueSample is about.
const (
	SampleInterval       = 15 * time.Minute
	MergedSampleInterval = 2 * time.Hour // once it is some days old
)

// HistorySpan is how far back a queue's history goes, and in which steps.
type HistorySpan struct{ Length, Step time.Duration }

// The spans of time that can be shown.
var (
	LastHour  = HistorySpan{time.Hour, SampleInterval}
	LastDay   = HistorySpan{24 * time.Hour, SampleInterval}
	LastWeek  = HistorySpan{7 * 24 * time.Hour, MergedSampleInterval}
	LastMonth = HistorySpan{30 * 24 * time.Hour, 4 * MergedSampleInterval}
)

// Since returns when the first step of the span began that ends now.
func (s HistorySpan) Since(now time.Time) time.Time {
	return now.Truncate(s.Step).Add(s.Step - s.Length)
}

// QueueHistory is how things went in a queue.
type QueueHistory struct {
	Since, Until time.Time     // Since is when a step began; Until is now
	Samples      []QueueSample // one a step, the oldest first; of steps when no server ran, there is none
}

// QueueSample is how things went in a queue during a time. An agent has one job at a time, so as many agents were busy
// as jobs were running.
type QueueSample struct {
	BeganAt    time.Time
	Counted    int64          // how often the following was counted
	Waiting    float64        // jobs, on average
	Running    float64        // jobs, on average
	Idle       float64        // agents, on average
	Started    int64          // jobs
	MedianWait *time.Duration // of the jobs that started, or an average of such; nil: none did
	LongWait   *time.Duration // that at least 95 of 100 of them did not exceed
}

// MergeSamples returns samples that are about steps of a length. The samples, the oldest first, are about times that
// are not longer.
func MergeSamples(samples []QueueSample, step time.Duration) (merged []QueueSample) {
	for _, s := range samples {
		s.BeganAt = s.BeganAt.Truncate(step)
		if last := len(merged) - 1; last >= 0 && merged[last].BeganAt.Equal(s.BeganAt) {
			merged[last] = merged[last].merge(s)
		} else {
			merged = append(merged, s)
		}
	}
	return merged
}

func (s QueueSample) merge(o QueueSample) QueueSample {
	counted := s.Counted + o.Counted
	mean := func(a, b float64) float64 { return (a*float64(s.Counted) + b*float64(o.Counted)) / float64(counted) }
	merged := s
	merged.Counted, merged.Started = counted, s.Started+o.Started
	merged.Waiting, merged.Running, merged.Idle = mean(s.Waiting, o.Waiting), mean(s.Running, o.Running),
		mean(s.Idle, o.Idle)
	switch {
	case s.Started == 0:
		merged.MedianWait, merged.LongWait = o.MedianWait, o.LongWait
	case o.Started > 0:
		median := (*s.MedianWait*time.Duration(s.Started) + *o.MedianWait*time.Duration(o.Started)) / time.Duration(
			merged.Started)
		long := max(*s.LongWait, *o.LongWait)
		merged.MedianWait, merged.LongWait = &median, &long
	}
	return merged
}

// QueueMetrics is how a queue is doing. Waits are those of the jobs that started; 0 if none did.
type QueueMetrics struct {
	Since        time.Time // when the time began in which jobs ended and started
	Connected    int64     // agents
	Waiting      int64     // jobs
	Running      int64     // jobs
	Passed       int64     // jobs that ended
	Failed       int64     // jobs that ended
	ShortestWait time.Duration
	MedianWait   time.Duration
	LongWait     time.Duration // that 95 of 100 did not exceed
	LongestWait  time.Duration
}
