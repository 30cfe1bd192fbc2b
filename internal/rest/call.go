package rest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/service"
)

// call is one request on its way to its answer.
type call struct {
	httpcall.Call
	api      *API
	route    *route
	endpoint *endpoint // nil: there is none
	counted  bool      // against the rate limits
	bodyErr  error     // what is wrong with the body, as far as it was read

	shownUser *domain.User // the user that was shown last, and how: lists show the same one again and again
	shownAs   *userAnswer
}

var (
	anyOrigin      = []string{"*"}
	varyByToken    = []string{"Authorization"}
	exposedHeaders = []string{"Link, ETag, Retry-After, X-Request-Id, " +
		"RateLimit-Scope, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, " +
		"RateLimit-User-Scope, RateLimit-User-Limit, RateLimit-User-Remaining, RateLimit-User-Reset"}
)

func newCall(rt *route, w http.ResponseWriter, r *http.Request) *call {
	c := &call{Call: rt.api.NewCall(rt.path, w, r), api: rt.api, route: rt}
	c.Header["Access-Control-Allow-Origin"] = anyOrigin
	c.Header["Access-Control-Expose-Headers"] = exposedHeaders
	return c
}

// serve runs an endpoint and writes its answer.
func (c *call) serve(e *endpoint) {
	c.endpoint = e
	answer, err := e.handle(c)
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
	if err := encode(buffer, answer); err != nil {
		c.fail(err)
		return
	}
	if e.tagged {
		tag := entityTag(buffer.Bytes())
		c.Header["Etag"] = []string{tag}
		c.Header["Vary"] = varyByToken
		reads := c.R.Method == http.MethodGet || c.R.Method == http.MethodHead
		if reads && matchesTag(strings.Join(c.R.Header.Values("If-None-Match"), ","), tag) {
			c.WriteJSON(http.StatusNotModified, nil)
			return
		}
	}
	c.WriteJSON(e.status, buffer.Bytes())
}

// maxKeptBuffer is how large a buffer may be to be used again.
const maxKeptBuffer = 1 << 20

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// preflight answers a browser that asks what it may send.
func (c *call) preflight() {
	c.Header.Set("Allow", c.route.allow)
	c.Header.Set("Access-Control-Allow-Methods", c.route.allow)
	c.Header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match, If-None-Match")
	c.Header.Set("Access-Control-Max-Age", "86400")
	c.WriteJSON(http.StatusNoContent, nil)
}

// actor returns who asks. A request without a token has the zero actor.
func (c *call) actor() authz.Actor {
	actor := c.credential()
	if actor.Credential.Hash != "" {
		actor.Identified = c.identified
	}
	return actor
}

// credential is actor for finding out whether the token is good, before the request counts.
func (c *call) credential() authz.Actor {
	token := c.Token("Bearer")
	if token == "" {
		return authz.Actor{}
	}
	actor := authz.TokenActor(authz.REST, token, c.Address)
	actor.UserAgent = c.UserAgent()
	return actor
}

// identified notes who asks and counts the request against their rate limits, once: an operation may
// establish the identity several times.
func (c *call) identified(id *authz.Identity) error {
	c.NoteCaller(id.User.ID, id.Organization.Slug)
	if c.counted {
		return nil
	}
	c.counted = true
	var overOrganization error
	if id.Organization.ID != "" {
		overOrganization = c.api.perOrg.count(string(id.Organization.ID), c.Start, c.Header)
	}
	return cmp.Or(overOrganization, c.api.perUser.count(string(id.User.ID), c.Start, c.Header))
}

// fail answers with an error.
func (c *call) fail(err error) {
	if c.bodyErr != nil && c.CallerGone() && httpcall.Status(err) >= http.StatusInternalServerError {
		// The body broke off. That ends the context too, so that the operation could not ask for the body.
		err = c.bodyErr
	}
	status, message := c.Explain(err)
	if status == http.StatusUnauthorized {
		c.Header["Www-Authenticate"] = []string{"Bearer"}
		message = "Authentication required. Please supply a valid API Access Token: " + c.api.BaseURL + "/docs#authentication"
	}
	if limited, ok := errors.AsType[*limitError](err); ok {
		c.writeJSON(status, limited.answer)
		return
	}
	c.failWith(status, message)
}

func (c *call) answerPanic() {
	c.failWith(http.StatusInternalServerError, httpcall.InternalMessage)
}

func (c *call) failWith(status int, message string) { c.writeJSON(status, errorAnswer{message}) }

func (c *call) writeJSON(status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		body = []byte(`{"message":"` + httpcall.InternalMessage + `"}`)
	}
	c.WriteJSON(status, body)
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
func expect[V, A any](c *call, shown ...func(V) A) service.Precondition[V] {
	list := strings.Join(c.R.Header.Values("If-Match"), ",")
	if list == "" {
		return nil
	}
	return func(v V) error {
		for _, show := range shown {
			var body bytes.Buffer
			if err := encode(&body, show(v)); err != nil {
				return err
			}
			if matchesTag(list, entityTag(body.Bytes())) {
				return nil
			}
		}
		return errStale
	}
}

var errStale = domain.NewError(domain.PreconditionFailed, "The resource has changed since you last read it. Read it again and retry with its new ETag.")
