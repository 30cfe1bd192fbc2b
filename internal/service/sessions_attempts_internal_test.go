package service

import (
	"context"
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"penstock/internal/domain"
)

func TestAttemptsPerAddress(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, c := range []struct {
		first, second string
		shared        bool
	}{
		{"192.0.2.1", "192.0.2.1", true},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
		{"2001:db8::1", "2001:db8::ffff:2", true}, // one customer's network
		{"2001:db8::1", "2001:db8:0:1::1", false},
	} {
		a := newSignInAttempts()
		for i := range attemptsPerAddress {
			if _, err := a.begin(passwordLimits(fmt.Sprint(i), "", netip.MustParseAddr(c.first)), now); err != nil {
				t.Fatal(err)
			}
		}
		_, err := a.begin(passwordLimits("another", "", netip.MustParseAddr(c.second)), now)
		if limited := domain.CodeOf(err) == domain.RateLimited; limited != c.shared {
			t.Errorf("%s and then %s: %v", c.first, c.second, err)
		}
	}
}

// TestAttemptsThatFoundOutNothingAreTakenBack: those that are under way count, so that many at once are no way around the limit.
func TestAttemptsThatFoundOutNothingAreTakenBack(t *testing.T) {
	t.Parallel()
	a, now := newSignInAttempts(), time.Now()
	var ends []func(error)
	begin := func(email string) error {
		ended, err := a.begin(passwordLimits(email, "", netip.Addr{}), now)
		if err == nil {
			ends = append(ends, ended)
		}
		return err
	}
	for range attemptsPerPair {
		if err := begin("user"); err != nil {
			t.Fatal(err)
		}
	}
	if err := begin("user"); domain.CodeOf(err) != domain.RateLimited {
		t.Errorf("one more than the limit at once: %v", err)
	}
	ends[0](errWrongSignIn)
	ends[1](errWrongCurrentPassword)
	for _, ended := range ends[2:] {
		ended(context.Canceled)
	}
	for range attemptsPerPair - 2 {
		if err := begin("user"); err != nil {
			t.Fatalf("after two failures: %v", err)
		}
	}
	if err := begin("user"); domain.CodeOf(err) != domain.RateLimited {
		t.Errorf("the failures are forgotten: %v", err)
	}

	now = now.Add(attemptWindow)
	if err := begin("user"); err != nil {
		t.Fatal(err)
	}
	for _, ended := range ends[attemptsPerPair : len(ends)-1] {
		ended(context.Canceled) // of the window before
	}
	for range attemptsPerPair - 1 {
		if err := begin("user"); err != nil {
			t.Fatal(err)
		}
	}
	if err := begin("user"); domain.CodeOf(err) != domain.RateLimited {
		t.Errorf("what ends after its window makes room in the next: %v", err)
	}
	ends[len(ends)-1](nil)
	if err := begin("user"); err != nil {
		t.Errorf("after a success: %v", err)
	}
}

func TestAttemptsTakeBoundedMemory(t *testing.T) {
	t.Parallel()
	a, now := newSignInAttempts(), time.Now()
	for range attemptsPerPair {
		if _, err := a.begin(passwordLimits("attacked", "", netip.Addr{}), now); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 * attemptsKept {
		address := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		if _, err := a.begin(passwordLimits(fmt.Sprint("made up ", i), "", address), now); err != nil {
			t.Fatal(err)
		}
		if len(a.counts) > attemptsKept+2 {
			t.Fatalf("%d are remembered", len(a.counts))
		}
	}
	if _, err := a.begin(passwordLimits("attacked", "", netip.Addr{}), now); domain.CodeOf(err) != domain.RateLimited {
		t.Errorf("an attack was forgotten because many others were named: %v", err)
	}
}

func TestPasswordsWaitForAPlace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Service{hashing: make(chan struct{}, 1)}
		free, err := s.hashPlace(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.hashPlace(t.Context()); domain.CodeOf(err) != domain.Unavailable {
			t.Errorf("with all places taken: %v", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.hashPlace(gone); err == nil {
			t.Error("a caller who went away has a place")
		}
		free()
		if _, err := s.hashPlace(t.Context()); err != nil {
			t.Errorf("with a place free: %v", err)
		}
	})
}
