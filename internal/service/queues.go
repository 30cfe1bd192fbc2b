package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Queues returns a page of a cluster's queues, by key.
func (s *Service) Queues(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, page domain.Page) (domain.Paged[domain.QueueView], error) {
	return view(ctx, s, func(tx store.Tx) (paged domain.Paged[domain.QueueView], err error) {
		in, err := s.inCluster(tx, actor, ref, authz.ReadQueue)
		if err != nil {
			return paged, err
		}
		paged.Total = in.Cluster.QueuesCount
		paged.Items, err = tx.Queues(in.Cluster.ID, page)
		for i := range paged.Items {
			paged.Items[i].OrganizationSlug = in.Organization.Slug
		}
		return paged, err
	})
}

// Queue returns a queue of a cluster.
func (s *Service) Queue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string) (domain.QueueView, error) {
	return view(ctx, s, func(tx store.Tx) (domain.QueueView, error) {
		in, err := s.inCluster(tx, actor, ref, authz.ReadQueue)
		if err != nil {
			return domain.QueueView{}, err
		}
		return queueIn(tx, in, id)
	})
}

func queueIn(tx store.Tx, in store.InCluster, id string) (domain.QueueView, error) {
	q, found, err := tx.Queue(in.Cluster.ID, lookupID[domain.QueueID](id))
	if err == nil && !found {
		err = domain.Missing("cluster queue")
	}
	q.OrganizationSlug = in.Organization.Slug
	return q, err
}

// CreateQueue makes a queue in a cluster and returns it. The first queue with hosted agents turns the
// cluster's container cache on.
//
// Returns Invalid with one FieldError a bad field, a key that is taken among them.
func (s *Service) CreateQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, input Input[domain.QueueInput]) (domain.QueueView, error) {
	return change(ctx, s, func(tx store.Tx) (domain.QueueView, error) {
		in, c, err := s.lockCluster(tx, actor, ref, authz.WriteQueue, nil)
		if err != nil {
			return domain.QueueView{}, err
		}
		var faults domain.Faults
		given, err := input.read(&faults)
		if err != nil {
			return domain.QueueView{}, err
		}
		q := domain.NewQueue(given, c.ID, s.clock(), &faults)
		if err := faults.Err(); err != nil {
			return domain.QueueView{}, err
		}
		if err := tx.InsertQueue(q, in.User.ID); err != nil {
			return domain.QueueView{}, err
		}
		c.QueueAdded(q)
		if err := tx.UpdateCluster(c); err != nil {
			return domain.QueueView{}, err
		}
		return domain.QueueView{Queue: q, OrganizationSlug: in.Organization.Slug, CreatedBy: in.Creator()},
			s.record(tx, by(actor, &in.Identity), domain.ClusterQueueCreated, queueSubject(q), nil, factsOfQueue(q))
	})
}

// UpdateQueue applies input to a queue and returns its new state.
func (s *Service) UpdateQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	input Input[domain.QueueInput], expected Precondition[domain.QueueView]) (domain.QueueView, error) {
	return s.changeQueue(ctx, actor, ref, id, expected, func(q *domain.QueueView, _ *domain.User, faults *domain.Faults) error {
		given, err := input.read(faults)
		if err == nil {
			q.Apply(given, faults)
		}
		return err
	})
}

// PauseQueue stops a queue from giving out jobs.
//
// Returns Invalid if it is paused already.
func (s *Service) PauseQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string, note Input[domain.Optional[string]]) (domain.QueueView, error) {
	return s.changeQueue(ctx, actor, ref, id, nil, func(q *domain.QueueView, by *domain.User, faults *domain.Faults) error {
		given, err := note.read(faults)
		if err != nil {
			return err
		}
		if q.Paused != nil {
			return domain.NewError(domain.Invalid, domain.QueueAlreadyPaused)
		}
		q.Paused = &domain.Pause{At: s.clock(), Note: domain.PauseNote(given, faults)}
		q.PausedBy = by
		return nil
	})
}

// ResumeQueue lets a paused queue give out jobs again.
//
// Returns Invalid if it is not paused.
func (s *Service) ResumeQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string) (domain.QueueView, error) {
	return s.changeQueue(ctx, actor, ref, id, nil, func(q *domain.QueueView, _ *domain.User, _ *domain.Faults) error {
		if q.Paused == nil {
			return domain.NewError(domain.Invalid, domain.QueueNotPaused)
		}
		q.Paused, q.PausedBy = nil, nil
		return nil
	})
}

func (s *Service) changeQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string, expected Precondition[domain.QueueView],
	apply func(q *domain.QueueView, by *domain.User, faults *domain.Faults) error) (domain.QueueView, error) {
	return change(ctx, s, func(tx store.Tx) (domain.QueueView, error) {
		in, _, err := s.lockCluster(tx, actor, ref, authz.WriteQueue, nil)
		if err != nil {
			return domain.QueueView{}, err
		}
		q, err := queueIn(tx, in, id)
		if err != nil {
			return q, err
		}
		if err := expected.check(q); err != nil {
			return q, err
		}
		before := factsOfQueue(q.Queue)
		var faults domain.Faults
		if err := apply(&q, in.Creator(), &faults); err != nil {
			return q, err
		}
		if err := faults.Err(); err != nil {
			return q, err
		}
		var pausedBy *domain.UserID
		if q.PausedBy != nil {
			pausedBy = &q.PausedBy.ID
		}
		if err := tx.UpdateQueue(q.Queue, pausedBy); err != nil {
			return q, err
		}
		return q, s.record(tx, by(actor, &in.Identity), domain.ClusterQueueUpdated, queueSubject(q.Queue), before, factsOfQueue(q.Queue))
	})
}

// DeleteQueue deletes a queue. If it is the cluster's default queue, the cluster has none afterwards; when
// the last queue with hosted agents goes, the cluster's hosted settings go off.
func (s *Service) DeleteQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string, expected Precondition[domain.QueueView]) error {
	return s.store.Write(ctx, func(tx store.Tx) error {
		in, c, err := s.lockCluster(tx, actor, ref, authz.WriteQueue, nil)
		if err != nil {
			return err
		}
		q, err := queueIn(tx, in, id)
		if err != nil {
			return err
		}
		if err := expected.check(q); err != nil {
			return err
		}
		before := c
		c.QueueRemoved(q.Queue)
		if !c.HostedGitMirrorEnabled {
			if err := s.markGitMirror(tx, before); err != nil {
				return err
			}
		}
		if err := tx.UpdateCluster(c); err != nil {
			return err
		}
		if err := tx.DeleteQueue(q.ID); err != nil {
			return err
		}
		return s.record(tx, by(actor, &in.Identity), domain.ClusterQueueDeleted, queueSubject(q.Queue), factsOfQueue(q.Queue), nil)
	})
}
