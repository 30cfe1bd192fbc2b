package web

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
	Section string
	Crumbs  []crumb
}

// confirm shows a page that asks. Once the user has confirmed, it runs do and redirects with a message; if the service refuses,
// the page says why. What is known to be refused has no button.
func (c *call) confirm(ask confirmation, do func() error, then, message string) (*reply, error) {
	f := c.newForm(ask.Button)
	f.Cancel, f.Danger = ask.Cancel, true
	if c.isPost() {
		err := do()
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
	return c.showForm(f, page{template: "confirm", Title: ask.Title, Section: ask.Section, Crumbs: ask.Crumbs, View: confirmView{ask, f}}), nil
}

type confirmView struct {
	confirmation
	Form *form
}
