package domain

import "time"

// SampleInterval is how long the time is that a QueueSample is about.
const SampleInterval = 15 * time.Minute

// HistoryLength is how far back a queue's history goes.
const HistoryLength = 24 * time.Hour

// QueueHistory is how things went in a queue.
type QueueHistory struct {
	Since, Until time.Time     // Since is when an interval began; Until is now
	Samples      []QueueSample // the oldest first; of intervals when no server ran, there is none
}

// QueueSample is how things went in a queue during an interval. An agent has one job at a time, so as many agents were busy as jobs were running.
type QueueSample struct {
	BeganAt    time.Time
	Waiting    float64        // jobs, on average
	Running    float64        // jobs, on average
	Idle       float64        // agents, on average
	Started    int64          // jobs
	MedianWait *time.Duration // of the jobs that started; nil: none did
	LongWait   *time.Duration // that 95 of 100 of them did not exceed
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
