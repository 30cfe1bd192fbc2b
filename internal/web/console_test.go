package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/graph"
	"penstock/internal/httpcall"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

const consolePath = acme + "/graphql"

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/graphql": {path: consolePath, says: "<h1>GraphQL</h1>"},
})

var consoleNonce = regexp.MustCompile(`style-src 'self' 'nonce-[A-Z2-7]{26}';`)

// withGraphQL lets a site run GraphQL documents.
func withGraphQL(t *testing.T) func(*web.Options) {
	return func(o *web.Options) {
		documents := documentsOf(t, o)
		o.GraphQL, o.RunPortal, o.Operations, o.Examples = documents.Console, documents.RunPortal, documents.Operations, documents.ExampleVariables
	}
}

func documentsOf(t *testing.T, o *web.Options) *graph.API {
	t.Helper()
	documents := graph.New(graph.Options{Settings: o.Settings, Service: o.Service, Reader: o.Reader, BaseURL: o.BaseURL})
	return documents
}

func TestConsole(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, withGraphQL(t))
		admin, outsider := s.signedIn("admin@example.com"), s.signedIn("outsider@example.com")
		asJSON := map[string]string{"Accept": "application/json"}
		ask := func(b *browser, request string) *answer {
			t.Helper()
			return b.send(http.MethodPost, consolePath, url.Values{"form_token": {b.tokenOf("/account")}, "request": {request}}, asJSON)
		}

		// Its policy is that of the other pages, but for the editor's styles. Each answer has a nonce of its own.
		shown := admin.get(consolePath).want(t, http.StatusOK, "organization(slug: &#34;acme-inc&#34;)")
		policy, again := shown.Header.Get("Content-Security-Policy"), admin.get(consolePath).Header.Get("Content-Security-Policy")
		if nonces := consoleNonce.FindAllString(policy, -1); len(nonces) > 1 || len(nonces) == 1 && policy == again {
			t.Errorf("the policies are %q and %q", policy, again)
		}
		shown.Header.Set("Content-Security-Policy", consoleNonce.ReplaceAllString(policy, "style-src 'self';"))
		checkHeaders(t, shown)

		// The form, without JavaScript.
		admin.submitTo("/account", consolePath, "query", `query A { viewer { user { email } } } query B($slug: ID!) { organization(slug: $slug) { name } }`,
			"variables", ` {"slug": "acme-inc"} `, "operation_name", "B").want(t, http.StatusOK, "&#34;name&#34;: &#34;Acme Inc&#34;")
		admin.submitTo("/account", consolePath, "query", "").want(t, http.StatusOK, "The body must have a query", ">400<")
		checkMarkup(t, admin.submitTo("/account", consolePath, "query", attack).want(t, http.StatusOK, "Response"))

		// GraphiQL.
		a := ask(admin, `{"query":"{ viewer { user { email } } }"}`).want(t, http.StatusOK, `"email":"admin@example.com"`)
		if got := a.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
			t.Errorf("the answer is %s", got)
		}
		for _, bad := range []string{"[]", "{", `{"query":1}`, `{"query":"{ viewer { id } }","variables":3}`, "\xff"} {
			ask(admin, bad).want(t, http.StatusBadRequest, `{"errors":[{"message":"`)
		}
		ask(admin, `{"query":"{ organization(slug: \"elsewhere\") { name } }"}`).want(t, http.StatusOK, `{"data":{"organization":null}}`)
		ask(admin, `{"query":"mutation { clusterCreate(input: {organizationId: \"`+organizationOf(t, s)+`\", name: \"By hand\"}) { cluster { name } } }"}`).
			want(t, http.StatusOK, `"name":"By hand"`)
		admin.get(acme+"/clusters").want(t, http.StatusOK, "By hand")

		// Others are not let in, and the form's token is a must.
		outsider.get(consolePath).want(t, http.StatusNotFound)
		ask(outsider, `{"query":"{ viewer { user { email } } }"}`).want(t, http.StatusNotFound)
		s.browser().get(consolePath).wantRedirect(t, "/sign-in?return_to="+url.QueryEscape(consolePath))
		admin.send(http.MethodPost, consolePath, url.Values{"request": {`{"query":"{ viewer { id } }"}`}}, asJSON).want(t, http.StatusForbidden)
		admin.send(http.MethodPost, consolePath, url.Values{"form_token": {admin.tokenOf("/account")}, "request": {`{"query":"{ viewer { id } }"}`}},
			map[string]string{"Accept": "application/json", "Sec-Fetch-Site": "cross-site"}).want(t, http.StatusForbidden)
	})
}

