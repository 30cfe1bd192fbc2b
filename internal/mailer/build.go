package mailer

import (
	"context"

	"penstock/internal/domain"
)

// Send sends a mail. The error is Invalid if it is of no use to try again; its text is for users.
func (m *Mailer) Send(ctx context.Context, mail domain.Mail) error {
	return m.send(ctx, message{to: mail.To, subject: onOneLine(mail.Subject), text: mail.Text})
}
