package core

import "context"

// HoldSessionReads lets reads of agents' sessions wait until release is called, which returns when they are done.
func (c *Core) HoldSessionReads() (release func()) {
	s := &c.sessions
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.running += maxSessionReads
	return func() {
		s.mutex.Lock()
		s.running -= maxSessionReads - 1
		s.mutex.Unlock()
		c.readWaitingSessions(context.Background())
	}
}

// WaitingSessionReads returns how many reads of agents' sessions wait.
func (c *Core) WaitingSessionReads() int {
	c.sessions.mutex.Lock()
	defer c.sessions.mutex.Unlock()
	return len(c.sessions.waiting)
}
