package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
)

const internalMessage = "Something went wrong on our side. Please try again."

var (
	errNoSuchPage  = domain.NewError(domain.NotFound, "There is no such page, or it isn't for you to see.")
	errCrossOrigin = domain.NewError(domain.Forbidden, "The form came from another site.")
	errForgedForm  = domain.NewError(domain.Forbidden, "The form is out of date. Go back, load the page again and send it once more.")
)

var statuses = map[domain.Code]int{
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

var problemTitles = map[int]string{
	http.StatusBadRequest:            "That can't be read",
	http.StatusForbidden:             "You may not do this",
	http.StatusNotFound:              "Not found",
	http.StatusMethodNotAllowed:      "Not here",
	http.StatusPreconditionFailed:    "It has changed meanwhile",
	http.StatusRequestEntityTooLarge: "Too large",
	http.StatusUnsupportedMediaType:  "That can't be read",
	http.StatusUnprocessableEntity:   "That can't be done",
	http.StatusTooManyRequests:       "Too many requests",
	http.StatusInternalServerError:   "Something went wrong",
	http.StatusServiceUnavailable:    "Not available just now",
}

// permit returns err, or else Forbidden unless the user may do what the page is for, so that nobody fills out a form for nothing.
func permit(err error, may bool) error {
	if err == nil && !may {
		return authz.ErrForbidden
	}
	return err
}

// failure answers with the page of an error. Who is not signed in is asked to.
func (c *call) failure(err error) *reply {
	e, ok := errors.AsType[*domain.Error](err)
	if !ok || e.Code != domain.Unauthenticated && statuses[e.Code] == 0 {
		if c.ctx().Err() == nil { // else the caller went away
			c.Logger.ErrorContext(c.ctx(), "internal error", "request_id", c.id, "error", err)
		}
		return c.problem(http.StatusInternalServerError, internalMessage)
	}
	if e.Code == domain.Unauthenticated {
		return c.askToSignIn()
	}
	if e.RetryAfter > 0 {
		c.w.Header().Set("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	if cause := errors.Unwrap(e); cause != nil {
		c.Logger.WarnContext(c.ctx(), e.Error(), "request_id", c.id, "error", cause)
	}
	return c.problem(statuses[e.Code], e.Error())
}

// askToSignIn sends the user to the sign-in page, and from there back to what they asked for.
func (c *call) askToSignIn() *reply {
	to := c.link("sign-in")
	if c.here() != "/" && !c.posted() {
		to += "?return_to=" + url.QueryEscape(c.here())
	}
	return c.redirect(to, "")
}

// problem answers with a page that says what is wrong.
func (c *call) problem(status int, message string) *reply {
	title := problemTitles[status]
	if title == "" {
		title = http.StatusText(status)
	}
	return &reply{status: status, page: page{template: "problem", Title: title, View: problemView{Status: status, Message: message}}}
}

type problemView struct {
	Status  int
	Message string
}
