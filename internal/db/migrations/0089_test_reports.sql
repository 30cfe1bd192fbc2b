-- Tables: test_reports
-- What files of jobs say about tests, which are read once.
CREATE TABLE test_reports (
    id              {{.Text}} PRIMARY KEY, -- that of the artifact
    organization_id {{.Text}} NOT NULL,
    build_id        {{.Text}} NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    job_id          {{.Text}} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    path            {{.Text}} NOT NULL,
    state           {{.Text}} NOT NULL, -- waiting, read or unreadable
    reason          {{.Text}} NOT NULL, -- why it cannot be read
    tests           BIGINT NOT NULL,
    failed          BIGINT NOT NULL,
    skipped         BIGINT NOT NULL,
    took            BIGINT NOT NULL, -- nanoseconds
    cases           {{.Text}} NOT NULL, -- a JSON list of the most important tests
    created_at      BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX test_reports_build ON test_reports (build_id, failed, id);
CREATE INDEX test_reports_job ON test_reports (job_id);
CREATE INDEX test_reports_waiting ON test_reports (id) WHERE state = 'waiting';
