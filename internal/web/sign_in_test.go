package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withPassword("user@example.com", "correct horse")
		b := s.browser()
		const wanted = "/organizations/acme-inc/clusters?order=NAME"
		b.get(wanted).wantRedirect(t, "/sign-in?return_to="+url.QueryEscape(wanted))
		b.submit("/sign-in", "email", "user@example.com", "password", "wrong", "return_to", wanted).
			want(t, http.StatusUnprocessableEntity, domain.WrongSignIn, `value="user@example.com"`, `name="return_to" value="`+wanted+`"`)
		if b.cookie("penstock_session") != "" {
			t.Error("a wrong password gave a session")
		}
		a := b.submit("/sign-in", "email", "user@example.com", "password", "correct horse", "return_to", wanted).wantRedirect(t, wanted)
		if strings.Contains(a.Body, "correct horse") {
			t.Error("the password is shown")
		}
		b.get(wanted).want(t, http.StatusOK, "With password")
		b.get("/sign-in?return_to=/account").wantRedirect(t, "/account")

		session := b.cookie("penstock_session")
		b.submitTo("/account", "/sign-out").wantRedirect(t, "/sign-in")
		b.get("/sign-in").want(t, http.StatusOK, "You're signed out.")
		if body := b.get("/sign-in").Body; strings.Contains(body, "You're signed out.") {
			t.Error("the message is shown twice")
		}
		if b.cookie("penstock_session") != "" {
			t.Error("the browser still has its session")
		}
		b.setCookie("penstock_session", session)
		b.get("/account").wantRedirect(t, "/sign-in?return_to=%2Faccount")
	})
}

func TestThrottledSignIn(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.browser()
		for range 10 {
			b.submit("/sign-in", "email", "nobody@example.com", "password", "wrong").want(t, http.StatusUnprocessableEntity)
		}
		a := b.submit("/sign-in", "email", "nobody@example.com", "password", "wrong").want(t, http.StatusTooManyRequests, domain.TooManySignIns)
		if a.Header.Get("Retry-After") != "900" {
			t.Errorf("Retry-After is %q", a.Header.Get("Retry-After"))
		}
	})
}

// TestAKnownBrowserIsNotLockedOut has others fail for a user from the address that the user has too.
func TestAKnownBrowserIsNotLockedOut(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withPassword("user@example.com", "correct horse")
		known := s.browser()
		known.submit("/sign-in", "email", "user@example.com", "password", "correct horse").wantRedirect(t, "/")
		known.submitTo("/account", "/sign-out").wantRedirect(t, "/sign-in")
		other := s.browser()
		for range 10 {
			other.submit("/sign-in", "email", "user@example.com", "password", "wrong").want(t, http.StatusUnprocessableEntity)
		}
		other.submit("/sign-in", "email", "user@example.com", "password", "correct horse").want(t, http.StatusTooManyRequests)
		known.submit("/sign-in", "email", "user@example.com", "password", "correct horse").wantRedirect(t, "/")
	})
}

// A value that somebody else put into the browser before the user signed in is worth nothing.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withPassword("user@example.com", "correct horse")
		attacker := s.signedIn("outsider@example.com")
		planted, plantedBrowser := attacker.cookie("penstock_session"), strings.Repeat("x", 43)
		for _, value := range []string{planted, "made-up"} {
			b := s.browser()
			b.setCookie("penstock_browser", plantedBrowser)
			b.setCookie("penstock_session", value)
			if value == planted { // signed in as the attacker, the user first signs out
				b.submitTo("/account", "/sign-out")
			}
			b.submit("/sign-in", "email", "user@example.com", "password", "correct horse").wantRedirect(t, "/")
			if got := b.cookie("penstock_session"); got == value || len(got) < 40 {
				t.Errorf("the session kept the value %q", got)
			}
			if b.cookie("penstock_browser") == plantedBrowser {
				t.Error("what signs the forms was known before")
			}
		}
	})
}

func TestOpenRedirects(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withPassword("user@example.com", "correct horse")
		signedIn := s.signedIn("admin@example.com")
		for _, c := range []struct{ asked, to string }{
			{"/account", "/account"},
			{"/organizations/acme-inc/clusters?order=NAME&x=1#y", "/organizations/acme-inc/clusters?order=NAME&x=1#y"},
			{"", "/"},
			{"https://evil.example", "/"},
			{"//evil.example", "/"},
			{"///evil.example", "/"},
			{`/\evil.example`, "/"},
			{`\\evil.example`, "/"},
			{"/\t/evil.example", "/"},
			{"/\n/evil.example", "/"},
			{" //evil.example", "/"},
			{"evil.example", "/"},
			{"javascript:alert(1)", "/"},
			{"http:/evil.example", "/"},
			{"/x\r\nSet-Cookie: a=b", "/"},
			{"%", "/"},
		} {
			signedIn.get("/sign-in?return_to="+url.QueryEscape(c.asked)).wantRedirect(t, c.to)
			signedIn.submitTo("/account", "/theme", "theme", "dark", "return_to", c.asked).wantRedirect(t, c.to)
		}
		b := s.browser()
		b.submit("/sign-in", "email", "user@example.com", "password", "correct horse", "return_to", "//evil.example").wantRedirect(t, "/")
	})
}

