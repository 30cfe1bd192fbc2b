package rest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/authn"
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
)

// call is one request on its way to its answer.
type call struct {
	api      *API
	route    *route
	endpoint *endpoint // nil: there is none
	w        http.ResponseWriter
	r        *http.Request
	header   http.Header
	id       string
	address  netip.Addr
	start    time.Time
	status   int
	size     int
	bodyErr  error // what is wrong with the body, as far as it was read

	// Who asked, for the log; empty until it is established.
	user         domain.UserID
	organization string

	shownUser *domain.User // the user that was shown last, and how: lists show the same one again and again
	shownAs   *userAnswer
}

var (
	anyOrigin      = []string{"*"}
	jsonType       = []string{"application/json; charset=utf-8"}
	varyByToken    = []string{"Authorization"}
	exposedHeaders = []string{"Link, ETag, Retry-After, X-Request-Id, " +
		"RateLimit-Scope, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, " +
		"RateLimit-User-Scope, RateLimit-User-Limit, RateLimit-User-Remaining, RateLimit-User-Reset"}
)

func newCall(rt *route, w http.ResponseWriter, r *http.Request) *call {
	c := &call{api: rt.api, route: rt, w: w, r: r, header: w.Header(), start: rt.api.Now()}
	c.id = authn.RequestID(r)
	c.address = authn.ClientAddress(r, rt.api.TrustedProxies)
	c.header["X-Request-Id"] = []string{c.id}
	c.header["Access-Control-Allow-Origin"] = anyOrigin
	c.header["Access-Control-Expose-Headers"] = exposedHeaders
	return c
}

// serve runs an endpoint and writes its answer.
func (c *call) serve(e *endpoint) {
	c.endpoint = e
	if err := c.admit(); err != nil {
		c.header["Connection"] = []string{"close"} // net/http would read the body before it answers
		c.fail(err)
		return
	}
	answer, err := e.handle(c)
	if err != nil {
		c.fail(err)
		return
	}
	if answer == nil {
		c.write(http.StatusNoContent, nil)
		return
	}
	buffer := buffers.Get().(*bytes.Buffer)
	defer func() {
		if buffer.Cap() <= maxKeptBuffer {
			buffers.Put(buffer)
		}
	}()
	buffer.Reset()
	if err := encode(buffer, answer); err != nil {
		c.fail(err)
		return
	}
	if e.tagged {
		tag := entityTag(buffer.Bytes())
		c.header["Etag"] = []string{tag}
		c.header["Vary"] = varyByToken
		reads := c.r.Method == http.MethodGet || c.r.Method == http.MethodHead
		if reads && matchesTag(strings.Join(c.r.Header.Values("If-None-Match"), ","), tag) {
			c.write(http.StatusNotModified, nil)
			return
		}
	}
	c.write(e.status, buffer.Bytes())
}

