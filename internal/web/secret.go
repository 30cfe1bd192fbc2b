package web

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

var secretRoutes = []route{
	{path: "/account/secret", get: showSecret},
	{path: inOrganization + "/secret", get: showSecret},
}

// secretView is the view of the template "secret": a value that is shown once, or links.
type secretView struct {
	Title   string
	Value   string
	Links   []secretLink
	For     string  // what it was made for
	Section string  // of the page
	Next    string  // what to do with it; empty: nothing to say
	Example string  // a command that uses it; empty: none
	Crumbs  []crumb // the way to the page, without the page itself
	Back    string  `json:"-"` // address to go on to
}

// secretLink is the link of an invitation.
type secretLink struct{ Email, Link string }

const (
	secretCookie    = "penstock_secret" // a new secret, for the page that shows it
	secretCookieAge = 2 * time.Minute
	maxSecretCookie = 3500 // characters, which every browser keeps
)

// redirectToSecret answers a form with a redirect to a page that shows a new secret once, so that the form is not sent
// again when that page is loaded again. Until then an encrypted cookie has the secret: the server stores none.
func (c *call) redirectToSecret(v secretView) *reply {
	to := c.link("account", "secret")
	if c.organization() != "" {
		to = c.organizationLink("secret")
	}
	if shown := []rune(v.For); len(shown) > 200 {
		v.For = string(shown[:200]) + "…"
	}
	content, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is text
	}
	sealer := c.secretSealer()
	nonce := make([]byte, sealer.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	value := base64.RawURLEncoding.EncodeToString(sealer.Seal(nonce, nonce, content, nil))
	if len(value) > maxSecretCookie {
		r := c.show(page{template: "secret", Title: v.Title, Section: v.Section,
			Crumbs: append(v.Crumbs, crumb{Label: v.Title}), View: v, HasSecret: true})
		r.status = http.StatusCreated
		return r
	}
	c.setCookie(secretCookie, value, secretCookieAge)
	return c.redirect(to+"?return_to="+url.QueryEscape(strings.TrimPrefix(v.Back, c.prefix)), "")
}

// secretSealer encrypts with a key that only this session of this browser makes.
func (c *call) secretSealer() cipher.AEAD {
	mac := hmac.New(sha256.New, []byte(c.browser))
	mac.Write([]byte("secret " + c.session))
	block, err := aes.NewCipher(mac.Sum(nil))
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	sealer, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // it is AES
	}
	return sealer
}

// popSecret returns the secret that was stored for this page, and forgets it.
func (c *call) popSecret() (v secretView, found bool) {
	value := c.cookie(secretCookie)
	if value == "" {
		return v, false
	}
	c.setCookie(secretCookie, "", 0)
	sealed, err := base64.RawURLEncoding.DecodeString(value)
	sealer := c.secretSealer()
	if err != nil || len(sealed) < sealer.NonceSize() {
		return v, false
	}
	content, err := sealer.Open(nil, sealed[:sealer.NonceSize()], sealed[sealer.NonceSize():], nil)
	if err != nil || json.Unmarshal(content, &v) != nil {
		return v, false
	}
	return v, true
}

// showSecret shows the secret that was made last, once.
func showSecret(c *call) (*reply, error) {
	v, found := c.popSecret()
	if !found {
		v.Title = "This value is no longer available"
	}
	v.Back = c.prefix + c.returnTo()
	r := c.show(page{template: "secret", Title: v.Title, Section: v.Section,
		Crumbs: append(v.Crumbs, crumb{Label: v.Title}), View: v, HasSecret: true})
	if !found {
		r.status = http.StatusGone
	}
	return r, nil
}
