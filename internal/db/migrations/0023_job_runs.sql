-- Tables: job_runs ready_jobs job_logs queue_waits
{{if .SQLite}}
-- SQLite drops no columns that a constraint names, so the table is made anew. What refers to it follows at the end.
ALTER TABLE jobs RENAME TO old_jobs;
DROP INDEX jobs_agent; DROP INDEX jobs_dispatch; DROP INDEX jobs_build; DROP INDEX jobs_step;
DROP INDEX jobs_organization; DROP INDEX jobs_organization_state; DROP INDEX jobs_pipeline; DROP INDEX jobs_waiting;
DROP INDEX jobs_with_agent; DROP INDEX jobs_deadline; DROP INDEX jobs_grace; DROP INDEX jobs_logs;
DROP INDEX jobs_group; DROP INDEX jobs_group_all; DROP INDEX jobs_queue; DROP INDEX jobs_queue_held;
DROP INDEX jobs_ran_on; DROP INDEX jobs_canceled_by; DROP INDEX jobs_unblocked_by; DROP INDEX jobs_unblocked;
DROP INDEX jobs_started;
CREATE TABLE jobs (
    id                   {{.Text}} PRIMARY KEY,
    organization_id      {{.Text}} NOT NULL,
    pipeline_id          {{.Text}} NOT NULL,
    build_id             {{.Text}} NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    step_id              {{.Text}} NOT NULL,
    cluster_id           {{.Text}},
    queue_key            {{.Text}}, -- that its rules name; NULL: the cluster's default queue
    kind                 {{.Text}} NOT NULL,
    command              {{.Text}} NOT NULL,
    agent_rules          {{.Text}} NOT NULL, -- a JSON list
    rules_key            {{.Text}} NOT NULL, -- the same for jobs with the same rules
    position             {{.Text}} NOT NULL, -- of its step
    upload_index         BIGINT NOT NULL, -- its place among the jobs of its upload
    matrix               {{.Text}} NOT NULL, -- a JSON object
    soft_fail            {{.Text}} NOT NULL, -- JSON
    parallel_index       BIGINT NOT NULL,
    retries_count        BIGINT NOT NULL,
    retry_source_id      {{.Text}}, -- the attempt before
    retry_type           {{.Text}},
    rule_uses            {{.Text}} NOT NULL, -- a JSON list: how many times each automatic rule was used
    retry_avoids_agent   {{.Text}}, -- the agent of the attempt before, if another one is to be preferred
    concurrency_group_id {{.Text}} REFERENCES concurrency_groups (id) ON DELETE SET NULL,
    concurrency_limit    BIGINT NOT NULL,
    concurrency_method   {{.Text}} NOT NULL,
    created_at           BIGINT NOT NULL,
    queued_at            BIGINT NOT NULL -- its place in the line: of the build, or of the job that uploaded it
) WITHOUT ROWID;
INSERT INTO jobs (id, organization_id, pipeline_id, build_id, step_id, cluster_id, queue_key, kind, command, agent_rules, rules_key, position, upload_index, matrix, soft_fail, parallel_index, retries_count, retry_source_id, retry_type, rule_uses, retry_avoids_agent, concurrency_group_id, concurrency_limit, concurrency_method, created_at, queued_at)
    SELECT id, organization_id, pipeline_id, build_id, step_id, cluster_id, queue_key, kind, command, agent_rules, rules_key, position, upload_index, matrix, soft_fail, parallel_index, retries_count, retry_source_id, retry_type, rule_uses, retry_avoids_agent, concurrency_group_id, concurrency_limit, concurrency_method, created_at, queued_at FROM old_jobs;
