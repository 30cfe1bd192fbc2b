package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/testkit"
	"penstock/internal/web"
)

var _ = addPages(map[string]pageCase{
	inOrganizationPath + "/invitations":                     {path: acme + "/invitations", says: "Invite people by email"},
	inOrganizationPath + "/invitations/new":                 {path: acme + "/invitations/new", says: "email isn't configured"},
	inOrganizationPath + "/invitations/{invitation}/resend": {path: acme + "/invitations/" + testkit.TeamID + "/resend", says: "No organization invitation found"},
	inOrganizationPath + "/invitations/{invitation}/revoke": {path: acme + "/invitations/" + testkit.TeamID + "/revoke", says: "No organization invitation found"},
	"/invitation": {path: "/invitation?link=nothing", says: "no longer works", email: "-"},
})

var shownLink = regexp.MustCompile(`/invitation\?link=[0-9A-Za-z]{43}`)

func valueOf(link string) string { return strings.TrimPrefix(link, "/invitation?link=") }

// TestInvitationPagesSayWhatBecameOfTheMail shows invitations that wait to be mailed, that failed, and that were mailed.
func TestInvitationPagesSayWhatBecameOfTheMail(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d, func(o *web.Options) { o.SendsMail = true })
		admin := s.signedIn("admin@example.com")
		admin.get(acme+"/invitations/new").want(t, http.StatusOK, "We'll email it to them, and show it to you once.")
		admin.follow(admin.submit(acme+"/invitations/new", "emails", "new@example.com", "role", "member")).want(t, http.StatusOK, "We've emailed each person their link.")
		const waiting, again, never = "Waiting to be sent", "Not sent yet. Trying again", "Not sent:"
		for said, row := range map[string]string{waiting: `1, NULL`, again: `1, '<b>550</b>'`, never: `NULL, '<b>550</b>'`, "": ""} {
			if row != "" {
				testkit.Change(t, d, `INSERT INTO invitation_mails (invitation_id, attempts, next_at, error) SELECT id, 1, `+row+` FROM invitations`)
			}
			list := admin.get(acme+"/invitations").want(t, http.StatusOK, "new@example.com", said).Body
			for _, other := range []string{waiting, again, never, "<b>"} {
				if other != said && strings.Contains(list, other) {
					t.Errorf("with the row %q the page says %q", row, other)
				}
			}
			if row != "" {
				testkit.Change(t, d, `DELETE FROM invitation_mails`)
			}
		}
	})
}

// More links than a cookie can hold are shown in the answer itself.
func TestManyInvitationsAreShownAtOnce(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		admin := s.signedIn("admin@example.com")
		var emails strings.Builder
		for i := range 100 {
			fmt.Fprintf(&emails, "somebody-%d@example.com\n", i)
		}
		shown := admin.submit(acme+"/invitations/new", "emails", emails.String(), "role", "member").want(t, http.StatusCreated)
		if n := len(shownLink.FindAllString(shown.Body, -1)); n != 100 {
			t.Errorf("%d links", n)
		}
	})
}

