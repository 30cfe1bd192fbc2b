package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"penstock/internal/agentapi"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
)

// Routes, as metrics show them, of what no surface answers.
const (
	unknownRoute = "unknown"
	refusedRoute = "refused"
)

const readyTimeout = 2 * time.Second

// root is the outermost handler. It refuses requests above the limit, and routes by the first segment of the path.
type root struct {
	prefix     string                  // the base URL's path, without a slash at the end; a proxy may have taken it away
	surfaces   map[string]http.Handler // by the first segment; each writes, logs and counts its own answers
	streams    http.Handler            // of messages to agents
	pages      http.Handler            // everything else
	stopping   chan struct{}           // is closed when streams are to end
	links      map[string]answerToken  // by the first segment: those whose address has a token
	feeds      *feeds
	identities http.Handler // how the identity of jobs is checked
	metrics    http.Handler
	ready      func(context.Context) error // one call at a time
	calls      httpcall.Settings           // of what no surface answers
	limits     *httpcall.Limits

	draining atomic.Bool

	probeMutex sync.Mutex
	probing    *probe
	unready    string // why, as of the last probe; empty: ready
}

// answerToken answers a request whose address had a token.
type answerToken = func(w http.ResponseWriter, r *http.Request, token string)

// requireReserved panics if an organization could be called like the first segment of addresses that are not pages.
func (h *root) requireReserved() {
	for segment := range h.surfaces {
		requireReserved(segment)
	}
	for segment := range h.links {
		requireReserved(segment)
	}
}

func requireReserved(segment string) {
	if !domain.IsReservedSlug(segment) {
		panic("the slug " + segment + " is not reserved, but addresses begin with it")
	}
}

func (h *root) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if len(r.TransferEncoding) > 0 || r.ContentLength != 0 && isRead(r) {
		// A length that a chunked body had besides is not known any more, and what is read of such a body could be half a
		// request. One of a request that has no use for it is not waited for.
		w.Header().Set("Connection", "close")
	}
	bare := r.URL.Path
	r = withoutTrailingSlash(withoutPrefix(r, h.prefix))
	segment, below := firstSegment(r.URL.Path)
	switch {
	// These answer under overload too: a server that is only busy must not be taken for dead, and its metrics are wanted
	// then.
	case segment == "healthz" && !below:
		h.answerProbe(w, r, "/healthz", func(context.Context) (int, string) { return http.StatusOK, `{"status":"alive"}` })
	case segment == "readyz" && !below:
		h.answerProbe(w, r, "/readyz", h.checkReadiness)
	case bare == "/metrics": // not below the prefix, which the public reaches
		h.metrics.ServeHTTP(w, r)
	default:
		r, token := cutToken(r, segment)
		defer h.limits.End(r.Context())
		if !h.limits.Begin(r.Context(), agentapi.IsUrgent(r)) && !isPreflight(r, segment) {
			h.refuse(w, r, segment)
			return
		}
		h.route(w, r, segment, token)
	}
}

// route answers a request that has a place.
func (h *root) route(w http.ResponseWriter, r *http.Request, segment, token string) {
	switch {
	case r.URL.Path == agentapi.StreamPath:
		h.streams.ServeHTTP(w, r)
	case segment == ".well-known":
		h.identities.ServeHTTP(w, r)
	case h.links[segment] != nil:
		h.links[segment](w, r, token)
	case h.surfaces[segment] != nil:
		h.surfaces[segment].ServeHTTP(w, r)
	default:
		if ref, isFeed := feedOf(r.URL.Path); isFeed {
			h.feeds.answer(w, r, ref)
			return
		}
		h.pages.ServeHTTP(w, r)
	}
}

// withoutPrefix returns the request for the path below prefix, or r itself if its path is not.
func withoutPrefix(r *http.Request, prefix string) *http.Request {
	path, found := strings.CutPrefix(r.URL.Path, prefix)
	if prefix == "" || !found || path != "" && path[0] != '/' {
		return r
	}
	stripped, u := *r, *r.URL
	// What is encoded unusually stays so, below the prefix.
	u.Path, u.RawPath = cmp.Or(path, "/"), strings.TrimPrefix(u.RawPath, (&url.URL{Path: prefix}).EscapedPath())
	stripped.URL = &u
	return &stripped
}

// withoutTrailingSlash returns the request for the same path without a slash at its end. One that is escaped is part of
// the last segment.
func withoutTrailingSlash(r *http.Request) *http.Request {
	escaped := r.URL.EscapedPath()
	if len(escaped) < 2 || !strings.HasSuffix(escaped, "/") || strings.HasSuffix(escaped, "//") {
		return r
	}
	bare, u := *r, *r.URL
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	bare.URL = &u
	return &bare
}

