package graph

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"penstock/internal/domain"
)

// TestACallerHasAFewRequestsInFlight lets a caller send too many: the first begin, others wait, the rest is refused, and nobody else is
// kept from theirs.
func TestACallerHasAFewRequestsInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(8)
		if cap(turns.running) != 6 || turns.perCaller != 4 {
			t.Fatalf("%d documents run, %d of a caller", cap(turns.running), turns.perCaller)
		}
		var inFlight []*turn
		for range 4 {
			one, err := turns.enter(t.Context(), "greedy")
			if err != nil {
				t.Fatal(err)
			}
			inFlight = append(inFlight, one)
		}
		results := make(chan error, 200)
		for range 110 {
			go func() {
				one, err := turns.enter(t.Context(), "greedy")
				results <- err
				if err == nil {
					one.leave()
				}
			}()
		}
		synctest.Wait()
		if refused := len(results); refused != 0 {
			t.Errorf("%d were refused at once, and can be sent again at once", refused)
		}
		<-time.After(time.Second)
		synctest.Wait()
		if refused := len(results); refused != 10 {
			t.Errorf("%d were refused", refused)
		}
		for range 10 {
			wantRateLimited(t, <-results)
		}
		modest, err := turns.enter(t.Context(), "modest")
		if err != nil {
			t.Fatal(err)
		}
		modest.leave()

		inFlight[0].leave() // one after the other gets this place
		for range 100 {
			if err := <-results; err != nil {
				t.Fatal(err)
			}
		}
		restored, err := turns.enter(t.Context(), "greedy")
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = turns.enter(t.Context(), "greedy")
		wantRateLimited(t, err)
		if waited := time.Since(start); waited != callerTimeout {
			t.Errorf("waited %v", waited)
		}
		gone, leaveNow := context.WithCancel(t.Context())
		leaveNow()
		if _, err := turns.enter(gone, "greedy"); !errors.Is(err, context.Canceled) {
			t.Errorf("who went away got %v", err)
		}
		restored.leave()
		for _, one := range inFlight[1:] {
			one.leave()
		}
		if len(turns.callers) != 0 {
			t.Errorf("%d callers are remembered", len(turns.callers))
		}
	})
}

func wantRateLimited(t *testing.T, err error) {
	t.Helper()
	if refused, ok := errors.AsType[*domain.Error](err); !ok || refused.Code != domain.RateLimited || refused.RetryAfter != time.Second {
		t.Errorf("got %v", err)
	}
}

// TestPlacesForDocuments leaves some of the snapshots to pages, and some of GraphQL's to other callers.
func TestPlacesForDocuments(t *testing.T) {
	t.Parallel()
	for places, want := range map[int][2]int{1: {1, 1}, 2: {1, 1}, 4: {3, 2}, 8: {6, 4}, 32: {24, 4}} {
		if turns := newTurns(places); cap(turns.running) != want[0] || turns.perCaller != want[1] {
			t.Errorf("%d places: %d documents run, %d of a caller", places, cap(turns.running), turns.perCaller)
		}
	}
}
