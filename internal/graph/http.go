package graph

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/authn"
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/gql"
)

// maxBody is the size of the largest body that is read.
const maxBody = 1 << 20

// call is one request on its way to its answer.
type call struct {
	api     *API
	route   string
	w       http.ResponseWriter
	r       *http.Request
	header  http.Header
	id      string
	address netip.Addr
	start   time.Time
	status  int
	size    int

	// Who asked, for the log; empty until it is established.
	user domain.UserID
}

// ServeHTTP answers at the GraphQL address.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := a.newCall("/v1", w, r)
	defer c.finish()
	if r.URL.Path != "/v1" {
		c.fail(http.StatusNotFound, "Not found")
		return
	}
	c.post(func() {
		actor := authz.TokenActor(authz.GraphQL, authn.Bearer(r), c.address)
		if authn.Bearer(r) == "" {
			actor = authz.Actor{}
		}
		actor.UserAgent = authn.UserAgent(r)
		caller, err := a.Service.Admit(r.Context(), actor, "")
		if err == nil {
			c.user = caller.User
			err = a.Service.CheckGraphQL(r.Context(), actor)
		}
		if err != nil {
			c.refuse(err)
			return
		}
		body, ok := c.body()
		if !ok {
			return
		}
		asked, err := readRequest(body)
		if err != nil {
			c.fail(http.StatusBadRequest, err.Error())
			return
		}
		c.run(actor, asked)
	})
}

// Console runs a request, a JSON object as one sends it to the GraphQL address, in the name of a user who is signed in. It returns
// the status and the body of the answer.
func (a *API) Console(ctx context.Context, actor authz.Actor, request []byte) (status int, answer []byte) {
	asked, err := readRequest(request)
	if err != nil {
		return http.StatusBadRequest, errorBody(err.Error())
	}
	return http.StatusOK, a.Run(ctx, actor, asked).Body
}

func (a *API) newCall(route string, w http.ResponseWriter, r *http.Request) *call {
	c := &call{api: a, route: route, w: w, r: r, header: w.Header(), start: a.Now(), id: authn.RequestID(r)}
	c.address = authn.ClientAddress(r, a.TrustedProxies)
	c.header["X-Request-Id"] = []string{c.id}
	c.header["Access-Control-Allow-Origin"] = anyOrigin
	c.header["Access-Control-Expose-Headers"] = exposedHeaders
	return c
}

var (
	anyOrigin      = []string{"*"}
	jsonType       = []string{"application/json; charset=utf-8"}
	exposedHeaders = []string{"Link, ETag, Retry-After, X-Request-Id, " +
		"RateLimit-Scope, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, " +
		"RateLimit-User-Scope, RateLimit-User-Limit, RateLimit-User-Remaining, RateLimit-User-Reset, " +
		"RateLimit-Complexity-Requested, RateLimit-Complexity-Actual"}
)

// post answers a POST with serve, a preflight, and refuses every other method.
func (c *call) post(serve func()) {
	switch c.r.Method {
	case http.MethodPost:
		serve()
	case http.MethodOptions:
		c.header.Set("Allow", "OPTIONS, POST")
		c.header.Set("Access-Control-Allow-Methods", "OPTIONS, POST")
		c.header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match")
		c.header.Set("Access-Control-Max-Age", "86400")
		c.status = http.StatusNoContent
		c.w.WriteHeader(c.status)
	default:
		c.header.Set("Allow", "OPTIONS, POST")
		c.fail(http.StatusMethodNotAllowed, "Method not allowed. Send a POST request")
	}
}

// body reads the request's JSON body, or refuses the request. It reads none of a stranger: callers are known by now.
func (c *call) body() (body []byte, ok bool) {
	if media, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		c.fail(http.StatusUnsupportedMediaType, "The body must have the content type application/json")
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	if tooLarge, is := errors.AsType[*http.MaxBytesError](err); is {
		c.fail(http.StatusRequestEntityTooLarge, "The body is larger than "+strconv.FormatInt(tooLarge.Limit, 10)+" bytes")
		return nil, false
	}
	if err != nil {
		c.fail(http.StatusBadRequest, "The body could not be read")
		return nil, false
	}
	return body, true
}

