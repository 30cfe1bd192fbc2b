package web

import (
	"penstock/internal/domain"
)

// pickView is the view of the template "pick": a list of things of which each has a button that adds it.
type pickView struct {
	Text   string
	Items  []pickItem
	List   listFrame
	Form   *form  // with the token, and what is wrong
	Field  string // the name of the hidden field with an item's id
	Levels field  // a select that is sent along; zero: none
	Back   string
}

// pickItem is something that can be added.
type pickItem struct {
	ID     string
	Name   string
	Detail string
	Person *domain.User // nil: it is nobody
	Locked string       // why it can't be added; empty: it can
}

// pickOne shows what can be added; if something was chosen, adds it and offers the rest.
func (c *call) pickOne(p page, view pickView, add func(f *form) error, message string) (*reply, error) {
	view.Form = c.newForm("Add", field{Name: view.Field, Kind: "hidden"}, view.Levels)
	if c.isPost() {
		err := add(view.Form)
		if err == nil {
			return c.redirect(c.withQuery(nil), message), nil
		}
		if err := view.Form.addError(err); err != nil {
			return nil, err
		}
	}
	view.List.Searchable = true
	p.template, p.View = "pick", view
	return c.showForm(view.Form, p), nil
}