func isRead(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// isPreflight reports whether a browser asks what it may send to an API, which costs next to nothing.
func isPreflight(r *http.Request, segment string) bool {
	return r.Method == http.MethodOptions && (segment == "v1" || segment == "v2")
}

// refuse answers a request above the limit, in the format of its surface.
func (h *root) refuse(w http.ResponseWriter, r *http.Request, segment string) {
	body := errorBody("The service is overloaded. Please retry.")
	if segment == "v1" || segment == "portal" {
		body = `{"errors":[` + body + `]}`
	}
	if h.surfaces[segment] != nil { // other sites' scripts may read their answers
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
	}
	w.Header().Set("Retry-After", "1")
	h.answerJSON(w, r, refusedRoute, http.StatusServiceUnavailable, body)
}

// firstSegment returns the first segment of a path, and whether there is anything below it.
func firstSegment(path string) (segment string, below bool) {
	segment, _, below = strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return segment, below
}

// showPictures returns what shows the pictures that addresses in an API's answer lead to: of users, or of emoji.
func (h *root) showPictures(route string, draw func(path string) (svg string, ok bool)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { h.answerPicture(w, r, route, draw) }
}

func (h *root) answerPicture(w http.ResponseWriter, r *http.Request, route string, draw func(path string) (svg string,
	ok bool)) {
	svg, ok := draw(r.URL.Path)
	if !ok || !isRead(r) {
		h.answerJSON(w, r, route, http.StatusNotFound, errorBody("Not found"))
		return
	}
	c := h.calls.NewCall(route, w, r)
	defer c.Finish(nil)
	c.Header.Set("Cache-Control", "public, max-age=31536000, immutable")
	c.Header.Set("Content-Security-Policy", "default-src 'none'")
	c.Header.Set("X-Content-Type-Options", "nosniff")
	c.Write(http.StatusOK, "image/svg+xml", []byte(svg))
}

func (h *root) answerProbe(w http.ResponseWriter, r *http.Request, route string, state func(context.Context) (int,
	string)) {
	w.Header().Set("Cache-Control", "no-store")
	if !isRead(r) {
		w.Header().Set("Allow", "GET, HEAD")
		h.answerJSON(w, r, route, http.StatusMethodNotAllowed, errorBody("Method not allowed. Allowed here: GET, HEAD"))
		return
	}
	c := h.calls.NewCall(route, w, r)
	defer c.Finish(func() { c.WriteJSON(http.StatusInternalServerError, []byte(errorBody(httpcall.InternalMessage))) })
	status, body := state(r.Context())
	c.WriteJSON(status, []byte(body))
}

// checkReadiness reports whether requests should be sent here, and why not. What exactly is wrong is logged when it
// changes.
func (h *root) checkReadiness(ctx context.Context) (status int, body string) {
	if h.draining.Load() {
		return http.StatusServiceUnavailable, errorBody("The server is stopping.")
	}
	if err := h.whyUnready(ctx); err != nil {
		reason := "The database does not answer."
		if unready, ok := errors.AsType[*db.Unready](err); ok {
			reason = unready.Reason
		} else if _, ok := errors.AsType[*blobsUnready](err); ok {
			reason = blobsUnreadyReason
		}
		return http.StatusServiceUnavailable, errorBody(reason)
	}
	return http.StatusOK, `{"status":"ready"}`
}

// whyUnready returns why the server is not ready; nil if it is. Probes that come while one is under way wait for its
// answer: anyone may send them.
func (h *root) whyUnready(ctx context.Context) error {
	h.probeMutex.Lock()
	if running := h.probing; running != nil {
		h.probeMutex.Unlock()
		<-running.done
		return running.err
	}
	p := &probe{done: make(chan struct{})}
	before := h.unready
	h.probing = p
	h.probeMutex.Unlock()
	defer func() {
		h.probeMutex.Lock()
		h.unready, h.probing = explain(p.err), nil
		h.probeMutex.Unlock()
		close(p.done)
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	p.err = h.ready(ctx)
	switch reason := explain(p.err); reason {
	case before:
	case "":
		h.calls.Logger.InfoContext(ctx, "ready again")
	default:
		h.calls.Logger.ErrorContext(ctx, "not ready", "error", reason)
	}
	return p.err
}

// explain returns what an error says; empty: there is none.
func explain(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// probe is a question to the database, and to the store of blobs, that is under way.
type probe struct {
	done chan struct{}
	err  error // why the server is not ready, once done is closed
}

// answerJSON answers with a JSON text that is known already.
func (h *root) answerJSON(w http.ResponseWriter, r *http.Request, route string, status int, body string) {
	c := h.calls.NewCall(route, w, r)
	defer c.Finish(nil)
	c.WriteJSON(status, []byte(body)) // net/http leaves the body out for HEAD
}

// errorBody returns the body of an error; the message has nothing that JSON would escape.
func errorBody(message string) string { return `{"message":"` + message + `"}` }
