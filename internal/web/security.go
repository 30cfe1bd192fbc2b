package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// contentPolicy lets pages use nothing but our own files: no script and no style stands in a page itself.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " +
	"'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// setSecurityHeaders sets the headers for browsers that every answer of the web interface has.
func (s *Site) setSecurityHeaders(header http.Header) {
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	header.Set("Vary", "Accept-Encoding, Cookie")
	if s.https {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// formToken is what proves that a form was made by us, for this browser and this session: it cannot be known without
// their cookies, which scripts and other sites cannot read. It is another one each time, so that the sizes of
// compressed pages reveal nothing about it: a random mask, and the MAC under that mask.
func (c *call) formToken() string {
	token := make([]byte, 2*sha256.Size)
	_, _ = rand.Read(token[:sha256.Size]) // never fails
	subtle.XORBytes(token[sha256.Size:], token[:sha256.Size], c.mac("form "+c.session))
	return base64.RawURLEncoding.EncodeToString(token)
}

// formTokenField is the name of the field with the token that every form has.
const formTokenField = "form_token"

// hasFormToken reports whether the form that was sent was made by us.
func (c *call) hasFormToken() bool {
	token, err := base64.RawURLEncoding.DecodeString(c.R.PostForm.Get(formTokenField))
	if err != nil || len(token) != 2*sha256.Size {
		return false
	}
	unmasked := make([]byte, sha256.Size)
	subtle.XORBytes(unmasked, token[:sha256.Size], token[sha256.Size:])
	return hmac.Equal(unmasked, c.mac("form "+c.session))
}

// sign returns a signature that only this browser's cookie makes.
func (c *call) sign(text string) string { return base64.RawURLEncoding.EncodeToString(c.mac(text)) }

// mac is sign, as bytes.
func (c *call) mac(text string) []byte {
	mac := hmac.New(sha256.New, []byte(c.browser))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// localPath returns path if it is one of this site, and otherwise "/". Browsers read // and /\ as another site's
// address, and leave out control characters.
func localPath(path string) string {
	u, err := url.Parse(path)
	local := err == nil && u.Scheme == "" && u.Host == "" && u.User == nil && strings.HasPrefix(path, "/") &&
		!strings.HasPrefix(path, "//") && !strings.ContainsFunc(path,
		func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f })
	if !local {
		return "/"
	}
	return path
}

// returnTo returns the address, of this site, that the request asks to be sent to afterwards.
func (c *call) returnTo() string {
	asked := c.query("return_to")
	if c.isPost() {
		asked = c.R.PostForm.Get("return_to")
	}
	return localPath(asked)
}
