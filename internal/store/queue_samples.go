package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// SampleQueues counts what there is in each queue now, for the interval that began at a time.
func (tx Tx) SampleQueues(beganAt time.Time) error { return tx.exec(sampleQueues, db.Micros(beganAt)) }

// In the order of queues, so that two servers that do it at once wait for each other in one order.
const sampleQueues = `INSERT INTO queue_samples (queue_id, began_at, samples, waiting, running, idle)
	SELECT q.id, $1, 1,
	` + countScheduledJobs + `, ` + countBusyAgents + `, ` + countIdleAgents + ` FROM cluster_queues q WHERE TRUE
		ORDER BY q.id
	ON CONFLICT (queue_id, began_at) DO UPDATE SET samples = queue_samples.samples + 1, waiting = queue_samples.waiting +
	excluded.waiting,
		running = queue_samples.running + excluded.running, idle = queue_samples.idle + excluded.idle`

// RecordWaits stores how long the jobs had waited that started during an interval.
func (tx Tx) RecordWaits(beganAt time.Time) error {
	type waits struct {
		queue                 string
		started, median, long int64
	}
	found, err := all(tx, func(r *db.Row) waits { return waits{r.Text(), r.Int(), r.Int(), r.Int()} },
		waitsOfStarted, db.Micros(beganAt), db.Micros(beganAt.Add(domain.SampleInterval)))
	if err != nil {
		return err
	}
	for _, w := range found {
		if err := tx.Later(
			`UPDATE queue_samples SET started = $1, median_wait = $2, long_wait = $3 WHERE queue_id = $4 AND began_at = $5
				AND started <> $1`,
			w.started, w.median, w.long, w.queue, db.Micros(beganAt)); err != nil {
			return err
		}
	}
	return nil
}

const waitsOfStarted = `SELECT w.queue_id, MAX(w.jobs), MIN(CASE WHEN w.place * 2 >= w.jobs THEN w.wait END), MIN(CASE
	WHEN w.place * 100 >= w.jobs * 95 THEN w.wait END)
	FROM (SELECT qw.queue_id, qw.wait, COUNT(*) OVER (PARTITION BY qw.queue_id) AS jobs,
		ROW_NUMBER() OVER (PARTITION BY qw.queue_id ORDER BY qw.wait) AS place
		FROM queue_waits qw WHERE qw.started_at >= $1 AND qw.started_at < $2) w
	GROUP BY w.queue_id ORDER BY w.queue_id`

// QueueWait is how long a job of a queue had waited when it started.
type QueueWait struct {
	Queue     domain.QueueID
	Job       domain.JobID
	StartedAt time.Time
	Wait      time.Duration
}

// InsertQueueWaits stores how long jobs had waited.
func (tx Tx) InsertQueueWaits(waits []QueueWait) error {
	rows := make([][]any, len(waits))
	for i, w := range waits {
		rows[i] = []any{db.Micros(w.StartedAt), string(w.Job), string(w.Queue), w.Wait.Microseconds()}
	}
	return tx.InsertSet(tx.Later, db.RowSet{Table: "queue_waits", Columns: []string{"started_at", "job_id", "queue_id",
		"wait"}, Rows: rows,
		OnConflict: "ON CONFLICT DO NOTHING"})
}

// PruneQueueWaits deletes how long jobs had waited that started before a time, at most a number of rows, and returns
// how many.
func (tx Tx) PruneQueueWaits(before time.Time, limit int64) (int64, error) {
	return tx.Exec(`DELETE FROM queue_waits WHERE (started_at, job_id) IN
		(SELECT started_at, job_id FROM queue_waits WHERE started_at < $1 ORDER BY started_at, job_id
		LIMIT $2)`, db.Micros(before), limit)
}

// QueueSamples returns how things went in a queue since a time, the oldest first.
func (tx Tx) QueueSamples(queue domain.QueueID, since time.Time) ([]domain.QueueSample, error) {
	return all(tx, func(r *db.Row) domain.QueueSample {
		s := domain.QueueSample{BeganAt: r.Time()}
		s.Counted = r.Int()
		samples := float64(s.Counted)
		s.Waiting, s.Running, s.Idle = float64(r.Int())/samples, float64(r.Int())/samples, float64(r.Int())/samples
		if s.Started = r.Int(); s.Started > 0 {
			median, long := time.Duration(max(0, r.Int()))*time.Microsecond, time.Duration(max(0, r.Int()))*time.Microsecond
			s.MedianWait, s.LongWait = &median, &long
		}
		return s
	}, queueSamples, queue, db.Micros(since))
}

const queueSamples = `SELECT began_at, samples, waiting, running, idle, started, median_wait, long_wait
	FROM queue_samples WHERE queue_id = $1 AND began_at >= $2 ORDER BY began_at`

