package web_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/testkit"
)

// TestHostileTexts writes an attack into every field of what these pages show.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		ctx, operator := t.Context(), authz.OperatorActor()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		const email = "o'reilly&co@example.com"
		_, err := s.Service.CreateUser(ctx, operator, domain.UserInput{Email: email, Name: attack})
		must(err)
		_, err = s.Service.CreateOrganization(ctx, operator, domain.OrganizationInput{Slug: "hostile", Name: attack, Admin: email})
		must(err)
		from := authz.VisitorActor(netip.MustParseAddr("192.0.2.1"))
		from.UserAgent = attack
		value, err := s.Service.SignInWithOIDC(ctx, from, domain.VerifiedClaims{Email: email, EmailVerified: true})
		must(err)
		session := authz.SessionActor(value.Reveal(), from.Address)
		team, err := s.Service.CreateTeam(ctx, session, domain.OrganizationRef{Slug: "hostile"}, core.Value(domain.TeamInput{Name: domain.Some(attack)}))
		must(err)
		cluster, err := s.Service.CreateCluster(ctx, session, domain.OrganizationRef{Slug: "hostile"}, core.Value(domain.ClusterInput{
			Name: domain.Some(attack), LookInput: domain.LookInput{Description: domain.Some(attack), Emoji: domain.Some(":unknown_one:"), Color: domain.Some("#abc")},
			Maintainers: domain.Some([]domain.MaintainerInput{{Team: domain.Some(string(team.ID))}}),
		}))
		must(err)
		token, _, err := s.Service.CreateOwnToken(ctx, session, domain.APITokenInput{Description: attack, Organizations: []string{"hostile"}})
		must(err)

		b := s.browser()
		b.setCookie("penstock_session", value.Reveal())
		for path, times := range map[string]int{
			"/organizations":                                        3, // the switcher, the list, the user
			"/organizations/hostile":                                6,
			"/organizations/hostile/clusters":                       4,
			"/organizations/hostile/clusters/" + string(cluster.ID): 6,
			"/account":            2,
			"/account/tokens":     3,
			"/account/tokens/new": 2,
			"/account/tokens/" + string(token.ID) + "/revoke": 2,
			"/nowhere": 1,
		} {
			b.get(path).wantHarmless(t, times)
		}
		if a := b.get("/account/sessions"); !strings.Contains(a.Body, "Unknown browser") {
			t.Errorf("the sessions are not shown: %s", a.Body)
		} else {
			checkMarkup(t, a)
		}

		// What was typed comes back, as text.
		b.submit("/account/tokens/new", "description", "", "allowed_ip_addresses", attack, "organizations", attack, "scopes", attack).
			want(t, http.StatusUnprocessableEntity).wantHarmless(t, 2)
		b.submit("/account", "name", strings.Repeat(attack, 10)).want(t, http.StatusUnprocessableEntity).wantHarmless(t, 10)
		b.create("/account/tokens/new", "description", attack, "scopes", "read_user").want(t, http.StatusOK).wantHarmless(t, 2)
		s.browser().submit("/sign-in", "email", attack, "password", attack, "return_to", attack).want(t, http.StatusUnprocessableEntity).wantHarmless(t, 1)
		escaped := url.QueryEscape(attack)
		for _, path := range []string{"/organizations/hostile/clusters?search=" + escaped + "&order=" + escaped, "/" + url.PathEscape(attack)} {
			checkMarkup(t, b.get(path))
		}
		checkMarkup(t, s.browser().get("/sign-in?return_to="+escaped))
	})
}

// TestBadAddresses asks for what nobody should: none of it is a 500.
func TestBadAddresses(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		for path, status := range map[string]int{
			"/organizations/acme-inc/clusters?after=x":                http.StatusBadRequest,
			"/organizations/acme-inc/clusters?before=x&after=y":       http.StatusBadRequest,
			"/organizations/acme-inc/clusters?search=%00%ff":          http.StatusOK,
			"/organizations/acme-inc/clusters?order=nonsense":         http.StatusOK,
			"/organizations/acme-inc/clusters/x":                      http.StatusNotFound,
			"/organizations/acme-inc/clusters/%00":                    http.StatusNotFound,
			"/organizations/%00%ff":                                   http.StatusNotFound,
			"/organizations/elsewhere":                                http.StatusNotFound, // another's
			"/organizations/elsewhere/clusters":                       http.StatusNotFound,
			"/organizations/acme-inc/clusters/" + testkit.ElsewhereID: http.StatusNotFound,
			"/organizations?page=9223372036854775808":                 http.StatusOK,
			"/organizations?page=-1":                                  http.StatusOK,
			"/organizations?page=2147483647":                          http.StatusOK,
			"/account/tokens/x/revoke":                                http.StatusNotFound,
			"/account/tokens?page=%00":                                http.StatusOK,
			"/assets/x/app.css":                                       http.StatusNotFound,
			"/assets/../../etc/passwd":                                http.StatusNotFound,
			"//evil.example/":                                         http.StatusNotFound,
			"/sign-out":                                               http.StatusMethodNotAllowed,
			"/account/":                                               http.StatusNotFound,
		} {
			if a := b.get(path); a.Status != status {
				t.Errorf("%s is %d, want %d: %s", path, a.Status, status, a.Body)
			}
		}
		if a := b.send(http.MethodGet, "/v2x", nil, map[string]string{"Accept": "*/*"}).want(t, http.StatusNotFound, `{"message":"Not found"}`); a.Header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("a program is answered with %s", a.Header.Get("Content-Type"))
		}
		if a := b.send("BREW", "/account", nil, nil).want(t, http.StatusMethodNotAllowed); a.Header.Get("Allow") != "GET, HEAD, POST" {
			t.Errorf("Allow is %q", a.Header.Get("Allow"))
		}
		if a := b.send(http.MethodHead, "/account", nil, nil).want(t, http.StatusOK); a.Body != "" {
			t.Errorf("HEAD has a body: %s", a.Body)
		}
	})
}

// What a user may not see is not found, and what they may not do is not offered.
func TestWhoSeesWhat(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		member, admin := s.signedIn("member@example.com"), s.signedIn("admin@example.com")
		if a := member.get("/organizations/acme-inc").want(t, http.StatusOK, "Acme Inc"); strings.Contains(a.Body, "Recent changes") {
			t.Error("a plain member sees the audit log")
		}
		member.get("/organizations/acme-inc/clusters/"+testkit.MaintainedID).want(t, http.StatusOK, "Maintained")
		admin.get("/organizations/acme-inc").want(t, http.StatusOK, "Recent changes", "Operator")
		outsider := s.signedIn("outsider@example.com")
		for _, path := range []string{"/organizations/acme-inc", "/organizations/acme-inc/clusters", "/organizations/acme-inc/clusters/" + testkit.MaintainedID} {
			if a := outsider.get(path).want(t, http.StatusNotFound); strings.Contains(a.Body, "Acme") || strings.Contains(a.Body, "Maintained") {
				t.Errorf("an outsider learns something: %s", a.Body)
			}
		}
		outsider.get("/").wantRedirect(t, "/organizations/elsewhere")
		token := admin.get("/account/tokens").want(t, http.StatusOK).Body
		start := strings.Index(token, "/account/tokens/0")
		revoke := token[start : start+len("/account/tokens/0190a000-0000-7000-8000-000000000001/revoke")]
		member.get(revoke).want(t, http.StatusNotFound)
		member.submitTo("/account", revoke).want(t, http.StatusNotFound)
	})
}
