// Package rest serves the REST API, version 2: a table of endpoints and one executor that reads the
// request, calls one service operation and writes its answer. It imports internal/service, internal/authn,
// internal/authz and internal/domain of ours.
package rest

import (
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"penstock/internal/authn"
	"penstock/internal/domain"
	"penstock/internal/service"
)

// Options configures the API.
type Options struct {
	Service           *service.Service
	BaseURL           string // without a slash at the end
	Version           string // of the product, for the API description
	MetaWebhookIPs    []string
	TrustedProxies    []netip.Prefix // whose X-Forwarded-For is believed
	RateLimitREST     int            // requests a minute an organization; 0: no limit
	RateLimitRESTUser int            // requests a minute a user; 0: no limit
	Logger            *slog.Logger
	Now               func() time.Time
	// Observe, if set, is told of every answer. Route is a pattern, never a caller's path.
	Observe func(route, method string, status int, took time.Duration)
}

// API is the handler of everything below /v2.
type API struct {
	Options
	mux         *http.ServeMux
	description func() []byte // the OpenAPI document, made when it is first asked for
	perOrg      *limiter
	perUser     *limiter
}

// New returns the API.
func New(o Options) *API {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Observe == nil {
		o.Observe = func(string, string, int, time.Duration) {}
	}
	a := &API{
		Options: o,
		mux:     http.NewServeMux(),
		perOrg:  newLimiter("rest", "RateLimit-", o.RateLimitREST),
		perUser: newLimiter("rest_user", "RateLimit-User-", o.RateLimitRESTUser),
	}
	routes := map[string]*route{}
	for _, e := range endpoints() {
		if routes[e.path] == nil {
			routes[e.path] = &route{api: a, path: e.path, perMethod: map[string]*endpoint{}}
		}
		for _, method := range e.methods {
			routes[e.path].perMethod[method] = e
		}
	}
	for path, r := range routes {
		r.allow = r.methods()
		a.mux.Handle(path, r)
	}
	a.mux.Handle("/", &route{api: a, path: "unknown"})
	a.description = sync.OnceValue(func() []byte { return describe(a) })
	return a
}

// Description returns the API's description of itself: an OpenAPI document, in JSON.
func (a *API) Description() []byte { return a.description() }

// ServeHTTP answers a request, always in JSON.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if authn.UncleanPath(r) {
		(&route{api: a, path: "unknown"}).ServeHTTP(w, r)
		return
	}
	a.mux.ServeHTTP(w, withoutSlashSegments(r))
}

// withoutSlashSegments doubles the escaped slash that is a whole segment of the request's path: a ServeMux takes a single one for
// the path's end. Either is an id that nothing has.
func withoutSlashSegments(r *http.Request) *http.Request {
	if r.URL.RawPath == "" {
		return r // nothing is escaped
	}
	segments := strings.Split(r.URL.EscapedPath(), "/")
	found := false
	for i, segment := range segments {
		if strings.EqualFold(segment, "%2F") {
			segments[i], found = "%2F%2F", true
		}
	}
	if !found {
		return r
	}
	changed, address := *r, *r.URL
	changed.URL = &address
	address.RawPath = strings.Join(segments, "/")
	address.Path, _ = url.PathUnescape(address.RawPath) // as it could be before
	return &changed
}

// route is a path of the API with its endpoints per method. Without any, it is a path that does not exist.
type route struct {
	api       *API
	path      string
	perMethod map[string]*endpoint
	allow     string
}

func (rt *route) methods() string {
	methods := []string{http.MethodOptions}
	for method := range rt.perMethod {
		methods = append(methods, method)
		if method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

func (rt *route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := newCall(rt, w, r)
	defer c.finish()
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	e := rt.perMethod[method]
	switch {
	case rt.perMethod == nil:
		c.fail(errNoSuchPath)
	case e != nil:
		c.serve(e)
	case method == http.MethodOptions:
		c.preflight()
	default:
		c.header["Allow"] = []string{rt.allow}
		c.failWith(http.StatusMethodNotAllowed, "Method not allowed. Allowed here: "+rt.allow)
	}
}

var errNoSuchPath = domain.NewError(domain.NotFound, "Not found")
