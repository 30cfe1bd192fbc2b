package httpcall

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"penstock/internal/domain"
)

// What a caller may send of whom nothing is known, and how soon. Others have the server's time for reading a request.
const (
	maxStrangersBody = 16 << 10
	maxStrangersTime = 5 * time.Second
)

// ErrBodyBrokenOff is the error of a body that ended too early, or did not come in time.
var ErrBodyBrokenOff = domain.NewError(domain.Malformed, "The body can't be read")

// ReadBody reads the request's body, which has a bound. Until it is there, the request takes no place of others.
// Returns an *http.MaxBytesError for one that is too large, ErrBodyBrokenOff, or Unavailable.
func (c *Call) ReadBody(limit int64) ([]byte, error) {
	if c.R.Body == http.NoBody {
		return nil, nil
	}
	control := http.NewResponseController(c.W)
	if !c.known {
		limit = min(limit, maxStrangersBody)
		_ = control.SetReadDeadline(time.Now().Add(maxStrangersTime))
	}
	if err := c.awaitBody(); err != nil {
		return nil, err
	}
	body, err := c.readAll(http.MaxBytesReader(c.W, c.R.Body, limit))
	if placeErr := c.connection.endBody(); err == nil {
		err = placeErr
		_ = control.SetReadDeadline(time.Time{}) // while the request is answered, only the connection's end is looked for
	}
	if err != nil {
		return nil, c.endConnection(err)
	}
	return body, nil
}

// awaitBody releases the place, until the caller has sent the body. Returns Unavailable if too many bodies come from
// a stranger's address.
func (c *Call) awaitBody() error {
	if c.known {
		c.connection.awaitBody()
		return nil
	}
	if err := c.connection.awaitStrangersBody(c.stranger()); err != nil {
		return c.endConnection(err)
	}
	return nil
}

// readAll reads all, and counts what it takes.
func (c *Call) readAll(in io.Reader) ([]byte, error) {
	first := 4 << 10 // is not counted: every connection has that much
	if length := c.R.ContentLength; length >= 0 && length < int64(first) {
		first = int(length) + 1 // room to read that nothing follows
	}
	body := make([]byte, 0, first)
	for {
		if len(body) == cap(body) {
			if err := c.connection.reserve(cap(body)); err != nil {
				return nil, err
			}
			body = slices.Grow(body, cap(body))
		}
		n, err := in.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch _, tooLarge := errors.AsType[*http.MaxBytesError](err); {
		case errors.Is(err, io.EOF):
			return body, nil
		case tooLarge:
			return nil, err
		case err != nil:
			return nil, ErrBodyBrokenOff
		}
	}
}

// endConnection makes the connection end with the answer: net/http would read the rest of the body else.
func (c *Call) endConnection(err error) error {
	c.Header["Connection"] = []string{"close"}
	return err
}

// AddressIsFull reports whether the caller's address has as many requests in flight as it may have while nobody is
// known. Who can say who they are should do so first then.
func (c *Call) AddressIsFull() bool { return !c.known && c.connection.isFull(c.stranger()) }

// stranger names the caller by the address. Whoever has an IPv6 address has 64 bits of them.
func (c *Call) stranger() string {
	if c.Address.Is6() {
		return netip.PrefixFrom(c.Address.WithZone(""), 64).Masked().String()
	}
	return c.Address.String()
}

// ReserveAnswer must come before an answer of that many bytes is written, unless it is a short one: the request
// releases its place, and its bytes are counted until the caller has read them. Returns Unavailable if there are
// too many.
func (c *Call) ReserveAnswer(bytes int) error {
	if !c.known {
		if err := c.connection.setCaller(c.stranger()); err != nil {
			return err
		}
	}
	return c.connection.awaitReader(bytes)
}

// An answer is written in parts. Of each, the caller must read in time: so a slow one gets all of a large answer, and
// one that does not read is left.
const (
	partSize = 64 << 10
	maxStall = 10 * time.Second
)

func (c *Call) writeParts(body []byte) {
	if len(body) <= partSize { // the server's time for writing an answer is enough
		_, _ = c.W.Write(body)
		return
	}
	control := http.NewResponseController(c.W)
	for part := range slices.Chunk(body, partSize) {
		_ = control.SetWriteDeadline(c.connection.writeDeadline())
		if _, err := c.W.Write(part); err != nil {
			return
		}
	}
}
