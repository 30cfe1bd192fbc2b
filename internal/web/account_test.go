package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/rest"
	"penstock/internal/testkit"
)

func TestProfileAndPassword(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b, elsewhere := s.signedIn("admin@example.com"), s.signedIn("admin@example.com")
		b.submit("/account", "name", " ").want(t, http.StatusUnprocessableEntity, `aria-invalid="true"`, `aria-describedby="field-name-error"`, `href="#field-name"`)
		b.submit("/account", "name", "Renamed").wantRedirect(t, "/account")
		b.get("/account").want(t, http.StatusOK, "Your name has been changed.", "Renamed")
		b.submit("/account/password", "password", "short").want(t, http.StatusUnprocessableEntity, "too short")
		b.submit("/account/password", "password", "long enough").wantRedirect(t, "/account/password")
		b.get("/account/password").want(t, http.StatusOK, "Your password has been changed")
		elsewhere.get("/account").wantRedirect(t, "/sign-in?return_to=%2Faccount")
		a := b.submit("/account/password", "current_password", "not that", "password", "another long one").want(t, http.StatusUnprocessableEntity, "Current password is not right")
		if strings.Contains(a.Body, "not that") || strings.Contains(a.Body, "another long one") {
			t.Error("the form shows what was typed into its password fields")
		}
	})
}

func TestSessionsPage(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b, elsewhere := s.signedIn("admin@example.com"), s.signedIn("admin@example.com")
		if a := b.get("/account/sessions").want(t, http.StatusOK, "2 sessions", "192.0.2.1"); strings.Count(a.Body, "This browser") != 1 {
			t.Errorf("not one session is this one: %s", a.Body)
		}
		third := s.signedIn("admin@example.com")
		end := regexp.MustCompile(`/account/sessions/[0-9a-f-]{36}/end`).FindString(b.get("/account/sessions").want(t, http.StatusOK, "3 sessions").Body)
		s.signedIn("member@example.com").submitTo("/account", end).wantRedirect(t, "/account/sessions")
		third.get("/account").want(t, http.StatusOK)
		b.submitTo("/account", end).wantRedirect(t, "/account/sessions")
		b.get("/account/sessions").want(t, http.StatusOK, "2 sessions", "Signed out.")
		third.get("/account").wantRedirect(t, "/sign-in?return_to=%2Faccount")
		b.submit("/account/sessions/sign-out").wantRedirect(t, "/sign-in")
		b.get("/sign-in").want(t, http.StatusOK, "signed out everywhere")
		b.get("/account").wantRedirect(t, "/sign-in?return_to=%2Faccount")
		elsewhere.get("/account").wantRedirect(t, "/sign-in?return_to=%2Faccount")
	})
}

func TestSessionsSayWhereTheyWereLastSeen(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b, elsewhere := s.signedIn("admin@example.com"), s.signedIn("admin@example.com")
		s.Clock.Advance(3 * time.Hour)
		elsewhere.send(http.MethodGet, "/account", nil, map[string]string{"User-Agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15"})
		if err := s.Service.StoreTokenUses(t.Context(), authz.OperatorActor()); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(2 * time.Hour)
		shown := b.get("/account/sessions").want(t, http.StatusOK, "Safari on macOS", "2 hours ago", "5 hours ago", "192.0.2.1", "127.0.0.1")
		checkMarkup(t, shown)
		if strings.Count(shown.Body, ">just now<") != 1 {
			t.Errorf("not one session is seen now: %s", shown.Body)
		}
	})
}

