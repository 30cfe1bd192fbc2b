// Package builds is the area of the service that is about builds and their jobs: what people ask for, and the calls of
// agents that move jobs on. It imports internal/service/core and what lies below.
package builds

import (
	"strings"

	"penstock/internal/service/core"
)

// Service changes builds and jobs.
type Service struct {
	core    *core.Core
	baseURL string

	turns      planningTurns
	changes    batches // of calls that change jobs
	claims     batches // of calls that claim or accept jobs
	busyAgents busyAgents
}

// Options configures a Service.
type Options struct {
	Core    *core.Core
	BaseURL string // begins the addresses of things
}

// New returns the service of builds.
func New(o Options) *Service {
	s := &Service{core: o.Core, baseURL: strings.TrimRight(o.BaseURL, "/"), turns: newPlanningTurns()}
	o.Core.JobEnv = s.envOfJob
	o.Core.BuildVariables = readVariables
	o.Core.MakeBuild = s.makeBuild
	o.Core.ReclaimJobOf, o.Core.CancelJobOf = reclaimJobOf, cancelJobOf
	return s
}
