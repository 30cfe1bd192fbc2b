package service

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

// How often signing in may fail within attemptWindow. Only who knows a user's browser can use up what it may fail:
// nobody is locked out of a browser that they signed in with before.
const (
	attemptWindow      = 15 * time.Minute
	attemptsPerBrowser = 10  // of a browser that the user signed in with before; the other limits do not apply to it
	attemptsPerPair    = 10  // for one user from one address
	attemptsPerAddress = 100 // for all users from one address, which many may share
	attemptsPerUser    = 100 // for one user from all addresses
	attemptsKept       = 30_000
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

// attemptLimit is how often attempts with something in common may fail.
type attemptLimit struct {
	key   string
	limit int
	own   bool // a success forgets the failures
}

// passwordLimits are the limits of an attempt to sign in with a password. Browser is the mark of one that the user
// signed in with before; empty: none. A user who does not exist is counted like one who does.
func passwordLimits(email, browser string, address netip.Addr) []attemptLimit {
	if browser != "" {
		return []attemptLimit{{"browser " + browser, attemptsPerBrowser, true}}
	}
	user, from := domain.HashToken(email), attemptAddress(address)
	return []attemptLimit{
		{"user " + user + " address " + from, attemptsPerPair, true},
		{"address " + from, attemptsPerAddress, false},
		{"user " + user, attemptsPerUser, false},
	}
}

// begin counts an attempt, before it is made, so that many at once are no way around the limits. Ended is called with
// what came of it: one that found out nothing is taken back.
//
// Returns RateLimited if there were too many.
func (a *signInAttempts) begin(limits []attemptLimit, now time.Time) (ended func(error), err error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for _, l := range limits {
		if c := a.counts[l.key]; c != nil && c.n >= l.limit && now.Before(c.until) {
			return nil, &domain.Error{Code: domain.RateLimited, Message: domain.TooManySignIns, RetryAfter: c.until.Sub(now)}
		}
	}
	counts := make([]*attemptCount, len(limits))
	for i, l := range limits {
		counts[i] = a.count(l.key, now)
	}
	return func(outcome error) {
		if isFailedSignIn(outcome) {
			return
		}
		a.mutex.Lock()
		defer a.mutex.Unlock()
		for i, l := range limits {
			counts[i].n--
			if outcome == nil && l.own {
				delete(a.counts, l.key)
			}
		}
	}, nil
}

// isFailedSignIn reports whether somebody did not prove who they are. Of single sign-on, that is Forbidden.
func isFailedSignIn(err error) bool {
	return errors.Is(err, errWrongSignIn) || errors.Is(err, errWrongCurrentPassword) ||
		domain.CodeOf(err) == domain.Forbidden
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

// makeRoom forgets what is over, and if that is nothing, those who failed least: an attack on one user is not forgotten
// because many others are named.
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

// logSignIn logs an attempt that failed or was refused, so that operators can see who is attacked and from where. What
// was typed is not logged: it may be a password.
func (s *Service) logSignIn(ctx context.Context, actor authz.Actor, email string, user domain.UserID, err error) {
	message := "sign-in failed"
	switch {
	case domain.CodeOf(err) == domain.RateLimited:
		message = "sign-in refused: too many failures"
	case !isFailedSignIn(err):
		return
	}
	attrs := []slog.Attr{slog.String("address", actor.Address.String())}
	if user != "" {
		attrs = append(attrs, slog.String("user", string(user)))
	}
	if email != "" {
		attrs = append(attrs, slog.String("email_sha256", domain.HashToken(domain.EmailKey(email))))
	}
	s.core.Logger.LogAttrs(ctx, slog.LevelWarn, message, attrs...)
}
