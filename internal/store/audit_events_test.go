package store

import (
	"strings"
	"testing"
	"time"

	"penstock/internal/domain"
)

// TestAuditEventsAreFoundInAnIndex asks SQLite how it would read: what is asked of a log takes no longer because the log is long.
func TestAuditEventsAreFoundInAnIndex(t *testing.T) {
	t.Parallel()
	d := migrated(t)
	expect := func(name, key, sql string, a arguments) {
		t.Helper()
		plan := explained(t, d, sql, a)
		if !strings.Contains(plan, "(organization_id=? AND "+key) || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN audit_events") {
			t.Errorf("%s:\n%s\n%s", name, plan, sql)
		}
	}
	from, to := time.UnixMilli(1), time.UnixMilli(2)
	for key, filters := range map[string]struct {
		rest  domain.AuditFilter
		graph domain.AuditListFilter
	}{
		"id<?)":          {},
		"id>? AND id<?)": {domain.AuditFilter{From: &from, To: &to}, domain.AuditListFilter{From: &from, To: &to}},
		"type=? AND id<?)": {domain.AuditFilter{Type: domain.TeamCreated},
			domain.AuditListFilter{Types: []domain.AuditEventType{domain.TeamCreated}}},
		"actor_id=? AND id<?)":   {domain.AuditFilter{ActorID: "x"}, domain.AuditListFilter{Actors: []string{"x"}}},
		"subject_id=? AND id<?)": {domain.AuditFilter{SubjectID: "x"}, domain.AuditListFilter{Subjects: []string{"x"}}},
	} {
		var a arguments
		expect("REST", key, auditEvents(&a, "x", filters.rest, "x", false, 10), a)
		for _, by := range []Sight{{User: "x"}, {Portal: "x"}} {
			var a arguments
			below := func(a *arguments) string { return `organization_id = ` + a.add("x") }
			expect("GraphQL", key, AuditEventsOf(filters.graph).part(&a, by, auditColumns, ``, below, Part{After: []any{"x"}, Limit: 10}), a)
		}
	}
	for _, by := range []Sight{{User: "x"}, {Portal: "x"}} {
		var a arguments
		expect("by id", "id=?)", `SELECT data FROM audit_events`+AuditEventRows.where(&a, by, func(a *arguments) string {
			return in(a, `id`, []domain.AuditEventID{"x", "y"})
		}), a)
	}
	expect("pruned", "id<?)", pruneAuditEvents, arguments{[]any{30, "x", 1000}})
	expect("pruned", "id=?)", pruneAuditEvents, arguments{[]any{30, "x", 1000}})
}