// TestConsoleIsUsedFromAllowedAddresses: it is the API, which an organization can let be used from some addresses only.
func TestConsoleIsUsedFromAllowedAddresses(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, withGraphQL(t))
		admin, organization := s.signedIn("admin@example.com"), organizationOf(t, s)
		ask := func(request string) *answer {
			t.Helper()
			return admin.send(http.MethodPost, consolePath, url.Values{"form_token": {admin.tokenOf("/account")}, "request": {request}}, map[string]string{"Accept": "application/json"})
		}
		create := `{"query":"mutation { clusterCreate(input: {organizationId: \"` + organization + `\", name: \"From afar\"}) { cluster { name } } }"}`
		testkit.Change(t, s.DB, `UPDATE organizations SET allowed_api_ip_addresses = '192.0.2.0/24' WHERE slug = 'acme-inc'`)
		ask(create).want(t, http.StatusOK, "No organization found")
		ask(`{"query":"{ organization(slug: \"acme-inc\") { name } }"}`).want(t, http.StatusOK, `{"data":{"organization":null}}`)
		admin.get(acme+"/clusters").want(t, http.StatusOK) // pages are no API
		testkit.Change(t, s.DB, `UPDATE organizations SET allowed_api_ip_addresses = '127.0.0.0/8' WHERE slug = 'acme-inc'`)
		ask(create).want(t, http.StatusOK, "From afar")
	})
}

// A web request of a member is activity, whatever comes of it, also where the page itself asks nothing of the organization.
func TestConsoleRequestsAreActivity(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		active := func(user string) (days int64) {
			t.Helper()
			err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
				return tx.Query("SELECT COUNT(*) FROM activity_days WHERE user_id = $1", func(r *db.Row) error {
					days = r.Int()
					return nil
				}, user)
			})
			if err != nil {
				t.Fatal(err)
			}
			return days
		}
		for email, ask := range map[string]struct {
			user string
			as   func(*browser)
			days int64
		}{
			"admin@example.com":  {testkit.AdminID, func(b *browser) { b.get(consolePath).want(t, http.StatusOK) }, 1},
			"member@example.com": {testkit.MemberID, func(b *browser) { b.submitTo("/account", consolePath, "query", "{").want(t, http.StatusOK) }, 1},
			"maintainer@example.com": {testkit.MaintainerID, func(b *browser) {
				b.send(http.MethodDelete, consolePath, nil, nil).want(t, http.StatusMethodNotAllowed)
			}, 1},
			"teammate@example.com": {testkit.TeammateID, func(b *browser) { b.get("/account").want(t, http.StatusOK) }, 0},
			"outsider@example.com": {testkit.OutsiderID, func(b *browser) { b.get(consolePath).want(t, http.StatusNotFound) }, 0},
		} {
			b := s.signedIn(email)
			if days := active(ask.user); days != 0 {
				t.Fatalf("%s was active before", email)
			}
			ask.as(b)
			if days := active(ask.user); days != ask.days {
				t.Errorf("%s was active on %d days, want %d", email, days, ask.days)
			}
		}
	})
}

// organizationOf returns the GraphQL id of the organization acme-inc.
func organizationOf(t *testing.T, s *site) string {
	t.Helper()
	data, _ := s.GraphQL(testkit.AdminToken, `{ organization(slug: "acme-inc") { id } }`, nil).Object()["data"].(map[string]any)
	id, _ := data["organization"].(map[string]any)["id"].(string)
	return id
}

// Cookies are worth nothing at the API's own address.
func TestAPIsTakeNoSession(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		cookie := "penstock_session=" + s.signedIn("admin@example.com").cookie("penstock_session")
		s.Do(testkit.Request{Method: http.MethodPost, Path: "/v1", Body: `{"query":"{ viewer { id } }"}`, Header: map[string]string{"Cookie": cookie}}).
			Want(t, http.StatusUnauthorized)
		s.Do(testkit.Request{Method: http.MethodGet, Path: "/v2/user", Header: map[string]string{"Cookie": cookie}}).Want(t, http.StatusUnauthorized)
	})
}

// Without what make assets fetches, the page says so, and works.
func TestConsoleWithoutAssets(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		o := web.Options{Settings: httpcall.Settings{Now: s.Clock.Now}, Service: s.Service, Reader: s.Reader, BaseURL: s.URL}
		withGraphQL(t)(&o)
		r := httptest.NewRequest(http.MethodGet, consolePath, nil)
		r.AddCookie(&http.Cookie{Name: "penstock_session", Value: s.signedIn("admin@example.com").cookie("penstock_session")})
		w := httptest.NewRecorder()
		web.NewWithoutAssets(o).ServeHTTP(w, r)
		shown := &answer{Status: w.Code, Body: w.Body.String(), path: consolePath}
		checkMarkup(t, shown.want(t, http.StatusOK, "built without the GraphiQL editor", `<textarea id="field-query"`))
		if strings.Contains(shown.Body, "console.js") {
			t.Errorf("it has an editor: %s", shown.Body)
		}
	})
}
