package builds

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/domain/builds"
	"penstock/internal/store"
)

// lapsedAtOnce is how many jobs or agents are looked at together whose time is over.
const lapsedAtOnce = 500

// scheduledFor is how long a job may wait for an agent, unless its organization has a shorter time.
const scheduledFor = 30 * 24 * time.Hour

// SetReady notes when this server began to answer agents. Agents that it could not hear before are not lost for that.
func (s *Service) SetReady(at time.Time) { s.readyAt = at }

// EndLapsed ends what has taken too long: jobs that run, wait or were not taken, and agents that are not heard any more.
func (s *Service) EndLapsed(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	for _, lapse := range []func(context.Context) error{s.endTimedOut, s.takeBackUntaken, s.endGraces, s.releaseGroups, s.loseAgents} {
		if err := lapse(ctx); err != nil {
			return err
		}
	}
	return nil
}

// eachLapsed finds jobs whose time is over and changes each in a transaction of its own.
func (s *Service) eachLapsed(ctx context.Context, find func(tx store.Tx, now time.Time) ([]domain.JobID, error), fn func(c *change, j *jobChange)) error {
	var lapsed []domain.JobID
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		lapsed, err = find(tx, now)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range lapsed {
		err := s.write(ctx, func(tx store.Tx, e *effects) error {
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
		if err != nil && domain.CodeOf(err) != domain.NotFound {
			return err
		}
	}
	return nil
}

// endTimedOut tells agents to end jobs that have run for too long.
func (s *Service) endTimedOut(ctx context.Context) error {
	return s.eachLapsed(ctx, func(tx store.Tx, now time.Time) ([]domain.JobID, error) {
		return tx.JobsPastDeadline(now, lapsedAtOnce)
	}, func(c *change, j *jobChange) {
		if j.now.State == builds.Running && j.now.Deadline != nil && !c.now.Before(*j.now.Deadline) {
			c.move(j, builds.TimingOut, "", "")
			if j.now.AgentID != nil {
				c.effects.agents[*j.now.AgentID] = true
			}
		}
	})
}

// takeBackUntaken gives jobs to other agents that theirs have not accepted, or not started.
func (s *Service) takeBackUntaken(ctx context.Context) error {
	return s.eachLapsed(ctx, func(tx store.Tx, now time.Time) ([]domain.JobID, error) {
		return tx.JobsNotTaken(now.Add(-domain.AssignedFor), now.Add(-domain.AcceptedFor), lapsedAtOnce)
	}, func(c *change, j *jobChange) {
		switch {
		case j.now.State == builds.Assigned && j.now.AssignedAt != nil && c.now.Sub(*j.now.AssignedAt) >= domain.AssignedFor:
			c.requeue(j, builds.EventAssignedExpired)
		case j.now.State == builds.Accepted && j.now.AcceptedAt != nil && c.now.Sub(*j.now.AcceptedAt) >= domain.AcceptedFor:
			c.requeue(j, builds.EventAcceptedExpired)
		}
	})
}

// endGraces takes the token of jobs that were canceled by force: their agents then kill them.
func (s *Service) endGraces(ctx context.Context) error {
	return s.eachLapsed(ctx, func(tx store.Tx, now time.Time) ([]domain.JobID, error) {
		return tx.JobsPastGrace(now, lapsedAtOnce)
	}, func(c *change, j *jobChange) {
		if j.now.State == builds.Canceling {
			c.end(j, ended{status: -1, reason: "cancel"})
			j.now.TokenHash, j.now.TokenUntil = nil, nil
		}
	})
}

// ExpireJobs ends jobs for which no agent came in time.
func (s *Service) ExpireJobs(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return s.eachLapsed(ctx, func(tx store.Tx, now time.Time) ([]domain.JobID, error) {
		return tx.ExpiredJobs(now, now.Add(-scheduledFor), lapsedAtOnce)
	}, func(c *change, j *jobChange) {
		switch j.now.State {
		case builds.Scheduled, builds.Limited, builds.Limiting, builds.Reserved:
			c.move(j, builds.Expired, builds.Errored, "")
		}
	})
}

// releaseGroups lets jobs go whose slot came free while nobody could tell them.
func (s *Service) releaseGroups(ctx context.Context) error {
	var waiting []domain.ConcurrencyGroupID
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		waiting, err = tx.WaitingGroups()
		return err
	})
	if err != nil {
		return err
	}
	for _, group := range waiting {
		err := s.write(ctx, func(tx store.Tx, e *effects) error {
			now, err := tx.Now()
			if err != nil {
				return err
			}
			return releaseGroup(tx, group, now.Truncate(time.Millisecond), e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// loseAgents gives up agents that were not heard for too long, and ends their jobs.
func (s *Service) loseAgents(ctx context.Context) error {
	if s.readyAt.IsZero() || time.Since(s.readyAt) < domain.AgentLostAfter {
		return nil
	}
	if err := s.saveHeartbeats(ctx); err != nil {
		return err
	}
	var silent []domain.AgentID
	err := s.core.Store.Read(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		silent, err = tx.SilentAgents(now.Add(-domain.AgentLostAfter), lapsedAtOnce)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range silent {
		if err := s.loseAgent(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) loseAgent(ctx context.Context, id domain.AgentID) error {
	return s.write(ctx, func(tx store.Tx, e *effects) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		seen, err := tx.LastSeen(id)
		if err != nil || seen != nil && now.Sub(*seen) < domain.AgentLostAfter { // it was heard meanwhile
			return err
		}
		if err := s.takeJob(tx, e, id, builds.EventAgentLost); err != nil {
			return err
		}
		return changeAgent(tx, id, func(a *domain.Agent, now time.Time) error {
			next, err := a.State.Next(builds.AgentIsSilent)
			if err != nil {
				return nil //nolint:nilerr // it is gone already
			}
			a.State, a.LostAt = next, &now
			e.changeAgent(a)
			return nil
		})
	})
}
