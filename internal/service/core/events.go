package core

import (
	"time"

	"penstock/internal/domain"
	"penstock/internal/store"
)

// NoticesTopic is woken when there is a notice to send.
const NoticesTopic = "notices"

// BuildEvents is told how builds go, in the transaction that stores it.
type BuildEvents interface {
	// BuildChanged is called when a build was created, and when it or its steps have changed. It reports whether there is a notice to send:
	// whoever calls it publishes NoticesTopic then, once the transaction is durable.
	BuildChanged(tx store.Tx, c BuildChange) (noticed bool, err error)
}

// BuildChange is what a transaction has changed about a build.
type BuildChange struct {
	Before, Now *domain.Build // the same state before if the build is new
	IsNew       bool
	Jobs        []JobChange // in the order of their ids
	At          time.Time   // by the database's clock
}

// JobChange is what a transaction has changed about a job.
type JobChange struct {
	Before, Now *domain.Job
	IsNew       bool
}
