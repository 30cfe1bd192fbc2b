package gql

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Error is one entry of an answer's errors.
type Error struct {
	Message   string     `json:"message"`
	Locations []Location `json:"locations,omitempty"`
	Path      []any      `json:"path,omitempty"` // of strings and ints; none for an error of the whole request
	Err       error      `json:"-"`              // the cause, which the answer does not show
}

// Location is a place in a document, counted from 1.
type Location struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errors is a binding's error when parents fail on their own: one entry for each parent, nil for those that did not.
type Errors []error

func (e Errors) Error() string { return fmt.Sprint(errors.Join(e...)) }

// Unwrap returns the parents' errors.
func (e Errors) Unwrap() []error { return e }

// ErrStopped fails the fields that had no value when the request's context ended.
var ErrStopped = errors.New("The request was canceled or took too long") //nolint:staticcheck // shown as it is

const internalText = "Internal error"

// internalError is a fault of the program, which is not shown.
type internalError struct{ text string }

func (e *internalError) Error() string { return e.text }

func internalf(format string, args ...any) error { return &internalError{fmt.Sprintf(format, args...)} }

// ownError is a message of the engine's own, shown as it is.
type ownError struct{ text string }

func (e *ownError) Error() string { return e.text }

func errorAt(pos *ast.Position, format string, args ...any) *Error {
	e := &Error{Message: truncateMessage(fmt.Sprintf(format, args...))}
	if pos != nil {
		e.Locations = []Location{{pos.Line, pos.Column}}
	}
	return e
}

const (
	maxErrors  = 100
	maxMessage = 2000
)

// convertErrors takes over a parser's or validator's errors, as many as one may want to read. A fragment's errors come
// once for each operation.
func convertErrors(list gqlerror.List) (errs []*Error) {
	seen := map[string]bool{}
	for _, err := range list {
		if seen[err.Error()] {
			continue
		}
		seen[err.Error()] = true
		if len(errs) == maxErrors {
			return append(errs, &Error{Message: "Too many validation errors, error limit reached. Validation aborted."})
		}
		e := &Error{Message: truncateMessage(err.Message)}
		for _, l := range err.Locations {
			e.Locations = append(e.Locations, Location(l))
		}
		errs = append(errs, e)
	}
	return errs
}

func truncateMessage(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + "…"
}

func appendErrors(dst []byte, errs []*Error) []byte {
	text, err := json.Marshal(errs, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		text = []byte(`[{"message":"` + internalText + `"}]`)
	}
	return append(append(dst, `"errors":`...), text...)
}
