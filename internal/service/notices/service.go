// Package notices is the area of the service that notifies others of what happens: an outbox of notices, which are
// written in the transaction that causes them and sent later, in order, until the other side has them. It imports
// internal/service/core and what lies below.
package notices

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// Service sends notices.
type Service struct {
	core             *core.Core
	senders          map[domain.NoticeKind]Sender
	client           *http.Client
	baseURL          string
	mail             SendMail
	render           Render
	variables        Variables
	wantsAllMails    atomic.Bool // somebody wants mails about all of their builds
	listeners        atomic.Pointer[map[domain.OrganizationID][]listener]
	notifiesOfBlocks atomic.Bool
	limited          sync.Map // when the rate limit of a connection was stored last, by its id
}

// SendMail sends a mail. The error is Invalid if it is of no use to try again; its text is for users.
type SendMail func(ctx context.Context, m domain.Mail) error

// Render returns what an event is about, as JSON of the REST API.
type Render func(ctx context.Context, subject domain.EventSubject) (domain.RenderedEvent, error)

// Options configures a Service.
type Options struct {
	Core    *core.Core
	Client  *http.Client                 // for addresses that members name
	BaseURL string                       // begins the addresses of things
	Senders map[domain.NoticeKind]Sender // besides those of the service
	Mail    SendMail                     // nil: this server sends no mail
	Render  Render
}

// New returns the service of notices.
func New(o Options) *Service {
	s := &Service{core: o.Core, client: o.Client,
		baseURL: strings.TrimRight(o.BaseURL, "/"), senders: map[domain.NoticeKind]Sender{}, mail: o.Mail, render: o.Render}
	s.senders[domain.NoticeCommitStatus] = s.sendStatus
	s.senders[domain.NoticeWebhook] = s.sendWebhook
	s.senders[domain.NoticeChat] = s.sendChat
	s.senders[domain.NoticeMail] = s.sendMail
	s.senders[domain.NoticeNotify] = s.sendNotification
	s.senders[domain.NoticeNotifyMail] = s.sendNotification
	s.senders[domain.NoticeMemberMail] = s.sendMemberMail
	maps.Copy(s.senders, o.Senders)
	return s
}

// EvaluateWith sets what conditions of notifications see of builds. It is called once, before anything is sent.
func EvaluateWith(s *Service, variables Variables) { s.variables = variables }

// Notices returns a page of an organization's notices, the newest first.
func (s *Service) Notices(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	page domain.Page) (domain.Paged[*domain.NoticeView], error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) (paged domain.Paged[*domain.NoticeView],
		err error) {
		id, err := s.core.InOrganization(tx, actor, organization, authz.ReadNotice)
		if err != nil {
			return paged, err
		}
		return store.NoticesOf().ReadPage(tx, store.ViewerOf(&id), string(id.Organization.ID), page)
	})
}

// ResendNotice sends a notice again that was sent or has failed.
//
// Returns Invalid if it waits to be sent, or a newer one has replaced it.
func (s *Service) ResendNotice(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string) (domain.Notice, error) {
	notice, err := core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (again domain.Notice, err error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.WriteNotice)
		if err != nil {
			return again, err
		}
		notice, found, err := tx.Notice(in.Organization.ID, core.LookupID[domain.NoticeID](id))
		switch {
		case err != nil:
			return again, err
		case !found:
			return again, domain.Missing("notice")
		case notice.State != domain.NoticeSent && notice.State != domain.NoticeFailed:
			return again, domain.NewError(domain.Invalid, "Only notices that were sent, or could not be, can be sent again")
		}
		now, err := tx.Now()
		if err != nil {
			return again, err
		}
		again = notice
		again.ID, again.CreatedAt = domain.NewIDAt[domain.NoticeID](now), now
		again.State, again.DueAt, again.Tries, again.TriedAt, again.Answer = domain.NoticeNew, nil, 0, nil, ""
		return again, tx.InsertNotice(again)
	})
	if err == nil {
		s.core.Publish(core.NoticesTopic)
	}
	return notice, err
}

// PruneNotices deletes what became of old notices. Operators only.
func (s *Service) PruneNotices(ctx context.Context, actor authz.Actor) (deleted int64, err error) {
	return s.core.Prune(ctx, actor, func(tx store.Tx) (int64, error) {
		now, err := tx.Now()
		if err != nil {
			return 0, err
		}
		return tx.PruneNotices(now.Add(-domain.NoticeRetention), core.PruneBatch)
	})
}
