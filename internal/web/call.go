package web

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"penstock/internal/authn"
	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
)

// call is a request on its way to its page.
type call struct {
	*Site
	route   *boundRoute
	w       http.ResponseWriter
	r       *http.Request
	id      string
	address netip.Addr
	start   time.Time
	browser string          // the value of the browser's own cookie
	session string          // the value of the session's cookie; empty: none
	account *domain.Account // nil: not signed in
	status  int
	size    int
}

func newCall(rt *boundRoute, w http.ResponseWriter, r *http.Request) *call {
	c := &call{Site: rt.site, route: rt, w: w, r: r, start: rt.site.Now(), id: authn.RequestID(r)}
	c.address = authn.ClientAddress(r, c.TrustedProxies)
	c.secure(w.Header())
	w.Header().Set("X-Request-Id", c.id)
	c.session = c.cookie(sessionCookie)
	if c.browser = c.cookie(browserCookie); len(c.browser) < minBrowserValue {
		c.browser = domain.NewSessionValue().Reveal()
		c.setCookie(browserCookie, c.browser, browserCookieAge)
	}
	return c
}

// maxBody is how much a form can send.
const maxBody = 1 << 20

// serve finds out whether the request may be answered, and answers it.
func (c *call) serve() (*reply, error) {
	handle := c.route.handler(c.r.Method)
	switch {
	case c.route.path == unknownRoute && !strings.Contains(c.r.Header.Get("Accept"), "text/html"):
		// A program, which has the API's address wrong.
		return &reply{status: http.StatusNotFound, json: `{"message":"Not found"}`}, nil
	case c.route.path == unknownRoute:
		_ = c.identify() // so that the page that says so has the user's frame
		return nil, errNoSuchPage
	case handle == nil:
		c.w.Header().Set("Allow", c.route.allow())
		_ = c.identify()
		return c.problem(http.StatusMethodNotAllowed, "This page can't be asked for in that way."), nil
	}
	if err := c.origin.Check(c.r); err != nil {
		return nil, errCrossOrigin
	}
	if err := c.identify(); err != nil && !c.route.open {
		return nil, err
	}
	if c.posted() {
		if err := c.readForm(); err != nil {
			return nil, err
		}
		if !c.proven() {
			return nil, errForgedForm
		}
	}
	return handle(c)
}

// identify finds out who is signed in.
func (c *call) identify() error {
	account, err := c.Service.Account(c.ctx(), c.actor(), c.organization())
	if err == nil {
		c.account = &account
	}
	return err
}

func (c *call) readForm() error {
	if contentType, _, _ := strings.Cut(c.r.Header.Get("Content-Type"), ";"); strings.TrimSpace(contentType) != "application/x-www-form-urlencoded" {
		return domain.NewError(domain.UnsupportedMedia, "A form must be sent as application/x-www-form-urlencoded.")
	}
	c.r.Body = http.MaxBytesReader(c.w, c.r.Body, maxBody)
	if err := c.r.ParseForm(); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return domain.NewError(domain.TooLarge, "What was sent is too large.")
		}
		return domain.NewError(domain.Malformed, "The form can't be read.")
	}
	return nil
}

// ctx is the request's context.
func (c *call) ctx() context.Context { return c.r.Context() }

// actor is who asks: the session that the request carries, or a visitor.
func (c *call) actor() authz.Actor {
	actor := authz.VisitorActor(c.address)
	if c.session != "" {
		actor = authz.SessionActor(c.session, c.address)
	}
	actor.UserAgent = authn.UserAgent(c.r)
	return actor
}

// organization is the slug of the organization that the page is about; empty: none.
func (c *call) organization() string { return c.r.PathValue("organization") }

// administers reports whether the user administers the organization that the page is about. It is for what the page shows;
// what the user may do is for the service to decide.
func (c *call) administers() bool { return c.account != nil && c.account.Current.Administered() }

// posted reports whether the request sends a form.
func (c *call) posted() bool { return c.r.Method == http.MethodPost }

