package rest_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/authz"
	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/mailer"
	"penstock/internal/service"
	"penstock/internal/testkit"
)

var mailedLink = regexp.MustCompile(`/invitation\?link=([0-9A-Za-z]{43})\n`)

// eachMailingServer runs fn with a server that mails invitations.
func eachMailingServer(t *testing.T, fn func(t *testing.T, s *testkit.Server)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		fn(t, testkit.NewServer(t, d, testkit.ServerOptions{Service: func(o *service.Options) { o.SendsMail = true }}))
	})
}

// mailBy returns what sends invitations by a mail server.
func mailBy(t *testing.T, s *testkit.Server, by *testkit.MailServer, password domain.Secret) func(context.Context, domain.InvitationMail) error {
	t.Helper()
	m, err := mailer.New(mailer.Options{Address: by.Address, TLS: mailer.StartTLS, User: testkit.MailUser, Password: password,
		From: "penstock@example.com", BaseURL: s.URL, Roots: by.Roots()})
	if err != nil {
		t.Fatal(err)
	}
	return m.SendInvitation
}

// wantMailed runs the outbox once and checks how many were sent.
func wantMailed(t *testing.T, s *testkit.Server, send func(context.Context, domain.InvitationMail) error, want int64) {
	t.Helper()
	if sent, err := s.Service.MailInvitations(t.Context(), authz.OperatorActor(), send); err != nil || sent != want {
		t.Errorf("%d were sent, want %d: %v", sent, want, err)
	}
}

func TestInvitationsAreMailed(t *testing.T) {
	t.Parallel()
	eachMailingServer(t, func(t *testing.T, s *testkit.Server) {
		by := testkit.StartMailServer(t, testkit.MailServerOptions{})
		send := mailBy(t, s, by, testkit.MailPassword)
		_, shown := invite(t, s, "new@example.com", nil)
		wantMailed(t, s, send, 1)
		wantMailed(t, s, send, 0)
		got := by.WantMail(t)
		by.WantNoMail(t)
		found := mailedLink.FindStringSubmatch(got.Text)
		if found == nil || got.To[0] != "new@example.com" || !strings.HasPrefix(got.Text, "Admin invites you to join the organization Acme Inc") || found[1] == shown.Reveal() {
			t.Fatalf("%s", got.Raw)
		}
		for _, row := range testkit.Rows(t, s.DB) {
			if strings.Contains(row, found[1]) {
				t.Errorf("a link's value is stored: %s", row)
			}
		}
		_, err := acceptAsNew(t, s, domain.Secret(found[1]))
		wantErrorCode(t, "the mailed link", err, 0)
		_, err = acceptAsNew(t, s, domain.Secret(found[1]))
		wantErrorCode(t, "the mailed link, again", err, domain.NotFound)
		_, err = acceptAsNew(t, s, shown)
		wantErrorCode(t, "the shown link, afterwards", err, domain.NotFound)

		// What was revoked is not mailed.
		made, _ := invite(t, s, "revoked@example.com", nil)
		s.Delete(testkit.AdminToken, invitationsPath+"/"+made["id"].(string)).Want(t, http.StatusNoContent)
		wantMailed(t, s, send, 0)

		// Sent again while it is mailed, it is mailed again: the first mail's link leads nowhere.
		made, _ = invite(t, s, "twice@example.com", nil)
		again := func(ctx context.Context, m domain.InvitationMail) error {
			_, err := s.Service.ResendInvitation(ctx, authz.TokenActor(authz.REST, testkit.AdminToken, visitorAddress), domain.OrganizationRef{Slug: "acme-inc"}, made["id"].(string))
			if err != nil {
				t.Error(err)
			}
			return send(ctx, m)
		}
		wantMailed(t, s, again, 1)
		wantMailed(t, s, send, 1)
		for i, code := range []domain.Code{domain.NotFound, 0} {
			link := mailedLink.FindStringSubmatch(by.WantMail(t).Text)
			_, err := s.Service.InvitationOffer(t.Context(), authz.VisitorActor(visitorAddress), domain.Secret(link[1]))
			wantErrorCode(t, "mail "+string(rune('1'+i)), err, code)
		}
	})
}

// TestMailThatFailsIsTriedAgain stops the mail server, starts it again, and gives it a wrong password and an address of nobody.
func TestMailThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	eachMailingServer(t, func(t *testing.T, s *testkit.Server) {
		const due, stopped, failed = `SELECT count(*) FROM invitation_mails WHERE next_at IS NOT NULL`, `SELECT count(*) FROM invitation_mails WHERE next_at IS NULL`,
			`SELECT count(*) FROM invitation_mails WHERE error LIKE `
		want := func(n int64, query string) {
			t.Helper()
			if got := storedNumber(t, s, query); got != n {
				t.Errorf("%s: %d, want %d", query, got, n)
			}
		}
		by := testkit.StartMailServer(t, testkit.MailServerOptions{})
		send := mailBy(t, s, by, testkit.MailPassword)
		by.Stop()
		invite(t, s, "new@example.com", nil)
		wantMailed(t, s, send, 0)
		want(1, failed+`'The mail server can''t be reached'`)
		by = testkit.StartMailServer(t, testkit.MailServerOptions{Address: by.Address})
		send = mailBy(t, s, by, testkit.MailPassword)
		wantMailed(t, s, send, 0) // not before its time
		testkit.Change(t, s.DB, `UPDATE invitation_mails SET next_at = 1`)
		wantMailed(t, s, send, 1)
		by.WantMail(t)
		want(0, `SELECT count(*) FROM invitation_mails`)

		invite(t, s, testkit.RefusedMailbox, nil)
		wantMailed(t, s, send, 0)
		want(1, stopped)
		want(1, failed+`'The mail server doesn''t take the address: 550 %'`)

		invite(t, s, "other@example.com", nil)
		wrong := mailBy(t, s, by, "hunter2")
		for range 8 {
			want(1, due)
			testkit.Change(t, s.DB, `UPDATE invitation_mails SET next_at = 1 WHERE next_at IS NOT NULL`)
			wantMailed(t, s, wrong, 0)
		}
		want(0, due)
		want(1, failed+`'The mail server doesn''t take the configured user and password'`)
		want(0, failed+`'%hunter2%'`)
		by.WantNoMail(t)
	})
}
