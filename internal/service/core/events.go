package core

import (
	"context"
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
	At          time.Time // by the database's clock
}

// BuildStarter creates builds for other areas, inside their transaction.
type BuildStarter interface {
	// StartBuild creates a build of a pipeline that is locked. Returns Invalid with what is wrong with the input, the pipeline's configuration
	// or its state.
	StartBuild(tx store.Tx, p domain.Pipeline, input domain.BuildInput, source domain.BuildSource, creator domain.UserID) (domain.Build, error)
	// CancelBuild cancels a build that is not over.
	CancelBuild(tx store.Tx, id domain.BuildID, reason string) error
}

// BuildWriter runs transactions in which builds are started.
type BuildWriter interface {
	WriteBuilds(ctx context.Context, fn func(tx store.Tx, start BuildStarter) error) error
}
