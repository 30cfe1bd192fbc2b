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
		if !strings.Contains(plan, "(organization_id=? AND "+key) || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN e") {
			t.Errorf("%s:\n%s\n%s", name, plan, sql)
		}
	}
	from, to := time.UnixMilli(1), time.UnixMilli(2)
	for key, filter := range map[string]domain.AuditFilter{
		"id<?)":                  {},
		"id>? AND id<?)":         {From: &from, To: &to},
		"type=? AND id<?)":       {Types: []domain.AuditEventType{domain.TeamCreated}},
		"actor_id=? AND id<?)":   {Actors: []string{"x"}},
		"subject_id=? AND id<?)": {Subjects: []string{"x"}},
	} {
		for _, viewer := range []Viewer{anyUser, anyPortal} {
			var a arguments
			expect("a list", key, AuditEventsOf(filter).rangeSQL(&a, viewer, "x", Range{After: Position{"x"}, Limit: 10}), a)
		}
	}
	for _, viewer := range []Viewer{anyUser, anyPortal} {
		var a arguments
		expect("by id", "id=?)", AuditEventRows.findSQL(&a, viewer, []string{"x", "y"}), a)
	}
	expect("pruned", "id<?)", pruneAuditEvents, arguments{[]any{30, "x", 1000}})
	expect("pruned", "id=?)", pruneAuditEvents, arguments{[]any{30, "x", 1000}})
}
