package store_test

import (
	"regexp"
	"strings"
	"testing"

	"penstock/internal/db"
	"penstock/internal/store"
	"penstock/internal/testkit"
)

// smallIndexes have only what is not over: jobs that wait or are with an agent, and agents that are connected. To read all of one is no harm.
var smallIndexes = regexp.MustCompile(`\b(job_runs_held|job_runs_group|job_runs_deadline|job_runs_grace|ready_jobs_pkey|ready_jobs_job|ready_jobs_oldest|agents_alive|job_logs_open)\b`)

var (
	largeTable = regexp.MustCompile(`(?i)\b(jobs|[a-z]*j|job_runs|[a-z]*jr|builds|b|rb|tb|agents|a|cache_entries|ce|cache_entry_prefixes|cp)\b`)
	// scans begin the line of a step that reads a whole table or index.
	sqliteScan   = regexp.MustCompile(`^SCAN (\S+)`)
	postgresScan = regexp.MustCompile(`(Seq|Index Only|Index|Bitmap Heap) Scan .*\bon (jobs|job_runs|builds|agents|cache_entries|cache_entry_prefixes)\b`)
)

// TestBuildsAreFoundByIndex proves that what agents and the loops of builds ask all the time does not read all jobs, builds or agents that there
// ever were.
func TestBuildsAreFoundByIndex(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		for name, sql := range store.BuildStatements {
			plan := explain(t, d, sql)
			for i, step := range plan {
				if readsAll(d.Engine(), step, plan[i+1:]) && !smallIndexes.MatchString(step) {
					t.Errorf("%s: %s\n%s\n%s", name, step, sql, strings.Join(plan, "\n"))
				}
			}
		}
	})
}

// TestActivityOfPipelinesIsCountedInRunningBuilds proves that a pipeline's counts do not read its builds that are over or blocked.
func TestActivityOfPipelinesIsCountedInRunningBuilds(t *testing.T) {
	t.Parallel()
	testkit.EachEngine(t, func(t *testing.T, d *db.DB) {
		plan := strings.Join(explain(t, d, store.ActivityStatement), "\n")
		for index, times := range map[string]int{"builds_state": 2, "jobs_build": 1, "job_runs_listed": 0} {
			if n := strings.Count(plan, index); n < times || times == 0 && n > 0 {
				t.Errorf("%s is used %d times, not %d:\n%s", index, n, times, plan)
			}
		}
	})
}

// readsAll reports whether a step of a plan reads all of a large table. What comes below it tells by which condition it does not.
func readsAll(engine, step string, below []string) bool {
	if engine == "sqlite" {
		found := sqliteScan.FindStringSubmatch(step)
		return found != nil && largeTable.FindString(found[1]) == found[1]
	}
	found := postgresScan.FindStringSubmatch(step)
	if found == nil {
		return false
	}
	if found[1] == "Seq" {
		return true
	}
	return found[1] != "Bitmap Heap" && (len(below) == 0 || !strings.Contains(below[0], "Index Cond:"))
}

// explain returns the steps by which an engine runs a statement. PostgreSQL reads whole tables only where it has to.
func explain(t *testing.T, d *db.DB, sql string) (steps []string) {
	t.Helper()
	sql = regexp.MustCompile(`\$[0-9]+`).ReplaceAllString(sql, `'1'`) // is a text or a number, as it is needed
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		steps = nil
		prefix := `EXPLAIN QUERY PLAN `
		if d.Engine() == "postgres" {
			prefix = `EXPLAIN `
			if _, err := tx.Exec(`SET LOCAL enable_seqscan = off`); err != nil {
				return err
			}
		}
		return tx.Query(prefix+sql, func(r *db.Row) error {
			if d.Engine() == "sqlite" {
				r.Skip(3)
			}
			steps = append(steps, r.Text())
			return nil
		})
	})
	if err != nil {
		t.Errorf("%v in %s", err, sql)
	}
	return steps
}
