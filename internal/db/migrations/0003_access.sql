-- Tables: user_sessions portals portal_secrets portal_tokens pipeline_favorites setup_links
-- Signed-in browsers.
CREATE TABLE user_sessions (
    hash       {{.Text}} PRIMARY KEY, -- every request looks for it
    id         {{.Text}} NOT NULL UNIQUE,
    user_id    {{.Text}} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    address    {{.Text}} NOT NULL,
    user_agent {{.Text}} NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX user_sessions_user ON user_sessions (user_id, created_at, id);
CREATE INDEX user_sessions_expiry ON user_sessions (expires_at);

-- GraphQL documents that are run with an administrator's rights.
CREATE TABLE portals (
    id                   {{.Text}} PRIMARY KEY,
    organization_id      {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    slug                 {{.Text}} NOT NULL,
    name                 {{.Text}} NOT NULL,
    name_key             {{.Text}} NOT NULL,
    description          {{.Text}},
    query                {{.Text}} NOT NULL,
    allowed_ip_addresses {{.Text}},
    created_at           BIGINT NOT NULL,
    created_by           {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    UNIQUE (organization_id, slug)
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX portals_name ON portals (organization_id, name_key, id);

-- A portal's token made from a secret expires; its secret's end is its end.
CREATE TABLE portal_secrets (
    id          {{.Text}} PRIMARY KEY,
    portal_id   {{.Text}} NOT NULL REFERENCES portals (id) ON DELETE CASCADE,
    hash        {{.Text}} NOT NULL UNIQUE,
    description {{.Text}} NOT NULL,
    created_at  BIGINT NOT NULL,
    created_by  {{.Text}} REFERENCES users (id) ON DELETE SET NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX portal_secrets_portal ON portal_secrets (portal_id, created_at, id);

CREATE TABLE portal_tokens (
    hash        {{.Text}} PRIMARY KEY,
    id          {{.Text}} NOT NULL UNIQUE,
    portal_id   {{.Text}} NOT NULL REFERENCES portals (id) ON DELETE CASCADE,
    secret_id   {{.Text}} REFERENCES portal_secrets (id) ON DELETE CASCADE,
    description {{.Text}} NOT NULL,
    created_at  BIGINT NOT NULL,
    created_by  {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    expires_at  BIGINT
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX portal_tokens_portal ON portal_tokens (portal_id, created_at, id);
CREATE INDEX portal_tokens_secret ON portal_tokens (secret_id);
CREATE INDEX portal_tokens_expiry ON portal_tokens (expires_at);

-- The pipelines that users marked for themselves.
CREATE TABLE pipeline_favorites (
    pipeline_id     {{.Text}} NOT NULL,
    organization_id {{.Text}} NOT NULL,
    user_id         {{.Text}} NOT NULL,
    PRIMARY KEY (user_id, pipeline_id),
    FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines (organization_id, id) ON DELETE CASCADE,
    FOREIGN KEY (organization_id, user_id) REFERENCES organization_members (organization_id, user_id) ON DELETE CASCADE
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX pipeline_favorites_pipeline ON pipeline_favorites (organization_id, pipeline_id);
CREATE INDEX pipeline_favorites_member ON pipeline_favorites (organization_id, user_id);

-- The last day of a member's activity, which that of all days would be slow to tell.
ALTER TABLE organization_members ADD COLUMN last_seen_on {{.Text}};

ALTER TABLE teams ADD COLUMN members_can_delete_pipelines BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE pipelines ADD COLUMN next_build_number BIGINT NOT NULL DEFAULT 1;

-- The orders that lists can be asked for. Those of live pipelines have all that is read of pipelines of which the names are asked
-- for; SQLite reads archived_at again.
CREATE INDEX pipelines_live_created ON pipelines (organization_id, created_at, id, slug, name, archived_at) WHERE archived_at IS NULL;
CREATE INDEX pipelines_live_name ON pipelines (organization_id, name_key, id, slug, name, created_at, archived_at) WHERE archived_at IS NULL;
CREATE INDEX pipelines_archived_created ON pipelines (organization_id, created_at, id) WHERE archived_at IS NOT NULL;
CREATE INDEX pipelines_archived_name ON pipelines (organization_id, name_key, id) WHERE archived_at IS NOT NULL;
CREATE INDEX clusters_created ON clusters (organization_id, created_at, id);
{{if .SQLite}}
-- So do those of queues. PostgreSQL, which refuses to index long texts, has what it needs.
CREATE INDEX cluster_queues_key ON cluster_queues (cluster_id, key, id, description, created_at);
{{end}}
-- The links with which the first administrator of an installation without users can be made.
CREATE TABLE setup_links (
    hash       {{.Text}} PRIMARY KEY,
    created_at BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
