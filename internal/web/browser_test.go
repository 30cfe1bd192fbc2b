package web_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/httpcall"
	"penstock/internal/rest"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

// site is a web interface on a database of its own, filled with testkit.Fixture.
type site struct {
	*testkit.Server
	t   *testing.T
	URL string
}

// eachSite runs fn as a subtest on a site of each engine.
func eachSite(t *testing.T, fn func(t *testing.T, s *site)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) { fn(t, newSite(t, d, nil)) })
}

func newSite(t *testing.T, d *db.DB, change func(*web.Options)) *site {
	t.Helper()
	s := &site{Server: testkit.NewServer(t, d, testkit.ServerOptions{Bootstrap: pagesFixture}), t: t}
	listener := httptest.NewUnstartedServer(nil)
	s.URL = "http://" + listener.Listener.Addr().String()
	o := web.Options{Settings: httpcall.Settings{Now: s.Clock.Now}, Service: s.Service, Agents: s.Agents, Builds: s.Builds, Logs: s.Logs, Artifacts: s.Artifacts, Caches: s.Caches, Starts: s.Starts, Notices: s.Notices, Reader: s.Reader, BaseURL: s.URL, HostedAgents: true, OpenAPI: rest.New(rest.Options{BaseURL: s.URL}).Description, GraphQLSchema: graphQLSchema(t)}
	if change != nil {
		change(&o)
	}
	listener.Config.Handler = withAvatars(web.New(o))
	listener.Start()
	t.Cleanup(listener.Close)
	return s
}

// withAvatars adds the users' pictures and badges, which the server serves by itself.
func withAvatars(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if svg, ok := web.Avatar(r.URL.Path); ok {
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = io.WriteString(w, svg)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/badges/") {
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = io.WriteString(w, web.Badge(domain.BadgeUnknown, web.BadgeLook{}))
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// browser is somebody who looks at a site, with cookies and without JavaScript.
type browser struct {
	*site
	jar *cookiejar.Jar
}

// browser returns one in which nobody is signed in.
func (s *site) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &browser{s, jar}
}

// signedIn returns a browser in which the user with that email address is signed in.
func (s *site) signedIn(email string) *browser {
	s.t.Helper()
	visitor := authz.VisitorActor(netip.MustParseAddr("192.0.2.1"))
	visitor.UserAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	value, err := s.Service.SignInWithOIDC(s.t.Context(), visitor, domain.VerifiedClaims{Email: email, EmailVerified: true})
	if err != nil {
		s.t.Fatal(err)
	}
	b := s.browser()
	b.setCookie("penstock_session", value.Reveal())
	return b
}

// withPassword makes a user who can sign in, an administrator of testkit.Organization.
func (s *site) withPassword(email, password string) {
	s.t.Helper()
	operator := authz.OperatorActor()
	_, err := s.Service.CreateUser(s.t.Context(), operator, domain.UserInput{Email: email, Name: "With password", Password: domain.Secret(password)})
	if err == nil {
		err = s.Service.AddMember(s.t.Context(), operator, testkit.Organization, email, domain.RoleAdmin)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// adminToken is the administrator, with a token.
func (s *site) adminToken() authz.Actor {
	return authz.TokenActor(authz.REST, testkit.AdminToken, netip.MustParseAddr("192.0.2.1"))
}

func (b *browser) url(path string) *url.URL {
	if !strings.HasPrefix(path, "http") {
		path = b.URL + path
	}
	u, err := url.Parse(path)
	if err != nil {
		b.t.Fatal(err)
	}
	return u
}

func (b *browser) setCookie(name, value string) {
	b.jar.SetCookies(b.url("/"), []*http.Cookie{{Name: name, Value: value, Path: "/"}})
}

func (b *browser) cookie(name string) string {
	for _, cookie := range b.jar.Cookies(b.url("/")) {
		if cookie.Name == name {
			return cookie.Value
		}
	}
	return ""
}

// answer is what a site answered. Redirects are not followed.
type answer struct {
	Status  int
	Header  http.Header
	Cookies []*http.Cookie
	Body    string
	path    string
}

// follow asks for where an answer redirects to.
func (b *browser) follow(a *answer) *answer {
	b.t.Helper()
	to := a.Header.Get("Location")
	if to == "" {
		b.t.Fatalf("%s is answered with %d, and leads nowhere: %s", a.path, a.Status, a.Body)
	}
	return b.get(to)
}

// send sends a request as it is.
func (b *browser) send(method, path string, form url.Values, header map[string]string) *answer {
	b.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	u := b.url(path)
	r, err := http.NewRequestWithContext(b.t.Context(), method, u.String(), body)
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, cookie := range b.jar.Cookies(u) {
		r.AddCookie(cookie)
	}
	r.Header.Set("Accept", "text/html")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.jar.SetCookies(u, resp.Cookies())
	a := &answer{Status: resp.StatusCode, Header: resp.Header, Cookies: resp.Cookies(), Body: string(text), path: method + " " + path}
	if a.Status == http.StatusInternalServerError {
		b.t.Errorf("%s is a 500: %s", a.path, a.Body)
	}
	return a
}

// get asks for a page.
func (b *browser) get(path string) *answer {
	b.t.Helper()
	return b.send(http.MethodGet, path, nil, nil)
}

// formToken matches the field that every form has.
var formToken = regexp.MustCompile(`name="form_token" value="([^"]+)"`)

// submit loads the page with the form, and sends it filled out: names and values by turns.
func (b *browser) submit(path string, fields ...string) *answer {
	b.t.Helper()
	return b.submitTo(path, path, fields...)
}

// submitTo is submit for a form that another page takes.
func (b *browser) submitTo(page, path string, fields ...string) *answer {
	b.t.Helper()
	form := url.Values{"form_token": {b.tokenOf(page)}}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return b.send(http.MethodPost, path, form, nil)
}

// post sends a form as it is: names and values by turns.
func (b *browser) post(path string, fields ...string) *answer {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return b.send(http.MethodPost, path, form, nil)
}

// create submits a form that makes a secret, and returns the page that shows it.
func (b *browser) create(path string, fields ...string) *answer {
	b.t.Helper()
	made := b.submit(path, fields...)
	to := made.Header.Get("Location")
	if made.Status != http.StatusSeeOther || !strings.Contains(to, "/secret?return_to=") {
		b.t.Fatalf("%s is %d to %q, and makes no secret: %s", made.path, made.Status, to, made.Body)
	}
	return b.get(to)
}

func (b *browser) tokenOf(page string) string {
	b.t.Helper()
	found := formToken.FindStringSubmatch(b.get(page).Body)
	if found == nil {
		b.t.Fatalf("%s has no form", page)
	}
	return found[1]
}

// want checks the status, and that the body has each of the texts.
func (a *answer) want(t *testing.T, status int, texts ...string) *answer {
	t.Helper()
	if a.Status != status {
		t.Errorf("%s is %d, want %d: %s", a.path, a.Status, status, a.Body)
	}
	read := html.UnescapeString(a.Body)
	for _, text := range texts {
		if !strings.Contains(a.Body, text) && !strings.Contains(read, text) {
			t.Errorf("%s does not say %q: %s", a.path, text, a.Body)
		}
	}
	return a
}

// wantRedirect checks that the answer leads to a path.
func (a *answer) wantRedirect(t *testing.T, to string) *answer {
	t.Helper()
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != to {
		t.Errorf("%s is %d to %q, want 303 to %q: %s", a.path, a.Status, a.Header.Get("Location"), to, a.Body)
	}
	return a
}