func TestCookies(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, func(o *web.Options) { o.BaseURL = "https://penstock.example.com" })
		s.withPassword("user@example.com", "correct horse")
		b := s.browser()
		page := b.get("/sign-in")
		if got := page.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("HSTS is %q", got)
		}
		// The jar does not give cookies for https to this server; the header does.
		browserCookie := page.Cookies[0]
		token := formToken.FindStringSubmatch(page.Body)[1]
		a := b.send(http.MethodPost, "/sign-in", url.Values{"form_token": {token}, "email": {"user@example.com"}, "password": {"correct horse"}},
			map[string]string{"Cookie": browserCookie.Name + "=" + browserCookie.Value})
		a.wantRedirect(t, "/")
		names := ""
		for _, cookie := range append(a.Cookies, browserCookie) {
			names += cookie.Name + " "
			if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" {
				t.Errorf("%+v", cookie)
			}
		}
		if names != "__Host-penstock_session __Host-penstock_browser __Host-penstock_marks __Host-penstock_browser " {
			t.Errorf("the cookies are %s", names)
		}
	})
}

func TestForgedForms(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		victim, other := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		foreign := other.tokenOf("/account")
		good := victim.tokenOf("/account")
		post := func(form url.Values, header map[string]string) *answer {
			return victim.send(http.MethodPost, "/account", form, header)
		}
		name := url.Values{"name": {"Changed"}}
		with := func(token string) url.Values { return url.Values{"name": {"Changed"}, "form_token": {token}} }
		post(name, nil).want(t, http.StatusForbidden, "out of date")
		post(with(""), nil).want(t, http.StatusForbidden, "out of date")
		post(with(foreign), nil).want(t, http.StatusForbidden, "out of date")
		post(with(good), map[string]string{"Origin": "https://evil.example"}).want(t, http.StatusForbidden, "another site")
		post(with(good), map[string]string{"Sec-Fetch-Site": "cross-site"}).want(t, http.StatusForbidden, "another site")
		post(with(good), map[string]string{"Content-Type": "multipart/form-data; boundary=x"}).want(t, http.StatusUnsupportedMediaType)
		post(url.Values{"form_token": {good}, "name": {strings.Repeat("x", 2<<20)}}, nil).want(t, http.StatusRequestEntityTooLarge)
		victim.send(http.MethodPut, "/account", with(good), nil).want(t, http.StatusMethodNotAllowed)
		if user, err := s.Service.Member(t.Context(), s.adminToken(), testkit.Organization, testkit.AdminID); err != nil || user.User.Name != "Admin" {
			t.Errorf("a forged form changed the name to %q, %v", user.User.Name, err)
		}
		post(with(good), map[string]string{"Sec-Fetch-Site": "same-origin"}).wantRedirect(t, "/account")
		// The token is the session's: it ends with it.
		victim.submitTo("/account", "/sign-out")
		victim.jar.SetCookies(victim.url("/"), []*http.Cookie{{Name: "penstock_session", Value: s.signedIn("admin@example.com").cookie("penstock_session"), Path: "/"}})
		post(with(good), nil).want(t, http.StatusForbidden, "out of date")
	})
}

// A message is shown only if this browser was given it.
func TestForgedFlash(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		b.get("/account")
		b.setCookie("penstock_flash", "WW91IGhhdmUgd29u.c2lnbmVk")
		if a := b.get("/account"); strings.Contains(a.Body, "You have won") || strings.Contains(a.Body, `class="flash"`) {
			t.Errorf("a forged message is shown: %s", a.Body)
		}
		b.setCookie("penstock_flash", "%%%")
		b.get("/account").want(t, http.StatusOK)
	})
}

func TestTheme(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		b.submitTo("/account", "/theme", "theme", "dark", "return_to", "/account").wantRedirect(t, "/account")
		b.get("/account").want(t, http.StatusOK, `data-theme="dark"`)
		b.submitTo("/account", "/theme", "theme", "light", "return_to", "/account")
		b.get("/account").want(t, http.StatusOK, `data-theme="light"`)
		b.submitTo("/account", "/theme", "theme", `"><script>`, "return_to", "/account").want(t, http.StatusUnprocessableEntity)
		b.setCookie("penstock_theme", "nonsense")
		if strings.Contains(b.get("/account").Body, "data-theme") {
			t.Error("any theme is taken from the cookie")
		}
	})
}

// A proxy may serve the site below a path of its own, and take that path away.
func TestBelowAPath(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, func(o *web.Options) { o.BaseURL += "/ci" })
		s.withPassword("user@example.com", "correct horse")
		b := s.browser()
		b.get("/account").wantRedirect(t, "/ci/sign-in?return_to=%2Faccount")
		b.get("/sign-in").want(t, http.StatusOK, `href="/ci/assets/`, `action="/ci/theme"`)
		b.submit("/sign-in", "email", "user@example.com", "password", "correct horse", "return_to", "/account").wantRedirect(t, "/ci/account")
		a := b.get("/organizations/acme-inc/clusters").want(t, http.StatusOK)
		for _, link := range regexp.MustCompile(`(?:href|src|action)="(/[^"]*)"`).FindAllStringSubmatch(a.Body, -1) {
			if !strings.HasPrefix(link[1], "/ci/") {
				t.Errorf("a link leads to %s", link[1])
			}
		}
	})
}
