// Package service holds Penstock's operations. Each takes the actor who asks for it, decides whether
// they may in the transaction that reads what the decision depends on, applies the domain's rules, and
// stores the outcome. Every surface calls it, and nothing else imports internal/store.
package service

import (
	"context"
	"runtime"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/hosted"
	"penstock/internal/service/core"
)

// Service runs the operations on one database.
type Service struct {
	core   *core.Core
	hosted *hosted.Client // nil: hosted-agent changes are applied locally

	checkDocument func(query string) error

	activityRetentionDays int

	joining   domain.SSOJoining
	sendsMail bool

	hashing  chan struct{} // a place for each password that is being hashed
	attempts *signInAttempts
}

// Options configures a Service.
type Options struct {
	Core   *core.Core
	Hosted *hosted.Client
	// CheckDocument says what is wrong with a GraphQL document that a portal is to run; callers are shown it. Nil: nothing
	// is.
	CheckDocument func(query string) error

	Joining   domain.SSOJoining // who becomes a user by single sign-on
	SendsMail bool              // MailInvitations is called

	// for how long days of activity are kept, at least domain.MinActivityRetentionDays; 0: forever
	ActivityRetentionDays int
}

// New returns a service.
func New(o Options) *Service {
	return &Service{core: o.Core, hosted: o.Hosted, checkDocument: o.CheckDocument,
		hashing: make(chan struct{}, runtime.GOMAXPROCS(0)),
		joining: o.Joining, sendsMail: o.SendsMail, attempts: newSignInAttempts(),
		activityRetentionDays: o.ActivityRetentionDays}
}

// Ready reports whether the service can work: the database answers and is migrated. Anyone may ask.
func (s *Service) Ready(ctx context.Context, _ authz.Actor) error { return s.core.Store.Ready(ctx) }
