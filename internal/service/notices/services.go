package notices

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// NotificationServices returns a page of an organization's notification services, the oldest first.
func (s *Service) NotificationServices(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	page domain.CursorPage) (domain.CursorPaged[domain.NotificationServiceView], error) {
	return core.View(ctx, s.core, actor, organization,
		func(tx store.Tx) (paged domain.CursorPaged[domain.NotificationServiceView], err error) {
			id, err := s.core.InOrganization(tx, actor, organization, authz.ReadService)
			if err != nil {
				return paged, err
			}
			found, err := store.NotificationServicesOf().ReadCursorPage(tx, store.ViewerOf(&id), string(id.Organization.ID),
				page)
			paged.Next, paged.Prev = found.Next, found.Prev
			for _, view := range found.Items {
				if err == nil {
					err = s.addToken(tx, view)
				}
				paged.Items = append(paged.Items, *view)
			}
			return paged, err
		})
}

// NotificationService returns one notification service of an organization.
func (s *Service) NotificationService(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string) (domain.NotificationServiceView, error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) (domain.NotificationServiceView, error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.ReadService)
		if err != nil {
			return domain.NotificationServiceView{}, err
		}
		view, _, err := s.serviceIn(tx, in, id)
		return view, err
	})
}

// maxServiceNotices is how many of the last notices of a service are shown.
const maxServiceNotices = 50

// ServiceNotices returns the last notices of a notification service, the newest first.
func (s *Service) ServiceNotices(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string) ([]domain.NoticeView, error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) ([]domain.NoticeView, error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.ReadNotice)
		if err != nil {
			return nil, err
		}
		view, _, err := s.serviceIn(tx, in, id)
		if err != nil {
			return nil, err
		}
		return tx.NoticesTo(in.Organization.ID, serviceTarget(view.ID), maxServiceNotices)
	})
}

// LastServiceNotices returns the last notice of each notification service of an organization that has one.
func (s *Service) LastServiceNotices(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef) (
	map[domain.NotificationServiceID]domain.Notice, error) {
	return core.View(ctx, s.core, actor, organization, func(tx store.Tx) (map[domain.NotificationServiceID]domain.Notice,
		error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.ReadNotice)
		if err != nil {
			return nil, err
		}
		last, err := tx.LastServiceNotices(in.Organization.ID)
		found := make(map[domain.NotificationServiceID]domain.Notice, len(last))
		for _, n := range last {
			found[domain.NotificationServiceID(strings.TrimPrefix(n.Target, servicePrefix))] = n
		}
		return found, err
	})
}

// servicePrefix begins the targets of notices for notification services.
const servicePrefix = "service "

func serviceTarget(id domain.NotificationServiceID) string { return servicePrefix + string(id) }

// serviceIn returns a notification service of an organization, and its secrets.
func (s *Service) serviceIn(tx store.Tx, in authz.Identity,
	id string) (view domain.NotificationServiceView, secrets domain.ServiceSecrets, err error) {
	view, found, err := tx.NotificationService(core.LookupID[domain.NotificationServiceID](id))
	if err == nil && (!found || view.OrganizationID != in.Organization.ID) {
		err = domain.Missing("notification service")
	}
	if err != nil {
		return domain.NotificationServiceView{}, secrets, err
	}
	secrets, err = s.openSecrets(tx, view.ID)
	view.Token = domain.Secret(secrets.Token)
	return view, secrets, err
}

func (s *Service) addToken(tx store.Tx, view *domain.NotificationServiceView) error {
	secrets, err := s.openSecrets(tx, view.ID)
	view.Token = domain.Secret(secrets.Token)
	return err
}

// openSecrets returns the secrets of a notification service.
func (s *Service) openSecrets(tx store.Tx, id domain.NotificationServiceID) (secrets domain.ServiceSecrets, err error) {
	sealed, err := tx.ServiceSecrets(id)
	if err != nil || sealed == "" {
		return secrets, err
	}
	text, err := s.core.Open(sealed, store.AboutService+string(id))
	if err == nil {
		err = json.Unmarshal([]byte(text.Reveal()), &secrets)
	}
	return secrets, err
}

