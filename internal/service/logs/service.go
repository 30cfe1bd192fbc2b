// Package logs is the area of the service that is about the logs of jobs: agents add to them in pieces, people read
// them, and those of jobs that have ended are packed. It imports internal/service/core and what lies below.
package logs

import (
	"cmp"

	"penstock/internal/blob"
	"penstock/internal/service/core"
)

// Service stores logs and lets them be read.
type Service struct {
	core   *core.Core
	blobs  blob.Store // nil: no log is packed
	inRows int64      // bytes of a log that stays in the database
}

// Options configures a Service.
type Options struct {
	Core   *core.Core
	Blobs  blob.Store
	InRows int64 // bytes of a log that stays in the database; 0: DefaultInRows; below: none does
}

// DefaultInRows is how long a log is that stays in the database: an object of its own would cost more.
const DefaultInRows = 64 << 10

// New returns the service of logs.
func New(o Options) *Service {
	return &Service{core: o.Core, blobs: o.Blobs, inRows: cmp.Or(o.InRows, DefaultInRows)}
}
