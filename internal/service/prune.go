package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/store"
)

// pruneBatch is how many rows one transaction of prune is to delete at most, so that nobody waits long for it.
const pruneBatch = 1000

// prune runs batch, each time in a transaction of its own, until it deletes less than pruneBatch rows, and returns how many it
// deleted in all. Operators only.
func (s *Service) prune(ctx context.Context, actor authz.Actor, batch func(store.Tx) (int64, error)) (deleted int64, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return 0, err
	}
	for {
		n, err := change(ctx, s, batch)
		deleted += n
		if err != nil || n < pruneBatch {
			return deleted, err
		}
	}
}
