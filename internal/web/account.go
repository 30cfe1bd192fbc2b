package web

import (
	"time"

	"penstock/internal/domain"
	"penstock/internal/service/read"
)

var accountRoutes = []route{
	{path: "/account", get: showProfile, post: showProfile},
	{path: "/account/notifications", get: chooseMails, post: chooseMails},
	{path: "/account/password", get: changePassword, post: changePassword},
	{path: "/account/sessions", get: showSessions},
	{path: "/account/sessions/{session}/end", post: endSession},
	{path: "/account/sessions/sign-out", get: signOutEverywhere, post: signOutEverywhere},
}

// accountPage is a page about the user's own account, with its tabs.
func (c *call) accountPage(template, title, current string, view any) page {
	p := page{template: template, Title: title, View: view, Tabs: []tab{
		{Label: "Profile", To: c.link("account"), Current: current == "profile"},
		{Label: "Notifications", To: c.link("account", "notifications"), Current: current == "notifications"},
		{Label: "Password", To: c.link("account", "password"), Current: current == "password"},
		{Label: "Sessions", To: c.link("account", "sessions"), Current: current == "sessions"},
		{Label: "API access tokens", To: c.link("account", "tokens"), Current: current == "tokens"},
		{Label: "Portal tokens", To: c.link("account", "portal-tokens"), Current: current == "portal-tokens"},
	}}
	if current != "profile" {
		p.Crumbs = []crumb{{"Your account", c.link("account")}, {Label: title}}
	}
	return p
}

type profileView struct {
	User domain.User
	Form *form
}

func showProfile(c *call) (*reply, error) {
	f := c.newForm("Save", field{Name: "name", Label: "Name", Required: true, Autocomplete: "name",
		Value: c.account.User.Name})
	if c.isPost() {
		_, err := c.Service.UpdateOwnUser(c.ctx(), c.actor(), f.typed("name"))
		if err == nil {
			return c.redirect(c.link("account"), "Your name has been changed."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.accountPage("account_profile", "Your account", "profile", profileView{c.account.User, f})), nil
}

type mailsView struct {
	Email string
	Form  *form
}

// chooseMails lets the user choose which mails about their builds they get.
func chooseMails(c *call) (*reply, error) {
	mails, err := c.Service.OwnBuildMails(c.ctx(), c.actor())
	if err != nil {
		return nil, err
	}
	f := c.newForm("Save", field{Name: "build_mails", Label: "Mails about builds that you create", Kind: "radio",
		Value: string(mails), Options: []option{
			{Value: string(domain.FailedBuildMails), Label: "When a build fails, or passes again"},
			{Value: string(domain.AllBuildMails), Label: "Whenever a build finishes"},
			{Value: string(domain.NoBuildMails), Label: "Never"},
		}})
	if c.isPost() {
		err := c.Service.UpdateOwnBuildMails(c.ctx(), c.actor(), domain.BuildMails(f.typed("build_mails")))
		if err == nil {
			return c.redirect(c.link("account", "notifications"), "Your choice has been saved."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.accountPage("account_notifications", "Notifications", "notifications",
		mailsView{c.account.User.Email, f})), nil
}

func changePassword(c *call) (*reply, error) {
	fields := []field{{Name: "current_password", Label: "Current password", Kind: "password", Required: true,
		Autocomplete: "current-password"}}
	if has, err := c.hasPassword(); err != nil {
		return nil, err
	} else if !has {
		fields = nil
	}
	f := c.newForm("Change password", append(fields,
		field{Name: "password", Label: "New password", Kind: "password", Required: true, Autocomplete: "new-password",
			Help: "At least 8 characters."})...)
	if c.isPost() {
		err := c.Service.UpdateOwnPassword(c.ctx(), c.actor(), domain.PasswordInput{Current: f.popSecret("current_password"),
			New: f.popSecret("password")})
		if err == nil {
			return c.redirect(c.link("account", "password"), "Your password has been changed. Your other browsers were "+
				"signed out."), nil
		}
		if err := f.addError(err); err != nil {
			return nil, err
		}
	}
	return c.showForm(f, c.accountPage("account_password", "Change password", "password", f)), nil
}

// hasPassword reports whether the user can sign in with a password.
func (c *call) hasPassword() (has bool, err error) {
	err = c.Reader.Snapshot(c.ctx(), c.actor(), func(r *read.Snapshot) error {
		found, err := r.HavePassword([]*domain.User{r.User()})
		if err == nil {
			has = found[0]
		}
		return err
	})
	return has, err
}

type sessionsView struct {
	Sessions []sessionRow
	List     listFrame
	Days     int // that a session lasts
}

// sessionRow is a session with where it was last seen.
type sessionRow struct {
	domain.SessionView
	SeenAt    time.Time
	SeenFrom  string // an address
	SeenAgent string
}

func showSessions(c *call) (*reply, error) {
	found, err := c.Service.Sessions(c.ctx(), c.actor(), c.requestedPage())
	if err != nil {
		return nil, err
	}
	view := sessionsView{List: c.newList("session", "sessions", found.Total, len(found.Items)),
		Days: int(domain.SessionLifetime / (24 * time.Hour))}
	for _, s := range found.Items {
		row := sessionRow{SessionView: s}
		row.SeenAt, row.SeenFrom, row.SeenAgent = s.LastUse()
		if s.Current { // what is seen now may not be stored yet
			row.SeenAt, row.SeenFrom = c.Now(), c.Address.String()
		}
		view.Sessions = append(view.Sessions, row)
	}
	return c.show(c.accountPage("account_sessions", "Sessions", "sessions", view)), nil
}

// endSession signs another browser of the user out.
func endSession(c *call) (*reply, error) {
	if err := c.Service.EndSession(c.ctx(), c.actor(), c.R.PathValue("session")); err != nil {
		return nil, err
	}
	return c.redirect(c.link("account", "sessions"), "Signed out."), nil
}

func signOutEverywhere(c *call) (*reply, error) {
	return c.confirm(confirmation{
		Title: "Sign out everywhere?",
		Text: "This signs you out of every browser, including this one, and ends your portal tokens. API access tokens " +
			"keep working.",
		Button: "Sign out everywhere",
		Cancel: c.link("account", "sessions"),
		Crumbs: []crumb{{"Your account", c.link("account")}, {"Sessions", c.link("account", "sessions")},
			{Label: "Sign out everywhere"}},
	}, func() error {
		err := c.Service.SignOutEverywhere(c.ctx(), c.actor())
		if err == nil {
			c.clearSession()
		}
		return err
	}, c.link("sign-in"), "You're signed out everywhere.")
}
