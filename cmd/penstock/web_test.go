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
	address, email, password := found[1], found[2], found[3]
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	send := func(method, url string, form url.Values) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		resp, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	page := send(http.MethodGet, address, nil)
	token := regexp.MustCompile(`name="form_token" value="([^"]+)"`).FindStringSubmatch(page)
	if token == nil {
		t.Fatalf("no form in %s", page)
	}
	page = send(http.MethodPost, address+"sign-in", url.Values{"form_token": {token[1]}, "email": {email}, "password": {password}})
	if !strings.Contains(page, "Acme Inc") || !strings.Contains(page, "Demo Admin") {
		t.Errorf("signed in, the page is %s", page)
	}
}
