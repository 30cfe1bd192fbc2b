package web

import (
	"strings"

	"penstock/internal/domain"
)

// confirmation asks whether something that cannot be undone is meant.
type confirmation struct {
	Title   string // "Delete the cluster Backend?"
	Text    string // what it means
	Items   []string
	Kept    []string // what goes on, and they may know a secret of
	Refused string   // why it can't be done; empty: it can
	Blocks  []crumb  // what it can't be done because of
	Button  string   // "Delete cluster"
	Cancel  string   // address to go back to
	Keep    string   // what the link back says; empty: Cancel
	Name    string   // what must be typed before it is done; empty: nothing
	Section string
	Crumbs  []crumb
}

// confirm shows a page that asks. Once the user has confirmed, it runs do and redirects with a message; if the service
// refuses, the page says why. What is known to be refused has no button.
func (c *call) confirm(ask confirmation, do func() error, then, message string) (*reply, error) {
	var fields []field
	if ask.Name != "" {
		fields = []field{{Name: "confirm_name", Label: "Type “" + ask.Name + "” to confirm", Noun: "The name", Required: true,
			Autocomplete: "off"}}
	}
	f := c.newForm(ask.Button, fields...)
	f.Cancel, f.Keep, f.Danger = ask.Cancel, ask.Keep, true
	if c.isPost() {
		err := ask.checkName(f)
		if err == nil {
			err = do()
		}
		if err == nil {
			return c.redirect(then, message), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	if len(f.Problems) > 0 {
		ask.Refused, ask.Blocks = "", nil
	}
	return c.showForm(f, page{template: "confirm", Title: ask.Title, Section: ask.Section, Crumbs: ask.Crumbs,
		View: confirmView{ask, f}}), nil
}

// checkName checks that the name was typed that must be.
func (ask confirmation) checkName(f *form) error {
	if ask.Name == "" || strings.TrimSpace(f.typed("confirm_name")) == strings.TrimSpace(ask.Name) {
		return nil
	}
	return domain.Faults{{Field: "confirm_name", Reason: "The name must be “" + ask.Name + "”"}}.Err()
}

type confirmView struct {
	confirmation
	Form *form
}