func TestInvitationPages(t *testing.T) {
	t.Parallel()
	eachSite(t, func(t *testing.T, s *site) {
		admin, member := s.signedIn("admin@example.com"), s.signedIn("member@example.com")
		member.get(acme+"/invitations").want(t, http.StatusForbidden)
		member.get(acme+"/invitations/new").want(t, http.StatusForbidden)
		admin.get(acme+"/members").want(t, http.StatusOK, acme+"/invitations")
		admin.submit(acme+"/invitations/new", "emails", "nobody", "role", "member").want(t, http.StatusUnprocessableEntity, "is not an email address")
		made := admin.submit(acme+"/invitations/new", "emails", "new@example.com\r\nother@example.com, outsider@example.com", "role", "member", "teams", testkit.TeamID)
		made.wantRedirect(t, acme+"/secret?return_to="+url.QueryEscape(acme+"/invitations"))
		shown := admin.follow(made).want(t, http.StatusOK, "new@example.com", "other@example.com", "won't be shown again")
		checkMarkup(t, shown)
		links := shownLink.FindAllString(shown.Body, -1)
		if len(links) != 3 {
			t.Fatalf("%d links", len(links))
		}
		if again := admin.follow(made).want(t, http.StatusGone); shownLink.MatchString(again.Body) {
			t.Error("the links are shown twice")
		}
		list := admin.get(acme+"/invitations").want(t, http.StatusOK, "new@example.com", "platform", "by Admin").Body
		if strings.Contains(list, "link=") {
			t.Error("the list shows links")
		}

		// The page is the same whether or not the address has an account.
		visitor := s.browser()
		known := visitor.get(links[2]).want(t, http.StatusOK, "Admin invited outsider@example.com to join Acme Inc", "/sign-in?return_to=%2Finvitation%3Flink%3D").Body
		unknown := visitor.get(links[0]).want(t, http.StatusOK).Body
		sanitize := func(body, link, email string) string {
			body = strings.ReplaceAll(strings.ReplaceAll(body, strings.TrimPrefix(link, "/invitation?link="), "LINK"), email, "EMAIL")
			return regexp.MustCompile(`name="form_token" value="[^"]*"|nonce="[^"]*"`).ReplaceAllString(body, "")
		}
		if sanitize(known, links[2], "outsider@example.com") != sanitize(unknown, links[0], "new@example.com") {
			t.Error("the page tells whether an address has an account")
		}
		// So is what comes of a form that makes no account.
		for _, typed := range [][]string{{"name", "New", "password", "short"}, {"name", " ", "password", "long enough"}, {"name", "a\nb", "password", ""}} {
			known = visitor.submit(links[2], append(typed, "link", valueOf(links[2]))...).want(t, http.StatusUnprocessableEntity).Body
			unknown = visitor.submit(links[0], append(typed, "link", valueOf(links[0]))...).want(t, http.StatusUnprocessableEntity).Body
			if sanitize(known, links[2], "outsider@example.com") != sanitize(unknown, links[0], "new@example.com") {
				t.Errorf("what comes of %q tells whether an address has an account", typed)
			}
		}
		visitor.submit(links[2], "link", valueOf(links[2]), "name", "New", "password", "long enough").want(t, http.StatusUnprocessableEntity, "sign in and accept")
		visitor.submit(links[0], "link", valueOf(links[0]), "name", "New", "password", "short").want(t, http.StatusUnprocessableEntity, "too short")
		visitor.submit(links[0], "link", valueOf(links[0]), "name", `<script>alert(1)</script>`, "password", "long enough").wantRedirect(t, acme)
		visitor.get(acme).want(t, http.StatusOK, "Acme Inc")
		s.browser().get(links[0]).want(t, http.StatusNotFound, "no longer works")

		// Who has an account accepts signed in.
		outsider := s.signedIn("outsider@example.com")
		outsider.get(links[2]).want(t, http.StatusOK, "You'll join as Outsider")
		outsider.submit(links[2], "link", valueOf(links[2])).wantRedirect(t, acme)
		outsider.get(acme).want(t, http.StatusOK)

		// Send again, and revoke.
		found := regexp.MustCompile(acme + `/invitations/[0-9a-f-]{36}`).FindString(admin.get(acme + "/invitations").Body)
		again := shownLink.FindString(admin.follow(admin.submit(found+"/resend")).want(t, http.StatusOK).Body)
		visitor.get(links[1]).want(t, http.StatusNotFound)
		s.browser().get(again).want(t, http.StatusOK, "other@example.com")
		admin.submit(found+"/revoke").wantRedirect(t, acme+"/invitations")
		s.browser().get(again).want(t, http.StatusNotFound)
		admin.submitTo(acme+"/invitations/new", found+"/revoke").want(t, http.StatusUnprocessableEntity, "waits for an answer")
	})
}
