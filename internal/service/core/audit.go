package core

import (
	"reflect"

	"github.com/go-json-experiment/json"

	"penstock/internal/authz"
	"penstock/internal/domain"
	"penstock/internal/store"
)

// Record stores the event of a change, in the transaction that makes the change. Before and after are what is worth
// knowing of the subject's state, never a secret; nil for none. If they are equal, there is nothing to record.
func (c *Core) Record(tx store.Tx, by Author, event domain.AuditEventType, subject domain.AuditSubject, before,
	after any) error {
	if before != nil && reflect.DeepEqual(before, after) {
		return nil // nothing was changed
	}
	data, err := json.Marshal(auditData{before, after})
	if err != nil {
		return err
	}
	now := c.Clock()
	return tx.InsertAuditEvent(domain.AuditEvent{
		ID:             domain.NewIDAt[domain.AuditEventID](now), // by which they are listed, found by time, and pruned
		OrganizationID: by.Organization,
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

// Author is who makes a change, where, and how.
type Author struct {
	Organization domain.OrganizationID
	actor        domain.AuditActor
	context      domain.AuditContext
}

// AuthorOf returns the author of a change that an identity makes in its organization.
func AuthorOf(actor authz.Actor, id *authz.Identity) Author {
	a := Author{
		Organization: id.Organization.ID,
		actor:        domain.AuditActor{Type: domain.UserActor, ID: string(id.User.ID), Name: id.User.Name},
		context:      domain.AuditContext{Surface: string(actor.Surface), UserAgent: domain.CutUserAgent(actor.UserAgent)},
	}
	switch actor.Credential.Kind {
	case authz.APIToken:
		a.context.TokenID = id.Token.ID
	case authz.Session:
		a.context.SessionCreatedAt = id.Token.CreatedAt
	case authz.PortalToken:
		if id.User.ID == "" {
			a.actor = domain.AuditActor{Type: domain.PortalAuditActor, ID: string(id.Portal.ID), Name: id.Portal.Name}
		}
	}
	if actor.Address.IsValid() {
		a.context.Address = actor.Address.String()
	}
	return a
}

// AgentAuthor returns the author of what an agent does for a job that it runs.
func AgentAuthor(actor authz.Actor, organization domain.OrganizationID, agent domain.Agent) Author {
	a := Author{
		Organization: organization,
		actor:        domain.AuditActor{Type: domain.AgentAuditActor, ID: string(agent.ID), Name: agent.Name},
		context:      domain.AuditContext{Surface: string(actor.Surface), UserAgent: domain.CutUserAgent(actor.UserAgent)},
	}
	if actor.Address.IsValid() {
		a.context.Address = actor.Address.String()
	}
	return a
}

// OperatorIn returns the author of a change that an operator makes in an organization.
func OperatorIn(organization domain.OrganizationID) Author {
	return Author{
		Organization: organization,
		actor:        domain.AuditActor{Type: domain.OperatorActor, Name: "Operator"},
		context:      domain.AuditContext{Surface: string(authz.Operator)},
	}
}
