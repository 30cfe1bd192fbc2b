package web

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// viewsCookie has the views of builds that were saved in this browser.
const viewsCookie = "penstock_views"

const (
	maxSavedViews    = 12
	maxViewName      = 40    // characters
	maxViewQuery     = 400   // bytes
	maxSavedViewSize = 3_000 // bytes of the cookie
)

// savedView is a choice of builds that has a name.
type savedView struct {
	Organization string `json:"o"` // its slug
	Name         string `json:"n"`
	Query        string `json:"q"`
	To           string `json:"-"`
	Current      bool   `json:"-"`
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

// readSavedViews returns all views that this browser has saved. What cannot be read is none.
func (c *call) readSavedViews() (views []savedView) {
	content, err := base64.RawURLEncoding.DecodeString(c.cookie(viewsCookie))
	if err != nil || json.Unmarshal(content, &views) != nil || len(views) > maxSavedViews {
		return nil
	}
	return slices.DeleteFunc(views, func(v savedView) bool {
		return v.Name == "" || len(v.Query) > maxViewQuery || len(v.Name) > 4*maxViewName
	})
}

// savedViews returns the views of the organization that the page is about.
func (c *call) savedViews() (views []savedView) {
	current := viewQuery(c.R.URL.Query())
	for _, v := range c.readSavedViews() {
		if v.Organization != c.organization() {
			continue
		}
		values, _ := url.ParseQuery(v.Query)
		v.Query = viewQuery(values)
		v.To, v.Current = c.organizationLink("builds")+"?"+v.Query, v.Query == current
		views = append(views, v)
	}
	return views
}

// saveView saves the filters of a page under a name, or removes them.
func saveView(c *call) (*reply, error) {
	values, _ := url.ParseQuery(c.R.PostForm.Get("query"))
	query := viewQuery(values)
	name := cutText(strings.Join(strings.Fields(c.R.PostForm.Get("name")), " "), maxViewName)
	views := slices.DeleteFunc(c.readSavedViews(), func(v savedView) bool {
		return v.Organization == c.organization() && (v.Name == name || v.Query == query)
	})
	to, message := c.organizationLink("builds")+"?"+query, "View saved in this browser."
	switch {
	case c.R.PostForm.Get("remove") != "":
		message = "View removed."
	case name == "" || query == "" || len(query) > maxViewQuery:
		return c.redirect(to, "Filter the builds, and name the view."), nil
	case len(views) >= maxSavedViews:
		return c.redirect(to, "A browser can save 12 views. Remove one first."), nil
	default:
		views = append(views, savedView{Organization: c.organization(), Name: name, Query: query})
	}
	content, err := json.Marshal(views)
	if err != nil {
		return nil, err
	}
	value := base64.RawURLEncoding.EncodeToString(content)
	if len(value) > maxSavedViewSize {
		return c.redirect(to, "The saved views are too long. Remove one first."), nil
	}
	c.setCookie(viewsCookie, value, browserCookieAge)
	return c.redirect(to, message), nil
}
