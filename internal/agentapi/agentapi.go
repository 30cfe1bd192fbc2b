// Package agentapi is the API that agents use, below /v3: they register, ask for jobs, and say how these go. It has the
// endpoints, with the types of their bodies and answers; internal/endpoint does the rest, leniently: members that it
// does not know are ignored. It imports the areas of internal/service that agents and jobs call, internal/dispatch,
// internal/endpoint, internal/httpcall, internal/authz and internal/domain of ours.
package agentapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"penstock/internal/authz"
	"penstock/internal/dispatch"
	"penstock/internal/domain"
	"penstock/internal/endpoint"
	"penstock/internal/endpoint/openapi"
	"penstock/internal/httpcall"
	"penstock/internal/service/agents"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/caches"
	"penstock/internal/service/logs"
	"penstock/internal/wake"
)

// Options says how the API is served.
type Options struct {
	httpcall.Settings
	Agents     *agents.Service
	Builds     *builds.Service
	Logs       *logs.Service
	Artifacts  *artifacts.Service
	Caches     *caches.Service
	BaseURL    string // without a slash at the end
	Version    string // of the product, for the API description
	Dispatcher *dispatch.Dispatcher
	Waker      *wake.Waker
	Closing    <-chan struct{} // is closed when streams are to end; nil: never

	StreamLength time.Duration // how long a stream lasts before the agent has to open another; 0: 50 seconds
}

// API is the handler of everything below /v3, and of StreamPath.
type API struct {
	Options
	handler http.Handler
	// What describes the API is made when it is first asked for.
	description func() []byte
}

const scheme = "Token"

// The sizes of bodies that are taken.
const (
	smallBody  = 64 << 10
	mediumBody = 4 << 20
	uploadBody = 8 << 20
	chunkBody  = 2 << 20
)

// The paths of what belongs to something.
const (
	root    = "/v3"
	inJob   = root + "/jobs/{id}"
	inBuild = root + "/builds/{id}"
	inStep  = root + "/steps/{id}"
)

// Which tokens operations need.
const (
	needsAgentToken = "Needs an agent token."
	needsSession    = "Needs the `access_token` of an agent."
	needsJob        = "Needs the `token` of a job."
	needsAgentOrJob = "Needs the `access_token` of an agent, or the `token` of its job."
	needsTicket     = "Needs no token: the request carries what its address or its form was signed with."
)

// New returns the API.
func New(o Options) *API {
	o.StreamLength = cmp.Or(o.StreamLength, streamLength)
	a := &API{Options: o}
	endpoints := a.endpoints()
	a.handler = endpoint.New(endpoint.Options{
		Settings: o.Settings,
		BaseURL:  o.BaseURL,
		Scheme:   scheme,
		NewActor: newActor,
		MaxBody:  smallBody,
		Unknown:  root + "/unknown",
		Lenient:  true,
		Identify: o.Agents.IdentifyProgram,
	}, endpoints)
	a.description = sync.OnceValue(func() []byte { return openapi.Marshal(a.describe(endpoints)) })
	return a
}

// ServeHTTP answers a request: in JSON, except where a stream or a file is asked for.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// endpoints returns the whole API.
func (a *API) endpoints() []endpoint.Endpoint {
	return slices.Concat(
		a.rootEndpoints(),
		a.agentEndpoints(),
		a.streamEndpoints(),
		a.jobEndpoints(),
		a.dataEndpoints(),
		a.logEndpoints(),
		a.artifactEndpoints(),
		a.cacheEndpoints(),
		a.secretEndpoints(),
		a.stackEndpoints(),
	)
}

func (a *API) rootEndpoints() []endpoint.Endpoint {
	return []endpoint.Endpoint{{
		Method: http.MethodGet, Path: root + "/openapi.json", Operation: "getOpenAPI",
		Summary: "Describes the API, as OpenAPI 3.1.",
		Open:    true, Answer: json.RawMessage{}, Status: http.StatusOK,
		Handle: func(*endpoint.Call) (any, error) { return json.RawMessage(a.description()), nil },
	}}
}

// emptyAnswer describes the answer of an operation that has nothing to say.
type emptyAnswer struct{}

var errNotFound = domain.NewError(domain.NotFound, "Not found")

// newActor returns who asks: the beginning of a token says of which kind it is.
func newActor(token string, address netip.Addr) authz.Actor {
	kind := authz.AgentToken
	switch {
	case strings.HasPrefix(token, string(domain.SessionTokenKind)):
		kind = authz.AgentSession
	case strings.HasPrefix(token, string(domain.JobTokenKind)):
		kind = authz.JobToken
	case token == "":
		return authz.Actor{Surface: authz.AgentAPI, Address: address}
	}
	return authz.AgentActor(kind, token, address)
}