CREATE INDEX jobs_build ON jobs (build_id, position, upload_index, id);
CREATE INDEX jobs_step ON jobs (step_id);
CREATE INDEX jobs_organization ON jobs (organization_id, created_at, id);
CREATE INDEX jobs_pipeline ON jobs (pipeline_id, created_at, id);
CREATE INDEX jobs_group_all ON jobs (concurrency_group_id) WHERE concurrency_group_id IS NOT NULL;
{{end}}
-- What changes while a job waits and runs moves out of its row: an update then writes a narrow row, most of them in place.
CREATE TABLE job_runs (
    job_id               {{.Text}} PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    -- As in the job's row, for the indexes below.
    organization_id      {{.Text}} NOT NULL,
    build_id             {{.Text}} NOT NULL,
    concurrency_group_id {{.Text}},
    created_at           BIGINT NOT NULL,
    queued_at            BIGINT NOT NULL,
    -- What changes.
    label                {{.Text}} NOT NULL,
    parallel_total       BIGINT NOT NULL, -- 0: it is the only one
    queue_id             {{.Text}} REFERENCES cluster_queues (id) ON DELETE SET NULL,
    state                {{.Text}} NOT NULL,
    list_state           {{.Text}} NOT NULL, -- the state that lists find it by: 'with_agent' for all states in which an agent has it
    outcome              {{.Text}} NOT NULL,
    priority             BIGINT NOT NULL,
    agent_id             {{.Text}},
    token_hash           {{.Text}},
    token_until          BIGINT, -- NULL: while the job is with its agent
    exit_status          BIGINT,
    signal               {{.Text}},
    signal_reason        {{.Text}},
    promised_exit_status BIGINT,
    promised_at          BIGINT,
    promise_counts       BOOLEAN NOT NULL, -- the build is failing for it
    soft_failed          BOOLEAN NOT NULL,
    broken_reason        {{.Text}},
    timeout              BIGINT, -- minutes
    deadline             BIGINT, -- when it has run for too long
    cancel_grace_until   BIGINT, -- when its token ends, if it was canceled by force
    scheduled_at         BIGINT,
    runnable_at          BIGINT,
    assigned_at          BIGINT,
    accepted_at          BIGINT,
    started_at           BIGINT,
    finished_at          BIGINT,
    canceled_at          BIGINT,
    canceled_by          {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    expired_at           BIGINT,
    retried_by_id        {{.Text}}, -- the attempt after
    unblocked_at         BIGINT,
    unblocked_by         {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    triggered_build_id   {{.Text}},
    upload_env           {{.Text}} NOT NULL, -- that of the build when an agent accepted the job
    chunks_failed_count  BIGINT NOT NULL,
    acquired             BOOLEAN NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{else}}WITH (fillfactor = 70){{end}};
INSERT INTO job_runs (job_id, organization_id, build_id, concurrency_group_id, created_at, queued_at, label, parallel_total, queue_id, state, list_state, outcome, priority,
        agent_id, token_hash, token_until, exit_status, signal, signal_reason, promised_exit_status, promised_at, promise_counts, soft_failed, broken_reason, timeout,
        deadline, cancel_grace_until, scheduled_at, runnable_at, assigned_at, accepted_at, started_at, finished_at, canceled_at, canceled_by, expired_at, retried_by_id,
        unblocked_at, unblocked_by, triggered_build_id, upload_env, chunks_failed_count, acquired)
    SELECT j.id, j.organization_id, j.build_id, j.concurrency_group_id, j.created_at, j.queued_at, j.label, j.parallel_total, j.queue_id, j.state,
        CASE WHEN j.state IN ('assigned', 'accepted', 'running', 'canceling', 'timing_out') THEN 'with_agent' ELSE j.state END, j.outcome, j.priority,
        j.agent_id, j.token_hash, j.token_until, j.exit_status, j.signal, j.signal_reason,
        j.promised_exit_status, j.promised_at, j.promise_counts, j.soft_failed, j.broken_reason, j.timeout,
        j.deadline, j.cancel_grace_until, j.scheduled_at, j.runnable_at, j.assigned_at, j.accepted_at, j.started_at, j.finished_at, j.canceled_at, j.canceled_by, j.expired_at, j.retried_by_id,
        j.unblocked_at, j.unblocked_by, j.triggered_build_id, j.upload_env, j.chunks_failed_count, j.acquired FROM {{if .SQLite}}old_{{end}}jobs j;
CREATE UNIQUE INDEX job_runs_token ON job_runs (token_hash) WHERE token_hash IS NOT NULL;
CREATE INDEX job_runs_agent ON job_runs (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX job_runs_listed ON job_runs (organization_id, list_state, created_at, job_id);
CREATE INDEX job_runs_queue ON job_runs (queue_id, list_state);
CREATE INDEX job_runs_waiting ON job_runs (list_state, created_at) WHERE list_state IN ('scheduled', 'limited', 'limiting', 'reserved');
CREATE INDEX job_runs_deadline ON job_runs (deadline) WHERE deadline IS NOT NULL;
CREATE INDEX job_runs_grace ON job_runs (cancel_grace_until) WHERE cancel_grace_until IS NOT NULL;
CREATE INDEX job_runs_group ON job_runs (concurrency_group_id, queued_at) WHERE concurrency_group_id IS NOT NULL
    AND list_state IN ('waiting', 'limiting', 'limited', 'scheduled', 'reserved', 'with_agent');
CREATE INDEX job_runs_unblocked ON job_runs (build_id, unblocked_at) WHERE unblocked_by IS NOT NULL;
CREATE INDEX job_runs_canceled_by ON job_runs (canceled_by) WHERE canceled_by IS NOT NULL;
CREATE INDEX job_runs_unblocked_by ON job_runs (unblocked_by) WHERE unblocked_by IS NOT NULL;

-- The jobs that wait for an agent, in the order in which they are assigned.
CREATE TABLE ready_jobs (
    queue_id     {{.Text}} NOT NULL REFERENCES cluster_queues (id) ON DELETE CASCADE,
    rules_key    {{.Text}} NOT NULL, -- the same for jobs with the same rules
    place        BIGINT NOT NULL, -- the priority, with the other sign
    scheduled_at BIGINT NOT NULL,
    upload_index BIGINT NOT NULL,
    job_id       {{.Text}} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    agent_rules  {{.Text}} NOT NULL, -- a JSON list
    runnable_at  BIGINT,
    avoids_agent {{.Text}}, -- the agent of the attempt before, if another one is to be preferred
    PRIMARY KEY (queue_id, rules_key, place, scheduled_at, upload_index, job_id)
) {{if .SQLite}}WITHOUT ROWID{{else}}WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500){{end}};
CREATE UNIQUE INDEX ready_jobs_job ON ready_jobs (job_id);
INSERT INTO ready_jobs (queue_id, rules_key, place, scheduled_at, upload_index, job_id, agent_rules, runnable_at, avoids_agent)
    SELECT j.queue_id, j.rules_key, -j.priority, COALESCE(j.scheduled_at, j.created_at), j.upload_index, j.id, j.agent_rules, j.runnable_at, j.retry_avoids_agent
    FROM {{if .SQLite}}old_{{end}}jobs j WHERE j.state = 'scheduled' AND j.queue_id IS NOT NULL;

-- The job that an agent has. An agent has one at a time.
ALTER TABLE agents ADD COLUMN job_id {{.Text}};
UPDATE agents SET job_id = (SELECT j.id FROM {{if .SQLite}}old_{{end}}jobs j WHERE j.agent_id = agents.id AND j.state IN ('assigned', 'accepted', 'running', 'canceling', 'timing_out'))
    WHERE state IN ('never_connected', 'connected', 'stopping');

-- How long jobs had waited that started a short while ago.
CREATE TABLE queue_waits (
    started_at BIGINT NOT NULL,
    job_id     {{.Text}} NOT NULL,
    queue_id   {{.Text}} NOT NULL,
    wait       BIGINT NOT NULL, -- microseconds
    PRIMARY KEY (started_at, job_id)
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- The logs of jobs that have one.
CREATE TABLE job_logs (
    job_id       {{.Text}} PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    size         BIGINT NOT NULL, -- of the object; while it is in chunks, what is counted for them
    place        {{.Text}} NOT NULL, -- '': in chunks; sealed: none is added; rows: they stay; packed: one object, with chunks yet to be deleted; then one object alone, or deleted
    header_times {{.Text}} NOT NULL -- a JSON object
) {{if .SQLite}}WITHOUT ROWID{{else}}WITH (fillfactor = 70){{end}};
INSERT INTO job_logs (job_id, size, place, header_times)
    SELECT j.id, j.log_size, j.log_place, j.header_times FROM {{if .SQLite}}old_{{end}}jobs j
    WHERE j.log_size > 0 OR length(j.header_times) > 2 OR j.log_place = 'deleted' OR EXISTS (SELECT 1 FROM job_log_chunks l WHERE l.job_id = j.id);
CREATE INDEX job_logs_open ON job_logs (job_id) WHERE place IN ('', 'sealed', 'packed');

{{if .Postgres}}
DROP INDEX jobs_agent; DROP INDEX jobs_dispatch; DROP INDEX jobs_organization_state; DROP INDEX jobs_waiting; DROP INDEX jobs_with_agent;
DROP INDEX jobs_deadline; DROP INDEX jobs_grace; DROP INDEX jobs_logs; DROP INDEX jobs_group; DROP INDEX jobs_queue; DROP INDEX jobs_queue_held;
DROP INDEX jobs_ran_on; DROP INDEX jobs_canceled_by; DROP INDEX jobs_unblocked_by; DROP INDEX jobs_unblocked; DROP INDEX jobs_started;
ALTER TABLE jobs DROP COLUMN label, DROP COLUMN parallel_total, DROP COLUMN queue_id, DROP COLUMN state, DROP COLUMN outcome, DROP COLUMN priority, DROP COLUMN agent_id,
    DROP COLUMN token_hash, DROP COLUMN token_until, DROP COLUMN exit_status, DROP COLUMN signal, DROP COLUMN signal_reason, DROP COLUMN promised_exit_status,
    DROP COLUMN promised_at, DROP COLUMN promise_counts, DROP COLUMN soft_failed, DROP COLUMN broken_reason, DROP COLUMN timeout, DROP COLUMN deadline,
    DROP COLUMN cancel_grace_until, DROP COLUMN scheduled_at, DROP COLUMN runnable_at, DROP COLUMN assigned_at, DROP COLUMN accepted_at, DROP COLUMN started_at,
    DROP COLUMN finished_at, DROP COLUMN canceled_at, DROP COLUMN canceled_by, DROP COLUMN expired_at, DROP COLUMN retried_by_id, DROP COLUMN unblocked_at,
    DROP COLUMN unblocked_by, DROP COLUMN triggered_build_id, DROP COLUMN upload_env, DROP COLUMN header_times, DROP COLUMN log_size, DROP COLUMN log_place,
    DROP COLUMN chunks_failed_count, DROP COLUMN acquired;
{{end}}
{{if .SQLite}}
CREATE TABLE new_job_events (
    id       {{.Text}} PRIMARY KEY,
    job_id   {{.Text}} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    type     {{.Text}} NOT NULL,
    at       BIGINT NOT NULL,
    agent_id {{.Text}},
    user_id  {{.Text}}
) WITHOUT ROWID;
INSERT INTO new_job_events SELECT * FROM job_events;
DROP TABLE job_events;
ALTER TABLE new_job_events RENAME TO job_events;
CREATE INDEX job_events_job ON job_events (job_id, id);
CREATE TABLE new_job_log_chunks (
    job_id      {{.Text}} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    sequence    BIGINT NOT NULL,
    byte_offset BIGINT NOT NULL,
    size        BIGINT NOT NULL,
    content     {{.Bytes}} NOT NULL, -- compressed
    PRIMARY KEY (job_id, sequence)
);
INSERT INTO new_job_log_chunks SELECT * FROM job_log_chunks;
DROP TABLE job_log_chunks;
ALTER TABLE new_job_log_chunks RENAME TO job_log_chunks;
CREATE INDEX job_log_chunks_offset ON job_log_chunks (job_id, byte_offset, sequence, size);
CREATE TABLE new_artifact_uploads (
    id           {{.Text}} NOT NULL,
    job_id       {{.Text}} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    created_at   BIGINT NOT NULL,
    artifact_ids {{.Text}} NOT NULL, -- a JSON list
    PRIMARY KEY (job_id, id)
) WITHOUT ROWID;
INSERT INTO new_artifact_uploads SELECT * FROM artifact_uploads;
DROP TABLE artifact_uploads;
ALTER TABLE new_artifact_uploads RENAME TO artifact_uploads;
CREATE TABLE new_artifacts (
    id                 {{.Text}} PRIMARY KEY,
    organization_id    {{.Text}} NOT NULL,
    build_id           {{.Text}} NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    job_id             {{.Text}} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    upload_id          {{.Text}} NOT NULL,
    path               {{.Text}} NOT NULL,
    path_key           {{.Text}} NOT NULL, -- the path is sorted and found by it
    absolute_path      {{.Text}} NOT NULL,
    glob_path          {{.Text}} NOT NULL,
    file_size          BIGINT NOT NULL,
    sha1sum            {{.Text}} NOT NULL,
    sha256sum          {{.Text}} NOT NULL,
    content_type       {{.Text}} NOT NULL,
    upload_destination {{.Text}} NOT NULL, -- '': the server itself
    url                {{.Text}} NOT NULL, -- where it is, if not here
    multipart_id       {{.Text}}, -- of its upload in parts; NULL: it is uploaded whole
    is_stored          BOOLEAN NOT NULL, -- all of it has arrived
    state              {{.Text}} NOT NULL,
    created_at         BIGINT NOT NULL,
    finished_at        BIGINT,
    expires_at         BIGINT
) WITHOUT ROWID;
INSERT INTO new_artifacts SELECT * FROM artifacts;
DROP TABLE artifacts;
ALTER TABLE new_artifacts RENAME TO artifacts;
CREATE INDEX artifacts_job ON artifacts (job_id, path_key, id);
CREATE INDEX artifacts_build ON artifacts (build_id, path_key, id);
CREATE INDEX artifacts_new ON artifacts (created_at) WHERE state = 'new';
CREATE INDEX artifacts_expiry ON artifacts (expires_at) WHERE state = 'finished' AND expires_at IS NOT NULL;
DROP TABLE old_jobs;
{{end}}
