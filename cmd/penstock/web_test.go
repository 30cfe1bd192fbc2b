package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// The demo prints the address of the web interface and a sign-in that works there.
func TestDemoPrintsTheWebAddressWithItsSignIn(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "demo")
	eventually(t, "the sign-in", func() bool { return strings.Contains(p.stdout.String(), "List the clusters") })
	found := regexp.MustCompile(`in the browser, at (http://\S+/)\s+sign in as (\S+) with the password (\S+)`).FindStringSubmatch(p.stdout.String())
	if found == nil {
		t.Fatalf("printed %s", p.stdout)
	}
	if page := newBrowser(t).signIn(found[1], found[2], found[3]); !strings.Contains(page, "Acme Inc") || !strings.Contains(page, "Demo Admin") {
		t.Errorf("signed in, the page is %s", page)
	}
}

// browser keeps cookies, as a browser does.
type browser struct {
	t      *testing.T
	client *http.Client
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, &http.Client{Jar: jar}}
}

// send returns the page that the address, or the form that is sent there, leads to.
func (b *browser) send(method, address string, form url.Values) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(body)
}

// signIn fills in the form that a visitor of the address is led to, and returns the page after it.
func (b *browser) signIn(address, email, password string) string {
	b.t.Helper()
	page := b.send(http.MethodGet, address, nil)
	token := regexp.MustCompile(`name="form_token" value="([^"]+)"`).FindStringSubmatch(page)
	if token == nil {
		b.t.Fatalf("no form in %s", page)
	}
	return b.send(http.MethodPost, address+"sign-in", url.Values{"form_token": {token[1]}, "email": {email}, "password": {password}})
}
