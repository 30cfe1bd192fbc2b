package core

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/store"
)

// PruneBatch is how many rows one transaction of prune is to delete at most, so that nobody waits long for it.
const PruneBatch = 1000

// Prune runs batch, each time in a transaction of its own, until it deletes less than PruneBatch rows, and returns how
// many it deleted in all. Operators only.
func (c *Core) Prune(ctx context.Context, actor authz.Actor, batch func(store.Tx) (int64, error)) (
	deleted int64, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return 0, err
	}
	for {
		n, err := Change(ctx, c, actor, NoOrganization, batch)
		deleted += n
		if err != nil || n < PruneBatch {
			return deleted, err
		}
	}
}
