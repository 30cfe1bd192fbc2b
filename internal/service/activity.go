package service

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// activity is that a user uses an organization.
type activity struct {
	organization domain.OrganizationID
	user         domain.UserID
}

// unrecordedActivity is why an operation was broken off: on this (UTC) day there is activity that is yet to be stored. It never
// leaves the recordingStore.
type unrecordedActivity struct {
	day  int64 // since 1970
	uses []activity
}

func (*unrecordedActivity) Error() string { return "activity is yet to be stored" }

const secondsPerDay = 24 * 60 * 60

// requireRecorded returns an unrecordedActivity, unless that the identity's user uses its organization today is stored. A
// portal is nobody's activity.
func (s *Service) requireRecorded(id *authz.Identity) error {
	if s.store.places == nil || id.User.ID == "" {
		return nil
	}
	day := s.now().Unix() / secondsPerDay
	use := activity{id.Organization.ID, id.User.ID}
	if _, known := s.store.on(day).Load(use); known {
		return nil
	}
	return &unrecordedActivity{day, []activity{use}}
}

// recordingStore is the store in which operations run. One that finds activity that is not stored is broken off, the activity is
// stored, durably and in a transaction of its own, and the operation is run again: its first use of a day costs a user that, any
// later one a look into a set, without a lock.
type recordingStore struct {
	*store.Store
	places  chan struct{} // one for each that records; nil: nothing is recorded
	timeout time.Duration
	stored  atomic.Pointer[storedActivity]
}

// How many count usage at once, and how many record activity: fewer than there are connections, so that tables that stall leave
// some to others.
const (
	countingPlaces  = 2
	recordingPlaces = 6
)

func newRecordingStore(o Options) *recordingStore {
	r := &recordingStore{Store: store.New(o.DB), timeout: o.UsageTimeout}
	if !o.UnrecordedActivity {
		r.places = make(chan struct{}, recordingPlaces)
	}
	return r
}

// storedActivity is the activity of a day that is known to be stored. It is as large as the number of users who were active.
type storedActivity struct {
	day  int64
	uses sync.Map // of activity
}

// on returns the activity of a day that is known to be stored, and forgets that of other days.
func (r *recordingStore) on(day int64) *sync.Map {
	for {
		known := r.stored.Load()
		if known != nil && known.day == day {
			return &known.uses
		}
		r.stored.CompareAndSwap(known, &storedActivity{day: day})
	}
}

// Read is store.Store.Read, with the activity recorded.
func (r *recordingStore) Read(ctx context.Context, fn func(store.Tx) error) error {
	return r.recorded(ctx, func() error { return r.Store.Read(ctx, fn) })
}

// ReadOne is store.Store.ReadOne, with the activity recorded.
func (r *recordingStore) ReadOne(ctx context.Context, fn func(store.Tx) error) error {
	return r.recorded(ctx, func() error { return r.Store.ReadOne(ctx, fn) })
}

// Write is store.Store.Write, with the activity recorded.
func (r *recordingStore) Write(ctx context.Context, fn func(store.Tx) error) error {
	return r.recorded(ctx, func() error { return r.Store.Write(ctx, fn) })
}

func (r *recordingStore) recorded(ctx context.Context, operation func() error) error {
	for {
		err := operation()
		if err == nil {
			return nil
		}
		missing, ok := errors.AsType[*unrecordedActivity](err)
		if !ok {
			return err
		}
		if err := r.record(ctx, missing); err != nil {
			return err
		}
	}
}

// record stores activity. Its failure is the operation's: whatever is served is paid for. A database that stalls here holds up
// those who record, within the time limit, and leaves connections to the others.
func (r *recordingStore) record(ctx context.Context, missing *unrecordedActivity) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	err := within(ctx, r.places, func() error {
		day := time.Unix(missing.day*secondsPerDay, 0)
		for _, use := range missing.uses {
			err := r.Store.Write(ctx, func(tx store.Tx) error {
				_, err := tx.InsertActivity(use.organization, use.user, day)
				return err
			})
			if err != nil {
				return err
			}
			r.on(missing.day).Store(use, nil)
		}
		return nil
	})
	if err != nil && domain.CodeOf(err) == 0 {
		return domain.UnavailableError("The service is temporarily unavailable. Please retry.", time.Second, err)
	}
	return err
}

// within runs fn as soon as one of the places is free, unless ctx is done before.
func within(ctx context.Context, places chan struct{}, fn func() error) error {
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
		return fn()
	case <-ctx.Done():
		return ctx.Err()
	}
}
