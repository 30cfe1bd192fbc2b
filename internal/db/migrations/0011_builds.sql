-- Tables: agents agent_heartbeats builds build_steps step_dependencies concurrency_groups jobs job_events job_log_chunks step_uploads build_meta_data annotations artifacts artifact_uploads build_tasks
-- Agents that have registered. Those that are gone stay, since jobs name them.
CREATE TABLE agents (
    id                   {{.Text}} PRIMARY KEY,
    organization_id      {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    cluster_id           {{.Text}} NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    queue_id             {{.Text}} REFERENCES cluster_queues (id) ON DELETE SET NULL,
    token_id             {{.Text}} REFERENCES cluster_agent_tokens (id) ON DELETE SET NULL,
    name                 {{.Text}} NOT NULL,
    hostname             {{.Text}} NOT NULL,
    os                   {{.Text}} NOT NULL,
    arch                 {{.Text}} NOT NULL,
    version              {{.Text}} NOT NULL,
    build                {{.Text}} NOT NULL,
    pid                  BIGINT NOT NULL,
    machine_id           {{.Text}} NOT NULL,
    user_agent           {{.Text}} NOT NULL,
    ip_address           {{.Text}} NOT NULL,
    priority             BIGINT, -- NULL is the least
    meta_data            {{.Text}} NOT NULL, -- a JSON list of tags, such as queue=default
    features             {{.Text}} NOT NULL, -- a JSON list
    script_eval_enabled  BOOLEAN NOT NULL,
    ignore_in_dispatches BOOLEAN NOT NULL,
    session_hash         {{.Text}} UNIQUE, -- NULL once it has disconnected
    state                {{.Text}} NOT NULL,
    created_at           BIGINT NOT NULL,
    connected_at         BIGINT,
    disconnected_at      BIGINT,
    lost_at              BIGINT,
    stopped_at           BIGINT,
    stopped_by           {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    force_stop           BOOLEAN NOT NULL,
    paused_at            BIGINT,
    paused_by            {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    paused_note          {{.Text}},
    paused_timeout       BIGINT, -- minutes
    last_job_finished_at BIGINT,
    last_passed_at       BIGINT, -- when a job passed on it
    offered_job_id       {{.Text}}, -- the job that it was offered last
    offers               BIGINT NOT NULL -- how many times running
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX agents_organization ON agents (organization_id, created_at, id, state) WHERE state IN ('connected', 'stopping');
CREATE INDEX agents_cluster ON agents (cluster_id);
CREATE INDEX agents_queue ON agents (queue_id, state);
CREATE INDEX agents_token ON agents (token_id);
CREATE INDEX agents_alive ON agents (state) WHERE state IN ('never_connected', 'connected', 'stopping');
CREATE INDEX agents_stopped_by ON agents (stopped_by) WHERE stopped_by IS NOT NULL;
CREATE INDEX agents_paused_by ON agents (paused_by) WHERE paused_by IS NOT NULL;

-- When an agent was heard last. It changes all the time, so it is not in the agent's own row.
CREATE TABLE agent_heartbeats (
    agent_id {{.Text}} PRIMARY KEY,
    seen_at  BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};

CREATE TABLE builds (
    id                  {{.Text}} PRIMARY KEY,
    organization_id     {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    pipeline_id         {{.Text}} NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    cluster_id          {{.Text}} REFERENCES clusters (id) ON DELETE SET NULL, -- the pipeline's when the build was made
    number              BIGINT NOT NULL,
    source              {{.Text}} NOT NULL,
    message             {{.Text}} NOT NULL,
    commit_sha          {{.Text}} NOT NULL,
    branch              {{.Text}} NOT NULL,
    tag                 {{.Text}} NOT NULL,
    env                 {{.Text}} NOT NULL, -- a JSON object
    author_name         {{.Text}} NOT NULL,
    author_email        {{.Text}} NOT NULL,
    creator_id          {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    clean_checkout      BOOLEAN NOT NULL,
    ignore_branches     BOOLEAN NOT NULL, -- the pipeline's branch filter does not count
    pull_request        {{.Text}} NOT NULL, -- JSON; 'null': none
    rebuilt_from_id     {{.Text}},
    triggered_from_id   {{.Text}}, -- the job that created it
    trigger_depth       BIGINT NOT NULL,
    created_at          BIGINT NOT NULL,
    state               {{.Text}} NOT NULL,
    blocked_state       {{.Text}} NOT NULL,
    is_created          BOOLEAN NOT NULL,
    is_skipped          BOOLEAN NOT NULL,
    is_canceled         BOOLEAN NOT NULL,
    canceled_by         {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    cancel_reason       {{.Text}},
    scheduled_at        BIGINT,
    started_at          BIGINT,
    failing_at          BIGINT,
    finished_at         BIGINT,
    upload_env          {{.Text}} NOT NULL, -- a JSON object: what uploads set at their top
    uploads             BIGINT NOT NULL,
    jobs_made           BIGINT NOT NULL, -- retries among them
    -- How many newest attempts at its jobs are in which states. Its state follows from them.
    jobs_count          BIGINT NOT NULL,
    jobs_moving         BIGINT NOT NULL,
    jobs_held           BIGINT NOT NULL,
    jobs_waiting        BIGINT NOT NULL,
    jobs_started        BIGINT NOT NULL,
    jobs_hard_failed    BIGINT NOT NULL,
    jobs_not_run        BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX builds_number ON builds (pipeline_id, number);
CREATE INDEX builds_organization ON builds (organization_id, created_at, id);
CREATE INDEX builds_branch ON builds (pipeline_id, branch, number);
CREATE INDEX builds_state ON builds (pipeline_id, state, number);
CREATE INDEX builds_open ON builds (organization_id, state, created_at) WHERE finished_at IS NULL;
CREATE INDEX builds_open_branch ON builds (pipeline_id, branch, number) WHERE finished_at IS NULL;
CREATE INDEX builds_commit ON builds (organization_id, commit_sha);
CREATE INDEX builds_creator ON builds (creator_id, created_at) WHERE creator_id IS NOT NULL;
CREATE INDEX builds_cluster ON builds (cluster_id);
CREATE INDEX builds_canceled_by ON builds (canceled_by) WHERE canceled_by IS NOT NULL;
CREATE INDEX builds_triggered_from ON builds (triggered_from_id) WHERE triggered_from_id IS NOT NULL;

-- The steps of a build, with figures of their jobs, so that nobody has to look at all of them.
CREATE TABLE build_steps (
    id                {{.Text}} PRIMARY KEY,
    build_id          {{.Text}} NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    parent_id         {{.Text}}, -- the group that it is in, or the step whose job uploaded it
    group_id          {{.Text}},
    kind              {{.Text}} NOT NULL,
    step_key          {{.Text}},
    label             {{.Text}} NOT NULL,
    position          {{.Text}} NOT NULL, -- orders the steps of a build
    source            {{.Text}} NOT NULL, -- the step as it was uploaded
    definition        {{.Text}} NOT NULL, -- what was read of it: JSON
    upload_id         {{.Text}}, -- that it came with; NULL: it is the pipeline's own
    notify            {{.Text}} NOT NULL, -- a JSON list
    updates           {{.Text}} NOT NULL, -- a JSON list: the ids of the latest changes that jobs made to it
    open_jobs         BIGINT NOT NULL,
    failed_jobs       BIGINT NOT NULL,
    canceled_jobs     BIGINT NOT NULL,
    open_children     BIGINT NOT NULL,
    failed_children   BIGINT NOT NULL,
    canceled_children BIGINT NOT NULL,
    open_edges        BIGINT NOT NULL,
    held_edges        BIGINT NOT NULL,
    failed_edges      BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX build_steps_key ON build_steps (build_id, step_key) WHERE step_key IS NOT NULL;
CREATE INDEX build_steps_build ON build_steps (build_id, position);

-- A step waits for another one, or for one with a key that no step has yet.
CREATE TABLE step_dependencies (
    id            {{.Text}} PRIMARY KEY,
    build_id      {{.Text}} NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    step_id       {{.Text}} NOT NULL,
    on_step_id    {{.Text}},
    on_key        {{.Text}},
    own_only      BOOLEAN NOT NULL,
    allow_failure BOOLEAN NOT NULL,
    state         {{.Text}} NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX step_dependencies_on ON step_dependencies (on_step_id) WHERE on_step_id IS NOT NULL;
CREATE INDEX step_dependencies_step ON step_dependencies (step_id);
CREATE INDEX step_dependencies_key ON step_dependencies (build_id, on_key) WHERE on_step_id IS NULL;
CREATE INDEX step_dependencies_build ON step_dependencies (build_id);

CREATE TABLE concurrency_groups (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name            {{.Text}} NOT NULL,
    UNIQUE (organization_id, name)
) {{if .SQLite}}WITHOUT ROWID{{end}};

CREATE TABLE jobs (
    id                   {{.Text}} PRIMARY KEY,
    organization_id      {{.Text}} NOT NULL,
    pipeline_id          {{.Text}} NOT NULL,
    build_id             {{.Text}} NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    step_id              {{.Text}} NOT NULL,
    cluster_id           {{.Text}},
    queue_id             {{.Text}} REFERENCES cluster_queues (id) ON DELETE SET NULL,
    queue_key            {{.Text}}, -- that its rules name; NULL: the cluster's default queue
    kind                 {{.Text}} NOT NULL,
    label                {{.Text}} NOT NULL,
    command              {{.Text}} NOT NULL,
    agent_rules          {{.Text}} NOT NULL, -- a JSON list
    rules_key            {{.Text}} NOT NULL, -- the same for jobs with the same rules
    position             {{.Text}} NOT NULL, -- of its step
    upload_index         BIGINT NOT NULL, -- its place among the jobs of its upload
    matrix               {{.Text}} NOT NULL, -- a JSON object
    soft_fail            {{.Text}} NOT NULL, -- JSON
    parallel_index       BIGINT NOT NULL,
    parallel_total       BIGINT NOT NULL, -- 0: it is the only one
    retries_count        BIGINT NOT NULL,
    retry_source_id      {{.Text}}, -- the attempt before
    retry_type           {{.Text}},
    rule_uses            {{.Text}} NOT NULL, -- a JSON list: how many times each automatic rule was used
    retry_avoids_agent   {{.Text}}, -- the agent of the attempt before, if another one is to be preferred
    concurrency_group_id {{.Text}} REFERENCES concurrency_groups (id) ON DELETE SET NULL,
    concurrency_limit    BIGINT NOT NULL,
    concurrency_method   {{.Text}} NOT NULL,
    created_at           BIGINT NOT NULL,
    queued_at            BIGINT NOT NULL, -- its place in the line: of the build, or of the job that uploaded it
    state                {{.Text}} NOT NULL,
    outcome              {{.Text}} NOT NULL,
    priority             BIGINT NOT NULL,
    agent_id             {{.Text}} REFERENCES agents (id) ON DELETE SET NULL,
    token_hash           {{.Text}} UNIQUE,
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
    upload_env           {{.Text}} NOT NULL, -- that of the build when an agent took the job
    header_times         {{.Text}} NOT NULL, -- a JSON object
    log_size             BIGINT NOT NULL, -- of the object; while it is in chunks, what is counted for them
    log_place            {{.Text}} NOT NULL, -- '': in chunks; sealed: none is added; packed: one object, with chunks yet to be deleted; then one object alone, or deleted
    chunks_failed_count  BIGINT NOT NULL,
    acquired             BOOLEAN NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX jobs_agent ON jobs (agent_id) WHERE state IN ('assigned', 'accepted', 'running', 'canceling', 'timing_out');
CREATE INDEX jobs_dispatch ON jobs (queue_id, rules_key, priority DESC, scheduled_at, upload_index, id) WHERE state = 'scheduled';
CREATE INDEX jobs_build ON jobs (build_id, position, upload_index, id);
CREATE INDEX jobs_step ON jobs (step_id);
CREATE INDEX jobs_organization ON jobs (organization_id, created_at, id);
CREATE INDEX jobs_organization_state ON jobs (organization_id, state, created_at, id);
CREATE INDEX jobs_pipeline ON jobs (pipeline_id, created_at, id);
CREATE INDEX jobs_waiting ON jobs (state, created_at) WHERE state IN ('scheduled', 'limited', 'limiting', 'reserved');
CREATE INDEX jobs_with_agent ON jobs (state, assigned_at) WHERE state IN ('assigned', 'accepted');
CREATE INDEX jobs_deadline ON jobs (deadline) WHERE state = 'running' AND deadline IS NOT NULL;
CREATE INDEX jobs_grace ON jobs (cancel_grace_until) WHERE cancel_grace_until IS NOT NULL;
CREATE INDEX jobs_logs ON jobs (finished_at, id) WHERE finished_at IS NOT NULL AND started_at IS NOT NULL AND log_place IN ('', 'sealed', 'packed') AND kind = 'command';
CREATE INDEX jobs_group ON jobs (concurrency_group_id, queued_at) WHERE concurrency_group_id IS NOT NULL
    AND state IN ('waiting', 'limiting', 'limited', 'scheduled', 'reserved', 'assigned', 'accepted', 'running', 'canceling', 'timing_out');
CREATE INDEX jobs_group_all ON jobs (concurrency_group_id) WHERE concurrency_group_id IS NOT NULL;
CREATE INDEX jobs_queue ON jobs (queue_id);
CREATE INDEX jobs_queue_held ON jobs (queue_id, state) WHERE state IN ('waiting', 'blocked', 'limiting', 'limited', 'reserved');
CREATE INDEX jobs_ran_on ON jobs (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX jobs_canceled_by ON jobs (canceled_by) WHERE canceled_by IS NOT NULL;
CREATE INDEX jobs_unblocked_by ON jobs (unblocked_by) WHERE unblocked_by IS NOT NULL;
CREATE INDEX jobs_unblocked ON jobs (build_id, unblocked_at) WHERE unblocked_by IS NOT NULL;

CREATE TABLE job_events (
    id       {{.Text}} PRIMARY KEY,
    job_id   {{.Text}} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    type     {{.Text}} NOT NULL,
    at       BIGINT NOT NULL,
    agent_id {{.Text}},
    user_id  {{.Text}}
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX job_events_job ON job_events (job_id, id);

-- The log of a job until it is packed into one object.
CREATE TABLE job_log_chunks (
    job_id      {{.Text}} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    sequence    BIGINT NOT NULL,
    byte_offset BIGINT NOT NULL,
    size        BIGINT NOT NULL,
    content     {{.Bytes}} NOT NULL, -- compressed
    PRIMARY KEY (job_id, sequence)
);
CREATE INDEX job_log_chunks_offset ON job_log_chunks (job_id, byte_offset, sequence, size);

CREATE TABLE step_uploads (
    id         {{.Text}} PRIMARY KEY, -- that the agent chose
    build_id   {{.Text}} NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    job_id     {{.Text}} NOT NULL,
    created_at BIGINT NOT NULL,
    is_applied BOOLEAN NOT NULL,
    replaces   BOOLEAN NOT NULL,
    message    {{.Text}} NOT NULL, -- why it was refused
    document   {{.Text}} NOT NULL -- as it came
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX step_uploads_build ON step_uploads (build_id, created_at, id);

CREATE TABLE build_meta_data (
    build_id {{.Text}} NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    key      {{.Text}} NOT NULL,
    value    {{.Text}} NOT NULL,
    PRIMARY KEY (build_id, key)
) {{if .SQLite}}WITHOUT ROWID{{end}};

CREATE TABLE annotations (
    id         {{.Text}} PRIMARY KEY,
    build_id   {{.Text}} NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    job_id     {{.Text}}, -- that made it
    scope      {{.Text}} NOT NULL, -- 'build' or 'job'
    scope_id   {{.Text}} NOT NULL, -- the build or the job that it is shown with
    context    {{.Text}} NOT NULL,
    style      {{.Text}} NOT NULL,
    priority   BIGINT NOT NULL,
    body       {{.Text}} NOT NULL, -- Markdown
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (scope_id, context)
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX annotations_build ON annotations (build_id, created_at, id);

-- What an agent asked to upload at once, under the id that it chose.
CREATE TABLE artifact_uploads (
    id           {{.Text}} NOT NULL,
    job_id       {{.Text}} NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    created_at   BIGINT NOT NULL,
    artifact_ids {{.Text}} NOT NULL, -- a JSON list
    PRIMARY KEY (job_id, id)
) {{if .SQLite}}WITHOUT ROWID{{end}};

CREATE TABLE artifacts (
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
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX artifacts_job ON artifacts (job_id, path_key, id);
CREATE INDEX artifacts_build ON artifacts (build_id, path_key, id);
CREATE INDEX artifacts_new ON artifacts (created_at) WHERE state = 'new';
CREATE INDEX artifacts_expiry ON artifacts (expires_at) WHERE state = 'finished' AND expires_at IS NOT NULL;

-- What follows from a change and is done in a transaction of its own: triggered builds, and what becomes of the jobs that wait for them.
CREATE TABLE build_tasks (
    id         {{.Text}} PRIMARY KEY,
    kind       {{.Text}} NOT NULL,
    build_id   {{.Text}} NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    job_id     {{.Text}},
    due_at     BIGINT NOT NULL,
    attempts   BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX build_tasks_due ON build_tasks (due_at, id);
CREATE INDEX build_tasks_build ON build_tasks (build_id);
