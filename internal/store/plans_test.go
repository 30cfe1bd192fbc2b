package store

import (
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
)

// migrated returns an empty SQLite database.
func migrated(t *testing.T) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), db.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// explained returns how SQLite would run a statement.
func explained(t *testing.T, d *db.DB, sql string, a arguments) string {
	t.Helper()
	var steps []string
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		return tx.Query(`EXPLAIN QUERY PLAN `+sql, func(r *db.Row) error {
			r.Skip(3)
			steps = append(steps, r.Text())
			return nil
		}, a.values...)
	})
	if err != nil {
		t.Errorf("%v in %s", err, sql)
	}
	return strings.Join(steps, "\n")
}

// TestRequestsReadByIndex proves that what a request depends on is found by indexes, however its organization and its thing are named.
func TestRequestsReadByIndex(t *testing.T) {
	t.Parallel()
	d := migrated(t)
	check := func(texts map[domain.ThingKind]string) {
		for kind, text := range texts {
			a := arguments{values: []any{"hash", "organization"}}
			if strings.Contains(text, "$3") {
				a.values = append(a.values, "thing")
			}
			if plan := explained(t, d, text, a); strings.Contains(plan, "SCAN") {
				t.Errorf("organization of %q: %s\n%s", kind, text, plan)
			}
		}
	}
	for kind := range credentials {
		check(selectIdentity.perKind[kind].sql())
		for of, r := range selectInCluster {
			check(r.perKind[kind].sql())
			check(map[domain.ThingKind]string{of: r.rest()})
		}
		for of, r := range selectInTeam {
			check(r.perKind[kind].sql())
			check(map[domain.ThingKind]string{of: r.rest()})
		}
		check(selectInPipelineByID.perKind[kind].sql())
		check(map[domain.ThingKind]string{domain.PipelineThing: selectInPipelineByID.rest()})
	}
}
