package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"penstock/internal/testkit"
)

// TestServeMailsInvitations invites somebody over REST, reads their mail, and opens its link.
func TestServeMailsInvitations(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, database []string) {
		by := testkit.StartMailServer(t, testkit.MailServerOptions{})
		file := strings.Replace(bootstrapFile, "read_organizations]", "write_organization_invitations]", 1)
		p := start(t, []string{"TOKEN=" + testToken, "SSL_CERT_FILE=" + write(t, "roots.pem", by.Certificate()), "PENSTOCK_SMTP_PASSWORD=" + testkit.MailPassword},
			append(with("serve --smtp-from penstock@example.com --smtp-user "+testkit.MailUser+" --smtp-address "+by.Address+" --bootstrap", write(t, "bootstrap.yaml", file)), database...)...)
		if status, body := p.send(http.MethodPost, "/v2/organizations/acme-inc/invitations", `{"emails": ["new@example.com"]}`, "Authorization", "Bearer "+testToken); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
		select {
		case mail := <-by.Arrived():
			_, link, _ := strings.Cut(mail.Text, "UTC:\n\n"+p.url)
			link, _, _ = strings.Cut(link, "\n")
			if status, body := p.get(link, ""); status != http.StatusOK || !strings.Contains(body, "new@example.com") || !mail.TLS {
				t.Errorf("%q answers %d: %s", link, status, mail.Raw)
			}
		case <-time.After(patience):
			t.Fatal("no mail has arrived")
		}
		if _, metrics := p.get("/metrics", ""); !strings.Contains(metrics, `"mail_invitations"`) {
			t.Error("the loop has no figures")
		}
		p.stop()
		if strings.Contains(p.stderr.String(), testkit.MailPassword) {
			t.Error("the password is logged")
		}
	})
}
