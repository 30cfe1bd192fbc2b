// Package httpcall is the envelope of a request, the same for all surfaces: the request's id, where it comes from and
// which token it carries; the status and the size of the answer; the line in the log and the count in the metrics; what
// becomes of a panic; and the status of an error. How an error looks is for the surface to say. It imports only
// internal/domain of ours.
package httpcall

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"penstock/internal/domain"
)

// Settings is what the calls of a surface share.
type Settings struct {
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed
	Logger         *slog.Logger
	Level          slog.Level // of the line that each request leaves in the log
	Now            func() time.Time
	// Observe, if set, is called with every answer. Route is a pattern, never a caller's path.
	Observe func(route, method string, status int, took time.Duration)

	proxyWarning *sync.Once // shared by copies
}

// WithDefaults returns the settings with what is left out filled in: no log, the present time, and nobody who observes.
func (s Settings) WithDefaults() Settings {
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Logger == nil {
		s.Logger = slog.New(slog.DiscardHandler)
	}
	if s.Observe == nil {
		s.Observe = func(string, string, int, time.Duration) {}
	}
	if s.proxyWarning == nil {
		s.proxyWarning = new(sync.Once)
	}
	return s
}

// Call is one request on its way to its answer. Surfaces embed it.
type Call struct {
	W       http.ResponseWriter
	R       *http.Request
	Header  http.Header // of the answer
	ID      string
	Address netip.Addr
	Start   time.Time

	settings   *Settings
	connection *connection // nil: there are no limits
	known      bool        // it is known who asks
	route      string
	status     int // 0: not answered yet
	size       int

	// Who asked, for the log; empty until it is known.
	user         domain.UserID
	organization string
}

// NewCall begins to answer a request. Defer its Finish. The settings must have their defaults.
func (s *Settings) NewCall(route string, w http.ResponseWriter, r *http.Request) Call {
	c := Call{
		W: w, R: r, Header: w.Header(), ID: RequestID(r), Address: ClientAddress(r, s.TrustedProxies), Start: s.Now(),
		settings: s, connection: connectionOf(r.Context()), route: route,
	}
	c.Header["X-Request-Id"] = []string{c.ID}
	if r.Header["X-Forwarded-For"] != nil && !isTrusted(peerAddress(r), s.TrustedProxies) {
		s.proxyWarning.Do(func() {
			c.log(slog.LevelWarn, "X-Forwarded-For is not believed: the peer is not in --trusted-proxies. If it is a proxy, "+
				"all its clients count as one address",
				slog.String("peer", r.RemoteAddr))
		})
	}
	return c
}

// Context returns the request's context.
func (c *Call) Context() context.Context { return c.R.Context() }

// Path returns the segment of the request's path that the route calls name.
func (c *Call) Path(name string) string { return c.R.PathValue(name) }

// Token returns the token that the request carries under the scheme, such as Bearer; "" for none.
func (c *Call) Token(scheme string) string { return Token(c.R, scheme) }

// UserAgent returns what the caller's program calls itself.
func (c *Call) UserAgent() string { return UserAgent(c.R) }

// RecordCaller records who asks, a user or else a portal of the organization, and the slug of the organization that it
// is about. Returns Unavailable if too many requests of theirs are in flight.
func (c *Call) RecordCaller(user domain.UserID, organization string) error {
	c.user, c.organization = user, organization
	caller := string(user)
	if caller == "" {
		caller = "portals of " + organization
	}
	if err := c.connection.setCaller(caller); err != nil {
		return err
	}
	c.connection.recordArrival(caller)
	c.known = true
	if c.R.Method == http.MethodGet || c.R.Method == http.MethodHead {
		return c.connection.acquireTurn(c.Context())
	}
	return nil
}

// RecordProgram is RecordCaller for a program that is no user: an agent, or a job that one runs. The body may be open
// already.
func (c *Call) RecordProgram(name string) error {
	if err := c.connection.changeCaller(name); err != nil {
		return err
	}
	c.connection.recordArrival(name)
	c.known = true
	return nil
}

// WaitForEvents releases the request's place for the rest of it: the server only waits, to inform the caller of what
// happens.
func (c *Call) WaitForEvents() { c.connection.awaitBody() }

// RecordStatus records the status of an answer that was not written by Write.
func (c *Call) RecordStatus(status int) { c.status = status }

// Write answers. A nil body has neither a type nor a length. ReserveAnswer comes before a long one.
func (c *Call) Write(status int, contentType string, body []byte) {
	c.status, c.size = status, len(body)
	if body != nil {
		c.Header["Content-Type"] = []string{contentType}
		c.Header["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	c.W.WriteHeader(status)
	c.writeParts(body)
}

// WriteJSON answers with a JSON text.
func (c *Call) WriteJSON(status int, body []byte) {
	c.Write(status, "application/json; charset=utf-8", body)
}

// Finish logs and counts the answer. It must be deferred: a panic is logged and answered as answerPanic does, if it is
// not too late.
func (c *Call) Finish(answerPanic func()) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
			panic(p)
		}
		c.log(slog.LevelError, "panic", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		if c.status == 0 {
			answerPanic()
		}
	}
	took := c.settings.Now().Sub(c.Start)
	c.settings.Observe(c.route, c.R.Method, c.status, took)
	if !c.settings.Logger.Enabled(c.Context(), c.settings.Level) {
		return
	}
	c.log(c.settings.Level, "request",
		slog.String("method", c.R.Method),
		slog.String("path", SafePath(c.R.URL.Path)),
		slog.Int("status", c.status),
		slog.Int("bytes", c.size),
		slog.Duration("took", took),
		slog.String("address", c.Address.String()),
		slog.String("organization", c.organization),
		slog.String("user", string(c.user)))
}

// log logs under the request's id.
func (c *Call) log(level slog.Level, message string, attrs ...slog.Attr) {
	c.settings.Logger.LogAttrs(c.Context(), level, message, append([]slog.Attr{slog.String("request_id", c.ID)},
		attrs...)...)
}

// CallerGone reports whether the caller did not wait for the answer.
func (c *Call) CallerGone() bool { return errors.Is(c.Context().Err(), context.Canceled) }
