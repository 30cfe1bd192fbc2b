// Package agentapi is the API that agents use, below /v3: they register, ask for jobs, and say how these go. It is as
// lenient as the agents' own server has to be: members that it does not know are ignored. It imports
// internal/service/builds, internal/httpcall, internal/authz and internal/domain of ours.
package agentapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"penstock/internal/authz"
	"penstock/internal/dispatch"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/service/artifacts"
	"penstock/internal/service/builds"
	"penstock/internal/service/caches"
	"penstock/internal/service/logs"
	"penstock/internal/wake"
)

// Options says how the API is served.
type Options struct {
	httpcall.Settings
	Builds     *builds.Service
	Logs       *logs.Service
	Artifacts  *artifacts.Service
	Caches     *caches.Service
	BaseURL    string // without a slash at the end
	Dispatcher *dispatch.Dispatcher
	Waker      *wake.Waker
	Closing    <-chan struct{} // is closed when streams are to end; nil: never

	StreamLength time.Duration // how long a stream lasts before the agent has to open another; 0: 50 seconds
}

// API is the handler of the agents' API.
type API struct {
	Options
	mux *http.ServeMux
}

// The sizes of bodies that are taken.
const (
	smallBody  = 64 << 10
	mediumBody = 4 << 20
	uploadBody = 8 << 20
	chunkBody  = 2 << 20
)

// longAnswer is from how many bytes on answers are counted until they are read.
const longAnswer = 16 << 10

// endpoint is one call of the API.
type endpoint struct {
	method, path string
	maxBody      int64
	handle       func(*call) (answer any, err error)
}

// New returns the API.
func New(o Options) *API {
	o.Settings, o.StreamLength = o.WithDefaults(), cmp.Or(o.StreamLength, streamLength)
	a := &API{Options: o, mux: http.NewServeMux()}
	perPath := map[string]map[string]endpoint{}
	for _, e := range a.endpoints() {
		if perPath[e.path] == nil {
			perPath[e.path] = map[string]endpoint{}
		}
		perPath[e.path][e.method] = e
	}
	for path, methods := range perPath {
		a.mux.HandleFunc("/v3/"+path, func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, "/v3/"+path, methods) })
	}
	a.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, "/v3/unknown", nil) })
	return a
}

func (a *API) endpoints() []endpoint {
	all := [][]endpoint{a.agentEndpoints(), a.jobEndpoints(), a.dataEndpoints(), a.logEndpoints(), a.artifactEndpoints(),
		a.cacheEndpoints(), a.secretEndpoints(), a.stackEndpoints()}
	var flat []endpoint
	for _, some := range all {
		flat = append(flat, some...)
	}
	return flat
}

// ServeHTTP answers a request, always in JSON.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if httpcall.HasUncleanPath(r) { // a ServeMux would redirect it
		a.serve(w, r, "/v3/unknown", nil)
		return
	}
	a.mux.ServeHTTP(w, r)
}

// call is one request on its way to its answer.
type call struct {
	httpcall.Call
	api      *API
	endpoint endpoint
	status   int // of a success; 0: 200

	isIdentified bool // it is known who sends it
}

var (
	errNotFound   = domain.NewError(domain.NotFound, "Not found")
	errNoBody     = domain.NewError(domain.Malformed, "The body must be a JSON object")
	errNotText    = domain.NewError(domain.Malformed, "The body must be valid UTF-8")
	errBodyTooBig = "The body is too large: at most "
)

func (a *API) serve(w http.ResponseWriter, r *http.Request, route string, methods map[string]endpoint) {
	c := &call{Call: a.NewCall(route, w, r), api: a}
	defer c.Finish(func() { c.fail(http.StatusInternalServerError, httpcall.InternalMessage) })
	found := false
	if c.endpoint, found = methods[r.Method]; !found {
		if methods != nil {
			c.fail(http.StatusMethodNotAllowed, "Method not allowed")
			return
		}
		c.failWith(errNotFound)
		return
	}
	answer, err := c.endpoint.handle(c)
	if err != nil {
		c.failWith(err)
		return
	}
	if _, done := answer.(answered); !done {
		c.answer(answer)
	}
}

// answered is what a handler returns that has written its answer itself.
type answered struct{}

// answer writes a success.
func (c *call) answer(answer any) {
	if answer == nil {
		answer = struct{}{}
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // steps are answered as they came
	if err := encoder.Encode(answer); err != nil {
		c.failWith(err)
		return
	}
	if c.status == http.StatusNoContent {
		c.WriteJSON(c.status, nil)
		return
	}
	if body.Len() > longAnswer {
		if err := c.ReserveAnswer(body.Len()); err != nil {
			c.failWith(err)
			return
		}
	}
	c.WriteJSON(cmp.Or(c.status, http.StatusOK), body.Bytes())
}

func (c *call) failWith(err error) {
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		c.fail(http.StatusRequestEntityTooLarge, errBodyTooBig+strconv.FormatInt(tooLarge.Limit, 10)+" bytes are taken here")
		return
	}
	status, message := c.Explain(err)
	c.fail(status, message)
}

func (c *call) fail(status int, message string) {
	body, _ := json.Marshal(map[string]string{"message": message}) // of texts
	c.WriteJSON(status, body)
}

// actor returns who asks: the beginning of a token tells of which kind it is.
func (c *call) actor() authz.Actor {
	value := c.Token("Token")
	kind := authz.AgentToken
	switch {
	case strings.HasPrefix(value, string(domain.SessionTokenKind)):
		kind = authz.AgentSession
	case strings.HasPrefix(value, string(domain.JobTokenKind)):
		kind = authz.JobToken
	case value == "":
		return authz.Actor{Surface: authz.AgentAPI, Address: c.Address}
	}
	actor := authz.AgentActor(kind, value, c.Address)
	actor.UserAgent = c.UserAgent()
	return actor
}

// readBody returns the body of the request. Who sends a large one has to be known before, and who comes from an address
// from which too many others send theirs.
func (c *call) readBody() ([]byte, error) {
	limit := cmp.Or(c.endpoint.maxBody, smallBody)
	if c.R.ContentLength > 16<<10 || c.R.ContentLength < 0 || c.AddressIsFull() {
		if err := c.identify(); err != nil {
			return nil, err
		}
	}
	return c.ReadBody(limit)
}

// identify finds out who sends the request, once.
func (c *call) identify() error {
	if c.isIdentified {
		return nil
	}
	caller, err := c.api.Builds.IdentifyProgram(c.Context(), c.actor())
	if err != nil {
		return err
	}
	c.isIdentified = true
	return c.RecordProgram(caller)
}

// decode reads a JSON body. One that is empty leaves value as it is.
func (c *call) decode(value any) error {
	body, err := c.readBody()
	if err != nil || len(body) == 0 {
		return err
	}
	if !utf8.Valid(body) {
		return errNotText
	}
	if err := json.Unmarshal(body, value); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
			return domain.NewError(domain.Malformed, "`"+wrong.Field+"` has the wrong type: "+wrong.Value)
		}
		return errNoBody
	}
	return nil
}

// id returns a part of the path; "", which nothing has, if it is not text.
func (c *call) id(name string) string {
	if value := c.Path(name); domain.ValidText(value) {
		return value
	}
	return ""
}
