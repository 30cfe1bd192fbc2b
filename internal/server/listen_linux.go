package server

import (
	"syscall"
	"time"
)

// silentTime is for how long the kernel keeps connections on which nothing has come. They take no descriptor meanwhile.
const silentTime = 5 * time.Second

// deferSilentConnections makes the kernel hand over connections only once they have sent something.
func deferSilentConnections(_, _ string, raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(descriptor uintptr) {
		failed = syscall.SetsockoptInt(int(descriptor), syscall.IPPROTO_TCP, syscall.TCP_DEFER_ACCEPT,
			int(silentTime.Seconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
