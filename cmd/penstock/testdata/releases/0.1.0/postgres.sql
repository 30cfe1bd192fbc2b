CREATE TABLE public.activity_days (
    organization_id text NOT NULL COLLATE pg_catalog."C",
    day text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C"
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
CREATE TABLE public.bootstrap_items (
    kind text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    applied_at bigint NOT NULL
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
    cache_store text COLLATE pg_catalog."C"
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
CREATE TABLE public.git_mirror_syncs (
    cluster_id text NOT NULL COLLATE pg_catalog."C",
    lease text NOT NULL COLLATE pg_catalog."C",
    leased_until bigint NOT NULL,
    attempts bigint NOT NULL,
    next_attempt_at bigint NOT NULL
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
    next_build_number bigint DEFAULT 1 NOT NULL
);
CREATE TABLE public.portal_secrets (
    id text NOT NULL COLLATE pg_catalog."C",
    portal_id text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C"
);
CREATE TABLE public.portal_tokens (
    hash text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    portal_id text NOT NULL COLLATE pg_catalog."C",
    secret_id text COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    created_by text COLLATE pg_catalog."C",
    expires_at bigint
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
    created_by text COLLATE pg_catalog."C"
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
    expires_at bigint NOT NULL
);
CREATE TABLE public.users (
    id text NOT NULL COLLATE pg_catalog."C",
    email text NOT NULL COLLATE pg_catalog."C",
    email_key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    name_key text NOT NULL COLLATE pg_catalog."C",
    password_hash text COLLATE pg_catalog."C",
    created_at bigint NOT NULL
);
INSERT INTO public.activity_days VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '2026-02-03', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.activity_days VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '2026-02-20', '0190a1b2-0000-7000-8000-000000000002');
INSERT INTO public.activity_days VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '2026-11-15', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.api_token_organizations VALUES ('01a1e0d3-bf4e-70ac-9121-45bd90852201', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.api_tokens VALUES ('fd069c07630e40dd76e6a3fcdcc05f8551e2b383c92cf7c0c5df4054513aaaba', '01a1e0d3-bf4e-70ac-9121-45bd90852201', '0190a1b2-0000-7000-8000-000000000001', 'Tests', 'read_audit_events read_clusters read_organizations read_pipelines write_clusters write_pipelines write_portals graphql', '', 1794773335840000, NULL, NULL, 1794773336092076, '127.0.0.1');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf23-7000-8000-07d94cb19862', 1794773335843000, 'ORGANIZATION_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', 'Acme Inc', '{"surface":"operator"}', '{"after":{"name":"Acme Inc","slug":"acme-inc","plan":"monthly","billing_anchor":"2026-01-15","billing_parent":null,"cluster_writes":"members","maintainers_can_destroy_cache_registries":true,"members_can_create_pipelines":true,"default_cluster_id":null,"allowed_api_ip_addresses":"","revoke_inactive_tokens_after_days":0,"audit_retention_days":0}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf23-758b-bdec-825822148ee6', '01a1e0d3-bf24-7000-8000-0b217690683c', 1794773335844000, 'ORGANIZATION_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION', '01a1e0d3-bf23-758b-bdec-825822148ee6', 'Holding Co', '{"surface":"operator"}', '{"after":{"name":"Holding Co","slug":"holding-co","plan":"annual","billing_anchor":"2026-01-01","billing_parent":null,"cluster_writes":"members","maintainers_can_destroy_cache_registries":true,"members_can_create_pipelines":true,"default_cluster_id":null,"allowed_api_ip_addresses":"","revoke_inactive_tokens_after_days":0,"audit_retention_days":0}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf2a-7000-8000-0e1a81312e4a', 1794773335850000, 'ORGANIZATION_MEMBER_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION_MEMBER', '01a1e0d3-bf25-7147-96b4-65286f9fdee2', 'Admin', '{"surface":"operator"}', '{"after":{"user":"0190a1b2-0000-7000-8000-000000000001","role":"admin"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf2f-7000-8000-119453314427', 1794773335855000, 'ORGANIZATION_MEMBER_CREATED', 'OPERATOR', '', 'Operator', 'ORGANIZATION_MEMBER', '01a1e0d3-bf2a-7923-b5c1-1b4e3c2141ed', 'Dev', '{"surface":"operator"}', '{"after":{"user":"0190a1b2-0000-7000-8000-000000000002","role":"member"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf30-7000-8000-176fafbf70e6', 1794773335856000, 'TEAM_CREATED', 'OPERATOR', '', 'Operator', 'TEAM', '0190a1b2-0000-7000-8000-000000000003', 'Platform', '{"surface":"operator"}', '{"after":{"name":"Platform","slug":"platform","description":null,"privacy":"visible","is_default_team":false,"default_member_role":"member","members_can_create_pipelines":false,"members_can_delete_pipelines":false}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf36-7000-8000-18f05e2e16d3', 1794773335862000, 'TEAM_MEMBER_CREATED', 'OPERATOR', '', 'Operator', 'TEAM_MEMBER', '01a1e0d3-bf30-7cd0-9626-03252ec1d0ff', 'Dev', '{"surface":"operator"}', '{"after":{"team_id":"0190a1b2-0000-7000-8000-000000000003","user":"0190a1b2-0000-7000-8000-000000000002","role":"maintainer"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf3d-7000-8000-1e690dcf5b41', 1794773335869000, 'CLUSTER_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER', '0190a1b2-0000-7000-8000-000000000004', 'Open Source', '{"surface":"operator"}', '{"after":{"name":"Open Source","description":"For all that is public","emoji":null,"color":null,"default_queue_id":null,"default_cache_registry_uuid":"01a1e0d3-bf36-75ed-bdd8-32fee4c13221","hosted_git_mirror_enabled":false,"hosted_container_cache_enabled":false}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf49-7000-8000-20c349f15bd3', 1794773335881000, 'CLUSTER_PERMISSION_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_PERMISSION', '01a1e0d3-bf48-7c70-a49c-d238a35e2b33', 'Dev', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","user":"0190a1b2-0000-7000-8000-000000000002"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf4a-7000-8000-24a9aced34c3', 1794773335882000, 'CLUSTER_PERMISSION_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_PERMISSION', '01a1e0d3-bf4a-7971-a2d7-304b5b787068', 'Platform', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","team":"0190a1b2-0000-7000-8000-000000000003"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf4c-7000-8000-2958be746843', 1794773335884000, 'CLUSTER_QUEUE_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_QUEUE', '0190a1b2-0000-7000-8000-000000000005', 'default', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"default","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf4c-7000-8000-2e64de3da7dc', 1794773335884000, 'CLUSTER_QUEUE_CREATED', 'OPERATOR', '', 'Operator', 'CLUSTER_QUEUE', '01a1e0d3-bf4c-7631-b1db-0c4f1fd8005d', 'hosted', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"hosted","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null,"instance_shape":"LINUX_AMD64_2X4"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf4d-7000-8000-336acfa1ecc9', 1794773335885000, 'CACHE_REGISTRY_CREATED', 'OPERATOR', '', 'Operator', 'CACHE_REGISTRY', '0190a1b2-0000-7000-8000-000000000006', 'Ruby gems', '{"surface":"operator"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","name":"Ruby gems","slug":"ruby-gems","description":null,"emoji":null,"color":null,"policy":"{\"save\":{\"scopes\":{\"branch\":true}},\"restore\":{\"scopes\":[]},\"rules\":[{\"effect\":\"allow\",\"action\":[\"save\",\"restore\"]}]}","cache_store":null}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf4f-7000-8000-342515c11187', 1794773335887000, 'API_ACCESS_TOKEN_CREATED', 'OPERATOR', '', 'Operator', 'API_ACCESS_TOKEN', '01a1e0d3-bf4e-70ac-9121-45bd90852201', 'Tests', '{"surface":"operator"}', '{"after":{"user":"0190a1b2-0000-7000-8000-000000000001","description":"Tests","scopes":"read_audit_events read_clusters read_organizations read_pipelines write_clusters write_pipelines write_portals graphql","allowed_ip_addresses":""}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf85-7000-8000-38c3d73786d8', 1794773335941000, 'CLUSTER_QUEUE_UPDATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'CLUSTER_QUEUE', '0190a1b2-0000-7000-8000-000000000005', 'default', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e0d3-bf4e-70ac-9121-45bd90852201"}', '{"before":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"default","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":false,"dispatch_paused_note":null},"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","key":"default","description":null,"retry_agent_affinity":"prefer-warmest","dispatch_paused":true,"dispatch_paused_note":"Maintenance"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bf8f-7000-8000-3c5716109dfa', 1794773335951000, 'CLUSTER_TOKEN_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'CLUSTER_TOKEN', '01a1e0d3-bf8e-7772-b179-034fcd7a628c', 'Agents', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e0d3-bf4e-70ac-9121-45bd90852201"}', '{"after":{"cluster_id":"0190a1b2-0000-7000-8000-000000000004","description":"Agents","allowed_ip_addresses":"192.0.2.0/24"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bfab-7000-8000-42e550bb1c53', 1794773335979000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e0d3-bfa8-7523-9548-bfd6b131f0a6', 'Web', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e0d3-bf4e-70ac-9121-45bd90852201"}', '{"after":{"name":"Web","slug":"web","description":null,"repository":"git@example.com:acme/web.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"ee1d5bebdc6b8671615cf1a9b78e268a39d845ef62cd29d606dda3aa3f8bb0df","default_branch":null,"branch_configuration":null,"visibility":"private","tags":["linux","go"],"emoji":null,"color":null,"env":["CI"],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"next_build_number":1,"archived":false,"teams":["0190a1b2-0000-7000-8000-000000000003"]}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bfe0-7000-8000-456f49e85b67', 1794773336032000, 'PIPELINE_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e0d3-bfe0-72fd-ab59-72ae0393f3f6', 'Old', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e0d3-bf4e-70ac-9121-45bd90852201"}', '{"after":{"name":"Old","slug":"old","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"next_build_number":1,"archived":false}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bff8-7000-8000-4b5f6ecad225', 1794773336056000, 'PIPELINE_UPDATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PIPELINE', '01a1e0d3-bfe0-72fd-ab59-72ae0393f3f6', 'Old', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e0d3-bf4e-70ac-9121-45bd90852201"}', '{"before":{"name":"Old","slug":"old","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"next_build_number":1,"archived":false},"after":{"name":"Old","slug":"old","description":null,"repository":"git@example.com:acme/old.git","cluster_id":"0190a1b2-0000-7000-8000-000000000004","configuration_sha256":"315b81de5a786a8106206c4da56557e62ebd1907bf9a7345d7bec96eccdbc104","default_branch":null,"branch_configuration":null,"visibility":"private","tags":[],"emoji":null,"color":null,"env":[],"skip_queued_branch_builds":false,"skip_queued_branch_builds_filter":null,"cancel_running_branch_builds":false,"cancel_running_branch_builds_filter":null,"default_command_step_timeout":null,"maximum_command_step_timeout":null,"allow_rebuilds":true,"next_build_number":1,"archived":true}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-bffd-7000-8000-4eaa39873a32', 1794773336061000, 'PORTAL_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PORTAL', '01a1e0d3-bffb-7b15-a095-03f6578edf6b', 'Status', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e0d3-bf4e-70ac-9121-45bd90852201"}', '{"after":{"name":"Status","slug":"status","description":null,"query_sha256":"afdc2859bb38708aec093237b238f87830691772a3a2da2cd9e4c265f8e3e880","allowed_ip_addresses":null,"token":"01a1e0d3-bffc-7585-8f97-8262e296d69d"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-c00b-7000-8000-50186b56cbdf', 1794773336075000, 'PORTAL_TOKEN_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PORTAL_TOKEN', '01a1e0d3-c00b-76e7-b203-6180a4909765', 'Dashboard', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e0d3-bf4e-70ac-9121-45bd90852201"}', '{"after":{"portal_id":"01a1e0d3-bffb-7b15-a095-03f6578edf6b","description":"Dashboard"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-c01d-7000-8000-568419804032', 1794773336093000, 'PORTAL_SECRET_CREATED', 'USER', '0190a1b2-0000-7000-8000-000000000001', 'Admin', 'PORTAL', '01a1e0d3-bffb-7b15-a095-03f6578edf6b', 'Status', '{"surface":"rest","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1","request_api_access_token_uuid":"01a1e0d3-bf4e-70ac-9121-45bd90852201"}', '{"after":{"secret_id":"01a1e0d3-c01c-77d8-ac89-5892a148cade","description":"Program"}}');
INSERT INTO public.audit_events VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '01a1e0d3-c026-7000-8000-5b9d1fc2753c', 1794773336102000, 'PORTAL_TOKEN_CREATED', 'PORTAL', '01a1e0d3-bffb-7b15-a095-03f6578edf6b', 'Status', 'PORTAL_TOKEN', '01a1e0d3-c026-73de-a684-1fde3407e6a1', 'Program', '{"surface":"portal","request_ip_address":"127.0.0.1","request_user_agent":"Go-http-client/1.1"}', '{"after":{"portal_id":"01a1e0d3-bffb-7b15-a095-03f6578edf6b","secret_id":"01a1e0d3-c01c-77d8-ac89-5892a148cade","description":"Program","expires_at":"2026-11-15T21:08:56.102Z"}}');
INSERT INTO public.bootstrap_items VALUES ('user', 'admin@example.com', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('user', 'dev@example.com', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('organization', 'acme-inc', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('organization', 'holding-co', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('member', 'acme-inc/admin@example.com', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('member', 'acme-inc/dev@example.com', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('team', 'acme-inc/platform', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('team_member', 'acme-inc/platform/dev@example.com', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('cluster', 'acme-inc/Open Source', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('maintainer', 'acme-inc/Open Source/dev@example.com/', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('maintainer', 'acme-inc/Open Source//platform', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('queue', 'acme-inc/Open Source/default', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('queue', 'acme-inc/Open Source/hosted', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('cache_registry', 'acme-inc/Open Source/ruby-gems', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('token', 'fd069c07630e40dd76e6a3fcdcc05f8551e2b383c92cf7c0c5df4054513aaaba', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('activity', 'acme-inc/admin@example.com/2026-02-03', 1794773335840000);
INSERT INTO public.bootstrap_items VALUES ('activity', 'acme-inc/dev@example.com/2026-02-20', 1794773335840000);
INSERT INTO public.cache_registries VALUES ('01a1e0d3-bf36-75ed-bdd8-32fee4c13221', '0190a1b2-0000-7000-8000-000000000004', 'default', 'Default', NULL, NULL, NULL, '{"save":{"scopes":{}},"restore":{"scopes":[{}]},"rules":[{"effect":"allow","action":["save"]},{"effect":"allow","action":["restore"]}]}', 1794773335840000, 1794773335840000, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.cache_registries VALUES ('0190a1b2-0000-7000-8000-000000000006', '0190a1b2-0000-7000-8000-000000000004', 'ruby-gems', 'Ruby gems', NULL, NULL, NULL, '{"save":{"scopes":{"branch":true}},"restore":{"scopes":[]},"rules":[{"effect":"allow","action":["save","restore"]}]}', 1794773335840000, 1794773335840000, '0190a1b2-0000-7000-8000-000000000001', 's3://cache/gems');
INSERT INTO public.cluster_agent_tokens VALUES ('01a1e0d3-bf8e-7772-b179-034fcd7a628c', '0190a1b2-0000-7000-8000-000000000004', 'e1a059114f67ab10b664877f691b5f712f12769dbdcbe7300b693b8c9f1afe75', 'Agents', '192.0.2.0/24', NULL, 1794773335950000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_maintainers VALUES ('01a1e0d3-bf48-7c70-a49c-d238a35e2b33', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '0190a1b2-0000-7000-8000-000000000004', '0190a1b2-0000-7000-8000-000000000002', NULL, 1794773335840000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_maintainers VALUES ('01a1e0d3-bf4a-7971-a2d7-304b5b787068', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '0190a1b2-0000-7000-8000-000000000004', NULL, '0190a1b2-0000-7000-8000-000000000003', 1794773335840000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_queues VALUES ('01a1e0d3-bf4c-7631-b1db-0c4f1fd8005d', '0190a1b2-0000-7000-8000-000000000004', 'hosted', NULL, 'prefer-warmest', NULL, NULL, NULL, 'LINUX_AMD64_2X4', NULL, NULL, NULL, 1794773335840000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.cluster_queues VALUES ('0190a1b2-0000-7000-8000-000000000005', '0190a1b2-0000-7000-8000-000000000004', 'default', NULL, 'prefer-warmest', 1794773335940000, '0190a1b2-0000-7000-8000-000000000001', 'Maintenance', NULL, NULL, NULL, NULL, 1794773335840000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.clusters VALUES ('0190a1b2-0000-7000-8000-000000000004', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', 'Open Source', 'open source', 'For all that is public', NULL, NULL, '0190a1b2-0000-7000-8000-000000000005', '0190a1b2-0000-7000-8000-000000000006', false, true, 2, 1, true, 1794773335840000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.git_mirror_syncs VALUES ('0190a1b2-0000-7000-8000-000000000004', '', 0, 1, 1794773335957758);
INSERT INTO public.organization_counts VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', 15, 1, 0, 0);
INSERT INTO public.organization_counts VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', 19, 0, 2, 1);
INSERT INTO public.organization_members VALUES ('01a1e0d3-bf2a-7923-b5c1-1b4e3c2141ed', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '0190a1b2-0000-7000-8000-000000000002', 'member', 1794773335840000, '0190a1b2-0000-7000-8000-000000000001', '2026-02-20');
INSERT INTO public.organization_members VALUES ('01a1e0d3-bf25-7147-96b4-65286f9fdee2', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '0190a1b2-0000-7000-8000-000000000001', 'admin', 1794773335840000, '0190a1b2-0000-7000-8000-000000000001', '2026-11-15');
INSERT INTO public.organizations VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', 'acme-inc', 'Acme Inc', 'acme inc', 1794773335840000, 'monthly', '2026-01-15', '01a1e0d3-bf23-758b-bdec-825822148ee6', 'members', true, true, '0190a1b2-0000-7000-8000-000000000004', '', 0, 0);
INSERT INTO public.organizations VALUES ('01a1e0d3-bf23-758b-bdec-825822148ee6', 'holding-co', 'Holding Co', 'holding co', 1794773335840000, 'annual', '2026-01-01', NULL, 'members', true, true, NULL, '', 0, 0);
INSERT INTO public.pipeline_favorites VALUES ('01a1e0d3-bfa8-7523-9548-bfd6b131f0a6', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.pipeline_tags VALUES ('01a1e0d3-bfa8-7523-9548-bfd6b131f0a6', 'go');
INSERT INTO public.pipeline_tags VALUES ('01a1e0d3-bfa8-7523-9548-bfd6b131f0a6', 'linux');
INSERT INTO public.pipelines VALUES ('01a1e0d3-bfa8-7523-9548-bfd6b131f0a6', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', 'web', 'Web', 'web', 'git@example.com:acme/web.git', '0190a1b2-0000-7000-8000-000000000004', 1794773335976000, '0190a1b2-0000-7000-8000-000000000001', NULL, NULL, 'steps:
  - command: make test
', NULL, NULL, 'private', '["linux","go"]', NULL, NULL, '{"CI":"true"}', false, NULL, false, NULL, NULL, NULL, true, NULL, 1);
INSERT INTO public.pipelines VALUES ('01a1e0d3-bfe0-72fd-ab59-72ae0393f3f6', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', 'old', 'Old', 'old', 'git@example.com:acme/old.git', '0190a1b2-0000-7000-8000-000000000004', 1794773336032000, '0190a1b2-0000-7000-8000-000000000001', 1794773336055000, NULL, 'steps: []
', NULL, NULL, 'private', '[]', NULL, NULL, '{}', false, NULL, false, NULL, NULL, NULL, true, '0190a1b2-0000-7000-8000-000000000001', 1);
INSERT INTO public.portal_secrets VALUES ('01a1e0d3-c01c-77d8-ac89-5892a148cade', '01a1e0d3-bffb-7b15-a095-03f6578edf6b', '003db1e626106267cd19915cfc0eac7c7dd4887bdb91b226cfe3985e604474bb', 'Program', 1794773336092000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.portal_tokens VALUES ('ca24f9868bfd086a6fd21bae795e4cd68455f5a79ea2c894b6adde1ebb04d9f3', '01a1e0d3-bffc-7585-8f97-8262e296d69d', '01a1e0d3-bffb-7b15-a095-03f6578edf6b', NULL, 'Made with the portal', 1794773336059000, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.portal_tokens VALUES ('e7b60556ddf601228d3fbdddc484f0d12c1ea49896cd9a4d5ea276961e99c6d0', '01a1e0d3-c00b-76e7-b203-6180a4909765', '01a1e0d3-bffb-7b15-a095-03f6578edf6b', NULL, 'Dashboard', 1794773336075000, '0190a1b2-0000-7000-8000-000000000001', NULL);
INSERT INTO public.portal_tokens VALUES ('93f551cf51922e13c5099f90b1c8858b3711f50e378d666afc7d80fa2ff8d823', '01a1e0d3-c026-73de-a684-1fde3407e6a1', '01a1e0d3-bffb-7b15-a095-03f6578edf6b', '01a1e0d3-c01c-77d8-ac89-5892a148cade', 'Program', 1794773336102000, NULL, 1794776936102000);
INSERT INTO public.portals VALUES ('01a1e0d3-bffb-7b15-a095-03f6578edf6b', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', 'status', 'Status', 'status', NULL, 'query Me { viewer { id } }', NULL, 1794773336059000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.schema_migrations VALUES (1, '0001_initial', 1794773335173930, 'users organizations organization_counts organization_members teams team_members api_tokens api_token_organizations clusters cluster_maintainers cluster_queues cluster_agent_tokens cache_registries pipelines bootstrap_items git_mirror_syncs');
INSERT INTO public.schema_migrations VALUES (2, '0002_pipelines_teams_audit', 1794773335200704, 'pipeline_tags team_pipelines audit_events');
INSERT INTO public.schema_migrations VALUES (3, '0003_access', 1794773335278445, 'user_sessions portals portal_secrets portal_tokens pipeline_favorites setup_links');
INSERT INTO public.schema_migrations VALUES (4, '0004_usage', 1794773335295759, 'activity_days usage_users usage_counts usage_locks usage_state');
INSERT INTO public.schema_migrations VALUES (5, '0005_cache_store', 1794773335296068, '');
INSERT INTO public.setup_links VALUES ('2551a6e1ff07ec4d55effb5011b56f4a28088847d27b21c2c49991fd9003ab66', 1794773335497000);
INSERT INTO public.team_members VALUES ('01a1e0d3-bf30-7cd0-9626-03252ec1d0ff', '0190a1b2-0000-7000-8000-000000000003', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '0190a1b2-0000-7000-8000-000000000002', 'maintainer', 1794773335840000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.team_pipelines VALUES ('01a1e0d3-bfaa-7193-898c-039d9c84b3bd', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '0190a1b2-0000-7000-8000-000000000003', '01a1e0d3-bfa8-7523-9548-bfd6b131f0a6', 'manage_build_and_read', 1794773335976000, '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.teams VALUES ('0190a1b2-0000-7000-8000-000000000003', '01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', 'platform', 'Platform', 'platform', NULL, 'visible', false, 'member', false, 1794773335840000, '0190a1b2-0000-7000-8000-000000000001', false);
INSERT INTO public.usage_counts VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '2026-11-01', 1);
INSERT INTO public.usage_counts VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '2026-11-15', 1);
INSERT INTO public.usage_counts VALUES ('01a1e0d3-bf23-758b-bdec-825822148ee6', '2026-11-01', 1);
INSERT INTO public.usage_locks VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964');
INSERT INTO public.usage_locks VALUES ('01a1e0d3-bf23-758b-bdec-825822148ee6');
INSERT INTO public.usage_state VALUES (1, '');
INSERT INTO public.usage_users VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '2026-11-01', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.usage_users VALUES ('01a1e0d3-bf22-7961-9d01-bc5dbbe7c964', '2026-11-15', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.usage_users VALUES ('01a1e0d3-bf23-758b-bdec-825822148ee6', '2026-11-01', '0190a1b2-0000-7000-8000-000000000001');
INSERT INTO public.user_sessions VALUES ('a9a4aabd51348c490cec8b632b044953ec664d1b5365af90a214ba759e88bd4c', '01a1e0d3-c0c1-7cdb-9c2c-c10cd730a335', '0190a1b2-0000-7000-8000-000000000001', '127.0.0.1', 'Go-http-client/1.1', 1794773336257000, 1795982936257000);
INSERT INTO public.users VALUES ('0190a1b2-0000-7000-8000-000000000001', 'admin@example.com', 'admin@example.com', 'Admin', 'admin', '$argon2id$v=19$m=19456,t=2,p=1$Nvc6adtlDRWGt/mgLbQdvg$pNsqQnuPJ1njRt1/NsYKz/m6X2L2sfUNgrrsswLKLcg', 1794773335840000);
INSERT INTO public.users VALUES ('0190a1b2-0000-7000-8000-000000000002', 'dev@example.com', 'dev@example.com', 'Dev', 'dev', NULL, 1794773335840000);
ALTER TABLE ONLY public.activity_days
    ADD CONSTRAINT activity_days_pkey PRIMARY KEY (organization_id, day, user_id);
ALTER TABLE ONLY public.api_token_organizations
    ADD CONSTRAINT api_token_organizations_pkey PRIMARY KEY (token_id, organization_id);
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_id_key UNIQUE (id);
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (organization_id, id);
ALTER TABLE ONLY public.bootstrap_items
    ADD CONSTRAINT bootstrap_items_pkey PRIMARY KEY (kind, key);
ALTER TABLE ONLY public.cache_registries
    ADD CONSTRAINT cache_registries_cluster_id_id_key UNIQUE (cluster_id, id);
ALTER TABLE ONLY public.cache_registries
    ADD CONSTRAINT cache_registries_cluster_id_slug_key UNIQUE (cluster_id, slug);
ALTER TABLE ONLY public.cache_registries
    ADD CONSTRAINT cache_registries_pkey PRIMARY KEY (id);
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
ALTER TABLE ONLY public.clusters
    ADD CONSTRAINT clusters_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.git_mirror_syncs
    ADD CONSTRAINT git_mirror_syncs_pkey PRIMARY KEY (cluster_id);
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
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_id_key UNIQUE (id);
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_organization_id_slug_key UNIQUE (organization_id, slug);
ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.setup_links
    ADD CONSTRAINT setup_links_pkey PRIMARY KEY (hash);
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
CREATE INDEX api_token_organizations_member ON public.api_token_organizations USING btree (organization_id, user_id);
CREATE INDEX api_tokens_user ON public.api_tokens USING btree (user_id, created_at, id);
CREATE INDEX audit_events_actor ON public.audit_events USING btree (organization_id, actor_id, id);
CREATE INDEX audit_events_subject ON public.audit_events USING btree (organization_id, subject_id, id);
CREATE INDEX audit_events_type ON public.audit_events USING btree (organization_id, type, id);
CREATE INDEX cluster_agent_tokens_cluster ON public.cluster_agent_tokens USING btree (cluster_id, created_at, id);
CREATE INDEX cluster_maintainers_team ON public.cluster_maintainers USING btree (organization_id, team_id);
CREATE INDEX cluster_maintainers_user ON public.cluster_maintainers USING btree (organization_id, user_id);
CREATE INDEX clusters_created ON public.clusters USING btree (organization_id, created_at, id);
CREATE INDEX clusters_name ON public.clusters USING btree (organization_id, name_key, id);
CREATE INDEX organization_members_user ON public.organization_members USING btree (user_id, organization_id);
CREATE INDEX organizations_billing_parent ON public.organizations USING btree (billing_parent_id);
CREATE INDEX organizations_default_cluster ON public.organizations USING btree (default_cluster_id) WHERE (default_cluster_id IS NOT NULL);
CREATE INDEX pipeline_favorites_member ON public.pipeline_favorites USING btree (organization_id, user_id);
CREATE INDEX pipeline_favorites_pipeline ON public.pipeline_favorites USING btree (organization_id, pipeline_id);
CREATE INDEX pipelines_archived_created ON public.pipelines USING btree (organization_id, created_at, id) WHERE (archived_at IS NOT NULL);
CREATE INDEX pipelines_archived_name ON public.pipelines USING btree (organization_id, name_key, id) WHERE (archived_at IS NOT NULL);
CREATE INDEX pipelines_cluster ON public.pipelines USING btree (cluster_id);
CREATE INDEX pipelines_creator ON public.pipelines USING btree (organization_id, created_by);
CREATE INDEX pipelines_live_created ON public.pipelines USING btree (organization_id, created_at, id, slug, name, archived_at) WHERE (archived_at IS NULL);
CREATE INDEX pipelines_live_name ON public.pipelines USING btree (organization_id, name_key, id, slug, name, created_at, archived_at) WHERE (archived_at IS NULL);
CREATE INDEX pipelines_name ON public.pipelines USING btree (organization_id, name_key, id);
CREATE UNIQUE INDEX pipelines_organization ON public.pipelines USING btree (organization_id, id);
CREATE INDEX portal_secrets_portal ON public.portal_secrets USING btree (portal_id, created_at, id);
CREATE INDEX portal_tokens_expiry ON public.portal_tokens USING btree (expires_at);
CREATE INDEX portal_tokens_portal ON public.portal_tokens USING btree (portal_id, created_at, id);
CREATE INDEX portal_tokens_secret ON public.portal_tokens USING btree (secret_id);
CREATE INDEX portals_name ON public.portals USING btree (organization_id, name_key, id);
CREATE INDEX team_members_user ON public.team_members USING btree (organization_id, user_id);
CREATE INDEX team_pipelines_pipeline ON public.team_pipelines USING btree (pipeline_id, team_id);
CREATE INDEX user_sessions_expiry ON public.user_sessions USING btree (expires_at);
CREATE INDEX user_sessions_user ON public.user_sessions USING btree (user_id, created_at, id);
ALTER TABLE ONLY public.activity_days
    ADD CONSTRAINT activity_days_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_token_organizations
    ADD CONSTRAINT api_token_organizations_organization_id_user_id_fkey FOREIGN KEY (organization_id, user_id) REFERENCES public.organization_members(organization_id, user_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_token_organizations
    ADD CONSTRAINT api_token_organizations_token_id_fkey FOREIGN KEY (token_id) REFERENCES public.api_tokens(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_tokens
    ADD CONSTRAINT api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;
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
ALTER TABLE ONLY public.clusters
    ADD CONSTRAINT clusters_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.clusters
    ADD CONSTRAINT clusters_id_default_cache_registry_id_fkey FOREIGN KEY (id, default_cache_registry_id) REFERENCES public.cache_registries(cluster_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.clusters
    ADD CONSTRAINT clusters_id_default_queue_id_fkey FOREIGN KEY (id, default_queue_id) REFERENCES public.cluster_queues(cluster_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.clusters
    ADD CONSTRAINT clusters_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
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
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_portal_id_fkey FOREIGN KEY (portal_id) REFERENCES public.portals(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.portal_tokens
    ADD CONSTRAINT portal_tokens_secret_id_fkey FOREIGN KEY (secret_id) REFERENCES public.portal_secrets(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.portals
    ADD CONSTRAINT portals_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES public.organizations(id) ON DELETE CASCADE;
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
