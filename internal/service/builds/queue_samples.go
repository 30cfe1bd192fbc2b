package builds

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

const (
	samplesWhole = 3 * 24 * time.Hour // then they are merged
	samplesKept  = 31 * 24 * time.Hour
	waitsSettled = 3 * time.Minute // after an interval's end, all jobs that started in it are stored
	waitsKept    = time.Hour
)

// SampleQueues counts what waits and runs in each queue, for its history. Operators only.
func (s *Service) SampleQueues(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return core.RunAll(ctx, s.sampleQueues, s.recordWaits, s.mergeSamples, func(ctx context.Context) error {
		_, err := s.core.Prune(ctx, actor, func(tx store.Tx) (int64, error) {
			now, err := tx.Now()
			if err != nil {
				return 0, err
			}
			waits, err := tx.PruneQueueWaits(now.Add(-waitsKept), core.PruneBatch)
			if err != nil || waits == core.PruneBatch {
				return waits, err
			}
			return tx.PruneQueueSamples(now.Add(-samplesKept), core.PruneBatch)
		})
		return err
	})
}

func (s *Service) sampleQueues(ctx context.Context) error {
	return s.core.Store.Write(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		return tx.SampleQueues(now.Truncate(domain.SampleInterval))
	})
}

// recordWaits stores how long jobs waited that started in the present interval, and in the one before until that is
// settled.
func (s *Service) recordWaits(ctx context.Context) error {
	return s.core.Store.Write(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		began := now.Truncate(domain.SampleInterval)
		if now.Sub(began) <= waitsSettled {
			if err := tx.RecordWaits(began.Add(-domain.SampleInterval)); err != nil {
				return err
			}
		}
		return tx.RecordWaits(began)
	})
}

// mergeSamples makes one sample of those of two hours, once they are old. What no server merged in time stays as it is.
func (s *Service) mergeSamples(ctx context.Context) error {
	return s.core.Store.Write(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		until := now.Add(-samplesWhole).Truncate(domain.MergedSampleInterval)
		return tx.MergeQueueSamples(until.Add(-domain.MergedSampleInterval), until)
	})
}

// inQueue calls a function with a queue and the time, in a transaction that only reads.
func inQueue[T any](ctx context.Context, s *Service, actor authz.Actor, ref domain.ClusterRef, id string,
	fn func(store.Tx, domain.QueueID, time.Time) (T, error)) (T, error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (none T, err error) {
		in, err := s.core.InCluster(tx, actor, ref, authz.ReadQueue)
		if err != nil {
			return none, err
		}
		q, found, err := tx.Queue(in.Cluster.ID, core.LookupID[domain.QueueID](id))
		if err == nil && !found {
			err = domain.Missing("cluster queue")
		}
		if err != nil {
			return none, err
		}
		now, err := tx.Now()
		if err != nil {
			return none, err
		}
		return fn(tx, q.ID, now)
	})
}

// QueueHistory returns how things went in a queue during a span of time that ends now.
func (s *Service) QueueHistory(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	span domain.HistorySpan) (domain.QueueHistory, error) {
	return inQueue(ctx, s, actor, ref, id, func(tx store.Tx, queue domain.QueueID, now time.Time) (domain.QueueHistory,
		error) {
		history := domain.QueueHistory{Since: span.Since(now), Until: now}
		samples, err := tx.QueueSamples(queue, history.Since)
		history.Samples = domain.MergeSamples(samples, span.Step)
		return history, err
	})
}

// QueueMetrics returns how a queue is doing.
func (s *Service) QueueMetrics(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	id string) (domain.QueueMetrics, error) {
	return inQueue(ctx, s, actor, ref, id, func(tx store.Tx, queue domain.QueueID, now time.Time) (domain.QueueMetrics,
		error) {
		found, err := tx.QueueMetrics([]domain.QueueID{queue}, now.Add(-domain.SampleInterval))
		return found[queue], err
	})
}
