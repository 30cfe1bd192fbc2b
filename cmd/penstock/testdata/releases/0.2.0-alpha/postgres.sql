CREATE TABLE public.activity_days (
    organization_id text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.agent_heartbeats (
    agent_id text NOT NULL COLLATE pg_catalog."C",
    seen_at bigint NOT NULL
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
    offers bigint NOT NULL
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
    updated_at bigint NOT NULL
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
    builds_triggered bigint DEFAULT 0 NOT NULL
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
    user_id text COLLATE pg_catalog."C"
);
CREATE TABLE public.job_log_chunks (
    job_id text NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    byte_offset bigint NOT NULL,
    size bigint NOT NULL,
    content bytea NOT NULL
);
CREATE TABLE public.jobs (
    id text NOT NULL COLLATE pg_catalog."C",
    organization_id text NOT NULL COLLATE pg_catalog."C",
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    build_id text NOT NULL COLLATE pg_catalog."C",
    step_id text NOT NULL COLLATE pg_catalog."C",
    cluster_id text COLLATE pg_catalog."C",
    queue_id text COLLATE pg_catalog."C",
    queue_key text COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    label text NOT NULL COLLATE pg_catalog."C",
    command text NOT NULL COLLATE pg_catalog."C",
    agent_rules text NOT NULL COLLATE pg_catalog."C",
    rules_key text NOT NULL COLLATE pg_catalog."C",
    "position" text NOT NULL COLLATE pg_catalog."C",
    upload_index bigint NOT NULL,
    matrix text NOT NULL COLLATE pg_catalog."C",
    soft_fail text NOT NULL COLLATE pg_catalog."C",
    parallel_index bigint NOT NULL,
    parallel_total bigint NOT NULL,
    retries_count bigint NOT NULL,
    retry_source_id text COLLATE pg_catalog."C",
    retry_type text COLLATE pg_catalog."C",
    rule_uses text NOT NULL COLLATE pg_catalog."C",
    retry_avoids_agent text COLLATE pg_catalog."C",
    concurrency_group_id text COLLATE pg_catalog."C",
    concurrency_limit bigint NOT NULL,
    concurrency_method text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    queued_at bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
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
    header_times text NOT NULL COLLATE pg_catalog."C",
    log_size bigint NOT NULL,
    log_place text NOT NULL COLLATE pg_catalog."C",
    chunks_failed_count bigint NOT NULL,
    acquired boolean NOT NULL
);
CREATE TABLE public.oidc_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    generation bigint NOT NULL,
    public_key text NOT NULL COLLATE pg_catalog."C",
    sealed_private_key text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    signs_from bigint NOT NULL
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
CREATE TABLE public.pipeline_tags (
    pipeline_id text NOT NULL COLLATE pg_catalog."C",
    tag text NOT NULL COLLATE pg_catalog."C"
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
    webhook_token text DEFAULT replace((((gen_random_uuid())::character varying)::text || ((gen_random_uuid())::character varying)::text), '-'::text, ''::text) NOT NULL COLLATE pg_catalog."C"
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
CREATE TABLE public.schema_migrations (
    version bigint NOT NULL,
    name text NOT NULL,
    applied_at bigint NOT NULL,
    made_tables text DEFAULT ''::text NOT NULL
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
    email_unproved boolean DEFAULT false NOT NULL
);
INSERT INTO public.activity_days VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '2026-02-03', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.activity_days VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '2026-02-20', '0190a1b2-0000-7000-8000-000000000002');
INSERT INTO public.activity_days VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '2026-11-16', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.agent_heartbeats VALUES ('01a1e539-78cb-7000-8000-6fd2dbe14c13', 1794847114055704);
INSERT INTO public.agent_heartbeats VALUES ('01a1e539-7baf-7000-8000-74c8e9b1b37e', 1794847116906836);
INSERT INTO public.agent_heartbeats VALUES ('01a1e539-7ca9-7000-8000-78002b58cdb4', 1794847112558274);
INSERT INTO public.agent_heartbeats VALUES ('01a1e539-7a05-7000-8000-7067a70eee35', 1794847116346385);
INSERT INTO public.agent_heartbeats VALUES ('01a1e539-7d93-7000-8000-7d7276577539', 1794847118128425);
INSERT INTO public.agent_heartbeats VALUES ('01a1e539-7e09-7000-8000-83967f8deb21', 1794847120139386);
INSERT INTO public.agent_heartbeats VALUES ('01a1e539-7e59-7000-8000-872d102e9c33', 1794847120675618);
INSERT INTO public.agent_heartbeats VALUES ('01a1e539-7eb1-7000-8000-8837c5a6475f', 1794847121370491);
INSERT INTO public.agent_heartbeats VALUES ('01a1e539-7ff8-7000-8000-8de1e288da1b', 1794847122065784);
INSERT INTO public.agents VALUES ('01a1e539-7ca9-7000-8000-78002b58cdb4', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', '01a1e539-7890-7712-bd52-dc63e8fd7b48', 'scheduled', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=scheduled"]', '[]', true, false, 'bc74d21ddbdaced5fe263a11be5c6f649a3b536dd81411be1721362665bd01cd', 'connected', 1794847112361000, 1794847112540000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO public.agents VALUES ('01a1e539-78cb-7000-8000-6fd2dbe14c13', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', '01a1e539-7890-7712-bd52-dc63e8fd7b48', 'running', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=running"]', '[]', true, false, '04073e987aad7fb80c65d7310f7f7e8883582df2d3926e32e66eb2f85eebb7e7', 'connected', 1794847111371000, 1794847111619000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e539-80fc-7000-8000-9d09da7ada4b', 1);
INSERT INTO public.agents VALUES ('01a1e539-7a05-7000-8000-7067a70eee35', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', '01a1e539-7890-7712-bd52-dc63e8fd7b48', 'assigned', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=assigned"]', '[]', true, false, '5767b085a3b319b2e90f8a095c9fd4f962bf3b12cad9799a7939b4d57f8341c3', 'connected', 1794847111685000, 1794847111874000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e539-8b97-7000-8000-db10f4311c2c', 1);
INSERT INTO public.agents VALUES ('01a1e539-7baf-7000-8000-74c8e9b1b37e', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', '01a1e539-7890-7712-bd52-dc63e8fd7b48', 'accepted', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=accepted"]', '[]', true, false, '3ca0db1b11d857a7c8857d3e62c88a6ad445f96ebf0b37c5f145c751610b2a08', 'connected', 1794847112111000, 1794847112345000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e539-8d63-7000-8000-f4cdb50d6ae2', 1);
INSERT INTO public.agents VALUES ('01a1e539-7d93-7000-8000-7d7276577539', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', '01a1e539-7890-7712-bd52-dc63e8fd7b48', 'first', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=first"]', '[]', true, false, '6635e8bfcd27d79caa61ee504ab8ca2c4b9da7122a96418298ce949c6532a43c', 'connected', 1794847112595000, 1794847112712000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e539-916a-7000-8001-2ca7d8447d07', 1);
INSERT INTO public.agents VALUES ('01a1e539-7e09-7000-8000-83967f8deb21', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', '01a1e539-7890-7712-bd52-dc63e8fd7b48', 'canceling', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=canceling"]', '[]', true, false, 'ce87ca2eeef76fe2aaf98a904c6864e64f5716c3df2a2b966b53f3c46ee5c0ca', 'connected', 1794847112713000, 1794847112759000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e539-9ac4-7000-8001-a1681f6d77b3', 1);
INSERT INTO public.agents VALUES ('01a1e539-7e59-7000-8000-872d102e9c33', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', '01a1e539-7890-7712-bd52-dc63e8fd7b48', 'failing', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=failing"]', '[]', true, false, 'aa1402deead0c4a6bcc6e98cafe3eab782e5752ab46e299a2f19dd49bde0c4f9', 'connected', 1794847112793000, 1794847112804000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 1794847120936000, NULL, '01a1e539-9c90-7000-8001-c6ac8fe07a23', 1);
INSERT INTO public.agents VALUES ('01a1e539-7eb1-7000-8000-8837c5a6475f', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', '01a1e539-7890-7712-bd52-dc63e8fd7b48', 'passing', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=passing"]', '[]', true, false, '010b5539abd4be16d5ae97ca1bb9bbf409ae660b9dcfaec07b533d43c5bb0254', 'connected', 1794847112881000, 1794847113123000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 1794847121458000, 1794847121458000, '01a1e539-9ec3-7000-8001-f4ec69ad7733', 1);
INSERT INTO public.agents VALUES ('01a1e539-7ff8-7000-8000-8de1e288da1b', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', '01a1e539-7890-7712-bd52-dc63e8fd7b48', 'child', 'vm', 'linux', 'amd64', '3.138.1', 'x', 100, 'm', 'Go-http-client/1.1', '127.0.0.1', NULL, '["queue=builders","label=child"]', '[]', true, false, '708bf2aad9a8315262c6762bcb90a995ae9ee88475b19e90344edf48c5a2c272', 'connected', 1794847113208000, 1794847113218000, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, 1794847122320000, 1794847122320000, '01a1e539-a203-7000-8002-1bfd78eacefe', 1);
INSERT INTO public.annotations VALUES ('01a1e539-86bb-7000-8000-b267d300ecb3', '01a1e539-80fc-7000-8000-9542906ee2f6', '01a1e539-80fc-7000-8000-9d09da7ada4b', 'build', '01a1e539-80fc-7000-8000-9542906ee2f6', 'deploy', 'success', 3, '**Deployed**', 1794847114939000, 1794847114939000);
INSERT INTO public.api_token_organizations VALUES ('01a1e539-6765-77a4-be62-e986a3cdc855', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.api_tokens VALUES ('fd069c07630e40dd76e6a3fcdcc05f8551e2b383c92cf7c0c5df4054513aaaba', '01a1e539-6765-77a4-be62-e986a3cdc855', '0190a1b2-0000-7000-8000-000000000001', 'Tests', 'read_agents read_artifacts read_audit_events read_build_logs read_builds read_clusters read_organizations read_pipelines write_builds write_clusters write_organization_invitations write_pipelines write_portals write_secrets graphql', '', 1794847104728000, NULL, NULL, 1794847108601955, '127.0.0.1');
INSERT INTO public.artifact_uploads VALUES ('0190a1b2-0000-7000-8000-00000000000b', '01a1e539-80fc-7000-8000-9d09da7ada4b', 1794847115539000, '["01a1e539-8888-7000-8000-c50d0ee5b46f"]');
INSERT INTO public.artifacts VALUES ('01a1e539-8888-7000-8000-c50d0ee5b46f', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-80fc-7000-8000-9542906ee2f6', '01a1e539-80fc-7000-8000-9d09da7ada4b', '0190a1b2-0000-7000-8000-00000000000b', 'out.txt', 'out.txt', '/out.txt', '*', 11, '381aef61464f679c1134e1e1978028f9069189b1', '', 'text/plain', '', '', NULL, true, 'finished', 1794847115539000, 1794847115810000, NULL);
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-605d-7000-8000-05a516bdfa8e', 1794847105117000, 'ORGANIZATION_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'Acme Inc', '{"surface":"operator"}', '{"after":{"name":"Acme Inc","slug":"acme-inc","plan":"monthly","billing_anchor":"2026-01-15","billing_parent":null,"cluster_writes":"members","maintainers_can_destroy_cache_registries":true,"members_can_create_pipelines":true,"default_cluster_id":null,"allowed_api_ip_addresses":"","revoke_inactive_tokens_after_days":0,"audit_retention_days":0,"restrict_user_api_token_creation":false,"default_branch":null,"default_timeout_in_minutes":null,"maximum_timeout_in_minutes":null,"scheduled_job_expiry_in_minutes":null,"build_retention_days":null,"members_can_create_public_pipelines":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-605e-70c6-83c4-2c74bc08dd33', '01a1e539-6078-7000-8000-09dba11c7719', 1794847105144000, 'ORGANIZATION_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION', '01a1e539-605e-70c6-83c4-2c74bc08dd33', 'Holding Co', '{"surface":"operator"}', '{"after":{"name":"Holding Co","slug":"holding-co","plan":"annual","billing_anchor":"2026-01-01","billing_parent":null,"cluster_writes":"members","maintainers_can_destroy_cache_registries":true,"members_can_create_pipelines":true,"default_cluster_id":null,"allowed_api_ip_addresses":"","revoke_inactive_tokens_after_days":0,"audit_retention_days":0,"restrict_user_api_token_creation":false,"default_branch":null,"default_timeout_in_minutes":null,"maximum_timeout_in_minutes":null,"scheduled_job_expiry_in_minutes":null,"build_retention_days":null,"members_can_create_public_pipelines":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-618b-7000-8000-0e28772c0318', 1794847105419000, 'ORGANIZATION_MEMBER_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION_MEMBER', '01a1e539-6153-7c41-bfe4-6c4ae6263768', 'Admin', '{"surface":"operator"}', '{"after":{"user":"0190a1b2-0000-7000-8000-000000000001","role":"admin","sso_mode":"optional"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-61db-7000-8000-12ba23020e54', 1794847105499000, 'ORGANIZATION_MEMBER_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION_MEMBER', '01a1e539-618b-7d93-8fa9-421e7e8ba816', 'Dev', '{"surface":"operator"}', '{"after":{"user":"0190a1b2-0000-7000-8000-000000000002","role":"member","sso_mode":"optional"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-629d-7000-8000-16734499473a', 1794847105693000, 'TEAM_CREATED', 'OPERATOR', '', 'Operator', 'TEAM', '0190a1b2-0000-7000-8000-000000000003', 'Platform', '{"surface":"operator"}', '{"after":{"name":"Platform","slug":"platform","description":null,"privacy":"visible","is_default_team":false,"default_member_role":"member","members_can_create_pipelines":false,"members_can_delete_pipelines":false,"members_can_create_suites":false,"members_can_create_registries":false,"members_can_destroy_registries":false,"members_can_destroy_packages":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-63b5-7000-8000-192568f354f5', 1794847105973000, 'TEAM_MEMBER_CREATED', 'OPERATOR', '', 'Operator', 'TEAM_MEMBER', '01a1e539-629d-75e7-bcd9-5737b75e0ce8', 'Dev', '{"surface":"operator"}', '{"after":{"team_id":"0190a1b2-0000-7000-8000-000000000003","user":"0190a1b2-0000-7000-8000-000000000002","role":"maintainer"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-644a-7000-8000-1c74b631b8cb', 1794847106122000, 'CLUSTER_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER', '0190a1b2-0000-7000-8000-000000000004', 'Open Source', '{"surface":"operator"}', '{"after":{"name":"Open Source","description":"For all that is public","emoji":null,"color":null,"default_queue_id":null,"default_cache_registry_uuid":"01a1e539-63b5-7697-b069-c9fa75bc9058","hosted_git_mirror_enabled":false,"hosted_container_cache_enabled":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-64ef-7000-8000-2159ca4a82c4', 1794847106287000, 'CLUSTER_PERMISSION_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_PERMISSION', '01a1e539-64c4-7522-99f2-9fd8268803a6', 'Dev', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","user":"0190a1b2-0000-7000-8000-000000000002"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-6577-7000-8000-25c6a445a816', 1794847106423000, 'CLUSTER_PERMISSION_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_PERMISSION', '01a1e539-654f-7a7a-b3ab-24f1dcbe2b01', 'Platform', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","team":"0190a1b2-0000-7000-8000-000000000003"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-65c5-7000-8000-288753544922', 1794847106501000, 'CLUSTER_QUEUE_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_QUEUE', '0190a1b2-0000-7000-8000-000000000005', 'default', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"default","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-660e-7000-8000-2dc040319310', 1794847106574000, 'CLUSTER_QUEUE_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_QUEUE', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"builders","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-66ac-7000-8000-32c6caa5ad57', 1794847106732000, 'CLUSTER_QUEUE_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_QUEUE', '01a1e539-660e-7833-babb-a8b8fbfac741', 'hosted', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"hosted","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null,"instance_shape":"LINUX_AMD64_2X4"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-6742-7000-8000-34ef8391a2b6', 1794847106882000, 'CACHE_REGISTRY_CREATED', 'OPERATOR', '', 'Operator', 'CACHE_REGISTRY', '0190a1b2-0000-7000-8000-000000000006', 'Ruby gems', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","name":"Ruby gems","slug":"ruby-gems","description":null,"emoji":null,"color":null,"policy":"{\"save\":{\"scopes\":{\"branch\":true}},\"restore\":{\"scopes\":[]},\"rules\":[{\"effect\":\"allow\",\"action\":[\"save\",\"restore\"]}]}","cache_store":null}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-684b-7000-8000-3a946ef70892', 1794847107147000, 'API_ACCESS_TOKEN_CREATED', 'OPERATOR', '', 'Operator', 'API_ACCESS_TOKEN', '01a1e539-6765-77a4-be62-e986a3cdc855', 'Tests', '{"surface":"operator"}', '{"after":{"user":"0190a1b2-0000-7000-8000-000000000001","description":"Tests","scopes":"read_agents read_artifacts read_audit_events read_build_logs read_builds read_clusters read_organizations read_pipelines write_builds write_clusters write_organization_invitations write_pipelines write_portals write_secrets graphql","allowed_ip_addresses":""}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-6d11-7000-8000-3c70a4a591cb', 1794847108369000, 'CLUSTER_QUEUE_UPDATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'CLUSTER_QUEUE', '0190a1b2-0000-7000-8000-000000000005', 'default', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"before":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"default","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null},"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"default","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":true,"dispatch_paused_note":"Maintenance"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-6dbb-7000-8000-403ab2860b99', 1794847108539000, 'CLUSTER_TOKEN_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'CLUSTER_TOKEN', '01a1e539-6d85-7725-96b3-0d6d6922fc6d', 'Agents', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","description":"Agents","allowed_ip_addresses":"192.0.2.0/24"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-7002-7000-8000-46b943e06a89', 1794847109122000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-6ecb-7c6c-8706-9a63ccb18230', 'Web', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"Web","slug":"web","description":null,"repository":"git@example.com:acme/web.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"ee1d5bebdc6b8671615cf1a9b78e268a39d845ef62cd29d606dda3aa3f8bb0df","default_branch":null,"branch_configuration":null,"visibility":"private","tags":["linux","go"],"emoji":null,"color":null,"env":["CI"],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false,"teams":["0190a1b2-0000-7000-8000-000000000003"]}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-7199-7000-8000-4b9faddad28b', 1794847109529000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-7173-7dfa-a39d-7d502bc50623', 'Old', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"Old","slug":"old","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-7250-7000-8000-4e064312e53d', 1794847109712000, 'PIPELINE_UPDATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-7173-7dfa-a39d-7d502bc50623', 'Old', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"before":{"name":"Old","slug":"old","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false},"after":{"name":"Old","slug":"old","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":true}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-7355-7000-8000-53f219c70185', 1794847109973000, 'PORTAL_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PORTAL', '01a1e539-729f-7699-85b4-831bea68d972', 'Status', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"Status","slug":"status","description":null,"query_sha256":"afdc2859bb38708aec093237b238f87830691772a3a2da2cd9e4c265f8e3e880","allowed_ip_addresses":null,"user_invokable":false,"token":"01a1e539-729f-76b5-8609-fbe5541307a6"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-74fa-7000-8000-560a25a8f9aa', 1794847110394000, 'PORTAL_TOKEN_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PORTAL_TOKEN', '01a1e539-74ca-71e1-8677-92e577c30051', 'Dashboard', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"portal_id":"01a1e539-729f-7699-85b4-831bea68d972","description":"Dashboard"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-75dd-7000-8000-59fb4fefa730', 1794847110621000, 'PORTAL_SECRET_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PORTAL', '01a1e539-729f-7699-85b4-831bea68d972', 'Status', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"secret_id":"01a1e539-75af-7b92-bb32-584c374066ee","description":"Program"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-7679-7000-8000-5f392153ecd5', 1794847110777000, 'PORTAL_TOKEN_CREATED', 'PORTAL', '01a1e539-729f-7699-85b4-831bea68d972', 'Status', 'PORTAL_TOKEN', '01a1e539-766e-7193-aa18-5e6eb678b584', 'Program', '{"surface":"portal","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1"}', '{"after":{"portal_id":"01a1e539-729f-7699-85b4-831bea68d972","secret_id":"01a1e539-75af-7b92-bb32-584c374066ee","description":"Program","expires_at":"2026-11-16T17:38:30.766Z"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-77d3-7000-8000-6225b5d6b8da', 1794847111123000, 'ORGANIZATION_INVITATION_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'ORGANIZATION_INVITATION', '01a1e539-773a-714d-88f8-f762a0daa1be', 'new@example.com', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"email":"new@example.com","role":"member","sso_mode":"required","teams":{"0190a1b2-0000-7000-8000-000000000003":"member"},"expires_at":"2026-11-23T16:38:30.970Z"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-788c-7000-8000-65f52245c8a2', 1794847111308000, 'SECRET_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'SECRET', '01a1e539-788a-70f6-ba6e-9affdcc9f630', 'DEPLOY_KEY', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"DEPLOY_KEY","description":null,"policy":null}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-7891-7000-8000-6890c8690c65', 1794847111313000, 'CLUSTER_TOKEN_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'CLUSTER_TOKEN', '01a1e539-7890-7712-bd52-dc63e8fd7b48', 'Builders', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","description":"Builders","allowed_ip_addresses":null}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8066-7000-8000-926797883a31', 1794847113318000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-8021-718f-829f-3ff080e1b8d3', 'running', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"running","slug":"running","description":null,"repository":"git@example.com:acme/running.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"2c61aea18a28e6a67894d0c71c389d878c71dff91c335b840c7afb2c641361dd","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-87e1-7000-8000-c065b1f4227a', 1794847115233000, 'SECRET_READ', 'AGENT', '01a1e539-78cb-7000-8000-6fd2dbe14c13', 'running', 'SECRET', '01a1e539-788a-70f6-ba6e-9affdcc9f630', 'DEPLOY_KEY', '{"surface":"agent","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1"}', '{"after":{"key":"DEPLOY_KEY","job_id":"01a1e539-80fc-7000-8000-9d09da7ada4b","build_id":"01a1e539-80fc-7000-8000-9542906ee2f6"}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8b4b-7000-8000-cfbf71a0816b', 1794847116107000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-8b45-700c-a15d-1c20325f78a5', 'assigned', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"assigned","slug":"assigned","description":null,"repository":"git@example.com:acme/assigned.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"e51efb601e6aa95aed6e3a7dfb66971cf2c378a0340daa70624f8f8bc7d5468f","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8d2e-7000-8000-e420f7d992ab', 1794847116590000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-8d06-7b17-9ff9-fd5fbfa329db', 'accepted', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"accepted","slug":"accepted","description":null,"repository":"git@example.com:acme/accepted.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"fbc13dc77d9235b5a570e60bb1fc2cafb11995f6d3c2761d1e4d135411032a39","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8faf-7000-8001-0e2f04832a6c', 1794847117231000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-8f93-7c16-83fe-b092f7807a99', 'scheduled', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"scheduled","slug":"scheduled","description":null,"repository":"git@example.com:acme/scheduled.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"5141db5a8e1b67923a4b8703d00bf043a71b9430a27eae8a3eb82830e8063397","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-90b4-7000-8001-211369597281', 1794847117492000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-909a-7519-b73a-756196bbbbc8', 'first', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"first","slug":"first","description":null,"repository":"git@example.com:acme/first.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"a5cd49bae06287f3fca1b09964419f56345aa3e86ef1d7b68e3609cde988be31","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-94d6-7000-8001-4669fc604950', 1794847118550000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-94cb-73b2-88ad-1ddf98f920e7', 'second', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"second","slug":"second","description":null,"repository":"git@example.com:acme/second.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"bb91c39044b9bff9a08cd97d5180bd3e67c757be9940fc9a0c3d174d0715cd6c","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-96fb-7000-8001-5a8e07ea44d6', 1794847119099000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-96af-7cf0-a95d-c10a796709fa', 'waiting', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"waiting","slug":"waiting","description":null,"repository":"git@example.com:acme/waiting.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"1e234b261b65f86b3b1c064a0543088ba87663966dfc164bfa32fd65c3d704ca","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-98f9-7000-8001-8491d5b4fe8d', 1794847119609000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-98be-703e-803b-bb1d9bb44557', 'blocked', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"blocked","slug":"blocked","description":null,"repository":"git@example.com:acme/blocked.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"638fdea62099b44dd2e14d772fb20cc28813fb467d43372cbc6d1d96261db7b2","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-9aa1-7000-8001-968e458476d6', 1794847120033000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-9a9e-7b38-855d-2cd75313e21e', 'canceling', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"canceling","slug":"canceling","description":null,"repository":"git@example.com:acme/canceling.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"e8851203cbbb4af86ba967b6ca2bb76c904cc5dc73b28fc4a5c83df6f2e33e04","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-9c55-7000-8001-baf6a2d91d37', 1794847120469000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-9c3b-7edd-b744-86d03597e902', 'retried', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"retried","slug":"retried","description":null,"repository":"git@example.com:acme/retried.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"ccbbf39c0ef76d08483e0d1b190e8ba8a9621c9227758a640cc5ec2a45c7d958","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-9e88-7000-8001-e81c1f4af7d0', 1794847121032000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-9e70-7f25-a6fa-3a2f7fca0b74', 'finished', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"finished","slug":"finished","description":null,"repository":"git@example.com:acme/finished.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"763c8e811fdb78840f4f0e4497d03a9413a047042bb64d26d3e1c03b5aa8e43b","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-a183-7000-8002-0f7c4e9ae7a2', 1794847121795000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-a16a-7adc-88bb-2fe681fe195c', 'child', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"child","slug":"child","description":null,"repository":"git@example.com:acme/child.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"d492e6a0638634178cd34b11344ac9907d59a80517e704702afbac05e3f08e26","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-a3f7-7000-8002-32b39c952ed8', 1794847122423000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e539-a3af-7d3d-93f8-b144969c7776', 'parent', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e539-6765-77a4-be62-e986a3cdc855"}', '{"after":{"name":"parent","slug":"parent","description":null,"repository":"git@example.com:acme/parent.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"063bb82e699db9d579064e34efd39ad27d522cb17928f6c10aa70945f131b320","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"provider_settings":{},"clone_mirror_url":null,"next_build_number":1,"archived":false}}');
INSERT INTO public.blob_deletions VALUES ('logs/gone', 0);
INSERT INTO public.bootstrap_items VALUES ('user', 'admin@example.com', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('user', 'dev@example.com', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('organization', 'acme-inc', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('organization', 'holding-co', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('member', 'acme-inc/admin@example.com', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('member', 'acme-inc/dev@example.com', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('team', 'acme-inc/platform', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('team_member', 'acme-inc/platform/dev@example.com', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('cluster', 'acme-inc/Open Source', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('maintainer', 'acme-inc/Open Source/dev@example.com/', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('maintainer', 'acme-inc/Open Source//platform', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('queue', 'acme-inc/Open Source/default', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('queue', 'acme-inc/Open Source/builders', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('queue', 'acme-inc/Open Source/hosted', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('cache_registry', 'acme-inc/Open Source/ruby-gems', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('token', 'fd069c07630e40dd76e6a3fcdcc05f8551e2b383c92cf7c0c5df4054513aaaba', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('activity', 'acme-inc/admin@example.com/2026-02-03', 1794847104728000);
INSERT INTO public.bootstrap_items VALUES ('activity', 'acme-inc/dev@example.com/2026-02-20', 1794847104728000);
INSERT INTO public.build_meta_data VALUES ('01a1e539-80fc-7000-8000-9542906ee2f6', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-80fc-7000-8000-9542906ee2f6', 'version', '7');
INSERT INTO public.build_meta_data VALUES ('01a1e539-8b97-7000-8000-d15f6296b41d', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-8d63-7000-8000-e88e90a5ac1f', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-8fce-7000-8001-10667495e37a', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-916a-7000-8001-26e6dfceb035', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-954f-7000-8001-4a575681776c', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-9761-7000-8001-5c04321f59b9', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-99c5-7000-8001-8a748891e1ca', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-9ac4-7000-8001-98eb1ffb2953', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-9c90-7000-8001-bf3054524b94', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-9ec3-7000-8001-ec40b2f5a495', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-a203-7000-8002-117294d9465e', 'made', 'with the build');
INSERT INTO public.build_meta_data VALUES ('01a1e539-a440-7000-8002-344b8da6a2b1', 'made', 'with the build');
INSERT INTO public.build_steps VALUES ('01a1e539-80fc-7000-8000-995d5527fc55', '01a1e539-80fc-7000-8000-9542906ee2f6', NULL, NULL, 'command', NULL, 'running', '00', '{"agents":{"queue":"builders","label":"running"},"command":"make running","label":"running"}', '{"Kind":"command","Command":"make running","Agents":["label=running","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 1, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-86e5-7000-8000-b5a229f3e0da', '01a1e539-80fc-7000-8000-9542906ee2f6', '01a1e539-80fc-7000-8000-995d5527fc55', NULL, 'command', NULL, 'uploaded', '00dv00', '{"label": "uploaded", "command": "x", "agents": {"queue": "builders", "label": "uploaded"}}', '{"Kind":"command","Command":"x","Agents":["label=uploaded","queue=builders"]}', '0190a1b2-0000-7000-8000-00000000000a', '[]', '[]', 1, 0, 0, 0, 0, 0, 1, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-8b97-7000-8000-d629d4905b50', '01a1e539-8b97-7000-8000-d15f6296b41d', NULL, NULL, 'command', NULL, 'assigned', '00', '{"agents":{"queue":"builders","label":"assigned"},"command":"make assigned","label":"assigned"}', '{"Kind":"command","Command":"make assigned","Agents":["label=assigned","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-8d63-7000-8000-f1b3930d7ad7', '01a1e539-8d63-7000-8000-e88e90a5ac1f', NULL, NULL, 'command', NULL, 'accepted', '00', '{"agents":{"queue":"builders","label":"accepted"},"command":"make accepted","label":"accepted"}', '{"Kind":"command","Command":"make accepted","Agents":["label=accepted","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-8fce-7000-8001-154b176bb050', '01a1e539-8fce-7000-8001-10667495e37a', NULL, NULL, 'command', NULL, 'scheduled', '00', '{"agents":{"queue":"builders","label":"scheduled"},"command":"make scheduled","label":"scheduled"}', '{"Kind":"command","Command":"make scheduled","Agents":["label=scheduled","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-916a-7000-8001-2a52e3779cb3', '01a1e539-916a-7000-8001-26e6dfceb035', NULL, NULL, 'command', NULL, 'first', '00', '{"agents":{"queue":"builders","label":"first"},"command":"make first","concurrency":1,"concurrency_group":"deploy","label":"first"}', '{"Kind":"command","Command":"make first","Agents":["label=first","queue=builders"],"Concurrency":1,"ConcurrencyGroup":"deploy","ConcurrencyMethod":"ordered"}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-954f-7000-8001-4db6e903b4aa', '01a1e539-954f-7000-8001-4a575681776c', NULL, NULL, 'command', NULL, 'second', '00', '{"agents":{"queue":"builders","label":"second"},"command":"make second","concurrency":1,"concurrency_group":"deploy","label":"second"}', '{"Kind":"command","Command":"make second","Agents":["label=second","queue=builders"],"Concurrency":1,"ConcurrencyGroup":"deploy","ConcurrencyMethod":"ordered"}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-9761-7000-8001-7003ce0e0b52', '01a1e539-9761-7000-8001-5c04321f59b9', NULL, NULL, 'command', NULL, 'after', '02', '{"agents":{"queue":"builders","label":"after"},"command":"make after","depends_on":"before","label":"after"}', '{"Kind":"command","Command":"make after","Agents":["label=after","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 1, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-9761-7000-8001-627af7713c4a', '01a1e539-9761-7000-8001-5c04321f59b9', NULL, NULL, 'command', 'before', 'before', '00', '{"agents":{"queue":"builders","label":"before"},"command":"make before","key":"before","label":"before"}', '{"Kind":"command","Command":"make before","Agents":["label=before","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-9761-7000-8001-69cccbcffe66', '01a1e539-9761-7000-8001-5c04321f59b9', NULL, NULL, 'wait', NULL, '', '01', '"wait"', '{"Kind":"wait","BlockedState":"passed"}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 1, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-99c5-7000-8001-8e19a72f56b2', '01a1e539-99c5-7000-8001-8a748891e1ca', NULL, NULL, 'block', 'release', 'Release', '00', '{"block":"Release","fields":[{"text":"Version","key":"version"}],"key":"release"}', '{"Kind":"block","Fields":[{"Key":"version","Text":"Version","Required":true}],"BlockedState":"passed"}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-9ac4-7000-8001-9cae9b2cef14', '01a1e539-9ac4-7000-8001-98eb1ffb2953', NULL, NULL, 'command', NULL, 'canceling', '00', '{"agents":{"queue":"builders","label":"canceling"},"command":"make canceling","label":"canceling"}', '{"Kind":"command","Command":"make canceling","Agents":["label=canceling","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-9c90-7000-8001-c38e38205536', '01a1e539-9c90-7000-8001-bf3054524b94', NULL, NULL, 'command', NULL, 'failing', '00', '{"agents":{"queue":"builders","label":"failing"},"command":"make failing","label":"failing","retry":{"automatic":[{"exit_status":3,"limit":1}]}}', '{"Kind":"command","Command":"make failing","Agents":["label=failing","queue=builders"],"Retry":{"Automatic":[{"ExitStatuses":[3],"AnyFailure":false,"Signals":[],"SignalReasons":[],"Limit":1}],"Manual":{"Forbidden":false,"Reason":"","PermitOnPassed":false}}}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-9ec3-7000-8001-f012db063571', '01a1e539-9ec3-7000-8001-ec40b2f5a495', NULL, NULL, 'command', NULL, 'passing', '00', '{"agents":{"queue":"builders","label":"passing"},"command":"make passing","label":"passing"}', '{"Kind":"command","Command":"make passing","Agents":["label=passing","queue=builders"]}', NULL, '[]', '[]', 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-a203-7000-8002-1549b23da97c', '01a1e539-a203-7000-8002-117294d9465e', NULL, NULL, 'command', NULL, 'child', '00', '{"agents":{"queue":"builders","label":"child"},"command":"make child","label":"child"}', '{"Kind":"command","Command":"make child","Agents":["label=child","queue=builders"]}', NULL, '[]', '[]', 0, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-a440-7000-8002-3b33d007f09f', '01a1e539-a440-7000-8002-344b8da6a2b1', NULL, NULL, 'trigger', NULL, '', '00', '{"trigger":"child"}', '{"Kind":"trigger","Trigger":"child","Build":{"Commit":"HEAD"}}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_steps VALUES ('01a1e539-a556-7000-8002-4c6509e527f0', '01a1e539-a556-7000-8002-49dc0213e560', NULL, NULL, 'command', NULL, 'child', '00', '{"agents":{"queue":"builders","label":"child"},"command":"make child","label":"child"}', '{"Kind":"command","Command":"make child","Agents":["label=child","queue=builders"]}', NULL, '[]', '[]', 1, 0, 0, 0, 0, 0, 0, 0, 0);
INSERT INTO public.build_tasks VALUES ('a task', 'supersede', '01a1e539-99c5-7000-8001-8a748891e1ca', NULL, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-80fc-7000-8000-9542906ee2f6', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8021-718f-829f-3ff080e1b8d3', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847113468000, 'running', '', true, false, false, NULL, NULL, 1794847113468000, 1794847114490000, NULL, NULL, '{}', 1, 2, 2, 1, 0, 1, 1, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-8b97-7000-8000-d15f6296b41d', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8b45-700c-a15d-1c20325f78a5', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847116183000, 'scheduled', '', true, false, false, NULL, NULL, 1794847116183000, NULL, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 0, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-8d63-7000-8000-e88e90a5ac1f', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8d06-7b17-9ff9-fd5fbfa329db', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847116643000, 'scheduled', '', true, false, false, NULL, NULL, 1794847116643000, NULL, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 0, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-8fce-7000-8001-10667495e37a', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8f93-7c16-83fe-b092f7807a99', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847117262000, 'scheduled', '', true, false, false, NULL, NULL, 1794847117262000, NULL, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 0, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-916a-7000-8001-26e6dfceb035', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-909a-7519-b73a-756196bbbbc8', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847117674000, 'running', '', true, false, false, NULL, NULL, 1794847117674000, 1794847118425000, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 1, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-954f-7000-8001-4a575681776c', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-94cb-73b2-88ad-1ddf98f920e7', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847118671000, 'scheduled', '', true, false, false, NULL, NULL, 1794847118671000, NULL, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 0, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-9761-7000-8001-5c04321f59b9', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-96af-7cf0-a95d-c10a796709fa', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847119201000, 'scheduled', '', true, false, false, NULL, NULL, 1794847119201000, NULL, NULL, NULL, '{}', 0, 3, 3, 1, 0, 2, 0, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-99c5-7000-8001-8a748891e1ca', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-98be-703e-803b-bb1d9bb44557', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847119813000, 'blocked', 'passed', true, false, false, NULL, NULL, 1794847119813000, NULL, NULL, NULL, '{}', 0, 1, 1, 0, 1, 0, 0, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-9ac4-7000-8001-98eb1ffb2953', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-9a9e-7b38-855d-2cd75313e21e', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847120068000, 'canceling', '', true, false, true, '0190a1b2-0000-7000-8000-000000000001', NULL, 1794847120068000, 1794847120176000, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 1, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-9c90-7000-8001-bf3054524b94', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-9c3b-7edd-b744-86d03597e902', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847120528000, 'scheduled', '', true, false, false, NULL, NULL, 1794847120528000, 1794847120864000, NULL, NULL, '{}', 0, 2, 1, 1, 0, 0, 0, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-9ec3-7000-8001-ec40b2f5a495', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-9e70-7f25-a6fa-3a2f7fca0b74', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847121091000, 'passed', '', true, false, false, NULL, NULL, 1794847121091000, 1794847121436000, NULL, 1794847121458000, '{}', 0, 1, 1, 0, 0, 0, 1, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-a556-7000-8002-49dc0213e560', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-a16a-7adc-88bb-2fe681fe195c', '0190a1b2-0000-7000-8000-000000000004', 2, 'trigger_job', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, '01a1e539-a440-7000-8002-3e0c86c25797', 1, 1794847122774000, 'scheduled', '', true, false, false, NULL, NULL, 1794847122774000, NULL, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 0, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-a203-7000-8002-117294d9465e', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-a16a-7adc-88bb-2fe681fe195c', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847121923000, 'passed', '', true, false, false, NULL, NULL, 1794847121923000, 1794847122305000, NULL, 1794847122320000, '{}', 0, 1, 1, 0, 0, 0, 1, 0, 0, 0);
INSERT INTO public.builds VALUES ('01a1e539-a440-7000-8002-344b8da6a2b1', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-a3af-7d3d-93f8-b144969c7776', '0190a1b2-0000-7000-8000-000000000004', 1, 'api', 'A change', 'HEAD', 'main', '', '{}', '', '', '0190a1b2-0000-7000-8000-000000000001', false, false, 'null', NULL, NULL, 0, 1794847122496000, 'running', '', true, false, false, NULL, NULL, 1794847122496000, 1794847122496000, NULL, NULL, '{}', 0, 1, 1, 1, 0, 0, 1, 0, 0, 1);
INSERT INTO public.cache_days VALUES ('0190a1b2-0000-7000-8000-000000000006', '2026-11-16', 0, 0, 0, 1, 0, 1, 1);
INSERT INTO public.cache_days VALUES ('0190a1b2-0000-7000-8000-000000000006', '2026-11-15', 1, 0, 0, 1, 0, 1, 1);
INSERT INTO public.cache_decisions VALUES ('01a1e539-8a73-7000-8000-edd0b5693e80', '0190a1b2-0000-7000-8000-000000000006', '01a1e539-80fc-7000-8000-9d09da7ada4b', 'running', 1, 'main', 'store', '["gems"]', '[{"value":"committed","mandatory":true}]', true, 'accepted', '{"branch":"main"}', 'rule 1', 'rule 1 allows it', 'save allowed: rule 1 allows it
  entry {"branch":"main"} allowed: rule 1 allows it
    rule 1 (allow): matches
', 1794847115891000);
INSERT INTO public.cache_decisions VALUES ('01a1e539-8ad7-7000-8000-fcc8d9adf85e', '0190a1b2-0000-7000-8000-000000000006', '01a1e539-80fc-7000-8000-9d09da7ada4b', 'running', 1, 'main', 'commit', '["gems"]', '[{"value":"committed","mandatory":true}]', true, 'saved', '{"branch":"main"}', 'rule 1', 'rule 1 allows it', 'save allowed: rule 1 allows it
  entry {"branch":"main"} allowed: rule 1 allows it
    rule 1 (allow): matches
', 1794847115991000);
INSERT INTO public.cache_decisions VALUES ('01a1e539-8b38-7000-8001-031cf4fd05cb', '0190a1b2-0000-7000-8000-000000000006', '01a1e539-80fc-7000-8000-9d09da7ada4b', 'running', 1, 'main', 'store', '["gems"]', '[{"value":"begun","mandatory":true}]', true, 'accepted', '{"branch":"main"}', 'rule 1', 'rule 1 allows it', 'save allowed: rule 1 allows it
  entry {"branch":"main"} allowed: rule 1 allows it
    rule 1 (allow): matches
', 1794847116088000);
INSERT INTO public.cache_entries VALUES ('01a1e539-8a8d-7000-8000-caad76461ac8', '0190a1b2-0000-7000-8000-000000000006', 'dMMrET6x0rB547ciHjajbRr4rbflUtBGKDWvH3da5wI', '', 'main', '', '["gems"]', '[{"value":"committed","mandatory":true}]', '[{"digest":{"algorithm":"sha256","value":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},"file_size":1,"compression":"zip"}]', 'linux/amd64', 1, '01a1e539-80fc-7000-8000-9d09da7ada4b', 1794847115917000, NULL, 0, 1795106315917000);
INSERT INTO public.cache_entry_prefixes VALUES ('fP2qSuw3_twbOZmSwDSHh-cUN1iqSqnXTod9ButdgpU', 1794847115917000, '01a1e539-8a8d-7000-8000-caad76461ac8');
INSERT INTO public.cache_entry_sets VALUES ('0190a1b2-0000-7000-8000-000000000006', '0190a1b2-0000-7000-8000-000000000006', 1, 1);
INSERT INTO public.cache_registries VALUES ('01a1e539-63b5-7697-b069-c9fa75bc9058', '0190a1b2-0000-7000-8000-000000000004', 'default', 'Default', NULL, NULL, NULL, '{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[{"effect":"allow","action":["save"]},{"effect":"allow","action":["restore"]}]}', 1794847104728000, 1794847104728000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL);
INSERT INTO public.cache_registries VALUES ('0190a1b2-0000-7000-8000-000000000006', '0190a1b2-0000-7000-8000-000000000004', 'ruby-gems', 'Ruby gems', NULL, NULL, NULL, '{"save":{"scopes":{"branch":true}},"restore":{"scopes":[]},"rules":[{"effect":"allow","action":["save","restore"]}]}', 1794847104728000, 1794847104728000, '0190a1b2-0000-7000-8000-000000000001', 's3://cache/gems', NULL);
INSERT INTO public.cache_uploads VALUES ('01a1e539-8a34-7273-a208-07ca17725d02', '0190a1b2-0000-7000-8000-000000000006', '01a1e539-80fc-7000-8000-9d09da7ada4b', '["gems"]', '[{"value":"committed","mandatory":true}]', '[{"digest":{"algorithm":"sha256","value":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},"file_size":1,"compression":"zip"}]', 'linux/amd64', 1794847115828000, true);
INSERT INTO public.cache_uploads VALUES ('01a1e539-8b28-72cf-9d26-3676eb1c9d53', '0190a1b2-0000-7000-8000-000000000006', '01a1e539-80fc-7000-8000-9d09da7ada4b', '["gems"]', '[{"value":"begun","mandatory":true}]', '[{"digest":{"algorithm":"sha256","value":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},"file_size":1,"compression":"zip"}]', 'linux/amd64', 1794847116072000, false);
INSERT INTO public.cluster_agent_tokens VALUES ('01a1e539-6d85-7725-96b3-0d6d6922fc6d', '0190a1b2-0000-7000-8000-000000000004', 'b167ddb40103250bd5f3630ffc4ece4f88a7dcdde25b13e1a930c1208aba1e22', 'Agents', '192.0.2.0/24', NULL, 1794847108485000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_agent_tokens VALUES ('01a1e539-7890-7712-bd52-dc63e8fd7b48', '0190a1b2-0000-7000-8000-000000000004', '75d655f189b42e7b3d13f569c89bb31b2ada4cf3a77691d77bee153e731d73b1', 'Builders', NULL, NULL, 1794847111312000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_maintainers VALUES ('01a1e539-64c4-7522-99f2-9fd8268803a6', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', '0190a1b2-0000-7000-8000-000000000002', NULL, 1794847104728000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_maintainers VALUES ('01a1e539-654f-7a7a-b3ab-24f1dcbe2b01', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000004', NULL, '0190a1b2-0000-7000-8000-000000000003', 1794847104728000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_queues VALUES ('01a1e539-65c5-7678-86f9-23f60208f5c9', '0190a1b2-0000-7000-8000-000000000004', 'builders', NULL, 'prefer-warmest', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1794847104728000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_queues VALUES ('01a1e539-660e-7833-babb-a8b8fbfac741', '0190a1b2-0000-7000-8000-000000000004', 'hosted', NULL, 'prefer-warmest', NULL, NULL, NULL, 'LINUX_AMD64_2X4', NULL, NULL, NULL, 1794847104728000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_queues VALUES ('0190a1b2-0000-7000-8000-000000000005', '0190a1b2-0000-7000-8000-000000000004', 'default', NULL, 'prefer-warmest', 1794847108339000, '0190a1b2-0000-7000-8000-000000000001', 'Maintenance', NULL, NULL, NULL, NULL, 1794847104728000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_secrets VALUES ('01a1e539-788a-70f6-ba6e-9affdcc9f630', '0190a1b2-0000-7000-8000-000000000004', 'DEPLOY_KEY', NULL, NULL, 'f707acd346de852c.rbW1v+VA+Kz2bPpUGSX9XvDza6wunOR4Qg/dOkBXlFIeFqgq', 1794847111306000, '0190a1b2-0000-7000-8000-000000000001', 1794847111306000, '0190a1b2-0000-7000-8000-000000000001', 1794847115104000);
INSERT INTO public.clusters VALUES ('0190a1b2-0000-7000-8000-000000000004', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'Open Source', 'open source', 'For all that is public', NULL, NULL, '0190a1b2-0000-7000-8000-000000000005', '0190a1b2-0000-7000-8000-000000000006', false, true, 3, 1, true, 1794847104728000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.concurrency_groups VALUES ('01a1e539-91e7-7b83-a6b2-9e50d68ed5a4', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'deploy');
INSERT INTO public.git_mirror_syncs VALUES ('0190a1b2-0000-7000-8000-000000000004', '', 0, 5, 1794847140108356);
INSERT INTO public.idempotency_keys VALUES ('84741b1a5214acd42c21d8df7ca1ccfad9ecdd6fdfa081e10f8e93a4282ec2f1', '3acc1bbfccd54c2e77c4bf1db6d9b211448911da82d3d5da520f3a07f1b41d77', '\x7b225468696e67223a7b7d2c2256616c7565223a22222c224e616d65223a226f7267616e697a6174696f6e20696e7669746174696f6e2030316131653533392d373733612d373134642d383866382d663736326130646161316265227d', 1794933510812163);
INSERT INTO public.invitation_links VALUES ('466cc354e9f2652652baa4e4378af83bc6953be98577a5790bf6e88c6d4d095c', '01a1e539-773a-714d-88f8-f762a0daa1be', false);
INSERT INTO public.invitation_mails VALUES ('01a1e539-773a-714d-88f8-f762a0daa1be', 0, NULL, NULL);
INSERT INTO public.invitation_teams VALUES ('01a1e539-7755-7cfd-b8e1-4dbeb3e3da93', '01a1e539-773a-714d-88f8-f762a0daa1be', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000003', 'member');
INSERT INTO public.invitations VALUES ('01a1e539-773a-714d-88f8-f762a0daa1be', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'new@example.com', 'new@example.com', 'member', 'required', 1794847110970000, '0190a1b2-0000-7000-8000-000000000001', 1795451910970000, NULL, NULL, NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e539-80fc-7000-8000-a2285d6f1228', '01a1e539-80fc-7000-8000-9d09da7ada4b', 'SCHEDULED', 1794847113468000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-835b-7000-8000-a4a652199a53', '01a1e539-80fc-7000-8000-9d09da7ada4b', 'ASSIGNED', 1794847114075000, '01a1e539-78cb-7000-8000-6fd2dbe14c13', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-8429-7000-8000-aba2bcc8e607', '01a1e539-80fc-7000-8000-9d09da7ada4b', 'ACCEPTED', 1794847114281000, '01a1e539-78cb-7000-8000-6fd2dbe14c13', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-84fa-7000-8000-afbf02b65a4a', '01a1e539-80fc-7000-8000-9d09da7ada4b', 'STARTED', 1794847114490000, '01a1e539-78cb-7000-8000-6fd2dbe14c13', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-8b97-7000-8000-dd5bb3f6e577', '01a1e539-8b97-7000-8000-db10f4311c2c', 'SCHEDULED', 1794847116183000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-8c42-7000-8000-e076149eed2a', '01a1e539-8b97-7000-8000-db10f4311c2c', 'ASSIGNED', 1794847116354000, '01a1e539-7a05-7000-8000-7067a70eee35', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-8d63-7000-8000-f95f42cdd6a5', '01a1e539-8d63-7000-8000-f4cdb50d6ae2', 'SCHEDULED', 1794847116643000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-8e75-7000-8001-0497501d3f46', '01a1e539-8d63-7000-8000-f4cdb50d6ae2', 'ASSIGNED', 1794847116917000, '01a1e539-7baf-7000-8000-74c8e9b1b37e', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-8ea9-7000-8001-0872d0308850', '01a1e539-8d63-7000-8000-f4cdb50d6ae2', 'ACCEPTED', 1794847116969000, '01a1e539-7baf-7000-8000-74c8e9b1b37e', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-8fce-7000-8001-1e7daf8b85bf', '01a1e539-8fce-7000-8001-1bd70273134e', 'SCHEDULED', 1794847117262000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-916a-7000-8001-3194dda67d4a', '01a1e539-916a-7000-8001-2ca7d8447d07', 'LIMITED', 1794847117674000, NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e539-916a-7000-8001-37bcfe0b1827', '01a1e539-916a-7000-8001-2ca7d8447d07', 'SCHEDULED', 1794847117674000, NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e539-934f-7000-8001-3a7ee0011133', '01a1e539-916a-7000-8001-2ca7d8447d07', 'ASSIGNED', 1794847118159000, '01a1e539-7d93-7000-8000-7d7276577539', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-93df-7000-8001-3e186e4edebc', '01a1e539-916a-7000-8001-2ca7d8447d07', 'ACCEPTED', 1794847118303000, '01a1e539-7d93-7000-8000-7d7276577539', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9459-7000-8001-40272cd2b9b3', '01a1e539-916a-7000-8001-2ca7d8447d07', 'STARTED', 1794847118425000, '01a1e539-7d93-7000-8000-7d7276577539', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-954f-7000-8001-55f8a5cd67df', '01a1e539-954f-7000-8001-50b09fd3778e', 'LIMITED', 1794847118671000, NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9761-7000-8001-81e4cb0c15b7', '01a1e539-9761-7000-8001-641589ce5794', 'SCHEDULED', 1794847119201000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-9ac4-7000-8001-a7e3a0c86868', '01a1e539-9ac4-7000-8001-a1681f6d77b3', 'SCHEDULED', 1794847120068000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-9b16-7000-8001-a8852d28e259', '01a1e539-9ac4-7000-8001-a1681f6d77b3', 'ASSIGNED', 1794847120150000, '01a1e539-7e09-7000-8000-83967f8deb21', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9b2d-7000-8001-ace464e74d58', '01a1e539-9ac4-7000-8001-a1681f6d77b3', 'ACCEPTED', 1794847120173000, '01a1e539-7e09-7000-8000-83967f8deb21', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9b30-7000-8001-b390f84844bd', '01a1e539-9ac4-7000-8001-a1681f6d77b3', 'STARTED', 1794847120176000, '01a1e539-7e09-7000-8000-83967f8deb21', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9b81-7000-8001-b529af2704ad', '01a1e539-9ac4-7000-8001-a1681f6d77b3', 'CANCELATION', 1794847120257000, '01a1e539-7e09-7000-8000-83967f8deb21', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-9c90-7000-8001-cb6b6af8ca66', '01a1e539-9c90-7000-8001-c6ac8fe07a23', 'SCHEDULED', 1794847120528000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-9d27-7000-8001-cf43494f0097', '01a1e539-9c90-7000-8001-c6ac8fe07a23', 'ASSIGNED', 1794847120679000, '01a1e539-7e59-7000-8000-872d102e9c33', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9d5d-7000-8001-d35e58e33858', '01a1e539-9c90-7000-8001-c6ac8fe07a23', 'ACCEPTED', 1794847120733000, '01a1e539-7e59-7000-8000-872d102e9c33', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9de0-7000-8001-d71433f10a59', '01a1e539-9c90-7000-8001-c6ac8fe07a23', 'STARTED', 1794847120864000, '01a1e539-7e59-7000-8000-872d102e9c33', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9e28-7000-8001-d9949d04fad8', '01a1e539-9c90-7000-8001-c6ac8fe07a23', 'FINISHED', 1794847120936000, '01a1e539-7e59-7000-8000-872d102e9c33', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9e28-7000-8001-e083dbd9f926', '01a1e539-9c90-7000-8001-c6ac8fe07a23', 'RETRIED', 1794847120936000, '01a1e539-7e59-7000-8000-872d102e9c33', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9e28-7000-8001-e626b6e67005', '01a1e539-9e28-7000-8001-dc8e11d49221', 'SCHEDULED', 1794847120936000, NULL, NULL);
INSERT INTO public.job_events VALUES ('01a1e539-9ec3-7000-8001-faa31df6d562', '01a1e539-9ec3-7000-8001-f4ec69ad7733', 'SCHEDULED', 1794847121091000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-9fdf-7000-8001-fe9d49ff9f33', '01a1e539-9ec3-7000-8001-f4ec69ad7733', 'ASSIGNED', 1794847121375000, '01a1e539-7eb1-7000-8000-8837c5a6475f', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-a003-7000-8002-00416835fcf8', '01a1e539-9ec3-7000-8001-f4ec69ad7733', 'ACCEPTED', 1794847121411000, '01a1e539-7eb1-7000-8000-8837c5a6475f', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-a01c-7000-8002-047ce5857fa6', '01a1e539-9ec3-7000-8001-f4ec69ad7733', 'STARTED', 1794847121436000, '01a1e539-7eb1-7000-8000-8837c5a6475f', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-a032-7000-8002-0aff263219fa', '01a1e539-9ec3-7000-8001-f4ec69ad7733', 'FINISHED', 1794847121458000, '01a1e539-7eb1-7000-8000-8837c5a6475f', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-a203-7000-8002-1f93b42f32e3', '01a1e539-a203-7000-8002-1bfd78eacefe', 'SCHEDULED', 1794847121923000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-a293-7000-8002-23d7d4c272f6', '01a1e539-a203-7000-8002-1bfd78eacefe', 'ASSIGNED', 1794847122067000, '01a1e539-7ff8-7000-8000-8de1e288da1b', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-a300-7000-8002-26eff2e4d0e7', '01a1e539-a203-7000-8002-1bfd78eacefe', 'ACCEPTED', 1794847122176000, '01a1e539-7ff8-7000-8000-8de1e288da1b', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-a381-7000-8002-2bf86d480f1b', '01a1e539-a203-7000-8002-1bfd78eacefe', 'STARTED', 1794847122305000, '01a1e539-7ff8-7000-8000-8de1e288da1b', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-a390-7000-8002-2e60042fb006', '01a1e539-a203-7000-8002-1bfd78eacefe', 'FINISHED', 1794847122320000, '01a1e539-7ff8-7000-8000-8de1e288da1b', NULL);
INSERT INTO public.job_events VALUES ('01a1e539-a440-7000-8002-44c1e5b0ebc4', '01a1e539-a440-7000-8002-3e0c86c25797', 'STARTED', 1794847122496000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_events VALUES ('01a1e539-a556-7000-8002-57b1920d51dd', '01a1e539-a556-7000-8002-523cd215ec94', 'SCHEDULED', 1794847122774000, NULL, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.job_log_chunks VALUES ('01a1e539-80fc-7000-8000-9d09da7ada4b', 1, 0, 4, '\x1f8b08000000000000ffcacf4be502040000ffff9fa817f804000000');
INSERT INTO public.job_log_chunks VALUES ('01a1e539-80fc-7000-8000-9d09da7ada4b', 2, 4, 4, '\x1f8b08000000000000ff2a29cfe702040000ffff7408179604000000');
INSERT INTO public.jobs VALUES ('01a1e539-8d63-7000-8000-f4cdb50d6ae2', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8d06-7b17-9ff9-fd5fbfa329db', '01a1e539-8d63-7000-8000-e88e90a5ac1f', '01a1e539-8d63-7000-8000-f1b3930d7ad7', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'accepted', 'make accepted', '["label=accepted","queue=builders"]', 'c799b735b7042b2d1b663c4b451a300eff6521a606a10669e20b5a9d63a748d3', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847116643000, 1794847116643000, 'accepted', '', 0, '01a1e539-7baf-7000-8000-74c8e9b1b37e', '33a925af0c3165c8facb966bf3dcf53547d950816c95697276b938e6a13c97ba', NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847116643000, 1794847116643000, 1794847116917000, 1794847116969000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-80fc-7000-8000-9d09da7ada4b', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8021-718f-829f-3ff080e1b8d3', '01a1e539-80fc-7000-8000-9542906ee2f6', '01a1e539-80fc-7000-8000-995d5527fc55', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'running', 'make running', '["label=running","queue=builders"]', '30026471d3e0cf7498dbbdbb6d4fae927a860931000a8b3edfaeecccfc3cd072', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847113468000, 1794847113468000, 'running', '', 0, '01a1e539-78cb-7000-8000-6fd2dbe14c13', '127dc58554f488a86a3cce098c32734e85be1e185abbba5ae0f0956a934689a4', NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847113468000, 1794847113468000, 1794847114075000, 1794847114281000, 1794847114490000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{"0":"2026-11-16T09:00:00Z"}', 1024, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-86e5-7000-8000-bb22455fd20c', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8021-718f-829f-3ff080e1b8d3', '01a1e539-80fc-7000-8000-9542906ee2f6', '01a1e539-86e5-7000-8000-b5a229f3e0da', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'uploaded', 'x', '["label=uploaded","queue=builders"]', '8f8eac334cf81df233efe6e3b2c66bb99bb7e5622d51fe3740a3d675724f76f6', '00dv00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847114981000, 1794847113468000, 'waiting', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847113468000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-8b97-7000-8000-db10f4311c2c', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8b45-700c-a15d-1c20325f78a5', '01a1e539-8b97-7000-8000-d15f6296b41d', '01a1e539-8b97-7000-8000-d629d4905b50', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'assigned', 'make assigned', '["label=assigned","queue=builders"]', 'ff9027eaee5d4a629323e287ca5934704e9fe086d944bb0382a0ff1e85437b83', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847116183000, 1794847116183000, 'assigned', '', 0, '01a1e539-7a05-7000-8000-7067a70eee35', NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847116183000, 1794847116183000, 1794847116354000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-8fce-7000-8001-1bd70273134e', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-8f93-7c16-83fe-b092f7807a99', '01a1e539-8fce-7000-8001-10667495e37a', '01a1e539-8fce-7000-8001-154b176bb050', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'scheduled', 'make scheduled', '["label=scheduled","queue=builders"]', 'fce2563d99f554cc1e298ed0a65c273aad928c19adc22fe4f6d0f25269b1c912', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847117262000, 1794847117262000, 'scheduled', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847117262000, 1794847117262000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-916a-7000-8001-2ca7d8447d07', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-909a-7519-b73a-756196bbbbc8', '01a1e539-916a-7000-8001-26e6dfceb035', '01a1e539-916a-7000-8001-2a52e3779cb3', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'first', 'make first', '["label=first","queue=builders"]', '1910fb2d5bfe96e310909e4db8fa35112b206718b391dcd75ccf3a6ce0cc0d9c', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, '01a1e539-91e7-7b83-a6b2-9e50d68ed5a4', 1, 'ordered', 1794847117674000, 1794847117674000, 'running', '', 0, '01a1e539-7d93-7000-8000-7d7276577539', 'de32eaede1e2e53158d1461c783799bf7969d15cd653a628d53b57c4eb89d5cd', NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847117674000, 1794847117674000, 1794847118159000, 1794847118303000, 1794847118425000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-954f-7000-8001-50b09fd3778e', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-94cb-73b2-88ad-1ddf98f920e7', '01a1e539-954f-7000-8001-4a575681776c', '01a1e539-954f-7000-8001-4db6e903b4aa', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'second', 'make second', '["label=second","queue=builders"]', 'b16d8db9c023d98e9d1f1f3235bb601932c258d8532fa44798a71580a67ff15e', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, '01a1e539-91e7-7b83-a6b2-9e50d68ed5a4', 1, 'ordered', 1794847118671000, 1794847118671000, 'limited', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847118671000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-9761-7000-8001-641589ce5794', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-96af-7cf0-a95d-c10a796709fa', '01a1e539-9761-7000-8001-5c04321f59b9', '01a1e539-9761-7000-8001-627af7713c4a', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'before', 'make before', '["label=before","queue=builders"]', '79036fd5f19069589dec5cd6df5e949d8d25047a2da27492cbe152601e3d60c4', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847119201000, 1794847119201000, 'scheduled', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847119201000, 1794847119201000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-9761-7000-8001-6f5bfa439aea', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-96af-7cf0-a95d-c10a796709fa', '01a1e539-9761-7000-8001-5c04321f59b9', '01a1e539-9761-7000-8001-69cccbcffe66', '0190a1b2-0000-7000-8000-000000000004', NULL, NULL, 'wait', '', '', '[]', '', '01', 1, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847119201000, 1794847119201000, 'waiting', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847119201000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-9761-7000-8001-75490112e933', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-96af-7cf0-a95d-c10a796709fa', '01a1e539-9761-7000-8001-5c04321f59b9', '01a1e539-9761-7000-8001-7003ce0e0b52', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'after', 'make after', '["label=after","queue=builders"]', '6e652e9c542327be3c460cf4ca6b226c5e5d7e4f1356d072e4b18d7f3eb92ff7', '02', 2, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847119201000, 1794847119201000, 'waiting', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847119201000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-99c5-7000-8001-934c00da296e', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-98be-703e-803b-bb1d9bb44557', '01a1e539-99c5-7000-8001-8a748891e1ca', '01a1e539-99c5-7000-8001-8e19a72f56b2', '0190a1b2-0000-7000-8000-000000000004', NULL, NULL, 'block', 'Release', '', '[]', '', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847119813000, 1794847119813000, 'blocked', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847119813000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-9ac4-7000-8001-a1681f6d77b3', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-9a9e-7b38-855d-2cd75313e21e', '01a1e539-9ac4-7000-8001-98eb1ffb2953', '01a1e539-9ac4-7000-8001-9cae9b2cef14', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'canceling', 'make canceling', '["label=canceling","queue=builders"]', '9427bc660406617625093f33fdcdc741046113595471b569f9b0b7c82ac3de02', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847120068000, 1794847120068000, 'canceling', '', 0, '01a1e539-7e09-7000-8000-83967f8deb21', 'e2670a2cc98a8d577010e88d984b126ed585109cc5863e050652e01679b4bd93', NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847120068000, 1794847120068000, 1794847120150000, 1794847120173000, 1794847120176000, NULL, 1794847120257000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-9e28-7000-8001-dc8e11d49221', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-9c3b-7edd-b744-86d03597e902', '01a1e539-9c90-7000-8001-bf3054524b94', '01a1e539-9c90-7000-8001-c38e38205536', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'failing', 'make failing', '["label=failing","queue=builders"]', '21aa248dcdf635a9bb1fe69e24583a22e19eb4ca7501e4c32620b6a232c63147', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 1, '01a1e539-9c90-7000-8001-c6ac8fe07a23', 'automatic', '[1]', '01a1e539-7e59-7000-8000-872d102e9c33', NULL, 0, '', 1794847120936000, 1794847120528000, 'scheduled', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847120936000, 1794847120936000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-9c90-7000-8001-c6ac8fe07a23', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-9c3b-7edd-b744-86d03597e902', '01a1e539-9c90-7000-8001-bf3054524b94', '01a1e539-9c90-7000-8001-c38e38205536', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'failing', 'make failing', '["label=failing","queue=builders"]', '21aa248dcdf635a9bb1fe69e24583a22e19eb4ca7501e4c32620b6a232c63147', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847120528000, 1794847120528000, 'finished', 'hard_failed', 0, '01a1e539-7e59-7000-8000-872d102e9c33', '4b6781f2672e073e87cae5368f8022516668d119b6f4b1264060a0b3f751d62a', 1794847720936000, 3, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847120528000, 1794847120528000, 1794847120679000, 1794847120733000, 1794847120864000, 1794847120936000, NULL, NULL, NULL, '01a1e539-9e28-7000-8001-dc8e11d49221', NULL, NULL, NULL, '{}', '{}', 0, 'blob', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-9ec3-7000-8001-f4ec69ad7733', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-9e70-7f25-a6fa-3a2f7fca0b74', '01a1e539-9ec3-7000-8001-ec40b2f5a495', '01a1e539-9ec3-7000-8001-f012db063571', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'passing', 'make passing', '["label=passing","queue=builders"]', '6fc36f29957f8fca8690b98c3a285d2685adeeae88e67bb38771c1d57c9e38f6', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847121091000, 1794847121091000, 'finished', 'passed', 0, '01a1e539-7eb1-7000-8000-8837c5a6475f', 'b766c11f72a0f73749781dee3db9c968f81477488577b271ddfbf23e4b834052', 1794847721458000, 0, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847121091000, 1794847121091000, 1794847121375000, 1794847121411000, 1794847121436000, 1794847121458000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 12, 'blob', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-a203-7000-8002-1bfd78eacefe', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-a16a-7adc-88bb-2fe681fe195c', '01a1e539-a203-7000-8002-117294d9465e', '01a1e539-a203-7000-8002-1549b23da97c', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'child', 'make child', '["label=child","queue=builders"]', 'a19821fecae172f8b67bd4432627e2edef13028153c53cad5d639727a8227aca', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847121923000, 1794847121923000, 'finished', 'passed', 0, '01a1e539-7ff8-7000-8000-8de1e288da1b', 'e61fe1da4fe11ad3265a05eb8b4f200ef77f4ab5ea8b4a20d41cfc1da970a143', 1794847722320000, 0, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847121923000, 1794847121923000, 1794847122067000, 1794847122176000, 1794847122305000, 1794847122320000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, 'blob', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-a556-7000-8002-523cd215ec94', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-a16a-7adc-88bb-2fe681fe195c', '01a1e539-a556-7000-8002-49dc0213e560', '01a1e539-a556-7000-8002-4c6509e527f0', '0190a1b2-0000-7000-8000-000000000004', '01a1e539-65c5-7678-86f9-23f60208f5c9', 'builders', 'command', 'child', 'make child', '["label=child","queue=builders"]', 'a19821fecae172f8b67bd4432627e2edef13028153c53cad5d639727a8227aca', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847122774000, 1794847122774000, 'scheduled', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847122774000, 1794847122774000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', '{}', 0, '', 0, false);
INSERT INTO public.jobs VALUES ('01a1e539-a440-7000-8002-3e0c86c25797', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '01a1e539-a3af-7d3d-93f8-b144969c7776', '01a1e539-a440-7000-8002-344b8da6a2b1', '01a1e539-a440-7000-8002-3b33d007f09f', '0190a1b2-0000-7000-8000-000000000004', NULL, NULL, 'trigger', '', '', '[]', '', '00', 0, '{}', '{"All":false,"Statuses":[]}', 0, 0, 0, NULL, NULL, '[]', NULL, NULL, 0, '', 1794847122496000, 1794847122496000, 'running', '', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, false, NULL, NULL, NULL, NULL, 1794847122496000, 1794847122496000, NULL, NULL, 1794847122496000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '01a1e539-a556-7000-8002-49dc0213e560', '{}', '{}', 0, '', 0, false);
INSERT INTO public.oidc_keys VALUES ('gdqEFIUaGkC4s1qdrZ68hyABGSt5f1kgqo3prgP3NEw', 1, 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxpPVDNbyw2bmpscFmrjSuCgMjHcctU+NMSbtiIxOxl6/nSWI/dL1ISZd8dBB2f9hCPcxSp56yhyNGhIf/9DW4F2eJwwDcS+ZG2mO4zEYK0jJIHUNs2+I+xa4asNfVYOGgXWK9ZX3omvRYTObfCo8GoRov03X65mc6n7WXS94b6ykgM6KVcVF0X/lFFX+SD0btBvAVOjZPZWW9qGZLUn0GYUBG1F9+cq7qhGqWUFIuQgZ8YyhaIapip0NOOeS4NABXfZsYHfC2blOsvM51FhS1c+miW9+H8WXEmluc5QWg/uw1gaURdcSMcKEsjjr9wLfoitl6gWzjcXT9kyu66WMQQIDAQAB', 'f707acd346de852c.hM5/vuqFXQ7KA5vLBAY4qiyEqh8rRY2Dc6AVhIAMbXK3pxaX0o2RJ/RtT0gZuvB2Lf8e3SM5f7I1+lTFcQMgX8nNujPViJ5IoqCYaRy9XjQuk2Gf9a0PSZAUzje7xcozPr3ovSORZqVL6ocJ/aZBHxXlNCAg6XJgv9lSzxAt094Qsqt8rOQUWDCP+8/qCgyxEiZPyxL98FOWRUD5xoHdF36VL9dHPUsZ81s2Bs/7nkH7xnAs8g9uzAwjF3gP1E/L/6dnUAmwjtbSp/RtZoGAl0DGerE8o+V4y1ghg19XP91pTQXnyOmO90p1QDVLy7/G9Hl/s8nlPmbhfosE6hjgt1FMW+FPnOradnCBm3nvEzJGtTqN1P7Jx++bXQ8rTteVnfl37k+dFRr9n0YCiUz/iM866Rx3rTMdIrSftYzY3JPa/fTsms/La3inpXbWX4ktv1yVzJLHFVLqWeCabAJF/7YyO0ipMCYE6711R4ljD+6wcktR2zttwK62QuKG2F7M5JYHFWTjel9Bxt3YTGDp3EawN5Mf/PCGyy5jpKKsoQOHMlE8L+PlOeJCTkupZ+F/ZVHkX5FUFKmsjxlRtoP0zk0B0212elYsvV06UsdCH0o/Z+vHeYtd/On14QtZe/JVzdkNne3+7qAJTh7ukD/jizz1loCA68oCE43GcZsAN6ND0v9Afva6Y+WyLgrHmRPDse5ACRpUdBBzoGmQx7kDl4P0KhtWqzzAFZxJO4QL1YnvEqFIdX5rFzImGOwW6GmbgVlGOLdGTTlEws9dSqjJQ2sZoqIJeaQNtX+XjH8/DtGMEcIrCy2i+jYd5XlpaB77ZtvI98ub0Hkz1tMtzatvKLpaWmC/B4ZorZ12+RQKb5nTaT8JgVJAD72XpXQmHcCkaZJY490vW91stQvwV52aNTqC/Wy2weAYmqbKSOektnk8yS4MoWxBsDsn7artQk6H5P33kfFrGaFFbmEPFeUFgxuQCSIcA57P+deM79cqgLRcExZ6xu0WLGJkgPszXEoanFGAAOYT8ggz/g5nMW21nYDlBVmpahIpkWtkEaV2ytyRZA8lQCMPyTnI9zLINE321BJvSufqlhDTlr4vyoN2KRjMk1259Lz2/bVdw2Od4KAg7OFy0IJmpVSjBA3G4XMFro4FX6T36xK2TkGs6nadvyywWPbx2N91pKKmCCSbEx8wwv9noHcpHPyEfynRQ/lu661udX2BqV+Qz/p8UwVsFu1RqKw6vriJFqLIYOA8RvwGDJF9VFWkCWX+dB3DwgJVVyy9MlxMM0+vrKNzB9uRheuBypq9sSmY9QaCEgCuVeoF0hlfBe+Ef+CfxK8y/hjCoRGiYl1qla8QABLtgj6ECtai9U7HV88Td4sreE+3/sDMuTghaQqZPeccaWgk0AWQoljN+6jNgJY5AzEVdVjaFqGRlGXrAVvMU3QR1XrHbA9ofli2BE282D2FqvVXGnqZKF+9OEA37r7Z8ArnF7bg3mNiEPTcZxrEY5W9LmWB3FW2/sGXTi4AC/X06KhWl33o356bhI3t2wTlfm2Ngzw/AFp1EfwN3NBRCsOKRyRzmDHsST8m1RIv59VaDbKl2aofW3ggdyMAbiDKKj9waoQIxkvs65KOFG0clPbBjq6Z484Jv7KEWxe5QxXVE6AlC92jnuNAPPLD3+6vBGuzori+qwQEokx8yErEhDmv1WREkMxKMi428GByVwCg9w2aYjgmv/DQcdb6XxMABExadfPjuyQ9MI3PCN27cklmP4Ttf055jbYhj9G3TLJMG5lzucXdiFPexgYJzzsAm0IL85InEX1aMzcEE2DCdSIqCIJiRG6iCCZFfUD7GYobO+eDv1KWd7q382A4q1SSNLNI6bgLVs/lhGF2Gimq8C8+a2Zf/3JRY2hfbSIABfUgdJd02v1XOC/PLg/8lzYnbGM4PSkGJu9ZiXIftZFO+f3Gg1/q/Vpk873m/8IG5duucSARGN/Cd1phLnvB7PC9E+IGKJOWDqc4r3Hg3Kofpt66ajLyxC6yqzFsHt43aKpFvSTtCFRFT9JpOe5VeWR9zSOH8aKVfjSs5qHqfHnWuO6AVmuntZuVKPHgf/ZuRDWbziKg8LF+BBReDYKwwX81vL5BWp8W7AaCJuiNg76+D8dusulsgr981UFL45dbjY721F+/TWkocKewpG52LpNrA67NbkPrhwylqis', 1794847107839145, 1794847107839145);
INSERT INTO public.organization_counts VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 30, 1, 0, 0);
INSERT INTO public.organization_counts VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 5, 0, 2, 1);
INSERT INTO public.organization_counts VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 0, 0, 11, 0);
INSERT INTO public.organization_counts VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 31, 0, 2, 0);
INSERT INTO public.organization_members VALUES ('01a1e539-618b-7d93-8fa9-421e7e8ba816', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000002', 'member', 1794847104728000, '0190a1b2-0000-7000-8000-000000000001', '2026-02-20', 'optional');
INSERT INTO public.organization_members VALUES ('01a1e539-6153-7c41-bfe4-6c4ae6263768', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000001', 'admin', 1794847104728000, '0190a1b2-0000-7000-8000-000000000001', '2026-11-16', 'optional');
INSERT INTO public.organizations VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'acme-inc', 'Acme Inc', 'acme inc', 1794847104728000, 'monthly', '2026-01-15', '01a1e539-605e-70c6-83c4-2c74bc08dd33', 'members', true, true, '0190a1b2-0000-7000-8000-000000000004', '', 0, 0, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.organizations VALUES ('01a1e539-605e-70c6-83c4-2c74bc08dd33', 'holding-co', 'Holding Co', 'holding co', 1794847104728000, 'annual', '2026-01-01', NULL, 'members', true, true, NULL, '', 0, 0, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.pipeline_favorites VALUES ('01a1e539-6ecb-7c6c-8706-9a63ccb18230', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.pipeline_tags VALUES ('01a1e539-6ecb-7c6c-8706-9a63ccb18230', 'linux');
INSERT INTO public.pipeline_tags VALUES ('01a1e539-6ecb-7c6c-8706-9a63ccb18230', 'go');
INSERT INTO public.pipelines VALUES ('01a1e539-6ecb-7c6c-8706-9a63ccb18230', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'web', 'Web', 'web', 'git@example.com:acme/web.git', '0190a1b2-0000-7000-8000-000000000004', 1794847108811000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps:
  - command: make test
', NULL, NULL, 'private', '["linux","go"]', NULL, NULL, '{"CI":"true"}', false, NULL, false, NULL, NULL, NULL, true, NULL, 1, '[{"agent_query_rules":[],"artifact_paths":null,"branch_configuration":null,"command":"make test","concurrency":null,"env":{},"name":null,"parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'IxQ2lNCNx7OvhCdWs3SwA4faLfAZY9cRGtMezZ2O', 'h5hBII1ARxNxRxbGRaRit9qv6hNHjE3HENYjXsQF');
INSERT INTO public.pipelines VALUES ('01a1e539-7173-7dfa-a39d-7d502bc50623', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'old', 'Old', 'old', 'git@example.com:acme/old.git', '0190a1b2-0000-7000-8000-000000000004', 1794847109491000, '0190a1b2-0000-7000-8000-000000000001', 1794847109654000, NULL, 'steps: []
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, '0190a1b2-0000-7000-8000-000000000001', 1, '[]', '{}', NULL, '9LMVgWZLrQU8VYFMqcVKl01NXgbXkR8itPsz6ETF', 'BANOLWGdkVE6NbXIVef4m6DeEMlPQGYt2qEhIVoc');
INSERT INTO public.pipelines VALUES ('01a1e539-8021-718f-829f-3ff080e1b8d3', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'running', 'running', 'running', 'git@example.com:acme/running.git', '0190a1b2-0000-7000-8000-000000000004', 1794847113249000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: running, command: make running, agents: {queue: builders, label: running} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=running","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make running","concurrency":null,"env":{},"name":"running","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'xvXV7VJnpwiAJ0mKz9VZdeVd9YZeHd6lw0xVIHGF', 'jRwyCwuc1Mqn5cFxCexr2eWw6MPJVahhNO5ucRUk');
INSERT INTO public.pipelines VALUES ('01a1e539-8b45-700c-a15d-1c20325f78a5', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'assigned', 'assigned', 'assigned', 'git@example.com:acme/assigned.git', '0190a1b2-0000-7000-8000-000000000004', 1794847116100000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: assigned, command: make assigned, agents: {queue: builders, label: assigned} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=assigned","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make assigned","concurrency":null,"env":{},"name":"assigned","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'FlhvJi39h2TQmmzIim98UwHLHRZe5aYovshTjU2I', '7JFmxEcIKHItL7Goz0oG9UEmcJe8UCqgWsBhnCp8');
INSERT INTO public.pipelines VALUES ('01a1e539-8d06-7b17-9ff9-fd5fbfa329db', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'accepted', 'accepted', 'accepted', 'git@example.com:acme/accepted.git', '0190a1b2-0000-7000-8000-000000000004', 1794847116550000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: accepted, command: make accepted, agents: {queue: builders, label: accepted} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=accepted","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make accepted","concurrency":null,"env":{},"name":"accepted","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'LBwbnSY86xdYzG0C8xsZnN6Wc8USlhT6Hf6eg8ht', 'WExxPAiWv9oKFn6AIhemIBedaLcUHVr3qwXEDMHW');
INSERT INTO public.pipelines VALUES ('01a1e539-8f93-7c16-83fe-b092f7807a99', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'scheduled', 'scheduled', 'scheduled', 'git@example.com:acme/scheduled.git', '0190a1b2-0000-7000-8000-000000000004', 1794847117203000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: scheduled, command: make scheduled, agents: {queue: builders, label: scheduled} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=scheduled","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make scheduled","concurrency":null,"env":{},"name":"scheduled","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'CkwtP3neQSG1SvzJhGTTawNhmKD4JQLPxR8vDKSy', 'Qt9XtOk6LFygT38ZGQVnvHYy77a1NbdTCLwhJcU4');
INSERT INTO public.pipelines VALUES ('01a1e539-909a-7519-b73a-756196bbbbc8', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'first', 'first', 'first', 'git@example.com:acme/first.git', '0190a1b2-0000-7000-8000-000000000004', 1794847117466000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: first, command: make first, agents: {queue: builders, label: first}, concurrency: 1, concurrency_group: deploy }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=first","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make first","concurrency":1,"env":{},"name":"first","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'AkiobYFbEPCS6s9HvXj5SQoiCjFXTptiaeZ1jfaE', 'mr0deDdhPMGMqe6nqB3ptPg8Q342hKlowNsmWnol');
INSERT INTO public.pipelines VALUES ('01a1e539-94cb-73b2-88ad-1ddf98f920e7', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'second', 'second', 'second', 'git@example.com:acme/second.git', '0190a1b2-0000-7000-8000-000000000004', 1794847118539000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: second, command: make second, agents: {queue: builders, label: second}, concurrency: 1, concurrency_group: deploy }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=second","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make second","concurrency":1,"env":{},"name":"second","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'LyT8K8RqlnXVf3b0FFW4qg5aKZXF2hLmoykGm1xS', 'AcfhIcXzS6K05S00nXuY3YZ9zBxAZRVqgQ5LcXWI');
INSERT INTO public.pipelines VALUES ('01a1e539-96af-7cf0-a95d-c10a796709fa', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'waiting', 'waiting', 'waiting', 'git@example.com:acme/waiting.git', '0190a1b2-0000-7000-8000-000000000004', 1794847119023000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: before, command: make before, agents: {queue: builders, label: before}, key: before }, wait, { label: after, command: make after, agents: {queue: builders, label: after}, depends_on: before }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=before","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make before","concurrency":null,"env":{},"name":"before","parallelism":null,"timeout_in_minutes":null,"type":"script"},{"type":"waiter"},{"agent_query_rules":["label=after","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make after","concurrency":null,"env":{},"name":"after","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'UnNe6UguNTjDbYj7pFfDa37XsIR7u1baxBBOOSwJ', 'bYsH2NozWRDSSgnnDTg960g7AJw3gZ4CODcBB3St');
INSERT INTO public.pipelines VALUES ('01a1e539-98be-703e-803b-bb1d9bb44557', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'blocked', 'blocked', 'blocked', 'git@example.com:acme/blocked.git', '0190a1b2-0000-7000-8000-000000000004', 1794847119550000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{block: Release, key: release, fields: [{text: Version, key: version}]}]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"label":"Release","type":"manual"}]', '{}', NULL, 'Uk6jWJeT5fBkNMD5XDOrYM55NYq3pq7m8eS3UlKY', 'VlwIU0HnqlYS3YDJb9f26AlefMZeirqp6c8Sytq9');
INSERT INTO public.pipelines VALUES ('01a1e539-9a9e-7b38-855d-2cd75313e21e', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'canceling', 'canceling', 'canceling', 'git@example.com:acme/canceling.git', '0190a1b2-0000-7000-8000-000000000004', 1794847120030000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: canceling, command: make canceling, agents: {queue: builders, label: canceling} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=canceling","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make canceling","concurrency":null,"env":{},"name":"canceling","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'xPRrqxbeFO0qdBl4rsUvrWgrbrzhoxmvd8lUGyMm', 'aCqPp7pITfdepfETF4JAZWFNR8PV2r9j5i1lGZCJ');
INSERT INTO public.pipelines VALUES ('01a1e539-9c3b-7edd-b744-86d03597e902', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'retried', 'retried', 'retried', 'git@example.com:acme/retried.git', '0190a1b2-0000-7000-8000-000000000004', 1794847120443000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: failing, command: make failing, agents: {queue: builders, label: failing}, retry: {automatic: [{exit_status: 3, limit: 1}]} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=failing","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make failing","concurrency":null,"env":{},"name":"failing","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'yhcPH99gVr3Q4aDvTZ1dbGZm50Jj1at1xVU1REuL', '9sxxUCrt35u9jThAU3BdRyszETS5kTN4fhiWAdJd');
INSERT INTO public.pipelines VALUES ('01a1e539-9e70-7f25-a6fa-3a2f7fca0b74', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'finished', 'finished', 'finished', 'git@example.com:acme/finished.git', '0190a1b2-0000-7000-8000-000000000004', 1794847121008000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: passing, command: make passing, agents: {queue: builders, label: passing} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"agent_query_rules":["label=passing","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make passing","concurrency":null,"env":{},"name":"passing","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'xmU4lSReZGRUivrSc5mcf40LDptwHYe7n9jfql4o', '2hH6yAf6EjKRRtgXeqNihmaTxUKeC9l8ugAlNbcn');
INSERT INTO public.pipelines VALUES ('01a1e539-a3af-7d3d-93f8-b144969c7776', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'parent', 'parent', 'parent', 'git@example.com:acme/parent.git', '0190a1b2-0000-7000-8000-000000000004', 1794847122351000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{trigger: child}]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 2, '[{"branch_configuration":null,"label":null,"pipeline":"child","type":"trigger"}]', '{}', NULL, 'a5qAkITTMWSCsMpI2rvJZkQTnmsFmmpvBEvsSe4Z', '5SVGKJAQWMhFpufVGCiaPKDiTZZSGZsr8ErXnQbl');
INSERT INTO public.pipelines VALUES ('01a1e539-a16a-7adc-88bb-2fe681fe195c', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'child', 'child', 'child', 'git@example.com:acme/child.git', '0190a1b2-0000-7000-8000-000000000004', 1794847121770000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps: [{ label: child, command: make child, agents: {queue: builders, label: child} }]
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, NULL, 3, '[{"agent_query_rules":["label=child","queue=builders"],"artifact_paths":null,"branch_configuration":null,"command":"make child","concurrency":null,"env":{},"name":"child","parallelism":null,"timeout_in_minutes":null,"type":"script"}]', '{}', NULL, 'lqgUaRRw5CoL2L4oynyHjijiWlblyyrcoqoaP07a', 'muExI3Vcz2NqwMgoUeUxSc68syV6IHU27AUT27Rp');
INSERT INTO public.portal_secrets VALUES ('01a1e539-75af-7b92-bb32-584c374066ee', '01a1e539-729f-7699-85b4-831bea68d972', '79795feb13e45531fcadf756fd45a0d067f6e7aebcb78da2f14e3b1087df9cb7', 'Program', 1794847110575000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.portal_token_codes VALUES ('a code', '01a1e539-729f-7699-85b4-831bea68d972', '0190a1b2-0000-7000-8000-000000000001', 1, 2);
INSERT INTO public.portal_tokens VALUES ('15ea176e21c4e033a8080eaa2519d1608b6c9b1316eb16545c3770e4acfaeb79', '01a1e539-729f-76b5-8609-fbe5541307a6', '01a1e539-729f-7699-85b4-831bea68d972', NULL, 'Created with the portal', 1794847109791000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL);
INSERT INTO public.portal_tokens VALUES ('58e8d5f985e2aa26fa48c5e7fa73aded868a9d973c545721b4477325693b9c97', '01a1e539-74ca-71e1-8677-92e577c30051', '01a1e539-729f-7699-85b4-831bea68d972', NULL, 'Dashboard', 1794847110346000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL);
INSERT INTO public.portal_tokens VALUES ('1683c061d735094160a9d2cf0171345b1dbbd5b4337574792d5949c6e51b2244', '01a1e539-766e-7193-aa18-5e6eb678b584', '01a1e539-729f-7699-85b4-831bea68d972', '01a1e539-75af-7b92-bb32-584c374066ee', 'Program', 1794847110766000, NULL, 1794850710766000, NULL);
INSERT INTO public.portals VALUES ('01a1e539-729f-7699-85b4-831bea68d972', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'status', 'Status', 'status', NULL, 'query Me { viewer { id } }', NULL, 1794847109791000, '0190a1b2-0000-7000-8000-000000000001', false);
INSERT INTO public.queue_samples VALUES ('0190a1b2-0000-7000-8000-000000000005', 1794846600000000, 1, 0, 0, 0, 0, NULL, NULL);
INSERT INTO public.queue_samples VALUES ('01a1e539-65c5-7678-86f9-23f60208f5c9', 1794846600000000, 1, 0, 0, 0, 0, NULL, NULL);
INSERT INTO public.queue_samples VALUES ('01a1e539-660e-7833-babb-a8b8fbfac741', 1794846600000000, 1, 0, 0, 0, 0, NULL, NULL);
INSERT INTO public.schema_migrations VALUES (1, '0001_initial', 1794845125179186, 'users organizations organization_counts organization_members teams team_members api_tokens api_token_organizations clusters cluster_maintainers cluster_queues cluster_agent_tokens cache_registries pipelines bootstrap_items git_mirror_syncs');
INSERT INTO public.schema_migrations VALUES (2, '0002_pipelines_teams_audit', 1794845125246804, 'pipeline_tags team_pipelines audit_events');
INSERT INTO public.schema_migrations VALUES (3, '0003_access', 1794845125437933, 'user_sessions portals portal_secrets portal_tokens pipeline_favorites setup_links');
INSERT INTO public.schema_migrations VALUES (4, '0004_usage', 1794845125533891, 'activity_days usage_users usage_counts usage_locks usage_state');
INSERT INTO public.schema_migrations VALUES (5, '0005_cache_store', 1794845125540466, '');
INSERT INTO public.schema_migrations VALUES (6, '0006_client_fields', 1794845125614951, '');
INSERT INTO public.schema_migrations VALUES (7, '0007_people', 1794845125729689, 'invitations invitation_teams invitation_links invitation_mails');
INSERT INTO public.schema_migrations VALUES (8, '0008_idempotency_keys', 1794845125756875, 'idempotency_keys');
INSERT INTO public.schema_migrations VALUES (9, '0009_organization_settings', 1794845125782005, '');
INSERT INTO public.schema_migrations VALUES (10, '0010_user_portals', 1794845125821120, 'portal_token_codes');
INSERT INTO public.schema_migrations VALUES (11, '0011_builds', 1794845126179115, 'agents agent_heartbeats builds build_steps step_dependencies concurrency_groups jobs job_events job_log_chunks step_uploads build_meta_data annotations artifacts artifact_uploads build_tasks');
INSERT INTO public.schema_migrations VALUES (12, '0013_signing', 1794845126218143, 'signing_keys blob_deletions');
INSERT INTO public.schema_migrations VALUES (13, '0015_cache_entries', 1794845126307467, 'cache_entry_sets cache_entries cache_entry_prefixes cache_uploads cache_decisions cache_days');
INSERT INTO public.schema_migrations VALUES (14, '0016_cluster_secrets', 1794845126349627, 'cluster_secrets');
INSERT INTO public.schema_migrations VALUES (15, '0017_oidc_keys', 1794845126374188, 'oidc_keys');
INSERT INTO public.schema_migrations VALUES (16, '0018_build_retention', 1794845126381251, '');
INSERT INTO public.schema_migrations VALUES (17, '0019_queue_samples', 1794845126411086, 'queue_samples');
INSERT INTO public.schema_migrations VALUES (18, '0020_session_use', 1794845126419712, '');
INSERT INTO public.schema_migrations VALUES (19, '0022_triggered_builds', 1794845126426581, '');
INSERT INTO public.setup_links VALUES ('b2f0f8d0ecacc038fa7f391dfbb9fdd36d18c9937259879fc4dab128ac468195', 1794847100269000);
INSERT INTO public.signing_keys VALUES ('z3kwpo3img2v', 'CP75PSDCKFKZ7DXAQQTLM35TXMXQS2ADOXX3PEU7P7XH6O7563BC', 1794847115598141, 1795023515598141);
INSERT INTO public.step_dependencies VALUES ('01a1e539-86e5-7000-8000-bf150f96847b', '01a1e539-80fc-7000-8000-9542906ee2f6', '01a1e539-86e5-7000-8000-b5a229f3e0da', '01a1e539-80fc-7000-8000-995d5527fc55', NULL, true, false, 'open');
INSERT INTO public.step_dependencies VALUES ('01a1e539-9761-7000-8001-7a1bf6f27ce6', '01a1e539-9761-7000-8001-5c04321f59b9', '01a1e539-9761-7000-8001-69cccbcffe66', '01a1e539-9761-7000-8001-627af7713c4a', NULL, false, false, 'open');
INSERT INTO public.step_dependencies VALUES ('01a1e539-9761-7000-8001-7d18209f6535', '01a1e539-9761-7000-8001-5c04321f59b9', '01a1e539-9761-7000-8001-7003ce0e0b52', '01a1e539-9761-7000-8001-627af7713c4a', NULL, false, false, 'open');
INSERT INTO public.step_uploads VALUES ('0190a1b2-0000-7000-8000-00000000000a', '01a1e539-80fc-7000-8000-9542906ee2f6', '01a1e539-80fc-7000-8000-9d09da7ada4b', 1794847114981000, true, false, '', '{"steps": [{"label": "uploaded", "command": "x", "agents": {"queue": "builders", "label": "uploaded"}}]}');
INSERT INTO public.team_members VALUES ('01a1e539-629d-75e7-bcd9-5737b75e0ce8', '0190a1b2-0000-7000-8000-000000000003', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000002', 'maintainer', 1794847104728000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.team_pipelines VALUES ('01a1e539-6fbf-7851-94c6-e831feaa018a', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '0190a1b2-0000-7000-8000-000000000003', '01a1e539-6ecb-7c6c-8706-9a63ccb18230', 'manage_build_and_read', 1794847108811000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.teams VALUES ('0190a1b2-0000-7000-8000-000000000003', '01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', 'platform', 'Platform', 'platform', NULL, 'visible', false, 'member', false, 1794847104728000, '0190a1b2-0000-7000-8000-000000000001', false, false, false, false, false);
INSERT INTO public.usage_counts VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '2026-11-01', 1);
INSERT INTO public.usage_counts VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '2026-11-15', 1);
INSERT INTO public.usage_counts VALUES ('01a1e539-605e-70c6-83c4-2c74bc08dd33', '2026-11-01', 1);
INSERT INTO public.usage_locks VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51');
INSERT INTO public.usage_locks VALUES ('01a1e539-605e-70c6-83c4-2c74bc08dd33');
INSERT INTO public.usage_state VALUES (1, '');
INSERT INTO public.usage_users VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '2026-11-01', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.usage_users VALUES ('01a1e539-5fe0-7524-8a5c-58b3fe1aaa51', '2026-11-15', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.usage_users VALUES ('01a1e539-605e-70c6-83c4-2c74bc08dd33', '2026-11-01', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.user_sessions VALUES ('ed7fec6d4765e5377aed4ff93296a2d591e83d457c8625a11165da0930d960a4', '01a1e539-ac06-7b1d-955b-4ce4e7a17352', '0190a1b2-0000-7000-8000-000000000001', '127.0.0.1', 'Go-http-client/1.1', 1794847124486000, 1796056724486000, NULL, NULL, NULL);
INSERT INTO public.users VALUES ('0190a1b2-0000-7000-8000-000000000001', 'admin@example.com', 'admin@example.com', 'Admin', 'admin', '$argon2id$v=19$m=19456,t=2,p=1$/9huR9i0icZNsWYGPX56Jw$37E6bt7OSIuOsZISLqyEzEFZ5FFVV2kabO3NHPKVNjk', 1794847104728000, NULL, false);
INSERT INTO public.users VALUES ('0190a1b2-0000-7000-8000-000000000002', 'dev@example.com', 'dev@example.com', 'Dev', 'dev', NULL, 1794847104728000, NULL, false);
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
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY public.oidc_keys
    ADD CONSTRAINT oidc_keys_pkey PRIMARY KEY (id);
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
ALTER TABLE ONLY public.pipeline_tags
    ADD CONSTRAINT pipeline_tags_pkey PRIMARY KEY (pipeline_id, tag);
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
ALTER TABLE ONLY public.queue_samples
    ADD CONSTRAINT queue_samples_pkey PRIMARY KEY (queue_id, began_at);
ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.setup_links
    ADD CONSTRAINT setup_links_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (id);
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
CREATE INDEX annotations_build ON public.annotations USING btree (build_id, created_at, id);
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
CREATE UNIQUE INDEX jobs_agent ON public.jobs USING btree (agent_id) WHERE (state = ANY (ARRAY['assigned'::text, 'accepted'::text, 'running'::text, 'canceling'::text, 'timing_out'::text]));
CREATE INDEX jobs_build ON public.jobs USING btree (build_id, "position", upload_index, id);
CREATE INDEX jobs_canceled_by ON public.jobs USING btree (canceled_by) WHERE (canceled_by IS NOT NULL);
CREATE INDEX jobs_deadline ON public.jobs USING btree (deadline) WHERE ((state = 'running'::text) AND (deadline IS NOT NULL));
CREATE INDEX jobs_dispatch ON public.jobs USING btree (queue_id, rules_key, priority DESC, scheduled_at, upload_index, id) WHERE (state = 'scheduled'::text);
CREATE INDEX jobs_grace ON public.jobs USING btree (cancel_grace_until) WHERE (cancel_grace_until IS NOT NULL);
CREATE INDEX jobs_group ON public.jobs USING btree (concurrency_group_id, queued_at) WHERE ((concurrency_group_id IS NOT NULL) AND (state = ANY (ARRAY['waiting'::text, 'limiting'::text, 'limited'::text, 'scheduled'::text, 'reserved'::text, 'assigned'::text, 'accepted'::text, 'running'::text, 'canceling'::text, 'timing_out'::text])));
CREATE INDEX jobs_group_all ON public.jobs USING btree (concurrency_group_id) WHERE (concurrency_group_id IS NOT NULL);
CREATE INDEX jobs_logs ON public.jobs USING btree (finished_at, id) WHERE ((finished_at IS NOT NULL) AND (started_at IS NOT NULL) AND (log_place = ANY (ARRAY[''::text, 'sealed'::text, 'packed'::text])) AND (kind = 'command'::text));
CREATE INDEX jobs_organization ON public.jobs USING btree (organization_id, created_at, id);
CREATE INDEX jobs_organization_state ON public.jobs USING btree (organization_id, state, created_at, id);
CREATE INDEX jobs_pipeline ON public.jobs USING btree (pipeline_id, created_at, id);
CREATE INDEX jobs_queue ON public.jobs USING btree (queue_id);
CREATE INDEX jobs_queue_held ON public.jobs USING btree (queue_id, state) WHERE (state = ANY (ARRAY['waiting'::text, 'blocked'::text, 'limiting'::text, 'limited'::text, 'reserved'::text]));
CREATE INDEX jobs_ran_on ON public.jobs USING btree (agent_id) WHERE (agent_id IS NOT NULL);
CREATE INDEX jobs_started ON public.jobs USING btree (started_at) WHERE (started_at IS NOT NULL);
CREATE INDEX jobs_step ON public.jobs USING btree (step_id);
CREATE INDEX jobs_unblocked ON public.jobs USING btree (build_id, unblocked_at) WHERE (unblocked_by IS NOT NULL);
CREATE INDEX jobs_unblocked_by ON public.jobs USING btree (unblocked_by) WHERE (unblocked_by IS NOT NULL);
CREATE INDEX jobs_waiting ON public.jobs USING btree (state, created_at) WHERE (state = ANY (ARRAY['scheduled'::text, 'limited'::text, 'limiting'::text, 'reserved'::text]));
CREATE INDEX jobs_with_agent ON public.jobs USING btree (state, assigned_at) WHERE (state = ANY (ARRAY['assigned'::text, 'accepted'::text]));
CREATE UNIQUE INDEX oidc_keys_generation ON public.oidc_keys USING btree (generation);
CREATE INDEX organization_members_user ON public.organization_members USING btree (user_id, organization_id);
CREATE INDEX organizations_billing_parent ON public.organizations USING btree (billing_parent_id);
CREATE INDEX organizations_default_cluster ON public.organizations USING btree (default_cluster_id) WHERE (default_cluster_id IS NOT NULL);
CREATE INDEX organizations_public_pipelines_enabled_by ON public.organizations USING btree (public_pipelines_enabled_by) WHERE (public_pipelines_enabled_by IS NOT NULL);
CREATE INDEX pipeline_favorites_member ON public.pipeline_favorites USING btree (organization_id, user_id);
CREATE INDEX pipeline_favorites_pipeline ON public.pipeline_favorites USING btree (organization_id, pipeline_id);
CREATE INDEX pipelines_archived_created ON public.pipelines USING btree (organization_id, created_at, id) WHERE (archived_at IS NOT NULL);
CREATE INDEX pipelines_archived_name ON public.pipelines USING btree (organization_id, name_key, id) WHERE (archived_at IS NOT NULL);
CREATE UNIQUE INDEX pipelines_badge_token ON public.pipelines USING btree (badge_token) WHERE (badge_token <> ''::text);
CREATE INDEX pipelines_cluster ON public.pipelines USING btree (cluster_id);
CREATE INDEX pipelines_creator ON public.pipelines USING btree (organization_id, created_by);
CREATE INDEX pipelines_live_created ON public.pipelines USING btree (organization_id, created_at, id, slug, name, archived_at) WHERE (archived_at IS NULL);
CREATE INDEX pipelines_live_name ON public.pipelines USING btree (organization_id, name_key, id, slug, name, created_at, archived_at) WHERE (archived_at IS NULL);
CREATE INDEX pipelines_name ON public.pipelines USING btree (organization_id, name_key, id);
CREATE UNIQUE INDEX pipelines_organization ON public.pipelines USING btree (organization_id, id);
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
CREATE INDEX step_dependencies_build ON public.step_dependencies USING btree (build_id);
CREATE INDEX step_dependencies_key ON public.step_dependencies USING btree (build_id, on_key) WHERE (on_step_id IS NULL);
CREATE INDEX step_dependencies_on ON public.step_dependencies USING btree (on_step_id) WHERE (on_step_id IS NOT NULL);
CREATE INDEX step_dependencies_step ON public.step_dependencies USING btree (step_id);
CREATE INDEX step_uploads_build ON public.step_uploads USING btree (build_id, created_at, id);
CREATE INDEX team_members_user ON public.team_members USING btree (organization_id, user_id);
CREATE INDEX team_pipelines_pipeline ON public.team_pipelines USING btree (pipeline_id, team_id);
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
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_agent_id_fkey FOREIGN KEY (agent_id) REFERENCES public.agents(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_build_id_fkey FOREIGN KEY (build_id) REFERENCES public.builds(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_canceled_by_fkey FOREIGN KEY (canceled_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_concurrency_group_id_fkey FOREIGN KEY (concurrency_group_id) REFERENCES public.concurrency_groups(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES public.cluster_queues(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_unblocked_by_fkey FOREIGN KEY (unblocked_by) REFERENCES public.users(id) ON DELETE SET NULL;
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
ALTER TABLE ONLY public.pipeline_tags
    ADD CONSTRAINT pipeline_tags_pipeline_id_fkey FOREIGN KEY (pipeline_id) REFERENCES public.pipelines(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_archived_by_fkey FOREIGN KEY (archived_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_cluster_id_fkey FOREIGN KEY (cluster_id) REFERENCES public.clusters(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.pipelines
    ADD CONSTRAINT pipelines_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
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
ALTER TABLE ONLY public.queue_samples
    ADD CONSTRAINT queue_samples_queue_id_fkey FOREIGN KEY (queue_id) REFERENCES public.cluster_queues(id) ON DELETE CASCADE;
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
ALTER TABLE ONLY public.usage_counts
    ADD CONSTRAINT usage_counts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.usage_locks
    ADD CONSTRAINT usage_locks_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.user_sessions
    ADD CONSTRAINT user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