// MergeQueueSamples makes one sample of those that each queue has from a time until another.
func (tx Tx) MergeQueueSamples(from, until time.Time) error {
	_, found, err := one(tx, (*db.Row).Int, `SELECT 1 FROM queue_samples WHERE began_at > $1 AND began_at < $2 LIMIT 1`,
		db.Micros(from), db.Micros(until))
	if err != nil || !found {
		return err
	}
	if err := tx.exec(mergeQueueSamples, db.Micros(from), db.Micros(until)); err != nil {
		return err
	}
	return tx.exec(`DELETE FROM queue_samples WHERE began_at > $1 AND began_at < $2`, db.Micros(from), db.Micros(until))
}

// As domain.MergeSamples does.
const mergeQueueSamples = `INSERT INTO queue_samples (queue_id, began_at, samples, waiting, running, idle, started,
	median_wait, long_wait)
	SELECT qs.queue_id, $1, CAST(SUM(qs.samples) AS BIGINT), CAST(SUM(qs.waiting) AS BIGINT), CAST(SUM(qs.running)
	AS BIGINT), CAST(SUM(qs.idle) AS BIGINT),
		CAST(SUM(qs.started) AS BIGINT), CAST(SUM(qs.median_wait * qs.started) / NULLIF(SUM(qs.started), 0) AS BIGINT),
		MAX(qs.long_wait)
	FROM queue_samples qs WHERE qs.began_at >= $1 AND qs.began_at < $2 GROUP BY qs.queue_id ORDER BY qs.queue_id
	ON CONFLICT (queue_id, began_at) DO UPDATE SET samples = excluded.samples, waiting = excluded.waiting,
	running = excluded.running, idle = excluded.idle,
		started = excluded.started, median_wait = excluded.median_wait, long_wait = excluded.long_wait`

// PruneQueueSamples deletes what was counted before a time, at most a number of rows, and returns how many.
func (tx Tx) PruneQueueSamples(before time.Time, limit int64) (int64, error) {
	return tx.Exec(pruneQueueSamples, db.Micros(before), limit)
}

const pruneQueueSamples = `DELETE FROM queue_samples WHERE (queue_id, began_at) IN (SELECT queue_id, began_at
	FROM queue_samples WHERE began_at < $1 ORDER BY began_at LIMIT $2)`

// QueueMetrics returns how queues are doing: what they have now, and what ended and started in them since a time.
func (tx Tx) QueueMetrics(ids []domain.QueueID, since time.Time) (map[domain.QueueID]domain.QueueMetrics, error) {
	found := make(map[domain.QueueID]domain.QueueMetrics, len(ids))
	err := eachChunk(ids, func(some []domain.QueueID) error {
		return tx.run(clauseOf(queueMetrics, db.Micros(since), db.Micros(since), db.Micros(since), oneOf(`qw.queue_id`, some),
			oneOf(`q.id`, some)), func(r *db.Row) error {
			id := domain.QueueID(r.Text())
			m := domain.QueueMetrics{Since: since, Connected: r.Int(), Waiting: r.Int(), Running: r.Int(), Passed: r.Int(),
				Failed: r.Int()}
			for _, wait := range []*time.Duration{&m.ShortestWait, &m.MedianWait, &m.LongWait, &m.LongestWait} {
				*wait = time.Duration(r.Int()) * time.Microsecond
			}
			found[id] = m
			return nil
		})
	})
	return found, err
}

const queueMetrics = `SELECT q.id, ` + countIdleAgents + ` + ` + countBusyAgents + `, ` +
	countScheduledJobs + `, ` + countBusyAgents + `,
	(SELECT count(*) FROM job_runs jr WHERE jr.queue_id = q.id AND jr.finished_at >= ? AND jr.state = 'finished'
	AND jr.outcome = 'passed'),
	(SELECT count(*) FROM job_runs jr WHERE jr.queue_id = q.id AND jr.finished_at >= ? AND jr.state
	IN ('finished', 'timed_out') AND jr.outcome <> 'passed'),
	COALESCE(w.shortest, 0), COALESCE(w.median, 0), COALESCE(w.long_wait, 0), COALESCE(w.longest, 0)
	FROM cluster_queues q LEFT JOIN (SELECT s.queue_id, MIN(s.wait) AS shortest, MIN(CASE
	WHEN s.place * 2 >= s.jobs THEN s.wait END) AS median,
			MIN(CASE WHEN s.place * 100 >= s.jobs * 95 THEN s.wait END) AS long_wait, MAX(s.wait) AS longest
		FROM (SELECT qw.queue_id, qw.wait, COUNT(*) OVER (PARTITION BY qw.queue_id) AS jobs,
			ROW_NUMBER() OVER (PARTITION BY qw.queue_id ORDER BY qw.wait) AS place
			FROM queue_waits qw WHERE qw.started_at >= ? AND ?) s
		GROUP BY s.queue_id) w ON w.queue_id = q.id
	WHERE ?`
