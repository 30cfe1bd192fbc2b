CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL, made_tables TEXT NOT NULL DEFAULT '');
CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    email         TEXT NOT NULL,
    email_key     TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    name_key      TEXT NOT NULL,
    password_hash TEXT,
    created_at    BIGINT NOT NULL
) ;

CREATE TABLE organizations (
    id                                       TEXT PRIMARY KEY,
    slug                                     TEXT NOT NULL UNIQUE,
    name                                     TEXT NOT NULL,
    name_key                                 TEXT NOT NULL,
    created_at                               BIGINT NOT NULL,
    plan                                     TEXT NOT NULL CHECK (plan IN ('monthly', 'annual')),
    billing_anchor                           TEXT NOT NULL,
    billing_parent_id                        TEXT REFERENCES organizations (id),
    cluster_writes                           TEXT NOT NULL CHECK (cluster_writes IN ('members', 'managers')),
    maintainers_can_destroy_cache_registries BOOLEAN NOT NULL,
    members_can_create_pipelines             BOOLEAN NOT NULL,
    default_cluster_id                       TEXT,
    allowed_api_ip_addresses                 TEXT NOT NULL,
    revoke_inactive_tokens_after_days        BIGINT NOT NULL,
    audit_retention_days                     BIGINT NOT NULL,
    clusters_count                           BIGINT NOT NULL
    
) ;
CREATE INDEX organizations_default_cluster ON organizations (default_cluster_id) WHERE default_cluster_id IS NOT NULL; -- a cluster's deletion looks for it

CREATE TABLE organization_members (
    id              TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role            TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    created_at      BIGINT NOT NULL,
    created_by      TEXT REFERENCES users (id) ON DELETE SET NULL,
    PRIMARY KEY (organization_id, user_id)
) ;
CREATE INDEX organization_members_user ON organization_members (user_id, organization_id);

CREATE TABLE teams (
    id                           TEXT PRIMARY KEY,
    organization_id              TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    slug                         TEXT NOT NULL,
    name                         TEXT NOT NULL,
    name_key                     TEXT NOT NULL,
    description                  TEXT,
    privacy                      TEXT NOT NULL CHECK (privacy IN ('visible', 'secret')),
    is_default_team              BOOLEAN NOT NULL,
    default_member_role          TEXT NOT NULL CHECK (default_member_role IN ('maintainer', 'member')),
    members_can_create_pipelines BOOLEAN NOT NULL,
    created_at                   BIGINT NOT NULL,
    created_by                   TEXT REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (organization_id, slug),
    UNIQUE (organization_id, id)
) ;

CREATE TABLE team_members (
    id              TEXT PRIMARY KEY,
    team_id         TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    role            TEXT NOT NULL CHECK (role IN ('maintainer', 'member')),
    created_at      BIGINT NOT NULL,
    created_by      TEXT REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (team_id, user_id),
    FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id) ON DELETE CASCADE
) ;
CREATE INDEX team_members_user ON team_members (organization_id, user_id);

CREATE TABLE api_tokens (
    hash                 TEXT PRIMARY KEY, -- every request looks for it
    id                   TEXT NOT NULL UNIQUE,
    user_id              TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    description          TEXT NOT NULL,
    scopes               TEXT NOT NULL,
    allowed_ip_addresses TEXT NOT NULL,
    created_at           BIGINT NOT NULL,
    expires_at           BIGINT,
    revoked_at           BIGINT,
    last_used_at         BIGINT,
    last_used_address    TEXT
) ;
CREATE INDEX api_tokens_user ON api_tokens (user_id, created_at, id);

