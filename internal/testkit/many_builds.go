package testkit

import (
	"fmt"
	"testing"

	"penstock/internal/db"
)

// AddBuilds stores builds of a pipeline that have passed, with the numbers from and up to another, of a branch and by a
// user; none, if that is "". They have no steps.
func AddBuilds(t testing.TB, d *db.DB, pipeline string, from, to int, branch, creator string) {
	t.Helper()
	Change(t, d, fmt.Sprintf(`INSERT INTO builds (id, organization_id, pipeline_id, cluster_id, number, source,
			message, commit_sha, branch, tag, env, author_name, author_email, creator_id, clean_checkout, ignore_branches,
			pull_request, trigger_depth, created_at, state, blocked_state, is_created, is_skipped, is_canceled, scheduled_at, started_at, finished_at,
			upload_env, uploads, jobs_made, jobs_count, jobs_moving, jobs_held, jobs_waiting, jobs_started, jobs_hard_failed,
			jobs_not_run)
		WITH RECURSIVE numbers (n) AS (SELECT CAST(%d AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < %d)
		SELECT 'build-' || p.id || '-' || CAST(n AS TEXT), p.organization_id, p.id, p.cluster_id, n, 'api', 'Many', 'HEAD',
			$1, '', '{}', '', '', NULLIF(CAST($2 AS TEXT), ''), FALSE, FALSE, 'null', 0, n, 'passed', '', TRUE, FALSE, FALSE,
			n, n, n, '{}', 0, 0, 0, 0, 0, 0, 0, 0, 0
		FROM pipelines p, numbers WHERE p.id = $3`, from, to), branch, creator, pipeline)
}
