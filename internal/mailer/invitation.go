package mailer

import (
	"context"

	"penstock/internal/domain"
)

// SendInvitation mails an invitation with its link. The error is Invalid if it is of no use to try again; its text is
// for users.
func (m *Mailer) SendInvitation(ctx context.Context, invitation domain.InvitationMail) error {
	organization, who := onOneLine(invitation.Organization), onOneLine(invitation.InvitedBy)
	opening := who + " invites you"
	if who == "" {
		opening = "You are invited"
	}
	return m.send(ctx, message{
		to:      invitation.To,
		subject: "Invitation to join " + organization,
		text: opening + " to join the organization " + organization + " on Penstock, at " + m.BaseURL + "\n\n" +
			"To accept, open this link. It works once, until " + invitation.ExpiresAt.UTC().Format("2 January 2006, 15:04") +
			" UTC:\n\n" +
			m.BaseURL + domain.InvitationPath + invitation.Link.Reveal() + "\n\n" +
			"Did you not expect this? Then do nothing: nobody joins without the link. Don't pass it on, it lets in whoever " +
			"has it.\n",
	})
}
