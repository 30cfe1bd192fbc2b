package endpoint

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"penstock/internal/domain"
)

// Limiter counts requests by key in windows of a minute. Each node of an installation counts for itself. A nil Limiter counts
// nothing.
type Limiter struct {
	scope  string
	prefix string // of its headers
	limit  int

	mutex  sync.Mutex
	window time.Time
	counts map[string]int
}

// limitError is the refusal of a request over the limit.
type limitError struct {
	refusal *domain.Error
	answer  LimitAnswer
}

func (e *limitError) Error() string { return e.refusal.Error() }
func (e *limitError) Unwrap() error { return e.refusal }

// LimitAnswer is the body of the refusal of a request over the limit.
type LimitAnswer struct {
	Scope   string `json:"scope" enum:"rest,rest_user" doc:"Which limit was exceeded: the organization's (rest) or the user's (rest_user)."`
	Limit   int    `json:"limit" doc:"Requests allowed a minute."`
	Current int    `json:"current" doc:"Requests made in this minute."`
	Reset   int    `json:"reset" doc:"Seconds until requests are served again."`
	Message string `json:"message" doc:"How long to wait."`
}

// NewLimiter returns a limit on requests a minute. Its scope is its name, and the prefix that of its headers' names. A limit of 0 is
// none, and a nil Limiter.
func NewLimiter(scope, prefix string, limit int) *Limiter {
	if limit == 0 {
		return nil
	}
	return &Limiter{scope: scope, prefix: prefix, limit: limit}
}

// count counts a request of key, says in the headers how many are left, and returns a RateLimited error
// if none were.
func (l *Limiter) count(key string, now time.Time, header http.Header) error {
	if l == nil {
		return nil
	}
	window := now.Truncate(time.Minute)
	l.mutex.Lock()
	if !window.Equal(l.window) {
		l.window, l.counts = window, map[string]int{}
	}
	l.counts[key]++
	current := l.counts[key]
	l.mutex.Unlock()

	reset := int((window.Add(time.Minute).Sub(now) + time.Second - 1) / time.Second) // rounded up
	header.Set(l.prefix+"Scope", l.scope)
	header.Set(l.prefix+"Limit", strconv.Itoa(l.limit))
	header.Set(l.prefix+"Remaining", strconv.Itoa(max(0, l.limit-current)))
	header.Set(l.prefix+"Reset", strconv.Itoa(reset))
	if current <= l.limit {
		return nil
	}
	message := fmt.Sprintf("You have exceeded your API rate limit. Please wait %d seconds before making more requests.", reset)
	return &limitError{
		refusal: &domain.Error{Code: domain.RateLimited, Message: message, RetryAfter: time.Duration(reset) * time.Second},
		answer:  LimitAnswer{Scope: l.scope, Limit: l.limit, Current: current, Reset: reset, Message: message},
	}
}
