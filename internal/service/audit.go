package service

import (
	"context"
	"reflect"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// record stores the event of a change, in the transaction that makes the change. Before and after are what is worth
// knowing of the subject's state, never a secret; nil for none. If they are equal, there is nothing to record.
func (s *Service) record(tx store.Tx, by author, event domain.AuditEventType, subject domain.AuditSubject, before, after any) error {
	if before != nil && reflect.DeepEqual(before, after) {
		return nil // nothing was changed
	}
	data, err := json.Marshal(auditData{before, after})
	if err != nil {
		return err
	}
	now := s.clock()
	return tx.InsertAuditEvent(domain.AuditEvent{
		ID:             domain.NewIDAt[domain.AuditEventID](now), // by which they are listed, found by time, and pruned
		OrganizationID: by.organization,
		OccurredAt:     now,
		Type:           event,
		Actor:          by.actor,
		Subject:        subject,
		Context:        by.context,
		Data:           string(data),
	})
}

type auditData struct {
	Before any `json:"before,omitzero"`
	After  any `json:"after,omitzero"`
}

// author is who makes a change, where, and how.
type author struct {
	organization domain.OrganizationID
	actor        domain.AuditActor
	context      domain.AuditContext
}

// by returns the author of a change that an identity makes in its organization.
func by(actor authz.Actor, id *authz.Identity) author {
	a := author{
		organization: id.Organization.ID,
		actor:        domain.AuditActor{Type: domain.UserActor, ID: string(id.User.ID), Name: id.User.Name},
		context:      domain.AuditContext{Surface: string(actor.Surface), UserAgent: actor.UserAgent},
	}
	switch actor.Credential.Kind {
	case authz.APIToken:
		a.context.TokenID = id.Token.ID
	case authz.Session:
		a.context.SessionCreatedAt = id.Token.CreatedAt
	case authz.PortalToken:
		a.actor = domain.AuditActor{Type: domain.PortalAuditActor, ID: string(id.Portal.ID), Name: id.Portal.Name}
	}
	if actor.Address.IsValid() {
		a.context.Address = actor.Address.String()
	}
	return a
}

// byOperator returns the author of a change that an operator makes in an organization.
func byOperator(organization domain.OrganizationID) author {
	return author{
		organization: organization,
		actor:        domain.AuditActor{Type: domain.OperatorActor, Name: "Operator"},
		context:      domain.AuditContext{Surface: string(authz.Operator)},
	}
}

// AuditEvents returns a part of an organization's audit events, the newest first.
//
// Returns Forbidden unless actor administers the organization, and Malformed for a cursor that the list did not give out.
func (s *Service) AuditEvents(ctx context.Context, actor authz.Actor, organization string, filter domain.AuditFilter,
	page domain.CursorPage) (domain.CursorPaged[domain.AuditEvent], error) {
	return view(ctx, s, func(tx store.Tx) (paged domain.CursorPaged[domain.AuditEvent], err error) {
		id, err := s.inOrganization(tx, actor, organization, authz.ReadAuditEvent)
		if err != nil {
			return paged, err
		}
		return auditEventsOf(tx, id.Organization.ID, filter).page(page)
	})
}

// auditEventsOf is the list of an organization's events that the filter chooses, the newest first.
func auditEventsOf(tx store.Tx, organization domain.OrganizationID, filter domain.AuditFilter) keyset[domain.AuditEvent] {
	return keyset[domain.AuditEvent]{
		name: "audit events of " + string(organization) + " " + filter.String(),
		find: func(position string, before bool, limit int64) ([]domain.AuditEvent, error) {
			return tx.AuditEvents(organization, filter, domain.AuditEventID(position), before, limit)
		},
		position: func(e domain.AuditEvent) string { return string(e.ID) },
	}
}

// AuditEvent returns one audit event of an organization.
func (s *Service) AuditEvent(ctx context.Context, actor authz.Actor, organization, eventID string) (domain.AuditEvent, error) {
	return view(ctx, s, func(tx store.Tx) (domain.AuditEvent, error) {
		id, err := s.inOrganization(tx, actor, organization, authz.ReadAuditEvent)
		if err != nil {
			return domain.AuditEvent{}, err
		}
		event, found, err := tx.AuditEvent(id.Organization.ID, lookupID[domain.AuditEventID](eventID))
		if err == nil && !found {
			err = domain.Missing("audit event")
		}
		return event, err
	})
}

// PruneAuditEvents deletes the events that organizations no longer keep. Operators only.
func (s *Service) PruneAuditEvents(ctx context.Context, actor authz.Actor) (deleted int64, err error) {
	return s.prune(ctx, actor, func(tx store.Tx) (int64, error) { return tx.PruneAuditEvents(s.now(), pruneBatch) })
}
