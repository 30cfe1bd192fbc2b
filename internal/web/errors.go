package web

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
)

var (
	errNoSuchPage  = domain.NewError(domain.NotFound, "This page doesn't exist, or you don't have access to it.")
	errCrossOrigin = domain.NewError(domain.Forbidden, "The form was sent from another site.")
	errForgedForm  = domain.NewError(domain.Forbidden, "This form is out of date. Go back, reload the page and try again.")
)

var problemTitles = map[int]string{
	http.StatusBadRequest:            "Invalid request",
	http.StatusForbidden:             "No permission",
	http.StatusNotFound:              "Not found",
	http.StatusMethodNotAllowed:      "Not allowed here",
	http.StatusPreconditionFailed:    "It changed in the meantime",
	http.StatusRequestEntityTooLarge: "Too large",
	http.StatusUnsupportedMediaType:  "Invalid request",
	http.StatusUnprocessableEntity:   "This didn't work",
	http.StatusTooManyRequests:       "Too many requests",
	httpcall.StatusCallerGone:        "Canceled",
	http.StatusInternalServerError:   "Something went wrong",
	http.StatusServiceUnavailable:    "Temporarily unavailable",
	http.StatusGatewayTimeout:        "We don't know if that worked",
}

// requirePermission returns err, or Forbidden if the user may not do what the page is for, before they fill out its
// form.
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
	if moved, ok := errors.AsType[*movedPipeline](err); ok {
		return c.redirect(c.addressWith("pipeline", moved.slug), "")
	}
	status, message := c.Explain(err)
	if status == http.StatusNotFound && c.account != nil && strings.HasSuffix(message, " found") {
		message += ". It may have been deleted, or you may not have access to it."
	}
	if !errors.Is(err, authz.ErrForbidden) {
		return c.replyWithProblem(status, message)
	}
	answer := c.replyWithProblem(status, c.explainForbidden())
	if c.account != nil && c.account.Current != nil {
		answer.page.View = problemView{Status: status, Message: c.explainForbidden(), Members: c.link("organizations",
			c.account.Current.Slug, "members")}
	}
	return answer
}

// permissionRules say who may do what pages below a path are for.
var permissionRules = []struct{ path, who string }{
	{inOrganization + "/new-pipeline", "Only administrators of {organization} can create pipelines, unless they allow " +
		"it for every member in the organization's settings."},
	{inOrganization + "/clusters/new", "Only administrators of {organization} can create clusters, unless they allow it " +
		"for every member in the organization's settings."},
	{inCluster, "Only this cluster's maintainers and administrators of {organization} can do this."},
	{inPipeline, "You need access to manage this pipeline. One of its managers or an administrator of {organization} " +
		"can give it to a team of yours."},
	{inTeam, "Only this team's maintainers and administrators of {organization} can do this."},
	{inOrganization, "Only administrators of {organization} can do this."},
}

// explainForbidden says who may do what the user may not.
func (c *call) explainForbidden() string {
	if c.account != nil && c.account.Current != nil {
		for _, rule := range permissionRules {
			if strings.HasPrefix(c.route.path, rule.path) {
				return strings.ReplaceAll(rule.who, "{organization}", c.account.Current.Name)
			}
		}
	}
	return "You don't have permission to do this."
}

// askToSignIn sends the user to the sign-in page, and from there back to what they asked for.
func (c *call) askToSignIn() *reply {
	if c.isPost() {
		if r := c.storeForm(); r != nil {
			return r
		}
	}
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
	return &reply{status: status, page: page{template: "problem", Title: title, View: problemView{Status: status,
		Message: message}}}
}

type problemView struct {
	Status  int
	Message string
	Members string // address of a page that says who could help; empty: none
}
