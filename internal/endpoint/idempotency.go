package endpoint

import (
	"net/http"
	"strconv"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

const (
	// IdempotencyHeader names a request that is to be carried out once, however often it is sent.
	IdempotencyHeader = "Idempotency-Key"
	// ReplayedHeader says that a request was carried out before, and its answer is the first one's.
	ReplayedHeader = "Idempotency-Replayed"
	// MaxIdempotencyKey is how long a key may be.
	MaxIdempotencyKey = 255
)

var errBadIdempotencyKey = domain.NewError(domain.Malformed,
	"The "+IdempotencyHeader+" must be one key of 1 to "+strconv.Itoa(MaxIdempotencyKey)+" visible ASCII characters")

// Creates reports whether the endpoint makes something, so that a request may have an idempotency key.
func (e *Endpoint) Creates() bool {
	return e.Method == http.MethodPost && e.Status == http.StatusCreated
}

// readIdempotencyKey reads the request's idempotency key, if it has one and its endpoint creates something.
func (c *Call) readIdempotencyKey() error {
	keys := c.R.Header.Values(IdempotencyHeader)
	if !c.endpoint.Creates() || len(keys) == 0 {
		return nil
	}
	if len(keys) > 1 || keys[0] == "" || len(keys[0]) > MaxIdempotencyKey {
		return errBadIdempotencyKey
	}
	for _, b := range []byte(keys[0]) {
		if b < '!' || b > '~' {
			return errBadIdempotencyKey
		}
	}
	c.idempotency = authz.NewIdempotency(keys[0], domain.Secret(c.Token(c.api.Scheme)))
	c.recordRequest(nil)
	return nil
}

// recordRequest records what a request with an idempotency key asks for.
func (c *Call) recordRequest(body []byte) {
	if c.idempotency != nil {
		c.idempotency.SetRequest(c.R.Method, c.R.URL.RequestURI(), body)
	}
}
