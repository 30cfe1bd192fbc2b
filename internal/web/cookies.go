package web

import (
	"crypto/hmac"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"penstock/internal/domain"
)

// The cookies. Behind https their names have a prefix with which browsers take them from this host alone.
const (
	sessionCookie = "penstock_session"
	browserCookie = "penstock_browser" // random; forms and messages are signed with it
	marksCookie   = "penstock_marks"   // who signed in with this browser before
	flashCookie   = "penstock_flash"   // a message for the next page
	themeCookie   = "penstock_theme"
	startCookie   = "penstock_start" // the organizations whose first steps are not shown any more
	// the slug of the organization that was looked at last, which the documentation leads back to
	cameCookie = "penstock_organization"
	oidcCookie = "penstock_oidc" // a sign-in at a provider that has begun
)

const (
	browserCookieAge = 400 * 24 * time.Hour // the most that browsers keep one for
	flashCookieAge   = time.Minute
	cameCookieAge    = 12 * time.Hour
	minBrowserValue  = 40 // characters
)

func (s *Site) cookieName(name string) string {
	if s.https {
		return "__Host-" + name
	}
	return name
}

func (c *call) cookie(name string) string {
	cookie, err := c.R.Cookie(c.cookieName(name))
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie sets a cookie that scripts cannot read, and that is not sent along with other sites' forms. An age of 0
// deletes it.
func (c *call) setCookie(name, value string, age time.Duration) {
	maxAge := int(age / time.Second)
	if maxAge == 0 {
		maxAge = -1
	}
	http.SetCookie(c.W, &http.Cookie{ //nolint:gosec // Secure where browsers use https
		Name: c.cookieName(name), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: c.https, SameSite: http.SameSiteLaxMode,
	})
}

// setSession sends the browser its new session, and a new random value, so that forms from before are refused.
func (c *call) setSession(session domain.Secret) {
	c.session = session.Reveal()
	c.setCookie(sessionCookie, c.session, domain.SessionLifetime)
	c.browser = domain.NewSessionValue().Reveal()
	c.setCookie(browserCookie, c.browser, browserCookieAge)
}

// clearSession deletes the session's cookie.
func (c *call) clearSession() { c.setCookie(sessionCookie, "", 0) }

// setFlash stores a message for the next page.
func (c *call) setFlash(message string) {
	c.setCookie(flashCookie, base64.RawURLEncoding.EncodeToString([]byte(message))+"."+c.sign("flash "+message),
		flashCookieAge)
}

// popFlash returns the message that was stored for this page; empty: none.
func (c *call) popFlash() string {
	value := c.cookie(flashCookie)
	if value == "" {
		return ""
	}
	c.setCookie(flashCookie, "", 0)
	encoded, signature, _ := strings.Cut(value, ".")
	message, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil || !hmac.Equal([]byte(signature), []byte(c.sign("flash "+string(message)))) {
		return "" // not ours
	}
	return string(message)
}

// theme is the look that the user chose: light, dark, or "" for the browser's.
func (c *call) theme() string {
	if theme := c.cookie(themeCookie); theme == "light" || theme == "dark" {
		return theme
	}
	return ""
}
