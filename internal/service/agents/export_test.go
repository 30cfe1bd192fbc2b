package agents

import (
	"time"
)

// BreakWatch lets a server have stored heartbeats last so long ago, and the database's clock have stepped since then.
func BreakWatch(s *Service, ago, step time.Duration) {
	s.heartbeats.mutex.Lock()
	defer s.heartbeats.mutex.Unlock()
	s.heartbeats.watch.storedAt = s.heartbeats.watch.storedAt.Add(-ago)
	s.heartbeats.watch.clock = s.heartbeats.watch.clock.Add(-ago - step)
}

// AgeWatch lets the period in which a server stores heartbeats have begun so much earlier.
func AgeWatch(s *Service, by time.Duration) {
	s.heartbeats.mutex.Lock()
	defer s.heartbeats.mutex.Unlock()
	s.heartbeats.watch.since = s.heartbeats.watch.since.Add(-by)
}