// sealSecrets encrypts the secrets of a notification service; "" if it has none.
func (s *Service) sealSecrets(id domain.NotificationServiceID, secrets domain.ServiceSecrets) (string, error) {
	if secrets == (domain.ServiceSecrets{}) {
		return "", nil
	}
	if !s.core.CanSeal() {
		return "", core.ErrNoKey
	}
	text, err := json.Marshal(secrets)
	if err != nil {
		return "", err
	}
	return s.core.Seal(domain.Secret(text), store.AboutService+string(id))
}

// CreateNotificationService makes a notification service, which is enabled. A webhook is sent a ping.
//
// Returns Invalid with one FieldError a bad field.
func (s *Service) CreateNotificationService(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	input core.Input[domain.NotificationServiceInput]) (domain.NotificationServiceView, error) {
	permit := func(tx store.Tx) (authz.Identity, error) {
		return s.core.LockOrganization(tx, actor, organization, authz.WriteService)
	}
	made, err := core.Create(ctx, s.core, actor, organization, permit,
		func(tx store.Tx, in authz.Identity) (view domain.NotificationServiceView, err error) {
			var faults domain.Faults
			given, err := input.Read(&faults)
			if err != nil {
				return view, err
			}
			made, secrets := domain.NewNotificationService(given, in.Organization.ID, s.core.Clock(), &faults)
			if count, err := tx.CountNotificationServices(in.Organization.ID); err != nil {
				return view, err
			} else if count >= domain.MaxNotificationServices {
				faults.Add("provider", "Organization can have at most 100 notification services")
			}
			view = domain.NotificationServiceView{NotificationService: made, Token: domain.Secret(secrets.Token),
				OrganizationSlug: in.Organization.Slug, CreatedBy: in.Creator()}
			sealed, err := s.checkService(tx, made, secrets, faults)
			if err != nil {
				return view, err
			}
			if err := tx.InsertNotificationService(made, sealed, in.CreatorID()); err != nil {
				return view, err
			}
			if err := s.writePing(tx, made); err != nil {
				return view, err
			}
			return view, s.core.Record(tx, core.AuthorOf(actor, &in), domain.NotificationServiceCreated,
				core.NotificationServiceSubject(made), nil, core.FactsOfNotificationService(made))
		})
	return made, s.servicesChanged(ctx, err)
}

// checkService returns what is wrong with a service, or its encrypted secrets.
func (s *Service) checkService(tx store.Tx, made domain.NotificationService, secrets domain.ServiceSecrets,
	faults domain.Faults) (sealed string, err error) {
	if made.Provider == domain.EmailService && s.mail == nil {
		faults.Add("provider", "Provider email can't be used: this server sends no mail")
	}
	if err := faults.Err(); err != nil {
		return "", err
	}
	if known, err := tx.HasScope(made); err != nil {
		return "", err
	} else if !known {
		faults.Add("scope_uuids", "Scope uuids must be of pipelines, teams or clusters of the organization, as the "+
			"scope says")
		return "", faults.Err()
	}
	return s.sealSecrets(made.ID, secrets)
}

// UpdateNotificationService applies input to a notification service and returns its new state. A webhook is sent a
// ping.
func (s *Service) UpdateNotificationService(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string,
	input core.Input[domain.NotificationServiceInput], expected *core.Precondition[domain.NotificationServiceView]) (
	domain.NotificationServiceView, error) {
	expected = expected.Observe(ctx, s.core, actor, organization, s.findService(actor, organization, id))
	return s.changeService(ctx, actor, organization, id, expected, func(tx store.Tx, in authz.Identity,
		view *domain.NotificationServiceView, secrets *domain.ServiceSecrets) error {
		var faults domain.Faults
		given, err := input.Read(&faults)
		if err != nil {
			return err
		}
		before := core.FactsOfNotificationService(view.NotificationService)
		view.Apply(given, secrets, s.core.Clock(), &faults)
		view.Token = domain.Secret(secrets.Token)
		sealed, err := s.checkService(tx, view.NotificationService, *secrets, faults)
		if err != nil {
			return err
		}
		if err := tx.UpdateNotificationService(view.NotificationService, sealed); err != nil {
			return err
		}
		if err := s.writePing(tx, view.NotificationService); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in), domain.NotificationServiceUpdated,
			core.NotificationServiceSubject(view.NotificationService),
			before, core.FactsOfNotificationService(view.NotificationService))
	})
}

