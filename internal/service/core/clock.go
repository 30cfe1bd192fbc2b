package core

import (
	"context"
	"time"

	"penstock/internal/store"
)

// StoredNow returns the database's clock as times are stored and shown.
func StoredNow(tx store.Tx) (time.Time, error) {
	now, err := tx.Now()
	return now.UTC().Truncate(time.Millisecond), err
}

// DatabaseClock is StoredNow in a transaction of its own.
func (c *Core) DatabaseClock(ctx context.Context) (now time.Time, err error) {
	err = c.Store.Read(ctx, func(tx store.Tx) error {
		now, err = StoredNow(tx)
		return err
	})
	return now, err
}

// hasPassed reports whether a time has come by the database's clock, which all nodes share. nil never comes.
func hasPassed(tx store.Tx, at *time.Time) (bool, error) {
	if at == nil {
		return false, nil
	}
	now, err := tx.Now()
	return err == nil && !now.Before(*at), err
}
