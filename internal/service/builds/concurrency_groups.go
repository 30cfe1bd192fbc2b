package builds

import (
	"context"
	"slices"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// releaseGroup schedules the jobs of a concurrency group for which there is a slot. It reads whole only those, and
// those that have just come.
func releaseGroup(tx store.Tx, group domain.ConcurrencyGroupID, now time.Time, e *core.Effects) error {
	if err := tx.LockConcurrencyGroup(group); err != nil {
		return err
	}
	queued, err := tx.QueuedInGroup(group)
	if err != nil {
		return err
	}
	released := map[string]bool{}
	for _, id := range flow.Release(queued) {
		released[id] = true
	}
	var changing []string
	for _, q := range queued {
		if released[q.ID] || q.IsNew {
			changing = append(changing, q.ID)
		}
	}
	jobs, err := tx.LimitedJobs(changing)
	if err != nil {
		return err
	}
	before := slices.Clone(jobs)
	changes := make([]store.JobChange, len(jobs))
	var events []domain.JobEvent
	for i := range jobs {
		j := &jobs[i]
		changes[i] = store.JobChange{Before: &before[i], Now: j}
		if j.State == flow.Limiting {
			j.State = flow.Limited
			events = append(events, newEvent(j, flow.EventLimited, now, ""))
		}
		if released[string(j.ID)] {
			j.State, j.RunnableAt = flow.Scheduled, &now
			events = append(events, newEvent(j, flow.EventScheduled, now, ""))
			if j.QueueID != nil {
				e.Queues[*j.QueueID] = true
			}
		}
		e.Builds[j.BuildID] = true
	}
	return tx.UpdateJobs(changes, events)
}

// ReleaseGroups lets jobs go whose slot came free while nobody could let them go. It changes groups only in which one
// can.
func (s *Service) ReleaseGroups(ctx context.Context, actor authz.Actor) error {
	return core.RunItems(ctx, s.core, actor, store.ReleaseGroups, store.Tx.GroupsWithRoom, s.releaseGroup)
}

func (s *Service) releaseGroup(ctx context.Context, group domain.ConcurrencyGroupID) error {
	hasChange := false
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		queued, err := tx.QueuedInGroup(group)
		hasChange = len(flow.Release(queued)) > 0 || slices.ContainsFunc(queued, func(q flow.Queued) bool { return q.IsNew })
		return err
	})
	if err != nil || !hasChange {
		return err
	}
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		return releaseGroup(tx, group, now.Truncate(time.Millisecond), e)
	})
}
