-- Tables: rules
-- What builds of one pipeline may do with another pipeline.
CREATE TABLE rules (
    id              {{.Text}} PRIMARY KEY,
    organization_id {{.Text}} NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    type            {{.Text}} NOT NULL,
    description     {{.Text}},
    source_id       {{.Text}} NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    target_id       {{.Text}} NOT NULL REFERENCES pipelines (id) ON DELETE CASCADE,
    conditions      {{.Text}} NOT NULL, -- a JSON list of texts
    conditions_key  {{.Text}} NOT NULL, -- a hash of them
    created_at      BIGINT NOT NULL,
    created_by      {{.Text}} REFERENCES users (id) ON DELETE SET NULL,
    updated_at      BIGINT NOT NULL
) {{if .SQLite}}WITHOUT ROWID{{end}};
CREATE UNIQUE INDEX rules_pipelines ON rules (source_id, target_id, type, conditions_key);
CREATE INDEX rules_target ON rules (target_id);
CREATE INDEX rules_organization ON rules (organization_id, created_at, id);
CREATE INDEX rules_created_by ON rules (created_by) WHERE created_by IS NOT NULL;
