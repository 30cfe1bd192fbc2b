-- Tables: stacks
-- Programs that start agents for jobs of a queue.
CREATE TABLE stacks (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    cluster_id      {{.Text}} NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    queue_id        {{.Text}} NOT NULL REFERENCES cluster_queues (id) ON DELETE CASCADE,
    key             {{.Text}} NOT NULL,
    type            {{.Text}} NOT NULL,
    metadata        {{.Text}} NOT NULL, -- a JSON object
    created_at      BIGINT NOT NULL,
    connected_at    BIGINT NOT NULL, -- when it was heard last
    disconnected_at BIGINT, -- when it said that it ends
    UNIQUE (organization_id, key)
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX stacks_queue ON stacks (queue_id, key);
CREATE INDEX stacks_cluster ON stacks (cluster_id);

-- The stack that has reserved a job, and until when.
ALTER TABLE job_runs ADD COLUMN reserved_by {{.Text}};
ALTER TABLE job_runs ADD COLUMN reserved_until BIGINT;
CREATE INDEX job_runs_reserved ON job_runs (reserved_until) WHERE reserved_until IS NOT NULL;

-- Stacks read the jobs of a queue that wait for an agent, the oldest first.
CREATE INDEX ready_jobs_oldest ON ready_jobs (queue_id, scheduled_at, job_id);

-- What a stack says of a job.
ALTER TABLE job_events ADD COLUMN detail {{.Text}};
