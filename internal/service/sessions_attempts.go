package service

import (
	"errors"
	"net/netip"
	"sync"
	"time"

	"penstock/internal/domain"
)

// How often signing in may fail within attemptWindow: for one user, and from one address, which many users may share.
const (
	attemptWindow      = 15 * time.Minute
	attemptsPerUser    = 10
	attemptsPerAddress = 100
	attemptsKept       = 10_000 // users and addresses whose failures are remembered at once
)

// signInAttempts counts the attempts to sign in that failed, or have not ended yet, in this process.
type signInAttempts struct {
	mutex  sync.Mutex
	counts map[string]*attemptCount
}

type attemptCount struct {
	n     int
	until time.Time
}

func newSignInAttempts() *signInAttempts { return &signInAttempts{counts: map[string]*attemptCount{}} }

// begin counts an attempt, before it is made, so that many at once are no way around the limits. Ended is told what came of it:
// one that did not fail because of the password is taken back, and a success forgets the user's failures.
//
// Returns RateLimited if there were too many. A user who does not exist is counted like one who does.
func (a *signInAttempts) begin(email string, address netip.Addr, now time.Time) (ended func(error), err error) {
	user, from := "user "+domain.HashToken(email), "address "+attemptAddress(address)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for key, limit := range map[string]int{user: attemptsPerUser, from: attemptsPerAddress} {
		if c := a.counts[key]; c != nil && c.n >= limit && now.Before(c.until) {
			return nil, &domain.Error{Code: domain.RateLimited, Message: domain.TooManySignIns, RetryAfter: c.until.Sub(now)}
		}
	}
	ofUser, ofAddress := a.count(user, now), a.count(from, now)
	return func(outcome error) {
		if errors.Is(outcome, errWrongSignIn) || errors.Is(outcome, errWrongCurrentPassword) {
			return
		}
		a.mutex.Lock()
		defer a.mutex.Unlock()
		ofUser.n--
		ofAddress.n--
		if outcome == nil {
			delete(a.counts, user)
		}
	}, nil
}

func (a *signInAttempts) count(key string, now time.Time) *attemptCount {
	c := a.counts[key]
	if c == nil || !now.Before(c.until) {
		if c == nil && len(a.counts) >= attemptsKept {
			a.makeRoom(now)
		}
		c = &attemptCount{until: now.Add(attemptWindow)}
		a.counts[key] = c
	}
	c.n++
	return c
}

// makeRoom forgets what is over, and if that is nothing, those who failed least: an attack on one user is not forgotten because
// many others are named.
func (a *signInAttempts) makeRoom(now time.Time) {
	for least := 0; len(a.counts) >= attemptsKept; least++ {
		for key, c := range a.counts {
			if !now.Before(c.until) || c.n <= least {
				delete(a.counts, key)
			}
		}
	}
}

// attemptAddress returns what stands for whoever is at an address: of IPv6, the network that one customer has.
func attemptAddress(address netip.Addr) string {
	if address.Is6() && !address.Is4In6() {
		network, _ := address.WithZone("").Prefix(64)
		return network.String()
	}
	return address.Unmap().String()
}
