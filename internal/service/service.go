// Package service holds Penstock's operations. Each takes the actor who asks for it, decides whether
// they may in the transaction that reads what the decision depends on, applies the domain's rules, and
// stores the outcome. Every surface calls it, and nothing else imports internal/store.
package service

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/hosted"
	"penstock/internal/store"
)

// Service runs the operations on one database.
type Service struct {
	store  *recordingStore
	now    func() time.Time
	hosted *hosted.Client // nil: hosted-agent changes are applied locally
	logger *slog.Logger

	checkDocument func(query string) error
	checking      chan struct{} // a place for each configuration or query that is being checked

	counting              chan struct{} // a place for each organization whose usage is being counted
	usageTimeout          time.Duration
	activityRetentionDays int

	hashing  chan struct{} // a place for each password that is being hashed
	attempts *signInAttempts

	usedMutex sync.Mutex
	used      map[domain.APITokenID]tokenUse
}

// Options configures a Service.
type Options struct {
	DB     *db.DB
	Now    func() time.Time // nil: time.Now
	Hosted *hosted.Client
	Logger *slog.Logger // of what no caller is told; nil: nowhere
	// CheckDocument says what is wrong with a GraphQL document that a portal is to run; callers are shown it. Nil: nothing is.
	CheckDocument func(query string) error

	UsageTimeout          time.Duration // for counting an organization's users, and for recording one; 0: DefaultUsageTimeout
	ActivityRetentionDays int           // for how long days of activity are kept, at least domain.MinActivityRetentionDays; 0: for ever
	UnrecordedActivity    bool          // who uses what is not recorded, for measurements
}

// New returns a service on a migrated database.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.UsageTimeout == 0 {
		o.UsageTimeout = DefaultUsageTimeout
	}
	return &Service{store: newRecordingStore(o), now: o.Now, hosted: o.Hosted, logger: o.Logger, checkDocument: o.CheckDocument,
		checking: make(chan struct{}, runtime.GOMAXPROCS(0)), hashing: make(chan struct{}, runtime.GOMAXPROCS(0)),
		attempts: newSignInAttempts(), used: map[domain.APITokenID]tokenUse{},
		counting: make(chan struct{}, countingPlaces), usageTimeout: o.UsageTimeout, activityRetentionDays: o.ActivityRetentionDays}
}

// Input is what a caller sent, as far as it could be read, and what is wrong with it. Operations look at it
// only after the caller's permission is established, so that a stranger learns nothing from it.
type Input[T any] struct {
	value T
	err   error
}

// Value returns an Input with which nothing is wrong.
func Value[T any](v T) Input[T] { return Input[T]{value: v} }

// Sent returns the Input of a caller who sent v, with which err is wrong; nil: nothing.
func Sent[T any](v T, err error) Input[T] { return Input[T]{value: v, err: err} }

// Precondition refuses a change, with a PreconditionFailed error, unless the thing's present state is the
// one that the caller expects. Nil expects nothing.
type Precondition[V any] func(V) error

func (p Precondition[V]) check(v V) error {
	if p == nil {
		return nil
	}
	return p(v)
}

// read reads the input; its faults are added to those found later, any other failure is returned.
func (in Input[T]) read(faults *domain.Faults) (T, error) {
	return in.value, faults.AddError(in.err)
}

// view runs a reading operation of several statements.
func view[T any](ctx context.Context, s *Service, fn func(store.Tx) (T, error)) (value T, err error) {
	err = s.store.Read(ctx, func(tx store.Tx) error {
		value, err = fn(tx)
		return err
	})
	return value, err
}

// change runs a writing operation.
func change[T any](ctx context.Context, s *Service, fn func(store.Tx) (T, error)) (value T, err error) {
	err = s.store.Write(ctx, func(tx store.Tx) error {
		value, err = fn(tx)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// turnPatience is how long what takes processors and memory waits for its turn.
const turnPatience = 5 * time.Second

// takeTurn waits for one of the places and returns what gives it back.
//
// Returns Unavailable if none comes free in time.
func takeTurn(ctx context.Context, places chan struct{}) (leave func(), err error) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(turnPatience):
		return nil, domain.UnavailableError("The service is overloaded. Please retry.", time.Second, nil)
	}
}

// clock returns the present time as it is stored and shown.
func (s *Service) clock() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// Ready reports whether the service can work: the database answers and is migrated. Anyone may ask.
func (s *Service) Ready(ctx context.Context, _ authz.Actor) error { return s.store.Ready(ctx) }
