-- Tables: queue_samples
-- How things went in queues, an interval a row. What was counted is added up: samples says how many times.
CREATE TABLE queue_samples (
    queue_id    {{.Text}} NOT NULL REFERENCES cluster_queues (id) ON DELETE CASCADE,
    began_at    BIGINT NOT NULL,
    samples     BIGINT NOT NULL,
    waiting     BIGINT NOT NULL, -- jobs
    running     BIGINT NOT NULL, -- jobs, and so agents that are busy
    idle        BIGINT NOT NULL, -- agents
    started     BIGINT NOT NULL DEFAULT 0, -- jobs
    median_wait BIGINT, -- microseconds that those had waited; NULL: none started
    long_wait   BIGINT, -- which 95 of 100 of them had not exceeded
    PRIMARY KEY (queue_id, began_at)
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX queue_samples_began ON queue_samples (began_at);
CREATE INDEX jobs_started ON jobs (started_at) WHERE started_at IS NOT NULL;
