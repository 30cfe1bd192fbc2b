package graph

import (
	"net/http"
	"time"

	"penstock/internal/domain"
	"penstock/internal/httpcall"
)

// limitWindow is the time in which complexity is limited.
const limitWindow = 5 * time.Minute

// limits is what callers and organizations may use of the API: the complexity of what they are answered.
type limits struct {
	organization, user *httpcall.Limiter
	now                func() time.Time
}

func newLimits(o Options) limits {
	return limits{
		organization: httpcall.NewLimiter("graphql", "RateLimit-", o.RateLimit, limitWindow),
		user:         httpcall.NewLimiter("graphql_user", "RateLimit-User-", o.RateLimitUser, limitWindow),
		now:          o.Now,
	}
}

// OrganizationUse returns how much of its limit an organization has used.
func (a *API) OrganizationUse(id domain.OrganizationID) httpcall.LimitUse {
	return a.limits.organization.Use(string(id), a.limits.now())
}

// spending is what one request uses of the limits. It is counted once it is known: what a document costs shows when it
// has run.
type spending struct {
	limits
	caller  domain.UserID                   // "" for a portal
	reached map[domain.OrganizationID]error // that the document reached; with why it may not use them
	entered int                             // those that it may use
	charged bool
}

func (a *API) newSpending(caller domain.UserID) *spending {
	return &spending{limits: a.limits, caller: caller, reached: map[domain.OrganizationID]error{}}
}

// checkCaller returns RateLimited if the caller has nothing left.
func (s *spending) checkCaller() error {
	if s.caller == "" {
		return nil
	}
	if use := s.user.Use(string(s.caller), s.now()); use.Exhausted() {
		return use.Refuse()
	}
	return nil
}

// enter records that the document reaches an organization, and returns RateLimited if that has nothing left.
func (s *spending) enter(id domain.OrganizationID) error {
	err, known := s.reached[id]
	if known {
		return err
	}
	if use := s.organization.Use(string(id), s.now()); use.Exhausted() {
		err = use.Refuse()
	} else {
		s.entered++
	}
	s.reached[id] = err
	return err
}

// refusal returns why the document was refused, if it was before it did anything.
func (s *spending) refusal(operation string) error {
	for _, err := range s.reached {
		if err != nil && (operation == "query" || s.entered == 0) {
			return err
		}
	}
	return nil
}

// charge counts what the request used. It counts for one at least, however it went.
func (s *spending) charge(complexity int64) {
	if s.charged {
		return
	}
	s.charged = true
	used := int(max(1, complexity))
	if s.caller != "" {
		s.user.Add(string(s.caller), used, s.now())
	}
	for id := range s.reached {
		s.organization.Add(string(id), used, s.now())
	}
}

// show says in the headers what is left: to the caller, and to that of the organizations which has the least left.
func (s *spending) show(header http.Header) {
	if s.caller != "" {
		s.user.Show(s.user.Use(string(s.caller), s.now()), header)
	}
	var least httpcall.LimitUse
	for id := range s.reached {
		if use := s.organization.Use(string(id), s.now()); use.Current >= least.Current {
			least = use
		}
	}
	s.organization.Show(least, header)
}
