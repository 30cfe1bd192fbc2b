package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"penstock/internal/domain"
)

var signInRoutes = []route{
	{path: "/sign-in", get: signIn, post: signIn, open: true},
	{path: "/sign-out", post: signOut, open: true},
	{path: "/theme", post: chooseTheme, open: true},
}

type signInView struct {
	Form *form
	OIDC string // address of the single sign-on; empty: there is none
	Kept bool   // a form was sent after the session had ended
}

// The hidden fields of the sign-in page with a form that was sent after the session had ended.
const (
	keptField   = "kept_form"
	keptToField = "kept_form_to"
)

func signInFields() []field {
	return []field{
		{Name: "email", Label: "Email address", Kind: "email", Required: true, Autocomplete: "username", Autofocus: true},
		{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "current-password"},
	}
}

// storeForm answers a form that was sent after the session had ended with a sign-in page that keeps what was typed,
// without passwords and values of secrets. It returns nil if there is nothing to keep.
func (c *call) storeForm() *reply {
	if c.R.PostForm == nil && c.readForm() != nil {
		return nil
	}
	typed := url.Values{}
	for name, values := range c.R.PostForm {
		if name != formTokenField && !strings.Contains(name, "password") && name != secretValueName {
			typed[name] = values
		}
	}
	if len(typed) == 0 {
		return nil
	}
	f := &form{Submit: "Sign in", Token: c.formToken(), Action: c.link("sign-in"), ReturnTo: "/",
		Fields: append(signInFields(),
			field{Name: keptField, Kind: "hidden", Value: typed.Encode()},
			field{Name: keptToField, Kind: "hidden", Value: c.R.URL.RequestURI()})}
	if c.route.get != nil {
		f.ReturnTo = localPath(c.R.URL.RequestURI())
	}
	return &reply{status: http.StatusUnauthorized, page: page{template: "sign_in", Title: "Sign in", Plain: true,
		View: signInView{Form: f, OIDC: c.oidcLink(f.ReturnTo), Kept: true}}}
}

type keptFormView struct {
	Form  *form
	Typed []keptValue
}

type keptValue struct{ Name, Value string }

// offerKeptForm asks the user, who has just signed in again, whether to send the form that they sent before. It returns
// nil if there is none.
func (c *call) offerKeptForm(f *form) *reply {
	typed, err := url.ParseQuery(f.typed(keptField))
	to := localPath(f.typed(keptToField))
	if err != nil || len(typed) == 0 || to == "/" {
		return nil
	}
	view := keptFormView{Form: &form{Submit: "Send it", Token: c.formToken(), Action: c.prefix + to, Cancel: c.prefix +
		f.ReturnTo}}
	for name, values := range typed {
		for _, value := range values {
			if name != formTokenField {
				view.Typed = append(view.Typed, keptValue{name, value})
			}
		}
	}
	slices.SortStableFunc(view.Typed, func(a, b keptValue) int { return strings.Compare(a.Name, b.Name) })
	return c.show(page{template: "kept_form", Title: "Send what you typed?", Plain: true, View: view})
}

func signIn(c *call) (*reply, error) {
	if c.account != nil {
		return c.redirect(c.prefix+c.returnTo(), ""), nil
	}
	if !c.isPost() {
		if needed, err := c.Service.NeedsSetup(c.ctx(), c.actor()); err != nil || needed {
			return c.redirect(c.link("setup"), ""), err
		}
	}
	f := c.newForm("Sign in", append(signInFields(), field{Name: keptField, Kind: "hidden"},
		field{Name: keptToField, Kind: "hidden"})...)
	f.ReturnTo = c.returnTo()
	if c.isPost() {
		signedIn, err := c.Service.SignIn(c.ctx(), c.actor(), domain.SignInInput{
			Email: f.typed("email"), Password: f.popSecret("password"), Browser: domain.BrowserMarks(c.cookie(marksCookie)),
		})
		if err == nil {
			c.setSession(signedIn.Session)
			c.setCookie(marksCookie, string(signedIn.Browser), browserCookieAge)
			if r := c.offerKeptForm(f); r != nil {
				return r, nil
			}
			return c.redirect(c.prefix+f.ReturnTo, ""), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "sign_in", Title: "Sign in", Plain: true,
		View: signInView{Form: f, OIDC: c.oidcLink(f.ReturnTo), Kept: f.typed(keptField) != ""}}), nil
}

func signOut(c *call) (*reply, error) {
	if err := c.Service.SignOut(c.ctx(), c.actor()); err != nil && domain.CodeOf(err) != domain.Unauthenticated {
		return nil, err
	}
	c.clearSession()
	return c.redirect(c.link("sign-in"), "You're signed out."), nil
}

// chooseTheme stores the look that the user chose, for their browser.
func chooseTheme(c *call) (*reply, error) {
	switch theme := c.R.PostForm.Get("theme"); theme {
	case "light", "dark":
		c.setCookie(themeCookie, theme, browserCookieAge)
	case "":
		c.setCookie(themeCookie, "", 0)
	default:
		return nil, domain.NewError(domain.Invalid, "Choose light or dark.")
	}
	return c.redirect(c.prefix+c.returnTo(), ""), nil
}
