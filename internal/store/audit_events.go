package store

import (
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"penstock/internal/db"
	"penstock/internal/domain"
)

const auditColumns = `id, organization_id, occurred_at, type, actor_type, actor_id, actor_name, subject_type, subject_id, subject_name, context, data`

func scanAuditEvent(r *db.Row) domain.AuditEvent {
	e := domain.AuditEvent{
		ID:             domain.AuditEventID(r.Text()),
		OrganizationID: domain.OrganizationID(r.Text()),
		OccurredAt:     r.Time(),
		Type:           domain.AuditEventType(r.Text()),
		Actor:          domain.AuditActor{Type: domain.AuditActorType(r.Text()), ID: r.Text(), Name: r.Text()},
		Subject:        domain.AuditSubject{Type: domain.AuditSubjectType(r.Text()), ID: r.Text(), Name: r.Text()},
	}
	_ = json.Unmarshal([]byte(r.Text()), &e.Context) // it is what InsertAuditEvent wrote
	e.Data = r.Text()
	return e
}

// InsertAuditEvent stores an event. Events are never changed.
func (tx Tx) InsertAuditEvent(e domain.AuditEvent) error {
	context, err := json.Marshal(e.Context)
	if err != nil {
		return err
	}
	return tx.Later(`INSERT INTO audit_events (`+auditColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		e.ID, e.OrganizationID, db.Micros(e.OccurredAt), e.Type, e.Actor.Type, e.Actor.ID, e.Actor.Name,
		e.Subject.Type, e.Subject.ID, e.Subject.Name, string(context), e.Data)
}

// AuditEvent returns one event of an organization.
func (tx Tx) AuditEvent(organization domain.OrganizationID, id domain.AuditEventID) (domain.AuditEvent, bool, error) {
	return one(tx, scanAuditEvent, `SELECT `+auditColumns+` FROM audit_events WHERE organization_id = $1 AND id = $2`, organization, id)
}

// AuditEvents returns up to n events that the filter chooses, the newest first: those that come after the event at, or the
// last that come before it. "" is the list's beginning, or its end.
func (tx Tx) AuditEvents(organization domain.OrganizationID, filter domain.AuditFilter, at domain.AuditEventID, before bool, n int64) ([]domain.AuditEvent, error) {
	var a arguments
	sql := auditEvents(&a, organization, filter, at, before, n)
	events, err := all(tx, scanAuditEvent, sql, a.values...)
	if before {
		slices.Reverse(events)
	}
	return events, err
}

// auditEvents writes the statement of AuditEvents. An event's id begins with its time.
func auditEvents(a *arguments, organization domain.OrganizationID, filter domain.AuditFilter, at domain.AuditEventID, before bool, n int64) string {
	where := []string{`organization_id = ` + a.add(organization)}
	if filter.Type != "" {
		where = append(where, `type = `+a.add(filter.Type))
	}
	if filter.ActorID != "" {
		where = append(where, `actor_id = `+a.add(filter.ActorID))
	}
	if filter.SubjectID != "" {
		where = append(where, `subject_id = `+a.add(filter.SubjectID))
	}
	if filter.From != nil {
		where = append(where, `id >= `+a.add(domain.FirstIDAt[domain.AuditEventID](*filter.From)))
	}
	if filter.To != nil {
		where = append(where, `id < `+a.add(domain.FirstIDAt[domain.AuditEventID](*filter.To)))
	}
	order, compare := `DESC`, `id < `
	if before {
		order, compare = `ASC`, `id > `
	}
	if at != "" {
		where = append(where, compare+a.add(at))
	}
	return `SELECT ` + auditColumns + ` FROM audit_events WHERE ` + strings.Join(where, ` AND `) + ` ORDER BY id ` + order + limit(n)
}

// PruneAuditEvents deletes, for each organization that keeps its events for a number of days, those that are older, at most
// limit in all, and returns how many.
func (tx Tx) PruneAuditEvents(now time.Time, limit int64) (deleted int64, err error) {
	retentions, err := all(tx, (*db.Row).Int, `SELECT DISTINCT audit_retention_days FROM organizations WHERE audit_retention_days > 0`)
	if err != nil {
		return 0, err
	}
	for _, days := range retentions {
		n, err := tx.Exec(pruneAuditEvents, days, domain.FirstIDAt[domain.AuditEventID](now.AddDate(0, 0, -int(days))), limit-deleted)
		deleted += n
		if err != nil || deleted >= limit {
			return deleted, err
		}
	}
	return deleted, nil
}

// SQLite keeps to the order in which tables are cross-joined.
const pruneAuditEvents = `DELETE FROM audit_events WHERE (organization_id, id) IN (SELECT e.organization_id, e.id
	FROM organizations o CROSS JOIN audit_events e WHERE o.audit_retention_days = $1 AND e.organization_id = o.id AND e.id < $2 LIMIT $3)`
