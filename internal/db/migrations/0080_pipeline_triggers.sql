-- Tables: pipeline_triggers trigger_secrets
-- Addresses at which whoever knows them starts builds of a pipeline.
CREATE TABLE pipeline_triggers (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    pipeline_id     {{.Text}} NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    type            {{.Text}} NOT NULL, -- webhook or github
    token_hash      {{.Text}} NOT NULL, -- of the token in the address
    token_hint      {{.Text}} NOT NULL, -- how the token ends
    label           {{.Text}} NOT NULL,
    enabled         BOOLEAN NOT NULL,
    message         {{.Text}}, -- NULL: Triggered build
    commit_sha      {{.Text}}, -- NULL: HEAD
    branch          {{.Text}}, -- NULL: the pipeline's default branch
    env             {{.Text}} NOT NULL, -- a JSON object
    secret_hint     {{.Text}}, -- how the secret ends that deliveries are signed with; NULL: they need no signature
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    updated_at      BIGINT NOT NULL,
    updated_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX pipeline_triggers_token ON pipeline_triggers (token_hash);
CREATE INDEX pipeline_triggers_pipeline ON pipeline_triggers (pipeline_id, created_at, id);
CREATE INDEX pipeline_triggers_organization ON pipeline_triggers (organization_id);
CREATE INDEX pipeline_triggers_created_by ON pipeline_triggers (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX pipeline_triggers_updated_by ON pipeline_triggers (updated_by) WHERE updated_by IS NOT NULL;

-- The secrets that deliveries to triggers are signed with. They are encrypted with a key that is not in the database.
CREATE TABLE trigger_secrets (
    id           {{.Text}} PRIMARY KEY,
    trigger_id   {{.Text}} NOT NULL REFERENCES pipeline_triggers (id) ON DELETE CASCADE,
    sealed_value {{.Text}} NOT NULL -- begins with the id of the key that it is encrypted with
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX trigger_secrets_trigger ON trigger_secrets (trigger_id);

-- The trigger that a delivery came to; NULL: it is of the repository's host.
ALTER TABLE deliveries ADD COLUMN trigger_id {{.Text}};
CREATE INDEX deliveries_trigger ON deliveries (trigger_id, id) WHERE trigger_id IS NOT NULL;
