package store_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/domain"
	"penstock/internal/store"
	"penstock/internal/testkit"
)

// TestFilteredBuildsAreFoundByTheirIndex proves that the builds of a branch, or of a creator, are read and counted by the index that has them in
// the list's order, though statistics were taken when all builds had the same: any index that begins with the parent looks as good then.
func TestFilteredBuildsAreFoundByTheirIndex(t *testing.T) {
	t.Parallel()
	testkit.EachServer(t, func(t *testing.T, s *testkit.Server) {
		organization, pipeline := addSameBuilds(t, s, 3_000)
		creator := domain.UserID("nobody")
		branch := domain.BuildFilter{Branches: []string{"none"}}
		for index, l := range map[string]struct {
			list   store.List[*domain.BuildView]
			parent string
		}{
			"builds_organization_branch branch":      {store.BuildsOfOrganizations(branch, true), organization},
			"builds_organization_creator creator_id": {store.BuildsOfOrganizations(domain.BuildFilter{Creator: &creator}, true), organization},
			"builds_branch branch":                   {store.BuildsOfPipelines(branch), pipeline},
		} {
			for _, sql := range store.StatementsOf(l.list, l.parent) {
				wantIndex(t, s.DB, sql, index)
			}
		}
	})
}

// addSameBuilds stores builds that differ in their numbers alone, and takes statistics.
func addSameBuilds(t *testing.T, s *testkit.Server, n int) (organization, pipeline string) {
	t.Helper()
	pipeline = "same"
	testkit.Change(t, s.DB, `INSERT INTO pipelines (id, organization_id, slug, name, name_key, repository, created_at)
		SELECT $1, id, $1, $1, $1, 'r', 0 FROM organizations WHERE slug = $2`, pipeline, testkit.Organization)
	err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
		_, err := tx.One(`SELECT organization_id FROM pipelines WHERE id = $1`, func(r *db.Row) { organization = r.Text() }, pipeline)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	testkit.AddBuilds(t, s.DB, pipeline, 1, n+1, "main", testkit.AdminID)
	if s.DB.Engine() == "postgres" {
		testkit.Exec(t, s.DB, `ANALYZE`)
	}
	return organization, pipeline
}

// wantIndex checks that a statement reads builds by the index alone, and compares the column in it. PostgreSQL plans it for any values.
func wantIndex(t *testing.T, d *db.DB, sql, want string) {
	t.Helper()
	index, column, _ := strings.Cut(want, " ")
	steps := explainForAny(t, d, sql)
	plan := strings.Join(steps, "\n")
	found := 0
	for i, step := range steps {
		used := regexp.MustCompile(`(?:Scan(?: Backward)? using|USING(?: COVERING)? INDEX) (builds_\w+)`).FindStringSubmatch(step)
		if used == nil || used[1] == "builds_pkey" {
			continue
		}
		found++
		compared := step
		if d.Engine() == "postgres" {
			compared = steps[min(i+1, len(steps)-1)]
		}
		if used[1] != index || !regexp.MustCompile(`\b`+column+` ?[=<>]`).MatchString(compared) {
			t.Errorf("%s instead of %s\n%s\n%s", used[1], want, sql, plan)
		}
	}
	if found == 0 {
		t.Errorf("no index of builds is used\n%s\n%s", sql, plan)
	}
}

// explainForAny returns the steps by which an engine runs a statement with any arguments.
func explainForAny(t *testing.T, d *db.DB, sql string) (steps []string) {
	t.Helper()
	parameters := 1
	for strings.Contains(sql, fmt.Sprintf(`$%d`, parameters+1)) {
		parameters++
	}
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		steps = nil
		explain, args := `EXPLAIN QUERY PLAN `+sql, make([]any, parameters)
		for i := range args {
			args[i] = "1"
		}
		if d.Engine() == "postgres" {
			if _, err := tx.Exec(`PREPARE explained AS ` + sql); err != nil {
				return err
			}
			explain, args = fmt.Sprintf(`EXPLAIN EXECUTE explained (%s'1')`, strings.Repeat(`'1', `, parameters-1)), nil
		}
		err := tx.Query(explain, func(r *db.Row) error {
			if d.Engine() == "sqlite" {
				r.Skip(3)
			}
			steps = append(steps, r.Text())
			return nil
		}, args...)
		if d.Engine() == "postgres" && err == nil {
			_, err = tx.Exec(`DEALLOCATE explained`)
		}
		return err
	})
	if err != nil {
		t.Errorf("%v in %s", err, sql)
	}
	return steps
}
