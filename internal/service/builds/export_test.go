package builds

import (
	"context"
	"time"

	"penstock/internal/store"
)

// Tickets for tests.
const (
	UploadTicket   = uploadTicket
	DownloadTicket = downloadTicket
	ReportTicket   = reportTicket
)

// NewTicket signs a ticket.
func NewTicket(key store.SigningKey, purpose ticketPurpose, subject string, until time.Time) string {
	return sign(key, purpose, subject, until)
}

// CheckTicket checks a ticket.
func CheckTicket(tx store.Tx, purpose ticketPurpose, subject, ticket string) error {
	return checkTicket(tx, purpose, subject, ticket)
}

// SigningKey returns the key that a node signs with.
func (s *Service) SigningKey(ctx context.Context) (store.SigningKey, error) { return s.signingKey(ctx) }

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
