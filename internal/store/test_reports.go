package store

import (
	"time"

	"penstock/internal/db"
	"penstock/internal/domain"
)

var testReportRows = tableOf("test_reports", "tr", func(c *columns, r *domain.TestReport) {
	mapText(c, "id", &r.ID)
	mapText(c, "organization_id", &r.OrganizationID)
	mapText(c, "build_id", &r.BuildID)
	mapText(c, "job_id", &r.JobID)
	mapText(c, "path", &r.Path)
	mapTime(c, "created_at", &r.CreatedAt)
	c.changing()
	mapText(c, "state", &r.State)
	mapText(c, "reason", &r.Reason)
	mapInt(c, "tests", &r.Tests)
	mapInt(c, "failed", &r.Failed)
	mapInt(c, "skipped", &r.Skipped)
	mapInt(c, "took", (*int64)(&r.Took))
	mapJSON(c, "cases", &r.Cases)
})

// InsertTestReport stores a report, unless it is there already.
func (tx Tx) InsertTestReport(r domain.TestReport) error {
	_, found, err := tx.TestReport(r.ID)
	if err != nil || found {
		return err
	}
	return testReportRows.insert(tx.exec, r)
}

// UpdateTestReport stores what came of reading a report.
func (tx Tx) UpdateTestReport(r domain.TestReport) error { return testReportRows.update(tx.exec, r) }

// TestReport returns a report.
func (tx Tx) TestReport(id domain.ArtifactID) (domain.TestReport, bool, error) {
	return selectOne(tx, testReportRows.read, `SELECT `+testReportRows.columns+` FROM test_reports tr WHERE tr.id = $1`,
		id)
}

// WaitingTestReports returns reports that are to be read.
func (tx Tx) WaitingTestReports(now time.Time, limit int) ([]domain.TestReport, error) {
	return selectAll(tx, testReportRows.read, `SELECT `+testReportRows.columns+
		` FROM test_reports tr WHERE tr.state = 'waiting'`+
		ifDue(ReadTestReports, "tr.id", "$2")+` ORDER BY tr.id LIMIT $1`, limit, db.Micros(now))
}

// CountTestReports returns how many reports a job has.
func (tx Tx) CountTestReports(job domain.JobID) (int64, error) {
	count, _, err := one(tx, (*db.Row).Int, `SELECT count(*) FROM test_reports WHERE job_id = $1`, job)
	return count, err
}

// TestReportsOf returns reports of a build, those with the most failures first, and what all of them come to.
func (tx Tx) TestReportsOf(build domain.BuildID,
	limit int) (found []domain.TestReport, all domain.TestStats, err error) {
	found, err = selectAll(tx, testReportRows.read, `SELECT `+testReportRows.columns+
		` FROM test_reports tr WHERE tr.build_id = $1 ORDER BY tr.failed DESC, tr.id LIMIT $2`, build, limit)
	if err != nil || len(found) == 0 {
		return found, all, err
	}
	all, _, err = one(tx, func(r *db.Row) domain.TestStats {
		return domain.TestStats{Reports: r.Int(), Tests: r.Int(), Failed: r.Int(), Skipped: r.Int()}
	}, `SELECT count(*), CAST(COALESCE(sum(tests), 0) AS BIGINT), CAST(COALESCE(sum(failed), 0) AS BIGINT),
		CAST(COALESCE(sum(skipped), 0) AS BIGINT)
		FROM test_reports WHERE build_id = $1`, build)
	return found, all, err
}
