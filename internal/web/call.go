package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/service/core"
)

// call is a request on its way to its page.
type call struct {
	*Site
	httpcall.Call
	route   *boundRoute
	browser string          // the value of the browser's own cookie
	session string          // the value of the session's cookie; empty: none
	account *domain.Account // nil: not signed in
}

func newCall(rt *boundRoute, w http.ResponseWriter, r *http.Request) *call {
	c := &call{Site: rt.site, Call: rt.site.NewCall(rt.path, w, r), route: rt}
	c.setSecurityHeaders(c.Header)
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
	handle := c.route.handler(c.R.Method)
	switch {
	case c.route.path == unknownRoute && !strings.Contains(c.R.Header.Get("Accept"), "text/html"):
		// A program, which has the API's address wrong.
		return &reply{status: http.StatusNotFound, json: `{"message":"Not found"}`}, nil
	case c.route.path == unknownRoute:
		_ = c.identify() // so that the page that says so has the user's frame
		return nil, errNoSuchPage
	case handle == nil:
		c.Header.Set("Allow", c.route.allow())
		_ = c.identify()
		return c.replyWithProblem(http.StatusMethodNotAllowed, "This page doesn't support that request."), nil
	}
	if err := c.origin.Check(c.R); err != nil {
		return nil, errCrossOrigin
	}
	if err := c.identify(); err != nil && !c.route.open {
		return nil, err
	}
	if c.isPost() {
		if err := c.readForm(); err != nil {
			return nil, err
		}
		if !c.hasFormToken() {
			return nil, errForgedForm
		}
	}
	return handle(c)
}

// identify finds out who is signed in.
func (c *call) identify() error {
	organization := c.organization()
	if strings.HasPrefix(c.route.path, "/docs") {
		organization = c.cookie(cameCookie)
	}
	account, err := c.Service.Account(c.ctx(), c.actor(), organization)
	if err != nil {
		return err
	}
	if c.organization() != "" && account.Current != nil && c.cookie(cameCookie) != account.Current.Slug {
		c.setCookie(cameCookie, account.Current.Slug, cameCookieAge)
	}
	if err := c.RecordCaller(account.User.ID, c.organization()); err != nil {
		return err
	}
	c.account = &account
	return nil
}

func (c *call) readForm() error {
	if contentType, _, _ := strings.Cut(c.R.Header.Get("Content-Type"), ";"); strings.TrimSpace(contentType) !=
		"application/x-www-form-urlencoded" {
		return domain.NewError(domain.UnsupportedMedia, "A form must be sent as application/x-www-form-urlencoded.")
	}
	body, err := c.ReadBody(maxBody)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return domain.NewError(domain.TooLarge, "The form is too large.")
	}
	if err != nil {
		return err
	}
	if c.R.PostForm, err = url.ParseQuery(string(body)); err != nil {
		return domain.NewError(domain.Malformed, "The form couldn't be read.")
	}
	return nil
}

// ctx is the request's context.
func (c *call) ctx() context.Context { return c.Context() }

// actor is who asks: the session that the request carries, or a visitor.
func (c *call) actor() authz.Actor {
	actor := authz.VisitorActor(c.Address)
	if c.session != "" {
		actor = authz.SessionActor(c.session, c.Address)
	}
	actor.UserAgent = c.UserAgent()
	return actor
}

// organization is the slug of the organization that the page is about; empty: none.
func (c *call) organization() string { return c.R.PathValue("organization") }

// administers reports whether the user administers the organization that the page is about. It is for what the page
// shows; what the user may do is for the service to decide.
func (c *call) administers() bool { return c.account != nil && c.account.Current.Administered() }

// isPost reports whether the request sends a form.
func (c *call) isPost() bool { return c.R.Method == http.MethodPost }

// currentPath is the address that was asked for, without the base URL's path.
func (c *call) currentPath() string {
	if c.R.Method != http.MethodGet && c.R.Method != http.MethodHead {
		return c.R.URL.EscapedPath()
	}
	return c.R.URL.RequestURI()
}

// organizationLink returns the address of a page of the organization that this page is about.
func (c *call) organizationLink(segments ...string) string {
	return c.link(append([]string{"organizations", c.organization()}, segments...)...)
}

// reply is an answer: a page, or a redirect to one.
type reply struct {
	status int
	page   page
	to     string // empty: no redirect
	json   string // empty: a page
	stream func() // writes the answer by itself; nil: a page

	fragment string // the template that alone is shown of the page; empty: all of it
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
	if answer.to != "" {
		c.Header.Set("Location", answer.to)
		c.Write(answer.status, "text/plain; charset=utf-8", []byte{})
		return
	}
	if answer.stream != nil {
		answer.stream()
		return
	}
	if answer.json != "" {
		c.WriteJSON(answer.status, []byte(answer.json))
		return
	}
	var body bytes.Buffer
	if err := c.renderReply(&body, answer); err != nil {
		c.LogError("a page can't be rendered", slog.String("template", answer.page.template), slog.Any("error", err))
		c.Write(http.StatusInternalServerError, "text/plain; charset=utf-8", []byte(httpcall.InternalMessage))
		return
	}
	body = c.compress(body, answer.page)
	if err := c.ReserveAnswer(body.Len()); err != nil {
		status, message := c.Explain(err)
		c.Write(status, "text/plain; charset=utf-8", []byte(message))
		return
	}
	c.Write(answer.status, "text/html; charset=utf-8", body.Bytes())
}

// minCompressed is how large a page must be to be compressed.
const minCompressed = 1 << 10 // bytes

var compressors = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one
	return w
}}

// compress compresses a page, if the browser can read that. One that shows a secret stays as it is: its size would
// reveal something about the secret to who can make the page repeat a guess.
func (c *call) compress(body bytes.Buffer, p page) bytes.Buffer {
	if body.Len() < minCompressed || p.HasSecret || !strings.Contains(c.R.Header.Get("Accept-Encoding"), "gzip") {
		return body
	}
	var compressed bytes.Buffer
	w, _ := compressors.Get().(*gzip.Writer)
	w.Reset(&compressed)
	_, _ = body.WriteTo(w) // a buffer takes all
	_ = w.Close()
	w.Reset(nil)
	compressors.Put(w)
	c.Header.Set("Content-Encoding", "gzip")
	return compressed
}

func (c *call) answerPanic() {
	c.write(c.replyWithProblem(http.StatusInternalServerError, httpcall.InternalMessage))
}

// cluster names the cluster that the page is about.
func (c *call) organizationRef() domain.OrganizationRef {
	return domain.OrganizationRef{Slug: c.organization()}
}

func (c *call) cluster() domain.ClusterRef {
	return domain.ClusterRef{Organization: c.organizationRef(), ID: c.R.PathValue("cluster")}
}

// query returns a value of the address's query, with a question mark in place of invalid text.
func (c *call) query(name string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(c.R.URL.Query().Get(name), "\uFFFD"), "\x00", "\uFFFD")
}

// withQuery returns the address that was asked for with some values of its query replaced; an empty one is left out.
func (c *call) withQuery(values map[string]string) string {
	query := c.R.URL.Query()
	for name, value := range values {
		if query.Del(name); value != "" {
			query.Set(name, value)
		}
	}
	u := url.URL{Path: c.R.URL.Path, RawPath: c.R.URL.RawPath, RawQuery: query.Encode()}
	return c.prefix + u.String()
}

// inputOf is core.Value, for handlers.
func inputOf[T any](v T) core.Input[T] { return core.Value(v) }
