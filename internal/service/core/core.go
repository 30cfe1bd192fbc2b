// Package core is what every area of the service stands on: transactions, who asks, what they may do, locks, and the
// record of changes. Areas import it and never each other; it imports internal/store and what lies below.
package core

import (
	"context"
	"log/slog"
	"reflect"
	"runtime"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/flow"
	"penstock/internal/seal"
	"penstock/internal/steps"
	"penstock/internal/store"
)

// Core runs transactions on one database, in the name of those who ask for them. All areas of a service share one.
type Core struct {
	Store  *store.Store
	Now    func() time.Time
	Logger *slog.Logger // of what no caller sees

	Publish   func(topic string)                                        // wakes who waits for a topic, on all nodes
	Subscribe func(topic string) (changed <-chan struct{}, stop func()) // waits for a topic

	Events    BuildEvents // is called when builds and agents change; nil: nothing is
	TaskAdded Signal      // there is a task of a build
	LogEnded  Signal      // a job has ended whose log is to be packed

	MakeBuild MakeBuild // how areas that start builds create them; nil: they cannot

	UsageTimeout time.Duration // for counting an organization's users, and for recording one

	// JobEnv returns the variables that the agent of a job is given, or will be. The service of builds sets it.
	JobEnv func(store.Tx, domain.JobID) (map[string]string, error)

	// BuildVariables returns what conditions see of a build. The service of builds sets it.
	BuildVariables func(store.Tx, *domain.Build) (steps.Variables, error)

	// ReclaimJobOf requeues or ends the job of an agent that is gone. The service of builds sets it.
	ReclaimJobOf func(tx store.Tx, e *Effects, agent domain.AgentID, event flow.JobEvent) error

	// CancelJobOf cancels the job of an agent that is stopped by force. The service of builds sets it.
	CancelJobOf func(tx store.Tx, e *Effects, agent domain.AgentID, by domain.UserID) error

	// RecordAlive records that the agent whose session was read is alive. One that was lost is connected again. The
	// service of agents sets it.
	RecordAlive func(ctx context.Context, actor authz.Actor, session *store.AgentSession) error

	// Processors runs what callers' texts take long to do.
	Processors *Processors

	keyring *seal.Keyring // nil: nothing can be encrypted

	observeItem func(kind, outcome string)

	activity activityRecorder
	sessions sessionReads
	counting chan struct{} // a place for each organization whose usage is being counted

	tokenUsesMutex sync.Mutex
	tokenUses      map[domain.APITokenID]tokenUse

	blocked blockedUses

	runningKeys sync.Map // idempotency keys of requests that run
}

// Options configures a Core.
type Options struct {
	DB     *db.DB
	Now    func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nowhere

	Publish   func(topic string)                                        // nil: nobody waits for a topic
	Subscribe func(topic string) (changed <-chan struct{}, stop func()) // nil: nobody can

	Keyring *seal.Keyring // with which what must stay secret is encrypted; nil: none, and it is refused

	// ObserveItem is called with items of loops that have failed, and with those that are set aside; nil: nothing is.
	ObserveItem func(kind, outcome string)

	UsageTimeout       time.Duration // 0: DefaultUsageTimeout
	UnrecordedActivity bool          // who uses what is not recorded, for measurements
}

// DefaultUsageTimeout is how long counting an organization's users, or recording one, may take unless Options say
// otherwise.
const DefaultUsageTimeout = 5 * time.Second

// New returns the core of a service on a migrated database.
func New(o Options) *Core {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Publish == nil {
		o.Publish = func(string) {}
	}
	if o.Subscribe == nil {
		o.Subscribe = func(string) (<-chan struct{}, func()) { return nil, func() {} }
	}
	if o.ObserveItem == nil {
		o.ObserveItem = func(string, string) {}
	}
	if o.UsageTimeout == 0 {
		o.UsageTimeout = DefaultUsageTimeout
	}
	c := &Core{Store: store.New(o.DB), Now: o.Now, Logger: o.Logger, UsageTimeout: o.UsageTimeout, keyring: o.Keyring,
		Publish: o.Publish, Subscribe: o.Subscribe, TaskAdded: make(Signal, 1), LogEnded: make(Signal, 1),
		Processors: NewProcessors(runtime.GOMAXPROCS(0)), observeItem: o.ObserveItem, counting: make(chan struct{},
			countingPlaces),
		tokenUses: map[domain.APITokenID]tokenUse{}}
	if !o.UnrecordedActivity {
		c.activity.places = make(chan struct{}, recordingPlaces)
	}
	return c
}

// Clock returns the present time as it is stored and shown.
func (c *Core) Clock() time.Time { return c.Now().UTC().Truncate(time.Millisecond) }

// NoOrganization is for what is about no organization.
var NoOrganization domain.OrganizationRef

// Write runs fn in a transaction, after the actor was admitted to the organization, if one is named.
func (c *Core) Write(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	fn func(store.Tx) error) error {
	if _, err := c.Admit(ctx, actor, organization); err != nil {
		return err
	}
	return c.Store.Write(ctx, fn)
}

