package builds

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// How many builds are deleted together, and how many jobs they may have, so that nobody waits for long meanwhile.
const (
	oldBuildsAtOnce = 20
	oldJobsAtOnce   = 500
)

// Agents that are away are kept for as long, and for as long as a job is that they ran. Many are only there for one.
const (
	oldAgentsKept   = 30 * 24 * time.Hour
	oldAgentsAtOnce = 500
)

// DeleteOldBuilds deletes the finished builds that organizations no longer keep, with their jobs, logs, artifacts and annotations, and then agents that have
// been away for long and that ran no job that is kept. Operators only.
func (s *Service) DeleteOldBuilds(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	var organizations []domain.OrganizationID
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		organizations, err = tx.OrganizationsThatDeleteBuilds()
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range organizations {
		for more := true; more; {
			if more, err = s.deleteOldBuilds(ctx, id); err != nil {
				return err
			}
		}
	}
	return s.deleteOldAgents(ctx)
}

func (s *Service) deleteOldAgents(ctx context.Context) error {
	for {
		var old []domain.AgentID
		err := s.core.Store.Read(ctx, func(tx store.Tx) error {
			now, err := tx.Now()
			if err == nil {
				old, err = tx.OldAgents(now.Add(-oldAgentsKept), oldAgentsAtOnce)
			}
			return err
		})
		if err != nil || len(old) == 0 {
			return err
		}
		if err := s.core.Store.Write(ctx, func(tx store.Tx) error { return tx.DeleteAgents(old) }); err != nil || len(old) < oldAgentsAtOnce {
			return err
		}
	}
}

// deleteOldBuilds deletes some builds that an organization no longer keeps, and reports whether others may be left.
func (s *Service) deleteOldBuilds(ctx context.Context, organization domain.OrganizationID) (more bool, err error) {
	err = s.write(ctx, func(tx store.Tx, e *effects) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		var deleted []domain.BuildID
		if deleted, more, err = tx.DeleteOldBuilds(organization, now, oldBuildsAtOnce, oldJobsAtOnce); err != nil {
			return err
		}
		for _, id := range deleted {
			e.builds[id] = true
		}
		return nil
	})
	return more, err
}
