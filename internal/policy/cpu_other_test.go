//go:build !linux

package policy_test

import "time"

var started = time.Now()

// threadTime stands in for a thread's processor time where the system does not tell it.
func threadTime() time.Duration { return time.Since(started) }
