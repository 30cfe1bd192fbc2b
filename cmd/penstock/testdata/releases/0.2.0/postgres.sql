CREATE TABLE public.activity_days (
    organization_id text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.agent_heartbeats (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    seen_at bigint NOT NULL,
    node_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.agents (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    cluster_id text NOT NULL COLLATE pg_catalog."C",
    queue_id text COLLATE pg_catalog."C",
    token_id text COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    hostname text NOT NULL COLLATE pg_catalog."C",
    os text NOT NULL COLLATE pg_catalog."C",
    arch text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL COLLATE pg_catalog."C",
    build text NOT NULL COLLATE pg_catalog."C",
    pid bigint NOT NULL,
    machine_id text NOT NULL COLLATE pg_catalog."C",
    user_agent text NOT NULL COLLATE pg_catalog."C",
    ip_address text NOT NULL COLLATE pg_catalog."C",
    priority bigint,
    meta_data text NOT NULL COLLATE pg_catalog."C",
    features text NOT NULL COLLATE pg_catalog."C",
    script_eval_enabled boolean NOT NULL,
    ignore_in_dispatches boolean NOT NULL,
    session_hash text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    connected_at bigint,
    disconnected_at bigint,
    lost_at bigint,
    stopped_at bigint,
    stopped_by text COLLATE pg_catalog."C",
    force_stop boolean NOT NULL,
    paused_at bigint,
    paused_by text COLLATE pg_catalog."C",
    paused_note text COLLATE pg_catalog."C",
    paused_timeout bigint,
    last_job_finished_at bigint,
    last_passed_at bigint,
    offered_job_id text COLLATE pg_catalog."C",
    offers bigint NOT NULL,
    job_id text COLLATE pg_catalog."C",
    missed_offer boolean DEFAULT false NOT NULL,
    unclustered_token_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.annotations (
    id text NOT NULL COLLATE pg_catalog."C",
    build_id text NOT NULL COLLATE pg_catalog."C",
    job_id text COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    scope_id text NOT NULL COLLATE pg_catalog."C",
    context text NOT NULL COLLATE pg_catalog."C",
    style text NOT NULL COLLATE pg_catalog."C",
    priority bigint NOT NULL,
    body text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    body_html text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    rendered_at bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.api_token_organizations (
    token_id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.api_tokens (
    hash text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    scopes text NOT NULL COLLATE pg_catalog."C",
    allowed_ip_addresses text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    last_used_address text COLLATE pg_catalog."C"
);
CREATE TABLE public.artifact_uploads (
    id text NOT NULL COLLATE pg_catalog."C",
    job_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    artifact_ids text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.artifacts (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    build_id text NOT NULL COLLATE pg_catalog."C",
    job_id text NOT NULL COLLATE pg_catalog."C",
    upload_id text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL COLLATE pg_catalog."C",
    path_key text NOT NULL COLLATE pg_catalog."C",
    absolute_path text NOT NULL COLLATE pg_catalog."C",
    glob_path text NOT NULL COLLATE pg_catalog."C",
    file_size bigint NOT NULL,
    sha1sum text NOT NULL COLLATE pg_catalog."C",
    sha256sum text NOT NULL COLLATE pg_catalog."C",
    content_type text NOT NULL COLLATE pg_catalog."C",
    upload_destination text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL COLLATE pg_catalog."C",
    multipart_id text COLLATE pg_catalog."C",
    is_stored boolean NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    finished_at bigint,
    expires_at bigint
);
CREATE TABLE public.audit_events (
    organization_id text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    occurred_at bigint NOT NULL,
    type text NOT NULL COLLATE pg_catalog."C",
    actor_type text NOT NULL COLLATE pg_catalog."C",
    actor_id text NOT NULL COLLATE pg_catalog."C",
    actor_name text NOT NULL COLLATE pg_catalog."C",
    subject_type text NOT NULL COLLATE pg_catalog."C",
    subject_id text NOT NULL COLLATE pg_catalog."C",
    subject_name text NOT NULL COLLATE pg_catalog."C",
    context text NOT NULL COLLATE pg_catalog."C",
    data text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.blob_deletions (
    key text NOT NULL COLLATE pg_catalog."C",
    due_at bigint NOT NULL
);
CREATE TABLE public.bootstrap_items (
    kind text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    applied_at bigint NOT NULL
);
CREATE TABLE public.build_meta_data (
    build_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.build_steps (
    id text NOT NULL COLLATE pg_catalog."C",
    build_id text NOT NULL COLLATE pg_catalog."C",
    parent_id text COLLATE pg_catalog."C",
    group_id text COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    step_key text COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    "position" text NOT NULL COLLATE pg_catalog."C",
    source text NOT NULL COLLATE pg_catalog."C",
    definition text NOT NULL COLLATE pg_catalog."C",
    upload_id text COLLATE pg_catalog."C",
    notify text NOT NULL COLLATE pg_catalog."C",
    updates text NOT NULL COLLATE pg_catalog."C",
    open_jobs bigint NOT NULL,
    failed_jobs bigint NOT NULL,
    canceled_jobs bigint NOT NULL,
    open_children bigint NOT NULL,
    failed_children bigint NOT NULL,
    canceled_children bigint NOT NULL,
    open_edges bigint NOT NULL,
    held_edges bigint NOT NULL,
    failed_edges bigint NOT NULL
);
CREATE TABLE public.build_tasks (
    id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    build_id text NOT NULL COLLATE pg_catalog."C",
    job_id text COLLATE pg_catalog."C",
    due_at bigint NOT NULL,
    attempts bigint NOT NULL
);
CREATE TABLE public.builds (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    cluster_id text COLLATE pg_catalog."C",
    number bigint NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    commit_sha text NOT NULL COLLATE pg_catalog."C",
    branch text NOT NULL COLLATE pg_catalog."C",
    tag text NOT NULL COLLATE pg_catalog."C",
    env text NOT NULL COLLATE pg_catalog."C",
    author_name text NOT NULL COLLATE pg_catalog."C",
    author_email text NOT NULL COLLATE pg_catalog."C",
    creator_id text COLLATE pg_catalog."C",
    clean_checkout boolean NOT NULL,
    ignore_branches boolean NOT NULL,
    pull_request text NOT NULL COLLATE pg_catalog."C",
    rebuilt_from_id text COLLATE pg_catalog."C",
    triggered_from_id text COLLATE pg_catalog."C",
    trigger_depth bigint NOT NULL,
    created_at bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    blocked_state text NOT NULL COLLATE pg_catalog."C",
    is_created boolean NOT NULL,
    is_skipped boolean NOT NULL,
    is_canceled boolean NOT NULL,
    canceled_by text COLLATE pg_catalog."C",
    cancel_reason text COLLATE pg_catalog."C",
    scheduled_at bigint,
    started_at bigint,
    failing_at bigint,
    finished_at bigint,
    upload_env text NOT NULL COLLATE pg_catalog."C",
    uploads bigint NOT NULL,
    jobs_made bigint NOT NULL,
    jobs_count bigint NOT NULL,
    jobs_moving bigint NOT NULL,
    jobs_held bigint NOT NULL,
    jobs_waiting bigint NOT NULL,
    jobs_started bigint NOT NULL,
    jobs_hard_failed bigint NOT NULL,
    jobs_not_run bigint NOT NULL,
    builds_triggered bigint DEFAULT 0 NOT NULL,
    origin_build_id text COLLATE pg_catalog."C",
    origin_branch text COLLATE pg_catalog."C",
    origin_tag text COLLATE pg_catalog."C",
    commit_resolved boolean DEFAULT false NOT NULL,
    publishing text DEFAULT 'null'::text NOT NULL COLLATE pg_catalog."C",
    event text DEFAULT 'null'::text NOT NULL COLLATE pg_catalog."C",
    notifications text DEFAULT 'null'::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.cache_days (
    registry_id text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C",
    hits bigint NOT NULL,
    fallbacks bigint NOT NULL,
    misses bigint NOT NULL,
    saves bigint NOT NULL,
    denials bigint NOT NULL,
    entries bigint NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.cache_decisions (
    id text NOT NULL COLLATE pg_catalog."C",
    registry_id text NOT NULL COLLATE pg_catalog."C",
    job_id text NOT NULL COLLATE pg_catalog."C",
    pipeline_slug text NOT NULL COLLATE pg_catalog."C",
    build_number bigint NOT NULL,
    branch text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C",
    target_paths text NOT NULL COLLATE pg_catalog."C",
    cache_key text NOT NULL COLLATE pg_catalog."C",
    is_allowed boolean NOT NULL,
    outcome text NOT NULL COLLATE pg_catalog."C",
    entry text NOT NULL COLLATE pg_catalog."C",
    rule text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    explanation text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
CREATE TABLE public.cache_entries (
    id text NOT NULL COLLATE pg_catalog."C",
    set_id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    scope_pipeline text NOT NULL COLLATE pg_catalog."C",
    scope_branch text NOT NULL COLLATE pg_catalog."C",
    scope_build text NOT NULL COLLATE pg_catalog."C",
    target_paths text NOT NULL COLLATE pg_catalog."C",
    cache_key text NOT NULL COLLATE pg_catalog."C",
    blobs text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    job_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    used_at bigint,
    restores bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.cache_entry_prefixes (
    hash text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    entry_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.cache_entry_sets (
    id text NOT NULL COLLATE pg_catalog."C",
    registry_id text NOT NULL COLLATE pg_catalog."C",
    entries bigint NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.cache_registries (
    id text NOT NULL COLLATE pg_catalog."C",
    cluster_id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    description text COLLATE pg_catalog."C",
    emoji text COLLATE pg_catalog."C",
    color text COLLATE pg_catalog."C",
    policy text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    cache_store text COLLATE pg_catalog."C",
    entry_set_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.cache_uploads (
    id text NOT NULL COLLATE pg_catalog."C",
    set_id text NOT NULL COLLATE pg_catalog."C",
    job_id text NOT NULL COLLATE pg_catalog."C",
    target_paths text NOT NULL COLLATE pg_catalog."C",
    cache_key text NOT NULL COLLATE pg_catalog."C",
    blobs text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    is_committed boolean NOT NULL
);
CREATE TABLE public.cluster_agent_tokens (
    id text NOT NULL COLLATE pg_catalog."C",
    cluster_id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    allowed_ip_addresses text COLLATE pg_catalog."C",
    expires_at bigint,
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C"
);
CREATE TABLE public.cluster_maintainers (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    cluster_id text NOT NULL COLLATE pg_catalog."C",
    user_id text COLLATE pg_catalog."C",
    team_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    CONSTRAINT cluster_maintainers_check CHECK (((user_id IS NULL) <> (team_id IS NULL)))
);
CREATE TABLE public.cluster_queues (
    id text NOT NULL COLLATE pg_catalog."C",
    cluster_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    description text COLLATE pg_catalog."C",
    retry_agent_affinity text NOT NULL COLLATE pg_catalog."C",
    dispatch_paused_at bigint,
    dispatch_paused_by text COLLATE pg_catalog."C",
    dispatch_paused_note text COLLATE pg_catalog."C",
    instance_shape text COLLATE pg_catalog."C",
    agent_image_ref text COLLATE pg_catalog."C",
    macos_version text COLLATE pg_catalog."C",
    xcode_version text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    CONSTRAINT cluster_queues_retry_agent_affinity_check CHECK ((retry_agent_affinity = ANY (ARRAY['prefer-warmest'::text, 'prefer-different'::text])))
);
CREATE TABLE public.cluster_secrets (
    id text NOT NULL COLLATE pg_catalog."C",
    cluster_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    description text COLLATE pg_catalog."C",
    policy text COLLATE pg_catalog."C",
    sealed_value text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    updated_by text COLLATE pg_catalog."C",
    last_read_at bigint
);
CREATE TABLE public.clusters (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    description text COLLATE pg_catalog."C",
    emoji text COLLATE pg_catalog."C",
    color text COLLATE pg_catalog."C",
    default_queue_id text COLLATE pg_catalog."C",
    default_cache_registry_id text NOT NULL COLLATE pg_catalog."C",
    hosted_git_mirror_enabled boolean NOT NULL,
    hosted_container_cache_enabled boolean NOT NULL,
    queues_count bigint NOT NULL,
    hosted_queues_count bigint NOT NULL,
    maintained boolean DEFAULT false NOT NULL,
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C"
);
CREATE TABLE public.concurrency_groups (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.connection_secrets (
    id text NOT NULL COLLATE pg_catalog."C",
    connection_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    sealed_value text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.deliveries (
    id text NOT NULL COLLATE pg_catalog."C",
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    received_at bigint NOT NULL,
    event text NOT NULL COLLATE pg_catalog."C",
    external_id text COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    build_id text COLLATE pg_catalog."C",
    headers text NOT NULL COLLATE pg_catalog."C",
    body bytea NOT NULL,
    trigger_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.former_pipeline_slugs (
    organization_id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    pipeline_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.git_mirror_syncs (
    cluster_id text NOT NULL COLLATE pg_catalog."C",
    lease text NOT NULL COLLATE pg_catalog."C",
    leased_until bigint NOT NULL,
    attempts bigint NOT NULL,
    next_attempt_at bigint NOT NULL
);
CREATE TABLE public.idempotency_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    request text NOT NULL COLLATE pg_catalog."C",
    outcome bytea NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.invitation_links (
    hash text NOT NULL COLLATE pg_catalog."C",
    invitation_id text NOT NULL COLLATE pg_catalog."C",
    mailed boolean NOT NULL
);
CREATE TABLE public.invitation_mails (
    invitation_id text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL,
    next_at bigint,
    error text COLLATE pg_catalog."C"
);
CREATE TABLE public.invitation_teams (
    id text NOT NULL COLLATE pg_catalog."C",
    invitation_id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    team_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT invitation_teams_role_check CHECK ((role = ANY (ARRAY['maintainer'::text, 'member'::text])))
);
CREATE TABLE public.invitations (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    email_key text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    sso_mode text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    expires_at bigint NOT NULL,
    accepted_at bigint,
    accepted_by text COLLATE pg_catalog."C",
    revoked_at bigint,
    revoked_by text COLLATE pg_catalog."C",
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text]))),
    CONSTRAINT invitations_sso_mode_check CHECK ((sso_mode = ANY (ARRAY['required'::text, 'optional'::text])))
);
CREATE TABLE public.job_events (
    id text NOT NULL COLLATE pg_catalog."C",
    job_id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    at bigint NOT NULL,
    agent_id text COLLATE pg_catalog."C",
    user_id text COLLATE pg_catalog."C",
    detail text COLLATE pg_catalog."C"
);
CREATE TABLE public.job_log_chunks (
    job_id text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    byte_offset bigint NOT NULL,
    size bigint NOT NULL,
    content bytea NOT NULL
);
CREATE TABLE public.job_logs (
    job_id text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    place text NOT NULL COLLATE pg_catalog."C",
    header_times text NOT NULL COLLATE pg_catalog."C"
)
WITH (fillfactor='70');
CREATE TABLE public.job_runs (
    job_id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    build_id text NOT NULL COLLATE pg_catalog."C",
    concurrency_group_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    queued_at bigint NOT NULL,
    label text NOT NULL COLLATE pg_catalog."C",
    parallel_total bigint NOT NULL,
    queue_id text COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    list_state text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    priority bigint NOT NULL,
    agent_id text COLLATE pg_catalog."C",
    token_hash text COLLATE pg_catalog."C",
    token_until bigint,
    exit_status bigint,
    signal text COLLATE pg_catalog."C",
    signal_reason text COLLATE pg_catalog."C",
    promised_exit_status bigint,
    promised_at bigint,
    promise_counts boolean NOT NULL,
    soft_failed boolean NOT NULL,
    broken_reason text COLLATE pg_catalog."C",
    timeout bigint,
    deadline bigint,
    cancel_grace_until bigint,
    scheduled_at bigint,
    runnable_at bigint,
    assigned_at bigint,
    accepted_at bigint,
    started_at bigint,
    finished_at bigint,
    canceled_at bigint,
    canceled_by text COLLATE pg_catalog."C",
    expired_at bigint,
    retried_by_id text COLLATE pg_catalog."C",
    unblocked_at bigint,
    unblocked_by text COLLATE pg_catalog."C",
    triggered_build_id text COLLATE pg_catalog."C",
    upload_env text NOT NULL COLLATE pg_catalog."C",
    chunks_failed_count bigint NOT NULL,
    acquired boolean NOT NULL,
    detail text COLLATE pg_catalog."C",
    reserved_by text COLLATE pg_catalog."C",
    reserved_until bigint
)
WITH (fillfactor='70');
CREATE TABLE public.jobs (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    build_id text NOT NULL COLLATE pg_catalog."C",
    step_id text NOT NULL COLLATE pg_catalog."C",
    cluster_id text COLLATE pg_catalog."C",
    queue_key text COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    command text NOT NULL COLLATE pg_catalog."C",
    agent_rules text NOT NULL COLLATE pg_catalog."C",
    rules_key text NOT NULL COLLATE pg_catalog."C",
    "position" text NOT NULL COLLATE pg_catalog."C",
    upload_index bigint NOT NULL,
    matrix text NOT NULL COLLATE pg_catalog."C",
    soft_fail text NOT NULL COLLATE pg_catalog."C",
    parallel_index bigint NOT NULL,
    retries_count bigint NOT NULL,
    retry_source_id text COLLATE pg_catalog."C",
    retry_type text COLLATE pg_catalog."C",
    rule_uses text NOT NULL COLLATE pg_catalog."C",
    retry_avoids_agent text COLLATE pg_catalog."C",
    concurrency_group_id text COLLATE pg_catalog."C",
    concurrency_limit bigint NOT NULL,
    concurrency_method text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    queued_at bigint NOT NULL
);
CREATE TABLE public.nodes (
    id text NOT NULL COLLATE pg_catalog."C",
    since bigint NOT NULL,
    seen_at bigint NOT NULL
);
CREATE TABLE public.notice_targets (
    id text NOT NULL COLLATE pg_catalog."C",
    due_at bigint,
    held_until bigint NOT NULL,
    failures bigint NOT NULL,
    lease text NOT NULL COLLATE pg_catalog."C",
    lease_until bigint NOT NULL
);
CREATE TABLE public.notices (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    target text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    newest_only boolean NOT NULL,
    build_id text COLLATE pg_catalog."C",
    summary text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    due_at bigint,
    tries bigint NOT NULL,
    tried_at bigint,
    answer text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.notification_services (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    provider text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    enabled boolean NOT NULL,
    scope text NOT NULL COLLATE pg_catalog."C",
    scope_ids text NOT NULL COLLATE pg_catalog."C",
    branches text NOT NULL COLLATE pg_catalog."C",
    build_states text NOT NULL COLLATE pg_catalog."C",
    settings text NOT NULL COLLATE pg_catalog."C",
    sealed_value text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    updated_at bigint NOT NULL
);
CREATE TABLE public.oidc_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    public_key text NOT NULL COLLATE pg_catalog."C",
    sealed_private_key text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    signs_from bigint NOT NULL
);
CREATE TABLE public.organization_banners (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    message text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.organization_counts (
    organization_id text NOT NULL COLLATE pg_catalog."C",
    shard bigint NOT NULL,
    clusters bigint NOT NULL,
    pipelines bigint NOT NULL,
    archived_pipelines bigint NOT NULL
);
CREATE TABLE public.organization_members (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    last_seen_on text COLLATE pg_catalog."C",
    sso_mode text DEFAULT 'optional'::text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT organization_members_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);
CREATE TABLE public.organizations (
    id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    plan text NOT NULL COLLATE pg_catalog."C",
    billing_anchor text NOT NULL COLLATE pg_catalog."C",
    billing_parent_id text COLLATE pg_catalog."C",
    cluster_writes text NOT NULL COLLATE pg_catalog."C",
    maintainers_can_destroy_cache_registries boolean NOT NULL,
    members_can_create_pipelines boolean NOT NULL,
    default_cluster_id text COLLATE pg_catalog."C",
    allowed_api_ip_addresses text NOT NULL COLLATE pg_catalog."C",
    revoke_inactive_tokens_after_days bigint NOT NULL,
    audit_retention_days bigint NOT NULL,
    restrict_user_api_token_creation boolean DEFAULT false NOT NULL,
    default_branch text COLLATE pg_catalog."C",
    default_timeout_in_minutes bigint,
    maximum_timeout_in_minutes bigint,
    scheduled_job_expiry_in_minutes bigint,
    public_pipelines_enabled_at bigint,
    public_pipelines_enabled_by text COLLATE pg_catalog."C",
    build_retention_days bigint,
    CONSTRAINT organizations_cluster_writes_check CHECK ((cluster_writes = ANY (ARRAY['members'::text, 'managers'::text]))),
    CONSTRAINT organizations_plan_check CHECK ((plan = ANY (ARRAY['monthly'::text, 'annual'::text])))
);
CREATE TABLE public.pipeline_favorites (
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.pipeline_schedules (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    cronline text NOT NULL COLLATE pg_catalog."C",
    message text COLLATE pg_catalog."C",
    commit_sha text NOT NULL COLLATE pg_catalog."C",
    branch text COLLATE pg_catalog."C",
    env text NOT NULL COLLATE pg_catalog."C",
    enabled boolean NOT NULL,
    next_build_at bigint,
    failed_message text COLLATE pg_catalog."C",
    failed_at bigint,
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    owner_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.pipeline_tags (
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    tag text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.pipeline_templates (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    description text COLLATE pg_catalog."C",
    configuration text NOT NULL COLLATE pg_catalog."C",
    steps text NOT NULL COLLATE pg_catalog."C",
    available boolean NOT NULL,
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    updated_by text COLLATE pg_catalog."C"
);
CREATE TABLE public.pipeline_triggers (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    token_hash text NOT NULL COLLATE pg_catalog."C",
    token_hint text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    enabled boolean NOT NULL,
    message text COLLATE pg_catalog."C",
    commit_sha text COLLATE pg_catalog."C",
    branch text COLLATE pg_catalog."C",
    env text NOT NULL COLLATE pg_catalog."C",
    secret_hint text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    updated_by text COLLATE pg_catalog."C"
);
CREATE TABLE public.pipeline_webhooks (
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    connection_id text NOT NULL COLLATE pg_catalog."C",
    repository text NOT NULL COLLATE pg_catalog."C",
    external_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
CREATE TABLE public.pipelines (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    repository text NOT NULL COLLATE pg_catalog."C",
    cluster_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    archived_at bigint,
    description text COLLATE pg_catalog."C",
    configuration text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    default_branch text COLLATE pg_catalog."C",
    branch_configuration text COLLATE pg_catalog."C",
    visibility text DEFAULT 'private'::text NOT NULL COLLATE pg_catalog."C",
    tags text DEFAULT '[]'::text NOT NULL COLLATE pg_catalog."C",
    emoji text COLLATE pg_catalog."C",
    color text COLLATE pg_catalog."C",
    env text DEFAULT '{}'::text NOT NULL COLLATE pg_catalog."C",
    skip_queued_branch_builds boolean DEFAULT false NOT NULL,
    skip_queued_branch_builds_filter text COLLATE pg_catalog."C",
    cancel_running_branch_builds boolean DEFAULT false NOT NULL,
    cancel_running_branch_builds_filter text COLLATE pg_catalog."C",
    default_command_step_timeout bigint,
    maximum_command_step_timeout bigint,
    allow_rebuilds boolean DEFAULT true NOT NULL,
    archived_by text COLLATE pg_catalog."C",
    next_build_number bigint DEFAULT 1 NOT NULL,
    steps text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    provider_settings text DEFAULT '{}'::text NOT NULL COLLATE pg_catalog."C",
    clone_mirror_url text COLLATE pg_catalog."C",
    badge_token text DEFAULT replace((((gen_random_uuid())::character varying)::text || ((gen_random_uuid())::character varying)::text), '-'::text, ''::text) NOT NULL COLLATE pg_catalog."C",
    webhook_token text DEFAULT replace((((gen_random_uuid())::character varying)::text || ((gen_random_uuid())::character varying)::text), '-'::text, ''::text) NOT NULL COLLATE pg_catalog."C",
    template_id text COLLATE pg_catalog."C",
    connection_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.portal_secrets (
    id text NOT NULL COLLATE pg_catalog."C",
    portal_id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C"
);
CREATE TABLE public.portal_token_codes (
    code text NOT NULL COLLATE pg_catalog."C",
    portal_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.portal_tokens (
    hash text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    portal_id text NOT NULL COLLATE pg_catalog."C",
    secret_id text COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    expires_at bigint,
    user_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.portals (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    description text COLLATE pg_catalog."C",
    query text NOT NULL COLLATE pg_catalog."C",
    allowed_ip_addresses text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    user_invokable boolean DEFAULT false NOT NULL
);
CREATE TABLE public.postponed_items (
    kind text NOT NULL COLLATE pg_catalog."C",
    item_id text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL,
    due_at bigint NOT NULL,
    failed_at bigint NOT NULL,
    last_error text NOT NULL COLLATE pg_catalog."C",
    set_aside_at bigint
);
CREATE TABLE public.pull_requests (
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    branch text NOT NULL COLLATE pg_catalog."C",
    details text NOT NULL COLLATE pg_catalog."C",
    updated_at bigint NOT NULL
);
CREATE TABLE public.queue_samples (
    queue_id text NOT NULL COLLATE pg_catalog."C",
    began_at bigint NOT NULL,
    samples bigint NOT NULL,
    waiting bigint NOT NULL,
    running bigint NOT NULL,
    idle bigint NOT NULL,
    started bigint DEFAULT 0 NOT NULL,
    median_wait bigint,
    long_wait bigint
);
CREATE TABLE public.queue_waits (
    started_at bigint NOT NULL,
    job_id text NOT NULL COLLATE pg_catalog."C",
    queue_id text NOT NULL COLLATE pg_catalog."C",
    wait bigint NOT NULL
);
CREATE TABLE public.ready_jobs (
    queue_id text NOT NULL COLLATE pg_catalog."C",
    rules_key text NOT NULL COLLATE pg_catalog."C",
    place bigint NOT NULL,
    scheduled_at bigint NOT NULL,
    upload_index bigint NOT NULL,
    job_id text NOT NULL COLLATE pg_catalog."C",
    agent_rules text NOT NULL COLLATE pg_catalog."C",
    runnable_at bigint,
    avoids_agent text COLLATE pg_catalog."C"
)
WITH (autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='500');
CREATE TABLE public.repository_connections (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL COLLATE pg_catalog."C",
    display_name text NOT NULL COLLATE pg_catalog."C",
    login text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    updated_at bigint NOT NULL,
    rate_limit text DEFAULT 'null'::text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rules (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    description text COLLATE pg_catalog."C",
    source_id text NOT NULL COLLATE pg_catalog."C",
    target_id text NOT NULL COLLATE pg_catalog."C",
    conditions text NOT NULL COLLATE pg_catalog."C",
    conditions_key text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    updated_at bigint NOT NULL
);
CREATE TABLE public.scheduled_builds (
    build_id text NOT NULL COLLATE pg_catalog."C",
    schedule_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.schema_migrations (
    version bigint NOT NULL,
    name text NOT NULL,
    applied_at bigint NOT NULL,
    made_tables text DEFAULT ''::text NOT NULL,
    checksum text DEFAULT ''::text NOT NULL
);
CREATE TABLE public.setup_links (
    hash text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
CREATE TABLE public.signing_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    secret text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.stacks (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    cluster_id text NOT NULL COLLATE pg_catalog."C",
    queue_id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    metadata text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    connected_at bigint NOT NULL,
    disconnected_at bigint
);
CREATE TABLE public.step_dependencies (
    id text NOT NULL COLLATE pg_catalog."C",
    build_id text NOT NULL COLLATE pg_catalog."C",
    step_id text NOT NULL COLLATE pg_catalog."C",
    on_step_id text COLLATE pg_catalog."C",
    on_key text COLLATE pg_catalog."C",
    own_only boolean NOT NULL,
    allow_failure boolean NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.step_uploads (
    id text NOT NULL COLLATE pg_catalog."C",
    build_id text NOT NULL COLLATE pg_catalog."C",
    job_id text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    is_applied boolean NOT NULL,
    replaces boolean NOT NULL,
    message text NOT NULL COLLATE pg_catalog."C",
    document text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.team_members (
    id text NOT NULL COLLATE pg_catalog."C",
    team_id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    CONSTRAINT team_members_role_check CHECK ((role = ANY (ARRAY['maintainer'::text, 'member'::text])))
);
CREATE TABLE public.team_pipelines (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    team_id text NOT NULL COLLATE pg_catalog."C",
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    access_level text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    CONSTRAINT team_pipelines_access_level_check CHECK ((access_level = ANY (ARRAY['read_only'::text, 'build_and_read'::text, 'manage_build_and_read'::text])))
);
CREATE TABLE public.teams (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    description text COLLATE pg_catalog."C",
    privacy text NOT NULL COLLATE pg_catalog."C",
    is_default_team boolean NOT NULL,
    default_member_role text NOT NULL COLLATE pg_catalog."C",
    members_can_create_pipelines boolean NOT NULL,
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    members_can_delete_pipelines boolean DEFAULT false NOT NULL,
    members_can_create_suites boolean DEFAULT false NOT NULL,
    members_can_create_registries boolean DEFAULT false NOT NULL,
    members_can_destroy_registries boolean DEFAULT false NOT NULL,
    members_can_destroy_packages boolean DEFAULT false NOT NULL,
    CONSTRAINT teams_default_member_role_check CHECK ((default_member_role = ANY (ARRAY['maintainer'::text, 'member'::text]))),
    CONSTRAINT teams_privacy_check CHECK ((privacy = ANY (ARRAY['visible'::text, 'secret'::text])))
);
CREATE TABLE public.test_reports (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    build_id text NOT NULL COLLATE pg_catalog."C",
    job_id text NOT NULL COLLATE pg_catalog."C",
    path text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    tests bigint NOT NULL,
    failed bigint NOT NULL,
    skipped bigint NOT NULL,
    took bigint NOT NULL,
    cases text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
CREATE TABLE public.trigger_secrets (
    id text NOT NULL COLLATE pg_catalog."C",
    trigger_id text NOT NULL COLLATE pg_catalog."C",
    sealed_value text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.unclustered_tokens (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    description text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    revoked_at bigint,
    revoked_by text COLLATE pg_catalog."C",
    revoked_reason text COLLATE pg_catalog."C"
);
CREATE TABLE public.usage_counts (
    organization_id text NOT NULL COLLATE pg_catalog."C",
    period text NOT NULL COLLATE pg_catalog."C",
    users bigint NOT NULL
);
CREATE TABLE public.usage_locks (
    organization_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.usage_state (
    id bigint NOT NULL,
    kept_since text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT usage_state_id_check CHECK ((id = 1))
);
CREATE TABLE public.usage_users (
    organization_id text NOT NULL COLLATE pg_catalog."C",
    period text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.user_sessions (
    hash text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    user_agent text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    last_seen_at bigint,
    last_seen_address text COLLATE pg_catalog."C",
    last_seen_user_agent text COLLATE pg_catalog."C"
);
CREATE TABLE public.users (
    id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    email_key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    password_hash text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    disabled_at bigint,
    email_unproved boolean DEFAULT false NOT NULL,
    build_mails text DEFAULT 'failed'::text NOT NULL COLLATE pg_catalog."C"
);
INSERT INTO public.activity_days VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '2026-02-03', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.activity_days VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '2026-02-20', '0190a1b2-0000-7000-8000-000000000002');
INSERT INTO public.activity_days VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '2026-11-17', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.agent_heartbeats VALUES ('01a1e8ee-8df5-7000-8000-72793c882341', 1794909310513558, '01a1e8ee-8d16-70a5-bde5-7f535e310a7b');
INSERT INTO public.agent_heartbeats VALUES ('01a1e8ee-8dfc-7000-8000-75094be00b65', 1794909310613068, '01a1e8ee-8d16-70a5-bde5-7f535e310a7b');
INSERT INTO public.agent_heartbeats VALUES ('01a1e8ee-8dff-7000-8000-7b2573879012', 1794909310638897, '01a1e8ee-8d16-70a5-bde5-7f535e310a7b');
INSERT INTO public.agent_heartbeats VALUES ('01a1e8ee-8e01-7000-8000-7dec14b4a8e1', 1794909310466732, '01a1e8ee-8d16-70a5-bde5-7f535e310a7b');
INSERT INTO public.agent_heartbeats VALUES ('01a1e8ee-8e04-7000-8000-81888d9b89fe', 1794909310679289, '01a1e8ee-8d16-70a5-bde5-7f535e310a7b');
INSERT INTO public.agent_heartbeats VALUES ('01a1e8ee-8e06-7000-8000-8514c130580b', 1794909310747679, '01a1e8ee-8d16-70a5-bde5-7f535e310a7b');
INSERT INTO public.agent_heartbeats VALUES ('01a1e8ee-8e08-7000-8000-893eb9ac98e1', 1794909310782519, '01a1e8ee-8d16-70a5-bde5-7f535e310a7b');
INSERT INTO public.agent_heartbeats VALUES ('01a1e8ee-8e0a-7000-8000-8d57c886ccc2', 1794909310854569, '01a1e8ee-8d16-70a5-bde5-7f535e310a7b');
INSERT INTO public.agent_heartbeats VALUES ('01a1e8ee-8e0c-7000-8000-9312820c053c', 1794909310907270, '01a1e8ee-8d16-70a5-bde5-7f535e310a7b');
INSERT INTO public.agents VALUES ('01a1e8ee-8e01-7000-8000-7dec14b4a8e1', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '01a1e8ee-8df3-75a5-b179-c64e9108786d', 'scheduled', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=scheduled"]', '[]', true, false, 'a06c0511dc05b8322a4d8413dff0082b2db59065b2aa67dc9b41cecd55a29afe', 'connected', 1794909310465000, 1794909310467000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, false, NULL);
INSERT INTO public.agents VALUES ('01a1e8ee-8df5-7000-8000-72793c882341', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '01a1e8ee-8df3-75a5-b179-c64e9108786d', 'running', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=running"]', '[]', true, false, '483367f02e2604342ea4f67a003ac1a173d1a9095f7415d89a97f0ae0f377ff8', 'connected', 1794909310453000, 1794909310457000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e8ee-8e12-7000-8000-a1d1f3921495', 1, '01a1e8ee-8e12-7000-8000-a1d1f3921495', false, NULL);
INSERT INTO public.agents VALUES ('01a1e8ee-8dfc-7000-8000-75094be00b65', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '01a1e8ee-8df3-75a5-b179-c64e9108786d', 'assigned', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=assigned"]', '[]', true, false, '1528ce2a10363976cacacb845db02e9b3d873da6ca24f8dd412d1e81f2ee5216', 'connected', 1794909310460000, 1794909310462000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e8ee-8e8e-7000-8000-e0ca1c01f93a', 1, '01a1e8ee-8e8e-7000-8000-e0ca1c01f93a', false, NULL);
INSERT INTO public.agents VALUES ('01a1e8ee-8dff-7000-8000-7b2573879012', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '01a1e8ee-8df3-75a5-b179-c64e9108786d', 'accepted', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=accepted"]', '[]', true, false, '8b625f1b9cea81288f27b26cd97784ed340e7282044bec93a487af4eb4c0da65', 'connected', 1794909310463000, 1794909310464000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e8ee-8ea1-7000-8000-fb78ca3f9193', 1, '01a1e8ee-8ea1-7000-8000-fb78ca3f9193', false, NULL);
INSERT INTO public.agents VALUES ('01a1e8ee-8e04-7000-8000-81888d9b89fe', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '01a1e8ee-8df3-75a5-b179-c64e9108786d', 'first', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=first"]', '[]', true, false, '03fcca1b659fce00b5ce9cbb187a787242a8596738d9b9e01e9f3c382b21baeb', 'connected', 1794909310468000, 1794909310469000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e8ee-8ecc-7000-8001-2a9a48ed7985', 1, '01a1e8ee-8ecc-7000-8001-2a9a48ed7985', false, NULL);
INSERT INTO public.agents VALUES ('01a1e8ee-8e06-7000-8000-8514c130580b', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '01a1e8ee-8df3-75a5-b179-c64e9108786d', 'canceling', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=canceling"]', '[]', true, false, 'e6aa08fb68211a0d76af99eba8d480634e15196100435ee6e13ab01facadcb4b', 'connected', 1794909310470000, 1794909310471000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e8ee-8f16-7000-8001-9d652213305f', 1, '01a1e8ee-8f16-7000-8001-9d652213305f', false, NULL);
INSERT INTO public.agents VALUES ('01a1e8ee-8e08-7000-8000-893eb9ac98e1', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '01a1e8ee-8df3-75a5-b179-c64e9108786d', 'failing', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=failing"]', '[]', true, false, '95c2d2e0e99ce3fd8ea11520a0b7f5afa183a6ce2d0a3acdf0442865166e17b5', 'connected', 1794909310472000, 1794909310473000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 1794909310789000, NULL, '01a1e8ee-8f38-7000-8001-c35df6f73407', 1, NULL, false, NULL);
INSERT INTO public.agents VALUES ('01a1e8ee-8e0a-7000-8000-8d57c886ccc2', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '01a1e8ee-8df3-75a5-b179-c64e9108786d', 'passing', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=passing"]', '[]', true, false, '43561779cc95d338fe138181a74f52789fad5cff28eee4d2f224d0c6700a981c', 'connected', 1794909310474000, 1794909310475000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 1794909310880000, 1794909310880000, '01a1e8ee-8f5a-7000-8001-f19b499befbe', 1, NULL, false, NULL);
INSERT INTO public.agents VALUES ('01a1e8ee-8e0c-7000-8000-9312820c053c', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '01a1e8ee-8df3-75a5-b179-c64e9108786d', 'child', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=child"]', '[]', true, false, 'e10a194c7f50c5f071b244035715cba24e5be1bbdfe421ebe6d93e0c18795811', 'connected', 1794909310476000, 1794909310477000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 1794909310916000, 1794909310916000, '01a1e8ee-8faf-7000-8002-15cade655923', 1, NULL, false, NULL);
INSERT INTO public.annotations VALUES ('01a1e8ee-8e52-7000-8000-b9ac8278c83d', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 'build', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', 'deploy', 'success', 3, '**Deployed**', 1794909310546000, 1794909310546000, '<p><strong>Deployed</strong></p>
', 1794909310546000);
INSERT INTO public.api_token_organizations VALUES ('01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.api_tokens VALUES ('fd069c07630e40dd76e6a3fcdcc05f8551e2b383c92cf7c0c5df4054513aaaba', '01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1', '0190a1b2-0000-7000-8000-000000000001', 'Tests', 'read_agents read_artifacts read_audit_events read_build_logs read_builds read_clusters read_organizations read_pipelines write_builds write_clusters write_notification_services write_organization_invitations write_organizations write_pipeline_templates write_pipelines write_portals write_rules write_secrets graphql', '', 1794909310192000, NULL, NULL, 1794909311068801, '127.0.0.1');
INSERT INTO public.artifact_uploads VALUES ('0190a1b2-0000-7000-8000-00000000000b', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 1794909310562000, '["01a1e8ee-8e61-7000-8000-ccf59a86b0ee"]');
INSERT INTO public.artifacts VALUES ('01a1e8ee-8e61-7000-8000-ccf59a86b0ee', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', '01a1e8ee-8e12-7000-8000-a1d1f3921495', '0190a1b2-0000-7000-8000-00000000000b', 'out.txt', 'out.txt', '/out.txt', '*', 11, '381aef61464f679c1134e1e1978028f9069189b1', '', 'text/plain', '', '', NULL, true, 'finished', 1794909310562000, 1794909310579000, NULL);
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8cf6-7000-8000-04c344b9bace', 1794909310198000, 'ORGANIZATION_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'Acme Inc', '{"surface":"operator"}', '{"after":{"name":"Acme Inc","slug":"acme-inc","plan":"monthly","billing_anchor":"2026-01-15","billing_parent":null,"cluster_writes":"members","maintainers_can_destroy_cache_registries":true,"members_can_create_pipelines":true,"default_cluster_id":null,"allowed_api_ip_addresses":"","revoke_inactive_tokens_after_days":0,"audit_retention_days":0,"restrict_user_api_token_creation":false,"default_branch":null,"default_timeout_in_minutes":null,"maximum_timeout_in_minutes":null,"scheduled_job_expiry_in_minutes":null,"build_retention_days":null,"members_can_create_public_pipelines":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf6-7e6c-b638-565feff66d14', '01a1e8ee-8cf7-7000-8000-0bfd6afe62f7', 1794909310199000, 'ORGANIZATION_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION', '01a1e8ee-8cf6-7e6c-b638-565feff66d14', 'Holding Co', '{"surface":"operator"}', '{"after":{"name":"Holding Co","slug":"holding-co","plan":"annual","billing_anchor":"2026-01-01","billing_parent":null,"cluster_writes":"members","maintainers_can_destroy_cache_registries":true,"members_can_create_pipelines":true,"default_cluster_id":null,"allowed_api_ip_addresses":"","revoke_inactive_tokens_after_days":0,"audit_retention_days":0,"restrict_user_api_token_creation":false,"default_branch":null,"default_timeout_in_minutes":null,"maximum_timeout_in_minutes":null,"scheduled_job_expiry_in_minutes":null,"build_retention_days":null,"members_can_create_public_pipelines":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8cfb-7000-8000-0c319353af8e', 1794909310203000, 'ORGANIZATION_MEMBER_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION_MEMBER', '01a1e8ee-8cf9-7df4-b4a0-ce7372db2216', 'Admin', '{"surface":"operator"}', '{"after":{"user":"0190a1b2-0000-7000-8000-000000000001","role":"admin","sso_mode":"optional"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8cfc-7000-8000-13d7c15260aa', 1794909310204000, 'ORGANIZATION_MEMBER_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION_MEMBER', '01a1e8ee-8cfb-788b-8559-9fcf213cda31', 'Dev', '{"surface":"operator"}', '{"after":{"user":"0190a1b2-0000-7000-8000-000000000002","role":"member","sso_mode":"optional"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8cfd-7000-8000-17bf57478094', 1794909310205000, 'TEAM_CREATED', 'OPERATOR', '', 'Operator', 'TEAM', '0190a1b2-0000-7000-8000-000000000003', 'Platform', '{"surface":"operator"}', '{"after":{"name":"Platform","slug":"platform","description":null,"privacy":"visible","is_default_team":false,"default_member_role":"member","members_can_create_pipelines":false,"members_can_delete_pipelines":false,"members_can_create_suites":false,"members_can_create_registries":false,"members_can_destroy_registries":false,"members_can_destroy_packages":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d00-7000-8000-1873a65dd1a6', 1794909310208000, 'TEAM_MEMBER_CREATED', 'OPERATOR', '', 'Operator', 'TEAM_MEMBER', '01a1e8ee-8cfd-7887-9766-ae674a108cd7', 'Dev', '{"surface":"operator"}', '{"after":{"team_id":"0190a1b2-0000-7000-8000-000000000003","user":"0190a1b2-0000-7000-8000-000000000002","role":"maintainer"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d03-7000-8000-1cdcad7c6080', 1794909310211000, 'CLUSTER_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER', '0190a1b2-0000-7000-8000-000000000004', 'Open Source', '{"surface":"operator"}', '{"after":{"name":"Open Source","description":"For all that is public","emoji":null,"color":null,"default_queue_id":null,"default_cache_registry_uuid":"01a1e8ee-8d00-774f-996b-e3375c144efd","hosted_git_mirror_enabled":false,"hosted_container_cache_enabled":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d06-7000-8000-20c77c7ee416', 1794909310214000, 'CLUSTER_PERMISSION_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_PERMISSION', '01a1e8ee-8d04-7ef6-ba41-42b07e14cef5', 'Dev', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","user":"0190a1b2-0000-7000-8000-000000000002"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d07-7000-8000-277fc2efb0c8', 1794909310215000, 'CLUSTER_PERMISSION_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_PERMISSION', '01a1e8ee-8d07-7519-8c7f-6df7c6ca375f', 'Platform', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","team":"0190a1b2-0000-7000-8000-000000000003"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d09-7000-8000-29d324b8b366', 1794909310217000, 'CLUSTER_QUEUE_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_QUEUE', '0190a1b2-0000-7000-8000-000000000005', 'default', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"default","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d0a-7000-8000-2f6e11da541f', 1794909310218000, 'CLUSTER_QUEUE_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_QUEUE', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'builders', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"builders","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d0b-7000-8000-31b41e457a03', 1794909310219000, 'CLUSTER_QUEUE_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_QUEUE', '01a1e8ee-8d0a-7d9c-b3bd-38988bbac837', 'hosted', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"hosted","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null,"instance_shape":"LINUX_AMD64_2X4"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d0c-7000-8000-37517200fecf', 1794909310220000, 'CACHE_REGISTRY_CREATED', 'OPERATOR', '', 'Operator', 'CACHE_REGISTRY', '0190a1b2-0000-7000-8000-000000000006', 'Ruby gems', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","name":"Ruby gems","slug":"ruby-gems","description":null,"emoji":null,"color":null,"policy":"{\"save\":{\"scopes\":{\"branch\":true}},\"restore\":{\"scopes\":[]},\"rules\":[{\"effect\":\"allow\",\"action\":[\"save\",\"restore\"]}]}","cache_store":null}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d0f-7000-8000-39229e7388d2', 1794909310223000, 'API_ACCESS_TOKEN_CREATED', 'OPERATOR', '', 'Operator', 'API_ACCESS_TOKEN', '01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1', 'Tests', '{"surface":"operator"}', '{"after":{"user":"0190a1b2-0000-7000-8000-000000000001","description":"Tests","scopes":"read_agents read_artifacts read_audit_events read_build_logs read_builds read_clusters read_organizations read_pipelines write_builds write_clusters write_notification_services write_organization_invitations write_organizations write_pipeline_templates write_pipelines write_portals write_rules write_secrets graphql","allowed_ip_addresses":""}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d7e-7000-8000-3c89a65c6a8b', 1794909310334000, 'CLUSTER_QUEUE_UPDATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'CLUSTER_QUEUE', '0190a1b2-0000-7000-8000-000000000005', 'default', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"before":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"default","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null},"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"default","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":true,"dispatch_paused_note":"Maintenance"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d83-7000-8000-42a3adecf132', 1794909310339000, 'CLUSTER_TOKEN_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'CLUSTER_TOKEN', '01a1e8ee-8d82-76f2-b631-abbecab0efe5', 'Agents', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","description":"Agents","allowed_ip_addresses":"192.0.2.0/24"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8da6-7000-8000-4536de89087f', 1794909310374000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8d9c-71b8-881b-98a0ee9635fc', 'Web', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"Web","slug":"web","description":null,"repository":"git@example.com:acme/web.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"ee1d5bebdc6b8671615cf1a9b78e268a39d845ef62cd29d606dda3aa3f8bb0df","default_branch":null,"branch_configuration":null,"visibility":"private","tags":["linux","go"],"emoji":null,"color":null,"env":["CI"],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false,"teams":["0190a1b2-0000-7000-8000-000000000003"]}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8db1-7000-8000-4aceefe2379d', 1794909310385000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8db0-7ca3-bf1e-67f8de5d0436', 'Old', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"Old","slug":"old","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8dc0-7000-8000-4d1fb44669b5', 1794909310400000, 'PIPELINE_UPDATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8db0-7ca3-bf1e-67f8de5d0436', 'Old', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"before":{"name":"Old","slug":"old","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false},"after":{"name":"Old","slug":"older","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8dd4-7000-8000-502e78632fe6', 1794909310420000, 'PIPELINE_UPDATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8db0-7ca3-bf1e-67f8de5d0436', 'Old', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"before":{"name":"Old","slug":"older","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false},"after":{"name":"Old","slug":"older","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":true}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8dd8-7000-8000-55a1ff397428', 1794909310424000, 'PORTAL_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PORTAL', '01a1e8ee-8dd6-70bc-b754-4b00a3444dc6', 'Status', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"Status","slug":"status","description":null,"query_sha256":"afdc2859bb38708aec093237b238f87830691772a3a2da2cd9e4c265f8e3e880","allowed_ip_addresses":null,"user_invokable":false,"token":"01a1e8ee-8dd6-70d1-9a27-dd126d562444"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ddc-7000-8000-5aaea56c1022', 1794909310428000, 'PORTAL_TOKEN_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PORTAL_TOKEN', '01a1e8ee-8ddb-7ace-8bbf-98df6a489e90', 'Dashboard', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"portal_id":"01a1e8ee-8dd6-70bc-b754-4b00a3444dc6","description":"Dashboard"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8dde-7000-8000-5c16a1df8b44', 1794909310430000, 'PORTAL_SECRET_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PORTAL', '01a1e8ee-8dd6-70bc-b754-4b00a3444dc6', 'Status', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"secret_id":"01a1e8ee-8ddd-7f22-bf6b-0cb926b432dc","description":"Program"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8de1-7000-8000-61bf83b66f0f', 1794909310433000, 'PORTAL_TOKEN_CREATED', 'PORTAL', '01a1e8ee-8dd6-70bc-b754-4b00a3444dc6', 'Status', 'PORTAL_TOKEN', '01a1e8ee-8de0-7e89-9bfe-9e6f850263a3', 'Program', '{"surface":"portal","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1"}', '{"after":{"portal_id":"01a1e8ee-8dd6-70bc-b754-4b00a3444dc6","secret_id":"01a1e8ee-8ddd-7f22-bf6b-0cb926b432dc","description":"Program","expires_at":"2026-11-17T10:55:10.432Z"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ded-7000-8000-67b3a2a06d0e', 1794909310445000, 'ORGANIZATION_INVITATION_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'ORGANIZATION_INVITATION', '01a1e8ee-8de9-78f0-a033-efd2c83b213b', 'new@example.com', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"email":"new@example.com","role":"member","sso_mode":"required","teams":{"0190a1b2-0000-7000-8000-000000000003":"member"},"expires_at":"2026-11-24T09:55:10.441Z"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8df0-7000-8000-692f365a8d70', 1794909310448000, 'SECRET_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'SECRET', '01a1e8ee-8df0-7068-8e61-76fbf5e11bf9', 'DEPLOY_KEY', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"DEPLOY_KEY","description":null,"policy":null}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8df3-7000-8000-6e402d8f89ee', 1794909310451000, 'CLUSTER_TOKEN_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'CLUSTER_TOKEN', '01a1e8ee-8df3-75a5-b179-c64e9108786d', 'Builders', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","description":"Builders","allowed_ip_addresses":null}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e10-7000-8000-970795e0908b', 1794909310480000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8e0f-7c6f-a0ad-9a70522b5aee', 'running', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"running","slug":"running","description":null,"repository":"git@example.com:acme/running.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"2c61aea18a28e6a67894d0c71c389d878c71dff91c335b840c7afb2c641361dd","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e5b-7000-8000-c9646f897c54', 1794909310555000, 'SECRET_READ', 'AGENT', '01a1e8ee-8df5-7000-8000-72793c882341', 'running', 'SECRET', '01a1e8ee-8df0-7068-8e61-76fbf5e11bf9', 'DEPLOY_KEY', '{"surface":"agent","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1"}', '{"after":{"key":"DEPLOY_KEY","job_id":"01a1e8ee-8e12-7000-8000-a1d1f3921495","build_id":"01a1e8ee-8e12-7000-8000-98e1a0fa658a"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e8c-7000-8000-d603e531ce09', 1794909310604000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8e8b-7ef8-97f7-745fecd30f3d', 'assigned', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"assigned","slug":"assigned","description":null,"repository":"git@example.com:acme/assigned.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"e51efb601e6aa95aed6e3a7dfb66971cf2c378a0340daa70624f8f8bc7d5468f","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e99-7000-8000-eeb63ee13e87', 1794909310617000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8e98-7d89-b103-4dd43975c7a0', 'accepted', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"accepted","slug":"accepted","description":null,"repository":"git@example.com:acme/accepted.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"fbc13dc77d9235b5a570e60bb1fc2cafb11995f6d3c2761d1e4d135411032a39","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ebd-7000-8001-08d27006dace', 1794909310653000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8ebc-7bf1-b90f-7732bf678d6f', 'scheduled', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"scheduled","slug":"scheduled","description":null,"repository":"git@example.com:acme/scheduled.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"5141db5a8e1b67923a4b8703d00bf043a71b9430a27eae8a3eb82830e8063397","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-9024-7000-8002-74f29869adf1', 1794909311012000, 'RULE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'RULE', '01a1e8ee-9020-718f-b392-003047ccaa35', 'pipeline.trigger_build.pipeline', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"type":"pipeline.trigger_build.pipeline","description":null,"source_pipeline":"01a1e8ee-8d9c-71b8-881b-98a0ee9635fc","target_pipeline":"01a1e8ee-8ffb-7ef7-b456-c228b0d02ba5","conditions":[]}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eca-7000-8001-1fe44f7b370b', 1794909310666000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8eca-70fa-bb3b-78a333a4e4e4', 'first', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"first","slug":"first","description":null,"repository":"git@example.com:acme/first.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"a5cd49bae06287f3fca1b09964419f56345aa3e86ef1d7b68e3609cde988be31","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ee1-7000-8001-42030c5af789', 1794909310689000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8ee0-7661-b8bb-33d80381a8b6', 'second', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"second","slug":"second","description":null,"repository":"git@example.com:acme/second.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"bb91c39044b9bff9a08cd97d5180bd3e67c757be9940fc9a0c3d174d0715cd6c","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eed-7000-8001-55d321b59ad2', 1794909310701000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8eed-735f-a033-c7fca7f277b8', 'waiting', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"waiting","slug":"waiting","description":null,"repository":"git@example.com:acme/waiting.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"1e234b261b65f86b3b1c064a0543088ba87663966dfc164bfa32fd65c3d704ca","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f03-7000-8001-82670b740247', 1794909310723000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8f00-71d8-beb1-41597c4af820', 'blocked', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"blocked","slug":"blocked","description":null,"repository":"git@example.com:acme/blocked.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"638fdea62099b44dd2e14d772fb20cc28813fb467d43372cbc6d1d96261db7b2","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f15-7000-8001-90d8f8163655', 1794909310741000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8f14-7c50-a235-5730b2127691', 'canceling', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"canceling","slug":"canceling","description":null,"repository":"git@example.com:acme/canceling.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"e8851203cbbb4af86ba967b6ca2bb76c904cc5dc73b28fc4a5c83df6f2e33e04","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f36-7000-8001-b78b302030cc', 1794909310774000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8f36-701e-b32d-19de1042208d', 'retried', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"retried","slug":"retried","description":null,"repository":"git@example.com:acme/retried.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"ccbbf39c0ef76d08483e0d1b190e8ba8a9621c9227758a640cc5ec2a45c7d958","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f52-7000-8001-e5c3d8762119', 1794909310802000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8f4f-7242-bc63-b14386a8a228', 'finished', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"finished","slug":"finished","description":null,"repository":"git@example.com:acme/finished.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"763c8e811fdb78840f4f0e4497d03a9413a047042bb64d26d3e1c03b5aa8e43b","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8fad-7000-8002-0b85fd7b555a', 1794909310893000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8fac-7272-93b4-c0f260ae446a', 'child', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"child","slug":"child","description":null,"repository":"git@example.com:acme/child.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"d492e6a0638634178cd34b11344ac9907d59a80517e704702afbac05e3f08e26","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8fc9-7000-8002-2d7c9be25370', 1794909310921000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8fc8-7b5c-89ad-6603ae89068f', 'parent', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"parent","slug":"parent","description":null,"repository":"git@example.com:acme/parent.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"063bb82e699db9d579064e34efd39ad27d522cb17928f6c10aa70945f131b320","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ff8-7000-8002-5684f77e6b58', 1794909310968000, 'SCM_REPOSITORY_HOST_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'SCM_REPOSITORY_HOST', '01a1e8ee-8ff4-7410-9be0-d2366ab22ddf', 'http://127.0.0.1:39685', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"type":"gitea","url":"http://127.0.0.1:39685","display_name":"http://127.0.0.1:39685","login":"ada"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ffc-7000-8002-5a679e5ce20a', 1794909310972000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e8ee-8ffb-7ef7-b456-c228b0d02ba5', 'Hosted', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"Hosted","slug":"hosted","description":null,"repository":"http://127.0.0.1:39685/acme/web.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"0b84aaa086b52ff2759bbf263331b7835662fb7218d0a24c991c31745f0027db","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{"build_pull_requests":true,"publish_commit_status":true},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-9048-7000-8002-8e8ea2c17b52', 1794909311048000, 'ORGANIZATION_BANNER_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'ORGANIZATION_BANNER', '01a1e8ee-9047-76f0-8e79-c4ad91f74d7f', 'Banner', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"message":"Maintenance on Sunday"}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-9055-7000-8002-90406cd44661', 1794909311061000, 'AGENT_TOKEN_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'AGENT_TOKEN', '01a1e8ee-9053-7e78-b810-cc8a6556bd22', 'Old fleet', '{"surface":"graphql","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"description":"Old fleet","revoked_reason":null}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-905d-7000-8002-96df5e8a3b77', 1794909311069000, 'CLUSTER_TOKEN_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'CLUSTER_TOKEN', '01a1e8ee-905c-7c8f-8b0b-d028fd9c3a96', 'Stack', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","description":"Stack","allowed_ip_addresses":null}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-902b-7000-8002-7a14c7c096d8', 1794909311019000, 'PIPELINE_SCHEDULE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE_SCHEDULE', '01a1e8ee-9028-72ad-8496-f81eb302b785', 'Nightly', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"pipeline_id":"01a1e8ee-8d9c-71b8-881b-98a0ee9635fc","label":"Nightly","cronline":"@daily","message":null,"commit":"HEAD","branch":"main","env":["NIGHT"],"enabled":true}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-9034-7000-8002-7f616af1829d', 1794909311028000, 'PIPELINE_TRIGGER_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE_TRIGGER', '01a1e8ee-902f-7ccb-a64f-8b90fd18bb18', 'Deploy', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"pipeline_id":"01a1e8ee-8d9c-71b8-881b-98a0ee9635fc","type":"github","label":"Deploy","message":null,"commit":null,"branch":null,"environment":[],"verified":true,"enabled":true}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-903b-7000-8002-809c34110889', 1794909311035000, 'PIPELINE_TEMPLATE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE_TEMPLATE', '01a1e8ee-903a-70c0-88c9-42b1d699cc41', 'Go', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"name":"Go","description":null,"configuration":"steps: [wait]","available":true}}');
INSERT INTO public.audit_events VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-9040-7000-8002-8b560a51e545', 1794909311040000, 'NOTIFICATION_SERVICE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'NOTIFICATION_SERVICE', '01a1e8ee-903d-7be8-8636-fda8588a6cf1', 'Chat', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e8ee-8d0d-799c-ab54-0f62a8b3b6f1"}', '{"after":{"provider":"webhook","description":"Chat","enabled":true,"scope":"all","scope_uuids":[],"branch_configuration":"","build_states":["build_passed","build_fixed","build_failed"],"events":["build.finished"]}}');
INSERT INTO public.blob_deletions VALUES ('logs/gone', 0);
INSERT INTO public.bootstrap_items VALUES ('user', 'admin@example.com', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('user', 'dev@example.com', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('organization', 'acme-inc', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('organization', 'holding-co', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('member', 'acme-inc/admin@example.com', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('member', 'acme-inc/dev@example.com', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('team', 'acme-inc/platform', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('team_member', 'acme-inc/platform/dev@example.com', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('cluster', 'acme-inc/Open Source', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('maintainer', 'acme-inc/Open Source/dev@example.com/', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('maintainer', 'acme-inc/Open Source//platform', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('queue', 'acme-inc/Open Source/default', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('queue', 'acme-inc/Open Source/builders', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('queue', 'acme-inc/Open Source/hosted', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('cache_registry', 'acme-inc/Open Source/ruby-gems', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('token', 'fd069c07630e40dd76e6a3fcdcc05f8551e2b383c92cf7c0c5df4054513aaaba', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('activity', 'acme-inc/admin@example.com/2026-02-03', 1794909310192000);
INSERT INTO public.bootstrap_items VALUES ('activity', 'acme-inc/dev@example.com/2026-02-20', 1794909310192000);
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8e12-7000-8000-98e1a0fa658a', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8e12-7000-8000-98e1a0fa658a', 'version', '7');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8e8e-7000-8000-d96910eb44f6', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8ea1-7000-8000-f0561798bd70', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8ebf-7000-8001-0f990c19a492', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8ecc-7000-8001-237c7da77838', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8ee3-7000-8001-455ff20d2b42', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8eef-7000-8001-5b23c88b01ec', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8f06-7000-8001-86ede041124c', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8f16-7000-8001-97027f2fd404', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8f38-7000-8001-b885d0a14e54', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8f5a-7000-8001-ea77c37c3bd2', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8faf-7000-8002-0f373e3e080a', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e8ee-8fcc-7000-8002-33dabf67b686', 'made', 'with the build');
INSERT INTO public.build_steps VALUES ('01a1e8ee-8e54-7000-8000-bcec7c0e8634', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', '01a1e8ee-8e12-7000-8000-9def8b950d17', NULL, 'command', NULL, 'uploaded', '00dv00', '{"label": "uploaded", "command": "x", "agents": {"queue": "builders", "label": "uploaded"}}', '{"Kind":"command","Command":"x","Agents":["label=uploaded","queue=builders"]}', '0190a1b2-0000-7000-8000-00000000000a', '[]', '[]', 1, 0, 0, 0, 0, 0, 1, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8e12-7000-8000-9def8b950d17', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', NULL, NULL, 'command', NULL, 'running', '00', '{"agents":{"queue":"builders","label":"running"},"command":"make running","label":"running"}', '{"Kind":"command","Command":"make running","Agents":["label=running","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 1, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8e8e-7000-8000-df91c379d1a0', '01a1e8ee-8e8e-7000-8000-d96910eb44f6', NULL, NULL, 'command', NULL, 'assigned', '00', '{"agents":{"queue":"builders","label":"assigned"},"command":"make assigned","label":"assigned"}', '{"Kind":"command","Command":"make assigned","Agents":["label=assigned","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8ea1-7000-8000-f7fa71afda18', '01a1e8ee-8ea1-7000-8000-f0561798bd70', NULL, NULL, 'command', NULL, 'accepted', '00', '{"agents":{"queue":"builders","label":"accepted"},"command":"make accepted","label":"accepted"}', '{"Kind":"command","Command":"make accepted","Agents":["label=accepted","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8ebf-7000-8001-137b55961aa5', '01a1e8ee-8ebf-7000-8001-0f990c19a492', NULL, NULL, 'command', NULL, 'scheduled', '00', '{"agents":{"queue":"builders","label":"scheduled"},"command":"make scheduled","label":"scheduled"}', '{"Kind":"command","Command":"make scheduled","Agents":["label=scheduled","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8ecc-7000-8001-27c2c5a62ca6', '01a1e8ee-8ecc-7000-8001-237c7da77838', NULL, NULL, 'command', NULL, 'first', '00', '{"agents":{"queue":"builders","label":"first"},"command":"make first","concurrency":1,"concurrency_group":"deploy","label":"first"}', '{"Kind":"command","Command":"make first","Agents":["label=first","queue=builders"],"Concurrency":1,"ConcurrencyGroup":"deploy","ConcurrencyMethod":"ordered"}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8ee3-7000-8001-4ab7a15e5ca2', '01a1e8ee-8ee3-7000-8001-455ff20d2b42', NULL, NULL, 'command', NULL, 'second', '00', '{"agents":{"queue":"builders","label":"second"},"command":"make second","concurrency":1,"concurrency_group":"deploy","label":"second"}', '{"Kind":"command","Command":"make second","Agents":["label=second","queue=builders"],"Concurrency":1,"ConcurrencyGroup":"deploy","ConcurrencyMethod":"ordered"}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8eef-7000-8001-5f6707e3d0a6', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', NULL, NULL, 'command', 'before', 'before', '00', '{"agents":{"queue":"builders","label":"before"},"command":"make before","key":"before","label":"before"}', '{"Kind":"command","Command":"make before","Agents":["label=before","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8eef-7000-8001-66851b0f255e', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', NULL, NULL, 'wait', NULL, '', '01', '"wait"', '{"Kind":"wait","BlockedState":"passed"}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 1, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8eef-7000-8001-6eb5b256ec62', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', NULL, NULL, 'command', NULL, 'after', '02', '{"agents":{"queue":"builders","label":"after"},"command":"make after","depends_on":"before","label":"after"}', '{"Kind":"command","Command":"make after","Agents":["label=after","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 1, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8f06-7000-8001-8abca8a81410', '01a1e8ee-8f06-7000-8001-86ede041124c', NULL, NULL, 'block', 'release', 'Release', '00', '{"block":"Release","fields":[{"text":"Version","key":"version"}],"key":"release"}', '{"Kind":"block","Fields":[{"Key":"version","Text":"Version","Required":true}],"BlockedState":"passed"}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8f16-7000-8001-9bb6f981ca7a', '01a1e8ee-8f16-7000-8001-97027f2fd404', NULL, NULL, 'command', NULL, 'canceling', '00', '{"agents":{"queue":"builders","label":"canceling"},"command":"make canceling","label":"canceling"}', '{"Kind":"command","Command":"make canceling","Agents":["label=canceling","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8f38-7000-8001-bd11d1ac5da8', '01a1e8ee-8f38-7000-8001-b885d0a14e54', NULL, NULL, 'command', NULL, 'failing', '00', '{"agents":{"queue":"builders","label":"failing"},"command":"make failing","label":"failing","retry":{"automatic":[{"exit_status":3,"limit":1}]}}', '{"Kind":"command","Command":"make failing","Agents":["label=failing","queue=builders"],"Retry":{"Automatic":[{"ExitStatuses":[3],"AnyFailure":false,"Signals":[],"SignalReasons":[],"Limit":1}],"Manual":{"Forbidden":false,"Reason":"","PermitOnPassed":false}}}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8f5a-7000-8001-ecc6edbedc0f', '01a1e8ee-8f5a-7000-8001-ea77c37c3bd2', NULL, NULL, 'command', NULL, 'passing', '00', '{"agents":{"queue":"builders","label":"passing"},"command":"make passing","label":"passing"}', '{"Kind":"command","Command":"make passing","Agents":["label=passing","queue=builders"]}', NULL, '[]', '[]', 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8faf-7000-8002-13899295a9f0', '01a1e8ee-8faf-7000-8002-0f373e3e080a', NULL, NULL, 'command', NULL, 'child', '00', '{"agents":{"queue":"builders","label":"child"},"command":"make child","label":"child"}', '{"Kind":"command","Command":"make child","Agents":["label=child","queue=builders"]}', NULL, '[]', '[]', 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8fcc-7000-8002-36bcbc01a214', '01a1e8ee-8fcc-7000-8002-33dabf67b686', NULL, NULL, 'trigger', NULL, '', '00', '{"trigger":"child"}', '{"Kind":"trigger","Trigger":"child","Build":{"Commit":"HEAD"}}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-8fe1-7000-8002-49a0cc3d13b7', '01a1e8ee-8fe1-7000-8002-479a697fad87', NULL, NULL, 'command', NULL, 'child', '00', '{"agents":{"queue":"builders","label":"child"},"command":"make child","label":"child"}', '{"Kind":"command","Command":"make child","Agents":["label=child","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e8ee-9006-7000-8002-6372ce61aaa5', '01a1e8ee-9006-7000-8002-5cc5b58f923e', NULL, NULL, 'wait', NULL, '', '00', '"wait"', '{"Kind":"wait","BlockedState":"passed"}', NULL, '[]', '[]', 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_tasks VALUES ('a task', 'supersede', '01a1e8ee-8f06-7000-8001-86ede041124c', NULL, 0, 0);
INSERT INTO public.builds VALUES ('01a1e8ee-8f06-7000-8001-86ede041124c', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f00-71d8-beb1-41597c4af820', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310731000, 'blocked', 'passed', true, false, false, NULL, NULL, 1794909310731000, NULL, NULL, NULL, '{}', 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8e12-7000-8000-98e1a0fa658a', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e0f-7c6f-a0ad-9a70522b5aee', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310487000, 'running', '', true, false, false, NULL, NULL, 1794909310487000, 1794909310528000, NULL, NULL, '{}', 1, 2, 2, 1, 0, 1, 1, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8e8e-7000-8000-d96910eb44f6', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e8b-7ef8-97f7-745fecd30f3d', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310608000, 'scheduled', '', true, false, false, NULL, NULL, 1794909310608000, NULL, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8ea1-7000-8000-f0561798bd70', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e98-7d89-b103-4dd43975c7a0', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310633000, 'scheduled', '', true, false, false, NULL, NULL, 1794909310633000, NULL, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8ebf-7000-8001-0f990c19a492', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ebc-7bf1-b90f-7732bf678d6f', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310660000, 'scheduled', '', true, false, false, NULL, NULL, 1794909310660000, NULL, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8ecc-7000-8001-237c7da77838', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eca-70fa-bb3b-78a333a4e4e4', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310670000, 'running', '', true, false, false, NULL, NULL, 1794909310670000, 1794909310684000, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8ee3-7000-8001-455ff20d2b42', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ee0-7661-b8bb-33d80381a8b6', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310693000, 'scheduled', '', true, false, false, NULL, NULL, 1794909310693000, NULL, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8eef-7000-8001-5b23c88b01ec', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eed-735f-a033-c7fca7f277b8', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310705000, 'scheduled', '', true, false, false, NULL, NULL, 1794909310705000, NULL, NULL, NULL, '{}', 0, 3, 3, 1, 0, 2, 0, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8f16-7000-8001-97027f2fd404', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f14-7c50-a235-5730b2127691', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310744000, 'canceling', '', true, false, true, '0190a1b2-0000-7000-8000-000000000001', NULL, 1794909310744000, 1794909310752000, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8f38-7000-8001-b885d0a14e54', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f36-701e-b32d-19de1042208d', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310778000, 'scheduled', '', true, false, false, NULL, NULL, 1794909310778000, 1794909310787000, NULL, NULL, '{}', 0, 2, 1, 1, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8f5a-7000-8001-ea77c37c3bd2', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f4f-7242-bc63-b14386a8a228', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310827000, 'passed', '', true, false, false, NULL, NULL, 1794909310827000, 1794909310871000, NULL, 1794909310880000, '{}', 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8fcc-7000-8002-33dabf67b686', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8fc8-7b5c-89ad-6603ae89068f', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310926000, 'running', '', true, false, false, NULL, NULL, 1794909310926000, 1794909310926000, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8faf-7000-8002-0f373e3e080a', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8fac-7272-93b4-c0f260ae446a', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794909310897000, 'passed', '', true, false, false, NULL, NULL, 1794909310897000, 1794909310914000, NULL, 1794909310916000, '{}', 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, NULL, NULL, NULL, false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-8fe1-7000-8002-479a697fad87', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8fac-7272-93b4-c0f260ae446a', '0190a1b2-0000-7000-8000-000000000004', 2, 'trigger_job', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, '01a1e8ee-8fcc-7000-8002-3a363541ba6e', 1, 1794909310951000, 'scheduled', '', true, false, false, NULL, NULL, 1794909310951000, NULL, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, '01a1e8ee-8fcc-7000-8002-33dabf67b686', 'main', '', false, 'null', 'null', 'null');
INSERT INTO public.builds VALUES ('01a1e8ee-9006-7000-8002-5cc5b58f923e', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ffb-7ef7-b456-c228b0d02ba5', '0190a1b2-0000-7000-8000-000000000004', 1, 'webhook', 'A pull request', '1111111111111111111111111111111111111111', 'feature/x', '', '{}', 'ada', '', NULL, false, false, '{"id":"7","base":"main","repository":"https://git.example.com/acme/web.git"}', NULL, NULL, 0, 1794909310987000, 'passed', '', true, false, false, NULL, NULL, 1794909310987000, NULL, NULL, 1794909310987000, '{}', 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, false, '{"connection":"01a1e8ee-8ff4-7410-9be0-d2366ab22ddf","repository":"http://127.0.0.1:39685/acme/web.git","context":"buildkite/hosted"}', '{"name":"pull_request","action":"opened","refspec":"refs/pull/7/head"}', 'null');
INSERT INTO public.cache_days VALUES ('0190a1b2-0000-7000-8000-000000000006', '2026-11-17', 0, 0, 0, 1, 0, 1, 1);
INSERT INTO public.cache_days VALUES ('0190a1b2-0000-7000-8000-000000000006', '2026-11-15', 1, 0, 0, 1, 0, 1, 1);
INSERT INTO public.cache_decisions VALUES ('01a1e8ee-8e7e-7000-8002-9bc76e7f675b', '0190a1b2-0000-7000-8000-000000000006', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 'running', 1, 'main', 'store', '["gems"]', '[{"value":"committed","mandatory":true}]', true, 'accepted', '{"branch":"main"}', 'rule 1', 'rule 1 allows it', 'save allowed: rule 1 allows it
  entry {"branch":"main"} allowed: rule 1 allows it
    rule 1 (allow): matches
', 1794909310590000);
INSERT INTO public.cache_decisions VALUES ('01a1e8ee-8e85-7000-8002-9c2853215c6f', '0190a1b2-0000-7000-8000-000000000006', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 'running', 1, 'main', 'commit', '["gems"]', '[{"value":"committed","mandatory":true}]', true, 'saved', '{"branch":"main"}', 'rule 1', 'rule 1 allows it', 'save allowed: rule 1 allows it
  entry {"branch":"main"} allowed: rule 1 allows it
    rule 1 (allow): matches
', 1794909310597000);
INSERT INTO public.cache_decisions VALUES ('01a1e8ee-8e89-7000-8002-a1e3ddfc93d4', '0190a1b2-0000-7000-8000-000000000006', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 'running', 1, 'main', 'store', '["gems"]', '[{"value":"begun","mandatory":true}]', true, 'accepted', '{"branch":"main"}', 'rule 1', 'rule 1 allows it', 'save allowed: rule 1 allows it
  entry {"branch":"main"} allowed: rule 1 allows it
    rule 1 (allow): matches
', 1794909310601000);
INSERT INTO public.cache_entries VALUES ('01a1e8ee-8e81-7000-8000-d2e4b6855441', '0190a1b2-0000-7000-8000-000000000006', 'dMMrET6x0rB547ciHjajbRr4rbflUtBGKDWvH3da5wI', '', 'main', '', '["gems"]', '[{"value":"committed","mandatory":true}]', '[{"digest":{"algorithm":"sha256","value":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},"file_size":1,"compression":"zip"}]', 'linux/amd64', 1, '01a1e8ee-8e12-7000-8000-a1d1f3921495', 1794909310593000, NULL, 0, 1795168510593000);
INSERT INTO public.cache_entry_prefixes VALUES ('fP2qSuw3_twbOZmSwDSHh-cUN1iqSqnXTod9ButdgpU', 1794909310593000, '01a1e8ee-8e81-7000-8000-d2e4b6855441');
INSERT INTO public.cache_entry_sets VALUES ('0190a1b2-0000-7000-8000-000000000006', '0190a1b2-0000-7000-8000-000000000006', 1, 1);
INSERT INTO public.cache_registries VALUES ('01a1e8ee-8d00-774f-996b-e3375c144efd', '0190a1b2-0000-7000-8000-000000000004', 'default', 'Default', NULL, NULL, NULL, '{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[{"effect":"allow","action":["save"]},{"effect":"allow","action":["restore"]}]}', 1794909310192000, 1794909310192000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL);
INSERT INTO public.cache_registries VALUES ('0190a1b2-0000-7000-8000-000000000006', '0190a1b2-0000-7000-8000-000000000004', 'ruby-gems', 'Ruby gems', NULL, NULL, NULL, '{"save":{"scopes":{"branch":true}},"restore":{"scopes":[]},"rules":[{"effect":"allow","action":["save","restore"]}]}', 1794909310192000, 1794909310192000, '0190a1b2-0000-7000-8000-000000000001', 's3://cache/gems', NULL);
INSERT INTO public.cache_uploads VALUES ('01a1e8ee-8e7c-7dce-8587-3913efb70021', '0190a1b2-0000-7000-8000-000000000006', '01a1e8ee-8e12-7000-8000-a1d1f3921495', '["gems"]', '[{"value":"committed","mandatory":true}]', '[{"digest":{"algorithm":"sha256","value":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},"file_size":1,"compression":"zip"}]', 'linux/amd64', 1794909310590000, true);
INSERT INTO public.cache_uploads VALUES ('01a1e8ee-8e88-7f1b-b6a4-1bc992ee44fd', '0190a1b2-0000-7000-8000-000000000006', '01a1e8ee-8e12-7000-8000-a1d1f3921495', '["gems"]', '[{"value":"begun","mandatory":true}]', '[{"digest":{"algorithm":"sha256","value":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},"file_size":1,"compression":"zip"}]', 'linux/amd64', 1794909310601000, false);
INSERT INTO public.cluster_agent_tokens VALUES ('01a1e8ee-8d82-76f2-b631-abbecab0efe5', '0190a1b2-0000-7000-8000-000000000004', '9bcdaca26b8fbd26b496d6b85b6646bf6fdbbb30724b657bd4e9af8d7a745178', 'Agents', '192.0.2.0/24', NULL, 1794909310338000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_agent_tokens VALUES ('01a1e8ee-8df3-75a5-b179-c64e9108786d', '0190a1b2-0000-7000-8000-000000000004', 'bde3562a4359c6432eec1d7ef3f9231d75689e22fd448cdaf8d9e861ead35c09', 'Builders', NULL, NULL, 1794909310451000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_agent_tokens VALUES ('01a1e8ee-905c-7c8f-8b0b-d028fd9c3a96', '0190a1b2-0000-7000-8000-000000000004', '93e2c2b5e19662792243b14f4940a86d1d3583fab20e426eb0ee2a47d6db3fbc', 'Stack', NULL, NULL, 1794909311068000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_maintainers VALUES ('01a1e8ee-8d04-7ef6-ba41-42b07e14cef5', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '0190a1b2-0000-7000-8000-000000000002', NULL, 1794909310192000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_maintainers VALUES ('01a1e8ee-8d07-7519-8c7f-6df7c6ca375f', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', NULL, '0190a1b2-0000-7000-8000-000000000003', 1794909310192000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_queues VALUES ('01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '0190a1b2-0000-7000-8000-000000000004', 'builders', NULL, 'prefer-warmest', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1794909310192000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_queues VALUES ('01a1e8ee-8d0a-7d9c-b3bd-38988bbac837', '0190a1b2-0000-7000-8000-000000000004', 'hosted', NULL, 'prefer-warmest', NULL, NULL, NULL, 'LINUX_AMD64_2X4', NULL, NULL, NULL, 1794909310192000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_queues VALUES ('0190a1b2-0000-7000-8000-000000000005', '0190a1b2-0000-7000-8000-000000000004', 'default', NULL, 'prefer-warmest', 1794909310333000, '0190a1b2-0000-7000-8000-000000000001', 'Maintenance', NULL, NULL, NULL, NULL, 1794909310192000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_secrets VALUES ('01a1e8ee-8df0-7068-8e61-76fbf5e11bf9', '0190a1b2-0000-7000-8000-000000000004', 'DEPLOY_KEY', NULL, NULL, 'f707acd346de852c.HNgg8Bzuxlvv4qjaWG+5HdVOew0gMTbBkcxq6G0vcK84OVed', 1794909310448000, '0190a1b2-0000-7000-8000-000000000001', 1794909310448000, '0190a1b2-0000-7000-8000-000000000001', 1794909310555000);
INSERT INTO public.clusters VALUES ('0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'Open Source', 'open source', 'For all that is public', NULL, NULL, '0190a1b2-0000-7000-8000-000000000005', '0190a1b2-0000-7000-8000-000000000006', false, true, 3, 1, true, 1794909310192000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.concurrency_groups VALUES ('01a1e8ee-8ed0-74a7-815e-965cf595372c', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'deploy');
INSERT INTO public.connection_secrets VALUES ('01a1e8ee-8ff6-7ab2-aa5a-49c70f082ed4', '01a1e8ee-8ff4-7410-9be0-d2366ab22ddf', 'token', 'f707acd346de852c.jlVBeeEh1SCjZuHV1lagcu7CCXFvob/VJPMFfnyx3ORkCyVCPyjT');
INSERT INTO public.connection_secrets VALUES ('01a1e8ee-8ff7-7b67-8d5a-c1f5b4c29230', '01a1e8ee-8ff4-7410-9be0-d2366ab22ddf', 'webhook_secret', 'f707acd346de852c.MmVxN41uFPRLXeYRlSNWioiMOHPHuUEKcmheoMVai7RlMRAPVVERmY4');
INSERT INTO public.deliveries VALUES ('01a1e8ee-900f-7000-8002-71a8e8753b93', '01a1e8ee-8ffb-7ef7-b456-c228b0d02ba5', 1794909310991748, 'pull_request opened', '1', 'built #1', '01a1e8ee-9006-7000-8002-5cc5b58f923e', '{"Content-Type":"application/json","X-Gitea-Delivery":"1","X-Gitea-Event":"pull_request"}', '\x1f8b08000000000000ffcc50cb6ac330103ca75fb1ecd9d8a497826efd8e52c2da5edb023d5c6945528cffbdacb121a514728c8e3b0fcdcc82d4898d010d609c39708f156028bee58406de2ac0c473cc5662fa46030bda1e0d9c95449e5576e556354371ee72dca8f3dcec40e762e04b494e814964cea669462b35dfc8cf8eeb2efae610d4a31515c56bd8022ce8e268c3e189eb5a01660efd1fb4275cab97d309670d92f8ab70968df3ab8d58715bc47750221c44b515123e86d083a3965d46031f9f1560c9fffe79c289a9dfc0c48342039394c4cd6d339e486fe7071feea33fc5dc7bbf9632dff7f364c35db5d707df73555bd79f000000ffff7c1a1d58ff020000', NULL);
INSERT INTO public.former_pipeline_slugs VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'old', '01a1e8ee-8db0-7ca3-bf1e-67f8de5d0436');
INSERT INTO public.git_mirror_syncs VALUES ('0190a1b2-0000-7000-8000-000000000004', '', 0, 1, 1794909310354440);
INSERT INTO public.idempotency_keys VALUES ('84741b1a5214acd42c21d8df7ca1ccfad9ecdd6fdfa081e10f8e93a4282ec2f1', '3acc1bbfccd54c2e77c4bf1db6d9b211448911da82d3d5da520f3a07f1b41d77', '\x7b225468696e67223a7b7d2c2256616c7565223a22222c224e616d65223a226f7267616e697a6174696f6e20696e7669746174696f6e2030316131653865652d386465392d373866302d613033332d656664326338336232313362227d', 1794995710436305);
INSERT INTO public.invitation_links VALUES ('ad24d2717492a708f877c0b0cff8513a45ecfa2830519236e48bf2d12ccd1aab', '01a1e8ee-8de9-78f0-a033-efd2c83b213b', false);
INSERT INTO public.invitation_mails VALUES ('01a1e8ee-8de9-78f0-a033-efd2c83b213b', 0, NULL, NULL);
INSERT INTO public.invitation_teams VALUES ('01a1e8ee-8dea-70b0-a345-4371c79cbf9c', '01a1e8ee-8de9-78f0-a033-efd2c83b213b', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000003', 'member');
INSERT INTO public.invitations VALUES ('01a1e8ee-8de9-78f0-a033-efd2c83b213b', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'new@example.com', 'new@example.com', 'member', 'required', 1794909310441000, '0190a1b2-0000-7000-8000-000000000001', 1795514110441000, NULL, NULL, NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8e17-7000-8000-a43abe3e4f26', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 'SCHEDULED', 1794909310487000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8e34-7000-8000-aa357c5973e4', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 'ASSIGNED', 1794909310516000, '01a1e8ee-8df5-7000-8000-72793c882341', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8e36-7000-8000-ae541b2d1e34', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 'ACCEPTED', 1794909310518000, '01a1e8ee-8df5-7000-8000-72793c882341', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8e40-7000-8000-b3f257c169c6', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 'STARTED', 1794909310528000, '01a1e8ee-8df5-7000-8000-72793c882341', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8e90-7000-8000-e5a827bbd3a4', '01a1e8ee-8e8e-7000-8000-e0ca1c01f93a', 'SCHEDULED', 1794909310608000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8e96-7000-8000-ebec846bc6b2', '01a1e8ee-8e8e-7000-8000-e0ca1c01f93a', 'ASSIGNED', 1794909310614000, '01a1e8ee-8dfc-7000-8000-75094be00b65', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8ea9-7000-8000-ff63d5b07379', '01a1e8ee-8ea1-7000-8000-fb78ca3f9193', 'SCHEDULED', 1794909310633000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8eb0-7000-8001-018e766181c9', '01a1e8ee-8ea1-7000-8000-fb78ca3f9193', 'ASSIGNED', 1794909310640000, '01a1e8ee-8dff-7000-8000-7b2573879012', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8eb4-7000-8001-07a4ad36fd49', '01a1e8ee-8ea1-7000-8000-fb78ca3f9193', 'ACCEPTED', 1794909310644000, '01a1e8ee-8dff-7000-8000-7b2573879012', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8ec4-7000-8001-18db0f949a02', '01a1e8ee-8ebf-7000-8001-14b60ef72c0a', 'SCHEDULED', 1794909310660000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8ece-7000-8001-2f8fe5c1bd55', '01a1e8ee-8ecc-7000-8001-2a9a48ed7985', 'LIMITED', 1794909310670000, NULL, NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8ece-7000-8001-320d9cf1e439', '01a1e8ee-8ecc-7000-8001-2a9a48ed7985', 'SCHEDULED', 1794909310670000, NULL, NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8ed8-7000-8001-355fde388639', '01a1e8ee-8ecc-7000-8001-2a9a48ed7985', 'ASSIGNED', 1794909310680000, '01a1e8ee-8e04-7000-8000-81888d9b89fe', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8ed9-7000-8001-39fe72ca46c7', '01a1e8ee-8ecc-7000-8001-2a9a48ed7985', 'ACCEPTED', 1794909310681000, '01a1e8ee-8e04-7000-8000-81888d9b89fe', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8edc-7000-8001-3e2f935b70f1', '01a1e8ee-8ecc-7000-8001-2a9a48ed7985', 'STARTED', 1794909310684000, '01a1e8ee-8e04-7000-8000-81888d9b89fe', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8ee5-7000-8001-53f879316e4d', '01a1e8ee-8ee3-7000-8001-4df74a2bb4be', 'LIMITED', 1794909310693000, NULL, NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8ef1-7000-8001-7e52069fb2b6', '01a1e8ee-8eef-7000-8001-6086f4334a3a', 'SCHEDULED', 1794909310705000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f18-7000-8001-a051076a641c', '01a1e8ee-8f16-7000-8001-9d652213305f', 'SCHEDULED', 1794909310744000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f1c-7000-8001-a6eba1a29acc', '01a1e8ee-8f16-7000-8001-9d652213305f', 'ASSIGNED', 1794909310748000, '01a1e8ee-8e06-7000-8000-8514c130580b', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f1d-7000-8001-aa6566bc73aa', '01a1e8ee-8f16-7000-8001-9d652213305f', 'ACCEPTED', 1794909310749000, '01a1e8ee-8e06-7000-8000-8514c130580b', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f20-7000-8001-afe9713f4705', '01a1e8ee-8f16-7000-8001-9d652213305f', 'STARTED', 1794909310752000, '01a1e8ee-8e06-7000-8000-8514c130580b', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f23-7000-8001-b16de6c21096', '01a1e8ee-8f16-7000-8001-9d652213305f', 'CANCELATION', 1794909310755000, '01a1e8ee-8e06-7000-8000-8514c130580b', '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f3a-7000-8001-c6025f918472', '01a1e8ee-8f38-7000-8001-c35df6f73407', 'SCHEDULED', 1794909310778000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f3f-7000-8001-cb5df9a4a91b', '01a1e8ee-8f38-7000-8001-c35df6f73407', 'ASSIGNED', 1794909310783000, '01a1e8ee-8e08-7000-8000-893eb9ac98e1', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f40-7000-8001-cd3d0f8484d5', '01a1e8ee-8f38-7000-8001-c35df6f73407', 'ACCEPTED', 1794909310784000, '01a1e8ee-8e08-7000-8000-893eb9ac98e1', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f43-7000-8001-d3a90528ce27', '01a1e8ee-8f38-7000-8001-c35df6f73407', 'STARTED', 1794909310787000, '01a1e8ee-8e08-7000-8000-893eb9ac98e1', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f45-7000-8001-d724d91d5f1d', '01a1e8ee-8f38-7000-8001-c35df6f73407', 'FINISHED', 1794909310789000, '01a1e8ee-8e08-7000-8000-893eb9ac98e1', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f45-7000-8001-dd2b1d8c6892', '01a1e8ee-8f38-7000-8001-c35df6f73407', 'RETRIED', 1794909310789000, '01a1e8ee-8e08-7000-8000-893eb9ac98e1', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f45-7000-8001-e1cbe5533db1', '01a1e8ee-8f45-7000-8001-dade7d5523d8', 'SCHEDULED', 1794909310789000, NULL, NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f6b-7000-8001-f499eea66844', '01a1e8ee-8f5a-7000-8001-f19b499befbe', 'SCHEDULED', 1794909310827000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f88-7000-8001-fa89f2665302', '01a1e8ee-8f5a-7000-8001-f19b499befbe', 'ASSIGNED', 1794909310856000, '01a1e8ee-8e0a-7000-8000-8d57c886ccc2', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f8c-7000-8001-fe64efba81e2', '01a1e8ee-8f5a-7000-8001-f19b499befbe', 'ACCEPTED', 1794909310860000, '01a1e8ee-8e0a-7000-8000-8d57c886ccc2', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8f97-7000-8002-03f3fa8fe45e', '01a1e8ee-8f5a-7000-8001-f19b499befbe', 'STARTED', 1794909310871000, '01a1e8ee-8e0a-7000-8000-8d57c886ccc2', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8fa0-7000-8002-04eacce82ebf', '01a1e8ee-8f5a-7000-8001-f19b499befbe', 'FINISHED', 1794909310880000, '01a1e8ee-8e0a-7000-8000-8d57c886ccc2', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8fb1-7000-8002-1a97cc4abcc3', '01a1e8ee-8faf-7000-8002-15cade655923', 'SCHEDULED', 1794909310897000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8fbc-7000-8002-1e183b58e755', '01a1e8ee-8faf-7000-8002-15cade655923', 'ASSIGNED', 1794909310908000, '01a1e8ee-8e0c-7000-8000-9312820c053c', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8fbf-7000-8002-2030ff8d594f', '01a1e8ee-8faf-7000-8002-15cade655923', 'ACCEPTED', 1794909310911000, '01a1e8ee-8e0c-7000-8000-9312820c053c', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8fc2-7000-8002-27110f5abb4b', '01a1e8ee-8faf-7000-8002-15cade655923', 'STARTED', 1794909310914000, '01a1e8ee-8e0c-7000-8000-9312820c053c', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8fc4-7000-8002-2a28f47f73b0', '01a1e8ee-8faf-7000-8002-15cade655923', 'FINISHED', 1794909310916000, '01a1e8ee-8e0c-7000-8000-9312820c053c', NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8fce-7000-8002-4275cdf1f192', '01a1e8ee-8fcc-7000-8002-3a363541ba6e', 'STARTED', 1794909310926000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-8fe7-7000-8002-50e9891664b1', '01a1e8ee-8fe1-7000-8002-4f8d9911d819', 'SCHEDULED', 1794909310951000, NULL, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.job_events VALUES ('01a1e8ee-900b-7000-8002-68652d3f47fc', '01a1e8ee-9006-7000-8002-64dd02aa5d8d', 'FINISHED', 1794909310987000, NULL, NULL, NULL);
INSERT INTO public.job_log_chunks VALUES ('01a1e8ee-8e12-7000-8000-a1d1f3921495', 1, 0, 4, '\x1f8b08000000000000ffcacf4be502040000ffff9fa817f804000000');
INSERT INTO public.job_log_chunks VALUES ('01a1e8ee-8e12-7000-8000-a1d1f3921495', 2, 4, 4, '\x1f8b08000000000000ff2a29cfe702040000ffff7408179604000000');
INSERT INTO public.job_log_chunks VALUES ('01a1e8ee-8f5a-7000-8001-f19b499befbe', 1, 0, 12, '\x1f8b08000000000000ff4accc951c82c56284fcdc9e102040000ffffa53414e10c000000');
INSERT INTO public.job_logs VALUES ('01a1e8ee-8e12-7000-8000-a1d1f3921495', 1024, '', '{"0":"2026-11-16T09:00:00Z"}');
INSERT INTO public.job_logs VALUES ('01a1e8ee-8f5a-7000-8001-f19b499befbe', 512, 'rows', '{}');
INSERT INTO public.job_runs VALUES ('01a1e8ee-8e12-7000-8000-a1d1f3921495', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', NULL, 1794909310487000, 1794909310487000, 'running', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'running', 'with_agent', '', 0, '01a1e8ee-8df5-7000-8000-72793c882341', '8ae92b1eaf9c4fb1b5943762240d7310a6d1771328a35e8a80480bbbdc2a3eeb', NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310487000, 1794909310487000, 1794909310516000, 1794909310518000, 1794909310528000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8e54-7000-8000-c33c9e75f3a2', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', NULL, 1794909310550000, 1794909310487000, 'uploaded', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'waiting', 'waiting', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310487000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8e8e-7000-8000-e0ca1c01f93a', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e8e-7000-8000-d96910eb44f6', NULL, 1794909310608000, 1794909310608000, 'assigned', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'assigned', 'with_agent', '', 0, '01a1e8ee-8dfc-7000-8000-75094be00b65', NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310608000, 1794909310608000, 1794909310614000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8ea1-7000-8000-fb78ca3f9193', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ea1-7000-8000-f0561798bd70', NULL, 1794909310633000, 1794909310633000, 'accepted', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'accepted', 'with_agent', '', 0, '01a1e8ee-8dff-7000-8000-7b2573879012', '5764eac6f80c68f9480e202aaf6a1a1149df5575191684214fcd4292de68f916', NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310633000, 1794909310633000, 1794909310640000, 1794909310644000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8ebf-7000-8001-14b60ef72c0a', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ebf-7000-8001-0f990c19a492', NULL, 1794909310660000, 1794909310660000, 'scheduled', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'scheduled', 'scheduled', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310660000, 1794909310660000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8ecc-7000-8001-2a9a48ed7985', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ecc-7000-8001-237c7da77838', '01a1e8ee-8ed0-74a7-815e-965cf595372c', 1794909310670000, 1794909310670000, 'first', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'running', 'with_agent', '', 0, '01a1e8ee-8e04-7000-8000-81888d9b89fe', '258634e1ca8125a0443785fbfad458c1b22c923cc3e1863b3c7ddac1d4af7933', NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310670000, 1794909310670000, 1794909310680000, 1794909310681000, 1794909310684000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8ee3-7000-8001-4df74a2bb4be', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ee3-7000-8001-455ff20d2b42', '01a1e8ee-8ed0-74a7-815e-965cf595372c', 1794909310693000, 1794909310693000, 'second', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'limited', 'limited', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310693000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8eef-7000-8001-6086f4334a3a', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', NULL, 1794909310705000, 1794909310705000, 'before', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'scheduled', 'scheduled', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310705000, 1794909310705000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8eef-7000-8001-6aca087c0452', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', NULL, 1794909310705000, 1794909310705000, '', 0, NULL, 'waiting', 'waiting', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310705000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8eef-7000-8001-738c3707b883', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', NULL, 1794909310705000, 1794909310705000, 'after', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'waiting', 'waiting', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310705000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8f06-7000-8001-8e83efc9edff', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f06-7000-8001-86ede041124c', NULL, 1794909310731000, 1794909310731000, 'Release', 0, NULL, 'blocked', 'blocked', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310731000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8f16-7000-8001-9d652213305f', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f16-7000-8001-97027f2fd404', NULL, 1794909310744000, 1794909310744000, 'canceling', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'canceling', 'with_agent', '', 0, '01a1e8ee-8e06-7000-8000-8514c130580b', '8006049e9cb5810ff8239aff837d3a82437097f7805165f358bf9ae6e7f640d7', NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310744000, 1794909310744000, 1794909310748000, 1794909310749000, 1794909310752000, NULL, 1794909310755000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8f45-7000-8001-dade7d5523d8', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f38-7000-8001-b885d0a14e54', NULL, 1794909310789000, 1794909310778000, 'failing', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'scheduled', 'scheduled', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310789000, 1794909310789000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8f38-7000-8001-c35df6f73407', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f38-7000-8001-b885d0a14e54', NULL, 1794909310778000, 1794909310778000, 'failing', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'finished', 'finished', 'hard_failed', 0, '01a1e8ee-8e08-7000-8000-893eb9ac98e1', 'aa231a42371cedaefeae53080c2c5478672ab792282361918682307e11ed1a00', 1794909910789000, 3, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310778000, 1794909310778000, 1794909310783000, 1794909310784000, 1794909310787000, 1794909310789000, NULL, NULL, NULL, '01a1e8ee-8f45-7000-8001-dade7d5523d8', NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8f5a-7000-8001-f19b499befbe', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f5a-7000-8001-ea77c37c3bd2', NULL, 1794909310827000, 1794909310827000, 'passing', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'finished', 'finished', 'passed', 0, '01a1e8ee-8e0a-7000-8000-8d57c886ccc2', '0ecd5a16991f4b219b3c72e5f9713fef7e0911e37cfb5b8ff737ad27910f3608', 1794909910880000, 0, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310827000, 1794909310827000, 1794909310856000, 1794909310860000, 1794909310871000, 1794909310880000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8faf-7000-8002-15cade655923', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8faf-7000-8002-0f373e3e080a', NULL, 1794909310897000, 1794909310897000, 'child', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'finished', 'finished', 'passed', 0, '01a1e8ee-8e0c-7000-8000-9312820c053c', '77e834f12cd5efb083a0eda2327a3ac86c5677093ebb75c87c79a100a7a7adcf', 1794909910916000, 0, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310897000, 1794909310897000, 1794909310908000, 1794909310911000, 1794909310914000, 1794909310916000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8fe1-7000-8002-4f8d9911d819', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8fe1-7000-8002-479a697fad87', NULL, 1794909310951000, 1794909310951000, 'child', 0, '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'scheduled', 'scheduled', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310951000, 1794909310951000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-8fcc-7000-8002-3a363541ba6e', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8fcc-7000-8002-33dabf67b686', NULL, 1794909310926000, 1794909310926000, '', 0, NULL, 'running', 'with_agent', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310926000, 1794909310926000, NULL, NULL, 1794909310926000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e8ee-8fe1-7000-8002-479a697fad87', '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.job_runs VALUES ('01a1e8ee-9006-7000-8002-64dd02aa5d8d', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-9006-7000-8002-5cc5b58f923e', NULL, 1794909310987000, 1794909310987000, '', 0, NULL, 'finished', 'finished', 'passed', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794909310987000, NULL, NULL, NULL, NULL, 1794909310987000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 0, false, NULL, NULL, NULL);
INSERT INTO public.jobs VALUES ('01a1e8ee-8e12-7000-8000-a1d1f3921495', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e0f-7c6f-a0ad-9a70522b5aee', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', '01a1e8ee-8e12-7000-8000-9def8b950d17', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make running', '["label=running","queue=builders"]', '30026471d3e0cf7498dbbdbb6d4fae927a860931000a8b3edfaeecccfc3cd072', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310487000, 1794909310487000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8e54-7000-8000-c33c9e75f3a2', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e0f-7c6f-a0ad-9a70522b5aee', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', '01a1e8ee-8e54-7000-8000-bcec7c0e8634', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'x', '["label=uploaded","queue=builders"]', '8f8eac334cf81df233efe6e3b2c66bb99bb7e5622d51fe3740a3d675724f76f6', '00dv00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310550000, 1794909310487000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8e8e-7000-8000-e0ca1c01f93a', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e8b-7ef8-97f7-745fecd30f3d', '01a1e8ee-8e8e-7000-8000-d96910eb44f6', '01a1e8ee-8e8e-7000-8000-df91c379d1a0', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make assigned', '["label=assigned","queue=builders"]', 'ff9027eaee5d4a629323e287ca5934704e9fe086d944bb0382a0ff1e85437b83', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310608000, 1794909310608000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8ea1-7000-8000-fb78ca3f9193', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e98-7d89-b103-4dd43975c7a0', '01a1e8ee-8ea1-7000-8000-f0561798bd70', '01a1e8ee-8ea1-7000-8000-f7fa71afda18', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make accepted', '["label=accepted","queue=builders"]', 'c799b735b7042b2d1b663c4b451a300eff6521a606a10669e20b5a9d63a748d3', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310633000, 1794909310633000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8ebf-7000-8001-14b60ef72c0a', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ebc-7bf1-b90f-7732bf678d6f', '01a1e8ee-8ebf-7000-8001-0f990c19a492', '01a1e8ee-8ebf-7000-8001-137b55961aa5', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make scheduled', '["label=scheduled","queue=builders"]', 'fce2563d99f554cc1e298ed0a65c273aad928c19adc22fe4f6d0f25269b1c912', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310660000, 1794909310660000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8ecc-7000-8001-2a9a48ed7985', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eca-70fa-bb3b-78a333a4e4e4', '01a1e8ee-8ecc-7000-8001-237c7da77838', '01a1e8ee-8ecc-7000-8001-27c2c5a62ca6', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make first', '["label=first","queue=builders"]', '1910fb2d5bfe96e310909e4db8fa35112b206718b391dcd75ccf3a6ce0cc0d9c', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, '01a1e8ee-8ed0-74a7-815e-965cf595372c', 1, 'ordered', 1794909310670000, 1794909310670000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8ee3-7000-8001-4df74a2bb4be', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ee0-7661-b8bb-33d80381a8b6', '01a1e8ee-8ee3-7000-8001-455ff20d2b42', '01a1e8ee-8ee3-7000-8001-4ab7a15e5ca2', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make second', '["label=second","queue=builders"]', 'b16d8db9c023d98e9d1f1f3235bb601932c258d8532fa44798a71580a67ff15e', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, '01a1e8ee-8ed0-74a7-815e-965cf595372c', 1, 'ordered', 1794909310693000, 1794909310693000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8eef-7000-8001-6086f4334a3a', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eed-735f-a033-c7fca7f277b8', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', '01a1e8ee-8eef-7000-8001-5f6707e3d0a6', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make before', '["label=before","queue=builders"]', '79036fd5f19069589dec5cd6df5e949d8d25047a2da27492cbe152601e3d60c4', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310705000, 1794909310705000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8eef-7000-8001-6aca087c0452', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eed-735f-a033-c7fca7f277b8', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', '01a1e8ee-8eef-7000-8001-66851b0f255e', '0190a1b2-0000-7000-8000-000000000004', NULL, 'wait', '', '[]', '', '01', 1, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310705000, 1794909310705000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8eef-7000-8001-738c3707b883', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8eed-735f-a033-c7fca7f277b8', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', '01a1e8ee-8eef-7000-8001-6eb5b256ec62', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make after', '["label=after","queue=builders"]', '6e652e9c542327be3c460cf4ca6b226c5e5d7e4f1356d072e4b18d7f3eb92ff7', '02', 2, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310705000, 1794909310705000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8f06-7000-8001-8e83efc9edff', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f00-71d8-beb1-41597c4af820', '01a1e8ee-8f06-7000-8001-86ede041124c', '01a1e8ee-8f06-7000-8001-8abca8a81410', '0190a1b2-0000-7000-8000-000000000004', NULL, 'block', '', '[]', '', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310731000, 1794909310731000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8f16-7000-8001-9d652213305f', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f14-7c50-a235-5730b2127691', '01a1e8ee-8f16-7000-8001-97027f2fd404', '01a1e8ee-8f16-7000-8001-9bb6f981ca7a', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make canceling', '["label=canceling","queue=builders"]', '9427bc660406617625093f33fdcdc741046113595471b569f9b0b7c82ac3de02', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310744000, 1794909310744000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8f38-7000-8001-c35df6f73407', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f36-701e-b32d-19de1042208d', '01a1e8ee-8f38-7000-8001-b885d0a14e54', '01a1e8ee-8f38-7000-8001-bd11d1ac5da8', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make failing', '["label=failing","queue=builders"]', '21aa248dcdf635a9bb1fe69e24583a22e19eb4ca7501e4c32620b6a232c63147', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310778000, 1794909310778000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8f45-7000-8001-dade7d5523d8', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f36-701e-b32d-19de1042208d', '01a1e8ee-8f38-7000-8001-b885d0a14e54', '01a1e8ee-8f38-7000-8001-bd11d1ac5da8', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make failing', '["label=failing","queue=builders"]', '21aa248dcdf635a9bb1fe69e24583a22e19eb4ca7501e4c32620b6a232c63147', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 1, '01a1e8ee-8f38-7000-8001-c35df6f73407', 'automatic', '[1]', NULL, NULL, 0, '', 1794909310789000, 1794909310778000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8f5a-7000-8001-f19b499befbe', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8f4f-7242-bc63-b14386a8a228', '01a1e8ee-8f5a-7000-8001-ea77c37c3bd2', '01a1e8ee-8f5a-7000-8001-ecc6edbedc0f', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make passing', '["label=passing","queue=builders"]', '6fc36f29957f8fca8690b98c3a285d2685adeeae88e67bb38771c1d57c9e38f6', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310827000, 1794909310827000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8faf-7000-8002-15cade655923', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8fac-7272-93b4-c0f260ae446a', '01a1e8ee-8faf-7000-8002-0f373e3e080a', '01a1e8ee-8faf-7000-8002-13899295a9f0', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make child', '["label=child","queue=builders"]', 'a19821fecae172f8b67bd4432627e2edef13028153c53cad5d639727a8227aca', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310897000, 1794909310897000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8fcc-7000-8002-3a363541ba6e', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8fc8-7b5c-89ad-6603ae89068f', '01a1e8ee-8fcc-7000-8002-33dabf67b686', '01a1e8ee-8fcc-7000-8002-36bcbc01a214', '0190a1b2-0000-7000-8000-000000000004', NULL, 'trigger', '', '[]', '', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310926000, 1794909310926000);
INSERT INTO public.jobs VALUES ('01a1e8ee-8fe1-7000-8002-4f8d9911d819', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8fac-7272-93b4-c0f260ae446a', '01a1e8ee-8fe1-7000-8002-479a697fad87', '01a1e8ee-8fe1-7000-8002-49a0cc3d13b7', '0190a1b2-0000-7000-8000-000000000004', 'builders', 'command', 'make child', '["label=child","queue=builders"]', 'a19821fecae172f8b67bd4432627e2edef13028153c53cad5d639727a8227aca', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310951000, 1794909310951000);
INSERT INTO public.jobs VALUES ('01a1e8ee-9006-7000-8002-64dd02aa5d8d', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8ffb-7ef7-b456-c228b0d02ba5', '01a1e8ee-9006-7000-8002-5cc5b58f923e', '01a1e8ee-9006-7000-8002-6372ce61aaa5', '0190a1b2-0000-7000-8000-000000000004', NULL, 'wait', '', '[]', '', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794909310987000, 1794909310987000);
INSERT INTO public.nodes VALUES ('a node', 0, 0);
INSERT INTO public.notice_targets VALUES ('connection 01a1e8ee-8ff4-7410-9be0-d2366ab22ddf', 1794909326028435, 1794909313028435, 1, '', 1794909311028435);
INSERT INTO public.notice_targets VALUES ('service 01a1e8ee-903d-7be8-8636-fda8588a6cf1', 1794909326061417, 1794909313061417, 1, '', 1794909311061417);
INSERT INTO public.notices VALUES ('01a1e8ee-900b-7000-8002-6dfe6c1feb5c', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'commit_status', 'connection 01a1e8ee-8ff4-7410-9be0-d2366ab22ddf', 'http://127.0.0.1:39685/acme/web.git 1111111111111111111111111111111111111111 buildkite/hosted', true, '01a1e8ee-9006-7000-8002-5cc5b58f923e', 'buildkite/hosted of 1111111: success', '{"connection":"01a1e8ee-8ff4-7410-9be0-d2366ab22ddf","repository":"http://127.0.0.1:39685/acme/web.git","commit":"1111111111111111111111111111111111111111","State":"success","Context":"buildkite/hosted","URL":"","Description":"Build #1 passed"}', 1794909310987000, 'waiting', 1794909326028435, 1, 1794909311028435, '503 Service Unavailable: {"login": "ada", "id": 12, "full_name": "acme/web", "html_url": "https://git.example.com/acme/web", "clone_url": "https://git.example.com/acme/web.git"}');
INSERT INTO public.notices VALUES ('01a1e8ee-9040-7000-8002-8588ef88b8fb', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'webhook', 'service 01a1e8ee-903d-7be8-8636-fda8588a6cf1', '', false, NULL, 'Chat: ping', '{"service":"01a1e8ee-903d-7be8-8636-fda8588a6cf1","event":"ping","subject":{"build":"","state":""}}', 1794909311040293, 'waiting', 1794909326061417, 1, 1794909311061417, 'It was not reached: dial tcp: lookup example.com on 10.255.255.53:53: no such host');
INSERT INTO public.notification_services VALUES ('01a1e8ee-903d-7be8-8636-fda8588a6cf1', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'webhook', 'Chat', true, 'all', '[]', '', '["build_passed","build_fixed","build_failed"]', '{"url":"https://example.com/hook","token_mode":"token","events":["build.finished"]}', '', 1794909311037000, '0190a1b2-0000-7000-8000-000000000001', 1794909311037000);
INSERT INTO public.oidc_keys VALUES ('WUWzAo8o-AcFxTLcXIIKW8XbgHlUh0fBz1SslzmjD6o', 1, 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyy0S4OQDeibeo8ccSyC7BidG2viQvbuAXldn991tfSRiXyxkPy14f1yBYZdfN3bJAK24zaEYI2s3SnU512Ak4Ak4R85e5uLtlxd5PLBp39cTtTx9+kUw0O3lhbNPiYZGAjQciwlCVS2Vd0tGiGv3HpVAjJin5PXKalM6/l1Ws3uT6Onblw9OQbm7pAR3H9om8AsdZaeOtpfqhiCyyyzN3wchzpC1AB9ffzbcZjLdr7eV6h2wEkoZDtddBjxogab/Pgmz3RGvQeWlZs+mT2gRnYs4/pRglchnbkBFnm0Nw5auo5lBAHnP3Jgwr/r5mGpTb+kyFTJi4ezaPE8yWDl/QQIDAQAB', 'f707acd346de852c.SqF3UNq3e00zHhIY/9gz3nEn5At3ZmT40TKLB+Ixq0bMferOGC9huVTXE+d508U9UAqqNi55rvRKrK+mw5zqUdq+ds8YwomnqC2IKlvPsCyZ/S0qiyPuhdcojvMGRom5fUxxjEj71+PtMXTeO1N7ra27vZYNxe4Elme6Ujy0S4cpeXAQE9SYLA4XOJBXswG8L34L+oZYEWoXDB8gbq/FXfYqz/TRX+hijlyDfX7nhivMgP0faFDDLW/G5+VpRRSMgqiMMfiScH7Vd1E//mJFc3kXLmFWK05UjLbaQk8/xWUEZ0N/zTeeZRPcka/5Gi5453J+5huwJPeQMHzJvtdIUU5Gxc93FwlCRQVyX5eT5PigN1V+50WnhFt9jEVwXveVUD8GmME04VAOxuU7yW929+D6EOaz4lfCADU21Do+XAH388CRaWZgXTNaItNbzeIlbnze0HaJdE/13oVaY0e35ddtIKio/N0cZbIZUBimm+e7zovVzZBXcob/ijP1qotN1GTmgD+/K09s/wbRfWnvkpQIWssppthTuJB7IdsBWWjb5yjOJ29JZMIllhBtjkFNrY4ObNXhFRdAj38xRykuDp5STsveCkyDraIOmymGfuk1GSHq7dSnBvbvl56dO+nbUGElGFzxNdLVhHk57sm82J2gYXN4weGXU9snl+xvUq2rN1m2yVdlWZVU6DPhYzNYEdxJIhx/xOmzO+73p/AXPFOwFj1Uc2eVP/jT9yVQDWSj2HXxruVS6A2/mb7BGBDvkhPpefWuFPPnrB1DTdo96NDHQZ0kDrDCii40FjXp4d7u1EvAb8O70O115yiJ/3m3pOJ52HtvjsXvAxEnDVTOR5UMvJ0VfPNT5EK1PXUtAXvcuTlqgemPzgrkECaUsWkesjr6qOOQtbTxvjnj5O4W8wn1l4JZNrshJyySzkoN1aLF7JJ3k8mZ2OhS6szvFr8YNgl7S62BxkTWp1TrRWm+iXeIpKEoJOijGUs28mdj3eNJlizZ/N7nWwudV5VShLA4+c40ffGS2AI6IrZ+h+COJz9Gpy3EcCYIFitn4mEE1W8Tp7nhK3kSIUvy0Z1U2tJw+9G6UV1MI1Y4GrKpSxZurKoWX1L27Mo9Bte5CnMhOfqJMY5ilheSKEcdtjhWXQ9PMM+DWgh58YcOkTJ7Zz5nvfYPbvTeVCMUSOnaR0DGog2soy69xfFnKmCUwGFN6HtjpieBB8LYqtVCF1KZrlY1Y0DhFrnuuXiQHBp7tE6pKUaKCBMrN7NpO4I7i27BnvDYuAu2X+GAHq49ZnbTdcIjdtA9Y3ceFr7mBej9c60QzKIEaqvxpB8mQYDHuTzA27Plx72fqbgMDV+vsfuzCPozlbDKHYfqb8k7i+8pgEQWyJskGmh/t7AEWvWlE+GAeelKVG8HeXf41AYVC+zimZZXM+Svy7PF45WBS62AHv0vc8jJjTvm7CoouAy/WBfM1tDiLvkJJVfRZfhoLkqNcWq1kcfL26/zuGl+GFEMstJGqX70j1M1yvKU6YycNvRTtT7rJ9AqKSg5bwgtOZVh0CMqKJEPjY4Q4HpX8su9LKKFqIKLsUWVDr/1G4432DBzxJSPTWZESiXYo6+Smq0FnoQ82pl74CaWxCZuRY2NVaA4qh/yaNIwDs33lcd6CJm4OLmAu3p6hFcLqyF/jn1HncV6EH7XME0UriGsUeY3dAYec6x96237AU4WSPqHV2FKSzIvKZ/Pf7+B8QtJZMSllfvqm2/iuZdAPVFL4M/hIvwx4F+pz2km7JSIF677J9NaxAxcEfh9V4Up+lHZC+MIWtkMQsVLryNtrXXtR8Uez7ypkCii6CBu8G+wK8hs8yD9lUgwN/o8a+kSWcv8HWNcu+H1cQOZusli8HYxAEbXCdeY7vWaUkrDt/z67rcgk4JfwujRtisKaMLZE8bLNTS5+vPjJRtUBh4UNdz4Ls7c+5cnHxygutlsB5kRQ5+zjpFEYR9vTykI07gbE9mDKWm0aDgtAaNgulP5VKyGUUxk62f+VOFelu1NmVIDBiSHgCBqLMdY4LpAw5G3XbEIllcvfkvcToguoOFdmmEcWBV4SlewpbOkil1I7m1mLQ9ZCgdQnHo4nXBb01ZVx7Sfb4vMNLnBv4FWDwD//Eewvr0FbBfv7dw9Q/B5uq6g+2VUXv5YDO4Jc918rV5FVlsa7H84iCIbJQ', 1794909310284528, 1794909310284528);
INSERT INTO public.organization_banners VALUES ('01a1e8ee-9047-76f0-8e79-c4ad91f74d7f', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'Maintenance on Sunday', 1794909311047000, 1794909311047000);
INSERT INTO public.organization_counts VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 3, 1, 0, 0);
INSERT INTO public.organization_counts VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 6, 0, 12, 1);
INSERT INTO public.organization_counts VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 5, 0, 4, 0);
INSERT INTO public.organization_members VALUES ('01a1e8ee-8cfb-788b-8559-9fcf213cda31', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000002', 'member', 1794909310192000, '0190a1b2-0000-7000-8000-000000000001', '2026-02-20', 'optional');
INSERT INTO public.organization_members VALUES ('01a1e8ee-8cf9-7df4-b4a0-ce7372db2216', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000001', 'admin', 1794909310192000, '0190a1b2-0000-7000-8000-000000000001', '2026-11-17', 'optional');
INSERT INTO public.organizations VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'acme-inc', 'Acme Inc', 'acme inc', 1794909310192000, 'monthly', '2026-01-15', '01a1e8ee-8cf6-7e6c-b638-565feff66d14', 'members', true, true, '0190a1b2-0000-7000-8000-000000000004', '', 0, 0, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.organizations VALUES ('01a1e8ee-8cf6-7e6c-b638-565feff66d14', 'holding-co', 'Holding Co', 'holding co', 1794909310192000, 'annual', '2026-01-01', NULL, 'members', true, true, NULL, '', 0, 0, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.pipeline_favorites VALUES ('01a1e8ee-8d9c-71b8-881b-98a0ee9635fc', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.pipeline_schedules VALUES ('01a1e8ee-9028-72ad-8496-f81eb302b785', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d9c-71b8-881b-98a0ee9635fc', 'Nightly', '@daily', NULL, 'HEAD', 'main', '{"NIGHT":"1"}', true, 1794960000000000, NULL, NULL, 1794909311016091, '0190a1b2-0000-7000-8000-000000000001', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.pipeline_tags VALUES ('01a1e8ee-8d9c-71b8-881b-98a0ee9635fc', 'linux');
INSERT INTO public.pipeline_tags VALUES ('01a1e8ee-8d9c-71b8-881b-98a0ee9635fc', 'go');
INSERT INTO public.pipeline_templates VALUES ('01a1e8ee-903a-70c0-88c9-42b1d699cc41', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'Go', 'go', NULL, 'steps: [wait]', '[{"type":"waiter"}]', true, 1794909311034000, '0190a1b2-0000-7000-8000-000000000001', 1794909311034000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.pipeline_triggers VALUES ('01a1e8ee-902f-7ccb-a64f-8b90fd18bb18', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8d9c-71b8-881b-98a0ee9635fc', 'github', '209eb06a1af4de9d71ec5844c860cf2914cf6e280177ffe59726f234873c341e', 'r5', 'Deploy', true, NULL, NULL, NULL, '{}', 'et', 1794909311023000, '0190a1b2-0000-7000-8000-000000000001', 1794909311023000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.pipeline_webhooks VALUES ('01a1e8ee-8ffb-7ef7-b456-c228b0d02ba5', '01a1e8ee-8ff4-7410-9be0-d2366ab22ddf', 'acme/web', '12', 1794909310976000);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8d9c-71b8-881b-98a0ee9635fc', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'web', 'Web', 'web', 'git@example.com:acme/web.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310364000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps:
  - command: make test
', NULL, NULL, 'private', '["linux","go"]', NULL, NULL, '{"CI":"true"}', false, NULL, false, NULL, NULL, NULL, true, NULL, 1, '[{"agent_query_rules":[],"artifact_paths":null,"branch_configuration":null,"command":"make test","concurrency":null,"env":{},"name":null,"parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, '27Y8ra9AEOVOWuGJ4OXy4bQuYmYACZHQ6vCnEtoU', 'gSn7404rgKu1952Odxb919J9m9wRYqR7ioMz8I2W', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8db0-7ca3-bf1e-67f8de5d0436', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'older', 'Old', 'old', 'git@example.com:acme/old.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310384000, '0190a1b2-0000-7000-8000-000000000001', 1794909310418000, NULL, 'steps: []
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, '0190a1b2-0000-7000-8000-000000000001', 1, '[]', '{}', NULL, 'PmegAEMvAMOfTqpJm9HHd4rFWcAYMddmjszJ2f3E', 'AgFIUp0RZ4Gl2ybH0GqRixFMevKhnVliOG8TqZxR', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8e0f-7c6f-a0ad-9a70522b5aee', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'running', 'running', 'running', 'git@example.com:acme/running.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310479000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: running, command: make running, agents: {queue: builders, label: running} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=running","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make running","concurrency":null,"env":{},"name":"running","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'lgCnx4pimgH8yOP8mq0GBhv1BpvNtXS904D4W86R', 'fdwipTNVzefQmClmpr8pb0dsLOPOy9M7v15Rs5SC', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8e8b-7ef8-97f7-745fecd30f3d', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'assigned', 'assigned', 'assigned', 'git@example.com:acme/assigned.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310603000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: assigned, command: make assigned, agents: {queue: builders, label: assigned} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=assigned","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make assigned","concurrency":null,"env":{},"name":"assigned","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'ez1h3Q1TFVCfFrXrwoGKJu4ppyTW3qkzrIxhsQWV', '3JcHgfuVKPeTuadBaombW7OuaubgO18eTivh8Ja5', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8e98-7d89-b103-4dd43975c7a0', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'accepted', 'accepted', 'accepted', 'git@example.com:acme/accepted.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310616000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: accepted, command: make accepted, agents: {queue: builders, label: accepted} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=accepted","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make accepted","concurrency":null,"env":{},"name":"accepted","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'rBhduTB6A2gjVUQ5Brmc8sN1fHA02upX8eIexBuk', 'DnMokJ3T3x7LUsRn75wxVnCAZggHNkHDcVHzPZIC', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8ebc-7bf1-b90f-7732bf678d6f', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'scheduled', 'scheduled', 'scheduled', 'git@example.com:acme/scheduled.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310652000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: scheduled, command: make scheduled, agents: {queue: builders, label: scheduled} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=scheduled","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make scheduled","concurrency":null,"env":{},"name":"scheduled","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'ZkeZoyGLUBvdKR0uB2KKSfcN5xrs72XUpkI354yQ', 'XYQritrVcs9AqvC2LkY4gZ1BPIwj4NioTV9irZxf', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8eca-70fa-bb3b-78a333a4e4e4', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'first', 'first', 'first', 'git@example.com:acme/first.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310666000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: first, command: make first, agents: {queue: builders, label: first}, concurrency: 1, concurrency_group: deploy }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=first","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make first","concurrency":1,"env":{},"name":"first","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'wYHwo3BNI97k3TGtJPyr5P1PZ8o7vA9T06793YFD', 'tmJCyG6SxH9uKAV34mDi6zSAoSwDDmF44ba8Xdp2', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8ee0-7661-b8bb-33d80381a8b6', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'second', 'second', 'second', 'git@example.com:acme/second.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310688000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: second, command: make second, agents: {queue: builders, label: second}, concurrency: 1, concurrency_group: deploy }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=second","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make second","concurrency":1,"env":{},"name":"second","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, '1KlVG9E4UDel4HDoJipspEDptWpVVkWheoZdaFxV', 'HErE23iC7L1d8cSdiK0oe5LoO1ZdZGh31rIrCqRF', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8eed-735f-a033-c7fca7f277b8', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'waiting', 'waiting', 'waiting', 'git@example.com:acme/waiting.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310701000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: before, command: make before, agents: {queue: builders, label: before}, key: before }, wait, { label: after, command: make after, agents: {queue: builders, label: after}, depends_on: before }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=before","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make before","concurrency":null,"env":{},"name":"before","parallelism":null,"timeout_in_minutes":null,"type":"script"},{"type":"waiter"},{"agent_query_rules":["label=after","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make after","concurrency":null,"env":{},"name":"after","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'JMMvTVlJi6F2aHbklEgZvw1CVpUhDqN6JI9RXSKq', 'ZBSosfVCPM6SpxDv3UIuAdtU3yTkxACueuqeCx6w', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8f00-71d8-beb1-41597c4af820', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'blocked', 'blocked', 'blocked', 'git@example.com:acme/blocked.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310720000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{block: Release, key: release, fields: [{text: Version, key: version}]}]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"label":"Release","type":"manual"}]', '{}', NULL, 'Tu3d879ch1fHDy42Pko7JDgcIM7i33OjmiEYFhd1', 'avsY2xTPrtvbWeoG2iQDvSovo71p3DbB7SdjcMlD', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8f14-7c50-a235-5730b2127691', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'canceling', 'canceling', 'canceling', 'git@example.com:acme/canceling.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310740000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: canceling, command: make canceling, agents: {queue: builders, label: canceling} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=canceling","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make canceling","concurrency":null,"env":{},"name":"canceling","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'wdJ7ZdhQrQFfyVBIGQmQzdYfnoY9qYW3EeG5C3Fc', 'KpzLpEyHj0QislksKMwPtTOpRLlD8LZtTPUr8BNe', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8f36-701e-b32d-19de1042208d', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'retried', 'retried', 'retried', 'git@example.com:acme/retried.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310774000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: failing, command: make failing, agents: {queue: builders, label: failing}, retry: {automatic: [{exit_status: 3, limit: 1}]} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=failing","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make failing","concurrency":null,"env":{},"name":"failing","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, '37nK57TcU7bfiSEeXmPvszs5jf9nZ1aAZSmdFK84', 'IiXu5ClyHZgvwwdtEuPDTt0wwE7iMF8FGVO6alEN', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8f4f-7242-bc63-b14386a8a228', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'finished', 'finished', 'finished', 'git@example.com:acme/finished.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310799000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: passing, command: make passing, agents: {queue: builders, label: passing} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=passing","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make passing","concurrency":null,"env":{},"name":"passing","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'obP5lc3Cmlc3xxdoVPAlDG8lI07JQR0uQdzqYXcv', 'GZgj6iShKB8DmcGFgkgijC1QAWDQ4MOtW0jKnh37', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8ffb-7ef7-b456-c228b0d02ba5', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'hosted', 'Hosted', 'hosted', 'http://127.0.0.1:39685/acme/web.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310971000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [wait]', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"type":"waiter"}]', '{"build_pull_requests":true,"publish_commit_status":true}', NULL, 'KeFkpDh2DNleRevMPijglzkdfBQYJozIph4f5yDb', '91HxyljMwCmwWXkEXUVRHQAY3gzv4bieRK3Cpq6u', NULL, '01a1e8ee-8ff4-7410-9be0-d2366ab22ddf');
INSERT INTO public.pipelines VALUES ('01a1e8ee-8fc8-7b5c-89ad-6603ae89068f', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'parent', 'parent', 'parent', 'git@example.com:acme/parent.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310920000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{trigger: child}]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"branch_configuration":null,"label":null,"pipeline":"child","type":"trigger"}]', '{}', NULL, '1J0X8xmRtjH0Y1Exp1FzJYDQMzFDOsE27NLRKZJz', 'r4FezfXfMOkQnWf0ewQiBHAveHjSTTiGoQLJoMPu', NULL, NULL);
INSERT INTO public.pipelines VALUES ('01a1e8ee-8fac-7272-93b4-c0f260ae446a', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'child', 'child', 'child', 'git@example.com:acme/child.git', '0190a1b2-0000-7000-8000-000000000004', 1794909310892000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: child, command: make child, agents: {queue: builders, label: child} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 3, '[{"agent_query_rules":["label=child","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make child","concurrency":null,"env":{},"name":"child","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'HhsLymcG3Y0O1hbHXxAp0CFNE9DOCWKZGwHeUV3N', 'T1XqmPQOzBVRGxbw7CzR5xjkjA1ZcciJbch4pbzM', NULL, NULL);
INSERT INTO public.portal_secrets VALUES ('01a1e8ee-8ddd-7f22-bf6b-0cb926b432dc', '01a1e8ee-8dd6-70bc-b754-4b00a3444dc6', '994012cf6f450240be2f54c176c2072c1aa8e4a849db81eef4f432f8f661fb41', 'Program', 1794909310429000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.portal_token_codes VALUES ('a code', '01a1e8ee-8dd6-70bc-b754-4b00a3444dc6', '0190a1b2-0000-7000-8000-000000000001', 1, 2);
INSERT INTO public.portal_tokens VALUES ('2a223640500dfc81c91af0387e4b03ff14556e5a2209ebd9af5b52666e4220bd', '01a1e8ee-8dd6-70d1-9a27-dd126d562444', '01a1e8ee-8dd6-70bc-b754-4b00a3444dc6', NULL, 'Created with the portal', 1794909310422000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL);
INSERT INTO public.portal_tokens VALUES ('d503c54c1a758508bd8516406cc5387f2a038d141be339be7db0eebc7841eb6a', '01a1e8ee-8ddb-7ace-8bbf-98df6a489e90', '01a1e8ee-8dd6-70bc-b754-4b00a3444dc6', NULL, 'Dashboard', 1794909310427000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL);
INSERT INTO public.portal_tokens VALUES ('7caeb1c44b581f8b030e2d6a0267baba773e4daedfcbc98e50c5d1eef253db9f', '01a1e8ee-8de0-7e89-9bfe-9e6f850263a3', '01a1e8ee-8dd6-70bc-b754-4b00a3444dc6', '01a1e8ee-8ddd-7f22-bf6b-0cb926b432dc', 'Program', 1794909310432000, NULL, 1794912910432000, NULL);
INSERT INTO public.portals VALUES ('01a1e8ee-8dd6-70bc-b754-4b00a3444dc6', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'status', 'Status', 'status', NULL, 'query Me { viewer { id } }', NULL, 1794909310422000, '0190a1b2-0000-7000-8000-000000000001', false);
INSERT INTO public.postponed_items VALUES ('time_out', 'an item', 12, 0, 0, 'it is damaged', 1);
INSERT INTO public.pull_requests VALUES ('01a1e8ee-8ffb-7ef7-b456-c228b0d02ba5', 'feature/x', '{"id":"7","base":"main","repository":"https://git.example.com/acme/web.git"}', 1794909310985260);
INSERT INTO public.queue_samples VALUES ('0190a1b2-0000-7000-8000-000000000005', 1794908700000000, 1, 0, 0, 0, 0, NULL, NULL);
INSERT INTO public.queue_samples VALUES ('01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 1794908700000000, 1, 0, 0, 0, 0, NULL, NULL);
INSERT INTO public.queue_samples VALUES ('01a1e8ee-8d0a-7d9c-b3bd-38988bbac837', 1794908700000000, 1, 0, 0, 0, 0, NULL, NULL);
INSERT INTO public.queue_waits VALUES (1794909310528000, '01a1e8ee-8e12-7000-8000-a1d1f3921495', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 41000);
INSERT INTO public.queue_waits VALUES (1794909310684000, '01a1e8ee-8ecc-7000-8001-2a9a48ed7985', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 14000);
INSERT INTO public.queue_waits VALUES (1794909310752000, '01a1e8ee-8f16-7000-8001-9d652213305f', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 8000);
INSERT INTO public.queue_waits VALUES (1794909310787000, '01a1e8ee-8f38-7000-8001-c35df6f73407', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 9000);
INSERT INTO public.queue_waits VALUES (1794909310871000, '01a1e8ee-8f5a-7000-8001-f19b499befbe', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 44000);
INSERT INTO public.queue_waits VALUES (1794909310914000, '01a1e8ee-8faf-7000-8002-15cade655923', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 17000);
INSERT INTO public.ready_jobs VALUES ('01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'fce2563d99f554cc1e298ed0a65c273aad928c19adc22fe4f6d0f25269b1c912', 0, 1794909310660000, 0, '01a1e8ee-8ebf-7000-8001-14b60ef72c0a', '["label=scheduled","queue=builders"]', 1794909310660000, NULL);
INSERT INTO public.ready_jobs VALUES ('01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '79036fd5f19069589dec5cd6df5e949d8d25047a2da27492cbe152601e3d60c4', 0, 1794909310705000, 0, '01a1e8ee-8eef-7000-8001-6086f4334a3a', '["label=before","queue=builders"]', 1794909310705000, NULL);
INSERT INTO public.ready_jobs VALUES ('01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', '21aa248dcdf635a9bb1fe69e24583a22e19eb4ca7501e4c32620b6a232c63147', 0, 1794909310789000, 0, '01a1e8ee-8f45-7000-8001-dade7d5523d8', '["label=failing","queue=builders"]', 1794909310789000, NULL);
INSERT INTO public.ready_jobs VALUES ('01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'a19821fecae172f8b67bd4432627e2edef13028153c53cad5d639727a8227aca', 0, 1794909310951000, 0, '01a1e8ee-8fe1-7000-8002-4f8d9911d819', '["label=child","queue=builders"]', 1794909310951000, NULL);
INSERT INTO public.repository_connections VALUES ('01a1e8ee-8ff4-7410-9be0-d2366ab22ddf', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'gitea', 'http://127.0.0.1:39685', 'http://127.0.0.1:39685', 'ada', 1794909310964000, '0190a1b2-0000-7000-8000-000000000001', 1794909310964000, 'null');
INSERT INTO public.rules VALUES ('01a1e8ee-9020-718f-b392-003047ccaa35', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'pipeline.trigger_build.pipeline', NULL, '01a1e8ee-8d9c-71b8-881b-98a0ee9635fc', '01a1e8ee-8ffb-7ef7-b456-c228b0d02ba5', '[]', '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', 1794909311008000, '0190a1b2-0000-7000-8000-000000000001', 1794909311008000);
INSERT INTO public.scheduled_builds VALUES ('01a1e8ee-8f06-7000-8001-86ede041124c', '01a1e8ee-9028-72ad-8496-f81eb302b785');
INSERT INTO public.schema_migrations VALUES (1, '0001_initial', 1794909309230294, 'users organizations organization_counts organization_members teams team_members api_tokens api_token_organizations clusters cluster_maintainers cluster_queues cluster_agent_tokens cache_registries pipelines bootstrap_items git_mirror_syncs', '626683a9b62d8f23b09b5ffb33d540e7a1f04ea1bc4b42198e8842c43c03f056');
INSERT INTO public.schema_migrations VALUES (2, '0002_pipelines_teams_audit', 1794909309244109, 'pipeline_tags team_pipelines audit_events', '28a03c188083734f29c47a70a13a132cd9d53689f6554a187e52a8ef225a7573');
INSERT INTO public.schema_migrations VALUES (3, '0003_access', 1794909309265164, 'user_sessions portals portal_secrets portal_tokens pipeline_favorites setup_links', 'd3d43b9ab0e588f014b066f99a37cf741b4965ae50cc2b91af4fcbdeb6e54d51');
INSERT INTO public.schema_migrations VALUES (4, '0004_usage', 1794909309274586, 'activity_days usage_users usage_counts usage_locks usage_state', 'c14d89412498b179bc2740e83f615a2f6fab251f1687926b40f61774bafc2dfc');
INSERT INTO public.schema_migrations VALUES (5, '0005_cache_store', 1794909309275093, '', 'c23fe4a01c97ccc5cf58d21c0047230c128f331640e4b94cd8b89c7e012f1d75');
INSERT INTO public.schema_migrations VALUES (6, '0006_client_fields', 1794909309289512, '', '09f7dc1ef89bc47a4b95e04d4873803fc32a5cbf47c931fb719c27881ba25851');
INSERT INTO public.schema_migrations VALUES (7, '0007_people', 1794909309313298, 'invitations invitation_teams invitation_links invitation_mails', 'fcff538750139258826978051579ff4ebdee553ee098a30205fbd8027edc1df1');
INSERT INTO public.schema_migrations VALUES (8, '0008_idempotency_keys', 1794909309315202, 'idempotency_keys', '573c0dd728a4d84443a37b58fa31986950af750496b9a4dcd68ef6777c0b8304');
INSERT INTO public.schema_migrations VALUES (9, '0009_organization_settings', 1794909309318451, '', 'd9a060ec12b62bda602d96186d148336773685658bf26fc66d7084076fe88da1');
INSERT INTO public.schema_migrations VALUES (10, '0010_user_portals', 1794909309323408, 'portal_token_codes', 'e54545a599a2608c2382eb6f26b4f5535fcdb033c015e4a6b34acd9fd012e73f');
INSERT INTO public.schema_migrations VALUES (11, '0011_builds', 1794909309388274, 'agents agent_heartbeats builds build_steps step_dependencies concurrency_groups jobs job_events job_log_chunks step_uploads build_meta_data annotations artifacts artifact_uploads build_tasks', '3928d044fa059bc61d6a8a17a4d8108976e51d86e56e8c91c9133cc23a60d953');
INSERT INTO public.schema_migrations VALUES (12, '0013_signing', 1794909309391294, 'signing_keys blob_deletions', '436cabc80c1e39104300923359dee6d1c6c9880e13e92c8e71471b617e9a6084');
INSERT INTO public.schema_migrations VALUES (13, '0015_cache_entries', 1794909309405130, 'cache_entry_sets cache_entries cache_entry_prefixes cache_uploads cache_decisions cache_days', 'a64c76789b93046d792da4e66eb8246d681e094e0baf72d1122d78cbfed7917a');
INSERT INTO public.schema_migrations VALUES (14, '0016_cluster_secrets', 1794909309409267, 'cluster_secrets', '7bb369b31330c82fdaba5d56828e3b33c9b9916b6c0347ec15992b346ee04046');
INSERT INTO public.schema_migrations VALUES (15, '0017_oidc_keys', 1794909309411118, 'oidc_keys', '4c7b5a0970c7700ad781da5d19ad35ca6373ed987cac157e4ecfc977cb8732b6');
INSERT INTO public.schema_migrations VALUES (16, '0018_build_retention', 1794909309414271, '', 'f706e820e7162662d06933045786574faf0672dc5bc1295b03674ffe896d1a33');
INSERT INTO public.schema_migrations VALUES (17, '0019_queue_samples', 1794909309417553, 'queue_samples', 'eee9868098534e52c1a00ab5cfdb3c079c762ae780e995c07f5f5d3f46348ca9');
INSERT INTO public.schema_migrations VALUES (18, '0020_session_use', 1794909309418126, '', '2d4d57e810f7876bc7c5b1f8fa463757cbd85f5484f2204f6957f49e41f8799c');
INSERT INTO public.schema_migrations VALUES (19, '0022_triggered_builds', 1794909309418641, '', 'aa2308624e05584daf82264ac4a25cba04e496300b432756ac8970c632061316');
INSERT INTO public.schema_migrations VALUES (20, '0023_job_runs', 1794909309445652, 'job_runs ready_jobs job_logs queue_waits', '5a681135da0e476e60766fbead60805f605565edd292909560aab41325544ae5');
INSERT INTO public.schema_migrations VALUES (21, '0024_postponed_items', 1794909309447763, 'postponed_items', 'a28acdcf6d80aa273f8b46860407f31c7bdf3e90b6a820c578ac5ff921b7e43b');
INSERT INTO public.schema_migrations VALUES (22, '0025_nodes', 1794909309449068, 'nodes', 'd35832735d2801a0ab357a1f343587ad50656f6c65c23d28f6b31b316f65dcc5');
INSERT INTO public.schema_migrations VALUES (23, '0027_annotation_html', 1794909309450127, '', '69e8252700eb821463181b5ff93052e6465d82ed520dd0f811207248dce1cbcf');
INSERT INTO public.schema_migrations VALUES (24, '0029_build_origins', 1794909309453469, '', '393fb5b2107ec7b5e34e11748487051cc52909219c2c52f2d5ad7e88341a5517');
INSERT INTO public.schema_migrations VALUES (25, '0031_former_pipeline_slugs', 1794909309455777, 'former_pipeline_slugs', 'a63503a23c81af15c740ad9a32171d6186a5c126358ecab007807cb512554650');
INSERT INTO public.schema_migrations VALUES (26, '0035_rules', 1794909309459264, 'rules', '043d6f7bb313deacf1bb5c9bd205da502a5459d3a18f6d06c769ef98dd6a42fb');
INSERT INTO public.schema_migrations VALUES (27, '0036_pipeline_schedules', 1794909309465260, 'pipeline_schedules scheduled_builds', '09db2b4a9ecd142cd81125e3f0c902f38dc239adee7012bb9ce6b0d94dfedb3f');
INSERT INTO public.schema_migrations VALUES (28, '0037_pipeline_templates', 1794909309470254, 'pipeline_templates', '187e2820bb552dbc26f313f33c2eb60e3a3eb93ab2d7d6c37c1dbce357aee6da');
INSERT INTO public.schema_migrations VALUES (29, '0038_outbox', 1794909309475856, 'notices notice_targets', '5f714c3d00e1580cf9cfe278c49cc4868d258df70ff4b0e6fdc127470f28e80a');
INSERT INTO public.schema_migrations VALUES (30, '0039_repository_hosts', 1794909309492989, 'repository_connections connection_secrets pipeline_webhooks deliveries pull_requests', '053cbe0d6fbd1271163a92c71759d4ad2065207f730ffb74dc17169c0035caf2');
INSERT INTO public.schema_migrations VALUES (31, '0040_notification_services', 1794909309497474, 'notification_services', '2245488ce23f386af9c1a41cb647fe717baca96b286835bc29ac0059f046611a');
INSERT INTO public.schema_migrations VALUES (32, '0050_missed_offers', 1794909309498037, '', '7af71aa7ce5a1f22d85ea187ed6cf49a41b001540969fa293b47cb538f1c1a27');
INSERT INTO public.schema_migrations VALUES (33, '0060_unclustered_tokens', 1794909309505521, 'unclustered_tokens organization_banners', '4d5313b46691c3ffda1b21697421051423fc55152bcadaa7ca700994107a913e');
INSERT INTO public.schema_migrations VALUES (34, '0061_stacks', 1794909309510611, 'stacks', '0659991a174bb02fe5d18b5cb1c47530e6d475b8a674f21848cca25adf13eab5');
INSERT INTO public.schema_migrations VALUES (35, '0080_pipeline_triggers', 1794909309519647, 'pipeline_triggers trigger_secrets', '5a760fe39183a5e25793c00558d65602bed1394ec23ae0c129efa363f6cf745a');
INSERT INTO public.schema_migrations VALUES (36, '0081_notifications', 1794909309521276, '', '6e430a540b357a1e91502f38ff13fe1a2fd554d03783e9eb5598351419ea75a8');
INSERT INTO public.schema_migrations VALUES (37, '0082_rate_limits', 1794909309521757, '', '1c58e8a2e12c3779151fa447ee756999533b18f6df44f7aaa4268378bf465b43');
INSERT INTO public.schema_migrations VALUES (38, '0083_notices_of_targets', 1794909309522226, '', '7d287832572dac6b42db6dc38889fd459482a031a4a7856f33288648b36b928d');
INSERT INTO public.schema_migrations VALUES (39, '0086_metrics', 1794909309523149, '', '33b6e7756d5e98412a72e0a1e9b03f770809f748db8088dcda503634cf42db7e');
INSERT INTO public.schema_migrations VALUES (40, '0089_test_reports', 1794909309525952, 'test_reports', '753680b89e7adc2e1dd1fe8d2ca172e09a4913a2a4f01067a160bdb989427adb');
INSERT INTO public.setup_links VALUES ('0585b8aca4dc23a88a7497d93a92ea0cdf1be4564f4f8535266dc0d7bff4c33a', 1794909309849000);
INSERT INTO public.signing_keys VALUES ('iw2gcocabqo4', 'JZFJPNXH2V5UWV3HFJAPYSNP4DHNTRVMEZSKEMOWOYAMTQRHYUHU', 1794909310563830, 1795085710563830);
INSERT INTO public.stacks VALUES ('01a1e8ee-9060-7edd-9647-6b0482c9dc22', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000004', '01a1e8ee-8d09-7c3c-bff0-d05cb9056fed', 'kubernetes', 'kubernetes', '{"zone":"a"}', 1794909311072000, 1794909311072000, NULL);
INSERT INTO public.step_dependencies VALUES ('01a1e8ee-8e56-7000-8000-c48bed2dced7', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', '01a1e8ee-8e54-7000-8000-bcec7c0e8634', '01a1e8ee-8e12-7000-8000-9def8b950d17', NULL, true, false, 'open');
INSERT INTO public.step_dependencies VALUES ('01a1e8ee-8ef1-7000-8001-75793003e724', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', '01a1e8ee-8eef-7000-8001-66851b0f255e', '01a1e8ee-8eef-7000-8001-5f6707e3d0a6', NULL, false, false, 'open');
INSERT INTO public.step_dependencies VALUES ('01a1e8ee-8ef1-7000-8001-79b060be33e5', '01a1e8ee-8eef-7000-8001-5b23c88b01ec', '01a1e8ee-8eef-7000-8001-6eb5b256ec62', '01a1e8ee-8eef-7000-8001-5f6707e3d0a6', NULL, false, false, 'open');
INSERT INTO public.step_uploads VALUES ('0190a1b2-0000-7000-8000-00000000000a', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 1794909310550000, true, false, '', '{"steps": [{"label": "uploaded", "command": "x", "agents": {"queue": "builders", "label": "uploaded"}}]}');
INSERT INTO public.team_members VALUES ('01a1e8ee-8cfd-7887-9766-ae674a108cd7', '0190a1b2-0000-7000-8000-000000000003', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000002', 'maintainer', 1794909310192000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.team_pipelines VALUES ('01a1e8ee-8da4-76a3-b7c8-8774350e8490', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '0190a1b2-0000-7000-8000-000000000003', '01a1e8ee-8d9c-71b8-881b-98a0ee9635fc', 'manage_build_and_read', 1794909310364000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.teams VALUES ('0190a1b2-0000-7000-8000-000000000003', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'platform', 'Platform', 'platform', NULL, 'visible', false, 'member', false, 1794909310192000, '0190a1b2-0000-7000-8000-000000000001', false, false, false, false, false);
INSERT INTO public.test_reports VALUES ('a report', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '01a1e8ee-8e12-7000-8000-98e1a0fa658a', '01a1e8ee-8e12-7000-8000-a1d1f3921495', 'junit.xml', 'read', '', 1, 0, 0, 1000, '[]', 1794909310487000);
INSERT INTO public.trigger_secrets VALUES ('01a1e8ee-9032-7540-89cf-b6a5e45e7dfd', '01a1e8ee-902f-7ccb-a64f-8b90fd18bb18', 'f707acd346de852c.zxpERUIaeY6KPeaP1XRsDcdy86vB5tuJQBg7x4830lhpGwF/Y5mnzNE');
INSERT INTO public.unclustered_tokens VALUES ('01a1e8ee-9053-7e78-b810-cc8a6556bd22', '01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', 'c77951d69f0b32390f2dfc159715493b16f67a5ed1c3c63a7d06c1d90c93469a', 'Old fleet', 1794909311059000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, NULL);
INSERT INTO public.usage_counts VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '2026-11-01', 1);
INSERT INTO public.usage_counts VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '2026-11-15', 1);
INSERT INTO public.usage_counts VALUES ('01a1e8ee-8cf6-7e6c-b638-565feff66d14', '2026-11-01', 1);
INSERT INTO public.usage_locks VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b');
INSERT INTO public.usage_locks VALUES ('01a1e8ee-8cf6-7e6c-b638-565feff66d14');
INSERT INTO public.usage_state VALUES (1, '');
INSERT INTO public.usage_users VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '2026-11-01', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.usage_users VALUES ('01a1e8ee-8cf5-7d62-a67e-c3b98361b94b', '2026-11-15', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.usage_users VALUES ('01a1e8ee-8cf6-7e6c-b638-565feff66d14', '2026-11-01', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.user_sessions VALUES ('96d9e7a70171d7d37a946dfd68d0b902b6d7a2803e32220ba60d651aa363230c', '01a1e8ee-90d1-73aa-8a84-9cc8290ebfd1', '0190a1b2-0000-7000-8000-000000000001', '127.0.0.1', 'Go-http-client/1.1', 1794909311185000, 1796118911185000, NULL, NULL, NULL);
INSERT INTO public.users VALUES ('0190a1b2-0000-7000-8000-000000000001', 'admin@example.com', 'admin@example.com', 'Admin', 'admin', '$argon2id$v=19$m=19456,t=2,p=1$bxVBbSfVI6ah71+2+Lpg0w$cV5hVoSLUm0ewgFNWOPd0c4ywc7T3VxDiRdFnRez9q0', 1794909310192000, NULL, false, 'failed');
INSERT INTO public.users VALUES ('0190a1b2-0000-7000-8000-000000000002', 'dev@example.com', 'dev@example.com', 'Dev', 'dev', NULL, 1794909310192000, NULL, false, 'failed');
ALTER TABLE ONLY public.activity_days
    ADD CONSTRAINT activity_days_pkey PRIMARY KEY (organization_id, day, user_id);
ALTER TABLE ONLY public.agent_heartbeats
    ADD CONSTRAINT agent_heartbeats_pkey PRIMARY KEY (agent_id);
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_session_hash_key UNIQUE (session_hash);
ALTER TABLE ONLY public.annotations
    ADD CONSTRAINT annotations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.annotations
    ADD CONSTRAINT annotations_scope_id_context_key UNIQUE (scope_id, context);
ALTER TABLE ONLY public.api_token_organizations
    ADD CONSTRAINT api_token_organizations_pkey PRIMARY KEY (token_id, organization_id);
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_id_key UNIQUE (id);
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.artifact_uploads
    ADD CONSTRAINT artifact_uploads_pkey PRIMARY KEY (job_id, id);
ALTER TABLE ONLY public.artifacts
    ADD CONSTRAINT artifacts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (organization_id, id);
ALTER TABLE ONLY public.blob_deletions
    ADD CONSTRAINT blob_deletions_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.bootstrap_items
    ADD CONSTRAINT bootstrap_items_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY public.build_meta_data
    ADD CONSTRAINT build_meta_data_pkey PRIMARY KEY (build_id, key);
ALTER TABLE ONLY public.build_steps
    ADD CONSTRAINT build_steps_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.build_tasks
    ADD CONSTRAINT build_tasks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.builds
    ADD CONSTRAINT builds_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cache_days
    ADD CONSTRAINT cache_days_pkey PRIMARY KEY (registry_id, day);
ALTER TABLE ONLY public.cache_decisions
    ADD CONSTRAINT cache_decisions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cache_entries
    ADD CONSTRAINT cache_entries_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.cache_entries
    ADD CONSTRAINT cache_entries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cache_entry_prefixes
    ADD CONSTRAINT cache_entry_prefixes_pkey PRIMARY KEY (hash, created_at, entry_id);
ALTER TABLE ONLY public.cache_entry_sets
    ADD CONSTRAINT cache_entry_sets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cache_registries
    ADD CONSTRAINT cache_registries_cluster_id_id_key UNIQUE (cluster_id, id);
ALTER TABLE ONLY public.cache_registries
    ADD CONSTRAINT cache_registries_cluster_id_slug_key UNIQUE (cluster_id, slug);
ALTER TABLE ONLY public.cache_registries
    ADD CONSTRAINT cache_registries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cache_uploads
    ADD CONSTRAINT cache_uploads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cluster_agent_tokens
    ADD CONSTRAINT cluster_agent_tokens_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.cluster_agent_tokens
    ADD CONSTRAINT cluster_agent_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cluster_maintainers
    ADD CONSTRAINT cluster_maintainers_cluster_id_team_id_key UNIQUE (cluster_id, team_id);
ALTER TABLE ONLY public.cluster_maintainers
    ADD CONSTRAINT cluster_maintainers_cluster_id_user_id_key UNIQUE (cluster_id, user_id);
ALTER TABLE ONLY public.cluster_maintainers
    ADD CONSTRAINT cluster_maintainers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cluster_queues
    ADD CONSTRAINT cluster_queues_cluster_id_id_key UNIQUE (cluster_id, id);
ALTER TABLE ONLY public.cluster_queues
    ADD CONSTRAINT cluster_queues_cluster_id_key_key UNIQUE (cluster_id, key);
ALTER TABLE ONLY public.cluster_queues
    ADD CONSTRAINT cluster_queues_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cluster_secrets
    ADD CONSTRAINT cluster_secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.clusters
    ADD CONSTRAINT clusters_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.concurrency_groups
    ADD CONSTRAINT concurrency_groups_organization_id_name_key UNIQUE (organization_id, name);
ALTER TABLE ONLY public.concurrency_groups
    ADD CONSTRAINT concurrency_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.connection_secrets
    ADD CONSTRAINT connection_secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.former_pipeline_slugs
    ADD CONSTRAINT former_pipeline_slugs_pkey PRIMARY KEY (organization_id, slug);
ALTER TABLE ONLY public.git_mirror_syncs
    ADD CONSTRAINT git_mirror_syncs_pkey PRIMARY KEY (cluster_id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.invitation_links
    ADD CONSTRAINT invitation_links_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.invitation_mails
    ADD CONSTRAINT invitation_mails_pkey PRIMARY KEY (invitation_id);
ALTER TABLE ONLY public.invitation_teams
    ADD CONSTRAINT invitation_teams_invitation_id_team_id_key UNIQUE (invitation_id, team_id);
ALTER TABLE ONLY public.invitation_teams
    ADD CONSTRAINT invitation_teams_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_organization_id_id_key UNIQUE (organization_id, id);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.job_events
    ADD CONSTRAINT job_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.job_log_chunks
    ADD CONSTRAINT job_log_chunks_pkey PRIMARY KEY (job_id, sequence);
ALTER TABLE ONLY public.job_logs
    ADD CONSTRAINT job_logs_pkey PRIMARY KEY (job_id);
ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT job_runs_pkey PRIMARY KEY (job_id);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.notice_targets
    ADD CONSTRAINT notice_targets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.notification_services
    ADD CONSTRAINT notification_services_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.oidc_keys
    ADD CONSTRAINT oidc_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.organization_banners
    ADD CONSTRAINT organization_banners_organization_id_key UNIQUE (organization_id);
ALTER TABLE ONLY public.organization_banners
    ADD CONSTRAINT organization_banners_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.organization_counts
    ADD CONSTRAINT organization_counts_pkey PRIMARY KEY (organization_id, shard);
ALTER TABLE ONLY public.organization_members
    ADD CONSTRAINT organization_members_id_key UNIQUE (id);
ALTER TABLE ONLY public.organization_members
    ADD CONSTRAINT organization_members_pkey PRIMARY KEY (organization_id, user_id);
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_slug_key UNIQUE (slug);
ALTER TABLE ONLY public.pipeline_favorites
    ADD CONSTRAINT pipeline_favorites_pkey PRIMARY KEY (user_id, pipeline_id);
ALTER TABLE ONLY public.pipeline_schedules
    ADD CONSTRAINT pipeline_schedules_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pipeline_tags
    ADD CONSTRAINT pipeline_tags_pkey PRIMARY KEY (pipeline_id, tag);
ALTER TABLE ONLY public.pipeline_templates
    ADD CONSTRAINT pipeline_templates_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pipeline_triggers
    ADD CONSTRAINT pipeline_triggers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pipeline_webhooks
    ADD CONSTRAINT pipeline_webhooks_pkey PRIMARY KEY (pipeline_id);
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_organization_id_slug_key UNIQUE (organization_id, slug);
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.portal_secrets
    ADD CONSTRAINT portal_secrets_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.portal_secrets
    ADD CONSTRAINT portal_secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.portal_token_codes
    ADD CONSTRAINT portal_token_codes_pkey PRIMARY KEY (code);
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_id_key UNIQUE (id);
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_organization_id_slug_key UNIQUE (organization_id, slug);
ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.postponed_items
    ADD CONSTRAINT postponed_items_pkey PRIMARY KEY (kind, item_id);
ALTER TABLE ONLY public.pull_requests
    ADD CONSTRAINT pull_requests_pkey PRIMARY KEY (pipeline_id, branch);
ALTER TABLE ONLY public.queue_samples
    ADD CONSTRAINT queue_samples_pkey PRIMARY KEY (queue_id, began_at);
ALTER TABLE ONLY public.queue_waits
    ADD CONSTRAINT queue_waits_pkey PRIMARY KEY (started_at, job_id);
ALTER TABLE ONLY public.ready_jobs
    ADD CONSTRAINT ready_jobs_pkey PRIMARY KEY (queue_id, rules_key, place, scheduled_at, upload_index, job_id);
ALTER TABLE ONLY public.repository_connections
    ADD CONSTRAINT repository_connections_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.scheduled_builds
    ADD CONSTRAINT scheduled_builds_pkey PRIMARY KEY (build_id);
ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.setup_links
    ADD CONSTRAINT setup_links_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.stacks
    ADD CONSTRAINT stacks_organization_id_key_key UNIQUE (organization_id, key);
ALTER TABLE ONLY public.stacks
    ADD CONSTRAINT stacks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.step_dependencies
    ADD CONSTRAINT step_dependencies_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.step_uploads
    ADD CONSTRAINT step_uploads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_team_id_user_id_key UNIQUE (team_id, user_id);
ALTER TABLE ONLY public.team_pipelines
    ADD CONSTRAINT team_pipelines_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.team_pipelines
    ADD CONSTRAINT team_pipelines_team_id_pipeline_id_key UNIQUE (team_id, pipeline_id);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_organization_id_id_key UNIQUE (organization_id, id);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_organization_id_slug_key UNIQUE (organization_id, slug);
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.test_reports
    ADD CONSTRAINT test_reports_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.trigger_secrets
    ADD CONSTRAINT trigger_secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.unclustered_tokens
    ADD CONSTRAINT unclustered_tokens_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.unclustered_tokens
    ADD CONSTRAINT unclustered_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.usage_counts
    ADD CONSTRAINT usage_counts_pkey PRIMARY KEY (organization_id, period);
ALTER TABLE ONLY public.usage_locks
    ADD CONSTRAINT usage_locks_pkey PRIMARY KEY (organization_id);
ALTER TABLE ONLY public.usage_state
    ADD CONSTRAINT usage_state_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.usage_users
    ADD CONSTRAINT usage_users_pkey PRIMARY KEY (organization_id, period, user_id);
ALTER TABLE ONLY public.user_sessions
    ADD CONSTRAINT user_sessions_id_key UNIQUE (id);
ALTER TABLE ONLY public.user_sessions
    ADD CONSTRAINT user_sessions_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key_key UNIQUE (email_key);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX agents_alive ON public.agents USING btree (state) WHERE (state = ANY (ARRAY['never_connected'::text, 'connected'::text, 'stopping'::text]));
CREATE INDEX agents_cluster ON public.agents USING btree (cluster_id);
CREATE INDEX agents_organization ON public.agents USING btree (organization_id, created_at, id, state) WHERE (state = ANY (ARRAY['connected'::text, 'stopping'::text]));
CREATE INDEX agents_paused_by ON public.agents USING btree (paused_by) WHERE (paused_by IS NOT NULL);
CREATE INDEX agents_queue ON public.agents USING btree (queue_id, state);
CREATE INDEX agents_stopped_by ON public.agents USING btree (stopped_by) WHERE (stopped_by IS NOT NULL);
CREATE INDEX agents_token ON public.agents USING btree (token_id);
CREATE INDEX agents_unclustered_token ON public.agents USING btree (unclustered_token_id) WHERE (unclustered_token_id IS NOT NULL);
CREATE INDEX annotations_build ON public.annotations USING btree (build_id, created_at, id);
CREATE INDEX annotations_unrendered ON public.annotations USING btree (id) WHERE (rendered_at <> updated_at);
CREATE INDEX api_token_organizations_member ON public.api_token_organizations USING btree (organization_id, user_id);
CREATE INDEX api_tokens_user ON public.api_tokens USING btree (user_id, created_at, id);
CREATE INDEX artifacts_build ON public.artifacts USING btree (build_id, path_key, id);
CREATE INDEX artifacts_expiry ON public.artifacts USING btree (expires_at) WHERE ((state = 'finished'::text) AND (expires_at IS NOT NULL));
CREATE INDEX artifacts_job ON public.artifacts USING btree (job_id, path_key, id);
CREATE INDEX artifacts_new ON public.artifacts USING btree (created_at) WHERE (state = 'new'::text);
CREATE INDEX audit_events_actor ON public.audit_events USING btree (organization_id, actor_id, id);
CREATE INDEX audit_events_subject ON public.audit_events USING btree (organization_id, subject_id, id);
CREATE INDEX audit_events_type ON public.audit_events USING btree (organization_id, type, id);
CREATE INDEX blob_deletions_due ON public.blob_deletions USING btree (due_at);
CREATE INDEX build_steps_build ON public.build_steps USING btree (build_id, "position");
CREATE UNIQUE INDEX build_steps_key ON public.build_steps USING btree (build_id, step_key) WHERE (step_key IS NOT NULL);
CREATE INDEX build_tasks_build ON public.build_tasks USING btree (build_id);
CREATE INDEX build_tasks_due ON public.build_tasks USING btree (due_at, id);
CREATE INDEX builds_branch ON public.builds USING btree (pipeline_id, branch, number);
CREATE INDEX builds_canceled_by ON public.builds USING btree (canceled_by) WHERE (canceled_by IS NOT NULL);
CREATE INDEX builds_cluster ON public.builds USING btree (cluster_id);
CREATE INDEX builds_commit ON public.builds USING btree (organization_id, commit_sha);
CREATE INDEX builds_creator ON public.builds USING btree (creator_id, created_at) WHERE (creator_id IS NOT NULL);
CREATE INDEX builds_finished ON public.builds USING btree (organization_id, finished_at) WHERE (finished_at IS NOT NULL);
CREATE UNIQUE INDEX builds_number ON public.builds USING btree (pipeline_id, number);
CREATE INDEX builds_open ON public.builds USING btree (organization_id, state, created_at) WHERE (finished_at IS NULL);
CREATE INDEX builds_open_branch ON public.builds USING btree (pipeline_id, branch, number) WHERE (finished_at IS NULL);
CREATE INDEX builds_organization ON public.builds USING btree (organization_id, created_at, id);
CREATE INDEX builds_pipeline_created ON public.builds USING btree (pipeline_id, created_at);
CREATE INDEX builds_state ON public.builds USING btree (pipeline_id, state, number);
CREATE INDEX builds_triggered_from ON public.builds USING btree (triggered_from_id) WHERE (triggered_from_id IS NOT NULL);
CREATE INDEX cache_decisions_job ON public.cache_decisions USING btree (job_id, id);
CREATE INDEX cache_decisions_latest ON public.cache_decisions USING btree (registry_id, id);
CREATE INDEX cache_decisions_registry ON public.cache_decisions USING btree (registry_id, is_allowed, id);
CREATE INDEX cache_entries_expires ON public.cache_entries USING btree (expires_at);
CREATE INDEX cache_entries_set ON public.cache_entries USING btree (set_id, created_at, id);
CREATE INDEX cache_entry_prefixes_entry ON public.cache_entry_prefixes USING btree (entry_id);
CREATE INDEX cache_uploads_created ON public.cache_uploads USING btree (created_at);
CREATE INDEX cache_uploads_job ON public.cache_uploads USING btree (job_id);
CREATE INDEX cluster_agent_tokens_cluster ON public.cluster_agent_tokens USING btree (cluster_id, created_at, id);
CREATE INDEX cluster_maintainers_team ON public.cluster_maintainers USING btree (organization_id, team_id);
CREATE INDEX cluster_maintainers_user ON public.cluster_maintainers USING btree (organization_id, user_id);
CREATE INDEX cluster_secrets_created_by ON public.cluster_secrets USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE UNIQUE INDEX cluster_secrets_key ON public.cluster_secrets USING btree (cluster_id, key);
CREATE INDEX cluster_secrets_updated_by ON public.cluster_secrets USING btree (updated_by) WHERE (updated_by IS NOT NULL);
CREATE INDEX clusters_created ON public.clusters USING btree (organization_id, created_at, id);
CREATE INDEX clusters_name ON public.clusters USING btree (organization_id, name_key, id);
CREATE UNIQUE INDEX connection_secrets_name ON public.connection_secrets USING btree (connection_id, name);
CREATE INDEX deliveries_build ON public.deliveries USING btree (build_id) WHERE (build_id IS NOT NULL);
CREATE UNIQUE INDEX deliveries_external ON public.deliveries USING btree (pipeline_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX deliveries_pipeline ON public.deliveries USING btree (pipeline_id, id);
CREATE INDEX deliveries_received ON public.deliveries USING btree (received_at);
CREATE INDEX deliveries_trigger ON public.deliveries USING btree (trigger_id, id) WHERE (trigger_id IS NOT NULL);
CREATE INDEX former_pipeline_slugs_pipeline ON public.former_pipeline_slugs USING btree (organization_id, pipeline_id);
CREATE INDEX idempotency_keys_expires_at ON public.idempotency_keys USING btree (expires_at);
CREATE INDEX invitation_links_invitation ON public.invitation_links USING btree (invitation_id);
CREATE INDEX invitation_mails_next ON public.invitation_mails USING btree (next_at);
CREATE INDEX invitation_teams_invitation ON public.invitation_teams USING btree (organization_id, invitation_id);
CREATE INDEX invitation_teams_team ON public.invitation_teams USING btree (organization_id, team_id);
CREATE INDEX invitations_created ON public.invitations USING btree (organization_id, created_at, id);
CREATE INDEX invitations_creator ON public.invitations USING btree (created_by, organization_id);
CREATE INDEX invitations_email ON public.invitations USING btree (organization_id, email_key, id);
CREATE INDEX job_events_job ON public.job_events USING btree (job_id, id);
CREATE INDEX job_log_chunks_offset ON public.job_log_chunks USING btree (job_id, byte_offset, sequence, size);
CREATE INDEX job_logs_open ON public.job_logs USING btree (job_id) WHERE (place = ANY (ARRAY[''::text, 'sealed'::text, 'packed'::text]));
CREATE INDEX job_runs_agent ON public.job_runs USING btree (agent_id) WHERE (agent_id IS NOT NULL);
CREATE INDEX job_runs_canceled_by ON public.job_runs USING btree (canceled_by) WHERE (canceled_by IS NOT NULL);
CREATE INDEX job_runs_deadline ON public.job_runs USING btree (deadline) WHERE (deadline IS NOT NULL);
CREATE INDEX job_runs_finished ON public.job_runs USING btree (queue_id, finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX job_runs_grace ON public.job_runs USING btree (cancel_grace_until) WHERE (cancel_grace_until IS NOT NULL);
CREATE INDEX job_runs_group ON public.job_runs USING btree (concurrency_group_id, queued_at) WHERE ((concurrency_group_id IS NOT NULL) AND (list_state = ANY (ARRAY['waiting'::text, 'limiting'::text, 'limited'::text, 'scheduled'::text, 'reserved'::text, 'with_agent'::text])));
CREATE INDEX job_runs_listed ON public.job_runs USING btree (organization_id, list_state, created_at, job_id);
CREATE INDEX job_runs_queue ON public.job_runs USING btree (queue_id, list_state);
CREATE INDEX job_runs_reserved ON public.job_runs USING btree (reserved_until) WHERE (reserved_until IS NOT NULL);
CREATE UNIQUE INDEX job_runs_token ON public.job_runs USING btree (token_hash) WHERE (token_hash IS NOT NULL);
CREATE INDEX job_runs_unblocked ON public.job_runs USING btree (build_id, unblocked_at) WHERE (unblocked_by IS NOT NULL);
CREATE INDEX job_runs_unblocked_by ON public.job_runs USING btree (unblocked_by) WHERE (unblocked_by IS NOT NULL);
CREATE INDEX job_runs_waiting ON public.job_runs USING btree (list_state, created_at) WHERE (list_state = ANY (ARRAY['scheduled'::text, 'limited'::text, 'limiting'::text, 'reserved'::text]));
CREATE INDEX jobs_build ON public.jobs USING btree (build_id, "position", upload_index, id);
CREATE INDEX jobs_group_all ON public.jobs USING btree (concurrency_group_id) WHERE (concurrency_group_id IS NOT NULL);
CREATE INDEX jobs_organization ON public.jobs USING btree (organization_id, created_at, id);
CREATE INDEX jobs_pipeline ON public.jobs USING btree (pipeline_id, created_at, id);
CREATE INDEX jobs_step ON public.jobs USING btree (step_id);
CREATE INDEX notice_targets_due ON public.notice_targets USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX notices_build ON public.notices USING btree (build_id, id) WHERE (build_id IS NOT NULL);
CREATE INDEX notices_due ON public.notices USING btree (target, due_at) WHERE ((state = 'waiting'::text) AND (due_at IS NOT NULL));
CREATE INDEX notices_lane ON public.notices USING btree (target, lane, id) WHERE (state = 'waiting'::text);
CREATE INDEX notices_new ON public.notices USING btree (target, id) WHERE (state = 'new'::text);
CREATE INDEX notices_organization ON public.notices USING btree (organization_id, id);
CREATE INDEX notices_over ON public.notices USING btree (created_at) WHERE (state = ANY (ARRAY['sent'::text, 'failed'::text, 'replaced'::text, 'unwanted'::text]));
CREATE INDEX notices_target ON public.notices USING btree (target, id);
CREATE INDEX notification_services_created_by ON public.notification_services USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX notification_services_organization ON public.notification_services USING btree (organization_id, id);
CREATE UNIQUE INDEX oidc_keys_generation ON public.oidc_keys USING btree (generation);
CREATE INDEX organization_members_user ON public.organization_members USING btree (user_id, organization_id);
CREATE INDEX organizations_billing_parent ON public.organizations USING btree (billing_parent_id);
CREATE INDEX organizations_default_cluster ON public.organizations USING btree (default_cluster_id) WHERE (default_cluster_id IS NOT NULL);
CREATE INDEX organizations_public_pipelines_enabled_by ON public.organizations USING btree (public_pipelines_enabled_by) WHERE (public_pipelines_enabled_by IS NOT NULL);
CREATE INDEX pipeline_favorites_member ON public.pipeline_favorites USING btree (organization_id, user_id);
CREATE INDEX pipeline_favorites_pipeline ON public.pipeline_favorites USING btree (organization_id, pipeline_id);
CREATE INDEX pipeline_schedules_created_by ON public.pipeline_schedules USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX pipeline_schedules_due ON public.pipeline_schedules USING btree (next_build_at) WHERE (next_build_at IS NOT NULL);
CREATE INDEX pipeline_schedules_organization ON public.pipeline_schedules USING btree (organization_id);
CREATE INDEX pipeline_schedules_owner ON public.pipeline_schedules USING btree (owner_id) WHERE (owner_id IS NOT NULL);
CREATE INDEX pipeline_schedules_pipeline ON public.pipeline_schedules USING btree (pipeline_id, created_at, id);
CREATE INDEX pipeline_templates_created ON public.pipeline_templates USING btree (organization_id, created_at, id);
CREATE INDEX pipeline_templates_created_by ON public.pipeline_templates USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX pipeline_templates_name ON public.pipeline_templates USING btree (organization_id, name_key, id);
CREATE INDEX pipeline_templates_updated_by ON public.pipeline_templates USING btree (updated_by) WHERE (updated_by IS NOT NULL);
CREATE INDEX pipeline_triggers_created_by ON public.pipeline_triggers USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX pipeline_triggers_organization ON public.pipeline_triggers USING btree (organization_id);
CREATE INDEX pipeline_triggers_pipeline ON public.pipeline_triggers USING btree (pipeline_id, created_at, id);
CREATE UNIQUE INDEX pipeline_triggers_token ON public.pipeline_triggers USING btree (token_hash);
CREATE INDEX pipeline_triggers_updated_by ON public.pipeline_triggers USING btree (updated_by) WHERE (updated_by IS NOT NULL);
CREATE INDEX pipeline_webhooks_connection ON public.pipeline_webhooks USING btree (connection_id);
CREATE INDEX pipelines_archived_created ON public.pipelines USING btree (organization_id, created_at, id) WHERE (archived_at IS NOT NULL);
CREATE INDEX pipelines_archived_name ON public.pipelines USING btree (organization_id, name_key, id) WHERE (archived_at IS NOT NULL);
CREATE UNIQUE INDEX pipelines_badge_token ON public.pipelines USING btree (badge_token) WHERE (badge_token <> ''::text);
CREATE INDEX pipelines_cluster ON public.pipelines USING btree (cluster_id);
CREATE INDEX pipelines_creator ON public.pipelines USING btree (organization_id, created_by);
CREATE INDEX pipelines_live_created ON public.pipelines USING btree (organization_id, created_at, id, slug, name, archived_at) WHERE (archived_at IS NULL);
CREATE INDEX pipelines_live_name ON public.pipelines USING btree (organization_id, name_key, id, slug, name, created_at, archived_at) WHERE (archived_at IS NULL);
CREATE INDEX pipelines_name ON public.pipelines USING btree (organization_id, name_key, id);
CREATE UNIQUE INDEX pipelines_organization ON public.pipelines USING btree (organization_id, id);
CREATE INDEX pipelines_template ON public.pipelines USING btree (template_id) WHERE (template_id IS NOT NULL);
CREATE UNIQUE INDEX pipelines_webhook_token ON public.pipelines USING btree (webhook_token) WHERE (webhook_token <> ''::text);
CREATE INDEX portal_secrets_portal ON public.portal_secrets USING btree (portal_id, created_at, id);
CREATE INDEX portal_token_codes_expiry ON public.portal_token_codes USING btree (expires_at);
CREATE INDEX portal_token_codes_portal ON public.portal_token_codes USING btree (portal_id);
CREATE INDEX portal_token_codes_user ON public.portal_token_codes USING btree (user_id);
CREATE INDEX portal_tokens_expiry ON public.portal_tokens USING btree (expires_at);
CREATE INDEX portal_tokens_portal ON public.portal_tokens USING btree (portal_id, created_at, id);
CREATE INDEX portal_tokens_secret ON public.portal_tokens USING btree (secret_id);
CREATE INDEX portal_tokens_user ON public.portal_tokens USING btree (user_id);
CREATE INDEX portals_name ON public.portals USING btree (organization_id, name_key, id);
CREATE INDEX queue_samples_began ON public.queue_samples USING btree (began_at);
CREATE UNIQUE INDEX ready_jobs_job ON public.ready_jobs USING btree (job_id);
CREATE INDEX ready_jobs_oldest ON public.ready_jobs USING btree (queue_id, scheduled_at, job_id);
CREATE INDEX repository_connections_created_by ON public.repository_connections USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE UNIQUE INDEX repository_connections_url ON public.repository_connections USING btree (organization_id, url);
CREATE INDEX rules_created_by ON public.rules USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX rules_organization ON public.rules USING btree (organization_id, created_at, id);
CREATE UNIQUE INDEX rules_pipelines ON public.rules USING btree (source_id, target_id, type, conditions_key);
CREATE INDEX rules_target ON public.rules USING btree (target_id);
CREATE INDEX scheduled_builds_schedule ON public.scheduled_builds USING btree (schedule_id, build_id);
CREATE INDEX stacks_cluster ON public.stacks USING btree (cluster_id);
CREATE INDEX stacks_queue ON public.stacks USING btree (queue_id, key);
CREATE INDEX step_dependencies_build ON public.step_dependencies USING btree (build_id);
CREATE INDEX step_dependencies_key ON public.step_dependencies USING btree (build_id, on_key) WHERE (on_step_id IS NULL);
CREATE INDEX step_dependencies_on ON public.step_dependencies USING btree (on_step_id) WHERE (on_step_id IS NOT NULL);
CREATE INDEX step_dependencies_step ON public.step_dependencies USING btree (step_id);
CREATE INDEX step_uploads_build ON public.step_uploads USING btree (build_id, created_at, id);
CREATE INDEX team_members_user ON public.team_members USING btree (organization_id, user_id);
CREATE INDEX team_pipelines_pipeline ON public.team_pipelines USING btree (pipeline_id, team_id);
CREATE INDEX test_reports_build ON public.test_reports USING btree (build_id, failed, id);
CREATE INDEX test_reports_job ON public.test_reports USING btree (job_id);
CREATE INDEX test_reports_waiting ON public.test_reports USING btree (id) WHERE (state = 'waiting'::text);
CREATE UNIQUE INDEX trigger_secrets_trigger ON public.trigger_secrets USING btree (trigger_id);
CREATE INDEX unclustered_tokens_created_by ON public.unclustered_tokens USING btree (created_by) WHERE (created_by IS NOT NULL);
CREATE INDEX unclustered_tokens_organization ON public.unclustered_tokens USING btree (organization_id, created_at, id);
CREATE INDEX unclustered_tokens_revoked_by ON public.unclustered_tokens USING btree (revoked_by) WHERE (revoked_by IS NOT NULL);
CREATE INDEX user_sessions_expiry ON public.user_sessions USING btree (expires_at);
CREATE INDEX user_sessions_user ON public.user_sessions USING btree (user_id, created_at, id);
ALTER TABLE ONLY public.activity_days
    ADD CONSTRAINT activity_days_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES public.clusters(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_paused_by_fkey FOREIGN KEY (paused_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES public.cluster_queues(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_stopped_by_fkey FOREIGN KEY (stopped_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_token_id_fkey FOREIGN KEY (token_id) REFERENCES public.cluster_agent_tokens(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.agents
    ADD CONSTRAINT agents_unclustered_token_id_fkey FOREIGN KEY (unclustered_token_id) REFERENCES public.unclustered_tokens(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.annotations
    ADD CONSTRAINT annotations_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_token_organizations
    ADD CONSTRAINT api_token_organizations_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES public.organization_members(organization_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_token_organizations
    ADD CONSTRAINT api_token_organizations_token_id_fkey FOREIGN KEY (token_id) REFERENCES public.api_tokens(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.artifact_uploads
    ADD CONSTRAINT artifact_uploads_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.artifacts
    ADD CONSTRAINT artifacts_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.artifacts
    ADD CONSTRAINT artifacts_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.build_meta_data
    ADD CONSTRAINT build_meta_data_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.build_steps
    ADD CONSTRAINT build_steps_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.build_tasks
    ADD CONSTRAINT build_tasks_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.builds
    ADD CONSTRAINT builds_canceled_by_fkey FOREIGN KEY (canceled_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.builds
    ADD CONSTRAINT builds_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES public.clusters(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.builds
    ADD CONSTRAINT builds_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.builds
    ADD CONSTRAINT builds_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.builds
    ADD CONSTRAINT builds_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cache_days
    ADD CONSTRAINT cache_days_registry_id_fkey FOREIGN KEY (registry_id) REFERENCES public.cache_registries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cache_decisions
    ADD CONSTRAINT cache_decisions_registry_id_fkey FOREIGN KEY (registry_id) REFERENCES public.cache_registries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cache_entry_prefixes
    ADD CONSTRAINT cache_entry_prefixes_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES public.cache_entries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cache_registries
    ADD CONSTRAINT cache_registries_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES public.clusters(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cache_registries
    ADD CONSTRAINT cache_registries_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.cluster_agent_tokens
    ADD CONSTRAINT cluster_agent_tokens_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES public.clusters(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cluster_agent_tokens
    ADD CONSTRAINT cluster_agent_tokens_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.cluster_maintainers
    ADD CONSTRAINT cluster_maintainers_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES public.clusters(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cluster_maintainers
    ADD CONSTRAINT cluster_maintainers_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.cluster_maintainers
    ADD CONSTRAINT cluster_maintainers_organization_id_team_id_fkey FOREIGN KEY (organization_id, team_id) REFERENCES public.teams(organization_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cluster_maintainers
    ADD CONSTRAINT cluster_maintainers_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES public.organization_members(organization_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cluster_queues
    ADD CONSTRAINT cluster_queues_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES public.clusters(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cluster_queues
    ADD CONSTRAINT cluster_queues_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.cluster_queues
    ADD CONSTRAINT cluster_queues_dispatch_paused_by_fkey FOREIGN KEY (dispatch_paused_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.cluster_secrets
    ADD CONSTRAINT cluster_secrets_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES public.clusters(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cluster_secrets
    ADD CONSTRAINT cluster_secrets_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.cluster_secrets
    ADD CONSTRAINT cluster_secrets_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.clusters
    ADD CONSTRAINT clusters_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.clusters
    ADD CONSTRAINT clusters_id_default_cache_registry_id_fkey FOREIGN KEY (id, default_cache_registry_id) REFERENCES public.cache_registries(cluster_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.clusters
    ADD CONSTRAINT clusters_id_default_queue_id_fkey FOREIGN KEY (id, default_queue_id) REFERENCES public.cluster_queues(cluster_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.clusters
    ADD CONSTRAINT clusters_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.concurrency_groups
    ADD CONSTRAINT concurrency_groups_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.connection_secrets
    ADD CONSTRAINT connection_secrets_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.repository_connections(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.former_pipeline_slugs
    ADD CONSTRAINT former_pipeline_slugs_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES public.pipelines(organization_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invitation_links
    ADD CONSTRAINT invitation_links_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES public.invitations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invitation_mails
    ADD CONSTRAINT invitation_mails_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES public.invitations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invitation_teams
    ADD CONSTRAINT invitation_teams_organization_id_invitation_id_fkey FOREIGN KEY (organization_id, invitation_id) REFERENCES public.invitations(organization_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invitation_teams
    ADD CONSTRAINT invitation_teams_organization_id_team_id_fkey FOREIGN KEY (organization_id, team_id) REFERENCES public.teams(organization_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_revoked_by_fkey FOREIGN KEY (revoked_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.job_events
    ADD CONSTRAINT job_events_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.job_log_chunks
    ADD CONSTRAINT job_log_chunks_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.job_logs
    ADD CONSTRAINT job_logs_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT job_runs_canceled_by_fkey FOREIGN KEY (canceled_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT job_runs_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT job_runs_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES public.cluster_queues(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT job_runs_unblocked_by_fkey FOREIGN KEY (unblocked_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_concurrency_group_id_fkey FOREIGN KEY (concurrency_group_id) REFERENCES public.concurrency_groups(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.notices
    ADD CONSTRAINT notices_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.notification_services
    ADD CONSTRAINT notification_services_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.notification_services
    ADD CONSTRAINT notification_services_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.organization_banners
    ADD CONSTRAINT organization_banners_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.organization_counts
    ADD CONSTRAINT organization_counts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.organization_members
    ADD CONSTRAINT organization_members_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.organization_members
    ADD CONSTRAINT organization_members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.organization_members
    ADD CONSTRAINT organization_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_billing_parent_id_fkey FOREIGN KEY (billing_parent_id) REFERENCES public.organizations(id);
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_default_cluster_id_fkey FOREIGN KEY (default_cluster_id) REFERENCES public.clusters(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.organizations
    ADD CONSTRAINT organizations_public_pipelines_enabled_by_fkey FOREIGN KEY (public_pipelines_enabled_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipeline_favorites
    ADD CONSTRAINT pipeline_favorites_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES public.pipelines(organization_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipeline_favorites
    ADD CONSTRAINT pipeline_favorites_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES public.organization_members(organization_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipeline_schedules
    ADD CONSTRAINT pipeline_schedules_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipeline_schedules
    ADD CONSTRAINT pipeline_schedules_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipeline_schedules
    ADD CONSTRAINT pipeline_schedules_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipeline_schedules
    ADD CONSTRAINT pipeline_schedules_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipeline_tags
    ADD CONSTRAINT pipeline_tags_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipeline_templates
    ADD CONSTRAINT pipeline_templates_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipeline_templates
    ADD CONSTRAINT pipeline_templates_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipeline_templates
    ADD CONSTRAINT pipeline_templates_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipeline_triggers
    ADD CONSTRAINT pipeline_triggers_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipeline_triggers
    ADD CONSTRAINT pipeline_triggers_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipeline_triggers
    ADD CONSTRAINT pipeline_triggers_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipeline_triggers
    ADD CONSTRAINT pipeline_triggers_updated_by_fkey FOREIGN KEY (updated_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipeline_webhooks
    ADD CONSTRAINT pipeline_webhooks_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES public.repository_connections(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipeline_webhooks
    ADD CONSTRAINT pipeline_webhooks_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_archived_by_fkey FOREIGN KEY (archived_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES public.clusters(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_template_id_fkey FOREIGN KEY (template_id) REFERENCES public.pipeline_templates(id);
ALTER TABLE ONLY public.portal_secrets
    ADD CONSTRAINT portal_secrets_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.portal_secrets
    ADD CONSTRAINT portal_secrets_portal_id_fkey FOREIGN KEY (portal_id) REFERENCES public.portals(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.portal_token_codes
    ADD CONSTRAINT portal_token_codes_portal_id_fkey FOREIGN KEY (portal_id) REFERENCES public.portals(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.portal_token_codes
    ADD CONSTRAINT portal_token_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_portal_id_fkey FOREIGN KEY (portal_id) REFERENCES public.portals(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_secret_id_fkey FOREIGN KEY (secret_id) REFERENCES public.portal_secrets(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pull_requests
    ADD CONSTRAINT pull_requests_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.queue_samples
    ADD CONSTRAINT queue_samples_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES public.cluster_queues(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.ready_jobs
    ADD CONSTRAINT ready_jobs_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.ready_jobs
    ADD CONSTRAINT ready_jobs_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES public.cluster_queues(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.repository_connections
    ADD CONSTRAINT repository_connections_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.repository_connections
    ADD CONSTRAINT repository_connections_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_source_id_fkey FOREIGN KEY (source_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.rules
    ADD CONSTRAINT rules_target_id_fkey FOREIGN KEY (target_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.scheduled_builds
    ADD CONSTRAINT scheduled_builds_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.scheduled_builds
    ADD CONSTRAINT scheduled_builds_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES public.pipeline_schedules(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.stacks
    ADD CONSTRAINT stacks_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES public.clusters(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.stacks
    ADD CONSTRAINT stacks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.stacks
    ADD CONSTRAINT stacks_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES public.cluster_queues(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.step_dependencies
    ADD CONSTRAINT step_dependencies_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.step_uploads
    ADD CONSTRAINT step_uploads_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_organization_id_team_id_fkey FOREIGN KEY (organization_id, team_id) REFERENCES public.teams(organization_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.team_members
    ADD CONSTRAINT team_members_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES public.organization_members(organization_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.team_pipelines
    ADD CONSTRAINT team_pipelines_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.team_pipelines
    ADD CONSTRAINT team_pipelines_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES public.pipelines(organization_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.team_pipelines
    ADD CONSTRAINT team_pipelines_organization_id_team_id_fkey FOREIGN KEY (organization_id, team_id) REFERENCES public.teams(organization_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.teams
    ADD CONSTRAINT teams_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.test_reports
    ADD CONSTRAINT test_reports_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.test_reports
    ADD CONSTRAINT test_reports_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.trigger_secrets
    ADD CONSTRAINT trigger_secrets_trigger_id_fkey FOREIGN KEY (trigger_id) REFERENCES public.pipeline_triggers(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.unclustered_tokens
    ADD CONSTRAINT unclustered_tokens_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.unclustered_tokens
    ADD CONSTRAINT unclustered_tokens_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.unclustered_tokens
    ADD CONSTRAINT unclustered_tokens_revoked_by_fkey FOREIGN KEY (revoked_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.usage_counts
    ADD CONSTRAINT usage_counts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.usage_locks
    ADD CONSTRAINT usage_locks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_sessions
    ADD CONSTRAINT user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
