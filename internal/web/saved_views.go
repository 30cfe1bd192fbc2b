package web

import (
	"net/url"

	"penstock/internal/domain"
)

// savedView is a choice of builds that has a name.
type savedView struct {
	Name    string
	To      string
	Current bool
}

// viewFields are the filters that a view has.
var viewFields = []string{"message", "branch", "pipeline", "state", "from", "to", "by"}

// viewQuery returns the filters of an address, in their order, and nothing else of it.
func viewQuery(values url.Values) string {
	kept := url.Values{}
	for _, name := range viewFields {
		if value := values.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	return kept.Encode()
}

// savedViews returns the user's views of the organization that the page is about.
func (c *call) savedViews() (views []savedView, err error) {
	current := viewQuery(c.R.URL.Query())
	saved, err := c.Service.SavedViews(c.ctx(), c.actor(), c.organizationRef())
	for _, v := range saved {
		values, _ := url.ParseQuery(v.Query)
		query := viewQuery(values)
		views = append(views, savedView{v.Name, c.organizationLink("builds") + "?" + query, query == current})
	}
	return views, err
}

// saveView saves the filters of a page under a name, or removes them.
func saveView(c *call) (*reply, error) {
	values, _ := url.ParseQuery(c.R.PostForm.Get("query"))
	query, name := viewQuery(values), c.R.PostForm.Get("name")
	message, err := "View saved.", error(nil)
	if c.R.PostForm.Get("remove") != "" {
		message = "View removed."
		_, err = c.Service.RemoveView(c.ctx(), c.actor(), c.organizationRef(), name)
	} else {
		_, err = c.Service.SaveView(c.ctx(), c.actor(), c.organizationRef(), domain.SavedViewInput{Name: name, Query: query})
	}
	if domain.CodeOf(err) == domain.Invalid {
		message, err = err.Error(), nil
	}
	if err != nil {
		return nil, err
	}
	return c.redirect(c.organizationLink("builds")+"?"+query, message), nil
}
