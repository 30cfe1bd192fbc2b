package core

import (
	"context"

	"penstock/internal/domain"
	"penstock/internal/store"
)

// NewBuild is a build that an area wants which does not make builds itself.
type NewBuild struct {
	domain.BuildInput
	Source  domain.BuildSource
	Creator domain.UserID // "": nobody
}

// MakeBuild creates a build of a pipeline, whose steps are planned before the transaction that stores them. Read
// returns what is wanted, if anything is; create begins the transaction and calls what it is given. Both are called
// again if what the build was planned for has changed meanwhile. The area of builds sets Core.MakeBuild.
type MakeBuild func(ctx context.Context, read func(store.Tx) (WantedBuild, bool, error),
	create func(store PlannedBuild) error) error

// WantedBuild is a new build and the pipeline that it is of.
type WantedBuild struct {
	Pipeline domain.Pipeline
	NewBuild
}

// PlannedBuild stores a build that was planned, of a pipeline that the transaction has locked, if it is still what is
// wanted. What it returns notifies others of the build; call it once the transaction is durable.
type PlannedBuild func(tx store.Tx, wanted WantedBuild) (b domain.Build, publish func(), err error)
