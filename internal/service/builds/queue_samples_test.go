package builds_test

import (
	"testing"
	"time"

	"penstock/internal/domain"
	"penstock/internal/testkit/running"
)

// sampleHistory samples the queues, and returns the history of the default queue and its latest sample.
func sampleHistory(s *running.Server) (domain.QueueHistory, domain.QueueSample) {
	s.T.Helper()
	h := sampleHistoryOf(s, domain.LastDay)
	return h, h.Samples[len(h.Samples)-1]
}

func sampleHistoryOf(s *running.Server, span domain.HistorySpan) domain.QueueHistory {
	s.T.Helper()
	if err := s.Builds.SampleQueues(s.T.Context(), running.Operator); err != nil {
		s.T.Fatal(err)
	}
	queue := s.Text(`SELECT id FROM cluster_queues WHERE cluster_id = $1 AND key = 'default'`, running.Cluster)
	h, err := s.Builds.QueueHistory(s.T.Context(), running.Admin, domain.ClusterRef{Organization: running.Organization, ID: running.Cluster}, queue, span)
	if err != nil || len(h.Samples) == 0 {
		s.T.Fatalf("the history is %+v: %v", h, err)
	}
	return h
}

func TestQueuesHaveAHistory(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		a := s.NewAgent()
		// Nothing is counted twice: whatever was counted before is another interval's.
		forget := func() { s.Exec(`DELETE FROM queue_samples`) }
		if _, last := sampleHistory(s); last.Idle != 1 || last.Running != 0 || last.Waiting != 0 || last.MedianWait != nil {
			t.Errorf("with an agent that is idle it is %+v", last)
		}
		forget()
		a.StartNewJob()
		createBuild(s, running.Admin, running.Organization, running.Cluster, "[{command: one}, {command: two}]")
		if _, last := sampleHistory(s); last.Idle != 0 || last.Running != 1 || last.Waiting != 2 || last.Started != 1 || last.MedianWait == nil || *last.MedianWait < 0 {
			t.Errorf("with a job that runs and two that wait it is %+v", last)
		}
		s.Exec(`UPDATE queue_samples SET running = 3 * samples, samples = samples * 3`) // as if nothing had run in two other samples
		if _, last := sampleHistory(s); last.Running < 0.99 || last.Running > 1.01 {
			t.Errorf("the average is %+v", last)
		}
	})
}

func TestHistoryHasMedianAndLongWaits(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		// A hundred jobs that have just started had waited for 1 to 100 seconds.
		createBuild(s, running.Admin, running.Organization, running.Cluster, "[{command: make, parallelism: 100}]")
		s.Exec(`INSERT INTO queue_waits (started_at, job_id, queue_id, wait) SELECT jr.created_at, j.id, jr.queue_id, 1000000 * (j.parallel_index + 1)
			FROM jobs j JOIN job_runs jr ON jr.job_id = j.id`)
		h, _ := sampleHistory(s)
		var started int64
		for _, sample := range h.Samples { // two if an interval has just ended
			started += sample.Started
			if sample.Started == 100 && (*sample.MedianWait != 50*time.Second || *sample.LongWait != 95*time.Second) {
				t.Errorf("the median is %v, and 95 of 100 waited up to %v", *sample.MedianWait, *sample.LongWait)
			}
		}
		if started > 100 {
			t.Errorf("%d jobs started: %+v", started, h)
		}
	})
}

func TestHistoryIsForgotten(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		sampleHistory(s)
		s.Advance(25 * time.Hour)
		if h, _ := sampleHistory(s); len(h.Samples) != 1 || !h.Since.After(h.Until.Add(-24*time.Hour)) || h.Samples[0].BeganAt.Before(h.Since) {
			t.Errorf("it has more than a day: %+v", h)
		}
		if n := s.Text(`SELECT CAST(count(*) AS TEXT) FROM queue_samples`); n != "8" {
			t.Errorf("there are %s rows", n)
		}
		s.Advance(30 * 24 * time.Hour)
		sampleHistory(s)
		if n := s.Text(`SELECT CAST(count(*) AS TEXT) FROM queue_samples`); n != "8" {
			t.Errorf("there are %s rows, but what is older than 31 days is not kept", n)
		}
	})
}

func TestOldSamplesAreMerged(t *testing.T) {
	t.Parallel()
	running.Each(t, func(t *testing.T, s *running.Server) {
		sampleHistory(s)
		s.Exec(`DELETE FROM queue_samples`)
		// Those of two hours that began three days ago or a little more, with what each has once more an hour later, and one that is younger.
		const whole = int64(2 * time.Hour / time.Microsecond)
		old := (time.Now().Add(-72*time.Hour).UnixMicro()/whole - 1) * whole
		const insert = `INSERT INTO queue_samples (queue_id, began_at, samples, waiting, running, idle, started, median_wait, long_wait) SELECT id, $1, 15, 30, 45, 15, `
		for i := range int64(8) {
			values := `0, NULL, NULL FROM cluster_queues`
			if i == 2 || i == 5 {
				values = `2, 10000000, 90000000 FROM cluster_queues`
			}
			s.Exec(insert+values, old+i*whole/8)
		}
		s.Exec(insert+`1, 1, 1 FROM cluster_queues`, old+whole)
		read := func() (n string, h domain.QueueHistory) {
			t.Helper()
			h = sampleHistoryOf(s, domain.LastWeek)
			return s.Text(`SELECT CAST(count(*) AS TEXT) FROM queue_samples WHERE began_at <= $1 AND queue_id = $2`, old+whole, s.Text(`SELECT id FROM cluster_queues WHERE cluster_id = $1 AND key = 'default'`, running.Cluster)), h
		}
		for range 2 { // the second time there is nothing to do
			n, h := read()
			first := h.Samples[0]
			if n != "2" || first.BeganAt.UnixMicro() != old || first.Counted != 120 || first.Waiting != 2 || first.Running != 3 || first.Idle != 1 || first.Started != 4 || *first.MedianWait != 10*time.Second || *first.LongWait != 90*time.Second {
				t.Errorf("there are %s rows, and the first is %+v", n, first)
			}
		}
	})
}
