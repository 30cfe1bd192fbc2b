package service

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// How long it is recorded that an item failed: of one that no loop has found since it was due, and of one that is set
// aside.
const (
	dueItemsKept   = 24 * time.Hour
	asideItemsKept = 90 * 24 * time.Hour
)

// PostponedItems returns what loops could not do, and either try again later or have set aside. Operators only.
func (s *Service) PostponedItems(ctx context.Context, actor authz.Actor) ([]domain.PostponedItem, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return nil, err
	}
	return core.View(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) ([]domain.PostponedItem, error) {
		return tx.PostponedItems()
	})
}

// ReleaseItems lets loops try at once what they have postponed or set aside, and returns how many items that are: those
// of a kind with an id, where "" is any. Operators only.
func (s *Service) ReleaseItems(ctx context.Context, actor authz.Actor, kind, id string) (int64, error) {
	if err := authz.CheckOperator(actor); err != nil {
		return 0, err
	}
	return core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (int64, error) {
		now, err := tx.Now()
		if err != nil {
			return 0, err
		}
		return tx.ReleaseItems(kind, id, now)
	})
}

// WatchPostponedItems returns how many items are set aside, per kind of work, and forgets items that are there no more.
// Operators only.
func (s *Service) WatchPostponedItems(ctx context.Context, actor authz.Actor) (setAside map[string]int64, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return nil, err
	}
	hasOld := false
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		if hasOld, err = tx.HasOldItems(now.Add(-dueItemsKept), now.Add(-asideItemsKept)); err != nil {
			return err
		}
		setAside, err = tx.CountSetAside()
		return err
	})
	if err != nil || !hasOld {
		return setAside, err
	}
	return setAside, s.core.Store.Write(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		return tx.PruneItems(now.Add(-dueItemsKept), now.Add(-asideItemsKept))
	})
}
