package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// IdempotencyTime is for how long a request with a key is remembered.
const IdempotencyTime = 24 * time.Hour

var (
	errOtherRequest = domain.NewError(domain.Invalid, "The Idempotency-Key was used for another request")
	errStillRunning = domain.NewError(domain.Conflict, "A request with this Idempotency-Key is still running")
	errKeyIgnored   = errors.New("a request with an idempotency key came to an operation that does not heed it: " +
		"use Create")
)

// Issued is a thing with the secret that is shown once, when it is made. Of a request with an idempotency key only the
// name is kept.
type Issued[T any] struct {
	Thing T
	Value domain.Secret
	Name  string // what it is, and its id
}

func (i Issued[T]) name() string { return i.Name }

// issued is an Issued of any thing.
type issued interface{ name() string }

// Create is Change for what makes something. Permit decides whether the actor may, and fn gets what it returns. If the
// actor's request has an idempotency key, what fn returns is stored with what it changes. When the same request comes
// again, permit is asked again, and what was stored is returned. A request that fails leaves nothing behind.
//
// Returns Invalid if the key was used for another request, and Conflict while the first one runs on this node, or if it
// made a secret.
func Create[P, T any](ctx context.Context, c *Core, actor authz.Actor, organization domain.OrganizationRef,
	permit func(store.Tx) (P, error), fn func(store.Tx, P) (T, error)) (value T, err error) {
	attempt := func(tx store.Tx) (T, error) {
		permitted, err := permit(tx)
		if err != nil {
			var none T
			return none, err
		}
		return fn(tx, permitted)
	}
	if actor.Idempotency == nil {
		return Change(ctx, c, actor, organization, attempt)
	}
	return changeOnce(ctx, c, actor, organization, attempt, func(tx store.Tx) (T, error) {
		if _, err := permit(tx); err != nil {
			var none T
			return none, err
		}
		return replay[T](tx, actor.Idempotency)
	})
}

// changeOnce runs fn under the actor's idempotency key if it is the first to do so, otherwise again.
func changeOnce[T any](ctx context.Context, c *Core, actor authz.Actor, organization domain.OrganizationRef, fn,
	again func(store.Tx) (T, error)) (value T, err error) {
	key := actor.Idempotency
	if _, running := c.runningKeys.LoadOrStore(key.ID(), true); running {
		return value, errStillRunning
	}
	defer c.runningKeys.Delete(key.ID())
	err = c.Write(ctx, actor, organization, func(tx store.Tx) error {
		var none T
		value, key.Replayed = none, false
		now := c.Now()
		claimed, err := tx.ClaimIdempotencyKey(key.ID(), key.Request(), now, now.Add(IdempotencyTime))
		if err != nil {
			return err
		}
		if !claimed {
			value, err = again(tx)
			return err
		}
		if value, err = fn(tx); err != nil {
			return err
		}
		outcome, err := writeOutcome(value)
		if err != nil {
			return err
		}
		return tx.SetIdempotentOutcome(key.ID(), outcome)
	})
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// replay returns what came of the request when it came first.
func replay[T any](tx store.Tx, key *authz.Idempotency) (value T, err error) {
	request, outcome, err := tx.IdempotentOutcome(key.ID())
	if err != nil {
		return value, err
	}
	if request != key.Request() {
		return value, errOtherRequest
	}
	key.Replayed = true
	return readOutcome[T](outcome)
}

// An outcome is JSON, with all that a type has to say: an empty list differs from none. Secrets that are shown every
// time are in it, such as the address of a pipeline's webhook.
var (
	writingOutcomes = json.JoinOptions(json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true),
		json.WithMarshalers(json.MarshalFunc(func(s domain.Secret) ([]byte, error) { return json.Marshal(s.Reveal()) })))
	readingOutcomes = json.WithUnmarshalers(json.UnmarshalFunc(func(text []byte, s *domain.Secret) error {
		return json.Unmarshal(text, (*string)(s))
	}))
)

func writeOutcome(value any) ([]byte, error) {
	if i, ok := value.(issued); ok {
		value = Issued[struct{}]{Name: i.name()}
	}
	text, err := json.Marshal(value, writingOutcomes)
	if err != nil {
		return nil, fmt.Errorf("an outcome cannot be stored: %w", err)
	}
	return text, nil
}

func readOutcome[T any](text []byte) (value T, err error) {
	if err := json.Unmarshal(text, &value, readingOutcomes); err != nil {
		return value, fmt.Errorf("a stored outcome cannot be read: %w", err)
	}
	if i, ok := any(value).(issued); ok {
		return value, domain.NewError(domain.Conflict, "This request was carried out before and made the "+i.name()+
			". Its secret is not shown again: delete it and make another one.")
	}
	return value, nil
}
