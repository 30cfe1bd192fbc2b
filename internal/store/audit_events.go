package store

import (
	"slices"
	"strconv"
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

// AuditPosition is a place in the list of events.
type AuditPosition struct {
	OccurredAt time.Time
	ID         domain.AuditEventID
}

// AuditEvents returns up to limit events that the filter chooses, the newest first: those that come after a position, or
// the last that come before it. A nil position is the list's beginning, or its end.
func (tx Tx) AuditEvents(organization domain.OrganizationID, filter domain.AuditFilter, at *AuditPosition, before bool, limit int64) ([]domain.AuditEvent, error) {
	where, args := []string{"organization_id = $1"}, []any{organization}
	add := func(condition string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", "$"+strconv.Itoa(len(args)), 1)
		}
		where = append(where, condition)
	}
	if filter.Type != "" {
		add("type = ?", filter.Type)
	}
	if filter.ActorID != "" {
		add("actor_id = ?", filter.ActorID)
	}
	if filter.SubjectID != "" {
		add("subject_id = ?", filter.SubjectID)
	}
	if filter.From != nil {
		add("occurred_at >= ?", db.Micros(*filter.From))
	}
	if filter.To != nil {
		add("occurred_at < ?", db.Micros(*filter.To))
	}
	order, compare := "DESC", "<"
	if before {
		order, compare = "ASC", ">"
	}
	if at != nil {
		add("(occurred_at, id) "+compare+" (?, ?)", db.Micros(at.OccurredAt), at.ID)
	}
	args = append(args, limit)
	events, err := all(tx, scanAuditEvent, `SELECT `+auditColumns+` FROM audit_events WHERE `+strings.Join(where, " AND ")+
		` ORDER BY occurred_at `+order+`, id `+order+` LIMIT $`+strconv.Itoa(len(args)), args...)
	if before {
		slices.Reverse(events)
	}
	return events, err
}

// PruneAuditEvents deletes, for each organization that keeps its events for a number of days, those that are older, at most
// limit in all, and returns how many.
func (tx Tx) PruneAuditEvents(now time.Time, limit int) (int64, error) {
	const day = int64(24 * time.Hour / time.Microsecond)
	return tx.Exec(`DELETE FROM audit_events WHERE id IN (SELECT e.id FROM audit_events e JOIN organizations o ON o.id = e.organization_id
		WHERE o.audit_retention_days > 0 AND e.occurred_at < $1 - o.audit_retention_days * $2 LIMIT $3)`, db.Micros(now), day, limit)
}
