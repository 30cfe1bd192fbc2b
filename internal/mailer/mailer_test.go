package mailer_test

import (
	"context"
	"html"
	"net"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"penstock/internal/domain"
	"penstock/internal/mailer"
	"penstock/internal/testkit"
)

func newMailer(t *testing.T, s *testkit.MailServer, change func(*mailer.Options)) *mailer.Mailer {
	t.Helper()
	o := mailer.Options{Address: s.Address, TLS: mailer.StartTLS, User: testkit.MailUser, Password: testkit.MailPassword,
		From: "Penstock <penstock@example.com>", BaseURL: "https://ci.example.com", Roots: s.Roots()}
	if change != nil {
		change(&o)
	}
	m, err := mailer.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var invitation = domain.InvitationMail{To: "new@example.com", Organization: "Acme Inc", InvitedBy: "Ann Lee", Link: "value",
	ExpiresAt: time.Date(2026, 5, 3, 4, 17, 0, 0, time.UTC)}

const invitationText = `Ann Lee invites you to join the organization Acme Inc on Penstock, at https://ci.example.com

To accept, open this link. It works once, until 3 May 2026, 04:17 UTC:

https://ci.example.com/invitation?link=value

Did you not expect this? Then do nothing: nobody joins without the link. Don't pass it on, it lets in whoever has it.
`

const invitationHTML = `<!DOCTYPE html><html><head><meta charset="utf-8"></head><body style="font-family: sans-serif; font-size: 15px; line-height: 1.5">
<p>Ann Lee invites you to join the organization Acme Inc on Penstock, at <a href="https://ci.example.com">https://ci.example.com</a></p>
<p>To accept, open this link. It works once, until 3 May 2026, 04:17 UTC:</p>
<p><a href="https://ci.example.com/invitation?link=value">https://ci.example.com/invitation?link=value</a></p>
<p>Did you not expect this? Then do nothing: nobody joins without the link. Don&#39;t pass it on, it lets in whoever has it.</p>
</body></html>
`

func TestAnInvitationIsMailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server    testkit.MailServerOptions
		tls, user string
	}{
		"starttls":                {testkit.MailServerOptions{}, mailer.StartTLS, testkit.MailUser},
		"starttls without a user": {testkit.MailServerOptions{}, mailer.StartTLS, ""},
		"tls":                     {testkit.MailServerOptions{ImplicitTLS: true}, mailer.TLS, testkit.MailUser},
		"none":                    {testkit.MailServerOptions{NoTLS: true}, mailer.NoTLS, testkit.MailUser},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := testkit.StartMailServer(t, c.server)
			m := newMailer(t, s, func(o *mailer.Options) { o.TLS, o.User = c.tls, c.user })
			if err := m.SendInvitation(t.Context(), invitation); err != nil {
				t.Fatal(domain.Explain(err))
			}
			got := s.WantMail(t)
			if got.From != "penstock@example.com" || !slices.Equal(got.To, []string{"new@example.com"}) || got.User != c.user || got.TLS != (c.tls != mailer.NoTLS) {
				t.Errorf("%+v", got)
			}
			if got.Text != invitationText || got.HTML != invitationHTML || got.Subject() != "Invitation to join Acme Inc" || got.Header.Get("From") != `"Penstock" <penstock@example.com>` ||
				got.Header.Get("To") != "<new@example.com>" {
				t.Errorf("the mail is %s", got.Raw)
			}
			if _, err := got.Header.Date(); err != nil || got.Header.Get("Message-Id") == "" {
				t.Errorf("the mail is %s: %v", got.Raw, err)
			}
		})
	}
}

