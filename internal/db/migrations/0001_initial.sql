CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    email         TEXT NOT NULL,
    email_key     TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    name_key      TEXT NOT NULL,
    password_hash TEXT,
    created_at    BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};

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
    audit_retention_days                     BIGINT NOT NULL
    {{if .SQLite}},
    FOREIGN KEY (default_cluster_id) REFERENCES clusters (id) DEFERRABLE INITIALLY DEFERRED
    {{end}}
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX organizations_default_cluster ON organizations (default_cluster_id) WHERE default_cluster_id IS NOT NULL; -- a cluster's deletion looks for it

-- How many things an organization has: the sum of its rows. Transactions that run at once add to different ones, so that they do
-- not wait for each other.
CREATE TABLE organization_counts (
    organization_id    TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    shard              BIGINT NOT NULL,
    clusters           BIGINT NOT NULL,
    pipelines          BIGINT NOT NULL, -- archived ones among them
    archived_pipelines BIGINT NOT NULL,
    PRIMARY KEY (organization_id, shard)
) {{if .SQLite}}WITHOUT ROWID{{end}};

CREATE TABLE organization_members (
    id              TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id         TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role            TEXT NOT NULL CHECK (role IN ('admin', 'member')),
    created_at      BIGINT NOT NULL,
    created_by      TEXT REFERENCES users (id) ON DELETE SET NULL,
    PRIMARY KEY (organization_id, user_id)
) {{if .SQLite}}WITHOUT ROWID{{end}};
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
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- Who leaves an organization leaves its teams.
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
) {{if .SQLite}}WITHOUT ROWID{{end}};
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
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX api_tokens_user ON api_tokens (user_id, created_at, id);

-- Who leaves an organization takes away what their tokens were granted there.
CREATE TABLE api_token_organizations (
    token_id        TEXT NOT NULL REFERENCES api_tokens (id) ON DELETE CASCADE,
    organization_id TEXT NOT NULL,
    user_id         TEXT NOT NULL,
    PRIMARY KEY (token_id, organization_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX api_token_organizations_member ON api_token_organizations (organization_id, user_id);

-- A cluster has exactly one default registry, which is its own: the deferred key lets both be made in
-- one transaction, and refuses a transaction that would leave a cluster without.
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
    maintained                     BOOLEAN NOT NULL DEFAULT FALSE, -- it has, or once had, maintainers
    created_at                     BIGINT NOT NULL,
    created_by                     TEXT REFERENCES users (id) ON DELETE SET NULL
    {{if .SQLite}},
    FOREIGN KEY (id, default_queue_id) REFERENCES cluster_queues (cluster_id, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (id, default_cache_registry_id) REFERENCES cache_registries (cluster_id, id) DEFERRABLE INITIALLY DEFERRED
    {{end}}
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX clusters_name ON clusters (organization_id, name_key, id);

-- A maintainer is a member or a team of the cluster's organization, and stops being one with that.
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
) {{if .SQLite}}WITHOUT ROWID{{end}};
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
) {{if .SQLite}}WITHOUT ROWID{{end}};

CREATE TABLE cluster_agent_tokens (
    id                   TEXT PRIMARY KEY,
    cluster_id           TEXT NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    hash                 TEXT NOT NULL UNIQUE,
    description          TEXT NOT NULL,
    allowed_ip_addresses TEXT,
    expires_at           BIGINT,
    created_at           BIGINT NOT NULL,
    created_by           TEXT REFERENCES users (id) ON DELETE SET NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
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
) {{if .SQLite}}WITHOUT ROWID{{end}};

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
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX pipelines_cluster ON pipelines (cluster_id);

-- What bootstrap files have made, each item once, ever.
CREATE TABLE bootstrap_items (
    kind       TEXT NOT NULL,
    key        TEXT NOT NULL,
    applied_at BIGINT NOT NULL,
    PRIMARY KEY (kind, key)
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- Clusters whose git mirror setting the hosted-agent service may not have: a call is under way (leased),
-- or its outcome is unknown. No reference to clusters: the service is told of a deletion too.
CREATE TABLE git_mirror_syncs (
    cluster_id      TEXT PRIMARY KEY,
    lease           TEXT NOT NULL,
    leased_until    BIGINT NOT NULL,
    attempts        BIGINT NOT NULL,
    next_attempt_at BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};

{{if .Postgres}}
ALTER TABLE organizations ADD FOREIGN KEY (default_cluster_id) REFERENCES clusters (id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE clusters ADD FOREIGN KEY (id, default_queue_id) REFERENCES cluster_queues (cluster_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE clusters ADD FOREIGN KEY (id, default_cache_registry_id) REFERENCES cache_registries (cluster_id, id) DEFERRABLE INITIALLY DEFERRED;
{{end}}
