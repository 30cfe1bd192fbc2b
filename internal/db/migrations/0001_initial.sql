-- Tables: users organizations organization_counts organization_members teams team_members api_tokens api_token_organizations clusters cluster_maintainers cluster_queues cluster_agent_tokens cache_registries pipelines bootstrap_items git_mirror_syncs
CREATE TABLE users (
    id            {{.Text}} PRIMARY KEY,
    email         {{.Text}} NOT NULL,
    email_key     {{.Text}} NOT NULL UNIQUE,
    name          {{.Text}} NOT NULL,
    name_key      {{.Text}} NOT NULL,
    password_hash {{.Text}},
    created_at    BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};

CREATE TABLE organizations (
    id                                       {{.Text}} PRIMARY KEY,
    slug                                     {{.Text}} NOT NULL UNIQUE,
    name                                     {{.Text}} NOT NULL,
    name_key                                 {{.Text}} NOT NULL,
    created_at                               BIGINT NOT NULL,
    plan                                     {{.Text}} NOT NULL CHECK (plan IN ('monthly', 'annual')),
    billing_anchor                           {{.Text}} NOT NULL,
    billing_parent_id                        {{.Text}} REFERENCES organizations (id),
    cluster_writes                           {{.Text}} NOT NULL CHECK (cluster_writes IN ('members', 'managers')),
    maintainers_can_destroy_cache_registries BOOLEAN NOT NULL,
    members_can_create_pipelines             BOOLEAN NOT NULL,
    default_cluster_id                       {{.Text}},
    allowed_api_ip_addresses                 {{.Text}} NOT NULL,
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
    organization_id    {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    shard              BIGINT NOT NULL,
    clusters           BIGINT NOT NULL,
    pipelines          BIGINT NOT NULL, -- archived ones among them
    archived_pipelines BIGINT NOT NULL,
    PRIMARY KEY (organization_id, shard)
) {{if .SQLite}}WITHOUT ROWID{{end}};

CREATE TABLE organization_members (
    id              {{.Text}} NOT NULL UNIQUE,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id         {{.Text}} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role            {{.Text}} NOT NULL CHECK (role IN ('admin', 'member')),
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    PRIMARY KEY (organization_id, user_id)
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX organization_members_user ON organization_members (user_id, organization_id);

CREATE TABLE teams (
    id                           {{.Text}} PRIMARY KEY,
    organization_id              {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    slug                         {{.Text}} NOT NULL,
    name                         {{.Text}} NOT NULL,
    name_key                     {{.Text}} NOT NULL,
    description                  {{.Text}},
    privacy                      {{.Text}} NOT NULL CHECK (privacy IN ('visible', 'secret')),
    is_default_team              BOOLEAN NOT NULL,
    default_member_role          {{.Text}} NOT NULL CHECK (default_member_role IN ('maintainer', 'member')),
    members_can_create_pipelines BOOLEAN NOT NULL,
    created_at                   BIGINT NOT NULL,
    created_by                   {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (organization_id, slug),
    UNIQUE (organization_id, id)
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- Who leaves an organization leaves its teams.
CREATE TABLE team_members (
    id              {{.Text}} PRIMARY KEY,
    team_id         {{.Text}} NOT NULL,
    organization_id {{.Text}} NOT NULL,
    user_id         {{.Text}} NOT NULL,
    role            {{.Text}} NOT NULL CHECK (role IN ('maintainer', 'member')),
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (team_id, user_id),
    FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX team_members_user ON team_members (organization_id, user_id);

CREATE TABLE api_tokens (
    hash                 {{.Text}} PRIMARY KEY, -- every request looks for it
    id                   {{.Text}} NOT NULL UNIQUE,
    user_id              {{.Text}} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    description          {{.Text}} NOT NULL,
    scopes               {{.Text}} NOT NULL,
    allowed_ip_addresses {{.Text}} NOT NULL,
    created_at           BIGINT NOT NULL,
    expires_at           BIGINT,
    revoked_at           BIGINT,
    last_used_at         BIGINT,
    last_used_address    {{.Text}}
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX api_tokens_user ON api_tokens (user_id, created_at, id);

-- Who leaves an organization takes away what their tokens were granted there.
CREATE TABLE api_token_organizations (
    token_id        {{.Text}} NOT NULL REFERENCES api_tokens (id) ON DELETE CASCADE,
    organization_id {{.Text}} NOT NULL,
    user_id         {{.Text}} NOT NULL,
    PRIMARY KEY (token_id, organization_id),
    FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX api_token_organizations_member ON api_token_organizations (organization_id, user_id);

-- A cluster has exactly one default registry, which is its own: the deferred key lets both be made in
-- one transaction, and refuses a transaction that would leave a cluster without.
CREATE TABLE clusters (
    id                             {{.Text}} PRIMARY KEY,
    organization_id                {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name                           {{.Text}} NOT NULL,
    name_key                       {{.Text}} NOT NULL,
    description                    {{.Text}},
    emoji                          {{.Text}},
    color                          {{.Text}},
    default_queue_id               {{.Text}},
    default_cache_registry_id      {{.Text}} NOT NULL,
    hosted_git_mirror_enabled      BOOLEAN NOT NULL,
    hosted_container_cache_enabled BOOLEAN NOT NULL,
    queues_count                   BIGINT NOT NULL,
    hosted_queues_count            BIGINT NOT NULL,
    maintained                     BOOLEAN NOT NULL DEFAULT FALSE, -- it has, or once had, maintainers
    created_at                     BIGINT NOT NULL,
    created_by                     {{.Text}} REFERENCES users (id) ON DELETE SET NULL
    {{if .SQLite}},
    FOREIGN KEY (id, default_queue_id) REFERENCES cluster_queues (cluster_id, id) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (id, default_cache_registry_id) REFERENCES cache_registries (cluster_id, id) DEFERRABLE INITIALLY DEFERRED
    {{end}}
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX clusters_name ON clusters (organization_id, name_key, id);

-- A maintainer is a member or a team of the cluster's organization, and stops being one with that.
CREATE TABLE cluster_maintainers (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL,
    cluster_id      {{.Text}} NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    user_id         {{.Text}},
    team_id         {{.Text}},
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (cluster_id, user_id),
    UNIQUE (cluster_id, team_id),
    CHECK ((user_id IS NULL) <> (team_id IS NULL)),
    FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, team_id) REFERENCES teams (organization_id, id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX cluster_maintainers_user ON cluster_maintainers (organization_id, user_id);
CREATE INDEX cluster_maintainers_team ON cluster_maintainers (organization_id, team_id);

CREATE TABLE cluster_queues (
    id                   {{.Text}} PRIMARY KEY,
    cluster_id           {{.Text}} NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    key                  {{.Text}} NOT NULL,
    description          {{.Text}},
    retry_agent_affinity {{.Text}} NOT NULL CHECK (retry_agent_affinity IN ('prefer-warmest', 'prefer-different')),
    dispatch_paused_at   BIGINT,
    dispatch_paused_by   {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    dispatch_paused_note {{.Text}},
    instance_shape       {{.Text}},
    agent_image_ref      {{.Text}},
    macos_version        {{.Text}},
    xcode_version        {{.Text}},
    created_at           BIGINT NOT NULL,
    created_by           {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (cluster_id, key),
    UNIQUE (cluster_id, id)
) {{if .SQLite}}WITHOUT ROWID{{end}};

CREATE TABLE cluster_agent_tokens (
    id                   {{.Text}} PRIMARY KEY,
    cluster_id           {{.Text}} NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    hash                 {{.Text}} NOT NULL UNIQUE,
    description          {{.Text}} NOT NULL,
    allowed_ip_addresses {{.Text}},
    expires_at           BIGINT,
    created_at           BIGINT NOT NULL,
    created_by           {{.Text}} REFERENCES users (id) ON DELETE SET NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX cluster_agent_tokens_cluster ON cluster_agent_tokens (cluster_id, created_at, id);

CREATE TABLE cache_registries (
    id          {{.Text}} PRIMARY KEY,
    cluster_id  {{.Text}} NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
    slug        {{.Text}} NOT NULL,
    name        {{.Text}} NOT NULL,
    description {{.Text}},
    emoji       {{.Text}},
    color       {{.Text}},
    policy      {{.Text}},
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    created_by  {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (cluster_id, slug),
    UNIQUE (cluster_id, id)
) {{if .SQLite}}WITHOUT ROWID{{end}};

CREATE TABLE pipelines (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    slug            {{.Text}} NOT NULL,
    name            {{.Text}} NOT NULL,
    name_key        {{.Text}} NOT NULL,
    repository      {{.Text}} NOT NULL,
    cluster_id      {{.Text}} REFERENCES clusters (id) ON DELETE SET NULL,
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    archived_at     BIGINT,
    UNIQUE (organization_id, slug)
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX pipelines_cluster ON pipelines (cluster_id);

-- What bootstrap files have made, each item once, ever.
CREATE TABLE bootstrap_items (
    kind       {{.Text}} NOT NULL,
    key        {{.Text}} NOT NULL,
    applied_at BIGINT NOT NULL,
    PRIMARY KEY (kind, key)
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- Clusters whose git mirror setting the hosted-agent service may not have: a call is under way (leased),
-- or its outcome is unknown. No reference to clusters: the service is told of a deletion too.
CREATE TABLE git_mirror_syncs (
    cluster_id      {{.Text}} PRIMARY KEY,
    lease           {{.Text}} NOT NULL,
    leased_until    BIGINT NOT NULL,
    attempts        BIGINT NOT NULL,
    next_attempt_at BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};

{{if .Postgres}}
ALTER TABLE organizations ADD FOREIGN KEY (default_cluster_id) REFERENCES clusters (id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE clusters ADD FOREIGN KEY (id, default_queue_id) REFERENCES cluster_queues (cluster_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE clusters ADD FOREIGN KEY (id, default_cache_registry_id) REFERENCES cache_registries (cluster_id, id) DEFERRABLE INITIALLY DEFERRED;
{{end}}
