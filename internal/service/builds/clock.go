package builds

import (
	"context"
	"time"

	"penstock/internal/store"
)

// hasPassed reports whether a time has come by the database's clock, which all nodes share. nil never comes.
func hasPassed(tx store.Tx, at *time.Time) (bool, error) {
	if at == nil {
		return false, nil
	}
	now, err := tx.Now()
	return err == nil && !now.Before(*at), err
}

// storedNow returns the database's clock as times are stored and shown.
func storedNow(tx store.Tx) (time.Time, error) {
	now, err := tx.Now()
	return now.UTC().Truncate(time.Millisecond), err
}

// databaseClock is storedNow in a transaction of its own.
func (s *Service) databaseClock(ctx context.Context) (now time.Time, err error) {
	err = s.core.Store.Read(ctx, func(tx store.Tx) error {
		now, err = storedNow(tx)
		return err
	})
	return now, err
}
