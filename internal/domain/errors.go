package domain

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// Code says what kind of failure an Error is. Each surface maps codes to its own statuses, in one place.
type Code int

// The codes, in the order in which a request can meet them.
const (
	Unauthenticated    Code = iota + 1 // no valid credential
	NotFound                           // the thing does not exist, or the caller may not know that it does
	Forbidden                          // the caller may not do this
	RateLimited                        // too many requests
	Conflict                           // another request was first
	PreconditionFailed                 // the caller's view of the thing is stale
	UnsupportedMedia                   // the body's media type is not served
	TooLarge                           // the body is too large
	Malformed                          // the request cannot be read
	Invalid                            // the request can be read and is wrong
	Locked                             // the thing has to wait for something else first
	Unavailable                        // this cannot be done now; a retry is safe
	UnknownOutcome                     // whether this was done cannot be found out; a retry may do it twice
)

// Error is a failure that the caller sees. Every other error is internal and never shown.
type Error struct {
	Code       Code
	Message    string        // whole, ready to show; for Invalid made of Fields when empty
	Fields     []FieldError  // for Invalid: every fault found
	RetryAfter time.Duration // for Unavailable and RateLimited
	cause      error
}

// FieldError is one fault of one input field. Reason is a whole phrase such as "Name can't be blank".
type FieldError struct {
	Field  string
	Reason string
	Whole  bool // Reason is the whole message when it is the only one
}

// Error returns the message as callers see it.
func (e *Error) Error() string {
	if e.Message != "" {
		return e.Message
	}
	if len(e.Fields) == 1 && e.Fields[0].Whole {
		return e.Fields[0].Reason
	}
	reasons := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		reasons[i] = f.Reason
	}
	return "Validation failed: " + strings.Join(reasons, ", ")
}

// Unwrap returns what caused the failure, for logs.
func (e *Error) Unwrap() error { return e.cause }

// Explain returns what err says and, of an Error, what caused it: for logs and operators.
func Explain(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.cause != nil {
		return err.Error() + " (" + e.cause.Error() + ")"
	}
	return err.Error()
}

// NewError returns an Error with the given code and message.
func NewError(code Code, message string) *Error { return &Error{Code: code, Message: message} }

// Because returns the error with what caused it, for logs.
func (e *Error) Because(cause error) *Error {
	caused := *e
	caused.cause = cause
	return &caused
}

// Missing returns the NotFound error for a kind of thing: "No cluster found".
func Missing(thing string) *Error { return NewError(NotFound, "No "+thing+" found") }

// InvalidError returns an Invalid error that is about no field.
func InvalidError(message string) *Error { return NewError(Invalid, message) }

// UnavailableError returns an Unavailable error that asks for a retry after the given time.
func UnavailableError(message string, retryAfter time.Duration, cause error) *Error {
	return &Error{Code: Unavailable, Message: message, RetryAfter: retryAfter, cause: cause}
}

// CodeOf returns the code of the Error in err's chain, or 0 if there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return 0
}

// Faults collects the faults of an input. The zero value is ready to use.
type Faults []FieldError

// Add records a fault of field, once.
func (f *Faults) Add(field, reason string) {
	f.add(FieldError{Field: field, Reason: reason})
}

// AddWhole records a fault whose reason the interface shows without a prefix when it stands alone.
func (f *Faults) AddWhole(field, reason string) {
	f.add(FieldError{Field: field, Reason: reason, Whole: true})
}

func (f *Faults) add(fault FieldError) {
	if !slices.Contains(*f, fault) {
		*f = append(*f, fault)
	}
}

// Has reports whether field has a fault.
func (f *Faults) Has(field string) bool {
	return slices.ContainsFunc(*f, func(e FieldError) bool { return e.Field == field })
}

// AddError records the faults that err holds if it is an Invalid Error with fields, and returns any other error.
func (f *Faults) AddError(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != Invalid || len(e.Fields) == 0 {
		return err
	}
	*f = append(*f, e.Fields...)
	return nil
}

// Err returns an Invalid Error with all faults, or nil if there are none.
func (f Faults) Err() error {
	if len(f) == 0 {
		return nil
	}
	return &Error{Code: Invalid, Fields: f}
}
