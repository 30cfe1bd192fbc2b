package endpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"unicode/utf8"

	"penstock/internal/domain"
)

// A lenient API is called by programs of several versions, which nobody can change. Bodies are of any media type, may
// be empty, and are read as encoding/json reads them: members that nothing is known of are ignored. Answers are written
// by encoding/json too: raw JSON that a program has sent is answered as it came. An operation decides itself who may
// call it; before that, only a caller with a large body is identified. An answer is no page, and has no entity tag.

const (
	knownBody  = 16 << 10 // bytes; who sends more has to be known before
	longAnswer = 16 << 10 // bytes; an answer that is longer is counted until it is read
)

var (
	errNotText  = domain.NewError(domain.Malformed, "The body must be valid UTF-8")
	emptyObject = []byte("{}\n") // as an encoder of encoding/json writes it
)

// Written is the answer of a handler that has written it itself.
type Written struct{}

// serveLeniently runs the endpoint for the request's method and writes its answer.
func (rt *route) serveLeniently(c *Call) {
	if c.endpoint = rt.perMethod[c.R.Method]; c.endpoint == nil {
		if rt.perMethod == nil {
			c.fail(errNoSuchPath)
			return
		}
		c.failWith(http.StatusMethodNotAllowed, "Method not allowed")
		return
	}
	answer, err := c.endpoint.Handle(c)
	if err != nil {
		c.fail(err)
		return
	}
	status := cmp.Or(c.status, c.endpoint.Status)
	if _, written := answer.(Written); written {
		return
	}
	switch {
	case status == http.StatusNoContent:
		c.WriteJSON(status, nil)
	case answer == nil:
		c.WriteJSON(status, emptyObject)
	default:
		c.answerLeniently(status, answer)
	}
}

// lenientEncoder writes answers, one after the other.
type lenientEncoder struct {
	text bytes.Buffer
	json *json.Encoder
}

var lenientEncoders = sync.Pool{New: func() any {
	e := new(lenientEncoder)
	e.json = json.NewEncoder(&e.text)
	e.json.SetEscapeHTML(false) // what is answered as it came
	return e
}}

func (c *Call) answerLeniently(status int, answer any) {
	encoder := lenientEncoders.Get().(*lenientEncoder)
	encoder.text.Reset()
	err := encoder.json.Encode(answer)
	if encoder.text.Cap() <= maxKeptBuffer {
		defer lenientEncoders.Put(encoder)
	}
	if err == nil && encoder.text.Len() > longAnswer {
		err = c.ReserveAnswer(encoder.text.Len())
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.WriteJSON(status, encoder.text.Bytes())
}

// SetStatus makes the status of a success the endpoint's OtherStatus. Of a lenient API.
func (c *Call) SetStatus(status int) { c.status = status }

// Identify finds out who sends the request, once, so that it has its caller's share of the server. Of a lenient API.
func (c *Call) Identify() error {
	if c.identified {
		return nil
	}
	caller, err := c.api.Identify(c.Context(), c.Actor())
	if err != nil {
		return err
	}
	c.identified = true
	return c.RecordProgram(caller)
}

// ReadContent returns the body of the request as it came. Who sends a large one has to be known before, and who comes
// from an address from which too many others send theirs. Of a lenient API.
func (c *Call) ReadContent() ([]byte, error) {
	if c.R.ContentLength > knownBody || c.R.ContentLength < 0 || c.AddressIsFull() {
		if err := c.Identify(); err != nil {
			return nil, err
		}
	}
	return c.ReadBody(cmp.Or(c.endpoint.MaxBody, c.api.MaxBody))
}

// Decode reads the body of the request into value, a pointer to the endpoint's type of body. One that is empty leaves
// value as it is. Of a lenient API.
func (c *Call) Decode(value any) error {
	body, err := c.ReadContent()
	if err != nil || len(body) == 0 {
		return err
	}
	if !utf8.Valid(body) {
		return errNotText
	}
	if err := json.Unmarshal(body, value); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return domain.NewError(domain.Malformed, "`"+wrong.Field+"` has the wrong type: "+wrong.Value)
		}
		return errNoObject
	}
	return nil
}

// PathText returns a part of the path; "", which nothing has, if it is not text.
func (c *Call) PathText(name string) string {
	if value := c.Path(name); domain.ValidText(value) {
		return value
	}
	return ""
}

// explainSize returns the error of a body that is too large as a lenient API reports it, and any other as it is.
func explainSize(err error) error {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return domain.NewError(domain.TooLarge, "The body is too large: at most "+strconv.FormatInt(tooLarge.Limit, 10)+
			" bytes are taken here")
	}
	return err
}
