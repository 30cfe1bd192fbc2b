package artifacts

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
