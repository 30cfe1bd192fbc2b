// Package endpoint serves a JSON API from a table of endpoints. One executor reads the request, calls the endpoint's
// handler and writes its answer or its error, with pages, entity tags, conditional changes, rate limits and access for
// other sites' scripts. What differs from API to API is in Options; lenient.go has what an API does that is called by
// programs of several versions. It imports internal/httpcall, internal/authz and internal/domain of ours: which
// operations there are, only the APIs know.
package endpoint

import (
	"io"

	"penstock/internal/domain"
)

// Endpoint is one operation of an API. The OpenAPI description is made from the same values.
type Endpoint struct {
	Method       string
	Alias        string // another method that does the same; empty: none
	Path         string // a pattern of http.ServeMux
	Operation    string // its name in the description
	Summary      string
	Scope        domain.Scope // that a token needs; documentation, the service decides
	Needs        string       // a sentence about the token, of an API whose tokens have no scopes; documentation
	Open         bool         // needs no token
	Body         any          // an example of the body's type; nil for none
	Media        []string     // the media types of a body that is not JSON
	OptionalBody bool         // the body may be left out, and then be of any media type
	MaxBody      int64        // bytes; 0: as many as the API's bodies have
	StrictBody   bool         // unknown members of the body are refused
	Answer       any          // an example of the answer's type; nil for none
	// media types besides JSON that the answer can have; of text/plain, the end can be asked for alone
	Texts  []string
	List   ListKind
	Query  []QueryParameter // besides those of its list
	Status int              // of success
	// OtherStatus is another status of success, which the handler sets with SetStatus or writes itself; 0: none. Of a
	// lenient API.
	OtherStatus int
	Tagged      bool  // has an ETag
	Errors      []int // statuses that it can answer with besides the common ones
	// Handle runs the operation. A nil answer is answered with 204, of a lenient API with an empty object; a *Stream as it
	// says, and Written not at all.
	Handle func(*Call) (answer any, err error)
	// Raw, instead of Handle, writes the whole answer itself, whatever the request's method is.
	Raw func(*Call)
}

// Stream is an answer that is written as it is read, so that it can be long, and that need not be JSON.
type Stream struct {
	Status      int // 0: the endpoint's
	ContentType string
	Length      int64 // bytes; -1: not known
	// Write writes the answer. It is not called for HEAD. After an error, the connection is broken off, so that nobody
	// takes a part for the whole.
	Write func(io.Writer) error
	// Close, if set, is called in the end.
	Close func() error
}

// Methods returns the methods that run the endpoint. The first is the one that is described, the other does the same.
func (e *Endpoint) Methods() []string {
	if e.Alias == "" {
		return []string{e.Method}
	}
	return []string{e.Method, e.Alias}
}

// QueryParameter is a parameter of the request's query.
type QueryParameter struct{ Name, Doc string }

// ListKind says how an endpoint's answer is paged.
type ListKind int

// The kinds of lists.
const (
	NoList     ListKind = iota
	PageList            // by numbers, with a Link header: AnswerPage
	CursorList          // by cursors, with links in the answer: AnswerCursorPage
)

// ErrorAnswer is the body of every error.
type ErrorAnswer struct {
	Message string `json:"message" doc:"What went wrong, and what to change."`
}
