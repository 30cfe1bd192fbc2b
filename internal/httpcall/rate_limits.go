package httpcall

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"penstock/internal/domain"
)

// Limiter counts what callers use, by key and in windows of a fixed length. Each node of an installation counts for
// itself. A nil Limiter counts nothing.
type Limiter struct {
	scope  string
	prefix string // of its headers
	limit  int    // 0: none, but it counts
	length time.Duration

	mutex  sync.Mutex
	window time.Time
	counts map[string]int
}

// NewLimiter returns a limit on what is used in a window. Its scope is its name, and the prefix that of its headers'
// names. With a limit of 0 it counts, and neither refuses anything nor has headers.
func NewLimiter(scope, prefix string, limit int, window time.Duration) *Limiter {
	return &Limiter{scope: scope, prefix: prefix, limit: limit, length: window}
}

// Enforced reports whether anything is ever refused.
func (l *Limiter) Enforced() bool { return l != nil && l.limit > 0 }

// LimitUse is how much of a limit is used in a window.
type LimitUse struct {
	Scope   string
	Limit   int // 0: none
	Current int
	Reset   time.Duration // until the window ends
	ResetAt time.Time
}

// Use returns how much of its limit a key has used.
func (l *Limiter) Use(key string, now time.Time) LimitUse { return l.Add(key, 0, now) }

// Add counts n for a key and returns how much it has used with that.
func (l *Limiter) Add(key string, n int, now time.Time) LimitUse {
	if l == nil {
		return LimitUse{}
	}
	window := now.Truncate(l.length)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if !window.Equal(l.window) {
		l.window, l.counts = window, map[string]int{}
	}
	if n > 0 {
		l.counts[key] += n
	}
	end := window.Add(l.length)
	return LimitUse{Scope: l.scope, Limit: l.limit, Current: l.counts[key], Reset: end.Sub(now), ResetAt: end}
}

// CountRequest counts a request of key, says in the headers how many are left, and returns a RateLimited error, which
// is a *LimitError, if none were.
func (l *Limiter) CountRequest(key string, now time.Time, header http.Header) error {
	use := l.Add(key, 1, now)
	l.Show(use, header)
	if use.Limit == 0 || use.Current <= use.Limit {
		return nil
	}
	return use.Refuse()
}

// Show says in the headers how much is left.
func (l *Limiter) Show(use LimitUse, header http.Header) {
	if use.Limit == 0 {
		return
	}
	header.Set(l.prefix+"Scope", use.Scope)
	header.Set(l.prefix+"Limit", strconv.Itoa(use.Limit))
	header.Set(l.prefix+"Remaining", strconv.Itoa(max(0, use.Limit-use.Current)))
	header.Set(l.prefix+"Reset", strconv.Itoa(use.ResetSeconds()))
}

// Exhausted reports whether there is a limit and nothing of it is left.
func (u LimitUse) Exhausted() bool { return u.Limit > 0 && u.Current >= u.Limit }

// ResetSeconds returns Reset in whole seconds, rounded up.
func (u LimitUse) ResetSeconds() int { return int((u.Reset + time.Second - 1) / time.Second) }

// Refuse returns the RateLimited error of who has used too much.
func (u LimitUse) Refuse() *LimitError {
	return u.RefuseWith(fmt.Sprintf(
		"You have exceeded your API rate limit. Please wait %d seconds before making more requests.", u.ResetSeconds()))
}

// RefuseWith is Refuse with another message.
func (u LimitUse) RefuseWith(message string) *LimitError {
	return &LimitError{
		Use: u,
		refusal: &domain.Error{Code: domain.RateLimited, Message: message,
			RetryAfter: time.Duration(u.ResetSeconds()) * time.Second},
	}
}

// LimitError is the refusal of who has used too much.
type LimitError struct {
	Use     LimitUse
	refusal *domain.Error
}

func (e *LimitError) Error() string { return e.refusal.Error() }

// Unwrap returns the domain's error.
func (e *LimitError) Unwrap() error { return e.refusal }
