-- Tables: repository_connections connection_secrets pipeline_webhooks deliveries pull_requests
-- Hosts of repositories that an organization is connected with.
CREATE TABLE repository_connections (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    kind            {{.Text}} NOT NULL,
    url             {{.Text}} NOT NULL, -- where people find the host
    display_name    {{.Text}} NOT NULL,
    login           {{.Text}} NOT NULL, -- whose token it is
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    updated_at      BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX repository_connections_url ON repository_connections (organization_id, url);
CREATE INDEX repository_connections_created_by ON repository_connections (created_by) WHERE created_by IS NOT NULL;

-- The token of a connection, and the secret that the host signs deliveries with. They are encrypted with a key that is not in the database.
CREATE TABLE connection_secrets (
    id            {{.Text}} PRIMARY KEY,
    connection_id {{.Text}} NOT NULL REFERENCES repository_connections (id) ON DELETE CASCADE,
    name          {{.Text}} NOT NULL, -- token or webhook_secret
    sealed_value  {{.Text}} NOT NULL -- begins with the id of the key that it is encrypted with
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX connection_secrets_name ON connection_secrets (connection_id, name);

-- The webhooks that were made at hosts for pipelines.
CREATE TABLE pipeline_webhooks (
    pipeline_id   {{.Text}} PRIMARY KEY REFERENCES pipelines (id) ON DELETE CASCADE,
    connection_id {{.Text}} NOT NULL REFERENCES repository_connections (id) ON DELETE CASCADE,
    repository    {{.Text}} NOT NULL,
    external_id   {{.Text}} NOT NULL, -- at the host
    created_at    BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE INDEX pipeline_webhooks_connection ON pipeline_webhooks (connection_id);

-- What hosts delivered, for seven days.
CREATE TABLE deliveries (
    id          {{.Text}} PRIMARY KEY,
    pipeline_id {{.Text}} NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    received_at BIGINT NOT NULL,
    event       {{.Text}} NOT NULL, -- such as push, or pull_request opened
    external_id {{.Text}}, -- that the host gave it
    outcome     {{.Text}} NOT NULL, -- in words
    build_id    {{.Text}},
    headers     {{.Text}} NOT NULL, -- a JSON object: those that say what it is
    body        {{.Bytes}} NOT NULL -- compressed
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX deliveries_external ON deliveries (pipeline_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX deliveries_pipeline ON deliveries (pipeline_id, id);
CREATE INDEX deliveries_received ON deliveries (received_at);
CREATE INDEX deliveries_build ON deliveries (build_id) WHERE build_id IS NOT NULL;

-- The open pull requests of pipelines' own repositories: builds of pushes to their branches are theirs.
CREATE TABLE pull_requests (
    pipeline_id {{.Text}} NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    branch      {{.Text}} NOT NULL,
    details     {{.Text}} NOT NULL, -- JSON
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (pipeline_id, branch)
) {{if .SQLite}}WITHOUT ROWID{{end}};

-- The connection that the pipeline's repository is at; NULL: none that is known.
ALTER TABLE pipelines ADD COLUMN connection_id {{.Text}};
-- JSON: where a build publishes how it goes (null: nowhere), and what was delivered that it was made for.
ALTER TABLE builds ADD COLUMN publishing {{.Text}} NOT NULL DEFAULT 'null';
ALTER TABLE builds ADD COLUMN event {{.Text}} NOT NULL DEFAULT 'null';
