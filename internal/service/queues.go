package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Queues returns a page of a cluster's queues, by key.
func (s *Service) Queues(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, page domain.Page) (
	domain.Paged[domain.QueueView], error) {
	return core.View(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (paged domain.Paged[domain.QueueView],
		err error) {
		in, err := s.core.InCluster(tx, actor, ref, authz.ReadQueue)
		if err != nil {
			return paged, err
		}
		list := store.QueuesOf(domain.ByName, false).WithTotal(in.Cluster.QueuesCount)
		paged, err = readPage(tx, &in.Identity, list, in.Cluster.ID, page)
		for i := range paged.Items {
			paged.Items[i].OrganizationSlug = in.Organization.Slug
		}
		return paged, err
	})
}

// Queue returns a queue of a cluster.
func (s *Service) Queue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	id string) (domain.QueueView, error) {
	return core.View(ctx, s.core, actor, ref.Organization, s.findQueue(actor, ref, id, authz.ReadQueue))
}

func (s *Service) findQueue(actor authz.Actor, ref domain.ClusterRef, id string, action authz.Action) func(store.Tx) (
	domain.QueueView, error) {
	return func(tx store.Tx) (domain.QueueView, error) {
		in, err := s.core.InCluster(tx, actor, ref, action)
		if err != nil {
			return domain.QueueView{}, err
		}
		return queueIn(tx, in, id)
	}
}

func queueIn(tx store.Tx, in store.InCluster, id string) (domain.QueueView, error) {
	q, found, err := tx.Queue(in.Cluster.ID, core.LookupID[domain.QueueID](id))
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
func (s *Service) CreateQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	input core.Input[domain.QueueInput]) (domain.QueueView, error) {
	permit := s.permitInCluster(actor, ref, authz.WriteQueue)
	return core.Create(ctx, s.core, actor, ref.Organization, permit, func(tx store.Tx, in lockedCluster) (domain.QueueView,
		error) {
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return domain.QueueView{}, err
		}
		c := in.locked
		q := domain.NewQueue(given, c.ID, s.core.Clock(), &faults)
		if err := faults.Err(); err != nil {
			return domain.QueueView{}, err
		}
		if err := tx.InsertQueue(q, in.CreatorID()); err != nil {
			return domain.QueueView{}, err
		}
		c.QueueAdded(q)
		if err := tx.UpdateCluster(c, in.locked); err != nil {
			return domain.QueueView{}, err
		}
		return domain.QueueView{Queue: q, OrganizationSlug: in.Organization.Slug, CreatedBy: in.Creator()},
			s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.ClusterQueueCreated, core.QueueSubject(q), nil,
				core.FactsOfQueue(q))
	})
}

// UpdateQueue applies input to a queue and returns its new state.
func (s *Service) UpdateQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	input core.Input[domain.QueueInput], expected *core.Precondition[domain.QueueView]) (domain.QueueView, error) {
	return s.changeQueue(ctx, actor, ref, id, expected, func(q *domain.QueueView, _ *domain.User,
		faults *domain.Faults) error {
		given, err := input.Read(faults)
		if err == nil {
			q.Apply(given, faults)
		}
		return err
	})
}

// PauseQueue stops the dispatch of a queue's jobs.
//
// Returns Invalid if it is paused already.
func (s *Service) PauseQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	note core.Input[domain.Optional[string]]) (domain.QueueView, error) {
	return s.changeQueue(ctx, actor, ref, id, nil, func(q *domain.QueueView, by *domain.User,
		faults *domain.Faults) error {
		given, err := note.Read(faults)
		if err != nil {
			return err
		}
		if q.Paused != nil {
			return domain.NewError(domain.Invalid, domain.QueueAlreadyPaused)
		}
		q.Paused = &domain.Pause{At: s.core.Clock(), Note: domain.CheckPauseNote(given, faults)}
		q.PausedBy = by
		return nil
	})
}

// ResumeQueue lets the jobs of a paused queue be dispatched again.
//
// Returns Invalid if it is not paused.
func (s *Service) ResumeQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef,
	id string) (domain.QueueView, error) {
	resumed, err := s.changeQueue(ctx, actor, ref, id, nil, func(q *domain.QueueView, _ *domain.User,
		_ *domain.Faults) error {
		if q.Paused == nil {
			return domain.NewError(domain.Invalid, domain.QueueNotPaused)
		}
		q.Paused, q.PausedBy = nil, nil
		return nil
	})
	if err == nil {
		s.core.Publish(core.QueueTopic(resumed.ID))
	}
	return resumed, err
}

func (s *Service) changeQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	expected *core.Precondition[domain.QueueView],
	apply func(q *domain.QueueView, by *domain.User, faults *domain.Faults) error) (domain.QueueView, error) {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findQueue(actor, ref, id, authz.WriteQueue))
	return core.Change(ctx, s.core, actor, ref.Organization, func(tx store.Tx) (domain.QueueView, error) {
		in, _, err := s.core.LockCluster(tx, actor, ref, authz.WriteQueue)
		if err != nil {
			return domain.QueueView{}, err
		}
		q, err := queueIn(tx, in, id)
		if err != nil {
			return q, err
		}
		if err := expected.Check(q); err != nil {
			return q, err
		}
		before := core.FactsOfQueue(q.Queue)
		var faults domain.Faults
		if err := apply(&q, in.Person(), &faults); err != nil {
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
		return q, s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.ClusterQueueUpdated,
			core.QueueSubject(q.Queue), before, core.FactsOfQueue(q.Queue))
	})
}

// DeleteQueue deletes a queue. If it is the cluster's default queue, the cluster has none afterwards; when
// the last queue with hosted agents goes, the cluster's hosted settings go off.
func (s *Service) DeleteQueue(ctx context.Context, actor authz.Actor, ref domain.ClusterRef, id string,
	expected *core.Precondition[domain.QueueView]) error {
	expected = expected.Observe(ctx, s.core, actor, ref.Organization, s.findQueue(actor, ref, id, authz.WriteQueue))
	return s.core.Write(ctx, actor, ref.Organization, func(tx store.Tx) error {
		in, c, err := s.core.LockCluster(tx, actor, ref, authz.WriteQueue)
		if err != nil {
			return err
		}
		q, err := queueIn(tx, in, id)
		if err != nil {
			return err
		}
		if err := expected.Check(q); err != nil {
			return err
		}
		before := c
		c.QueueRemoved(q.Queue)
		if !c.HostedGitMirrorEnabled {
			if err := s.markGitMirror(tx, before); err != nil {
				return err
			}
		}
		if err := tx.UpdateCluster(c, before); err != nil {
			return err
		}
		if err := tx.DeleteQueue(q.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in.Identity), domain.ClusterQueueDeleted, core.QueueSubject(q.Queue),
			core.FactsOfQueue(q.Queue), nil)
	})
}
