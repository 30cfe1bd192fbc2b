package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// PruneIdempotencyKeys deletes the idempotency keys that have expired. Operators only.
func (s *Service) PruneIdempotencyKeys(ctx context.Context, actor authz.Actor) (deleted int64, err error) {
	return s.core.Prune(ctx, actor, func(tx store.Tx) (int64, error) {
		return tx.PruneIdempotencyKeys(s.core.Now(), core.PruneBatch)
	})
}
