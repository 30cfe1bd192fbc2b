package policy_test

import (
	"syscall"
	"time"
)

// threadTime is the processor time that the calling thread has taken. Unlike the time of day it does
// not pass while other programs run.
func threadTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
