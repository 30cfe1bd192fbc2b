package server

import (
	"context"
	"math"
	"os"
	"runtime/debug"
	"syscall"

	"penstock/internal/httpcall"
)

// GCPercent is how far the heap may grow between collections, unless GOGC says otherwise. It holds a few megabytes, so
// that collecting it a quarter as often takes little memory and saves time in every request. Near the memory limit it
// is collected more often.
const GCPercent = 400

// MemoryLimit is what the Go runtime keeps its memory below, if it can, unless GOMEMLIMIT says otherwise.
const MemoryLimit = 1 << 30

// boundMemory sets what the runtime's own variables do not.
func boundMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(GCPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(MemoryLimit)
	}
}

const (
	bytesPart = 4 // bodies and answers together may have this part of the memory limit
	// connections for each request that can be served at once: most are idle, or agents wait on them for messages
	connectionsEach = 20
	minDescriptors  = 64
	// this part of the descriptors, from minDescriptors to maxDescriptors, is left to the database and files
	descriptorsPart = 4
	maxDescriptors  = 1024
)

// newLimits returns the limits of this process: as configured, and as memory and file descriptors allow.
func (s *server) newLimits(ctx context.Context) *httpcall.Limits {
	places, connections := s.Config.MaxInFlight, s.Config.MaxInFlight*connectionsEach
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err == nil && files.Cur < math.MaxInt32 {
		descriptors := int(files.Cur)
		connections = min(connections, max(1, descriptors-min(max(minDescriptors, descriptors/descriptorsPart),
			maxDescriptors)))
	}
	if fit := max(1, connections/2); fit < places {
		s.logger.WarnContext(ctx, "few file descriptors: fewer requests are served at once than --max-in-flight says",
			"descriptors", files.Cur, "connections", connections, "requests", fit)
		places = fit
	}
	limit := debug.SetMemoryLimit(-1) // asks only
	return httpcall.NewLimits(places, limit/bytesPart, connections)
}