// SetServiceEnabled enables or disables a notification service. Nothing is sent to one that is disabled.
func (s *Service) SetServiceEnabled(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string, enabled bool) (domain.NotificationServiceView, error) {
	return s.changeService(ctx, actor, organization, id, nil, func(tx store.Tx, in authz.Identity,
		view *domain.NotificationServiceView, secrets *domain.ServiceSecrets) error {
		if view.Enabled == enabled {
			return nil
		}
		before := core.FactsOfNotificationService(view.NotificationService)
		view.Enabled, view.UpdatedAt = enabled, s.core.Clock()
		sealed, err := s.sealSecrets(view.ID, *secrets)
		if err != nil {
			return err
		}
		if err := tx.UpdateNotificationService(view.NotificationService, sealed); err != nil {
			return err
		}
		event := domain.NotificationServiceDisabled
		if enabled {
			event = domain.NotificationServiceEnabled
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in), event, core.NotificationServiceSubject(view.NotificationService),
			before, core.FactsOfNotificationService(view.NotificationService))
	})
}

// DeleteNotificationService deletes a notification service. What waits to be sent to it is not sent.
func (s *Service) DeleteNotificationService(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string,
	expected *core.Precondition[domain.NotificationServiceView]) error {
	expected = expected.Observe(ctx, s.core, actor, organization, s.findService(actor, organization, id))
	_, err := s.changeService(ctx, actor, organization, id, expected, func(tx store.Tx, in authz.Identity,
		view *domain.NotificationServiceView, _ *domain.ServiceSecrets) error {
		if err := tx.DeleteNotificationService(view.ID); err != nil {
			return err
		}
		return s.core.Record(tx, core.AuthorOf(actor, &in), domain.NotificationServiceDeleted,
			core.NotificationServiceSubject(view.NotificationService),
			core.FactsOfNotificationService(view.NotificationService), nil)
	})
	return err
}

// TryNotificationService sends a message to a notification service that says that it works.
func (s *Service) TryNotificationService(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef,
	id string) error {
	_, err := s.changeService(ctx, actor, organization, id, nil, func(tx store.Tx, _ authz.Identity,
		view *domain.NotificationServiceView, _ *domain.ServiceSecrets) error {
		now, err := tx.Now()
		if err != nil {
			return err
		}
		return writeEvent(tx, view.NotificationService, serviceEvent{Event: domain.EventPing}, nil, now)
	})
	return err
}

// findService returns a function that finds a notification service which the actor may change.
func (s *Service) findService(actor authz.Actor, organization domain.OrganizationRef, id string) func(store.Tx) (
	domain.NotificationServiceView, error) {
	return func(tx store.Tx) (domain.NotificationServiceView, error) {
		in, err := s.core.InOrganization(tx, actor, organization, authz.WriteService)
		if err != nil {
			return domain.NotificationServiceView{}, err
		}
		view, _, err := s.serviceIn(tx, in, id)
		return view, err
	}
}

// changeService runs change on a notification service that nobody else changes meanwhile, and returns its new state.
func (s *Service) changeService(ctx context.Context, actor authz.Actor, organization domain.OrganizationRef, id string,
	expected *core.Precondition[domain.NotificationServiceView],
	change func(store.Tx, authz.Identity, *domain.NotificationServiceView, *domain.ServiceSecrets) error) (
	domain.NotificationServiceView, error) {
	changed, err := core.Change(ctx, s.core, actor, organization, func(tx store.Tx) (view domain.NotificationServiceView,
		err error) {
		in, err := s.core.LockOrganization(tx, actor, organization, authz.WriteService)
		if err != nil {
			return view, err
		}
		view, secrets, err := s.serviceIn(tx, in, id)
		if err != nil {
			return view, err
		}
		if err := expected.Check(view); err != nil {
			return view, err
		}
		return view, change(tx, in, &view, &secrets)
	})
	return changed, s.servicesChanged(ctx, err)
}

// writePing writes the event that a webhook's settings have changed.
func (s *Service) writePing(tx store.Tx, service domain.NotificationService) error {
	if service.Provider != domain.WebhookService || !service.Enabled {
		return nil
	}
	now, err := tx.Now()
	if err != nil {
		return err
	}
	return writeEvent(tx, service, serviceEvent{Event: domain.EventPing}, nil, now)
}