// here is the address that was asked for, without the base URL's path.
func (c *call) here() string {
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		return c.r.URL.EscapedPath()
	}
	return c.r.URL.RequestURI()
}

// inOrg returns the address of a page of the organization that this page is about.
func (c *call) inOrg(segments ...string) string {
	return c.link(append([]string{"organizations", c.organization()}, segments...)...)
}

// reply is an answer: a page, or a redirect to one.
type reply struct {
	status int
	page   page
	to     string // empty: no redirect
	json   string // empty: a page
}

// show answers with a page.
func (c *call) show(p page) *reply { return &reply{status: http.StatusOK, page: p} }

// redirect answers with a redirect to an address of ours, with a message to show there; empty: none.
func (c *call) redirect(to, message string) *reply {
	if message != "" {
		c.setFlash(message)
	}
	return &reply{status: http.StatusSeeOther, to: to}
}

func (c *call) write(answer *reply) {
	header := c.w.Header()
	if answer.to != "" {
		header.Set("Location", answer.to)
		c.writeBody(answer.status, "text/plain; charset=utf-8", nil)
		return
	}
	if answer.json != "" {
		c.writeBody(answer.status, "application/json; charset=utf-8", []byte(answer.json))
		return
	}
	var body bytes.Buffer
	if err := c.render(&body, answer.page); err != nil {
		c.Logger.ErrorContext(c.ctx(), "a page can't be rendered", "request_id", c.id, "template", answer.page.template, "error", err)
		c.writeBody(http.StatusInternalServerError, "text/plain; charset=utf-8", []byte(internalMessage))
		return
	}
	c.writeBody(answer.status, "text/html; charset=utf-8", body.Bytes())
}

func (c *call) writeBody(status int, contentType string, body []byte) {
	c.status, c.size = status, len(body)
	c.w.Header().Set("Content-Type", contentType)
	c.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	c.w.WriteHeader(status)
	_, _ = c.w.Write(body) //nolint:gosec // html/template has escaped what it holds
}

// finish logs and counts the answer, after turning a panic into one.
func (c *call) finish() {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
			panic(p)
		}
		c.Logger.LogAttrs(c.ctx(), slog.LevelError, "panic",
			slog.String("request_id", c.id), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		if c.status == 0 {
			c.write(c.problem(http.StatusInternalServerError, internalMessage))
		}
	}
	took := c.Now().Sub(c.start)
	c.Observe(c.route.path, c.r.Method, c.status, took)
	user := ""
	if c.account != nil {
		user = string(c.account.User.ID)
	}
	c.Logger.LogAttrs(c.ctx(), slog.LevelInfo, "request",
		slog.String("request_id", c.id),
		slog.String("method", c.r.Method),
		slog.String("path", c.r.URL.Path),
		slog.Int("status", c.status),
		slog.Int("bytes", c.size),
		slog.Duration("took", took),
		slog.String("address", c.address.String()),
		slog.String("organization", c.organization()),
		slog.String("user", user))
}

// cluster names the cluster that the page is about.
func (c *call) cluster() domain.ClusterRef {
	return domain.ClusterRef{Organization: c.organization(), ID: c.r.PathValue("cluster")}
}

// query returns a value of the address's query, with a question mark in place of what is no text.
func (c *call) query(name string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(c.r.URL.Query().Get(name), "\uFFFD"), "\x00", "\uFFFD")
}

// withQuery returns the address that was asked for with some values of its query replaced; an empty one is left out.
func (c *call) withQuery(values map[string]string) string {
	query := c.r.URL.Query()
	for name, value := range values {
		if query.Del(name); value != "" {
			query.Set(name, value)
		}
	}
	u := url.URL{Path: c.r.URL.Path, RawPath: c.r.URL.RawPath, RawQuery: query.Encode()}
	return c.prefix + u.String()
}

// value is service.Value, for handlers.
func value[T any](v T) core.Input[T] { return core.Value(v) }
