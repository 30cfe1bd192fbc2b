package web

import (
	"net/http"
	"net/url"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
)

var (
	errNoSuchPage  = domain.NewError(domain.NotFound, "There is no such page, or it isn't for you to see.")
	errCrossOrigin = domain.NewError(domain.Forbidden, "The form came from another site.")
	errForgedForm  = domain.NewError(domain.Forbidden, "The form is out of date. Go back, load the page again and send it once more.")
)

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
	httpcall.StatusCallerGone:        "Cancelled",
	http.StatusInternalServerError:   "Something went wrong",
	http.StatusServiceUnavailable:    "Not available just now",
	http.StatusGatewayTimeout:        "It is not known whether that was done",
}

// requirePermission returns err, or Forbidden if the user may not do what the page is for, before they fill out its form.
func requirePermission(err error, may bool) error {
	if err == nil && !may {
		return authz.ErrForbidden
	}
	return err
}

// replyToError answers with the page of an error. Visitors are asked to sign in.
func (c *call) replyToError(err error) *reply {
	if domain.CodeOf(err) == domain.Unauthenticated {
		return c.askToSignIn()
	}
	return c.replyWithProblem(c.Explain(err))
}

// askToSignIn sends the user to the sign-in page, and from there back to what they asked for.
func (c *call) askToSignIn() *reply {
	to := c.link("sign-in")
	if c.currentPath() != "/" && !c.isPost() {
		to += "?return_to=" + url.QueryEscape(c.currentPath())
	}
	return c.redirect(to, "")
}

// replyWithProblem answers with a page that says what is wrong.
func (c *call) replyWithProblem(status int, message string) *reply {
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
