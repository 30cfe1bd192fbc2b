// Package artifacts is the area of the service that is about the files that jobs upload, and the reports of tests among
// them. It imports internal/service/core and what lies below.
package artifacts

import (
	"strings"
	"time"

	"penstock/internal/blob"
	"penstock/internal/service/core"
)

// Service stores artifacts and lets them be found and read.
type Service struct {
	core      *core.Core
	blobs     blob.Store
	baseURL   string
	retention time.Duration // 0: for ever
	tickets   ticketKeys
}

// Options configures a Service.
type Options struct {
	Core      *core.Core
	Blobs     blob.Store
	BaseURL   string        // begins the addresses of artifacts
	Retention time.Duration // how long artifacts are kept; 0: for ever
}

// New returns the service of artifacts.
func New(o Options) *Service {
	return &Service{core: o.Core, blobs: o.Blobs, baseURL: strings.TrimRight(o.BaseURL, "/"), retention: o.Retention}
}
