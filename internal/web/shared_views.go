package web

import "net/http"

// formView is the view of the template "form": a form and a text above it.
type formView struct {
	Intro string
	Form  *form
}

// secretView is the view of the template "secret": a value that is shown once.
type secretView struct {
	Title string
	Value string
	For   string // what it was made for
	Back  string // address to go on to
}

// showSecret answers with a value that is shown once. It answers the form itself: a redirect would have to keep the value.
func (c *call) showSecret(v secretView, crumbs []crumb) *reply {
	r := c.show(page{template: "secret", Title: v.Title, Crumbs: crumbs, View: v})
	r.status = http.StatusCreated
	return r
}
