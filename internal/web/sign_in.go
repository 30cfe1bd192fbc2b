package web

import "penstock/internal/domain"

var signInRoutes = []route{
	{path: "/sign-in", get: signIn, post: signIn, open: true},
	{path: "/sign-out", post: signOut, open: true},
	{path: "/theme", post: chooseTheme, open: true},
}

type signInView struct {
	Form *form
	OIDC string // address of the single sign-on; empty: there is none
}

func signIn(c *call) (*reply, error) {
	if c.account != nil {
		return c.redirect(c.prefix+c.returnTo(), ""), nil
	}
	f := c.newForm("Sign in",
		field{Name: "email", Label: "E-mail address", Kind: "email", Required: true, Autocomplete: "username", Autofocus: true},
		field{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "current-password"})
	f.ReturnTo = c.returnTo()
	if c.isPost() {
		signedIn, err := c.Service.SignIn(c.ctx(), c.actor(), domain.SignInInput{
			Email: f.typed("email"), Password: f.takeSecret("password"), Browser: domain.BrowserMarks(c.cookie(marksCookie)),
		})
		if err == nil {
			c.setSession(signedIn.Session)
			c.setCookie(marksCookie, string(signedIn.Browser), browserCookieAge)
			return c.redirect(c.prefix+f.ReturnTo, ""), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, page{template: "sign_in", Title: "Sign in", Plain: true, View: signInView{Form: f, OIDC: c.oidcLink(f.ReturnTo)}}), nil
}

func signOut(c *call) (*reply, error) {
	if err := c.Service.SignOut(c.ctx(), c.actor()); err != nil && domain.CodeOf(err) != domain.Unauthenticated {
		return nil, err
	}
	c.clearSession()
	return c.redirect(c.link("sign-in"), "You are signed out."), nil
}

// chooseTheme keeps the look that the user chose, for their browser.
func chooseTheme(c *call) (*reply, error) {
	switch theme := c.R.PostForm.Get("theme"); theme {
	case "light", "dark":
		c.setCookie(themeCookie, theme, browserCookieAge)
	case "":
		c.setCookie(themeCookie, "", 0)
	default:
		return nil, domain.NewError(domain.Invalid, "There is no such look.")
	}
	return c.redirect(c.prefix+c.returnTo(), ""), nil
}
