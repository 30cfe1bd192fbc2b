package httpcall

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"penstock/internal/domain"
)

// InternalMessage is what callers see of an error that is not theirs to know.
const InternalMessage = "Something went wrong on our side. Please try again."

// StatusCallerGone is what a request is counted as whose caller did not wait for its answer: 499, as proxies have it.
const StatusCallerGone = 499

var statuses = map[domain.Code]int{
	domain.Unauthenticated:    http.StatusUnauthorized,
	domain.NotFound:           http.StatusNotFound,
	domain.Forbidden:          http.StatusForbidden,
	domain.RateLimited:        http.StatusTooManyRequests,
	domain.Conflict:           http.StatusConflict,
	domain.PreconditionFailed: http.StatusPreconditionFailed,
	domain.UnsupportedMedia:   http.StatusUnsupportedMediaType,
	domain.TooLarge:           http.StatusRequestEntityTooLarge,
	domain.Malformed:          http.StatusBadRequest,
	domain.Invalid:            http.StatusUnprocessableEntity,
	domain.Locked:             http.StatusLocked,
	domain.Unavailable:        http.StatusServiceUnavailable,
	domain.UnknownOutcome:     http.StatusGatewayTimeout,
}

// Status returns the status that an error is answered with: 500 for every error that is not the domain's.
func Status(err error) int {
	if status, ok := statuses[domain.CodeOf(err)]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// Explain returns the status and the message that an error is answered with, and says in the headers when to try again.
// What the caller does not see is logged. An error of a caller who went away is nobody's fault.
func (c *Call) Explain(err error) (status int, message string) {
	status = Status(err)
	switch {
	case status >= http.StatusInternalServerError && c.CallerGone():
		c.log(slog.LevelDebug, "the caller went away", slog.Any("error", err))
		return StatusCallerGone, "The request was canceled"
	case status == http.StatusInternalServerError:
		c.log(slog.LevelError, "internal error", slog.Any("error", err))
		return status, InternalMessage
	}
	e, _ := errors.AsType[*domain.Error](err)
	if e.RetryAfter > 0 {
		c.Header["Retry-After"] = []string{strconv.Itoa(int((e.RetryAfter + time.Second - 1) / time.Second))} // rounded up
	}
	if cause := errors.Unwrap(e); cause != nil {
		c.log(slog.LevelWarn, e.Error(), slog.Any("error", cause))
	}
	return status, e.Error()
}

// LogError logs what went wrong in the course of the request, under its id.
func (c *Call) LogError(message string, attrs ...slog.Attr) {
	c.log(slog.LevelError, message, attrs...)
}