// readRequest reads a GraphQL request.
func readRequest(body []byte) (r gql.Request, err error) {
	var asked struct {
		Query         *string        `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     jsontext.Value `json:"variables"`
	}
	if jsontext.Value(body).Kind() != '{' || json.Unmarshal(body, &asked) != nil {
		return r, domain.NewError(domain.Malformed, "The body must be a JSON object with a query, and may have variables and an operationName")
	}
	if asked.Query == nil || *asked.Query == "" {
		return r, domain.NewError(domain.Malformed, "The body must have a query")
	}
	r.Query, r.OperationName = *asked.Query, asked.OperationName
	r.Variables, err = readVariables(asked.Variables)
	return r, err
}

var errVariables = domain.NewError(domain.Malformed, "The variables must be a JSON object, or a string that holds one")

// readVariables reads variables: an object, nothing, or a string that holds one of them.
func readVariables(value jsontext.Value) (variables map[string]any, err error) {
	switch value.Kind() {
	case 0, 'n':
		return nil, nil
	case '"':
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return nil, errVariables
		}
		if text == "" {
			return nil, nil
		}
		value = jsontext.Value(text)
		if value.Kind() == 'n' {
			return nil, nil
		}
	}
	if value.Kind() != '{' || json.Unmarshal(value, &variables) != nil {
		return nil, errVariables
	}
	return variables, nil
}

// maxKeptBuffer is how large a buffer may be to be used again.
const maxKeptBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new([]byte) }}

type requestIDKey struct{}

// context returns the request's context, from which what goes wrong in its course is logged with the request's id.
func (c *call) context() context.Context {
	return context.WithValue(c.r.Context(), requestIDKey{}, c.id)
}

// logged returns the id of the request that is under way, as the log has it.
func logged(ctx context.Context) slog.Attr {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return slog.String("request_id", id)
}

// run runs a document and answers with what comes of it.
func (c *call) run(actor authz.Actor, asked gql.Request) {
	buffer := buffers.Get().(*[]byte)
	asked.Buffer = (*buffer)[:0]
	result := c.api.Run(c.context(), actor, asked)
	c.header["RateLimit-Complexity-Requested"] = []string{strconv.FormatInt(result.Requested, 10)}
	c.header["RateLimit-Complexity-Actual"] = []string{strconv.FormatInt(result.Actual, 10)}
	c.write(http.StatusOK, result.Body)
	if cap(result.Body) <= maxKeptBuffer {
		*buffer = result.Body
		buffers.Put(buffer)
	}
}

// refuse answers with why a caller is not let in.
func (c *call) refuse(err error) {
	c.header["Connection"] = []string{"close"} // a stranger's body is not read
	switch domain.CodeOf(err) {
	case domain.Unauthenticated:
		c.header["Www-Authenticate"] = []string{"Bearer"}
		c.fail(http.StatusUnauthorized, "Authentication required. Please supply a valid API Access Token: "+c.api.BaseURL+"/docs#authentication")
	case domain.Forbidden:
		c.fail(http.StatusForbidden, err.Error())
	case domain.NotFound:
		c.fail(http.StatusNotFound, err.Error())
	case domain.Unavailable:
		c.header["Retry-After"] = []string{"1"}
		c.fail(http.StatusServiceUnavailable, err.Error())
	case domain.Invalid, domain.Malformed:
		c.fail(http.StatusUnprocessableEntity, err.Error())
	default:
		c.fail(http.StatusInternalServerError, c.api.present(c.context(), err))
	}
}

type errorAnswer struct {
	Errors []errorMessage `json:"errors"`
}

type errorMessage struct {
	Message string `json:"message"`
}

func errorBody(message string) []byte {
	body, err := json.Marshal(errorAnswer{[]errorMessage{{message}}})
	if err != nil {
		return []byte(`{"errors":[{"message":"` + internalMessage + `"}]}`)
	}
	return body
}

func (c *call) fail(status int, message string) { c.write(status, errorBody(message)) }

func (c *call) write(status int, body []byte) {
	c.status, c.size = status, len(body)
	c.header["Content-Type"] = jsonType
	c.header["Content-Length"] = []string{strconv.Itoa(len(body))}
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body)
}

// finish logs and counts the answer, after turning a panic into one.
func (c *call) finish() {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
			panic(p)
		}
		c.api.Logger.ErrorContext(c.r.Context(), "panic", slog.String("request_id", c.id), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		if c.status == 0 {
			c.fail(http.StatusInternalServerError, internalMessage)
		}
	}
	took := c.api.Now().Sub(c.start)
	c.api.Observe(c.route, c.r.Method, c.status, took)
	c.api.Logger.LogAttrs(c.r.Context(), slog.LevelInfo, "request",
		slog.String("request_id", c.id),
		slog.String("method", c.r.Method),
		slog.String("path", c.r.URL.Path),
		slog.Int("status", c.status),
		slog.Int("bytes", c.size),
		slog.Duration("took", took),
		slog.String("address", c.address.String()),
		slog.String("user", string(c.user)))
}