CREATE TABLE api_token_organizations (
    token_id        TEXT NOT NULL REFERENCES api_tokens (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    PRIMARY KEY (token_id, organization_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id) ON DELETE CASCADE
) ;
CREATE INDEX api_token_organizations_member ON api_token_organizations (organization_id, user_id);

CREATE TABLE clusters (
    id                             TEXT PRIMARY KEY,
    organization_id                TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name                           TEXT NOT NULL,
    name_key                       TEXT NOT NULL,
    description                    TEXT,
    emoji                          TEXT,
    color                          TEXT,
    default_queue_id               TEXT,
    default_cache_registry_id      TEXT NOT NULL,
    hosted_git_mirror_enabled      BOOLEAN NOT NULL,
    hosted_container_cache_enabled BOOLEAN NOT NULL,
    queues_count                   BIGINT NOT NULL,
    hosted_queues_count            BIGINT NOT NULL,
    agent_tokens_count             BIGINT NOT NULL,
    maintained                     BOOLEAN NOT NULL DEFAULT FALSE, -- it has, or once had, maintainers
    created_at                     BIGINT NOT NULL,
    created_by                     TEXT REFERENCES users (id) ON DELETE SET NULL
    
) ;
CREATE INDEX clusters_name ON clusters (organization_id, name_key, id);

CREATE TABLE cluster_maintainers (
    id              TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    cluster_id      TEXT NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    user_id         TEXT,
    team_id         TEXT,
    created_at      BIGINT NOT NULL,
    created_by      TEXT REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (cluster_id, user_id),
    UNIQUE (cluster_id, team_id),
    CHECK ((user_id IS NULL) <> (team_id IS NULL)),
    FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE
) ;
CREATE INDEX cluster_maintainers_user ON cluster_maintainers (organization_id, user_id);
CREATE INDEX cluster_maintainers_team ON cluster_maintainers (organization_id, team_id);

CREATE TABLE cluster_queues (
    id                   TEXT PRIMARY KEY,
    cluster_id           TEXT NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    key                  TEXT NOT NULL,
    description          TEXT,
    retry_agent_affinity TEXT NOT NULL CHECK (retry_agent_affinity IN ('prefer-warmest', 'prefer-different')),
    dispatch_paused_at   BIGINT,
    dispatch_paused_by   TEXT REFERENCES users (id) ON DELETE SET NULL,
    dispatch_paused_note TEXT,
    instance_shape       TEXT,
    agent_image_ref      TEXT,
    macos_version        TEXT,
    xcode_version        TEXT,
    created_at           BIGINT NOT NULL,
    created_by           TEXT REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (cluster_id, key),
    UNIQUE (cluster_id, id)
) ;

CREATE TABLE cluster_agent_tokens (
    id                   TEXT PRIMARY KEY,
    cluster_id           TEXT NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    hash                 TEXT NOT NULL UNIQUE,
    description          TEXT NOT NULL,
    allowed_ip_addresses TEXT,
    expires_at           BIGINT,
    created_at           BIGINT NOT NULL,
    created_by           TEXT REFERENCES users (id) ON DELETE SET NULL
) ;
CREATE INDEX cluster_agent_tokens_cluster ON cluster_agent_tokens (cluster_id, created_at, id);

CREATE TABLE cache_registries (
    id          TEXT PRIMARY KEY,
    cluster_id  TEXT NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    slug        TEXT NOT NULL,
    name        TEXT NOT NULL,
    description TEXT,
    emoji       TEXT,
    color       TEXT,
    policy      TEXT,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    created_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (cluster_id, slug),
    UNIQUE (cluster_id, id)
) ;

CREATE TABLE pipelines (
    id              TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    slug            TEXT NOT NULL,
    name            TEXT NOT NULL,
    name_key        TEXT NOT NULL,
    repository      TEXT NOT NULL,
    cluster_id      TEXT REFERENCES clusters (id) ON DELETE SET NULL,
    created_at      BIGINT NOT NULL,
    created_by      TEXT REFERENCES users (id) ON DELETE SET NULL,
    archived_at     BIGINT,
    UNIQUE (organization_id, slug)
) ;
CREATE INDEX pipelines_cluster ON pipelines (cluster_id);

CREATE TABLE bootstrap_items (
    kind       TEXT NOT NULL,
    key        TEXT NOT NULL,
    applied_at BIGINT NOT NULL,
    PRIMARY KEY (kind, key)
) ;

CREATE TABLE git_mirror_syncs (
    cluster_id      TEXT PRIMARY KEY,
    lease           TEXT NOT NULL,
    leased_until    BIGINT NOT NULL,
    attempts        BIGINT NOT NULL,
    next_attempt_at BIGINT NOT NULL
) ;


ALTER TABLE organizations ADD FOREIGN KEY (default_cluster_id) REFERENCES clusters (id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE clusters ADD FOREIGN KEY (id, default_queue_id) REFERENCES cluster_queues (cluster_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE clusters ADD FOREIGN KEY (id, default_cache_registry_id) REFERENCES cache_registries (cluster_id, id) DEFERRABLE INITIALLY DEFERRED;


INSERT INTO schema_migrations VALUES (1,'0001_initial',1763213805000000,'users organizations organization_members teams team_members api_tokens api_token_organizations clusters cluster_maintainers cluster_queues cluster_agent_tokens cache_registries pipelines bootstrap_items git_mirror_syncs');
ALTER TABLE pipelines ADD COLUMN description TEXT;
ALTER TABLE pipelines ADD COLUMN configuration TEXT NOT NULL DEFAULT '';
ALTER TABLE pipelines ADD COLUMN default_branch TEXT;
ALTER TABLE pipelines ADD COLUMN branch_configuration TEXT;
ALTER TABLE pipelines ADD COLUMN visibility TEXT NOT NULL DEFAULT 'private';
ALTER TABLE pipelines ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE pipelines ADD COLUMN emoji TEXT;
ALTER TABLE pipelines ADD COLUMN color TEXT;
ALTER TABLE pipelines ADD COLUMN env TEXT NOT NULL DEFAULT '{}';
ALTER TABLE pipelines ADD COLUMN skip_queued_branch_builds BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE pipelines ADD COLUMN skip_queued_branch_builds_filter TEXT;
ALTER TABLE pipelines ADD COLUMN cancel_running_branch_builds BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE pipelines ADD COLUMN cancel_running_branch_builds_filter TEXT;
ALTER TABLE pipelines ADD COLUMN default_command_step_timeout BIGINT;
ALTER TABLE pipelines ADD COLUMN maximum_command_step_timeout BIGINT;
ALTER TABLE pipelines ADD COLUMN allow_rebuilds BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE pipelines ADD COLUMN archived_by TEXT REFERENCES users (id) ON DELETE SET NULL;
CREATE UNIQUE INDEX pipelines_organization ON pipelines (organization_id, id);
CREATE INDEX pipelines_name ON pipelines (organization_id, name_key, id);
CREATE INDEX pipelines_creator ON pipelines (organization_id, created_by); -- who made one manages it

ALTER TABLE organizations ADD COLUMN pipelines_count BIGINT NOT NULL DEFAULT 0;
UPDATE organizations SET pipelines_count = (SELECT count(*) FROM pipelines WHERE organization_id = organizations.id);

CREATE TABLE team_pipelines (
    id              TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    team_id         TEXT NOT NULL,
    pipeline_id     TEXT NOT NULL,
    access_level    TEXT NOT NULL CHECK (access_level IN ('read_only', 'build_and_read', 'manage_build_and_read')),
    created_at      BIGINT NOT NULL,
    created_by      TEXT REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (team_id, pipeline_id),
    FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines (organization_id, id) ON DELETE CASCADE
) ;
CREATE INDEX team_pipelines_pipeline ON team_pipelines (pipeline_id, team_id);

CREATE TABLE audit_events (
    organization_id TEXT NOT NULL,
    id              TEXT NOT NULL,
    occurred_at     BIGINT NOT NULL,
    type            TEXT NOT NULL,
    actor_type      TEXT NOT NULL,
    actor_id        TEXT NOT NULL,
    actor_name      TEXT NOT NULL,
    subject_type    TEXT NOT NULL,
    subject_id      TEXT NOT NULL,
    subject_name    TEXT NOT NULL,
    context         TEXT NOT NULL,
    data            TEXT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX audit_events_type ON audit_events (organization_id, type, id);
CREATE INDEX audit_events_actor ON audit_events (organization_id, actor_id, id);
CREATE INDEX audit_events_subject ON audit_events (organization_id, subject_id, id);

INSERT INTO schema_migrations VALUES (2,'0002_pipelines_teams_audit',1763213805000000,'team_pipelines audit_events');
CREATE TABLE user_sessions (
    hash       TEXT PRIMARY KEY, -- every request looks for it
    id         TEXT NOT NULL UNIQUE,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    address    TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) ;
CREATE INDEX user_sessions_user ON user_sessions (user_id, created_at, id);
CREATE INDEX user_sessions_expiry ON user_sessions (expires_at);

CREATE TABLE portals (
    id                   TEXT PRIMARY KEY,
    organization_id      TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    slug                 TEXT NOT NULL,
    name                 TEXT NOT NULL,
    name_key             TEXT NOT NULL,
    description          TEXT,
    query                TEXT NOT NULL,
    allowed_ip_addresses TEXT,
    created_at           BIGINT NOT NULL,
    created_by           TEXT REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (organization_id, slug)
) ;
CREATE INDEX portals_name ON portals (organization_id, name_key, id);

CREATE TABLE portal_secrets (
    id          TEXT PRIMARY KEY,
    portal_id   TEXT NOT NULL REFERENCES portals (id) ON DELETE CASCADE,
    hash        TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    created_by  TEXT REFERENCES users (id) ON DELETE SET NULL
) ;
CREATE INDEX portal_secrets_portal ON portal_secrets (portal_id, created_at, id);

CREATE TABLE portal_tokens (
    hash        TEXT PRIMARY KEY,
    id          TEXT NOT NULL UNIQUE,
    portal_id   TEXT NOT NULL REFERENCES portals (id) ON DELETE CASCADE,
    secret_id   TEXT REFERENCES portal_secrets (id) ON DELETE CASCADE,
    description TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    created_by  TEXT REFERENCES users (id) ON DELETE SET NULL,
    expires_at  BIGINT
) ;
CREATE INDEX portal_tokens_portal ON portal_tokens (portal_id, created_at, id);
CREATE INDEX portal_tokens_secret ON portal_tokens (secret_id);
CREATE INDEX portal_tokens_expiry ON portal_tokens (expires_at);

CREATE TABLE pipeline_favorites (
    pipeline_id     TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    PRIMARY KEY (user_id, pipeline_id),
    FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id) ON DELETE CASCADE
) ;
CREATE INDEX pipeline_favorites_pipeline ON pipeline_favorites (organization_id, pipeline_id);
CREATE INDEX pipeline_favorites_member ON pipeline_favorites (organization_id, user_id);

ALTER TABLE organization_members ADD COLUMN last_seen_on TEXT;

ALTER TABLE teams ADD COLUMN members_can_delete_pipelines BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE pipelines ADD COLUMN next_build_number BIGINT NOT NULL DEFAULT 1;
ALTER TABLE organizations ADD COLUMN archived_pipelines_count BIGINT NOT NULL DEFAULT 0;
UPDATE organizations SET archived_pipelines_count =
    (SELECT count(*) FROM pipelines WHERE organization_id = organizations.id AND archived_at IS NOT NULL);

CREATE INDEX pipelines_live_created ON pipelines (organization_id, created_at, id, slug, name, archived_at) WHERE archived_at IS NULL;
CREATE INDEX pipelines_live_name ON pipelines (organization_id, name_key, id, slug, name, created_at, archived_at) WHERE archived_at IS NULL;
CREATE INDEX pipelines_archived_created ON pipelines (organization_id, created_at, id) WHERE archived_at IS NOT NULL;
CREATE INDEX pipelines_archived_name ON pipelines (organization_id, name_key, id) WHERE archived_at IS NOT NULL;
CREATE INDEX clusters_created ON clusters (organization_id, created_at, id);

CREATE TABLE setup_links (
    hash       TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL
) ;

INSERT INTO schema_migrations VALUES (3,'0003_access',1763213805000000,'user_sessions portals portal_secrets portal_tokens pipeline_favorites setup_links');
CREATE TABLE activity_days (
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    day             TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    PRIMARY KEY (organization_id, day, user_id)
) ;

CREATE TABLE usage_users (
    organization_id TEXT NOT NULL,
    period          TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    PRIMARY KEY (organization_id, period, user_id)
) ;

CREATE TABLE usage_counts (
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    period          TEXT NOT NULL,
    users           BIGINT NOT NULL,
    PRIMARY KEY (organization_id, period)
) ;

CREATE TABLE usage_locks (
    organization_id TEXT PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE
) ;

CREATE TABLE usage_state (
    id         BIGINT PRIMARY KEY CHECK (id = 1),
    kept_since TEXT NOT NULL
);

CREATE INDEX organizations_billing_parent ON organizations (billing_parent_id);

INSERT INTO schema_migrations VALUES (4,'0004_usage',1763213805000000,'activity_days usage_users usage_counts usage_locks usage_state');
ALTER TABLE cache_registries ADD COLUMN cache_store TEXT;

INSERT INTO schema_migrations VALUES (5,'0005_cache_store',1763213805000000,'');
INSERT INTO users (id,email,email_key,name,name_key,created_at) VALUES ('0190a1b2-0000-7000-8000-000000000001','admin@example.com','admin@example.com','Admin','admin',1763213805000000);
