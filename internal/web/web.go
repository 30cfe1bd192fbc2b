// Package web serves the web interface: pages that are rendered here, work without JavaScript, and show and do what the
// service lets the signed-in user see and do. It imports internal/service, internal/httpcall, internal/authz,
// internal/domain, internal/policy, internal/endpoint/openapi (whose documents it draws) and docs of ours.
//
// A page is a route in a table, a handler that calls an operation of the service, and a template. The frame around it
// is in call.go (a request on its way to its page), page.go, form.go and list.go (what pages are made of), and
// security.go and cookies.go (what holds for all of them).
package web

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"penstock/internal/domain"
	"penstock/internal/endpoint/openapi"
	"penstock/internal/httpcall"
	"penstock/internal/service"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/caches"
	"penstock/internal/service/logs"
	"penstock/internal/service/notices"
	"penstock/internal/service/read"
	"penstock/internal/service/starts"
)

// Options configures the web interface.
type Options struct {
	httpcall.Settings
	Service       *service.Service
	Agents        *agents.Service
	Builds        *builds.Service
	Logs          *logs.Service
	Artifacts     *artifacts.Service
	Caches        *caches.Service
	Starts        *starts.Service
	Notices       *notices.Service
	Reader        *read.Reader
	BaseURL       string                   // without a slash at the end
	OIDC          *OIDC                    // nil: no single sign-on
	RunPortal     RunPortal                // nil: portals can't be tried out
	Operations    Operations               // nil: those of portals are not shown
	Examples      ExampleVariables         // nil: variables of portals are left to the user
	GraphQL       GraphQL                  // nil: the console can't run documents
	OpenAPI       func() *openapi.Document // what describes the REST API; nil: it is not shown
	GraphQLSchema string                   // empty: it is not shown
	HostedAgents  bool                     // a hosted-agent service is set: queues with its machines can be created
	SendsMail     bool                     // invitations are mailed
	Closing       <-chan struct{}          // is closed when the server stops, and streams are to end
	// how often it is looked up whether a browser may still read a stream; 0: 15 seconds
	LookEvery time.Duration
}

// OIDC is an OpenID Connect provider at which users can sign in.
type OIDC struct {
	Issuer       string
	ClientID     string
	ClientSecret domain.Secret
}

// Site is the handler of all pages.
type Site struct {
	Options
	mux       *http.ServeMux
	ofBuilds  *http.ServeMux  // of pages whose paths begin with an organization's slug
	pages     map[string]bool // the patterns of those that can be asked for
	prefix    string          // of every path in a page: the base URL's own path
	https     bool
	origin    *http.CrossOriginProtection
	templates templates
	assets    *assets
	provider  *provider // nil: no single sign-on
	logs      logIndexes
	figures   pipelineFigures
	documentation
}

// New returns the web interface.
func New(o Options) *Site {
	o.Settings = o.WithDefaults()
	base, err := url.Parse(o.BaseURL)
	if err != nil {
		base = &url.URL{} // config has checked it
	}
	s := &Site{
		Options: o,
		mux:     http.NewServeMux(),
		pages:   map[string]bool{},

		ofBuilds: http.NewServeMux(),
		prefix:   strings.TrimRight(base.EscapedPath(), "/"),
		https:    base.Scheme == "https",
		origin:   http.NewCrossOriginProtection(),
		assets:   newAssets(),
	}
	// A proxy may show us another host than browsers see.
	if err := s.origin.AddTrustedOrigin(base.Scheme + "://" + base.Host); err != nil {
		s.Logger.Warn("forms are only taken from the address that the server itself sees", "error", err)
	}
	s.templates = newTemplates(s)
	if o.OIDC != nil {
		s.provider = newProvider(*o.OIDC, o.BaseURL+oidcCallbackPath)
	}
	for _, r := range allRoutes() {
		requireReserved(r.path)
		mux := s.mux
		if strings.HasPrefix(r.path, inBuilds) {
			mux = s.ofBuilds
		}
		mux.Handle(r.path, &boundRoute{r, s})
		s.pages[r.path] = r.get != nil
	}
	requireReserved(assetRoute)
	s.ofBuilds.HandleFunc("/", s.serveUnknown)
	s.mux.HandleFunc("GET "+assetRoute, s.serveAsset)
	s.mux.HandleFunc("/", s.serveUnknown)
	return s
}

// requireReserved panics if an organization could be called like the first segment of a path.
func requireReserved(path string) {
	segment, _, _ := strings.Cut(path[1:], "/")
	if segment[0] != '{' && !domain.IsReservedSlug(segment) {
		panic("the slug " + segment + " is not reserved, but addresses begin with it")
	}
}

const unknownRoute = "unknown"

// ServeHTTP answers a request with a page, or with a file that pages use.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if httpcall.HasUncleanPath(r) {
		s.serveUnknown(w, r)
		return
	}
	if _, pattern := s.mux.Handler(r); pattern == "/" && isBelowBuilds(r.URL.Path) {
		s.ofBuilds.ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// serveUnknown answers a request for a page that does not exist.
func (s *Site) serveUnknown(w http.ResponseWriter, r *http.Request) {
	(&boundRoute{route{path: unknownRoute, open: true}, s}).ServeHTTP(w, r)
}

// link returns the address of a page, by the segments of its path.
func (s *Site) link(segments ...string) string {
	var b strings.Builder
	b.WriteString(s.prefix)
	for _, segment := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(segment))
	}
	if len(segments) == 0 {
		b.WriteByte('/')
	}
	return b.String()
}