// View runs fn on one state of the database, after the actor was admitted to the organization, if one is named.
func View[T any](ctx context.Context, c *Core, actor authz.Actor, organization domain.OrganizationRef,
	fn func(store.Tx) (T, error)) (T, error) {
	return viewBy(ctx, c, c.Store.Read, actor, organization, fn)
}

// ViewStatement is View for an fn that runs a single statement, which needs no transaction around it.
func ViewStatement[T any](ctx context.Context, c *Core, actor authz.Actor, organization domain.OrganizationRef,
	fn func(store.Tx) (T, error)) (T, error) {
	return viewBy(ctx, c, c.Store.ReadStatement, actor, organization, fn)
}

func viewBy[T any](ctx context.Context, c *Core, read func(context.Context, func(store.Tx) error) error,
	actor authz.Actor, organization domain.OrganizationRef, fn func(store.Tx) (T, error)) (value T, err error) {
	if _, err := c.Admit(ctx, actor, organization); err != nil {
		return value, err
	}
	err = read(ctx, func(tx store.Tx) error {
		value, err = fn(tx)
		return err
	})
	return value, err
}

// Change is Write for an fn that returns a value. A request that may have an idempotency key is for Create.
func Change[T any](ctx context.Context, c *Core, actor authz.Actor, organization domain.OrganizationRef,
	fn func(store.Tx) (T, error)) (value T, err error) {
	if actor.Idempotency != nil {
		return value, errKeyIgnored
	}
	err = c.Write(ctx, actor, organization, func(tx store.Tx) error {
		value, err = fn(tx)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return value, nil
}

// Input is what a caller sent, and what is wrong with it. Operations look at it only after the caller's permission is
// established, so that a stranger learns nothing from it.
type Input[T any] struct {
	value T
	err   error
}

// Value returns an Input with which nothing is wrong.
func Value[T any](v T) Input[T] { return Input[T]{value: v} }

// Sent returns what a caller sent, as far as it could be read, and what is wrong with it.
func Sent[T any](v T, err error) Input[T] { return Input[T]{v, err} }

// Read returns what the caller sent. Its faults are added to those found later, any other failure is returned.
func (in Input[T]) Read(faults *domain.Faults) (T, error) {
	return in.value, faults.AddError(in.err)
}

// Precondition is a caller's wish that a thing is changed only if it is still as they have seen it. Nil expects
// nothing.
//
// How a thing is shown only its surface knows, and what is true only the transaction that changes it: so Observe lets
// the surface look at the thing before that transaction, and Check finds inside it whether the thing has changed since.
type Precondition[V any] struct {
	matches func(V) bool // whether the caller has seen the thing as it is
	refusal error        // of a change of a thing that is not as the caller has seen it
	seen    V
	err     error
}

// Expect returns the precondition that matches holds for the thing. Otherwise refusal, a PreconditionFailed error, is
// returned.
func Expect[V any](matches func(V) bool, refusal error) *Precondition[V] {
	return &Precondition[V]{matches: matches, refusal: refusal}
}

// Observe looks at the thing that find returns. What comes of it, Check returns: an operation refuses what else is
// wrong first.
func (p *Precondition[V]) Observe(ctx context.Context, c *Core, actor authz.Actor, organization domain.OrganizationRef,
	find func(store.Tx) (V, error)) *Precondition[V] {
	if p == nil {
		return nil
	}
	seen, err := View(ctx, c, actor, organization, find)
	if err == nil && !p.matches(seen) {
		err = p.refusal
	}
	return &Precondition[V]{refusal: p.refusal, seen: seen, err: err}
}

// Check returns the refusal unless the thing, as the transaction finds it, is what Observe has seen, and the caller
// before it.
func (p *Precondition[V]) Check(v V) error {
	switch {
	case p == nil:
		return nil
	case p.err == nil && !reflect.DeepEqual(withoutCounts(p.seen), withoutCounts(v)):
		return p.refusal
	}
	return p.err
}

// withoutCounts returns a thing without how much belongs to it, if it says that: others change that all the time.
func withoutCounts[V any](v V) V {
	if counted, ok := any(v).(interface{ WithoutCounts() V }); ok {
		return counted.WithoutCounts()
	}
	return v
}

// turnTimeout is how long what takes processors and memory waits for its turn.
const turnTimeout = 5 * time.Second

// AcquireTurn waits for one of the places and returns what releases it.
//
// Returns Unavailable if none comes free in time.
func AcquireTurn(ctx context.Context, places chan struct{}) (leave func(), err error) {
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(turnTimeout):
		return nil, domain.UnavailableError("The service is overloaded. Please retry.", time.Second, nil)
	}
}

// RunInPlace runs fn as soon as one of the places is free, unless ctx is done before.
func RunInPlace(ctx context.Context, places chan struct{}, fn func() error) error {
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
		return fn()
	case <-ctx.Done():
		return ctx.Err()
	}
}