func TestTokensPages(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		b.submit("/account/tokens/new", "description", "", "scopes", "read_user", "organizations", "acme-inc", "expires_in", "30").
			want(t, http.StatusUnprocessableEntity, "Description can&#39;t be blank", `value="read_user" checked`, `value="acme-inc" checked`, `value="30" selected`)
		b.submit("/account/tokens/new", "description", "x", "expires_in", "soon").want(t, http.StatusUnprocessableEntity, `href="#field-expires_in"`)
		b.submit("/account/tokens/new", "description", "x", "organizations", "elsewhere", "scopes", "read_user").want(t, http.StatusUnprocessableEntity, "elsewhere")
		b.submit("/account/tokens/new", "description", "x", "organizations", "acme-inc", "expires_in", "30").want(t, http.StatusUnprocessableEntity, "Choose at least one scope")
		a := b.create("/account/tokens/new", "description", "For tests", "scopes", "read_user", "scopes", "read_clusters", "organizations", "acme-inc", "expires_in", "30").
			want(t, http.StatusOK, "Copy it now")
		value := regexp.MustCompile(`pnu_[0-9A-Za-z]{46}`).FindString(a.Body)
		if user, err := s.Service.User(t.Context(), authz.TokenActor(authz.REST, value, s.adminToken().Address)); err != nil || user.ID != testkit.MemberID {
			t.Fatalf("%q is %s's, %v", value, user.Email, err)
		}
		page := b.get("/account/tokens").want(t, http.StatusOK, "For tests", "read_clusters")
		if strings.Contains(page.Body, value) {
			t.Error("the value is shown again")
		}
		revoke := regexp.MustCompile(`/account/tokens/[0-9a-f-]{36}/revoke`).FindString(page.Body) // the newest is the first
		b.get(revoke).want(t, http.StatusOK, "Revoke the token “For tests”?")
		b.submit(revoke).wantRedirect(t, "/account/tokens")
		if a := b.get("/account/tokens").want(t, http.StatusOK, "Token revoked."); strings.Contains(a.Body, "For tests") {
			t.Error("the revoked token is listed")
		}
		if _, err := s.Service.User(t.Context(), authz.TokenActor(authz.REST, value, s.adminToken().Address)); err == nil {
			t.Error("the revoked token works")
		}
	})
}

func TestListsHavePages(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("member@example.com")
		session := authz.SessionActor(b.cookie("penstock_session"), s.adminToken().Address)
		for range 35 {
			if _, _, err := s.Service.CreateOwnToken(t.Context(), session, domain.APITokenInput{Description: "One of many"}); err != nil {
				t.Fatal(err)
			}
		}
		next := regexp.MustCompile(`rel="next" href="([^"]+)"`)
		first := b.get("/account/tokens").want(t, http.StatusOK, "1–30 of 36 tokens")
		second := b.get(next.FindStringSubmatch(first.Body)[1]).want(t, http.StatusOK, "31–36 of 36 tokens", `rel="prev" href="/account/tokens"`)
		if next.MatchString(second.Body) {
			t.Error("the last page has a next one")
		}
		b.get("/account/tokens?page=9").want(t, http.StatusOK, "Nothing here", `href="/account/tokens?page=2"`)
	})
}

// TestEveryScopeIsOffered compares the scopes that a new token can be given with those that the API asks for.
func TestEveryScopeIsOffered(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		form := s.signedIn("admin@example.com").get("/account/tokens/new").want(t, http.StatusOK).Body
		described, err := json.Marshal(rest.New(rest.Options{BaseURL: s.URL}).Description())
		if err != nil {
			t.Fatal(err)
		}
		asked := regexp.MustCompile("the `(\\w+)` scope").FindAllSubmatch(described, -1)
		if len(asked) < 100 {
			t.Errorf("only %d operations ask for a scope", len(asked))
		}
		for _, scope := range asked {
			if !strings.Contains(form, `value="`+string(scope[1])+`"`) {
				t.Errorf("the form does not offer %s", scope[1])
			}
		}
	})
}

func TestTokenWithAllReadScopes(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		b.create("/account/tokens/new", "description", "Reader", "organizations", "acme-inc", "scopes", "graphql", "all_read", "on", "expires_in", "30").want(t, http.StatusOK, "Reader", `href="/account/tokens">API access tokens</a>`)
		shown := b.get("/account/tokens").want(t, http.StatusOK, "read_builds", "read_clusters", "graphql").Body
		_, row, _ := strings.Cut(shown, "Reader")
		row, _, _ = strings.Cut(row, "</tr>")
		if strings.Contains(row, "write_") {
			t.Errorf("it can write: %s", row)
		}
	})
}
