package core

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// IdempotencyTime is for how long a request with a key is remembered.
const IdempotencyTime = 24 * time.Hour

var errOtherRequest = domain.NewError(domain.Invalid, "The Idempotency-Key was used for another request")

// Issued is a thing with the secret that is shown once, when it is made.
type Issued[T any] struct {
	Thing T
	Value domain.Secret
}

// changeOnce is Change for a request with an idempotency key: what fn returns is stored with what it changes, and returned again when the
// same request comes again. A request that fails leaves nothing behind.
//
// Returns Invalid if the key was used for another request.
func changeOnce[T any](ctx context.Context, c *Core, actor authz.Actor, organization domain.OrganizationRef, fn func(store.Tx) (T, error)) (value T, err error) {
	key := actor.Idempotency
	err = c.Write(ctx, actor, organization, func(tx store.Tx) error {
		var none T
		value, key.Replayed = none, false
		now := c.Now()
		claimed, err := tx.ClaimIdempotencyKey(key.ID(), key.Request(), now, now.Add(IdempotencyTime))
		if err != nil {
			return err
		}
		if !claimed {
			value, err = replay[T](tx, c, actor, organization)
			return err
		}
		if value, err = fn(tx); err != nil {
			return err
		}
		sealed, err := sealOutcome(key, value)
		if err != nil {
			return err
		}
		return tx.SetIdempotentOutcome(key.ID(), sealed)
	})
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// replay returns what came of the request when it came first, if its caller is still somebody in the organization.
func replay[T any](tx store.Tx, c *Core, actor authz.Actor, organization domain.OrganizationRef) (value T, err error) {
	id, found, err := tx.Identity(actor.Credential, LookupOrganization(organization))
	if err != nil {
		return value, err
	}
	if err := c.Authenticate(actor, &id, found); err != nil {
		return value, err
	}
	if organization != NoOrganization && !c.Belongs(actor, &id) {
		return value, domain.Missing("organization")
	}
	if !addressAllowed(actor, id.Organization.Settings) {
		return value, ErrAddressNotAllowed
	}
	request, sealed, err := tx.IdempotentOutcome(actor.Idempotency.ID())
	if err != nil {
		return value, err
	}
	if request != actor.Idempotency.Request() {
		return value, errOtherRequest
	}
	actor.Idempotency.Replayed = true
	return openOutcome[T](actor.Idempotency, sealed)
}

// An outcome is JSON, with all that a type has to say: an empty list is told from none, and a secret is not redacted.
var (
	writingOutcomes = json.JoinOptions(json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true),
		json.WithMarshalers(json.MarshalFunc(func(s domain.Secret) ([]byte, error) { return json.Marshal(s.Reveal()) })))
	readingOutcomes = json.WithUnmarshalers(json.UnmarshalFunc(func(text []byte, s *domain.Secret) error { return json.Unmarshal(text, (*string)(s)) }))
)

func sealOutcome(key *authz.Idempotency, value any) ([]byte, error) {
	text, err := json.Marshal(value, writingOutcomes)
	if err != nil {
		return nil, fmt.Errorf("an outcome cannot be stored: %w", err)
	}
	aead, err := newOutcomeCipher(key)
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, text, []byte(key.ID())), nil
}

func openOutcome[T any](key *authz.Idempotency, sealed []byte) (value T, err error) {
	aead, err := newOutcomeCipher(key)
	if err != nil {
		return value, err
	}
	text, err := aead.Open(nil, nil, sealed, []byte(key.ID()))
	if err != nil {
		return value, fmt.Errorf("a stored outcome cannot be opened: %w", err)
	}
	return value, json.Unmarshal(text, &value, readingOutcomes)
}

func newOutcomeCipher(key *authz.Idempotency) (cipher.AEAD, error) {
	secret, err := key.SealingKey()
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
