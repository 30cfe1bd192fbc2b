package endpoint

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
)

// Call is one request on its way to its answer.
type Call struct {
	httpcall.Call
	api      *API
	endpoint *Endpoint     // nil: there is none
	bodyErr  error         // what is wrong with the body, as far as it was read
	shown    *domain.Shown // of the page that is the answer; nil for another answer

	idempotency *authz.Idempotency // nil: the request has no key

	status     int  // of a success; 0: the endpoint's
	identified bool // it is known who sends it
}

// Actor returns who asks. A request without a token has the zero actor, unless the API is lenient.
func (c *Call) Actor() authz.Actor {
	token := c.Token(c.api.Scheme)
	if token == "" && !c.api.Lenient {
		return authz.Actor{}
	}
	actor := c.api.NewActor(token, c.Address)
	actor.UserAgent = c.UserAgent()
	actor.Idempotency = c.idempotency
	return actor
}

// admit finds out who asks, records it for the log, and counts the request against their rate limits. Nothing is read
// from a caller who is not admitted: a body takes memory and time.
func (c *Call) admit() error {
	if c.endpoint != nil && c.endpoint.Open {
		return nil
	}
	slug := c.R.PathValue(OrganizationParameter)
	admitted, err := c.api.Admit(c.Context(), c.Actor(), slug)
	if err != nil && admitted.User == "" {
		return err
	}
	if admitted.Organization == "" {
		slug = ""
	}
	if err := c.RecordCaller(admitted.User, slug); err != nil {
		return err
	}
	if admitted.Organization == "" {
		return cmp.Or(c.api.UserLimit.CountRequest(string(admitted.User), c.Start, c.Header), err)
	}
	return cmp.Or(c.api.OrganizationLimit.CountRequest(string(admitted.Organization), c.Start, c.Header),
		c.api.UserLimit.CountRequest(string(admitted.User), c.Start, c.Header), err)
}

// countStray counts a request that no endpoint serves against its caller's rate limits, if there are any.
func (c *Call) countStray() error {
	if !c.api.OrganizationLimit.Enforced() && !c.api.UserLimit.Enforced() || c.Token(c.api.Scheme) == "" {
		return nil
	}
	if err := c.admit(); domain.CodeOf(err) == domain.RateLimited {
		return err
	}
	return nil
}

// OrganizationParameter is the parameter of a path that names the organization which the request is about.
const OrganizationParameter = "org"

// Query returns the request's query. Returns Malformed if it can't be read.
func (c *Call) Query() (url.Values, error) {
	if c.R.URL.RawQuery == "" {
		return nil, nil
	}
	query, err := url.ParseQuery(c.R.URL.RawQuery)
	if err != nil {
		return nil, domain.NewError(domain.Malformed, "The query string can't be read")
	}
	return query, nil
}

// serve runs the endpoint and writes its answer.
func (c *Call) serve() {
	if err := c.admit(); err != nil {
		c.Header["Connection"] = []string{"close"} // net/http would read the body before it answers
		c.fail(err)
		return
	}
	if err := c.readIdempotencyKey(); err != nil {
		c.fail(err)
		return
	}
	answer, err := c.endpoint.Handle(c)
	if err != nil {
		c.fail(err)
		return
	}
	if c.idempotency != nil && c.idempotency.Replayed {
		c.Header[ReplayedHeader] = []string{"true"}
	}
	if answer == nil {
		c.WriteJSON(http.StatusNoContent, nil)
		return
	}
	if stream, ok := answer.(*Stream); ok {
		c.writeStream(stream)
		return
	}
	if body, ok := answer.(encoded); ok {
		c.WriteJSON(c.endpoint.Status, body)
		return
	}
	kept := buffers.Get().(*[]byte)
	body, err := appendJSON((*kept)[:0], answer)
	if cap(body) <= maxKeptBuffer {
		*kept = body
		defer buffers.Put(kept)
	}
	switch {
	case err != nil:
		c.fail(err)
	case c.endpoint.Tagged && c.writeTag(body):
		c.WriteJSON(http.StatusNotModified, nil)
	default:
		if err := c.ReserveAnswer(len(body)); err != nil {
			c.fail(err)
			return
		}
		c.WriteJSON(c.endpoint.Status, body)
		c.shown.Remember(c.endpoint, body)
	}
}

// writeStream answers with a stream.
func (c *Call) writeStream(s *Stream) {
	if s.Close != nil {
		defer func() { _ = s.Close() }() // what was only read
	}
	out, err := c.OpenAnswer()
	if err != nil {
		c.fail(err)
		return
	}
	c.Header["Content-Type"] = []string{s.ContentType}
	if s.Length >= 0 {
		c.Header["Content-Length"] = []string{strconv.FormatInt(s.Length, 10)}
	}
	out.WriteHeader(cmp.Or(s.Status, c.endpoint.Status))
	if c.R.Method == http.MethodHead {
		return
	}
	if err := s.Write(out); err != nil {
		if !c.CallerGone() {
			c.LogError("an answer was broken off", slog.Any("error", err))
		}
		panic(http.ErrAbortHandler)
	}
}

// encoded is an answer that is JSON already.
type encoded []byte

// maxKeptBuffer is how large a buffer may be to be used again.
const maxKeptBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// fail answers with an error.
func (c *Call) fail(err error) {
	if c.api.Lenient {
		err = explainSize(err)
	}
	if c.bodyErr != nil && c.CallerGone() && httpcall.Status(err) >= http.StatusInternalServerError {
		// The body broke off. That ends the context too, so that the operation could not ask for the body.
		err = c.bodyErr
	}
	status, message := c.Explain(err)
	if status == http.StatusUnauthorized && c.api.Unauthenticated != "" {
		c.Header["Www-Authenticate"] = []string{c.api.Scheme}
		message = c.api.Unauthenticated
	}
	if limited, ok := errors.AsType[*httpcall.LimitError](err); ok {
		c.writeValue(status, newLimitAnswer(limited))
		return
	}
	c.failWith(status, message)
}

func (c *Call) answerPanic() { c.failWith(http.StatusInternalServerError, httpcall.InternalMessage) }

func (c *Call) failWith(status int, message string) { c.writeValue(status, ErrorAnswer{message}) }

func (c *Call) writeValue(status int, v any) {
	body, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true)) // a message may have what the caller sent
	if err != nil {
		body = []byte(`{"message":"` + httpcall.InternalMessage + `"}`)
	}
	c.WriteJSON(status, body)
}

// isRead reports whether the request only reads.
func (c *Call) isRead() bool {
	return c.R.Method == http.MethodGet || c.R.Method == http.MethodHead
}

// headerList returns a header whose value is a list, which may be sent in several parts.
func (c *Call) headerList(name string) string { return strings.Join(c.R.Header.Values(name), ",") }
