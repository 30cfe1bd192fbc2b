package endpoint

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
)

// Options says how an API is served.
type Options struct {
	httpcall.Settings
	BaseURL string // without a slash at the end
	Scheme  string // of the Authorization header, such as Bearer
	// NewActor returns who asks, by the token that the request carries.
	NewActor func(token string, address netip.Addr) authz.Actor
	// Admit returns who asks, or why their token is not good. It is given the slug of the organization that the request is
	// about.
	Admit func(ctx context.Context, actor authz.Actor, organization string) (authz.Admission, error)
	// Unauthenticated is the message for a caller without a good token; empty: what the operation says.
	Unauthenticated   string
	MaxBody           int64             // bytes
	CrossOrigin       bool              // scripts of other sites may use the API
	OrganizationLimit *httpcall.Limiter // nil: none
	UserLimit         *httpcall.Limiter // nil: none
	Unknown           string            // what requests for unknown paths are counted as; empty: unknown

	// Lenient makes the API one for programs of several versions: see lenient.go. Instead of Admit, it has Identify, which
	// returns a name for who asks, or why their token is not good. NewActor is also asked about callers without a token.
	Lenient  bool
	Identify func(ctx context.Context, actor authz.Actor) (name string, err error)
}

// API is the handler of a table of endpoints.
type API struct {
	Options
	mux     *http.ServeMux
	unknown *route
}

// New returns the API with these endpoints.
func New(o Options, endpoints []Endpoint) *API {
	o.Settings = o.WithDefaults()
	a := &API{Options: o, mux: http.NewServeMux()}
	a.unknown = &route{api: a, path: cmp.Or(o.Unknown, "unknown")}
	routes := map[string]*route{}
	for i := range endpoints {
		e := &endpoints[i]
		if routes[e.Path] == nil {
			routes[e.Path] = &route{api: a, path: e.Path, perMethod: map[string]*Endpoint{}}
		}
		if e.Raw != nil {
			routes[e.Path].raw = e
			continue
		}
		for _, method := range e.Methods() {
			routes[e.Path].perMethod[method] = e
		}
	}
	for path, r := range routes {
		r.allow = r.allowedMethods()
		a.mux.Handle(path, r)
	}
	a.mux.Handle("/", a.unknown)
	for below := range organizationPaths(endpoints) {
		a.mux.Handle(below, a.unknown)
	}
	return a
}

// organizationPaths returns the patterns of all that lies below an organization, so that it is known for unknown paths
// too.
func organizationPaths(endpoints []Endpoint) map[string]bool {
	const parameter = "/{" + OrganizationParameter + "}/"
	paths := map[string]bool{}
	for i := range endpoints {
		if before, _, found := strings.Cut(endpoints[i].Path, parameter); found {
			paths[before+parameter] = true
		}
	}
	return paths
}

// ServeHTTP answers a request, always in JSON.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if httpcall.HasUncleanPath(r) {
		a.unknown.ServeHTTP(w, r)
		return
	}
	if !a.Lenient {
		r = withoutSlashSegments(r)
	}
	a.mux.ServeHTTP(w, r)
}

// withoutSlashSegments doubles the escaped slash that is a whole segment of the request's path: a ServeMux takes a
// single one for the path's end. Either is an id that nothing has.
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
	perMethod map[string]*Endpoint
	raw       *Endpoint // that answers whatever the method is; nil: none
	allow     string
}

func (rt *route) allowedMethods() string {
	var methods []string
	if rt.api.CrossOrigin {
		methods = append(methods, http.MethodOptions)
	}
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
	c := &Call{Call: rt.api.NewCall(rt.path, w, r), api: rt.api}
	defer c.Finish(c.answerPanic)
	switch {
	case rt.raw != nil:
		c.endpoint = rt.raw
		rt.raw.Raw(c)
	case rt.api.Lenient:
		rt.serveLeniently(c)
	default:
		rt.serve(c)
	}
}

// serve answers a request that has a method of the route, or another one.
func (rt *route) serve(c *Call) {
	if rt.api.CrossOrigin {
		c.AllowOtherSites(httpcall.ExposedHeaders)
	}
	method := c.R.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	c.endpoint = rt.perMethod[method]
	switch {
	case rt.perMethod == nil:
		c.fail(cmp.Or(c.countStray(), error(errNoSuchPath)))
	case c.endpoint != nil:
		c.serve()
	case method == http.MethodOptions && rt.api.CrossOrigin:
		c.AnswerPreflight(rt.allow)
	default:
		if err := c.countStray(); err != nil {
			c.fail(err)
			return
		}
		c.Header["Allow"] = []string{rt.allow}
		c.failWith(http.StatusMethodNotAllowed, "Method not allowed. Allowed here: "+rt.allow)
	}
}

var errNoSuchPath = domain.NewError(domain.NotFound, "Not found")
