package endpoint

import (
	"bytes"
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
)

// Call is one request on its way to its answer.
type Call struct {
	httpcall.Call
	api      *API
	endpoint *Endpoint // nil: there is none
	counted  bool      // against the rate limits
	bodyErr  error     // what is wrong with the body, as far as it was read
}

// Actor returns who asks. A request without a token has the zero actor.
func (c *Call) Actor() authz.Actor {
	actor := c.credential()
	if actor.Credential.Hash != "" {
		actor.Identified = func(id *authz.Identity) error {
			return c.CountRequest(id.User.ID, id.Organization.ID, id.Organization.Slug)
		}
	}
	return actor
}

// credential is Actor for finding out whether the token is good, before the request counts.
func (c *Call) credential() authz.Actor {
	token := c.Token(c.api.Scheme)
	if token == "" {
		return authz.Actor{}
	}
	actor := c.api.NewActor(token, c.Address)
	actor.UserAgent = c.UserAgent()
	return actor
}

// CountRequest notes who asks, and about which organization, for the log, and counts the request against their rate limits, once.
//
// Returns RateLimited if that is one too many.
func (c *Call) CountRequest(user domain.UserID, organization domain.OrganizationID, slug string) error {
	c.NoteCaller(user, slug)
	if c.counted {
		return nil
	}
	c.counted = true
	var overOrganization error
	if organization != "" {
		overOrganization = c.api.OrganizationLimit.count(string(organization), c.Start, c.Header)
	}
	return cmp.Or(overOrganization, c.api.UserLimit.count(string(user), c.Start, c.Header))
}

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
	answer, err := c.endpoint.Handle(c)
	if err != nil {
		c.fail(err)
		return
	}
	if answer == nil {
		c.WriteJSON(http.StatusNoContent, nil)
		return
	}
	buffer := buffers.Get().(*bytes.Buffer)
	defer func() {
		if buffer.Cap() <= maxKeptBuffer {
			buffers.Put(buffer)
		}
	}()
	buffer.Reset()
	if err := json.MarshalWrite(buffer, answer); err != nil {
		c.fail(err)
		return
	}
	if c.endpoint.Tagged && c.writeTag(buffer.Bytes()) {
		c.WriteJSON(http.StatusNotModified, nil)
		return
	}
	c.WriteJSON(c.endpoint.Status, buffer.Bytes())
}

// maxKeptBuffer is how large a buffer may be to be used again.
const maxKeptBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// fail answers with an error.
func (c *Call) fail(err error) {
	if c.bodyErr != nil && c.CallerGone() && httpcall.Status(err) >= http.StatusInternalServerError {
		// The body broke off. That ends the context too, so that the operation could not ask for the body.
		err = c.bodyErr
	}
	status, message := c.Explain(err)
	if status == http.StatusUnauthorized {
		c.Header["Www-Authenticate"] = []string{c.api.Scheme}
		message = c.api.Unauthenticated
	}
	if limited, ok := errors.AsType[*limitError](err); ok {
		c.writeValue(status, limited.answer)
		return
	}
	c.failWith(status, message)
}

func (c *Call) answerPanic() { c.failWith(http.StatusInternalServerError, httpcall.InternalMessage) }

func (c *Call) failWith(status int, message string) { c.writeValue(status, ErrorAnswer{message}) }

func (c *Call) writeValue(status int, v any) {
	body, err := json.Marshal(v)
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
