package artifacts

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"sync"
	"time"

	"penstock/internal/domain"
	"penstock/internal/store"
)

// A ticket lets whoever has it do one thing for a while, without any other credential: upload what was announced,
// download one artifact, or read the files of a report. It has the id of a key, when it ends, and a signature by that
// key, with dots between them.

// ticketPurpose is what a ticket is for.
type ticketPurpose string

const (
	uploadTicket   ticketPurpose = "upload"   // of the artifacts of a batch, whole
	partTicket     ticketPurpose = "part"     // of a part of an artifact
	downloadTicket ticketPurpose = "download" // of an artifact
	reportTicket   ticketPurpose = "report"   // of the artifacts of a job, by their paths
)

// How long tickets are good.
const (
	uploadTicketTime   = domain.ArtifactUploadTime
	agentDownloadTime  = 10 * time.Minute
	userDownloadTime   = time.Minute
	listedDownloadTime = 10 * time.Minute
	reportTime         = time.Hour
)

// How long a key is used to sign with, and how long what it has signed can be good.
const (
	keySigns = 24 * time.Hour
	keyLasts = keySigns + uploadTicketTime + time.Hour
)

var errTicket = domain.NewError(domain.Forbidden, "This address is not valid, or has expired")

// ticketKeys holds the key that tickets are signed with now.
type ticketKeys struct {
	mutex sync.Mutex
	key   store.SigningKey
	until time.Time // by this process's own clock
}

// signingKey returns the key to sign with. It is in the database, so that all nodes know it; the first that needs a new
// one makes it.
func (s *Service) signingKey(ctx context.Context) (store.SigningKey, error) {
	s.tickets.mutex.Lock()
	defer s.tickets.mutex.Unlock()
	if time.Now().Before(s.tickets.until) {
		return s.tickets.key, nil
	}
	err := s.core.Store.Write(ctx, func(tx store.Tx) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		key, found, err := tx.NewestSigningKey()
		if err != nil {
			return err
		}
		if !found || now.Sub(key.CreatedAt) >= keySigns {
			key = store.SigningKey{ID: newKeyID(), Secret: domain.Secret(rand.Text() + rand.Text()), CreatedAt: now,
				ExpiresAt: now.Add(keyLasts)}
			err = tx.InsertSigningKey(key)
		}
		s.tickets.key, s.tickets.until = key, time.Now().Add(keySigns-now.Sub(key.CreatedAt))
		return err
	})
	if err != nil {
		s.tickets.until = time.Time{}
	}
	return s.tickets.key, err
}

func newKeyID() string { return strings.ToLower(rand.Text()[:12]) }

// sign returns a ticket for a purpose and a subject.
func sign(key store.SigningKey, purpose ticketPurpose, subject string, until time.Time) string {
	ends := strconv.FormatInt(until.Unix(), 10)
	return key.ID + "." + ends + "." + base64.RawURLEncoding.EncodeToString(signature(key, purpose, subject, ends))
}

func signature(key store.SigningKey, purpose ticketPurpose, subject, ends string) []byte {
	mac := hmac.New(sha256.New, []byte(key.Secret.Reveal()))
	mac.Write([]byte(string(purpose) + "\x00" + subject + "\x00" + ends))
	return mac.Sum(nil)
}

// checkTicket returns Forbidden unless a ticket is good for a purpose and a subject.
func checkTicket(tx store.Tx, purpose ticketPurpose, subject, ticket string) error {
	id, rest, _ := strings.Cut(ticket, ".")
	ends, encoded, _ := strings.Cut(rest, ".")
	until, err := strconv.ParseInt(ends, 10, 64)
	if err != nil || len(ticket) > maxTicket || !domain.ValidText(id) {
		return errTicket
	}
	given, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return errTicket
	}
	key, found, err := tx.SigningKey(id)
	if err != nil {
		return err
	}
	now, err := tx.Now()
	switch {
	case err != nil:
		return err
	case !found || !now.Before(key.ExpiresAt) || !hmac.Equal(given, signature(key, purpose, subject, ends)) ||
		now.Unix() >= until:
		return errTicket
	}
	return nil
}

const maxTicket = 200 // bytes, more than any ticket has
