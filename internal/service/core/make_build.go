package core

import (
	"penstock/internal/domain"
	"penstock/internal/store"
)

// NewBuild is a build that an area wants which does not make builds itself.
type NewBuild struct {
	domain.BuildInput
	Source  domain.BuildSource
	Creator domain.UserID // "": nobody
}

// MakeBuild creates a build of a pipeline that the transaction has locked. What it returns tells others of the build; call it once the transaction is
// durable. The area of builds sets Core.MakeBuild.
type MakeBuild func(tx store.Tx, p domain.Pipeline, n NewBuild) (b domain.Build, publish func(), err error)
