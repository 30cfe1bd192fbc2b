package builds

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// expiredBatch is how many jobs whose time is over are read at once.
const expiredBatch = 500

// scheduledFor is how long a job may wait for an agent, unless its organization has a shorter time.
const scheduledFor = 30 * 24 * time.Hour

// changeLapsed changes a job whose time is over. One that is gone needs no change.
func (s *Service) changeLapsed(fn func(c *change, j *jobChange)) func(context.Context, domain.JobID) error {
	return func(ctx context.Context, id domain.JobID) error {
		err := s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
			build, found, err := tx.BuildOfJob(id)
			if err != nil || !found {
				return err
			}
			c, err := openBuild(tx, build, "", e)
			if err != nil {
				return err
			}
			j, err := c.job(id)
			if err != nil {
				return err
			}
			fn(c, j)
			c.propagate()
			return c.save()
		})
		if domain.CodeOf(err) == domain.NotFound {
			return nil
		}
		return err
	}
}

// TimeOutJobs cancels jobs that have run for too long.
func (s *Service) TimeOutJobs(ctx context.Context, actor authz.Actor) error {
	return core.RunItems(ctx, s.core, actor, store.TimeOutJobs, func(tx store.Tx, now time.Time) ([]domain.JobID, error) {
		return tx.JobsPastDeadline(now, expiredBatch)
	}, s.changeLapsed(func(c *change, j *jobChange) {
		if j.now.State == flow.Running && j.now.Deadline != nil && !c.now.Before(*j.now.Deadline) {
			c.move(j, flow.TimingOut, "", "")
			if j.now.AgentID != nil {
				c.effects.Agents[*j.now.AgentID] = true
			}
		}
	}))
}

// RequeueJobs returns jobs to the queue that their agents have not accepted, or not started.
func (s *Service) RequeueJobs(ctx context.Context, actor authz.Actor) error {
	return core.RunItems(ctx, s.core, actor, store.RequeueJobs, func(tx store.Tx, now time.Time) ([]domain.JobID, error) {
		return tx.JobsNotTaken(now, now.Add(-domain.AssignedFor), now.Add(-domain.AcceptedFor), expiredBatch)
	}, s.changeLapsed(func(c *change, j *jobChange) {
		passed := func(since *time.Time, limit time.Duration) bool { return since != nil && c.now.Sub(*since) >= limit }
		switch {
		case j.now.State == flow.Assigned && passed(j.now.AssignedAt, domain.AssignedFor):
			c.requeue(j, flow.EventAssignedExpired)
		case j.now.State == flow.Accepted && passed(j.now.AcceptedAt, domain.AcceptedFor):
			c.requeue(j, flow.EventAcceptedExpired)
		}
	}))
}

// EndReservations lets others have jobs that a stack has reserved and not started in time.
func (s *Service) EndReservations(ctx context.Context, actor authz.Actor) error {
	return core.RunItems(ctx, s.core, actor, store.EndReservations, func(tx store.Tx, now time.Time) ([]domain.JobID,
		error) {
		return tx.JobsPastReservation(now, expiredBatch)
	}, s.changeLapsed(func(c *change, j *jobChange) {
		if j.now.State == flow.Reserved && j.now.ReservedUntil != nil && !c.now.Before(*j.now.ReservedUntil) {
			c.move(j, flow.Scheduled, "", "")
		}
	}))
}

// EndGraces revokes the tokens of jobs that were canceled by force: their agents then kill them.
func (s *Service) EndGraces(ctx context.Context, actor authz.Actor) error {
	return core.RunItems(ctx, s.core, actor, store.EndGraces, func(tx store.Tx, now time.Time) ([]domain.JobID, error) {
		return tx.JobsPastGrace(now, expiredBatch)
	}, s.changeLapsed(func(c *change, j *jobChange) {
		if j.now.State == flow.Canceling {
			c.end(j, ended{status: -1, reason: "cancel"})
			j.now.TokenHash, j.now.TokenUntil = nil, nil
		}
	}))
}

// ExpireJobs ends jobs for which no agent came in time.
func (s *Service) ExpireJobs(ctx context.Context, actor authz.Actor) error {
	return core.RunItems(ctx, s.core, actor, store.ExpireJobs, func(tx store.Tx, now time.Time) ([]domain.JobID, error) {
		return tx.ExpiredJobs(now, now.Add(-scheduledFor), expiredBatch)
	}, s.changeLapsed(func(c *change, j *jobChange) {
		switch j.now.State {
		case flow.Scheduled, flow.Limited, flow.Limiting, flow.Reserved:
			c.move(j, flow.Expired, flow.Errored, "")
		}
	}))
}
