package core

import (
	"context"
	"errors"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Admit does what comes before an operation: the actor's credential is good, and that its user uses the organization
// today is stored. What they may do there, the operation decides in its own transaction. Operators, and visitors of the
// web interface, need no admission.
//
// Returns Unauthenticated, Forbidden if the credential may not be used from there, with whose it is, and Unavailable if
// the activity cannot be stored: what is not recorded is not served.
func (c *Core) Admit(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef) (
	authz.Admission, error) {
	if actor.Credential.Hash == "" {
		if actor.Surface == authz.Operator || actor.Surface == authz.Web {
			return authz.Admission{}, nil
		}
		return authz.Admission{}, ErrUnauthenticated
	}
	now := c.Now()
	key := admissionKey{actor.Credential, organization}
	if known, ok := c.activity.admitted(key, now); ok {
		return known, NotifyEntry(ctx, known.Organization)
	}
	var id authz.Identity
	var found bool
	err := c.Store.ReadStatement(ctx, func(tx store.Tx) (err error) {
		id, found, err = tx.Identity(actor.Credential, LookupOrganization(organization))
		return err
	})
	if err != nil {
		return authz.Admission{}, err
	}
	err = c.Authenticate(actor, &id, found)
	if err != nil && !errors.Is(err, ErrAddressNotAllowed) {
		return authz.Admission{}, err
	}
	caller := authz.Admission{User: id.User.ID}
	belongs := c.Belongs(actor, &id)
	if belongs {
		caller.Organization = id.Organization.ID
	}
	if err != nil {
		return caller, err
	}
	switch {
	case belongs:
		if err := NotifyEntry(ctx, id.Organization.ID); err != nil {
			return caller, err
		}
		if err := c.RecordActivity(ctx, &id); err != nil {
			return authz.Admission{}, err
		}
	case organization != NoOrganization:
		return caller, nil // they may belong to it a moment later
	}
	c.activity.admit(key, caller, now)
	return caller, nil
}

type enterKey struct{}

// OnEnter returns a context whose operations call fn before they use an organization. An error of fn refuses that.
func OnEnter(ctx context.Context, fn func(domain.OrganizationID) error) context.Context {
	return context.WithValue(ctx, enterKey{}, fn)
}

// NotifyEntry calls the function of OnEnter.
func NotifyEntry(ctx context.Context, organization domain.OrganizationID) error {
	fn, ok := ctx.Value(enterKey{}).(func(domain.OrganizationID) error)
	if !ok || organization == "" {
		return nil
	}
	return fn(organization)
}

// RecordActivity stores that the identity's user uses its organization today, unless that is known to be stored. A
// portal is nobody's activity.
func (c *Core) RecordActivity(ctx context.Context, id *authz.Identity) error {
	now := c.Now()
	if c.activity.isRecorded(id, now) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.UsageTimeout)
	defer cancel()
	err := RunInPlace(ctx, c.activity.places, func() error {
		return c.Store.Write(ctx, func(tx store.Tx) error {
			_, err := tx.InsertActivity(id.Organization.ID, id.User.ID, now)
			return err
		})
	})
	if code := domain.CodeOf(err); err != nil && (code == 0 || code == domain.UnknownOutcome) { // it can be stored again
		return domain.UnavailableError("The service is temporarily unavailable. Please retry.", time.Second, err)
	}
	if err == nil {
		c.activity.setRecorded(id, now)
	}
	return err
}

// errNotAdmitted means that the caller's membership changed after they were admitted.
var errNotAdmitted = domain.UnavailableError("Your membership has just changed. Please retry.", time.Second, nil)

const (
	// recordingPlaces is how many record activity at once: fewer than there are connections, so that tables that stall
	// leave some to others.
	recordingPlaces = 6
	// admissionTime is for how long an admission is good without another look at the database.
	admissionTime = time.Minute
	// maxAdmissions is how many admissions are kept.
	maxAdmissions = 100_000
)

// activityRecorder knows which activity of today and yesterday is stored, and who was admitted lately.
type activityRecorder struct {
	places chan struct{} // one for each that records; nil: nothing is recorded

	mutex            sync.RWMutex
	day              int64 // since 1970
	today, yesterday map[activity]bool
	admissions       map[admissionKey]admission
}

// activity is that a user uses an organization.
type activity struct {
	organization domain.OrganizationID
	user         domain.UserID
}

type admissionKey struct {
	credential   authz.Credential
	organization domain.OrganizationRef
}

type admission struct {
	caller authz.Admission
	at     time.Time
}

func dayOf(t time.Time) int64 {
	const secondsPerDay = 24 * 60 * 60
	return t.Unix() / secondsPerDay
}

// isRecorded reports whether it is stored that the identity's user uses its organization on the day of a time.
func (r *activityRecorder) isRecorded(id *authz.Identity, on time.Time) bool {
	if r.places == nil || id.User.ID == "" {
		return true
	}
	use := activity{id.Organization.ID, id.User.ID}
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	return dayOf(on) == r.day && r.today[use]
}

// isRecordedLately is isRecorded for an operation, whose admission may have been on the day before.
func (r *activityRecorder) isRecordedLately(id *authz.Identity, now time.Time) bool {
	if r.places == nil || id.User.ID == "" {
		return true
	}
	use := activity{id.Organization.ID, id.User.ID}
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	return dayOf(now) <= r.day+1 && (r.today[use] || r.yesterday[use])
}

// setRecorded records that the identity's activity on the day of a time is stored.
func (r *activityRecorder) setRecorded(id *authz.Identity, on time.Time) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.beginDay(dayOf(on))
	r.today[activity{id.Organization.ID, id.User.ID}] = true
}

// beginDay forgets what is older than the day before.
func (r *activityRecorder) beginDay(day int64) {
	if r.today != nil && day <= r.day {
		return
	}
	r.yesterday, r.today = r.today, map[activity]bool{}
	if day > r.day+1 {
		r.yesterday = nil
	}
	r.day, r.admissions = day, map[admissionKey]admission{}
}

// admitted returns who was admitted lately, and on this day.
func (r *activityRecorder) admitted(key admissionKey, now time.Time) (authz.Admission, bool) {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	known, ok := r.admissions[key]
	return known.caller, ok && dayOf(now) == r.day && now.Sub(known.at) < admissionTime
}

func (r *activityRecorder) admit(key admissionKey, caller authz.Admission, now time.Time) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.beginDay(dayOf(now))
	if len(r.admissions) >= maxAdmissions {
		clear(r.admissions)
	}
	r.admissions[key] = admission{caller, now}
}
