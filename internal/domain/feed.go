package domain

import (
	"time"

	"penstock/internal/flow"
)

// FeedProject is a pipeline as feeds show it to programs that watch builds.
type FeedProject struct {
	Name, Slug string
	IsBuilding bool
	LastNumber int64 // of the last build that finished; 0: none has
	LastState  flow.BuildState
	LastAt     *time.Time
}
