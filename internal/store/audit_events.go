package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var (
	auditEvents = tableOf("audit_events", "e", func(c *columns, e *domain.AuditEvent) {
		mapText(c, "id", &e.ID)
		mapText(c, "organization_id", &e.OrganizationID)
		mapTime(c, "occurred_at", &e.OccurredAt)
		mapText(c, "type", &e.Type)
		mapText(c, "actor_type", &e.Actor.Type)
		mapText(c, "actor_id", &e.Actor.ID)
		mapText(c, "actor_name", &e.Actor.Name)
		mapText(c, "subject_type", &e.Subject.Type)
		mapText(c, "subject_id", &e.Subject.ID)
		mapText(c, "subject_name", &e.Subject.Name)
		mapJSON(c, "context", &e.Context)
		mapText(c, "data", &e.Data)
	})

	// AuditEventRows are the audit events of organizations, for those who administer them.
	AuditEventRows = Rows[*domain.AuditEvent]{
		items: pointersTo(auditEvents.selection), tables: `audit_events e`,
		id:      textKey(`e.id`, func(e *domain.AuditEvent) string { return string(e.ID) }),
		visible: func(v Viewer) clause { return v.administers(`e.organization_id`) },

		organization: `e.organization_id`, perParent: true,
	}
)

// AuditEventsOf lists the audit events of organizations, the newest first: an event's id begins with its time.
func AuditEventsOf(filter domain.AuditFilter) List[*domain.AuditEvent] {
	l := newList(AuditEventRows, "audit events", `e.organization_id`, `organizations`, filter)
	l.sortBy()
	l.descending = true
	whereOneOf(&l, `e.type`, filter.Types)
	whereOneOf(&l, `e.actor_type`, filter.ActorTypes)
	whereOneOf(&l, `e.actor_id`, filter.Actors)
	whereOneOf(&l, `e.subject_type`, filter.SubjectTypes)
	whereOneOf(&l, `e.subject_id`, filter.Subjects)
	whereIf(&l, filter.From, func(from time.Time) clause {
		return clauseOf(`e.id >= ?`, domain.FirstIDAt[domain.AuditEventID](from))
	})
	whereIf(&l, filter.To, func(to time.Time) clause {
		return clauseOf(`e.id < ?`, domain.FirstIDAt[domain.AuditEventID](to))
	})
	return l
}

// InsertAuditEvent stores an event. Events are never changed.
func (tx Tx) InsertAuditEvent(e domain.AuditEvent) error { return auditEvents.insert(tx.Later, e) }

// AuditEvent returns one event of an organization.
func (tx Tx) AuditEvent(organization domain.OrganizationID, id domain.AuditEventID) (domain.AuditEvent, bool, error) {
	return selectOne(tx, auditEvents.read, `SELECT `+auditEvents.columns+
		` FROM audit_events e WHERE e.organization_id = $1 AND e.id = $2`, organization, id)
}

// PruneAuditEvents deletes, for each organization that keeps its events for a number of days, those that are older, at
// most limit in all, and returns how many.
func (tx Tx) PruneAuditEvents(now time.Time, limit int64) (deleted int64, err error) {
	retentions, err := all(tx, (*db.Row).Int,
		`SELECT DISTINCT audit_retention_days FROM organizations WHERE audit_retention_days > 0`)
	if err != nil {
		return 0, err
	}
	for _, days := range retentions {
		n, err := tx.Exec(pruneAuditEvents, days, domain.FirstIDAt[domain.AuditEventID](now.AddDate(0, 0, -int(days))),
			limit-deleted)
		deleted += n
		if err != nil || deleted >= limit {
			return deleted, err
		}
	}
	return deleted, nil
}

// SQLite follows the order in which tables are cross-joined.
const pruneAuditEvents = `DELETE FROM audit_events WHERE (organization_id, id) IN (SELECT e.organization_id, e.id
	FROM organizations o CROSS JOIN audit_events e WHERE o.audit_retention_days = $1 AND e.organization_id = o.id
	AND e.id < $2 LIMIT $3)`
