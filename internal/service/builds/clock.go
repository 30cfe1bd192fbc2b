package builds

import (
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