// maxKeptBuffer is how large a buffer may be to be used again.
const maxKeptBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (c *call) write(status int, body []byte) {
	c.status, c.size = status, len(body)
	if body != nil {
		c.header["Content-Type"] = jsonType
		c.header["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body)
}

// finish logs and counts the answer, after turning a panic into one.
func (c *call) finish() {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
			panic(p)
		}
		c.api.Logger.LogAttrs(c.r.Context(), slog.LevelError, "panic",
			slog.String("request_id", c.id), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		if c.status == 0 {
			c.failWith(http.StatusInternalServerError, internalMessage)
		}
	}
	took := c.api.Now().Sub(c.start)
	c.api.Observe(c.route.path, c.r.Method, c.status, took)
	if !c.api.Logger.Enabled(c.r.Context(), slog.LevelInfo) {
		return
	}
	c.api.Logger.LogAttrs(c.r.Context(), slog.LevelInfo, "request",
		slog.String("request_id", c.id),
		slog.String("method", c.r.Method),
		slog.String("path", c.r.URL.Path),
		slog.Int("status", c.status),
		slog.Int("bytes", c.size),
		slog.Duration("took", took),
		slog.String("address", c.address.String()),
		slog.String("organization", c.organization),
		slog.String("user", string(c.user)))
}

// preflight answers a browser that asks what it may send.
func (c *call) preflight() {
	c.header.Set("Allow", c.route.allow)
	c.header.Set("Access-Control-Allow-Methods", c.route.allow)
	c.header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match")
	c.header.Set("Access-Control-Max-Age", "86400")
	c.write(http.StatusNoContent, nil)
}

// actor returns who asks. A request without a token has the zero actor.
func (c *call) actor() authz.Actor {
	token := authn.Bearer(c.r)
	if token == "" {
		return authz.Actor{}
	}
	actor := authz.TokenActor(authz.REST, token, c.address)
	actor.UserAgent = authn.UserAgent(c.r)
	return actor
}

// admit finds out who asks, and counts the request against their rate limits. From strangers no body is read: it takes memory and time.
func (c *call) admit() error {
	if c.endpoint.open {
		return nil
	}
	organization := c.r.PathValue("org")
	caller, err := c.api.Service.Admit(c.r.Context(), c.actor(), organization)
	if err != nil {
		return err
	}
	c.user = caller.User
	var overOrganization error
	if caller.Organization != "" {
		c.organization = organization
		overOrganization = c.api.perOrg.count(string(caller.Organization), c.start, c.header)
	}
	return cmp.Or(overOrganization, c.api.perUser.count(string(caller.User), c.start, c.header))
}

// fail answers with an error.
func (c *call) fail(err error) {
	status, message := statusOf(err)
	switch gone := errors.Is(c.r.Context().Err(), context.Canceled); {
	case gone && status >= 500 && c.bodyErr != nil:
		// The body broke off. That ends the context too, so that the operation could not ask for the body.
		c.failWith(statusOf(c.bodyErr))
		return
	case gone && status >= 500:
		c.api.Logger.LogAttrs(c.r.Context(), slog.LevelDebug, "the caller went away", slog.String("request_id", c.id), slog.Any("error", err))
		c.failWith(statusCallerGone, "The request was cancelled")
		return
	case status == http.StatusInternalServerError:
		c.api.Logger.LogAttrs(c.r.Context(), slog.LevelError, "internal error", slog.String("request_id", c.id), slog.Any("error", err))
	}
	if status == http.StatusUnauthorized {
		c.header["Www-Authenticate"] = []string{"Bearer"}
		message = "Authentication required. Please supply a valid API Access Token: " + c.api.BaseURL + "/docs#authentication"
	}
	if e, ok := errors.AsType[*domain.Error](err); ok && e.RetryAfter > 0 {
		c.header["Retry-After"] = []string{strconv.Itoa(int((e.RetryAfter + time.Second - 1) / time.Second))}
		if cause := errors.Unwrap(e); cause != nil {
			c.api.Logger.LogAttrs(c.r.Context(), slog.LevelWarn, message, slog.String("request_id", c.id), slog.Any("error", cause))
		}
	}
	if limited, ok := errors.AsType[*limitError](err); ok {
		c.writeJSON(status, limited.answer)
		return
	}
	c.failWith(status, message)
}

func (c *call) failWith(status int, message string) { c.writeJSON(status, errorAnswer{message}) }

func (c *call) writeJSON(status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		body = []byte(`{"message":"` + internalMessage + `"}`)
	}
	c.write(status, body)
}

// entityTag returns the tag of a representation: a hash of its bytes.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	tag := make([]byte, 34)
	tag[0], tag[33] = '"', '"'
	hex.Encode(tag[1:33], sum[:16])
	return string(tag)
}

// matchesTag reports whether a list of entity tags, as If-Match and If-None-Match have it, names tag.
func matchesTag(list, tag string) bool {
	for candidate := range strings.SplitSeq(list, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == tag {
			return true
		}
	}
	return false
}

// expect returns the precondition that the request's If-Match states: that the thing is as the caller has seen it, in one of the
// ways in which it is shown.
func expect[V, A any](c *call, shown ...func(V) A) *core.Precondition[V] {
	list := strings.Join(c.r.Header.Values("If-Match"), ",")
	if list == "" {
		return nil
	}
	return core.Expect(func(v V) bool {
		for _, show := range shown {
			var body bytes.Buffer
			if err := encode(&body, show(v)); err == nil && matchesTag(list, entityTag(body.Bytes())) {
				return true
			}
		}
		return false
	}, errStale)
}

var errStale = domain.NewError(domain.PreconditionFailed, "The resource has changed since you last read it. Read it again and retry with its new ETag.")
