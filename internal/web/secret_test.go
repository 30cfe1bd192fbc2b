package web_test

import (
	"net/http"
	"strings"
	"testing"

	"penstock/internal/testkit"
)

// A secret is shown once: neither loading the page again nor going back shows it, or makes another.
func TestSecretsAreShownOnce(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		const list = theCluster + "/tokens"
		made := b.submit(list+"/new", "description", "Basement", "expires_at", "")
		to := made.Header.Get("Location")
		made.wantRedirect(t, acme+"/secret?return_to="+strings.ReplaceAll(list, "/", "%2F"))
		kept := b.cookie("penstock_secret")
		if kept == "" || strings.Contains(kept, "pnc_") {
			t.Errorf("the cookie is %q", kept)
		}
		other := s.signedIn("member@example.com")
		other.setCookie("penstock_secret", kept)
		other.get(to).want(t, http.StatusGone, "no longer available")
		shown := b.get(to).want(t, http.StatusOK, "Basement", "pnc_", `href="`+list+`"`)
		checkMarkup(t, shown)
		if b.cookie("penstock_secret") != "" {
			t.Error("the browser still has the secret")
		}
		checkMarkup(t, b.get(to).want(t, http.StatusGone, "no longer available", `href="`+list+`"`))
		b.setCookie("penstock_secret", "nonsense")
		b.get(to).want(t, http.StatusGone, "no longer available")
		b.get(list).want(t, http.StatusOK, "1 agent token")
	})
}

// What was typed while the session ended is sent after the user has signed in again.
func TestFormsOutliveTheirSession(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		s.withPassword("user@example.com", "correct horse")
		b := s.browser()
		b.submit("/sign-in", "email", "user@example.com", "password", "correct horse").wantRedirect(t, "/")
		stale := b.tokenOf(acme + "/clusters/new")
		b.submitTo("/account", "/sign-out").wantRedirect(t, "/sign-in")
		asked := b.post(acme+"/clusters/new", "form_token", stale, "name", "Typed & <kept>", "description", "two\nlines").
			want(t, http.StatusUnauthorized, "Your session has ended", `name="return_to" value="`+acme+`/clusters/new"`)
		checkMarkup(t, asked)
		wrong := b.resubmit(asked, "/sign-in", "email", "user@example.com", "password", "wrong").want(t, http.StatusUnprocessableEntity, "what you typed is kept")
		offered := b.resubmit(wrong, "/sign-in", "email", "user@example.com", "password", "correct horse").want(t, http.StatusOK, "Send what you typed?")
		checkMarkup(t, offered)
		sent := b.resubmit(offered, acme+"/clusters/new")
		if sent.Status != http.StatusSeeOther {
			t.Fatalf("the kept form is answered with %d: %s", sent.Status, sent.Body)
		}
		b.get(sent.Header.Get("Location")).want(t, http.StatusOK, "Typed &amp; &lt;kept&gt;", "two\nlines")

		// Passwords are not kept, nor is a place elsewhere.
		b.submitTo("/account", "/sign-out").wantRedirect(t, "/sign-in")
		if a := b.post("/account/password", "current_password", "hush hush", "password", "hush hush"); a.Status != http.StatusSeeOther || strings.Contains(a.Body, "hush hush") {
			t.Errorf("it is answered with %d: %s", a.Status, a.Body)
		}
		b.submit("/sign-in", "email", "user@example.com", "password", "correct horse", "kept_form", "name=x", "kept_form_to", "//evil.example").wantRedirect(t, "/")
	})
}

func TestBlockedDeletionsHaveNoButton(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		b := s.signedIn("admin@example.com")
		s.Post(testkit.AdminToken, "/v2"+acme+"/pipelines", map[string]any{
			"name": "Blocking", "repository": "git@example.com:acme/web.git", "cluster_id": testkit.MaintainedID, "configuration": "steps: []",
		}).Want(t, http.StatusCreated)
		a := b.get(theCluster+"/delete").want(t, http.StatusOK, "Pipelines still run on this cluster", `href="`+acme+`/pipelines/blocking"`)
		if strings.Contains(a.Body, `class="button danger"`) {
			t.Errorf("it has a button: %s", a.Body)
		}
		if a := b.get(acme+"/members/"+testkit.AdminID+"/remove").want(t, http.StatusOK, "remove yourself"); strings.Contains(a.Body, `class="button danger"`) {
			t.Errorf("it has a button: %s", a.Body)
		}
	})
}
