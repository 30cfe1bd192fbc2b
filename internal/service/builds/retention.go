package builds

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// oldBuildsAtOnce is how many builds are looked for together that are to be deleted.
const oldBuildsAtOnce = 100

// Agents that are away are kept for as long, and for as long as a job is that they ran. Many are only there for one.
const (
	oldAgentsKept   = 30 * 24 * time.Hour
	oldAgentsAtOnce = 500
)

// DeleteOldBuilds deletes the finished builds that organizations no longer keep, with their jobs, logs, artifacts and
// annotations, and then agents that have been away for long and that ran no job that is kept. Operators only.
func (s *Service) DeleteOldBuilds(ctx context.Context, actor authz.Actor) error {
	if err := authz.CheckOperator(actor); err != nil {
		return err
	}
	return core.RunAll(ctx, s.deleteOldBuilds, s.deleteOldAgents)
}

// deleteOldBuilds deletes each build in a transaction of its own: one may have very many jobs.
func (s *Service) deleteOldBuilds(ctx context.Context) error {
	var all []store.BuildRetention
	err := s.core.Store.Read(ctx, func(tx store.Tx) (err error) {
		all, err = tx.BuildRetentions()
		return err
	})
	if err != nil {
		return err
	}
	work := core.Items[domain.BuildID]{Kind: store.DeleteOldBuilds, ID: core.SameID[domain.BuildID],
		Do: core.OneByOne(s.deleteOldBuild)}
	for _, kept := range all {
		find := func(tx store.Tx, now time.Time) ([]domain.BuildID, error) {
			return tx.OldBuilds(kept, now, oldBuildsAtOnce)
		}
		if err := core.RunPages(ctx, s.core, oldBuildsAtOnce, find, work); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) deleteOldBuild(ctx context.Context, id domain.BuildID) error {
	return s.core.WriteAndPublish(ctx, func(tx store.Tx, e *core.Effects) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		e.Builds[id] = true
		return tx.DeleteOldBuild(id, now)
	})
}

func (s *Service) deleteOldAgents(ctx context.Context) error {
	return core.RunPages(ctx, s.core, oldAgentsAtOnce, func(tx store.Tx, now time.Time) ([]domain.AgentID, error) {
		return tx.OldAgents(now, now.Add(-oldAgentsKept), oldAgentsAtOnce)
	}, core.Items[domain.AgentID]{Kind: store.DeleteOldAgents, ID: core.SameID[domain.AgentID], Batch: oldAgentsAtOnce,
		Do: func(ctx context.Context, some []domain.AgentID) error {
			return s.core.Store.Write(ctx, func(tx store.Tx) error { return tx.DeleteAgents(some) })
		}})
}
