//go:build !linux

package server

import "syscall"

// deferSilentConnections does nothing: connections that are silent take descriptors, and the oldest are closed for new
// ones.
func deferSilentConnections(_, _ string, _ syscall.RawConn) error { return nil }