// TestHostileNames writes what would be headers, lines and recipients into everything that users write.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	s := testkit.StartMailServer(t, testkit.MailServerOptions{})
	m := newMailer(t, s, nil)
	const headers = "Auto-Submitted Content-Transfer-Encoding Content-Type Date From Message-Id Mime-Version Received Subject To"
	for name, shown := range map[string]string{
		"Acme\r\nBcc: victim@example.com\r\n\r\nbody":   "Acme  Bcc: victim@example.com    body",
		"Acme\n.\nRCPT TO:<victim@example.com>":         "Acme . RCPT TO:<victim@example.com>",
		"=?utf-8?q?=0D=0ABcc:_victim?=":                 "=?utf-8?q?=0D=0ABcc:_victim?=",
		"Käse \u202e\x00 📦 " + strings.Repeat("界", 250): "Käse    📦 " + strings.Repeat("界", 250),
		strings.Repeat("a", 255):                        strings.Repeat("a", 255),
		"":                                              "",
		`<b onclick="x()">&https://evil.example.com/x`:  `<b onclick="x()">&https://evil.example.com/x`,
		"https://evil.example.com https://ci.example.com.evil.example.com/": "https://evil.example.com https://ci.example.com.evil.example.com/",
	} {
		hostile := invitation
		hostile.Organization, hostile.InvitedBy = name, name
		if err := m.SendInvitation(t.Context(), hostile); err != nil {
			t.Errorf("%q: %s", name, domain.Explain(err))
			continue
		}
		got := s.WantMail(t)
		if !slices.Equal(got.To, []string{"new@example.com"}) || len(got.Header) != len(strings.Fields(headers))-1 {
			t.Errorf("%q: %v %v", name, got.To, got.Header)
		}
		for header, values := range got.Header {
			if !strings.Contains(headers, header) || len(values) != 1 {
				t.Errorf("%q: the header %s is %q", name, header, values)
			}
		}
		for line := range strings.SplitSeq(got.Raw, "\r\n") {
			if len(line) > 998 || strings.ContainsAny(line, "\r\n") {
				t.Errorf("%q: the line %q", name, line)
			}
		}
		opening, _, _ := strings.Cut(got.Text, "\n")
		if !strings.Contains(opening, "the organization "+shown+" on Penstock") || strings.Count(got.Text, "\n") != strings.Count(invitationText, "\n") {
			t.Errorf("%q: the text is %q", name, got.Text)
		}
		if strings.Contains(got.HTML, "<b ") || strings.Count(got.HTML, "<a ") != 2 || !strings.Contains(got.HTML, "the organization "+html.EscapeString(shown)+" on Penstock") {
			t.Errorf("%q: the HTML is %q", name, got.HTML)
		}
		if want := strings.TrimSpace("Invitation to join " + shown); strings.Join(strings.Fields(got.Subject()), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%q: the subject is %q, want %q", name, got.Subject(), want)
		}
	}
	for _, to := range []string{"a@example.com>\r\nRCPT TO:<victim@example.com", "a@example.com\nDATA"} {
		hostile := invitation
		hostile.To = to
		if err := m.SendInvitation(t.Context(), hostile); err == nil {
			t.Errorf("%q was sent", to)
		}
	}
	s.WantNoMail(t)
	unicodeAddress := invitation
	unicodeAddress.To = "josé@exämple.com"
	if err := m.SendInvitation(t.Context(), unicodeAddress); err != nil {
		t.Fatal(domain.Explain(err))
	}
	if got := s.WantMail(t); !slices.Equal(got.To, []string{"josé@exämple.com"}) {
		t.Errorf("%+v", got)
	} else if to, err := mail.ParseAddress(got.Header.Get("To")); err != nil || to.Address != "josé@exämple.com" {
		t.Errorf("%v %v", to, err)
	}
}

// TestMailThatCannotBeSent looks at what users and logs are told, and whether it is worth trying again.
func TestMailThatCannotBeSent(t *testing.T) {
	t.Parallel()
	good, plain := testkit.StartMailServer(t, testkit.MailServerOptions{}), testkit.StartMailServer(t, testkit.MailServerOptions{NoTLS: true})
	gone := testkit.StartMailServer(t, testkit.MailServerOptions{})
	gone.Stop()
	for name, c := range map[string]struct {
		server *testkit.MailServer
		change func(*mailer.Options)
		to     string
		code   domain.Code
		want   string
	}{
		"a wrong password": {good, func(o *mailer.Options) { o.Password = "hunter2" }, "new@example.com", domain.Unavailable,
			"The mail server doesn't take the configured user and password"},
		"nobody there":      {gone, nil, "new@example.com", domain.Unavailable, "The mail server can't be reached"},
		"no STARTTLS":       {plain, nil, "new@example.com", domain.Unavailable, "There is no safe connection to the mail server"},
		"not trusted":       {good, func(o *mailer.Options) { o.Roots = nil }, "new@example.com", domain.Unavailable, "There is no safe connection to the mail server"},
		"TLS where is none": {plain, func(o *mailer.Options) { o.TLS = mailer.TLS }, "new@example.com", domain.Unavailable, "The mail server can't be reached"},
		"nobody's mailbox":  {good, nil, testkit.RefusedMailbox, domain.Invalid, "The mail server doesn't take the address: 550 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mail := invitation
			mail.To = c.to
			err := newMailer(t, c.server, c.change).SendInvitation(t.Context(), mail)
			if domain.CodeOf(err) != c.code || err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Fatalf("%v, want %s", err, c.want)
			}
			if strings.ContainsAny(err.Error(), "\x00\n") || !utf8.ValidString(err.Error()) || strings.Contains(domain.Explain(err), "hunter2") || strings.Contains(domain.Explain(err), testkit.MailPassword) {
				t.Errorf("%q", domain.Explain(err))
			}
			c.server.WantNoMail(t)
		})
	}
}

// TestAServerThatSaysNothing ends an attempt when its time is over.
func TestAServerThatSaysNothing(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	m, err := mailer.New(mailer.Options{Address: listener.Addr().String(), TLS: mailer.StartTLS, From: "penstock@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := m.SendInvitation(ctx, invitation); domain.CodeOf(err) != domain.Unavailable {
		t.Error(err)
	}
}
