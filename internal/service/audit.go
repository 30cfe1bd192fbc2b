package service

import (
	"context"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/service/core"
	"penstock/internal/store"
)

// AuditEvents returns a part of an organization's audit events, the newest first.
//
// Returns Forbidden unless actor administers the organization, and Malformed for a cursor that the list did not give
// out.
func (s *Service) AuditEvents(ctx context.Context, actor authz.Actor, organization string, filter domain.AuditFilter,
	page domain.CursorPage) (domain.CursorPaged[domain.AuditEvent], error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization},
		func(tx store.Tx) (paged domain.CursorPaged[domain.AuditEvent], err error) {
			id, err := s.core.InOrganization(tx, actor, domain.OrganizationRef{Slug: organization}, authz.ReadAuditEvent)
			if err != nil {
				return paged, err
			}
			return readCursorPage(tx, &id, store.AuditEventsOf(filter), id.Organization.ID, page)
		})
}

// AuditEvent returns one audit event of an organization.
func (s *Service) AuditEvent(ctx context.Context, actor authz.Actor, organization, eventID string) (
	domain.AuditEvent, error) {
	return core.View(ctx, s.core, actor, domain.OrganizationRef{Slug: organization}, func(tx store.Tx) (domain.AuditEvent,
		error) {
		id, err := s.core.InOrganization(tx, actor, domain.OrganizationRef{Slug: organization}, authz.ReadAuditEvent)
		if err != nil {
			return domain.AuditEvent{}, err
		}
		event, found, err := tx.AuditEvent(id.Organization.ID, core.LookupID[domain.AuditEventID](eventID))
		if err == nil && !found {
			err = domain.Missing("audit event")
		}
		return event, err
	})
}

// PruneAuditEvents deletes the events that organizations no longer keep. Operators only.
func (s *Service) PruneAuditEvents(ctx context.Context, actor authz.Actor) (deleted int64, err error) {
	return s.core.Prune(ctx, actor, func(tx store.Tx) (int64, error) {
		return tx.PruneAuditEvents(s.core.Now(), core.PruneBatch)
	})
}
