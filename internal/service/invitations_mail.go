package service

import (
	"context"
	"time"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// How invitations are mailed.
const (
	mailBatch    = 20              // in one run
	mailLease    = 5 * time.Minute // for an attempt, which takes far less
	mailAttempts = 8
)

// MailInvitations sends the invitations that are to be mailed, and returns how many were. What fails is tried again
// later, up to mailAttempts times, unless send says that this is of no use, with an Invalid error. No transaction is
// open while one is sent, and of several nodes one sends it. Operators only.
func (s *Service) MailInvitations(ctx context.Context, actor authz.Actor,
	send func(context.Context, domain.InvitationMail) error) (sent int64, err error) {
	if err := authz.CheckOperator(actor); err != nil {
		return 0, err
	}
	due, err := core.FindItems(ctx, s.core, func(tx store.Tx, now time.Time) ([]store.DueMail, error) {
		return tx.DueMails(now, mailBatch)
	})
	if err != nil {
		return 0, err
	}
	_, err = core.Items[store.DueMail]{Kind: store.MailInvitations,
		ID: func(m store.DueMail) string { return string(m.Invitation) },
		Do: core.OneByOne(func(ctx context.Context, m store.DueMail) error {
			mail, claimed, err := s.claimMail(ctx, actor, m)
			if err != nil || mail.To == "" {
				return err
			}
			failure := send(ctx, mail)
			if failure == nil {
				sent++
			}
			return s.recordMailOutcome(ctx, actor, claimed, failure)
		})}.Run(ctx, s.core, due)
	return sent, err
}

// claimMail returns what is to be mailed, with a link of its own; zero if another node mails it, or nobody waits for it
// any more.
func (s *Service) claimMail(ctx context.Context, actor authz.Actor, m store.DueMail) (
	mail domain.InvitationMail, claimed store.DueMail, err error) {
	mail, err = core.Change(ctx, s.core, actor, core.NoOrganization, func(tx store.Tx) (mail domain.InvitationMail,
		err error) {
		now, err := tx.Now()
		if err != nil {
			return mail, err
		}
		var first bool
		claimed, first, err = tx.ClaimMail(m, now.Add(mailLease))
		if err != nil || !first {
			return mail, err
		}
		mail, found, err := tx.MailOf(m.Invitation, now)
		if err != nil {
			return mail, err
		}
		if !found {
			return domain.InvitationMail{}, tx.DeleteMail(m.Invitation)
		}
		mail.Link = domain.NewInvitationValue()
		return mail, tx.InsertInvitationLink(m.Invitation, domain.HashToken(mail.Link.Reveal()), true)
	})
	return mail, claimed, err
}

// recordMailOutcome stores what came of a claimed attempt.
func (s *Service) recordMailOutcome(ctx context.Context, actor authz.Actor, m store.DueMail, failure error) error {
	return s.core.Write(context.WithoutCancel(ctx), actor, core.NoOrganization, func(tx store.Tx) error {
		if failure == nil {
			return tx.FinishMail(m)
		}
		now, err := tx.Now()
		if err != nil {
			return err
		}
		next := now.Add(time.Minute << min(m.Attempts-1, 10)) // 1, 2, 4 … minutes
		if m.Attempts >= mailAttempts || domain.CodeOf(failure) == domain.Invalid {
			return tx.PostponeMail(m, failure.Error(), nil)
		}
		return tx.PostponeMail(m, failure.Error(), &next)
	})
}
