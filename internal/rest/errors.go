package rest

import (
	"errors"
	"net/http"

	"penstock/internal/domain"
)

// errorAnswer is the body of every error.
type errorAnswer struct {
	Message string `json:"message" doc:"What went wrong, and what to change."`
}

const internalMessage = "Something went wrong on our side. Please try again."

// statusCallerGone is what a request is counted as whose caller did not wait for its answer: 499, as proxies have it.
const statusCallerGone = 499

var statuses = map[domain.Code]int{
	domain.Unauthenticated:    http.StatusUnauthorized,
	domain.NotFound:           http.StatusNotFound,
	domain.Forbidden:          http.StatusForbidden,
	domain.RateLimited:        http.StatusTooManyRequests,
	domain.PreconditionFailed: http.StatusPreconditionFailed,
	domain.UnsupportedMedia:   http.StatusUnsupportedMediaType,
	domain.TooLarge:           http.StatusRequestEntityTooLarge,
	domain.Malformed:          http.StatusBadRequest,
	domain.Invalid:            http.StatusUnprocessableEntity,
	domain.Unavailable:        http.StatusServiceUnavailable,
}

// statusOf returns the status and the message that an error is answered with. Only domain errors are
// shown.
func statusOf(err error) (int, string) {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok {
		return http.StatusInternalServerError, internalMessage
	}
	status, ok := statuses[e.Code]
	if !ok {
		return http.StatusInternalServerError, internalMessage
	}
	return status, e.Error()
}
